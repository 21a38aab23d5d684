"""What is deployed, when it runs, and who hears of it: the section [deploy] of a config."""

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, BaseModel, Field

Ending = Literal["failed", "crashed", "timed-out", "regression", "lost", "cancelled", "refreshed"]
KINDS = ("build", "refresh", "evaluate", "watch")
_EVERY = re.compile(r"every (\d+) ?(s|min|h|d)")
_CRON = re.compile(r"(?:[\dA-Za-z*/,#?-]+ +){4}[\dA-Za-z*/,#?-]+")
_BLOCK = re.compile(r"\{\{ *prefect\.(blocks|variables)\.[^}]+\}\}")
_SECRET = re.compile(r"(?i)password|passwd|secret|token|credential|access_?key|api_?key")
_SECONDS = {"s": 1, "min": 60, "h": 3_600, "d": 86_400}


def seconds_of(schedule: str) -> int:
    """The seconds between two runs of "every 15 min"; 0 for a cron line and for none."""
    found = _EVERY.fullmatch(schedule)
    return int(found[1]) * _SECONDS[found[2]] if found else 0


def _schedule(text: str) -> str:
    if not text or seconds_of(text):
        return text
    if text.startswith("every"):
        raise ValueError('write it as "every 15 min" (s, min, h or d)')
    if not _CRON.fullmatch(text):  # by shape; `rarefy deploy` has Prefect look closer
        raise ValueError('neither a cron line of five fields ("0 6 * * *") nor "every 15 min"')
    return text


def _timezone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValueError('no timezone of that name is known here; as "UTC" or "Europe/Oslo"') from None
    return name


def _rule(text: str) -> str:
    from rarefy.tasks.evaluate.statistics.gate import parse_rule  # late: numpy

    parse_rule(text)
    return text


def _without_secrets(variables: dict[str, Any]) -> dict[str, Any]:
    for path, value in _leaves(variables):
        named_secret = _SECRET.search(path.rpartition(".")[2]) and isinstance(value, str)
        if named_secret and not _BLOCK.search(value):
            raise ValueError(
                f"{path}: looks like a secret, and Prefect shows job variables to everybody; make a block of it, and "
                'write "{{ prefect.blocks.secret.NAME }}" here'
            )
    return variables


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


Schedule = Annotated[
    str,
    AfterValidator(_schedule),
    Field(description='a cron line ("0 6 * * *"), or "every 15 min" (s, min, h, d); "": only when it is asked for'),
]
Retries = Annotated[
    int,
    Field(ge=0, le=10, description="of a run that failed for another reason than its config, corpus or limits"),
]


class Timing(BaseModel, frozen=True, extra="forbid"):
    """When a deployment runs, how often it is tried, and how long it may take."""

    schedule: Schedule = ""
    timezone: Annotated[str, AfterValidator(_timezone)] = Field("UTC", description="of the cron line")
    retries: Retries = 2
    retry_delay_seconds: int = Field(60, ge=0, description="between two tries")
    timeout_seconds: int = Field(0, ge=0, description="after which a run is stopped, and told as timed out; 0: never")
    concurrency: int = Field(1, ge=1, description="runs at once; further ones wait their turn")


class Daily(Timing, frozen=True, extra="forbid"):
    """The same, each morning unless told otherwise."""

    schedule: Schedule = "0 6 * * *"


class Often(Timing, frozen=True, extra="forbid"):
    """The same, for what is over in seconds: the next one is the retry."""

    schedule: Schedule = "*/15 * * * *"
    retries: Retries = 0


class Deploy(BaseModel, frozen=True, extra="forbid"):
    """What `rarefy deploy` and `rarefy serve` set up; no benchmark depends on it."""

    name: str = Field(
        "", pattern=r"^[\w.-]*$", description="added to the deployments' names, where a server has several benchmarks"
    )
    corpus: str = Field("corpus", min_length=1, description="folder, file or URL (s3://...) of the documents")
    out: str = Field("benchmark", min_length=1, description="folder for the benchmark")
    results: str = Field("results", min_length=1, description="folder for evaluations, one folder in it per version")
    store: str = Field(".rarefy", min_length=1, description="folder or URL of what was made before")
    folder: str = Field(
        "", description='where the worker\'s relative paths begin; "": where `rarefy deploy` or `rarefy serve` is run'
    )
    workers: int = Field(0, ge=0, description="processes for documents; 0: that of the run")
    dask: str = Field("", description="a Dask scheduler, tcp://host:port")
    max_calls: int = Field(0, ge=0, description="requests that one run may send to models; 0: no limit")
    max_cost: float = Field(0.0, ge=0, description="what one run may spend on models; 0: no limit")
    systems: tuple[str, ...] = Field((), description="systems under test that are evaluated after each refresh")
    fail_if: tuple[Annotated[str, AfterValidator(_rule)], ...] = Field(
        (), description="what is a regression against the evaluation before, as `rarefy compare --fail-if` says it"
    )
    work_pool: str = Field("rarefy", min_length=1, description="work pool whose workers run it; made where it is not")
    pool_type: str = Field("process", min_length=1, description="of a work pool that is made: process, docker, ...")
    job_variables: Annotated[dict[str, Any], AfterValidator(_without_secrets)] = Field(
        {},
        description="what the pool starts a run with: image, networks, volumes, env, ...; Prefect shows them, so "
        'that a secret is "{{ prefect.blocks.secret.NAME }}"',
    )
    tags: tuple[str, ...] = Field(("rarefy",), description="of every deployment and its runs")
    tell: tuple[Ending, ...] = Field(
        ("failed", "crashed", "timed-out", "regression", "lost"),
        description="which ends of a run are posted to the address in RAREFY_NOTIFY_URL; also: cancelled, refreshed",
    )
    build: Timing = Field(Timing(), description="the deployment `build`: a benchmark from nothing but what is stored")
    refresh: Daily = Field(Daily(), description="the deployment `refresh`: up to the documents, and evaluated")
    evaluate: Timing = Field(Timing(), description="the deployment `evaluate`: systems under test on the benchmark")
    watch: Often = Field(Often(), description="the deployment `watch`: one look at the corpus")


def deployment_name(kind: str, deploy: Deploy) -> str:
    """The name of a deployment: its kind, and the benchmark's name where it has one."""
    return f"{kind}-{deploy.name}" if deploy.name else kind


def full_name(kind: str, deploy: Deploy) -> str:
    """The name of a deployment with that of its flow, as Prefect looks it up."""
    return f"rarefy {kind}/{deployment_name(kind, deploy)}"
