"""Corpus, store and folder are looked at before work is spent; what cannot be reached is told with its way out."""

import machines
import pytest

import rarefy
from rarefy.flows.cli import main
from rarefy.flows.engine import reachability
from rarefy.flows.engine.output_folders import check_outside_corpus
from rarefy.flows.faults import Fault, UsageFault


@pytest.fixture(scope="module")
def bucket():
    with machines.object_store() as url:
        yield url


@pytest.fixture
def nobody(bucket, monkeypatch):
    """The address leads nowhere."""
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    monkeypatch.setattr(s3fs.S3FileSystem, "retries", 1)
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", f"http://127.0.0.1:{machines.free_port()}")
    yield
    s3fs.S3FileSystem.clear_instance_cache()


@pytest.fixture
def stranger(bucket, monkeypatch, tmp_path):
    """There are no credentials anywhere."""
    import s3fs

    s3fs.S3FileSystem.clear_instance_cache()
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path))
    yield
    s3fs.S3FileSystem.clear_instance_cache()


def test_what_is_there_is_taken(bucket, tmp_path):
    (tmp_path / "a.txt").write_text("Some words of a document.")
    machines.put(tmp_path, f"{bucket}/corpus")
    for corpus in (f"{bucket}/corpus", f"{bucket}/corpus/", f"{bucket}/corpus/a.txt", str(tmp_path)):
        reachability.check_corpus(corpus)
    reachability.check_store(f"{bucket}/store")
    reachability.check_store(str(tmp_path / "store"))
    assert not (tmp_path / "store").exists()
    reachability.check_out(str(tmp_path / "out"))


def test_what_is_not_there_is_told(bucket, tmp_path):
    for corpus in (f"{bucket}/nowhere", "s3://no-such-bucket/corpus", str(tmp_path / "nowhere")):
        with pytest.raises(UsageFault, match="no such file or folder; check the path"):
            reachability.check_corpus(corpus)
    with pytest.raises(UsageFault, match=r"--store s3://no-such-bucket/store: .*make the bucket first"):
        reachability.check_store("s3://no-such-bucket/store")


@pytest.mark.parametrize("check", [reachability.check_corpus, reachability.check_store])
def test_what_does_not_answer_is_told(nobody, check):
    with pytest.raises(
        Fault, match=r"s3://rarefy-tests/x: no answer \(.*look at address \(AWS_ENDPOINT_URL\)"
    ) as fault:
        check("s3://rarefy-tests/x")
    assert not isinstance(fault.value, UsageFault)


@pytest.mark.parametrize("check", [reachability.check_corpus, reachability.check_store])
def test_whoever_has_no_credentials_is_told_which(stranger, check):
    with pytest.raises(UsageFault, match=r"s3://rarefy-tests/x: no credentials.*AWS_ACCESS_KEY_ID"):
        check("s3://rarefy-tests/x")


def test_an_address_of_no_known_kind_is_told():
    with pytest.raises(UsageFault, match="corpus nosuch://a: "):
        reachability.check_corpus("nosuch://a")
    with pytest.raises(UsageFault, match="--store nosuch://a: "):
        reachability.check_store("nosuch://a")


@pytest.mark.parametrize("check", [reachability.check_store, reachability.check_corpus], ids=["store", "corpus"])
@pytest.mark.parametrize(
    "url", ["s3://AKIAxyz:Zx81/se+cret@bucket/x", "gs://AKIAxyz:Zx81@bucket", "s3a://AKIAxyz@bucket/x"]
)
def test_an_address_of_a_bucket_holds_no_key_and_none_is_told(check, url):
    with pytest.raises(UsageFault, match="AWS_ACCESS_KEY_ID") as caught:
        check(url)
    assert "Zx81" not in str(caught.value) and "AKIAxyz" not in str(caught.value)


@pytest.mark.parametrize("url", ["http://me:Zx81/pa@127.0.0.1:1/x", "nosuch://me:Zx81@host/x?token=Zx81"])
def test_a_store_that_cannot_be_is_told_without_its_password(url):
    with pytest.raises((UsageFault, Fault), match="--store") as caught:
        reachability.check_store(url)
    assert "Zx81" not in str(caught.value)


def test_a_benchmark_is_written_into_a_folder(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("Some words of a document.")
    assert main(["build", str(tmp_path), "--out", "s3://bucket/out"]) == 2
    assert "--out s3://bucket/out: a benchmark is written into a folder of this machine" in capsys.readouterr().err


def test_faults_of_a_client_are_told_and_those_of_ours_are_not():
    from botocore.exceptions import EndpointConnectionError, NoCredentialsError

    lost = EndpointConnectionError(endpoint_url="http://there")
    assert reachability.is_storage_error(lost) and reachability.is_transient(lost)
    assert reachability.is_storage_error(NoCredentialsError()) and not reachability.is_transient(NoCredentialsError())
    assert not reachability.is_storage_error(ValueError()) and not reachability.is_transient(ValueError())
    bug = ValueError("a bug")
    assert reachability.explain_storage_error(bug, "corpus") is bug
    assert isinstance(reachability.explain_storage_error(PermissionError("Access Denied"), "corpus"), UsageFault)


@pytest.mark.parametrize("option", ["--out", "--store"])
def test_what_is_made_may_not_lie_in_the_corpus(option, tmp_path, capsys):
    corpus, inside = tmp_path / "own", tmp_path / "own" / "inside"
    corpus.mkdir()
    (corpus / "a.md").write_text("# Acme\n\nAcme was founded in Oslo in 1999.\n")
    places = {"--out": str(tmp_path / "out"), "--store": str(tmp_path / "store")} | {option: str(inside)}
    arguments = [word for pair in places.items() for word in pair]
    for command in ("build", "refresh"):
        assert main([command, str(corpus), *arguments]) == 2
        said = capsys.readouterr().err
        assert f"{option} {inside}: lies in the corpus {corpus}" in said and "choose a folder beside" in said
        assert not inside.exists()
    with pytest.raises(UsageFault, match="lies in the corpus"):
        rarefy.build(corpus, places["--out"], store=places["--store"])


def test_a_hidden_folder_in_the_corpus_is_not_read_and_may_be_written_to(tmp_path):
    check_outside_corpus(str(tmp_path), {"--store": str(tmp_path / ".rarefy"), "--out": str(tmp_path) + "-benchmark"})
    check_outside_corpus("s3://bucket/corpus", {"--out": "b"})
    with pytest.raises(UsageFault):
        check_outside_corpus(f"file://{tmp_path}", {"--out": str(tmp_path)})
