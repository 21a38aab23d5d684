"""What is put to a system: a question with its k best passages in each order, and without any (2505.21870 §4.3)."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Literal

from pydantic import BaseModel, Field, field_validator

from rarefy.data_contracts.rows import Trial, row_id
from rarefy.tasks.evaluate.protocols.case import QuestionVariants
from rarefy.tasks.evaluate.protocols.protocol import trial

NAME = "retrieval_robustness"
CLOSED_BOOK, RETRIEVED = "closed_book", "retrieved"
PAPER_KS = (5, 10, 25, 50, 75, 100)
Order = Literal["original", "reversed", "shuffled"]
ORDERS: tuple[Order, ...] = ("original", "reversed", "shuffled")


class RetrievalRobustnessConfig(BaseModel, frozen=True, extra="forbid"):
    """How many passages, in which orders, of which retrievers."""

    ks: tuple[int, ...] = Field(
        (5, 10, 25),
        min_length=1,
        description="numbers of retrieved passages; the paper's are 5, 10, 25, 50, 75, 100, which are 37 answers per "
        "question with prompts of up to 100 passages, these are 19. A k that a retriever's list or the corpus cannot "
        "fill is asked once with all there is, larger ones are counted as skipped",
    )
    orders: tuple[Order, ...] = Field(
        ORDERS, min_length=1, description="of the passages; with one there is no ROR, and so no geometric mean"
    )
    retrievers: tuple[str, ...] = Field(
        ("bm25", "dense"), min_length=1, description="whose lists are read; every metric is of each, then averaged"
    )
    seed: int = Field(
        0,
        description="of the shuffled order, drawn per question and k",
        json_schema_extra={"tag": "open", "source": "retrieval robustness §4.3 (seed of the shuffle not given)"},
    )

    @field_validator("ks")
    @classmethod
    def _rising(cls, ks: tuple[int, ...]) -> tuple[int, ...]:
        if min(ks) < 1 or list(ks) != sorted(set(ks)):
            raise ValueError(f"ks {ks}: write numbers from 1, each once, the smallest first")
        return ks

    @field_validator("orders", "retrievers")
    @classmethod
    def _once(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(names)) < len(names):
            raise ValueError(f"{names}: each once")
        return names


def trials(case: QuestionVariants, config: RetrievalRobustnessConfig) -> Iterator[Trial]:
    """f(q, 0), then f(q, k, o) of each retriever: |K|·|O| each, with the ranks by which a context is cut (B4)."""
    yield trial(NAME, case, CLOSED_BOOK, "closed_book")
    for retriever in config.retrievers:
        hits = case.hits.get((retriever, case.original.variant_id))
        found = hits.chunk_ids if hits else ()
        had = 0
        for k in config.ks:
            ids = found[:k]
            # asked again with the same passages, a system would only answer the same
            why = "" if len(ids) > had else f"only_{len(ids)}_found" if hits else f"no_hits_{retriever}"
            for order in config.orders:
                told: dict[str, Any] = {"retriever": retriever, "k": k, "order": order}
                if not why:
                    ranks = ordered(len(ids), order, config.seed, case.question.question_id, k)
                    told |= {"passage_ids": [ids[rank - 1] for rank in ranks], "ranks": ranks}
                yield trial(NAME, case, RETRIEVED, "passages", skipped_because=why, **told)
            had = max(had, len(ids))


def ordered(n: int, order: str, seed: int, question_id: str, k: int) -> Sequence[int]:
    """The ranks 1 to n from the top of the prompt to its bottom."""
    ranks = list(range(1, n + 1))
    if order == "reversed":
        return ranks[::-1]
    if order == "shuffled":  # by question and k alone: what two retrievers find alike is asked once
        Random(row_id("shuffled", seed, question_id, k)).shuffle(ranks)
    return ranks
