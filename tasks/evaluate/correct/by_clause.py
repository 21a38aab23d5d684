"""Whether the clause of an answer that states the gold answer is the one that answers the question."""

import re

from rarefy.tasks.evaluate.correct.by_thing import spans_between
from rarefy.tasks.evaluate.correct.gold import Expectation, GoldAnswer
from rarefy.tasks.evaluate.correct.normalise import EMPTY, find_values, split_tokens
from rarefy.tasks.text.dates import compare_moments, moments
from rarefy.tasks.text.quantities import UNITS
from rarefy.tasks.text.sentences import sentences
from rarefy.tasks.text.stems import root, stem

_CUT = re.compile(r";\s|,\s(?:and|although|though)\s|,?\s(?:but|while|whereas)\s")
_PRONOUN = re.compile(r"\W*(?:and |but )?(?:it|he|she|they|you|its|his|her|their)\b", re.IGNORECASE)
_PERSON = re.compile(r"\W*(?:he|she)\b", re.IGNORECASE)
_NAME = re.compile(r"[A-Z][\w&'-]*(?:\s(?:of\s(?:the\s)?)?[A-Z][\w&'.-]*)*")
_ASKING = EMPTY | frozenset("what when where how whom whose many much do does did can may must will".split())
_CONCLUDES = re.compile(
    r"\b(?:therefore|thus|hence|so|total\w*|sum|result\w*|answer|overall|rounded)\b|[=≈]", re.IGNORECASE
)
_COUNTED = re.compile(r"\b(two|three|four|five|six|seven|eight|nine|ten)\s((?:[a-z]+\s)?[a-z]+)", re.IGNORECASE)
_ASKS_NOW = re.compile(r"\W*(?:who|what|which\b[^?]*?)\s?(?:is|are|'s)\s", re.IGNORECASE)
_ENDED = re.compile(r"[^.;]{0,20}\b(?:was|were|served|had been)\b[^.;]{0,60}\buntil\b", re.IGNORECASE)
_WHO = r"(?:who|whom|what|which(?:\s[a-z]+){1,2})"
_THING = r"(?:the\s)?(?P<name>[A-Z][\w&'.-]*(?:\s[A-Z][\w&'.-]*)*)"
_ASKED = tuple(  # by whom something was done, and to whom
    (re.compile(rf"\W*{words}\W*"), by)
    for words, by in (
        (rf"(?i:{_WHO})\s(?:was|were)\s(?P<verb>[a-z]+)\sby\s{_THING}", False),
        (rf"(?i:{_WHO})\s(?:did|does|has|had)\s{_THING}\s(?P<verb>[a-z]+)", False),
        (rf"(?i:{_WHO})\s(?:was|were|is|are)\s{_THING}\s(?P<verb>[a-z]+)\sby", True),
        (rf"(?i:by\s{_WHO})\s(?:was|were|is|are)\s{_THING}\s(?P<verb>[a-z]+)", True),
        (rf"(?i:{_WHO})\s(?P<verb>(?!is\b|was\b|are\b|were\b|has\b|did\b)[a-z]+)\s{_THING}", True),
    )
)
_MUTUAL = frozenset(map(stem, "married marry met meet divorced dated joined faced fought played equals merged".split()))


def is_reversed(text: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether an answer has what the question's verb says the other way round.

    "Ida Renner succeeded Karl Osei" does for "Who succeeded Ida Renner?", and so does "Karl Osei was succeeded by".
    """
    asked = next(((hit, by) for words, by in _ASKED if (hit := words.fullmatch(about.question.text))), None)
    if asked is None or stem(asked[0]["verb"]) in _MUTUAL:
        return False
    name, verb = re.escape(asked[0]["name"]), stem(asked[0]["verb"])
    found = set()
    for form in map(re.escape, gold.forms):
        for first, last, gold_first in ((form, name, True), (name, form, False)):
            for hit in re.finditer(
                rf"\b{first}(?P<be>\s(?:was|were|is|been|had been|has been))?(?:\s[a-z]+ly|\s(?:has|had|later|then))?\s"
                rf"(?P<verb>[a-z]+)(?P<by>\sby)?\s(?:the\s)?{last}\b",
                text,
            ):
                if stem(hit["verb"]) == verb and bool(hit["be"]) == bool(hit["by"]):
                    found.add((gold_first != bool(hit["by"])) == asked[1])
    return found == {False}


def is_answered_elsewhere(text: str, matched: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether another clause has more of the question's words than those with the matched words, and a rival.

    A rival is another value, date or name. A pronoun that begins a clause stands for what the clause before speaks of.
    Words that are an answer alone ("9443. It was 8080 before.") need none of the question's.
    """
    places = [hit.span() for hit in re.finditer(rf"(?<![\w.]){re.escape(matched)}(?!\w)", text)] if matched else []
    asked = _roots(about.question.text) - _roots(matched)
    if not places or not asked:
        return False
    if _ASKS_NOW.match(about.question.text) and all(_ENDED.match(text, end) for _, end in places):
        return True
    own: set[str] = set()
    others: list[set[str]] = []
    before: set[str] = set()
    for start, end in _clauses(text):
        clause = text[start:end]
        shared = asked & _roots(clause) | (before if _PRONOUN.match(clause) else set())
        before = shared
        if any(start <= at < end for at, _ in places):
            if not _roots(clause) - _roots(matched) or _CONCLUDES.search(clause):
                return False
            own |= shared
        elif _PERSON.match(clause) and start > places[0][0]:
            continue  # it goes on about who was named
        elif _has_rival(clause, matched, gold, about):
            others.append(shared)
    return any(shared > own for shared in others)


def counts_other_parts(text: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether an answer says of what is asked that there are more or fewer than the parts of the gold answer."""
    nouns = _roots(about.question.text)
    said = {UNITS[hit[1].casefold()] for hit in _COUNTED.finditer(text) if nouns & _roots(hit[2])}
    return bool(gold.parts and said) and len(gold.parts) not in said


def _roots(text: str) -> set[str]:
    return {root(word) for word in split_tokens(text) if word not in _ASKING}


def _clauses(text: str) -> list[tuple[int, int]]:
    return [span for start, end in sentences(text) for span in spans_between(_CUT, text, start, end)]


def _has_rival(clause: str, matched: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether a clause has another value, date or name of the gold answer's kind, which the question has not."""
    if gold.kind == "moment":
        return any(all(compare_moments(mine, one) == "other" for mine in gold.moments) for one in moments(clause))
    values = gold.values or [one for form in gold.forms if form[:1].isdigit() for one in find_values(form)]
    if values:
        kinds = {(one.kind, one.unit) for one in values}
        amounts = {one.amount for one in values}
        return any(
            (one.kind, one.unit) in kinds and one.amount not in amounts and not one.year for one in find_values(clause)
        )
    known = {word for source in (about.question.text, *gold.forms) for word in split_tokens(source)}
    long = min(len(form.split()) for form in gold.forms) > 1
    return (
        gold.kind == "text"
        and matched[:1].isupper()
        and any(
            len(hit[0].split()) > long and known.isdisjoint(split_tokens(hit[0])) and (long or hit.start() > 0)
            for hit in _NAME.finditer(clause)
        )
    )
