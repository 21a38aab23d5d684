"""Variants that a large model really wrote, from its replies to their proof, and over a server that misbehaves."""

import json
from collections import Counter

import numpy as np
import pytest
from endpoint import served
from recorded_variants import Recorded

from rarefy.data_contracts.rows import Reply, Unanswered, Variant
from rarefy.tasks.models.llm import InferenceContext, LLMConfig, RequestPolicy
from rarefy.tasks.models.nli import Label
from rarefy.tasks.perturb import CATALOGUE, Case, PerturbConfig, vary
from rarefy.tasks.perturb.model_drafts import write_drafts

CONFIG = PerturbConfig(
    by="model",
    query=("advanced", "paraphrase"),
    document=("style", "source", "back_translation"),
    context=("golden_augmented", "distracting", "counterfactual"),
    passage=400,  # words: more than the recorded passages have
)


@pytest.fixture(scope="module")
def recorded(shared):
    place = shared / "reference" / "recorded-model"
    if not place.is_dir():
        pytest.skip(f"{place} is not here")
    return Recorded(place)


@pytest.fixture(scope="module")
def rows(recorded):
    """All that comes of the recorded replies, where every text is like every other and every one is entailed."""
    tools = {"embed": alike, "nli": entailed, "llm": recorded, "generator": recorded}
    return list(vary(recorded.questions, CONFIG, chunks=recorded.chunks, pools=recorded.pools, **tools))


def alike(texts):
    return np.ones((len(texts), 2))


def entailed(pairs):
    return (Label("entailment", 1.0) for _ in pairs)


def kept(rows, name):
    return [row for row in rows if isinstance(row, Variant) and row.perturbation == name and not row.rejected_because]


@pytest.mark.parametrize(("name", "kind"), [("grammar", "grammar"), ("irrelevant_detail", "irrelevant")])
def test_every_recorded_query_variant_is_a_usable_draft(recorded, name, kind):
    asked = [q for q in recorded.questions if q.question_id in recorded.of_question]
    cases = [Case(q.question_id, "query", q.text, q.question_id, domain=q.domain) for q in asked]
    told = list(write_drafts(CATALOGUE[name], cases, CONFIG, recorded))
    assert len(told) == 36
    for case, found, reply in told:
        assert not reply.error
        assert [draft.text for draft in found] == recorded.of_question[case.case_id][kind]
        assert not any(draft.refused for draft in found), found


def test_recorded_paraphrases_are_no_grammar_rewrites(recorded):
    """Of 108, 5 in 6 put another word for one of the question's, and are told apart by it."""
    cases = [Case(q.question_id, "query", q.text) for q in recorded.questions if q.question_id in recorded.of_question]

    def llm(wanted):
        texts = iter(recorded.of_question[case.case_id]["paraphrase"] for case in cases)
        return (reply_of(request, {"texts": next(texts)}) for request in wanted)

    found = [draft for _, some, _ in write_drafts(CATALOGUE["grammar"], cases, CONFIG, llm) for draft in some]
    assert len(found) == 108 and sum(draft.refused == "words_changed" for draft in found) > 108 * 5 / 6


def reply_of(request, value):
    return Reply(request.request_id, parsed=json.dumps(value))


def test_what_the_model_wrote_is_kept_word_for_word_or_rejected_for_what_it_lost(recorded, rows):
    for row in rows:
        if isinstance(row, Variant) and row.perturbation != "none":
            assert row.rejected_because in ("", "unanswered", "answer_lost", "facts_changed"), row
            assert row.method == "model"
    assert len(kept(rows, "grammar")) == len(kept(rows, "irrelevant_detail")) == 36
    assert len(kept(rows, "simple")) >= 17 and len(kept(rows, "complex")) == 18
    assert len(kept(rows, "golden_augmented")) == len(kept(rows, "distracting")) == 17
    assert len(kept(rows, "counterfactual")) == 17
    texts = {line[kind] for line in recorded.of_passage for kind in ("simple", "complex", "back_translation")}
    made = [row for name in ("simple", "complex", "back_translation") for row in kept(rows, name)]
    assert made and {row.text for row in made} <= texts


def test_recorded_noise_never_holds_the_answer_and_says_whose_passage_it_was(recorded, rows):
    answers = {question.question_id: question.answer for question in recorded.questions}
    for row in [*kept(rows, "distracting"), *kept(rows, "counterfactual")]:
        assert answers[row.question_id] not in row.text
    for row in kept(rows, "counterfactual"):
        (pool,) = (pool for pool in recorded.pools.values() if pool.question_id == row.question_id)
        assert row.chunk_id == pool.neighbours[0]


def test_what_nothing_was_recorded_for_is_told_as_unanswered(rows):
    missed = [row for row in rows if isinstance(row, Unanswered)]
    unanswered = [row for row in rows if isinstance(row, Variant) and row.rejected_because == "unanswered"]
    assert len(missed) == len(unanswered) > 0 and {row.reason for row in missed} == {"refused"}


def test_a_server_that_fails_and_cuts_and_chats_gives_the_same_variants(tmp_path, monkeypatch):
    """Twenty questions whose replies stand in them, over HTTP: what is lost is lost by name, and nothing is made up."""
    cases, right = [], {}
    for number in range(20):
        question = f"How many of the plants of company {number} were sold in 2024?"
        said = [f"In 2024, how many of the plants of company {number} were sold?"]
        order = {3: "refusal", 7: "prose", 11: "length"}.get(number, "")
        told = f" [[do: {order}, {order}]]" if order else ""
        text = f"{question} [[say: {json.dumps({'texts': said})}]]{told}"
        cases.append(Case(f"q{number}", "query", text))
        right[f"q{number}"] = [] if order else said
    faults = {"429-ms": 0.1, "500-ms": 0.1, "cut-body": 0.1, "fenced": 0.2, "chatty": 0.2, "half": 0.05}
    with served(tmp_path / "log.jsonl", faults=faults) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789abcdef")
        means = InferenceContext(run="r", stage="vary", serving=RequestPolicy(retries=8, watchdog=600))
        llm = LLMConfig(provider="openai", model="m").connect(tmp_path / "cache", threads=1, means=means)
        told = list(write_drafts(CATALOGUE["grammar"], cases, CONFIG, llm))
        asked = len(server.log())
        again = list(write_drafts(CATALOGUE["grammar"], cases, CONFIG, llm))
        late = len(server.log())
    assert {case.case_id: [draft.text for draft in found] for case, found, _ in told} == right
    reasons = Counter(reply.error for _, _, reply in told)
    assert reasons[""] == 17 and reasons["refused"] == 1 and {*reasons} <= {"", "refused", "unparsable", "truncated"}
    assert [found for _, found, _ in again] == [found for _, found, _ in told]
    assert asked >= 20 and late - asked <= 2 * 3, "what was answered is remembered"
