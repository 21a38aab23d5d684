"""The numbers of a text with what they count: money, percentages, points, things, measures, each with its grain."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from rarefy.tasks.perturb.checks.readings import foreign, readings
from rarefy.tasks.text.characters import lettered
from rarefy.tasks.text.dates import moments
from rarefy.tasks.text.kept import small
from rarefy.tasks.text.quantities import MOST_POWER as POWER
from rarefy.tasks.text.quantities import SCALES, TENS, is_number
from rarefy.tasks.text.quantities import UNITS as WORDS

CURRENCIES = {
    "$": "USD", "us$": "USD", "dollar": "USD", "us dollar": "USD", "usd": "USD", "€": "EUR", "euro": "EUR", "£": "GBP",
    "pound": "GBP", "¥": "JPY", "yen": "JPY", "₹": "INR", "rupee": "INR", "yuan": "CNY", "renminbi": "CNY",
    "rmb": "CNY", "c$": "CAD", "ca$": "CAD", "a$": "AUD", "au$": "AUD", "hk$": "HKD", "nt$": "TWD",
    "s$": "SGD", "nz$": "NZD",
    "r$": "BRL", "mx$": "MXN", "cent": "USD", "won": "KRW", "franc": "CHF",
}  # fmt: skip
CURRENCIES |= {
    code: code.upper() for code in "eur gbp jpy inr cny cad aud hkd twd sgd nzd brl mxn chf krw sek nok dkk".split()
}
MEASURES = (
    "year month week day hour minute second acre mile kilometer kilometre meter metre foot feet "
    "inch ton tonne kilogram "
    "pound-mass gallon barrel liter litre megawatt gigawatt mw gw kwh mwh gwh terabyte gigabyte square"
).split()
_WORDED = "|".join(sorted((*WORDS, *TENS), key=len, reverse=True))
_SYMBOL = r"(?:(?:US|CA|AU|HK|NT|NZ|MX|[CASR])?\$|[€£¥₹])"
_CODES = "USD|EUR|GBP|JPY|INR|CNY|RMB|CAD|AUD|HKD|TWD|SGD|NZD|BRL|MXN|CHF|KRW|SEK|NOK|DKK"
_NAMES = r"(?:U\.?S\.?\s|US\s)?dollars?|euros?|pounds?(?:\ssterling)?|yen|rupees?|yuan|renminbi|francs?|won|cents?"
_VALUE = re.compile(
    rf"(?<![\w.,/])(?:(?P<open>\()\s?)?(?P<sign>(?<![\w)])[-+]\s?|\bminus\s|\bnegative\s)?(?:(?P<currency>{_SYMBOL}|\b(?:{_CODES}))\s?)?"
    rf"(?:(?P<open2>\()\s?)?(?P<sign2>[-+]\s?)?"
    rf"(?:(?P<n>(?<![\d.,])(?:\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+))|\b(?P<word>{_WORDED})\b)"
    r"(?P<scale>(?:[\s-]?(?:hundred|thousand|million|billion|trillion)s?\b)+|(?:mm|mn|bn|tn|[kKmMbBtT])\b|\s(?:mm|mn|bn|tn|[MB])\b)?"
    r"(?P<close>\s?\))?(?P<late>(?<=\))\s(?:thousand|million|billion|trillion)s?\b)?"
    r"(?:\s?(?P<percent>%|percentage[\s-]points?\b|per\s?cent\b|percent\b|pct\b|basis[\s-]points?\b|bps?\b|pp\b|times\b|x\b)"
    rf"|[\s-]?(?P<money>(?:{_NAMES}|{_CODES})\b))?(?P<close2>\))?(?P<th>(?:st|nd|rd|th)\b)?(?![\w/]|,\d{{3}}|\.\d)",
    re.IGNORECASE,
)
# digits that count nothing: of a note, a form, a passage
_NAMED = re.compile(
    r"(?:\b(?:notes?|items?|parts?|sections?|exhibits?|rules?|forms?|tables?|figures?|chapters?|articles?|titles?|topics?|asu|asc|"
    r"ifrs|iso|no\.|nos\.|levels?|phases?|class|series|tiers?|version|step|page|pages|p\.|pp\.|passages?|documents?|contexts?|"
    r"docs?|chunks?|sources?)\s|[#§]\s?)$",
    re.IGNORECASE,
)
_TWICE = re.compile(rf"\b(?:{_WORDED})(?:[-\s](?:{_WORDED})){{0,6}}\s?\((?P<n>\d{{1,3}})\)", re.IGNORECASE)
_MIXED = re.compile(
    r"(?<![\w.,/-])(?:(?P<w>\d{1,3})(?:\s|-|\sand\s|-and-))?(?P<a>\d{1,2})/(?P<b>2|4|5|8|10|16)(?![\d/])(?=\s?(?:%|per|of\s(?:1|one)))"
)
_HALF = re.compile(r"\b(?:one[\s-])?half (?:of )?an? ", re.IGNORECASE)
_COMMA = re.compile(
    r"(?<![\d.,])(\d{1,3}),(\d{1,2})(?=\s?(?:%|percent\b|per cent\b|thousand\b|million\b|billion\b|"
    r"trillion\b|bn\b|euros?\b|€))"
)
_VULGAR = {"½": ".5", "¼": ".25", "¾": ".75", "⅛": ".125", "⅜": ".375", "⅝": ".625", "⅞": ".875"}
_RANGE = re.compile(
    r"(?<![\w.,-])(?P<a>(?P<c>(?:US)?[$€£¥]?)\s?(?!(?:19|20)\d\d\b)\d[\d,]{0,15}(?:\.\d{1,6})?)(?P<to>\s?-\s?|\s(?:to|or|and)\s)"
    r"(?P<b>(?P<c2>(?:US)?[$€£¥]?)\s?\d[\d,]{0,15}(?:\.\d{1,6})?)(?P<u>\s?%|[\s-](?:hundred|thousand|million|billion|trillion|"
    r"per\s?cent|percent|percentage\spoints?|basis\spoints?|years?|months?|weeks?|days?|hours?|miles|acres)\b)",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"(?:\b(?:about|approximately|approx\.?|roughly|around|nearly|almost|some|circa|ca\.)|~)\s*(?:of\s)?$",
    re.IGNORECASE,
)
_PER = re.compile(
    r"^\s*(?:per|a|an|each|/)\s?(?:(?:basic|diluted|common|ordinary|weighted)\s)*(?P<of>[a-z]+)", re.IGNORECASE
)
_NOUNS = re.compile(r"^[\s-]*(?:of\s)?((?:[a-z][\w'-]*[\s-]?){1,4})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Value:
    """A number where it stands, with its scale worked in."""

    kind: str  # money | percent | points | times | count | measure | place
    amount: Decimal  # without sign
    grain: Decimal  # what its last written digit is worth
    unit: str  # ISO code of a currency, "year", "mile", ...; "" where none is said
    minus: bool  # written as negative
    enclosed: bool  # in brackets, which may say so
    pointed: bool  # written with decimals, so that zeros at its end count
    about: bool  # said to be so roughly
    grouped: bool  # written with separators of thousands
    scaled: bool  # a scale word stood there
    year: bool  # four plain digits that may be a year
    worded: bool  # "five"
    nouns: str  # the words behind it, which say what it counts
    start: int
    end: int

    @property
    def loose(self) -> Decimal:
        """Its grain if the zeros at its end stand for digits that were rounded away: three figures stay, or "about"."""
        shown = int(self.amount / self.grain) if self.grain and not self.pointed else 0
        grain = self.grain
        while shown and shown % 10 == 0 and (self.about or shown >= 1000):
            shown //= 10
            grain *= 10
        return grain

    @property
    def strong(self) -> bool:
        """Does it look like a sum, even where no unit is written?"""
        return self.kind != "count" or self.scaled or self.grouped or self.pointed or self.amount >= 1000


def plain(text: str, language: str = "en") -> str:
    """The text with fractions, ranges' units, numbers in words and typographic marks as plain English has them.

    In another language its numbers are read as German and French write them.
    """
    text = lettered(text)
    if language != "en":
        text = foreign(text) or text
    for mark, digits in _VULGAR.items():
        if mark in text:
            text = re.sub(rf"(\d)\s?{mark}", rf"\1{digits}", text).replace(mark, f"0{digits}")
    told = readings(text)[-1]
    told = _TWICE.sub(lambda hit: hit["n"], told)
    told = _HALF.sub("0.5 ", _COMMA.sub(r"\1.\2", _MIXED.sub(_decimal, told)))
    return _RANGE.sub(_both, told)


@small
def values(text: str) -> tuple[Value, ...]:
    """Every number of a plain text in order but those of days and quarters; a year stands among them, marked."""
    text = lettered(text)
    dated = [(one.start, one.end) for one in moments(text) if not one.only_year]
    return tuple(_values(text, dated))


def _values(text: str, dated: list[tuple[int, int]]) -> Iterator[Value]:
    for hit in _VALUE.finditer(text):
        at = hit.start("n") if hit["n"] else hit.start("word")
        named = _NAMED.search(text[max(at - 14, 0) : at]) or re.match(r"-[KQ]\b", text[hit.end() :])
        if named or any(start <= at < end for start, end in dated):
            continue
        if hit["open"] and not (hit["close"] or hit["close2"]):
            opened = False
        else:
            opened = bool(hit["open"] or hit["open2"]) and bool(hit["close"] or hit["close2"])
        written = (
            hit["n"] or str(WORDS.get((hit["word"] or "").lower(), TENS.get((hit["word"] or "").lower(), 0)))
        ).replace(",", "")
        power = sum(_power(word) for word in re.findall(r"[a-z]+", f"{hit['scale'] or ''} {hit['late'] or ''}".lower()))
        if not is_number(written) or power > POWER:
            continue
        amount, grain = Decimal(written), Decimal(1).scaleb(-len(written.partition(".")[2]))
        amount, grain = amount.scaleb(power), grain.scaleb(power)
        after = text[hit.end() : hit.end() + 60]
        kind, unit, factor = _counts(hit, after)
        sign = f"{hit['sign'] or ''}{hit['sign2'] or ''}".strip().lower()
        yield Value(
            kind,
            amount * factor,
            grain * factor,
            unit,
            minus=sign.startswith(("-", "minus", "negative")),
            enclosed=opened,
            pointed="." in written,
            about=_ABOUT.search(text[max(hit.start() - 24, 0) : hit.start()]) is not None,
            grouped="," in (hit["n"] or ""),
            scaled=power > 0,
            year=kind == "count" and not power and re.fullmatch(r"(?:19|20)\d\d", hit["n"] or "") is not None,
            worded=not hit["n"],
            nouns=found[1].strip().lower() if (found := _NOUNS.match(after)) else "",
            start=hit.start(),
            end=hit.end(),
        )


def _counts(hit: re.Match[str], after: str) -> tuple[str, str, Decimal]:
    """What is counted, in which unit, and what the number is to be multiplied by to be in it."""
    one = Decimal(1)
    if share := (hit["percent"] or "").lower():
        if share.startswith(("basis", "bp")):
            return "points", "", Decimal("0.01")
        if share in ("x", "times"):
            return "times", "", one
        return ("points" if "point" in share or share == "pp" else "percent"), "", one
    money = (hit["money"] or hit["currency"] or "").lower().replace(".", "").removesuffix(" sterling")
    if money:
        name = money if money in CURRENCIES else money.rstrip("s")
        named = CURRENCIES.get(name, CURRENCIES.get(name.split()[-1], ""))
        return "money", named, Decimal("0.01") if name == "cent" else one
    if hit["th"]:
        return "place", "", one
    word = re.match(r"[\s-]*([a-z]+)", after, re.IGNORECASE)
    noun = word[1].lower() if word else ""
    for measure in MEASURES:
        if noun in (measure, f"{measure}s"):
            return "measure", measure, one
    return "count", "", one


def _power(word: str) -> int:
    return 12 if word == "t" else SCALES[word] if word in SCALES else SCALES[word.rstrip("s")]


def _decimal(hit: re.Match[str]) -> str:
    exact = Decimal(hit["w"] or 0) + Decimal(hit["a"]) / Decimal(hit["b"])
    return f"{exact.normalize():f}"


def _both(hit: re.Match[str]) -> str:
    """A range with its unit at both ends: "5 to 6 percent" is "5 percent to 6 percent"."""
    if hit["to"].strip() == "and" and hit["u"].strip() not in ("%", "percent"):
        return hit[0]
    money = hit["c"] if hit["c"] and not hit["c2"] else ""
    return f"{hit['a']}{hit['u']}{' to ' if hit['to'].strip() == '-' else hit['to']}{money}{hit['b']}{hit['u']}"


def per(text: str, value: Value) -> str:
    """ "share" of "$1.76 per share": what a sum is said to be for; "" where it is not."""
    found = _PER.match(text[value.end : value.end + 60])
    return found["of"].lower() if found else ""
