"""What an auxiliary makes of its verb, and who does what to whom (Universal Dependencies)."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from rarefy.tasks.llm.usable import encodable
from rarefy.tasks.nli.blocks import stem
from rarefy.tasks.nli.kept import small
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
_ANYONE = frozenset("who whom which what that it they we he she one company".split())
_BETWEEN = frozenset(
    """be been being have has had also then still only even generally similarly likewise therefore thus further further
    more significantly materially adversely not never always often currently now to a an the in at on of by for as its
    their our his her it any such been significant furthermore accordingly""".split()
)


@small
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


_CLAUSE = re.compile(
    r"\b(?P<why>because of|because|due to|owing to|as a result of|since)\b|\b(?P<whether>if|unless|provided that)\b"
    r"|\b(?P<though>although|though|despite|whereas|while)\b|\b(?P<before>before|until)\b|\b(?P<after>after)\b",
    re.IGNORECASE,
)
_STOP = re.compile(r"[,.;:?!]")
_LITTLE = frozenset("the a an of its our their his her that this these those it we they he she in on at to for".split())


def begun(text: str) -> dict[str, list[frozenset[str]]]:
    """What clauses of each kind (why, whether, though, before, after) say, as stems, up to the next stop."""
    found: dict[str, list[frozenset[str]]] = defaultdict(list)
    for hit in _CLAUSE.finditer(text):
        end = _STOP.search(text, hit.end())
        words = re.findall(r"[\w-]+", text[hit.end() : end.start() if end else len(text)].lower())[:12]
        stems = frozenset(stem(word.removesuffix("s")) for word in words if word not in _LITTLE)
        if stems:
            found[str(hit.lastgroup)].append(stems)
    return found


def otherwise_begun(asked: str, said: str) -> Iterator[str]:
    """Kinds of clauses that both texts have, and that say nothing alike: the reason of one is not that of the other."""
    there = begun(said)
    for sort, clauses in begun(asked).items():
        if sort in there and not all(any(one & other for other in there[sort]) for one in clauses):
            yield f"another {sort}"


@lru_cache(50_000)
def _verb(word: str) -> str:
    lemmas = [reading.lemma for reading in readings(word) if reading.pos == "v"] or [word]
    return stem(lemmas[0])


@lru_cache(8_192)
def roles(sentence: str) -> frozenset[tuple[str, str, str]]:
    """(verb, "doer" or "done", noun) of each clause, by stems, whether it is active or passive, said or asked."""
    from rarefy.tasks.language.load import load  # late: spaCy

    if sentence.rstrip().endswith("?"):  # the treebank has few questions
        return frozenset()
    found = set()
    for word in load()(encodable(sentence[:2_000])):
        if word.pos_ not in ("VERB", "AUX"):
            continue
        verb, passive = _verb(word.lower_), any(child.dep_ in ("nsubj:pass", "aux:pass") for child in word.children)
        for child in word.children:
            by = any(c.lower_ == "by" for c in child.children)
            if child.dep_.startswith("nsubj"):
                part = "done" if passive else "doer"
            elif child.dep_ in ("obj", "dobj"):
                part = "done"
            elif child.dep_.startswith("obl") and by and passive:
                part = "doer"
            else:
                continue
            found |= {(verb, part, _noun(noun)) for noun in (child, *child.conjuncts)}
    return frozenset(found)


def exchanged(asked: Sequence[str], said: Sequence[str]) -> Iterator[str]:
    """Who does in the first texts what is done to him in the second, or the other way round."""
    for read in (roles, neighbours):
        there = {role for sentence in said for role in read(sentence)}
        for verb, part, noun in sorted({role for sentence in asked for role in read(sentence)}):
            other = "done" if part == "doer" else "doer"
            if noun not in _ANYONE and (verb, other, noun) in there and (verb, part, noun) not in there:
                yield f"{noun} is {part} of {verb}, was {other}"


SHORT = 25  # words
_TOKEN = re.compile(r"[\w&.'’-]*[\w&]|[,;:?!.()]")
_BE = frozenset("is are was were be been being gets got".split())
_PREPOSITIONS = frozenset(
    "in on at to for with of from into through during after before under over than as and or".split()
)


@lru_cache(8_192)
def neighbours(sentence: str) -> frozenset[tuple[str, str, str]]:
    """(verb, "doer" or "done", noun) by what stands right before and after each verb; where parsers err, this does not.

    Only verbs in the past or after an auxiliary are looked at: all else may be a noun.
    """
    low = [word.lower() for word in _TOKEN.findall(sentence)]
    if len(low) > SHORT:  # of a long sentence the neighbours are too often those of a phrase within
        return frozenset()
    found = set()
    for at, word in enumerate(low):
        before = [low[place] for place in range(max(at - 6, 0), at)]
        if not _is_verb(word, before):
            continue
        by = at + 1 < len(low) and low[at + 1] == "by"
        helped_ = not word.endswith("ing") and any(w in _BE for w in _since_clause(before))
        passive = by or (helped_ and _is_participle(word))
        verb = _verb(word)
        if left := _last_noun(before):
            found.add((verb, "done" if passive else "doer", left))
        after = low[at + 2 : at + 8] if by else low[at + 1 : at + 7]
        if right := _next_noun(after):
            found.add((verb, "doer" if passive else "done", right))
    return frozenset(found)


@lru_cache(50_000)
def _forms(word: str) -> frozenset[str]:
    return frozenset(reading.form for reading in readings(word) if reading.pos == "v")


def _is_participle(word: str) -> bool:
    return bool(_forms(word) & {"ed", "participle"})


def _is_verb(word: str, before: Sequence[str]) -> bool:
    forms = _forms(word)
    if word in _BE or word in _HELPING or not forms:
        return False
    if forms & {"ed", "past", "participle"}:
        return True
    nouns = any(reading.pos == "n" for reading in readings(word))
    return ("base" in forms and any(w in _HELPING for w in before)) or ("s" in forms and not nouns)


_HELPING = frozenset("do does did will would may might can could must shall should have has had".split())


def _since_clause(before: Sequence[str]) -> Sequence[str]:
    starts = [at for at, word in enumerate(before) if word in ("that", "which", "who", "because", "if", "when", ",")]
    return before[starts[-1] :] if starts else before


def _last_noun(before: Sequence[str]) -> str:
    for word in reversed(before):
        if word in ",;:?!.()":
            return ""
        if word not in _BE and word not in _HELPING and word not in _BETWEEN and not word.endswith("ly"):
            return stem(word.removesuffix("'s").removesuffix("s"))
    return ""


def _next_noun(after: Sequence[str]) -> str:
    last = ""
    for word in after:
        if word in _PREPOSITIONS or word in ",;:?!.()" or word in _BE or (last and _forms(word) & {"past"}):
            break
        if word not in _BETWEEN and word not in _LITTLE:
            last = word  # the last of a run of nouns is its head
    return stem(last.removesuffix("'s").removesuffix("s")) if last else ""


def _noun(token: Any) -> str:
    return stem(token.lemma_.lower().removesuffix("s"))
