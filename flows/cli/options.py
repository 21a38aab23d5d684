"""Options that several commands share."""

import argparse
import os

STORE = ".rarefy"
OWN = {"formatter_class": argparse.RawDescriptionHelpFormatter}


def spend(command: argparse.ArgumentParser) -> None:
    """How much models may be asked."""
    group = command.add_argument_group("how much models may be asked, in this run, by all workers together")
    group.add_argument("--max-cost", metavar="AMOUNT", type=amount, default=0.0, help="in the currency of the prices")
    group.add_argument("--max-calls", metavar="N", type=count, default=0, help="requests sent")


def places(command: argparse.ArgumentParser) -> "argparse._ArgumentGroup":
    """Where things are kept."""
    where = command.add_argument_group("where and how fast")
    where.add_argument(
        "--store",
        metavar="URL",
        default=os.environ.get("RAREFY_STORE", STORE),
        help="folder or fsspec URL (s3://…) of what was made before (default: $RAREFY_STORE or %(default)s)",
    )
    where.add_argument(
        "--replies",
        metavar="URL",
        default="",
        help="replies of models and their ledger: sqlite:///file or postgresql://… (default: $RAREFY_REPLIES or the "
        "store's replies.sqlite)",
    )
    return where


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


def amount(text: str) -> float:
    """A number above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no amount above 0")
    return number
