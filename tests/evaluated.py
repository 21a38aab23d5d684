"""The known systems put to their benchmark through the command line."""

from pathlib import Path

import known

from rarefy.flows.cli import main

CONFIG = """
[correct]
unmatched = "wrong"  # each answer is one word or another: nobody is needed to judge
[statistics]
draws = 200
"""


def evaluate(place: Path, out: str, *more: str, bench: str = "bench", quiet: bool = True) -> int:
    """Evaluates a benchmark of this folder, with its my.toml and its store, and gives back the exit code."""
    told = ["evaluate", str(place / bench), "--out", str(place / out), "--config", str(place / "my.toml")]
    return main([*told, "--store", str(place / "store"), *(["--quiet"] if quiet else []), *more])


def systems(*names: str) -> list[str]:
    """Arguments that name these systems; all where none are named."""
    names = names or tuple(one.__name__ for one in known.SYSTEMS)
    return [part for name in names for part in ("--system", f"known:{name}")]
