"""What a model claims, held to the words it quotes: a triplet with its proof, or why it does not hold (RARE R8)."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from rarefy.data_contracts.rows import Chunk, Triplet, row_id
from rarefy.tasks.knowledge.extract.claim_values import value_in_row, value_in_sentence, value_type
from rarefy.tasks.knowledge.extract.entity_types import entity_type
from rarefy.tasks.knowledge.extract.labels import MEASURES
from rarefy.tasks.knowledge.extract.locate import TableLine, find_quote, find_quoted_row, find_words, fold, table_lines
from rarefy.tasks.knowledge.extract.prose import OTHER_SPEAKER
from rarefy.tasks.knowledge.extract.windows import ShownChunk, Window
from rarefy.tasks.text.dates import NAME
from rarefy.tasks.text.names import without_form
from rarefy.tasks.text.stems import root

SMALL_WORDS = frozenset(
    """
    a an and as at be been by for from has have had in into is it its of on or our than that the their these this those
    to under upon was were when where which while who will with would may must shall can could not no any each
    """.split()
)


def is_same_entity(name: str, entity: str) -> bool:
    """Whether a name is that of the entity, article and legal form aside, or its initials: "AMD"."""
    if not entity:
        return False
    whole = without_form(entity)
    initials = "".join(word[0] for word in whole.split() if word[0].isupper())
    return without_form(name).casefold() == whole.casefold() or (len(initials) > 2 and name == initials)


def split_words(text: str) -> list[str]:
    """The words and numbers of a text, as written."""
    return re.findall(r"[^\W_](?:[\w&’'.-]*[^\W_])?", text)


def stem(word: str) -> str:
    """The root that a word shares with its other forms and derived words; a number is itself."""
    return root(fold(re.sub(r"[’']s$", "", word)).letters)


def word_stems(text: str) -> set[str]:
    """The stems of all words of a text."""
    return {stem(word) for word in split_words(text)}


LONG_NAME = 8  # words of an object: longer ones say something rather than name it
_LONGEST_OBJECT = 14
_LONGEST_NAME = 14  # words of a subject
_LONGEST_RELATION = 6  # asked for are 2 to 4

_QUOTED = re.compile(r"[\"“'‘][^\"“”]*[\"”'’][;,]?")  # all of a name, not a part: “Zen 3” core
_SELF = re.compile(r"(?:we|us|our company|(?:the )?(?:company|registrant|corporation))", re.I)
_INSTITUTIONS = frozenset("agency association authority bank board commission committee council department".split())
# A relation that has an office in it ("is Deputy Director of") names nobody
_OFFICES = frozenset(
    """
    actor actress ambassador analyst architect artist attorney author banker bishop ceo cfo chair chairman
    chairwoman chancellor chef chief coach co-founder commissioner composer conductor cto daughter dean diplomat
    director doctor drummer economist editor engineer explorer father filmmaker founder general governor guitarist
    historian husband inventor journalist judge king lawyer leader lieutenant manager mathematician mayor minister
    mother musician novelist officer painter partner philosopher photographer physician physicist pianist player
    playwright poet politician pope president priest prince princess producer professor queen rapper scientist
    screenwriter sculptor secretary senator singer sister son songwriter spokesman spokesperson spokeswoman teacher
    treasurer wife writer
    accounting administrative adviser advisor alternate assistant associate board chairperson compliance controller
    counsel deputy directors executive financial first human information legal marketing member operating principal
    resources second senior special staff technology trustee vice
    """.split()
)
_OURS = re.compile(r"(?:our|(?:the )?(?:company|registrant|corporation)[’']s) (?=\S)", re.I)
_ARTICLE = re.compile(r"^(?:the|a|an) ", re.I)
_POINTS = re.compile(
    r"(?:it|they|them|he|him|she|her|this|that|these|those|which|who|one|ones|each|both|others?|all|some|such|its|their"
    r"|his|same|former|latter|foregoing|following|above|below|here|there|thereof)"
)
_POINTS_AT = re.compile(r"(?:this|these|those|such|its|their|his|her|our|your|my|said) ", re.I)
_GENERIC = frozenset(
    """
    increase increases decrease decreases change changes growth decline amount amounts amounts period year years
    quarter month table item items section note notes company companies business businesses segment segments product
    products service services customer customers supplier suppliers employee employees management operation operations
    result results activity activities factor factors other others total totals subtotal net gross all various certain
    general consolidated aggregate average annual number percentage percent share portion part majority basis fiscal
    current prior following operating financial market markets price prices volume demand period-over-period document
    report
    """.split()
)
_DATED = re.compile(rf"\b(?:19|20)\d\d\b|\b{NAME} \d|\b(?:in|of|during) {NAME}\b|\bQ[1-4]\b|\bfiscal year\b")
# What stands in every document of its kind
_BOILERPLATE = re.compile(
    r"(?:the )?(?:SEC|(?:U\.S\. )?Securities and Exchange Commission|(?:Securities )?Exchange Act(?: of \d+)?"
    r"|Securities Act(?: of \d+)?|Sarbanes-Oxley.*|PCAOB|Public Company Accounting Oversight Board|Form \d+-\w+(?:/A)?"
    r"|(?:Annual|Quarterly) Reports?(?: on Form.*)?|Proxy Statement.*|EDGAR|Exhibit \d.*|(?:U\.S\. )?GAAP"
    r"|Table of Contents)",
    re.I,
)


def resolve_entity(name: str, entity: str) -> str:
    """A subject or object without quotes around it; "we" and "the Company" become the document's entity."""
    plain = " ".join(name.split()).rstrip(";,")
    if _QUOTED.fullmatch(plain):
        plain = plain.strip("\"“”'‘’").strip().rstrip(";,")
    plain = re.sub(r"[®™©℠\u00ad\u200b]", "", plain)
    if entity and (
        _SELF.fullmatch(plain) or is_same_entity(plain, entity) or plain.lower() == _short_reference(entity)
    ):
        return entity
    own = _OURS.match(plain) if entity else None
    return f"{entity} {plain[own.end() :]}" if own else plain


def _short_reference(entity: str) -> str:
    """What minutes and regulations call the institution they are of: "the committee"."""
    last = entity.lower().rpartition(" ")[2]
    return f"the {last}" if last in _INSTITUTIONS else entity.lower()


def normalise_relation(relation: str) -> str:
    """A relation in one line, not as an identifier ("HAS_SEGMENT", "has-segment") nor in capitals."""
    plain = re.sub(r"[\s_]+", " ", relation).strip().strip("\"“”'‘’.,;:").strip()
    plain = re.sub(r"(?<=[a-z])(?=[A-Z][a-z])", " ", plain) if " " not in plain else plain
    plain = re.sub(r"[A-Z][a-z]+", lambda word: word[0].lower() if word[0].lower() in _OFFICES else word[0], plain)
    first, _, rest = plain.partition(" ")
    if plain.isupper() or (first[:1].isupper() and first[1:].islower()):
        return plain.lower() if plain.isupper() else f"{first.lower()} {rest}".strip()
    return plain


def wording_objection(row: Triplet) -> str:
    """Why the words of a triplet name nothing, whatever stands in its sentence; "" where they do."""
    if not all(part.strip() for part in (row.subject, row.relation, row.object, row.source_sentence)):
        return "empty_part"
    for end in (row.subject, row.object):
        if _POINTS.fullmatch(_ARTICLE.sub("", end).lower()) or _POINTS_AT.match(end) or _SELF.fullmatch(end):
            return "unresolved_reference"
    if fold(row.subject).letters == fold(row.object).letters:
        return "subject_is_object"
    if not is_specific(row.subject):
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


def is_specific(name: str) -> bool:
    """Whether a name has a word that is more than a measure or a kind of thing."""
    words = [w for w in re.findall(r"[^\W_][\w&.’'-]*", name) if w.lower() not in SMALL_WORDS]
    return any(w.lower() not in _GENERIC and w.lower() not in MEASURES for w in words)


_SELF_MENTION = re.compile(
    r"\b(?:[Ww]e|us|[Oo]ur|[Tt]he (?:Company|Registrant|Corporation|Committee|Association|Board))\b"
)
# A sentence that refers to the one before it, or continues it
_REFERS = re.compile(
    r"^(?:[•*-] ?)?(?:\(\w{1,4}\) ?)?[a-z]"
    r"|\b(?i:it|they|he|she|its|their|his|her|this|these|those|such|both)\b"
    r"|^The (?:increase|decrease|change|growth|decline|term|program|agreement|transaction|acquisition|charge|amount"
    r"|order|settlement|purchase price|[A-Z]{2,})\b",
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
# A quotation that begins after such words turns the meaning of its sentence around
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
_NUMBERED = r"\(?(?:\d{1,2}|[a-z]|[ivx]{1,4})[.)]"
_LIST_ITEM = re.compile(rf"\s*(?:[-*•]|{_NUMBERED})\s")
_NEAR = 1_200  # characters before a sentence in which what it refers to is named
_SUFFIX = re.compile(r",? (?:Jr|Sr|I{2,3}|IV|Ph\.?D|M\.?D|Esq)\.?$")  # behind a person's name
_TITLED = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|Messrs)\. ([A-Z][\w’'-]+)")
_PART = re.compile(r" (?:(?:business|operating|reportable) )?(?:segment|division|unit)$")
# "Sikorsky Support Services, Inc. (SSSI)": what stands behind a name and says what it is called for short
_SHORT = r"(?:,? (?:Inc|Corp|LLC|Ltd|L\.P)\.?)?,? ?\((?:the )?[\"“]?(?P<short>[A-Z][\w&.’' -]{1,30}?)[,.]?[\"”]?\)"


_HEADING = re.compile(r"^#{1,6}\s+(\S.*?)[\s#*]*$", re.M)
_LABEL = re.compile(r"[\s*•-]*(?:\([^()\n]{1,40}\)[\s*–—:-]+|[A-Z][\w /-]{0,30}:[\s*]+)")
_OPENS = re.compile(r"[\s*•-]*(?:it|they|this|these|those|such)\b", re.I)
_AFTER_NAME = re.compile(r" (?:of|for|in|on|to|by|from|with|at|under|against|and|that|which)\b")
# where a name's own words end, and words begin that say more of it: "mobile device used for work"
_AFTER_HEAD = re.compile(r" (?:\w+(?:ed|ing) )?(?:of|for|in|on|to|by|from|with|at|under|against|that|which)\b")
_LABEL_WORDS = 6  # of a line above a list
_OFTEN = 3  # times that a document has the name of whom its things belong to


def _is_headed(subject: str, heading: str, document: str = "") -> bool:
    """Whether a subject is what a heading names, with common words around it: "bastion" is the bastion server.

    Whose it is may stand beside it, where the document names that often: "Mattermost Channels" under "Channels".
    """
    place = find_words(heading, subject) if is_specific(heading) else None
    if not place:
        return False
    rest = split_words(f"{subject[: place[0]]} {subject[place[1] :]}")
    names = [word for word in rest if not word.islower()]
    return all(len(re.findall(rf"\b{re.escape(word)}\b", document)) >= _OFTEN for word in names)


@dataclass(frozen=True)
class Proof:
    """A triplet with the words that must prove it: its sentence, or its table row with header and group label."""

    row: Triplet
    text: str  # of the chunk
    entity: str
    line: TableLine | None = None  # the table's row that the sentence is
    document: str = ""  # the text of the whole document, which says what it calls things for short
    near: bool = True  # whether what stands above may name an end, and a subject's last word stand for it
    title: str = ""  # of the document

    @cached_property
    def words(self) -> str:
        """Group label, header and sentence."""
        return " ".join((self.row.group, self.row.header, self.row.source_sentence))

    @cached_property
    def stems(self) -> frozenset[str]:
        """The stems of these words."""
        return frozenset(word_stems(self.words))

    def find_answer(self) -> str:
        """The object as the sentence writes it; "" where it does not."""
        sentence = self.row.source_sentence
        bare = _ARTICLE.sub("", self.row.object)
        short = without_form(bare)
        for name in (self.row.object, bare, *self._without_owner(bare), *([short] if short != bare else [])):
            place = find_words(name, sentence) if fold(name).letters else None
            if place:
                return sentence[slice(*place)].strip(" |")
        return ""

    def find_short_answer(self) -> str:
        """The object as the sentence calls it for short, where the document says what it is called; else ""."""
        sentence = self.row.source_sentence
        bare = _ARTICLE.sub("", self.row.object)
        short = [*self._short_names(bare), *self._initials(bare, sentence)]
        return next((sentence[slice(*place)] for name in short if (place := find_words(name, sentence))), "")

    def object_objection(self) -> str:
        """Why the sentence does not prove an object that it words otherwise; "" where it does."""
        if is_same_entity(
            self.row.object, self.entity
        ):  # "we", or whoever the document is about, where the rest is borne
            is_meant = bool(_SELF_MENTION.search(self.row.source_sentence)) or self._proves(self.row.relation, 0.5)
            return "" if is_meant else "object_not_in_sentence"
        own = self._without_owner(self.row.object)
        thing = own[0] if own else self.row.object
        own_words = set(split_words(self.entity)) if _SELF_MENTION.search(self.row.source_sentence) else set()
        # of a name no part may be missing, but whose it is where that is us
        named = " ".join(w for w in split_words(thing) if w[:1].isupper() and w not in own_words)
        proven = self._proves(thing, 0.6) and (not named or self._proves(named, 1.0))
        is_above = bool(named) and (self._is_led_in(thing) or self._is_the_page(thing))
        return "" if proven or is_above else "object_not_in_sentence"

    def _is_the_page(self, name: str) -> bool:
        """Whether the page is about this, and the sentence is an item of its lists or says "this guide"."""
        if not self.near or name != _ARTICLE.sub("", self.title):
            return False
        listed = _LIST_ITEM.match(self.text[: self.row.end].rpartition("\n")[2])
        return bool(listed) or bool(find_words(f"this {name.rpartition(' ')[2]}", self.row.source_sentence))

    def _is_led_in(self, name: str) -> bool:
        """Whether what introduces a list names this: of its items "The Council (EC) shall:" says who does them."""
        lead_in = self._lead_in() if self.near else ""
        forms = (name, *self._short_names(name), *self._initials(name, lead_in)) if lead_in else ()
        return any(find_words(form, lead_in) for form in forms)

    def _initials(self, name: str, text: str) -> list[str]:
        """The initials of a name as a list, where the document writes it out and this text has them for it."""
        words = split_words(name)
        letters = "".join(word[0] for word in words if word[0].isupper())
        capitals = all(word[0].isupper() or word.lower() in SMALL_WORDS for word in words)
        known = self.near and capitals and len(letters) > 1 and name in self.document
        return [letters] if known and re.search(rf"\b{letters}\b", text) else []

    def subject_objection(self) -> str:
        """Why the sentence is not about this subject; "" where it is."""
        if is_same_entity(self.row.subject, self.entity):
            return ""
        own = self._without_owner(self.row.subject)
        if any(self._names(name) for name in (*own, self.row.subject)):
            return ""
        short = self._short_names(self.row.subject)
        if any(find_words(name, self.words) for name in (*short, *self._initials(self.row.subject, self.words))):
            return ""
        lead_in = self._lead_in()
        if any(find_words(name, lead_in) for name in (self.row.subject, *own, *short)):
            return ""
        if (lead_in.startswith("#") or not lead_in.endswith(":")) and _is_headed(
            self.row.subject, lead_in.strip("#* ")
        ):
            return ""
        if self.near and self._is_open() and _is_headed(self.row.subject, self._heading(), self.document):
            return ""
        if self.near and (self._is_named_above(lead_in) or self.row.subject == _ARTICLE.sub("", self.title)):
            return ""
        if _REFERS.search(self.row.source_sentence):
            before = self.text[max(self.row.start - _NEAR, 0) : self.row.start]
            if any(find_words(name, before) for name in (self.row.subject, *own, *short)):
                return ""
            # "he" is whom the text has just called Mr.
            titled = _TITLED.findall(before)
            if titled and self.row.subject in self.document and titled[-1:] == self._surname():
                return ""
        return "subject_not_in_sentence"

    def _is_named_above(self, lead_in: str) -> bool:
        """Whether a list's lead-in names the subject as a sentence may, or the heading above has all its words."""
        above = replace(self.row, header="", group="")
        if lead_in.endswith(":") and replace(self, row=replace(above, source_sentence=lead_in))._names(
            self.row.subject
        ):
            return True
        heading = replace(self, row=replace(above, source_sentence=self._heading()))
        telling = [word for word in split_words(self.row.subject) if word.lower() not in SMALL_WORDS]
        return len(telling) > 1 and heading._proves(self.row.subject, 1.0)

    def _is_open(self) -> bool:
        """Whether a sentence leaves it to its heading what it is about: "Key input: …", "This …"; it names nothing."""
        sentence = self.row.source_sentence
        label = _LABEL.match(sentence)
        rest = sentence[label.end() :] if label else sentence
        if not label and not _OPENS.match(rest):
            return False
        place = find_words(self.row.object, rest)
        before = split_words(rest[: place[0]] if place else rest)[1:]
        return not any(word[:1].isupper() and word not in self.row.subject for word in before)

    def _heading(self) -> str:
        """The nearest heading above the sentence in its chunk; "" where there is none."""
        above = _HEADING.findall(self.text[: self.row.start])
        return above[-1].strip("* ") if above else ""

    def _lead_in(self) -> str:
        """What introduces the list that the sentence is in: "The President shall:", a heading, a label; "" for none."""
        above = self.text[: self.row.end].splitlines() or [""]
        own = above.pop()
        before = own[: len(own) - (self.row.end - self.row.start)]
        listed = re.search(rf":\s+{_NUMBERED}\s.*", before)  # "The Manager is responsible for: a. Staff; b."
        if listed and re.search(rf"\s{_NUMBERED}\s*$", before):
            return before[: listed.start()].rpartition(". ")[2]
        if not _LIST_ITEM.match(own):
            return ""
        line = next((line for line in reversed(above) if line.strip() and not _LIST_ITEM.match(line)), "")
        is_label = self.near and len(line.split()) <= _LABEL_WORDS and line.strip(" *")[-1:] not in ".,;:!?"
        return line.strip(" *") if line.startswith("#") or line.rstrip(" *").endswith(":") or is_label else ""

    def _surname(self) -> list[str]:
        """The last word of the subject as a list; none where it has no words."""
        return [*split_words(_SUFFIX.sub("", self.row.subject))[-1:]]

    def _short_names(self, name: str) -> list[str]:
        """What the document calls a thing for short: in brackets behind its name, or a segment without that word.

        "Pet" is General Mills Pet segment where the document speaks of segments and of Pet among them.
        """
        owner = re.escape(without_form(self.entity) or self.entity)
        own = re.sub(rf"^{owner}(?:[’']s)? (?=\S)", "", name) if owner else name
        found = [own] if own != name else []
        for full in dict.fromkeys((name, own)):
            bare = _PART.sub("", full)
            for form in dict.fromkeys((full, bare, without_form(bare))):
                found += [match["short"] for match in re.finditer(re.escape(form) + _SHORT, self.document)]
            among = rf"{re.escape(bare)}\b[^.\n]{{0,80}}\bsegments?\b|\bsegments?\b[^.\n]{{0,200}}\b{re.escape(bare)}\b"
            if bare != full and re.search(among, self.document):
                found.append(bare)
        return [form for form in dict.fromkeys(found) if not _SELF.fullmatch(form)]

    def row_objection(self) -> str:
        """Why a table row does not measure what the relation says; "" where it does."""
        if self.line is None or not self.row.value:
            return ""
        names = [w for w in split_words(self.row.relation) if w.lower() not in SMALL_WORDS | _PLAIN]
        names = [w for w in names if len(w) > 2]
        label = self.line.row.cells[0].text
        if not names or set(label.lower().split()) & MEASURES:
            return ""
        over = " ".join(cell.text for row in self.line.headers for cell in row.cells)
        groups = " ".join(row.cells[0].text for row in self.line.groups)
        known = word_stems(f"{label} {over} {groups or self.line.lead[-_CAPTION:]}")
        matched = sum(stem(w) in known for w in names)
        return "" if matched == len(names) or (not groups and matched * 2 >= len(names)) else "relation_not_in_row"

    def sentence_objection(self) -> str:
        """Why the sentence states nothing, or not what the relation says; "" where it does."""
        sentence, start = self.row.source_sentence, self.row.start
        first = self.text.rfind("\n\n", 0, start) + 1
        last = self.text.find("\n\n", self.row.end)
        if _TO_A_MODEL.search(self.text[first : last if last >= 0 else len(self.text)]):
            return "speaks_to_the_reader"
        if _POINTER.search(sentence) or _LEADERS.search(sentence):
            return "cross_reference"
        if OTHER_SPEAKER.search(sentence):
            return "somebody_else_speaks"
        if _TORN.search(re.split(r"[.;:\n]", self.text[max(start - 80, 0) : start])[-1]):
            return "sentence_torn"
        verbs = [w for w in split_words(self.row.relation) if len(w) > 2 and w.lower() not in SMALL_WORDS]
        if not _DENIES.search(self.row.relation):
            for verb in verbs:
                form = re.escape(stem(verb)[:4])
                denied = re.findall(rf"\b(?:not|never|cannot|no longer)(?: \w+)? {form}", sentence, re.I)
                if denied and len(denied) == len(re.findall(rf"\b{form}", sentence, re.I)):
                    return "negation_lost"
        return ""

    def _without_owner(self, name: str) -> list[str]:
        """ "Apple R&D expense" as "R&D expense", where the document is Apple's."""
        first = split_words(self.entity)[:1]
        head, _, rest = name.partition(" ")
        if first and rest and re.sub(r"[’']s$", "", head).casefold() == first[0].casefold():
            whole = name[len(self.entity) :].strip() if name.startswith(self.entity) else ""
            return [whole or rest]
        return []

    def _names(self, name: str) -> bool:
        """Whether the proof names this subject, in full or in short: "Mr. Bezos", "the Manager", "issuers"."""
        words = split_words(_SUFFIX.sub("", name))
        proper = [w[:1].isupper() for w in words if w.lower() not in SMALL_WORDS]
        if len(proper) > 1 and all(proper):  # of an organisation its first word, of a person the last
            first = stem(words[0]) in self.stems
            return first or self._proves(name, 0.5) or (entity_type(name) == "NAME" and stem(words[-1]) in self.stems)
        head = _AFTER_NAME.split(name, maxsplit=1)[0]
        if self._proves(name, 0.34) or stem((split_words(head) or words or [""])[-1]) in self.stems:
            return True
        whole = _AFTER_HEAD.split(name, maxsplit=1)[0]  # "health and safety incidents" are incidents
        return self.near and (self._proves(whole, 0.5) or stem((split_words(whole) or [""])[-1]) in self.stems)

    def _proves(self, phrase: str, share: float) -> bool:
        """Whether at least this share of the phrase's words stand in the proof, in any form, or as an acronym."""
        words = [w for w in split_words(phrase) if w.lower() not in SMALL_WORDS]
        known = [w for w in words if stem(w) in self.stems or self._acronym(w)]
        initials = "".join(w[0] for w in words).casefold()
        short = {form for w in split_words(self.words) if w[:2].isupper() for form in (w, w.removesuffix("s"))}
        spelled = any(len(s) > 2 and s.casefold() in initials for s in short)  # "TCJA" of the Tax Cuts and Jobs Act
        return bool(words) and (spelled or len(known) / len(words) >= share)

    def _acronym(self, word: str) -> bool:
        letters = re.sub(r"[^A-Z]", "", word)
        if len(letters) < 2 or "." in word or len(letters) < len(re.sub(r"\W|s$", "", word)):
            return False
        return letters in "".join(w[0] for w in split_words(self.words) if w.lower() not in SMALL_WORDS).upper()


class Claim(BaseModel, frozen=True):
    """A triplet."""

    # what a model leaves out, or writes as a number, costs this triplet and not all of its reply
    model_config = ConfigDict(extra="ignore")

    subject: str = Field("", description="a specific thing, clear without the document")
    relation: str = Field("", description="2 to 4 general words, no dates or names")
    object: str = Field("", description="a named thing, or one value with its unit and scale")
    chunk_id: str = Field("", description="the id of the chunk that says it")
    source_sentence: str = Field("", description="the sentence of that chunk that says it, copied word by word")

    @field_validator("*", mode="before")
    @classmethod
    def _written(cls, value: Any) -> Any:
        if isinstance(value, list | tuple):
            return ", ".join(str(part) for part in value)
        return "" if value is None or isinstance(value, dict) else str(value)


class Claims(BaseModel, frozen=True):
    """Connected triplets."""

    model_config = ConfigDict(extra="ignore")

    triplets: tuple[Claim, ...] = Field(description="connected triplets; empty where the chunks hold no facts")


def claim_to_triplet(
    claim: Claim, window: Window, chunks: Mapping[str, Chunk], prompt: str, nth: int, near: bool = True
) -> Triplet:
    """The claim as a row: accepted with the span that proves it, or with the first reason against it.

    A claim about a chunk that the window does not have stands with the window's first chunk. `prompt` is the
    instructions, whose examples are no facts; `nth` tells claims apart that were turned down; `near` as of a Proof.
    """
    shown = window.find_chunks(claim.chunk_id)
    chunk = (shown or window.shown[:1])[0].chunk
    entity = window.document.entity
    row = Triplet(
        triplet_id=row_id("model", window.window_id, nth, claim.subject, claim.relation, claim.object),
        chunk_id=chunk.chunk_id,
        doc_id=chunk.doc_id,
        start=0,
        end=0,
        subject=resolve_entity(claim.subject, entity),
        relation=normalise_relation(claim.relation),
        object=resolve_entity(claim.object, entity),
        source_sentence=claim.source_sentence,
        method="model",
        entity=entity,
        domain=window.document.domain,
    )
    reason = wording_objection(row) or ("" if shown else "unknown_chunk")
    if not reason and f'"{row.subject}"' in prompt and f'"{row.object}"' in prompt:
        reason = "copied_example"
    if reason:
        return replace(row, rejected_because=reason)
    row, line = _locate_sentence(row, claim.source_sentence, shown, window, chunks)
    if not row.rejected_because:
        row = _add_type_and_value(row, line, chunks[row.chunk_id], window, near)
    if row.rejected_because:
        return row
    return replace(row, triplet_id=row_id("model", row.chunk_id, row.start, row.subject, row.relation, row.object))


def _locate_sentence(
    row: Triplet, quote: str, shown: list[ShownChunk], window: Window, chunks: Mapping[str, Chunk]
) -> tuple[Triplet, TableLine | None]:
    """The row with the place of its sentence in the chunk it names, and the table's row where it is one."""
    words = f"{row.subject} {row.relation} {row.object}"
    for part in shown:
        chunk = part.chunk
        start, end, line, reason = _find_quote(quote, chunk.text, part.start, words)
        if reason == "sentence_not_in_chunk" and part.start:
            first, last, _, missing = _find_quote(quote, chunk.text, 0, words)
            home = None if missing else _earlier_chunk_with(chunk, first, last, chunks)
            if home:  # in what the chunk repeats of the one before: it is that one's
                repeated_words = chunk.text[first:last]
                chunk, (start, end, line, reason) = home, _find_quote(repeated_words, home.text, 0, words)
        if not reason:
            break
    if reason == "sentence_not_in_chunk":
        others = {s.chunk.chunk_id: s.chunk.text for s in window.shown if s not in shown}
        if any(not _find_quote(quote, text, 0, words)[3] for text in others.values()):
            # named wrongly: which of two chunks was meant is not for us to say
            reason = "sentence_in_another_chunk"
    if reason:
        return replace(row, rejected_because=reason), None
    row = replace(row, chunk_id=chunk.chunk_id, start=start, end=end, source_sentence=chunk.text[start:end])
    if line:
        top, bottom = line.headers[0].start, line.headers[-1].end
        row = replace(row, header=chunk.text[top:bottom], header_start=top, header_end=bottom)
        stems = word_stems(f"{quote} {words}")
        for group in line.groups[-1:]:  # "Gross margin:", where the triplet or the quotation speaks of it
            if word_stems(group.cells[0].text) & stems:
                span = slice(group.start, group.end)
                row = replace(row, group=chunk.text[span], group_start=group.start, group_end=group.end)
    return row, line


def _find_quote(quote: str, text: str, since: int, words: str) -> tuple[int, int, TableLine | None, str]:
    """Where a quotation stands, with the table's row that it is; or why nowhere."""
    places = find_quote(quote, text, since)
    every_line = list(table_lines(text)) if "|" in text else []
    touched_lines = [
        line for start, end in places for line in every_line if line.row.start < end and start < line.row.end
    ]
    if len(touched_lines) == 1 and len(places) == 1:
        return touched_lines[0].row.start, touched_lines[0].row.end, touched_lines[0], ""
    if touched_lines or not places:
        rows, reason = find_quoted_row(quote, text, since, words) if every_line else ([], "not_there")
        if rows:
            return rows[0].row.start, rows[0].row.end, rows[0], ""
        if touched_lines or reason == "ambiguous_row":
            return 0, 0, None, "ambiguous_row"
        return 0, 0, None, "sentence_not_in_chunk"
    if len({text[slice(*span)] for span in places}) > 1:  # around an ellipsis: two sentences begin and end alike
        wanted_stems = word_stems(words)
        fits = [len(wanted_stems & word_stems(text[slice(*span)])) for span in places]
        places = [span for span, fit in zip(places, fits, strict=True) if fit == max(fits)]
        if len({text[slice(*span)] for span in places}) > 1:
            return 0, 0, None, "ambiguous_sentence"
    return *places[0], None, ""


def _earlier_chunk_with(chunk: Chunk, start: int, end: int, chunks: Mapping[str, Chunk]) -> Chunk | None:
    """The earlier chunk that holds a span of this one too."""
    first, last = chunk.start + start, chunk.start + end
    homes = [c for c in chunks.values() if c.start < chunk.start and c.start <= first and last <= c.end]
    return min(homes, key=lambda c: c.start, default=None)


def _add_type_and_value(row: Triplet, line: TableLine | None, chunk: Chunk, window: Window, near: bool) -> Triplet:
    """The row with its object's type and value, and the words that answer; or why they are not proven."""
    document = window.document
    proof = Proof(row, chunk.text, document.entity, line, document.text, near, document.title)
    row = replace(row, subject_type=entity_type(row.subject, document.entity))
    if value_type(row.object):
        tags = {f.start - chunk.start: f for f in document.facts if chunk.start <= f.start < f.end <= chunk.end}
        if line:
            amount = value_in_row(row.object, line, f"{row.subject} {row.relation}", tags, document, near)
        else:
            amount = value_in_sentence(row.object, row.source_sentence, row.start, tags, document)
        row = replace(row, **asdict(amount))
    else:
        vague = len(row.object.split()) > LONG_NAME or not is_specific(row.object)
        kind = "TEXT" if vague else entity_type(row.object, document.entity)
        row = replace(row, object_type=kind, answer=proof.find_answer())
        objection = "" if row.answer else proof.object_objection()
        short = proof.find_short_answer() if objection else ""
        row = replace(row, answer=short) if short else replace(row, rejected_because=objection)
    reason = (
        row.rejected_because
        or proof.subject_objection()
        or replace(proof, row=row).row_objection()
        or proof.sentence_objection()
    )
    return replace(row, rejected_because=reason)
