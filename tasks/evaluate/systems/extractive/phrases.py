"""Chooses the phrase of a sentence that answers a question about neither figure nor date, by part-of-speech tags.

Candidates are noun phrases, names, joined phrases ("of"), lists and what stands in quotes. Each is scored by its
distance from the words of the question, and by whether it is what the question names ("which architect"). The weights
were fitted on questions about encyclopedia paragraphs and rounded.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from rarefy.tasks.evaluate.systems.extractive.question import EMPTY, ParsedQuestion
from rarefy.tasks.text.dates import month_number
from rarefy.tasks.text.stems import stem
from rarefy.tasks.text.syntax.tree import TaggedWord, tag_words

_NOUNS = frozenset("NN NNS NNP NNPS CD FW".split())
_NAMES = frozenset("NNP NNPS".split())
_INSIDE = _NOUNS | frozenset("DT PDT PRP$ JJ JJR JJS VBN VBG POS HYPH AFX $ ADD SYM GW".split())
_EDGE = frozenset("DT PDT PRP$ POS HYPH CC , :".split())
_AUX = frozenset("is are was were be been do does did has have had can could will would may might must should".split())
_LONGEST = 12  # words of a phrase
_REACH = 8  # words from a phrase in which the question's own count
_TITLES = frozenset("Dr. Mr. Mrs. Ms. Prof. Dr Mr Mrs Ms Prof".split())
_ASKS = frozenset("what which who whom whose when where how why".split())


class Phrase(NamedTuple):
    """A range of a sentence's words, `last` excluded."""

    first: int
    last: int
    how: str  # plain | name | joined | list | quoted | less


@dataclass(frozen=True)
class AnswerSlot:
    """Where an answer would stand in a statement of the question, and what it names."""

    noun: str = ""  # stem of what it is: "architect"
    many: bool = False  # whether the question names several
    before: str = ""  # stem of the verb that the answer follows
    after: str = ""  # stem of the verb that follows the answer


@lru_cache(maxsize=50_000)
def parse_slot(question: str) -> AnswerSlot:
    """Return the answer slot of a question; an empty one where its words do not show it."""
    words = tag_words(question)
    at = next((n for n, word in enumerate(words) if word.text.lower() in _ASKS), None)
    if at is None:
        return AnswerSlot()
    rest = list(words[at + 1 :])
    noun, many, n = "", False, 0
    while (
        n < len(rest) and (rest[n].tag in _INSIDE or rest[n].text.lower() == "of") and rest[n].text.lower() not in _AUX
    ):
        n += 1
    named = [word for word in rest[:n] if word.tag in _NOUNS]
    aux = rest[n].text.lower() if n < len(rest) else ""
    then = rest[n + 1 :] if aux in _AUX else rest[n:]
    if not named and aux in ("is", "are", "was", "were"):
        for word in then:
            if word.tag not in _INSIDE:
                break
            if word.tag in _NOUNS:
                named.append(word)
        if named and named[-1].text.lower() in ("name", "term", "word"):
            named = named[:-1]
        noun = stem(named[-1].text.lower()) if named else ""
        many = aux in ("are", "were")
    elif named:
        noun, many = stem(named[-1].text.lower()), named[-1].tag in ("NNS", "NNPS")
    verbs = [k for k, word in enumerate(then) if word.tag.startswith("VB") and word.text.lower() not in _AUX]
    if not verbs:
        return AnswerSlot(noun, many)
    verb = stem(then[verbs[0]].text.lower())
    return AnswerSlot(noun, many, "", verb) if verbs[0] == 0 else AnswerSlot(noun, many, verb, "")


def find_phrases(words: tuple[TaggedWord, ...], asked: frozenset[str]) -> list[Phrase]:
    """Return all candidate phrases in their order; `asked`: stems of the question."""
    runs = list(_runs(words))
    found: dict[tuple[int, int], Phrase] = {}

    def add(first: int, last: int, how: str) -> None:
        while first < last and (words[first].tag in _EDGE or words[first].text in _TITLES):
            first += 1
        while first < last and words[last - 1].tag in _EDGE:
            last -= 1
        if first < last and last - first <= _LONGEST:
            found.setdefault((first, last), Phrase(first, last, how))

    for at, (first, last) in enumerate(runs):
        add(first, last, "plain")
        for less in range(first + 1, min(first + 4, last)):
            if words[less - 1].tag not in _EDGE:
                add(less, last, "cut")
        for start, end in _name_stretches(words, first, last):
            add(start, end, "name")
        less = last
        while less > first and stem(words[less - 1].text.lower()) in asked:
            less -= 1
        if less < last:
            add(first, less, "less")
        for _, end in runs[at + 1 : at + 3]:
            between = [word.text.lower() for word in words[last : runs[at + 1][0]]]
            if between in (["of"], ["for"], ["in"]):
                add(first, end, "joined")
        end, size = last, 1
        for start, stop in runs[at + 1 : at + 6]:
            between = [word.text.lower() for word in words[end:start]]
            if not between or not all(one in (",", "and", "or", "&") for one in between):
                break
            if size == 1 and between == [","] and _is_name(words[first:end]) and _is_name(words[start:stop]):
                add(first, stop, "place")
            end, size = stop, size + 1
            if "," not in between:
                add(first, end, "list")
        if size > 1:
            add(first, end, "list")
    opened = None
    for at, word in enumerate(words):
        if word.text in '"“”':
            if opened is not None:
                add(opened + 1, at, "quoted")
            opened = at if opened is None else None
    return sorted(found.values())


def _runs(words: tuple[TaggedWord, ...]) -> Iterator[tuple[int, int]]:
    start = None
    for at, word in enumerate((*words, TaggedWord("", "", 0, 0))):
        inside = word.tag in _INSIDE
        if inside and start is not None and word.tag in ("DT", "PRP$", "PDT"):
            yield from _trim_run(words, start, at)
            start = at
        elif inside and start is None:
            start = at
        elif not inside and start is not None:
            yield from _trim_run(words, start, at)
            start = None


def _trim_run(words: tuple[TaggedWord, ...], start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield a run cut after its last noun, or whole where it has none but an adjective or participle."""
    last = next((at + 1 for at in range(end - 1, start - 1, -1) if words[at].tag in _NOUNS), end)
    if any(word.tag in _NOUNS or word.tag in ("JJ", "VBG", "VBN") for word in words[start:last]):
        yield start, last


def _name_stretches(words: tuple[TaggedWord, ...], first: int, last: int) -> Iterator[tuple[int, int]]:
    start = None
    for at in range(first, last + 1):
        name = at < last and (words[at].tag in _NAMES or words[at].text[:1].isupper())
        if name and start is None:
            start = at
        elif not name and start is not None:
            yield start, at
            start = None


# feature of a phrase as an answer -> weight
WEIGHTS = {
    "overlap": -0.3,
    "no_noun": -0.1,
    "near_left": 2.7,
    "near_right": 1.1,
    "next_left": 0.4,
    "next_right": 0.2,
    "gap_before": 1.0,
    "gap_after": 0.5,
    "by": 0.8,
    "noun_last": 1.2,
    "noun_beside": 0.6,
    "name": 0.8,
    "name_kind": 1.0,
    "number": -0.5,
    "words": 0.25,
    "joined": -0.4,
    "list": -0.3,
    "list_many": 0.7,
    "list_one": -0.7,
    "quoted": 0.5,
    "adjective": -0.6,
    "first_word": 0.4,
    "place_in": 0.7,
    "copula": 0.4,
    "cut": -0.7,
    "bracket": -0.3,
}
FEATURES = tuple(WEIGHTS)


@lru_cache(maxsize=50_000)
def best_phrase(text: str, question: ParsedQuestion) -> tuple[str, float] | None:
    """Return the best phrase of a sentence and its score (a weighted sum of features); None where there is none."""
    words, weights, where = tag_words(text), dict(question.weights), parse_slot(question.text)
    best = None
    for one in find_phrases(words, question.words):
        known = phrase_features(words, one, question.kind, weights, where)
        if known[0] == 1:  # overlap: it repeats the question
            continue
        score = round(sum(weight * value for weight, value in zip(WEIGHTS.values(), known, strict=True)), 6)
        if best is None or score > best[1]:
            best = text[words[one.first].start : words[one.last - 1].end], score
    return best


def phrase_features(
    words: tuple[TaggedWord, ...], one: Phrase, kind: str, weights: dict[str, float], where: AnswerSlot
) -> tuple[float, ...]:
    """Return the features of a phrase as an answer, in the order of FEATURES."""
    own = words[one.first : one.last]
    stems = [stem(word.text.lower()) for word in own if word.text.lower() not in EMPTY and word.text[0].isalnum()]
    total = sum(weights.values()) or 1.0
    left = right = 0.0
    for at in range(max(one.first - _REACH, 0), min(one.last + _REACH, len(words))):
        weight = weights.get(stem(words[at].text.lower()), 0.0)
        if weight and at < one.first:
            left += weight * (1 - (one.first - at - 1) / _REACH)
        elif weight and at >= one.last:
            right += weight * (1 - (at - one.last) / _REACH)
    before, prepositions = _next_content_word(words, range(one.first - 1, max(one.first - 5, -1), -1))
    after, _ = _next_content_word(words, range(one.last, min(one.last + 4, len(words))))
    name = all(
        word.tag in _NAMES or word.text[:1].isupper() or word.text.lower() in EMPTY or not word.text[0].isalnum()
        for word in own
    )
    overlap = sum(one_ in weights for one_ in stems) / len(stems) if stems else 1.0
    last = stems[-1] if stems else ""
    named = kind in ("person", "place", "organisation", "address")
    copula = any(
        words[at].text.lower() in ("is", "are", "was", "were", "called", "as", "named")
        for at in range(max(one.first - 2, 0), one.first)
    )
    return tuple(
        float(value)
        for value in (
            overlap,
            not any(word.tag in _NOUNS for word in own),
            min(left / total, 1.0),
            min(right / total, 1.0),
            before in weights,
            after in weights,
            bool(where.before) and before == where.before,
            bool(where.after) and after == where.after,
            bool(where.after) and before == where.after and "by" in prepositions,
            bool(where.noun) and last == where.noun,
            bool(where.noun) and where.noun in (before, after) and last != where.noun,
            name,
            name and named,
            named and any(word.tag == "CD" or month_number(word.text) for word in own),
            len(own) / 5,
            one.how == "joined",
            one.how == "list",
            one.how == "list" and where.many,
            one.how != "list" and where.many,
            one.how == "quoted",
            own[-1].tag in ("JJ", "VBN", "VBG"),
            one.first == 0,
            kind == "place" and bool(prepositions & {"in", "at", "near", "to", "from"}),
            copula,
            one.how == "cut",
            one.first > 0 and words[one.first - 1].text == "(",
        )
    )


def _is_name(words: tuple[TaggedWord, ...]) -> bool:
    return all(word.text[:1].isupper() or word.tag in _NAMES for word in words)


def _next_content_word(words: tuple[TaggedWord, ...], places: range) -> tuple[str, frozenset[str]]:
    """Return the stem of the first content word at these places, and the words passed before it."""
    passed = set()
    for at in places:
        word = words[at].text.lower()
        if word in EMPTY or words[at].tag in ("IN", "TO", "RB", "RP") or not word[0].isalnum():
            passed.add(word)
            continue
        return stem(word), frozenset(passed)
    return "", frozenset(passed)
