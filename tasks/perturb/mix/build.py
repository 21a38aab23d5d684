"""Contexts of a question, each of so many passages of each class (Magic Mushroom §4.1, §4.4–4.6, F.1)."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rarefy.data_contracts.contexts import Context
from rarefy.data_contracts.rows import Chunk, Question, Variant, row_id
from rarefy.tasks.corpus.chunk.tokens import counter
from rarefy.tasks.find import find
from rarefy.tasks.perturb.mix.arrange import ORDERS, arranged
from rarefy.tasks.perturb.mix.config import GOLDEN, NATURALLY, RATIOS_MULTI, RATIOS_SINGLE, MixConfig
from rarefy.tasks.perturb.mix.length import Group, bin_of, chosen, limits
from rarefy.tasks.perturb.mix.pools import Passages, passages, shown
from rarefy.tasks.perturb.mix.scenarios import SCENARIOS, Scenario
from rarefy.tasks.perturb.mix.shares import needed, noise_of, weights
from rarefy.tasks.perturb.proof import Embed

Count = Callable[[Sequence[str]], list[int]]


@dataclass(frozen=True, slots=True)
class _Setting:
    """What is asked for of one context, beside what the config says for all."""

    mix: str
    ratio: float
    scenario: str = ""


def mix(
    questions: Iterable[Question],
    variants: Iterable[Variant],
    config: MixConfig,
    *,
    chunks: Mapping[str, Chunk] | None = None,
    scenarios: Mapping[str, Scenario] | None = None,
    embed: Embed | None = None,
    count: Count | None = None,
    pools: Mapping[str, Passages] | None = None,
) -> Iterator[Context]:
    """The contexts of each accepted question, for every setting of the config.

    A question's contexts hang on its own passages alone, in whatever order rows come. `chunks` tell the titles;
    `scenarios` are known besides the paper's; `embed` is needed for order "ranked" alone; `count` counts tokens
    instead of `config.tokenizer`; `pools`, by question, are what `pools.passages` makes of the same rows, for who mixes
    one question in several ways. ValueError for a scenario, mix, length or order that there is not.
    """
    known = SCENARIOS | dict(scenarios or {})
    _check(config, known, embed)
    counts = count or counter(config.tokenizer)
    of_question: dict[str, list[Variant]] = defaultdict(list)
    for variant in variants:
        if variant.side == "context":
            of_question[variant.question_id].append(variant)
    for question in questions:
        if not question.rejected_because:
            have = of_question.pop(question.question_id, [])
            made = (pools or {}).get(question.question_id)
            pool = made or passages(question, have, chunks or {}, config.titles, config.seed)
            lengths = _lengths(pool, chunks or {}, config, counts)
            for setting in settings(question, config, known):
                yield _context(question, setting, config, pool, lengths, embed)


def settings(question: Question, config: MixConfig, known: Mapping[str, Scenario]) -> list[_Setting]:
    """What is asked for of a question: each ratio with each mix, then each scenario."""
    ratios = config.ratios or (RATIOS_SINGLE if question.pattern == "single" else RATIOS_MULTI)
    grid = config.mixes or (() if config.scenarios and not config.ratios else (NATURALLY,))
    found = [_Setting(name, ratio) for name in grid for ratio in ratios]
    return found + [_Setting(known[name].mix, known[name].ratio, name) for name in config.scenarios]


def _check(config: MixConfig, known: Mapping[str, Scenario], embed: Embed | None) -> None:
    for name in config.scenarios:
        if name not in known:
            raise ValueError(f"no scenario {name!r}; have {', '.join(known)}, or name a file that has it")
    for name in config.mixes:
        weights(name)
    if config.length:
        limits(config.length)
    if find(config.order, ORDERS) is ORDERS["ranked"] and embed is None:
        raise ValueError('order "ranked" needs an embedder')


def _lengths(pool: Passages, chunks: Mapping[str, Chunk], config: MixConfig, count: Count) -> dict[str, int]:
    every = [*pool.golden, *(variant for part in pool.noise.values() for variant in part)]
    found = count([shown(variant, chunks, config.titles) for variant in every])
    return {variant.variant_id: tokens for variant, tokens in zip(every, found, strict=True)}


def _context(
    question: Question,
    setting: _Setting,
    config: MixConfig,
    pool: Passages,
    lengths: Mapping[str, int],
    embed: Embed | None,
) -> Context:
    asked = noise_of(config.k, setting.ratio)
    groups, short = _groups(question, setting, config, pool, asked)
    reason = "" if groups else "no_passages"
    picked: list[Variant] | None = [variant for part, size in groups for variant in part[:size]]
    if groups and config.length:
        picked = _of_length(groups, lengths, config.length)
        reason = "" if picked else "length"
    shown_, position = arranged(picked or [], question, config, embed)
    classes = tuple(variant.family for variant in shown_)
    covered = {variant.chunk_id for variant in shown_ if variant.family == GOLDEN}
    tokens = sum(lengths[variant.variant_id] for variant in shown_)
    said = _said(setting, config)
    ids = tuple(variant.variant_id for variant in shown_)
    return Context(
        context_id=row_id("context", question.question_id, said, config.seed, *ids),
        question_id=question.question_id,
        variant_ids=ids,
        classes=classes,
        setting=said,
        k=config.k,
        ratio=setting.ratio,
        passages=len(ids),
        noise=round(1 - classes.count(GOLDEN) / len(ids), 4) if ids else -1.0,
        mix=setting.mix,
        scenario=setting.scenario,
        placed=config.placed if config.position else "",
        position=position,
        order=config.order,
        length=config.length,
        tokens=tokens,
        bin=bin_of(tokens) if ids else "",
        seed=config.seed,
        partial_gold=bool(ids) and asked < config.k and covered != set(pool.hops),
        short_of=tuple(short),
        rejected_because=reason,
    )


def _groups(
    question: Question, setting: _Setting, config: MixConfig, pool: Passages, asked: int
) -> tuple[list[tuple[tuple[Variant, ...], int]], list[str]]:
    """The passages to take from, with how many of each, and what the pools lack; no groups where nothing can be made.

    Where a pool is short the context gets smaller and keeps its ratio: what a class of noise lacks is left out, or
    filled from others where the config says so, and then golden passages, or noise, are left out until the ratio is
    the one asked for again. So one class of seven passages makes k 8 at ratio .9 and k 7 at ratio 1, as in F.1.
    """
    seed = (question.question_id, config.seed)

    def take(count: int) -> dict[str, int]:
        """How many of each class so many passages of noise would be, as far as the pools have them."""
        wanted = needed(count, setting.mix, *seed)
        found = {name: min(size, len(pool.noise[name])) for name, size in wanted.items()}
        if config.fill:
            spare = [v for name, part in pool.noise.items() for v in part[found.get(name, 0) :]]
            spare.sort(key=lambda variant: row_id("fill", *seed, variant.variant_id))
            for variant in spare[: count - sum(found.values())]:
                found[variant.family] = found.get(variant.family, 0) + 1
        return found

    wanted = needed(asked, setting.mix, *seed)
    short = [
        f"{name}: {len(pool.noise[name])} of {size}" for name, size in wanted.items() if len(pool.noise[name]) < size
    ]
    if len(pool.golden) < config.k - asked:
        short.insert(0, f"{GOLDEN}: {len(pool.golden)} of {config.k - asked}")
    most = sum(take(asked).values())
    size, noise = next(
        (
            (size, noise)
            for size in range(config.k, 0, -1)
            if (noise := noise_of(size, setting.ratio)) <= most
            and size - noise <= len(pool.golden)
            and (asked == config.k or noise < size)  # some golden where some was asked for, and some noise likewise
            and (asked == 0 or noise > 0)
        ),
        (0, 0),
    )
    if not size:
        return [], short
    # the least request that the pools answer with so much noise: shares stay as near as they can
    counts = next(found for count in range(noise, asked + 1) if sum((found := take(count)).values()) >= noise)
    while sum(counts.values()) > noise:  # by largest remainder one place more may give two classes one more each
        counts[max(counts, key=lambda name: (counts[name], name))] -= 1
    golden = [(_of_hop(pool, hop), n) for hop, n in _hops(pool, size - noise).items()]
    return [*golden, *((pool.noise[name], n) for name, n in counts.items() if n)], short


def _hops(pool: Passages, count: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for variant in pool.golden[:count]:
        found[variant.chunk_id] = found.get(variant.chunk_id, 0) + 1
    return found


def _of_hop(pool: Passages, hop: str) -> tuple[Variant, ...]:
    return tuple(variant for variant in pool.golden if variant.chunk_id == hop)


def _of_length(
    groups: Sequence[tuple[tuple[Variant, ...], int]], lengths: Mapping[str, int], name: str
) -> list[Variant] | None:
    tokens: list[Group] = [([lengths[variant.variant_id] for variant in part], size) for part, size in groups]
    picks = chosen(tokens, *limits(name))
    if picks is None:
        return None
    return [part[place] for (part, _), places in zip(groups, picks, strict=True) for place in places]


def _said(setting: _Setting, config: MixConfig) -> str:
    """A setting in words: what was asked for, without what is as by default."""
    parts = [setting.scenario or setting.mix, f"k {config.k}"]
    parts += [] if setting.scenario else [f"ratio {setting.ratio:g}"]
    if config.position:
        parts.append(f"{config.placed} {config.position}" + (", question last" * (config.question == "after")))
    parts += [config.order] * (config.order != "shuffled")
    parts += [f"{config.length} tokens"] * bool(config.length)
    parts += ["filled"] * config.fill
    return ", ".join(parts)
