"""The gold chunk without the answer, otherwise alike (RARE §5.2, C.2): the supporting sentences are deleted."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from random import Random

from rarefy.tasks.perturb.case import Case, Draft, Move
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.document.sums import besides, cells, told
from rarefy.tasks.text.notations import occurs
from rarefy.tasks.text.sentences import sentences

Spans = tuple[tuple[int, int], ...]

_DIVIDER = re.compile(r"\|?\s*:?-{3,}")
_LINE = re.compile(r"[^\n]+")
TOLD = 500  # characters of what is gone that a variant tells
REMEMBERED = 50_000  # characters of the longest text that is: one of 1 MB is not kept
_RUN = re.compile(r"\n+|[^\n]+")
_WORD = re.compile(r"\d[\d.,]*\d|\d|[^\W\d_]{3,}")
FEWEST = 3  # words that a question shares with its evidence, from which on the fact is known again
KNOWN = (
    0.8  # of them, and all figures: "Mr. Turner was named Chief Operating Officer" says what B. Kevin Turner's row did
)


def answer_deleted(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The passage without its evidence and without the answer in any notation; a gold passage that never held the
    answer still loses its evidence, and what says the same again.

    What the answer can be worked out from goes, too: the total that it is part of, or the weightiest of its parts; a
    sentence on its growth. Refused: `nothing_deleted` (neither evidence nor answer in it), `answer_remains` (in a
    table's header, say, or in sums of too many rows), `nothing_left`. A table loses whole rows and keeps its header
    and the labels over groups of rows.
    """
    text = case.text
    units = _units(text)
    quoted = {text[start:end].strip().casefold() for start, end in case.spans}
    quoted |= {sentence.strip().casefold() for sentence in case.evidence}  # that of other chunks may stand here too
    gone = {u for u in units if any(u[0] < end and start < u[1] for start, end in case.spans)}
    # The same sentence again, elsewhere in the passage, would still answer.
    gone |= {u for u in units if text[u[0] : u[1]].strip().casefold() in quoted}
    gone |= {u for u in units if occurs(text[u[0] : u[1]], case.answer, case.aliases)}
    gone |= set(_restated(case, units, gone))
    gone |= {u for u in units if text[u[0]] != "|" and told(text[u[0] : u[1]], (case.answer, *case.aliases))}
    left = _without(text, gone)
    if occurs(left.text, case.answer, case.aliases):  # over the end of a sentence, a line or a row: then lines go
        gone |= {line for line in _lines(text) if occurs(text[line[0] : line[1]], case.answer, case.aliases)}
        gone = {line for line in gone if not _is_header(text, line)}
    summed = _summed(case, gone)
    if summed:
        gone |= summed
    left = _without(text, gone)
    if summed is None:
        yield Draft(text, refused="answer_remains", detail="it follows from other rows of its table")
    elif occurs(left.text, case.answer, case.aliases):
        yield Draft(text, refused="answer_remains")
    elif not gone:
        yield Draft(text, refused="nothing_deleted")
    elif not any(c.isalnum() for c in left.text) or all(_is_header(left.text, line) for line in _lines(left.text)):
        yield Draft(text, refused="nothing_left")
    else:
        yield replace(left, detail=" … ".join(text[start:end] for start, end in sorted(gone))[:TOLD])


def _restated(case: Case, units: Spans, gone: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Units that say again what evidence that is gone told the question, where that is not the answer itself."""
    asked = set(_WORD.findall(case.question.casefold()))
    for start, end in sorted(gone):
        told_ = case.text[start:end]
        shared = asked & set(_WORD.findall(told_.casefold()))
        if len(shared) < FEWEST or occurs(told_, case.answer, case.aliases):
            continue
        figures = {word for word in shared if word[0].isdigit()}
        for a, b in units:
            common = shared & set(_WORD.findall(case.text[a:b].casefold()))
            if len(common) >= max(FEWEST, KNOWN * len(shared)) and figures <= common:
                yield a, b


def _summed(case: Case, gone: set[tuple[int, int]]) -> set[tuple[int, int]] | None:
    """Rows from which the answer in a row that is gone can be worked out; None where those are too many."""
    text, extra = case.text, set[tuple[int, int]]()
    for table in _tables(text):
        rows = [text[start:end] for start, end in table]
        lost = {i for i, row in enumerate(table) if row in gone}
        columns = {
            (i, column)
            for i in lost
            for column, cell in enumerate(cells(rows[i]))
            if occurs(cell, case.answer, case.aliases)
        }
        if not columns:
            continue
        found = besides(rows, lost, {i for i, _ in columns}, sorted({column for _, column in columns}))
        if found is None:
            return None
        extra |= {table[i] for i in found}
    return extra


def _tables(text: str) -> Iterator[list[tuple[int, int]]]:
    """The rows of each table that has a figure, without its header."""
    table: list[tuple[int, int]] = []
    for line in [*_lines(text), (len(text) + 2, len(text) + 2)]:
        is_row = text.startswith("|", line[0])
        if table and (not is_row or line[0] > table[-1][1] + 1):
            yield table
            table = []
        if is_row and not (not table and _is_header(text, line)):
            table.append(line)
    if table:
        yield table


def _lines(text: str) -> list[tuple[int, int]]:
    return [m.span() for m in _LINE.finditer(text)]


def _is_header(text: str, line: tuple[int, int]) -> bool:
    """Is this line a table's header, or the divider below it?"""
    start, end = line
    if not text.startswith("|", start):
        return False
    following = text[end + 1 : end + 8]
    return _DIVIDER.match(text, start) is not None or _DIVIDER.match(following) is not None


def _is_group(row: str) -> bool:
    """Is this a row with a label alone, under which others stand?"""
    return not any(cell.strip() for cell in row.strip("|").split("|")[1:])


def _units(text: str) -> Spans:
    return _remembered(text) if len(text) <= REMEMBERED else _units_of(text)


def _units_of(text: str) -> Spans:
    """What can be deleted, in order: the rows of tables without their headers, and the sentences of other lines."""
    units = []
    for start, end in _lines(text):
        if text.startswith("|", start):
            if not _is_header(text, (start, end)) and not _is_group(text[start:end]):
                units.append((start, end))
        else:
            units += [(start + a, start + b) for a, b in sentences(text[start:end])]
    return tuple(units)


_remembered = lru_cache(1000)(_units_of)  # several questions hang on a chunk


def _without(text: str, gone: Iterable[tuple[int, int]]) -> Draft:
    """The text without these spans, and without the gaps that they leave."""
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
    return _tidied(text, [*kept, (at, len(text))])


def _tidied(text: str, kept: Iterable[tuple[int, int]]) -> Draft:
    """What is kept, with one blank line at most where several come together, and none at either end."""
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
    return Draft("".join(text[move.start : move.end] for move in moves), tuple(_joined(moves)))


def _joined(moves: Iterable[Move]) -> Iterator[Move]:
    """Moves that go on in both texts, as one."""
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
