"""A Dask cluster that a run starts for itself, of any class, as `[cluster]` of the config says."""

import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from pydantic import BaseModel, Field, model_validator

from rarefy.flows.faults import Fault, UsageFault

INSTALL = {  # by module, where the package is called otherwise or needs an extra
    "dask_kubernetes": 'pip install "dask-kubernetes>=2026.3"',
    "dask_cloudprovider.aws": 'pip install "dask-cloudprovider[aws]>=2025.9"',
    "dask_cloudprovider.azure": 'pip install "dask-cloudprovider[azure]>=2025.9"',
    "dask_cloudprovider.gcp": 'pip install "dask-cloudprovider[gcp]>=2025.9"',
    "dask_cloudprovider": 'pip install "dask-cloudprovider[all]>=2025.9"',
    "dask_jobqueue": 'pip install "dask-jobqueue>=0.9"',
}
SECRET = re.compile(r"(?i)password|passwd|secret|token|credential|access_?key|api_?key")
ENVIRONMENT = re.compile(r"\$([A-Za-z_][A-Za-z0-9_]*)")  # a value that stands in the environment


class ClusterConfig(BaseModel, frozen=True, extra="forbid"):
    """Which machines do the work of many documents, where --dask and --workers name none."""

    kind: str = Field(
        "", description='class of the cluster, "dask_kubernetes.operator:KubeCluster" for one; "": no cluster'
    )
    options: dict[str, Any] = Field(
        {}, description="what the class is made with; a value that reads $NAME is taken from the environment"
    )
    workers: int = Field(0, ge=0, description="how many workers it is scaled to; 0: as many as it begins with")
    minimum: int = Field(0, ge=0, description="with maximum: the fewest workers to keep")
    maximum: int = Field(0, ge=0, description="the most workers, as many as there is work for; 0: a fixed number")
    patience: int = Field(600, gt=0, description="seconds to wait for the first worker, who may need a new machine")

    @model_validator(mode="after")
    def _agrees(self) -> "ClusterConfig":
        if self.kind and not re.fullmatch(r"[\w.]+:\w+", self.kind):
            raise ValueError(f'kind: {self.kind!r} is not "module:Class", as "distributed:LocalCluster" is')
        if not self.kind and self.model_fields_set - {"kind", "patience"} and self != ClusterConfig():
            raise ValueError("kind: not named, and the rest of [cluster] needs it")
        if self.maximum and self.workers:
            raise ValueError("workers: a fixed number, and maximum: a changing one; keep one of them")
        if self.minimum > self.maximum:
            raise ValueError(f"minimum: {self.minimum} is more than maximum = {self.maximum}")
        for path, value in find_secrets(self.options):
            if not ENVIRONMENT.fullmatch(value):
                raise ValueError(
                    f"options.{path}: looks like a secret, which belongs into the environment; write $NAME here"
                )
        return self


def find_secrets(options: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Path and value of every text in nested options whose name is that of a secret."""
    for path, value in _leaves(options):
        if SECRET.search(path.rpartition(".")[2]) and isinstance(value, str):
            yield path, value


@contextmanager
def start_cluster(config: ClusterConfig) -> Iterator[Any]:
    """The cluster, with its workers on their way, and closed at the end whatever happens.

    UsageFault where the class cannot be had or made so, Fault where it does not start; both name class and way out.
    """
    make = _import_class(config.kind)
    options = _fill_in(config.options, "options")
    try:
        cluster = make(**options)
    except TypeError as error:
        raise UsageFault(f"[cluster] options do not fit {config.kind}: {error}; see its documentation") from error
    except Exception as error:  # of a cloud's client, which could be any
        raise Fault(
            f"[cluster] {config.kind} did not start ({type(error).__name__}: {error}); look at its permissions, quota "
            "and image, or name a scheduler that runs with --dask"
        ) from error
    try:
        if config.maximum:
            cluster.adapt(minimum=config.minimum, maximum=config.maximum)
        elif config.workers:
            cluster.scale(config.workers)
        yield cluster
    finally:
        cluster.close()


def describe_cluster(config: ClusterConfig) -> str:
    """A cluster that could be started, in words; UsageFault where its class or a variable of its options is missing."""
    _import_class(config.kind)
    _fill_in(config.options, "options")
    return f"{config.kind}, which a build starts for itself"


def _import_class(kind: str) -> Callable[..., Any]:
    """The class of a cluster; UsageFault names the package to install."""
    module, _, name = kind.partition(":")
    try:
        return getattr(import_module(module), name)  # type: ignore[no-any-return]
    except AttributeError:
        raise UsageFault(f"[cluster] kind: {module} has no class {name!r}; see its documentation") from None
    except ImportError as error:
        way_out = next((command for start, command in INSTALL.items() if f"{module}.".startswith(f"{start}.")), "")
        raise UsageFault(
            f"[cluster] kind: {kind} cannot be imported ({error}); "
            f"{way_out or f'install the package that has {module}'} where the flow runs"
        ) from error


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of nested tables and lists, under its path; of Kubernetes' {name, value} under the name."""
    if isinstance(value, dict) and set(value) == {"name", "value"}:
        yield f"{path}.{value['name']}", value["value"]
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list | tuple):
        for place, inner in enumerate(value):
            yield from _leaves(inner, f"{path}.{place}")
    else:
        yield path, value


def _fill_in(value: Any, path: str) -> Any:
    """The options with what the environment holds in place of $NAME."""
    if isinstance(value, dict):
        return {key: _fill_in(inner, f"{path}.{key}") for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_fill_in(inner, f"{path}.{place}") for place, inner in enumerate(value)]
    if isinstance(value, str) and (asked := ENVIRONMENT.fullmatch(value)):
        if asked[1] not in os.environ:
            raise UsageFault(f"[cluster] {path}: {value} is not set in the environment; export it")
        return os.environ[asked[1]]
    return value
