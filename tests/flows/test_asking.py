"""A build whose stages ask models: what is asked is booked, bounded, told, and never asked twice."""

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

CONFIG = """
[llm]
provider = "oracle:{answer}"
model = "oracle-1"
[judge]
provider = "oracle:answer"
model = "oracle-2"
[extract]
methods = ["cover", "model"]
[ask]
method = "model"
[probe]
by = "model"
[grade]
by = "model"
[perturb]
query = []
document = []
[[serving.prices]]
model = "oracle-*"
prompt = 2.0
completion = 8.0
as_of = 2026-11-01
source = "made up"
{more}
"""


@pytest.fixture
def place(place, tmp_path, monkeypatch):
    """The corpus, and a config whose stages ask the oracle."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parent))
    shutil.copytree(place / "corpus", tmp_path / "corpus")
    return configured(tmp_path)


def configured(folder, answer="answer", more=""):
    (folder / "quick.toml").write_text(CONFIG.format(answer=answer, more=more))
    return folder


def rows(place, name, out="out"):
    return pq.read_table(place / out / f"{name}.parquet").to_pylist()


def test_every_stage_asks_its_model_and_what_it_did_is_told(place, build):
    code, said = build(place)
    assert code == 0, said
    assert [q for q in rows(place, "questions") if not q["rejected_because"]]
    assert {j["model"] for j in rows(place, "judgements")} == {"oracle"}
    models = json.loads((place / "out" / "models.json").read_text())
    used = {(one["stage"], one["model"]): one for one in models["used"]}
    assert {stage for stage, _ in used} >= {"extract", "ask", "grade"}
    for one in used.values():
        assert one["calls"] and one["cost"] == pytest.approx(
            (2 * one["prompt_tokens"] + 8 * one["completion_tokens"]) / 1e6
        )
    assert "Models" in said and "USD" in said and "calls" in said
