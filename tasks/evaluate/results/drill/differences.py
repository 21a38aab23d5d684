"""What a variant changed of its original, word by word, as few steps as carry it."""

import re
from typing import Any

_WORDS = re.compile(r"\s+|\w+|[^\w\s]")
LEAST = 0.25  # share of the variant's words that it has from the original; under it, a diff only confuses
# 12: twelve units are kept; -3: three are dropped; "new": these come in. Units are UTF-16, as in JavaScript
Steps = list[Any]


def steps(before: str, after: str) -> Steps | None:
    """The way from one text to the other; None where they have too little in common to be shown as one changed."""
    from rapidfuzz.distance import LCSseq  # late: with the page alone

    old, new = _WORDS.findall(before), _WORDS.findall(after)
    told: Steps = []
    kept = 0
    gone = came = ""  # of the change that is open: what comes in stands after what it replaces
    found = LCSseq.opcodes(old, new)
    for at, step in enumerate(found):
        here, there = "".join(old[step.src_start : step.src_end]), "".join(new[step.dest_start : step.dest_end])
        same = step.tag == "equal"
        kept += step.src_end - step.src_start if same else 0
        if same and not (here.isspace() and (gone or came) and at + 1 < len(found)):
            told += _change(gone, came)
            gone = came = ""
            told.append(units(here))
        else:  # the space between two changed words is no reason to show two changes
            gone, came = gone + here, came + there
    told += _change(gone, came)
    return told if kept >= LEAST * max(1, len(new)) else None


def _change(gone: str, came: str) -> Steps:
    return [*([-units(gone)] if gone else []), *([came] if came else [])]


def units(text: str) -> int:
    """The length of a text in UTF-16 units, in which JavaScript counts."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def applied(before: str, told: Steps) -> str:
    """The variant again, from its original and the steps; for the tests, as the page's script does it."""
    coded = before.encode("utf-16-le", "surrogatepass")
    at, parts = 0, []
    for step in told:
        if isinstance(step, str):
            parts.append(step)
        else:
            if step > 0:
                parts.append(coded[at : at + 2 * step].decode("utf-16-le", "surrogatepass"))
            at += 2 * abs(step)
    return "".join(parts)
