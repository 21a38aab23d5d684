"""What a feed remembers in the store between two polls."""

import hashlib
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from rarefy.tasks.store.tables import Store

FOLDER = "feeds"
Memory = TypeVar("Memory", bound=BaseModel)


def load_memory(store: Store, name: str, kind: type[Memory]) -> tuple[Memory, str]:
    """What was remembered under this name, and a warning where it was damaged and is begun anew; "" for none."""
    try:
        return kind.model_validate_json(store.read(f"{FOLDER}/{name}.json")), ""
    except FileNotFoundError:
        return kind(), ""
    except (ValidationError, ValueError) as error:
        why = str(error).splitlines()[0]
        return kind(), f"{store.told}/{FOLDER}/{name}.json is damaged ({why}): begun anew, as if nothing had been seen"


def save_memory(store: Store, name: str, what: BaseModel) -> None:
    """Remember this under the name."""
    store.write(f"{FOLDER}/{name}.json", what.model_dump_json().encode())


def short_hash(place: str) -> str:
    """A short name for a folder or address: 12 hexadecimal digits."""
    return hashlib.blake2b(place.encode(), digest_size=6).hexdigest()
