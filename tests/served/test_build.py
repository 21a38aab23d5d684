"""A whole build whose stages ask a real server: its nonsense is rejected with reasons, and nothing breaks."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SERVED = """
[llm]
provider = "openai"
model = "tiny"

[serving]
failure_budget = 1
retries = 0

[extract]
methods = ["cover", "tables", "officers", "deadlines", "readings", "prose", "model"]
model = { window = 2, max_tokens = 48 }

[perturb]
query = []
document = []
context = []
"""
PROBED = '[probe]\nby = "model"\nmax_tokens = 48\n'
ASKED = '[ask]\nmethod = "model"\nmax_tokens = 32\n\n[grade]\nby = "model"\nmax_tokens = 48\n'


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Two documents of the sample."""
    folder = tmp_path_factory.mktemp("corpus")
    sample = Path(__file__).resolve().parents[2] / "tasks" / "sample" / "corpus"
    for name in ("24-cfr-792.md", "nvda-fy2023.html"):
        shutil.copy(sample / name, folder)
    return folder


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


def build(corpus: Path, store: Path, server: str, config: str, out: Path) -> subprocess.CompletedProcess[str]:
    """The command as a user runs it."""
    (written := out.parent / "config.toml").write_text(SERVED + config)
    command = [str(Path(sys.executable).with_name("rarefy")), "build", str(corpus), "--config", str(written)]
    command += ["--out", str(out), "--store", str(store)]
    env = {**os.environ, "OPENAI_BASE_URL": server, "OPENAI_API_KEY": "none"}
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=400)


def test_a_benchmark_is_made_where_a_model_extracts_and_probes(corpus, store, server, tmp_path):
    ran = build(corpus, store, server, PROBED, tmp_path / "out")
    assert ran.returncode == 0, ran.stderr
    tables = json.loads((tmp_path / "out" / "manifest.json").read_text())["tables"]
    assert tables["questions"]["accepted"] > 0
    assert tables["probes"]["rows"] > 0  # every reply kept its schema: a probe with a reply for each
    assert tables["unanswered"]["rows"] > 0
    why = [json.loads(line)["reason"] for line in (tmp_path / "out" / "unanswered.jsonl").open()]
    assert set(why) <= {"truncated", "too_long", "unparsable", "empty", "model_declined"}


def test_where_a_model_asks_nonsense_the_reasons_are_counted_and_nothing_is_built(corpus, store, server, tmp_path):
    ran = build(corpus, store, server, ASKED, tmp_path / "out")
    assert ran.returncode == 2, ran.stdout + ran.stderr
    assert "nothing to build" in ran.stderr and "truncated" in ran.stderr
    assert "Traceback" not in ran.stderr
