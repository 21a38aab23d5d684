"""From a number to its rows, and from a row to all that there is of it: what the page carries for looking closer."""

from rarefy.tasks.results.drill.carried import carried
from rarefy.tasks.results.drill.island import island

__all__ = ["carried", "island"]
