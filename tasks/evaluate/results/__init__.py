"""From the figures and tables of an evaluation to four forms of result: summary.json, Markdown, the terminal's headline
table, and one self-contained HTML page with a drill-down to single trials.
"""

from rarefy.tasks.evaluate.results.headline import headline
from rarefy.tasks.evaluate.results.markdown import markdown
from rarefy.tasks.evaluate.results.page import charts, page
from rarefy.tasks.evaluate.results.summary import check, summary

__all__ = ["charts", "check", "headline", "markdown", "page", "summary"]
