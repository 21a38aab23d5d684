"""One fact as a question in words: by method of extraction and by relation (RARE §3.3)."""

import re

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.extract.deadlines import Rule, parse_rule
from rarefy.tasks.knowledge.extract.entity_types import STATES
from rarefy.tasks.knowledge.extract.labels import is_plural
from rarefy.tasks.knowledge.extract.readings import find_origin
from rarefy.tasks.questions.ask.index import CorpusIndex
from rarefy.tasks.text.quantities import quantities

OFFICE = re.compile(r"(chief .+|president|controller|general counsel|treasurer) of")
_OBJECT_QUESTIONS = {  # relation → the question that its object answers
    "is incorporated in": "In which jurisdiction is {holder} incorporated?",
    "is headquartered in": "In which city is {holder} headquartered?",
    "is based in": "In which state or country is {holder} based?",
    "has principal executive offices at": "At which street address does {holder} have its principal executive offices?",
    "is listed on": "On which stock exchange does {holder} have its common stock listed?",
    "trades under symbol": "Under which ticker symbol does the common stock of {holder} trade?",
    "is part of": "Of which segment of {entity} is {holder} a part?",
    "is audited by": "Which accounting firm is the independent auditor of {holder}?",
}
_WHAT = {
    "ORG": "Which organization",
    "PERSON": "Who",
    "GPE": "Which place",
    "LOC": "Which place",
    "PRODUCT": "Which product",
    "LAW": "Which law",
}
_AUX = re.compile(r"^(is|are|was|were|has|have|had|must|shall)\s+(.+)$")


def ask_for_object(triplet: Triplet, holder: str) -> str | None:
    """The question that a triplet's object answers, with its subject called `holder`; None where no form fits."""
    if triplet.relation == "is based in" and triplet.object in STATES.values():
        return f"In which state is {mid_sentence(holder)} headquartered?"
    if triplet.relation in _OBJECT_QUESTIONS:
        return _OBJECT_QUESTIONS[triplet.relation].format(
            holder=mid_sentence(holder), entity=mid_sentence(triplet.entity)
        )
    question_word = _WHAT.get(triplet.object_type)
    if question_word is None:
        return None
    auxiliary = _AUX.match(triplet.relation)
    if auxiliary is None:
        return None
    # "was acquired by" → "Which organization was Mellanox acquired by?"
    if question_word == "Who":
        question_word = "Whom" if auxiliary[2].split()[-1] not in {"by", "with", "to", "from"} else "Who"
    return f"{question_word} {auxiliary[1]} {mid_sentence(holder)} {auxiliary[2]}?"


def ask_for_subject(triplet: Triplet, holder: str) -> str | None:
    """The question that a triplet's subject answers, its object called `holder`."""
    if triplet.relation in _TRADED and _DAY.fullmatch(triplet.period):
        return f"Which company did {mid_sentence(holder)} {_TRADED[triplet.relation]} on {triplet.period}?"
    office = OFFICE.fullmatch(triplet.relation)
    if office and triplet.period and triplet.method != "prose":
        holder = mid_sentence(holder)
        short = len(holder.split()) < 6
        subject = f"{possessive(holder)} {office[1]}" if short else f"the {office[1]} of {holder}"
        return f"Who was {subject} according to the annual report for {triplet.period}?"
    return None


_MONEY = {
    "$": "dollars", "AUD": "Australian dollars", "CHF": "Swiss francs", "CNY": "yuan", "HKD": "Hong Kong dollars",
    "INR": "rupees", "KRW": "won", "SGD": "Singapore dollars", "TWD": "New Taiwan dollars",
    "USD": "US dollars", "EUR": "euros", "GBP": "pounds sterling", "JPY": "yen", "CAD": "Canadian dollars",
}  # fmt: skip

# "operating lease liabilities, non-current, as of": what trails behind a comma is closed by another
_TAIL = re.compile(
    r", (?:net of|excluding|including|current|less|related|before|basic|diluted|non-?current|long-term|short-term"
    r"|inclusive|after)\b[^,]*$"
)
_SPENT = re.compile(r"cost|expens|deprecia|amortiz|income|profit|loss|assets", re.I)


def possessive(name: str) -> str:
    """ "Apple Inc.'s", "Johnson & Johnson's", "Walgreens'"."""
    return f"{name}'" if name.endswith("s") and not name.endswith("ss") else f"{name}'s"


def mid_sentence(name: str) -> str:
    """A name as it stands inside a sentence: "the Coca-Cola Company"."""
    return re.sub(r"^The ", "the ", name)


def unit_phrase(triplet: Triplet) -> str | None:
    """ "in millions of US dollars"; "" where the measure says it, None where the unit has no name."""
    unit = triplet.unit.partition("/")[0]
    if triplet.unit in {"percent", "pure"} or triplet.object_type == "PERCENT":
        return "as a percentage"
    if unit in _MONEY:
        return f"in {triplet.scale} of {_MONEY[unit]}" if triplet.scale else f"in {_MONEY[unit]}"
    if unit == "shares":
        return f"in {triplet.scale} of shares" if triplet.scale else ""
    return None


def when_phrase(triplet: Triplet) -> str:
    """ "in fiscal year 2024" for a span of time, "as of September 28, 2024" for a point in it."""
    return f"in {triplet.period}" if triplet.period_start else f"as of {triplet.period}"


def noun_phrase(triplet: Triplet) -> str:
    """The measure as a noun phrase: "X, net" is "net X"."""
    name = triplet.relation
    if match := re.fullmatch(r"(.+?)(?:, | [-–—] )net", name):
        name = match[1]
        if not re.match(r"net\b", name):
            name = f"net {name[0].lower() + name[1:] if name[1:2].islower() else name}"
    return name


def part_phrase(triplet: Triplet) -> str:
    """ " in Greater China", " from iPhone", " of the Americas segment"; "" for the whole company."""
    member = triplet.subject.removeprefix(triplet.entity).strip()
    if not member or triplet.subject_type == "ORG":
        return ""
    if triplet.subject_type == "SEGMENT":
        segment = re.sub(r"\s+segment$", "", member, flags=re.I)
        return f" for the {segment} segment"
    if triplet.subject_type == "REGION":
        takes_article = re.match(r"United (?:States|Kingdom)|Americas|Rest of|Netherlands|U\.S\.$|Middle East", member)
        return f" in the {member}" if takes_article else f" in {member}"
    return f" {'for' if _SPENT.search(triplet.relation) else 'from'} {member}"


def ask_for_figure(triplet: Triplet, holder: str, year_end: str = "") -> str | None:
    """The question for a figure of a company that is described ("the company that …") or named; None without a unit."""
    if triplet.relation == "shares of common stock outstanding":
        return f"How many shares of common stock did {mid_sentence(holder)} have outstanding {when_phrase(triplet)}?"
    unit = unit_phrase(triplet)
    if unit is None or not triplet.period:
        return None
    name, part = noun_phrase(triplet), part_phrase(triplet)
    verb = "were" if is_plural(name) else "was"
    when = when_phrase(triplet)
    if holder == triplet.entity:
        tail = f", {unit}" if unit else ""
        comma = "," if _TAIL.search(name) else ""
        return f"What {verb} {possessive(mid_sentence(holder))} {name}{part}{comma} {when}{tail}?"
    if year_end:
        when = f"at the end of {year_end}"
    measured = f"the {name}" + (f", {unit}," if unit else "")
    return f"{when[0].upper()}{when[1:]}, what {verb} {measured} of {holder}?"


def ask_for_cell(triplet: Triplet) -> str:
    """The question for a cell of a table without tags, in the words of its row and column."""
    name, unit = triplet.relation, triplet.unit.partition("/")[0]
    if unit == "percent":
        counted = ", as a percentage"
    elif unit and triplet.scale:
        counted = f", in {triplet.scale} of {_MONEY.get(unit, unit)}"
    else:
        counted = f", in {triplet.scale or _MONEY.get(unit, unit)}" if unit or triplet.scale else ""
    _, column, head = name.rpartition("in the column “")
    when = "" if (column and triplet.period in head) or not triplet.period else f" {_time_phrase(triplet.period)}"
    figure = "figure " if triplet.value else ""
    ask = f"what {figure}is given for" if name.startswith("“") else f"what {'were' if is_plural(name) else 'was'}"
    return f"According to {triplet.subject}, {ask} {name}{when}{counted}?"


def _time_phrase(period: str) -> str:
    """A column's period in a sentence: "in the year ended May 31, 2019", "as of May 31, 2019", "for 2019"."""
    if period.startswith("the end of"):
        return f"at {period}"
    if re.match(r"the |fiscal|financial|FY|Q[1-4]|H[12]|[1-4]Q|[12]H|\w+ (?:quarter|half)", period):
        return f"in {period}"
    return f"for {period}" if re.fullmatch(r"[\d/–-]{4,9}", period) else f"as of {period}"


_DAY = re.compile(r"[A-Z][a-z]+ \d{1,2}, \d{4}")
_SHARE = re.compile(r"(?<![\d.%–-])(\d{1,3}(?:\.\d+)?%) (?:[a-z]+ ){0,3}interest in ")
_COUNTED = {"employed": "employ", "operated": "operate"}
_TRADED = {"was acquired by": "acquire", "was sold by": "sell"}


def ask_prose_fact(triplet: Triplet, holder: str) -> str | None:
    """The question that a prose triplet's object answers; None where no template fits."""
    when, holder = _day_phrase(triplet), mid_sentence(holder)
    if triplet.relation == "was acquired for":
        return f"For what price was {holder} acquired?"
    if triplet.relation == "was founded in":
        return f"In which year was {holder} founded?"
    counted = next(iter(quantities(triplet.answer)), None)
    if triplet.relation in _COUNTED and counted and when:
        things = triplet.answer[counted.end :].strip()
        return f"How many {things} did {holder} {_COUNTED[triplet.relation]} {when}?" if things else None
    return None


def ask_prose_share(triplet: Triplet) -> tuple[str, str] | None:
    """(question, answer) about the share that one owns of another; None for other facts."""
    share = _SHARE.search(triplet.source_sentence)
    if triplet.relation != "owns interest in" or not share or not triplet.period:
        return None
    owned = f"{mid_sentence(triplet.subject)} have in {triplet.object}"
    return f"What percentage interest did {owned} according to its annual report for {triplet.period}?", share[1]


def _day_phrase(triplet: Triplet) -> str:
    if not triplet.period:
        return ""
    if triplet.relation in _COUNTED and _DAY.search(triplet.period):
        return f"as of {triplet.period}"
    return f"{'on' if _DAY.search(triplet.period) else 'in'} {triplet.period}"


_PROPER = re.compile(
    r"[A-Z]\w*(?: (?:of|and|for))?(?: the)? [A-Z]|\S*[A-Z]\S*[A-Z]|(?:Congress|Federal|State|Indian)\b"
)
_PLURAL = {"foot": "feet", "square foot": "square feet"}
_OPENING_WORDS = re.compile(
    r"(?:The|An?|Each|Every|Any|All|If|When|Where|Upon|Before|After|Following|For|In|On|Once|During|With|As|To|Of)\b"
)


def ask_deadline(triplet: Triplet) -> str | None:
    """The question that the measure of a rule answers; None where the sentence is no rule of a known form."""
    rule = parse_rule(triplet.source_sentence)
    if rule is None:
        return None
    under = triplet.subject.rpartition(" under ")[2]
    condition = f"{_lower_first(rule.condition)}, " if rule.condition else ""
    since = rule.since if not rule.leads else _lower_first(rule.since)
    what = " ".join(filter(None, [rule.bound, _question_words(rule), since]))
    if rule.leads:
        clause = f"{what} {rule.modal} {rule.before}"
    else:
        comma = "," if re.search(r", (?!and\b|or\b)", since) else ""
        clause = f"{what}{comma} {rule.modal} {_lower_first(rule.subject)} {rule.before} {rule.after}"
    return re.sub(r"\s+", " ", f"Under {under}, {condition}{clause}").replace("that part", triplet.entity).strip() + "?"


def _question_words(rule: Rule) -> str:
    if rule.bound.startswith("what "):
        return ""
    if rule.counted:
        return f"how many {_PLURAL.get(rule.counted, rule.counted)}"
    return "what percentage" if rule.kind == "PERCENT" else "what amount"


def _lower_first(words: str) -> str:
    """Words from the beginning of a sentence in lower case, as within one; names keep their capital."""
    return words if _PROPER.match(words) and not _OPENING_WORDS.match(words) else words[:1].lower() + words[1:]


_INFINITIVES = dict(  # what a figure did → the form that "did" takes
    pair.split(":")
    for pair in """
    rose:rise fell:fall edged:edge ticked:tick inched:inch moved:move increased:increase declined:decline
    decreased:decrease dropped:drop climbed:climb jumped:jump dipped:dip advanced:advance grew:grow expanded:expand
    contracted:contract appreciated:appreciate depreciated:depreciate remained:remain stayed:stay held:hold stood:stand
    averaged:average
    """.split()
)
_EVENTS = {  # relation → the question; "{of}" is its subject
    "was dissented from by": "Who voted against the policy action at the {of}?",
    "preceded meeting of": "For what date was the next meeting agreed at the {of}?",
    "were approved on": "On what date did the Federal Open Market Committee complete the notation vote that approved "
    "the {of}?",
    "sought average of": "Around what average federal funds rate did the directive adopted at the {of} seek?",
    "set target at": "At what level did the statement approved at the Federal Open Market Committee {meeting} "
    "set the {of}?",
    "was earlier set at": "At what level did the Federal Open Market Committee set its target for {of} "
    "at its {period} meeting?",
    "selected as officer": "Whom did the Federal Open Market Committee select to serve as {of} at its {meeting}?",
}
_BARE = re.compile(  # measures that stand without an article
    r"^(?:M[23]|(?:real |nominal )?GDP|[A-Z]{3,} |.*\binflation\b|.*\b(?:production|employment|spending|output"
    r"|compensation|credit|debt|income|productivity|GDP)$"
    r"|.*\b(?:compensation|output|employment|income|consumption) (?:per|in|of) )"
)


def ask_reading(triplet: Triplet, index: CorpusIndex) -> str | None:
    """The question that a figure, a decision or a vote in minutes answers; None where no form fits."""
    chunk = index.chunks[triplet.chunk_id]
    record = find_origin(index.documents[triplet.doc_id], chunk.start + triplet.start)
    if record is None:
        return None
    if triplet.relation in _EVENTS:
        meeting = re.sub(r"^Federal Open Market Committee ", "", record.name)
        return _EVENTS[triplet.relation].format(of=triplet.subject, meeting=meeting, period=triplet.period)
    if "intermeeting" in triplet.period:
        source = "the minutes of that meeting"
    elif record.name.startswith("Federal Open Market Committee "):
        source = f"the minutes of the {record.name}"
    else:
        source = f"“{record.name}”"
    question = _figure_question(triplet)
    return f"{question}, according to {source}?" if question else None


def _figure_question(triplet: Triplet) -> str | None:
    about = triplet.relation.endswith(" about")
    words = triplet.relation.removesuffix(" about")
    annual = words.endswith(" annually")
    verb, *rest = words.removesuffix(" annually").split()
    measure, when = _with_article(triplet.subject), _period_phrase(triplet.period)
    near = "about " if about else ""
    if verb == "was":
        be = "were" if is_plural(measure) and "inflation" not in measure else "was"
        return f"What{', approximately,' if about else ''} {be} {measure} {when}"
    if verb not in _INFINITIVES:
        return None
    if verb == "averaged":
        return f"{'About w' if about else 'W'}hat level did {measure} average {when}"
    *turn, to = rest or [""]
    if to not in ("to", "at"):
        question = f"At {near}what annual rate" if annual else f"By {near}what percentage"
        turn = rest
    else:
        question = f"{to.capitalize()} {near}what level"
    return f"{question} did {measure} {' '.join([_INFINITIVES[verb], *turn])} {when}"


def _with_article(subject: str) -> str:
    words = subject.split()
    if (
        words[0][0].isupper()
        and words[0][1:].islower()
        and not re.match(r"(?:Treasury|Michigan|Japan|Canad|Europ)", subject)
    ):
        subject = subject[0].lower() + subject[1:]
    if ", as measured by " in subject:
        subject += ","
    return subject if is_plural(subject) or _BARE.search(subject) else f"the {subject}"


def _period_phrase(period: str) -> str:
    return f"{'over' if re.search(r'months|intermeeting| ending | and ', period) else 'in'} {period}"
