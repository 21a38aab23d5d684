"""Prompt tokens that a vLLM server computes with the requests in our order and without: what its prefix cache saves.

    python benchmarks/prefix_order.py --python .venv-vllm/bin/python --model .venv-vllm/tiny

Ten questions are asked about each of many chunks of the sample corpus, with the prompt of the probe. The server's cache
holds a part of the chunks, as on any machine that serves more than it can keep. What was computed and what was served
from the cache are the server's own counters (vllm:prompt_tokens_by_source_total); it forgets all between the rows.
"""

import asyncio
import os
import random
import re
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Sequence
from pathlib import Path

from measuring import make_parser
from rich.console import Console
from rich.table import Table

from rarefy.data_contracts.rows import Chunk, Request
from rarefy.tasks.corpus.chunk import ChunkConfig, chunk
from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.models import prompts
from rarefy.tasks.models.llm import InferenceContext, LLMConfig, RequestPolicy
from rarefy.tasks.models.llm.endpoint import Endpoint

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from served.tiny import free_port, running

ROOT = Path(__file__).resolve().parent.parent
CONFIG = LLMConfig(provider="openai", model="tiny")
Ask = Callable[[Sequence[Request], int], None]


def make_requests(chunks: Sequence[Chunk], questions: int) -> list[Request]:
    """So many questions about each chunk, one chunk after the other."""
    (role,) = prompts.roles("probe")
    made = []
    for row in chunks:
        words = row.text.split()
        for n in range(questions):
            at = n * len(words) // questions
            question = f"What does it say of {' '.join(words[at : at + 5])}?"
            shown = prompts.messages("probe", role, row.domain, about=[], passage=row.text, question=question)
            made.append(Request(f"{row.chunk_id} {n}", shown, max_tokens=1))
    return made


def engine(asked: Sequence[Request], together: int) -> None:
    """Through the package's engine, which sorts within the blocks that it takes."""
    with tempfile.TemporaryDirectory() as folder:
        means = InferenceContext(stage="b", run="r", serving=RequestPolicy(concurrency=together, failure_budget=1))
        replies = list(CONFIG.connect(Path(folder), threads=1, means=means)(asked))
    assert all(reply.prompt_tokens for reply in replies), next(reply for reply in replies if not reply.prompt_tokens)


def plain(asked: Sequence[Request], together: int) -> None:
    """One after the other as they come, so many in flight."""

    async def all_of_them() -> None:
        endpoint, gate = (
            Endpoint(CONFIG, InferenceContext(serving=RequestPolicy(concurrency=together))),
            asyncio.Semaphore(together),
        )

        async def one(request: Request) -> None:
            async with gate:
                await endpoint(request, 120)

        await asyncio.gather(*map(one, asked))
        await endpoint.close()

    asyncio.run(all_of_them())


def read_token_counts(url: str) -> tuple[float, float]:
    """Prompt tokens that the server has computed, and those that its cache gave."""
    with urllib.request.urlopen(url.removesuffix("/v1") + "/metrics") as answer:
        told = answer.read().decode()
    found = dict(re.findall(r'^vllm:prompt_tokens_by_source_total\{.*source="(\w+)".*\} (\S+)', told, re.MULTILINE))
    return float(found["local_compute"]), float(found["local_cache_hit"])


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--python", default=".venv-vllm/bin/python", help="of the environment with vLLM")
    parser.add_argument("--model", default=".venv-vllm/tiny", help="folder of a model")
    parser.add_argument("--chunks", type=int, default=100)
    parser.add_argument("--questions", type=int, default=10, help="about each chunk")
    parser.add_argument("--cache", type=int, default=32_768, help="tokens that the server can keep")
    parser.add_argument("--together", type=int, default=8, help="requests in flight")
    options = parser.parse_args()

    documents = read_corpus(ROOT / "tasks" / "sample" / "corpus", ReadConfig())
    rows = [row for row in chunk(documents, ChunkConfig()) if 1_000 < len(row.text) < 6_000]
    rows = random.Random(0).sample(rows, min(options.chunks, len(rows)))
    ordered = make_requests(rows, options.questions)
    shuffled = random.Random(1).sample(ordered, len(ordered))

    port, block = free_port(), 32
    command = [
        options.python,
        "-m",
        "vllm.entrypoints.openai.api_server",
        "--model",
        options.model,
        "--port",
        str(port),
    ]
    command += ["--host", "127.0.0.1", "--served-model-name", "tiny", "--dtype", "bfloat16", "--enforce-eager"]
    command += ["--max-model-len", "8192", "--block-size", str(block)]
    command += ["--num-gpu-blocks-override", str(options.cache // block)]
    os.environ |= {"VLLM_SERVER_DEV_MODE": "1", "OPENAI_API_KEY": "none"}
    table = Table(title=f"{len(rows)} chunks, {options.questions} questions each, a cache of {options.cache:,} tokens")
    for column in ("requests", "prompt tokens", "from the cache", "computed", "per request", ""):
        table.add_column(column, justify="left" if column == "requests" else "right")
    with tempfile.TemporaryDirectory() as folder, running(command, port, Path(folder) / "log") as url:
        os.environ["OPENAI_BASE_URL"] = url
        trials: dict[str, tuple[Ask, list[Request]]] = {
            "shuffled, no engine": (plain, shuffled),
            "shuffled, engine": (engine, shuffled),
            "in the stages' order, engine": (engine, ordered),
        }
        first = 0.0
        for name, (ask, asked) in trials.items():
            forget = urllib.request.Request(url.removesuffix("/v1") + "/reset_prefix_cache", method="POST")
            urllib.request.urlopen(forget).close()
            before = read_token_counts(url)
            ask(asked, options.together)
            computed, cached = (b - a for a, b in zip(before, read_token_counts(url), strict=True))
            first = first or computed
            cells = (computed + cached, cached, computed, computed / len(asked))
            table.add_row(name, *(f"{cell:,.0f}" for cell in cells), f"{first / computed:.1f} times fewer")
    Console().print(table)


if __name__ == "__main__":
    main()
