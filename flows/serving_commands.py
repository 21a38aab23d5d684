"""The commands `rarefy serve` and `rarefy deploy`."""

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rarefy.flows.faults import UsageFault
from rarefy.flows.options import OWN, STORE, count

if TYPE_CHECKING:
    from rarefy.flows.config import Config
    from rarefy.flows.serving.config import Deploy

PORT = 4200  # Prefect's own
SERVE = """\
Keep a benchmark up to its documents, on this machine: starts Prefect's server, registers the deployments build,
refresh, evaluate and watch with the schedules of the config, and takes their runs, until Ctrl-C. What it knows stays
in --home, and is there again after a restart. With PREFECT_API_URL set, that server is used instead of its own.
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
that fail are posted to that address, which is kept as a secret block.
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
    serve.add_argument("--port", metavar="N", type=count, default=PORT, help="to listen at (default: %(default)s)")
    deploy = commands.add_parser("deploy", help="register the deployments on a server", description=DEPLOY, **OWN)
    _what(deploy)


def _what(command: argparse.ArgumentParser) -> None:
    command.add_argument("corpus", metavar="CORPUS", nargs="?", help="folder of documents (default: that of [deploy])")
    command.add_argument("--out", metavar="DIR", help="folder for the benchmark (default: that of [deploy])")
    command.add_argument(
        "--store", metavar="URL", help="of what was made before (default: that of [deploy], or $RAREFY_STORE)"
    )
    command.add_argument("--config", metavar="FILE.toml", type=Path, help="settings, among them [deploy]")


def serve(given: argparse.Namespace) -> int:
    """Serve until asked to end."""
    deploy, config = _deploy(given)
    home = given.home or Path(deploy.folder, STORE if "://" in deploy.store else deploy.store) / "prefect"
    from rarefy.flows.serving.serve import Wish
    from rarefy.flows.serving.serve import serve as work

    def say(text: str) -> None:
        print(text, file=sys.stderr, flush=True)

    wish = Wish(deploy, str(given.config or ""), home.resolve(), given.host, given.port, _beside(deploy, config))
    return work(wish, say)


def deploy(given: argparse.Namespace) -> int:
    """Register everything."""
    deploy, _ = _deploy(given)
    if not os.environ.get("PREFECT_API_URL"):
        raise UsageFault(
            "PREFECT_API_URL is not set: say which server is to hold the deployments, as "
            "http://127.0.0.1:4200/api; `rarefy serve` starts one of its own"
        )
    from rarefy.flows import server

    server.wait()
    from rarefy.flows.serving.notices import URL
    from rarefy.flows.serving.register import register

    for one in register(deploy, str(given.config or ""), str(Path.cwd())):
        print(f"{one.full_name:<30} {one.schedule:<24} {one.url}".rstrip())
    told = "is told" if os.environ.get(URL) else f"nobody is told: {URL} is not set"
    print(f"of runs that end badly: {told}")
    print(f"a worker takes their runs: prefect worker start --pool {deploy.work_pool}")
    return 0


def _deploy(given: argparse.Namespace) -> "tuple[Deploy, Config]":
    """The section [deploy] with what the command line says; what it names is known to be there."""
    from rarefy.flows.config import load

    config = load(given.config)
    told: dict[str, Any] = {"corpus": given.corpus, "out": given.out}
    told["store"] = given.store or os.environ.get("RAREFY_STORE")
    deploy = config.deploy.model_copy(update={name: value for name, value in told.items() if value})
    if bool(given.corpus) != bool(given.out):
        raise UsageFault("CORPUS and --out go together: which benchmark is made of which documents")
    return deploy, config


def _beside(deploy: "Deploy", config: "Config") -> tuple[tuple[str, tuple[str, ...]], ...]:
    return ()
