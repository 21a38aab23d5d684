"""Knows what a named thing is in a parsed sentence, how far its name reaches, and of what type it is."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rarefy.tasks.text.names import FORM

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spacy.tokens import Token

_SUFFIX = rf"(?:,? (?:{FORM}|(?:SE|Holdings?|Group|Trust)\b\.?))+$"
_STATE_MARK = re.compile(r"\s*/[A-Z ]*/?$")

# Capitalised in filings and regulations without being anybody's name.
_NO_NAMES = frozenset(
    """
    a a.m act agency agreement agreements ai amendment analysis annual api april article articles asu august award b
    bank board borrower buyer bylaws c ceo certain certificate cfo chairman chapter chief cio ciso class code
    committee common company complaint consolidated coo corporation court cpu credit d debentures december decision
    department designation determination director directors discussion district districts e e-commerce earnings
    ebitda ecommerce eps equity esg executive exhibit exhibits facilities facility factors february final financial
    finding first fiscal form fourth friday gaap gpu gpus group i ii iii incentive indenture initial internet
    investigation iot ipo it item items its iv january july june lender lenders loan loans management march may
    merger monday note notes notice november october officer officers operations opinion opinions order our
    owner p.m trademark
    paragraph part partnership parts plan plans policy preferred president proxy purchase purchaser quarter r&d
    recognition registrant report reports revolving risk saas saturday second secretary section securities security
    seller senior september settlement shares statement statements stock subpart subsidiaries subsidiary sunday
    table term third thursday title trust trustee tuesday us v vi vice violation warrants we wednesday year years
    """.split()
)
_PLACES = frozenset(
    """
    alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois
    indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana
    nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia washington wisconsin wyoming
    china japan india germany france italy spain canada mexico brazil ireland israel taiwan singapore switzerland
    netherlands belgium australia russia ukraine vietnam thailand malaysia indonesia philippines poland sweden norway
    denmark finland austria portugal greece turkey egypt argentina chile colombia peru europe asia africa america
    u.s u.k united kingdom states england scotland korea hong kong new york jersey mexico hampshire zealand north south
    carolina dakota rhode island puerto rico columbia london paris tokyo beijing shanghai shenzhen chicago boston
    """.split()
)
_ORG = re.compile(
    rf"\b(?:{FORM}|(?:Bank|Group|Holdings|University"
    r"|Commission|Committee|Department|Agency|Administration|Association|Authority|Institute|Reserve|Ministry|Bureau"
    r"|Council|Union|Exchange|Court|Partners|Foundation)\b)"
)
_LAW = re.compile(r"\b(?:Act|Regulations?|Directive|Law|Treaty|Rule|Order|Amendment|Code)\b|\bU\.S\.C\.|\bCFR\b|^§")
_PART = re.compile(r"\bsegment$")
_BUSINESS = frozenset(
    """
    growth cash sales revenue revenues interest income costs cost expenses expense earnings profit losses loss capital
    depreciation amortization employees customers competition competitors products services demand supply prices
    inventory goodwill assets liabilities debt borrowings dividends taxes management operations results research
    development marketing production manufacturing construction investment investments inflation unemployment output
    employment consumption retail housing exports imports shares stock bonds yields participants members activity
    """.split()
)
_PERSONAL = frozenset(
    "serve join appoint elect employ promote work hold become resign retire receive earn graduate name".split()
)
_WHERE = frozenset("in at near from throughout across to into outside".split())
INSTITUTIONS = frozenset("department ministry bureau office committee administration agency center board".split())
_INSIDE = frozenset(("compound", "amod", "flat", "nummod", "goeswith", "nmod:desc", "flat:name"))
_MARKS = "®™©℠*†‡"


# What follows a name that is used alone; and first words that are no names alone.
_TRADES = frozenset(
    """
    communications semiconductor semiconductors foods systems technologies technology software pharmaceuticals
    therapeutics energy platforms stores motors industries international brands networks entertainment laboratories
    labs financial airlines resources materials devices products services solutions electronics chemical health
    """.split()
)
_COMMON_FIRST = frozenset(
    "american general united national first southern northern western eastern global advanced".split()
)


def _folded(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).casefold()


@dataclass(frozen=True)
class Registrant:
    """Who "we" and "the Company" are in a document ("" where nobody is), and of what domain it is."""

    name: str
    domain: str = "default"

    @cached_property
    def short(self) -> frozenset[str]:
        """The forms of its name that mean it, folded: "netapp" of NetApp, Inc., "meta" of Meta Platforms, Inc."""
        bare = _folded(_STATE_MARK.sub("", self.name)).removeprefix("the ")
        core = re.sub(_SUFFIX, "", bare, flags=re.I)
        first, _, rest = core.partition(" ")
        forms = {bare, core, f"the {core}", f"the {bare}"}
        if rest in _TRADES and first not in _COMMON_FIRST:
            forms.add(first)
        return frozenset(forms - {""})

    @cached_property
    def kind(self) -> frozenset[str]:
        """What it may be called after "the": "the Committee" in the minutes of one."""
        words = {"company", "registrant", "corporation"}
        return frozenset(words | {self.name.split()[-1].casefold()} if self.name else ())

    def is_called(self, token: "Token", text: str) -> bool:
        """Whether this phrase, with this head, means the registrant."""
        if not self.name:
            return False
        if token.lower_ in ("we", "us", "our", "ours"):
            return True
        if any(child.dep_ == "det" and child.lower_ != "the" for child in token.children):
            return False
        if token.lower_ in self.kind and token.text[0].isupper():
            return text.casefold() in self.kind
        folded = _folded(text.rstrip(_MARKS))
        return folded in self.short or re.sub(_SUFFIX, "", folded, flags=re.I) in self.short


@dataclass(frozen=True, slots=True)
class Name:
    """A phrase as it will stand in a triplet; `said` is what the sentence has, `type` "" for what is no name."""

    text: str
    said: str
    type: str
    trouble: str = ""  # why it may not be used


def reach(head: "Token") -> tuple[int, int]:
    """The tokens `[start, end)` of the name that this token heads: modifiers on its left, "of …" on its right."""
    start = end = head.i
    for child in sorted(head.lefts, key=lambda child: -child.i):
        if child.dep_.split(":")[0] in ("compound", "amod", "flat", "nummod") or child.dep_ in _INSIDE:
            if child.right_edge.i + 1 < start and not all(
                t.text in "-–/" for t in head.doc[child.right_edge.i + 1 : start]
            ):
                break
            start = child.left_edge.i
        elif not (child.is_punct and child.text in "-–/"):
            break
    for child in head.rights:
        if child.dep_.split(":")[0] == "flat" or (child.dep_ in ("compound", "nummod") and child.i == end + 1):
            end = max(end, child.right_edge.i if child.dep_.startswith("flat") else child.i)
        elif (
            child.dep_ == "nmod" and head.text[0].isupper() and child.text[0].isupper() and child.left_edge.i == end + 1
        ):
            words = [token for token in head.doc[child.left_edge.i : child.i] if token.dep_ in ("case", "det")]
            if not words or words[0].lower_ not in ("of", "for", "on"):
                break
            end = reach(child)[1] - 1
            if head.lower_ in INSTITUTIONS:
                whole = head.doc[child.left_edge.i : child.right_edge.i + 1]
                if all(t.text[0].isupper() or t.lower_ in ("of", "for", "on", "and", "the", "&") for t in whole):
                    end = child.right_edge.i
        else:
            break
    return start, end + 1


def is_named(head: "Token", start: int, end: int) -> bool:
    """Whether some word of the phrase is a proper name, not one that documents capitalise for their own use."""
    for token in head.doc[start:end]:
        word = token.text.rstrip(_MARKS)
        if not word[:1].isupper() and not (len(word) > 2 and word[1:2].isupper()):
            continue
        if word.lower().rstrip(".") in _NO_NAMES or re.fullmatch(r"[A-Z]{2,}s", word):
            continue
        if token.i == 0 and (token.pos_ not in ("PROPN", "X") or (end - start == 1 and not _sure(token))):
            continue
        if token.pos_ in ("PROPN", "X", "NOUN") or token.ent_type_ or token.i == head.i:
            return True
    return False


def _sure(first: "Token") -> bool:
    """Whether the first word of a sentence is a name and not just written large for being first."""
    return not first.text[1:].islower() or (bool(first.ent_type_) and first.lower_ not in _BUSINESS)


def type_of(head: "Token", start: int, end: int) -> str:
    """ORG, PERSON, GPE, LAW, SEGMENT, or NAME for what cannot be told."""
    text = head.doc[start:end].text
    if _PART.search(text):
        return "SEGMENT"
    if _ORG.search(text):
        return "ORG"
    if _LAW.search(text):
        return "LAW"
    proper = [token for token in head.doc[start:end] if token.text[0].isupper()]
    if proper and is_place(proper):
        return "GPE"
    if (
        head.ent_type_ == "PERSON"
        and _does_as_people_do(head)
        and re.fullmatch(r"[A-Z][\w’'-]+(?: [A-Z]\.?)?(?: [A-Z][\w’'-]+){1,2}", text)
    ):
        return "PERSON"
    if head.ent_type_ in ("LOC", "GPE"):
        first = head.head if head.dep_ == "conj" else head
        return "GPE" if any(c.dep_ == "case" and c.lower_ in _WHERE for c in first.children) else "NAME"
    return "NAME"


def _does_as_people_do(head: "Token") -> bool:
    """The small recognizer takes many a company for a person; what is said of it tells them apart."""
    return head.dep_.startswith("nsubj") and head.head.lemma_.lower() in _PERSONAL


def is_place(words: "Iterable[Token]") -> bool:
    """Whether all of these words are in the list of places."""
    return all(token.lower_.rstrip(".") in _PLACES for token in words)


def only_a_place(head: "Token", start: int, end: int) -> bool:
    """Whether all that is proper about the phrase is a country or month ("U.S. customers")."""
    proper = [token for token in head.doc[start:end] if token.text[0].isupper()]
    return bool(proper) and all(
        token.lower_.rstrip(".") in _PLACES | _NO_NAMES or token.pos_ == "ADJ" for token in proper
    )
