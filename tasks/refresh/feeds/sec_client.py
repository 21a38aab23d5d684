"""The SEC's servers: a client that asks as they want to be asked, and what their lists say."""

import json
import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from rarefy.tasks.atomic_write import AtomicFile
from rarefy.tasks.refresh.feeds.config import EdgarConfig
from rarefy.tasks.refresh.feeds.faults import FeedFault, Refused, TryLater

if TYPE_CHECKING:
    import httpx


PENALTY = 600.0  # seconds that the SEC shuts out who asked too fast, as its page on the threshold says
TRIES = 5  # of a request whose server fails
MAX_SECONDS = 3_600  # seconds of one reply: the largest archive that `max_bytes` takes, on a slow line
MAX_LIST = 50_000_000  # bytes of a list: the largest submissions are some 5 MB
UNDECLARED = re.compile(r"undeclared automated tool", re.I)
TOO_FAST = re.compile(r"request rate threshold", re.I)
USER_AGENT_ADVICE = (
    'the SEC answers nobody who does not say who asks: set user_agent = "Example Corp Jane Doe jane@example.com" in '
    "[feeds.edgar], with an address that you read"
)
ACCESSION = re.compile(r"\d{10}-\d{2}-\d{6}")
DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
PAGE = re.compile(r"CIK\d{10}-submissions-\d{3,}\.json")
DOCUMENT = re.compile(r"[A-Za-z0-9_.%~-]+(?:/[A-Za-z0-9_.%~-]+)?")
COLUMNS = ("accessionNumber", "form", "filingDate", "reportDate", "primaryDocument")
READABLE = (".htm", ".html", ".txt", ".pdf")  # endings of documents that are taken
Validators = dict[str, str]  # "etag" and "modified" of a list, for the next conditional request


@dataclass(frozen=True)
class SecReply:
    """An answer of the SEC's servers."""

    status: int  # 200, 304 or 404
    content: bytes = b""
    seen: Validators = field(default_factory=dict)


class SecClient:
    """The SEC's servers, asked one request at a time and no faster than allowed."""

    def __init__(
        self,
        config: EdgarConfig,
        say: Callable[[str], None] = lambda line: None,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not config.user_agent:
            raise FeedFault(USER_AGENT_ADVICE)
        import httpx

        self.config, self.say, self.sleep, self.clock = config, say, sleep, clock
        self.asked = 0  # requests that were sent
        self._patience, self._free, self._turn = config.patience, 0.0, threading.Lock()
        self._client = httpx.Client(
            headers={"User-Agent": config.user_agent, "Accept-Encoding": "gzip, deflate"},
            timeout=httpx.Timeout(config.timeout),
            follow_redirects=False,
        )

    def close(self) -> None:
        """Close the connections."""
        self._client.close()

    def data(self, name: str, seen: Validators | None = None) -> SecReply:
        """A list of data.sec.gov; status 304 where it is still the one that was seen."""
        return self._list(f"{self.config.data_url}/{name}", seen)

    def www(self, name: str, seen: Validators | None = None) -> SecReply:
        """A list of www.sec.gov; status 304 where it is still the one that was seen."""
        return self._list(f"{self.config.www_url}/{name}", seen)

    def document(self, name: str, file: AtomicFile) -> bool:
        """Write a document of the Archives into the file, all of it; False where there is none.

        Refused where it is over `max_bytes`.
        """
        return self._retry(f"{self.config.www_url}/{name}", {}, lambda reply: self._save(reply, file)).status == 200

    def _list(self, url: str, seen: Validators | None) -> SecReply:
        wants = {"If-None-Match": "etag", "If-Modified-Since": "modified"}
        headers = {header: seen[name] for header, name in wants.items() if seen and seen.get(name)}
        return self._retry(url, headers, self._read)

    def _read(self, reply: "httpx.Response") -> SecReply:
        content = bytearray()
        for piece in self._read_pieces(reply):
            content += piece
            if len(content) > MAX_LIST:
                raise FeedFault(f"{reply.url}: over {MAX_LIST:,} bytes, which no list of the SEC's is")
        _check_length(reply)
        validators = {"etag": reply.headers.get("etag"), "modified": reply.headers.get("last-modified")}
        return SecReply(200, bytes(content), {name: value for name, value in validators.items() if value})

    def _save(self, reply: "httpx.Response", file: AtomicFile) -> SecReply:
        limit, count = self.config.max_bytes, 0
        file.again()
        for piece in self._read_pieces(reply):
            count += file.write(piece)
            if count > limit:
                raise Refused(f"{reply.url}: over {limit:,} bytes; raise feeds.edgar.max_bytes to take it")
        _check_length(reply)
        if not count:
            raise TryLater(f"{reply.url}: empty")
        return SecReply(200)

    def _read_pieces(self, reply: "httpx.Response") -> Iterator[bytes]:
        """The body, piece by piece; TryLater where it goes on and on, as one that drips does."""
        end = self.clock() + MAX_SECONDS
        for piece in reply.iter_bytes():
            yield piece
            if self.clock() > end:
                raise TryLater(f"{reply.url}: not here within {MAX_SECONDS:,} s")

    def _retry(self, url: str, headers: dict[str, str], read: Callable[["httpx.Response"], SecReply]) -> SecReply:
        """The reply, however often it takes to get one; FeedFault where patience or tries run out."""
        import httpx

        for left in reversed(range(TRIES)):
            try:
                return self._send(url, headers, read)
            except TryLater as later:
                fault, wait = str(later), later.after
            except httpx.TransportError as error:
                fault, wait = f"{url}: {type(error).__name__}: {error}", 0.0
            wait = wait or 2.0 ** (TRIES - left)
            if not left or wait > self._patience:
                raise FeedFault(f"{fault}; run again later and it goes on from here")
            self._patience -= wait
            self.say(f"{fault}; waiting {wait:,.0f} s")
            self.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def _send(self, url: str, headers: dict[str, str], read: Callable[["httpx.Response"], SecReply]) -> SecReply:
        with self._turn:  # one after the other, and no two closer than allowed
            if (wait := self._free - self.clock()) > 0:
                self.sleep(wait)
            self._free = max(self._free, self.clock()) + 1 / self.config.per_second
        self.asked += 1
        with self._client.stream("GET", url, headers=headers) as reply:
            if reply.status_code == 200:
                return read(reply)
            if reply.status_code in (304, 404, 410):
                return SecReply(304 if reply.status_code == 304 else 404)
            raise _fault(reply, url)


def _check_length(reply: "httpx.Response") -> None:
    """TryLater where the reply ended before its length; of a chunked one httpx itself knows."""
    length = reply.headers.get("content-length", "")
    if length.isdecimal() and reply.num_bytes_downloaded != int(length):
        raise TryLater(f"{reply.url}: {reply.num_bytes_downloaded:,} bytes of {int(length):,} came")


def _fault(reply: "httpx.Response", url: str) -> FeedFault:
    """The error that a status other than 200, 304, 404 and 410 means."""
    status = reply.status_code
    page = _read_beginning(reply)
    if status == 429 or TOO_FAST.search(page):
        return TryLater(f"{url}: the SEC says that it was asked too fast ({status})", _after(reply.headers) or PENALTY)
    if status == 403 and UNDECLARED.search(page):
        return FeedFault(f"{url}: the SEC does not take the user agent for one that says who asks; {USER_AGENT_ADVICE}")
    if status == 403:
        return FeedFault(
            f"{url}: the SEC refuses (403). Either it has shut out this machine for asking too fast: wait ten minutes; "
            f"or it does not know who asks: {USER_AGENT_ADVICE}"
        )
    if status >= 500:
        return TryLater(f"{url}: the SEC's server fails ({status})", min(_after(reply.headers), PENALTY))
    if 300 <= status < 400:
        return FeedFault(
            f"{url}: moved to {reply.headers.get('location', '?')}, which is not followed; set feeds.edgar.data_url or "
            "www_url where the SEC has moved"
        )
    return FeedFault(f"{url}: the SEC answers {status}: {page[:200]!r}")


def _read_beginning(reply: "httpx.Response", size: int = 20_000) -> str:
    content = b""
    for piece in reply.iter_bytes():
        content += piece
        if len(content) >= size:
            break
    return content.decode("utf-8", "replace")


def _after(headers: Any) -> float:
    """Seconds that Retry-After asks for, by the server's own clock where it names a time; 0 for none."""
    wait = headers.get("retry-after", "")
    if wait.isdecimal():
        return float(wait)
    try:
        return max((parsedate_to_datetime(wait) - parsedate_to_datetime(headers["date"])).total_seconds(), 0.0)
    except (KeyError, TypeError, ValueError):
        return 0.0


@dataclass(frozen=True, slots=True)
class Filing:
    """One filing of one company."""

    cik: int
    accession: str
    form: str
    filed: str  # ISO day
    period: str  # ISO day; "" where the SEC says none, as for most before 2001
    document: str  # name of the main document; "" where there is but the whole submission as text

    @property
    def address(self) -> str:
        """Where its document lies, below the SEC's site."""
        if not self.document:
            return f"Archives/edgar/data/{self.cik}/{self.accession}.txt"
        return f"Archives/edgar/data/{self.cik}/{self.accession.replace('-', '')}/{self.document}"

    @property
    def path(self) -> str:
        """Where its document is put in the corpus: <cik>/<form>-<period>-<accession>.htm."""
        form = re.sub(r"[^A-Za-z0-9-]+", "_", self.form)
        ending = "." + self.document.rpartition(".")[2].lower() if self.document else ".txt"
        period = self.period or f"filed-{self.filed}"
        return f"{self.cik}/{form}-{period}-{self.accession}{'.htm' if ending == '.html' else ending}"


@dataclass(frozen=True, slots=True)
class OlderPage:
    """An older page of a company's filings, and the last day that it holds."""

    name: str
    to: str


@dataclass(frozen=True)
class Submissions:
    """The newest filings of a company, and where the older ones are."""

    cik: int
    name: str
    filings: tuple[Filing, ...]
    pages: tuple[OlderPage, ...]


def parse_submissions(content: bytes, cik: int) -> Submissions:
    """A company's submissions; Refused where they are not of the shape that the SEC documents."""
    listed = _json(content, f"submissions of CIK {cik}")
    try:
        owner = int(listed["cik"])
        filings, files = listed["filings"], listed["filings"]["files"]
        pages = tuple(OlderPage(_page(file["name"]), _day(file["filingTo"])) for file in files)
        name = str(listed.get("name", ""))
        recent = parse_filings(filings["recent"], cik)
    except (KeyError, TypeError, ValueError) as error:
        raise _misshapen(f"submissions of CIK {cik}", error) from error
    if owner != cik:
        raise Refused(f"submissions of CIK {cik}: they are those of CIK {owner}; ask again, or tell the SEC")
    return Submissions(cik, name, recent, pages)


def parse_page(content: bytes, cik: int, name: str) -> tuple[Filing, ...]:
    """The filings of an older page; Refused as above."""
    try:
        return parse_filings(_json(content, name), cik)
    except (KeyError, TypeError, ValueError) as error:
        raise _misshapen(name, error) from error


def parse_filings(columns: dict[str, list[Any]], cik: int) -> tuple[Filing, ...]:
    """The filings of a table that is given column by column."""
    cells = [columns[name] for name in COLUMNS]
    if len({len(cell) for cell in cells}) != 1:
        raise ValueError(f"columns of different length: {[len(cell) for cell in cells]}")
    filings = []
    for accession, form, filed, period, document in zip(*cells, strict=True):
        if not ACCESSION.fullmatch(str(accession)):
            raise ValueError(f"accession number {accession!r}")
        filings.append(
            Filing(cik, accession, str(form), _day(filed), _day(period) if period else "", _document(document or ""))
        )
    return tuple(filings)


def select_filings(filings: Iterable[Filing], forms: Iterable[str], since: str) -> list[Filing]:
    """Those of these forms, filed on this day or later, oldest first; each accession number once."""
    wanted = set(forms)
    chosen = {filing.accession: filing for filing in filings if filing.form in wanted and filing.filed >= since}
    return sorted(chosen.values(), key=lambda filing: (filing.filed, filing.accession))


def parse_tickers(content: bytes) -> dict[str, int]:
    """Ticker → CIK, of https://www.sec.gov/files/company_tickers.json."""
    companies = _json(content, "company_tickers.json")
    try:
        return {str(company["ticker"]).upper(): int(company["cik_str"]) for company in companies.values()}
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _misshapen("company_tickers.json", error) from error


def _json(content: bytes, what: str) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise Refused(f"{what}: no JSON ({content[:60]!r}): is that the SEC's address?") from error


def _misshapen(what: str, error: Exception) -> Refused:
    return Refused(f"{what}: not the shape that the SEC documents ({type(error).__name__}: {error})")


def _day(value: Any) -> str:
    if not DAY.fullmatch(str(value)):
        raise ValueError(f"day {value!r}")
    return str(value)


def _page(value: Any) -> str:
    if not PAGE.fullmatch(str(value)):
        raise ValueError(f"page {value!r}")
    return str(value)


def _document(value: Any) -> str:
    """A document's name as the SEC writes it: a file, at most one folder down, and no way out of it."""
    name = str(value)
    if name and (not DOCUMENT.fullmatch(name) or name.startswith((".", "/")) or ".." in name or "/." in name):
        raise ValueError(f"document {name!r}")
    return name
