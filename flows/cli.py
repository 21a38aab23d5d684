"""The command `rarefy`: what is asked for is checked before anything is started."""

import argparse
import errno
import os
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rarefy.flows.faults import Fault, UsageFault

if TYPE_CHECKING:
    from rarefy.flows.config import Config

Done = TypeVar("Done")

STORE = ".rarefy"
TRIES = 2  # a store that is damaged again while it is mended lies on a disk to be looked at
ABOUT = """\
Turn a folder of documents into a RAG robustness benchmark: questions with short answers, the sentences that
prove them, and variants of both, made from a knowledge graph of the documents. Offline: no key, no network, no GPU.
"""
EXAMPLES = """\
examples:
  rarefy build filings/ --out benchmark/            read, chunk, extract, ask, check, export
  rarefy build filings/ --out benchmark/            again: only what changed is made anew
  rarefy build filings/ --out b/ --workers 4        documents in four processes
  rarefy plan filings/                              what is there, before anything is spent
  rarefy init my.toml                               every setting, explained, with its default
  rarefy build filings/ --out b/ --config my.toml

exit codes: 0 done, 1 failed, 2 wrong usage, wrong config or nothing to build
"""
BUILD = """\
Make the benchmark of CORPUS in DIR: every table as Parquet and JSON lines, BEIR, a Hugging Face dataset, a manifest.
CORPUS is a folder (searched with its subfolders), a file, or a JSONL or Parquet file of texts with metadata.
What was made before is found in the store; a build that was interrupted goes on when it is run again.
With PREFECT_API_URL set the run shows in that Prefect's UI; without it no server is needed.
"""
PLAN = """\
Print what CORPUS holds: documents, chunks, and the census of patterns where the store already knows it.
Reading and chunking are done here and kept for the build; nothing else is.
"""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    own = {"formatter_class": argparse.RawDescriptionHelpFormatter}
    top = argparse.ArgumentParser("rarefy", description=ABOUT, epilog=EXAMPLES, **own)
    top.add_argument("--version", action="version", version=f"rarefy {version('rarefy')}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", required=True)

    build = commands.add_parser("build", help="make a benchmark of a corpus", description=BUILD, **own)
    build.add_argument("corpus", metavar="CORPUS", help="folder, file, or JSONL/Parquet of texts")
    build.add_argument(
        "--out", metavar="DIR", required=True, help="folder for the benchmark; a new one, or one of a build before"
    )
    _shared(build)

    plan = commands.add_parser("plan", help="what a corpus holds, before anything is spent", description=PLAN, **own)
    plan.add_argument("corpus", metavar="CORPUS", help="folder, file, or JSONL/Parquet of texts")
    _shared(plan)

    init = commands.add_parser(
        "init", help="write a commented config", description="Write every setting, explained, with its default."
    )
    init.add_argument("path", metavar="PATH", nargs="?", default="rarefy.toml", help="where to (default: %(default)s)")
    return top


def _shared(command: argparse.ArgumentParser) -> None:
    what = command.add_argument_group("what is made")
    what.add_argument(
        "--config", metavar="FILE.toml", type=Path, help="settings; `rarefy init` writes one (default: none needed)"
    )
    what.add_argument("--limit", metavar="N", type=_count, default=0, help="only the first N documents, by path")
    where = command.add_argument_group("where and how fast")
    where.add_argument(
        "--store",
        metavar="URL",
        default=os.environ.get("RAREFY_STORE", STORE),
        help="folder or fsspec URL (s3://…) of what was made before (default: $RAREFY_STORE or %(default)s)",
    )
    where.add_argument(
        "--workers", metavar="N", type=_count, default=0, help="processes for documents (default: this one)"
    )
    where.add_argument("--dask", metavar="ADDRESS", default="", help="a Dask scheduler that exists, tcp://host:port")
    where.add_argument("--quiet", action="store_true", help="say nothing but errors")


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says; the exit code."""
    given = parser().parse_args(arguments)
    try:
        return {"build": _build, "plan": _plan, "init": _init}[given.command](given)
    except Fault as fault:
        return _tell(str(fault), fault.code)
    except KeyboardInterrupt:
        return _tell("interrupted; run the same command again and it goes on from here", 130)
    except OSError as error:
        if error.errno is None and len(error.args) == 1:  # one of ours, which says it all
            return _tell(str(error), 1)
        if error.errno not in WAYS_OUT:
            raise
        return _tell(f"{error.filename or getattr(given, 'out', '.')}: {error.strerror}; {WAYS_OUT[error.errno]}", 1)
    except Exception as error:
        # by name: importing the libraries to catch their exceptions would take longer than most commands
        if type(error).__module__.partition(".")[0] in {"httpx", "httpcore"}:
            return _tell(f"Prefect's API stopped answering ({error}); look at its server, and run again to go on", 1)
        if type(error).__name__ not in {"ContractBroken", "TableDamaged"}:
            raise
        return _tell(str(error), 1)


WAYS_OUT = {
    errno.ENOSPC: "free some space, or choose another --store and --out; run again and it goes on from here",
    errno.EDQUOT: "the quota is used up; free some space, or choose another --store and --out",
    errno.EFBIG: "files may not grow so large here; lift the limit, or choose another --store and --out",
    errno.EACCES: "grant permission, or choose another --store or --out",
    errno.EPERM: "grant permission, or choose another --store or --out",
    errno.EROFS: "nothing can be written there; choose another --store or --out",
    errno.ENOTDIR: "a file stands where a folder is wanted; choose another --store or --out",
    errno.EEXIST: "a file stands where a folder is wanted; choose another --store or --out",
    errno.EISDIR: "a folder stands where a file is wanted; choose another path",
    errno.EIO: "the disk does not read or write; look at its health",
}


def _tell(text: str, code: int) -> int:
    for line in text.splitlines():
        print(f"rarefy: {line}", file=sys.stderr)
    return code


def _init(given: argparse.Namespace) -> int:
    from rarefy.flows.template import template

    path = Path(given.path)
    if path.is_dir():
        path = path / "rarefy.toml"
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(template())
    except FileExistsError:
        raise UsageFault(f"{path} exists; choose another path, or remove it first") from None
    except FileNotFoundError:
        raise UsageFault(f"{path}: no such folder; make it first") from None
    print(f"{path} written; use it with `rarefy build CORPUS --out DIR --config {path}`")
    return 0


def _build(given: argparse.Namespace) -> int:
    config = _begin(given)
    from rich.console import Console

    from rarefy.flows.build import build
    from rarefy.flows.report import show

    place = (given.store, given.workers, given.dask, given.limit, given.quiet)
    built = _mended(given.store, lambda: build(given.corpus, given.out, config, *place))
    if not given.quiet:
        show(built, Console())
    return 0


def _plan(given: argparse.Namespace) -> int:
    config = _begin(given)
    from rich.console import Console

    from rarefy.flows.plan import plan, show

    place = (given.store, given.workers, given.dask, given.limit, given.quiet)
    show(_mended(given.store, lambda: plan(given.corpus, config, *place)), Console())
    return 0


def _mended(store: str, work: Callable[[], Done]) -> Done:
    """What `work` gives; when a table turns out to be damaged, all such are removed, and what they held is remade."""
    from rarefy.tasks.store import Store, TableDamaged

    for _ in range(TRIES):
        try:
            return work()
        except TableDamaged as damage:
            others = Store(store).mend()
            _tell(str(damage), 1)
            _tell("\n".join(f"table {name} was damaged too" for name in others), 1)
    return work()


def _begin(given: argparse.Namespace) -> "Config":
    """The config, once corpus and config are known to be there; the Prefect API, once it answers."""
    if not Path(given.corpus).exists():
        raise UsageFault(f"{given.corpus}: no such file or folder; check the path")
    from rarefy.flows import server
    from rarefy.flows.config import load

    config = load(given.config)
    if "out" in given:
        _check_place(given.out)
    _check_store(given.store)
    server.start()
    from rarefy.flows.surroundings import check  # while the server starts

    check(config, given.config)
    server.wait()
    return config


def _check_store(url: str) -> None:
    """UsageFault where no store can be at this address."""
    from rarefy.tasks.store import Store

    try:
        Store(url)
    except (ImportError, ValueError) as error:
        raise UsageFault(f"--store {url}: {error}; give a folder, or an fsspec URL of an installed package") from error


def _check_place(out: str) -> None:
    """UsageFault where the folder holds something else than a benchmark, whole or half-written: it is not ours."""
    from rarefy.tasks.export import NAMES

    place = Path(out)
    if place.exists() and not place.is_dir():
        raise UsageFault(f"--out {out}: a file stands there; choose a folder")
    ours = {*NAMES.values(), "beir", "hf", "manifest", "contracts"}
    foreign = (
        sorted(path.name for path in place.iterdir() if path.name.strip(".").split(".")[0] not in ours)
        if place.exists()
        else []
    )
    if foreign:
        raise UsageFault(f"--out {out}: holds {foreign[0]!r}, which is no part of a benchmark; choose a new folder")


if __name__ == "__main__":
    sys.exit(main())
