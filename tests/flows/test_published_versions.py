"""What `rarefy versions` prints in 80 columns, and what a refresh says of settings that are not those before."""

import json
from dataclasses import replace
from io import StringIO
from pathlib import Path

from failing_writes import QUICK, go
from rich.console import Console

from rarefy.flows.cli import main
from rarefy.flows.config import Config
from rarefy.flows.engine import prefect_server
from rarefy.flows.refresh import refresh
from rarefy.flows.reports import version_report
from rarefy.flows.reports.version_report import shorten_path, show_versions
from rarefy.tasks.store import journal
from rarefy.tasks.store.journal import Version
from rarefy.tasks.store.tables import Store

NAMES = [letter * 32 for letter in "abc"]
COUNTS = {"documents": 1204, "questions": 41206}


def lines(*found, width=80):
    said = StringIO()
    show_versions(found, Console(file=said, width=width))
    return said.getvalue().splitlines()


def version(number, **fields):
    given = {"version": NAMES[number - 1], "parent": "" if number == 1 else NAMES[number - 2], "line": "x",
             "out": str(Path.cwd() / "out"), "corpus": str(Path.home() / "filings"), "number": number,
             "created": f"2026-11-2{number}T10:09:08+00:00", "counts": COUNTS}  # fmt: skip
    return Version(**{**given, **fields})


def test_versions_fit_80_columns_under_their_folder():
    some = {"documents_edited": 1, "questions_added": 12_041, "questions_retired": 3, "questions_unchanged": 5}
    found = [version(1), version(2, changes=some), version(3, changes={"chunks_moved": 1}, as_of="2026-01-02")]
    told = lines(*found)
    assert told[0] == "out, of ~/filings"
    assert max(map(len, told)) <= 80
    for one in found:
        (row,) = (line for line in told if one.version[:12] in line)
        assert f"2026-11-2{one.number} 10:09" in row
        assert all(figure in row.split() for figure in (str(one.number), "1,204", "41,206"))
    assert all(name in told[1] for name in ("no.", "version", "when (UTC)", "documents", "questions", "changes"))
    words = " ".join(" ".join(line[58:].split()) for line in told)
    assert "1 document edited, 12,044 questions changed" in " ".join(words.split())
    assert "as of 2026-01-02" in " ".join(words.split())
    assert len(told) <= 1 + 2 + 3 * len(found) + 2


def test_each_folder_has_its_heading_and_another_corpus_is_said():
    told = lines(version(1, corpus="s3://here/filings"), version(2), version(1, line="y", out="/elsewhere"), width=120)
    assert [line for line in told if line.endswith("of ~/filings") and " 20" not in line] == [
        "out, of ~/filings", "/elsewhere, of ~/filings",
    ]  # fmt: skip
    assert any("the first; of s3://here/filings" in line for line in told)


def test_the_run_is_named_where_its_server_is_known():
    assert not any("made by" in line for line in lines(version(1)))
    assert "1 was made by http://prefect:4200/runs/7" in lines(version(1, run_url="http://prefect:4200/runs/7"))


def test_paths_are_said_from_here_or_from_home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    asked = (tmp_path / "work" / "a", tmp_path / "b", tmp_path.parent / "c", "s3://x/y")
    assert [shorten_path(str(one)) for one in asked] == ["a", "~/b", str(tmp_path.parent / "c"), "s3://x/y"]


def corpus(place, report):
    (place / "corpus").mkdir()
    (place / "corpus" / "acme.html").write_text(report("Acme Pumps Inc.", "Oslo", "Meyer LLP", 100))
    return place


def test_a_refresh_by_other_settings_says_so_before_and_after(tmp_path, capfd, report):
    place = corpus(tmp_path, report)
    go(place)
    other = Config.model_validate({**QUICK, "quarantine_budget": 0.75})
    where = (str(place / "corpus"), str(place / "out"), other, str(place / "store"))
    capfd.readouterr()
    done = refresh.fn(*where)
    assert done.settings == ("quarantine_budget",)
    assert "differ from version 1: quarantine_budget" in capfd.readouterr().err
    assert json.loads((place / "out" / "changes.json").read_text())["settings"] == ["quarantine_budget"]
    assert ": quarantine\\_budget." in (place / "out" / "changes.md").read_text()
    said = StringIO()
    version_report.show_refresh(done, Console(file=said, width=200))
    assert "Settings differ from version 1: quarantine_budget" in said.getvalue()
    again = refresh.fn(*where)
    assert (again.status, again.settings) == ("unchanged", ())
    assert "differ" not in capfd.readouterr().err


def test_a_temporary_server_s_address_is_not_recorded(tmp_path, monkeypatch, report):
    from rarefy.flows.engine import benchmark

    class Run:
        id, ui_url = "7", "http://127.0.0.1:4711/runs/7"

    monkeypatch.setattr(benchmark, "prefect_run", lambda: Run)
    for number, temporary in enumerate((True, False), 1):
        place = tmp_path / str(number)
        place.mkdir()
        monkeypatch.setattr(prefect_server, "_server", object() if temporary else None)
        done = go(corpus(place, report))
        assert (done.version.run_id, done.version.run_url) == ("7", "" if temporary else Run.ui_url)


def test_the_place_of_the_page_has_one_slash(tmp_path, report):
    place = corpus(tmp_path, report)
    go(place)
    (place / "corpus" / "more.html").write_text(report("Fjord Systems Corp", "Bergen", "Berg LLP", 137))
    done = go(place)
    said = StringIO()
    slashed = replace(done, version=done.version.model_copy(update={"out": f"{done.version.out}/"}))
    version_report.show_refresh(slashed, Console(file=said, width=300))
    assert "out/changes.html" in said.getvalue()
    assert "//changes.html" not in said.getvalue()


def test_the_command_prints_80_columns_and_json_has_it_all(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    store = Store(tmp_path / "store")
    journal.record_version(store, version(1, out=str(tmp_path / "bench"), run_url="http://ui/1"), ())
    assert main(["versions", "--store", str(tmp_path / "store")]) == 0
    assert "1 was made by http://ui/1" in capsys.readouterr().out
    assert main(["versions", "--store", str(tmp_path / "store"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["run_url"] == "http://ui/1"
