"""Whether a folder may be written to: it holds nothing but what was written there before, whole or half-written."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rarefy.data_contracts.schemas import BESIDE
from rarefy.flows.engine.reachability import check_out
from rarefy.flows.faults import UsageFault
from rarefy.tasks.corpus.read.sources import is_url

RESULT_FILES = {"trials", "answers", "scores", "questions", "chunks", "variants", "hits", "figures"}
RESULT_FILES |= {"summary", "report", "run", "runs", "sig", "compare", "preferred", "breaches", "left_out", *BESIDE}


def check_benchmark_folder(out: str) -> None:
    """UsageFault where --out of a build holds anything but a benchmark, whole or half-written."""
    from rarefy.tasks.export import BESIDE, NAMES

    check_out(out)
    known = (*NAMES.values(), *BESIDE.values(), "beir", "hf", "manifest", "contracts", "models", "changes")
    check_folder(Path(out), {*known, "nothing_to_build"}, "a benchmark")
    with _make_folder(Path(out)):
        pass  # it can be made: better known now than after the build


def check_outside_corpus(corpus: str, made: Mapping[str, str]) -> None:
    """UsageFault where a folder of `made`, by its option, lies in the corpus: its files would be read as documents.

    Hidden folders are not read, and may lie there.
    """
    if is_url(corpus):
        return
    place = Path(corpus.removeprefix("file://")).expanduser().resolve()
    for option, folder in made.items():
        if is_url(folder):
            continue
        below = Path(folder.removeprefix("file://")).expanduser().resolve()
        if below.is_relative_to(place) and not any(part[:1] == "." for part in below.relative_to(place).parts):
            raise UsageFault(
                f"{option} {folder}: lies in the corpus {corpus}, so that the next build would read its files as "
                "documents; choose a folder beside the corpus"
            )


def is_benchmark(place: Path) -> bool:
    """Whether a folder holds a benchmark of `rarefy build` or `rarefy perturb`, rather than documents."""
    questions = any((place / f"questions.{suffix}").is_file() for suffix in ("parquet", "jsonl"))
    return questions and (place / "manifest.json").is_file()


def check_folder(out: Path, known: Iterable[str], what: str) -> None:
    """UsageFault where a folder holds files of other names (up to their first point) than what is written there."""
    check_no_file(out)
    for name in sorted(path.name for path in out.iterdir()) if out.exists() else ():
        if name.strip(".").split(".")[0] not in known:
            raise UsageFault(f"--out {out}: holds {name!r}, which is no part of {what}; choose a new folder")


def check_no_file(out: Path) -> None:
    """UsageFault where a file stands in place of the folder --out."""
    if out.exists() and not out.is_dir():
        raise UsageFault(f"--out {out}: a file stands there; choose a folder")


@contextmanager
def open_result_folder(out: Path) -> Iterator[None]:
    """Make the folder --out for what is done within; what is made here and holds nothing at the end is removed.

    UsageFault where it holds anything but a result, whole or half-written, or cannot be written to.
    """
    check_folder(out, RESULT_FILES, "a result")
    with _make_folder(out):
        yield


@contextmanager
def _make_folder(out: Path) -> Iterator[None]:
    """Make the folder --out for what is done within; what is made here and holds nothing at the end is removed."""
    made = next((folder for folder in reversed([out, *out.parents]) if not folder.exists()), None)
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageFault(f"--out {out}: cannot be made ({error.strerror}); choose another folder") from error
    if not os.access(out, os.W_OK):
        raise UsageFault(f"--out {out}: nothing may be written there; choose another folder")
    try:
        yield
    finally:
        while made and out.exists() and not any(out.iterdir()):
            out.rmdir()
            if out == made:
                break
            out = out.parent
