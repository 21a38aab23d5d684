"""How somebody's own endpoint is asked, and where in its replies the answer stands."""

import re
from typing import Any, Literal

from pydantic import BaseModel, Field, field_validator, model_validator

from rarefy.tasks.evaluate.systems.http.paths import parsed
from rarefy.tasks.evaluate.systems.http.template import OF_ASKED, OF_PASSAGE, check, names, variables

_SECRET = re.compile(r"(?i)auth|key|token|secret|cookie|password|credential")
_IN_URL = re.compile(r"(?i)://[^/\s@$]*:[^/\s@$]+@|[?&](?:api[-_]?key|key|token|sig|signature|code|password)=[^&$]+")


class ReplyPaths(BaseModel, frozen=True, extra="forbid"):
    """Where in a reply what stands: `answer`, `$.answer`, `choices[0].message.content`, `docs[*]`; empty: nowhere."""

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
    def _read(cls, path: str) -> str:
        parsed(path)
        return path


class HttpConfig(BaseModel, frozen=True, extra="forbid", hide_input_in_errors=True):
    """An endpoint. ${NAME} in url, headers and request stands for a variable of the environment of whoever asks."""

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
    def _sound(self) -> "HttpConfig":
        check(self.request, OF_ASKED, "http.request")
        check(self.passage, OF_PASSAGE, "http.passage")
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
        """How the request is sent: json | form | query."""
        return self.body or ("query" if self.method == "GET" else "json")

    @property
    def takes(self) -> tuple[str, ...]:
        """What it can be given: passages where its request has a place for them, else nothing: it retrieves."""
        places = set(names(self.request))
        return ("closed_book", "passages") if places & {"passages", "texts", "context"} else ("own",)

    def identity(self) -> dict[str, Any]:
        """What its answers hang on: as it is written, with the names of variables and not what they hold."""
        speed = {"concurrency", "timeout", "retries", "largest", "give_up_after"}
        return self.model_dump(mode="json", exclude=speed)

    def secrets(self) -> list[str]:
        """The variables of the environment that hold secrets, by their own names or by those of their headers."""
        named = set(variables(self.url, self.request, list(self.headers.values())))
        told = {name for header, value in self.headers.items() if _SECRET.search(header) for name in variables(value)}
        return sorted(told | {name for name in named if _SECRET.search(name)})


_WAY_OUT = 'name a variable of the environment instead: "Bearer ${MY_RAG_KEY}"'
