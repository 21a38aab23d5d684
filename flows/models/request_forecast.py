"""What a stage's requests will come to: calls, tokens, money and minutes, each with a range."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rarefy.flows.models.dry_run import Tally
from rarefy.flows.models.request_rates import PER_SECOND, REPLY, SECONDS, History
from rarefy.tasks.corpus.chunk.tokens import TokenCounter, counter
from rarefy.tasks.models.llm import LLMConfig, RequestPolicy
from rarefy.tasks.models.llm.prices import cost, price_of

Range = tuple[float, float, float]  # at least, likely, at most

UNSEEN: Range = (0.5, 1.0, 1.8)  # of numbers that no build like it has given

FRAME = 8  # tokens around the messages of a prompt: their roles and marks, by the chat templates of common models
LOOSE = 0.35  # of a token count by another tokenizer than the model's: numbers and tables differ most
CLOSE = 0.1  # of a count by the model's own tokenizer or its own ledger
OF_A_REPLY = (0.5, 1.6)  # how far replies lie from the default lengths
OF_A_KNOWN = (0.85, 1.15)  # and from those of the same stage and model


@dataclass(frozen=True)
class Expected:
    """What one model will be asked by one stage."""

    stage: str
    model: str
    calls: Range
    prompt: Range  # tokens
    completion: Range  # tokens
    cost: Range  # in billionths of the currency
    minutes: Range
    currency: str  # "" where the config has no price for this model
    basis: str  # what the numbers rest on


def forecast(
    stage: str,
    model: LLMConfig,
    calls: Range,
    tally: Tally,
    past: History,
    serving: RequestPolicy,
    basis: str,
    tokens: Range = (0, 0, 0),
    reply: float = 0.0,
) -> Expected:
    """The forecast for so many requests, of which the tally holds the prompts it could see.

    `tokens` are those of a prompt where no prompt could be seen and the ledger knows none either, `reply` those of a
    reply that the ledger does not know.
    """
    requests = tuple(count * (past.calls or 1.0) for count in calls)
    prompt, how = _prompt(model, tally, past, tokens)
    reply = past.completion or reply or float(REPLY[stage])
    low, high = OF_A_KNOWN if past.completion else OF_A_REPLY
    most = tally.most / tally.calls if tally.calls else float("inf")
    lengths = tuple(min(reply * by, most) for by in (low, 1.0, high))
    prompts = tuple(count * each for count, each in zip(requests, prompt, strict=True))
    replies = tuple(count * each for count, each in zip(requests, lengths, strict=True))
    price = price_of(model, serving.prices)
    batch = model.provider == "batch"
    free = past.cached if past.cached else 0.0
    money = tuple(
        float(cost(price, round(ins), round(outs), round(ins * free), batch=batch))
        for ins, outs in zip(prompts, replies, strict=True)
    )
    minutes = tuple(
        _minutes(count, ins + outs, outs / count if count else 0.0, past, serving, model)
        for count, ins, outs in zip(requests, prompts, replies, strict=True)
    )
    told = f"{basis}; {how}; replies {'as before' if past.completion else f'of {reply:,.0f} tokens'}"
    name = model.model or model.provider
    ranges = (requests, prompts, replies, money, minutes)
    return Expected(stage, name, *ranges, price.currency if price else "", told)  # type: ignore[arg-type]


def counted(model: LLMConfig, texts: Sequence[str]) -> tuple[int, bool]:
    """Tokens of these texts, and whether the model's own tokenizer counted them."""
    folder = Path(model.model).expanduser()
    own = model.provider == "vllm" and (folder / "tokenizer.json").is_file()
    count: TokenCounter = counter(str(folder) if own else "minilm")
    return sum(count(texts)), own


def _prompt(model: LLMConfig, tally: Tally, past: History, tokens: Range) -> tuple[Range, str]:
    """Tokens of one prompt, and how they were counted."""
    if not tally.calls:
        if past.prompt:
            return (past.prompt * (1 - CLOSE), past.prompt, past.prompt * (1 + CLOSE)), "prompts as long as before"
        return tokens, "prompts by the length of chunks"
    if past.per_character:
        each = tally.characters / tally.calls * past.per_character
        return (each * (1 - CLOSE), each, each * (1 + CLOSE)), "tokens per character as before"
    texts = [text for _, text, _ in tally.sample]
    found, own = counted(model, texts)
    each = tally.words / tally.calls * found / max(sum(map(len, texts)), 1) + FRAME
    schemas, _ = counted(model, [schema for _, _, schema in tally.sample])
    off = CLOSE if own else LOOSE
    # a server may count the schema among the prompt's tokens
    high = (each + schemas / len(texts)) * (1 + off) if not own else each * (1 + off)
    return (each * (1 - off), each, high), f"tokens counted with {'its own tokenizer' if own else 'minilm'}"


def _minutes(
    calls: float, tokens: float, reply: float, past: History, serving: RequestPolicy, model: LLMConfig
) -> float:
    if not calls or model.provider == "recorded":
        return 0.0
    each = past.seconds or SECONDS + reply / PER_SECOND
    seconds = max(calls * each / serving.concurrency, each)
    if serving.requests_per_minute:
        seconds = max(seconds, 60 * calls / serving.requests_per_minute)
    if serving.tokens_per_minute:
        seconds = max(seconds, 60 * tokens / serving.tokens_per_minute)
    return seconds / 60
