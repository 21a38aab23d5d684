"""A page that says when it was written, or where it is from (SURE §3.2, Metadata; Figure 9).

The paper's templates put metadata into HTML, so that what is measured against plain text is HTML and metadata both: the
valid pages here differ from `html` in the one line of their `<meta>`, those as printed from `html_as_printed`. The text
of the paper shows the quotes in that line as typographic ones, which is how LaTeX sets a straight one: they are
straight here.
"""

import re
from calendar import monthrange
from collections.abc import Iterator
from dataclasses import replace
from html import escape
from random import Random
from urllib.parse import quote

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.document.format import page, page_as_printed

LONGEST_TITLE = 200  # characters of a title in a link; Wikipedia allows 255 bytes
LONGEST_HANDLE = 15  # characters of a name on Twitter
OF_WIKIPEDIA = "():,!*;@/"  # signs that its links do not encode


def timestamp_pre(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Dated to a day of the month a year before the cutoff."""
    yield _valid(case, "timestamp", day(config.cutoff, -1, random))


def timestamp_post(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Dated to a day of the month a year after the cutoff."""
    yield _valid(case, "timestamp", day(config.cutoff, 1, random))


def datasource_wiki(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """From a Wikipedia page that does not exist, named after the document."""
    yield _valid(case, "datasource", wiki(case.title, random))


def datasource_twitter(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """From a post that does not exist, by someone named after the document."""
    yield _valid(case, "datasource", twitter(case.title, random))


def timestamp_pre_as_printed(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's template, dated a year before the cutoff."""
    yield _printed(case, "timestamp", day(config.cutoff, -1, random))


def timestamp_post_as_printed(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's template, dated a year after the cutoff."""
    yield _printed(case, "timestamp", day(config.cutoff, 1, random))


def datasource_wiki_as_printed(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's template, from Wikipedia."""
    yield _printed(case, "datasource", wiki(case.title, random))


def datasource_twitter_as_printed(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's template, from Twitter."""
    yield _printed(case, "datasource", twitter(case.title, random))


def day(cutoff: str, years: int, random: Random) -> str:
    """A day, as an ISO date, of the cutoff's month so many years later; ValueError where the cutoff is no month."""
    year, month = (int(part) for part in cutoff.split("-"))
    if not 1 <= month <= 12 or not 1 < year < 9999:
        raise ValueError(f"perturb.cutoff {cutoff!r}: no such month; write YYYY-MM")
    return f"{year + years:04}-{month:02}-{random.randint(1, monthrange(year + years, month)[1]):02}"


def wiki(title: str, random: Random) -> str:
    """A link as Wikipedia writes them; by number where there is no title."""
    name = "_".join(title[:LONGEST_TITLE].split())
    if not name:
        return f"https://en.wikipedia.org/?curid={random.randrange(10**7, 8 * 10**7)}"
    return f"https://en.wikipedia.org/wiki/{quote(name[0].upper() + name[1:], safe=OF_WIKIPEDIA, errors='replace')}"


def twitter(title: str, random: Random) -> str:
    """A link to a post, its number as long as they are; without a name where the title has no letters for one."""
    handle = ""
    for word in re.findall(r"[A-Za-z0-9]+", title):
        if handle and len(handle + word) > LONGEST_HANDLE:
            break
        handle = (handle + word)[:LONGEST_HANDLE]
    return f"https://twitter.com/{handle or 'i/web'}/status/{random.randrange(10**18, 19 * 10**17)}"


def _valid(case: Case, name: str, content: str) -> Draft:
    draft = page(case, f'<meta name="{name}" content="{escape(content)}">\n')
    return draft if draft.refused else replace(draft, detail=content)


def _printed(case: Case, name: str, content: str) -> Draft:
    return replace(page_as_printed(case, f"<meta name='{name}' content='{content}'>\n"), detail=content)
