"""Classify retrieved passages into Magic Mushroom's classes for their question, by rules or a model (Appendix A)."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Chunk, Classified, Question, Reply, Request, Retrieved, Unanswered, row_id
from rarefy.tasks.models import prompts
from rarefy.tasks.models.llm import LLM, parse_reply, replies, unanswered
from rarefy.tasks.models.nli.rules import compare_by_items
from rarefy.tasks.perturb.mix.pools import states_answer
from rarefy.tasks.perturb.mix.statements import (
    CorpusIndex,
    Gold,
    Hop,
    Statement,
    collect_gold,
    find_nearest,
    find_rival_figures,
    fold,
    is_table_row,
    join_statements,
    parse_statement,
    parse_statements,
    share_covered,
    with_header,
    with_neighbours,
)
from rarefy.tasks.perturb.proof import Embed


class ClassifyConfig(BaseModel, frozen=True, extra="forbid"):
    """How retrieved passages are told apart."""

    by: Literal["rules", "model"] = Field(
        "rules", description="rules: offline; model: the model is asked about every passage"
    )
    evidence: float = Field(
        0.6, gt=0, le=1, description="share of an evidence sentence that a passage must say to say the same"
    )
    rival: float = Field(
        0.6,
        gt=0,
        le=1,
        description="share of it, without the answer, that a passage must say to say something against it",
    )
    debris: float = Field(
        0.5, gt=0, le=1, description="from here on a passage is debris: 0 in good order, 1 nothing else"
    )
    altered: float = Field(
        0.2, gt=0, le=1, description="share of a passage's sentences that say otherwise than the gold document does"
    )
    topic: tuple[float, float] = Field(
        (0.2, 0.4),
        description="share of the question that a passage of an unknown document must say: below the first it is "
        "irrelevant, from the second on it is on topic, in between that is unclear",
    )
    alike: tuple[float, float] = Field(
        (0.25, 0.45), description="as `topic`, by the cosine of an embedder, where one is given"
    )
    reach: int = Field(
        5, ge=0, description="chunks before and after a gold chunk that a passage is checked against for altered facts"
    )
    temperature: float = Field(0.0, ge=0, le=2, description="of the model")
    max_tokens: int = Field(200, ge=1, description="of its reply")
    seed: int = Field(0, description="of the model, for a provider that takes one")


# Debris: markup, fragments and menus (Magic Mushroom §3.3, low quality)

_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,200}>|&(?:[a-z]{2,8}|#\d{1,6}|#x[0-9a-f]{1,6});|<!--|-->", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"\b(?:class|href|style|src|id|colspan|rowspan|width|align|onclick)\s*=\s*[\"']?[\w#./:;% -]*")
_CODE = re.compile(r"[{}]|\b(?:px|nbsp|undefined|null|NaN|function\s*\(|var\s+\w+\s*=|https?://\S+|www\.\S+)")
_MENU = re.compile(
    r"\b(?:click here|read more|learn more|sign (?:in|up)|log ?in|subscribe|cookies?|privacy policy|terms of use|"
    r"back to top|skip to (?:main )?content|all rights reserved|share this|next page|previous page|site map|"
    r"page \d+ of \d+|\[edit\]|\[citation needed\]|loading|advertisement|javascript)\b"
    r"|[|»›•·]\s*(?:home|menu|search)\b",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"\.{4,}|(?:\s\.){4,}|_{4,}|-{6,}|={4,}|\*{4,}|\ufffd")
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_RUN = 6  # words of the shortest line that is no fragment


def measure_debris(text: str) -> float:
    """How far a passage is debris, from 0 (in good order) to 1.

    The larger of two shares of its characters: markup (times 5), and lines that say nothing. Markdown tables and short
    complete sentences are in good order.
    """
    plain = text.strip()
    if not plain:
        return 1.0
    marked = sum(len(hit[0]) for pattern in (_TAG, _ATTRIBUTE, _CODE, _LEADERS) for hit in pattern.finditer(plain))
    lines = [_TAG.sub(" ", line).strip() for line in plain.splitlines()]
    empty = sum(len(line) for line in lines if _is_fragment(line))
    return round(min(max(5 * marked / len(plain), empty / max(sum(map(len, lines)), 1)), 1.0), 4)


def _is_fragment(line: str) -> bool:
    """Whether a line says nothing: a menu, a path, a torn piece; neither table row nor sentence."""
    if line.startswith("|") and line.endswith("|") and len(line) > 2:
        return False
    words = _LETTERS.findall(line)
    if _MENU.search(line) and len(words) <= 2 * _RUN:
        return True
    if line.count(" > ") >= 2 or (line.startswith(("...", "…")) and line.endswith(("...", "…"))):
        return True
    if len(words) >= _RUN:
        return sum(map(len, words)) < 0.5 * len(line.replace(" ", ""))
    return not (len(words) >= 3 and line.endswith((".", "!", "?", ":", ";")))


# Classification by rules

VERSION_OF = 0.5  # least share of common words of two versions of a sentence
SAME = 0.8  # least share of nearly equal sentences
KEPT = 0.75  # least share of an answer's words that states it in other words
WIDE = 2  # statements before and after one with the answer that may say what it answers
FOREIGN = 0.6  # least share of a question in a passage of another document that is on the topic
DISTINCT = 0.3  # least share of the evidence or question around an answer that is never found by chance
_DENIED = re.compile(r"(?i)\b(?:not|never|nor|no longer)\b|n['’]t\b")
LONG = 400  # statements of a passage that are compared, at most


@dataclass(frozen=True, slots=True)
class Finding:
    """A class, the rule that gave it, and its scores."""

    label: str
    why: str
    scores: Mapping[str, float] = field(default_factory=dict)


BLANK = Finding("unclear", "")


def classify_by_rules(passage: Retrieved, gold: Gold, config: ClassifyConfig, cosine: float | None) -> Finding:
    """The class of a passage by the first rule that applies, the most harmful to overlook first."""
    question = gold.question
    text = fold(passage.text)
    if not text:
        return Finding("low_quality", "empty", {"debris": 1.0})
    for hop in gold.hops:
        if all(fold(piece) in text for piece in hop.pieces):
            return Finding("golden", "holds the evidence verbatim", {"evidence": 1.0})
    stated = parse_statements(passage.text)[:LONG]
    answered = states_answer(passage.text, question)
    scores = {"answer": float(answered), "debris": measure_debris(passage.text)}
    about = _classify_topic(passage, gold, stated, config, cosine, scores)
    scores["foreign"] = float(_is_about_others(passage, gold, stated))
    findings = [_compare_with_hop(hop, gold, stated, answered, config) for hop in gold.hops]
    best = max(
        [*findings, _check_answer_context(stated, gold, config) if answered and not scores["foreign"] else BLANK],
        key=_rank_finding,
    )
    scores |= best.scores
    if best.label == "golden":
        return Finding("golden", best.why, scores)
    if scores["debris"] >= config.debris:
        return Finding("low_quality", "remnants of markup, or fragments", scores)
    if best.label == "distracting":
        return Finding("distracting", best.why, scores)
    home = not passage.doc_id or passage.doc_id in gold.documents or not gold.documents
    if (
        not answered
        and home
        and (altered := _find_alterations(stated, gold, scores))
        and scores["altered"] >= config.altered
    ):
        return Finding("low_quality", altered, scores)
    if answered and not scores["foreign"] and about != "irrelevant" and scores["question"] >= config.topic[1]:
        return Finding("unclear", "holds the answer, but not visibly to this question", scores)
    return Finding(about, _WHY[about], scores)


_WHY = {
    "inconsequential": "on topic, without the answer",
    "irrelevant": "about something else",
    "unclear": "too little in common to be on topic, and too much to be off it",
}


def _rank_finding(finding: Finding) -> tuple[int, float]:
    return ["unclear", "distracting", "golden"].index(finding.label), finding.scores.get("evidence", 0.0)


@dataclass(frozen=True, slots=True)
class _NearestText:
    """The statement of a passage nearest to a sentence of the evidence."""

    one: Statement
    window: Statement  # with its neighbours
    own: float  # share of the evidence in the statement
    share: float  # in the window


def _compare_with_hop(hop: Hop, gold: Gold, stated: list[Statement], answered: bool, config: ClassifyConfig) -> Finding:
    """Whether a passage states the evidence of one gold chunk (golden) or something else in its place (distracting)."""
    best = BLANK
    for evidence in hop.said:
        bears = states_answer(evidence.text, gold.question)
        apart = gold.value if bears else None
        own, place = find_nearest(evidence, stated, apart)
        if place < 0:
            continue
        window = with_neighbours(place, stated)
        view = _NearestText(stated[place], window, own, max(share_covered(evidence, window, apart), own))
        if bears and answered:
            continue  # see _check_answer_context
        label, why = (
            _compare_with_answer_evidence(evidence, view, gold, config)
            if bears
            else _compare_with_other_evidence(evidence, view, gold, config)
        )
        best = max(best, Finding(label, why, {"evidence": round(view.share, 4)}), key=_rank_finding)
    return best


def _check_answer_context(stated: list[Statement], gold: Gold, config: ClassifyConfig) -> Finding:
    """Golden where a passage states the answer to what was asked; otherwise the answer is there by chance."""
    evidence = [sentence for hop in gold.hops for sentence in hop.said]
    known = join_statements([gold.asked, *evidence])
    best, turned = 0.0, ""
    for place, sentence in enumerate(stated):
        if states_answer(sentence.text, gold.question):
            window = with_header(place, stated) if is_table_row(sentence) else with_neighbours(place, stated, WIDE)
            wide = max(share_covered(other, window, gold.value) for other in [gold.asked, *evidence])
            if not is_table_row(sentence) and (reason := _find_contradiction(sentence, known, gold.value)):
                turned = turned or reason
            else:
                best = max(best, wide)
    least = DISTINCT if _is_distinctive(gold.value) else config.rival
    if best >= least:
        return Finding("golden", "states the answer to what was asked", {"evidence": round(best, 4)})
    return Finding("distracting", turned) if turned else BLANK


def _find_contradiction(sentence: Statement, known: Statement, value: Statement) -> str:
    """Why a sentence with the answer's words does not state it (another time, negation); "" where it may."""
    times = {figure for figure in sentence.figures - value.figures if figure[0] == "@"}
    asked = {figure for figure in known.figures - value.figures if figure[0] == "@"}
    if times and asked and not any(a.startswith(b) or b.startswith(a) for a in times for b in asked):
        return f"states it of another time: {min(times)[1:]}"
    return "denies it" if _DENIED.search(sentence.text) and not _DENIED.search(known.text) else ""


def _compare_with_answer_evidence(
    evidence: Statement, view: _NearestText, gold: Gold, config: ClassifyConfig
) -> tuple[str, str]:
    """Class and reason of a passage without the answer, by evidence that has it."""
    window = view.window
    if view.share < config.rival:
        return "unclear", ""
    if gold.value.figures and gold.value.figures <= window.figures:
        return "golden", "states the answer's figures where the evidence does"
    if gold.value.figures:
        other = find_rival_figures(gold.value, window, join_statements([evidence, gold.asked]))
        return ("distracting", f"says {other[0]} in place of the answer") if other else ("unclear", "")
    if view.share < config.evidence:
        return "unclear", ""
    kept = share_covered(gold.value, view.one if view.own >= 0.8 * view.share else window)
    if kept >= KEPT:
        return "golden", "states the answer in other words"
    if kept < 0.5 or view.share >= SAME:
        return "distracting", "says something else in place of the answer"
    return "unclear", ""


def _compare_with_other_evidence(
    evidence: Statement, view: _NearestText, gold: Gold, config: ClassifyConfig
) -> tuple[str, str]:
    """Class and reason of a passage by evidence without the answer, of an earlier hop.

    The words of the question in it decide ("the company headquartered in Santa Clara"): a passage with the rest of the
    evidence, and something else for these, distracts.
    """
    label = compare_by_items(view.one.text, evidence.text)
    clue = (evidence.names & gold.asked.words, evidence.figures & gold.asked.figures)
    gone = Statement("", clue[0] - view.window.words, clue[1] - view.window.figures, clue[0])
    if label.label == "kept" or (view.share >= 0.9 and evidence.figures <= view.window.figures):
        return "golden", "says the same as the evidence"
    if gone.words or gone.figures:
        if share_covered(evidence, view.window, gone) >= SAME:
            return "distracting", "says the same as the evidence of another thing"
    elif any(clue) and view.share >= config.evidence:
        return "golden", "says the same as the evidence in other words"
    if view.share >= SAME and label.label == "changed":
        return "distracting", f"contradicts the evidence: {label.why}"
    return "unclear", ""


def _is_about_others(passage: Retrieved, gold: Gold, stated: list[Statement]) -> bool:
    """Whether a passage is of another document that does not name the entity."""
    if not gold.entity or not gold.documents or not passage.doc_id or passage.doc_id in gold.documents:
        return False
    return not gold.entity <= join_statements([*stated, parse_statement(passage.title)]).words


def _is_distinctive(value: Statement) -> bool:
    """Whether an answer is never found by chance: three words, or a figure of three digits."""
    long = any(sum(c.isdigit() for c in figure.rstrip("0")) >= 3 for figure in value.figures if figure[0] != "@")
    return long or len(value.words) + len(value.figures) >= 3


def _find_alterations(stated: list[Statement], gold: Gold, scores: dict[str, float]) -> str:
    """How a passage contradicts the gold document; "" where it does not. `scores` gets the share of such statements.

    Half of the passage must be versions of the document's sentences, with two of them altered or one nearly equal;
    else a passage of another document would be taken for a false one. In a near copy every statement counts.
    """
    what = ""
    count = near = close = 0
    for sentence in stated:
        if fold(sentence.text) in gold.verbatim:
            near += 1
            continue
        share, place = find_nearest(sentence, gold.reference)
        if share < VERSION_OF:
            continue
        near += 1
        other = gold.reference[place]
        label = compare_by_items(other.text, sentence.text)
        moved = (
            is_table_row(sentence)
            and len(sentence.figures) > 1
            and sentence.figures == other.figures
            and label.label != "kept"
        )
        if moved or label.label == "changed":
            count += 1
            close += moved or len(sentence.words & other.words) >= SAME * len(sentence.words | other.words)
            what = what or ("figures of another row" if moved else label.why)
    if not what or 2 * near < len(stated) or (count < 2 and not close):
        return ""
    if close and near >= SAME * len(stated):  # a copy but for this
        count = near
    scores["altered"] = round(count / near, 4)
    return f"says otherwise than its document: {what}"


def _classify_topic(
    passage: Retrieved,
    gold: Gold,
    stated: list[Statement],
    config: ClassifyConfig,
    cosine: float | None,
    scores: dict[str, float],
) -> str:
    """The topic class of a passage: by its document, the entity it names, an embedding, or its words."""
    whole = join_statements([*stated, parse_statement(passage.title)])
    scores["question"] = value = round(share_covered(gold.asked, whole), 4)
    if cosine is not None:
        scores["alike"] = cosine
    scores["placed"] = float(bool(gold.documents and passage.doc_id) or bool(passage.title))
    if (passage.doc_id and passage.doc_id in gold.documents) or (passage.title and passage.title in gold.titles):
        return "inconsequential"
    low, high = config.topic
    if gold.entity and gold.entity <= (parse_statement(passage.title).words or whole.words):
        low = high = 0.0
    elif cosine is not None:
        (low, high), value = config.alike, cosine
    elif passage.doc_id and gold.documents:  # of another document: it must have much in common to be on the topic
        low = high = FOREIGN
    return "irrelevant" if value < low else "inconsequential" if value >= high else "unclear"


# Classification by a language model

MOST = 12_000  # characters of a passage shown to the model


class Verdict(BaseModel):
    """What the model replies."""

    reason: str = Field("", description="at most 25 words")
    label: Literal["golden", "distracting", "low_quality", "inconsequential", "irrelevant", "unclear"]


_SCHEMA = json.dumps(Verdict.model_json_schema(), sort_keys=True)


def classify_by_model(
    todo: Sequence[tuple[Retrieved, Gold]], config: ClassifyConfig, llm: LLM
) -> Iterator[Classified | Unanswered]:
    """The model's class of each passage; without a reply `unclear` with the error, and an Unanswered row."""
    waiting: dict[str, list[Retrieved]] = {}
    requests: list[Request] = []
    for passage, gold in todo:
        request = make_request(passage, gold, config)
        if request.request_id not in waiting:
            requests.append(request)
        waiting.setdefault(request.request_id, []).append(passage)  # equal texts share a request
    for reply in replies(llm, requests):
        verdict, reply = parse_reply(reply, Verdict)
        for passage in waiting[reply.request_id]:
            yield _make_model_row(passage, verdict, reply)
        if reply.error:
            yield unanswered("mix", reply.request_id, reply)


def make_request(passage: Retrieved, gold: Gold, config: ClassifyConfig) -> Request:
    """The request for one passage; the evidence comes first, since requests share it as a prefix."""
    question = gold.question
    messages = prompts.messages(
        "mix",
        "classify",
        question.domain,
        question=question.text,
        answer=question.answer,
        aliases=question.aliases,
        evidence=[piece for hop in gold.hops for piece in hop.pieces],
        title=passage.title,
        passage=passage.text[:MOST],
    )
    return Request(
        row_id("classify", question.question_id, passage.title, passage.text),
        messages,
        schema=_SCHEMA,
        temperature=config.temperature,
        max_tokens=config.max_tokens,
        seed=config.seed,
    )


def _make_model_row(passage: Retrieved, verdict: Verdict | None, reply: Reply) -> Classified:
    return Classified(
        passage.question_id,
        passage.rank,
        passage.passage_id,
        verdict.label if verdict else "unclear",
        " ".join(verdict.reason.split()) if verdict else "the model gave no answer",
        "model",
        error=reply.error,
    )


UNCLEAR = "unclear"


def classify(
    retrieved: Iterable[Retrieved],
    config: ClassifyConfig,
    *,
    questions: Mapping[str, Question],
    chunks: Mapping[str, Chunk] | None = None,
    embed: Embed | None = None,
    llm: LLM | None = None,
) -> Iterator[Classified | Unanswered]:
    """The class of each retrieved passage, by question and then by rank.

    `chunks` are the corpus: they give the documents of the gold chunks and their sentences. Without them only the
    question's evidence is known, and facts altered elsewhere are not detected. `unclear` are passages that rules or
    model do not decide, and those of unknown questions. A request without answer is also an Unanswered row.
    ValueError where a model is wanted and none is given.
    """
    if config.by == "model" and llm is None:
        raise ValueError('by = "model" needs a model')
    of_question: dict[str, list[Retrieved]] = defaultdict(list)
    for passage in retrieved:
        of_question[passage.question_id].append(passage)
    corpus = CorpusIndex(chunks or {})
    todo: list[tuple[Retrieved, Gold]] = []
    for question_id, passages in of_question.items():
        question = questions.get(question_id)
        if question is None:
            yield from (_make_row(passage_, BLANK, "no such question") for passage_ in passages)
            continue
        gold = collect_gold(question, corpus, config.reach)
        placed = (corpus.locate(passage, gold.documents) for passage in passages)
        ordered = sorted(placed, key=lambda passage: (passage.rank, passage.passage_id, passage.text))
        if config.by == "model":
            todo += [(passage_, gold) for passage_ in ordered]
            continue
        alike = _measure_similarity(question, ordered, embed)
        for passage_, cosine in zip(ordered, alike, strict=True):
            yield _make_row(passage_, classify_by_rules(passage_, gold, config, cosine))
    if todo and llm is not None:
        yield from classify_by_model(todo, config, llm)


def _make_row(passage: Retrieved, finding: Finding, why: str = "") -> Classified:
    return Classified(
        passage.question_id, passage.rank, passage.passage_id, finding.label, why or finding.why, "rules",
        dict(finding.scores),
    )  # fmt: skip


def _measure_similarity(question: Question, passages: list[Retrieved], embed: Embed | None) -> list[float | None]:
    if embed is None or not passages:
        return [None] * len(passages)
    vectors = embed([question.text, *(passage.text for passage in passages)])
    return [round(float(vector @ vectors[0]), 4) for vector in vectors[1:]]
