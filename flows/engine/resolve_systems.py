"""The systems that an evaluation asks, by the names that the command line and the config give them."""

import difflib
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from uuid import uuid4

from pydantic import ValidationError

from rarefy.flows.config import Config
from rarefy.flows.faults import UsageFault
from rarefy.flows.models.roles import faults_of
from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.evaluate.systems.config import BUILT_IN, SystemConfig
from rarefy.tasks.evaluate.systems.http.wire import Wire
from rarefy.tasks.export.files import put
from rarefy.tasks.models.llm import LLMConfig
from rarefy.tasks.models.llm.faults import Unavailable

NAME = re.compile(r"[A-Za-z0-9_.:/@+-]+")


def systems(config: Config, names: Sequence[str]) -> dict[str, SystemConfig]:
    """The systems by name: of [systems.NAME], built in, or "module:function"; UsageFault for one that is none.

    None named: those of the config, `extractive` where it has none.
    """
    wanted = list(dict.fromkeys(names)) or list(config.systems) or ["extractive"]
    return {name: _system(config, name) for name in wanted}


def _system(config: Config, name: str) -> SystemConfig:
    if not NAME.fullmatch(name):
        raise UsageFault(f"--system {name!r}: a name is of letters, digits and _ . : / @ + -")
    if name in config.systems:
        return config.systems[name]
    if name not in BUILT_IN and ":" not in name:
        known = [*config.systems, *BUILT_IN]
        near = difflib.get_close_matches(name, known, 1)
        raise UsageFault(
            f"--system {name}: no such system{f'; did you mean {near[0]!r}?' if near else ''}; have "
            f"{', '.join(known)}, write [systems.{name}] in the config, or name a function of yours as module:function"
        )
    about: dict[str, object] = {"kind": name}
    if name == "rag":
        if not config.llm.provider:
            raise UsageFault("--system rag asks the model of [llm]; name one in --config, or write [systems.NAME]")
        about |= {"rag": {"llm": config.llm.model_dump()}}
    try:
        return SystemConfig.model_validate(about)
    except ValidationError as error:
        told = [(".".join(map(str, one["loc"])), one["msg"].removeprefix("Value error, ")) for one in error.errors()]
        raise UsageFault(f"--system {name}: {'; '.join(': '.join(filter(None, one)) for one in told)}") from error


def models_of(config: Config, tested: Mapping[str, SystemConfig]) -> list[LLMConfig]:
    """Every model that an evaluation asks, each once: the systems' own, and the judge."""
    asked = [model for one in tested.values() if (model := one.llm)]
    asked += [one for one in (config.correct.judge, config.oracle.likelihood.llm) if one.provider]
    return list({model.model_dump_json(): model for model in asked}.values())


def check(config: Config, file: Path | None, names: Sequence[str]) -> dict[str, SystemConfig]:
    """The systems by name, once all that they need is there; UsageFault with a line for each thing that is not."""
    tested = systems(config, names)
    faults = []
    for name, one in tested.items():
        try:
            one.identity()
            if one.kind == "http":
                Wire(one.http)  # are the variables set that it names?
        except (ValueError, OSError, Unavailable) as error:
            faults.append(f"systems.{name}: {error}")
        if one.llm is not None:
            faults += faults_of(f"systems.{name}.rag.llm", one.llm)
    faults += faults_of("correct.judge", config.correct.judge)
    faults += faults_of("oracle.likelihood.llm", config.oracle.likelihood.llm)
    try:
        config.retrieve.identity()
    except (ValueError, OSError) as error:
        faults.append(f"retrieve: {error}")
    if faults:
        raise UsageFault("\n".join(f"{file or 'config'}: {fault}" for fault in faults))
    return tested


def pinned(tested: Mapping[str, SystemConfig], out: Path) -> dict[str, SystemConfig]:
    """The systems, those whose version nobody tells with one of this folder: another folder asks them anew.

    What stands behind an address or a function changes without a word in the config, so that last week's answers
    must not pass for this week's; the same command goes on with the answers that it has.
    """
    place = out / "run.json"
    if all(one.pinned for one in tested.values()):
        return dict(tested)
    try:
        token = json.loads(place.read_bytes())["run"]
    except (FileNotFoundError, ValueError, LookupError, TypeError):
        token = uuid4().hex
        out.mkdir(parents=True, exist_ok=True)
        put(place, [json.dumps({"run": token}).encode(), b"\n"])
    return {
        name: one if one.pinned else one.model_copy(update={"version": f"of {token}"}) for name, one in tested.items()
    }


def protocols(names: Sequence[str]) -> list[str]:
    """The protocols by name, all of them where none is named; UsageFault for one that there is not."""
    wanted = list(dict.fromkeys(part for name in names for part in name.split(",") if part)) or list(PROTOCOLS)
    for name in wanted:
        if name not in PROTOCOLS:
            near = difflib.get_close_matches(name, PROTOCOLS, 1)
            meant = f"; did you mean {near[0]!r}?" if near else ""
            raise UsageFault(f"--protocol {name}: no such protocol{meant}; have {', '.join(PROTOCOLS)}")
    return wanted
