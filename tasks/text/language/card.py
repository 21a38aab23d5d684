"""Knows how the model card is written: what the pipeline is made of, and how well it does as measured."""

from collections.abc import Mapping

from rarefy.tasks.text.language.measure import Scores

_HEAD = """# rarefy english

A small English spaCy pipeline: tagger (Penn tags), morphologizer (universal parts of speech and features), edit-tree
lemmatizer, dependency parser (Universal Dependencies, which also finds sentences) and entity recognizer
(PERSON, ORG, LOC, MISC). It is trained from nothing (no word vectors, no other model) by

    python -m rarefy.tasks.text.language.train --treebank UD_English-EWT --entities FOLDER --out english

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
