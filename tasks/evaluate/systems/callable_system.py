"""A user's function as a system under test: called with one `SystemInput`, or with lists of them.

The function may be wrong in any way: whatever it raises or returns becomes an output, and no call blocks the process
beyond its timeout."""

import hashlib
import importlib
import inspect
import math
import operator
import queue
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import fields, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from rarefy.data_contracts.rows import GIVEN, Passage
from rarefy.tasks.evaluate.systems.interface import System, SystemInput, SystemOutput
from rarefy.tasks.find import find
from rarefy.tasks.foreign_code import protect_process
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.llm.faults import Stopped, Unavailable, replace_surrogates
from rarefy.tasks.models.llm.secrets import redacted

if TYPE_CHECKING:
    from rarefy.tasks.evaluate.systems.answer_store import AnswerStore
    from rarefy.tasks.evaluate.systems.concurrency import FailureBudget

LIMITS = {"many": 100_000, "concurrency": 1_000, "timeout": 10_000_000}  # largest values of a function's attributes
GIVE_UP_AFTER = 20  # answers in a row that failed: a function that is wrong is wrong for all


def read_takes(name: str) -> tuple[str, ...]:
    """Return a function's attribute `takes`; ("own",) where it has none. ValueError for anything but names of GIVEN."""
    takes = getattr(find(name, {}), "takes", ("own",))
    if not isinstance(takes, tuple | list | set | frozenset) or not takes or any(one not in GIVEN for one in takes):
        raise ValueError(f"{name}.takes is {takes!r}; write some of {', '.join(GIVEN)}")
    return tuple(takes)


def identify_function(name: str) -> dict[str, Any]:
    """Return a function's name and a digest of its module's file; ValueError where it cannot be imported."""
    find(name, {})
    file = getattr(importlib.import_module(name.partition(":")[0]), "__file__", None)
    digest = hashlib.blake2b(Path(file).read_bytes(), digest_size=8).hexdigest() if file else ""
    return {"function": name, "module": digest}


def connect_function(
    name: str, identity: dict[str, Any], cache: Path, *, threads: int, means: InferenceContext
) -> System:
    """Return the function as a system that stores its answers in the folder `cache` under `identity`.

    Attributes of the function say how it is called: `many = 32` with lists of up to 32 inputs, for as many answers in
    their order; `concurrency = 8` by so many threads, else by one; `timeout = 60` seconds for a call.
    faults.Unavailable where it cannot be imported.
    """
    from rarefy.tasks.evaluate.systems.answer_store import AnswerStore
    from rarefy.tasks.evaluate.systems.concurrency import FailureBudget

    try:
        function = find(name, {})
    except ValueError as error:
        raise Unavailable(str(error)) from None
    book = AnswerStore(cache / "answers.sqlite", identity)
    many, concurrency = (int(_read_limit(function, name, *limit)) for limit in (("many", 0), ("concurrency", 1)))
    _read_limit(function, name, "timeout", 0)

    def system(asked: Iterable[SystemInput]) -> Iterator[SystemOutput]:
        tally = FailureBudget(name, means.serving.failure_budget, GIVE_UP_AFTER, "20 and 0 answers")
        if many:
            return _answer_in_lists(function, asked, many, book, tally)
        return _answer_singly(function, asked, max(concurrency, 1), book, tally)

    return system


def _answer_singly(
    function: Callable[..., Any],
    asked: Iterable[SystemInput],
    threads: int,
    book: "AnswerStore",
    tally: "FailureBudget",
) -> Iterator[SystemOutput]:
    from rarefy.tasks.evaluate.systems.concurrency import answer_in_order

    seconds = _read_timeout(function)

    def work(question: SystemInput) -> SystemOutput:
        (output,) = _call_function(lambda: [_call_isolated(function, question)], [question], seconds)
        return tally.count(book.keep(output))

    pool = ThreadPool[SystemOutput](threads)
    try:
        yield from answer_in_order(asked, lambda question: pool.begin(lambda: work(question)), book, 4 * threads)
    finally:
        pool.end()


def _answer_in_lists(
    function: Callable[..., Any], asked: Iterable[SystemInput], many: int, book: "AnswerStore", tally: "FailureBudget"
) -> Iterator[SystemOutput]:
    source = iter(asked)
    while block := list(islice(source, many)):
        known = book.find([question.asked_id for question in block])
        new = list({question.asked_id: question for question in block if question.asked_id not in known}.values())
        call = partial(_call_isolated, function, list(new))
        for output in _call_function(call, new, _read_timeout(function)) if new else ():
            known[output.asked_id] = tally.count(book.keep(output))
        yield from (known[question.asked_id] for question in block)


def _read_limit(function: Callable[..., Any], name: str, attribute: str, default: float) -> float:
    """Return a numeric attribute of a function; faults.Unavailable where it is no number within LIMITS."""
    value, most = getattr(function, attribute, default), LIMITS[attribute]
    try:
        number = float(value)
        assert 0 <= number <= most
    except (ValueError, TypeError, ArithmeticError, AssertionError):
        raise Unavailable(f"{name}.{attribute} is {value!r:.60}; write a number from 0 to {most:,}") from None
    return number


def _read_timeout(function: Callable[..., Any]) -> float:
    """Return the seconds that a call may take; 0: no limit."""
    return float(getattr(function, "timeout", 0))


def _call_function(call: Callable[[], Any], asked: Sequence[SystemInput], seconds: float = 0) -> list[SystemOutput]:
    """Return an output for each input of one call, with its share of the time; errors for what the call did wrong."""
    from rarefy.tasks.evaluate.systems.concurrency import clean_texts

    began = time.monotonic()
    code, detail = "", ""
    given: Any = None
    try:
        given = call_within(seconds, lambda: _list_generated(call(), len(asked)))
    except Stopped:
        raise
    except TooSlow as error:
        code, detail = "timeout", str(error)
    except BaseException as error:  # whatever the user's code raises becomes an error of its answers
        if not _is_users_error(error):
            raise
        code, detail = "raised", _describe_exception(error)
    took = round((time.monotonic() - began) / len(asked), 4)
    if not code and not isinstance(given, list):
        code, detail = "unpaired", f"asked {len(asked)}, it gave back {type(given).__name__}, not a list"
    elif not code and len(given) != len(asked):
        code, detail = "unpaired", f"asked {len(asked)}, it gave back {len(given)}"
    outputs = []
    for at, question in enumerate(asked):
        failed, why = code, detail
        try:
            with protect_process():  # what the function returned may be of classes whose methods raise
                output = SystemOutput(question.asked_id) if code else coerce_response(question.asked_id, given[at])
        except WrongType as error:
            failed, why = "wrong_type", str(error)
        except TooLarge as error:
            failed, why = "too_large", str(error)
        except BaseException as error:
            if not _is_users_error(error):
                raise
            failed, why = "wrong_type", f"what it gave back cannot be read: {_describe_exception(error)}"
        if failed:
            output = SystemOutput(question.asked_id, error=failed, detail=why)
        output = replace(output, seconds=output.seconds or took, detail=redacted(output.detail))
        outputs.append(clean_texts(output, replace_surrogates))
    for value in given if isinstance(given, list) else (given,):
        if inspect.iscoroutine(value):
            value.close()  # of an async function, refused above: nobody will await it
    return outputs


def _call_isolated(function: Callable[..., Any], asked: Any) -> Any:
    with protect_process():
        return function(asked)


def _list_generated(given: Any, count: int) -> Any:
    """Return a call's result, a generator or other iterable as a list of at most `count` + 1 values.

    The user's code runs only when a generator is iterated: it may raise then, or never end.
    """
    if isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping | list):
        with protect_process():
            return list(islice(given, count + 1))
    return given


def _is_users_error(error: BaseException) -> bool:
    """Return whether the user's code raised this, rather than a signal handler, or rarefy to stop the stage.

    Signals raise in the main thread alone: there, only Exception and SystemExit are the user's.
    """
    if isinstance(error, Stopped):
        return False
    in_main_thread = threading.current_thread() is threading.main_thread()
    return isinstance(error, Exception | SystemExit) or not in_main_thread


def _describe_exception(error: BaseException) -> str:
    """Return class, message and place of an exception; its `__str__` may be the user's code and raise too."""
    line = traceback.extract_tb(error.__traceback__)[-1]
    try:
        with protect_process():
            message = str(error)[:1_000]
    except Exception as other:
        message = f"its message cannot be had: {type(other).__name__}"
    return f"{type(error).__name__}: {message} ({Path(line.filename).name}:{line.lineno})"


# What a function may return: a text, a dict, a SystemOutput; passages of LangChain, LlamaIndex or Haystack.

RESPONSE_KEYS = (
    "answer",
    "refused",
    "retrieved",
    "prompt_tokens",
    "completion_tokens",
    "seconds",
    "cost",
    "model",
    "error",
    "detail",
)
MAX_COUNT = 1_000_000_000  # largest plausible tokens, calls or seconds of one answer
MAX_COST = 1_000_000.0  # largest plausible cost of one answer
MAX_CHARACTERS = 5_000_000  # of an answer with its passages
MAX_PASSAGES = 10_000  # of one answer
MAX_CODE_LENGTH = 100  # of an error, in characters
_PASSAGE_TEXTS = ("passage_id", "text", "title")
_NAMES = ("id", "chunk_id", "passage_id", "doc_id", "source")  # keys under which a passage's name may stand


class WrongType(TypeError):
    """The value is no answer; the message says what would be one."""


class TooLarge(Exception):
    """The value is larger than an answer may be."""


def coerce_response(asked_id: str, given: Any) -> SystemOutput:
    """Return what a function gave back as an output; WrongType or TooLarge, saying what to do, where it is none."""
    if isinstance(given, SystemOutput):
        values: dict[str, Any] = {field.name: getattr(given, field.name) for field in fields(SystemOutput)}
        values["answer"] = given.text
    elif isinstance(given, str):
        values = {"answer": given, "calls": 1}
    elif isinstance(given, Mapping):
        if unknown := sorted(map(str, given.keys() - set(RESPONSE_KEYS))):
            raise WrongType(f"it gave back a dict with {', '.join(unknown)}; have {', '.join(RESPONSE_KEYS)}")
        values = {**given, "calls": 1}
    else:
        hint = "; it is async: write a function that waits itself" if hasattr(given, "__await__") else ""
        raise WrongType(
            f'it gave back {type(given).__name__}{hint}; give back a str, a dict with "answer", or a SystemOutput'
        )
    answer, error = values.get("answer"), _coerce_text(values.get("error"), "error")[:MAX_CODE_LENGTH]
    if not (isinstance(answer, str) or (error and answer is None)):
        where = f'a SystemOutput whose "text" is {type(answer).__name__}' if isinstance(given, SystemOutput) else ""
        raise WrongType(f'it gave back {where or f"""a dict whose "answer" is {type(answer).__name__}"""}, not str')
    refused = values.get("refused")
    output = SystemOutput(
        asked_id,
        _coerce_text(answer, "answer"),
        refused=None if refused is None else bool(refused),
        retrieved=tuple(_coerce_passages(values.get("retrieved"))),
        prompt_tokens=int(_coerce_number(values, "prompt_tokens", MAX_COUNT)),
        completion_tokens=int(_coerce_number(values, "completion_tokens", MAX_COUNT)),
        calls=int(_coerce_number(values, "calls", MAX_COUNT)),
        seconds=_coerce_number(values, "seconds", MAX_COUNT),
        cost=_coerce_number(values, "cost", MAX_COST),
        model=_coerce_text(values.get("model"), "model")[:1_000],
        error=error,
        detail=_coerce_text(values.get("detail"), "detail")[:MAX_CHARACTERS],
    )
    size = len(output.text) + sum(len(p.text) + len(p.title) + len(p.passage_id) for p in output.retrieved)
    if size > MAX_CHARACTERS:
        raise TooLarge(f"it gave back {size:,} characters with its passages; {MAX_CHARACTERS:,} are read at most")
    return output


def _coerce_passages(given: Any) -> Iterator[Passage]:
    """Yield the passages of any iterable."""
    if given is None:
        return
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise WrongType(f'its "retrieved" is {type(given).__name__}; give a list of passages')
    for at, value in enumerate(islice(given, MAX_PASSAGES + 1)):
        if at == MAX_PASSAGES:
            raise TooLarge(f'its "retrieved" has more than {MAX_PASSAGES:,} passages')
        yield coerce_passage(value)


def coerce_passage(given: Any) -> Passage:
    """Return a text, a dict, a Passage, or a document of LangChain, LlamaIndex or Haystack as a Passage."""
    if isinstance(given, Passage):
        name, text, title = (_coerce_text(getattr(given, key), f"a passage's {key}") for key in _PASSAGE_TEXTS)
        return Passage(name, text, title, _coerce_score(given.score))
    if isinstance(given, str):
        return Passage("", _coerce_text(given, "a passage"))
    if isinstance(given, Mapping):
        name = next((given[key] for key in _NAMES if given.get(key)), "")
        text, title = (_coerce_text(given.get(key), f"a passage's {key}") for key in ("text", "title"))
        return Passage(_coerce_text(name, "a passage's id"), text, title, _coerce_score(given.get("score")))
    score = getattr(given, "score", None)
    node = getattr(given, "node", given)  # LlamaIndex: NodeWithScore holds a node
    meta = getattr(node, "metadata", None) or getattr(node, "meta", None) or {}
    name = next((meta[key] for key in _NAMES if meta.get(key)), "") or getattr(node, "id", None) or ""
    for attribute in ("page_content", "text", "content"):  # LangChain, LlamaIndex, Haystack
        if isinstance(words := getattr(node, attribute, None), str):
            name = name or getattr(node, "node_id", "") or ""
            title = _coerce_text(meta.get("title"), "a passage's title")
            return Passage(
                _coerce_text(name, "a passage's id"), _coerce_text(words, "a passage"), title, _coerce_score(score)
            )
    raise WrongType(
        f"a retrieved passage is {type(given).__name__}; give a text, a dict with id and text, or a Passage"
    )


def _coerce_text(given: Any, name: str) -> str:
    """Return a value as a plain str, also where it is of a subclass; "" for None, 0 and False."""
    if given is None or (not given and isinstance(given, int | float)):
        return ""
    if isinstance(given, str):
        return str.__str__(given)
    if isinstance(given, bytes | bytearray):
        raise WrongType(f"{name} is {type(given).__name__}; give a str")
    return str.__str__(str(given))


def _coerce_number(values: Mapping[str, Any], name: str, most: float) -> float:
    """Return a number from 0 to `most`; 0 for None and ""; WrongType for anything else."""
    given = values.get(name)
    if given is None or given == "":
        return 0
    if isinstance(given, bool):
        raise WrongType(f"it gave back a wrong value: {name} is {given}; give a number")
    try:
        number = operator.index(given) if hasattr(given, "__index__") else float(given)
    except (ValueError, TypeError, ArithmeticError):
        raise WrongType(f"it gave back a wrong value: {name} is {_abbreviate(given)}; give a number") from None
    if not 0 <= number <= most or math.isnan(number):
        raise WrongType(
            f"it gave back a wrong value: {name} is {_abbreviate(given)}; give a number from 0 to {most:,.0f}"
        )
    return number


def _coerce_score(score: Any) -> float | None:
    """Return a score as a finite float; None for None, NaN and infinity, which some retrievers give."""
    number = None if score is None else float(score)
    return number if number is not None and math.isfinite(number) else None


def _abbreviate(given: Any) -> str:
    """Return a value's repr, shortened; a huge int by its size, since it may have more digits than can be written."""
    if isinstance(given, int) and abs(given) > MAX_COUNT**2:
        return f"an int of {given.bit_length():,} bits"
    written = repr(given)
    return written if len(written) <= 60 else f"{written[:59]}…"


Result = TypeVar("Result")


class TooSlow(Exception):
    """A call took longer than its timeout; a class of its own, since the call itself may raise TimeoutError."""


class ThreadPool(Generic[Result]):
    """A pool of daemon threads: the user's code may never return, and the standard executors would be waited for."""

    def __init__(self, count: int) -> None:
        self._todo: queue.SimpleQueue[tuple[Future[Result], Callable[[], Result]] | None] = queue.SimpleQueue()
        self._count = count
        for _ in range(count):
            threading.Thread(target=self._work, name="rarefy-system", daemon=True).start()

    def begin(self, call: Callable[[], Result]) -> Future[Result]:
        """Return the future of a call's result, or of what it raised."""
        future: Future[Result] = Future()
        self._todo.put((future, call))
        return future

    def end(self) -> None:
        """Let the threads end once their calls are done, without waiting for them."""
        for _ in range(self._count):
            self._todo.put(None)

    def _work(self) -> None:
        while task := self._todo.get():
            future, call = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except BaseException as error:  # whoever takes the result gets it
                future.set_exception(error)


def call_within(seconds: float, call: Callable[[], Result]) -> Result:
    """Return a call's result; TooSlow once it takes longer. The call then goes on: no thread can be stopped."""
    if not seconds:
        return call()
    pool = ThreadPool[Result](1)
    future = pool.begin(call)
    pool.end()
    if not wait([future], seconds).done:
        raise TooSlow(f"no answer within {seconds:g} s")
    return future.result()
