"""Knows how the entity corpora (CoNLL columns) become spaCy documents of one label scheme (issue stage 3c)."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

LABELS = {"I-PER": "PERSON", "I-ORG": "ORG", "I-LOC": "LOC", "I-MISC": "MISC"}

# The loan agreements mark the parties' roles as persons and organisations; a role is no name, so it is read as none.
ROLES = frozenset(
    """
    agent bank banks borrower borrowers company corporation employee employer executive guarantor guarantors holder
    issuer lender lenders party parties pledgor purchaser seller subsidiaries subsidiary trustee party's the each
    administrative collateral
    """.split()
)


@dataclass(frozen=True, slots=True)
class Labelled:
    """A sentence's words with one label each ("" outside of entities), and the part of the data it belongs to."""

    words: tuple[str, ...]
    labels: tuple[str, ...]
    part: str  # train | dev | test
    corpus: str


def read_entities(folder: Path) -> Iterator[Labelled]:
    """Every sentence: SEC-filings with its published split (FIN5 train, FIN3 test), wikigold split by article hash.

    Of wikigold's articles a tenth is dev and a fifth test.
    """
    yield from _sentences(folder / "SEC-filings" / "FIN5.txt", "sec-filings", "train")
    yield from _sentences(folder / "SEC-filings" / "FIN3.txt", "sec-filings", "test")
    yield from _sentences(folder / "wikigold" / "wikigold.conll.txt", "wikigold", "")


def _sentences(path: Path, corpus: str, part: str) -> Iterator[Labelled]:
    for article in path.read_text(encoding="utf-8").split("-DOCSTART-"):
        digest = hashlib.blake2b(article.encode(), digest_size=4).digest()[0]
        share = part or ("dev" if digest < 26 else "test" if digest < 77 else "train")
        for sentence in article.split("\n\n"):
            rows = [line.split() for line in sentence.split("\n") if len(line.split()) >= 2 and line[0] != " "]
            if rows:
                labels = _without_roles([row[0] for row in rows], [LABELS.get(row[-1], "") for row in rows])
                yield Labelled(tuple(row[0] for row in rows), tuple(labels), share, corpus)


def _without_roles(words: Sequence[str], labels: Sequence[str]) -> list[str]:
    kept = list(labels)
    start = 0
    for end in range(1, len(words) + 1):
        if end == len(words) or labels[end] != labels[start]:
            if labels[start] and all(word.lower() in ROLES for word in words[start:end]):
                kept[start:end] = [""] * (end - start)
            start = end
    return kept


def labelled_doc(sentence: Labelled, vocab: Vocab, respelled: Sequence[str] = ()) -> Doc:
    """One annotated document, its words spelled otherwise if so told."""
    doc = Doc(vocab, words=list(respelled or sentence.words))
    spans = []
    start = 0
    for end in range(1, len(doc) + 1):
        if end == len(doc) or sentence.labels[end] != sentence.labels[start]:
            if sentence.labels[start]:
                spans.append(Span(doc, start, end, label=sentence.labels[start]))
            start = end
    doc.set_ents(spans, default="outside")
    return doc
