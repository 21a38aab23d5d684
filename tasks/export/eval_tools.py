"""The benchmark for evaluation tools of others: each wording of a question, and each change of its gold passages.

A case is a question as it is worded, with its gold passages as they stand or as one of them was changed. Every folder
has cases.jsonl and questions.jsonl, and runs in its tool as it is; answers are judged by rarefy's rule where the tool
takes a Python scorer.
"""

import csv
import io
import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rarefy.data_contracts.rows import Chunk, Question, Variant
from rarefy.data_contracts.tables import to_table
from rarefy.tasks.export.files import Content, to_json_lines, to_records

TEMPLATES = Path(__file__).parent / "templates"
PROMPT = "Answer the question from the passages, in a few words.\n\n{passages}\n\nQuestion: {question}"
SIDES = ("query", "document")  # of variants: passages of pools are for `rarefy mix`
DELETION = "deletion"  # family: the answer no longer stands in the passage, so that it is not the right one
ABOUT = ("id", "question_id", "side", "perturbation", "family")  # of a case
NONE = "none"  # the perturbation of an unperturbed wording
Case = dict[str, Any]


def cases(questions: Sequence[Question], variants: Iterable[Variant], chunks: Mapping[str, Chunk]) -> Iterator[Case]:
    """Each accepted question as it stands, then each kept variant of it, in the order of the variants."""
    by_question: dict[str, list[Variant]] = defaultdict(list)
    for row in variants:
        if row.side in SIDES and row.family != DELETION and not row.rejected_because:
            by_question[row.question_id].append(row)
    for question in questions:
        plain = Variant(question.question_id, question.question_id, "query", NONE, question.text)
        mine = by_question[question.question_id]
        original = [row for row in mine if row.perturbation == NONE]
        for row in original or [plain]:
            yield _make_case(question, row, chunks)
        yield from (_make_case(question, row, chunks) for row in mine if row.perturbation != NONE)


def _make_case(question: Question, row: Variant, chunks: Mapping[str, Chunk]) -> Case:
    wording = row.text if row.side == "query" else question.text
    names = list(dict.fromkeys(question.chunk_ids))
    passages = [chunks[name] for name in names if name in chunks]
    if row.side == "document":
        passages = [replace(one, text=row.text) if one.chunk_id == row.chunk_id else one for one in passages]
    contexts = ["\n".join(filter(None, (one.title, one.text))) for one in passages]
    return {
        "id": row.variant_id,
        "question_id": question.question_id,
        "question": wording,
        "prompt": PROMPT.format(passages="\n\n".join(contexts), question=wording),
        "answer": question.answer_in_words,
        "aliases": list(dict.fromkeys((question.answer, *question.aliases))),
        "side": row.side,
        "perturbation": row.perturbation,
        "family": row.family,
        "context_ids": [one.chunk_id for one in passages],
        "contexts": contexts,
    }


def export_for_tool(
    target: str, questions: Sequence[Question], variants: Iterable[Variant], chunks: Mapping[str, Chunk]
) -> dict[str, Content]:
    """The files of a folder for a tool of TARGETS, by name."""
    made = list(cases(questions, variants, chunks))
    files = {
        "cases.jsonl": to_json_lines(made),
        "questions.jsonl": to_json_lines(to_records(to_table(questions, Question), Question)),
        "rarefy_rule.py": _template("rarefy_rule.py"),
    }
    return files | dict(TARGETS[target](made))


def _template(name: str) -> list[bytes]:
    return [(TEMPLATES / f"{name}.txt").read_bytes()]


def _inspect(_made: Sequence[Case]) -> dict[str, Content]:
    return {"inspect_task.py": _template("inspect_task.py")}


def _promptfoo(made: Sequence[Case]) -> dict[str, Content]:
    names = ("question", "prompt", "answer", "question_id", "perturbation", "contexts")
    tests = [
        {
            "description": f"{case['perturbation']}: {case['question']}",
            "vars": {name: case[name] for name in names} | {"contexts": json.dumps(case["contexts"])},
            "metadata": {name: case[name] for name in ABOUT},
        }
        for case in made
    ]
    return {
        "promptfooconfig.yaml": _template("promptfooconfig.yaml"),
        "promptfoo_assert.py": _template("promptfoo_assert.py"),
        "tests.json": [json.dumps(tests, ensure_ascii=False, indent=1).encode()],
    }


def _lm_eval(made: Sequence[Case]) -> dict[str, Content]:
    groups: dict[str, list[Case]] = defaultdict(list)
    for case in made:
        groups[case["perturbation"]].append(case)
    files: dict[str, Content] = {"rarefy_lm_eval.py": _template("rarefy_lm_eval.py")}
    for perturbation, some in groups.items():
        files[f"{perturbation}.jsonl"] = to_json_lines(some)
        files[f"rarefy_{perturbation}.yaml"] = [LM_EVAL_TASK.format(name=perturbation).encode()]
    tasks = "".join(f"  - rarefy_{name}\n" for name in groups)
    return files | {"rarefy.yaml": [LM_EVAL_GROUP.format(tasks=tasks).encode()]}


LM_EVAL_TASK = """\
task: rarefy_{name}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {name}.jsonl
test_split: test
output_type: generate_until
doc_to_text: "{{{{prompt}}}}\\nAnswer:"
doc_to_target: "{{{{answer}}}}"
generation_kwargs:
  until: ["\\n"]
  max_gen_toks: 100
process_results: !function rarefy_lm_eval.process_results
metric_list:
  - metric: correct
    aggregation: !function rarefy_lm_eval.mean_of_decided
    higher_is_better: true
  - metric: undecided
    aggregation: mean
    higher_is_better: false
metadata:
  version: 1
"""
LM_EVAL_GROUP = """\
group: rarefy
task:
{tasks}metadata:
  version: 1
"""


def _ragas(made: Sequence[Case]) -> dict[str, Content]:
    samples = [
        {
            "user_input": case["question"],
            "reference": case["answer"],
            "reference_contexts": case["contexts"],
            "rubrics": {name: case[name] for name in ABOUT},
        }
        for case in made
    ]
    return {"dataset.jsonl": to_json_lines(samples), "ragas_metric.py": _template("ragas_metric.py")}


def _deepeval(made: Sequence[Case]) -> dict[str, Content]:
    goldens = [
        {
            "input": case["question"],
            "actual_output": None,
            "expected_output": case["answer"],
            "context": case["contexts"],
            "additional_metadata": {name: case[name] for name in ABOUT},
        }
        for case in made
    ]
    return {
        "goldens.json": [json.dumps(goldens, ensure_ascii=False, indent=1).encode()],
        "rarefy_deepeval.py": _template("rarefy_deepeval.py"),
    }


def _openai_evals(made: Sequence[Case]) -> dict[str, Content]:
    samples = [
        {
            "input": [{"role": "user", "content": case["prompt"]}],
            "ideal": list(dict.fromkeys((case["answer"], *case["aliases"]))),
            **{name: case[name] for name in ABOUT},
        }
        for case in made
    ]
    return {
        "data/rarefy/samples.jsonl": to_json_lines(samples),
        "evals/rarefy.yaml": [OPENAI_EVAL.encode()],
        "rarefy_openai_evals.py": _template("rarefy_openai_evals.py"),
    }


OPENAI_EVAL = """\
rarefy:
  id: rarefy.cases.v1
  metrics: [accuracy]
rarefy.cases.v1:
  class: rarefy_openai_evals:RarefyRule
  args:
    samples_jsonl: rarefy/samples.jsonl
"""


def _langsmith(made: Sequence[Case]) -> dict[str, Content]:
    names = ("question", "prompt", "answer", *ABOUT, "contexts")
    table = io.StringIO()
    writer = csv.DictWriter(table, names, extrasaction="ignore")
    writer.writeheader()
    writer.writerows({**case, "contexts": json.dumps(case["contexts"], ensure_ascii=False)} for case in made)
    return {"examples.csv": [table.getvalue().encode()]}


TARGETS: dict[str, Callable[[Sequence[Case]], Mapping[str, Content]]] = {
    "inspect": _inspect,
    "promptfoo": _promptfoo,
    "lm-eval": _lm_eval,
    "ragas": _ragas,
    "deepeval": _deepeval,
    "openai-evals": _openai_evals,
    "langsmith-csv": _langsmith,
}
