"""The recorded replies that ship with the sample corpus are about it, and hold what replies really hold."""

import json
from collections import Counter
from itertools import groupby

import pytest

from rarefy.data_contracts.rows import Document, Reply, Triplet
from rarefy.tasks.corpus import chunk, read
from rarefy.tasks.knowledge.extract import ExtractConfig, extract
from rarefy.tasks.knowledge.extract.model import build_requests
from rarefy.tasks.models.llm import structured
from rarefy.tasks.sample import CORPUS, RECORDED

LINES = [json.loads(line) for line in (RECORDED / "triplets.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def corpus():
    documents = [
        row
        for source in read.sources.list_sources(CORPUS)
        for row in read.read(source, read.ReadConfig())
        if isinstance(row, Document)
    ]
    return {row.doc_id: row for row in documents}, list(chunk.chunk(documents, chunk.ChunkConfig()))


def matching(request):
    """The numbers of the lines that answer a request; the last one answers all."""
    said = "\n".join(message.content for message in request.messages)
    return [i for i, line in enumerate(LINES) if all(part in said for part in line["contains"])]


def answered(asked):
    """What the recorded provider makes of it: a reply, an error, or a text that keeps no schema."""
    for request in asked:
        line = LINES[matching(request)[0]]
        error = line.get("error") or ("truncated" if line.get("finish_reason") == "length" else "")
        parsed = structured.parse(line["text"], request.schema)
        error = error or ("" if parsed.how else "unparsable")
        yield Reply(request.request_id, line["text"], "" if error else parsed.value, error=error)


def test_every_line_answers_one_window_and_the_last_all_others(corpus):
    documents, chunks = corpus
    owns = [(documents[name], list(own)) for name, own in groupby(chunks, key=lambda one: one.doc_id)]
    found = Counter(tuple(matching(request)) for request in build_requests(owns, ExtractConfig().model))
    last = len(LINES) - 1
    assert found == Counter({(i, last): 1 for i in range(last)} | {(last,): sum(found.values()) - last})


def test_the_replies_hold_connected_facts_and_natural_slips(corpus):
    documents, chunks = corpus
    rows = list(extract(chunks, ExtractConfig(methods=("model",)), documents=documents, llm=answered))
    triplets = [row for row in rows if isinstance(row, Triplet)]
    said = sum(line["text"].count('"source_sentence"') for line in LINES if line.get("finish_reason") != "length")
    assert len(triplets) == said
    reasons = Counter(row.rejected_because for row in triplets)
    assert reasons.pop("") > 130
    assert set(reasons) == {
        "object_not_in_sentence", "subject_not_specific", "subject_not_in_sentence", "unresolved_reference",
        "unknown_chunk", "sentence_in_another_chunk",
    }  # fmt: skip
    unanswered = [row.reason for row in rows if not isinstance(row, Triplet)]
    assert sorted(unanswered) == ["refused", "truncated", "unparsable"]
    good = [row for row in triplets if not row.rejected_because]
    said_in = {(row.subject, row.chunk_id) for row in good}
    linked = {row.object for row in good for name, place in said_in if row.object == name and row.chunk_id != place}
    assert {"Apple Services", "overnight bank funding rate", "Federal Reserve Bank of New York"} <= linked
