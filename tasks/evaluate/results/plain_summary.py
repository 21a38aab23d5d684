"""A result in plain sentences: how good is a system, what hurts it, which part is weak, and what to try next.

Every sentence is computed from `findings` and figures of a summary; what is not known there is said, never guessed.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from shlex import quote
from typing import Any

from rarefy.tasks.evaluate.protocols import attribution
from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.findings import (
    FEW_ANSWERS,
    GOLD,
    LEAST_LOST,
    LEAST_RIGHT,
    LONG,
    OWN,
    READER,
    RETRIEVED,
    RETRIEVER,
    rank_share,
)
from rarefy.tasks.evaluate.results.wording import count_of, format_share, format_shares, join_names
from rarefy.tasks.evaluate.statistics.bootstrap_intervals import exact_interval
from rarefy.tasks.evaluate.statistics.significance import mcnemar
from rarefy.tasks.text.characters import shorten, shorten_middle, visible

FOLDER = "RESULT"  # what commands call the folder of the result where nobody says which it is
ASKED = 120  # characters of a question that a terminal shows: what is asked often stands at its end
EXAMPLE = 64  # characters of an answer there
ABOUT = 60  # characters of what a change does
MOST_NEXT = 3
MOST_HURTS = 4  # changes of a system that are named, in text and on pages alike
HALF = 0.5  # of a context
LEVEL = 0.95  # of bounds, where a summary does not say its own
ALPHA = 0.05  # chance of a loss as large by chance alone, up to which it is advised against
WORTH_MENDING = 0.01  # share of answers without a score from which the summary says how they get one
UNSCORED = 0.05  # share of answers without a score from which a judge is the first thing to try
REFUSED = 0.3  # share of refusals from which something is said of them
SOLVED = 0.95  # share of gold that is retrieved from which retrieval has nothing to gain
NEARLY_ALL = 0.9  # share of right answers from which a better system has little to gain
PADDED = 0.05  # share of right answers that say much besides, from which something is said of them
MADE_UP = 0.1  # share of made-up answers where nothing shown has one, from which something is said of them
# What helps against changes: (their names or families, what to try); against others nothing is advised
REMEDIES: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("character", "superficial"),
        "Correct spelling, case and spacing of questions before they are searched and answered",
    ),
    (
        ("word", "grammar", "paraphrase"),
        "Rewrite questions in the documents' words before they are searched and answered, or use several wordings",
    ),
    (("irrelevant_detail",), "Cut questions down to what they ask before they are searched and answered"),
    (("format", "metadata"), "Strip markup and metadata from passages before the reader sees them"),
    (
        ("counterfactual", "distracting"),
        "Show with each passage where it is from, and have the reader check that it is about what is asked",
    ),
    (
        ("distraction", "low_quality", "inconsequential", "irrelevant", "mixed", "more"),
        "Show fewer passages, or rerank them: noise beside the right ones misleads the reader",
    ),
    (("reversed", "shuffled"), "Show fewer passages, the best first: the reader depends on their order"),
)


@dataclass(frozen=True)
class Hurt:
    """A change that loses right answers, with one that it lost."""

    change: str
    lost: str
    protocol: str
    asked: str
    said: str
    right: str  # "" where only a refusal is


@dataclass(frozen=True)
class PlainSummary:
    """The sentences on one system; `mend` are the commands that score what has no score, where there is some."""

    system: str
    good: str
    hurts: tuple[Hurt, ...]
    no_hurt: str  # what is said where no change is named
    weak: str
    next: tuple[str, ...]
    unscored: str
    how: str  # what the commands of `mend` do
    mend: tuple[str, ...]


def plain_summary(summary: Mapping[str, Any], folder: str = FOLDER, *, python: bool = False) -> str:
    """The sentences on every system as text; "" for a summary of before there were findings.

    `python`: what to try is said as arguments of `rarefy.evaluate`, not as commands.
    """
    found = plain_summaries(summary, folder, python=python)
    lines = [line for one in found for line in _text_lines(one)]
    last = next((one for one in reversed(found) if one.mend), None)  # what is alike for all is said once
    return "\n".join([*lines, *([last.how, *(f"  {command}" for command in last.mend)] if last else ())])


def plain_summaries(summary: Mapping[str, Any], folder: str = FOLDER, *, python: bool = False) -> list[PlainSummary]:
    """The sentences on each system that has answers."""
    return [_summarize(name, found, summary, folder, python) for name, found in summary.get("findings", {}).items()]


def _text_lines(one: PlainSummary) -> Iterator[str]:
    yield f"{visible(one.system)} is {one.good}"
    if one.hurts:
        yield "What hurts most:"
    for number, hurt in enumerate(one.hurts, start=1):
        yield f"  {number}. {visible(hurt.change)}: {hurt.lost}."
        right = _quote(hurt.right) if hurt.right else "a refusal"
        yield f"     {_quote(hurt.asked, ASKED, shorten_middle)} It said {_quote(hurt.said)}; right is {right}."
    if one.no_hurt:
        yield f"What hurts most: {one.no_hurt}"
    yield f"Weak part: {one.weak}"
    if one.unscored:
        yield one.unscored
    if one.next:
        yield "Try next:"
    yield from (f"  - {step}" for step in one.next)


def _quote(text: str, most: int = EXAMPLE, cut: Callable[[str, int], str] = shorten) -> str:
    plain = str(visible(text))
    return f'"{cut(plain, most)}"' if plain else "nothing"


def _summarize(
    system: str, found: Mapping[str, Any], summary: Mapping[str, Any], folder: str, python: bool
) -> PlainSummary:
    figures = [row for row in summary["figures"] if row["system"] == system]
    recorded = summary.get("systems", {}).get(system, {}).get("kind") == "recorded"
    more = "with budget= or questions=" if python else "a larger --budget, more --questions"
    more = "of a template with more --questions" if recorded else more
    level = float(summary.get("statistics", {}).get("level", LEVEL))
    ranked = [
        (
            rank_share(change["lost"] / change["right_before"], change["questions_right_before"]),
            _describe_hurt(change, summary),
        )
        for change in found["changes"]
    ]
    noisy = any(change["side"] in ("noise", "mixture") for change in found["changes"])
    ranked += [
        (rank_share(one["made_up"] / one["answers"], one["questions"]), _describe_made_up(one, summary))
        for one in _made_up(found)
        if not (noisy and one["kind"] == "noise_alone")  # the same weakness, told already
    ]
    hurts = tuple(hurt for _, hurt in sorted(ranked, key=lambda pair: -pair[0]))[:MOST_HURTS]
    return PlainSummary(
        system,
        " ".join([_describe_good(found, summary, level), *_remarks(system, found, summary)]),
        hurts,
        "" if hurts else _describe_no_hurt(found),
        _describe_part(found["part"], level),
        tuple(_next_steps(found, figures, more, recorded, level))[:MOST_NEXT],
        _describe_unscored(found["unscored"]),
        _describe_mend(found["unscored"], python),
        _mend(found["unscored"], folder, python),
    )


# How good?


def _describe_good(findings: Mapping[str, Any], summary: Mapping[str, Any], level: float) -> str:
    found = findings["unchanged"]
    if not found:
        return "right in a share that cannot be told: no unchanged question was asked."
    answers = found["answers"]
    parts = [
        f"{words} {format_share(found[name] / answers)}"
        for name, words in (("refused", "refuses"), ("partly", "is partly right in"), ("wrong", "is wrong in"))
        if found[name]
    ]
    unscored = "need a judge" if findings["unscored"]["judge"] else "could not be scored"
    lost = [
        f"{format_share(found[name] / answers)} {words}"
        for name, words in (("unscored", unscored), ("missing", "have no answer"), ("failed", "failed"))
        if found.get(name)
    ]
    shown = _whose_passages(found)
    title = wording.protocol_title(found["protocol"], summary["protocols"])
    if answers < FEW_ANSWERS:
        rest = f"; {join_names(lost)}" if lost else ""
        return (
            f"right in {found['right']:,} of {count_of(answers, 'answer')} to "
            f"{_unchanged(found['questions'])}{wording.decided_by_rules(summary)}, "
            f"too few to say how often it is right{rest} ({title}, {shown})."
        )
    rest = join_names(lost) if lost else "all were scored"
    if not parts:
        # of these alone: what changes do is said below
        rest = f"none of these is wrong or refused, which leaves {_left_open(found['questions'], level)}; {rest}"
    else:
        rest = f"It {join_names(parts)}; {rest}"
    return (
        f"right in {format_share(found['right'] / answers)} of {answers:,} answers to "
        f"{_unchanged(found['questions'])}{wording.decided_by_rules(summary)}{'.' if parts else ':'} {rest} "
        f"({title}, {shown})."
    )


def _left_open(questions: int, level: float) -> str:
    """How often it may be wrong nevertheless, where all of so many questions are right."""
    return f"up to {format_share(1 - exact_interval(1.0, (0.0, 1.0), questions, level)[0])} wrong possible"


def _whose_passages(found: Mapping[str, Any]) -> str:
    """What was shown with the questions that a finding is of."""
    return {
        OWN: "with what it retrieves itself",
        RETRIEVED: f"with passages that {join_names(found['retrievers'])} found",
        GOLD: "with the right passages in its prompt",
    }.get(found["passages"], "without passages")


def _remarks(system: str, found: Mapping[str, Any], summary: Mapping[str, Any]) -> Iterator[str]:
    if own := found.get("own"):
        open_ = own["unscored"] + own["missing"] + own["failed"]
        yield (
            f"{_whose_passages(own).capitalize()}: {own['right']:,} of {own['answers']:,} right"
            f"{f', {open_:,} without a score' if open_ else ''}, too few to say more "
            f"({wording.protocol_title(own['protocol'], summary['protocols'])})."
        )
    if missing := found["unscored"].get("missing"):
        yield (
            f"Missing: {missing:,} of all {count_of(found['unscored']['answers'], 'answer')}: the file of answers has "
            "none."
        )
    absent = found["absent"]
    if absent.get("answers"):
        yield (
            f"Where the documents have no answer it rightly refuses {absent['right']:,} of {absent['answers']:,} "
            f"times, of {_questions(absent['questions'])}."
        )

    yield from _describe_long(found.get("long", {}))
    yield from _describe_solved(system, found["unchanged"], summary["figures"])


def _describe_long(found: Mapping[str, int]) -> Iterator[str]:
    """How many right answers say much besides, where they are a noticeable share."""
    parts = [
        *([f"{found['long']:,} have over {LONG} words"] if found.get("long") else []),
        *([f"{found['several']:,} name other values, too"] if found.get("several") else []),
    ]
    if parts and found["long"] + found["several"] >= PADDED * found["right"]:
        yield f"Of all {found['right']:,} right answers {join_names(parts)}: they count, as they hold the answer."


def _describe_solved(system: str, unchanged: Mapping[str, Any], figures: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """That better systems, or retrievers, cannot be told apart, where little is left to gain, and what would tell them.

    Of retrievers alone nothing is said to be solved: answers may be wrong with the right passages.
    """
    right = []
    if unchanged and unchanged["answers"] >= FEW_ANSWERS and unchanged["right"] >= NEARLY_ALL * unchanged["answers"]:
        right.append(f"{unchanged['right']:,} of {unchanged['answers']:,} unchanged answers are right")
    rows = {
        "its own retrieval": _deepest_recall(figures, system, system),
        "plain BM25": _deepest_recall(figures, "bm25", ""),
    }
    found = [
        f"{whose} in {format_share(row['value'])} ({row['metric']})"
        for whose, row in rows.items()
        if row and row["value"] >= SOLVED
    ]
    facts = [*right, *([f"the right passages are found by {join_names(found)}"] if found else [])]
    if found and not right:
        yield (
            f"The right passages are easy to find here, by {join_names(found)}: this benchmark hardly tells better "
            "retrievers apart. More documents or fewer passages (k) would."
        )
    elif facts:
        yield (
            f"This benchmark is nearly solved{'' if found else ' in its answers'} and hardly tells better systems "
            f"apart: {'; '.join(facts)}. "
            "Harder kinds of question (chains, comparisons), more documents, fewer passages (k) or a model to word the "
            "questions would."
        )


SHALLOW = 5  # passages that are found by whoever may find many


def _deepest_recall(figures: Iterable[Mapping[str, Any]], retriever: str, system: str) -> Mapping[str, Any] | None:
    """The recall of a retriever for unchanged questions at the greatest k up to SHALLOW, where there are enough."""
    where = {"retriever": retriever, "perturbation": "none"}
    found = {
        int(row["metric"].removeprefix("Recall@")): row
        for row in figures
        if row["protocol"] == wording.RETRIEVAL
        and row["system"] == system
        and row["where"] == where
        and row["metric"].removeprefix("Recall@").isdigit()
        and row["value"] is not None
        and row["n_scored"] >= FEW_ANSWERS
    }
    return found[max(k)] if (k := [k for k in found if k <= SHALLOW]) else None


def _questions(count: int) -> str:
    return count_of(count, "question")


def _unchanged(count: int) -> str:
    return count_of(count, "unchanged question")


# What hurts?


def _describe_hurt(change: Mapping[str, Any], summary: Mapping[str, Any]) -> Hurt:
    name = wording.plain_words(change["change"]).capitalize()
    of = {"passages": "Passages: ", "order": "Order of passages: ", "noise": "Noise among passages: "}
    about = change["about"] if change["side"] == "noise" else _shorten(change["about"].partition(" (")[0])
    if about.casefold() in (name.casefold(), f"as {name.casefold()}"):  # "Json (as JSON)" says it twice
        name, about = about, ""
    won = f", {change['won']:,} won" if change["won"] else ""
    example = change["example"]
    return Hurt(
        WHOLE_NAMES.get(change["side"]) or f"{of.get(change['side'], '')}{name}{f' ({about})' if about else ''}",
        f"{change['lost']:,} of {change['right_before']:,} right answers lost{won}"
        f"{_settings(change)}{_by_share(change)}",
        wording.protocol_title(change["protocol"], summary["protocols"]),
        example["question"],
        example["said"],
        example["right"],
    )


# Changes of which there is one kind alone
WHOLE_NAMES = {
    "mixture": "Noise of all kinds beside the right passages",
    "amount": "More passages of the same retriever",
}


def _by_share(change: Mapping[str, Any]) -> str:
    """What is lost with little and with much noise, or with the one share that was tried."""
    shares = change.get("shares") or []
    if len(shares) < 2:
        return "".join(f", with {format_share(one['share'])} noise" for one in shares)
    halves = (
        ("up to half noise", [one for one in shares if one["share"] <= HALF]),
        ("more", [one for one in shares if one["share"] > HALF]),
    )
    lost = [
        f"{sum(one['lost'] for one in some):,} of {sum(one['right_before'] for one in some):,} with {name}"
        for name, some in halves
        if some
    ]
    return f": {', '.join(lost)}"


def _settings(change: Mapping[str, Any]) -> str:
    """Where the counts of a change come from: questions that were right, each in so many settings."""
    answers, questions = change["right_before"], change["questions_right_before"]
    about = "" if answers % questions == 0 else "about "
    times = f" × {about}{answers / questions:.0f} settings" if answers > questions else ""
    return f" ({_questions(questions)} right before{times}), in {_questions(change['questions_lost'])}"


def _shorten(about: str) -> str:
    """What a change does, in its first words up to a comma."""
    while len(about) > ABOUT and ", " in about:
        about = about.rpartition(", ")[0]
    return about


MADE_UP_OF = {
    "absent": "Questions that the documents do not answer",
    "answer_deleted": wording.name_value("lexical_similar").capitalize(),
    "noise_alone": "Noise alone, without the right passages",
}


def _made_up(found: Mapping[str, Any]) -> list[Any]:
    """Where answers are made up though nothing shown has one, the most first; [] for a summary of before."""
    return [*found.get("made_up", ())]


def _describe_made_up(one: Mapping[str, Any], summary: Mapping[str, Any]) -> Hurt:
    known = f", {one['right']:,} right all the same" if one["right"] and one["kind"] != "absent" else ""
    return Hurt(
        MADE_UP_OF[one["kind"]],
        f"{one['made_up']:,} of {one['answers']:,} times it gives an answer in place of a refusal{known}, "
        f"in {one['questions_made_up']:,} of {_questions(one['questions'])}",
        wording.protocol_title(one["protocol"], summary["protocols"]),
        one["example"]["question"],
        one["example"]["said"],
        "",
    )


def _describe_no_hurt(found: Mapping[str, Any]) -> str:
    if not found["changes_tried"]:
        few = f"each change was tried on fewer than {LEAST_RIGHT} of the questions that are right unchanged"
        return f"cannot be told: {few}."
    return (
        f"nothing that can be named: {count_of(found['changes_tried'], 'kind')} of change "
        f"{'was' if found['changes_tried'] == 1 else 'were'} tried on at least {LEAST_RIGHT} questions that are right "
        f"unchanged, and none loses {LEAST_LOST} right answers more than it wins, of {LEAST_LOST} questions or more."
    )


# Retriever or reader?


def _describe_part(part: Mapping[str, Any], level: float) -> str:
    if not part["by"] and part.get("gold"):
        return (
            f"cannot be told: shown the right passages it is right in {format_shares(part['gold'])} of "
            f"{_unchanged(part['questions'])}{_too_few(part, ' (')}, and none of these was asked with what was "
            "retrieved."
        )
    if not part["by"]:
        return "cannot be told: the right passages were not shown, and it is not known what was retrieved."
    if part["by"] == "gold shown":
        closed = f", without passages in {format_shares(part['closed_book'])}" if part["closed_book"] else ""
        whose = _whose_passages(part) if part.get("passages") else "with what was retrieved"
        facts = (
            f"shown the right passages it is right in {format_shares(part['gold'])} of {_unchanged(part['questions'])}"
            f"{_too_few(part, ' (')}, {whose} in {format_shares(part['retrieved'])}{closed}."
        )
    else:
        with_, without = part["with_gold"], part["without_gold"]
        by = f" by {join_names(part['retrievers'] or ['the system itself'])}" if part.get("passages") else ""
        facts = (
            f"all the right passages were retrieved{by} for {format_share(part['all_gold'])} of these answers; "
            + join_names(
                [
                    *([f"with them it is right in {format_shares(with_)}"] if with_ else []),
                    *([f"without them in {format_shares(without)}"] if without else []),
                ]
            )
        )
        facts += f" ({_unchanged(part['questions'])}{_too_few(part, ', ')})."
    if _is_all_right(part):
        return f"none shows, with {_left_open(part['questions'], level)}: {facts}"
    if not part["weak"]:
        why = "too much has no score" if _is_open(part) else "the difference is too small for so few questions"
        return f"cannot be told, {why}: {facts}"
    return f"the {part['weak']} (what {'writes the answer' if part['weak'] == READER else 'finds passages'}): {facts}"


def _too_few(part: Mapping[str, Any], before: str) -> str:
    """Said behind the number of questions where they are too few for shares, in brackets if `before` opens them."""
    if part["questions"] >= FEW_ANSWERS:
        return ""
    return f"{before}too few to say how often{')' * before.count('(')}"


def _is_all_right(part: Mapping[str, Any]) -> bool:
    """Whether all is right with the right passages and with those that were retrieved, so that no part loses any."""
    ends = [part[name] for name in ("gold", "retrieved", "with_gold", "without_gold") if part.get(name)]
    return bool(part["by"] and ends) and min(least for least, _ in ends) >= 1


def _is_open(part: Mapping[str, Any]) -> bool:
    """Whether what has no score, rather than too few questions, leaves open which part is weak."""
    ranges = (part[name] for name in ("gold", "retrieved", "with_gold", "without_gold") if part.get(name))
    return any(most - least > UNSCORED for least, most in ranges)


# What has no score?


def _describe_unscored(found: Mapping[str, Any]) -> str:
    if not found["judge"]:
        return ""
    mostly = found.get("mostly") or {}
    of_one = (
        f" {mostly['answers']:,} of them answer one question: “{visible(shorten_middle(mostly['question'], ASKED))}”"
        if mostly
        else ""
    )
    answers = count_of(found["answers"], "answer")
    if not _is_worth_mending(found):
        return f"Not scored: {found['judge']:,} of {answers}, for want of a judge."
    return f"Not scored: {found['judge']:,} of {answers}, so that numbers may move within their ranges.{of_one}"


def _is_worth_mending(found: Mapping[str, Any]) -> bool:
    """Whether so much has no score that the way to score it is worth some lines."""
    return bool(found["judge"] > WORTH_MENDING * found["answers"])


def _describe_mend(found: Mapping[str, Any], python: bool) -> str:
    where = ', correct={"judge": {...}},' if python else " in [correct.judge] of a config,"
    return f"To score what has no score, name a judge{where} or count it as wrong:" if _is_worth_mending(found) else ""


def _mend(found: Mapping[str, Any], folder: str, python: bool) -> tuple[str, ...]:
    if not _is_worth_mending(found):
        return ()
    if python:
        return ('rarefy.evaluate(..., correct={"unmatched": "wrong"})  # with the same out= it asks nothing again',)
    beside = f"{folder.rstrip('/') or folder}-wrong"  # else it stands in the place of this result
    return (
        "echo 'correct.unmatched = \"wrong\"' > wrong.toml",
        f"rarefy rescore {quote(folder)} --config wrong.toml --out {quote(beside)}",
    )


# What to try next?


def _next_steps(
    found: Mapping[str, Any], figures: list[Mapping[str, Any]], more: str, recorded: bool, level: float
) -> Iterator[str]:
    """What to try, the most useful first; `more` says how more is asked, `recorded` that answers are from a file."""
    unchanged, part, unscored = found["unchanged"], found["part"], found["unscored"]
    if missing := unscored.get("missing"):
        yield f"Fill in the {count_of(missing, 'answer')} that the file of answers lacks, and score it again."
    if failed := unscored["failed"]:
        one = failed == 1
        yield (
            f"Look at the {count_of(failed, 'answer')} that count{'s' * one} as failed: "
            f"{'its line has' if one else 'their lines have'} an error, or no text."
            if recorded
            else f"Run the same again: {count_of(failed, 'answer')} failed, and {'is' if one else 'are'} asked again."
        )
    if unchanged and unchanged["unscored"] > UNSCORED * unchanged["answers"]:
        yield "Have what was not scored judged first: the figures may move."
    if part["weak"] == READER:
        yield from _reader_steps(part, figures)
    elif part["weak"] == RETRIEVER:
        yield from _retriever_steps(part, figures)
    for change in found["changes"]:
        known = (words for name in (change["change"], change["family"]) for names, words in REMEDIES if name in names)
        remedy = next(known, "")
        if remedy and _is_beyond_chance(change):
            yield f"{remedy} (against {wording.plain_words(change['change'])})."
            break
    gone = [
        one for one in _made_up(found) if one["kind"] != "noise_alone"
    ]  # which states an answer, though a false one
    if gone and (share := gone[0]["made_up"] / gone[0]["answers"]) >= MADE_UP:
        yield (
            "Tell the reader to say so where the passages do not have the answer: it makes one up in "
            f"{format_share(share)}."
        )
    if _is_all_right(part):
        if not found["changes"]:
            yield f"Ask more ({more}): {_questions(part['questions'])} leave {_left_open(part['questions'], level)}."
    elif not part["weak"] and part["by"] and not _is_open(part):
        do = "does" if part["questions"] == 1 else "do"
        yield f"Ask more ({more}): {_questions(part['questions'])} {do} not show which part to work on."


def _is_beyond_chance(change: Mapping[str, Any]) -> bool:
    """Whether a change loses right answers of more questions than it wins some of, by more than chance does."""
    lost, won = change["questions_lost"], change.get("questions_won", change["won"])
    return bool(lost > won and mcnemar(lost, won).p <= ALPHA)


def _reader_steps(part: Mapping[str, Any], figures: list[Mapping[str, Any]]) -> Iterator[str]:
    refused = _figure(figures, attribution.REFUSED, part["protocol"])
    least = min(refused["worst"], refused["best"]) if refused and refused["worst"] is not None else None
    if least is not None and least > REFUSED:
        yield (
            f"Make the reader refuse less: it refuses at least {format_share(least)} of the questions though all the "
            "right passages are there."
        )
    if part["by"] == "gold shown":
        gain = max(0.0, part["gold"][1] - part["retrieved"][0])
        yield (
            "Change the reader (its model, its prompt), because retrieval is not what limits it: perfect retrieval "
            f"would add {100 * gain:.0f} points at most."
        )
    else:
        yield "Change the reader (its model, its prompt), because most wrong answers had all the right passages."


def _retriever_steps(part: Mapping[str, Any], figures: list[Mapping[str, Any]]) -> Iterator[str]:
    found = {
        row["where"]["retriever"]: row["value"]
        for row in figures
        if row["metric"] == attribution.COMPLETE
        and row["protocol"] == part["protocol"]
        and set(row["where"]) == {"retriever"}
        and row["value"] is not None
    }
    best = max(found, key=lambda name: found[name], default="")
    others = {OWN: found[OWN]} if OWN in found else {name: found[name] for name in found if name != best}
    if best != OWN and others and found[best] - min(others.values()) > 0.05:
        shares = [f"{'its own' if name == OWN else name} in {format_share(share)}" for name, share in others.items()]
        yield (
            f"Use the retriever {best}: it finds all the right passages in {format_share(found[best])}, "
            f"{join_names(shares)}."
        )
    if part["by"] == "gold shown":
        gain = part["gold"][0] - part["retrieved"][1]
        yield f"Improve retrieval (more passages, reranking): the right passages add {100 * gain:.0f} points or more."
    else:
        yield "Improve retrieval (more passages, reranking): most wrong answers lack a passage that they need."


def _figure(figures: Iterable[Mapping[str, Any]], metric: str, protocol: str) -> Mapping[str, Any] | None:
    return next(
        (row for row in figures if (row["metric"], row["protocol"], row["slice"]) == (metric, protocol, "all")), None
    )
