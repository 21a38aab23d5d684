"""However a run ends, an event says so: what notices hang on.

Triggers on Prefect's own events of a run's states did not fire for scheduled runs, those on events of one's own always:
notices hang on these alone.
"""

from typing import Any

from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRun, State
from prefect.events import emit_event
from prefect.flows import Flow
from prefect.utilities.urls import url_for

from rarefy.flows.serving.config import Ending
from rarefy.flows.serving.shutdown import ending
from rarefy.tasks.models.llm.secrets import redacted

EVENT = "rarefy.run."
STATES: dict[str, Ending] = {  # by name, where the type does not say it
    "TimedOut": "timed-out",
    "Regressed": "regression",
    "Refreshed": "refreshed",
}
TYPES: dict[str, Ending] = {"FAILED": "failed", "CRASHED": "crashed", "CANCELLED": "cancelled"}
SHORT = 1_000  # characters of a message: a notice is read on a phone
OVER = "over"  # any other end


def ended(flow: Flow[Any, Any], flow_run: FlowRun, state: State[Any]) -> None:
    """Tell of a run's end; nothing where it is to be tried again."""
    how: str = STATES.get(state.name or "") or TYPES.get(state.type.value) or OVER
    if how == "crashed" and ending():
        how = OVER
    with get_client(sync_client=True) as client:
        name = client.read_flow_run(flow_run.id).name  # a hook that a worker runs is told the name before the run's own
    message = redacted(state.message or "", SHORT)
    told = {"failed": "failed", "timed-out": "took too long", "regression": "found a regression"}.get(how, how)
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
            "text": f"{flow.name}: {name} {told}: {message}",
        },
    )
