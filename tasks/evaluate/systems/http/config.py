"""Configuration of an HTTP endpoint under test: the request as a template, and paths into the JSON of its replies."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from rarefy.tasks.evaluate.systems.interface import SystemInput
from rarefy.tasks.models.llm.faults import Unavailable

# Places that are filled in what is sent to an endpoint
REQUEST_PLACES = tuple("query passages texts context refusal protocol domain language repeat asked_id".split())
PASSAGE_PLACES = ("id", "title", "text", "score", "rank")
PASSAGE_LIST_PLACES = frozenset(("passages", "texts", "context"))
_PLACE = re.compile(r"\{\{|\}\}|\{(\w+)\}")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class _Absent:
    """Marks a value that is left out of what is sent."""


ABSENT = _Absent()


def find_placeholders(template: Any) -> Iterator[str]:
    """Yield the names of all places in a template."""
    for text in _texts_in(template):
        yield from (place[1] for place in _PLACE.finditer(_VARIABLE.sub("", text)) if place[1])


def find_variables(*templates: Any) -> Iterator[str]:
    """Yield the names of the environment variables in templates."""
    for text in _texts_in(list(templates)):
        yield from (variable[1] for variable in _VARIABLE.finditer(text))


def _texts_in(template: Any) -> Iterator[str]:
    """Yield all strings of nested lists and dicts."""
    if isinstance(template, str):
        yield template
    elif isinstance(template, dict | list):
        for value in template.values() if isinstance(template, dict) else template:
            yield from _texts_in(value)


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Return nested lists and dicts with each string value changed."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {name: map_texts(inner, change) for name, inner in value.items()}
    return [map_texts(inner, change) for inner in value] if isinstance(value, list) else value


def check_placeholders(template: Any, known: tuple[str, ...], where: str) -> None:
    """Raise ValueError where a template has a place that nothing fills."""
    for name in find_placeholders(template):
        if name not in known:
            near = get_close_matches(name, known, 1)
            meant = f"did you mean {{{near[0]}}}? " if near else ""
            raise ValueError(f"{where}: nothing fills {{{name}}}; {meant}have {', '.join(known)}; {{{{ is a brace")


def expand_variables(template: Any, where: str) -> Any:
    """Return a template with the values of its environment variables; Unavailable where one is not set."""

    def value(variable: re.Match[str]) -> str:
        content = os.environ.get(variable[1], "").strip()
        if not content:
            raise Unavailable(f"{where} names ${{{variable[1]}}}, which is not set: export {variable[1]}=...")
        verbatim = where == "http.url" or where.startswith("http.headers")  # these are no templates
        return content if verbatim else _PLACE.sub(lambda brace: re.sub(r"([{}])", r"\1\1", brace[0]), content)

    return map_texts(template, lambda text: _VARIABLE.sub(value, text))


def fill_template(template: Any, values: Mapping[str, Any]) -> Any:
    """Return a template with its places filled, each once: what fills a place is never searched for places itself.

    A string that is one place becomes its value, of whatever type. An ABSENT value is left out of its object or list,
    and is empty within a text.
    """
    if isinstance(template, str):
        whole = _PLACE.fullmatch(template)
        if whole and whole[1]:
            return values[whole[1]]
        return _PLACE.sub(lambda place: _format_place(place, values), template)
    if isinstance(template, dict):
        filled = {name: fill_template(inner, values) for name, inner in template.items()}
        return {name: value for name, value in filled.items() if value is not ABSENT}
    if isinstance(template, list):
        return [value for value in (fill_template(inner, values) for inner in template) if value is not ABSENT]
    return template


def template_values(asked: SystemInput, passage: Any) -> dict[str, Any]:
    """Return the values of a request's places; those of passages are ABSENT where the system retrieves by itself."""
    fields = ("query", "refusal", "protocol", "domain", "language", "repeat", "asked_id")
    values: dict[str, Any] = {name: getattr(asked, name) for name in fields}
    if asked.passages is None:
        return values | dict.fromkeys(PASSAGE_LIST_PLACES, ABSENT)
    entries = [
        {"id": one.passage_id, "title": one.title, "text": one.text, "score": one.score, "rank": rank}
        for rank, one in enumerate(asked.passages, 1)
    ]
    heads = (f"{entry['title']}\n" if entry["title"] else "" for entry in entries)
    return values | {
        "passages": [fill_template(passage, entry) for entry in entries],
        "texts": [entry["text"] for entry in entries],
        "context": "\n\n".join(f"[{e['rank']}] {head}{e['text']}" for e, head in zip(entries, heads, strict=True)),
    }


def _format_place(place: re.Match[str], values: Mapping[str, Any]) -> str:
    if not place[1]:
        return place[0][0]
    value = values[place[1]]
    if value is ABSENT or value is None:
        return ""
    return "\n\n".join(map(str, value)) if isinstance(value, list) else str(value)


# Paths into JSON: a small and usual part of JSONPath (RFC 9535)

# a name after a dot or at the beginning, [0], [-1], [*], ['any name'] or ["any name"]
_STEP = re.compile(r"""(?:^|\.)([^.\[\]$\s'"]+)|\[(-?\d+)\]|\[(\*)\]|\[(?:'([^']+)'|"([^"]+)")\]""")


class MissingPath(LookupError):
    """A value has nothing at a path; the message says how far the path leads."""


@cache
def parse_path(path: str) -> tuple[str | int | None, ...]:
    """Return the steps of a path: a name, an index, or None for [*]; ValueError where it cannot be read."""
    rest = path.removeprefix("$")
    if rest.startswith(".") and not path.startswith("$"):
        raise ValueError(f"path {path!r} begins with a dot; write answer, $.answer or choices[0].message.content")
    steps: list[str | int | None] = []
    at = 0
    if path.startswith("$"):
        rest = rest.removeprefix(".") if rest.startswith(".") and not rest.startswith("..") else rest
    while at < len(rest):
        step = _STEP.match(rest, at)
        if not step or step.end() == at:
            raise ValueError(
                f"path {path!r} cannot be read at {rest[at:]!r}; write answer, $.answer, choices[0].message.content, "
                "sources[*].id or ['a name'].text"
            )
        name, number, each, single, double = step.groups()
        steps.append(int(number) if number else None if each else name or single or double)
        at = step.end()
    return tuple(steps)


def get_at_path(value: Any, path: str) -> Any:
    """Return the value at a path; a list where the path has [*]; MissingPath where there is none."""
    return _follow_steps(value, parse_path(path), path)


def _follow_steps(value: Any, steps: Sequence[str | int | None], path: str) -> Any:
    for done, step in enumerate(steps):
        if step is None:
            if not isinstance(value, list):
                raise MissingPath(f"{path}: [*] asks for a list, there is {describe_value(value)}")
            return [_follow_steps(entry, steps[done + 1 :], path) for entry in value]
        try:
            if isinstance(step, int) != isinstance(value, list) or not isinstance(value, dict | list):
                raise LookupError
            value = value[step]  # type: ignore[index]
        except LookupError:
            raise MissingPath(f"{path}: no {step!r} in {describe_value(value)}") from None
    return value


def describe_value(value: Any) -> str:
    """Describe a JSON value in a few words, without its content."""
    if isinstance(value, dict):
        names = [str(name)[:40] for name in list(value)[:8]]
        return f"an object with {', '.join(names)}{', …' if len(value) > 8 else ''}" if names else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return {str: "a text", bool: "true or false", type(None): "null"}.get(type(value), "a number")


_SECRET = re.compile(r"(?i)auth|key|token|secret|cookie|password|credential")
_IN_URL = re.compile(r"(?i)://[^/\s@$]*:[^/\s@$]+@|[?&](?:api[-_]?key|key|token|sig|signature|code|password)=[^&$]+")


class ReplyPaths(BaseModel, frozen=True, extra="forbid"):
    """Paths into a reply: `answer`, `$.answer`, `choices[0].message.content`, `docs[*]`; empty: not in the reply."""

    answer: str = Field("answer", description='the text of the answer; "$": the whole reply')
    refused: str = Field("", description="true where the system refuses to answer; empty: its words tell")
    retrieved: str = Field("", description="the list of what it retrieved, best first")
    id: str = Field("id", description="in an entry of `retrieved`: its name: the chunk_id, where it knows it")
    text: str = Field("text", description="in an entry of `retrieved`: its text")
    title: str = Field("", description="in an entry of `retrieved`: its title")
    score: str = Field("", description="in an entry of `retrieved`: its score")
    prompt_tokens: str = Field("", description="tokens of its prompts, of all calls together")
    completion_tokens: str = Field("", description="tokens of what its model wrote")
    cost: str = Field("", description="what the answer cost")
    model: str = Field("", description="the model that wrote it")
    error: str = Field("", description="where it tells of a fault of its own, though it says 200")

    @field_validator("*")
    @classmethod
    def _check_path(cls, path: str) -> str:
        parse_path(path)
        return path


class HttpConfig(BaseModel, frozen=True, extra="forbid", hide_input_in_errors=True):
    """An endpoint; ${NAME} in url, headers and request is a variable of the environment of the process that asks."""

    url: str = Field("", description='its address, as "http://localhost:8000/ask" or "${MY_RAG_URL}/ask"')
    method: Literal["POST", "GET", "PUT"] = Field("POST", description="how it is asked")
    body: Literal["", "json", "form", "query"] = Field(
        "", description="how the request is sent: as JSON, as a form, in the address; empty: JSON, with GET the address"
    )
    request: dict[str, Any] = Field(
        {"query": "{query}"},
        description="what is sent; {query}, {passages} (a list), {texts} (a list of texts), {context} (one text), "
        "{refusal}, {protocol}, {domain}, {language}, {repeat}, {asked_id} are filled in, {{ is a brace",
    )
    passage: Any = Field(
        {"id": "{id}", "title": "{title}", "text": "{text}"}, description="an entry of {passages}, each filled in"
    )
    headers: dict[str, str] = Field(
        {}, description='more headers, secrets by name alone: { Authorization = "Bearer ${MY_RAG_KEY}" }'
    )
    format: Literal["json", "text", "events"] = Field(
        "json",
        description="json: one value; text: the body is the answer; events: server-sent events or JSON lines, whose "
        "pieces of the answer are put together",
    )
    reply: ReplyPaths = Field(ReplyPaths.model_validate({}), description="where in the reply what stands")
    concurrency: int = Field(8, ge=1, description="requests in flight per worker, at most; it adapts below that")
    timeout: float = Field(60, gt=0, description="seconds for one try")
    retries: int = Field(3, ge=0, description="further tries after 429, 5xx, timeouts and cut connections; 0: none")
    largest: int = Field(5_000_000, ge=1, description="bytes of a reply, unpacked; a larger one is not read on")
    give_up_after: int = Field(
        50, ge=0, description="answers in a row that failed, after which the stage is stopped; 0: it never is"
    )

    @model_validator(mode="after")
    def _check_request(self) -> "HttpConfig":
        check_placeholders(self.request, REQUEST_PLACES, "http.request")
        check_placeholders(self.passage, PASSAGE_PLACES, "http.passage")
        for name, value in self.headers.items():
            if _SECRET.search(name) and value and "${" not in value:
                raise ValueError(
                    f"http.headers.{name} holds a secret, which would be stored with the results; {_WAY_OUT}"
                )
            if any(ord(character) < 32 for character in name + value):
                raise ValueError(f"http.headers.{name!r} has a line break or another control character")
        if _IN_URL.search(self.url):
            raise ValueError(f"http.url holds a password or key, which the results would show; {_WAY_OUT}")
        if self.url and not re.match(r"https?://|\$\{", self.url):
            raise ValueError(
                f'http.url = {self.url!r} is no address: "http://localhost:8000/ask", "${{MY_RAG_URL}}/ask"'
            )
        if self.sends != "json" and any(isinstance(value, dict | list) for value in self.request.values()):
            raise ValueError(
                f"http.request is sent as {self.sends}, which has no objects and lists in it; use {{context}}"
            )
        return self

    @property
    def sends(self) -> str:
        """Return how the request is sent: json | form | query."""
        return self.body or ("query" if self.method == "GET" else "json")

    @property
    def takes(self) -> tuple[str, ...]:
        """Return what it takes: passages where its request has a place for them, else "own": it retrieves."""
        places = set(find_placeholders(self.request))
        return ("closed_book", "passages") if places & PASSAGE_LIST_PLACES else ("own",)

    def identity(self) -> dict[str, Any]:
        """Return what determines its answers, with variables by name and not by value."""
        speed = {"concurrency", "timeout", "retries", "largest", "give_up_after"}
        return self.model_dump(mode="json", exclude=speed)

    def secrets(self) -> list[str]:
        """Return the environment variables that hold secrets, judged by their names or those of their headers."""
        named = set(find_variables(self.url, self.request, list(self.headers.values())))
        in_headers = {
            name for header, value in self.headers.items() if _SECRET.search(header) for name in find_variables(value)
        }
        return sorted(in_headers | {name for name in named if _SECRET.search(name)})


_WAY_OUT = 'name a variable of the environment instead: "Bearer ${MY_RAG_KEY}"'
