"""The answer in a model's reply, as its prompt asked for it; a reasoning model's thoughts are no part of it."""

import re
from collections.abc import Callable
from typing import Any

from rarefy.tasks.models.llm.mending import mended
from rarefy.tasks.models.llm.reading import BadJSON, unthought, within

LONGEST = 1_000_000  # characters of a reply that is read at all
WORDS = 20  # of a reply in one line that is taken for an answer that lost its form
# thoughts as models mark them that have other tags than <think>: gpt-oss, Magistral, Kimi, and those told to by prompts
_THOUGHTS = re.compile(
    r"<(thought|thoughts|reasoning|reflection|analysis)>.*?(?:</\1>|\Z)|\[THINK\].*?(?:\[/THINK\]|\Z)|◁think▷.*?(?:◁/think▷|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_CHANNEL = re.compile(r"<\|channel\|>\s*final\s*(?:<\|constrain\|>\w+)?\s*<\|message\|>")
_SPECIAL = re.compile(r"<\|(?:end|return|im_end|eot_id|endoftext|end_of_text|eom_id)\|>|</s>")
_FENCE = re.compile(r"\A```[\w+-]*\n(?P<inside>.*?)\n?```\Z", re.DOTALL)
_LABEL = re.compile(
    r"(?<!\w)(?<!previous )(?:the\s+)?(?:final |short |brief |concise )?answer\s*(?:\*\*|__)?\s*(?:is\s*)?[:：]\s*"
    r"(?:\*\*|__)?",
    re.IGNORECASE,
)
_NEXT = re.compile(r"\n\s*(?:\*\*)?(?:question|q)\s*(?:\*\*)?\s*[:：]", re.IGNORECASE)
_LOOSE = re.compile(
    r"""["']answer["']\s*:\s*(?P<quote>["'])(?P<said>.*?)(?P=quote)\s*(?:,\s*["']\w+["']\s*:|\}|\Z)""", re.DOTALL
)


def unthinking(text: str) -> str:
    """The reply without the model's thoughts and the marks of its template; "" where it never came to an end."""
    text = text[:LONGEST]
    if found := list(_CHANNEL.finditer(text)):
        text = text[found[-1].end() :]
    elif re.match(r"\s*<\|channel\|>\s*analysis", text):
        return ""
    return _SPECIAL.sub("", _THOUGHTS.sub("", unthought(text))).strip()


def unfenced(text: str) -> str:
    """What stands in a reply that is one code fence; else the reply."""
    fence = _FENCE.match(text.strip())
    return fence["inside"].strip() if fence else text.strip()


def plain(text: str, refusal: str) -> str | None:
    """The whole reply, without a label that it begins with."""
    text = unfenced(unthinking(text))
    label = _LABEL.match(text)
    return (text[label.end() :].strip() if label else text) or None


def labelled(text: str, refusal: str) -> str | None:
    """What stands behind "Answer:"; a reply of one short line, or of the refusal's words, may do without."""
    text = unfenced(unthinking(text))
    return _behind(text) or _bare(text, refusal)


def noted(text: str, refusal: str) -> str | None:
    """What stands behind "Answer:" after notes; the words of refusal may do without."""
    text = unfenced(unthinking(text))
    return _behind(text) or (text if refusal and says(text, refusal) else None)


def whole(text: str, refusal: str) -> str | None:
    """What stands behind the last "Answer:" of notes that need not have one; else all of them."""
    text = unfenced(unthinking(text))
    return _behind(text) or text or None


def in_json(text: str, refusal: str) -> str | None:
    """The value of "answer" in the last JSON object that has one; the words of refusal may stand alone."""
    text = unthinking(text)
    try:
        values = within(text) or within(unfenced(text)) or mended(text)
    except BadJSON:
        values = []
    for value in reversed(values):
        if (found := _answer_of(value)) is not None:
            return found
    if loose := list(_LOOSE.finditer(text)):  # a quote or line break in the words that nobody escaped
        return loose[-1]["said"].strip()
    return _behind(text) if "{" not in text and _behind(text) else _bare(text, refusal)


READERS: dict[str, Callable[[str, str], str | None]] = {
    "plain": plain,
    "labelled": labelled,
    "noted": noted,
    "whole": whole,
    "json": in_json,
}


def says(text: str, words: str) -> bool:
    """Whether a text holds these words, whatever its quotes, case and spaces."""
    return bool(words) and _even(words).rstrip(".! ") in _even(text)


def _even(text: str) -> str:
    return " ".join(text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"').casefold().split())


def _behind(text: str) -> str | None:
    """What stands behind the last label, up to a blank line; questions that a model goes on to ask itself apart."""
    labels = list(_LABEL.finditer(text))
    if not labels:
        return None
    if further := _NEXT.search(text, labels[0].end()):
        text = text[: further.start()]
        labels = [label for label in labels if label.end() <= len(text)]
    for label in reversed(labels):
        if said := re.split(r"\n\s*\n", text[label.end() :].strip())[0].strip().strip("*").strip():
            return said
    return None


def _bare(text: str, refusal: str) -> str | None:
    if says(text, refusal):
        return text
    short = "\n" not in text and 0 < len(text.split()) <= WORDS and not re.search(r"[{}]", text)
    return text if short else None


def _answer_of(value: Any) -> str | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict):
        return None
    found = next((value[name] for name in value if str(name).strip().casefold() == "answer"), value)
    return None if found is value else _told(found)


def _told(value: Any) -> str | None:
    """A value as words: null says nothing, a list all that it holds; an object is no answer."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        parts = [_told(part) for part in value]
        return None if None in parts else ", ".join(part for part in parts if part)
    if isinstance(value, dict):
        return None
    return str(value).strip()
