"""Parse sentences and answer questions about their dependency trees."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from threading import RLock
from typing import TYPE_CHECKING, NamedTuple

from rarefy.tasks.text.syntax.pieces import Kept, Piece
from rarefy.tasks.text.wordnet import readings

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

# Parsing

_BROKEN = re.compile(r"[\x00-\x08\x0b-\x1f\ud800-\udfff]")  # half of a character, or none: no sentence of English

LONGEST = 600  # characters of a sentence worth parsing: longer ones are lists, and parsed badly
REMEMBERED = 4096  # sentences, some 20 kB each: the questions on one chunk come together


def parsed(sentence: str) -> "Doc | None":
    """The tree of one sentence, by the pipeline that ships; None for what is too long or too broken to be parsed."""
    return _parsed(sentence) if _is_readable(sentence) else None


def parse_ahead(sentences: Iterable[str]) -> None:
    """Parse sentences that `parsed` will be asked for: together they take half the time of one by one."""
    from rarefy.tasks.text.language import load

    some = [one for one in dict.fromkeys(sentences) if _is_readable(one)]
    with _READING:
        _AHEAD.update(zip(some, load().pipe(some, disable=["ner"], batch_size=128), strict=True))
        for sentence in some:
            _parsed(sentence)  # remembers it
        _AHEAD.clear()  # of what was remembered before


_AHEAD: "dict[str, Doc]" = {}


@lru_cache(REMEMBERED)
def _parsed(sentence: str) -> "Doc":
    return _AHEAD.pop(sentence, None) or _read(sentence, ("ner",))


def _is_readable(sentence: str) -> bool:
    return bool(sentence.strip()) and len(sentence) <= LONGEST and not _BROKEN.search(sentence)


class TaggedWord(NamedTuple):
    """A word of a sentence with its Penn tag, and where it stands."""

    text: str
    tag: str
    start: int
    end: int


@lru_cache(REMEMBERED)
def tag_words(sentence: str) -> tuple[TaggedWord, ...]:
    """The words of a sentence with their tags, without a tree; none of what is too long or too broken to be read."""
    if not _is_readable(sentence):
        return ()
    return tuple(
        TaggedWord(word.text, word.tag_, word.idx, word.idx + len(word.text))
        for word in _read(sentence, ("morphologizer", "trainable_lemmatizer", "parser", "ner"))
        if not word.is_space
    )


_READING = RLock()  # stages work in threads


def _read(sentence: str, without: tuple[str, ...]) -> "Doc":
    """The sentence as the pipeline reads it without some of its parts, which nobody else lacks meanwhile."""
    from rarefy.tasks.text.language import load

    with _READING:
        return load()(sentence, disable=without)


SUBJECTS = ("nsubj", "nsubj:pass", "nsubj:outer", "csubj", "csubj:pass", "expl")
# Words by which a sentence's parts are read in their order or against each other: such a sentence stays as it is.
ORDERED = re.compile(r"\b(?:respectively|former|latter|aforementioned|in that order|vice versa|the following)\b", re.I)
BOUND = frozenset("it its itself they them their theirs themselves he him his himself she her hers herself".split())
_CLOSED = frozenset(
    """
    the a an this that these those its their our his her my your such some many most all both each every any no other
    several certain in on at by for from to of with as if because although though when while after before until unless
    once since during under over through throughout within without between among about it they we he she you there
    who what which where how why and but or not however
    """.split()
)
_EITHER = frozenset("number majority variety range series means species news headquarters staff police data".split())
_SINGULAR = {"it": False, "this": False, "that": False, "they": True, "these": True, "those": True, "we": True}


def span(token: "Token") -> tuple[int, int] | None:
    """The tokens `[first, end)` under a token; None where they do not stand together."""
    first, end = token.left_edge.i, token.right_edge.i + 1
    # an edge is the outermost descendant: a word between may hang elsewhere
    return (first, end) if sum(1 for _ in token.subtree) == end - first else None


def token_span(doc: "Doc", first: int, end: int) -> Kept:
    """The tokens as a piece of the text, without the white space after them."""
    return Kept(doc[first].idx, doc[end - 1].idx + len(doc[end - 1]))


def lower_first(doc: "Doc", first: int, end: int) -> tuple[Piece, ...]:
    """The tokens as they stand within a sentence, which began with them."""
    whole = token_span(doc, first, end)
    if is_name(doc[first]):
        return (whole,)
    return doc[first].text[0].lower(), Kept(whole.start + 1, whole.end)


def raise_first(doc: "Doc", first: int, end: int) -> tuple[Piece, ...]:
    """The tokens as they stand at the beginning of a sentence."""
    whole = token_span(doc, first, end)
    letter = doc[first].text[0]
    return (whole,) if letter == letter.upper() else (letter.upper(), Kept(whole.start + 1, whole.end))


def root(doc: "Doc") -> "Token | None":
    """The root of a text that is one sentence; None where the parser saw several."""
    roots = [t for t in doc if t.head.i == t.i]
    return roots[0] if len(roots) == 1 else None


def child(token: "Token", *deps: str) -> "Token | None":
    """The one child of these relations; None for none or several."""
    found = [t for t in token.children if t.dep_ in deps]
    return found[0] if len(found) == 1 else None


def final_mark(doc: "Doc") -> int:
    """The place of the full stop or question mark that ends the sentence; -1 where it does not end in just one."""
    last = len(doc) - 1
    return last if last > 1 and doc[last].text in (".", "?") and doc[last - 1].pos_ != "PUNCT" else -1


def plain(text: str) -> bool:
    """Is it a sentence of one line, without quotes, brackets, lists, or words that depend on the order of others?"""
    return not re.search(r"[\"“”‘«»()\[\]{}:;|\n\t—–*#<>_]| -+ ", text) and not ORDERED.search(text)


def is_name(token: "Token") -> bool:
    """Does a word keep its first letter wherever it stands? In doubt it does."""
    text = token.text
    if not text[0].isupper() or any(c.isupper() for c in text[1:]) or text == "I" or token.pos_ == "PROPN":
        return True
    if token.lower_ in _CLOSED:
        return False
    # "Inlow Hall": the tagger knows no more of a first word than its capital
    after = token.nbor() if token.i + 1 < len(token.doc) else None
    return not readings(token.lower_) or (after is not None and after.text[0].isupper())


def _forms(word: str) -> set[str]:
    return {r.form for r in readings(word) if r.pos == "n"} or {"base"}


def with_final_mark(doc: "Doc", pieces: Sequence[Piece], end: int) -> tuple[Piece, ...]:
    """The pieces and the sentence's last mark, unless what is last now brings a full stop of its own ("Inc.")."""
    last = pieces[-1]
    text = last if isinstance(last, str) else doc.text[last.start : last.end]
    return tuple(pieces) if text.endswith(".") and doc[end].text == "." else (*pieces, token_span(doc, end, end + 1))


def verbs(doc: "Doc", first: int, end: int) -> "list[Token]":
    """The verbs that make clauses among these tokens: not auxiliaries, nor participles before a noun."""
    return [
        t
        for t in doc[first:end]
        if (t.pos_ == "VERB" and t.dep_ not in ("amod", "case", "mark", "compound", "fixed", "det"))
        or t.dep_ in ("acl", "acl:relcl", "advcl", "ccomp", "xcomp", "parataxis", "csubj", "cop")
    ]


def plural(token: "Token") -> bool | None:
    """Whether what a noun phrase names takes a plural verb; None where it is not certain."""
    if any(t.dep_ == "conj" for t in token.children):
        joined = {t.lower_ for c in token.children if c.dep_ == "conj" for t in c.children if t.dep_ == "cc"}
        return True if joined == {"and"} else None
    if token.tag_ in ("NNS", "NNPS"):
        return True
    if token.tag_ == "NN":
        return None if token.lower_ in _EITHER or {"base"} != _forms(token.lower_) else False
    if token.tag_ == "NNP":
        return None if token.text.endswith("s") else False
    return _SINGULAR.get(token.lower_)
