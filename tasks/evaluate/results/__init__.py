"""What an evaluation came to, told four ways: summary.json, Markdown, the terminal, and one self-contained page."""

from rarefy.tasks.evaluate.results.headline import headline
from rarefy.tasks.evaluate.results.markdown import markdown
from rarefy.tasks.evaluate.results.page import page
from rarefy.tasks.evaluate.results.summary import check, summary

__all__ = ["check", "headline", "markdown", "page", "summary"]
