"""Whether all that a config names is there, before anything is begun or paid for."""

from collections.abc import Callable, Iterator
from pathlib import Path

from rarefy.flows.config import Config
from rarefy.flows.engine.dependency_fingerprint import folder_of_pipeline
from rarefy.flows.engine.stages import STAGES
from rarefy.flows.faults import UsageFault
from rarefy.flows.models import roles
from rarefy.tasks.corpus.chunk.tokens import counter
from rarefy.tasks.find import find
from rarefy.tasks.perturb.catalogue import CATALOGUE, of_names
from rarefy.tasks.perturb.proof import ENTAILMENT


def check(config: Config, file: Path | None = None) -> None:
    """Nothing, when all that the config names is there; UsageFault with a line for each that is not."""
    found = []
    for stage in STAGES:
        for key, (names, built_in) in stage.parts(config).items():
            for name in names:
                found += _told(f"{stage.section}.{key}", lambda name=name, built_in=built_in: find(name, built_in))
    found = list(dict.fromkeys(found))  # two stages may read one section
    found += _told("chunk.tokenizer", lambda: counter(config.chunk.tokenizer))
    found += _told("embed.model", lambda: config.embed.connect(None, threads=1).model)
    if "prose" in config.extract.methods:
        found += _told("extract.pipeline", lambda: folder_of_pipeline(config.extract.pipeline))
    _fail([*found, *_perturbed(config), *faults(config)], file)


def check_variants(config: Config, file: Path | None = None) -> None:
    """Nothing, when all that variants are made with is there; UsageFault with a line for each that is not."""
    embedder = _told("embed.model", lambda: config.embed.connect(None, threads=1).model)
    _fail([*_perturbed(config), *embedder, *faults(config)], file)


def _fail(found: list[str], file: Path | None) -> None:
    if found:
        raise UsageFault("\n".join(f"{file or 'config'}: {fault}" for fault in found))


def faults(config: Config) -> Iterator[str]:
    """What is wrong with the models of a config, a line each: asked for and not named, or not to be found."""
    named = roles.sections(config)
    wanted: dict[str, list[str]] = {}
    for stage in STAGES:
        for section, key in stage.asks(config).items():
            wanted.setdefault(section, []).append(key)
    for section, keys in wanted.items():
        if not (roles.judge(config) if section == "judge" else named[section]).provider:
            needed = " and ".join(keys)
            yield f"{section}.provider: {needed} ask{'s' * (len(keys) == 1)} a model; write provider and model there"
    for section, model in named.items():
        yield from roles.faults_of(section, model)
    if roles.entails(config):
        yield from roles.faults_of_nli(config)


def remarks(config: Config) -> Iterator[str]:
    """What is allowed and yet worth a word."""
    own = config.grade.by and config.ask.method == "model" and config.llm.provider != "recorded"
    if own and roles.judge(config).identity() == config.llm.identity():
        yield "the judge judges its own questions: [judge] is the model of [llm]; a model of another family is fairer"
    if config.second_judge.provider and config.second_judge.identity() == roles.judge(config).identity():
        yield "the second judge is the first: [second_judge] is the same model, so that their agreement says little"
    if config.second_judge.provider and not config.grade.by:
        yield 'the second judge is not asked: grade.by is ""'
    yield from _of_variants(config)


def _of_variants(config: Config) -> Iterator[str]:
    writers, entries = roles.writers(config), roles.chosen_entries(config)
    both = config.generator.provider and {"llm", "generator"} <= {*writers}
    if both and config.generator.identity() == config.llm.identity():
        yield "[generator] is the model of [llm]: llm_generated and self_generated (SURE's source) are the same texts"
    written = [entry.name for entry in entries if writers and entry.role and ENTAILMENT in entry.checks]
    if written and config.nli.method == "rules":
        yield (
            f'nli.method = "rules" cannot show that what a model rewords freely means the same: most of '
            f"{', '.join(written)} will be written, paid for and rejected; use a cross-encoder or a model in [nli]"
        )
    checks = roles.behind(config.nli) if roles.entails(config) else None
    if checks and any(getattr(config, name).identity() == checks.identity() for name in writers):
        yield "the model that writes variants says itself whether they mean the same: nli.llm is another one, better"
    if config.generator.provider and "generator" not in writers:
        yield '[generator] is not asked: it writes self_generated, with perturb.by = "model"'


def _perturbed(config: Config) -> Iterator[str]:
    """What is wrong with the names of perturbations."""
    for side in ("query", "document", "context"):
        names = getattr(config.perturb, side)
        yield from _told(f"perturb.{side}", lambda side=side, names=names: of_names(side, names))
    for name in config.perturb.pools:
        if name not in CATALOGUE and ":" not in name:
            have = ", ".join(entry.name for entry in CATALOGUE.values() if entry.side == "context")
            yield f"perturb.pools: no perturbation {name!r}; have {have}"


def _told(key: str, work: Callable[[], object]) -> list[str]:
    try:
        work()
    except ValueError as error:
        return [f"{key}: {error}"]
    return []
