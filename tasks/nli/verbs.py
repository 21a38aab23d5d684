"""What an auxiliary makes of its verb, and who does what to whom (Universal Dependencies)."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any

from rarefy.tasks.nli.blocks import stem
from rarefy.tasks.wordnet import readings

_MODAL = {"may": "MAY", "might": "MAY", "could": "MAY", "can": "MAY", "must": "MUST", "shall": "MUST", "should": "MUST",
          "will": "WILL", "would": "WILL"}  # fmt: skip
_AUXILIARY = re.compile(
    r""
    r""
    r""
    r"\b(?P<aux>may|might|could|can|must|shall|should|will|would|do|does|did|is|are|was|were|has|have|had|be)(?P<n>n['’]t|not)?\b"
    r"(?P<not>(?:\s+(?:not|never|no\s+longer))?)\s+(?P<rest>(?:[\w-]+\s+){0,3}[\w-]+)",
    re.IGNORECASE,
)
_BETWEEN = frozenset(
    """be been being have has had also then still only even generally similarly likewise therefore thus further further
    more significantly materially adversely not never always often currently now to a an the in at on of by for as its
    their our his her it any such been significant furthermore accordingly""".split()
)


@lru_cache(16_384)
def helped(text: str) -> dict[str, frozenset[tuple[str, bool]]]:
    """For each verb stem that an auxiliary helps: what kind (MAY, MUST, WILL or ""), and whether it is negated."""
    found: dict[str, set[tuple[str, bool]]] = defaultdict(set)
    for hit in _AUXILIARY.finditer(text):
        modal = _MODAL.get(hit["aux"].lower(), "")
        negated = bool(hit["n"] or hit["not"].strip())
        for word in hit["rest"].lower().split():
            negated = negated or word in ("not", "never")
            if word in _BETWEEN or word.endswith("ly"):
                continue
            found[_verb(word)].add((modal, negated))
            break
    return {verb: frozenset(ways) for verb, ways in found.items()}


def otherwise_helped(asked: str, said: str) -> Iterator[str]:
    """Verbs of both texts that one of them negates or makes a possibility or a duty, and the other does not."""
    here, there = helped(asked), helped(said)
    for verb, ways in here.items():
        others = there.get(verb)
        if not others:
            continue
        if {negated for _, negated in ways}.isdisjoint({negated for _, negated in others}):
            yield f"a negation of {verb}"
        modals, said_modals = ({modal for modal, _ in side} for side in (ways, others))
        if modals.isdisjoint(said_modals) and {*modals, *said_modals} & {"MAY", "MUST"}:
            told = [" or ".join(sorted(m or "fact" for m in side)).lower() for side in (modals, said_modals)]
            yield f"{told[0]} for {told[1]} of {verb}"


@lru_cache(50_000)
def _verb(word: str) -> str:
    lemmas = [reading.lemma for reading in readings(word) if reading.pos == "v"] or [word]
    return stem(lemmas[0])


@lru_cache(8_192)
def roles(sentence: str) -> frozenset[tuple[str, str, str]]:
    """(doer, verb, done to) of each clause that has both, by stems, whether it is active or passive."""
    from rarefy.tasks.language.load import load  # late: spaCy

    found = set()
    for word in load()(sentence[:2_000]):
        if word.pos_ not in ("VERB", "AUX"):
            continue
        by: dict[str, list[Any]] = defaultdict(list)
        for child in word.children:
            by[child.dep_].append(child)
        agents = by["nsubj"] + [a for a in (*by["obl"], *by["obl:agent"]) if any(c.lower_ == "by" for c in a.children)]
        objects = by["obj"] + by["dobj"] + by["nsubj:pass"]
        if by["nsubj:pass"]:
            agents = [agent for agent in agents if agent not in by["nsubj"]]
        found |= {(_noun(a), _verb(word.lower_), _noun(o)) for a in agents for o in objects}
    return frozenset(found)


def exchanged(asked: Iterable[str], said: Iterable[str]) -> Iterator[str]:
    """Clauses of the first texts whose doer and done-to are the other way round in the second."""
    there = {role for sentence in said for role in roles(sentence)}
    for sentence in asked:
        for doer, verb, done in sorted(roles(sentence)):
            if (done, verb, doer) in there and (doer, verb, done) not in there:
                yield f"{doer} and {done} of {verb}"


def _noun(token: Any) -> str:
    return stem(token.lemma_.lower())
