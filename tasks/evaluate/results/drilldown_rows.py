"""Which rows of a result stand behind each of its numbers, and which of them a page carries."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.rows import gold_hops, hops_of, is_found
from rarefy.tasks.evaluate.protocols import PROTOCOLS, display_of
from rarefy.tasks.evaluate.protocols.display import is_closed
from rarefy.tasks.evaluate.protocols.sure import TYPES
from rarefy.tasks.evaluate.results.wording import RETRIEVAL, parse_number, parse_slice

# Categorical columns

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class CategoricalColumn:
    """A column: `values[codes[row]]`; `place` is the code of each value."""

    codes: npt.NDArray[np.int32]
    values: list[Any]
    place: dict[Any, int]

    def among(self, *values: Any) -> Mask:
        """The rows that have one of these values."""
        wanted = [self.place[value] for value in values if value in self.place]
        if len(wanted) == 1:
            return np.asarray(self.codes == wanted[0])
        return np.isin(self.codes, wanted)

    def near(self, value: float) -> Mask:
        """The rows with this number, up to rounding errors."""
        return self.among(*(one for one in self.values if not isinstance(one, str) and abs(one - value) < 1e-6))

    def take(self, rows: npt.NDArray[Any]) -> "CategoricalColumn":
        """The column of these rows."""
        return CategoricalColumn(self.codes[rows], self.values, self.place)

    def __getitem__(self, row: int) -> Any:
        return self.values[self.codes[row]]


def encode_column(column: npt.NDArray[Any]) -> CategoricalColumn:
    """The column with its values coded in the order in which they come."""
    place: dict[Any, int] = {}
    codes = np.fromiter((place.setdefault(value, len(place)) for value in column.tolist()), np.int32, len(column))
    return CategoricalColumn(codes, list(place), place)


# Outcomes

OUTCOMES = ("wrong", "partly", "refused", "right", "unscored")
WRONG, PARTLY, REFUSED, RIGHT, UNSCORED = range(len(OUTCOMES))


def classify_outcomes(
    tables: Mapping[str, pa.Table], score: npt.NDArray[np.int64], robust: npt.NDArray[np.float64], ids: Any
) -> npt.NDArray[np.int8]:
    """The place in OUTCOMES of each row; a refusal is one whatever it is worth, what has no score is unscored."""
    scores = tables["scores"]
    if not scores.num_rows:
        return np.full(len(score), UNSCORED, dtype=np.int8)
    status = scores["status"].to_numpy(zero_copy_only=False)[score]
    value = scores["value"].to_numpy(zero_copy_only=False).astype(float)[score]
    refused = scores["refused"].to_numpy(zero_copy_only=False).astype(bool)[score]
    found = np.where(value >= 1, RIGHT, np.where(value > 0, PARTLY, WRONG))
    found = np.where(refused, REFUSED, found)
    return np.where((score < 0) | (status != "scored"), UNSCORED, found).astype(np.int8)


def rare_verdicts(
    summary: Mapping[str, Any], tables: Mapping[str, pa.Table], system: str, at_trial: Mapping[str, int], size: int
) -> npt.NDArray[np.float64]:
    """RARE's verdict on each trial of a system, by its Table 3: 1 robust, 0 not, NaN where it has none."""
    from rarefy.tasks.evaluate.protocols.frame import build_frame
    from rarefy.tasks.evaluate.protocols.rare import RareConfig, apply_robustness_rules

    found = np.full(size, np.nan)
    trials = tables["trials"].filter(pc.equal(tables["trials"]["protocol"], "rare"))
    scores = tables["scores"]
    mine = scores.filter(pc.and_(pc.equal(scores["system"], system), pc.equal(scores["protocol"], "rare")))
    if not (trials.num_rows and mine.num_rows):
        return found
    answers = tables["answers"].filter(pc.equal(tables["answers"]["system"], system))
    options = {row["name"]: row["value"] for row in summary["protocols"].get("rare", {}).get("options", ())}
    cells = apply_robustness_rules(build_frame(trials, answers, mine, tables["questions"]), RareConfig(**options)).rows
    for name, value in zip(cells["trial_id"], cells["value"], strict=True):
        found[at_trial[name]] = value
    return found


# Blocks: the rows of one system under one protocol

Ints = npt.NDArray[np.int64]
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
    columns: Mapping[str, CategoricalColumn]
    options: Mapping[str, Any] = field(default_factory=dict)  # what the protocol was set to, by name

    def __len__(self) -> int:
        return len(self.trial)

    @cached_property
    def of_outcome(self) -> tuple[Ints, ...]:
        """The rows of each outcome."""
        return tuple(np.flatnonzero(self.outcome == code) for code in range(len(OUTCOMES)))


def build_blocks(summary: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> Iterator[Block]:
    """The block of every system and protocol that has scores or answers, and one of retrieval."""
    trials, scores, answers = (tables[name] for name in ("trials", "scores", "answers"))
    place = {name: at for at, name in enumerate(tables["questions"]["question_id"].to_pylist())}
    of_question = _question_columns(tables["questions"])
    ids = trials["trial_id"].to_numpy(zero_copy_only=False)
    protocols = trials["protocol"].to_numpy(zero_copy_only=False)
    skipped = trials["skipped_because"].to_numpy(zero_copy_only=False) != ""
    question = np.array([place.get(name, -1) for name in trials["question_id"].to_pylist()], dtype=np.int64)
    trial_columns = {name: encode_column(trials[name].to_numpy(zero_copy_only=False)) for name in TRIAL}
    at_trial = {name: at for at, name in enumerate(ids)}
    for system in sorted(set(scores["system"].to_pylist()) | set(answers["system"].to_pylist())):
        score = _row_of_trial(scores, system, at_trial, len(ids))
        answer = _row_of_trial(answers, system, at_trial, len(ids))
        verdicts = rare_verdicts(summary, tables, system, at_trial, len(ids))
        for protocol in sorted(set(protocols[(score >= 0) | (answer >= 0)])):
            rows = np.flatnonzero((protocols == protocol) & ((score >= 0) | (answer >= 0) | skipped))
            outcome = classify_outcomes(tables, score[rows], verdicts[rows], ids[rows])
            order = _interleave_questions(outcome, question[rows], ids[rows])
            rows, outcome = rows[order], outcome[order]
            at = question[rows]
            columns = {name: values.take(rows) for name, values in trial_columns.items()}
            columns |= {name: values.take(at) for name, values in of_question.items()}
            columns["known"] = _known_column(columns, outcome, at, len(place))
            option_rows = summary["protocols"].get(protocol, {}).get("options", ())
            options = {row["name"]: row["value"] for row in option_rows}
            places = (rows, answer[rows], score[rows], at)
            yield Block(system, protocol, *places, outcome, verdicts[rows], columns, options)
    yield from _retrieval_block(tables, place, of_question)


def _row_of_trial(table: pa.Table, system: str, at_trial: Mapping[str, int], size: int) -> Ints:
    """Of each trial the place of this system's row in a table."""
    found = np.full(size, -1, dtype=np.int64)
    systems = table["system"].to_numpy(zero_copy_only=False)
    names = table["trial_id"].to_pylist()
    for at in np.flatnonzero(systems == system):
        trial = at_trial.get(names[at])
        if trial is not None:
            found[trial] = at
    return found


def _question_columns(questions: pa.Table) -> dict[str, CategoricalColumn]:
    """The columns of the questions; a last entry for trials whose question is not there."""
    found = {
        name: np.append(questions[name].to_numpy(zero_copy_only=False).astype(object), "")
        for name in QUESTION
        if name in questions.schema.names
    }
    patterns = found.get("pattern", np.array([""], dtype=object))
    found["hops"] = np.array([hops_of(pattern) for pattern in patterns], dtype=object)
    return {name: encode_column(column) for name, column in found.items()}


def _interleave_questions(outcome: npt.NDArray[np.int8], question: Ints, ids: npt.NDArray[Any]) -> Ints:
    """A few rows of each question, then a few more: many questions are seen, and numbers share their rows."""
    first = np.lexsort((ids, question, outcome))
    group = np.stack([outcome[first], question[first]])
    starts = np.flatnonzero(np.r_[True, np.any(group[:, 1:] != group[:, :-1], axis=0)]) if len(first) else first
    turn = np.arange(len(first)) - np.repeat(starts, np.diff(np.r_[starts, len(first)])) if len(first) else first
    rank = np.empty(len(first), dtype=np.int64)
    rank[first] = turn // _FEW
    return np.lexsort((ids, question, rank))


def _known_column(
    columns: Mapping[str, CategoricalColumn], outcome: npt.NDArray[np.int8], question: Ints, size: int
) -> CategoricalColumn:
    """yes | no | "": was the question answered right without passages?"""
    known = np.full(size + 1, "", dtype=object)
    probes = columns["given"].among("closed_book")
    for code, outcome_name in enumerate(OUTCOMES):
        mine = question[probes & (outcome == code)]
        if outcome_name != "unscored":
            known[mine] = "yes" if outcome_name == "right" else "no"
    known[size] = ""
    return encode_column(known[question])


def _retrieval_block(
    tables: Mapping[str, pa.Table], place: Mapping[str, int], of_question: Mapping[str, CategoricalColumn]
) -> Iterator[Block]:
    """What was retrieved for each wording: right where all gold chunks are among the first ten, wrong where none is."""
    hits = tables.get("hits")
    if hits is None or not hits.num_rows:
        return
    question = np.array([place.get(name, -1) for name in hits["question_id"].to_pylist()], dtype=np.int64)
    share = _gold_share(hits, question, tables["questions"])
    found = np.where(share == 1, RIGHT, np.where(share > 0, PARTLY, WRONG))
    found = np.where(np.isnan(share), UNSCORED, found).astype(np.int8)
    wordings = tables["variants"].filter(pc.equal(tables["variants"]["side"], "query"))
    of = dict(zip(wordings["variant_id"].to_pylist(), wordings["perturbation"].to_pylist(), strict=True))
    order = _interleave_questions(found, question, hits["hits_id"].to_numpy(zero_copy_only=False))
    at, size = question[order], hits.num_rows
    columns = dict.fromkeys(TRIAL, encode_column(np.full(size, "", dtype=object)))
    columns["retriever"] = encode_column(hits["retriever"].to_numpy(zero_copy_only=False)[order])
    asked = [of.get(name, "none") for name in hits["query_id"].to_pylist()]
    columns["query"] = encode_column(np.array(asked, dtype=object)[order])
    columns |= {name: values.take(at) for name, values in of_question.items()}
    nobody = np.full(size, -1, dtype=np.int64)
    yield Block("", RETRIEVAL, order, nobody, nobody, at, found[order], np.full(size, np.nan), columns)


def _gold_share(hits: pa.Table, question: Ints, questions: pa.Table) -> npt.NDArray[np.float64]:
    """The share of the gold chunks among the first ten of each list, NaN where there are none.

    A passage that states the same stands for the gold one.
    """
    columns = (questions[name].to_pylist() for name in ("chunk_ids", "alternatives", "parts"))
    gold = [gold_hops(*lists) for lists in zip(*columns, strict=True)]
    gold.append(())  # of -1, a question that is not there
    first = pc.list_slice(hits["chunk_ids"].combine_chunks(), 0, DEPTH).to_pylist()
    return np.array(
        [
            sum(is_found(hop, names) for hop in gold[at]) / len(gold[at]) if gold[at] else np.nan
            for at, names in zip(question.tolist(), first, strict=True)
        ],
        dtype=np.float64,
    )


# The rows of a number

_RETRIEVED = (
    "generator at fault",
    "retriever at fault",
    "answer shown without",
    "fault not known",
    "all gold retrieved",
    "right with",
    "refused though",
)  # of attribution, in any protocol


def select_mask(block: Block, metric: str, slice_: str) -> tuple[Mask, tuple[str, ...]]:
    """The rows of a number, and the names of its slice that no column of theirs narrows down."""
    names = parse_slice(slice_)
    if metric.lower().startswith(_RETRIEVED):
        mask = ~block.columns["retriever"].among("") & block.columns["document"].among("")
    else:
        mask = display_of(block.protocol).rows(block, metric, names) & _of_kinds(block, metric, names)
    closed, unused = is_closed(names), []
    for name, value in names:
        if closed and name in ("k", ""):
            continue
        parts = list(_candidate_masks(block, name, value))
        if not parts:
            unused.append(f"{name}={value}" if name else value)
            continue
        mask &= next((part for part in parts if (part & mask).any()), parts[0])
    return mask, tuple(unused)


def _of_kinds(block: Block, metric: str, names: Sequence[tuple[str, str]]) -> Mask:
    """The rows of the kinds of question that a number is of: those that its protocol counts, or the one it names."""
    display, pattern = display_of(block.protocol), block.columns["pattern"]
    if metric in display.absent:
        return pattern.among("absent")
    if metric in display.answerable or "pattern" in dict(names):
        return ~pattern.among("absent")
    return ~pattern.among(*(PROTOCOLS[block.protocol].uncounted if block.protocol in PROTOCOLS else ()))


def _candidate_masks(block: Block, name: str, value: str) -> Iterator[Mask]:
    """What a name and value can mean, the likeliest first; the first that any row has is taken."""
    plain = name.strip().lower().replace(" ", "_")
    columns = block.columns
    if plain == "subset":
        yield from _subset_mask(block, value)
    elif plain == "type":
        yield columns["document"].among(*TYPES.get(value, ()))
    elif plain in ("against", "baseline"):  # what the rows are compared with, not which they are
        yield np.ones(len(block), dtype=bool)
    elif plain in ("perturbation", "wording", "query"):
        yield columns["query"].among(value)
        yield columns["document"].among(value)
        yield columns["cell"].among(value)
    elif plain in ("document", "family", "class", "cell", "setting", "noise", "subtype"):
        for column in ("cell", "document", "mix", "placed"):
            yield columns[column].among(value)
    elif plain == "length":
        yield columns["bin"].among(value)
    elif plain in columns:
        yield _mask_of_value(columns[plain], value)
    elif plain == "":
        yield from (_mask_of_value(column, value) for column in columns.values())


def _subset_mask(block: Block, value: str) -> Iterator[Mask]:
    """SURE's subsets: K-G, K-N, U-G, U-N; golden, noise, total."""
    cells, known = block.columns["cell"], block.columns["known"]
    kind = re.fullmatch(r"([KU])-?([GN])", value)
    if kind:
        cell = "golden" if kind[2] == "G" else "noise"
        yield cells.among(cell) & known.among("yes" if kind[1] == "K" else "no")
    elif value in ("golden", "noise"):
        yield cells.among(value)
    elif value in ("total", "all"):
        yield np.ones(len(block), dtype=bool)


def _mask_of_value(column: CategoricalColumn, value: str) -> Mask:
    """The rows with this value, whether the column has text or numbers."""
    wanted = parse_number(value)
    return column.among(value) if wanted is None else column.among(value) | column.near(wanted)


# The rows that are carried

MOST = 200  # rows of a number
ROWS = 4_500  # of all numbers together
_CAPS = (200, 100, 60, 40, 25, 15, 8, 4)  # rows of a number that is no headline: the first that fits
_SHARES = {"wrong": 0.45, "partly": 0.1, "refused": 0.2, "right": 0.15, "unscored": 0.1}


@dataclass(frozen=True)
class NumberRows:
    """The rows behind a number: counts by outcome, and those that are shown."""

    counts: tuple[int, ...]  # by OUTCOMES
    block: int
    rows: tuple[int, ...]  # of the block
    unused: tuple[str, ...]  # parts of the slice that narrow nothing down


def select_rows(
    blocks: Sequence[Block], numbers: Iterable[tuple[int, dict[str, Any], bool]], budget: int = ROWS
) -> dict[int, NumberRows]:
    """The rows behind each number, given as (name, row, whether it comes first); without a block, it is left out."""
    place = {(block.system, block.protocol): at for at, block in enumerate(blocks)}
    found: dict[int, tuple[int, bool, tuple[int, ...], list[npt.NDArray[np.int64]], tuple[str, ...]]] = {}
    for name, figure, first in numbers:
        at = place.get((figure["system"], figure["protocol"]))
        if at is None:
            continue
        mask, unused = select_mask(blocks[at], figure["metric"], figure["slice"])
        counts = tuple(int(n) for n in np.bincount(blocks[at].outcome[mask], minlength=len(OUTCOMES)))
        first_few = [rows[mask[rows]][:MOST] for rows in blocks[at].of_outcome]
        found[name] = (at, first, counts, first_few, unused)
    cap = _fit_budget(found, budget)
    return {
        name: NumberRows(counts, at, tuple(map(int, _pick_rows(few, MOST if first else cap))), unused)
        for name, (at, first, counts, few, unused) in found.items()
    }


def _fit_budget(found: dict[int, Any], budget: int) -> int:
    """The most rows a number can show so that all of them together stay within the budget."""
    for cap in _CAPS:
        union = {
            (at, row) for at, first, _, few, _ in found.values() for row in _pick_rows(few, MOST if first else cap)
        }
        if len(union) <= budget:
            return cap
    return _CAPS[-1]


def _pick_rows(few: Sequence[npt.NDArray[np.int64]], cap: int) -> list[int]:
    """So many rows: each outcome its share, what one does not need goes to the others in order."""
    sizes = [min(len(rows), round(_SHARES[name] * cap)) for name, rows in zip(OUTCOMES, few, strict=True)]
    left = cap - sum(sizes)
    for at, rows in enumerate(few):
        more = max(0, min(len(rows) - sizes[at], left))
        sizes[at] += more
        left -= more
    return [int(row) for rows, size in zip(few, sizes, strict=True) for row in rows[:size]]


# The rows that a row is compared with

PLAIN, CLOSED = "nothing changed", "without passages"
Key = tuple[int, str, str]


def find_partners(block: Block, rows: Sequence[int]) -> dict[int, list[tuple[str, int]]]:
    """For each row label and row of its partners, of the same system and protocol; no row is its own."""
    columns = block.columns
    plain = columns["cell"].among(*display_of(block.protocol).unchanged)
    plain &= columns["query"].among("none", "") & columns["document"].among("none", "")
    of = {PLAIN: _by_key(block, np.flatnonzero(plain)), CLOSED: _by_key(block, _closed_book_rows(block))}
    found: dict[int, list[tuple[str, int]]] = {}
    for row in rows:
        keys = {PLAIN: _key(block, row), CLOSED: (int(block.question[row]), "", "closed_book")}
        beside = [(label, of[label].get(key)) for label, key in keys.items()]
        found[row] = [(label, other) for label, other in beside if other is not None and other != row]
    return found


def _closed_book_rows(block: Block) -> npt.NDArray[np.int64]:
    """The closed-book rows with the unperturbed wording."""
    columns = block.columns
    asked = columns["given"].among("closed_book") & columns["query"].among("none", "")
    return np.flatnonzero(asked)


def _by_key(block: Block, rows: npt.NDArray[np.int64]) -> dict[Key, int]:
    """The first row of each key; a question that is not known has none."""
    found: dict[Key, int] = {}
    for row in rows[block.question[rows] >= 0]:
        found.setdefault(_key(block, int(row)), int(row))
    return found


def _key(block: Block, row: int) -> Key:
    chunk = str(block.columns["chunk_id"][row]) if block.protocol == "sure" else ""
    given = str(block.columns["given"][row])
    return int(block.question[row]), "" if given == "closed_book" else chunk, given
