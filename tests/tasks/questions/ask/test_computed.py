"""Every computed answer of the sample corpus, against a plain calculation from the facts that its pages tag."""

import re
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest

from rarefy.data_contracts.rows import COMPUTED
from rarefy.tasks.corpus import chunk, read
from rarefy.tasks.knowledge import extract, graph, normalise, supersede
from rarefy.tasks.knowledge.graph.computed import is_computable
from rarefy.tasks.questions import ask, gates
from rarefy.tasks.sample import CORPUS


@pytest.fixture(scope="module")
def built():
    """The computed questions of the sample's filings, with their chunks, triplets and documents."""
    sources = [s for s in read.sources.list_sources(CORPUS) if s.path.endswith(".html")]
    documents = [d for source in sources for d in read.read(source, read.ReadConfig())]
    chunks = list(chunk.chunk(documents, chunk.ChunkConfig()))
    by_doc, by_chunk = {d.doc_id: d for d in documents}, {c.chunk_id: c for c in chunks}
    found = extract.extract(chunks, extract.ExtractConfig(methods=("cover", "tables")), documents=by_doc)
    embed = lambda texts: np.eye(len(texts), 8, dtype=np.float32)  # noqa: E731
    named = normalise.normalise(found, normalise.NormaliseConfig(), embed=embed)
    keyed = [t for t in named if hasattr(t, "triplet_id")]
    triplets = {t.triplet_id: t for t in supersede.supersede(keyed, supersede.SupersedeConfig(), documents=by_doc)}
    paths = [path for path in graph.trace(triplets.values(), graph.GraphConfig()) if path.pattern in COMPUTED]
    asked = ask.ask(paths, ask.AskConfig(), triplets=triplets, chunks=by_chunk, documents=by_doc)
    judged = list(gates.judge(asked, gates.GatesConfig(retrieved=0), chunks=by_chunk, triplets=triplets))
    return [q for q in judged if not q.rejected_because], by_chunk, triplets, by_doc


def tagged(triplet, chunks, documents):
    """The fact that the page tags at the operand: within its row, with its figure, its tag and its time."""
    at, document = chunks[triplet.chunk_id], documents[triplet.doc_id]
    low, high = at.start + triplet.start, at.start + triplet.end
    digits = re.sub(r"[^\d.,]", "", triplet.answer)
    fits = [
        fact
        for fact in document.facts
        if low <= fact.start and fact.end <= high
        and fact.concept == triplet.concept
        and (fact.period_start, fact.period_end) == (triplet.period_start, triplet.period_end)
        and digits == re.sub(r"[^\d.,]", "", document.text[fact.start : fact.end])
        and bool(fact.dimensions) == (triplet.subject != triplet.entity)
    ]  # fmt: skip
    assert fits, (triplet.subject, triplet.relation, triplet.answer)
    return fits[0]


def operands(question, built):
    _, chunks, triplets, documents = built
    return [(triplets[name], tagged(triplets[name], chunks, documents)) for name in question.triplet_ids]


def of_kind(built, kind):
    found = [q for q in built[0] if q.pattern == kind]
    assert found, f"no {kind} in the sample"
    return found


def percent(part, whole):
    return (part * 100 / whole).quantize(Decimal("0.1"), ROUND_HALF_UP)


def test_no_answer_takes_two_passages_where_one_has_every_figure(built):
    questions, _, triplets, _ = built
    known = {}
    for t in triplets.values():
        measure = t.concept or t.relation_key
        known.setdefault((t.subject_key, measure, t.unit, t.period, t.value), set()).add(t.chunk_id)
    for question in questions:
        if len(question.chunk_ids) > 1:
            used = [triplets[name] for name in question.triplet_ids]
            found = [known[t.subject_key, t.concept or t.relation_key, t.unit, t.period, t.value] for t in used]
            assert not set.intersection(*found) and not frozenset.intersection(*question.gold), question.text
    several = {q.pattern for q in questions if len(q.chunk_ids) > 1}
    assert "comparison" in several, "figures of two companies stand in two passages"


def test_changes_are_what_the_facts_make(built):
    for question in of_kind(built, "change"):
        old, new = (abs(Decimal(fact.value)) for _, fact in operands(question, built))
        rise = re.search(r"\b(?:increase|higher|more)\b", question.text) is not None
        fall = re.search(r"\b(?:decrease|lower|less)\b", question.text) is not None
        assert (rise, fall) == (new > old, new < old), question.text
        times = [t.period[-4:] for t, _ in operands(question, built)]
        assert all(time in question.text for time in times), question.text
        if question.answer.endswith("%"):
            assert min(len(re.sub(r"\D", "", t.answer)) for t, _ in operands(question, built)) > 2
            assert question.answer == f"{percent(abs(new - old), old):,}%", question.text
        elif question.answer.endswith("points"):
            assert Decimal(question.answer.split()[0]) == abs(new - old) * 100
        else:
            word = re.search(r"thousand|million|billion", question.answer)
            scale = {"thousand": 10**3, "million": 10**6, "billion": 10**9}[word[0]] if word else 1
            stated = Decimal(re.sub(r"[^\d.]", "", question.answer))
            assert stated * scale == abs(new - old), question.text


def test_shares_are_what_the_facts_make(built):
    for question in of_kind(built, "share"):
        (member, part), (whole, total) = operands(question, built)
        if part.concept == total.concept:
            assert part.dimensions and not total.dimensions
        else:  # one figure of a company as a share of another
            assert not part.dimensions and not total.dimensions and times(part) == times(total)
            assert member.subject == member.entity and "of its" in question.text
        assert member.entity == whole.entity and part.unit == total.unit
        assert min(len(re.sub(r"\D", "", t.answer)) for t in (member, whole)) > 2, "no tenth of a percent of 9"
        assert question.answer == f"{percent(Decimal(part.value), Decimal(total.value)):,}%", question.text


def test_comparisons_are_won_by_the_right_one(built):
    for question in of_kind(built, "comparison"):
        found = operands(question, built)
        if len({fact.concept for _, fact in found}) > 1:
            rates = [(Decimal(part.value) / Decimal(whole.value), t.subject)
                     for (_, part), (t, whole) in zip(found[::2], found[1::2], strict=True)]  # fmt: skip
            most = re.search(r"\b(?:larg|high)e(?:r|st)\b", question.text) is not None
            assert sorted(rates)[-1 if most else 0][1].endswith(question.answer), question.text
            assert question.chance == pytest.approx(2 / len(found))
            continue
        assert len({(fact.concept, fact.unit) for _, fact in found}) == 1 and len(found) in (2, 3, 4, 6)
        if len(found) > 3:
            rates = [(abs(Decimal(new.value)) / abs(Decimal(old.value)), t.subject)
                     for (_, old), (t, new) in zip(found[::2], found[1::2], strict=True)]  # fmt: skip
            fast = re.search(r"\bfast(?:er|est)\b", question.text) is not None
            assert sorted(rates)[-1 if fast else 0][1].endswith(question.answer), question.text
            assert min(rates)[0] > 1 and question.chance == pytest.approx(2 / len(found)), "all grew"
            assert all(one.period.split()[-1] in question.text for one, _ in found)
            continue
        most = re.search(r"\b(?:larger|largest|higher|highest)\b", question.text) is not None
        ranked = sorted((abs(Decimal(fact.value)), t.subject) for t, fact in found)
        assert ranked[-1 if most else 0][1].endswith(question.answer), question.text
        assert question.chance == pytest.approx(1 / len(found))
        assert ranked[-1][0] <= ranked[0][0] * Decimal("2.5"), "who knows the names would know the answer"


def test_the_same_figures_are_asked_once_in_one_kind(built):
    for kind in COMPUTED:
        asked = [
            frozenset((fact.concept, fact.dimensions, fact.period_start, fact.period_end, triplet.entity)
                      for triplet, fact in operands(question, built))
            for question in of_kind(built, kind)
        ]  # fmt: skip
        assert len(asked) == len(set(asked)), kind


def test_superlatives_leave_nothing_out(built):
    for question in of_kind(built, "superlative"):
        found = operands(question, built)
        most = "highest" in question.text
        values = [abs(Decimal(fact.value)) for _, fact in found]
        best = values.index(max(values) if most else min(values))
        triplet, fact = found[best]
        if len({t.subject for t, _ in found}) == 1:
            assert question.answer == triplet.period and question.chance == pytest.approx(1 / len(found))
            assert all(  # the years between may go without saying
                t.period.removeprefix("fiscal year ") in question.text for t, _ in (found[0], found[-1])
            )
            assert values != sorted(values), "of a series that rises every year the last is the highest"
            assert best != (len(values) - 1 if most else 0), "that the last year has the most is guessed unread"
            assert len(values) > 3 or len({(t.chunk_id, t.start) for t, _ in found}) > 1, "one row, one guess in three"
            continue
        if len({t.entity for t, _ in found}) * 2 == len(found):  # a share, or growth, of each
            rates = [abs(Decimal(second.value)) / abs(Decimal(first.value)) if first.concept == second.concept else
                     abs(Decimal(first.value)) / abs(Decimal(second.value))
                     for (_, first), (_, second) in zip(found[::2], found[1::2], strict=True)]  # fmt: skip
            most = re.search(r"\b(?:largest share|highest|fastest)\b", question.text) is not None
            best = rates.index(max(rates) if most else min(rates))
            assert question.answer == found[2 * best][0].subject, question.text
            continue
        if len({t.entity for t, _ in found}) > 1:
            ranked = sorted(values)
            best = values.index(ranked[-1] if re.search(r"(?:high|larg)est", question.text) else ranked[0])
            assert question.answer == found[best][0].subject and question.chance == pytest.approx(1 / len(found))
            assert len(found) > 3 and ranked[1] <= ranked[0] * Decimal("2.5")
            assert ranked[-1] <= ranked[-2] * Decimal("2.5"), "who knows the names would know the answer"
            continue
        assert triplet.subject.endswith(question.answer) and not question.chance
        whole = [f for d in built[3].values() for f in d.facts
                 if (f.concept, f.unit, f.period_start, f.period_end) == (fact.concept, fact.unit, *times(fact))
                 and not f.dimensions and d.entity == triplet.entity]  # fmt: skip
        assert abs(sum(values) - Decimal(whole[0].value)) <= Decimal(whole[0].value) / 200, question.text


def test_nobody_computes_with_the_rest_of_the_world_or_with_what_others_own(built):
    sample = next(t for t in built[2].values() if is_computable(t) and t.subject_type == "ORG")
    assert not is_computable(replace(sample, relation="net income attributable to noncontrolling interest"))
    for name, known in (("Europe", True), ("Latin America, Caribbean and other", False), ("Other countries", False)):
        assert is_computable(replace(sample, subject=f"{sample.entity} {name}", subject_type="REGION")) == known


def test_parts_and_years_are_said_in_several_ways(built):
    texts = [question.text for question in built[0]]
    assert any("fiscal year 20" in text for text in texts) and any(re.search(r"fiscal 20\d\d", text) for text in texts)
    for text in texts:
        assert not re.search(r"\bfor the [\w &]+ segment\b", text), "a segment is whose the measure is"


def times(fact):
    return fact.period_start, fact.period_end


def test_an_answer_that_its_rows_do_not_give_is_rejected(built):
    _, chunks, triplets, _ = built
    for kind, other in (("change", "99.9%"), ("share", "99.9%"), ("comparison", "Nobody"), ("superlative", "2050")):
        question = replace(of_kind(built, kind)[0], answer=other)
        (judged,) = gates.judge([question], gates.GatesConfig(retrieved=0), chunks=chunks, triplets=triplets)
        assert judged.rejected_because == "answer_does_not_follow"


def test_the_same_is_asked_where_its_figures_stand_elsewhere(built):
    """A path is named after what is compared, so that a later version of a corpus asks it in the same words."""
    triplets = list(built[2].values())
    moved = [replace(t, triplet_id=f"{t.triplet_id}x", chunk_id=f"{t.chunk_id}x") for t in triplets]
    every = graph.GraphConfig(quotas=dict.fromkeys(COMPUTED, 10_000))
    before, after = (
        [path for path in graph.trace(rows, every) if path.pattern in COMPUTED] for rows in (triplets, moved)
    )
    names = {path.path_id for path in before}
    assert before and len(names) == len(before) and names == {path.path_id for path in after}
