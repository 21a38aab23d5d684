"""Somebody's own function as a system: of one SystemInput, or of a list of them where it says so."""

import hashlib
import importlib
import inspect
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarefy.data_contracts.evaluation import GIVEN
from rarefy.tasks.find import find
from rarefy.tasks.foreign_code import undisturbed
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.llm.faults import Stopped, Unavailable
from rarefy.tasks.models.llm.secrets import redacted
from rarefy.tasks.models.llm.usable import encodable

if TYPE_CHECKING:
    from rarefy.tasks.evaluate.systems.asking import Tally
    from rarefy.tasks.evaluate.systems.book import Book
    from rarefy.tasks.evaluate.systems.interface import System, SystemInput, SystemOutput

LIMITS = {"many": 100_000, "concurrency": 1_000, "timeout": 10_000_000}  # of what a function says of itself
GIVE_UP_AFTER = 20  # answers in a row that failed: a function that is wrong is wrong for all


def taken(name: str) -> tuple[str, ...]:
    """What a function says that it can be given, by its attribute `takes`; ("own",) where it does not say."""
    takes = getattr(find(name, {}), "takes", ("own",))
    if not isinstance(takes, tuple | list | set | frozenset) or not takes or any(one not in GIVEN for one in takes):
        raise ValueError(f"{name}.takes is {takes!r}; write some of {', '.join(GIVEN)}")
    return tuple(takes)


def source(name: str) -> dict[str, Any]:
    """What is known of a function: its name, and a digest of the module that it stands in, where that has a file."""
    find(name, {})
    file = getattr(importlib.import_module(name.partition(":")[0]), "__file__", None)
    digest = hashlib.blake2b(Path(file).read_bytes(), digest_size=8).hexdigest() if file else ""
    return {"function": name, "module": digest}


def outsider(name: str, identity: dict[str, Any], cache: Path, *, threads: int, means: InferenceContext) -> "System":
    """The function as a system, with its answers kept in the folder `cache` under `identity`.

    A function may say by attributes how it is called: `many = 32`: with lists of up to 32, giving back as many answers
    in their order; `concurrency = 8`: by so many threads at once, else by one; `timeout = 60`: how many seconds
    a call may take. faults.Unavailable where it cannot be imported.
    """
    from rarefy.tasks.evaluate.systems.asking import Tally
    from rarefy.tasks.evaluate.systems.book import Book

    try:
        function = find(name, {})
    except ValueError as error:
        raise Unavailable(str(error)) from None
    book = Book(cache / "answers.sqlite", identity)
    many, at_once = (int(_limit(function, name, said, most)) for said, most in (("many", 0), ("concurrency", 1)))
    _limit(function, name, "timeout", 0)

    def system(asked: "Iterable[SystemInput]") -> "Iterator[SystemOutput]":
        tally = Tally(name, means.serving.failure_budget, GIVE_UP_AFTER, "20 and 0 answers")
        if many:
            return _lists(function, asked, many, book, tally)
        return _single(function, asked, max(at_once, 1), book, tally)

    return system


def _single(
    function: Callable[..., Any], asked: "Iterable[SystemInput]", at_once: int, book: "Book", tally: "Tally"
) -> "Iterator[SystemOutput]":
    from rarefy.tasks.evaluate.systems.asking import in_order
    from rarefy.tasks.evaluate.systems.interface import SystemOutput
    from rarefy.tasks.evaluate.systems.thread_pool import ThreadPool

    seconds = _patience(function)

    def work(one: "SystemInput") -> "SystemOutput":
        (said,) = _called(lambda: [_undisturbed(function, one)], [one], seconds)
        return tally.count(book.keep(said))

    hands = ThreadPool[SystemOutput](at_once)
    try:
        yield from in_order(asked, lambda one: hands.begin(lambda: work(one)), book, 4 * at_once)
    finally:
        hands.end()


def _lists(
    function: Callable[..., Any], asked: "Iterable[SystemInput]", many: int, book: "Book", tally: "Tally"
) -> "Iterator[SystemOutput]":
    source = iter(asked)
    while block := list(islice(source, many)):
        known = book.find([one.asked_id for one in block])
        new = list({one.asked_id: one for one in block if one.asked_id not in known}.values())
        call = partial(_undisturbed, function, list(new))
        for said in _called(call, new, _patience(function)) if new else ():
            known[said.asked_id] = tally.count(book.keep(said))
        yield from (known[one.asked_id] for one in block)


def _limit(function: Callable[..., Any], name: str, said: str, default: float) -> float:
    """What a function says of how it is called; faults.Unavailable where that is no number that can be meant."""
    value = getattr(function, said, default)
    try:
        number = float(value)
        assert 0 <= number <= LIMITS[said]
    except (ValueError, TypeError, ArithmeticError, AssertionError):
        raise Unavailable(f"{name}.{said} is {value!r:.60}; write a number from 0 to {LIMITS[said]:,}") from None
    return number


def _patience(function: Callable[..., Any]) -> float:
    """How many seconds a call of it may take; 0: as many as it likes."""
    return float(getattr(function, "timeout", 0))


def _called(call: Callable[[], Any], asked: "Sequence[SystemInput]", seconds: float = 0) -> "list[SystemOutput]":
    """What a call gave to these, each with its share of the time; errors where it raised or gave something else."""
    from rarefy.tasks.evaluate.systems.asking import tidy
    from rarefy.tasks.evaluate.systems.coerce_response import TooLarge, WrongType, said_of
    from rarefy.tasks.evaluate.systems.interface import SystemOutput
    from rarefy.tasks.evaluate.systems.thread_pool import TooSlow, within

    began = time.monotonic()
    code, detail = "", ""
    given: Any = None
    try:
        given = within(seconds, lambda: _listed(call(), len(asked)))
    except Stopped:
        raise
    except TooSlow as error:
        code, detail = "timeout", str(error)
    except BaseException as error:  # whatever somebody's code raises is that answer's fault, and told
        if not _theirs(error):
            raise
        code, detail = "raised", _told(error)
    took = round((time.monotonic() - began) / len(asked), 4)
    if not code and not isinstance(given, list):
        code, detail = "unpaired", f"asked {len(asked)}, it gave back {type(given).__name__}, not a list"
    elif not code and len(given) != len(asked):
        code, detail = "unpaired", f"asked {len(asked)}, it gave back {len(given)}"
    found = []
    for at, one in enumerate(asked):
        try:
            with undisturbed():  # a text of theirs may be a class of theirs
                said = (
                    SystemOutput(one.asked_id, error=code, detail=detail) if code else said_of(one.asked_id, given[at])
                )
        except WrongType as error:
            said = SystemOutput(one.asked_id, error="wrong_type", detail=str(error))
        except TooLarge as error:
            said = SystemOutput(one.asked_id, error="too_large", detail=str(error))
        except BaseException as error:
            if not _theirs(error):
                raise
            said = SystemOutput(
                one.asked_id, error="wrong_type", detail=f"what it gave back cannot be read: {_told(error)}"
            )
        said = replace(said, seconds=said.seconds or took, detail=redacted(said.detail))
        found.append(tidy(said, encodable))
    for one in given if isinstance(given, list) else (given,):
        if inspect.iscoroutine(one):
            one.close()  # of an async function, refused above: nobody will await it
    return found


def _undisturbed(function: Callable[..., Any], asked: Any) -> Any:
    with undisturbed():
        return function(asked)


def _listed(given: Any, count: int) -> Any:
    """What a call gave, taken from where it is a generator: that raises, or never ends, when it is taken from."""
    if isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping | list):
        with undisturbed():
            return list(islice(given, count + 1))
    return given


def _theirs(error: BaseException) -> bool:
    """Was this raised by somebody's code, rather than by a signal, or by us to stop?

    A signal's exception comes in the main thread alone, where nothing of theirs but an exit is taken for theirs.
    """
    if isinstance(error, Stopped):
        return False
    ours = threading.current_thread() is threading.main_thread()
    return isinstance(error, Exception | SystemExit) or not ours


def _told(error: BaseException) -> str:
    """Class, message and place of what was raised; its message may itself be somebody's code."""
    line = traceback.extract_tb(error.__traceback__)[-1]
    try:
        with undisturbed():
            message = str(error)[:1_000]
    except Exception as other:
        message = f"its message cannot be had: {type(other).__name__}"
    return f"{type(error).__name__}: {message} ({Path(line.filename).name}:{line.lineno})"
