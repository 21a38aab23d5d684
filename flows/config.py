"""All settings, in one frozen Config composed of those of the stages (architecture §4)."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args, get_origin

from pydantic import BaseModel, Field, ValidationError, model_validator
from pydantic_core import ErrorDetails

from rarefy.data_contracts.expectations import BUDGET, COUNTED_FROM
from rarefy.flows.faults import UsageFault
from rarefy.flows.serving.config import Deploy
from rarefy.tasks.corpus.chunk import ChunkConfig
from rarefy.tasks.corpus.read import ReadConfig
from rarefy.tasks.corpus.read.duplicates import DuplicatesConfig
from rarefy.tasks.evaluate.correct import CorrectConfig
from rarefy.tasks.evaluate.protocols import ProtocolsConfig
from rarefy.tasks.evaluate.protocols.sure_oracle import OracleConfig
from rarefy.tasks.evaluate.retrieve import RetrieveConfig
from rarefy.tasks.evaluate.retrieve.measured import MeasuredConfig
from rarefy.tasks.evaluate.statistics import StatisticsConfig
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.export import CardConfig, SplitConfig
from rarefy.tasks.find import did_you_mean
from rarefy.tasks.knowledge.extract import ExtractConfig
from rarefy.tasks.knowledge.graph import GraphConfig
from rarefy.tasks.knowledge.link import LinkConfig
from rarefy.tasks.knowledge.normalise import NormaliseConfig
from rarefy.tasks.knowledge.supersede import SupersedeConfig
from rarefy.tasks.models.embed import EmbedConfig
from rarefy.tasks.models.llm import LLMConfig, RequestPolicy
from rarefy.tasks.models.nli import NLIConfig
from rarefy.tasks.perturb import PerturbConfig
from rarefy.tasks.questions.ask import AskConfig
from rarefy.tasks.questions.gates import GatesConfig
from rarefy.tasks.questions.grade import GradeConfig
from rarefy.tasks.questions.probe import ProbeConfig
from rarefy.tasks.refresh.feeds.config import FeedsConfig

NAMED: dict[type[BaseModel], str] = {LLMConfig: "models", EmbedConfig: "embedders"}  # described once, by name


class Config(BaseModel, frozen=True, extra="forbid"):
    """Everything that decides what the benchmark holds; where and how fast it is made is on the command line."""

    quarantine_budget: float = Field(
        1.0, ge=0, le=1, description="share of the corpus's documents that may fail before the build is stopped"
    )
    breach_budget: float = Field(
        BUDGET,
        ge=0,
        le=1,
        description="share of a table's rows that may break a rule of its contract and be set aside before the build "
        f"is stopped; fewer than {COUNTED_FROM} rows never stop it",
    )
    models: dict[str, LLMConfig] = Field(
        default={},
        exclude=True,  # what is asked is in the sections that name one
        description='the models that other keys name, as llm = "NAME"; address and key come from the environment',
    )
    embedders: dict[str, EmbedConfig] = Field(
        default={}, exclude=True, description='the embedders that other keys name, as embed = "NAME"'
    )
    llm: LLMConfig = Field(
        default_factory=LLMConfig,
        description="the model that extract, ask, probe and perturb ask where they say so; none is needed otherwise",
    )
    judge: LLMConfig = Field(
        default_factory=LLMConfig, description="the model that grade asks; that of [llm] where none is named"
    )
    second_judge: LLMConfig = Field(
        default_factory=LLMConfig, description="a second model for grade, asked for agreement alone"
    )
    generator: LLMConfig = Field(
        default_factory=LLMConfig,
        description="the system under test, where it is a model: it writes the self-generated variants (SURE)",
    )
    serving: RequestPolicy = Field(
        default_factory=RequestPolicy,
        description="how models are asked, and what they cost: nothing here changes what is made, or makes it anew",
    )
    read: ReadConfig = Field(default_factory=ReadConfig, description="how sources become documents")
    duplicates: DuplicatesConfig = Field(
        default_factory=DuplicatesConfig, description="when two documents count as one"
    )
    chunk: ChunkConfig = Field(default_factory=ChunkConfig, description="how documents are cut into chunks")
    extract: ExtractConfig = Field(default_factory=ExtractConfig, description="how facts are taken from chunks")
    link: LinkConfig = Field(default_factory=LinkConfig, description="which links between documents are looked for")
    embed: EmbedConfig = Field(default_factory=EmbedConfig, description="which model says how alike two texts are")
    normalise: NormaliseConfig = Field(default_factory=NormaliseConfig, description="which names are taken for one")
    supersede: SupersedeConfig = Field(
        default_factory=SupersedeConfig, description="which facts hold until a later document says another thing"
    )
    graph: GraphConfig = Field(default_factory=GraphConfig, description="which patterns of facts are taken")
    ask: AskConfig = Field(default_factory=AskConfig, description="how questions are worded")
    gates: GatesConfig = Field(default_factory=GatesConfig, description="which questions pass")
    probe: ProbeConfig = Field(
        default_factory=ProbeConfig, description="whether multi-hop questions are tried on each of their chunks alone"
    )
    grade: GradeConfig = Field(default_factory=GradeConfig, description="what a judging model must say of questions")
    split: SplitConfig = Field(default_factory=SplitConfig, description="which questions are for testing")
    perturb: PerturbConfig = Field(default_factory=PerturbConfig, description="which variants are made, and how")
    nli: NLIConfig = Field(default_factory=NLIConfig, description="whether a changed text says what the original says")
    retrieve: RetrieveConfig = Field(
        default_factory=RetrieveConfig, description="evaluate: what finds passages for the questions"
    )
    measured: MeasuredConfig = Field(
        default_factory=MeasuredConfig, description="evaluate: which numbers of retrieval are told"
    )
    systems: dict[str, SystemConfig] = Field(
        default={}, description="evaluate: the systems under test, by the names that --system gives them"
    )
    protocols: ProtocolsConfig = Field(
        default_factory=ProtocolsConfig, description="evaluate: the options of the five protocols"
    )
    oracle: OracleConfig = Field(
        default_factory=OracleConfig,
        description="evaluate: SURE's experiment on what a model prefers, with a model that tells log-probabilities; "
        "not done where none is named",
    )
    correct: CorrectConfig = Field(default_factory=CorrectConfig, description="evaluate: when an answer is right")
    statistics: StatisticsConfig = Field(
        default_factory=StatisticsConfig, description="evaluate: intervals, tests, and how much must be scored"
    )
    card: CardConfig = Field(
        default_factory=CardConfig, description="what the benchmark's card says that no table knows"
    )
    deploy: Deploy = Field(
        default_factory=Deploy, description="deploy, serve: what is set up in Prefect, when it runs, who hears of it"
    )
    feeds: FeedsConfig = Field(
        default_factory=FeedsConfig, description="watch, feed, hook: how documents come, and from where"
    )

    def with_all_kinds(self) -> "Config":
        """The config with the variants of all kinds that rules can make, where it does not name kinds."""
        return self.model_copy(update={"perturb": self.perturb.with_all_kinds()})

    @model_validator(mode="before")
    @classmethod
    def _by_name(cls, written: Any) -> Any:
        """Replace names of models and embedders by what [models] and [embedders] have under them."""
        if not isinstance(written, dict):
            return written
        have = {kind: written.get(section, {}) for kind, section in NAMED.items()}
        return (
            _resolve_names(written, cls, (), have) if all(isinstance(one, dict) for one in have.values()) else written
        )


def _resolve_names(
    written: dict[str, Any], model: type[BaseModel], path: tuple[str, ...], have: Mapping[type[BaseModel], Any]
) -> dict[str, Any]:
    """The values written for a model's keys, with named models in place; ValueError for an unknown name."""
    found = dict(written)
    for key, value in written.items():
        field = model.model_fields.get(key)
        inner = model_of(field.annotation) if field else None
        if inner is None or field is None:
            continue
        place = (*path, key)
        if inner in have and value == "":
            del found[key]  # as where it is not written at all
        elif inner in have and isinstance(value, str):
            if value not in have[inner]:
                known = ", ".join(have[inner]) or "none"
                raise ValueError(f"{'.'.join(place)}: there is no [{NAMED[inner]}.{value}]; have {known}")
            found[key] = have[inner][value]
        elif isinstance(value, dict) and get_origin(field.annotation) is dict:
            found[key] = {
                name: _resolve_names(one, inner, (*place, name), have) if isinstance(one, dict) else one
                for name, one in value.items()
            }
        elif isinstance(value, dict):
            found[key] = _resolve_names(value, inner, place, have)
        elif isinstance(value, list):
            found[key] = [_resolve_names(one, inner, place, have) if isinstance(one, dict) else one for one in value]
    return found


# what an evaluation or a deployment alone asks for: no benchmark depends on it
OF_EVALUATION = frozenset(
    ("retrieve", "measured", "systems", "protocols", "oracle", "correct", "statistics", "deploy", "feeds")
)


def load(path: Path | None) -> Config:
    """The config of a TOML file, the default one for none; UsageFault with one line per mistake."""
    return validate(read_settings(path), path) if path else Config()


def combine(config: Config | Mapping[str, Any] | Path | None, settings: Mapping[str, Any]) -> Config:
    """A config, its settings as in TOML, or the file of one, with other settings over it: sections by name.

    UsageFault with one line per mistake.
    """
    if isinstance(config, Config):
        written: Mapping[str, Any] = config.model_dump()
    else:
        written = read_settings(config) if isinstance(config, Path) else config or {}
    return validate(_merge(written, settings), config if isinstance(config, Path) else "settings")


def _merge(written: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """The written settings with others over them, section within section."""
    found = dict(written)
    for key, value in over.items():
        mine = found.get(key)
        found[key] = _merge(mine, value) if isinstance(value, Mapping) and isinstance(mine, Mapping) else value
    return found


def read_settings(path: Path) -> dict[str, Any]:
    """What a TOML file holds; UsageFault where it cannot be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageFault(f"{path}: {error.strerror}; `rarefy init {path}` writes a config to start from") from error
    except UnicodeDecodeError as error:
        raise UsageFault(f"{path}: not UTF-8 (byte {error.start}); save it as UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageFault(f"{path}: not TOML: {error}") from error


def validate(written: dict[str, Any], place: object) -> Config:
    """The config of what was written at a place; UsageFault with one line per mistake."""
    try:
        return Config.model_validate(written)
    except ValidationError as error:
        mistakes = [fault for fault in error.errors() if not _is_named(written, fault["loc"])]
        raise UsageFault("\n".join(f"{place}: {_describe_mistake(fault)}" for fault in mistakes)) from error


def _is_named(written: Any, place: tuple[int | str, ...]) -> bool:
    """Whether a mistake lies within a model that is named here and written elsewhere, where it is reported already."""
    named = [written.get(section) for section in NAMED.values()]
    names = {name for models in named if isinstance(models, dict) for name in models}
    for part in place[:-1]:
        written = written.get(part) if isinstance(written, dict) else written[part] if isinstance(part, int) else None
        if isinstance(written, str):
            return written in names
    return False


def _describe_mistake(fault: ErrorDetails) -> str:
    """One line for one mistake: where, what, and what is allowed."""
    place = ".".join(str(part) for part in fault["loc"])
    if fault["type"] != "extra_forbidden":
        message = fault["msg"].removeprefix("Value error, ")
        given = "" if isinstance(fault["input"], dict) else f" (it is {fault['input']!r})"
        return f"{place}: {message[:1].lower()}{message[1:]}{given}" if place else message
    *sections, key = [str(part) for part in fault["loc"]]
    model = _model_at(sections)
    allowed = sorted(model.model_fields) if model else []
    where = f"[{'.'.join(sections)}] has" if sections else "there is"
    return f"{where} no key {key!r}{did_you_mean(key, allowed)} ({_homes(key)}allowed: {', '.join(allowed)})"


def _homes(key: str) -> str:
    """A hint for a key that is written in the wrong section."""
    homes = [
        name
        for name, field in Config.model_fields.items()
        if (m := model_of(field.annotation)) and key in m.model_fields
    ]
    return f"it belongs to [{homes[0]}]; " if len(homes) == 1 else ""


def _model_at(sections: list[str]) -> type[BaseModel] | None:
    model: type[BaseModel] | None = Config
    for name in sections:
        if model and name in model.model_fields:
            model = model_of(model.model_fields[name].annotation) or model
    return model


def model_of(annotation: Any) -> type[BaseModel] | None:
    """The pydantic model in an annotation, if there is one."""
    for candidate in (annotation, *get_args(annotation)):
        if isinstance(candidate, type) and issubclass(candidate, BaseModel):
            return candidate
    return None
