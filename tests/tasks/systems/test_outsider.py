import subprocess
import sys
import threading
from collections import Counter
from types import ModuleType, SimpleNamespace

import pytest

from rarefy.data_contracts.rows import Passage
from rarefy.tasks.llm.config import Means, Serving
from rarefy.tasks.llm.faults import Stopped, TooManyFailures
from rarefy.tasks.systems.asked import Asked, Said
from rarefy.tasks.systems.config import SystemConfig


@pytest.fixture
def system(tmp_path, monkeypatch):
    """A function of the test as a system, as it is named in a config."""
    module = ModuleType("somebodys")
    monkeypatch.setitem(sys.modules, "somebodys", module)

    def of(function, budget=1.0, **told):
        module.answer = function
        config = SystemConfig.model_validate({"kind": "somebodys:answer", **told})
        means = Means(serving=Serving.model_validate({"failure_budget": budget}))
        return config.connect(tmp_path, threads=1, means=means)

    return of


def asks(*queries):
    return [Asked(f"id {query}", query) for query in queries]


GIVEN = {
    "a str": ("yes", Said("", "yes", calls=1)),
    "an empty str": ("", Said("", "", calls=1)),
    "a dict": (
        {
            "answer": "yes",
            "retrieved": ["a text", {"id": "c1", "text": "two", "score": 2}],
            "cost": 0.5,
            "refused": False,
        },
        Said("", "yes", False, (Passage("", "a text"), Passage("c1", "two", "", 2.0)), calls=1, cost=0.5),
    ),
    "a refusal": ({"answer": "", "refused": True}, Said("", "", True, calls=1)),
    "an error of its own": ({"error": "no_index", "detail": "x"}, Said("", "", calls=1, error="no_index", detail="x")),
    "a Said": (Said("", "yes", model="m", calls=3), Said("", "yes", model="m", calls=3)),
    "None": (None, "gave back NoneType"),
    "a number": (47.5, "gave back float"),
    "a dict without an answer": ({"retrieved": []}, '"answer" is NoneType'),
    "a dict with a key that nobody knows": ({"answer": "x", "retreived": []}, "a dict with retreived; have answer"),
    "a number that is none": ({"answer": "x", "cost": "much"}, "wrong value"),
    "a passage that is none": ({"answer": "x", "retrieved": [3]}, "a retrieved passage is int"),
}


@pytest.mark.parametrize("what", GIVEN)
def test_what_a_function_may_give_back(system, what):
    given, expected = GIVEN[what]
    (said,) = system(lambda asked: given)(asks("q"))
    if isinstance(expected, str):
        assert said.error == "wrong_type" and expected in said.detail
    else:
        told = {name: getattr(said, name) for name in Said.__slots__ if name not in ("asked_id", "seconds")}
        assert told == {name: getattr(expected, name) for name in told} and said.asked_id == "id q"


def test_documents_of_other_libraries_are_passages(system):
    lang_chain = SimpleNamespace(page_content="one", metadata={"source": "s1", "title": "T"})
    llama_index = SimpleNamespace(score=0.5, node=SimpleNamespace(text="two", node_id="n2", metadata={}))
    haystack = SimpleNamespace(content="three", id="h3", meta={"title": "H"}, score=0.25)
    (said,) = system(lambda asked: {"answer": "x", "retrieved": [lang_chain, llama_index, haystack]})(asks("q"))
    assert said.retrieved == (
        Passage("s1", "one", "T"),
        Passage("n2", "two", "", 0.5),
        Passage("h3", "three", "H", 0.25),
    )


def test_what_a_function_raises_is_that_answers_fault_alone(system, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "abcdef-very-secret")

    def answer(asked):
        if asked.query == "b":
            raise KeyError("abcdef-very-secret")
        return asked.query.upper()

    a, b, c = system(answer)(asks("a", "b", "c"))
    assert (a.text, b.error, c.text) == ("A", "raised", "C")
    assert "KeyError" in b.detail and "test_outsider.py" in b.detail and "very-secret" not in b.detail


@pytest.mark.filterwarnings("error")  # nor does Python warn of a coroutine that nobody awaits
def test_an_async_function_is_told_how_to_be_one_that_waits(system):
    async def answer(asked):
        return "x"

    (said,) = system(answer)(asks("q"))
    assert said.error == "wrong_type" and "it is async" in said.detail


@pytest.mark.filterwarnings("error")
def test_an_async_function_of_many_at_once_is_refused_for_each(system):
    async def answer(asked):
        return ["x" for _ in asked]

    answer.many = 4
    assert {said.error for said in system(answer)(asks("q", "r"))} == {"unpaired"}


def test_a_function_that_is_wrong_for_all_is_given_up(system):
    with pytest.raises(TooManyFailures, match=r"the last 20 in a row failed.*ZeroDivisionError"):
        list(system(lambda asked: 1 / 0)(asks(*map(str, range(500)))))


def test_a_function_may_stop_the_stage(system):
    def answer(asked):
        raise Stopped("my index is gone")

    with pytest.raises(Stopped, match="my index is gone"):
        list(system(answer)(asks("a", "b")))


def test_answers_are_kept_and_errors_are_asked_again(system):
    asked = Counter()

    def answer(one):
        asked[one.query] += 1
        if one.query == "b" and asked["b"] == 1:
            raise OSError("once")
        return one.query

    assert [said.error for said in system(answer)(asks("a", "b", "a"))] == ["", "raised", ""]
    assert [said.text for said in system(answer)(asks("a", "b"))] == ["a", "b"]
    assert asked == {"a": 1, "b": 2}


def test_a_function_is_called_by_one_thread_unless_it_says_more(system):
    threads = set()

    def answer(one):
        threads.add(threading.current_thread().name)
        return one.query

    queries = [str(n) for n in range(50)]
    assert [said.text for said in system(answer)(asks(*queries))] == queries
    assert len(threads) == 1


def test_a_function_of_many_gets_lists_and_answers_in_order(system):
    sizes = []

    def answer(asked):
        sizes.append(len(asked))
        return (one.query for one in asked)

    answer.many = 4
    queries = [str(n % 9) for n in range(10)]
    assert [said.text for said in system(answer)(asks(*queries))] == queries
    assert sizes == [4, 4, 1] and max(sizes) == 4


def test_a_function_of_many_that_gives_another_number_is_told_so(system):
    def answer(asked):
        return ["x"]

    answer.many = 3
    said = list(system(answer)(asks("a", "b", "c")))
    assert {one.error for one in said} == {"unpaired"} and "asked 3, it gave back 1" in said[0].detail


def test_what_a_function_takes_it_says_itself(system):
    def answer(asked):
        return " ".join(one.passage_id for one in asked.passages or ())

    answer.takes = ("passages", "closed_book")
    system(answer)
    config = SystemConfig(kind="somebodys:answer")
    assert config.takes == ("passages", "closed_book") and not config.retrieves
    assert SystemConfig(kind="somebodys:answer", takes=("own",)).retrieves
    assert not SystemConfig(kind="somebodys:answer", takes=("own",), retriever="bm25").retrieves


def test_a_function_that_is_not_there_is_named_when_the_config_is_read():
    with pytest.raises(ValueError, match="'nowhere_at_all:f' cannot be imported"):
        SystemConfig(kind="nowhere_at_all:f")


def test_a_call_that_takes_too_long_is_an_error_and_the_next_is_asked(system):
    held = threading.Event()

    def answer(asked):
        if asked.query == "slow":
            held.wait(60)
        return asked.query

    answer.timeout = 0.2
    answer.concurrency = 2
    said = list(system(answer)(asks("slow", "quick")))
    held.set()
    assert [(one.text, one.error) for one in said] == [("", "timeout"), ("quick", "")]
    assert said[0].detail == "no answer within 0.2 s"


def test_a_list_that_takes_too_long_is_an_error_of_each(system):
    held = threading.Event()

    def answer(asked):
        held.wait(60)
        return [one.query for one in asked]

    answer.many, answer.timeout = 2, 0.2
    said = list(system(answer)(asks("a", "b", "c")))
    held.set()
    assert [one.error for one in said] == ["timeout"] * 3


def test_a_timeout_that_the_function_raises_itself_is_its_own(system):
    def answer(asked):
        raise TimeoutError("of the database")

    answer.timeout = 30
    (said,) = system(answer)(asks("a"))
    assert said.error == "raised" and said.detail.startswith("TimeoutError: of the database (test_outsider.py:")


def test_sys_exit_in_a_function_ends_nothing_but_its_answer(system):
    def answer(asked):
        return sys.exit(3) if asked.query == "exits" else "yes"

    said = list(system(answer)(asks("exits", "stays")))
    assert [(one.text, one.error) for one in said] == [("", "raised"), ("yes", "")]
    assert said[0].detail.startswith("SystemExit: 3")


HANGS = """
import signal, sys, time, types
from pathlib import Path
from rarefy.tasks.systems.asked import Asked
from rarefy.tasks.systems.config import SystemConfig
from rarefy.tasks.llm.config import Means

class Terminated(BaseException):
    pass

def ended(*_):
    raise Terminated

signal.signal(signal.SIGTERM, ended)  # as Prefect does in a flow
module = sys.modules["somebodys"] = types.ModuleType("somebodys")

def answer(asked):
    print("asked", flush=True)
    time.sleep(600)

module.answer = answer
system = SystemConfig.model_validate({"kind": "somebodys:answer"}).connect(Path(sys.argv[1]), threads=1, means=Means())
list(system([Asked("a", "a")]))
"""


def test_a_function_that_hangs_keeps_no_process_alive_that_is_told_to_end(tmp_path):
    with subprocess.Popen([sys.executable, "-c", HANGS, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "asked\n"
            process.terminate()
            assert process.wait(60) != 0
        finally:
            process.kill()
