"""What the end of a question hangs on, as far as its words tell; doubt is no."""

import re

from rarefy.tasks.perturb.query.question_parts import AUX, CLAUSE, ParsedQuestion, Piece
from rarefy.tasks.text import wordnet

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
# What is said of a thing by these is said of it alone: "the notes due in 2024", "the budget for 2024"
BOUND = frozenset(
    """
    due effective dated beginning starting valid scheduled born planned expected available new budget guidance outlook
    forecast forecasts report reports 10-k 10-q plan plans target targets estimate estimates proposal proposals policy
    policies model edition version release prices set put cut hit cast shut spread read bid shot
    """.split()
)
# Nouns at the end of "what is it ...", which are none there
_NO_NOUN = frozenset("like worth up out about right wrong short long wide tall high deep old home back down".split())
# What is said beforehand of another time
_AHEAD = frozenset("guidance budget outlook forecast target plan plans projection projections expectation".split())
# With these, a time may be that of what is said rather than of the saying
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
# Set off by a comma, these are said of the whole whatever stands before
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


def hangs_on_all(question: ParsedQuestion, piece: Piece) -> bool:
    """Is this end of a question said of the whole of it, so that it may stand elsewhere?"""
    text = question.text
    low, high = question.body[0], piece.start
    if piece.comma and _SET_OFF.match(text, piece.start):
        return True
    if CLAUSE.search(text, low, high) or not _simple(question, low, high):
        return False
    if piece.kind != "time":
        return True
    said = _WORD.findall(text[low:high])
    auxiliary = text[question.aux[0] : question.aux[1]].lower()
    if auxiliary in PRESENT and not text[piece.start : piece.end].lower().startswith(("as of", "at ")):
        return False
    if not said or said[-1].lower().strip(".,") in BOUND or any(w.lower() in SAYING | _AHEAD for w in said):
        return False
    return not _YEAR.search(text, question.start, high)


def nominal(question: ParsedQuestion) -> bool:
    """Is what follows the auxiliary one noun phrase and nothing else ("X's income before taxes")?"""
    low, high = question.body
    said = _WORD.findall(question.text[low:high])
    if len(said) < 2 or CLAUSE.search(question.text, low, high):
        return False
    owned = re.match(r" (?:the )?[^a-z]\S*(?: \S+){0,5}?['’]s? ", question.text[low:high])
    if said[0].lower() not in ("the", "a", "an") and not owned:
        return False
    last = said[-1].strip(".,")
    kinds = {reading.pos for reading in wordnet.readings(last.lower())}
    if last.lower() in _NO_NOUN:
        return False
    named = last[:1].isupper() or last[:1].isdigit() or last.endswith(("%", ")"))
    return (named or "n" in kinds or last.lower() in TERMS) and _simple(question, low, high, noun=True)


def _simple(question: ParsedQuestion, low: int, high: int, noun: bool = False) -> bool:
    """Has this stretch no verb but the question's own, and no clause without a word to begin it?"""
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
