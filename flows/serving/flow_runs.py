"""Runs of deployments in Prefect: their limits, starting one, telling how it ended, and tidying up after a crash."""

import os
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import (
    DeploymentFilter,
    DeploymentFilterId,
    FlowRunFilter,
    FlowRunFilterExpectedStartTime,
    FlowRunFilterState,
    FlowRunFilterStateType,
    WorkPoolFilter,
    WorkPoolFilterName,
)
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.client.schemas.sorting import FlowRunSort
from prefect.events import emit_event
from prefect.exceptions import ObjectNotFound
from prefect.flows import Flow
from prefect.states import Cancelled, Crashed, State
from prefect.utilities.urls import url_for

from rarefy.flows.faults import UsageFault
from rarefy.flows.serving.config import Ending
from rarefy.flows.serving.login import is_shutting_down
from rarefy.tasks.models.llm.secrets import redacted

RETRIES, DELAY, TIMEOUT = "RAREFY_{}_RETRIES", "RAREFY_{}_RETRY_DELAY", "RAREFY_{}_TIMEOUT"


def flow_limits(kind: str) -> dict[str, Any]:
    """Arguments of `@flow` for retries and timeout, from the environment: a deployment has no place for them."""

    def given(name: str, default: int) -> int:
        return int(os.environ.get(name.format(kind.upper()), default))

    return {
        "retries": given(RETRIES, 0),
        "retry_delay_seconds": given(DELAY, 60),
        "timeout_seconds": given(TIMEOUT, 0) or None,
        "persist_result": False,
        "validate_parameters": True,
    }


def limits_environment(kind: str, retries: int, delay: int, timeout: int) -> dict[str, str]:
    """The environment variables that tell a deployment's runs their retries and timeout."""
    names = {RETRIES: retries, DELAY: delay, TIMEOUT: timeout}
    return {name.format(kind.upper()): str(value) for name, value in names.items()}


def start_deployment(deployment: str, **parameters: Any) -> str:
    """Start a run of "FLOW/DEPLOYMENT" with these parameters; says what was started, or which run waits already.

    A run that is under way does not count: it may have listed the documents before the change that asks for this one.
    """
    with get_client(sync_client=True) as client:
        try:
            found = client.read_deployment_by_name(deployment)
        except ObjectNotFound:
            raise UsageFault(f"no deployment {deployment!r} on this server; register it with `rarefy deploy`") from None
        if waiting := _waiting(client, found.id):
            return f"{waiting} waits to run already"
        made = client.create_flow_run_from_deployment(found.id, parameters=parameters)
        return f"{made.name} of {deployment} was started"


def _waiting(client: SyncPrefectClient, deployment: UUID) -> str:
    """The name of a run that is due and has not begun, "" for none."""
    runs = client.read_flow_runs(
        deployment_filter=DeploymentFilter(id=DeploymentFilterId(any_=[deployment])),
        flow_run_filter=FlowRunFilter(
            state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.SCHEDULED, StateType.PENDING])),
            expected_start_time=FlowRunFilterExpectedStartTime(before_=datetime.now(UTC)),
        ),
        limit=1,
    )
    return runs[0].name if runs else ""


EVENT = "rarefy.run."
STATES: dict[str, Ending] = {  # by name, where the type does not say it
    "TimedOut": "timed-out",
    "Regressed": "regression",
    "Refreshed": "refreshed",
}
TYPES: dict[str, Ending] = {"FAILED": "failed", "CRASHED": "crashed", "CANCELLED": "cancelled"}
SHORT = 1_000  # characters of a message: a notice is read on a phone
OVER = "over"  # any other end


def emit_run_ended(flow: Flow[Any, Any], flow_run: FlowRun, state: State[Any]) -> None:
    """Emit an event that says how a run ended; a hook of Prefect, called when it is not retried."""
    how: str = STATES.get(state.name or "") or TYPES.get(state.type.value) or OVER
    if how == "crashed" and is_shutting_down():
        how = OVER
    with get_client(sync_client=True) as client:
        name = client.read_flow_run(flow_run.id).name  # a hook that a worker runs is told the name before the run's own
    message = redacted(state.message or "", SHORT)
    ending_text = {"failed": "failed", "timed-out": "took too long", "regression": "found a regression"}.get(how, how)
    emit_event(
        EVENT + how,
        resource={"prefect.resource.id": f"prefect.flow-run.{flow_run.id}", "prefect.resource.name": name},
        payload={
            "ending": how,
            "flow": flow.name,
            "run": name,
            "state": state.name,
            "message": message,
            "url": url_for(flow_run) or "",
            "text": f"{flow.name}: {name} {ending_text}: {message}",
        },
    )


UNDER_WAY = [StateType.RUNNING, StateType.PENDING, StateType.CANCELLING]


def clean_up_runs(work_pool: str) -> tuple[int, int]:
    """Mark runs that were cut off as crashed, and cancel missed ones; returns the numbers of both.

    Of the missed runs of a deployment the last one stands: it does what all of them would have done. To be called while
    no worker takes runs of this pool.
    """
    with get_client(sync_client=True) as client:
        cut = _runs(client, work_pool, UNDER_WAY)
        for run in cut:
            client.set_flow_run_state(run.id, Crashed(message="cut off: its machine or server ended"), force=True)
        seen, missed = set(), 0
        for run in _runs(client, work_pool, [StateType.SCHEDULED]):
            if run.deployment_id in seen:
                skipped: State[Any] = Cancelled(
                    name="Skipped", message="missed while nothing was served; a later one stands for it"
                )
                client.set_flow_run_state(run.id, skipped, force=True)
                missed += 1
            seen.add(run.deployment_id)
    return len(cut), missed


def _runs(client: SyncPrefectClient, work_pool: str, states: list[StateType]) -> list[FlowRun]:
    """The runs in these states that should have begun by now, the last first."""
    found: list[FlowRun] = []
    while True:
        some = client.read_flow_runs(
            flow_run_filter=FlowRunFilter(
                state=FlowRunFilterState(type=FlowRunFilterStateType(any_=states)),
                expected_start_time=FlowRunFilterExpectedStartTime(before_=datetime.now(UTC)),
            ),
            work_pool_filter=WorkPoolFilter(name=WorkPoolFilterName(any_=[work_pool])),
            sort=FlowRunSort.EXPECTED_START_TIME_DESC,
            offset=len(found),
        )
        found += some
        if not some:
            return found
