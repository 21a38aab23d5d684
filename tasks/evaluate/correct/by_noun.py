"""Whether a short answer is another thing than a gold answer in small letters, by what each noun is a kind of."""

import re
from collections.abc import Iterator

from rarefy.tasks.evaluate.correct.claim_status import TURNS
from rarefy.tasks.evaluate.correct.gold import Expectation
from rarefy.tasks.evaluate.correct.normalise import EMPTY, split_tokens
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.stems import stem

_LONG = 3  # content words of a gold answer that is the name of a thing
_LONGER = 4  # of an answer, without those of the question
_SHORT = 6  # words of an answer that is no sentence
_COPULA = re.compile(r"(.*?)\b(?:is|was|are|were|used|uses|use)\b", re.DOTALL)
_PRONOUNS = frozenset("it he she they this that these those answer".split())
_FAR = 5  # steps between nouns that no one takes for each other ("physician" and "nurse" are nearer)
_ASKED = re.compile(r"\b(?:what|which)\b(?: (?:is|was|are|were)\b)?((?: [\w'-]+){1,5})", re.IGNORECASE)
_TELLS_NO_KIND = frozenset("part kind type sort form name word term thing".split())
_MEANT = {"currency": "monetary unit"} | dict.fromkeys(
    "profession job position role occupation title".split(), "person"
)
_ASKS_SENSE = re.compile(
    r"\b(?:mean\w*|about|purpose|reasons?|why|point|happen\w*|describe\w*|definition)\b|\bor\b", re.IGNORECASE
)
_PHRASE = re.compile(r"\b(?:of|in|for|with|from|that|which|who|on|at|to|by|into)\b")


def is_another_thing(text: str, forms: tuple[str, ...], about: Expectation) -> bool:
    """Return whether answer and gold answer are nouns for two things, where it is asked what or which.

    No word of one may be a form, a synonym or a kind of a word of the other. Besides the nouns must be far apart, or of
    a kind that the question names: oxygen and nitrogen are no other gases than each other.
    """
    asked = about.question.text
    if not _ASKED.search(asked) or _ASKS_SENSE.search(asked) or TURNS.search(text):
        return False
    said = _COPULA.match(text)
    if said and all(word in _PRONOUNS or word in EMPTY or stem(word) in about.words for word in split_tokens(said[1])):
        text = text[said.end() :]
    repeated = [word for word in split_tokens(text) if word not in EMPTY and stem(word) in about.words]
    if _COPULA.match(text) or len(split_tokens(text)) > _SHORT or len(repeated) > 1:
        return False
    if any(re.match(r"\W*no\s", form) for form in forms):
        return False  # "unlimited" for "no limit"
    if any(re.match(r"\W*(?:\w+ing (?:the|an?|its|their)|to)\b", phrase) for phrase in (text, *forms)):
        return False  # what is done is no thing
    mine, *others = (_telling_words(phrase, about) for phrase in (text, *forms))
    if not 0 < len(mine) <= _LONGER or not 0 < len(others[0]) <= _LONG or any(map(str.isdigit, text + forms[0])):
        return False
    head, *heads = (_head(phrase) for phrase in (text, *forms))
    if any(own in wordnet.synonyms(head, "n") for own in heads):
        return False  # "hypertension" and "high blood pressure"
    gold = heads[0]
    ends = head.split(" ")[-1:], gold.split(" ")[-1:]
    if ends[0] != ends[1] and any(stem(word) in about.words for word in ends[0]):
        return False  # "a greenhouse gas" describes one
    both = head == " ".join(mine) and gold == " ".join(others[0]) and " " in head and " " in gold
    if both and mine[-1] == others[0][-1] and not are_related(head, gold):  # "sodium chloride"
        return all(head != own for own in heads)
    for words in others:
        at = int(len(mine) == len(words) == 2 and mine[0] == words[0])  # "recycled" of "recycled steel"
        if any(word[:4] == other[:4] or are_related(word, other) for word in mine[at:] for other in words[at:]):
            return False
    steps = wordnet.steps_between(head, gold)
    apart = steps is None or steps >= _FAR or any(wordnet.is_kind_of(gold, kind) for kind in _asked_kinds(asked))
    return wordnet.is_noun(gold) and apart


def are_related(one: str, other: str) -> bool:
    """Return whether two words or phrases are synonyms, or one says what the other is a kind of."""
    return (
        any(other in wordnet.synonyms(one, pos) or one in wordnet.synonyms(other, pos) for pos in "nvar")
        or wordnet.is_kind_of(one, other)
        or wordnet.is_kind_of(other, one)
    )


def _telling_words(phrase: str, about: Expectation) -> list[str]:
    """Return the content words of a phrase, without those of the question unless it has no others."""
    words = [word for word in split_tokens(phrase) if word not in EMPTY]
    return [word for word in words if stem(word) not in about.words] or words


def _head(phrase: str) -> str:
    """Return the noun of a phrase, with the words before it where the dictionary has them as one."""
    words = [word for word in split_tokens(_PHRASE.split(phrase)[0] or phrase) if word not in EMPTY]
    tails = (" ".join(words[at:]) for at in range(len(words)))
    return next(filter(wordnet.is_noun, tails), words[-1] if words else "")


def _asked_kinds(asked: str) -> Iterator[str]:
    """Yield the nouns that say of what kind the answer is: "metal" of "Which liquid metal …"."""
    for word in split_tokens(" ".join(_ASKED.findall(asked))):
        if word in _MEANT:
            yield _MEANT[word]
        elif word not in _TELLS_NO_KIND and word not in EMPTY and wordnet.is_noun(word):
            yield word
