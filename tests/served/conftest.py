"""Real servers of a tiny model: run by `make test-vllm`, which makes their environment; skipped where there is none.

RAREFY_VLLM_PYTHON is the interpreter of the environment that infra/vllm/install.sh makes, RAREFY_VLLM_MODEL the folder
that infra/vllm/tiny.py writes.
"""

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from waiting import free_port

from rarefy.tasks.models.llm import LLM, InferenceContext, LLMConfig, RequestPolicy
from served.tiny import DTYPE, running


@pytest.fixture(scope="session")
def python() -> str:
    """The interpreter of the vLLM environment."""
    found = os.environ.get("RAREFY_VLLM_PYTHON", "")
    if not found:
        pytest.skip("RAREFY_VLLM_PYTHON is not set: `make test-vllm` makes the environment and runs these")
    return found


@pytest.fixture(scope="session")
def model() -> str:
    """The folder of the tiny model."""
    found = os.environ.get("RAREFY_VLLM_MODEL", "")
    if not found:
        pytest.skip("RAREFY_VLLM_MODEL is not set: `make test-vllm` makes the model and runs these")
    return found


@pytest.fixture(scope="session")
def server(python: str, model: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of vLLM's own OpenAI server."""
    port = free_port()
    command = [python, "-m", "vllm.entrypoints.openai.api_server", "--model", model, "--port", str(port)]
    command += ["--host", "127.0.0.1", "--served-model-name", "tiny", "--dtype", DTYPE, "--enforce-eager"]
    command += ["--max-model-len", "16384", "--enable-prompt-tokens-details"]
    # vLLM 0.32 dies on a CPU of a seeded request whose prompt it takes in pieces
    command += ["--no-enable-chunked-prefill"]
    command += ["--structured-outputs-config", '{"backend": "xgrammar", "disable_any_whitespace": true}']
    with running(command, port, tmp_path_factory.mktemp("server") / "log") as url:
        yield url


@pytest.fixture
def connect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., LLM]:
    """A model at an address, or in this process, with a reply cache of its own."""

    def connected(provider: str, model: str, url: str = "", **extra: object) -> LLM:
        if url:
            monkeypatch.setenv("OPENAI_BASE_URL", url)
            monkeypatch.setenv("OPENAI_API_KEY", "none")
        means = InferenceContext(stage="test", run="one", serving=RequestPolicy(failure_budget=1, retries=1))
        config = LLMConfig(provider=provider, model=model, extra=extra)
        return config.connect(tmp_path, threads=1, means=means)

    return connected
