"""Triplets from rules with a measure: who must do what within, for at least or up to how much (R6-R8)."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rarefy.data_contracts.rows import Chunk, Document, Triplet, row_id
from rarefy.tasks.knowledge.extract.values import format_number
from rarefy.tasks.text.quantities import CURRENCIES, TENS, UNITS, number
from rarefy.tasks.text.sentences import sentences

if TYPE_CHECKING:
    from spacy.language import Language

_NUMERAL = "|".join(sorted([*UNITS, *TENS], key=len, reverse=True))
# possessive: of "1,1,1," no shorter beginning is tried, for none can end before a blank, a hyphen or a percent sign
_NUMBER = rf"(?:\d[\d,]*+(?:\.\d++)?|(?:{_NUMERAL})(?:[ -](?:and )?(?:{_NUMERAL}|hundred|thousand)\b)*+)(?: \(\d+\))?"
_TIME = (
    r"(?:calendar |business |working |consecutive |full |operating |fiscal |program |school |clear )?"
    r"(?:(?:day|week|month|year|hour|minute)s?)"
)
_SIZE = (
    r"(?:(?:square |cubic |linear )?(?:inches|feet|foot|meters|metres|yards|miles)|pounds|gallons|kilograms|grams"
    r"|tonnes|tons|kilometres|kilometers|millimetres|centimetres|acres|hectares|litres|liters|watts|amperes|volts|degrees|psi"
    r"|(?:dwelling |residential )?units|persons|members|employees|copies|points|basis points)"
)
# Where a measure of a rule stands, with the units that rules have; its value is read by text.quantities
_MEASURE = re.compile(
    rf"(?P<money>[$€£]\d[\d,.]*\d(?: (?:million|billion))?|[$€£]\d)|(?<![\w.$€£/-])(?P<number>{_NUMBER})"
    rf"(?:[ -](?P<time>{_TIME})\b|(?P<percent> ?%| percent\b| per cent\b)|[ -](?P<size>{_SIZE})\b)",
    re.I,
)
_BOUND = (  # what stands before a measure and goes with it to the front of a question
    r"within|(?:not|no) (?:later|earlier|sooner|more|less|fewer) than|at least (?:once )?every|once every|until"
    r"|(?:for|over) a (?:period|term) (?:of time )?not to exceed|over a period of (?:not|no) more than"
    r"|for (?:a (?:minimum |maximum )?(?:period|term) of )?(?:at least|up to|(?:no|not) (?:less|more|longer) than)"
    r"|for (?:a (?:minimum |maximum )?(?:period|term) of)|for a (?:minimum|maximum) of|at least|up to|at most|for|every"
    r"|a (?:minimum|maximum) of|in an amount not to exceed"
)
_EXTREME = re.compile(
    r"\ba ((?:minimum|maximum) [\w -]{3,40}) of(?: (?:at least|not less than|no less than))?(?: about)? $"
)
_FRONT = re.compile(rf"(?:^|(?<= ))(?P<bound>{_BOUND}) (?:a total of )?$", re.I)
_MODAL = re.compile(r"\b(must|shall|will|may)\b")
_ASIDE = re.compile(r"(?:if|when|where|in|with|without|by|for|to|on|from|at|under|before|after|during|per|\w+ing)\b")
_THING = re.compile(r"(?:an?|the|all|any|each|copies|written)\b")
_KINDS = {"money": "MONEY", "time": "DURATION", "percent": "PERCENT", "size": "NUMBER"}
_FROM = re.compile(
    r"^ ?(?:after|of|from|before|prior to|following|beginning|preceding|in advance of|subsequent to|wide|high|deep|long"
    r"|thick|old|apart|in (?:height|width|diameter|length|depth|thickness|area|size|age))\b",
    re.I,
)
# What makes a sentence more or less than one self-contained rule
_EXCEPT = re.compile(
    r"\b(?:unless|except|other than|whichever|whatever period|such longer|such shorter|longer period"
    r"|respectively|provided,? (?:however|that)|notwithstanding|however|neither|hereof|herein|thereof|thereafter"
    r"|the following|as follows|(?:described|listed|specified|stated|noted|forth) (?:above|below)|the above|otherwise"
    r"|paragraphs?|such(?! as\b)|these|those|this(?! (?:part|section)\b)|they|them|he|she|it|you|your|we|our|us"
    r"|or (?:prior|before)"
    r"|the same|the latter|the former|another|but)\b|[;:“”\"\[\]_]|\)\s*\(",
    re.I,
)
_THAT = re.compile(r"\b(?:that|which|who|whom|whose|if|when|where|until|whether|because|while|but)\b", re.I)
_CONDITION = re.compile(
    r"^(?:if|when|where|upon|before|after|following|for|in|on|once|during|with respect to|as part of)\b", re.I
)
_LOOSE = re.compile(  # the end of a verb phrase that needs its measure to be whole
    r"\b(?:and|or|of|(?<!equal )(?<!limited )to|at|in|over|by|with|as|than|a|an|the|to exceed|approximately|about"
    r"|(?<!be )(?:placed|located|installed))$"
)
_MORE = re.compile(r"^(?:['’-]| ?or (?:more|less|longer|fewer)\b)|, (?:which|who|and|or|plus|less)\b")
_OWN = re.compile(r"(?:not )?(?:exceed|be)|be (?:equal|limited) to|equal|have")  # verbs that take a measure as it is
_NAMELESS = re.compile(
    r"^(?:no|such|and|or|nor|each such|any such|some|many|most|one|all of|both|only|that|how|what)\b"
    r"|\b(?:and|or|of|to|for)$",
    re.I,
)
_MARK = re.compile(r"^(?:\([a-zA-Z0-9]{1,5}\)\s*|—\s*)+")
_ACTS = "respond|submit|provide|comply|file|comment|appeal|review|correct|request|complete|approve|cure|accept|notify"
_POSSESSIVE = re.compile(r"\b(?:its|their|his or her|his|her)\b", re.I)
_OTHER = re.compile(
    r"(?<![\w.§-])(?<!§ )(?<!CFR )(?<!tion )(?<!art )(?<!Law )(?<!Form )"
    r"(?!(?:19|20)\d\d\b)\d[\d.,/]*(?! CFR| U\.S)(?![\w-])"
)
_SECTION = re.compile(r"^(?:#+ )?\**(§+ ?\d[\w.-]*\w|(?:Article|Section|Regulation|Rule) \d+[a-zA-Z]?)\b", re.M)
_RULES = re.compile(
    r"\b(?:C\.?F\.?R|Part \d|Regulations?|Directive|Act|Code|Order|Rules?|Decision|Statute|Law)\b", re.I
)

# Whom rules speak to, and what a whole regulation is about: known without having been introduced.
_ACTOR = re.compile(r"(?:er|or|ee|ant|ian|ist|ity|[^m]ent)s?$")
_THINGS = """
    order orders letter letters number matter answer charter parameter meter fee fees grant warrant event rent extent
    factor sector error disaster offer center water register content component consent opportunity facility activity
    entity quarter remainder transfer labor majority quantity capacity ability validity incident accident
""".split()
_KNOWN = """
    state states agency department secretary court court's board panel project program lease unit family household home
    contract area building mortgage public government bank company world judge council parliament community income
    hearing assistance inspection
""".split()


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule taken apart: condition, subject, modal and verb phrase around the bounded measure that was taken out."""

    condition: str
    subject: str
    modal: str
    before: str  # the verb phrase up to the measure: "notify the applicant"
    bound: str  # "within"; "" where the measure is the verb's own object
    answer: str
    kind: str  # DURATION | PERCENT | MONEY | NUMBER
    counted: str  # "calendar days"; "" for others
    value: str
    since: str  # "after receipt of the application", "of the grant amount"
    after: str  # the rest of the verb phrase
    leads: bool = False  # the measure belongs to the subject: "At least 50 percent of … must …"


def parse_rule(sentence: str) -> Rule | None:
    """The one measured rule that a sentence sets, or None where it sets none, several, or leans on others."""
    text = _MARK.sub("", sentence).strip()
    text = re.sub(r" \((?:as |see )[^()]*\)|,? as appropriate,?| also\b", "", text)
    if not text.endswith(".") or len(text.split()) > 45 or _EXCEPT.search(text) or len(_MEASURE.findall(text)) != 1:
        return None
    text = _measured_half(re.sub(r"\bthis (part|section)\b", r"that \1", text[:-1]))
    measures, modals = list(_MEASURE.finditer(text)), list(_MODAL.finditer(text))
    if len(measures) != 1 or len(modals) != 1 or not text[:1].isupper():
        return None
    measure, modal = measures[0], modals[0]
    if measure["number"] in ("1", "one") and re.search(r"(?:s|feet)$", measure["time"] or measure["size"] or ""):
        return None  # "1 inches": the fraction was lost on the way
    if _OTHER.search(text[: measure.start()]) or _OTHER.search(text, measure.end()):
        return None
    split = _split_after_measure if measure.start() < modal.start() else _split_around_object
    parts = split(text, measure, modal)
    if parts is None or not text[modal.end() :].strip():
        return None
    condition, subject, before, bound, since, after = parts
    leads = not subject
    named = leads or (len(subject.split()) <= 22 and not _NAMELESS.search(subject) and subject.count(",") in (0, 2))
    if not named or _POSSESSIVE.search(f"{condition} {subject or since}"):
        return None
    if not (value := _measure_value(measure)):
        return None
    kind = next(k for g, k in _KINDS.items() if measure[g])
    counted = re.sub(r"(?<!s)$", "s", measure["time"].lower()) if measure["time"] else measure["size"] or ""
    return Rule(
        *(condition, subject, modal[1], before, bound.lower(), measure[0], kind, counted, value),
        *(since, after, leads),
    )


def _measured_half(text: str) -> str:
    """The half with the measure of "X must do this and must do that"."""
    both, first = re.search(r",? and (?=(?:must|shall|will|may)\b)", text), _MODAL.search(text)
    if not both or not first:
        return text
    first_half = text[: both.start()]
    return first_half if _MEASURE.search(first_half) else text[: first.start()] + text[both.end() :]


def _split_around_object(text: str, measure: re.Match[str], modal: re.Match[str]) -> tuple[str, ...] | None:
    """(condition, subject, before, bound, since, after) of a rule whose measure stands after its modal, or None."""
    head = text[: modal.start()].strip()
    condition, _, subject = head.rpartition(", ") if _CONDITION.match(head) else ("", "", head)
    before = text[modal.end() : measure.start()].lstrip()
    if extreme := _EXTREME.search(before):
        before = before[: extreme.start()].strip()
        rest = text[measure.end() :].strip()
        plain = head and before and not condition and not _CONDITION.match(head) and not _THAT.search(before)
        fits = plain and "," not in f"{before}{rest}" and not re.search(r"\b(?:and|or|of|with|to|at|by|in)$", before)
        measured = bool(re.match(r"measured\b", rest))
        if not fits or not (measured or re.match(r"(?:if|when|where)\b|$", rest)):
            return None
        return condition, subject, before, f"what {extreme[1]}", rest if measured else "", "" if measured else rest
    bounded = _FRONT.search(before)
    bound = bounded["bound"] if bounded else ""
    before = (before[: bounded.start()] if bounded else before).strip()
    if (_CONDITION.match(head) and not condition) or _THAT.search(before) or re.search(r"\b(?:and|or) \w+$", before):
        return None
    rest = text[measure.end() :]
    share = measure["percent"] and rest.startswith(" of ") and not re.search(r"\b(?:not|than)\b", before)
    if _LOOSE.search(before) or before.count("(") != before.count(")") or before.count(",") > 2 or _MORE.search(rest):
        return None
    if not (bound or share or _OWN.fullmatch(before)) or (before == "have" and (bound or not measure["time"])):
        return None
    if before.startswith("not ") and before != "not exceed":
        return None
    since, after = _split_tail(rest)
    if before == "have":
        given = re.fullmatch(rf"(.*?) ?\b(?:within which )?(to (?:{_ACTS})\b.*)", rest.strip())
        if given is None or (given[1] and not _FROM.match(given[1])) or "," in rest:
            return None
        return condition, subject, before, bound, given[1], given[2]
    aside = not after or before.endswith(",") or _ASIDE.match(after) or (not since and _THING.match(after))
    if not aside or (re.search(r"\b(?:be|exceed|to|equal)$", before) and not re.match(r"(?:if|when|where)\b|$", after)):
        return None
    return condition, subject, before.rstrip(", "), bound, since, after


def _split_after_measure(text: str, measure: re.Match[str], modal: re.Match[str]) -> tuple[str, ...] | None:
    """The same parts where the measure is first: "Within 45 days after …, X must", "At least 50 percent of … must"."""
    front, head = text[: measure.start()], text[measure.end() : modal.start()].strip()
    rest = text[modal.end() :].strip()
    if front.startswith(("A ", "The ")) and (extreme := _EXTREME.search(re.sub(r"^(?:A|The)\b", "a", front))):
        return "", "", rest, f"what {extreme[1]}", head, ""
    bounded = _FRONT.search(front)
    if bounded is None or bounded.start():
        return None
    if measure["time"]:
        since, comma, subject = head.rpartition(", ")
        return ("", subject, rest, bounded["bound"], since, "") if comma and _FROM.match(since) else None
    return ("", "", rest, bounded["bound"], head, "") if head.startswith("of ") and "," not in head else None


def _split_tail(rest: str) -> tuple[str, str]:
    """(what the measure counts from or is a share of, what comes after that)."""
    if not _FROM.match(rest):
        return "", rest.strip(", ")
    cut = re.search(r", | (?=(?:if|when|where)\b)", rest)
    return (rest[: cut.start()].strip(), rest[cut.end() :].strip()) if cut else (rest.strip(), "")


def _measure_value(measure: re.Match[str]) -> str:
    """The measure as a plain number; "" for digits that are none, as "1.234.5"."""
    quantity = number(re.sub(r"(?<=\d) \(\d+\)$", "", measure["money"] or measure["number"]))
    return format_number(quantity.value) if quantity else ""


def extract_deadlines(
    document: Document, chunks: Iterable[Chunk], parser: Callable[[], "Language"]
) -> Iterator[Triplet]:
    """The measured rules of a regulation, each named after the section that sets it; nothing of other documents."""
    name = document.entity or document.title
    if document.domain != "policy" and not (document.domain == "default" and _RULES.search(name)):
        return
    marks = mark_sections(document.text)
    for chunk in chunks if name else ():
        for start, end in sentences(chunk.text) if chunk.kind == "text" else ():
            sentence = chunk.text[start:end]
            rule = parse_rule(sentence) if _MODAL.search(sentence) else None
            if rule is None or _is_in_list(document.text, chunk.start + start, sentence):
                continue
            section = section_at(marks, chunk.start + start)
            subject = rule.subject or rule.since[3:] or rule.bound[5:]
            subject = re.sub(r"^(?:the|an?|each|every|any|all) ", "", subject, flags=re.I)
            yield Triplet(
                row_id("deadline", chunk.chunk_id, start, rule.answer),
                *(chunk.chunk_id, document.doc_id, start, end, f"{subject} under {cite_section(name, section)}"),
                *(_make_relation(rule), rule.answer, sentence, "deadline"),
                object_type=rule.kind,
                answer=rule.answer,
                value=rule.value,
                unit=rule.counted or ("percent" if rule.kind == "PERCENT" else CURRENCIES[rule.answer[0]]),
                entity=document.entity,
                domain=document.domain,
                rejected_because="leans_on_context" if _happens(rule) or _needs_context(sentence, parser()) else "",
            )


def _is_in_list(text: str, at: int, sentence: str) -> bool:
    """Whether a sentence stands in a list whose first words ("The owner must:") it needs."""
    above = text[:at].rstrip().split("\n\n")[-8:] if _MARK.match(sentence) else [""]
    lead = next((p for p in reversed(above) if not _MARK.match(p)), "")
    return lead.rstrip().endswith((":", "—")) or above[-1].rstrip().endswith((":", "—"))


def _happens(rule: Rule) -> bool:
    """Whether a rule says when something happens, and only an earlier sentence what: "Distribution will occur"."""
    event = re.match(r"(?:occur|happen|take place)\b", f"{rule.before} {rule.after}")
    return bool(event) and " " not in rule.subject


def _needs_context(sentence: str, nlp: "Language") -> bool:
    """Whether a sentence has a bare "the notice" that only earlier sentences explain."""
    words = nlp(_MARK.sub("", sentence))
    bare: set[str] = set()
    introduced: set[str] = set()
    for word in (w for w in words if w.pos_ in ("NOUN", "PROPN")):
        after = word.nbor().lower_ if word.i + 1 < len(words) else ""
        alone = all(child.dep_ in ("det", "case", "punct", "cc", "conj") for child in word.children)
        definite = any(child.lower_ == "the" for child in word.children)
        actor = _ACTOR.search(word.lower_) and word.lower_ not in _THINGS
        named = actor or word.text[0].isupper() or word.lower_ in _KNOWN
        leaning = alone and definite and not (named or after in ("of", "that", "which", "who", "described"))
        (bare if leaning else introduced).add(word.lemma_.lower())
    return bool(bare - introduced)


def _make_relation(rule: Rule) -> str:
    """Two to four words: "must notify within", "shall not exceed", "must be retained for"."""
    verb, bound = f"{rule.before} {rule.after}".split(), rule.bound.removeprefix("what ").split()
    verb = verb[: 2 if verb[0] in ("be", "not") else 1]
    ends = bound[-1:] if bound and bound[-1] in ("within", "for", "every", "until") else bound[:2]
    return " ".join([rule.modal, *verb, *ends][:4])


def mark_sections(text: str) -> list[tuple[int, str]]:
    """Where the sections of a regulation begin, and their marks: "§ 581.8", "Article 12"."""
    return [(m.start(), m[1]) for m in _SECTION.finditer(text)]


def section_at(marks: Sequence[tuple[int, str]], at: int) -> str:
    """The mark of the section that holds this place; "" before the first."""
    found = bisect_right(marks, at, key=lambda mark: mark[0])
    return marks[found - 1][1] if found else ""


def cite_section(name: str, section: str) -> str:
    """ "24 CFR 581.8", "Article 12 of Directive 2019/1023"; the regulation's own name where no section is marked."""
    part = re.fullmatch(r"(\d+ CFR) Part ([\dA-Za-z]+)", name)
    number = section.lstrip("§ ")
    if part and number.startswith(f"{part[2]}."):
        return f"{part[1]} {number}"
    return f"{section} of {name}" if section and not part else name
