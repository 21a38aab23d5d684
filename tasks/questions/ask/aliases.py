"""Other ways in which a correct system may write an answer."""

import re
from decimal import ROUND_HALF_UP, Decimal

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.extract.values import FACTORS
from rarefy.tasks.questions.ask.measures import describe_measure
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.names import ENDING
from rarefy.tasks.text.quantities import DURATIONS, quantities
from rarefy.tasks.text.states import STATES, swap_state_form

_ROW = re.compile(r"“([^”]+)”")  # of a table without tags
LEAST, MOST = Decimal("1e-9"), Decimal("1e18")  # beyond, nobody writes an amount in other words
ROUNDING = Decimal("0.005")  # a rounded form that is further off than this is another answer

_DURATION = re.compile(r"(\d+(?:\.\d+)?) ?(ms|s|h|d)")
_SYMBOL = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}
# "total beverage company" is no name: a form begins with a capital, but for "plc"
_SUFFIX = re.compile(rf"(?=[,\s]+(?:(?-i:[A-Z])|plc))(?:{ENDING.pattern}|[,\s]+Holdings\.?$)", re.IGNORECASE)


def answer_aliases(triplet: Triplet) -> tuple[str, ...]:
    """The notations of a triplet's answer besides the one in its source, shortest first."""
    forms = _number_forms(triplet) if triplet.value and re.fullmatch(r"-?\d+(?:\.\d+)?", triplet.value) else set()
    if not forms and triplet.object_type in {"ORG", "EXCHANGE"}:
        forms = company_names(triplet.answer)
    # "Florida" for "FL", but not "IN" for "Indiana", which is a word of any text
    if not forms and triplet.answer.rpartition(", ")[2] in STATES:
        forms = {swap_state_form(triplet.answer)}
    if spoken := _DURATION.fullmatch(triplet.answer):  # "10s" of a setting is said as "10 seconds"
        forms = {f"{spoken[1]} {DURATIONS[spoken[2]]}{'' if spoken[1] == '1' else 's'}"}
    forms.discard(triplet.answer)
    return tuple(sorted((a for a in forms if a), key=lambda a: (len(a), a)))


def company_names(name: str) -> set[str]:
    """A company's name with and without its legal form."""
    forms, short = {name}, name
    while (shorter := re.sub(r"\s(?:&|and)$", "", _SUFFIX.sub("", short), flags=re.I).strip(" ,")) != short and shorter:
        short = shorter  # "Tiffany" of "Tiffany & Co.", "Eli Lilly" of "Eli Lilly and Company"
        forms.add(short)
    return forms | {re.sub(r"^The ", "", n) for n in forms}


def short_name(name: str) -> str:
    """A company's name as people say it, without its legal form: "Apple", "Procter & Gamble"."""
    short = min(company_names(name), key=lambda form: (len(form), form))
    # "Southern Company": what is left is any word, and the rest was more than a legal form
    common = (
        re.fullmatch(r"[A-Z][a-z]+", short) and re.search(r"Compan(?:y|ies)$", name) and wordnet.known(short.lower())
    )
    return name if common else short


def _format_number(number: Decimal) -> str:
    text = f"{number:,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def amount_words(amount: Decimal, unit: str) -> str:
    """An amount of money as people say it: "$1.5 billion", "€2.50"; "" where its currency has no sign."""
    symbol = _SYMBOL.get(unit.partition("/")[0], "")
    for word, factor in (("billion", Decimal(10**9)), ("million", Decimal(10**6))):
        if symbol and amount >= factor:
            return f"{symbol}{_format_number(amount / factor)} {word}"
    cents = f"{amount:,.2f}" if amount % 1 else _format_number(amount)
    return f"{symbol}{cents}" if symbol else ""


_TAKEN_AWAY = re.compile(
    r"\b(?:charges|costs|expenses?|payments|paid|losses|(?:re)?purchases|impairments?|write-?(?:offs|downs)|deductions"
    r"|refunds)\b",
    re.IGNORECASE,
)
_BOTH_WAYS = re.compile(r"\b(?:gains?|income|benefits?|reversals?|net|change|proceeds)\b|\(", re.IGNORECASE)


def _is_taken_away(label: str) -> bool:
    """Whether a figure under this label is one that brackets only say is taken away: "payments", no "net gains"."""
    named = _ROW.findall(label)[:1] or [label]  # not the column, which stands behind it
    return bool(_TAKEN_AWAY.search(named[0])) and not _BOTH_WAYS.search(named[0])


def _number_forms(triplet: Triplet) -> set[str]:
    value = Decimal(triplet.value)
    amount = abs(value)
    if amount and not LEAST <= amount < MOST:
        return set()
    shown = amount / FACTORS.get(triplet.scale, Decimal(1))
    if triplet.unit in {"percent", "pure"}:
        written = re.search(r"\d*\.?\d+", triplet.answer)  # "5.0" has a digit more than its value; "1-3/4" is no digits
        # a tag has 0.122 for 12.2 %
        as_shown = written is not None and Decimal(written[0]) in (amount, amount * 100)
        digits = written[0] if written and as_shown else _format_number(amount)
        forms = {f"{digits}%", f"{digits} percent"}
    elif triplet.unit == "USD/shares":
        exact = (
            f"{shown:,.2f}" if shown == shown.quantize(Decimal("0.01")) else _format_number(shown)
        )  # 0.235 is not 0.24
        forms = {f"${exact}", exact, f"${exact} per share"}
    else:
        symbol = _SYMBOL.get(triplet.unit.partition("/")[0], "")
        tail = " shares" if triplet.unit == "shares" else ""
        forms = {f"{symbol}{_format_number(amount)}", _format_number(amount)}
        # "1.4" is what a column in billions says, and not "$1.4 billion"
        if not any(quantity.scale for quantity in quantities(triplet.answer)):
            forms.add(_format_number(shown))
        if triplet.scale:
            forms |= {
                f"{_format_number(shown)} {triplet.scale[:-1]}",
                f"{_format_number(shown)} {triplet.scale[:-1]}{tail}",
                f"{symbol}{_format_number(shown)} {triplet.scale[:-1]}{tail}",
            }
        # a cell that nothing scales may count in thousands, so nobody knows its millions
        scaled = triplet.scale or triplet.concept or not triplet.source_sentence.startswith("|")
        for word, factor in (("billion", Decimal(10**9)), ("million", Decimal(10**6))):
            if scaled and amount >= factor:
                for places in ("0.1", "0.01", "0.001"):
                    rounded = (amount / factor).quantize(Decimal(places), ROUND_HALF_UP)
                    if abs(rounded * factor - amount) < amount * ROUNDING:
                        forms.add(f"{symbol}{_format_number(rounded)} {word}{tail}")
                break
    shown_so = f"({triplet.answer.lstrip('$')})" in triplet.source_sentence.replace("$", "")
    if value > 0 and shown_so and not triplet.answer.startswith("+"):
        forms |= {f"({_format_number(shown)})", f"-{_format_number(shown)}"}  # printed as an outflow or a loss
    if value < 0:
        signed = {form for f in forms for form in (f"-{f}", f"({f})")}
        # "net loss" of (2,303), or payments of (424): who says 2,303, or 424, is right too
        forms = forms | signed if describe_measure(triplet).turned or _is_taken_away(triplet.relation) else signed
    return forms
