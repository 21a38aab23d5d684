"""Knows how the heads are trained together: treebank passages and entity sentences in the same batches."""

import random
from collections.abc import Callable, Iterator, Sequence

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from thinc.api import Adam, NumpyOps, fix_random_seed, set_current_ops

from rarefy.tasks.text.language.entities import Labelled, labelled_doc
from rarefy.tasks.text.language.treebank import Sentence, gold, passages, texts

_BATCH = 600  # words: smaller ones train slower, larger ones learned less per epoch
_WARM_UP = 200  # batches
_TYPOGRAPHIC = str.maketrans({"'": "’", '"': "”", "`": "‘"})  # as filings print them; the treebank seldom does


def fit(
    nlp: Language,
    sentences: Sequence[Sentence],
    labelled: Sequence[Labelled],
    *,
    epochs: int,
    seed: int,
    report: Callable[[int], None],
    stop: int = 0,
    dropout: float = 0.15,
    rate: float = 0.0015,
) -> None:
    """Train in place, calling `report` after each epoch while the averaged weights are in place.

    The learning rate warms up, then falls linearly to a twentieth over `epochs`; `stop` ends after fewer.
    """
    set_current_ops(NumpyOps(use_blis=False))  # numpy's own BLAS is three times as fast on some processors
    fix_random_seed(seed)
    rng = random.Random(seed)
    nlp.initialize(
        lambda: [_parsed(nlp, [sentence]) for sentence in sentences] + [_named(nlp, row) for row in labelled]
    )
    optimizer = Adam(rate, L2=0.01, grad_clip=1.0, L2_is_weight_decay=True, use_averages=True)
    words = sum(len(row.words) for rows in (sentences, labelled) for row in rows)
    steps = epochs * words / _BATCH
    step = 0
    for epoch in range(min(stop or epochs, epochs)):
        for batch in _batches(_examples(nlp, sentences, labelled, rng)):
            optimizer.learn_rate = rate * min(1.0, (step + 1) / _WARM_UP) * max(0.05, 1 - step / steps)
            nlp.update(batch, sgd=optimizer, drop=dropout)
            step += 1
        with nlp.use_params(optimizer.averages):
            report(epoch)


def _examples(
    nlp: Language, sentences: Sequence[Sentence], labelled: Sequence[Labelled], rng: random.Random
) -> Iterator[Example]:
    """One epoch: every passage and every entity sentence once, evenly mixed."""
    mixed: list[list[Sentence] | Labelled] = [*passages(sentences, rng), *labelled]
    rng.shuffle(mixed)
    for row in mixed:
        typographic = rng.random() < 0.3
        yield _named(nlp, row, typographic) if isinstance(row, Labelled) else _parsed(nlp, row, typographic)


def _batches(examples: Iterator[Example]) -> Iterator[list[Example]]:
    batch: list[Example] = []
    words = 0
    for example in examples:
        batch.append(example)
        words += len(example.reference)
        if words >= _BATCH:
            yield batch
            batch, words = [], 0


def _parsed(nlp: Language, sentences: Sequence[Sentence], typographic: bool = False) -> Example:
    words, spaces = texts(sentences)
    seen = [word.translate(_TYPOGRAPHIC) for word in words] if typographic else words
    return Example(Doc(nlp.vocab, words=seen, spaces=spaces), gold(sentences, nlp.vocab, seen))


def _named(nlp: Language, row: Labelled, typographic: bool = False) -> Example:
    seen = [word.translate(_TYPOGRAPHIC) for word in row.words] if typographic else list(row.words)
    return Example(Doc(nlp.vocab, words=seen), labelled_doc(row, nlp.vocab, seen))
