"""Groups of an original and its variants (arXiv 2408.01963 §2)."""

from collections.abc import Iterator
from typing import Any

from rarefy.data_contracts.rows import Trial
from rarefy.tasks.evaluate.protocols.case import NONE, QuestionVariants
from rarefy.tasks.evaluate.protocols.effect_size_config import DISTRACTION, ORIGINAL, OWN, REPEAT, EffectSizeConfig
from rarefy.tasks.evaluate.protocols.protocol import trial


def trials(case: QuestionVariants, config: EffectSizeConfig) -> Iterator[Trial]:
    """The original, its repeats, and a row per variant, in a cell named after the variant's family.

    Where passages are given, the same rows with given "own" stand beside them, for systems that retrieve themselves.
    """
    for source in dict.fromkeys((config.passages, *([OWN] if config.passages in ("gold", "retrieved") else []))):
        original = _shown(case, config, source, case.original.variant_id)
        yield _row(case, ORIGINAL, original)
        for number in range(1, config.repeats + 1):
            yield _row(case, REPEAT, original, number=number)
        for name in (*config.superficial, *config.paraphrase):
            found = case.reworded(name)
            for row in found:
                shown = _shown(case, config, source, row.variant_id)
                yield _row(case, config.family(name), shown, query_id=row.variant_id, query=name, number=row.number)
            if not found:
                lost = {**original, "skipped_because": case.why_not("query", name)}
                yield _row(case, config.family(name), lost, query=name)
        if source == "gold":
            yield from _distracted(case, config)


def _row(case: QuestionVariants, cell: str, shown: dict[str, Any], **told: Any) -> Trial:
    shown = dict(shown)
    given = shown.pop("given")
    return trial("effect_size", case, cell, given, **{"query": NONE, **shown, **told})


def _shown(case: QuestionVariants, config: EffectSizeConfig, source: str, query_id: str) -> dict[str, Any]:
    """What is shown with a wording, as fields of its trial."""
    if source == "gold":
        return {"given": "passages", "passage_ids": case.question.chunk_ids, "document": NONE}
    if source == "none":
        return {"given": "closed_book"}
    if source == OWN:
        return {"given": "own", "retriever": OWN}
    retriever = config.retriever or min((name for name, _ in case.hits), default="")
    hits = case.hits.get((retriever, query_id))
    told: dict[str, Any] = {"given": "passages", "retriever": retriever}
    if hits is None:
        return {**told, "skipped_because": "not_retrieved"}
    return {**told, "passage_ids": hits.best, "k": len(hits.best), **({} if hits.best else {"gold": 0.0})}


def _distracted(case: QuestionVariants, config: EffectSizeConfig) -> Iterator[Trial]:
    """The original wording with every gold passage beside one from elsewhere."""
    gold = case.question.chunk_ids
    for name in config.distraction:
        rows = [row for row in (*case.context, *case.documents) if row.perturbation == name]
        numbers = sorted({row.number for row in rows})
        made = {(row.chunk_id, row.number): row.variant_id for row in rows}
        whole = [number for number in numbers if all((chunk_id, number) in made for chunk_id in gold)]
        for number in whole:
            found = tuple(made[chunk_id, number] for chunk_id in gold)
            shown = {"given": "passages", "passage_ids": found, "document": name}
            yield _row(case, DISTRACTION, shown, number=number)
        if not whole:
            why = "not_every_gold_chunk" if rows else case.why_not("context", name)
            yield _row(case, DISTRACTION, {"given": "passages", "document": name, "skipped_because": why})
