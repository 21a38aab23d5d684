"""Documents that were named and wait to be fetched: written down before they are acknowledged."""

import contextlib
import hashlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

from pydantic import BaseModel, Field, ValidationError

from rarefy.tasks.refresh.feeds.addresses import Resolve, system
from rarefy.tasks.refresh.feeds.config import WebhookConfig
from rarefy.tasks.refresh.feeds.faults import Later, Refused
from rarefy.tasks.refresh.feeds.fetch import Fetched, fetch
from rarefy.tasks.refresh.feeds.kinds import kind
from rarefy.tasks.refresh.feeds.named import put, stem
from rarefy.tasks.refresh.feeds.origins import plain
from rarefy.tasks.store.tables import Store

FOLDER = "feeds/arrivals"  # of a store
KEPT = 7 * 86400  # seconds that what was dealt with is remembered: far longer than any signature holds


class Payload(BaseModel, frozen=True, extra="forbid"):
    """What a webhook's body says."""

    address: str = Field(min_length=1, max_length=2000, description="of the document")
    id: str = Field("", max_length=500, description="of the document, so that a later version takes its place")
    sha256: str = Field("", pattern=r"^(?:[0-9a-fA-F]{64})?$", description="of the document, if it must be this one")


class Arrival(BaseModel):
    """A document that was named."""

    format: int = 1
    at: int  # the signature's time
    token: str  # of whoever wrote it down: no two of the same name are taken for one
    payload: Payload
    told: str = ""  # what came of it; "" while it waits


def payload(body: bytes) -> Payload:
    """What a body says; ValueError with the reason where it is not what is wanted."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the body is no JSON ({error})") from error
    try:
        return Payload.model_validate(told)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the body"
        raise ValueError(f'{where}: {first["msg"]}; {{"address": url, "id": optional, "sha256": optional}}') from error


def note(store: Store, line: str, name: str, at: int, named: Payload) -> bool:
    """Write an arrival down; False where its signature was used before."""
    content = Arrival(at=at, token=uuid4().hex, payload=named).model_dump_json().encode()
    return store.create(f"{FOLDER}/{line}/{name}.json", content)


def noted(store: Store, line: str, name: str) -> Arrival | None:
    """What was written down under this name; None where nothing was, or nothing that can be read."""
    try:
        return Arrival.model_validate_json(store.read(f"{FOLDER}/{line}/{name}.json"))
    except (FileNotFoundError, ValueError):
        return None


def waiting(store: Store, line: str) -> list[tuple[str, Arrival]]:
    """Arrivals that nobody has dealt with, the oldest first; those of a week ago that are done are forgotten."""
    store.fs.invalidate_cache()
    found = []
    for path in store.fs.find(f"{store.root}/{FOLDER}/{line}"):
        name = Path(path).name
        if name.startswith(".") or not name.endswith(".json"):
            continue  # one that is being written
        try:
            one = Arrival.model_validate_json(store.read(f"{FOLDER}/{line}/{name}"))
        except (FileNotFoundError, ValueError):
            continue  # lost with a disk; a signature is not used twice, so its sender must be asked to send it again
        if not one.told:
            found.append((name.removesuffix(".json"), one))
        elif time.time() - one.at > KEPT:
            with contextlib.suppress(FileNotFoundError):
                store.fs.rm_file(path)
    return sorted(found, key=lambda pair: (pair[1].at, pair[0]))


def done(store: Store, line: str, name: str, arrival: Arrival, told: str) -> None:
    """Note what came of an arrival; a key in its address is not kept longer than it is of use."""
    named = arrival.payload.model_copy(update={"address": plain(arrival.payload.address)})
    content = arrival.model_copy(update={"told": told, "payload": named}).model_dump_json().encode()
    store.write(f"{FOLDER}/{line}/{name}.json", content)


def take(
    named: Payload,
    corpus: Path,
    config: WebhookConfig,
    resolve: Resolve = system,
    sleep: Callable[[float], object] = time.sleep,
) -> tuple[str, str]:
    """Fetch a document and put it into the corpus: what came of it (added, edited, unchanged) and its path there.

    Raises Refused where it is not taken, Later where it could not be had in as many tries as the config allows.
    """
    for turn in range(1, config.tries + 1):
        try:
            got = fetch(named.address, config, resolve)
            break
        except Later:
            if turn == config.tries:
                raise
            sleep(2.0**turn)
    return _put(got, named, corpus, config)


def _put(got: Fetched, named: Payload, corpus: Path, config: WebhookConfig) -> tuple[str, str]:
    digest = hashlib.sha256(got.content).hexdigest()
    if named.sha256 and digest != named.sha256.lower():
        raise Refused(f"{plain(named.address)}: its SHA-256 is {digest}, and {named.sha256.lower()} was announced")
    # the requested address' kind is meant: where it was moved to may be named by a machine
    ending = kind(got.content, got.media_type, named.address)
    name = stem(named.id, named.address)
    return put(got.content, corpus / config.folder, name, ending), f"{config.folder}/{name}{ending}"
