"""A system in a result's folder, and whether two of them were made alike enough to be compared."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import ValidationError

from rarefy.flows.engine.table_versions import brought_up
from rarefy.flows.faults import UsageFault
from rarefy.tasks.evaluate.protocols.frame import Frame

SCHEMA = 1  # of a result's folder
TABLES = ("trials", "answers", "scores", "questions", "chunks")
UNREAD = {"detail", "why"}  # long texts that no number is made of
ALIKE = ("retrieval", "package")  # sections of a summary: where they differ it is said


@dataclass(frozen=True)
class Side:
    """A system in a result's folder."""

    folder: str
    system: str
    benchmark: str  # version
    about: Mapping[str, Any]  # the summary


def side(folder: Path, named: Sequence[str]) -> Side:
    """A system of a result's folder: the one that is named, or the only one."""
    place = Path(folder) / "summary.json"
    try:
        about = json.loads(place.read_text(encoding="utf-8"))
        schema, systems, version = about["schema"], about["systems"], str(about["benchmark"]["version"])
        _ = about["protocols"].values(), about["correctness"], about["left_out"]  # all that is looked at below
    except FileNotFoundError:
        raise UsageFault(f"{folder} holds no result: no summary.json in it (`rarefy evaluate ... --out DIR`)") from None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageFault(f"{place} is not a summary of `rarefy evaluate` ({error!r}); make the result again") from error
    if schema != SCHEMA:
        raise UsageFault(f"{place} is a result of schema {schema}, not {SCHEMA}: make it again with this rarefy")
    (name,) = named or ([*systems] if len(systems) == 1 else [""])
    if name not in systems:
        there = ", ".join(sorted(systems))
        said = f"has no system {name!r}" if name else "has several systems: say which with --system"
        raise UsageFault(f"{folder} {said}; there: {there}")
    return Side(str(folder), name, version, about)


def shared_protocols(first: Side, second: Side, asked: Sequence[str]) -> list[str]:
    """Those that both results have, or those asked for of them."""
    there = [name for name in first.about["protocols"] if name in second.about["protocols"]]
    lacking = [name for name in asked if name not in there]
    if lacking or not there:
        said = f"no {', '.join(lacking)} in both results" if lacking else "the results have no protocol in common"
        raise UsageFault(f"{said}; both have: {', '.join(there) or 'none'}")
    return [name for name in there if not asked or name in asked]


def unlike(first: Side, second: Side, protocols: Sequence[str]) -> list[str]:
    """Options that change what a score means, where the two sides differ in them."""
    pairs = {"correctness": [one.about["correctness"] for one in (first, second)]}
    pairs |= {name: [one.about["protocols"][name]["options"] for one in (first, second)] for name in protocols}
    told = []
    for section, both in pairs.items():
        left, right = ({row["name"]: row["value"] for row in rows} for rows in both)
        told += [
            f"{section}.{name}: {json.dumps(left.get(name))} in {first.folder}, "
            f"{json.dumps(right.get(name))} in {second.folder}"
            for name in sorted({*left, *right})
            if left.get(name) != right.get(name)
        ]
    return told


def differing(first: Side, second: Side) -> list[str]:
    """What else is not the same, and may be what changed the numbers."""
    told = []
    if first.benchmark != second.benchmark:
        versions = f"{first.benchmark} and {second.benchmark}"
        told.append(f"benchmark: versions {versions}; compared on the questions that are the same in both")
    left, right = (one.about["benchmark"].get("split") for one in (first, second))
    if left != right:
        told.append(f"benchmark: questions of the split {left!r} and of {right!r}")
    for section in ALIKE:
        left, right = first.about.get(section), second.about.get(section)
        if left != right:
            told.append(f"{section}: not the same on both sides ({_which(left, right)})")
    return told


def _which(left: Any, right: Any) -> str:
    """The entries that differ."""
    if not isinstance(left, Mapping) or not isinstance(right, Mapping):
        return f"{left} and {right}"
    return ", ".join(
        f"{name}: {left.get(name)} and {right.get(name)}"
        for name in sorted({*left, *right})
        if left.get(name) != right.get(name)
    )


def tables_of(side: Side, *more: str) -> dict[str, pa.Table]:
    """The tables of a result that numbers are made of, and `more` by name."""
    return {name: _table(Path(side.folder), name, side.about) for name in (*TABLES, *more)}


def frames_of(side: Side, protocols: Sequence[str], tables: Mapping[str, pa.Table]) -> dict[str, Frame]:
    """The frame of each protocol."""
    from rarefy.flows.engine.aggregate import frames  # late: it imports all that figures come from

    about = side.about
    only = {
        **about,
        "systems": {side.system: about["systems"][side.system]},
        "protocols": {name: about["protocols"][name] for name in protocols},
    }
    return {name: one for _, name, one in frames(tables, only)}


def _table(folder: Path, name: str, about: Mapping[str, Any]) -> pa.Table:
    """A table of a result."""
    place = folder / f"{name}.parquet"
    try:
        there = pq.read_schema(place).names
        table = pq.read_table(place, columns=[column for column in there if column not in UNREAD])
        return brought_up(name, table, about, place)
    except FileNotFoundError:
        raise UsageFault(f"{place} is not there: the result is not whole; run its `rarefy evaluate` again") from None
    except pa.ArrowException as error:
        raise UsageFault(f"{place} cannot be read ({error}); run its `rarefy evaluate` again") from error


def options(model: Any, side: Side, protocol: str) -> Any:
    """The options that a protocol was run with."""
    told = {row["name"]: row["value"] for row in side.about["protocols"][protocol]["options"]}
    try:
        return model(**told)
    except ValidationError as error:
        raise UsageFault(f"{side.folder}: this rarefy does not know these options of {protocol}: {error}") from error


def documents(frame: Frame) -> list[str]:
    """The document of each question; UsageFault where none is known."""
    of = dict(zip(frame.rows["question_id"], frame.rows["doc_id"], strict=True))
    if not any(of.values()):
        raise UsageFault("no question's document is known here: cluster by question (statistics.cluster)")
    return [of[name] for name in frame.questions]
