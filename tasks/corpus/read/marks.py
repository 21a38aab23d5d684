"""Invisible marks that carry a tagged value through every change of the text around it, until its span can be told."""

import re

# One character opens value number i and one closes it: the two planes of Unicode that are set aside for private use.
_OPEN, _CLOSE = 0xF0000, 0x100000
LIMIT = 0xFFFD  # tagged values per document; the largest filings have about 10,000
_MARK = re.compile("[\U000f0000-\U0010ffff]")
_SPACED = re.compile("[\U000f0000-\U0010ffff]*[\\s\u200b\ufeff][\\s\u200b\ufeff\U000f0000-\U0010ffff]*")


def opening(number: int) -> str:
    """The mark before value `number`."""
    return chr(_OPEN + number)


def closing(number: int) -> str:
    """The mark after value `number`."""
    return chr(_CLOSE + number)


def plain(marked: str) -> str:
    """The text without its marks."""
    return marked if marked.isascii() else _MARK.sub("", marked)


def squeeze(marked: str) -> str:
    """The text with every stretch of white space as one space, none at its ends, and marks tight around their value."""
    if not _MARK.search(marked):
        return " ".join(marked.replace("\u200b", " ").replace("\ufeff", " ").split())
    return _SPACED.sub(_one_space, f" {marked} ").strip(" ")


def resolve(marked: str) -> tuple[str, dict[int, tuple[int, int]]]:
    """The plain text, and the span in it of each value that is shown; a value repeated keeps its first place."""
    starts: dict[int, int] = {}
    spans: dict[int, tuple[int, int]] = {}
    pieces: list[str] = []
    length = last = 0
    for mark in _MARK.finditer(marked):
        pieces.append(marked[last : mark.start()])
        length += mark.start() - last
        last = mark.end()
        code = ord(mark.group())
        if code < _CLOSE:
            starts.setdefault(code - _OPEN, length)
        elif (number := code - _CLOSE) in starts and number not in spans and length > starts[number]:
            spans[number] = (starts[number], length)
    pieces.append(marked[last:])
    return "".join(pieces), spans


def split_marks(marked: str) -> tuple[str, str]:
    """The marks in it that open a value, and those that close one."""
    marks = _MARK.findall(marked)
    closed = "".join(mark for mark in marks if ord(mark) >= _CLOSE)
    return "".join(mark for mark in marks if ord(mark) < _CLOSE), closed


def _one_space(found: re.Match[str]) -> str:
    opened, closed = split_marks(found.group())
    return f"{closed} {opened}"
