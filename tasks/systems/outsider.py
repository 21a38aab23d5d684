"""Somebody's own function as a system: of one Asked, or of a list of them where it says so."""

import hashlib
import importlib
import inspect
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
from rarefy.tasks.llm.config import Means
from rarefy.tasks.llm.faults import Stopped, Unavailable
from rarefy.tasks.llm.secrets import redacted
from rarefy.tasks.llm.usable import encodable

if TYPE_CHECKING:
    from rarefy.tasks.systems.asked import Asked, Said, System
    from rarefy.tasks.systems.asking import Tally
    from rarefy.tasks.systems.book import Book

GIVE_UP_AFTER = 20  # answers in a row that failed: a function that is wrong is wrong for all


def taken(name: str) -> tuple[str, ...]:
    """What a function says that it can be given, by its attribute `takes`; ("own",) where it does not say."""
    takes = tuple(getattr(find(name, {}), "takes", ("own",)))
    if not takes or set(takes) - set(GIVEN):
        raise ValueError(f"{name}.takes is {takes!r}; write some of {', '.join(GIVEN)}")
    return takes


def source(name: str) -> dict[str, Any]:
    """What is known of a function: its name, and a digest of the module that it stands in, where that has a file."""
    find(name, {})
    file = getattr(importlib.import_module(name.partition(":")[0]), "__file__", None)
    digest = hashlib.blake2b(Path(file).read_bytes(), digest_size=8).hexdigest() if file else ""
    return {"function": name, "module": digest}


def outsider(name: str, identity: dict[str, Any], cache: Path, *, threads: int, means: Means) -> "System":
    """The function as a system, with its answers kept in the folder `cache` under `identity`.

    A function may say by attributes how it is called: `many = 32`: with lists of up to 32 Asked, giving back as many
    answers in their order; `concurrency = 8`: by so many threads at once, else by one; `timeout = 60`: how many seconds
    a call may take. faults.Unavailable where it cannot be imported.
    """
    from rarefy.tasks.systems.asking import Tally
    from rarefy.tasks.systems.book import Book

    try:
        function = find(name, {})
    except ValueError as error:
        raise Unavailable(str(error)) from None
    book = Book(cache / "answers.sqlite", identity)
    many, at_once = int(getattr(function, "many", 0)), int(getattr(function, "concurrency", 1))

    def system(asked: "Iterable[Asked]") -> "Iterator[Said]":
        tally = Tally(name, means.serving.failure_budget, GIVE_UP_AFTER, "20 and 0 answers")
        if many:
            return _lists(function, asked, many, book, tally)
        return _single(function, asked, max(at_once, 1), book, tally)

    return system


def _single(
    function: Callable[..., Any], asked: "Iterable[Asked]", at_once: int, book: "Book", tally: "Tally"
) -> "Iterator[Said]":
    from rarefy.tasks.systems.asked import Said
    from rarefy.tasks.systems.asking import in_order
    from rarefy.tasks.systems.hands import Hands

    seconds = _patience(function)

    def work(one: "Asked") -> "Said":
        (said,) = _called(lambda: [function(one)], [one], seconds)
        return tally.count(book.keep(said))

    hands = Hands[Said](at_once)
    try:
        yield from in_order(asked, lambda one: hands.begin(lambda: work(one)), book, 4 * at_once)
    finally:
        hands.end()


def _lists(
    function: Callable[..., Any], asked: "Iterable[Asked]", many: int, book: "Book", tally: "Tally"
) -> "Iterator[Said]":
    source = iter(asked)
    while block := list(islice(source, many)):
        known = book.find([one.asked_id for one in block])
        new = list({one.asked_id: one for one in block if one.asked_id not in known}.values())
        call = partial(function, list(new))
        for said in _called(call, new, _patience(function)) if new else ():
            known[said.asked_id] = tally.count(book.keep(said))
        yield from (known[one.asked_id] for one in block)


def _patience(function: Callable[..., Any]) -> float:
    """How many seconds a call of it may take; 0: as many as it likes."""
    return float(getattr(function, "timeout", 0))


def _called(call: Callable[[], Any], asked: "Sequence[Asked]", seconds: float = 0) -> "list[Said]":
    """What a call gave to these, each with its share of the time; errors where it raised or gave something else."""
    from rarefy.tasks.systems.asked import Said
    from rarefy.tasks.systems.asking import tidy
    from rarefy.tasks.systems.handed import WrongType, said_of
    from rarefy.tasks.systems.hands import TooSlow, within

    began = time.monotonic()
    code, detail = "", ""
    given: Any = None
    try:
        given = within(seconds, call)
        if isinstance(given, Iterable) and not isinstance(given, str | Mapping | list):
            given = list(given)  # here: a generator raises when it is taken from
    except Stopped:
        raise
    except TooSlow as error:
        code, detail = "timeout", str(error)
    except (Exception, SystemExit) as error:  # whatever somebody's code raises is that answer's fault, and told
        line = traceback.extract_tb(error.__traceback__)[-1]
        code, detail = "raised", f"{type(error).__name__}: {error} ({Path(line.filename).name}:{line.lineno})"
    took = round((time.monotonic() - began) / len(asked), 4)
    if not code and not isinstance(given, list):
        code, detail = "unpaired", f"asked {len(asked)}, it gave back {type(given).__name__}, not a list"
    elif not code and len(given) != len(asked):
        code, detail = "unpaired", f"asked {len(asked)}, it gave back {len(given)}"
    found = []
    for at, one in enumerate(asked):
        try:
            said = Said(one.asked_id, error=code, detail=detail) if code else said_of(one.asked_id, given[at])
        except WrongType as error:
            said = Said(one.asked_id, error="wrong_type", detail=str(error))
        said = replace(said, seconds=said.seconds or took, detail=redacted(said.detail))
        found.append(tidy(said, encodable))
    for one in given if isinstance(given, list) else (given,):
        if inspect.iscoroutine(one):
            one.close()  # of an async function, refused above: nobody will await it
    return found
