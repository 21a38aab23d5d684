"""A benchmark's folder: its manifest, its tables in the schema of today, and the batches that an evaluation asks."""

import json
import time
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts import schemas
from rarefy.data_contracts.rows import Chunk, Question, Similarity, Variant, row_id
from rarefy.data_contracts.schemas import SCHEMAS, NewerSchema, schemas_of
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.flows import mix
from rarefy.flows.engine.batches import cut_batches, flatten_column, without_corpus_columns, without_positions
from rarefy.flows.faults import UsageFault
from rarefy.tasks.export.files import sha256
from rarefy.tasks.store.tables import Store, digest

VERSION = 3  # how many questions all splits have
TABLES: dict[str, type] = {"questions": Question, "chunks": Chunk, "variants": Variant}
TRIES = 5  # readings of a folder that is refreshed all the while
LOOKS = 50  # for a manifest that is about to be put in place, ten in a second
SPLITS = ("test", "train", "all")
Part = dict[str, Any]


def migrate_table(kind: str, table: pa.Table, about: Mapping[str, Any], place: object) -> pa.Table:
    """The table with today's columns; UsageFault where a later rarefy wrote it.

    `about` is the manifest or summary beside it, which names its schema; `place` is for the message.
    """
    try:
        return schemas.migrate_table(kind, table, schemas_of(about).get(kind, 1))
    except NewerSchema as error:
        raise UsageFault(f"{place}: {error}") from error


@dataclass(frozen=True)
class OpenedBenchmark:
    """A benchmark in the store, and which of its questions are asked."""

    name: str  # of its folder
    version: str  # that its manifest carries
    split: str  # that the questions are of: test | train | all
    questions: str  # names of tables in the store: the questions asked
    variants: str  # of those questions, the unperturbed wording of each among them
    chunks: str  # all
    asked: int
    of: int  # accepted questions of that split
    every: int  # accepted questions of all splits
    documents: int
    similarities: str = ""  # name of the table of how alike variants are, for reports; "": the folder has none
    corpus: str = ""  # digest of the chunks by name and title, wherever they stand


def open_benchmark(
    place: Path, store: Store, *, split: str = "", most: int = 0, only: Sequence[str] = ()
) -> OpenedBenchmark:
    """The benchmark in a folder of `rarefy build` or `rarefy perturb`, in the store.

    Of the questions those of a split ("": test where there is one), of these so many by smallest hash, of these the
    ones with the ids `only`. UsageFault where there is no benchmark, or a file is not what its manifest says.
    """
    for _ in range(TRIES):
        manifest = read_manifest(place)
        try:
            tables = _store_tables(place, manifest, store, split, most, only)
            break
        except UsageFault:
            if read_manifest(place) == manifest:
                raise  # else it was refreshed while it was read
    else:
        raise UsageFault(f"{place} is refreshed again and again while it is read; wait until that ends")
    version = str(manifest.get("version") or manifest.get("recipe") or "")
    opened = _describe_opened(place.resolve().name, version, store, tables, split)
    return replace(opened, similarities=_similarities(place, store, tables["variants"]))


def open_tables(name: str, store: Store, made: Mapping[str, str], *, split: str = "", most: int = 0) -> OpenedBenchmark:
    """The benchmark of a build's tables (their names in the store by kind), before it lies in a folder."""
    rows = {kind: list(from_table(store.table(made[kind]), row_type)) for kind, row_type in TABLES.items()}
    kept = {kind: store.keep(table) for kind, table in _select_tables(name, rows, split, most, ()).items()}
    return _describe_opened(name, "", store, kept, split)


def _describe_opened(name: str, version: str, store: Store, tables: Mapping[str, str], split: str) -> OpenedBenchmark:
    questions, chunks = store.table(tables["questions"]), store.table(tables["chunks"])
    (counts,) = store.table(tables["of"]).to_pylist()
    return OpenedBenchmark(
        name=name,
        version=version,
        split=_split_of(split, questions),
        questions=tables["questions"],
        variants=tables["variants"],
        chunks=tables["chunks"],
        asked=questions.num_rows,
        of=counts["of"],
        every=counts["every"],
        documents=len(set(chunks["doc_id"].to_pylist())),
        corpus=digest(sorted(zip(*(chunks[name].to_pylist() for name in ("chunk_id", "title")), strict=True))),
    )


def _store_tables(
    place: Path, manifest: dict[str, Any], store: Store, split: str, most: int, only: Sequence[str]
) -> dict[str, str]:
    """The names of the benchmark's tables in the store; UsageFault where a file is not what the manifest lists."""
    files = {name: _file(place, name) for name in TABLES}
    digests = _check_digests(place, files, manifest)
    recipe = digest(["bench", VERSION, {name: SCHEMAS[name] for name in TABLES}, digests, split, most, [*only]])
    if found := store.find(recipe):
        return found
    rows = {kind: list(mix.read_rows(place, row_type)) for kind, row_type in TABLES.items()}
    made = _select_tables(place, rows, split, most, only)
    _check_digests(place, files, manifest)  # or rows of two versions would be kept under the name of one
    return store.put(recipe, made)


def read_manifest(place: Path) -> dict[str, Any]:
    """The manifest of a benchmark's folder; UsageFault where there is none."""
    if not place.is_dir():
        meant = "; did you mean `sample`? Else" if get_close_matches(place.name, ["sample"]) else ";"
        raise UsageFault(f"{place}: no such folder{meant} give the folder of `rarefy build` or `rarefy perturb`")
    try:
        manifest = json.loads(_wait_for(place / "manifest.json").read_bytes())
    except FileNotFoundError:
        raise UsageFault(
            f"{place}: no manifest.json, so that this is no finished benchmark; run `rarefy build` or "
            "`rarefy perturb` to its end, and where these are documents, `rarefy build` them first"
        ) from None
    except ValueError as error:
        raise UsageFault(f"{place / 'manifest.json'}: {error}; build the benchmark again") from error
    if not isinstance(manifest, dict) or "files" not in manifest:
        raise UsageFault(f"{place / 'manifest.json'}: not a manifest of rarefy; build the benchmark again")
    return manifest


def _similarities(place: Path, store: Store, variants: str) -> str:
    """The table of how alike these variants are; no manifest lists it, since it may differ from machine to machine."""
    mine = set(store.table(variants)["variant_id"].to_pylist())
    rows = [row for row in mix.read_rows(place, Similarity, needed=False) if row.of in mine]
    return store.keep(to_table(rows, Similarity)) if rows else ""


def _file(place: Path, name: str) -> Path:
    for suffix in ("parquet", "jsonl"):
        if (file := place / f"{name}.{suffix}").is_file():
            return file
    raise UsageFault(f"{place}: no {name}.parquet or {name}.jsonl; build the benchmark again")


def _wait_for(manifest: Path) -> Path:
    """The manifest's path, after a wait where one is just being put in place."""
    for _ in range(LOOKS):
        if manifest.exists() or not any(manifest.parent.glob(f".{manifest.name}*.part")):
            break
        time.sleep(0.1)
    return manifest


def _check_digests(place: Path, files: dict[str, Path], manifest: dict[str, Any]) -> dict[str, str]:
    """The digests of these files; UsageFault where one is not what the manifest lists."""
    listed, digests = manifest["files"], {}
    for name, file in files.items():
        wanted = listed.get(file.name) if isinstance(listed, dict) else None
        if isinstance(wanted, dict):
            wanted = wanted.get("sha256")
        if wanted is None:
            raise UsageFault(f"{place / 'manifest.json'} does not list {file.name}; build the benchmark again")
        digests[name] = sha256(file)
        if wanted != digests[name]:
            raise UsageFault(
                f"{file} is not the file that {place / 'manifest.json'} lists (its digest differs): it was changed or "
                "damaged; build the benchmark again, or restore the file"
            )
    return digests


def draw_questions(questions: Iterable[Question], most: int) -> list[Question]:
    """So many questions, of each kind the smallest hashes in turn, so that no kind takes more than its share.

    The same ones every time, and a larger number of them contains a smaller one.
    """
    turns: Counter[str] = Counter()
    ranked = []
    for question in sorted(questions, key=lambda row: row_id("evaluate", row.question_id)):
        turns[question.pattern] += 1
        ranked.append((turns[question.pattern], question))
    return [question for _, question in sorted(ranked, key=lambda one: one[0])[:most]]  # sorting keeps equals in order


def _select_tables(
    place: object, rows: Mapping[str, list[Any]], split: str, most: int, only: Sequence[str]
) -> dict[str, pa.Table]:
    """The questions of a split that are asked, with their variants, and all chunks; `place` is for messages."""
    accepted = [row for row in rows["questions"] if not row.rejected_because]
    if not accepted:
        raise UsageFault(f"{place}: no accepted question to ask")
    known = {row.split for row in accepted} - {""}
    wanted = split or ("test" if "test" in known else "all")
    if wanted not in SPLITS:
        raise UsageFault(f"--split {split}: have {', '.join(SPLITS)}")
    mine = [row for row in accepted if wanted in ("all", row.split)]
    if not mine:
        raise UsageFault(f"{place}: no question is of the split {wanted!r}; its questions are of {_listed(known)}")
    of = len(mine)
    if most:
        mine = draw_questions(mine, most)
    if only:
        mine = [row for row in mine if row.question_id in set(only)]
        if missing := sorted(set(only) - {row.question_id for row in mine}):
            raise UsageFault(f"{place}: no question {missing[0]} among those asked of the split {wanted!r}")
    mine.sort(key=lambda row: row.question_id)
    names = {row.question_id for row in mine}
    variants = [row for row in rows["variants"] if row.question_id in names]
    worded = {row.question_id for row in variants if row.side == "query" and row.perturbation == "none"}
    variants += [
        Variant(row.question_id, row.question_id, "query", "none", row.text)
        for row in mine
        if row.question_id not in worded
    ]
    variants.sort(key=lambda row: (row.question_id, row.side, row.perturbation, row.number, row.variant_id))
    return {
        "questions": to_table(mine, Question),
        "variants": to_table(variants, Variant),
        "chunks": to_table(sorted(rows["chunks"], key=lambda row: row.chunk_id), Chunk),
        "of": pa.table({"of": [of], "every": [len(accepted)]}),
    }


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none, which --split all takes"


def _split_of(split: str, questions: pa.Table) -> str:
    if split:
        return split
    known = set(questions["split"].to_pylist())
    return "test" if known == {"test"} else "all"


def select_wordings(store: Store, bench: OpenedBenchmark) -> str:
    """The name of the table of all questions' wordings that were not rejected."""
    table = store.table(bench.variants)
    kept = pc.and_(pc.equal(table["side"], "query"), pc.equal(table["rejected_because"], ""))
    return store.keep(table.filter(kept))


def narrow_benchmark(store: Store, bench: OpenedBenchmark, names: Collection[str]) -> OpenedBenchmark:
    """The benchmark of these of its questions alone."""
    questions = narrow_table(store, bench.questions, names)
    variants = narrow_table(store, bench.variants, names)
    return replace(bench, questions=questions, variants=variants, asked=store.rows(questions))


def narrow_table(store: Store, name: str, names: Collection[str]) -> str:
    """The name of the table of the rows of these questions."""
    table = store.table(name)
    return store.keep(table.filter(pc.is_in(table["question_id"], pa.array(names, pa.string()))))


def batch_evaluation(store: Store, bench: OpenedBenchmark, hits: str) -> list[Part]:
    """Parts of some 32 questions, each with its variants, its hits, and the chunks that any of these name.

    A part holds all it needs, so that another document moves no part but its own.
    """
    variants, found, chunks = (
        store.table(bench.variants),
        _unscored(store.table(hits)),
        without_positions(store.table(bench.chunks)),
    )
    variant_rows, hit_rows = _rows_of(variants), _rows_of(found)
    chunk_at = {name: place for place, name in enumerate(chunks["chunk_id"].to_pylist())}
    parts = []
    for some in cut_batches(without_corpus_columns(store.table(bench.questions))):
        names = some["question_id"].to_pylist()
        own = variants.take(_places(names, variant_rows))
        its = found.take(_places(names, hit_rows))
        named = {*flatten_column(some, "chunk_ids"), *flatten_column(its, "chunk_ids"), *flatten_column(its, "best")}
        named |= {*own["chunk_id"].to_pylist()} - {""}
        kept = sorted(chunk_at[name] for name in named if name in chunk_at)
        parts.append(
            {
                "path": f"questions from {names[0]}",
                "questions": store.keep(some),
                "variants": store.keep(own),
                "hits": store.keep(its),
                "chunks": store.keep(chunks.take(pa.array(kept, pa.int64()))),
                "rows": some.num_rows,
            }
        )
    return parts


def _unscored(hits: pa.Table) -> pa.Table:
    """The hits without scores, which depend on every document: trials are made of what was found, in its order."""
    place = hits.schema.get_field_index("scores")
    return hits.set_column(
        place, hits.schema.field(place), pa.array([[]] * hits.num_rows, hits.schema.field(place).type)
    )


def _rows_of(table: pa.Table) -> dict[str, list[int]]:
    rows: dict[str, list[int]] = defaultdict(list)
    for place, name in enumerate(table["question_id"].to_pylist()):
        rows[name].append(place)
    return rows


def _places(names: Iterable[str], rows: dict[str, list[int]]) -> pa.Array:
    return pa.array([place for name in names for place in rows.get(name, ())], pa.int64())
