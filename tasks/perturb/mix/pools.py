"""The passages available for the contexts of one question, by class, and how they are shown to a system."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from rarefy.data_contracts.rows import Chunk, Context, Question, Variant, row_id
from rarefy.tasks.perturb.context.other_values import is_name_mentioned
from rarefy.tasks.perturb.mix.config import CLASSES, GOLDEN
from rarefy.tasks.questions.operands import as_passages_state_it
from rarefy.tasks.text.answers import find_readable


@dataclass(frozen=True, slots=True)
class Passages:
    """A question's passages: golden ones, and noise by class."""

    golden: tuple[Variant, ...]  # one of each gold chunk, then another of each, and so on
    noise: Mapping[str, tuple[Variant, ...]]
    hops: tuple[str, ...]  # the gold chunks
    dropped: Mapping[str, int] = field(default_factory=dict)  # why passages are not used: how many


def find_title(variant: Variant, chunks: Mapping[str, Chunk]) -> str:
    """The title of a passage's document; "" where not known."""
    chunk = chunks.get(variant.chunk_id)
    return chunk.title if chunk else ""


def render_passage(variant: Variant, chunks: Mapping[str, Chunk], titles: bool) -> str:
    """A passage as it is shown to a system, with its title if wanted."""
    title = find_title(variant, chunks) if titles else ""
    return f"{title}\n{variant.text}" if title else variant.text


def collect_passages(
    question: Question, variants: Iterable[Variant], chunks: Mapping[str, Chunk], titles: bool, seed: int
) -> Passages:
    """The variants of a question that can be mixed, in any order of input.

    Left out and counted are rejected ones, repeated texts, and noise with the answer, if only in its title. The others
    are ordered by a hash of the question, the seed and their id, so that a passage more or less moves no other.
    """
    dropped: dict[str, int] = {}
    pools: dict[str, list[Variant]] = {name: [] for name in CLASSES}
    seen: set[str] = set()
    rows = sorted(
        (variant for variant in variants if variant.side == "context" and variant.family in pools),
        key=lambda variant: row_id("pool", question.question_id, seed, variant.variant_id),
    )
    for variant in sorted(rows, key=lambda variant: CLASSES.index(variant.family)):
        why = _find_reason_against(variant, question, chunks, titles, seen)
        if why:
            dropped[why] = dropped.get(why, 0) + 1
        else:
            seen.add(_fold(variant.text))
            pools[variant.family].append(variant)
    golden = pools.pop(GOLDEN)
    hops = tuple(
        sorted(
            set(question.chunk_ids) or {variant.chunk_id for variant in golden},
            key=lambda chunk_id: row_id("hop", question.question_id, seed, chunk_id),
        )
    )
    return Passages(
        tuple(_interleave_hops(golden, hops)), {name: tuple(pool) for name, pool in pools.items()}, hops, dropped
    )


def _find_reason_against(
    variant: Variant, question: Question, chunks: Mapping[str, Chunk], titles: bool, seen: set[str]
) -> str:
    if variant.rejected_because:
        return "rejected"
    if not variant.text.strip():
        return "empty"
    if _fold(variant.text) in seen:
        return "same_text"
    if variant.family != GOLDEN:
        if variant.chunk_id not in question.chunk_ids and variant.chunk_id in question.stating:
            return "gold_in_noise"
        stated = as_passages_state_it(question)
        if states_answer(variant.text, question) or is_name_mentioned(variant.text, stated.answer, question.text):
            return "answer_in_noise"
        if any(all(_fold(piece) in _fold(variant.text) for piece in hop) for hop in _group_evidence(question)):
            return "evidence_in_noise"
        if titles and states_answer(find_title(variant, chunks), question):
            return "answer_in_title"
    return ""


def states_answer(text: str, question: Question) -> bool:
    """Whether a text states the answer of a question, or an operand of a computed one, in any notation."""
    stated = as_passages_state_it(question)
    return bool(find_readable(text, stated.answer, stated.aliases))


def _group_evidence(question: Question) -> list[list[str]]:
    """The evidence of each gold chunk."""
    found: dict[str, list[str]] = {}
    for piece, span in zip(question.evidence, question.evidence_spans, strict=False):
        found.setdefault(span.chunk_id, []).append(piece)
    return list(found.values())


def _interleave_hops(golden: Sequence[Variant], hops: Sequence[str]) -> Iterable[Variant]:
    """One passage of each gold chunk, then a second of each, and so on; none of other chunks."""
    rounds = zip_longest(*([variant for variant in golden if variant.chunk_id == hop] for hop in hops))
    return (variant for turn in rounds for variant in turn if variant)


def _fold(text: str) -> str:
    return " ".join(text.casefold().split())


# Rendering (Magic Mushroom B.2)


def texts(
    context: Context,
    variants: Mapping[str, Variant],
    chunks: Mapping[str, Chunk] | None = None,
    *,
    titles: bool = True,
) -> list[str]:
    """The passages of a context as shown, from top to bottom, each under the title of its document.

    KeyError names a passage that is not among the variants.
    """
    missing = [name for name in context.variant_ids if name not in variants]
    if missing:
        raise KeyError(
            f"context {context.context_id}: no variant {missing[0]}; are these the variants it was mixed of?"
        )
    return [render_passage(variants[name], chunks or {}, titles) for name in context.variant_ids]
