"""What a large model really answered over real chunks: every triplet accounted for, with its span or its reason."""

import json
from collections import Counter

import pytest

from rarefy.data_contracts.rows import Chunk, Document, Reply
from rarefy.tasks.knowledge.extract import ExtractConfig, extract
from rarefy.tasks.knowledge.extract.locate import find_quote

# the rows of a table joined to their header, and sentences joined over a paragraph's end, of all 350
NOT_VERBATIM = 18
REASONS = {
    "": 326,
    "subject_not_in_sentence": 10,  # a sentence that says it of somebody it does not name
    "object_not_in_sentence": 8,
    "subject_not_specific": 3,  # "inventories", "interest rates"
    "boilerplate": 3,  # every filer files with the Commission, under GAAP
}


@pytest.fixture(scope="module")
def recorded(shared):
    """The triplets that extract makes of the recorded replies, with the chunks, and what the model had said."""
    place = shared / "reference" / "recorded-model"
    windows = json.loads((place / "windows.json").read_text())
    replies = [json.loads(line) for line in (place / "triplets.jsonl").read_text().splitlines()]
    said = {reply["window_id"]: reply["triplets"] for reply in replies}
    chunks, documents = [], {}
    for window in windows:
        name, about = window["window_id"], window["metadata"]
        entity, domain = about.get("company", ""), window["domain"]
        documents[name] = Document(name, "h", name, about["document"], "", "", entity=entity, domain=domain)
        at = 0
        for one in window["chunks"]:
            text = one["text"]
            chunks.append(Chunk(one["chunk_id"], name, at, at + len(text), "text", "", text, 600, domain=domain))
            at += len(text) + 2

    def llm(requests):
        for request, window in zip(requests, windows, strict=True):
            yield Reply(request.request_id, "…", json.dumps({"triplets": said[window["window_id"]]}))

    rows = list(extract(chunks, ExtractConfig(methods=("model",)), documents=documents, llm=llm))
    return rows, {chunk.chunk_id: chunk.text for chunk in chunks}, [one for reply in said.values() for one in reply]


def test_every_triplet_is_accepted_or_has_its_reason(recorded):
    rows, _, said = recorded
    assert len(rows) == len(said) == 350
    assert Counter(row.rejected_because for row in rows) == REASONS
    assert len({row.triplet_id for row in rows}) == 350


def test_accepted_ones_stand_where_they_say_in_the_chunk_that_the_model_named(recorded):
    rows, texts, said = recorded
    for row, claim in zip(rows, said, strict=True):
        if not row.rejected_because:
            assert row.chunk_id == claim["chunk_id"]
            assert texts[row.chunk_id][row.start : row.end] == row.source_sentence
            assert texts[row.chunk_id][row.header_start : row.header_end] == row.header
            assert row.answer in row.source_sentence


def test_those_that_are_not_verbatim_are_found_all_the_same(recorded):
    rows, texts, said = recorded
    joined = [
        (row, claim)
        for row, claim in zip(rows, said, strict=True)
        if claim["source_sentence"] not in texts[claim["chunk_id"]]
    ]
    assert len(joined) == NOT_VERBATIM
    assert [row.rejected_because for row, _ in joined if row.rejected_because] == ["object_not_in_sentence"]
    for row, claim in joined:
        if claim["source_sentence"].startswith("|") and not row.rejected_because:
            assert row.source_sentence == claim["source_sentence"].split("\n")[-1]
            assert row.header


def test_amounts_have_their_number_unit_and_scale(recorded):
    by_claim = {(row.subject, row.relation, row.object): row for row in recorded[0]}
    row = by_claim["Apple Services", "had net sales of", "$109,158 million"]
    assert (row.answer, row.value, row.unit, row.scale, row.period) == (
        "109,158",
        "109158000000",
        "USD",
        "millions",
        "2025",
    )
    row = by_claim["NVIDIA Data Center revenue", "totaled", "$47.5 billion"]
    assert (row.answer, row.value, row.period) == ("$47.5 billion", "47500000000", "fiscal year 2024")
    money = [row for row in recorded[0] if row.object_type == "MONEY" and not row.rejected_because]
    assert len(money) > 20
    assert all(row.value and row.unit == "USD" for row in money)


def straight(text):
    return text.replace("“", '"').replace("”", '"').replace("’", "'").replace("—", " - ").replace("–", "-")


SLIPS = {
    "straight quotes and dashes": straight,
    "line ends": lambda text: "\n".join(text.split(" ")),
    "no-break spaces": lambda text: text.replace(" ", "\u00a0"),
    "no full stop": lambda text: text.rstrip("."),
    "capitals": str.upper,
    "no marks": lambda text: text.replace("®", "").replace("™", "").replace("*", ""),
    "entities": lambda text: text.replace("&", "&amp;").replace("’", "&rsquo;"),
    "quoted": lambda text: f"“{text}”",
    "ellipsis": lambda text: " ".join([*text.split()[:6], "...", *text.split()[-5:]]),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_every_sentence_is_found_again_through_a_slip(slip, recorded):
    rows, texts, _ = recorded
    for row in rows:
        if not row.rejected_because and not row.header and len(row.source_sentence.split()) > 14:
            text = texts[row.chunk_id]
            places = [text[start:end] for start, end in find_quote(SLIPS[slip](row.source_sentence), text)]
            assert row.source_sentence.strip('“”"*') in [place.strip('“”"*') for place in places]


def test_no_sentence_is_found_with_another_word_or_number(recorded):
    rows, texts, _ = recorded
    for row in rows:
        words = row.source_sentence.split()
        if not row.rejected_because and not row.header and len(words) > 5:
            middle = len(words) // 2
            for other in ("37", "frobnicated", *([] if words[middle - 1][-1] in ".;:" else [""])):
                changed = " ".join([*words[:middle], other, *words[middle + 1 :]])
                assert find_quote(changed, texts[row.chunk_id]) == [], changed
