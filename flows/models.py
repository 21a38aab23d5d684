"""Which stage asks which model, and whether the config says enough of it."""

from collections.abc import Iterator

from rarefy.flows.config import Config
from rarefy.tasks import prompts
from rarefy.tasks.find import find
from rarefy.tasks.llm import LLMConfig
from rarefy.tasks.llm.providers import PROVIDERS

STAGES = ("extract", "normalise", "ask", "probe", "grade")  # that can ask a model, as they follow one another


def tools(stage: str, config: Config) -> dict[str, LLMConfig]:
    """The models that a stage asks with this config, by argument; none for a stage that asks none."""
    if not _asks(stage, config):
        return {}
    if stage != "grade":
        return {"llm": config.llm}
    judges = {"llm": judge(config), "second": config.second_judge}
    return {argument: model for argument, model in judges.items() if model.provider}


def judge(config: Config) -> LLMConfig:
    """Who judges: the model of [judge], the one that wrote the questions where there is none."""
    return config.judge if config.judge.provider else config.llm


def surroundings(stage: str, config: Config) -> dict[str, str]:
    """What the rows of a stage that asks a model hang on besides: the words of its prompts."""
    return {"prompts": prompts.digest(stage)} if _asks(stage, config) else {}


def faults(config: Config) -> Iterator[str]:
    """What is wrong with the models of a config, a line each: asked for and not named, or not to be found."""
    for section, keys in _wanted(config).items():
        model: LLMConfig = getattr(config, section)
        if not model.provider:
            needed = " and ".join(keys)
            yield f"{section}.provider: {needed} ask{'s' * (len(keys) == 1)} a model; write provider and model there"
    for section in ("llm", "judge", "second_judge"):
        yield from _faults_of(section, getattr(config, section))


def remarks(config: Config) -> Iterator[str]:
    """What is allowed and yet worth a word."""
    own = config.grade.by and config.ask.method == "model" and config.llm.provider != "recorded"
    if own and judge(config).identity() == config.llm.identity():
        yield "the judge judges its own questions: [judge] is the model of [llm]; a model of another family is fairer"
    if config.second_judge.provider and config.second_judge.identity() == judge(config).identity():
        yield "the second judge is the first: [second_judge] is the same model, so that their agreement says little"
    if config.second_judge.provider and not config.grade.by:
        yield 'the second judge is not asked: grade.by is ""'


def named(config: Config) -> list[LLMConfig]:
    """Every model that this config has asked, each once."""
    found = {model.model_dump_json(): model for stage in STAGES for model in tools(stage, config).values()}
    return list(found.values())


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
    }.get(stage, False)


def _wanted(config: Config) -> dict[str, list[str]]:
    """The sections that must name a model, each with the keys that ask for it."""
    said = {
        "extract": 'extract.methods with "model"',
        "normalise": 'normalise.check = "model"',
        "ask": 'ask.method = "model"',
        "probe": 'probe.by = "model"',
    }
    keys = [told for stage, told in said.items() if _asks(stage, config)]
    wanted = {"llm": keys} if keys else {}
    if _asks("grade", config) and not judge(config).provider:
        wanted["judge"] = ['grade.by = "model"']
    return wanted


def _faults_of(section: str, model: LLMConfig) -> Iterator[str]:
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
