"""What stands in for CRAG's retrieval evaluator."""

import pytest

from rarefy.tasks.evaluate.systems.rag import RagConfig, rag
from rarefy.tasks.evaluate.systems.rag.strategies import connect_rater
from rarefy.tasks.models.llm import InferenceContext

QUESTION = "Which firm audits the financial statements of Acme?"
RIGHT = "Deloitte & Touche LLP has audited the financial statements of Acme since 2001."
WRONG = "Reindeer graze on lichen in the mountains of Norway during the winter."


def test_the_packaged_embedder_rates_what_answers_above_what_does_not(tmp_path):
    rate = connect_rater(RagConfig(strategy="crag"), tmp_path, 1, InferenceContext())
    right, wrong = rate(QUESTION, [RIGHT, WRONG])
    assert -1 <= wrong < -0.91 and 0.5 <= right <= 1
    assert rate(QUESTION, [WRONG, RIGHT]) == pytest.approx([wrong, right]), "a score depends on no neighbour"
    assert rate(QUESTION, []) == []


def test_the_scale_is_named(tmp_path):
    wide = connect_rater(RagConfig(cosine_low=-1, cosine_high=1), tmp_path, 1, InferenceContext())
    narrow = connect_rater(RagConfig(cosine_low=0, cosine_high=1), tmp_path, 1, InferenceContext())
    (cosine,), (score,) = wide(QUESTION, [RIGHT]), narrow(QUESTION, [RIGHT])
    assert score == pytest.approx(2 * cosine - 1)


@pytest.fixture
def encoder(tmp_path):
    """A cross-encoder of no use, as Hugging Face lays one down."""
    torch = pytest.importorskip("torch")
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    def made(labels):
        folder = tmp_path / f"encoder{labels}"
        folder.mkdir()
        words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *f"{QUESTION} {RIGHT} {WRONG}".lower().split()]
        (folder / "vocab.txt").write_text("\n".join(dict.fromkeys(words)))
        torch.manual_seed(0)
        config = BertConfig(
            vocab_size=len(set(words)), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
            intermediate_size=16, num_labels=labels,
        )  # fmt: skip
        BertForSequenceClassification(config).save_pretrained(folder)
        BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
        return str(folder)

    return made


def test_a_cross_encoder_on_disk_rates(encoder, tmp_path, scripted, ask):
    config = RagConfig(strategy="crag", evaluator="cross-encoder", evaluator_model=encoder(1))
    rate = connect_rater(config, tmp_path, 1, InferenceContext())
    right, wrong = rate(QUESTION, [RIGHT, WRONG])
    assert -1 < right < 1 and right != wrong
    assert rate(QUESTION, [WRONG]) == [wrong], "bit by bit, whatever stood beside it"
    (said,) = rag(config, scripted, tmp_path)([ask("Q1", "magic_mushroom")])
    assert said.detail.startswith("crag: ambiguous")


def test_a_long_passage_is_cut_and_the_question_is_not(encoder, tmp_path):
    config = RagConfig(evaluator="cross-encoder", evaluator_model=encoder(1), evaluator_squashed=False)
    (score,) = connect_rater(config, tmp_path, 1, InferenceContext())(QUESTION, [f"{RIGHT} " * 300])
    assert -1 <= score <= 1


def test_a_classifier_is_no_evaluator(encoder, tmp_path):
    rate = connect_rater(
        RagConfig(evaluator="cross-encoder", evaluator_model=encoder(3)), tmp_path, 1, InferenceContext()
    )
    with pytest.raises(ValueError, match="has one output, this has 3"):
        rate(QUESTION, [RIGHT])
