"""Where sentences end, and paragraphs for a text that has lost its own."""

import re
from collections.abc import Iterator

# A full stop after these does not end a sentence (nor after an initial, "L. Yellen", or in "U.S.").
ABBREVIATIONS = frozenset(
    """mr mrs ms messrs mses dr prof rev hon gov sen rep gen st mt ft inc corp co ltd llc lp bros dept div
    vs etc al ed eds cf e.g i.e viz approx est
    jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun""".split()
)
BEFORE_NUMBERS = frozenset("no nos fig figs eq sec secs art par para p pp vol ch".split())
END = re.compile(r"""[.!?][)"'’”\]]*\d{0,2}\s+(?=["'“‘(\[]?[A-Z0-9•])""")  # a footnote mark may follow the stop
LAST_WORD = re.compile(r"([^\s(\"“'‘]+)$")
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


def split_sentences(text: str) -> Iterator[str]:
    """The sentences of a stretch of prose, in order; joined by one space they are the text again."""
    start = 0
    for match in END.finditer(text):
        stop = match.start()
        stops = text[stop] == "." and text[stop + 1].isspace()
        if stops and _abbreviated(text[max(start, stop - 24) : stop], text[match.end()], stop - start):
            continue
        yield text[start : match.end()].rstrip()
        start = match.end()
    if text[start:].strip():
        yield text[start:].strip()


def _abbreviated(before: str, following: str, length: int) -> bool:
    """Whether a full stop shortens a word: `before` are the last letters of a sentence so far `length` long."""
    word = LAST_WORD.search(before)
    if not word:
        return False
    token = word.group(1)
    if token.lower() in ABBREVIATIONS or (token.lower() in BEFORE_NUMBERS and following.isdigit()):
        return True
    if token.isdigit() and length <= 3:
        return True  # "1. Attended", the number of a list's item
    initials = all(len(part) == 1 and part.isalpha() for part in token.split("."))
    return initials and not (token.lower() in ("a.m", "p.m") or (token in ("U.S", "D.C", "U.K") and following == "I"))


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
        part for whole in split_sentences(text) for lost in LOST_STOP.split(whole) for part in _bounded(lost)
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
