"""The words of a question, and which of them carry its meaning and so stay as they are."""

import re
import unicodedata
from dataclasses import dataclass

from rarefy.tasks.text.dates import MONTHS, SHORT
from rarefy.tasks.text.quantities import ORDINALS, SCALES, TENS, UNITS

READ = 20_000  # characters: what is longer is no question, and only its beginning is changed

_TOKEN = re.compile(r"\S+")
_OPENING = re.compile(r"\W*")
_CLOSING = re.compile(r"\W*")  # of a token read backwards
_QUOTED = re.compile(r"“[^“”]*”|\"[^\"]*\"|`[^`]*`")  # each starts over at the next opening mark: linear in any text

# A slip in one of these, or another word for it, can change what is asked.
MEANT = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday not no nor never none without except excluding including
    excludes includes before after than least most more less fewer only both either neither each every all any between
    among above below over under since until during per plus minus thousands millions billions trillions percent basis
    point points dollar dollars euro euros pound pounds yen cent cents last half quarter quarters quarterly year years
    month months week weeks day days date gross net basic diluted current noncurrent non-current deferred total
    subtotal consolidated parent domestic foreign federal state local gaap non-gaap adjusted unadjusted weighted
    average increase increased increases decrease decreased decreases gain gains loss losses debit credit asset assets
    liability liabilities
    """.split()
) | {*MONTHS, *map(str.lower, SHORT), *UNITS, *TENS, *ORDINALS, *(word for word in SCALES if len(word) > 3)}

_LETTERS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")


@dataclass(frozen=True, slots=True)
class Word:
    """`text[start:end]` of a question, without punctuation and possessive ending."""

    text: str
    start: int
    end: int
    plain: bool  # letters alone (and inner hyphens), glued to nothing else, and not quoted
    capitalised: bool  # a name or the first word
    counted: bool  # stands next to a number, and so may be its unit or its date
    ends: bool  # punctuation follows
    owns: bool  # in the possessive


def words(text: str) -> list[Word]:
    """The words of a text in order, numbers and codes among them; of a text longer than `READ` those it begins with."""
    tokens = list(_TOKEN.finditer(text, 0, READ))
    numeric = [any(c.isdigit() for c in t.group()) for t in tokens]
    quoted = [m.span() for m in _QUOTED.finditer(text, 0, READ)]
    found, quote = [], 0
    for i, token in enumerate(tokens):
        written = token.group()
        lead, core, owns, tail = _parts(written)
        if not core:
            continue
        start = token.start() + len(lead)
        while quote < len(quoted) and quoted[quote][1] <= start:
            quote += 1
        inside = quote < len(quoted) and quoted[quote][0] < start
        beside = numeric[max(i - 1, 0) : i] + numeric[i + 1 : i + 2]
        found.append(
            Word(
                text=core,
                start=start,
                end=start + len(core),
                plain=_LETTERS.fullmatch(core) is not None
                and not set(lead) & set("$€£¥#@/")
                and not inside
                and (written.isascii() or not _joined(written)),
                capitalised=core != core.lower(),
                counted=any(beside),
                ends=bool(tail),
                owns=bool(owns),
            )
        )
    return found


def _parts(token: str) -> tuple[str, str, str, str]:
    """What stands before a token's core, the core, its possessive ending and what follows."""
    lead = _OPENING.match(token).end()  # type: ignore[union-attr]  # it matches the empty string
    tail = len(token) - _CLOSING.match(token[::-1]).end()  # type: ignore[union-attr]
    if tail <= lead:
        return token[:lead], "", "", ""
    if token[tail - 2 : tail] in ("'s", "’s") and tail - 2 > lead:
        return token[:lead], token[lead : tail - 2], token[tail - 2 : tail], token[tail:]
    owns = token[tail : tail + 1] if token[tail : tail + 1] in ("'", "’") else ""
    return token[:lead], token[lead:tail], owns, token[tail + len(owns) :]


def _joined(token: str) -> bool:
    """Are there marks or joiners in it that belong to the letter before them?"""
    return any(unicodedata.category(c) in ("Mn", "Mc", "Me", "Cf") for c in token)


def is_code(word: Word) -> bool:
    """Is it a ticker, an acronym, a form or a number rather than a word?"""
    return not word.plain or (word.text.isupper() and len(word.text) > 1) or sum(c.isupper() for c in word.text[1:]) > 0


def is_number(word: Word) -> bool:
    """Are there digits in it?"""
    return any(c.isdigit() for c in word.text)


def is_meant(word: Word) -> bool:
    """Would a change of this word change what is asked?"""
    return is_code(word) or word.text.lower() in MEANT


def named_words(entity: str) -> frozenset[str]:
    """The words of the entity that a question is about, in lower case."""
    return frozenset(w.lower() for w in re.findall(r"[^\W_]+", entity))
