"""Each question without passages, and with contexts mixed to order (arXiv 2506.03901 §4.1, §4.4–4.6)."""

from collections.abc import Iterator, Sequence
from functools import cache

from rarefy.data_contracts.rows import Context, Trial
from rarefy.tasks.corpus.chunk.tokens import counter
from rarefy.tasks.evaluate.protocols.case import QuestionVariants
from rarefy.tasks.evaluate.protocols.magic_mushroom_config import (
    CLASS,
    LENGTH,
    POSITION,
    PROBE,
    RATIO,
    SCENARIO,
    MagicMushroomConfig,
)
from rarefy.tasks.evaluate.protocols.protocol import trial
from rarefy.tasks.perturb.mix import GOLDEN, MixConfig, mix
from rarefy.tasks.perturb.mix.pools import passages

TITLES = True  # a system is shown passages under their titles
TOKENIZER = "minilm"  # of the lengths in `bin`, as in `rarefy mix`


def trials(case: QuestionVariants, config: MagicMushroomConfig) -> Iterator[Trial]:
    """The probe, and a row for every context of every setting, run after run."""
    yield trial("magic_mushroom", case, PROBE, "closed_book")
    question = case.question
    for run in range(config.runs):
        wanted = settings(config, run)
        pool = passages(question, case.context, case.chunks, TITLES, config.seed + run)  # costs more than the mixing
        for cell, asked in wanted:
            pools = {question.question_id: pool}
            for context in mix([question], case.context, asked, chunks=case.chunks, count=_lengths, pools=pools):
                yield _row(case, cell, context, run)


@cache
def settings(config: MagicMushroomConfig, run: int) -> tuple[tuple[str, MixConfig], ...]:
    """What is mixed for each analysis: ratios, single classes, scenarios, positions, lengths."""
    told = {name: getattr(config, name) for name in ("k", "ratios", "mixes", "question", "order", "fill")}
    plain = MixConfig.model_validate({**told, "titles": TITLES, "tokenizer": TOKENIZER, "seed": config.seed + run})
    found = [(RATIO, plain)] if config.mixes else []
    if config.classes and config.class_ratios:
        found.append((CLASS, plain.model_copy(update={"mixes": config.classes, "ratios": config.class_ratios})))
    if config.scenarios:
        alone = {"mixes": (), "ratios": (), "scenarios": config.scenarios}
        found.append((SCENARIO, plain.model_copy(update=alone)))
    for name in config.placed if config.positions else ():
        golden = name == GOLDEN
        asked = {
            "placed": name,
            "mixes": config.mixes[:1] if golden else (name,),
            "ratios": tuple(round(1 - share, 4) if golden else share for share in config.placed_shares),
        }
        found += [(POSITION, plain.model_copy(update={**asked, "position": place})) for place in config.positions]
    found += [(LENGTH, plain.model_copy(update={"length": name, "mixes": config.mixes[:1]})) for name in config.lengths]
    return tuple(found)


def _row(case: QuestionVariants, cell: str, context: Context, run: int) -> Trial:
    return trial(
        "magic_mushroom",
        case,
        cell,
        "passages",
        number=run,
        passage_ids=context.variant_ids,
        k=context.k,
        context_id=context.context_id,
        mix=context.mix,
        ratio=context.ratio,
        scenario=context.scenario,
        placed=context.placed,
        position=context.position,
        bin=context.length or context.bin,
        order=context.order,
        noise=context.noise,
        skipped_because=context.rejected_because,
    )


@cache
def _tokens(text: str) -> int:
    return counter(TOKENIZER)([text])[0]


def _lengths(texts: Sequence[str]) -> list[int]:
    return [_tokens(text) for text in texts]
