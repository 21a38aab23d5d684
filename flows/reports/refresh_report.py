"""What came of a refresh, for a person at a terminal."""

from pathlib import Path

from rich.console import Console

from rarefy.flows.refresh import Refreshed
from rarefy.flows.reports import build_report
from rarefy.flows.reports.tables import as_table
from rarefy.tasks.refresh.versions.settings import differ

SAID = {
    "not wanted": "Nobody asked for a refresh since the last one: nothing done",
    "busy": "Another refresh runs here; it goes again when it is done",
}


def show(done: Refreshed, console: Console) -> None:
    """The report of the build where something was made, and what changed against the version before."""
    if done.told in SAID or done.built is None or done.version is None:
        console.print(SAID[done.told], markup=False)
        return
    if done.told == "unchanged":
        console.print(
            f"Nothing changed: version {done.version.number} ({done.version.version[:12]}) stands", markup=False
        )
        return
    build_report.show(done.built, console)
    if done.settings and done.before is not None:
        console.print(differ(done.settings, str(done.before.number)), markup=False, highlight=False, soft_wrap=True)
    if done.changes is not None and done.before is not None:
        rows = [
            {"what": name.replace("_", " "), "rows": f"{count:,}"}
            for name, count in done.changes.counts.items()
            if count
        ]
        console.print(as_table(f"Changes since version {done.before.number}", rows))
        every = Path(done.version.out, "changes.html")
        console.print(f"Every one of them: {every}", markup=False, soft_wrap=True)
