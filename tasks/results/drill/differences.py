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
    new_words = ""  # what comes in stands after what it replaces
    for step in LCSseq.opcodes(old, new):
        if step.tag == "equal":
            told += [new_words] if new_words else []
            new_words = ""
            told.append(units("".join(old[step.src_start : step.src_end])))
            kept += step.src_end - step.src_start
        elif step.tag == "delete":
            told.append(-units("".join(old[step.src_start : step.src_end])))
        else:
            new_words += "".join(new[step.dest_start : step.dest_end])
    told += [new_words] if new_words else []
    return told if kept >= LEAST * max(1, len(new)) else None


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
