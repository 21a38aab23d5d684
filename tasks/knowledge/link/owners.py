"""What is said of what belongs to a named thing, said of that thing: who elects the members of a council.

"Executive Council member | is elected to | 2-year term" tells as much of the Executive Council, under a name that no
other fact has. As a fact of the council it meets what other passages say of that.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from rarefy.data_contracts.rows import Triplet, row_id
from rarefy.tasks.knowledge.extract.claims import SMALL_WORDS
from rarefy.tasks.knowledge.extract.locate import find_words
from rarefy.tasks.knowledge.graph.facts import OWNER
from rarefy.tasks.knowledge.link.linked import Corpus
from rarefy.tasks.text import wordnet

_LONGEST = 9  # words of a relation


def link_owners(corpus: Corpus) -> Iterator[Triplet]:
    """Facts of models on parts and members of what other facts name, each as a fact of that thing."""
    facts = [fact for fact in corpus.facts if fact.method == "model"]
    names = _find_names(facts)
    by_initials = _initials(names)
    for fact in facts:
        for owner, part in _split(fact.subject, names, by_initials):
            relation = f"{_small(part)} {fact.relation}"
            if owner != fact.object and len(relation.split()) <= _LONGEST:
                yield _make_row(fact, subject=owner, subject_type=names[owner], relation=relation)
        for owner, part in _split(fact.object, names, by_initials) if " of " in fact.object else ():
            relation, place = f"{fact.relation} {_small(part)} of", find_words(owner, fact.source_sentence)
            if owner != fact.subject and place and len(relation.split()) <= _LONGEST:
                answer = fact.source_sentence[slice(*place)]
                yield _make_row(fact, object=owner, object_type=names[owner], relation=relation, answer=answer)


def _make_row(fact: Triplet, **changed: Any) -> Triplet:
    row = replace(fact, **changed, method=OWNER)
    return replace(row, triplet_id=row_id(OWNER, fact.triplet_id, row.subject, row.relation, row.object))


def _find_names(facts: Iterable[Triplet]) -> dict[str, str]:
    """The types of the names that are a whole end of a fact, by name."""
    ends = ((end, of) for f in facts for end, of in ((f.subject, f.subject_type), (f.object, f.object_type)))
    names = {end: of for end, of in sorted(ends) if _is_name(end)}
    begun = Counter(name.partition(" ")[0] for name in names if " " in name)
    return {name: of for name, of in names.items() if begun[name] < 2}  # "Jupyter" stands before half of all names


def _is_name(text: str) -> bool:
    """Whether all telling words of a text have a capital; of a single one, whether it is no word of the language."""
    words = [word for word in text.split() if word not in SMALL_WORDS]
    capitals = bool(words) and all(word[0].isupper() for word in words)
    return capitals and (len(words) > 1 or not wordnet.known(words[0].lower()))


def _split(end: str, names: Mapping[str, str], by_initials: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The longest name that an end begins with, or that it says it is of, and the rest; none where it is a name.

    What follows a name as a condition ("with", "nominated by") is no part of it.
    """
    if end in names:
        return
    head, _, tail = end.rpartition(" of ")
    tail = re.sub(r"^the ", "", tail)
    if head and tail in names:
        yield tail, head
        return
    words = end.split(" ")
    for count in range(len(words) - 1, 0, -1):
        first, part = " ".join(words[:count]), " ".join(words[count:])
        owner = re.sub(r"['’]s?$", "", first)
        owner = by_initials.get(owner, owner)
        if owner in names:
            if owner == first and _KIND.fullmatch(owner):
                return
            if part[0].islower() and words[count] not in SMALL_WORDS and not part.split()[0].endswith("ed"):
                yield owner, part
            return


_KIND = re.compile(r"(?=.*[\d-])[A-Z\d-]+")  # "a USB-C port" is a kind of port, "ERC-20 tokens" a kind of tokens


def _initials(names: Iterable[str]) -> dict[str, str]:
    """The names by their initials, which no other of them has."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for name in names:
        letters = "".join(word[0] for word in name.split() if word not in SMALL_WORDS)
        if len(letters) > 1:
            found[letters].add(name)
    return {letters: min(of) for letters, of in found.items() if len(of) == 1}


def _small(part: str) -> str:
    """A part without a capital at its beginning, unless that is a name's."""
    return part if part[1:2].isupper() or not part[:1].isupper() else part[0].lower() + part[1:]
