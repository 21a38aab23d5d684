import asyncio
import subprocess
import sys
import threading
from collections import Counter
from decimal import Decimal
from functools import wraps
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from rarefy.data_contracts.rows import Answer, Passage
from rarefy.data_contracts.tables import to_table
from rarefy.tasks.evaluate.systems.callable_system import identify_function, register_callable
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.evaluate.systems.interface import SystemInput, SystemOutput
from rarefy.tasks.models.llm.config import InferenceContext, RequestPolicy
from rarefy.tasks.models.llm.faults import Stopped, TooManyFailures, Unavailable


@pytest.fixture
def system(tmp_path, monkeypatch):
    """A function of the test as a system, as it is named in a config."""
    module = ModuleType("somebodys")
    monkeypatch.setitem(sys.modules, "somebodys", module)

    def of(function, budget=1.0, **told):
        module.answer = function
        config = SystemConfig.model_validate({"kind": "somebodys:answer", **told})
        means = InferenceContext(serving=RequestPolicy.model_validate({"failure_budget": budget}))
        return config.connect(tmp_path, threads=1, means=means)

    return of


def asks(*queries):
    return [SystemInput(f"id {query}", query) for query in queries]


GIVEN = {
    "a str": ("yes", SystemOutput("", "yes", calls=1)),
    "an empty str": ("", SystemOutput("", "", calls=1)),
    "a dict": (
        {
            "answer": "yes",
            "retrieved": ["a text", {"id": "c1", "text": "two", "score": 2}],
            "cost": 0.5,
            "refused": False,
        },
        SystemOutput("", "yes", False, (Passage("", "a text"), Passage("c1", "two", "", 2.0)), calls=1, cost=0.5),
    ),
    "a refusal": ({"answer": "", "refused": True}, SystemOutput("", "", True, calls=1)),
    "an error of its own": (
        {"error": "no_index", "detail": "x"},
        SystemOutput("", "", calls=1, error="no_index", detail="x"),
    ),
    "a SystemOutput": (SystemOutput("", "yes", model="m", calls=3), SystemOutput("", "yes", model="m", calls=3)),
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
        told = {name: getattr(said, name) for name in SystemOutput.__slots__ if name not in ("asked_id", "seconds")}
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
    assert "KeyError" in b.detail and "test_callable_system.py" in b.detail and "very-secret" not in b.detail


@pytest.mark.filterwarnings("error")  # nor does Python warn of a coroutine that nobody awaits
def test_an_async_function_is_awaited_also_where_a_loop_is_running(system):
    loops = set()

    async def answer(asked):
        loops.add(id(asyncio.get_running_loop()))
        await asyncio.sleep(0)
        return asked.query.upper()

    async def notebook():
        return [said.text for said in system(answer)(asks("a", "b", "c"))]

    assert asyncio.run(notebook()) == ["A", "B", "C"]
    assert len(loops) == 1  # what keeps connections with its loop keeps them


def test_an_async_function_may_be_called_by_many_at_once_or_with_many(system):
    meeting = []

    async def answer(asked):
        meeting.append(asked.query)
        while len(meeting) < 2:  # ends only where both are under way
            await asyncio.sleep(0.01)
        return "x"

    async def answers(asked):
        return ["x" for _ in asked]

    answer.concurrency, answers.many = 2, 4
    assert [said.text for said in system(answer)(asks("q", "r"))] == ["x", "x"]
    assert [said.text for said in system(answers)(asks("s", "t"))] == ["x", "x"]


@pytest.mark.parametrize("raised", [SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError(), KeyError("x")])
def test_what_an_async_function_raises_is_that_answers_fault_alone(system, raised):
    async def answer(asked):
        if asked.query == "b":
            raise raised
        return "x"

    a, b, c = system(answer)(asks("a", "b", "c"))
    assert (a.text, b.error, c.text) == ("x", "raised", "x") and type(raised).__name__ in b.detail


@pytest.mark.filterwarnings("error")
def test_a_list_of_coroutines_is_no_list_of_answers(system):
    async def answer(asked):
        return "x"

    def answers(asked):
        return [answer(one) for one in asked]

    answers.many = 4
    assert {said.error for said in system(answers)(asks("q", "r"))} == {"wrong_type"}


def defined(code, name="answer", **names):
    """A function as a notebook defines it: of a module without a file."""
    exec(compile(code, "<cell>", "exec"), scope := {"__name__": "no_such_module", **names})
    return scope[name]


CELL = "def answer(asked):\n    return helper(asked.query, K)\n"


def test_the_fingerprint_of_a_function_of_a_notebook_follows_all_that_it_names():
    def name(code=CELL, helper="def helper(text, k): return text * k", **names):
        return register_callable(defined(code, helper=defined(helper, "helper"), **{"K": 3, **names}))

    assert name() == name() and name().startswith("no_such_module:answer#")
    assert name() != name(K=4)
    assert name() != name(helper="def helper(text, k): return text * k * 2")
    assert name() != name(CELL.replace("K)", "K).strip()"))
    assert name() == name(unused=5)


def test_an_object_counts_as_itself_in_a_fingerprint():
    class Rag:
        def answer(self, asked):
            return "x"

    rag, calls = Rag(), []

    def answer(asked, client=rag):
        calls.append(asked)

    before = register_callable(rag.answer), register_callable(answer)
    calls.append("what an object counts or remembers is no other system")
    rag.asked = 1
    assert (register_callable(rag.answer), register_callable(answer)) == before
    assert register_callable(Rag().answer) != before[0]
    answer.__defaults__ = (Rag(),)
    assert register_callable(answer) != before[1]


def test_a_function_that_calls_itself_or_has_an_empty_cell_has_a_fingerprint():
    def outer():
        def answer(asked):
            return answer(asked) or later(asked)

        name = register_callable(answer)
        later = print
        return name, later

    assert outer()[0].count("#") == 1


def test_a_version_stands_in_place_of_the_fingerprint():
    first, second = (defined(CELL, K=number, helper=None) for number in (1, 2))
    assert register_callable(first, "7") == register_callable(second, "7") == "no_such_module:answer#7"
    config = SystemConfig(kind="no_such_module:answer#7", version="7")
    assert config.pinned and config.identity() == {
        "kind": "no_such_module:answer#7",
        "version": "7",
        "function": "no_such_module:answer#7",
    }


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


def test_a_function_whose_name_is_mistyped_is_suggested(tmp_path, monkeypatch):
    (tmp_path / "close_by.py").write_text("def answer(asked):\n    return ''\n")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ValueError, match="did you mean `close_by:answer`"):
        SystemConfig(kind="close_by:anwser")
    with pytest.raises(ValueError, match="mend the module, or the name"):
        SystemConfig(kind="close_by:zebra")


def test_a_function_of_other_arguments_is_named_with_its_own_file(system):
    def answer(asked, index):
        return "never"

    @wraps(answer)
    def decorated(asked):
        return answer(asked, None)

    with pytest.raises(ValueError, match=r"missing .* 'index'; write it with one argument, a SystemInput \(test_call"):
        identify_function(register_callable(answer))
    assert identify_function(register_callable(decorated)) and identify_function(register_callable(lambda *any_: ""))


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
    assert said.error == "raised" and said.detail.startswith("TimeoutError: of the database (test_callable_system.py:")


def test_sys_exit_in_a_function_ends_nothing_but_its_answer(system):
    def answer(asked):
        return sys.exit(3) if asked.query == "exits" else "yes"

    said = list(system(answer)(asks("exits", "stays")))
    assert [(one.text, one.error) for one in said] == [("", "raised"), ("yes", "")]
    assert said[0].detail.startswith("SystemExit: 3")


HANGS = """
import signal, sys, time, types
from pathlib import Path
from rarefy.tasks.evaluate.systems.interface import SystemInput
from rarefy.tasks.evaluate.systems.callable_system import register_callable
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.models.llm.config import InferenceContext

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
config = SystemConfig.model_validate({"kind": "somebodys:answer"})
system = config.connect(Path(sys.argv[1]), threads=1, means=InferenceContext())
list(system([SystemInput("a", "a")]))
"""


@pytest.mark.crash
def test_a_function_that_hangs_keeps_no_process_alive_that_is_told_to_end(tmp_path):
    with subprocess.Popen([sys.executable, "-c", HANGS, str(tmp_path)], stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout.readline() == "asked\n"
            process.terminate()
            assert process.wait(60) != 0
        finally:
            process.kill()


class Sly(str):
    """A text of somebody's class, which is none when it is looked at."""

    def __str__(self):
        raise RuntimeError("no")

    def __len__(self):
        return 10**9


class Mute(Exception):
    def __str__(self):
        raise ValueError("not told")


class Gone(BaseException):
    pass


def endless():
    while True:
        yield "a passage"


HOSTILE = {  # what is given back -> the code of its error; "" where it is an answer all the same
    **{
        f"{name} is {label}": ({"answer": "x", name: value}, code)
        for name in ("prompt_tokens", "completion_tokens", "cost")
        for label, value, code in (
            ("huge", 10**30, "wrong_type"),
            ("beyond all digits", 10**6000, "wrong_type"),
            ("negative", -1, "wrong_type"),
            ("NaN", float("nan"), "wrong_type"),
            ("infinite", float("inf"), "wrong_type"),
            ("a long text", "9" * 5000, "wrong_type"),
            ("a text that is no number", "a few", "wrong_type"),
            ("true", True, "wrong_type"),
            ("a list", [1], "wrong_type"),
            ("complex", 1j, "wrong_type"),
            ("a Decimal", Decimal("12"), ""),
            ("a Decimal that is none", Decimal("sNaN"), "wrong_type"),
            ("numpy's", np.int64(12), ""),
            ("numpy's float", np.float32(12), ""),
            ("a text that is a number", "12", ""),
            ("none", None, ""),
        )
    },
    "a generator of passages": ({"answer": "x", "retrieved": (one for one in ("a", "b"))}, ""),
    "a generator that raises": ({"answer": "x", "retrieved": (1 / 0 for _ in "a")}, "wrong_type"),
    "passages without end": ({"answer": "x", "retrieved": endless()}, "too_large"),
    "passages that are one text": ({"answer": "x", "retrieved": "a passage"}, "wrong_type"),
    "passages that are a number": ({"answer": "x", "retrieved": 7}, "wrong_type"),
    "a passage of bytes": ({"answer": "x", "retrieved": [b"a passage"]}, "wrong_type"),
    "a passage with bytes in it": ({"answer": "x", "retrieved": [{"id": b"1", "text": "a"}]}, "wrong_type"),
    "a score that is none": (
        {"answer": "x", "retrieved": [{"text": "a", "score": "high"}]},
        "wrong_type",
    ),
    "a score that is NaN": ({"answer": "x", "retrieved": [{"text": "a", "score": float("nan")}]}, ""),
    "a passage of ours with wrong types": ({"answer": "x", "retrieved": [Passage(7, None, 3, 10**400)]}, "wrong_type"),
    "bytes": (b"x", "wrong_type"),
    "an answer of bytes": ({"answer": b"x"}, "wrong_type"),
    "halves of characters": ({"answer": "x\ud800", "model": "\udfff", "retrieved": ["\ud800"]}, ""),
    "an error of halves": ({"error": "no\ud800", "detail": "\ud800"}, "no\ufffd"),
    "an error that is long": ({"error": "e" * 1000}, "e" * 100),
    "NUL": ("a\x00b", ""),
    "ten megabytes": ("x" * 10_000_000, "too_large"),
    "ten megabytes of passages": ({"answer": "x", "retrieved": ["y" * 1_000_000] * 10}, "too_large"),
    "a text of another class": (Sly("yes"), ""),
    "a SystemOutput whose text is none": (SystemOutput("", None), "wrong_type"),
    "a SystemOutput with counts beyond all": (SystemOutput("", "x", prompt_tokens=10**30), "wrong_type"),
    "a SystemOutput with seconds that are none": (SystemOutput("", "x", seconds=float("nan")), "wrong_type"),
    "a SystemOutput with calls that are none": (SystemOutput("", "x", calls="many"), "wrong_type"),
    "a refusal that cannot be told": ({"answer": "x", "refused": np.array([1, 2])}, "wrong_type"),
}


@pytest.mark.parametrize("what", HOSTILE)
def test_whatever_a_function_gives_back_is_an_answer_that_can_be_stored_or_an_error_of_its_own(system, what):
    given, code = HOSTILE[what]

    def answer(asked):
        return given if asked.query == "hostile" else "fine"

    said, after = system(answer)(asks("hostile", "next"))
    assert said.error == code, said.detail
    assert (after.text, after.error) == ("fine", "")
    assert not said.error or said.detail or "error" in given
    for part in (said.text, said.model, said.error, said.detail, *(one.text for one in said.retrieved)):
        assert type(part) is str and part.encode() is not None
    row = Answer("t", "s", "a", said.text, retrieved=said.retrieved, prompt_tokens=said.prompt_tokens, cost=said.cost)
    assert to_table([row], Answer).num_rows == 1


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        (Mute(), "Mute: its message cannot be had: ValueError"),
        (Gone("away"), "Gone: away"),
        (KeyboardInterrupt(), "KeyboardInterrupt"),
        (StopIteration(3), "StopIteration: 3"),
        (GeneratorExit(), "GeneratorExit"),
        (asyncio.CancelledError(), "CancelledError"),
        (MemoryError("own"), "MemoryError: own"),
        (RecursionError("deep"), "RecursionError: deep"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_whatever_a_function_raises_is_that_answers_fault(system, raised, told):
    def answer(asked):
        if asked.query == "raises":
            raise raised
        return "fine"

    said, after = system(answer)(asks("raises", "next"))
    assert said.error == "raised" and said.detail.startswith(told)
    assert after.text == "fine"


@pytest.mark.parametrize(
    "said", [{"many": "all"}, {"many": -1}, {"concurrency": 10**9}, {"timeout": float("nan")}, {"concurrency": 1j}]
)
def test_what_a_function_says_of_how_it_is_called_must_be_meant(system, said):
    def answer(asked):
        return "yes"

    vars(answer).update(said)
    with pytest.raises(Unavailable, match=rf"somebodys:answer.{next(iter(said))} is .*; write a number from 0 to"):
        system(answer)


@pytest.mark.parametrize("takes", [5, "own", [["own"]], {}, ("elsewhere",)])
def test_what_a_function_says_that_it_takes_must_be_meant(system, takes):
    def answer(asked):
        return "yes"

    answer.takes = takes
    with pytest.raises(ValueError, match="write some of"):
        system(answer)


def test_a_list_of_answers_may_come_without_end(system):
    def answer(asked):
        while True:
            yield "yes"

    answer.many = 2
    assert {one.error for one in system(answer)(asks("a", "b"))} == {"unpaired"}


def test_a_module_that_raises_while_it_is_imported_is_named(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    for name, code in {"broken_syntax": "def", "broken_exit": "import sys; sys.exit(3)", "broken_run": "1 / 0"}.items():
        (tmp_path / f"{name}.py").write_text(code)
        with pytest.raises(ValueError, match=rf"'{name}:answer' cannot be imported \("):
            SystemConfig.model_validate({"kind": f"{name}:answer"})
