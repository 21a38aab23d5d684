"""Drafts become variants only with their proof, the same ones whatever stands beside them."""

from dataclasses import replace
from threading import Event

import numpy as np
import pytest

from rarefy.data_contracts.rows import Chunk, Pool, Question, Reply, Similarity, Span, Unanswered, row_id
from rarefy.tasks.models.nli import Label
from rarefy.tasks.perturb import CATALOGUE, Perturbation, PerturbConfig, vary, vary_with_similarities
from rarefy.tasks.perturb.checks import CHECKS
from rarefy.tasks.perturb.vary import SPARE, Unchanged

CHUNKS = {
    name: Chunk(name, "d", 0, 90, "text", "", text, 20, title="Report")
    for name, text in {
        "c1": "Apple Inc. is located in Cupertino. It makes phones. Its chief is Tim Cook.",
        "c2": "Tim Cook was born in Mobile, where his father worked at a shipyard. He studied engineering at "
        "Auburn University, and he likes football and long rides on a bicycle.",
    }.items()
}


def question_of(number: int, **more: object) -> Question:
    evidence = "Its chief is Tim Cook."
    start = CHUNKS["c1"].text.index(evidence)
    text = f"Who is the chief of the large company number {number} that makes phones?"
    spans = (Span("c1", start, start + len(evidence)),)
    question = Question(f"q{number}", "p", "single", text, "Tim Cook", (), ("t",), ("c1",), (evidence,), spans)
    return replace(question, **more)


def letters(texts):
    """Counts of letters stand in for an embedding."""
    return np.array([[t.lower().count(chr(97 + i)) + 0.01 for i in range(26)] for t in texts])


def unlike(texts):
    """No two texts are alike."""
    return np.eye(len(texts), len(texts) + 1)


def made(config, questions=None, embed=letters, **tools):
    return list(vary(questions or [question_of(1)], config, chunks=CHUNKS, embed=embed, **tools))


def alike(config, embed=letters):
    rows = vary_with_similarities([question_of(1)], config, chunks=CHUNKS, embed=embed)
    return [row for row in rows if isinstance(row, Similarity)]


def only(query=(), document=(), context=(), **more):
    return PerturbConfig(query=query, document=document, context=context, **more)


def test_the_question_itself_is_a_variant_and_a_rejected_question_has_none():
    (variant,) = made(only())
    assert (variant.side, variant.perturbation, variant.text) == ("query", "none", question_of(1).text)
    assert made(only(), [question_of(1, rejected_because="readable")]) == []


def test_a_variant_carries_what_was_held_against_it_and_where_the_evidence_went():
    variant = made(only(document=("makers:numbered",)))[1]
    assert variant.text == CHUNKS["c1"].text + " 1" and variant.chunk_id == "c1"
    assert (variant.family, variant.method, variant.detail) == ("numbered", "rules", "1 behind it")
    (span,) = variant.spans
    assert variant.text[span.start : span.end] == "Its chief is Tim Cook."


def test_the_first_of_a_few_drafts_that_passes_is_taken_and_no_more_are_made():
    query = made(only(query=("makers:numbered",)))[1]
    assert query.text.endswith(" 1") and query.checks == ("similarity",) and not query.rejected_because


def test_of_what_stays_below_the_threshold_the_first_is_kept_and_rejected():
    asked: list[str] = []

    def embed(texts):
        asked.extend(texts)
        return unlike(texts)

    config = only(query=("makers:numbered",), candidates=4)
    _, variant = made(config, embed=embed)
    assert variant.rejected_because == "below_threshold" and variant.text.endswith(" 1")
    assert len(set(asked)) == 1 + 4, "the original, and no more candidates than the config allows"
    (found,) = alike(config, unlike)
    assert found == Similarity(variant.variant_id, "variant", "embedding", 0)


def test_which_rejected_draft_stands_for_all_hangs_on_no_bit_of_a_vector():
    def nearer(number):
        """Vectors by which the draft of this number is the most alike."""
        return lambda texts: np.array(
            [[1, 0] if i == 0 else [0.1 + 0.1 * t.endswith(f" {number}"), 1] for i, t in enumerate(texts)]
        )

    config = only(query=("makers:numbered",), candidates=4)
    assert len({made(config, embed=nearer(number))[1] for number in range(1, 5)}) == 1


@pytest.mark.parametrize(
    ("name", "reason"),
    [("nothing", "no_candidate"), ("refused", "too_short")],
)
def test_where_there_is_no_variant_a_row_says_why(name, reason):
    variant = made(only(query=(f"makers:{name}",)))[1]
    assert variant.rejected_because == reason
    assert variant.text == (question_of(1).text if name == "nothing" else question_of(1).text[:3])


def test_a_draft_that_comes_again_is_no_further_draft():
    assert [v.perturbation for v in made(only(document=("makers:same_again",)))] == ["none", "makers:same_again"]


def test_neither_order_nor_company_changes_a_variant():
    config = only(query=("makers:drawn", "character", "upper_case"), document=("makers:drawn", "deletion", "logic"))
    questions = [question_of(i) for i in range(5)]
    together = {v.variant_id: v for v in made(config, questions)}
    alone = {v.variant_id: v for q in reversed(questions) for v in made(config, [q])}
    assert together == alone


def test_a_perturbation_of_all_chunks_is_lost_with_one_of_them(monkeypatch):
    question = question_of(1, chunk_ids=("c1", "c2"))
    entry = Perturbation("w", "-", "document", "w", "-", (), rules="makers:only_first", speaks=(), whole=True)
    monkeypatch.setitem(CATALOGUE, "w", entry)
    found = {v.chunk_id: v.rejected_because for v in made(only(document=("w",)), [question]) if v.side == "document"}
    assert found == {"c1": "other_chunk_rejected", "c2": "no_candidate"}


def test_of_a_pool_every_draft_that_was_tried_is_a_row(monkeypatch):
    entry = Perturbation("several", "-", "context", "s", "-", ("answer_kept",), rules="makers:numbered", speaks=())
    monkeypatch.setitem(CATALOGUE, "several", entry)
    found = [v for v in made(only(context=("several",), pools={"several": 3})) if v.side == "context"]
    assert [v.number for v in found] == [0, 1, 2] and len({v.text for v in found}) == 3
    assert all(v.checks == ("answer_kept",) for v in found)

    entry = replace(entry, checks=("no_answer",))
    monkeypatch.setitem(CATALOGUE, "several", entry)
    found = [v for v in made(only(context=("several",), pools={"several": 3})) if v.side == "context"]
    assert {v.rejected_because for v in found} == {"answer_remains"} and len(found) == 3 * SPARE


def entailed(*labels):
    """An inference that says these labels in turn, and what it was asked."""
    asked = []

    def nli(pairs):
        for i, pair in enumerate(pairs):
            asked.append(pair)
            yield Label(labels[i % len(labels)], 1.0, why="because")

    return nli, asked


@pytest.mark.parametrize(
    ("labels", "reason"),
    [
        (("entailment", "entailment"), ""),
        (("kept", "kept"), ""),
        (("entailment", "neutral"), "not_entailed"),
        (("contradiction", "entailment"), "not_entailed"),
        (("kept", "changed"), "not_proved"),
        (("kept", "not_shown"), "not_proved"),  # which inference might accept
        (("not_shown", "not_shown"), "not_proved"),
    ],
)
def test_both_directions_must_be_entailed(labels, reason, monkeypatch):
    entry = Perturbation("e", "-", "document", "e", "-", ("entailment",), rules="makers:numbered", speaks=())
    monkeypatch.setitem(CATALOGUE, "e", entry)
    nli, asked = entailed(*labels)
    variant = made(only(document=("e",), candidates=1), nli=nli)[1]
    assert asked == [(CHUNKS["c1"].text, variant.text), (variant.text, CHUNKS["c1"].text)]
    assert variant.rejected_because == reason and variant.entailment == ", ".join(labels)
    assert ("entailment" in variant.checks) is (not reason)


def test_entailment_is_never_taken_for_granted(monkeypatch):
    entry = Perturbation("e", "-", "document", "e", "-", ("entailment",), rules="makers:numbered", speaks=())
    monkeypatch.setitem(CATALOGUE, "e", entry)
    with pytest.raises(ValueError, match="e wants entailment, and no nli was given"):
        made(only(document=("e",)))


def test_what_only_a_model_can_do_says_so():
    rows = made(only(document=("style", "source")))[1:]
    assert [v.perturbation for v in rows] == ["simple", "complex", "llm_generated", "self_generated"]
    assert [v.rejected_because for v in rows] == ["needs_model"] * 3 + ["needs_generator"]
    assert {v.text for v in rows} == {CHUNKS["c1"].text}
    with pytest.raises(ValueError, match="needs a model"):
        made(only(document=("style",), by="model"))


def test_a_model_makes_what_is_named_of_its_share_of_the_questions_and_rules_the_rest():
    def asked_about(config, questions):
        asked = []

        def silent(requests):
            for request in requests:
                asked.append(request)
                yield Reply(request.request_id, error="timeout")

        rows = [row for row in made(config, questions, llm=silent) if not isinstance(row, Unanswered)]
        return len(asked), {(row.question_id, row.perturbation): row.method for row in rows}

    questions = [question_of(number) for number in range(40)]
    named = only(query=("grammar", "irrelevant_detail"), by=("grammar",))
    count, methods = asked_about(named, questions)
    assert count == 40 and {methods[q.question_id, "grammar"] for q in questions} == {"model"}
    assert {methods[q.question_id, "irrelevant_detail"] for q in questions} == {"rules"}

    some = named.model_copy(update={"model_share": 0.4})
    count, methods = asked_about(some, questions)
    drawn = {name for (name, kind), method in methods.items() if kind == "grammar" and method == "model"}
    assert count == len(drawn) and 8 <= count <= 24
    # which are drawn depends on no other question
    assert {name for name in drawn if asked_about(some, [question_of(int(name[1:]))])[0] == 1} == drawn


def test_a_language_without_an_implementation_is_refused():
    rows = made(only(query=("character", "upper_case")), [question_of(1, language="fr")])[1:]
    assert {v.perturbation: v.rejected_because for v in rows} == {"character": "language", "upper_case": ""}


def test_a_model_that_does_not_answer_leaves_a_row_in_either_table():
    def silent(requests):
        for request in requests:
            yield Reply(request.request_id, error="timeout", detail="slow")

    rows = made(only(document=("simple",), by="model"), llm=silent)
    missed = [row for row in rows if isinstance(row, Unanswered)]
    (variant,) = [row for row in rows if not isinstance(row, Unanswered) and row.perturbation == "simple"]
    assert variant.rejected_because == "unanswered" and missed[0].reason == "timeout"
    assert missed[0].about == "simple q1 c1"


def test_a_name_that_is_not_there_is_told_with_those_that_are():
    with pytest.raises(ValueError, match=r"no query perturbation 'typo'; have .*character.*or write module:function"):
        made(only(query=("typo",)))


def test_a_question_without_a_pool_has_no_noise_and_with_one_it_has():
    config = only(context=("inconsequential",))
    assert made(config)[1].rejected_because == "no_candidate"
    pool = Pool(row_id("pool", "q1"), "q1", ("c2",), (), ())
    question = question_of(1, answer="Cupertino")
    found = made(config, [question], pools={pool.pool_id: pool})[1]
    assert (found.chunk_id, found.rejected_because, found.spans) == ("c2", "", ())


def test_later_candidates_are_embedded_only_where_they_are_needed():
    asked: list[str] = []

    def embed(texts):
        asked.extend(texts)
        return letters(texts)

    made(only(query=("makers:numbered",)), [question_of(i) for i in range(10)], embed=embed)
    assert len(asked) == 10 * 2, "originals, and first candidates"


def test_rules_check_other_drafts_while_the_model_embeds(monkeypatch):
    begun = Event()

    def after_the_rules(texts):
        assert begun.wait(10), "the rules waited for the model"
        return letters(texts)

    def check(case, draft):
        begun.set()
        return ""

    monkeypatch.setitem(CHECKS, "same_sentences", check)
    rows = made(only(query=("character",), document=("reverse_order",)), embed=after_the_rules)
    assert [row.rejected_because for row in rows] == ["", "", ""]


def test_a_model_that_fails_ends_the_run_with_its_error():
    def fail(texts):
        raise OSError("no such model")

    with pytest.raises(OSError, match="no such model"):
        made(only(query=("character",), document=("reverse_order",)), embed=fail)


@pytest.mark.parametrize("similarity", ["words", "embedding"])
def test_a_changed_chunk_is_like_its_original_but_not_the_same(similarity):
    config = only(document=("answer_deleted",), document_similarity=similarity)
    (found,) = alike(config)
    assert found.of == made(config)[1].variant_id and found.method == similarity
    assert 0.5 < found.cosine < 1


def test_a_function_that_gives_no_drafts_is_named_with_the_question():
    with pytest.raises(ValueError, match=r"makers:words, on question q1: it gave str, and .*Draft is wanted"):
        made(only(query=("makers:words",)))


def test_of_an_unchanged_question_only_what_takes_passages_of_other_documents_is_made_again():
    config = only(query=("lower_case",), document=("json",), context=("irrelevant", "inconsequential"))
    pools = {row_id("pool", "q1"): Pool(row_id("pool", "q1"), "q1", ("c2",), (), ())}
    rows = list(vary_with_similarities([question_of(1)], config, chunks=CHUNKS, embed=letters, pools=pools))
    before = [replace(row, detail="before") for row in rows if not isinstance(row, Similarity)]
    cosines = [replace(row, cosine=0.5) for row in rows if isinstance(row, Similarity)]

    def again(strangers):
        found = list(
            vary_with_similarities(
                [question_of(1), question_of(2)], config, chunks=CHUNKS, embed=letters, pools=pools,
                unchanged=[Unchanged("q1", strangers)], made=before, compared=cosines,
            )
        )  # fmt: skip
        assert [row.of for row in found if isinstance(row, Similarity)][: len(cosines)] == [row.of for row in cosines]
        return [row for row in found if not isinstance(row, Similarity) and row.question_id == "q1"]

    assert [row.variant_id for row in again(True)] == [row.variant_id for row in before]
    assert {row.perturbation for row in again(True) if not row.detail} == {"none"}
    assert {row.perturbation for row in again(False) if not row.detail} == {"none", "irrelevant"}


@pytest.mark.parametrize("name", [entry.name for entry in CATALOGUE.values() if entry.rules and not entry.strangers])
def test_what_is_not_said_to_take_passages_of_other_documents_takes_none(name):
    pool = Pool(row_id("pool", "q1"), "q1", ("c2",), ("there is no such chunk",), ())
    entry = CATALOGUE[name]
    config = only(**{entry.side: (name,)})
    nli = lambda pairs: [Label("kept", 1.0) for _ in pairs]  # noqa: E731
    assert made(config, pools={pool.pool_id: pool}, nli=nli)


@pytest.mark.parametrize("name", [entry.name for entry in CATALOGUE.values() if entry.strangers])
def test_what_is_said_to_take_passages_of_other_documents_does(name):
    pool = Pool(row_id("pool", "q1"), "q1", ("c2",), ("there is no such chunk",), ())
    with pytest.raises(KeyError, match="no such chunk"):
        made(only(context=(name,)), pools={pool.pool_id: pool})
