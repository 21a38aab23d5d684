"""Asking the SEC as it wants to be asked (https://www.sec.gov/os/accessing-edgar-data): who, how fast, what again."""

import re
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

from rarefy.tasks.refresh.feeds.atomic_file import Landing
from rarefy.tasks.refresh.feeds.config import EdgarConfig
from rarefy.tasks.refresh.feeds.faults import FeedFault, Later, Refused

if TYPE_CHECKING:
    import httpx

PENALTY = 600.0  # seconds that the SEC shuts out who asked too fast, as its page on the threshold says
TRIES = 5  # of a request whose server fails
LONGEST = 3_600  # seconds of one reply: the largest archive that `max_bytes` takes, on a slow line
LISTS = 50_000_000  # bytes of a list: the largest submissions are some 5 MB
UNDECLARED = re.compile(r"undeclared automated tool", re.I)
TOO_FAST = re.compile(r"request rate threshold", re.I)
WHO = (
    'the SEC answers nobody who does not say who asks: set user_agent = "Example Corp Jane Doe jane@example.com" in '
    "[feeds.edgar], with an address that you read"
)
Seen = dict[str, str]  # etag and modified, as the SEC told them


@dataclass(frozen=True)
class Reply:
    """What the SEC answered."""

    status: int  # 200, 304 or 404
    content: bytes = b""
    seen: Seen = field(default_factory=dict)


class Sec:
    """The SEC's servers, asked one request at a time and no faster than allowed."""

    def __init__(
        self,
        config: EdgarConfig,
        say: Callable[[str], None] = lambda line: None,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if not config.user_agent:
            raise FeedFault(WHO)
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

    def data(self, name: str, seen: Seen | None = None) -> Reply:
        """A list of data.sec.gov, if it is not the one that was seen."""
        return self._list(f"{self.config.data_url}/{name}", seen)

    def www(self, name: str, seen: Seen | None = None) -> Reply:
        """A list of www.sec.gov, if it is not the one that was seen."""
        return self._list(f"{self.config.www_url}/{name}", seen)

    def document(self, name: str, file: Landing) -> bool:
        """Write a document of the Archives into the file, all of it; False where there is none.

        Refused where it is over `max_bytes`.
        """
        return self._patiently(f"{self.config.www_url}/{name}", {}, lambda reply: self._save(reply, file)).status == 200

    def _list(self, url: str, seen: Seen | None) -> Reply:
        wants = {"If-None-Match": "etag", "If-Modified-Since": "modified"}
        headers = {header: seen[name] for header, name in wants.items() if seen and seen.get(name)}
        return self._patiently(url, headers, self._read)

    def _read(self, reply: "httpx.Response") -> Reply:
        content = bytearray()
        for piece in self._pieces(reply):
            content += piece
            if len(content) > LISTS:
                raise FeedFault(f"{reply.url}: over {LISTS:,} bytes, which no list of the SEC's is")
        _whole(reply)
        told = {"etag": reply.headers.get("etag"), "modified": reply.headers.get("last-modified")}
        return Reply(200, bytes(content), {name: value for name, value in told.items() if value})

    def _save(self, reply: "httpx.Response", file: Landing) -> Reply:
        limit, count = self.config.max_bytes, 0
        file.again()
        for piece in self._pieces(reply):
            count += file.write(piece)
            if count > limit:
                raise Refused(f"{reply.url}: over {limit:,} bytes; raise feeds.edgar.max_bytes to take it")
        _whole(reply)
        if not count:
            raise Later(f"{reply.url}: empty")
        return Reply(200)

    def _pieces(self, reply: "httpx.Response") -> Iterator[bytes]:
        """The body, piece by piece; Later where it goes on and on, as one that drips does."""
        end = self.clock() + LONGEST
        for piece in reply.iter_bytes():
            yield piece
            if self.clock() > end:
                raise Later(f"{reply.url}: not here within {LONGEST:,} s")

    def _patiently(self, url: str, headers: dict[str, str], read: Callable[["httpx.Response"], Reply]) -> Reply:
        """The reply, however often it takes to get one; FeedFault where patience or tries run out."""
        import httpx

        for left in reversed(range(TRIES)):
            try:
                return self._ask(url, headers, read)
            except Later as later:
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

    def _ask(self, url: str, headers: dict[str, str], read: Callable[["httpx.Response"], Reply]) -> Reply:
        with self._turn:  # one after the other, and no two closer than allowed
            if (wait := self._free - self.clock()) > 0:
                self.sleep(wait)
            self._free = max(self._free, self.clock()) + 1 / self.config.per_second
        self.asked += 1
        with self._client.stream("GET", url, headers=headers) as reply:
            if reply.status_code == 200:
                return read(reply)
            if reply.status_code in (304, 404, 410):
                return Reply(304 if reply.status_code == 304 else 404)
            raise _fault(reply, url)


def _whole(reply: "httpx.Response") -> None:
    """Later where the reply ended before its length; of a chunked one httpx itself knows."""
    told = reply.headers.get("content-length", "")
    if told.isdecimal() and reply.num_bytes_downloaded != int(told):
        raise Later(f"{reply.url}: {reply.num_bytes_downloaded:,} bytes of {int(told):,} came")


def _fault(reply: "httpx.Response", url: str) -> FeedFault:
    """What a status means that is no answer."""
    status = reply.status_code
    page = _beginning(reply)
    if status == 429 or TOO_FAST.search(page):
        return Later(f"{url}: the SEC says that it was asked too fast ({status})", _after(reply.headers) or PENALTY)
    if status == 403 and UNDECLARED.search(page):
        return FeedFault(f"{url}: the SEC does not take the user agent for one that says who asks; {WHO}")
    if status == 403:
        return FeedFault(
            f"{url}: the SEC refuses (403). Either it has shut out this machine for asking too fast: wait ten minutes; "
            f"or it does not know who asks: {WHO}"
        )
    if status >= 500:
        return Later(f"{url}: the SEC's server fails ({status})", min(_after(reply.headers), PENALTY))
    if 300 <= status < 400:
        return FeedFault(
            f"{url}: moved to {reply.headers.get('location', '?')}, which is not followed; set feeds.edgar.data_url or "
            "www_url where the SEC has moved"
        )
    return FeedFault(f"{url}: the SEC answers {status}: {page[:200]!r}")


def _beginning(reply: "httpx.Response", size: int = 20_000) -> str:
    content = b""
    for piece in reply.iter_bytes():
        content += piece
        if len(content) >= size:
            break
    return content.decode("utf-8", "replace")


def _after(headers: Any) -> float:
    """Seconds that Retry-After asks for, by the server's own clock where it names a time; 0 for none."""
    told = headers.get("retry-after", "")
    if told.isdecimal():
        return float(told)
    try:
        return max((parsedate_to_datetime(told) - parsedate_to_datetime(headers["date"])).total_seconds(), 0.0)
    except (KeyError, TypeError, ValueError):
        return 0.0
