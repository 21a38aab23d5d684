"""The commands that keep a benchmark up to its documents: watch, feed, hook, serve and deploy."""

import argparse
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarefy.flows.cli import checks
from rarefy.flows.cli.options import (
    RAW_TEXT,
    STORE,
    add_config,
    add_limits,
    add_repeated,
    add_workers,
    amount,
    port,
    port_or_any,
)
from rarefy.flows.engine.output_folders import check_benchmark_folder, check_outside_corpus
from rarefy.flows.engine.reachability import check_store
from rarefy.flows.faults import UsageFault

if TYPE_CHECKING:
    from rarefy.flows.config import Config
    from rarefy.flows.serving.config import Deploy
    from rarefy.flows.serving.folder_watch import Follower

PORT = 4200  # Prefect's own
WATCHED = 15.0  # seconds
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
SERVE = """\
Keep a benchmark up to its documents, on this machine: starts Prefect's server, registers the deployments build,
refresh, evaluate and watch with the schedules of the config, and takes their runs, until Ctrl-C. What it knows stays
in --home, and is there again after a restart. Its server wants a login, a new one each time: the line in HOME/login.
With PREFECT_API_URL set, that server is used instead of its own.
"""
SERVE_EXAMPLES = """\
examples:
  rarefy serve filings/ --out benchmark/            then open http://127.0.0.1:4200
  rarefy serve --config my.toml                     with schedules, systems and tags of its section [deploy]
  RAREFY_NOTIFY_URL=https://... rarefy serve --config my.toml     and tell of runs that fail
"""
DEPLOY = """\
Register the work pool, the deployments and the notices of a config on the Prefect server of PREFECT_API_URL; run again,
they are as the config says now. A worker runs them: prefect worker start --pool POOL. With RAREFY_NOTIFY_URL set, runs
that fail are posted to that address, which is kept as a secret block. A server that wants a login gets that of
PREFECT_API_AUTH_STRING.
"""


def add_commands(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Add watch, feed, hook, serve and deploy to the command line."""
    parser = commands.add_parser("watch", help="refresh when documents change", description=WATCH, **RAW_TEXT)
    parser.add_argument("corpus", metavar="CORPUS", help="folder, file or fsspec URL (s3://bucket/folder)")
    parser.add_argument("--out", metavar="DIR", required=True, help="folder of the benchmark")
    _add_interval(parser, 30.0, "seconds between two looks (default: 30)")
    _add_refresh_options(parser)
    parser.set_defaults(run=watch)

    parser = commands.add_parser("feed", help="filings from the SEC", description=FEED, **RAW_TEXT)
    parser.add_argument("--into", metavar="CORPUS", required=True, help="folder for the documents")
    add_repeated(parser, "--cik", metavar="COMPANY", help="CIK or ticker; several, or with commas")
    parser.add_argument("--since", metavar="DATE", default="", help="only what was filed on this day or later")
    add_repeated(parser, "--form", metavar="FORM", help="instead of 10-K and 10-K/A")
    parser.add_argument("--out", metavar="DIR", default="", help="folder of a benchmark of CORPUS: refresh it")
    _add_interval(parser, 0.0, "look again and again, so many seconds apart (default: once)")
    _add_refresh_options(parser)
    parser.set_defaults(run=feed)

    parser = commands.add_parser("hook", help="answer a webhook that names documents", description=HOOK, **RAW_TEXT)
    parser.add_argument("corpus", metavar="CORPUS", help="folder that documents are put into")
    parser.add_argument("--out", metavar="DIR", required=True, help="folder of its benchmark")
    parser.add_argument("--host", metavar="HOST", default="127.0.0.1", help="(default: %(default)s)")
    parser.add_argument("--port", metavar="PORT", type=port_or_any, default=8787, help="0: any (default: %(default)s)")
    parser.add_argument(
        "--no-refresh", action="store_true", help="only fetch and ask; `rarefy watch` or Prefect does it"
    )
    _add_refresh_options(parser)
    parser.set_defaults(run=hook)

    parser = commands.add_parser(
        "serve",
        help="server, worker and schedules on one machine",
        description=SERVE,
        epilog=SERVE_EXAMPLES,
        **RAW_TEXT,
    )
    _add_deploy_options(parser)
    parser.add_argument(
        "--home", metavar="DIR", type=Path, help="where Prefect keeps what it knows (default: STORE/prefect)"
    )
    parser.add_argument("--host", metavar="ADDRESS", default="127.0.0.1", help="to listen at (default: %(default)s)")
    parser.add_argument("--port", metavar="N", type=port, default=PORT, help="to listen at (default: %(default)s)")
    parser.add_argument(
        "--watch",
        metavar="SECONDS",
        type=amount,
        nargs="?",
        const=WATCHED,
        default=0.0,
        help=f"look at CORPUS so often (default: {WATCHED:g}), instead of the schedule of the deployment watch",
    )
    parser.add_argument("--hook", metavar="PORT", type=port, default=0, help="answer a webhook there; implies --watch")
    parser.set_defaults(run=serve)

    parser = commands.add_parser("deploy", help="register the deployments on a server", description=DEPLOY, **RAW_TEXT)
    _add_deploy_options(parser)
    parser.set_defaults(run=deploy)


def _add_deploy_options(command: argparse.ArgumentParser) -> None:
    """What serve and deploy share: which benchmark of which documents, by which config."""
    command.add_argument("corpus", metavar="CORPUS", nargs="?", help="folder of documents (default: that of [deploy])")
    command.add_argument("--out", metavar="DIR", help="folder for the benchmark (default: that of [deploy])")
    command.add_argument(
        "--store", metavar="URL", help="of what was made before (default: that of [deploy], or $RAREFY_STORE)"
    )
    add_config(command, "settings, among them [deploy]")
    command.add_argument(
        "--replace",
        action="store_true",
        help="replace deployments of this name that are of another corpus or for another folder",
    )


def watch(given: argparse.Namespace) -> int:
    """Look at a corpus again and again, and refresh its benchmark when documents changed."""
    config = _prepare_refresh(given)
    check_benchmark_folder(given.out)
    from rarefy.flows.serving.folder_watch import check, follow

    check(given.corpus, {"--out": given.out, "--store": given.store})
    follower = _make_follower(given, config, given.corpus)
    with _interrupt_on_sigterm():
        message = f"watching {given.corpus} every {given.every:,.0f} s for {given.out}; Ctrl-C ends it"
        follower.say("looking once" if given.once else message)
        follow(follower, given.corpus, config.feeds.folder, given.every, once=given.once)
    return 0


def feed(given: argparse.Namespace) -> int:
    """Fetch filings from the SEC, and refresh the benchmark where --out names one."""
    from rarefy.flows.faults import Fault
    from rarefy.flows.serving.edgar_feed import look, narrow_config

    config = _prepare_refresh(given)
    named = [name for names in given.cik for name in names.split(",") if name]
    edgar = narrow_config(config.feeds.edgar, named, given.since, given.form)
    follower = _make_follower(given, config, given.into) if given.out else None
    from rarefy.tasks.store.tables import Store

    with _interrupt_on_sigterm():
        while True:
            try:
                look(Store(given.store), given.into, edgar, _make_logger(given), follower.line if follower else "")
            except Fault as fault:
                if not given.every:
                    raise
                checks.print_message(f"{fault}\nlooking again in {given.every:,.0f} s")
            if follower:
                follower.catch_up(given.every)
            if not given.every:
                return 0
            time.sleep(given.every)


def hook(given: argparse.Namespace) -> int:
    """Answer webhooks until Ctrl-C."""
    from rarefy.flows.serving.webhook import Hook, HookServer, read_secrets
    from rarefy.tasks.store.tables import Store

    config, known = _prepare_refresh(given), read_secrets()
    if not config.feeds.webhook.origins:
        raise UsageFault(
            'no origins: nothing could be fetched; [[feeds.webhook.origins]] origin = "https://docs.example.com"'
        )
    if not Path(given.corpus).is_dir():
        raise UsageFault(f"{given.corpus}: no such folder; make it first")
    say = _make_logger(given)
    answering = Hook(Store(given.store), given.out, Path(given.corpus), config.feeds.webhook, known, say)
    follower = None if given.no_refresh else _make_follower(given, config, given.corpus)
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
    with _interrupt_on_sigterm():
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


def _add_interval(command: argparse.ArgumentParser, default: float, help: str) -> None:
    """The option --every, and --once where looking again and again is the default."""
    command.add_argument("--every", metavar="SECONDS", type=amount, default=default, help=help)
    if default:
        command.add_argument("--once", action="store_true", help="look until what is there has settled, then end")


def _add_refresh_options(command: argparse.ArgumentParser) -> None:
    """What watch, feed and hook share: how the benchmark is refreshed."""
    what = command.add_argument_group("how the benchmark is refreshed")
    add_config(what, "settings: [feeds], and all that a build takes")
    where = add_workers(command)
    where.add_argument(
        "--deployment",
        metavar="NAME",
        default="",
        help='have Prefect run this deployment instead, as "rarefy refresh/refresh": see `rarefy deploy`',
    )
    add_limits(command)


def _prepare_refresh(given: argparse.Namespace) -> "Config":
    """The config, once all that a refresh needs is known to be there."""
    from rarefy.flows.config import load
    from rarefy.flows.engine import prefect_server
    from rarefy.flows.engine.config_check import check_config
    from rarefy.flows.serving.folder_watch import has_prefect_api

    config = load(given.config)
    check_store(given.store)
    if given.out:
        check_config(config, given.config)
        checks.check_models(given, config)
        if given.deployment and not has_prefect_api():
            raise UsageFault("--deployment: PREFECT_API_URL is not set; start `prefect server start`, and set it")
        if has_prefect_api():
            prefect_server.wait()
    return config


def _make_follower(given: argparse.Namespace, config: "Config", corpus: str) -> "Follower":
    """A follower that refreshes in this process: as a Prefect flow where PREFECT_API_URL is set, else by a plain call.

    With --deployment it has a Prefect worker refresh: each request starts a run once, unless one waits already.
    """
    from rarefy.flows.refresh import refresh
    from rarefy.flows.reports.console import Terminal
    from rarefy.flows.reports.version_report import show_refresh
    from rarefy.flows.serving.folder_watch import Follower, has_prefect_api, make_deployment_starter
    from rarefy.tasks.store.journal import line_of
    from rarefy.tasks.store.tables import Store

    store, line, log = Store(given.store), line_of(given.out), _make_logger(given)
    if given.deployment:
        return Follower(store, line, make_deployment_starter(given.deployment, store, line, log), log)
    run_refresh: Any = refresh if has_prefect_api() else refresh.fn
    names = ("store", "workers", "dask", "quiet", "max_calls", "max_cost")
    options = {name: getattr(given, name) for name in names} | {"only_if_wanted": True}

    def work() -> None:
        done = checks.with_store_repair(given.store, lambda: run_refresh(corpus, given.out, config, **options))
        if not given.quiet:
            show_refresh(done, Terminal())

    return Follower(store, line, work, log)


def _make_logger(given: argparse.Namespace) -> Callable[[str], None]:
    """A function that prints a line with the time of day, or nothing with --quiet."""

    def log(line: str) -> None:
        if not given.quiet:
            checks.print_message(f"{time.strftime('%H:%M:%S')} {line}")

    return log


@contextmanager
def _interrupt_on_sigterm() -> Iterator[None]:
    """Within it, SIGTERM (of a service manager) ends the command as Ctrl-C does."""
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


def serve(given: argparse.Namespace) -> int:
    """Run a server, its deployments and a worker until Ctrl-C."""
    config = _load_deploy_config(given)
    deploy = config.deploy
    _check_deploy(config)
    home = given.home or Path(deploy.folder, STORE if "://" in deploy.store else deploy.store) / "prefect"
    from rarefy.flows.serving.serve import ServeOptions
    from rarefy.flows.serving.serve import serve as run_services

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    beside = _side_processes(given, deploy)
    if "watch" in dict(beside):
        deploy = deploy.model_copy(update={"watch": deploy.watch.model_copy(update={"schedule": ""})})
    file = _config_path(given, deploy)
    return run_services(ServeOptions(deploy, file, home.resolve(), given.host, given.port, beside, given.replace), say)


def deploy(given: argparse.Namespace) -> int:
    """Register the deployments, the work pool and the notices of a config on a Prefect server."""
    config = _load_deploy_config(given)
    deploy = config.deploy
    if not os.environ.get("PREFECT_API_URL"):
        raise UsageFault(
            "PREFECT_API_URL is not set: say which server is to hold the deployments, as "
            "http://127.0.0.1:4200/api; `rarefy serve` starts one of its own"
        )
    _check_deploy(config)
    from rarefy.flows.engine import prefect_server

    prefect_server.wait()
    from rarefy.flows.serving.deployments import URL, register

    for one in register(deploy, _config_path(given, deploy), str(Path.cwd()), given.replace):
        print(f"{one.full_name:<30} {one.schedule:<24} {one.url}".rstrip())
    notified = "posted to the address in" if os.environ.get(URL) else "nobody is notified, for want of"
    print(f"runs that end badly: {notified} {URL}")
    print(f"a worker takes their runs: prefect worker start --pool {deploy.work_pool}")
    return 0


def _load_deploy_config(given: argparse.Namespace) -> "Config":
    """The config, with CORPUS, --out and --store of the command line in its section [deploy]."""
    from rarefy.flows.config import load

    if bool(given.corpus) != bool(given.out):
        raise UsageFault("CORPUS and --out go together: which benchmark is made of which documents")
    overrides: dict[str, Any] = {"corpus": given.corpus, "out": given.out}
    overrides["store"] = given.store or os.environ.get("RAREFY_STORE")
    config = load(given.config)
    deploy = config.deploy.model_copy(update={name: value for name, value in overrides.items() if value})
    return config.model_copy(update={"deploy": deploy})


def _check_deploy(config: "Config") -> None:
    """UsageFault where there is no such corpus, or no such system: every run would fail of it."""
    deploy = config.deploy
    place = Path(deploy.folder, deploy.corpus).expanduser()
    # the paths of other pools are those of their containers, of which nothing is known here
    if "://" not in deploy.corpus and deploy.pool_type == "process" and not place.exists():
        raise UsageFault(
            f"corpus {place.absolute()}: no such file or folder; make it first, even if it is empty, or name another: "
            "CORPUS and --out, or corpus in [deploy], which is looked for from its `folder`, or from here without one"
        )
    if deploy.pool_type == "process":
        made = {"--out": deploy.out, "--store": deploy.store}
        made = {option: path if "://" in path else str(Path(deploy.folder, path)) for option, path in made.items()}
        check_outside_corpus(deploy.corpus if "://" in deploy.corpus else str(place), made)
    if deploy.systems:
        from rarefy.flows.engine.config_check import resolve_systems

        try:
            resolve_systems(config, deploy.systems)
        except UsageFault as fault:
            raise UsageFault(f"[deploy] systems: {str(fault).removeprefix('--system ')}") from None


def _config_path(given: argparse.Namespace, deploy: "Deploy") -> str:
    """The path of the config as runs find it: they begin in the folder of [deploy], if that is another one."""
    if given.config is None:
        return ""
    return str(given.config.resolve() if deploy.folder else given.config)


def _side_processes(given: argparse.Namespace, deploy: "Deploy") -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What `rarefy serve` runs besides server and worker: names, and modules with their arguments."""
    from rarefy.flows.serving.config import full_name

    found: list[tuple[str, tuple[str, ...]]] = []
    if every := given.watch or (WATCHED if given.hook else 0.0):
        arguments = {
            "every": every,
            "deployment": full_name("refresh", deploy),
            "corpus": deploy.corpus,
            "out": deploy.out,
            "store": deploy.store,
            "config_file": _config_path(given, deploy),
        }
        found.append(("watch", ("rarefy.flows.serving.processes", "watcher", json.dumps(arguments))))
    if given.hook:
        where = ("--out", deploy.out, "--store", deploy.store, "--port", str(given.hook), "--no-refresh")
        more = ("--config", _config_path(given, deploy)) if given.config else ()
        found.append(("hook", ("rarefy.flows.cli", "hook", deploy.corpus, *where, *more)))
    return tuple(found)
