"""Sentences and table rows as sets of words and figures that can be compared, and those known about a question."""

import re
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from zlib import crc32

from rarefy.data_contracts.rows import Chunk, Question, Retrieved
from rarefy.tasks.text.names import ENDING
from rarefy.tasks.text.notations import figure_kind, mark_figures
from rarefy.tasks.text.sentences import sentences
from rarefy.tasks.text.stems import stem

_WORD = re.compile(r"\x02(?P<figure>\d+)\x03|(?P<word>[^\W\d_][\w&]*(?:[-.'’&][\w&]+)*)")
# Words without content
_EMPTY = frozenset(
    """
    a about after all also an and any are as at be been before being both but by can could did do does during each
    either for from had has have he her his how i if in including into is it its itself may might more most no nor not
    of on only or other our over own per same she should so some such than that the their them then there these they
    this those through to under until up us was we were what when where which while who whom whose why will with within
    would you your according following respectively company companies
    """.split()
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or table row as sets of words and figures."""

    text: str
    words: frozenset[str]  # stems of its words of content
    figures: frozenset[str]  # each in one notation: "$97300000000", "75%", "@2024"
    names: frozenset[str]  # its capitalised words, but for the first


def split_sentences(text: str) -> list[str]:
    """The sentences and rows of a text."""
    return [text[start:end] for start, end in sentences(text)]


def fold(text: str) -> str:
    """A text in lower case with single spaces."""
    return " ".join(text.casefold().split())


def parse_statements(text: str) -> list[Statement]:
    """The sentences and rows of a text that have content."""
    return [parsed for parsed in map(parse_statement, split_sentences(text)) if parsed.words or parsed.figures]


@lru_cache(20_000)
def parse_statement(text: str) -> Statement:
    """A text as one statement."""
    marked, figures = mark_figures(text.replace("’", "'"))
    words, names = set(), set()
    first = True
    for hit in _WORD.finditer(marked):
        for plain in (hit["word"] or "").removesuffix("'s").split("-"):
            if plain and plain.lower() not in _EMPTY:
                words.add(stem(plain))
                if plain[0].isupper() and not first:
                    names.add(stem(plain))
        first = False
    return Statement(text, frozenset(words), frozenset(figures), frozenset(names))


def join_statements(parts: Iterable[Statement]) -> Statement:
    """Several statements as one."""
    rows = list(parts)
    return Statement(
        " ".join(row.text for row in rows),
        frozenset().union(*(row.words for row in rows)),
        frozenset().union(*(row.figures for row in rows)),
        frozenset().union(*(row.names for row in rows)),
    )


def share_covered(wanted: Statement, by: Statement, apart: Statement | None = None) -> float:
    """The share of a statement's words and figures that another one has too, without those of `apart`.

    Figures and names count twice.
    """
    without = apart or _NOTHING
    total = found = 0
    for item in wanted.words - without.words:
        weight = 2 if item in wanted.names else 1
        total += weight
        found += weight * (item in by.words)
    for item in wanted.figures - without.figures:
        total += 2
        found += 2 * (item in by.figures)
    return found / total if total else 0.0


def find_nearest(wanted: Statement, among: Sequence[Statement], apart: Statement | None = None) -> tuple[float, int]:
    """The largest share of a statement that one of these covers, and its index; (0, -1) where none does."""
    shares = [(share_covered(wanted, candidate, apart), -at) for at, candidate in enumerate(among)]
    share, place = max(shares, default=(0.0, 1))
    return (share, -place) if share else (0.0, -1)


def with_neighbours(place: int, among: Sequence[Statement], reach: int = 1) -> Statement:
    """A statement joined with its neighbours; a table row alone."""
    return (
        among[place]
        if is_table_row(among[place])
        else join_statements(among[max(place - reach, 0) : place + reach + 1])
    )


def with_header(place: int, among: Sequence[Statement]) -> Statement:
    """A table row joined with its header and the line above the table."""
    first = place
    while first > 0 and is_table_row(among[first - 1]):
        first -= 1
    return join_statements([*among[max(first - 1, 0) : first + 1], among[place]])


def is_table_row(sentence: Statement) -> bool:
    """Whether a statement is a table row."""
    return sentence.text.lstrip().startswith("|")


def find_rival_figures(value: Statement, passage: Statement, known: Statement) -> list[str]:
    """Figures of a passage of the same kind as those of `value`, but for `known` ones."""
    kinds = {figure_kind(figure) for figure in value.figures}
    return sorted(figure for figure in passage.figures - known.figures if figure_kind(figure) in kinds)


_NOTHING = Statement("", frozenset(), frozenset(), frozenset())

# The documents of passages

RUN = 6  # consecutive words that two documents seldom share by chance
KEEP = 4  # one run in so many is indexed, the same ones of every text
LEAST = 0.3  # share of a passage's runs that its document must have
ALIKE = 0.8  # share of the best document's runs with which another one is considered too
_PLAIN_WORD = re.compile(r"\w+")


class CorpusIndex:
    """The chunks of a corpus by document, and an index of their runs of words."""

    def __init__(self, chunks: Mapping[str, Chunk]) -> None:
        self.chunks = chunks
        self._sentences: dict[str, frozenset[str]] = {}
        self._rows: dict[str, list[Chunk]] = defaultdict(list)
        for chunk in chunks.values():
            self._rows[chunk.doc_id].append(chunk)
        for rows in self._rows.values():
            rows.sort(key=_sort_key)

    def around(self, chunk: Chunk, reach: int) -> list[Chunk]:
        """The chunk with `reach` neighbours on either side in its document."""
        rows = self._rows[chunk.doc_id]
        at = bisect_left(rows, _sort_key(chunk), key=_sort_key)
        return rows[max(at - reach, 0) : at + reach + 1]

    def list_sentences(self, doc_id: str) -> frozenset[str]:
        """Every sentence and row of a document, folded."""
        if doc_id not in self._sentences:
            parts = (one for chunk in self._rows.get(doc_id, ()) for one in split_sentences(chunk.text))
            self._sentences[doc_id] = frozenset(fold(part) for part in parts)
        return self._sentences[doc_id]

    def locate(self, passage: Retrieved, wanted: Collection[str]) -> Retrieved:
        """The passage with its document, text and title filled in from the corpus where they are missing.

        A passage that several documents have is taken to be of those `wanted`.
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
        """The document with most of a text's runs of words; "" where none has enough."""
        runs = set(_hash_word_runs(text))
        found = Counter(doc_id for run in runs for doc_id in self._known.get(run, ()))
        best = max(found.values(), default=0)
        if best < LEAST * len(runs) or not best:
            return ""
        return min(found, key=lambda doc: (found[doc] < ALIKE * best, doc not in wanted, -found[doc], doc))

    @cached_property
    def _known(self) -> dict[int, tuple[str, ...]]:
        found: dict[int, tuple[str, ...]] = {}
        for doc_id, rows in self._rows.items():
            for run in {run for chunk in rows for run in _hash_word_runs(chunk.text)}:
                found[run] = (*found.get(run, ()), doc_id)
        return found


def _hash_word_runs(text: str) -> Iterator[int]:
    words = _PLAIN_WORD.findall(text.lower())
    for at in range(len(words) - RUN + 1):
        run = crc32(" ".join(words[at : at + RUN]).encode())
        if run % KEEP == 0:
            yield run


def _sort_key(chunk: Chunk) -> tuple[int, str]:
    return chunk.start, chunk.chunk_id


# Gold facts of a question


@dataclass(frozen=True, slots=True)
class Hop:
    """The evidence of one gold chunk."""

    chunk_id: str
    pieces: tuple[str, ...]  # verbatim
    said: tuple[Statement, ...]  # without the headers of tables, unless there is nothing else


@dataclass(frozen=True, slots=True)
class Gold:
    """A question, its evidence, and the statements of its documents around it."""

    question: Question
    asked: Statement
    value: Statement  # the answer
    hops: tuple[Hop, ...]
    documents: frozenset[str]
    titles: frozenset[str]
    entity: frozenset[str]  # the words of its name
    reference: tuple[Statement, ...]  # of the gold chunks and those near them
    verbatim: frozenset[str]  # all sentences of their documents, folded


def collect_gold(question: Question, corpus: CorpusIndex, reach: int) -> Gold:
    """The gold facts of a question; only its evidence where the corpus lacks its gold chunks."""
    gold = [corpus.chunks[name] for name in dict.fromkeys(question.chunk_ids) if name in corpus.chunks]
    hops = _find_hops(question)
    known_chunks = {hop.chunk_id for hop in hops}  # "" where the chunk of some evidence is not known
    bare = [chunk for chunk in gold if chunk.chunk_id not in known_chunks and "" not in known_chunks]
    # gold chunks without known evidence count as a whole
    whole = [Hop(chunk.chunk_id, (chunk.text,), tuple(parse_statements(chunk.text))) for chunk in bare]
    around = {row.chunk_id: row for chunk in gold for row in corpus.around(chunk, reach)}
    return Gold(
        question=question,
        asked=parse_statement(question.text),
        value=parse_statement(question.answer),
        hops=(*hops, *whole),
        documents=frozenset(chunk.doc_id for chunk in gold),
        titles=frozenset(chunk.title for chunk in gold if chunk.title),
        entity=parse_statement(ENDING.sub("", question.entity)).words,
        verbatim=frozenset().union(*(corpus.list_sentences(chunk.doc_id) for chunk in gold)),
        reference=tuple(sentence for chunk in around.values() for sentence in parse_statements(chunk.text)),
    )


def _find_hops(question: Question) -> list[Hop]:
    of_chunk: dict[str, list[str]] = {}
    spans = question.evidence_spans
    for at, piece in enumerate(question.evidence):
        of_chunk.setdefault(spans[at].chunk_id if at < len(spans) else "", []).append(piece)
    found = []
    for chunk_id, pieces in of_chunk.items():
        rows = [piece for piece in pieces if piece.lstrip().startswith("|")]
        # of a table only the last row counts; those before are its header
        telling = [piece for piece in pieces if piece not in rows] or rows[-1:]
        found.append(
            Hop(chunk_id, tuple(pieces), tuple(sentence for piece in telling for sentence in parse_statements(piece)))
        )
    return found
