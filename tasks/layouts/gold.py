"""Which contexts of a question are gold, where their evidence stands, and all of it as rows."""

import re
from collections.abc import Iterable, Iterator, Mapping

from rarefy.data_contracts.rows import Chunk, Question, Span, row_id
from rarefy.tasks.chunk.sentences import sentences
from rarefy.tasks.layouts.asked import Asked, Passage
from rarefy.tasks.layouts.tongue import tongue
from rarefy.tasks.perturb.notations import VERDICTS, occurs
from rarefy.tasks.read.languages import language as code_of

_MOST = 200_000  # characters of a passage that is searched sentence by sentence
_TABLE = re.compile(r"^\s*\|.*\|\s*$", re.M)


def placed(found: Iterable[Asked], language: str = "") -> Iterator[tuple[Question, dict[str, Chunk]]]:
    """Each question with its chunks; what several questions share is one chunk, that of the first of them.

    Gold is what the file calls so, else what holds the answer; without an answer nothing is. A document is known by
    its title, one without is the question's own. `language` counts where the file says none; where nobody does, it is
    guessed from the words.
    """
    known: dict[str, Chunk] = {}
    ends: dict[str, int] = {}  # where the known part of each document ends
    for asked in found:
        question, chunks = _placed(asked, known, ends, language)
        known |= chunks
        yield question, chunks


def _placed(
    asked: Asked, known: Mapping[str, Chunk], ends: dict[str, int], language: str
) -> tuple[Question, dict[str, Chunk]]:
    answers = asked.answers
    spoken = (
        code_of(asked.language) or language or tongue(" ".join([asked.text, *(p.text[:500] for p in asked.passages)]))
    )
    question_id = asked.question_id or row_id("question", asked.text, *answers)
    chunks: dict[str, Chunk] = {}
    gold: dict[str, Passage] = {}
    for passage in asked.passages:
        doc_id = passage.title or question_id
        chunk_id = row_id("passage", passage.title, passage.text)
        if _is_gold(passage, asked):
            gold.setdefault(chunk_id, passage)
        if chunk_id in known:
            chunks[chunk_id] = known[chunk_id]
        elif chunk_id not in chunks:
            chunks[chunk_id] = _chunk(chunk_id, doc_id, ends.get(doc_id, 0), passage, spoken)
            ends[doc_id] = chunks[chunk_id].end + 1
    spans = [
        Span(chunk_id, start, end)
        for chunk_id, passage in gold.items()
        for start, end in sorted(set(_evidence(passage, answers)))
    ]
    question = Question(
        question_id=question_id,
        path_id="",
        pattern="single" if len(gold) < 2 else "multi",
        text=asked.text,
        answer=answers[0] if answers else "",
        aliases=answers[1:],
        triplet_ids=(),
        chunk_ids=tuple(gold),
        evidence=tuple(chunks[span.chunk_id].text[span.start : span.end] for span in spans),
        evidence_spans=tuple(spans),
        language=spoken,
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


def _is_gold(passage: Passage, asked: Asked) -> bool:
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
