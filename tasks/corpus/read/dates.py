"""Days as sources write them, in any of the usual forms, as ISO dates.

A field of metadata is a date and no more, and 03/05/2024 is one day of it; of running text, text.dates reads both.
"""

import re
from datetime import UTC, date, datetime

from rarefy.tasks.text.dates import MONTH, month_number

_MONTH = rf"(?P<month>{MONTH})"
# What may follow a day: nothing, or a time, a zone, a note, but no other date
_REST = r"(?!\d)(?!.*\b\d{4}\b)"
_FORMS = tuple(
    re.compile(rf"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?{form}", re.I | re.S)
    for form in (
        r"(?P<y>\d{4})-(?P<m>\d{1,2})-(?P<d>\d{1,2})(?!\d)",
        rf"(?P<y>\d{{4}})[/.](?P<m>\d{{1,2}})[/.](?P<d>\d{{1,2}}){_REST}",
        r"(?P<y>(?:19|20)\d\d)(?P<m>\d\d)(?P<d>\d\d)(?:T?\d{6}(?:\.\d+)?Z?|\.0+)?\s*$",
        rf"(?P<m>\d{{1,2}})[/-](?P<d>\d{{1,2}})[/-](?P<y>\d{{4}}){_REST}",
        rf"(?P<d>\d{{1,2}})\.(?P<m>\d{{1,2}})\.(?P<y>\d{{4}}){_REST}",
        rf"{_MONTH}\s*(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s*,?\s+(?P<y>\d{{4}}){_REST}",
        rf"(?:the\s+)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?[\s-]+{_MONTH}[\s,-]+(?P<y>\d{{4}}){_REST}",
        rf"(?P<y>\d{{4}})[\s-]+{_MONTH}[\s-]+(?P<d>\d{{1,2}}){_REST}",
    )
)
_SECONDS = re.compile(r"(\d{10})(\d{3}|\d{6}|\d{9})?(?:\.\d+)?$")  # since 1970, down to nanoseconds


def day(text: str) -> str:
    """The ISO date that a text is, or begins with; "" where it is none that is sure.

    03/05/2024 is read as in the United States; where the first number can be no month, as elsewhere.
    """
    text = text.strip().strip("\"'").strip()[:200]
    for form in _FORMS:
        if found := form.match(text):
            said = found.groupdict()
            month = month_number(said["month"]) if said.get("month") else int(said["m"])
            return made(int(said["y"]), month, int(said["d"])) or (
                made(int(said["y"]), int(said["d"]), month) if re.match(r"\d{1,2}[/-]", text) else ""
            )
    if text.isascii() and (seconds := _SECONDS.match(text)):
        return datetime.fromtimestamp(int(seconds[1]), UTC).date().isoformat()
    return ""


def made(year: int, month: int, of_month: int) -> str:
    """The ISO date of these numbers; "" where there is no such day, or one that stands for "never"."""
    try:
        return date(year, month, of_month).isoformat() if 1000 <= year < 3000 else ""
    except ValueError:
        return ""
