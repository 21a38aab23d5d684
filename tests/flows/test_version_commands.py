"""`rarefy versions`, `diff` and `gc`, and benchmarks that the first released version made."""

import importlib
import json
import os
import shutil
import time
from pathlib import Path

import pytest
from versioned import benchmark

from rarefy.data_contracts.schemas import SCHEMAS
from rarefy.flows.cli import main
from rarefy.tasks.export.tables import CHANGES as FILES
from rarefy.tasks.export.tables import NAMES
from rarefy.tasks.store import journal
from rarefy.tasks.store.active_runs import living_runs, mark_run
from rarefy.tasks.store.journal import Version
from rarefy.tasks.store.lease import hold_lease
from rarefy.tasks.store.tables import Store

RELEASED = Path(__file__).parent.parent / "released" / "schema-1"
FIRST = {"a.md": [("City", ["Oslo | population | 700 | 2024", "A sentence."])]}
SECOND = {"a.md": [("City", ["Oslo | population | 710 | 2024", "A sentence."])]}


@pytest.fixture
def said(capsys):
    """Runs a command, and gives back its exit code, what it printed and what it told."""

    def run(*arguments):
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        heard = capsys.readouterr()
        return code, heard.out, heard.err

    return run


def publish(store, out, documents, **fields):
    tables = {NAMES[row_type]: store.keep(table) for row_type, table in benchmark(documents).items()}
    entry = Version(version=os.urandom(16).hex(), line=journal.line_of(out), out=str(out), corpus="filings/",
                    tables=tables, schemas=SCHEMAS, **fields)  # fmt: skip
    return journal.record_version(store, entry, ())


@pytest.fixture
def published(tmp_path):
    """A folder with a store of two versions of one folder, and one of another."""
    store = Store(tmp_path / "store")
    first = publish(store, tmp_path / "bench", FIRST, counts={"documents": 1, "questions": 1})
    second = publish(
        store, tmp_path / "bench", SECOND, counts={"documents": 1, "questions": 1}, run_url="http://ui/run/7"
    )
    journal.record_changes(store, second, {"questions_answer_changed": 1, "questions_unchanged": 0, "chunks_added": 1})
    publish(store, tmp_path / "other", FIRST)
    return tmp_path, store, first, second


def test_versions_are_listed_with_what_changed_and_their_runs(published, said, monkeypatch):
    monkeypatch.setenv("COLUMNS", "240")
    folder, _, first, _ = published
    code, out, _ = said("versions", "--store", folder / "store", "--out", folder / "bench")
    assert code == 0
    assert first.version[:12] in out
    assert "1 question answer changed" in out
    assert "chunks" not in out
    assert "http://ui/run/7" in out
    assert str(folder / "other") not in out


def test_versions_as_json_are_all_that_is_known(published, said):
    folder, _, first, _ = published
    code, out, _ = said("versions", "--store", folder / "store", "--json")
    assert code == 0
    rows = json.loads(out)
    assert len(rows) == 3
    assert first.model_dump(mode="json") in rows


def test_a_store_without_versions_says_what_makes_them(tmp_path, said):
    code, _, err = said("versions", "--store", tmp_path)
    assert code == 2
    assert "rarefy refresh" in err


def test_two_versions_are_compared_by_number_or_by_the_beginning_of_their_names(published, said):
    folder, _, first, second = published
    code, out, _ = said("diff", 1, 2, "--of", folder / "bench", "--store", folder / "store")
    assert (code, "Questions answer changed (1)" in out, "700 → 710" in out) == (0, True, True)
    again = said("diff", first.version[:8], second.version[:8], "--store", folder / "store")
    assert again[1] == out


def test_a_number_that_several_folders_have_needs_its_folder(published, said):
    folder, *_ = published
    code, _, err = said("diff", 1, 2, "--store", folder / "store")
    assert code == 2
    assert "--of" in err


def test_the_changes_are_written_and_told_as_json(published, said):
    folder, *_ = published
    code, out, _ = said("diff", 1, 2, "--of", folder / "bench", "--store", folder / "store",
                        "--out", folder / "changes", "--json")  # fmt: skip
    told = json.loads(out)
    assert (code, told["counts"]["questions"]["answer_changed"]) == (0, 1)
    assert {(row["kind"], row["change"]) for row in told["rows"]} >= {("triplets", "restated"), ("documents", "edited")}
    assert sorted(path.name for path in (folder / "changes").iterdir()) == sorted(FILES)


def test_what_is_neither_folder_nor_version_is_told_with_what_there_is(published, said):
    folder, _, first, _ = published
    code, _, err = said("diff", "nothing", 2, "--store", folder / "store")
    assert code == 2
    assert "no such folder" in err
    assert first.version[:12] in err


def test_a_version_of_a_later_rarefy_is_refused(published, said):
    folder, store, *_ = published
    publish(store, folder / "bench", FIRST, counts={"x": 1})
    last = journal.list_versions(store, journal.line_of(folder / "bench"))[-1]
    journal.record_changes(store, last.model_copy(update={"schemas": {**SCHEMAS, "chunks": 99}}), {})
    code, _, err = said("diff", 1, 3, "--of", folder / "bench", "--store", folder / "store")
    assert code == 2
    assert "chunks are of schema 99, made by a newer rarefy" in err


@pytest.fixture
def released(tmp_path):
    """A copy of the benchmark of the first released version, to do with as one likes."""
    return shutil.copytree(RELEASED, tmp_path / "released")


def test_a_released_benchmark_is_compared_with_itself(released, said, tmp_path):
    code, out, _ = said("diff", released, RELEASED, "--store", tmp_path / "store", "--json")
    told = json.loads(out)["counts"]
    assert code == 0
    assert told["questions"] == {**dict.fromkeys(told["questions"], 0), "unchanged": 6}


def test_a_released_benchmark_is_evaluated(released, said, tmp_path, api):
    told = ["evaluate", released, "--out", tmp_path / "result", "--store", tmp_path / "store", "--quiet"]
    code, _, err = said(*told, "--protocol", "rare", "--questions", 2)
    assert (code, err) == (0, "")
    summary = json.loads((tmp_path / "result" / "summary.json").read_text())
    assert summary["benchmark"]["questions"] == 2
    assert summary["schemas"] == SCHEMAS
    before = {**summary, "schemas": {}}  # as the first version wrote it
    (tmp_path / "result" / "summary.json").write_text(json.dumps(before))
    assert said("rescore", tmp_path / "result", "--store", tmp_path / "store", "--quiet")[0] == 0
    assert said("compare", tmp_path / "result", tmp_path / "result", "--json")[0] == 0


def later(folder):
    told = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**told, "schemas": {**SCHEMAS, "questions": 99}}))


def test_a_benchmark_of_a_later_rarefy_is_refused_wherever_it_is_read(released, said, tmp_path, api):
    later(released)
    store = ["--store", tmp_path / "store"]
    for command in (
        ["diff", released, RELEASED],
        ["evaluate", released, "--out", tmp_path / "result", "--quiet"],
        ["mix", released, "--out", tmp_path / "mixed.jsonl"],
    ):
        code, _, err = said(*command, *([] if command[0] == "mix" else store))
        assert code == 2, err
        assert "questions are of schema 99, made by a newer rarefy" in err


def test_a_folder_that_was_changed_is_not_compared(released, said, tmp_path):
    shutil.copy(released / "chunks.parquet", released / "questions.parquet")
    code, _, err = said("diff", released, RELEASED, "--store", tmp_path / "store")
    assert code == 2
    assert "questions.parquet is not the file that the manifest lists" in err


def age(folder, seconds=7200):
    for path in folder.rglob("*"):
        if path.is_file():
            os.utime(path, (time.time() - seconds,) * 2)


def test_gc_says_first_what_it_would_do(published, said):
    folder, store, first, _ = published
    store.keep(benchmark(FIRST)[next(iter(NAMES))].slice(0, 0))
    age(folder / "store")
    before = {path: path.read_bytes() for path in (folder / "store").rglob("*") if path.is_file()}
    code, out, _ = said("gc", "--keep", 1, "--store", folder / "store")
    assert code == 0
    assert f"version 1 ({first.version[:12]})" in out
    assert "nothing was removed: say --yes" in out
    assert {path: path.read_bytes() for path in (folder / "store").rglob("*") if path.is_file()} == before


def test_gc_removes_what_it_said_and_what_stays_can_be_compared(published, said):
    folder, _, first, second = published
    age(folder / "store")
    told = json.loads(said("gc", "--keep", 1, "--store", folder / "store", "--json")[1])
    code, out, _ = said("gc", "--keep", 1, "--store", folder / "store", "--yes", "--json")
    assert code == 0
    assert json.loads(out)["files"] == told["files"]
    assert not any(Path(path).exists() for path in told["files"])
    assert told["dropped"] == [first.version]
    assert said("diff", second.version[:12], second.version[:12], "--store", folder / "store")[0] == 0
    assert said("diff", first.version[:12], second.version[:12], "--store", folder / "store")[0] == 2


def test_gc_waits_for_no_refresh_and_breaks_into_none(published, said):
    folder, store, *_ = published
    age(folder / "store")
    with hold_lease(store, "a refresh", ttl=3):
        code, _, err = said("gc", "--keep", 1, "--store", folder / "store", "--yes")
    assert code == 1
    assert "a refresh" in err
    assert len(journal.list_versions(store)) == 3


def test_gc_says_why_a_version_that_was_published_just_now_stays(published, said):
    folder, _, first, _ = published
    code, out, _ = said("gc", "--keep", 1, "--store", folder / "store", "--yes")
    assert code == 0
    assert f"left alone: version 1 ({first.version[:12]})" in out
    assert "within the hour" in out
    told = json.loads(said("gc", "--keep", 1, "--store", folder / "store", "--json")[1])
    assert (told["too_young"], told["dropped"]) == ([first.version], [])


def test_gc_takes_nothing_from_a_run_however_long_it_goes_on(published, said):
    """A build of two hours: what it made first is old, and is in no journal before its end."""
    folder, store, *_ = published
    with mark_run(store, "build /bench"):
        store.put("1" * 32, {"documents": benchmark(FIRST)[next(iter(NAMES))].slice(0, 0)})
        for name in ("recipes", "tables", "versions"):
            age(folder / "store" / name)
        before = {path: path.read_bytes() for path in (folder / "store" / "tables").iterdir()}
        code, _, err = said("gc", "--keep", 1, "--store", folder / "store", "--yes")
        assert code == 1
        assert f"build /bench (pid {os.getpid()}" in err
        assert {path: path.read_bytes() for path in (folder / "store" / "tables").iterdir()} == before
        code, _, err = said("gc", "--keep", 1, "--store", folder / "store")
        assert code == 0
        assert "nothing is removed until it has ended" in err
    assert said("gc", "--keep", 1, "--store", folder / "store", "--yes")[0] == 0
    assert store.find("1" * 32) is None


@pytest.mark.parametrize("command", ["build", "evaluate"])
def test_builds_and_evaluations_are_seen_while_they_run(command, released, tmp_path, monkeypatch):
    flow, inside = {"build": ("build", "build_benchmark"), "evaluate": ("evaluate", "open_benchmark")}[command]
    module = importlib.import_module(f"rarefy.flows.{flow}")
    store, seen = Store(tmp_path / "store"), []

    def look(*_, **__):
        seen.extend(mark.what for mark in living_runs(store).values())
        raise KeyError

    monkeypatch.setattr(module, inside, look)
    with pytest.raises(KeyError):
        getattr(module, command).fn(str(released), str(tmp_path / "out"), store=store.url, quiet=True)
    assert seen == [f"{command} {tmp_path / 'out'}"]
    assert living_runs(store) == {}


def test_gc_of_a_store_that_knows_no_version_removes_nothing(tmp_path, said):
    code, _, err = said("gc", "--store", tmp_path, "--yes")
    assert code == 2
    assert "no version in its journal" in err


def test_after_gc_a_build_finds_all_that_it_made(copy, build, said):
    age(copy / "store")
    code, out, _ = said("gc", "--store", copy / "store", "--yes", "--json")
    assert (code, json.loads(out)["dropped"]) == (0, [])
    tables = set((copy / "store" / "tables").iterdir())
    manifest = (copy / "out" / "manifest.json").read_bytes()
    assert build(copy)[0] == 0
    assert set((copy / "store" / "tables").iterdir()) == tables
    assert (copy / "out" / "manifest.json").read_bytes() == manifest


EVIL = "\x1b]0;owned\x07\x1b[31mred \x9b2J [bold]loud[/bold] [/nothing] :smile: \u202eback"


def test_words_of_documents_and_names_of_folders_move_no_cursor_and_are_no_markup(tmp_path, said):
    told = [{"a.md": [("City", [f"Oslo | {EVIL} | {value} | 2024"])]} for value in (700, 710)]
    store, place = Store(tmp_path / "store"), tmp_path / "[red]here[/blue]"
    for one in told:
        publish(store, place, one)
    for command in (["diff", 1, 2], ["versions"]):
        code, out, _ = said(*command, "--store", tmp_path / "store")
        assert code == 0
        assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(out)
        if command[0] == "versions":
            assert "[red]here[/blue]" in out.replace("\n", "")
        else:
            assert all(words in out for words in ("[bold]loud[/bold] [/nothing] :smile:", "⟨U+001B⟩", "⟨U+202E⟩back"))
