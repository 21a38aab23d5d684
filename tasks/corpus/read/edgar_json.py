"""10-K reports in edgar-crawler's JSON form: items as sections, filing metadata, the tables already taken out."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read.clean import clean
from rarefy.tasks.corpus.read.compose import Piece, compose
from rarefy.tasks.corpus.read.dates import day
from rarefy.tasks.corpus.read.registrant import preferred_name
from rarefy.tasks.corpus.read.sentences import LONG, recover_paragraphs
from rarefy.tasks.corpus.read.text import FURNITURE as TEXT_FURNITURE
from rarefy.tasks.corpus.read.text import is_title
from rarefy.tasks.text.names import FORM

ITEM_KEY = re.compile(r"item_(\d{1,2}[A-C]?)", re.I)
ITEM_LABEL = re.compile(r"\s*item\s*(\d{1,2}\s?[A-C]?)\s*[.:—–-]*\s*", re.I)
TITLES = {
    "1": "Business",
    "1A": "Risk Factors",
    "1B": "Unresolved Staff Comments",
    "1C": "Cybersecurity",
    "2": "Properties",
    "3": "Legal Proceedings",
    "4": "Mine Safety Disclosures",
    "5": "Market for Registrant's Common Equity, Related Stockholder Matters and Issuer Purchases of Equity Securities",
    "6": "Selected Financial Data",
    "7": "Management's Discussion and Analysis of Financial Condition and Results of Operations",
    "7A": "Quantitative and Qualitative Disclosures About Market Risk",
    "8": "Financial Statements and Supplementary Data",
    "9": "Changes in and Disagreements with Accountants on Accounting and Financial Disclosure",
    "9A": "Controls and Procedures",
    "9B": "Other Information",
    "9C": "Disclosure Regarding Foreign Jurisdictions that Prevent Inspections",
    "10": "Directors, Executive Officers and Corporate Governance",
    "11": "Executive Compensation",
    "12": "Security Ownership of Certain Beneficial Owners and Management and Related Stockholder Matters",
    "13": "Certain Relationships and Related Transactions, and Director Independence",
    "14": "Principal Accountant Fees and Services",
    "15": "Exhibits and Financial Statement Schedules",
    "16": "Form 10-K Summary",
}
FURNITURE = re.compile(r"table of contents|part [iv]{1,3}|index to financial statements", re.I)
RUNNING = re.compile(rf"\b{FORM}|(?i:continued|10-K)")
FIGURE = re.compile(r"[\s$€£¥%()\d.,/*—–†-]+|N/?[AM]", re.I)
DEBRIS = 6  # lines: fewer short ones in a row may be headings; a table's cells come in dozens
KEPT = ("cik", "company", "filing_type", "sic", "state_of_inc", "state_location", "fiscal_year_end", "htm_filing_link")


def is_edgar(record: object) -> bool:
    """Whether a JSON value is a filing as edgar-crawler writes it."""
    return isinstance(record, Mapping) and sum(1 for key in record if ITEM_KEY.fullmatch(str(key))) >= 2


def read_edgar(record: Mapping[str, object], source: str) -> Document:
    """The document of one filing, an item a section."""
    said = {str(key): str(value).strip() for key, value in record.items() if value is not None}
    dropped: Counter[str] = Counter()
    pieces: list[Piece] = []
    for key, value in said.items():
        item = ITEM_KEY.fullmatch(key)
        if item and value:
            pieces += _item(item.group(1).upper(), clean(value, dropped), dropped)
    body, blocks = compose(pieces)
    name = preferred_name(said.get("company", ""), body)
    period_end, form = said.get("period_of_report", ""), said.get("filing_type", "")
    year = fiscal_year(day(period_end), body)
    title = " ".join(filter(None, (name, form, f"for fiscal year {year}" if year else "")))
    return Document(
        doc_id=source,
        content_hash="",
        source=source,
        title=title or source,
        media_type="application/json",
        text=body,
        blocks=blocks,
        entity=name,
        domain="finance",
        form=form,
        fiscal_year=year,
        period_end=period_end,
        as_of=said.get("filing_date", ""),
        dropped={kind: count for kind, count in dropped.items() if count},
        metadata={key: said[key] for key in KEPT if said.get(key)},
    )


def fiscal_year(period_end: str, text: str) -> int:
    """The year that a fiscal year ending on this day is called, 0 where there is no date.

    Years that end in January or February are called either way; the text says which ("fiscal 2012").
    """
    if not re.match(r"\d{4}-\d{2}-\d{2}", period_end):
        return 0
    year, month, day = (int(part) for part in period_end[:10].split("-"))
    if month > 2:
        return year
    spoken = Counter(re.findall(r"\bfiscal(?: year)? (\d{4})\b", text, re.I))
    this, last = spoken[str(year)], spoken[str(year - 1)]
    if this != last:
        return year if this > last else year - 1
    return year - 1 if (month, day) <= (1, 10) else year  # a 52- or 53-week year that ends nearest to December 31


def _item(number: str, text: str, dropped: Counter[str]) -> Iterator[Piece]:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    title = TITLES.get(number, "")
    label = ITEM_LABEL.match(lines[0]) if lines else None
    if label and label.group(1).replace(" ", "").upper() == number:
        rest = lines.pop(0)[label.end() :].strip()
        if not rest and lines and len(lines[0]) < 200:
            rest = lines.pop(0)
        if len(rest) < 200:
            title = rest.rstrip(".") or title
        else:
            lines.insert(0, rest)
    yield Piece("heading", f"Item {number}. {_small(title)}".strip(), 2)
    paragraphs = list(_join(_without_debris(_without_furniture(lines, dropped), dropped)))
    titles = [is_title(paragraph) for paragraph in paragraphs]
    for at, paragraph in enumerate(paragraphs):
        # Four short lines in a row are a list, or a table of words, whose cells head nothing.
        if titles[at] and not any(
            all(titles[n : n + 4]) and len(titles[n : n + 4]) == 4 for n in range(max(at - 3, 0), at + 1)
        ):
            yield Piece("heading", paragraph, 3 if paragraph.isupper() else 4)
        elif len(paragraph) > LONG:
            yield from (Piece(kind, words, 4) for kind, words in recover_paragraphs(paragraph))
        else:
            yield Piece("text", paragraph.replace("• ", "- ", 1) if paragraph.startswith("• ") else paragraph)


def _small(title: str) -> str:
    """A title in capitals as one in title case."""
    if not title.isupper():
        return title
    little = {"of", "and", "the", "to", "in", "on", "for", "with", "by", "about", "that", "from", "or", "a", "an"}
    words = title.lower().split()
    return " ".join(w if w in little and n else w[:1].upper() + w[1:] for n, w in enumerate(words))


def _without_furniture(lines: list[str], dropped: Counter[str]) -> list[str]:
    """Lines that are no page number, no link to the contents, no running header."""
    often = {
        line for line, count in Counter(lines).items() if count >= 5 and len(line) < 80 and not FIGURE.fullmatch(line)
    }
    kept = []
    for line in lines:
        if re.fullmatch(r"[-–—]\s?\d{1,3}\s?[-–—]|page \d{1,3}", line, re.I):
            dropped["page_numbers"] += len(line)
        elif FURNITURE.fullmatch(line) or (line in often and RUNNING.search(line)):
            dropped["running_headers"] += len(line)
        else:
            kept.append(line)
    return kept


def _without_debris(lines: list[str], dropped: Counter[str]) -> Iterator[str]:
    """Lines without the cells of tables that the crawler flattened: figures without headers say nothing."""
    run: list[str] = []
    for line in [*lines, ""]:
        short = bool(line) and len(line) <= 80 and (bool(FIGURE.fullmatch(line)) or line[-1] not in ".;:?!")
        if short:
            run.append(line)
            continue
        figures = [number for number, cell in enumerate(run) if FIGURE.fullmatch(cell)]
        if len(run) >= DEBRIS and len(figures) >= 0.3 * len(run):
            end = figures[-1] + 1  # what stands after the last figure is the next heading
            dropped["table_debris"] += sum(map(len, run[:end]))
            run = run[end:]
        for cell in run:
            if TEXT_FURNITURE["page_numbers"].fullmatch(cell):
                dropped["page_numbers"] += len(cell)
            elif FIGURE.fullmatch(cell):
                dropped["table_debris"] += len(cell)
            else:
                yield cell
        run = []
        if line:
            yield line


def _join(lines: Iterator[str]) -> Iterator[str]:
    """Paragraphs that a page's end had cut in two, whole again."""
    gathered = ""
    for line in lines:
        cut = gathered and gathered[-1] not in '.:;?!”")' and len(gathered) > 60
        if cut and (line[0].islower() or line[0] in "($"):
            gathered = f"{gathered} {line}"
            continue
        if gathered:
            yield gathered
        gathered = line
    if gathered:
        yield gathered
