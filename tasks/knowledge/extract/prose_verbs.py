"""Knows which verbs of a parsed sentence claim a fact, who they say it of, and how the relation reads."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_MODALS = frozenset("may might could would should can will shall must ca wo 'll ’ll 'd ’d ought".split())
_DUTIES = frozenset(("must", "shall"))
_OFFICIAL = frozenset("approve authorize request require submit report determine notify".split())
# What follows these is wished, thought, said or planned; or they say nothing without what follows.
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


def predicates(sentence: "Iterator[Token]") -> Iterator["Token"]:
    """Verbs, and words with a copula, that head a clause of their own that stands as claimed."""
    for token in sentence:
        verbal = token.pos_ == "VERB" or any(child.dep_ == "cop" for child in token.children)
        # "customizable pretrained models": no verb
        if token.i and token.pos_ == "VERB" and token.nbor(-1).pos_ == "ADJ":
            continue
        if verbal and _is_finite(token) and _stands(token):
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


def _stands(verb: "Token") -> bool:
    dep = verb.dep_.split(":")[0]
    if verb.dep_ == "acl:relcl" or dep in ("ROOT", "parataxis"):
        return True
    return dep == "conj" and (verb.head.pos_ in ("VERB", "AUX") or _has_copula(verb.head)) and _stands(verb.head)


def _has_copula(token: "Token") -> bool:
    return any(child.dep_ == "cop" for child in token.children)


def trouble_with(verb: "Token", duties: bool = False) -> str:
    """Why the clause claims nothing: negated, modal, an attitude, doubtful; "" where it claims.

    With `duties`, what somebody must do is claimed: that is what regulations say.
    """
    for head in _line(verb):
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


def _line(verb: "Token") -> Iterator["Token"]:
    """The verb and the ones that it is joined to, whose auxiliaries hold for it too unless it has a subject."""
    yield verb
    while verb.dep_ == "conj" and not subjects(verb, own=True):
        verb = verb.head
        yield verb


def subjects(verb: "Token", own: bool = False) -> list["Token"]:
    """The heads of the verb's subject, each member of a list; that of the verb before where it has none itself."""
    for child in verb.children:
        if child.dep_ in ("nsubj", "nsubj:pass", "nsubj:outer"):
            if child.tag_ in ("WDT", "WP") or child.lower_ == "that":
                return [verb.head] if verb.dep_ == "acl:relcl" else []
            if verb.dep_ == "acl:relcl":
                return []  # "a version of which we develop with …": a remark on something else
            return members(child)
    if own or verb.dep_ != "conj" or is_passive(verb) != is_passive(verb.head):
        return []
    return subjects(verb.head)


def members(first: "Token") -> list["Token"]:
    """The parts of a list joined by commas and "and" (not "or")."""
    found = [first]
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
            found += members(child)
    return found


def _between(first: "Token", second: "Token") -> "Span":
    return first.doc[first.i + 1 : second.i]


def is_passive(verb: "Token") -> bool:
    """Whether its subject suffers what it says."""
    return any(child.dep_ == "aux:pass" for child in verb.children) or (
        verb.dep_ == "conj"
        and verb.tag_ == "VBN"
        and not any(c.dep_.startswith("aux") for c in verb.children)
        and is_passive(verb.head)
    )


def onward(verb: "Token") -> "Token | None":
    """ "operates" of "continues to operate", where going on or beginning implies doing; else the verb without one."""
    complements = [child for child in verb.children if child.dep_ == "xcomp"]
    if not complements:
        return verb
    if len(complements) == 1 and verb.lemma_.lower() in _ONWARD and complements[0].pos_ == "VERB":
        return complements[0]
    return None


def words(verb: "Token", singular: bool) -> list[str]:
    """The verb with its auxiliaries, copula and particle, of the third person singular where asked."""
    group = [
        child
        for child in verb.children
        if (child.dep_.startswith("aux") or child.dep_ in ("cop", "compound:prt")) and child.lower_ not in ("did", "do")
    ]
    if verb.dep_ == "conj" and is_passive(verb) and not group:
        group = [child for child in verb.head.children if child.dep_.startswith("aux")]
    before = [child.lower_ for child in group if child.dep_ != "compound:prt"]
    after = [child.lower_ for child in group if child.dep_ == "compound:prt"]
    said = [*before, verb.lower_, *after]
    if singular:
        said[0] = _THIRD.get(
            said[0], _with_s(said[0]) if not before and verb.lemma_.lower() == verb.lower_ else said[0]
        )
    return said


def _with_s(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return verb[:-1] + "ies"
    return verb + "s"
