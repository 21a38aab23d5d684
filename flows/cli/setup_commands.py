"""The commands around a build: write a config, check a machine, show prompts and remembered replies, calibrate."""

import argparse
import json
import os
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarefy.flows.cli.checks import replies_fault
from rarefy.flows.cli.options import RAW_TEXT, add_config, add_store, count
from rarefy.flows.engine.reachability import check_store
from rarefy.flows.faults import UsageFault
from rarefy.tasks import sample
from rarefy.tasks.text.characters import shorten

if TYPE_CHECKING:
    from rarefy.tasks.models.llm.reply_store import ReplyStore, StoredReply

DOCTOR = """\
Look at everything that a config needs, and say what to do where it is missing: endpoint, key, model, structured
output, log-probabilities, embedder, replies, Prefect, Dask, Elasticsearch, disk. Sends a few tokens to each model.
With --system, look at a system under test instead: ask it one question of BENCH in each way that it takes, and say how
long it took, what came back, and how an evaluation would score that. The exit code is 1 where it would fail.
"""
CACHE = "Say what made the key of a remembered reply: model, parameters, prompt, and what was answered."
PROMPTS = "Print a prompt file; without ROLE the roles and domains that STAGE has prompts for."
CALIBRATE = """\
Compare the judging model with people. Where SHEET.csv is not there yet, it is written: questions of the benchmark in
DIR to be scored. Where it is there, its scores are set beside the judge's.
"""
WIDE = 100  # characters of a line that explains a reply
SHORT = 60  # characters of a value that changed
SHOWN = 10  # replies, at most
NOTHING = """\
nothing is remembered under {name!r}.
An ID is the key of a reply or its beginning, or the request's own id: in `unanswered.jsonl` it is not, since refused,
filtered, cut and failed replies are never kept; the report counts those. A reply that was asked for with anything
changed, be it one character of a prompt, stands under another key, and was paid for again.
"""


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add init, doctor, cache, prompts and calibrate to the command line."""
    parser = commands.add_parser(
        "init", help="write a commented config", description="Write every setting, explained, with its default."
    )
    parser.add_argument(
        "path", metavar="PATH", nargs="?", default="rarefy.toml", help="where to (default: %(default)s)"
    )
    parser.set_defaults(run=init)

    parser = commands.add_parser("doctor", help="is everything there?", description=DOCTOR, **RAW_TEXT)
    parser.add_argument(
        "benchmark",
        metavar="BENCH",
        nargs="?",
        type=Path,
        help="with --system: the benchmark that the question is of (default: sample)",
    )
    parser.add_argument(
        "--system", metavar="NAME", default="", help="a system under test, named as for `rarefy evaluate`"
    )
    add_config(parser, "settings (default: the offline ones)")
    parser.add_argument("--dask", metavar="ADDRESS", default="", help="a Dask scheduler, tcp://host:port")
    add_store(parser)
    parser.set_defaults(run=doctor)

    parser = _add_subcommand(
        commands, "cache", "what is remembered of models", CACHE, "explain", "what made a reply's key"
    )
    about = (
        "a key or its beginning, or a request's id, which for a probe is its probe_id; none: the newest, with theirs"
    )
    parser.add_argument("id", metavar="ID", nargs="?", default="", help=about)
    add_store(parser)
    parser.set_defaults(run=cache)

    parser = _add_subcommand(commands, "prompts", "the prompts of the stages", PROMPTS, "show", "print one")
    parser.add_argument("stage", metavar="STAGE", nargs="?", default="", help="extract, ask, probe, grade, ...")
    parser.add_argument("role", metavar="ROLE", nargs="?", default="", help="which of its prompts")
    parser.add_argument(
        "domain", metavar="DOMAIN", nargs="?", default="general", help="finance, economics, policy, ..."
    )
    parser.set_defaults(run=prompts)

    parser = commands.add_parser("calibrate", help="compare the judge with people", description=CALIBRATE, **RAW_TEXT)
    parser.add_argument("benchmark", metavar="DIR", help="a benchmark whose questions were judged")
    parser.add_argument("sheet", metavar="SHEET.csv", type=Path, help="questions with people's scores")
    parser.add_argument(
        "--questions", metavar="N", type=count, default=100, help="in a new sheet (default: %(default)s)"
    )
    parser.set_defaults(run=calibrate)


def _add_subcommand(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    about: str,
    description: str,
    verb: str,
    verb_about: str,
) -> argparse.ArgumentParser:
    """The parser of a command of two words, as `rarefy cache explain`."""
    parser = commands.add_parser(name, help=about, description=description)
    return parser.add_subparsers(dest="what", metavar="WHAT", required=True).add_parser(
        verb, help=verb_about, description=description
    )


def init(given: argparse.Namespace) -> int:
    """Write the commented config."""
    from rarefy.flows.cli.template import template

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


def doctor(given: argparse.Namespace) -> int:
    """Look at all that a config needs; 1 where something is wrong."""
    from rarefy.flows.cli.doctor import examine, show
    from rarefy.flows.config import load

    config = load(given.config)
    if given.system:
        from rarefy.flows.cli.doctor_system import examine_system

        check_store(given.store)
        benchmark = given.benchmark or sample.BENCHMARK
        return 0 if show(examine_system(config, given.config, given.system, benchmark, given.store)) else 1
    if given.benchmark:
        raise UsageFault("doctor BENCH: a benchmark is looked at with a system; add --system NAME")
    return 0 if show(examine(config, given.config, given.store, given.dask)) else 1


def prompts(given: argparse.Namespace) -> int:
    """Print a prompt, or which there are."""
    from rarefy.tasks.models import prompts

    roles = prompts.roles(given.stage) if given.stage.isidentifier() else {}
    if not roles:
        wrong = f"no stage {given.stage!r} with prompts" if given.stage else "prompts show STAGE: name a stage"
        raise UsageFault(f"{wrong}; have {', '.join(sorted(prompts.folders()))}")
    if not given.role:
        print("\n".join(f"{given.stage} {role} {domain}" for role in roles for domain in roles[role]))
        return 0
    if given.role not in roles:
        raise UsageFault(f"{given.stage} has no prompt {given.role!r}; have {', '.join(roles)}")
    if given.domain not in prompts.DOMAINS:
        raise UsageFault(f"no domain {given.domain!r}; have {', '.join(prompts.DOMAINS)}")
    print(prompts.source(given.stage, given.role, given.domain), end="")
    return 0


def calibrate(given: argparse.Namespace) -> int:
    """Write a sheet for people's scores, or set those of one beside the judge's."""
    from rarefy.flows.calibrate import calibrate, show, write_sheet

    if given.sheet.exists():
        print(show(calibrate(given.benchmark, given.sheet)))
        return 0
    count = write_sheet(given.benchmark, given.sheet, given.questions)
    print(f"{given.sheet} written, {count:,} questions: have people score them, and run the same command again")
    return 0


def cache(given: argparse.Namespace) -> int:
    """Say what made the key of a remembered reply."""
    from rarefy.flows.models.accounting import cache_folder
    from rarefy.tasks.store.tables import Store

    check_store(given.store)
    url = os.environ.get("RAREFY_REPLIES", "")
    try:
        print(explain(url, cache_folder(Store(given.store)), given.id), end="")
    except ValueError as error:
        raise replies_fault(url, error) from error
    return 0


def explain(books: str, cache: Path, name: str) -> str:
    """What is known by this ID, as text; `books` is a URL, or "" for those in the folder `cache`.

    OSError or ValueError, with the way out, where there are no such books.
    """
    from rarefy.tasks.models.llm.reply_store import open_reply_store

    if not books and not (cache / "replies.sqlite").is_file():
        raise OSError(f"{cache / 'replies.sqlite'}: there is none yet; no model was asked with this store")
    known = open_reply_store(books, cache)
    found = known.explain(name)  # of no name: the newest
    if not found:
        return NOTHING.format(name=name)
    lines = []
    for kept in found[:SHOWN]:
        lines += _describe_reply(kept)
    if len(found) > SHOWN:
        lines.append(f"... and {len(found) - SHOWN} older ones; give more of the key to see one\n")
    if name:
        lines += _describe_differences(_replies_by_request(known, found))
    return "\n".join(lines) + "\n"


def _replies_by_request(known: "ReplyStore", found: "list[StoredReply]") -> "dict[str, list[StoredReply]]":
    """By request id, for those that are shown: all that was asked under it, the oldest first."""
    near = {}
    for request_id in dict.fromkeys(kept.reply.request_id for kept in found[:SHOWN]):
        near[request_id] = [kept for kept in known.explain(request_id) if kept.reply.request_id == request_id][::-1]
    return near


def _describe_reply(kept: "StoredReply") -> Iterator[str]:
    reply = kept.reply
    yield f"key {kept.key}, first asked as request {reply.request_id}"
    yield f"  answered by {reply.model or '?'}: {reply.prompt_tokens:,} + {reply.completion_tokens:,} tokens"
    yield _truncate(f"  reply        {json.dumps(reply.text, ensure_ascii=False)}")
    for name, value in _key_parts(kept).items():
        yield _truncate(f"  {name:<12} {_format_value(value)}")
    yield ""


def _describe_differences(near: "dict[str, list[StoredReply]]") -> Iterator[str]:
    """For each request id, in what its replies differ."""
    for request_id, several in near.items():
        if len(several) > 1:
            yield f"request {request_id} has {len(several)} replies; in what each differs from the one before it:"
        for before, after in list(pairwise(several))[-SHOWN:]:
            was, now = _key_parts(before), _key_parts(after)
            yield f"  {before.key[:12]} -> {after.key[:12]}"
            for name in [*was, *(name for name in now if name not in was)]:
                if was.get(name) != now.get(name):
                    yield f"    {name} {_format_change(was.get(name), now.get(name))}"


def _key_parts(kept: "StoredReply") -> dict[str, Any]:
    """What made the key, flat: "identity.model", "message 1"."""
    made_of = json.loads(kept.made_of)
    parts: dict[str, Any] = {}
    for name, value in made_of.items():
        if name == "messages":
            parts |= {f"message {i}": message for i, message in enumerate(value, 1)}
        elif isinstance(value, dict):
            parts |= {f"{name}.{part}": one for part, one in value.items()}
        else:
            parts[name] = value
    return parts


def _format_value(value: Any) -> str:
    if isinstance(value, dict) and "digest" in value:
        return f"{value['role']}, {value['characters']:,} characters, {value['digest']}: {value['begins']!r}"
    return "none" if value in (None, "") else str(value)


def _format_change(was: Any, now: Any) -> str:
    """As "0.2 -> 0.0"; of two texts, how they begin."""
    if isinstance(was, dict) and isinstance(now, dict) and was.get("begins") == now.get("begins"):
        if was.get("role") != now.get("role"):
            return f"{was['role']} -> {now['role']}"
        return f"begins the same, {was['characters']:,} -> {now['characters']:,} characters, differs further on"
    was, now = (value["begins"] if isinstance(value, dict) and "begins" in value else value for value in (was, now))
    return f"{_truncate(_format_value(was), SHORT)} -> {_truncate(_format_value(now), SHORT)}"


def _truncate(text: str, most: int = WIDE) -> str:
    return shorten(text, most)
