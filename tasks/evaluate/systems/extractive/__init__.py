"""The offline baseline: an answer is the best span or cell of the passages, or a refusal; no model but an embedder."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path

from rarefy.tasks.evaluate.systems.extractive.config import ExtractiveConfig
from rarefy.tasks.evaluate.systems.extractive.phrases import best_phrase
from rarefy.tasks.evaluate.systems.extractive.ranking import BEHIND, Candidate, candidates
from rarefy.tasks.evaluate.systems.extractive.reading import Unit, page
from rarefy.tasks.evaluate.systems.extractive.wanted import Wanted, wanted
from rarefy.tasks.evaluate.systems.interface import System, SystemInput, SystemOutput
from rarefy.tasks.models.embed import Embedder
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.llm.usable import encodable

__all__ = ["ExtractiveConfig", "extractive"]

WORDS, LIKENESS = 0.65, 0.35  # shares of words in common and of likeness in a score
SENTENCE = 5.4  # weight of the score of its sentence beside the weights of a phrase
SENTENCES = 4  # in which phrases are looked for
BLOCK = 256  # asks whose texts are embedded together


def extractive(config: ExtractiveConfig, cache: Path, *, threads: int, means: InferenceContext) -> System:
    """The baseline, which remembers in the folder `cache` what it embedded. Equal asks get equal answers."""
    return Extractive(config, config.embed.connect(cache, threads=threads, means=means))


class Extractive:
    """Answers with spans and cells; `embed` gives unit vectors."""

    def __init__(self, config: ExtractiveConfig, embed: Embedder) -> None:
        self.config, self.embed = config, embed

        @lru_cache(maxsize=50_000)
        def found(title: str, text: str, want: Wanted) -> tuple[Candidate, ...]:
            return candidates(page(title, text), want, config.candidates)

        self._found = found

    def __call__(self, asked: Iterable[SystemInput], /) -> Iterator[SystemOutput]:
        source = iter(asked)
        while block := list(islice(source, BLOCK)):
            yield from self._answered(block)

    def _answered(self, block: list[SystemInput]) -> Iterator[SystemOutput]:
        wants = [wanted(encodable(one.query)) for one in block]
        pairs = [(want, self._best(one, want)) for one, want in zip(block, wants, strict=True)]
        texts = sorted({want.text for want, _ in pairs} | {one.unit.told for _, some in pairs for one in some})
        vectors = self.embed(texts) if texts else ()
        place = {text: at for at, text in enumerate(texts)}
        for one, (want, some) in zip(block, pairs, strict=True):
            scores = [_score(each, vectors[place[want.text]] @ vectors[place[each.unit.told]]) for each in some]
            at = max(range(len(some)), key=lambda n: (scores[n], -n), default=None)
            refuses = at is None or (bool(one.refusal) and scores[at] < self._least(want, some[at].unit))
            text = one.refusal if refuses or at is None else _answer(some, scores, at, want)
            yield SystemOutput(one.asked_id, text, refused=refuses, model="extractive")

    def _best(self, one: SystemInput, want: Wanted) -> list[Candidate]:
        """The candidates of all passages that may win, the best first, then from top to bottom: few, since embedding
        is nearly all of the work. Phrases of any kind are better than none, unless a figure of a period is wanted.
        """
        some = self._all(one, want)
        if not some and not (one.refusal and want.figure_of_period):
            some = self._all(one, replace(want, kind="any"))
        some = sorted(some, key=lambda each: -each.words)[: self.config.candidates]
        least = (self._least(want, None) - LIKENESS) / WORDS if one.refusal else 0.0
        return [each for each in some if each.words >= max(least, some[0].words - BEHIND)]

    def _all(self, one: SystemInput, want: Wanted) -> list[Candidate]:
        return [
            each
            for passage in one.passages or ()
            for each in self._found(encodable(passage.title), encodable(passage.text), want)
        ]

    def _least(self, want: Wanted, unit: Unit | None) -> float:
        """The score below which it refuses to answer with this unit, or with any."""
        return self.config.threshold if want.figure_of_period or (unit and unit.cells) else self.config.prose


def _answer(some: list[Candidate], scores: list[float], best: int, want: Wanted) -> str:
    """The best candidate's answer; of sentences the phrase that fits best, in the few best sentences."""
    if not some[best].whole:
        return some[best].answer
    order = sorted((n for n, one in enumerate(some) if one.whole), key=lambda n: (-scores[n], n))[:SENTENCES]
    found = [(SENTENCE * scores[n] + hit[1], hit[0]) for n in order if (hit := best_phrase(some[n].unit.text, want))]
    return max(found, key=lambda one: one[0])[1] if found else some[best].answer


def _score(candidate: Candidate, likeness: float) -> float:
    """Words and meaning together, 0 to 1, without the last bits of a product of vectors, which hang on the machine."""
    return round(WORDS * candidate.words + LIKENESS * max(float(likeness), 0.0), 4)
