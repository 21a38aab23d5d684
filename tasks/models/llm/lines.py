"""A line of the ledger as a database takes it, and the sums of many; the same in every database."""

from collections.abc import Sequence
from dataclasses import fields
from operator import attrgetter
from typing import Any

from rarefy.tasks.models.llm.packed import plain
from rarefy.tasks.models.llm.reply_store import Call, Usage

LINE = tuple(field.name for field in fields(Call))
COLUMNS = ", ".join(LINE)
_values = attrgetter(*LINE)  # dataclasses.astuple copies deep: ten times slower
_BY = "stage, model, outcome, parse, final"
SUMS = (
    f"{_BY}, sum(count), sum(prompt_tokens), sum(completion_tokens), sum(cached_tokens), sum(cost), sum(seconds), "
    "sum(unmetered), sum(characters)"
)
GROUPS = f"GROUP BY {_BY} ORDER BY {_BY}"


def line(call: Call) -> tuple[Any, ...]:
    """The values of COLUMNS."""
    return tuple(plain(value) if isinstance(value, str) else value for value in _values(call))


def used(row: Sequence[Any]) -> Usage:
    """A row of SUMS."""
    stage, model, outcome, parse, final, calls, prompt, completion, cached, cost, seconds, unmetered, characters = row
    said = (stage, model, outcome, parse, bool(final), int(calls), int(prompt), int(completion), int(cached))
    return Usage(*said, int(cost), float(seconds), int(unmetered), int(characters))
