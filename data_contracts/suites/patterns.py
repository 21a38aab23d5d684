"""Rules for paths (RARE §3.3): what each pattern is made of, and that it takes more than one chunk."""

from itertools import pairwise

from rarefy.data_contracts.rows import Chunk, Triplet
from rarefy.data_contracts.suites.rule import (
    Judge,
    Reference,
    References,
    RowRule,
    Suite,
    has_rows,
    hashed,
    looked_up,
    one_of,
    unique,
    written,
)

PATTERNS = ("single", "chain", "star", "inverted_star")
_SIZES = {"single": (1, 1), "chain": (2, 3), "star": (2, 4), "inverted_star": (2, None)}  # R12–R14


def _size(_: References) -> Judge:
    def judge(pattern: str, triplet_ids: list[str]) -> str | None:
        if not triplet_ids or len(set(triplet_ids)) < len(triplet_ids):
            return f"triplets {triplet_ids} are none, or not distinct"
        low, high = _SIZES.get(pattern, (1, None))
        fits = low <= len(triplet_ids) and (high is None or len(triplet_ids) <= high)
        return None if fits else f"a {pattern} of {len(triplet_ids)} triplets"

    return judge


def _linked(references: References) -> Judge:
    ends = looked_up(references[Triplet], "triplet_id", "subject_key", "object_key")

    def judge(pattern: str, triplet_ids: list[str]) -> str | None:
        if any(name not in ends for name in triplet_ids):
            return None  # its reference says so
        heads, tails = [ends[name][0] for name in triplet_ids], [ends[name][1] for name in triplet_ids]
        forward, backward = list(zip(tails, heads[1:], strict=False)), list(zip(heads, tails[1:], strict=False))
        chained = all(a == b for a, b in backward)  # the answer's triplet comes last, whichever end it is
        links = {
            "chain": backward if chained else forward,
            "star": list(pairwise(heads)),
            "inverted_star": list(pairwise(tails)),
        }
        broken = next(((a, b) for a, b in links.get(pattern, []) if a != b or not a), None)
        return f"a {pattern} from {broken[0]!r} to {broken[1]!r}" if broken else None

    return judge


def _accepted(references: References) -> Judge:
    reasons = looked_up(references[Triplet], "triplet_id", "rejected_because")

    def judge(triplet_ids: list[str]) -> str | None:
        rejected = next((name for name in triplet_ids if reasons.get(name)), None)
        return f"triplet {rejected} was rejected: {reasons[rejected]}" if rejected else None

    return judge


def _chunks_of(references: References) -> Judge:
    homes = looked_up(references[Triplet], "triplet_id", "chunk_id")

    def judge(triplet_ids: list[str], chunk_ids: list[str]) -> str | None:
        lost = next(
            (name for name in triplet_ids if homes.get(name, chunk_ids and chunk_ids[0]) not in chunk_ids), None
        )
        return f"the chunk of triplet {lost} is not among {chunk_ids}" if lost else None

    return judge


def _several_chunks(_: References) -> Judge:
    def judge(pattern: str, chunk_ids: list[str]) -> str | None:
        alone = pattern != "single" and len(set(chunk_ids)) < 2
        return f"a {pattern} within {chunk_ids}" if alone else None

    return judge


def _pivoted(_: References) -> Judge:
    return lambda pattern, pivot: "no pivot" if pattern != "single" and not pivot.strip() else None


PATH = Suite(
    key="path_id",
    needs=(Triplet, Chunk),
    rules=(
        has_rows(),
        unique("path_id"),
        hashed("path_id"),
        one_of("pattern", *PATTERNS),
        written("domain"),
        Reference("triplet_ids", Triplet, "triplet_id"),
        Reference("chunk_ids", Chunk, "chunk_id"),
        RowRule("as many triplets as its pattern takes", ("pattern", "triplet_ids"), _size),
        RowRule("triplets linked as its pattern says", ("pattern", "triplet_ids"), _linked),
        RowRule("triplets were accepted", ("triplet_ids",), _accepted),
        RowRule("the chunks of its triplets", ("triplet_ids", "chunk_ids"), _chunks_of),
        RowRule("multi-hop takes several chunks", ("pattern", "chunk_ids"), _several_chunks),
        RowRule("multi-hop has a pivot", ("pattern", "pivot"), _pivoted),
    ),
)
