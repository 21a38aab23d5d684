"""One fact as a question in words: by method of extraction and by relation (RARE §3.3)."""

import re
from collections.abc import Sequence

from rarefy.data_contracts.rows import Triplet, row_id
from rarefy.tasks.knowledge.extract.deadlines import Rule, parse_rule
from rarefy.tasks.knowledge.extract.labels import is_plural
from rarefy.tasks.knowledge.extract.readings import find_origin
from rarefy.tasks.questions.ask.aliases import company_names, short_name
from rarefy.tasks.questions.ask.index import CorpusIndex
from rarefy.tasks.questions.ask.measures import Measure, describe_measure, upper_first
from rarefy.tasks.text.quantities import quantities
from rarefy.tasks.text.states import STATES
from rarefy.tasks.text.wordnet import known

OFFICE = re.compile(r"(chief .+|president|controller|general counsel|treasurer) of")
_OBJECT_QUESTIONS = {  # relation → the question that its object answers
    "is incorporated in": "In which {place} is {holder} incorporated?",
    "is headquartered in": "In which city is {holder} headquartered?",
    "is based in": "In which state or country is {holder} based?",
    "has principal executive offices at": "At which street address does {holder} have its principal executive offices?",
    "is listed on": "On which stock exchange does {holder} have its common stock listed?",
    "trades under symbol": "Under which ticker symbol does the common stock of {holder} trade?",
    "is part of": "Of which segment of {entity} is {holder} a part?",
    "is audited by": "Which accounting firm audits {holder}?",
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
        place = "state" if triplet.object in STATES.values() else "jurisdiction"
        return _OBJECT_QUESTIONS[triplet.relation].format(
            holder=mid_sentence(holder), place=place, entity=mid_sentence(triplet.entity)
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
    if triplet.relation == "was acquired by" and _DAY.fullmatch(triplet.period):
        return f"Which company did {mid_sentence(holder)} acquire on {triplet.period}?"
    office = OFFICE.fullmatch(triplet.relation)
    if office and triplet.period and triplet.method != "prose":
        holder, period = mid_sentence(holder), triplet.period.replace("fiscal year", "fiscal")
        short = len(holder.split()) < 6
        subject = f"{possessive(holder)} {office[1]}" if short else f"the {office[1]} of {holder}"
        whose = "its" if short else "the company's"
        forms = (
            f"Who was {subject} as of {whose} annual report for {period}?",
            f"Who was {subject} when {'it' if short else 'the company'} filed its annual report for {period}?",
        )
        return choose(forms, triplet.entity, triplet.relation, triplet.period)
    return None


_MONEY = {
    "AUD": "Australian dollars", "CHF": "Swiss francs", "CNY": "yuan", "HKD": "Hong Kong dollars",
    "INR": "rupees", "KRW": "won", "SGD": "Singapore dollars", "TWD": "New Taiwan dollars",
    "EUR": "euros", "GBP": "pounds sterling", "JPY": "yen", "CAD": "Canadian dollars",
}  # fmt: skip
DOLLARS = {"$": "dollars", "USD": "US dollars"}  # what an answer needs not be told: its notations say it

# "operating lease liabilities, including those of ... , as of": what trails behind a comma is closed by another
_TAIL = re.compile(
    r", (?:net of|excluding|including|included|current|less|related|before|basic|diluted|non-?current|long-term"
    r"|short-term|inclusive|after)\b[^,]*$"
)
_SPENT = re.compile(r"cost|expens|deprecia|amortiz|income|profit|loss|assets", re.I)


def possessive(name: str) -> str:
    """ "Apple Inc.'s", "Johnson & Johnson's", "Walgreens'"; "McDonald's" is one already."""
    if re.search(r"['’]s$", name, re.I):
        return name
    return f"{name}'" if name.endswith("s") and not name.endswith("ss") else f"{name}'s"


def mid_sentence(name: str) -> str:
    """A name as it stands inside a sentence: "the Coca-Cola Company"."""
    return re.sub(r"^The ", "the ", name)


def choose(forms: Sequence[str], *of: str) -> str:
    """One of several wordings, always the same for the same fact, in whichever passage it stands."""
    return forms[int(row_id("wording", *of), 16) % len(forms)]


def unit_phrase(triplet: Triplet) -> str | None:
    """ "in millions of euros" where an answer could not be told without; None where the unit has no name."""
    unit = triplet.unit.partition("/")[0]
    if triplet.unit in {"percent", "pure"} or triplet.object_type == "PERCENT" or unit in DOLLARS:
        return ""
    if unit in _MONEY:
        return f"in {triplet.scale} of {_MONEY[unit]}" if triplet.scale else f"in {_MONEY[unit]}"
    return "" if unit == "shares" else None


def when_phrase(triplet: Triplet, year_end: str = "") -> str:
    """ "in fiscal 2024" for a span of time; "as of September 28, 2024", "at the end of 2024" for a point in it."""
    period = year_end or triplet.period
    fact = (triplet.entity, triplet.subject, triplet.relation, triplet.period)
    if re.fullmatch(r"fiscal year \d{4}", period) and choose(("short", "long"), *fact, "year") == "short":
        period = period.replace("fiscal year", "fiscal")
    if year_end:
        return f"at the end of {period}"
    if triplet.period_start:
        return f"in {period}"
    if (last := re.fullmatch(r"December 31, (\d{4})", period)) and choose(("day", "year"), *fact) == "year":
        return f"at the end of {last[1]}"
    return f"as of {period}"


def _part_of(triplet: Triplet) -> tuple[str, str]:
    """(segment, phrase): a segment by its name, "" for none; " in Greater China", " from iPhone" for another part."""
    member = re.sub(r"^total (?=[A-Z])", "", triplet.subject.removeprefix(triplet.entity).strip(), flags=re.I)
    if not member or triplet.subject_type == "ORG":
        return "", ""
    if triplet.subject_type == "SEGMENT":
        return re.sub(r"(?:\s+total)?(?:\s+segment)?$", "", member, flags=re.I), ""
    if triplet.subject_type == "REGION":
        if re.fullmatch(r"Non-? ?(?:U\.?S\.?|United States)", member, re.I):
            return "", " outside the U.S."
        if re.fullmatch(r"international|foreign", member, re.I):
            return "", f" in {member.lower()} markets"
        member = re.sub(r"^([^,]+), ([^,]+)$", r"\1 and \2", member).replace("excluding U.S.", "excluding the U.S.")
        takes_article = re.match(
            r"Western Hemi|Eastern Hemi|United (?:States|Kingdom)|Americas|Rest of|Netherlands|U\.S\.$|Middle East",
            member,
        )
        return "", f" in the {member}" if takes_article else f" in {member}"
    member = re.sub(r"^(Product|Service)s?$", lambda kind: f"{kind[1].lower()}s", member)
    return "", f" {'for' if _SPENT.search(triplet.relation) else 'from'} {member}"


def part_phrase(triplet: Triplet) -> str:
    """ " in Greater China", " from iPhone", " for the Americas segment"; "" for the whole company."""
    segment, part = _part_of(triplet)
    return f" for the {segment} segment" if segment else part


_HELD = re.compile(  # what one can have an amount of
    r"(?:total |net |current |non-?current |long-term |short-term |unrestricted )*(?:goodwill|commercial paper|debt"
    r"|term debt|inventor(?:y|ies)|(?:deferred|unearned) revenues?|cash(?:,? (?:and )?cash equivalents)?"
    r"|cash and (?:cash )?equivalents|marketable securities|short-term investments)"
)
_EARNED = re.compile(  # what one can make an amount of
    r"(?:total |net |gross |operating |interest |comprehensive |segment )*(?:revenues?|income|profit|sales|earnings)"
    r"|(?:income|earnings) (?:before income tax(?:es)?|from operations)|(?:net )?operating revenues|gross margin"
)
_LOST = re.compile(r"(?:total |net |operating |comprehensive )*loss(?: from operations| before income taxes)?")
_ACTS = (  # a measure → what the one who reports it did; {0} is what the pattern has in brackets
    (r"(research and development|(?:technology and )?infrastructure|(?:sales and |selling and )?marketing"
     r"|marketing and sales|advertising|technology and infrastructure) (?:expenses?|costs?)", "spend on {0}"),
    (r"(capital expenditures|(?:treasury stock|share|stock) (?:re)?purchases|(?:re)?purchases of .+"
     r"|acquisitions? of .+)", "spend on {0}"),
    (r"(?:additions to|expenditures for) (property.*)", "spend on {0}"),
    (r"payments (?:for|related to) ((?:acquisitions?|repurchases?|purchases?) of .+)", "spend on {0}"),
    (r"payments for (property .+|business acquisitions.*)", "spend on {0}"),
    (r"payments to (acquire .+)", "spend to {0}"),
    (r"payments for (taxes related to .+)", "pay for {0}"),
    (r"payments for (dividends and dividend equivalents)", "pay in {0}"),
    (r"(?:cash )?(dividends) paid(?: to (?:share|stock)holders| on common stock)?", "pay in {0}"),
    (r"proceeds from (?:the )?(issuance|exercise|disposal|sale|disposition) of (.+)", "receive from the {0} of {1}"),
    (r"proceeds from ((?:issuances|exercises|disposals|sales|dispositions)(?: of .+)?)", "receive from {0}"),
    (r"proceeds from (maturities .+|asset sales|long-term debt.*|short-term debt)", "receive from {0}"),
)  # fmt: skip
_CASH_PAID = re.compile(r"(net )?cash (?:paid|payments)(?: during the period)? for (.+)")
_PAID = re.compile(r"((?:income )?taxes|interest) paid")
_REPAID = re.compile(r"(?:re)?payments? of ((?:long-term |short-term |term )?debt|commercial paper)")
_CASH_FLOW = re.compile(r"(net )?cash (provided|generated|used) (?:by|in) (operating|investing|financing) activities")


def ask_for_figure(triplet: Triplet, holder: str, year_end: str = "", when: str = "") -> str | None:
    """The question for a figure of a company that is named or described ("the company that …"); None without a unit.

    `year_end` says a day as the end of a year, where the day itself would tell whose it is; `when` says a time that is
    described instead: "in the year when ...".
    """
    who = mid_sentence(holder)
    if triplet.relation == "aggregate market value of common equity held by non-affiliates" and triplet.period:
        equity = f"{possessive(who)} common equity held by non-affiliates"
        if re.search(r" (?:that|whose|which) ", who):
            equity = f"the common equity held by non-affiliates of {who}"
        when = when_phrase(triplet)
        return f"{upper_first(when)}, what was the aggregate market value of {equity}?"
    if triplet.relation == "shares of common stock outstanding":
        return f"How many shares of common stock did {who} have outstanding {when_phrase(triplet)}?"
    unit = unit_phrase(triplet)
    if unit is None or not triplet.period:
        return None
    measure = describe_measure(triplet)
    if measure.rejected_because:
        return None
    named = holder in {*company_names(triplet.entity), short_name(triplet.entity)}
    forms = _figure_forms(triplet, measure, who, named, when or when_phrase(triplet, year_end))
    if when:  # what describes a time stands behind the name of whose time it is
        forms = [form for form in forms if form.endswith(f" {when}")] or forms
    text = choose(forms, triplet.entity, triplet.subject, measure.name, triplet.period)
    if unit:
        text += f", {unit}"
    return f"{upper_first(text)}?"


# Descriptions that a time behind them does not seem to date: not "the company that sold Giphy in fiscal 2023"
_TIMELESS = re.compile(r"\b(?:segment (?:that (?:sells|includes)|behind)|company (?:run|led) by) [^\d]+$")
# of a rank only a span of time: "the lowest sales at the end of 2023" would be those of a day
_RANKED = re.compile(
    r"\b(?:(?:segment|line of business|geographic area) (?:by|with the [a-z-]+est)"
    r"|(?:larger|smaller) of|the one) [^\d]+$"
)


def _figure_forms(triplet: Triplet, measure: Measure, who: str, named: bool, when: str) -> list[str]:
    """The wordings of a question for a figure, without its unit and question mark."""
    described = not named
    # a part that is described itself, unlike a part of a described company, is not named beside its description
    segment, part = _part_of(triplet) if named or who.startswith("the company ") else ("", "")
    if segment:
        who = f"the {segment} segment of {who}" if described else f"{possessive(who)} {segment} segment"
    verb = measure.verb
    if named and measure.name.startswith(f"{short_name(triplet.entity)} "):  # "Acme Corporation Stockholders' Equity"
        return [f"what {verb} {measure.name} {when}"]
    closed = "," if _TAIL.search(measure.name) else ""  # of what goes on behind the measure
    name = f"{measure.name}{part}"
    flow, money = bool(triplet.period_start), triplet.object_type == "MONEY" and "/" not in triplet.unit
    if measure.thing:
        return _change_forms(measure, who, described, when)
    if acts := _act_forms(measure.name, who, f"{part} {when}") if money and flow and triplet.method == "table" else []:
        return acts
    if described or segment:
        owned = f"the {name}{closed} of {who}"
        forms = [f"{when}, what {verb} {owned}"]
    else:
        owned = f"{possessive(who)} {name}"
        forms = [f"{when}, what {verb} {owned}"]
    if not described or _TIMELESS.search(who) or (flow and _RANKED.search(who)):
        forms += [f"what {verb} {owned}{'' if segment else closed} {when}"] * 2
    if described and re.search(r"\d", who):  # a time within is kept apart from the time asked for
        return forms
    if part or not money or "," in measure.name.replace("property, plant", ""):
        return forms
    if _EARNED.fullmatch(measure.name) and flow:
        forms.append(f"how much {'in ' if measure.plural else ''}{measure.name} did {who} report {when}")
        forms.append(f"what {measure.name} did {who} report for {when.removeprefix('in ')}")
    elif _LOST.fullmatch(measure.name) and flow:
        forms.append(f"{when}, how large was {owned}" if described else f"how large was {owned} {when}")
    elif _HELD.fullmatch(measure.name) and not flow:
        held = re.sub(r"\binventories$", "inventory", measure.name)
        many = "in " if measure.plural and held == measure.name else ""
        forms += [f"how much {many}{held} did {who} have {when}"] * 2
    elif flow and len(measure.name.split()) <= 4 and not re.search(r"\b(?:of|in|from|for|by)\b", measure.name):
        forms.append(f"what {measure.name} did {who} report for {when.removeprefix('in ')}")
    return forms


def _act_forms(name: str, who: str, when: str) -> list[str]:
    """The wordings for a measure of what somebody did with money: "How much did Apple spend on ..."."""
    if paid := _CASH_PAID.fullmatch(name):
        comma = "," if _TAIL.search(name) else ""
        return [f"how much {paid[1] or ''}cash did {who} pay for {paid[2]}{comma}{when}"]
    if paid := _PAID.fullmatch(name):
        return [f"how much {'in ' if paid[1].endswith('s') else ''}{paid[1]} did {who} pay{when}"]
    if repaid := _REPAID.fullmatch(name):
        return [f"how much {repaid[1]} did {who} repay{when}"]
    if flows := _CASH_FLOW.fullmatch(name):
        what = f"{flows[1] or ''}cash"
        if flows[2] == "used":
            return [f"how much {what} did {who} use in {flows[3]} activities{when}"]
        return [f"how much {what} did {who} generate from {flows[3]} activities{when}"]
    for pattern, act in _ACTS:
        if match := re.fullmatch(pattern, name):
            comma = "," if _TAIL.search(name) else ""
            return [f"how much did {who} {act.format(*match.groups())}{comma}{when}"]
    return []


def _change_forms(measure: Measure, who: str, described: bool, when: str) -> list[str]:
    """The wordings for how much something rose or fell: of cash itself, or as a statement of cash flows has it."""
    if re.match(r"(?:cash|funds)\b", measure.thing):
        whose = f"the {measure.thing} of {who}" if described else f"{possessive(who)} {measure.thing}"
        comma = "," if _TAIL.search(measure.thing) else ""
        if described:
            return [f"{when}, by how much did {whose} {measure.direction}"]
        return [f"by how much did {whose}{comma} {measure.direction} {when}"]
    statement = f"the cash flow statement of {who}" if described else f"{possessive(who)} cash flow statement"
    return [f"according to {statement}, by how much did {measure.thing} {measure.direction} {when}"]


_DAY = re.compile(r"[A-Z][a-z]+ \d{1,2}, \d{4}")
_SHARE = re.compile(r"(?<![\d.%–-])(\d{1,3}(?:\.\d+)?%) (?:[a-z]+ ){0,3}interest in ")
_COUNTED = {"employed": "employ", "operated": "operate"}


def ask_prose_fact(triplet: Triplet, holder: str) -> str | None:
    """The question that a prose triplet's object answers; None where no template fits."""
    when, holder = _day_phrase(triplet), re.sub(r"['’]s?$", "", mid_sentence(holder))
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
    r"(?:The|An?|Each|Every\w*|Any\w*|Some\w*|Who\w*|All|If|When|Where|Upon|Before|After|Following|For|In|On|Once|During|With|As|To|Of)\b"
)


def ask_deadline(triplet: Triplet) -> str | None:
    """The question that the measure of a rule answers; None for no known form."""
    rule = parse_rule(triplet.source_sentence)
    if rule is None:
        return None
    under = triplet.subject.rpartition(" under ")[2]
    condition = f"{_lower_first(rule.condition)}, " if rule.condition else ""
    since = rule.since if not rule.leads else _lower_first(rule.since)
    bound, modal, before = _say_bound(rule)
    often = _OFTEN.fullmatch(bound)
    words = ("how often, at a minimum," if often[1] else "how often") if often else _question_words(rule)
    what = " ".join(filter(None, ["" if often else bound, words, since]))
    if rule.leads:
        clause = f"{what} {modal} {before}"
    else:
        comma = "," if re.search(r", (?!and\b|or\b)", since) else ""
        clause = f"{what}{comma} {modal} {_lower_first(rule.subject)} {before} {rule.after}"
    clause = re.sub(r"\s+", " ", f"{condition}{clause}").strip()
    clause = clause.replace("that part", triplet.entity)
    # "shall" is how a rule speaks, "must" how one asks about it
    clause = re.sub(r"\bshall\b(?! not\b)", "must", clause, count=1)
    brief = not condition and " under " not in clause and len(clause.split()) <= 24
    if brief and choose(("first", "last"), triplet.triplet_id) == "last":
        return f"{upper_first(clause)}, under {under}?"
    return f"Under {under}, {clause}?"


_OFTEN = re.compile(r"(at least )?(?:once )?every")
_BOUNDS = (  # how rules bound a measure → how one asks for it
    (r"for (?:a (?:period|term) (?:of time )?not to exceed|a maximum of"
     r"|(?:a (?:period|term) of )?(?:not|no) (?:more|longer) than)", "for at most"),
    (r"for (?:a minimum of|(?:a (?:period|term) of )?(?:at least|(?:not|no) less than))", "for at least"),
    (r"for a (?:period|term) of", "for"),
    (r"over a (?:period|term) (?:of time )?(?:not to exceed|of (?:not|no) more than)", "over at most"),
    (r"(?:not|no) (?:less|fewer) than|a minimum of", "at least"),
    (r"(?:not|no) more than|a maximum of", "at most"),
    (r"in an amount not to exceed", "for up to"),
)  # fmt: skip


def _say_bound(rule: Rule) -> tuple[str, str, str]:
    """The bound, the modal and the verb phrase of a rule as one asks: "at most how many years may the term be"."""
    if not rule.bound and rule.before == "not exceed":
        return "at most", "may", "be"
    if re.fullmatch(r"(?:not|no) later than", rule.bound):
        early = re.match(r"(?:before|prior to|in advance of)\b", rule.since)
        return "at least" if early else "within", rule.modal, rule.before
    said = next((words for pattern, words in _BOUNDS if re.fullmatch(pattern, rule.bound)), rule.bound)
    if rule.before == "be":
        said = said.removeprefix("for ") if said.startswith("for at ") else said
    return said, rule.modal, rule.before


def _question_words(rule: Rule) -> str:
    if rule.bound.startswith("what "):
        return ""
    if rule.counted:
        return f"how many {_PLURAL.get(rule.counted, rule.counted)}"
    return "what percentage" if rule.kind == "PERCENT" else "what amount"


def _lower_first(words: str) -> str:
    """Words from the beginning of a sentence in lower case, as within one; names keep their capital."""
    named = _PROPER.match(words) or not _is_common(re.split(r"\W", words, maxsplit=1)[0])
    return words if named and not _OPENING_WORDS.match(words) else words[:1].lower() + words[1:]


def _is_common(word: str) -> bool:
    """Whether a word is one of the language, or may be a compound of a plural or of an actor: "subrecipients"."""
    return known(word.lower()) or word.endswith(("s", "er", "or", "ee", "ent", "ing"))


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
    "preceded meeting of": "According to the minutes of the {of}, when was the next meeting to be held?",
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


def ask_reading(triplet: Triplet, index: CorpusIndex, subject: str = "") -> str | None:
    """The question that a figure, a decision or a vote in minutes answers, about its subject as named or described."""
    chunk = index.chunks[triplet.chunk_id]
    record = find_origin(index.documents[triplet.doc_id], chunk.start + triplet.start)
    if record is None:
        return None
    question = _ask_of_record(triplet, record.name, subject)
    if question and re.search(r"\bFOMC\b", index.documents[triplet.doc_id].text):
        short = choose((_COMMITTEE, "FOMC"), triplet.subject, triplet.relation, triplet.period)
        question = question.replace(_COMMITTEE, short)
    return question


_COMMITTEE = "Federal Open Market Committee"


def _ask_of_record(triplet: Triplet, record: str, subject: str) -> str | None:
    if triplet.relation in _EVENTS:
        meeting = re.sub(r"^Federal Open Market Committee ", "", record)
        return _EVENTS[triplet.relation].format(of=subject or triplet.subject, meeting=meeting, period=triplet.period)
    if "intermeeting" in triplet.period:
        source = "the minutes of that meeting"
    elif record.startswith("Federal Open Market Committee "):
        source = f"the minutes of the {record}"
    else:
        source = f"“{record}”"
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
        if not annual and not about and choose(("percentage", "much"), triplet.subject, triplet.period) == "much":
            question = "How much"
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
