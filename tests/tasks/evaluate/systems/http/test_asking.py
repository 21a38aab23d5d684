import json
import os
import signal
import subprocess
import sys
import time

import pytest

from rarefy.data_contracts.rows import Passage
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.evaluate.systems.interface import SystemInput
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.llm.faults import Unavailable

PASSAGES = (Passage("c1", "Revenue was $5.", "Report"), Passage("c2", 'It said "{query}" and ${HOME}.'))


def sent(endpoint, tmp_path, asked, **http):
    config = SystemConfig.model_validate({"kind": "http", "http": {"url": endpoint.url, "retries": 0, **http}})
    (said,) = config.connect(tmp_path / "cache", threads=1, means=InferenceContext())([asked])
    return said, endpoint.requests[-1]


def test_answers_come_in_the_order_of_the_questions_and_equal_asks_are_asked_once(ask, endpoint):
    questions = [f"q{n % 30}" for n in range(90)]
    said = ask(*questions, concurrency=8)
    assert [one.text for one in said] == [f"re {question}" for question in questions]
    assert sorted(endpoint.asked()) == sorted(f"q{n}" for n in range(30))


def test_no_more_than_concurrency_are_under_way(ask, endpoint):
    endpoint.delay = 0.02
    ask(*map(str, range(60)), concurrency=3)
    assert 1 < endpoint.most_open <= 3


def test_what_the_reply_tells_is_read_by_its_paths(ask):
    paths = {
        "retrieved": "$.sources",
        "score": "score",
        "prompt_tokens": "usage.in",
        "completion_tokens": "usage['out']",
    }
    (said,) = ask("q", reply={**paths, "cost": "usage.cost"})
    assert said.retrieved == (Passage("c1", "one", "", -1.5), Passage("c2", "two"))
    assert (said.prompt_tokens, said.completion_tokens, said.cost, said.calls, said.refused) == (7, 3, 0.01, 1, None)


@pytest.mark.parametrize(("how", "text"), [("number", "47.5"), ("null", ""), ("half-character", "a � b"), ("nan", "x")])
def test_answers_that_are_no_plain_text_have_a_stated_form(ask, how, text):
    (said,) = ask(f"[[do: {how}]]")
    assert (said.text, said.error) == (text, "")


def test_passages_that_are_not_where_the_config_says_are_told_once(ask, caplog):
    said = ask("a", "b", reply={"retrieved": "documents"})
    assert [one.retrieved for one in said] == [(), ()] and {one.error for one in said} == {""}
    assert [record.message for record in caplog.records if "http.reply.retrieved = documents" in record.message] == [
        "http.reply.retrieved = documents: there is nothing in a reply: what it retrieved there is not known"
    ]


def test_usage_that_cannot_be_is_none(ask):
    (said,) = ask(
        "[[do: bad-usage]]", reply={"prompt_tokens": "usage.in", "completion_tokens": "usage.out", "cost": "usage.cost"}
    )
    assert (said.text, said.prompt_tokens, said.completion_tokens) == ("x", 0, 0) and said.cost == 0


def test_pieces_of_a_stream_are_put_together(ask):
    (said,) = ask("[[do: events]]", format="events", reply={"answer": "delta", "prompt_tokens": "usage.in"})
    assert (said.text, said.prompt_tokens) == ("The answer", 4)


def test_a_body_of_text_is_the_answer(ask):
    (said,) = ask("[[do: html]]", format="text")
    assert said.text == "<!DOCTYPE html><h1>Sign in</h1>"


def test_a_request_is_filled_once_so_that_no_passage_can_name_another_place(endpoint, tmp_path):
    request = {"query": "{query}", "docs": "{passages}", "prompt": "Use:\n{context}\nQ: {query} {{literal}}", "n": 3}
    asked = SystemInput("a", "what is {context}?", PASSAGES)
    _, got = sent(
        endpoint, tmp_path, asked, request=request, passage={"page_content": "{text}", "meta": {"id": "{id}"}}
    )
    assert got["query"] == "what is {context}?"
    assert got["docs"] == [{"page_content": one.text, "meta": {"id": one.passage_id}} for one in PASSAGES]
    context = f"[1] Report\nRevenue was $5.\n\n[2] {PASSAGES[1].text}"
    assert got["prompt"] == f"Use:\n{context}\nQ: what is {{context}}? {{literal}}"
    assert got["n"] == 3


def test_a_system_that_retrieves_is_sent_no_passages_and_one_without_any_an_empty_list(endpoint, tmp_path):
    request = {"query": "{query}", "docs": "{passages}", "hint": "with {context}."}
    _, own = sent(endpoint, tmp_path, SystemInput("a", "q", None), request=request)
    _, closed = sent(endpoint, tmp_path, SystemInput("b", "q", ()), request=request)
    assert "docs" not in own and own["hint"] == "with ." and closed["docs"] == []


def test_questions_go_into_the_address_or_a_form_too(endpoint, tmp_path):
    _, got = sent(endpoint, tmp_path, SystemInput("a", "a&b=c ü"), method="GET")
    assert "?query=a%26b%3Dc+%C3%BC" in got["query"]
    _, form = sent(endpoint, tmp_path, SystemInput("b", "a&b"), body="form")
    assert form["query"].endswith("query=a%26b")


def test_secrets_come_from_the_environment_and_are_never_told(ask, endpoint, monkeypatch):
    monkeypatch.setenv("MY_RAG_PASS", 'tr0ub4dor&3-"long"')
    monkeypatch.setenv("TENANT_NAME", "revenue-team")
    headers = {"Authorization": "Bearer ${MY_RAG_PASS}", "X-Tenant": "${TENANT_NAME}"}
    echoed, failed = ask("[[do: echo]]", "[[do: 500]]", headers=headers, retries=0)
    assert "authorization: bearer tr0ub4dor" in endpoint.requests[0]["head"].lower()
    for told in (echoed.text, failed.detail):
        assert "tr0ub4dor" not in told and "[key]" in told
    assert "revenue-team" in echoed.text  # no secret: blanking it out would change answers


def test_a_variable_that_is_not_set_is_named(ask):
    with pytest.raises(Unavailable, match=r"http.headers.Authorization names \$\{NO_SUCH_KEY\}.*export NO_SUCH_KEY"):
        ask("q", headers={"Authorization": "Bearer ${NO_SUCH_KEY}"})


def test_errors_are_asked_again_by_the_next_run_and_answers_are_not(ask, endpoint):
    assert [one.error for one in ask("a", "b [[do: 400, ok]]", concurrency=1)] == ["", "http_400"]
    again = ask("a", "b [[do: 400, ok]]", concurrency=1)
    assert [one.error for one in again] == ["", ""] and endpoint.asked().count("a") == 1


def test_another_version_or_request_is_asked_anew(endpoint, tmp_path):
    for told in ({}, {"version": "2"}, {"http": {"request": {"query": "{query}", "k": 2}}}, {}):
        http = {"url": endpoint.url, **told.get("http", {})}
        config = SystemConfig.model_validate({"kind": "http", **told, "http": http})
        list(config.connect(tmp_path, threads=1, means=InferenceContext())([SystemInput("a", "q")]))
    assert len(endpoint.requests) == 3


def test_how_fast_it_is_asked_changes_no_identity(endpoint):
    def identity(**http):
        return SystemConfig.model_validate({"kind": "http", "http": {"url": endpoint.url, **http}}).identity()

    assert identity() == identity(concurrency=1, timeout=1, retries=0, largest=5, give_up_after=1)
    assert identity() != identity(method="PUT")


RUN = """
import json, sys
from pathlib import Path
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.evaluate.systems.interface import SystemInput
from rarefy.tasks.evaluate.systems.config import SystemConfig
config = SystemConfig.model_validate({"kind": "http", "http": {"url": sys.argv[1], "concurrency": 4}})
system = config.connect(Path(sys.argv[2]), threads=1, means=InferenceContext())
for said in system(SystemInput(f"id {n}", f"q{n}") for n in range(200)):
    print(said.text, flush=True)
"""


def test_what_is_killed_goes_on_where_it_was(endpoint, tmp_path):
    endpoint.delay = 0.02
    command = [sys.executable, "-c", RUN, endpoint.url, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"NO_PROXY": "*"}) as run:
        for _ in range(60):
            assert run.stdout.readline()
        run.send_signal(signal.SIGKILL)
        run.wait()
    before = len(endpoint.requests)
    assert 60 <= before < 200
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"NO_PROXY": "*"}, check=True)
    assert done.stdout.split("\n")[:-1] == [f"re q{n}" for n in range(200)]
    twice = [query for query, count in endpoint.tries.items() if count > 1]
    assert len(twice) <= 8, "only what was under way is asked again"


def test_an_interrupted_caller_gets_out_and_loses_nothing(endpoint, tmp_path):
    endpoint.delay = 0.05
    config = SystemConfig.model_validate({"kind": "http", "http": {"url": endpoint.url, "concurrency": 4}})
    answers = config.connect(tmp_path, threads=1, means=InferenceContext())(
        SystemInput(str(n), f"q{n}") for n in range(100)
    )
    assert next(answers).text == "re q0"
    answers.close()
    asked = len(endpoint.requests)
    assert asked < 100
    time.sleep(0.2)
    assert len(endpoint.requests) == asked, "nothing is sent once nobody waits"
    again = config.connect(tmp_path, threads=1, means=InferenceContext())
    list(again(SystemInput(str(n), f"q{n}") for n in range(asked)))
    assert all(count == 1 for count in endpoint.tries.values()), json.dumps(endpoint.tries)
