"""Names, noun phrases and verbs of a sentence parsed by spaCy, and why some are unfit for a triplet."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from rarefy.tasks.text.names import FORM

if TYPE_CHECKING:
    from collections.abc import Iterable

    from spacy.tokens import Span, Token


_LEGAL_FORM = rf"(?:,? (?:{FORM}|(?:SE|Holdings?|Group|Trust)\b\.?))+$"
_STATE_MARK = re.compile(r"\s*/[A-Z ]*/?$")

# Capitalised in filings and regulations without being anybody's name.
_NO_NAMES = frozenset(
    """
    a a.m act agency agreement agreements ai amendment analysis annual api april article articles asu august award b
    bank board borrower buyer bylaws c ceo certain certificate cfo chairman chapter chief cio ciso class code committee
    common company complaint consolidated coo corporation court cpu credit d debentures december decision department
    designation determination director directors discussion district districts e e-commerce earnings ebitda ecommerce
    eps equity esg executive exhibit exhibits facilities facility factors february final financial finding first fiscal
    form fourth friday gaap gpu gpus group i ii iii incentive indenture initial internet investigation iot ipo it item
    items its iv january july june lender lenders loan loans management march may merger monday note notes notice
    november october officer officers operations opinion opinions order our owner p.m trademark paragraph part
    partnership parts plan plans policy preferred president proxy purchase purchaser quarter r&d recognition registrant
    report reports revolving risk saas saturday second secretary section securities security seller senior september
    settlement shares statement statements stock subpart subsidiaries subsidiary sunday table term third thursday title
    trust trustee tuesday us v vi vice violation warrants we wednesday year years
    """.split()
)
_PLACES = frozenset(
    """
    alabama alaska arizona arkansas california colorado connecticut delaware florida georgia hawaii idaho illinois
    indiana iowa kansas kentucky louisiana maine maryland massachusetts michigan minnesota mississippi missouri montana
    nebraska nevada ohio oklahoma oregon pennsylvania tennessee texas utah vermont virginia washington wisconsin
    wyoming china japan india germany france italy spain canada mexico brazil ireland israel taiwan singapore
    switzerland netherlands belgium australia russia ukraine vietnam thailand malaysia indonesia philippines poland
    sweden norway denmark finland austria portugal greece turkey egypt argentina chile colombia peru europe asia africa
    america u.s u.k united kingdom states england scotland korea hong kong new york jersey mexico hampshire zealand
    north south carolina dakota rhode island puerto rico columbia london paris tokyo beijing shanghai shenzhen chicago
    boston
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


def _fold(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)).casefold()


@dataclass(frozen=True)
class Registrant:
    """The entity that "we" and "the Company" mean in a document ("" for none), and the document's domain."""

    name: str
    domain: str = "default"

    @cached_property
    def short(self) -> frozenset[str]:
        """The folded forms of its name that mean it: "netapp" of NetApp, Inc., "meta" of Meta Platforms, Inc."""
        bare = _fold(_STATE_MARK.sub("", self.name)).removeprefix("the ")
        core = re.sub(_LEGAL_FORM, "", bare, flags=re.I)
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
        folded = _fold(text.rstrip(_MARKS))
        return folded in self.short or re.sub(_LEGAL_FORM, "", folded, flags=re.I) in self.short


@dataclass(frozen=True, slots=True)
class Name:
    """A phrase as a triplet has it; `written` is what the sentence has, `type` "" for what is no name."""

    text: str
    written: str
    type: str
    objection: str = ""  # why it may not be used


def name_span(head: "Token") -> tuple[int, int]:
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
            end = name_span(child)[1] - 1
            if head.lower_ in INSTITUTIONS:
                whole = head.doc[child.left_edge.i : child.right_edge.i + 1]
                if all(t.text[0].isupper() or t.lower_ in ("of", "for", "on", "and", "the", "&") for t in whole):
                    end = child.right_edge.i
        else:
            break
    return start, end + 1


def has_proper_name(head: "Token", start: int, end: int) -> bool:
    """Whether some word of the phrase is a proper name, not a word that documents capitalise anyway."""
    for token in head.doc[start:end]:
        word = token.text.rstrip(_MARKS)
        if not word[:1].isupper() and not (len(word) > 2 and word[1:2].isupper()):
            continue
        if word.lower().rstrip(".") in _NO_NAMES or re.fullmatch(r"[A-Z]{2,}s", word):
            continue
        if token.i == 0 and (token.pos_ not in ("PROPN", "X") or (end - start == 1 and not _is_surely_name(token))):
            continue
        if token.pos_ in ("PROPN", "X", "NOUN") or token.ent_type_ or token.i == head.i:
            return True
    return False


def _is_surely_name(first: "Token") -> bool:
    """Whether the first word of a sentence is a name, not merely capitalised for being first."""
    return not first.text[1:].islower() or (bool(first.ent_type_) and first.lower_ not in _BUSINESS)


def name_type(head: "Token", start: int, end: int) -> str:
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
        and _acts_as_person(head)
        and re.fullmatch(r"[A-Z][\w’'-]+(?: [A-Z]\.?)?(?: [A-Z][\w’'-]+){1,2}", text)
    ):
        return "PERSON"
    if head.ent_type_ in ("LOC", "GPE"):
        first = head.head if head.dep_ == "conj" else head
        return "GPE" if any(c.dep_ == "case" and c.lower_ in _WHERE for c in first.children) else "NAME"
    return "NAME"


def _acts_as_person(head: "Token") -> bool:
    """Whether its verb is one that people do: the small recognizer takes many a company for a person."""
    return head.dep_.startswith("nsubj") and head.head.lemma_.lower() in _PERSONAL


def is_place(words: "Iterable[Token]") -> bool:
    """Whether all of these words are in the list of places."""
    return all(token.lower_.rstrip(".") in _PLACES for token in words)


def is_only_place(head: "Token", start: int, end: int) -> bool:
    """Whether all that is proper about the phrase is a country or month ("U.S. customers")."""
    proper = [token for token in head.doc[start:end] if token.text[0].isupper()]
    return bool(proper) and all(
        token.lower_.rstrip(".") in _PLACES | _NO_NAMES or token.pos_ == "ADJ" for token in proper
    )


_LONG = 9  # words of a name; longer ones are half sentences
_EDGE_MARKS = "®™©℠*†‡ "
_PARTIAL = frozenset(
    """
    total select some most certain many several few portion part majority number percentage half all substantially
    other others any each every none former name one both variety range rest remainder
    """.split()
)
# Words of law and accounting that every filing has.
_BOILERPLATE = re.compile(
    r"^(?:the )?(?:SEC|Securities and Exchange Commission|U\.S\. Securities.*|Exchange Act|Securities "
    r"(?:Exchange )?Act(?: of \d+)?"
    r"|Sarbanes-Oxley.*|Private Securities Litigation.*|GAAP|U\.S\. GAAP|IFRS|FASB|Financial Accounting"
    r" Standards Board|PCAOB"
    r"|Form (?:10|8)-[KQ].*|Annual Report.*|Internet|Proxy Statement.*|Internal Revenue Code|Internal"
    r" Revenue Service|IRS"
    r"|Code of (?:Business )?Conduct.*|Code of Ethics.*|Level \d.*|ASC .*|ASU .*|Topic .*|COSO"
    r"|Committee of Sponsoring.*|Regulation S-K"
    r"|EDGAR|SFAS.*|Date|Table"
    r"|Exhibit.*|Schedule.*)$",
    re.I,
)
# Common nouns that end a name: "Media Networks segment", "Android operating system".
_KINDS = frozenset(
    """
    segment business division subsidiary unit brand brands system platform network networks channel channels region
    market line family program project plant factory facility resort service services product products store stores
    site campus mine pipeline refinery rate index website app application software device console franchise series chip
    processor architecture technology vehicle drug vaccine
    """.split()
)
_ROLES = frozenset(
    """
    owner pha grantee recipient subrecipient applicant borrower mortgagee mortgagor lender servicer manufacturer family
    tenant participant contractor sponsor project jurisdiction state consortium issuer insurer agency hud secretary
    commissioner administrator department fha entity respondent complainant inspector retailer developer manager
    """.split()
)
_MEASURES = frozenset(
    """
    rate rates index gdp gnp spending employment payrolls production output sales inflation exports imports income
    starts deficit surplus prices wages yield inventories investment consumption orders shipments outlays debt
    utilization productivity compensation earnings m1 m2 m3 growth profits
    """.split()
)
_ALONE = frozenset(("gdp", "gnp", "m1", "m2", "m3", "inflation"))
_CITATION = re.compile(
    r"\b\d+ (?:CFR|U\.S\.C\.|USC)(?: parts?)? \d+(?:[.-]\w+)*(?:\([a-z0-9]+\))*|§§? ?\d[\d.]*\d(?:\([a-z0-9]+\))*"
    r"|\b[Ss]ections? \d+\w*(?:\([a-z0-9]+\))* of the (?:[A-Z]\w+ )+(?:Act|Code)(?: of \d{4})?|\bpart \d+"
    r" of this (?:title|chapter)"
)
_DOCUMENT = re.compile(r"\b(?:Agreement|Plan|Order|Certificate|Determination|Judgment|Notes?|Policy)$")
_TITLE = re.compile(
    r"^(?:President|(?:Executive |Senior )*Vice|Chief|Director|Chair\w*|Controller|Treasurer|Secretary|Manager)\b"
)
_STATE = re.compile(r", ((?:[A-Z][a-z]+\.?|[A-Z]\.[A-Z]\.?)(?: [A-Z][a-z]+)?)\b(?!’s|'s)")
_SUFFIX = re.compile(rf"(?:,? {FORM}){{1,2}}(?!\w)")
_WE = ("we", "us", "our", "ours")


def is_name(head: "Token") -> bool:
    """Whether the phrase that this token heads is a name."""
    return find_citation(head) is not None or has_proper_name(head, *name_span(head))


def parse_name(head: "Token", registrant: Registrant) -> Name:
    """The phrase headed by this token, as a name; `objection` says why it may not be used."""
    doc = head.doc
    start, end = name_span(head)
    written = doc[start:end].text
    branch = re.match(rf" \([A-Z][\w ]*\),? {FORM}", doc.text[doc[end - 1].idx + len(doc[end - 1]) :])
    if branch:  # "Acme (HK) Limited" is another company than Acme
        return Name(written, written, "ORG", "torn_name")
    if registrant.is_called(head, written):
        return Name(registrant.name, written, "ORG")
    own = find_citation(head) or (_parse_role(head) if registrant.domain == "policy" else None)
    if registrant.domain == "economics":
        own = own or parse_measure(head)
    if own is not None:
        return own
    if head.pos_ == "PRON" or head.lower_ in _WE or head.tag_ in ("DT", "EX"):
        return Name(written, written, "", "unresolved_reference")
    while (start < head.i and doc[start].dep_ in ("nmod:poss", "det", "case", "punct", "cc")) or doc[
        start
    ].lower_ in _WE:
        start += 1
    written = doc[start:end].text
    text = written.strip(_EDGE_MARKS + "“”\"‘’'()[],;:")
    objection = _name_objection(head, start, end, text)
    kind = name_type(head, start, end)
    owner = next((child for child in head.children if child.dep_ == "nmod:poss"), None)
    if owner is not None and not objection:
        if registrant.name and (owner.lower_ in _WE or registrant.is_called(owner, doc[slice(*name_span(owner))].text)):
            # what is proper by itself keeps its name: "our Hulu service" is the Hulu service
            if not has_proper_name(head, start, end):
                text = f"{registrant.name} {text}"
        elif owner.lower_ in ("its", "their", "his", "her"):
            objection = "" if head.pos_ == "PROPN" else "unresolved_reference"
    after = doc[end - 1].idx + len(doc[end - 1])
    suffix = _SUFFIX.match(doc.text, after) if not objection and doc[end - 1].text[0].isupper() else None
    if suffix:
        text = written = doc.text[doc[start].idx : suffix.end()]
        kind = "ORG"
    elif doc[end - 1].ent_type_ in ("LOC", "GPE") or kind == "GPE":
        more = _STATE.match(doc.text, after)
        listed = head.dep_ == "conj" or any(child.dep_ == "conj" for child in head.children)
        place = doc.char_span(more.start(1), more.end(1), alignment_mode="expand") if more and not listed else None
        if more and place is not None and is_place(place):
            text = written = doc.text[doc[start].idx : more.end()]
            kind = "GPE"
    if _DOCUMENT.search(text):
        objection = objection or "document_name"
    if _TITLE.match(text) and head.dep_.startswith("nsubj"):
        objection = objection or "title_as_subject"
    if re.fullmatch(r"C[A-Z]{1,2}O|.*\b(?:General Counsel|Officer)", text) and head.dep_ in ("obl:agent", "obj"):
        objection = objection or "title_alone"
    if _SUFFIX.fullmatch(" " + text) or re.search(r"[a-z] [A-Z]\.$", text):
        objection = objection or "torn_name"
    if " and " in text and kind == "NAME":
        objection = objection or "torn_name"
    return Name(text, written, kind, objection)


def find_citation(head: "Token") -> Name | None:
    """The provision of law cited where this word stands, if one is."""
    for match in _CITATION.finditer(head.doc.text):
        if match.start() <= head.idx < match.end():
            return Name(match[0], match[0], "LAW")
    return None


def _parse_role(head: "Token") -> Name | None:
    """A party that regulations give duties to ("each owner"), where nothing narrows who is meant."""
    if head.lemma_.lower() not in _ROLES or any(
        c.dep_ in ("acl", "acl:relcl", "nmod", "amod", "appos") for c in head.children
    ):
        return None
    articles = [c.lower_ for c in head.children if c.dep_ == "det"]
    if articles not in (["a"], ["an"], ["the"], ["each"], []):
        return None
    left = [c.text for c in head.lefts if c.dep_ == "compound"]
    text = " ".join([*left, head.text])
    return Name(text, text, "ROLE")


def parse_measure(head: "Token") -> Name | None:
    """An economic quantity that is told by its name alone: "unemployment rate", "real GDP"."""
    if head.lower_ not in _MEASURES or any(
        c.i > head.i and c.dep_.split(":")[0] in ("nmod", "acl", "appos", "conj") for c in head.children
    ):
        return None
    start = name_span(head)[0]
    words = [t for t in head.doc[start : head.i + 1] if t.dep_ not in ("det", "punct")]
    text = head.doc[words[0].i : head.i + 1].text
    if (
        (len(words) < 2 and head.lower_ not in _ALONE)
        or len(words) > 6
        or any(t.lower_ in _PARTIAL or t.tag_ in ("JJR", "JJS", "PRP$") for t in words)
    ):
        return None
    if any(c.dep_ == "nmod:poss" for c in head.children):
        return None
    return Name(text, text, "MEASURE")


def _name_objection(head: "Token", start: int, end: int, text: str) -> str:
    doc = head.doc
    if any(
        c.lower_ in _PARTIAL and c.dep_ in ("det", "amod", "det:predet", "advmod", "nmod", "compound")
        for c in head.children
    ):
        return "partial"
    if head.lower_ in _PARTIAL or (
        start > 0 and doc[start - 1].lower_ in ("of", "in") and start > 1 and doc[start - 2].lower_ in _PARTIAL
    ):
        return "partial"
    if not has_proper_name(head, start, end):
        return "not_a_name"
    if head.text[0].islower() and head.lemma_.lower() not in _KINDS and not any(c.isupper() for c in head.text):
        return "not_a_name"
    if any(
        c.dep_ == "det" and c.lower_ in ("this", "these", "that", "those", "such", "another") for c in head.children
    ):
        return "unresolved_reference"
    if _is_torn(head, start, end):
        return "torn_name"
    if is_only_place(head, start, end) and head.text[0].islower():
        return "not_a_name"
    if len(text.split()) > _LONG or len(text) < 2:
        return "phrase_too_long"
    if _BOILERPLATE.match(text):
        return "boilerplate"
    if head.text[0].islower() and any(c.dep_ in ("acl", "acl:relcl", "nmod") and c.i >= end for c in head.children):
        return "restricted_phrase"
    if re.search(r"[|\n\[\]{}<>=]|\bhttps?:", text):
        return "not_a_name"
    return ""


def _is_torn(head: "Token", start: int, end: int) -> bool:
    """Whether the parse seems to have cut the name short, or taken in what is none of it."""
    doc = head.doc
    if any(token.lower_ in ("our", "we", "its", "their", "which", "who", "that") for token in doc[start:end]):
        return True
    if any(token.tag_ in ("VBD", "VBZ", "VBP", "MD") and token.text[0].islower() for token in doc[start:end]):
        return True
    if any(
        token.text == "," and not re.match(rf"{FORM}|[JS]r\b", doc[token.i + 1].text) for token in doc[start : end - 1]
    ):
        return True
    if doc[start].pos_ in ("CCONJ", "ADP") or doc[end - 1].pos_ in ("CCONJ", "ADP", "DET"):
        return True
    before = doc[start - 1] if start else None
    if before is not None and (
        before.text in ("&", "-", "/", "’s", "'s", "’", "'") or (start > 1 and any(c.isupper() for c in before.text))
    ):
        return True
    suffix = _SUFFIX.match(doc.text, doc[end - 1].idx + len(doc[end - 1]))
    after = doc[end : end + 3]
    if not after or suffix:
        return False
    if after[0].like_num and doc[end - 1].text[0].isupper():
        return True
    if after[0].text in ("&", "-", "/", "’s", "'s", "’", "'") or (
        after[0].text[0].isupper() and after[0].pos_ in ("PROPN", "NOUN")
    ):
        return True
    if head.text[0].isupper() and after[0].text.islower() and head.head.i != after[0].i:
        follows = after[1].pos_ if len(after) > 1 else ""
        part = after[0].tag_ in ("VBN", "VBG", "VBD") and follows in ("NOUN", "ADJ", "VERB", "PROPN")
        if part or after[0].pos_ in ("NOUN", "ADJ"):
            return True
    if after[0].lower_ == "the" and len(after) > 1 and after[1].text[0].isupper() and after[1].lower_ != "company":
        return True
    named_on = [token for token in after[1:] if token.lower_ not in ("the",)]
    return (
        after[0].lower_ in ("of", "for") and bool(named_on) and named_on[0].text[0].isupper() and head.text[0].isupper()
    )


_MODALS = frozenset("may might could would should can will shall must ca wo 'll ’ll 'd ’d ought".split())
_DUTIES = frozenset(("must", "shall"))
_OFFICIAL = frozenset("approve authorize request require submit report determine notify".split())
# Verbs of wishing, thinking, saying and planning, and verbs that mean nothing without their complement
_ATTITUDES = frozenset(
    """
    agree aim anticipate appear approve ask assume attempt authorize believe claim commit consider contemplate decide
    deem depend desire determine estimate evaluate expect explore fail feel forecast hope indicate intend know like
    mean need negotiate note offer plan prefer predict project propose pursue recommend refer rely report request
    require say see seek seem strive suggest suppose target tend think try undertake urge view want wish work allege
    assert contend argue state describe define denote express discuss account follow record recognize classify present
    measure value call name consolidate file fine sue do
    """.split()
)
_NEGATIVE = frozenset("not n't n’t never no neither nor cannot hardly without longer".split())
_DOUBTFUL = frozenset(
    """
    previously formerly potentially possibly allegedly probably likely perhaps partially indirectly historically
    sometimes occasionally periodically typically generally usually often normally
    """.split()
)
_ONWARD = frozenset("begin start continue commence".split())
_THIRD = {"have": "has", "are": "is", "were": "was", "do": "does", "’ve": "has", "'ve": "has", "’re": "is", "'re": "is"}
_FINITE = ("VBD", "VBZ", "VBP", "MD")


def find_predicates(sentence: "Iterator[Token]") -> Iterator["Token"]:
    """The verbs, and words with a copula, that head an asserted clause."""
    for token in sentence:
        verbal = token.pos_ == "VERB" or any(child.dep_ == "cop" for child in token.children)
        # "customizable pretrained models": no verb
        if token.i and token.pos_ == "VERB" and token.nbor(-1).pos_ == "ADJ":
            continue
        if verbal and _is_finite(token) and _is_asserted(token):
            yield token


def _is_finite(verb: "Token") -> bool:
    if any(child.dep_.startswith(("aux", "cop")) and child.tag_ in _FINITE for child in verb.children):
        return True
    if verb.tag_ in ("VBD", "VBZ", "VBP"):
        return True
    if verb.tag_ == "VBN" and any(child.dep_ == "nsubj" for child in verb.children):
        return True  # a past tense that the tagger took for the participle of the same spelling
    # "was founded in 1993 and headquartered in …": the auxiliary stands once
    return verb.dep_ == "conj" and verb.tag_ == "VBN" and verb.head.tag_ == "VBN" and _is_finite(verb.head)


def _is_asserted(verb: "Token") -> bool:
    dep = verb.dep_.split(":")[0]
    if verb.dep_ == "acl:relcl" or dep in ("ROOT", "parataxis"):
        return True
    return dep == "conj" and (verb.head.pos_ in ("VERB", "AUX") or _has_copula(verb.head)) and _is_asserted(verb.head)


def _has_copula(token: "Token") -> bool:
    return any(child.dep_ == "cop" for child in token.children)


def verb_objection(verb: "Token", duties: bool = False) -> str:
    """Why the clause claims nothing: negated, modal, an attitude, doubtful; "" where it claims.

    With `duties`, what somebody must do is claimed: that is what regulations say.
    """
    for head in _joined_verbs(verb):
        for child in head.children:
            if child.lower_ in _NEGATIVE and child.dep_ in ("advmod", "det", "cc:preconj", "cc", "mark"):
                return "negated"
            if child.dep_.startswith("aux") and child.lower_ in _MODALS and not (duties and child.lower_ in _DUTIES):
                return "modal"
        if (
            head.lemma_.lower() in _ATTITUDES
            and not (duties and head.lemma_.lower() in _OFFICIAL)
            and head.pos_ == "VERB"
        ):
            return "attitude"
    if any(child.lower_ in _DOUBTFUL and child.dep_ == "advmod" for child in verb.children):
        return "doubtful"
    if any(child.dep_ in ("ccomp", "csubj", "expl") for child in verb.children):
        return "not_a_plain_clause"
    return ""


def _joined_verbs(verb: "Token") -> Iterator["Token"]:
    """The verb and the ones that it is joined to, whose auxiliaries hold for it too unless it has a subject."""
    yield verb
    while verb.dep_ == "conj" and not find_subjects(verb, own=True):
        verb = verb.head
        yield verb


def find_subjects(verb: "Token", own: bool = False) -> list["Token"]:
    """The heads of the verb's subject, each member of a list; that of the verb before where it has none itself."""
    for child in verb.children:
        if child.dep_ in ("nsubj", "nsubj:pass", "nsubj:outer"):
            if child.tag_ in ("WDT", "WP") or child.lower_ == "that":
                return [verb.head] if verb.dep_ == "acl:relcl" else []
            if verb.dep_ == "acl:relcl":
                return []  # "a version of which we develop with …": a remark on something else
            return list_members(child)
    if own or verb.dep_ != "conj" or is_passive(verb) != is_passive(verb.head):
        return []
    return find_subjects(verb.head)


def list_members(first: "Token") -> list["Token"]:
    """The parts of a list joined by commas and "and" (not "or")."""
    members = [first]
    for child in first.children:
        if child.dep_ == "conj":
            # a verb or preposition in between: the parser joined what the writer did not
            if any(
                t.pos_ in ("VERB", "AUX", "SCONJ") or (t.pos_ == "ADP" and t.lower_ != "of")
                for t in _between(first, child)
            ):
                break
            if any(word.dep_ == "cc" and word.lower_ not in ("and", "&") for word in child.children):
                return [first]
            members += list_members(child)
    return members


def _between(first: "Token", second: "Token") -> "Span":
    return first.doc[first.i + 1 : second.i]


def is_passive(verb: "Token") -> bool:
    """Whether the verb is passive."""
    return any(child.dep_ == "aux:pass" for child in verb.children) or (
        verb.dep_ == "conj"
        and verb.tag_ == "VBN"
        and not any(c.dep_.startswith("aux") for c in verb.children)
        and is_passive(verb.head)
    )


def main_verb(verb: "Token") -> "Token | None":
    """ "operates" of "continues to operate", where going on or beginning implies doing; else the verb without one."""
    complements = [child for child in verb.children if child.dep_ == "xcomp"]
    if not complements:
        return verb
    if len(complements) == 1 and verb.lemma_.lower() in _ONWARD and complements[0].pos_ == "VERB":
        return complements[0]
    return None


def relation_words(verb: "Token", singular: bool) -> list[str]:
    """The verb with auxiliaries, copula and particle, in the third person singular if asked."""
    group = [
        child
        for child in verb.children
        if (child.dep_.startswith("aux") or child.dep_ in ("cop", "compound:prt")) and child.lower_ not in ("did", "do")
    ]
    if verb.dep_ == "conj" and is_passive(verb) and not group:
        group = [child for child in verb.head.children if child.dep_.startswith("aux")]
    before = [child.lower_ for child in group if child.dep_ != "compound:prt"]
    after = [child.lower_ for child in group if child.dep_ == "compound:prt"]
    words = [*before, verb.lower_, *after]
    if singular:
        words[0] = _THIRD.get(
            words[0], _third_person(words[0]) if not before and verb.lemma_.lower() == verb.lower_ else words[0]
        )
    return words


def _third_person(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"
