"""From an answer in its trial to a score, or to what the judge must be asked: the order of the rules."""

import traceback
from dataclasses import dataclass, field, replace
from pathlib import Path

from rarefy.data_contracts.rows import Answer, Question, Score, Trial
from rarefy.tasks.evaluate.correct.cleaned import cleaned
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.gold import Expectation, Gold, asked, gold
from rarefy.tasks.evaluate.correct.judging import JudgeCase, role_of
from rarefy.tasks.evaluate.correct.match import matched
from rarefy.tasks.evaluate.correct.outcome import Outcome
from rarefy.tasks.evaluate.protocols.protocol import Protocol
from rarefy.tasks.models.llm.usable import encodable
from rarefy.tasks.text.refusals import Refusal, refusal

FAULT = "not_judged"  # what the reason begins with where judging an answer raised an exception
LONGEST = 50_000  # characters of an answer: a longer one is no short answer to anything, and takes long to read
KEPT = 200_000  # outcomes of (question, text): cells of a question share most of their answers
# what a protocol without a judge takes for contained, as its paper has it: the answer stands there, and it is stated
CONTAINED = frozenset(("several_values", "several_names", "in_passing", "too_long"))


@dataclass
class Verdicts:
    """The rules under one config; what was found of a text is kept for the next trial that got the same."""

    config: CorrectConfig
    judged: bool  # a judge is there
    _golds: dict[str, tuple[Gold, Expectation]] = field(default_factory=dict)
    _outcomes: dict[tuple[str, str], Outcome] = field(default_factory=dict)
    _refusals: dict[tuple[str, str], Refusal | None] = field(default_factory=dict)
    _texts: dict[tuple[str, str], str] = field(default_factory=dict)

    def of(
        self, answer: Answer, trial: Trial, question: Question, protocol: Protocol
    ) -> Score | tuple[Score, JudgeCase]:
        """The score of an answer, or what it is until the judge has spoken and what that judge is asked.

        An answer whose judging itself fails is not scored, and says why: one answer never ends a run.
        """
        row = Score(trial.trial_id, answer.system, trial.protocol, question.question_id, "scored")
        try:
            return self._judged(row, answer, trial, question, protocol)
        except (MemoryError, OSError, ImportError):  # of this machine, and not of the answer
            raise
        except Exception as error:
            line = traceback.extract_tb(error.__traceback__)[-1]
            told = f"{type(error).__name__}: {str(error)[:300]} ({Path(line.filename).name}:{line.lineno})"
            return replace(row, status="failed", why=f"{FAULT}: {encodable(told)}")

    def _judged(
        self, row: Score, answer: Answer, trial: Trial, question: Question, protocol: Protocol
    ) -> Score | tuple[Score, JudgeCase]:
        if trial.skipped_because:
            return replace(row, status="skipped", why=trial.skipped_because)
        if answer.error:
            return replace(row, status="failed", why=answer.error)
        if len(answer.text) > LONGEST:
            return replace(row, status="failed", why=f"too_long_to_judge: {len(answer.text):,} characters")
        text = self._cleaned(answer.text, question.language)
        if not any(map(str.isalnum, text)) and not answer.refused:
            return replace(row, value=0.0, stage="empty", why="no_words")
        outcome = self._outcome(question, text)
        if outcome.verdict == "right" and outcome.stage == "exact" and not answer.refused:
            return replace(row, value=1.0, stage="exact", matched=outcome.matched)  # "None" may be the answer
        declined = self._declined(answer, text, question, protocol)
        if isinstance(declined, str):
            return self._refused(row, protocol, answer, declined)
        guessed = declined.guess or declined.rest if declined else ""
        if guessed:
            text = guessed
            outcome = self._outcome(question, text)
        return self._scored(row, outcome, text, question, protocol, "refusal_with_answer" if declined else "")

    def _declined(self, answer: Answer, text: str, question: Question, protocol: Protocol) -> Refusal | str | None:
        """How an answer declines: by whose word, where it does; the refusal where it answers all the same; None."""
        if answer.refused:
            return "by_the_system"
        key = (protocol.refusal, text)
        if key not in self._refusals:
            _bounded(self._refusals)[key] = refusal(text, protocol.refusal, self.config.refusals == "general")
        found = self._refusals[key]
        if found is None:
            return None
        how = "in_its_protocols_words" if found.own else "in_other_words"
        if answer.refused is False and not found.rest:
            return "though_not_by_the_systems_word"
        if answer.refused is False:
            return None
        if self.config.refusal_with_answer == "refused":
            return how
        if found.guess:
            return found
        return found if found.rest and self._outcome(question, found.rest).verdict == "right" else how

    def _refused(self, row: Score, protocol: Protocol, answer: Answer, how: str) -> Score:
        """Nothing is right about a refusal; where a protocol forbids it, it is an answer that is wrong, and flagged."""
        told = how if protocol.refusal or protocol.contained else f"{how}, where refusing is forbidden"
        return replace(row, value=0.0, stage="refusal", refused=answer.refused is not False, why=told)

    def _scored(
        self, row: Score, outcome: Outcome, text: str, question: Question, protocol: Protocol, why: str
    ) -> Score | tuple[Score, JudgeCase]:
        if outcome.verdict == "right":
            told = ", ".join(filter(None, (why, outcome.why)))
            return replace(row, value=1.0, stage=outcome.stage, matched=outcome.matched, why=told)
        if outcome.verdict == "wrong":
            told = ", ".join(filter(None, (why, outcome.why)))
            return replace(row, value=0.0, stage="value", matched=outcome.matched, why=told)
        told = ", ".join(filter(None, (why, outcome.why)))
        if protocol.contained and outcome.why in CONTAINED and self.config.extra == "judge":
            return replace(row, value=1.0, stage="contained", matched=outcome.matched, why=told)
        if protocol.contained:
            return replace(row, value=0.0, stage="contained", matched=outcome.matched, why=f"not contained: {told}")
        if not self.judged and self.config.unmatched == "wrong":
            return replace(
                row, value=0.0, stage="contained", matched=outcome.matched, why=f"lexical lower bound: {told}"
            )
        waiting = replace(row, status="missing", matched=outcome.matched, why=f"judge_needed: {told}")
        if not self.judged:
            return waiting
        golds = self._gold(question)[0]
        return waiting, JudgeCase(role_of(protocol.judge or protocol.name, golds), question, golds, text)

    def _outcome(self, question: Question, text: str) -> Outcome:
        key = (question.question_id, text)
        if key not in self._outcomes:
            _bounded(self._outcomes)[key] = matched(text, *self._gold(question), self.config)
        return self._outcomes[key]

    def _gold(self, question: Question) -> tuple[Gold, Expectation]:
        if question.question_id not in self._golds:
            self._golds[question.question_id] = (gold(question), asked(question))
        return self._golds[question.question_id]

    def _cleaned(self, text: str, language: str) -> str:
        if (language, text) not in self._texts:
            _bounded(self._texts)[language, text] = cleaned(text, language)
        return self._texts[language, text]


def _bounded(kept: dict) -> dict:  # type: ignore[type-arg]
    if len(kept) >= KEPT:
        kept.clear()
    return kept
