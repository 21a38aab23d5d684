"""English words: their synonyms by sense and their inflected forms, from the Open English WordNet (RARE §5.1, C.1)."""

import gzip
from bisect import bisect_left
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from rarefy.tasks.text.wordnet import inflect as inflection

TABLE = Path(__file__).with_name("english.tsv.gz")
CONTRARIES = Path(__file__).with_name("contraries.tsv.gz")


@dataclass(frozen=True, slots=True)
class Reading:
    """A word as one lemma, part of speech (n | v | a | r) and form (see inflect.py) of it."""

    lemma: str
    pos: str
    form: str


@cache
def _rows() -> list[str]:
    # Searching sorted lines takes microseconds and keeps the load at 0.1 s; a dict of parsed rows would take a second.
    return gzip.decompress(TABLE.read_bytes()).decode().split("\n")


@cache
def _entry(lemma: str, pos: str) -> tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] | None:
    rows, key = _rows(), f"{lemma}\t{pos}\t"
    at = bisect_left(rows, key)
    if at == len(rows) or not rows[at].startswith(key):
        return None
    forms, senses = rows[at][len(key) :].split("\t")
    return tuple(filter(None, forms.split(","))), tuple(tuple(filter(None, s.split(";"))) for s in senses.split("|"))


def senses(lemma: str, pos: str) -> tuple[tuple[str, ...], ...]:
    """The synonyms of a lemma for each of its senses, the commonest sense first; () for a lemma not known."""
    entry = _entry(lemma, pos)
    return entry[1] if entry else ()


def synonyms(lemma: str, pos: str) -> tuple[str, ...]:
    """The synonyms of all senses of a lemma, the commonest sense first, each once."""
    return tuple(dict.fromkeys(s for sense in senses(lemma, pos) for s in sense))


def inflect(lemma: str, pos: str, form: str) -> str | None:
    """This form of a lemma ("rate of interest", plural: "rates of interest"); None where it is not sure."""
    head, rest = inflection.head(lemma, pos)
    prefix = lemma[: len(lemma) - len(head) - len(rest)]
    entry = _entry(head, pos) or _entry(lemma, pos)
    made = inflection.inflect(head, pos, form, entry[0] if entry else ())
    return made and prefix + made + rest


@cache
def readings(word: str) -> tuple[Reading, ...]:
    """Everything that a lower-case word can be an inflected form of; () for a word that WordNet does not know."""
    found = [Reading(word, pos, "base") for pos in "nvar" if _entry(word, pos)]
    for lemma, pos, form in (*inflection.undo(word), *_irregular().get(word, ())):
        reading = Reading(lemma, pos, form)
        if form in ("past", "participle") and Reading(lemma, pos, "ed") in found:
            continue  # one word for both
        if reading not in found and _entry(lemma, pos) and inflect(lemma, pos, form) == word:
            found.append(reading)
    return tuple(found)


def contraries(lemma: str) -> frozenset[str]:
    """The lemmas that say the contrary of one of the senses of this one."""
    return _contraries().get(lemma, frozenset())


@cache
def _contraries() -> dict[str, frozenset[str]]:
    rows = (row.split("\t") for row in gzip.decompress(CONTRARIES.read_bytes()).decode().split("\n"))
    return {lemma: frozenset(others.split(" ")) for lemma, others in rows}


def known(word: str) -> bool:
    """Is this a word of English, in any form?"""
    return bool(readings(word.lower()))


@cache
def _irregular() -> dict[str, list[tuple[str, str, str]]]:
    found: dict[str, list[tuple[str, str, str]]] = {}
    for row in _rows():
        lemma, pos, forms, _ = row.split("\t", 3)
        for form in forms.split(",") if forms else ():
            for name in inflection.FORMS[pos]:
                found.setdefault(form, []).append((lemma, pos, name))
    return found
