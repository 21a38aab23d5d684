"""Find what a document says of itself (domain, institution, title, dates) and normalise its metadata."""

import json
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import PurePosixPath
from typing import Any

from rarefy.data_contracts.rows import Block, Document, Fact, Link, Place, row_id
from rarefy.data_contracts.suites.corpus import DOCUMENT
from rarefy.data_contracts.suites.rule import RowRule
from rarefy.tasks.corpus.read.compose import Piece, compose_text
from rarefy.tasks.corpus.read.language import detect_language, settle_language
from rarefy.tasks.corpus.read.unreadable import Unreadable, one_line, one_line_id, without_surrogates
from rarefy.tasks.text import dates as days
from rarefy.tasks.text.dates import MONTH, NAME, month_number, parse_day

# Domain, institution, title and dates

# Written out, with the last day of a range: dates in digits at the head of a paper may be of anything
ENTITY_FROM = "entity_from"  # key of metadata: "entity" where the config names it, "metadata" where a field does
LONG_DATE = re.compile(rf"\b({NAME}) (?:\d{{1,2}}\s?[-–—]\s?)?(\d{{1,2}}), (\d{{4}})\b")
ISO_DATE = re.compile(r"(?<!\d)(\d{4})-(\d{2})(?:-(\d{2}))?(?!\d)")
UPLOADED = re.compile(r"(?:Uploaded|Published|Filed|Released)(?:On|Date)?[=_-](\d{4})-?(\d{2})-?(\d{2})", re.I)
HEAD = 6000  # characters: a document names itself on its first pages

# (domain, entity, what the first characters say). The first that matches wins; economics and policy are
# recognised by the institutions whose papers they are, and anything else is "default" unless the config says more.
DOMAIN_SIGNS = tuple(
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


def build_document(
    source: str,
    title: str,
    media_type: str,
    pieces: Iterable[Piece],
    dropped: Mapping[str, int],
    metadata: Mapping[str, str] | None = None,
) -> Document:
    """The document that these pieces make up, described by its first pages; `dropped` counts characters by kind."""
    composed = compose_text(pieces)
    return describe_document(
        Document(
            doc_id=source,
            content_hash="",
            source=source,
            title=" ".join(title.split()),
            media_type=media_type,
            text=composed.text,
            blocks=composed.blocks,
            places=composed.places,
            links=composed.links,
            dropped={kind: count for kind, count in dropped.items() if count},
            metadata=dict(metadata or {}),
        )
    )


def describe_document(document: Document) -> Document:
    """The document with its domain, entity and dates filled in from its first pages and its file's name."""
    head = document.text[:HEAD]
    domain, entity = next(((d, e) for d, e, sign in DOMAIN_SIGNS if sign.search(head)), ("default", ""))
    if domain == "finance":
        return _filing(document)
    written, name = find_long_dates(head[:400]), document.source.rsplit("/", 1)[-1]
    named = [day for day in (_iso(*match.groups()) for match in ISO_DATE.finditer(name)) if len(day) == 10]
    uploaded = UPLOADED.search(name)
    day = (named[-1:] or written or [""])[0]
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
    from rarefy.tasks.corpus.read.cover import describe_filing  # late: only filings need it

    about = describe_filing(document.text, document.blocks, (), document.text[:20_000])
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


def filing_id(document: Document) -> str:
    """What a filing is, wherever it lies: "0000320193:10-K:2024-09-28"; the id it has where it does not say all three.

    An id that a record brings is its own, and stays.
    """
    number, period = document.metadata.get("cik", ""), days.parse_day(document.period_end)
    if document.doc_id != document.source or not (number.isdecimal() and document.form and period):
        return document.doc_id
    return f"{number.zfill(10)}:{document.form}:{period}"


def find_long_dates(text: str) -> list[str]:
    """The dates written out in a text ("May 20, 1970"), as ISO dates, in order; of a range, its last day."""
    found = (_iso(y, str(month_number(m)), d) for m, d, y in LONG_DATE.findall(text))
    return [day for day in found if day]


def _iso(year: str, month: str, day: str | None = None) -> str:
    """An ISO date, or year and month where there is no day; "" for what is no date."""
    found = days.iso_date(int(year), int(month), int(day or 1))
    return found if day else found[:7]


# Fields that a record, a front matter or the headers of a mail or book give

# Names that say what a field of the document says; everything else becomes metadata.
FIELDS = {
    "entity": ("entity", "company", "company_name", "registrant", "institution"),
    "form": ("form", "filing_type", "form_type"),
    "period_start": ("period_start",),
    "period_end": ("period_end", "period_of_report"),
    "domain": ("domain",),
    "language": ("language", "lang"),
}
DATES = ("date", "as_of", "published", "publication_date", "filing_date")
YEAR = re.compile(r"(?:FY)?\s?([0-9]{4})(?:\.0)?", re.I)


def fill_fields(
    document: Document, record: Mapping[str, Any], dates: tuple[str, ...] = DATES, used: Collection[str] = ()
) -> Document:
    """The document with what a record says of it: in its fields where it has one, else in metadata, but for `used`."""
    found: dict[str, Any] = {}
    for field, names in FIELDS.items():
        if value := first_value(record, names):
            found[field] = value
    taken = {*used, *dates, *(name for names in FIELDS.values() for name in names)}
    if year := YEAR.fullmatch(first_value(record, ("fiscal_year", "year"))):
        found["fiscal_year"] = int(year[1])
        taken.add("fiscal_year")
    rest = {str(key): _to_text(value) for key, value in record.items() if key not in taken and value is not None}
    if "entity" in found:
        rest[ENTITY_FROM] = "metadata"
    if language := found.pop("language", ""):
        rest["language"] = language  # which the prose may contradict
    return replace(
        document,
        as_of=first_value(record, dates) or document.as_of,
        metadata={**document.metadata, **{key: value for key, value in rest.items() if value}},
        **found,
    )


def first_value(record: Mapping[str, Any], names: tuple[str, ...]) -> str:
    """The first of these fields that holds something, as a text; "" where none does."""
    for name in names:
        value = record.get(name)
        if value is not None and (text := _to_text(value)).strip():
            return text
    return ""


def _to_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, date):  # or a time, whose day comes first too
        return value.isoformat()
    if value != value:  # tables write NaN where nothing is
        return ""
    return json.dumps(value, sort_keys=True, default=str, ensure_ascii=False)


# Language names and codes (ISO 639)

_NAMES = """
ar ara arabic | bg bul bulgarian | bn ben bengali | ca cat catalan | cs ces cze czech | da dan danish
de deu ger german deutsch | el ell gre greek | en eng english | es spa spanish español espanol castilian
et est estonian | fa fas per persian farsi | fi fin finnish | fr fra fre french français francais | ga gle irish
he heb hebrew | hi hin hindi | hr hrv croatian | hu hun hungarian | id ind indonesian | is isl ice icelandic
it ita italian italiano | ja jpn japanese | ko kor korean | lt lit lithuanian | lv lav latvian | ms msa may malay
mt mlt maltese | nb nob bokmål | nl nld dut dutch nederlands flemish | no nor norwegian | pl pol polish polski
pt por portuguese português portugues | ro ron rum romanian | ru rus russian | sk slk slo slovak | sl slv slovenian
sr srp serbian | sv swe swedish svenska | ta tam tamil | te tel telugu | th tha thai | tr tur turkish
uk ukr ukrainian | ur urd urdu | vi vie vietnamese | zh zho chi chinese mandarin
"""
_CODES = {name: names[0] for line in re.split(r"[|\n]", _NAMES) if (names := line.split()) for name in names}
_UNSAID = frozenset("und unk mul mis zxx na nan none null unknown other n a".split())


def language_code(text: str) -> str:
    """The code of a language given by name or code ("English", "eng", "en-US" are "en"); "" for what is none."""
    words = re.findall(r"[^\W\d_]+", text[:200].lower())
    if not words or words[0] in _UNSAID:
        return ""
    for word in words if len(words[0]) > 3 else words[:1]:
        if word in _CODES:
            return _CODES[word]
    return words[0] if re.fullmatch("[a-z]{2,3}", words[0]) and re.match(r"\W*\w+(?:\W*$|[-_])", text) else ""


# Normalised metadata, as the contract of documents asks

YEARS = range(1000, 10_000)
KEPT_CHARACTERS = 200  # characters kept of a value that could not be understood
_HASH, _KIND = re.compile(r"[0-9a-f]{16,128}"), re.compile(r"[\w.+-]+/[\w.+-]+")
_PARAGRAPH = re.compile(r"\S(?:[^\n]|\n(?![^\S\n]*\n))*")


def normalise_document(document: Document) -> Document:
    """The document with days, year, language and names in their forms; what could not be read is in `metadata`.

    A value that is none becomes "" (a year 0) and is kept as `metadata["<field>_as_given"]`: one odd value must
    cost neither the document nor the build. What a source says of its language (`metadata["language"]` of a reader,
    else the document's) gives way to another that its prose is surely in, and is kept likewise. Raises Unreadable where
    a document breaks its contract all the same.
    """
    text = without_surrogates(document.text)
    blocks = tuple(_sound_block(block) for block in document.blocks) or _paragraphs(text)
    said = without_surrogates(str(document.metadata.get("language") or document.language or "")).strip()
    language = settle_language(detect_language(text, blocks), language_code(said))
    settled: dict[str, Any] = {
        "period_start": parse_day(document.period_start),
        "period_end": parse_day(document.period_end),
        "as_of": parse_day(document.as_of),
        "fiscal_year": document.fiscal_year if document.fiscal_year in YEARS else 0,
    }
    if settled["period_start"] and settled["period_end"] and settled["period_start"] > settled["period_end"]:
        settled["period_start"] = ""
    metadata = {
        without_surrogates(str(key)): without_surrogates(str(value))
        for key, value in document.metadata.items()
        if key != "language"
    }
    unread = not language_code(said) or language_code(said) != language
    if unread and said and (said != "en" or "language" in document.metadata):  # unsaid, it is "en" too
        metadata["language_as_given"] = said[:KEPT_CHARACTERS]
    for field, value in settled.items():
        if not value and (given := without_surrogates(str(getattr(document, field) or "").strip())):
            metadata.setdefault(f"{field}_as_given", given[:KEPT_CHARACTERS])
    facts, undated = date_facts(document.facts)
    if undated:
        metadata["fact_dates_unread"] = str(undated)
    normalised = replace(
        document,
        doc_id=one_line_id(document.doc_id),
        content_hash=hashed if _HASH.fullmatch(hashed := document.content_hash) else row_id(hashed),
        media_type=kind if _KIND.fullmatch(kind := document.media_type) else "application/octet-stream",
        source=one_line_id(document.source),
        title=one_line(document.title),
        entity=one_line(document.entity),
        form=one_line(document.form),
        domain=one_line(document.domain).lower() or "default",
        text=text,
        blocks=blocks,
        places=tuple(_sound_place(place) for place in document.places),
        links=tuple(_sound_link(link) for link in document.links),
        facts=facts,
        language=language,
        metadata=metadata,
        **settled,
    )
    if broken := _first_broken_rule(normalised):
        raise Unreadable("breaks_contract", f"{one_line(broken)}; mend its reader or remove it")
    return normalised


def date_facts(facts: Iterable[Fact]) -> tuple[tuple[Fact, ...], int]:
    """The facts with ISO dates or none, and how many had dates that are none."""
    out: list[Fact] = []
    undated = 0
    for fact in facts:
        start, end = parse_day(fact.period_start), parse_day(fact.period_end)
        if start and end and start > end:
            start = end = ""
        undated += bool(fact.period_start and not start) or bool(fact.period_end and not end)
        if (start, end) != (fact.period_start, fact.period_end):
            fact = replace(fact, period_start=start, period_end=end)
        if not (fact.concept + fact.value + fact.unit + "".join(fact.dimensions)).isascii():
            fact = replace(
                fact,
                concept=without_surrogates(fact.concept),
                value=without_surrogates(fact.value),
                unit=without_surrogates(fact.unit),
                dimensions=tuple(map(without_surrogates, fact.dimensions)),
            )
        out.append(fact)
    return tuple(out), undated


def _sound_block(block: Block) -> Block:
    return block if block.section.isascii() else replace(block, section=without_surrogates(block.section))


def _sound_place(place: Place) -> Place:
    return place if place.name.isascii() else replace(place, name=without_surrogates(place.name))


def _sound_link(link: Link) -> Link:
    return link if link.target.isascii() else replace(link, target=without_surrogates(link.target))


def _paragraphs(text: str) -> tuple[Block, ...]:
    """A block for each stretch between blank lines, for a reader from outside that gives none."""
    return tuple(Block("text", found.start(), found.end()) for found in _PARAGRAPH.finditer(text))


def _first_broken_rule(document: Document) -> str:
    """The first rule on a document alone that it breaks; "" where it keeps them all."""
    for columns, judge in _document_rules():
        if complaint := judge(*(_column_values(document, column) for column in columns)):
            return f"{', '.join(columns)}: {complaint}"
    return ""


def _column_values(document: Document, column: str) -> Any:
    field, _, inner = column.partition(".")
    value = getattr(document, field)
    return [getattr(part, inner) for part in value] if inner else value


@cache
def _document_rules() -> tuple[tuple[tuple[str, ...], Callable[..., str | None]], ...]:
    return tuple((rule.columns, rule.judge({})) for rule in DOCUMENT.of_kind(RowRule))
