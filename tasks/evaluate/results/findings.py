"""What a newcomer wants to know of a result: how often is a system right, what hurts it, and which part is weak."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.rows import answer_in_words
from rarefy.tasks.evaluate.protocols import PROTOCOLS, display_of
from rarefy.tasks.evaluate.protocols.frame import Frame
from rarefy.tasks.evaluate.protocols.magic_mushroom import LENGTH
from rarefy.tasks.evaluate.systems.interface import NO_ANSWER
from rarefy.tasks.perturb.mix.config import NOISE
from rarefy.tasks.questions.grade.agreement import wilson_interval
from rarefy.tasks.text.characters import shorten

if TYPE_CHECKING:
    import pandas as pd

CHANGES = 3  # changes that are named, or more where more sides are hurt: the worst of each is
LEAST_LOST = (
    2  # right answers, less those won, that a change must lose to be named, and questions that it must lose them of
)
LEAST_RIGHT = 3  # questions with right answers on which a change must have been tried to be named
FEW_ANSWERS = 20  # to unchanged questions: fewer say too little to begin a result with
LONGEST = 500  # characters of a text that are kept
LONG = 60  # words of a right answer from which it may be a whole passage that holds the answer
SEVERAL = "several_values"  # why an answer that is right was in doubt
JUDGE = "judge_needed"  # begins the reason of a score that only a judge can give
OWN, RETRIEVED, GOLD, CLOSED = "own", "retrieved", "gold", "closed_book"
SETTINGS = (OWN, RETRIEVED, GOLD, CLOSED)  # what is shown with an unchanged question; the nearest to real use first
READER, RETRIEVER, UNKNOWN = "reader", "retriever", ""
ANY = ("", "none")
MIXED = "mixed"  # noise of several classes together, whatever the shares
DELETION = "deletion"  # the family of what takes the answer out of a passage
CONTEXT = ["mix", "ratio", "scenario", "placed", "position", "bin"]
PLACE = ["question_id", "given", "retriever", "k", "order", "chunk_id", "document", *CONTEXT]
Mask = npt.NDArray[np.bool_]


def find_findings(frames: Iterable[tuple[str, str, Frame]], tables: Mapping[str, pa.Table]) -> dict[str, Any]:
    """The findings of each system, as `findings` of a summary; all counts are of trials, or of pairs of them.

    They are of questions of all kinds that the documents answer, those too that a paper does not have. Scores of
    different protocols are never added up: each finding names the protocol that it is of.
    """
    gold = dict(zip(*(tables["trials"][name].to_pylist() for name in ("trial_id", "gold")), strict=True))
    unanswered, several = (_find_reason(tables["scores"], why) for why in (NO_ANSWER, SEVERAL))
    by_system: dict[str, dict[str, pd.DataFrame]] = {}
    absent: dict[str, dict[str, int]] = {}
    every: dict[str, dict[str, pd.DataFrame]] = {}
    for system, protocol, frame in frames:
        rows = frame.rows
        rows = rows[rows["status"] != "skipped"]
        rows = rows.assign(
            gold_shown=rows["trial_id"].map(gold).to_numpy(dtype=float),
            right=(rows["status"] == "scored") & (rows["value"] >= 1),
            unanswered=[(system, trial) in unanswered for trial in rows["trial_id"]],
            several=[(system, trial) in several for trial in rows["trial_id"]],
        )
        if protocol in PROTOCOLS and PROTOCOLS[protocol].abstention and system not in absent:
            none = rows[rows["pattern"] == "absent"]
            absent[system] = {"questions": _count_questions(none)} | _count_outcomes(none)
        every.setdefault(system, {})[protocol] = rows
        answerable = rows[rows["pattern"] != "absent"]
        if len(answerable):
            by_system.setdefault(system, {})[protocol] = answerable
    return {
        system: {
            **_count_unchanged(protocols),
            "absent": absent.get(system, {}),
            **_find_harmful_changes(protocols, tables),
            "made_up": _find_made_up(every[system], tables),
            "part": _find_weak_part(protocols),
            "unscored": _count_unscored(system, tables),
            "long": _count_long(every[system].values()),
        }
        for system, protocols in by_system.items()
    }


def _find_reason(scores: pa.Table, why: str) -> set[tuple[str, str]]:
    """System and trial of each score with this reason."""
    mine = scores.filter(pc.equal(scores["why"], why))
    return set(zip(mine["system"].to_pylist(), mine["trial_id"].to_pylist(), strict=True))


# How often is it right?


def _select(rows: "pd.DataFrame", setting: str) -> Mask:
    """The rows with an unchanged question and unchanged passages, shown in this setting."""
    same = rows["query"].isin(ANY) & rows["document"].isin(ANY)
    closed = rows["given"] == "closed_book"
    if setting == CLOSED:
        return np.asarray(same & closed)
    if setting == GOLD:
        pure = (rows["mix"] == "") | (rows["ratio"] == 0)
        return np.asarray(
            same & (rows["given"] == "passages") & (rows["retriever"] == "") & pure & (rows["gold_shown"] >= 1)
        )
    mine = rows["given"] == "own" if setting == OWN else (rows["given"] == "passages") & (rows["retriever"] != "")
    return np.asarray(same & mine & rows["order"].isin(("", "original")))


def select_unchanged(protocols: Mapping[str, "pd.DataFrame"]) -> tuple[str, str, Mask] | None:
    """Protocol, setting and mask of the unchanged questions that a result begins with; None where none was asked.

    They are of the first protocol that comes nearest to real use and has answers enough, else of that with the most;
    those without passages only where nothing was asked with some. Rows have `gold_shown`, the share of gold passages
    that the trial shows.
    """
    found = _list_unchanged(protocols, SETTINGS[:-1]) or _list_unchanged(protocols, (CLOSED,))
    enough = (one for one in found if one[2].sum() >= FEW_ANSWERS)
    return next(enough, max(found, key=_size, default=None))


def _list_unchanged(protocols: Mapping[str, "pd.DataFrame"], settings: Sequence[str]) -> list[tuple[str, str, Mask]]:
    """Protocol, setting and mask of the unchanged questions, wherever some were asked."""
    return [
        (protocol, setting, mask)
        for setting in settings
        for protocol, rows in protocols.items()
        if (mask := _select(rows, setting)).any()
    ]


def _size(found: tuple[str, str, Mask]) -> int:
    return int(found[2].sum())


def _count_unchanged(protocols: Mapping[str, "pd.DataFrame"]) -> dict[str, dict[str, Any]]:
    """Outcomes of the answers to unchanged questions; `own` of those with own retrieval, where they are too few."""
    unchanged = select_unchanged(protocols)
    own = max(_list_unchanged(protocols, (OWN,)), key=_size, default=None)
    return {
        "unchanged": _count_selected(protocols, *unchanged) if unchanged else {},
        "own": _count_selected(protocols, *own) if own and unchanged and unchanged[1] != OWN else {},
    }


def _count_selected(protocols: Mapping[str, "pd.DataFrame"], protocol: str, setting: str, mask: Mask) -> dict[str, Any]:
    mine = protocols[protocol][mask]
    about = {"protocol": protocol, **_whose_passages(mine, setting), "questions": _count_questions(mine)}
    return about | _count_outcomes(mine)


def _count_outcomes(rows: "pd.DataFrame") -> dict[str, int]:
    """How many answers there are of each outcome; each answer has one."""
    scored, value, refused = rows["status"] == "scored", rows["value"], rows["refused"]
    counts = {
        "right": scored & (value >= 1),
        "refused": scored & ~(value >= 1) & refused,
        "partly": scored & (value > 0) & (value < 1) & ~refused,
        "wrong": scored & ~(value > 0) & ~refused,
        "failed": rows["status"] == "failed",
        "missing": rows["unanswered"],  # was never given
        "unscored": (rows["status"] == "missing") & ~rows["unanswered"],
    }
    return {"answers": len(rows)} | {name: int(mask.sum()) for name, mask in counts.items()}


def _count_unscored(system: str, tables: Mapping[str, pa.Table]) -> dict[str, Any]:
    """How many of a system's answers have no score: of them how many need a judge, failed, or were never given.

    `mostly` is the question that more than half of those for a judge answer, with their number; empty for none.
    """
    columns = ["trial_id", "status", "why"]
    mine = tables["scores"].filter(pc.equal(tables["scores"]["system"], system)).select(columns).to_pylist()
    tried = [row for row in mine if row["status"] != "skipped"]
    judge = [row for row in tried if row["status"] != "scored" and row["why"].startswith(JUDGE)]
    asked = dict(zip(*(tables["trials"][name].to_pylist() for name in ("trial_id", "question_id")), strict=True))
    texts = dict(zip(*(tables["questions"][name].to_pylist() for name in ("question_id", "text")), strict=True))
    ((most, count),) = Counter(asked[row["trial_id"]] for row in judge).most_common(1) or [("", 0)]
    return {
        "answers": len(tried),
        "judge": len(judge),
        "failed": sum(row["status"] == "failed" for row in tried),
        "missing": sum(row["why"] == NO_ANSWER for row in tried),
        "unscored": sum(row["status"] != "scored" for row in tried),
        "mostly": {"question": texts[most], "answers": count} if 2 * count > len(judge) else {},
    }


def _count_long(protocols: Iterable["pd.DataFrame"]) -> dict[str, int]:
    """How many answers are right, of them how many in over LONG words, and how many name other values of the kind."""
    right = [rows[rows["right"]] for rows in protocols]
    long = [rows["text"].str.split().str.len() > LONG for rows in right]
    return {
        "right": sum(map(len, right)),
        "long": sum(int(mask.sum()) for mask in long),
        "several": sum(int((rows["several"] & ~mask).sum()) for rows, mask in zip(right, long, strict=True)),
    }


# What hurts most?


def _find_harmful_changes(protocols: Mapping[str, "pd.DataFrame"], tables: Mapping[str, pa.Table]) -> dict[str, Any]:
    """The changes that lost the largest share of right answers, each once, with an example; and how many were tried.

    A change counts as tried where it was made to questions enough that were right before.
    """
    found: dict[tuple[str, str], tuple[Any, str, pd.DataFrame]] = {}
    tried = set()
    for protocol, rows in protocols.items():
        for side, pairs in _pair_changes(rows):
            both = pairs[(pairs["status"] == "scored") & (pairs["status_before"] == "scored")]
            for change, some in both.groupby("change", sort=True):
                before, lost = int(some["right_before"].sum()), some["right_before"] & ~some["right"]
                if _count_questions(some[some["right_before"]]) < LEAST_RIGHT:
                    continue
                tried.add((side, change))
                net = int(lost.sum()) - int((~some["right_before"] & some["right"]).sum())
                if min(net, _count_questions(some[lost])) < LEAST_LOST:
                    continue
                rank = (rank_share(net / before, _count_questions(some[some["right_before"]])), net)
                if (side, change) not in found or rank > found[side, change][0]:
                    found[side, change] = (rank, protocol, some)
    order = sorted(found, key=lambda key: (*(-part for part in found[key][0]), key))
    first = {side: (side, change) for side, change in reversed(order)}.values()  # the worst of each side
    worst = [*first, *(key for key in order if key not in first)][: max(CHANGES, len(first))]
    return {
        "changes": [_describe_change(*key, *found[key][1:], tables) for key in sorted(worst, key=order.index)],
        "changes_tried": len(tried),
    }


def _pair_changes(rows: "pd.DataFrame") -> Iterator[tuple[str, "pd.DataFrame"]]:
    """Side, and each changed trial beside that of the same question where nothing, or only this, was as it is.

    A change of the passages that takes away what answers the question (a deletion, noise alone) is no pair.
    """
    same, whole = rows["query"].isin(ANY), rows["document"].isin(ANY)
    yield "question", _pair(rows[~same].assign(change=rows["query"]), rows[same], PLACE)
    changed = rows[same & ~whole].assign(change=rows["document"])
    yield "passages", _keeping_gold(_pair(changed, rows[same & whole], [c for c in PLACE if c != "document"]))
    ordered = rows[same & whole & ~rows["order"].isin(("", "original"))].assign(change=rows["order"])
    yield (
        "order",
        _pair(ordered, rows[same & whole & (rows["order"] == "original")], [c for c in PLACE if c != "order"]),
    )
    found = rows[same & whole & (rows["retriever"] != "") & rows["order"].isin(("", "original")) & (rows["k"] > 0)]
    fewest = found["k"] == found.groupby(["question_id", "given", "retriever"])["k"].transform("min")
    few = [c for c in PLACE if c != "k"]
    yield "amount", _keeping_gold(_pair(found[~fewest].assign(change="more"), found[fewest], few))
    # a context of a given length, or with a class in a given place, is no matter of noise alone
    mixed = rows[same & (rows["mix"] != "") & (rows["placed"] == "") & (rows["cell"] != LENGTH)]
    pure, alone = mixed["ratio"] == 0, mixed["mix"].isin(NOISE)
    for side, mask, label in (("noise", alone, mixed["mix"]), ("mixture", ~alone, MIXED)):
        noisy = mixed[~pure & mask].assign(change=label)
        yield side, _keeping_gold(_pair(noisy, mixed[pure], ["question_id", "given"]))


def _pair(changed: "pd.DataFrame", before: "pd.DataFrame", on: Sequence[str]) -> "pd.DataFrame":
    first = before.sort_values("number", kind="stable").drop_duplicates(list(on))
    columns = [*on, "right", "status", "gold_shown", "text"]
    return changed.merge(first[columns], on=list(on), suffixes=("", "_before"))


def _keeping_gold(pairs: "pd.DataFrame") -> "pd.DataFrame":
    return pairs[pairs["gold_shown"] >= pairs["gold_shown_before"]]


def _describe_change(
    side: str, change: str, protocol: str, pairs: "pd.DataFrame", tables: Mapping[str, pa.Table]
) -> dict[str, Any]:
    """What a change did, and an answer that it lost: a wrong one before a refusal, a short one first."""
    from rarefy.tasks.perturb.catalogue import CATALOGUE  # late: what reads results need not load what makes variants

    lost, won = pairs[pairs["right_before"] & ~pairs["right"]], pairs[~pairs["right_before"] & pairs["right"]]
    entry = CATALOGUE.get(change)
    right = pairs[pairs["right_before"]]
    return {
        "side": side,
        "change": change,
        "family": entry.family if entry else "",
        "about": display_of(protocol).terms.get(change, "") or (entry.about if entry else ""),
        "protocol": protocol,
        "questions": _count_questions(pairs),
        "questions_right_before": _count_questions(right),
        "questions_lost": _count_questions(lost),
        "questions_won": _count_questions(won),
        "pairs": len(pairs),
        "right_before": int(pairs["right_before"].sum()),
        "lost": len(lost),
        "won": len(won),
        "shares": [
            {"share": float(ratio), "right_before": len(some), "lost": int((~some["right"]).sum())}
            for ratio, some in right.groupby("ratio", sort=True)
        ]
        if side in ("noise", "mixture")
        else [],
        "example": _describe_example(lost, tables),
    }


def _describe_example(lost: "pd.DataFrame", tables: Mapping[str, pa.Table]) -> dict[str, Any]:
    """One of these answers: a wrong one before a refusal, a short one first."""
    lost = lost.assign(length=lost["text"].str.len())
    example = lost.sort_values(["refused", "length", "trial_id"], kind="stable").iloc[0]
    question = _first(tables["questions"], "question_id", example["question_id"])
    variant = _first(tables["variants"], "variant_id", example["query_id"])
    return {
        "trial_id": str(example["trial_id"]),
        "question": _cut(variant["text"] if variant else question["text"]),
        "said": _cut(example["text"]),
        "refused": bool(example["refused"]),
        "said_before": _cut(example.get("text_before", "")),
        "right": _cut(answer_in_words(question["answer"], question["aliases"], question["pattern"])),
    }


# Where does it answer though nothing that is shown has the answer?


def _find_made_up(protocols: Mapping[str, "pd.DataFrame"], tables: Mapping[str, pa.Table]) -> list[dict[str, Any]]:
    """Where nothing that was shown has the answer: how often one is given, in the worst protocol of each kind.

    What is neither right nor a refusal counts as made up. Kinds are questions that the documents do not answer,
    passages that had the answer taken out, and noise alone. The largest share comes first.
    """
    from rarefy.tasks.perturb.catalogue import CATALOGUE  # late, as above

    gone = [name for name, entry in CATALOGUE.items() if entry.family == DELETION]
    found: dict[str, dict[str, Any]] = {}
    for protocol, rows in protocols.items():
        absent, whole = rows["pattern"] == "absent", rows["query"].isin(ANY)
        kinds = {
            "absent": absent & whole & (rows["given"] != "closed_book"),
            "answer_deleted": ~absent & rows["document"].isin(gone) & (rows["gold_shown"] == 0),
            "noise_alone": ~absent & (rows["mix"] != "") & (rows["ratio"] == 1) & (rows["gold_shown"] == 0),
        }
        for kind, mask in kinds.items():
            mine = rows[mask & (rows["status"] == "scored")]
            wrong = mine[~mine["refused"] & ~mine["right"]]
            if _count_questions(mine) < LEAST_RIGHT or _count_questions(wrong) < LEAST_LOST:
                continue
            if kind in found and found[kind]["made_up"] / found[kind]["answers"] >= len(wrong) / len(mine):
                continue
            found[kind] = {
                "kind": kind,
                "protocol": protocol,
                "questions": _count_questions(mine),
                "questions_made_up": _count_questions(wrong),
                "answers": len(mine),
                "refused": int(mine["refused"].sum()),
                "right": int(mine["right"].sum()),
                "made_up": len(wrong),
                "example": _describe_example(wrong, tables),
            }
    return sorted(found.values(), key=lambda one: (-one["made_up"] / one["answers"], one["kind"]))


def rank_share(share: float, questions: int) -> float:
    """The least that a share over so many questions may be (Wilson's 95 % interval), to order shares by."""
    return wilson_interval(share * questions, questions)[0]


def _count_questions(rows: "pd.DataFrame") -> int:
    return int(rows["question_id"].nunique())


def _first(table: pa.Table, column: str, value: str) -> Any:
    found = table.filter(pc.equal(table[column], value)).slice(0, 1).to_pylist()
    return found[0] if found else None


def _cut(text: str) -> str:
    return shorten(" ".join(str(text).split()), LONGEST)


# Retriever or reader?


def _find_weak_part(protocols: Mapping[str, "pd.DataFrame"]) -> dict[str, Any]:
    """Which part loses more right answers, by the first protocol that shows it, and the evidence.

    Where gold passages were shown too, the reader loses what is not right with them, and the retriever what is right
    with them and not with what was retrieved. Else wrong answers are the reader's where all gold was among the
    passages that were retrieved. A part is named where the difference is over two standard errors (over questions)
    whatever the answers without a score had come to.
    """
    for protocol, rows in protocols.items():
        parts = {setting: _bounds_by_question(rows[_select(rows, setting)]) for setting in SETTINGS}
        setting = OWN if len(parts[OWN]) else RETRIEVED
        retrieved = parts[setting]
        both = parts[GOLD].add_suffix("_gold").join(retrieved.add_suffix("_retrieved"), how="inner")
        if not len(both):
            continue
        # (1 - gold) - (gold - retrieved): over 0 where the reader loses more
        least = 1 - 2 * both["most_gold"] + both["least_retrieved"]
        most = 1 - 2 * both["least_gold"] + both["most_retrieved"]
        closed = parts[CLOSED].reindex(both.index).dropna()
        return {
            "weak": _decide(least, most),
            "by": "gold shown",
            "protocol": protocol,
            **_whose_passages(rows, setting),
            "questions": len(both),
            "gold": [float(both["least_gold"].mean()), float(both["most_gold"].mean())],
            "retrieved": [float(both["least_retrieved"].mean()), float(both["most_retrieved"].mean())],
            "closed_book": [float(closed["least"].mean()), float(closed["most"].mean())] if len(closed) else None,
        }
    for protocol, rows in protocols.items():
        for setting in (OWN, RETRIEVED):
            mine = rows[_select(rows, setting)]
            mine = mine[mine["gold"] >= 0]
            if len(mine):
                return _weak_part_of_retrieved(protocol, mine) | _whose_passages(mine, setting)
    shown = [part for rows in protocols.values() if len(part := _bounds_by_question(rows[_select(rows, GOLD)]))]
    most = max(shown, key=len, default=None)
    gold = {} if most is None else {"gold": [float(most[end].mean()) for end in ("least", "most")]}
    return {"weak": UNKNOWN, "by": "", **gold} | ({} if most is None else {"questions": len(most)})


def _whose_passages(rows: "pd.DataFrame", setting: str) -> dict[str, Any]:
    """Who found the passages of the unchanged questions in this setting: the system itself, or which retrievers."""
    return {"passages": setting, "retrievers": sorted(set(rows[_select(rows, setting)]["retriever"]) - {""})}


def _weak_part_of_retrieved(protocol: str, rows: "pd.DataFrame") -> dict[str, Any]:
    """Whose the wrong answers are, where it is known whether all gold was among what was retrieved."""
    full, wrong = rows["gold"] >= 1, (rows["status"] == "scored") & ~rows["right"]
    lost, open_ = rows["status"] == "failed", rows["status"] == "missing"
    sign = np.where(full, 1.0, -1.0)
    per = (
        rows.assign(
            least=np.where(wrong | ((open_ | lost) & ~full), sign, 0.0),
            most=np.where(wrong | ((open_ | lost) & full), sign, 0.0),
        )
        .groupby("question_id")[["least", "most"]]
        .mean()
    )
    with_gold, without = _share_right(rows[full]), _share_right(rows[~full])
    return {
        "weak": _decide(per["least"], per["most"]),
        "by": "gold retrieved",
        "protocol": protocol,
        "questions": len(per),
        "all_gold": float(full.mean()),
        "with_gold": with_gold,
        "without_gold": without,
    }


def _share_right(rows: "pd.DataFrame") -> list[float] | None:
    """The least and the most share of right answers, as those without a score may be wrong or right."""
    if not len(rows):
        return None
    least = float(rows["right"].mean())
    return [least, least + float((rows["status"] != "scored").mean())]


def _bounds_by_question(rows: "pd.DataFrame") -> "pd.DataFrame":
    """By question: the least and the most share of right answers, as those without a score may be wrong or right."""
    right = rows["right"].astype(float)
    bounds = rows.assign(least=right, most=right + (rows["status"] != "scored"))
    return bounds.groupby("question_id")[["least", "most"]].mean()


def _decide(least: "pd.Series[float]", most: "pd.Series[float]") -> str:
    """The reader where the mean is over 0 by two standard errors at least, the retriever where it is so far under 0."""
    if len(least) < 2:
        return UNKNOWN
    root = np.sqrt(len(least))
    if least.mean() - 2 * least.std() / root > 0:
        return READER
    return RETRIEVER if most.mean() + 2 * most.std() / root < 0 else UNKNOWN
