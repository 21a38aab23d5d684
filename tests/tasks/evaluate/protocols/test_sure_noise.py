"""Noise documents: retrieved, not gold, without the answer, and still without it after the change (SURE S5, S8)."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from tried import Benchmark

from rarefy.data_contracts.rows import Variant
from rarefy.tasks.evaluate.protocols.sure import SureConfig
from rarefy.tasks.evaluate.protocols.sure_noise import GAINED, NoiseConfig, noise
from rarefy.tasks.perturb.config import PerturbConfig

TEXT = "Acme was founded by two brothers. It makes anvils and rockets. Its head office is in Ohio."


def benchmark(answer: str = "42") -> Benchmark:
    made = Benchmark()
    made.chunk("gold", f"It is {answer}. " + TEXT, "Annual report")
    made.chunk("has", f"By chance {answer} is here. " + TEXT, "Annual report")
    made.chunk("far", "Rockets fly. " + TEXT, "Annual report")
    made.chunk("near", "Anvils fall. " + TEXT, "Annual report")
    made.ask("q0", "gold", answer=answer)
    made.find("dense", "q0", ("gold", "has", "near", "far"))
    made.find("bm25", "q0", ("far", "gold", "near", "has"))
    return made


def made_of(made: Benchmark, **told: object) -> list[Variant]:
    return list(rows(made, SureConfig(**told)))  # type: ignore[arg-type]


def rows(made: Benchmark, config: SureConfig) -> Iterator[Variant]:
    options = NoiseConfig(sure=config, perturb=PerturbConfig.model_validate({}))
    return noise(made.questions, options, variants=made.variants, chunks=made.chunks, hits=made.hits)


def test_the_best_chunk_that_is_not_gold_and_has_no_answer_is_changed_by_every_rule() -> None:
    found = made_of(benchmark())
    assert {row.chunk_id for row in found} == {"near"}
    assert {row.side for row in found} == {"noise"}
    assert {row.perturbation for row in found if not row.rejected_because} == {
        "reverse_order", "random_order", "json", "html", "yaml", "markdown",
        "timestamp_pre", "timestamp_post", "datasource_wiki", "datasource_twitter",
    }  # fmt: skip
    assert all("42" not in row.text for row in found)


def test_as_many_are_taken_as_are_wanted_of_the_retriever_that_was_run() -> None:
    assert {row.chunk_id for row in made_of(benchmark(), noise=3)} == {"near", "far"}
    assert {row.chunk_id for row in made_of(benchmark(), noise_from=("splade", "bm25"))} == {"far"}
    assert made_of(benchmark(), noise_from=("splade",)) == []
    assert made_of(benchmark(), noise=0) == []


def test_a_chunk_whose_title_alone_has_the_answer_is_no_noise() -> None:
    made = benchmark()
    made.chunks["near"] = replace(made.chunks["near"], title="42 reasons")
    assert {row.chunk_id for row in made_of(made)} == {"far"}


def test_an_answer_in_another_notation_is_an_answer() -> None:
    made = benchmark(answer="$47.5 billion")
    made.chunks["near"] = replace(made.chunks["near"], text=f"It came to $47,500 million. {TEXT}")
    assert {row.chunk_id for row in made_of(made)} == {"far"}


@pytest.mark.parametrize("answer", ["2022", "December 2022"])
def test_a_timestamp_that_is_the_answer_is_rejected(answer: str) -> None:
    found = {row.perturbation: row.rejected_because for row in made_of(benchmark(answer))}
    assert found["timestamp_pre"] == (GAINED if answer == "2022" else "")  # a day of that month is another answer
    assert found["timestamp_post"] == found["json"] == ""


def test_a_day_in_another_notation_is_found_in_a_timestamp() -> None:
    first = next(row for row in made_of(benchmark()) if row.perturbation == "timestamp_pre")
    day = first.detail  # drawn for the chunk, whatever the question
    written = f"December {int(day[-2:])}, {day[:4]}"
    found = {row.perturbation: row.rejected_because for row in made_of(benchmark(written))}
    assert found["timestamp_pre"] == GAINED


def test_nothing_is_made_for_an_answer_that_no_string_match_finds() -> None:
    assert made_of(benchmark("yes")) == []


def test_questions_of_several_chunks_have_noise_only_where_they_are_asked() -> None:
    made = benchmark()
    made.questions.clear()
    made.ask("q0", "gold", "has")
    assert made_of(made) == []
    assert {row.chunk_id for row in made_of(made, multi_hop="by_answer")} == {"near"}


def test_the_same_rows_come_whatever_else_is_asked() -> None:
    alone = made_of(benchmark())
    more = benchmark()
    more.ask("p0", "near", answer="rockets")
    more.find("dense", "p0", ("near", "gold", "far"))
    more.questions.reverse()
    assert [row for row in made_of(more) if row.question_id == "q0"] == alone


def test_an_embedder_is_never_asked() -> None:
    made = benchmark()
    options = NoiseConfig(sure=SureConfig(), perturb=PerturbConfig.model_validate({"document_similarity": "embedding"}))
    found = list(noise(made.questions, options, variants={}, chunks=made.chunks, hits=made.hits))
    assert found == list(
        noise(made.questions, NoiseConfig(sure=SureConfig(), perturb=PerturbConfig()), variants={}, chunks=made.chunks,
              hits=made.hits)
    )  # fmt: skip
