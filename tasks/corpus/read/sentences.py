"""Paragraphs for a text that has lost its own."""

import re
from collections.abc import Iterator

from rarefy.tasks.text.sentences import sentences

# Words that open a sentence; in titles they are written small, so that a capital one begins the text after a title.
OPENERS = "The|A|An|In|At|By|On|For|With|As|To|From|During|After|Before|While|When|Since|Under|This|These|It|There|Some"
WORD = r"(?:[A-Z][\w’'&-]*|\d{1,4}(?:[-–]\d{1,4})?)"
LITTLE = "of|the|and|in|on|for|to|a|an|by|with|from|or|at|&"
TITLE = re.compile(rf"(?![A-Z ]{{12}})({WORD}(?:,? (?:{WORD}|{LITTLE})){{1,14}}?) (?=(?:{OPENERS}) )")
# The minutes of the FOMC have these titles; between a list of people and a sentence only their words tell them.
KNOWN_TITLES = re.compile(
    r"(?<=\s)(Developments in Financial Markets(?: and (?:the )?(?:Federal Reserve's )?Balance Sheet|"
    r" and Open Market Operations)?|Staff Review of the (?:Economic|Financial) Situation|Staff Economic Outlook|"
    r"Participants[’'] Views on Current (?:Economic )?Conditions and the Economic Outlook|"
    r"Committee Policy Action|Notation Votes?|Discussion of (?:Guidelines|Monetary Policy)[A-Z \w]{0,60}?|"
    r"Annual Organizational Matters\d?|External Communications|Selection of Committee Officers?)"
    r"(?= (?:[A-Z][a-z]+\b|A\b) [a-z(])"
)
LOST_STOP = re.compile(r"(?<=[a-z0-9)]) (?=(?:By|In|At|On|With|During|After|When|While|This) [a-z])")
# A sentence that opens so turns to a new matter.
TURN = re.compile(
    r"(?:By (?:unanimous|notation) vote|In (?:their|its|the (?:view|course|discussion|staff|period)|contrast|light)|"
    r"With (?:regard|respect)|At the (?:conclusion|completion|close|time)|Regarding|Turning|Participants|Members|"
    r"The (?:information|staff|Committee|Manager|manager|members|vote|next|meeting|contents?|Chairman|Chair|economy)|"
    r"On (?:the|a) |Overall|Consumer|Business|Residential|Labor|Voting|Votes|Present|PRESENT|It was agreed|"
    r"Meanwhile|Looking|Secretary's note)"
)
LONG = 4000  # characters: no author writes a longer paragraph; the breaks were lost
ENDLESS = 500  # words: no sentence is longer
FEW, MANY = 60, 150  # words: a paragraph may end after the first, and ends after the second


def recover_paragraphs(text: str) -> Iterator[tuple[str, str]]:
    """("heading" | "text", words) of a text without breaks: titles set apart, sentences grouped by what they turn to.

    No word is changed. The boundaries depend on the sentences at hand alone, so that an edit moves few of them.
    """
    text = " ".join(text.split())
    start = 0
    for match in KNOWN_TITLES.finditer(text):
        yield from _paragraphs(text[start : match.start()])
        yield "heading", match.group()
        start = match.end()
    yield from _paragraphs(text[start:])


def _bounded(sentence: str) -> Iterator[str]:
    """A sentence, or stretches of one that never ends, as lists and tables without their breaks are."""
    words = sentence.split(" ") if len(sentence) > 6 * ENDLESS else [sentence]
    for start in range(0, len(words), ENDLESS):
        yield " ".join(words[start : start + ENDLESS])


def _paragraphs(text: str) -> Iterator[tuple[str, str]]:
    gathered: list[str] = []
    words = 0
    for sentence in (
        part for start, end in sentences(text) for lost in LOST_STOP.split(text[start:end]) for part in _bounded(lost)
    ):
        title = TITLE.match(sentence)
        body = sentence[title.end() :].lstrip() if title else sentence
        length = body.count(" ") + 1
        if gathered and (title or words + length > MANY or (words >= FEW and TURN.match(body))):
            yield "text", " ".join(gathered)
            gathered, words = [], 0
        if title:
            yield "heading", title.group(1)
        gathered.append(body)
        words += length
    if gathered:
        yield "text", " ".join(gathered)
