"""What is asked of a model that writes variants, turn by turn, and which of its texts can be used."""

import re
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from rarefy.tasks.perturb.case import Draft

BYTES = 3  # of a token at least, in prose and in tables alike: what a text takes is guessed too high, never too low
FRAME = 64  # tokens of a text's quotes, escapes and key
TWICE = 2  # a rewriting may be so many times as long: SURE's complex style makes 1.3 times of it

_DECLINED = re.compile(
    r"\W*(?:i(?:['’]m| am) (?:sorry|unable|not able|afraid)\b|i (?:cannot|can['’]?t|can not|won['’]?t|will not)\b"
    r"|(?:sorry|apologies|unfortunately)\b|as an ai\b|as a (?:large )?language model\b)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    r"(?:(?:sure|certainly|of course|okay)\b[^\n]{0,20}?)?here(?:['’]s| is| are)\b[^\n]{0,120}:\s*\n", re.IGNORECASE
)
_TAG = re.compile(r"\s*<(passage|question)\b[^>\n]{0,200}>\n?(.*?)\n?</\1>\s*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Turn:
    """One request: a role of prompts/, what it is filled with, the form of the reply, and its tokens at most."""

    role: str
    form: type[BaseModel]
    room: int
    values: Mapping[str, Any] = field(default_factory=dict)
    inventive: bool = False  # something is to be made up, rather than said again
    supposed: BaseModel | None = None  # stands for the reply in a rehearsal, where the talk would go on after it


Talk = Generator[Turn, Any, list[Draft]]
"""What a model is asked for one case, turn by turn, each given the reply to the last in its form; and the drafts."""


def room(*texts: str) -> int:
    """Tokens that rewritings of these texts may take."""
    return sum(TWICE * len(text.encode("utf-8", "replace")) // BYTES + FRAME for text in texts)


def plain(text: str) -> str:
    """What of a text counts when two are compared."""
    return " ".join(text.split())


def cleaned(text: str, original: str) -> str:
    """A model's text without the words and tags around it that are no part of it."""
    if (found := _TAG.fullmatch(text)) and not _TAG.fullmatch(original):
        text = found[2]
    lead = _LEAD.match(text.lstrip()[:200])
    if lead and not _LEAD.match(original.lstrip()[:200]):
        text = text.lstrip()[lead.end() :]
    return text.strip()


def usable(texts: Iterable[str], original: str, most: int) -> list[Draft]:
    """Drafts of a model's texts: those that can be used, as many as were asked for, then the others with reasons.

    `model_declined` (also where there is no text at all), `empty`, `unchanged` (but for white space): nothing else is
    held against them here.
    """
    good: dict[str, Draft] = {}
    bad: list[Draft] = []
    for said in texts:
        text = cleaned(said, original)
        if not text:
            bad.append(Draft(original, refused="empty"))
        elif _DECLINED.match(text[:200]) and not _DECLINED.match(original[:200]):
            bad.append(Draft(text, refused="model_declined"))
        elif plain(text) == plain(original):
            bad.append(Draft(text, refused="unchanged"))
        else:
            good.setdefault(plain(text), Draft(text))
    return [*list(good.values())[:most], *bad] or [Draft(original, refused="model_declined", detail="no text")]
