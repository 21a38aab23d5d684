"""The recorded judgements that ship with the sample corpus are of its recorded questions, and hold what judges say."""

import json
from collections import Counter

from rarefy.data_contracts.rows import Chunk, Judgement, Question, Reply, Unanswered
from rarefy.tasks.models.llm import structured
from rarefy.tasks.questions.grade import GradeConfig, grade
from rarefy.tasks.sample import CORPUS

FOLDER = CORPUS.parent / "recorded"
LINES = [json.loads(line) for line in (FOLDER / "judgements.jsonl").read_text("utf-8").splitlines()]


def recorded_questions():
    """Question and answer of every recorded reply that has them, once each."""
    found = {}
    for line in (FOLDER / "questions.jsonl").read_text("utf-8").splitlines():
        text = json.loads(line)["text"]
        if "{" in text:
            said = json.loads(text[text.index("{") : text.rindex("}") + 1])
            found |= {said["question"]: said["answer"]} if said["question"] else {}
    return found


def matching(prompt):
    """The numbers of the lines that answer a prompt; the last one answers all that a judge is asked."""
    return [i for i, line in enumerate(LINES) if all(part in prompt for part in line["contains"])]


def answered(asked):
    """What the recorded provider makes of it: a reply, or a text that keeps no schema."""
    for request in asked:
        text = LINES[matching("\n".join(message.content for message in request.messages))[0]]["text"]
        parsed = structured.parse(text, request.schema)
        yield Reply(
            request.request_id, text, parsed.value if parsed.how else "", error="" if parsed.how else "unparsable"
        )


def test_every_line_is_of_a_recorded_question_and_the_last_of_all_others():
    *own, last = LINES
    of = Counter(part for line in own for part in line["contains"] if part not in last["contains"])
    assert set(of.values()) == {1}
    questions = recorded_questions()
    for part in of:
        assert any(part in text for text in questions), part


def test_the_judgements_keep_most_and_reject_for_each_reason():
    chunks = {"c": Chunk("c", "d", 0, 9, "text", "", "A passage.", 3)}
    rows = [
        Question(text, "p", "single", text, answer, (), (), ("c",), (), ())
        for text, answer in recorded_questions().items()
    ]
    made = list(grade(rows, GradeConfig(by="model"), chunks=chunks, llm=answered))
    reasons = Counter(row.rejected_because for row in made if isinstance(row, Question))
    assert reasons.pop("") > len(rows) / 2
    assert set(reasons) == {"judge_readability", "judge_clarity", "judge_correctness", "not_judged"}
    (failed,) = [row for row in made if isinstance(row, Unanswered)]
    assert failed.reason == "unparsable" and "correctness" in failed.text
    scores = [row for row in made if isinstance(row, Judgement) and not row.error]
    assert {row.readability for row in scores} >= {2, 3, 4, 5} and all(row.reason for row in scores)
