"""What is deployed: four flows with their parameters, schedules, limits and tags (the same as infra/prefect.yaml)."""

import inspect
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from rarefy.flows.serving.config import KINDS, Deploy, Timing, seconds_of
from rarefy.flows.serving.run_limits import environment

HEARTBEAT = "30"  # seconds between two signs of life of a run, the fewest that Prefect allows


@dataclass(frozen=True)
class Planned:
    """A deployment as it is to be."""

    name: str
    flow_name: str
    entrypoint: str
    description: str
    timing: Timing
    parameters: dict[str, Any] = field(default_factory=dict)
    job_variables: dict[str, Any] = field(default_factory=dict)
    tags: tuple[str, ...] = ()
    work_pool: str = ""
    version: str = ""

    @property
    def full_name(self) -> str:
        """As Prefect asks for it."""
        return f"{self.flow_name}/{self.name}"

    def schedule(self) -> dict[str, Any]:
        """The schedule as Prefect has it; none: {}."""
        if not self.timing.schedule:
            return {}
        if seconds := seconds_of(self.timing.schedule):
            return {"interval": float(seconds)}
        return {"cron": self.timing.schedule, "timezone": self.timing.timezone}


def named(kind: str, deploy: Deploy) -> str:
    """What a deployment is called: its kind, and the benchmark's name where it has one."""
    return f"{kind}-{deploy.name}" if deploy.name else kind


def full_name(kind: str, deploy: Deploy) -> str:
    """The same with its flow's name, as Prefect asks for it."""
    return f"rarefy {kind}/{named(kind, deploy)}"


def planned(deploy: Deploy, config_file: str = "", folder: str = "") -> list[Planned]:
    """The four deployments of a config; `folder` is where relative paths begin, where the config does not say."""
    from rarefy.flows import deployed  # late: Prefect

    parameters = _parameters(deploy, config_file)
    found = []
    for kind in KINDS:
        timing: Timing = getattr(deploy, kind)
        flow = getattr(deployed, kind)
        variables: dict[str, Any] = {
            "env": {
                **environment(kind, timing.retries, timing.retry_delay_seconds, timing.timeout_seconds),
                "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": HEARTBEAT,
                "PREFECT_LOGGING_LOGGERS_PREFECT_TASK_RUNS_LEVEL": "WARNING",  # every stage has a line of its own
            }
        }
        if deploy.pool_type == "process" and (deploy.folder or folder):
            variables["working_dir"] = deploy.folder or folder
        found.append(
            Planned(
                name=named(kind, deploy),
                flow_name=flow.name,
                entrypoint=f"rarefy.flows.deployed.{kind}",
                description=_first_line(flow.fn),
                timing=timing,
                parameters=parameters[kind],
                job_variables=variables,
                tags=deploy.tags,
                work_pool=deploy.work_pool,
                version=version("rarefy"),
            )
        )
    return found


def _parameters(deploy: Deploy, config_file: str) -> dict[str, dict[str, Any]]:
    where = {"store": deploy.store, "config_file": config_file}
    fast = {
        "workers": deploy.workers,
        "dask": deploy.dask,
        "max_calls": deploy.max_calls,
        "max_cost": deploy.max_cost,
    }
    made = {"corpus": deploy.corpus, "out": deploy.out, **where}
    return {
        "build": {**made, **fast},
        "refresh": {**made, "evaluation": full_name("evaluate", deploy) if deploy.systems else "", **fast},
        "evaluate": {
            "benchmark": deploy.out,
            "results": deploy.results,
            **where,
            "systems": list(deploy.systems),
            "fail_if": list(deploy.fail_if),
            **fast,
        },
        "watch": {**made, "refresh": full_name("refresh", deploy)},
    }


def _first_line(function: Any) -> str:
    return (inspect.getdoc(function) or "").partition("\n")[0]
