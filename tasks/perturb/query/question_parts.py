"""Split a question into its parts: question word, auxiliary, what comes before, and phrases at its end."""

import re
from dataclasses import dataclass

from rarefy.tasks.text import wordnet
from rarefy.tasks.text.dates import MONTHS, SHORT
from rarefy.tasks.text.names import ABBREVIATIONS
from rarefy.tasks.text.wordnet import readings

LONGEST_QUESTION = 600  # characters: what is longer is no question, and none of these patterns is made for it

_SHORT = "|".join(rf"{name}\.?" for name in SHORT).lower()
_MONTH = f"(?:{'|'.join(MONTHS)}|{_SHORT})"
YEAR = r"(?:1[5-9]|20)\d\d"
DAY = rf"(?:{_MONTH} \d{{1,2}},? {YEAR}|\d{{1,2}} {_MONTH},? {YEAR}|{YEAR}-\d\d-\d\d)"
_FISCAL = rf"(?:the )?(?:(?:fiscal|financial|calendar) )?(?:years? )?{YEAR}"
_PERIOD = r"(?:(?:fiscal|full|twelve|nine|six|three|thirteen|\d+)[ -])?(?:year|quarter|months?|weeks|period|half)"
TIME = (
    rf"(?:(?:in|during|throughout|for) {_FISCAL}"
    rf"|in (?:early |late |mid-? ?)?(?:{_MONTH} (?:of )?)?{YEAR}"
    rf"|(?:in|during|for) (?:the )?(?:(?:first|second|third|fourth|last) (?:quarter|half)|Q[1-4]|H[12])(?: of)?"
    rf" {_FISCAL}"
    rf"|at (?:the|its) {_MONTH} {YEAR} (?:\w+ )?meeting"
    rf"|(?:as of|at|as at) (?:{DAY}|(?:fiscal )?year[- ]end {YEAR})"
    rf"|as of (?:{_MONTH} )?{YEAR}"
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
    rf"|in its(?= (?:fiscal )?(?:year )?{YEAR} (?:form 10|10-|annual report)))"
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
_QUANTIFIED = (
    r"(?:(?:at least|at most|up to|(?:no|not) (?:more|less|fewer|later|earlier) than|a (?:minimum|maximum) of"
    r"|(?:a|the) (?:period|term) of|once|twice|every|approximately|about) )*"
)
_QUESTION = re.compile(rf"(?:(?P<to>{_PREPOSITION}) )?{_QUANTIFIED}(?P<wh>{WH})\b", _FLAGS)
_AUX = re.compile(rf"(?<![\w'’-]){AUX}(?![\w'’-])", _FLAGS)
_TAIL_UNIT = re.compile(rf",? (?P<it>{UNIT})\Z", _FLAGS)
_TAIL_TIME = re.compile(rf"(?P<comma>,?) (?P<it>{TIME})\Z", _FLAGS)
# A date has a comma of its own
_TAIL_SOURCE = re.compile(rf"(?P<comma>,?) (?P<it>{_SOURCE_OPENER} (?:[^,;:?]|, (?={YEAR})){{3,110}})\Z", _FLAGS)
# Where, or by what rules: "at 37signals", "in Rust", "under the Fair Housing Act"
_NAMED = (
    r"(?:the )?(?:\d+ (?:CFR|U\.S\.C\.) (?:[Pp]art )?[\d.]+"
    r"|[A-Z0-9][\w.&’'<>-]*(?: (?:[A-Z&][\w.&’'-]*|of(?= [A-Z])))*)"
)
_TAIL_PLACE = re.compile(
    rf"(?P<comma>,?) (?P<it>(?:at|in|under) {_NAMED}|on (?:Windows|Linux|macOS|Unix|Android|iOS|Mac))\Z"
)
# The beginning of another clause, which may own what follows
CLAUSE = re.compile(
    r"\b(?:that|which|who|whom|whose|where|when|while|if|because|since|after|before|until|unless|although|though"
    r"|whether|how|what|why|so|but"
    r"|than(?! [\d$€£])|as(?! (?:of|at|a|an|its|part|well as)\b)(?<!such as)(?<!well as))\b|[;:]|\?",
    _FLAGS,
)


@dataclass(frozen=True, slots=True)
class Piece:
    """A phrase of a question, `text[start:end]`, without the comma before it."""

    kind: str  # time | source | unit | place | other
    start: int
    end: int
    comma: bool = False  # separates it from the rest


@dataclass(frozen=True, slots=True)
class ParsedQuestion:
    """A question of one sentence: [front,] to-wh-phrase aux body [tails] end."""

    text: str
    front: Piece | None
    start: int  # of the question proper, after the front
    wh: str  # the question word in lower case; "" for a yes-no question
    to: int  # where the question word begins, after its preposition
    aux: tuple[int, int]  # span of the first auxiliary; (0, 0) where there is none
    body: tuple[int, int]  # from the auxiliary (or question word) to the tails
    tails: tuple[Piece, ...]
    end: int  # where the closing punctuation begins


def parse_question(text: str) -> ParsedQuestion | None:
    """The parts of a question; None for a text that is not a question of one sentence."""
    if len(text) > LONGEST_QUESTION or "|" in text or "\n" in text.strip() or not text.strip():
        return None
    end = _find_end(text)
    begin = len(text) - len(text.lstrip())
    front, start = _split_front(text, begin, end)
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
    tails, low = _split_tails(text, after, end)
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


def _find_end(text: str) -> int:
    """Where the closing punctuation begins; the point of an abbreviation is not part of it."""
    bare = text.rstrip()
    if not bare.endswith("."):
        return len(re.sub(r"[\s?!]+\Z", "", text))
    word = bare[:-1].split()[-1:] or [""]
    return len(bare) - (not (word[0][-1:].isupper() or word[0].strip('("“').casefold() in ABBREVIATIONS))


def _split_front(text: str, begin: int, end: int) -> tuple[Piece | None, int]:
    """The phrase before the question proper, and where the question begins."""
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


_TAILS = (("unit", _TAIL_UNIT), ("time", _TAIL_TIME), ("source", _TAIL_SOURCE), ("place", _TAIL_PLACE))


def _split_tails(text: str, low: int, end: int) -> tuple[tuple[Piece, ...], int]:
    """The phrases at the end, and where the rest ends."""
    found: list[Piece] = []
    high = end
    for _ in range(3):
        for kind, pattern in _TAILS:
            match = pattern.search(text, low, high)
            comma = match is not None and text[match.start()] == ","
            if match and kind == "source" and _has_verb(text[match.start("it") : high]):
                continue
            if match and (kind != "unit" or comma) and not CLAUSE.search(text, match.start("it") + len("as of"), high):
                found.append(Piece(kind, match.start("it"), match.end("it"), comma))
                high = match.start()
                break
        else:
            break
    return tuple(reversed(found)), high


def _has_verb(written: str) -> bool:
    """Whether what should be the name of a source has a subject or a word that can only be a verb."""
    words = re.findall(r"\b[a-z]+\b", written)[1:]
    return any(word in ("it", "they", "we", "he", "she") or {r.pos for r in readings(word)} == {"v"} for word in words)


# What the end of a question modifies

PREPOSITIONS = frozenset(
    """
    of in on at for from to by with without per before after as under over into onto during within among between through
    against about above below across along around behind beside besides beyond despite down inside near off out outside
    past since toward towards until up upon via and or
    """.split()
)
PRONOUNS = frozenset("i he she it we they you him her them us".split())
PRESENT = frozenset(
    "is are do does has have can may will must shall isn't aren't don't doesn't hasn't haven't can't won't".split()
)
BE = frozenset("is are was were isn't aren't wasn't weren't".split())

# Participles after a noun that are part of a measure's name ("net cash provided by operating activities")
TERMS = frozenset(
    """
    provided used related attributable included held based paid received transferred obtained recognized sold computed
    earned incurred outstanding combined combined weighted granted repurchased
    """.split()
)
# Words that bind a following time to themselves: "the notes due in 2024", "the budget for 2024"
BOUND = frozenset(
    """
    due effective dated beginning starting valid scheduled born planned expected available new budget guidance outlook
    forecast forecasts report reports 10-k 10-q plan plans target targets estimate estimates proposal proposals policy
    policies model edition version release prices set put cut hit cast shut spread read bid shot
    """.split()
)
# Nouns by WordNet that are none at the end of "what is it ..."
_NO_NOUN = frozenset("like worth up out about right wrong short long wide tall high deep old home back down".split())
# Statements about a later time
_AHEAD = frozenset("guidance budget outlook forecast target plan plans projection projections expectation".split())
# Verbs after which a time may belong to what is said
SAYING = frozenset(
    """
    say state report describe disclose announce discuss expect estimate predict forecast cite mention explain plan
    intend propose agree claim argue think believe anticipate project consider attribute promise warn name call suggest
    says states reports describes discloses announces discusses expects estimates said stated reported described
    announced disclosed discussed expected estimated predicted planned proposed agreed claimed argued anticipated
    """.split()
)
# Nouns that look like a verb's -ing form
_NAMED_ING = frozenset(
    """
    financing accounting advertising marketing building meeting listing holding filing rating pricing funding lending
    engineering manufacturing training housing gaming programming banking processing licensing hearing ruling beginning
    """.split()
)
# Phrases that modify the whole question after a comma
_SET_OFF = re.compile(
    r"according to|as (?:stated|disclosed|reported|described) in|in (?:thousands|millions|billions)", re.I
)
_AMOUNT = re.compile(
    r" (?:(?:the )?[^a-z]\S*(?: \S+){0,5}?['’]s? "
    r"|the (?:total |average |aggregate )?(?:number|amount|value|price|total|cost)\b)"
)
_AUXILIARY = re.compile(AUX)
_WORD = re.compile(r"[\w$€£&][\w$€£%&.,'’/-]*")
_YEAR = re.compile(r"(?<![\w.,-])(?:1[5-9]|20)\d\d(?![\w-])")


def modifies_whole_question(question: ParsedQuestion, piece: Piece) -> bool:
    """Whether a phrase at the end modifies the whole question, so that it can move."""
    text = question.text
    low, high = question.body[0], piece.start
    if piece.comma and _SET_OFF.match(text, piece.start):
        return True
    if piece.kind == "place" or (piece.kind == "source" and text.startswith("under ", piece.start)):
        return _sets_the_scene(question, piece)
    if CLAUSE.search(text, low, high) or not _is_simple_phrase(question, low, high):
        return False
    if piece.kind != "time":
        return True
    rest_words = _WORD.findall(text[low:high])
    auxiliary = text[question.aux[0] : question.aux[1]].lower()
    if auxiliary in PRESENT and not text[piece.start : piece.end].lower().startswith(("as of", "at ")):
        return False
    if (
        not rest_words
        or rest_words[-1].lower().strip(".,") in BOUND
        or any(w.lower() in SAYING | _AHEAD for w in rest_words)
    ):
        return False
    return not _YEAR.search(text, question.start, high)


# Nouns that what follows "in" completes
_TAKES_IN = frozenset(
    """
    increase decrease rise fall change decline growth drop interest investment stake role part position difference
    confidence experience improvement reduction variation trend degree expertise gain share participation belief faith
    employment enrollment participant expert specialist shareholder investor error flaw bug
    """.split()
)
_DETERMINER = frozenset("the a an its their his her our your this that these those each every any no new own".split())


def _sets_the_scene(question: ParsedQuestion, piece: Piece) -> bool:
    """Whether a place or a law at the end is that of the whole question, which is complete without it."""
    text, low, high = question.text, question.body[0], piece.start
    words = _WORD.findall(text[low:high])
    if len(words) < 3 or CLAUSE.search(text, low, high) or (question.wh in ("where", "when") and len(words) < 4):
        return False
    last, before = words[-1].strip(".,"), words[-2]
    kinds = {reading.pos for reading in readings(last.lower())}
    lemmas = {reading.lemma for reading in readings(last.lower())} | {last.lower()}
    if text.startswith("under ", piece.start) and before == "be":
        return True
    if last != last.lower():
        return True
    if "n" not in kinds or last in PREPOSITIONS or lemmas & _TAKES_IN:
        return False
    described = before in _DETERMINER or before.endswith(("'s", "’s")) or {r.pos for r in readings(before)} & {"a", "n"}
    return bool("v" not in kinds or described)


def is_nominal(question: ParsedQuestion) -> bool:
    """Whether a single noun phrase follows the auxiliary ("X's income before taxes")."""
    low, high = question.body
    rest_words = _WORD.findall(question.text[low:high])
    if len(rest_words) < 2 or CLAUSE.search(question.text, low, high):
        return False
    owned = re.match(r" (?:the )?[^a-z]\S*(?: \S+){0,5}?['’]s? ", question.text[low:high])
    if rest_words[0].lower() not in ("the", "a", "an") and not owned:
        return False
    last = rest_words[-1].strip(".,")
    kinds = {reading.pos for reading in wordnet.readings(last.lower())}
    if last.lower() in _NO_NOUN:
        return False
    named = last[:1].isupper() or last[:1].isdigit() or last.endswith(("%", ")"))
    return (named or "n" in kinds or last.lower() in TERMS) and _is_simple_phrase(question, low, high, noun=True)


def _is_simple_phrase(question: ParsedQuestion, low: int, high: int, noun: bool = False) -> bool:
    """Whether a stretch has no verb but the question's own and no clause."""
    text = question.text
    tokens = [(m.group().strip(".,"), m.start()) for m in _WORD.finditer(text, low, high)]
    auxiliary = text[question.aux[0] : question.aux[1]].lower()
    spare = 0 if noun else 1  # the question's own verb
    amount = _AMOUNT.match(text, low, high) is not None
    for i, (token, _) in enumerate(tokens):
        lower = token.lower()
        after = tokens[i + 1][0] if i + 1 < len(tokens) else ""
        if lower in PRONOUNS and i and token != "US":
            return False
        if lower in ("like", "worth", "about") and (not after or after.lower() in PREPOSITIONS):
            return False
        if token == lower and _AUXILIARY.fullmatch(token) and (token not in ("have", "do") or auxiliary in BE):
            return False
        readings = wordnet.readings(lower) if token == lower or not i else ()
        forms = {r.form for r in readings if r.pos == "v"}
        if lower == "to" and any(r.pos == "v" and r.form == "base" for r in wordnet.readings(after)):
            return False
        ends = not after or after.lower() in PREPOSITIONS
        if "ing" in forms and ends and lower not in _NAMED_ING:
            return False
        if forms & {"ed", "past", "participle"} and "base" not in forms:
            own = spare and (not auxiliary or (auxiliary in BE and i <= 1) or auxiliary in ("has", "have", "had"))
            own = own or (spare and auxiliary in BE and not after and question.to > question.start)
            own = own or (spare and auxiliary in BE and not after and question.wh in ("where", "when", "how"))
            if own and (ends or not auxiliary):
                spare = 0
            elif ends and (lower not in TERMS or not (after or amount or noun)):
                return False
    return True
