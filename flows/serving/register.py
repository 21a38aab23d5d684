"""Make a server of Prefect hold the work pool, the deployments and the notices of a config, and no others of theirs."""

import importlib
import os
from dataclasses import dataclass
from pathlib import Path

from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import DeploymentScheduleCreate, WorkPoolCreate
from prefect.client.schemas.objects import ConcurrencyLimitStrategy, ConcurrencyOptions
from prefect.client.schemas.schedules import CronSchedule, construct_schedule
from prefect.exceptions import ObjectNotFound
from prefect.settings import PREFECT_UI_URL
from prefect.utilities.callables import parameter_schema
from pydantic import ValidationError

from rarefy.flows.faults import UsageFault
from rarefy.flows.serving import notices
from rarefy.flows.serving.config import Deploy
from rarefy.flows.serving.deployments import Planned, planned

GRACE = 600  # seconds that a run may take from its turn to its first sign of life


@dataclass(frozen=True)
class Registered:
    """A deployment that stands."""

    full_name: str
    schedule: str  # as a person says it
    url: str


def register(deploy: Deploy, config_file: str = "", folder: str = "", replace: bool = False) -> list[Registered]:
    """Everything of a config, new or as it now is; UsageFault where it cannot be.

    `replace`: also where the deployments of this name are of another corpus, or for another folder.
    """
    plan = planned(deploy, config_file, folder)
    schedules = {one.name: _schedules(one) for one in plan}  # a mistyped one is told before anything is made
    with get_client(sync_client=True) as client:
        for one in plan if not replace else ():
            _check_same(client, one)
        _pool(client, deploy)
        made = [_registered(client, one, schedules[one.name]) for one in plan]
    notices.register(deploy)
    return made


def _check_same(client: SyncPrefectClient, one: Planned) -> None:
    """UsageFault where the server has a deployment of this name that is for another benchmark."""
    try:
        there = client.read_deployment_by_name(one.full_name)
    except ObjectNotFound:
        return
    before, now = there.job_variables.get("working_dir", ""), one.job_variables.get("working_dir", "")
    if not (before and now):  # one was made without a place where paths begin: as they are written
        before = now = ""
    names = [name for name in ("corpus", "out", "benchmark") if name in one.parameters]
    old = {name: _place(str(there.parameters.get(name, "")), before) for name in names}
    new = {name: _place(str(one.parameters[name]), now) for name in names}
    if old != new:
        told = [", ".join(f"{name} {place or 'none'}" for name, place in places.items()) for places in (old, new)]
        raise UsageFault(
            f"this server has a deployment {one.full_name} of {told[0]}; it is not made one of {told[1]}: "
            "give it a name ([deploy] name) or --replace"
        )


def _place(path: str, folder: str) -> str:
    """A path as seen from the folder in which a run begins; "" for none, and a URL as it is."""
    return path if not path or "://" in path else os.path.normpath(Path(folder, path))


def _schedules(one: Planned) -> list[DeploymentScheduleCreate]:
    given = one.schedule()
    if not given:
        return []
    try:
        if "cron" in given:
            CronSchedule(**given)
        return [DeploymentScheduleCreate(schedule=construct_schedule(**given), active=True)]
    except (ValidationError, ValueError) as error:
        raise UsageFault(f"[deploy.{one.name}] schedule {one.timing.schedule!r}: {error}") from error


def _pool(client: SyncPrefectClient, deploy: Deploy) -> None:
    """The work pool; one that exists is left as it is, since its settings are its owner's."""
    try:
        found = client.read_work_pool(deploy.work_pool)
    except ObjectNotFound:
        template = _template(deploy.pool_type)
        client.create_work_pool(
            WorkPoolCreate(name=deploy.work_pool, type=deploy.pool_type, base_job_template=template)
        )
        return
    if found.type != deploy.pool_type:
        raise UsageFault(
            f"[deploy] pool_type = {deploy.pool_type!r}, but the work pool {found.name!r} of this server is of type "
            f"{found.type!r}; say so in the config, or name another work_pool"
        )


def _template(kind: str) -> dict[str, object]:
    if kind == "process":
        from prefect.workers.process import ProcessWorker

        return ProcessWorker.get_default_base_job_template()
    return {}  # the first worker of a pool brings its own


def _registered(client: SyncPrefectClient, one: Planned, schedules: list[DeploymentScheduleCreate]) -> Registered:
    module, _, name = one.entrypoint.rpartition(".")
    flow = getattr(importlib.import_module(module), name)
    deployment = client.create_deployment(
        flow_id=client.create_flow_from_name(one.flow_name),
        name=one.name,
        version=one.version,
        schedules=schedules,
        concurrency_limit=one.timing.concurrency,
        concurrency_options=ConcurrencyOptions(
            collision_strategy=ConcurrencyLimitStrategy.ENQUEUE, grace_period_seconds=GRACE
        ),
        parameters=one.parameters,
        description=one.description,
        work_pool_name=one.work_pool,
        tags=list(one.tags),
        entrypoint=one.entrypoint,
        parameter_openapi_schema=parameter_schema(flow).model_dump(exclude_unset=True)
        | {"additionalProperties": False},
        paused=False,
        pull_steps=[],
        enforce_parameter_schema=True,
        job_variables=one.job_variables,
    )
    timing = one.timing
    zone = f" ({timing.timezone})" if timing.schedule and not timing.schedule.startswith("every") else ""
    url = f"{PREFECT_UI_URL.value()}/deployments/deployment/{deployment}" if PREFECT_UI_URL.value() else ""
    return Registered(one.full_name, f"{timing.schedule}{zone}" or "when it is asked for", url)
