"""An endpoint of the OpenAI API over real HTTP, in a process of its own, that misbehaves to order.

    with served(tmp_path / "log.jsonl", faults={"429-ms": 0.1}) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        ...
        endpoint.log()  # one dict per request: about, fault, status, billed

From a shell, in tests/: `python -m endpoint.server --port 8000 --log requests.jsonl`.
"""

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from endpoint.answers import answer, digest, vector_of

__all__ = ["TESTS", "Endpoint", "answer", "digest", "served", "vector_of"]

TESTS = Path(__file__).resolve().parent.parent


@dataclass
class Endpoint:
    """A running server: its address, which ends in /v1, and its log."""

    url: str
    log_file: Path

    def log(self) -> list[dict[str, Any]]:
        """Every request so far, in the order they came; `billed` is (prompt, completion, cached) tokens."""
        lines = self.log_file.read_bytes().split(b"\n") if self.log_file.exists() else []
        return [json.loads(line) for line in lines[:-1]]  # after the last newline stands nothing, or half a line

    def control(self, **options: Any) -> dict[str, Any]:
        """Change options, and learn how many requests are in flight and how many were at most (since the last time)."""
        url = f"{self.url.removesuffix('/v1')}/control"
        with urllib.request.urlopen(url, data=json.dumps(options).encode(), timeout=10) as told:
            return dict(json.loads(told.read()))


@contextmanager
def served(log: Path, **options: Any) -> Iterator[Endpoint]:
    """An endpoint with these options (see server.Options) for as long as the block runs."""
    command = [sys.executable, "-m", "endpoint.server", "--held", "--log", str(log), json.dumps(options)]
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout
        url = server.stdout.readline().strip()
        assert url, "the endpoint did not start"
        try:
            yield Endpoint(url, log)
        finally:
            server.kill()
