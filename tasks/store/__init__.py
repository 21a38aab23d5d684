"""The store of a benchmark: tables by content, recipes by input, published versions, locks between runs, clean-up.

Tables of rows come in and are found again by what they were made of, so that no work is done twice.
"""

import warnings
from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    """The names of `rarefy.tasks.store` from when it was a module, with a DeprecationWarning."""
    tables = import_module(f"{__name__}.tables")  # `from` would ask this function for it first, without end
    if name.startswith("_") or not hasattr(tables, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"{__name__}.{name} is {tables.__name__}.{name} now", DeprecationWarning, stacklevel=2)
    return getattr(tables, name)
