"""Read CSV and its kin as one sheet: delimiter and quotes guessed, values as they are written."""

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.places import column_letters
from rarefy.tasks.corpus.read.compose import clean_characters, mark_captions
from rarefy.tasks.corpus.read.grids import GridCell, arrange_rows
from rarefy.tasks.corpus.read.metadata import build_document
from rarefy.tasks.corpus.read.regions import find_pieces
from rarefy.tasks.corpus.read.unreadable import Unreadable

DELIMITERS = ",;\t|"
SAMPLE = 50  # rows that a delimiter is judged by
SAMPLE_CHARACTERS = 100_000
SURE = 0.8  # of the rows, which have equally many cells where the delimiter is the right one
LONGEST_FIELD = 10_000_000  # characters; the module's own limit is a hundredth of it


def read_delimited(text: str, source: str, media_type: str, max_cells: int) -> Document:
    """The document that delimited values are. Raises Unreadable over `max_cells`."""
    dropped: Counter[str] = Counter()
    text = clean_characters(text, dropped)
    delimiter = find_delimiter(text, "\t" if media_type == "text/tab-separated-values" else "")
    if text[:4].lower() == "sep=":  # a line for Excel, which is in the way of all others
        text = "\n" + text.partition("\n")[2]
    cells: list[GridCell] = []
    count = 0
    csv.field_size_limit(LONGEST_FIELD)
    try:
        rows = enumerate(_join_title(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter), delimiter), 1)
        for number, row in rows:
            count += len(row)
            if count > max_cells:
                raise Unreadable("too_large", f"more than {max_cells:,} cells; split the file or raise read.max_cells")
            for column, value in enumerate(row, start=1):
                if shown := " ".join(value.split()):
                    cells.append(GridCell(shown, number, column, place=f"{column_letters(column)}{number}"))
    except csv.Error as error:
        raise Unreadable("bad_csv", f"{error}; write the file anew or remove it") from error

    def name_range(top: int, left: int, bottom: int, right: int) -> str:
        return f"{column_letters(left)}{top}:{column_letters(right)}{bottom}"

    grid = arrange_rows(cells)
    pieces = list(mark_captions(find_pieces(grid, frozenset(), name_range, side_by_side=False))) if grid else []
    return build_document(source, PurePosixPath(source).stem, media_type, pieces, dropped)


def _join_title(rows: Iterable[list[str]], delimiter: str) -> Iterator[list[str]]:
    """The rows, with a first one that has fewer cells than the next made one: a delimiter of its own words cut it.

    A blank follows the delimiter there, as in a sentence. A head that leaves its column of labels without a name has
    one cell less, and no blanks.
    """
    first, second = next(left := iter(rows), []), next(left, [])
    while len(first) > 1 and not first[-1].strip():
        first.pop()  # a sheet fills all rows up to the same width
    spaced = all(cell[:1] == " " for cell in first[1:])
    cut = 1 < len(first) < len(second) and (spaced or len(first) + 1 < len(second))
    yield [delimiter.join(first)] if cut and all(cell.strip() for cell in second) else first
    yield second
    yield from left


def find_delimiter(text: str, usual: str) -> str:
    """The delimiter that cuts most rows into equally many cells.

    `usual` where it does so well enough, else what csv.Sniffer guesses, else the best; a comma where nothing is cut.
    """
    if text[:4].lower() == "sep=" and text[4:5] in DELIMITERS:
        return text[4]
    sample = text[:SAMPLE_CHARACTERS]
    if usual and _evenness(sample, usual) >= SURE:
        return usual
    try:
        guess = csv.Sniffer().sniff(sample[:10_000], DELIMITERS).delimiter
    except csv.Error:
        guess = ","
    if _evenness(sample, guess) >= SURE:
        return guess
    return max(DELIMITERS, key=lambda delimiter: (_evenness(sample, delimiter), delimiter == guess))


def _evenness(sample: str, delimiter: str) -> float:
    """The share of rows that have the most usual number of cells, 0 where that is one."""
    widths: Counter[int] = Counter()
    try:
        for row in csv.reader(io.StringIO(sample, newline=""), delimiter=delimiter):
            widths[len(row)] += bool(row)
            if widths.total() == SAMPLE:
                break
    except csv.Error:
        return 0.0
    width, rows = widths.most_common(1)[0] if widths else (0, 0)
    return rows / widths.total() if width > 1 else 0.0
