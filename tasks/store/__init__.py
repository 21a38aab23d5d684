"""Where tables lie: content-addressed parts, the recipes they are made by, the journal, the lease, and the sweep."""

import warnings
from typing import Any


def __getattr__(name: str) -> Any:
    """What `rarefy.tasks.store` held when it was a module, with a DeprecationWarning."""
    from rarefy.tasks.store import tables

    if name.startswith("_") or not hasattr(tables, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(f"{__name__}.{name} is {tables.__name__}.{name} now", DeprecationWarning, stacklevel=2)
    return getattr(tables, name)
