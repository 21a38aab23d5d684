"""The smaller commands say what they know, and what there is where they do not."""

import shutil
from pathlib import Path

import pytest

from rarefy.flows.cli import main
from rarefy.tasks.models.llm.reply_store import open_reply_store


def said(capsys, code, *given):
    capsys.readouterr()
    assert main([str(word) for word in given]) == code
    told = capsys.readouterr()
    return told.out + told.err


def test_prompts_are_listed_and_shown(capsys):
    assert "ask chain general" in said(capsys, 0, "prompts", "show", "ask")
    assert "{% block system %}" in said(capsys, 0, "prompts", "show", "extract", "triplets")
    shown = said(capsys, 0, "prompts", "show", "extract", "triplets", "finance")
    assert shown != said(capsys, 0, "prompts", "show", "extract", "triplets", "policy")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ((), "prompts show STAGE: name a stage; have ask,"),
        (("chunk",), "no stage 'chunk' with prompts; have ask,"),
        (("../llm",), "no stage '../llm' with prompts"),
        (("ask", "ring"), "ask has no prompt 'ring'; have "),
        (("ask", "chain", "law"), "no domain 'law'; have finance, economics, policy, general"),
    ],
)
def test_a_prompt_that_is_not_there_is_told_with_those_that_are(capsys, words, told):
    assert told in said(capsys, 2, "prompts", "show", *words)


def test_a_remembered_reply_is_explained(place, tmp_path, build, capsys, monkeypatch):
    monkeypatch.delenv("RAREFY_REPLIES", raising=False)
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    shutil.copytree(place / "corpus", tmp_path / "corpus")
    (tmp_path / "quick.toml").write_text(
        '[llm]\nprovider = "oracle:answer"\nmodel = "oracle-1"\n[extract]\nmethods = ["cover", "model"]\n'
        "[perturb]\nquery = []\ndocument = []\ncontext = []\n"
    )
    assert build(tmp_path)[0] == 0
    kept = open_reply_store("", tmp_path / "store").explain("")
    told = said(capsys, 0, "cache", "explain", kept[0].key[:12], "--store", tmp_path / "store")
    assert kept[0].key in told and "oracle-1" in told
    none = said(capsys, 0, "cache", "explain", "ffffffffffff", "--store", tmp_path / "store")
    assert "nothing is remembered under 'ffffffffffff'" in none
    assert "no model was asked" in said(capsys, 1, "cache", "explain", "ff", "--store", tmp_path / "other")
    wrong = said(capsys, 2, "cache", "explain", "ff", "--replies", "nonsense://there")
    assert "--replies nonsense://there: " in wrong


def test_a_benchmark_that_was_not_judged_cannot_be_calibrated(built, tmp_path, capsys):
    assert "no question was judged" in said(capsys, 2, "calibrate", built / "out", tmp_path / "sheet.csv")
