"""What Prefect knows of the run that this process is in, if it is in one."""

from uuid import uuid4

from prefect.context import FlowRunContext
from prefect.runtime import flow_run

from rarefy.flows.engine import prefect_server


def in_flow() -> bool:
    """Is this a run of a flow, which Prefect knows of?"""
    return FlowRunContext.get() is not None


def watched() -> bool:
    """Is it one that somebody may look at: of a flow, on a server that outlives it?"""
    return in_flow() and not prefect_server.temporary()


def named() -> str:
    """What the ledger calls this run."""
    return flow_run.id or str(uuid4())
