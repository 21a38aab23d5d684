"""The passages that contexts of one question can be made of, by class, in the order in which they are drawn."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from rarefy.data_contracts.rows import Chunk, Question, Variant, row_id
from rarefy.tasks.perturb.context.names import called
from rarefy.tasks.perturb.mix.config import CLASSES, GOLDEN
from rarefy.tasks.text.answers import readable


@dataclass(frozen=True, slots=True)
class Passages:
    """A question's passages: golden ones as they cover its gold chunks, noise by class."""

    golden: tuple[Variant, ...]  # one of each gold chunk, then another of each, and so on
    noise: Mapping[str, tuple[Variant, ...]]
    hops: tuple[str, ...]  # the gold chunks
    dropped: Mapping[str, int] = field(default_factory=dict)  # why passages are not used: how many


def title_of(variant: Variant, chunks: Mapping[str, Chunk]) -> str:
    """The title of the document that a passage is shown as coming from; "" where it is not known."""
    chunk = chunks.get(variant.chunk_id)
    return chunk.title if chunk else ""


def shown(variant: Variant, chunks: Mapping[str, Chunk], titles: bool) -> str:
    """A passage as a system under test sees it."""
    title = title_of(variant, chunks) if titles else ""
    return f"{title}\n{variant.text}" if title else variant.text


def passages(
    question: Question, variants: Iterable[Variant], chunks: Mapping[str, Chunk], titles: bool, seed: int
) -> Passages:
    """What of a question's variants can be mixed, whatever order they come in.

    Left out and counted: rejected ones, a text that is there already, and noise that holds the answer after all, if
    only in its title. Those that are left are ordered by a hash of the question, the seed and their own id, so that
    one passage more or less moves no other.
    """
    dropped: dict[str, int] = {}
    pools: dict[str, list[Variant]] = {name: [] for name in CLASSES}
    seen: set[str] = set()
    rows = sorted(
        (variant for variant in variants if variant.side == "context" and variant.family in pools),
        key=lambda variant: row_id("pool", question.question_id, seed, variant.variant_id),
    )
    for variant in sorted(rows, key=lambda variant: CLASSES.index(variant.family)):
        why = _against(variant, question, chunks, titles, seen)
        if why:
            dropped[why] = dropped.get(why, 0) + 1
        else:
            seen.add(_folded(variant.text))
            pools[variant.family].append(variant)
    golden = pools.pop(GOLDEN)
    hops = tuple(
        sorted(
            set(question.chunk_ids) or {variant.chunk_id for variant in golden},
            key=lambda chunk_id: row_id("hop", question.question_id, seed, chunk_id),
        )
    )
    return Passages(tuple(_in_turn(golden, hops)), {name: tuple(pool) for name, pool in pools.items()}, hops, dropped)


def _against(variant: Variant, question: Question, chunks: Mapping[str, Chunk], titles: bool, seen: set[str]) -> str:
    if variant.rejected_because:
        return "rejected"
    if not variant.text.strip():
        return "empty"
    if _folded(variant.text) in seen:
        return "same_text"
    if variant.family != GOLDEN:
        if tells(variant.text, question) or called(variant.text, question.answer, question.text):
            return "answer_in_noise"
        if any(all(_folded(piece) in _folded(variant.text) for piece in hop) for hop in _evidence(question)):
            return "evidence_in_noise"
        if titles and tells(title_of(variant, chunks), question):
            return "answer_in_title"
    return ""


def tells(text: str, question: Question) -> bool:
    """Can the answer of a question be read in a text, in whatever notation?"""
    return bool(readable(text, question.answer, question.aliases))


def _evidence(question: Question) -> list[list[str]]:
    """The evidence of each gold chunk: whoever has one of them has a part of the way to the answer."""
    found: dict[str, list[str]] = {}
    for piece, span in zip(question.evidence, question.evidence_spans, strict=False):
        found.setdefault(span.chunk_id, []).append(piece)
    return list(found.values())


def _in_turn(golden: Sequence[Variant], hops: Sequence[str]) -> Iterable[Variant]:
    """One passage of each gold chunk, then a second of each, and so on; of other chunks none."""
    rounds = zip_longest(*([variant for variant in golden if variant.chunk_id == hop] for hop in hops))
    return (variant for turn in rounds for variant in turn if variant)


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
