"""A real filing as somebody edits it by hand: a figure restated, a paragraph moved, sections deleted and added."""

import re
from pathlib import Path

HEADING = '<div><span style="font-size:9pt;font-weight:700">{}</span></div>'
PARAGRAPH = '<div><span style="font-size:9pt;font-weight:400">{}</span></div>'

RESTATED = ("11,445", "11,545")  # depreciation and amortization of 2024, which stands in the filing once
MOVED = "The Company records reductions to Products net sales related to future product returns"
BEHIND = "The Company has identified the performance obligations regularly included in arrangements"
DELETED = "Competition"
ADDED = (
    "Human Capital",
    "As of September 28, 2024, the Company had approximately 164,000 full-time equivalent employees in 40 countries.",
    "The Company opened a training centre in Halden during the year, where its engineers teach apprentices.",
)
BEFORE = "Markets and Distribution"


def edited(filing: str) -> str:
    """The filing after all four edits."""
    assert filing.count(RESTATED[0]) == 1
    filing = filing.replace(*RESTATED)
    start, end = block(filing, MOVED)
    moved = filing[start:end]
    filing = filing[:start] + filing[end:]
    _, end = block(filing, BEHIND)
    filing = filing[:end] + moved + filing[end:]
    start, _ = block(filing, f">{DELETED}<")
    after, _ = block(filing, "Item 1A.", start)
    filing = filing[:start] + filing[after:]
    at, _ = block(filing, f">{BEFORE}<")
    title, *said = ADDED
    return filing[:at] + HEADING.format(title) + "".join(map(PARAGRAPH.format, said)) + filing[at:]


def block(filing: str, words: str, since: int = 0) -> tuple[int, int]:
    """Where the division stands that holds these words; the first one that does."""
    at = filing.index(words, since)
    start = filing.rindex("<div", 0, at)
    end = filing.index("</div>", at) + len("</div>")
    assert not re.search(r"</?(?:div|table)\b", filing[start + 4 : end - 6]), "it holds others"
    return start, end


def put(text: str, place: Path) -> None:
    """Put a text in the place of a file, or where none was."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text, encoding="utf-8")
