"""What two versions of a benchmark have in common: the same questions, and the same cells put to a system on both."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from rarefy.data_contracts.rows import row_id
from rarefy.tasks.evaluate.protocols.magic_mushroom_config import LENGTH, POSITION

if TYPE_CHECKING:
    import pandas as pd

Tables = Mapping[str, pa.Table]
# What a trial asks for. Passages, ranks, context_id, gold and noise say what came of that with these documents.
SLOT = (
    "question_id cell given query_id query number document chunk_id retriever k order mix ratio scenario placed "
    "position bin"
).split()
ASKED_IN = {"position": POSITION, "bin": LENGTH}  # in the other cells these two say what came of it
SAME, OTHER, UNKNOWN = "same", "other", "unknown"  # the passages of a pair of trials, on its two sides


@dataclass(frozen=True)
class Core:
    """The questions of two versions, by what became of them, each sorted."""

    kept: tuple[str, ...]  # question, answer and evidence read the same in both: the core
    changed: tuple[str, ...]  # in both by name, with another answer, wording or evidence: in both of the next two
    retired: tuple[str, ...]  # put to A alone, or changed
    new: tuple[str, ...]  # put to B alone, or changed


def core(first: pa.Table, second: pa.Table) -> Core:
    """What became of the questions of one result's table in another's."""
    ours, theirs = _told(first), _told(second)
    both = sorted({*ours} & {*theirs})
    kept = tuple(name for name in both if ours[name] == theirs[name])
    changed = tuple(name for name in both if ours[name] != theirs[name])
    alone = [tuple(sorted({*one} - {*kept})) for one in (ours, theirs)]
    return Core(kept, changed, *alone)


def _told(questions: pa.Table) -> dict[str, tuple[Any, ...]]:
    """What a question asks, what is right, and what proves it. Where the evidence stands may move."""
    columns = ("question_id", "text", "answer", "aliases", "evidence")
    rows = zip(*(questions[name].to_pylist() for name in columns), strict=True)
    return {name: (text, answer, sorted(aliases), evidence) for name, text, answer, aliases, evidence in rows}


def pairs(first: "pd.DataFrame", second: "pd.DataFrame") -> list[tuple[str, str]]:
    """The trials of two versions that ask for the same, by name: first by their own name, then by their slot.

    A noise document that only one version has (SURE) stands for one of the same question that only the other has, in
    the order of their names: which chunk is noise hangs on the corpus. Several trials of one slot are paired in the
    order of theirs.
    """
    by_name = sorted({*first["trial_id"]} & {*second["trial_id"]})
    left, right = (side[~side["trial_id"].isin(by_name)] for side in (first, second))
    places: dict[tuple[Any, ...], list[str]] = defaultdict(list)
    ours, theirs = _documents(first), _documents(second)
    for key, name in sorted(_slots(left, {})):
        places[key].append(name)
    found = [(name, name) for name in by_name]
    for key, name in sorted(_slots(right, _stand_ins(ours, theirs))):
        if places[key]:
            found.append((places[key].pop(0), name))
    return found


def _slots(rows: "pd.DataFrame", named: Mapping[tuple[str, str], str]) -> Iterator[tuple[tuple[Any, ...], str]]:
    at = {name: place for place, name in enumerate(SLOT)}
    for *slot, name in zip(*(rows[column] for column in (*SLOT, "trial_id")), strict=True):
        for column, cell in ASKED_IN.items():
            if slot[at["cell"]] != cell:
                slot[at[column]] = ""
        slot[at["chunk_id"]] = named.get((slot[at["question_id"]], slot[at["chunk_id"]]), slot[at["chunk_id"]])
        yield tuple(slot), name


def _documents(rows: "pd.DataFrame") -> dict[str, set[str]]:
    """The chunks that trials of each question are about."""
    found: dict[str, set[str]] = defaultdict(set)
    for question, chunk in set(zip(rows["question_id"], rows["chunk_id"], strict=True)):
        if chunk:
            found[question].add(chunk)
    return found


def _stand_ins(first: Mapping[str, set[str]], second: Mapping[str, set[str]]) -> dict[tuple[str, str], str]:
    """Which chunk of the first version a chunk that only the second has stands for."""
    found = {}
    for question, chunks in second.items():
        there = first.get(question, set())
        gone, came = sorted(there - chunks), sorted(chunks - there)
        found |= {(question, new): old for old, new in zip(gone, came, strict=False)}
    return found


def shown(tables: Tables, system: str, wanted: Iterable[str]) -> dict[str, str]:
    """What each of these trials showed the system, as a digest of texts and titles from top to bottom.

    Of a trial whose passages the system found itself: what it says it found. Not in it: where it does not say.
    """
    names = set(wanted)
    texts = _texts(tables)
    found = {}
    columns = ("trial_id", "given", "passage_ids")
    own = set()
    for name, given, passage_ids in zip(*(tables["trials"][one].to_pylist() for one in columns), strict=True):
        if given == "own":
            own.add(name)
        elif name in names:
            found[name] = row_id(given, *(texts.get(one, one) for one in passage_ids))
    answers = tables["answers"].select(["trial_id", "system", "retrieved"]).to_pylist() if own & names else ()
    for row in answers:
        name, passages = row["trial_id"], row["retrieved"]
        if row["system"] == system and name in own and name in names and passages:
            told = (
                row_id(one["title"], one["text"]) if one["text"] else texts.get(one["passage_id"], one["passage_id"])
                for one in passages
            )
            found[name] = row_id("own", *told)
    return found


def _texts(tables: Tables) -> dict[str, str]:
    """A digest of each passage of a benchmark as a system is shown it, by name."""
    from rarefy.tasks.evaluate.systems.answer import OF_LAYOUT  # late: it loads every protocol

    columns = ("chunk_id", "title", "text")
    chunks = list(zip(*(tables["chunks"][one].to_pylist() for one in columns), strict=True))
    titles = {name: title for name, title, _ in chunks}
    found = {name: row_id(title, text) for name, title, text in chunks}
    columns = ("variant_id", "side", "family", "chunk_id", "text")
    for name, side, family, chunk_id, text in zip(
        *(tables["variants"][one].to_pylist() for one in columns), strict=True
    ):
        if side != "query":
            found[name] = row_id("" if family in OF_LAYOUT else titles.get(chunk_id, ""), text)
    return found
