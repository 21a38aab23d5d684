"""Appositions as relative clauses, owners before or after what is theirs, and two conjuncts in the other order."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rarefy.tasks.text.names import FORM
from rarefy.tasks.text.syntax import tree
from rarefy.tasks.text.syntax.pieces import Kept, Piece, Rewrite

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

PEOPLE = frozenset(
    """
    actor actress ambassador analyst architect artist attorney author banker bishop ceo cfo chair chairman
    chairwoman chancellor chef chief coach co-founder commissioner composer conductor cto daughter dean diplomat
    director doctor drummer economist editor engineer explorer father filmmaker founder general governor guitarist
    historian husband inventor journalist judge king lawyer leader lieutenant manager mathematician mayor minister
    mother musician novelist officer painter partner philosopher photographer physician physicist pianist player
    playwright poet politician pope president priest prince princess producer professor queen rapper scientist
    screenwriter sculptor secretary senator singer sister son songwriter spokesman spokesperson spokeswoman teacher
    treasurer wife writer
    """.split()
)
THINGS = frozenset(
    """
    affiliate agency airline airport album bank book brand bridge building business capital church city club college
    community company corporation country county district division drug facility film firm game group hospital hotel
    institution island journal lake magazine manufacturer medication mountain municipality museum neighborhood
    network newspaper novel operator organization park parish peninsula plant platform port product program project
    province publisher railway region retailer river school segment series ship software song sovereign state
    station store subsidiary suburb system team town treatment tributary university village website
    """.split()
)
# What belongs to its owner and to nobody else is said of it either way; a deed ("acquisition of") is done by or to it.
OWNED = frozenset(
    """
    assets auditor balance bank banks birthplace board brands brother budget bylaws capital ceo chair chairman
    competitors coast constitution consumers currency customers daughter debt directors division economy employees
    expenses father fleet founder founders gdp geography goodwill government governor headquarters history husband
    income inventories inventory king language leader liabilities locations margin mayor members mother name
    offerings office offices officers operations owner owners parent policies population president products profit
    profits properties queen revenue revenues sales secretary shareholders shares sister son stock stockholders
    stores strategy students subsidiaries subsidiary supplier suppliers territory website wife workforce
    """.split()
)
# Pairs that are always said in one order, as names of one thing are
_FIXED = frozenset(
    """
    cash cash-equivalents research development terms conditions property plant equipment mergers acquisitions profit
    loss profits losses gains supply demand import imports export exports bed breakfast rules regulations wear tear
    cost time husband wife men women ladies gentlemen north south east west trial error black white law order pros
    cons ups downs checks balances food drug beverage health safety income expense expenses principal interest
    accounts notes general administrative selling dividends housing urban science technology arts sciences oil gas
    sale repurchase depreciation amortization mortgage bonds first second plus minus credit debit buy sell revenue
    revenues president
    """.split()
)


def relative(doc: "Doc") -> Iterator[Rewrite]:
    """Puts "X, the founder of Y, sold it." as "X, who was the founder of Y, sold it."."""
    verb = tree.root(doc)
    copula = _copula(verb) if verb is not None else ""
    if not copula or not tree.plain(doc.text):
        return
    for token in doc:
        at = tree.span(token) if token.dep_ == "appos" else None
        if not at or not (head := token.head) or at[0] < 2 or at[1] >= len(doc) - 1:
            continue
        if doc[at[0] - 1].text != "," or doc[at[1]].text != "," or head.pos_ != "PROPN" or head.i > at[0]:
            continue
        which = "who" if token.lower_ in PEOPLE else "which" if token.lower_ in THINGS else ""
        # one name, one thing: a list has the same commas
        single = not any(t.dep_ in ("conj", "appos", "cc") for t in (*head.children, *token.children) if t.i != token.i)
        if not which or not single or token.tag_ != "NN" or doc[at[0]].lower_ not in ("the", "a", "an", "our", "its"):
            continue
        if _directly(doc, head, at[0] - 1) and not tree.verbs(doc, *at):
            start = doc[at[0]].idx
            yield Rewrite("relative", (Kept(0, start), f"{which} {copula} ", Kept(start, len(doc.text))))


def apposition(doc: "Doc") -> Iterator[Rewrite]:
    """Puts "X, who was the founder of Y, sold it." as "X, the founder of Y, sold it."."""
    verb = tree.root(doc)
    copula = _copula(verb) if verb is not None else ""
    if not copula or not tree.plain(doc.text):
        return
    for token in doc[2 : len(doc) - 3]:
        if token.lower_ in ("who", "which") and token.nbor(-1).text == "," and token.nbor(-2).pos_ == "PROPN":
            be, first = token.nbor(1), token.nbor(2)
            noun = token.head
            at = tree.span(noun)
            if be.lower_ != copula or noun.dep_ != "acl:relcl" or noun.pos_ != "NOUN" or not at or noun.i < first.i:
                continue
            if first.lower_ not in ("the", "a", "an", "our", "its") or at[1] >= len(doc) or doc[at[1]].text != ",":
                continue
            if noun.lower_ in (PEOPLE if token.lower_ == "who" else THINGS) and len(tree.verbs(doc, *at)) <= 2:
                pieces = Kept(0, token.idx), Kept(first.idx, len(doc.text))
                yield Rewrite("apposition", pieces)


def owner_after(doc: "Doc") -> Iterator[Rewrite]:
    """Puts "Apple's revenue rose." as "The revenue of Apple rose."."""
    for mark in doc:
        if (
            mark.tag_ != "POS"
            or mark.i == 0
            or mark.nbor(-1).pos_ != "PROPN"
            or mark.text not in ("'s", "’s", "'", "’")
        ):
            continue
        owner, first = mark.head, _name_start(mark.nbor(-1))
        noun = owner.head
        if (
            owner.dep_ != "nmod:poss"
            or noun.i <= mark.i
            or noun.lower_ not in OWNED
            or not _plain_noun(doc, mark, noun)
        ):
            continue
        if first and (doc[first - 1].lower_ == "of" or doc[first - 1].tag_ == "POS"):
            continue
        article = doc[first].lower_ == "the" if first == 0 else False
        name = tree.lowered(doc, first, mark.i) if article else (tree.kept(doc, first, mark.i),)
        the = "The " if first == 0 else "the "
        before = Kept(0, doc[first].idx)
        after = Kept(noun.idx + len(noun), len(doc.text))
        thing = Kept(doc[mark.i + 1].idx, noun.idx + len(noun))
        yield Rewrite("owner after", (before, the, thing, " of ", *name, after))


def owner_before(doc: "Doc") -> Iterator[Rewrite]:
    """Puts "The revenue of Apple rose." as "Apple's revenue rose."."""
    for of in doc[2 : len(doc) - 1]:
        noun = of.nbor(-1)
        name = of.head
        if (
            of.lower_ != "of"
            or of.dep_ != "case"
            or noun.lower_ not in OWNED
            or name.dep_ != "nmod"
            or name.head != noun
        ):
            continue
        first = noun.left_edge.i
        at = tree.span(name)
        words = doc[of.i + 1 : at[1]] if at else ()
        if not at or at[0] != of.i or doc[first].lower_ != "the" or not all(t.pos_ == "PROPN" for t in words):
            continue
        # "the President of the United States", "the Bank of England": what is called so is a name, and keeps it
        if any(t.pos_ not in ("DET", "ADJ", "NOUN") or t.text[0].isupper() for t in doc[first + 1 : noun.i + 1]):
            continue
        after = doc[at[1]] if at[1] < len(doc) else None
        if after is None or after.lower_ in ("and", "or", ",", "'s", "’s", "of", "&", "-", "in") or len(words) > 5:
            continue
        tail = "’" if "’" in doc.text else "'"
        owner: tuple[Piece, ...] = (tree.kept(doc, of.i + 1, at[1]), tail + "s")
        thing = Kept(doc[first + 1].idx, noun.idx + len(noun))
        pieces = (
            Kept(0, doc[first].idx),
            *owner,
            " ",
            thing,
            Kept(doc[at[1] - 1].idx + len(doc[at[1] - 1]), len(doc.text)),
        )
        yield Rewrite("owner before", pieces)


def turned_pair(doc: "Doc") -> Iterator[Rewrite]:
    """Puts "risks and uncertainties" as "uncertainties and risks"."""
    if tree.ORDERED.search(doc.text):
        return
    for link in doc[1 : len(doc) - 1]:
        one, other = link.nbor(-1), link.nbor(1)
        if link.lower_ != "and" or one.tag_ != other.tag_ or one.pos_ not in ("NOUN", "ADJ") or other.head != one:
            continue
        if (
            other.dep_ != "conj"
            or one.text[0].isupper()
            or other.text[0].isupper()
            or {one.lower_, other.lower_} & _FIXED
        ):
            continue
        joined = [t for t in one.children if t.i != other.i]
        # whatever else hangs on one of the two would hang on the other
        if joined or [t for t in other.children if t.i != link.i] or other.i + 1 >= len(doc):
            continue
        before, after = (doc[one.i - 1] if one.i else None), doc[other.i + 1]
        if before is None or before.pos_ not in ("ADP", "VERB", "AUX") or before.lower_ in ("between", "of", "than"):
            continue
        if (after.text not in (".", ",") and after.pos_ not in ("VERB", "AUX", "ADP")) or after.lower_ == "of":
            continue
        if one.lower_ == other.lower_ or any(c.isdigit() for c in one.text + other.text):
            continue
        pieces = (Kept(0, one.idx), tree.kept(doc, other.i, other.i + 1), " and ", tree.kept(doc, one.i, one.i + 1))
        yield Rewrite("turned pair", (*pieces, Kept(other.idx + len(other), len(doc.text))))


def _copula(verb: "Token") -> str:
    """The tense of the sentence, in which its relative clause is too: "is", "was", or "" where it is neither."""
    tags = {t.tag_ for t in (verb, *verb.children) if t.dep_ in ("ROOT", "aux", "aux:pass", "cop")}
    return "was" if "VBD" in tags else "is" if tags & {"VBZ", "VBP"} else ""


def _directly(doc: "Doc", head: "Token", comma: int) -> bool:
    return (
        all(t.pos_ in ("PROPN", "PUNCT") or t.dep_ == "flat" for t in doc[head.i : comma])
        and "," not in doc[head.i : comma].text
    )


def _name_start(last: "Token") -> int:
    """Where the name that ends here begins, with its article; a comma before "Inc." belongs to it."""
    doc, at = last.doc, last.i
    while at and (doc[at - 1].pos_ == "PROPN" or doc[at - 1].text in ("&", "-", ".") or _is_of_name(doc, at)):
        at -= 1
    return at - 1 if at and doc[at - 1].lower_ == "the" else at


def _is_of_name(doc: "Doc", at: int) -> bool:
    return doc[at - 1].text == "," and re.fullmatch(FORM, doc[at].text) is not None


def _plain_noun(doc: "Doc", mark: "Token", noun: "Token") -> bool:
    """Are there only adjectives and nouns between the owner and the noun, and no name or "of" after it?"""
    after = doc[noun.i + 1] if noun.i + 1 < len(doc) else None
    between = doc[mark.i + 1 : noun.i + 1]
    return (
        all(t.pos_ in ("ADJ", "NOUN") and not t.text[0].isupper() for t in between)
        and not (
            after is not None
            and (after.lower_ in ("of", "and", "or", ",", "-", "/") or after.pos_ in ("NOUN", "PROPN"))
        )
        and (after is None or after.tag_ != "POS")
    )
