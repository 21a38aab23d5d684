"""English words: synonyms by sense, inflected forms, and kinds of nouns, from the Open English WordNet (RARE §5.1)."""

import gzip
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("english.tsv.gz")
KINDS = Path(__file__).with_name("kinds.tsv.gz")


@dataclass(frozen=True, slots=True)
class Reading:
    """A word as one lemma, part of speech (n | v | a | r) and form (see _FORMS) of it."""

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
    head, rest = _split_head(lemma, pos)
    prefix = lemma[: len(lemma) - len(head) - len(rest)]
    entry = _entry(head, pos) or _entry(lemma, pos)
    made = _inflect_word(head, pos, form, entry[0] if entry else ())
    return made and prefix + made + rest


@cache
def readings(word: str) -> tuple[Reading, ...]:
    """Everything that a lower-case word can be an inflected form of; () for a word that WordNet does not know."""
    found = [Reading(word, pos, "base") for pos in "nvar" if _entry(word, pos)]
    for lemma, pos, form in (*_possible_lemmas(word), *_irregular().get(word, ())):
        reading = Reading(lemma, pos, form)
        if form in ("past", "participle") and Reading(lemma, pos, "ed") in found:
            continue  # one word for both
        if reading not in found and _entry(lemma, pos) and inflect(lemma, pos, form) == word:
            found.append(reading)
    return tuple(found)


def known(word: str) -> bool:
    """Is this a word of English, in any form?"""
    return bool(readings(word.lower()))


@cache
def _senses_of_nouns() -> tuple[list[int], dict[str, list[int]]]:
    """The next more general sense of each sense of a noun (-1 for none), and the senses of each noun."""
    above: list[int] = []
    senses_of: dict[str, list[int]] = {}
    path: list[int] = []
    for at, line in enumerate(gzip.decompress(KINDS.read_bytes()).decode().split("\n")):
        depth, nouns = line.split("\t")
        del path[int(depth) :]
        above.append(path[-1] if path else -1)
        path.append(at)
        for noun in filter(None, nouns.split(";")):
            senses_of.setdefault(noun, []).append(at)
    return above, senses_of


@cache
def _lineages(noun: str) -> tuple[tuple[int, ...], ...]:
    """Each sense of a noun, in singular or plural, with all more general ones; () for what is no noun."""
    above, senses_of = _senses_of_nouns()
    before, space, last = noun.rpartition(" ")
    lemmas = [noun, *(before + space + one.lemma for one in readings(last) if one.pos == "n")]
    found = []
    for at in dict.fromkeys(sense for lemma in lemmas for sense in senses_of.get(lemma, ())):
        line = [at]
        while above[line[-1]] >= 0:
            line.append(above[line[-1]])
        found.append(tuple(line))
    return tuple(found)


def is_noun(word: str) -> bool:
    """Can a word or phrase in small letters be a noun?"""
    return bool(_lineages(word))


def is_kind_of(noun: str, kind: str) -> bool:
    """Is a noun, in any of its senses, a kind of what another noun says, in any of that one's, or a synonym?"""
    general = {line[0] for line in _lineages(kind)}
    return any(general.intersection(line) for line in _lineages(noun))


def steps_between(one: str, other: str) -> int | None:
    """The fewest steps from one noun to the other, by a kind of which both are; None where either is no noun."""
    pairs = ((mine, theirs) for mine in _lineages(one) for theirs in _lineages(other))
    return min((_steps(mine, theirs) for mine, theirs in pairs), default=None)


def _steps(one: Sequence[int], other: Sequence[int]) -> int:
    shared = {at: steps for steps, at in enumerate(other)}
    return next(steps + shared[at] for steps, at in enumerate(one) if at in shared)


@cache
def _irregular() -> dict[str, list[tuple[str, str, str]]]:
    found: dict[str, list[tuple[str, str, str]]] = {}
    for row in _rows():
        lemma, pos, forms, _ = row.split("\t", 3)
        for form in forms.split(",") if forms else ():
            for name in _FORMS[pos]:
                found.setdefault(form, []).append((lemma, pos, name))
    return found


# Forms by part of speech; "past" and "participle" are "ed" where they are the same word.
_FORMS: dict[str, tuple[str, ...]] = {
    "n": ("plural",),
    "v": ("s", "ing", "ed", "past", "participle"),
    "a": ("comparative", "superlative"),
    "r": (),
}

# WordNet lists irregular forms without saying which is which: the common verbs whose past and participle differ.
_STRONG: dict[str, tuple[str, str]] = {
    "be": ("was", "been"), "become": ("became", "become"), "begin": ("began", "begun"), "break": ("broke", "broken"),
    "choose": ("chose", "chosen"), "come": ("came", "come"), "do": ("did", "done"), "draw": ("drew", "drawn"),
    "drive": ("drove", "driven"), "fall": ("fell", "fallen"), "forbid": ("forbade", "forbidden"),
    "get": ("got", "got"), "give": ("gave", "given"), "go": ("went", "gone"), "grow": ("grew", "grown"),
    "know": ("knew", "known"), "rise": ("rose", "risen"), "run": ("ran", "run"), "see": ("saw", "seen"),
    "show": ("showed", "shown"), "speak": ("spoke", "spoken"), "take": ("took", "taken"),
    "undertake": ("undertook", "undertaken"), "wear": ("wore", "worn"), "withdraw": ("withdrew", "withdrawn"),
    "write": ("wrote", "written"),
}  # fmt: skip

_UNCHANGED = {"cut", "set", "put", "let", "hit", "cost", "bid", "split", "spread", "wed", "shut", "hurt"}

_VOWELS = "aeiou"


def _split_head(lemma: str, pos: str) -> tuple[str, str]:
    """The word of a lemma that is inflected, and what follows: a verb's first, a noun's last or that before "of"."""
    if pos == "v":
        first, space, rest = lemma.partition(" ")
        return first, space + rest
    if pos == "n" and " of " in lemma:
        before, of, rest = lemma.partition(" of ")
        return before.rpartition(" ")[2], of + rest
    return lemma.rpartition(" ")[2], ""


def _inflect_word(lemma: str, pos: str, form: str, irregular: Sequence[str] = ()) -> str | None:
    """This form of a one-word lemma; None where it has none or it is not certain."""
    if form == "base":
        return lemma
    if pos == "n" and form == "plural":
        return irregular[0] if irregular else _with_s(lemma)
    if pos == "v":
        return _verb(lemma, form, irregular)
    if pos == "a" and form in ("comparative", "superlative"):
        ending = "er" if form == "comparative" else "est"
        listed = [f for f in irregular if f.endswith(ending)]
        if listed:
            return listed[0]
        # Longer adjectives take "more", which is another word.
        return _with_ending(lemma, ending) if len(lemma) <= 6 and _syllables(lemma) <= 1 else None
    return None


def _verb(lemma: str, form: str, irregular: Sequence[str]) -> str | None:
    if form == "s":
        return {"have": "has", "be": "is", "do": "does", "go": "goes"}.get(lemma) or _with_s(lemma)
    if form == "ing":
        return next((f for f in irregular if f.endswith("ing")), None) or _with_ending(lemma, "ing")
    past = [f for f in irregular if not f.endswith("ing") and f != lemma]
    if lemma in _STRONG:
        before, participle = _STRONG[lemma]
        if before != participle:
            return {"past": before, "participle": participle}.get(form)
        return before
    if lemma in _UNCHANGED:
        return lemma
    if len(past) > 1:
        return None
    return past[0] if past else _with_ending(lemma, "ed")


def _possible_lemmas(word: str) -> Iterator[tuple[str, str, str]]:
    """Every (lemma, pos, form) that a regular form can come from, known words or not; and the strong verbs."""
    for lemma, (past, participle) in _STRONG.items():
        if word in (past, participle):
            yield lemma, "v", "ed" if past == participle else "past" if word == past else "participle"
    for ending, forms in (
        ("s", (("n", "plural"), ("v", "s"))),
        ("ing", (("v", "ing"),)),
        ("ed", (("v", "ed"),)),
        ("er", (("a", "comparative"),)),
        ("est", (("a", "superlative"),)),
    ):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            stem = word[: -len(ending)]
            stems = [stem, stem + "e", stem[:-1]]
            if stem.endswith("i"):
                stems.append(stem[:-1] + "y")
            elif stem.endswith("ie"):
                stems.append(stem[:-2] + "y")
            for pos, form in forms:
                for lemma in stems:
                    yield lemma, pos, form


def _with_s(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def _with_ending(word: str, ending: str) -> str:
    if ending == "ing":
        return word[:-1] + ending if word.endswith("e") and not word.endswith(("ee", "ye", "oe")) else word + ending
    if word.endswith("e"):
        return word + ending[1:]
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return word[:-1] + "i" + ending
    return word + ending


def _syllables(word: str) -> int:
    groups = sum(c in _VOWELS and (i == 0 or word[i - 1] not in _VOWELS) for i, c in enumerate(word))
    return groups - (word.endswith("e") and groups > 1)


# The dictionary lists irregular forms without saying which is which, and not those that are as the verb itself: of
# these it gives the participle for both, or one made by rule ("beaten", "readed").
_PRINCIPAL_PARTS = {
    "beat": ("beat", "beaten"), "mow": ("mowed", "mown"), "outbid": ("outbid", "outbid"),
    "overbid": ("overbid", "overbid"), "prove": ("proved", "proven"), "saw": ("sawed", "sawn"),
    "sew": ("sewed", "sewn"), "shave": ("shaved", "shaved"), "sow": ("sowed", "sown"), "swell": ("swelled", "swollen"),
    "gnaw": ("gnawed", "gnawed"), "melt": ("melted", "melted"), "overflow": ("overflowed", "overflowed"),
    "strew": ("strewed", "strewn"),
}  # fmt: skip
_SAME_IN_PAST = frozenset(
    """
    read reread misread proofread shed burst thrust slit bet quit rid cast recast miscast typecast broadcast rebroadcast
    forecast telecast offset reset preset beset typeset upset input sublet undercut underbid
    """.split()
)


def past_tense(lemma: str) -> str | None:
    """ "bought" of "buy"; None where it is not certain."""
    if lemma in _SAME_IN_PAST:
        return lemma
    return (
        _PRINCIPAL_PARTS[lemma][0]
        if lemma in _PRINCIPAL_PARTS
        else inflect(lemma, "v", "ed") or inflect(lemma, "v", "past")
    )


def past_participle(lemma: str) -> str | None:
    """ "taken" of "take"; None where it is not certain."""
    if lemma in _SAME_IN_PAST:
        return lemma
    return (
        _PRINCIPAL_PARTS[lemma][1]
        if lemma in _PRINCIPAL_PARTS
        else inflect(lemma, "v", "ed") or inflect(lemma, "v", "participle")
    )
