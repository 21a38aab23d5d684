"""Whether all that a config and a command line name is there, before anything is begun or paid for."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from uuid import uuid4

from pydantic import ValidationError

from rarefy.flows.config import Config
from rarefy.flows.engine.stages import STAGES, folder_of_pipeline
from rarefy.flows.faults import UsageFault
from rarefy.flows.models import roles
from rarefy.flows.models.roles import faults_of_model
from rarefy.tasks.corpus.tokens import counter
from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.evaluate.systems.config import BUILT_IN, SystemConfig
from rarefy.tasks.evaluate.systems.http.client import HttpEndpoint
from rarefy.tasks.export.files import put_file
from rarefy.tasks.find import did_you_mean, find
from rarefy.tasks.models.llm import LLMConfig
from rarefy.tasks.models.llm.faults import Unavailable
from rarefy.tasks.perturb.catalogue import CATALOGUE, is_written_by_model, select_by_names
from rarefy.tasks.perturb.proof import ENTAILMENT


def check_config(config: Config, file: Path | None = None) -> None:
    """UsageFault with a line for each thing that the config names and that is not there."""
    found = []
    for stage in STAGES:
        for key, (names, built_in) in stage.parts(config).items():
            for name in names:
                found += _errors_of(f"{stage.section}.{key}", lambda name=name, built_in=built_in: find(name, built_in))
    found = list(dict.fromkeys(found))  # two stages may read one section
    found += _errors_of("chunk.tokenizer", lambda: counter(config.chunk.tokenizer))
    found += _errors_of("embed.model", lambda: config.embed.connect(None, threads=1).model)
    if "deadlines" in config.extract.methods:
        found += _errors_of("extract.pipeline", lambda: folder_of_pipeline(config.extract.pipeline))
    _raise_if_any([*found, *_perturbation_errors(config), *model_faults(config)], file)


def check_variants(config: Config, file: Path | None = None) -> None:
    """UsageFault with a line for each thing that variants are made with and that is not there."""
    embedder = _errors_of("embed.model", lambda: config.embed.connect(None, threads=1).model)
    _raise_if_any([*_perturbation_errors(config), *embedder, *model_faults(config)], file)


def _raise_if_any(found: list[str], file: Path | None) -> None:
    if found:
        raise UsageFault("\n".join(f"{file or 'config'}: {fault}" for fault in found))


def model_faults(config: Config) -> Iterator[str]:
    """A line for each model of a config that is asked for and not named, or not to be found."""
    named = roles.models_by_section(config)
    wanted: dict[str, list[str]] = {}
    for stage in STAGES:
        for section, key in stage.asks(config).items():
            wanted.setdefault(section, []).append(key)
    for section, keys in wanted.items():
        if not (roles.choose_judge(config) if section == "judge" else named[section]).provider:
            needed = " and ".join(keys)
            yield f"{section}.provider: {needed} ask{'s' * (len(keys) == 1)} a model; write provider and model there"
    for section, model in named.items():
        yield from roles.faults_of_model(section, model)
    if roles.needs_entailment(config):
        yield from roles.faults_of_nli(config)


def config_remarks(config: Config) -> Iterator[str]:
    """Warnings, a line each: what is allowed and yet likely a mistake."""
    own = config.grade.by and config.ask.method == "model" and config.llm.provider != "recorded"
    if own and roles.choose_judge(config).identity() == config.llm.identity():
        yield "the judge judges its own questions: [judge] is the model of [llm]; a model of another family is fairer"
    if config.second_judge.provider and config.second_judge.identity() == roles.choose_judge(config).identity():
        yield "the second judge is the first: [second_judge] is the same model, so that their agreement says little"
    if config.second_judge.provider and not config.grade.by:
        yield 'the second judge is not asked: grade.by is ""'
    yield from _variant_remarks(config)


def _variant_remarks(config: Config) -> Iterator[str]:
    writers, entries = roles.variant_writers(config), roles.chosen_perturbations(config)
    both = config.generator.provider and {"llm", "generator"} <= {*writers}
    if both and config.generator.identity() == config.llm.identity():
        yield "[generator] is the model of [llm]: llm_generated and self_generated (SURE's source) are the same texts"
    asked = [entry for entry in entries if is_written_by_model(entry, config.perturb)]
    written = [entry.name for entry in asked if ENTAILMENT in entry.checks]
    if written and config.nli.method == "rules":
        yield (
            f'nli.method = "rules" cannot show that what a model rewords freely means the same: most of '
            f"{', '.join(written)} will be written, paid for and rejected; use a cross-encoder or a model in [nli]"
        )
    checks = roles.model_of_tool(config.nli) if roles.needs_entailment(config) else None
    if checks and any(getattr(config, name).identity() == checks.identity() for name in writers):
        yield "the model that writes variants says itself whether they mean the same: nli.llm is another one, better"
    if config.generator.provider and "generator" not in writers:
        yield "[generator] is not asked: it writes self_generated, where perturb.by wants a model"


def _perturbation_errors(config: Config) -> Iterator[str]:
    """A line for each name of a perturbation that is wrong."""
    for side in ("query", "document", "context"):
        names = getattr(config.perturb, side)
        yield from _errors_of(f"perturb.{side}", lambda side=side, names=names: select_by_names(side, names))
    for name in () if isinstance(config.perturb.by, str) else config.perturb.by:
        if not any(entry.role and name in (entry.name, entry.family) for entry in CATALOGUE.values()):
            have = ", ".join(entry.name for entry in CATALOGUE.values() if entry.role)
            yield f"perturb.by: no model makes {name!r}; one makes {have}"
    for name in config.perturb.pools:
        if name not in CATALOGUE and ":" not in name:
            have = ", ".join(entry.name for entry in CATALOGUE.values() if entry.side == "context")
            yield f"perturb.pools: no perturbation {name!r}; have {have}"


def _errors_of(key: str, work: Callable[[], object]) -> list[str]:
    """The ValueError that `work` raises, as a line that begins with the key; none: []."""
    try:
        work()
    except ValueError as error:
        return [f"{key}: {error}"]
    return []


NAME = re.compile(r"[A-Za-z0-9_.:/@+-]+")


def resolve_systems(config: Config, names: Sequence[str]) -> dict[str, SystemConfig]:
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
        raise UsageFault(
            f"--system {name}: no such system{did_you_mean(name, known)}; have "
            f"{', '.join(known)}, write [systems.{name}] in the config, or name a function of yours as module:function"
        )
    file, is_file, function = name.partition(".py:")
    if is_file:
        raise UsageFault(f"--system {name}: a module is no file; write {file.strip('./').replace('/', '.')}:{function}")
    about: dict[str, object] = {"kind": name}
    if name == "rag":
        if not config.llm.provider:
            raise UsageFault("--system rag asks the model of [llm]; name one in --config, or write [systems.NAME]")
        about |= {"rag": {"llm": config.llm.model_dump()}}
    try:
        return SystemConfig.model_validate(about)
    except ValidationError as error:
        faults = [(".".join(map(str, one["loc"])), one["msg"].removeprefix("Value error, ")) for one in error.errors()]
        raise UsageFault(f"--system {name}: {'; '.join(': '.join(filter(None, one)) for one in faults)}") from error


def models_of_evaluation(config: Config, tested: Mapping[str, SystemConfig]) -> list[LLMConfig]:
    """Every model that an evaluation asks, each once: those of the systems, the judge, and that of the oracle."""
    asked = [model for one in tested.values() if (model := one.llm)]
    asked += [one for one in (config.correct.judge, config.oracle.likelihood.llm) if one.provider]
    return list({model.model_dump_json(): model for model in asked}.values())


def check_systems(config: Config, file: Path | None, names: Sequence[str]) -> dict[str, SystemConfig]:
    """The systems by name, once all that they need is there; UsageFault with a line for each thing that is not."""
    tested = resolve_systems(config, names)
    faults = []
    for name, one in tested.items():
        faults += system_faults(name, one)
    faults += faults_of_model("correct.judge", config.correct.judge)
    faults += faults_of_model("oracle.likelihood.llm", config.oracle.likelihood.llm)
    try:
        config.retrieve.identity()
    except (ValueError, OSError) as error:
        faults.append(f"retrieve: {error}")
    if faults:
        raise UsageFault("\n".join(f"{file or 'config'}: {fault}" for fault in faults))
    return tested


def system_faults(name: str, system: SystemConfig) -> Iterator[str]:
    """A line for each thing that a system needs and that is not there."""
    try:
        system.identity()
        if system.kind == "http":
            HttpEndpoint(system.http)  # are the variables set that it names?
    except (ValueError, OSError, Unavailable) as error:
        yield f"systems.{name}: {error}"
    if system.llm is not None:
        yield from faults_of_model(f"systems.{name}.rag.llm", system.llm)


RUN_FILE = "run.json"  # in the folder of a result: which answers are its own


def pin_versions(tested: Mapping[str, SystemConfig], out: Path) -> tuple[dict[str, SystemConfig], str]:
    """The systems, those without a version of their own with one of this folder, so that another folder asks them anew;
    and what `keep_run` must write before they are asked, "" where there is nothing to write.

    What stands behind an address or a function changes without a word in the config, so that last week's answers
    must not pass for this week's; the same command goes on with the answers that it has.
    """
    if all(one.pinned for one in tested.values()):
        return dict(tested), ""
    try:
        token = json.loads((out / RUN_FILE).read_bytes())["run"]
    except (FileNotFoundError, ValueError, LookupError, TypeError):
        token = uuid4().hex
    of = {"version": f"of {token}"}
    return {name: one if one.pinned else one.model_copy(update=of) for name, one in tested.items()}, token


def keep_run(out: Path, token: str) -> None:
    """Write into the folder of a result by what its answers are found again."""
    if token:
        out.mkdir(parents=True, exist_ok=True)
        put_file(out / RUN_FILE, [json.dumps({"run": token}).encode(), b"\n"])


def resolve_protocols(names: Sequence[str]) -> list[str]:
    """The protocols by name, all of them where none is named; UsageFault for one that there is not."""
    wanted = list(dict.fromkeys(part for name in names for part in name.split(",") if part)) or list(PROTOCOLS)
    for name in wanted:
        if name not in PROTOCOLS:
            meant = did_you_mean(name, PROTOCOLS)
            raise UsageFault(f"--protocol {name}: no such protocol{meant}; have {', '.join(PROTOCOLS)}")
    return wanted
