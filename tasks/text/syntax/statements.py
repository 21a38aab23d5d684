"""Rewrite English statements in another syntax (Magic Mushroom §3.2, the change of syntax)."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rarefy.tasks.text.dates import NAME
from rarefy.tasks.text.syntax import tree
from rarefy.tasks.text.syntax.pieces import Kept, Piece, Rewrite
from rarefy.tasks.text.wordnet import inflect, readings

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

# Active and passive voice

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
    """Rewrite "X bought Y in 2020." as "Y was bought by X in 2020."."""
    verb, end = tree.root(doc), tree.final_mark(doc)
    if verb is None or end < 0 or not tree.plain(doc.text) or verb.pos_ != "VERB" or _is_refused(doc):
        return
    subject, what = tree.child(verb, "nsubj"), tree.child(verb, "obj")
    if subject is None or what is None or _has_other_parts(verb, {"nsubj", "obj"}):
        return
    s, o = tree.span(subject), tree.span(what)
    if not s or not o or o[0] != verb.i + 1 or s[1] > verb.i or not _is_thing(what):
        return
    we = subject.lower_ == "we" and s[1] - s[0] == 1
    if not we and not _is_doer(subject):
        return
    before = _lead_in(doc, s[0], verb)
    between = list(doc[s[1] : verb.i])
    adverb = [t for t in between if t.lower_ in _MIDDLES]
    helpers = [t for t in between if t not in adverb]
    form = _passive_form(verb, [t.lower_ for t in helpers], tree.plural(what))
    rest = doc[o[1] : end]
    if before is None or form is None or len(adverb) > 1 or not _may_follow(doc, o[1], end):
        return
    if len(rest) and (s[1] - s[0] > LONGEST_AGENT or "," in doc[s[0] : s[1]].text):
        return
    fronted = s[0] == 0
    pieces: list[Piece] = [*before]
    pieces += tree.raise_first(doc, *o) if fronted else (tree.token_span(doc, *o),)
    pieces += [f" {form[0]} ", *((adverb[0].text + " ",) if adverb else ()), form[1] + " by "]
    pieces += ("us",) if we else tree.lower_first(doc, *s) if fronted else (tree.token_span(doc, *s),)
    if len(rest):
        pieces += [" " if rest[0].text != "," else "", tree.token_span(doc, o[1], end)]
    yield Rewrite("passive", tree.with_final_mark(doc, pieces, end))


def to_active(doc: "Doc") -> Iterator[Rewrite]:
    """Rewrite "Y was bought by X in 2020." as "X bought Y in 2020."."""
    verb, end = tree.root(doc), tree.final_mark(doc)
    if verb is None or end < 0 or not tree.plain(doc.text) or verb.tag_ != "VBN" or _is_refused(doc):
        return
    subject = tree.child(verb, "nsubj:pass")
    agents = [t for t in verb.children if t.dep_ in ("obl:agent", "obl") and (t.left_edge.lower_ == "by")]
    if subject is None or len(agents) != 1 or _has_other_parts(verb, {"nsubj:pass", "obl:agent"}):
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
    before = _lead_in(doc, s[0], verb)
    helpers = [t.lower_ for t in doc[s[1] : verb.i] if t.lower_ not in _MIDDLES]
    adverb = [t for t in doc[s[1] : verb.i] if t.lower_ in _MIDDLES]
    lemma = lemma_of(verb)
    if before is None or not lemma or len(adverb) > 1 or s[1] > verb.i or a[0] <= verb.i:
        return
    form = _active_form(helpers, lemma, tree.plural(agent))
    pronoun = subject.lower_ in _OBJECTS and s[1] - s[0] == 1
    if not form or not (pronoun or _is_thing(subject)) or not _may_follow(doc, a[1], end):
        return
    if not _may_follow(doc, verb.i + 1, a[0]) or "," in doc[verb.i + 1 : a[0]].text:
        return
    fronted = s[0] == 0
    pieces: list[Piece] = [*before]
    pieces += tree.raise_first(doc, a[0] + 1, a[1]) if fronted else (tree.token_span(doc, a[0] + 1, a[1]),)
    pieces += [" ", *((adverb[0].text + " ",) if adverb else ()), form + " "]
    if pronoun:
        pieces.append(_OBJECTS[subject.lower_])
    else:
        pieces += tree.lower_first(doc, *s) if fronted else (tree.token_span(doc, *s),)
    if a[0] > verb.i + 1:
        pieces += [" ", tree.token_span(doc, verb.i + 1, a[0])]
    if a[1] < end:
        pieces += [" " if doc[a[1]].text != "," else "", tree.token_span(doc, a[1], end)]
    yield Rewrite("active", tree.with_final_mark(doc, pieces, end))


def _is_refused(doc: "Doc") -> bool:
    return any(t.lower_ in _QUANTIFIERS for t in doc) or doc[len(doc) - 1].text == "?"


def _has_other_parts(verb: "Token", known: set[str]) -> bool:
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


def _lead_in(doc: "Doc", first: int, verb: "Token") -> tuple[Piece, ...] | None:
    """What stands before the subject, if that is nothing, or one phrase and a comma."""
    if first == 0:
        return ()
    if (
        doc[first - 1].text != ","
        or tree.verbs(doc, 0, first)
        or doc[0].lower_ in ("unlike", "like", "and", "but", "or")
    ):
        return None
    return tree.token_span(doc, 0, first), " "


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


def _may_follow(doc: "Doc", first: int, end: int) -> bool:
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


def _passive_form(verb: "Token", helpers: list[str], many: bool | None) -> tuple[str, str] | None:
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


def _active_form(helpers: list[str], lemma: str, many: bool | None) -> str | None:
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


# Clauses as sentences, and additions

SHORTEST = 4  # words of a clause that can stand alone
_CONTRARY = {"but": "However, "}
# clauses of one condition or claim stay together: what stands first or last reaches over both
_TIES = frozenset(
    "if whether unless although though because since when while both either neither not that than as".split()
)


def split_clauses(doc: "Doc") -> Iterator[Rewrite]:
    """Rewrite "Sales rose, but costs fell." as "Sales rose. However, costs fell."."""
    verb, end = tree.root(doc), tree.final_mark(doc)
    if verb is None or end < 0 or doc[end].text != "." or not tree.plain(doc.text):
        return
    subject = tree.child(verb, "nsubj", "nsubj:pass", "expl")
    if subject is None or subject.left_edge.i != 0:
        return
    for other in verb.children:
        if other.dep_ != "conj" or other.i < verb.i or sum(t.dep_ == "conj" for t in verb.children) != 1:
            continue
        link = tree.child(other, "cc")
        its = tree.child(other, "nsubj", "nsubj:pass")
        at = tree.span(other)
        if (
            link is None
            or its is None
            or not at
            or at[1] != end
            or link.i != at[0] + (doc[at[0]].text == ",")
            or its.left_edge.i != link.i + 1
        ):
            continue
        if link.lower_ not in ("and", "but") or doc[link.i - 1].text != ",":
            continue
        first, second = (0, link.i - 1), (link.i + 1, end)
        if not all(_whole(doc, *part) for part in (first, second)):
            continue
        after = (
            (_CONTRARY["but"], *tree.lower_first(doc, *second))
            if link.lower_ == "but"
            else tree.raise_first(doc, *second)
        )
        yield Rewrite("divided", (tree.token_span(doc, *first), ". ", *after, tree.token_span(doc, end, end + 1)))


def _whole(doc: "Doc", first: int, end: int) -> bool:
    words = doc[first:end]
    return (
        end - first >= SHORTEST
        and not any(t.lower_ in _TIES for t in words)
        and sum(t.tag_ in ("VBD", "VBZ", "VBP", "MD") for t in words) == 1
        # "it", "its": what they mean may be only in the other clause, which still stands before
        and words[0].lower_ not in ("there", "so", "then")
        and doc[end - 1].text != ","
    )


def add_in_front(doc: "Doc") -> Iterator[Rewrite]:
    """Rewrite "We also sell parts." as "In addition, we sell parts."."""
    verb = tree.root(doc)
    if verb is None or len(doc) < 6 or doc[len(doc) - 1].text != "." or "“" in doc.text[:40]:
        return
    subject = tree.child(verb, "nsubj", "nsubj:pass")
    at = tree.span(subject) if subject is not None else None
    # with any other subject it may be that one which is added: "China also grew"
    if (
        subject is None
        or not at
        or at[0] != 0
        or not (subject.lower_ in ("we", "it", "they") or doc[:2].text == "The Company")
    ):
        return
    for word in doc[at[1] : at[1] + 2]:
        if word.lower_ != "also" or word.head.i != verb.i or (word.i > at[1] and doc[at[1]].pos_ != "AUX"):
            continue
        if any(t.lower_ in ("not", "n't") for t in doc[at[1] : verb.i]) or at[1] > 2:
            continue
        before = tree.lower_first(doc, 0, word.i)
        yield Rewrite("added", ("In addition, ", *before, " ", Kept(doc[word.i + 1].idx, len(doc.text))))


# Phrases and clauses at the other end of their sentence

# a time, and nothing but a time
TIME = re.compile(
    rf"(?:(?i:in|during|at the end of|at|on|as of|as at|for|since|until|by|throughout|after|before)\s+)?"
    rf"(?:the\s+)?(?:(?:calendar|fiscal|financial)?\s*(?:years?\s+)?(?:19|20)\d\d|"
    rf"(?:early|mid|late)?[\s-]?{NAME}(?:\s+\d{{1,2}})?(?:,?\s+(?:19|20)\d\d)?,?|"
    rf"\d{{1,2}}\s+{NAME}(?:\s+(?:19|20)\d\d)?|"
    rf"(?:first|second|third|fourth|last)\s+(?:fiscal\s+)?(?:quarter|half)\s+of\s+(?:fiscal\s+(?:year\s+)?)?(?:19|20)\d\d|"
    rf"(?:(?:fiscal|financial)\s+)?years?\s+ended\s+{NAME}\s+\d{{1,2}},?\s+(?:19|20)\d\d|"
    r"(?:early|mid|late)?[\s-]?(?:19|20)\d0s)"
)
# clauses whose place says nothing; "as", "so" and "that" do many things, "since" is a time or a reason in either place
MARKS = frozenset("because although though if when after before unless once until".split())
# what compares two times, or counts from one, has its own time, and the other stays with its words
_COMPARING = frozenset(
    "compared versus vs than from since between prior previous previously earlier later through".split()
)
# what reaches over the part that moves: "did not fall because", "will only pay if"
_CLAIMED = frozenset("not n't never no only even just partly neither nor".split())
_TIED = frozenset("due payable ending ended beginning maturing expiring effective dated commencing and or".split())


def move_to_front(doc: "Doc") -> Iterator[Rewrite]:
    """Rewrite "Sales rose in 2024." as "In 2024, sales rose."; "X because Y." as "Because Y, X."."""
    verb, end = tree.root(doc), tree.final_mark(doc)
    if verb is None or end < 0 or not _may_turn(doc):
        return
    for part in verb.children:
        at = tree.span(part)
        if not at or at[1] != end or at[0] < 3:
            continue
        first = at[0] - 1 if doc[at[0] - 1].text == "," else at[0]
        time = part.dep_ in ("obl", "obl:tmod", "obl:unmarked") and _is_time(doc, at) and first == at[0]
        clause = part.dep_ == "advcl" and _is_clause(doc, part, at)
        if not (time or clause) or not _is_main(doc, verb, 0, first, time):
            continue
        if time and (doc[first - 1].lower_ in _TIED or doc[first - 1].pos_ in ("NUM", "ADP", "PUNCT")):
            continue
        if clause and any(t.lower_ in ("this", "these", "such") for t in doc[at[0] : at[1]]):
            continue
        if doc[first - 1].pos_ in ("ADV", "PART") or any(t.lower_ in _CLAIMED for t in doc[0:first]):
            continue
        pieces = (*tree.raise_first(doc, *at), ", ", *tree.lower_first(doc, 0, first))
        yield Rewrite("fronted", tree.with_final_mark(doc, pieces, end))


def move_to_end(doc: "Doc") -> Iterator[Rewrite]:
    """Rewrite "In 2024, sales rose." as "Sales rose in 2024."; "Because Y, X." as "X because Y."."""
    verb, end = tree.root(doc), tree.final_mark(doc)
    if verb is None or end < 0 or not _may_turn(doc):
        return
    for part in verb.children:
        at = tree.span(part)
        if not at or at[0] != 0 or at[1] + 3 > end:
            continue
        comma = at[1] if doc[at[1]].text == "," else at[1] - 1
        if doc[comma].text != ",":
            continue
        inside = (0, comma)
        time = part.dep_ in ("obl", "obl:tmod", "obl:unmarked") and _is_time(doc, inside)
        clause = part.dep_ == "advcl" and _is_clause(doc, part, inside)
        if not (time or clause) or not _is_main(doc, verb, comma + 1, end, time):
            continue
        rest = doc[comma + 1 : end]
        # a pronoun would come to stand before what it means
        if clause and any(t.lower_ in tree.BOUND for t in rest):
            continue
        if time and not _takes_time(doc, comma + 1, end):
            continue
        gap = ", " if clause and doc[0].lower_ in ("although", "though") else " "
        if any(t.lower_ in _CLAIMED for t in rest):
            continue
        pieces = (*tree.raise_first(doc, comma + 1, end), gap, *tree.lower_first(doc, *inside))
        yield Rewrite("trailing", tree.with_final_mark(doc, pieces, end))


def move_however(doc: "Doc") -> Iterator[Rewrite]:
    """Rewrite "However, sales rose." as "Sales, however, rose."."""
    verb = tree.root(doc)
    if verb is None or len(doc) < 5 or doc[0].text not in ("However", "Therefore", "Moreover") or doc[1].text != ",":
        return
    subject = tree.child(verb, "nsubj", "nsubj:pass")
    at = tree.span(subject) if subject is not None else None
    if (
        not at
        or subject is None
        or at[0] != 2
        or at[1] - at[0] > 6
        or subject.pos_ == "PRON"
        or doc[at[1]].pos_ not in ("VERB", "AUX")
    ):
        return
    pieces: tuple[Piece, ...] = (
        *tree.raise_first(doc, *at), f", {doc[0].lower_}, ", tree.token_span(doc, at[1], len(doc)),
    )  # fmt: skip
    yield Rewrite("parenthesis", pieces)


def _may_turn(doc: "Doc") -> bool:
    return tree.plain(doc.text) and doc[len(doc) - 1].text == "."


def _is_time(doc: "Doc", at: tuple[int, int]) -> bool:
    text = doc[at[0] : at[1]].text
    return doc[at[0]].pos_ in ("ADP", "SCONJ") and TIME.fullmatch(text) is not None


def _is_clause(doc: "Doc", part: "Token", at: tuple[int, int]) -> bool:
    subject = tree.child(part, *tree.SUBJECTS)
    return (
        doc[at[0]].lower_ in MARKS
        and subject is not None
        and at[0] < subject.left_edge.i
        and any(t.tag_ in ("VBD", "VBZ", "VBP", "MD") for t in doc[at[0] : at[1]])
        and doc[at[0] + 1].lower_ not in ("of", "to", "and", "or")
    )


def _is_main(doc: "Doc", verb: "Token", first: int, end: int, time: bool) -> bool:
    """Is this one finite clause and no more, so that what moves can belong to nothing else in it?"""
    subject = tree.child(verb, *tree.SUBJECTS)
    if subject is None or subject.left_edge.i != first or verb.pos_ not in ("VERB", "NOUN", "ADJ", "AUX"):
        return False
    finite = [t for t in doc[first:end] if t.tag_ in ("VBD", "VBZ", "VBP", "MD")]
    others = [t for t in tree.verbs(doc, first, end) if t.i != verb.i and t.dep_ != "cop"]
    if len(finite) != 1 or others or any(t.dep_ == "conj" and t.pos_ in ("VERB", "AUX") for t in doc[first:end]):
        return False
    return doc[first].lower_ not in ("and", "but", "or", "nor", "yet", "which", "who")


def _takes_time(doc: "Doc", first: int, end: int) -> bool:
    """Can a time stand after these words and be read with their verb?"""
    words = doc[first:end]
    return (
        not any(t.lower_ in _COMPARING or t.lower_ in _TIED - {"and", "or"} for t in words)
        and not re.search(r"\b(?:19|20)\d\d\b|" + NAME, words.text)
        and "," not in words.text
        and doc[end - 1].pos_ != "NUM"
    )
