"""What the tests of the inference core share: an engine asked as a stage asks it."""

from dataclasses import dataclass
from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Message, Reply, Request
from rarefy.tasks.models.llm import LLM, InferenceContext, LLMConfig, RequestPolicy
from rarefy.tasks.models.llm.reply_store import Usage, open_reply_store

KEY = "sk-test-0123456789abcdef"


@dataclass
class Asked:
    """An engine with books of its own."""

    llm: LLM
    cache: Path

    def __call__(self, *prompts: str, **more: object) -> list[Reply]:
        """The replies to these prompts; the requests are called q0, q1, ..."""
        return list(self.llm(Request(f"q{n}", (Message("user", text),), **more) for n, text in enumerate(prompts)))

    def usage(self, run: str = "") -> list[Usage]:
        return open_reply_store("", self.cache).usage(run)

    def calls(self, outcome: str) -> int:
        return sum(usage.calls for usage in self.usage() if usage.outcome == outcome)


@pytest.fixture
def engine(tmp_path, monkeypatch):
    """engine(endpoint's url, retries=0, ...): an engine; fields of RequestPolicy, InferenceContext and LLMConfig."""
    made = iter(range(100))

    def make(url: str, *, key: str = KEY, cache: Path | None = None, **settings: object) -> Asked:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", key)
        own = {name: settings.pop(name) for name in list(settings) if name in LLMConfig.model_fields}
        means = {name: settings.pop(name) for name in ("run", "stage", "max_calls", "max_cost") if name in settings}
        config = LLMConfig(**{"provider": "openai", "model": "m"} | own)
        place = cache or tmp_path / f"cache{next(made)}"
        means = InferenceContext(
            **{"run": "r", "stage": "s"} | means, serving=RequestPolicy(**{"watchdog": 600} | settings)
        )
        return Asked(config.connect(place, threads=1, means=means), place)

    return make
