"""Which contexts of a question are gold, where their evidence stands, and all of it as rows."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from rarefy.data_contracts.rows import VERDICTS, Chunk, Question, Span, row_id
from rarefy.tasks.corpus.read.languages import language as code_of
from rarefy.tasks.perturb.layouts.question_record import Passage, QuestionRecord
from rarefy.tasks.perturb.layouts.tongue import tongue
from rarefy.tasks.text.notations import occurs
from rarefy.tasks.text.sentences import sentences

_MOST = 200_000  # characters of a passage that is searched sentence by sentence
_TABLE = re.compile(r"^\s*\|.*\|\s*$", re.M)


def placed(found: Iterable[QuestionRecord], language: str = "") -> Iterator[tuple[Question, dict[str, Chunk]]]:
    """Each question with its chunks, in the order that they came in, on which nothing of them hangs.

    Gold is what the file calls so, else what holds the answer; without an answer nothing is. A document is known by
    its title, one without is the question's own. What several questions share is one chunk, that of the first of them
    by id. `language` counts where the file says none; where nobody does, it is guessed from the words.
    """
    texts: dict[str, str] = {}  # a passage that many questions share is held once
    listed = [
        replace(asked, passages=tuple(replace(p, text=texts.setdefault(p.text, p.text)) for p in asked.passages))
        for asked in found
    ]
    known = _chunks(listed, language)
    for asked in listed:
        yield _question(asked, known, language)


def id_of(asked: QuestionRecord) -> str:
    """The id of a question: its own, else one made of what is asked and answered."""
    return asked.question_id or row_id("question", asked.text, *asked.answers)


def _chunks(listed: Iterable[QuestionRecord], language: str) -> dict[str, Chunk]:
    """All passages as chunks, each document's in the order that the file says, else by question and place in it."""
    first: dict[str, tuple[str, Passage, str]] = {}  # of each chunk: document, passage, language
    for asked in sorted(listed, key=id_of):
        spoken = _spoken(asked, language)
        for passage in asked.passages:
            first.setdefault(_chunk_id(passage), (passage.title or id_of(asked), passage, spoken))
    chunks: dict[str, Chunk] = {}
    ends: dict[str, int] = {}  # where the known part of each document ends
    for chunk_id, (doc_id, passage, spoken) in sorted(first.items(), key=lambda row: row[1][1].number):
        chunks[chunk_id] = _chunk(chunk_id, doc_id, ends.get(doc_id, 0), passage, spoken)
        ends[doc_id] = chunks[chunk_id].end + 1
    return chunks


def _chunk_id(passage: Passage) -> str:
    return row_id("passage", passage.title, passage.text)


def _spoken(asked: QuestionRecord, language: str) -> str:
    said = code_of(asked.language) or language
    return said or tongue(asked.text, (passage.text[:500] for passage in asked.passages))


def _question(asked: QuestionRecord, known: Mapping[str, Chunk], language: str) -> tuple[Question, dict[str, Chunk]]:
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
        for start, end in sorted(set(_evidence(passage, answers)))
    ]
    question = Question(
        question_id=id_of(asked),
        path_id="",
        pattern="single" if len(gold) < 2 else "multi",
        text=asked.text,
        answer=answers[0] if answers else "",
        aliases=answers[1:],
        triplet_ids=(),
        chunk_ids=tuple(gold),
        evidence=tuple(chunks[span.chunk_id].text[span.start : span.end] for span in spans),
        evidence_spans=tuple(spans),
        language=_spoken(asked, language),
    )
    return question, chunks


def _chunk(chunk_id: str, doc_id: str, start: int, passage: Passage, language: str) -> Chunk:
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
        return len(asked.passages) == 1  # no passage says "yes": the only one there is must be the one asked about
    return occurs(passage.text, asked.answers[0], asked.answers[1:])


def _evidence(passage: Passage, answers: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """The sentences or table rows that the file names, those where it says that an answer begins, or that hold one."""
    if named := [said for said in passage.evidence if said in passage.text]:
        yield from ((at, at + len(said)) for said in named for at in [passage.text.index(said)])
        return
    parts = list(_parts(passage.text[:_MOST]))
    if starts := [at for at in passage.at if any(passage.text.startswith(answer, at) for answer in answers)]:
        yield from ((start, end) for start, end in parts if any(start <= at < end for at in starts))
        return
    for start, end in parts:
        if occurs(passage.text[start:end], answers[0], answers[1:]):
            yield start, end


def _parts(text: str) -> Iterator[tuple[int, int]]:
    """Sentences, and the rows of tables one by one."""
    for start, end in sentences(text):
        at = start
        for line in text[start:end].splitlines(keepends=True) if _TABLE.search(text, start, end) else [text[start:end]]:
            bare = line.strip()
            if bare:
                first = at + line.index(bare)
                yield first, first + len(bare)
            at += len(line)
