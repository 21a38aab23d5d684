"""The rows of a stage's exchange with a model: requests in, replies out, matched by id."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of what a model is shown."""

    role: str  # system | user | assistant
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a model. `request_id` is the asker's own and names its reply; it is no part of the cache key."""

    request_id: str
    messages: tuple[Message, ...]
    schema: str = ""  # the JSON schema that the reply must keep, as JSON; "" for free text
    temperature: float = 0.0
    max_tokens: int = 1024  # of the reply
    seed: int | None = None
    logprobs: int | None = None  # how many alternatives per token of the reply; None: no log-probabilities


@dataclass(frozen=True, slots=True)
class Token:
    """A token of a reply with its natural log-probability, and the likeliest others as parallel tuples."""

    text: str
    logprob: float
    others: tuple[str, ...] = ()
    other_logprobs: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a request: an answer, or the reason why there is none. Tokens are the provider's own count."""

    request_id: str
    text: str = ""  # raw, kept even where it cannot be used
    parsed: str = ""  # the value that keeps the request's schema, as canonical JSON; "" where none was asked for
    finish_reason: str = ""  # stop | length | content_filter | ..., as the provider says it
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0  # of the prompt's, served from the provider's prefix cache
    logprobs: tuple[Token, ...] = ()
    model: str = ""  # that answered, as the provider names it
    error: str = ""  # a code: see rarefy.tasks.models.llm.faults.REASONS; "" for an answer
    detail: str = ""  # what the provider or the parser said of it, without secrets
    remembered: bool = field(default=False, compare=False)  # from the reply cache: nothing was sent
    seconds: float = field(default=0.0, compare=False)  # that the model took once; a remembered reply keeps them


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A request of a stage that got no usable answer: what it was about, why, and what the model said if anything."""

    unanswered_id: str
    stage: str
    about: str  # the rows it was about, by id
    reason: str  # as Reply.error
    detail: str
    text: str = ""  # the raw reply
