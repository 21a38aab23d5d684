"""Columns of few distinct values as numbers: thousands of slices are cut from hundreds of thousands of rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Coded:
    """A column: `values[codes[row]]`; `place` is the code of each value."""

    codes: npt.NDArray[np.int32]
    values: list[Any]
    place: dict[Any, int]

    def among(self, *values: Any) -> Mask:
        """The rows that have one of these values."""
        wanted = [self.place[value] for value in values if value in self.place]
        if len(wanted) == 1:
            return np.asarray(self.codes == wanted[0])
        return np.isin(self.codes, wanted)

    def near(self, value: float) -> Mask:
        """The rows with this number, for all that adding and dividing does to one."""
        return self.among(*(one for one in self.values if not isinstance(one, str) and abs(one - value) < 1e-6))

    def take(self, rows: npt.NDArray[Any]) -> "Coded":
        """These rows of it."""
        return Coded(self.codes[rows], self.values, self.place)

    def __getitem__(self, row: int) -> Any:
        return self.values[self.codes[row]]


def coded(column: npt.NDArray[Any]) -> Coded:
    """The column with its values coded in the order in which they come."""
    place: dict[Any, int] = {}
    codes = np.fromiter((place.setdefault(value, len(place)) for value in column.tolist()), np.int32, len(column))
    return Coded(codes, list(place), place)
