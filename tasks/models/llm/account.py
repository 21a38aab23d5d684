"""An OpenAI-compatible endpoint as the environment names it, and what its refusals mean, for all who ask one."""

import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import parse_qsl

from rarefy.tasks.models.llm.faults import Failed, Unavailable
from rarefy.tasks.models.llm.secrets import hush, own_key, redacted

OPENAI = "https://api.openai.com/v1"
_NO_KEY = "none"  # what a server without keys is sent: the SDK wants something


@dataclass(frozen=True, slots=True)
class Account:
    """Where an endpoint is, and with which key it is asked."""

    prefix: str  # of its environment variables
    key: str = field(repr=False)
    url: str = field(repr=False)  # a gateway may want its key there

    def settings(self) -> dict[str, Any]:
        """What the SDK's clients take of it; a gateway's query apart: the SDK would glue the path behind it."""
        base, _, query = self.url.partition("?")
        return {"api_key": self.key or _NO_KEY, "base_url": base, "default_query": dict(parse_qsl(query))}


def account(prefix: str, otherwise: str) -> Account:
    """The endpoint of this prefix; Unavailable, with what to do `otherwise`, where neither key nor address is set."""
    hush()
    key, url = own_key(f"{prefix}_API_KEY"), os.environ.get(f"{prefix}_BASE_URL")
    if not url and not key:
        raise Unavailable(
            f"no endpoint: set {prefix}_API_KEY (and {prefix}_BASE_URL where it is not OpenAI's own API), or "
            f"{otherwise}"
        )
    return Account(prefix, key, url or OPENAI)


def refusal(error: Any, name: str, prefix: str, key: str) -> Failed | Unavailable | None:
    """What a status means, whatever was asked; None for one that hangs on the request.

    `error` is the SDK's APIStatusError, `name` the endpoint and model as a person knows them, `key` the config's key
    that names the model.
    """
    status, told = error.status_code, redacted(said(error))
    text = f"{error.code or ''} {told}".lower()
    wait = retry_after(error.response.headers)
    if status == 429 and "insufficient_quota" in text:
        return Unavailable(f"{name}: no quota left ({told}); look at the account's billing")
    if status == 429:
        return Failed("rate_limited", told, again=True, slow_down=True, retry_after=wait)
    if status >= 500:
        busy = status in {502, 503, 529}
        return Failed("server_error", f"{status}: {told}", again=True, slow_down=busy, retry_after=wait)
    if status in {408, 409, 425}:
        return Failed("server_error", f"{status}: {told}", again=True, retry_after=wait)
    if status == 402:
        return Unavailable(f"{name}: it wants to be paid first ({told}); look at the account's billing")
    if status in {401, 403} or (status == 400 and "api key" in text):
        return Unavailable(f"{name}: the key is not accepted ({status}: {told}); set {prefix}_API_KEY")
    if status == 404:
        return Unavailable(
            f"{name}: no such model or address ({told}); check {key} and {prefix}_BASE_URL, which usually ends in /v1; "
            "`rarefy doctor` lists the models"
        )
    return None


def said(error: Any) -> str:
    """What a server says of a fault, in one line, whatever shape it has."""
    body = error.body
    if isinstance(body, dict):
        inner = body.get("error", body)
        return " ".join(str(inner.get("message", inner) if isinstance(inner, dict) else inner).split())
    return " ".join(str(body if body else error.message).split())


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds a server asks to wait, in any of the three ways servers say it; None where it does not."""
    try:
        if "retry-after-ms" in headers:
            seconds = float(headers["retry-after-ms"]) / 1000
        elif (told := headers.get("retry-after")) is None:
            return None
        elif re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", told):
            seconds = float(told)
        else:
            seconds = (parsedate_to_datetime(told) - datetime.now(UTC)).total_seconds()
    except (ValueError, TypeError, OverflowError):
        return None
    return max(seconds, 0.0) if math.isfinite(seconds) else None
