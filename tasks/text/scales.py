"""What a caption or a header says that figures are counted in: "(in millions, except share and per share data)".

A quantity says its own scale ("$5 million"); this is for those that stand in tables without one.
"""

import re
from dataclasses import dataclass

from rarefy.tasks.text.quantities import SCALES

NAMES = {3: "thousand", 6: "million", 9: "billion", 12: "trillion"}  # powers of ten, in the singular

_WORD = f"(?:{'|'.join(NAMES.values())})"
_MONEY = r"(?:(?:US|CA?|AU?|HK)?[$€£¥]|USD|EUR|GBP|JPY|CHF|U\.S\. dollars|dollars|euros)"
_STATED = re.compile(
    rf"\bin (?:{_MONEY} ?)?(?P<in>{_WORD})s?(?![\w-])"  # "in millions", "in € million"
    rf"|\((?:{_MONEY} ?)?(?P<open>{_WORD})s?(?![\w-])"  # "(thousands)", "(US$ million)"
    rf"|[$€£¥] ?(?P<money>{_WORD})s?(?![\w-])"  # "$ millions"; "$5 million" has a scale of its own
    rf"|\b(?P<of>{_WORD})s of (?:U\.?S\.? )?(?:dollars|euros|pounds|yen)\b"
    r"|(?:\bin )?(?<![\d,.])(?P<zeros>000[’']?s)\b"
    rf"|^[^\w\n]*(?P<alone>{_WORD})s[^\w\n]*$",  # of a cell or line of its own
    re.IGNORECASE | re.MULTILINE,
)
_CLAUSE = re.compile(r"(?:[^,;)\n]|,(?= which\b))+")
_SHARE = re.compile(r"\bshares?\b", re.IGNORECASE)
_PER_SHARE = re.compile(r"\bper[ -](?:\w+ ){0,2}shares?\b", re.IGNORECASE)
_EXCEPTED = re.compile(r"\bexcept(?:ing)?\b[^.;)]*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale where it is stated."""

    power: int  # of ten
    start: int
    end: int
    shares: bool  # of shares alone: "(in millions, shares in thousands)"


def scales(text: str) -> tuple[Scale, ...]:
    """Every scale that a caption states, in order."""
    found = [(hit, _power(hit)) for hit in _STATED.finditer(text)]
    own = set(_of_shares(text, [hit.start() for hit, _ in found])) if found else set()
    return tuple(Scale(power, *hit.span(), hit.start() in own) for hit, power in found)


def counted_in(text: str, *, shares: bool = False) -> int | None:
    """The power of ten that a caption states for sums, or for numbers of shares; the last one where it states several.

    0 where it takes shares out ("except share data") and states nothing for them; None where it states nothing at all.
    """
    found = scales(text)
    if not found:
        return None
    own, others = [one for one in found if one.shares], [one for one in found if not one.shares]
    if not shares:
        return (others or own)[-1].power
    if own:
        return own[0].power
    taken_out = _EXCEPTED.search(text, others[-1].start)
    return 0 if taken_out and _SHARE.search(_PER_SHARE.sub("", taken_out[0])) else others[-1].power


def without_scales(text: str) -> str:
    """A header without what it says that its figures are counted in, and what that excepts."""
    kept, at = [], 0
    for one in scales(text):
        if one.start < at:
            continue
        opened = text.rfind("(", at, one.end)  # "(dollars in millions)"
        start = one.start if opened < 0 or ")" in text[opened : one.start] else opened
        closed = text.find(")", one.end)
        kept.append(text[at:start])
        at = len(text) if closed < 0 else closed + 1
    return " ".join([*kept, text[at:]])


def _power(hit: re.Match[str]) -> int:
    return 3 if hit["zeros"] else SCALES[next(word for word in hit.groups() if word).lower()]


def _of_shares(text: str, starts: list[int]) -> list[int]:
    """Those of the scales that stand behind shares in their own clause; each clause is read once."""
    found = []
    waiting = iter(starts)
    start = next(waiting, None)
    for clause in _CLAUSE.finditer(text):
        said = _SHARE.search(text, *clause.span())
        taken = said is None
        while start is not None and start < clause.end():
            if not taken and said and start >= said.end():
                found.append(start)
                taken = True
            start = next(waiting, None)
    return found
