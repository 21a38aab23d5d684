"""Treebank and entity columns become the annotations they stand for."""

import random
from pathlib import Path

import spacy

from rarefy.benchmarks.train_english import (
    Labelled,
    gold,
    labelled_doc,
    paragraphs,
    passages,
    read_entities,
    read_treebank,
)

CONLLU = """# newdoc id = a
# newpar id = a-p1
# text = We don't fly.
1\tWe\twe\tPRON\tPRP\tCase=Nom|Number=Plur\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\tMood=Ind\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\tPolarity=Neg\t4\tadvmod\t_\t_
4\tfly\tfly\tVERB\tVB\tVerbForm=Inf\t0\troot\t_\tSpaceAfter=No
4.1\tfly\tfly\tVERB\tVB\t_\t_\t_\t_\t_
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

# text = Stop.
1\tStop\tstop\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
2\t.\t.\tPUNCT\t.\t_\t1\tpunct\t_\t_

# newpar id = a-p2
# text = Go!
1\tGo\tgo\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
2\t!\t!\tPUNCT\t.\t_\t1\tpunct\t_\t_
"""


def read(folder: Path):
    (folder / "x.conllu").write_text(CONLLU)
    return list(read_treebank(folder / "x.conllu"))


def test_words_of_a_contraction_stand_apart_without_a_space_and_empty_nodes_are_left_out(tmp_path: Path):
    doc = gold(read(tmp_path), spacy.blank("en").vocab)
    assert doc.text.strip() == "We don't fly. Stop. Go!"
    assert [token.head.text for token in doc][:5] == ["fly", "fly", "fly", "fly", "fly"]
    assert doc[3].dep_ == "ROOT"
    assert len(list(doc.sents)) == 3
    assert str(doc[0].morph) == "Number=Plur"  # case is not among the features kept


def test_sentences_of_a_paragraph_stay_together(tmp_path: Path):
    assert [len(group) for group in paragraphs(read(tmp_path))] == [2, 1]


def test_passages_hold_every_sentence_once_whatever_the_seed(tmp_path: Path):
    sentences = read(tmp_path)
    for seed in range(5):
        runs = passages(sentences, random.Random(seed))
        assert sorted(s.words for run in runs for s in run) == sorted(s.words for s in sentences)


def test_roles_of_contract_parties_are_no_entities(tmp_path: Path):
    (tmp_path / "SEC-filings").mkdir()
    (tmp_path / "wikigold").mkdir()
    rows = "-DOCSTART- -X- O O\n\nthe DT - O\nBorrower NNP - I-PER\nand CC - O\nAcme NNP - I-ORG\nInc NNP - I-ORG\n"
    (tmp_path / "SEC-filings" / "FIN5.txt").write_text(rows)
    (tmp_path / "SEC-filings" / "FIN3.txt").write_text("")
    (tmp_path / "wikigold" / "wikigold.conll.txt").write_text("")
    [sentence] = read_entities(tmp_path)
    assert sentence.labels == ("", "", "", "ORG", "ORG")
    assert sentence.part == "train"


def test_neighbouring_labels_become_one_entity_each():
    sentence = Labelled(("Tim", "Cook", "runs", "Apple"), ("PERSON", "PERSON", "", "ORG"), "train", "x")
    doc = labelled_doc(sentence, spacy.blank("en").vocab)
    assert [(entity.text, entity.label_) for entity in doc.ents] == [("Tim Cook", "PERSON"), ("Apple", "ORG")]
