"""Knows how a noun phrase is written in a triplet: whose it is, and why it is unfit to stand there."""

import re
from typing import TYPE_CHECKING

from rarefy.tasks.knowledge.extract.prose_names import (
    Name,
    Registrant,
    is_named,
    is_place,
    only_a_place,
    reach,
    type_of,
)
from rarefy.tasks.text.names import FORM

if TYPE_CHECKING:
    from spacy.tokens import Token

_LONG = 9  # words of a name; longer ones are half sentences
_MARKS = "®™©℠*†‡ "
_PARTIAL = frozenset(
    """
    total select some most certain many several few portion part majority number percentage half all substantially other
    others any each every none former name one both variety range rest remainder
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
    site campus mine pipeline refinery rate index website app application software device console franchise series
    chip processor architecture technology vehicle drug vaccine
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


def named(head: "Token") -> bool:
    """Whether the phrase that this token heads is a name."""
    return citation(head) is not None or is_named(head, *reach(head))


def name_of(head: "Token", registrant: Registrant) -> Name:
    """The phrase headed by this token, as a name; what is wrong with it is said in `trouble`."""
    doc = head.doc
    start, end = reach(head)
    said = doc[start:end].text
    branch = re.match(
        rf" \([A-Z][\w ]*\),? {FORM}",
        doc.text[doc[end - 1].idx + len(doc[end - 1]) :],
    )
    if branch:  # "Acme (HK) Limited" is another company than Acme
        return Name(said, said, "ORG", "torn_name")
    if registrant.is_called(head, said):
        return Name(registrant.name, said, "ORG")
    own = citation(head) or (_role(head) if registrant.domain == "policy" else None)
    if registrant.domain == "economics":
        own = own or measure(head)
    if own is not None:
        return own
    if head.pos_ == "PRON" or head.lower_ in _WE or head.tag_ in ("DT", "EX"):
        return Name(said, said, "", "unresolved_reference")
    while (start < head.i and doc[start].dep_ in ("nmod:poss", "det", "case", "punct", "cc")) or doc[
        start
    ].lower_ in _WE:
        start += 1
    said = doc[start:end].text
    text = said.strip(_MARKS + "“”\"‘’'()[],;:")
    trouble = _trouble(head, start, end, text)
    kind = type_of(head, start, end)
    owner = next((child for child in head.children if child.dep_ == "nmod:poss"), None)
    if owner is not None and not trouble:
        if registrant.name and (owner.lower_ in _WE or registrant.is_called(owner, doc[slice(*reach(owner))].text)):
            # what is proper by itself keeps its name: "our Hulu service" is the Hulu service
            if not is_named(head, start, end):
                text = f"{registrant.name} {text}"
        elif owner.lower_ in ("its", "their", "his", "her"):
            trouble = "" if head.pos_ == "PROPN" else "unresolved_reference"
    after = doc[end - 1].idx + len(doc[end - 1])
    suffix = _SUFFIX.match(doc.text, after) if not trouble and doc[end - 1].text[0].isupper() else None
    if suffix:
        text = said = doc.text[doc[start].idx : suffix.end()]
        kind = "ORG"
    elif doc[end - 1].ent_type_ in ("LOC", "GPE") or kind == "GPE":
        more = _STATE.match(doc.text, after)
        listed = head.dep_ == "conj" or any(child.dep_ == "conj" for child in head.children)
        place = doc.char_span(more.start(1), more.end(1), alignment_mode="expand") if more and not listed else None
        if more and place is not None and is_place(place):
            text = said = doc.text[doc[start].idx : more.end()]
            kind = "GPE"
    if _DOCUMENT.search(text):
        trouble = trouble or "document_name"
    if _TITLE.match(text) and head.dep_.startswith("nsubj"):
        trouble = trouble or "title_as_subject"
    if re.fullmatch(r"C[A-Z]{1,2}O|.*\b(?:General Counsel|Officer)", text) and head.dep_ in ("obl:agent", "obj"):
        trouble = trouble or "title_alone"
    if _SUFFIX.fullmatch(" " + text) or re.search(r"[a-z] [A-Z]\.$", text):
        trouble = trouble or "torn_name"
    if " and " in text and kind == "NAME":
        trouble = trouble or "torn_name"
    return Name(text, said, kind, trouble)


def citation(head: "Token") -> Name | None:
    """The provision of law cited where this word stands, if one is."""
    for match in _CITATION.finditer(head.doc.text):
        if match.start() <= head.idx < match.end():
            return Name(match[0], match[0], "LAW")
    return None


def _role(head: "Token") -> Name | None:
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


def measure(head: "Token") -> Name | None:
    """An economic quantity that is told by its name alone: "unemployment rate", "real GDP"."""
    if head.lower_ not in _MEASURES or any(
        c.i > head.i and c.dep_.split(":")[0] in ("nmod", "acl", "appos", "conj") for c in head.children
    ):
        return None
    start = reach(head)[0]
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


def _trouble(head: "Token", start: int, end: int, text: str) -> str:
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
    if not is_named(head, start, end):
        return "not_a_name"
    if head.text[0].islower() and head.lemma_.lower() not in _KINDS and not any(c.isupper() for c in head.text):
        return "not_a_name"
    if any(
        c.dep_ == "det" and c.lower_ in ("this", "these", "that", "those", "such", "another") for c in head.children
    ):
        return "unresolved_reference"
    if _torn(head, start, end):
        return "torn_name"
    if only_a_place(head, start, end) and head.text[0].islower():
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


def _torn(head: "Token", start: int, end: int) -> bool:
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
