"""A passage made false throughout and left whole: figures scaled together, rows renamed, trends turned round."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from itertools import pairwise
from random import Random

from rarefy.data_contracts.rows import Swap
from rarefy.tasks.perturb.context.figures import Figure, as_round, figures
from rarefy.tasks.perturb.context.swaps import Edit, agreed, of_value
from rarefy.tasks.perturb.passages import DIVIDER, units

# Turned round only in what has happened: "may increase" is no fact, and its opposite no falsehood
_TREND = {
    "increased": "decreased",
    "decreased": "increased",
    "rose": "fell",
    "fell": "rose",
    "grew": "declined",
    "declined": "grew",
    "improved": "deteriorated",
    "strengthened": "weakened",
    "weakened": "strengthened",
    "higher than": "lower than",
    "lower than": "higher than",
}
# As verbs: "sales increased in Europe", not "an increased risk" and "the improved version"
_TURN = re.compile(
    rf"(?<=\w )(?<!\bthe )(?<!\ban )(?<!\ba )(?<!\bof )(?<!\band )(?<!\bor )(?<!\bwith )(?<!\bby )(?<!ing )(?<!\bnot )"
    rf"(?<!\bno )"
    rf"\b(?:{'|'.join(_TREND)})\b(?=\s(?:during|in|from|compared|as|due|primarily|slightly|significantly|modestly|sharply"
    rf"|substantially|somewhat|again|further|over|at|the|its|a)\b|[.;])"
)
_UNSURE = re.compile(r"(?i)\b(?:may|might|could|would|should|can|if|whether|from)\b")
# Rows that others are the sum or the difference of: moved, they would no longer be
_TOTAL = re.compile(
    r"(?i)\b(?:totals?|sub-?totals?|consolidated|worldwide|combined|overall|sum|net|gross|less|plus|other|per share"
    r"|balance|beginning|ending|revenues?|sales$|cost of|income|earnings|profit|margin|loss)\b|\(in "
)
# How long a year and a day are: no other amount could be told of them
_CALENDAR = frozenset(
    (Decimal(amount), unit)
    for unit, amounts in {"month": (12,), "week": (52, 53), "day": (360, 365, 366), "hour": (24,)}.items()
    for amount in amounts
)
_NOUN = re.compile(r"[\s-][a-z]{3}")  # what is counted, and no name
_IN_A_NAME = re.compile(r"(?<![.!?]\s)(?<!^)(?<!\w)[A-Z][\w&’'-]*\s$")  # "GeForce RTX 4080-class"; not "Some 50 games"
_CELL = re.compile(r"[^|]+")
_SORTS = {name: re.compile(p) for name, p in (("%", "%"), (".", r"\d\.\d"), ("(", r"^\("), ("1", r"\d"), ("a", ""))}


def falsified(text: str, swaps: Sequence[Swap], random: Random) -> list[Edit]:
    """The edits that make a passage false: of its tables' rows by exchange, of its sentences by other values."""
    own = units(text)
    prose = [(u.start, u.end) for u in own if u.kind == "sentence"]
    edits = list(_renamed([(u.start, u.end) for u in own if u.kind == "row"], text))
    if any(text[start:end] in text[a:b] for start, end, _ in edits for a, b in prose):
        edits = []  # the sentences beside a table would contradict it
    named = [edit for edit in _named(text, swaps) if _inside(edit, prose)]
    scaled = [] if _tabled(text, prose) else [e for e in _scaled(text, prose, random) if not _touches(e, named)]
    turned = [e for e in _turned(text, prose) if not _touches(e, (*named, *scaled))]
    found = agreed(text, sorted([*named, *scaled, *turned]))
    return sorted([*edits, *found])


def _tabled(text: str, prose: Sequence[tuple[int, int]]) -> bool:
    """Do sentences say a figure that a table beside them has too, "$10.5 billion" of 10,500, so that it would tell?"""
    own: set[str] = set()
    others: set[str] = set()
    for figure in figures(text):
        told = any(start <= figure.start < end for start, end in prose)
        if not (told and figure.number.year):
            (own if told else others).add(figure.number.figures)
    return bool(own & others)


def _inside(edit: Edit, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= edit[0] and edit[1] <= end for start, end in spans)


def _touches(edit: Edit, others: Iterable[Edit]) -> bool:
    return any(edit[0] < b and a < edit[1] for a, b, _ in others)


def _named(text: str, swaps: Sequence[Swap]) -> Iterator[Edit]:
    """Names, all places of one by the same other."""
    taken: list[Edit] = []
    gone: set[str] = set()
    for swap in swaps:
        if any(c.isdigit() for c in swap.old) or swap.old in gone or swap.kind in ("TEXT", "") or swap.old not in text:
            continue
        found = of_value(text, swap.old, (), swap.new, swap.kind)
        if found and swap.new not in {new for _, _, new in taken} and not any(_touches(edit, taken) for edit in found):
            gone.add(swap.old)
            taken += found
    yield from taken


def _scaled(text: str, spans: Sequence[tuple[int, int]], random: Random) -> Iterator[Edit]:
    """All sums and counts by one ratio, all shares by another: what is the sum or the change of others stays so."""
    up = random.random() < 0.5
    ratio = Decimal(random.randrange(115, 160) if up else random.randrange(62, 87)) / 100
    placing = [(f, next((i for i, (a, b) in enumerate(spans) if a <= f.start < b), -1)) for f in figures(text)]
    placed = [(f, i) for f, i in placing if i >= 0 and _may_change(text, f)]
    of_sentence: dict[int, list[Figure]] = defaultdict(list)
    for figure, i in placed:
        of_sentence[i].append(figure)
    largest = max((_value(f) for f, _ in placed if f.share), default=Decimal(0))
    part = Decimal(random.randrange(60, 88) if largest * Decimal("1.5") > 95 else random.randrange(120, 150)) / 100
    for own in of_sentence.values():
        changed = [(figure, _scale(figure, own, ratio, part)) for figure in own]
        if _in_order(changed):
            yield from ((f.start, f.end, new) for f, new in changed if new != f.digits)


def _scale(figure: Figure, beside: Sequence[Figure], ratio: Decimal, part: Decimal) -> str:
    """A figure's digits as they become among the others of its sentence; as they are where they must stay."""
    value = _value(figure)
    if not figure.share:
        return as_round(figure.digits, value * ratio)
    together = [f for f in beside if f.share]
    if value == 100 or len(beside) - len(together) > 1:
        return figure.digits  # the change of two sums that are scaled alike
    if len(together) > 1 and abs(sum((_value(f) for f in together), Decimal(-100))) <= 1:
        return together[-1 - together.index(figure)].digits  # the parts of a whole change places
    return as_round(figure.digits, value * part)


def _in_order(changed: Sequence[tuple[Figure, str]]) -> bool:
    """Is what was more still more, what was the same still the same, and nothing naught? Shares may change places."""
    counts = sorted((_value(f), Decimal(new.replace(",", ""))) for f, new in changed if not f.share)
    ordered = all((a < c) == (b < d) and b <= d for (a, b), (c, d) in pairwise(counts))
    return ordered and all(Decimal(new.replace(",", "")) for _, new in changed)


def _value(figure: Figure) -> Decimal:
    return Decimal(figure.digits.replace(",", ""))


def _may_change(text: str, figure: Figure) -> bool:
    """Is this a sum, a share or a count of something, rather than a year, how long one is, or part of a name?"""
    one = figure.quantity
    if one.year or (one.amount, one.unit) in _CALENDAR:
        return False
    if one.kind in ("money", "percent", "points") or one.scale:
        return True
    named = _IN_A_NAME.search(text[max(0, figure.start - 24) : figure.start])
    return one.kind in ("count", "measure") and not named and _NOUN.match(text, figure.end) is not None


def _turned(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Edit]:
    """Trends of sentences that name no figure by which they could be told false."""
    for start, end in spans:
        sentence = text[start:end]
        if figures(sentence) or _UNSURE.search(sentence):
            continue
        for match in _TURN.finditer(sentence):
            yield start + match.start(), start + match.end(), _TREND[match.group()]


def _renamed(rows: Sequence[tuple[int, int]], text: str) -> Iterator[Edit]:
    """The labels of rows of one sort, each moved to the next row, the last one's to the first: sums still hold."""
    run: list[tuple[int, int, str, Decimal]] = []
    sort = ""
    for start, end in (*rows, (0, 0)):
        cells = [match.span() for match in _CELL.finditer(text, start, end)]
        cells = [(a, b) for a, b in cells if text[a:b].strip()]
        label = text[slice(*cells[0])].strip() if cells else ""
        kind = _sort([text[a:b].strip() for a, b in cells[1:]])
        full = all(re.search(r"[1-9]", text[a:b]) or not re.search(r"[\d—–-]", text[a:b]) for a, b in cells[1:])
        ordinary = full and len(re.findall(r"[^\W\d_]{2,}", label)) > 0 and not _TOTAL.search(label) and kind
        if not ordinary or (run and kind != sort):
            yield from _rotated(run)
            run = []
        if ordinary and DIVIDER.match(text[start:end].strip()) is None:
            at = text.index(label, start)
            digits = re.search(r"\d[\d,]*(?:\.\d+)?", text[cells[1][0] : end])
            run.append(
                (at, at + len(label), label, Decimal(digits.group().replace(",", "")) if digits else Decimal(-1))
            )
            sort = kind
    yield from _rotated(run)


def _rotated(rows: Sequence[tuple[int, int, str, Decimal]]) -> Iterator[Edit]:
    run = [(start, end, label) for start, end, label, _ in rows]
    amounts = [amount for *_, amount in rows]
    if len(run) > 2 and amounts[-1] == sum(amounts[:-1], Decimal(0)):  # a total by another name
        run = run[:-1]
    if len(run) > 1 and len({label for _, _, label in run}) == len(run):
        for (start, end, _), (_, _, label) in zip(run, (*run[1:], run[0]), strict=True):
            yield start, end, label


def _sort(cells: Sequence[str]) -> str:
    """How a row's cells look, so that labels move only among rows of one sort: sums, shares, words."""
    if not any(cells):
        return ""
    return " ".join(
        next(sort for sort, pattern in _SORTS.items() if pattern.search(cell))
        for cell in cells
        if cell not in ("—", "–", "-")
    )
