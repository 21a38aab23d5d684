"""The contexts of a record: texts, or objects with a text, a title and a mark of gold."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rarefy.tasks.perturb.layouts.fields import FieldFault, Record, empty, first, rows_of, text_of, texts_of, truth
from rarefy.tasks.perturb.layouts.question_record import Passage

TEXT = (
    "text", "content", "contents", "page_content", "passage_text", "paragraph_text", "passage", "context", "paragraph",
    "chunk_text", "chunk", "document", "body", "snippet", "sentences",
)  # fmt: skip
TITLE = ("title", "doc_title", "document_title", "wikipedia_title", "source", "doc_id", "document_id", "url")
MARK = ("gold", "is_gold", "is_supporting", "is_selected", "is_relevant", "relevant", "supporting", "label")
KEY = ("id", "_id", "chunk_id", "passage_id", "pid", "doc_id", "idx")


def passages(record: Record, names: Sequence[str], *, gold: bool | None = None, title: str = "") -> tuple[Passage, ...]:
    """The passages in these fields of a record; FieldFault names the one that is none."""
    found: list[Passage] = []
    for name in names:
        for place, item in enumerate(rows_of(record.get(name), name)):
            if not empty(item):
                found.append(_passage(item, f"{name}[{place}]", gold, title))
    return tuple(passage for passage in found if passage.text.strip())


def _passage(item: Any, name: str, gold: bool | None, title: str) -> Passage:
    if isinstance(item, list | tuple):
        return _of_pair(item, name, gold, title)
    if not isinstance(item, Mapping):
        return Passage(text_of(item, name), title, gold)
    inner = first(item, *TEXT) or next((key for key in TEXT if key in item), "")
    if not inner:
        raise FieldFault(f"{name}: an object without {', '.join(TEXT[:4])} (it has {', '.join(map(str, item))})")
    text = "".join(texts_of(item[inner], f"{name}.{inner}")) if inner == "sentences" else item[inner]
    named = first(item, *TITLE)
    mark = first(item, *MARK) or next((key for key in MARK if isinstance(item.get(key), bool)), "")
    return Passage(
        text_of(text, f"{name}.{inner}"),
        text_of(item[named], f"{name}.{named}") if named else title,
        truth(item[mark]) if mark else gold,
        texts_of(item.get("evidence"), f"{name}.evidence"),
    )


def _of_pair(item: Sequence[Any], name: str, gold: bool | None, title: str) -> Passage:
    """A title with its text or its sentences, as HotpotQA has it."""
    if len(item) == 2 and isinstance(item[0], str) and isinstance(item[1], list | tuple):
        return Passage("".join(text_of(s, f"{name}[1]") for s in item[1]), item[0], gold)
    return Passage("".join(text_of(s, name) for s in item), title, gold)


def marked(found: tuple[Passage, ...], record: Record, name: str) -> tuple[Passage, ...]:
    """The passages, marked as a field of the record says: by place, by truth value each, by text or by title.

    FieldFault where it says something else.
    """
    said = rows_of(record.get(name), name)
    if not said or not found:
        return found
    if all(isinstance(mark, bool) for mark in said) and len(said) == len(found):
        return tuple(replace(passage, gold=mark) for passage, mark in zip(found, said, strict=True))
    if all(isinstance(mark, int) and not isinstance(mark, bool) for mark in said):
        if len(said) == len(found) and set(said) <= {0, 1} and len(said) > 1:
            return tuple(replace(passage, gold=mark == 1) for passage, mark in zip(found, said, strict=True))
        if lost := [mark for mark in said if not 0 <= mark < len(found)]:
            raise FieldFault(f"{name}: no context {lost[0]}; there are {len(found)}, counted from 0")
        return tuple(replace(passage, gold=place in said) for place, passage in enumerate(found))
    named = {text_of(mark, name) for mark in said}
    if lost_names := sorted(named - {p.text for p in found} - {p.title for p in found}):
        raise FieldFault(f"{name}: {lost_names[0][:60]!r} is neither the text nor the title of a context")
    return tuple(replace(passage, gold=passage.text in named or passage.title in named) for passage in found)


def proven(found: tuple[Passage, ...], evidence: Sequence[str]) -> tuple[Passage, ...]:
    """The passages, those that hold a sentence of evidence with it; what holds one is gold where nothing was said."""
    return tuple(_with(passage, [said for said in evidence if said in passage.text]) for passage in found)


def _with(passage: Passage, evidence: list[str]) -> Passage:
    if not evidence:
        return passage
    gold = True if passage.gold is None else passage.gold
    return replace(passage, gold=gold, evidence=tuple(dict.fromkeys([*passage.evidence, *evidence])))


def keyed(items: Sequence[Any], names: Sequence[str] = KEY) -> Iterator[tuple[str, Any]]:
    """Objects with their own ids, those that have one."""
    for item in items:
        if isinstance(item, Mapping) and (key := first(item, *names)):
            yield text_of(item[key], key), item
