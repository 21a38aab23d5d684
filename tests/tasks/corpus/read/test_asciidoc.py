from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Document, Quarantined
from rarefy.tasks.corpus.read import ReadConfig, asciidoc, read_corpus

PAGE = """\
// a comment
[[top]]
= The Manual of {product}
Jane Doe <jane@acme.example>
v1.2, 2024-03-05
:product: Pumps
:organization: Acme

ifdef::env-github[]
See the https://acme.example[real page].
endif::[]
ifndef::env-github[]
A pump moves *water* up a hill.
ifeval::["{product}" == "Pumps"]
It is fast.
endif::[]
endif::[]

== Sizes

.All sizes
|===
|Pump |Litres

|A 7
|1,200
|===

include::/etc/passwd[]

NOTE: Fill it before.

.Listing
include::code.rb[tag=a]

= Part Two

The end of the manual is here.
"""


def read(corpus: Path, text: str) -> Document | Quarantined:
    (corpus / "a.adoc").write_text(text)
    (row,) = read_corpus(corpus, ReadConfig())
    return row


def test_a_page_is_read_with_its_header_and_nothing_is_included(tmp_path: Path) -> None:
    pytest.importorskip("pypandoc")
    document = read(tmp_path, PAGE)
    assert isinstance(document, Document)
    assert (document.title, document.as_of) == ("The Manual of Pumps", "2024-03-05")
    assert document.metadata["author"] == "Jane Doe" and document.metadata["organization"] == "Acme"
    for words in ("A pump moves water up a hill.", "It is fast.", "| A 7 | 1,200 |", "Fill it before.", "Part Two"):
        assert words in document.text
    for litter in ("real page", "root:", "include", "endif", "ifdef", "Listing"):
        assert litter not in document.text
    assert document.dropped["includes"] and document.dropped["conditions"]


def test_titles_of_two_lines_are_titles_and_blocks_stay_blocks(tmp_path: Path) -> None:
    pytest.importorskip("pypandoc")
    body = "Mission\n-------\n\nWe serve users of the system.\n\n[[V]]\nVoting\n~~~~~~\n\n----\nSVP\n---\n----\n\n"
    document = read(
        tmp_path, f"Bylaws of the Users\n===================\n\nThe preface.\n\n{body}Two thirds of them decide.\n"
    )
    assert isinstance(document, Document) and document.title == "Bylaws of the Users"
    assert "as_written" not in document.metadata
    titles = [document.text[b.start : b.end].strip("# ") for b in document.blocks if b.kind == "heading"]
    assert [title for title in titles if title != document.title] == ["Mission", "Voting"]
    assert "SVP" in document.text and "Two thirds of them decide." in document.text


def test_without_the_extra_a_page_is_quarantined_and_the_row_names_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pypandoc", None)
    row = read(tmp_path, PAGE)
    assert isinstance(row, Quarantined) and row.reason == "needs_extra" and "rarefy[asciidoc]" in row.detail


def test_a_program_that_works_too_long_or_fails_costs_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "pandoc"
    program.write_text("#!/bin/sh\necho 'Unexpected x at char 7' >&2\nexit 64\n")
    program.chmod(0o755)
    monkeypatch.setattr(asciidoc, "_find_pandoc", lambda: str(program))
    (tmp_path / "corpus").mkdir()
    row = read(tmp_path / "corpus", PAGE)
    assert isinstance(row, Quarantined) and row.reason == "bad_asciidoc" and "char 7" in row.detail


def test_a_paragraph_that_pandoc_stumbles_over_is_given_as_its_words(tmp_path: Path) -> None:
    pytest.importorskip("pypandoc")
    document = read(
        tmp_path,
        "== First\n\nWords stand before it.\n\n|===\n| Pump | Litres\n\n| A | 7\n|===\n\n:sectnums:\n\n[[end]]\n\n\n",
    )
    assert isinstance(document, Document) and "Words stand before it." in document.text
    assert "| A | 7 |" in document.text and "sectnums" not in document.text
    assert document.metadata["as_written"].startswith("1 paragraphs, the first: Unexpected")


def test_titles_with_hashes_are_titles_and_comments_in_code_stay(tmp_path: Path) -> None:
    pytest.importorskip("pypandoc")
    document = read(tmp_path, "Some words stand here.\n\n## To update\n\n----\n# a comment\n----\n\nPush the change.\n")
    assert isinstance(document, Document)
    titles = [document.text[b.start : b.end].strip("# ") for b in document.blocks if b.kind == "heading"]
    assert titles == ["To update"] and "# a comment" in document.text


@pytest.mark.parametrize("fence", ["----", "....", "++++", "```", "```java"])
def test_a_block_that_is_never_closed_ends_with_the_page(tmp_path: Path, fence: str) -> None:
    pytest.importorskip("pypandoc")
    document = read(tmp_path, f"Some words stand before it.\n\n{fence}\nstart(7)\n")
    assert isinstance(document, Document) and "Some words stand before it." in document.text


def test_a_long_page_is_read_section_by_section_with_what_was_set_before(tmp_path: Path) -> None:
    pytest.importorskip("pypandoc")
    body = "".join(
        f"[[s{n}]]\n{'=' * (2 + n % 2)} Section {n}\n\n{'Words of {product} stand here. ' * 40}\n\n" for n in range(40)
    )
    document = read(tmp_path, f"= Manual\n:product: Pumps\n\n{body}")
    assert isinstance(document, Document)
    headings = [document.text[b.start : b.end] for b in document.blocks if b.kind == "heading"]
    assert [heading.lstrip("# ") for heading in headings] == [f"Section {n}" for n in range(40)]
    assert len({heading[:5] for heading in headings}) == 2
    assert document.text.count("Words of Pumps stand here.") == 1600 and "{product}" not in document.text
    assert "as_written" not in document.metadata
