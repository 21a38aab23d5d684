"""Whether a text says again what another one says, by proof alone: the same words, or a change known to be safe.

Each sentence of the hypothesis must be a sentence of the premise, in the order of the premise: word for word, but that
figures may stand in another notation, words in a reviewed synonym of the same form (syntax/synonyms.tsv), phrases and
frames in another of their class, tables in another layout, and the syntax be one that `syntax` makes of it. Nothing is
guessed from words in common: what is not proved is left to inference.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rarefy.tasks.text.notations import mark_figures
from rarefy.tasks.text.sentences import sentences
from rarefy.tasks.text.syntax import (
    parse_measure_question,
    reorder_question,
    rephrase_measure_question,
    reword_terms,
    rewrites,
)
from rarefy.tasks.text.syntax.level import canonical_wording, remove_known_differences
from rarefy.tasks.text.syntax.pieces import join_pieces
from rarefy.tasks.text.syntax.words import exchangeable
from rarefy.tasks.text.wordnet import readings

LIKELY = 0.7  # share of a sentence's tokens that one of which it is another syntax has: voice adds "was" and "by"
TRIED = 2  # sentences of the premise of which it may be another syntax, the likeliest first
LONGEST = 1_200  # characters of a sentence that is parsed: a longer one is a list
_TOKEN = re.compile(r"\x02(?P<figure>\d+)\x03|[^\W_]+(?:[-.'&][^\W_]+)*|[^\w\s,\"“”„‘’'`*_()\[\].-]")
_NOT = re.compile(r"(?<=\w)n['’]t\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Token:
    """A figure in one notation, a word as it stands, or a sign that means something."""

    text: str
    sort: str  # figure | word
    first: bool = False  # of its sentence, where a capital says nothing


Sentence = tuple[Token, ...]


def is_proved(premise: str, hypothesis: str) -> bool:
    """Is every sentence of the hypothesis, in its order, a sentence of the premise, or a known change of one?"""
    raw = premise.strip(), hypothesis.strip()
    premise, hypothesis = remove_known_differences(premise, hypothesis)
    if premise == hypothesis:
        return bool(hypothesis.strip())
    if all(text.endswith(("?", ".")) and "\n" not in text for text in raw) and any(text.endswith("?") for text in raw):
        # questions are told apart by their frames, which are gone once they are levelled
        goals = _flat_tokens(hypothesis), _flat_tokens(premise)
        return same(*goals) or any(_is_rewording(text, goal) for text, goal in zip(raw, goals, strict=True))
    if table_rows(premise) != table_rows(hypothesis):
        return False
    premise_sentences, hypothesis_sentences = split(premise), split(hypothesis)
    hypothesis_tokens, premise_tokens = (
        [tokens(text) for text in hypothesis_sentences],
        [tokens(text) for text in premise_sentences],
    )
    at, place = 0, 0
    while at < len(hypothesis_sentences):
        if not hypothesis_tokens[at]:
            at += 1
            continue
        step = _advance(at, place, hypothesis_sentences, premise_sentences, hypothesis_tokens, premise_tokens)
        if step is None:
            return False
        at, place = step
    return any(hypothesis_tokens)


def table_rows(text: str) -> list[str]:
    """The lines of a text that are rows of tables, sorted."""
    return sorted(line for line in text.split("\n") if line.startswith("|"))


def split(text: str) -> list[str]:
    """The sentences of a text; none goes on over the end of a line."""
    return [line[start:end] for line in text.split("\n") for start, end in sentences(line)]


def _advance(
    at: int, place: int, told: Sequence[str], said: Sequence[str], here: Sequence[Sentence], there: Sequence[Sentence]
) -> tuple[int, int] | None:
    """Where both texts go on once the sentence `at` is found from `place` on; None where it is not."""
    for found in range(place, len(said)):
        if same(here[at], there[found]):
            return at + 1, found + 1
    for found in _likely_matches(here[at], there, place):
        if len(told[at]) > LONGEST or len(said[found]) > LONGEST:
            continue
        # one sentence may have become two, or two one
        for many, few in ((1, 1), (2, 1), (1, 2)):
            if at + many > len(told) or found + few > len(said):
                continue
            asked_, premise = " ".join(told[at : at + many]), " ".join(said[found : found + few])
            goal, start = sum(here[at : at + many], ()), sum(there[found : found + few], ())
            if (few == 1 and _is_rewording(premise, goal)) or (many == 1 and _is_rewording(asked_, start)):
                return at + many, found + few
    return None


def _likely_matches(sentence: Sentence, there: Sequence[Sentence], place: int) -> list[int]:
    """The sentences of the premise that this one may be another syntax of, the likeliest first."""
    mine = Counter(token.text.lower() for token in sentence)
    shares = []
    for found in range(place, len(there)):
        its = Counter(token.text.lower() for token in there[found])
        share = (mine & its).total() / max(min(mine.total(), its.total()), 1)
        if share >= LIKELY:
            shares.append((-share, found))
    return [found for _, found in sorted(shares)[:TRIED]]


def _is_rewording(text: str, goal: Sentence) -> bool:
    """Does a known change make of a sentence one of these tokens?"""
    return any(same(made, goal) for made in _rewordings(text))


@lru_cache(512)
def _rewordings(text: str) -> tuple[Sentence, ...]:
    """The tokens of each other syntax of a sentence that is known to say the same."""
    made: list[str] = []
    if text.endswith("?"):
        parts = parse_measure_question(text)
        for other in (
            text,
            *(new for _, new in (rephrase_measure_question(parts) if parts else reorder_question(text))),
        ):
            made += [other, *(new for _, new in reword_terms(other))]
    else:
        made += [join_pieces(text, way.pieces) for way in rewrites(text)]
    return tuple(dict.fromkeys(_flat_tokens(canonical_wording(one)) for one in made))


def _flat_tokens(text: str) -> Sentence:
    return sum((tokens(sentence) for sentence in split(text)), ())


@lru_cache(8_192)
def tokens(sentence: str) -> Sentence:
    """The figures and words of a sentence, in their order; nothing that may mean something is left out."""
    text = re.sub(r"\bcannot\b", "can not", sentence.replace("’", "'"), flags=re.IGNORECASE)
    text = _NOT.sub(" not", re.sub(r"\bcan't\b", "can not", text, flags=re.IGNORECASE))
    marked, figures = mark_figures(text)
    found: list[Token] = []
    for hit in _TOKEN.finditer(marked):
        if hit["figure"]:
            found.append(Token(figures[int(hit["figure"])], "figure"))
        else:
            found.append(Token(hit[0], "word", not found))
    return tuple(found)


def same(one: Sentence, other: Sentence) -> bool:
    """Are these the same tokens in the same order, but for notation, first capitals and reviewed synonyms?"""
    return len(one) == len(other) and all(_is_same_token(*pair) for pair in zip(one, other, strict=True))


def _is_same_token(one: Token, other: Token) -> bool:
    if one.sort != other.sort:
        return False
    if one.text == other.text:
        return True
    if one.sort == "figure":
        return False
    low, its = one.text.lower(), other.text.lower()
    if low == its:  # a capital within a sentence makes another word: US and us, May and may
        return one.first or other.first
    return _are_synonyms(low, its)


@lru_cache(50_000)
def _are_synonyms(word: str, other: str) -> bool:
    """Are two words reviewed synonyms in the same form: rose and increased, but not rose and increase?"""
    lemmas = {reading.lemma for reading in readings(other)} | {other}
    return bool(exchangeable(word) & lemmas and _forms(word) & _forms(other))


def _forms(word: str) -> frozenset[tuple[str, str]]:
    found: set[tuple[str, str]] = set()
    for reading in readings(word):
        forms = ("past", "participle") if reading.form == "ed" else (reading.form,)
        found.update((reading.pos, form) for form in forms)
    return frozenset(found)


def unproved_because(premise: str, hypothesis: str) -> Iterator[str]:
    """The first sentence of the hypothesis that the premise does not have, for a reader."""
    there = {tokens(text) for text in split(premise)}
    yield from (f"not said word for word: {text[:80]}" for text in split(hypothesis) if tokens(text) not in there)
