"""What a feed remembers between two looks, in the store; a memory that is damaged is told and begun anew."""

import hashlib
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from rarefy.tasks.store.tables import Store

FOLDER = "feeds"
Kept = TypeVar("Kept", bound=BaseModel)


def recall(store: Store, name: str, kind: type[Kept]) -> tuple[Kept, str]:
    """What was remembered under this name, and what is to be told of it ("" where all is well)."""
    try:
        return kind.model_validate_json(store.read(f"{FOLDER}/{name}.json")), ""
    except FileNotFoundError:
        return kind(), ""
    except (ValidationError, ValueError) as error:
        why = str(error).splitlines()[0]
        return kind(), f"{store.told}/{FOLDER}/{name}.json is damaged ({why}): begun anew, as if nothing had been seen"


def remember(store: Store, name: str, what: BaseModel) -> None:
    """Keep this under the name, whole or not at all."""
    store.write(f"{FOLDER}/{name}.json", what.model_dump_json().encode())


def short(place: str) -> str:
    """A short name for a place."""
    return hashlib.blake2b(place.encode(), digest_size=6).hexdigest()
