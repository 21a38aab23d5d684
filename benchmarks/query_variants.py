"""Rule-based variants of questions per second and core, beside TextAttack and nlpaug in the same run.

    python benchmarks/query_variants.py QUESTIONS.jsonl [--peers PYTHON]

QUESTIONS.jsonl is a benchmark's. PYTHON is the interpreter of an environment with the peers (pip install --no-deps
textattack nlpaug and what their imports then miss); without it they are left out, and the table says so.
NL-Augmenter's butter fingers are not on PyPI and are not measured.
"""

import argparse
import json
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from rarefy.tasks.perturb import CATALOGUE, Case, Draft, PerturbConfig
from rarefy.tasks.perturb.catalogue import maker

SECONDS = 5.0  # CPU seconds each is measured
OWN = ("character", "word", "grammar", "butter_fingers", "character_swap", "upper_case", "white_space", "paraphrase")
PEERS = ("textattack", "nlpaug")


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--peers", default="")
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in arguments.questions.open(encoding="utf-8")]
    cases = [
        Case(row["question_id"], "query", row["text"], row["question_id"], row["text"], entity=row["entity"])
        for row in rows
        if not row["rejected_because"]
    ]
    peers = dict(rates(arguments.peers, [case.text for case in cases]))
    slowest = peers.get("textattack", 0.0)
    print(f"{len(cases):,} questions; first variant of each, per second of CPU on one core\n")
    print("| what | questions/s | times TextAttack |\n|---|---:|---:|")
    for name in OWN:
        rate, made = measured(name, cases)
        print(f"| rarefy {name} ({made:.0%} changed) | {rate:,.0f} | {f'{rate / slowest:,.0f}' if slowest else '-'} |")
    for name in PEERS:
        times = f"{peers[name] / slowest:,.1f}" if slowest and name in peers else "-"
        told = f"{peers[name]:,.0f} | {times}" if name in peers else "not installed | -"
        print(f"| {name} | {told} |")


def measured(name: str, cases: list[Case]) -> tuple[float, float]:
    """Questions worked on per second of CPU, and the share of them that could be changed."""
    make, config = maker(CATALOGUE[name]), PerturbConfig()
    first(make(cases[0], config, Random(0)))  # tables and the parser are read once
    began, done, changed = time.process_time(), 0, 0
    while time.process_time() - began < SECONDS:
        changed += first(make(cases[done % len(cases)], config, Random(done))) is not None
        done += 1
    return done / (time.process_time() - began), changed / done


def first(drafts: Iterator[Draft]) -> Draft | None:
    """The first draft."""
    return next(drafts, None)


def rates(python: str, questions: list[str]) -> Iterator[tuple[str, float]]:
    """The peers' rates, each in a process of its own."""
    if not python:
        return
    script = Path(__file__).with_name("query_variants_peers.py")
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "questions.txt")
        place.write_text("\n".join(questions), encoding="utf-8")
        for name in PEERS:
            done = subprocess.run([python, script, name, place], capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{name}: {done.stderr.strip().splitlines()[-1]}\n")
            else:
                yield name, float(done.stdout.split()[-1])


if __name__ == "__main__":
    main()
