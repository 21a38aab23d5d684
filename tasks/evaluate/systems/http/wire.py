"""One try of one question at an endpoint: sent, received within bounds, and read; each fault by its code."""

import asyncio
import json
import os
from collections.abc import Mapping
from typing import Any

from rarefy.tasks.evaluate.systems.asking import tidy
from rarefy.tasks.evaluate.systems.http.config import HttpConfig
from rarefy.tasks.evaluate.systems.http.replies import said_in
from rarefy.tasks.evaluate.systems.http.template import expanded, filled, values_of
from rarefy.tasks.evaluate.systems.interface import SystemInput, SystemOutput
from rarefy.tasks.models.llm.account import retry_after
from rarefy.tasks.models.llm.faults import Failed, Unavailable
from rarefy.tasks.models.llm.secrets import forms, redacted
from rarefy.tasks.models.llm.usable import encodable

_SHORTEST = 8  # characters of a secret: a shorter value would blank out ordinary words of answers
_AGAIN = frozenset((408, 409, 425, 429))  # and all of 5xx: another try may help
_SLOWER = frozenset((429, 502, 503, 504, 529))
_PIECE = 65_536


class Wire:
    """How an endpoint is asked: addresses and keys come from the environment, once."""

    def __init__(self, config: HttpConfig) -> None:
        self.config = config
        self.name = config.url  # as it is written: what a variable holds is nobody's business
        self._url = str(expanded(config.url, "http.url"))
        if not self._url.startswith(("http://", "https://")):
            raise Unavailable(
                f"http.url = {config.url!r} does not become an address that begins with http:// or https://"
            )
        self._headers = {
            name: _header(name, expanded(value, f"http.headers.{name}")) for name, value in config.headers.items()
        }
        self._request = expanded(config.request, "http.request")
        kept = [os.environ.get(name, "").strip() for name in config.secrets()]
        self._secrets = sorted(
            {form for value in kept if len(value) >= _SHORTEST for form in forms(value)}, key=len, reverse=True
        )

    def session(self) -> Any:
        """An aiohttp session for it; to be made in a loop and closed there."""
        import aiohttp  # late: a fifth of a second that an offline evaluation need not spend

        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, force_close=False),
            headers={"Accept": "text/event-stream" if self.config.format == "events" else "*/*", **self._headers},
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),  # each try has its own
            cookie_jar=aiohttp.DummyCookieJar(),  # no answer may hang on another question
            trust_env=True,
            auto_decompress=True,
        )

    async def once(self, session: Any, asked: SystemInput, seconds: float) -> SystemOutput:
        """What it said within so many seconds; Failed where it did not answer."""
        import aiohttp

        started, fault = False, None
        try:
            async with asyncio.timeout(seconds):
                async with session.request(
                    self.config.method, self._url, allow_redirects=False, **self._sent(asked)
                ) as got:
                    started = True
                    body = await self._body(got)
                    status, headers, encoding = got.status, got.headers, got.charset
        except TimeoutError:
            fault = Failed("timeout", f"no whole reply within {seconds:.0f} s", again=True)
        except (aiohttp.ClientPayloadError, aiohttp.ServerDisconnectedError, ConnectionError) as error:
            fault = Failed("cut" if started else "connection", self._told(error), again=True)
        except aiohttp.InvalidURL as error:
            fault = Failed("connection", self._told(error))
        except aiohttp.ClientConnectionError as error:
            fault = Failed("connection", self._told(error), again=True)
        except aiohttp.ClientError as error:  # a reply that breaks HTTP itself
            fault = Failed("cut" if started else "connection", self._told(error), again=True)
        if fault:
            raise fault  # out here: the library's error holds the request with its headers
        if status >= 300 or status < 200:
            raise self._refused(status, headers, body)
        return tidy(said_in(asked.asked_id, self._text(body, encoding), self.config), self.clean)

    def clean(self, text: str) -> str:
        """A text without what the environment told this endpoint in secret, fit to be stored."""
        for secret in self._secrets:
            text = text.replace(secret, "[key]")
        return encodable(text)

    def _sent(self, asked: SystemInput) -> dict[str, Any]:
        """The request, as aiohttp takes it."""
        body = filled(self._request, values_of(asked, self.config.passage))
        if self.config.sends == "json":
            return {"data": json.dumps(_encodable(body)).encode(), "headers": {"Content-Type": "application/json"}}
        flat = {name: value if isinstance(value, str) else json.dumps(value) for name, value in body.items()}
        flat = {name: encodable(value) for name, value in flat.items()}
        return {"params": flat} if self.config.sends == "query" else {"data": flat}

    async def _body(self, got: Any) -> bytes:
        """The whole body; Failed as soon as it is larger than it may be."""
        most, pieces, size = self.config.largest, [], 0
        async for piece in got.content.iter_chunked(_PIECE):
            size += len(piece)
            if size > most:
                got.close()
                raise Failed("too_large", f"more than {most:,} bytes (http.largest)")
            pieces.append(piece)
        return b"".join(pieces)

    def _text(self, body: bytes, encoding: str | None) -> str:
        if not body.strip():
            raise Failed("empty", "status 200 and no body", again=True)
        try:
            return body.decode(encoding or "utf-8-sig")
        except (UnicodeDecodeError, LookupError) as error:
            raise Failed("not_text", self._told(error)) from None

    def _refused(self, status: int, headers: Mapping[str, str], body: bytes) -> Failed:
        told = " ".join(body[:400].decode("utf-8", "replace").split())
        where = headers.get("Location", "")
        told = f"it redirects to {where}" if where and status < 400 else told or "no body"
        return Failed(
            "rate_limited" if status == 429 else f"http_{status}",
            f"{status}: {self._told(told)}",
            again=status in _AGAIN or status >= 500,
            slow_down=status in _SLOWER,
            retry_after=retry_after({name.lower(): value for name, value in headers.items()}),
        )

    def _told(self, error: object) -> str:
        name = f"{type(error).__name__}: " if isinstance(error, BaseException) else ""
        return redacted(self.clean(f"{name}{error}"), most=300)


def _header(name: str, value: str) -> str:
    if not value.isascii() or not value.isprintable():
        raise Unavailable(
            f"http.headers.{name} becomes a value that no header can carry; look at the variable it names"
        )
    return value


def _encodable(value: Any) -> Any:
    """JSON without halves of characters: no server could read them."""
    if isinstance(value, str):
        return encodable(value)
    if isinstance(value, dict):
        return {name: _encodable(one) for name, one in value.items()}
    return [_encodable(one) for one in value] if isinstance(value, list) else value
