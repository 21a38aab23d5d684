"""Whether corpus and store can be reached, before work is spent; and what to do where a service does not answer."""

import argparse
import re
from datetime import date
from pathlib import Path

from rarefy.flows.faults import Fault, UsageFault
from rarefy.tasks import sample

CLIENTS = {"botocore", "aiobotocore", "aiohttp", "gcsfs", "google", "adlfs", "azure", "fsspec"}  # of object stores
CREDENTIALS = {"NoCredentialsError", "PartialCredentialsError", "ProfileNotFound", "TokenRetrievalError"}
KEYS = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, a profile (AWS_PROFILE) or the machine's role"
ANCHORED = ("store", "out", "benchmark", "result", "config")  # what is opened after a user's code may have run
REACHED = "reached"  # an empty file of a store that is far away: proof that it may be written to


def make_paths_absolute(given: argparse.Namespace) -> argparse.Namespace:
    """The command line with the places that it names made absolute; `shown_out` is --out as it was written.

    Code of the user's own may run as soon as the config is read, and may change into another folder.
    """
    _find_packaged(given)
    given.shown_out = getattr(given, "out", None)
    for name in ANCHORED:
        place = getattr(given, name, None)
        if place and "://" not in str(place) and "::" not in str(place):
            setattr(given, name, type(place)(Path(place).absolute()))
    return given


def _find_packaged(given: argparse.Namespace) -> None:
    """Put the packaged benchmark's places where its name stands: its documents with its config, or the whole."""
    corpus = getattr(given, "corpus", None)
    # a folder of that name may be what an earlier `build sample --out sample` wrote
    if corpus in sample.NAMES and (not Path(corpus).exists() or (Path(corpus) / "contracts.json").is_file()):
        given.corpus = str(sample.CORPUS)
        if "config" in given and given.config is None:
            given.config = sample.CONFIG
    if str(bench := getattr(given, "benchmark", None)) in sample.NAMES and not Path(bench).exists():
        given.benchmark = sample.BENCHMARK


def check_corpus(corpus: str) -> None:
    """UsageFault where there is no such corpus, Fault where what may have one does not answer."""
    from rarefy.tasks.corpus.read.sources import exists

    _check_keyless("corpus", corpus)
    try:
        found = exists(corpus)
    except ValueError as error:
        raise UsageFault(f"corpus {error}") from error
    except Exception as error:
        raise explain_storage_error(error, f"corpus {corpus}") from error
    if not found:
        raise UsageFault(f"{corpus}: no such file or folder; check the path")


def check_store(url: str) -> None:
    """UsageFault where no store can be at this address, or nothing be written to it."""
    from rarefy.tasks.store.tables import Store

    _check_keyless("--store", url)
    try:
        store = Store(url)
    except (ImportError, ValueError) as error:
        raise UsageFault(f"--store {url}: {error}; give a folder, or an fsspec URL of an installed package") from error
    if store.local:
        return
    try:
        store.write(REACHED, b"")
    except FileNotFoundError as error:
        raise UsageFault(f"--store {url}: {error}; make the bucket first") from error
    except ValueError as error:
        raise UsageFault(f"--store {url}: {error}; give a folder, or an fsspec URL that can be written to") from error
    except Exception as error:
        raise explain_storage_error(error, f"--store {url}") from error


def _check_keyless(what: str, url: str) -> None:
    """UsageFault where the address of a bucket holds a key: its client takes it for a name, and tells it."""
    if re.match(r"(?i)(s3a?|gs|gcs)://[^/]*[:@]", url):
        raise UsageFault(
            f"{what} {url}: the address of a bucket holds no key; set {KEYS}, and write s3://bucket/folder"
        )


def check_out(out: str) -> None:
    """UsageFault where a benchmark is to be written elsewhere than into a folder."""
    if "://" in out:
        raise UsageFault(
            f"--out {out}: a benchmark is written into a folder of this machine, --store alone may be a URL; copy the "
            "folder there once it is whole"
        )


def is_storage_error(error: BaseException) -> bool:
    """Whether an exception is one of an object store's client, to be told and not traced."""
    return type(error).__module__.partition(".")[0] in CLIENTS


def is_transient(error: BaseException) -> bool:
    """Whether a fault may be gone in a minute: an object store, or a part of Dask, did not answer."""
    name = type(error).__name__
    return name == "CommClosedError" or (is_storage_error(error) and name not in CREDENTIALS)


def explain_storage_error(error: Exception, about: str) -> Exception:
    """The fault, with the way out, of a storage client's exception; any other exception as it is."""
    if type(error).__name__ in CREDENTIALS:
        return UsageFault(f"{about}: no credentials ({error}); set {KEYS}")
    if isinstance(error, PermissionError):
        return UsageFault(f"{about}: not allowed ({error}); look at {KEYS}, and at the rights they give")
    if is_storage_error(error) or isinstance(error, OSError):
        return Fault(
            f"{about}: no answer ({type(error).__name__}: {error}); look at address (AWS_ENDPOINT_URL) "
            "and network, and run again"
        )
    return error


def check_day(text: str) -> str:
    """The day of --as-of, "" for none; UsageFault where it is no day as 2024-12-31."""
    try:
        if text and date.fromisoformat(text).isoformat() != text:
            raise ValueError
    except ValueError:
        raise UsageFault(f"--as-of {text}: not a day; write it as 2024-12-31") from None
    return text
