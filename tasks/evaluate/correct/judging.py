"""The judge model: its prompt per protocol, how its replies are read, and how far repeated judgements agree.

Prompts and scales are of retrieval robustness App. C and Magic Mushroom Fig. 21."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from rarefy.data_contracts.rows import Message, Question, Reply, Request, row_id
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.gold import GoldAnswer
from rarefy.tasks.models import prompts
from rarefy.tasks.models.llm.json_text import strip_thinking
from rarefy.tasks.questions.grade.agreement import Agreement, cohen_kappa
from rarefy.tasks.questions.operands import candidates_of

GROUPS = "retrieval_robustness_groups"  # ASQA's prompt, for an answer of several parts
SCORES = {0: 0.0, 1: 0.2, 3: 0.6, 5: 1.0}  # Magic Mushroom M15

_BETWEEN = re.compile(r"\[\s*start\s*answer\s*\](?P<said>.*?)(?:\[\s*end\s*answer\s*\]|$)", re.IGNORECASE | re.DOTALL)
_MARK = re.compile(r"\[\s*(start|end)\s*answer\s*\]", re.IGNORECASE)
_GROUP = re.compile(r"group\s*(?P<n>\d{1,6})\s*[:.\-]?\s*\W*(?P<said>yes|no)\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\d.])(?P<n>\d{1,9}(?:\.\d+)?)(?!\.?\d)")


@dataclass(frozen=True, slots=True)
class JudgeCase:
    """An answer for the judge; equal ones are judged once."""

    role: str
    question: Question
    gold: GoldAnswer
    text: str


def choose_role(role: str, gold: GoldAnswer, question: Question) -> str:
    """Return the prompt role for a protocol's role and this gold answer; a set is judged as a whole."""
    return GROUPS if role == "retrieval_robustness" and gold.kind == "parts" and not question.members else role


def build_request(case: JudgeCase, config: CorrectConfig, turn: int) -> Request:
    """Return the request for an answer in one round."""
    return Request(
        request_name(case, turn),
        _render_messages(case, config),
        temperature=config.temperature,
        max_tokens=config.max_tokens,
        seed=config.seed + turn,
    )


def request_name(case: JudgeCase, turn: int) -> str:
    """Return the id of the request for an answer and a round."""
    return row_id("correct", case.role, case.question.question_id, case.text, turn)


def _render_messages(case: JudgeCase, config: CorrectConfig) -> tuple[Message, ...]:
    forms = [case.question.answer, *case.question.aliases]
    return prompts.messages(
        "correct",
        case.role,
        case.question.domain,
        question=case.question.text,
        gold=_neutralise_marks(" / ".join(forms)),
        forms=_neutralise_marks(json.dumps(forms, ensure_ascii=False)),
        groups=[
            _neutralise_marks(json.dumps([*dict.fromkeys(part.forms)], ensure_ascii=False)) for part in case.gold.parts
        ],
        members=case.question.members,
        others=[name for name in candidates_of(case.question) if name not in case.question.members],
        answer=_neutralise_marks(_shorten_middle(case.text, config.longest)),
    )


def _neutralise_marks(text: str) -> str:
    """Change marks in text from outside, which must not look like the judge's own reply."""
    return _MARK.sub(lambda hit: f"({hit[1]} answer)", text)


def _shorten_middle(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return f"{text[: longest // 2]} [...] {text[-longest // 2 :]}"


def read_judgement(case: JudgeCase, reply: Reply, config: CorrectConfig) -> tuple[float | None, Reply]:
    """Return the score in a reply, 0 to 1, and the reply; None and a reply with an error where it has no one score."""
    if reply.error:
        return None, reply
    text = strip_thinking(reply.text).strip()
    if case.role == "magic_mushroom":
        return _read_scale(text, reply, config)
    if marked := [hit["said"] for hit in _BETWEEN.finditer(text)]:
        text = marked[-1]
    if case.role == GROUPS:
        return _read_groups(text, len(case.gold.parts), reply, config)
    words = {word.lower() for word in re.findall(r"\b(yes|no)\b", text, re.IGNORECASE)}
    if len(words) != 1:
        return None, _unreadable(reply, "neither Yes nor No" if not words else "both Yes and No")
    return float(words == {"yes"}), reply


def _read_groups(text: str, groups: int, reply: Reply, config: CorrectConfig) -> tuple[float | None, Reply]:
    found: dict[int, set[bool]] = {}
    for hit in _GROUP.finditer(text):
        found.setdefault(int(hit["n"]), set()).add(hit["said"].lower() == "yes")
    if sorted(found) != list(range(1, groups + 1)) or any(len(verdicts) > 1 for verdicts in found.values()):
        return None, _unreadable(reply, f"no single Yes or No for each of {groups} groups")
    covered = [True in verdicts for verdicts in found.values()]
    return (sum(covered) / groups if config.groups == "fraction" else float(all(covered))), reply


def _read_scale(text: str, reply: Reply, config: CorrectConfig) -> tuple[float | None, Reply]:
    numbers = {hit["n"] for hit in _NUMBER.finditer(re.sub(r"/\s?5\b|\bout of 5\b", "", text))}
    if len(numbers) != 1:
        return None, _unreadable(reply, "not one score")
    score = float(numbers.pop())
    if score in SCORES:
        return SCORES[int(score)], reply
    if config.off_scale == "kept" and 0 <= score <= 5:
        return score / 5, reply
    return None, _unreadable(reply, f"{score:g} is not on the scale 0, 1, 3, 5", "off_scale")


def _unreadable(reply: Reply, detail: str, error: str = "unparsable") -> Reply:
    return replace(reply, error=error, detail=f"{detail}: {reply.text[:200]!r}")


def quote_replies(replies: Sequence[Reply]) -> str:
    """Return the judge's replies in one line."""
    return " | ".join(" ".join(strip_thinking(reply.text).split())[:200] for reply in replies)


@dataclass(frozen=True, slots=True)
class RepeatedJudgements:
    """The agreement of one judge's rounds over the same answers."""

    answers: int  # judged more than once
    alike: int  # of these, judged the same in all rounds
    kappas: tuple[Agreement, ...]  # of the first round with each other round

    def __str__(self) -> str:
        parts = [f"{self.alike:,} of {self.answers:,} answers judged alike in all rounds"]
        for pair in self.kappas:
            value = f"kappa {pair.kappa:.2f}" if pair.kappa is not None else f"kappa not defined ({pair.undefined})"
            parts.append(f"{pair.between[0]} with {pair.between[1]}: {value}")
        return "; ".join(parts)


def measure_agreement(votes: Iterable[Sequence[float]]) -> RepeatedJudgements | None:
    """Return the agreement between the rounds of a judge, None where nothing was judged twice.

    `votes` are `Score.votes` of each answer; equal answers share one judgement and count each.
    """
    repeated = [tuple(rounds) for rounds in votes if len(rounds) > 1]
    if not repeated:
        return None
    kappas = []
    for other in range(1, max(map(len, repeated))):
        pairs = [(round(r[0] * 1000), round(r[other] * 1000)) for r in repeated if len(r) > other]
        kappas.append(cohen_kappa(pairs, between=("round 1", f"round {other + 1}"), of="correctness"))
    return RepeatedJudgements(len(repeated), sum(len(set(rounds)) == 1 for rounds in repeated), tuple(kappas))
