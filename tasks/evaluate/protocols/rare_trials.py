"""The cells of RARE-Met: each wording with gold, changed and retrieved passages, and the probe (RARE §5)."""

from collections.abc import Iterator

from rarefy.data_contracts.rows import Trial, Variant
from rarefy.tasks.evaluate.protocols.case import NONE, QuestionVariants
from rarefy.tasks.evaluate.protocols.protocol import trial
from rarefy.tasks.evaluate.protocols.rare_config import DIFFERENT, GOLD, OWN, PROBE, RETRIEVED, SIMILAR, RareConfig


def trials(case: QuestionVariants, config: RareConfig) -> Iterator[Trial]:
    """The probe, and for each of five wordings a cell per document setting and per retriever: 1 + 5 · (3 + 3).

    A row with given "own" stands beside the retrieved ones of each wording, for systems that retrieve themselves.
    """
    yield trial("rare", case, PROBE, "closed_book")
    for name in (NONE, *config.queries):
        wording = next(iter(case.reworded(name)), None)
        yield from _of_wording(case, config, name, wording)


def _of_wording(case: QuestionVariants, config: RareConfig, name: str, wording: Variant | None) -> Iterator[Trial]:
    lost = "" if wording else case.why_not("query", name)
    asked = {"query_id": (wording or case.original).variant_id, "query": name}
    gold = case.question.chunk_ids
    yield trial("rare", case, GOLD, "passages", **asked, passage_ids=gold, document=NONE, skipped_because=lost)
    for cell, change in ((SIMILAR, config.lexical_similar), (DIFFERENT, config.lexical_different)):
        found, why = changed(case, change)
        yield trial(
            "rare", case, cell, "passages", **asked, passage_ids=found, document=change, skipped_because=lost or why
        )
    for retriever in config.retrievers or sorted({name for name, _ in case.hits}):
        hits = case.hits.get((retriever, asked["query_id"]))
        best = hits.best if hits else ()
        why = lost or ("" if hits else "not_retrieved")
        told = {"retriever": retriever, "k": len(best), "skipped_because": why}
        if not best:
            told["gold"] = 0.0 if hits else -1.0  # nothing was found, and nothing is shown
        yield trial("rare", case, RETRIEVED, "passages", **asked, passage_ids=best, **told)
    yield trial("rare", case, RETRIEVED, "own", **asked, retriever=OWN, skipped_because=lost)


def changed(case: QuestionVariants, perturbation: str) -> tuple[tuple[str, ...], str]:
    """The gold passages with each of them replaced by its first variant, or why that cannot be: all are, or none.

    A passage of the context side that has its gold (golden_augmented) can be named too.
    """
    found: list[str] = []
    for chunk_id in case.question.chunk_ids:
        rows = case.changed(perturbation, chunk_id) or tuple(
            row for row in case.context if row.perturbation == perturbation and row.chunk_id == chunk_id
        )
        if rows:
            found.append(min(rows, key=lambda row: (row.number, row.variant_id)).variant_id)
    if len(found) == len(case.question.chunk_ids):
        return tuple(found), ""
    if found:
        return (), "not_every_gold_chunk"
    side = "context" if ("context", perturbation) in case.turned_down else "document"
    return (), case.why_not(side, perturbation)
