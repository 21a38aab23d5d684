"""Write the values of spreadsheet cells as a person sees them, by their number formats."""

import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

MONTHS = "January February March April May June July August September October November December".split()
WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
# Shown by each machine in the order of its own country: written here so that day and month cannot be mistaken
BY_COUNTRY = {"mm-dd-yy": "yyyy-mm-dd", "m/d/yy h:mm": "yyyy-mm-dd hh:mm"}
LONGEST = 255  # characters of a format that Excel itself would take

_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|_(?P<blank>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]|(?P<general>(?i:General))|'
    r"(?P<noon>AM/PM|A/P|am/pm|a/p)|(?P<exponent>[eE][+-])|(?P<letters>y+|Y+|m+|M+|d+|D+|h+|H+|s+|S+)|(?P<other>.)",
    re.S,
)
_CONDITION = re.compile(r"(<=|>=|<>|<|>|=)\s*(-?[\d.]+)")
_ELAPSED = re.compile(r"[hH]+|[mM]+|[sS]+")
_CURRENCY = re.compile(r"\$([^-]*)(?:-.*)?")


class Token(NamedTuple):
    """A part of a format."""

    kind: str  # literal | digit | point | comma | percent | exponent | date | elapsed | noon | general | text
    text: str


class Section(NamedTuple):
    """One of the formats between semicolons, and for which numbers it is, where it says so itself."""

    tokens: tuple[Token, ...]
    condition: tuple[str, float] | None


def format_value(value: Any, number_format: str) -> str:
    """What a cell shows: number, date, time or text by its format; the stored value where the format is odd."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return value
    sections = _parse(BY_COUNTRY.get(number_format, number_format)[:LONGEST])
    if isinstance(value, (datetime, date, time, timedelta)):
        return _format_date(value, sections[0].tokens)
    if value != value or value in (float("inf"), float("-inf")):
        return str(value)
    return _format_number(value, sections)


@lru_cache(4096)
def _parse(number_format: str) -> tuple[Section, ...]:
    sections: list[Section] = []
    tokens: list[Token] = []
    condition: tuple[str, float] | None = None
    for match in _TOKEN.finditer(number_format):
        kind, text = match.lastgroup or "", match.group(match.lastgroup or 0)
        if kind == "other" and text == ";":
            sections.append(Section(tuple(tokens), condition))
            tokens, condition = [], None
        elif kind in ("quoted", "escaped"):
            tokens.append(Token("literal", text))
        elif kind == "bracket":
            if found := _CONDITION.match(text):
                condition = found.group(1), float(found.group(2))
            elif _ELAPSED.fullmatch(text):
                tokens.append(Token("elapsed", text.lower()))
            elif found := _CURRENCY.match(text):
                tokens.append(Token("literal", found.group(1)))
        elif kind == "letters":
            tokens.append(Token("date", text.lower()))
        elif kind in ("general", "noon", "exponent"):
            tokens.append(Token(kind, text))
        elif kind == "other":
            kinds = {"#": "digit", "0": "digit", "?": "digit", ".": "point", ",": "comma", "%": "percent", "@": "text"}
            tokens.append(Token(kinds.get(text, "literal"), text))
    sections.append(Section(tuple(tokens), condition))
    return tuple(sections)


# Numbers


def _format_number(value: float, sections: tuple[Section, ...]) -> str:
    section, absolute = _choose(value, sections)
    tokens = section.tokens
    kinds = {token.kind for token in tokens}
    number = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    sign = "-" if number < 0 and not absolute else ""
    number = abs(number)
    if kinds & {"general", "text"} or (not tokens and len(sections) == 1):
        shown = "".join(
            _general(number) if token.kind in ("general", "text") else token.text for token in tokens
        ) or _general(number)
    elif "digit" not in kinds:
        if kinds & {"date", "elapsed", "noon"}:
            return _general(Decimal(repr(value)) if isinstance(value, float) else Decimal(value))
        shown = "".join(token.text for token in tokens)  # a word in the place of a number: "-", "n/a"
        sign = sign if shown.strip() else ""
    elif "exponent" in kinds:
        shown = _scientific(number, tokens)
    elif any(token == Token("literal", "/") for token in tokens) and not kinds & {"point"}:
        shown = _fraction(number, tokens)
    else:
        shown = _decimal(number, tokens)
    if sign and not re.search(r"[1-9]", shown) and re.search(r"\d", shown):
        sign = ""  # rounded to nothing
    return f"{sign}{' '.join(shown.split())}"


def _choose(value: float, sections: tuple[Section, ...]) -> tuple[Section, bool]:
    """The section for a number, and whether it shows the number without its sign."""
    if any(section.condition for section in sections[:2]):
        for number, section in enumerate(sections[:3]):
            if section.condition is None or _holds(value, *section.condition):
                return section, number > 0 and value < 0
        return sections[0], False
    if len(sections) == 1 or value > 0 or (value == 0 and len(sections) == 2):
        return sections[0], False
    if value < 0:
        return sections[1], True
    return sections[2], False


def _holds(value: float, sign: str, bound: float) -> bool:
    return {
        "<": value < bound, "<=": value <= bound, ">": value > bound, ">=": value >= bound, "=": value == bound,
        "<>": value != bound,
    }[sign]  # fmt: skip


def _general(number: Decimal) -> str:
    """As wide as Excel shows it in a wide cell: integers whole, others with ten digits."""
    if number == number.to_integral_value() and abs(number) < 10**15:
        return str(int(number))
    text = f"{float(number):.10g}"
    return f"{number:.10f}".rstrip("0") if "e-" in text and number >= Decimal("1e-9") else text.replace("e", "E")


def _round(number: Decimal, decimals: int) -> Decimal:
    if number.adjusted() + decimals > 25:
        return number
    return number.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def _decimal(number: Decimal, tokens: tuple[Token, ...]) -> str:
    """Placeholders filled from the point outwards; signs and words between them stay where they are."""
    digits = [place for place, token in enumerate(tokens) if token.kind == "digit"]
    point = next((place for place, token in enumerate(tokens) if token.kind == "point"), len(tokens))
    whole = [place for place in digits if place < point]
    after = [place for place in digits if place > point]
    last = whole[-1] if whole else point
    commas = [place for place, token in enumerate(tokens) if token.kind == "comma"]
    grouped = any(whole and whole[0] < place < last for place in commas)
    end = digits[-1]
    scaled = 0
    for place in range(last + 1, len(tokens)):
        if tokens[place].kind == "comma" and all(tokens[n].kind == "comma" for n in range(last + 1, place)):
            scaled += 1
    if after:
        for place in range(end + 1, len(tokens)):
            if tokens[place].kind != "comma":
                break
            scaled += 1
    percents = sum(token.kind == "percent" for token in tokens)
    number = _round(number.scaleb(2 * percents - 3 * scaled), len(after))
    left, _, right = f"{number:f}".partition(".")
    left = left.lstrip("0")
    filled: dict[int, str] = {}
    right = right.ljust(len(after), "0")[: len(after)]
    for place, digit in zip(reversed(after), reversed(right), strict=True):
        rest = any(filled.get(n) for n in after if n > place)
        filled[place] = "" if digit == "0" and tokens[place].text in "#?" and not rest else digit
    rest_digits, count = list(left), 0
    for place in reversed(whole):
        first = place == whole[0]
        while rest_digits or tokens[place].text == "0":
            digit = rest_digits.pop() if rest_digits else "0"
            separator = "," if grouped and count and count % 3 == 0 else ""
            filled[place] = digit + separator + filled.get(place, "")
            count += 1
            if not first or not rest_digits:
                break
    if not whole and left:
        filled[point] = left
    out = []
    for place, token in enumerate(tokens):
        if token.kind == "digit":
            out.append(filled.get(place, ""))
        elif token.kind == "point":
            shown = any(filled.get(n) for n in after) or not after
            out.append(filled.get(place, "") + ("." if shown and place == point else ""))
        elif token.kind != "comma":
            out.append(token.text)
    return "".join(out)


def _scientific(number: Decimal, tokens: tuple[Token, ...]) -> str:
    place = next(n for n, token in enumerate(tokens) if token.kind == "exponent")
    mantissa = tokens[:place]
    point = next((n for n, token in enumerate(mantissa) if token.kind == "point"), len(mantissa))
    decimals = sum(token.kind == "digit" for token in mantissa[point:])
    least = sum(token.kind == "digit" for token in tokens[place:])
    front, _, power = f"{number:.{decimals}E}".partition("E")
    sign = "-" if power.startswith("-") else "+" if tokens[place].text.endswith("+") else ""
    before, after = _around(tokens)
    return f"{before}{front}E{sign}{power.lstrip('+-').zfill(least)}{after}"


def _around(tokens: tuple[Token, ...]) -> tuple[str, str]:
    """What is written before the first placeholder and after the last digit."""
    digits = [n for n, token in enumerate(tokens) if token.kind == "digit" or token.text.isdigit()]
    before, after = tokens[: digits[0]], tokens[digits[-1] + 1 :]
    return "".join(token.text for token in before), "".join(token.text for token in after if token.kind == "literal")


def _fraction(number: Decimal, tokens: tuple[Token, ...]) -> str:
    slash = tokens.index(Token("literal", "/"))
    below = [token for token in tokens[slash + 1 :] if token.kind == "digit" or token.text.isdigit()]
    width = max(len(below), 1)
    fixed = "".join(token.text for token in tokens[slash + 1 :] if token.text.isdigit())
    whole = (
        int(number) if any(t.kind == "digit" for t in tokens[: max(slash - 1, 0)]) and _is_mixed(tokens, slash) else 0
    )
    rest = Fraction(number) - whole
    if fixed and int(fixed):
        top, bottom = round(rest * int(fixed)), int(fixed)
    else:
        near = rest.limit_denominator(10 ** min(width, 5) - 1)
        top, bottom = near.numerator, near.denominator
    whole, top = (whole + 1, 0) if top == bottom and whole else (whole, top)
    shown = f"{whole} {top}/{bottom}" if whole and top else f"{top}/{bottom}" if top else str(whole)
    before, after = _around(tokens)
    return f"{before}{shown}{after}"


def _is_mixed(tokens: tuple[Token, ...], slash: int) -> bool:
    """Whether a whole number stands before the fraction: a blank parts the placeholders."""
    kinds = "".join("d" if token.kind == "digit" else " " for token in tokens[:slash]).strip()
    return " " in kinds


# Dates and times


def _format_date(value: datetime | date | time | timedelta, tokens: tuple[Token, ...]) -> str:
    if isinstance(value, timedelta):
        seconds = value.total_seconds()
        moment = datetime(1900, 1, 1) + timedelta(seconds=abs(seconds))
    elif isinstance(value, datetime):
        moment, seconds = value, 0.0
    elif isinstance(value, time):
        moment = datetime.combine(date(1900, 1, 1), value)
        seconds = value.hour * 3600 + value.minute * 60 + value.second + value.microsecond / 1e6
    else:
        moment, seconds = datetime.combine(value, time()), 0.0
    if not any(token.kind in ("date", "elapsed") for token in tokens):
        return value.isoformat(" ") if isinstance(value, datetime) else str(value)
    fraction = sum(token.kind == "digit" for token in tokens)
    if not fraction and moment.microsecond >= 500_000:
        moment += timedelta(seconds=1)
    half = any(token.kind == "noon" for token in tokens)
    out: list[str] = []
    digits = 0
    for number, token in enumerate(tokens):
        if token.kind == "date":
            out.append(_date_part(token.text, moment, half, _is_minute(tokens, number)))
        elif token.kind == "elapsed":
            unit = {"h": 3600, "m": 60, "s": 1}[token.text[0]]
            out.append(("-" if seconds < 0 else "") + str(int(abs(seconds) // unit)).zfill(len(token.text)))
        elif token.kind == "noon":
            sign = "AM" if moment.hour < 12 else "PM"
            out.append(sign if len(token.text) > 3 else sign[0])
        elif token.kind == "digit":  # tenths of a second and less
            out.append(f"{moment.microsecond:06d}"[digits : digits + 1])
            digits += 1
        elif token.kind != "text":
            out.append(token.text)
    return " ".join("".join(out).split())


def _is_minute(tokens: tuple[Token, ...], number: int) -> bool:
    """Whether "m" stands for minutes: after hours or before seconds."""
    if tokens[number].text not in ("m", "mm"):
        return False
    units = [(n, token.text[0]) for n, token in enumerate(tokens) if token.kind in ("date", "elapsed")]
    at = next(n for n, unit in enumerate(units) if unit[0] == number)
    return (at > 0 and units[at - 1][1] == "h") or (at + 1 < len(units) and units[at + 1][1] == "s")


def _date_part(letters: str, moment: datetime, half: bool, minute: bool) -> str:
    length = len(letters)
    if letters[0] == "y":
        return f"{moment.year:04d}" if length > 2 else f"{moment.year % 100:02d}"
    if letters[0] == "m" and not minute:
        if length > 2:
            name = MONTHS[moment.month - 1]
            return name[:3] if length == 3 else name[0] if length == 5 else name
        return str(moment.month).zfill(length)
    if letters[0] == "d":
        if length > 2:
            name = WEEKDAYS[moment.weekday()]
            return name[:3] if length == 3 else name
        return str(moment.day).zfill(length)
    hour = (moment.hour % 12 or 12) if half else moment.hour
    return str({"h": hour, "m": moment.minute, "s": moment.second}[letters[0]]).zfill(min(length, 2))
