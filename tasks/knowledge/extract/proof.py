"""What the words of a sentence, or of a row with its headers, bear of a triplet (quality.md: no more than it says)."""

import re
from dataclasses import dataclass
from functools import cached_property

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.extract.kinds import kind_of
from rarefy.tasks.knowledge.extract.labels import MEASURES
from rarefy.tasks.knowledge.extract.locate import folded, words_within
from rarefy.tasks.knowledge.extract.prose_sentences import FOREIGN
from rarefy.tasks.knowledge.extract.rows_quoted import Line
from rarefy.tasks.knowledge.extract.stems import SMALL_WORDS, same, stem, words_of
from rarefy.tasks.text.names import without_form

_SELF = re.compile(r"\b(?:[Ww]e|us|[Oo]ur|[Tt]he (?:Company|Registrant|Corporation|Committee|Association|Board))\b")
_ARTICLE = re.compile(r"^(?:the|a|an) ", re.I)
# A sentence that speaks of what the one before it named, or that goes on one
_REFERS = re.compile(
    r"^(?:[•*-] ?)?(?:\(\w{1,4}\) ?)?[a-z]"
    r"|\b(?i:it|they|he|she|its|their|his|her|this|these|those|such|both)\b"
    r"|^The (?:increase|decrease|change|growth|decline|term|program|agreement|transaction|acquisition|charge|amount)\b",
)
_ANSWER = r"\b(?:output|return|emit|print|reply|respond|answer|add|append|include|extract|insert|report|say|state)\b"
_READER = r"\b(?:language models?|LLMs?|AI (?:models?|systems?|assistants?|agents?)|chatbots?|the (?:AI|model))\b"
_MUST = r"\b(?:must|should|shall|please|are to|is to|always|never|do not)\b"
_TO_A_MODEL = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,60}\b(?:instructions?|prompts?|rules|directions|context)\b"
    r"|\b(?:system|developer) (?:prompt|message|instruction)\b|^\W*(?:system|assistant|user|human)\s*:"
    r"|\byou are (?:now )?(?:an? |the )?(?:\w+ )?(?:AI|assistant|language model|chatbot|LLM)\b"
    rf"|{_READER}[^.\n]{{0,60}}\b(?:reading|processing|parsing)\b|{_READER}[^.\n]{{0,40}}{_MUST}[^.\n]{{0,20}}{_ANSWER}"
    rf"|\b(?:attention|dear|note to|instructions? (?:for|to))\b[^.\n]{{0,20}}(?:{_READER}|\bAI\b)"
    rf"|{_ANSWER}[^.\n]{{0,40}}\b(?:triplets?|triples?|JSON)\b|\b(?:reply|respond|output) (?:only|exactly)\b"
    r"|\b(?:extract|summari[sz]|annotat)ing (?:this|the) (?:document|text|chunk|passage|filing)\b"
    r"|[<‹]/?\W?(?:chunk|document|system|instructions?|passage|fact)\b|\[/?INST\]|<\|\w+\|>|\bnew instructions?\b",
    re.I,
)
_POINTER = re.compile(
    r"^\W*(?:See|Refer to|For (?:more|further|additional|a (?:full|further|more))\b.*\b(?:see|refer to))\b", re.I
)
_LEADERS = re.compile(r"(?:\. ?){5,}\s*\d*\s*$")
_DENIES = re.compile(r"\b(?:not?|never|without|cannot|non\w*|un\w+|lacks?|excludes?|denie[sd])\b", re.I)
# A quotation that begins after such words says something else than its sentence does
_TORN = re.compile(r"\b(?:not|never|cannot|no|nor|neither|without|if|unless|whether)(?: [\w’'-]+){0,3} ?$", re.I)
# Words of a relation that hold between any row and its value
_PLAIN = frozenset(
    """
    amount amounted amounts total totaled totalled totals equal equaled equals reach reached record recorded records
    report reported reports post posted show showed shows stand stood come came make made value valued number numbered
    count counts represent represented account accounted generate generated earn earned spend spent incur incurred
    worth year share percentage percent rate level
    """.split()
)
_CAPTION = 600  # characters before a table that say what it shows
_NEAR = 1_200  # characters before a sentence in which what it refers to is named


@dataclass(frozen=True)
class Proof:
    """The words that a triplet rests on: its sentence, or its row with header and label above it."""

    row: Triplet
    text: str  # of the chunk
    entity: str
    line: Line | None = None  # the table's row that the sentence is

    @cached_property
    def said(self) -> str:
        """All of them."""
        return " ".join((self.row.group, self.row.header, self.row.source_sentence))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The beginnings of their words."""
        return frozenset(stem(word) for word in words_of(self.said))

    def answer(self) -> str:
        """The object's words as the sentence has them; "" where it has others."""
        sentence = self.row.source_sentence
        bare = _ARTICLE.sub("", self.row.object)
        short = without_form(bare)
        for said in (self.row.object, bare, *self._without_owner(bare), *([short] if short != bare else [])):
            place = words_within(said, sentence) if folded(said).letters else None
            if place:
                return sentence[slice(*place)].strip(" |")
        return ""

    def trouble_with_object(self) -> str:
        """Why the sentence does not bear an object that it words otherwise."""
        if same(self.row.object, self.entity):  # "we", or whoever the document is about, where the rest is borne
            meant = bool(_SELF.search(self.row.source_sentence)) or self._bears(self.row.relation, 0.5)
            return "" if meant else "object_not_in_sentence"
        own = self._without_owner(self.row.object)
        said = own[0] if own else self.row.object
        own_words = set(words_of(self.entity)) if _SELF.search(self.row.source_sentence) else set()
        # of a name no part may be missing, but whose it is where that is us
        named = " ".join(w for w in words_of(said) if w[:1].isupper() and w not in own_words)
        borne = self._bears(said, 0.6) and (not named or self._bears(named, 1.0))
        return "" if borne else "object_not_in_sentence"

    def trouble_with_subject(self) -> str:
        """Why the sentence does not say it of this subject."""
        if same(self.row.subject, self.entity):
            return ""
        own = self._without_owner(self.row.subject)
        if any(self._means(said) for said in (*own, self.row.subject)):
            return ""
        if _REFERS.search(self.row.source_sentence):
            before = self.text[max(self.row.start - _NEAR, 0) : self.row.start]
            if any(words_within(said, before) for said in (self.row.subject, *own)):
                return ""
        return "subject_not_in_sentence"

    def trouble_with_relation(self) -> str:
        """Why a row does not measure what the relation says: the same label stands under sales and under their cost."""
        if self.line is None or not self.row.value:
            return ""
        names = [w for w in words_of(self.row.relation) if w.lower() not in SMALL_WORDS | _PLAIN]
        names = [w for w in names if len(w) > 2]
        label = self.line.row.cells[0].text
        if not names or set(label.lower().split()) & MEASURES:
            return ""
        over = " ".join(cell.text for row in self.line.headers for cell in row.cells)
        groups = " ".join(row.cells[0].text for row in self.line.groups)
        known = {stem(w) for w in words_of(f"{label} {over} {groups or self.line.lead[-_CAPTION:]}")}
        told = sum(stem(w) in known for w in names)
        return "" if told == len(names) or (not groups and told * 2 >= len(names)) else "relation_not_in_row"

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
        if _TORN.search(re.split(r"[.;:\n]", self.text[max(start - 80, 0) : start])[-1]):
            return "sentence_torn"
        verbs = [w for w in words_of(self.row.relation) if len(w) > 2 and w.lower() not in SMALL_WORDS]
        if not _DENIES.search(self.row.relation):
            for verb in verbs:
                form = re.escape(stem(verb)[:4])
                denied = re.findall(rf"\b(?:not|never|cannot|no longer)(?: \w+)? {form}", sentence, re.I)
                if denied and len(denied) == len(re.findall(rf"\b{form}", sentence, re.I)):
                    return "negation_lost"
        return ""

    def _without_owner(self, said: str) -> list[str]:
        """ "Apple R&D expense" as "R&D expense", where the document is Apple's."""
        first = words_of(self.entity)[:1]
        head, _, rest = said.partition(" ")
        if first and rest and re.sub(r"[’']s$", "", head).casefold() == first[0].casefold():
            whole = said[len(self.entity) :].strip() if said.startswith(self.entity) else ""
            return [whole or rest]
        return []

    def _means(self, name: str) -> bool:
        """Whether the proof names this subject, be it in short: "Mr. Bezos", "the Manager", "issuers"."""
        words = words_of(name)
        proper = [w[:1].isupper() for w in words if w.lower() not in SMALL_WORDS]
        if len(proper) > 1 and all(proper):  # of an organisation its first word, of a person the last
            first = stem(words[0]) in self.stems
            return first or self._bears(name, 0.5) or (kind_of(name) == "NAME" and stem(words[-1]) in self.stems)
        head = re.split(r" (?:of|for|in|on|to|by|from|with|at|under|and|that|which)\b", name, maxsplit=1)[0]
        return self._bears(name, 0.34) or stem((words_of(head) or words or [""])[-1]) in self.stems

    def _bears(self, said: str, share: float) -> bool:
        """Whether at least this share of the words stand in the proof, in any form, or as an acronym."""
        words = [w for w in words_of(said) if w.lower() not in SMALL_WORDS]
        known = [w for w in words if stem(w) in self.stems or self._acronym(w)]
        initials = "".join(w[0] for w in words).casefold()
        short = {form for w in words_of(self.said) if w[:2].isupper() for form in (w, w.removesuffix("s"))}
        spelled = any(len(s) > 2 and s.casefold() in initials for s in short)  # "TCJA" of the Tax Cuts and Jobs Act
        return bool(words) and (spelled or len(known) / len(words) >= share)

    def _acronym(self, word: str) -> bool:
        letters = re.sub(r"[^A-Z]", "", word)
        if len(letters) < 2 or "." in word or len(letters) < len(re.sub(r"\W|s$", "", word)):
            return False
        return letters in "".join(w[0] for w in words_of(self.said) if w.lower() not in SMALL_WORDS).upper()
