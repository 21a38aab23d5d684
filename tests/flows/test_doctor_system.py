"""`rarefy doctor --system`: one question asked of a system, and what an evaluation would make of its answer."""

import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from rarefy.flows.cli import main

HTTP = """
[systems.mine]
kind = "http"
[systems.mine.http]
url = "${MY_RAG_URL}/ask"
headers = { Authorization = "Bearer ${MY_RAG_KEY}" }
request = { question = "{query}" }
"""
MODULE = """
def answer(asked):
    city = "Atlantis"
    return {"answer": city, "retrieved": [{"id": "p-1", "text": "Nobody knows."}, {"id": "p-2"}]}

def reader(asked):
    return asked.passages[0].text.split(" is based in ")[1].split(".")[0] if asked.passages else "I cannot answer."
reader.takes = ("passages", "closed_book")

def breaks(asked):
    raise RuntimeError("the index is empty")
"""


@pytest.fixture
def examine(tmp_path, monkeypatch, known_place, capsys):
    (tmp_path / "answering.py").write_text(MODULE)
    (tmp_path / "my.toml").write_text(HTTP)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])

    def run(*given):
        code = main(["doctor", str(known_place / "bench"), *given, "--store", str(tmp_path / "store")])
        lines = capsys.readouterr().out.splitlines()
        found = {}
        for line in lines:
            state = next(one for one in ("ok", "not available", "wrong") if line.startswith(one))
            rest = line[15:]
            found.setdefault(rest[:22].strip(), []).append((state, rest[22:].strip()))
        return code, found

    yield run
    sys.modules.pop("answering", None)


def test_an_answer_is_shown_beside_the_gold_one_with_its_verdict_and_why(examine):
    code, found = examine("--system", "answering:answer")
    assert code == 0 and found["question"][0][1].startswith("Where is company")
    assert found["answer"] == [("ok", '"Atlantis"')]
    ((state, retrieved),) = found["retrieved"]
    assert state == "not available" and "1 by their text" in retrieved and "1 with neither" in retrieved
    (verdict,) = found["scored"]
    assert f'gold is "{found["gold answer"][0][1]}"' in verdict[1]


def test_it_is_asked_in_each_way_that_it_takes(examine):
    code, found = examine("--system", "answering:reader")
    assert code == 0 and {"asked with passages", "asked without any"} <= {*found} and "asked alone" not in found
    with_passages, without = found["scored"]
    assert with_passages[1].startswith("right: it is the answer, letter case and marks aside")
    assert without[1].startswith("wrong: it refuses to answer")


def test_what_would_make_an_evaluation_fail_gives_exit_code_1_and_the_way_out(examine, monkeypatch):
    code, found = examine("--system", "answering:breaks")
    assert code == 1 and found["asked alone"][0][0] == "wrong"
    assert "RuntimeError: the index is empty (answering.py:" in found["asked alone"][0][1]
    monkeypatch.delenv("MY_RAG_URL", raising=False)
    monkeypatch.setenv("MY_RAG_KEY", "canary-1234567")
    code, found = examine("--system", "mine", "--config", "my.toml")
    assert code == 1 and found["MY_RAG_KEY"] == [("ok", "is set")]
    assert found["MY_RAG_URL"] == [("wrong", "is not set: export MY_RAG_URL=...")]
    monkeypatch.setenv("MY_RAG_URL", "http://127.0.0.1:1")
    code, found = examine("--system", "mine", "--config", "my.toml")
    assert code == 1 and "is the system running" in found["asked alone"][0][1]
    code, found = examine("--system", "answering:anwser")
    assert code == 1 and "has no attribute 'anwser'" in found["system"][0][1]


def test_a_module_of_the_folder_that_the_command_is_run_from_is_found(tmp_path, known_place):
    """By the console script, which has its own folder on sys.path and not this one."""
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "rag.py").write_text(MODULE)
    script = "import sys; sys.path.remove('') if '' in sys.path else None; from rarefy.flows.cli import main"
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "rarefy").write_text(f"{script}; sys.exit(main())")
    command = [sys.executable, str(tmp_path / "bin" / "rarefy"), "doctor", str(known_place / "bench")]
    command += ["--system", "pkg.rag:answer", "--store", "store"]
    done = subprocess.run(command, cwd=tmp_path, env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"of {tmp_path / 'pkg' / 'rag.py'}" in done.stdout


def test_a_service_that_says_what_it_retrieves_and_is_never_asked_to_is_told(examine, tmp_path, monkeypatch):
    monkeypatch.setenv("MY_RAG_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("MY_RAG_KEY", "canary-1234567")
    text = HTTP.replace('"{query}"', '"{query}", texts = "{texts}"')
    (tmp_path / "my.toml").write_text(text + '[systems.mine.http.reply]\nretrieved = "sources"\n')
    _, found = examine("--system", "mine", "--config", "my.toml")
    assert 'add takes = ["own", "closed_book", "passages"]' in found["retrieved"][0][1]


def test_a_service_without_a_list_of_passages_gives_a_finding_and_no_line_beside_it(
    examine, tmp_path, monkeypatch, caplog
):
    class Says(BaseHTTPRequestHandler):
        def do_POST(self):
            said = b'{"answer": "Atlantis", "sources": null}'
            self.rfile.read(int(self.headers["content-length"]))
            self.send_response(200)
            self.send_header("content-length", str(len(said)))
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *told):
            pass

    with HTTPServer(("127.0.0.1", 0), Says) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("MY_RAG_URL", f"http://127.0.0.1:{server.server_port}")
        monkeypatch.setenv("MY_RAG_KEY", "canary-1234567")
        (tmp_path / "my.toml").write_text(HTTP + '[systems.mine.http.reply]\nretrieved = "sources"\n')
        code, found = examine("--system", "mine", "--config", "my.toml")
        server.shutdown()
    ((state, said),) = found["retrieved"]
    assert code == 0 and state == "not available" and said.startswith("no list at http.reply.retrieved = sources: its")
    assert not [record for record in caplog.records if "http.reply.retrieved" in record.getMessage()]
