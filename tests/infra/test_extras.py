"""What pip is told to install, in messages and docs, is what pyproject.toml has."""

import re
import subprocess
import tomllib
from pathlib import Path

from rarefy.tasks.evaluate.retrieve.elastic import CLIENT

ROOT = Path(__file__).resolve().parent.parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_every_extra_that_is_named_exists() -> None:
    found = subprocess.run(
        ["git", "grep", "-hoIE", "--untracked", r"\brarefy\[[a-z0-9, _-]+\]"], cwd=ROOT, capture_output=True, text=True
    )
    named = {extra for line in found.stdout.split("\n") for extra in re.findall(r"[\w-]+", line.partition("[")[2])}
    assert {"postgres", "vllm", "s3"} <= named <= set(PROJECT["optional-dependencies"])


def test_the_client_of_the_message_is_the_pinned_one() -> None:
    assert CLIENT in PROJECT["dependencies"]
