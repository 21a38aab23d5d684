"""Comparison of two versions of a benchmark.

Their tables come in; a row for each document, section, paragraph, chunk, fact and question that changed goes out, and
the pages that show them.
"""

from rarefy.tasks.refresh.versions.compare import COLUMNS, Changes, compare_tables
from rarefy.tasks.refresh.versions.report import summarise_changes, write_changes

__all__ = ["COLUMNS", "Changes", "compare_tables", "summarise_changes", "write_changes"]
