"""A cluster by configuration: any class, its options from the config and the environment, its faults with a way out."""

import sys
from types import SimpleNamespace
from typing import ClassVar

import pytest
from pydantic import ValidationError

from rarefy.data_contracts.rows import Quarantined, row_id
from rarefy.flows.config import OF_EVALUATION, load
from rarefy.flows.engine.cluster import ClusterConfig, start_cluster
from rarefy.flows.engine.workers import connect_workers, run_in_process
from rarefy.flows.faults import Fault, UsageFault
from rarefy.tasks.store.recipe import Job

LOCAL = {
    "kind": "distributed:LocalCluster",
    "options": {"n_workers": 1, "threads_per_worker": 1, "dashboard_address": "127.0.0.1:0", "processes": False},
}


class Fake:
    """A cluster that notes what is asked of it."""

    said: ClassVar[list[object]] = []

    def __init__(self, *, image: str, env: dict[str, str] | None = None) -> None:
        if image == "broken":
            raise RuntimeError("quota exceeded")
        self.said.append(("made", image, env))

    def scale(self, number: int) -> None:
        self.said.append(("scale", number))

    def adapt(self, minimum: int, maximum: int) -> None:
        self.said.append(("adapt", minimum, maximum))

    def close(self) -> None:
        self.said.append("closed")


@pytest.fixture
def fake(monkeypatch):
    monkeypatch.setitem(sys.modules, "clouds", SimpleNamespace(Fake=Fake, __name__="clouds"))
    Fake.said = []
    return Fake.said


def config(**more) -> ClusterConfig:
    return ClusterConfig(**({"kind": "clouds:Fake", "options": {"image": "i"}} | more))


def test_it_is_made_scaled_and_closed(fake):
    with start_cluster(config(workers=3)):
        assert fake == [("made", "i", None), ("scale", 3)]
    assert fake[-1] == "closed"


def test_it_grows_and_shrinks_where_a_maximum_is_told(fake):
    with start_cluster(config(minimum=1, maximum=9)):
        assert fake[-1] == ("adapt", 1, 9)


def test_without_a_number_it_is_left_as_it_begins(fake):
    with start_cluster(config()):
        assert fake == [("made", "i", None)]


def test_it_is_closed_whatever_happens(fake):
    with pytest.raises(RuntimeError), start_cluster(config()):
        raise RuntimeError
    assert fake[-1] == "closed"


def test_values_come_from_the_environment(fake, monkeypatch):
    monkeypatch.setenv("MY_KEY", "s3cret")
    options = {"image": "i", "env": {"AWS_SECRET_ACCESS_KEY": "$MY_KEY", "NAME": "$(DASK_WORKER_NAME)"}}
    with start_cluster(config(options=options)):
        assert fake == [("made", "i", {"AWS_SECRET_ACCESS_KEY": "s3cret", "NAME": "$(DASK_WORKER_NAME)"})]
    monkeypatch.delenv("MY_KEY")
    with (
        pytest.raises(UsageFault, match=r"options.env.AWS_SECRET_ACCESS_KEY: \$MY_KEY is not set"),
        start_cluster(config(options=options)),
    ):
        pass


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"kind": "KubeCluster"}, 'not "module:Class"'),
        ({"kind": "", "workers": 2}, "kind: not named"),
        ({"workers": 2, "maximum": 4}, "keep one of them"),
        ({"minimum": 5, "maximum": 4}, "minimum: 5 is more than maximum = 4"),
        ({"options": {"aws_secret_access_key": "abc"}}, "options.aws_secret_access_key: looks like a secret"),
        ({"options": {"env": [{"name": "A_TOKEN", "value": "b"}]}}, "options.env.0.A_TOKEN: looks like a secret"),
        ({"options": {"env": [{"name": "A", "value": "b"}], "x": {"password": "p"}}}, "options.x.password: looks like"),
    ],
)
def test_what_does_not_go_together_is_told(wrong, told):
    with pytest.raises(ValidationError, match=told.replace(".", r"\.").replace('"', '"')):
        config(**wrong)


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("dask_kubernetes.nowhere:KubeCluster", r"dask-kubernetes"),
        ("dask_cloudprovider.aws:FargateCluster", r"dask-cloudprovider\[aws\]"),
        ("dask_jobqueue:SLURMCluster", r"dask-jobqueue"),
        ("nowhere.at.all:Cluster", r"install the package that has nowhere\.at\.all"),
    ],
)
def test_a_package_that_is_missing_is_named(kind, told, monkeypatch):
    monkeypatch.setitem(sys.modules, kind.partition(".")[0].partition(":")[0], None)
    with (
        pytest.raises(UsageFault, match=rf"\[cluster\] kind: {kind} cannot be imported.*{told}"),
        start_cluster(ClusterConfig(kind=kind)),
    ):
        pass


def test_a_class_or_an_option_that_is_not_there_is_named(fake):
    with pytest.raises(UsageFault, match="clouds has no class 'Nothing'"), start_cluster(config(kind="clouds:Nothing")):
        pass
    with (
        pytest.raises(UsageFault, match=r"options do not fit clouds:Fake: .*'colour'"),
        start_cluster(config(options={"image": "i", "colour": "red"})),
    ):
        pass


def test_a_cluster_that_does_not_start_is_told_with_its_reason(fake):
    with (
        pytest.raises(Fault, match=r"clouds:Fake did not start \(RuntimeError: quota exceeded\)"),
        start_cluster(config(options={"image": "broken"})),
    ):
        pass


def test_a_secret_of_kubernetes_is_named_and_not_told(fake):
    named = [{"name": "AWS_SECRET_ACCESS_KEY", "valueFrom": {"secretKeyRef": {"name": "rarefy", "key": "secret"}}}]
    with start_cluster(config(options={"image": "i", "env": named})):
        assert fake == [("made", "i", named)]


def test_the_doctor_looks_without_starting_anything(fake, monkeypatch):
    from rarefy.flows.cli import doctor
    from rarefy.flows.config import Config

    for name in ("_embedder", "_disk", "_books"):
        monkeypatch.setattr(doctor, name, lambda *_: "")
    monkeypatch.setattr(doctor, "_prefect", lambda: "")

    def finding(cluster: ClusterConfig) -> doctor.Finding:
        (found,) = [one for one in doctor.examine(Config(cluster=cluster), None, "", "") if one.what == "cluster"]
        return found

    assert finding(config()).state == doctor.OK and fake == []
    wrong = finding(config(options={"image": "$NOT_THERE_AT_ALL"}))
    assert wrong.state == doctor.WRONG and "export it" in wrong.detail


def test_it_is_a_section_of_the_config_that_decides_nothing(tmp_path):
    place = tmp_path / "my.toml"
    place.write_text(
        '[cluster]\nkind = "distributed:LocalCluster"\nworkers = 2\n[cluster.options]\nthreads_per_worker = 1\n'
    )
    assert load(place).cluster.options == {"threads_per_worker": 1}
    assert "cluster" in OF_EVALUATION  # left out of manifests
    place.write_text('[cluster]\nkind = "distributed:LocalCluster"\nworker = 2\n')
    with pytest.raises(UsageFault, match=r"\[cluster\] has no key 'worker'; did you mean 'workers'"):
        load(place)


@pytest.mark.machines
def test_the_command_line_beats_the_config():
    with connect_workers(0, "", ClusterConfig()) as hands:
        assert hands is run_in_process
    with (
        pytest.raises(UsageFault, match=r"--dask tcp://127\.0\.0\.1:1: no scheduler"),
        connect_workers(0, "tcp://127.0.0.1:1", ClusterConfig(**LOCAL)),
    ):
        pass


class Part:
    pass


def job() -> Job:
    return Job("list", "rarefy.flows.engine.stages:same", 1, {"quarantine": Quarantined}, {"quarantine": Quarantined})


@pytest.mark.machines
def test_work_is_done_on_the_cluster_of_the_config(tmp_path):
    from rarefy.data_contracts.tables import to_table
    from rarefy.tasks.store.tables import Store

    store = Store(tmp_path / "store")
    names = [store.keep(to_table([Quarantined(row_id(n), "s", "p", "r", "d")], Quarantined)) for n in range(3)]
    with connect_workers(0, "", ClusterConfig(**LOCAL)) as hands:
        made = dict(hands(job(), [{"quarantine": name} for name in names], store.url))
    assert [made[n]["quarantine"] for n in range(3)] == names
    assert not list((tmp_path / "store").glob("met/*"))


@pytest.mark.machines
def test_a_cluster_without_workers_is_told(tmp_path):
    options = LOCAL["options"] | {"n_workers": 0}
    empty = ClusterConfig(kind=LOCAL["kind"], options=options, patience=2)
    with (
        connect_workers(0, "", empty) as hands,
        pytest.raises(Fault, match=r"no worker of .* took any work in 2 seconds"),
    ):
        list(hands(job(), [{"quarantine": "0" * 32}], str(tmp_path / "store")))


@pytest.mark.machines
def test_workers_that_see_another_store_are_told(tmp_path, monkeypatch):
    from rarefy.flows.engine import workers

    monkeypatch.setattr(workers, "read_if_visible", lambda url, name: "")
    with (
        connect_workers(0, "", ClusterConfig(**LOCAL)) as hands,
        pytest.raises(UsageFault, match=r"--store .*see another one"),
    ):
        list(hands(job(), [{"quarantine": "0" * 32}], str(tmp_path / "store")))
