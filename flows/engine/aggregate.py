"""Scores aggregated: every protocol's figures for every system, and the files of a result."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel

from rarefy.data_contracts.rows import Chunk, Figure, Hits, Passage, Question, Variant
from rarefy.data_contracts.schemas import BESIDE
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.flows.config import Config
from rarefy.tasks.evaluate.protocols import PROTOCOLS, attribution
from rarefy.tasks.evaluate.protocols.budget import FEWEST
from rarefy.tasks.evaluate.protocols.effect_size import REPEAT
from rarefy.tasks.evaluate.protocols.frame import Frame, build_frame
from rarefy.tasks.evaluate.protocols.sure import build_sig_table
from rarefy.tasks.evaluate.protocols.sure_oracle import Preferred, compare_features
from rarefy.tasks.evaluate.results import find_findings, markdown, page, summary
from rarefy.tasks.evaluate.results.findings import ANY
from rarefy.tasks.evaluate.retrieve import measured
from rarefy.tasks.evaluate.retrieve.system_hits import measured_of_system
from rarefy.tasks.evaluate.retrieve.trec import write_qrels, write_run
from rarefy.tasks.evaluate.statistics import figures
from rarefy.tasks.evaluate.statistics.measure import Metric
from rarefy.tasks.export.files import put_file

Tables = Mapping[str, pa.Table]
SCHEMA = 1  # of a result's folder
RESULT = ("trials", "answers", "scores", "questions", "chunks", "variants", "hits", "figures")


def aggregate_scores(tables: Tables, meta: Mapping[str, Any], config: Config) -> tuple[pa.Table, dict[str, Any]]:
    """The table of figures and the summary of the scores that there are; asks no model and no system."""
    made = list(frames(tables, meta))
    found = sorted(_figures(made, tables, meta, config), key=lambda row: row.figure_id)
    counts: dict[str, Any] = {"funnel": list(_funnel(tables, meta)), "usage": dict(_usage(tables, meta))}
    counts["findings"] = find_findings(made, tables)
    return to_table(found, Figure), summary({**meta, **counts}, found)


def write_result(out: Path, tables: Tables, about: dict[str, Any], config: Config) -> None:
    """Write a result's folder: tables, TREC runs, report, and summary.json last of all; `about` is the summary."""
    out.mkdir(parents=True, exist_ok=True)
    for name in (*RESULT, "preferred", *BESIDE):
        put_file(out / f"{name}.parquet", tables.get(name))
    put_file(out / "sig.parquet", _sig(tables, about, config))
    _write_runs(out / "runs", tables)
    put_file(out / "summary.md", [markdown(about, out.name).encode()])
    put_file(out / "report.html", [page(about, tables, out.name).encode()])
    put_file(out / "summary.json", [json.dumps(about, indent=1, ensure_ascii=False, allow_nan=False).encode(), b"\n"])


def _sig(tables: Tables, meta: Mapping[str, Any], config: Config) -> pa.Table | None:
    """SURE's SIG pairs, where two systems were put to it (SURE §4.3)."""
    found = {system: one for system, protocol, one in frames(tables, meta) if protocol == "sure"}
    return build_sig_table(found, config.protocols.sure) if len(found) > 1 else None


def _write_runs(folder: Path, tables: Tables) -> None:
    """Write each retriever's hits as a TREC run, and the gold chunks of every wording as qrels."""
    folder.mkdir(exist_ok=True)
    for name in sorted(set(tables["hits"]["retriever"].to_pylist())):
        mine = tables["hits"].filter(pc.equal(tables["hits"]["retriever"], name))
        write_run(folder / f"{re.sub(r'[^A-Za-z0-9_.-]+', '_', name)}.run", _rows(mine, Hits))
    questions = {row.question_id: row for row in _rows(tables["questions"], Question)}
    variants = tables["variants"].filter(pc.equal(tables["variants"]["side"], "query"))
    write_qrels(folder / "qrels.txt", questions, _rows(variants, Variant))


def frames(tables: Tables, meta: Mapping[str, Any]) -> Iterator[tuple[str, str, Frame]]:
    """System, protocol and frame of each pair that has trials; without those that a system cannot be put to."""
    trials, scores, answers = tables["trials"], tables["scores"], tables["answers"]
    for system, about in meta["systems"].items():
        its = _trials_of_system(trials, about)
        own = answers.filter(pc.equal(answers["system"], system))
        mine = scores.filter(pc.equal(scores["system"], system))
        for protocol in meta["protocols"]:
            tried = its.filter(pc.equal(its["protocol"], protocol))
            if tried.num_rows and not _is_left_out(meta, system, protocol):
                judged = mine.filter(pc.equal(mine["protocol"], protocol))
                yield system, protocol, build_frame(tried, own, judged, tables["questions"], tables["chunks"])


def _trials_of_system(trials: pa.Table, about: Mapping[str, Any]) -> pa.Table:
    """The trials that are a system's, as `systems.answer.put_to` has it."""
    rows = trials.select(["given", "protocol", "question_id"]).to_pandas()
    mine = rows["given"].isin(about["takes"])
    if not about["retrieves"] and "passages" in about["takes"]:
        keys = rows["protocol"] + " " + rows["question_id"]
        mine &= ~((rows["given"] == "own") & keys.isin(set(keys[rows["given"] == "passages"])))
    return trials.filter(pa.array(mine.to_numpy()))


def _is_left_out(meta: Mapping[str, Any], system: str, protocol: str) -> bool:
    return any((row["system"], row["protocol"]) == (system, protocol) for row in meta["left_out"])


def _figures(
    made: Iterable[tuple[str, str, Frame]], tables: Tables, meta: Mapping[str, Any], config: Config
) -> Iterator[Figure]:
    by_protocol: dict[str, dict[str, Frame]] = {}
    budget = meta.get("budget")
    fewest = 0 if not budget or budget["asked"] == budget.get("of") else math.inf if budget["look"] else FEWEST
    for system, name, one in made:
        protocol, options = PROTOCOLS[name], getattr(config.protocols, name)
        if protocol.across and len(meta["systems"]) > 1:
            by_protocol.setdefault(name, {})[system] = protocol.counted(one)
        clusters = _clusters(one, config.statistics.cluster)
        measures = (*protocol.numbers(one, options), *attribution.measures(one))
        about = {"system": system, "protocol": name, "config": config.statistics, "clusters": clusters}
        yield from figures(measures, **about, fewest=fewest)
    for name, frames_ in by_protocol.items():
        across = PROTOCOLS[name].across
        if across is None or len(frames_) < 2:
            continue
        of: dict[str, list[Metric]] = {}
        for label, measure in across(frames_, getattr(config.protocols, name)):
            of.setdefault(label, []).append(measure)
        clusters = _clusters(next(iter(frames_.values())), config.statistics.cluster)
        for label, measures_of_label in of.items():
            about = {"system": label, "protocol": name, "config": config.statistics, "clusters": clusters}
            yield from figures(measures_of_label, **about, fewest=fewest)
    if tables["hits"].num_rows:
        yield from _of_retrieval(tables, config)
    for system, about in meta["systems"].items():
        if about["retrieves"]:
            yield from _of_own_retrieval(system, tables, config)
    if "preferred" in tables:
        rows = _rows(tables["preferred"], Preferred)
        yield from compare_features(rows, config.oracle, system=config.oracle.likelihood.llm.model)


def _of_retrieval(tables: Tables, config: Config) -> Iterator[Figure]:
    """How good each retriever is, whatever system is put to the test."""
    questions = {row.question_id: row for row in _rows(tables["questions"], Question)}
    variants = tables["variants"].filter(pc.equal(tables["variants"]["side"], "query"))
    measures = measured(
        _rows(tables["hits"], Hits),
        questions,
        {row.chunk_id: row for row in _rows(tables["chunks"], Chunk)},
        {row.variant_id: row for row in _rows(variants, Variant)},
        config.retrieve,
        config.measured,
    )
    yield from figures(measures, system="", protocol="retrieval", config=config.statistics, clusters=None)


def _of_own_retrieval(system: str, tables: Tables, config: Config) -> Iterator[Figure]:
    """How good the retriever of a system is that says what it retrieved."""
    retrieved = list_own_passages(system, tables)
    variants = tables["variants"].filter(
        pc.is_in(tables["variants"]["variant_id"], value_set=pa.array(list(retrieved), pa.string()))
    )
    measures = measured_of_system(
        system,
        retrieved,
        {row.question_id: row for row in _rows(tables["questions"], Question)},
        {row.chunk_id: row for row in _rows(tables["chunks"], Chunk)},
        {row.variant_id: row for row in _rows(variants, Variant)},
        config.measured,
    )
    yield from figures(measures, system=system, protocol="retrieval", config=config.statistics, clusters=None)


def list_own_passages(system: str, tables: Tables, *, unchanged: bool = False) -> dict[str, list[Passage] | None]:
    """What a system retrieved itself for each wording by query_id, best first; None where no answer came.

    `unchanged`: for the questions as they stand alone, by question_id.
    """
    wording = "question_id" if unchanged else "query_id"
    columns = ("trial_id", "cell", "given", "query", "skipped_because", wording)
    trials = [row for row in tables["trials"].select(columns).to_pylist() if row["given"] == "own"]
    trials = [row for row in trials if not row["skipped_because"] and not (unchanged and row["query"] not in ANY)]
    # of one wording under several protocols, and asked again for the noise floor, once
    trials.sort(key=lambda row: (row["cell"] == REPEAT, row["trial_id"]))
    mine = tables["answers"].filter(pc.equal(tables["answers"]["system"], system))
    mine = mine.filter(pc.is_in(mine["trial_id"], value_set=pa.array([row["trial_id"] for row in trials], pa.string())))
    came = {
        row["trial_id"]: None if row["error"] else [Passage(**one) for one in row["retrieved"]]
        for row in mine.select(["trial_id", "error", "retrieved"]).to_pylist()
    }
    return {row[wording]: came[row["trial_id"]] for row in reversed(trials) if row["trial_id"] in came}


def _rows(table: pa.Table, row_type: type) -> Iterable[Any]:
    return from_table(table, row_type)


def _clusters(one: Frame, by: str) -> list[str] | None:
    """The document of each question, where intervals are drawn from documents."""
    if by != "document":
        return None
    of = dict(zip(one.rows["question_id"], one.rows["doc_id"], strict=True))
    return [of[name] for name in one.questions]


def _funnel(tables: Tables, meta: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Trials, answers and scores of each system and protocol: how many went in, how many came out, and why fewer."""
    reasons = dict(zip(*(tables["trials"][c].to_pylist() for c in ("trial_id", "skipped_because")), strict=True))
    for system, protocol, one in frames(tables, meta):
        rows = one.rows
        skipped = Counter(reasons[name] for name in rows["trial_id"][rows["status"] == "skipped"])
        tried = len(rows) - skipped.total()
        about = {"system": system, "protocol": protocol}
        yield {"stage": "trials", **about, "in": len(rows), "out": tried, "reasons": _by_count(skipped)}
        mine = tables["answers"].filter(pc.equal(tables["answers"]["system"], system))
        faults = dict(zip(mine["trial_id"].to_pylist(), mine["error"].to_pylist(), strict=True))
        errors = Counter(faults.get(name, "not_asked") for name in rows["trial_id"][rows["status"] != "skipped"])
        answered = errors.pop("", 0)
        yield {"stage": "answers", **about, "in": tried, "out": answered, "reasons": _by_count(errors)}
        mine = tables["scores"].filter(pc.equal(tables["scores"]["system"], system))
        why = dict(zip(mine["trial_id"].to_pylist(), mine["why"].to_pylist(), strict=True))
        lost = rows["trial_id"][rows["status"].isin(["failed", "missing"])]
        unscored = Counter(why.get(name) or "not_scored" for name in lost if faults.get(name, "not_asked") == "")
        scored = int((rows["status"] == "scored").sum())
        yield {"stage": "scores", **about, "in": answered, "out": scored, "reasons": _by_count(unscored)}


def _by_count(reasons: Counter[str]) -> dict[str, int]:
    return dict(sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0])))


def _usage(tables: Tables, meta: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """What each system used: what was asked once for several trials counts once."""
    columns = ["asked_id", "prompt_tokens", "completion_tokens", "calls", "seconds", "cost"]
    for system in meta["systems"]:
        mine = tables["answers"].filter(pc.equal(tables["answers"]["system"], system)).select(columns).to_pandas()
        once = mine.drop_duplicates("asked_id")
        yield (
            system,
            {
                "answers": len(mine),
                "asked": len(once),
                **{name: int(once[name].sum()) for name in ("calls", "prompt_tokens", "completion_tokens")},
                "cost": round(float(once["cost"].sum()), 6),
                "currency": meta.get("currency", ""),
                "seconds": round(float(once["seconds"].sum()), 3),
            },
        )


def list_options(config: BaseModel) -> list[dict[str, Any]]:
    """The options of a protocol as they were chosen, each with what the paper says of it."""
    rows = []
    for name, field in type(config).model_fields.items():
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        value = getattr(config, name)
        plain = config.model_dump(mode="json")[name] if not isinstance(value, str | int | float | bool) else value
        about = {key: extra.get(key, "") for key in ("tag", "source")}
        rows.append({"name": name, "value": plain, **about, "description": field.description or ""})
    return rows


def list_open_options(config: BaseModel, of: str, path: str = "") -> list[dict[str, Any]]:
    """The options of a section, and of sections in it, that a paper leaves open or that were reconstructed."""
    mine = [row for row in list_options(config) if row["tag"] in ("open", "recon")]
    rows = [{"of": of, **row, "name": path + row["name"]} for row in mine]
    for name in type(config).model_fields:
        inner = getattr(config, name)
        if isinstance(inner, BaseModel):
            rows += list_open_options(inner, of, f"{path}{name}.")
    return rows


def package_versions() -> dict[str, str]:
    """The versions that figures depend on."""
    return {name: version(name) for name in ("rarefy", "numpy", "pandas", "scipy")}
