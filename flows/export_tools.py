"""The command `rarefy export`: a benchmark as a folder that another evaluation tool runs."""

from pathlib import Path

from rarefy.data_contracts.rows import Chunk, Question, Variant
from rarefy.data_contracts.tables import from_table
from rarefy.flows.engine.benchmark_folder import open_benchmark
from rarefy.flows.faults import UsageFault
from rarefy.tasks.export.eval_tools import export_for_tool
from rarefy.tasks.export.files import put_file
from rarefy.tasks.store.tables import Store


def export_benchmark(
    bench: Path, target: str, out: Path, *, split: str = "", questions: int = 0, store: str = ".rarefy"
) -> tuple[int, int]:
    """Write the folder `out` for a tool; returns how many cases it has, of how many questions.

    UsageFault where there is no benchmark, or the folder holds something already.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UsageFault(f"--out {out}: holds something already; choose a new folder")
    kept = Store(store)
    opened = open_benchmark(bench, kept, split=split, most=questions)
    asked = list(from_table(kept.table(opened.questions), Question))
    chunks = {row.chunk_id: row for row in from_table(kept.table(opened.chunks), Chunk)}
    files = export_for_tool(target, asked, from_table(kept.table(opened.variants), Variant), chunks)
    out.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        put_file(out / name, content)
    return sum(1 for _ in (out / "cases.jsonl").open("rb")), len(asked)
