"""Filings from a server that stands in for the SEC's, by the command and by the flow; nothing here reaches the SEC."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from edgar_stand_in import Edgar, apple, standing_in

from rarefy.flows.cli import main
from rarefy.flows.config import Config
from rarefy.flows.faults import Fault
from rarefy.flows.serving.edgar_feed import feed, look
from rarefy.tasks.refresh.refresh_queue import pending_requests
from rarefy.tasks.store.journal import line_of
from rarefy.tasks.store.tables import Store

NEWEST = "320193/10-K-2025-09-27-0000320193-25-000079.htm"


@pytest.fixture
def edgar() -> Iterator[Edgar]:
    with standing_in() as edgar:
        apple(edgar)
        yield edgar


def section(edgar: Edgar, **more: object) -> dict[str, object]:
    who = {"user_agent": "Tests tests@example.com", "per_second": 10.0, "since": "2024-01-01"}
    return {"data_url": edgar.url, "www_url": edgar.url, **who, **more}


@pytest.fixture
def given(edgar: Edgar, tmp_path: Path) -> list[str]:
    lines = [f'{name} = "{value}"' for name, value in section(edgar).items() if isinstance(value, str)]
    (tmp_path / "my.toml").write_text("\n".join(["[feeds.edgar]", "per_second = 10.0", *lines]) + "\n")
    config = ["--config", str(tmp_path / "my.toml"), "--store", str(tmp_path / "store")]
    return ["feed", "--into", str(tmp_path / "corpus"), *config]


def test_the_command_takes_what_was_filed_and_nothing_twice(given, edgar, tmp_path, capsys):
    assert main([*given, "--cik", "AAPL,320193"]) == 0
    assert "2 new filings" in capsys.readouterr().err
    assert (tmp_path / "corpus" / NEWEST).is_file()
    edgar.asked.clear()
    assert main([*given, "--cik", "320193"]) == 0
    assert "0 new filings; 1 requests" in capsys.readouterr().err
    assert main([*given, "--cik", "320193", "--form", "10-Q", "--quiet"]) == 0
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("more", "code", "told"),
    [
        ([], 2, "no companies"),
        (["--cik", "NOSUCH"], 1, "no ticker NOSUCH"),
        (["--cik", "77"], 1, "no company with CIK 77"),
        (["--cik", "320193", "--since", "last year"], 2, "since: 'last year' is no day; write it as 2020-01-31"),
        (["--cik", "320193", "--since", "2015-13-01"], 2, "since: '2015-13-01' is no day; write it as 2020-01-31"),
    ],
)
def test_what_is_wrong_is_told_in_a_line(given, capsys, more, code, told):
    assert main([*given, *more]) == code
    said = capsys.readouterr().err
    assert told in said and "Traceback" not in said


def test_nobody_is_asked_before_it_is_said_who_asks(given, edgar, capsys, tmp_path):
    (tmp_path / "my.toml").write_text(f'[feeds.edgar]\ndata_url = "{edgar.url}"\nwww_url = "{edgar.url}"\n')
    assert main([*given, "--cik", "320193"]) == 2
    assert "set user_agent" in capsys.readouterr().err
    assert edgar.asked == []
    (tmp_path / "my.toml").write_text('[feeds.edgar]\nuser_agent = "rarefy"\n')
    assert main([*given, "--cik", "320193"]) == 2
    assert "feeds.edgar.user_agent" in capsys.readouterr().err


def test_every_filing_that_came_is_asked_for_before_it_counts_as_known(edgar, tmp_path, monkeypatch):
    """Killed anywhere, the next look asks for a refresh of what nobody asked for."""
    from rarefy.flows.serving import edgar_feed as module
    from rarefy.tasks.refresh.feeds.config import EdgarConfig

    store, config = Store(tmp_path / "store"), EdgarConfig(**section(edgar, companies=("320193",)))

    def crash(*args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(module, "request_refresh", crash)
        look(store, str(tmp_path / "corpus"), config, print, "line")
    assert not pending_requests(store, "line")
    look(store, str(tmp_path / "corpus"), config, print, "line")
    assert len(pending_requests(store, "line")) == 2
    assert edgar.count("/Archives/") == 2


@pytest.fixture
def started(monkeypatch) -> list[str]:
    """The deployments that were started."""
    names: list[str] = []

    def start(name: str, **parameters: object) -> str:
        names.append(name)
        return f"{name} was started"

    monkeypatch.setattr("rarefy.flows.serving.flow_runs.start_deployment", start)
    monkeypatch.setattr("prefect.logging.get_run_logger", lambda: logging.getLogger("test"))
    return names


def test_the_flow_starts_the_deployment_for_what_came_even_before_a_fault(edgar, tmp_path, started):
    config = Config.model_validate({"feeds": {"edgar": section(edgar, companies=("320193", "77"))}})
    places = {"out": str(tmp_path / "out"), "store": str(tmp_path / "store"), "deployment": "rarefy refresh/refresh"}
    with pytest.raises(Fault, match="CIK 77"):
        feed.fn(str(tmp_path / "corpus"), config=config, **places)
    assert started == ["rarefy refresh/refresh"]
    assert len(pending_requests(Store(tmp_path / "store"), line_of(tmp_path / "out"))) == 2


def test_the_flow_starts_nothing_where_nothing_was_filed_or_nothing_is_to_be_refreshed(edgar, tmp_path, started):
    config = Config.model_validate({"feeds": {"edgar": section(edgar, companies=("320193",), since="2026-01-01")}})
    places = {"store": str(tmp_path / "store"), "deployment": "rarefy refresh/refresh"}
    assert "0 new" in feed.fn(str(tmp_path / "corpus"), out=str(tmp_path / "out"), config=config, **places)
    assert "2 new" in feed.fn(str(tmp_path / "corpus"), config=config, since="2024-01-01", **places)
    assert started == []


def test_a_look_at_the_sec_is_a_flow_run_of_prefect(edgar, tmp_path, api):
    config = Config.model_validate({"feeds": {"edgar": section(edgar)}})
    told = feed(str(tmp_path / "corpus"), config=config, store=str(tmp_path / "store"), companies=["320193"])
    assert told.startswith("2 new filings")


def test_what_came_is_read_as_the_annual_report_that_it_is(edgar, tmp_path, given):
    """Down to the documents that a build makes of it."""
    from rarefy.tasks.corpus.read import ReadConfig, read_corpus

    page = (
        b"<html><body><p><b>FORM 10-K</b></p><p>For the fiscal year ended September 27, 2025</p>"
        b"<p><b>Apple Inc.</b></p>"
        b"<p>(Exact name of registrant as specified in its charter)</p><p>The company sells phones and services.</p>"
        b"</body></html>"
    )
    edgar.pages["/Archives/edgar/data/320193/000032019325000079/aapl-20250927.htm"] = page
    assert main([*given, "--cik", "320193", "--since", "2025-01-01", "--quiet"]) == 0
    [document] = read_corpus(tmp_path / "corpus", ReadConfig())
    assert (document.source, document.entity, document.domain) == (NEWEST, "Apple Inc.", "finance")
