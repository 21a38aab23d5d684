"""The SEC followed, against a server that serves its shapes; nothing here reaches the SEC."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from edgar_stand_in import DOCUMENTS, TOO_FAST, UNDECLARED, Edgar, apple, document, standing_in

from rarefy.tasks.refresh.feeds.config import EdgarConfig
from rarefy.tasks.refresh.feeds.edgar import FeedResult, follow_filings
from rarefy.tasks.refresh.feeds.faults import FeedFault
from rarefy.tasks.refresh.feeds.sec_client import PENALTY, SecClient
from rarefy.tasks.store.tables import Store

MAIN = "/submissions/CIK0000320193.json"
PAGE = "/submissions/CIK0000320193-submissions-001.json"
NEWEST = "/Archives/edgar/data/320193/000032019325000079/aapl-20250927.htm"
PATHS = [
    "320193/10-K-2009-09-26-0001193125-09-214859.htm",
    "320193/10-K-2024-09-28-0000320193-24-000123.htm",
    "320193/10-K-2025-09-27-0000320193-25-000079.htm",
    "320193/10-K-filed-1996-12-19-0000320193-96-000023.txt",
    "320193/10-K_A-2009-09-26-0001193125-10-012091.htm",
]


class Clock:
    """A clock that only sleeping moves on."""

    def __init__(self) -> None:
        self.now, self.slept = 100.0, list[float]()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.fixture
def edgar() -> Iterator[Edgar]:
    with standing_in() as edgar:
        apple(edgar)
        yield edgar


class Follower:
    """Looks at the stand-in as often as one likes."""

    def __init__(self, edgar: Edgar, folder: Path) -> None:
        self.edgar, self.into, self.store = edgar, folder / "corpus", Store(folder / "store")
        self.clock, self.said, self.came = Clock(), list[str](), list[str]()

    def config(self, **more: object) -> EdgarConfig:
        urls = {"data_url": self.edgar.url, "www_url": self.edgar.url}
        given = {"user_agent": "Tests tests@example.com", "companies": ("320193",), **urls}
        return EdgarConfig.model_validate(given | more)

    def __call__(self, **more: object) -> FeedResult:
        config = self.config(**more)
        sec = SecClient(config, self.said.append, self.clock.sleep, self.clock)
        try:
            return follow_filings(self.store, self.into, config, sec, self.said.append, self.came.append)
        finally:
            sec.close()

    def there(self) -> list[str]:
        return sorted(str(path.relative_to(self.into)) for path in self.into.rglob("*") if path.is_file())


@pytest.fixture
def look(edgar: Edgar, tmp_path: Path) -> Follower:
    return Follower(edgar, tmp_path)


def test_all_annual_reports_of_a_company_come_each_once_with_amendments_and_older_pages(look):
    found = look()
    assert look.there() == PATHS
    assert sorted(found.added) == sorted(look.came) == PATHS
    assert (look.into / PATHS[2]).read_bytes() == document(DOCUMENTS["000032019325000079/aapl-20250927.htm"])


def test_a_second_look_asks_one_conditional_request_and_changes_nothing(look, edgar):
    look()
    edgar.asked.clear()
    edgar.statuses.clear()
    found = look()
    assert (edgar.asked, edgar.statuses) == ([MAIN], [304])
    assert found.added == [] and len(look.came) == 5
    assert found.told() == "0 new filings; 1 requests"


def test_since_a_day_older_pages_are_not_even_asked_for(look, edgar):
    look(since="2024-01-01")
    assert look.there() == PATHS[1:3]
    assert edgar.count("submissions-001") == 0
    look(since="2009-12-31")  # later, from further back
    assert look.there() == [*PATHS[1:3], PATHS[4]]


def test_only_the_forms_of_the_config_are_taken(look):
    look(forms=("10-K/A",))
    assert look.there() == [PATHS[4]]


def test_a_company_may_be_named_by_its_ticker_which_is_asked_for_once(look, edgar):
    look(companies=("aapl",), since="2025-01-01")
    look(companies=("AAPL",), since="2025-01-01")
    assert look.there() == [PATHS[2]]
    assert edgar.count("company_tickers") == 1


def test_a_ticker_that_nobody_has_is_a_fault_that_names_it(look):
    with pytest.raises(FeedFault, match="no ticker XYZW; name the company by its CIK"):
        look(companies=("XYZW",))
    with pytest.raises(FeedFault, match="no companies"):
        look(companies=())


def test_a_company_that_does_not_exist_keeps_none_of_the_others_back(look):
    found = look(companies=("1", "320193"))
    assert look.there() == PATHS
    assert found.faults == ["the SEC knows no company with CIK 1; look it up by its ticker"]


def test_a_filing_that_comes_later_is_taken_alone(look, edgar):
    newest = edgar.pages.pop(NEWEST)
    told = json.loads(edgar.pages[MAIN])
    before = json.loads(edgar.pages[MAIN])
    for column in before["filings"]["recent"].values():
        column.pop(0)
    edgar.pages[MAIN] = json.dumps(before).encode()
    look()
    edgar.asked.clear()
    edgar.pages |= {NEWEST: newest, MAIN: json.dumps(told).encode()}
    assert look().added == [PATHS[2]]
    assert edgar.asked == [MAIN, PAGE, NEWEST]


def test_who_does_not_say_who_asks_is_not_let_near_the_sec(look):
    with pytest.raises(FeedFault, match="set user_agent"):
        look(user_agent="")
    for nobody in ("rarefy", "rarefy/1.0", "me@", "@example.com", "jane@example.com", "Jane jane@example.com\r\nX: y"):
        with pytest.raises(ValueError, match=r"e-mail|one line"):
            EdgarConfig(user_agent=nobody)


def test_the_sec_s_page_for_undeclared_tools_is_told_as_what_it_is(look, edgar):
    edgar.faults[MAIN] = [lambda handler: handler.answer(403, UNDECLARED)]
    with pytest.raises(FeedFault, match="does not take the user agent"):
        look()
    assert look.clock.slept == []


def test_requests_keep_their_distance(look, edgar):
    look(per_second=4)
    assert len(edgar.asked) == 7
    assert look.clock.slept == [pytest.approx(0.25)] * 6
    with pytest.raises(ValueError):
        look.config(per_second=11)


@pytest.mark.parametrize(
    ("status", "page", "headers", "waited"),
    [
        (429, b"", {"Retry-After": "7"}, 7.0),
        (429, b"", {}, PENALTY),
        (403, TOO_FAST, {}, PENALTY),
        (503, b"", {"Retry-After": "30"}, 30.0),
        (429, b"", {"Retry-After": "Sat, 21 Nov 2026 12:00:30 GMT", "Date": "Sat, 21 Nov 2026 12:00:00 GMT"}, 30.0),
    ],
)
def test_who_asked_too_fast_waits_as_long_as_the_sec_says_and_goes_on(look, edgar, status, page, headers, waited):
    def fault(handler):
        handler.answer(status, page, headers)

    edgar.faults[NEWEST] = [fault]
    look()
    assert look.there() == PATHS
    assert any(abs(slept - waited) < 0.01 for slept in look.clock.slept)
    assert any(f"waiting {waited:,.0f} s" in line for line in look.said)


def test_patience_ends_and_what_came_until_then_stays(look, edgar):
    edgar.faults[NEWEST] = [lambda handler: handler.answer(403, TOO_FAST)] * 9
    with pytest.raises(FeedFault, match=r"asked too fast.*goes on from here"):
        look(patience=700)
    assert sum(slept for slept in look.clock.slept if slept > 1) == PENALTY
    assert look.there() == [*PATHS[:2], *PATHS[3:]]
    edgar.faults.clear()
    edgar.asked.clear()
    look()
    assert look.there() == PATHS
    assert edgar.count("/Archives/") == 1


def test_a_refusal_without_a_reason_is_not_asked_again(look, edgar):
    edgar.faults[MAIN] = [lambda handler: handler.answer(403, b"<Error/>")]
    with pytest.raises(FeedFault, match="wait ten minutes"):
        look()
    assert edgar.asked == [MAIN]


def test_a_server_that_fails_is_asked_again_ever_later_and_then_given_up(look, edgar):
    edgar.faults[MAIN] = [lambda handler: handler.answer(500, b"")] * 9
    with pytest.raises(FeedFault, match="server fails"):
        look()
    assert [slept for slept in look.clock.slept if slept > 1] == [2, 4, 8, 16]
    assert len(edgar.asked) == 5


def test_a_document_that_breaks_off_is_never_put_in_place(look, edgar):
    content = document("cut")
    edgar.faults[NEWEST] = [lambda handler: handler.answer(200, content, cut=9)]
    look()
    assert look.there() == PATHS
    assert b"cut" not in (look.into / PATHS[2]).read_bytes()
    assert edgar.count(NEWEST) == 2


def test_a_document_without_content_is_asked_for_again(look, edgar):
    edgar.faults[NEWEST] = [lambda handler: handler.answer(200, b"")]
    look()
    assert (look.into / PATHS[2]).stat().st_size > 0


def test_a_document_over_the_limit_is_left_out_until_the_limit_is_raised(look, edgar):
    edgar.pages[NEWEST] = b"x" * 5000
    found = look(max_bytes=1000)
    assert found.refused == [PATHS[2]] and PATHS[2] not in look.there()
    assert any("raise feeds.edgar.max_bytes" in line for line in look.said)
    assert look(max_bytes=10_000).added == [PATHS[2]]


def test_a_filing_whose_document_is_not_there_is_looked_for_again_and_given_up_at_last(look, edgar):
    del edgar.pages[NEWEST]
    for _ in range(5):
        assert look().missing == [PATHS[2]]
    assert look().missing == []
    assert edgar.count(NEWEST) == 5
    assert sum("given up" in line for line in look.said) == 1


def test_a_document_that_comes_after_its_listing_is_taken(look, edgar):
    content = edgar.pages.pop(NEWEST)
    look()
    edgar.pages[NEWEST] = content
    assert look().added == [PATHS[2]]


@pytest.mark.parametrize("kept", [True, False])
def test_a_filing_that_is_withdrawn_is_told_and_its_document_kept_unless_asked_otherwise(look, edgar, kept):
    look()
    told = json.loads(edgar.pages[MAIN])
    for column in told["filings"]["recent"].values():
        del column[0]
    edgar.pages[MAIN] = json.dumps(told).encode()
    found = look(withdrawn="keep" if kept else "remove")
    assert found.withdrawn == [PATHS[2]]
    assert (PATHS[2] in look.there()) == kept
    assert look(withdrawn="keep" if kept else "remove").withdrawn == []


def test_a_crash_in_mid_backfill_asks_for_no_document_twice(look, edgar):
    class Crashing(SecClient):
        def document(self, name, file):
            if "aapl-20240928" in name:
                raise KeyboardInterrupt
            return super().document(name, file)

    config = look.config()
    with pytest.raises(KeyboardInterrupt):
        follow_filings(look.store, look.into, config, Crashing(config, sleep=look.clock.sleep, clock=look.clock))
    before = look.there()
    assert len(before) == 3
    look()
    assert look.there() == PATHS
    assert all(edgar.count(f"/Archives/edgar/data/320193/{address}") == 1 for address in DOCUMENTS)


def test_a_memory_that_is_lost_costs_the_lists_and_no_document(look, edgar):
    look()
    [memory] = Path(look.store.root, "feeds").glob("edgar-*.json")
    memory.write_text("{broken")
    edgar.asked.clear()
    found = look()
    assert edgar.asked == [MAIN, PAGE]
    assert any("is damaged" in line for line in look.said)
    assert sorted(found.added) == PATHS  # told once more: whether they were seen is not known any longer


def test_a_document_that_somebody_removed_does_not_come_back(look):
    look()
    (look.into / PATHS[0]).unlink()
    look()
    assert look.there() == PATHS[1:]


def test_the_memory_is_of_one_folder(look, tmp_path):
    look()
    look.into = tmp_path / "another"
    look()
    assert look.there() == PATHS
