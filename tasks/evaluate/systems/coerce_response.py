"""What somebody's function gives back, as a SystemOutput: a text, a dict, or passages of well-known libraries."""

import math
import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from itertools import islice
from typing import Any

from rarefy.data_contracts.rows import Passage
from rarefy.tasks.evaluate.systems.interface import SystemOutput

KEYS = ("answer", "refused", "retrieved", "prompt_tokens", "completion_tokens", "cost", "model", "error", "detail")
MOST = 1_000_000_000  # tokens, calls or seconds of one answer: what is said beyond that is nonsense
DEAREST = 1_000_000.0  # what one answer may be said to have cost
LARGEST = 5_000_000  # characters of an answer with all passages that it names
PASSAGES = 10_000  # that one answer may name
CODE = 100  # characters of an error's code
_NAMES = ("id", "chunk_id", "passage_id", "doc_id", "source")  # of a passage, in metadata


class WrongType(TypeError):
    """This is no answer, and what would be one."""


class TooLarge(Exception):
    """This is more than an answer can be."""


def said_of(asked_id: str, given: Any) -> SystemOutput:
    """The answer that a function gave; WrongType or TooLarge, with the way out, for what is none."""
    if isinstance(given, SystemOutput):
        told: Mapping[str, Any] = {one.name: getattr(given, one.name) for one in fields(SystemOutput)} | {
            "answer": given.text
        }
    elif isinstance(given, str):
        told = {"answer": given, "calls": 1}
    elif isinstance(given, Mapping):
        if unknown := sorted(map(str, given.keys() - set(KEYS))):
            raise WrongType(f"it gave back a dict with {', '.join(unknown)}; have {', '.join(KEYS)}")
        told = {**given, "calls": 1}
    else:
        hint = "; it is async: write a function that waits itself" if hasattr(given, "__await__") else ""
        raise WrongType(
            f'it gave back {type(given).__name__}{hint}; give back a str, a dict with "answer", or a SystemOutput'
        )
    answer, error = told.get("answer"), _text(told.get("error"), "error")[:CODE]
    if not (isinstance(answer, str) or (error and answer is None)):
        where = f'a SystemOutput whose "text" is {type(answer).__name__}' if isinstance(given, SystemOutput) else ""
        raise WrongType(f'it gave back {where or f"""a dict whose "answer" is {type(answer).__name__}"""}, not str')
    refused = told.get("refused")
    said = SystemOutput(
        asked_id,
        _text(answer, "answer"),
        refused=None if refused is None else bool(refused),
        retrieved=tuple(_passages(told.get("retrieved"))),
        prompt_tokens=int(_number(told, "prompt_tokens", MOST)),
        completion_tokens=int(_number(told, "completion_tokens", MOST)),
        calls=int(_number(told, "calls", MOST)),
        seconds=_number(told, "seconds", MOST),
        cost=_number(told, "cost", DEAREST),
        model=_text(told.get("model"), "model")[:1_000],
        error=error,
        detail=_text(told.get("detail"), "detail")[:LARGEST],
    )
    size = len(said.text) + sum(len(one.text) + len(one.title) + len(one.passage_id) for one in said.retrieved)
    if size > LARGEST:
        raise TooLarge(f"it gave back {size:,} characters with its passages; {LARGEST:,} are read at most")
    return said


def _passages(given: Any) -> Iterator[Passage]:
    """The passages of a list, or of anything else that gives them one by one."""
    if given is None:
        return
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise WrongType(f'its "retrieved" is {type(given).__name__}; give a list of passages')
    for at, one in enumerate(islice(given, PASSAGES + 1)):
        if at == PASSAGES:
            raise TooLarge(f'its "retrieved" has more than {PASSAGES:,} passages')
        yield passage_of(one)


def passage_of(one: Any) -> Passage:
    """A passage as a text, a dict, a Passage, or a document of LangChain, LlamaIndex or Haystack."""
    if isinstance(one, Passage):
        own, text = _text(one.passage_id, "a passage's passage_id"), _text(one.text, "a passage's text")
        return Passage(own, text, _text(one.title, "a passage's title"), _score(one.score))
    if isinstance(one, str):
        return Passage("", _text(one, "a passage"))
    if isinstance(one, Mapping):
        called = next((one[key] for key in _NAMES if one.get(key)), "")
        text, title = (_text(one.get(key), f"a passage's {key}") for key in ("text", "title"))
        return Passage(_text(called, "a passage's id"), text, title, _score(one.get("score")))
    score = getattr(one, "score", None)
    node = getattr(one, "node", one)  # LlamaIndex: NodeWithScore holds a node
    meta = getattr(node, "metadata", None) or getattr(node, "meta", None) or {}
    name = next((meta[key] for key in _NAMES if meta.get(key)), "") or getattr(node, "id", None) or ""
    for told in ("page_content", "text", "content"):  # LangChain, LlamaIndex, Haystack
        if isinstance(words := getattr(node, told, None), str):
            name = name or getattr(node, "node_id", "") or ""
            title = _text(meta.get("title"), "a passage's title")
            return Passage(_text(name, "a passage's id"), _text(words, "a passage"), title, _score(score))
    raise WrongType(f"a retrieved passage is {type(one).__name__}; give a text, a dict with id and text, or a Passage")


def _text(given: Any, name: str) -> str:
    """A text as a plain str, of whatever class it was; "" for nothing."""
    if given is None or (not given and isinstance(given, int | float)):
        return ""
    if isinstance(given, str):
        return str.__str__(given)
    if isinstance(given, bytes | bytearray):
        raise WrongType(f"{name} is {type(given).__name__}; give a str")
    return str.__str__(str(given))


def _number(told: Mapping[str, Any], name: str, most: float) -> float:
    """A number from 0 to `most` in whatever type; 0 for nothing; WrongType for what is none."""
    given = told.get(name)
    if given is None or given == "":
        return 0
    if isinstance(given, bool):
        raise WrongType(f"it gave back a wrong value: {name} is {given}; give a number")
    try:
        number = operator.index(given) if hasattr(given, "__index__") else float(given)
    except (ValueError, TypeError, ArithmeticError):
        raise WrongType(f"it gave back a wrong value: {name} is {_short(given)}; give a number") from None
    if not 0 <= number <= most or math.isnan(number):
        raise WrongType(f"it gave back a wrong value: {name} is {_short(given)}; give a number from 0 to {most:,.0f}")
    return number


def _score(score: Any) -> float | None:
    """A score as a finite float; None for nothing, NaN and the infinite, as some retrievers give."""
    number = None if score is None else float(score)
    return number if number is not None and math.isfinite(number) else None


def _short(given: Any) -> str:
    """What was given, in a few characters: an int may have more digits than can be written."""
    if isinstance(given, int) and abs(given) > MOST**2:
        return f"an int of {given.bit_length():,} bits"
    told = repr(given)
    return told if len(told) <= 60 else f"{told[:59]}…"
