"""Processor time of what a new user runs first, against a commit: plan, build, the same build again, evaluate.

    python benchmarks/first_minutes.py COMMIT [--questions 20] [--rounds 2]

Both states run in turn, each from a store of its own, with bytecode written beforehand; of each command the least of
its rounds counts (a cold build has one). Seconds are of the command and of the children that it waits for; a temporary
Prefect server, which it does not wait for, comes on top. Beside them stands what no change of ours goes below: an
empty Prefect flow, and the embedding model alone on as many wordings as that many questions of the packaged benchmark
have.
"""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from measuring import make_parser, print_head, print_row

EMPTY_FLOW = """
from rarefy.flows.engine import prefect_server
prefect_server.start()
from prefect import flow
prefect_server.wait()
flow(lambda: None, name="empty")()
"""
MODEL_ALONE = """
import sys
import pyarrow.parquet as pq
from rarefy.tasks import sample
from rarefy.tasks.models.embed import EmbedConfig
rows = pq.read_table(sample.BENCHMARK / "variants.parquet").to_pylist()
texts = [row["text"] for row in rows if row["side"] == "query" and not row["rejected_because"]]
asked = len({row["question_id"] for row in rows})
EmbedConfig().connect()(texts[: len(texts) * int(sys.argv[1]) // asked])
"""


def measure_seconds(tree: Path, *command: str) -> float:
    """Processor seconds of a command that imports the package from this tree; CalledProcessError where it fails."""
    own = {"PYTHONPATH": str(tree.parent), "PYTHONPYCACHEPREFIX": str(tree.parent / "bytecode")}
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | own
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *command], cwd=tree.parent, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print the table."""
    parser = make_parser(__doc__)
    parser.add_argument("commit", help="what to compare with")
    parser.add_argument("--questions", default="20", help="of the evaluation")
    parser.add_argument("--rounds", type=int, default=2, help="of each command but the cold build")
    parser.add_argument("--only", action="append", help="one of the commands; may be given several times")
    given = parser.parse_args()
    here = Path(__file__).resolve().parents[1]
    with tempfile.TemporaryDirectory() as scratch:
        trees = {}
        for name, commit in (("before", given.commit), ("now", "HEAD")):
            trees[name] = Path(scratch, name, "rarefy")
            trees[name].mkdir(parents=True)
            archive = subprocess.run(["git", "archive", commit], cwd=here, check=True, capture_output=True).stdout
            subprocess.run(["tar", "-x", "-C", trees[name]], input=archive, check=True)
        rarefy = ("-m", "rarefy.flows.cli")
        commands = {
            "build": (*rarefy, "build", "sample", "--out", "out", "--store", "store"),
            "build again": (*rarefy, "build", "sample", "--out", "out", "--store", "store"),
            "plan": (*rarefy, "plan", "sample", "--store", "store"),
            "evaluate": (*rarefy, "evaluate", "sample", "--questions", given.questions, "--out", "result"),
        }
        chosen = {name: command for name, command in commands.items() if name in (given.only or commands)}
        for tree in trees.values():
            measure_seconds(tree, *rarefy, "plan", "sample", "--store", "warm")
        print_head("", "before", "now", "now / before")
        for name, command in chosen.items():
            seconds: dict[str, list[float]] = {state: [] for state in trees}
            for round_ in range(1 if name == "build" else given.rounds):
                for state, tree in trees.items():
                    # each evaluation from a store of its own: what was found once is not found again
                    more = ("--store", f"evaluated-{round_}") if name == "evaluate" else ()
                    seconds[state].append(measure_seconds(tree, *command, *more))
            before, now = min(seconds["before"]), min(seconds["now"])
            print_row(name, f"{before:.1f} s", f"{now:.1f} s", f"{now / before:.2f}")
        for name, code in (("an empty Prefect flow", EMPTY_FLOW), ("the embedding model alone", MODEL_ALONE)):
            print_row(name, "", f"{measure_seconds(trees['now'], '-c', code, given.questions):.1f} s", "")


if __name__ == "__main__":
    main()
