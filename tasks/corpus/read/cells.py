"""Recognise the text of table cells: numbers, dashes for nothing, years, periods, units, footnote marks."""

import re

from rarefy.tasks.text.dates import MONTH

_MARKS = "[\U000f0000-\U0010ffff]*"
_CURRENCY = r"(?:(?:US|C|A|HK|NT|R|S|NZ)?\$|[€£¥₩₹]|USD|EUR|GBP|JPY|RMB|CHF|CAD)"
_UNIT = (
    r"(?:%|x|X|bps?|ppts?|pts?\.?|pp|¢|years?|yrs?|months?|days?|(?:basis |percentage )?points?|"
    r"million|billion|trillion)"
)
_NOTE = r"(?:\((?:[a-zA-Z]|\d{1,2}|[ivx]{1,4})\)|[*†‡§¶#]{1,3}|[¹²³⁴⁵⁶⁷⁸⁹])"
_NOTES = rf"(?:{_NOTE}(?:\s*,?\s*{_NOTE})*)"
_SIGNS = r"[-–—−+~<>≤≥]"
# The shape of a cell and not its value: dashes, marks of notes and halves of split cells ("$", ")%") count too
NUMBER = re.compile(
    rf"^[(\[]?\s*{_SIGNS}?\s*{_CURRENCY}?\s*[(\[]?\s*{_SIGNS}?\s*(?:\d{{1,3}}(?:,\d{{3}})+|\d+)?(?:\.\d+)?(?<=\d)"
    rf"\s*(?:{_UNIT})?\s*[)\]]?\s*(?:{_UNIT})?\s*{_NOTES}?$"
)
_BARE = rf"{_SIGNS}?\s*{_CURRENCY}?\s*(?:\d[\d,]*(?:\.\d+)?|\.\d+|—)\s*%?"
RANGE = re.compile(rf"^\(?{_BARE}\s*(?:[-–—‑/]|to|and)\s*{_BARE}\)?\s*(?:{_UNIT})?\s*{_NOTES}?$")
DASH = re.compile(
    rf"^\(?\s*{_CURRENCY}?\s*(?:[-–—−‑]+|nil|N/?A|n/?a|NM|N/?M|nm|n/?m\.?|n\.m\.|N\.M\.)\s*%?\s*\)?\s*{_NOTES}?$"
)
PREFIX = re.compile(rf"^(?:[(\[]?\s*[-–]?\s*{_CURRENCY}\s*[(\[]?|[(\[])$")
SUFFIX = re.compile(rf"^(?:[)\]]\s*{_UNIT}?|{_UNIT}\s*[)\]]?)\s*{_NOTES}?$")
NOTES = re.compile(rf"^{_NOTES}$")
YEAR = re.compile(
    rf"^(?:(?:fiscal|calendar|year|FY)\s*(?:year\s*)?)?(?:['’]?(?:19|20)\d\d(?:\s*[-–—/]\s*(?:19|20)?\d\d)?|['’]\d\d)"
    rf"\s*(?:[AE]|{_NOTES})?$",
    re.I,
)
_DAY = rf"(?:{MONTH}\s*\d{{1,2}}\b|\d{{1,2}}\s+{MONTH})"
_DATE = rf"(?:{_DAY}(?:,?\s*(?:19|20)\d\d)?|\d{{1,2}}[/-]\d{{1,2}}[/-](?:\d\d)?\d\d\b|\b{MONTH},?\s*(?:19|20)\d\d)"
_DATED = rf"(?:{_DAY},?\s*(?:19|20)\d\d|\d{{1,2}}[/-]\d{{1,2}}[/-](?:\d\d)?\d\d\b|\b{MONTH},?\s*(?:19|20)\d\d)"
_LEAD = (
    r"(?:(?:for|as|at|on|of|the|and|in|fiscal|calendar|years?|quarters?|three|six|nine|twelve|months?|weeks?|\d\d(?=\s+weeks)|first|"
    r"second|third|fourth|periods?|ended|ending|end|through|beginning|balances?|[(])\s*)*"
)
PERIOD = re.compile(
    rf"(?:\b(?:years?|months|weeks|quarters?|periods?)\b.{{0,24}}\b(?:ended|ending)\b|"
    rf"\b(?:fiscal|calendar)\s+(?:years?\b|\d{{4}})|{_DATE}|^(?:first|second|third|fourth)\s+quarter|^Q[1-4]\b|"
    rf"^(?:for\s+)?(?:the\s+)?(?:fiscal\s+)?years?\s*(?:{MONTH}.*)?$|"
    rf"^(?:for the\s+)?(?:three|six|nine|twelve)\s+months|^(?:as of|at|ended)$)",
    re.I,
)
# nothing but a stretch or point of time that names its year
WHOLE_PERIOD = re.compile(
    rf"^{_LEAD}(?:(?:{_DATE}\s*(?:to|through|and|[-–—])\s*)?{_DATED}|(?:19|20)\d\d)"
    rf"\s*(?:\([^)]{{0,24}}\))?\s*[:,]?\s*{_NOTES}?$",
    re.I,
)
# a period that waits for its year: "Year ended June 30,"
OPEN_PERIOD = re.compile(rf"^{_LEAD}(?:{_DAY})?,?\s*(?:{_NOTES})?:?$", re.I)
_COUNTED = (
    r"(?:thousands?|millions?|billions?|dollars?|percent(?:ages?)?|shares|cents|euros?|years|months|days|units|tons|"
    r"barrels|points)"
)
UNITS = re.compile(
    rf"^[(\[]?\s*(?:(?:(?:all|tabular|u\.?s\.?|canadian)\s+)*"
    rf"(?:dollars?|amounts?|shares|\$|€|£|figures|numbers|data|currency|values)(?:\s+(?:and|or)\s+[\w ]{{3,30}}?)?\s*"
    rf"(?:are\s+)?(?:(?:expressed|shown|stated|presented|reported|rounded)\s+)?,?\s*)?in\s+"
    rf"(?:[\w.]+\s+){{0,2}}{_COUNTED}\b|"
    rf"^[(\[]?\s*(?:{_COUNTED}(?:\s+of\s+(?:u\.?s\.?\s+)?(?:dollars|shares))?\s*(?:[,;].*|except.*)?|(?:un)?audited|"
    rf"except\b.*|(?:\$|€|£)?\s*['’]?000['’]?s?(?:\s+omitted)?|%|(?:as a )?percent(?:age)? of .*|\$)[)\]]?$",
    re.I,
)
CHANGE = re.compile(r"change|varianc|increase|decrease|growth|^%|percent", re.I)
BULLET = re.compile(r"^[•●▪■◆◦○‣∙·➢►▶✓□–—\-o§]$")
ENUMERATOR = re.compile(
    r"^(?:[(\[]?(?:\d{1,3}|[a-zA-Z]{1,2}|[ivxIVX]{1,5})[)\].]{1,2}|\(\d{1,2}\)\([a-z]\)|[*†‡§#+^]{1,4}|[¹²³⁴⁵⁶⁷⁸⁹])$"
)
_LOOSE = re.compile(rf"(?<=[$€£¥(\[]) +(?={_MARKS}[\d(.])")
_CLOSING = re.compile(rf" +({_MARKS}[%)\]])")
_GLUED = re.compile(rf"(?<=[\d—–%)])({_MARKS})(\((?:\d|[a-z])\))$")


def is_value(text: str) -> bool:
    """Whether it is a number (with its currency, sign, unit, footnote mark) or a dash for nothing; a year is none."""
    return len(text) < 40 and bool(NUMBER.match(text) or DASH.match(text) or RANGE.match(text)) and not YEAR.match(text)


def is_period(text: str) -> bool:
    """Whether it is a year, a date, or words that say which stretch of time a column is about."""
    return len(text) < 90 and bool(YEAR.match(text) or PERIOD.search(text))


def is_units(text: str) -> bool:
    """Whether it says what the numbers are counted in: "(In millions, except per share data)"."""
    return len(text) < 160 and bool(UNITS.search(text)) and not re.search(r"[a-z]{3}\.$|[.;]\s+[A-Z]", text)


def reads_as_row(first: list[str], below: list[list[str]]) -> bool:
    """Whether a row goes on below as it begins: "1.", "2."; one address above the next; "CHAPTER I.", "CHAPTER II."."""
    rows = [row for row in below if len(row) == len(first)]
    if not rows or len(rows) < len(below):
        return False
    for column in zip(first, *rows, strict=True):
        shapes = {_shape(text) for text in column}
        if len(shapes) == 1 and shapes != {""} and len(set(column)) == len(column):
            return True
    return False


_COUNT = re.compile(r"\d+(?:[.,]\d+)*|\b[IVXLC]+\b")
_ADDRESS = re.compile(r"(?:https?://|www\.)\S+|\S+@\S+\.\w+", re.I)


def _shape(text: str) -> str:
    """What stays of a text as its count goes on; "" where it has none, or nothing else: "2019" may name a column."""
    if _ADDRESS.fullmatch(text):
        return "@"
    shape = _COUNT.sub("#", text)
    return shape if len(text) < 40 and shape != text and shape.strip("# ") else ""


def tidy(marked: str) -> str:
    """A number's text without the blanks that typesetters put between the number and its signs."""
    return _GLUED.sub(r"\1 \2", tighten(_CLOSING.sub(r"\1", marked)))


def tighten(marked: str) -> str:
    """The text with currency signs and brackets next to their numbers."""
    return _LOOSE.sub("", marked)
