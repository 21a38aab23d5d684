"""What changed between two versions, as files beside a benchmark: JSON lines, Markdown, HTML, counts."""

import dataclasses
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup

from rarefy.data_contracts.rows import Change
from rarefy.tasks.export.files import put_file, to_json_lines
from rarefy.tasks.refresh.versions.compare import MEANINGS, Changes, describe_differing_settings
from rarefy.tasks.store.tables import TABLE_NAME
from rarefy.tasks.text.characters import shorten
from rarefy.tasks.text.html_page import page_environment
from rarefy.tasks.text.markdown import markdown_table
from rarefy.tasks.text.markdown import markdown_text as _text

MARKDOWN_ROWS = 20  # of a group
MARKDOWN_WIDTH = 300  # characters of a text
HTML_ROWS = 200  # of a group
HTML_WIDTH = 1_500  # characters of a text
MAX_WORDS = 800  # texts of more words are shown side by side, without marks
COUNTED_ONLY = ("chunks", "variants")  # they change with the rest, so that their rows are not shown
REPLACED = ("edited", "restated", "answer_changed", "evidence_moved", "reworded")  # `after` stands for `before`
_WORD = re.compile(r"(\s*)([\w.,$%€£’'-]+|\S|\Z)")
MarkedText = list[tuple[bool, str]]  # pieces of a text, each with whether the other text lacks it


@dataclass(frozen=True)
class ChangeGroup:
    """The changes of one kind to which the same happened."""

    kind: str
    change: str
    meaning: str
    count: int
    rows: tuple[Change, ...]  # the first of them
    place_alone: int = 0  # how many are not to be listed: nothing but their place is another

    @property
    def title(self) -> str:
        """The heading of the group."""
        return f"{self.kind.capitalize()} {self.change.replace('_', ' ')}"

    @property
    def more(self) -> int:
        """How many are not among `rows`."""
        return self.count - len(self.rows) - self.place_alone

    @property
    def note(self) -> str:
        """How many are not listed since they say the same as before; "" for none."""
        every = "All" if self.place_alone == self.count else f"{self.place_alone:,} of them"
        return f"{every} with the same value: only the place is another." if self.place_alone else ""


def write_changes(place: Path, changes: Changes, old: str, new: str, settings: Sequence[str] = ()) -> None:
    """Write changes.jsonl (every row), .md, .html and .json (the counts, last of all) beside a benchmark.

    `settings` are the options in which the two versions differ.
    """
    put_file(place / "changes.jsonl", to_json_lines(dataclasses.asdict(row) for row in changes.rows))
    put_file(place / "changes.md", [render_markdown(changes, old, new, settings).encode()])
    put_file(place / "changes.html", [render_html(changes, old, new, settings).encode()])
    summary = {**summarise_changes(changes, old, new), "settings": list(settings)}
    put_file(place / "changes.json", [f"{json.dumps(summary, indent=1, ensure_ascii=False)}\n".encode()])


def summarise_changes(changes: Changes, old: str, new: str) -> dict[str, Any]:
    """The names of both versions and the counts by kind, for JSON."""
    return {"old": old, "new": new, "counts": changes.by_kind}


def render_markdown(changes: Changes, old: str, new: str, settings: Sequence[str] = ()) -> str:
    """Counts by kind, then the first rows of each group, as Markdown in which the documents' own words are escaped."""
    lines = [f"# Changes from {_text(short_version(old))} to {_text(short_version(new))}", ""]
    if settings:
        lines += [f"{_text(describe_differing_settings(settings, short_version(old)))}.", ""]
    if changes.nothing:
        lines += ["Nothing changed.", ""]
    lines += _count_table(changes)
    titles = _find_titles(changes)
    for group in group_changes(changes, MARKDOWN_ROWS):
        if (group.rows or group.note) and group.kind not in COUNTED_ONLY:
            lines += _group_section(group, titles)
    lines.append("Every row: `changes.jsonl`. To read them: `changes.html`.")
    return "\n".join(lines) + "\n"


def _count_table(changes: Changes) -> Iterator[str]:
    became = {
        kind: ", ".join(f"{count:,} {what.replace('_', ' ')}" for what, count in found.items() if count)
        for kind, found in changes.by_kind.items()
    }
    yield from markdown_table(
        ("", "what became of them"), [(kind, counts) for kind, counts in became.items() if counts]
    )
    yield ""


def _group_section(group: ChangeGroup, titles: Mapping[str, str]) -> Iterator[str]:
    yield from (f"## {group.title} ({group.count:,})", "")
    yield from (f"{group.meaning.capitalize()}.", "")
    yield from (group.note, "") if group.note else ()
    if group.rows:
        yield from markdown_table(("what", "before", "after", ""), (_cells(row, titles) for row in group.rows))
    if group.more:
        yield from ("", f"… and {group.more:,} more.")
    yield ""


def _cells(row: Change, titles: Mapping[str, str]) -> tuple[str, ...]:
    what, detail = (shorten(cell, MARKDOWN_WIDTH) for cell in (_row_label(row, titles), row.detail))
    return what, *crop_pair(row.before, row.after, MARKDOWN_WIDTH), detail


def _find_titles(changes: Changes) -> dict[str, str]:
    """What each changed document is called, where that is not its id."""
    return {row.doc_id: row.about for row in changes.rows if row.kind == "documents" and row.about != row.doc_id}


def _row_label(row: Change, titles: Mapping[str, str]) -> str:
    title = "" if row.kind == "documents" else titles.get(row.doc_id, "")
    where = ", ".join(filter(None, (title, row.doc_id, row.place)))
    return " · ".join(part for part in (row.about, row.section if row.kind != "sections" else "", where) if part)


def render_html(changes: Changes, old: str, new: str, settings: Sequence[str] = ()) -> str:
    """The changes as one HTML page that needs nothing beside it, with what differs marked word by word."""
    groups = list(group_changes(changes, HTML_ROWS))
    page: str = _template().render(
        old=short_version(old),
        new=short_version(new),
        nothing=changes.nothing,
        settings=describe_differing_settings(settings, short_version(old)) if settings else "",
        kinds=changes.by_kind,
        classes=groups,
        there={(group.kind, group.change) for group in groups if group.rows or group.note},
        folded=COUNTED_ONLY,
        titles=_find_titles(changes),
        style=Markup(files("rarefy.tasks.refresh.versions").joinpath("page.css").read_text("utf-8")),
        beside=_mark_pair,
    )
    return page


def _mark_pair(row: Any) -> tuple[MarkedText, MarkedText]:
    """Texts before and after; what differs is marked where the one replaced the other."""
    before, after = crop_pair(row.before, row.after, HTML_WIDTH)
    return mark_differences(before, after) if row.change in REPLACED else ([(False, before)], [(False, after)])


@cache
def _template() -> Any:
    return page_environment("rarefy.tasks.refresh.versions").get_template("page.html.j2")


def group_changes(changes: Changes, most: int) -> Iterator[ChangeGroup]:
    """Every group that is not empty, with up to `most` of its rows.

    Unchanged rows are there only where they have a detail, and facts that moved only where their value is another.
    """
    by: dict[tuple[str, str], list[Change]] = defaultdict(list)
    alike: Counter[tuple[str, str]] = Counter()
    for row in changes.rows:
        rows = by[row.kind, row.change]
        if row.kind == "triplets" and row.change == "moved" and row.before == row.after:
            alike[row.kind, row.change] += 1
        elif len(rows) < most and (row.change != "unchanged" or row.detail):
            rows.append(row)
    for kind, words in MEANINGS.items():
        for change, meaning in words.items():
            if count := changes.by_kind[kind][change]:
                yield ChangeGroup(kind, change, meaning, count, tuple(by[kind, change]), alike[kind, change])


def format_count(name: str, count: int) -> str:
    """A count of a version's changes in words: `documents_edited` is "1 document edited", "2 documents edited"."""
    kind, _, what = name.partition("_")
    return f"{count:,} {kind.removesuffix('s') if count == 1 else kind} {what.replace('_', ' ')}".rstrip()


def short_version(version: str) -> str:
    """A version as it is shown: the beginning of a digest, anything else as it is."""
    return version[:12] if TABLE_NAME.fullmatch(version) else version


def crop_pair(before: str, after: str, most: int) -> tuple[str, str]:
    """Both texts, each up to `most` characters around the first difference of the two, … where something is left out.

    Cut from the start, a long paragraph with one other figure would read the same before and after.
    """
    if max(len(before), len(after)) <= most or not before or not after or before == after:
        return shorten(before, most), shorten(after, most)
    ends = min(len(before), len(after))
    at = next((at for at in range(ends) if before[at] != after[at]), ends)
    begin = max(0, at - most // 3)
    if begin:
        space = before.find(" ", begin, min(at, begin + 20))  # a word, where one begins
        begin = space + 1 if space >= 0 else begin

    def cut(text: str) -> str:
        lead = "…" if begin else ""
        return lead + shorten(text[begin:], most - len(lead))

    return cut(before), cut(after)


def mark_differences(before: str, after: str) -> tuple[MarkedText, MarkedText]:
    """Both texts in pieces, each piece marked where the other text does not have its words; spaces are no words."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    if not before or not after or max(len(old), len(new)) > MAX_WORDS:
        return [(False, before)], [(False, after)]
    from rapidfuzz.distance import Indel

    numbers: dict[str, int] = {}
    left, right = ([numbers.setdefault(word, len(numbers)) for _, word in side] for side in (old, new))
    kept_left, kept_right = set[int](), set[int]()
    for step in Indel.opcodes(left, right):
        if step.tag == "equal":
            kept_left.update(range(step.src_start, step.src_end))
            kept_right.update(range(step.dest_start, step.dest_end))
    return _join_pieces(old, kept_left), _join_pieces(new, kept_right)


def _join_pieces(words: Sequence[tuple[str, str]], kept: set[int]) -> MarkedText:
    """A text in pieces; the space between two words is marked where both are."""

    def each() -> Iterator[tuple[bool, str]]:
        for at, (space, word) in enumerate(words):
            yield at > 0 and at not in kept and at - 1 not in kept, space
            yield at not in kept, word

    pieces = groupby((piece for piece in each() if piece[1]), key=lambda piece: piece[0])
    return [(other, "".join(text for _, text in some)) for other, some in pieces]
