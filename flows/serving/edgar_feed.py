"""The SEC's EDGAR followed: new filings into the corpus, and a refresh asked for (docs/triggers.md)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from prefect import flow
from pydantic import ValidationError

from rarefy.flows.config import Config
from rarefy.flows.faults import Fault, UsageFault
from rarefy.tasks.refresh.feeds.config import EdgarConfig
from rarefy.tasks.refresh.feeds.edgar import Fed, follow
from rarefy.tasks.refresh.feeds.faults import FeedFault
from rarefy.tasks.refresh.feeds.sec import WHO, Sec
from rarefy.tasks.refresh.refresh_queue import want, wanted
from rarefy.tasks.store.journal import line_of
from rarefy.tasks.store.tables import Store

Say = Callable[[str], None]


@flow(name="rarefy feed", flow_run_name="filings into {into}", persist_result=False)
def feed(
    into: str,
    out: str = "",
    config: Config = Config(),  # noqa: B008  (frozen)
    store: str = ".rarefy",
    companies: list[str] | None = None,
    since: str = "",
    deployment: str = "",
) -> str:
    """Look once; where something was filed, have the deployment run that refreshes the benchmark in `out`."""
    from prefect.logging import get_run_logger

    from rarefy.flows.serving.start_run import start

    say = get_run_logger().info
    edgar = narrowed(config.feeds.edgar, companies or [], since)
    kept, line = Store(store), line_of(out) if out else ""
    try:
        told = look(kept, into, edgar, say, line).told()
    finally:
        # what came before a fault, and what a crash left unsaid, is wanted too
        started = start(deployment, only_if_wanted=True) if deployment and line and wanted(kept, line) else ""
    if not started:
        return told
    say(started)
    return f"{told}; {started}"


def look(store: Store, into: str, config: EdgarConfig, say: Say, line: str = "") -> Fed:
    """Take what was filed, and ask for a refresh of the line where something came or went; Fault with the way out.

    What came before a fault is there, and asked for all the same.
    """

    def came(path: str) -> None:
        if line:
            want(store, line, f"the SEC: {path}")

    try:
        sec = Sec(config, say)
        try:
            found = follow(store, Path(into).expanduser(), config, sec, say, came)
        finally:
            sec.close()
    except FeedFault as fault:
        raise Fault(str(fault)) from fault
    say(found.told())
    if found.faults:
        raise Fault("\n".join(found.faults))
    return found


def narrowed(config: EdgarConfig, companies: list[str], since: str, forms: list[str] | None = None) -> EdgarConfig:
    """The config with what the command line says; UsageFault where that is no config."""
    update: dict[str, Any] = {"companies": (*config.companies, *companies)}
    update |= {"since": since} if since else {}
    update |= {"forms": tuple(forms)} if forms else {}
    try:
        made = EdgarConfig.model_validate(config.model_dump() | update)
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageFault(f"{first['loc'][0]}: {first['msg'].removeprefix('Value error, ')}") from error
    if not made.companies:
        raise UsageFault('no companies: name them with --cik, or companies = ["320193", "NVDA"] in [feeds.edgar]')
    if not made.user_agent:
        raise UsageFault(WHO)
    return made
