"""The command `rarefy mix`: contexts of a benchmark's passages, written as a file (Magic Mushroom §4)."""

import dataclasses
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, TypeVar

from pydantic import ValidationError

from rarefy.data_contracts.rows import Chunk, Context, Question, Variant
from rarefy.data_contracts.schemas import ROWS, SCHEMAS, NewerSchema, migrate_records, migrate_table, schemas_of
from rarefy.data_contracts.tables import from_record
from rarefy.flows.faults import UsageFault
from rarefy.flows.models.accounting import cache_folder
from rarefy.tasks.export.files import put_file, sha256, to_json_lines
from rarefy.tasks.models.embed import EmbedConfig
from rarefy.tasks.perturb.mix import MixConfig, Scenario, mix, read_scenarios, texts
from rarefy.tasks.store.tables import Store

Row = TypeVar("Row")
_HALF = re.compile("[\\ud800-\\udfff]")


def mix_contexts(
    bench: Path,
    out: Path,
    *,
    files: Sequence[Path] = (),
    show_texts: bool = True,
    store: str = "",
    **asked: Any,
) -> list[Context]:
    """Mix contexts of the passages in a folder into the file `out`; `asked` are fields of MixConfig.

    `files` hold scenarios besides the paper's; all of them are mixed where `asked` names none. With `show_texts` each
    line has the question and the passages too. Each line names the file of variants by its SHA-256. The vectors of
    order = "ranked" are kept in the store, where one is given. UsageFault with the way out where
    something is not as it must be.
    """
    try:
        known: dict[str, Scenario] = {}
        for file in files:
            known |= read_scenarios(file)
        if known and not asked.get("scenarios"):
            asked["scenarios"] = tuple(known)
        config = MixConfig.model_validate(asked)
    except ValidationError as error:
        raise UsageFault(
            "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
        ) from error
    except ValueError as error:
        raise UsageFault(str(error)) from error
    if not out.parent.is_dir():
        raise UsageFault(f"{out}: there is no folder {out.parent}")
    questions = list(read_rows(bench, Question))
    variants = {row.variant_id: row for row in read_rows(bench, Variant) if row.side == "context"}
    if not variants:
        raise UsageFault(f"{bench}: no passages to mix in its variants; make them with `rarefy perturb`")
    chunks = {row.chunk_id: row for row in read_rows(bench, Chunk, needed=False)}
    try:
        cache = cache_folder(Store(store)) if store else None
        embed = EmbedConfig().connect(cache) if config.order == "ranked" else None
        made = list(mix(questions, variants.values(), config, chunks=chunks, scenarios=known, embed=embed))
    except ValueError as error:
        raise UsageFault(str(error)) from error
    asked_texts = {row.question_id: row.text for row in questions}
    put_file(
        out,
        to_json_lines(
            _records(made, asked_texts, variants, chunks, config, show_texts, sha256(_table(bench, "variants")))
        ),
    )
    return made


def show(contexts: Sequence[Context]) -> str:
    """The contexts as text: a line for each setting, and what was short or could not be made."""
    by: dict[str, list[Context]] = defaultdict(list)
    for one in contexts:
        by[one.setting].append(one)
    wide = max([len("setting"), *map(len, by)])
    text_lines = [
        f"{len(contexts):,} contexts of {len({one.question_id for one in contexts}):,} questions",
        f"{'setting':{wide}}  contexts  smaller  not made  passages  noise  tokens  part of the gold",
    ]
    for setting, rows_ in by.items():
        whole = [one for one in rows_ if not one.rejected_because]
        smaller = sum(one.passages < one.k for one in whole)
        size, noise, tokens = (
            (fmean(getattr(one, name) for one in whole) if whole else 0.0) for name in ("passages", "noise", "tokens")
        )
        partial = sum(one.partial_gold for one in whole)
        text_lines.append(
            f"{setting:{wide}}  {len(whole):>8,}  {smaller:>7,}  {len(rows_) - len(whole):>8,}  {size:>8.1f}  "
            f"{noise:>5.2f}  {tokens:>6,.0f}  {partial:>16,}"
        )
    short = Counter(part.partition(":")[0] for one in contexts for part in one.short_of)
    if short:
        text_lines.append("short of: " + ", ".join(f"{name} in {count:,}" for name, count in short.most_common()))
    reasons = Counter(one.rejected_because for one in contexts if one.rejected_because)
    text_lines += [f"not made: {count:,}, {WHY[name]}" for name, count in reasons.most_common()]
    return "\n".join(text_lines)


WHY = {
    "no_passages": "no passages of a class that the ratio cannot do without (no_passages)",
    "length": "no choice of the passages has the length asked for; try another k (length)",
}


def read_rows(folder: Path, row_type: type[Row], *, needed: bool = True) -> Iterator[Row]:
    """The rows of a folder's table, from Parquet or JSON lines; UsageFault where there is none, or a line is none."""
    name = next((kind for kind, known in ROWS.items() if known is row_type), f"{row_type.__name__.lower()}s")
    file = _table(folder, name)
    if not file.is_file():
        if needed:
            raise UsageFault(
                f"{folder}: no {name}.parquet or {name}.jsonl; give the folder of `rarefy build` or `rarefy perturb`"
            )
        return
    version = _schema(folder, name)
    try:
        if file.suffix == ".parquet":
            for batch in _batches(file):
                table = migrate_table(name, batch, version)
                yield from (_row(record, row_type, file) for record in table.to_pylist())
        elif version != SCHEMAS[name]:
            migrated_rows = migrate_records(name, (record for _, record in read_records(file)), version)
            yield from (_row(record, row_type, file) for record in migrated_rows)
        else:
            yield from (_row(record, row_type, f"{file}:{at}") for at, record in read_records(file))
    except NewerSchema as error:
        raise UsageFault(f"{file}: {error}") from error
    except ValueError as error:  # of Arrow, which tells no place
        raise UsageFault(f"{file}: {error}; build the benchmark again") from error


def _batches(file: Path) -> Iterator[Any]:
    """A table of rows at a time."""
    import pyarrow as pa  # late: 0.3 s
    import pyarrow.parquet as pq

    for batch in pq.ParquetFile(file).iter_batches(1024):
        yield pa.Table.from_batches([batch])


def _schema(folder: Path, name: str) -> int:
    """The schema of a folder's table: as its manifest says; today's where it has none, as files of one's own have."""
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
    except (OSError, ValueError):
        return SCHEMAS[name]
    return schemas_of(manifest)[name] if isinstance(manifest, dict) else SCHEMAS[name]


def _table(folder: Path, name: str) -> Path:
    """The file of a table, there or not: Parquet where there is both."""
    parquet = folder / f"{name}.parquet"
    return parquet if parquet.is_file() else folder / f"{name}.jsonl"


def read_records(file: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The objects of a file of JSON lines, each with the number of its line; UsageFault names a line that is none."""
    try:
        with file.open(encoding="utf-8-sig") as stream:
            for at, line in enumerate(stream, 1):
                if line.strip():
                    record = json.loads(line)
                    if not isinstance(record, dict):
                        raise UsageFault(f"{file}:{at}: a line is one JSON object")
                    if "\\ud" in line.lower() and _HALF.search(json.dumps(record, ensure_ascii=False)):
                        raise UsageFault(f"{file}:{at}: half a surrogate pair, which is no character; leave it out")
                    yield at, record
    except json.JSONDecodeError as error:
        raise UsageFault(f"{file}:{at}: {error}") from error
    except UnicodeDecodeError as error:
        raise UsageFault(f"{file}: not UTF-8 ({error.reason})") from error
    except OSError as error:
        raise UsageFault(f"{file}: {error.strerror}") from error


def _row(record: dict[str, Any], row_type: type[Row], place: object) -> Row:
    # a file of somebody's own need not have what a row has a default for
    given: dict[str, Any] = {}
    for field in dataclasses.fields(row_type):  # type: ignore[arg-type]  # rows are dataclasses
        if field.name in record and (record[field.name] is not None or field.default is None):
            given[field.name] = record[field.name]
        elif field.default is not dataclasses.MISSING:
            given[field.name] = field.default
        elif field.default_factory is not dataclasses.MISSING:
            given[field.name] = field.default_factory()
        else:
            raise UsageFault(f"{place}: no {field.name!r}, which a {row_type.__name__} has")
    try:
        return from_record(given, row_type)
    except (KeyError, TypeError, ValueError) as error:
        raise UsageFault(f"{place}: no {row_type.__name__} ({error})") from error


def _records(
    contexts: Iterable[Context],
    questions: Mapping[str, str],
    variants: Mapping[str, Variant],
    chunks: Mapping[str, Chunk],
    config: MixConfig,
    show_texts: bool,
    of: str,
) -> Iterator[dict[str, Any]]:
    for one in contexts:
        record = {**dataclasses.asdict(one), "variants": of}
        if show_texts:
            record["query"] = questions[one.question_id]
            record["texts"] = texts(one, variants, chunks, titles=config.titles)
        yield record
