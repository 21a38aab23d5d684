"""Ask English questions in other orders, voices and frames that mean the same (IBM §3, paraphrase)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rarefy.tasks.text.dates import NAME
from rarefy.tasks.text.names import FORM
from rarefy.tasks.text.syntax import tree
from rarefy.tasks.text.syntax.statements import lemma_of
from rarefy.tasks.text.syntax.words import find_asked_verb
from rarefy.tasks.text.wordnet import inflect, past_participle, past_tense, readings

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_PERIOD = (
    rf"(?:(?:the\s+)?(?:fiscal|financial|calendar)\s+(?:year\s+)?(?:19|20)\d\d|(?:19|20)\d\d|"
    rf"{NAME}(?:\s+\d{{1,2}})?,?\s+(?:19|20)\d\d|"
    rf"the\s+(?:first|second|third|fourth)\s+quarter\s+of\s+(?:fiscal\s+(?:year\s+)?)?(?:19|20)\d\d|"
    rf"the\s+(?:fiscal\s+)?years?\s+ended\s+{NAME}\s+\d{{1,2}},\s+(?:19|20)\d\d)"
)
TIME = rf"(?:(?i:in|during|as of|at the end of|for)\s+{_PERIOD})"
UNIT = (
    r"(?:in (?:thousands|millions|billions) of (?:US|U\.S\.) dollars|in (?:US|U\.S\.) dollars|"
    r"in (?:thousands|millions|billions) of [a-z]+|as a percentage|in percent)"
)
_LEAD = re.compile(rf"^(?P<time>{TIME}), (?=(?:what|how|which|who|whose|where|by|of|in|on|did|does|is|was)\b)")
_UNIT_FIRST = re.compile(rf"^(?P<unit>(?i:{UNIT})), (?=what\b)")
_UNIT_END = re.compile(rf", (?P<unit>{UNIT})$")
_TIME_END = re.compile(rf",? (?P<time>{TIME})$")
_MEASURED = re.compile(
    rf"^[Ww]hat (?P<be>was|were|is|are) (?P<it>the [^,?]*?|[^?]*?)(?:, (?P<unit>{UNIT}),)? "
    r"(?P<of>of the (?:company|firm|entity|registrant|issuer)\b.*)$"
)
_EQUATED = re.compile(r"^[Ww]hat (?P<be>was|were|is|are) (?P<it>.+)$")
_OWNED = re.compile(r"^(?P<owner>(?:[Tt]he )?[A-Z][^'’?]*?)['’]s (?P<measure>[^'’]+|[^'’]*s['’] [^'’]+)$")
# after these an "of X" at the end would be read with the wrong word ("purchases of securities of X")
_LOOSE = re.compile(
    r"\b(?:paid|received|used|provided|recognized|related|attributable|generated|from|to|by|on)\b|[,()]"
)
_PLACE = re.compile(r" (?:for|from|in) (?:the )?[A-Z]")
_MONEY = re.compile(r"dollars")


@dataclass(frozen=True, slots=True)
class Measured:
    """The parts of "What was X's N in 2024, in dollars?"; "" for what it does not say."""

    be: str  # was | were | is | are
    measure: str  # without its owner and without an article
    owner: str = ""  # a name
    whose: str = ""  # "of the company that issued the notes"
    article: str = ""  # "the ", where the owner has no name
    time: str = ""
    unit: str = ""


def parse_measure_question(question: str) -> Measured | None:
    """The parts of a question for a measure; None for any other."""
    text = question.strip()
    if not text.endswith("?") or "\n" in text or text.count("?") > 1:
        return None
    text = text[:-1].rstrip()
    unit = ""
    if found := _UNIT_FIRST.match(text):
        unit, text = found["unit"][0].lower() + found["unit"][1:], text[found.end() :]
    lead = _LEAD.match(text)
    time = lead["time"] if lead else ""
    if lead:
        text = text[lead.end() :]
    if found := _UNIT_END.search(text):
        unit, text = found["unit"], text[: found.start()]
    if not time and (found := _TIME_END.search(text)):
        time, text = found["time"], text[: found.start()]
    if found := _MEASURED.match(text):
        whose, named = found["of"], found["it"]
        # a time at the end of a clause on the company may belong to that clause
        if not named.startswith("the ") or (unit and found["unit"]) or "of the company" in named or (time and not lead):
            return None
        inside = re.search(rf" (?P<time>{TIME})$", named)
        if inside and not time:
            time, named = inside["time"], named[: inside.start()]
        return Measured(found["be"], named[4:], "", whose, "the ", time, unit or found["unit"] or "")
    if (
        (found := _EQUATED.match(text))
        and (owned := _OWNED.match(found["it"]))
        and (_is_measure(owned["measure"]) and _is_owner(owned["owner"]) and "as stated" not in owned["measure"])
    ):
        return Measured(found["be"], owned["measure"], owned["owner"], "", "", time, unit)
    return None


def _is_measure(text: str) -> bool:
    # a clause or a predicate is no measure: "What was Apple's first computer called?"
    return (text[0].islower() or text[0] == "(") and not re.search(
        r"\b(?:that|which|who|when|where|called|named|made|known|and its)\b"
        r"|\b(?:as|with|of|for|from|to|by|in|on|at|about|like)$",
        text,
    )


def _is_owner(text: str) -> bool:
    # a name, and not what stands before another name: "the standard now named so, according to Tesla"
    return re.search(r"\b(?:according to|as|now|named|called|in|by|that|which|who)\b", text) is None


def rephrase_measure_question(it: Measured) -> Iterator[tuple[str, str]]:
    """(frame, question) for each way of asking for the measure that is known to be the same."""
    time, unit = f" {it.time}" if it.time else "", f", {it.unit}" if it.unit else ""
    time = time[:1] + time[1:2].lower() + time[2:]
    of = _of(it)
    named = f"{it.owner}'s {it.measure}" if it.owner else ""
    front = f"{it.time[0].upper()}{it.time[1:]}, " if it.time else ""
    before = f"{it.unit[0].upper()}{it.unit[1:]}, " if it.unit else ""
    does = "did" if it.be in ("was", "were") else "does" if it.be == "is" else "do"
    whole = named or of
    if named:
        if front:
            yield "time first", f"{front}what {it.be} {named}{unit}?"
        if of:
            yield "owner after", f"What {it.be} {of}{time}{unit}?"
        if before:
            yield "unit first", f"{before}what {it.be} {of or named}{time}?"
        yield "topic first", f"For {_mid(it.owner)}, what {it.be} the {it.measure}{time}{unit}?"
        if front and of:
            yield "time first, owner after", f"{front}what {it.be} {of}{unit}?"
    else:
        inner = f"the {it.measure}{time}{unit}"
        yield "time inside", f"What {it.be} {inner}{',' if unit else ''} {it.whose}?"
        yield "topic first", f"For {it.whose[3:]}, what {it.be} {inner}?"
        if before and front:
            yield "unit inside", f"What {it.be}, {it.unit}, the {it.measure}{time} {it.whose}?"
    embedded = embed_measure(it)
    if embedded:
        yield "indirect", f"Can you tell me {embedded}?"
        if _MONEY.search(it.unit) and not re.search(r"\b(?:rate|ratio|number|percentage)\b", it.measure):
            yield "amount", f"What {does} {whole} amount to{time}{unit}?"
            # "of the company that issued notes in 2024": a time after a clause is read with it
            if named or not time:
                yield "how much", f"How much {it.be} {whole}{time}{unit}?"
        yield "indirect", f"I would like to know {embedded}."
    yield (
        "request",
        f"Please state {whole}{time}{unit}."
        if named
        else f"Please state the {it.measure}{time}{unit}{',' if unit else ''} {it.whose}.",
    )


def embed_measure(it: Measured) -> str:
    """The question as a clause within another: "what X's N was in 2024, in dollars"; "" where it would be misread."""
    whole = f"{it.owner}'s {it.measure}" if it.owner else _of(it)
    time, unit = f" {it.time[0].lower()}{it.time[1:]}" if it.time else "", f", {it.unit}" if it.unit else ""
    aside = "," if re.search(r", (?:excluding|including|net of|less)\b", whole) else ""
    return f"what {whole}{aside} {it.be}{time}{unit}" if whole else ""


def _mid(owner: str) -> str:
    return "the" + owner[3:] if owner.startswith("The ") else owner


def _of(it: Measured) -> str:
    """Gives "the N of X": with the owner where it is read with the measure, "" where there is no such place."""
    if not it.owner:
        return f"{it.article}{it.measure} {it.whose}".rstrip()
    place = _PLACE.search(it.measure)
    head, tail = (it.measure[: place.start()], it.measure[place.start() :]) if place else (it.measure, "")
    if _LOOSE.search(head) or (" of " in head and not head.startswith(("cost of", "total cost of"))):
        return ""
    return f"the {head} of {_mid(it.owner)}{tail}"


_TIMES = (
    (re.compile(r"\bfiscal year ((?:19|20)\d\d)\b"), ("fiscal \\1",)),
    # "NVIDIA's fiscal year 2023", "the fiscal year 2023 total": no article there
    (
        re.compile(
            r"(?<=\b(?:[Ii]n|[Oo]f) )fiscal year ((?:19|20)\d\d)(?=[?.,]|$| (?:of|for|in|to|was|were|is|are)\b)"
        ),
        ("the \\1 fiscal year",),
    ),
    (re.compile(r"\b([Aa])t the end of fiscal\b"), ("\\1t the close of fiscal",)),
    (re.compile(r"\b([Ii])n (?=(?:fiscal (?:year )?)(?:19|20)\d\d)"), ("\\1n ",)),
)
# A balance stands "at" its date; who was director, or which fund was led, is so "as of" a date
_BALANCE = re.compile(
    r"^(?:In [^,?]+, |At [^,?]+, )?(?:[Ww]hat (?:was|were|is|are) |(?:[Aa]pproximately )?[Hh]ow (?:many|much) )"
    r"|^(?:Can you tell me|I would like to know|Please state) (?:what|how|the|[^?]*?['’]s)\b"
)
_AS_OF = re.compile(rf"\bas of (?={NAME} \d)")
_UNITS = (
    (re.compile(r"(?<=, )in ((?:thousands|millions|billions) of US dollars)"), ("expressed in \\1", "stated in \\1")),
    (re.compile(r"(?<=, )as a percentage(?=[?.])"), ("in percent",)),
)


def reword_terms(question: str) -> Iterator[tuple[str, str]]:
    """(what was reworded, question) for each set wording of a time or a unit that has another."""
    for name, table in (("time", _TIMES), ("unit", _UNITS)):
        for pattern, instead in table:
            for new in instead:
                made = pattern.sub(new, question)
                if made != question:
                    yield name, made
    if _BALANCE.match(question) and (made := _AS_OF.sub("at ", question)) != question:
        yield "time", made


_FRAMES = (
    (re.compile(r"^(?:Can|Could) you tell me (.+)\?$"), r"\1?"),
    (re.compile(r"^I would like to know (.+?)\.?$"), r"\1?"),
)
_TOLD = re.compile(rf"^[Ww]hat (?P<it>.+) (?P<be>was|were|is|are)(?P<rest>(?: {TIME})?(?:, {UNIT})?)\?$")
_STATED = re.compile(r"^Please state (?P<it>.+)\.$")
_AMOUNT = re.compile(rf"^What (?P<do>did|does|do) (?P<it>.+) amount to(?P<rest>(?: {TIME})?(?:, (?:\w+ )?{UNIT})?)\?$")
_MUCH = re.compile(r"^How much (?P<be>was|were|is|are) ")
_UNIT_THEN_TIME = re.compile(rf", (?P<unit>{UNIT}) (?P<time>{TIME})\?$")
_OF_LAST = re.compile(
    rf"^(?:(?P<first>(?i:{UNIT})), )?[Ww]hat (?P<be>was|were|is|are) the "
    rf"(?P<it>[^?]+?)(?: (?P<time>{TIME}))?(?:, (?P<unit>{UNIT}))?\?$"
)
_FOR = re.compile(
    rf"^For (?P<owner>[^?]+), (?P<ask>what (?:was|were|is|are)) the (?P<it>[^?]+?)"
    rf"(?P<rest>(?: {TIME})?(?:, (?:\w+ )?{UNIT})?)\?$"
)
_ASKS = re.compile(
    r"(?:What|Which|Who|How|When|Where|Why|Whose|By|In|On|At|Of|For|As|Can|Could|I would|Please|According|Is|Are|Did|Do"
    r"|Does)\b"
)
_SAID = (
    (re.compile(r"\bthe ((?:19|20)\d\d) fiscal year\b"), r"fiscal year \1"),
    (re.compile(r"\bfiscal ((?:19|20)\d\d)\b"), r"fiscal year \1"),
    (re.compile(rf"\b([Aa])t (?={NAME} \d)"), r"\1s of "),
    (re.compile(r"\b([Aa])t the close of fiscal\b"), r"\1t the end of fiscal"),
    (re.compile(r"\b(?:expressed|stated) in (?=(?:thousands|millions|billions) of)"), "in "),
)


def plainly(question: str) -> str:
    """A question without its frame, its times and units in one wording; any other text as it stands.

    "Can you tell me what Apple's revenue was in fiscal 2024?" gives "What was Apple's revenue in fiscal year 2024?".
    """
    text = question.strip()
    if "\n" in text or len(text) > 1_000 or not _ASKS.match(text):
        return question
    if not (text.endswith("?") or text.startswith(("I would like to know", "Please state"))):
        return question
    for pattern, new in (*_FRAMES, *_SAID):
        text = pattern.sub(new, text)
    if match := _TOLD.match(text):
        if " " in match["it"] and not re.match(r"(?:was|were|is|are|did|does|do)\b", match["it"]):
            text = f"What {match['be']} {match['it']}{match['rest']}?"
    elif match := _STATED.match(text):
        text = f"What was {match['it']}?"
    elif match := _AMOUNT.match(text):
        text = f"What was {match['it']}{match['rest']}?"
    text = _MUCH.sub(r"What \g<be> ", text)
    if match := _FOR.match(text):
        found: Measured | None = parse_measure_question(f"What was {match['owner']}'s {match['it']}{match['rest']}?")
        if match["owner"].startswith("the company"):
            found = Measured("was", match["it"], "", f"of {match['owner']}", "the ")
            rest = parse_measure_question(f"What was X's {match['it']}{match['rest']}?")
            found = rest and Measured("was", rest.measure, "", f"of {match['owner']}", "the ", rest.time, rest.unit)
    else:
        found = parse_measure_question(text)
    if found is None and (lead := _LEAD.match(text)):
        text = f"{text[lead.end() :].removesuffix('?')} {lead['time'][0].lower()}{lead['time'][1:]}?"
        text = _UNIT_THEN_TIME.sub(r" \g<time>, \g<unit>?", text)
    if found is None and (match := _OF_LAST.match(text)):
        unit = (match["first"] or match["unit"] or "").lower().replace("us d", "US d")
        found = Measured(match["be"], match["it"], "", "", "the ", match["time"] or "", unit)
    if found:
        core = _of(found) or f"{found.owner}'s {found.measure}"
        be = {"were": "was", "are": "is"}.get(found.be, found.be)
        time = f" {found.time[0].lower()}{found.time[1:]}" if found.time else ""
        text = f"What {be} {core.strip()}{time}{', ' + found.unit if found.unit else ''}?"
    return text[0].upper() + text[1:]


# Any question, by its dependency tree

_BE = frozenset("is are was were".split())
_FIRST = _BE | frozenset("do does did has have had can could will would should may might must".split())
_HAD_AS_VERB = frozenset("has have had".split())  # "Which company has the larger sales"
_ASKING = frozenset("what which who whom whose when where how why".split())
_CLAUSES = frozenset("that if because while since after before".split())
_NEVER = frozenset("not n't never no only ever".split())
# What is said beside a subject, after a comma that is not within a name, a date or a number
_ASIDE = re.compile(rf", (?!(?:19|20)\d\d\b|{FORM})|\b(?:according to|as (?:stated|of its))\b")
_PURPOSES = frozenset("to as for".split())
_ACCORDING = re.compile(rf"^According to ([^,?]+(?:, (?:{FORM}|(?:19|20)\d\d\b)[^,?]*)?), (\w[^?]+)\?$")
_ACCORDING_LAST = re.compile(r"^(\w[^?]+?),? according to ((?:[^,?]|, (?=(?:19|20)\d\d\b))+)\?$")
_UNDER = re.compile(r"^Under (\d+ (?:CFR|U\.S\.C\.) [^,?]+), (\w[^?]+)\?$")
_TIME_LAST = re.compile(rf"^(?P<rest>[^?]+?),? (?P<time>{TIME})\?$")
_TIME_FIRST = re.compile(rf"^(?P<time>{TIME}), (?P<rest>[^?]+)\?$")
_HOW_MANY = re.compile(
    r"^(?P<lead>(?:[^?]*, )?)(?P<how>[Hh])ow many (?P<what>[a-z]+s|people|children|men|women)\b(?= )"
)
# "What number of times a week", "what number of levels are there" would be odd
_COUNTED = re.compile(r"(?<=times)| (?:are|were|is|was) there\b| (?:are|were|is|was) [a-z]+ed\b")
_WHICH = re.compile(
    r"^((?:[A-Z][a-z]+ )?)(Which|which) (?=(?:[a-z]+ ){1,3})(?!of |is |was |are |were |did |does |do |has |had |other )"
)
_DONE = re.compile(
    r"^((?:In|At|On|Under|From) (?:which|what) (?:[a-z]+ ){0,2}[a-z]+) (is|was|are|were) ([^?]+) "
    r"([a-z]+ed|built|held|born|made|sold|written|set|shot)\?$"
)
_HAD = re.compile(r"^((?:How many|What|Which|At which|In which) [^?]+?) (did|does|do) ([^?]+?) have ([^?]+)\?$")
_HAVE = {"did": "had", "does": "has", "do": "have"}


def asked(doc: "Doc") -> Iterator[tuple[str, str]]:
    """(what was done, question) for each other way to ask this that its tree and its words make certain."""
    text = doc.text
    if not text.endswith("?") or text.count("?") > 1 or "\n" in text or any(t.lower_ in _NEVER for t in doc):
        return
    yield from _adjuncts(doc)
    yield from _to_passive(doc)
    if clause := _embed(doc) or _embed_by_tags(doc):
        if clause.startswith("whether "):
            yield "yes or no", f"Is it true that {clause.removeprefix('whether ')}?"
        else:
            yield "indirect", f"Can you tell me {clause}?"
            yield "indirect", _stopped(f"I would like to know {clause}")
    yield from _place_last(doc)
    if (match := _HOW_MANY.match(text)) and not _COUNTED.match(text, match.end("what")):
        what = "What" if match["how"] == "H" else "what"
        yield "number", f"{match['lead']}{what} number of {match['what']}{text[match.end() :]}"
    if match := _WHICH.match(text):
        yield "which", f"{match[1]}{'What' if match[2] == 'Which' else 'what'} {text[match.end() :]}"


def embed_question(doc: "Doc") -> str:
    """The question as a clause within another sentence: "how often it appears"; "" where its order is not certain."""
    text = doc.text
    if not text.endswith("?") or text.count("?") > 1 or "\n" in text:
        return ""
    return _embed(doc) or _embed_by_tags(doc)


def _embed(doc: "Doc") -> str:
    text = doc.text
    if any(t.lower_ in _NEVER for t in doc):
        return ""
    if found := _parts(doc):
        wh, subject, rest, aux = found
        told = _told(subject, rest, aux)
        if not told or wh:
            return f"{_small(doc, wh)} {told}" if told else ""
        return f"whether {told}" if subject.lower() != "you" else ""  # "Can you list ...?" asks for the list
    if match := _DONE.match(text):
        where, be, what, done = match.groups()
        return f"{where[0].lower()}{where[1:]} {what} {be} {done}"
    if (match := _HAD.match(text)) and text.count(" have ") == 1:
        what, does, who, rest = match.groups()
        return f"{what[0].lower()}{what[1:]} {who} {_HAVE[does]} {rest}"
    if doc[0].lower_ in ("who", "which", "what", "how") and (_is_subject(doc) or _is_without_auxiliary(doc)):
        return _small(doc, text[:-1])
    return ""


_MORE = re.compile(
    r"^(?P<how>How much [a-z]+er) (?P<be>was|were|is|are) (?P<who>[^,?]+?)"
    r" (?P<rest>(?:in|at|as of|during) [^,?]*? than (?:in|at|as of|during) [^?]+)\?$"
)
_ADVERBS = frozenset("when where why how".split())
_NAMED = frozenset({"NOUN", "PROPN", "PRON", "NUM"})


def _embed_by_tags(doc: "Doc") -> str:
    """As `_embed`, where the parser, which has seen few questions, has no tree that fits: the tags show one verb."""
    end = len(doc) - 1
    at = next((t.i for t in doc if t.lower_ in _FIRST), 0)
    if not 0 < at < end - 1 or at > 8 or not any(t.lower_ in _ASKING for t in doc[: min(at, 3)]):
        return ""
    if more := _MORE.match(doc.text):
        return f"{more['how'][0].lower()}{more['how'][1:]} {more['who']} {more['be']} {more['rest']}"
    aux, wh = doc[at].lower_, _small(doc, doc[:at].text)
    if any(t.tag_.startswith("VB") or t.is_punct for t in doc[1:at]):
        return ""
    first = next((t for t in doc[at + 1 : end] if t.pos_ != "ADV" and t.lower_ not in _NEVER), doc[end])
    asked = doc[0].lower_ in ("who", "which", "what", "how") and doc[at - 1].pos_ in _NAMED
    if asked and first.tag_ == ("VBN" if aux in _BE else "VB") and aux not in ("do", "does", "did", *_HAD_AS_VERB):
        return _small(doc, doc.text[:-1])
    rest = doc[at + 1 : end]
    if any(t.lower_ in _ASKING | _CLAUSES | _NEVER or t.is_punct for t in rest):
        return ""
    if aux in _BE:
        done = [t for t in rest if t.tag_ in ("VBN", "VBD", "VBG", "JJR", "VB", "VBZ")]
        placed = doc[0].pos_ == "ADP" or (
            doc[0].lower_ in ("when", "where", "why", "how") and doc[at - 1].pos_ != "NOUN"
        )
        if doc[0].lower_ == "how" and at == 2 and not done and rest[-1].pos_ in _NAMED and doc[1].lower_ != "often":
            return f"{wh} {rest.text} {aux}"  # "how long the term is"
        verb = done[0] if placed and len(done) == 1 else None
        if verb is None or not (verb.tag_ == "JJR" or (verb.tag_ == "VBN" and verb.i == end - 1)):
            return ""
    else:
        verbs = [t for t in rest if t.tag_ in ("VB", "VBP") and doc[t.i - 1].tag_ != "TO"]
        if not verbs and (found := find_asked_verb(doc)) > at:
            verbs = [doc[found]]
        verb = verbs[0] if len(verbs) == 1 and aux not in _HAD_AS_VERB else None
        # "a resident take paid leave": another word before it could be the verb as well
        if verb is None or any(_may_be_verb(t) for t in doc[at + 2 : verb.i]) or not _may_be_verb(verb):
            return ""
    if verb.i == at + 1 or doc[verb.i - 1].pos_ not in _NAMED:
        return ""
    told = _told(doc[at + 1 : verb.i].text, doc[verb.i : end].text, aux)
    return f"{wh} {told}" if told else ""


def _may_be_verb(token: "Token") -> bool:
    """Whether a word after a noun can be a verb in its base form."""
    base = any(r.pos == "v" and r.form == "base" for r in readings(token.lower_))
    return base and token.nbor(-1).pos_ in _NAMED and token.pos_ != "ADP"


def _place_last(doc: "Doc") -> Iterator[tuple[str, str]]:
    """Questions for a place with the place last: with a verb on both sides of the subject its end is certain."""
    if found := _parts(doc):
        wh, subject, rest, aux = found
        if wh and doc[0].pos_ == "ADP" and aux in _BE and 0 < len(rest.split()) <= 4:
            yield "place last", f"{_big(_told(subject, rest, aux))} {_small(doc, wh)}?"
    elif match := _DONE.match(doc.text):
        where, be, what, done = match.groups()
        yield "place last", f"{_big(what)} {be} {done} {where[0].lower()}{where[1:]}?"


def _stopped(text: str) -> str:
    return text if text.endswith(".") else text + "."


def _adjuncts(doc: "Doc") -> Iterator[tuple[str, str]]:
    text = doc.text
    if match := _ACCORDING.match(text):
        yield "source last", f"{_big(match[2])}, according to {match[1]}?"
    elif match := _ACCORDING_LAST.match(text):
        yield "source first", f"According to {match[2]}, {_small(doc, match[1])}?"
    elif match := _UNDER.match(text):
        yield "source last", f"{_big(match[2])}, under {match[1]}?"
        yield "source", f"According to {match[1]}, {match[2]}?"
        yield "source", f"Pursuant to {match[1]}, {match[2]}?"
    elif match := _TIME_FIRST.match(text):
        rest = match["rest"]
        if re.match(r"(?:what|which|who|when|where|how|did|does|is|was|were|are)\b", rest) and _one_clause(doc, rest):
            time = match["time"]
            yield "time last", f"{_big(rest)} {time[0].lower()}{time[1:]}?"
    elif (match := _TIME_LAST.match(text)) and _one_clause(doc, match["rest"]):
        time = match["time"]
        # "compared with 2023", "the increase from June to 2024": there the time is not the verb's
        related = len(re.findall(r"\b(?:that|which|who|whom|whose|where|when)\b", match["rest"], re.IGNORECASE)) > 1
        bound = r"\b(?:from|since|between|than|compared|before|after|and|or)\b|(?:19|20)\d\d"
        if not related and not re.search(bound, match["rest"]):
            yield "time first", f"{time[0].upper()}{time[1:]}, {_small(doc, match['rest'])}?"


def _one_clause(doc: "Doc", rest: str) -> bool:
    start = doc.text.find(rest)
    words = [t for t in doc if start <= t.idx < start + len(rest)]
    clauses = tree.verbs(doc, words[0].i, words[-1].i + 1) if words else []
    return len([t for t in clauses if t.dep_ != "cop"]) <= 1 and not any(
        t.dep_ in ("acl", "acl:relcl", "ccomp", "advcl", "xcomp") for t in words
    )


def _to_passive(doc: "Doc") -> Iterator[tuple[str, str]]:
    """The other voice: "Who founded X?" as "By whom was X founded?"."""
    verb, end = tree.root(doc), len(doc) - 1
    if verb is None or verb.pos_ != "VERB" or not lemma_of(verb):
        return
    lemma = lemma_of(verb)
    past, participle = past_tense(lemma), past_participle(lemma)
    if not past or not participle:
        return
    asking, what = tree.child(verb, "nsubj"), tree.child(verb, "obj")
    if asking is not None and what is not None and verb.tag_ == "VBD" and doc[0].lower_ in ("who", "which", "what"):
        at, who = tree.span(what), tree.span(asking)
        if at and who and who[0] == 0 and who[1] == verb.i and at[0] == verb.i + 1 and _is_plain(what):
            many = tree.plural(what)
            lead = "whom" if doc[0].lower_ == "who" else _small(doc, doc[: who[1]].text)
            if many is not None and (who[1] == 1 or doc[0].lower_ != "who"):
                after = f" {doc[at[1] : end].text}" if at[1] < end else ""
                yield "passive", f"By {lead} {'were' if many else 'was'} {doc[at[0] : at[1]].text} {participle}{after}?"


def _is_plain(token: "Token") -> bool:
    return token.pos_ in ("NOUN", "PROPN") and not any(
        t.dep_ in ("acl", "acl:relcl", "appos", "conj") or t.lower_ in tree.BOUND for t in token.subtree
    )


def _parts(doc: "Doc") -> tuple[str, str, str, str] | None:
    """The question word's phrase ("" for yes or no), the subject, what follows it, and the verb between the two."""
    end = len(doc) - 1
    at = next((t.i for t in doc if t.lower_ in _FIRST), -1)
    if at < 0 or at > 8 or (at and not any(t.lower_ in _ASKING for t in doc[: min(at, 3)])):
        return None
    verb = tree.root(doc)
    if verb is None:
        return None
    subject = tree.child(verb, "nsubj", "nsubj:pass", "expl", "nsubj:outer")
    span = tree.span(subject) if subject is not None else None
    if not span or span[0] != at + 1 or span[1] > end or (doc[at].head.i != verb.i and at != verb.i):
        return None
    rest = doc[span[1] : end]
    if doc[span[1] - 1].pos_ in ("VERB", "ADJ", "ADV", "ADP") or doc[span[1] - 1].tag_.startswith("VB"):
        return None  # "can a resident take paid | leave": the subject ends before
    # what follows a subject is a predicate: a word that could as well belong to the subject is in doubt
    if (len(rest) and rest[0].pos_ not in ("VERB", "ADJ", "ADP", "AUX", "DET", "ADV", "NOUN")) or "," in doc[:at].text:
        return None
    if len(rest) and rest[0].pos_ == "NOUN" and doc[span[1] - 1].pos_ in ("NOUN", "PROPN"):
        return None  # "the Norman castle" may be one
    if not len(rest) and (_unclosed(doc, span) or (doc[at].lower_ in _BE and _predicated(doc, span))):
        return None
    if not len(rest) and not (verb.lower_ in ("what", "who", "where", "which") or (verb.pos_ == "NOUN" and at)):
        return None
    if doc[at].lower_ in ("do", "does", "did"):
        if not len(rest) or rest[0].tag_ not in ("VB", "VBP") or rest[0].i != verb.i:
            return None
    elif doc[at].lower_ not in _BE and (not len(rest) or rest[0].pos_ not in ("VERB", "AUX")):
        return None
    return doc[:at].text, doc[span[0] : span[1]].text, rest.text, doc[at].lower_


def _unclosed(doc: "Doc", span: tuple[int, int]) -> bool:
    """Does the verb, if it is put behind this subject, stand in what is said beside it ("X, introduced in 2023 is")?"""
    return _ASIDE.search(doc[span[0] : span[1]].text) is not None


LONGEST_SUBJECT = 12  # words before a bare "is" at the end


def _predicated(doc: "Doc", span: tuple[int, int]) -> bool:
    """May a participle in this subject be what is said of it: "the design of the product intended to reduce"?"""
    if span[1] - span[0] > LONGEST_SUBJECT:
        return True
    for token in doc[span[0] : span[1]]:
        after = doc[token.i + 1]
        if (token.lower_ == "still") or (token.pos_ == after.pos_ == "ADP" and after.lower_ not in ("of", "to")):
            return True  # "the jingle still in use", "the ward subject to in the city"
        if token.tag_ not in ("VBN", "VBD") or token.i == span[0]:
            continue
        before = doc[token.i - 1]
        if before.lower_ in _ASKING | _FIRST | {"that", "be", "been", "being"}:
            continue
        if doc[0].lower_ == "where" or before.pos_ == "ADV" or after.lower_ in _PURPOSES or after.is_punct:
            return True
    return False


def _is_subject(doc: "Doc") -> bool:
    """Is the question word, or the noun it asks for, the subject, so that the verb needs not move?"""
    verb = tree.root(doc)
    subject = tree.child(verb, "nsubj", "nsubj:pass") if verb is not None else None
    if verb is None or subject is None or subject.left_edge.i != 0 or subject.i >= verb.i:
        return False
    # "What company did X buy": an auxiliary right after the noun asked for would have to move
    first = doc[subject.right_edge.i + 1]
    if subject.i == 0 and first.lower_ in _BE and doc[0].lower_ == "what":
        return False
    if any(t.lower_ in ("do", "does", "did") for t in doc):
        return False
    # "Which adapters should the room have": an auxiliary without a verb behind it stands before its subject
    helping = next((t for t in doc[1 : first.i + 1] if t.lower_ in _FIRST - _BE - _HAD_AS_VERB), None)
    if helping is not None and not _is_before_verb(helping):
        return False
    # "Which bird is the kiwi": with a noun after it the verb may stand between two subjects
    auxiliary = next((t for t in doc if t.lower_ in _BE), first)  # the parser may take it into the subject
    turned = auxiliary.lower_ in _BE and (auxiliary.i + 1 >= len(doc) or doc[auxiliary.i + 1].tag_ != "VBN")
    turned = turned and auxiliary.i <= first.i
    return first.pos_ in ("AUX", "VERB") and not turned and doc[0] in list(subject.subtree)


def _is_before_verb(helping: "Token") -> bool:
    after = [t for t in helping.doc[helping.i + 1 : helping.i + 4] if t.pos_ != "ADV" and t.lower_ not in _NEVER]
    return bool(after) and after[0].tag_.startswith("VB")


def _is_without_auxiliary(doc: "Doc") -> bool:
    """Has the question no verb that could stand before its subject? Then what is asked for is its subject."""
    end = next((t.i for t in doc[1:] if t.lower_ in _ASKING | _CLAUSES), len(doc))
    words = [t.lower_ for t in doc[1:end]]
    verbs = (r for word in words for r in readings(word) if r.pos == "v" and r.form in ("s", "ed", "past"))
    return not _FIRST.intersection(words) and next(verbs, None) is not None


def _told(subject: str, rest: str, aux: str) -> str:
    """The subject before the verb: "X was founded", "X bought Y"; "" where the form is not certain."""
    if aux in ("did", "does", "do"):
        first, space, others = rest.partition(" ")
        if not first.replace("-", "").isalpha():
            return ""  # "Ajax, Smith and Co use,": another word's comma
        form = {"did": "past", "does": "s", "do": "base"}[aux]
        made = past_tense(first) if form == "past" else inflect(first, "v", form)
        return f"{subject} {made}{space}{others}" if made else ""
    return f"{subject} {aux} {rest}".rstrip()


def _small(doc: "Doc", text: str) -> str:
    return (
        text
        if tree.is_name(doc[0]) and doc[0].lower_ not in _ASKING | _FIRST | {"in", "of", "at", "by"}
        else text[0].lower() + text[1:]
    )


def _big(text: str) -> str:
    return text[0].upper() + text[1:]
