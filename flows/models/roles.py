"""Which models a config names, for what, and what is wrong with one that cannot be had."""

from collections.abc import Iterator

from rarefy.flows.config import Config
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.evaluate.systems.rag.likelihood import LikelihoodConfig
from rarefy.tasks.find import find
from rarefy.tasks.models.embed import folder_of
from rarefy.tasks.models.llm import LLMConfig
from rarefy.tasks.models.llm.providers import PROVIDERS
from rarefy.tasks.models.nli import CHECKS, NLIConfig
from rarefy.tasks.perturb import Perturbation, chosen
from rarefy.tasks.perturb.proof import ENTAILMENT


def judges(config: Config) -> dict[str, LLMConfig]:
    """The models that judge questions, by argument of `grade`."""
    named = {"llm": judge(config), "second": config.second_judge}
    return {argument: model for argument, model in named.items() if model.provider}


def writers(config: Config) -> dict[str, str]:
    """Which models write variants, by section, with the key that says so; none with perturb.by = "rules"."""
    if config.perturb.by != "model":
        return {}
    generated = {entry.generator for entry in chosen_entries(config) if entry.role}
    keys = {"llm": 'perturb.by = "model"', "generator": 'perturb.document with "self_generated"'}
    return {name: keys[name] for name, wanted in (("llm", False), ("generator", True)) if wanted in generated}


def judge(config: Config) -> LLMConfig:
    """Who judges: the model of [judge], the one that wrote the questions where there is none."""
    return config.judge if config.judge.provider else config.llm


def entails(config: Config) -> bool:
    """Whether a chosen perturbation must say what its original says, so that [nli] is needed."""
    return any(ENTAILMENT in entry.checks for entry in chosen_entries(config))


def asking(config: Config) -> list[Perturbation]:
    """The chosen perturbations that ask a model, to be written or to be compared with their originals."""
    writes, compares = config.perturb.by == "model", behind(config.nli)
    return [e for e in chosen_entries(config) if (writes and e.role) or (compares and ENTAILMENT in e.checks)]


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


def short(name: str) -> str:
    """A model's name as a table shows it: of a folder the last part."""
    return name.rpartition("/")[2] if name.count("/") > 1 or name.startswith((".", "/", "~")) else name


def chosen_entries(config: Config) -> list[Perturbation]:
    """The catalogue's entries that a config chooses; none where one of its names is wrong."""
    try:
        return chosen(config.perturb)
    except ValueError:  # a name that nobody knows: config_check tells of it
        return []


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
