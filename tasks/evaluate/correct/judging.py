"""What the judge is asked in each protocol's role, and what it says (retrieval robustness App. C, MM Fig. 21)."""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rarefy.data_contracts.rows import Message, Question, Reply, Request, row_id
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.gold import Gold
from rarefy.tasks.models import prompts
from rarefy.tasks.models.llm.reading import unthought

GROUPS = "retrieval_robustness_groups"  # ASQA's prompt, for an answer of several parts
SCORES = {0: 0.0, 1: 0.2, 3: 0.6, 5: 1.0}  # Magic Mushroom M15

_BETWEEN = re.compile(r"\[\s*start\s*answer\s*\](?P<said>.*?)(?:\[\s*end\s*answer\s*\]|$)", re.IGNORECASE | re.DOTALL)
_MARK = re.compile(r"\[\s*(start|end)\s*answer\s*\]", re.IGNORECASE)
_GROUP = re.compile(r"group\s*(?P<n>\d{1,6})\s*[:.\-]?\s*\W*(?P<said>yes|no)\b", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![\d.])(?P<n>\d{1,9}(?:\.\d+)?)(?!\.?\d)")


@dataclass(frozen=True, slots=True)
class JudgeCase:
    """An answer that a judge is asked about; equal ones are asked about once."""

    role: str
    question: Question
    gold: Gold
    text: str


def role_of(role: str, gold: Gold) -> str:
    """The prompt for a protocol's role and this gold answer."""
    return GROUPS if role == "retrieval_robustness" and gold.kind == "parts" else role


def request(case: JudgeCase, config: CorrectConfig, turn: int) -> Request:
    """What the judge is asked about an answer in one round."""
    return Request(
        name(case, turn),
        _messages(case, config),
        temperature=config.temperature,
        max_tokens=config.max_tokens,
        seed=config.seed + turn,
    )


def name(case: JudgeCase, turn: int) -> str:
    """What the request for an answer and a round is called."""
    return row_id("correct", case.role, case.question.question_id, case.text, turn)


def _messages(case: JudgeCase, config: CorrectConfig) -> tuple[Message, ...]:
    forms = [case.question.answer, *case.question.aliases]
    return prompts.messages(
        "correct",
        case.role,
        case.question.domain,
        question=case.question.text,
        gold=_safe(" / ".join(forms)),
        forms=_safe(json.dumps(forms, ensure_ascii=False)),
        groups=[_safe(json.dumps([*dict.fromkeys(part.forms)], ensure_ascii=False)) for part in case.gold.parts],
        answer=_safe(_shortened(case.text, config.longest)),
    )


def _safe(text: str) -> str:
    """What comes from outside cannot look like the judge's own reply."""
    return _MARK.sub(lambda hit: f"({hit[1]} answer)", text)


def _shortened(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return f"{text[: longest // 2]} [...] {text[-longest // 2 :]}"


def read(case: JudgeCase, reply: Reply, config: CorrectConfig) -> tuple[float | None, Reply]:
    """The score that a reply gives, 0 to 1, and the reply, with an error where it gives none or more than one."""
    if reply.error:
        return None, reply
    said = unthought(reply.text).strip()
    if case.role == "magic_mushroom":
        return _on_scale(said, reply, config)
    inside = [hit["said"] for hit in _BETWEEN.finditer(said)]
    told = inside[-1] if inside else said
    if case.role == GROUPS:
        return _by_group(told, len(case.gold.parts), reply, config)
    words = {word.lower() for word in re.findall(r"\b(yes|no)\b", told, re.IGNORECASE)}
    if len(words) != 1:
        return None, _unread(reply, "neither Yes nor No" if not words else "both Yes and No")
    return float(words == {"yes"}), reply


def _by_group(told: str, groups: int, reply: Reply, config: CorrectConfig) -> tuple[float | None, Reply]:
    found: dict[int, set[bool]] = {}
    for hit in _GROUP.finditer(told):
        found.setdefault(int(hit["n"]), set()).add(hit["said"].lower() == "yes")
    if sorted(found) != list(range(1, groups + 1)) or any(len(verdicts) > 1 for verdicts in found.values()):
        return None, _unread(reply, f"no single Yes or No for each of {groups} groups")
    covered = [True in verdicts for verdicts in found.values()]
    return (sum(covered) / groups if config.groups == "fraction" else float(all(covered))), reply


def _on_scale(said: str, reply: Reply, config: CorrectConfig) -> tuple[float | None, Reply]:
    numbers = {hit["n"] for hit in _NUMBER.finditer(re.sub(r"/\s?5\b|\bout of 5\b", "", said))}
    if len(numbers) != 1:
        return None, _unread(reply, "not one score")
    score = float(numbers.pop())
    if score in SCORES:
        return SCORES[int(score)], reply
    if config.off_scale == "kept" and 0 <= score <= 5:
        return score / 5, reply
    return None, _unread(reply, f"{score:g} is not on the scale 0, 1, 3, 5", "off_scale")


def _unread(reply: Reply, detail: str, error: str = "unparsable") -> Reply:
    return replace(reply, error=error, detail=f"{detail}: {reply.text[:200]!r}")


def told(replies: Sequence[Reply]) -> str:
    """The judge's own words, in one line."""
    return " | ".join(" ".join(unthought(reply.text).split())[:200] for reply in replies)
