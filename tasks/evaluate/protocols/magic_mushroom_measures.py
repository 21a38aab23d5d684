"""Cor., Rej., H, C and R over ratios, classes, scenarios, positions and lengths (arXiv 2506.03901 §4.2–4.6, F.3)."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from rarefy.tasks.evaluate.protocols.columns import narrowed
from rarefy.tasks.evaluate.protocols.frame import Frame, slices
from rarefy.tasks.evaluate.protocols.magic_mushroom_config import (
    CLASS,
    LENGTH,
    POSITION,
    PROBE,
    RATIO,
    SCENARIO,
    MagicMushroomConfig,
)
from rarefy.tasks.evaluate.protocols.magic_mushroom_rates import NEAR, rates
from rarefy.tasks.evaluate.statistics.measure import Counts, Figured, Measure

COLUMNS = "cell mix ratio scenario placed position bin k shown noise".split()
NORAG, GAIN, NOISE = "NoRAG", "Cor. - NoRAG", "Noise"
CAME_OUT = "share of noise in the contexts as they came out, where `ratio` is what was asked for"
NO_PROBE = "no H, C, R: the system was not asked without passages"


def measures(frame: Frame, config: MagicMushroomConfig) -> Iterator[Figured]:
    """The numbers of one system: over all ratios, at each ratio, and for each setting of the other analyses."""
    frame = narrowed(frame, COLUMNS)
    answers = _with_rates(frame, config)
    probes = frame.where(frame.rows["cell"] == PROBE)
    if len(probes.rows):
        yield from _cor_rej(_plain(probes), NORAG, unit="questions")
    every = answers.where(answers.rows["cell"] == RATIO)
    if len(every.rows):
        note = "mean over the ratios of noise" if len(probes.rows) else NO_PROBE
        yield from _told(every, "all", headline=True, note=note)
        for name, part in slices(every, ("pattern", "domain", "hops", "entity", "period")):
            few = name.startswith(("entity=", "period="))  # there may be hundreds of them
            if name != "all":
                yield from _cor_rej(part, name) if few else _told(part, name)
    for name, part in settings(answers):
        yield from _told(part, name, note=_made(part))
        yield from _noise(part, name)


def settings(answers: Frame) -> Iterator[tuple[str, Frame]]:
    """The rows of each setting, named by what sets it apart.

    Where the questions of a ratio differ from those of another (single-hop questions have their ratios and others
    theirs), each kind has a curve of its own: one through both would rise and fall with the questions.
    """
    keys = {
        RATIO: ["mix", "ratio"],
        CLASS: ["mix", "ratio"],
        SCENARIO: ["scenario"],
        POSITION: ["placed", "position", "ratio"],
        LENGTH: ["bin", "ratio"],
    }
    for cell, columns in keys.items():
        rows = answers.rows[answers.rows["cell"] == cell]
        if rows.empty:
            continue
        several = rows["mix"].nunique() > 1
        whole = rows["question_id"].nunique()
        alike = bool((rows.groupby(columns)["question_id"].nunique() == whole).all())
        kinds = rows["hops"].nunique() > 1
        for values, part in rows.groupby(columns, sort=True):
            name = ", ".join(_said(cell, column, value) for column, value in zip(columns, values, strict=True))
            if cell == RATIO and not several:
                name = _said(cell, "ratio", values[-1])
            if alike or not kinds:
                yield name, Frame(part, answers.questions)
            for hops, some in part.groupby("hops", sort=True) if kinds else ():
                yield f"hops={hops}, {name}", Frame(some, answers.questions)


def _said(cell: str, column: str, value: Any) -> str:
    label = {"mix": "class" if cell == CLASS else "mix", "bin": "length"}.get(column, column)
    return f"{label}={value:g}" if isinstance(value, float) else f"{label}={value}"


def _plain(frame: Frame) -> Frame:
    """Cor. with abstentions at 0, and Rej.: NaN where there is no score."""
    scored = (frame.rows["status"] == "scored").to_numpy()
    refused = frame.rows["refused"].to_numpy(dtype=bool)
    cor = np.where(scored, np.where(refused, 0.0, frame.rows["value"].to_numpy(dtype=float)), np.nan)
    return Frame(frame.rows.assign(value=cor, rej=np.where(scored, refused, np.nan)), frame.questions)


def _with_rates(frame: Frame, config: MagicMushroomConfig) -> Frame:
    """The answers with passages, with columns rej, H, C, R, gain, and `paired`: their status and that of the probe."""
    import pandas as pd  # late: half a second

    plain = _plain(frame)
    is_probe = (plain.rows["cell"] == PROBE).to_numpy()
    probes, answers = plain.rows[is_probe], plain.rows[~is_probe]
    without = np.full(len(frame.questions), np.nan)
    without[probes["at"].to_numpy()] = probes["value"].to_numpy(dtype=float)
    probed = np.full(len(frame.questions), "skipped", dtype=object)
    probed[probes["at"].to_numpy()] = probes["status"].to_numpy(dtype=object)
    at = answers["at"].to_numpy()
    c0, c1 = without[at], answers["value"].to_numpy(dtype=float)
    h, c, r = rates(c0, c1, answers["refused"].to_numpy(dtype=bool), config.confusion)
    scored = (answers["status"] == "scored").to_numpy()
    paired = pd.Categorical(np.where(scored, probed[at], answers["status"].to_numpy(dtype=object)))
    return Frame(answers.assign(H=h, C=c, R=r, gain=c1 - c0, paired=paired), frame.questions)


def _told(part: Frame, name: str, *, headline: bool = False, note: str = "") -> Iterator[Figured]:
    yield from _cor_rej(part, name, headline=headline, note=note)
    pairs = Frame(part.rows.assign(status=part.rows["paired"]), part.questions)
    if not (pairs.rows["status"] != "skipped").any():
        return
    per = {"per": "question"}
    h, c, r = (
        pairs.mean(metric, name, pairs.rows[metric].to_numpy(), limits=limits, headline=headline, note=note, **per)
        for metric, limits in (("H", (1.0, 0.0)), ("C", (1.0, 0.0)), ("R", (0.0, 1.0)))
    )
    about = "R - H - C, on the answers that have both"
    gain = pairs.mean(GAIN, name, pairs.rows["gain"].to_numpy(), limits=(-1.0, 1.0), note=about, **per)
    held(gain, h, c, r)
    yield from (h, c, r, gain)


def held(gain: Measure, h: Measure, c: Measure, r: Measure) -> None:
    """Cor(RAG) - Cor(NoRAG) = R - H - C of every question of a slice (F.3), else ArithmeticError."""
    off = np.abs(gain.numerator - (r.numerator - h.numerator - c.numerator))
    same = all(np.array_equal(gain.denominator, one.denominator) for one in (h, c, r))
    if not same or off.max(initial=0.0) > NEAR:
        raise ArithmeticError(f"Magic Mushroom, {gain.slice}: Cor(RAG) - Cor(NoRAG) is not R - H - C")


def _noise(part: Frame, name: str) -> Iterator[Measure]:
    """How noisy the contexts of a setting are: all that were made, whatever became of the answers."""
    noise = part.rows["noise"].to_numpy(dtype=float)
    made = (part.rows["status"] != "skipped").to_numpy() & (noise >= 0)
    if made.any():
        counts = Counts(int(made.sum()), skipped=int((~made).sum()))
        values = np.where(made, noise, np.nan)
        told = {"bounds": None, "note": CAME_OUT, "unit": "contexts", "neutral": True}
        yield part.mean(NOISE, name, values, per="question", counts=counts, **told)


def _cor_rej(part: Frame, name: str, **told: Any) -> Iterator[Figured]:
    """The mean over questions of each question's mean, so that no question counts for having more contexts."""
    yield part.mean("Cor.", name, per="question", **told)
    yield part.mean("Rej.", name, part.rows["rej"].to_numpy(), per="question", neutral=True, **told)


def _made(part: Frame) -> str:
    """What the contexts came out as, where the benchmark has fewer passages than were asked for."""
    rows = part.rows[part.rows["status"] != "skipped"]
    if rows.empty or rows["shown"].isna().all():
        return ""
    told = f"{rows['shown'].mean():.1f} of {rows['k'].max()} passages"
    return f"{told}, {rows['noise'].mean():.2f} noise"
