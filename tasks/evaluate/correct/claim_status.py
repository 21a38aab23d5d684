"""How an answer uses a number or a name: stated, denied, doubted, compared; and the outcome of a rule."""

import re
from dataclasses import dataclass

_CLAUSE = re.compile(r"[;!?\n:]|\.(?=\s|$)|,(?=\s)|\b(?:but|however|although|though|whereas|while)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<![(\[\"'])[!?]|\n|(?<!\b[A-Z])(?<!\bInc)(?<!\bCorp)(?<!\bCo)(?<!\bLtd)(?<!\bNo)\.(?=\s|$)")
_DENIES = re.compile(
    r"\bnot (?!(?:only|just|merely|less|more|fewer|later|earlier|sooner|longer|(?:to )?exceed(?:ing)?)\b)|"
    r"n't\b|\b(?:never|neither|nor|rather than|"
    r"instead of|other than|no longer(?! than)|"
    r"excluding|except(?: for)?|unlike|cannot|incorrect(?:ly)?|wrong(?:ly)?|false(?:ly)?|mistaken(?:ly)?|"
    r"unrelated to)\b",
    re.IGNORECASE,
)
_SAVE = re.compile(
    r"\b(?:any\w*|all|every\w*|no|none|nobody|nothing)\b[^.;,]{0,40}\bbut\s+(?:the\s+)?$|\brather\b[^.;]{0,60}\bthan\s+(?:(?:in|the|at|of|by)\s+)*$",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"^\W{0,3}(?:[\w%]+\s){0,2}?(?:(?:is|was|are|were|would be|seems|appears)\s(?:not|incorrect|wrong|false|inaccurate|"
    r"a (?:common )?(?:mistake|error|misconception)|unsupported|unverified)\b|(?:is|was|are|"
    r"were)n't\b)|^\s?\((?:wrong|incorrect|false|no)\)",
    re.IGNORECASE,
)
_DOUBTS = re.compile(r"\b(?:if|whether|assuming|suppose|supposing|had it been|would have been|unless)\b", re.IGNORECASE)
_COMPARES = re.compile(
    r"\b(?:versus|vs|compared (?:to|with)|relative to|in contrast to|exceeding|surpassing|above|"
    r"below|following|prior[- ]year|"
    r"previous(?:ly)?|last year|(?:year|quarter|month)s? (?:earlier|ago|before)|guidance|forecast|"
    r"expected|budget(?:ed)?|target)\b",
    re.IGNORECASE,
)
# "from a loss of $5": what stands right before it
_FROM = re.compile(
    r"\b(?:from|against|(?<!more )(?<!less )(?<!fewer )(?<!greater )(?<!higher )"
    r"(?<!later )(?<!earlier )(?<!sooner )(?<!longer )than)"
    r"\s+(?:(?:an?|"
    r"the|about|approximately|roughly|some|only|just|nearly|almost|net|"
    r"loss|income|profit|revenues?|sales|of|prior|previous|last|year|years?|year's|level|revised|restated|its|their|around|low|high)\s+)*(?:\$|€|£)?\s*$",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:increas\w+|decreas\w+|rose|rising|grew|growing|fell|"
    r"(?<!\bmade )(?<!\bmake )(?<!\bmakes )(?<!\bmaking )(?<!\badds )up|"
    r"down|climb\w+|dropp\w+|declin\w+|improv\w+|growth|drop|gain|change[ds]?|rise|decline|reduc\w+)\s+(?:by|of)?\s*"
    r"(?:(?:about|approximately|roughly|some|nearly|almost|another)\s+)?$",
    re.IGNORECASE,
)
UP = r"increas\w*|rose|ris(?:e|es|ing)|gr[eo]w\w*|up|gain\w*|climb\w*|higher"
DOWN = r"decreas\w*|fell|fall(?:s|en|ing)?|down|dropp?\w*|declin\w*|reduc\w*|shr[aiu]nk|lower"
_RISES, _FALLS = (re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for words in (UP, DOWN))
_WAYS = (
    re.compile(rf"\b(?:{UP.replace('up|', '')}|up(?! to\b)|rais\w+|lift\w+|hik\w+)\b", re.IGNORECASE),
    re.compile(rf"\b(?:{DOWN}|cut|cuts|lowered|trimmed)\b|(?<![\w\d)])[-−]\s?\d", re.IGNORECASE),
    re.compile(
        r"\b(?:unchanged|(?:held|kept|left|remained|stayed) (?:\w+ )?(?:steady|flat|unchanged|at))\b", re.IGNORECASE
    ),
)
# A denial anywhere; and what leaves open of whom something is said: denials, contrasts, choices, doubts
NEGATION = re.compile(r"\b(?:not|no|none|never|nor|neither|cannot)\b|n't\b", re.IGNORECASE)
TURNS = re.compile(
    rf"{NEGATION.pattern}|\b(?:or|either|but|however|while|whereas|although|unlike|without|except|excluding|other than|"
    r"only if|unless|whether|unclear|may|might|could|would|possibly|perhaps|probably|likely)\b",
    re.IGNORECASE,
)
_FORMER = re.compile(r"\b(?:formerly|previously|former|until|once|used to be|prior to|before)\b", re.IGNORECASE)
_LINKS = re.compile(
    r"^[\s\W]*(?P<by>or|and/or|to|and|through|nor|-|,|;|\||/)?[\s\W]*(?:(?:or|and|perhaps|maybe|possibly|either|also|about|approximately|roughly|around|nearly|some|alternatively)[\s\W]*){0,3}$",
    re.IGNORECASE,
)
_BELOW = re.compile(
    r"\b(?:loss(?:es)?|los(?:e|es|t|ing)|negative|minus|deficit|decreas\w+|declin\w+|fell|fallen|dropp?\w*|outflows?|"
    r"shr[aiu]nk)\b",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    rf"{_BELOW.pattern}|\b(?:down|reduc\w+|lower(?:ed)?|contract(?:ed|ion)|used|expenses?|charges?|paid|repa\w+|payments?|spen[dt]\w*|"
    r"(?:re)?purchas\w+|write-?(?:down|off)s?|impairments?|shortfall|debit)\b",
    re.IGNORECASE,
)
_COMES_IN = re.compile(r"\b(?:provid\w*|generat\w*|receiv\w*|inflows?)\b", re.IGNORECASE)
_GOES_OUT = re.compile(r"\b(?:us(?:e|es|ed)|spen[dt]\w*|outflows?)\b", re.IGNORECASE)  # "using" says how it was found
_COUNTERPARTS = (
    ("income", "expenses?"),
    ("assets?", "liabilit(?:y|ies)"),
    ("receivables?", "payables?"),
    ("basic", "diluted"),
    ("short-term", "long-term"),
)
_ABOUT = (
    r"(?:about|approximately|approx\.?|around|roughly|some|circa|ca\.|~|an estimated|estimated|"
    r"total(?:s|ed|ing)? (?:of )?)"
)
_BOUND = re.compile(
    rf"(?:\b(?P<more>more than|over|above|exceed(?:s|ed|ing)?|in excess of|greater than|upwards of|"
    rf"at least|(?:no|not) (?:less|fewer) than|a minimum of)(?<!not exceed)(?<!not exceeding)"
    r"|\b(?P<less>(?:less|fewer) than|under|below|at most|"
    r"(?<!ed )(?<!rose )(?<!went )(?<!grew )(?<!came )(?<!pick )(?<!king )(?<!edge )(?<!move )(?<!go )(?<!tick )"
    r"(?<!inch )(?<!rise )(?<!climb )up to|"
    r"no more than|not more than|not (?:to )?exceed(?:ing)?|a maximum of|short of|nearly|almost|just under)"
    rf"|(?P<gt>>=?)|(?P<lt><=?))\s*(?:{_ABOUT}\s*)?$",
    re.IGNORECASE,
)  # fmt: skip


FORBIDS = re.compile(  # "no person shall hold more than 4", "may not exceed"
    r"\b(?:(?:shall|must|may|can|could|should|will|would|do|does|did) not|cannot|n't|never"
    r"|no \w+ (?:shall|must|may|can|could|should|will))\b",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\W*(?:(?:no|none|neither|nothing|(?P<both>both|either))(?: of (?:them|these|those|the (?:two|three|above)))?"
    r"|no ?(?:one|body))\W*",
    re.IGNORECASE,
)
YES_NO_QUESTION = re.compile(
    r"\W*(?:is|are|was|were|does|do|did|has|have|had|can|could|may|must|will|would|should)\b", re.IGNORECASE
)
FAR = 400  # characters on each side that may belong to a claim


def clause_before(text: str, start: int) -> str:
    """Return the text from the beginning of a clause to a place in it."""
    begin = max(start - FAR, 0)
    for hit in _CLAUSE.finditer(text, begin, start):
        begin = hit.end()
    return text[begin:start]


def is_in_brackets(text: str, at: int) -> bool:
    """Return whether a place of a text is within round brackets."""
    return text.rfind("(", 0, at) > text.rfind(")", 0, at)


def sentence_bounds(text: str, start: int) -> tuple[int, int]:
    """Return where the sentence around a place begins and ends."""
    begin, end = max(start - FAR, 0), min(start + FAR, len(text))
    for hit in _SENTENCE.finditer(text, begin, end):
        if hit.end() <= start:
            begin = hit.end()
        elif hit.start() >= start:
            end = hit.end()
            break
    return begin, end


def says_none(text: str, both: bool = True) -> bool:
    """Return whether an answer says none or no, and no more; or, with `both`, that it is both."""
    hit = _NONE.fullmatch(text)
    return hit is not None and (both or not hit["both"])


def is_denied(text: str, start: int, end: int) -> bool:
    """Return whether the words from `start` to `end` are denied."""
    before = clause_before(text, start)
    hits = list(_DENIES.finditer(before))
    return (
        (bool(hits) and len(before[hits[-1].end() :].split()) <= 7)
        or _SAVE.search(text[max(start - 80, 0) : start]) is not None
        or _DENIED.match(text[end : end + 80]) is not None
    )


def is_doubted(text: str, start: int) -> bool:
    """Return whether the words at `start` are part of a question or a supposition."""
    begin, end = sentence_bounds(text, start)
    return (
        re.search(r"(?<![(\[\"'])\?\s*$", text[begin:end]) is not None
        or _DOUBTS.search(clause_before(text, start)) is not None
    )


def is_compared(gap: str, asked: str = "") -> bool:
    """Return whether the text before a value makes it the other side of a comparison ("compared with", "from").

    Words that the question itself has ("the target for the rate") compare nothing.
    """
    if _FROM.search(gap):
        return True
    hits = [hit for hit in _COMPARES.finditer(gap) if hit[0].casefold() not in asked.casefold()]
    return bool(hits) and len(gap[hits[-1].end() :].split()) <= 8


def is_change(gap: str) -> bool:
    """Return whether the text before a value makes it the size of a change ("rose by")."""
    return _CHANGES.search(gap) is not None


def is_former(text: str, start: int, end: int) -> bool:
    """Return whether the words are a former state ("from A to B", "formerly A")."""
    before = clause_before(text, start)
    moved = re.search(r"\bfrom\s+(?:the\s+)?$", before, re.IGNORECASE) and re.match(
        r"\W*(?:\w+\W+){0,2}?to\b", text[end:]
    )
    once = _FORMER.search(before)
    return bool(moved) or (once is not None and len(before[once.end() :].split()) <= 3)


def joining_word(gap: str) -> str:
    """Classify the text between two neighbours: or | to | and | beside; "" where it is more than a conjunction."""
    hit = _LINKS.match(gap) if len(gap) <= 80 else None
    if hit is None:
        return ""
    by = (hit["by"] or "").lower()
    if re.search(r"\b(?:or|alternatively|perhaps|maybe|possibly|nor)\b", gap, re.IGNORECASE):
        return "or"
    return {"to": "to", "-": "to", "through": "to", "and": "and"}.get(by, "beside")


def negative_wording(gap: str) -> str:
    """Return "below" where words before a value mean a negative one, "out" where they may, "" where not."""
    return "below" if _BELOW.search(gap) else "out" if _NEGATIVE.search(gap) else ""


def stated_direction(gap: str, behind: str) -> int:
    """Return 1 or -1 where the words next to a value make it a rise or a fall ("up 4%", "a 4% decrease"), else 0."""
    hit = _CHANGES.search(gap)
    return asked_direction(hit[0] if hit else " ".join(behind.split()[:1]))


def asked_direction(text: str) -> int:
    """Return 1 or -1 where a text speaks of a rise or a fall and not of both, else 0."""
    return bool(_RISES.search(text)) - bool(_FALLS.search(text))


def moves_otherwise(text: str, form: str) -> bool:
    """Return whether a gold form says that something rose, fell or stayed, and a text another of these alone."""
    wanted, said = ({way for way, words in enumerate(_WAYS) if words.search(one)} for one in (form, text))
    return len(wanted) == len(said) == 1 and wanted != said and not NEGATION.search(text)


def cash_flow(text: str) -> int:
    """Return 1 or -1 where a text speaks of money that comes in or goes out and not of both, else 0."""
    return bool(_COMES_IN.search(text)) - bool(_GOES_OUT.search(text))


def is_of_counterpart(gap: str, asked: str) -> bool:
    """Return whether words before a value name the counterpart of what is asked ("expense" for "income")."""
    named, wanted = (
        [[re.search(rf"\b{word}\b", text, re.IGNORECASE) is not None for word in pair] for pair in _COUNTERPARTS]
        for text in (gap, asked)
    )
    return any(sum(mine) == sum(theirs) == 1 and mine != theirs for mine, theirs in zip(named, wanted, strict=True))


def stated_bound(before: str) -> str:
    """Return "more" or "less" where the text before a number makes it a lower or upper bound, else ""."""
    hit = _BOUND.search(before[-120:])
    if hit is None:
        return ""
    more = bool(hit["more"] or hit["gt"])
    denied = hit["more"] and FORBIDS.search(clause_before(before, len(before) - len(hit[0])))
    return "more" if more and not denied else "less"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a rule: right, wrong, or open, when `why` says what a judge must decide."""

    verdict: str  # right | wrong | open
    stage: str = ""  # exact | contained | value
    matched: str = ""  # the words of the answer that match the gold answer
    why: str = ""
    covered: float = 0.0  # share of the gold answer's parts that are right


def right(stage: str, matched: str, why: str = "") -> Outcome:
    return Outcome("right", stage, matched, why, 1.0)


def wrong(why: str, matched: str = "") -> Outcome:
    return Outcome("wrong", "value", matched, why)


def unclear(why: str, matched: str = "", covered: float = 0.0) -> Outcome:
    return Outcome("open", "", matched, why, covered)
