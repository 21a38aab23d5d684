"""What scores come to: every protocol's figures for every system, and the files that tell them."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel

from rarefy.data_contracts.rows import Chunk, Figure, Hits, Question, Variant
from rarefy.data_contracts.schemas import BESIDE
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.flows.config import Config
from rarefy.tasks.evaluate.protocols import PROTOCOLS, attribution
from rarefy.tasks.evaluate.protocols.frame import Frame, frame
from rarefy.tasks.evaluate.protocols.sure_oracle import Preferred, differences
from rarefy.tasks.evaluate.protocols.sure_sig import sig
from rarefy.tasks.evaluate.results import markdown, page, summary
from rarefy.tasks.evaluate.retrieve import measured
from rarefy.tasks.evaluate.retrieve.trec import write_qrels, write_run
from rarefy.tasks.evaluate.statistics import figures
from rarefy.tasks.evaluate.statistics.measure import Figured
from rarefy.tasks.export.files import put

Tables = Mapping[str, pa.Table]
SCHEMA = 1  # of a result's folder
RESULT = ("trials", "answers", "scores", "questions", "chunks", "variants", "hits", "figures")


def conclude(tables: Tables, meta: Mapping[str, Any], config: Config) -> tuple[pa.Table, dict[str, Any]]:
    """The table of figures, and the summary: of whatever scores there are, asking nobody."""
    found = sorted(_figures(tables, meta, config), key=lambda row: row.figure_id)
    told = {**meta, **_counted(tables, meta)}
    return to_table(found, Figure), summary(told, found)


def written(out: Path, tables: Tables, told: dict[str, Any], config: Config) -> None:
    """Put a result into its folder: the tables, the summary in three forms, and the summary last of all."""
    out.mkdir(parents=True, exist_ok=True)
    for name in (*RESULT, "preferred", *BESIDE):
        put(out / f"{name}.parquet", tables.get(name))
    put(out / "sig.parquet", _sig(tables, told, config))
    _runs(out / "runs", tables)
    put(out / "summary.md", [markdown(told).encode()])
    put(out / "report.html", [page(told, tables).encode()])
    put(out / "summary.json", [json.dumps(told, indent=1, ensure_ascii=False, allow_nan=False).encode(), b"\n"])


def _sig(tables: Tables, told: Mapping[str, Any], config: Config) -> pa.Table | None:
    """SURE's SIG pairs, where two systems were put to it (SURE §4.3)."""
    found = {system: one for system, protocol, one in frames(tables, told) if protocol == "sure"}
    return sig(found, config.protocols.sure) if len(found) > 1 else None


def _runs(folder: Path, tables: Tables) -> None:
    """What each retriever found as a TREC run, and the gold chunks of every wording as qrels."""
    folder.mkdir(exist_ok=True)
    for name in sorted(set(tables["hits"]["retriever"].to_pylist())):
        mine = tables["hits"].filter(pc.equal(tables["hits"]["retriever"], name))
        write_run(folder / f"{re.sub(r'[^A-Za-z0-9_.-]+', '_', name)}.run", _rows(mine, Hits))
    questions = {row.question_id: row for row in _rows(tables["questions"], Question)}
    variants = tables["variants"].filter(pc.equal(tables["variants"]["side"], "query"))
    write_qrels(folder / "qrels.txt", questions, _rows(variants, Variant))


def frames(tables: Tables, meta: Mapping[str, Any]) -> Iterator[tuple[str, str, Frame]]:
    """System, protocol and frame of each pair that has trials; those that a system cannot be put to are not in it."""
    trials, scores, answers = tables["trials"], tables["scores"], tables["answers"]
    for system, about in meta["systems"].items():
        its = _put_to(trials, about)
        own = answers.filter(pc.equal(answers["system"], system))
        mine = scores.filter(pc.equal(scores["system"], system))
        for protocol in meta["protocols"]:
            tried = its.filter(pc.equal(its["protocol"], protocol))
            if tried.num_rows and not _left_out(meta, system, protocol):
                judged = mine.filter(pc.equal(mine["protocol"], protocol))
                yield system, protocol, frame(tried, own, judged, tables["questions"], tables["chunks"])


def _put_to(trials: pa.Table, about: Mapping[str, Any]) -> pa.Table:
    """The trials that are a system's, as `systems.answer.put_to` has it."""
    rows = trials.select(["given", "protocol", "question_id"]).to_pandas()
    mine = rows["given"].isin(about["takes"])
    if not about["retrieves"] and "passages" in about["takes"]:
        keys = rows["protocol"] + " " + rows["question_id"]
        mine &= ~((rows["given"] == "own") & keys.isin(set(keys[rows["given"] == "passages"])))
    return trials.filter(pa.array(mine.to_numpy()))


def _left_out(meta: Mapping[str, Any], system: str, protocol: str) -> bool:
    return any((row["system"], row["protocol"]) == (system, protocol) for row in meta["left_out"])


def _figures(tables: Tables, meta: Mapping[str, Any], config: Config) -> Iterator[Figure]:
    by_protocol: dict[str, dict[str, Frame]] = {}
    for system, name, one in frames(tables, meta):
        protocol, options = PROTOCOLS[name], getattr(config.protocols, name)
        if protocol.across and len(meta["systems"]) > 1:
            by_protocol.setdefault(name, {})[system] = one
        clusters = _clusters(one, config.statistics.cluster)
        measures = (*protocol.measures(one, options), *attribution.measures(one))
        yield from figures(measures, system=system, protocol=name, config=config.statistics, clusters=clusters)
    for name, frames_ in by_protocol.items():
        across = PROTOCOLS[name].across
        if across is None or len(frames_) < 2:
            continue
        of: dict[str, list[Figured]] = {}
        for label, measure in across(frames_, getattr(config.protocols, name)):
            of.setdefault(label, []).append(measure)
        clusters = _clusters(next(iter(frames_.values())), config.statistics.cluster)
        for label, told in of.items():
            yield from figures(told, system=label, protocol=name, config=config.statistics, clusters=clusters)
    if tables["hits"].num_rows:
        yield from _of_retrieval(tables, config)
    if "preferred" in tables:
        rows = _rows(tables["preferred"], Preferred)
        yield from differences(rows, config.oracle, system=config.oracle.likelihood.llm.model)


def _of_retrieval(tables: Tables, config: Config) -> Iterator[Figure]:
    """How good each retriever is, whatever system is put to the test."""
    questions = {row.question_id: row for row in _rows(tables["questions"], Question)}
    variants = tables["variants"].filter(pc.equal(tables["variants"]["side"], "query"))
    told = measured(
        _rows(tables["hits"], Hits),
        questions,
        {row.chunk_id: row for row in _rows(tables["chunks"], Chunk)},
        {row.variant_id: row for row in _rows(variants, Variant)},
        config.retrieve,
        config.measured,
    )
    yield from figures(told, system="", protocol="retrieval", config=config.statistics, clusters=None)


def _rows(table: pa.Table, row_type: type) -> Iterable[Any]:
    return from_table(table, row_type)


def _clusters(one: Frame, by: str) -> list[str] | None:
    """The document of each question, where intervals are drawn from documents."""
    if by != "document":
        return None
    of = dict(zip(one.rows["question_id"], one.rows["doc_id"], strict=True))
    return [of[name] for name in one.questions]


def _counted(tables: Tables, meta: Mapping[str, Any]) -> dict[str, Any]:
    """The funnel of each system and protocol, and what each system used."""
    return {"funnel": list(_funnel(tables, meta)), "usage": dict(_usage(tables, meta))}


def _funnel(tables: Tables, meta: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    reasons = dict(zip(*(tables["trials"][c].to_pylist() for c in ("trial_id", "skipped_because")), strict=True))
    for system, protocol, one in frames(tables, meta):
        rows = one.rows
        skipped = Counter(reasons[name] for name in rows["trial_id"][rows["status"] == "skipped"])
        tried = len(rows) - skipped.total()
        told = {"system": system, "protocol": protocol}
        yield {"stage": "trials", **told, "in": len(rows), "out": tried, "reasons": _told(skipped)}
        mine = tables["answers"].filter(pc.equal(tables["answers"]["system"], system))
        faults = dict(zip(mine["trial_id"].to_pylist(), mine["error"].to_pylist(), strict=True))
        errors = Counter(faults.get(name, "not_asked") for name in rows["trial_id"][rows["status"] != "skipped"])
        answered = errors.pop("", 0)
        yield {"stage": "answers", **told, "in": tried, "out": answered, "reasons": _told(errors)}
        mine = tables["scores"].filter(pc.equal(tables["scores"]["system"], system))
        why = dict(zip(mine["trial_id"].to_pylist(), mine["why"].to_pylist(), strict=True))
        lost = rows["trial_id"][rows["status"].isin(["failed", "missing"])]
        unscored = Counter(why.get(name) or "not_scored" for name in lost if faults.get(name, "not_asked") == "")
        scored = int((rows["status"] == "scored").sum())
        yield {"stage": "scores", **told, "in": answered, "out": scored, "reasons": _told(unscored)}


def _told(reasons: Counter[str]) -> dict[str, int]:
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


def options(config: BaseModel) -> list[dict[str, Any]]:
    """The options of a protocol as they were chosen, each with what the paper says of it."""
    told = []
    for name, field in type(config).model_fields.items():
        extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
        value = getattr(config, name)
        plain = config.model_dump(mode="json")[name] if not isinstance(value, str | int | float | bool) else value
        about = {key: extra.get(key, "") for key in ("tag", "source")}
        told.append({"name": name, "value": plain, **about, "description": field.description or ""})
    return told


def tagged(config: BaseModel, of: str, path: str = "") -> list[dict[str, Any]]:
    """The options of a section, and of sections in it, that a paper leaves open or that were reconstructed."""
    mine = [row for row in options(config) if row["tag"] in ("open", "recon")]
    told = [{"of": of, **row, "name": path + row["name"]} for row in mine]
    for name in type(config).model_fields:
        inner = getattr(config, name)
        if isinstance(inner, BaseModel):
            told += tagged(inner, of, f"{path}{name}.")
    return told


def packages() -> dict[str, str]:
    """The versions that figures hang on."""
    return {name: version(name) for name in ("rarefy", "numpy", "pandas", "scipy")}
