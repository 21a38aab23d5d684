"""The commented config that `rarefy init` writes, made from the models' own descriptions."""

import json
import textwrap
from collections.abc import Iterator
from typing import Any, get_args

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from rarefy.flows.config import Config

HEAD = """\
# What `rarefy build CORPUS --out DIR --config THIS_FILE` makes. Every value below is the default: keep what you
# change and delete the rest. Where and how fast it is made (--store, --workers, --dask) is on the command line.
"""
SIGNS = {Ge: ("ge", "≥"), Gt: ("gt", ">"), Le: ("le", "≤"), Lt: ("lt", "<")}


def template() -> str:
    """A TOML text that says for every key what it means and holds its default."""
    return HEAD + "".join(_section((), Config()))


def _section(path: tuple[str, ...], model: BaseModel) -> list[str]:
    lines = []
    nested = []
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if isinstance(value, BaseModel):
            nested.append((name, field, value))
            continue
        lines += _comment(" ".join(filter(None, [field.description, _bounds(field)])))
        if named := _named(field):
            inner = (*path, name, "NAME")
            lines += [f"# [{'.'.join(inner)}]\n", *(f"# {line}" for line in _section(inner, named.model_construct()))]
            continue
        if rows := _rows(field):  # a key that is set could have no [[table]] of its name below it
            nested_rows = ".".join((*path, name))
            lines += [f"# [[{nested_rows}]]\n", *(f"# {line}" for line in _fields(rows))]
            continue
        lines.append(f"# {name} =  (not set)\n" if value is None else f"{_key(name)} = {_toml(value)}\n")
    for name, field, value in nested:
        lines += ["\n", *_comment(field.description or (type(value).__doc__ or "").strip())]
        lines += [f"[{'.'.join((*path, name))}]\n", *_section((*path, name), value)]
    return lines


def _rows(field: FieldInfo) -> type[BaseModel] | None:
    """The model of which a key holds any number; None for other keys."""
    inner = get_args(field.annotation)
    return inner[0] if inner and isinstance(inner[0], type) and issubclass(inner[0], BaseModel) else None


def _named(field: FieldInfo) -> type[BaseModel] | None:
    """The model of a key's named tables; None for other keys."""
    inner = get_args(field.annotation)
    return inner[1] if len(inner) == 2 and isinstance(inner[1], type) and issubclass(inner[1], BaseModel) else None


def _fields(model: type[BaseModel]) -> Iterator[str]:
    """Each key of a table that may stand several times, with its meaning."""
    for name, field in model.model_fields.items():
        default = field.get_default(call_default_factory=True, validated_data={})
        shown = "..." if field.is_required() or default is None else _toml(default)
        yield f"{name} = {shown}  # {field.description}\n"


def _comment(text: str) -> list[str]:
    return [f"# {line}\n" for line in textwrap.wrap(text, 117)]


def _bounds(field: FieldInfo) -> str:
    """The limits of a number, as a reader would write them."""
    limits = [
        f"{sign} {getattr(bound, attribute)}"
        for bound in field.metadata
        for kind, (attribute, sign) in SIGNS.items()
        if isinstance(bound, kind)
    ]
    return f"({', '.join(limits)})" if limits else ""


def _key(name: str) -> str:
    return name if name.replace("_", "").replace("-", "").isalnum() and name.isascii() else json.dumps(name)


def _toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, BaseModel):
        value = value.model_dump()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{_key(str(k))} = {_toml(v)}" for k, v in value.items()) + " }" if value else "{}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return json.dumps(value, ensure_ascii=False)
