"""What was under way, or due, when a machine or a server went down: nobody else will say what became of it."""

from datetime import UTC, datetime
from typing import Any

from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import (
    FlowRunFilter,
    FlowRunFilterExpectedStartTime,
    FlowRunFilterState,
    FlowRunFilterStateType,
    WorkPoolFilter,
    WorkPoolFilterName,
)
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.client.schemas.sorting import FlowRunSort
from prefect.states import Cancelled, Crashed, State

UNDER_WAY = [StateType.RUNNING, StateType.PENDING, StateType.CANCELLING]


def tidy(work_pool: str) -> tuple[int, int]:
    """How many runs were cut off, and are marked as crashed, and how many were missed, and are not made up for.

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
                told: State[Any] = Cancelled(
                    name="Skipped", message="missed while nothing was served; a later one stands for it"
                )
                client.set_flow_run_state(run.id, told, force=True)
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
