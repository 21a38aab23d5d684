"""What a column header says: its period, its unit, and what else."""

import re

from rarefy.tasks.knowledge.extract.periods import Period
from rarefy.tasks.text.dates import MONTH
from rarefy.tasks.text.scales import without_scales

# Column headers, their dates apart, under which a row means the whole company
WHOLE = frozenset(
    ("", "total", "consolidated", "amount", "total company", "as reported", "consolidated total", "total consolidated")
)
_DATED = re.compile(
    r"\b(?:(?:fiscal|twelve|12|full|calendar)\s+)*(?:years?|months)?[\s,-]*(?:ended|ending)?[\s,]*"
    r"(?:as of|as at|at|on)?[\s,]*"
    rf"(?:\b{MONTH}\s+\d{{1,2}}[\s,]*)?(?:\bFY\s?)?(?:19|20)\d\d\b|\bfiscal\b|\byears?\b",
    re.I,
)
_MARKS = re.compile(r"\((?:\d{1,2}|[a-z])\)|[$%*:]", re.I)  # of notes and units


def undated(header: str) -> str:
    """What a column header says besides its period and its unit."""
    plain = _MARKS.sub(" ", without_scales(_DATED.sub(" ", header)))
    plain = re.sub(r"^\s*(?:years?\s+)?ended\s+[A-Z][a-z]+\s+\d{1,2}\s*,?\s*$", "", plain, flags=re.I)
    return re.sub(r"\s+", " ", plain).strip(" ,-–—")


def names_another_year(period: Period, header: str) -> bool:
    """Whether a column header names years, and none of them is the period's: the table inherited a wrong header."""
    years = set(re.findall(r"\b((?:19|20)\d\d)\b", header))
    return bool(years) and not years & {period.end[:4], period.label[-4:]}


def shows_period(period: Period, shown: str) -> bool:
    """Whether the year of a period, calendar or fiscal, stands in these words."""
    years = {period.end[:4], period.label[-4:]}
    return any(re.search(rf"\b{year}\b|[’']{year[2:]}\b|\b(?:FY|fiscal) ?{year[2:]}\b", shown) for year in years)
