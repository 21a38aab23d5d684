"""The tiny model's servers, and what is asked of them."""

import contextlib
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path

from rarefy.data_contracts.rows import Message, Reply, Request
from rarefy.tasks.models.llm import LLM

QUIET = {
    "VLLM_HOST_IP": "127.0.0.1",
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "HF_HUB_OFFLINE": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
}
# float32: some CPUs announce AMX and trap on it, so that vLLM's attention in bfloat16 ends in an illegal instruction;
# nothing here is about speed
DTYPE = "float32"
ENGINE = {"dtype": DTYPE, "enforce_eager": True, "max_model_len": 16_384}
VERDICT = (
    '{"type": "object", "properties": {"right": {"type": "boolean"}, "grade": {"enum": ["low", "middle", "high"]}}, '
    '"required": ["right", "grade"], "additionalProperties": false}'
)
PASSAGE = "Net sales of Acme Corp rose to $391,035 million in 2024, as the table of its annual report shows. " * 20


def request(name: str, text: str, **more: object) -> Request:
    """A request that begins with a passage which all of them share."""
    return Request(name, (Message("system", PASSAGE), Message("user", text)), **more)  # type: ignore[arg-type]


@contextlib.contextmanager
def running(command: list[str], port: int, log: Path) -> Iterator[str]:
    """A server of the OpenAI protocol under its address, once it answers; ended with all its processes."""
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, env={**os.environ, **QUIET}, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
        )
    try:
        end = time.monotonic() + 240
        while not _answers(f"http://127.0.0.1:{port}/health"):
            said = log.read_text(errors="replace")[-2000:]
            assert process.poll() is None, f"the server ended: {said}"
            assert time.monotonic() < end, f"the server does not answer: {said}"
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(20)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def replies(llm: LLM, requests: Iterable[Request]) -> dict[str, Reply]:
    """The replies by the id of their request."""
    asked = list(requests)
    answered = list(llm(asked))
    assert [reply.request_id for reply in answered] == [one.request_id for one in asked]
    return {reply.request_id: reply for reply in answered}


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False
