"""The recorded questions and probes of the sample corpus belong to the prompts that the stages write."""

import json

import pytest

from rarefy.tasks.models.prompts import folder, source
from rarefy.tasks.sample import CORPUS

PLACES = {"questions.jsonl": ("ask", "question.j2"), "probes.jsonl": ("probe", "probe.general.j2")}


@pytest.mark.parametrize("name", PLACES)
def test_each_line_can_only_match_its_own_stage_and_the_last_takes_what_is_left(name):
    stage, prompt = PLACES[name]
    lines = [json.loads(line) for line in (CORPUS.parent / "recorded" / name).read_text("utf-8").splitlines()]
    mark = lines[-1]["contains"]
    assert len(mark) == 1 and all(line["contains"][0] == mark[0] for line in lines)
    assert all(len(line["contains"]) > 1 for line in lines[:-1])
    text = "".join((folder(stage) / prompt).read_text("utf-8").splitlines())
    assert mark[0] in text
    patterns = [source("ask", pattern, "general") for pattern in ("single", "chain", "star", "inverted_star")]
    if stage == "ask":
        assert all(any(line["contains"][1] in pattern for pattern in patterns) for line in lines[:-1])
