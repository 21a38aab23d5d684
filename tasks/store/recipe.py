"""What a stage is made with, and the making of it: all that a worker needs to know (architecture §3, §5, §6)."""

import dataclasses
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
from pydantic import BaseModel

from rarefy.data_contracts.breaches import KINDS, RAISED, raised, set_aside, unmakeable
from rarefy.data_contracts.rows import Breach, Quarantined, Unanswered
from rarefy.data_contracts.suites import SUITES
from rarefy.data_contracts.tables import Keyed, Pile, from_table, schema_of, to_table
from rarefy.tasks.find import find
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.llm.faults import TRANSIENT
from rarefy.tasks.store.tables import Store, digest

Given = Mapping[str, Any]  # argument of the stage -> name of a table, names of tables, or the one row it works on
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rarefy"  # of a store that is no folder
Watch = Callable[[Iterable[Any]], Iterable[Any]]  # sees the rows pass
MISSED = frozenset(  # reasons that hang on the moment, not on the bytes
    ("changed_while_reading", "unreadable_file", "read_timeout", "read_memory", "reader_died")
)
ALONE = InferenceContext()  # of a stage that asks no model
BREACHES = "breaches"  # kind of the table of rows that were set aside; a job has it only where there are some
# What code raises that stumbles over a row; what a disk, a network, a budget or a person does is none of these
ROW_FAULTS = (ArithmeticError, AssertionError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
MOST_RAISED = 50  # groups of rows a stage may stumble over in one batch; of more, the stage is at fault and not they


class Tool(Protocol):
    """The config of something that a stage works with; it travels, what it connects to does not."""

    def __hash__(self) -> int:
        """Equal configs are one tool."""

    def connect(self, cache: Path, *, threads: int, means: InferenceContext) -> Any:
        """The tool; what it remembers lies in the folder; threads and means change nothing it says."""

    def identity(self) -> dict[str, Any]:
        """What its answers hang on, as plain data."""


@dataclass(frozen=True)
class Job:
    """One stage, told what it works with: equal jobs of equal things given make equal tables."""

    stage: str
    function: str  # module:function, so that a worker imports the stage and nothing else
    version: int
    takes: Mapping[str, type]  # argument -> type of its rows; the first is gone through, the others come as {id: row}
    makes: Mapping[str, type]  # kind of table -> type of its rows
    config: BaseModel | None = None
    tools: Mapping[str, Tool] = field(default_factory=dict)  # by argument
    surroundings: Mapping[str, str] = field(default_factory=dict)  # what else its rows hang on: data, packages, parts
    lasting: bool = True  # what failed for want of more than a moment is finished; False: the next run tries it again
    group: str = ""  # field of the first rows: those of one value are worked on apart from all others; "": all together

    def recipe(self, given: Given) -> str:
        """The name of what this job makes of these."""
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
        """The tables whose rules on rows can be held where they are made: all that these are held against is given.

        A table under another name (the variants that are an evaluation's noise) is not the one that the rules are of.
        """
        given = {*self.takes.values()}
        return {
            kind: row_type
            for kind, row_type in self.makes.items()
            if kind == KINDS.get(row_type) and row_type in SUITES and given.issuperset(SUITES[row_type].needs)
        }

    def run(
        self,
        given: Given,
        store: Store,
        watch: Watch = iter,
        threads: int = 1,
        means: InferenceContext = ALONE,
        only: Callable[[str], bool] | None = None,
    ) -> tuple[dict[str, pa.Table], list[Breach]]:
        """The tables this job makes of these, kind for kind, and the rows that no table can hold.

        `watch` sees the rows that the stage goes through; `only` says of a group whether its rows are among them.
        """
        first, *others = self.takes
        rows = (
            given[first]
            if dataclasses.is_dataclass(given[first])
            else watch(_rows(given[first], self.takes[first], store))
        )
        if only:
            rows = (row for row in rows if only(getattr(row, self.group)))
        keywords: dict[str, Any] = {name: Keyed(_tables(given[name], store), self.takes[name]) for name in others}
        place = Path(store.root) if store.local else CACHE
        keywords |= {name: _connected(tool, place, threads, means) for name, tool in self.tools.items()}
        configs = () if self.config is None else (self.config,)
        made = {row_type: Pile(row_type) for row_type in self.makes.values()}
        for row in find(self.function, {})(rows, *configs, **keywords):
            made[type(row)].add(row)
        tables = {kind: made[row_type].table() for kind, row_type in self.makes.items()}
        refused = [
            unmakeable(self.stage, row_type, row, error) for row_type in made for row, error in made[row_type].refused
        ]
        return tables, refused


def make(
    given: Given, job: Job, url: str, watch: Watch = iter, threads: int = 1, means: InferenceContext = ALONE
) -> dict[str, str]:
    """The names of the tables that `job` makes of these; made now unless they were made before.

    Rows that break a rule are set aside in a table of their own, "breaches", which is there only where there are some.
    Tables that lack what a model could not answer just now, what the stage stumbled over, or a source that was being
    written to, are good for this run alone: the next one tries again.
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
        tables[kind], broken = set_aside(job.stage, row_type, tables[kind], _references(job, row_type, given, store))
        breaches += broken
    if breaches:
        tables[BREACHES] = to_table(breaches, Breach)
    reasons = {
        reason
        for kind, table in tables.items()
        if job.makes.get(kind) is Unanswered
        for reason in table["reason"].to_pylist()
    }
    spoilt = not TRANSIENT.isdisjoint(reasons) or (bool(reasons) and not job.lasting) or _missed(given, job, tables)
    spoilt = spoilt or any(one.rule == RAISED for one in breaches)  # by code that may be mended meanwhile
    kept = store.over(store.keep, tables.values())
    return dict(zip(tables, kept, strict=True)) if spoilt else store.put(recipe, tables)


def _without_raisers(
    job: Job, given: Given, store: Store, threads: int, means: InferenceContext, error: Exception
) -> tuple[dict[str, pa.Table], list[Breach]]:
    """The tables of all groups of rows but those the stage stumbles over, which are breaches; `error` is the first.

    They are found by halving. The error itself is raised where the rows cannot be told apart, where no group raises
    it alone, and where there are too many of them, for then it is the stage's fault.
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
        breaches.append(raised(job.stage, owner, group, fault, __file__))
    return tables, breaches


def _references(job: Job, row_type: type, given: Given, store: Store) -> dict[type, pa.Table]:
    """The tables that the rules of a row type are held against, of what the job is given."""
    arguments = {owner: name for name, owner in job.takes.items()}
    return {
        needed: pa.concat_tables(
            table.select(schema_of(needed).names) for table in _tables(given[arguments[needed]], store)
        )
        for needed in SUITES[row_type].needs
    }


def _missed(given: Given, job: Job, tables: Mapping[str, pa.Table]) -> bool:
    """Was a source not read whose bytes were there when it was listed? They may be back as they were."""
    source = given[next(iter(job.takes))]
    rows = [table for kind, table in tables.items() if job.makes.get(kind) is Quarantined]
    return bool(getattr(source, "digest", "")) and any(not MISSED.isdisjoint(t["reason"].to_pylist()) for t in rows)


@cache
def _schema(row_type: type) -> list[str]:
    """The columns of a row type: with another field it is another table."""
    return [f"{column.name} {column.type}" for column in schema_of(row_type)]


@cache
def _connected(tool: Tool, place: Path, threads: int, means: InferenceContext) -> Any:
    """The tool, connected once per process: a model takes seconds to load and stays for all documents."""
    return tool.connect(place, threads=threads, means=means)


def _identity(value: Any) -> Any:
    """What of a thing given counts: a table's name, or a row's compared fields (where a file lies is none of them)."""
    if dataclasses.is_dataclass(value):
        return {f.name: getattr(value, f.name) for f in dataclasses.fields(value) if f.compare}
    return value


def _tables(names: str | Sequence[str], store: Store) -> Iterator[pa.Table]:
    """A table, or several one after the other."""
    return store.over(store.table, (names,) if isinstance(names, str) else names)


def _rows(names: str | Sequence[str], row_type: type, store: Store) -> Iterator[Any]:
    """The rows of a table, or of several one after the other."""
    for table in _tables(names, store):
        yield from from_table(table, row_type)
