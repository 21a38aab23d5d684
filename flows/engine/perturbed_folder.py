"""The folder that `rarefy perturb` writes: whole or not at all, with a funnel of what became of every row."""

import dataclasses
import errno
import fcntl
import json
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from rarefy.data_contracts.rows import Question, Variant
from rarefy.data_contracts.schemas import BESIDE, SCHEMAS
from rarefy.flows.faults import UsageFault
from rarefy.tasks.atomic_write import put_in_place
from rarefy.tasks.export.files import sha256
from rarefy.tasks.export.statistics import VARIANT_COLUMNS, KeepRate, Tally
from rarefy.tasks.models.llm.faults import TRANSIENT
from rarefy.tasks.perturb.layouts import Skipped

TABLES = ("questions", "chunks", "variants", "skipped", "unanswered", *BESIDE)
MANIFEST, FUNNEL = "manifest.json", "funnel.json"
SCHEMA = {name: SCHEMAS[name] for name in ("questions", "chunks", "variants", "unanswered")}
CONTEXTS = "contexts.jsonl"  # what `rarefy mix` may have put there


@dataclass
class Funnel:
    """Counts of what became of questions and variants."""

    questions: int = 0
    without_answer: int = 0  # of those: only their words can be varied
    without_gold: int = 0  # of those with an answer: no passage of theirs holds it
    without_evidence: int = 0  # of those with gold: none of its sentences is known to hold the answer
    languages: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    first: Skipped | None = None  # of what was skipped
    unanswered: Counter[str] = field(default_factory=Counter)
    tally: Tally = field(default_factory=Tally)
    note: str = ""  # on what lay in the folder; of this run alone

    def see(self, question: Question) -> None:
        """Count a question."""
        self.questions += 1
        self.without_answer += not question.answer
        self.without_gold += bool(question.answer) and not question.chunk_ids
        self.without_evidence += bool(question.chunk_ids) and not question.evidence_spans
        self.languages[question.language] += 1

    def skip(self, row: Skipped) -> None:
        """Count a record that cannot be asked."""
        self.first = self.first or row
        self.skipped[row.reason] += 1

    def count(self, rows: Iterable[Variant]) -> None:
        """Count variants; all variants of a question come together."""
        self.tally.add(tuple(getattr(row, name) for name in VARIANT_COLUMNS) for row in rows)  # type: ignore[misc]

    @property
    def kept(self) -> int:
        """The number of variants kept, without the unperturbed ones."""
        return sum(rate.kept for rate in self.tally.each())

    def lines(self) -> Iterator[str]:
        """What a person should know of the questions, a line each."""
        spoken = ", ".join(f"{n:,} {language}" for language, n in self.languages.most_common())
        yield f"{self.questions:,} questions ({spoken})"
        if self.without_answer:
            yield f"{self.without_answer:,} have no answer: their words are varied, their passages are not"
        if self.without_gold:
            yield (
                f"{self.without_gold:,} have no passage that holds the answer, or is marked as gold: their words are "
                "varied, no passage is"
            )
        if self.without_evidence:
            yield (
                f"{self.without_evidence:,} have gold of which no sentence is known to be the evidence: nothing "
                "is deleted from it, and no passage is cut from it where it is long"
            )
        for reason, count in self.skipped.most_common():
            yield f"{count:,} skipped: {reason} (skipped.jsonl has them all)"
        if self.first:
            yield f"the first: {self.first.place}: {self.first.detail}"
        for reason, count in self.unanswered.most_common():
            yield f"{count:,} requests to a model went unanswered: {reason}"
        if self.note:
            yield self.note

    def plain(self) -> dict[str, Any]:
        """The counts as JSON."""
        return {
            "questions": self.questions,
            "without_answer": self.without_answer,
            "without_gold": self.without_gold,
            "without_evidence": self.without_evidence,
            "languages": dict(self.languages),
            "skipped": dict(self.skipped),
            "first_skipped": self.first and dataclasses.asdict(self.first),
            "unanswered": dict(self.unanswered),
            "perturbations": {rate.name: _plain(rate) for rate in self.tally.each()},
            "families": {rate.name: _plain(rate) for rate in self.tally.by_family()},
        }

    @classmethod
    def of(cls, counts: dict[str, Any]) -> "Funnel":
        """The funnel that `plain` gave."""
        tally = Tally()
        for name, rate in counts["perturbations"].items():
            tally.counted[rate["side"], rate["family"], name] = _counter(rate)
        for name, rate in counts["families"].items():
            tally.types[rate["side"], name] = _counter(rate)
        return cls(
            questions=counts["questions"],
            without_answer=counts["without_answer"],
            without_gold=counts["without_gold"],
            without_evidence=counts["without_evidence"],
            languages=Counter(counts["languages"]),
            skipped=Counter(counts["skipped"]),
            first=counts["first_skipped"] and Skipped(**counts["first_skipped"]),
            unanswered=Counter(counts["unanswered"]),
            tally=tally,
        )


def _plain(rate: KeepRate) -> dict[str, Any]:
    percent = None if rate.percent is None else round(rate.percent, 1)
    counts = {"rows": rate.rows, "tried": rate.tried, "kept": rate.kept, "percent": percent}
    return {"side": rate.side, "family": rate.family, **counts, "rejected": dict(rate.rejected)}


def _counter(rate: dict[str, Any]) -> Counter[str]:
    return Counter({"": rate["kept"], **rate["rejected"]})


class VariantsFolder:
    """The files of the folder while they are written; they take their names when all of them are whole."""

    def __init__(self, place: Path, recipe: str) -> None:
        self.place, self.recipe = place, recipe
        self.open: dict[str, IO[bytes]] = {}
        self.lock = -1  # what keeps the folder for this run
        self.replaces = False  # whether variants of another run lay there

    def __enter__(self) -> "VariantsFolder":
        if self.place.exists() and not self.place.is_dir():
            raise UsageFault(f"--out {self.place}: a file stands there; choose a folder")
        ours = {MANIFEST, FUNNEL, *(f"{name}.jsonl" for name in TABLES), CONTEXTS}
        there = sorted(p.name for p in self.place.iterdir()) if self.place.exists() else []
        if (self.place / "triplets.jsonl").exists():
            raise UsageFault(f"--out {self.place}: holds a benchmark; choose a new folder")
        if foreign := [name for name in there if name.removeprefix(".").removesuffix(".part") not in ours]:
            raise UsageFault(f"--out {self.place}: holds {foreign[0]!r}, which is no variant; choose a new folder")
        try:
            self.place.mkdir(parents=True, exist_ok=True)
        except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
            raise UsageFault(f"--out {self.place}: no folder can be made there ({error.strerror})") from error
        self._lock()
        self.replaces = recipe_of(self.place) not in ("", self.recipe)
        self.open = {name: self._scratch(name).open("wb") for name in TABLES}
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        for name, file in self.open.items():
            file.close()
            self._scratch(name).unlink(missing_ok=True)
        os.close(self.lock)

    def _lock(self) -> None:
        """Keep the folder for this run until it ends, however it does; UsageFault where another one has it."""
        self.lock = os.open(self.place, os.O_RDONLY)
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            # a folder on NFS cannot be locked: whoever runs twice there must choose two folders
            if error.errno in (errno.EBADF, errno.ENOLCK, errno.ENOTSUP):
                return
            os.close(self.lock)
            if not isinstance(error, BlockingIOError):
                raise
            way_out = "another run is writing there; wait for it, or choose another folder"
            raise UsageFault(f"--out {self.place}: {way_out}") from error

    def write(self, table: str, row: Any, **more: str | None) -> None:
        """One row, as a line of JSON."""
        record = {**_record(row), **more}
        # half a surrogate pair, which a model may write, becomes what JSON spells it as
        self.open[table].write(json.dumps(record, ensure_ascii=False).encode(errors="backslashreplace") + b"\n")

    def finish(self, funnel: Funnel) -> None:
        """Put the files in place, the manifest last: where it is, all that it lists is whole.

        Contexts that were mixed of other variants name what is no longer there, and go; the funnel's note says so.
        """
        (self.place / MANIFEST).unlink(missing_ok=True)
        for name, file in self.open.items():
            file.close()
            put_in_place(self._scratch(name), self.place / f"{name}.jsonl")
        self._put(FUNNEL, funnel.plain())
        notes = []
        if self.replaces:
            notes.append(f"{self.place} held variants of other settings or questions: these replace them all")
        mixed = self.place / CONTEXTS
        if mixed.exists() and variants_digest(mixed) != sha256(self.place / "variants.jsonl"):
            mixed.unlink()
            notes.append(f"{mixed} was mixed of other variants and is removed; run `rarefy mix` again")
        funnel.note = "\n".join(notes)
        listed = [table for table in TABLES if table not in BESIDE]  # those may differ from machine to machine
        files = {name: sha256(self.place / name) for name in (FUNNEL, *(f"{table}.jsonl" for table in listed))}
        # what a model could not answer just now it may answer next time
        finished = TRANSIENT.isdisjoint(funnel.unanswered)
        self._put(MANIFEST, {"recipe": self.recipe if finished else "", "schemas": SCHEMA, "files": files})

    def _put(self, name: str, content: dict[str, Any]) -> None:
        scratch = self.place / f".{name}.part"
        scratch.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        put_in_place(scratch, self.place / name)

    def _scratch(self, name: str) -> Path:
        return self.place / f".{name}.jsonl.part"


def _record(row: Any) -> dict[str, Any]:
    values = {f.name: getattr(row, f.name) for f in dataclasses.fields(row)}
    return {
        name: [_as_plain(one) for one in value] if isinstance(value, tuple) else value for name, value in values.items()
    }


def _as_plain(one: Any) -> Any:
    return dataclasses.asdict(one) if dataclasses.is_dataclass(one) and not isinstance(one, type) else one


def variants_digest(contexts: Path) -> str:
    """The digest of the variants that a file of contexts was mixed of, as it says itself; "" where it does not."""
    try:
        with contexts.open(encoding="utf-8") as file:
            return str(json.loads(file.readline())["variants"])
    except (ValueError, LookupError, TypeError):  # empty, or not one of ours
        return ""


def recipe_of(out: Path) -> str:
    """The recipe of what a folder holds; "" where it holds nothing whole."""
    try:
        return str(json.loads((out / MANIFEST).read_bytes())["recipe"])
    except (OSError, ValueError, LookupError, TypeError):  # none, or not one of ours
        return ""


def load_unchanged(out: Path, recipe: str) -> Funnel | None:
    """The funnel of a folder that holds just this, every file as it was written; None where it does not."""
    try:
        manifest = json.loads((out / MANIFEST).read_bytes())
        if manifest["recipe"] != recipe or any(
            sha256(out / name) != digest for name, digest in manifest["files"].items()
        ):
            return None
        return Funnel.of(json.loads((out / FUNNEL).read_bytes()))
    except (OSError, ValueError, LookupError, TypeError, AttributeError):  # none, or not one of ours
        return None
