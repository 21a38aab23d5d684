"""Facts from tables without tags, of anybody's documents: what is given for a row in a column, as the table words it.

Nothing confirms what a bare label means, so a fact keeps the table's own words: the row's label with the rows that it
stands under, the column's head where it says more than a period, and the name of the table as its subject ("According
to “Net sales by segment” in “Annual report 2019”, …"). A unit is given only where the table states it. A cell that
lacks a subject, a label or a head, or whose lead-in changes what it means, is a rejected triplet with that reason.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, replace
from itertools import pairwise

from rarefy.data_contracts.rows import VERDICTS, Chunk, Document, Triplet, row_id
from rarefy.tasks.corpus.places import PlaceIndex
from rarefy.tasks.corpus.read.cells import is_period, is_units, is_value
from rarefy.tasks.knowledge.extract.cell_names import is_name
from rarefy.tasks.knowledge.extract.column_heads import (
    DUE_LATER,
    NO_UNIT,
    PERCENT,
    ColumnHead,
    find_unit,
    read_head,
    read_kind,
    read_period,
    stated_unit,
    unit_in_brackets,
    without_marks,
)
from rarefy.tasks.knowledge.extract.labels import FLOW, STOCK, lowercase_label, measure_name
from rarefy.tasks.knowledge.extract.markdown import LONGEST_LABEL, Cell, Row, Table
from rarefy.tasks.knowledge.extract.table_names import CAPTION_LINES, FAR, Outline, is_company_statement, name_table
from rarefy.tasks.knowledge.extract.values import FACTORS, CellNumber, format_number, parse_cell_number
from rarefy.tasks.text.dates import MONTH

# Rows

# Heads of the column of labels that say no more than that labels stand there
_CORNER = re.compile(
    r"(?:items?|descriptions?|particulars|names?|categor(?:y|ies)|metrics?|measures?|details?|types?|line items?)\.?",
    re.I,
)
# Rows that are of no group above them, and rows that are of the row above them
_OUTSIDE = re.compile(
    r"^(?:net|gross|operating|profit|loss|income|earnings|ebitda?|adjusted|underlying|free cash|balance)\b"
    r"|\b(?:beginning|end|start|close)(?:ing)? (?:of|balance)|^(?:opening|closing|ending|beginning)\b"
    r"|^effects? of (?:exchange|foreign)|\bper (?:\w+ ){0,2}(?:share|unit)\b",
    re.I,
)
_OF_ANOTHER_ROW = re.compile(r"(?:as a )?(?:%|percent(?:age)?)s? (?:of|change)|(?:of which|thereof)\b|% change", re.I)
# Lines without figures that head no rows: one of a balance sheet, and units
_NO_LABEL = re.compile(r"\((?:no (?:label|name|title)|blank|empty|unnamed|untitled)\)", re.I)  # of programs of surveys
_NO_GROUP = re.compile(r"commitments and contingenc|\(?\s*in\s*(?:thousands|millions|billions)\b", re.I)
_TOTAL = re.compile(r"(?:sub-?)?totals?\b|net cash\b", re.I)
_LONG_WORD = re.compile(r"[^\W\d_]{4,}")
_BARE_TOTAL = re.compile(r"(?:sub)?-?totals?", re.I)


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """A row with something beside its label, what it stands under, and why it cannot be used, if so."""

    row: Row
    label: str
    above: tuple[str, ...] = ()
    group: Row | None = None  # the nearest row of words above that it belongs to
    rejected_because: str = ""
    period: str = ""  # that a column of periods gives it


@dataclass(slots=True)
class _Band:
    """Rows under one row of words: those of it so far, and whether a total has shown where they end."""

    words: str
    rows: list[int]
    closed: bool = False


def label_rows(table: Table, corner: str, kind: bool = False) -> list[LabelledRow]:
    """The rows with figures or terms; a total, named or not, closes the group that it is of.

    `kind`: the corner says what the rows are, and heads no group that some of them may not be of; no line is broken.

    Where no total that shares a word with its title ends a group, nobody can tell which of the rows below are of it:
    they are rejected as `group_unclear`. A label that goes on in small letters is one label on two lines.
    """
    out: list[LabelledRow] = []
    groups: list[tuple[str, Row]] = [(corner, table.header)] if corner else []
    bands = [_Band(corner, [], closed=True)] if corner else []
    fresh = False
    for row in table.rows:
        label = without_marks(row.cells[0].text) if row.cells else ""
        if len(label) > LONGEST_LABEL:
            continue
        if not any(cell.text for cell in row.cells[1:]):
            if label and not _NO_GROUP.match(label):
                words = label.rstrip(":")
                groups = [*groups[-2:], (words, row)] if fresh else [(words, row)]
                bands.append(_Band(words, []))
                fresh = True
            continue
        if fresh and not kind and re.match(r"\(?[a-z]", label) and not groups[-1][1].cells[0].text.endswith(":"):
            label = f"{groups.pop()[0]} {label}"
            bands.pop()
        fresh = False
        if not re.search(r"[^\W_]", label) or _NO_LABEL.fullmatch(label):
            out.append(LabelledRow(row, "", rejected_because="row_without_label"))
            _close(groups, bands, "")
            continue
        total = bool(_TOTAL.match(label))
        bare = bool(_BARE_TOTAL.fullmatch(label.strip(" :")))
        own = groups if not total or bare else []
        unclear = bool(own[1:] if kind and corner else own) and (
            bool(_OUTSIDE.search(label)) or (bare and own[-1][0] != corner)
        )
        unclear = unclear or bool(_OF_ANOTHER_ROW.match(label))
        if own and bands:
            bands[-1].rows.append(len(out))
        above, group = tuple(words for words, _ in own), own[-1][1] if own else None
        out.append(LabelledRow(row, label, above, group, "group_unclear" if unclear else ""))
        if total:
            _close(groups, bands, "" if bare else label)
    if corner and len(bands) == 1:  # no other words head rows: the corner is of them all
        out = [replace(row, above=(corner,), group=table.header) if row.label else row for row in out]
    for n, (here, below) in enumerate(pairwise(out)):
        # "Savings | low | 0.2%" above " | high | 0.5%": the label is that of both, and names neither
        kinds = [other.row.cells[1].text for other in (here, below) if len(other.row.cells) > 1]
        several = len(kinds) == 2 and all(re.search(r"[^\W\d_]{2}", kind) for kind in kinds)
        if here.label and not below.label and several:
            out[n] = replace(here, rejected_because=here.rejected_because or "row_has_two_labels")
    for band in bands:
        for n in band.rows if not band.closed else ():
            out[n] = replace(out[n], rejected_because=out[n].rejected_because or "group_unclear")
    return out


def _close(groups: list[tuple[str, Row]], bands: list[_Band], total: str) -> None:
    """End the innermost group with its total, whose label ("" for none of its own) must speak of it."""
    del groups[-1:]
    if bands and (
        not total or set(_LONG_WORD.findall(total.lower())) & set(_LONG_WORD.findall(bands[-1].words.lower()))
    ):
        bands[-1].closed = True


# Facts

# Rows that a table's currency and scale are not of, or may not be
_NO_SUM = re.compile(
    r"\b(?:shares?|units?|number|employees|headcount|customers|stores|years?|months?|days|term|life|rates?|ratio|margin"
    r"|yield|volatility|per|cents|pence|times|price|multiple|eps|dps|discount|growth|return on|weight?ed|grant date"
    r"|percent\w*|options|rights|awards|rsus?|warrants|to ebitda|coverage|leverage|tonn?es|barrels|km|kg|square|acres"
    r"|volumes?|aum|count|quantity|hours|miles|mw|gwh|people|students|population|restaurants|outlets|locations|vessels|aircraft|vehicles|members"
    r"|subscribers|patients|beds|rooms|branches|wells|homes)\b|(?<!\d)%",
    re.I,
)
_PER_SHARE = re.compile(r"\bper (?:common |diluted |basic |ordinary |equity )*(?:share|unit)\b", re.I)
_REFERENCE = re.compile(
    r"(?:notes?|refs?|references?|nos?|#|id|rank|s/?n|sr)\.?|(?:.*\b)?pages?\b.*"
    r"|(?:.* )?(?:urls?|links?|websites?|homepage|images?|pictures?|photos?|screenshots?|icons?)",
    re.I,
)
_DASHED = re.compile(r"[—–-]\s+\S")
_WHEN = re.compile(r"(?:fiscal |calendar |financial |reporting )?(?:years?|periods?|quarters?|months?|dates?)", re.I)
_ENDED = re.compile(r"(?:\w+ )?(?:years?|quarters?|months?|periods?) ended", re.I)
_WORN = re.compile(r"amorti[sz]|depreci|impair|charge", re.I)
_PREFIX = re.compile(r"(?:add|less|plus|minus|deduct|of which|including|excluding|[-–+])\W*\b", re.I)
_POINTS = re.compile(r"\.\d{3},\d|(?<![\d,.])\d+,\d{1,2}(?!\d)")  # figures with a decimal comma
_COMMAS = re.compile(r",\d{3}(?!\d)|(?<![\d,.])\d+\.\d{1,2}(?!\d)")  # and with a point
LABEL_WORDS = 30  # a longer label is a text, and a question that quotes it has two
NAME_WORDS = 12  # of a label in a table of anybody's, whose rows have names
WORDS = 8  # of a cell that is a name or a term; a longer one is a sentence, of which no answer is made
_NO_WORDS = (  # what cells of words hold that no question has for an answer, each with its reason
    (
        "cell_says_nothing",
        re.compile(r"n/?a|n\.a\.|none|nil|null|tb[dac]|various|unknown|[^\W_]|(?:see|note) .*", re.I),
    ),
    ("cell_is_a_flag", re.compile(rf"(?:{'|'.join(VERDICTS)}|ok|default|required|optional|string|number)\W?", re.I)),
    (
        "cell_is_an_instruction",  # to who fills in a form
        re.compile(
            r"(?:leave (?:blank|empty|as is)|(?:select|choose|enter|specify|indicate|include|add|fill in|elaborate on)"
            r" (?:an?|the|any|all|your|new|one|reason|applicable|appropriate|relevant|from|whether|yes|no)\b).*"
            r"|.*\((?:if|as|when|where) (?:applicable|needed|necessary|available|required|appropriate)\)\.?",
            re.I,
        ),
    ),
    ("cell_is_an_example", re.compile(r"e\.g\..*|\(.*\)|\"[^\"]*\"", re.I)),
    ("cell_is_code", re.compile(r".*(?:[{}\[\]<>=\\|_]|://|\(\W).*")),
    ("cell_is_a_text", re.compile(rf".*[.!?;:]|(?:\S+\s+){{{WORDS}}}.*")),
)
_TO_FILL_IN = re.compile(r"how to (?:fill|complete|enter)\b|what to (?:enter|select|choose)\b", re.I)
# A number with its unit, a time, a date: in a column of few values it is no guess
_MEASURED = re.compile(rf"[-–−+~<>≤≥±$€£]?\s?\d\S*(?:\s+\S+){{0,4}}|[A-Z]{{3}}\s\d[\d.,]*|{MONTH} \d.*")
# Marks of notes behind what a cell says, and a raised digit of which nobody can tell whether it is one or a power
_NOTE_BEHIND = re.compile(r"(?:(?<=[\d%)])(?:\s?[*†‡§]+|\s\(\d{1,2}\))|\s[¹²³⁴⁵⁶⁷⁸⁹⁰]+)+$")
_RAISED = re.compile(r".*\d[¹²³⁴⁵⁶⁷⁸⁹⁰]+")
# The marks behind a word, "available *2,*7", which are of notes where the table has them elsewhere or a note says so
_NOTE = r"(?:[*†‡§]+(?:\d{1,2}|[¹²³⁴⁵⁶⁷⁸⁹⁰]+)?|[¹²³⁴⁵⁶⁷⁸⁹⁰]+)"
_MARKED = re.compile(
    rf"(?P<said>.*(?:[^\W\d_]{{2}}|[\d%)])(?<![\d\s][ckm]m)(?<![\d\s]ft))\s?(?P<marks>{_NOTE}(?:,\s?{_NOTE})*)(?P<rest>\s.*)?"
)
_EXPLAINED = re.compile(rf"^\W?({_NOTE})\W{{0,2}}\s*[^\W_]", re.M)

_UNITS_OF_ROWS = re.compile(r"units?(?: of measure(?:ment)?)?|UoM", re.IGNORECASE)
_UNIT_CELL = re.compile(r"(?=.*[^\W\d_]|.*[%°])[^()|]{1,12}")
_QUANTITY = re.compile(r"[-–−+~<>≤≥±]?\s?\d[\d.,]*(?:\s?(?:[-–−±]|to)\s?[\d.,]+)?")  # "18.6", "< 0.5", "6.5–9.5"
# Heads of columns that no unit of a row is of, though numbers may stand below them
_UNMEASURED = re.compile(
    r"(?:.*\W)?(?:methods?|standards?|procedures?|clauses?|years?|dates?|samples?|tests?|lots?|batch(?:es)?|ranks?"
    r"|counts?|prices?|costs?|fees?|rates?|charges?|totals?|amounts?)|(?:number|count) of\b.*",
    re.I,
)
# Names without a word: a code of letters and digits, a version; "5V" and "10s" are amounts
_AMOUNT = re.compile(r"\d+(?:[.,]\d+)?[A-Za-z°µΩ]{1,4}")
_CODE = re.compile(r"(?=[\w./+-]*[A-Za-z])(?=[\w./+-]*\d)[^\W_][\w./+-]*")
_VERSION = re.compile(r"v?\d+(?:\.\d+)*\.x|v?\d+(?:\.\d+){2,}", re.I)
# Heads of columns whose numbers are names, and of those that may only count the rows
_NUMBERED = re.compile(
    r"(?:.*\W)?(?:codes?|articles?|versions?|releases?|models?|parts?|skus?|ports?|pins?)|(?P<count>(?:.*\W)?"
    r"(?:numbers?|nos?|ids?|identifiers?))\.?|(?P<mark>#)",
    re.I,
)

# Kinds of documents whose tables have the head that their writer gave them
WORDED = (
    "text/markdown",
    "text/csv",
    "text/tab-separated-values",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
)
# Likewise, but for tables that only lay out a page or a form
LAID_OUT = (
    "text/html",
    "text/asciidoc",
    "text/x-rst",
    "application/epub+zip",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
)
HEAD_WORDS = 6  # of the head of a column; a longer one is a cell of a layout
ENOUGH = 4  # letters of a label that a word has in it by no accident


class PlainTable:
    """One table of a document without tags, with what its caption, corner and columns say of all its figures."""

    def __init__(
        self,
        table: Table,
        chunk: Chunk,
        document: Document,
        outline: Outline,
        vocabulary: Set[str],
        places: PlaceIndex,
    ) -> None:
        self.table, self.chunk, self.document = table, chunk, document
        self.vocabulary, self.places = vocabulary, places
        self.notes = (
            _marks_of_notes(table, document.text[chunk.start + table.rows[-1].end :]) if table.rows else frozenset()
        )
        first, *others = [c.text if len(c.text) <= LONGEST_LABEL else "" for c in table.header.cells] or [""]
        self.heads = [ColumnHead(), *map(read_head, others)]
        self.name = name_table(table, chunk, document, outline, any(head.period for head in self.heads))
        self.statement = is_company_statement(chunk.section, f"{table.lead}\n{first}")
        near = f"{chunk.section}\n{table.lead[-400:]}\n{first}"
        self.unit, self.excepts = stated_unit(near), bool(re.search(r"\bexcept(?:ing)?\b.*\bshare", near, re.I))
        corner = without_marks(first).rstrip(":")
        numbered = _NUMBERED.fullmatch(corner)
        counted = numbered and numbered.lastgroup and _is_count(row.cells[0].text for row in table.rows)
        self.numbered = bool(numbered) and not counted
        plain = is_units(first) or is_period(first) or find_unit(first) or _CORNER.fullmatch(corner)
        self.corner = "" if plain else corner
        printed = [cell.text for row in table.rows for cell in row.cells[1:]]
        comma = any(map(_POINTS.search, printed)) and not any(map(_COMMAS.search, printed))
        self.notation = "de" if comma else "en"
        numbers = [
            (column, number)
            for row in table.rows
            for column, cell in enumerate(row.cells[1:], start=1)
            if (number := self._number(cell))
        ]
        currencies = {number.currency for _, number in numbers if number.currency}
        self.currency = currencies.pop() if len(currencies) == 1 else ""
        # which row of another table names its columns, or whether it is a form, is a guess where no figures follow
        laid_out = document.media_type in LAID_OUT and not document.form
        self.worded = document.media_type in WORDED or (laid_out and _has_plain_heads(table))
        self.unheaded = laid_out and not self.worded
        self.headless = {n for n in range(1, len(self.heads)) if _begins_with_data(table, n)}
        self.sums = {column for column, number in numbers if _is_sum(number)}
        self.percents = {column for column, number in numbers if number.percent}
        self.figures = {column for column, _ in numbers}
        # a column of years is when each row holds, as tidy data have it
        self.when = next((n for n, head in enumerate(self.heads) if n and _WHEN.fullmatch(head.words)), 0)
        # and one of units says in what each row is counted
        self.units = next((n for n, head in enumerate(self.heads) if n and _UNITS_OF_ROWS.fullmatch(head.words)), 0)
        self.measured = {n for n in range(1, len(self.heads)) if self._is_measured(n)}
        self.rows = [
            replace(row, period=self._period_of(row.row)) for row in label_rows(table, self.corner, self.worded)
        ]
        self.labels = Counter(map(_row_key, self.rows))
        # "Code | Language | Code | Language" is two tables side by side
        self.names = Counter([corner.casefold(), *map(_head_key, self.heads[1:])])
        self.due_later = any(DUE_LATER.search(head.words) for head in self.heads)
        self.headed = all(self.heads[column].words for column in self.figures if column < len(self.heads))
        lines = [line for line in table.lead.split("\n") if line.strip()][-CAPTION_LINES:]
        dated = any(head.period or head.year or re.search(r"\b(?:19|20)\d\d\b", head.words) for head in self.heads)
        self.period = "" if dated else next(filter(None, (read_period(line.strip("# "))[0] for line in lines)), "")
        self.cells = Counter(
            (n, self._without_notes(cell.text)) for row in table.rows for n, cell in enumerate(row.cells)
        )

    def triplets(self, known: Set[int] = frozenset()) -> Iterator[Triplet]:
        """A triplet for each cell but those that begin at `known`; with the reason where none can be asked.

        Of a table that as a whole cannot be asked about, the first cell of each row stands for it.
        """
        found: list[tuple[Triplet, str]] = []
        lost = not self.name.source or bool(self.name.rejected_because)
        words = self.worded or (self.unheaded and not self.figures)
        lost = lost or not (self.worded or self.figures)
        for labelled in self.rows:
            for column, cell in enumerate(labelled.row.cells[1 : len(self.heads)], start=1):
                if (
                    column in (self.when, self.units)
                    or cell.start in known
                    or (lost and found and found[-1][0].start == labelled.row.start)
                ):
                    continue
                if number := self._number(cell):
                    found.append((self._figure(labelled, column, cell, number), cell.text))
                elif words and re.search(r"[^\W_]", cell.text):
                    found.append((self._term(labelled, column, cell), cell.text))
        # one label, one column and two cells: nobody could tell which of them is asked for
        cells: dict[tuple[str, str], set[str]] = {}
        for triplet, text in found:
            cells.setdefault((triplet.relation.casefold(), triplet.period), set()).add(text)
        for triplet, _ in found:
            again = len(cells[triplet.relation.casefold(), triplet.period]) > 1 and not triplet.rejected_because
            yield replace(triplet, rejected_because="label_used_twice") if again else triplet

    def _number(self, cell: Cell) -> CellNumber | None:
        """The number that a cell is; what stands behind a dash and a blank is of another line ("— 452")."""
        return None if _DASHED.match(cell.text) else parse_cell_number(self._without_notes(cell.text), self.notation)

    def _without_notes(self, text: str) -> str:
        """What a cell says without the marks of notes behind it."""
        text = _NOTE_BEHIND.sub("", text)
        marked = _MARKED.fullmatch(text) if self.notes else None
        return marked["said"] if marked and not marked["rest"] and self._are_notes(marked["marks"]) else text

    def _are_notes(self, marks: str) -> bool:
        return all(mark in self.notes or mark.strip("*†‡§") in self.notes for mark in re.findall(_NOTE, marks))

    def _figure(self, labelled: LabelledRow, column: int, cell: Cell, number: CellNumber) -> Triplet:
        """The fact that a cell with a number states."""
        head = self.heads[column]
        unit, scale = self._unit(labelled.label, column, number)
        answer = number.printed(cell.text, number.value < 0)
        reasons = (
            "unit_disagrees" if head.percent and column in self.sums else "",
            "zero" if number.value == 0 else "",
            "whole" if unit == "percent" and number.value == 100 else "",
        )
        return replace(
            self._fact(labelled, column, cell, answer, f"{answer} {scale[:-1]}" if scale else answer, reasons),
            object_type="PERCENT" if unit == "percent" else "MONEY" if unit else "NUMBER",
            value=format_number(number.value * FACTORS[scale]),
            unit=unit,
            scale=scale,
        )

    def _term(self, labelled: LabelledRow, column: int, cell: Cell) -> Triplet:
        """The fact that a cell with a name or a term states."""
        said = self._without_notes(cell.text)
        marked = _MARKED.fullmatch(said) if self.notes else None
        measured = _MEASURED.fullmatch(said)
        # a word among the figures of a column, unless its row has no figure either, as in a table of properties
        stray = column in self.figures and not measured and any(map(self._number, labelled.row.cells[1:]))
        reasons = (
            next((why for why, pattern in _NO_WORDS if pattern.fullmatch(said)), ""),
            "cell_is_an_instruction" if _TO_FILL_IN.match(self.heads[column].words) else "",
            "footnote_mark" if _RAISED.fullmatch(said) or (marked and self._are_notes(marked["marks"])) else "",
            "word_among_figures" if stray else "",
            "" if self.worded and column not in self.headless else "head_not_sure",
            "term_of_a_period"
            if self.heads[column].period or self.heads[column].year or read_period(labelled.label)[1]
            else "",
            # one of a few: a guess would do
            "term_repeated" if self.cells[column, said] > 1 and not measured else "",
            "term_in_label" if self._repeats_label(said, labelled.label) else "",
        )
        return replace(self._fact(labelled, column, cell, said, said, reasons), object_type="TEXT")

    def _repeats_label(self, text: str, label: str) -> bool:
        """Whether a cell's words stand in its label or the table's name, or a single one has the label in it."""
        if text.casefold() in f"{label} {self.name.subject}".casefold():
            return True
        own = _squeeze(label)
        return " " not in text and len(own) >= ENOUGH and own in _squeeze(text)  # "java.time.DayOfWeek" of DayOfWeek

    def _fact(
        self, labelled: LabelledRow, column: int, cell: Cell, answer: str, spelled: str, reasons: tuple[str, ...]
    ) -> Triplet:
        """What all facts of a table have: who, what, when, where, and the first reason against it."""
        head, row, chunk, header = self._head_of(labelled, column), labelled.row, self.chunk, self.table.header
        relation, period = self._say(replace(labelled, label=self._label_of(labelled, column)), head)
        group = labelled.group if labelled.group is not header else None
        named = bool(read_period(labelled.label)[0]) or self._is_name(labelled.label)
        reason = (
            labelled.rejected_because,
            "" if self.name.source else "no_subject",
            "reference_column" if _REFERENCE.fullmatch(head.words) and not self._identifies(head) else "",
            "" if head.words and (self.headed or head.period) else "column_without_head",
            "due_later" if self.due_later and head.period else "",
            "head_not_sure" if self.worded and len(head.words.split()) > WORDS else "",
            "column_named_twice" if self.names[_head_key(head)] > 1 else "",
            "label_used_twice" if self.labels[_row_key(labelled)] > 1 else "",
            self.name.rejected_because,
            "" if named else "label_is_a_number",
            "label_is_a_text" if self._is_text(labelled.label) else "",
            *reasons,
        )
        return Triplet(
            triplet_id=row_id("table", chunk.chunk_id, cell.start, relation, self.name.subject),
            chunk_id=chunk.chunk_id,
            doc_id=chunk.doc_id,
            start=row.start,
            end=row.end,
            subject=self.name.subject or self.document.title or self.document.doc_id,
            relation=relation,
            object=f"{spelled} ({period})" if period else spelled,
            source_sentence=chunk.text[row.start : row.end],
            method="table",
            subject_type="TABLE",
            header=chunk.text[header.start : header.end],
            header_start=header.start,
            header_end=header.end,
            group=chunk.text[group.start : group.end] if group else "",
            group_start=group.start if group else 0,
            group_end=group.end if group else 0,
            answer=answer,
            period=period,
            entity=self.document.entity,
            domain=self.document.domain,
            subject_from=self.name.source,
            place=self.places.name(chunk.start + cell.start, chunk.start + cell.end),
            rejected_because=next(filter(None, reason), ""),
        )

    def _is_text(self, label: str) -> bool:
        """Whether a label says more than a name does, as one with a description below it."""
        if not self.worded:
            return len(label.split()) > LABEL_WORDS
        return len(label.split()) > NAME_WORDS or bool(re.search(r"[a-z]{3}[.!?] [A-Z]", label))

    def _identifies(self, head: ColumnHead) -> bool:
        """Whether a column gives what its rows are called in a system, which is no number of a note."""
        return self.worded and not self.numbered and head.words.casefold() == "id"

    def _is_name(self, label: str) -> bool:
        """Whether a label tells its row from others by a word, a code, or a number under a head that says of what."""
        coded = (_CODE.fullmatch(label) and not _AMOUNT.fullmatch(label)) or _VERSION.fullmatch(label)
        letter = self.corner and re.fullmatch("[A-Z][+-]?", label)  # "B" below "Grade"
        worded = re.search(r"[^\W\d_]{2}", label) and not _AMOUNT.fullmatch(label)
        return bool(worded or coded or letter) or self.numbered

    def _say(self, labelled: LabelledRow, head: ColumnHead) -> tuple[str, str]:
        """What is stated, in the table's own words, and its period."""
        label = labelled.label.replace("“", "").replace("”", "")
        above = [without_marks(words) for words in labelled.above if words != self.corner or head.period]
        if time := self._time_of(label) if not above else "":
            return (f"“{head.words}”" if head.words else label), time  # a row a year, a column a measure
        # "Cost of revenue" in a table of share-based compensation is none: only a statement's labels mean what they say
        plain = self.statement and not above and not _PREFIX.match(label)
        measure = measure_name(label, ()) if plain else None
        whole = measure is not None and measure.casefold() == label.rstrip(":").casefold()
        name = lowercase_label(label.rstrip(":"), self.vocabulary) if whole else ""
        relation = name if name and not re.match(r"[A-Z][^A-Z]", name) else f"“{label}”"
        if self.corner and not head.period:
            relation = f"{relation} ({self.corner})"  # the kind of thing that the rows are
        if above:
            relation = f"{relation} under “{' – '.join(above)}”"
        counted = bool(STOCK.search(label)) and not FLOW.search(label) and not _WORN.search(label)
        if head.words and not (head.period and (not head.bare_day or counted)):
            relation = f"{relation} in the column “{head.words}”"
        return relation, head.period or head.year or labelled.period or self.period

    def _head_of(self, labelled: LabelledRow, column: int) -> ColumnHead:
        """The head of a column, with the unit that a column of units gives the row: "Value (kg)"."""
        head, unit = self.heads[column], self._unit_of(labelled.row, column)
        return replace(head, words=f"{head.words} ({unit})") if unit and not _is_thing(head.words) else head

    def _label_of(self, labelled: LabelledRow, column: int) -> str:
        """The label of a row, with its unit where the column is of a thing with a name: "Mass in kg" of "BM-1"."""
        unit = self._unit_of(labelled.row, column) if _is_thing(self.heads[column].words) else ""
        return f"{labelled.label} in {unit}" if unit and not is_name(labelled.label) else labelled.label

    def _unit_of(self, row: Row, column: int) -> str:
        """The unit that a column of units gives a figure; "" for a word, a code, a date or a sum of money."""
        unit = row.cells[self.units].text.strip() if 0 < self.units < len(row.cells) else ""
        stated = _UNIT_CELL.fullmatch(unit) and column in self.measured
        return unit if stated and _QUANTITY.fullmatch(_NOTE_BEHIND.sub("", row.cells[column].text)) else ""

    def _is_measured(self, column: int) -> bool:
        """Whether a column is of what the units of rows are of: quantities without a unit of their own, and no code."""
        head = self.heads[column]
        own = head.percent or head.currency or head.words.endswith(")") or unit_in_brackets(head.words)
        if not self.units or own or _UNMEASURED.fullmatch(head.words) or _NUMBERED.fullmatch(head.words):
            return False
        rows = [row.cells for row in self.table.rows if max(self.units, column) < len(row.cells)]
        cells = [_NOTE_BEHIND.sub("", row[column].text) for row in rows if _UNIT_CELL.fullmatch(row[self.units].text)]
        coded = any(re.search(r"\d", cell) and not _QUANTITY.fullmatch(cell) for cell in cells)
        return not coded and not all(read_period(cell)[0] for cell in cells)

    def _period_of(self, row: Row) -> str:
        """The period that the column of periods gives a row; "" where there is no such column."""
        return read_period(row.cells[self.when].text)[0] if 0 < self.when < len(row.cells) else ""

    def _time_of(self, label: str) -> str:
        """The period that a row is of, where its label is one; a day only where the corner says what ends on it."""
        period, bare_day = read_period(label)
        if not bare_day:
            return period
        corner = without_marks(self.table.header.cells[0].text).strip(" :").lower()
        return f"the {corner} {period}" if _ENDED.fullmatch(corner) else ""

    def _unit(self, label: str, column: int, number: CellNumber) -> tuple[str, str]:
        """Unit and scale of a figure as far as the table states them; "" where it does not, or might except it."""
        head, own = self.heads[column], NO_UNIT
        measured = f"{label} {head.words} {self.corner}"
        if number.percent or ((head.percent or PERCENT.search(measured)) and not _is_sum(number)):
            return "percent", ""
        if bracket := re.search(r"\(([^()]{1,20})\)$", label):
            own = find_unit(bracket[1]) or NO_UNIT
        printed = number.currency or self.currency
        symbol = own.currency or head.currency or self.unit.currency or ("$" if printed == "USD" else printed)
        if symbol == "$" and self.document.form:
            symbol = "USD"  # whose dollars they are, a filing with the SEC alone says
        if _PER_SHARE.search(measured) and not head.scale:
            return (f"{symbol}/shares" if number.currency else ""), ""
        if _NO_SUM.search(measured) or (column in self.percents and not _is_sum(number)):
            return "", ""
        if self.excepts and not (number.currency or self.currency):
            return "", ""  # "in thousands, except share data", and perhaps these are shares
        scale = next((s for s in (own.scale, head.scale, self.unit.scale) if s is not None), None)
        if scale is None and head.currency and (head.period or read_kind(head.words)):
            return symbol, ""  # "2024 (EUR)": the period alone is said of such a head, and its unit must not be lost
        unscaled = own.scale is None and head.scale is None and abs(number.value) < 1000
        cents = unscaled and re.search(r"\.\d\d$", number.digits)  # "12.41" of a table in thousands
        return (symbol, scale) if scale is not None and not cents else ("", "")  # "$1,452.4" may be of millions


def _marks_of_notes(table: Table, below: str) -> frozenset[str]:
    """The marks behind words that stand behind several in a table, or that a line below it begins with.

    Stars alone may stand for any letters, "log*", and raised digits for a power: those a line must explain.
    """
    behind: dict[str, set[str]] = {}
    for row in (table.header, *table.rows):
        for cell in row.cells:
            if marked := _MARKED.fullmatch(cell.text):
                for mark in re.findall(_NOTE, marked["marks"]):
                    behind.setdefault(mark, set()).add(marked["said"])
    if not behind:
        return frozenset()
    explained = set(_EXPLAINED.findall(re.split(r"^#+ \w", below[:FAR], maxsplit=1, flags=re.M)[0]))
    several = {
        mark for mark, words in behind.items() if len(words) > 1 and not re.fullmatch(r"\*+|[¹²³⁴⁵⁶⁷⁸⁹⁰]+", mark)
    }
    return frozenset(explained | several)


def _squeeze(text: str) -> str:
    return re.sub(r"[\W_]+", "", text.casefold())


def _is_count(labels: Iterable[str]) -> bool:
    """Whether labels only count their rows: 1, 2, 3."""
    return all(label.rstrip(".)") == str(number) for number, label in enumerate(labels, start=1))


def _has_plain_heads(table: Table) -> bool:
    """Whether a table has a short head of its own for each column, and rows with labels of their own below."""
    corner, *heads = [cell.text for cell in table.header.cells] or [""]
    labels = [row.cells[0].text for row in table.rows if any(cell.text for cell in row.cells[1:])]
    named = heads and all(
        0 < len(head.split()) <= HEAD_WORDS and not is_value(head) and not head.endswith(":") for head in heads
    )
    unlike = len(set(heads)) == len(heads) and len(set(labels)) == len(labels) > 1
    return bool(named) and unlike and all(labels) and not corner.endswith(":")


def _begins_with_data(table: Table, column: int) -> bool:
    """Whether the head of a column is the name of people or a place, and so are most cells below: it is no head."""
    cells = [row.cells[column].text for row in table.rows if column < len(row.cells) and row.cells[column].text]
    return _is_plain_name(table.header.cells[column].text) and 2 * sum(map(_is_plain_name, cells)) > len(cells)


def _is_thing(head: str) -> bool:
    """Whether the head of a column is the name or the code of a thing, of which the rows give properties."""
    return is_name(head) or bool(_CODE.fullmatch(head))


def _is_plain_name(text: str) -> bool:
    return is_name(text.replace(" & ", " and ")) and not re.search(r"\d", text) and not text.isupper()


def _head_key(head: ColumnHead) -> str:
    """What tells a column from the others of its table."""
    return f"{head.words} {head.year}".strip().casefold()


def _row_key(labelled: LabelledRow) -> tuple[str, tuple[str, ...], str]:
    """What singles a row out in its table."""
    return labelled.label.casefold(), labelled.above, labelled.period


def _is_sum(number: CellNumber) -> bool:
    """Whether a number is printed as no percentage is: with a currency, or in groups of digits."""
    return bool(number.currency) or "," in number.digits
