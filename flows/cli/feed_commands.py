"""The commands that follow documents: watch a folder or bucket, take filings from the SEC, answer a webhook."""

import argparse
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarefy.flows.cli.commands import check_place, tell, with_store_repair
from rarefy.flows.cli.options import OWN, amount, count, places, spend
from rarefy.flows.faults import UsageFault

if TYPE_CHECKING:
    from rarefy.flows.config import Config
    from rarefy.flows.serving.triggers import Follower

WATCH = """\
Watch CORPUS, a folder or a bucket (s3://…), and refresh the benchmark in DIR when documents come, change or go, until
Ctrl-C. A file counts once it stayed the same for [feeds.folder] settle seconds: what is half written is never read.
What changes while a refresh runs is one following refresh. No server is needed; with PREFECT_API_URL set, every
refresh is a run in that Prefect's UI. For a schedule instead of a loop: `rarefy deploy`.
"""
FEED = """\
Take filings of companies from the SEC's EDGAR into the folder CORPUS, as <cik>/<form>-<period>-<accession>.htm: those
of [feeds.edgar] forms (10-K and 10-K/A) filed since DATE, each once. Run again, it asks only for what is new. The SEC
wants to know who asks: set user_agent in [feeds.edgar].
"""
HOOK = """\
Answer a webhook: POST {"address": url, "id": optional, "sha256": optional} to http://HOST:PORT/arrive, signed with the
secret in RAREFY_WEBHOOK_SECRET, brings the document into CORPUS and, with --out, refreshes the benchmark. Documents are
fetched only from the origins of [feeds.webhook]. Put a server that speaks TLS in front of it.
"""


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """The commands that follow documents."""
    watch = commands.add_parser("watch", help="refresh when documents change", description=WATCH, **OWN)
    watch.add_argument("corpus", metavar="CORPUS", help="folder, file or fsspec URL (s3://bucket/folder)")
    watch.add_argument("--out", metavar="DIR", required=True, help="folder of the benchmark")
    _often(watch, 30.0, "seconds between two looks (default: 30)")
    watch.add_argument("--mirror", metavar="DIR", default="", help="of a bucket: keep a copy here, and build from it")
    watch.add_argument(
        "--follow-deletions", action="store_true", help="of a mirror: what goes from the bucket goes from it too"
    )
    _refreshing(watch)

    feed = commands.add_parser("feed", help="filings from the SEC", description=FEED, **OWN)
    feed.add_argument("--into", metavar="CORPUS", required=True, help="folder for the documents")
    feed.add_argument(
        "--cik", metavar="COMPANY", action="append", default=[], help="CIK or ticker; several, or with commas"
    )
    feed.add_argument("--since", metavar="DATE", default="", help="only what was filed on this day or later")
    feed.add_argument("--form", metavar="FORM", action="append", default=[], help="instead of 10-K and 10-K/A")
    feed.add_argument("--out", metavar="DIR", default="", help="folder of a benchmark of CORPUS: refresh it")
    _often(feed, 0.0, "look again and again, so many seconds apart (default: once)")
    _refreshing(feed)

    hook = commands.add_parser("hook", help="answer a webhook that names documents", description=HOOK, **OWN)
    hook.add_argument("corpus", metavar="CORPUS", help="folder that documents are put into")
    hook.add_argument("--out", metavar="DIR", required=True, help="folder of its benchmark")
    hook.add_argument("--host", metavar="HOST", default="127.0.0.1", help="(default: %(default)s)")
    hook.add_argument("--port", metavar="PORT", type=_port, default=8787, help="0: any (default: %(default)s)")
    hook.add_argument("--no-refresh", action="store_true", help="only fetch and ask; `rarefy watch` or Prefect does it")
    _refreshing(hook)


def watch(given: argparse.Namespace) -> int:
    """Look, refresh, and look again."""
    config = _ready(given)
    check_place(given.out)
    from rarefy.flows.serving.folder_watch import Place, check, follow

    check(given.corpus, given.mirror, (given.out, given.store))
    place = Place(given.corpus, given.mirror, given.follow_deletions)
    follower = _follower(given, config, place.built)
    with _ended_by_signal():
        said = f"watching {given.corpus} every {given.every:,.0f} s for {given.out}; Ctrl-C ends it"
        follower.say("looking once" if given.once else said)
        follow(follower, place, config.feeds.folder, given.every, once=given.once)
    return 0


def feed(given: argparse.Namespace) -> int:
    """Take what was filed."""
    from rarefy.flows.faults import Fault
    from rarefy.flows.serving.edgar_feed import look, narrowed

    config = _ready(given)
    named = [name for names in given.cik for name in names.split(",") if name]
    edgar = narrowed(config.feeds.edgar, named, given.since, given.form)
    follower = _follower(given, config, given.into) if given.out else None
    from rarefy.tasks.store.tables import Store

    with _ended_by_signal():
        while True:
            try:
                look(Store(given.store), given.into, edgar, _say(given), follower.line if follower else "")
            except Fault as fault:
                if not given.every:
                    raise
                tell(f"{fault}\nlooking again in {given.every:,.0f} s", 1)
            if follower:
                follower.catch_up(given.every)
            if not given.every:
                return 0
            time.sleep(given.every)


def hook(given: argparse.Namespace) -> int:
    """Answer until Ctrl-C."""
    from rarefy.flows.serving.webhook import Hook, known_secrets
    from rarefy.flows.serving.webhook_server import HookServer
    from rarefy.tasks.store.tables import Store

    config, known = _ready(given), known_secrets()
    if not config.feeds.webhook.origins:
        raise UsageFault(
            'no origins: nothing could be fetched; [[feeds.webhook.origins]] origin = "https://docs.example.com"'
        )
    if not Path(given.corpus).is_dir():
        raise UsageFault(f"{given.corpus}: no such folder; make it first")
    say = _say(given)
    answering = Hook(Store(given.store), given.out, Path(given.corpus), config.feeds.webhook, known, say)
    follower = None if given.no_refresh else _follower(given, config, given.corpus)
    try:
        server = HookServer(answering, given.host, given.port)
    except OSError as error:
        raise UsageFault(f"--host {given.host} --port {given.port}: {error.strerror or error}; take another") from error
    if left := answering.resume():
        say(f"{left:,} documents that were named before are fetched now")
    stop = threading.Event()
    for work in (lambda: server.serve_forever(0.2), lambda: answering.work(stop)):
        threading.Thread(target=work, daemon=True).start()
    say(f"answering at {server.address}/arrive; Ctrl-C ends it")
    with _ended_by_signal():
        try:
            while True:
                answering.moved.wait(5.0)
                answering.moved.clear()
                if follower:
                    follower.catch_up(30.0)
        finally:
            stop.set()
            server.shutdown()
            server.server_close()


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {"watch": watch, "feed": feed, "hook": hook}


def _often(command: argparse.ArgumentParser, default: float, help: str) -> None:
    command.add_argument("--every", metavar="SECONDS", type=amount, default=default, help=help)
    if default:
        command.add_argument("--once", action="store_true", help="look until what is there has settled, then end")


def _refreshing(command: argparse.ArgumentParser) -> None:
    what = command.add_argument_group("how the benchmark is refreshed")
    what.add_argument("--config", metavar="FILE.toml", type=Path, help="settings: [feeds], and all that a build takes")
    where = places(command)
    where.add_argument("--workers", metavar="N", type=count, default=0, help="processes (default: this one)")
    where.add_argument("--dask", metavar="ADDRESS", default="", help="a Dask scheduler that exists, tcp://host:port")
    where.add_argument("--quiet", action="store_true", help="say nothing but errors")
    where.add_argument(
        "--deployment",
        metavar="NAME",
        default="",
        help='have Prefect run this deployment instead, as "rarefy refresh/refresh": see `rarefy deploy`',
    )
    spend(command)


def _ready(given: argparse.Namespace) -> "Config":
    """The config, once it is known that a refresh can be made with it."""
    from rarefy.flows.cli import commands
    from rarefy.flows.config import load
    from rarefy.flows.engine import prefect_server
    from rarefy.flows.engine.config_check import check
    from rarefy.flows.serving.triggers import served

    config = load(given.config)
    commands.check_store(given.store)
    if given.out:
        check(config, given.config)
        commands.check_models(given, config)
        if given.deployment and not served():
            raise UsageFault("--deployment: PREFECT_API_URL is not set; start `prefect server start`, and set it")
        if served():
            prefect_server.wait()
    return config


def _follower(given: argparse.Namespace, config: "Config", corpus: str) -> "Follower":
    """Refreshes in this process: runs of Prefect where it has a server that is looked at, plain calls otherwise.

    With --deployment, Prefect's workers make them: each want starts a run once, unless one waits already.
    """
    from rarefy.flows.refresh import refresh
    from rarefy.flows.reports.console import Terminal
    from rarefy.flows.reports.refresh_report import show
    from rarefy.flows.serving.triggers import Follower, handing_over, served
    from rarefy.tasks.store.journal import line_of
    from rarefy.tasks.store.tables import Store

    kept, line = Store(given.store), line_of(given.out)
    if given.deployment:
        return Follower(kept, line, handing_over(given.deployment, kept, line, _say(given)), _say(given))
    once: Any = refresh if served() else refresh.fn
    place = (given.store, given.workers, given.dask, 0, given.quiet)
    limits = {"max_calls": given.max_calls, "max_cost": given.max_cost, "only_if_wanted": True}

    def work() -> None:
        done = with_store_repair(given.store, lambda: once(corpus, given.out, config, *place, **limits))
        if not given.quiet:
            show(done, Terminal())

    return Follower(kept, line, work, _say(given))


def _say(given: argparse.Namespace) -> Callable[[str], None]:
    return (lambda line: None) if given.quiet else (lambda line: _stamped(line))


def _stamped(line: str) -> None:
    tell(f"{time.strftime('%H:%M:%S')} {line}", 0)


@contextmanager
def _ended_by_signal() -> Iterator[None]:
    """A service manager ends what it runs with SIGTERM: as a person would with Ctrl-C."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: object) -> None:
        raise KeyboardInterrupt  # not by SIGINT, which a shell has what it puts into the background ignore

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 0 to 65535")
    return int(text)
