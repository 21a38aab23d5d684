"""Which paragraphs are headings, and of which level: parts, items, notes, and what stands out by its type."""

import re

from rarefy.tasks.corpus.read.flow import Paragraph
from rarefy.tasks.corpus.read.marks import plain
from rarefy.tasks.text.names import FORM

TOP = 2  # parts and items
LOWEST = 6
_PART = re.compile(r"^part\s+(?:i{1,3}|iv|[1-4])\b[\s.,:—–-]*(?:$|[A-Z(])", re.I)
_ITEM = re.compile(
    r"^items?\s*\d{1,2}\s*\(?[a-c]?\)?\s*(?:(?:and|&|,)\s*\d{1,2}[a-c]?\s*)*(?:[.:—–-]|$|\s+[A-Z“])", re.I
)
_NOTE = re.compile(r"^(?:note\s+\d{1,2}[a-z]?\b|\(?\d{1,2}\)?[.)]\s+\S|note\s+[A-Z]\b)", re.I)
_CLAUSE = re.compile(r"[.!?;,:]$")
_NOT_HEADING = re.compile(
    r"^(?:[(\[*]|\W*$|see\b|/s/|by:|\$?[\d,.()%\s—–-]+$|page\s+\d|yes\b|no\b|or$|table of contents)|"
    r"\bcontinued\)?$",
    re.I,
)
_ENDS_RUN = re.compile(r"^(?:signatures?|exhibit index|power of attorney)$", re.I)

Strength = tuple[float, ...]


class Outline:
    """The headings above the present place: tells a paragraph's level, and the path down to it."""

    def __init__(self) -> None:
        self._top: str = ""
        self._note: str = ""
        self._below: list[tuple[Strength, str]] = []

    def level(self, paragraph: Paragraph) -> int:
        """2 for a part or item, 3 to 6 for what stands below one, 0 for text; a heading is kept as the present one."""
        text = plain(paragraph.text)
        if is_item(paragraph) or (paragraph.bold and _ENDS_RUN.match(text)):
            self._top, self._note, self._below = text, "", []
            return TOP
        if not stands_out(paragraph):
            return 0
        if _NOTE.match(text) and (paragraph.bold or text.lower().startswith("note")) and len(text) < 160:
            self._note, self._below = text, []
            return TOP + 1
        strength = _strength(paragraph)
        while self._below and self._below[-1][0] <= strength:
            self._below.pop()
        if _leaves_notes(text):
            self._note, self._below = "", []
        self._below.append((strength, text))
        return min(TOP + bool(self._note) + len(self._below), LOWEST)

    @property
    def path(self) -> str:
        """The titles above, from the item down."""
        return " > ".join(title for title in (self._top, self._note, *(text for _, text in self._below)) if title)


def _leaves_notes(text: str) -> bool:
    return bool(re.match(r"report of (?:independent|management)|management['’]s report|schedule [ivx]+", text, re.I))


def is_item(paragraph: Paragraph) -> bool:
    """Whether it is the title of a part or item, not a sentence that begins with the name of one."""
    text = plain(paragraph.text)
    if len(text) > 200:
        return False
    if _PART.match(text) and len(text) < 60:
        return True
    if not _ITEM.match(text):
        return False
    if paragraph.bold or paragraph.heading or paragraph.underlined or text.isupper():
        return True
    return len(text) < 90 and not re.search(r"[a-z]{3,}.*[a-z]\.$|\b(?:of|in|to) (?:this|our|the) ", text)


def stands_out(paragraph: Paragraph) -> bool:
    """Whether a paragraph is set apart by its type, short, and no sentence."""
    text = plain(paragraph.text)
    if paragraph.heading and len(text) < 200:
        return True
    if not 2 < len(text) < 180 or paragraph.listed or _NOT_HEADING.search(text) or not re.search(r"[A-Za-z]{2}", text):
        return False
    if paragraph.row and re.search(r"\d{4}.*\d{4}", text):
        return False
    ends = bool(_CLAUSE.search(text)) and not re.search(rf"\b(?:{FORM}|U\.S\.)(?<=\.)$", text)
    if paragraph.bold:
        return not text.endswith((";", ",")) and (not ends or len(text.split()) <= 14)
    if paragraph.italic or paragraph.underlined:
        return not ends and len(text) < 110 and bool(re.match(r"[A-Z“\"(\d]|[a-z][A-Z]", text))
    letters = [c for c in text if c.isalpha()]
    return text.isupper() and len(letters) > 8 and not ends and (paragraph.centred or len(text) < 90)


def _strength(paragraph: Paragraph) -> Strength:
    text = plain(paragraph.text)
    return (
        float(paragraph.heading and 10 - paragraph.heading),
        round(paragraph.size),
        float(text.isupper()),
        float(paragraph.bold),
        float(paragraph.centred),
        float(paragraph.underlined and not paragraph.italic),
        float(not paragraph.italic),
    )
