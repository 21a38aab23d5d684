"""What several commands check before anything is started, and how they speak to a person on standard error."""

import argparse
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, TypeVar

from rarefy.flows.faults import LONGEST, UsageFault
from rarefy.tasks.foreign_code import escape_controls
from rarefy.tasks.models.llm.secrets import redacted, strip_address

if TYPE_CHECKING:
    from rarefy.flows.config import Config
    from rarefy.tasks.models.llm import LLMConfig

Done = TypeVar("Done")


def print_message(text: str, code: int = 0) -> int:
    """Print a text on standard error, without secrets and control codes, each line after "rarefy: "; the exit code."""
    for line in redacted(text, LONGEST).split("\n") if text else ():
        print(f"rarefy: {escape_controls(line)}", file=sys.stderr)
    return code


def with_store_repair(store: str, work: Callable[[], Done]) -> Done:
    """What `work` returns; a damaged table of the store is reported, removed, and made anew."""
    from rarefy.flows.engine.run import with_repair

    def report(damage: Exception, others: Sequence[str]) -> None:
        print_message(str(damage))
        print_message("\n".join(f"table {name} was damaged too" for name in others))

    return with_repair(store, work, report)


def check_models(given: argparse.Namespace, config: "Config", asked: "Sequence[LLMConfig] | None" = None) -> None:
    """UsageFault where replies cannot be kept, or nobody here can hold a model.

    `asked` are the models to look at; None: those of a build.
    """
    from rarefy.flows.engine.stages import models_asked
    from rarefy.flows.models.accounting import inference_context, reply_store
    from rarefy.tasks.store.tables import Store

    models = models_asked(config) if asked is None else asked
    if not models:
        return
    if not given.dask and any(model.provider == "vllm" for model in models) and not find_spec("vllm"):
        workers = (
            "start Dask workers that have it (infra/vllm/install.sh) and name their scheduler with --dask, or "
            if given.dask is not None  # a command that offers it
            else ""
        )
        raise UsageFault(
            f'provider "vllm" needs vLLM: pip install "rarefy[vllm]" here, or {workers}serve the model and ask it as '
            'provider = "openai"'
        )
    context = inference_context(config, "", getattr(given, "max_calls", 0), getattr(given, "max_cost", 0.0), models)
    try:
        reply_store(Store(given.store), context)
    except ValueError as error:
        raise replies_fault(context.books, error) from error


def replies_fault(url: str, error: ValueError) -> UsageFault:
    """The fault of a --replies that cannot be opened, without the password that its address may hold."""
    return UsageFault(f"--replies {strip_address(url)}: {str(error).removeprefix(f'{url}: ')}")


def check_systems(given: argparse.Namespace, config: "Config") -> None:
    """UsageFault where a protocol or system that an evaluation names is not there, or a model of it cannot be asked."""
    from rarefy.flows.engine import config_check

    config_check.resolve_protocols(given.protocol)
    tested = config_check.check_systems(config, given.config, given.system)
    check_models(given, config, config_check.models_of_evaluation(config, tested))
