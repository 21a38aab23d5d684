"""The command `rarefy`: its command line, and how faults and interruptions end it."""

import argparse
import contextlib
import difflib
import errno
import os
import re
import sys
import traceback
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import NoReturn

from rarefy.flows.cli import (
    build_commands,
    evaluation_commands,
    exchange_commands,
    perturb_commands,
    serving_commands,
    setup_commands,
    version_commands,
)
from rarefy.flows.cli.checks import print_message
from rarefy.flows.cli.options import RAW_TEXT
from rarefy.flows.engine import reachability
from rarefy.flows.faults import LONGEST, Fault
from rarefy.tasks.models.llm.secrets import redacted

GROUPS = (  # of commands, in the order in which --help lists them
    build_commands,
    setup_commands,
    perturb_commands,
    evaluation_commands,
    exchange_commands,
    serving_commands,
    version_commands,
)
ABOUT = """\
Turn a folder of documents into a RAG robustness benchmark: questions with short answers, the sentences that
prove them, and variants of both, made from a knowledge graph of the documents; then evaluate RAG systems on it.
Offline by default: no key, no network, no GPU. With a model in the config ([llm]) it is asked by the stages that can.
"""
EXAMPLES = """\
examples:
  rarefy build filings/ --out benchmark/            read, chunk, extract, ask, check, export
  rarefy build filings/ --out benchmark/            again: only what changed is made anew
  rarefy build filings/ --out b/ --workers 4        documents in four processes
  rarefy plan filings/                              what is there, before anything is spent
  rarefy init my.toml                               every setting, explained, with its default
  rarefy doctor --config my.toml                    is everything there that this config needs?
  rarefy estimate filings/ --config my.toml         calls, tokens, money and minutes, before anything is spent
  rarefy build filings/ --out b/ --config my.toml --max-cost 20
  rarefy refresh filings/ --out benchmark/          documents changed: what changed in the benchmark?
  rarefy serve filings/ --out benchmark/            the same on a schedule, watched in Prefect's UI
  rarefy watch filings/ --out benchmark/            the same whenever documents come, change or go
  rarefy perturbations                              every change to questions and passages, with an example
  rarefy perturb questions.jsonl --out variants/    the same without a corpus: questions, answers, contexts
  rarefy mix variants/ --out contexts.jsonl         passages, gold and noise, as a retriever might have found them
  rarefy evaluate benchmark/ --system mine --out result/     how robust is a RAG system, and to what?
  rarefy export benchmark/ --to answers-template --out answers.jsonl     to be answered anywhere, ...
  rarefy score answers.jsonl --bench benchmark/ --out result/            ... and scored here
  rarefy compare last-week/ result/                 is it better than last week's?

exit codes: 0 done, 1 failed, 2 wrong usage, wrong config or nothing to build,
            3 --max-cost or --max-calls is reached: the same command goes on from there;
            or a rule of --fail-if is broken,
            4 a rule of --fail-if is not decided: too few questions, or its number is withheld
"""
WAYS_OUT = {
    errno.ENOENT: "check the path, and that a folder can be made there, or choose another --store and --out",
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


class CommandParser(argparse.ArgumentParser):
    """A command line that answers a mistyped command with the nearest one, before the list of all."""

    commands: Mapping[str, argparse.ArgumentParser]  # by name

    def error(self, message: str) -> NoReturn:
        """End with a message on what is wrong."""
        if mistyped := re.match(r"argument COMMAND: invalid choice: '([^']*)' \(choose from (.*)\)", message):
            known = [name.strip(" '") for name in mistyped[2].split(",")]
            if near := difflib.get_close_matches(mistyped[1], known, n=1):
                message = f"no command {mistyped[1]!r}: did you mean {near[0]}? (choose from {mistyped[2]})"
        super().error(message)


def parser() -> CommandParser:
    """The command line; the function of each command is its namespace's `run`."""
    top = CommandParser("rarefy", description=ABOUT, epilog=EXAMPLES, **RAW_TEXT)
    top.add_argument("--version", action="version", version=f"rarefy {version('rarefy')}")
    commands = top.add_subparsers(
        dest="command", metavar="COMMAND", required=True, parser_class=argparse.ArgumentParser
    )
    for group in GROUPS:
        group.add_commands(commands)
    top.commands = commands.choices
    return top


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """What a command line says; of an option that its command does not have, the nearest that it has is named."""
    top = parser()
    given, unknown = top.parse_known_args(arguments)
    if unknown:
        command = top.commands[given.command]
        options = re.findall(r"--[\w-]+", command.format_usage())
        near = [difflib.get_close_matches(one.partition("=")[0], options, n=1) for one in unknown if one[:2] == "--"]
        meant = ", ".join(name for names in near for name in names)
        command.error(f"unrecognized arguments: {' '.join(unknown)}{f'; did you mean {meant}?' if meant else ''}")
    return given


def main(arguments: list[str] | None = None) -> int:
    """Run the command that a command line asks for; the exit code."""
    given = reachability.make_paths_absolute(parse(arguments))
    sys.excepthook = _print_traceback
    _find_modules_here()
    try:
        with _replies_environment(getattr(given, "replies", "")):
            return given.run(given)
    except Fault as fault:
        return print_message(str(fault), fault.code)
    except KeyboardInterrupt:
        return print_message("interrupted; run the same command again and it goes on from here", 130)
    except BrokenPipeError:  # whoever read has enough, as `head` has
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        if error.errno is None and len(error.args) == 1:  # one of ours, which says it all
            return print_message(str(error), 1)
        if error.errno not in WAYS_OUT:
            raise
        return print_message(
            f"{error.filename or getattr(given, 'out', '.')}: {error.strerror}; {WAYS_OUT[error.errno]}", 1
        )
    except Exception as error:
        # by name: importing the libraries to catch their exceptions would take longer than most commands
        if type(error).__module__.partition(".")[0] in {"httpx", "httpcore"}:
            return print_message(
                f"Prefect's API stopped answering ({error}); look at its server, and run again to go on", 1
            )
        if reachability.is_storage_error(error):
            return print_message(str(reachability.explain_storage_error(error, "corpus or store")), 1)
        if type(error).__name__ not in {"ContractBroken", "LeaseLost", "TableDamaged"}:
            raise
        return print_message(str(error), 1)


def _find_modules_here() -> None:
    """Let module:function name a module of the current folder, as `python -m` would.

    It is searched last: a file of the user's that is called like a library of ours must not stand in for it.
    """
    here = str(Path.cwd())
    if not sys.flags.safe_path and here not in sys.path:
        sys.path.append(here)


def _print_traceback(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
    """Print a traceback without the passwords and keys that a library's message may hold."""
    print(redacted("".join(traceback.format_exception(kind, error, where)), LONGEST), file=sys.stderr)


@contextlib.contextmanager
def _replies_environment(url: str) -> Iterator[None]:
    """Within it, $RAREFY_REPLIES is the address of --replies, where one is given (see flows/models/accounting.py)."""
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
