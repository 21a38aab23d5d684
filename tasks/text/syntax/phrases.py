"""Set phrases for set phrases that say the same (phrases.tsv)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rarefy.tasks.text.syntax.pieces import Edit

# An auxiliary, or "to", before a verb in its clause
_UNFINITE = re.compile(
    r"\b(?:do|does|did|can|could|will|would|shall|should|may|might|must|to|not|let|make|makes|help|helps)\b[^.;,]{0,200}\Z",
    re.IGNORECASE,
)
TABLE = Path(__file__).with_name("phrases.tsv")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase as a pattern, and what may stand instead of it."""

    pattern: re.Pattern[str]
    words: str
    instead: tuple[str, ...]

    @property
    def finite(self) -> bool:
        """Can the verb that stands instead not follow an auxiliary ("consist of": "are made up of")?"""
        return any(new.startswith("are ") for new in self.instead) and not self.words.startswith("are ")


@cache
def table() -> tuple[Phrase, ...]:
    """The phrases, the longest first."""
    found = []
    for line in TABLE.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            words, instead, after, before = ([*line.split("\t"), "", ""])[:4]
            first = re.escape(words[0]) if words[0].isupper() else f"[{words[0]}{words[0].upper()}]"
            lead = rf"(?:{before})\s+" if before else ""
            body = first + re.escape(words[1:]).replace(r"\ ", r"\s")
            ends = "" if words.endswith(",") else r"(?![\w-])"
            ahead = rf"(?=\s?(?:{after}))" if after else ""
            pattern = re.compile(rf"(?<![\w-]){lead}(?P<it>{body}){ends}{ahead}")
            found.append(Phrase(pattern, words, tuple(instead.split("|"))))
    return tuple(sorted(found, key=lambda p: (-len(p.words), p.words)))


def set_phrases(sentence: str) -> Iterator[tuple[Edit, ...]]:
    """For each place where a phrase stands, in order: the edits that each put another in its place."""
    taken: list[tuple[int, int]] = []
    found: list[tuple[Edit, ...]] = []
    for phrase in table():
        for match in phrase.pattern.finditer(sentence):
            start, end = match.span("it")
            head = sentence[start].isupper()
            if any(a < end and start < b for a, b in taken) or (head and start):
                continue
            if phrase.finite and _UNFINITE.search(sentence, 0, start):
                continue
            taken.append((start, end))
            found.append(tuple(Edit(start, end, _cased(new, head)) for new in phrase.instead))
    yield from sorted(found, key=lambda edits: edits[0].start)


def _cased(new: str, head: bool) -> str:
    return new[0].upper() + new[1:] if head else new
