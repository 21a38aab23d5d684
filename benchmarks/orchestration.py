"""What the orchestration costs: one build as plain function calls, as a flow, and with one and two Dask workers.

python benchmarks/orchestration.py ../shared/corpora [--rounds 2] [--modes plain flow dask1 dask2]

Each build is a process of its own with a new store; the ways take turns. Every process computes with one thread
(--threads), so that a second worker is a second core and nothing else. Seconds are of the build alone, imports and
the start of its Prefect server left in; processor seconds are of the process and all that it started. On a machine
with other work the processor seconds of the busiest worker tell what a second one is good for: it is never idle for
want of the machine, and a stage ends when it does.
"""

import argparse
import contextlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from measuring import make_parser

MODES = ("plain", "flow", "dask1", "dask2")
PER_DOCUMENT = ("read", "chunk", "extract", "vary")
TAKEN = {"*.json": 12, "*.txt": 90, "*.md": 16}  # files of each kind, by hash of their names: many sizes, none huge


def main() -> None:
    """Build in every way in turn, and print what each took."""
    parser = make_parser(__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--modes", nargs="+", default=MODES)
    parser.add_argument("--threads", type=int, default=1, help="of each process; 0: as it chooses")
    parser.add_argument("--share", type=float, default=1.0, help="of the files: less for a quick look")
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(_build_once(options.corpus, options.one, options.threads)))
        return
    with tempfile.TemporaryDirectory() as folder:
        corpus = _copy_corpus(options.corpus, Path(folder) / "corpus", options.share)
        found: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for number in range(options.rounds):
            for mode in options.modes:
                found[mode].append(told := _run_process(corpus, mode, options.threads))
                print(_format_times(f"round {number + 1}, {mode}", told), flush=True)
        if {one["version"] for its in found.values() for one in its} != {found[options.modes[0]][0]["version"]}:
            sys.exit("the ways did not build the same benchmark")
        _print_summary(found)


def _copy_corpus(source: Path, place: Path, share: float) -> Path:
    from rarefy.data_contracts.rows import row_id

    place.mkdir()
    for pattern, count in TAKEN.items():
        files = sorted(source.rglob(pattern), key=lambda file: row_id(file.name))
        for file in [one for one in files if one.stem.lower() != "readme"][: max(round(count * share), 1)]:
            shutil.copyfile(file, place / file.name)
    return place


def _run_process(corpus: Path, mode: str, threads: int) -> dict[str, Any]:
    """One build in a process of its own."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    told = os.environ | (dict.fromkeys(names, str(threads)) if threads else {})
    before, began = os.times(), time.monotonic()
    command = [sys.executable, __file__, str(corpus), "--one", mode, "--threads", str(threads)]
    made = subprocess.run(command, env=told, stdout=subprocess.PIPE, text=True, check=True)
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    return {**json.loads(made.stdout.splitlines()[-1]), "wall": time.monotonic() - began, "cpu": cpu}


def _build_once(corpus: Path, mode: str, threads: int) -> dict[str, Any]:
    """The build, with the seconds of each stage."""
    from rarefy.flows.engine import prefect_server

    if mode != "plain":  # as the command does: before Prefect is imported, and beside what follows
        prefect_server.start()
    from rarefy.flows.build import build
    from rarefy.flows.config import Config
    from rarefy.flows.engine import run, workers

    if mode != "plain":
        prefect_server.wait()
    seconds: dict[str, float] = defaultdict(float)
    real = run.Run.stage

    busy: dict[str, float] = defaultdict(float)

    def stage(self: Any, name: str, work: Any) -> Any:
        before, began = _processors(), time.monotonic()
        made = real(self, name, work)
        seconds[name] += time.monotonic() - began
        busy[name] += max((spent - before.get(pid, 0.0) for pid, spent in _processors().items()), default=0.0)
        return made

    run.Run.stage = stage  # type: ignore[method-assign]
    count = int(mode.removeprefix("dask")) if mode.startswith("dask") else 0
    if threads:
        run.count_cores = lambda: threads
        workers.count_cores = lambda: threads * max(count, 1)  # which are shared out among the workers
    with tempfile.TemporaryDirectory() as folder:
        way = build.fn if mode == "plain" else build
        began = time.monotonic()
        made = way(str(corpus), f"{folder}/out", Config(), f"{folder}/store", workers=count, quiet=True)
        inside = time.monotonic() - began
    return {"version": made.version, "inside": inside, "stages": seconds, "busiest": busy}


def _processors() -> dict[int, float]:
    """Processor seconds of each process that this one started, so far; of Prefect's server none."""
    import psutil

    found = {}
    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):
            if "rarefy.flows.engine.prefect_server" not in child.cmdline():
                times = child.cpu_times()
                found[child.pid] = times.user + times.system
    return found


def _format_times(name: str, told: dict[str, Any]) -> str:
    parts = "  ".join(f"{stage} {told['stages'].get(stage, 0):.1f}" for stage in PER_DOCUMENT)
    times = f"{told['wall']:7.1f} s wall, {told['inside']:7.1f} s in the build, {told['cpu']:7.1f} s CPU"
    return f"{name:<18} {times}  {parts}"


def _print_summary(found: dict[str, list[dict[str, Any]]]) -> None:
    """Medians, and the ratios that are asked for."""

    def median(mode: str, key: str) -> float:
        return statistics.median(one[key] for one in found[mode])

    def stage(mode: str, *names: str, of: str = "stages") -> float:
        return statistics.median(sum(one[of].get(name, 0.0) for name in names) for one in found[mode])

    print("\n| | wall | over plain | processor time | over plain | stages over documents |")
    print("|---|---:|---:|---:|---:|---:|")
    for mode in found:
        times = [median(mode, key) for key in ("wall", "cpu")]
        over = ["", ""]
        if "plain" in found and mode != "plain":
            base = [median("plain", key) for key in ("wall", "cpu")]
            over = [f"{100 * (it / of - 1):+.0f} % ({it - of:+.0f} s)" for it, of in zip(times, base, strict=True)]
        (wall, cpu), documents = times, stage(mode, *PER_DOCUMENT)
        print(f"| {mode} | {wall:.0f} s | {over[0]} | {cpu:.0f} s | {over[1]} | {documents:.0f} s |")
    if {"dask1", "dask2"} <= found.keys():
        for names in (*((name,) for name in PER_DOCUMENT), PER_DOCUMENT):
            for of, what in (("stages", "wall"), ("busiest", "processor time of the busiest worker")):
                one, two = stage("dask1", *names, of=of), stage("dask2", *names, of=of)
                told = f"{one:.1f} s to {two:.1f} s, {one / max(two, 0.01):.2f} times"
                print(f"one worker to two, {' + '.join(names)}, {what}: {told}")


if __name__ == "__main__":
    main()
