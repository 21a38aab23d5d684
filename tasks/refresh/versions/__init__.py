"""Two benchmarks of the same documents beside each other: what was added, edited, moved, retired, and what stands."""

from rarefy.tasks.refresh.versions.compare import COLUMNS, Changes, changes
from rarefy.tasks.refresh.versions.write import plain, write

__all__ = ["COLUMNS", "Changes", "changes", "plain", "write"]
