"""How changes are cut to a length that a table has room for."""

import pytest
from versioned import benchmark

from rarefy.data_contracts.rows import Change
from rarefy.tasks.refresh.versions import compare_tables
from rarefy.tasks.refresh.versions.compare import Changes
from rarefy.tasks.refresh.versions.report import crop_pair, format_count, render_html, render_markdown

WORDS = " ".join(f"word{n}" for n in range(400))  # 3,000 characters


@pytest.mark.parametrize("at", [0, 30, 200, 399])
def test_long_texts_are_cut_around_what_is_another(at):
    before, after = (WORDS.replace(f"word{at} ", f"{said} ", 1) if at < 399 else f"{WORDS} {said}" for said in "ab")
    cut = crop_pair(before, after, 160)
    assert cut[0] != cut[1]
    assert max(map(len, cut)) <= 160
    first = 10 * at if at < 30 else 3000
    assert all(one.startswith("…word") for one in cut) == (first > 160)
    assert all(one.endswith("…") for one in cut) == (at < 399)


def test_a_text_that_goes_on_is_cut_around_its_end():
    before, after = crop_pair(WORDS, f"{WORDS} and more", 160)
    assert after == f"{before} and more"


def test_texts_without_a_space_are_cut_all_the_same():
    before, after = crop_pair(f"{'x' * 2000}a{'x' * 50}", f"{'x' * 2000}b{'x' * 500}", 90)
    assert (before.count("a"), after.count("b")) == (1, 1)
    assert (len(before), len(after)) == (82, 90)


def test_what_is_short_or_alone_or_the_same_is_cut_from_the_start_if_at_all():
    assert crop_pair("a b", "a c", 3) == ("a b", "a c")
    assert crop_pair("", "abcdef", 4) == ("", "abc…")
    assert crop_pair("abcdef", "abcdef", 4) == ("abc…", "abc…")


def test_markdown_and_page_show_what_is_another_in_a_long_paragraph():
    old, new = ({"a.md": [("City", [f"{WORDS} {said} {WORDS}"])]} for said in ("before", "after"))
    found = compare_tables(benchmark(old), benchmark(new))
    (row,) = (row for row in found.rows if (row.kind, row.change) == ("paragraphs", "edited"))
    assert row.before != row.after
    (line,) = (line for line in render_markdown(found, "old", "new").splitlines() if "word399 before" in line)
    assert "word399 after" in line
    assert "<del>before</del>" in render_html(found, "old", "new")


def test_a_document_is_shown_by_its_title_and_its_file():
    change = Change("", "paragraphs", "edited", doc_id="faq.html", place="page 1", about="text", before="a", after="b")
    document = Change("", "documents", "edited", doc_id="faq.html", about="Support FAQ")
    found = Changes((document, change), {}, {})
    assert "Support FAQ, faq.html, page 1" in render_html(found, "old", "new")
    assert "Support FAQ, faq.html, page 1" in render_markdown(found, "old", "new")


def test_one_is_one():
    assert format_count("documents_edited", 1) == "1 document edited"
    assert format_count("documents_renamed_and_edited", 1200) == "1,200 documents renamed and edited"
    assert format_count("questions", 1) == "1 question"
