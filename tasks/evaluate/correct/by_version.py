"""Judges answers to questions for a version: "2.360" is not "2.36", and "3.9.1" no number near "3.9.2"."""

import re
from collections.abc import Sequence

from rarefy.tasks.evaluate.correct.claim_status import NEGATION, Outcome, is_doubted, right, unclear, wrong

_VERSION = re.compile(r"(?<![\w.,$€£-])v?(?P<number>\d+(?:\.\d+)+)(?![\w%]|\.\d|,\d)")
_ALONE = re.compile(r"(?:[A-Za-z][\w-]*\s){0,3}v?\d+(?:\.\d+)+(?:\sLTS)?")
_ASKED = re.compile(r"\b(?:which|what)\s(?:is the\s)?(?:[\w-]+\s){0,3}?(?:version|release)\b", re.IGNORECASE)
_OPTION = re.compile(r"(?<!\w)--[\w-]+")  # "--no-cache" denies nothing
_VAGUE = re.compile(r"\b(?:latest|newest|current|next|previous|last|same|first|any|all|both)\b", re.IGNORECASE)


def is_version(form: str, asked: str) -> bool:
    """Return whether a gold form is a version and no more: of three parts, or of two where a version is asked for."""
    return _ALONE.fullmatch(form) is not None and (form.count(".") > 1 or _ASKED.search(asked) is not None)


def find_versions(text: str) -> list[str]:
    """Return the versions of a text, in order."""
    return [hit["number"] for hit in _VERSION.finditer(text)]


def _without_zeros(version: str) -> str:
    """Return a version without zeros at its end, two parts at the least: "2.7" for "2.7.0", but "3.10" as it is."""
    parts = version.split(".")
    while len(parts) > 2 and parts[-1] == "0":
        parts.pop()
    return ".".join(parts)


def judge_version(text: str, forms: Sequence[str], asked: str, short: bool) -> Outcome:
    """Judge an answer by the versions that it states.

    One with fewer or more parts ("3.9" for "3.9.1") is left open, but for zeros ("4.2.0").

    In a short answer versions count that the question does not have, and one without any is wrong.
    """
    gold = {one for form in forms for one in find_versions(form)}
    said = [one for one in find_versions(text) if one in gold or one not in find_versions(asked)]
    same = [one for one in said if any(_without_zeros(one) == _without_zeros(own) for own in gold)]
    if NEGATION.search(_OPTION.sub(" ", text)) or is_doubted(text, 0):
        return unclear("denied" if same else "unmatched")
    if same:
        return right("contained", same[0]) if len(set(said)) == 1 else unclear("several_values", same[0])
    if any(f"{one}.".startswith(f"{own}.") or f"{own}.".startswith(f"{one}.") for one in said for own in gold):
        return unclear("less_exact", said[0])
    if said:
        return wrong("other_value", said[0]) if short or len(set(said)) == 1 else unclear("unmatched")
    steps = {step for one in gold for step in one.split(".")}
    named = _VAGUE.search(text) or steps & {*re.findall(r"(?<![\w-])\d+(?![\w-])", text)}
    return unclear("unmatched") if named or not short else wrong("no_value", text.strip())
