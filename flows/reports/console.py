"""A console whose text is only seen: names and texts of documents, models and systems cannot command a terminal."""

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from rarefy.tasks.foreign_code import harmless


class Terminal(Console):
    """rich's console, where control codes in what is shown are signs; its own colours and lines are as ever."""

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """The pieces to be written."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else harmless(text), style, control)
