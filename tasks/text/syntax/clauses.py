"""Two clauses as two sentences, and what is added said so at the front (Magic Mushroom §3.2, the change of syntax)."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rarefy.tasks.text.syntax import tree
from rarefy.tasks.text.syntax.pieces import Kept, Rewrite

if TYPE_CHECKING:
    from spacy.tokens import Doc

SHORTEST = 4  # words of a clause that can stand alone
_CONTRARY = {"but": "However, "}
# clauses of one condition or claim stay together: what stands first or last reaches over both
_TIES = frozenset(
    "if whether unless although though because since when while both either neither not that than as".split()
)


def divided(doc: "Doc") -> Iterator[Rewrite]:
    """Puts "Sales rose, but costs fell." as "Sales rose. However, costs fell."."""
    verb, end = tree.root(doc), tree.closes(doc)
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
        after = (_CONTRARY["but"], *tree.lowered(doc, *second)) if link.lower_ == "but" else tree.raised(doc, *second)
        yield Rewrite("divided", (tree.kept(doc, *first), ". ", *after, tree.kept(doc, end, end + 1)))


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


def also(doc: "Doc") -> Iterator[Rewrite]:
    """Puts "We also sell parts." as "In addition, we sell parts."."""
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
        before = tree.lowered(doc, 0, word.i)
        yield Rewrite("added", ("In addition, ", *before, " ", Kept(doc[word.i + 1].idx, len(doc.text))))
