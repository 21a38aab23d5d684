"""SURE: does an answer survive a change of its document that does not matter? (arXiv 2503.05587, papers.md §000)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pydantic import BaseModel, Field, field_validator

from rarefy.data_contracts.rows import Chunk, Trial, row_id
from rarefy.tasks.evaluate.protocols.case import NONE, QuestionVariants
from rarefy.tasks.evaluate.protocols.display import Display, Mask, Rows, Title
from rarefy.tasks.evaluate.protocols.frame import SLICES, Frame, proper_slices
from rarefy.tasks.evaluate.protocols.protocol import GUESSED, KNOWN, PromptPack, Protocol, trial
from rarefy.tasks.evaluate.statistics.measure import Derived, Measure, Metric, mean_of
from rarefy.tasks.questions.operands import is_answerable

if TYPE_CHECKING:
    import pandas as pd

# Configuration and trials (§3, Table 2)

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
    if not is_asked(case, config):
        yield trial(NAME, case, GOLDEN, "passages", skipped_because="multi_hop")
        return
    yield trial(NAME, case, PROBE, "closed_book")
    single = _has_one_gold_chunk(case)
    for chunk_id in dict.fromkeys(case.question.chunk_ids):
        golden = single or holds_answer(case, case.chunks[chunk_id])
        yield from _document_trials(case, config, chunk_id, GOLDEN if golden else NOISE, own=True)
    if config.noise:
        for chunk_id in sorted({row.chunk_id for row in case.noise}):
            yield from _document_trials(case, config, chunk_id, NOISE, own=False)


def is_asked(case: QuestionVariants, config: SureConfig) -> bool:
    """Whether a question is asked: it has one gold chunk, or multi-hop ones are asked by answer."""
    if not SURE.asks(case.question.pattern):
        return False
    return _has_one_gold_chunk(case) or config.multi_hop == "by_answer"


def _has_one_gold_chunk(case: QuestionVariants) -> bool:
    return len(set(case.question.chunk_ids)) == 1


def _document_trials(
    case: QuestionVariants, config: SureConfig, chunk_id: str, cell: str, own: bool
) -> Iterator[Trial]:
    """A document as it is and in each change; html too, where a page with metadata is compared with it."""
    yield trial(NAME, case, cell, "passages", chunk_id=chunk_id, document=NONE, passage_ids=(chunk_id,))
    for name in tried_perturbations(config):
        kept = case.changed(name, chunk_id) if own else case.noise
        variants = [row for row in kept if row.perturbation == name and row.chunk_id == chunk_id]
        for variant in variants:
            ids = (variant.variant_id,)
            number = variant.number
            yield trial(NAME, case, cell, "passages", chunk_id=chunk_id, document=name, number=number, passage_ids=ids)
        if not variants:
            why = case.why_not("document" if own else "noise", name)
            yield trial(NAME, case, cell, "passages", chunk_id=chunk_id, document=name, skipped_because=why)


def part_of(trial: Trial, config: SureConfig) -> str:
    """Return the change of a document, with the cell; "" of the probe and of the document as it is.

    Changes that are held against the same changed page are one part with it, or the page would be drawn more often
    than others; where a type counts whole, all changes of a document are.
    """
    if trial.cell == PROBE or trial.document == NONE:
        return ""
    if config.whole_types:
        return trial.cell
    pages = {name: page for name in config.perturbations for page in baselines(name, config) if page != NONE}
    page = pages.get(trial.document, trial.document)
    together = "page with and without metadata" if page in pages.values() else page
    return f"{trial.cell}, {together}"


def tried_perturbations(config: SureConfig) -> tuple[str, ...]:
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
    """Whether an answer of the question, or every operand of a computed one, is in this chunk, in any notation (S8)."""
    from rarefy.tasks.text.answers import find_readable

    return is_answerable(case.question, lambda form, aliases: bool(find_readable(chunk.text, form, aliases)))


# Pairs of answers before and after a change: C = Y(y) − Y(ŷ) (§3.6)

SUBSETS = ("K-G", "K-N", "U-G", "U-N")
# the worst last: a pair is as well known as the less known of its two answers
STATUSES = ("scored", "missing", "failed", "skipped")
DOCUMENT_KEY = ["question_id", "chunk_id"]
# the columns of a frame that pairs are made of: all of them would be merged once for every change
PAIRED = (*DOCUMENT_KEY, *"at trial_id cell document number status value refused not_drawn text".split(), *SLICES)


@dataclass(frozen=True)
class Pairs(Frame):
    """A row for each (question, document, change), of all baselines.

    Columns: at, question_id, chunk_id, cell (golden | noise), known (K | U | ""), subset (K-G | ... | ""),
    perturbation, type, against (the baseline: none | html | ...), main (is that the first of the change's baselines),
    before and after (0 or 1, NaN unless scored), same (1 where both answers are the same words, or both refuse),
    status of the pair, kept (whether there is a changed document), trial_id and before_id, and the columns of its
    question.
    """

    def difference(self) -> npt.NDArray[np.float64]:
        """C of each pair: −1 won, 0 robust, 1 lost; NaN unless both answers are scored."""
        return np.asarray(self.column("before") - self.column("after"), dtype=float)

    def mean(self, metric: str, slice_: str, values: Any = None, *, per: str = "trial", **options: Any) -> Measure:
        """The mean of these values, one per pair, NaN where there is none."""
        return super().mean(metric, slice_, values, per=per, unit="pairs", **options)


def build_pairs(frame: Frame, config: SureConfig) -> Pairs:
    """The pairs of a frame; ValueError where an answer is neither right nor wrong, as Y must be (eq. 4)."""
    import pandas as pd  # late: half a second

    rows = frame.drawn().rows
    rows = rows[[name for name in PAIRED if name in rows]]
    values = rows["value"].dropna()
    if not values.isin((0.0, 1.0)).all():
        raise ValueError(
            f"SURE compares answers that are right (1) or wrong (0); one is {values[~values.isin((0, 1))].iloc[0]}"
        )
    documents = rows[rows["cell"].isin((GOLDEN, NOISE)) & (rows["document"] != "")]
    documents = documents.assign(said=_normalize_answers(documents))
    known = _known_questions(rows)
    changed = [
        documents[documents["document"] == name].assign(against=against, main=place == 0)
        for name in config.perturbations
        for place, against in enumerate(baselines(name, config))
        if against != name
    ]
    nothing = documents[:0].assign(against=NONE, main=True)
    pairs = _match_baselines(pd.concat(changed, ignore_index=True) if changed else nothing, documents)
    pairs["known"] = pairs["question_id"].map(known).fillna("")
    side = pairs["cell"].map({GOLDEN: "G", NOISE: "N"})
    pairs["subset"] = (pairs["known"] + "-" + side).where(pairs["known"] != "", "")
    pairs["type"] = pairs["perturbation"].map({name: type_of(name) for name in config.perturbations})
    if config.whole_types:
        pairs["status"] = pairs["status"].mask(_is_incomplete_type(pairs), "skipped")
        pairs.loc[pairs["status"] == "skipped", ["before", "after", "same"]] = np.nan
    return Pairs(_categorize(pairs), frame.questions)


def _categorize(pairs: "pd.DataFrame") -> "pd.DataFrame":
    """The columns that pairs are looked at by, words as categories: pairs are cut a thousand times."""
    words = [
        *DOCUMENT_KEY,
        "trial_id",
        "before_id",
        "cell",
        "known",
        "subset",
        "perturbation",
        "type",
        "against",
        "status",
        *SLICES,
    ]
    return pairs[["at", "number", "main", "kept", "not_drawn", "before", "after", "same", *words]].astype(
        dict.fromkeys(words, "category")
    )


def _known_questions(rows: "pd.DataFrame") -> "pd.Series[str]":
    """K or U of each question whose closed-book answer was scored."""
    probes = rows[(rows["cell"] == PROBE) & (rows["status"] == "scored")]
    return probes.set_index("question_id")["value"].map({1.0: "K", 0.0: "U"})


def _normalize_answers(rows: "pd.DataFrame") -> "pd.Series[str]":
    """Each answer as its bare words; all refusals are the same answer."""
    if "text" not in rows:
        raise ValueError("the frame has no column `text`: answers cannot be compared with one another")
    bare = rows["text"].fillna("").str.casefold().str.replace(r"[^\w%$€£.+-]+", " ", regex=True).str.strip(" .")
    return bare.mask(rows["refused"], "\0refused")


def _match_baselines(changed: "pd.DataFrame", documents: "pd.DataFrame") -> "pd.DataFrame":
    """Each changed document with the one that it is held `against`; without one the pair is skipped."""
    key = [*DOCUMENT_KEY, "against"]
    before = documents.sort_values("number", kind="stable").rename(columns={"document": "against"})
    first = before.drop_duplicates(key)[[*key, "trial_id", "value", "status", "said"]]
    matched = changed.merge(first, on=key, how="left", suffixes=("", "_before"), validate="m:1")
    codes = {name: code for code, name in enumerate(STATUSES)}
    worse = np.maximum(
        matched["status"].map(codes).to_numpy(dtype=int),
        matched["status_before"].fillna("skipped").map(codes).to_numpy(dtype=int),
    )
    scored = worse == 0
    same = (matched["said"] == matched["said_before"]).to_numpy(dtype=float)
    return matched.assign(
        kept=matched["status"] != "skipped",
        status=np.array(STATUSES, dtype=object)[worse],
        before=matched["value_before"].where(scored),
        after=matched["value"].where(scored),
        same=np.where(scored, same, np.nan),
        perturbation=matched["document"],
        before_id=matched["trial_id_before"],
    ).drop(columns=["value", "value_before", "status_before", "said", "said_before", "trial_id_before"])


def _is_incomplete_type(pairs: "pd.DataFrame") -> "pd.Series[bool]":
    """Pairs on a document for which not all of a type's changes, of those that were made at all, are there (S6)."""
    present = pairs[pairs["main"] & pairs["kept"]]
    made = present.groupby("type")["perturbation"].nunique()
    kept = present.groupby([*DOCUMENT_KEY, "type"])["perturbation"].nunique()
    keys = list(zip(pairs["question_id"], pairs["chunk_id"], pairs["type"], strict=True))
    return (kept.reindex(keys, fill_value=0).to_numpy() < pairs["type"].map(made).fillna(0).to_numpy()).astype(bool)


# Measures (Table 2, Figure 4, §3.6)

RR, WR, LR = "RR", "WR", "LR"
BASE, AFTER, SAME = "base accuracy", "perturbed accuracy", "same answer"
# which way is better: fewer lost, more of all else
LIMITS = {RR: (0.0, 1.0), WR: (0.0, 1.0), LR: (1.0, 0.0)}
GOLDENS = "of passages that have the answer (Golden: K-G and U-G)"
INFLATED = "RR is inflated on noise: both answers are wrong"


def measures(frame: Frame, config: SureConfig) -> Iterator[Metric]:
    """All numbers of one system; without "subset=" they are of Golden documents alone, as the paper's main results."""
    pairs = build_pairs(frame, config)
    main = pairs.only("main", True)
    golden = main.only("cell", GOLDEN)
    yield from rates(golden, "all", headline=True, note="; ".join(filter(None, (GOLDENS, _without_probe_note(golden)))))
    yield from _accuracy_and_consistency(golden, "all")
    for subset, part in _split_subsets(main):
        yield from rates(part, f"subset={subset}", note=_subset_note(subset, main))
        yield from _accuracy_and_consistency(part, f"subset={subset}")
    for name, part in proper_slices(golden):
        yield from rates(part, name)
    yield from _perturbation_table(main, "")
    other = pairs.only("main", False)
    for against in other.values("against"):
        yield from _perturbation_table(other.only("against", against), f", against={_baseline_name(against)}")


def _baseline_name(against: str) -> str:
    return "plain" if against == "none" else against


def _split_subsets(part: Pairs) -> Iterator[tuple[str, Pairs]]:
    """K-G to U-N, all noise, and all of it, which is the mean of the four weighted by their pairs (Table 2, Total)."""
    for subset in SUBSETS:
        yield subset, part.only("subset", subset)
    yield "noise", part.only("cell", NOISE)
    yield "total", part


def _subset_note(subset: str, part: Pairs) -> str:
    if subset in SUBSETS:
        side = GOLDEN if subset.endswith("G") else NOISE
        lost = _without_probe_note(part.only("cell", side))
        return "; ".join(filter(None, (INFLATED if subset.endswith("N") else "", lost)))
    if subset == "noise":
        return INFLATED
    if not part.has("cell", NOISE).any():
        return "of Golden documents alone: there are no Noise documents"
    lost = _without_probe_note(part)
    every = "every pair counts once" + (
        "" if lost else ", so that it is the mean of the subsets weighted by their pairs"
    )
    return "; ".join(filter(None, (every, lost)))


def _without_probe_note(part: Pairs) -> str:
    """How many pairs are in no subset, as the closed-book probe of their questions has no score."""
    lost = int((part.has("subset", "") & part.has("status", "scored")).sum())
    return f"{lost:,} scored pairs are neither K nor U: their closed-book probe has no score" if lost else ""


def rates(part: Pairs, slice_: str, headline: bool = False, note: str = "") -> tuple[Measure, ...]:
    """RR, WR, LR and base accuracy of these pairs; perturbed accuracy is the last plus WR less LR.

    RR + WR + LR = 1 of every question, or ArithmeticError.
    """
    change = part.difference()
    none = np.isnan(change)
    three = []
    for name, wanted in ((RR, 0.0), (WR, -1.0), (LR, 1.0)):
        values = np.where(none, np.nan, change == wanted)
        three.append(part.mean(name, slice_, values, limits=LIMITS[name], headline=headline, note=note))
    if not np.array_equal(sum(one.numerator for one in three), three[0].denominator):
        raise ArithmeticError(f"SURE, {slice_}: RR + WR + LR is not 1")
    note_base = "of the unchanged documents of the pairs" if headline else ""
    return (*three, part.mean(BASE, slice_, part.column("before"), headline=headline, note=note_base))


def _accuracy_and_consistency(part: Pairs, slice_: str) -> Iterator[Measure]:
    """Accuracy with the change, and answer-level consistency."""
    yield part.mean(AFTER, slice_, part.column("after"))
    note = "the same words before and after, right or wrong; not in the paper"
    yield part.mean(SAME, slice_, part.column("same"), note=note)


def _perturbation_table(part: Pairs, suffix: str) -> Iterator[Metric]:
    """Table 2: a row per perturbation, and per type the mean of its rows; by subset, and of all Golden documents."""
    names = list(dict.fromkeys(part.rows["perturbation"]))
    of = dict(zip(part.rows["perturbation"], part.rows["type"], strict=True))
    columns = [("", part.only("cell", GOLDEN))]
    columns += [(subset, column) for subset, column in _split_subsets(part) if subset != "noise"]
    for subset, column in columns:
        named = f", subset={subset}" if subset else ""
        note = _subset_note(subset, part) if subset else GOLDENS
        by_type: dict[str, list[tuple[Measure, ...]]] = {}
        for name in names:
            row = column.only("perturbation", name)
            numbers = rates(row, f"perturbation={name}{named}{suffix}", note=note)
            yield from numbers
            if not subset:
                yield from _accuracy_and_consistency(row, f"perturbation={name}{suffix}")
            if not row.has("status", "skipped").all():
                by_type.setdefault(of[name], []).append(numbers)
        for type_, rows in by_type.items():
            yield from _type_means(rows, f"type={type_}{named}{suffix}", note)


def _type_means(rows: Sequence[tuple[Measure, ...]], slice_: str, note: str) -> Iterator[Derived]:
    """The unweighted mean of the rows of a type (§4.3): the radar's data."""
    for parts in zip(*rows, strict=True):
        type_note = f"mean of its {len(parts)} perturbations; {note}"
        yield Derived(parts[0].metric, slice_, tuple(parts), mean_of, unit="pairs", note=type_note)


# SIG: pairs that two systems are both unrobust on (§4.3)

PAIR_KEY = ["question_id", "chunk_id", "perturbation", "number"]
COLUMNS = ("sig_id", "subset", "type", "perturbation", "question_id", "chunk_id", "before_id", "trial_id")


def build_sig_table(frames: Mapping[str, Frame], config: SureConfig) -> pa.Table:
    """The SIG pairs of two systems, a row each: COLUMNS, and what became of the pair in each of the two systems.

    `before_id` and `trial_id` are the trials with the document as it is and changed; C is 1 where the change lost the
    answer and −1 where it won it. At most `sig_size` per subset and perturbation, those of the smallest hash, so that
    a new question moves few picks. ValueError where there are no two systems.
    """
    first, second = sig_systems(frames, config)
    found = _pairs_of_both(build_pairs(frames[first], config), build_pairs(frames[second], config), config)
    picked = _select_sig(found, config)
    table = pa.table({name: pa.array(picked[name], pa.string()) for name in COLUMNS})
    for place, name in enumerate((first, second)):
        values = pa.array(picked[f"C_{place}"].astype(int), pa.int64())
        table = table.append_column(f"C of {name}", values)
    return table


def across(frames: Mapping[str, Frame], config: SureConfig) -> Iterator[tuple[str, Metric]]:
    """How much is unrobust for both of two systems, by type; and RR, WR, LR of every other system on the SIG pairs.

    Of the two themselves RR on SIG is 0 by its making, and is not told. Nothing where there is one system.
    """
    if len(frames) < 2:
        return
    first, second = sig_systems(frames, config)
    mine = {name: build_pairs(frame, config) for name, frame in frames.items()}
    both = _pairs_of_both(mine[first], mine[second], config)
    yield from ((f"{first}, {second}", one) for one in _unrobust_for_both(both, mine[first]))
    picked = _select_sig(both, config)
    wanted = set(zip(*(picked[name] for name in PAIR_KEY), strict=True))
    for name, pairs in mine.items():
        if name not in (first, second):
            main = pairs.only("main", True)
            keys = zip(*(main.rows[column] for column in PAIR_KEY), strict=True)
            yield from (
                (name, one) for one in _rates_on_sig(main.where(np.array([key in wanted for key in keys], dtype=bool)))
            )


def sig_systems(frames: Mapping[str, Frame], config: SureConfig) -> tuple[str, str]:
    """The two systems; ValueError where there are no two, or one that was named was not evaluated."""
    names = config.sig_systems or tuple(sorted(frames)[:2])
    unknown = [name for name in names if name not in frames]
    if unknown:
        raise ValueError(f"protocols.sure.sig_systems: {unknown[0]!r} was not evaluated; have {', '.join(frames)}")
    if len(names) < 2:
        raise ValueError("SIG is taken from two systems; evaluate two")
    return names[0], names[1]


def _pairs_of_both(one: Pairs, other: Pairs, config: SureConfig) -> "pd.DataFrame":
    """The pairs on Golden documents that both systems were scored on, with the C of each and the subset."""
    sides = []
    for pairs in (one, other):
        rows = pairs.rows.assign(C=pairs.difference())
        rows = rows.astype(dict.fromkeys((*COLUMNS[1:], *SLICES), str))  # two systems' categories differ
        sides.append(rows[rows["main"] & (rows["cell"] == GOLDEN) & (rows["status"] == "scored")])
    columns = [*PAIR_KEY, "subset", "C"]
    both = sides[0].merge(sides[1][columns], on=PAIR_KEY, suffixes=("_0", "_1"), validate="1:1")
    same = both["subset_0"] == both["subset_1"]
    both["subset"] = both["subset_0"].where(same | (config.sig_split == "first"), "")
    both["unrobust"] = (both["C_0"] != 0) & (both["C_1"] != 0)
    return both


def _select_sig(both: "pd.DataFrame", config: SureConfig) -> "pd.DataFrame":
    """The SIG pairs: unrobust for both systems, at most `sig_size` of each subset and perturbation."""
    sig = both[both["unrobust"] & (both["subset"] != "")].copy()
    sig["sig_id"] = [row_id("sig", *map(str, key)) for key in zip(*(sig[name] for name in PAIR_KEY), strict=True)]
    sig = sig.sort_values("sig_id", kind="stable")
    sig = sig.groupby(["subset", "perturbation"], sort=True).head(config.sig_size)
    return sig.sort_values(["subset", "type", "perturbation", "sig_id"], kind="stable").reset_index(drop=True)


def _unrobust_for_both(both: "pd.DataFrame", of: Pairs) -> Iterator[Metric]:
    """The share of pairs that neither of two systems is robust on: what SIG can be taken from."""
    part = Pairs(both, of.questions)
    note = "of pairs on Golden documents that both were scored on"
    types = ((f"type={name}", part.only("type", name)) for name in sorted(set(both["type"])))
    for name, some in (("all", part), *types):
        values = some.column("unrobust").astype(float)
        yield some.mean("unrobust for both", name, values, limits=(1.0, 0.0), note=note)


def _rates_on_sig(part: Pairs) -> Iterator[Metric]:
    """RR, WR and LR on SIG: of all, of each perturbation, and of each type as the mean of its perturbations (radar)."""
    note = "on pairs that were unrobust for two other systems"
    yield from rates(part, "SIG", note=note)[:3]
    for type_ in dict.fromkeys(part.rows["type"]):
        rows = []
        of_type = part.only("type", type_)
        for name in dict.fromkeys(of_type.rows["perturbation"]):
            row = of_type.only("perturbation", name)
            rows.append(rates(row, f"SIG, perturbation={name}", note=note)[:3])
            yield from rows[-1]
        for parts in zip(*rows, strict=True):
            type_note = f"mean of its {len(parts)} perturbations, {note}"
            yield Derived(parts[0].metric, f"SIG, type={type_}", parts, mean_of, "pairs", note=type_note)


def lacking(cases: list[QuestionVariants], config: SureConfig, takes: frozenset[str]) -> str:
    """Why nothing can be tried."""
    if "passages" not in takes:
        return "it puts one document into each prompt, and none of these systems takes passages"
    names = tried_perturbations(config)
    if not any(case.changed(name) for case in cases for name in names):
        return f"the benchmark holds no document changed by any of {', '.join(names)}"
    if not any(is_asked(case, config) for case in cases):
        return 'all questions have several gold chunks; protocols.sure.multi_hop = "by_answer" asks them all the same'
    return ""


def rows_of(rows: Rows, metric: str, names: Sequence[tuple[str, str]]) -> Mask:
    """A mask of the rows with changed documents, which every metric is of."""
    return ~rows.columns["document"].among("none", "") & ~rows.columns["cell"].among(PROBE)


SURE = Protocol(
    name=NAME,
    title="SURE: spurious features",
    about="SURE, spurious features",
    paper="2503.05587",
    config=SureConfig,
    refusal="NO-RES",
    contained=True,
    kinds=KNOWN,
    beside=GUESSED,
    judge="",
    trials=trials,
    part=part_of,
    measures=measures,
    lacking=lacking,
    across=across,
    prompts=PromptPack(NAME, "arXiv 2503.05587 Figure 11", "plain", made=("closed_book", "own_know", "chain_of_note")),
    display=Display(
        about="Does an answer stay as it is when its passage is written in another style, order or format?",
        titles={
            BASE: Title("accuracy", "share of right answers with the unchanged passage"),
            AFTER: Title("accuracy, changed", "share of right answers with the changed passage"),
            RR: Title("robustness rate (RR)", "share of answers that stay right, or stay wrong, under the change"),
            WR: Title("win rate (WR)", "share that go from wrong to right"),
            LR: Title("lose rate (LR)", "share that go from right to wrong"),
        },
        accuracy=(BASE,),
        caution="{robust} of its answers stay as right or as wrong as they were, but only {right} are right",
        metrics=("RR", "WR", "LR", "base accuracy", "perturbed accuracy"),
        main=("RR",),
        beside=("WR", "LR", "base accuracy", "perturbed accuracy"),
        unchanged=(GOLDEN, NOISE),
        rows=rows_of,
    ),
)
