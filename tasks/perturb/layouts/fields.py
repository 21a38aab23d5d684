"""Values of records as they come: numbers as answers, lists in strings, one where several are due, nothing at all."""

import ast
import json
from collections.abc import Iterable, Mapping
from typing import Any

Record = Mapping[str, Any]


class FieldFault(ValueError):
    """A field of a record does not hold what it should; the message names it."""


def first(record: Record, *names: str) -> str:
    """The first of these fields that the record has and that is not empty; "" for none."""
    return next((name for name in names if not empty(record.get(name))), "")


def empty(value: Any) -> bool:
    """Whether this is nothing: null, no text, an empty list, or a number that is none (as pandas writes a gap)."""
    return value is None or value != value or (isinstance(value, str | list | tuple | dict) and not len(value))


def text_of(value: Any, name: str) -> str:
    """A text as it stands; a number as it is written, a truth value as yes or no; FieldFault for anything else."""
    if isinstance(value, str):
        return value
    if empty(value):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list | tuple) and len(value) == 1:
        return text_of(value[0], name)
    raise FieldFault(f"{name}: {_kind(value)} where a text is due")


def texts_of(value: Any, name: str) -> tuple[str, ...]:
    """One text or several, however they are put: a list, a list in a string, a mapping with them in it."""
    if empty(value):
        return ()
    if isinstance(value, Mapping):
        inner = first(value, "text", "value", "answer", "answers", "content", "normalized_value")
        if not inner:
            raise FieldFault(
                f"{name}: an object without text, value or answer (it has {', '.join(value) or 'nothing'})"
            )
        return _once([*texts_of(value[inner], f"{name}.{inner}"), *texts_of(value.get("aliases"), f"{name}.aliases")])
    if isinstance(value, str) and (items := listed(value)) is not None:
        value = items
    if isinstance(value, list | tuple):
        return _once(text for place, item in enumerate(value) for text in texts_of(item, f"{name}[{place}]"))
    return _once([text_of(value, name)])


def listed(text: str) -> list[Any] | None:
    """The list that a string spells, as JSON or as Python prints it; None where it spells none."""
    if not (text.startswith("[") and text.rstrip().endswith("]")):
        return None
    for read in (json.loads, ast.literal_eval):
        try:
            found = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        return found if isinstance(found, list) else None
    return None


def rows_of(value: Any, name: str) -> list[Any]:
    """The items of a list; of a mapping of columns, its rows; one thing as a list of it."""
    if empty(value):
        return []
    if isinstance(value, str) and (items := listed(value)) is not None:
        return items
    if isinstance(value, Mapping) and value and all(isinstance(column, list) for column in value.values()):
        return [dict(zip(value, row, strict=False)) for row in zip(*value.values(), strict=False)]
    return list(value) if isinstance(value, list | tuple) else [value]


def truth(value: Any) -> bool | None:
    """A mark as a truth value: true, 1, "1", "yes", "gold"; None where there is none."""
    if empty(value):
        return None
    if isinstance(value, str):
        return value.strip().lower() in {
            "1",
            "1.0",
            "true",
            "yes",
            "gold",
            "golden",
            "positive",
            "relevant",
            "supporting",
        }
    return bool(value)


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(text for text in texts if text.strip()))


def _kind(value: Any) -> str:
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    return "an object" if isinstance(value, Mapping) else f"a {type(value).__name__}"
