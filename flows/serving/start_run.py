"""Start a deployment's run, unless one waits already."""

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
)
from prefect.client.schemas.objects import StateType
from prefect.exceptions import ObjectNotFound

from rarefy.flows.faults import UsageFault


def start(deployment: str, **parameters: Any) -> str:
    """Start "FLOW/DEPLOYMENT" with its own parameters but for these; says what was started, or which run waits.

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
    """The name of a run that is due and was not begun; runs of a schedule that are not due do not count."""
    runs = client.read_flow_runs(
        deployment_filter=DeploymentFilter(id=DeploymentFilterId(any_=[deployment])),
        flow_run_filter=FlowRunFilter(
            state=FlowRunFilterState(type=FlowRunFilterStateType(any_=[StateType.SCHEDULED, StateType.PENDING])),
            expected_start_time=FlowRunFilterExpectedStartTime(before_=datetime.now(UTC)),
        ),
        limit=1,
    )
    return runs[0].name if runs else ""
