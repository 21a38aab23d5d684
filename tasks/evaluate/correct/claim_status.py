"""How a number or a name stands in an answer: stated, denied, doubted, compared with, offered beside others."""

import re

_CLAUSE = re.compile(r"[;!?\n:]|\.(?=\s|$)|,(?=\s)|\b(?:but|however|although|though|whereas|while)\b", re.IGNORECASE)
_SENTENCE = re.compile(r"[!?\n]|(?<!\b[A-Z])(?<!\bInc)(?<!\bCorp)(?<!\bCo)(?<!\bLtd)(?<!\bNo)\.(?=\s|$)")
_DENIES = re.compile(
    r"\bnot (?!(?:only|just|merely|less|more|fewer)\b)|n't\b|\b(?:never|neither|nor|rather than|"
    r"instead of|other than|no longer|"
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
    r"\b(?:from|against|(?<!more )(?<!less )(?<!fewer )(?<!greater )(?<!higher )than)\s+(?:(?:an?|"
    r"the|about|approximately|roughly|some|only|just|nearly|almost|net|"
    r"loss|income|profit|revenues?|sales|of|prior|previous|last|year|years?|year's|level|revised|restated|its|their|around|low|high)\s+)*(?:\$|€|£)?\s*$",
    re.IGNORECASE,
)
_CHANGES = re.compile(
    r"\b(?:increas\w+|decreas\w+|rose|rising|grew|growing|fell|up|down|climb\w+|dropp\w+|declin\w+|improv\w+|growth|drop|gain|change[ds]?|rise|decline|reduc\w+)\s+(?:by|of)?\s*"
    r"(?:(?:about|approximately|roughly|some|nearly|almost|another)\s+)?$",
    re.IGNORECASE,
)
_FORMER = re.compile(r"\b(?:formerly|previously|former|until|once|used to be|prior to|before)\b", re.IGNORECASE)
_LINKS = re.compile(
    r"^[\s\W]*(?P<by>or|and/or|to|and|through|nor|-|,|;|\||/)?[\s\W]*(?:(?:or|and|perhaps|maybe|possibly|either|also|about|approximately|roughly|around|nearly|some|alternatively)[\s\W]*){0,3}$",
    re.IGNORECASE,
)
_NEGATIVE = re.compile(
    r"\b(?:loss(?:es)?|negative|minus|deficit|decreas\w+|declin\w+|fell|fallen|dropp?\w*|down|outflows?|reduc\w+|lower(?:ed)?|"
    r"shr[aiu]nk|contract(?:ed|ion)|used|expenses?|charges?|paid|repa\w+|payments?|purchas\w+|repurchas\w+|write-?(?:down|off)s?|"
    r"impairments?|shortfall|accumulated deficit|debit)\b",
    re.IGNORECASE,
)
_BELOW = re.compile(
    r"\b(?:loss(?:es)?|negative|minus|deficit|decreas\w+|declin\w+|fell|fallen|dropp?\w*|outflows?|shr[aiu]nk)\b",
    re.IGNORECASE,
)
_ABOUT = (
    r"(?:about|approximately|approx\.?|around|roughly|some|circa|ca\.|~|an estimated|estimated|"
    r"total(?:s|ed|ing)? (?:of )?)"
)
_BOUND = re.compile(
    rf"(?:\b(?P<more>more than|over|above|exceed(?:s|ed|ing)?|in excess of|greater than|upwards of|"
    rf"at least|no less than|not less than|a minimum of)"
    r"|\b(?P<less>less than|under|below|fewer than|at most|"
    r"(?<!ed )(?<!rose )(?<!went )(?<!grew )(?<!came )(?<!pick )(?<!king )(?<!edge )(?<!move )(?<!go )(?<!tick )"
    r"(?<!inch )(?<!rise )(?<!climb )up to|"
    r"no more than|not more than|a maximum of|short of|nearly|almost|just under)"
    rf"|(?P<gt>>=?)|(?P<lt><=?))\s*(?:{_ABOUT}\s*)?$",
    re.IGNORECASE,
)  # fmt: skip


FAR = 400  # characters: what stands further away is no part of what is said of a place


def clause(text: str, start: int) -> str:
    """What stands before a place, from the beginning of its clause."""
    begin = max(start - FAR, 0)
    for hit in _CLAUSE.finditer(text, begin, start):
        begin = hit.end()
    return text[begin:start]


def sentence(text: str, start: int) -> tuple[int, int]:
    """Where the sentence of a place begins and ends."""
    begin, end = max(start - FAR, 0), min(start + FAR, len(text))
    for hit in _SENTENCE.finditer(text, begin, end):
        if hit.end() <= start:
            begin = hit.end()
        elif hit.start() >= start:
            end = hit.end()
            break
    return begin, end


def denied(text: str, start: int, end: int) -> bool:
    """Is it said not to be so?"""
    hits = list(_DENIES.finditer(clause(text, start)))
    if _SAVE.search(text[max(start - 80, 0) : start]):
        return True
    near = bool(hits) and len(clause(text, start)[hits[-1].end() :].split()) <= 7
    return near or _DENIED.match(text[end : end + 80]) is not None


def doubted(text: str, start: int) -> bool:
    """Is it asked, or supposed, rather than said?"""
    begin, end = sentence(text, start)
    return text[begin:end].rstrip().endswith("?") or _DOUBTS.search(clause(text, start)) is not None


def compared(gap: str) -> bool:
    """Does the stretch before it make it what something else is compared with, or changed by?"""
    if _FROM.search(gap):
        return True
    hits = list(_COMPARES.finditer(gap))
    return bool(hits) and len(gap[hits[-1].end() :].split()) <= 8


def changed(gap: str) -> bool:
    """Is it said by how much something changed, rather than how much it is?"""
    return _CHANGES.search(gap) is not None


def former(text: str, start: int, end: int) -> bool:
    """Is it what something was before ("from A to B", "formerly A")?"""
    before = clause(text, start)
    moved = re.search(r"\bfrom\s+(?:the\s+)?$", before, re.IGNORECASE) and re.match(
        r"\W*(?:\w+\W+){0,2}?to\b", text[end:]
    )
    once = _FORMER.search(before)
    return bool(moved) or (once is not None and len(before[once.end() :].split()) <= 3)


def link(gap: str) -> str:
    """What joins two neighbours with nothing else between them: or | to | and | beside; "" where more stands there."""
    hit = _LINKS.match(gap) if len(gap) <= 80 else None
    if hit is None:
        return ""
    by = (hit["by"] or "").lower()
    if re.search(r"\b(?:or|alternatively|perhaps|maybe|possibly|nor)\b", gap, re.IGNORECASE):
        return "or"
    return {"to": "to", "-": "to", "through": "to", "and": "and"}.get(by, "beside")


def negative(gap: str) -> str:
    """below: the words before it say that it is less than nothing; out: that it may be printed so; "" neither."""
    return "below" if _BELOW.search(gap) else "out" if _NEGATIVE.search(gap) else ""


def bound(before: str) -> str:
    """more | less where a number is said to be a bound, "" where it is the number itself."""
    hit = _BOUND.search(before[-120:])
    if hit is None:
        return ""
    return "more" if hit["more"] or hit["gt"] else "less"
