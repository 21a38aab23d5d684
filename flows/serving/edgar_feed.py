"""The SEC's EDGAR followed: new filings into the corpus, and a refresh asked for (docs/triggers.md)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from prefect import flow
from pydantic import ValidationError

from rarefy.flows.config import Config
from rarefy.flows.faults import Fault, UsageFault
from rarefy.tasks.refresh.feeds.config import EdgarConfig
from rarefy.tasks.refresh.feeds.edgar import FeedResult, follow_filings
from rarefy.tasks.refresh.feeds.faults import FeedFault
from rarefy.tasks.refresh.feeds.sec_client import USER_AGENT_ADVICE, SecClient
from rarefy.tasks.refresh.refresh_queue import pending_requests, request_refresh
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

    from rarefy.flows.serving.flow_runs import start_deployment

    say = get_run_logger().info
    edgar = narrow_config(config.feeds.edgar, companies or [], since)
    kept, line = Store(store), line_of(out) if out else ""
    try:
        message = look(kept, into, edgar, say, line).told()
    finally:
        # what came before a fault, and what a crash left unsaid, is wanted too
        started = (
            start_deployment(deployment, only_if_wanted=True)
            if deployment and line and pending_requests(kept, line)
            else ""
        )
    if not started:
        return message
    say(started)
    return f"{message}; {started}"


def look(store: Store, into: str, config: EdgarConfig, say: Say, line: str = "") -> FeedResult:
    """Fetch new filings, and ask for a refresh of the line where something came or went; Fault where that fails.

    What came before a fault is there, and asked for all the same.
    """

    def came(path: str) -> None:
        if line:
            request_refresh(store, line, f"the SEC: {path}")

    try:
        sec = SecClient(config, say)
        try:
            found = follow_filings(store, Path(into).expanduser(), config, sec, say, came)
        finally:
            sec.close()
    except FeedFault as fault:
        raise Fault(str(fault)) from fault
    say(found.told())
    if found.faults:
        raise Fault("\n".join(found.faults))
    return found


def narrow_config(config: EdgarConfig, companies: list[str], since: str, forms: list[str] | None = None) -> EdgarConfig:
    """The config with companies, date and forms of the command line; UsageFault where they do not fit."""
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
        raise UsageFault(USER_AGENT_ADVICE)
    return made
