"""Sums, shares, dates and periods of a text in one notation each: "$97.3bn" and "97,300 million dollars" are one."""

import re
from decimal import Decimal

from rarefy.tasks.text import characters, dates, quantities
from rarefy.tasks.text.dates import MONTH

MONTHS, POWER, is_number = dates.MONTHS, quantities.MOST_POWER, quantities.is_number
lettered = characters.lettered
SCALES, WORDS, TENS = quantities.SCALES, quantities.UNITS, quantities.TENS
_CURRENCIES = {"$": "$", "us$": "$", "usd": "$", "dollar": "$", "€": "€", "eur": "€", "euro": "€", "£": "£", "gbp": "£"}
_CURRENCIES |= {"pound": "£", "¥": "¥", "yen": "¥", "jpy": "¥"}
_word = "|".join([*TENS, *sorted(WORDS, key=len, reverse=True)])
# what a pattern can begin with is looked for first: most letters of a text begin nothing
_DATE = re.compile(
    r"\b(?=[jfmasond\d])(?:"
    rf"(?P<m>{MONTH})\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<y>\d{{4}}))?\b|"
    rf"(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<m2>{MONTH})(?:,?\s+(?P<y2>\d{{4}}))?\b|"
    r"(?P<y3>\d{4})-(?P<m3>\d\d)-(?P<d3>\d\d)\b|"
    rf"(?P<m4>{MONTH}),?\s+(?P<y4>\d{{4}})\b)",
    re.IGNORECASE,
)
_QUARTER = re.compile(
    r"\b(?=[fstq1-4])(?:(?P<o>first|second|third|fourth)(?:\s+fiscal)?[\s-]quarter|Q(?P<q>[1-4])|(?P<q2>[1-4])Q)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\b(?:fiscal(?:\s+year)?|FY)\s*[’']?(?P<y>\d{4}|\d\d)\b", re.IGNORECASE)
_SUM = re.compile(
    r"(?=[-−(.\d$€£¥uegjtfsenzo])"
    r"(?P<sign>(?<![\w.,)])[-−(]\s?)?(?:(?P<currency>US\$|[$€£¥]|\b(?:USD|EUR|GBP|JPY)\s)\s?(?P<sign2>[-−(])?)?"
    rf"(?P<n>(?<![\w.])(?<!\w-)\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|(?<![\w.])(?<!\w-)\d+(?:\.\d+)?|(?<![\w.])(?<!\w-)\.\d+|\b(?:{_word})(?:[-\s](?:{_word}))*\b)"
    r"(?P<scale>(?:[\s-]?(?:hundred|thousand|million|billion|trillion)s?\b)+|\s?(?:mm|mn|bn|tn|[kmb])\b)?"
    r"(?:\s?(?P<unit>%|percentage[\s-]points?\b|per\s?cent\b|basis[\s-]points?\b|bps\b|pp\b)|"
    r"[\s-](?P<money>(?:U\.?S\.?\s)?(?:dollars?|euros?|pounds?|yen|USD|EUR|GBP|JPY)\b))?(?P<th>st\b|nd\b|rd\b|th\b)?",
    re.IGNORECASE,
)
_PLAIN_YEAR = re.compile(r"(?:19|20)\d\d")
# "thirty (30) days" says one number twice; "5 to 6 percent" and "$5 to $6 million" say the unit once
_TWICE = re.compile(rf"\b(?=[tfsenzo])(?:{_word})(?:[-\s](?:{_word})){{0,6}}\s?\((?P<n>\d{{1,3}})\)", re.IGNORECASE)
_RANGE = re.compile(
    r"(?<![\w.,-])(?P<a>(?P<c>(?:US)?[$€£¥]?)\s?(?!(?:19|20)\d\d\b)\d[\d,]{0,15}(?:\.\d{1,6})?)(?P<to>\s?[-–—]\s?|\s(?:to|or)\s)"
    r"(?P<b>(?P<c2>(?:US)?[$€£¥]?)\s?\d[\d,]{0,15}(?:\.\d{1,6})?)(?P<u>\s?%|[\s-](?:hundred|thousand|million|billion|trillion|"
    r"per\s?cent|percentage\spoints?|basis\spoints?)\b)",
    re.IGNORECASE,
)


def figured(text: str) -> tuple[str, list[str]]:
    """The text with each figure as a mark (\\x02, its number, \\x03), and the figures in one notation each.

    "$97300000000", "75%", "@2024-09-28", "@q1", "@2024", "0.25pp", "24"; a year is read the same whether it is called
    fiscal or not, as filings call one year by both.
    """
    found: list[str] = []

    def mark(figure: str) -> str:
        found.append(figure)
        return f" \x02{len(found) - 1}\x03 "

    text = _TWICE.sub(lambda hit: hit["n"], lettered(text))
    text = _RANGE.sub(_both, text)
    text = _DATE.sub(lambda hit: mark(_date(hit)), text)
    text = _QUARTER.sub(lambda hit: mark(f"@q{_quarter(hit)}"), text)
    text = _YEAR.sub(lambda hit: mark(f"@{hit['y'] if len(hit['y']) == 4 else '20' + hit['y']}"), text)
    parts = re.split(r"(\x02\d+\x03)", text)
    text = "".join(part if part.startswith("\x02") else _SUM.sub(lambda hit: mark(_sum(hit)), part) for part in parts)
    # in the order of the text, whichever pattern found them
    order = [int(number) for number in re.findall(r"\x02(\d+)\x03", text)]
    places = iter(range(len(order)))
    return re.sub(r"\x02\d+\x03", lambda _: f"\x02{next(places)}\x03", text), [found[number] for number in order]


def kind(figure: str) -> str:
    """What a figure counts: $ (money of any kind), @ (time), %, pp, th (a place in a row) or "" (things)."""
    if any(currency in figure for currency in "$€£¥"):
        return "$"
    return "@" if figure.startswith("@") else figure.lstrip("(-.0123456789")


def _both(hit: re.Match[str]) -> str:
    """A range with its unit at both ends."""
    money = hit["u"].strip().casefold() in ("thousand", "million", "billion", "trillion") and hit["c"] != hit["c2"]
    return hit[0] if money else f"{hit['a']}{hit['u']} to {hit['b']}{hit['u']}"


def _date(hit: re.Match[str]) -> str:
    year = hit["y"] or hit["y2"] or hit["y3"] or hit["y4"] or ""
    named = (hit["m"] or hit["m2"] or hit["m4"] or "")[:3].casefold()
    month = next(n for n, name in enumerate(MONTHS, 1) if named == name[:3]) if named else int(hit["m3"])
    day = hit["d"] or hit["d2"] or hit["d3"]
    return f"@{year}-{month:02d}" + (f"-{int(day):02d}" if day else "")


def _quarter(hit: re.Match[str]) -> int:
    return quantities.ORDINALS[hit["o"].casefold()] if hit["o"] else int(hit["q"] or hit["q2"])


def _sum(hit: re.Match[str]) -> str:
    written = hit["n"].casefold()
    scales = (hit["scale"] or "").casefold().replace("-", " ").split()
    power = sum(SCALES[scale if scale in SCALES else scale.rstrip("s")] for scale in scales)
    if not is_number(written) or power > POWER:
        return f"{(hit['sign'] or '').strip()}{written.replace(',', '')}{'*'.join(['', *scales])}"
    worded = not (written[0] == "." or written[0].isdecimal())
    value = (Decimal(_worded(written)) if worded else Decimal(written.replace(",", ""))) * Decimal(10) ** power
    unit = (hit["unit"] or "").casefold()
    sign = (hit["sign"] or "").strip().replace("−", "-")  # "(5%" may be a negative one: it is like no other
    if hit["sign2"]:
        sign = "-"
    currency = (hit["currency"] or hit["money"] or "").casefold().split()
    money = _CURRENCIES.get(currency[-1].rstrip("s") if currency else "", "")
    shown = f"{value.normalize():f}"
    if unit:
        points = "%" if unit[0] in "%" or (unit.startswith(("per cent", "percent")) and "point" not in unit) else "pp"
        if unit.startswith(("basis", "bps")):
            points, shown = "pp", f"{(value / 100).normalize():f}"
        return f"{sign}{shown}{points}"
    if not (money or sign == "-" or hit["scale"]) and _PLAIN_YEAR.fullmatch(written):
        return f"@{written}"
    return f"{sign}{money}{shown}{'th' if hit['th'] else ''}"


def _worded(text: str) -> int:
    return sum(TENS.get(word, WORDS.get(word, 0)) for word in re.split(r"[-\s]+", text))
