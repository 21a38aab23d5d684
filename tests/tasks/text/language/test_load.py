"""The shipped pipeline loads, is small, licensed, and as accurate as its card says."""

import json
from itertools import islice
from pathlib import Path

import pytest

from rarefy.benchmarks.train_english import read_treebank, score_gold_tokens
from rarefy.tasks.text.language import SHIPPED, load


def test_the_shipped_pipeline_tags_parses_lemmatizes_and_names():
    doc = load("english")("Apple acquired Beats Electronics in 2014.")
    assert [token.pos_ for token in doc][:3] == ["PROPN", "VERB", "PROPN"]
    assert doc[1].lemma_ == "acquire"
    assert {token.dep_ for token in doc} >= {"nsubj", "ROOT", "obj"}
    assert load("english").get_pipe("ner").labels == ("LOC", "MISC", "ORG", "PERSON")


def test_the_pipeline_is_read_once():
    assert load("english") is load("english")


def test_sentences_end_where_a_reader_ends_them():
    doc = load("english")("We design chips. Our customers build them into cars, and many of them sell abroad.")
    assert [sentence.text for sentence in doc.sents] == [
        "We design chips.",
        "Our customers build them into cars, and many of them sell abroad.",
    ]


def test_a_pipeline_that_is_not_there_is_named_with_the_way_out():
    with pytest.raises(ValueError, match=r"no spaCy pipeline 'en_core_web_huge'.*install it.*\"english\""):
        load("en_core_web_huge")


def test_a_pipeline_without_a_parser_is_refused(tmp_path: Path):
    import spacy

    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(ValueError, match=r"has no parser and no ner"):
        load(str(tmp_path / "blank"))


def test_a_folder_with_a_pipeline_can_be_loaded(tmp_path: Path):
    load("english").to_disk(tmp_path / "mine")
    assert load(str(tmp_path / "mine")).pipe_names == load("english").pipe_names


def test_the_pipeline_takes_at_most_15_megabytes():
    assert sum(path.stat().st_size for path in SHIPPED.rglob("*") if path.is_file()) <= 15_000_000


def test_licence_and_card_lie_beside_the_pipeline():
    assert "Attribution-ShareAlike 4.0" in (SHIPPED / "LICENSE").read_text()
    card = (SHIPPED / "CARD.md").read_text()
    assert all(name in card for name in ("Silveira", "Salinas Alvarado", "Balasuriya", "CC BY 3.0", "CC BY-SA 4.0"))


def test_the_measured_accuracy_is_what_was_asked_for():
    scores = json.loads((SHIPPED / "meta.json").read_text())["performance"]["gold_tokens"]["test"]
    assert scores["upos"] >= 93
    assert scores["las"] >= 78


def test_the_accuracy_in_the_card_holds_on_a_part_of_the_development_split(shared: Path):
    sentences = list(
        islice(read_treebank(shared / "reference" / "ud-english-ewt" / "en_ewt-ud-dev.conllu"), 0, 2000, 7)
    )
    scores = score_gold_tokens(load("english"), sentences)
    assert scores["upos"] > 92
    assert scores["las"] > 76
