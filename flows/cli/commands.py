"""The smaller commands, and the checks that all of them share."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rarefy.flows.engine.reachability import check_out
from rarefy.flows.engine.reachability import check_store as check_store
from rarefy.flows.faults import LONGEST, UsageFault
from rarefy.tasks.foreign_code import harmless
from rarefy.tasks.models.llm.secrets import address, redacted

if TYPE_CHECKING:
    from rarefy.flows.config import Config
    from rarefy.tasks.models.llm import LLMConfig

Done = TypeVar("Done")


def init(given: argparse.Namespace) -> int:
    """Write the commented config."""
    from rarefy.flows.cli.template import template

    path = Path(given.path)
    if path.is_dir():
        path = path / "rarefy.toml"
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(template())
    except FileExistsError:
        raise UsageFault(f"{path} exists; choose another path, or remove it first") from None
    except FileNotFoundError:
        raise UsageFault(f"{path}: no such folder; make it first") from None
    print(f"{path} written; use it with `rarefy build CORPUS --out DIR --config {path}`")
    return 0


def doctor(given: argparse.Namespace) -> int:
    """Look at all that a config needs; 1 where something is wrong."""
    from rarefy.flows.cli.doctor import examine, show
    from rarefy.flows.config import load

    config = load(given.config)
    return 0 if show(examine(config, given.config, given.store, given.dask)) else 1


def cache(given: argparse.Namespace) -> int:
    """Say what made the key of a remembered reply."""
    from rarefy.flows.cli.cache_explanation import explain
    from rarefy.flows.models.accounting import place
    from rarefy.tasks.store.tables import Store

    check_store(given.store)
    url = os.environ.get("RAREFY_REPLIES", "")
    try:
        print(explain(url, place(Store(given.store)), given.id), end="")
    except ValueError as error:
        raise UsageFault(f"--replies {address(url)}: {str(error).removeprefix(f'{url}: ')}") from error
    return 0


def prompts(given: argparse.Namespace) -> int:
    """Print a prompt, or which there are."""
    from rarefy.tasks.models import prompts

    roles = prompts.roles(given.stage) if given.stage.isidentifier() else {}
    if not roles:
        raise UsageFault(f"no stage {given.stage!r} with prompts; have {', '.join(sorted(prompts.folders()))}")
    if not given.role:
        print("\n".join(f"{given.stage} {role} {domain}" for role in roles for domain in roles[role]))
        return 0
    if given.role not in roles:
        raise UsageFault(f"{given.stage} has no prompt {given.role!r}; have {', '.join(roles)}")
    if given.domain not in prompts.DOMAINS:
        raise UsageFault(f"no domain {given.domain!r}; have {', '.join(prompts.DOMAINS)}")
    print(prompts.source(given.stage, given.role, given.domain), end="")
    return 0


def calibrate(given: argparse.Namespace) -> int:
    """Write a sheet for people's scores, or set those of one beside the judge's."""
    from rarefy.flows.calibrate import calibrate, sheet, show

    if given.sheet.exists():
        print(show(calibrate(given.benchmark, given.sheet)))
        return 0
    count = sheet(given.benchmark, given.sheet, given.questions)
    print(f"{given.sheet} written, {count:,} questions: have people score them, and run the same command again")
    return 0


def check_models(given: argparse.Namespace, config: "Config", asked_too: "Sequence[LLMConfig] | None" = None) -> None:
    """UsageFault where replies cannot be kept, or nobody here can hold the model; of `asked_too` alone where given."""
    from rarefy.flows.engine.stages import models_asked
    from rarefy.flows.models.accounting import books, means
    from rarefy.tasks.store.tables import Store

    if not (found := models_asked(config) if asked_too is None else asked_too):
        return
    if not given.dask and any(model.provider == "vllm" for model in found) and not find_spec("vllm"):
        workers = (
            "start Dask workers that have it (infra/vllm/install.sh) and name their scheduler with --dask, or "
            if given.dask is not None  # a command that offers it
            else ""
        )
        raise UsageFault(
            f'provider "vllm" needs vLLM: pip install "rarefy[vllm]" here, or {workers}serve the model and ask it as '
            'provider = "openai"'
        )
    asked = means(config, "", getattr(given, "max_calls", 0), getattr(given, "max_cost", 0.0), found)
    try:
        books(Store(given.store), asked)
    except ValueError as error:
        url = asked.books
        raise UsageFault(f"--replies {address(url)}: {str(error).removeprefix(f'{url}: ')}") from error


def tell(text: str, code: int) -> int:
    """Say this on standard error, line by line; the exit code."""
    for line in redacted(text, LONGEST).split("\n") if text else ():
        print(f"rarefy: {harmless(line)}", file=sys.stderr)
    return code


def with_store_repair(store: str, work: Callable[[], Done]) -> Done:
    """What `work` gives; damage is told, and mended."""
    from rarefy.flows.engine.store_repair import with_repair

    def damaged(damage: Exception, others: Sequence[str]) -> None:
        tell(str(damage), 1)
        tell("\n".join(f"table {name} was damaged too" for name in others), 1)

    return with_repair(store, work, damaged)


def check_place(out: str) -> None:
    """UsageFault where the folder holds something else than a benchmark, whole or half-written: it is not ours."""
    from rarefy.tasks.export import BESIDE, NAMES

    check_out(out)
    place = Path(out)
    if place.exists() and not place.is_dir():
        raise UsageFault(f"--out {out}: a file stands there; choose a folder")
    ours = {*NAMES.values(), *BESIDE.values(), "beir", "hf", "manifest", "contracts", "models", "changes"}
    ours.add("nothing_to_build")
    foreign = (
        sorted(path.name for path in place.iterdir() if path.name.strip(".").split(".")[0] not in ours)
        if place.exists()
        else []
    )
    if foreign:
        raise UsageFault(f"--out {out}: holds {foreign[0]!r}, which is no part of a benchmark; choose a new folder")
