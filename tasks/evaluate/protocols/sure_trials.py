"""What SURE puts to a system: a question with each document of its own, as it is and changed (SURE §3, Table 2)."""

from collections.abc import Iterator
from typing import Literal

from pydantic import BaseModel, Field, field_validator

from rarefy.data_contracts.rows import Chunk, Trial
from rarefy.tasks.evaluate.protocols.case import NONE, QuestionVariants
from rarefy.tasks.evaluate.protocols.protocol import trial

NAME = "sure"
PROBE, GOLDEN, NOISE = "probe", "golden", "noise"  # cells
# Rows of Table 2 by type; a type's score is the mean of its rows' (§4.3)
TYPES: dict[str, tuple[str, ...]] = {
    "style": ("simple", "complex"),
    "source": ("llm_generated", "self_generated"),
    "logic": ("reverse_order", "random_order", "llm_ranked"),
    "format": ("json", "html", "yaml", "markdown"),
    "metadata": ("timestamp_pre", "timestamp_post", "datasource_wiki", "datasource_twitter"),
}
Baseline = Literal["html", "plain"]


class SureConfig(BaseModel, frozen=True, extra="forbid"):
    """Which changes of documents are tried, on which documents, and against what."""

    perturbations: tuple[str, ...] = Field(
        tuple(name for names in TYPES.values() for name in names),
        min_length=1,
        description="of documents, by name; those that the benchmark does not hold are counted as skipped",
    )
    multi_hop: Literal["left_out", "by_answer"] = Field(
        "left_out",
        description="a question with several gold chunks cannot be answered from one document, which is all that a "
        "prompt of SURE has: left_out, or by_answer: the chunk that holds the answer is Golden, the others Noise",
        json_schema_extra={"tag": "open", "source": "SURE §3.3 (its queries are single-hop)"},
    )
    noise: int = Field(
        1,
        ge=0,
        description="Noise documents per question: the best retrieved chunks that are not gold and do not hold the "
        "answer in any notation, changed by rules; the paper has all of 100 retrieved ones. 0: no K-N and U-N",
    )
    noise_from: tuple[str, ...] = Field(
        ("dense", "bm25"), min_length=1, description="retrievers of Noise documents; the first that was run is used"
    )
    metadata_baselines: tuple[Baseline, ...] = Field(
        ("html", "plain"),
        min_length=1,
        description="what a page with metadata is compared with: the same page without, or the plain text; every "
        "sum, mean and radar is of the first. Table 2 speaks for html: HTML alone loses 9.3 % on K-G, with a "
        "timestamp in it 2.6 %",
        json_schema_extra={"tag": "open", "source": "SURE §3.3, Figure 9 (S3)"},
    )
    whole_types: bool = Field(
        False,
        description="count a document for a type only where all of the type's changes that were made at all passed "
        "their checks for it, as the equal counts of Table 1 say the paper did",
        json_schema_extra={"tag": "recon", "source": "SURE Table 1 (S6)"},
    )
    sig_systems: tuple[str, ...] = Field(
        (), max_length=2, description="the two systems that SIG is taken from; none: the first two by name"
    )
    sig_size: int = Field(100, ge=1, description="pairs of SIG per subset (K-G, U-G) and perturbation, at most")
    sig_split: Literal["agree", "first"] = Field(
        "agree",
        description="the subset of a SIG pair, where K and U are each system's own: agree takes pairs that are in the "
        "same for both, first goes by the first system",
        json_schema_extra={"tag": "open", "source": "SURE §4.3"},
    )

    @field_validator("perturbations", "metadata_baselines")
    @classmethod
    def _once(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(names)) < len(names):
            raise ValueError(f"{names}: each once")
        return names

    @field_validator("sig_systems")
    @classmethod
    def _two(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if len(names) == 1 or len(set(names)) < len(names):
            raise ValueError(f"sig_systems {names}: name two different systems, or none")
        return names


def trials(case: QuestionVariants, config: SureConfig) -> Iterator[Trial]:
    """The closed-book probe, then each document of the question alone in a prompt: as it is, and changed."""
    if not asked(case, config):
        yield trial(NAME, case, GOLDEN, "passages", skipped_because="multi_hop")
        return
    yield trial(NAME, case, PROBE, "closed_book")
    single = _single(case)
    for chunk_id in dict.fromkeys(case.question.chunk_ids):
        golden = single or holds_answer(case, case.chunks[chunk_id])
        yield from _documents(case, config, chunk_id, GOLDEN if golden else NOISE, own=True)
    if config.noise:
        for chunk_id in sorted({row.chunk_id for row in case.noise}):
            yield from _documents(case, config, chunk_id, NOISE, own=False)


def asked(case: QuestionVariants, config: SureConfig) -> bool:
    """Is a question asked at all?"""
    return _single(case) or config.multi_hop == "by_answer"


def _single(case: QuestionVariants) -> bool:
    return len(set(case.question.chunk_ids)) == 1


def _documents(case: QuestionVariants, config: SureConfig, chunk_id: str, cell: str, own: bool) -> Iterator[Trial]:
    """A document as it is and in each change; html too, where a page with metadata is compared with it."""
    yield trial(NAME, case, cell, "passages", chunk_id=chunk_id, document=NONE, passage_ids=(chunk_id,))
    for name in wanted(config):
        kept = case.changed(name, chunk_id) if own else case.noise
        variants = [row for row in kept if row.perturbation == name and row.chunk_id == chunk_id]
        for variant in variants:
            ids = (variant.variant_id,)
            number = variant.number
            yield trial(NAME, case, cell, "passages", chunk_id=chunk_id, document=name, number=number, passage_ids=ids)
        if not variants:
            why = case.why_not("document" if own else "noise", name)
            yield trial(NAME, case, cell, "passages", chunk_id=chunk_id, document=name, skipped_because=why)


def wanted(config: SureConfig) -> tuple[str, ...]:
    """The perturbations that are tried: those chosen, and what they are compared with."""
    against = (name for one in config.perturbations for name in baselines(one, config) if name != NONE)
    return tuple(dict.fromkeys((*config.perturbations, *against)))


def baselines(perturbation: str, config: SureConfig) -> tuple[str, ...]:
    """What a change is compared with, by name: the document as it is, or, for metadata, the bare page too."""
    from rarefy.tasks.perturb.catalogue import CATALOGUE  # late: what makes trials need not load what makes variants

    entry = CATALOGUE.get(perturbation)
    if entry is None or len(entry.baseline) < 2:
        return (NONE,)
    page = next(name for name in entry.baseline if name != NONE)
    return tuple({"html": page, "plain": NONE}[one] for one in config.metadata_baselines)


def type_of(perturbation: str) -> str:
    """The type of spurious feature that a change belongs to; its own name where it is from elsewhere."""
    from rarefy.tasks.perturb.catalogue import CATALOGUE

    entry = CATALOGUE.get(perturbation)
    return entry.family if entry else perturbation


def holds_answer(case: QuestionVariants, chunk: Chunk) -> bool:
    """Is an answer of the question in this chunk, in any notation (S8)?"""
    from rarefy.tasks.text.answers import readable

    return bool(readable(chunk.text, case.question.answer, case.question.aliases))
