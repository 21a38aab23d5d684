"""Delete the answer and its evidence from a gold chunk, and what it could be worked out from (RARE §5.2, C.2)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, product
from math import log10
from random import Random

from rarefy.tasks.perturb.case import Case, Draft, Move
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.text import quantities
from rarefy.tasks.text.markdown import split_cells
from rarefy.tasks.text.notations import Number, contains_answer, find_numbers, is_same_number
from rarefy.tasks.text.sentences import sentences

# Sums: what can be worked out from the rest of a table or sentence

LONGEST = 40  # rows of one sum, at most: the longest statements of cash flows
MIXED = 4  # rows tried with every combination of signs, at most: more fit by accident
CLEAR = 1_000  # units of the last place from which a total may differ from its parts by rounding
EXACT = 30  # below so many units of the last place, sums fit by accident
SHARE = 0.006  # relative error of a figure worked out from a whole percentage
TRIED = (60, 40, 20)  # candidates when one, two or three rows are removed: some 1,000 tries each

AROUND = 150  # rows before and after the answer's that are considered

_CHANGE = re.compile(
    r"\b(?:increas|decreas|grew|grow|rose|ris|fell|fall|declin|compared|versus|from|up|down|higher|lower|less|more"
    r"|plus|minus|net of|remain|consist|compris|includ|total)", re.IGNORECASE,
)  # fmt: skip

Relation = frozenset[int]
"""Rows of which each follows from the others."""


def parse_cell(cell: str) -> float | None:
    """The figure of a cell, negative in parentheses or after a minus; None for words, shares, dates and dashes."""
    quantity = quantities.number(cell.strip())
    return float(quantity.value) if quantity and quantity.kind in ("money", "bare") and not quantity.worded else None


def find_revealing_rows(
    rows: Sequence[str], gone: set[int], answers: set[int], columns: Iterable[int]
) -> set[int] | None:
    """Further rows to delete so that no answer row can be worked out in these columns; None where three do not do.

    `gone` are the rows deleted so far, `answers` those of them that hold the answer.
    """
    low = max(min(answers) - AROUND, 0)
    table = [split_cells(row) for row in rows[low : max(answers) + AROUND]] if max(answers) - low <= 2 * AROUND else []
    gone, answers = {i - low for i in gone}, {i - low for i in answers}
    extra: set[int] = set()
    for column in columns:
        figures = [parse_cell(row[column]) if column < len(row) else None for row in table]
        found = _find_rows_to_hide(find_relations(tuple(figures)), gone | extra, answers, figures)
        if found is None:
            return None
        extra |= found
    return {i + low for i in extra}


@lru_cache(500)  # a table has several questions
def find_relations(figures: tuple[float | None, ...]) -> list[Relation]:
    """Relations in a column: totals below or above their parts, and equal figures."""
    known = {i: figure for i, figure in enumerate(figures) if figure}
    unit = min((_last_place(figure) for figure in known.values()), default=1.0)
    found = set(_find_totals(known, sorted(known), unit, signs=True)) | set(
        _find_totals(known, sorted(known)[::-1], unit, False)
    )
    equal: dict[float, list[int]] = {}
    for i, figure in known.items():
        if abs(figure) >= CLEAR * unit:
            equal.setdefault(abs(figure), []).append(i)
    found |= {frozenset(pair) for same_ in equal.values() for pair in combinations(same_[:10], 2)}
    return sorted(found, key=sorted)


def is_derivable(sentence: str, answers: Iterable[str]) -> bool:
    """Whether a sentence about a change or parts gives figures from which an answer follows."""
    if not _CHANGE.search(sentence):
        return False
    sought = [found[0] for found in map(find_numbers, answers) if len(found) == 1 and len(found[0].figures) > 2]
    if not sought:
        return False
    numbers_given = [number for number in find_numbers(sentence) if not number.year][:12]
    derived = list(_combine_pairs(numbers_given))
    shares, bases = [n for n in numbers_given if n.percent], [n for n in numbers_given if not n.percent]
    return any(is_same_number(wanted, number, 3) for wanted in sought for number in derived) or any(
        _is_growth(wanted, base, share) for wanted in sought for base in bases for share in shares
    )


def _find_totals(known: dict[int, float], order: Sequence[int], unit: float, signs: bool) -> Iterator[Relation]:
    """Totals of preceding rows in this order; rows once summed up are then represented by their total."""
    open_: list[int] = []
    for i in order:
        total, folded = known[i], 0
        for k in range(2, min(len(open_), LONGEST) + 1):
            parts = [known[j] for j in open_[-k:]]
            plain = _is_sum(parts, total, unit)
            rest = signs and _equals_total(parts[0] - sum(parts[1:]), total, unit, False)
            if plain or rest:
                yield frozenset((i, *open_[-k:]))
                # in a balance sheet a part is the rest of the whole, but no total of further sums
                folded = folded or (k if plain or k <= MIXED else 0)
        for k in range(2, min(len(open_), MIXED) + 1 if signs and not folded else 0):
            parts = [known[j] for j in open_[-k:]]
            ways = (sum(s * p for s, p in zip(way, parts, strict=True)) for way in product((1, -1), repeat=k))
            if any(_equals_total(amount, total, unit, False) for amount in ways):
                yield frozenset((i, *open_[-k:]))
                break
        if folded:
            del open_[-folded:]
        open_.append(i)


def _is_sum(parts: Sequence[float], total: float, unit: float) -> bool:
    return _equals_total(sum(parts), total, unit, True) or _equals_total(sum(map(abs, parts)), total, unit, False)


def _equals_total(amount: float, total: float, unit: float, rounded: bool) -> bool:
    """Whether an amount is the total, of either sign, up to rounding where `rounded`."""
    if abs(total) < EXACT * unit:
        return False
    off = abs(abs(amount) - abs(total))
    return off < unit / 2 or (rounded and amount * total > 0 and abs(total) >= CLEAR * unit and off < 2.5 * unit)


def _find_rows_to_hide(
    known: Sequence[Relation], gone: set[int], answers: set[int], figures: Sequence[float | None]
) -> set[int] | None:
    """The fewest further rows to delete so that no answer follows; None where three are not enough."""
    if not _is_answer_derivable(known, gone, answers):
        return set()
    beside = {i for relation in known if relation & answers for i in relation}
    totals = {max(relation) for relation in known if relation & answers}
    candidates = sorted(
        {i for relation in known for i in relation} - gone,
        key=lambda i: (i not in beside, i not in totals, -abs(figures[i] or 0), i),  # its total, or its weightiest part
    )
    for size, tried in enumerate(TRIED, 1):
        for extra in combinations(candidates[:tried], size):
            if not _is_answer_derivable(known, gone.union(extra), answers):
                return set(extra)
    return None


def _is_answer_derivable(known: Sequence[Relation], gone: set[int], answers: set[int]) -> bool:
    """Whether an answer row can be worked out, step by step, from the rows that are left."""
    unknown = set(gone)
    while True:
        solved = {next(iter(lacking)) for relation in known if len(lacking := relation & unknown) == 1}
        if solved & answers:
            return True
        if not solved:
            return False
        unknown -= solved


def _last_place(figure: float) -> float:
    """The unit of the last decimal of a figure."""
    return 1.0 if figure == int(figure) else 10.0 ** -len(f"{figure:.6f}".rstrip("0").partition(".")[2])


def _combine_pairs(given: Sequence[Number]) -> Iterator[Number]:
    """Sums and differences of two figures of one scale."""
    for first, second in combinations(given, 2):
        if first.scale == second.scale and first.percent == second.percent and not first.percent:
            results = (_to_float(first) + _to_float(second), abs(_to_float(first) - _to_float(second)))
            yield from filter(None, (_from_float(amount, first.scale) for amount in results))


def _is_growth(wanted: Number, base: Number, share: Number) -> bool:
    """Whether a number is the base changed by the percentage, in whatever thousands they are counted."""
    ratio = _to_float(wanted) / _to_float(base)
    for expected in (1 + _to_float(share) / 100, 1 - _to_float(share) / 100):
        if expected > 0:
            times = ratio / expected
            if abs(times / 1000 ** round(log10(times) / 3) - 1) < SHARE:
                return True
    return False


def _to_float(number: Number) -> float:
    return float(f"{number.figures}e{number.power - len(number.figures)}")


def _from_float(amount: float, scale: int) -> Number | None:
    """A number rounded to 12 digits; None for zero."""
    if amount < 1e-9:
        return None
    mantissa, _, exponent = f"{amount:.11e}".partition("e")
    return Number(mantissa.replace(".", "").rstrip("0"), int(exponent) + 1, scale, percent=False, year=False)


Spans = tuple[tuple[int, int], ...]

_DIVIDER = re.compile(r"\|?\s*:?-{3,}")
_LINE = re.compile(r"[^\n]+")
DETAILED = 500  # characters of the deleted text in a row's detail
REMEMBERED = 50_000  # characters of the longest text that is cached
_RUN = re.compile(r"\n+|[^\n]+")
_WORD = re.compile(r"\d[\d.,]*\d|\d|[^\W\d_]{3,}")
FEWEST = 3  # words that a question and its evidence share, at least, so that the fact is found again
KNOWN = (
    0.8  # share of them that a restatement has, with all figures: "Mr. Turner was named COO" of a row of B. K. Turner
)


def answer_deleted(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The passage without its evidence, restatements of it, and the answer in any notation.

    What the answer can be worked out from is deleted too: its total or largest part in a table, a sentence on its
    growth. Tables lose whole rows and keep headers and group labels. Refused: `nothing_deleted` (neither evidence nor
    answer in it), `answer_remains` (in a table's header, say, or in sums of too many rows), `nothing_left`.
    """
    text = case.text
    units = _split_units(text)
    quoted = {text[start:end].strip().casefold() for start, end in case.spans}
    quoted |= {sentence.strip().casefold() for sentence in case.evidence}  # of all gold chunks
    gone = {u for u in units if any(u[0] < end and start < u[1] for start, end in case.spans)}
    gone |= {u for u in units if text[u[0] : u[1]].strip().casefold() in quoted}
    gone |= {u for u in units if contains_answer(text[u[0] : u[1]], case.answer, case.aliases)}
    gone |= set(_find_restatements(case, units, gone))
    gone |= {u for u in units if text[u[0]] != "|" and is_derivable(text[u[0] : u[1]], (case.answer, *case.aliases))}
    left = _delete_spans(text, gone)
    if contains_answer(left.text, case.answer, case.aliases):  # across the end of a sentence or row: delete lines
        gone |= {
            line for line in _find_lines(text) if contains_answer(text[line[0] : line[1]], case.answer, case.aliases)
        }
        gone = {line for line in gone if not _is_header(text, line)}
    summed = _find_summed_rows(case, gone)
    if summed:
        gone |= summed
    left = _delete_spans(text, gone)
    if summed is None:
        yield Draft(text, refused="answer_remains", detail="it follows from other rows of its table")
    elif contains_answer(left.text, case.answer, case.aliases):
        yield Draft(text, refused="answer_remains")
    elif not gone:
        yield Draft(text, refused="nothing_deleted")
    elif not any(c.isalnum() for c in left.text) or all(_is_header(left.text, line) for line in _find_lines(left.text)):
        yield Draft(text, refused="nothing_left")
    else:
        yield replace(left, detail=" … ".join(text[start:end] for start, end in sorted(gone))[:DETAILED])


def _find_restatements(case: Case, units: Spans, gone: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Units that restate deleted evidence that does not contain the answer."""
    asked = set(_WORD.findall(case.question.casefold()))
    for start, end in sorted(gone):
        told_ = case.text[start:end]
        shared = asked & set(_WORD.findall(told_.casefold()))
        if len(shared) < FEWEST or contains_answer(told_, case.answer, case.aliases):
            continue
        figures = {word for word in shared if word[0].isdigit()}
        for a, b in units:
            common = shared & set(_WORD.findall(case.text[a:b].casefold()))
            if len(common) >= max(FEWEST, KNOWN * len(shared)) and figures <= common:
                yield a, b


def _find_summed_rows(case: Case, gone: set[tuple[int, int]]) -> set[tuple[int, int]] | None:
    """Rows to delete so that the answer in a deleted row cannot be worked out; None where they are too many."""
    text, extra = case.text, set[tuple[int, int]]()
    for table in _find_tables(text):
        rows = [text[start:end] for start, end in table]
        lost = {i for i, row in enumerate(table) if row in gone}
        columns = {
            (i, column)
            for i in lost
            for column, cell in enumerate(split_cells(rows[i]))
            if contains_answer(cell, case.answer, case.aliases)
        }
        if not columns:
            continue
        found = find_revealing_rows(rows, lost, {i for i, _ in columns}, sorted({column for _, column in columns}))
        if found is None:
            return None
        extra |= {table[i] for i in found}
    return extra


def _find_tables(text: str) -> Iterator[list[tuple[int, int]]]:
    """The rows of each table, without its header."""
    table: list[tuple[int, int]] = []
    for line in [*_find_lines(text), (len(text) + 2, len(text) + 2)]:
        is_row = text.startswith("|", line[0])
        if table and (not is_row or line[0] > table[-1][1] + 1):
            yield table
            table = []
        if is_row and not (not table and _is_header(text, line)):
            table.append(line)
    if table:
        yield table


def _find_lines(text: str) -> list[tuple[int, int]]:
    return [m.span() for m in _LINE.finditer(text)]


def _is_header(text: str, line: tuple[int, int]) -> bool:
    """Whether a line is a table's header, or the divider below it."""
    start, end = line
    if not text.startswith("|", start):
        return False
    following = text[end + 1 : end + 8]
    return _DIVIDER.match(text, start) is not None or _DIVIDER.match(following) is not None


def _is_group(row: str) -> bool:
    """Whether a row has only a label, for the group of rows below."""
    return not any(cell.strip() for cell in row.strip("|").split("|")[1:])


def _split_units(text: str) -> Spans:
    return _split_cached(text) if len(text) <= REMEMBERED else _split_units_of(text)


def _split_units_of(text: str) -> Spans:
    """Spans that can be deleted, in order: rows of tables but headers, and sentences of other lines."""
    units = []
    for start, end in _find_lines(text):
        if text.startswith("|", start):
            if not _is_header(text, (start, end)) and not _is_group(text[start:end]):
                units.append((start, end))
        else:
            units += [(start + a, start + b) for a, b in sentences(text[start:end])]
    return tuple(units)


_split_cached = lru_cache(1000)(_split_units_of)  # a chunk has several questions


def _delete_spans(text: str, gone: Iterable[tuple[int, int]]) -> Draft:
    """The text without these spans and the gaps that they leave."""
    kept: list[tuple[int, int]] = []
    at = 0
    for start, end in sorted(gone):
        if end <= at:
            continue
        begin, stop, at = at, max(start, at), end
        # A row's line break and the space after a sentence go with them.
        if text[at : at + 1] in ("", "\n"):
            while stop > begin and text[stop - 1] == " ":
                stop -= 1
        kept.append((begin, stop))
        if text.startswith(" ", at) or (text.startswith("\n", at) and (start == 0 or text[start - 1] == "\n")):
            at += 1
    return _join_kept(text, [*kept, (at, len(text))])


def _join_kept(text: str, kept: Iterable[tuple[int, int]]) -> Draft:
    """The kept spans joined, with one blank line at most between them and none at either end."""
    moves: list[Move] = []
    length, breaks = 0, 2  # breaks: how many the text ends in, as if it began after a blank line
    for start, end in kept:
        for match in _RUN.finditer(text, start, end):
            low, high = match.span()
            if text[low] == "\n":
                high = min(high, low + 2 - breaks)
                breaks += high - low
            else:
                breaks = 0
            if low < high:
                moves.append(Move(low, high, length))
                length += high - low
    while moves and text[moves[-1].start] == "\n":
        moves.pop()
    return Draft("".join(text[move.start : move.end] for move in moves), tuple(_merge_moves(moves)))


def _merge_moves(moves: Iterable[Move]) -> Iterator[Move]:
    """Adjacent moves merged into one."""
    last: Move | None = None
    for move in moves:
        if last and last.end == move.start and last.at + last.end - last.start == move.at:
            last = Move(last.start, move.end, last.at)
        else:
            if last:
                yield last
            last = move
    if last:
        yield last
