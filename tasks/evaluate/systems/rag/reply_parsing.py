"""Reads the answer from a model's reply in the form that its prompt asked for, without a reasoning model's thoughts."""

import re
from collections.abc import Callable
from typing import Any

from rarefy.tasks.models.llm.json_text import BadJSON, find_json, repair_broken_json, strip_thinking

MAX_REPLY = 1_000_000  # characters of a reply that are read
SHORT_REPLY = 20  # words of a one-line reply that is taken as the answer where its label is missing
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


def strip_thoughts(text: str) -> str:
    """Return a reply without thoughts and special tokens; "" where the thoughts never end."""
    text = text[:MAX_REPLY]
    if channels := list(_CHANNEL.finditer(text)):
        text = text[channels[-1].end() :]
    elif re.match(r"\s*<\|channel\|>\s*analysis", text):
        return ""
    return _SPECIAL.sub("", _THOUGHTS.sub("", strip_thinking(text))).strip()


def strip_code_fence(text: str) -> str:
    """Return the content of a reply that is one code fence; any other reply as it is."""
    fence = _FENCE.match(text.strip())
    return fence["inside"].strip() if fence else text.strip()


def read_plain(text: str, refusal: str) -> str | None:
    """Return the whole reply without a label at its beginning."""
    text = strip_code_fence(strip_thoughts(text))
    label = _LABEL.match(text)
    return (text[label.end() :].strip() if label else text) or None


def read_labelled(text: str, refusal: str) -> str | None:
    """Return what follows "Answer:"; a reply of one short line or with the refusal words needs no label."""
    text = strip_code_fence(strip_thoughts(text))
    return _text_after_label(text) or _unlabelled_answer(text, refusal)


def read_after_notes(text: str, refusal: str) -> str | None:
    """Return what follows "Answer:" after notes; a reply with the refusal words needs no label."""
    text = strip_code_fence(strip_thoughts(text))
    return _text_after_label(text) or (text if refusal and contains_words(text, refusal) else None)


def read_whole(text: str, refusal: str) -> str | None:
    """Return what follows the last "Answer:" of notes, or the whole reply where there is none."""
    text = strip_code_fence(strip_thoughts(text))
    return _text_after_label(text) or text or None


def read_json(text: str, refusal: str) -> str | None:
    """Return "answer" of the last JSON object that has one; the refusal words need no JSON."""
    text = strip_thoughts(text)
    try:
        values = find_json(text) or find_json(strip_code_fence(text)) or repair_broken_json(text)
    except BadJSON:
        values = []
    for value in reversed(values):
        if (answer := _answer_value(value)) is not None:
            return answer
    if loose := list(_LOOSE.finditer(text)):  # a quote or line break in the words that nobody escaped
        return loose[-1]["said"].strip()
    return _text_after_label(text) if "{" not in text and _text_after_label(text) else _unlabelled_answer(text, refusal)


READERS: dict[str, Callable[[str, str], str | None]] = {
    "plain": read_plain,
    "labelled": read_labelled,
    "noted": read_after_notes,
    "whole": read_whole,
    "json": read_json,
}


def contains_words(text: str, words: str) -> bool:
    """Return whether a text contains these words, whatever its quotes, case and white space."""
    return bool(words) and _normalise(words).rstrip(".! ") in _normalise(text)


def _normalise(text: str) -> str:
    return " ".join(text.replace("’", "'").replace("‘", "'").replace("“", '"').replace("”", '"').casefold().split())


def _text_after_label(text: str) -> str | None:
    """Return what follows the last label up to a blank line, before any question the model goes on to ask itself."""
    labels = list(_LABEL.finditer(text))
    if not labels:
        return None
    if further := _NEXT.search(text, labels[0].end()):
        text = text[: further.start()]
        labels = [label for label in labels if label.end() <= len(text)]
    for label in reversed(labels):
        if answer := re.split(r"\n\s*\n", text[label.end() :].strip())[0].strip().strip("*").strip():
            return answer
    return None


def _unlabelled_answer(text: str, refusal: str) -> str | None:
    if contains_words(text, refusal):
        return text
    short = "\n" not in text and 0 < len(text.split()) <= SHORT_REPLY and not re.search(r"[{}]", text)
    return text if short else None


def _answer_value(value: Any) -> str | None:
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if not isinstance(value, dict):
        return None
    answer = next((value[name] for name in value if str(name).strip().casefold() == "answer"), value)
    return None if answer is value else _value_text(answer)


def _value_text(value: Any) -> str | None:
    """Return a JSON value as text: "" for null, a list's parts joined; None for an object, which is no answer."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        parts = [_value_text(part) for part in value]
        return None if None in parts else ", ".join(part for part in parts if part)
    if isinstance(value, dict):
        return None
    return str(value).strip()
