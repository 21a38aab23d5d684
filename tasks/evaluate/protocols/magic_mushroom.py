"""Magic Mushroom: how much noise, and of which kind, does an answer stand? (arXiv 2506.03901)."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, Field, field_validator

from rarefy.data_contracts.rows import Context, Trial
from rarefy.tasks.corpus.tokens import counter
from rarefy.tasks.evaluate.protocols.case import QuestionVariants
from rarefy.tasks.evaluate.protocols.display import Display, Mask, Rows, Title, is_closed
from rarefy.tasks.evaluate.protocols.frame import Frame, proper_slices, select_columns
from rarefy.tasks.evaluate.protocols.protocol import GUESSED, KNOWN, PromptPack, Protocol, trial
from rarefy.tasks.evaluate.statistics.measure import Counts, Measure, Metric, ratio
from rarefy.tasks.perturb.mix import mix
from rarefy.tasks.perturb.mix.config import CLASSES, GOLDEN, NATURALLY, NOISE, SCENARIOS, MixConfig
from rarefy.tasks.perturb.mix.pools import collect_passages

# Configuration (§4, F, G)

PROBE, RATIO, CLASS, SCENARIO, POSITION, LENGTH = "probe", "ratio", "class", "scenario", "position", "length"
SHARES = (0.1, 0.2, 0.3, 0.5, 0.7)


class MagicMushroomConfig(BaseModel, frozen=True, extra="forbid"):
    """Which contexts each question is asked with.

    As it stands: the probe, 7 ratios (6 where a question is multi-hop), 4 single classes and 4 scenarios, 16 answers to
    a question. All of Figures 3 to 5 would be over 150.
    """

    k: int = Field(10, ge=1, description="passages in a context; fewer where a question has not enough")
    ratios: tuple[float, ...] = Field(
        (),
        description="shares of noise; none given: 0, .1, .3, .5, .7, .9, 1 for single-hop questions and 0, .2, .4, .6, "
        ".8, 1 for others",
    )
    mixes: tuple[str, ...] = Field((NATURALLY,), description='what that noise is made of: natural, or as "3:1:1:2"')
    classes: tuple[str, ...] = Field(NOISE, description="classes of noise that are tried alone (Figure 3)")
    class_ratios: tuple[float, ...] = Field(
        (0.9,), description="shares of noise for these; 0, .1, .3, .5, .7, .9, 1 for the whole of Figure 3"
    )
    scenarios: tuple[str, ...] = Field(
        tuple(SCENARIOS),
        description="mixes of all five classes by name (Table 3)",
        json_schema_extra={
            "tag": "recon",
            "source": "Magic Mushroom §4.6: SCE2 leaves out the share of inconsequential",
        },
    )
    positions: tuple[Literal["near", "mid", "far"], ...] = Field(
        (), description="near, mid and far for Figure 4; none by default: they are 15 more per class"
    )
    placed: tuple[str, ...] = Field((GOLDEN,), description="classes whose position is tried")
    placed_shares: tuple[float, ...] = Field(SHARES, description="shares that the placed class has of a context")
    lengths: tuple[str, ...] = Field(
        (), description="tokens of a context for Figure 5: 0-299, 300-599, ... 1500+; none by default: 7 more for each"
    )
    question: Literal["before", "after"] = Field(
        "before", description="where the system's prompt has the question, which is what a position is near to"
    )
    order: str = Field("shuffled", description="of passages that no position is asked for: as in `rarefy mix`")
    fill: bool = Field(
        False, description="where a class of noise is short, take other classes instead of fewer passages"
    )
    runs: int = Field(
        1,
        ge=1,
        description="contexts drawn for each setting, each with a seed of its own",
        json_schema_extra={"tag": "open", "source": "Magic Mushroom D: averages of 3 runs, and no more is said"},
    )
    seed: int = Field(0, ge=0, description="another seed, other passages in another order")
    confusion: Literal["count", "degree"] = Field(
        "count",
        description="an abstention from a question that is answered without passages: count: 1 where it was answered "
        "wholly right; degree: as much as was lost by it. H is what is lost without abstaining, so R - H - C is the "
        "change of Cor. with either",
        json_schema_extra={"tag": "recon", "source": "Magic Mushroom F.3, prose only; Tables 6 and 8 fit both"},
    )

    @field_validator("classes", "placed")
    @classmethod
    def _known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in CLASSES:
                raise ValueError(f"no class {name!r}; have {', '.join(CLASSES)}")
        return names

    @field_validator("scenarios")
    @classmethod
    def _scenarios(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in SCENARIOS:
                raise ValueError(f"no scenario {name!r}; have {', '.join(SCENARIOS)}")
        return names


# Trials (§4.1, §4.4–4.6)

# What sets the contexts of an analysis apart
SETTINGS = {
    RATIO: ["mix", "ratio"],
    CLASS: ["mix", "ratio"],
    SCENARIO: ["scenario"],
    POSITION: ["placed", "position", "ratio"],
    LENGTH: ["bin", "ratio"],
}
TITLES = True  # a system is shown passages under their titles
TOKENIZER = "minilm"  # of the lengths in `bin`, as in `rarefy mix`


def trials(case: QuestionVariants, config: MagicMushroomConfig) -> Iterator[Trial]:
    """The probe, and a row for every context of every setting, run after run."""
    yield trial("magic_mushroom", case, PROBE, "closed_book")
    question = case.question
    for run in range(config.runs):
        wanted = mix_settings(config, run)
        pool = collect_passages(
            question, case.context, case.chunks, TITLES, config.seed + run
        )  # costs more than the mixing
        for cell, asked in wanted:
            pools = {question.question_id: pool}
            for context in mix([question], case.context, asked, chunks=case.chunks, count=_count_tokens, pools=pools):
                yield _row(case, cell, context, run)


def part_of(trial: Trial, config: MagicMushroomConfig) -> str:
    """Return the setting of a context; "" of the probe, which H, C and R are held against."""
    columns = SETTINGS.get(trial.cell, ())
    return ", ".join(_name_setting(trial.cell, column, getattr(trial, column)) for column in columns)


@cache
def mix_settings(config: MagicMushroomConfig, run: int) -> tuple[tuple[str, MixConfig], ...]:
    """What is mixed for each analysis: ratios, single classes, scenarios, positions, lengths."""
    options = {name: getattr(config, name) for name in ("k", "ratios", "mixes", "question", "order", "fill")}
    plain = MixConfig.model_validate({**options, "titles": TITLES, "tokenizer": TOKENIZER, "seed": config.seed + run})
    settings = [(RATIO, plain)] if config.mixes else []
    if config.classes and config.class_ratios:
        settings.append((CLASS, plain.model_copy(update={"mixes": config.classes, "ratios": config.class_ratios})))
    if config.scenarios:
        alone = {"mixes": (), "ratios": (), "scenarios": config.scenarios}
        settings.append((SCENARIO, plain.model_copy(update=alone)))
    for name in config.placed if config.positions else ():
        golden = name == GOLDEN
        update = {
            "placed": name,
            "mixes": config.mixes[:1] if golden else (name,),
            "ratios": tuple(round(1 - share, 4) if golden else share for share in config.placed_shares),
        }
        for place in config.positions:
            settings.append((POSITION, plain.model_copy(update={**update, "position": place})))
    settings += [
        (LENGTH, plain.model_copy(update={"length": name, "mixes": config.mixes[:1]})) for name in config.lengths
    ]
    return tuple(settings)


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
def _token_count(text: str) -> int:
    return counter(TOKENIZER)([text])[0]


def _count_tokens(texts: Sequence[str]) -> list[int]:
    return [_token_count(text) for text in texts]


# Rates H, C and R of each answer (F.3)

Array = npt.NDArray[np.float64]
RATES = ("H", "C", "R")
NEAR = 1e-9


def rates(
    without: Array, within: Array, abstained: npt.NDArray[np.bool_], confusion: Literal["count", "degree"] = "count"
) -> tuple[Array, Array, Array]:
    """H, C and R of each answer, from its Cor. without passages and with them, and whether it abstained with them.

    R = max(0, c1 - c0). C, where it abstained: 1 where c0 = 1 (count), or max(0, c0 - c1) (degree). H = max(0, c0 - c1)
    less what C has of it. c1 - c0 = R - H - C holds for every answer, else ValueError: an abstention has c1 = 0. NaN
    where either score is.
    """
    lost, rectified = np.maximum(0, without - within), np.maximum(0, within - without)
    counted = abstained & (without == 1) if confusion == "count" else abstained
    confused = np.where(counted, 1.0 if confusion == "count" else lost, 0.0)
    confused = np.where(np.isnan(lost), np.nan, confused)
    hallucinated = np.where(counted, np.where(np.isnan(lost), np.nan, 0.0), lost)
    off = np.abs((within - without) - (rectified - hallucinated - confused))
    wrong = int((off > NEAR).sum())
    if wrong:
        raise ValueError(
            f"Cor(RAG) - Cor(NoRAG) is not R - H - C for {wrong} of {len(off)} answers: an abstention must have Cor. 0"
        )
    return hallucinated, confused, rectified


def most_rates(without: Array, within: Array, abstained: npt.NDArray[np.bool_]) -> tuple[Array, Array, Array]:
    """The most that H, C and R of each answer can come to, where one of its scores, or both, are not known (NaN).

    Nothing is lost that was not right without passages, nor by what is right with them; C is of abstentions alone, and
    R of what is right with them and was not without.
    """
    had, kept = np.where(np.isnan(without), 1.0, without), np.where(np.isnan(within), 0.0, within)
    lost = np.maximum(0, had - kept)
    gained = np.maximum(0, np.where(np.isnan(within), 1.0, within) - np.where(np.isnan(without), 0.0, without))
    may_abstain = np.isnan(within) | abstained
    return lost, np.where(may_abstain, lost, 0.0), gained


# Measures (§4.2–4.6, F.3)

COLUMNS = "cell mix ratio scenario placed position bin k shown noise".split()
NORAG, GAIN, NOISE_SHARE = "NoRAG", "Cor. - NoRAG", "Noise"
CAME_OUT = "share of noise in the contexts as they came out, where `ratio` is what was asked for"
LITTLE = 0.2  # share right without passages up to which it is said that H and C cannot be high
NO_PROBE = "no H, C, R: the system was not asked without passages"


def measures(frame: Frame, config: MagicMushroomConfig) -> Iterator[Metric]:
    """The numbers of one system: over all ratios, at each ratio, and for each setting of the other analyses."""
    frame = select_columns(frame, COLUMNS)
    answers = _add_rates(frame, config)
    probes = frame.only("cell", PROBE)
    if probes.size:
        yield from _accuracy_and_abstention(_score_abstentions_zero(probes), NORAG, unit="questions")
    every = answers.only("cell", RATIO)
    if every.size:
        note = "a mean over the shares of noise" if probes.size else NO_PROBE
        yield from _rate_measures(every, "all", headline=True, note=note)
        for name, part in proper_slices(every):
            few = name.startswith(("entity=", "period="))  # there may be hundreds of them
            yield from _accuracy_and_abstention(part, name) if few else _rate_measures(part, name)
    for name, part in slice_settings(answers):
        yield from _rate_measures(part, name, note=_context_note(part))
        yield from _noise_measure(part, name)


def slice_settings(answers: Frame) -> Iterator[tuple[str, Frame]]:
    """The rows of each setting, named by what sets it apart.

    Where the questions of a ratio differ from those of another (single-hop questions have their ratios and others
    theirs), each kind has a curve of its own: one through both would rise and fall with the questions.
    """
    for cell, columns in SETTINGS.items():
        of_cell = answers.only("cell", cell)
        if not of_cell.size:
            continue
        rows = of_cell.rows.reset_index(drop=True)  # so that a label is a place
        several = rows["mix"].nunique() > 1
        whole = rows["question_id"].nunique()
        alike = bool((rows.groupby(columns)["question_id"].nunique() == whole).all())
        kinds = rows["hops"].nunique() > 1
        for values, part in rows.groupby(columns, sort=True):
            name = ", ".join(_name_setting(cell, column, value) for column, value in zip(columns, values, strict=True))
            if cell == RATIO and not several:
                name = _name_setting(cell, "ratio", values[-1])
            if alike or not kinds:
                yield name, of_cell.at(part.index)
            for hops, some in part.groupby("hops", sort=True) if kinds else ():
                yield f"hops={hops}, {name}", of_cell.at(some.index)


def _name_setting(cell: str, column: str, value: Any) -> str:
    label = {"mix": "class" if cell == CLASS else "mix", "bin": "length"}.get(column, column)
    return f"{label}={value:g}" if isinstance(value, float) else f"{label}={value}"


def _score_abstentions_zero(frame: Frame) -> Frame:
    """Cor. with abstentions at 0, and Rej.: NaN where there is no score."""
    scored, refused = frame.has("status", "scored"), frame.column("refused")
    cor = np.where(scored, np.where(refused, 0.0, frame.column("value")), np.nan)
    return Frame(frame.rows.assign(value=cor, rej=np.where(scored, refused, np.nan)), frame.questions)


def _add_rates(frame: Frame, config: MagicMushroomConfig) -> Frame:
    """The answers with passages, with columns rej, H, C, R, the most of each, gain, and `paired`: their status and that
    of the probe."""
    import pandas as pd  # late: half a second

    plain = _score_abstentions_zero(frame)
    is_probe = (plain.rows["cell"] == PROBE).to_numpy()
    probes, answers = plain.rows[is_probe], plain.rows[~is_probe]
    without = np.full(len(frame.questions), np.nan)
    without[probes["at"].to_numpy()] = probes["value"].to_numpy(dtype=float)
    probed = np.full(len(frame.questions), "skipped", dtype=object)
    probed[probes["at"].to_numpy()] = probes["status"].to_numpy(dtype=object)
    at = answers["at"].to_numpy()
    c0, c1 = without[at], answers["value"].to_numpy(dtype=float)
    abstained = answers["refused"].to_numpy(dtype=bool)
    found = dict(zip(RATES, rates(c0, c1, abstained, config.confusion), strict=True))
    found |= {f"most {name}": most for name, most in zip(RATES, most_rates(c0, c1, abstained), strict=True)}
    scored = (answers["status"] == "scored").to_numpy()
    paired = pd.Categorical(np.where(scored, probed[at], answers["status"].to_numpy(dtype=object)))
    return Frame(answers.assign(**found, gain=c1 - c0, without=c0, paired=paired), frame.questions)


def _rate_measures(part: Frame, name: str, *, headline: bool = False, note: str = "") -> Iterator[Metric]:
    yield from _accuracy_and_abstention(part, name, headline=headline, note=note)
    if part.has("paired", "skipped").all():
        return
    options: dict[str, Any] = {"per": "question", "status": "paired"}
    had = ratio(part.mean(NORAG, name, part.column("without"), **options))
    most = f"{had:.0%} are right without passages, and no more can be lost" if headline and had <= LITTLE else ""
    notes = {name: "; ".join(filter(None, (note, "" if name == "R" else most))) for name in RATES}
    h, c, r = (_rate(part, metric, name, headline=headline, note=notes[metric]) for metric in RATES)
    about = "R - H - C, on the answers that have both"
    gain = part.mean(GAIN, name, part.column("gain"), limits=(-1.0, 1.0), note=about, **options)
    check_sum(gain, h, c, r)
    yield from (h, c, r, gain)


def _rate(part: Frame, metric: str, name: str, **options: Any) -> Measure:
    """The mean of H, C or R, within the bounds that the scored answers leave."""
    values, most = part.column(metric), part.column(f"most {metric}")
    limits, bounds = ((0.0, 1.0), (0.0, most)) if metric == "R" else ((1.0, 0.0), (most, 0.0))
    found = part.bounds(values, bounds, "paired")
    return part.mean(metric, name, values, per="question", status="paired", limits=limits, bounds=found, **options)


def check_sum(gain: Measure, h: Measure, c: Measure, r: Measure) -> None:
    """Cor(RAG) - Cor(NoRAG) = R - H - C of every question of a slice (F.3), else ArithmeticError."""
    off = np.abs(gain.numerator - (r.numerator - h.numerator - c.numerator))
    same = all(np.array_equal(gain.denominator, one.denominator) for one in (h, c, r))
    if not same or off.max(initial=0.0) > NEAR:
        raise ArithmeticError(f"Magic Mushroom, {gain.slice}: Cor(RAG) - Cor(NoRAG) is not R - H - C")


def _noise_measure(part: Frame, name: str) -> Iterator[Measure]:
    """The mean share of noise in the contexts of a setting, whether or not they were answered."""
    noise = part.column("noise")
    made = ~part.has("status", "skipped") & (noise >= 0)
    if made.any():
        counts = Counts(int(made.sum()), skipped=part.counts().skipped)
        values = np.where(made, noise, np.nan)
        options: dict[str, Any] = {"bounds": None, "note": CAME_OUT, "unit": "contexts", "neutral": True}
        yield part.mean(NOISE_SHARE, name, values, per="question", counts=counts, **options)


def _accuracy_and_abstention(part: Frame, name: str, **options: Any) -> Iterator[Metric]:
    """The mean over questions of each question's mean, so that no question counts for having more contexts."""
    yield part.mean("Cor.", name, per="question", **options)
    yield part.mean("Rej.", name, part.column("rej"), per="question", neutral=True, **options)


def _context_note(part: Frame) -> str:
    """Mean numbers of passages and share of noise of the contexts, which can be fewer than requested."""
    rows = part.rows[part.rows["status"] != "skipped"]
    if rows.empty or rows["shown"].isna().all():
        return ""
    passages = f"{rows['shown'].mean():.1f} of {rows['k'].max()} passages"
    return f"{passages}, {rows['noise'].mean():.2f} noise"


def lacking(cases: list[QuestionVariants], config: MagicMushroomConfig, takes: frozenset[str]) -> str:
    """Why nothing of it can be tried."""
    if "passages" not in takes:
        return "Magic Mushroom needs a system that takes passages"
    if not any(row.family == GOLDEN for case in cases for row in case.context):
        return "Magic Mushroom needs passages to mix: perturb the benchmark with context perturbations"
    return ""


# Its analyses: the first whose name a slice has says which cell is meant
ANALYSES = {"scenario": "scenario", "class": "class", "position": "position", "placed": "position", "length": "length"}


def rows_of(rows: Rows, metric: str, names: Sequence[tuple[str, str]]) -> Mask:
    """A mask of the rows of the analysis that a metric is of."""
    analysis = next((cell for name, cell in ANALYSES.items() if name in dict(names)), "ratio")
    return rows.columns["cell"].among("probe" if is_closed(names) else analysis)


MAGIC_MUSHROOM = Protocol(
    name="magic_mushroom",
    title="Magic Mushroom",
    about="noise by class, ratio, scenario",
    paper="2506.03901",
    config=MagicMushroomConfig,
    refusal="I cannot answer the question.",
    contained=False,
    kinds=KNOWN,
    beside=GUESSED,
    judge="magic_mushroom",
    trials=trials,
    part=part_of,
    measures=measures,
    lacking=lacking,
    prompts=PromptPack("magic_mushroom", "arXiv 2506.03901 Figures 15-17", "plain", made=("own_know",), notes="whole"),
    display=Display(
        about="How much noise among the passages, and of which kind, does an answer stand?",
        titles={
            "Cor.": Title(
                "accuracy (Cor.)", "share of right answers, a mean over contexts from no noise to noise alone"
            ),
            "Rej.": Title("refused (Rej.)", ""),
            "H": Title("led astray (H)", "share that the passages turned from right to wrong"),
            "C": Title("confused (C)", "share right without passages and refused with them"),
            "R": Title("set right (R)", "share that the passages turned from wrong to right"),
        },
        accuracy=("Cor.",),
        refusals=("Rej.",),
        metrics=("Cor.", "Rej.", "H", "C", "R"),
        main=("Cor.",),
        beside=("Rej.", "H", "C", "R"),
        terms={
            "distracting": "copies of the right passage with another value in place of the answer; which is true the "
            "passages alone do not tell",
            "low_quality": "passages on the topic with false facts, or fragments and remnants of markup",
            "inconsequential": "passages from around the right one that do not have the answer",
            "irrelevant": "passages of the documents of other questions",
        },
        rows=rows_of,
    ),
)
