"""A user's function as a system under test: called with one `SystemInput`, or with lists of them; it may be async.

It is named as "module:function", or registered in this process (`register_callable`). It may be wrong in any way:
whatever it raises or returns becomes an output, and no call blocks the process beyond its timeout."""

import asyncio
import hashlib
import inspect
import math
import operator
import queue
import sys
import threading
import time
import traceback
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from dataclasses import fields, replace
from functools import cache, partial
from itertools import islice
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from uuid import uuid4

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

Result = TypeVar("Result")
LIMITS = {"many": 100_000, "concurrency": 1_000, "timeout": 10_000_000}  # largest values of a function's attributes
CONSTANTS = (bool, int, float, complex, str, bytes)  # what counts by its value in a fingerprint, as do tuples of these
GIVE_UP_AFTER = 20  # answers in a row that failed: a function that is wrong is wrong for all
_registered: dict[str, Callable[..., Any]] = {}  # callables of this process, by the name that stands for them
_process = uuid4().hex  # what an object is called by is good for this process alone
_numbers: dict[int, tuple[int, Any]] = {}  # number of an object by its id; it is held, so that no other gets the id


def register_callable(function: Callable[..., Any], version: str = "") -> str:
    """Return a name, "module:function#fingerprint", by which this process finds a callable.

    What is called by the same name is taken to answer the same; `version` stands in place of the fingerprint where its
    user knows better (`fingerprint_callable`).
    """
    name = f"{_describe_name(function)}#{version or fingerprint_callable(function)}"
    _registered[name] = function
    return name


def is_registered(name: str) -> bool:
    """Return whether a name stands for a callable of this process, which no other process can find."""
    return name in _registered


def fingerprint_callable(function: Callable[..., Any]) -> str:
    """Return a digest of what a callable's answers depend on, as far as this can be seen.

    Of a function in a file: the file, the values of its defaults and its closure, and those of the constants that it
    names. Of a function without one, as in a notebook: its code in place of the file, and all else that it names.
    Functions among these count in the same way, numbers, texts and tuples by their value. Any other object (a client,
    an index, a list, the object of a method) counts as that very object: the digest is then another one in another
    process, and what is changed within the object is not seen.
    """
    return hashlib.blake2b(repr(_describe_value(function, set())).encode(), digest_size=8).hexdigest()


def _describe_name(function: Any) -> str:
    inner = function.func if isinstance(function, partial) else function
    named = inner if hasattr(inner, "__qualname__") else type(inner)
    return f"{named.__module__}:{named.__qualname__}"


def _describe_value(value: Any, seen: set[int]) -> Any:
    """Return a value as nested tuples of texts and numbers that are equal for what answers equally."""
    if value is None or isinstance(value, CONSTANTS):
        return (type(value).__name__, repr(value))
    if isinstance(value, tuple | frozenset):
        parts = [_describe_value(part, seen) for part in value]
        return (type(value).__name__, *(sorted(parts, key=repr) if isinstance(value, frozenset) else parts))
    if isinstance(value, ModuleType):
        return ("module", value.__name__, _digest_file(value.__name__))
    if isinstance(value, partial):
        given = [(name, _describe_value(part, seen)) for name, part in sorted(value.keywords.items())]
        return ("partial", _describe_value(value.func, seen), _describe_value(value.args, seen), *given)
    if isinstance(value, FunctionType):
        return _describe_function(value, seen)
    if inspect.ismethod(value):
        return ("method", _describe_value(value.__func__, seen), _describe_object(value.__self__))
    name = getattr(value, "__qualname__", "")
    if isinstance(value, type) and (digest := _digest_file(value.__module__)):
        return ("class", value.__module__, name, digest)
    if inspect.isbuiltin(value) or (isinstance(value, type) and value.__module__ == "builtins"):
        return ("builtin", value.__module__, name)
    return _describe_object(value)


def _describe_function(function: FunctionType, seen: set[int]) -> Any:
    if id(function) in seen:  # it calls itself
        return ("function", function.__qualname__)
    seen.add(id(function))
    known = {name: function.__globals__[name] for name in _names_of(function.__code__) if name in function.__globals__}
    cells = [cell.cell_contents for cell in function.__closure__ or () if _is_filled(cell)]
    defaults = (function.__defaults__ or (), tuple(sorted((function.__kwdefaults__ or {}).items())))
    if digest := _digest_file(function.__module__):  # which says how all else came about
        known = {name: value for name, value in known.items() if isinstance(value, CONSTANTS)}
    return (
        "function",
        function.__module__,
        function.__qualname__,
        digest or _describe_code(function.__code__),
        _describe_value((*defaults, *cells), seen),
        *((name, _describe_value(value, seen)) for name, value in sorted(known.items())),
    )


def _is_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:  # a name that is given no value yet
        return False


def _names_of(code: CodeType) -> set[str]:
    """Return every name that a function, or one within it, looks up in its module."""
    inner = (part for part in code.co_consts if isinstance(part, CodeType))
    return set(code.co_names).union(*map(_names_of, inner))


def _describe_code(code: CodeType) -> Any:
    consts = [_describe_code(part) if isinstance(part, CodeType) else repr(part) for part in code.co_consts]
    return (code.co_code.hex(), code.co_names, code.co_varnames, *consts)


def _describe_object(value: Any) -> Any:
    number, _ = _numbers.setdefault(id(value), (len(_numbers), value))
    return ("object", type(value).__qualname__, _digest_file(type(value).__module__), _process, number)


def _digest_file(module: str) -> str:
    """Return the digest of a module's file as it is now; "" where it has none, as a notebook."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if not file or not Path(file).is_file():
        return ""
    return hashlib.blake2b(Path(file).read_bytes(), digest_size=8).hexdigest()


def read_takes(name: str) -> tuple[str, ...]:
    """Return a function's attribute `takes`; ("own",) where it has none. ValueError for anything but names of GIVEN."""
    takes = getattr(find(name, _registered), "takes", ("own",))
    if not isinstance(takes, tuple | list | set | frozenset) or not takes or any(one not in GIVEN for one in takes):
        raise ValueError(f"{name}.takes is {takes!r}; write some of {', '.join(GIVEN)}")
    return tuple(takes)


def identify_function(name: str) -> dict[str, Any]:
    """Return a function's name and a digest of its module's file.

    ValueError where it cannot be imported, or not be called with one argument. The name of a callable of this process
    has a digest of its own.
    """
    _check_signature(find(name, _registered))
    if is_registered(name):
        return {"function": name}
    return {"function": name, "module": _digest_file(name.partition(":")[0])}


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
        function = find(name, _registered)
    except ValueError as error:
        raise Unavailable(str(error)) from None
    book = AnswerStore(cache / "answers.sqlite", identity)
    many, concurrency = (int(_read_limit(function, name, *limit)) for limit in (("many", 0), ("concurrency", 1)))
    _read_limit(function, name, "timeout", 0)

    def system(asked: Iterable[SystemInput]) -> Iterator[SystemOutput]:
        tally = FailureBudget(name, means.serving.failure_budget, GIVE_UP_AFTER, "20 and 0 answers")
        now = _registered.get(name, function)  # one of the same name and version may have taken its place
        if many:
            return _answer_in_lists(now, asked, many, book, tally)
        return _answer_singly(now, asked, max(concurrency, 1), book, tally)

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
            value.close()  # of a list of coroutines, refused above: nobody will await them
    return outputs


def _call_isolated(function: Callable[..., Any], asked: Any) -> Any:
    with protect_process():
        given = function(asked)
        if not hasattr(given, "__await__"):
            return given
        result, error = asyncio.run_coroutine_threadsafe(_wait_for(given), _loop()).result()
        if error is not None:
            raise error
        return result


def _check_signature(function: Callable[..., Any]) -> None:
    """ValueError, which says where it is defined, where a function cannot be called with one argument."""
    try:
        signature = inspect.signature(function, follow_wrapped=False)  # a decorator may give what the wrapped one lacks
    except (TypeError, ValueError):  # a builtin that has no signature
        return
    try:
        signature.bind(None)
    except TypeError as error:
        code = getattr(inspect.unwrap(function), "__code__", None)
        place = f"{Path(code.co_filename).name}:{code.co_firstlineno}" if code else _describe_name(function)
        takes = "a list of SystemInput" if getattr(function, "many", 0) else "a SystemInput"
        raise ValueError(
            f"{_describe_name(function)}{signature}: {error}; write it with one argument, {takes} ({place})"
        ) from None


async def _wait_for(given: Awaitable[Any]) -> tuple[Any, BaseException | None]:
    """Return what an awaitable gives or raises: SystemExit raised here would end the loop for all others."""
    try:
        return await given, None
    except BaseException as error:
        return None, error


@cache
def _loop() -> asyncio.AbstractEventLoop:
    """Return the event loop of async functions, in a thread of its own: the caller's may be running, as a notebook's.

    It is one loop for all calls, since clients keep their connections with the loop in which they were made.
    """
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="rarefy-async-system", daemon=True).start()
    return loop


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
        raise WrongType(
            f'it gave back {type(given).__name__}; give back a str, a dict with "answer", or a SystemOutput'
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
