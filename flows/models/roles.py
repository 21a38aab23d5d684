"""Which stage asks which model, and whether the config says enough of it."""

from collections.abc import Iterator

from rarefy.flows.config import Config
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.evaluate.systems.rag.likelihood import LikelihoodConfig
from rarefy.tasks.find import find
from rarefy.tasks.models import prompts
from rarefy.tasks.models.embed import folder_of
from rarefy.tasks.models.llm import LLMConfig
from rarefy.tasks.models.llm.providers import PROVIDERS
from rarefy.tasks.models.nli import CHECKS, NLIConfig
from rarefy.tasks.perturb import Perturbation, chosen
from rarefy.tasks.perturb.proof import ENTAILMENT

STAGES = ("extract", "normalise", "ask", "probe", "grade", "vary")  # that can ask a model, as they follow one another
PROMPTS = {"vary": "perturb"}  # the task whose prompts a stage uses, where it is not called like it


def tools(stage: str, config: Config) -> dict[str, LLMConfig]:
    """The models that a stage asks with this config, by argument; none for a stage that asks none."""
    if not _asks(stage, config):
        return {}
    if stage == "vary":
        return {argument: getattr(config, argument) for argument in _writers(config)}
    if stage != "grade":
        return {"llm": config.llm}
    judges = {"llm": judge(config), "second": config.second_judge}
    return {argument: model for argument, model in judges.items() if model.provider}


def judge(config: Config) -> LLMConfig:
    """Who judges: the model of [judge], the one that wrote the questions where there is none."""
    return config.judge if config.judge.provider else config.llm


def entails(config: Config) -> bool:
    """Whether a chosen perturbation must say what its original says, so that [nli] is needed."""
    return any(ENTAILMENT in entry.checks for entry in _chosen(config))


def asking(config: Config) -> list[Perturbation]:
    """The chosen perturbations that ask a model, to be written or to be compared with their originals."""
    writes, compares = config.perturb.by == "model", behind(config.nli)
    return [e for e in _chosen(config) if (writes and e.role) or (compares and ENTAILMENT in e.checks)]


def behind(tool: object) -> LLMConfig | None:
    """The model that a tool asks: itself, or that of an inference by a model; None where it asks none."""
    if isinstance(tool, NLIConfig):
        return tool.llm if tool.method == "model" else None
    if isinstance(tool, SystemConfig):
        return tool.llm
    if isinstance(tool, LikelihoodConfig):
        return tool.llm
    return tool if isinstance(tool, LLMConfig) else None


def sections(config: Config) -> dict[str, LLMConfig]:
    """Every model that a config can name, by where it is written."""
    names = ("llm", "judge", "second_judge", "generator")
    of_systems = {f"systems.{name}.rag.llm": llm for name, one in config.systems.items() if (llm := one.llm)}
    of_evaluation = {"correct.judge": config.correct.judge, "oracle.likelihood.llm": config.oracle.likelihood.llm}
    own = {name: getattr(config, name) for name in names}
    return {**own, "nli.llm": config.nli.llm, **of_systems, **of_evaluation}


def surroundings(stage: str, config: Config) -> dict[str, str]:
    """What the rows of a stage that asks a model hang on besides: the words of its prompts."""
    return {"prompts": prompts.digest(PROMPTS.get(stage, stage))} if _asks(stage, config) else {}


def faults(config: Config) -> Iterator[str]:
    """What is wrong with the models of a config, a line each: asked for and not named, or not to be found."""
    named = sections(config)
    for section, keys in _wanted(config).items():
        if not named[section].provider:
            needed = " and ".join(keys)
            yield f"{section}.provider: {needed} ask{'s' * (len(keys) == 1)} a model; write provider and model there"
    for section, model in named.items():
        yield from faults_of(section, model)
    if entails(config):
        yield from faults_of_nli(config)


def faults_of_nli(config: Config) -> Iterator[str]:
    """What is wrong with what says whether two texts mean the same."""
    nli = config.nli
    key = "model" if nli.method == "cross-encoder" else "method"
    try:
        if nli.method == "cross-encoder":
            folder_of(nli.model)
        elif ":" in nli.method:
            find(nli.method, {})
        elif nli.method not in CHECKS:
            yield f"nli.method: no {nli.method!r} here; have {', '.join(CHECKS)}, or write module:function"
    except (ValueError, OSError) as error:
        yield f"nli.{key}: {error}"


def remarks(config: Config) -> Iterator[str]:
    """What is allowed and yet worth a word."""
    own = config.grade.by and config.ask.method == "model" and config.llm.provider != "recorded"
    if own and judge(config).identity() == config.llm.identity():
        yield "the judge judges its own questions: [judge] is the model of [llm]; a model of another family is fairer"
    if config.second_judge.provider and config.second_judge.identity() == judge(config).identity():
        yield "the second judge is the first: [second_judge] is the same model, so that their agreement says little"
    if config.second_judge.provider and not config.grade.by:
        yield 'the second judge is not asked: grade.by is ""'
    yield from _of_variants(config)


def named(config: Config) -> list[LLMConfig]:
    """Every model that this config has asked, each once."""
    asked = [model for stage in STAGES for model in tools(stage, config).values()]
    if entails(config) and (checks := behind(config.nli)):
        asked.append(checks)
    return list({model.model_dump_json(): model for model in asked}.values())


def short(name: str) -> str:
    """A model's name as a table shows it: of a folder the last part."""
    return name.rpartition("/")[2] if name.count("/") > 1 or name.startswith((".", "/", "~")) else name


def _asks(stage: str, config: Config) -> bool:
    return {
        "extract": "model" in config.extract.methods,
        "normalise": config.normalise.check == "model",
        "ask": config.ask.method == "model",
        "probe": config.probe.by == "model",
        "grade": config.grade.by == "model",
        "vary": bool(_writers(config)),
    }.get(stage, False)


def _chosen(config: Config) -> list[Perturbation]:
    try:
        return chosen(config.perturb)
    except ValueError:  # a name that nobody knows: surroundings.check tells of it
        return []


def _writers(config: Config) -> list[str]:
    """Which models write variants, by section: none with perturb.by = "rules", whatever is chosen."""
    if config.perturb.by != "model":
        return []
    generated = {entry.generator for entry in _chosen(config) if entry.role}
    return [name for name, wanted in (("llm", False), ("generator", True)) if wanted in generated]


def _of_variants(config: Config) -> Iterator[str]:
    writers = _writers(config)
    both = config.generator.provider and {"llm", "generator"} <= {*writers}
    if both and config.generator.identity() == config.llm.identity():
        yield "[generator] is the model of [llm]: llm_generated and self_generated (SURE's source) are the same texts"
    written = [entry.name for entry in _chosen(config) if writers and entry.role and ENTAILMENT in entry.checks]
    if written and config.nli.method == "rules":
        yield (
            f'nli.method = "rules" cannot show that what a model rewords freely means the same: most of '
            f"{', '.join(written)} will be written, paid for and rejected; use a cross-encoder or a model in [nli]"
        )
    checks = behind(config.nli) if entails(config) else None
    if checks and any(getattr(config, name).identity() == checks.identity() for name in writers):
        yield "the model that writes variants says itself whether they mean the same: nli.llm is another one, better"
    if config.generator.provider and "generator" not in writers:
        yield '[generator] is not asked: it writes self_generated, with perturb.by = "model"'


def _wanted(config: Config) -> dict[str, list[str]]:
    """The sections that must name a model, each with the keys that ask for it."""
    said = {
        "extract": 'extract.methods with "model"',
        "normalise": 'normalise.check = "model"',
        "ask": 'ask.method = "model"',
        "probe": 'probe.by = "model"',
    }
    keys = [told for stage, told in said.items() if _asks(stage, config)]
    writers = _writers(config)
    keys += ['perturb.by = "model"'] * ("llm" in writers)
    wanted = {"llm": keys} if keys else {}
    if "generator" in writers:
        wanted["generator"] = ['perturb.document with "self_generated"']
    if _asks("grade", config) and not judge(config).provider:
        wanted["judge"] = ['grade.by = "model"']
    return wanted


def faults_of(section: str, model: LLMConfig) -> Iterator[str]:
    """What is wrong with a model that a section names: nobody provides it, or its file is not there."""
    if ":" in model.provider:
        try:
            find(model.provider, {})
        except ValueError as error:
            yield f"{section}.provider: {error}"
    elif model.provider and model.provider not in PROVIDERS:
        yield f"{section}.provider: no {model.provider!r} here; have {', '.join(PROVIDERS)}, or write module:function"
    elif model.provider == "recorded":
        try:
            model.identity()
        except OSError as error:
            yield f"{section}.model: {model.model}: {error.strerror}; give a file of recorded replies"
