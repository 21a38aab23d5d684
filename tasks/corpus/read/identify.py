"""What a text says of itself: its domain, the institution that speaks, its title and its date."""

import re
from dataclasses import replace
from pathlib import PurePosixPath

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read import dates as days
from rarefy.tasks.text.dates import MONTH, NAME, month_number

# Written out, with the last day of a range: dates in digits at the head of a paper may be of anything
LONG_DATE = re.compile(rf"\b({NAME}) (?:\d{{1,2}}\s?[-–—]\s?)?(\d{{1,2}}), (\d{{4}})\b")
ISO_DATE = re.compile(r"(?<!\d)(\d{4})-(\d{2})(?:-(\d{2}))?(?!\d)")
UPLOADED = re.compile(r"(?:Uploaded|Published|Filed|Released)(?:On|Date)?[=_-](\d{4})-?(\d{2})-?(\d{2})", re.I)
HEAD = 6000  # characters: a document names itself on its first pages

# (domain, entity, what the first characters say). The first that matches wins; economics and policy are
# recognised by the institutions whose papers they are, and anything else is "default" unless the config says more.
SIGNS = tuple(
    (domain, entity, re.compile(sign, re.I | re.S))
    for domain, entity, sign in (
        ("finance", "", r"\bFORM\s+(?:10-K|10-Q|20-F|40-F|8-K)\b|SECURITIES AND EXCHANGE COMMISSION\s+Washington"),
        (
            "economics",
            "Federal Open Market Committee",
            r"\A.{0,60}\b(?:minutes|transcript|meeting) of the Federal Open Market Committee",
        ),
        (
            "economics",
            "Federal Reserve System",
            r"\bBeige Book\b|Current Economic Conditions by Federal Reserve District|\A\W*Monetary Policy Report",
        ),
        (
            "economics",
            "Organisation for Economic Co-operation and Development",
            r"\bOECD Economic (?:Surveys?|Outlook)",
        ),
        ("economics", "International Monetary Fund", r"\bWorld Economic Outlook\b|\bArticle IV Consultation"),
        (
            "policy",
            "",
            r"\A\W*(?:\d+ CFR\b|Title \d+[—–-])|\bCode of Federal Regulations\b|\bAuthority:\W+\d+ U\.S\.C\.",
        ),
        ("policy", "", r"Consolidated Annual Performance and Evaluation Report|\bCAPER\b"),
    )
)
CFR = re.compile(r"\b(\d+) CFR Part (\d+)", re.I)
AMENDED = re.compile(rf"\bFR \d+, ({MONTH}) (\d{{1,2}}), (\d{{4}})", re.I)


def introduce(document: Document) -> Document:
    """The document with its domain, entity and dates filled in from its first pages and its file's name."""
    head = document.text[:HEAD]
    domain, entity = next(((d, e) for d, e, sign in SIGNS if sign.search(head)), ("default", ""))
    if domain == "finance":
        return _filing(document)
    said, name = dates(head[:400]), document.source.rsplit("/", 1)[-1]
    named = [day for day in (_iso(*match.groups()) for match in ISO_DATE.finditer(name)) if len(day) == 10]
    uploaded = UPLOADED.search(name)
    day = (named[-1:] or said or [""])[0]
    as_of, title = _iso(*uploaded.groups()) if uploaded else day, document.title
    if domain == "policy":
        part = CFR.search(head[:300])
        entity = f"{part.group(1)} CFR Part {part.group(2)}" if part else entity
        amended = (_iso(y, str(month_number(month)), d) for month, d, y in AMENDED.findall(document.text))
        as_of, day = max(amended, default=as_of), ""
    elif domain == "economics" and title == PurePosixPath(name).stem:
        title = ", ".join(filter(None, (entity, day)))  # the paper has no title of its own
    return replace(
        document,
        domain=domain,
        entity=entity,
        as_of=as_of,
        period_end=day if domain == "economics" else "",
        title=title,
    )


def _filing(document: Document) -> Document:
    """A filing in plain text or PDF: its cover page says the registrant, the form and the period."""
    from rarefy.tasks.corpus.read.cover import describe  # late: only filings need it

    about = describe(document.text, document.blocks, (), document.text[:20_000])
    return replace(
        document,
        domain="finance",
        entity=about.entity,
        title=about.title or document.title,
        form=about.form,
        fiscal_year=about.fiscal_year,
        period_start=about.period_start,
        period_end=about.period_end,
        as_of=about.as_of,
        metadata={**document.metadata, **{key: value for key, value in about.metadata.items() if value}},
    )


def identity(document: Document) -> str:
    """What a filing is, wherever it lies: "0000320193:10-K:2024-09-28"; the id it has where it does not say all three.

    An id that a record brings is its own, and stays.
    """
    number, period = document.metadata.get("cik", ""), days.day(document.period_end)
    if document.doc_id != document.source or not (number.isdecimal() and document.form and period):
        return document.doc_id
    return f"{number.zfill(10)}:{document.form}:{period}"


def dates(text: str) -> list[str]:
    """The dates written out in a text ("May 20, 1970"), as ISO dates, in order; of a range, its last day."""
    found = (_iso(y, str(month_number(m)), d) for m, d, y in LONG_DATE.findall(text))
    return [day for day in found if day]


def _iso(year: str, month: str, day: str | None = None) -> str:
    """An ISO date, or year and month where there is no day; "" for what is no date."""
    found = days.made(int(year), int(month), int(day or 1))
    return found if day else found[:7]
