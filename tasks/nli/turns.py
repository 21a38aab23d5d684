"""What turns, weakens or bounds a statement, by class, in all the ways that rewriting has of saying it.

Other than marks.py, which counts words, this asks whether a whole block of sentences still does a thing at all: each
class has the words that do it plainly and those that may do it too. What one text does plainly the other must at
least do in a way.
"""

import re
from collections import Counter
from collections.abc import Iterator

from rarefy.tasks.nli.blocks import stem
from rarefy.tasks.nli.figures import figured
from rarefy.tasks.nli.kept import small

# class -> (plainly, in a way)
_SAID: dict[str, tuple[str, str]] = {
    "NOT": (
        r"not(?! only| merely| just| limited| necessarily the only)|n['’]t"
            r"|no(?! exception| later| more than| less than| fewer|\.)|never"
        r"|none|nobody|nothing|neither|nor|without|cannot",
        r"un(?!der|til|less|ited|i[vtqo])\w{3,}|non-?\w{3,}"
            r"|in(?:ability|eligible|sufficient|effective|complete|adequate|direct)\w*"
            r"|dis(?:allow|continu|approv)\w*"
        r"|lack\w*|fail\w*|refus\w*|refrain\w*|exclu\w*|except\w*|free|away|regardless|unless|until"
            r"|stop\w*|shortage\w*|cease\w*|other than|others?"
        r"|away from|absen\w+|miss\w*|den(?:y|ie[sd]|ial)|prohibit\w*|forbid\w*|ban(?:s|ned)?|prevent\w*"
            r"|avoid\w*|outside|beyond|hardly|barely|seldom"
        r"|rarely|exhaust\w*|withh\w+|exempt\w*|instead|rather|remov\w*|barred|once|only|maximum"
            r"|exceed\w*|limit\w*|unanim\w*|less|zero|\w+less|reject\w*",
    ),
    "MAY": (
        r"may|might|could|possibl[ye]|possibilit(?:y|ies)|potential(?:ly)?|perhaps|maybe|risks?",
        r"can|likel\w*|liable|probabl\w*|able|capable|permit\w*|allow\w*|let|lets|enabl\w*|choos\w*"
            r"|choice|options?|elect|opportunit\w*|open to|authori[sz]\w*"
        r"|wish\w*|sometimes|uncertain\w*|guarantee\w*|whether|eligib\w*|discretion\w*|entitled|expos\w*"
            r"|right to|rights|free to|access|draw on|if|as needed",
    ),
    "MUST": (
        r"must|shall|required|requires?|obliged?|obligated|mandatory|mandates?|ha(?:s|ve|d) to|compulsory",
        r"should|ought|need\w*|necessar\w*|obligat\w*|payable|due|owe[sd]?|commit\w*|duty|requir\w*"
            r"|oblig\w*|mandat\w*|is to|are to|be to|subject to"
        r"|will have|demand\w*|call\w* for|prescrib\w*|incumbent|condition\w*|responsib\w*|bound"
            r"|promis\w*|may not|can ?not|not be|insist\w*|exhaust\w*|no \w+ until|has until|have until|only",
    ),
    "SHOULD": (r"should|ought",
        r"must|need\w*|believ\w*|want\w*|recommend\w*|shall|had better|proper\w*|appropriate|fair\w*"
        r"|would|if|were to|aim\w*"),
    "IF": (
        r"if|unless|provided that|assuming|in the event|contingent|except|excluding|other than|as long as|on condition",
        r"whether|subject to|when\w*|where\w*|once|until|in case|should|those|such|depend\w*|but|apart"
            r"|only|exclu\w*|without|not|otherwise|exempt\w*|though|assum\w*"
        r"|circumstances?|upon|every time|with|who|which|any|were|applicable|conditions?|contingen\w*"
            r"|then|given|prerequisite|provid\w*|so far as|besides|save|instead|while",
    ),
    "ONLY": (r"only|solely|exclusively",
        r"sole|limited|alone|exclusiv\w*|just|merely|no (?:one |other|more)|except|nothing|unless|until"
        r"|not|must|restrict\w*|unique\w*|single|confin\w*|never|unless"),
    "INTENT": (
        r"expect(?:s|ed)?|plan(?:s|ned)? to|intends?|anticipates?|anticipated|projected to",
        r"will|would|may|might|could|should|believ\w*|estimat\w*|likel\w*|hop\w*|goal\w*|plan\w*"
            r"|intent\w*|intention\w*|expect\w*|anticipat\w*|predict\w*|to be|project\w*"
        r"|tr(?:y|ies)|striv\w*|endeavou?r\w*|prospect\w*|wants?|look\w*|set to|future|aim\w*|want\w*"
            r"|meant|design\w*|due|propos\w*|seek\w*|about to|outlook|shall|foresee\w*|scheduled",
    ),
    "ALL": (r"all|every|each|entire|always|whole|both",
        r"any\w*|unanim\w*|complete\w*|total|full\w*|throughout|across|whichever|whatever|everyone"
        r"|everywhere|everything|no|none|not|without|alike|together|respective\w*"
            r"|never|neither|individual\w*|per|either|two|one|globe|world\w*|the|these|those|any"),
    "SAYS": (r"alleg(?:e[sd]?|ations?|edly)|claim(?:s|ed)(?= that)|den(?:y|ies|ied)|suspect(?:s|ed)?",
        r"claim\w*|argu\w*|assert\w*|accus\w*|contend\w*"
        r"|said|says?|reject\w*|accord\w*|suppos\w*"
        r"|report\w*"),
    "PARTLY": (r"part(?:ly|ially)|in part|half of",
        r"part|some|contribut\w*|among|half|portion|share|one (?:reason|of)|also|including|chiefly"
        r"|main\w*|together|degree|extent|certain|factor\w*|helped|several|both"),
}  # fmt: skip
_TOLD = {"MAY": "a possibility", "MUST": "a duty", "SHOULD": "an advice", "IF": "a condition or exception",
         "ONLY": "an only",
         "INTENT": "an expectation", "SAYS": "a claim of somebody", "ALL": "an all", "PARTLY": "a part"}  # fmt: skip
# of a purpose or a relative clause: "means by which they may be controlled" is no more than "means to control them"
_PURPOSE = re.compile(
    r""
    r""
    r""
    r"\b((?:so that|in order that|which|whereby|that|whom|such \w+ as|as|where|to the end that)"
    r"(?: \w+){0,4} )(?:may|might|could|should)\b",
    re.IGNORECASE,
)
_BOUNDS = {
    "MOST": r"at most|no more than|not more than|up to|not (?:to )?exceed(?:ing)?|no later than"
    r"|(?:a )?maximum of|as (?:much|many) as|not over|not above",
    "LEAST": r"at least|no less than|not less than|no fewer than|not fewer than|(?:a )?minimum of|as little as"
    r"|not under|not below",
    "OVER": r"more than|greater than|over|above|exceed(?:s|ed|ing)?|in excess of|higher than|larger than"
    r"|longer than|upwards of|surpass(?:es|ed|ing)?|beyond|past|better than",
    "UNDER": r"less than|fewer than|under|below|lower than|smaller than|shorter than|short of",
    "ABOUT": r"approximately|about|around|roughly|nearly|almost|some|circa|an estimated|close to|or so"
    r"|on the order of|approximat\w+|just over|just under|slightly (?:more|less) than",
}
_SIDES = {
    "UP": r"increas\w*|rise|rises|rose|risen|rising|grew|grown|growing|grows|grow|growth|climb\w*|higher"
        r"|gain(?:s|ed)?|expand\w*|expansion|improv\w*|strengthen\w*|stronger|appreciat\w+"
    r"|surg\w+|soar\w*|upward|upturn|rais(?:e|es|ed|ing)|uptick|rebound\w*|accelerat\w*|enlarg\w*"
        r"|swell\w*|widen\w*|more",
    "DOWN": r"decreas\w*|declin\w*|fell|fallen|falls|falling|drop(?:s|ped|ping)?|shr[aiu]nk\w*|diminish\w*"
        r"|reduc\w*|lower\w*|lessen\w*|weaken\w*|weaker|deteriorat\w*|worsen\w*|contract(?:ed|ion|s)"
    r"|slow(?:ed|s|er|ing|down)?|slump\w*|plung\w*|downward|downturn|dwindl\w*|depreciated|narrow\w*"
        r"|less|fewer|loss(?:es)?|cut|cuts|shed|went down|goes down|go down|smaller",
    "MANY": r"many|most|majority|numerous|plenty|a lot|lots|mostly|often|frequently|usually|all|every|each|always",
    "FEW": r"few|little|minority|hardly|seldom|rarely|some|certain|none|neither|sometimes|no",
    "BEFORE": r"before|prior to|preceding|ahead of|earlier than|until|pre-\w+|previous\w*",
    "AFTER": r"after\w*|following|subsequent\w*|since|later than|once|post-\w+|thereafter|then|next|upon|when",
}  # fmt: skip


def _joined(said: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{said})(?![\w-])", re.IGNORECASE)


_PLAIN = {name: _joined(plain) for name, (plain, _) in _SAID.items()}
_ANY = {name: _joined(f"{plain}|{soft}") for name, (plain, soft) in _SAID.items()}
_SOFT_NOT = _joined(_SAID["NOT"][1])
_SIDED = {name: _joined(said) for name, said in _SIDES.items()}
_BOUND = re.compile(
    r"\b(?:" + "|".join(f"(?P<{name}>{said})" for name, said in _BOUNDS.items()) + r")\b", re.IGNORECASE
)


@small
def turns(text: str) -> tuple[Counter[str], Counter[str], frozenset[str]]:
    """How often a text does each thing plainly, how often in any way, and which sides it takes."""
    text = re.sub(r"\bcan(?:no|'|’)t\b", "can not", text, flags=re.IGNORECASE)
    text = _PURPOSE.sub(r"\g<1>can", text)
    plain = Counter({name: len(pattern.findall(text)) for name, pattern in _PLAIN.items()})
    ways = Counter({name: len(pattern.findall(text)) for name, pattern in _ANY.items()})
    return plain, ways, frozenset(name for name, pattern in _SIDED.items() if pattern.search(text))


def turned(asked: str, said: str, near: bool, about_asked: str = "", about_said: str = "") -> Iterator[tuple[str, str]]:
    """What one block does and the other does not: (label, why).

    `near`: the two are all but the same words. `about_...`: the block with its neighbours, to which rewriting may have
    moved a word.
    """
    (plain, ways, sides), (plain_said, ways_said, sides_said) = turns(asked), turns(said)
    wide, wide_said = (ways, ways_said) if near else (turns(about_asked or asked)[1], turns(about_said or said)[1])
    extra = plain["NOT"] - plain_said["NOT"]
    # a negation more in the one must be a negation in a way ("unsecured") more in the other
    if extra and (near or extra * (ways["NOT"] - ways_said["NOT"]) > 0):
        yield "changed", "a negation came" if extra > 0 else "a negation went"
    for name in _SAID:
        if name == "NOT":
            continue
        if name == "ALL" and not near:  # what is said of all is as often said of "the"
            continue
        if plain[name] and not (plain_said if near else wide_said)[name]:
            yield "not_shown", f"{_TOLD[name]} came"
        if plain_said[name] and not (plain if near else wide)[name]:
            yield "not_shown", f"{_TOLD[name]} went"
    for one, contrary in (("UP", "DOWN"), ("BEFORE", "AFTER"), ("MANY", "FEW")):
        for here, there in ((one, contrary), (contrary, one)):
            if one == "MANY" and not near:
                continue
            if here in sides and here not in sides_said and there in sides_said and (near or there not in sides):
                yield "changed", f"{here.lower()} for {there.lower()}"


_QUANTIFIED = re.compile(
    r""
    r""
    r""
    r"\b(?:(?P<ALL>all|every|each|any|both|entire)|(?P<SOME>some|certain|several)"
    r"|(?P<MANY>many|most|numerous|majority of)"
    r"|(?P<FEW>few|fewer|little)|(?P<NONE>no|neither|none of))\s+(?:of\s+)?(?:the\s+|these\s+"
    r"|those\s+|its\s+|our\s+|their\s+)?(?P<what>[\w-]+)",
    re.IGNORECASE,
)


@small
def quantified(text: str) -> dict[str, frozenset[str]]:
    """What a text says all, some, many, few or none of, by stem."""
    found: dict[str, set[str]] = {}
    for hit in _QUANTIFIED.finditer(text):
        found.setdefault(stem(hit["what"].lower().removesuffix("s")), set()).add(
            str(hit.lastgroup if hit.lastgroup != "what" else next(k for k in _QUANTITIES if hit[k]))
        )
    return {what: frozenset(kinds) for what, kinds in found.items()}


_QUANTITIES = ("ALL", "SOME", "MANY", "FEW", "NONE")


def otherwise_quantified(asked: str, said: str) -> Iterator[str]:
    """Things that both texts say a quantity of, and not the same."""
    there = quantified(said)
    here = quantified(asked)
    for what, kinds in here.items():
        if what in there and kinds.isdisjoint(there[what]):
            yield f"{'/'.join(sorted(kinds))} for {'/'.join(sorted(there[what]))} of {what}".lower()
    told = [{kind for kinds in side.values() for kind in kinds} & {"FEW"} for side in (here, there)]
    if told[0] != told[1]:
        yield "few came" if told[0] else "few went"


def bounds(text: str) -> dict[str, set[str]]:
    """What bounds each figure of a text: MOST, LEAST, OVER, UNDER, ABOUT, BEFORE, AFTER or ""."""
    marked_, figures = figured(text)
    found: dict[str, set[str]] = {}
    for mark in re.finditer(r"\x02(\d+)\x03", marked_):
        figure = figures[int(mark[1])]
        before, after = (
            re.sub(r"[\x02\x03]", " ", side)
            for side in (marked_[max(mark.start() - 60, 0) : mark.start()], marked_[mark.end() : mark.end() + 60])
        )
        found.setdefault(figure, set()).add(bound(before, after, figure.startswith("@")))
    return found


def otherwise_bounded(asked: str, said: str) -> Iterator[str]:
    """Figures of both texts that are bounded otherwise: "at least 5" for "5"."""
    there = bounds(said)
    for figure, kinds in bounds(asked).items():
        others = there.get(figure)
        if others and kinds.isdisjoint(others) and {*kinds, *others} - {"", "ABOUT"}:
            is_, was = (" or ".join(sorted(side)).lower() or "exact" for side in (kinds, others))
            yield f"{figure} is {is_}, was {was}"


def bound(before: str, after: str, date: bool = False) -> str:
    """What bounds a figure, by the words before and after it: MOST, LEAST, OVER, UNDER, ABOUT or ""."""
    if re.match(r"\W*(?:\w+\W+){0,3}?or (?:more|over|greater|longer|above|older)\b", after, re.IGNORECASE):
        return "LEAST"
    if re.match(r"\W*(?:\w+\W+){0,3}?or (?:less|fewer|under|below|shorter)\b", after, re.IGNORECASE):
        return "MOST"
    if date:
        hit = re.search(
            r""
            r""
            r""
            r"\b(?:(?P<b>before|prior to|until|no later than|by)"
            r"|(?P<a>after|since|following|from|subsequent to))\s+(?:\w+\s+){0,2}$",
            before,
            re.IGNORECASE,
        )
        return ("BEFORE" if hit["b"] else "AFTER") if hit and hit[0].split()[0].lower() not in ("by", "from") else ""
    found = [hit for hit in _BOUND.finditer(before[-48:]) if len(before[-48:][hit.end() :].split()) <= 2]
    return found[-1].lastgroup or "" if found else ""
