"""Trains the shipped pipeline, measures it and writes its card; runs for about an hour on one core.

python -m rarefy.tasks.text.language.train --treebank UD_FOLDER \\
    --entities NER_FOLDER --out tasks/text/language/english
"""

import argparse
import shutil
from importlib.metadata import version
from pathlib import Path
from time import perf_counter

import spacy
from spacy.language import Language

from rarefy.tasks.text.language.card import card
from rarefy.tasks.text.language.entities import Labelled, labelled_doc, read_entities
from rarefy.tasks.text.language.fit import fit
from rarefy.tasks.text.language.measure import score_entities, score_gold_tokens, score_raw_text
from rarefy.tasks.text.language.network import blank
from rarefy.tasks.text.language.treebank import Sentence, read_treebank

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
