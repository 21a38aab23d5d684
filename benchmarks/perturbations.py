"""Keep rates of every perturbation of a benchmark, one example of each, and drawn variants to be read.

    python benchmarks/perturbations.py BENCH                 the tables of docs/perturbations-measured.md
    python benchmarks/perturbations.py BENCH --read NAME     ten kept variants of one perturbation, drawn by hash

BENCH is the folder of a build. SURE's own keep rates are set beside those of its types.
"""

import difflib
from collections import Counter, defaultdict
from pathlib import Path

import pyarrow.parquet as pq
from measuring import make_parser

from rarefy.data_contracts.rows import UNTRIED, Chunk, Question, Variant, row_id
from rarefy.data_contracts.tables import from_table
from rarefy.tasks.export.statistics import SURE
from rarefy.tasks.perturb import CATALOGUE

AROUND = 60  # characters shown before and after what differs
LONGEST = 160


def main() -> None:
    """Print what was asked for."""
    parser = make_parser(__doc__)
    parser.add_argument("bench", type=Path)
    parser.add_argument("--read", metavar="NAME", default="")
    options = parser.parse_args()
    bench = options.bench
    questions = {q.question_id: q for q in from_table(pq.read_table(bench / "questions.parquet"), Question)}
    chunks = {c.chunk_id: c for c in from_table(pq.read_table(bench / "chunks.parquet"), Chunk)}
    found: dict[str, list[Variant]] = defaultdict(list)
    for variant in from_table(pq.read_table(bench / "variants.parquet"), Variant):
        found[variant.perturbation].append(variant)
    if options.read:
        print_variants(found[options.read], questions, chunks)
        return
    print_rates(found)
    print_examples(found, questions, chunks)


def print_rates(found: dict[str, list[Variant]]) -> None:
    """Made, kept, and why not the others."""
    print(
        "| perturbation | family | method | tried | kept | keep rate | SURE | not kept |\n"
        "|---|---|---|---:|---:|---:|---:|---|"
    )
    for name, entry in CATALOGUE.items():
        rows = found.get(name, [])
        reasons = Counter(v.rejected_because for v in rows)
        kept = reasons.pop("", 0)
        told = ", ".join(f"{count:,} `{reason}`" for reason, count in reasons.most_common(4))
        methods = "/".join(sorted({v.method for v in rows if not v.rejected_because})) or "-"
        tried = sum(not v.rejected_because.startswith(UNTRIED) for v in rows)
        rate = f"{kept / tried:.1%}" if tried else "-"
        sure = f"{SURE[entry.family]} %" if entry.family in SURE and entry.default else ""
        print(f"| {name} | {entry.family} | {methods} | {tried:,} | {kept:,} | {rate} | {sure} | {told} |")
    print()


def print_examples(found: dict[str, list[Variant]], questions: dict[str, Question], chunks: dict[str, Chunk]) -> None:
    """One kept variant of each, and the original around what differs."""
    print("| perturbation | original | variant |\n|---|---|---|")
    for name in CATALOGUE:
        kept = sorted(
            (v for v in found.get(name, []) if not v.rejected_because), key=lambda v: row_id("x", v.variant_id)
        )
        if kept:
            before, after = crop_difference(original_text(kept[0], questions, chunks), kept[0].text)
            print(f"| {name} | {format_cell(before)} | {format_cell(after)} |")


def original_text(variant: Variant, questions: dict[str, Question], chunks: dict[str, Chunk]) -> str:
    """What a variant was made of: the question, or its chunk."""
    return questions[variant.question_id].text if variant.side == "query" else chunks[variant.chunk_id].text


def crop_difference(before: str, after: str) -> tuple[str, str]:
    """Both texts around the first place where they differ."""
    if len(before) <= LONGEST and len(after) <= LONGEST:
        return before, after
    match = difflib.SequenceMatcher(None, before, after, autojunk=False).find_longest_match()
    if len(after) < len(before) and match.size == len(after):
        return "", after[:LONGEST]
    place = next(
        (i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), min(len(before), len(after))
    )
    start = max(0, place - AROUND)
    return before[start : start + LONGEST], after[start : start + LONGEST]


def format_cell(text: str) -> str:
    """A text in a cell of a Markdown table."""
    return "`" + text.replace("|", "¦").replace("\n", " ⏎ ").replace("`", "'") + "`"


def print_variants(variants: list[Variant], questions: dict[str, Question], chunks: dict[str, Chunk]) -> None:
    """Ten kept variants with all that is needed to judge them."""
    kept = sorted((v for v in variants if not v.rejected_because), key=lambda v: row_id("read", v.variant_id))
    for number, variant in enumerate(kept[:10], 1):
        question = questions[variant.question_id]
        print(f"--- {number}. {variant.perturbation} of {variant.question_id}")
        print(f"question: {question.text}\nanswer:   {question.answer} {question.aliases}")
        print(f"original:\n{original_text(variant, questions, chunks)[:3000]}")
        print(f"variant ({variant.method}; {variant.detail}; {variant.entailment}):\n{variant.text[:3000]}\n")


if __name__ == "__main__":
    main()
