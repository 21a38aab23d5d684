"""Embeddings that are made once, and depend on the text but for their last bits."""

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from rarefy.tasks.models.embed import EmbedConfig, SentenceEmbedder, shipped
from rarefy.tasks.models.embed.sentences import _identity
from rarefy.tasks.models.embed.vector_cache import _key

TEXTS = [
    "net sales",
    "revenue",
    "is headquartered in",
    "a much longer sentence, with more words than its neighbours",
    "",
]
TEXTS += [f"measure number {i} of the company" for i in range(7)] + ["net sales"]


@pytest.fixture(scope="module")
def embed() -> SentenceEmbedder:
    return EmbedConfig().connect()


def test_vectors_are_unit_rows_in_the_order_of_the_texts(embed: SentenceEmbedder) -> None:
    vectors = embed(TEXTS)
    assert vectors.shape == (len(TEXTS), 384) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]
    assert embed([]).shape[0] == 0


def test_the_packaged_model_gives_the_vectors_of_sentence_transformers_and_does_not_import_it(
    embed: SentenceEmbedder,
) -> None:
    texts = [*TEXTS, "Zürich: $1,234.5 million (12 %) — naïve café\n| a | b |", "word " * 400]
    code = (
        "import sys; from rarefy.tasks.models.embed import EmbedConfig; EmbedConfig().connect()(['net sales']); "
        "print(*sorted({'transformers', 'sentence_transformers'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
    from sentence_transformers import SentenceTransformer

    theirs = SentenceTransformer(str(embed.model), device="cpu", local_files_only=True).encode(texts)
    assert np.allclose(embed(texts), theirs, rtol=0, atol=1e-6)


def fresh(embed: SentenceEmbedder, threads: int = 1) -> SentenceEmbedder:
    """One that remembers nothing, with the network of another, which is loaded once."""
    made = EmbedConfig().connect(threads=threads)
    assert isinstance(made, SentenceEmbedder)
    made._network = embed._network
    return made


def test_a_vector_is_the_same_but_for_its_last_bits_whatever_its_neighbours_and_threads(
    embed: SentenceEmbedder,
) -> None:
    together = embed(TEXTS)
    alone = fresh(embed)
    assert np.allclose(together, np.concatenate([alone([text]) for text in TEXTS]), rtol=0, atol=1e-6)
    assert np.allclose(together, fresh(embed, threads=2)(TEXTS[::-1])[::-1], rtol=0, atol=1e-6)


def test_the_same_texts_together_have_the_same_bits_on_one_machine(embed: SentenceEmbedder) -> None:
    assert np.array_equal(fresh(embed)(TEXTS), fresh(embed)(TEXTS))
    assert np.array_equal(fresh(embed)(TEXTS), fresh(embed, threads=2)(TEXTS)), "threads share out whole batches"


def test_a_remembered_vector_is_used_as_it_is_whatever_it_is_asked_with(
    embed: SentenceEmbedder, tmp_path: Path
) -> None:
    first = EmbedConfig().connect(tmp_path)
    # as if another machine had made it
    first._embed = lambda texts: np.full((len(texts), 384), 0.05, dtype=np.float32)  # type: ignore[union-attr]
    theirs = first(["net sales"])
    second = EmbedConfig().connect(tmp_path)
    assert isinstance(second, SentenceEmbedder)
    second._network = embed._network
    assert np.array_equal(second(["revenue", "net sales"])[1:], theirs) and second.embedded == 1


def test_vectors_that_ship_are_used_in_a_folder_and_not_in_memory(
    embed: SentenceEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, vectors = "a text that ships", np.linspace(-1, 1, 384, dtype=np.float32)[None]
    key = _key(_identity(embed.model), text)
    monkeypatch.setattr(shipped, "VECTORS", tmp_path / "vectors.npz")
    shipped.write([(key, vectors.tobytes()), (bytes(16), vectors.tobytes())], tmp_path / "vectors.npz")
    shipped.vectors.cache_clear()
    try:
        kept = EmbedConfig().connect(tmp_path)
        assert isinstance(kept, SentenceEmbedder)
        assert np.allclose(kept([text]), vectors / np.linalg.norm(vectors), rtol=0, atol=1e-4) and kept.embedded == 0
        assert np.linalg.norm(kept([text])) == pytest.approx(1, abs=1e-6)
        assert fresh(embed)([text]) @ vectors[0] < 0.5  # in memory alone: the model's own
        shipped.VECTORS.unlink()
        shipped.vectors.cache_clear()
        assert np.array_equal(EmbedConfig().connect(tmp_path)([text]), kept([text]))  # the folder keeps them
    finally:
        shipped.vectors.cache_clear()


def test_no_text_is_embedded_twice_not_even_after_a_restart(embed: SentenceEmbedder, tmp_path: Path) -> None:
    first = EmbedConfig().connect(tmp_path)
    first._network = embed._network
    vectors = first(TEXTS)
    assert first.embedded == len(set(TEXTS))
    again = EmbedConfig().connect(tmp_path)
    again._network = None  # never loaded
    assert np.array_equal(again(TEXTS), vectors) and again.embedded == 0
    other = EmbedConfig(prompt="query: ").connect(tmp_path)
    other._network = embed._network
    assert not np.array_equal(other(TEXTS), vectors)


WRITER = """
import sys
from pathlib import Path
import numpy as np
from rarefy.tasks.models.embed import EmbedConfig
embed = EmbedConfig().connect(Path(sys.argv[1]))
embed._embed = lambda texts: np.full((len(texts), 4), 0.5, dtype=np.float32)
for i in range(int(sys.argv[2]), int(sys.argv[2]) + 40):
    embed([f"text {i}", f"text {i + 20}"])
"""


def test_processes_share_a_folder(tmp_path: Path) -> None:
    workers = [subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), start]) for start in ("0", "10")]
    assert [worker.wait() for worker in workers] == [0, 0]
    reader = EmbedConfig().connect(tmp_path)
    assert reader([f"text {i}" for i in range(70)]).shape == (70, 4) and reader.embedded == 0


def _no_database(file: Path) -> None:
    file.write_bytes(b"no database" * 100)


def _cut_off(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))


def _half_a_vector(file: Path) -> None:
    with closing(sqlite3.connect(file)) as store, store:
        store.execute("UPDATE vectors SET vector = substr(vector, 1, 7)")


def _other_columns(file: Path) -> None:
    with closing(sqlite3.connect(file)) as store, store:
        store.executescript("DROP TABLE vectors; CREATE TABLE vectors (name TEXT, age INT)")


@pytest.mark.parametrize("damage", [_no_database, _cut_off, _half_a_vector, _other_columns])
def test_a_damaged_cache_is_moved_aside_and_told_in_one_line(
    damage: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "embeddings.sqlite"
    texts = [f"text {i}" for i in range(200)]
    whole = EmbedConfig().connect(tmp_path)(texts)
    with closing(sqlite3.connect(file)) as store:
        store.execute("PRAGMA journal_mode=DELETE")
    damage(file)
    again = EmbedConfig().connect(tmp_path)
    assert (again(texts) == whole).all() and again.embedded == len(texts)
    assert (tmp_path / "embeddings.sqlite.damaged").stat().st_size
    (line,) = [record.getMessage() for record in caplog.records]
    assert "was damaged" in line and "embeddings.sqlite.damaged" in line
    later = EmbedConfig().connect(tmp_path)
    assert (later(texts) == whole).all() and later.embedded == 0


def test_a_cache_that_cannot_be_written_is_an_error_and_is_left_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "embeddings.sqlite").mkdir()
    with pytest.raises(OSError, match=r"embeddings\.sqlite: unable to open database file; free space"):
        EmbedConfig().connect(tmp_path)(["a"])
    assert (tmp_path / "embeddings.sqlite").is_dir()


def test_a_model_that_is_not_on_disk_is_an_error_with_the_way_out() -> None:
    with pytest.raises(ValueError, match="hf download no/such-model"):
        EmbedConfig(model="no/such-model").connect()


def test_queries_and_passages_are_embedded_with_their_prompts(embed: SentenceEmbedder) -> None:
    asked = EmbedConfig(family="e5").connect()
    asked._network = embed._network
    plain = EmbedConfig(family="none").connect()
    plain._network = embed._network
    assert np.array_equal(asked(["sales"], role="query"), plain(["query: sales"]))
    assert np.array_equal(asked(["sales"], role="passage"), plain(["passage: sales"]))
    assert np.array_equal(asked(["sales"]), plain(["query: sales"]))
    assert np.allclose(plain(["sales"], role="query"), embed(["sales"]), rtol=0, atol=1e-6)


def test_a_folder_with_another_model_under_the_same_name_shares_no_vector(tmp_path: Path) -> None:
    made = []
    for size in (4, 6):
        (tmp_path / "model").mkdir(exist_ok=True)
        (tmp_path / "model" / "config.json").write_text(f'{{"size": {size}}}')
        _identity.cache_clear()
        one = EmbedConfig(model=str(tmp_path / "model")).connect(tmp_path)
        assert isinstance(one, SentenceEmbedder)
        one._embed = lambda texts, size=size: np.full((len(texts), size), 0.5, dtype=np.float32)
        made.append(one(["a"]).shape[1])
    assert made == [4, 6]


def test_where_the_model_lies_is_no_part_of_its_name(tmp_path: Path) -> None:
    names = []
    for folder in ("one/model", "onnx/openvino/other"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "config.json").write_text('{"size": 4}')
        names.append(_identity(tmp_path / folder))
    (tmp_path / "one" / "model" / "more.json").write_text("{}")
    _identity.cache_clear()
    assert names[0] == names[1] != _identity(tmp_path / "one" / "model")


def test_the_device_is_said_by_the_caller_or_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    def device(**said: str) -> str:
        embedder = EmbedConfig().connect(**said)  # type: ignore[arg-type]
        assert isinstance(embedder, SentenceEmbedder)
        return embedder.device

    monkeypatch.delenv("RAREFY_DEVICE", raising=False)
    assert device() == "cpu" and device(device="cuda:1") == "cuda:1"
    monkeypatch.setenv("RAREFY_DEVICE", "cuda")
    assert device() == "cuda" and device(device="cpu") == "cpu"
