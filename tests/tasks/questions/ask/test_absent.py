"""Absences: a slow, plain search of all documents and tags finds none of them."""

import re
from dataclasses import replace
from datetime import date

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
    return {word[:5] for word in re.findall(r"u\.s|[a-z]{3,}", text.lower()) if word not in COMMON}


def test_no_document_states_what_is_absent(sample):
    absences = sample.of("absent")
    assert len(absences) > 10
    for question in absences:
        assert re.search(r"\d{4}", question.period)[0] in question.text and question.answer == ANSWER
        assert not (question.chunk_ids or question.evidence or question.evidence_spans or question.aliases)
        about = [d for d in sample.documents.values() if d.entity == question.entity]
        model = sample.triplets[question.triplet_ids[0]]
        own = sample.triplets[question.triplet_ids[-1]]
        assert about and own.entity == question.entity
        said = [
            t for t in sample.triplets.values()
            if not t.rejected_because and t.entity == question.entity and t.concept == model.concept
            and (t.subject, t.period) == (own.subject, question.period)
        ]  # fmt: skip
        assert not said
        for document in about:
            check = (
                check_measure if model.entity != question.entity
                else check_part if len(question.triplet_ids) > 1
                else check_quarter
            )  # fmt: skip
            check(document, model, own, question)


def check_measure(document, model, own, question):
    """A measure of others has no tag at all."""
    assert model.concept not in {fact.concept for fact in document.facts}


def check_part(document, model, own, question):
    """No tag of the measure is of the part, and no line has all words of both."""
    part = heads(own.subject.removeprefix(own.entity))
    for fact in document.facts:
        member = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", " ".join(fact.dimensions))
        assert not (fact.concept == model.concept and part <= heads(member)), question.text
    wanted = part | heads(model.relation)
    assert not [line for line in document.text.split("\n") if wanted <= heads(line)], question.text


def check_quarter(document, model, own, question):
    """No tag of the measure is of less than ten months, and no line has its words and speaks of quarters."""
    for fact in document.facts:
        if fact.concept == model.concept and fact.period_start:
            assert (date.fromisoformat(fact.period_end) - date.fromisoformat(fact.period_start)).days > 300
    near = [line for line in document.text.split("\n") if re.search(r"quarter\b|three months", line, re.I)]
    assert not [line for line in near if heads(model.relation) <= heads(line)], question.text


def a_question(sample, kind):
    """An absence of one kind with the facts that it was modelled on."""
    tests = {
        "quarter": lambda q: "quarter" in q.period,
        "part": lambda q: len({sample.triplets[name].entity for name in q.triplet_ids}) < len(q.triplet_ids),
    }
    question = next(q for q in sample.of("absent") if tests[kind](q))
    return question, sample.triplets[question.triplet_ids[0]], sample.triplets[question.triplet_ids[-1]]


def made(sample, change=None, more=()):
    """The absences asked of changed chunks or documents, with their reasons."""
    chunks = {name: change(chunk) if change else chunk for name, chunk in sample.chunks.items()}
    documents = {**sample.documents, **{d.doc_id: d for d in more}}
    paths = [p for p in trace(sample.triplets.values(), GraphConfig()) if p.pattern == "absent"]
    return list(ask.ask(paths, ask.AskConfig(), triplets=sample.triplets, chunks=chunks, documents=documents))


@pytest.mark.parametrize(
    ("kind", "words", "reason"),
    [
        ("quarter", "The {measure} were higher in the last quarter.", "said_near_the_quarter"),
        ("part", "Of the {measure} half was that of {thing}.", "measure_is_spoken_of"),
    ],
)
def test_an_absence_that_is_spoken_of_is_refused(sample, kind, words, reason):
    question, model, own = a_question(sample, kind)
    words = words.format(measure=model.relation, thing=own.subject.removeprefix(own.entity) or own.subject)
    first = min(c.chunk_id for c in sample.chunks.values() if c.doc_id == own.doc_id)
    document = sample.documents[own.doc_id]
    said = made(
        sample,
        lambda c: replace(c, text=f"{c.text}\n{words}") if c.chunk_id == first else c,
        [replace(document, text=f"{document.text}\n\n{words}\n")],
    )
    (found,) = [q for q in said if q.path_id == question.path_id]
    assert found.rejected_because == reason


@pytest.mark.parametrize("kind", ["quarter", "part"])
def test_an_absence_that_a_tag_has_is_refused(sample, kind):
    question, model, own = a_question(sample, kind)
    document = sample.documents[own.doc_id]
    year = question.period.rpartition(" ")[2]
    fact = next(f for f in document.facts if f.concept == model.concept and f.period_start)
    if kind == "part":
        name = re.sub(r"\W", "", own.subject.removeprefix(own.entity))
        told = replace(fact, dimensions=(f"us-gaap:StatementBusinessSegmentsAxis=x:{name}Member",))
    else:
        told = replace(fact, period_start=f"{year}-01-01", period_end=f"{year}-03-30")
    said = made(sample, more=[replace(document, facts=(*document.facts, told))])
    (found,) = [q for q in said if q.path_id == question.path_id]
    assert found.rejected_because == "stated_in_a_tag"


def test_absences_are_at_most_a_fifth_of_all_paths(sample):
    config = GraphConfig(quotas={"single": 40, "absent": 1_000})
    paths = list(trace(sample.triplets.values(), config))
    absences = [p for p in paths if p.pattern == "absent"]
    assert 0 < 5 * len(absences) <= len(paths)
    assert paths == list(trace(reversed(list(sample.triplets.values())), config))


def test_an_absence_is_asked_once_and_in_the_same_words_wherever_its_neighbours_stand(sample):
    triplets = [row for row in sample.triplets.values() if not row.rejected_because]

    def names(rows):
        return [path.path_id for path in trace(rows, GraphConfig()) if path.pattern == "absent"]

    # the same figures by another label, elsewhere
    again = [replace(row, triplet_id=f"{row.triplet_id}2", relation=f"{row.relation} again") for row in triplets]
    assert len(set(names(triplets + again))) == len(names(triplets + again)) > 10
    moved = [replace(row, triplet_id=row.triplet_id[::-1]) for row in triplets]
    assert len(set(names(moved)) & set(names(triplets))) > 0.9 * len(names(triplets))


def test_no_absence_is_of_a_year_that_the_documents_do_not_cover(sample):
    reported = {(t.entity, t.period) for t in sample.triplets.values() if not t.rejected_because}
    for path in trace(sample.triplets.values(), GraphConfig()):
        if path.pattern == "absent":
            own = sample.triplets[path.triplet_ids[-1]]
            assert (own.entity, path.pivot.rpartition("quarter of ")[2]) in reported
