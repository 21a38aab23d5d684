"""A client of the Elasticsearch server that the environment names; what goes wrong with it, in plain words."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from rarefy.tasks.models.llm.faults import Unavailable
from rarefy.tasks.models.llm.secrets import own_key, redacted

TIMEOUT = 120  # seconds a request: filling a slow server takes long
RETRIES = 5
RETRIED = (429, 502, 503, 504)


def connected(endpoint: str) -> Any:
    """A client with address and key from the environment; Unavailable with the way out."""
    told = os.environ.get(f"{endpoint}_URL", "").strip()
    if not told:
        raise Unavailable(
            f"no Elasticsearch server is named: set {endpoint}_URL (and {endpoint}_API_KEY, {endpoint}_CA_CERTS where "
            'it wants them), or retrieve with "bm25", which ranks alike'
        )
    try:
        from elasticsearch import Elasticsearch  # late: 0.5 s
    except ImportError:
        raise Unavailable("the Elasticsearch client is not installed: pip install 'rarefy[retrieval]'") from None
    options: dict[str, Any] = {}
    if key := own_key(f"{endpoint}_API_KEY"):
        options["api_key"] = key
    elif user := os.environ.get(f"{endpoint}_USERNAME", "").strip():
        options["basic_auth"] = (user, os.environ.get(f"{endpoint}_PASSWORD", ""))
    if authority := os.environ.get(f"{endpoint}_CA_CERTS", "").strip():
        if not Path(authority).is_file():
            raise Unavailable(f"{endpoint}_CA_CERTS names no file: {authority}")
        options["ca_certs"] = authority
    try:
        return Elasticsearch(
            _whole(told),
            request_timeout=TIMEOUT,
            max_retries=RETRIES,
            retry_on_timeout=True,
            retry_on_status=RETRIED,
            **options,
        )
    except ValueError as error:
        raise Unavailable(f"{endpoint}_URL or its key cannot be used: {redacted(str(error))}") from None


@contextmanager
def unavailable(endpoint: str) -> Iterator[None]:
    """Turns what the client raises into Unavailable with the way out, and without any key."""
    from elasticsearch import ApiError, AuthenticationException, AuthorizationException, TransportError
    from elasticsearch.exceptions import UnsupportedProductError

    fault = ""
    try:
        yield
    except AuthenticationException:
        fault = f"the server knows no such key; look at {endpoint}_API_KEY"
    except AuthorizationException as error:
        fault = f"the key in {endpoint}_API_KEY may not do this: {_told(error)}"
    except UnsupportedProductError:
        fault = f"what answers at {endpoint}_URL is no Elasticsearch"
    except ApiError as error:
        media = "media_type" in str(error) or "compatible-with" in str(error)
        fault = _told(error) + ("; the client is of version 9, and so must the server be" if media else "")
    except TransportError as error:
        fault = f"cannot be reached: {redacted(str(error))}; look at {endpoint}_URL and {endpoint}_CA_CERTS"
    if fault:  # out here: the client's error holds the request with its key
        raise Unavailable(f"Elasticsearch: {fault}")


def _told(error: Any) -> str:
    """What the server said, with its reason where the client leaves that out."""
    told = str(error)
    body = error.body if isinstance(error.body, dict) else {}
    reason = body["error"].get("reason") if isinstance(body.get("error"), dict) else None
    return redacted(told if not reason or str(reason) in told else f"{told}: {reason}")


def _whole(url: str) -> str:
    """The address with the port that the client insists on."""
    parts = urlsplit(url)
    if parts.hostname and parts.port is None and parts.scheme in ("http", "https"):
        port = 443 if parts.scheme == "https" else 9200
        return parts._replace(netloc=f"{parts.netloc}:{port}").geturl()
    return url
