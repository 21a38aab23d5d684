"""What chunks promise, on documents made up at random and on every document of the shared corpora."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import replace
from itertools import pairwise, takewhile
from operator import attrgetter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.data_contracts.rows import Block, Chunk, Document, Place, row_id
from rarefy.tasks.corpus.chunk import PROFILES, VERSION, ChunkConfig, chunk, repeated
from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.corpus.tokens import counter

CORPORA = Path(__file__).resolve().parents[4] / ".." / "shared" / "corpora"
WORDS = ["Revenue", "grew", "by", "3.5", "percent", "in", "the", "U.S.", "segment", "while", "costs", "fell"]
TABLE = "| Item | 2024 |\n| --- | --- |\n| Sales | 5 |"


def document(parts: list[tuple[str, str]], domain: str = "default") -> Document:
    """A document of these (kind, text) blocks, with the titles above each block as its section."""
    text, blocks, section = "", [], ""
    for kind, content in parts:
        if kind == "heading":
            section = content.lstrip("# ")
        start = len(text)
        text += content + "\n\n"
        blocks.append(Block(kind, start, start + len(content), section))
    return Document("d", "h", "d.md", "d", "text/markdown", text, tuple(blocks), domain=domain)


def prose(words: int, seed: int = 0, sentence: int = 12) -> str:
    chosen = [f"{WORDS[(seed * 7 + i * 5) % len(WORDS)]}{'' if i % 3 else seed * 1000 + i}" for i in range(words)]
    return " ".join(w + "." * ((i + 1) % sentence == 0) for i, w in enumerate(chosen)) + "."


@st.composite
def documents(draw: st.DrawFn) -> Document:
    parts: list[tuple[str, str]] = []
    for i in range(draw(st.integers(0, 25))):
        kind = draw(
            st.sampled_from(["text", "text", "text", "heading", "item", "table", "caption", "footnote", "long", "line"])
        )
        length = draw(st.integers(1, 60))
        if kind == "heading":
            parts.append(("heading", "#" * draw(st.integers(1, 4)) + f" Title {i}"))
        elif kind == "item":
            parts.append(("heading", f"# Item {i % 15 + 1}. Things"))
        elif kind == "table":
            parts.append(("table", TABLE + f"\n| Row {i} | {i} |" * length))
        elif kind == "long":
            parts.append(("text", prose(length * 12, i)))
        elif kind == "line":  # no sentence ends in it, and words without end
            parts.append(("text", "alpha beta " * length * 3 + "x" * draw(st.sampled_from([1, 500]))))
        elif kind == "text":
            parts.append(("text", prose(length, i) + draw(st.sampled_from(["", " The following table shows this:"]))))
        else:
            parts.append((kind, prose(length % 12 + 1, i)))
    return document(parts, draw(st.sampled_from([*PROFILES, "unheard of"])))


SMALL = ChunkConfig(size=80, overlap=20, unit="tokens", fragment=8)


start_of, end_of = attrgetter("start"), attrgetter("end")


def holding(chunks: list[Chunk], start: int, end: int) -> list[Chunk]:
    first = bisect_left(chunks, end, key=lambda c: c.end)
    return list(takewhile(lambda c: c.start <= start, chunks[first:]))


def check(doc: Document, chunks: list[Chunk], config: ChunkConfig) -> None:
    """Every promise of `chunk`, for the chunks of one document."""
    limit = config.for_domain(doc.domain)
    count = counter(config.tokenizer)

    def measured(text: str) -> int:
        return count([text])[0] if limit.unit == "tokens" else len(text.split())

    assert [c.start for c in chunks] == sorted(c.start for c in chunks)
    assert all(a.end < b.end and a.start < b.start for a, b in pairwise(chunks))
    assert len({c.chunk_id for c in chunks}) == len(chunks)
    for c in chunks:
        assert doc.text[c.start : c.end] == c.text == c.text.strip() != ""
    assert [c.tokens for c in chunks] == count([c.text for c in chunks])
    covered = 0
    for c in chunks:
        assert not doc.text[covered : c.start].strip()
        covered = max(covered, c.end)
    assert not doc.text[covered:].strip()
    for block in doc.blocks:
        stretch = (block.start, block.end)
        if not doc.text[block.start : block.end].strip():
            continue
        if block.kind != "text":
            assert len(holding(chunks, *stretch)) == 1 or block.kind != "table"
            assert holding(chunks, *stretch), f"{block.kind} cut"
        elif "\n\n" not in doc.text[block.start : block.end] and not holding(chunks, *stretch):
            paragraph = doc.text[block.start : block.end].strip()
            # a string without spaces weighs by its length too
            weight = max(measured(paragraph), len(paragraph) // (20 if limit.unit == "tokens" else 60))
            assert weight > limit.size
            over = chunks[bisect_right(chunks, block.start, key=end_of) : bisect_left(chunks, block.end, key=start_of)]
            assert over and all(c.split for c in over)
    for c in chunks:
        first, last = bisect_left(doc.blocks, c.start, key=start_of), bisect_right(doc.blocks, c.end, key=end_of)
        inside = doc.blocks[first:last]
        assert (c.kind == "table") == any(b.kind == "table" for b in inside)
        if inside and inside[-1].kind == "heading" and inside[-1].end == c.end:
            assert c is chunks[-1], "a heading parted from what it heads"
        if c.kind == "text" and measured(c.text) > limit.size:
            titles = [doc.text[b.start : b.end] for b in inside if b.kind in ("heading", "caption")]
            assert measured(c.text) <= limit.size + sum(map(measured, titles))
    overlaps = repeated(chunks)
    for previous, c in pairwise(chunks):
        assert overlaps[c.chunk_id] == max(previous.end - c.start, 0)
        if c.start < previous.end:
            shared = doc.text[c.start : previous.end]
            assert measured(shared) <= limit.overlap
            first, last = (
                bisect_right(doc.blocks, c.start, key=end_of),
                bisect_left(doc.blocks, previous.end, key=start_of),
            )
            assert all(b.kind != "table" for b in doc.blocks[first:last])


@settings(max_examples=150, deadline=None)
@given(documents(), st.sampled_from([ChunkConfig(), SMALL, ChunkConfig(size=40, unit="words", fragment=5)]))
def test_every_promise_holds_for_documents_of_any_make(doc: Document, config: ChunkConfig) -> None:
    check(doc, list(chunk([doc], config)), config)


def test_a_paragraph_that_fits_is_whole_though_a_word_in_it_is_longer_than_a_chunk() -> None:
    doc = document([("text", "alpha beta " * 18 + "x" * 500), ("text", prose(6))])
    config = ChunkConfig(size=40, unit="words", fragment=5)
    chunks = list(chunk([doc], config))
    check(doc, chunks, config)
    assert not any(c.split for c in chunks)


def test_a_table_longer_than_the_limit_stays_whole_with_its_words() -> None:
    table = TABLE + "\n| Row | 1 |" * 300
    doc = document(
        [
            ("text", prose(20, 1)),
            ("text", "The following table shows net sales by category:"),
            ("caption", "(In millions)"),
            ("table", table),
            ("footnote", "(1) Includes services."),
            ("footnote", "(2) Restated."),
            ("text", prose(20, 2)),
        ]
    )
    before, held, after = chunk([doc], SMALL)
    assert held.text.startswith("The following table") and held.text.endswith("(2) Restated.")
    assert (before.kind, held.kind, after.kind) == ("text", "table", "text")
    assert table in held.text and held.tokens > 80 and not held.split


def test_a_long_lead_in_that_points_to_its_table_stays_with_it() -> None:
    lead_in = prose(18, 3) + " Sales by region are shown in the table below."
    doc = document([("text", prose(20, 1)), ("text", lead_in), ("table", TABLE)])
    last = list(chunk([doc], SMALL))[-1]
    assert last.text.startswith(lead_in) and last.text.endswith(TABLE) and not last.split


def test_tables_under_one_lead_in_stand_together_where_they_fit() -> None:
    parts = [("text", "The following tables show details:"), ("heading", "## Assets"), ("table", TABLE)]
    more = [("heading", "## Debt"), ("table", TABLE), ("text", "(1)Includes leases.")]
    assert len(list(chunk([document(parts + more)], SMALL))) == 1
    chunks = list(
        chunk([document([*parts[1:], ("table", TABLE), *more, ("table", TABLE + "\n| Row | 1 |" * 9)])], SMALL)
    )
    assert [c.text.count("| Sales |") for c in chunks] == [2, 1, 1]


def test_a_marked_paragraph_after_a_table_with_that_mark_is_its_footnote() -> None:
    parts = [("table", TABLE + " (1)\n| Row | 1 |" * 9), ("text", "(1)Includes services."), ("text", prose(20))]
    first, second = chunk([document(parts)], SMALL)
    assert first.text.endswith("(1)Includes services.") and second.text == prose(20)


def test_an_item_starts_a_chunk_and_takes_the_title_only_one_before_along() -> None:
    doc = document(
        [
            ("text", prose(20, 1)),
            ("heading", "# PART II"),
            ("heading", "# Item 5. Market"),
            ("text", prose(20, 2)),
            ("heading", "# Item 6. [Reserved]"),
            ("heading", "# Item 7. Discussion"),
            ("text", prose(20, 3)),
        ]
    )
    chunks = list(chunk([doc], ChunkConfig()))
    assert [c.text.split("\n")[0] for c in chunks[1:]] == ["# PART II", "# Item 6. [Reserved]"]
    assert [c.section for c in chunks] == ["", "Item 5. Market", "Item 7. Discussion"]


def test_short_fragments_are_merged_into_neighbours() -> None:
    doc = document(
        [("text", "See the notes."), ("table", TABLE + "\n| Row | 1 |" * 40), ("text", "None."), ("text", "Nil.")]
    )
    assert len(list(chunk([doc], SMALL))) == 1


def test_a_paragraph_too_long_is_cut_between_sentences_and_marked() -> None:
    paragraph = " ".join(f"In district {i} of the U.S. sales of Acme Inc. grew by {i}.5 percent." for i in range(60))
    doc = document([("text", paragraph)])
    chunks = list(chunk([doc], SMALL))
    assert len(chunks) > 5 and all(
        c.split and re.match(r"In district", c.text) and c.text.endswith("percent.") for c in chunks
    )


def test_overlap_repeats_whole_paragraphs_and_is_none_where_the_last_is_too_long() -> None:
    short = document([("text", prose(8, i)) for i in range(30)])
    chunks = list(chunk([short], SMALL))
    assert sum(repeated(chunks).values()) > 0
    starts = {block.start for block in short.blocks}
    assert all(c.start in starts and not c.split for c in chunks)
    long = document([("text", prose(30, i)) for i in range(10)])
    assert not any(repeated(chunk([long], SMALL)).values())


def test_equal_texts_get_names_of_their_own_by_occurrence() -> None:
    same = prose(60, 1)
    doc = document([("heading", "# Item 1. A"), ("text", same), ("heading", "# Item 1. A"), ("text", same)])
    first, second = chunk([doc], ChunkConfig())
    assert first.text == second.text
    assert (first.chunk_id, second.chunk_id) == (row_id("d", first.text, 0), row_id("d", first.text, 1))


def test_the_same_document_makes_the_same_chunks_while_the_version_is_the_same() -> None:
    parts = [("heading", "# Item 7. Discussion")] + [("text", prose(20, i)) for i in range(12)] + [("table", TABLE)]
    names = [c.chunk_id for c in chunk([document(parts, "finance")], ChunkConfig(size=200))]
    assert (VERSION, row_id(*names)) == (4, "de8b529edfb17f61"), (
        "chunks are cut differently: raise VERSION, then note the new name"
    )


@pytest.mark.parametrize("unit", ["tokens", "words"])
def test_an_edit_changes_few_chunks(unit: str) -> None:
    config = ChunkConfig(size=200, overlap=30, unit=unit)
    running = document([("text", " ".join(prose(25, i) for i in range(400)))])  # one paragraph, as the minutes are
    headed = document(
        [p for i in range(200) for p in ([("heading", f"## T{i}")] * (i % 7 == 0) + [("text", prose(50, i))])]
    )
    for doc in (running, headed):
        old = {c.chunk_id for c in chunk([doc], config)}
        at = doc.text.index(" ", len(doc.text) // 8)
        text = (
            doc.text[:at] + " After review, this was restated by the company, as it said in its letter." + doc.text[at:]
        )
        shift = len(text) - len(doc.text)
        moved = tuple(
            replace(b, start=b.start + shift * (b.start > at), end=b.end + shift * (b.end > at)) for b in doc.blocks
        )
        new = [c.chunk_id for c in chunk([replace(doc, text=text, blocks=moved)], config)]
        changed = [i for i, c in enumerate(new) if c not in old]
        assert 1 <= len(changed) <= 8 and len(new) > 40, (changed, len(new))


def test_a_line_of_a_megabyte_is_cut_in_time_that_grows_with_its_length() -> None:
    for line in ("word " * 150_000, "x" * 1_000_000, "alpha, beta; " * 60_000):
        chunks = list(chunk([document([("text", line.strip())])], ChunkConfig()))
        assert len(chunks) > 80 and max(c.tokens for c in chunks) <= 600


def test_nothing_makes_no_chunks_and_a_document_without_blocks_is_all_text() -> None:
    bare = replace(document([]), text=" \n\n ")
    assert list(chunk([bare], ChunkConfig())) == []
    assert [c.text for c in chunk([replace(bare, text="\n\nOne.\n\nTwo.\n")], ChunkConfig())] == ["One.\n\nTwo."]


def test_the_profile_follows_the_domain_unless_it_is_named() -> None:
    assert ChunkConfig().for_domain("finance").overlap == 100
    assert ChunkConfig().for_domain("policy").unit == "words"
    assert ChunkConfig().for_domain("unheard of") == PROFILES["default"]
    assert ChunkConfig(profile="finance", size=500).for_domain("policy").size == 500
    with pytest.raises(ValueError, match="no profile 'financial'"):
        ChunkConfig(profile="financial")
    with pytest.raises(ValueError, match="lower the overlap"):
        ChunkConfig(size=100, overlap=60)
    assert ChunkConfig(size=100).for_domain("finance").overlap == 12


@pytest.mark.parametrize(
    "folder",
    ["economics/beige-book", "economics/fomc-minutes", "policy/ecfr-title24", "finance/10k-json", "finance/10k-html"],
)
def test_every_promise_holds_for_every_document(folder: str) -> None:
    if not (CORPORA / folder).is_dir():
        pytest.skip(f"no ../shared/corpora/{folder} beside the repository")
    documents = [row for row in read_corpus(CORPORA / folder, ReadConfig()) if isinstance(row, Document)]
    assert documents
    for document in documents:
        chunks = list(chunk([document], ChunkConfig()))
        assert chunks, document.source
        check(document, chunks, ChunkConfig())


def test_a_chunk_says_which_places_of_the_source_it_is_from() -> None:
    made = document([("text", prose(20, i)) for i in range(8)])
    places = tuple(Place(b.start, b.end, f"page {n // 2 + 1}") for n, b in enumerate(made.blocks))
    chunks = list(chunk([replace(made, places=places)], ChunkConfig(size=200, overlap=0)))
    expected = [sorted({p.name for p in places if p.start < c.end and c.start < p.end}) for c in chunks]
    assert len(chunks) > 1
    assert [c.place for c in chunks] == [
        names[0] if len(names) == 1 else f"pages {names[0][5:]}–{names[-1][5:]}" for names in expected
    ]
    assert {c.place for c in chunk([made], ChunkConfig(size=200))} == {""}
