"""Documents that a webhook names: the signature, the arrivals that wait in the store, and their place in the corpus."""

import contextlib
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit
from uuid import uuid4

from pydantic import BaseModel, Field, ValidationError

from rarefy.tasks.atomic_write import open_atomic
from rarefy.tasks.corpus.read.sources import ABOUT, LITTER, MEDIA_TYPES
from rarefy.tasks.refresh.feeds.config import WebhookConfig
from rarefy.tasks.refresh.feeds.faults import Refused, TryLater
from rarefy.tasks.refresh.feeds.fetch import Resolver, fetch, resolve_host, without_query
from rarefy.tasks.refresh.feeds.folder import is_partial
from rarefy.tasks.store.tables import Store

SIGNATURE_HEADER = "X-Rarefy-Signature"
SECRET_VARIABLE = "RAREFY_WEBHOOK_SECRET"
MIN_SECRET = 16  # letters of a secret
SIGNATURE = re.compile(r"t=(\d{1,12}),v1=([0-9a-f]{64})")
FOLDER = "feeds/arrivals"  # of a store
KEEP_SECONDS = 7 * 86400  # that a finished arrival is remembered: far longer than any signature holds
# Media types that are read, and the ending that a document of each is kept under
ENDINGS = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "application/x-pdf": ".pdf",
    "application/json": ".json",
    "application/jsonl": ".jsonl",
    "application/x-ndjson": ".jsonl",
    "application/ndjson": ".jsonl",
    "application/x-jsonlines": ".jsonl",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/plain": ".txt",
    "application/vnd.apache.parquet": ".parquet",
    "application/parquet": ".parquet",
    "application/x-parquet": ".parquet",
}
UNKNOWN_TYPES = {"", "application/octet-stream", "binary/octet-stream"}  # they say nothing: the name decides
TEXT_ENDINGS = {".md", ".txt", ".json", ".jsonl", ".html"}  # what text/plain may be by its name
MAGIC = {  # how a file begins, and its ending or what it is
    b"%PDF-": ".pdf",
    b"PAR1": ".parquet",
    b"PK\x03\x04": "a ZIP archive (or an Office document)",
    b"\x1f\x8b": "gzip",
    b"\x7fELF": "a program",
    b"MZ": "a program",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\xd0\xcf\x11\xe0": "an old Office document",
    b"Rar!": "a RAR archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"SQLite format 3": "a database",
}
PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.I)  # names that are no files under Windows


class BadSignature(Exception):
    """The signature does not hold; the message says why, and tells nothing of the secret."""


class Payload(BaseModel, frozen=True, extra="forbid"):
    """The body of a webhook."""

    address: str = Field(min_length=1, max_length=2000, description="of the document")
    id: str = Field("", max_length=500, description="of the document, so that a later version takes its place")
    sha256: str = Field("", pattern=r"^(?:[0-9a-fA-F]{64})?$", description="of the document, if it must be this one")


class Arrival(BaseModel):
    """A document that was named, as it is written down in the store."""

    format: int = 1
    at: int  # the signature's time
    token: str  # of whoever wrote it down: no two of the same name are taken for one
    payload: Payload
    told: str = ""  # what came of it; "" while it waits


def read_secrets(environment: str) -> tuple[str, ...]:
    """The secrets of the environment variable: one, or with a space between an old and a new one while they change.

    Raises ValueError where there is none, or one that could be guessed.
    """
    values = tuple(environment.split())
    if not values:
        raise ValueError(
            f"{SECRET_VARIABLE} is not set: without a secret anybody could name documents; set it on both sides"
        )
    if any(len(secret) < MIN_SECRET for secret in values):
        raise ValueError(
            f"{SECRET_VARIABLE} is shorter than {MIN_SECRET} letters; `openssl rand -hex 32` makes a good one"
        )
    return values


def sign(body: bytes, secret: str, at: int) -> str:
    """The header's value for this body at this Unix time."""
    return f"t={at},v1={_digest(body, secret, str(at))}"


def verify_signature(header: str, body: bytes, secrets: Sequence[str], now: float, window: float) -> str:
    """The name to remember this signature by, so that it counts once; BadSignature where it does not hold."""
    match = SIGNATURE.fullmatch(header.strip())
    if match is None:
        raise BadSignature(
            f"no signature: {SIGNATURE_HEADER}: t=<unix time>,v1=<hex of the HMAC-SHA256 of t.body> is wanted"
        )
    at, signature = match[1], match[2]
    # every secret is tried, and each comparison takes the same time whatever is wrong
    if not sum(hmac.compare_digest(_digest(body, secret, at), signature) for secret in secrets):
        raise BadSignature("the signature does not fit the body; is the secret the same on both sides?")
    if abs(now - int(at)) > window:
        raise BadSignature(
            f"the signature's time lies {abs(now - int(at)):,.0f} s from ours, {window:,.0f} are allowed; sign anew, "
            "or set the clocks"
        )
    return hashlib.sha256(signature.encode()).hexdigest()[:32]


def _digest(body: bytes, secret: str, at: str) -> str:
    return hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest()


def parse_payload(body: bytes) -> Payload:
    """The parsed body of a webhook; ValueError with the reason where it is no such body."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the body is no JSON ({error})") from error
    try:
        return Payload.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the body"
        raise ValueError(f'{where}: {first["msg"]}; {{"address": url, "id": optional, "sha256": optional}}') from error


def save_arrival(store: Store, line: str, name: str, at: int, payload: Payload) -> bool:
    """Write an arrival down; False where its signature was used before."""
    content = Arrival(at=at, token=uuid4().hex, payload=payload).model_dump_json().encode()
    return store.create(f"{FOLDER}/{line}/{name}.json", content)


def load_arrival(store: Store, line: str, name: str) -> Arrival | None:
    """The arrival of this name; None where there is none that can be read."""
    try:
        return Arrival.model_validate_json(store.read(f"{FOLDER}/{line}/{name}.json"))
    except (FileNotFoundError, ValueError):
        return None


def list_waiting(store: Store, line: str) -> list[tuple[str, Arrival]]:
    """Arrivals that wait to be fetched, the oldest first, by name; finished ones of a week ago are removed."""
    store.fs.invalidate_cache()
    waiting = []
    for path in store.fs.find(f"{store.root}/{FOLDER}/{line}"):
        name = Path(path).name
        if name.startswith(".") or not name.endswith(".json"):
            continue  # one that is being written
        arrival = load_arrival(store, line, name.removesuffix(".json"))
        if arrival is None:
            continue  # lost with a disk; a signature is not used twice, so its sender must be asked to send it again
        if not arrival.told:
            waiting.append((name.removesuffix(".json"), arrival))
        elif time.time() - arrival.at > KEEP_SECONDS:
            with contextlib.suppress(FileNotFoundError):
                store.fs.rm_file(path)
    return sorted(waiting, key=lambda pair: (pair[1].at, pair[0]))


def mark_done(store: Store, line: str, name: str, arrival: Arrival, told: str) -> None:
    """Write down what came of an arrival, without the query of its address, which may be a key."""
    payload = arrival.payload.model_copy(update={"address": without_query(arrival.payload.address)})
    content = arrival.model_copy(update={"told": told, "payload": payload}).model_dump_json().encode()
    store.write(f"{FOLDER}/{line}/{name}.json", content)


def fetch_into_corpus(
    named: Payload,
    corpus: Path,
    config: WebhookConfig,
    resolve: Resolver = resolve_host,
    sleep: Callable[[float], object] = time.sleep,
) -> tuple[str, str]:
    """Fetch a document and put it into the corpus: what came of it (added, edited, unchanged) and its path there.

    Raises Refused where it is not taken, TryLater where it could not be had in as many tries as the config allows.
    """
    for turn in range(1, config.tries + 1):
        try:
            document = fetch(named.address, config, resolve)
            break
        except TryLater:
            if turn == config.tries:
                raise
            sleep(2.0**turn)
    digest = hashlib.sha256(document.content).hexdigest()
    if named.sha256 and digest != named.sha256.lower():
        raise Refused(
            f"{without_query(named.address)}: its SHA-256 is {digest}, and {named.sha256.lower()} was announced"
        )
    # the requested address' kind is meant: where it was moved to may be named by a machine
    ending = detect_ending(document.content, document.media_type, named.address)
    name = safe_stem(named.id, named.address)
    return put_document(document.content, corpus / config.folder, name, ending), f"{config.folder}/{name}{ending}"


def detect_ending(content: bytes, media_type: str, address: str) -> str:
    """The ending to keep a document under; Refused where it is nothing that rarefy reads, or not what it says it is."""
    named, address = _ending_in(address), without_query(address)
    if media_type in UNKNOWN_TYPES:
        if not named:
            raise Refused(f"{address}: neither its server nor its name says what it is")
        claimed = named
    elif media_type in ENDINGS:
        claimed = named if media_type == "text/plain" and named in TEXT_ENDINGS else ENDINGS[media_type]
        if named and named != claimed and media_type != "text/plain" and not {named, claimed} <= TEXT_ENDINGS:
            raise Refused(f"{address}: named {named}, and its server says {media_type}; one of the two is wrong")
    else:
        raise Refused(f"{address}: {media_type} is nothing that rarefy reads; {', '.join(sorted(set(ENDINGS)))} are")
    actual = next((ending for magic, ending in MAGIC.items() if content.startswith(magic)), "")
    if not content.strip():
        raise Refused(f"{address}: empty")
    if claimed in (".pdf", ".parquet"):
        if actual != claimed or (claimed == ".parquet" and not content.endswith(b"PAR1")):
            raise Refused(f"{address}: said to be {claimed}, and its bytes are {actual or 'something else'}")
        return claimed
    if actual:
        raise Refused(f"{address}: said to be {claimed}, and its bytes are {actual}")
    text = content[:65536]
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    if b"\0" in text and not wide:
        raise Refused(f"{address}: said to be {claimed}, and its bytes are no text")
    first = text.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if not wide and claimed in (".json", ".jsonl") and first not in (b"{", b"["):
        raise Refused(f"{address}: said to be {claimed}, and it begins with {first!r}")
    if not wide and claimed == ".html" and b"<" not in text:
        raise Refused(f"{address}: said to be HTML, and there is no tag in it")
    return claimed


def _ending_in(address: str) -> str:
    """The ending of the file's name, one for each kind; "" where it has none that is read."""
    ending = PurePosixPath(unquote(urlsplit(address).path)).suffix.lower()
    return ENDINGS.get(MEDIA_TYPES.get(ending, ""), "")


def safe_stem(id_: str, address: str) -> str:
    """The file name of a document without its ending: its id where that is a safe name, else one with a digest.

    Equal ids, or equal addresses where there is no id, have equal names, and others never; no name leaves the folder.
    """
    if id_ and PLAIN_NAME.fullmatch(id_) and not _is_unsafe(id_):
        return id_
    source = id_ or PurePosixPath(unquote(urlsplit(address).path)).stem
    plain = re.sub(r"[^A-Za-z0-9]+", "-", source).strip("-")[:60]
    digest = hashlib.blake2b((f"id {id_}" if id_ else f"at {address}").encode(), digest_size=8).hexdigest()
    return f"{plain or 'document'}.{digest}"


def _is_unsafe(name: str) -> bool:
    """Could the name clash with another one, or mean something to the file system or to the reader of the corpus?"""
    # one that ends in a digest could be that of another id; upper and lower case are one on some disks
    return bool(
        re.search(r"\.[0-9a-f]{16}$", name)
        or name != name.lower()
        or ".." in name
        or name.endswith(".")
        or DEVICE.fullmatch(name)
        or PurePosixPath(name).stem.lower() in ABOUT
        or name.lower() in ABOUT
        or name.lower() in LITTER
        or is_partial(name)
    )


def put_document(content: bytes, folder: Path, name: str, ending: str) -> str:
    """Write a document into the corpus; returns "added", "edited" or "unchanged".

    A file of the same name and another ending is the same document before it changed its type: it is removed.
    """
    place = folder / f"{name}{ending}"
    others = [folder / f"{name}{other}" for other in sorted(set(ENDINGS.values()) - {ending})]
    before = place.is_file()
    if before and place.read_bytes() == content:
        return "unchanged"
    with open_atomic(place) as file:
        file.write(content)
    for other in others:
        if other.is_file():
            other.unlink()
            before = True
    return "edited" if before else "added"
