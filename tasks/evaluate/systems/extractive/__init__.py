"""The offline baseline: answers with the best span or cell of the passages, or refuses; needs only an embedder."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path

from rarefy.tasks.evaluate.systems.extractive.candidates import (
    MAX_SCORE_GAP,
    Candidate,
    PassageUnit,
    find_candidates,
    parse_passage,
)
from rarefy.tasks.evaluate.systems.extractive.config import ExtractiveConfig
from rarefy.tasks.evaluate.systems.extractive.phrases import best_phrase
from rarefy.tasks.evaluate.systems.extractive.question import ParsedQuestion, parse_question
from rarefy.tasks.evaluate.systems.interface import System, SystemInput, SystemOutput
from rarefy.tasks.models.embed import Embedder
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.llm.faults import replace_surrogates

__all__ = ["ExtractiveConfig", "extractive"]

WORD_WEIGHT, LIKENESS_WEIGHT = 0.65, 0.35  # weights of shared words and of cosine in a candidate's score
SENTENCE_WEIGHT = 5.4  # weight of a sentence's score beside the weights of its phrases
MAX_SENTENCES = 4  # best sentences whose phrases are compared
BLOCK = 256  # inputs whose texts are embedded together


def extractive(config: ExtractiveConfig, cache: Path, *, threads: int, means: InferenceContext) -> System:
    """Return the baseline, with vectors cached in the folder `cache`. Equal inputs get equal answers."""
    return Extractive(config, config.embed.connect(cache, threads=threads, means=means))


class Extractive:
    """The baseline; `embed` gives unit vectors."""

    def __init__(self, config: ExtractiveConfig, embed: Embedder) -> None:
        self.config, self.embed = config, embed

        @lru_cache(maxsize=50_000)
        def candidates_of(title: str, text: str, question: ParsedQuestion) -> tuple[Candidate, ...]:
            return find_candidates(parse_passage(title, text), question, config.candidates)

        self._candidates_of = candidates_of

    def __call__(self, asked: Iterable[SystemInput], /) -> Iterator[SystemOutput]:
        source = iter(asked)
        while block := list(islice(source, BLOCK)):
            yield from self._answer_block(block)

    def _answer_block(self, block: list[SystemInput]) -> Iterator[SystemOutput]:
        questions = [parse_question(replace_surrogates(asked.query)) for asked in block]
        candidates = [self._best_candidates(asked, q) for asked, q in zip(block, questions, strict=True)]
        texts = sorted({q.text for q in questions} | {one.unit.embedded_text for some in candidates for one in some})
        vectors = self.embed(texts) if texts else ()
        place = {text: at for at, text in enumerate(texts)}
        for asked, question, some in zip(block, questions, candidates, strict=True):
            vector = vectors[place[question.text]]
            scores = [_score_candidate(each, vector @ vectors[place[each.unit.embedded_text]]) for each in some]
            best = max(range(len(some)), key=lambda n: (scores[n], -n), default=None)
            text, refuses = asked.refusal, True
            if best is not None and not (text and scores[best] < self._threshold(question, some[best].unit)):
                text, refuses = _choose_answer(some, scores, best, question), False
            yield SystemOutput(asked.asked_id, text, refused=refuses, model="extractive")

    def _best_candidates(self, asked: SystemInput, question: ParsedQuestion) -> list[Candidate]:
        """Return the candidates of all passages that may win, best first, then from top to bottom.

        They are few, since embedding is nearly all of the work. Where none is of the question's kind, any phrase will
        do, unless a figure of a period is asked for.
        """
        some = self._all_candidates(asked, question)
        if not some and not (asked.refusal and question.figure_of_period):
            some = self._all_candidates(asked, replace(question, kind="any"))
        some = sorted(some, key=lambda each: -each.words)[: self.config.candidates]
        least = (self._threshold(question, None) - LIKENESS_WEIGHT) / WORD_WEIGHT if asked.refusal else 0.0
        return [each for each in some if each.words >= max(least, some[0].words - MAX_SCORE_GAP)]

    def _all_candidates(self, asked: SystemInput, question: ParsedQuestion) -> list[Candidate]:
        return [
            candidate
            for passage in asked.passages or ()
            for candidate in self._candidates_of(
                replace_surrogates(passage.title), replace_surrogates(passage.text), question
            )
        ]

    def _threshold(self, question: ParsedQuestion, unit: PassageUnit | None) -> float:
        """Return the score below which it refuses to answer with this unit, or with any."""
        figure = question.figure_of_period or (unit and unit.cells)
        return self.config.threshold if figure else self.config.prose


def _choose_answer(some: list[Candidate], scores: list[float], best: int, question: ParsedQuestion) -> str:
    """Return the best candidate's answer; for sentences, the best phrase of the few best ones."""
    if not some[best].whole:
        return some[best].answer
    order = sorted((n for n, one in enumerate(some) if one.whole), key=lambda n: (-scores[n], n))[:MAX_SENTENCES]
    phrases = [
        (SENTENCE_WEIGHT * scores[n] + phrase[1], phrase[0])
        for n in order
        if (phrase := best_phrase(some[n].unit.text, question))
    ]
    return max(phrases, key=lambda scored: scored[0])[1] if phrases else some[best].answer


def _score_candidate(candidate: Candidate, cosine: float) -> float:
    """Return shared words and cosine as one score, 0 to 1, rounded: a product's last bits depend on the machine."""
    return round(WORD_WEIGHT * candidate.words + LIKENESS_WEIGHT * max(float(cosine), 0.0), 4)
