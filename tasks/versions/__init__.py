"""Two benchmarks of the same documents beside each other: what was added, edited, moved, retired, and what stands."""

from rarefy.tasks.versions.compare import COLUMNS, Changes, changes
from rarefy.tasks.versions.write import plain, write

__all__ = ["COLUMNS", "Changes", "changes", "plain", "write"]
