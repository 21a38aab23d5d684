"""The deployments of a config: planned, and registered on a Prefect server with their work pool and notices."""

import importlib
import inspect
import json
import os
from dataclasses import dataclass, field
from datetime import timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from prefect.automations import Automation
from prefect.blocks.webhook import Webhook
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import DeploymentScheduleCreate, WorkPoolCreate
from prefect.client.schemas.objects import ConcurrencyLimitStrategy, ConcurrencyOptions, StateType
from prefect.client.schemas.schedules import CronSchedule, construct_schedule
from prefect.events.actions import ActionTypes, CallWebhook, ChangeFlowRunState
from prefect.events.schemas.automations import AutomationCore, EventTrigger, Posture
from prefect.exceptions import ObjectNotFound
from prefect.settings import PREFECT_UI_URL
from prefect.types import SecretDict
from prefect.utilities.callables import parameter_schema
from pydantic import SecretStr, ValidationError

from rarefy.flows.faults import UsageFault
from rarefy.flows.serving.config import KINDS, Deploy, Timing, deployment_name, full_name, seconds_of
from rarefy.flows.serving.flow_runs import EVENT, limits_environment

HEARTBEAT = "30"  # seconds between two signs of life of a run, the fewest that Prefect allows


@dataclass(frozen=True)
class PlannedDeployment:
    """A deployment that is to be registered."""

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
        """The name by which Prefect looks it up."""
        return f"{self.flow_name}/{self.name}"

    def schedule(self) -> dict[str, Any]:
        """The schedule as Prefect takes it; {} for none."""
        if not self.timing.schedule:
            return {}
        if seconds := seconds_of(self.timing.schedule):
            return {"interval": float(seconds)}
        return {"cron": self.timing.schedule, "timezone": self.timing.timezone}


def plan_deployments(deploy: Deploy, config_file: str = "", folder: str = "") -> list[PlannedDeployment]:
    """The four deployments of a config; `folder` is where relative paths begin, where the config does not say."""
    from rarefy.flows import deployed  # late: Prefect

    parameters = _parameters(deploy, config_file)
    found = []
    for kind in KINDS:
        timing: Timing = getattr(deploy, kind)
        flow = getattr(deployed, kind)
        variables: dict[str, Any] = {
            **deploy.job_variables,
            "env": {
                **deploy.job_variables.get("env", {}),
                **limits_environment(kind, timing.retries, timing.retry_delay_seconds, timing.timeout_seconds),
                "PREFECT_FLOWS_HEARTBEAT_FREQUENCY": HEARTBEAT,
                "PREFECT_CLIENT_RETRY_EXTRA_CODES": "500",  # what a server answers whose database is away
                "PREFECT_LOGGING_LOGGERS_PREFECT_TASK_RUNS_LEVEL": "WARNING",  # every stage has a line of its own
            },
        }
        if deploy.pool_type == "process" and (deploy.folder or folder):
            variables["working_dir"] = deploy.folder or folder
        found.append(
            PlannedDeployment(
                name=deployment_name(kind, deploy),
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


URL = "RAREFY_NOTIFY_URL"  # in the environment: such an address is a password
BLOCK = "rarefy-notify"  # as Prefect calls it: what an address says that holds a secret is shown to nobody
TELL, LOST = "rarefy: tell of runs that end badly", "rarefy: runs that gave no sign of life"
PATIENCE = timedelta(seconds=100)  # three heartbeats
PAYLOAD = {name: f"{{{{ event.payload.{name} | tojson }}}}" for name in ("text", "ending", "run", "message", "url")}
GONE = "no sign of life for 100 s: its process was killed, or its machine is gone"


def register_notices(deploy: Deploy) -> bool:
    """Register the notices of a config, where RAREFY_NOTIFY_URL is set; returns whether anybody will be notified.

    Runs that give no sign of life are marked as crashed in any case: they would hold their deployment's turn.
    """
    address = os.environ.get(URL, "").strip()
    block = _save_webhook(address) if address else None
    endings = sorted({EVENT + one for one in deploy.tell if one != "lost"})
    _replace_automation(TELL, _ending_automation(endings, block) if block and endings else None)
    _replace_automation(LOST, _lost_automation(block if "lost" in deploy.tell else None))
    return bool(block)


def _save_webhook(address: str) -> "str":
    if urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).hostname:
        raise UsageFault(f"{URL} is no http(s) address; it is kept as a secret block of Prefect and posted to")
    made = Webhook(method="POST", url=SecretStr(address), headers=SecretDict({"Content-Type": "application/json"}))
    return str(made.save(BLOCK, overwrite=True))


def _ending_automation(endings: list[str], block: str) -> Automation:
    return Automation(
        name=TELL,
        description="Posts to the webhook block rarefy-notify. Written by `rarefy deploy`.",
        trigger=EventTrigger(expect=set(endings), posture=Posture.Reactive, threshold=1, within=timedelta(0)),
        actions=[_call(block, "{" + ", ".join(f'"{name}": {value}' for name, value in PAYLOAD.items()) + "}")],
    )


def _lost_automation(block: str | None) -> Automation:
    """The automation for runs whose heartbeats stop without an end: mark them as crashed, and notify."""
    text = f"{{{{ flow.name }}}}: {{{{ flow_run.name }}}}: {GONE}"
    actions: list[ActionTypes] = [ChangeFlowRunState(state=StateType.CRASHED, name="Crashed", message=GONE)]
    if block:
        actions.append(_call(block, json.dumps({"text": text, "ending": "lost", "run": "{{ flow_run.name }}"})))
    return Automation(
        name=LOST,
        description="Marks such runs as crashed. Written by `rarefy deploy`.",
        trigger=EventTrigger(
            after={"prefect.flow-run.heartbeat"},
            expect={
                "prefect.flow-run.heartbeat",
                f"{EVENT}*",
                *(f"prefect.flow-run.{state}" for state in ("Completed", "Failed", "Cancelled", "Crashed")),
            },
            match={"prefect.resource.id": ["prefect.flow-run.*"]},  # type: ignore[arg-type]
            for_each={"prefect.resource.id"},
            posture=Posture.Proactive,
            threshold=1,
            within=PATIENCE,
        ),
        actions=actions,
    )


def _call(block: str, payload: str) -> CallWebhook:
    return CallWebhook(block_document_id=block, payload=payload)  # type: ignore[arg-type]


def _replace_automation(name: str, wanted: Automation | None) -> None:
    """Replace all automations of a name by this one, or by none; one that is equal stays.

    One that is made anew knows of no heartbeats before it, and so never misses those of a run that was cut off.
    """
    with get_client(sync_client=True) as client:
        there = client.read_automations_by_name(name)
        if wanted and len(there) == 1 and _content(there[0]) == _content(wanted):
            return
        for old in there:
            client.delete_automation(old.id)
    if wanted:
        wanted.create()


def _content(automation: AutomationCore) -> dict[str, Any]:
    """What an automation says, without what the server calls it."""
    return automation.model_dump(include=set(AutomationCore.model_fields))  # sets have no order yet


GRACE = 600  # seconds that a run may take from its turn to its first sign of life


@dataclass(frozen=True)
class RegisteredDeployment:
    """A deployment that was registered."""

    full_name: str
    schedule: str  # as a person says it
    url: str


def register(
    deploy: Deploy, config_file: str = "", folder: str = "", replace: bool = False
) -> list[RegisteredDeployment]:
    """Create or update all deployments of a config; UsageFault where that is not possible.

    `replace`: also where the deployments of this name are of another corpus, or for another folder.
    """
    plan = plan_deployments(deploy, config_file, folder)
    schedules = {one.name: _schedules(one) for one in plan}  # a mistyped one is told before anything is made
    with get_client(sync_client=True) as client:
        for one in plan if not replace else ():
            _check_same(client, one)
        _ensure_work_pool(client, deploy)
        made = [_create_deployment(client, one, schedules[one.name]) for one in plan]
    register_notices(deploy)
    return made


def _check_same(client: SyncPrefectClient, one: PlannedDeployment) -> None:
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
        was, is_now = (
            ", ".join(f"{name} {place or 'none'}" for name, place in places.items()) for places in (old, new)
        )
        raise UsageFault(
            f"this server has a deployment {one.full_name} of {was}; it is not made one of {is_now}: "
            "give it a name ([deploy] name) or --replace"
        )


def _place(path: str, folder: str) -> str:
    """A path as seen from the folder in which a run begins; "" for none, and a URL as it is."""
    return path if not path or "://" in path else os.path.normpath(Path(folder, path))


def _schedules(one: PlannedDeployment) -> list[DeploymentScheduleCreate]:
    given = one.schedule()
    if not given:
        return []
    try:
        if "cron" in given:
            CronSchedule(**given)
        return [DeploymentScheduleCreate(schedule=construct_schedule(**given), active=True)]
    except (ValidationError, ValueError) as error:
        raise UsageFault(f"[deploy.{one.name}] schedule {one.timing.schedule!r}: {error}") from error


def _ensure_work_pool(client: SyncPrefectClient, deploy: Deploy) -> None:
    """Create the work pool unless it exists; UsageFault where it is of another type."""
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


def _create_deployment(
    client: SyncPrefectClient, one: PlannedDeployment, schedules: list[DeploymentScheduleCreate]
) -> RegisteredDeployment:
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
    return RegisteredDeployment(one.full_name, f"{timing.schedule}{zone}" or "when it is asked for", url)
