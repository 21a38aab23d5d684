"""Knows how a Universal Dependencies treebank (CoNLL-U) becomes spaCy documents (issue stage 3c)."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

# What the extraction patterns read; the rest of FEATS multiplies the label set for nothing.
FEATURES = frozenset("Definite Degree Mood NumType Number Person Polarity Poss PronType Tense VerbForm Voice".split())


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence's columns, one entry per syntactic word; `heads` are positions, a root's its own."""

    words: tuple[str, ...]
    spaces: tuple[bool, ...]
    lemmas: tuple[str, ...]
    upos: tuple[str, ...]
    tags: tuple[str, ...]
    morphs: tuple[str, ...]
    heads: tuple[int, ...]
    deps: tuple[str, ...]
    starts_document: bool
    starts_paragraph: bool


def read_treebank(path: Path) -> Iterator[Sentence]:
    """The sentences of a CoNLL-U file, in its order; empty nodes are left out, multi-word tokens taken apart."""
    for part in path.read_text(encoding="utf-8").strip().split("\n\n"):
        lines = part.split("\n")
        comments = [line for line in lines if line.startswith("#")]
        yield _sentence(
            [line.split("\t") for line in lines if not line.startswith("#")],
            any(line.startswith("# newdoc") for line in comments),
            any(line.startswith("# newpar") for line in comments),
        )


def _sentence(rows: Sequence[Sequence[str]], starts_document: bool, starts_paragraph: bool) -> Sentence:
    glued: set[int] = set()  # words with nothing between them and the next one
    for row in rows:
        if "-" in row[0]:
            first, last = (int(number) for number in row[0].split("-"))
            glued.update(range(first, last))
            if "SpaceAfter=No" in row[9]:
                glued.add(last)
        elif "SpaceAfter=No" in row[9]:
            glued.add(int(row[0]) if row[0].isdigit() else 0)
    words = [row for row in rows if row[0].isdigit()]
    return Sentence(
        words=tuple(row[1] for row in words),
        spaces=tuple(int(row[0]) not in glued for row in words),
        lemmas=tuple(row[2] for row in words),
        upos=tuple(row[3] for row in words),
        tags=tuple(row[4] for row in words),
        morphs=tuple(_features(row[5]) for row in words),
        heads=tuple(int(row[6]) - 1 if row[6] != "0" else position for position, row in enumerate(words)),
        deps=tuple("ROOT" if row[7] == "root" else row[7] for row in words),
        starts_document=starts_document,
        starts_paragraph=starts_paragraph,
    )


def _features(column: str) -> str:
    return "|".join(pair for pair in column.split("|") if pair.split("=")[0] in FEATURES) or "_"


def texts(sentences: Sequence[Sentence]) -> tuple[list[str], list[bool]]:
    """The words of consecutive sentences, and whether a space follows each (as one does each sentence)."""
    words = [word for sentence in sentences for word in sentence.words]
    spaces = [
        space or position == len(sentence.words) - 1
        for sentence in sentences
        for position, space in enumerate(sentence.spaces)
    ]
    return words, spaces


def gold(sentences: Sequence[Sentence], vocab: Vocab, respelled: Sequence[str] = ()) -> Doc:
    """One annotated document of consecutive sentences, its words spelled otherwise if so told."""
    words, spaces = texts(sentences)
    offsets = [0]
    for sentence in sentences:
        offsets.append(offsets[-1] + len(sentence.words))
    return Doc(
        vocab,
        words=list(respelled) or words,
        spaces=spaces,
        tags=[tag for sentence in sentences for tag in sentence.tags],
        pos=[pos for sentence in sentences for pos in sentence.upos],
        morphs=[morph for sentence in sentences for morph in sentence.morphs],
        lemmas=[lemma for sentence in sentences for lemma in sentence.lemmas],
        heads=[head + offset for sentence, offset in zip(sentences, offsets, strict=False) for head in sentence.heads],
        deps=[dep for sentence in sentences for dep in sentence.deps],
    )


def paragraphs(sentences: Sequence[Sentence]) -> list[list[Sentence]]:
    """Sentences that stand in one paragraph, together."""
    groups: list[list[Sentence]] = []
    for sentence in sentences:
        if sentence.starts_document or sentence.starts_paragraph or not groups:
            groups.append([])
        groups[-1].append(sentence)
    return groups


def passages(sentences: Sequence[Sentence], rng: random.Random) -> list[list[Sentence]]:
    """Runs of one to eight consecutive sentences of a document in random order, to learn where sentences end."""
    runs: list[list[Sentence]] = []
    room = 0
    for sentence in sentences:
        if room == 0 or sentence.starts_document:
            runs.append([])
            room = rng.choice((1, 1, 2, 3, 4, 6, 8))
        runs[-1].append(sentence)
        room -= 1
    rng.shuffle(runs)
    return runs
