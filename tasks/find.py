"""Look up functions by name, built-in or `module:function`: the whole plugin system."""

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from difflib import get_close_matches
from typing import Any

from rarefy.tasks.foreign_code import protect_process


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
        with nullcontext() if module in sys.modules or module.startswith("rarefy.") else protect_process():
            part: Callable[..., Any] = getattr(importlib.import_module(module), attribute)
    except (Exception, SystemExit) as error:  # whatever a module raises that is somebody else's
        fault = str(error) if isinstance(error, ImportError | AttributeError) else f"{type(error).__name__}: {error}"
        if isinstance(error, ModuleNotFoundError) and error.name == (top := module.partition(".")[0]):
            way_out = f"run the command from the folder that holds {top}.py or {top}/, or install the module"
        elif near := _find_near(module, attribute):
            way_out = f"did you mean `{module}:{near}`?"
        else:
            way_out = "mend the module, or the name"
        raise ValueError(f"{name!r} cannot be imported ({fault}); {way_out}") from error
    return part


def _find_near(module: str, attribute: str) -> str:
    """Return the name in an imported module that is most like a missing one; "" where none is."""
    if module not in sys.modules or hasattr(sys.modules[module], attribute):
        return ""
    names = [name for name, value in vars(sys.modules[module]).items() if callable(value)]
    return next(iter(get_close_matches(attribute, names, 1)), "")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return "; did you mean 'rare'?" for a mistyped name, "" where none that is known is like it."""
    near = get_close_matches(name, list(known), 1)
    return f"; did you mean {near[0]!r}?" if near else ""
