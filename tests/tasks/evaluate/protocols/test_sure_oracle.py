"""The oracle experiment: who comes first and last for a model, how they differ, and a control (SURE §2, App. B)."""

import math
from collections.abc import Callable, Iterable, Iterator

import pytest
from tried import Benchmark

from rarefy.data_contracts.rows import Reply, Request, Token
from rarefy.tasks.evaluate.protocols.sure_oracle import (
    GROUPS,
    OracleConfig,
    Preferred,
    compare_features,
    features,
    perplexity,
    preferred,
)

CONFIG = OracleConfig()


def benchmark(questions: int = 3, documents: int = 4) -> Benchmark:
    made = Benchmark()
    for at in range(questions):
        names = [f"c{at}-{i}" for i in range(documents)]
        for i, name in enumerate(names):
            made.chunk(name, " ".join(["It is 42."] + [f"And so on, says word{j}." for j in range(i)]))
        made.chunk(f"none{at}", "Nobody says what it is.")
        made.ask(f"q{at}", names[0])
        made.find("dense", f"q{at}", [f"none{at}", *names])
    return made


def model(likes: Callable[[str], float], tokens: int = 2) -> Callable[[Iterable[Request]], Iterator[Reply]]:
    """A model that finds an answer as likely as it likes the prompt; each token of a bare text costs ln 2."""

    def asked(requests: Iterable[Request]) -> Iterator[Reply]:
        for one in requests:
            text = one.messages[-1].content
            if len(one.messages) == 1:
                words = text.split()
                logprobs = tuple(Token(word, -math.log(2)) for word in words)
            else:
                prompt = "\n".join(message.content for message in one.messages[:-1])
                logprobs = tuple(Token(text, likes(prompt) / tokens) for _ in range(tokens))
            yield Reply(one.request_id, text=text, finish_reason="stop", logprobs=logprobs)

    return asked


def found(made: Benchmark, llm: Callable, config: OracleConfig = CONFIG) -> list[Preferred]:
    return list(preferred(made.questions, config, variants=made.variants, chunks=made.chunks, hits=made.hits, llm=llm))


def likes_length(prompt: str) -> float:
    return -100 + len(prompt) / 100


def test_the_most_and_the_least_liked_of_the_documents_with_the_answer_are_first_and_last() -> None:
    rows = found(benchmark(), model(likes_length))
    assert {(row.question_id, row.group): row.chunk_id for row in rows if row.group in ("first", "last")} == {
        (f"q{i}", group): f"c{i}-{place}" for i in range(3) for group, place in (("first", 3), ("last", 0))
    }
    assert {row.documents for row in rows} == {4}  # the one without the answer is none of them
    assert all(row.oracle == pytest.approx(-100, abs=10) for row in rows)


def test_the_control_is_two_different_documents_by_chance_and_the_same_ones_again() -> None:
    rows = found(benchmark(), model(likes_length))
    for i in range(3):
        mine = {row.group: row.chunk_id for row in rows if row.question_id == f"q{i}"}
        assert tuple(mine) == GROUPS
        assert mine["control_1"] != mine["control_2"]
    turned = benchmark()
    turned.questions.reverse()
    assert sorted(map(str, found(turned, model(likes_length)))) == sorted(map(str, rows))
    other = found(benchmark(9), model(likes_length), CONFIG.model_copy(update={"seed": 1}))
    assert [row.chunk_id for row in other] != [row.chunk_id for row in found(benchmark(9), model(likes_length))]


def test_perplexity_and_token_length_are_the_models_own() -> None:
    rows = found(benchmark(), model(likes_length))
    assert all(row.perplexity == pytest.approx(2) for row in rows)
    assert {row.tokens for row in rows if row.group == "last"} == {3.0}


def test_a_question_with_fewer_than_two_such_documents_says_so() -> None:
    (row,) = found(benchmark(1, documents=1), model(likes_length))
    assert (row.error, row.documents, row.group) == ("few_documents", 1, "")


def test_a_question_without_a_list_of_the_retriever_says_so() -> None:
    (row,) = found(benchmark(1), model(likes_length), OracleConfig(retriever="bm25"))
    assert row.error == "no_hits"


def test_an_answer_of_five_tokens_or_more_is_not_looked_at() -> None:
    rows = found(benchmark(), model(likes_length, tokens=5))
    assert {row.error for row in rows} == {"no_short_answer"}
    assert {row.error for row in found(benchmark(), model(likes_length, tokens=4))} == {""}


def test_without_logprobs_every_figure_says_that_it_is_not_available() -> None:
    def mute(requests: Iterable[Request]) -> Iterator[Reply]:
        return (Reply(one.request_id, error="no_logprobs", detail="none here") for one in requests)

    rows = found(benchmark(), mute)
    assert {row.error for row in rows} == {"no_logprobs"}
    figures = list(compare_features(rows, CONFIG, system="m"))
    assert len(figures) == 10
    assert {one.value for one in figures} == {None}
    assert {one.note for one in figures} == {"not available: this endpoint gives no logprobs"}


def test_a_model_that_likes_length_is_found_out_and_the_control_is_not_suspected() -> None:
    figures = list(compare_features(found(benchmark(40), model(likes_length)), CONFIG, system="m"))
    of = {(one.metric, one.slice): one for one in figures}
    length = of["K-S, token length", "first and last"]
    assert length.value == 1  # every first is longer than every last
    assert "differ at 0.05" in length.note
    assert length.n_scored == 40
    assert "not shown to differ" in of["K-S, token length", "control"].note
    assert of["K-S, perplexity", "first and last"].value == 0


def test_questions_that_could_not_be_ranked_are_counted_as_skipped() -> None:
    made = benchmark(3)
    made.find("dense", "q0", ["none0", "c0-0"])
    figures = list(compare_features(found(made, model(likes_length)), CONFIG, system="m"))
    assert {(one.n_scored, one.n_skipped) for one in figures} == {(2, 1)}


def test_features_are_those_of_appendix_b() -> None:
    easy = "The cat sat. The cat ran."
    hard = "Notwithstanding macroeconomic uncertainty, the corporation's consolidated profitability improved."
    first, second = features([easy, hard])
    assert first.flesch > 90 > 30 > second.flesch
    assert first.distinct == pytest.approx(4 / 6)  # the, cat, sat, ran
    assert second.distinct == 1
    assert (first.depth, second.depth) == (2.0, pytest.approx(4, abs=2))


def test_depth_is_that_of_the_deepest_sentence_or_the_mean_of_all() -> None:
    text = "It fell. The head of the board of the bank of the city spoke."
    (deepest,), (mean,) = features([text]), features([text], "mean")
    assert deepest.depth > mean.depth > 1


def test_a_text_without_words_has_no_features() -> None:
    (none,) = features(["   "])
    assert math.isnan(none.flesch) and math.isnan(none.distinct) and math.isnan(none.depth)


def test_perplexity_is_the_geometric_mean_of_the_choices() -> None:
    assert perplexity(-6 * math.log(8), 6) == pytest.approx(8)
    assert math.isnan(perplexity(0.0, 0))
