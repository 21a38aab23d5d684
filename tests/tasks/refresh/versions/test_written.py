"""What a person reads of the changes: whole, bounded, and with no word of a document taken for markup."""

import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt
from versioned import benchmark

from rarefy.data_contracts.rows import Chunk, Document, Place, Question, Triplet
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.tasks.export.tables import CHANGES
from rarefy.tasks.refresh.versions import compare_tables, write_changes
from rarefy.tasks.refresh.versions.report import HTML_ROWS, group_changes, render_html, render_markdown
from rarefy.tasks.store.tables import Store

EVIL = (
    "</style><script>alert(1)</script> | *b* <img src=x onerror=alert(1)> [a](http://x) `c` &lt; \u202eedoc | 1 | 2024"
)
OLD = {"a.md": [("City", ["Oslo | population | 700 | 2024", "A sentence."])]}
NEW = {"a.md": [("City", ["Oslo | population | 710 | 2024", "A sentence.", EVIL.replace(" | ", " - ")])]}


@pytest.fixture
def found():
    return compare_tables(benchmark(OLD), benchmark(NEW))


def on_pages(tables):
    """The tables as if each paragraph stood on a page of its own."""
    documents, chunks, triplets, questions = (
        list(from_table(tables[kind], kind)) for kind in (Document, Chunk, Triplet, Question)
    )
    places = {
        row.doc_id: [Place(b.start, b.end, f"page {n}") for n, b in enumerate(row.blocks, 1)] for row in documents
    }
    page = {c.chunk_id: next(p.name for p in places[c.doc_id] if p.start == c.start) for c in chunks}
    rows = {
        Document: [replace(row, places=tuple(places[row.doc_id])) for row in documents],
        Chunk: [replace(row, place=page[row.chunk_id]) for row in chunks],
        Triplet: [replace(row, place=page[row.chunk_id]) for row in triplets],
        Question: [replace(row, evidence_places=(page[row.chunk_ids[-1]],)) for row in questions],
    }
    return tables | {kind: to_table(made, kind) for kind, made in rows.items()}


def test_what_changed_says_its_place_in_the_source():
    found = compare_tables(on_pages(benchmark(OLD)), on_pages(benchmark(NEW)))
    assert {(row.kind, row.change, row.place) for row in found.rows} == {
        ("documents", "edited", ""),
        ("paragraphs", "edited", "page 2"),
        ("paragraphs", "added", "page 4"),
        ("triplets", "restated", "page 2"),
        ("questions", "answer_changed", "page 2"),
        ("chunks", "added", "page 2"),
        ("chunks", "added", "page 4"),
        ("chunks", "removed", "page 2"),
    }
    assert "a.md, page 2" in render_markdown(found, "old", "new")
    assert "a.md, page 2" in Seen(render_html(found, "old", "new")).text


class Seen(HTMLParser):
    """Which elements a page has, and its text."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], ""
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text += data


def test_the_page_shows_documents_words_as_words(found):
    seen = Seen(render_html(found, "old", "<new>"))
    assert {"script", "img", "link"}.isdisjoint(seen.tags)
    assert not [name for name, _ in seen.attributes if name.startswith("on") or name == "src"]
    assert "<script>alert(1)</script>" in seen.text
    assert "⟨U+202E⟩" in seen.text
    assert "<new>" in seen.text


def test_the_page_needs_nothing_from_elsewhere(found):
    text = render_html(found, "old", "new")
    assert "http" not in text.replace("http://x", "").replace("http-equiv", "")
    assert "default-src 'none'" in text


def test_the_page_marks_what_is_another(found):
    text = render_html(found, "old", "new")
    assert "<del>700</del>" in text
    assert "<ins>710</ins>" in text


def test_digests_are_shortened_and_other_names_are_not(found):
    assert "aaaaaaaaaaaa</code>" in render_html(found, "a" * 32, "mine")
    assert "mine</code>" in render_html(found, "a" * 32, "mine")


def test_markdown_shows_documents_words_as_words(found):
    html = MarkdownIt("commonmark").enable("table").render(render_markdown(found, "old", "<new>"))
    seen = Seen(html)
    assert {"script", "img", "a", "em", "del"}.isdisjoint(seen.tags)
    assert "<script>alert(1)</script>" in seen.text
    assert "*b*" in seen.text
    assert "&lt;" in seen.text
    rows = [row for row in html.split("<tr>") if "<td" in row]
    assert {row.count("<td") for row in rows} == {2, 4}


def test_pages_stay_small_and_say_how_much_more_there_is():
    many = {f"{n}.md": [("", [f"City {n} | size | {n} | 2024"])] for n in range(5 * HTML_ROWS)}
    found = compare_tables({}, benchmark(many))
    text = render_html(found, "old", "new")
    assert f"and {4 * HTML_ROWS:,} more" in text
    assert text.count("What was the size") == HTML_ROWS
    assert len(render_markdown(found, "old", "new")) < 30_000


def test_of_facts_that_moved_those_with_the_same_value_are_counted_alone():
    moved = compare_tables(benchmark(OLD), benchmark({"b.md": OLD["a.md"]}))
    (group,) = (one for one in group_changes(moved, 5) if (one.kind, one.change) == ("triplets", "moved"))
    assert (group.count, group.rows, group.more) == (1, (), 0)
    said = "All with the same value: only the place is another."
    assert said in render_html(moved, "old", "new") and said in render_markdown(moved, "old", "new")
    rows = [replace(row, after="700.0") if row.kind == "triplets" else row for row in moved.rows]
    (group,) = (
        one for one in group_changes(replace(moved, rows=rows), 5) if (one.kind, one.change) == ("triplets", "moved")
    )
    assert len(group.rows) == 1 and not group.note  # the same value in other words


def test_where_nothing_changed_that_is_what_is_said():
    found = compare_tables(benchmark(OLD), benchmark(OLD))
    assert "Nothing changed" in render_html(found, "a", "b")
    assert "Nothing changed" in render_markdown(found, "a", "b")


def test_every_row_and_every_count_is_written(tmp_path, found):
    write_changes(tmp_path, found, "old", "new")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(CHANGES)
    rows = [json.loads(line) for line in (tmp_path / "changes.jsonl").read_text().splitlines()]
    assert len(rows) == len(found.rows)
    told = json.loads((tmp_path / "changes.json").read_text())
    assert (told["old"], told["new"]) == ("old", "new")
    assert told["counts"]["questions"]["answer_changed"] == 1
    assert told["counts"]["documents"]["renamed"] == 0


def test_the_same_changes_are_the_same_bytes(tmp_path, found):
    for name in ("a", "b"):
        write_changes(tmp_path / name, found, "old", "new")
    assert all((tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes() for name in CHANGES)


def test_counts_are_those_of_the_journal(found):
    assert found.counts["questions_answer_changed"] == 1
    assert found.counts["questions_retired"] == 0  # questions always have all of them
    assert "documents_renamed" not in found.counts


def test_kept_versions_are_read_with_the_columns_that_matter_and_of_any_schema(tmp_path):
    from rarefy.tasks.export.tables import NAMES
    from rarefy.tasks.refresh.versions.compare import load_version_table, load_version_tables
    from rarefy.tasks.store.journal import Version

    store = Store(tmp_path)
    tables = benchmark(OLD)
    kept = {NAMES[row_type]: table for row_type, table in tables.items()}
    kept["triplets"] = kept["triplets"].drop_columns(["valid_from", "valid_to", "superseded_by"])
    entry = Version(version="v", line="l", out="o", corpus="c", schemas={"questions": 2},
                    tables={kind: store.keep(table) for kind, table in kept.items()})  # fmt: skip
    assert compare_tables(load_version_tables(store, entry), tables).nothing
    assert "superseded_by" in load_version_table(store, entry, "triplets").column_names
    assert load_version_table(store, entry, "documents", ["doc_id"]).column_names == ["doc_id"]
