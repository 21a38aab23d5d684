"""A question's parts, and other orders and frames that ask the same (IBM §3, paraphrase)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rarefy.tasks.text.dates import NAME

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


def measured(question: str) -> Measured | None:
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
        r"\b(?:that|which|who|when|where|called|named|made|known|and its)\b", text
    )


def _is_owner(text: str) -> bool:
    # a name, and not what stands before another name: "the standard now named so, according to Tesla"
    return re.search(r"\b(?:according to|as|now|named|called|in|by|that|which|who)\b", text) is None


def asked_otherwise(it: Measured) -> Iterator[tuple[str, str]]:
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
    if whole:
        yield "indirect", f"Can you tell me what {whole} {it.be}{time}{unit}?"
        if _MONEY.search(it.unit) and not re.search(r"\b(?:rate|ratio|number|percentage)\b", it.measure):
            yield "amount", f"What {does} {whole} amount to{time}{unit}?"
            # "of the company that issued notes in 2024": a time after a clause is read with it
            if named or not time:
                yield "how much", f"How much {it.be} {whole}{time}{unit}?"
        yield "indirect", f"I would like to know what {whole} {it.be}{time}{unit}."
    yield (
        "request",
        f"Please state {whole}{time}{unit}."
        if named
        else f"Please state the {it.measure}{time}{unit}{',' if unit else ''} {it.whose}.",
    )


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
_COMPANIES = (
    (
        re.compile(r"\bthe company that issued the "),
        ("the issuer of the ", "the company which issued the "),
    ),
    (
        re.compile(r"\bthe company that is headquartered in "),
        ("the company with its headquarters in ", "the company headquartered in "),
    ),
    (re.compile(r"\b(company) that is (?=based|incorporated|audited|headquartered)"), ("\\1 ",)),
    (re.compile(r"\bhas the same ([a-z]+(?: [a-z]+)?) as "), ("shares its \\1 with ",)),
    (
        re.compile(
            r"\bthe company whose (chief [a-z]+ officer) is ((?:[A-Z][\w.’'-]*\s?)+)"
            r"(?=[?.,]| (?:was|were|is|are|amount))"
        ),
        ("the company that has \\2 as its \\1",),
    ),
)


def reworded(question: str) -> Iterator[tuple[str, str]]:
    """(what was reworded, question) for each set wording of a time, a unit or a company that has another."""
    for name, table in (("time", _TIMES), ("unit", _UNITS), ("company", _COMPANIES)):
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
    (re.compile(r"\bthe issuer of "), "the company that issued "),
    (re.compile(r"\bthe company which issued "), "the company that issued "),
    (re.compile(r"\bthe company (?=headquartered|based|incorporated|audited)"), "the company that is "),
    (re.compile(r"\bthe company with its headquarters in "), "the company that is headquartered in "),
    (
        re.compile(r"\bthe company that has ((?:[A-Z][\w.’'-]*\s?)+) as its (chief [a-z ]+? officer)\b"),
        r"the company whose \2 is \1",
    ),
)  # fmt: skip


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
        found: Measured | None = measured(f"What was {match['owner']}'s {match['it']}{match['rest']}?")
        if match["owner"].startswith("the company"):
            found = Measured("was", match["it"], "", f"of {match['owner']}", "the ")
            rest = measured(f"What was X's {match['it']}{match['rest']}?")
            found = rest and Measured("was", rest.measure, "", f"of {match['owner']}", "the ", rest.time, rest.unit)
    else:
        found = measured(text)
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
