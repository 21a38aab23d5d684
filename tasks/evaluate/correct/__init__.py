"""Whether answers are right by their protocol's own rule, by rules first and a judge where none tells (RARE R35)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from statistics import median_low

from rarefy.data_contracts.rows import Answer, Question, Reply, Score, Trial, Unanswered
from rarefy.tasks.evaluate.correct.cleaned import cleaned
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.judging import JudgeCase, name, read, request, told
from rarefy.tasks.evaluate.correct.verdict import Verdicts
from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.models.llm import LLM, replies, unanswered

__all__ = ["VERSION", "CorrectConfig", "cleaned", "score"]

VERSION = 8  # a phrase that states nothing of the kind asked is wrong


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A score that hangs on the judge, and what it is asked."""

    score: Score
    case: JudgeCase


def score(
    answers: Iterable[Answer],
    config: CorrectConfig,
    *,
    trials: Mapping[str, Trial],
    questions: Mapping[str, Question],
    judge: LLM | None = None,
) -> Iterator[Score | Unanswered]:
    """A score for every answer, in their order, behind the judge's replies that could not be used.

    Each answer is scored from its own trial and question alone. What no rule decides is the judge's; equal answers to a
    question are judged once. Without a judge they are missing (`judge_needed`), or wrong where config.unmatched says
    so. ValueError where an answer is of no trial or question here, or a judge is configured and not given.
    """
    if bool(config.judge.provider) != (judge is not None):
        raise ValueError(
            "[correct.judge] names a model and none is connected" if judge is None
            else "a judge was given and [correct.judge] names none, so that its scores would not say who judged"
        )  # fmt: skip
    verdicts = Verdicts(config, judge is not None)
    made: list[Score | _Waiting] = []
    for answer in answers:
        trial = trials.get(answer.trial_id)
        question = questions.get(trial.question_id) if trial else None
        if trial is None or question is None:
            raise ValueError(
                f"answer to trial {answer.trial_id}: {'its question' if trial else 'the trial'} is "
                f"not among those given; "
                "answers, trials and questions must be of one evaluation"
            )
        verdict = verdicts.of(answer, trial, question, PROTOCOLS[trial.protocol])
        made.append(verdict if isinstance(verdict, Score) else _Waiting(*verdict))
    cases = {name(row.case, 0): row.case for row in made if isinstance(row, _Waiting)}
    judged: dict[str, Score] = {}
    if judge is not None and cases:
        for found in _judged(cases, config, judge):
            if isinstance(found, Unanswered):
                yield found
            else:
                judged[found[0]] = found[1]
    for row in made:
        yield row if isinstance(row, Score) else _with(row.score, judged.get(name(row.case, 0)))


def _with(row: Score, judged: Score | None) -> Score:
    if judged is None:
        return row
    told_ = {key: getattr(judged, key) for key in ("status", "value", "why", "judge", "votes")}
    return replace(row, stage="judge", **told_)


def _judged(
    cases: Mapping[str, JudgeCase], config: CorrectConfig, judge: LLM
) -> Iterator[Unanswered | tuple[str, Score]]:
    """What became of each case: the replies that were of no use, then a score under the case's name."""
    asked = {name(case, turn): (key, turn) for key, case in cases.items() for turn in range(config.rounds)}
    heard: dict[str, dict[int, tuple[float | None, Reply]]] = {key: {} for key in cases}
    for reply in replies(judge, (request(cases[key], config, turn) for key, turn in asked.values())):
        key, turn = asked[reply.request_id]
        value, reply = read(cases[key], reply, config)
        heard[key][turn] = (value, reply)
        if value is None:
            yield unanswered("correct", f"{cases[key].question.question_id} {cases[key].role}", reply)
    for key, turns in heard.items():
        rounds = [turns[turn] for turn in sorted(turns)]
        votes = [value for value, _ in rounds if value is not None]
        if votes:
            used = [reply for value, reply in rounds if value is not None]
            yield key, Score(
                "", "", "", "", "scored", median_low(votes), why=told(used), judge=used[0].model or config.judge.model,
                votes=tuple(votes) if config.rounds > 1 else (),
            )  # fmt: skip
        else:
            last = rounds[-1][1]
            yield (
                key,
                Score("", "", "", "", "failed", why=f"judge: {last.error}", judge=last.model or config.judge.model),
            )
