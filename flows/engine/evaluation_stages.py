"""The stages of an evaluation as the engine knows them."""

from collections.abc import Iterable

from rarefy.data_contracts.rows import Answer, Chunk, Hits, Question, Score, Trial, Unanswered, Variant
from rarefy.flows.config import Config
from rarefy.tasks.evaluate import correct, protocols, retrieve
from rarefy.tasks.evaluate.protocols import TrialsConfig
from rarefy.tasks.evaluate.protocols.sure_noise import VERSION as noise_version
from rarefy.tasks.evaluate.protocols.sure_noise import NoiseConfig
from rarefy.tasks.evaluate.protocols.sure_oracle import VERSION as oracle_version
from rarefy.tasks.evaluate.protocols.sure_oracle import Preferred
from rarefy.tasks.evaluate.systems import answer
from rarefy.tasks.evaluate.systems.answer import AnswerConfig
from rarefy.tasks.evaluate.systems.config import BUILT_IN, SystemConfig
from rarefy.tasks.models import prompts
from rarefy.tasks.store.recipe import Job, Tool

CASE: dict[str, type] = {"questions": Question, "variants": Variant, "chunks": Chunk, "hits": Hits}


def retrieving(config: Config) -> Job:
    """Wordings to what each retriever finds for them."""
    takes = {"variants": Variant, "chunks": Chunk}
    tools: dict[str, Tool] = {"retrievers": config.retrieve}
    return Job(
        "retrieve",
        "rarefy.tasks.evaluate.retrieve:retrieve",
        retrieve.VERSION,
        takes,
        {"hits": Hits},
        config.retrieve,
        tools,
    )


def sure_noise(config: Config) -> Job:
    """Questions to passages that are not gold, changed as SURE changes them."""
    asked = NoiseConfig(sure=config.protocols.sure, perturb=config.perturb)
    function = "rarefy.tasks.evaluate.protocols.sure_noise:noise"
    return Job("noise", function, noise_version, CASE, {"noise": Variant}, asked, group="question_id")


def preferring(config: Config) -> Job:
    """Questions to the documents that a model prefers for them, and what these are like (SURE §2)."""
    return Job(
        "oracle",
        "rarefy.tasks.evaluate.protocols.sure_oracle:preferred",
        oracle_version,
        CASE,
        {"preferred": Preferred},
        config.oracle,
        {"llm": config.oracle.likelihood},
    )


def trying(config: Config, chosen: Iterable[str], takes: Iterable[str]) -> Job:
    """Questions to the trials of each protocol."""
    asked = TrialsConfig(chosen=tuple(chosen), takes=frozenset(takes), options=config.protocols)
    return Job(
        "try",
        "rarefy.tasks.evaluate.protocols:trials",
        protocols.VERSION,
        CASE,
        {"trials": Trial},
        asked,
        group="question_id",
    )


def answering(name: str, system: SystemConfig, corpus: str = "") -> Job:
    """Trials to what a system says in them; `corpus`: digest of the benchmark's documents."""
    return Job(
        f"answer {name}",
        "rarefy.tasks.evaluate.systems.answer:answer",
        answer.VERSION,
        {"trials": Trial, **CASE},
        {"answers": Answer, "unanswered": Unanswered},
        AnswerConfig(name=name, system=system, corpus=corpus if system.follows else ""),
        {"system": system},
        {"prompts": prompts.digest("systems")} if system.llm else {},
        lasting=system.kind in BUILT_IN,  # somebody's own endpoint or function may be mended meanwhile
    )


def scoring(config: Config, name: str) -> Job:
    """Answers to whether they are right."""
    tools: dict[str, Tool] = {"judge": config.correct.judge} if config.correct.judge.provider else {}
    return Job(
        f"score {name}",
        "rarefy.tasks.evaluate.correct:score",
        correct.VERSION,
        {"answers": Answer, "trials": Trial, "questions": Question},
        {"scores": Score, "unanswered": Unanswered},
        config.correct,
        tools,
        {"prompts": prompts.digest("correct")} if tools else {},
        group="trial_id",
    )
