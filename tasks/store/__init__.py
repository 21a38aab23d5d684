"""The store of a benchmark: tables by content, recipes by input, published versions, locks between runs, clean-up.

Tables of rows come in and are found again by what they were made of, so that no work is done twice.
"""

import warnings
from typing import Any


def __getattr__(name: str) -> Any:
    """The names of `rarefy.tasks.store` from when it was a module, with a DeprecationWarning."""
    from rarefy.tasks.store import tables

    if name.startswith("_") or not hasattr(tables, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"{__name__}.{name} is {tables.__name__}.{name} now", DeprecationWarning, stacklevel=2)
    return getattr(tables, name)
