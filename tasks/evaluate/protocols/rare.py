"""RARE-Met: is an answer right, or rightly refused, whatever was done to question and passages? (arXiv 2506.00789)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import WORKED_OUT, Trial, Variant
from rarefy.tasks.evaluate.protocols.case import NONE, QuestionVariants
from rarefy.tasks.evaluate.protocols.display import Display, Mask, Rows, Title
from rarefy.tasks.evaluate.protocols.frame import Frame, proper_slices, select_columns
from rarefy.tasks.evaluate.protocols.protocol import PromptPack, Protocol, trial
from rarefy.tasks.evaluate.statistics.measure import Measure, Metric

# Configuration (§5, Tables 3 and 4)

GOLD, SIMILAR, DIFFERENT, RETRIEVED, PROBE = "gold", "lexical_similar", "lexical_different", "retrieved", "probe"
OWN = "own"  # the retriever of a system that retrieves itself


class RareConfig(BaseModel, frozen=True, extra="forbid"):
    """Which cells a question has, when one is robust, and how cells are averaged."""

    queries: tuple[str, ...] = Field(
        ("character", "word", "irrelevant_detail", "grammar"),
        description="perturbations of the question beside the original wording (C.1)",
    )
    lexical_similar: str = Field(
        "answer_deleted",
        description="perturbation of the gold passages that leaves the style and takes the answer (C.2)",
    )
    lexical_different: str = Field(
        "back_translation",
        description="perturbation of the gold passages that changes the style and leaves the answer (C.2); offline, "
        "where nothing translates, golden_augmented is one that rules can make",
    )
    retrievers: tuple[str, ...] = Field((), description="whose passages are shown; none given: all that were run")
    real_world: Literal["table", "gold_must_answer", "strict"] = Field(
        "table",
        description="what a system that does not know the answer must do with retrieved passages: table: be right or "
        "refuse; gold_must_answer: be right where any gold passage was retrieved, else be right or refuse; strict: be "
        "right where any gold passage was retrieved, else refuse",
        json_schema_extra={
            "tag": "recon",
            "source": "RARE Table 3, whose cells for refusal are lost; the head of the authors' repository excuses a "
            "refusal though gold was retrieved, the prose of §5 does not, and their first version has strict",
        },
    )
    without_probe: Literal["unknown", "skip"] = Field(
        "unknown",
        description="a system that cannot be asked without passages: unknown: it is taken not to know the answers; "
        "skip: what depends on that is not counted",
        json_schema_extra={"tag": "open", "source": "RARE §5 has a probe of every generator"},
    )
    include_original: bool = Field(
        False,
        description="the original wording counts in Query Robustness and the original passages in Document Robustness",
        json_schema_extra={
            "tag": "recon",
            "source": "RARE Table 4; Appendix D's Q and D have it, its repository has not",
        },
    )
    mean: Literal["question", "flat"] = Field(
        "question",
        description="question: mean of the questions' means; flat: every cell counts once (the same where no cell is "
        "missing)",
        json_schema_extra={"tag": "recon", "source": "RARE Table 4; its repository and G.3 take the flat mean"},
    )


# Trials (§5)


def trials(case: QuestionVariants, config: RareConfig) -> Iterator[Trial]:
    """The probe, and for each of five wordings a cell per document setting and per retriever: 1 + 5 · (3 + 3).

    A row with given "own" stands beside the retrieved ones of each wording, for systems that retrieve themselves.
    What the corpus does not answer is asked as worded, with what was retrieved.
    """
    if case.question.pattern == "absent":
        yield from _retrieved_trials(case, config, NONE, case.original)
        return
    yield trial("rare", case, PROBE, "closed_book")
    for name in (NONE, *config.queries):
        wording = next(iter(case.reworded(name)), None)
        yield from _wording_trials(case, config, name, wording)


def part_of(trial: Trial, config: RareConfig) -> str:
    """Return the cell of a trial: wording, passages, retriever; "" of the probe, which verdicts of cells rest on."""
    if trial.cell == PROBE:
        return ""
    return ", ".join(filter(None, (trial.query, trial.cell, trial.retriever)))


def _wording_trials(case: QuestionVariants, config: RareConfig, name: str, wording: Variant | None) -> Iterator[Trial]:
    lost = "" if wording else case.why_not("query", name)
    asked = {"query_id": (wording or case.original).variant_id, "query": name}
    gold = case.question.chunk_ids
    yield trial("rare", case, GOLD, "passages", **asked, passage_ids=gold, document=NONE, skipped_because=lost)
    for cell, change in ((SIMILAR, config.lexical_similar), (DIFFERENT, config.lexical_different)):
        found, why = replace_gold(case, change)
        yield trial(
            "rare", case, cell, "passages", **asked, passage_ids=found, document=change, skipped_because=lost or why
        )
    yield from _retrieved_trials(case, config, name, wording)


def _retrieved_trials(
    case: QuestionVariants, config: RareConfig, name: str, wording: Variant | None
) -> Iterator[Trial]:
    lost = "" if wording else case.why_not("query", name)
    asked = {"query_id": (wording or case.original).variant_id, "query": name}
    for retriever in config.retrievers or sorted({name for name, _ in case.hits}):
        hits = case.hits.get((retriever, asked["query_id"]))
        best = hits.best if hits else ()
        why = lost or ("" if hits else "not_retrieved")
        fields = {"retriever": retriever, "k": len(best), "skipped_because": why}
        if not best:
            fields["gold"] = 0.0 if hits else -1.0  # nothing was found, and nothing is shown
        yield trial("rare", case, RETRIEVED, "passages", **asked, passage_ids=best, **fields)
    yield trial("rare", case, RETRIEVED, "own", **asked, retriever=OWN, skipped_because=lost)


def replace_gold(case: QuestionVariants, perturbation: str) -> tuple[tuple[str, ...], str]:
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


# Rules: when an answer is robust (Table 3)


def apply_robustness_rules(frame: Frame, config: RareConfig) -> Frame:
    """The cells of a frame, its probes left out: `value` is 1 where robust, 0 where not, NaN where that is not known.

    Columns beside: `correct` and `refusal` (1, 0, NaN), which depend on no probe, with `answered`, the status of the
    cell by itself; `known` (yes | no | ""). A cell whose verdict depends on a probe
    that has no score has the probe's status; one that depends on whether gold was retrieved, where nobody knows, is
    skipped. Where a system is shown passages and retrieves itself too, the rows of its own retrieval have
    `apart` True, and no mean over retrievers has them.
    """
    import pandas as pd  # late: half a second

    rows = frame.rows
    probes, cells = rows[rows["cell"] == PROBE], rows[rows["cell"] != PROBE].copy()
    known, probed = _closed_book_known(frame, probes, cells, config)
    scored = (cells["status"] == "scored").to_numpy()
    correct = np.where(scored, cells["value"].to_numpy(dtype=float) >= 1, np.nan)
    refused = np.where(scored, cells["refused"].to_numpy(dtype=bool), np.nan)
    gold = cells["gold"].to_numpy(dtype=float)
    gold = np.where(gold < 0, np.nan, gold)

    similar = (cells["cell"] == SIMILAR).to_numpy()
    real = (cells["cell"] == RETRIEVED).to_numpy()
    must_answer = np.zeros(len(cells), bool) if config.real_world == "table" else real & (gold > 0)
    either = np.fmax(correct, refused)
    if_unknown = np.where(similar | (real & (config.real_world == "strict")), refused, np.where(real, either, correct))
    if_unknown = np.where(must_answer, correct, if_unknown)
    hangs = (similar | real) & ~must_answer
    verdict = np.where(hangs & (known == 0), if_unknown, correct)
    no_gold = real & np.isnan(gold) & (config.real_world != "table")
    verdict[(hangs & np.isnan(known)) | no_gold] = np.nan

    cells["answered"] = cells["status"]
    status = cells["status"].to_numpy(dtype=object)
    status = np.where(scored & hangs & np.isnan(known), probed, status)
    cells["status"] = pd.Categorical(np.where((status == "scored") & no_gold, "skipped", status))
    cells["correct"], cells["refusal"], cells["value"] = correct, refused, np.where(scored, verdict, np.nan)
    cells["known"] = pd.Categorical(np.where(known == 1, "yes", np.where(known == 0, "no", "")))
    own = (cells["retriever"] == OWN).to_numpy()
    cells["apart"] = own & bool((real & ~own).any())
    return Frame(cells, frame.questions)


def _closed_book_known(frame: Frame, probes: Any, cells: Any, config: RareConfig) -> tuple[Any, Any]:
    """Of each cell: 1 where its question is answered without passages, 0 where not, NaN; and the probe's status."""
    at = cells["at"].to_numpy()
    if probes.empty:
        return np.full(len(cells), 0.0 if config.without_probe == "unknown" else np.nan), np.full(len(cells), "skipped")
    known, status = np.full(len(frame.questions), np.nan), np.full(len(frame.questions), "missing", dtype=object)
    where = probes["at"].to_numpy()
    known[where] = np.where(probes["status"] == "scored", probes["value"] >= 1, np.nan)
    status[where] = probes["status"].to_numpy(dtype=object)
    return known[at], status[at]


# Measures (Table 4, Figures 6 to 9)

OVERALL, QUERY, DOCUMENT = "Overall Robustness", "Query Robustness", "Document Robustness"
REAL = "Real-World Retrieval Robustness"
WORDINGS = f"{REAL}, all wordings"
ABSTENTION = "Abstention"  # whose questions are in no other number
REFUSED_ANSWERABLE = "Refusals of answerable questions"
FLAT = f"{OVERALL} (flat)"  # its value and n are what z as published is made of (G.3)


def measures(frame: Frame, config: RareConfig) -> Iterator[Metric]:
    """The numbers of one system: each with the share of refusals and of right answers beside it."""
    frame = select_columns(frame, ("cell", "given", "query", "retriever", "gold", "skipped_because"))
    cells = apply_robustness_rules(frame, config)
    every = cells.where(~cells.column("apart"))
    given = bool(every.has("given", "passages").any())
    yield from _probe_measures(frame)
    if given:
        yield from _overall_measures(every, config)
    yield from _one_side_varied(every, config, given)
    own = cells.where(cells.has("retriever", OWN) & cells.column("apart"))
    if own.size:
        beside = "its own retrieval; in no other number"
        yield from _robust_refused_right(own, OVERALL, f"retriever={OWN}", config, note=beside)
        yield from _robust_refused_right(_original_wording(own), REAL, f"retriever={OWN}", config, note=beside)


def abstention(absent: Frame, answerable: Frame) -> Iterator[Measure]:
    """The share of refusals of what the corpus does not answer, beside that of what it answers; by retriever too."""
    alike = answerable.where(answerable.has("cell", RETRIEVED) & answerable.has("query", NONE))
    for name, frame, note, limits in (
        (ABSTENTION, absent, "refused, of questions that the documents do not answer; in no other number", (0.0, 1.0)),
        (
            REFUSED_ANSWERABLE,
            alike,
            "refused, of questions that the documents answer, with the same settings",
            (1.0, 0.0),
        ),
    ):
        refused = np.where(frame.has("status", "scored"), frame.column("refused").astype(float), np.nan)
        yield frame.mean(name, "all", refused, note=note, limits=limits)
        for retriever in frame.values("retriever"):
            mask = frame.has("retriever", retriever)
            yield frame.where(mask).mean(name, f"retriever={retriever}", refused[mask], limits=limits)


def _overall_measures(every: Frame, config: RareConfig) -> Iterator[Metric]:
    note = _describe_setting(every, config)
    yield from _robust_refused_right(every, OVERALL, "all", config, headline=True, note=note)
    yield replace(every.mean(FLAT, "all"), note="every cell counts once, as for z as published")
    for name, part in proper_slices(every, ("pattern", "domain", "hops", "entity", "period", "known")):
        yield from _robust_refused_right(part, OVERALL, name, config)
    kinds = [("query", "query"), ("document", "cell"), ("retriever", "retriever")]
    for label, column in kinds:
        for value, part in _parts_by(every, column):
            yield from _robust_refused_right(part, OVERALL, f"{label}={value}", config)
            for hops, half in proper_slices(part, ("hops",)):
                yield from _robust_refused_right(half, OVERALL, f"{label}={value}, {hops}", config)
    for domain, part in _parts_by(every, "domain") if every.rows["domain"].nunique() > 1 else ():
        for hops, half in proper_slices(part, ("hops",)):
            yield from _robust_refused_right(half, OVERALL, f"domain={domain}, {hops}", config)
    yield from _cell_measures(every, config)


def _cell_measures(every: Frame, config: RareConfig) -> Iterator[Metric]:
    """Each of the 30 cells of a question by itself."""
    for query, part in _parts_by(every, "query"):
        for cell, of_cell in _parts_by(part, "cell"):
            for retriever in ("", *of_cell.values("retriever")):
                name = f"query={query}, document={cell}" + (f", retriever={retriever}" if retriever else "")
                if (cells := of_cell.only("retriever", retriever)).size:
                    yield from _robust_refused_right(cells, OVERALL, name, config)


def _one_side_varied(every: Frame, config: RareConfig, given: bool) -> Iterator[Metric]:
    """Query, document and real-world robustness: one side varied, the other as it is."""
    original = every.has("query", NONE)
    documents = (SIMILAR, DIFFERENT, GOLD) if config.include_original else (SIMILAR, DIFFERENT)
    alone = "" if given else "passages cannot be given: overall, query and document robustness are left out"
    parts = [
        (QUERY, every.has("cell", GOLD) & (config.include_original | ~original), ""),
        (DOCUMENT, every.has("cell", *documents) & original, ""),
        (REAL, every.has("cell", RETRIEVED) & original, alone),
        (WORDINGS, every.has("cell", RETRIEVED), alone),
    ]
    for metric, mask, about in parts:
        part = every.where(mask)
        if not part.size:
            continue
        note = "; ".join(text for text in (about, _describe_setting(part, config)) if text)
        headline = metric != WORDINGS or not given
        yield from _robust_refused_right(part, metric, "all", config, headline=headline, note=note)
        for name, some in proper_slices(part, ("pattern", "domain", "hops", "known")):
            yield from _robust_refused_right(some, metric, name, config)
        column = {QUERY: "query", DOCUMENT: "cell", REAL: "retriever", WORDINGS: "query"}[metric]
        for value, some in _parts_by(part, column):
            yield from _robust_refused_right(
                some, metric, f"{'document' if column == 'cell' else column}={value}", config
            )


def _robust_refused_right(
    part: Frame, metric: str, name: str, config: RareConfig, *, headline: bool = False, note: str = ""
) -> Iterator[Measure]:
    """The shares of robust, refused and right answers among the same cells."""
    per = "question" if config.mean == "question" else "trial"
    yield part.mean(metric, name, per=per, headline=headline, note=note)
    for label, column in (("refusal rate", "refusal"), ("correct", "correct")):
        values, neutral = part.column(column), column == "refusal"
        yield part.mean(f"{metric}: {label}", name, values, per=per, status="answered", neutral=neutral)


def _probe_measures(frame: Frame) -> Iterator[Measure]:
    probes = frame.only("cell", PROBE)
    if probes.size:
        scored = probes.has("status", "scored")
        known = np.where(scored, probes.column("value") >= 1, np.nan)
        yield probes.mean("Known", "all", known, unit="questions", neutral=True, note="right without passages")
        refused = np.where(scored, probes.column("refused"), np.nan)
        yield probes.mean("Known: refusal rate", "all", refused, unit="questions", neutral=True)


RULES = {
    "table": "a right answer is robust, and so is a refusal",
    "gold_must_answer": "a refusal is robust only where no gold passage was retrieved",
    "strict": "a refusal, and no answer, is robust where no gold passage was retrieved",
}  # `real_world` in words, of a system that does not know the answer


def _describe_setting(part: Frame, config: RareConfig) -> str:
    """The note of a metric: the rule, whether nothing is known without passages, and settings without a cell."""
    rows = part.rows
    notes = [f"with retrieved passages, {RULES[config.real_world]}"] if (rows["cell"] == RETRIEVED).any() else []
    hangs = rows["cell"].isin((SIMILAR, RETRIEVED)).any()
    if hangs and (rows["known"] == "no").all() and config.without_probe == "unknown":
        notes.append("no question counts as known, as none was answered right without passages, if that was asked")
    for column, words in (("cell", "of {}"), ("query", "with wording {}")):
        for value, some in rows.groupby(column, sort=True):
            if (some["status"] == "skipped").all():
                reason = some["skipped_because"].value_counts().index[0] or "not defined"
                why = "not drawn" if some["not_drawn"].any() else reason
                notes.append(f"no cell {words.format(value)}: {why}")
    return "; ".join(notes)


def _original_wording(part: Frame) -> Frame:
    return part.only("query", NONE)


def _parts_by(part: Frame, column: str) -> Iterator[tuple[str, Frame]]:
    for value in part.values(column):
        yield value, part.only(column, value)


def lacking(cases: list[QuestionVariants], config: RareConfig, takes: frozenset[str]) -> str:
    """Why nothing of it can be tried."""
    if not takes & {"passages", "own"}:
        return "RARE-Met needs a system that takes passages or retrieves itself"
    if not cases:
        return "RARE-Met needs an accepted question"
    return ""


def rows_of(rows: Rows, metric: str, names: Sequence[tuple[str, str]]) -> Mask:
    """The rows that a number is of; `include_original` counts originals in its robustness to queries and documents."""
    name = metric.lower()
    cell, query = rows.columns["cell"], rows.columns["query"]
    originals = bool(rows.options.get("include_original", False))
    if name.startswith("known"):
        return rows.columns["given"].among("closed_book")
    if name.startswith("query robustness"):
        return cell.among("gold") & (originals | ~query.among("none"))
    if name.startswith("document robustness"):
        changed = cell.among("lexical_similar", "lexical_different")
        return query.among("none") & (changed | (cell.among("gold") & originals))
    if name.startswith("real-world retrieval robustness, all"):
        return cell.among("retrieved")
    if name.startswith("real-world") or name == REFUSED_ANSWERABLE.lower():
        return cell.among("retrieved") & query.among("none")
    return ~cell.among("probe")


RARE = Protocol(
    name="rare",
    title="RARE-Met",
    paper="2506.00789",
    config=RareConfig,
    refusal="no such info",  # of the authors' prompt; the paper's text has lost it
    contained=False,
    beside=(*WORKED_OUT, "absent"),
    abstention=abstention,
    judge="rare",
    trials=trials,
    part=part_of,
    measures=measures,
    lacking=lacking,
    prompts=PromptPack(
        "rare", "arXiv 2506.00789, role of its code", "json", made=("own_know", "chain_of_note"), notes="json"
    ),
    # five are found, a cross-encoder keeps three (R31; the authors' code)
    retrieval={"fetch": 5, "keep": 3, "rerank": {"model": "cross-encoder/ms-marco-MiniLM-L-12-v2"}},
    display=Display(
        about="Is an answer right, or a refusal in place, whatever is done to question and passages?",
        titles={
            f"{REAL}: correct": Title(
                "accuracy",
                "share of right answers to unchanged questions with retrieved passages",
            ),
            f"{WORDINGS}: correct": Title(
                "accuracy, all wordings", "share of right answers with retrieved passages, all wordings"
            ),
            f"{OVERALL}: correct": Title(
                "right over all changes", "share of right answers over all changes of question and passages"
            ),
            f"{OVERALL}: refusal rate": Title("refused", "share of refusals over all changes of question and passages"),
            f"{REAL}: refusal rate": Title(
                "refused, unchanged questions", "share of refusals to unchanged questions with retrieved passages"
            ),
            f"{WORDINGS}: refusal rate": Title(
                "refused, all wordings", "share of refusals with retrieved passages, all wordings"
            ),
            OVERALL: Title(OVERALL, "right, or a refusal where passages were retrieved or had the answer taken out"),
            QUERY: Title(QUERY, "changed questions with the right passages: share of right answers"),
            DOCUMENT: Title(DOCUMENT, "changed passages: right, or a refusal where the answer was taken out of them"),
            REAL: Title(REAL, "unchanged questions with retrieved passages: right, or a refusal"),
            ABSTENTION: Title(ABSTENTION, "share of refusals among questions that the documents do not answer"),
            REFUSED_ANSWERABLE: Title(REFUSED_ANSWERABLE, "the same share among questions that they do answer"),
        },
        accuracy=(f"{REAL}: correct", f"{WORDINGS}: correct"),
        refusals=tuple(f"{name}: refusal rate" for name in (OVERALL, REAL, WORDINGS)),
        caution="{robust} of its answers count as robust, and a refusal can be one; only {right} are right",
        metrics=("Overall Robustness", "Query Robustness", "Document Robustness", "Real-World Retrieval Robustness"),
        main=("Overall Robustness",),
        beside=("Overall Robustness: refusal rate", "Overall Robustness: correct"),
        unchanged=("gold",),
        companions={REAL: (ABSTENTION, REFUSED_ANSWERABLE)},
        absent=(ABSTENTION,),
        answerable=(REFUSED_ANSWERABLE,),
        rows=rows_of,
    ),
)
