"""Texts that are Unicode: half a surrogate pair, which JSON can spell, is no character and in no encoding."""

import re
from collections.abc import Iterator

from rarefy.tasks.perturb.layouts.question_record import QuestionRecord, Skipped

_HALF = re.compile("[\ud800-\udfff]")


def sound(row: QuestionRecord | Skipped) -> QuestionRecord | Skipped:
    """The row; where a text of it holds half a surrogate pair, what is told instead, by field and character."""
    if isinstance(row, Skipped):
        return Skipped(_spelled(row.place), row.reason, _spelled(row.detail))
    for name, text in _texts(row):
        if found := _HALF.search(text):
            told = f"{name}: character {found.start()} is half a surrogate pair ({_spelled(found.group())})"
            return Skipped(_spelled(row.place), "not_unicode", f"{told}; write the whole character, or leave it out")
    return row


def _texts(row: QuestionRecord) -> Iterator[tuple[str, str]]:
    yield from (("id", row.question_id), ("question", row.text), ("language", row.language))
    yield from ((f"answer {place}", text) for place, text in enumerate(row.answers))
    for place, passage in enumerate(row.passages):
        yield f"context {place}", passage.text
        yield f"title of context {place}", passage.title
        yield from ((f"evidence of context {place}", text) for text in passage.evidence)


def _spelled(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()
