"""A corpus behind a URL is the corpus in a folder: the same names, digests and documents."""

import shutil
from pathlib import Path
from uuid import uuid4

import fsspec
import pytest

from rarefy.tasks.corpus.read import ReadConfig, read, sources
from rarefy.tasks.corpus.read.sources import Source, current_digest, exists, file_state, list_sources
from rarefy.tasks.store.tables import Store

FILES = {
    "b.txt": b"Acme Corp sells industrial pumps in Norway.",
    "a/z.md": b"# Pumps\n\nAcme Corp sells industrial pumps in Norway.",
    "a/b/c.html": b"<html><body><p>Acme Corp sells pumps in Norway.</p></body></html>",
    "a/rows.jsonl": b'{"id": "one", "text": "Acme Corp sells pumps in Norway."}\n{"id": "two"}\n',
    "a-b/x.txt": b"The factory stands in the old town.",
    "caf\u00e9 [1] #2?.txt": b"The coffee house opened in the spring.",
    "README.md": b"About these files.",
    "empty.txt": b"",
    ".git/config": b"x",
    "a/.hidden.txt": b"x",
    "Thumbs.db": b"x",
    "data.bin": bytes(range(256)),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, content in FILES.items():
        place = tmp_path / "corpus" / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return tmp_path / "corpus"


@pytest.fixture
def url(folder: Path):
    """The same files in memory, under an address."""
    root = f"memory://{uuid4().hex}/corpus"
    fs = fsspec.filesystem("memory")
    for name, content in FILES.items():
        fs.pipe_file(f"{root}/{name}", content)
    yield root
    fs.rm(root, recursive=True)


def rows(sources: list[Source]) -> list[object]:
    return [row for source in sources for row in read(source, ReadConfig())]


def test_a_url_lists_what_a_folder_lists(folder, url):
    there = list_sources(url)
    assert there == list_sources(folder)
    assert [source.digest for source in there if source.path == "b.txt"] != [""]
    assert all(source.location.startswith("memory://") for source in there)


def test_what_is_read_behind_a_url_is_what_is_read_in_a_folder(folder, url):
    assert rows(list_sources(url)) == rows(list_sources(folder))


def test_one_object_is_a_corpus(folder, url):
    (source,) = list_sources(f"{url}/README.md")
    assert source == list_sources(folder / "README.md")[0] and source.alone
    assert rows([source]) == rows(list_sources(folder / "README.md"))


def test_a_slash_at_the_end_changes_nothing(url):
    assert list_sources(f"{url}/") == list_sources(url)


def test_nothing_at_an_address_is_told(url):
    assert exists(url) and not exists(f"{url}/nowhere")
    with pytest.raises(FileNotFoundError, match=r"memory://.*/nowhere: nothing lies there"):
        list_sources(f"{url}/nowhere")


def test_an_unknown_or_chained_address_is_told():
    with pytest.raises(ValueError, match="nosuch"):
        exists("nosuch://a/b")
    with pytest.raises(ValueError, match="a chain of file systems"):
        list_sources("zip://a.txt::memory://b.zip")


def test_a_file_url_is_a_folder(folder):
    assert list_sources(f"file://{folder}") == list_sources(folder)


def test_an_object_that_is_rewritten_between_listing_and_reading_is_told(url):
    (source,) = [source for source in list_sources(url) if source.path == "b.txt"]
    before = current_digest(source)
    assert before == source.digest
    fsspec.filesystem("memory").pipe_file(source.location, b"Another text stands here now.")
    assert current_digest(source) != before
    (row,) = read(source, ReadConfig())
    assert row.reason == "changed_while_reading"


def test_an_object_that_is_gone_is_told(url):
    (source,) = [source for source in list_sources(url) if source.path == "b.txt"]
    fsspec.filesystem("memory").rm_file(source.location)
    (row,) = read(source, ReadConfig())
    assert row.reason == "unreadable_file" and file_state(source) is None and current_digest(source) == ""


@pytest.fixture
def stamped(monkeypatch):
    """Objects in memory have an ETag, as those of an object store; what is fetched is counted."""
    import hashlib

    fetched = []
    kind = fsspec.get_filesystem_class("memory")
    info, find, cat = kind.info, kind.find, kind.cat_file

    def tagged(self, told):
        if told["type"] == "file":
            return {**told, "ETag": f'"{hashlib.md5(self.store[told["name"]].getvalue()).hexdigest()}"'}
        return told

    monkeypatch.setattr(kind, "info", lambda self, path, **more: tagged(self, info(self, path, **more)))
    monkeypatch.setattr(
        kind, "find", lambda self, *a, **k: {n: tagged(self, t) for n, t in find(self, *a, **k).items()}
    )
    monkeypatch.setattr(kind, "cat_file", lambda self, path, **k: fetched.append(path) or cat(self, path, **k))
    return fetched


def test_only_what_changed_is_fetched_again(url, tmp_path, stamped):
    store = Store(tmp_path / "store")
    first = list_sources(url, store)
    assert len(stamped) == len(first) - 1  # all but the note about the corpus
    stamped.clear()
    assert list_sources(url, store) == first and stamped == []
    fs = fsspec.filesystem("memory")
    fs.pipe_file(f"{url}/b.txt", b"Acme Corp sells industrial pumps in Sweden.")
    fs.pipe_file(f"{url}/new.txt", b"A new document came today.")
    fs.rm_file(f"{url}/empty.txt")
    again = list_sources(url, store)
    assert sorted(path.rpartition("/")[2] for path in stamped) == ["b.txt", "new.txt"]
    assert again == list_sources(url)


def test_a_digest_is_not_remembered_for_an_object_that_was_rewritten_meanwhile(url, tmp_path, stamped, monkeypatch):
    store = Store(tmp_path / "store")
    kept = FILES["b.txt"]
    fs = fsspec.filesystem("memory")
    real = sources.digest_object

    def late(location, size):
        if not location.endswith("/b.txt"):
            return real(location, size)
        fs.pipe_file(location, b"For a moment something else stood here.")
        return real(location, size)

    monkeypatch.setattr(sources, "digest_object", late)
    list_sources(url, store)
    monkeypatch.setattr(sources, "digest_object", real)
    fs.pipe_file(f"{url}/b.txt", kept)  # the version that was listed first is back
    assert list_sources(url, store) == list_sources(url)


def test_a_damaged_memory_is_forgotten(url, tmp_path, stamped):
    store = Store(tmp_path / "store")
    first = list_sources(url, store)
    (memory,) = (tmp_path / "store" / sources.KNOWN).iterdir()
    memory.write_bytes(b"not parquet")
    assert list_sources(url, store) == first


def test_what_does_not_answer_is_no_fault_of_a_document(url, monkeypatch):
    def broken(*_args, **_more):
        raise ConnectionError("no route")

    monkeypatch.setattr(fsspec.get_filesystem_class("memory"), "cat_file", broken)
    with pytest.raises(ConnectionError):
        list_sources(url)


def test_a_copy_lives_as_long_as_it_is_read(url):
    with sources.download(f"{url}/b.txt", 9) as place:
        assert Path(place).read_bytes() == FILES["b.txt"] and place.endswith(".txt")
    assert not Path(place).exists()


def test_large_objects_come_in_pieces(url, monkeypatch, folder):
    monkeypatch.setattr(sources, "PIECE", 2)
    assert list_sources(url) == list_sources(folder)
    shutil.rmtree(folder)


def test_a_source_that_was_written_to_is_read_when_it_is_back_as_it_was(folder, tmp_path):
    """What was found of these bytes was that they were not there; that is nothing to remember of them."""
    from rarefy.data_contracts.rows import Document, Quarantined
    from rarefy.tasks.store.recipe import Job, make

    job = Job(
        "read", "rarefy.tasks.corpus.read:read", 1, {"source": Source}, {"d": Document, "q": Quarantined}, ReadConfig()
    )
    (source,) = [source for source in list_sources(folder) if source.path == "b.txt"]
    store = Store(tmp_path / "store")
    for meanwhile in ("Another text stands here now.", None):
        place = Path(source.location)
        place.write_text(meanwhile) if meanwhile else place.unlink()
        made = make({"source": source}, job, store.url)
        assert store.rows(made["q"]) == 1 and store.find(job.recipe({"source": source})) is None
    place.write_bytes(FILES["b.txt"])
    made = make({"source": source}, job, store.url)
    assert store.rows(made["d"]) == 1 and store.find(job.recipe({"source": source})) == made
