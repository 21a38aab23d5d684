"""Links between pages: sure addresses, sentences that say something, names that are one page's own."""

import pytest

from rarefy.data_contracts.rows import Chunk, Document, Link, Triplet, row_id
from rarefy.tasks.corpus.chunk import ChunkConfig, chunk
from rarefy.tasks.corpus.read.text import read_markdown
from rarefy.tasks.knowledge.link import LinkConfig, link
from rarefy.tasks.knowledge.link.addresses import Addresses


def pages(**texts: str) -> list[Document]:
    return [read_markdown(text, f"{name.replace('__', '/')}.md") for name, text in texts.items()]


def links(documents: list[Document], *facts: Triplet) -> list[Triplet]:
    chunks: dict[str, Chunk] = {row.chunk_id: row for row in chunk(documents, ChunkConfig())}
    rows = link(facts, LinkConfig(), chunks=chunks, documents={row.doc_id: row for row in documents})
    found = [row for row in rows if row.method == "link"]
    for row in found:
        assert chunks[row.chunk_id].text[row.start : row.end] == row.source_sentence
        assert row.answer in row.source_sentence
        assert not row.rejected_because
    return found


def said(
    sentence: str, leave: str = "# Paid Leave\n\nTwenty days a year.\n\n## Unused Days\n\nThey lapse."
) -> set[tuple[str, str, str]]:
    documents = pages(start=f"# Getting Started\n\n{sentence}", leave=leave)
    return {(row.object, row.answer, row.relation) for row in links(documents) if row.subject == "Getting Started"}


@pytest.mark.parametrize(
    ("sentence", "thing", "answer"),
    [
        ("Your days are explained under [paid leave](leave.md).", "Paid Leave", "paid leave"),
        ("Your manager approves all [days off](leave.md) in advance.", "Paid Leave", "days off"),
        ("Look up how many [unused days](leave.md#unused-days) you have.", "Unused Days", "unused days"),
        ("Our rules of paid leave are set out [here](leave.md).", "Paid Leave", "paid leave"),
    ],
)
def test_a_sentence_links_its_page_to_what_it_leads_to(sentence: str, thing: str, answer: str) -> None:
    assert said(sentence) == {(thing, answer, "refers to")}


@pytest.mark.parametrize(
    "sentence",
    [
        "[Paid Leave](leave.md)",
        "- [Paid Leave](leave.md): all of it.",
        "Next: read all about [paid leave](leave.md).",
        "All of this is set out at length [here](leave.md).",
        "We have [a](leave.md), [b](leave.md#unused-days) and also [c](start.md) for you.",
        "## See also\n\nYour days are explained under [paid leave](leave.md).",
        "Your days are explained under [paid leave](https://example.org/leave.md).",
        "Your days are explained under [getting started](start.md).",
    ],
)
def test_menus_lists_and_bare_pointers_link_nothing(sentence: str) -> None:
    assert said(sentence) == set()


def test_a_name_that_several_pages_have_is_no_end_of_a_link() -> None:
    sentence = "Your days are explained under [paid leave](leave.md#summary)."
    assert said(sentence, "# Paid Leave\n\n## Summary\n\nTwenty.\n\n# Getting Started") == set()
    assert said(sentence, "# Getting Started\n\nTwenty days.") == set()


def test_a_link_ends_at_the_thing_that_the_other_page_states_facts_of() -> None:
    documents = pages(start="# Getting Started\n\nAsk early for your [vacation](leave.md) each year.",
                      leave="# Paid Leave\n\nVacations take twenty days.")  # fmt: skip
    (held,) = (row for row in chunk(documents, ChunkConfig()) if row.doc_id == "leave.md")
    at = held.text.index("Vacations")
    fact = Triplet(
        row_id("fact"), held.chunk_id, "leave.md", at, len(held.text), *("Vacations", "take", "twenty days"),
        held.text[at:], "model", object_type="QUANTITY",
    )  # fmt: skip
    assert [row.object for row in links(documents, fact)] == ["Vacations"]


def found(target: str, *others: Document, source: str = "docs/start.md") -> str:
    linking = Document(source, "h", source, "Start", "text/markdown", "See it.", links=(Link(0, 3, target),))
    held = pages(docs__leave="# A", docs__hr__index="# B", docs__hr__sick_days="# C", about="# D")
    page, _ = Addresses([linking, *others, *held]).find(linking, target)
    return page.source.removesuffix(".md") if page else ""


@pytest.mark.parametrize(
    ("target", "page"),
    [
        ("leave.md", "docs/leave"),
        ("./leave.html#days", "docs/leave"),
        ("../about", "about"),
        ("hr/", "docs/hr/index"),
        ("hr/index.html?x=1", "docs/hr/index"),
        ("hr/sick%5Fdays.md", "docs/hr/sick_days"),
        ("/docs/leave/", "docs/leave"),
        ("../leave/", "docs/leave"),  # of a page shown as start/
        ("/leave/", ""),  # only its end fits
        ("https://example.org/docs/leave/", ""),
        ("http://[", ""),
        ("missing.md", ""),
        ("../../../about.md", ""),
        ("#days", ""),
    ],
)
def test_addresses_lead_to_documents(target: str, page: str) -> None:
    assert found(target) == page


def test_a_site_is_the_corpus_once_links_to_it_fit_three_documents() -> None:
    site = "https://github.com/acme/handbook/blob/main"
    others = (Link(0, 3, f"{site}/docs/hr/index.md"), Link(4, 5, f"{site}/about.md"))
    guide = Document("guide.md", "h", "guide.md", "Guide", "text/markdown", "See it.", links=others)
    assert found(f"{site}/docs/leave.md", guide) == "docs/leave"
    assert found(f"{site}/docs/leave.md") == ""


def test_a_page_has_the_address_that_its_front_matter_gives() -> None:
    (away,) = pages(away="---\nurl: https://www.acme.org/off/\naliases: [/holidays/, /off]\n---\n# Days off")
    assert found("http://acme.org/off", away) == found("/holidays", away) == "away"


def test_what_every_page_says_links_nothing() -> None:
    texts = {
        name: f"# The {name}\n\nAn old text: there is a [newer one](leave.md) of it."
        for name in "one two three".split()
    }
    assert not links(pages(leave="# Paid Leave\n\nTwenty days.", **texts))
    assert len(links(pages(leave="# Paid Leave\n\nTwenty days.", one=texts["one"], two=texts["two"]))) == 2
