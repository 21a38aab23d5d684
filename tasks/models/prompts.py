"""Prompts as files beside their stage: Jinja2, one per role and domain, documents fenced off as data."""

import hashlib
import re
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from rarefy.data_contracts.rows import Document, Message

TASKS = Path(__file__).parents[1]
DOMAINS = ("finance", "economics", "policy", "general")
_FENCE = re.compile(
    r"<\s*(/?)\s*(document|chunk|passage|fact|triplet|question|answer|sentence|name|premise|hypothesis)\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"[^\w .:#/()&-]")


def messages(stage: str, role: str, domain: str, **values: Any) -> tuple[Message, ...]:
    """The messages of a stage's prompt for this role and domain, with these values filled in.

    `<stage>/prompts/<role>.<domain>.j2` in `tasks/` has a block `system` and a block `user`; a domain without a file of
    its own gets `<role>.general.j2`. jinja2.UndefinedError names a value that is missing.
    """
    template = _environment(stage).get_template(_file(stage, role, domain))
    context = template.new_context(values)
    for _ in template.root_render_func(context):  # so that the blocks of a file that it extends are known
        pass
    parts = {name: "".join(context.blocks[name][0](context)).strip() for name in ("system", "user")}
    return tuple(Message(name, text) for name, text in parts.items() if text)


@cache
def folders() -> dict[str, Path]:
    """The folder of prompts of each stage that has some."""
    return {path.parent.name: path for path in sorted(TASKS.glob("**/prompts")) if any(path.glob("*.*.j2"))}


def folder(stage: str) -> Path:
    """The folder of a stage's prompts, which need not be there."""
    return folders().get(stage, TASKS / stage / "prompts")


def shared_folder(stage: str) -> Path:
    """What prompts of several stages include, beside the stage's own folder; it need not be there."""
    return folder(stage).parents[1] / "prompts"


@cache
def roles(stage: str) -> dict[str, list[str]]:
    """The roles a stage has prompts for, each with its domains."""
    found: dict[str, list[str]] = {}
    for file in sorted(folder(stage).glob("*.j2")):
        role, _, domain = file.stem.partition(".")
        if domain:
            found.setdefault(role, []).append(domain)
    return found


def source(stage: str, role: str, domain: str) -> str:
    """The text of a prompt's file."""
    return (folder(stage) / _file(stage, role, domain)).read_text(encoding="utf-8")


def digest(stage: str) -> str:
    """A digest of all prompts of a stage and what they include: another word in one of them, other recipes."""
    hashed = hashlib.blake2b(digest_size=16)
    for file in [*sorted(folder(stage).glob("*.j2")), *sorted(shared_folder(stage).glob("*.j2"))]:
        hashed.update(f"{file.name}\n{file.read_text(encoding='utf-8')}\n".encode())
    return hashed.hexdigest()


def title(document: Document) -> str:
    """A document's title as a prompt tells it: "" where it is only the name of its file.

    A file that is given another name says what it said before, and nothing is asked of it again.
    """
    stem = PurePosixPath(document.source.partition("#")[0]).stem
    return "" if document.title == stem else document.title


def fenced(text: str) -> str:
    """A document's text as data inside a prompt: what looks like one of our own tags is written another way."""
    return _FENCE.sub(r"‹\1\2", str(text))  # str() of what is missing says so


def labelled(text: str) -> str:
    """A title or name as part of a tag: nothing in it can end the tag."""
    return _NAME.sub(" ", text)


@cache
def _environment(stage: str) -> Environment:
    # nothing is HTML here; a value that a prompt needs and does not get is an error
    environment = Environment(
        loader=FileSystemLoader([folder(stage), shared_folder(stage)]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    environment.filters |= {"fenced": fenced, "labelled": labelled}
    return environment


def _file(stage: str, role: str, domain: str) -> str:
    known = roles(stage).get(role, [])
    if not known:
        raise ValueError(f"stage {stage!r} has no prompt {role!r}; it has {', '.join(roles(stage)) or 'none'}")
    return f"{role}.{domain if domain in known else 'general'}.j2"
