"""The process that looks at the documents every few seconds, and starts the deployment `refresh` where they changed."""

import json
import sys
import threading
import time
from pathlib import Path

from rarefy.flows.faults import Fault, UsageFault
from rarefy.flows.serving.server_process import end_with_starter


def main(every: float, deployment: str, corpus: str, out: str, store: str, config_file: str) -> int:
    """Look until asked to end. What goes wrong for a while is told, and tried again at the next look."""
    end_with_starter()
    from rarefy.flows.config import load
    from rarefy.flows.serving.folder_watch import look
    from rarefy.flows.serving.start_run import start
    from rarefy.tasks.models.llm.secrets import redacted
    from rarefy.tasks.refresh.feeds.faults import FeedFault
    from rarefy.tasks.refresh.refresh_queue import wanted
    from rarefy.tasks.store.journal import line_of
    from rarefy.tasks.store.tables import Store

    config = load(Path(config_file) if config_file else None)
    said = ""

    def say(text: str) -> None:
        nonlocal said
        if text != said:
            print(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {redacted(text)}", file=sys.stderr, flush=True)
        said = text

    def begin() -> None:
        say(start(deployment, only_if_wanted=True))

    if wanted(Store(store), line_of(out)):  # asked for, and not answered, when this machine went down
        begin()
    while True:
        try:
            if why := look(corpus, out, store, config, say, then=begin):
                say(why)
        except Exception as error:
            # by name: httpx's exceptions are those of a server that is busy or away
            known = isinstance(error, Fault | FeedFault | OSError)
            if not known and type(error).__module__.partition(".")[0] not in {"httpx", "httpcore", "prefect"}:
                raise
            say(f"cannot look: {error}; tried again in {every:,.0f} s")
        threading.Event().wait(every)


if __name__ == "__main__":
    try:
        sys.exit(main(**json.loads(sys.argv[1])))
    except UsageFault as fault:
        print(fault, file=sys.stderr)
        sys.exit(fault.code)
