"""A store on S3 keeps the promises of one in a folder, and asks for no more than it must."""

import threading
import time
from collections import Counter
from pathlib import Path

import machines
import pyarrow as pa
import pytest

from rarefy.data_contracts.rows import Chunk
from rarefy.data_contracts.tables import to_table
from rarefy.tasks.store.tables import AT_ONCE, Store, TableDamaged


def chunks(*texts: str) -> pa.Table:
    return to_table([Chunk(t, "d", 0, len(t), "text", "", t, 1) for t in texts], Chunk)


@pytest.fixture(scope="module")
def bucket():
    with machines.object_store() as url:
        yield url


@pytest.fixture
def store(bucket, request) -> Store:
    return Store(f"{bucket}/{request.node.name}")


@pytest.fixture
def requests(store, monkeypatch):
    """How many requests of which kind go to the object store, and how many at once at most."""
    seen: Counter[str] = Counter()
    flying, lock = Counter(), threading.Lock()
    real = type(store.fs)._call_s3

    async def counted(self, method, *given, **more):
        seen[method] += 1
        with lock:
            flying["now"] += 1
            flying["most"] = max(flying["most"], flying["now"])
        try:
            return await real(self, method, *given, **more)
        finally:
            with lock:
                flying["now"] -= 1

    monkeypatch.setattr(type(store.fs), "_call_s3", counted)
    seen.flying = flying
    return seen


def test_what_is_put_is_found_and_read_back(store):
    made = store.put("r" * 32, {"chunks": chunks("one", "two")})
    other = Store(store.url)
    assert other.find("r" * 32) == made and other.rows(made["chunks"]) == 2
    assert other.table(made["chunks"]).equals(chunks("one", "two"))
    assert other.find("s" * 32) is None


def test_what_another_machine_did_is_seen_at_once(store):
    other = Store(store.url)
    assert store.find("r" * 32) is None and store.fs.glob(f"{store.root}/tables/*") == []
    made = other.put("r" * 32, {"chunks": chunks("one")})
    assert store.find("r" * 32) == made and len(store.fs.glob(f"{store.root}/tables/*")) == 1
    other.fs.rm_file(f"{other.root}/tables/{made['chunks']}.parquet")
    assert store.find("r" * 32) is None and store.fs.glob(f"{store.root}/tables/*") == []


@pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1 something else PAR1", None])
def test_a_damaged_table_is_put_aside_and_a_lost_one_told(store, content):
    name = store.put("r" * 32, {"chunks": chunks("one")})["chunks"]
    path = f"{store.root}/tables/{name}.parquet"
    store.fs.rm_file(path) if content is None else store.fs.pipe_file(path, content)
    whole = store.keep(chunks("two"))
    if content == b"" or content is None:
        assert not store.holds(name) and store.find("r" * 32) is None
    assert store.mend() == ([] if content is None else [name])
    with pytest.raises(TableDamaged, match=rf"table {name} is gone from s3://"):
        store.table(name)
    assert store.holds(whole) and not store.holds(name) and store.find("r" * 32) is None


def test_many_are_looked_up_side_by_side_and_none_twice(store, requests):
    made = {
        f"{n:032x}": store.put(f"{n:032x}", {"chunks": chunks(str(n)), "more": chunks("x", str(n))}) for n in range(40)
    }
    requests.clear()
    requests.flying.clear()
    recipes = [*made, "f" * 32]
    assert list(store.over(store.find, recipes)) == [*made.values(), None]
    assert requests == {"get_object": 40 * 3 + 1}  # a recipe, and the last bytes of each of its tables
    assert 1 < requests.flying["most"] <= AT_ONCE
    requests.clear()
    assert sum(store.over(store.rows, [tables["more"] for tables in made.values()])) == 80
    assert requests == {"get_object": 40}
    requests.clear()
    assert [t.num_rows for t in store.over(store.table, [tables["chunks"] for tables in made.values()])] == [1] * 40
    assert requests == {"get_object": 40}


def test_rows_are_told_of_a_table_whose_footer_is_long(store, monkeypatch):
    from rarefy.tasks.store import tables as module

    name = store.keep(chunks(*map(str, range(100))))
    monkeypatch.setattr(module, "FOOTER", 16)
    assert store.rows(name) == 100


def test_what_is_not_wanted_any_more_is_not_asked_for(store, requests):
    names = [store.keep(chunks(str(n))) for n in range(100)]
    requests.clear()
    looking = store.over(store.table, names)
    assert next(looking).num_rows == 1
    looking.close()
    assert requests["get_object"] <= 4 * AT_ONCE


def test_a_folder_is_asked_one_after_the_other(tmp_path, monkeypatch):
    store = Store(tmp_path)
    here = threading.get_ident()
    assert list(store.over(lambda _: threading.get_ident(), range(5))) == [here] * 5


def test_sweeping_leaves_an_object_store_alone(store):
    store.write("tables/.scratch", b"x")
    assert store.sweep() == 0 and store.fs.exists(f"{store.root}/tables/.scratch")


def test_a_store_that_does_not_answer_is_no_damaged_table(store, monkeypatch):
    """It was taken for one, and the table removed as soon as the connection stood again."""
    from botocore.exceptions import EndpointConnectionError

    name = store.keep(chunks("one"))

    def dead(*_given, **_more):
        raise EndpointConnectionError(endpoint_url="http://there")

    with monkeypatch.context() as cut:
        cut.setattr(store.fs, "cat_file", dead)
        with pytest.raises(EndpointConnectionError):
            store.table(name)
        with pytest.raises(EndpointConnectionError):
            store.mend()
        with pytest.raises(EndpointConnectionError):
            store.find("r" * 32)
    assert store.table(name).num_rows == 1


def test_only_one_of_many_creates_a_file(store):
    won = []
    gate = threading.Barrier(8)

    def race(number: int) -> None:
        gate.wait()
        if Store(store.url).create("leases/1.json", str(number).encode()):
            won.append(number)

    threads = [threading.Thread(target=race, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1 and store.fs.cat_file(f"{store.root}/leases/1.json") == str(won[0]).encode()


def test_a_memory_of_versions_far_away_saves_the_fetching(bucket, store, requests, tmp_path: Path):
    from rarefy.tasks.corpus.read.sources import list_sources

    for n in range(30):
        (tmp_path / f"{n}.txt").write_text(f"Document {n} says something about pumps.")
    corpus = f"{bucket}/corpus-{time.monotonic_ns()}"
    machines.put(tmp_path, corpus)
    requests.clear()
    first = list_sources(corpus, store)
    assert requests["get_object"] == 31 and requests["head_object"] <= 32
    requests.clear()
    assert list_sources(corpus, store) == first == list_sources(tmp_path)
    assert requests["get_object"] == 1 and requests.total() <= 5  # what is remembered, and the listing
