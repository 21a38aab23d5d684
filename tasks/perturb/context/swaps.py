"""Replace a value by another everywhere in a passage, in whatever notation it is written."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from random import Random

from rarefy.tasks.perturb.case import Move, join_pieces
from rarefy.tasks.text.dates import moments
from rarefy.tasks.text.names import ENDING
from rarefy.tasks.text.notations import Number, contains_answer, find_numbers, is_same_number, to_number
from rarefy.tasks.text.quantities import Quantity, quantities
from rarefy.tasks.text.sentences import sentences

# Figures and their notation

# Digits that can be written anew: without separators, or with those of English
_DIGITS = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.\d+|\d+")
# "an 8", "an 11", "an 18", "an 80", "an 800", "an 11,000": by how the first group of digits is said
_AN = re.compile(r"[$€£¥]?(?:8|1[18](?!\d)|1[18],\d{3}(?:,\d{6})*(?![\d,]))")


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in a text: `text[start:end]` are its digits, without sign, currency and scale word."""

    start: int
    end: int
    digits: str
    number: Number
    share: bool  # per cent or percentage points; basis points are none
    quantity: Quantity


@lru_cache(500)  # a passage is searched for each value that could be changed in it
def find_figures(text: str) -> tuple[Figure, ...]:
    """The quantities of a text, in order, without dates, zeros, and numbers of notes, sections and forms."""
    found = quantities(text)
    return tuple(
        Figure(*quantity.digits, digits, to_number(quantity), _is_share(quantity, digits), quantity)
        for at, quantity in enumerate(found)
        if quantity.value
        and quantity.kind != "place"
        and (digits := _editable_digits(text, quantity))
        and _is_range_editable(text, found, at)
    )


def _is_share(quantity: Quantity, digits: str) -> bool:
    return quantity.kind in ("percent", "points") and Decimal(digits.replace(",", "")) == quantity.amount


def _editable_digits(text: str, quantity: Quantity) -> str:
    """The digits of a quantity; "" where they cannot be rewritten ("2-1/4", "five")."""
    digits = text[slice(*quantity.digits)]
    return digits if _DIGITS.fullmatch(digits) else ""


def _is_range_editable(text: str, found: Sequence[Quantity], at: int) -> bool:
    """Whether the other end of a range can be rewritten too; else the range could be reversed: "3 to 2-1/4 percent"."""
    beside = {"from": at + 1, "to": at - 1}.get(found[at].part)
    return beside is None or _editable_digits(text, found[beside]) != ""


def parse_amount(text: str) -> Decimal | None:
    """The first amount in a text, with its scale: 47500000000 of "$47.5 billion"; None where there is none."""
    return next((quantity.amount for quantity in quantities(text)), None)


def format_like(digits: str, value: Decimal) -> str:
    """A value with the decimals and separators of these digits: 26044.2 like "47,525" is "26,044"."""
    decimals = len(digits.partition(".")[2])
    rounded = value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    grouped = "," in digits or (rounded >= 1000 and len(digits.partition(".")[0]) < 4)
    written = f"{rounded:,f}" if grouped else f"{rounded:f}"
    return written.removeprefix("0") if digits.startswith(".") and rounded < 1 else written


def scale_digits(digits: str, ratio: Decimal) -> str:
    """The digits times `ratio`, in their notation; "" where rounding leaves zero or the same figure."""
    value = Decimal(digits.replace(",", ""))
    written = format_like(digits, value * ratio)
    new = Decimal(written.replace(",", ""))
    return "" if not new or new == value else written


def correct_article(before: str, new: str) -> str | None:
    """The article at the end of `before` as a new word or figure needs it; None where it can stay."""
    match = re.search(r"\b([Aa])(n?)(?=\s+(?:\(?[$€£¥“\"'(]?)?$)", before)
    if match is None:
        return None
    wanted = "n" if _starts_with_vowel(new) else ""
    return None if wanted == match[2] else f"{match[1]}{wanted}"


def _starts_with_vowel(word: str) -> bool:
    if word[:1].isdigit():
        return _AN.match(word) is not None
    first = word.casefold()
    return first[:1] in "aeiou" and not re.match(r"uni|eu|one\b|use|u\.", first)


def is_in_range(text: str, start: int, end: int) -> bool:
    """Whether digits are one end of a range like "6-7", which could be turned round."""
    return (
        re.match(r"\s?[-–]\s?\d", text[end : end + 4]) is not None
        or re.search(r"\d\s?[-–]\s?\Z", text[max(start - 4, 0) : start]) is not None
    )


def draw_figures(old: str, random: Random) -> Iterator[str]:
    """Random figures in the notation of one: wrong but plausible, 0.6 to 1.6 times as large; years move by 1 to 4."""
    found = find_figures(old)
    years = [moment for moment in moments(old) if moment.years] if not found else []
    if not found and not years:
        return
    start, end = (found[0].start, found[0].end) if found else (years[0].end - 4, years[0].end)
    digits = old[start:end]
    if not _DIGITS.fullmatch(digits) or is_in_range(old, start, end):
        return
    value = Decimal(digits.replace(",", ""))
    year = not found or found[0].number.year
    percent = bool(found) and found[0].number.percent
    for _ in range(60):
        if year:
            written = str(int(digits) + random.choice((-4, -3, -2, -1, 1, 2, 3)))
        else:
            ratio = Decimal(random.choice((*range(60, 90), *range(112, 160)))) / 100
            written = round_like(digits, value * ratio)
        new = Decimal(written.replace(",", ""))
        if new and new != value and not (percent and value <= 100 < new):
            yield old[:start] + written + old[end:]


def round_like(digits: str, value: Decimal) -> str:
    """As `format_like`, with as many zeros at the end as the digits have, so that "30 days" do not become "41 days"."""
    zeros = len(digits) - len(digits.rstrip("0,")) - digits[len(digits.rstrip("0,")) :].count(",")
    if "." in digits or not zeros:
        return format_like(digits, value)
    step = Decimal(10) ** zeros
    if value < 2 * step:
        step /= 2
    return format_like(digits, max((value / step).quantize(Decimal(1), ROUND_HALF_UP), Decimal(1)) * step)


Edit = tuple[int, int, str]  # text[start:end] becomes this

_LEGAL = re.compile(rf"{ENDING.pattern}|[,\s]+holdings\.?$", re.IGNORECASE)


def apply_edits(text: str, edits: Iterable[Edit]) -> tuple[str, tuple[Move, ...]]:
    """The text with these places changed, and the moves of its unchanged pieces."""
    parts: list[tuple[int, int] | str] = []
    at = 0
    for start, end, new in sorted(edits):
        parts += ((at, start), new)
        at = end
    draft = join_pieces(text, [*parts, (at, len(text))])
    return draft.text, draft.moves


def correct_articles(text: str, edits: Sequence[Edit]) -> list[Edit]:
    """The edits, and those that correct the indefinite article before each: "an 8%" for "a 12%"."""
    found: list[Edit] = []
    for start, end, new in edits:
        before = text[max(0, start - 6) : start]
        article = correct_article(before, new)
        if article is not None:
            at = re.search(r"\b[Aa]n?(?=\W+$)", before)
            assert at is not None  # correct_article found it
            place = max(0, start - 6) + at.start()
            if not any(place < b for _, b, _ in found):
                found.append((place, place + len(at.group()), article))
        found.append((start, end, new))
    return found


def replace_value(text: str, old: str, aliases: Sequence[str], new: str, kind: str = "") -> list[Edit]:
    """The edits that put `new` for `old` everywhere in a text, in the notation of each place; [] where that fails.

    A number is found in every notation, a name with and without its legal form, a person (of `kind` PERSON) by the
    surname too. It fails where the text already has `new`, since then two things would become one.
    """
    if not new.strip() or contains_answer(text, new):
        return []
    if _is_number(old) and _is_number(new):
        put = find_numbers(new)[0]
        if any(is_same_number(other, put) for other in find_numbers(text)):  # there already, more exactly
            return []
        return correct_articles(text, _replace_number(text, old, new))
    pairs = map_name_forms(old, aliases, new)
    if kind == "PERSON" and len(old.split()) > 1 and len(new.split()) > 1:
        pairs.setdefault(*map_surnames(old, new))
    return correct_articles(text, _replace_name(text, old, pairs))


@lru_cache(10_000)
def _is_number(text: str) -> bool:
    """Whether this is a single number with its unit."""
    return len(find_numbers(text)) == 1 and len(text.split()) <= 6


def _replace_number(text: str, old: str, new: str) -> list[Edit]:
    was, now = parse_amount(old), parse_amount(new)
    if not was or not now:
        return []
    edits: list[Edit] = []
    sought = find_numbers(old)[0]
    for figure in find_figures(text):
        if not is_same_number(sought, figure.number):
            continue
        written = scale_digits(figure.digits, now / was)
        if not written or (figure.number.year and len(written) != 4):
            return []  # so rounded a figure that the new one reads the same
        edits.append((figure.start, figure.end, written))
        if figure.share:
            edits += _replace_complement(text, figure, Decimal(written.replace(",", "")))
    return list(dict.fromkeys(edits))


def _replace_complement(text: str, figure: Figure, new: Decimal) -> list[Edit]:
    """The edit of the other part of a whole: in "38% and 62%", 60 % where the second becomes 40 %."""
    beside = [f for f in find_figures(text) if f.share and 0 < abs(f.start - figure.start) < 40]
    between = [f for f in beside if Decimal(f.digits) + Decimal(figure.digits) == 100 and new < 100]
    same_line = [f for f in between if "\n" not in text[min(f.start, figure.start) : max(f.end, figure.end)]]
    return [(f.start, f.end, format_like(f.digits, 100 - new)) for f in same_line[:1]]


def _replace_name(text: str, old: str, pairs: dict[str, str]) -> list[Edit]:
    pattern = "|".join(_name_pattern(name) for name in sorted(pairs, key=lambda n: (-len(n), n)))
    edits: list[Edit] = []
    for match in re.finditer(rf"(?i)(?<!\w)(?:{pattern})(?!\w)", text):
        found = " ".join(match.group().split())
        address = re.match(r"\.\w", text[match.end() : match.end() + 2])
        if " " not in found and found.islower() and not old.islower() and not address:
            continue  # "cook" is not Mr. Cook, "nvidia.com" is NVIDIA's
        form = next(value for key, value in pairs.items() if key.casefold() == found.casefold())
        if re.match(r"\s[A-Z]", text[match.end() : match.end() + 2]):  # "One Meta Platforms Plaza"
            form = _drop_legal_form(form) if form != _drop_legal_form(form) and not _LEGAL.search(found) else form
        written = _adjust_full_stop(text, match.end(), found, _match_case(found, old, form))
        edits.append((*match.span(), written))
    return edits


def _adjust_full_stop(text: str, end: int, found: str, new: str) -> str:
    """A name with a full stop where it ends the sentence: that of "Inc." is also the sentence's."""
    if new.endswith(".") and text.startswith(".", end):
        return new[:-1]
    line = text.rfind("\n", 0, end) + 1
    alone = len(text[line:end].strip()) <= len(found) + 4  # on a cover, a name is a line
    last = found.endswith(".") and not new.endswith(".") and not alone
    return f"{new}." if last and any(line + stop == end for _, stop in sentences(text[line : end + 80])) else new


def _name_pattern(name: str) -> str:
    return r"\s+".join(re.escape(word) for word in name.split())


def map_name_forms(old: str, aliases: Sequence[str], new: str) -> dict[str, str]:
    """The replacement of each form of a name: in full, without the legal form, and its aliases."""
    pairs = {" ".join(old.split()): new}
    short = _drop_legal_form(new)
    for form in (*aliases, _drop_legal_form(old)):
        if form.strip():
            pairs.setdefault(" ".join(form.split()), new if _LEGAL.search(form) else short)
    return pairs


def map_surnames(old: str, new: str) -> tuple[str, str]:
    """The surnames of two persons, for "Mr. Cook" after "Tim Cook"."""
    suffix = re.compile(r",?\s(?:Jr|Sr|II|III|IV)\.?$|,\s.*$")
    return suffix.sub("", old).split()[-1], suffix.sub("", new).split()[-1]


def _drop_legal_form(name: str) -> str:
    while (shorter := _LEGAL.sub("", name).strip(" ,")) != name and shorter:
        name = shorter
    return re.sub(r"^(?:The|the)\s+(?=\S+\s)", "", name)


def _match_case(found: str, old: str, new: str) -> str:
    """A name in the case of the one it replaces: capitals of a cover, small letters of an address."""
    if found in old:
        return new
    if found.isupper() and len(found) > 1:
        return new.upper()
    if found.islower():
        return new.lower().replace(" ", "")
    return new


def size_ratio(old: Decimal, new: Decimal) -> Decimal:
    """How many times larger the larger of two amounts is."""
    small, large = sorted((abs(old), abs(new)))
    return large / small if small else Decimal("Infinity")
