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
from rarefy.flows.engine.aggregate import RESULT, SCHEMA, aggregate_scores, list_options, package_versions, write_result
from rarefy.flows.engine.benchmark_folder import migrate_table
from rarefy.flows.engine.progress import ProgressBoard
from rarefy.flows.engine.run import Run
from rarefy.flows.engine.stages import scoring
from rarefy.flows.engine.workers import run_in_process
from rarefy.flows.faults import UsageFault
from rarefy.flows.models import accounting
from rarefy.flows.reports.console import Terminal
from rarefy.tasks.evaluate.correct.judging import measure_agreement
from rarefy.tasks.export.files import put_file
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
    summary_before = _summary(place)
    config = _config(place, summary_before, config)
    there = (*RESULT, *(name for name in MAYBE if (place / f"{name}.parquet").is_file()))
    tables = {name: migrate_table(name, _table(place, name), summary_before, place) for name in there}
    board = ProgressBoard(Terminal(stderr=True), quiet)
    judge = config.correct.judge
    asked = accounting.inference_context(config, uuid4().hex, max_calls, max_cost, [judge] if judge.provider else [])
    with board.open():
        run = Run(Store(store), board, run_in_process, asked)
        scores = _score(run, tables, summary_before, config)
        board.note("changed", f"{_changes(tables['scores'], scores)}")
        if (agreed := measure_agreement(scores["votes"].to_pylist())) is not None:
            board.note("judge", f"{agreed}")
        tables = {**tables, "scores": scores}
        meta = {name: value for name, value in summary_before.items() if name not in COMPUTED}
        meta |= {"correctness": list_options(config.correct), "package": package_versions(), "schemas": SCHEMAS}
        meta |= {"statistics": config.statistics.model_dump(mode="json")}
        figures, summary = aggregate_scores(tables, meta, config)
        if target.resolve() == place.resolve():
            _keep_old(place, summary_before)
        write_result(target, {**tables, "figures": figures}, summary, config)
        board.note("report", f"in {target}")
    return summary


def _summary(place: Path) -> dict[str, Any]:
    file = place / "summary.json"
    try:
        about = json.loads(file.read_bytes())
    except FileNotFoundError:
        raise UsageFault(f"{place}: no summary.json, so that this is no finished result of `rarefy evaluate`") from None
    except ValueError as error:
        raise UsageFault(f"{file}: {error}; evaluate again") from error
    if not isinstance(about, dict) or "protocols" not in about or "systems" not in about:
        raise UsageFault(f"{file}: not a summary of `rarefy evaluate`; give the folder of a result")
    if about.get("schema") != SCHEMA:
        raise UsageFault(
            f"{file}: of schema {about.get('schema')}, and this version reads {SCHEMA}; evaluate "
            f"again with this version: "
            "what the systems answered lies in the store"
        )
    return about


def _config(place: Path, told: Mapping[str, Any], config: Config) -> Config:
    """The config with the protocols' options that made the result, and its statistics unless the config has them."""
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


def _score(run: Run, tables: Mapping[str, pa.Table], told: Mapping[str, Any], config: Config) -> pa.Table:
    """The new scores, in the order of the old ones."""
    made = [schema_of(Score).empty_table()]
    for system in told["systems"]:
        job = scoring(config, system)
        parts = list(_batch_answers(run.store, tables, system))
        line = run.board.line(job.stage, "answers", sum(part["rows"] for part in parts))
        known = {at: found for at, part in enumerate(parts) if (found := run.store.find(job.recipe(part)))}
        todo = [at for at in range(len(parts)) if at not in known]
        fresh: dict[int, dict[str, str]] = {}
        with accounting.watch_requests(run, job, line, [parts[at] for at in todo], fresh):
            means = replace(run.context, stage=job.stage)
            for at, names in run_in_process(job, [parts[at] for at in todo], run.store.url, means):
                known[todo[at]] = fresh[at] = names
                line.step(parts[todo[at]]["rows"])
        line.end(f"{sum(part['rows'] for part in parts):,} answers{run.describe_usage(job)}")
        made += [run.store.table(known[at]["scores"]) for at in range(len(parts))]
    table = pa.concat_tables(made)
    return table.take(pc.sort_indices(table, sort_keys=[("trial_id", "ascending"), ("system", "ascending")]))


def _batch_answers(store: Store, tables: Mapping[str, pa.Table], system: str) -> Iterator[dict[str, Any]]:
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
                "trials": store.keep(_rows_of(tables["trials"], wanted)),
                "questions": store.keep(_rows_of(tables["questions"], wanted)),
                "rows": len(places),
            }
            some = []


def _rows_of(table: pa.Table, questions: pa.Array) -> pa.Table:
    return table.filter(pc.is_in(table["question_id"], value_set=questions))


def _changes(before: pa.Table, after: pa.Table) -> str:
    """The number of scores that changed, and how, in words."""
    old, new = _verdicts(before), _verdicts(after)
    moved = Counter((old.get(key, "missing"), verdict) for key, verdict in new.items())
    other = {pair: count for pair, count in moved.items() if pair[0] != pair[1]}
    if not other:
        return f"none of {len(new):,} scores"
    counts = ", ".join(
        f"{count:,} {a} → {b}" for (a, b), count in sorted(other.items(), key=lambda one: (-one[1], one[0]))
    )
    return f"{sum(other.values()):,} of {len(new):,} scores: {counts}"


def _verdicts(table: pa.Table) -> dict[tuple[str, str], str]:
    columns: Sequence[list[Any]] = [table[name].to_pylist() for name in ("trial_id", "system", "status", "value")]
    named = {0.0: "wrong", 1.0: "right"}
    return {
        (trial, system): named.get(value, f"{value:.2g}") if status == "scored" else status
        for trial, system, status, value in zip(*columns, strict=True)
    }


def _keep_old(place: Path, told: Mapping[str, Any]) -> None:
    """Keep copies of the old scores, figures and summary beside the new ones: they may have cost a judge."""
    name = row_id("correct", json.dumps([told["correctness"], told["statistics"]], sort_keys=True))[:8]
    for one in MADE_HERE:
        put_file(place / f"{one}.{name}.parquet", [(place / f"{one}.parquet").read_bytes()])
    put_file(place / f"summary.{name}.json", [(place / "summary.json").read_bytes()])
