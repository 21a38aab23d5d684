"""Every snippet of docs/python.md runs as it stands, one after the other."""

import re
import shutil
from pathlib import Path

import known

ROOT = Path(__file__).parents[2]
SNIPPET = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


def test_every_snippet_runs(place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known.benchmark(tmp_path / "benchmark", 2)
    shutil.copytree(place / "corpus", tmp_path / "filings")

    def rag(query, texts):
        return next(city for at, city in enumerate(known.CITIES) if f"company {at}" in query.lower())

    snippets = SNIPPET.findall((ROOT / "docs" / "python.md").read_text())
    assert len(snippets) > 6
    names = {"rag": rag, "__name__": "page"}
    for snippet in snippets:
        exec(compile(snippet, "docs/python.md", "exec"), names)
    assert names["result"].figure("rare")["value"] is not None
    names["test_my_rag"]()
