"""The last stage: the benchmark's folder, with contracts, breaches and spending beside it however the build ends."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from rarefy.data_contracts.expectations import render_page, validations_to_json
from rarefy.data_contracts.tables import from_table
from rarefy.flows.config import OF_EVALUATION, Config
from rarefy.flows.engine.run import NotMade, Run, Tables, describe_languages, is_shown_in_prefect
from rarefy.flows.engine.stages import CensusRow
from rarefy.flows.faults import NothingToBuild
from rarefy.flows.models.spending import Spending, compute_spending, spending_as_json
from rarefy.flows.reports import build_report
from rarefy.tasks.export import BESIDE, NAMES, export
from rarefy.tasks.export.files import lock_folder, put_breaches, put_file, to_json_lines, to_records
from rarefy.tasks.export.statistics import tally_variants
from rarefy.tasks.store.lease import LeaseLost

EMPTY = "nothing_to_build"  # folder of what a corpus without questions came to
FAILED = "breaches.failed.jsonl"  # rows that were set aside in a build that was stopped


def deliver(run: Run, out: str, config: Config, tables: Tables, as_of: str = "") -> build_report.BuildResult:
    """Write the benchmark of these tables into a folder; returns what came of the build."""
    census = tuple(from_table(run.store.table(tables["census"]), CensusRow))
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
            config=build_settings(config),
            digests={kind: tables[kind] for kind in NAMES.values()},
            census=eligible,
            card_config=config.card,
            as_of=as_of,
            fence=run.fence,
        ),
    )
    line.end(f"{len(manifest['files']):,} files in {out}")
    questions = build_report.sample_questions(run.store, tables["questions"])
    built = build_report.BuildResult(
        out=out,
        version=manifest["version"],
        made=run.made,
        funnel=build_report.funnel(run.store, tables),
        languages=describe_languages(run.languages),
        without_question=build_report.find_without_question(
            run.store, tables, by_rules="model" not in config.extract.methods
        ),
        breaches=build_report.count_breaches(run.breaches.values()),
        census=census,
        questions=questions,
        homes=build_report.find_homes(run.store, tables["chunks"], questions),
        variants=tally_variants(run.store.table(tables["variants"])),
        spent=compute_spending(run, config, tables),
    )
    _write_spending(built.spent, out)
    if is_shown_in_prefect():
        build_report.create_artifacts(built, run.validations)
    return built


def build_settings(config: Config) -> dict[str, Any]:
    """The settings that decide what a benchmark holds: not how fast it is made, nor how it is evaluated."""
    return config.model_dump(mode="json", exclude={"serving", *OF_EVALUATION})


@contextmanager
def write_outcome(run: Run, out: str, config: Config) -> Iterator[None]:
    """However the build within it ends, write what it spent and the results of its contracts into `out`.

    The contracts of a build that failed never replace those of the benchmark that is there. Where there was nothing to
    build, the documents, chunks and facts that there are go into a folder to be looked at.
    """
    try:
        yield
    except NotMade:  # nothing was built
        raise
    except NothingToBuild as error:
        run.fence()
        place = Path(out, EMPTY)
        _write_leftovers(run, place)
        raise NothingToBuild(f"{error}; what there is to look at lies in {place}") from error
    except BaseException:
        with suppress(OSError, LeaseLost):  # the error that ends the build is the one to tell
            run.fence()
            _write_contracts(run, out, "contracts.failed" if Path(out, "manifest.json").exists() else "contracts")
            with lock_folder(Path(out)):
                put_breaches(Path(out, FAILED), run.breaches.values())
            _write_spending(compute_spending(run, config, None), out)
        raise
    run.fence()
    _write_contracts(run, out, "contracts")
    for name in ("contracts.failed.json", "contracts.failed.html", FAILED):
        Path(out, name).unlink(missing_ok=True)
    shutil.rmtree(Path(out, EMPTY), ignore_errors=True)


def _write_leftovers(run: Run, place: Path) -> None:
    """Write the tables of a corpus without questions, and the rows that were set aside, for a person to look at."""
    tables = {row_type: run.tables[kind] for row_type, kind in NAMES.items() if isinstance(run.tables.get(kind), str)}
    with lock_folder(place.parent):
        for row_type, name in tables.items():
            table = run.store.table(name)
            if table.num_rows:
                put_file(place / f"{NAMES[row_type]}.parquet", table)
                put_file(place / f"{NAMES[row_type]}.jsonl", to_json_lines(to_records(table, row_type)))
        put_breaches(place / "breaches.jsonl", run.breaches.values())


def _write_spending(spent: Spending | None, out: str) -> None:
    """Write models.json, unless no model was asked."""
    if spent and spent.used:
        _write_files(out, {"models.json": json.dumps(spending_as_json(spent), indent=1, ensure_ascii=False) + "\n"})


def _write_contracts(run: Run, out: str, name: str) -> None:
    """Write the results of all contracts as JSON and as a page."""
    if run.validations:
        records = json.dumps(validations_to_json(run.validations), indent=1, ensure_ascii=False)
        _write_files(out, {f"{name}.json": f"{records}\n", f"{name}.html": render_page(run.validations)})


def _write_files(out: str, files: dict[str, str]) -> None:
    with lock_folder(Path(out)):
        for name, text in files.items():
            put_file(Path(out, name), [text.encode()])
