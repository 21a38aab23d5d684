"""Knows how good a pipeline is: CoNLL-style scores of its syntax, spans and types of its entities."""

from collections import Counter
from collections.abc import Sequence

from spacy.language import Language
from spacy.tokens import Doc

from rarefy.tasks.text.language.treebank import Sentence, gold, paragraphs

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
