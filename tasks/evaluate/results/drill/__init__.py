"""From a number to its rows, and from a row to all that there is of it: what the page carries for looking closer."""

from rarefy.tasks.evaluate.results.drill.drilldown_payload import drilldown_payload
from rarefy.tasks.evaluate.results.drill.json_script import json_script

__all__ = ["drilldown_payload", "json_script"]
