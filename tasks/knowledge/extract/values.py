"""Numbers in table cells, amounts and times in sentences, with unit and scale."""

import re
from dataclasses import dataclass
from decimal import Decimal

from rarefy.tasks.text.dates import NAME
from rarefy.tasks.text.notations import POWER_NAMES, counted_in
from rarefy.tasks.text.quantities import Quantity, number, per, quantities

LONGEST = 100  # characters of a cell with a number; in a longer one stands more than that
_OPENED, _CLOSED = re.compile(r"\([^()]*$|[-−–]\s*[$€£¥₹]?\s*$"), re.compile(r"\s*%?\s*\)")
_SYMBOLS = tuple("$€£¥₹")
_OF_CELLS = ("money", "percent", "bare")


@dataclass(frozen=True, slots=True)
class CellNumber:
    """A number as printed: `text[start:end]` are its digits alone."""

    value: Decimal  # signed, unscaled
    digits: str
    start: int
    end: int
    currency: str = ""  # ISO code, "" where none is printed
    percent: bool = False

    def printed(self, cell: str, below_zero: bool) -> str:
        """The number as its cell prints it with currency and percent; brackets or minus only if it is below zero."""
        before, answer, after = cell[: self.start], cell[self.start : self.end], cell[self.end :]
        if below_zero:
            opened, closed = _OPENED.search(before), _CLOSED.match(after)
            answer = (opened[0] if opened else "") + answer + (closed[0] if closed else "")
        elif before[-1:] in _SYMBOLS:
            answer = before[-1:] + answer
        elif self.currency and before.endswith(f"{self.currency} "):
            answer = f"{self.currency} {answer}"  # "EUR 29" is no "29" of anything
        return f"{answer}%" if self.percent and not answer.endswith("%") and f"{answer}%" in cell else answer


def parse_cell_number(text: str, language: str = "en") -> CellNumber | None:
    """The number in digits that a whole cell is, without a scale of its own; None for all else.

    Words, dashes, ranges and what is too long for an amount are no numbers. `language` is that of the notation: "1.234"
    is another number in German ("de").
    """
    quantity = number(text, language=language) if len(text) <= LONGEST else None
    if (
        quantity is None
        or quantity.worded
        or quantity.scale
        or not quantity.grain
        or quantity.bound
        or quantity.kind not in _OF_CELLS
    ):
        return None
    if quantity.grain < 1 and not quantity.pointed:
        return None  # "50 cents": not what the digits say
    start, end = quantity.digits
    return CellNumber(quantity.value, text[start:end], start, end, quantity.currency, quantity.kind == "percent")


SCALES = {power: f"{name}s" for power, name in POWER_NAMES.items()}  # powers of ten, as a triplet names them
FACTORS = {name: Decimal(10**power) for power, name in SCALES.items()} | {"": Decimal(1)}


def find_scale(text: str, *, shares: bool = False) -> str:
    """The scale ("millions") that a caption states for sums, or for numbers of shares; "" where it states none."""
    return SCALES.get(counted_in(text, shares=shares) or 0, "")


def format_number(value: Decimal) -> str:
    """A number without exponent and trailing zeros."""
    return f"{value.normalize():f}"


_KINDS = ("MONEY", "PERCENT", "NUMBER")

# Words that belong to an amount, and what amounts are per or count
_ABOUT = re.compile(r"(?:(?:approximately|about|nearly|roughly|over|almost|more than|less than|at least|up to) )?\Z")
_PER = frozenset("share unit barrel month year hour".split())
_COUNTED = re.compile(
    r" (?:[a-z]+(?:-[a-z]+)*(?:,? and |, | )){0,4}?"
    r"(?P<noun>people|persons|employees|associates|teammates|colleagues|members|stores|restaurants|countries|patents"
    r"|square feet|acres|customers|subscribers|locations|branches|shares|units|states|facilities|hotels"
    r"|megawatts|barrels"
    r"|households|districts|families|days|months|years|hours|properties|plants|vehicles|stations)\b"
)

_DATE = rf"{NAME} \d{{1,2}}, ?\d{{4}}"
# Times as a sentence has them, in words that become part of a question; their days are read by text.dates
_TIME = re.compile(
    rf"\b(?:(?:the )?(?:first|second|third|fourth) quarters? of (?:fiscal |calendar )?(?:year )?\d{{4}}"
    rf"|(?:fiscal|calendar)(?: year)? \d{{4}}|(?:the )?(?:fiscal )?years? ended {_DATE}|{_DATE}|{NAME},? \d{{4}}"
    r"|(?:19|20)\d{2})\b(?!\s*(?:U\.S\.C|CFR|F\.))"
)

_YEARLESS = re.compile(rf"{_TIME.pattern}|\b{NAME}\b(?! \d)|\b(?:first|second|third|fourth) quarter\b")
_IN_A_NAME = re.compile(r"[A-Z][\w’']* of \0|\0 [A-Z]\w+ |[A-Z]\w+ \0(?=[ ,.]*[A-Z])|-\0|\0-")
_BOUND = re.compile(
    r"(?:[Ss]ubsequent to|[Ss]ince|[Uu]ntil|[Tt]hrough|[Bb]efore|[Pp]rior to|[Aa]fter|[Bb]y|[Bb]eginning"
    r"(?: in| on)?|[Ff]rom|due(?: in| on)?"
    r"|[Ee]xpir\w+(?: in| on)?|[Mm]atur\w+(?: in| on)?)(?: the)? $"
)


@dataclass(frozen=True, slots=True)
class Value:
    """An amount as written, `text[start:end]`, and as a number."""

    start: int
    end: int
    written: str
    type: str  # MONEY | PERCENT | NUMBER
    number: str
    unit: str
    scale: str

    def fields(self) -> dict[str, str]:
        """The fields of a triplet."""
        return {"value": self.number, "unit": self.unit, "scale": self.scale}


def find_value_at(text: str, start: int, end: int) -> Value | None:
    """The whole amount of which `text[start:end]` is a part or the whole; None where there is none."""
    values = [
        value
        for quantity in quantities(text)
        if (value := _parse_value(text, quantity)) and _covers(value, quantity, start, end)
    ]
    return min(values, key=lambda value: _KINDS.index(value.type), default=None)


def signed_amount(text: str, quantity: Quantity) -> Decimal:
    """Its value in prose, where brackets around a sum are no more than brackets: "$(18)" is below zero, "($18)" not."""
    return quantity.amount if text[quantity.start] == "(" else quantity.value


def _covers(value: Value, quantity: Quantity, start: int, end: int) -> bool:
    return (value.start <= start and value.end >= end) or start <= quantity.digits[0] < end


def _borrows_unit(quantity: Quantity) -> bool:
    """Whether its unit stands elsewhere, so that alone it is no amount: the "2" of "2 to 3 percent"."""
    return quantity.part == "from" and quantity.digits == (quantity.start, quantity.end)


def _parse_value(text: str, quantity: Quantity) -> Value | None:
    """A quantity in figures as an amount of money, a share or a count; None for all other quantities."""
    start, end, scale = quantity.start, quantity.end, SCALES.get(quantity.scale, "")
    if quantity.worded or _borrows_unit(quantity):
        return None
    if text[start] == "(":
        start, end = start + 1, end - (text[end - 1] == ")")
    if quantity.kind == "money" and quantity.currency:
        of = per(text, quantity) if text.startswith(" per ", end) else ""
        unit = f"{quantity.currency}/{of}s" if of in _PER else quantity.currency
        end = text.lower().index(of, end) + len(of) if of in _PER else end
        kind = "MONEY"
    elif quantity.kind == "percent":
        kind, unit = "PERCENT", "percent"
    elif quantity.kind in ("count", "measure", "bare") and (counted := _COUNTED.match(text, end)):
        kind, unit, end = "NUMBER", counted["noun"].split()[-1], counted.end()
    else:
        return None
    about = _ABOUT.search(text, max(0, start - 20), start)
    start = about.start() if about else start
    return Value(start, end, text[start:end], kind, format_number(signed_amount(text, quantity)), unit, scale)


def find_times(text: str, yearless: bool = False) -> list[str]:
    """The explicit times that a sentence names, each once, in order; not the years of acts and plans.

    With `yearless`, also "in February" and "the third quarter", as reports on the current year have them.
    """
    times: list[str] = []
    for match in (_YEARLESS if yearless else _TIME).finditer(text):
        time = re.sub(r"^the ", "", match[0])
        if time not in times and not (
            len(time) == 4 and _IN_A_NAME.search(text[: match.start()] + "\0" + text[match.end() :])
        ):
            times.append(time)
    return times


def find_period(text: str, yearless: bool = False) -> tuple[str, int]:
    """The one time at which a sentence says that something held or happened, and its place.

    "" where it names none, several, or only a bound ("since 2011").
    """
    times = find_times(text, yearless)
    if len(times) != 1 or _BOUND.search(text[: text.index(times[0])]):
        return "", 0
    return times[0], text.index(times[0])


def is_time(text: str) -> bool:
    """Whether a text is a time and nothing else."""
    return _TIME.fullmatch(text.strip()) is not None
