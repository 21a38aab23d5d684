"""The day on which a filing was signed: all that a page without the SEC's header says of when it was filed."""

import re
from datetime import date, timedelta

from rarefy.tasks.corpus.read.dates import day
from rarefy.tasks.text.dates import iso, moments

SPAN = 2_500  # characters after the heading: the registrant signs first
LATE = timedelta(days=500)  # after the period's end; who files later has signed something else
_HEADING = re.compile(r"^\W*signatures?\W*$", re.I | re.M)


def signed(text: str, period_end: str) -> str:
    """The first day under the last heading "Signatures", as an ISO date; "" where it cannot be that of a report on this
    period, or where there is no period or no such heading.

    A report is filed on the day it is signed or shortly after.
    """
    headings = [found.end() for found in _HEADING.finditer(text)]
    if not headings or not (over := day(period_end)):
        return ""
    end = date.fromisoformat(over)
    for moment in moments(text[headings[-1] : headings[-1] + SPAN]):
        if (found := iso(moment)) and end < date.fromisoformat(found) <= end + LATE:
            return found
    return ""
