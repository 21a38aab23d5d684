"""The ways in which a passage may be read: without markup and marks, its numbers and dates as English has them."""

import re
import unicodedata
from html import unescape

from rarefy.tasks.text.characters import lettered
from rarefy.tasks.text.dates import FOREIGN, month_number
from rarefy.tasks.text.kept import small
from rarefy.tasks.text.quantities import SCALES, TENS
from rarefy.tasks.text.quantities import UNITS as WORDS

_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,24}\d{0,2});", re.IGNORECASE)
_PLAIN = {ord(c): "-" for c in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"}
_PLAIN |= {ord(c): "'" for c in "\u2018\u2019\u201b\u02bc\u2032"} | {ord(c): '"' for c in "\u201c\u201d\u201e"}
_PLAIN |= {ord(c): " " for c in "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f"}
_SPACED = re.compile(r"(?<![\d.,' ])(?<!\d )\d{1,3}(?:[ '_]\d{3}){1,5}(?![\d'])")
_WORTH = WORDS | TENS
_SCALES = {word: 10 ** SCALES[word] for word in ("thousand", "million", "billion", "trillion")}
_NUMERAL = "|".join(sorted((*_WORTH, *_SCALES, "hundred"), key=len, reverse=True))
_WORDED = re.compile(
    rf"\b(?:{_NUMERAL}|an?(?=[\s-](?:hundred|thousand|million|billion)\b))(?:(?:,\s|[\s-])(?:and\s)?(?:{_NUMERAL})\b){{1,24}}",
    re.IGNORECASE,
)
_HALF = re.compile(rf"\b(?P<n>{'|'.join(WORDS)}) and (?:a|one)[\s-]half\b", re.IGNORECASE)
_FOREIGN = re.compile(
    r"(?<![\w.,])(?P<n>\d{1,3}(?:[. ]\d{3}){1,5}(?:,\d{1,6})?|\d{1,15}(?:,\d{1,6})?)(?![\d]|[.,]\d)"
    r"(?:\s?(?P<scale>milliarden?|mrd\.?|milliards?|mds?\.?|millionen|millions|million|mio\.?|tausend|tsd\.?|mille"
    r"|billionen|billion)(?!\w))?(?P<percent>\s?(?:%|prozent\b|pour\s?cent\b))?",
    re.IGNORECASE,
)
_SCALE = {"milliard": "billion", "mrd": "billion", "md": "billion", "mio": "million", "million": "million",
          "tausend": "thousand", "tsd": "thousand", "mille": "thousand", "billion": "trillion"}  # fmt: skip
_ALIEN = FOREIGN.replace("|", " ").split()
_DAY = re.compile(
    rf"(?<![\w])(?P<d>\d{{1,2}})(?:\.|er|st|nd|rd|th)?\s+(?:de\s+)?"
    rf"(?P<m>{'|'.join(sorted(_ALIEN, key=len, reverse=True))})"
    r"\s+(?:de\s+)?(?P<y>\d{4})\b",
    re.IGNORECASE,
)
_NUMERIC = re.compile(
    r"(?<![\d/.-])(?:(?P<a>\d{1,2})(?P<by>[/.-])(?P<b>\d{1,2})(?P=by)(?P<y>\d{4}|\d\d)"
    r"|(?P<y2>\d{4})(?P<by2>[/.-])(?P<m>\d{1,2})(?P=by2)(?P<d>\d{1,2}))(?![\d/-]|\.\d)"
)


def _readings(text: str) -> tuple[str, ...]:
    """The text as it is and, where that is another one, plainly: entities, hyphens, spaces, numbers in words."""
    plain = unescape(text) if "&" in text and _ENTITY.search(text) else text
    if not plain.isascii():
        plain = plain.translate(_PLAIN)
    if not plain.isascii():  # most are by now, and have nothing to drop
        plain = "".join(c for c in plain if unicodedata.category(c) != "Cf" and not _selects(c))
    plain = _SPACED.sub(lambda hit: re.sub(r"\D", "", hit[0]), plain)
    plain = _WORDED.sub(_digits, _HALF.sub(lambda hit: f"{_WORTH[hit['n'].lower()]}.5", plain))
    return (text,) if plain == text else (text, plain)


def _foreign(text: str) -> str:
    """The text with its numbers read as German and French write them; "" where that is no other reading."""
    read = _FOREIGN.sub(_english, lettered(text))
    return "" if read in (text, lettered(text)) else read


def _dates(text: str) -> frozenset[str]:
    """Dates in numbers, whichever of day and month stands first, and in German, French or Spanish: "@2024-11-05"."""
    found = set()
    for hit in _NUMERIC.finditer(text):
        year = hit["y"] or hit["y2"]
        days = ((hit["a"], hit["b"]), (hit["b"], hit["a"])) if hit["y"] else ((hit["m"], hit["d"]),)
        for month, day in days:
            if 1 <= int(month) <= 12 and 1 <= int(day) <= 31:
                found.add(f"@{year if len(year) == 4 else '20' + year}-{int(month):02d}-{int(day):02d}")
    bare = text if text.isascii() else "".join(c for c in unicodedata.normalize("NFKD", text) if c.isascii())
    found |= {f"@{h['y']}-{month_number(h['m']):02d}-{int(h['d']):02d}" for h in _DAY.finditer(bare)}
    return frozenset(found)


readings, foreign, dates = small(_readings), small(_foreign), small(_dates)


def _selects(char: str) -> bool:
    return "\ufe00" <= char <= "\ufe0f" or char in "\u034f\u115f\u1160\u3164"


def _digits(hit: re.Match[str]) -> str:
    """A number in words as digits: "four thousand five hundred" is 4500; as it is, where the words are no number."""
    total = part = 0
    words = [word for word in re.split(r"[\s,-]+", hit[0].lower()) if word != "and"]
    last = 10**15
    for word in words:
        if word in _SCALES:
            if not part or _SCALES[word] >= last:
                return hit[0]
            last, total, part = _SCALES[word], total + part * _SCALES[word], 0
        elif word == "hundred":
            part = (part or 1) * 100
        else:
            worth = _WORTH.get(word, 1)
            if (part % 10 and worth) or (part % 100 and worth >= 10):
                return hit[0]  # "five six": two numbers
            part += worth
    return str(total + part)


def _english(hit: re.Match[str]) -> str:
    number = hit["n"].replace(".", "").replace(" ", "").replace(",", ".")
    scale = (hit["scale"] or "").lower().rstrip(".")
    if scale:
        key = next(key for key in _SCALE if scale.startswith(key))
        scale = " " + _SCALE[key]
    elif re.fullmatch(r"\d{1,3},\d{3}", hit["n"]):  # thousands, in English, and no scale that says otherwise
        return hit[0]
    return number + scale + (" %" if hit["percent"] else "")
