"""Which models a config names, for which role, and what is wrong with one that is not there."""

from collections.abc import Iterator

from rarefy.flows.config import Config
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.evaluate.systems.rag.likelihood import LikelihoodConfig
from rarefy.tasks.find import find
from rarefy.tasks.models.embed import find_model_folder
from rarefy.tasks.models.llm import LLMConfig
from rarefy.tasks.models.llm.providers import PROVIDERS
from rarefy.tasks.models.nli import CHECKS, NLIConfig
from rarefy.tasks.perturb import Perturbation, choose_perturbations
from rarefy.tasks.perturb.catalogue import is_written_by_model
from rarefy.tasks.perturb.proof import ENTAILMENT


def judges_by_argument(config: Config) -> dict[str, LLMConfig]:
    """The models that judge questions, by argument of `grade`."""
    named = {"llm": choose_judge(config), "second": config.second_judge}
    return {argument: model for argument, model in named.items() if model.provider}


def variant_writers(config: Config) -> dict[str, str]:
    """The sections of the models that write variants, and the keys that ask for them; {} where rules make them all."""
    chosen = chosen_perturbations(config)
    generated = {entry.generator for entry in chosen if is_written_by_model(entry, config.perturb)}
    key = 'perturb.by = "model"' if config.perturb.by == "model" else "perturb.by"
    keys = {"llm": key, "generator": 'perturb.document with "self_generated"'}
    return {name: keys[name] for name, wanted in (("llm", False), ("generator", True)) if wanted in generated}


def choose_judge(config: Config) -> LLMConfig:
    """The model of [judge], or of [llm] where none is named."""
    return config.judge if config.judge.provider else config.llm


def needs_entailment(config: Config) -> bool:
    """Whether a chosen perturbation must be entailed by its original, so that [nli] is needed."""
    return any(ENTAILMENT in entry.checks for entry in chosen_perturbations(config))


def perturbations_asking_models(config: Config) -> list[Perturbation]:
    """The chosen perturbations that ask a model, to be written or to be compared with their originals."""
    compares = model_of_tool(config.nli)
    return [
        entry
        for entry in chosen_perturbations(config)
        if is_written_by_model(entry, config.perturb) or (compares and ENTAILMENT in entry.checks)
    ]


def model_of_tool(tool: object) -> LLMConfig | None:
    """The model that a tool asks, or is; None where it asks none."""
    if isinstance(tool, NLIConfig):
        return tool.llm if tool.method == "model" else None
    if isinstance(tool, SystemConfig):
        return tool.llm
    if isinstance(tool, LikelihoodConfig):
        return tool.llm
    return tool if isinstance(tool, LLMConfig) else None


def models_by_section(config: Config) -> dict[str, LLMConfig]:
    """Every model that a config can name, by where it is written."""
    names = ("llm", "judge", "second_judge", "generator")
    of_systems = {f"systems.{name}.rag.llm": llm for name, one in config.systems.items() if (llm := one.llm)}
    of_evaluation = {"correct.judge": config.correct.judge, "oracle.likelihood.llm": config.oracle.likelihood.llm}
    own = {name: getattr(config, name) for name in names}
    return {**own, "nli.llm": config.nli.llm, **of_systems, **of_evaluation}


def faults_of_nli(config: Config) -> Iterator[str]:
    """A line for each thing that is wrong with [nli]."""
    nli = config.nli
    key = "model" if nli.method == "cross-encoder" else "method"
    try:
        if nli.method == "cross-encoder":
            find_model_folder(nli.model)
        elif ":" in nli.method:
            find(nli.method, {})
        elif nli.method not in CHECKS:
            yield f"nli.method: no {nli.method!r} here; have {', '.join(CHECKS)}, or write module:function"
    except (ValueError, OSError) as error:
        yield f"nli.{key}: {error}"


def short_name(name: str) -> str:
    """A model's name as a table shows it: of a folder the last part."""
    return name.rpartition("/")[2] if name.count("/") > 1 or name.startswith((".", "/", "~")) else name


def chosen_perturbations(config: Config) -> list[Perturbation]:
    """The catalogue's entries that a config chooses; none where one of its names is wrong."""
    try:
        return choose_perturbations(config.perturb)
    except ValueError:  # a name that nobody knows: config_check tells of it
        return []


def faults_of_model(section: str, model: LLMConfig) -> Iterator[str]:
    """A line for each thing that is wrong with a section's model: unknown provider, or a file that is not there."""
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
