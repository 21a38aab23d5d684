"""Trials of retrieval robustness: each (q, k, o, retriever) once, with the ranks by which a context is cut (§001-B)."""

from collections import Counter

import pytest
from tried import Benchmark

from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.evaluate.protocols.retrieval_robustness import PAPER_KS, RetrievalRobustnessConfig, lacking, trials

NAME = "retrieval_robustness"
PAPER = RetrievalRobustnessConfig(ks=PAPER_KS)


def benchmark(size: int, dense: int | None = None) -> Benchmark:
    made = Benchmark()
    names = [f"c{i}" for i in range(size)]
    for name in names:
        made.chunk(name, name)
    made.ask("q0", "c0")
    made.find("bm25", "q0", names)
    made.find("dense", "q0", names[::-1][: size if dense is None else dense])
    return made


def test_the_papers_setting_is_37_trials_of_a_question() -> None:
    found = benchmark(120).trials(NAME, PAPER)
    assert len(found) == 37  # |K|·|O|·2 + 1
    assert len({row.trial_id for row in found}) == 37
    assert not any(row.skipped_because for row in found)


def test_the_default_is_19_trials_of_a_question() -> None:
    assert len(benchmark(120).trials(NAME, RetrievalRobustnessConfig())) == 19


def test_orders_are_of_the_same_passages_and_ranks_go_with_them() -> None:
    rows = {row.order: row for row in benchmark(120).trials(NAME, PAPER) if (row.retriever, row.k) == ("bm25", 10)}
    best = tuple(f"c{i}" for i in range(10))
    assert rows["original"].passage_ids == best
    assert rows["original"].ranks == tuple(range(1, 11))
    assert rows["reversed"].passage_ids == best[::-1]
    assert rows["reversed"].ranks == tuple(range(10, 0, -1))
    assert sorted(rows["shuffled"].passage_ids) == sorted(best)
    assert rows["shuffled"].passage_ids not in (best, best[::-1])
    for row in rows.values():  # what is too much is dropped by rank, wherever it stands (B4)
        assert [best[rank - 1] for rank in row.ranks] == list(row.passage_ids)


def test_a_shuffle_hangs_on_question_and_k_and_the_seed_and_on_nothing_else() -> None:
    def shuffled(made: Benchmark, **told: object) -> dict[int, tuple[int, ...]]:
        config = PAPER.model_copy(update=told)
        return {
            row.k: row.ranks for row in made.trials(NAME, config) if row.order == "shuffled" and row.retriever == "bm25"
        }

    alone, together = benchmark(120), benchmark(120)
    together.ask("p1", "c1")
    together.questions.reverse()
    once = shuffled(alone)
    assert {k: ranks for k, ranks in shuffled(together).items() if ranks}.keys() == once.keys()
    assert once == {
        row.k: row.ranks
        for row in together.trials(NAME, PAPER)
        if (row.order, row.retriever, row.question_id) == ("shuffled", "bm25", "q0")
    }
    assert shuffled(alone, seed=1) != once
    dense = {
        row.k: row.ranks for row in alone.trials(NAME, PAPER) if (row.order, row.retriever) == ("shuffled", "dense")
    }
    assert dense == once  # so that what two retrievers find alike is asked once


def test_a_corpus_smaller_than_k_is_asked_once_with_all_of_it_and_what_cannot_be_tried_is_counted() -> None:
    found = benchmark(40).trials(NAME, PAPER)
    tried = Counter(
        (row.k, len(row.passage_ids)) for row in found if row.given == "passages" and not row.skipped_because
    )
    assert tried == {(5, 5): 6, (10, 10): 6, (25, 25): 6, (50, 40): 6}
    assert Counter(row.skipped_because for row in found if row.skipped_because) == {"only_40_found": 12}


def test_a_list_shorter_than_the_other_retrievers_says_so_in_its_own_cells() -> None:
    found = benchmark(120, dense=7).trials(NAME, RetrievalRobustnessConfig())
    why = Counter((row.retriever, row.k, row.skipped_because) for row in found if row.skipped_because)
    assert why == {("dense", 25, "only_7_found"): 3}


def test_a_retriever_that_was_not_run_is_counted_as_skipped() -> None:
    found = benchmark(120).trials(NAME, RetrievalRobustnessConfig(retrievers=("bm25", "colbert")))
    assert Counter(row.skipped_because for row in found) == {"": 10, "no_hits_colbert": 9}


def test_a_retriever_that_finds_nothing_is_skipped() -> None:
    made = benchmark(30)
    made.find("bm25", "q0", ())
    why = {row.skipped_because for row in made.trials(NAME, RetrievalRobustnessConfig()) if row.retriever == "bm25"}
    assert why == {"only_0_found"}


def test_nothing_can_be_tried_without_passages_or_without_hits() -> None:
    config = RetrievalRobustnessConfig()
    made = benchmark(30)
    assert lacking(made.cases(), config, frozenset({"closed_book", "passages"})) == ""
    assert "passages" in lacking(made.cases(), config, frozenset({"own"}))
    made.hits.clear()
    assert "bm25 or dense" in lacking(made.cases(), config, frozenset({"passages"}))


@pytest.mark.parametrize(
    "told", [{"ks": (10, 5)}, {"ks": (0, 5)}, {"ks": (5, 5)}, {"ks": ()}, {"orders": ("original",) * 2}]
)
def test_sizes_and_orders_that_make_no_sense_are_refused(told: dict) -> None:
    with pytest.raises(ValueError):
        RetrievalRobustnessConfig(**told)


def test_the_prompt_forbids_to_refuse() -> None:
    assert PROTOCOLS[NAME].refusal == ""
    assert PROTOCOLS[NAME].trials is trials
