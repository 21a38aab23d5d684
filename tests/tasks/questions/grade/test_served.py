"""The judge through the real engine and real HTTP: each question is judged or says why not."""

import json
from collections import Counter
from pathlib import Path

import pytest
from endpoint import served

from rarefy.data_contracts.rows import Chunk, Judgement, Question, Unanswered
from rarefy.tasks.models.llm import InferenceContext, LLMConfig, RequestPolicy
from rarefy.tasks.questions.grade import GradeConfig, grade

CHUNKS = {"c": Chunk("c", "d", 0, 9, "text", "", "The passage.", 3)}
GOOD = json.dumps({"reason": "Fine.", "readability": 5, "clarity": 4, "correctness": 5})
SAYS = {
    "whole": f"[[say: {GOOD}]]",
    "fenced": f"[[say: ```json\n{GOOD}\n```]]",
    "low": f"[[say: {GOOD.replace('4', '3')}]]",
    "over": f"[[say: {GOOD.replace('4', '9')}]]",
    "prose": "[[say: Readability is excellent, five of five.]]",
    "refused": "[[do: refusal]]",
    "cut": "[[do: length]]",
    "slow": "[[do: 429-ms=20, 500, cut-body, ok]] " + f"[[say: {GOOD}]]",
}


def question(name: str, order: str) -> Question:
    return Question(name, "p", "single", f"{name}? {order}", "x", (), (), ("c",), (), ())


def test_each_question_is_judged_or_rejected_with_its_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a server that knows no json_schema, so that replies are as models write them."""
    rows = [question(name, order) for name, order in SAYS.items()]
    with served(tmp_path / "log.jsonl") as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test-0123456789")
        config = LLMConfig(provider="openai", model="m", structured="none")
        means = InferenceContext(stage="grade", run="r", serving=RequestPolicy(failure_budget=1, watchdog=600))

        def run() -> list[object]:
            llm = config.connect(tmp_path / "cache", threads=1, means=means)
            return list(grade(rows, GradeConfig(by="model"), chunks=CHUNKS, llm=llm))

        made = run()
        reasons = {row.question_id: row.rejected_because for row in made if isinstance(row, Question)}
        assert reasons == {
            "whole": "", "fenced": "", "low": "judge_clarity", "slow": "", "over": "not_judged",
            "prose": "not_judged", "refused": "not_judged", "cut": "not_judged",
        }  # fmt: skip
        failed = Counter(row.reason for row in made if isinstance(row, Unanswered))
        assert failed == {"unparsable": 2, "refused": 1, "truncated": 1}
        assert len([row for row in made if isinstance(row, Judgement)]) == len(rows)
        sent = len(endpoint.log())
        again = run()
        whole = [line["about"] for line in endpoint.log()[sent:] if GOOD[:20] in line["about"]]
        assert not whole, "what was answered is not asked again"
        assert [row for row in again if isinstance(row, Question)] == [row for row in made if isinstance(row, Question)]
