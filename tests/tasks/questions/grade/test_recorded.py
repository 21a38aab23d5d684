"""What a large model really answered as a judge: each of its judgements accounted for."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from rarefy.data_contracts.rows import Chunk, Judgement, Question, Reply, Request, Unanswered
from rarefy.tasks.questions.grade import DIMENSIONS, GradeConfig, grade


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_each_recorded_judgement_parses_and_gates(shared: Path) -> None:
    place = shared / "reference" / "recorded-model"
    said = {str(line["question_id"]): line for line in lines(place / "judgements.jsonl")}
    chunks, questions = {}, []
    for window in json.loads((place / "windows.json").read_text(encoding="utf-8")):
        domain = {"fomc": "economics", "cfr": "policy"}.get(window["domain"], window["domain"])
        for at, one in enumerate(window["chunks"]):
            text = one["text"]
            chunks[one["chunk_id"]] = Chunk(
                one["chunk_id"], window["window_id"], at, at + 1, "text", "", text, 1, domain=domain
            )
    of_window = {name: [c for c in chunks if chunks[c].doc_id == name] for name in {c.doc_id for c in chunks.values()}}
    for line in lines(place / "questions.jsonl"):
        gold = tuple(of_window[str(line["window_id"])])
        questions.append(
            Question(
                str(line["question_id"]),
                "p",
                str(line["pattern"]),
                str(line["question"]),
                str(line["answer"]),
                (),
                (),
                gold,
                (),
                (),
                domain=chunks[gold[0]].domain,
                rejected_because="" if line["question"] else "model_declined",
            )
        )
    shown: list[str] = []

    def judge(asked: Iterable[Request]) -> Iterator[Reply]:
        by_text = {row.text: row.question_id for row in questions if row.text}
        for request in asked:
            shown.append(by_text[request.messages[-1].content.split("<question>")[-1].partition("</question>")[0]])
            text = json.dumps(said[shown[-1]])
            yield Reply(request.request_id, text=text, parsed=text, model="recorded")

    made = list(grade(questions, GradeConfig(by="model"), chunks=chunks, llm=judge))
    judged = {row.question_id: row for row in made if isinstance(row, Judgement)}
    assert sorted(shown) == sorted(said) and len(judged) == 160
    assert not [row for row in made if isinstance(row, Unanswered) or (isinstance(row, Judgement) and row.error)]
    for name, line in said.items():
        assert {of: getattr(judged[name], of) for of in DIMENSIONS} == {of: line[of] for of in DIMENSIONS}
        assert judged[name].reason == " ".join(str(line["reason"]).split())
    kept = Counter((row.pattern, row.rejected_because) for row in made if isinstance(row, Question))
    print()  # the table, with -s
    for (pattern, reason), count in sorted(kept.items()):
        print(f"{pattern:15}{reason or 'kept':20}{count:5}")
    total = Counter(row.rejected_because for row in made if isinstance(row, Question))
    assert total == {
        "": 117, "judge_readability": 39, "judge_clarity": 4, "model_declined": 16,
    }  # fmt: skip
    expected = sum(all(int(str(line[of])) > 3 for of in DIMENSIONS) for line in said.values())
    assert total[""] == expected
