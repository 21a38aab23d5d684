"""Metrics of retrieval per retriever and perturbation, overall and by slices (papers.md 001-B5).

Recall, nDCG, MAP and MRR are by ir_measures (pytrec_eval), in the order of the hits whatever their scores."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import VERDICTS, Chunk, Hits, Hop, Question, Variant, hops_of, is_found
from rarefy.tasks.evaluate.retrieve.config import RetrieveConfig
from rarefy.tasks.evaluate.statistics.measure import Counts, Measure
from rarefy.tasks.questions.operands import operands_of


class AnswersConfig(BaseModel, frozen=True, extra="forbid"):
    """How gold recall looks for an answer among passages."""

    forms: Literal["any", "answer"] = Field(
        default="any",
        description="any: the answer or one of its other forms | answer: as it is given",
        json_schema_extra={"tag": "given", "source": "arXiv 2505.21870 Figure 3: any answer form"},
    )
    casefold: bool = Field(
        default=False,
        description="whether Small And Capital Letters are alike; the paper says exact",
        json_schema_extra={"tag": "open", "source": "arXiv 2505.21870 Figure 3"},
    )


class AnswerFinder:
    """Finds answers in passages by exact match; looks at each pair of question and passage once."""

    def __init__(self, questions: Mapping[str, Question], chunks: Mapping[str, Chunk], config: AnswersConfig) -> None:
        self._chunks, self._casefold = chunks, config.casefold
        # sets of forms, of each of which a passage must contain one
        self._forms = {
            name: tuple(
                tuple(dict.fromkeys(map(self._plain, forms))) for forms in answer_forms(question, config.forms == "any")
            )
            for name, question in questions.items()
        }
        self._seen: dict[tuple[str, str], bool] = {}

    def first(self, question_id: str, chunk_ids: Sequence[str]) -> float:
        """Return the place, from 0, of the first passage that contains a form of the answer.

        Infinity where none does; NaN for an answer without a form to look for.
        """
        if not self._forms[question_id]:
            return math.nan
        return next((at for at, chunk_id in enumerate(chunk_ids) if self._holds(question_id, chunk_id)), math.inf)

    def _holds(self, question_id: str, chunk_id: str) -> bool:
        pair = (question_id, chunk_id)
        if pair not in self._seen:
            text = self._plain(self._chunks[chunk_id].text)
            self._seen[pair] = all(any(form in text for form in forms) for forms in self._forms[question_id])
        return self._seen[pair]

    def _plain(self, text: str) -> str:
        return text.casefold() if self._casefold else text


def answer_forms(question: Question, every: bool = True) -> tuple[tuple[str, ...], ...]:
    """Return the forms of an answer to look for, or of each operand of a computed one.

    None for yes or no, which any passage may contain.
    """
    if figures := operands_of(question):
        return tuple((figure,) for figure in figures)
    if question.answer.strip().casefold() in VERDICTS:
        return ()
    all_forms = (question.answer, *question.aliases) if every else (question.answer,)
    kept = tuple(form for form in all_forms if form.strip() and form.strip().casefold() not in VERDICTS)
    return (kept,) if kept else ()


Values = npt.NDArray[np.float64]
NONE = "none"
PAIRED = ("Recall", "nDCG")  # compared with the original wording of the same question


class MeasuredConfig(BaseModel, frozen=True, extra="forbid"):
    """Which metrics of retrieval are reported."""

    at: tuple[int, ...] = Field(
        default=(1, 3, 5, 10, 25, 50, 75, 100), min_length=1, description="k of Recall@k, all gold@k and gold recall@k"
    )
    cut: int = Field(default=10, ge=1, description="k of MRR@k, nDCG@k and MAP@k")
    answers: AnswersConfig = Field(default_factory=AnswersConfig, description="gold recall by answer string")


@dataclass(frozen=True)
class _WordingGroup:
    """The wordings of one perturbation with one retriever's metrics."""

    retriever: str
    perturbation: str
    at: npt.NDArray[np.int64]  # index of each wording's question
    values: dict[str, Values]  # metric -> a value for each wording; NaN where it is not defined
    missing: npt.NDArray[np.int64]  # index of the question of each wording without hits


def measured(
    hits: Iterable[Hits],
    questions: Mapping[str, Question],
    chunks: Mapping[str, Chunk],
    variants: Mapping[str, Variant],
    config: RetrieveConfig,
    options: MeasuredConfig | None = None,
    asked: Collection[str] | None = None,
) -> Iterator[Measure]:
    """Yield Recall@k, all gold@k, gold recall@k, MRR, nDCG and MAP of each retriever; questions in order of their ids.

    Slices: "retriever=bm25, perturbation=none", the same by pattern, domain and hops, and each other perturbation. Each
    wording counts once. A question of one gold chunk has no "all gold", a yes-or-no answer no gold recall. For changed
    wordings, Recall and nDCG are also given as differences to the original. `asked` are the names of the wordings that
    count, those without hits as missing; None: all.
    """
    options = options or MeasuredConfig()
    # what no passage answers cannot be found
    names = sorted(name for name, q in questions.items() if not q.rejected_because and q.pattern != "absent")
    place = {name: at for at, name in enumerate(names)}
    wording = {
        row.variant_id: (row.question_id, row.perturbation)
        for row in variants.values()
        if row.side == "query" and not row.rejected_because and row.question_id in place
    }
    worded = {question_id for question_id, perturbation in wording.values() if perturbation == NONE}
    wording |= {name: (name, NONE) for name in names if name not in worded}
    if asked is not None:
        wording = {name: about for name, about in wording.items() if name in asked}
    rows: dict[str, dict[str, list[Hits]]] = {}
    for row in hits:
        if row.query_id in wording:
            rows.setdefault(row.retriever, {}).setdefault(wording[row.query_id][1], []).append(row)
    expected: dict[str, list[str]] = {}
    for query_id, (_, perturbation) in wording.items():
        expected.setdefault(perturbation, []).append(query_id)
    chosen = [questions[name] for name in names]
    cut = min(options.cut, config.depth, config.depth_reworded)
    few = {config.fetch, cut}
    answers = AnswerFinder(questions, chunks, options.answers)
    for retriever in sorted(rows):
        original: _WordingGroup | None = None
        for perturbation in sorted(expected, key=lambda one: (one != NONE, one)):
            some = sorted(rows[retriever].get(perturbation, []), key=lambda row: row.query_id)
            have = {row.query_id for row in some}
            lost = [place[wording[name][0]] for name in expected[perturbation] if name not in have]
            # other wordings at two depths alone: each further metric is bootstrapped 10,000 times
            depths = [k for k in options.at if k <= config.depth and (perturbation == NONE or k in few)]
            group = _WordingGroup(
                retriever,
                perturbation,
                np.array([place[wording[row.query_id][0]] for row in some], dtype=np.int64),
                _metric_values(some, questions, answers, depths, cut),
                np.array(lost, dtype=np.int64),
            )
            if perturbation == NONE:
                original = group
            yield from _group_measures(group, chosen, original)


def _metric_values(
    rows: Sequence[Hits], questions: Mapping[str, Question], answers: AnswerFinder, depths: Sequence[int], cut: int
) -> dict[str, Values]:
    """Return each metric's value for each of these hits."""
    metrics: dict[str, Values] = {}
    gold = [questions[row.question_id].hops for row in rows]
    several = np.array([len(some) > 1 for some in gold], dtype=bool)
    metrics |= _rank_metrics(rows, [questions[row.question_id] for row in rows], depths, cut)
    found_at = np.array([answers.first(row.question_id, row.chunk_ids) for row in rows])
    best_at = np.array([answers.first(row.question_id, row.best) for row in rows])
    best = any(row.best for row in rows)  # a system tells what it retrieved, not what it ranked again
    for depth in [*depths, *[0] * best]:
        lists = [row.chunk_ids[:depth] if depth else row.best for row in rows]
        whole = np.array(
            [all(is_found(hop, ids) for hop in some) for some, ids in zip(gold, lists, strict=True)], dtype=float
        )
        metrics[f"all gold@{depth or 'best'}"] = np.where(several, whole, np.nan)
        at, within = (found_at, depth) if depth else (best_at, np.inf)
        metrics[f"gold recall@{depth or 'best'}"] = np.where(np.isnan(at), np.nan, at < within)
    if best:
        metrics["Recall@best"] = _recall(gold, [row.best for row in rows])
    return metrics


def _recall(gold: Sequence[Sequence[Hop]], lists: Sequence[Sequence[str]]) -> Values:
    """Return the share of gold chunks among the passages of each list; NaN for a question without any."""
    return np.array(
        [
            sum(is_found(hop, names) for hop in some) / len(some) if some else np.nan
            for some, names in zip(gold, lists, strict=True)
        ]
    )


def credit_gold(question: Question, chunk_ids: Sequence[str]) -> tuple[list[str], dict[str, int]]:
    """Return a ranking in which the first passage to state what a gold chunk states has that chunk's name.

    So has the one that states the last of its parts. Later ones have names that no gold chunk has: each counts once.
    Beside it, the names that are to be found, each with how many gold chunks it stands for: a passage that states what
    several do has the name of the first of them.
    """
    wanted = dict.fromkeys(question.chunk_ids, 1)
    if not question.alternatives and not question.parts:
        return list(chunk_ids), wanted
    every = question.every_gold
    left = dict(zip(wanted, question.hops, strict=True))
    credited, seen = [], set[str]()
    for chunk_id in chunk_ids:
        seen.add(chunk_id)
        states = [name for name, hop in left.items() if any(chunk_id in some for some in hop) and is_found(hop, seen)]
        for name in states:
            del left[name]
            wanted[states[0]] += wanted.pop(name) if name != states[0] else 0
        credited.append(states[0] if states else f"{chunk_id} again" if chunk_id in every else chunk_id)
    return credited, wanted


def _rank_metrics(
    rows: Sequence[Hits], questions: Sequence[Question], depths: Sequence[int], cut: int
) -> dict[str, Values]:
    """Recall@k, and MRR, nDCG and MAP by ir_measures; NaN for a question without gold chunks."""
    import ir_measures
    from ir_measures import AP, RR, nDCG

    gold = [one.hops for one in questions]
    metrics = {f"Recall@{depth}": _recall(gold, [row.chunk_ids[:depth] for row in rows]) for depth in depths}
    named = {str(nDCG @ cut): f"nDCG@{cut}", str(AP @ cut): f"MAP@{cut}"}
    metrics |= {name: np.full(len(rows), np.nan) for name in (*named.values(), f"MRR@{cut}")}
    order = {row.query_id: at for at, row in enumerate(rows)}
    credited = {row.query_id: credit_gold(one, row.chunk_ids) for row, one in zip(rows, questions, strict=True)}
    qrels = {name: wanted for name, (_, wanted) in credited.items() if wanted}
    # by rank and not by score, so that equal scores stay in the order in which a system is shown them
    run = {name: {one: float(-at) for at, one in enumerate(ranked)} for name, (ranked, _) in credited.items()}
    if not qrels:
        return metrics
    asked = [nDCG @ cut, AP @ cut]
    for metric in ir_measures.iter_calc(asked, qrels, run):
        metrics[named[str(metric.measure)]][order[metric.query_id]] = metric.value
    short = {name: {one: score for one, score in docs.items() if score > -cut} for name, docs in run.items()}
    for metric in ir_measures.iter_calc([RR], qrels, short):
        metrics[f"MRR@{cut}"][order[metric.query_id]] = metric.value
    return metrics


def _group_measures(
    group: _WordingGroup, questions: Sequence[Question], original: _WordingGroup | None
) -> Iterator[Measure]:
    """Yield the measures of one retriever and perturbation, overall and by slices."""
    name = f"retriever={group.retriever}, perturbation={group.perturbation}"
    every = np.ones(len(questions), dtype=bool)
    slices: dict[str, npt.NDArray[np.bool_]] = {name: every}
    if group.perturbation == NONE:
        for column, of in _SLICES.items():
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
            paired = np.zeros(len(questions), dtype=bool)
            paired[[*original.at, *original.missing]] = True  # of the others the original was not asked
            yield _measure(group, name, paired, f"{metric} against the original", change, (-1.0, 1.0))


def _measure(
    group: _WordingGroup,
    label: str,
    mask: npt.NDArray[np.bool_],
    metric: str,
    values: Values,
    limits: tuple[float, float] = (0.0, 1.0),
) -> Measure:
    """Return a metric's mean over wordings as sums by question (numerator and denominator)."""
    chosen = mask[group.at]
    have = chosen & ~np.isnan(values)
    above = _sum_by_question(group.at[have], values[have], len(mask))
    below = _sum_by_question(group.at[have], np.ones(int(have.sum())), len(mask))
    counts = Counts(
        scored=int(have.sum()),
        missing=int(mask[group.missing].sum()) if len(group.missing) else 0,
        skipped=int((chosen & np.isnan(values)).sum()),
    )
    return Measure(metric, label, above, below, counts, unit="wordings", limits=limits)


def _sum_by_question(at: npt.NDArray[np.int64], values: Values, count: int) -> Values:
    sums: Values = np.zeros(count)
    np.add.at(sums, at, values)
    return sums


_SLICES: dict[str, Callable[[Question], str]] = {
    "pattern": lambda question: question.pattern,
    "domain": lambda question: question.domain,
    "hops": lambda question: hops_of(question.pattern),
}
