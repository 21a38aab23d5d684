"""Questions about what minutes state: figures by their verb, decisions and votes by their meeting (RARE §3.3)."""

import re

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.extract.labels import is_plural
from rarefy.tasks.knowledge.extract.readings import origin
from rarefy.tasks.questions.ask.index import Index

_PLAIN = {  # what a figure did → the form that "did" takes
    "rose": "rise",
    "fell": "fall",
    "edged": "edge",
    "ticked": "tick",
    "inched": "inch",
    "moved": "move",
    "increased": "increase",
    "declined": "decline",
    "decreased": "decrease",
    "dropped": "drop",
    "climbed": "climb",
    "jumped": "jump",
    "dipped": "dip",
    "advanced": "advance",
    "grew": "grow",
    "expanded": "expand",
    "contracted": "contract",
    "appreciated": "appreciate",
    "depreciated": "depreciate",
    "remained": "remain",
    "stayed": "stay",
    "held": "hold",
    "stood": "stand",
    "averaged": "average",
}
_EVENTS = {  # relation → the question; "{of}" is what it is said of
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


def of_reading(triplet: Triplet, known: Index) -> str | None:
    """The question that a figure, a decision or a vote answers; None where no form fits."""
    chunk = known.chunks[triplet.chunk_id]
    record = origin(known.documents[triplet.doc_id], chunk.start + triplet.start)
    if record is None:
        return None
    if triplet.relation in _EVENTS:
        meeting = re.sub(r"^Federal Open Market Committee ", "", record.name)
        return _EVENTS[triplet.relation].format(of=triplet.subject, meeting=meeting, period=triplet.period)
    if "intermeeting" in triplet.period:
        asked = _asked(triplet)
        return f"{asked}, according to the minutes of that meeting?" if asked else None
    minutes = record.name.startswith("Federal Open Market Committee ")
    source = f"the minutes of the {record.name}" if minutes else f"“{record.name}”"
    asked = _asked(triplet)
    return f"{asked}, according to {source}?" if asked else None


def _asked(triplet: Triplet) -> str | None:
    about = triplet.relation.endswith(" about")
    words = triplet.relation.removesuffix(" about")
    annual = words.endswith(" annually")
    verb, *rest = words.removesuffix(" annually").split()
    measure, when = _with_article(triplet.subject), _when(triplet.period)
    near = "about " if about else ""
    if verb == "was":
        be = "were" if is_plural(measure) and "inflation" not in measure else "was"
        return f"What{', approximately,' if about else ''} {be} {measure} {when}"
    if verb not in _PLAIN:
        return None
    if verb == "averaged":
        return f"{'About w' if about else 'W'}hat level did {measure} average {when}"
    *turn, to = rest or [""]
    if to not in ("to", "at"):
        asked = f"At {near}what annual rate" if annual else f"By {near}what percentage"
        turn = rest
    else:
        asked = f"{to.capitalize()} {near}what level"
    return f"{asked} did {measure} {' '.join([_PLAIN[verb], *turn])} {when}"


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


def _when(period: str) -> str:
    return f"{'over' if re.search(r'months|intermeeting| ending | and ', period) else 'in'} {period}"
