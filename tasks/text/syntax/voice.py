"""Active and passive voice (Magic Mushroom §3.2, the change of syntax)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rarefy.tasks.text.syntax import tree
from rarefy.tasks.text.syntax.pieces import Piece, Rewrite
from rarefy.tasks.text.wordnet import inflect, readings

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

# Verbs of doing: what was done to a thing by somebody, and nothing else, is said by either voice. Others ("have",
# "include", "reach", "lack") have no passive, or one that means another thing.
VERBS = frozenset(
    """
    acquire adapt adopt advise affect amend announce appoint approve arrange assemble assess attack audit award ban
    block build buy capture challenge close command commission compile complete compose conduct confirm conquer
    consider construct control coordinate cover create defeat defend define deliver describe design destroy dismiss
    determine develop direct discover discuss distribute divide document draft drive edit elect employ endorse
    engineer establish evaluate examine execute explain finance fix formulate found fund generate govern head host
    identify illustrate impact implement import influence inform initiate inspect install integrate interpret
    introduce invade invent investigate issue launch lead license limit maintain manage manufacture market monitor
    name negotiate nominate occupy offer offset operate order organize oversee own paint perform plan prepare
    prescribe present process produce program propose provide publish purchase ratify record recommend reduce
    regulate reject release renovate replace report repurchase represent resolve restore restrict review revise ride
    rule score select sell settle shape share sign sponsor staff supervise supply support survey sustain teach test
    train transmit translate use win write
    """.split()
)
_MODALS = frozenset("will would may might must can could should shall".split())
# what a sentence denies or counts, it denies or counts in one voice and not always in the other
_QUANTIFIERS = frozenset(
    """
    no not n't never neither nor each every all any both most many much few several some only just either none
    almost nearly hardly half
    """.split()
)
_MIDDLES = frozenset(
    """
    also subsequently recently previously originally initially partially largely mainly later primarily partly
    currently
    """.split()
)
_OBJECTS = {"they": "them", "it": "it", "he": "him", "she": "her", "we": "us"}
_ADJUNCTS = frozenset("in on at during over within under pursuant throughout since until annually directly".split())
LONGEST_AGENT = 12  # words of a by-phrase that more of the sentence follows


def to_passive(doc: "Doc") -> Iterator[Rewrite]:
    """Puts "X bought Y in 2020." as "Y was bought by X in 2020."."""
    verb, end = tree.root(doc), tree.closes(doc)
    if verb is None or end < 0 or not tree.plain(doc.text) or verb.pos_ != "VERB" or _refused(doc):
        return
    subject, what = tree.child(verb, "nsubj"), tree.child(verb, "obj")
    if subject is None or what is None or _others(verb, {"nsubj", "obj"}):
        return
    s, o = tree.span(subject), tree.span(what)
    if not s or not o or o[0] != verb.i + 1 or s[1] > verb.i or not _is_thing(what):
        return
    we = subject.lower_ == "we" and s[1] - s[0] == 1
    if not we and not _is_doer(subject):
        return
    before = _before(doc, s[0], verb)
    between = list(doc[s[1] : verb.i])
    adverb = [t for t in between if t.lower_ in _MIDDLES]
    helpers = [t for t in between if t not in adverb]
    form = _form(verb, [t.lower_ for t in helpers], tree.plural(what))
    rest = doc[o[1] : end]
    if before is None or form is None or len(adverb) > 1 or not _follows(doc, o[1], end):
        return
    if len(rest) and (s[1] - s[0] > LONGEST_AGENT or "," in doc[s[0] : s[1]].text):
        return
    fronted = s[0] == 0
    pieces: list[Piece] = [*before]
    pieces += tree.raised(doc, *o) if fronted else (tree.kept(doc, *o),)
    pieces += [f" {form[0]} ", *((adverb[0].text + " ",) if adverb else ()), form[1] + " by "]
    pieces += ("us",) if we else tree.lowered(doc, *s) if fronted else (tree.kept(doc, *s),)
    if len(rest):
        pieces += [" " if rest[0].text != "," else "", tree.kept(doc, o[1], end)]
    yield Rewrite("passive", tree.ended(doc, pieces, end))


def to_active(doc: "Doc") -> Iterator[Rewrite]:
    """Puts "Y was bought by X in 2020." as "X bought Y in 2020."."""
    verb, end = tree.root(doc), tree.closes(doc)
    if verb is None or end < 0 or not tree.plain(doc.text) or verb.tag_ != "VBN" or _refused(doc):
        return
    subject = tree.child(verb, "nsubj:pass")
    agents = [t for t in verb.children if t.dep_ in ("obl:agent", "obl") and (t.left_edge.lower_ == "by")]
    if subject is None or len(agents) != 1 or _others(verb, {"nsubj:pass", "obl:agent"}):
        return
    agent = agents[0]
    s, a = tree.span(subject), tree.span(agent)
    if (
        not s
        or not a
        or not _is_doer(agent, a[1] == end)
        or doc[a[0] + 1].lower_ in ("means", "way", "virtue", "reference")
    ):
        return
    before = _before(doc, s[0], verb)
    helpers = [t.lower_ for t in doc[s[1] : verb.i] if t.lower_ not in _MIDDLES]
    adverb = [t for t in doc[s[1] : verb.i] if t.lower_ in _MIDDLES]
    lemma = lemma_of(verb)
    if before is None or not lemma or len(adverb) > 1 or s[1] > verb.i or a[0] <= verb.i:
        return
    form = _active(helpers, lemma, tree.plural(agent))
    pronoun = subject.lower_ in _OBJECTS and s[1] - s[0] == 1
    if not form or not (pronoun or _is_thing(subject)) or not _follows(doc, a[1], end):
        return
    if not _follows(doc, verb.i + 1, a[0]) or "," in doc[verb.i + 1 : a[0]].text:
        return
    fronted = s[0] == 0
    pieces: list[Piece] = [*before]
    pieces += tree.raised(doc, a[0] + 1, a[1]) if fronted else (tree.kept(doc, a[0] + 1, a[1]),)
    pieces += [" ", *((adverb[0].text + " ",) if adverb else ()), form + " "]
    if pronoun:
        pieces.append(_OBJECTS[subject.lower_])
    else:
        pieces += tree.lowered(doc, *s) if fronted else (tree.kept(doc, *s),)
    if a[0] > verb.i + 1:
        pieces += [" ", tree.kept(doc, verb.i + 1, a[0])]
    if a[1] < end:
        pieces += [" " if doc[a[1]].text != "," else "", tree.kept(doc, a[1], end)]
    yield Rewrite("active", tree.ended(doc, pieces, end))


def _refused(doc: "Doc") -> bool:
    return any(t.lower_ in _QUANTIFIERS for t in doc) or doc[len(doc) - 1].text == "?"


def _others(verb: "Token", known: set[str]) -> bool:
    """Has the verb parts that a change of voice would tear: a second object, a clause, a particle, a conjunct?"""
    allowed = known | {
        "punct",
        "obl",
        "obl:unmarked",
        "obl:agent",
        "advmod",
        "aux",
        "aux:pass",
        "obl:npmod",
        "obl:tmod",
    }
    return any(t.dep_ not in allowed for t in verb.children)


def _before(doc: "Doc", first: int, verb: "Token") -> tuple[Piece, ...] | None:
    """What stands before the subject, if that is nothing, or one phrase and a comma."""
    if first == 0:
        return ()
    if (
        doc[first - 1].text != ","
        or tree.verbs(doc, 0, first)
        or doc[0].lower_ in ("unlike", "like", "and", "but", "or")
    ):
        return None
    return tree.kept(doc, 0, first), " "


def _is_doer(token: "Token", last: bool = False) -> bool:
    """A name, or a noun that is no time and no number; with a clause of its own only where it ends the sentence."""
    if token.pos_ not in ("NOUN", "PROPN") or token.tag_ not in ("NN", "NNS", "NNP", "NNPS"):
        return False
    inside = list(token.subtree)
    clauses = tree.verbs(token.doc, inside[0].i, inside[-1].i + 1)
    return (
        (last or not clauses)
        and not any(t.tag_ == "TO" or t.lower_ in tree.BOUND for t in inside)
        and not any(t.dep_ == "nmod" and t.left_edge.lower_ not in ("of", t.lower_) for t in inside if not last)
        and not any(t.pos_ == "NUM" or t.like_num for t in token.children)
        and (token.pos_ == "PROPN" or not token.lower_.endswith("ing"))
    )


def _is_thing(token: "Token") -> bool:
    if token.pos_ not in ("NOUN", "PROPN") or tree.plural(token) is None:
        return False
    inside = list(token.subtree)
    # "its stock was bought by Apple" would stand before the name that it means
    return not any(t.lower_ in tree.BOUND for t in inside) and not any(
        t.dep_ in ("acl:relcl", "appos", "advcl", "ccomp", "acl") for t in inside
    )


def _follows(doc: "Doc", first: int, end: int) -> bool:
    """Can these words stand after another phrase: adjuncts without a verb, and without a second "by" or "and"?"""
    words = doc[first:end]
    return (
        not tree.verbs(doc, first, end)
        and not any(
            t.lower_ in ("by", "as", "than", "to", "and", "or", "but", "including", "that", "who") for t in words
        )
        and not any(t.lower_ in tree.BOUND for t in words)
        # "expectations for inflation": what begins so may belong to the noun before it
        and (first == end or doc[first].lower_ in _ADJUNCTS)
    )


def lemma_of(verb: "Token") -> str:
    """The lemma, if the dictionary has the word as a form of one of the verbs of doing."""
    found = {r.lemma for r in readings(verb.lower_) if r.pos == "v"} & VERBS
    return found.pop() if len(found) == 1 else ""


def _form(verb: "Token", helpers: list[str], many: bool | None) -> tuple[str, str] | None:
    """The auxiliaries and the participle of the passive; None for a tense that is not known here."""
    lemma = lemma_of(verb)
    participle = (inflect(lemma, "v", "ed") or inflect(lemma, "v", "participle")) if lemma else None
    if not participle or many is None:
        return None
    if not helpers:
        # with a subject and an object and no auxiliary, what is tagged a participle is a past
        if verb.tag_ in ("VBD", "VBN"):
            return ("were" if many else "was"), participle
        return (("are" if many else "is"), participle) if verb.tag_ in ("VBZ", "VBP") else None
    if len(helpers) == 1 and helpers[0] in _MODALS and verb.tag_ == "VB":
        return f"{helpers[0]} be", participle
    if len(helpers) == 1 and helpers[0] in ("has", "have", "had") and verb.tag_ == "VBN":
        return ("had been" if helpers[0] == "had" else "have been" if many else "has been"), participle
    return None


def _active(helpers: list[str], lemma: str, many: bool | None) -> str | None:
    """The verb in the active, for the auxiliaries of a passive."""
    past = inflect(lemma, "v", "ed") or inflect(lemma, "v", "past")
    participle = inflect(lemma, "v", "ed") or inflect(lemma, "v", "participle")
    match helpers:
        case ["was" | "were"]:
            return past
        case ["is" | "are"] if many is not None:
            return lemma if many else inflect(lemma, "v", "s")
        case ["has" | "have", "been"] if many is not None:
            return participle and f"{'have' if many else 'has'} {participle}"
        case ["had", "been"]:
            return participle and f"had {participle}"
        case [modal, "be"] if modal in _MODALS:
            return f"{modal} {lemma}"
    return None
