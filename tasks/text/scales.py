"""What a caption, header or question says that its numbers count in: "(in millions, except per share data)"."""

import re
from typing import NamedTuple

_POWERS = {"thousand": 3, "000": 3, "million": 6, "billion": 9, "trillion": 12}
_WORD = "thousand|million|billion|trillion"
_MONEY = r"(?:US\s?\$|U\.S\. ?\$|[$€£¥]|USD|EUR|GBP|JPY|dollars|euros)"
PATTERN = (  # in lower and upper case, over several lines
    rf"(?:\bin\s(?:{_MONEY}\s?)?|\(\s?(?:{_MONEY}\s?)?|(?<![\d.])[$€£¥]\s?)(?P<one>{_WORD})s?(?![\w-])"
    rf"|\b(?P<of>{_WORD})s\sof\s(?:U\.?S\.?\s)?(?:dollars|euros|pounds|yen)\b"
    rf"|(?:^|\|)[ *]*(?P<first>{_WORD})s\b(?!\sof\b)"
    r"|\b(?:in\s)?(?P<noughts>000)['’]?s\b"
)
_SCALE = re.compile(PATTERN, re.IGNORECASE | re.MULTILINE)


class Scale(NamedTuple):
    """A scale where it is said."""

    power: int  # of ten
    start: int
    end: int


def scales(text: str) -> tuple[Scale, ...]:
    """Every scale that a text says its numbers to count in, in order; a number's own ("$5 million") is none."""
    return tuple(Scale(_POWERS[hit[str(hit.lastgroup)].lower()], *hit.span()) for hit in _SCALE.finditer(text))
