"""The signs by which a passage is told to be golden, false, poor, beside the point, or about something else."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from rarefy.data_contracts.contexts import Retrieved
from rarefy.tasks.models.nli.rules import compared
from rarefy.tasks.perturb.mix.classify_config import ClassifyConfig
from rarefy.tasks.perturb.mix.debris import debris
from rarefy.tasks.perturb.mix.gold import Gold, Hop
from rarefy.tasks.perturb.mix.pools import tells
from rarefy.tasks.perturb.mix.statements import (
    Statement,
    around,
    covered,
    folded,
    headed,
    joined,
    nearest,
    rivals,
    row,
    statement,
    statements,
)

VERSION_OF = 0.5  # from this share of common words on two sentences are versions of one
SAME = 0.8  # from here on they are nearly the same
KEPT = 0.75  # share of an answer's words that are the answer in other words
WIDE = 2  # statements before and after the one with the answer that may say what it is the answer to
FOREIGN = 0.6  # share of a question that a passage of another document must say to be on the topic
DISTINCT = 0.3  # share of the evidence, or of the question, that must stand around an answer found by chance nowhere
_DENIED = re.compile(r"(?i)\b(?:not|never|nor|no longer)\b|n['’]t\b")
LONG = 400  # statements of a passage that are looked at one by one: retrievers give passages, not books


@dataclass(frozen=True, slots=True)
class Finding:
    """A class, the rule that gave it, and the figures it went by."""

    label: str
    why: str
    scores: Mapping[str, float] = field(default_factory=dict)


BLANK = Finding("unclear", "")


def found(passage: Retrieved, gold: Gold, config: ClassifyConfig, cosine: float | None) -> Finding:
    """What a passage is to a question; the first rule that fits, in the order of what harms most when overlooked."""
    question = gold.question
    text = folded(passage.text)
    if not text:
        return Finding("low_quality", "empty", {"debris": 1.0})
    for hop in gold.hops:
        if all(folded(piece) in text for piece in hop.pieces):
            return Finding("golden", "holds the evidence verbatim", {"evidence": 1.0})
    said = statements(passage.text)[:LONG]
    answered = tells(passage.text, question)
    scores = {"answer": float(answered), "debris": debris(passage.text)}
    about = _topic(passage, gold, said, config, cosine, scores)
    scores["foreign"] = float(_foreign(passage, gold, said))
    findings = [_against(hop, gold, said, answered, config) for hop in gold.hops]
    best = max([*findings, _stated(said, gold, config) if answered and not scores["foreign"] else BLANK], key=_rank)
    scores |= best.scores
    if best.label == "golden":
        return Finding("golden", best.why, scores)
    if scores["debris"] >= config.debris:
        return Finding("low_quality", "remnants of markup, or fragments", scores)
    if best.label == "distracting":
        return Finding("distracting", best.why, scores)
    home = not passage.doc_id or passage.doc_id in gold.documents or not gold.documents
    if not answered and home and (altered := _altered(said, gold, scores)) and scores["altered"] >= config.altered:
        return Finding("low_quality", altered, scores)
    if answered and not scores["foreign"] and about != "irrelevant" and scores["question"] >= config.topic[1]:
        return Finding("unclear", "holds the answer, but not visibly to this question", scores)
    return Finding(about, _WHY[about], scores)


_WHY = {
    "inconsequential": "on topic, without the answer",
    "irrelevant": "about something else",
    "unclear": "too little in common to be on topic, and too much to be off it",
}


def _rank(finding: Finding) -> tuple[int, float]:
    return ["unclear", "distracting", "golden"].index(finding.label), finding.scores.get("evidence", 0.0)


@dataclass(frozen=True, slots=True)
class _View:
    """Where a passage comes nearest to a sentence of the evidence."""

    one: Statement
    window: Statement  # with its neighbours
    own: float  # share of the evidence that the one says
    share: float  # that the window says


def _against(hop: Hop, gold: Gold, said: list[Statement], answered: bool, config: ClassifyConfig) -> Finding:
    """Whether a passage says what the evidence in one gold chunk says (golden), or something in its place."""
    best = BLANK
    for evidence in hop.said:
        bears = tells(evidence.text, gold.question)
        apart = gold.value if bears else None
        own, place = nearest(evidence, said, apart)
        if place < 0:
            continue
        window = around(place, said)
        view = _View(said[place], window, own, max(covered(evidence, window, apart), own))
        if bears and answered:
            continue  # see _stated
        label, why = _judged(evidence, view, gold, config) if bears else _bridged(evidence, view, gold, config)
        best = max(best, Finding(label, why, {"evidence": round(view.share, 4)}), key=_rank)
    return best


def _stated(said: list[Statement], gold: Gold, config: ClassifyConfig) -> Finding:
    """Whether a passage that holds the answer says it of what was asked: golden; else it holds it by chance."""
    evidence = [one for hop in gold.hops for one in hop.said]
    known = joined([gold.asked, *evidence])
    best, turned = 0.0, ""
    for place, one in enumerate(said):
        if tells(one.text, gold.question):
            window = headed(place, said) if row(one) else around(place, said, WIDE)
            wide = max(covered(other, window, gold.value) for other in [gold.asked, *evidence])
            if not row(one) and (reason := _turned(one, known, gold.value)):
                turned = turned or reason
            else:
                best = max(best, wide)
    least = DISTINCT if _distinct(gold.value) else config.rival
    if best >= least:
        return Finding("golden", "states the answer to what was asked", {"evidence": round(best, 4)})
    return Finding("distracting", turned) if turned else BLANK


def _turned(one: Statement, known: Statement, value: Statement) -> str:
    """Why a sentence that has the answer's words does not give it: of another time, or denied; "" where it may."""
    times = {figure for figure in one.figures - value.figures if figure[0] == "@"}
    asked = {figure for figure in known.figures - value.figures if figure[0] == "@"}
    if times and asked and not any(a.startswith(b) or b.startswith(a) for a in times for b in asked):
        return f"states it of another time: {min(times)[1:]}"
    return "denies it" if _DENIED.search(one.text) and not _DENIED.search(known.text) else ""


def _judged(evidence: Statement, view: _View, gold: Gold, config: ClassifyConfig) -> tuple[str, str]:
    """The class of a passage without the answer by a sentence of the evidence that has it, and why."""
    window = view.window
    if view.share < config.rival:
        return "unclear", ""
    if gold.value.figures and gold.value.figures <= window.figures:
        return "golden", "states the answer's figures where the evidence does"
    if gold.value.figures:
        other = rivals(gold.value, window, joined([evidence, gold.asked]))
        return ("distracting", f"says {other[0]} in place of the answer") if other else ("unclear", "")
    if view.share < config.evidence:
        return "unclear", ""
    kept = covered(gold.value, view.one if view.own >= 0.8 * view.share else window)
    if kept >= KEPT:
        return "golden", "states the answer in other words"
    if kept < 0.5 or view.share >= SAME:
        return "distracting", "says something else in place of the answer"
    return "unclear", ""


def _bridged(evidence: Statement, view: _View, gold: Gold, config: ClassifyConfig) -> tuple[str, str]:
    """The same by one that has not: the evidence of another hop than the last.

    What leads from the question to this hop decides ("the company headquartered in Santa Clara"): a passage that says
    the rest of the evidence, and another thing for this, leads astray.
    """
    label = compared(view.one.text, evidence.text)
    clue = (evidence.names & gold.asked.words, evidence.figures & gold.asked.figures)
    gone = Statement("", clue[0] - view.window.words, clue[1] - view.window.figures, clue[0])
    if label.label == "kept" or (view.share >= 0.9 and evidence.figures <= view.window.figures):
        return "golden", "says the same as the evidence"
    if gone.words or gone.figures:
        if covered(evidence, view.window, gone) >= SAME:
            return "distracting", "says the same as the evidence of another thing"
    elif any(clue) and view.share >= config.evidence:
        return "golden", "says the same as the evidence in other words"
    if view.share >= SAME and label.label == "changed":
        return "distracting", f"contradicts the evidence: {label.why}"
    return "unclear", ""


def _foreign(passage: Retrieved, gold: Gold, said: list[Statement]) -> bool:
    """Whether a passage is of a document about others: an answer in it is a coincidence."""
    if not gold.entity or not gold.documents or not passage.doc_id or passage.doc_id in gold.documents:
        return False
    return not gold.entity <= joined([*said, statement(passage.title)]).words


def _distinct(value: Statement) -> bool:
    """Whether an answer is found by chance nowhere: three words, or a figure of three digits and more."""
    long = any(sum(c.isdigit() for c in figure.rstrip("0")) >= 3 for figure in value.figures if figure[0] != "@")
    return long or len(value.words) + len(value.figures) >= 3


def _altered(said: list[Statement], gold: Gold, scores: dict[str, float]) -> str:
    """What a passage says otherwise than the gold document; `scores` gets the share of its statements that do.

    All of them count where the passage is a copy but for that, as no retriever finds one by chance. Else half of it
    must be versions of what stands there, and two of them altered, or one that is nearly as it was: or a passage of
    another document would be taken for a false one of this.
    """
    told = ""
    count = near = close = 0
    for one in said:
        if folded(one.text) in gold.verbatim:
            near += 1
            continue
        share, place = nearest(one, gold.reference)
        if share < VERSION_OF:
            continue
        near += 1
        other = gold.reference[place]
        label = compared(other.text, one.text)
        moved = row(one) and len(one.figures) > 1 and one.figures == other.figures and label.label != "kept"
        if moved or label.label == "changed":
            count += 1
            close += moved or len(one.words & other.words) >= SAME * len(one.words | other.words)
            told = told or ("figures of another row" if moved else label.why)
    if not told or 2 * near < len(said) or (count < 2 and not close):
        return ""
    if close and near >= SAME * len(said):  # a copy but for this
        count = near
    scores["altered"] = round(count / near, 4)
    return f"says otherwise than its document: {told}"


def _topic(
    passage: Retrieved,
    gold: Gold,
    said: list[Statement],
    config: ClassifyConfig,
    cosine: float | None,
    scores: dict[str, float],
) -> str:
    """Whether a passage is about what was asked: by its document, by whom it names, by embedding, or by its words."""
    whole = joined([*said, statement(passage.title)])
    scores["question"] = value = round(covered(gold.asked, whole), 4)
    if cosine is not None:
        scores["alike"] = cosine
    scores["placed"] = float(bool(gold.documents and passage.doc_id) or bool(passage.title))
    if (passage.doc_id and passage.doc_id in gold.documents) or (passage.title and passage.title in gold.titles):
        return "inconsequential"
    low, high = config.topic
    if gold.entity and gold.entity <= (statement(passage.title).words or whole.words):
        low = high = 0.0
    elif cosine is not None:
        (low, high), value = config.alike, cosine
    elif passage.doc_id and gold.documents:  # of another document: it must have much in common to be on the topic
        low = high = FOREIGN
    return "irrelevant" if value < low else "inconsequential" if value >= high else "unclear"
