"""Samples paths: those of the smallest hashes per pattern and domain, each fact in one pattern (R15, R17)."""

from collections import Counter
from collections.abc import Iterator

import numpy as np

from rarefy.data_contracts.rows import Path, row_id
from rarefy.tasks.knowledge.graph.config import GraphConfig
from rarefy.tasks.knowledge.graph.facts import Array, Graph
from rarefy.tasks.knowledge.graph.patterns import CandidatePath, PatternPaths

DESCRIBED = frozenset(("chain", "star"))  # patterns whose answer's holder is described by clues


class Allocation:
    """The facts of a graph that are still free, while the patterns choose one after the other."""

    def __init__(self, graph: Graph, config: GraphConfig) -> None:
        self.graph, self.config = graph, config
        self.free = np.ones(len(graph.head), bool)
        self.unanswered = np.ones(len(graph.head), bool)  # facts that are no path's answer yet
        nodes = len(graph.nodes)
        things = np.bincount(graph.head[~graph.literal], minlength=nodes)
        values = np.bincount(graph.head[graph.literal], minlength=nodes)
        # Only a head that can be the middle of a star keeps clues for it, and without values one more: the answer.
        clues = np.ceil(things * config.reserve_clues) + ((values == 0) & (config.reserve_clues > 0))
        # what earlier patterns may use at each head before the turn of the pattern that needs it
        self.spare = {
            "star": np.where(things + values > 1, things - clues, len(graph.head)).astype(np.int64),
            "single": values - (values * config.reserve_values).astype(np.int64),
        }

    def choose(self, name: str, paths: PatternPaths) -> Iterator[CandidatePath]:
        """The paths of one pattern, by the hash of their answer; afterwards their facts are taken."""
        quota = self.config.quotas.get(name, 0)
        around: Counter[int] = Counter()
        common: Counter[int] = Counter()
        described: Counter[tuple[int, ...]] = Counter()
        joined: Counter[tuple[int, ...]] = Counter()
        seen: set[tuple[int, ...]] = set()
        used: set[int] = set()
        turns = self.config.per_meeting if name == "inverted_star" else self.config.per_answer
        for turn in range(turns):
            for answer in spread(self.graph, paths.answers[self.unanswered[paths.answers]]).tolist():
                if len(seen) >= quota:
                    break
                for path in paths.propose(answer, turn):
                    about = path.pivot if path.about < 0 else path.about
                    part = name == "chain" and bool(self.graph.columns.member[answer])
                    if paths.capped and around[about] >= (self.config.per_part if part else self.config.per_pivot):
                        break
                    if path.nominal and common[about] >= self.config.per_common:
                        continue
                    if self.config.needed_clues and described[path.clues] >= self.config.per_clue:
                        continue
                    if path.tables and joined[path.tables] >= self.config.per_tables:
                        continue
                    facts = tuple(sorted(path.facts))
                    taken = facts if self.config.exclusive == "pattern" else (answer,)
                    new = [fact for fact in taken if fact not in used]
                    if facts in seen or not self.reserve(name, new):
                        continue
                    seen.add(facts)
                    used.update(new)
                    around[about] += 1
                    if path.clues:
                        described[path.clues] += 1
                    if path.tables:
                        joined[path.tables] += 1
                    common[about] += path.nominal
                    yield path
                    break
        if self.config.exclusive == "answer":
            self.unanswered[list(used)] = False
        elif self.config.exclusive != "none":
            self.free[list(used)] = False

    def reserve(self, name: str, facts: list[int]) -> bool:
        """Whether every head keeps enough for later patterns without these facts; if so they count as used."""
        if self.config.exclusive == "none":
            return True
        later = self.config.patterns[self.config.patterns.index(name) + 1 :]
        uses: Counter[tuple[str, int]] = Counter()
        for fact in facts:
            owner = "single" if self.graph.literal[fact] else "star"
            if owner in later:
                uses[owner, int(self.graph.head[fact])] += 1
        if any(self.spare[owner][head] < count for (owner, head), count in uses.items()):
            return False
        for (owner, head), count in uses.items():
            self.spare[owner][head] -= count
        return True


def spread(graph: Graph, answers: Array) -> Array:
    """The answers in rounds: no measure and no chunk comes again before all have come once, each round by hash.

    Those whose chunk holds another answer come first.
    """
    columns = graph.columns
    turns = [
        _occurrence(column[answers])
        for column in (
            columns.relation.astype(np.int64) * (1 + int(columns.kind.max(initial=0))) + columns.kind,
            graph.chunk,
        )
    ]
    return answers[np.lexsort((answers, np.maximum(*turns), graph.rivals_in_chunk[answers] == 0))]


def _occurrence(values: Array) -> Array:
    """Per row: how many rows before it have its value."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    first = np.searchsorted(ordered, ordered, side="left")
    found = np.empty(len(values), np.int64)
    found[order] = np.arange(len(values)) - first
    return found


def make_path(graph: Graph, pattern: str, path: CandidatePath) -> Path:
    """The path as a row; `chunk_ids[i]` is the chunk of `triplet_ids[i]`."""
    remaining, in_chunk = path.remaining or (
        1 + int(graph.rivals[path.answer]),
        1 + int(graph.rivals_in_chunk[path.answer]),
    )
    counted = pattern in DESCRIBED
    triplet_ids = tuple(graph.triplet_ids[fact] for fact in path.facts)
    return Path(
        path_id=row_id("path", pattern, *triplet_ids),
        pattern=pattern,
        triplet_ids=triplet_ids,
        chunk_ids=tuple(graph.chunk_ids[graph.chunk[fact]] for fact in path.facts),
        pivot=f"{graph.labels[path.pivot] or graph.nodes[path.pivot]} {path.time}".rstrip(),
        domain=graph.domain,
        remaining=remaining if counted else 0,
        remaining_in_chunk=in_chunk if counted else 0,
    )
