"""Where in a corpus a passage comes from: by its id, or by the words that it has in common with a document."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from zlib import crc32

from rarefy.data_contracts.contexts import Retrieved
from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.perturb.mix.statements import folded, pieces

RUN = 6  # words in a row that two documents seldom share by chance
KEEP = 4  # one run in so many is remembered, the same ones in every text: memory is a quarter, and nothing is missed
LEAST = 0.3  # share of a passage's runs that must stand in a document, so that it is of it
ALIKE = 0.8  # share of the best document's runs that another one may be taken with as well
_WORD = re.compile(r"\w+")


class Corpus:
    """The chunks of a corpus, by document and by what they say."""

    def __init__(self, chunks: Mapping[str, Chunk]) -> None:
        self.chunks = chunks
        self._said: dict[str, frozenset[str]] = {}
        self._rows: dict[str, list[Chunk]] = defaultdict(list)
        for chunk in chunks.values():
            self._rows[chunk.doc_id].append(chunk)
        for rows in self._rows.values():
            rows.sort(key=_place)

    def around(self, chunk: Chunk, reach: int) -> list[Chunk]:
        """The chunk and those before and after it in its document, so many on either side."""
        rows = self._rows[chunk.doc_id]
        at = bisect_left(rows, _place(chunk), key=_place)
        return rows[max(at - reach, 0) : at + reach + 1]

    def said(self, doc_id: str) -> frozenset[str]:
        """Every sentence and row of a document, folded."""
        if doc_id not in self._said:
            parts = (one for chunk in self._rows.get(doc_id, ()) for one in pieces(chunk.text))
            self._said[doc_id] = frozenset(folded(part) for part in parts)
        return self._said[doc_id]

    def placed(self, passage: Retrieved, wanted: Collection[str]) -> Retrieved:
        """The passage with its document, and its text and title, as far as the corpus knows them and it does not.

        What several documents say alike is taken to be of those `wanted`.
        """
        chunk = self.chunks.get(passage.passage_id)
        if chunk:
            return replace(
                passage,
                text=passage.text or chunk.text,
                doc_id=passage.doc_id or chunk.doc_id,
                title=passage.title or chunk.title,
            )
        if passage.doc_id in self._rows or not self.chunks:
            return passage
        return replace(passage, doc_id=self._of(passage.text, wanted) or passage.doc_id)

    def _of(self, text: str, wanted: Collection[str]) -> str:
        """The document that has most of a text's runs of words, "" where none has enough of them."""
        runs = set(_runs(text))
        found = Counter(doc_id for run in runs for doc_id in self._known.get(run, ()))
        best = max(found.values(), default=0)
        if best < LEAST * len(runs) or not best:
            return ""
        return min(found, key=lambda doc: (found[doc] < ALIKE * best, doc not in wanted, -found[doc], doc))

    @cached_property
    def _known(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, tuple[str, ...]] = {}
        for doc_id, rows in self._rows.items():
            for run in {run for chunk in rows for run in _runs(chunk.text)}:
                found[run] = (*found.get(run, ()), doc_id)
        return found


def _runs(text: str) -> Iterator[int]:
    words = _WORD.findall(text.lower())
    for at in range(len(words) - RUN + 1):
        run = crc32(" ".join(words[at : at + RUN]).encode())
        if run % KEEP == 0:
            yield run


def _place(chunk: Chunk) -> tuple[int, str]:
    return chunk.start, chunk.chunk_id
