"""Find other words and set phrases for those of a sentence (Magic Mushroom §3.2; synonyms.tsv, phrases.tsv)."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from rarefy.tasks.text import wordnet
from rarefy.tasks.text.syntax.pieces import Edit
from rarefy.tasks.text.wordnet import Reading, past_participle, past_tense

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

WORD_TABLE = Path(__file__).with_name("synonyms.tsv")
PARTS = {"NOUN": "n", "VERB": "v", "ADJ": "a", "ADV": "r"}
FINITE = {"VBD": "past", "VBZ": "s", "VBP": "base", "VB": "base", "VBG": "ing", "VBN": "participle"}
_WORD = re.compile(r"[A-Za-z]+")
DEGREES = frozenset({"more", "most", "less", "least"})  # "the most rapid" is not "the most fast"
_DO = frozenset({"do", "does", "did"})
_CLAUSES = frozenset("that which who whom whose where when while if because since unless although than and or".split())
# Beside these an ordinary word is part of a measure's name or of a defined term.
_TERMS = frozenset(
    """
    accounting audit capital cash common comprehensive control credit deferred expected fair federal financial fiscal
    gross income interest lease loss material net operating paid-in pension preferred principal retained securities
    stock subsidiary tax term trust value
    """.split()
)


@dataclass(frozen=True, slots=True)
class Allowed:
    """The words that may replace a word, and in which context: see the head of the table."""

    instead: tuple[str, ...]
    frame: str
    after: tuple[str, ...]
    before: tuple[str, ...]


@cache
def word_table(table: Path = WORD_TABLE) -> Mapping[tuple[str, str], tuple[Allowed, ...]]:
    """The reviewed words of a table by lemma and part of speech (n | v | a | r), a row for each frame."""
    found: dict[tuple[str, str], tuple[Allowed, ...]] = {}
    for line in table.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            pos, lemma, instead, frame, after, before = (line.split("\t") + [""] * 6)[:6]
            split = [tuple(cell.split(",")) if cell else () for cell in (instead, after, before)]
            row = Allowed(split[0], frame, split[1], split[2])
            found[lemma, pos] = (*found.get((lemma, pos), ()), row)
    return found


def alike(lemma: str, pos: str) -> frozenset[str]:
    """The words that may stand for this one somewhere; empty for a word that is not in the table."""
    return frozenset(word for allowed in word_table().get((lemma, pos), ()) for word in allowed.instead)


def content(doc: "Doc") -> int:
    """How many nouns, verbs, adjectives and adverbs a sentence has, names apart."""
    return sum(token.pos_ in PARTS and token.is_alpha for token in doc)


def synonyms(doc: "Doc", table: Path = WORD_TABLE) -> Iterator[tuple[Edit, ...]]:
    """For each word that has any in the table, in order: the edits that each put another word in its place."""
    asked = find_asked_verb(doc)
    for token in doc:
        pos = "v" if token.i == asked else PARTS.get(token.pos_)
        if not pos or not _WORD.fullmatch(token.text) or (token.text[0].isupper() and token.i) or _in_term(token, pos):
            continue
        readings = [Reading(token.lower_, "v", "base")] if token.i == asked else _readings(token, pos)
        found = [
            edit
            for reading in readings
            for allowed in word_table(table).get((reading.lemma, reading.pos), ())
            if _fits(token, allowed, reading, asked)
            for edit in _edits(token, reading, allowed)
        ]
        if found:
            yield tuple(dict.fromkeys(found))


def find_asked_verb(doc: "Doc") -> int:
    """Where the verb of a question with "do" stands; -1 where that is not certain.

    The parser has seen few questions, and often takes "What income did Microsoft report for 2011?" for another order.
    """
    helped = next((t.i for t in doc if t.lower_ in _DO), -1)
    if helped < 1 or doc[-1].text != "?":
        return -1
    for token in doc[helped + 2 : -1]:
        if token.lower_ in _CLAUSES:
            return -1
        after = doc[token.i + 1]
        ends = after.text in "?," or after.pos_ in ("ADP", "DET", "PRON", "SCONJ", "PART") or after.lower_ in _CLAUSES
        readings = wordnet.readings(token.lower_)
        if any(r.pos == "v" and r.form in ("past", "ed", "participle") and r.lemma != token.lower_ for r in readings):
            return -1  # "did the fossils found there": of another verb
        if ends and Reading(token.lower_, "v", "base") in readings:
            before = doc[token.i - 1]
            # "the use of", "of interest": a noun
            return -1 if before.pos_ in ("ADP", "DET", "ADJ") else token.i
    return -1


def _fronted(doc: "Doc", verb: int) -> "Token | None":
    """What a question with "do" asks for as its verb's object: "income" in "What income did Microsoft report?"."""
    helped = next((t.i for t in doc[:verb] if t.lower_ in _DO), 0)
    first = next((t for t in doc[:helped] if t.lower_ in ("what", "which", "how")), None)
    if (
        first is None
        or (first.i and doc[first.i - 1].pos_ == "ADP")
        or (first.lower_ == "how" and first.i + 1 == helped)
    ):
        return None
    return doc[helped - 1]


def _readings(token: "Token", pos: str) -> list[Reading]:
    """What the dictionary says this form of this part of speech can be, that the tagger says too."""
    read = [r for r in wordnet.readings(token.lower_) if r.pos == pos]
    if pos == "n":
        want = "plural" if token.tag_ == "NNS" else "base"
        return [r for r in read if r.form == want]
    if pos == "v":
        want = FINITE.get(token.tag_, "")
        return [r for r in read if r.form == want or (r.form == "ed" and want in ("past", "participle"))]
    return [r for r in read if r.form == "base"]


def _fits(token: "Token", allowed: Allowed, reading: Reading, asked: int) -> bool:
    """Does the word stand where the row of the table says, and is it no part of a name?"""
    if not _beside(token, allowed, reading.pos):
        return False
    if reading.pos in "ar" and token.i and token.nbor(-1).lower_ in DEGREES:
        return False
    if token.i == asked:
        return _asked_framed(token, allowed.frame)
    return _framed(token, allowed.frame, reading.pos) and not (
        _passive_aim(token, allowed.frame) or _past_in_doubt(token, allowed.frame) or _names_a_kind(token)
    )


def _asked_framed(token: "Token", frame: str) -> bool:
    """Does the verb of a question with "do" stand in the frame: is there an object, before it or behind?"""
    kind, _, listed = frame.partition(":")
    after = token.nbor()
    what = _fronted(token.doc, token.i)
    if what is None and after.pos_ == "DET":
        what = next(
            (t for t in token.doc[token.i + 1 : token.i + 7] if t.pos_ == "NOUN" and t.nbor().pos_ != "NOUN"), None
        )
    if kind in ("obj", "act"):
        lemmas = {r.lemma for r in wordnet.readings(what.lower_) if r.pos == "n"} | {what.lower_} if what else set()
        return bool(lemmas & set(listed.split(",")) if listed else lemmas)
    if kind == "intr":
        return what is None
    return after.lower_ == kind if kind else True


def _edits(token: "Token", reading: Reading, allowed: Allowed) -> Iterator[Edit]:
    form = reading.form
    if form == "ed":
        form = "participle" if token.tag_ == "VBN" else "past"
    for word in allowed.instead:
        new = _inflected(word, reading.pos, form)
        if new is None:
            continue
        start, article = token.idx, ""
        before = token.nbor(-1) if token.i else None
        if before is not None and before.lower_ in ("a", "an") and before.whitespace_:
            start = before.idx
            article = before.text[0] + ("n" if _vowel(new) else "") + " "
            if new.startswith("of ") or token.lower_ == new:
                continue
        if token.text[0].isupper():
            new = new[0].upper() + new[1:]
        yield Edit(start, token.idx + len(token), article + new)


def _passive_aim(token: "Token", frame: str) -> bool:
    """Is it "the design is intended to": another verb of wanting is not said so."""
    return frame == "to" and token.tag_ == "VBN"


def _past_in_doubt(token: "Token", frame: str) -> bool:
    """Is it read as a participle without "have", where another verb's past would be another word?"""
    if frame != "intr" or token.tag_ != "VBN":
        return False
    return not any(t.lower_ in ("has", "have", "had", "having", "'ve") for t in token.children)


def _names_a_kind(token: "Token") -> bool:
    """Is it a participle right before a noun, as in "manufactured homes"? Then it is a part of what that is called."""
    after = token.nbor() if token.i + 1 < len(token.doc) else None
    helped = any(t.dep_.startswith("aux") or t.dep_ == "cop" for t in token.children)
    return token.tag_ == "VBN" and not helped and after is not None and after.pos_ in ("NOUN", "PROPN")


def _inflected(word: str, pos: str, form: str) -> str | None:
    if pos in "ar" or form == "base":
        return word
    if pos == "v" and form in ("past", "participle"):
        return past_tense(word) if form == "past" else past_participle(word)
    return wordnet.inflect(word, pos, form)


def _vowel(word: str) -> bool:
    # "a useful", "a usual": written with a vowel and spoken without
    return word[0] in "aeiou" and not word.startswith(("us", "uni", "eu", "one"))


def _framed(token: "Token", frame: str, pos: str) -> bool:
    """Does the word stand in the frame that its synonyms were read for?"""
    if pos == "v":
        return _verb_framed(token, frame)
    if frame == "noun":
        return token.i + 1 < len(token.doc) and token.nbor().pos_ == "NOUN"
    if frame == "first":
        return token.i == 0 and len(token.doc) > 1 and token.nbor().text == ","
    return True


def _verb_framed(token: "Token", frame: str) -> bool:
    deps = {t.dep_: t for t in token.children}
    if token.dep_ in ("amod", "compound", "case", "mark", "fixed") or "compound:prt" in deps:
        return False
    kind, _, listed = frame.partition(":")
    passive = "nsubj:pass" in deps or "aux:pass" in deps
    what = deps.get("obj") or deps.get("nsubj:pass")
    after = token.nbor().lower_ if token.i + 1 < len(token.doc) else ""
    if kind in ("obj", "act", "pass"):
        if what is None or (passive and kind == "act") or (not passive and kind == "pass") or "xcomp" in deps:
            return False
        if any(d in deps for d in ("iobj", "ccomp")):
            return False
        lemmas = {r.lemma for r in wordnet.readings(what.lower_) if r.pos == "n"} | {what.lower_}
        return not listed or bool(lemmas & set(listed.split(",")))
    if kind == "subj":
        who = deps.get("nsubj")
        return who is not None and what is not None and who.lower_.removesuffix("s") in listed.split(",")
    if kind == "intr":
        return not passive and what is None and "nsubj" in deps and "xcomp" not in deps and "ccomp" not in deps
    if kind == "objto":
        return "obj" in deps and any(t.tag_ == "TO" for t in token.doc[token.i : token.i + 12]) and not passive
    if kind == "as":
        return "obj" in deps and any(t.lower_ == "as" for t in token.doc[token.i : token.i + 8])
    if kind == "adj":
        return token.i + 1 < len(token.doc) and token.nbor().pos_ == "ADJ" and not passive
    return after == kind if kind else not passive or what is not None


def _beside(token: "Token", allowed: Allowed, pos: str) -> bool:
    doc = token.doc
    after = doc[token.i + 1] if token.i + 1 < len(doc) else None
    before = doc[token.i - 1] if token.i else None
    return all(
        _listed(beside, listed) if listed or pos in "na" else True
        for beside, listed in ((after, allowed.after), (before, allowed.before))
    )


def _listed(beside: "Token | None", words: tuple[str, ...]) -> bool:
    if not words:
        # a word beside a number may be its unit
        return beside is None or not beside.like_num
    if words[0].startswith("!"):
        return beside is None or beside.lower_ not in {w.removeprefix("!") for w in words}
    if beside is None:
        return False
    if words == ("#",):
        return beside.like_num or beside.is_currency
    return beside.lower_ in words or any(r.lemma in words for r in wordnet.readings(beside.lower_) if r.pos == "n")


def _in_term(token: "Token", pos: str) -> bool:
    """Is the word part of a term, in which it does not mean what it means alone?"""
    doc = token.doc
    after = doc[token.i + 1] if token.i + 1 < len(doc) else None
    before = doc[token.i - 1] if token.i else None
    if any(
        t is not None and (t.lower_ in _TERMS or t.text in "-/–’'" or (t.tag_ == "POS" and t is after))
        for t in (after, before)
    ):
        return pos in "na" or any(t is not None and t.text in "-/–" for t in (after, before))
    if pos == "n" and (
        token.dep_ == "compound"
        or (after is not None and after.pos_ in ("NOUN", "PROPN"))
        or (before is not None and before.pos_ in ("NOUN", "PROPN") and token.dep_ != "obj")
        or any(t.dep_ in ("compound", "flat") for t in token.children)
    ):
        return True
    if pos == "a" and after is not None and after.pos_ == "PROPN":
        return True
    if pos == "n" and before is not None and before.i and before.text[0].isupper():
        return True
    if pos == "n" and (
        (after is not None and after.lower_ in ("and", "or")) or (before is not None and before.lower_ in ("and", "or"))
    ):
        # "laws and regulations", "goals and objectives": a pair may be a term, and hold the very synonym
        near = {t.lower_ for t in doc[max(token.i - 3, 0) : token.i + 4]}
        return bool(near & {f for w in alike(_lemma(token), pos) for f in (w, w + "s")})
    return pos in "na" and any(
        wordnet.senses(term, "n")
        for other, term in ((before, f"{before} {_lemma(token)}"), (after, f"{token.lower_} {after}"))
        if other is not None and other.is_alpha and len(other) > 2
    )


def _lemma(token: "Token") -> str:
    return next((r.lemma for r in wordnet.readings(token.lower_) if r.pos == "n"), token.lower_)


@cache
def _both_ways() -> Mapping[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for (lemma, _), rows in word_table().items():
        for word in (word for allowed in rows for word in allowed.instead):
            found.setdefault(lemma, set()).add(word)
            found.setdefault(word, set()).add(lemma)
    return {word: frozenset(others) for word, others in found.items()}


@cache
def exchangeable(word: str) -> frozenset[str]:
    """The lemmas that may stand for a word somewhere, whichever of the two it is that the table begins with."""
    lemmas = {word.lower(), *(reading.lemma for reading in wordnet.readings(word.lower()))}
    return frozenset(other for lemma in lemmas for other in _both_ways().get(lemma, ()))


# Set phrases

# An auxiliary, or "to", before a verb in its clause
_UNFINITE = re.compile(
    r"\b(?:do|does|did|can|could|will|would|shall|should|may|might|must|to|not|let|make|makes|help|helps)\b[^.;,]{0,200}\Z",
    re.IGNORECASE,
)
PHRASE_TABLE = Path(__file__).with_name("phrases.tsv")


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase as a pattern, and what may stand instead of it."""

    pattern: re.Pattern[str]
    words: str
    instead: tuple[str, ...]

    @property
    def finite(self) -> bool:
        """Can the verb that stands instead not follow an auxiliary ("consist of": "are made up of")?"""
        return any(new.startswith("are ") for new in self.instead) and not self.words.startswith("are ")


@cache
def phrase_table(table: Path = PHRASE_TABLE) -> tuple[Phrase, ...]:
    """The phrases of a table, the longest first."""
    found = []
    for line in table.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            words, instead, after, before = ([*line.split("\t"), "", ""])[:4]
            first = re.escape(words[0]) if words[0].isupper() else f"[{words[0]}{words[0].upper()}]"
            lead = rf"(?:{before})\s+" if before else ""
            body = first + re.escape(words[1:]).replace(r"\ ", r"\s")
            ends = "" if words.endswith(",") else r"(?![\w-])"
            ahead = rf"(?=\s?(?:{after}))" if after else ""
            pattern = re.compile(rf"(?<![\w-]){lead}(?P<it>{body}){ends}{ahead}")
            found.append(Phrase(pattern, words, tuple(instead.split("|"))))
    return tuple(sorted(found, key=lambda p: (-len(p.words), p.words)))


def set_phrases(sentence: str, table: Path = PHRASE_TABLE) -> Iterator[tuple[Edit, ...]]:
    """For each place where a phrase of the table stands, in order: the edits that each put another in its place."""
    taken: list[tuple[int, int]] = []
    found: list[tuple[Edit, ...]] = []
    for phrase in phrase_table(table):
        for match in phrase.pattern.finditer(sentence):
            start, end = match.span("it")
            head = sentence[start].isupper()
            if any(a < end and start < b for a, b in taken) or (head and start):
                continue
            if phrase.finite and _UNFINITE.search(sentence, 0, start):
                continue
            taken.append((start, end))
            found.append(tuple(Edit(start, end, _cased(new, head)) for new in phrase.instead))
    yield from sorted(found, key=lambda edits: edits[0].start)


def _cased(new: str, head: bool) -> str:
    return new[0].upper() + new[1:] if head else new
