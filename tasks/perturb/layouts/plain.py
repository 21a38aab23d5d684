"""A record with a question, its answers and its contexts, by whatever names: our own layout, and most others."""

from collections.abc import Iterator

from rarefy.tasks.perturb.layouts.fields import FieldFault, Record, first, text_of, texts_of
from rarefy.tasks.perturb.layouts.passages import marked, passages, proven
from rarefy.tasks.perturb.layouts.question_record import QuestionRecord, Skipped

ID = ("id", "_id", "qid", "question_id", "query_id", "example_id", "sample_id", "uid")
QUESTION = ("question", "query", "user_input", "question_text", "input")
ANSWER = (
    "answer", "answers", "gold_answer", "gold_answers", "golden_answers", "expected_answer", "correct_answer",
    "ground_truth", "ground_truths", "ground_truth_answer", "reference", "reference_answer", "possible_answers",
    "short_answers", "generation_gt", "self_answer", "target", "response", "obj",
)  # fmt: skip
ALIASES = ("aliases", "answer_aliases", "answer_alias", "alternatives")
CONTEXTS = (
    "contexts", "context", "passages", "passage", "documents", "docs", "ctxs", "paragraphs", "retrieved_contexts",
    "document", "chunks",
)  # fmt: skip
GOLD = ("gold_contexts", "golden_contexts", "positive_contexts", "reference_contexts", "gold_context", "gold_passage")
NOISE = ("negative_contexts", "noise_contexts", "distractors")


def plain(place: str, record: Record) -> Iterator[QuestionRecord | Skipped]:
    """The question of a record; FieldFault where a field holds something else than it should."""
    title = text_of(record.get("title"), "title")
    found = passages(record, [name for name in CONTEXTS if name in record], title=title)
    found += passages(record, [name for name in GOLD if name in record], gold=True, title=title)
    found += passages(record, [name for name in NOISE if name in record], gold=False, title=title)
    found = marked(found, record, first(record, "gold", "gold_ids", "supporting_passages"))
    found = proven(found, texts_of(record.get("evidence"), "evidence"))
    answers = first(record, *ANSWER) or next((name for name in ANSWER if isinstance(record.get(name), bool)), "")
    yield from of(place, record, (*texts_of(record.get(answers), answers), *_aliases(record)), found)


def of(place: str, record: Record, answers: tuple[str, ...], found: tuple) -> Iterator[QuestionRecord | Skipped]:  # type: ignore[type-arg]
    """The question of a record with these answers and passages, by the fields that all layouts share."""
    name = first(record, *QUESTION)
    if not name:
        told = ", ".join(map(str, list(record)[:8])) or "none"
        yield Skipped(place, "no_question", f"no field {', '.join(QUESTION[:3])} with a text; its fields are {told}")
        return
    text = " ".join(text_of(record[name], name).split())
    if not text:
        yield Skipped(place, "no_question", f"{name}: blank")
        return
    own = first(record, *ID)
    said = first(record, "language", "lang")
    yield QuestionRecord(
        place,
        text_of(record[own], own).strip() if own else "",
        text,
        tuple(dict.fromkeys(answer.strip() for answer in answers)),
        found,
        text_of(record[said], said) if said else "",
    )


def _aliases(record: Record) -> tuple[str, ...]:
    name = first(record, *ALIASES)
    return texts_of(record[name], name) if name else ()


def answered(record: Record, *names: str) -> tuple[str, ...]:
    """The answers in the first of these fields that has any; FieldFault where none is a field of the record."""
    name = first(record, *names)
    if not name and not set(names) & set(record):
        raise FieldFault(f"{names[0]}: missing")
    return texts_of(record[name], name) if name else ()
