"""The commented config that `rarefy init` writes, made from the models' own descriptions."""

import json
import re
import textwrap
from collections.abc import Iterator
from typing import Any, get_args

from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from rarefy.flows.config import NAMED, Config

HEAD = """\
# What `rarefy build CORPUS --out DIR --config THIS_FILE` makes. Every value below is the default: keep what you
# change and delete the rest. Where and how fast it is made (--store, --workers, --dask) is on the command line.
"""
WIDTH = 116  # of a line; what stands in comments has two more
SIGNS = {Ge: ("ge", "≥"), Gt: ("gt", ">"), Le: ("le", "≤"), Lt: ("lt", "<")}


def template() -> str:
    """The TOML text of all settings: each key with its meaning and its default."""
    return HEAD + "".join(_section((), Config()))


def _section(path: tuple[str, ...], model: BaseModel) -> list[str]:
    """The keys of a table, then the tables in it: a key below a table would be one of that table."""
    keys, tables = [], []
    whole: dict[tuple[str, ...], tuple[str, BaseModel]] = {}  # by names of keys: the first section that has them
    for name, field in type(model).model_fields.items():
        value, about = getattr(model, name), " ".join(filter(None, [field.description, _bounds(field)]))
        section = ".".join((*path, name))
        if named := _named(field):
            inner = _section((*path, name, "NAME"), named.model_construct())
            tables += ["\n", *_comment(about), f"# [{section}.NAME]\n", *(f"# {line}" for line in inner)]
        elif rows := _rows(field):  # a key that is set could have no [[table]] of its name below it
            tables += ["\n", *_comment(about), f"# [[{section}]]\n", *(f"# {line}" for line in _fields(rows))]
        elif kind := NAMED.get(type(value)):
            keys += _line(f'{_key(name)} = ""', f"{about}; a name under [{kind}]")
        elif isinstance(value, BaseModel):
            first, like = whole.setdefault(tuple(type(value).model_fields), (section, value))
            tables += ["\n", *_comment(field.description or (type(value).__doc__ or "").strip()), f"[{section}]\n"]
            tables += _section((*path, name), value) if like is value else _unlike(value, first, like)
        elif isinstance(value, dict) and len(f"{_key(name)} = {_toml(value)}") > WIDTH:
            lines = [f"  {_key(str(key))} = {_toml(each)}\n" for key, each in value.items()]
            tables += ["\n", *_comment(about), f"[{section}]\n", *lines]
        else:
            keys += _line(f"# {name} = ..." if value is None else f"{_key(name)} = {_toml(value)}", about)
    return [*keys, *tables]


def _unlike(model: BaseModel, first: str, like: BaseModel) -> list[str]:
    """A section whose keys another one explains: those that have another value."""
    lines = [f"# keys as in [{first}]\n"]
    for name, field in type(model).model_fields.items():
        if (value := getattr(model, name)) != getattr(like, name):
            lines += _line(f"{_key(name)} = {_toml(value)}", field.description or "")
    return lines


def _line(line: str, about: str) -> list[str]:
    """A key with what it means: behind it where there is room, else above it."""
    short = f"{line}  # {about}\n"
    return [short] if len(short) <= WIDTH else [*_comment(about), *(f"{part}\n" for part in _broken(line))]


def _broken(line: str) -> list[str]:
    """A long list on lines of its own, broken between its items, which TOML allows in lists alone."""
    if " = [" not in line:
        return [line]
    items = re.sub(r'"[^"]*"', lambda item: item[0].replace(" ", "\0"), line)
    parts = textwrap.wrap(items, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
    return [part.replace("\0", " ") for part in parts]


def _rows(field: FieldInfo) -> type[BaseModel] | None:
    """The model of a key that holds a list of tables; None for other keys."""
    inner = get_args(field.annotation)
    return inner[0] if inner and isinstance(inner[0], type) and issubclass(inner[0], BaseModel) else None


def _named(field: FieldInfo) -> type[BaseModel] | None:
    """The model of a key that holds tables by name; None for other keys."""
    inner = get_args(field.annotation)
    return inner[1] if len(inner) == 2 and isinstance(inner[1], type) and issubclass(inner[1], BaseModel) else None


def _fields(model: type[BaseModel]) -> Iterator[str]:
    """Each key of a table that may stand several times, with its meaning."""
    for name, field in model.model_fields.items():
        default = field.get_default(call_default_factory=True, validated_data={})
        about = " ".join(filter(None, [field.description, _bounds(field)]))
        if kind := NAMED.get(type(default)):
            yield from _line(f'{name} = ""', f"{about}; a name under [{kind}]")
        else:
            yield from _line(f"{name} = {'...' if field.is_required() or default is None else _toml(default)}", about)


def _comment(text: str) -> list[str]:
    return [f"# {line}\n" for line in textwrap.wrap(text, WIDTH)]


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
