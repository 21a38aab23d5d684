"""The rows of a result as arrays, a block for each system and protocol, each in the order in which they are shown."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rarefy.tasks.evaluate.results.drill.categorical import Coded, coded
from rarefy.tasks.evaluate.results.drill.verdicts import OUTCOMES, PARTLY, RIGHT, UNSCORED, WRONG, outcomes, robust
from rarefy.tasks.evaluate.results.wording import RETRIEVAL

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
DEPTH = 10  # of a retrieved list, within which gold must stand to be found
_FEW = 3  # rows of a question that come before rows of other questions
TRIAL = "cell given query document chunk_id retriever k order mix ratio scenario placed position bin number".split()
QUESTION = "pattern domain entity period language".split()


@dataclass(frozen=True)
class Block:
    """The rows of one system under one protocol, wrong ones of many questions first.

    `trial`, `answer`, `score` are places in the tables, -1 where there is none; `columns` are what slices name.
    """

    system: str
    protocol: str
    trial: Ints
    answer: Ints
    score: Ints
    question: Ints  # place in `questions`, -1 where the question is not there
    outcome: npt.NDArray[np.int8]  # place in OUTCOMES
    robust: npt.NDArray[np.float64]  # RARE's own verdict, NaN elsewhere
    columns: Mapping[str, Coded]
    of_outcome: tuple[Ints, ...] = field(default=())
    options: Mapping[str, Any] = field(default_factory=dict)  # what the protocol was set to, by name

    def __len__(self) -> int:
        return len(self.trial)


def blocks(summary: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> Iterator[Block]:
    """The block of every system and protocol that has scores or answers, and one of retrieval."""
    trials, scores, answers = (tables[name] for name in ("trials", "scores", "answers"))
    place = {name: at for at, name in enumerate(tables["questions"]["question_id"].to_pylist())}
    of_question = _questions(tables["questions"])
    ids = trials["trial_id"].to_numpy(zero_copy_only=False)
    protocols = trials["protocol"].to_numpy(zero_copy_only=False)
    skipped = trials["skipped_because"].to_numpy(zero_copy_only=False) != ""
    question = np.array([place.get(name, -1) for name in trials["question_id"].to_pylist()], dtype=np.int64)
    told = {name: coded(trials[name].to_numpy(zero_copy_only=False)) for name in TRIAL}
    at_trial = {name: at for at, name in enumerate(ids)}
    for system in sorted(set(scores["system"].to_pylist()) | set(answers["system"].to_pylist())):
        score = _places(scores, system, at_trial, len(ids))
        answer = _places(answers, system, at_trial, len(ids))
        verdicts = robust(summary, tables, system, at_trial, len(ids))
        for protocol in sorted(set(protocols[(score >= 0) | (answer >= 0)])):
            mine = np.flatnonzero((protocols == protocol) & ((score >= 0) | (answer >= 0) | skipped))
            found = outcomes(tables, score[mine], verdicts[mine], ids[mine])
            order = _order(found, question[mine], ids[mine])
            mine, found = mine[order], found[order]
            at = question[mine]
            columns = {name: values.take(mine) for name, values in told.items()}
            columns |= {name: values.take(at) for name, values in of_question.items()}
            columns["known"] = _known(columns, found, at, len(place))
            told_of = summary["protocols"].get(protocol, {}).get("options", ())
            options = {row["name"]: row["value"] for row in told_of}
            fields = (system, protocol, mine, answer[mine], score[mine], at, found, verdicts[mine], columns)
            yield _block(*fields, options=options)
    yield from _of_retrieval(tables, place, of_question)


def _block(*fields: Any, options: Mapping[str, Any] | None = None) -> Block:
    """A block of these fields, its rows by outcome found once for all numbers."""
    outcome = fields[6]
    of_outcome = tuple(np.flatnonzero(outcome == code) for code in range(len(OUTCOMES)))
    whole = (*fields, of_outcome, options or {})
    return Block(*whole)


def _places(table: pa.Table, system: str, at_trial: Mapping[str, int], size: int) -> Ints:
    """Of each trial the place of this system's row in a table."""
    found = np.full(size, -1, dtype=np.int64)
    systems = table["system"].to_numpy(zero_copy_only=False)
    names = table["trial_id"].to_pylist()
    for at in np.flatnonzero(systems == system):
        trial = at_trial.get(names[at])
        if trial is not None:
            found[trial] = at
    return found


def _questions(questions: pa.Table) -> dict[str, Coded]:
    """What is said of each question; a last entry for trials whose question is not there."""
    found = {
        name: np.append(questions[name].to_numpy(zero_copy_only=False).astype(object), "")
        for name in QUESTION
        if name in questions.schema.names
    }
    patterns = found.get("pattern", np.array([""], dtype=object))
    found["hops"] = np.where(patterns == "single", "single", "multi").astype(object)
    return {name: coded(column) for name, column in found.items()}


def _order(outcome: npt.NDArray[np.int8], question: Ints, ids: npt.NDArray[Any]) -> Ints:
    """A few rows of each question, then a few more: many questions are seen, and numbers share their rows."""
    first = np.lexsort((ids, question, outcome))
    group = np.stack([outcome[first], question[first]])
    starts = np.flatnonzero(np.r_[True, np.any(group[:, 1:] != group[:, :-1], axis=0)]) if len(first) else first
    turn = np.arange(len(first)) - np.repeat(starts, np.diff(np.r_[starts, len(first)])) if len(first) else first
    rank = np.empty(len(first), dtype=np.int64)
    rank[first] = turn // _FEW
    return np.lexsort((ids, question, rank))


def _known(columns: Mapping[str, Coded], outcome: npt.NDArray[np.int8], question: Ints, size: int) -> Coded:
    """yes | no | "": was the question answered right without passages?"""
    found = np.full(size + 1, "", dtype=object)
    probes = columns["given"].among("closed_book")
    for code, told in enumerate(OUTCOMES):
        mine = question[probes & (outcome == code)]
        if told != "unscored":
            found[mine] = "yes" if told == "right" else "no"
    found[size] = ""
    return coded(found[question])


def _of_retrieval(
    tables: Mapping[str, pa.Table], place: Mapping[str, int], of_question: Mapping[str, Coded]
) -> Iterator[Block]:
    """What was retrieved for each wording: right where all gold chunks are among the first ten, wrong where none is."""
    hits = tables.get("hits")
    if hits is None or not hits.num_rows:
        return
    question = np.array([place.get(name, -1) for name in hits["question_id"].to_pylist()], dtype=np.int64)
    share = _found(hits, question, tables["questions"])
    found = np.where(share == 1, RIGHT, np.where(share > 0, PARTLY, WRONG))
    found = np.where(np.isnan(share), UNSCORED, found).astype(np.int8)
    wordings = tables["variants"].filter(pc.equal(tables["variants"]["side"], "query"))
    of = dict(zip(wordings["variant_id"].to_pylist(), wordings["perturbation"].to_pylist(), strict=True))
    order = _order(found, question, hits["hits_id"].to_numpy(zero_copy_only=False))
    at, size = question[order], hits.num_rows
    columns = dict.fromkeys(TRIAL, coded(np.full(size, "", dtype=object)))
    columns["retriever"] = coded(hits["retriever"].to_numpy(zero_copy_only=False)[order])
    asked = [of.get(name, "none") for name in hits["query_id"].to_pylist()]
    columns["query"] = coded(np.array(asked, dtype=object)[order])
    columns |= {name: values.take(at) for name, values in of_question.items()}
    nobody = np.full(size, -1, dtype=np.int64)
    yield _block("", RETRIEVAL, order, nobody, nobody, at, found[order], np.full(size, np.nan), columns)


def _found(hits: pa.Table, question: Ints, questions: pa.Table) -> npt.NDArray[np.float64]:
    """The share of the gold chunks among the first ten of each list, NaN where there are none."""
    lists = questions["chunk_ids"].combine_chunks()
    names = pc.unique(lists.flatten())
    first = pc.list_slice(hits["chunk_ids"].combine_chunks(), 0, DEPTH)
    whose = np.repeat(question, pc.list_value_length(first).to_numpy(zero_copy_only=False))
    code = pc.fill_null(pc.index_in(pc.list_flatten(first), value_set=names), -1).to_numpy(zero_copy_only=False)
    owner = np.repeat(np.arange(len(lists)), pc.list_value_length(lists).to_numpy(zero_copy_only=False))
    gold = owner * (len(names) + 1) + pc.index_in(lists.flatten(), value_set=names).to_numpy(zero_copy_only=False)
    have = np.isin(whose * (len(names) + 1) + code, np.unique(gold)) & (code >= 0) & (whose >= 0)
    row = np.repeat(np.arange(len(question)), pc.list_value_length(first).to_numpy(zero_copy_only=False))
    count = np.append(np.bincount(owner, minlength=len(lists)), 0)[question].astype(float)
    there = np.bincount(row[have], minlength=len(question))
    return np.where(count > 0, there / np.maximum(count, 1), np.nan)
