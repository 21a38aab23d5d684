"""One value put in the place of another everywhere in a passage, in whatever notation it stands there."""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from functools import lru_cache

from rarefy.tasks.perturb.case import Move
from rarefy.tasks.perturb.context.figures import Figure, amount, figures, like, rescaled, with_article
from rarefy.tasks.text.names import ENDING
from rarefy.tasks.text.notations import numbers, occurs, same
from rarefy.tasks.text.sentences import sentences

Edit = tuple[int, int, str]  # text[start:end] becomes this

_LEGAL = re.compile(rf"{ENDING.pattern}|[,\s]+holdings\.?$", re.IGNORECASE)


def edited(text: str, edits: Iterable[Edit]) -> tuple[str, tuple[Move, ...]]:
    """The text with these places changed (they must not overlap), and where what stays of it then stands."""
    parts: list[str] = []
    moves: list[Move] = []
    at = length = 0
    for start, end, new in sorted(edits):
        for piece, moved in ((text[at:start], True), (new, False)):
            if piece and moved:
                moves.append(Move(at, start, length))
            parts.append(piece)
            length += len(piece)
        at = end
    if at < len(text):
        moves.append(Move(at, len(text), length))
        parts.append(text[at:])
    return "".join(parts), tuple(moves)


def agreed(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """These edits, the indefinite articles before them put right: "an 8%" for "a 12%"."""
    found: list[Edit] = []
    for start, end, new in edits:
        before = text[max(0, start - 6) : start]
        article = with_article(before, new)
        if article is not None:
            at = re.search(r"\b[Aa]n?(?=\W+$)", before)
            assert at is not None  # with_article found it
            place = max(0, start - 6) + at.start()
            if not any(place < b for _, b, _ in found):
                found.append((place, place + len(at.group()), article))
        found.append((start, end, new))
    return found


def of_value(text: str, old: str, aliases: Sequence[str], new: str, kind: str = "") -> list[Edit]:
    """The edits that put `new` wherever a text says `old`, in the notation of each place; [] where it cannot be done.

    A number is looked for in every notation, a name with and without its legal form, a person's (of `kind` PERSON)
    by the surname too. There are none where `new` is already said, since then two things would be one.
    """
    if not new.strip() or occurs(text, new):
        return []
    if _is_number(old) and _is_number(new):
        if any(same(other, numbers(new)[0]) for other in numbers(text)):  # said more exactly
            return []
        return agreed(text, _of_number(text, old, new))
    pairs = name_pairs(old, aliases, new)
    if kind == "PERSON" and len(old.split()) > 1 and len(new.split()) > 1:
        pairs.setdefault(*surnames(old, new))
    return agreed(text, _of_name(text, old, pairs))


@lru_cache(10_000)
def _is_number(text: str) -> bool:
    """Is this one number and its unit, so that its notation says all?"""
    return len(numbers(text)) == 1 and len(text.split()) <= 6


def _of_number(text: str, old: str, new: str) -> list[Edit]:
    was, now = amount(old), amount(new)
    if not was or not now:
        return []
    edits: list[Edit] = []
    sought = numbers(old)[0]
    for figure in figures(text):
        if not same(sought, figure.number):
            continue
        written = rescaled(figure.digits, now / was)
        if not written or (figure.number.year and len(written) != 4):
            return []  # so rounded a figure that the new one reads the same
        edits.append((figure.start, figure.end, written))
        if figure.share:
            edits += _rest(text, figure, Decimal(written.replace(",", "")))
    return list(dict.fromkeys(edits))


def _rest(text: str, figure: Figure, new: Decimal) -> list[Edit]:
    """What must then be the other part of the whole: 60 % of "38% and 62%" where the second becomes 40 %."""
    beside = [f for f in figures(text) if f.share and 0 < abs(f.start - figure.start) < 40]
    between = [f for f in beside if Decimal(f.digits) + Decimal(figure.digits) == 100 and new < 100]
    same_line = [f for f in between if "\n" not in text[min(f.start, figure.start) : max(f.end, figure.end)]]
    return [(f.start, f.end, like(f.digits, 100 - new)) for f in same_line[:1]]


def _of_name(text: str, old: str, pairs: dict[str, str]) -> list[Edit]:
    pattern = "|".join(_spaced(name) for name in sorted(pairs, key=lambda n: (-len(n), n)))
    edits: list[Edit] = []
    for match in re.finditer(rf"(?i)(?<!\w)(?:{pattern})(?!\w)", text):
        found = " ".join(match.group().split())
        address = re.match(r"\.\w", text[match.end() : match.end() + 2])
        if " " not in found and found.islower() and not old.islower() and not address:
            continue  # "cook" is not Mr. Cook, "nvidia.com" is NVIDIA's
        form = next(value for key, value in pairs.items() if key.casefold() == found.casefold())
        if re.match(r"\s[A-Z]", text[match.end() : match.end() + 2]):  # "One Meta Platforms Plaza"
            form = _short(form) if form != _short(form) and not _LEGAL.search(found) else form
        written = _stopped(text, match.end(), found, _cased(found, old, form))
        edits.append((*match.span(), written))
    return edits


def _stopped(text: str, end: int, found: str, new: str) -> str:
    """A name with one full stop, where one ends the sentence: that of "Inc." is also the sentence's."""
    if new.endswith(".") and text.startswith(".", end):
        return new[:-1]
    line = text.rfind("\n", 0, end) + 1
    alone = len(text[line:end].strip()) <= len(found) + 4  # on a cover, a name is a line
    last = found.endswith(".") and not new.endswith(".") and not alone
    return f"{new}." if last and any(line + stop == end for _, stop in sentences(text[line : end + 80])) else new


def _spaced(name: str) -> str:
    return r"\s+".join(re.escape(word) for word in name.split())


def name_pairs(old: str, aliases: Sequence[str], new: str) -> dict[str, str]:
    """What stands for each form of a name: its full form, the one without the legal form, a person's surname."""
    pairs = {" ".join(old.split()): new}
    short = _short(new)
    for form in (*aliases, _short(old)):
        if form.strip():
            pairs.setdefault(" ".join(form.split()), new if _LEGAL.search(form) else short)
    return pairs


def surnames(old: str, new: str) -> tuple[str, str]:
    """The surnames of two persons, for "Mr. Cook" after "Tim Cook"."""
    suffix = re.compile(r",?\s(?:Jr|Sr|II|III|IV)\.?$|,\s.*$")
    return suffix.sub("", old).split()[-1], suffix.sub("", new).split()[-1]


def _short(name: str) -> str:
    while (shorter := _LEGAL.sub("", name).strip(" ,")) != name and shorter:
        name = shorter
    return re.sub(r"^(?:The|the)\s+(?=\S+\s)", "", name)


def _cased(found: str, old: str, new: str) -> str:
    """A name in the case of the one that stood there: capitals of a cover, small letters of an address."""
    if found in old:
        return new
    if found.isupper() and len(found) > 1:
        return new.upper()
    if found.islower():
        return new.lower().replace(" ", "")
    return new


def nearness(old: Decimal, new: Decimal) -> Decimal:
    """How many times larger the larger of two amounts is."""
    small, large = sorted((abs(old), abs(new)))
    return large / small if small else Decimal("Infinity")
