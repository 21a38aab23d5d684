"""A process that asks an endpoint through the engine, for tests of several processes and of killed ones.

    python -m endpoint.asker '{"cache": "folder", "count": 100, "serving": {"retries": 0}}'

Address and key come from the environment. Prints one line of JSON: how many replies, by error, and what stopped it.
"""

import json
import resource
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from rarefy.data_contracts.rows import Chunk, Message, Request, Unanswered
from rarefy.data_contracts.tables import to_table
from rarefy.tasks.models.llm import LLM, InferenceContext, LLMConfig, RequestPolicy, unanswered
from rarefy.tasks.models.llm.faults import Stopped
from rarefy.tasks.store.recipe import Job, make
from rarefy.tasks.store.tables import Store


class EchoConfig(BaseModel, frozen=True):
    """Nothing to choose."""


def echo(chunks: Iterable[Chunk], config: EchoConfig, *, llm: LLM) -> Iterator[Chunk | Unanswered]:
    """A stage: each chunk with what the model says of it."""
    rows = list(chunks)
    replies = llm(Request(row.chunk_id, (Message("user", row.text),)) for row in rows)
    for row, reply in zip(rows, replies, strict=True):
        yield unanswered("echo", row.chunk_id, reply) if reply.error else replace(row, text=reply.text)


def made(store_url: str, prompts: list[str], means: InferenceContext) -> dict[str, str]:
    """The tables of that stage, made through the recipe as a build makes them."""
    store = Store(store_url)
    chunks = [Chunk(f"c{n}", "d", 0, len(text), "text", "", text, 1) for n, text in enumerate(prompts)]
    name = store.keep(to_table(chunks, Chunk))
    config = LLMConfig(provider="openai", model="m")
    makes = {"chunks": Chunk, "unanswered": Unanswered}
    job = Job("echo", "endpoint.asker:echo", 1, {"chunks": Chunk}, makes, EchoConfig(), {"llm": config})
    return make({"chunks": name}, job, store_url, means=means)


def resident() -> float:
    """MiB of this process in memory."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20


def main() -> None:
    order: dict[str, Any] = {"cache": "", "run": "r", "first": 0, "count": 0, "prompt": "question {n}", "serving": {}}
    order |= json.loads(sys.argv[1])
    means = InferenceContext(
        stage="s",
        run=order["run"],
        serving=RequestPolicy(**order["serving"]),
        max_calls=order.get("max_calls", 0),
        max_cost=order.get("max_cost", 0.0),
    )
    numbers = range(order["first"], order["first"] + order["count"])
    if order.get("store"):
        prompts = [order["prompt"].format(n=n) + (" [[do: refusal]]" if n % 50 == 7 else "") for n in numbers]
        print(json.dumps(made(order["store"], prompts, means)))
        return
    llm = LLMConfig(provider="openai", model="m").connect(Path(order["cache"]), threads=1, means=means)
    asked = (Request(f"q{n}", (Message("user", order["prompt"].format(n=n)),)) for n in numbers)
    errors: Counter[str] = Counter()
    count, early, stopped = 0, 0.0, ""
    try:
        for count, reply in enumerate(llm(asked), 1):
            errors[reply.error] += 1
            if count == order.get("measure_at"):
                early = resident()
    except Stopped as fault:
        stopped = f"{type(fault).__name__}: {fault}"
    print(json.dumps({"replies": count, "errors": errors, "stopped": stopped, "early": early, "late": resident()}))


if __name__ == "__main__":
    main()
