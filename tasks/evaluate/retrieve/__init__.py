"""Passages for every wording of every question, per retriever, best first (RARE §5.2; arXiv 2505.21870 §4)."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from rarefy.data_contracts.rows import Chunk, Hits, Question, Variant, row_id
from rarefy.tasks.evaluate.retrieve.config import PRESETS, VERSION, RetrieveConfig
from rarefy.tasks.evaluate.retrieve.measured import measured
from rarefy.tasks.evaluate.retrieve.retrievers import RETRIEVERS, Retrievers
from rarefy.tasks.evaluate.retrieve.search import Passages, Ranked, Search

__all__ = [
    "PRESETS",
    "RETRIEVERS",
    "VERSION",
    "Passages",
    "Ranked",
    "RetrieveConfig",
    "Retrievers",
    "Search",
    "measured",
    "retrieve",
]

BLOCK = 2_048  # wordings that are searched together
NONE = "none"  # the perturbation of the unperturbed question


def retrieve(
    variants: Iterable[Variant],
    config: RetrieveConfig,
    *,
    chunks: Mapping[str, Chunk],
    retrievers: Retrievers,
    questions: Mapping[str, Question] | None = None,
) -> Iterator[Hits]:
    """The hits of each kept wording by each of `config.retrievers`, in the order of the variants.

    Variants that were rejected, or are no queries, are passed over. With `questions`, those accepted ones that no
    variant words as it stands are searched in their own words, named after themselves as `protocols.cases` names them.
    A list may be shorter than the depth: BM25 finds no passage that shares no word with the query.
    """
    search = retrievers.over(chunks)
    rows = _wordings(variants, questions or {})
    while block := list(islice(rows, BLOCK)):
        texts = [row.text for row in block]
        depths = [config.depth if row.perturbation == NONE else config.depth_reworded for row in block]
        found = search(texts, depths)
        best = {name: search.best(texts, lists) for name, lists in found.items()}
        for place, row in enumerate(block):
            for name in config.retrievers:
                ranked = found[name][place]
                yield Hits(
                    row_id("hits", name, row.variant_id),
                    name,
                    row.variant_id,
                    row.question_id,
                    ranked.chunk_ids,
                    ranked.scores,
                    best[name][place],
                    config.rerank.model,
                )


def _wordings(variants: Iterable[Variant], questions: Mapping[str, Question]) -> Iterator[Variant]:
    """The kept query variants, then the questions that have none of their own words."""
    worded = set()
    for row in variants:
        if row.side == "query" and not row.rejected_because:
            if row.perturbation == NONE:
                worded.add(row.question_id)
            yield row
    for name, question in questions.items():
        if name not in worded and not question.rejected_because:
            yield Variant(name, name, "query", NONE, question.text)
