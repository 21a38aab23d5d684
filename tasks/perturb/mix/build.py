"""Mix contexts of passages of each class, by ratio, scenario, position and length (Magic Mushroom §4, F.1)."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from rarefy.data_contracts.rows import Chunk, Context, Question, Variant, row_id
from rarefy.tasks.corpus.tokens import counter
from rarefy.tasks.find import find
from rarefy.tasks.perturb.mix.config import (
    CLASSES,
    GOLDEN,
    NATURAL,
    NATURALLY,
    NOISE,
    RATIOS_MULTI,
    RATIOS_SINGLE,
    SCENARIOS,
    MixConfig,
    Scenario,
)
from rarefy.tasks.perturb.mix.pools import Passages, collect_passages, render_passage
from rarefy.tasks.perturb.proof import Embed

# Passages per class (Magic Mushroom §4.1, F.1)


def count_noise(k: int, ratio: float) -> int:
    """How many of `k` passages are noise: k · ratio, halves rounded up; between 0 and 1 at least one of each."""
    exact = Fraction(str(ratio)) * k
    count = int(exact + Fraction(1, 2))
    return min(max(count, 1), k - 1) if 0 < ratio < 1 and k > 1 else count


def parse_mix(mix: str) -> dict[str, Fraction]:
    """The shares of the classes of noise in a mix, summing to 1; ValueError for an unknown mix."""
    if mix == NATURALLY:
        found = {name: Fraction(count) for name, count in NATURAL.items()}
    elif mix in NOISE:
        found = {mix: Fraction(1)}
    else:
        found = _parse_vector(mix)
    total = sum(found.values())
    return {name: share / total for name, share in found.items() if share}


def _parse_vector(mix: str) -> dict[str, Fraction]:
    parts = mix.split(":")
    try:
        numbers = [Fraction(part.strip()) for part in parts]
    except (ValueError, ZeroDivisionError):
        numbers = []
    if len(numbers) != len(NOISE) or min(numbers, default=-1) < 0 or not any(numbers):
        raise ValueError(
            f"no mix {mix!r}; have {NATURALLY}, {', '.join(NOISE)}, or {len(NOISE)} numbers for these in this order, "
            'as "3:1:1:2"'
        )
    return dict(zip(NOISE, numbers, strict=True))


def apportion(count: int, shares: Mapping[str, Fraction], *seed: str | int) -> dict[str, int]:
    """`count` places by largest remainder; the seed decides ties, so that no class is favoured."""
    exact = {name: share * count for name, share in shares.items()}
    found = {name: int(share) for name, share in exact.items()}
    first = sorted(exact, key=lambda name: (found[name] - exact[name], row_id("tie", name, *seed)))
    for name in first[: count - sum(found.values())]:
        found[name] += 1
    return found


def draw_classes(count: int, *seed: str | int) -> list[str]:
    """The classes of `count` passages of noise, drawn at random from 10 + 7 + 7 + 7 places as in Magic Mushroom.

    A smaller count gives the first of a larger one. Over many questions each class has its share.
    """
    places = [(name, at) for name, size in NATURAL.items() for at in range(size)]
    places.sort(key=lambda place: row_id("draw", *place, *seed))
    return [places[at % len(places)][0] for at in range(count)]  # repeated beyond 31


def count_by_class(count: int, mix: str, *seed: str | int) -> dict[str, int]:
    """How many of each class `count` passages of noise are."""
    if mix != NATURALLY:
        return apportion(count, parse_mix(mix), *seed)
    names = draw_classes(count, *seed)
    return {name: names.count(name) for name in NATURAL}


# Contexts of a given number of tokens (Magic Mushroom §4.5)

BINS = ("0-299", "300-599", "600-899", "900-1199", "1200-1499", "1500+")
LIMIT = 10**9  # tokens for "or more"


def parse_bin(name: str) -> tuple[int, int]:
    """The least and the greatest number of tokens of a bin, "300-599" or "1500+"; ValueError for another name."""
    found = re.fullmatch(r"(\d+)\s*(?:[-–]\s*(\d+)|\+)", name.strip())
    low, high = (int(found[1]), int(found[2] or LIMIT)) if found else (1, 0)
    if low > high:
        raise ValueError(f"no length {name!r}; have {', '.join(BINS)}, or write tokens as 200-400 or 2000+")
    return low, high


def find_bin(tokens: int) -> str:
    """The bin of Magic Mushroom for a number of tokens."""
    return next(name for name in BINS if parse_bin(name)[0] <= tokens <= parse_bin(name)[1])


Group = tuple[Sequence[int], int]
"""The lengths of some passages in order of preference, and how many of them to take."""


def choose_by_length(groups: Sequence[Group], low: int, high: int) -> list[list[int]] | None:
    """The passages of each group, by index, whose lengths sum to between `low` and `high`; None where none do.

    Exact, over all reachable sums: takes the sum nearest to that of the first passages of each group, and reaches it
    with passages from the front.
    """
    top = min(high, sum(sum(lengths) for lengths, _ in groups))
    tables = [_find_reachable_sums(lengths, count, top) for lengths, count in groups]
    if any(not table[0][count] for table, (_, count) in zip(tables, groups, strict=True)):
        return None
    suffixes = [1]  # sums of this group and those after it, as bits
    for table, (_, count) in zip(reversed(tables), reversed(groups), strict=True):
        suffixes.append(_add_sums(suffixes[-1], table[0][count], top))
    suffixes.reverse()
    target = _nearest_sum(suffixes[0], low, top, sum(sum(lengths[:count]) for lengths, count in groups))
    if target is None:
        return None
    picks = []
    for table, rest, (lengths, count) in zip(tables, suffixes[1:], groups, strict=True):
        mine = _share_of_group(table[0][count], rest, target, sum(lengths[:count]))
        picks.append(_take_from_front(table, lengths, count, mine))
        target -= mine
    return picks


def _find_reachable_sums(lengths: Sequence[int], count: int, top: int) -> list[list[int]]:
    """table[i][j]: bit set of the sums of j of the passages from i on."""
    mask = (1 << (top + 1)) - 1
    table = [[1] + [0] * count]
    for length in reversed(lengths):
        after = table[-1]
        table.append([1] + [(after[j] | after[j - 1] << length) & mask for j in range(1, count + 1)])
    table.reverse()
    return table


def _add_sums(first: int, second: int, top: int) -> int:
    """The sums of a number of one bit set and a number of the other."""
    fewer, more = sorted((first, second), key=int.bit_count)
    found = 0
    for shift in _list_bits(fewer):
        found |= more << shift
    return found & ((1 << (top + 1)) - 1)


def _list_bits(bits: int) -> list[int]:
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return found


def _nearest_sum(bits: int, low: int, top: int, wish: int) -> int | None:
    fitting = [total for total in _list_bits(bits >> low << low) if total <= top]
    return min(fitting, key=lambda total: (abs(total - wish), total), default=None)


def _share_of_group(own: int, rest: int, target: int, wish: int) -> int:
    """The part of the target for this group such that later groups can reach the rest."""
    fitting = [total for total in _list_bits(own) if total <= target and rest >> (target - total) & 1]
    return min(fitting, key=lambda total: (abs(total - wish), total))


def _take_from_front(table: list[list[int]], lengths: Sequence[int], count: int, total: int) -> list[int]:
    picks = []
    for place, length in enumerate(lengths):
        if count and total >= length and table[place + 1][count - 1] >> (total - length) & 1:
            picks.append(place)
            count, total = count - 1, total - length
    return picks


# Order and position of passages (Magic Mushroom §4.5)

Order = Callable[[Sequence[Variant], Question, int, Embed | None], list[Variant]]
"""Orders passages from top to bottom: (passages, question, seed, embed)."""


def order_shuffled(chosen: Sequence[Variant], question: Question, seed: int, embed: Embed | None) -> list[Variant]:
    """By hash; two passages have the same order in every context of the question."""
    return sorted(chosen, key=lambda variant: row_id("order", question.question_id, seed, variant.variant_id))


def order_original(chosen: Sequence[Variant], question: Question, seed: int, embed: Embed | None) -> list[Variant]:
    """Golden passages, then noise by class."""
    return sorted(chosen, key=lambda variant: CLASSES.index(variant.family))


def order_reversed(chosen: Sequence[Variant], question: Question, seed: int, embed: Embed | None) -> list[Variant]:
    """As `order_original`, from last to first."""
    return order_original(chosen, question, seed, embed)[::-1]


def order_ranked(chosen: Sequence[Variant], question: Question, seed: int, embed: Embed | None) -> list[Variant]:
    """By similarity to the question, as a retriever by embeddings would; ValueError without embedder."""
    if embed is None:
        raise ValueError('order "ranked" needs an embedder')
    if not chosen:
        return []
    vectors = np.asarray(embed([question.text, *(variant.text for variant in chosen)]))
    alike = [round(float(vector @ vectors[0]), 4) for vector in vectors[1:]]  # the last digits depend on the machine
    return [v for _, _, v in sorted((-a, v.variant_id, v) for a, v in zip(alike, chosen, strict=True))]


ORDERS: dict[str, Order] = {
    "shuffled": order_shuffled,
    "original": order_original,
    "reversed": order_reversed,
    "ranked": order_ranked,
}


def arrange_passages(
    chosen: Sequence[Variant], question: Question, config: MixConfig, embed: Embed | None
) -> tuple[list[Variant], str]:
    """The passages from top to bottom, and the position of the class `config.placed` ("" where it is absent).

    Near is next to the question, far at the other end, mid in the middle (of an odd number of others, the larger part
    is on the side of the question).
    """
    order: Order = find(config.order, ORDERS)
    placed = [v for v in chosen if config.position and v.family == config.placed]
    if not placed:
        return order(chosen, question, config.seed, embed), ""
    others = [variant for variant in chosen if variant.family != config.placed]
    block, rest = (order(part, question, config.seed, embed) for part in (placed, others))
    before = {"near": 0, "mid": (len(rest) + 1) // 2, "far": len(rest)}[config.position]
    if config.question == "after":
        before = len(rest) - before
    return [*rest[:before], *block, *rest[before:]], config.position


Count = Callable[[Sequence[str]], list[int]]


@dataclass(frozen=True, slots=True)
class _Setting:
    """What one context should be made of."""

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
    """The contexts of each accepted question but absences, which have no gold passage, for every setting of the config.

    A question's contexts depend on its own passages alone, in any order of rows. `chunks` give the titles; `scenarios`
    are added to the paper's; `embed` is needed for order "ranked"; `count` counts tokens instead of
    `config.tokenizer`; `pools`, by question, are the results of `collect_passages` where one is mixed several times.
    ValueError for an unknown scenario, mix, length or order.
    """
    known = SCENARIOS | dict(scenarios or {})
    _check_config(config, known, embed)
    counts = count or counter(config.tokenizer)
    of_question: dict[str, list[Variant]] = defaultdict(list)
    for variant in variants:
        if variant.side == "context":
            of_question[variant.question_id].append(variant)
    for question in questions:
        if not question.rejected_because and question.pattern != "absent":
            have = of_question.pop(question.question_id, [])
            given_pool = (pools or {}).get(question.question_id)
            pool = given_pool or collect_passages(question, have, chunks or {}, config.titles, config.seed)
            lengths = _count_lengths(pool, chunks or {}, config, counts)
            for setting in list_settings(question, config, known):
                yield _make_context(question, setting, config, pool, lengths, embed)


def list_settings(question: Question, config: MixConfig, known: Mapping[str, Scenario]) -> list[_Setting]:
    """The settings for a question: each ratio with each mix, then each scenario."""
    ratios = config.ratios or (RATIOS_SINGLE if question.pattern == "single" else RATIOS_MULTI)
    grid = config.mixes or (() if config.scenarios and not config.ratios else (NATURALLY,))
    found = [_Setting(name, ratio) for name in grid for ratio in ratios]
    return found + [_Setting(known[name].mix, known[name].ratio, name) for name in config.scenarios]


def _check_config(config: MixConfig, known: Mapping[str, Scenario], embed: Embed | None) -> None:
    for name in config.scenarios:
        if name not in known:
            raise ValueError(f"no scenario {name!r}; have {', '.join(known)}, or name a file that has it")
    for name in config.mixes:
        parse_mix(name)
    if config.length:
        parse_bin(config.length)
    if find(config.order, ORDERS) is ORDERS["ranked"] and embed is None:
        raise ValueError('order "ranked" needs an embedder')


def _count_lengths(pool: Passages, chunks: Mapping[str, Chunk], config: MixConfig, count: Count) -> dict[str, int]:
    every = [*pool.golden, *(variant for part in pool.noise.values() for variant in part)]
    found = count([render_passage(variant, chunks, config.titles) for variant in every])
    return {variant.variant_id: tokens for variant, tokens in zip(every, found, strict=True)}


def _make_context(
    question: Question,
    setting: _Setting,
    config: MixConfig,
    pool: Passages,
    lengths: Mapping[str, int],
    embed: Embed | None,
) -> Context:
    asked = count_noise(config.k, setting.ratio)
    groups, short = _choose_groups(question, setting, config, pool, asked)
    reason = "" if groups else "no_passages"
    picked: list[Variant] | None = [variant for part, size in groups for variant in part[:size]]
    if groups and config.length:
        picked = _fit_length(groups, lengths, config.length)
        reason = "" if picked else "length"
    shown_, position = arrange_passages(picked or [], question, config, embed)
    classes = tuple(variant.family for variant in shown_)
    covered = {variant.chunk_id for variant in shown_ if variant.family == GOLDEN}
    tokens = sum(lengths[variant.variant_id] for variant in shown_)
    setting_text = _describe_setting(setting, config)
    ids = tuple(variant.variant_id for variant in shown_)
    return Context(
        context_id=row_id("context", question.question_id, setting_text, config.seed, *ids),
        question_id=question.question_id,
        variant_ids=ids,
        classes=classes,
        setting=setting_text,
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
        bin=find_bin(tokens) if ids else "",
        seed=config.seed,
        partial_gold=bool(ids) and asked < config.k and covered != set(pool.hops),
        short_of=tuple(short),
        rejected_because=reason,
    )


def _choose_groups(
    question: Question, setting: _Setting, config: MixConfig, pool: Passages, asked: int
) -> tuple[list[tuple[tuple[Variant, ...], int]], list[str]]:
    """Groups of passages with how many to take of each, and what the pools lack; no groups where nothing fits.

    Where a pool is short the context gets smaller and keeps its ratio: what a class of noise lacks is left out (or
    filled from others, if so configured), and then golden passages or noise are left out until the ratio is right.
    So one class of seven passages makes k 8 at ratio .9 and k 7 at ratio 1, as in F.1.
    """
    seed = (question.question_id, config.seed)

    def take(count: int) -> dict[str, int]:
        """How many passages of each class the pools can give for so much noise."""
        wanted = count_by_class(count, setting.mix, *seed)
        found = {name: min(size, len(pool.noise[name])) for name, size in wanted.items()}
        if config.fill:
            spare = [v for name, part in pool.noise.items() for v in part[found.get(name, 0) :]]
            spare.sort(key=lambda variant: row_id("fill", *seed, variant.variant_id))
            for variant in spare[: count - sum(found.values())]:
                found[variant.family] = found.get(variant.family, 0) + 1
        return found

    wanted = count_by_class(asked, setting.mix, *seed)
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
            if (noise := count_noise(size, setting.ratio)) <= most
            and size - noise <= len(pool.golden)
            and (asked == config.k or noise < size)  # at least one golden and one noise where wanted
            and (asked == 0 or noise > 0)
        ),
        (0, 0),
    )
    if not size:
        return [], short
    # the smallest request for which the pools have so much noise keeps the shares best
    counts = next(found for count in range(noise, asked + 1) if sum((found := take(count)).values()) >= noise)
    while sum(counts.values()) > noise:  # one place more may give two classes one more each
        counts[max(counts, key=lambda name: (counts[name], name))] -= 1
    hops = Counter(variant.chunk_id for variant in pool.golden[: size - noise])
    golden = [(tuple(v for v in pool.golden if v.chunk_id == hop), n) for hop, n in hops.items()]
    return [*golden, *((pool.noise[name], n) for name, n in counts.items() if n)], short


def _fit_length(
    groups: Sequence[tuple[tuple[Variant, ...], int]], lengths: Mapping[str, int], name: str
) -> list[Variant] | None:
    tokens: list[Group] = [([lengths[variant.variant_id] for variant in part], size) for part, size in groups]
    picks = choose_by_length(tokens, *parse_bin(name))
    if picks is None:
        return None
    return [part[place] for (part, _), places in zip(groups, picks, strict=True) for place in places]


def _describe_setting(setting: _Setting, config: MixConfig) -> str:
    """A setting in words, without defaults."""
    parts = [setting.scenario or setting.mix, f"k {config.k}"]
    parts += [] if setting.scenario else [f"ratio {setting.ratio:g}"]
    if config.position:
        parts.append(f"{config.placed} {config.position}" + (", question last" * (config.question == "after")))
    parts += [config.order] * (config.order != "shuffled")
    parts += [f"{config.length} tokens"] * bool(config.length)
    parts += ["filled"] * config.fill
    return ", ".join(parts)
