"""Overall, query, document and real-world robustness, and what they are made of (RARE Table 4, Figures 6 to 9)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rarefy.tasks.evaluate.protocols.case import NONE
from rarefy.tasks.evaluate.protocols.columns import narrowed
from rarefy.tasks.evaluate.protocols.frame import Frame, slices
from rarefy.tasks.evaluate.protocols.rare_config import DIFFERENT, GOLD, OWN, PROBE, RETRIEVED, SIMILAR, RareConfig
from rarefy.tasks.evaluate.protocols.rare_judge import judged
from rarefy.tasks.evaluate.statistics.measure import Figured, Measure

OVERALL, QUERY, DOCUMENT = "Overall Robustness", "Query Robustness", "Document Robustness"
REAL = "Real-World Retrieval Robustness"
WORDINGS = f"{REAL}, all wordings"
FLAT = f"{OVERALL} (flat)"  # its value and n are what z as published is made of (G.3)


def measures(frame: Frame, config: RareConfig) -> Iterator[Figured]:
    """The numbers of one system: each with the share of refusals and of right answers beside it."""
    frame = narrowed(frame, ("cell", "given", "query", "retriever", "gold", "skipped_because"))
    cells = judged(frame, config)
    every = cells.where(~cells.rows["apart"])
    given = bool((every.rows["given"] == "passages").any())
    yield from _probe(frame)
    if given:
        yield from _overall(every, config)
    yield from _fixed(every, config, given)
    own = cells.where((cells.rows["retriever"] == OWN) & cells.rows["apart"])
    if len(own.rows):
        beside = "its own retrieval; in no other number"
        yield from _told(own, OVERALL, f"retriever={OWN}", config, note=beside)
        yield from _told(_original(own), REAL, f"retriever={OWN}", config, note=beside)


def _overall(every: Frame, config: RareConfig) -> Iterator[Figured]:
    note = _note(every, config)
    yield from _told(every, OVERALL, "all", config, headline=True, note=note)
    yield replace(every.mean(FLAT, "all"), note="every cell counts once, as for z as published")
    for name, part in _slices(every, ("pattern", "domain", "hops", "entity", "period", "known")):
        yield from _told(part, OVERALL, name, config)
    kinds = [("query", "query"), ("document", "cell"), ("retriever", "retriever")]
    for label, column in kinds:
        for value, part in _by(every, column):
            yield from _told(part, OVERALL, f"{label}={value}", config)
            for hops, half in _slices(part, ("hops",)):
                yield from _told(half, OVERALL, f"{label}={value}, {hops}", config)
    for domain, part in _by(every, "domain") if every.rows["domain"].nunique() > 1 else ():
        for hops, half in _slices(part, ("hops",)):
            yield from _told(half, OVERALL, f"domain={domain}, {hops}", config)
    yield from _cells(every, config)


def _cells(every: Frame, config: RareConfig) -> Iterator[Figured]:
    """Each of the 30 cells of a question by itself."""
    for query, part in _by(every, "query"):
        for (cell, retriever), _ in part.rows.groupby(["cell", "retriever"], sort=True):
            name = f"query={query}, document={cell}" + (f", retriever={retriever}" if retriever else "")
            yield from _told(
                part.where((part.rows["cell"] == cell) & (part.rows["retriever"] == retriever)), OVERALL, name, config
            )


def _fixed(every: Frame, config: RareConfig, given: bool) -> Iterator[Figured]:
    """Query, document and real-world robustness: one side varied, the other as it is."""
    rows = every.rows
    original = rows["query"] == NONE
    documents = (SIMILAR, DIFFERENT, GOLD) if config.include_original else (SIMILAR, DIFFERENT)
    alone = "" if given else "passages cannot be given: overall, query and document robustness are left out"
    parts = [
        (QUERY, (rows["cell"] == GOLD) & (config.include_original | ~original), ""),
        (DOCUMENT, rows["cell"].isin(documents) & original, ""),
        (REAL, (rows["cell"] == RETRIEVED) & original, alone),
        (WORDINGS, rows["cell"] == RETRIEVED, alone),
    ]
    for metric, mask, about in parts:
        part = every.where(mask)
        if not len(part.rows):
            continue
        note = "; ".join(text for text in (about, _note(part, config)) if text)
        headline = metric != WORDINGS or not given
        yield from _told(part, metric, "all", config, headline=headline, note=note)
        for name, some in _slices(part, ("pattern", "domain", "hops", "known")):
            yield from _told(some, metric, name, config)
        column = {QUERY: "query", DOCUMENT: "cell", REAL: "retriever", WORDINGS: "query"}[metric]
        for value, some in _by(part, column):
            yield from _told(some, metric, f"{'document' if column == 'cell' else column}={value}", config)


def _told(
    part: Frame, metric: str, name: str, config: RareConfig, *, headline: bool = False, note: str = ""
) -> Iterator[Measure]:
    """Robust, refused and right: the same cells three times over."""
    per = "question" if config.mean == "question" else "trial"
    yield part.mean(metric, name, per=per, headline=headline, note=note)
    answered = Frame(part.rows.assign(status=part.rows["answered"]), part.questions)
    for label, column in (("refusal rate", "refusal"), ("correct", "correct")):
        values = part.rows[column].to_numpy()
        yield answered.mean(f"{metric}: {label}", name, values, per=per, neutral=column == "refusal")


def _probe(frame: Frame) -> Iterator[Measure]:
    probes = frame.where(frame.rows["cell"] == PROBE)
    if len(probes.rows):
        values = (probes.rows["value"] >= 1).where(probes.rows["status"] == "scored")
        yield probes.mean(
            "Known", "all", values.astype(float), unit="questions", neutral=True, note="right without passages"
        )
        refused = probes.rows["refused"].where(probes.rows["status"] == "scored")
        yield probes.mean("Known: refusal rate", "all", refused.astype(float), unit="questions", neutral=True)


def _note(part: Frame, config: RareConfig) -> str:
    """What the number hangs on beside the cells: the rule, a probe that there is none of, settings without a cell."""
    rows = part.rows
    told = [f"real-world rule: {config.real_world}"] if (rows["cell"] == RETRIEVED).any() else []
    hangs = rows["cell"].isin((SIMILAR, RETRIEVED)).any()
    if hangs and (rows["known"] == "no").all() and config.without_probe == "unknown":
        told.append("no question is known without passages")
    for column, words in (("cell", "of {}"), ("query", "with wording {}")):
        for value, some in rows.groupby(column, sort=True):
            if (some["status"] == "skipped").all():
                why = some["skipped_because"].value_counts().index[0] or "not defined"
                told.append(f"no cell {words.format(value)}: {why}")
    return "; ".join(told)


def _original(part: Frame) -> Frame:
    return part.where(part.rows["query"] == NONE)


def _by(part: Frame, column: str) -> Iterator[tuple[str, Frame]]:
    for value in sorted(set(part.rows[column].unique()) - {""}):
        yield value, part.where(part.rows[column] == value)


def _slices(part: Frame, columns: Any) -> Iterator[tuple[str, Frame]]:
    found = slices(part, columns)
    next(found)  # "all"
    yield from found
