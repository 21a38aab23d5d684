"""How many requests the writing and comparing of variants will take, where their questions are not known yet."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rarefy.flows.config import Config
from rarefy.flows.models import roles
from rarefy.flows.models.request_counts import Counts, times
from rarefy.flows.models.request_forecast import Range
from rarefy.flows.models.request_rates import REPLY
from rarefy.tasks.perturb.catalogue import wanted
from rarefy.tasks.perturb.entry import Perturbation
from rarefy.tasks.perturb.proof import ENTAILMENT

QUESTION = 35.0  # tokens of one, on average of the recorded ones
PER_WORD = 1.4  # tokens of a word of a passage
TURNS = {"back_translation": 2}  # requests of a role for one case, where they are several


@dataclass(frozen=True)
class RequestVolume:
    """Requests of one model, with the tokens of what each shows and of a reply to it, on average."""

    calls: Range
    shown: float
    reply: float


def variants(config: Config, questions: Counts, chunks: int, words: float) -> Mapping[str, RequestVolume]:
    """What writing and checking variants of so many questions asks, by the model's argument of the stage.

    `chunks` is how many there are, `words` the tokens of one, on average.
    """
    told: dict[str, list[RequestVolume]] = defaultdict(list)
    for entry in roles.asking(config):
        cases, text = _cases(entry, questions, chunks), _text(entry, config, words)
        several = wanted(entry, config.perturb)
        if entry.role and config.perturb.by == "model":
            turns = TURNS.get(entry.role, 1)
            calls = times(cases, (turns,) * 3)
            told["generator" if entry.generator else "llm"].append(RequestVolume(calls, text, several * text))
        if ENTAILMENT in entry.checks and roles.behind(config.nli):
            told["nli"].append(RequestVolume(times(cases, (2 * several,) * 3), 2 * text, REPLY["nli"]))
    return {argument: together(asked) for argument, asked in told.items()}


def _cases(entry: Perturbation, questions: Counts, chunks: int) -> Range:
    if entry.side == "query" or entry.per == "question":
        return questions.all
    low, likely, high = (a + b * questions.wide for a, b in zip(questions.single, questions.multi, strict=True))
    most = float(chunks) if entry.alone else high  # once for all questions on a chunk
    return min(low, most), min(likely, most), min(high, most)


def _text(entry: Perturbation, config: Config, words: float) -> float:
    """Tokens of what is changed."""
    if entry.side == "query":
        return QUESTION
    return min(words, config.perturb.passage * PER_WORD) if entry.side == "context" else words


def together(asked: Sequence[RequestVolume]) -> RequestVolume:
    """What one model is asked in several ways."""
    low, likely, high = (sum(one.calls[place] for one in asked) for place in range(3))
    weight = max(likely, 1e-9)
    shown, reply = (sum(getattr(one, name) * one.calls[1] for one in asked) / weight for name in ("shown", "reply"))
    return RequestVolume((low, likely, high), shown, reply)
