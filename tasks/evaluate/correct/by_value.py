"""Judges answers to questions for a number: the one value that is stated must be the gold value."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_DOWN, ROUND_HALF_DOWN, ROUND_HALF_UP, Decimal
from itertools import combinations, pairwise

from rarefy.data_contracts.rows import hops_of
from rarefy.tasks.evaluate.correct.by_period import SECONDS, period_in_days, spell_spans
from rarefy.tasks.evaluate.correct.by_unit import convert, unit_behind
from rarefy.tasks.evaluate.correct.by_words import is_only_figures, names_other_entity
from rarefy.tasks.evaluate.correct.claim_status import (
    DOWN,
    FORBIDS,
    UP,
    Outcome,
    asked_direction,
    cash_flow,
    is_change,
    is_compared,
    is_denied,
    is_doubted,
    is_in_brackets,
    is_of_counterpart,
    joining_word,
    negative_wording,
    right,
    sentence_bounds,
    stated_bound,
    stated_direction,
    unclear,
    wrong,
)
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.gold import ExactValue, Expectation, GoldAnswer
from rarefy.tasks.evaluate.correct.normalise import (
    EMPTY,
    SHORT,
    Value,
    find_values,
    split_tokens,
    split_words,
    stems,
)
from rarefy.tasks.text.dates import moments
from rarefy.tasks.text.quantities import AREAS, LENGTHS, MASSES, POWERS, SIZES_IN_BYTES, UNITS, VOLUMES, without_zeros
from rarefy.tasks.text.stems import stem

# Comparing one value of an answer with the gold value: kind, unit, scale, sign, rounding

_JOINS = EMPTY | frozenset("up down compared versus vs against than during while but respectively "
"per ended ending over since "
                           "due because driven including excluding total net gross approximately "
                           "year fiscal not them these those".split())  # fmt: skip
_EACH = re.compile(r"\b(?:per|each|every)\b", re.IGNORECASE)
_REACHES = re.compile(
    r"\bto\s+(?:(?:about|approximately|roughly|nearly|almost|some|an?|just)\s+)*$", re.IGNORECASE
)  # "fell 2% to 5": not -5
# Asks of money that moved, and not of a statement of cash flows
_CASH = re.compile(r"\b(?:cash(?! flow)|spen[dt]|(?:in|out)flows?|receiv\w+)\b", re.IGNORECASE)
_BRACKETS = re.compile(r"\([^()]*\)")  # "income (loss)" does not ask for a loss
_EITHER_SIGN = re.compile(  # of a line whose figures are negative in brackets alone
    r"\((?:decreases?|loss(?:es)?|declines?|used(?: in| for)?)\)"
    r"|\b(?:increases?|income|gains?)\s?/\s?(?:decreases?|loss(?:es)?)\b",
    re.IGNORECASE,
)
_CODES = re.compile(r"(?<![\w.,-])(?=[\d-]*\d{3})\d+-\d+(?:-\d+)*(?![\w.,]*\d|-)")  # "40-802", no days of a month
_OF_WORK = frozenset("working business calendar trading".split())
_PHRASE = 5  # words of a gold answer that is an amount of something
_WORKDAYS = 5  # in a week
_LEAST = 3  # digits that must be equal where no scale is stated
_NEARLY_ALL = 99  # percent: what lacks of all is compared ("99.9 %" is twice as far from it as "99.95 %")
_COARSE = Decimal("0.1")  # a correct rounding that is further off counts as another number
_ABOUT = Decimal("0.02")  # as far off may be a rounding that says so
CUT_OFF = Decimal("0.01")  # a judge is asked about a truncated number that is no further off
_SCALED = 4  # times as far off may be a rounding with decimals and a scale
_PEOPLE = frozenset(
    stem(word)
    for word in "people person persons individuals staff workers associates employees colleagues "
    "headcount fte ftes teammates".split()
)


def compare_kinds(gold: ExactValue, value: Value, about: Expectation, whole: bool) -> str:
    """Return "yes" where a value is of the gold value's kind and unit, "unit" where it may be, "no" where it is not.

    A bare number may be an amount of money; it is a percentage only where one is asked for.
    """
    if (
        value.year
        and not whole
        and not (
            gold.kind == "count" and {stem(word) for word in split_tokens(value.nouns)[:2]} & {gold.noun, *about.words}
        )
    ):
        return "no"
    if not gold.amount and not value.amount and _is_unqualified(value, about):
        return "yes"  # nothing is nothing in every unit
    if gold.kind == "count" and gold.noun == "m" and value.unit == "meter":
        return "yes"
    if value.kind == gold.kind == "measure" and (value.unit in SECONDS) != (gold.unit in SECONDS):
        return "no"
    if value.kind == gold.kind:
        if value.kind == "count":
            return _compare_counted(gold, value, about)
        return "yes" if not (gold.unit and value.unit) or gold.unit == value.unit else "unit"
    if value.kind == "count" and _is_unqualified(value, about):
        if gold.kind == "money":
            return "yes"
        if gold.kind in ("percent", "points") and value.scaled:
            return "unit"
        if gold.kind in ("percent", "points"):
            return "yes" if about.percent else "unit"
        return "unit"
    if gold.kind == "count" and gold.noun and value.kind == "money":
        return "no"
    if gold.kind == "count" and gold.open and value.kind == "money":
        return "unit" if _is_foreign(value, about) else "yes"  # a cell without its unit
    return (
        "unit"
        if value.kind in ("money", "percent", "points", "times", "measure", "count") and _is_unqualified(value, about)
        else "no"
    )


def _is_foreign(value: Value, about: Expectation) -> bool:
    """Return whether money is of another currency than those that the question names."""
    named = {unit for unit in about.units if unit.isupper()}
    return bool(value.unit and named) and value.unit not in named


def _is_unqualified(value: Value, about: Expectation) -> bool:
    """Return whether no noun but one of the question follows a number."""
    noun = next(iter(split_tokens(value.nouns)), "")
    return value.kind != "count" or not noun or noun in _JOINS or stem(noun) in about.words


def _compare_counted(gold: ExactValue, value: Value, about: Expectation) -> str:
    nouns = {stem(word) for word in split_tokens(value.nouns)}
    if nouns & about.words or (nouns & _PEOPLE and (about.words | {gold.noun}) & _PEOPLE):
        return "yes"
    if not nouns or _is_unqualified(value, about) or (gold.noun and gold.noun in nouns):
        return "yes"
    return "unit" if gold.noun or not about.many else "no"


def compare_values(gold: ExactValue, value: Value, rounding: float, gap: str, about: Expectation) -> str:
    """Return "same", "opposite", "other", or what is in doubt: "scale", "sign", "rounding".

    A correct rounding is the same number while it is off by no more than the share `rounding`; `gap` is the text before
    the value.
    """
    verdict = _compare_magnitudes(gold, value, rounding, about)
    if verdict != "same":
        return verdict
    stated = -1 if value.minus else stated_direction(gap, value.nouns)
    asked = asked_direction(about.question.text)
    wanted = -1 if -1 in gold.signs else asked
    if stated and wanted:
        return "same" if stated == wanted else "opposite"
    if gold.kind == "money" and _flows_the_other_way(gold, value, gap, about):
        return "opposite"
    return "same" if _has_same_sign(gold, value, gap, about) else "sign"


def _flows_the_other_way(gold: ExactValue, value: Value, gap: str, about: Expectation) -> bool:
    """Return whether money came in that is asked for as spent, or went out that came in."""
    question = _BRACKETS.sub("", about.question.text)
    if value.minus or value.enclosed or not _CASH.search(question):
        return False
    wanted = -1 if -1 in gold.signs else cash_flow(question)
    return cash_flow(f"{gap} {' '.join(value.nouns.split()[:2])}") * wanted < 0


def _compare_magnitudes(gold: ExactValue, value: Value, rounding: float, about: Expectation) -> str:
    ways = [value.amount]
    if not value.scaled and gold.shown and not _is_unscaled_money(value, about):
        ways.append(value.amount * gold.amount / gold.shown)
    verdicts = {compare_amounts(gold, way, value, rounding) for way in ways}
    for verdict in ("same", "rounding"):
        if verdict in verdicts:
            return verdict
    if _is_shifted(gold, value):
        if value.kind == gold.kind == "measure" and value.unit == gold.unit and not (gold.open or gold.shown):
            return "other"  # "4 mg" for 4 g
        if about.measured_in and not value.scaled:
            return "other"  # the unit leaves no scale open
        if gold.kind == "money" and value.scaled and _EACH.search(about.question.text):
            return "other"  # no price of one is in millions
        if gold.open and value.scaled and _digits(gold.amount) == _digits(value.amount):
            return "same"  # a table cell without its scale
        return "other" if value.scaled and (gold.shown is not None or not gold.open) else "scale"
    return "other"


def _is_unscaled_money(value: Value, about: Expectation) -> bool:
    """Return whether "$2" means two dollars: the question leaves no scale unsaid, and no gold form is printed so."""
    forms = (about.question.answer, *about.question.aliases)
    printed = [one for form in forms for one in find_values(form)[:1] if one.kind == "money" and not one.scaled]
    small = value.amount < 10**6 and about.scale <= 0
    said = any(one.amount == value.amount for one in printed) or (bool(printed) and value.amount >= 1000)
    return value.kind == "money" and small and not said


def compare_amounts(gold: ExactValue, amount: Decimal, value: Value, rounding: float) -> str:
    grain_of_value = value.grain * (amount / value.amount if value.amount else 1)
    if amount == gold.amount or any(amount == form and grain_of_value >= grain for form, grain in gold.shortened):
        return "same"
    if not amount or not gold.amount:
        return "other"
    factor = amount / value.amount if value.amount else Decimal(1)
    gold_grain = without_zeros(gold.amount, gold.grain) if gold.loose else gold.grain
    grain_of_value = value.loose * factor
    fine, coarse, grain = (
        (gold.amount, amount, grain_of_value) if grain_of_value > gold_grain else (amount, gold.amount, gold_grain)
    )
    if grain_of_value == gold_grain or not grain:
        return "other"
    if _are_nearly_all(gold, amount) and not value.about:
        return "other"
    off = abs(amount - gold.amount) / gold.amount
    # many programs round a half to the even digit
    halves = (ROUND_HALF_UP, ROUND_HALF_DOWN) if value.scaled and value.pointed else (ROUND_HALF_UP,)
    if coarse / grain in {(fine / grain).quantize(Decimal(1), way) for way in halves}:
        if gold_grain > grain_of_value and gold.shown is not None and not gold.loose:
            return "same"  # the gold answer is this one, rounded to the scale that was asked for
        figures = value.scaled and value.pointed and grain_of_value > gold_grain  # "$2.4B" for 2,427
        least = Decimal(str(rounding)) * (_SCALED if figures else 1)
        if value.about and gold.kind in ("money", "count") and value.scaled:
            least = max(least, _ABOUT)  # "about $48 billion" for 47,525 million
        if value.scaled and not value.about and len(_digits(amount)) == 1 < len(_digits(gold.amount)):
            least = Decimal(0)  # "$1 million" for $998,000
        return "same" if off <= least else "rounding" if off <= _COARSE or value.about else "other"
    cut = grain_of_value > gold_grain and (fine / grain).quantize(Decimal(1), ROUND_DOWN) == coarse / grain
    return "rounding" if cut and off <= CUT_OFF else "other"


def _are_nearly_all(gold: ExactValue, amount: Decimal) -> bool:
    """Return whether two shares are nearly all, so that what each lacks tells them apart."""
    return gold.kind == "percent" and all(_NEARLY_ALL <= one < 100 for one in (gold.amount, amount))


def _digits(amount: Decimal) -> tuple[int, ...]:
    return amount.normalize().as_tuple().digits


def _is_shifted(gold: ExactValue, value: Value) -> bool:
    """Return whether two values have the same digits but differ by a power of 1,000."""
    if not gold.amount or not value.amount:
        return False
    for power in (3, 6, 9, 12, -3, -6, -9, -12):
        moved = value.amount.scaleb(power)
        grain = max(value.grain.scaleb(power), gold.grain)
        digits = len(str(int(value.amount / value.grain)))
        if abs(moved - gold.amount) <= min(grain / 2, gold.amount * _FEW) and (
            digits >= _LEAST or moved == gold.amount
        ):
            return True
    return False


def _has_same_sign(gold: ExactValue, value: Value, gap: str, about: Expectation) -> bool:
    either = _EITHER_SIGN.search(gap)
    word = "" if _REACHES.search(gap) else negative_wording(_EITHER_SIGN.sub(" ", gap))
    asked = negative_wording(_BRACKETS.sub("", about.question.text))
    possible = {-1} if value.minus else {1}
    if value.enclosed:
        possible = {-1} if either or (not asked and (not gap.strip(" :") or value.start == 0)) else {1, -1}
    elif not value.minus and word == "below":
        possible = {1, -1} if asked else {-1}
    elif not value.minus and (word or asked == "below"):
        possible = {1, -1}
    return bool(possible & gold.signs)


def judge_range(
    text: str, low: GoldAnswer, high: GoldAnswer, about: Expectation, config: CorrectConfig
) -> Outcome | None:
    """Judge an answer that is two values, joined by "to", by the two ends of a range; None where it is none."""
    ends = find_values(text)
    if len(ends) != 2 or len(text.split()) > SHORT:
        return None
    if _how_joined(text, *ends) != "to" and text[ends[0].end : ends[1].start].strip() != "-":
        return None
    verdicts = [
        {compare_values(exact, end, config.rounding, "", about) for exact in gold.values}
        for gold, end in zip((low, high), ends, strict=True)
        if any(compare_kinds(exact, end, about, False) == "yes" for exact in gold.values)
    ]
    if len(verdicts) == 2 and all("same" in found for found in verdicts):
        return right("contained", text)
    turned = [one.amount for one in ends] == [e.amount for part in (high, low) for e in part.values]
    return wrong("other_value", text) if {"other"} in verdicts and not turned else None


def _convert(value: Value, gold: GoldAnswer) -> Value:
    """Return a measure in the gold answer's unit, where both measure one thing; another value as it is."""
    units = {exact.unit for exact in gold.values}
    unit = min(units)
    if value.kind == "measure" and value.unit not in units and {value.unit, *units} <= SECONDS.keys():
        factor = Decimal(SECONDS[value.unit]) / Decimal(SECONDS[unit])
        amount = value.amount * factor
        loose = _EXACT * (4 if {value.unit, unit} == {"day", "month"} else 1)  # "30 days" is a month
        near = next((e for e in gold.values if e.unit == unit and abs(amount - e.amount) <= loose * e.amount), None)
        return replace(value, unit=unit, amount=near.amount if near else amount, grain=near.grain if near else factor)
    if value.kind == "measure" and value.unit not in units and {value.unit, unit} <= SIZES_IN_BYTES.keys():
        ways = {Decimal(mine) / own for mine in SIZES_IN_BYTES[value.unit] for own in SIZES_IN_BYTES[unit]}
        may_be = any(abs(value.amount * way - e.amount) <= _EXACT * e.amount for way in ways for e in gold.values)
        alike = {
            Decimal(mine) / own for mine, own in zip(SIZES_IN_BYTES[value.unit], SIZES_IN_BYTES[unit], strict=False)
        }
        exact = next((way for way in alike for e in gold.values if value.amount * way == e.amount), None)
        if len(ways) == 1 or exact or not may_be:  # else a megabyte may be meant as a mebibyte
            way = exact or min(ways)
            return replace(value, unit=unit, amount=value.amount * way, grain=value.grain * way)
    if value.kind == "measure" and {value.unit, unit} == {"°c", "°f"}:
        near_zero = value.amount * 9 / 5 + 32 if unit == "°f" else (value.amount - 32) * 5 / 9
        return _round_off(value, unit, near_zero, gold) if near_zero >= 0 and not value.minus else value
    for factors in _SIZES:
        if value.kind == "measure" and value.unit not in units and {value.unit, unit} <= factors.keys():
            factor = Decimal(factors[value.unit]) / Decimal(factors[unit])
            if factor == Decimal(10) ** factor.adjusted():
                return replace(value, unit=unit, amount=value.amount * factor, grain=value.grain * factor)
            return _round_off(value, unit, value.amount * factor, gold)
    return value


def _round_off(value: Value, unit: str, amount: Decimal, gold: GoldAnswer) -> Value:
    """Return a value in another unit, as the gold answer where no more than rounding is between them."""
    near = next(
        (
            e
            for e in gold.values
            if e.unit == unit and abs(amount - e.amount) <= max(_EXACT * e.amount, without_zeros(e.amount, e.grain) / 2)
        ),
        None,
    )
    amount = near.amount if near else amount
    return replace(
        value, unit=unit, amount=amount, grain=near.grain if near else Decimal(1).scaleb(amount.adjusted() - 3)
    )


def _strip_unit(text: str, value: Value, about: Expectation) -> Value:
    """Return a measure in the unit that the question's label names as the number that a cell has, another as it is."""
    if value.kind != "measure" or value.unit not in about.units:
        return value
    unit = re.compile(r"[\s-]*[^\W\d_]+").match(text, value.end)
    return replace(
        value, kind="count", unit="", nouns=value.nouns.partition(" ")[2], end=unit.end() if unit else value.end
    )


def _as_asked(
    text: str, numbers: Sequence[Value], gold: GoldAnswer, about: Expectation
) -> tuple[tuple[Value, ...], list[Value]]:
    """Return the numbers of an answer in the unit that is asked for, and those whose unit measures something else."""
    kept: list[Value] = []
    others: list[Value] = []
    for one in numbers:
        if kept and one.start < kept[-1].end:
            continue  # the "second" of "60 litres per second"
        unit, end = unit_behind(text, one.end)
        if one.kind == "money" and (hit := re.search(r"pounds?$", text[one.start : one.end])):
            unit, end = hit[0], one.end
        if not unit or one.kind not in ("count", "measure", "money"):
            kept.append(one)
            continue
        amount = convert(float(one.amount), unit, about.measured_in)
        if amount is None:
            others.append(one)
            continue
        if unit.startswith("week") and any(exact.amount == _WORKDAYS * one.amount for exact in gold.values):
            kept.append(one)  # a week may be of five days
            continue
        bare = replace(one, kind="count", unit="", nouns="", end=end)
        exact = Decimal(f"{amount:.12g}")
        kept.append(bare if exact == one.amount else _round_off(bare, "", exact, gold))
    return tuple(kept), others


MAX_OTHER_VALUES = 3  # beside the right one; more are a list of numbers
_FEW = Decimal("0.02")  # share of a value: some people accept answers so close to it
_SAID_BOUNDS = {  # of an answer that repeats what the question asks for: "at least how many?", "at least three"
    "more": re.compile(
        r"\b(?:at least|minimum|(?:no|not) (?:less|fewer) than|lowest|smallest|fewest)\b", re.IGNORECASE
    ),
    "less": re.compile(
        r"\b(?:at most|maximum|(?:no|not) more than|not (?:to )?exceed(?:ing)?|up to|highest|largest)\b"
        rf"|{FORBIDS.pattern}[^.;]*\b(?:more than|exceed)",
        re.IGNORECASE,
    ),
}
_ASKED_BOUNDS = {  # and what asks for a least or a most in other words: "must", "may"
    "more": re.compile(rf"{_SAID_BOUNDS['more'].pattern}|\b(?:must|should|require[ds]?|needed)\b", re.IGNORECASE),
    "less": re.compile(rf"{_SAID_BOUNDS['less'].pattern}|\b(?:may|can|allowed|limit\w*|cap(?:ped)?)\b", re.IGNORECASE),
}
_LIMITS = {
    "more": re.compile(r"\b(?:at least|minimum|(?:no|not) (?:less|fewer) than)\b", re.IGNORECASE),
    "less": re.compile(r"\b(?:at most|maximum|(?:no|not) more than)\b", re.IGNORECASE),
}  # in so many words
_HALF = re.compile(r"\W*(?:an?|one|the)?[\s-]*half\W*", re.IGNORECASE)
_NOTHING = re.compile(r"\W*(?:none|no)\s(?!info|data|answer|mention|figure|passage|idea|one\b)", re.IGNORECASE)
_ASKED_IN = re.compile(r", in (?P<tail>[^\s,?]{1,12})\?\s*$|\((?P<label>[^\s()]{1,9}(?:\([A-Z]\))?)\)”")
_UNIT_BEHIND = re.compile(r"\s?([^\s\d.,;()]{1,12})(?=[\s.,;)]|$)")
_ONE_IN = re.compile(r"\bone in (two|three|four|five|six|seven|eight|nine|ten|[1-9]\d{0,2})\b", re.IGNORECASE)
_NOT_BUT = re.compile(r"\bnot\b[^.;]{1,30}\bbut\b", re.IGNORECASE)  # "not 3 but 2"
_HOW_MANY_TIMES = re.compile(r"\bhow many times\b", re.IGNORECASE)
_TIMES_IN_WORDS = {"once": "1", "twice": "2", "thrice": "3"}
_TIMES = re.compile(rf"\b(?:{'|'.join(_TIMES_IN_WORDS)})\b", re.IGNORECASE)
_SINGLE = re.compile(r"\b(?:a|one) single\b", re.IGNORECASE)
_NAMES_BY_NUMBER = re.compile(
    r"\b(?:which|what) (?:\w+ ){0,2}?(?:port|number|code|id|channel|extension)\b", re.IGNORECASE
)
_IS = re.compile(r"\b(?:is|are|was|were|costs?|weighs?|totals?|equals?)\s$|[\w)][:=]\s?$", re.IGNORECASE)
_OF_TIME = re.compile(r"\b(?:years?|fiscal|FY|when|dates?|dated|period|times?|centur\w+|born|founded)\b", re.IGNORECASE)
_ZERO_CELSIUS = Decimal("273.15")  # kelvins
_SIZES = (LENGTHS, MASSES, VOLUMES, AREAS, POWERS)
_EXACT = Decimal("0.005")  # of the length of a year, which varies
_CHANGE = re.compile(
    rf"\b(?:{UP}|{DOWN}|chang\w*|rais\w*|by (?:how much|what)|improv\w*|difference|"
    r"how (?:much|many)(?: percentage points)? (?:more|less|larger|smaller|greater|fewer))\b",
    re.IGNORECASE,
)
_DIFFERENCE = re.compile(r"\s(?:\w+\s)?(?:more|less|fewer|\w+er) than\b", re.IGNORECASE)  # "16 kg more than"
_NEAR = r"(?:(?:about|approximately|roughly|nearly|almost|some|just|only)\s+)*"
_ASKS_HOW_MUCH = re.compile(  # and not from or to what
    r"\bby (?:how much|what|which)\b"
    r"|\b(?:increase|rise|growth|decrease|decline|drop|fall|reduction|change|difference) in\b",
    re.IGNORECASE,
)
_MOVED_TO = re.compile(rf"\b(?:{UP}|{DOWN}|changed)\s+to\s+{_NEAR}$", re.IGNORECASE)
_STARTS_AT = re.compile(rf"\bfrom\s+{_NEAR}$", re.IGNORECASE)
_ENDS_AT = re.compile(  # behind a change, or what it started at and its year
    rf"[\s,(]*(?:(?:in|for|during|of)\s+)?(?:(?:the\s+)?(?:fiscal(?:\s+year)?|year|FY)\s*)?(?:(?:19|20)\d\d)?[\s,)]*\bto\s+{_NEAR}",
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    r"\b(?:excluding|except(?: for)?|other than|apart from|"
    r"without)\s(?P<what>[^,.;]{1,60})",
    re.IGNORECASE,
)
_FURTHER = re.compile(r"\b(?:further|additional|another|extra)\s$", re.IGNORECASE)
_SUMS_UP = re.compile(
    r"\b(?:so|thus|hence|therefore|that is|i\.e\.|which is|in all|in total|altogether)\b[^.;]{0,30}$", re.IGNORECASE
)
_WORKED_OUT = re.compile(r"[=≈]|\b(?:therefore|thus|hence|so|calculat\w+|comput\w+)\b", re.IGNORECASE)
_CUT = re.compile(r"[,;.()\n|]|\b(?:and|while|versus|vs|compared|from|up|down|but|than|or)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Occurrence:
    """A value in the answer that is of the gold answer's kind."""

    value: Value
    gap: str  # text before it, since the previous value or the beginning of its sentence
    verdict: str  # same | other | scale | sign | rounding
    how: str  # stated | denied | doubted | compared | other_period | named_period | operand


def judge_value(
    text: str, gold: GoldAnswer, about: Expectation, config: CorrectConfig, beside: Sequence[ExactValue] = ()
) -> Outcome:
    """Judge the numbers of an answer; `beside` are other parts of the gold answer, which may stand there too."""
    if _HALF.fullmatch(text) and all(exact.kind == "percent" for exact in gold.values):
        text = "50%"
    if all(exact.kind == "percent" for exact in gold.values):
        text = _ONE_IN.sub(lambda hit: f"{100 / (UNITS.get(hit[1].lower()) or int(hit[1])):.4g}%", text)
    text = _SINGLE.sub("one", text)
    if _HOW_MANY_TIMES.search(about.question.text):
        text = _TIMES.sub(lambda hit: _TIMES_IN_WORDS[hit[0].casefold()], text)
    if all(not exact.amount for exact in gold.values) and _NOTHING.match(text) and not find_values(text):
        return right("contained", text)
    if all(exact.unit in SECONDS for exact in gold.values):
        text = period_in_days(text) or text
    text = spell_spans(text) if about.measured_in else text
    codes = _find_codes(text, gold, about)
    numbers = tuple(one for one in find_values(text) if not any(a <= one.start and one.end <= b for a, b in codes))
    if all(exact.kind == "count" and (about.measured_in or not exact.noun) for exact in gold.values):
        if about.measured_in:
            numbers, strange = _as_asked(text, numbers, gold, about)
            if strange and not numbers and len(text.split()) <= SHORT:
                return wrong("other_unit", _quote(text, strange[0]))
        numbers = tuple(_strip_unit(text, one, about) for one in numbers)
    numbers = tuple(
        one for one, before in zip(numbers, (None, *numbers), strict=False) if not _is_whole_of(text, before, one)
    )
    numbers = tuple(_convert(one, gold) for one in numbers)
    if len(numbers) == 1 and _is_stated_figure(text, numbers[0]):
        numbers = (replace(numbers[0], year=False),)
    whole = _is_bare_number(text, numbers)
    kinds = {
        id(one): max(
            (compare_kinds(exact, one, about, whole) for exact in gold.values), key=("no", "unit", "yes").index
        )
        for one in numbers
    }
    relevant = [one for one in numbers if kinds[id(one)] == "yes"]
    if any(one.strong for one in relevant) and all(exact.kind == "money" for exact in gold.values):
        relevant = [one for one in relevant if one.strong]  # "on page 38" counts nothing beside "$47,525"
    occurrences = _find_occurrences(text, relevant, gold, about, config)
    if beside:
        occurrences = [
            one for one in occurrences if one.verdict == "same" or not _matches_any(one, beside, about, config)
        ]
    matching = [one for one in occurrences if one.verdict == "same"]
    stated = [one for one in matching if one.how == "stated"]
    others = _distinct_amounts([one for one in occurrences if one.verdict != "same" and one.how == "stated"])
    if stated:
        return _judge_stated(text, stated, others, gold, about, config, whole)
    if matching and others and all(one.how == "denied" for one in matching) and _NOT_BUT.search(text):
        return wrong("other_value", _quote(text, others[0].value))
    if matching:
        return unclear(matching[0].how, _quote(text, matching[0].value))
    if len(occurrences) == 1 and occurrences[0].verdict == "opposite":
        return wrong("opposite", _quote(text, occurrences[0].value))
    if (
        len(occurrences) == 1
        and occurrences[0].how == "stated"
        and _is_not_as_printed(text, occurrences[0], gold, about)
    ):
        return wrong("other_value", _quote(text, occurrences[0].value))
    if near := next((one for one in occurrences if one.verdict != "other"), None):
        return unclear(near.verdict, _quote(text, near.value))
    shares = ((one, _convert_share(one, gold)) for one in numbers)
    if found := next((one for one, as_gold in shares if as_gold and _matches(gold, as_gold, config, about)), None):
        sure = whole or found.kind == "percent" or found.worded
        return right("contained", _quote(text, found), "percent") if sure else unclear("scale")
    alike = (one for one in numbers if (whole or not one.worded or one.kind == "measure") and kinds[id(one)] == "unit")
    if same := next((one for one in alike if _matches(gold, one, config, about)), None):
        if _has_another_unit(text, same, about):
            return unclear("unit")
        # "5.0" for "5.0 percent": what else may be meant
        limit = stated_bound(text[: same.start])
        whole = whole or (
            _is_bare_number(text[same.start :], (replace(same, start=0, end=same.end - same.start),))
            and _asks_bound(limit, text, about)
        )
        sign = -1 if same.minus else 1
        bare = whole and same.kind == "count" and any(same.amount == e.amount and sign in e.signs for e in gold.values)
        if bare or (
            not about.many
            and (about.percent or same.kind not in ("percent", "points"))
            and not _is_foreign(same, about)
            and all(exact.kind == "count" and not exact.noun for exact in gold.values)
        ):  # "1577"
            return right("contained", _quote(text, same), "unit")  # people labelled 105 of 108 such answers right
        return unclear("unit")
    if gold.unread:
        return unclear("unmatched")
    short = _is_short(text, about)
    alone = len(numbers) == 1 and short and _counts_something(text, numbers[0], gold, about)
    if (whole or alone) and _is_another_figure(numbers[0], gold, about):
        return wrong("other_value", text.strip())
    if not occurrences:
        return unclear("unmatched")
    if any(one.how in ("denied", "doubted") for one in occurrences):
        return unclear("unmatched")
    if not whole and any(exact.open for exact in gold.values) and not (short and _is_plain_count(text, numbers, gold)):
        return unclear("unmatched")
    if any(_is_within_bound(exact, one) for exact in gold.values for one in occurrences):
        return unclear("bound")
    if any(_is_close(exact, one.value, about, bool(beside)) for exact in gold.values for one in occurrences):
        return unclear("close")
    if any(_is_within_range(text, one, other, gold) for one, other in pairwise(occurrences)):
        return unclear("range")
    amounts = [one.value.amount for one in occurrences]
    counted = [one.amount for one in numbers if kinds[id(one)] == "unit" and one.kind == "count" and not one.year]
    if _is_sum_or_difference([*amounts, *counted], gold):
        return unclear("composed")
    asserted = [
        one.value
        for one in occurrences
        if one.how in ("stated", "named_period") or (short and one.how in ("change", "counterpart", "other_period"))
    ]
    ones = all(one.value.worded and one.value.amount == 1 for one in occurrences)
    if not asserted or (ones and not is_only_figures(text)):  # "one molecule gives six"
        return unclear("unmatched")
    several = len({value.amount for value in asserted}) > 1
    return wrong("other_values" if several else "other_value", _quote(text, asserted[0]))


def _is_whole_of(text: str, part: Value | None, one: Value) -> bool:
    """Return whether a number says of how many another one is: the "five" of "three of five"."""
    return (
        part is not None and part.kind == one.kind == "count" and text[part.end : one.start].strip() in ("of", "out of")
    )


def _find_codes(text: str, gold: GoldAnswer, about: Expectation) -> list[tuple[int, int]]:
    """Return where an answer repeats codes of the question ("40-802"), whose numbers are no values."""
    codes = [code for code in _CODES.findall(about.question.text) if not any(code in form for form in gold.forms)]
    return [hit.span() for code in codes for hit in re.finditer(rf"(?<![\w-]){re.escape(code)}(?![\w-])", text)]


def _has_another_unit(text: str, value: Value, about: Expectation) -> bool:
    """Return whether a unit stands behind a value that is not the one in which the question asks: "31.5 g" in kg."""
    asked, said = _ASKED_IN.search(about.question.text), _UNIT_BEHIND.match(text, value.end)
    if asked is None or (said is None and value.kind != "measure"):
        return False
    wanted = (asked["tail"] or asked["label"]).casefold()
    return value.unit not in about.units and (said is None or said[1].casefold() != wanted)


def _is_not_as_printed(text: str, one: _Occurrence, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether a value differs from one that is not rounded: a number that names, or one as its evidence has it.

    A number names something where it has four digits or more without separators, and no unit, and is asked for by
    "which" or "what" ("port 7420").
    """
    form, asked = gold.forms[0], about.question.text
    if gold.unread or one.value.about or one.value.scaled or len(text.split()) > SHORT:
        return False
    if one.verdict == "rounding":
        printed = any(form in line and _quote(text, one.value) not in line for line in about.question.evidence)
        return (
            printed
            and hops_of(about.question.pattern) != "computed"
            and one.value.grain < min(e.grain for e in gold.values)
        )
    names = re.fullmatch(r"\d{4,}", form) and _NAMES_BY_NUMBER.search(asked) and about.scale < 0 and not about.many
    plain = not (one.value.grouped or one.value.pointed or one.value.kind != "count" or _may_be_year(text, one.value))
    return bool(names) and plain and one.verdict == "other"


def _is_plain_count(text: str, numbers: Sequence[Value], gold: GoldAnswer) -> bool:
    """Return whether an answer and the gold one are whole numbers that no scale and no date makes the same."""
    return (
        not any(_may_be_year(text, one) or one.kind == "place" for one in numbers)
        and all(
            exact.grain >= 1 and not (exact.kind == "count" and 1000 <= exact.amount <= 2100) for exact in gold.values
        )
        and not any(_may_be_rescaled(exact, one) for exact in gold.values for one in numbers)
    )


def _may_be_year(text: str, value: Value) -> bool:
    plain = not (value.grouped or value.scaled or value.pointed)
    return plain and 1000 <= value.amount <= 2100 and not _is_stated_figure(text, value)


def _is_stated_figure(text: str, value: Value) -> bool:
    """Return whether a number is said to be the answer, with no word of time in the answer ("The price is 1999.")."""
    said = _IS.search(text[: value.start]) and not re.match(r"\s?[-–—/]\s?\d", text[value.end :])
    return bool(said) and not (_OF_TIME.search(text) or any(way[1] for one in moments(text) for way in one.ways))


def _counts_something(text: str, value: Value, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether a number has a unit that the gold one lacks ("1048576 bytes" for 1024), or lacks a time's."""
    bare = all(exact.kind == "count" and not exact.noun for exact in gold.values) and not about.many
    timed = all(exact.unit in SECONDS for exact in gold.values) and not value.nouns  # "from the age of 15"
    return (bare or timed) and value.kind == "count" and not value.worded and not _may_be_year(text, value)


def _is_another_figure(value: Value, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether a bare number is none of the gold values, whatever its unit and scale.

    A number without a unit is meant in the question's, so that its figures decide. A time may be in any unit. Not said
    of other measures whose unit the question does not name, of a number that is open in the gold answer, and of one
    near the gold one in some scale.
    """
    return all(
        (exact.kind != "measure" or stem(exact.unit) in about.words or _fits_no_unit(exact, value))
        and not exact.bound
        and not _may_be_rescaled(exact, value)
        and not _is_close_in_any_scale(exact, value)
        for exact in gold.values
    )


def _fits_no_unit(exact: ExactValue, value: Value) -> bool:
    """Return whether a bare number is not the gold measure, whichever unit of time, length or the like it is in."""
    if exact.unit in ("°c", "°f"):
        own, said = (
            -one.amount if sign < 0 else one.amount for one, sign in ((exact, min(exact.signs)), (value, -value.minus))
        )
        ways = (said, said * 9 / 5 + 32, (said - 32) * 5 / 9, said - _ZERO_CELSIUS)
        return not any(abs(way - own) <= 1 for way in ways)
    units = next((table for table in (SECONDS, *_SIZES) if exact.unit in table), None)
    if units is None:
        return False
    size = exact.amount * Decimal(units[exact.unit])
    return not any(abs(value.amount * Decimal(unit) - size) <= _FEW * size for unit in units.values())


def _is_short(text: str, about: Expectation) -> bool:
    """Return whether an answer is short but for words of the question, which it may repeat."""
    words = text.split()
    return len(words) <= SHORT or (
        len(words) <= 2 * SHORT and sum(stem(word.text) not in about.words for word in split_words(text)) <= SHORT
    )


def _is_close_in_any_scale(exact: ExactValue, value: Value) -> bool:
    """Return whether two values are close whatever scale is meant; counts are scaled by thousands alone."""
    return _is_close_at(exact, value, range(-12, 15, 3 if exact.kind == "count" else 1))


def _is_close_at(exact: ExactValue, value: Value, powers: range) -> bool:
    if not exact.amount or not value.amount:
        return exact.amount == value.amount
    ratio = abs(value.amount / exact.amount)
    return any(abs(ratio.scaleb(power) - 1) <= _FEW for power in powers)


def _may_be_rescaled(exact: ExactValue, value: Value) -> bool:
    """Return whether a gold value without a stated scale is this value in thousands, millions or the like."""
    return exact.open and _is_close_at(exact, value, range(-12, 15, 3))


def _find_occurrences(
    text: str, relevant: list[Value], gold: GoldAnswer, about: Expectation, config: CorrectConfig
) -> list[_Occurrence]:
    occurrences: list[_Occurrence] = []
    labels = _year_labels(text, relevant)
    for at, number in enumerate(relevant):
        begin = relevant[at - 1].end if at else 0
        begin = max(begin, sentence_bounds(text, number.start)[0])
        gap = text[begin : number.start]
        if at and number.enclosed and not gap.strip() and _restates(number, relevant[at - 1]):
            number = replace(number, enclosed=False, minus=relevant[at - 1].minus)
        alike = [e for e in gold.values if {e.kind, number.kind} != {"measure"} or e.unit == number.unit]
        verdicts = {compare_values(exact, number, config.rounding, gap, about) for exact in alike or gold.values}
        verdict = next(name for name in ("same", "rounding", "sign", "opposite", "scale", "other") if name in verdicts)
        if is_denied(text, number.start, number.end):
            how = "denied"
        elif is_doubted(text, number.start):
            how = "doubted"
        elif _is_operand(text, number, relevant[at + 1 : at + 30]):
            how = "operand | change"
        elif is_compared(gap, about.question.text) and not (
            (limit := stated_bound(gap)) and any(limit == exact.bound for exact in gold.values)
        ):
            how = "compared"
        elif at and (more := _FURTHER.search(gap)) and not stems(more[0]) & about.words:
            how = "further"
        elif is_of_counterpart(gap, about.question.text):
            how = "counterpart"
        else:
            moved = is_change(gap) or _DIFFERENCE.match(text, number.end)
            how = "change" if moved and not _CHANGE.search(about.question.text) else "stated"
        if about.years and labels[at] and not labels[at] & about.years and how not in ("denied", "doubted"):
            how = "named_period" if how == "stated" and labels[at] & about.named_years else "other_period"
        occurrences.append(_Occurrence(number, gap, verdict, how))
    return _set_operands_aside(text, occurrences, about) if _CHANGE.search(about.question.text) else occurrences


def _set_operands_aside(text: str, occurrences: list[_Occurrence], about: Expectation) -> list[_Occurrence]:
    """Return the values, as operands those between which a change went ("fell by $3 million, from $4 million to $1").

    Not where they contradict the change, in its direction or by their difference.
    """
    for change in occurrences:
        bounds = sentence_bounds(text, change.value.start)
        others = [one for one in occurrences if one is not change and bounds[0] <= one.value.start < bounds[1]]
        first = [one for one in others if _STARTS_AT.search(one.gap)]
        last = [one for one in others if _ENDS_AT.fullmatch(one.gap)]
        if len(last) != 1 or len(first) > 1 or len(others) > len(first) + 1:
            continue
        direction = stated_direction(change.gap, change.value.nouns)
        moved = is_change(change.gap) or direction
        fits = _is_difference(first[0].value, last[0].value, change.value, direction) if first else moved
        if fits and (moved or first):
            aside = {id(one) for one in (*first, *last)}
            return [replace(one, how="operand") if id(one) in aside else one for one in occurrences]
    return [replace(one, how="operand") if _is_reached(one, occurrences, about) else one for one in occurrences]


def _is_reached(one: _Occurrence, occurrences: list[_Occurrence], about: Expectation) -> bool:
    """Return whether a value is what something changed to, from another, where by how much it did is asked."""
    if one.how != "stated" or one.verdict != "same" or not _ASKS_HOW_MUCH.search(about.question.text):
        return False
    before, after = (
        any(_STARTS_AT.search(other.gap) for other in occurrences if (other.value.start < one.value.start) == earlier)
        for earlier in (True, False)
    )
    return (before and _ENDS_AT.fullmatch(one.gap) is not None) or (after and _MOVED_TO.search(one.gap) is not None)


def _is_difference(first: Value, last: Value, change: Value, direction: int) -> bool:
    """Return whether a change, in percent perhaps, is that from one value to another in this direction (0: either)."""
    before, after = (-one.amount if one.minus else one.amount for one in (first, last))
    moved = after - before
    if direction * moved < 0:
        return False
    ways = [(abs(moved), first.grain + last.grain + change.grain)]
    if change.kind == "percent" and before:
        ways.append((abs(100 * moved / before), change.grain))
    return any(abs(way - change.amount) <= loose / 2 for way, loose in ways)


def _restates(value: Value, other: Value) -> bool:
    """Return whether two values are one, in another scale or precision: "$4.8 billion ($4,837 million)"."""
    return abs(value.amount - other.amount) <= max(value.loose, other.loose)


def _year_labels(text: str, relevant: list[Value]) -> list[frozenset[int]]:
    """Return the years that the text assigns to each value."""
    named = [number for number in moments(text) if number.years]
    labels: list[frozenset[int]] = []
    taken = -1
    for at, number in enumerate(relevant):
        following = text[number.end : relevant[at + 1].start if at + 1 < len(relevant) else len(text)]
        bracket = re.match(r"\s*\(", following)
        cut = _CUT.search(following, bracket.end() if bracket else 0)
        end = number.end + (cut.start() if cut else len(following))
        after = [
            m for m in named if number.end <= m.start and m.end <= end and not text[m.end :].lstrip().startswith(":")
        ]
        if after:
            labels.append(frozenset(year for m in after for year in m.years))
            taken = max(m.end for m in after)
            continue
        begin = max(relevant[at - 1].end if at else 0, taken, sentence_bounds(text, number.start)[0])
        before = [m for m in named if begin <= m.start and m.end <= number.start]
        labels.append(before[-1].years if before else frozenset())
    if "respectively" in text:
        _assign_respectively(text, relevant, labels)
    return labels


def _assign_respectively(text: str, relevant: list[Value], labels: list[frozenset[int]]) -> None:
    """Assign years in order where the text says so: "$5 and $6 in 2024 and 2023, respectively"."""
    for hit in re.finditer("respectively", text):
        begin, end = sentence_bounds(text, hit.start())
        inside = [at for at, one in enumerate(relevant) if begin <= one.start < end]
        named = [one.years for one in moments(text) if begin <= one.start < end and one.years]
        if len(named) == len(inside):
            for at, years in zip(inside, named, strict=True):
                labels[at] = years


def _is_operand(text: str, value: Value, later: list[Value]) -> bool:
    """Return whether a value is an operand of a calculation ("60.9 - 13.4 = 47.5", "319 / 1,075 ≈ 29.7%")."""
    return any({"=", "≈"} & {*text[value.end : other.start]} for other in later if other.start - value.end < 60)


def _judge_stated(
    text: str,
    stated: list[_Occurrence],
    others: list[_Occurrence],
    gold: GoldAnswer,
    about: Expectation,
    config: CorrectConfig,
    whole: bool,
) -> Outcome:
    """Judge an answer that states the right value, by what else it says."""
    right_one = stated[0]
    words = _quote(text, right_one.value)
    if names_other_entity(text, right_one.value.start, about):
        return unclear("other_entity", words)
    if _excludes_subject(text, right_one.value.start, about):
        return unclear("left_out", words)
    before = text[max(right_one.value.start - 120, 0) : right_one.value.start]
    limit = stated_bound(before)
    exact = next(
        e for e in gold.values if compare_values(e, right_one.value, config.rounding, right_one.gap, about) == "same"
    )
    asked = _asks_bound(limit, before, about)
    if {limit, exact.bound} == {"more", "less"} or _is_other_limit(limit, before, about):
        return wrong("other_value", words)
    inclusive = not limit and exact.bound and any(_SAID_BOUNDS[exact.bound].search(form) for form in gold.forms)
    if limit not in exact.bounds and not asked and not inclusive and not _is_loose_bound(limit, exact, right_one.value):
        return unclear("bound", words)
    if exact.kind in ("count", "measure") and _has_other_modifier(right_one.value, gold):
        return unclear("other_kind", words)
    asked_of = {one.amount for one in find_values(about.question.text)}
    if right_one.value.amount not in asked_of:
        others = [one for one in others if one.value.amount not in asked_of]  # "For ID 5 it is 115200."
    if not is_in_brackets(text, right_one.value.start) and all(is_in_brackets(text, o.value.start) for o in others):
        others = []  # "$5.50 (children pay $2.75)"
    if "|" in text:
        others = [one for one in others if one.value.kind == right_one.value.kind]  # "30 | $53,970": how many
    if not others:
        return right("exact" if whole else "contained", words)
    if config.extra == "judge" and _is_one_of_row(text, right_one.value, [other.value for other in others]):
        return unclear("several_values", words)
    joined = {_how_joined(text, right_one.value, other.value) for right_one in stated[:10] for other in others}
    if joined & {"or", "to"}:
        return unclear("choice", words)
    amounts = [other.value.amount for other in others]
    if len(others) > 1 and sum(amounts) == right_one.value.amount:
        return right("contained", words, "with its parts")
    if (
        len(others) == 2
        and abs(amounts[0] - amounts[1]) == right_one.value.amount
        and _concludes(text, right_one.value, others)
    ):
        return right("contained", words, "with its parts")
    last = others[-1]
    if last.value.start > stated[-1].value.start and _SUMS_UP.search(last.gap) and last.value.unit == exact.unit:
        return unclear("other_conclusion", words)
    if config.extra == "wrong":
        return wrong("several_values", words)
    if len(others) > MAX_OTHER_VALUES and not _concludes(text, stated[-1].value, others):
        return unclear("list_of_values", words)
    if len(text.split()) <= SHORT and config.extra == "judge":
        return unclear("several_values", words)
    return right("contained", words, "several_values")


def _has_other_modifier(value: Value, gold: GoldAnswer) -> bool:
    """Return whether an answer counts another kind of the gold answer's thing ("2 short beeps" for "2 long beeps").

    Days of work are no days of the calendar, also where one side does not say which.
    """
    mine = split_tokens(value.nouns)
    for form in gold.forms:
        theirs = next((split_tokens(one.nouns) for one in find_values(form) if len(form.split()) <= _PHRASE), ())
        head = next((word for word in theirs[1:] if word in mine), "")
        if not head:
            continue
        told, wanted = (
            {"working" if word == "business" else word for word in words[: words.index(head)]} - EMPTY
            for words in (mine, theirs)
        )
        if told and wanted and not {*map(stem, told)} & {*map(stem, wanted)}:
            return True
        if (wanted & _OF_WORK) and not told and head.startswith("day"):
            return True
    return False


def _concludes(text: str, value: Value, others: Sequence[_Occurrence]) -> bool:
    """Return whether a value is the result of a calculation in words or signs, behind all of its operands."""
    return (
        value.start > max(other.value.start for other in others)
        and _WORKED_OUT.search(text, 0, value.start) is not None
    )


def _asks_bound(limit: str, before: str, about: Expectation) -> bool:
    """Return whether a bound that stands before a number is what the question asks for."""
    return bool(limit and _SAID_BOUNDS[limit].search(before) and _ASKED_BOUNDS[limit].search(about.question.text))


def _is_other_limit(limit: str, before: str, about: Expectation) -> bool:
    """Return whether an answer states the least where the question asks for the most, or the other way round."""
    asked = [way for way, words in _LIMITS.items() if words.search(about.question.text)]
    return (
        limit != "" and asked == [way for way in _LIMITS if way != limit] and _LIMITS[limit].search(before) is not None
    )


def _excludes_subject(text: str, at: int, about: Expectation) -> bool:
    """Return whether an amount excludes what is asked about ("excluding Data Center, revenue was $5")."""
    begin, end = sentence_bounds(text, at)
    hit = _WITHOUT.search(text, begin, end)
    return hit is not None and bool(stems(hit["what"]) & about.words) and not _WITHOUT.search(about.question.text)


def _is_within_range(text: str, low: _Occurrence, high: _Occurrence, gold: GoldAnswer) -> bool:
    """Return whether the gold value lies between two that are the ends of a range, and not of a change."""
    return (
        _how_joined(text, low.value, high.value) == "to"
        and not _STARTS_AT.search(low.gap)
        and not is_change(low.gap)
        and any(low.value.amount <= exact.amount <= high.value.amount for exact in gold.values)
    )


def _is_within_bound(exact: ExactValue, one: _Occurrence) -> bool:
    """Return whether a number is within the bound that the gold answer states ("more than 100": 120).

    Less than half of what is the most is another number, and so is one with that bound of its own ("up to 8 weeks").
    """
    return ("more" in exact.bounds and one.value.amount > exact.amount) or (
        "less" in exact.bounds
        and exact.amount / 2 <= one.value.amount < exact.amount
        and stated_bound(one.gap) != "less"
    )


def _is_loose_bound(limit: str, exact: ExactValue, value: Value) -> bool:
    """Return whether a bound in the answer holds of the gold value ("over 47" of 47.5, "nearly 48")."""
    if exact.bound:
        return False
    return (limit == "more" and value.amount < exact.amount) or (limit == "less" and value.amount > exact.amount)


def _how_joined(text: str, one: Value, other: Value) -> str:
    """Return how two values are joined: or | to | and | beside, "" where other text is between."""
    first, last = sorted((one, other), key=lambda value: value.start)
    gap = text[first.end : last.start]
    noun = next((noun for noun in first.nouns.split() if last.nouns.startswith(noun)), "or")  # "ten days or 30 days"
    by = joining_word(re.sub(rf"^\W*{re.escape(noun)}\b", "", gap, flags=re.IGNORECASE) if noun not in _JOINS else gap)
    return "to" if by == "and" and re.search(r"\bbetween\W+$", text[: first.start], re.IGNORECASE) else by


def _is_one_of_row(text: str, one: Value, others: Sequence[Value]) -> bool:
    """Return whether a value is a cell of a table's row that has others, where nothing says which is meant."""
    gaps = (text[min(one.end, other.end) : max(one.start, other.start)] for other in others if other is not one)
    return any("|" in gap and "\n" not in gap for gap in gaps)


def _matches_any(one: _Occurrence, beside: Sequence[ExactValue], about: Expectation, config: CorrectConfig) -> bool:
    return any(compare_values(exact, one.value, config.rounding, one.gap, about) == "same" for exact in beside)


def _matches(gold: GoldAnswer, value: Value, config: CorrectConfig, about: Expectation) -> bool:
    return any(
        compare_values(exact, value, config.rounding, "", about) in ("same", "rounding") for exact in gold.values
    )


def _convert_share(value: Value, gold: GoldAnswer) -> Value | None:
    """Return 0.214 as 21.4 % where the gold answer is a percentage, the other way where it is a fraction, else None."""
    same = any(exact.amount == 100 * value.amount for exact in gold.values)  # "1.93" for 193 %
    part = (value.pointed or value.worded) and (value.amount < 1 or same)  # "a quarter of"
    if value.kind == "count" and part and any(e.kind == "percent" for e in gold.values):
        kind, factor = "percent", Decimal(100)
    elif value.kind == "percent" and any(e.kind == "count" and e.amount < 1 and e.grain < 1 for e in gold.values):
        kind, factor = "count", Decimal("0.01")
    else:
        return None
    return replace(value, kind=kind, amount=value.amount * factor, grain=value.grain * factor)


def _is_close(exact: ExactValue, value: Value, about: Expectation, in_parts: bool) -> bool:
    """Return whether a value is within 2 % of the gold value, as after rounding in between."""
    if not in_parts and (_is_no_rounding(exact, value, about) or _are_nearly_all(exact, value.amount)):
        return False
    amounts = [amount for amount in (exact.amount, exact.shown) if amount]
    return any(abs(abs(value.amount) - abs(amount)) <= _FEW * abs(amount) for amount in amounts)


def _is_no_rounding(exact: ExactValue, value: Value, about: Expectation) -> bool:
    """Return whether a value is another one than the gold value, and no rounding of either explains that.

    Zeros at the end may stand for rounded digits. Not said of what is computed, from figures that may be rounded.
    """
    computed = hops_of(about.question.pattern) == "computed" or _CHANGE.search(about.question.text)
    if exact.loose or exact.kind in ("percent", "points", "times") or computed:
        return False
    factor = exact.amount / exact.shown if exact.shown and not value.scaled else Decimal(1)
    off = abs(abs(value.amount * factor) - abs(exact.amount))
    whole = exact.grain < 1  # "$4.00" is no round number
    loose = max(
        without_zeros(value.amount, value.grain) * factor,
        exact.grain if whole else without_zeros(exact.amount, exact.grain),
    )
    if off <= (loose / 2 if value.loose == value.grain and value.grain * factor == exact.grain else loose):
        return False
    return off < 10 * exact.grain or not _is_slip(abs(value.amount * factor), abs(exact.amount))


def _is_slip(one: Decimal, other: Decimal) -> bool:
    """Return whether two amounts differ in one digit or in two neighbours that changed places, as when mistyped."""
    ours, theirs = (f"{amount.normalize():f}" for amount in (one, other))
    places = [at for at, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]]
    if len(ours) != len(theirs):
        return False
    return len(places) == 1 or (
        len(places) == 2
        and places[1] - places[0] == 1
        and ours[places[0] : places[1] + 1] == theirs[places[0] : places[1] + 1][::-1]
    )


def _is_sum_or_difference(amounts: list[Decimal], gold: GoldAnswer) -> bool:
    """Return whether the gold value is a sum of some of the amounts, or the difference of two."""
    wanted = {amount for exact in gold.values for amount in (exact.amount, exact.shown) if amount is not None}
    made = {abs(a - b) for a, b in combinations(amounts[:12], 2)}
    for count in range(2, min(len(amounts), 6) + 1):
        made |= {sum(chosen, Decimal(0)) for chosen in combinations(amounts[:8], count)}
    return not wanted.isdisjoint(made)


def _distinct_amounts(occurrences: list[_Occurrence]) -> list[_Occurrence]:
    kept: dict[Decimal, _Occurrence] = {}
    for occurrence in occurrences:
        if not (occurrence.value.worded and occurrence.value.amount <= 10):
            kept.setdefault(occurrence.value.amount, occurrence)
    return list(kept.values())


def _is_bare_number(text: str, everything: Sequence[Value]) -> bool:
    """Return whether an answer is one number and nothing else."""
    if len(everything) != 1:
        return False
    rest = text[: everything[0].start] + text[everything[0].end :]
    return not re.search(
        r"\w",
        re.sub(
            r"\b(?:approximately|about|roughly|around|shares?|per|us|usd|dollars?|people|employees|in|the)\b",
            "",
            rest,
            flags=re.IGNORECASE,
        ),
    )


def _quote(text: str, value: Value) -> str:
    return text[value.start : value.end].strip()
