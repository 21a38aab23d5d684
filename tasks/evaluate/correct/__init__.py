"""Scores answers as right or wrong: by rules of their protocol first, and by a judge model where no rule decides.

In come answers with trials and questions, out go `Score` rows (RARE R35)."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from statistics import median_low

from rarefy.data_contracts.rows import Answer, Question, Reply, Score, Trial, Unanswered
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.judging import JudgeCase, build_request, quote_replies, read_judgement, request_name
from rarefy.tasks.evaluate.correct.verdict import Verdicts
from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.models.llm import LLM, replies, unanswered

__all__ = ["VERSION", "CorrectConfig", "score"]

VERSION = 30  # what an answer repeats of its question, surcharges, marks of notes, other topics, units of gold numbers


@dataclass(frozen=True, slots=True)
class _AwaitingJudge:
    """A score that waits for the judge, and the case that the judge is asked about."""

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
    """Yield the judge's unusable replies, then a score for each answer in their order.

    Each score depends on its own answer, trial and question alone. Equal answers to a question are judged once. Without
    a judge, undecided answers are missing (`judge_needed`), or wrong by config.unmatched. ValueError where an answer's
    trial or question is not given, or where config and `judge` do not agree on whether there is a judge.
    """
    if bool(config.judge.provider) != (judge is not None):
        raise ValueError(
            "[correct.judge] names a model and none is connected" if judge is None
            else "a judge was given and [correct.judge] names none, so that its scores would not say who judged"
        )  # fmt: skip
    verdicts = Verdicts(config, judge is not None)
    scores: list[Score | _AwaitingJudge] = []
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
        scores.append(verdict if isinstance(verdict, Score) else _AwaitingJudge(*verdict))
    cases = {request_name(row.case, 0): row.case for row in scores if isinstance(row, _AwaitingJudge)}
    judged: dict[str, Score] = {}
    if judge is not None and cases:
        for judgement in _ask_judge(cases, config, judge):
            if isinstance(judgement, Unanswered):
                yield judgement
            else:
                judged[judgement[0]] = judgement[1]
    for row in scores:
        yield row if isinstance(row, Score) else _apply_judgement(row.score, judged.get(request_name(row.case, 0)))


def _apply_judgement(row: Score, judged: Score | None) -> Score:
    if judged is None:
        return row
    told_ = {key: getattr(judged, key) for key in ("status", "value", "why", "judge", "votes")}
    return replace(row, stage="judge", **told_)


def _ask_judge(
    cases: Mapping[str, JudgeCase], config: CorrectConfig, judge: LLM
) -> Iterator[Unanswered | tuple[str, Score]]:
    """Yield the unusable replies, then (name, judged score) of each case."""
    asked = {request_name(case, turn): (key, turn) for key, case in cases.items() for turn in range(config.rounds)}
    heard: dict[str, dict[int, tuple[float | None, Reply]]] = {key: {} for key in cases}
    for reply in replies(judge, (build_request(cases[key], config, turn) for key, turn in asked.values())):
        key, turn = asked[reply.request_id]
        value, reply = read_judgement(cases[key], reply, config)
        heard[key][turn] = (value, reply)
        if value is None:
            yield unanswered("correct", f"{cases[key].question.question_id} {cases[key].role}", reply)
    for key, turns in heard.items():
        rounds = [turns[turn] for turn in sorted(turns)]
        votes = [value for value, _ in rounds if value is not None]
        if votes:
            used = [reply for value, reply in rounds if value is not None]
            judged = Score("", "", "", "", "scored", median_low(votes), why=quote_replies(used))
            judged = replace(judged, votes=tuple(votes) if config.rounds > 1 else ())
        else:
            used = [rounds[-1][1]]
            judged = Score("", "", "", "", "failed", why=f"judge: {used[0].error}")
        yield key, replace(judged, judge=used[0].model or config.judge.model)
