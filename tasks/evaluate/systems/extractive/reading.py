"""A passage as sentences and table rows, each with what stands around it, however the passage is wrapped."""

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from rarefy.tasks.evaluate.systems.extractive.words import stems
from rarefy.tasks.text.sentences import sentences

_TAG = re.compile(r"</?[A-Za-z!][^>]*>")
_RULE = re.compile(r"\|?\s*:?-{2,}:?\s*(?:\|\s*:?-{2,}:?\s*)*\|?")
_LONGEST = 600  # characters of a sentence that is looked through; a longer one is cut at white space


@dataclass(frozen=True)
class Unit:
    """A sentence, or a row of a table with its column headers."""

    text: str  # the sentence; a row's label
    cells: tuple[str, ...] = ()  # of a row, behind its label
    headers: tuple[str, ...] = ()  # of these cells
    first: str = ""  # header of the label's column
    group: str = ""  # the row that this row stands under: "Cost of sales:"
    around: str = ""  # caption, headings: what it is about

    @property
    def told(self) -> str:
        """What is embedded: a row in words, without its numbers."""
        if not self.cells:
            return self.text
        group = self.group.rstrip(": ")
        return f"{group}: {self.text}" if group else self.text


@dataclass(frozen=True)
class Page:
    """All units of a passage, and which hold a word."""

    title: str
    units: tuple[Unit, ...]
    holds: dict[str, tuple[int, ...]]
    about: frozenset[str]  # words of the title


@lru_cache(maxsize=2_000)
def page(title: str, text: str) -> Page:
    """A passage, read once."""
    title, text = _unwrapped(title, text)
    units = tuple(_units(text))
    holds: dict[str, list[int]] = {}
    for at, unit in enumerate(units):
        for word in sorted(
            stems(unit.text) | stems(unit.group) | stems(" ".join(unit.cells)) | stems(" ".join(unit.headers))
        ):
            holds.setdefault(word, []).append(at)
    return Page(title, units, {word: tuple(places) for word, places in holds.items()}, stems(title))


def _unwrapped(title: str, text: str) -> tuple[str, str]:
    """Title and text of a passage that comes as JSON, HTML, YAML or Markdown, as any loader would take them out."""
    start = text.lstrip()[:200]
    if start.startswith("{"):
        try:
            told = json.loads(text)
        except ValueError:
            told = None
        if isinstance(told, dict):
            parts = {str(name).lower(): str(value) for name, value in told.items()}
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


def _units(text: str) -> Iterator[Unit]:
    headings: list[str] = []
    caption: list[str] = []
    table: list[list[str]] = []
    prose: list[str] = []
    for line in [*text.splitlines(), ""]:
        line = line.strip()
        if line.startswith("|"):
            if prose:
                yield from _sentences(prose, " ".join(headings[-2:]))
                caption, prose = prose[-2:], []
            table.append([cell.strip() for cell in line.strip("|").split("|")] if not _RULE.fullmatch(line) else [])
            continue
        if table:
            yield from _rows(table, " ".join([*headings[-2:], *caption]))
            table = []
        if line.startswith("#"):
            headings.append(line.lstrip("# "))
            caption = []
        if line:
            prose.append(line.lstrip("# "))
        elif prose:
            yield from _sentences(prose, " ".join(headings[-2:]))
            caption, prose = [*caption, *prose][-2:], []
    if prose:
        yield from _sentences(prose, " ".join(headings[-2:]))


def _sentences(lines: list[str], headings: str) -> Iterator[Unit]:
    around = headings
    for line in lines:
        for start, end in sentences(line):
            yield from (Unit(piece, around=around) for piece in _cut(line[start:end]))
            around = f"{headings} {line[max(start, end - _LONGEST) : end]}"  # what "it" is, the one before often says


def _cut(sentence: str) -> Iterator[str]:
    while len(sentence) > _LONGEST:
        at = sentence.rfind(" ", 0, _LONGEST)
        at = at if at > 0 else _LONGEST
        yield sentence[:at]
        sentence = sentence[at:].lstrip()
    if sentence:
        yield sentence


def _rows(table: list[list[str]], around: str) -> Iterator[Unit]:
    """The rows that say something, under the header above the rule, or the first row where there is no rule."""
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
            yield Unit(label, cells, tuple(headers[1:]), headers[0] if headers else "", group, around)
        if re.match(r"(?i)total\b", label):
            group = ""
