"""Whether the rules agree with people on which answers are right, wrong and refused: precision and recall by data set.

python benchmarks/correctness.py financebench.jsonl evouna_nq.jsonl [--errors 10] [--every 1]

A line of a file is one answer that people labelled: question, golds (a list of forms), answer, and label ("right",
"wrong", "refused"). No judge is asked: what no rule decides is open. Intervals are Wilson's, of 95 %. Such files are
made from the published answers of FinanceBench (patronus-ai/financebench, results/), EVOUNA (wangcunxiang/QA-Eval) and
NQ-open's 301 (ehsk/OpenQA-eval, data/NQ301_human.tsv), none of which is part of this repository.
"""

import argparse
import json
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from math import sqrt
from pathlib import Path
from typing import Any

from rarefy.data_contracts.rows import Answer, Question, Trial
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.verdict import Verdicts
from rarefy.tasks.evaluate.protocols import PROTOCOLS

LABELS = ("right", "wrong", "refused")


def main() -> None:
    """Print a line for each file, and for each reason why an answer was left open how many of those were right."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("files", nargs="+", type=Path)
    options.add_argument("--errors", type=int, default=0, help="how many of each kind of error are printed")
    options.add_argument("--why", default="", help="print answers left open for this reason too")
    options.add_argument("--every", type=int, default=1, help="look at every n-th question only")
    given = options.parse_args()
    print(
        "| labels | answers | right: precision | recall | wrong: precision | recall | refused: precision | recall "
        "| open |"
    )
    print("|---|---:|---|---|---|---|---|---|---:|")
    for file in given.files:
        compare(file, given.errors, given.every, given.why)


def compare(file: Path, shown: int, every: int, which: str) -> None:
    """Print how the rules judge the answers of one file."""
    with file.open(encoding="utf-8") as lines:  # not splitlines(): texts hold other separators of lines
        rows = [json.loads(line) for line in lines]
    ids = {name: at for at, name in enumerate(dict.fromkeys(row["id"] for row in rows))}
    rows = [row for row in rows if ids[row["id"]] % every == 0]
    began = time.process_time()
    found = list(judged(rows))
    seconds = time.process_time() - began
    pairs = Counter((verdict, row["label"]) for row, (verdict, _, _) in zip(rows, found, strict=True))
    labels = Counter(row["label"] for row in rows)
    cells = []
    for one in LABELS:
        said = sum(count for (verdict, _), count in pairs.items() if verdict == one)
        hit = pairs[one, one]
        cells += [wilson(hit, said), wilson(hit, labels[one])]
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


def judged(rows: Iterable[dict[str, Any]]) -> Iterable[tuple[str, str, str]]:
    """Of each answer what the rules say: right, wrong, refused, open; why; what of it they took for the gold one."""
    verdicts = Verdicts(CorrectConfig(), judged=False)
    for row in rows:
        golds = [form.strip() for form in row["golds"] if form.strip()] or ["?"]
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


def wilson(hits: int, of: int) -> str:
    """A share with its interval."""
    if not of:
        return "–"
    share, z = hits / of, 1.96
    middle, half = (share + z * z / (2 * of)), z * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    low, high = ((middle + sign * half) / (1 + z * z / of) for sign in (-1, 1))
    return f"{share:.3f} ({low:.3f}–{high:.3f})"


if __name__ == "__main__":
    main()
