"""Jobs: a stage with its inputs, settings and tools, and how a worker runs it (architecture §3, §5, §6)."""

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
from pydantic import BaseModel

from rarefy.data_contracts.breaches import KINDS, RAISED, breach_of_error, breach_of_unstorable, set_aside
from rarefy.data_contracts.rows import Breach, Quarantined, Unanswered
from rarefy.data_contracts.suites import SUITES
from rarefy.data_contracts.tables import RowsById, TableBuilder, from_table, schema_of, to_table
from rarefy.tasks.find import find
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.llm.faults import TRANSIENT
from rarefy.tasks.store.tables import Store, digest

Inputs = Mapping[str, Any]  # by argument of the stage: name of a table, names of tables, or the one row it works on
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rarefy"  # for stores that are no folder
RowWatcher = Callable[[Iterable[Any]], Iterable[Any]]  # passes rows on, and may count them
PASSING_REASONS = frozenset(  # reasons that may be gone at the next try, whatever the bytes
    ("changed_while_reading", "unreadable_file", "read_timeout", "read_memory", "reader_died")
)
NO_MODEL = InferenceContext()  # for a stage that asks no model
BREACHES = "breaches"  # kind of the table of rows that were set aside; a job makes it only where there are some
# Errors that a row may cause in a stage; errors of disks, networks, budgets and people are none of these
ROW_FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
MOST_RAISED = 50  # groups of rows that may raise in one batch; with more, the stage is at fault and not the rows


class Tool(Protocol):
    """The config of a model, index or other tool of a stage; it is sent to workers, its connection is not."""

    def __hash__(self) -> int:
        """Equal configs are one tool."""

    def connect(self, cache: Path, *, threads: int, means: InferenceContext) -> Any:
        """The connected tool, which keeps its cache in the folder; threads and means do not change its answers."""

    def identity(self) -> dict[str, Any]:
        """All that its answers depend on, as plain data."""


@dataclass(frozen=True)
class Job:
    """A stage with its settings and tools: equal jobs with equal inputs make equal tables."""

    stage: str
    function: str  # module:function, so that a worker imports the stage and nothing else
    version: int
    takes: Mapping[str, type]  # row type by argument; the first is iterated, the others are {id: row}
    makes: Mapping[str, type]  # row type by kind of table
    config: BaseModel | None = None
    tools: Mapping[str, Tool] = field(default_factory=dict)  # by argument
    surroundings: Mapping[str, str] = field(default_factory=dict)  # what else its rows depend on: data, packages, parts
    lasting: bool = True  # a failure that may last counts as a result; False: the next run tries again
    group: str = ""  # field of the first rows that splits them into independent groups; "": none
    # row type by argument: what was made before of a part of the input, where it is given; it spares work, and changes
    # no row, so that no recipe names it
    recalls: Mapping[str, type] = field(default_factory=dict)

    def recipe(self, given: Inputs) -> str:
        """The name of what this job makes of these inputs."""
        return digest(
            {
                "stage": self.stage,
                "function": self.function,
                "version": self.version,
                "schemas": [_schema(row_type) for row_type in (*self.takes.values(), *self.makes.values())],
                "surroundings": dict(self.surroundings),
                "config": self.config and self.config.model_dump(mode="json"),
                "tools": {name: tool.identity() for name, tool in self.tools.items()},
                "given": {argument: _identity(given[argument]) for argument in self.takes},
                "contracts": {kind: SUITES[row_type].version for kind, row_type in self.judges().items()},
            }
        )

    def judges(self) -> dict[str, type]:
        """The tables whose rules on rows can be checked here: all that the rules need is among the inputs.

        A table of another kind (variants that are the noise of an evaluation) is not the one that the rules are for.
        """
        given = {*self.takes.values()}
        return {
            kind: row_type
            for kind, row_type in self.makes.items()
            if kind == KINDS.get(row_type) and row_type in SUITES and given.issuperset(SUITES[row_type].needs)
        }

    def run(
        self,
        given: Inputs,
        store: Store,
        watch: RowWatcher = iter,
        threads: int = 1,
        means: InferenceContext = NO_MODEL,
        only: Callable[[str], bool] | None = None,
    ) -> tuple[dict[str, pa.Table], list[Breach]]:
        """Run the stage: its tables by kind, and breaches for the rows that no table can hold.

        `watch` gets the rows that the stage iterates; `only` tells whether the rows of a group are among them.
        """
        first, *others = self.takes
        rows = (
            given[first]
            if dataclasses.is_dataclass(given[first])
            else watch(_rows(given[first], self.takes[first], store))
        )
        if only:
            rows = (row for row in rows if only(getattr(row, self.group)))
        keywords: dict[str, Any] = {name: RowsById(_tables(given[name], store), self.takes[name]) for name in others}
        keywords |= {
            name: _rows(given[name], row_type, store) for name, row_type in self.recalls.items() if name in given
        }
        place = Path(store.root) if store.local else CACHE
        keywords |= {name: _connected(tool, place, threads, means) for name, tool in self.tools.items()}
        configs = () if self.config is None else (self.config,)
        made = {row_type: TableBuilder(row_type) for row_type in self.makes.values()}
        for row in find(self.function, {})(rows, *configs, **keywords):
            made[type(row)].add(row)
        tables = {kind: made[row_type].table() for kind, row_type in self.makes.items()}
        refused = [
            breach_of_unstorable(self.stage, row_type, row, error)
            for row_type in made
            for row, error in made[row_type].refused
        ]
        return tables, refused


def make(
    given: Inputs, job: Job, url: str, watch: RowWatcher = iter, threads: int = 1, means: InferenceContext = NO_MODEL
) -> dict[str, str]:
    """The names of the tables that `job` makes of these inputs; made now unless they were made before.

    Rows that break a rule are set aside in a table of their own, "breaches", which is there only where there are some.
    Tables that lack an answer a model could not give just now, rows that made the stage raise, or a source that was
    being written to, are good for this run alone: the next one tries again.
    """
    store = Store(url)
    recipe = job.recipe(given)
    if found := store.find(recipe):
        return found
    try:
        tables, breaches = job.run(given, store, watch, threads, means)
    except ROW_FAULTS as error:
        tables, breaches = _without_raisers(job, given, store, threads, means, error)
    for kind, row_type in job.judges().items():
        references = _references(job, row_type, given, tables, store)
        tables[kind], broken = set_aside(job.stage, row_type, tables[kind], references)
        breaches += broken
    if breaches:
        tables[BREACHES] = to_table(breaches, Breach)
    reasons = {
        reason
        for kind, table in tables.items()
        if job.makes.get(kind) is Unanswered
        for reason in table["reason"].to_pylist()
    }
    spoilt = (
        not TRANSIENT.isdisjoint(reasons)
        or (bool(reasons) and not job.lasting)
        or _was_source_missed(given, job, tables)
    )
    spoilt = spoilt or any(one.rule == RAISED for one in breaches)  # by code that may be mended meanwhile
    kept = store.over(store.keep, tables.values())
    return dict(zip(tables, kept, strict=True)) if spoilt else store.put(recipe, tables)


def _without_raisers(
    job: Job, given: Inputs, store: Store, threads: int, means: InferenceContext, error: Exception
) -> tuple[dict[str, pa.Table], list[Breach]]:
    """The tables of all groups of rows but those that make the stage raise, which are breaches; `error` is the first.

    They are found by halving. The error itself is raised where there are no groups, where no group raises it alone, and
    where there are too many of them, for then the stage is at fault.
    """
    first = next(iter(job.takes))
    if not job.group or dataclasses.is_dataclass(given[first]):
        raise error
    groups = list(dict.fromkeys(getattr(row, job.group) for row in _rows(given[first], job.takes[first], store)))
    found: dict[str, Exception] = {}

    def search(some: Sequence[str], fault: Exception) -> None:
        if len(some) == 1:
            found[some[0]] = fault
            return
        for half in (some[: len(some) // 2], some[len(some) // 2 :]):
            if len(found) > MOST_RAISED:
                return
            try:
                job.run(given, store, threads=threads, means=means, only=frozenset(half).__contains__)
            except ROW_FAULTS as error:
                search(half, error)

    search(groups, error)
    if not found or len(found) > MOST_RAISED:
        raise error
    tables, breaches = job.run(given, store, threads=threads, means=means, only=lambda group: group not in found)
    owner = next((kind for row_type, kind in KINDS.items() if schema_of(row_type).names[0] == job.group), first)
    for group, fault in found.items():
        breaches.append(breach_of_error(job.stage, owner, group, fault, __file__))
    return tables, breaches


def _references(
    job: Job, row_type: type, given: Inputs, made: Mapping[str, pa.Table], store: Store
) -> dict[type, pa.Table]:
    """The tables that the rules of a row type need: as the stage made them, else as they were given."""
    arguments = {owner: name for name, owner in job.takes.items()}
    return {
        needed: made[KINDS[needed]]
        if job.makes.get(KINDS[needed]) is needed
        else pa.concat_tables(
            table.select(schema_of(needed).names) for table in _tables(given[arguments[needed]], store)
        )
        for needed in SUITES[row_type].needs
    }


def _was_source_missed(given: Inputs, job: Job, tables: Mapping[str, pa.Table]) -> bool:
    """Was a source not read although its bytes were there when it was listed? They may be back as they were."""
    source = given[next(iter(job.takes))]
    rows = [table for kind, table in tables.items() if job.makes.get(kind) is Quarantined]
    return bool(getattr(source, "digest", "")) and any(
        not PASSING_REASONS.isdisjoint(t["reason"].to_pylist()) for t in rows
    )


@cache
def _schema(row_type: type) -> list[str]:
    """The columns of a row type with their types, for the recipe."""
    return [f"{column.name} {column.type}" for column in schema_of(row_type)]


@cache
def _connected(tool: Tool, place: Path, threads: int, means: InferenceContext) -> Any:
    """The tool, connected once per process: a model takes seconds to load and stays for all documents."""
    return tool.connect(place, threads=threads, means=means)


def _identity(value: Any) -> Any:
    """What an input adds to the recipe: a table's name, or a row's compared fields (its file's location is none)."""
    if dataclasses.is_dataclass(value):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.compare}
    return value


def _tables(names: str | Sequence[str], store: Store) -> Iterator[pa.Table]:
    """One table or several, in their order."""
    return store.over(store.table, (names,) if isinstance(names, str) else names)


def _rows(names: str | Sequence[str], row_type: type, store: Store) -> Iterator[Any]:
    """The rows of one table or several, in their order."""
    for table in _tables(names, store):
        yield from from_table(table, row_type)
