"""Turn question records into questions and chunks: choose gold passages, find their evidence, guess the language."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from rarefy.data_contracts.rows import VERDICTS, Chunk, Question, Span, row_id
from rarefy.tasks.corpus.read.language import likely_language
from rarefy.tasks.corpus.read.metadata import language_code as code_of
from rarefy.tasks.perturb.layouts.records import Passage, QuestionRecord
from rarefy.tasks.text.notations import contains_answer
from rarefy.tasks.text.sentences import sentences

# Guess the language of a text

_READ = 2_000  # characters
_LIKELY = 0.5  # more likely than all other languages together: a question has few words


def guess_language(text: str, beside: Iterable[str] = ()) -> str:
    """The code of a text's language; where its words do not tell, with texts `beside` it; English where none do."""
    text = text[:_READ]
    together = "\n".join((text, *(other[:_READ] for other in beside)))
    return likely_language(text, _LIKELY) or likely_language(together, _LIKELY) or "en"


_MOST = 200_000  # characters of a passage that is searched sentence by sentence
_TABLE = re.compile(r"^\s*\|.*\|\s*$", re.M)


def make_questions(found: Iterable[QuestionRecord], language: str = "") -> Iterator[tuple[Question, dict[str, Chunk]]]:
    """Each question with its chunks, in order of input, which does not affect them.

    Gold are the passages that the file marks, else those with the answer; without an answer none. Passages of equal
    title form a document, those without title one per question. A passage of several questions is one chunk.
    `language` is that of records without one; without either it is guessed.
    """
    texts: dict[str, str] = {}  # a passage that many questions share is held once
    listed = [
        replace(asked, passages=tuple(replace(p, text=texts.setdefault(p.text, p.text)) for p in asked.passages))
        for asked in found
    ]
    known = _make_chunks(listed, language)
    for asked in listed:
        yield _make_question(asked, known, language)


def make_question_id(asked: QuestionRecord) -> str:
    """The id of a question: its own, else one made of its text and answers."""
    return asked.question_id or row_id("question", asked.text, *asked.answers)


def _make_chunks(listed: Iterable[QuestionRecord], language: str) -> dict[str, Chunk]:
    """All passages as chunks, those of a document in the order of the file, else of questions."""
    first: dict[str, tuple[str, Passage, str]] = {}  # of each chunk: document, passage, language
    for asked in sorted(listed, key=make_question_id):
        spoken = _language_of(asked, language)
        for passage in asked.passages:
            first.setdefault(_chunk_id(passage), (passage.title or make_question_id(asked), passage, spoken))
    chunks: dict[str, Chunk] = {}
    ends: dict[str, int] = {}  # where the known part of each document ends
    for chunk_id, (doc_id, passage, spoken) in sorted(first.items(), key=lambda row: row[1][1].number):
        chunks[chunk_id] = _make_chunk(chunk_id, doc_id, ends.get(doc_id, 0), passage, spoken)
        ends[doc_id] = chunks[chunk_id].end + 1
    return chunks


def _chunk_id(passage: Passage) -> str:
    return row_id("passage", passage.title, passage.text)


def _language_of(asked: QuestionRecord, language: str) -> str:
    code = code_of(asked.language) or language
    return code or guess_language(asked.text, (passage.text[:500] for passage in asked.passages))


def _make_question(
    asked: QuestionRecord, known: Mapping[str, Chunk], language: str
) -> tuple[Question, dict[str, Chunk]]:
    answers = asked.answers
    chunks: dict[str, Chunk] = {}
    gold: dict[str, Passage] = {}
    for passage in asked.passages:
        chunk_id = _chunk_id(passage)
        chunks[chunk_id] = known[chunk_id]
        if _is_gold(passage, asked):
            gold.setdefault(chunk_id, passage)
    spans = [
        Span(chunk_id, start, end)
        for chunk_id, passage in gold.items()
        for start, end in sorted(set(_find_evidence(passage, answers)))
    ]
    question = Question(
        question_id=make_question_id(asked),
        path_id="",
        pattern="single" if len(gold) < 2 else "multi",
        text=asked.text,
        answer=answers[0] if answers else "",
        aliases=answers[1:],
        triplet_ids=(),
        chunk_ids=tuple(gold),
        evidence=tuple(chunks[span.chunk_id].text[span.start : span.end] for span in spans),
        evidence_spans=tuple(spans),
        language=_language_of(asked, language),
    )
    return question, chunks


def _make_chunk(chunk_id: str, doc_id: str, start: int, passage: Passage, language: str) -> Chunk:
    text = passage.text
    rows = len(_TABLE.findall(text[:_MOST]))
    return Chunk(
        chunk_id=chunk_id,
        doc_id=doc_id,
        start=start,
        end=start + len(text),
        kind="table" if 2 * rows > text[:_MOST].count("\n") + 1 else "text",
        section="",
        text=text,
        tokens=len(text.split()),
        title=passage.title,
        language=language,
    )


def _is_gold(passage: Passage, asked: QuestionRecord) -> bool:
    if not asked.answers:
        return False
    if any(other.gold is not None for other in asked.passages):
        return bool(passage.gold)
    if all(answer.strip(" .").casefold() in VERDICTS for answer in asked.answers):
        return len(asked.passages) == 1  # no passage states "yes": a single one must be the one asked about
    return contains_answer(passage.text, asked.answers[0], asked.answers[1:])


def _find_evidence(passage: Passage, answers: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Spans of evidence: sentences that the file names, those where it puts an answer, or those that hold one."""
    if named := [sentence for sentence in passage.evidence if sentence in passage.text]:
        yield from ((at, at + len(sentence)) for sentence in named for at in [passage.text.index(sentence)])
        return
    parts = list(_split_sentences_and_rows(passage.text[:_MOST]))
    if starts := [at for at in passage.at if any(passage.text.startswith(answer, at) for answer in answers)]:
        yield from ((start, end) for start, end in parts if any(start <= at < end for at in starts))
        return
    for start, end in parts:
        if contains_answer(passage.text[start:end], answers[0], answers[1:]):
            yield start, end


def _split_sentences_and_rows(text: str) -> Iterator[tuple[int, int]]:
    """Spans of sentences and of table rows."""
    for start, end in sentences(text):
        at = start
        for line in text[start:end].splitlines(keepends=True) if _TABLE.search(text, start, end) else [text[start:end]]:
            bare = line.strip()
            if bare:
                first = at + line.index(bare)
                yield first, first + len(bare)
            at += len(line)
