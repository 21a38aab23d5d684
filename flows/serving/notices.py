"""Who is told how a run ended: a webhook block, and automations that post to it."""

import json
import os
from datetime import timedelta
from urllib.parse import urlsplit

from prefect.automations import Automation
from prefect.blocks.webhook import Webhook
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import StateType
from prefect.events.actions import ActionTypes, CallWebhook, ChangeFlowRunState
from prefect.events.schemas.automations import EventTrigger, Posture
from prefect.types import SecretDict
from pydantic import SecretStr

from rarefy.flows.faults import UsageFault
from rarefy.flows.serving.config import Deploy
from rarefy.flows.serving.hooks import EVENT

URL = "RAREFY_NOTIFY_URL"  # in the environment: such an address is a password
BLOCK = "rarefy-notify"  # as Prefect calls it: what an address says that holds a secret is shown to nobody
TELL, LOST = "rarefy: tell of runs that end badly", "rarefy: runs that gave no sign of life"
PATIENCE = timedelta(seconds=100)  # three heartbeats
PAYLOAD = {name: f"{{{{ event.payload.{name} | tojson }}}}" for name in ("text", "ending", "run", "message", "url")}
GONE = "no sign of life for 100 s: its process was killed, or its machine is gone"


def register(deploy: Deploy) -> bool:
    """The notices of a config, where RAREFY_NOTIFY_URL says where to; whether somebody will be told.

    Runs that give no sign of life are marked as crashed in any case: they would hold their deployment's turn.
    """
    address = os.environ.get(URL, "").strip()
    block = _block(address) if address else None
    endings = sorted({EVENT + one for one in deploy.tell if one != "lost"})
    _put(TELL, _told(endings, block) if block and endings else None)
    _put(LOST, _lost(block if "lost" in deploy.tell else None))
    return bool(block)


def _block(address: str) -> "str":
    if urlsplit(address).scheme not in ("http", "https") or not urlsplit(address).hostname:
        raise UsageFault(f"{URL} is no http(s) address; it is kept as a secret block of Prefect and posted to")
    made = Webhook(method="POST", url=SecretStr(address), headers=SecretDict({"Content-Type": "application/json"}))
    return str(made.save(BLOCK, overwrite=True))


def _told(endings: list[str], block: str) -> Automation:
    return Automation(
        name=TELL,
        description="Posts to the webhook block rarefy-notify. Written by `rarefy deploy`.",
        trigger=EventTrigger(expect=set(endings), posture=Posture.Reactive, threshold=1, within=timedelta(0)),
        actions=[_call(block, "{" + ", ".join(f'"{name}": {told}' for name, told in PAYLOAD.items()) + "}")],
    )


def _lost(block: str | None) -> Automation:
    """A run whose heartbeats stop without an end: its state is set, and somebody told."""
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


def _put(name: str, wanted: Automation | None) -> None:
    """One automation of that name, as wanted, or none."""
    with get_client(sync_client=True) as client:
        there = client.read_automations_by_name(name)
        for old in there:
            client.delete_automation(old.id)
    if wanted:
        wanted.create()
