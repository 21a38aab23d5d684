"""The command `rarefy perturbations`: every perturbation, with where it is from, how it is made, and an example."""

import json
import shutil
import textwrap
from collections.abc import Iterator
from typing import Any

from rarefy.tasks.perturb.catalogue import CATALOGUE
from rarefy.tasks.perturb.entry import Perturbation

WIDEST = 120  # characters of a line: longer ones are hard to read
INDENT = " " * 4
NOTE = (
    "* is made where it is named, not with its family. Names and families go into [perturb] of a config, and into "
    "`rarefy perturb --only`. Where languages are told, text in another one is refused rather than changed wrongly."
)


def record(entry: Perturbation) -> dict[str, Any]:
    """All there is to say of a perturbation, as JSON holds it."""
    before, after = entry.example
    return {
        "name": entry.name,
        "paper": entry.paper,
        "side": entry.side,
        "family": entry.family,
        "about": entry.about,
        "method": methods(entry),
        "needs_model": not entry.rules,
        "needs": "the system under test" if entry.generator else entry.needs,
        "languages": list(entry.speaks) if entry.rules else [],
        "checks": list(entry.checks),
        "baseline": list(entry.baseline),
        "with_family": entry.default,
        "example": {"before": before, "after": after},
    }


def methods(entry: Perturbation) -> list[str]:
    """How it can be made: by rules, selection or a program offline, by a model."""
    return ([entry.by] if entry.rules else []) + (["model"] if entry.role else [])


def listed() -> str:
    """The catalogue as JSON."""
    return json.dumps([record(entry) for entry in CATALOGUE.values()], indent=1, ensure_ascii=False) + "\n"


def show(width: int = 0) -> str:
    """The catalogue for a reader, as wide as the terminal unless told."""
    width = min(width or shutil.get_terminal_size().columns, WIDEST)
    return "\n".join(_lines(width)) + "\n"


def _lines(width: int) -> Iterator[str]:
    groups: dict[tuple[str, str], list[Perturbation]] = {}
    for entry in CATALOGUE.values():
        groups.setdefault((entry.side, entry.family), []).append(entry)
    for (side, family), entries in groups.items():
        yield f"{side} · {family} ".ljust(width, "─")
        for entry in entries:
            name = entry.name if entry.default else f"{entry.name} *"
            yield _ends(f"{name:<28} {_how(entry)}", entry.paper, width)
            yield from textwrap.wrap(entry.about, width, initial_indent=INDENT, subsequent_indent=INDENT)
            yield from _example(entry, width)
        yield ""
    yield from textwrap.wrap(NOTE, width, subsequent_indent="  ")


def _how(entry: Perturbation) -> str:
    """The methods in words, and which languages the offline one knows."""
    if not entry.rules:
        return "needs the system under test" if entry.generator else "needs a model"
    told = {"rules": "rules", "selection": "selection", "apertium": "apertium (EN-ES)"}[entry.by]
    spoken = f" ({', '.join(entry.speaks)})" if entry.speaks and entry.by != "apertium" else ""
    return f"{told}{spoken}{', or a model' if entry.role else ''}"


def _ends(left: str, right: str, width: int) -> str:
    """Two texts at the ends of a line, or the second below where there is no room."""
    room = width - len(left) - len(right)
    return f"{left}{' ' * room}{right}" if room > 1 else f"{left}\n{right:>{width}}"


def _example(entry: Perturbation, width: int) -> Iterator[str]:
    before, after = entry.example
    if not after:
        return
    for mark, text in (("–", before), ("+", after)):
        shown = " ⏎ ".join(text.splitlines())
        lead = f"{INDENT}{mark} "
        lines = textwrap.wrap(
            shown, width, initial_indent=lead, subsequent_indent=" " * len(lead), drop_whitespace=True, max_lines=3
        )
        yield from lines
