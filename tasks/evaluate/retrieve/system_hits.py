"""What a system retrieved by itself, measured against all the gold of a benchmark (docs/retrieval.md).

A passage is known by its chunk_id; one with a name of the system's own by its words, whatever its chunking.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from zlib import crc32

from rarefy.data_contracts.rows import Chunk, Hits, Passage, Question, Span, Variant, is_found, row_id
from rarefy.tasks.evaluate.retrieve.config import RetrieveConfig
from rarefy.tasks.evaluate.retrieve.measured import MeasuredConfig, measured
from rarefy.tasks.evaluate.statistics.measure import Measure

RUN = 8  # words in a row that a passage must share with a chunk for them to count as the chunk's
SHARE = 0.5  # of a chunk's words: a passage that holds as many stands for the chunk
BESIDE = 8  # words before and after a sentence, by which it is told from the same sentence in another document
_WORD = re.compile(r"[^\W_]+")  # in Markdown "_grams_" is "grams"
_RULE = re.compile(r"\s*\|\s*:?-{3}")  # the line below the head of a table in Markdown


def measured_of_system(
    system: str,
    retrieved: Mapping[str, Sequence[Passage] | None],
    questions: Mapping[str, Question],
    chunks: Mapping[str, Chunk],
    variants: Mapping[str, Variant],
    options: MeasuredConfig,
) -> Iterator[Measure]:
    """Yield what `measured` does, of the passages that a system retrieved for each wording, best first.

    `retrieved` is by query_id; None where no answer came, which counts as missing; what is not in it was not
    asked and is in no count. `variants` are the wordings by that
    name; another name is a question's own. No metric is deeper than the longest list.
    """
    wordings = {name: variants[name] for name in retrieved if name in variants}
    asked = {wordings[name].question_id if name in wordings else name for name in retrieved}
    lists = {name: some for name, some in retrieved.items() if some is not None}
    depth = max(map(len, lists.values()), default=0)
    if not depth:
        return
    matcher = PassageMatcher(chunks)
    of_question: dict[str, dict[str, Passage]] = defaultdict(dict)
    hits = []
    for query_id, passages in sorted(lists.items()):
        question_id = wordings[query_id].question_id if query_id in wordings else query_id
        names = [matcher.name(passage) for passage in passages]
        of_question[question_id] |= dict(zip(names, passages, strict=True))
        # a passage that comes twice counts where it stands first
        names = [name if name not in names[:at] else f"{name} again at {at}" for at, name in enumerate(names)]
        texts = zip(names, passages, strict=True)
        matcher.add_texts({name: passage for name, passage in texts if name not in chunks})
        scores = tuple(float(-at) for at in range(len(names)))
        hits.append(Hits(row_id("hits", system, query_id), system, query_id, question_id, tuple(names), scores))
    matched = {name: matcher.with_passages(questions[name], of_question[name]) for name in asked}
    deepest = RetrieveConfig.model_construct(depth=depth, depth_reworded=depth, fetch=min(5, depth))
    at = tuple(sorted({*(k for k in options.at if k < depth), min(depth, max(options.at))}))
    yield from measured(
        hits,
        matched,
        {**chunks, **matcher.texts},
        wordings,
        deepest,
        options.model_copy(update={"at": at}),
        asked=retrieved.keys(),
    )


def gold_shares(
    retrieved: Mapping[str, tuple[str, Sequence[Passage]]],
    questions: Mapping[str, Question],
    chunks: Mapping[str, Chunk],
) -> dict[str, float]:
    """Return, by name, the share of a question's gold chunks that passages hold, as `measured_of_system` finds them.

    `retrieved` has question_id and passages by name. -1 for a question without gold, and where no passage has a text
    or a chunk_id by which it could be known.
    """
    matcher = PassageMatcher(chunks)
    of_question: dict[str, dict[str, Passage]] = defaultdict(dict)
    for question_id, passages in retrieved.values():
        of_question[question_id] |= {matcher.name(passage): passage for passage in passages}
    matched = {name: matcher.with_passages(questions[name], some) for name, some in of_question.items()}
    shares = {}
    for name, (question_id, passages) in retrieved.items():
        hops, names = matched[question_id].hops, {matcher.name(passage) for passage in passages}
        known = any(passage.text.strip() or passage.passage_id in chunks for passage in passages)
        shares[name] = sum(is_found(hop, names) for hop in hops) / len(hops) if hops and known else -1.0
    return shares


class PassageMatcher:
    """Finds which gold chunks of questions a passage of another chunking stands for."""

    def __init__(self, chunks: Mapping[str, Chunk]) -> None:
        self._chunks = chunks
        self.texts: dict[str, Chunk] = {}  # passages that are no chunks, by the name that they have here
        self._runs = {name: _sample_runs(chunk.text) for name, chunk in chunks.items()}
        self._chunks_of: dict[int, list[str]] = defaultdict(list)  # by run
        for name, runs in self._runs.items():
            for run in runs:
                self._chunks_of[run].append(name)
        self._shares: dict[str, dict[str, float]] = {}
        self._plain: dict[str, str] = {}

    def name(self, passage: Passage) -> str:
        """Return the chunk_id that a passage carries; else a name made of its text, or of its own id without one."""
        if passage.passage_id in self._chunks:
            return passage.passage_id
        return row_id("passage", passage.text or passage.passage_id)

    def add_texts(self, passages: Mapping[str, Passage]) -> None:
        """Keep passages that are no chunks as rows that a search for answers can look into."""
        for name, passage in passages.items():
            if name not in self.texts:
                self.texts[name] = Chunk(name, "", 0, len(passage.text), "text", "", passage.text, 0)

    def with_passages(self, question: Question, passages: Mapping[str, Passage]) -> Question:
        """Return the question with the passages that hold what a gold chunk states among those that state the same.

        A passage holds it with all gold sentences of the chunk, heads of tables apart; sentences may be spread over
        passages, which then hold it together. Of a chunk without known sentences, and of one that states the same, it
        must hold SHARE.
        """
        own = {name: passage.text for name, passage in passages.items() if name not in self._chunks and passage.text}
        if not own or not question.chunk_ids:
            return question
        others = dict(zip(question.chunk_ids, question.alternatives or ((),) * len(question.chunk_ids), strict=True))
        parts = [(*part, *self._holding(own, part[1:])) for part in question.parts]
        in_parts = {part[0] for part in question.parts}
        found: dict[str, tuple[str, ...]] = {}
        for gold in dict.fromkeys(question.chunk_ids):
            spans = zip(question.evidence, question.evidence_spans, strict=True)
            sentences = [words for words, span in spans if span.chunk_id == gold and not self._is_header(span)]
            by_sentence = [self._stating(own, sentence, (gold, *others[gold])) for sentence in sentences]
            whole = set.intersection(*by_sentence) if by_sentence else self._holding(own, (gold,))
            found[gold] = tuple(sorted(whole | self._holding(own, others[gold])))
            if gold not in in_parts and len(by_sentence) > 1:
                parts += [(gold, *sorted(names)) for names in by_sentence]
        alternatives = tuple((*others[gold], *found[gold]) for gold in question.chunk_ids)
        return replace(question, alternatives=alternatives, parts=tuple(parts))

    def _is_header(self, span: Span) -> bool:
        """Return whether a gold sentence is the head of a table, in words that the reader may have put together."""
        return _RULE.match(self._chunks[span.chunk_id].text, span.end) is not None

    def _stating(self, texts: Mapping[str, str], sentence: str, chunk_ids: Sequence[str]) -> set[str]:
        """Return the passages in which a sentence stands, word for word, as it does in one of these chunks."""
        wanted = f" {' '.join(split_words(sentence))} "
        places = [
            place for one in chunk_ids for place in _surroundings(self._plain_text(self._chunks[one].text), wanted)
        ]
        return {
            name
            for name, text in texts.items()
            if any(_agree(one, place) for one in _surroundings(self._plain_text(text), wanted) for place in places)
            and any(self.shares(text).get(one, 1.0) for one in chunk_ids)
        }

    def _holding(self, texts: Mapping[str, str], chunk_ids: Sequence[str]) -> set[str]:
        """Return the passages that hold SHARE of the words of one of these chunks."""
        return {
            name
            for name, text in texts.items()
            if chunk_ids and any(self.shares(text).get(one, 0.0) >= SHARE for one in chunk_ids)
        }

    def _plain_text(self, text: str) -> str:
        if text not in self._plain:
            self._plain[text] = f" {' '.join(split_words(text))} "
        return self._plain[text]

    def shares(self, text: str) -> dict[str, float]:
        """Return, by chunk, the share of its runs of words that a text holds and that no chunk is held more by.

        What documents repeat (a cover page, a table of another year) is so taken for the chunk that the text is of;
        chunks that it holds to the same extent have it each. 0.0: all that they share is of another chunk.
        """
        if text not in self._shares:
            held: dict[str, set[int]] = defaultdict(set)
            for run in _sample_runs(text):
                for name in self._chunks_of.get(run, ()):
                    held[name].add(run)
            found, claimed = dict[str, float](), set[int]()
            for _, some in groupby(sorted(held, key=lambda name: -len(held[name])), lambda name: len(held[name])):
                names = [*some]
                found |= {name: len(held[name] - claimed) / len(self._runs[name]) for name in names}
                claimed.update(*(held[name] for name in names))
            self._shares[text] = found
        return self._shares[text]


def _sample_runs(text: str) -> set[int]:
    """Return checksums of the runs of RUN words in a text, of a long one every fourth: the same ones in every text."""
    words = split_words(text)
    runs = {crc32(" ".join(words[at : at + RUN]).encode()) for at in range(max(len(words) - RUN, 0) + 1)}
    return {run for run in runs if run % 4 == 0} or runs


Words = list[str]


def _surroundings(text: str, wanted: str) -> Iterator[tuple[Words, Words]]:
    """Yield the words before and after each place where `wanted` stands in a text of words, nearest first."""
    at = text.find(wanted)
    while at >= 0:
        yield text[:at].split()[: -BESIDE - 1 : -1], text[at + len(wanted) :].split()[:BESIDE]
        at = text.find(wanted, at + 1)


def _agree(one: tuple[Words, Words], other: tuple[Words, Words]) -> bool:
    """Return whether what stands beside two sentences of the same words is the same too, before them or after them.

    Nothing beside them contradicts nothing: a passage may begin or end there.
    """
    sides = [[a == b for a, b in zip(*pair, strict=False)] for pair in zip(one, other, strict=True)]
    known = [sum(side) >= len(side) / 2 for side in sides if side]
    return any(known) or not known


def split_words(text: str) -> list[str]:
    """Return the words and numbers of a text in small letters: marks, blanks and the lines of tables are left out."""
    return _WORD.findall(text.casefold())
