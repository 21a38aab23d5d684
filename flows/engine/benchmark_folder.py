"""A benchmark's folder, checked against its own manifest, as the tables that an evaluation needs."""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from rarefy.data_contracts.rows import Chunk, Question, Similarity, Variant, row_id
from rarefy.data_contracts.schemas import SCHEMAS
from rarefy.data_contracts.tables import to_table
from rarefy.flows import mix
from rarefy.flows.faults import UsageFault
from rarefy.tasks.export.files import sha256
from rarefy.tasks.store.tables import Store, digest

VERSION = 1
TABLES: dict[str, type] = {"questions": Question, "chunks": Chunk, "variants": Variant}
TRIES = 5  # readings of a folder that is refreshed all the while
LOOKS = 50  # for a manifest that is about to be put in place, ten in a second
SPLITS = ("test", "train", "all")


@dataclass(frozen=True)
class Bench:
    """A benchmark that is there, and the questions of it that are asked."""

    name: str  # of its folder
    version: str  # that its manifest carries
    split: str  # that the questions are of: test | train | all
    questions: str  # names of tables in the store: the questions asked
    variants: str  # of those questions, the unperturbed wording of each among them
    chunks: str  # all
    asked: int
    of: int  # accepted questions of that split
    documents: int
    similarities: str = ""  # name of the table of how alike variants are, for reports; "": the folder has none
    corpus: str = ""  # digest of the chunks by name and title, wherever they stand


def opened(place: Path, store: Store, *, split: str = "", most: int = 0, only: Sequence[str] = ()) -> Bench:
    """The benchmark in a folder of `rarefy build` or `rarefy perturb`, in the store.

    Of the questions those of a split ("": test where there is one), of these the ones with these ids, of these so many
    by smallest hash. UsageFault where there is no benchmark, or a file is not what its manifest says.
    """
    for _ in range(TRIES):
        told = _manifest(place)
        try:
            found = _found(place, told, store, split, most, only)
            break
        except UsageFault:
            if _manifest(place) == told:
                raise  # else it was refreshed while it was read
    else:
        raise UsageFault(f"{place} is refreshed again and again while it is read; wait until that ends")
    questions, chunks = store.table(found["questions"]), store.table(found["chunks"])
    of = store.table(found["of"])["accepted"][0].as_py()
    return Bench(
        name=place.resolve().name,
        version=str(told.get("version") or told.get("recipe") or ""),
        split=_split(split, questions),
        questions=found["questions"],
        variants=found["variants"],
        chunks=found["chunks"],
        asked=questions.num_rows,
        of=of,
        documents=len(set(chunks["doc_id"].to_pylist())),
        similarities=_similarities(place, store, found["variants"]),
        corpus=digest(sorted(zip(*(chunks[name].to_pylist() for name in ("chunk_id", "title")), strict=True))),
    )


def _found(
    place: Path, told: dict[str, object], store: Store, split: str, most: int, only: Sequence[str]
) -> dict[str, str]:
    """Names of the tables of what a manifest tells of; UsageFault where a file is not, or is no more, what it says."""
    files = {name: _file(place, name) for name in TABLES}
    digests = _check(place, files, told)
    recipe = digest(["bench", VERSION, {name: SCHEMAS[name] for name in TABLES}, digests, split, most, [*only]])
    if found := store.find(recipe):
        return found
    made = _tables(place, split, most, only)
    _check(place, files, told)  # or rows of two versions would be kept under the name of one
    return store.put(recipe, made)


def _manifest(place: Path) -> dict[str, object]:
    if not place.is_dir():
        raise UsageFault(f"{place}: no such folder; give the folder of `rarefy build` or `rarefy perturb`")
    try:
        told = json.loads(_settled(place / "manifest.json").read_bytes())
    except FileNotFoundError:
        raise UsageFault(
            f"{place}: no manifest.json, so that this is no finished benchmark; run `rarefy build` or "
            "`rarefy perturb` to its end"
        ) from None
    except ValueError as error:
        raise UsageFault(f"{place / 'manifest.json'}: {error}; build the benchmark again") from error
    if not isinstance(told, dict) or "files" not in told:
        raise UsageFault(f"{place / 'manifest.json'}: not a manifest of rarefy; build the benchmark again")
    return told


def _similarities(place: Path, store: Store, variants: str) -> str:
    """The table of how alike these variants are, which no manifest lists: it may differ from machine to machine."""
    mine = set(store.table(variants)["variant_id"].to_pylist())
    rows = [row for row in mix.rows(place, Similarity, needed=False) if row.of in mine]
    return store.keep(to_table(rows, Similarity)) if rows else ""


def _file(place: Path, name: str) -> Path:
    for suffix in ("parquet", "jsonl"):
        if (file := place / f"{name}.{suffix}").is_file():
            return file
    raise UsageFault(f"{place}: no {name}.parquet or {name}.jsonl; build the benchmark again")


def _settled(manifest: Path) -> Path:
    """The manifest, once it is in place where one is just being put there."""
    for _ in range(LOOKS):
        if manifest.exists() or not any(manifest.parent.glob(f".{manifest.name}*.part")):
            break
        time.sleep(0.1)
    return manifest


def _check(place: Path, files: dict[str, Path], told: dict[str, object]) -> dict[str, str]:
    """The digests of these files, as the manifest lists them and as they are."""
    listed, found = told["files"], {}
    for name, file in files.items():
        wanted = listed.get(file.name) if isinstance(listed, dict) else None
        if isinstance(wanted, dict):
            wanted = wanted.get("sha256")
        if wanted is None:
            raise UsageFault(f"{place / 'manifest.json'} does not list {file.name}; build the benchmark again")
        found[name] = sha256(file)
        if wanted != found[name]:
            raise UsageFault(
                f"{file} is not the file that {place / 'manifest.json'} lists (its digest differs): it was changed or "
                "damaged; build the benchmark again, or restore the file"
            )
    return found


def _tables(place: Path, split: str, most: int, only: Sequence[str]) -> dict[str, pa.Table]:
    accepted = [row for row in mix.rows(place, Question) if not row.rejected_because]
    if not accepted:
        raise UsageFault(f"{place}: no accepted question to ask")
    known = {row.split for row in accepted} - {""}
    wanted = split or ("test" if "test" in known else "all")
    if wanted not in SPLITS:
        raise UsageFault(f"--split {split}: have {', '.join(SPLITS)}")
    mine = [row for row in accepted if wanted in ("all", row.split)]
    if not mine:
        raise UsageFault(f"{place}: no question is of the split {wanted!r}; its questions are of {_listed(known)}")
    if only:
        mine = [row for row in mine if row.question_id in set(only)]
        if missing := sorted(set(only) - {row.question_id for row in mine}):
            raise UsageFault(f"{place}: no question {missing[0]} in the split {wanted!r}")
    of = len(mine)
    if most:
        mine = sorted(mine, key=lambda row: row_id("evaluate", row.question_id))[:most]
    mine.sort(key=lambda row: row.question_id)
    names = {row.question_id for row in mine}
    variants = [row for row in mix.rows(place, Variant) if row.question_id in names]
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
        "chunks": to_table(sorted(mix.rows(place, Chunk), key=lambda row: row.chunk_id), Chunk),
        "of": pa.table({"accepted": pa.array([of], pa.int64())}),
    }


def _listed(names: set[str]) -> str:
    return ", ".join(sorted(names)) or "none, which --split all takes"


def _split(split: str, questions: pa.Table) -> str:
    if split:
        return split
    known = set(questions["split"].to_pylist())
    return "test" if known == {"test"} else "all"


def wordings(store: Store, bench: Bench) -> str:
    """The table of the kept wordings of all questions."""
    table = store.table(bench.variants)
    kept = pc.and_(pc.equal(table["side"], "query"), pc.equal(table["rejected_because"], ""))
    return store.keep(table.filter(kept))
