"""What is known before a build of what it will ask: from the ledger, from builds before, else stated defaults."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from rarefy.flows.config import OF_EVALUATION, Config
from rarefy.flows.engine.stages import STAGES
from rarefy.tasks.models.llm.reply_store import Usage
from rarefy.tasks.store.tables import Store, digest

# Tokens of a reply where no ledger knows better. From the recorded replies of a large model over 18 windows of real
# chunks: 350 triplets, 19 a window; questions, judgements and short answers, each in the JSON that is asked for.
REPLY = {stage.name: stage.reply for stage in STAGES if stage.reply} | {"nli": 40}
# Of the room that a reply with variants has: 36 recorded questions and 18 passages took 0.23 to 0.36 of it, the French
# of a back-translation 0.5
OF_ROOM = 1 / 3
SECONDS = 2.0  # to the first token of a reply, and
PER_SECOND = 60.0  # tokens of it after that, where no ledger knows: a large model behind an API
OPEN = {
    "answerable_from_one_chunk",
    "probe_unanswered",
    "not_judged",
}  # reasons that only models give: the gates let pass


@dataclass(frozen=True)
class History:
    """How a model has answered the requests of a stage; zeros where it never did."""

    asked: int = 0  # requests that were sent
    calls: float = 0.0  # per request: re-asks are calls too
    prompt: float = 0.0  # tokens per call
    per_character: float = 0.0  # tokens per character of the prompts
    completion: float = 0.0  # tokens per call
    cached: float = 0.0  # share of the prompt tokens that the provider's cache served
    seconds: float = 0.0  # per call


@dataclass(frozen=True)
class Rates:
    """How a build's numbers of rows hang together; the defaults are good to a factor of two.

    They are of the same recorded replies: 326 triplets of 90 chunks hold; of the sample's 151 triplets 73 paths of one
    fact and 44 of several were made; 109 of 176 questions pass the gates.
    """

    paths_single: float = 1.7  # per chunk
    paths_multi: float = 1.0  # per chunk
    chunks_multi: float = 2.2  # gold chunks of a multi-hop question
    stand_single: float = 0.7  # share of the paths whose question passes the gates
    stand_multi: float = 0.55
    kept_multi: float = 0.8  # share of the multi-hop questions that stand after they were tried on single chunks
    kept_graded: float = 0.8  # share of the judged questions that are kept; of the recorded ones 117 of 160
    builds: int = 0  # that these are from


def history(used: Iterable[Usage], stage: str, model: str) -> History:
    """How this model answered this stage, in all runs of the ledger."""
    lines = [one for one in used if one.stage == stage and one.model == model and one.outcome == "answered"]
    calls = sum(one.calls for one in lines)
    final = sum(one.calls for one in lines if one.final)
    if not calls or not final:
        return History()
    prompt = sum(one.prompt_tokens for one in lines)
    characters = sum(one.characters for one in lines)
    return History(
        asked=final,
        calls=calls / final,
        prompt=prompt / calls,
        per_character=prompt / characters if characters else 0.0,
        completion=sum(one.completion_tokens for one in lines) / calls,
        cached=sum(one.cached_tokens for one in lines) / prompt if prompt else 0.0,
        seconds=sum(one.seconds for one in lines) / calls,
    )


def names(config: Config) -> list[str]:
    """Under which names the rates of builds with this config are kept: the very same config, then one like it."""
    apart = {
        "llm",
        "judge",
        "second_judge",
        "serving",
        "card",
        "perturb",
        "split",
        "quarantine_budget",
        "breach_budget",
        "embed",
        "generator",
        "nli",
        *OF_EVALUATION,
    }
    whole = config.model_dump(mode="json", exclude=apart)
    models = [config.llm.model, config.judge.model]
    like = [config.extract.methods, config.ask.method, config.graph.model_dump(mode="json")]
    return [f"estimates/rates-{digest(what)}" for what in ([*models, whole], [*models, like], like)]


def known(store: Store, config: Config) -> Rates:
    """The rates of the last build like this one, else the defaults."""
    for name in names(config):
        if found := read(store, name):
            return Rates(**found)
    return Rates()


def keep(store: Store, config: Config, rates: Rates) -> None:
    """Remember the rates of a build."""
    for name in names(config):
        store.write(name, json.dumps(asdict(rates), sort_keys=True).encode())


def read(store: Store, name: str) -> dict[str, float] | None:
    """A small JSON object of the store; None where there is none."""
    try:
        found = json.loads(store.fs.cat_file(f"{store.root}/{name}"))
    except (FileNotFoundError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def measured(chunks: int, paths: Sequence[tuple[str, int]], questions: Sequence[tuple[str, str]]) -> Rates:
    """The rates of a build: its chunks, its paths as (pattern, chunks), its questions as (pattern, reason)."""
    single = sum(pattern == "single" for pattern, _ in paths)
    multi = [count for pattern, count in paths if pattern != "single"]
    stood = [(pattern, why) for pattern, why in questions if why in {"", *OPEN} or why.startswith("judge_")]
    one = sum(pattern == "single" for pattern, _ in stood)
    many = [why not in OPEN - {"not_judged"} for pattern, why in stood if pattern != "single"]
    default = Rates()
    judged = [why for _, why in questions if not why or why.startswith("judge_")]
    return Rates(
        paths_single=single / max(chunks, 1),
        paths_multi=len(multi) / max(chunks, 1),
        chunks_multi=sum(multi) / len(multi) if multi else default.chunks_multi,
        stand_single=one / single if single else default.stand_single,
        stand_multi=len(many) / len(multi) if multi else default.stand_multi,
        kept_multi=sum(many) / len(many) if many else default.kept_multi,
        kept_graded=judged.count("") / len(judged) if any(judged) else default.kept_graded,
        builds=1,
    )
