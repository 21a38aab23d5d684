"""Changes as Markdown, for a pull request, a wiki, an artifact of Prefect."""

from collections.abc import Iterator, Sequence

from rarefy.data_contracts.rows import Change
from rarefy.tasks.refresh.versions.compare import Changes
from rarefy.tasks.refresh.versions.settings import differ
from rarefy.tasks.refresh.versions.shown import FOLLOWS, Class, beside, named, shortened, shown
from rarefy.tasks.text.markdown import markdown_table
from rarefy.tasks.text.markdown import markdown_text as _text

ROWS = 20  # of a class
LONG = 300  # characters of a text


def as_markdown(changes: Changes, old: str, new: str, settings: Sequence[str] = ()) -> str:
    """Counts by kind, then the first rows of each class; words of the documents are no markup."""
    lines = [f"# Changes from {_text(named(old))} to {_text(named(new))}", ""]
    if settings:
        lines += [f"{_text(differ(settings, named(old)))}.", ""]
    if changes.nothing:
        lines += ["Nothing changed.", ""]
    lines += _counts(changes)
    for one in shown(changes, ROWS):
        if one.rows and one.kind not in FOLLOWS:
            lines += _class(one)
    lines.append("Every row: `changes.jsonl`. To read them: `changes.html`.")
    return "\n".join(lines) + "\n"


def _counts(changes: Changes) -> Iterator[str]:
    became = {
        kind: ", ".join(f"{count:,} {what.replace('_', ' ')}" for what, count in found.items() if count)
        for kind, found in changes.by_kind.items()
    }
    yield from markdown_table(("", "what became of them"), [(kind, told) for kind, told in became.items() if told])
    yield ""


def _class(one: Class) -> Iterator[str]:
    yield from (f"## {one.title} ({one.count:,})", "")
    yield from (f"{one.meaning.capitalize()}.", "")
    yield from markdown_table(("what", "before", "after", ""), map(_cells, one.rows))
    if one.more:
        yield from ("", f"… and {one.more:,} more.")
    yield ""


def _cells(row: Change) -> tuple[str, ...]:
    what, detail = (shortened(cell, LONG) for cell in (_what(row), row.detail))
    return what, *beside(row.before, row.after, LONG), detail


def _what(row: Change) -> str:
    return " · ".join(part for part in (row.about, row.section if row.kind != "sections" else "", row.doc_id) if part)
