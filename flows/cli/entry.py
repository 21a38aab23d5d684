"""The command `rarefy`: what is asked for is checked before anything is started."""

import argparse
import contextlib
import errno
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import TracebackType
from typing import TYPE_CHECKING

from rarefy.flows.cli import (
    commands,
    evaluation_commands,
    feed_commands,
    perturb_commands,
    serving_commands,
    version_commands,
)
from rarefy.flows.cli.arguments import parser
from rarefy.flows.cli.commands import tell
from rarefy.flows.engine import reachability
from rarefy.flows.engine.as_of_day import day
from rarefy.flows.faults import LONGEST, Fault
from rarefy.tasks.models.llm.secrets import redacted

if TYPE_CHECKING:
    from rarefy.flows.config import Config


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says; the exit code."""
    given = reachability.anchored(parser().parse_args(arguments))
    sys.excepthook = _trace
    try:
        with _replies(getattr(given, "replies", "")):
            return COMMANDS[given.command](given)
    except Fault as fault:
        return tell(str(fault), fault.code)
    except KeyboardInterrupt:
        return tell("interrupted; run the same command again and it goes on from here", 130)
    except BrokenPipeError:  # whoever read has enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        if error.errno is None and len(error.args) == 1:  # one of ours, which says it all
            return tell(str(error), 1)
        if error.errno not in WAYS_OUT:
            raise
        return tell(f"{error.filename or getattr(given, 'out', '.')}: {error.strerror}; {WAYS_OUT[error.errno]}", 1)
    except Exception as error:
        # by name: importing the libraries to catch their exceptions would take longer than most commands
        if type(error).__module__.partition(".")[0] in {"httpx", "httpcore"}:
            return tell(f"Prefect's API stopped answering ({error}); look at its server, and run again to go on", 1)
        if reachability.foreign(error):
            return tell(str(reachability.unanswered(error, "corpus or store")), 1)
        if type(error).__name__ not in {"ContractBroken", "LeaseLost", "TableDamaged"}:
            raise
        return tell(str(error), 1)


def _trace(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    """Tell of a bug by its traceback, without the passwords and keys that a library's message may hold."""
    print(redacted("".join(traceback.format_exception(kind, error, where)), LONGEST), file=sys.stderr)


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


@contextlib.contextmanager
def _replies(url: str) -> Iterator[None]:
    """In here the environment says where replies are kept (see flows/models/accounting.py)."""
    before = os.environ.get("RAREFY_REPLIES")
    if url:
        os.environ["RAREFY_REPLIES"] = url
    try:
        yield
    finally:
        if url and before is None:
            del os.environ["RAREFY_REPLIES"]
        elif url and before is not None:
            os.environ["RAREFY_REPLIES"] = before


def _build(given: argparse.Namespace) -> int:
    config = _begin(given)
    from rarefy.flows.build import build
    from rarefy.flows.reports.build_report import show
    from rarefy.flows.reports.console import Terminal

    place = (given.store, given.workers, given.dask, given.limit, given.quiet)
    limits = (given.max_calls, given.max_cost, given.as_of)
    built = commands.with_store_repair(given.store, lambda: build(given.corpus, given.out, config, *place, *limits))
    if not given.quiet:
        show(replace(built, out=given.shown_out), Terminal())
    return 0


def _refresh(given: argparse.Namespace) -> int:
    config = _begin(given)
    from rarefy.flows.refresh import refresh
    from rarefy.flows.reports.console import Terminal
    from rarefy.flows.reports.refresh_report import show

    place = (given.store, given.workers, given.dask, given.limit, given.quiet)
    limits = (given.max_calls, given.max_cost, given.as_of, given.if_wanted)
    done = commands.with_store_repair(given.store, lambda: refresh(given.corpus, given.out, config, *place, *limits))
    if not given.quiet:
        show(done, Terminal())
    return 0


def _plan(given: argparse.Namespace) -> int:
    config = _begin(given)
    from rarefy.flows.cli.plan import plan, show
    from rarefy.flows.reports.console import Terminal

    place = (given.store, given.workers, given.dask, given.limit, given.quiet)
    show(commands.with_store_repair(given.store, lambda: plan(given.corpus, config, *place)), config, Terminal())
    return 0


def _estimate(given: argparse.Namespace) -> int:
    config = _begin(given)
    from rarefy.flows.models.estimate import estimate
    from rarefy.flows.reports.console import Terminal
    from rarefy.flows.reports.estimate_report import show

    place = (given.store, given.workers, given.dask, given.limit, given.quiet)
    show(commands.with_store_repair(given.store, lambda: estimate(given.corpus, config, *place)), config, Terminal())
    return 0


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "build": _build,
    "refresh": _refresh,
    "plan": _plan,
    "estimate": _estimate,
    "init": commands.init,
    "doctor": commands.doctor,
    "cache": commands.cache,
    "prompts": commands.prompts,
    "calibrate": commands.calibrate,
    "perturb": perturb_commands.perturb,
    "perturbations": perturb_commands.perturbations,
    "mix": perturb_commands.mix,
    "scenario": perturb_commands.scenario,
    "evaluate": evaluation_commands.evaluate,
    "rescore": evaluation_commands.rescore,
    "compare": evaluation_commands.compare,
    **feed_commands.COMMANDS,
    "versions": version_commands.versions,
    "diff": version_commands.diff,
    "gc": version_commands.gc,
    "serve": serving_commands.serve,
    "deploy": serving_commands.deploy,
}


def _begin(given: argparse.Namespace) -> "Config":
    """The config, once corpus and config are known to be there; the Prefect API, once it answers."""
    day(getattr(given, "as_of", ""))
    reachability.check_corpus(given.corpus)
    from rarefy.flows.config import load
    from rarefy.flows.engine import prefect_server

    config = load(given.config)
    if "out" in given:
        commands.check_place(given.out)
    commands.check_store(given.store)
    prefect_server.start()
    from rarefy.flows.engine.config_check import check, remarks  # while the server starts

    check(config, given.config)
    if not given.quiet:
        tell("\n".join(remarks(config)), 0)
    commands.check_models(given, config)
    prefect_server.wait()
    return config


if __name__ == "__main__":
    sys.exit(main())
