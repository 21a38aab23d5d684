"""Finds candidate answers in a passage: spans of its sentences and cells of its table rows, scored by shared words."""

import html
import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from rarefy.tasks.evaluate.systems.extractive.phrases import parse_slot
from rarefy.tasks.evaluate.systems.extractive.question import ParsedQuestion, dates, stems, years
from rarefy.tasks.text.dates import moments
from rarefy.tasks.text.notations import POWER_NAMES, counted_in
from rarefy.tasks.text.quantities import Quantity, number, quantities
from rarefy.tasks.text.sentences import sentences
from rarefy.tasks.text.stems import stem

# Passages as sentences and table rows

_TAG = re.compile(r"</?[A-Za-z!][^>]*>")
_RULE = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?")
_LONGEST = 600  # characters of a sentence; a longer one is cut at white space


@dataclass(frozen=True)
class PassageUnit:
    """A sentence, or a row of a table with its column headers."""

    text: str  # the sentence; a row's label
    cells: tuple[str, ...] = ()  # of a row, after its label
    headers: tuple[str, ...] = ()  # of these cells
    first: str = ""  # header of the label's column
    group: str = ""  # label of the row that heads its group: "Cost of sales:"
    around: str = ""  # caption and headings; of a sentence also the one before

    @property
    def embedded_text(self) -> str:
        """Return what is embedded: the sentence, or a row's labels without its numbers."""
        if not self.cells:
            return self.text
        group = self.group.rstrip(": ")
        return f"{group}: {self.text}" if group else self.text


@dataclass(frozen=True)
class ParsedPassage:
    """All units of a passage, with an index from words to units."""

    title: str
    units: tuple[PassageUnit, ...]
    holds: dict[str, tuple[int, ...]]
    about: frozenset[str]  # words of the title


@lru_cache(maxsize=2_000)
def parse_passage(title: str, text: str) -> ParsedPassage:
    """Split a passage into its units."""
    title, text = _unwrap_format(title, text)
    units = tuple(_split_units(text))
    holds: dict[str, list[int]] = {}
    for at, unit in enumerate(units):
        for word in sorted(
            stems(unit.text) | stems(unit.group) | stems(" ".join(unit.cells)) | stems(" ".join(unit.headers))
        ):
            holds.setdefault(word, []).append(at)
    return ParsedPassage(title, units, {word: tuple(places) for word, places in holds.items()}, stems(title))


def _unwrap_format(title: str, text: str) -> tuple[str, str]:
    """Return title and text of a passage, taken out of JSON, HTML, YAML or Markdown where it is in one of them."""
    start = text.lstrip()[:200]
    if start.startswith("{"):
        try:
            content = json.loads(text)
        except ValueError:
            content = None
        if isinstance(content, dict):
            parts = {str(name).lower(): str(value) for name, value in content.items()}
            return title or parts.get("title", ""), "\n".join(value for name, value in parts.items() if name != "title")
    if start.startswith("<"):
        named = re.search(r"<title>(.*?)</title>", text, re.IGNORECASE | re.DOTALL)
        body = re.sub(r"<(head|script|style)\b.*?</\1>", " ", text, flags=re.IGNORECASE | re.DOTALL)
        return title or (html.unescape(named[1]) if named else ""), html.unescape(_TAG.sub("", body))
    named = re.match(r"Title: \"?(.*?)\"?\nText: [|>]-?\n", text)
    if named:
        return title or named[1], "\n".join(line.removeprefix("  ") for line in text[named.end() :].splitlines())
    if text.startswith("# "):
        first, _, rest = text.partition("\n")
        return title or first.removeprefix("# "), rest.replace("\\#", "#").replace("\\|", "|")
    return title, text


def _split_units(text: str) -> Iterator[PassageUnit]:
    headings: list[str] = []
    caption: list[str] = []
    table: list[list[str]] = []
    prose: list[str] = []
    for line in [*text.splitlines(), ""]:
        line = line.strip()
        if line.startswith("|"):
            if prose:
                yield from _split_sentences(prose, " ".join(headings[-2:]))
                caption, prose = prose[-2:], []
            table.append([cell.strip() for cell in line.strip("|").split("|")] if not _RULE.fullmatch(line) else [])
            continue
        if table:
            yield from _split_rows(table, " ".join([*headings[-2:], *caption]))
            table = []
        if line.startswith("#"):
            headings.append(line.lstrip("# "))
            caption = []
        if line:
            prose.append(line.lstrip("# "))
        elif prose:
            yield from _split_sentences(prose, " ".join(headings[-2:]))
            caption, prose = [*caption, *prose][-2:], []
    if prose:
        yield from _split_sentences(prose, " ".join(headings[-2:]))


def _split_sentences(lines: list[str], headings: str) -> Iterator[PassageUnit]:
    around = headings
    for line in lines:
        for start, end in sentences(line):
            yield from (PassageUnit(piece, around=around) for piece in _cut_long(line[start:end]))
            around = (
                f"{headings} {line[max(start, end - _LONGEST) : end]}"  # the sentence before often names what "it" is
            )


def _cut_long(sentence: str) -> Iterator[str]:
    while len(sentence) > _LONGEST:
        at = sentence.rfind(" ", 0, _LONGEST)
        at = at if at > 0 else _LONGEST
        yield sentence[:at]
        sentence = sentence[at:].lstrip()
    if sentence:
        yield sentence


def _split_rows(table: list[list[str]], around: str) -> Iterator[PassageUnit]:
    """Yield the rows with content, under the header above the rule, or under the first row where there is no rule."""
    rule = next((at for at, row in enumerate(table) if not row), None)
    head = [row for row in (table[:rule] if rule is not None else table[:1]) if row]
    body = [row for row in (table[rule + 1 :] if rule is not None else table[1:]) if row]
    width = max(map(len, [*head, *body]), default=0)
    headers = [" ".join(row[at] for row in head if at < len(row) and row[at]) for at in range(width)]
    if not body:
        body, headers = head, [""] * width
    group = ""
    for row in body:
        label, cells = row[0], (*row[1:], *[""] * (width - len(row)))
        if label and not any(cells):
            group = label
            continue
        if any(cells):
            yield PassageUnit(label, cells, tuple(headers[1:]), headers[0] if headers else "", group, around)
        if re.match(r"(?i)total\b", label):
            group = ""


# Figures and dates of a sentence

KINDS = ("amount", "percent", "count", "date", "address")
_ADDRESS = re.compile(r"(?:\d+|One|Two|Three)\s(?:[A-Z][\w.’'-]*\s?){1,5}")
_BARE = ("bare", "count", "place", "measure", "times")
_ASKED_YEAR_WEIGHT = 1.5  # weight of the year that is asked about, beside a span


def find_spans(text: str, question: ParsedQuestion) -> list[str]:
    """Return the spans of a sentence that could answer, best first; [] where none is of the question's kind."""
    for matched in _match_spans(question.kind, text):
        fitting = [span for span in matched if _adds_information(span.text, question)]
        if fitting:
            order = sorted(
                fitting,
                key=lambda span: (
                    -_bracketed_period(text, span, question),
                    -is_counted_noun(text, span, question),
                    -_score_nearness(text, span, question),
                    span.start,
                ),
            )
            first = _pick_respective(text, [span.text for span in fitting], question)
            named = [span.text.strip(" .,;") for span in order]
            return [first, *named] if first else named
    return []


class Span(NamedTuple):
    """A part of a sentence."""

    text: str
    start: int
    end: int


@lru_cache(maxsize=50_000)
def _match_spans(kind: str, text: str) -> tuple[tuple[Span, ...], ...]:
    """Return groups of spans of a kind in a sentence, the surest first."""
    if kind == "address":
        return (tuple(Span(one[0], *one.span()) for one in _ADDRESS.finditer(text)),)
    dated = moments(text)
    if kind == "date":
        days = [one for one in dated if one.kind in ("day", "month")]
        return tuple(_make_spans(text, [(one.start, one.end) for one in some]) for some in (days, dated))
    taken = {at for one in dated for at in range(one.start, one.end)}
    numbers = [one for one in quantities(text) if one.start not in taken]
    if kind == "percent":
        return (_make_spans(text, _join_ranges([one for one in numbers if one.kind in ("percent", "points")])),)
    bare = [one for one in numbers if one.kind in _BARE]
    if kind == "amount":
        money = [one for one in numbers if one.kind == "money" or (one.kind in _BARE and one.scale and not one.worded)]
        return tuple(_make_spans(text, [(one.start, one.end) for one in some]) for some in (money, bare))
    digits = [one for one in bare if not one.worded]
    return tuple(_make_spans(text, _join_ranges(some)) for some in (digits, bare))


def _make_spans(text: str, places: list[tuple[int, int]]) -> tuple[Span, ...]:
    return tuple(Span(text[start:end], start, end) for start, end in dict.fromkeys(places))


def _join_ranges(numbers: list[Quantity]) -> list[tuple[int, int]]:
    """Return the places of quantities, both ends of a range joined."""
    places: list[tuple[int, int]] = []
    for quantity in numbers:
        start = places.pop()[0] if quantity.part == "to" and places else quantity.start
        places.append((start, quantity.end))
    return places


def _adds_information(span: str, question: ParsedQuestion) -> bool:
    """Return whether a span says more than the question."""
    if question.kind == "date":
        days, named = dates(span), years(span)
        return not (days <= question.days if days else bool(named) and named <= question.years)
    if question.kind in ("amount", "count"):
        return not re.fullmatch(r"\(?(?:19|20)\d\d\)?|\(\d{1,2}\)", span)
    return True


def is_new_name(name: str, question: ParsedQuestion) -> bool:
    """Return whether at least half of a name's words are not the question's."""
    words = stems(name)
    return bool(words) and 2 * len(words & question.words) <= len(words)


def _bracketed_period(text: str, span: Span, question: ParsedQuestion) -> int:
    """Return 1 where the asked period stands in brackets right after a span, -1 for another period, else 0."""
    bracket = re.match(r"\s?\(([^()]*)\)", text[span.end :])
    behind = bracket[1] if bracket else ""
    if not question.years or not years(behind):
        return 0
    return 1 if question.is_of_period(behind) else -1


def is_counted_noun(text: str, span: Span, question: ParsedQuestion) -> bool:
    """Return whether the noun that is counted is among the three words after a span: "100 living species"."""
    noun = parse_slot(question.text).noun if question.kind == "count" else ""
    return bool(noun) and noun in [
        stem(word.lower()) for word in re.findall(r"[^\W\d_]+", text[span.end : span.end + 60])[:3]
    ]


def _score_nearness(text: str, span: Span, question: ParsedQuestion) -> float:
    """Score how near the question's words are to a span; words before it count more."""
    score = 0.0
    weights = dict(question.weights)
    for word in re.finditer(r"[^\W_]+(?:[’'-][^\W_]+)*", text):
        weight = weights.get(stem(word[0].lower()), 0.0)
        if question.kind != "date" and word[0].isdecimal() and int(word[0]) in question.years:
            weight = _ASKED_YEAR_WEIGHT
        if weight and not span.start <= word.start() < span.end:
            before = word.start() < span.start
            gap = span.start - word.end() if before else word.start() - span.end
            score += weight * (1.0 if before else 0.7) / (10.0 + gap)
    return score


def _pick_respective(text: str, answers: list[str], question: ParsedQuestion) -> str:
    """Return the answer for the asked period in "$88.4 billion and $90.8 billion, respectively", "" where unclear."""
    if "respectively" not in text or not (question.years or question.days):
        return ""
    periods = [text[one.start : one.end] for one in moments(text) if one.years]
    if len(periods) != len(answers):
        return ""
    for period, answer in zip(periods, answers, strict=True):
        if question.days & dates(period) if question.days else question.years & years(period):
            return answer.strip(" .,;")
    return ""


# Cells of a table row

_WHOLE = stems("total consolidated all company overall amount")
_NAME_WORDS = 10  # of a cell that is a name
_KINDS = {"amount": "number", "count": "number", "percent": "percent", "date": "date"}

_COUNTS_SHARES = re.compile(r"\bshares (?:used|outstanding|issued)|average (?:common )?shares|number of shares")
_NOT_SCALED = re.compile(r"per[ -]share|per[ -]unit|par value per|%|percent|ratio")


@dataclass(frozen=True)
class Cell:
    """A cell that may answer."""

    text: str
    header: str
    period: float  # 1: the asked one; 0.5: unknown; below 0: another


def find_cells(unit: PassageUnit, question: ParsedQuestion) -> list[Cell]:
    """Return the cells of a row that are of the question's kind, in their order."""
    kind = _KINDS.get(question.kind, "words" if question.kind != "any" else "")
    found = []
    for at, text in enumerate(unit.cells):
        header = unit.headers[at] if at < len(unit.headers) else ""
        if text.strip("$ ") in ("", "—", "-", "–") or not _is_of_kind(text, kind, header):
            continue
        if kind == "words" and not is_new_name(text, question):
            continue
        found.append(Cell(text, header, _score_period(header, unit, question)))
    return found


def format_cell(cell: Cell, unit: PassageUnit, question: ParsedQuestion) -> str:
    """Return a cell as an answer, with the table's scale where the cell has none."""
    if question.kind not in ("amount", "count", "any") or not _is_figure(cell.text):
        return cell.text
    scale = _stated_scale(unit, cell.header)
    return f"{cell.text} {scale}" if scale else cell.text


def _is_of_kind(text: str, kind: str, header: str) -> bool:
    if kind == "number":
        return _is_figure(text)
    if kind == "percent":
        return "%" in text or ("%" in header and _is_figure(text))
    if kind == "date":
        return bool(dates(text) or years(text))
    if kind == "words":
        return not _is_figure(text) and bool(re.search(r"[^\W\d_]{2}", text)) and len(text.split()) <= _NAME_WORDS
    return True


def _is_figure(text: str) -> bool:
    one = number(text)
    return one is not None and one.kind in ("money", "bare") and not (one.scale or one.worded or one.bound)


def _score_period(header: str, unit: PassageUnit, question: ParsedQuestion) -> float:
    if not question.years:
        return 0.5
    for context in (header, f"{unit.text} {unit.group}", unit.around):
        if named := years(context):
            if question.days and dates(context):
                if question.days & dates(context):
                    return 1.0
                return 0.4 if question.years & named and context is not header else -1.0
            if question.years & named:
                return 1.0 if context is not unit.around else 0.7
            return -1.0 if context is not unit.around else 0.3
    return 0.5


@lru_cache(maxsize=50_000)
def _stated_scale(unit: PassageUnit, header: str) -> str:
    """Return the scale that header, caption or headings state for a row: thousand, million, billion or ""."""
    row = f"{unit.group} {unit.text}".lower()
    shares = _COUNTS_SHARES.search(row) is not None
    if not shares and _NOT_SCALED.search(row):
        return ""
    stated = (counted_in(source, shares=shares) for source in (header, unit.first, unit.around))
    return POWER_NAMES.get(next((power for power in stated if power is not None), 0), "")


def is_total_column(header: str) -> bool:
    """Return whether a column is a total."""
    return bool(stems(header)) and stems(header) <= _WHOLE


# Scores by words

_AROUND_WEIGHT = 0.5  # of a word found only in headings or caption; words of the title count in full
_UNASKED_WEIGHT = 0.35  # of a candidate's word that is not the question's, in the precision
_OTHER_PERIOD_FACTOR = 0.35  # factor of the score of a candidate of another period
MAX_SCORE_GAP = 0.3  # behind the best by words: a worse candidate would need a cosine that is 0.55 better
NAME_KINDS = ("person", "place", "organisation", "address")


@dataclass(frozen=True)
class Candidate:
    """A possible answer and the unit it is from."""

    answer: str
    unit: PassageUnit
    words: float  # score by words, period and kind, 0 to 1
    whole: bool = False  # the answer is some phrase of this sentence, which is looked for in the best sentences alone


def find_candidates(page: ParsedPassage, question: ParsedQuestion, most: int) -> tuple[Candidate, ...]:
    """Return the best candidates of a passage by words, best first; equal ones in the order of the passage."""
    reach: dict[int, float] = {}
    for word, weight in question.weights:
        for at in page.holds.get(word, ()):
            reach[at] = reach.get(at, 0.0) + weight
    near = sorted(reach or range(len(page.units)), key=lambda at: (-reach.get(at, 0.0), at))[: 3 * most]
    scored = [(*_score_unit(page, page.units[at], question), at) for at in near]
    found: list[Candidate] = []
    for score, cell, at in sorted(scored, key=lambda it: (-it[0], it[2])):  # best first: spans are costly to find
        if len(found) == most or (found and score < found[0].words - MAX_SCORE_GAP):
            break
        unit = page.units[at]
        if cell is not None:
            found.append(Candidate(format_cell(cell, unit, question), unit, score))
        elif question.kind in KINDS:
            if inside := find_spans(unit.text, question):
                found.append(Candidate(inside[0], unit, score))
        else:  # in other languages than English the whole sentence
            found.append(Candidate(unit.text, unit, score, question.asks))
    return tuple(found)


def _score_unit(page: ParsedPassage, unit: PassageUnit, question: ParsedQuestion) -> tuple[float, Cell | None]:
    """Return a unit's score by words, and the cell that answers; None where its text would answer."""
    if not unit.cells:
        score = _score_words(stems(unit.text), frozenset(), stems(unit.around), page.about, question)
        if question.years and years(unit.text):
            there = (
                question.days & dates(unit.text)
                if question.days and dates(unit.text)
                else question.years & years(unit.text)
            )
            score *= 1.0 if there else _OTHER_PERIOD_FACTOR
        return score, None
    label, group, around = stems(unit.text), stems(unit.group), stems(unit.around)
    if question.kind in NAME_KINDS:  # in a list of people or places the words are in the cells
        label |= stems(" ".join(unit.cells))
    best: tuple[float, Cell | None] = (0.0, None)
    for cell in find_cells(unit, question):
        header = stems(cell.header)
        extra = frozenset() if is_total_column(cell.header) else header
        score = _score_words(label, group | extra, around | header, page.about, question)
        score *= 1.0 if cell.period > 0.6 else _OTHER_PERIOD_FACTOR if cell.period < 0 else 0.9
        if score > best[0]:
            best = score, cell
    if best[1] is None and question.kind in NAME_KINDS:
        return _score_words(label, group | stems(unit.first), around, page.about, question), None
    return best


@lru_cache(maxsize=50_000)
def _score_words(
    own: frozenset[str], beside: frozenset[str], around: frozenset[str], title: frozenset[str], question: ParsedQuestion
) -> float:
    """Return recall of the question's words, times a factor for precision; 0 to 1."""
    had = total = 0.0
    for word, weight in question.weights:
        total += weight
        if word in own or word in title:
            had += weight
        elif word in beside:
            had += 0.9 * weight
        elif word in around:
            had += _AROUND_WEIGHT * weight
    if not total:
        return 0.0
    words = (own | beside) - title
    shared = len(words & question.words)
    precision = shared / (shared + _UNASKED_WEIGHT * len(words - question.words)) if words else 0.0
    return math.pow(had / total, 0.6) * (0.5 + 0.5 * precision)
