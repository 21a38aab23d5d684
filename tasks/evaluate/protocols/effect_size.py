"""Effect size: how far does the score of a group move with the wording? PDR and Cohen's h (arXiv 2408.01963)."""

import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import COMPUTED, PATTERNS, Trial
from rarefy.tasks.evaluate.protocols.case import NONE, QuestionVariants
from rarefy.tasks.evaluate.protocols.display import Display, Mask, Rows, Title
from rarefy.tasks.evaluate.protocols.frame import Frame, proper_slices, select_columns
from rarefy.tasks.evaluate.protocols.protocol import PromptPack, Protocol, trial
from rarefy.tasks.evaluate.statistics.measure import Counts, Derived, Measure, Metric

# Effect sizes (§3, A.1)

Values = npt.NDArray[np.float64]
# Sawilowsky's words for |h|, each up to but not including its number (Table 5); for |H̃| the numbers are divided by pi
BANDS: tuple[tuple[str, float], ...] = (
    ("essentially zero", 0.01),
    ("very small", 0.2),
    ("small", 0.5),
    ("medium", 0.8),
    ("large", 1.2),
    ("very large", 2.0),
    ("huge", math.inf),
)


def pdr(original: Any, perturbed: Any) -> Values:
    """Performance drop rate `1 - perturbed / original`: 0 where both are 0, NaN where only the original is."""
    before, after = _shares(original), _shares(perturbed)
    with np.errstate(invalid="ignore", divide="ignore"):
        drop = 1 - after / before
    return np.where(before > 0, drop, np.where(after == 0, 0.0, np.nan))


def psi(share: Any) -> Values:
    """`2 arcsin(sqrt(share))`; ValueError where it is not between 0 and 1."""
    return np.asarray(2 * np.arcsin(np.sqrt(_shares(share))))


def cohens_h(original: Any, perturbed: Any) -> Values:
    """Cohen's h of a change, between -pi and pi: over 0 is an improvement."""
    return np.asarray(psi(perturbed) - psi(original))


def h_tilde(original: Any, perturbed: Any) -> Values:
    """H̃ = h / pi, between -1 and 1."""
    return np.asarray(cohens_h(original, perturbed) / math.pi)


def ah_tilde(original: Any, perturbed: Any) -> Values:
    """AH̃ = |H̃|. It is never under 0, so that its interval is over 0 wherever anything changed: set it against noise."""
    return np.abs(h_tilde(original, perturbed))


def describe_effect(h_tilde: float) -> str:
    """The word for an effect of this H̃ (or AH̃), whichever way it goes; "undefined" for NaN."""
    if math.isnan(h_tilde):
        return "undefined"
    size = abs(h_tilde) * math.pi
    return next(word for word, end in BANDS if size < end)


def cohens_d(before: Any, after: Any) -> float:
    """Difference of the means, after less before, in pooled standard deviations of two samples (Cohen 1988).

    One sample may be a single value (an original beside its variants), whose squares are 0. NaN where a sample is
    empty, both are single values, or neither varies.
    """
    first, second = np.asarray(before, dtype=float).ravel(), np.asarray(after, dtype=float).ravel()
    if min(len(first), len(second)) < 1 or len(first) + len(second) < 3:
        return math.nan
    freedom = len(first) + len(second) - 2
    squares = ((first - first.mean()) ** 2).sum() + ((second - second.mean()) ** 2).sum()
    if not squares > 0 or (np.ptp(first) == 0 and np.ptp(second) == 0):
        return math.nan
    return float((second.mean() - first.mean()) / math.sqrt(squares / freedom))


def hedges_g(before: Any, after: Any) -> float:
    """Cohen's d without its bias in small samples; NaN where that is, or the samples have fewer than four values."""
    return cohens_d(before, after) * hedges_correction(np.asarray(before).size + np.asarray(after).size - 2)


def hedges_correction(freedom: int) -> float:
    """Hedges' exact factor of gamma functions for so many degrees of freedom; NaN under two (Hedges 1981)."""
    if freedom < 2:
        return math.nan
    return math.exp(math.lgamma(freedom / 2) - math.lgamma((freedom - 1) / 2) - math.log(freedom / 2) / 2)


def _shares(score: Any) -> Values:
    """Scores from 0 to 1, NaN where there is none."""
    found = np.asarray(score, dtype=float)
    if ((found < 0) | (found > 1)).any():
        raise ValueError("a score is not between 0 and 1: effect sizes of shares do not apply (use Cohen's d)")
    return found


# Configuration (§2, §3)

ORIGINAL, REPEAT, OWN = "original", "repeat", "own"
SUPERFICIAL, PARAPHRASE, DISTRACTION = FAMILIES = ("superficial", "paraphrase", "distraction")


class EffectSizeConfig(BaseModel, frozen=True, extra="forbid"):
    """Which variants make a group with their original, and what the system is shown with them."""

    superficial: tuple[str, ...] = Field(
        (
            "upper_case",
            "lower_case",
            "proper_case",
            "no_punctuation",
            "butter_fingers",
            "character_swap",
            "white_space",
            "superficial_mix",
        ),
        description="perturbations of the question that change no word's meaning (S)",
    )
    paraphrase: tuple[str, ...] = Field(("paraphrase",), description="perturbations that reword the question (P)")
    distraction: tuple[str, ...] = Field(
        ("distraction_before", "distraction_after"),
        description="perturbations of the gold passages (D); only where those are what is shown",
    )
    passages: Literal["gold", "none", "retrieved", "own"] = Field(
        "gold",
        description="what is shown with the question: gold passages (BoolQ's passage), none (PopQA), retrieved ones, "
        "or whatever the system retrieves; a system that only retrieves itself has its own in any case",
        json_schema_extra={"tag": "open", "source": "effect size §2: it depends on the data set"},
    )
    retriever: str = Field(
        "", description='whose passages are shown where passages = "retrieved"; none: the first by name'
    )
    complete: bool = Field(
        True,
        description="a group of which any answer failed or is missing counts as failed or missing, so that what the "
        "system cannot answer cannot hide in a mean; false: the mean of the variants that were scored",
        json_schema_extra={"tag": "open", "source": "effect size §3 has no failures"},
    )
    repeats: int = Field(
        0,
        ge=0,
        description="times that the original is asked again, to know how much changes where nothing was changed",
        json_schema_extra={"tag": "open", "source": "not in the paper: AH̃ has no null without it"},
    )
    continuous: Literal["where_needed", "always", "never"] = Field(
        "where_needed",
        description="Cohen's d and Hedges' g of original and perturbed scores: where scores other than 0 and 1 occur, "
        "or always, or never",
        json_schema_extra={"tag": "open", "source": "effect size A.1 names both as alternatives"},
    )

    def family(self, perturbation: str) -> str:
        """The family of a perturbation that is asked for."""
        return next(name for name in FAMILIES if perturbation in getattr(self, name))


# Trials: an original and its variants (§2)


def trials(case: QuestionVariants, config: EffectSizeConfig) -> Iterator[Trial]:
    """The original, its repeats, and a row per variant, in a cell named after the variant's family.

    Where passages are given, the same rows with given "own" stand beside them, for systems that retrieve themselves.
    """
    for source in dict.fromkeys((config.passages, *([OWN] if config.passages in ("gold", "retrieved") else []))):
        original = _shown(case, config, source, case.original.variant_id)
        yield _row(case, ORIGINAL, original)
        for number in range(1, config.repeats + 1):
            yield _row(case, REPEAT, original, number=number)
        for name in (*config.superficial, *config.paraphrase):
            found = case.reworded(name)
            for row in found:
                shown = _shown(case, config, source, row.variant_id)
                yield _row(case, config.family(name), shown, query_id=row.variant_id, query=name, number=row.number)
            if not found:
                lost = {**original, "skipped_because": case.why_not("query", name)}
                yield _row(case, config.family(name), lost, query=name)
        if source == "gold":
            yield from _distracted(case, config)


def part_of(trial: Trial, config: EffectSizeConfig) -> str:
    """Return what is given: an effect is of a group, which is an original with all of its variants."""
    return trial.given


def _row(case: QuestionVariants, cell: str, shown: dict[str, Any], **fields: Any) -> Trial:
    shown = dict(shown)
    given = shown.pop("given")
    return trial("effect_size", case, cell, given, **{"query": NONE, **shown, **fields})


def _shown(case: QuestionVariants, config: EffectSizeConfig, source: str, query_id: str) -> dict[str, Any]:
    """What is shown with a wording, as fields of its trial."""
    if source == "gold":
        return {"given": "passages", "passage_ids": case.question.chunk_ids, "document": NONE}
    if source == "none":
        return {"given": "closed_book"}
    if source == OWN:
        return {"given": "own", "retriever": OWN}
    retriever = config.retriever or min((name for name, _ in case.hits), default="")
    hits = case.hits.get((retriever, query_id))
    fields: dict[str, Any] = {"given": "passages", "retriever": retriever}
    if hits is None:
        return {**fields, "skipped_because": "not_retrieved"}
    return {**fields, "passage_ids": hits.best, "k": len(hits.best), **({} if hits.best else {"gold": 0.0})}


def _distracted(case: QuestionVariants, config: EffectSizeConfig) -> Iterator[Trial]:
    """The original wording with every gold passage beside one from elsewhere."""
    gold = case.question.chunk_ids
    for name in config.distraction:
        rows = [row for row in (*case.context, *case.documents) if row.perturbation == name]
        numbers = sorted({row.number for row in rows})
        made = {(row.chunk_id, row.number): row.variant_id for row in rows}
        whole = [number for number in numbers if all((chunk_id, number) in made for chunk_id in gold)]
        for number in whole:
            found = tuple(made[chunk_id, number] for chunk_id in gold)
            shown = {"given": "passages", "passage_ids": found, "document": name}
            yield _row(case, DISTRACTION, shown, number=number)
        if not whole:
            why = "not_every_gold_chunk" if rows else case.why_not("context", name)
            yield _row(case, DISTRACTION, {"given": "passages", "document": name, "skipped_because": why})


# Scores by group (§3)

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Groups:
    """One entry per question of the frame; NaN where a group is not scored."""

    original: Array  # score_i^o
    perturbed: Array  # score_i^p, the mean over its m(i) variants
    variants: Array  # m(i), as far as they were scored
    spread: Array  # standard deviation of the variants' scores (m(i) - 1 degrees of freedom); NaN under two
    counts: Counts  # in groups

    @property
    def binary(self) -> bool:
        """Whether all original scores are 0 or 1."""
        found = self.original[~np.isnan(self.original)]
        return bool(np.isin(found, (0.0, 1.0)).all())


def build_groups(frame: Frame, mask: Any, complete: bool) -> Groups:
    """The groups of the original and the rows of a mask; those without a variant in the benchmark are skipped.

    A question that the frame has no original of (another slice) is no group at all.
    """
    size = len(frame.questions)
    originals = frame.only("cell", ORIGINAL)
    here, first = _count_by_status(originals, size)
    variants = frame.where(mask)
    _, each = _count_by_status(variants, size)
    total = variants.sums(variants.column("value"))
    lost = each["failed"] + each["missing"]
    m = each["scored"]
    before = np.where(first["scored"] > 0, originals.sums(originals.column("value")), np.nan)
    have = here & (first["scored"] > 0) & (m > 0) & (~(lost > 0) | (not complete))
    skipped = here & ~have & ((first["skipped"] > 0) | (m + lost == 0))
    failed = here & ~have & ~skipped & (first["failed"] + each["failed"] > 0)
    missing = here & ~have & ~skipped & ~failed
    with np.errstate(invalid="ignore", divide="ignore"):
        after = np.where(have, total / m, np.nan)
    counts = Counts(int(have.sum()), int(failed.sum()), int(missing.sum()), int(skipped.sum()))
    away = variants.column("value") - after[variants.column("at")]
    with np.errstate(invalid="ignore", divide="ignore"):
        spread = np.where(have & (m > 1), np.sqrt(variants.sums(away**2) / (m - 1)), np.nan)
    return Groups(np.where(have, before, np.nan), after, np.where(have, m, 0.0), spread, counts)


def original_scores(frame: Frame) -> tuple[Array, Counts]:
    """The original's score of every question that was asked, with variants or without; NaN where it has none."""
    originals = frame.only("cell", ORIGINAL)
    _, first = _count_by_status(originals, len(frame.questions))
    scored = first["scored"] > 0
    counts = Counts(*(int((first[name] > 0).sum()) for name in ("scored", "failed", "missing", "skipped")))
    return np.where(scored, originals.sums(originals.column("value")), np.nan), counts


def _count_by_status(part: Frame, size: int) -> tuple[npt.NDArray[np.bool_], dict[str, Array]]:
    """Which questions have a row here, and how many rows of each status each question has."""
    at = part.column("at")
    found = {
        name: np.bincount(at[part.has("status", name)], minlength=size).astype(float)
        for name in ("scored", "failed", "missing", "skipped")
    }
    return np.bincount(at, minlength=size) > 0, found


# Cohen's d and Hedges' g of each group (A.1, A.2)


def standardized_measures(groups: Groups, name: str, config: EffectSizeConfig) -> Iterator[Measure]:
    """Cohen's d and Hedges' g, each the mean over the groups where it is defined.

    One original adds no squares, so that the pooled standard deviation is that of the variants. A group that did not
    move at all has an effect of 0; one whose variants all moved to the same score has none (an infinite one, A.1), and
    one of fewer than two variants (g: three, or its factor is 0) neither. Those are discarded and counted, as of PDR.
    """
    if config.continuous == "never" or (config.continuous == "where_needed" and groups.binary):
        return
    change = groups.perturbed - groups.original
    still = np.isclose(change, 0.0, atol=1e-12)
    with np.errstate(invalid="ignore", divide="ignore"):
        d = np.where(groups.spread > 1e-12, change / groups.spread, np.where(still, 0.0, np.nan))
    d = np.where(groups.variants > 1, d, np.nan)
    factors = np.array([hedges_correction(int(m) - 1) for m in groups.variants])
    for metric, values in (("Cohen's d", d), ("Hedges' g", d * factors)):
        counts, discarded = _discard_undefined(groups, groups.counts.scored - int((~np.isnan(values)).sum()))
        note = "; ".join(filter(None, ("mean over groups of an original against its variants", discarded)))
        yield group_mean(metric, name, values, counts, limits=(-np.inf, np.inf), note=note)


def _discard_undefined(groups: Groups, lost: int) -> tuple[Counts, str]:
    """Counts and note where so many scored groups are discarded, as the metric is not defined for them."""
    c = groups.counts
    note = f"undefined and discarded for {lost} of {c.scored} groups" if lost else ""
    return Counts(c.scored - lost, c.failed, c.missing, c.skipped + lost), note


# Noise: how much changes where nothing was changed

EACH, REPEATED, ABOVE = "AH̃ of one variant", "AH̃ of one repeat", "AH̃ above noise"
UNKNOWN = "how much it changes where nothing is changed is not known: set protocols.effect_size.repeats"


def noise_note(part: Frame) -> str:
    """What the note of AH̃ says of the noise to set it against."""
    return f"see {ABOVE}" if part.has("cell", REPEAT).any() else UNKNOWN


def noise_measures(part: Frame, chosen: Any, name: str, config: EffectSizeConfig) -> Iterator[Metric]:
    """The AH̃ of single variants against that of single repeats of the original, and their difference.

    One at a time, since AH̃ of a mean depends on how many it is the mean of: a chance p of another answer gives p for
    one variant and about 2/π·√p for the mean of many. Nothing without repeats.
    """
    again = part.has("cell", REPEAT)
    if not again.any():
        return
    changed = _mean_distance(part, chosen, EACH, name, config)
    same = _mean_distance(part, again, REPEATED, name, config)
    yield from (changed, same)
    note = f"{EACH} less {REPEATED}"
    yield Derived(ABOVE, name, (changed, same), operator.sub, unit="groups", interval="bca", note=note)


def _mean_distance(part: Frame, mask: Any, metric: str, name: str, config: EffectSizeConfig) -> Measure:
    """The mean over groups of the mean over their rows of |H̃|, each row against the original by itself."""
    groups = build_groups(part, mask, config.complete)
    rows = part.where(mask)
    originals = part.only("cell", ORIGINAL)
    before = np.full(len(part.questions), np.nan)
    before[originals.column("at")] = originals.column("value")
    away = rows.sums(ah_tilde(before[rows.column("at")], rows.column("value")))
    values = np.where(np.isnan(groups.perturbed), np.nan, away / np.maximum(groups.variants, 1))
    return group_mean(metric, name, values, groups.counts, limits=(1.0, 0.0))


# Measures (§3, A.1, A.2)

PERTURBED = "Perturbed score"
UNDEFINED = "PDR undefined"


def measures(frame: Frame, config: EffectSizeConfig) -> Iterator[Metric]:
    """The numbers of one system: of all variants of a group together, of each family, and of each perturbation."""
    frame = select_columns(frame.drawn(), ("cell", "query", "document", "retriever"))
    own = frame.has("retriever", OWN)
    beside = bool(own.any() and not own.all())
    every = frame.where(~own) if beside else frame
    yield from _measures_of(every, config, "all", headline=True)
    for name, part in proper_slices(every):
        few = name.startswith(("entity=", "period="))  # there may be hundreds of them
        numbers = _measures_of(part, config, name)
        yield from (number for number in numbers if not few or number.metric in ("PDR", "H̃", "AH̃"))
    perturbations = _perturbations(every)
    for family in FAMILIES:
        mask = every.has("cell", family)
        if mask.any():
            yield from _measures_of(every, config, f"family={family}", mask)
            for perturbation in sorted(set(perturbations[mask])):
                chosen = mask & (perturbations == perturbation)
                yield from _measures_of(every, config, f"perturbation={perturbation}", chosen)
    if beside:
        yield from _measures_of(frame.where(own), config, f"retriever={OWN}")


def _perturbations(part: Frame) -> npt.NDArray[Any]:
    """By row: what was changed, of the wording or of the passages."""
    return np.where(part.has("query", "none"), part.column("document"), part.column("query"))


def _changes_of(part: Frame) -> list[str]:
    """The changes that were scored, in words."""
    return sorted({name.replace("_", " ") for name in _perturbations(part)[part.has("status", "scored")]})


def _measures_of(
    part: Frame, config: EffectSizeConfig, name: str, mask: Any = None, headline: bool = False
) -> Iterator[Metric]:
    """All measures of the groups of the masked variants; without a mask, of all but originals and repeats."""
    chosen = ~part.has("cell", ORIGINAL, REPEAT) if mask is None else mask
    groups = build_groups(part, chosen, config.complete)
    originals, asked = original_scores(part)
    yield group_mean("Original score", name, originals, asked, note="of the raw data set (Table 3), variants or none")
    yield group_mean(PERTURBED, name, groups.perturbed, groups.counts, note=_group_size_note(groups))
    yield from _pdr_measures(groups, name)
    if name == "all" or name.startswith("family="):
        yield group_mean("H", name, cohens_h(groups.original, groups.perturbed), groups.counts, limits=(-np.pi, np.pi))
    change = h_tilde(groups.original, groups.perturbed)
    # the changes that the number is of: others, which other protocols make, are not in it
    of = f"over {', '.join(_changes_of(part.where(chosen)))}" if name == "all" else ""
    note = "; ".join(filter(None, (_effect_note(change), of)))
    yield group_mean("H̃", name, change, groups.counts, limits=(-1.0, 1.0), headline=headline, note=note)
    distance = ah_tilde(groups.original, groups.perturbed)
    notes = (
        _effect_note(distance),
        "never under 0, so that an interval above 0 proves no change",
        noise_note(part),
    )
    note = "; ".join(text for text in (notes if name == "all" else notes[:1]) if text)
    yield group_mean("AH̃", name, distance, groups.counts, limits=(1.0, 0.0), headline=headline, note=note)
    yield from noise_measures(part, chosen, name, config)
    yield from standardized_measures(groups, name, config)


def _pdr_measures(groups: Groups, name: str) -> Iterator[Measure]:
    """PDR over the groups where it is defined, and the share of groups where it is not."""
    drop = pdr(groups.original, groups.perturbed)
    scored = ~np.isnan(groups.perturbed)
    undefined = scored & np.isnan(drop)
    counts, note = _discard_undefined(groups, int(undefined.sum()))
    least = 0.0 if groups.binary else -np.inf  # with an original of 1 nothing can rise
    yield group_mean("PDR", name, drop, counts, limits=(1.0, least), note=note)
    share = np.where(scored, undefined.astype(float), np.nan)
    note_undefined = "the original scores 0, a variant does not"
    yield group_mean(UNDEFINED, name, share, groups.counts, limits=(1.0, 0.0), note=note_undefined, neutral=True)


def group_mean(metric: str, name: str, values: Any, counts: Counts, **options: Any) -> Measure:
    """The mean of a group score over the groups that have one, with the paper's interval (A.2: BCa over groups)."""
    have = ~np.isnan(values)
    return Measure(
        metric, name, np.where(have, values, 0.0), have.astype(float), counts, unit="groups", interval="bca", **options
    )


def _effect_note(values: Any) -> str:
    have = values[~np.isnan(values)]
    return f"{describe_effect(float(have.mean()))} effect" if len(have) else ""


def _group_size_note(found: Groups) -> str:
    have = found.variants[found.variants > 0]
    return f"m(i) from {int(have.min())} to {int(have.max())}, mean {have.mean():.1f}" if len(have) else ""


def lacking(cases: list[QuestionVariants], config: EffectSizeConfig, takes: frozenset[str]) -> str:
    """Why nothing of it can be tried."""
    needed = {"none": {"closed_book"}, "own": {"own"}}.get(config.passages, {"passages", "own"})
    if not takes & needed:
        return (
            f"effect size with passages = {config.passages!r} needs a system that takes {' or '.join(sorted(needed))}"
        )
    wanted = {*config.superficial, *config.paraphrase, *config.distraction}
    if not any(row.perturbation in wanted for case in cases for row in (*case.queries, *case.context, *case.documents)):
        return f"effect size needs variants: the benchmark has none by {', '.join(sorted(wanted))}"
    return ""


def rows_of(rows: Rows, metric: str, names: Sequence[tuple[str, str]]) -> Mask:
    """A mask of the changed rows, which every metric is of."""
    return ~rows.columns["cell"].among("original", "repeat")


EFFECT_SIZE = Protocol(
    name="effect_size",
    title="Effect size",
    about="PDR and Cohen's h",
    paper="2408.01963",
    config=EffectSizeConfig,
    refusal="",  # none of its prompts has one
    contained=True,
    kinds=(*PATTERNS, *COMPUTED),  # BoolQ and SIGA have two answers to choose from
    beside=("listing",),
    judge="",
    trials=trials,
    part=part_of,
    measures=measures,
    lacking=lacking,
    prompts=PromptPack("effect_size", "arXiv 2408.01963 A.4", "plain", made=("passages", "own_know", "chain_of_note")),
    display=Display(
        about="How far does the score move with the wording of a question, or with a passage beside the right one?",
        titles={
            "Original score": Title("accuracy (original score)", "share of right answers to unchanged questions"),
            PERTURBED: Title("accuracy, changed", "share of right answers to changed questions"),
            "H̃": Title(
                "change (H̃)",
                "Cohen's h of the change over π, −1 to 1: below 0 is worse, 0 no change; losses and gains cancel",
            ),
            "AH̃": Title("size of change (AH̃)", "the same whichever way it goes: 0 is no change"),
            "PDR": Title("performance drop rate (PDR)", "share of the score that is lost: 0 is none"),
            UNDEFINED: Title("PDR undefined", "share of questions that were wrong unchanged and right changed"),
        },
        accuracy=("Original score",),
        caution="a score that is low to begin with has little to lose: only {right} of the unchanged are right",
        metrics=("H̃", "AH̃", "PDR", "Original score", "Perturbed score"),
        main=("H̃", "AH̃"),
        beside=("Original score", "Perturbed score", "PDR"),
        unchanged=("original",),
        rows=rows_of,
    ),
)
