"""The commands `rarefy serve` and `rarefy deploy`."""

import argparse
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarefy.flows.cli.options import OWN, STORE, amount, port
from rarefy.flows.faults import UsageFault

if TYPE_CHECKING:
    from rarefy.flows.config import Config
    from rarefy.flows.serving.config import Deploy

PORT = 4200  # Prefect's own
WATCHED = 15.0  # seconds
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


def add(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    """Their sub-parsers."""
    serve = commands.add_parser(
        "serve", help="server, worker and schedules on one machine", description=SERVE, epilog=SERVE_EXAMPLES, **OWN
    )
    _what(serve)
    serve.add_argument(
        "--home", metavar="DIR", type=Path, help="where Prefect keeps what it knows (default: STORE/prefect)"
    )
    serve.add_argument("--host", metavar="ADDRESS", default="127.0.0.1", help="to listen at (default: %(default)s)")
    serve.add_argument("--port", metavar="N", type=port, default=PORT, help="to listen at (default: %(default)s)")
    serve.add_argument(
        "--watch",
        metavar="SECONDS",
        type=amount,
        nargs="?",
        const=WATCHED,
        default=0.0,
        help=f"look at CORPUS so often (default: {WATCHED:g}), instead of the schedule of the deployment watch",
    )
    serve.add_argument("--hook", metavar="PORT", type=port, default=0, help="answer a webhook there; implies --watch")
    deploy = commands.add_parser("deploy", help="register the deployments on a server", description=DEPLOY, **OWN)
    _what(deploy)


def _what(command: argparse.ArgumentParser) -> None:
    command.add_argument("corpus", metavar="CORPUS", nargs="?", help="folder of documents (default: that of [deploy])")
    command.add_argument("--out", metavar="DIR", help="folder for the benchmark (default: that of [deploy])")
    command.add_argument(
        "--store", metavar="URL", help="of what was made before (default: that of [deploy], or $RAREFY_STORE)"
    )
    command.add_argument("--config", metavar="FILE.toml", type=Path, help="settings, among them [deploy]")
    command.add_argument(
        "--replace",
        action="store_true",
        help="replace deployments of this name that are of another corpus or for another folder",
    )


def serve(given: argparse.Namespace) -> int:
    """Serve until asked to end."""
    config = _config_of(given)
    deploy = config.deploy
    _check(config)
    home = given.home or Path(deploy.folder, STORE if "://" in deploy.store else deploy.store) / "prefect"
    from rarefy.flows.serving.serve import Wish
    from rarefy.flows.serving.serve import serve as work

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    beside = _beside(given, deploy)
    if "watch" in dict(beside):
        deploy = deploy.model_copy(update={"watch": deploy.watch.model_copy(update={"schedule": ""})})
    file = _config(given, deploy)
    return work(Wish(deploy, file, home.resolve(), given.host, given.port, beside, given.replace), say)


def deploy(given: argparse.Namespace) -> int:
    """Register everything."""
    config = _config_of(given)
    deploy = config.deploy
    if not os.environ.get("PREFECT_API_URL"):
        raise UsageFault(
            "PREFECT_API_URL is not set: say which server is to hold the deployments, as "
            "http://127.0.0.1:4200/api; `rarefy serve` starts one of its own"
        )
    _check(config)
    from rarefy.flows.engine import prefect_server

    prefect_server.wait()
    from rarefy.flows.serving.notices import URL
    from rarefy.flows.serving.register import register

    for one in register(deploy, _config(given, deploy), str(Path.cwd()), given.replace):
        print(f"{one.full_name:<30} {one.schedule:<24} {one.url}".rstrip())
    told = "posted to the address in" if os.environ.get(URL) else "nobody is told, for want of"
    print(f"runs that end badly: {told} {URL}")
    print(f"a worker takes their runs: prefect worker start --pool {deploy.work_pool}")
    return 0


def _config_of(given: argparse.Namespace) -> "Config":
    """The config, its section [deploy] with what the command line says."""
    from rarefy.flows.config import load

    if bool(given.corpus) != bool(given.out):
        raise UsageFault("CORPUS and --out go together: which benchmark is made of which documents")
    told: dict[str, Any] = {"corpus": given.corpus, "out": given.out}
    told["store"] = given.store or os.environ.get("RAREFY_STORE")
    config = load(given.config)
    deploy = config.deploy.model_copy(update={name: value for name, value in told.items() if value})
    return config.model_copy(update={"deploy": deploy})


def _check(config: "Config") -> None:
    """UsageFault where there is no such corpus, or no such system: every run would fail of it."""
    deploy = config.deploy
    place = Path(deploy.folder, deploy.corpus).expanduser()
    # the paths of other pools are those of their containers, of which nothing is known here
    if "://" not in deploy.corpus and deploy.pool_type == "process" and not place.exists():
        raise UsageFault(
            f"corpus {place.absolute()}: no such file or folder; make it first, even if it is empty, or name another: "
            "CORPUS and --out, or corpus in [deploy], which is looked for from its `folder`, or from here without one"
        )
    if deploy.systems:
        from rarefy.flows.engine.resolve_systems import systems

        try:
            systems(config, deploy.systems)
        except UsageFault as fault:
            raise UsageFault(f"[deploy] systems: {str(fault).removeprefix('--system ')}") from None


def _config(given: argparse.Namespace, deploy: "Deploy") -> str:
    """The path of the config as runs find it: they begin in the folder of [deploy], if that is another one."""
    if given.config is None:
        return ""
    return str(given.config.resolve() if deploy.folder else given.config)


def _beside(given: argparse.Namespace, deploy: "Deploy") -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What else is to run along, as modules with their arguments."""
    from rarefy.flows.serving.deployments import full_name

    found: list[tuple[str, tuple[str, ...]]] = []
    if every := given.watch or (WATCHED if given.hook else 0.0):
        told = {
            "every": every,
            "deployment": full_name("refresh", deploy),
            "corpus": deploy.corpus,
            "out": deploy.out,
            "store": deploy.store,
            "config_file": _config(given, deploy),
        }
        found.append(("watch", ("rarefy.flows.serving.watcher", json.dumps(told))))
    if given.hook:
        where = ("--out", deploy.out, "--store", deploy.store, "--port", str(given.hook), "--no-refresh")
        more = ("--config", _config(given, deploy)) if given.config else ()
        found.append(("hook", ("rarefy.flows.cli", "hook", deploy.corpus, *where, *more)))
    return tuple(found)
