"""What asking costs besides the model: requests per second of one core, and memory, against an instant local server.

    python benchmarks/llm_client.py [--requests 20000] [--memory]

Client and server have a core each; where others use the machine too, "per CPU second" is the figure to trust. Every
client runs in a process of its own and keeps 64 requests in flight; ours alone remembers each reply and has each call
in its ledger (SQLite). `--memory` asks five times as many through ours as well: its memory must not grow. A client that
is not installed is named and skipped; litellm, whose pins differ, may be in an environment of its own (--litellm).
"""

import argparse
import asyncio
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

from measuring import make_parser, peak_memory
from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from endpoint import served

TOGETHER = 64
KEY = "sk-none-0123456789"
Body = dict[str, Any]


def make_bodies(count: int) -> Iterator[Body]:
    """Requests of about 600 characters each, no two alike."""
    filler = "The segment's revenue grew on higher demand for accelerated computing. " * 8
    for n in range(count):
        prompt = f"{filler}Question {n}: what was it?"
        yield {"model": "m", "messages": [{"role": "user", "content": prompt}], "temperature": 0, "max_tokens": 256}


def run_rarefy(url: str, count: int) -> int:
    """The engine of this package, with its books."""
    from rarefy.data_contracts.rows import Message, Request
    from rarefy.tasks.models.llm import InferenceContext, LLMConfig, RequestPolicy

    os.environ |= {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": KEY}
    asked = (
        Request(f"q{n}", (Message("user", body["messages"][0]["content"]),), max_tokens=256)
        for n, body in enumerate(make_bodies(count))
    )
    with tempfile.TemporaryDirectory() as folder:
        means = InferenceContext(stage="benchmark", run="r", serving=RequestPolicy(concurrency=TOGETHER))
        llm = LLMConfig(provider="openai", model="m").connect(Path(folder), threads=1, means=means)
        return sum(bool(reply.text) for reply in llm(asked))


def gather_requests(count: int, ask: Callable[[Body], Awaitable[str]]) -> Awaitable[int]:
    """What everybody writes first: a semaphore, and gather over all."""

    async def run() -> int:
        turn = asyncio.Semaphore(TOGETHER)

        async def one(body: Body) -> str:
            async with turn:
                return await ask(body)

        return sum(map(bool, await asyncio.gather(*(one(body) for body in make_bodies(count)))))

    return run()


def loop_requests(count: int, ask: Callable[[Body], Awaitable[str]]) -> Awaitable[int]:
    """The floor: so many loops, each asking for one thing after the other, and nothing kept."""

    async def run() -> int:
        source = make_bodies(count)

        async def worker() -> int:
            return sum([bool(await ask(body)) for body in source])

        return sum(await asyncio.gather(*(worker() for _ in range(TOGETHER))))

    return run()


def openai_client(how: str, transport: str) -> Callable[[str, int], int]:
    """The openai SDK: its own call, its raw one, or its bare post; over httpx or aiohttp."""

    def client(url: str, count: int) -> int:
        import httpx2
        import openai

        async def run() -> int:
            http = {"aiohttp": openai.DefaultAioHttpClient, "httpx2": openai.DefaultAsyncHttpxClient}[transport]
            limits = httpx2.Limits(max_connections=TOGETHER, max_keepalive_connections=TOGETHER)
            async with openai.AsyncOpenAI(api_key=KEY, base_url=url, http_client=http(limits=limits)) as api:

                async def create(body: Body) -> str:
                    reply = await api.chat.completions.create(**body)
                    return reply.choices[0].message.content or ""

                async def raw(body: Body) -> str:
                    reply = await api.chat.completions.with_raw_response.create(**body)
                    return text_of(reply.content)

                async def post(body: Body) -> str:
                    reply = await api.post("/chat/completions", body=body, cast_to=httpx2.Response)
                    return text_of(reply.content)

                return await gather_requests(count, {"create": create, "raw": raw, "post": post}[how])

        return asyncio.run(run())

    return client


def text_of(content: bytes) -> str:
    return str(json.loads(content)["choices"][0]["message"]["content"])


def bare_httpx2(url: str, count: int) -> int:
    import httpx2

    async def run() -> int:
        limits = httpx2.Limits(max_connections=TOGETHER, max_keepalive_connections=TOGETHER)
        async with httpx2.AsyncClient(limits=limits, timeout=60) as client:

            async def ask(body: Body) -> str:
                return text_of((await client.post(f"{url}/chat/completions", json=body)).content)

            return await loop_requests(count, ask)

    return asyncio.run(run())


def bare_aiohttp(url: str, count: int) -> int:
    import aiohttp

    async def run() -> int:
        async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=TOGETHER)) as client:

            async def ask(body: Body) -> str:
                async with client.post(f"{url}/chat/completions", json=body) as reply:
                    return text_of(await reply.read())

            return await loop_requests(count, ask)

    return asyncio.run(run())


def litellm(url: str, count: int) -> int:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # it fetches a price list otherwise
    import litellm as library

    library.telemetry = False
    replies = library.batch_completion(
        model="openai/m",
        messages=[body["messages"] for body in make_bodies(count)],
        api_base=url,
        api_key=KEY,
        temperature=0,
        max_tokens=256,
        max_workers=TOGETHER,
    )
    return sum(bool(reply.choices[0].message.content) for reply in replies)


# what each needs besides this package, and the client
CLIENTS: dict[str, tuple[str, Callable[[str, int], int]]] = {
    "rarefy: replies and ledger kept": ("rarefy", run_rarefy),
    "openai create, gather": ("httpx2", openai_client("create", "httpx2")),
    "openai with_raw_response, gather": ("httpx2", openai_client("raw", "httpx2")),
    "openai post, gather": ("httpx2", openai_client("post", "httpx2")),
    "openai create over aiohttp, gather": ("httpx2 aiohttp", openai_client("create", "aiohttp")),
    "openai post over aiohttp, gather": ("httpx2 aiohttp", openai_client("post", "aiohttp")),
    "litellm batch_completion": ("litellm", litellm),
    "bare httpx2": ("httpx2", bare_httpx2),
    "bare aiohttp": ("aiohttp", bare_aiohttp),
}


def measure_client(name: str, url: str, count: int) -> dict[str, float]:
    """One client in this process, on the last core: seconds, of which processor time, and MiB at most."""
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    client = CLIENTS[name][1]
    client(url, 64)  # imports and connections are not timed
    before, began, worked = peak_memory(), time.perf_counter(), time.process_time()
    answered = client(url, count)
    seconds, processor = time.perf_counter() - began, time.process_time() - worked
    assert answered == count, f"{answered} of {count} were answered"
    return {"seconds": seconds, "processor": processor, "before": before, "peak": peak_memory()}


def measure_in_process(python: str, name: str, url: str, count: int) -> dict[str, float]:
    """The same in a process of its own."""
    own = subprocess.run(
        [python, __file__, "--alone", json.dumps([name, url, count])], stdout=subprocess.PIPE, check=True
    )
    return dict(json.loads(own.stdout.splitlines()[-1]))


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--memory", action="store_true", help="ask ours five times as many as well")
    parser.add_argument("--litellm", metavar="PYTHON", help="the interpreter of an environment with litellm")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        print(json.dumps(measure_client(*json.loads(options.alone))))
        return
    runs = [(name, options.requests) for name in CLIENTS]
    if options.memory:
        runs.insert(1, (next(iter(CLIENTS)), 5 * options.requests))
    table = Table("client", "requests", "per second", "per CPU second", "of ours", "MiB before", "MiB at most")
    cores = os.sched_getaffinity(0)
    own = 0.0
    for name, count in runs:
        python = options.litellm if options.litellm and name.startswith("litellm") else sys.executable
        if python == sys.executable and not all(
            importlib.util.find_spec(module) for module in CLIENTS[name][0].split()
        ):
            table.add_row(name, "", "not installed")
            continue
        os.sched_setaffinity(0, {min(cores)})  # the server's: it is this process's child
        with tempfile.TemporaryDirectory() as folder, served(Path(folder) / "log.jsonl") as endpoint:
            os.sched_setaffinity(0, cores)
            got = measure_in_process(python, name, endpoint.url, count)
        own = own or count / got["processor"]
        told = [
            f"{count:,}",
            f"{count / got['seconds']:,.0f}",
            f"{count / got['processor']:,.0f}",
            f"{count / got['processor'] / own:.2f}",
        ]
        table.add_row(name, *told, f"{got['before']:.0f}", f"{got['peak']:.0f}")
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
