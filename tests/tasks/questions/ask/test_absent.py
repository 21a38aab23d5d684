"""Absences: a slow, plain search of all documents and tags finds none of them."""

import re
from dataclasses import replace

import pytest

from rarefy.tasks.knowledge.graph import GraphConfig, trace
from rarefy.tasks.questions import ask
from rarefy.tasks.questions.ask.absent import ANSWER
from tests.sample_questions import ask_sample

COMMON = set("the of and in for to from total net on by with as at or a an our its per gross other all".split())


@pytest.fixture(scope="module")
def sample():
    return ask_sample()


def heads(text):
    """The first five letters of each telling word."""
    return {word[:5] for word in re.findall(r"[a-z]{3,}", text.lower()) if word not in COMMON}


def test_no_document_states_what_is_absent(sample):
    absences = sample.of("absent")
    assert len(absences) > 10
    for question in absences:
        year = question.period.removeprefix("fiscal year ")
        model = sample.triplets[question.triplet_ids[0]]
        about = [d for d in sample.documents.values() if d.entity == question.entity]
        assert about and year in question.text and question.answer == ANSWER
        assert not (question.chunk_ids or question.evidence or question.evidence_spans or question.aliases)
        said = [
            t for t in sample.triplets.values()
            if not t.rejected_because and t.entity == question.entity
            and (t.subject, t.relation, t.period) == (model.subject, model.relation, question.period)
        ]  # fmt: skip
        assert not said
        wanted = heads(f"{model.relation} {model.subject.removeprefix(model.entity)}")
        for document in about:
            assert not [f for f in document.facts if f.concept == model.concept and f.period_end[:4] == year
                        and f.period_start]  # fmt: skip
            if model.entity != question.entity:  # a measure of others: nowhere at all
                assert model.concept not in {fact.concept for fact in document.facts}
                continue
            for paragraph in document.text.split("\n"):  # a sentence or a table's row that has both
                assert not (re.search(rf"(?<!\d){year}(?!\d)", paragraph) and wanted <= heads(paragraph)), question.text


def made(sample, change=None, more=()):
    """The absences asked of changed chunks or documents, with their reasons."""
    chunks = {name: change(chunk) if change else chunk for name, chunk in sample.chunks.items()}
    documents = {**sample.documents, **{d.doc_id: d for d in more}}
    paths = [p for p in trace(sample.triplets.values(), GraphConfig()) if p.pattern == "absent"]
    return list(ask.ask(paths, ask.AskConfig(), triplets=sample.triplets, chunks=chunks, documents=documents))


def test_an_absence_that_is_spoken_of_is_refused(sample):
    question = next(q for q in sample.of("absent") if len(q.triplet_ids) == 1)
    model = sample.triplets[question.triplet_ids[0]]
    year = question.period.removeprefix("fiscal year ")
    first = min(c.chunk_id for c in sample.chunks.values() if c.doc_id == model.doc_id)
    words = f"In {year} the {model.relation} of {model.subject} were higher."
    said = made(sample, lambda c: replace(c, text=f"{c.text}\n{words}") if c.chunk_id == first else c)
    (found,) = [q for q in said if q.path_id == question.path_id]
    assert found.rejected_because == "said_near_the_year"


def test_an_absence_that_a_tag_has_is_refused(sample):
    question = next(q for q in sample.of("absent") if len(q.triplet_ids) == 1)
    model = sample.triplets[question.triplet_ids[0]]
    document = sample.documents[model.doc_id]
    year = question.period.removeprefix("fiscal year ")
    fact = next(f for f in document.facts if f.concept == model.concept and f.period_start)
    told = replace(fact, period_start=f"{year}-01-01", period_end=f"{year}-09-30")
    said = made(sample, more=[replace(document, facts=(*document.facts, told))])
    (found,) = [q for q in said if q.path_id == question.path_id]
    assert found.rejected_because == "stated_in_a_tag"


def test_absences_are_at_most_a_fifth_of_all_paths(sample):
    config = GraphConfig(quotas={"single": 40, "absent": 1_000})
    paths = list(trace(sample.triplets.values(), config))
    absences = [p for p in paths if p.pattern == "absent"]
    assert 0 < 5 * len(absences) <= len(paths)
    assert paths == list(trace(reversed(list(sample.triplets.values())), config))
