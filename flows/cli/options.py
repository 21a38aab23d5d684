"""Options that several commands share, each declared once, and the types of their values."""

import argparse
import os
from pathlib import Path
from typing import Any

STORE = ".rarefy"
RAW_TEXT = {"formatter_class": argparse.RawDescriptionHelpFormatter}


def add_corpus(command: argparse.ArgumentParser) -> None:
    """The argument CORPUS of commands that read documents."""
    command.add_argument("corpus", metavar="CORPUS", help="folder, file, JSONL or Parquet of texts; or `sample`")


def add_config(parser: "argparse.ArgumentParser | argparse._ArgumentGroup", about: str) -> None:
    """The option --config."""
    parser.add_argument("--config", metavar="FILE.toml", type=Path, help=about)


def add_store(command: argparse.ArgumentParser) -> "argparse._ArgumentGroup":
    """The options --store and --replies, in a group that is returned."""
    group = command.add_argument_group("where and how fast")
    group.add_argument(
        "--store",
        metavar="URL",
        default=os.environ.get("RAREFY_STORE", STORE),
        help="folder or fsspec URL (s3://…) of what was made before (default: $RAREFY_STORE or %(default)s)",
    )
    group.add_argument(
        "--replies",
        metavar="URL",
        default="",
        help="replies of models and their ledger: sqlite:///file or postgresql://… (default: $RAREFY_REPLIES or the "
        "store's replies.sqlite)",
    )
    return group


def add_workers(command: argparse.ArgumentParser, what: str = "processes") -> "argparse._ArgumentGroup":
    """The options --store, --replies, --workers, --dask and --quiet, in a group that is returned."""
    group = add_store(command)
    group.add_argument("--workers", metavar="N", type=count, default=0, help=f"{what} (default: this one)")
    group.add_argument("--dask", metavar="ADDRESS", default="", help="a Dask scheduler that exists, tcp://host:port")
    add_quiet(group)
    return group


def add_quiet(parser: "argparse.ArgumentParser | argparse._ArgumentGroup") -> None:
    """The option --quiet."""
    parser.add_argument("--quiet", action="store_true", help="say nothing but errors")


def add_verbose(parser: "argparse.ArgumentParser | argparse._ArgumentGroup", about: str) -> None:
    """The option --verbose."""
    parser.add_argument("--verbose", action="store_true", help=about)


def add_json(command: argparse.ArgumentParser, about: str) -> None:
    """The option --json."""
    command.add_argument("--json", action="store_true", help=about)


def add_repeated(parser: "argparse.ArgumentParser | argparse._ArgumentGroup", option: str, **about: Any) -> None:
    """An option that may be given several times; its values are a list."""
    parser.add_argument(option, action="append", default=[], **about)


def add_limits(command: argparse.ArgumentParser) -> None:
    """The options --max-cost and --max-calls."""
    group = command.add_argument_group("how much models may be asked, in this run, by all workers together")
    group.add_argument("--max-cost", metavar="AMOUNT", type=amount, default=0.0, help="in the currency of the prices")
    group.add_argument("--max-calls", metavar="N", type=count, default=0, help="requests sent")


def count(text: str) -> int:
    """A whole number above 0."""
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)


def port(text: str) -> int:
    """A port to listen at, 1 to 65535."""
    if not text.isdecimal() or not 0 < int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 1 to 65535")
    return int(text)


def port_or_any(text: str) -> int:
    """A port to listen at, or 0 for any that is free."""
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 0 to 65535")
    return int(text)


def amount(text: str) -> float:
    """A number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no amount above 0")
    return number
