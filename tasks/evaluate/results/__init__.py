"""From the figures and tables of an evaluation to five forms of result: plain sentences, summary.json, Markdown, the
terminal's short tables, and one self-contained HTML page with a drill-down to single trials.
"""

from rarefy.tasks.evaluate.results.findings import find_findings
from rarefy.tasks.evaluate.results.headline import brief_rows, headline
from rarefy.tasks.evaluate.results.markdown import markdown
from rarefy.tasks.evaluate.results.page import charts, page
from rarefy.tasks.evaluate.results.plain_summary import plain_summary
from rarefy.tasks.evaluate.results.summary import check, summary

__all__ = ["brief_rows", "charts", "check", "find_findings", "headline", "markdown", "page", "plain_summary", "summary"]
