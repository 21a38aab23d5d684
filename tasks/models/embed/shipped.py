"""Vectors that come with the package: those of the texts of the packaged benchmark by the packaged model.

A model takes most of the first minutes on a plain machine, and gives other last bits on every kind of CPU; with these
the packaged benchmark is built and asked without it. Numbers have 11 bits (float16): a cosine differs by some 1e-5.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from rarefy.tasks.models.embed.vector_cache import KEY
from rarefy.tasks.sample import VECTORS


@cache
def vectors() -> Mapping[bytes, bytes]:
    """The vectors as VectorCache keeps them, by its keys; none where the package has no such file."""
    if not VECTORS.exists():
        return {}
    with np.load(VECTORS) as file:
        keys, numbers = file["keys"].tobytes(), _unit(file["vectors"].astype(np.float32))
    return {keys[at * KEY : (at + 1) * KEY]: row.tobytes() for at, row in enumerate(numbers)}


def write(kept: Iterable[tuple[bytes, bytes]], file: Path) -> None:
    """Write keys and vectors of one length as `vectors` reads them, in the order of the keys."""
    rows = sorted(kept)
    keys = np.frombuffer(b"".join(key for key, _ in rows), np.uint8).reshape(len(rows), KEY)
    numbers = np.frombuffer(b"".join(vector for _, vector in rows), np.float32).reshape(len(rows), -1)
    np.savez(file, keys=keys, vectors=numbers.astype(np.float16))


def _unit(rows: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)
