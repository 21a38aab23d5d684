"""The parts of a question, as far as its surface tells: what it asks with, what stands before it and what hangs on."""

import re
from dataclasses import dataclass

from rarefy.tasks.text.dates import MONTHS, SHORT
from rarefy.tasks.text.names import ABBREVIATIONS
from rarefy.tasks.text.wordnet import readings

LONGEST = 600  # characters: what is longer is no question, and none of these patterns is made for it

_SHORT = "|".join(rf"{name}\.?" for name in SHORT).lower()
_MONTH = f"(?:{'|'.join(MONTHS)}|{_SHORT})"
_YEAR = r"(?:1[5-9]|20)\d\d"
DAY = rf"(?:{_MONTH} \d{{1,2}},? {_YEAR}|\d{{1,2}} {_MONTH},? {_YEAR}|{_YEAR}-\d\d-\d\d)"
_FISCAL = rf"(?:the )?(?:(?:fiscal|financial|calendar) )?(?:years? )?{_YEAR}"
_PERIOD = r"(?:(?:fiscal|full|twelve|nine|six|three|thirteen|\d+)[ -])?(?:year|quarter|months?|weeks|period|half)"
TIME = (
    rf"(?:(?:in|during|throughout|for) {_FISCAL}"
    rf"|in (?:early |late |mid-? ?)?(?:{_MONTH} (?:of )?)?{_YEAR}"
    rf"|(?:in|during|for) (?:the )?(?:(?:first|second|third|fourth|last) (?:quarter|half)|Q[1-4]|H[12])(?: of)?"
    rf" {_FISCAL}"
    rf"|at (?:the|its) {_MONTH} {_YEAR} (?:\w+ )?meeting"
    rf"|(?:as of|at|as at) (?:{DAY}|(?:fiscal )?year[- ]end {_YEAR})"
    rf"|as of (?:{_MONTH} )?{_YEAR}"
    rf"|(?:as of|at) the (?:end|beginning|start) of {_FISCAL}"
    rf"|(?:for|in|during) the {_PERIOD} end(?:ed|ing) (?:on )?{DAY}"
    rf"|in the (?:early |late |mid-? ?)?(?:1[5-9]|20)\d0s)"
)
UNIT = (
    r"in (?:thousands|millions|billions|trillions|hundreds)(?: of (?!which|whom)[\w.$€£ ]{2,30}?)?"
    r"|in (?:US |U\.S\. )?(?:dollars|euros|pounds|yen|percent|percentage points|square feet|euro|kilometers|miles)"
    r"|as a percentage(?: of [\w ]{3,40}?)?"
)
_SOURCE_OPENER = (
    r"(?:according to|as (?:stated|disclosed|reported|described) in|as of (?:its|the)"
    r"|(?:under|pursuant to)(?= [^,;:?]*(?:§|\b(?:CFR|U\.?S\.?C|[Pp]art \d|[Ss]ections? \d|[Aa]rticles? \d|[Rr]ule \d"
    r"|GAAP|IFRS|Act|Code|Agreement|Contract|Convention|Treaty|Constitution|Regulation|Directive|Law)\b))"
    rf"|in its(?= (?:fiscal )?(?:year )?{_YEAR} (?:form 10|10-|annual report)))"
)
_PREPOSITION = (
    r"(?:according to|as (?:stated|disclosed|reported|described) in|pursuant to|as of|in|on|at|for|from|under|by|with"
    r"|to|of|into|during|within|among|between|besides|through|upon|until|since|after|before|throughout|along with)"
)
WH = r"(?:what|which|who|whom|whose|when|where|why|how)"
AUX = (
    r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|may|might|must|shall|should"
    r"|isn't|aren't|wasn't|weren't|don't|doesn't|didn't|hasn't|haven't|can't|won't)"
)
_FLAGS = re.IGNORECASE
_FRONT = re.compile(rf"(?P<front>(?:{TIME})|(?:{_PREPOSITION})\b[^;:?\"“”]{{2,140}}?)(?P<comma>,?) (?=\S)", _FLAGS)
_QUESTION = re.compile(rf"(?:(?P<to>{_PREPOSITION}) )?(?:approximately |about )?(?P<wh>{WH})\b", _FLAGS)
_AUX = re.compile(rf"(?<![\w'’-]){AUX}(?![\w'’-])", _FLAGS)
_TAIL_UNIT = re.compile(rf",? (?P<it>{UNIT})\Z", _FLAGS)
_TAIL_TIME = re.compile(rf"(?P<comma>,?) (?P<it>{TIME})\Z", _FLAGS)
_TAIL_SOURCE = re.compile(rf"(?P<comma>,?) (?P<it>{_SOURCE_OPENER} [^,;:?]{{3,90}})\Z", _FLAGS)
# Where another clause begins, on which what follows may hang
CLAUSE = re.compile(
    r"\b(?:that|which|who|whom|whose|where|when|while|if|because|since|after|before|until|unless|although|though"
    r"|whether|how|what|why|so|but"
    r"|than(?! [\d$€£])|as(?! (?:of|at|a|an|its|part|well as)\b)(?<!such as)(?<!well as))\b|[;:]|\?",
    _FLAGS,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """`text[start:end]` of a question, without the comma before it."""

    kind: str  # time | source | unit | other
    start: int
    end: int
    comma: bool = False  # one stands between it and the rest


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question of one sentence: [front,] to-wh-phrase aux body [tails] end."""

    text: str
    front: Piece | None
    start: int  # of the question proper, after what was put in front
    wh: str  # the word it asks with, in lower case; "" for a question to be answered yes or no
    to: int  # where that word stands, after its preposition
    aux: tuple[int, int]  # the first auxiliary; equal where there is none
    body: tuple[int, int]  # after the auxiliary, or after the word it asks with, to the first of the tails
    tails: tuple[Piece, ...]  # in their order
    end: int  # where the closing punctuation begins


def asked(text: str) -> ParsedQuestion | None:
    """The parts of a question; None for what does not look like one of one sentence."""
    if len(text) > LONGEST or "|" in text or "\n" in text.strip() or not text.strip():
        return None
    end = _end(text)
    begin = len(text) - len(text.lstrip())
    front, start = _front(text, begin, end)
    question = _QUESTION.match(text, start, end)
    aux = _AUX.search(text, start, end)
    if aux and aux.start() > start and aux.group() in ("May", "Will"):
        aux = None  # a month, a name
    if question is None and (aux is None or aux.start() != start):
        return None
    if question and aux and CLAUSE.search(text, question.end(), aux.start()):
        aux = None
    span = (aux.start(), aux.end()) if aux else (0, 0)
    after = aux.end() if aux else question.end() if question else start
    tails, low = _tails(text, after, end)
    return ParsedQuestion(
        text=text,
        front=front,
        start=start,
        wh=question["wh"].lower() if question else "",
        to=question.start("wh") if question else start,
        aux=span,
        body=(after, low),
        tails=tails,
        end=end,
    )


def _end(text: str) -> int:
    """Where the closing punctuation begins; a point belongs to "Inc." if a question mark follows it, or nothing."""
    bare = text.rstrip()
    if not bare.endswith("."):
        return len(re.sub(r"[\s?!]+\Z", "", text))
    word = bare[:-1].split()[-1:] or [""]
    return len(bare) - (not (word[0][-1:].isupper() or word[0].strip('("“').casefold() in ABBREVIATIONS))


def _front(text: str, begin: int, end: int) -> tuple[Piece | None, int]:
    """What was put before the question proper, and where that begins."""
    first = _FRONT.match(text, begin, end)
    if first is None or _QUESTION.match(text, begin, end):
        return None, begin
    # the first comma is not the last of "As of June 30, 2024, what"
    for comma in re.finditer(r",? (?=(\w+) ?(\w*))", text[begin : min(end, begin + 200)]):
        at = begin + comma.end()
        opens = _QUESTION.match(text, at, end) or (_AUX.match(text, at, end) if comma.group()[0] == "," else None)
        if not opens:
            continue
        low, high = begin, begin + comma.start()
        timed = re.fullmatch(TIME, text[low:high], _FLAGS)
        sourced = re.match(_SOURCE_OPENER, text[low:high], _FLAGS)
        if CLAUSE.search(text, low + len("As of"), high) or not (timed or comma.group()[0] == ","):
            return None, begin
        kind = "time" if timed else "source" if sourced else "other"
        return Piece(kind, low, high, comma.group()[0] == ","), at
    return None, begin


def _tails(text: str, low: int, end: int) -> tuple[tuple[Piece, ...], int]:
    """What hangs on at the end, and where the rest ends."""
    found: list[Piece] = []
    high = end
    for _ in range(3):
        for kind, pattern in (("unit", _TAIL_UNIT), ("time", _TAIL_TIME), ("source", _TAIL_SOURCE)):
            match = pattern.search(text, low, high)
            comma = match is not None and text[match.start()] == ","
            if match and kind == "source" and _acts(text[match.start("it") : high]):
                continue
            if match and (kind != "unit" or comma) and not CLAUSE.search(text, match.start("it") + len("as of"), high):
                found.append(Piece(kind, match.start("it"), match.end("it"), comma))
                high = match.start()
                break
        else:
            break
    return tuple(reversed(found)), high


def _acts(written: str) -> bool:
    """Is there a subject, or a word that can only be a verb, in what should be the name of a source?"""
    words = re.findall(r"\b[a-z]+\b", written)[1:]
    return any(word in ("it", "they", "we", "he", "she") or {r.pos for r in readings(word)} == {"v"} for word in words)
