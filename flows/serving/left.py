"""Runs that were under way when a machine or a server went down: nobody else will say that they ended."""

from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import (
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
    WorkPoolFilter,
    WorkPoolFilterName,
)
from prefect.client.schemas.objects import StateType
from prefect.states import Crashed

UNDER_WAY = [StateType.RUNNING, StateType.PENDING, StateType.CANCELLING]


def tidy(work_pool: str) -> int:
    """Mark them as crashed; how many there were. To be called while no worker takes runs of this pool."""
    with get_client(sync_client=True) as client:
        runs = client.read_flow_runs(
            flow_run_filter=FlowRunFilter(state=FlowRunFilterState(type=FlowRunFilterStateType(any_=UNDER_WAY))),
            work_pool_filter=WorkPoolFilter(name=WorkPoolFilterName(any_=[work_pool])),
        )
        for run in runs:
            client.set_flow_run_state(run.id, Crashed(message="cut off: its machine or server ended"), force=True)
    return len(runs)
