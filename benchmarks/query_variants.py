"""Rule-based variants of questions per second and core, beside TextAttack and nlpaug in the same run.

    python benchmarks/query_variants.py QUESTIONS.jsonl [--peers PYTHON]

QUESTIONS.jsonl is a benchmark's. PYTHON is the interpreter of an environment with the peers (pip install --no-deps
textattack nlpaug and what their imports then miss); without it they are left out, and the table says so.
NL-Augmenter's butter fingers are not on PyPI and are not measured.

TextAttack asks for flair and bert_score (for tags and constraints that these word swaps never use) and for NLTK's stop
words as soon as it is imported; they are not to be had offline, and stand-ins take their place. Nothing that is
measured touches them.
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING

from measuring import make_parser, print_head, print_row

if TYPE_CHECKING:
    from rarefy.tasks.perturb import Case

SECONDS = 5.0  # CPU seconds each is measured
OWN = ("character", "word", "grammar", "butter_fingers", "character_swap", "upper_case", "white_space", "paraphrase")


def main() -> None:
    """Print the table, or the rate of one peer in its own environment."""
    parser = make_parser(__doc__)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--peers", default="", help="the interpreter of an environment with the peers")
    parser.add_argument("--peer", choices=PEERS, help="print the rate of one peer on a file of questions, one a line")
    options = parser.parse_args()
    if options.peer:
        print(measure_peer(options.peer, options.questions.read_text(encoding="utf-8").splitlines()))
    else:
        compare(options.questions, options.peers)


def compare(file: Path, python: str) -> None:
    """Print the table."""
    from rarefy.tasks.perturb import Case

    rows = [json.loads(line) for line in file.open(encoding="utf-8")]
    cases = [
        Case(row["question_id"], "query", row["text"], row["question_id"], row["text"], entity=row["entity"])
        for row in rows
        if not row["rejected_because"]
    ]
    peers = dict(run_peers(python, [case.text for case in cases]))
    slowest = peers.get("textattack", 0.0)
    print(f"{len(cases):,} questions; first variant of each, per second of CPU on one core\n")
    print_head("what", "questions/s", "times TextAttack")
    for name in OWN:
        rate, changed = measure_own(name, cases)
        print_row(
            f"rarefy {name} ({changed:.0%} changed)", f"{rate:,.0f}", f"{rate / slowest:,.0f}" if slowest else "-"
        )
    for name in PEERS:
        times = f"{peers[name] / slowest:,.1f}" if slowest and name in peers else "-"
        print_row(name, f"{peers[name]:,.0f}" if name in peers else "not installed", times)


def measure_own(name: str, cases: "list[Case]") -> tuple[float, float]:
    """Questions worked on per second of CPU, and the share of them that could be changed."""
    from rarefy.tasks.perturb import CATALOGUE, PerturbConfig
    from rarefy.tasks.perturb.catalogue import load_maker

    make, config = load_maker(CATALOGUE[name]), PerturbConfig()
    next(make(cases[0], config, Random(0)), None)  # tables and the parser are read once
    began, done, changed = time.process_time(), 0, 0
    while time.process_time() - began < SECONDS:
        changed += next(make(cases[done % len(cases)], config, Random(done)), None) is not None
        done += 1
    return done / (time.process_time() - began), changed / done


def run_peers(python: str, questions: list[str]) -> Iterator[tuple[str, float]]:
    """The peers' rates, each in a process of its own."""
    if not python:
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "questions.txt")
        file.write_text("\n".join(questions), encoding="utf-8")
        for name in PEERS:
            command = [python, __file__, str(file), "--peer", name]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                print(f"{name}: {done.stderr.strip().splitlines()[-1]}\n")
            else:
                yield name, float(done.stdout.split()[-1])


def measure_peer(name: str, questions: list[str]) -> float:
    """Questions that a peer changes per second of CPU, in this process."""
    change = PEERS[name]()
    change(questions[0])
    began, done = time.process_time(), 0
    while time.process_time() - began < SECONDS:
        change(questions[done % len(questions)])
        done += 1
    return done / (time.process_time() - began)


def load_textattack() -> Callable[[str], object]:
    """RARE's character set as its paper has it: neighbouring keys and deletions in a tenth of the words."""
    for name, parts in (
        ("flair", {"device": None}),
        ("flair.data", {"Sentence": object, "Token": object, "Tokenizer": object}),
        ("flair.models", {"SequenceTagger": object}),
        ("bert_score", {}),
    ):
        module = ModuleType(name)
        vars(module).update(parts)
        sys.modules[name] = module
    sys.modules["flair"].data = sys.modules["flair.data"]  # type: ignore[attr-defined]
    sys.modules["flair"].models = sys.modules["flair.models"]  # type: ignore[attr-defined]
    import nltk.corpus

    nltk.corpus.stopwords = SimpleNamespace(words=lambda language: ["the", "a", "of"])
    from textattack.augmentation import Augmenter
    from textattack.constraints.pre_transformation import RepeatModification
    from textattack.transformations import CompositeTransformation, WordSwapQWERTY, WordSwapRandomCharacterDeletion

    swaps = CompositeTransformation([WordSwapQWERTY(), WordSwapRandomCharacterDeletion()])
    augmenter = Augmenter(
        transformation=swaps, constraints=[RepeatModification()], pct_words_to_swap=0.1, transformations_per_example=1
    )
    return augmenter.augment  # type: ignore[no-any-return]


def load_nlpaug() -> Callable[[str], object]:
    """Neighbouring keys in a tenth of the words."""
    import nlpaug.augmenter.char as characters

    return characters.KeyboardAug(aug_word_p=0.1, aug_char_max=1).augment  # type: ignore[no-any-return]


PEERS = {"textattack": load_textattack, "nlpaug": load_nlpaug}


if __name__ == "__main__":
    main()
