"""The command lines of versions: listing them, comparing two, giving up old ones."""

import argparse
from pathlib import Path

from rarefy.flows.cli.options import OWN, amount, count, places

VERSIONS = """\
List what was published from a store: number and version, when, of which documents, what changed against the version
before, and the run that made it. Every one of them can be compared (`rarefy diff`) for as long as the store keeps it.
"""
DIFF = """\
Say what changed between two benchmarks: documents, sections and paragraphs; facts that came, went or were restated;
questions that were added or retired, whose answer changed, whose evidence moved, and which stand as they were.
OLD and NEW are folders of benchmarks, versions (or their beginnings), or numbers that `rarefy versions` lists.
With --out, DIR gets changes.md, changes.html, changes.jsonl (every row) and changes.json (counts).
"""
DIFF_EXAMPLES = """\
examples:
  rarefy diff 3 4
  rarefy diff last-month/ benchmark/ --out changes/
  rarefy diff 72aeca 9d0143 --json
"""
GC = """\
Say what of a store nothing needs any more, and with --yes remove it. Kept is all that a kept version leads to: its
tables, and what a refresh of it finds made. Without --keep and --older-than no version is given up, and what goes is
what interrupted and superseded runs left. The newest version of a folder always stays, and so does whatever is younger
than an hour. Replies of models, answers of systems, embeddings and indexes are not touched.
"""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The commands."""
    versions = commands.add_parser("versions", help="what was published, and what changed", description=VERSIONS, **OWN)
    versions.add_argument("--out", metavar="DIR", default="", help="only what was published in this folder")
    versions.add_argument("--json", action="store_true", help="all there is to say of each, as JSON")
    places(versions)

    diff = commands.add_parser(
        "diff", help="what changed between two benchmarks", description=DIFF, epilog=DIFF_EXAMPLES, **OWN
    )
    diff.add_argument("old", metavar="OLD", help="a folder, a version, or its number")
    diff.add_argument("new", metavar="NEW", help="another")
    diff.add_argument("--of", metavar="DIR", default="", help="the folder whose versions the numbers are of")
    diff.add_argument("--out", metavar="DIR", type=Path, help="folder for the changes")
    diff.add_argument("--json", action="store_true", help="counts and rows as JSON")
    places(diff)

    gc = commands.add_parser("gc", help="give up what nothing needs", description=GC, **OWN)
    gc.add_argument("--keep", metavar="N", type=count, default=0, help="of each folder's versions the N newest")
    gc.add_argument(
        "--older-than",
        metavar="DAYS",
        type=amount,
        default=0.0,
        help="give up versions published so long ago; with --keep, of those that are not among the N",
    )
    gc.add_argument("--yes", action="store_true", help="do it (default: only say what would go)")
    gc.add_argument("--json", action="store_true", help="as JSON, with every file")
    places(gc)
