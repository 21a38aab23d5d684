"""Counting tokens offline, and what is said where it cannot be done."""

from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.chunk import ChunkConfig, chunk
from rarefy.tasks.corpus.tokens import counter


def test_the_default_counter_counts_without_special_tokens_or_truncation() -> None:
    count = counter("minilm")
    assert count(["", "hello world", "word " * 1000]) == [0, 2, 1000]
    text = "Net sales grew 3.5%\n\nin the U.S. | $1,234 |"
    assert count([text]) == [sum(count(text.split()))]


def test_a_tokenizer_on_disk_is_named_by_its_file_or_folder(tmp_path: Path) -> None:
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({"a": 0, "?": 1}, unk_token="?"))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel()
    tokenizer.save(str(tmp_path / "tokenizer.json"))
    assert counter(str(tmp_path))(["a b c"]) == counter(str(tmp_path / "tokenizer.json"))(["a b c"]) == [3]


@pytest.mark.parametrize(
    ("name", "way_out"),
    [
        ("no/such-tokenizer", "hf download no/such-tokenizer tokenizer.json"),
        ("no such name at all", 'tokenizer = "minilm"'),
        ("tiktoken:cl100k_base", "TIKTOKEN_CACHE_DIR"),
        ("tiktoken:nonsense", "cl100k_base"),
    ],
)
def test_a_tokenizer_that_is_not_there_is_an_error_with_the_way_out(
    name: str, way_out: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    if name.startswith("tiktoken:"):
        pytest.importorskip("tiktoken")
    with pytest.raises(ValueError, match=way_out):
        counter(name)


def test_a_file_that_is_no_tokenizer_is_named(tmp_path: Path) -> None:
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ValueError, match=r"cannot be read as a tokenizer\.json"):
        counter(str(tmp_path))


def test_a_counter_whose_parts_do_not_add_up_is_asked_for_the_whole_chunk() -> None:
    def letters(texts: list[str]) -> list[int]:
        return [len(text) for text in texts]

    text = "\n\n".join(f"Paragraph {i} says something." for i in range(50))
    chunks = list(chunk([Document("d", "h", "d", "d", "text/plain", text)], ChunkConfig(size=300), count=letters))
    assert [c.tokens for c in chunks] == [len(c.text) for c in chunks]
    assert all(c.tokens <= 300 for c in chunks) and len(chunks) > 4


def test_an_encoding_in_the_cache_of_tiktoken_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tiktoken = pytest.importorskip("tiktoken")
    letters = tiktoken.Encoding(
        "letters", pat_str=r".", mergeable_ranks={bytes([i]): i for i in range(256)}, special_tokens={}
    )
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(tiktoken, "get_encoding", lambda name: letters)
    text = "\n\n".join(f"Paragraph {i} says <|endoftext|> something." for i in range(40))
    config = ChunkConfig(tokenizer="tiktoken:o200k_base", size=400)
    chunks = list(chunk([Document("d", "h", "d", "d", "text/plain", text)], config))
    assert len(chunks) > 3 and all(c.tokens == len(c.text.replace("\n", "")) <= 400 for c in chunks)
