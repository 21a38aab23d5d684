"""rarefy: turn documents into a RAG robustness benchmark, and measure how robust a RAG system is, and to what.

    bench = rarefy.load("sample")
    result = rarefy.evaluate(bench, system=my_rag, questions=20)
    print(result.summary())

docs/python.md has the rest. What is named here is imported when it is used: `import rarefy` itself takes no time.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rarefy.flows.api import (
        Benchmark,
        Comparison,
        Result,
        build,
        compare,
        evaluate,
        load,
        load_result,
        perturb,
        robust,
        score,
    )
    from rarefy.flows.faults import Fault
    from rarefy.tasks.evaluate.systems.interface import SystemInput, SystemOutput

    __version__: str

__all__ = [
    "Benchmark",
    "Comparison",
    "Fault",
    "Result",
    "SystemInput",
    "SystemOutput",
    "__version__",
    "build",
    "compare",
    "evaluate",
    "load",
    "load_result",
    "perturb",
    "robust",
    "score",
]
_MODULES = {
    "Fault": "rarefy.flows.faults",
    "SystemInput": "rarefy.tasks.evaluate.systems.interface",
    "SystemOutput": "rarefy.tasks.evaluate.systems.interface",
}


def __getattr__(name: str) -> Any:
    """Import a public name from its module, once."""
    if name not in __all__:
        raise AttributeError(f"module 'rarefy' has no attribute {name!r}; have {', '.join(__all__)}")
    if name == "__version__":
        from importlib.metadata import version

        found: Any = version("rarefy")
    else:
        from importlib import import_module

        found = getattr(import_module(_MODULES.get(name, "rarefy.flows.api")), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted({*globals(), *__all__})
