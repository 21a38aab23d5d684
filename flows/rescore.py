"""The answers of a result scored once more, by other rules or another judge: no system is asked (inspect's `score`)."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pydantic import ValidationError

from rarefy.data_contracts.rows import Score, row_id
from rarefy.data_contracts.schemas import BESIDE, SCHEMAS
from rarefy.data_contracts.tables import schema_of
from rarefy.flows.config import Config
from rarefy.flows.engine.aggregate import RESULT, SCHEMA, conclude, options, packages, written
from rarefy.flows.engine.evaluation_stages import scoring
from rarefy.flows.engine.progress import WIDTH, Board
from rarefy.flows.engine.run import Run
from rarefy.flows.engine.table_versions import brought_up
from rarefy.flows.engine.workers import alone
from rarefy.flows.faults import UsageFault
from rarefy.flows.models import accounting
from rarefy.flows.reports.console import Terminal
from rarefy.tasks.evaluate.correct.agreement import agreement
from rarefy.tasks.export.files import put
from rarefy.tasks.store.tables import Store

MADE_HERE = ("scores", "figures")  # of the tables of a result
MAYBE = ("preferred", *BESIDE)  # of SURE's oracle experiment, where it was run; what the benchmark told of likeness
COMPUTED = ("figures", "funnel", "usage")  # of a summary: made anew from the scores
TOGETHER = 20_000  # answers that are scored in one go


def rescore(
    result: Path | str,
    out: Path | str,
    config: Config,
    store: str = ".rarefy",
    max_calls: int = 0,
    max_cost: float = 0.0,
    quiet: bool = False,
) -> dict[str, Any]:
    """The summary of a result after its answers were scored by [correct] of `config`, written into `out`.

    Trials, answers and the protocols' options are those of the result; [statistics] too, unless the config has them.
    Where `out` is the result's own folder, the scores, figures and summary that lay there stay beside the new ones,
    as scores.XXXX.parquet, named after the options that made them. UsageFault where the folder holds no finished
    result of this version, or the config has other options for its protocols.
    """
    place, target = Path(result), Path(out)
    told = _summary(place)
    config = _config(place, told, config)
    there = (*RESULT, *(name for name in MAYBE if (place / f"{name}.parquet").is_file()))
    tables = {name: brought_up(name, _table(place, name), told, place) for name in there}
    board = Board(Terminal(stderr=True), quiet)
    judge = config.correct.judge
    asked = accounting.means(config, uuid4().hex, max_calls, max_cost, [judge] if judge.provider else [])
    with board.open():
        run = Run(Store(store), board, alone, asked)
        scores = _scored(run, tables, told, config)
        board.say(f"{'changed':<{WIDTH}} {_changes(tables['scores'], scores)}")
        if (agreed := agreement(scores["votes"].to_pylist())) is not None:
            board.say(f"{'judge':<{WIDTH}} {agreed}")
        tables = {**tables, "scores": scores}
        meta = {name: value for name, value in told.items() if name not in COMPUTED}
        meta |= {"correctness": options(config.correct), "package": packages(), "schemas": SCHEMAS}
        meta |= {"statistics": config.statistics.model_dump(mode="json")}
        figures, summary = conclude(tables, meta, config)
        if target.resolve() == place.resolve():
            _keep(place, told)
        written(target, {**tables, "figures": figures}, summary, config)
        board.say(f"{'report':<{WIDTH}} in {target}")
    return summary


def _summary(place: Path) -> dict[str, Any]:
    file = place / "summary.json"
    try:
        told = json.loads(file.read_bytes())
    except FileNotFoundError:
        raise UsageFault(f"{place}: no summary.json, so that this is no finished result of `rarefy evaluate`") from None
    except ValueError as error:
        raise UsageFault(f"{file}: {error}; evaluate again") from error
    if not isinstance(told, dict) or "protocols" not in told or "systems" not in told:
        raise UsageFault(f"{file}: not a summary of `rarefy evaluate`; give the folder of a result")
    if told.get("schema") != SCHEMA:
        raise UsageFault(
            f"{file}: of schema {told.get('schema')}, and this version reads {SCHEMA}; evaluate "
            f"again with this version: "
            "what the systems answered lies in the store"
        )
    return told


def _config(place: Path, told: Mapping[str, Any], config: Config) -> Config:
    """The config with the options that made the result: trials and figures are told apart by none else."""
    stored: dict[str, Any] = {}
    for name, about in told["protocols"].items():
        values = {one["name"]: one["value"] for one in about["options"]}
        try:
            stored[name] = type(getattr(config.protocols, name)).model_validate(values)
        except (AttributeError, ValidationError) as error:
            raise UsageFault(
                f"{place / 'summary.json'}: options of {name} that this version does not know ({error}); evaluate again"
            ) from error
        if "protocols" in config.model_fields_set and name in config.protocols.model_fields_set:
            mine = getattr(config.protocols, name)
            if other := [key for key in type(mine).model_fields if getattr(mine, key) != getattr(stored[name], key)]:
                raise UsageFault(
                    f"protocols.{name}.{other[0]} differs from what made {place}; trials are made by it, so evaluate "
                    "again, or leave [protocols] out of the config"
                )
    changed: dict[str, Any] = {"protocols": config.protocols.model_copy(update=stored)}
    if "statistics" not in config.model_fields_set:
        changed["statistics"] = type(config.statistics).model_validate(told["statistics"])
    return config.model_copy(update=changed)


def _table(place: Path, name: str) -> pa.Table:
    file = place / f"{name}.parquet"
    try:
        return pq.read_table(file)
    except FileNotFoundError:
        raise UsageFault(f"{file} is not there, so that this is no whole result; evaluate again") from None
    except pa.ArrowInvalid as error:
        raise UsageFault(f"{file}: damaged ({error}); evaluate again: what was answered lies in the store") from error


def _scored(run: Run, tables: Mapping[str, pa.Table], told: Mapping[str, Any], config: Config) -> pa.Table:
    """The new scores, in the order of the old ones."""
    made = [schema_of(Score).empty_table()]
    for system in told["systems"]:
        job = scoring(config, system)
        parts = list(_portions(run.store, tables, system))
        line = run.board.line(job.stage, "answers", sum(part["rows"] for part in parts))
        known = {at: found for at, part in enumerate(parts) if (found := run.store.find(job.recipe(part)))}
        todo = [at for at in range(len(parts)) if at not in known]
        fresh: dict[int, dict[str, str]] = {}
        with accounting.watched(run, job, line, [parts[at] for at in todo], fresh):
            means = replace(run.means, stage=job.stage)
            for at, names in alone(job, [parts[at] for at in todo], run.store.url, means):
                known[todo[at]] = fresh[at] = names
                line.step(parts[todo[at]]["rows"])
        line.end(f"{sum(part['rows'] for part in parts):,} answers{run.spent(job)}")
        made += [run.store.table(known[at]["scores"]) for at in range(len(parts))]
    table = pa.concat_tables(made)
    return table.take(pc.sort_indices(table, sort_keys=[("trial_id", "ascending"), ("system", "ascending")]))


def _portions(store: Store, tables: Mapping[str, pa.Table], system: str) -> Iterator[dict[str, Any]]:
    """A system's answers in parts, those of a question together, each with its trials and questions."""
    answers = tables["answers"].filter(pc.equal(tables["answers"]["system"], system))
    of = dict(zip(*(tables["trials"][name].to_pylist() for name in ("trial_id", "question_id")), strict=True))
    rows: dict[str, list[int]] = defaultdict(list)
    for at, name in enumerate(answers["trial_id"].to_pylist()):
        if name not in of:
            raise UsageFault(
                f"answers.parquet has an answer to trial {name}, which trials.parquet has not; evaluate again"
            )
        rows[of[name]].append(at)
    some: list[str] = []
    names = sorted(rows)
    for at, name in enumerate(names):
        some.append(name)
        if at + 1 == len(names) or sum(len(rows[one]) for one in some) >= TOGETHER:
            places = sorted(place for one in some for place in rows[one])
            wanted = pa.array(some)
            yield {
                "path": f"answers to questions from {some[0]}",
                "answers": store.keep(answers.take(pa.array(places))),
                "trials": store.keep(_of(tables["trials"], wanted)),
                "questions": store.keep(_of(tables["questions"], wanted)),
                "rows": len(places),
            }
            some = []


def _of(table: pa.Table, questions: pa.Array) -> pa.Table:
    return table.filter(pc.is_in(table["question_id"], value_set=questions))


def _changes(before: pa.Table, after: pa.Table) -> str:
    """How many scores are other ones now, in words."""
    old, new = _verdicts(before), _verdicts(after)
    moved = Counter((old.get(key, "missing"), verdict) for key, verdict in new.items())
    other = {pair: count for pair, count in moved.items() if pair[0] != pair[1]}
    if not other:
        return f"none of {len(new):,} scores"
    told = ", ".join(
        f"{count:,} {a} → {b}" for (a, b), count in sorted(other.items(), key=lambda one: (-one[1], one[0]))
    )
    return f"{sum(other.values()):,} of {len(new):,} scores: {told}"


def _verdicts(table: pa.Table) -> dict[tuple[str, str], str]:
    columns: Sequence[list[Any]] = [table[name].to_pylist() for name in ("trial_id", "system", "status", "value")]
    named = {0.0: "wrong", 1.0: "right"}
    return {
        (trial, system): named.get(value, f"{value:.2g}") if status == "scored" else status
        for trial, system, status, value in zip(*columns, strict=True)
    }


def _keep(place: Path, told: Mapping[str, Any]) -> None:
    """What lay there stays beside the new: it cost somebody a judge."""
    name = row_id("correct", json.dumps([told["correctness"], told["statistics"]], sort_keys=True))[:8]
    for one in MADE_HERE:
        put(place / f"{one}.{name}.parquet", [(place / f"{one}.parquet").read_bytes()])
    put(place / f"summary.{name}.json", [(place / "summary.json").read_bytes()])
