"""Tokens per second of vLLM in process, asked as a stage asks it, against vLLM's own offline throughput benchmark.

    .venv-vllm/bin/python benchmarks/vllm_throughput.py MODEL [--prompts 2000] [--input 1000] [--output 200]

For a GPU; to be run in the environment with vLLM. Ours goes through everything that a stage goes through: rows,
reply cache, ledger, batches. vLLM's benchmark then gets as many prompts of the mean sizes that ours turned out to have.
No prompt shares a prefix with another, so that no cache helps either. Each has a process of its own,
and neither is warmed up: the first prompts compile what they need.
Engine arguments go to both: --engine '{"enforce_eager": true, "max_model_len": 4096}'.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from measuring import make_parser

from rarefy.data_contracts.rows import Message, Request
from rarefy.tasks.models.llm import InferenceContext, LLMConfig, RequestPolicy

WORDS = "revenue of the segment in fiscal year net sales rose operating income company table total products".split()
THEIRS = """
from vllm.benchmarks.throughput import add_cli_args, main
from vllm.utils.argparse_utils import FlexibleArgumentParser
if __name__ == "__main__":
    parser = FlexibleArgumentParser()
    add_cli_args(parser)
    main(parser.parse_args())
"""


def measure_rarefy(model: str, engine: dict[str, Any], prompts: int, size: int, most: int) -> dict[str, float]:
    """Prompts, tokens in, tokens out and seconds; loading is not counted, the first prompt's compilations are."""

    def requests() -> list[Request]:
        chance = random.Random(0)
        texts = (" ".join(chance.choices(WORDS, k=size)) for _ in range(prompts))
        # at temperature 1, so that the replies of one model are of many lengths
        return [
            Request(f"{n}", (Message("user", f"{n} {text}"),), temperature=1.0, max_tokens=most)
            for n, text in enumerate(texts)
        ]

    with tempfile.TemporaryDirectory() as folder:
        means = InferenceContext(
            stage="benchmark", run="r", serving=RequestPolicy(failure_budget=1, batch_size=prompts)
        )
        llm = LLMConfig(provider="vllm", model=model, extra=engine).connect(Path(folder), threads=1, means=means)
        asked = requests()
        began = time.perf_counter()
        replies = list(llm(asked))
        seconds = time.perf_counter() - began
    wrong = {reply.error for reply in replies} - {"", "truncated"}
    assert not wrong, wrong
    tokens = (sum(reply.prompt_tokens for reply in replies), sum(reply.completion_tokens for reply in replies))
    return {"prompts": len(replies), "in": tokens[0], "out": tokens[1], "seconds": seconds}


def measure_vllm(model: str, engine: dict[str, Any], like: dict[str, float]) -> dict[str, float]:
    """vLLM's benchmark at the mean sizes of ours."""
    count = int(like["prompts"])
    mean_in, mean_out = round(like["in"] / count), max(round(like["out"] / count), 1)
    with tempfile.TemporaryDirectory() as folder:
        (script := Path(folder) / "theirs.py").write_text(THEIRS)
        command = [sys.executable, str(script), "--model", model, "--dataset-name", "random"]
        command += ["--random-input-len", str(mean_in), "--random-output-len", str(mean_out)]
        command += ["--num-prompts", str(count), "--output-json", f"{folder}/told.json"]
        for name, value in engine.items():
            flag = f"--{name.replace('_', '-')}"
            command += [flag] if value is True else [flag, value if isinstance(value, str) else json.dumps(value)]
        subprocess.run(command, check=True, stdout=sys.stderr)
        told = json.loads(Path(f"{folder}/told.json").read_text())
    out = count * mean_out
    return {"prompts": count, "in": told["total_num_tokens"] - out, "out": out, "seconds": told["elapsed_time"]}


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("model")
    parser.add_argument("--prompts", type=int, default=2_000)
    parser.add_argument("--input", type=int, default=1_000, help="words of a prompt")
    parser.add_argument("--output", type=int, default=200, help="tokens of a reply, at most")
    parser.add_argument("--engine", type=json.loads, default={}, help="arguments of the engine, as JSON")
    parser.add_argument("--ours", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.ours:
        print(json.dumps(measure_rarefy(options.model, options.engine, options.prompts, options.input, options.output)))
        return
    command = [sys.executable, *sys.argv, "--ours"]
    told = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=os.environ).stdout
    first = json.loads(next(line for line in told.splitlines() if line.startswith("{")))  # vLLM tells things there too
    rates = []
    for name, one in (("rarefy", first), ("vLLM's own", measure_vllm(options.model, options.engine, first))):
        rates.append((one["in"] + one["out"]) / one["seconds"])
        sizes = f"{one['prompts']:,.0f} prompts, {one['in']:,.0f} tokens in, {one['out']:,.0f} out"
        print(f"{name:10} {sizes}, {one['seconds']:,.1f} s: {rates[-1]:,.0f} tokens/s")
    print(f"rarefy reaches {rates[0] / rates[1]:.0%} of vLLM's own benchmark")


if __name__ == "__main__":
    main()
