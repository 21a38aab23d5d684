"""What an endpoint's reply says, where the config says it stands; a fault's code where it says nothing there."""

import json
import logging
import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from rarefy.data_contracts.rows import Passage
from rarefy.tasks.evaluate.systems.http.config import HttpConfig, ReplyPaths
from rarefy.tasks.evaluate.systems.http.paths import Missing, at, told
from rarefy.tasks.evaluate.systems.interface import SystemOutput
from rarefy.tasks.models.llm.faults import Failed

LOG = logging.getLogger("rarefy.systems")
MOST = 1_000_000_000  # tokens of one answer: what a system says beyond is nonsense
_DONE = "[DONE]"


def said_in(asked_id: str, text: str, config: HttpConfig) -> SystemOutput:
    """The answer in the text of a reply; Failed where there is none."""
    paths = config.reply
    if config.format == "text":
        return SystemOutput(asked_id, text, calls=1)
    if config.format == "json":
        value = _json(text)
        return _said(asked_id, value, _answer(value, paths), paths)
    events = list(_events(text))
    if not events:
        raise Failed("not_json", f"no events in it: {_start(text)}", again=True)
    pieces = [piece for one in events if (piece := _piece(one, paths)) is not None]
    if not pieces:
        raise Failed(
            "no_answer", f"none of its {len(events)} events has {paths.answer!r}; the last is {told(events[-1])}"
        )
    return _said(asked_id, _merged(events), "".join(pieces), paths)


def _said(asked_id: str, value: Any, answer: str, paths: ReplyPaths) -> SystemOutput:
    refused = _there(value, paths.refused)
    return SystemOutput(
        asked_id,
        answer,
        refused=None if refused is None else bool(refused) and str(refused).lower() not in ("false", "no", "0"),
        retrieved=tuple(_passages(value, paths)),
        prompt_tokens=int(_number(_there(value, paths.prompt_tokens))),
        completion_tokens=int(_number(_there(value, paths.completion_tokens))),
        calls=1,
        cost=_number(_there(value, paths.cost)),
        model=str(_there(value, paths.model) or ""),
    )


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=_nothing)
    except (ValueError, RecursionError) as error:
        why = "nested too deep" if isinstance(error, RecursionError) else str(error).split(": line")[0]
        raise Failed("not_json", f"{why}: {_start(text)}", again=True) from None


def _nothing(name: str) -> None:
    """NaN and Infinity are no JSON, yet some servers write them for a score; there is nothing there."""


def _answer(value: Any, paths: ReplyPaths) -> str:
    if fault := _there(value, paths.error):
        raise Failed("system_error", str(fault)[:300], again=True)
    try:
        return _text(at(value, paths.answer), paths.answer)
    except Missing as error:
        raise Failed("no_answer", f"http.reply.answer = {error}") from None


def _text(found: Any, path: str) -> str:
    """An answer as text: null is an empty one, a number or a list of texts is written out."""
    if found is None:
        return ""
    if isinstance(found, str):
        return found
    if isinstance(found, bool):
        return "yes" if found else "no"
    if isinstance(found, int | float):
        return json.dumps(found)
    if isinstance(found, list) and all(isinstance(one, str | int | float) for one in found):
        return ", ".join(_text(one, path) for one in found)
    raise Failed("no_answer", f"http.reply.answer = {path}: {told(found)} is no text")


def _there(value: Any, path: str) -> Any:
    """What stands at a path that may lead nowhere; None where it does."""
    if not path:
        return None
    try:
        return at(value, path)
    except Missing:
        return None


def _number(found: Any) -> float:
    """A number of tokens or money that can be one, 0 for what is none; a list's are added up."""
    if isinstance(found, list):
        return math.fsum(_number(one) for one in found)
    try:
        number = float(found) if isinstance(found, int | float | str) else 0.0
    except (ValueError, OverflowError):
        return 0.0
    return min(max(number, 0.0), MOST) if math.isfinite(number) else 0.0


def _passages(value: Any, paths: ReplyPaths) -> Iterator[Passage]:
    """What it says that it retrieved: entries with a name and a text, or texts alone, or names alone."""
    found = _there(value, paths.retrieved)
    if paths.retrieved and not isinstance(found, list):
        _warn(paths.retrieved, told(found))
    for one in found if isinstance(found, list) else []:
        if isinstance(one, str | int):
            yield Passage("", str(one)) if " " in str(one).strip() else Passage(str(one), "")
            continue
        score = _there(one, paths.score)
        yield Passage(
            str(_there(one, paths.id) or ""),
            str(_there(one, paths.text) or ""),
            str(_there(one, paths.title) or ""),
            float(score) if isinstance(score, int | float) and math.isfinite(score) else None,
        )


def _events(text: str) -> Iterator[Any]:
    """The JSON values of server-sent events, or of a body with one on each line."""
    lines = text.splitlines()
    marked = any(line.startswith("data:") for line in lines)
    for line in lines:
        if marked and not line.startswith("data:"):
            continue
        line = line.removeprefix("data:").strip()
        if line and line != _DONE:
            yield _json(line)


def _piece(event: Any, paths: ReplyPaths) -> str | None:
    """An event's piece of the answer, None where it has none."""
    if fault := _there(event, paths.error):
        raise Failed("system_error", str(fault)[:300], again=True)
    try:
        return _text(at(event, paths.answer), paths.answer)
    except Missing:
        return None


def _merged(events: list[Any]) -> Any:
    """All events in one, each name as the last of them says it."""
    merged: dict[str, Any] = {}
    for one in events:
        if isinstance(one, dict):
            merged |= {name: value for name, value in one.items() if value is not None}
    return merged


@cache
def _warn(path: str, there: str) -> None:
    """Say once that a reply has no list where the config says that passages stand; an answer it is all the same."""
    LOG.warning(
        "http.reply.retrieved = %s: there is %s in a reply, not a list; nothing is known to be retrieved", path, there
    )


def _start(text: str) -> str:
    return re.sub(r"\s+", " ", text[:200]).strip()
