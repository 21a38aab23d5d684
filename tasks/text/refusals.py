"""Detect whether an answer declines to answer: by the words its protocol asks for, or by others to the same effect."""

import re
from dataclasses import dataclass

# what the protocols ask for, each of which other systems say too
OWN = ("no such info", "NO-RES", "I cannot answer the question.")
_WORD = r"(?:i|we|it|one)"
_CANNOT = (
    r"(?:can(?:not|\s?not|'t)|could(?: not|n't)|am (?:not able|unable)|(?:is|are|was) (?:not (?:able|"
    r"possible)|unable|impossible)|unable|do(?: not|n't)|did(?: not|n't)|won't|will not)"
)
_SOURCE = (  # what was shown, and no part of what a filing speaks of
    r"(?:(?:passages?|contexts?|documents?|texts?|excerpts?|sources?|article|knowledge base|search results|evidence)"
    r"|(?:provided|given|retrieved|available|above|supplied) (?:information|data|materials?|filings?|"
    r"reports?|tables?|content|details|statements?)"
    r"|(?:information|data|materials?|filings?|reports?|tables?|content|details|statements?|10-[KQ]) "
    r"(?:provided|given|retrieved|supplied|above|available))"
)
_DOCUMENT = (  # any that may have been shown
    r"(?:minutes|bylaws|polic(?:y|ies)|manual|handbook|guide(?:lines?)?|list|agreement|contract|regulations?|notes|excerpts?"
    r"|transcript|brochure|section|page|entry|leaflet|timetable|catalogue)"
)
_GENERAL = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b(?:{_WORD} (?:really |currently |simply )?{_CANNOT}|i['’]m (?:not able|unable)) "
        rf"(?:to )?(?:answer|determine|find|say|"
        rf"tell|provide|know|confirm|identify|locate|see|give|help|assist|comply|calculate|compute|compare|be (?:sure|"
        rf"certain)(?: (?:of|about|which|what|from|based)\b|\W*$)|"
        r"establish|ascertain|verify|have (?:enough|sufficient|any|the|access|that|this)|reliably|"
        r"definitively|confidently)\b",
        r"\b(?:cannot|can't|can not|could not|couldn't) be (?:answered|determined|calculated|computed|found|inferred|"
        r"derived|established|ascertained|confirmed|identified|located)\b",
        rf"\b(?:the|these|this|any|provided|given|my|our|your)\s(?:[\w-]+\s){{0,2}}?{_SOURCE}\b"
        rf"[^.;!?]{{0,60}}?\b(?:do(?:es)?(?: not|"
        rf"n't)|did(?: not|n't)|fails? to|lacks?|provides? no|contains? no|has no|have no|gives? no|"
        rf"offers? no|makes? no mention)\b",
        r"\b(?:no|not enough|(?:is|are)n't (?:enough|sufficient)|insufficient|not sufficient|"
        r"inadequate|lack of) (?:such |relevant |specific |"
        r"sufficient |enough |further |direct |explicit |clear )?(?:info(?:rmation)?|data|details?|"
        r"context|evidence|mention|answer|record)\b"
        r"(?! (?:is|are|was|were) (?:required|needed|necessary)\b)"
        r"(?:[^.;!?]{0,60}\b(?:available|provided|given|found|about|on|regarding|to answer|to determine|"
        r"in the|is|was|of)\b|\W*$)",
        rf"\b(?:is|are|was|were|has|have)(?: not|n't) (?:been )?(?:explicitly |directly |specifically |"
        rf"clearly )?(?:mentioned|stated|specified|given|provided|disclosed|available|reported|found|"
        rf"included|present|known|covered|listed|contained|answered|addressed)\b"
        rf"[^.;!?]{{0,40}}(?:\b(?:in|by|within|from|here)\b[^.;!?]{{0,40}}\b{_SOURCE}\b|\W*$)",
        r"^\W*(?:none|null|nil|n/?a|empty|no idea)\W*$",
        r"^\W*(?:sorry\W+)?(?:do(?: not|n't) know|can(?:not|'t| not) (?:tell|say))\b[^.;!?]{0,40}\W*$",
        rf"^\W*i(?:['’]m| am) afraid\b[^.;!?]{{0,80}}\b{_SOURCE} only (?:has|have|gives?|shows?|covers?)\b",
        r"^\W*(?:not (?:mentioned|stated|specified|given|provided|disclosed|available|found|known|"
        r"answerable|applicable|enough|sure|certain)|no (?:such )?answer|unanswerable"
        r"|unknown|unable to (?:answer|tell|say|determine|find))"
        r"(?:\s(?:in|from|by|to|here|based|for|within)\b[^.;!?]{0,60})?\W*$",
        rf"^\W*no (?:\w+ ){{0,2}}?(?:{_SOURCE}|results?|matches)\b[^.;!?]{{0,30}}\b(?:found|retrieved|available)\b",
        rf"^\W*there(?: is| was|['’]s) nothing (?:about|on) (?:it|this|that) in (?:the|these|our|your) {_SOURCE}\b",
        r"^\W*there(?: is| was|['’]s) nothing in (?:the|this|these)\b[^.;!?]{0,60}"
        r"\b(?:about|on|regarding|concerning)\b",
        r"\b(?:the )?answer (?:is not|isn't|was not|wasn't) (?:in|part of|contained in|among)\b",
        r"\bnone of (?:them|these|those|the \w+) (?:sa|stat|mention|giv|specif|contain|indicat|nam|provid)\w*",
        rf"\b{_SOURCE} (?:breaks? off|cuts? off|is (?:cut off|truncated)|ends|stops)\b",
        r"\b(?:is|are) silent (?:on|about|as to)\b|\bsays? nothing (?:about|on|of)\b|\bi(?: would|['’]d) be guessing\b",
        r"^\W*nothing in (?:the|this|these)\b[^.;!?]{0,60}\b(?:tells?|says?|states?|mentions?|indicates?)\b",
        rf"\bno (?:\w+ ){{1,4}}?appears? in (?:the|these|any)\b[^.;!?]{{0,30}}{_SOURCE}",
        rf"^\W*no (?:[\w-]+ ){{1,4}}?(?:is|are|was|were) (?:named|mentioned|stated|given|specified|listed|identified)\b"
        rf"[^.;!?]{{0,30}}\b{_SOURCE}\b",
        r"\b(?:the|this|these) (?:[\w-]+ ){1,3}(?:do(?:es)?|did)(?: not|n't) (?:show|say|tell|state|mention|give) "
        r"(?:who|whom|whose|which|what|when|where|how)\b",
        rf"^\W*none of the (?:\w+\s){{0,2}}?{_SOURCE}\b",
        r"\bnot possible to (?:answer|determine|calculate|compute|compare|say|tell|find|identify|know)\b",
        r"\bdo(?:es)?(?: not|n't) (?:explicitly|specifically) (?:state|mention|provide|disclose|specify|give|list)\b",
        r"\bdo(?:es)?(?: not|n't) (?:actually |clearly |directly )?(?:say|state|mention|specify|indicate|disclose|tell"
        r"(?: (?:me|us))?) (?:when|who|whom|whose|what|which|how|where|why|whether)\b",
        rf"^\W*unfortunately\b[^.;!?]{{0,200}}\b(?:i|we|{_SOURCE}|{_DOCUMENT}|information|data|details|mention|answer"
        r"|stated|specified|provided|found|available)\b",
        r"^\W*(?:i(?:['’]m| am) (?:sorry|afraid)|sorry|apologies|i apologi[sz]e)\b[^.;!?]{0,240}"
        r"(?:\b(?:not|cannot|unable|no|cut off|incomplete|without)\b|n't\b)",
        r"\bas of my (?:last|latest|most recent)?\s?(?:knowledge|training|update)[^.;!?]{0,120}"
        r"(?:\bnot\b|n't\b|\bno\b|cannot)[^.;!?]{0,40}\b(?:access|data|information|details|known|announced|released|"
        r"disclosed|published|reported|available)\b",
        rf"\bi {_CANNOT} have (?:real[- ]time|up[- ]to[- ]date|direct|current|specific|live|personal)\b",
        r"\b(?:you|it) (?:have not|haven't|did not|didn't) provided?\b",
        r"\b(?:the|this)\s(?:form\s)?(?:filings?|reports?|10-[KQ]|annual report)\s(?:do(?:es)? not|do(?:es)?n't) "
        r"(?:explicitly |specifically |directly )?(?:provide|mention|include|contain|specify|state|disclose|give)\b",
        rf"\b(?:the|this|these|our|your)\s(?:[\w-]+\s){{0,3}}?{_DOCUMENT}\b[^.,;:!?]{{0,40}}?"
        r"\sdo(?:es)?(?: not|n't) (?:\w+ly )?"
        r"(?:mention|state|say|specify|indicate|identify|address"
        r"|(?:give|list|provide|include|contain|cover) (?:it|this|that|any)\b)",
        r"\b(?:you|we|i) (?:would|will) (?:typically |first |also )?need\b",
        r"\byou would (?:typically|normally|usually)\b",
        r"\bif you (?:can |could |are able to )?(?:provide|share|supply|have access)\b|^\W*please provide\b",
        r"\bassistant (?:can't|cannot|can not|is unable)\b",
        r"\bas an? (?:ai|(?:large )?language model)\b",
        r"^\W*(?:idk\b|it (?:does not|doesn['’]t) say\b|(?:could|can) you (?:please )?(?:share|provide|send|upload)\b)",
        r"\bi (?:have no (?:idea|information|knowledge|data)|lack (?:the )?(?:information|context|data))\b",
        r"\b(?:i(?:'m| am) )not (?:sure|certain)\W*$",
        # German, French, Spanish
        r"\b(?:kann|können|konnte) (?:ich |wir )?(?:die |diese )?(?:frage )?nicht (?:beantwort\w+|"
        r"sagen|bestimm\w+|find\w+)|\bkeine (?:angaben?|information\w*|antwort)\b|\bgeht (?:aus|"
        r"nicht)\b[^.]{0,60}\bnicht hervor\b|\bich weiß (?:es )?nicht\b",
        r"\bje ne (?:peux|sais|trouve)(?: pas)?\b|\bne (?:permet|permettent|mentionne\w*|contien\w+|"
        r"précise\w*) pas\b|\baucune (?:information|réponse|mention)\b|\bimpossible de (?:répondre|déterminer)\b",
        r"\bno (?:puedo|se puede|sé|es posible) (?:responder|determinar|contestar|saber|encontrar)\b|"
        r"\bno (?:contiene|menciona|proporciona|especifica)\w*\b|\bno hay información\b",
    )
)
_FURTHER = re.compile(  # what goes on about the source after a sentence that declines
    r"^\W*(?:(?:however|but|although),? )?(?:it|they) do(?:es)?(?: not|n't) (?:seem to |appear to |also |actually )?"
    r"(?:provide|mention|include|contain|specify|state|disclose|give|have|break|single|list|say)\b",
    re.IGNORECASE,
)
# What else says that something is not stated, of what no document states
_GIVEN = r"(?:disclosed|given|reported|stated|provided|broken (?:out|down)|shown|mentioned|listed|published|available)"
_WIDER = r"(?:annual|yearly|full[- ]year|fiscal[- ]year|totals?|aggregate|consolidated|combined|company-wide|overall)"
_NOT_STATED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:do(?:es)?|did)(?: not|n't) (?:\w+ly )?(?:report|break|disclose|give|state|provide|list|include|mention|"
        r"specify|itemi[sz]e|separate|show|say)\b",
        rf"\bno (?:[\w-]+ ){{1,5}}?(?:is|are|was|were) (?:\w+ly )?{_GIVEN}\b",
        rf"\b(?:is|are|was|were)(?: not|n't) (?:\w+ly )?{_GIVEN}\b",
        r"\bonly (?:(?:reports?|gives?|discloses?|shows?|states?|provides?|lists?|contains?) )?(?:(?:the|an?|its) )?"
        rf"{_WIDER}\b",
    )
)
_IS_WIDER = re.compile(rf"\b{_WIDER}\b|\b(?:whole|entire)\b", re.IGNORECASE)
# An answer all the same: the system's own, or a guess
_STILL = re.compile(
    r"\b(?:my best (?:guess|estimate)|best guess|i(?:'d| would) (?:guess|say|estimate)|i (?:believe|"
    r"think|guess|estimate|recall|suspect)|"
    r"(?:from|based on|using|according to) my (?:own )?(?:general )?knowledge|to my knowledge|"
    r"it is likely|most likely|likely answer|probably|presumably|(?:maybe|perhaps) (?:about |around )?[$€£]?\d|"
    r"answer(?: is)?\s*:|(?:therefore|thus|hence|so),? (?:the|my) answer (?:is|would be))",
    re.IGNORECASE,
)
# A sentence that is courtesy, and one that is advice where else to look: no part of an answer
_COURTESY = (
    r"(?:(?:sure(?: thing)?|certainly|of course|absolutely|(?:(?:that is|that['’]s|what) )?(?:an? )?"
    r"(?:great|good|excellent)"
    r" question|hello|hi)(?: there)?"
    r"|(?:thanks|thank you)(?: (?:very|so) much)?(?: (?:for|again)\b[^.!?\n]{0,80})?"
    r"|(?:[^.!?\n]{0,80}, )?here(?:['’]s| is| are) (?:what i (?:found|could find|know)[^.!?:\n]{0,40}|the answer)"
    r"|(?:if you (?:have|need|want|would like)\b[^.!?\n]{0,80}, )?(?:please |just )*(?:let me know|feel free"
    r"|(?:don['’]t|do not) hesitate)\b[^.!?\n]*"
    r"|(?:i )?hope (?:this|that|it) (?:helps|answers)\b[^.!?\n]*"
    r"|(?:i(?:['’]m| am|['’]d be) |always )?(?:happy|glad) to help\b[^.!?\n]*"
    r"|(?:is there|would you like) (?:anything|something|more|further|me to)\b[^.!?\n]*)"
)
_ADVICE = (
    r"(?:please|you (?:may|might|can|could|should)(?: (?:want|wish|need|like) to)?"
    r"|i(?:['’]d| would)? (?:recommend|suggest))"
    r" (?:contact(?:ing)?|ask(?:ing)?|check(?:ing)?|consult(?:ing)?|reach(?:ing)? out|refer(?:ring)? to"
    r"|see)\b[^.!?\d]*"
)
_POLITE = re.compile(rf"\W*(?:{_COURTESY}|{_ADVICE})\W*", re.IGNORECASE)
_OPENS_POLITELY = re.compile(rf"\W*{_COURTESY}(?:[.!?:]+\s+|\s*\n\s*)(?=\S)", re.IGNORECASE)
_ENDS_POLITELY = re.compile(rf"(?:(?<=[.!?)]\s)|(?<=\n))(?:{_COURTESY}|{_ADVICE})[.!?]*\s*$", re.IGNORECASE)
_FROM_CONTEXT = re.compile(  # what was shown, as the source of what follows
    r"\W*(?:based on|according to|as (?:stated|mentioned|described|given|noted) in|per|from)\s(?:the|this|these|your)\s"
    r"(?:(?:provided|given|retrieved|above|supplied|available)\s)?"
    r"(?:contexts?|passages?|documents?|texts?|excerpts?|sources?|information|search results)"
    r"(?:\s(?:provided|given|above|you provided))?,\s+(?=\S)",
    re.IGNORECASE,
)
# An answer that goes on after a refusal, and no advice where else to look
_HOWEVER = re.compile(
    r"\b(?:however|nevertheless|nonetheless|that said|but|although|still)\b,?\s*"
    r"(?!\W*(?:you|please|i (?:recommend|suggest|would|can (?:help|provide (?:some|general|you))|could)"
    r"|it(?:'s| is) (?:important|worth|possible|recommended|best)|if|for)\b)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"(?<=[.!?])\s+|\n+|;\s+|,\s+(?=(?:maybe|perhaps) (?:about |around )?[$€£]?\d)|"
    r",?\s+\b(?:but|however|although|though|nevertheless|nonetheless|that said)\b,?\s*",
    re.IGNORECASE,
)
_APOLOGY = re.compile(
    r"^\W*(?:i(?:'m| am) sorry|sorry|apologies|i apologi[sz]e[^.,;]{0,40}|unfortunately),? but\b", re.IGNORECASE
)
# What says of a whole question that it cannot be answered, at the end of what was tried
_DECISIVE = re.compile(
    r"\b(?:cannot|can't|can not|could not|couldn't|unable|impossible|not possible|insufficient|not enough"
    r"|would need)\b",
    re.IGNORECASE,
)
# An answer beside a refusal in one sentence ("NO-RES: Tim Cook"), and what is the reason for one instead
_CLAUSE = re.compile(r"[:,]\s+|\s+[-–—]+\s+")
_REASON = re.compile(r"\W*(?:as|because|since|for|given|due|with|without|and|which|that|so)\b", re.IGNORECASE)
_MOST = 3  # courtesies at an end of a text
_SHORT = 7  # words of a refusal that says nothing else


@dataclass(frozen=True, slots=True)
class Refusal:
    """Words of refusal in an answer, and what is left beside them."""

    own: bool  # the protocol's own words, rather than others to the same effect
    rest: str  # the sentences that refuse nothing
    guess: str  # what is offered all the same, and named as one's own or a guess


def strip_courtesies(text: str) -> str:
    """The text without the courtesies that it opens and ends with; all of it where it is nothing else."""
    kept = text
    for _ in range(_MOST):
        if hit := _OPENS_POLITELY.match(kept) or _FROM_CONTEXT.match(kept):
            kept = kept[hit.end() :]
        if hit := _ENDS_POLITELY.search(kept):
            kept = kept[: hit.start()].rstrip()
    return kept.strip() if re.search(r"\w", kept) else text


def refusal(text: str, words: str, general: bool, absent: bool = False) -> Refusal | None:
    """The refusal in an answer, None where there is none; `words` are the protocol's, "" for none.

    Of what is `absent` from the documents, it is a refusal too that they do not report it, or only a wider figure.

    General words are heard sentence by sentence; an answer that merely begins like one ("No. 7 facility") is none.
    """
    joined = _APOLOGY.sub(lambda hit: hit[0].replace("but", "and"), text)
    pieces = [one for piece in _SENTENCE.split(joined) for one in _clauses(piece) if re.search(r"\w", one)]
    pieces = [piece for piece in pieces if not _POLITE.fullmatch(piece)] or pieces
    own = [bool(words) and says_so(piece, words) for piece in pieces]
    told = [mine or (general and _refuses(piece, absent)) for mine, piece in zip(own, pieces, strict=True)]
    for at in range(1, len(pieces)):
        told[at] = told[at] or (told[at - 1] and general and _FURTHER.search(pieces[at]) is not None)
    if not any(told) or not (any(own) or _governs(pieces, told)):
        return None
    rest = [piece for piece, refuses in zip(pieces, told, strict=True) if not refuses]
    still = next((hit for piece in rest if (hit := _STILL.search(piece))), None)
    guess = " ".join(rest[next(at for at, piece in enumerate(rest) if _STILL.search(piece)) :]) if still else ""
    if not guess and told[0] and not any(told[1:]):
        after = _HOWEVER.search(joined, len(pieces[0]))
        guess = " ".join(rest) if after and len(joined[after.end() :].split()) > 3 else ""
        guess = "" if absent and _IS_WIDER.search(guess) else guess
    return Refusal(any(own), " ".join(rest), guess)


def _governs(pieces: list[str], refuses: list[bool]) -> bool:
    """Whether it is the answer that is declined, rather than a detail of an answer that is given?

    So it is where the first or the last sentence says so, or at least half of them do.
    """
    return refuses[0] or 2 * sum(refuses) >= len(pieces) or (refuses[-1] and _DECISIVE.search(pieces[-1]) is not None)


def _clauses(sentence: str) -> list[str]:
    """A sentence, cut where words that protocols refuse with stand by themselves before or behind something else."""
    cuts = [*_CLAUSE.finditer(sentence)]
    if not cuts:
        return [sentence]
    first, after = sentence[: cuts[0].start()], sentence[cuts[0].end() :]
    if _alone(first) and not _REASON.match(after):
        return [first, after]
    before, last = sentence[: cuts[-1].start()], sentence[cuts[-1].end() :]
    return [before, last] if _alone(last) else [sentence]


def _alone(text: str) -> bool:
    return len(_flat(text).split()) <= _SHORT and any(says_so(text, words) for words in OWN)


def says_so(text: str, words: str) -> bool:
    """Whether the text holds a protocol's words of refusal, whatever quotes, apostrophes and hyphens they come in?"""
    wanted, said_ = _flat(words), _flat(text)
    if re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", said_):
        return True
    if wanted.startswith("i cannot answer"):  # the same sentence, said by other systems with other small words
        return (
            re.search(r"\bi (?:cannot|can not|cant|am unable to) answer (?:the|this|that|your) question\b", said_)
            is not None
        )
    return wanted == "no such info" and re.search(r"\bno such information\b", said_) is not None


def _refuses(piece: str, absent: bool) -> bool:
    if any(says_so(piece, words) for words in OWN):
        return True
    return any(pattern.search(piece) for pattern in (*_GENERAL, *(_NOT_STATED if absent else ())))


def _flat(text: str) -> str:
    plain = re.sub(r"['’‘`\"“”«»*]", "", text.casefold())
    return " ".join(re.sub(r"[\s\-_‐‑–—.,!?:;()\[\]{}]+", " ", plain).split())
