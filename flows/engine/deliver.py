"""The last stage: the benchmark's folder, the contracts' page beside it, and what is told of the build."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rarefy.data_contracts.expectations import to_json
from rarefy.data_contracts.page import page
from rarefy.data_contracts.tables import from_table
from rarefy.flows.config import OF_EVALUATION, Config
from rarefy.flows.engine.current_run import watched
from rarefy.flows.engine.run import Run, Tables
from rarefy.flows.engine.stages import Counted
from rarefy.flows.faults import NothingToBuild
from rarefy.flows.models.spending import Spent, plain, spent
from rarefy.flows.reports import build_report
from rarefy.tasks.export import BESIDE, NAMES, export
from rarefy.tasks.export.alone import alone
from rarefy.tasks.export.files import lines, put, put_breaches, records
from rarefy.tasks.export.keep_rates import tallied
from rarefy.tasks.store.lease import LeaseLost

EMPTY = "nothing_to_build"  # folder of what a corpus without questions came to
FAILED = "breaches.failed.jsonl"  # rows that were set aside in a build that was stopped


def deliver(run: Run, out: str, config: Config, tables: Tables, as_of: str = "") -> build_report.Built:
    """Write the benchmark of these tables into a folder, whole, and give back what came of the build."""
    census = tuple(from_table(run.store.table(tables["census"]), Counted))
    eligible: dict[str, dict[str, int]] = {}
    for row in census:
        eligible.setdefault(row.domain, {})[row.pattern] = int(row.eligible)
    run.fence()
    line = run.board.line("export", "tables", None)
    manifest = run.stage(
        "export",
        lambda: export(
            {row_type: run.store.table(tables[kind]) for row_type, kind in (NAMES | BESIDE).items()},
            Path(out),
            config=decisive(config),
            digests={kind: tables[kind] for kind in NAMES.values()},
            census=eligible,
            card_config=config.card,
            as_of=as_of,
            fence=run.fence,
        ),
    )
    line.end(f"{len(manifest['files']):,} files in {out}")
    built = build_report.Built(
        out=out,
        version=manifest["version"],
        made=run.made,
        funnel=build_report.funnel(run.store, tables),
        breaches=build_report.tally(run.breaches.values()),
        census=census,
        questions=build_report.samples(run.store, tables["questions"]),
        variants=tallied(run.store.table(tables["variants"])),
        spent=spent(run, config, tables),
    )
    _keep(built.spent, out)
    if watched():
        build_report.artifacts(built, run.validations)
    return built


def decisive(config: Config) -> dict[str, Any]:
    """What of a config decides what is made: not how fast, nor what is done with it."""
    return config.model_dump(mode="json", exclude={"serving", *OF_EVALUATION})


@contextmanager
def told(run: Run, out: str, config: Config) -> Iterator[None]:
    """However the build ends, what it spent and how every table kept its contract lies with it.

    What a build that failed has to say of contracts never takes the place of what is said of the benchmark there.
    Where there was nothing to build, what there is of documents, chunks and facts lies in a folder to be looked at.
    """
    try:
        yield
    except NothingToBuild as error:
        run.fence()
        place = Path(out, EMPTY)
        _leave(run, place)
        raise NothingToBuild(f"{error}; what there is to look at lies in {place}") from error
    except BaseException:
        with suppress(OSError, LeaseLost):  # the error that ends the build is the one to tell
            run.fence()
            _write(run, out, "contracts.failed" if Path(out, "manifest.json").exists() else "contracts")
            with alone(Path(out)):
                put_breaches(Path(out, FAILED), run.breaches.values())
            _keep(spent(run, config, None), out)
        raise
    run.fence()
    _write(run, out, "contracts")
    for name in ("contracts.failed.json", "contracts.failed.html", FAILED):
        Path(out, name).unlink(missing_ok=True)
    shutil.rmtree(Path(out, EMPTY), ignore_errors=True)


def _leave(run: Run, place: Path) -> None:
    """What a corpus without questions came to, table by table, and what was set aside: for a person to look at."""
    tables = {row_type: run.tables[kind] for row_type, kind in NAMES.items() if isinstance(run.tables.get(kind), str)}
    with alone(place.parent):
        for row_type, name in tables.items():
            table = run.store.table(name)
            if table.num_rows:
                put(place / f"{NAMES[row_type]}.parquet", table)
                put(place / f"{NAMES[row_type]}.jsonl", lines(records(table, row_type)))
        put_breaches(place / "breaches.jsonl", run.breaches.values())


def _keep(spent: Spent | None, out: str) -> None:
    """What models did lies with the build, unless there is nothing new to say of it."""
    if spent and spent.used:
        _put(out, {"models.json": json.dumps(plain(spent), indent=1, ensure_ascii=False) + "\n"})


def _write(run: Run, out: str, name: str) -> None:
    if run.validations:
        records = json.dumps(to_json(run.validations), indent=1, ensure_ascii=False)
        _put(out, {f"{name}.json": f"{records}\n", f"{name}.html": page(run.validations)})


def _put(out: str, files: dict[str, str]) -> None:
    with alone(Path(out)):
        for name, text in files.items():
            put(Path(out, name), [text.encode()])
