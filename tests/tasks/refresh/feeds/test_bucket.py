"""Buckets, as file systems of fsspec list them."""

import os
from collections.abc import Iterator
from typing import Any

import fsspec
import pytest

from rarefy.tasks.refresh.feeds.bucket import MirrorState, mirror_bucket, scan_bucket
from rarefy.tasks.refresh.feeds.faults import FeedFault


@pytest.fixture(scope="module")
def s3() -> Iterator[Any]:
    """A server that speaks S3, and a client of it."""
    pytest.importorskip("s3fs")
    server_of = pytest.importorskip("moto.server").ThreadedMotoServer
    server = server_of(ip_address="127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    wanted = {
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_DEFAULT_REGION": "eu-north-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    before = {name: os.environ.get(name) for name in wanted}
    os.environ.update(wanted)
    try:
        yield fsspec.filesystem("s3", use_listings_cache=False, skip_instance_cache=True)
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
        server.stop()


@pytest.fixture
def bucket(s3: Any, request: pytest.FixtureRequest) -> str:
    name = f"bucket{abs(hash(request.node.name)) % 10**8}"
    s3.mkdir(name, region_name="eu-north-1")
    return f"{name}/docs"


def test_objects_are_listed_by_key_and_litter_is_passed_over(s3, bucket):
    for key in ("a.txt", "sub/b.txt", ".hidden.txt", "sub/.x/y.txt", "c.txt.part", "sub/"):
        s3.pipe_file(f"{bucket}/{key}", b"content" if not key.endswith("/") else b"")
    assert sorted(scan_bucket(f"s3://{bucket}")) == ["a.txt", "sub/b.txt"]


def test_an_object_that_changes_is_another_and_one_that_is_written_again_the_same(s3, bucket):
    s3.pipe_file(f"{bucket}/a.txt", b"one")
    first = scan_bucket(f"s3://{bucket}")["a.txt"]
    s3.pipe_file(f"{bucket}/a.txt", b"one")
    again = scan_bucket(f"s3://{bucket}")["a.txt"]
    s3.pipe_file(f"{bucket}/a.txt", b"two")
    other = scan_bucket(f"s3://{bucket}")["a.txt"]
    assert again[1] == first[1] != other[1]


def test_a_mirror_fetches_what_changed_and_nothing_else(s3, bucket, tmp_path):
    url, known = f"s3://{bucket}", MirrorState()
    s3.pipe_file(f"{bucket}/a.txt", b"a")
    s3.pipe_file(f"{bucket}/sub/b.txt", b"b")
    assert mirror_bucket(url, tmp_path, known).fetched == ("a.txt", "sub/b.txt")
    assert (tmp_path / "sub" / "b.txt").read_bytes() == b"b"
    assert mirror_bucket(url, tmp_path, known).fetched == ()
    s3.pipe_file(f"{bucket}/a.txt", b"A")
    (tmp_path / "sub" / "b.txt").unlink()  # lost here: fetched again
    assert mirror_bucket(url, tmp_path, known).fetched == ("a.txt", "sub/b.txt")
    assert (tmp_path / "a.txt").read_bytes() == b"A"


def test_deletions_are_followed_only_if_asked(s3, bucket, tmp_path):
    url, known = f"s3://{bucket}", MirrorState()
    s3.pipe_file(f"{bucket}/a.txt", b"a")
    s3.pipe_file(f"{bucket}/b.txt", b"b")
    mirror_bucket(url, tmp_path, known)
    (tmp_path / "mine.txt").write_text("never in the bucket")
    s3.rm_file(f"{bucket}/a.txt")
    assert mirror_bucket(url, tmp_path, known).removed == ()
    assert (tmp_path / "a.txt").exists()
    assert mirror_bucket(url, tmp_path, known, follow_deletions=True).removed == ("a.txt",)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["b.txt", "mine.txt"]


def test_a_bucket_that_is_not_there_is_a_fault_and_not_empty(s3):
    with pytest.raises(FeedFault, match="no such bucket"):
        scan_bucket("s3://nowhere-at-all/docs")


@pytest.fixture
def memory() -> Iterator[Any]:
    fs = fsspec.filesystem("memory")
    fs.store.clear()
    yield fs
    fs.store.clear()


@pytest.mark.parametrize("key", ["../out.txt", "a/../../out.txt", "a/./b.txt", "a\\..\\b.txt", f"{'x' * 300}.txt"])
def test_a_key_that_leads_out_of_the_folder_is_left_out(key, memory, tmp_path, monkeypatch):
    memory.pipe_file("/docs/fine.txt", b"fine")
    listed = dict(memory.find("/docs", detail=True))
    listed[f"/docs/{key}"] = {"name": f"/docs/{key}", "type": "file", "size": 1}
    monkeypatch.setattr(type(memory), "find", lambda self, *args, **more: listed)
    into = tmp_path / "into"
    done = mirror_bucket("memory://docs", into, MirrorState())
    assert done.fetched == ("fine.txt",)
    assert all("rename it" in why for why in done.skipped.values()) and len(done.skipped) <= 1
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["fine.txt"]


def test_an_object_that_is_a_folder_of_others_is_left_out(memory, tmp_path):
    memory.pipe_file("/docs/a/b.txt", b"b")
    (tmp_path / "a").write_text("a file stands here")
    done = mirror_bucket("memory://docs", tmp_path, MirrorState())
    assert "folder of other objects" in done.skipped["a/b.txt"]


def test_an_object_that_is_written_to_while_it_is_read_waits_for_the_next_look(memory, tmp_path, monkeypatch):
    memory.pipe_file("/docs/a.txt", b"one")
    opened = type(memory).open

    def changing(self, path, *args, **more):
        stream = opened(self, path, *args, **more)
        if args[:1] == ("rb",):
            memory.pipe_file("/docs/a.txt", b"two!")
        return stream

    known = MirrorState()
    with monkeypatch.context() as patch:
        patch.setattr(type(memory), "open", changing)
        done = mirror_bucket("memory://docs", tmp_path, known)
    assert "written to while it was read" in done.skipped["a.txt"]
    assert not (tmp_path / "a.txt").exists() and not known.objects
    assert mirror_bucket("memory://docs", tmp_path, known).fetched == ("a.txt",)


def test_a_crash_while_mirroring_costs_one_object(memory, tmp_path, monkeypatch):
    for name in "abc":
        memory.pipe_file(f"/docs/{name}.txt", name.encode())
    known, kept = MirrorState(), []
    opened = type(memory).open

    def breaking(self, path, *args, **more):
        if path.endswith("b.txt"):
            raise KeyboardInterrupt
        return opened(self, path, *args, **more)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(type(memory), "open", breaking)
        mirror_bucket("memory://docs", tmp_path, known, keep=lambda: kept.append(sorted(known.objects)))
    assert kept == [["a.txt"]]
    assert mirror_bucket("memory://docs", tmp_path, known).fetched == ("b.txt", "c.txt")
