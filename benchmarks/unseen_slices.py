"""A hundred slices of a folder of corpora, of one document and of twenty: does every default build end with 0 or 2?

python benchmarks/unseen_slices.py ../shared/corpora --kept /tmp/slices.jsonl [--perturb some] [--minutes 20]

A slice is drawn by hash from one family (a folder that holds files), or, every third one of twenty, from all families;
what comes of it is a line of the file `--kept`, so that the script goes on where it was stopped. It prints its table
whenever it ends. Slices share a store, as builds on one machine do: the seconds of a slice are without what an earlier
slice had read.

`--perturb full` makes every variant of the default config, `some` one of each check (a fifth of the time), `none` only
the questions as they are; `auto` makes all of them of slices of one document and some of slices of twenty. The table
says which.
"""

import contextlib
import hashlib
import json
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from measuring import make_parser

SIZES = (1, 20)
PERTURB: dict[str, dict[str, list[str]]] = {
    "full": {},
    "some": {
        "query": ["grammar", "butter_fingers"],
        "document": ["answer_deleted", "random_order"],
        "context": ["golden_passage", "distracting", "counterfactual"],
    },
    "none": {"query": [], "document": [], "context": []},
}
PATTERNS = ("single", "chain", "star", "inverted_star")
BROKEN = ("ContractBroken", "LeaseLost", "TableDamaged")  # what the command tells in a line and ends with 1


def main() -> None:
    """Build the slices that are not there yet, for as long as is given, and print what came of all."""
    parser = make_parser(__doc__)
    parser.add_argument("corpora", type=Path)
    parser.add_argument("--kept", type=Path, default=Path("slices.jsonl"), help="what came of each slice so far")
    parser.add_argument("--slices", type=int, default=100)
    parser.add_argument("--seed", default="0")
    parser.add_argument("--minutes", type=float, default=1e9, help="no further slice is begun after so many")
    parser.add_argument("--perturb", choices=("auto", *PERTURB), default="auto")
    parser.add_argument("--size", type=int, choices=SIZES, help="only the slices of so many documents")
    parser.add_argument("--only", help="only the slices whose name begins so; they are built anew")
    parser.add_argument("--store", type=Path, help="kept from run to run; a temporary folder where none is given")
    options = parser.parse_args()
    there = {row["slice"]: row for row in read_rows(options.kept)}
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        store = options.store or Path(folder, "store")
        for name, size, family, chosen in draw_slices(options.corpora, options.slices, options.seed):
            if options.size not in (None, size) or not name.startswith(options.only or ""):
                continue
            if (name in there and not options.only) or time.monotonic() - began > 60 * options.minutes:
                continue
            perturb = options.perturb if options.perturb != "auto" else "full" if size == 1 else "some"
            row = {"slice": name, "size": size, "family": family, "perturb": perturb}
            row |= build_slice(options.corpora, chosen, perturb, store, Path(folder)) | {"documents": chosen}
            with options.kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
            there[name] = row
            print(f"{name}: {row['exit']} {row['seconds']} s {row['end']}", file=sys.stderr, flush=True)
    print(render_table(there.values()))


def draw_slices(corpora: Path, count: int, seed: str) -> Iterator[tuple[str, int, str, list[str]]]:
    """The name of each slice, its size, family and documents; half of them of each size, the families in turn."""
    families: dict[str, list[str]] = {}
    for path in sorted(path for path in corpora.rglob("*") if path.is_file()):
        place = path.relative_to(corpora)
        if len(place.parts) > 2 and place.name != "README.md":
            families.setdefault(str(place.parent), []).append(str(place))
    every = [path for paths in families.values() for path in paths]

    def draw_order(paths: Iterable[str], salt: str) -> list[str]:
        return sorted(paths, key=lambda path: hashlib.sha256(f"{seed}/{salt}/{path}".encode()).digest())

    names = draw_order(families, "families")
    for number in range(count):
        size, turn = SIZES[number % 2], number // 2
        family = names[turn % len(names)]
        if size == 1:
            paths = draw_order(families[family], "one")
            chosen = [paths[turn // len(names) % len(paths)]]
        else:
            mixed = turn % 3 == 2 or len(families[family]) < size
            family = "mixed" if mixed else family
            chosen = draw_order(every if mixed else families[family], f"many{turn}")[:size]
        yield f"{number:03}-{size}-{family.replace('/', '-')}", size, family, sorted(chosen)


def build_slice(corpora: Path, chosen: list[str], perturb: str, store: Path, folder: Path) -> dict[str, Any]:
    """What came of the build of a slice: exit code as of the command, how it ended, and what was counted."""
    from rarefy.flows.build import build
    from rarefy.flows.cli.checks import with_store_repair
    from rarefy.flows.config import Config
    from rarefy.flows.faults import Fault

    corpus, out = folder / "corpus", folder / "out"
    for place in (corpus, out):
        shutil.rmtree(place, ignore_errors=True)
    for path in chosen:
        (corpus / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(corpora / path, corpus / path)
    config = Config.model_validate({"perturb": PERTURB[perturb]})
    began = time.monotonic()
    code, end = 0, ""
    try:
        with_store_repair(str(store), lambda: build.fn(str(corpus), str(out), config, str(store), quiet=True))
    except Fault as fault:
        code, end = fault.code, str(fault)
    except Exception as error:
        code, end = 1, str(error)
        if type(error).__name__ not in BROKEN:
            end = f"TRACEBACK {''.join(traceback.format_exception(error)[-3:])}"
    return {"exit": code, "end": end, "seconds": round(time.monotonic() - began, 1)} | count_results(out)


def count_results(out: Path) -> dict[str, Any]:
    """Facts, questions by pattern, reasons and set-aside rows of the benchmark in a folder."""
    triplets, questions, variants = (list(read_rows(out / f"{n}.jsonl")) for n in ("triplets", "questions", "variants"))
    accepted = Counter(row["pattern"] for row in questions if not row["rejected_because"])
    return {
        "facts": sum(not row["rejected_because"] for row in triplets),
        "questions": {pattern: accepted[pattern] for pattern in PATTERNS},
        "variants": sum(not row["rejected_because"] for row in variants),
        "rejected": {
            kind: dict(Counter(row["rejected_because"] for row in table if row["rejected_because"]).most_common())
            for kind, table in (("triplets", triplets), ("questions", questions), ("variants", variants))
        },
        "breaches": dict(Counter(row["rule"] for row in read_rows(out / "breaches.jsonl"))),
        "quarantine": dict(Counter(row["reason"] for row in read_rows(out / "quarantine.jsonl"))),
    }


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a file, none where there is no file."""
    with contextlib.suppress(FileNotFoundError), path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def render_table(kept: Iterable[dict[str, Any]]) -> str:
    """What came of the slices, as a Markdown table, with the sum below it."""
    ordered = sorted(kept, key=lambda row: (row["size"], row["slice"]))
    heads = ("slice", "exit", "facts", *PATTERNS, "rejected questions", "set aside", "perturb", "seconds")
    lines = [heads, ["---"] * len(heads)]
    for row in ordered:
        reasons = ", ".join(f"{n} {reason}" for reason, n in list(row["rejected"]["questions"].items())[:3])
        aside = sum(row["breaches"].values())
        counts = [row["questions"][pattern] for pattern in PATTERNS]
        lines.append([row["slice"], row["exit"], row["facts"], *counts, reasons, aside, row["perturb"], row["seconds"]])
    told = [f"| {' | '.join(str(cell) for cell in line)} |" for line in lines]
    for size in SIZES:
        codes = Counter(row["exit"] for row in ordered if row["size"] == size)
        ended = ", ".join(f"{count} with {code}" for code, count in sorted(codes.items()))
        told.append(f"\nOf {size}: {codes.total()} slices, {ended}.")
    return "\n".join(told)


if __name__ == "__main__":
    main()
