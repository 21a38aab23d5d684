"""Look parts up by name: the whole plugin system."""

import importlib
from collections.abc import Callable, Mapping
from typing import Any


def find(name: str, built_in: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
    """Look a name up among the built-ins, or import it when it reads `module:function`.

    Raises ValueError naming what there is, when it is neither.
    """
    if name in built_in:
        return built_in[name]
    module, colon, attribute = name.partition(":")
    if not colon:
        raise ValueError(f"no {name!r} here; have {sorted(built_in)}, or write module:function")
    try:
        part: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        way_out = (
            "is the module installed where the workers run? The current folder is not looked through: "
            "PYTHONPATH=. in front of the command helps"
        )
        raise ValueError(f"{name!r} cannot be imported ({error}); {way_out}") from error
    return part
