"""Train the shipped English pipeline, measure it and write its card; runs for about an hour on one core.

python -m rarefy.benchmarks.train_english --treebank UD_FOLDER \\
    --entities NER_FOLDER --out tasks/text/language/english"""

import argparse
import hashlib
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import spacy
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Adam, NumpyOps, fix_random_seed, set_current_ops

# Entity corpora (CoNLL columns)

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
    """A spaCy document with the labels as entities; `respelled` replaces its words."""
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


# Universal Dependencies treebank (CoNLL-U)

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
    """A spaCy document with the annotations of consecutive sentences; `respelled` replaces its words."""
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


# Network


def blank(width: int = 128, depth: int = 4, rows: Sequence[int] = (5000, 1000, 2500, 1000)) -> Language:
    """An untrained pipeline; `rows` are the hash table sizes for a word's norm, prefix, suffix and shape."""
    nlp = spacy.blank("en")
    shared = {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": width,
            "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE"],
            "rows": list(rows),
            "include_static_vectors": False,
        },
        "encode": _layers(width, depth),
    }
    listener: dict[str, object] = {"@architectures": "spacy.Tok2VecListener.v1", "width": width, "upstream": "*"}
    nlp.add_pipe("tok2vec", config={"model": shared})
    labeller = {"@architectures": "spacy.Tagger.v2", "tok2vec": listener, "nO": None}
    for name in ("tagger", "morphologizer"):
        nlp.add_pipe(name, config={"model": labeller})
    nlp.add_pipe("trainable_lemmatizer", config={"model": labeller, "min_tree_freq": 3})
    nlp.add_pipe("parser", config={"model": _transitions("parser", 128, listener), "min_action_freq": 20})
    # entities get two layers of their own: what tells a place from a person is not what tells a subject from an object
    own: dict[str, object] = {"@architectures": "spacy.Tok2Vec.v2", "embed": listener, "encode": _layers(width, 2)}
    recognizer = nlp.add_pipe("ner", config={"model": _transitions("ner", 64, own)})
    for label in sorted(set(LABELS.values())):
        recognizer.add_label(label)  # type: ignore[attr-defined]
    return nlp


def _layers(width: int, depth: int) -> dict[str, object]:
    return {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "width": width,
        "depth": depth,
        "window_size": 1,
        "maxout_pieces": 3,
    }


def _transitions(kind: str, hidden: int, encoder: dict[str, object]) -> dict[str, object]:
    return {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": kind,
        "extra_state_tokens": True,
        "hidden_width": hidden,
        "maxout_pieces": 2,
        "use_upper": True,
        "tok2vec": encoder,
    }


# Training

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


# Scores

Scores = dict[str, float]


def _ratio(part: float, whole: float) -> float:
    return round(100 * part / whole, 2) if whole else 0.0


def _universal(label: str) -> str:
    return label.split(":")[0]


def score_gold_tokens(nlp: Language, sentences: Sequence[Sentence]) -> Scores:
    """Accuracy over the treebank's own words and sentences, punctuation included (`las` is with subtypes)."""
    hits: Counter[str] = Counter()
    total = 0
    blanks = []
    for sentence in sentences:
        doc = Doc(nlp.vocab, words=list(sentence.words), spaces=list(sentence.spaces))
        for position, token in enumerate(doc):
            token.is_sent_start = position == 0
        blanks.append(doc)
    for doc, sentence in zip(nlp.pipe(blanks, batch_size=256), sentences, strict=True):
        for token in doc:
            right_head = token.head.i == sentence.heads[token.i]
            right_label = _universal(token.dep_) == _universal(sentence.deps[token.i])
            hits["upos"] += token.pos_ == sentence.upos[token.i]
            hits["xpos"] += token.tag_ == sentence.tags[token.i]
            hits["lemma"] += token.lemma_ == sentence.lemmas[token.i]
            hits["uas"] += right_head
            hits["las_universal"] += right_head and right_label
            hits["las"] += right_head and token.dep_ == sentence.deps[token.i]
            total += 1
    return {name: _ratio(hits[name], total) for name in ("upos", "xpos", "lemma", "uas", "las", "las_universal")}


def score_raw_text(nlp: Language, sentences: Sequence[Sentence]) -> Scores:
    """F1 over paragraphs of raw text: the pipeline finds words and sentences itself (CoNLL 2018 manner)."""
    golds = [gold(group, nlp.vocab) for group in paragraphs(sentences)]
    hits: Counter[str] = Counter()
    found = expected = found_sentences = expected_sentences = 0
    for doc, right in zip(nlp.pipe([doc.text for doc in golds], batch_size=128), golds, strict=True):
        by_span = {(token.idx, token.idx + len(token)): token for token in right}
        expected += len(right)
        found += sum(not token.is_space for token in doc)
        ends = {sentence[-1].idx + len(sentence[-1]) for sentence in right.sents}
        bounds = {sentence[-1].idx + len(sentence[-1]) for sentence in doc.sents}
        hits["sentences"] += len(ends & bounds)
        found_sentences += len(bounds)
        expected_sentences += len(ends)
        for token in doc:
            twin = by_span.get((token.idx, token.idx + len(token)))
            if twin is None:
                continue
            hits["words"] += 1
            hits["upos"] += token.pos_ == twin.pos_
            hits["lemma"] += token.lemma_ == twin.lemma_
            right_head = (token.head.idx, len(token.head)) == (twin.head.idx, len(twin.head))
            hits["las"] += right_head and token.dep_ == twin.dep_
            hits["las_universal"] += right_head and _universal(token.dep_) == _universal(twin.dep_)
    scores = {
        name: _ratio(2 * hits[name], found + expected) for name in ("words", "upos", "lemma", "las", "las_universal")
    }
    return scores | {"sentences": _ratio(2 * hits["sentences"], found_sentences + expected_sentences)}


def score_entities(nlp: Language, golds: Sequence[Doc]) -> dict[str, Scores]:
    """Precision, recall and F1 of whole entities by type, over the corpus's own words; "all" is over every type."""
    right: Counter[str] = Counter()
    found: Counter[str] = Counter()
    expected: Counter[str] = Counter()
    blanks = [Doc(nlp.vocab, words=[token.text for token in doc]) for doc in golds]
    for doc, twin in zip(nlp.pipe(blanks, batch_size=128), golds, strict=True):
        ours = {(entity.start, entity.end, entity.label_) for entity in doc.ents}
        theirs = {(entity.start, entity.end, entity.label_) for entity in twin.ents}
        for counter, spans in ((right, ours & theirs), (found, ours), (expected, theirs)):
            counter.update(label for _, _, label in spans)
            counter["all"] += len(spans)
    return {
        label: {
            "precision": _ratio(right[label], found[label]),
            "recall": _ratio(right[label], expected[label]),
            "f1": _ratio(2 * right[label], found[label] + expected[label]),
            "entities": float(expected[label]),
        }
        for label in sorted(expected)
    }


# Model card

_HEAD = """# rarefy english

A small English spaCy pipeline: tagger (Penn tags), morphologizer (universal parts of speech and features), edit-tree
lemmatizer, dependency parser (Universal Dependencies, which also finds sentences) and entity recognizer
(PERSON, ORG, LOC, MISC). It is trained from nothing (no word vectors, no other model) by

    python -m rarefy.benchmarks.train_english --treebank UD_English-EWT --entities FOLDER --out english

which also wrote this card. Every figure below was measured by that script.

| | |
|---|---|
"""

_TAIL = """
## Data and licence

| what | for | from | licence |
|---|---|---|---|
| Universal Dependencies English Web Treebank | all but entities | Silveira et al. (2014), "A Gold Standard Dependency \
Corpus for English", and the UD_English-EWT contributors, https://universaldependencies.org | CC BY-SA 4.0 |
| SEC-filings (FIN5 train, FIN3 test) | entities | Salinas Alvarado, Verspoor and Baldwin (2015), "Domain Adaption of \
Named Entity Recognition to Support Credit Risk Assessment" | CC BY 3.0 |
| wikigold | entities | Balasuriya, Ringland, Nothman, Murphy and Curran (2009), "Named Entity Recognition in \
Wikipedia" | CC BY 4.0 |

Changes made: columns were converted to spaCy's form; a few of the features were kept; in SEC-filings, the roles of \
parties ("Borrower", "the Bank") are read as no names, in training and in test alike.

The pipeline is distributed under CC BY-SA 4.0 (see LICENSE), as the treebank's licence asks.

## Limits

Web text, contracts and encyclopedia articles were seen; headings, tables and lists were not. Entities are the weakest
part: their training data is small. Not evaluated on any language but English.
"""


def card(
    facts: Mapping[str, str],
    gold_tokens: Mapping[str, Scores],
    raw_text: Mapping[str, Scores],
    entities: Mapping[str, Mapping[str, Scores]],
) -> str:
    """The card as Markdown; the scores are by split."""
    parts = [_HEAD + "".join(f"| {name} | {value} |\n" for name, value in facts.items())]
    parts.append("\n## Syntax, on the treebank's own words and sentences (accuracy in %, punctuation included)\n\n")
    parts.append(_table(gold_tokens))
    parts.append(
        "\n`las` compares labels with their subtypes, `las_universal` without them, as the CoNLL 2018 shared task.\n"
    )
    parts.append("\n## Syntax, from raw paragraphs (F1 in %, the pipeline finds words and sentences)\n\n")
    parts.append(_table(raw_text))
    parts.append(
        "\n## Entities, on the corpora's own words\n\n| corpus | type | precision | recall | F1 | entities |\n"
    )
    parts.append("|---|---|---|---|---|---|\n")
    for corpus, by_type in entities.items():
        for label, scores in by_type.items():
            figures = " | ".join(f"{scores[name]:.1f}" for name in ("precision", "recall", "f1"))
            parts.append(f"| {corpus} | {label} | {figures} | {scores['entities']:.0f} |\n")
    return "".join(parts) + _TAIL


def _table(by_split: Mapping[str, Scores]) -> str:
    names = list(next(iter(by_split.values())))
    rows = [" | ".join(["split", *names]), "|".join(["---"] * (len(names) + 1))]
    rows += [" | ".join([split, *(f"{scores[name]:.2f}" for name in names)]) for split, scores in by_split.items()]
    return "".join(f"| {row} |\n" if not row.startswith("---") else f"|{row}|\n" for row in rows)


LICENSE = """This pipeline is licensed under the Creative Commons Attribution-ShareAlike 4.0 International licence:
https://creativecommons.org/licenses/by-sa/4.0/legalcode

It is derived from the Universal Dependencies English Web Treebank (CC BY-SA 4.0), SEC-filings (CC BY 3.0) and
wikigold (CC BY 4.0). CARD.md names their authors and says what was changed.
"""


def main() -> None:
    """Train, keep the best epoch on the development split, measure on the test splits."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--treebank", type=Path, required=True, help="folder of en_ewt-ud-{train,dev,test}.conllu")
    parser.add_argument("--entities", type=Path, required=True, help="folder of SEC-filings/ and wikigold/")
    parser.add_argument("--out", type=Path, required=True, help="folder to write the pipeline to (replaced)")
    parser.add_argument("--epochs", type=int, default=9, help="that the learning rate takes to fall")
    parser.add_argument("--stop", type=int, default=6, help="after how many of them to stop (0: none)")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    train(
        arguments.treebank,
        arguments.entities,
        arguments.out,
        epochs=arguments.epochs,
        stop=arguments.stop,
        seed=arguments.seed,
    )


def train(treebank: Path, entities: Path, out: Path, *, epochs: int, stop: int, seed: int) -> None:
    """Write the pipeline, its licence and its card to `out`; each epoch that is the best so far is written at once."""
    started = perf_counter()
    splits = {name: list(read_treebank(treebank / f"en_ewt-ud-{name}.conllu")) for name in ("train", "dev", "test")}
    labelled = list(read_entities(entities))
    nlp = blank()
    nlp.meta.update(
        name="rarefy_english",
        version="1",
        description="Small English pipeline: tags, morphology, lemmas, dependencies, entities.",
        license="CC BY-SA 4.0",
    )
    best = 0.0
    facts = {"spaCy": version("spacy"), "seed": str(seed)}

    def keep_best(epoch: int) -> None:
        nonlocal best
        syntax = score_gold_tokens(nlp, splits["dev"])
        names = score_entities(nlp, [labelled_doc(row, nlp.vocab) for row in labelled if row.part == "dev"])["all"]
        print(f"epoch {epoch + 1}/{epochs}, {perf_counter() - started:.0f} s: {syntax}, {names}", flush=True)
        if syntax["upos"] + syntax["las"] + names["f1"] / 4 > best:
            best = syntax["upos"] + syntax["las"] + names["f1"] / 4
            facts["epochs"] = f"{epoch + 1} of {epochs}"
            replace(out, nlp)

    train_rows = [row for row in labelled if row.part == "train"]
    fit(nlp, splits["train"], train_rows, epochs=epochs, stop=stop, seed=seed, report=keep_best)
    measured(spacy.load(out), out, facts, splits, labelled)


def replace(out: Path, nlp: Language) -> None:
    """Replace the folder whole by this pipeline, with its licence."""
    scratch = out.with_name(f".{out.name}.new")
    shutil.rmtree(scratch, ignore_errors=True)
    nlp.to_disk(scratch)
    (scratch / "LICENSE").write_text(LICENSE, encoding="utf-8")
    shutil.rmtree(out, ignore_errors=True)
    scratch.rename(out)


def measured(
    nlp: Language, out: Path, facts: dict[str, str], splits: dict[str, list[Sentence]], labelled: list[Labelled]
) -> None:
    """Write the pipeline with its accuracy and its card, measured on what was written."""
    gold_tokens = {name: score_gold_tokens(nlp, splits[name]) for name in ("dev", "test")}
    raw_text = {name: score_raw_text(nlp, splits[name]) for name in ("dev", "test")}
    entities = {
        f"{corpus} test": score_entities(
            nlp, [labelled_doc(row, nlp.vocab) for row in labelled if (row.corpus, row.part) == (corpus, "test")]
        )
        for corpus in ("sec-filings", "wikigold")
    }
    nlp.meta["performance"] = {"gold_tokens": gold_tokens, "raw_text": raw_text, "entities": entities}
    replace(out, nlp)
    size = sum(path.stat().st_size for path in out.rglob("*") if path.is_file())
    facts = {"size": f"{size / 1e6:.1f} MB", "components": ", ".join(nlp.pipe_names)} | facts
    (out / "CARD.md").write_text(card(facts, gold_tokens, raw_text, entities), encoding="utf-8")


if __name__ == "__main__":
    main()
