"""What a user gets wrong is told in one line: what, where, and the way out."""

import importlib.util
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time

import pytest

from rarefy.flows.cli import main
from rarefy.flows.engine import prefect_server
from rarefy.flows.faults import Fault


def said(capsys) -> str:
    """The one line that says what is wrong, behind the one that says what was begun."""
    lines = capsys.readouterr().err.strip().splitlines()
    assert all(line.startswith("rarefy: ") for line in lines)
    (line,) = [line for line in lines if not line.startswith(("rarefy: build of", "rarefy: plan of"))]
    return line


def test_help_names_the_commands_and_shows_examples(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    told = capsys.readouterr().out
    assert end.value.code == 0
    assert all(words in told for words in ("build", "plan", "init", "examples:", "exit codes:"))


def test_version_is_told(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0 and capsys.readouterr().out.startswith("rarefy ")


@pytest.mark.parametrize(
    "given",
    [
        ["build", "x"],
        ["build", "x", "--out", "y", "--workers", "0"],
        ["build", "x", "--out", "y", "--limit", "few"],
        [],
    ],
)
def test_wrong_usage_is_exit_code_2(given, capsys):
    with pytest.raises(SystemExit) as end:
        main(given)
    assert end.value.code == 2


def test_a_corpus_that_is_not_there(capsys, tmp_path):
    assert main(["build", str(tmp_path / "none"), "--out", str(tmp_path / "out")]) == 2
    assert "none: no such file or folder" in said(capsys)


@pytest.mark.parametrize("command", ["build", "refresh"])
def test_what_is_no_day_is_told_before_anything_is_started(capsys, place, tmp_path, monkeypatch, command):
    monkeypatch.setattr("rarefy.flows.engine.prefect_server.start", lambda: pytest.fail("a server was started"))
    given = [command, str(place / "corpus"), "--out", str(tmp_path / "out"), "--store", str(tmp_path / "store")]
    assert main([*given, "--as-of", "2024-13-01"]) == 2
    assert "--as-of 2024-13-01: not a day; write it as 2024-12-31" in said(capsys)
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_config(capsys, place, tmp_path):
    (tmp_path / "bad.toml").write_text("[chunk]\noverlaps = 3\n")
    given = ["build", str(place / "corpus"), "--out", str(tmp_path / "out"), "--config", str(tmp_path / "bad.toml")]
    assert main(given) == 2
    assert "[chunk] has no key 'overlaps'; did you mean 'overlap'?" in said(capsys)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ('[gates]\ngates = ["nope"]', "gates.gates: no 'nope' here; have ['answer_given_away'"),
        ('[perturb]\nquery = ["no_such_module:f"]', "perturb.query: 'no_such_module:f' cannot be imported"),
        ('[extract]\nmethods = ["guess"]', "extract.methods: no 'guess' here"),
        ('[extract]\npipeline = "xx_none"', "extract.pipeline: no spaCy pipeline 'xx_none'"),
        ('[embed]\nmodel = "no/such"', "embed.model: model 'no/such' is neither packaged"),
        ('[chunk]\ntokenizer = "no/such"', "chunk.tokenizer: tokenizer 'no/such' is neither"),
        ('[graph]\npatterns = ["ring"]', "graph.patterns: no 'ring' here"),
    ],
)
def test_a_part_that_is_not_there_is_told_before_anything_is_made(capsys, place, tmp_path, api, written, told):
    (tmp_path / "bad.toml").write_text(written)
    assert built(place / "corpus", tmp_path, "--config", str(tmp_path / "bad.toml")) == 2
    assert f"{tmp_path / 'bad.toml'}: {told}" in said(capsys)
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("url", ["nope://bucket/store", "s3://bucket/store"])
def test_a_store_that_nothing_here_can_reach(capsys, place, tmp_path, url):
    if url.startswith("s3") and importlib.util.find_spec("s3fs"):
        pytest.skip("s3fs is installed here")
    assert main(["build", str(place / "corpus"), "--out", str(tmp_path / "out"), "--store", url]) == 2
    assert f"--store {url}: " in said(capsys)


def test_a_cache_that_cannot_be_written_is_one_line_that_names_it(capsys, place, tmp_path, api, monkeypatch):
    def full(*_, **__):
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr("rarefy.tasks.models.sql_store.Connection.execute", full)
    assert built(place / "corpus", tmp_path, "--quiet") == 1
    line = said(capsys)
    assert "embeddings.sqlite" in line and "disk is full" in line


def test_init_writes_a_config_that_build_accepts_and_overwrites_nothing(capsys, tmp_path):
    path = tmp_path / "my.toml"
    assert main(["init", str(path)]) == 0
    assert str(path) in capsys.readouterr().out
    assert main(["init", str(path)]) == 2
    assert "exists" in said(capsys)


def test_an_out_folder_that_is_no_benchmark_is_left_alone(capsys, place, tmp_path):
    (tmp_path / "thesis.docx").write_text("years of work")
    assert main(["build", str(place / "corpus"), "--out", str(tmp_path)]) == 2
    assert "thesis.docx" in said(capsys)


def test_an_out_that_is_a_file(capsys, place, tmp_path):
    (tmp_path / "out").write_text("")
    assert main(["build", str(place / "corpus"), "--out", str(tmp_path / "out")]) == 2
    assert "a file stands there" in said(capsys)


def corpus_of(tmp_path, **files: bytes):
    folder = tmp_path / "bad"
    folder.mkdir()
    for name, content in files.items():
        (folder / name.replace("_", ".")).write_bytes(content)
    return folder


def built(folder, tmp_path, *more: str) -> int:
    return main(["build", str(folder), "--out", str(tmp_path / "out"), "--store", str(tmp_path / "store"), *more])


@pytest.mark.parametrize(
    ("files", "told"),
    [
        ({}, "holds no file"),
        ({"a_txt": b""}, "empty_file"),
        ({"a_html": b"PK\x03\x04" + bytes(range(256)) * 40}, "none of 1 documents could be read"),
        ({"a_txt": b"1 2 3\n"}, "no_sentences"),
    ],
)
def test_nothing_to_build_is_exit_code_2_and_no_benchmark(api, capsys, tmp_path, files, told):
    assert built(corpus_of(tmp_path, **files), tmp_path, "--quiet") == 2
    line = said(capsys)
    assert "nothing to build" in line and told in line
    assert not (tmp_path / "out" / "manifest.json").exists()


def test_a_corpus_that_states_no_fact_is_exit_code_2(api, capsys, tmp_path):
    folder = corpus_of(tmp_path, a_txt=b"It might perhaps be so. Perhaps it might not be. Who could ever tell?\n" * 9)
    assert built(folder, tmp_path, "--quiet") == 2
    line = said(capsys)
    assert "nothing to build" in line
    assert "rules find few in prose" in line and "a model reads the rest: [llm]" in line
    assert "rarefy perturb questions.jsonl" in line and "rarefy evaluate sample" in line  # the ways without a model


def test_a_corpus_in_another_language_says_that_rules_are_for_english_and_what_to_do(api, capsys, tmp_path):
    article = "Tous les êtres humains naissent libres et égaux en dignité et en droits, sans distinction aucune. "
    article += "Ils sont doués de raison et de conscience et doivent agir dans un esprit de fraternité.\n"
    assert built(corpus_of(tmp_path, a_txt=article.encode() * 9), tmp_path, "--quiet") == 2
    line = said(capsys)
    assert "rules are for English, and 1 document is not in English (1 fr)" in line
    assert 'extract.methods with "model"' in line


def test_what_cannot_be_read_is_told_and_the_rest_goes_through(build, copy):
    (copy / "corpus" / "empty.txt").write_bytes(b"")
    (copy / "corpus" / "archive.html").write_bytes(b"PK\x03\x04" + bytes(range(256)) * 40)
    code, told = build(copy)
    assert code == 0
    lines = [line for line in told.splitlines() if line.startswith("skipped")]
    assert len(lines) == 2 and any("empty.txt: empty_file" in line for line in lines)
    assert "empty.txt" in (copy / "out" / "quarantine.jsonl").read_text()


def test_more_faults_than_the_budget_allows_stop_the_build(build, copy):
    (copy / "corpus" / "empty.txt").write_bytes(b"")
    (copy / "quick.toml").write_text("quarantine_budget = 0.2\n[perturb]\nquery = []\ndocument = []\ncontext = []\n")
    code, told = build(copy)
    assert code == 2
    assert "1 of 4 documents failed, over quarantine_budget = 0.2" in told


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_store_that_may_not_be_written(capsys, place, tmp_path, api):
    (tmp_path / "store").mkdir(mode=0o500)
    assert built(place / "corpus", tmp_path, "--quiet") == 1
    assert "grant permission" in said(capsys)


def test_a_store_that_is_a_file(capsys, place, tmp_path, api):
    (tmp_path / "store").write_text("")
    assert built(place / "corpus", tmp_path, "--quiet") == 1
    assert "choose another --store" in said(capsys)


def test_a_full_disk_is_one_line_that_names_the_path(place, tmp_path, api):
    limited = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000)); "
        "from rarefy.flows.cli import main; sys.exit(main())"
    )
    where = ["--out", str(tmp_path / "out"), "--store", str(tmp_path / "store"), "--quiet"]
    command = [sys.executable, "-c", limited, "build", str(place / "corpus"), *where]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PREFECT_API_URL": api})
    (line,) = done.stderr.strip().splitlines()
    assert done.returncode == 1
    assert str(tmp_path) in line and "choose another --store" in line


def test_a_dask_scheduler_that_is_not_there(capsys, place, tmp_path, api):
    assert built(place / "corpus", tmp_path, "--quiet", "--dask", "nonsense://127.0.0.1:1") == 2
    assert "--dask nonsense://127.0.0.1:1" in said(capsys)


def test_a_prefect_api_that_does_not_answer(place, tmp_path):
    environment = {**os.environ, "PREFECT_API_URL": "http://127.0.0.1:9/api"}
    command = [sys.executable, "-m", "rarefy.flows.cli", "build", str(place / "corpus"), "--out", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.strip().splitlines() if not line.startswith("rarefy: build of")]
    assert "PREFECT_API_URL=http://127.0.0.1:9/api does not answer" in line and "unset" in line


@pytest.mark.crash
def test_ctrl_c_is_told_in_a_line_and_leaves_nothing_running(place, tmp_path):
    where = ["--out", str(tmp_path / "out"), "--store", str(tmp_path / "store")]
    command = [sys.executable, "-m", "rarefy.flows.cli", "build", str(place / "corpus"), *where]
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    process = subprocess.Popen(
        command,
        stderr=subprocess.PIPE,
        text=True,
        env={**environment, "TMPDIR": str(tmp_path)},
        # a shell that runs the tests in the background has its children ignore Ctrl-C
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stderr and any(line.startswith("read") for line in iter(process.stderr.readline, ""))
    process.send_signal(signal.SIGINT)
    said = process.stderr.read()
    assert process.wait(timeout=30) == 130
    assert said.splitlines()[-1] == "rarefy: interrupted; run the same command again and it goes on from here"
    until = time.monotonic() + 60
    while time.monotonic() < until and list(tmp_path.glob("rarefy-prefect-*")):
        time.sleep(0.1)
    assert not list(tmp_path.glob("rarefy-prefect-*")), "the temporary server ended and took its folder with it"


def test_a_mistyped_command_is_answered_with_the_nearest(capsys):
    with pytest.raises(SystemExit):
        main(["biuld", "corpus"])
    assert "did you mean build? (choose from" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["qqqq"])
    assert "did you mean" not in capsys.readouterr().err


def test_a_mistyped_option_is_answered_with_the_nearest_and_the_usage_of_its_command(capsys):
    with pytest.raises(SystemExit) as end:
        main(["plan", "corpus", "--limt", "3"])
    told = capsys.readouterr().err
    assert end.value.code == 2 and told.startswith("usage: rarefy plan ")
    assert told.endswith("unrecognized arguments: --limt 3; did you mean --limit?\n")
    with pytest.raises(SystemExit):
        main(["plan", "corpus", "--zzzz"])
    assert "did you mean" not in capsys.readouterr().err


def test_a_file_of_answers_that_is_not_there_is_told_before_anything_is_loaded(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr(prefect_server, "start", lambda: pytest.fail("a server was started"))
    assert main(["score", str(tmp_path / "anwers.jsonl"), "--bench", "sample"]) == 2
    assert "anwers.jsonl: No such file or directory; check the path of the file of answers" in said(capsys)


def test_a_folder_that_cannot_be_made_is_told_in_a_line(capsys, place, tmp_path):
    command = ["build", str(place / "corpus"), "--config", str(place / "quick.toml")]
    assert main([*command, "--out", "/proc/nope", "--store", str(tmp_path / "store")]) == 2
    told = said(capsys)
    assert "/proc/nope" in told and "choose another folder" in told


def test_ctrl_c_while_the_temporary_server_starts_leaves_nothing_to_wait_for(monkeypatch):
    class Starting:
        stdout = property(lambda self: self)

        def readline(self) -> str:
            raise KeyboardInterrupt

        def poll(self) -> None: ...

        def kill(self) -> None: ...

    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setattr(prefect_server, "_server", Starting())
    before = set(threading.enumerate())
    with pytest.raises(KeyboardInterrupt):
        prefect_server.wait()
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
        assert not thread.is_alive(), "the process would not end before this thread"


def test_an_evaluation_says_at_once_that_it_began(monkeypatch, capsys, tmp_path):
    def wait() -> None:
        raise Fault("the server")

    (tmp_path / "bench").mkdir()
    monkeypatch.setattr(prefect_server, "start", lambda: None)
    monkeypatch.setattr(prefect_server, "wait", wait)
    command = ["evaluate", str(tmp_path / "bench"), "--system", "closed_book", "--out", str(tmp_path / "out")]
    main([*command, "--store", str(tmp_path / "store")])
    assert "evaluate of bench: loading libraries" in capsys.readouterr().err
