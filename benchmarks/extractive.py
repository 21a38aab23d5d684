"""How well the offline baseline reads: exact match, F1 and refusals on questions whose paragraph is known.

python benchmarks/extractive.py questions.jsonl [--store /tmp/store] [--wrong]

Each line of the file has `title` (of the article), `context` (the paragraph), `question` and `answers` (a list of
texts), as SQuAD and XQuAD do. Each question is asked three times: of its own paragraph, of the same where refusing is
forbidden, and of a paragraph of another article, drawn by hash, which holds no answer. The paragraph comes without its
title. Scores are SQuAD's, on texts without case, articles, punctuation and extra blanks; a refusal scores 0. Intervals
are of 95 %, resampled by article, since the questions of one are alike.
"""

import hashlib
import json
import re
import string
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from measuring import make_parser

from rarefy.data_contracts.rows import Passage
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.evaluate.systems.interface import SystemInput, SystemOutput
from rarefy.tasks.models.llm.config import InferenceContext

WORDS = ("who", "when", "where", "how many", "how much", "how", "which", "why", "what")
REFUSAL = "NO-RES"
DRAWS = 2_000


def main() -> None:
    """Ask, and print the table."""
    parser = make_parser(__doc__)
    parser.add_argument("questions", type=Path, help="a file of JSON lines")
    parser.add_argument("--store", type=Path, help="where embeddings are remembered; a temporary folder by default")
    parser.add_argument("--wrong", action="store_true", help="print each answer that is not exact, too")
    options = parser.parse_args()
    rows = [json.loads(line) for line in options.questions.read_text("utf-8").splitlines() if line.strip()]
    with tempfile.TemporaryDirectory() as folder:
        system = SystemConfig().connect(options.store or Path(folder), threads=1, means=InferenceContext())
        right, forced, other = (list(system(asks)) for asks in make_inputs(rows))
    print(render_table(rows, right, forced, other))
    if options.wrong:
        for row, said in zip(rows, right, strict=True):
            if not best_score(exact_match, said.text, row["answers"]):
                print(json.dumps({"question": row["question"], "answers": row["answers"], "said": said.text}))


def make_inputs(rows: Sequence[dict[str, Any]]) -> tuple[list[SystemInput], list[SystemInput], list[SystemInput]]:
    """Each question of its own paragraph, of the same without leave to refuse, and of one of another article."""
    contexts = sorted({(row["title"], row["context"]) for row in rows})
    right, forced, other = [], [], []
    for number, row in enumerate(rows):
        own = (Passage("own", row["context"]),)
        strange = [context for title, context in contexts if title != row["title"]]
        if not strange:
            raise SystemExit("all questions are of one article: there is no paragraph of another to ask of")
        drawn = int(hashlib.sha256(f"{number} {row['question']}".encode()).hexdigest(), 16) % len(strange)
        right.append(SystemInput(f"right {number}", row["question"], own, refusal=REFUSAL))
        forced.append(SystemInput(f"forced {number}", row["question"], own))
        other.append(
            SystemInput(f"other {number}", row["question"], (Passage("other", strange[drawn]),), refusal=REFUSAL)
        )
    return right, forced, other


def render_table(
    rows: Sequence[dict[str, Any]],
    right: Sequence[SystemOutput],
    forced: Sequence[SystemOutput],
    other: Sequence[SystemOutput],
) -> str:
    """The figures by question word and of all, in Markdown."""
    articles = [row["title"] for row in rows]
    columns: dict[str, list[float]] = {
        "EM": [best_score(exact_match, said.text, row["answers"]) for row, said in zip(rows, right, strict=True)],
        "F1": [best_score(f1_score, said.text, row["answers"]) for row, said in zip(rows, right, strict=True)],
        "refused": [float(bool(said.refused)) for said in right],
        "EM, must answer": [
            best_score(exact_match, said.text, row["answers"]) for row, said in zip(rows, forced, strict=True)
        ],
        "F1, must answer": [
            best_score(f1_score, said.text, row["answers"]) for row, said in zip(rows, forced, strict=True)
        ],
        "refused, other article": [float(bool(said.refused)) for said in other],
    }
    groups: dict[str, list[int]] = defaultdict(list)
    for at, row in enumerate(rows):
        groups[question_word(row["question"])].append(at)
    lines = [f"| asked | n | {' | '.join(columns)} |", "|---|---|" + "---|" * len(columns)]
    for word in (*WORDS, "else"):
        if places := groups.get(word):
            means = (f"{np.mean([column[at] for at in places]):.3f}" for column in columns.values())
            lines.append(f"| {word} | {len(places)} | {' | '.join(means)} |")
    whole = (f"{np.mean(column):.3f} ({_interval(column, articles)})" for column in columns.values())
    return "\n".join([*lines, f"| all | {len(rows)} | {' | '.join(whole)} |"])


def question_word(question: str) -> str:
    """Which of WORDS a question is asked with, the first in it; "else" where it has none."""
    found = re.search(r"\b(how (?:many|much)|whom?|whose|when|where|how|which|why|what)\b", question, re.IGNORECASE)
    word = found[1].lower() if found else "else"
    return "who" if word.startswith("who") else word


def best_score(score: Callable[[str, str], float], said: str, answers: Sequence[str]) -> float:
    """The score of an answer against the likest of those that are right; 0 for a refusal."""
    return max((score(said, answer) for answer in answers), default=0.0) if said != REFUSAL else 0.0


def exact_match(said: str, answer: str) -> float:
    """1.0 for the same words, else 0.0."""
    return float(normalise(said) == normalise(answer))


def f1_score(said: str, answer: str) -> float:
    """F1 of the words that both have."""
    mine, theirs = normalise(said).split(), normalise(answer).split()
    common = sum((Counter(mine) & Counter(theirs)).values())
    return 2 * common / (len(mine) + len(theirs)) if common else 0.0


def normalise(text: str) -> str:
    """A text as SQuAD compares it."""
    bare = "".join(char for char in text.lower() if char not in string.punctuation)
    return " ".join(re.sub(r"\b(?:a|an|the)\b", " ", bare).split())


def _interval(values: Sequence[float], articles: Sequence[str]) -> str:
    """The middle 95 % of the mean over draws of whole articles."""
    names = sorted(set(articles))
    sums = np.array([sum(v for v, a in zip(values, articles, strict=True) if a == name) for name in names])
    sizes = np.array([articles.count(name) for name in names])
    drawn = np.random.default_rng(0).integers(len(names), size=(DRAWS, len(names)))
    low, high = np.quantile(sums[drawn].sum(1) / sizes[drawn].sum(1), [0.025, 0.975])
    return f"{low:.3f} to {high:.3f}"


if __name__ == "__main__":
    main()
