"""Why a model's triplet is not to be had: words that name nothing, or that its sentence does not bear (quality.md)."""

import re
from dataclasses import dataclass
from functools import cached_property

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.extract.kinds import kind_of
from rarefy.tasks.extract.labels import MEASURES
from rarefy.tasks.extract.locate import folded, words_within
from rarefy.tasks.extract.prose_sentences import FOREIGN

LONG_NAME = 8  # words of an object: longer ones say something rather than name it
_LONGEST_OBJECT = 14
_LONGEST_NAME = 14  # words of a subject
_LONGEST_RELATION = 6  # asked for are 2 to 4

_SELF = re.compile(r"(?:we|us|our company|(?:the )?(?:company|registrant|corporation))", re.I)
_OURS = re.compile(r"(?:our|(?:the )?(?:company|registrant|corporation)[’']s) (?=\S)", re.I)
_ARTICLE = re.compile(r"^(?:the|a|an) ", re.I)
_POINTS = re.compile(
    r"(?:it|they|them|he|him|she|her|this|that|these|those|which|who|one|ones|each|both|others?|all|some|such|its|their"
    r"|his|same|former|latter|foregoing|following|above|below|here|there|thereof)"
)
_POINTS_AT = re.compile(r"(?:this|these|those|such|its|their|his|her|our|your|my|said) ", re.I)
_GENERIC = frozenset(
    """
    increase increases decrease decreases change changes growth decline amount amounts amounts period year years quarter
    month table item items section note notes company companies business businesses segment segments product products
    service services customer customers supplier suppliers employee employees management operation operations result
    results activity activities factor factors other others total totals subtotal net gross all various certain general
    consolidated aggregate average annual number percentage percent share portion part majority basis fiscal current
    prior following operating financial market markets price prices volume demand period-over-period document report
    """.split()
)
_SMALL_WORDS = frozenset(
    """
    a an and as at be been by for from has have had in into is it its of on or our than that the their these this those
    to under upon was were when where which while who will with would may must shall can could not no any each
    """.split()
)
_MONTH = r"January|February|March|April|May|June|July|August|September|October|November|December"
_DATED = re.compile(
    rf"\b(?:19|20)\d\d\b|\b(?:{_MONTH}) \d|\b(?:in|of|during) (?:{_MONTH})\b|\bQ[1-4]\b|\bfiscal year\b"
)
_SPEAKS_OF_SELF = re.compile(r"\b(?:we|us|our|ours|the company|the registrant|company|corporation)\b", re.I)
# A sentence that speaks of what the one before it named, or that goes on one
_REFERS = re.compile(
    r"^(?:[•*-] ?)?(?:\(\w{1,4}\) ?)?[a-z]"
    r"|\b(?i:it|they|he|she|its|their|his|her|this|these|those|such|both)\b"
    r"|^The (?:increase|decrease|change|growth|decline|term|program|agreement|transaction|acquisition|charge|amount)\b",
)
# What stands in every document of its kind
_BOILERPLATE = re.compile(
    r"(?:the )?(?:SEC|(?:U\.S\. )?Securities and Exchange Commission|(?:Securities )?Exchange Act(?: of \d+)?"
    r"|Securities Act(?: of \d+)?|Sarbanes-Oxley.*|PCAOB|Public Company Accounting Oversight Board|Form \d+-\w+(?:/A)?"
    r"|(?:Annual|Quarterly) Reports?(?: on Form.*)?|Proxy Statement.*|EDGAR|Exhibit \d.*|(?:U\.S\. )?GAAP"
    r"|Table of Contents)",
    re.I,
)
# Words that speak to whoever reads by machine: they state no fact, whatever they say
_ANSWER = r"\b(?:output|return|emit|reply|respond|answer|add|append|include|extract|insert|report)\b"
_TO_A_MODEL = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,60}\b(?:instructions?|prompts?|rules|directions|context)\b"
    r"|\b(?:system|developer) (?:prompt|message|instruction)\b|^\W*(?:system|assistant|user|human)\s*:"
    r"|\byou are (?:now )?(?:an? |the )?(?:\w+ )?(?:AI|assistant|language model|chatbot|LLM)\b"
    r"|\b(?:language model|LLM|AI model)s?\b[^.\n]{0,40}\b(?:must|should|shall|please|are to|is to)\b[^.\n]{0,40}"
    rf"{_ANSWER}|{_ANSWER}[^.\n]{{0,40}}\b(?:triplets?|triples?|JSON)\b"
    r"|[<‹]/?\W?(?:chunk|document|system|instructions?|passage|fact)\b|\[/?INST\]|<\|\w+\|>|\bnew instructions?\b",
    re.I,
)
_POINTER = re.compile(
    r"^\W*(?:See|Refer to|For (?:more|further|additional|a (?:full|further|more))\b.*\b(?:see|refer to))\b", re.I
)
_LEADERS = re.compile(r"(?:\. ?){5,}\s*\d*\s*$")
_DENIES = re.compile(r"\b(?:not?|never|without|cannot|non\w*|un\w+|lacks?|excludes?|denie[sd])\b", re.I)
_NEAR = 1_200  # characters before a sentence in which what it refers to is named


def resolved(said: str, entity: str) -> str:
    """A subject or object without the quotes around it, "we" and "the Company" by the name of the document's entity."""
    plain = re.sub(r"\s+", " ", said).strip().strip("\"“”'‘’").strip().rstrip(";,")
    plain = re.sub(r"[®™©℠\u00ad\u200b]", "", plain)
    if entity and _SELF.fullmatch(plain):
        return entity
    own = _OURS.match(plain) if entity else None
    return f"{entity} {plain[own.end() :]}" if own else plain


def lowered(relation: str) -> str:
    """A relation in one line, not written as an identifier ("HAS_SEGMENT", "has-segment") nor in capitals."""
    plain = re.sub(r"[\s_]+", " ", relation).strip().strip("\"“”'‘’.,;:").strip()
    plain = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", plain) if " " not in plain else plain
    first, _, rest = plain.partition(" ")
    if plain.isupper() or (first[:1].isupper() and first[1:].islower()):
        return plain.lower() if plain.isupper() else f"{first.lower()} {rest}".strip()
    return plain


def to_words(row: Triplet) -> str:
    """Why the words of a triplet name nothing, whatever stands in its sentence; "" where they do."""
    if not all(part.strip() for part in (row.subject, row.relation, row.object, row.source_sentence)):
        return "empty_part"
    for end in (row.subject, row.object):
        if _POINTS.fullmatch(_ARTICLE.sub("", end).lower()) or _POINTS_AT.match(end) or _SELF.fullmatch(end):
            return "unresolved_reference"
    if folded(row.subject).letters == folded(row.object).letters:
        return "subject_is_object"
    if not _specific(row.subject):
        return "subject_not_specific"
    if len(row.subject.split()) > _LONGEST_NAME:
        return "subject_too_long"
    if len(row.object.split()) > _LONGEST_OBJECT:
        return "object_too_long"
    if _BOILERPLATE.fullmatch(row.subject) or _BOILERPLATE.fullmatch(row.object):
        return "boilerplate"
    if _DATED.search(row.relation):
        return "relation_with_a_date"
    if re.search(r"(?<!^)\b[A-Z][a-z]{2,}\b", row.relation):
        return "relation_with_a_name"
    return "relation_too_long" if len(row.relation.split()) > _LONGEST_RELATION else ""


def _specific(name: str) -> bool:
    words = [w for w in re.findall(r"[^\W_][\w&.’'-]*", name) if w.lower() not in _SMALL_WORDS]
    return any(w.lower() not in _GENERIC and w.lower() not in MEASURES for w in words)


@dataclass(frozen=True)
class Proof:
    """The words that a triplet rests on: its sentence, or its row with header and label above it."""

    row: Triplet
    text: str
    entity: str

    @cached_property
    def words(self) -> str:
        """All of them."""
        return " ".join((self.row.group, self.row.header, self.row.source_sentence))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The beginnings of their words."""
        return frozenset(_stem(word) for word in _words(self.words))

    def answer(self) -> str:
        """The object's words as the sentence has them; "" where it has others."""
        sentence = self.row.source_sentence
        bare = _ARTICLE.sub("", self.row.object)
        core = _core(bare)
        for said in (self.row.object, bare, *self._without_owner(bare), *([core] if core != bare else [])):
            place = words_within(said, sentence) if folded(said).letters else None
            if place:
                return sentence[slice(*place)].strip(" |")
        return self._self_said() if _same(self.row.object, self.entity) else ""

    def trouble_with_object(self) -> str:
        """Why the sentence does not bear an object that it words otherwise."""
        if _same(self.row.object, self.entity):
            return "" if self._bears(self.row.relation, 0.5) else "object_not_in_sentence"
        own = self._without_owner(self.row.object)
        return "" if self._bears(own[0] if own else self.row.object, 0.6) else "object_not_in_sentence"

    def trouble_with_subject(self) -> str:
        """Why the sentence does not say it of this subject."""
        if _same(self.row.subject, self.entity):
            return ""
        own = self._without_owner(self.row.subject)
        if any(self._means(said) for said in (*own, self.row.subject)):
            return ""
        if _REFERS.search(self.row.source_sentence):
            before = self.text[max(self.row.start - _NEAR, 0) : self.row.start]
            if any(words_within(said, before) for said in (self.row.subject, *own)):
                return ""
        return "subject_not_in_sentence"

    def trouble_with_sentence(self) -> str:
        """Why the sentence states nothing, or not what the relation says."""
        sentence, start = self.row.source_sentence, self.row.start
        first = self.text.rfind("\n\n", 0, start) + 1
        last = self.text.find("\n\n", self.row.end)
        if _TO_A_MODEL.search(self.text[first : last if last >= 0 else len(self.text)]):
            return "speaks_to_the_reader"
        if _POINTER.search(sentence) or _LEADERS.search(sentence):
            return "cross_reference"
        if FOREIGN.search(sentence):
            return "somebody_else_speaks"
        verbs = [w for w in _words(self.row.relation) if len(w) > 2 and w.lower() not in _SMALL_WORDS]
        if not _DENIES.search(self.row.relation):
            for verb in verbs:
                stem = re.escape(re.sub(r"(?:e?s|ed|ing)$", "", verb)[:4])
                denied = re.findall(rf"\b(?:not|never|cannot|no longer)(?: \w+)? {stem}", sentence, re.I)
                if denied and len(denied) == len(re.findall(rf"\b{stem}", sentence, re.I)):
                    return "negation_lost"
        return ""

    def _self_said(self) -> str:
        place = words_within(self.entity, self.row.source_sentence)
        if place:
            return self.row.source_sentence[slice(*place)]
        found = re.search(r"\b(?:[Ww]e|us|[Tt]he Company|[Tt]he Registrant|our)\b", self.row.source_sentence)
        return found[0] if found and found[0] != "our" else ""

    def _without_owner(self, said: str) -> list[str]:
        """ "Apple R&D expense" as "R&D expense", where the document is Apple's."""
        first = _words(self.entity)[:1]
        head, _, rest = said.partition(" ")
        if first and rest and re.sub(r"[’']s$", "", head).casefold() == first[0].casefold():
            whole = said[len(self.entity) :].strip() if said.startswith(self.entity) else ""
            return [whole or rest]
        return []

    def _means(self, name: str) -> bool:
        """Whether the proof names this subject, be it in short: "Mr. Bezos", "the Manager", "issuers"."""
        words = _words(name)
        proper = [w[:1].isupper() for w in words if w.lower() not in _SMALL_WORDS]
        if len(proper) > 1 and all(proper):  # of an organisation its first word, of a person the last
            first = _stem(words[0]) in self.stems
            return first or self._bears(name, 0.5) or (kind_of(name) == "NAME" and _stem(words[-1]) in self.stems)
        head = re.split(r" (?:of|for|in|on|to|by|from|with|at|under|and|that|which)\b", name, maxsplit=1)[0]
        return self._bears(name, 0.34) or _stem((_words(head) or words or [""])[-1]) in self.stems

    def _bears(self, said: str, share: float) -> bool:
        """Whether at least this share of the words stand in the proof, in any form, or as an acronym."""
        words = [w for w in _words(said) if w.lower() not in _SMALL_WORDS]
        known = [w for w in words if _stem(w) in self.stems or self._acronym(w)]
        initials = "".join(w[0] for w in words).casefold()
        short = {form for w in _words(self.words) if w[:2].isupper() for form in (w, w.removesuffix("s"))}
        spelled = any(len(s) > 2 and s.casefold() in initials for s in short)  # "TCJA" of the Tax Cuts and Jobs Act
        return bool(words) and (spelled or len(known) / len(words) >= share)

    def _acronym(self, word: str) -> bool:
        letters = re.sub(r"[^A-Z]", "", word)
        if len(letters) < 2 or "." in word or len(letters) < len(re.sub(r"\W|s$", "", word)):
            return False
        initials = "".join(w[0] for w in _words(self.words) if w.lower() not in _SMALL_WORDS).upper()
        return letters in initials


def _same(name: str, entity: str) -> bool:
    return bool(entity) and _core(name).casefold() == _core(entity).casefold()


def _core(name: str) -> str:
    """A company's name without article and legal form."""
    return re.sub(
        r"^the |[,.]? (?:inc|incorporated|corp|corporation|company|co|ltd|limited|plc|llc)\b\.?,?$",
        "",
        name,
        flags=re.I,
    ).strip(" ,")


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_](?:[\w&’'.-]*[^\W_])?", text)


def _stem(word: str) -> str:
    letters = folded(re.sub(r"[’']s$", "", word)).letters
    return letters if letters.isdigit() or len(letters) < 5 else letters[:5]
