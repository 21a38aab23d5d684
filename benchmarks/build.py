"""A whole build: cold, with nothing changed, and with one document replaced; wall time, CPU time, peak memory.

python benchmarks/build.py ../shared/corpora/finance/10k-html [--workers 2] [--all-kinds]
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from measuring import make_parser, resident_memory

STAGE = re.compile(r"^(\S.*?)  +(.*) · ([\d.]+) s$")


def main() -> None:
    """Build three times, and print what each took."""
    parser = make_parser(__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--workers", default="")
    parser.add_argument("--all-kinds", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        corpus = shutil.copytree(options.corpus, place / "corpus", copy_function=shutil.copyfile)
        more = ["--workers", options.workers] if options.workers else []
        more += ["--all-kinds"] if options.all_kinds else []
        cold = measure_build("cold", corpus, place, more)
        measure_build("nothing changed", corpus, place, more, cold)
        replace_document(corpus)
        measure_build("one document replaced", corpus, place, more, cold)


def replace_document(corpus: Path) -> None:
    """Put another version in the place of the largest document: its first long table cell figures restated."""
    document = max((path for path in corpus.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    text = document.read_text(encoding="utf-8", errors="replace")
    figures = re.findall(r">(\d{2},\d{3})<", text)
    document.write_text(text.replace(f">{figures[len(figures) // 2]}<", ">98,765<"), encoding="utf-8")


def measure_build(name: str, corpus: Path, place: Path, more: list[str], cold: float = 0.0) -> float:
    """The seconds that a build takes, printed with its stages."""
    where = ["--out", str(place / "out"), "--store", str(place / "store")]
    began, used = time.monotonic(), os.times()
    process = subprocess.Popen(
        [sys.executable, "-m", "rarefy.flows.cli", "build", str(corpus), *where, *more],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    peak = PeakMemory(process.pid)
    peak.start()
    assert process.stderr
    stages = [found.groups() for line in process.stderr if (found := STAGE.match(line.rstrip()))]
    if process.wait():
        sys.exit(f"{name}: exit code {process.returncode}")
    seconds, now = time.monotonic() - began, os.times()
    worked = now.children_user + now.children_system - used.children_user - used.children_system
    share = f" ({seconds / cold:.0%} of the cold build)" if cold else ""
    print(f"{name}: {seconds:.1f} s{share}, {worked:.1f} s of processor, peak {peak.stop():,} MiB")
    for stage, told, took in stages:
        if float(took) >= 0.5:
            print(f"    {stage:<16} {float(took):7.1f} s  {told}")
    return seconds


class PeakMemory(threading.Thread):
    """Watches the resident memory of a process and its descendants."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.pid, self.most, self.going = pid, 0.0, True

    def run(self) -> None:
        """Look twice a second."""
        while self.going:
            self.most = max(self.most, sum(map(resident_memory, process_tree(self.pid))))
            time.sleep(0.5)

    def stop(self) -> int:
        """The most there was, in MiB."""
        self.going = False
        return int(self.most)


def process_tree(pid: int) -> list[int]:
    """The process and all that it started."""
    found = [pid]
    for tasks in Path("/proc", str(pid), "task").glob("*/children"):
        try:
            for child in tasks.read_text().split():
                found += process_tree(int(child))
        except OSError:  # it ended meanwhile
            continue
    return found


if __name__ == "__main__":
    main()
