"""Buckets, as file systems of fsspec list them."""

import os
from collections.abc import Iterator
from typing import Any

import fsspec
import pytest

from rarefy.tasks.refresh.feeds.bucket import scan_bucket
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


def test_a_bucket_that_is_not_there_is_a_fault_and_not_empty(s3):
    with pytest.raises(FeedFault, match="no such bucket"):
        scan_bucket("s3://nowhere-at-all/docs")
