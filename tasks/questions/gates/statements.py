"""What a number of a passage says: the row or sentence that it stands in, in the words that tell of what it is."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.questions.gates.measure_words import ASIDE, telling
from rarefy.tasks.text.dates import MONTHS, Moment, moments
from rarefy.tasks.text.markdown import CELL_BAR, split_cells
from rarefy.tasks.text.quantities import Quantity, number, quantities
from rarefy.tasks.text.sentences import sentences
from rarefy.tasks.text.stems import stem

NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?|(?<![\w.])\.\d+")
_BALANCE = re.compile(r"(?:ending )?balances?\b(?!.*beginning)", re.IGNORECASE)
_SIDE = re.compile(r"\b(?:assets|liabilities)\b", re.IGNORECASE)  # of a balance sheet: no row depends on it
_TOTAL = re.compile(r"\W*(?:(?:sub|grand )?totals?|net|consolidated)?\W*", re.IGNORECASE)  # of what stands above
_SUM = re.compile(r"\W*(?:sub-?)?totals?\b", re.IGNORECASE)
# a row whose bars were lost: "Cash and cash equivalents $ 1,874 $ 2,936"
_LOST_ROW = re.compile(r"[^\W\d][^\d$]*(?:[\s$(]+[\d,.]+[)%]?)+")
# a label for whatever its column measures, and remarks that are no part of a name
_AS_HEADED = re.compile(r"total amounts?\b.*\b(?:presented|reported|recorded)\b", re.IGNORECASE)
_REMARK = re.compile(r"\((?![^)]*\bexclu)[^)]{25,}\)", re.IGNORECASE)
_PROSE = 80  # characters of a cell that is a sentence, at least
_LABELLED = 400  # characters before a table, at most, that say what its figures are


@dataclass(frozen=True, slots=True)
class Statement:
    """A figure, with the words that say what it is and when."""

    quantity: Quantity
    label: frozenset[str]  # stems of the row's label, or of the sentence
    own: frozenset[str]  # those, of the column's head and of what the row depends on
    around: frozenset[str]  # those and what stands above the table, or before the sentence
    column: frozenset[str]  # of the column's head alone
    beside: tuple[str, str]  # what stands before and after the figure of a sentence, up to other figures
    when: str  # the column's head, or the sentence
    later: tuple[str, ...]  # where the period is looked for if that has none
    text: str  # the row, or the sentence, in which the figure's `start` and `end` are
    row: bool


def told_by(chunk: Chunk) -> str:
    """Whose figures and names a chunk tells of where it names nobody."""
    return chunk.entity or chunk.doc_id


@lru_cache(1 << 14)
def moments_in(text: str) -> tuple[Moment, ...]:
    return moments(text)


@lru_cache(1 << 14)
def digits_of(amount: Decimal) -> str:
    return "".join(map(str, amount.as_tuple().digits)).strip("0")


def read(chunk: Chunk, at: int) -> Statement | None:
    """What the number at a place of a chunk says; None where it is none that counts something."""
    text = chunk.text
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    line = text[start : end if end >= 0 else len(text)]
    return _read_row(chunk, line, start, at) if line.startswith("|") else _read_sentence(chunk, at)


def _read_row(chunk: Chunk, line: str, start: int, at: int) -> Statement | None:
    cells = split_cells(line)
    column = len(CELL_BAR.findall(line[: at - start])) - 1
    cell = cells[column] if column < len(cells) else ""
    quantity = number(cell.strip()) if column else None
    if quantity is None:
        return _read_sentence(chunk, at) if len(cell) > _PROSE else None
    above = chunk.text[:start].splitlines()
    first = len(above)
    while first and above[first - 1].startswith("|"):
        first -= 1
    head = split_cells(above[first]) if first < len(above) else []
    groups = _groups(above[first + 2 :])
    lead = " ".join(above[:first]).rstrip()[-_LABELLED:]
    label = _REMARK.sub("", " ".join(cell for cell in cells[:column] if not number(cell.strip())))
    label = "" if _AS_HEADED.match(label.strip()) else label
    top = head[column] if column < len(head) else ""
    hung_on = telling(groups[0] if groups else "")
    head_words = telling(ASIDE.sub("", top))
    named = telling(ASIDE.sub("", label))
    loose = _TOTAL.fullmatch(label) or _SIDE.search("".join(groups[:1]))
    own = telling(label) | telling(top) | (frozenset() if loose else hung_on)
    around = own | hung_on | telling(lead) | _telling_above(chunk, start) | telling("".join(head[:1]))
    later = (label, *groups, _next_balance(chunk.text, start), *head[:1], lead[-150:])
    return Statement(quantity, named, own, around, head_words, ("", ""), top, later, line, True)


def _telling_above(chunk: Chunk, start: int) -> frozenset[str]:
    """The words of the headings above a place."""
    heading = next((line for line in reversed(chunk.text[:start].splitlines()) if line.startswith("#")), "")
    return telling(chunk.section) | telling(heading)


def _groups(rows: list[str]) -> list[str]:
    """The labels without figures above a row: the nearest, and the nearest that says when, if that is another.

    What a total has closed above the row is none of them.
    """
    found: list[str] = []
    totals: list[frozenset[str]] = []
    for label, *figures in map(split_cells, reversed(rows)):
        if any(cell.strip() for cell in figures):
            totals += [telling(label)] if _SUM.match(label) else []
            continue
        if closed := next((words for words in totals if words and words <= telling(label)), None):
            totals.remove(closed)
            continue
        if not found or moments_in(label):
            found.append(label)
        if moments_in(label):
            break
    return found


def _next_balance(text: str, start: int) -> str:
    """The next balance below a row: of a statement of equity it says when the movements before it were."""
    for line in text[start:].splitlines()[1:]:
        if not line.startswith("|"):
            break
        label, *figures = (cell.strip() for cell in split_cells(line))
        day = any(figures) and not telling(label) and any(way.day for one in moments_in(label) for way in one.ways)
        if _BALANCE.match(label) or day:
            return label
    return ""


def _read_sentence(chunk: Chunk, at: int) -> Statement | None:
    text = chunk.text
    start, end = next(((a, b) for a, b in sentence_spans(text) if a <= at < b), (at, at))
    said = text[start:end]
    if "\n|" in said:  # a lead-in and its table
        said = said[: said.index("\n|")]
    found = quantities(said)
    quantity = next((one for one in found if one.digits[0] <= at - start < one.digits[1]), None)
    if quantity is None or quantity.year or quantity.kind == "place":
        return None
    own = telling(said)
    around = own | telling(text[max(0, start - _LABELLED) : start]) | _telling_above(chunk, start)
    beside = _beside(said, quantity, found)
    when = _when_of_lost_row(said, quantity, text[:start]) or _when(said, quantity)
    if not moments_in(when):
        when = _year_above(text, start) or when
    return Statement(quantity, own, own, around, frozenset(), beside, when, _said_before(text, start), said, False)


def _said_before(text: str, start: int) -> tuple[str, ...]:
    """The sentence before a place, where it is of the same paragraph."""
    before = next((text[a:b] for a, b in reversed(sentence_spans(text)) if b <= start), "")
    return (before,) if before and "\n" not in text[start - 2 : start] and not before.startswith("|") else ()


# how a paragraph opens that is of one year: "In 2024, ", "For fiscal year 2024, "
_OPENS = re.compile(
    r"\W*(?P<when>(?:in|during|for|throughout) (?:the )?(?:fiscal |calendar )?(?:years? )?"
    rf"(?:ended (?:{'|'.join(MONTHS)}) \d\d?, )?(?:19|20)\d\d),(?!\s*(?:19|20)\d\d)",
    re.IGNORECASE,
)


def _year_above(text: str, start: int) -> str:
    """The year with which the paragraph of a place opens; "" where it opens with none, or another sentence with one."""
    found = ""
    for a, b in reversed([span for span in sentence_spans(text) if span[1] <= start]):
        if "\n" in text[b:start] or text[a:b].startswith("|"):
            break
        if found:
            return ""
        opened = _OPENS.match(text[a:b])
        found, start = opened["when"] if opened else "", a
    return found


# "9% more than in 2023", "compared to $3.3 billion in 2022": of another time than the figure before it
NOT_THEN = re.compile(
    rf"\b(?:from|than|over|above|below|versus|compared (?:to|with))(?: \$?[\d.,]+(?: million| billion)?)?"
    rf"(?: (?:paid|spent|invested|used))?(?: in| at| for| during)?"
    rf"(?: the end of)?(?: fiscal)?(?: year)?(?: (?:{'|'.join(MONTHS)})(?: \d\d?,)?)? (?:19|20)\d\d\b",
    re.IGNORECASE,
)
IDLE = frozenset(  # beside the name of a measure, and no part of it
    stem(word)
    for word in (
        "was were is are has have had been be includes including recognized incurred generated about approximately "
        "nearly total totaled increased decreased grew grown rose declined amounted reached recorded reported up down "
        "from compared respectively primarily used related we our it company this these which record high strong solid "
        "unchanged outstanding made through paid reflecting reflects driven due partially offset prior period year "
        "well within shareholders stockholders"
    ).split()
)


_COUNTED = {
    "count": frozenset({"stock", "outstand", "expens", "aggreg"}),
    "money": frozenset[str](),
    "percent": frozenset[str](),
}


def _beside(said: str, quantity: Quantity, found: Iterable[Quantity]) -> tuple[str, str]:
    """What stands before and after a figure, up to other figures; of one in a row of figures, around the row."""
    others = [one for one in found if one.kind in ("money", "percent", "count") and not one.year]
    before, first = quantity.start, 0
    for one in reversed([one for one in others if one.end <= quantity.start]):
        if _parts(said[one.end : before], one.kind):
            first = one.end
            break
        before = one.start
    after, last = quantity.end, len(said)
    for one in [one for one in others if one.start >= quantity.end]:
        if _parts(said[after : one.start], one.kind):
            last = one.start
            break
        after = one.end
    return said[first:before], said[after:last]


def _parts(between: str, kind: str) -> bool:
    """Do the words between two figures tell that they are of two measures?"""
    return bool(telling(NUMBER.sub(" ", between)) - IDLE - _COUNTED[kind])


@lru_cache(1 << 12)
def sentence_spans(text: str) -> list[tuple[int, int]]:
    return sentences(text)


# "2022 net sales of", before a figure
_ITS_OWN = re.compile(r"[^,;.\d]*\b(?:of|was|were)(?: about| approximately)? \$?$")


def _when(said: str, quantity: Quantity) -> str:
    """What a sentence says of the time of one of its figures."""
    for hit in NOT_THEN.finditer(said):
        its_own = hit.end() <= quantity.start and _ITS_OWN.fullmatch(said[hit.end() : quantity.start])
        if hit.start() < quantity.start < hit.end() or its_own:
            return hit[0]
    return NOT_THEN.sub(" ", said)


def _when_of_lost_row(said: str, quantity: Quantity, before: str) -> str:
    """The time that the line above names for a figure of a row that lost its bars; "" where it names others."""
    if not _LOST_ROW.fullmatch(said.strip()):
        return ""
    times = moments_in(before.rstrip().rpartition("\n")[2])
    figures = [hit.end() for hit in NUMBER.finditer(said)]
    if len(times) != len(figures) or len(times) < 2:
        return ""
    place = sum(end <= quantity.digits[0] for end in figures)
    return before.rstrip().rpartition("\n")[2][times[place].start : times[place].end]


def digits_shown(quantity: Quantity) -> int:
    """How many digits of a figure are written; 1 of "9,000", which is anything's."""
    if (
        not quantity.amount
        or not quantity.grain
        or (len(digits_of(quantity.amount)) == 1 and not (quantity.scale or quantity.pointed))
    ):
        return 1
    return quantity.amount.adjusted() - quantity.grain.adjusted() + 1
