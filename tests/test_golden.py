"""What each stage makes of one sample filing, as a digest beside its VERSION.

A change in what a stage puts out must raise its VERSION, or stores keep the old rows. When this test fails and the
change is meant: raise the VERSION and write the new digests with `RAREFY_GOLDEN=write pytest tests/test_golden.py`.
"""

import hashlib
import json
import os
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from rarefy.tasks.corpus import chunk, read
from rarefy.tasks.knowledge import extract, graph, normalise, supersede
from rarefy.tasks.questions import ask, gates
from rarefy.tasks.sample import CORPUS

GOLDEN = Path(__file__).with_name("golden.json")


def digest(rows):
    """A digest of rows, whatever their order of fields."""
    return hashlib.blake2b(
        json.dumps([asdict(row) for row in rows], sort_keys=True).encode(), digest_size=8
    ).hexdigest()


def made():
    """Stage by stage: VERSION and digest of the rows; prose and models are left out, they have tests of their own."""
    source = next(s for s in read.sources.list_sources(CORPUS) if s.path == "aapl-fy2024.html")
    documents = list(read.read(source, read.ReadConfig()))
    chunks = list(chunk.chunk(documents, chunk.ChunkConfig()))
    by_doc, by_chunk = {d.doc_id: d for d in documents}, {c.chunk_id: c for c in chunks}
    config = extract.ExtractConfig(methods=("cover", "tables", "officers"))
    found = list(extract.extract(chunks, config, documents=by_doc))
    embed = lambda texts: np.eye(len(texts), 8, dtype=np.float32)  # noqa: E731  (nothing here is compared by meaning)
    named = list(normalise.normalise(found, normalise.NormaliseConfig(), embed=embed))
    keyed = [t for t in named if hasattr(t, "triplet_id")]
    dated = list(supersede.supersede(keyed, supersede.SupersedeConfig(), documents=by_doc))
    triplets = {t.triplet_id: t for t in dated}
    paths = list(graph.trace(triplets.values(), graph.GraphConfig()))
    questions = list(ask.ask(paths, ask.AskConfig(), triplets=triplets, chunks=by_chunk, documents=by_doc))
    judged = list(gates.judge(questions, gates.GatesConfig(), chunks=by_chunk, triplets=triplets))
    rows = {
        read: documents, chunk: chunks, extract: found, normalise: named, supersede: dated, graph: paths,
        ask: questions, gates: judged,
    }  # fmt: skip
    return {stage.__name__.rpartition(".")[2]: [stage.VERSION, digest(out)] for stage, out in rows.items()}


@pytest.fixture(scope="module")
def now():
    found = made()
    if os.environ.get("RAREFY_GOLDEN") == "write":
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n")
    return found


@pytest.mark.parametrize("stage", ["read", "chunk", "extract", "normalise", "supersede", "graph", "ask", "gates"])
def test_what_a_stage_makes_changes_with_its_version(stage, now):
    version, rows = json.loads(GOLDEN.read_text())[stage]
    assert [version, rows] == now[stage], f"{stage} puts out something else than VERSION {version} did"
