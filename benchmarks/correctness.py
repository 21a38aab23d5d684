"""Whether the rules agree with people on which answers are right, wrong and refused: precision and recall by data set.

python benchmarks/correctness.py financebench.jsonl evouna_nq.jsonl [--errors 10] [--every 1]

A line of a file is one answer that people labelled: question, golds (a list of forms), answer, and label ("right",
"wrong", "refused"). No judge is asked: what no rule decides is open. Intervals are Wilson's, of 95 %. Such files are
made from the published answers of FinanceBench (patronus-ai/financebench, results/), EVOUNA (wangcunxiang/QA-Eval) and
NQ-open's 301 (ehsk/OpenQA-eval, data/NQ301_human.tsv), none of which is part of this repository.
"""

import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from measuring import make_parser, wilson_interval

from rarefy.data_contracts.rows import Answer, Question, Trial
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.verdict import Verdicts
from rarefy.tasks.evaluate.protocols import PROTOCOLS

LABELS = ("right", "wrong", "refused")


def main() -> None:
    """Print a line for each file, and for each reason why an answer was left open how many of those were right."""
    parser = make_parser(__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--errors", type=int, default=0, help="how many of each kind of error are printed")
    parser.add_argument("--why", default="", help="print answers left open for this reason too")
    parser.add_argument("--every", type=int, default=1, help="look at every n-th question only")
    options = parser.parse_args()
    print(
        "| labels | answers | right: precision | recall | wrong: precision | recall | refused: precision | recall "
        "| open |"
    )
    print("|---|---:|---|---|---|---|---|---|---:|")
    for file in options.files:
        compare_file(file, options.errors, options.every, options.why)


def compare_file(file: Path, shown: int, every: int, which: str) -> None:
    """Print how the rules judge the answers of one file."""
    with file.open(encoding="utf-8") as lines:  # not splitlines(): texts hold other separators of lines
        rows = [json.loads(line) for line in lines]
    ids = {name: at for at, name in enumerate(dict.fromkeys(row["id"] for row in rows))}
    rows = [row for row in rows if ids[row["id"]] % every == 0]
    began = time.process_time()
    found = list(judge_answers(rows))
    seconds = time.process_time() - began
    pairs = Counter((verdict, row["label"]) for row, (verdict, _, _) in zip(rows, found, strict=True))
    labels = Counter(row["label"] for row in rows)
    cells = []
    for label in LABELS:
        judged = sum(count for (verdict, _), count in pairs.items() if verdict == label)
        hits = pairs[label, label]
        cells += [format_share(hits, judged), format_share(hits, labels[label])]
    left = sum(count for (verdict, _), count in pairs.items() if verdict == "open") / max(len(rows), 1)
    print(f"| {file.stem} | {len(rows):,} | {' | '.join(cells)} | {left:.1%} |")
    opened: dict[str, list[str]] = defaultdict(list)
    errors: dict[tuple[str, str, str], list[dict[str, Any]]] = defaultdict(list)
    for row, (verdict, why, matched) in zip(rows, found, strict=True):
        if verdict == "open":
            opened[why].append(row["label"])
        if verdict not in ("open", row["label"]) or (verdict == "open" and which and why.startswith(which)):
            errors[verdict, row["label"], why].append(row | {"matched": matched})
    print("\nleft open:", ", ".join(
        f"{why} {own.count('right')}/{len(own)} right" for why, own in sorted(opened.items(), key=lambda p: -len(p[1]))
    ))  # fmt: skip
    for (verdict, label, why), own in sorted(errors.items(), key=lambda pair: -len(pair[1])):
        print(f"- {verdict}, labelled {label}: {len(own)} ({why})")
        for row in own[:: max(len(own) // shown, 1)][:shown] if shown else ():
            print(f"    {row['question'][:200]!r} gold {row['golds']!r:.200} taken {row['matched'][:60]!r}")
            print(f"    {row['answer'][:500]!r}")
    print(f"{1000 * seconds / max(len(rows), 1):.1f} ms an answer\n")


def judge_answers(rows: Iterable[dict[str, Any]]) -> Iterable[tuple[str, str, str]]:
    """Of each answer what the rules say: right, wrong, refused, open; why; what of it they took for the gold one."""
    verdicts = Verdicts(CorrectConfig(), judged=False)
    for row in rows:
        golds = [str(form).strip() for form in row["golds"] if str(form).strip()] or ["?"]
        question = Question(
            question_id=row["question"] + "|" + "|".join(golds), path_id="", pattern="single", text=row["question"],
            answer=golds[0], aliases=tuple(golds[1:]), triplet_ids=(), chunk_ids=(), evidence=(), evidence_spans=(),
        )  # fmt: skip
        trial = Trial("trial", "rare", question.question_id, "probe", "closed_book", "query")
        answer = Answer(trial.trial_id, "system", "asked", row["answer"])
        made = verdicts.of(answer, trial, question, PROTOCOLS["rare"])
        score = made if not isinstance(made, tuple) else made[0]
        why = score.why.removeprefix("judge_needed: ")
        if score.status != "scored":
            yield "open", f"{score.status}: {why}" if score.status != "missing" else why, score.matched
        elif score.refused or score.stage == "refusal":
            yield "refused", score.why, score.matched
        else:
            yield ("right" if score.value == 1 else "wrong"), f"{score.stage} {why}".strip(), score.matched


def format_share(hits: int, total: int) -> str:
    """A share with its interval."""
    if not total:
        return "–"
    low, high = wilson_interval(hits, total)
    return f"{hits / total:.3f} ({low:.3f}–{high:.3f})"


if __name__ == "__main__":
    main()
