"""Records as data sets and tools publish them: SQuAD, HotpotQA, DPR, MuSiQue, MS MARCO, ragas, YourBench."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from rarefy.tasks.perturb.layouts.fields import FieldFault, Record, empty, rows_of, text_of, texts_of
from rarefy.tasks.perturb.layouts.passages import passages, proven
from rarefy.tasks.perturb.layouts.plain import ANSWER, answered, of
from rarefy.tasks.perturb.layouts.question_record import Passage, QuestionRecord, Skipped


def squad(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """An article of SQuAD's JSON with its paragraphs, or a row of it as Hugging Face has it."""
    if "paragraphs" not in record:
        yield from _squad_question(place, record, record.get("context"), text_of(record.get("title"), "title"))
        return
    title = text_of(record.get("title"), "title")
    for number, paragraph in enumerate(rows_of(record["paragraphs"], "paragraphs"), 1):
        if not isinstance(paragraph, Mapping) or "qas" not in paragraph:
            raise FieldFault(f"paragraphs[{number - 1}]: an object with context and qas is due")
        for order, row in enumerate(rows_of(paragraph["qas"], "qas"), 1):
            where = f"question {order} of paragraph {number} of {title!r}"
            yield from _squad_question(where, row, paragraph.get("context"), title, number)


def _squad_question(
    place: str, row: Record, context: object, title: str, number: int = -1
) -> Iterator[QuestionRecord | Skipped]:
    answers = row.get("answers")
    if row.get("is_impossible") or empty(answers) or not texts_of(_texts(answers), "answers"):
        yield Skipped(place, "unanswerable", "the file says that its passage does not answer it; leave it out")
        return
    text = text_of(context, "context")
    at = [start for start in _starts(answers) if 0 <= start < len(text)]
    found = (Passage(text, title, True, at=tuple(at), number=number),) if text.strip() else ()
    yield from of(place, row, texts_of(_texts(answers), "answers"), found)


def _texts(answers: object) -> object:
    if isinstance(answers, Mapping):
        return answers.get("text")
    return [a.get("text") if isinstance(a, Mapping) else a for a in rows_of(answers, "answers")]


def _starts(answers: object) -> list[int]:
    if isinstance(answers, Mapping):
        said = rows_of(answers.get("answer_start"), "answers.answer_start")
    else:
        said = [a.get("answer_start") for a in rows_of(answers, "answers") if isinstance(a, Mapping)]
    return sorted({start for start in said if isinstance(start, int)})


def hotpot(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """A question with ten titled passages cut into sentences, and which of these support the answer."""
    facts: dict[str, set[int]] = {}
    said = record.get("supporting_facts")
    if isinstance(said, Mapping):
        pairs = list(zip(rows_of(said.get("title"), "title"), rows_of(said.get("sent_id"), "sent_id"), strict=False))
    else:
        pairs = [(pair[0], pair[1]) for pair in rows_of(said, "supporting_facts")]
    for title, number in pairs:
        facts.setdefault(text_of(title, "supporting_facts"), set()).add(int(number))
    found = []
    for title, lines in _titled(record.get("context")):
        proof = tuple(line.strip() for number, line in enumerate(lines) if number in facts.get(title, ()))
        found.append(Passage("".join(lines).strip(), title, title in facts if facts else None, proof))
    yield from of(place, record, answered(record, "answer"), tuple(p for p in found if p.text))


def _titled(context: object) -> Iterator[tuple[str, list[str]]]:
    if isinstance(context, Mapping):
        titles, parts = context.get("title"), context.get("sentences") or context.get("content")
        pairs = list(zip(rows_of(titles, "context.title"), rows_of(parts, "context.sentences"), strict=False))
    else:
        pairs = [(pair[0], pair[1]) for pair in rows_of(context, "context")]
    for title, lines in pairs:
        yield (
            text_of(title, "context"),
            [text_of(line, f"context of {title!r}") for line in rows_of(lines, "sentences")],
        )


def dpr(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """A question with positive passages, and negative ones that were retrieved for it."""
    found = passages(record, ("positive_ctxs",), gold=True)
    found += passages(record, ("hard_negative_ctxs", "negative_ctxs"), gold=False)
    yield from of(place, record, answered(record, "answers", "answer"), found)


def musique(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """A question of several hops with titled paragraphs, each marked whether it supports the answer."""
    if record.get("answerable") is False:
        yield Skipped(place, "unanswerable", "the file says that its paragraphs do not answer it; leave it out")
        return
    answers = (*answered(record, "answer"), *texts_of(record.get("answer_aliases"), "answer_aliases"))
    yield from of(place, record, answers, passages(record, ("paragraphs",)))


def ms_marco(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """A query with passages of which some were selected."""
    answers = tuple(a for a in answered(record, "answers") if a.strip() != "No Answer Present.")
    if not answers:
        yield Skipped(place, "unanswerable", "the file says that no answer is present; leave it out")
        return
    yield from of(place, record, answers, passages(record, ("passages",)))


def ragas(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """A sample of ragas' test set or evaluation set: reference contexts are gold, retrieved ones may be."""
    found = passages(record, ("reference_contexts",), gold=True)
    known = {passage.text for passage in found}
    others = passages(record, ("contexts", "retrieved_contexts"), gold=False if found else None)
    found += tuple(passage for passage in others if passage.text not in known)
    answers = answered(record, "reference", "ground_truth", "ground_truths", "answer")
    asked = record.get("user_input") or record.get("question")
    if isinstance(asked, list):
        yield Skipped(place, "conversation", "user_input is a conversation; single turns are read")
        return
    yield from of(place, {**record, "question": asked, "user_input": None}, answers, found)


def yourbench(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """A question written over chunks of a document, with sentences of them as citations."""
    name = next((n for n in ("chunks", "source_chunks", "chunk") if not empty(record.get(n))), "chunks")
    title = text_of(record.get("document_id") or record.get("document_filename"), "document_id")
    found = passages(record, (name,), gold=True, title=title)
    found = tuple(replace(passage, title=passage.title or title) for passage in found)
    answers = answered(record, "ground_truth_answer", "self_answer", "answer", *ANSWER)
    yield from of(place, record, answers, proven(found, texts_of(record.get("citations"), "citations")))
