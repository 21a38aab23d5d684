"""Finds quotations in a chunk: verbatim, with other punctuation, in parts, or as a row of a table (RARE R7, R8).

A model that copies a sentence changes quotes, dashes, spaces, line ends, marks and emphasis, and drops the middle with
an ellipsis. Words and numbers may not differ: what is kept is the text's own span, never the quotation."""

import re
import unicodedata
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import unescape

from rarefy.tasks.knowledge.extract.labels import tidy_label
from rarefy.tasks.knowledge.extract.markdown import Row, Table, labelled_rows, parse_tables
from rarefy.tasks.knowledge.extract.values import parse_cell_number

_DROPPED = frozenset("®™©℠¹²³⁰⁴⁵⁶⁷⁸⁹\u00ad\u200b\u200c\u200d\u2060\ufeff")
_SHORTEST = 8  # letters and digits: fewer are found anywhere
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.{3,}|…)\s*\]|\(\s*(?:\.{3,}|…)\s*\)|\.{3,}|(?:\. ){2,}\.|…)\s*")
_LONGEST_GAP = 1_000  # characters between two parts of a quotation
_ALIKE = ('“”„"«»', "‘’'`", "-–—−‑", "*®™©℠", "•*·●▪", "…")
_STOP = re.compile(r"(?:[®™©℠*]{0,2}[.!?][*”\"’')\]]{0,2}(?=\s|$))?")
# Any place where a quotation may have been put together of two: more than sentences end at
_BETWEEN_SENTENCES = re.compile(r"(?<=[.;:!?])\s+|\n+")
# what a page has between two halves of a sentence
_FURNITURE = re.compile(
    r"\n\s*(?:(?:page )?[-–]?\s*[A-Z]?-?\d{1,4}\s*[-–]?|table of contents|[^\n|]{0,60}\|[^\n|]{0,60}\|\s*\d{1,4})"
    r"\s*(?=\n)",
    re.I,
)


@dataclass(frozen=True, slots=True)
class Folded:
    """The folded letters and digits of a text, and the place of each in it."""

    letters: str
    at: "array[int]"


def find_quote(quote: str, text: str, since: int = 0) -> list[tuple[int, int]]:
    """The spans in `text[since:]` where a quotation stands: verbatim, else word for word, else in parts.

    The spans `[start, end)` are those of the text's own words; none where a word or number differs. Parts, around an
    ellipsis or as sentences, stand in their order in one paragraph, or are the lead-in of a list and one of its items.
    """
    for words in dict.fromkeys((quote.strip(), _strip_markup(quote))):
        if len(fold(words).letters) < _SHORTEST:
            continue
        places = list(_find_verbatim(words, text, since)) or list(_find_folded(words, text, since, fold(text)))
        if not places and _FURNITURE.search(text):
            places = list(_find_folded(words, text, since, _fold_without_furniture(text)))
        places = places or list(_find_in_parts(_ELLIPSIS.split(words), text, since))
        places = places or list(_find_in_parts(_BETWEEN_SENTENCES.split(words), text, since))
        if places:
            # a sentence ends with its full stop, whether it was copied or not
            return [(start, end + len(_STOP.match(text, end)[0])) for start, end in places]  # type: ignore[index]
    return []


def _strip_markup(quote: str) -> str:
    """The quotation without what belongs to the reply or the prompt: entities, escapes, the chunk's label."""
    plain = re.sub(r"\\[nrt]", " ", unescape(quote)).replace("\\", "")
    return re.sub(r"^\s*[\[(<]?(?:chunk )?c\d{1,3}[\])>:]+\s*", "", plain).strip()


def _find_verbatim(quote: str, text: str, since: int) -> Iterator[tuple[int, int]]:
    at = text.find(quote, since)
    while at >= 0:
        if not _splits_word(text, at, at + len(quote)):
            yield at, at + len(quote)
        at = text.find(quote, at + 1)


def _find_folded(quote: str, text: str, since: int, folded: Folded) -> Iterator[tuple[int, int]]:
    wanted = fold(quote)
    at = folded.letters.find(wanted.letters)
    while at >= 0:
        start, end = folded.at[at], folded.at[at + len(wanted.letters) - 1] + 1
        if start >= since and not _splits_word(text, start, end):
            yield _include_marks(text, start, end, quote[: wanted.at[0]], quote[wanted.at[-1] + 1 :])
        at = folded.letters.find(wanted.letters, at + 1)


def _find_in_parts(parts: list[str], text: str, since: int) -> Iterator[tuple[int, int]]:
    """The spans from the first to the last of these parts, what stands between them included."""
    first, *others = [part.strip() for part in parts if fold(part).letters] or [""]
    if not others or len(fold(first).letters) < _SHORTEST:
        return
    if any(len(fold(part).letters) < _SHORTEST // 2 for part in others):
        return
    folded = fold(text)
    for start, end in dict.fromkeys([*_find_verbatim(first, text, since), *_find_folded(first, text, since, folded)]):
        before = first
        for part in others:
            following = sorted([*_find_verbatim(part, text, end), *_find_folded(part, text, end, folded)])
            if part[-1] in ".!?":  # where the sentence ends, before any place where the words only stand
                following = [f for f in following if text[f[1] - 1] in ".!?"] or following
            if not following or not _continues(before, text, end, following[0][0]):
                break
            end, before = following[0][1], part
        else:
            yield start, end


def _continues(before: str, text: str, end: int, start: int) -> bool:
    """Whether what follows a gap `text[end:start]` still belongs to what stands before it."""
    if start - end > _LONGEST_GAP:
        return False
    breaks = re.findall(r"(\S)\s*\n\s*\n\s*(\S)", text[max(end - 1, 0) : start + 1])
    # a page may end within a sentence, and a list begin
    return before.endswith(":") or all(
        left == ":" or (left not in ".;!?" and right.islower()) for left, right in breaks
    )


def find_words(words: str, sentence: str) -> tuple[int, int] | None:
    """The span of the first place where these words stand in a sentence, however few; None for nowhere."""
    at = sentence.find(words)
    while at >= 0:
        if not _splits_word(sentence, at, at + len(words)):
            return at, at + len(words)
        at = sentence.find(words, at + 1)
    if not fold(words).letters:
        return None
    return next(_find_folded(words, sentence, 0, fold(sentence)), None)


@lru_cache(maxsize=512)
def fold(text: str) -> Folded:
    """Letters and digits without case, accents and ligatures, with "%" and decimal points; nothing else is kept."""
    letters: list[str] = []
    at = array("I")
    for i, character in enumerate(text):
        if character == ".":
            kept = "." if text[i - 1 : i].isdigit() and text[i + 1 : i + 2].isdigit() else ""
        else:
            kept = _fold_character(character)
        letters.append(kept)
        at.extend([i] * len(kept))
    return Folded("".join(letters), at)


@lru_cache(maxsize=4096)
def _fold_character(character: str) -> str:
    if character in _DROPPED:
        return ""
    plain = unicodedata.normalize("NFKD", character).casefold()
    return "".join(c for c in plain if c.isalnum() or c == "%")


def _fold_without_furniture(text: str) -> Folded:
    whole = fold(text)
    gone = {i for match in _FURNITURE.finditer(text) for i in range(match.start(), match.end())}
    kept = [(letter, at) for letter, at in zip(whole.letters, whole.at, strict=True) if at not in gone]
    return Folded("".join(letter for letter, _ in kept), array("I", (at for _, at in kept)))


def _splits_word(text: str, start: int, end: int) -> bool:
    """Whether the span begins or ends inside a word or a number."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    inside = (before.isalnum() and text[start].isalnum()) or (after.isalnum() and text[end - 1].isalnum())
    number = text[end - 1].isdigit() and re.match(r"[.,]\d", text[end : end + 2])
    return (
        inside or bool(number) or bool(text[start].isdigit() and re.search(r"\d[.,]$", text[max(start - 2, 0) : start]))
    )


def _include_marks(text: str, start: int, end: int, head: str, tail: str) -> tuple[int, int]:
    """The span with the marks around it that the quotation has around its words."""
    before, after = _equivalent_marks(head), _equivalent_marks(tail)
    while start and (text[start - 1] in before or (text[start - 1] == " " and text[start - 2 : start - 1] in before)):
        start -= 1 if text[start - 1] in before else 2
    while end < len(text) and (text[end] in after or (text[end] == " " and text[end + 1 : end + 2] in after)):
        end += 1 if text[end] in after else 2
    return start, end


def _equivalent_marks(around: str) -> frozenset[str]:
    """The marks of an end of a quotation, and those that a text may have in their place."""
    kinds = [kind for kind in _ALIKE if set(kind) & set(around)]
    return frozenset("".join(kinds)) | {c for c in around if not c.isspace()}


_RULE = re.compile(r"^[\s|:-]*-{2,}[\s|:-]*$")
_BETWEEN_CELLS = re.compile(r"\s*[|\n]\s*")
_NAMED = re.compile(r"\b(?:row|column|col|value|cell|header|label)\s*[:=]\s*", re.I)
_BETWEEN_WORDS = re.compile(r"\s*[|\n;()]\s*|:\s+|,\s+|\s[-–—=]\s|\s+(?:for|in)\s+")
_BETWEEN_PARTS = re.compile(r"\s*[|\n;]\s*|:\s+|,\s+|\s[-–—=]\s")


@dataclass(frozen=True, slots=True)
class TableLine:
    """A row of a table with its header lines, its group labels and the words before the table."""

    table: Table
    row: Row
    groups: tuple[Row, ...]  # labels above it that it may depend on, nearest last
    headers: tuple[Row, ...]  # the header line, and the lines below it that belong to it
    lead: str  # what is said before the table

    def heading(self, column: int) -> str:
        """The words above a column."""
        return " ".join(row.cells[column].text for row in self.headers if column < len(row.cells)).strip()


def table_lines(text: str) -> Iterator[TableLine]:
    """Every row of every table of a text that has a label and something beside it.

    A table whose header line is a label alone goes on under the headers, and the caption, of the table before it.
    """
    above: tuple[Row, ...] = ()
    lead = ""
    for table in parse_tables(text):
        headers = [table.header]
        for row in table.rows:  # "| | Jan 28, 2024 | Jan 29, 2023 |" below "| | Year Ended | |"
            if not row.cells or row.cells[0].text or any(_is_amount(cell.text) for cell in row.cells):
                break
            headers.append(row)
        goes_on = above and not table.lead and not any(cell.text for row in headers for cell in row.cells[1:])
        label = (table.header,) if goes_on and table.header.cells[0].text else ()
        if not goes_on or len(above[0].cells) != len(table.header.cells):
            above, lead, label = tuple(headers), table.lead, ()
        for row, groups in labelled_rows(table):
            yield TableLine(table, row, (*label, *groups), above, lead)


def _is_amount(shown: str) -> bool:
    value = parse_cell_number(shown)
    return value is not None and not re.fullmatch(r"(?:19|20)\d\d", value.digits)


def find_quoted_row(quote: str, text: str, since: int, wanted: str) -> tuple[list[TableLine], str]:
    """The table row that a quotation means, or why it means none: not_there, ambiguous_row.

    `wanted` are the words of the triplet: of several rows quoted together, the one that has most of them is meant.
    """
    lines = [line for line in table_lines(text) if line.row.start >= since]
    whole = fold(_without_rules(quote)).letters
    for separator in (_BETWEEN_CELLS, _BETWEEN_PARTS, _BETWEEN_WORDS):
        cells = [fold(cell).letters for cell in separator.split(_NAMED.sub("", _without_rules(quote)))]
        quoted = {cell for cell in cells if cell}
        matches = [line for line in lines if _matches_row(line, quoted, lines) or _is_row_after_headers(line, whole)]
        if matches:
            return _best_row(matches, wanted)
    return [], "not_there"


def _is_row_after_headers(line: TableLine, whole: str) -> bool:
    """Whether the quotation is the row after its headers or group label, with nothing between the cells."""
    row = fold(" ".join(cell.text for cell in line.row.cells)).letters
    rest = whole.removesuffix(row)
    above = [fold(" ".join(cell.text for cell in r.cells)).letters for r in (*line.headers, *line.groups)]
    for heading in above:
        rest = rest.removeprefix(heading)
    return whole.endswith(row) and rest == "" and whole != ""


def _without_rules(quote: str) -> str:
    return "\n".join(line for line in quote.split("\n") if not _RULE.match(line))


def _matches_row(line: TableLine, quoted: set[str], lines: list[TableLine]) -> bool:
    """Whether every quoted cell stands in this row, above it, or in other rows of its table."""
    names = _label_forms(line)
    values = {fold(cell.text).letters for cell in line.row.cells[1:]} - {""}
    if not names & quoted or not values & quoted:
        return False
    known = names | values | _heading_forms(line)
    for other in lines:
        if other.table == line.table:
            known |= _label_forms(other) | {fold(cell.text).letters for cell in other.row.cells[1:]}
    return all(cell in known or cell in fold(line.lead).letters for cell in quoted)


def _label_forms(line: TableLine) -> set[str]:
    label = line.row.cells[0].text
    return {fold(label).letters, fold(tidy_label(label)).letters}


def _heading_forms(line: TableLine) -> set[str]:
    rows = (*line.headers, *line.groups)
    return {fold(text).letters for row in rows for cell in row.cells for text in (cell.text, tidy_label(cell.text))}


def _best_row(matches: list[TableLine], wanted: str) -> tuple[list[TableLine], str]:
    words = set(re.findall(r"\d[\d.,]*\d|\w+", wanted.casefold()))

    def fits(line: TableLine) -> tuple[int, int]:
        shown = " ".join(cell.text for cell in (*line.row.cells, *(g.cells[0] for g in line.groups))).casefold()
        numbers = {w for w in words if w[0].isdigit()} & set(re.findall(r"\d[\d.,]*\d|\d", shown))
        return len(numbers), len(words & set(re.findall(r"\w+", shown)))

    most = max(map(fits, matches))
    best = [line for line in matches if fits(line) == most]
    return (best, "") if len(best) == 1 else ([], "ambiguous_row")
