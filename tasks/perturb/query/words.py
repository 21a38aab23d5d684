"""Words of a question, which of them must not change, and edits of the text between them."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from rarefy.tasks.perturb.case import Draft, Move, join_pieces
from rarefy.tasks.text.dates import MONTHS, SHORT
from rarefy.tasks.text.quantities import ORDINALS, SCALES, TENS, UNITS

READ = 20_000  # characters of a question that are changed

_TOKEN = re.compile(r"\S+")
_OPENING = re.compile(r"\W*")
_CLOSING = re.compile(r"\W*")  # of a token read backwards
_QUOTED = re.compile(r"“[^“”]*”|\"[^\"]*\"|`[^`]*`")  # each starts over at the next opening mark: linear in any text

# Words whose change can change what is asked
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
    """A word of a question, `text[start:end]`, without punctuation and possessive ending."""

    text: str
    start: int
    end: int
    plain: bool  # letters alone (and inner hyphens), glued to nothing else, and not quoted
    capitalised: bool  # a name or the first word
    counted: bool  # next to a number: may be its unit or date
    ends: bool  # punctuation follows
    owns: bool  # in the possessive


def split_words(text: str) -> list[Word]:
    """The words of a text (the first `READ` characters), numbers and codes included."""
    tokens = list(_TOKEN.finditer(text, 0, READ))
    numeric = [any(c.isdigit() for c in t.group()) for t in tokens]
    quoted = [m.span() for m in _QUOTED.finditer(text, 0, READ)]
    found, quote = [], 0
    for i, token in enumerate(tokens):
        written = token.group()
        lead, core, owns, tail = _split_token(written)
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
                and (written.isascii() or not _has_combining_marks(written)),
                capitalised=core != core.lower(),
                counted=any(beside),
                ends=bool(tail),
                owns=bool(owns),
            )
        )
    return found


def _split_token(token: str) -> tuple[str, str, str, str]:
    """A token's leading punctuation, core, possessive ending and closing punctuation."""
    lead = _OPENING.match(token).end()  # type: ignore[union-attr]  # it matches the empty string
    tail = len(token) - _CLOSING.match(token[::-1]).end()  # type: ignore[union-attr]
    if tail <= lead:
        return token[:lead], "", "", ""
    if token[tail - 2 : tail] in ("'s", "’s") and tail - 2 > lead:
        return token[:lead], token[lead : tail - 2], token[tail - 2 : tail], token[tail:]
    owns = token[tail : tail + 1] if token[tail : tail + 1] in ("'", "’") else ""
    return token[:lead], token[lead:tail], owns, token[tail + len(owns) :]


def _has_combining_marks(token: str) -> bool:
    """Whether a token has combining marks or joiners."""
    return any(unicodedata.category(c) in ("Mn", "Mc", "Me", "Cf") for c in token)


def is_code(word: Word) -> bool:
    """Whether it is a ticker, an acronym, a form or a number rather than a word."""
    return not word.plain or (word.text.isupper() and len(word.text) > 1) or sum(c.isupper() for c in word.text[1:]) > 0


def is_number(word: Word) -> bool:
    """Whether it has digits."""
    return any(c.isdigit() for c in word.text)


def changes_meaning(word: Word) -> bool:
    """Whether changing this word could change what is asked."""
    return is_code(word) or word.text.lower() in MEANT


def split_entity_words(entity: str) -> frozenset[str]:
    """The words of the entity that a question is about, in lower case."""
    return frozenset(w.lower() for w in re.findall(r"[^\W_]+", entity))


# Edits that keep track of what stayed in place

Edit = tuple[int, int, str]  # `text[start:end]` is replaced by this


def apply_edits(text: str, edits: Iterable[Edit], detail: str = "") -> Draft:
    """The text with these stretches replaced; ValueError where they overlap."""
    parts: list[tuple[int, int] | str] = []
    done = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        if start < done:
            raise ValueError(f"edits overlap at character {start}: {new!r}")
        parts += ((done, start), new)
        done = end
    return join_pieces(text, [*parts, (done, len(text))], detail)


BARREN = 8  # draws in a row without a new text, after which there are no more


def draw_distinct(text: str, draw: Callable[[], Draft]) -> Iterator[Draft]:
    """Drafts that differ from the text and from each other, until `BARREN` draws bring nothing new."""
    seen, barren = {text}, 0
    while barren < BARREN:
        draft = draw()
        barren = barren + 1 if draft.text in seen else 0
        if not barren:
            seen.add(draft.text)
            yield draft


def describe_changes(changes: Iterable[tuple[str, str]], most: int = 5) -> str:
    """The first few changes for a row's detail: "sales: slaes, what: waht"."""
    listed = list(changes)
    more = f", and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(f"{old}: {new}" for old, new in listed[:most]) + more


def compose_drafts(first: Draft, second: Draft) -> Draft:
    """A draft of a draft as one: the second text, with the places of what both left unchanged."""
    moves: list[Move] = []
    later = iter(second.moves)
    now = next(later, None)
    for move in first.moves:
        low, high = move.at, move.at + move.end - move.start  # its span in the text between
        while now and now.end <= low:
            now = next(later, None)
        while now and now.start < high:
            start, end = max(low, now.start), min(high, now.end)
            moves.append(Move(move.start + start - low, move.start + end - low, now.at + start - now.start))
            if now.end > high:
                break
            now = next(later, None)
    detail = "; ".join(filter(None, (first.detail, second.detail)))
    return Draft(second.text, tuple(moves), detail)
