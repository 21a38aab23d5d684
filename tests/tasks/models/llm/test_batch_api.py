"""The Batch API over real HTTP: matched by name, found again after a kill, each fault by its code."""

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import endpoint_batch
import pytest
from endpoint_batch import Service, failed, said

from rarefy.data_contracts.rows import Message, Request
from rarefy.tasks.models.llm import batch_api
from rarefy.tasks.models.llm.batch_api import BatchAPI, batch
from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig, RequestPolicy
from rarefy.tasks.models.llm.faults import Unavailable

CONFIG = LLMConfig(provider="batch", model="m")


@pytest.fixture
def serve(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    opened: list[AbstractContextManager[Any]] = []

    def start(**how: Any) -> Any:
        opened.append(endpoint_batch.served(Service(**how)))
        service = opened[-1].__enter__()
        monkeypatch.setenv("OPENAI_BASE_URL", service.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-canary-0123456789")
        return service

    yield start
    for one in opened:
        one.__exit__(None, None, None)


def _api(cache: Path, config: LLMConfig = CONFIG, **more: Any) -> BatchAPI:
    means = InferenceContext(cache=str(cache), serving=RequestPolicy(stage_deadline=more.pop("stage_deadline", 0)))
    return BatchAPI(config, means, first_wait=0.01, longest_wait=0.02, **more)


def _requests(count: int, first: int = 0) -> list[Request]:
    return [Request(f"r{n}", (Message("user", f"number {n}"),)) for n in range(first, first + count)]


def _texts(api: BatchAPI, requests: list[Request]) -> dict[str, str]:
    replies = list(api(requests))
    assert Counter(reply.request_id for reply in replies) == Counter(request.request_id for request in requests)
    return {reply.request_id: reply.text or reply.error for reply in replies}


def _numbers(service: Any) -> Counter[str]:
    return Counter(
        line["body"]["messages"][0]["content"] for one in service.batches.values() for line in service.sent(one)
    )


def test_replies_are_matched_by_name_in_whatever_order_and_number_they_come(
    serve: Callable[..., Any], tmp_path: Path
) -> None:
    garbage = '{"custom_id": "nobody", "response": null, "error": null}\nhalf {\n[1]\n{"custom_id": 5}\n'
    serve(looks=3, fails=2, arrange=lambda lines: [*reversed(lines), *lines], garbage=garbage)
    requests = _requests(20)
    assert _texts(_api(tmp_path), requests) == {f"r{n}": f"echo number {n}" for n in range(20)}
    reply = next(iter(_api(tmp_path)(requests[:1])))
    assert (reply.model, reply.prompt_tokens, reply.completion_tokens, reply.finish_reason) == ("m-1", 10, 2, "stop")


def test_the_same_request_of_two_askers_is_sent_once(serve: Callable[..., Any], tmp_path: Path) -> None:
    service = serve()
    requests = [Request(name, (Message("user", "number 1"),)) for name in ("a", "b")]
    assert _texts(_api(tmp_path), requests) == {"a": "echo number 1", "b": "echo number 1"}
    assert _numbers(service) == {"number 1": 1}


def test_each_fault_of_a_line_is_its_own_reply(serve: Callable[..., Any], tmp_path: Path) -> None:
    ways: dict[str, Callable[[Any], Any]] = {
        "number 0": lambda line: said(line, "fine"),
        "number 1": lambda line: None,
        "number 2": lambda line: failed(line, "batch_expired"),
        "number 3": lambda line: said(line, "Rate limit reached", 429),
        "number 4": lambda line: said(line, "oops", 500),
        "number 5": lambda line: said(line, "This model's maximum context length is 8192 tokens", 400),
        "number 6": lambda line: said(line, "Invalid 'temperature'", 400),
        "number 7": lambda line: said(line, "cut of", finish="length"),
        "number 8": lambda line: said(line, "", finish="content_filter"),
        "number 9": lambda line: {"custom_id": line["custom_id"], "response": {"status_code": 200}, "error": None},
    }
    serve(says=lambda line: ways[line["body"]["messages"][0]["content"]](line))
    replies = {reply.request_id: reply for reply in _api(tmp_path)(_requests(10))}
    assert [replies[f"r{n}"].error for n in range(10)] == (
        "|lost|timeout|rate_limited|server_error|too_long|rejected|truncated|filtered|server_error".split("|")
    )
    assert "Invalid 'temperature'" in replies["r6"].detail


@pytest.mark.parametrize(("ends", "code"), [("expired", "timeout"), ("cancelled", "lost")])
def test_of_a_batch_that_ended_early_the_answered_half_counts(
    serve: Callable[..., Any], tmp_path: Path, ends: str, code: str
) -> None:
    serve(ends=ends, says=lambda line: said(line, "x") if line["body"]["messages"][0]["content"][-1] < "2" else None)
    assert _texts(_api(tmp_path), _requests(4)) == {"r0": "x", "r1": "x", "r2": code, "r3": code}


def test_a_bad_line_does_not_cost_its_siblings_their_answers(serve: Callable[..., Any], tmp_path: Path) -> None:
    def errors(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [
            {"code": "invalid_request", "line": place, "message": "bad line", "param": None}
            for place, line in enumerate(lines, 1)
            if line["body"]["messages"][0]["content"] == "number 2"
        ]

    service = serve(errors=errors)
    told = _texts(_api(tmp_path), _requests(4))
    assert told == {"r0": "echo number 0", "r1": "echo number 1", "r2": "rejected", "r3": "echo number 3"}
    assert len(service.batches) == 2


def test_a_batch_that_is_refused_as_a_whole_says_why(serve: Callable[..., Any], tmp_path: Path) -> None:
    told = {"code": "token_limit_exceeded", "line": None, "message": "Enqueued token limit reached", "param": None}
    service = serve(errors=lambda lines: [told])
    replies = list(_api(tmp_path)(_requests(2)))
    assert [reply.error for reply in replies] == ["rate_limited"] * 2 and "Enqueued" in replies[0].detail
    service.errors = lambda lines: []
    assert _texts(_api(tmp_path), _requests(2)) == {"r0": "echo number 0", "r1": "echo number 1"}


def test_a_model_that_wants_another_field_gets_it_in_a_second_batch(serve: Callable[..., Any], tmp_path: Path) -> None:
    def says(line: dict[str, Any]) -> Any:
        if "max_tokens" in line["body"]:
            return said(line, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", 400)
        return said(line, str(line["body"]["max_completion_tokens"]))

    service = serve(says=says)
    assert _texts(_api(tmp_path), _requests(3)) == dict.fromkeys(("r0", "r1", "r2"), "1024")
    assert len(service.batches) == 2


def test_files_keep_to_the_limits(serve: Callable[..., Any], tmp_path: Path) -> None:
    service = serve()
    assert len(_texts(_api(tmp_path, lines=4), _requests(10))) == 10
    assert sorted(len(service.sent(one)) for one in service.batches.values()) == [2, 4, 4]
    bodies = [(f"n{n}", {"x": "y" * 100 * n}) for n in range(9)]
    made = list(batch_api.batch_files(iter(bodies), 50, 1_000))
    assert [name for names, _ in made for name in names] == [name for name, _ in bodies]
    assert all(len(content) <= 1_000 or len(names) == 1 for names, content in made)


def test_an_answer_to_create_that_got_lost_makes_no_second_batch(serve: Callable[..., Any], tmp_path: Path) -> None:
    service = serve(loses=1)
    assert len(_texts(_api(tmp_path), _requests(3))) == 3
    assert len(service.batches) == 1


_CHILD = """
import sys
from pathlib import Path
from rarefy.data_contracts.rows import Message, Request
from rarefy.tasks.models.llm.batch_api import BatchAPI
from rarefy.tasks.models.llm.config import LLMConfig, InferenceContext
means = InferenceContext(cache=sys.argv[1])
api = BatchAPI(LLMConfig(provider="batch", model="m"), means, first_wait=0.01, longest_wait=0.02)
list(api([Request(f"r{n}", (Message("user", f"number {n}"),)) for n in range(6)]))
"""


@pytest.mark.parametrize("state", ["kept", "before its id", "gone"])
def test_a_process_killed_while_its_batch_runs_finds_it_again(
    serve: Callable[..., Any], tmp_path: Path, state: str
) -> None:
    service = serve(looks=1_000_000)
    child = subprocess.Popen([sys.executable, "-c", _CHILD, str(tmp_path)], env=dict(os.environ))
    assert service.created.wait(60)
    while not service.looked:  # the id is written before the first look
        assert child.poll() is None
    child.send_signal(signal.SIGKILL)
    child.wait()
    (file,) = (tmp_path / "batches").glob("*.json")
    if state == "before its id":
        file.write_text(json.dumps(json.loads(file.read_text()) | {"batch_id": ""}))
    if state == "gone":
        file.unlink()
    service.looks = 0
    # with others beside them: another batch than before, but where nothing at all is known of the first one
    more = 0 if state == "gone" else 3
    requests = [*reversed(_requests(6)), *_requests(more, first=6)]
    assert _texts(_api(tmp_path), requests) == {f"r{n}": f"echo number {n}" for n in range(6 + more)}
    assert _numbers(service) == {f"number {n}": 1 for n in range(6 + more)}


def test_what_an_earlier_batch_did_not_answer_is_sent_again_and_only_that(
    serve: Callable[..., Any], tmp_path: Path
) -> None:
    service = serve(says=lambda line: said(line, "x") if "1" not in line["body"]["messages"][0]["content"] else None)
    assert _texts(_api(tmp_path), _requests(3)) == {"r0": "x", "r1": "lost", "r2": "x"}
    service.says = lambda line: said(line, "y")
    assert _texts(_api(tmp_path), _requests(3)) == {"r0": "x", "r1": "y", "r2": "x"}
    assert _numbers(service)["number 1"] == 2 and _numbers(service).total() == 4


def test_a_remembered_batch_that_the_server_does_not_know_is_forgotten(
    serve: Callable[..., Any], tmp_path: Path
) -> None:
    service = serve()
    _texts(_api(tmp_path), _requests(2))
    service.batches.clear()
    assert _texts(_api(tmp_path), _requests(2)) == {"r0": "echo number 0", "r1": "echo number 1"}


def test_the_deadline_of_a_stage_leaves_the_batch_for_the_next_run(serve: Callable[..., Any], tmp_path: Path) -> None:
    service = serve(looks=1_000_000)
    assert set(_texts(_api(tmp_path, stage_deadline=0.2), _requests(2)).values()) == {"stage_deadline"}
    service.looks = 0
    assert _texts(_api(tmp_path), _requests(2)) == {"r0": "echo number 0", "r1": "echo number 1"}
    assert len(service.batches) == 1


def test_a_key_that_is_not_accepted_is_told_without_the_key(serve: Callable[..., Any], tmp_path: Path) -> None:
    serve(key="another")
    with pytest.raises(Unavailable, match="OPENAI_API_KEY") as error:
        list(_api(tmp_path)(_requests(1)))
    assert "canary" not in str(error.value)
    assert not any(b"canary" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


def test_no_key_and_no_address_is_told_when_connecting(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(Unavailable, match="set OPENAI_API_KEY"):
        batch(CONFIG, InferenceContext(cache=str(tmp_path)))
