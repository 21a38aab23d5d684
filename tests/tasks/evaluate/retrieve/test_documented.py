"""What docs/retrieval.md shows is what can be done."""

import re
import tomllib
from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Chunk
from rarefy.flows.config import Config
from rarefy.tasks.evaluate.retrieve import PRESETS, RETRIEVERS
from rarefy.tasks.evaluate.retrieve.search import Passages, check_ranking
from rarefy.tasks.models.llm.config import InferenceContext

TEXT = (Path(__file__).parents[4] / "docs" / "retrieval.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    found: list[str] = re.findall(rf"```{language}\n(.*?)```", TEXT, re.S)
    assert found
    return found


@pytest.mark.parametrize("block", blocks("toml"))
def test_every_config_is_one(block: str) -> None:
    config = Config.model_validate(tomllib.loads(block))
    assert "retrieve" in config.model_fields_set


def test_a_preset_is_named_in_a_config_and_reaches_its_papers_sizes() -> None:
    told = next(block for block in blocks("toml") if '"retrieval_robustness"' in block)
    config = Config.model_validate(tomllib.loads(told))
    assert config.retrieve.retrievers == config.protocols.retrieval_robustness.retrievers == ("bm25", "dense")
    assert max(config.protocols.retrieval_robustness.ks) == config.retrieve.depth == 100
    assert not config.retrieve.rerank.model
    assert all(f'preset = "{name}"' in TEXT for name in PRESETS)
    assert all(f"| `{name}` |" in TEXT for name in (*RETRIEVERS, "dense", "hybrid"))


def test_the_retriever_of_ones_own_is_one(chunks: dict[str, Chunk]) -> None:
    class MyIndex:
        """The first few, whatever is asked."""

        def __init__(self, pairs: object) -> None:
            self.pairs = list(pairs)  # type: ignore[call-overload]

        def best(self, query: str, depth: int) -> tuple[list[str], list[float]]:
            names = [name for name, _ in self.pairs[:depth]]
            return names, [float(len(names) - at) for at in range(len(names))]

    told: dict[str, object] = {"MyIndex": MyIndex}
    exec(blocks("python")[0], told)
    passages = Passages(chunks, True)
    search = told["make"](passages, Config().retrieve, cache=Path(), threads=1, means=InferenceContext())  # type: ignore[operator]
    found = check_ranking("mine:make", search(["a", "b"], 2), 2, 2, chunks)
    assert [len(one.chunk_ids) for one in found] == [2, 2]
