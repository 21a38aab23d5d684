"""What the hits come to: per retriever and wording, whole and by slices (papers.md 001-B5; trec_eval's measures).

Ranks are measured by ir_measures (pytrec_eval); the order is that of the hits, whatever their scores.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Chunk, Hits, Question, Variant
from rarefy.tasks.evaluate.retrieve.config import RetrieveConfig
from rarefy.tasks.evaluate.retrieve.gold import Answers, AnswersConfig
from rarefy.tasks.evaluate.statistics.measure import Counts, Measure

Values = npt.NDArray[np.float64]
NONE = "none"
PAIRED = ("Recall", "nDCG")  # set against the original wording of the same question


class MeasuredConfig(BaseModel, frozen=True, extra="forbid"):
    """Which numbers of retrieval are told."""

    at: tuple[int, ...] = Field(
        default=(1, 3, 5, 10, 25, 50, 75, 100), min_length=1, description="k of Recall@k, all gold@k and gold recall@k"
    )
    cut: int = Field(default=10, ge=1, description="k of MRR@k, nDCG@k and MAP@k")
    answers: AnswersConfig = Field(default_factory=AnswersConfig, description="gold recall by answer string")


@dataclass(frozen=True)
class _Group:
    """The wordings of one perturbation, as one retriever was asked them."""

    retriever: str
    perturbation: str
    at: npt.NDArray[np.int64]  # place of the question of each
    values: dict[str, Values]  # by metric, one for each; NaN where it is not defined
    missing: npt.NDArray[np.int64]  # place of the question of each wording without hits


def measured(
    hits: Iterable[Hits],
    questions: Mapping[str, Question],
    chunks: Mapping[str, Chunk],
    variants: Mapping[str, Variant],
    config: RetrieveConfig,
    options: MeasuredConfig | None = None,
) -> Iterator[Measure]:
    """Recall@k, all gold@k, gold recall@k, MRR, nDCG and MAP of each retriever, per question in the order of their ids.

    Slices: "retriever=bm25, perturbation=none", the same with pattern, domain and hops, and every other perturbation.
    A wording counts once. A question of one gold chunk has no "all gold"; a yes-or-no answer has no gold recall. Of
    other wordings than the original, Recall and nDCG are told as differences to it too.
    """
    options = options or MeasuredConfig()
    names = sorted(name for name, question in questions.items() if not question.rejected_because)
    place = {name: at for at, name in enumerate(names)}
    wording = {
        row.variant_id: (row.question_id, row.perturbation)
        for row in variants.values()
        if row.side == "query" and not row.rejected_because and row.question_id in place
    }
    worded = {question_id for question_id, perturbation in wording.values() if perturbation == NONE}
    wording |= {name: (name, NONE) for name in names if name not in worded}
    rows: dict[str, dict[str, list[Hits]]] = {}
    for row in hits:
        if row.query_id in wording:
            rows.setdefault(row.retriever, {}).setdefault(wording[row.query_id][1], []).append(row)
    expected: dict[str, list[str]] = {}
    for query_id, (_, perturbation) in wording.items():
        expected.setdefault(perturbation, []).append(query_id)
    told = [questions[name] for name in names]
    cut = min(options.cut, config.depth, config.depth_reworded)
    few = {config.fetch, cut}
    answers = Answers(questions, chunks, options.answers)
    for retriever in sorted(rows):
        original: _Group | None = None
        for perturbation in sorted(expected, key=lambda one: (one != NONE, one)):
            some = sorted(rows[retriever].get(perturbation, []), key=lambda row: row.query_id)
            have = {row.query_id for row in some}
            lost = [place[wording[name][0]] for name in expected[perturbation] if name not in have]
            # other wordings are told at two depths alone: every number more is drawn 10,000 times
            depths = [k for k in options.at if k <= config.depth and (perturbation == NONE or k in few)]
            group = _Group(
                retriever,
                perturbation,
                np.array([place[wording[row.query_id][0]] for row in some], dtype=np.int64),
                _values(some, questions, answers, depths, cut),
                np.array(lost, dtype=np.int64),
            )
            if perturbation == NONE:
                original = group
            yield from _measures(group, told, original)


def _values(
    rows: Sequence[Hits], questions: Mapping[str, Question], answers: Answers, depths: Sequence[int], cut: int
) -> dict[str, Values]:
    """By metric, its value for each of these hits."""
    found: dict[str, Values] = {}
    gold = [set(questions[row.question_id].chunk_ids) for row in rows]
    several = np.array([len(some) > 1 for some in gold], dtype=bool)
    found |= _ranked(rows, gold, depths, cut)
    found_at = np.array([answers.first(row.question_id, row.chunk_ids) for row in rows])
    best_at = np.array([answers.first(row.question_id, row.best) for row in rows])
    for depth in [*depths, 0]:
        lists = [row.chunk_ids[:depth] if depth else row.best for row in rows]
        whole = np.array([some <= set(ids) for some, ids in zip(gold, lists, strict=True)], dtype=float)
        found[f"all gold@{depth or 'best'}"] = np.where(several, whole, np.nan)
        at, within = (found_at, depth) if depth else (best_at, np.inf)
        found[f"gold recall@{depth or 'best'}"] = np.where(np.isnan(at), np.nan, at < within)
    found["Recall@best"] = np.array(
        [len(some & set(row.best)) / len(some) if some else np.nan for some, row in zip(gold, rows, strict=True)]
    )
    return found


def _ranked(rows: Sequence[Hits], gold: Sequence[set[str]], depths: Sequence[int], cut: int) -> dict[str, Values]:
    """Recall@k, MRR, nDCG and MAP by ir_measures; NaN for a question without gold chunks."""
    import ir_measures
    from ir_measures import AP, RR, R, nDCG

    named = {str(R @ depth): f"Recall@{depth}" for depth in depths}
    named |= {str(nDCG @ cut): f"nDCG@{cut}", str(AP @ cut): f"MAP@{cut}"}
    found = {name: np.full(len(rows), np.nan) for name in (*named.values(), f"MRR@{cut}")}
    order = {row.query_id: at for at, row in enumerate(rows)}
    qrels = {row.query_id: dict.fromkeys(some, 1) for row, some in zip(rows, gold, strict=True) if some}
    # by rank and not by score, so that equal scores stay in the order in which a system is shown them
    run = {row.query_id: {name: float(-at) for at, name in enumerate(row.chunk_ids)} for row in rows}
    if not qrels:
        return found
    asked = [*(R @ depth for depth in depths), nDCG @ cut, AP @ cut]
    for metric in ir_measures.iter_calc(asked, qrels, run):
        found[named[str(metric.measure)]][order[metric.query_id]] = metric.value
    short = {name: {one: score for one, score in docs.items() if score > -cut} for name, docs in run.items()}
    for metric in ir_measures.iter_calc([RR], qrels, short):
        found[f"MRR@{cut}"][order[metric.query_id]] = metric.value
    return found


def _measures(group: _Group, questions: Sequence[Question], original: _Group | None) -> Iterator[Measure]:
    """The numbers of one retriever and perturbation."""
    name = f"retriever={group.retriever}, perturbation={group.perturbation}"
    every = np.ones(len(questions), dtype=bool)
    slices: dict[str, npt.NDArray[np.bool_]] = {name: every}
    if group.perturbation == NONE:
        for column, of in (("pattern", _pattern), ("domain", _domain), ("hops", _hops)):
            kinds = np.array([of(question) for question in questions])
            names = sorted(set(kinds.tolist()) - {""})
            if len(names) > 1:
                slices |= {f"{name}, {column}={one}": kinds == one for one in names}
    for label, mask in slices.items():
        for metric, values in group.values.items():
            yield _measure(group, label, mask, metric, values)
    if group.perturbation == NONE or original is None:
        return
    for metric, values in group.values.items():
        if metric.startswith(PAIRED) and metric in original.values:
            before = np.full(len(questions), np.nan)
            before[original.at] = original.values[metric]
            change = values - before[group.at]
            yield _measure(group, name, every, f"{metric} against the original", change, (-1.0, 1.0))


def _measure(
    group: _Group,
    label: str,
    mask: npt.NDArray[np.bool_],
    metric: str,
    values: Values,
    limits: tuple[float, float] = (0.0, 1.0),
) -> Measure:
    """The mean over wordings, as sums by question."""
    chosen = mask[group.at]
    have = chosen & ~np.isnan(values)
    above = _by_question(group.at[have], values[have], len(mask))
    below = _by_question(group.at[have], np.ones(int(have.sum())), len(mask))
    counts = Counts(
        scored=int(have.sum()),
        missing=int(mask[group.missing].sum()) if len(group.missing) else 0,
        skipped=int((chosen & np.isnan(values)).sum()),
    )
    return Measure(metric, label, above, below, counts, unit="wordings", limits=limits)


def _by_question(at: npt.NDArray[np.int64], values: Values, count: int) -> Values:
    sums: Values = np.zeros(count)
    np.add.at(sums, at, values)
    return sums


def _pattern(question: Question) -> str:
    return question.pattern


def _domain(question: Question) -> str:
    return question.domain


def _hops(question: Question) -> str:
    return "single" if question.pattern == "single" else "multi"
