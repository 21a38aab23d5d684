"""Lengths of time in words ("half an hour"), and how often something is: "weekly", "twice a year", "every 30 days"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rarefy.tasks.evaluate.correct.claim_status import Outcome, is_denied, right, unclear, wrong
from rarefy.tasks.evaluate.correct.normalise import EMPTY, find_values, split_tokens, stems
from rarefy.tasks.text.quantities import ORDINALS

SECONDS = {"millisecond": "0.001", "second": "1", "minute": "60", "hour": "3600", "day": "86400", "week": "604800",
           "month": "2630016", "quarter": "7889184", "year": "31557600", "decade": "315576000",
           "century": "3155760000"}  # fmt: skip
_UNITS = "|".join(SECONDS)
_HALVES = {"minute": "30 seconds", "hour": "30 minutes", "day": "12 hours", "year": "6 months", "decade": "5 years",
           "century": "50 years"}  # fmt: skip
_HALF = re.compile(
    r"\b(?:(?:one|a)[\s-])?half(?: of)?[\s-](?:an?[\s-])?(?P<unit>minute|hour|day|year|decade|century)\b", re.I
)
_AND_A_HALF = re.compile(rf"\b(?:an?|one) (?P<unit>{_UNITS}) and a half\b", re.IGNORECASE)
_QUARTERS = re.compile(r"\b(?P<count>an?|one|three)[\s-]quarters? of an hour\b|\bquarter[\s-]hour\b", re.IGNORECASE)
_ADDS = {"hour": ("minute", 60), "year": ("month", 12), "week": ("day", 7), "day": ("hour", 24)}
_ADDED_UNITS = (("h", "hour"), ("y", "year"), ("w", "week"), ("d", "day"), ("mi", "minute"), ("mo", "month"))
_ADDED = re.compile(
    r"(?<![\w.,])(?P<many>\d{1,3})[\s-]?(?P<long>hours?|hrs?\.?|h|years?|weeks?|days?),?\s(?:and\s)?"
    r"(?P<few>\d{1,2})[\s-]?(?P<short>minutes?|mins?\.?|months?|days?|hours?)\b",
    re.IGNORECASE,
)
_ONE = re.compile(rf"(?<!twice )(?<!once )(?<!times )(?<!\d )\b(?:an?|one) (?P<unit>{_UNITS})\b", re.IGNORECASE)

_TIMES = {"once": 1, "twice": 2, "thrice": 3, "": 1}
_ADVERBS = {"hourly": "hour", "daily": "day", "nightly": "day", "weekly": "week", "monthly": "month",
            "quarterly": "quarter", "yearly": "year", "annually": "year"}  # fmt: skip
_SEVERAL = {  # adverbs of another number a year, some of which have two senses
    "fortnightly": (26,), "biweekly": (26, 104), "bimonthly": (6, 24), "biannually": (2, 0.5), "semiannually": (2,),
    "biennially": (0.5,),
}  # fmt: skip
_NTH = {"other": 2, "": 1} | {word: number for word, number in ORDINALS.items() if 2 <= number <= 12}
_ADVERB = "|".join(re.sub("^(bi|semi)", r"\1-?", word) for word in (*_ADVERBS, *_SEVERAL))
_DAYS = "|".join(f"{day}day" for day in "mon tues wednes thurs fri satur sun".split())
_OFTEN = re.compile(
    rf"(?<!\w)(?:(?:(?P<times>once|twice|thrice)|(?P<count>[\w-]+) times)\s?)?(?:(?:in|on) )?(?:"
    rf"(?P<adverb>{_ADVERB})\b"
    rf"|(?P<by>an?|per|each|every|/)\s?(?P<per>{_UNITS}|night)\b"
    rf"|(?:every|each) (?:(?P<number>\d+|[a-z]+(?:-[a-z]+)?) (?P<units>{_UNITS}|night)s\b"
    rf"|(?P<nth>{'|'.join(filter(None, _NTH))}) (?P<unit>{_UNITS}|night)\b)"
    rf"|(?P<each>(?:every|each) )?(?P<day>{_DAYS})(?P<plural>s?)\b)",
    re.IGNORECASE,
)
_BESIDE = EMPTY | frozenset(
    "they it he she we take takes place happen happens occur occurs basis same time once".split()
)
_YEAR = 31_557_600
_NEAR = 0.02  # "every 30 days" is monthly


@dataclass(frozen=True, slots=True)
class Frequency:
    """How often something is."""

    rates: tuple[float, ...]  # times a year: several where a word has several senses
    day: str  # of the week, "" where none is said


def spell_spans(text: str) -> str:
    """Return a text with lengths of time that are given in words as numbers: "half an hour" as "30 minutes"."""
    text = _ADDED.sub(_add_up, text)
    text = re.sub(r"\b(?:an? |one )?fortnight\b", "2 weeks", text, flags=re.IGNORECASE)
    text = _AND_A_HALF.sub(r"1.5 \g<unit>s", text)
    text = _HALF.sub(lambda hit: _HALVES[hit["unit"].lower()], text)
    text = _QUARTERS.sub(lambda hit: "45 minutes" if (hit["count"] or "").lower() == "three" else "15 minutes", text)
    return _ONE.sub(r"1 \g<unit>", text)


def _add_up(hit: re.Match[str]) -> str:
    """Return "105 minutes" for "1 h 45 min", "30 months" for "2 years and 6 months"."""
    long, short = (next(unit for letters, unit in _ADDED_UNITS if hit[side].lower().startswith(letters))
                   for side in ("long", "short"))  # fmt: skip
    part, times = _ADDS.get(long, ("", 0))
    return f"{int(hit['many']) * times + int(hit['few'])} {short}s" if part == short else hit[0]


def parse_frequency(text: str, beside: frozenset[str] = frozenset(), bare_day: bool = False) -> Frequency | None:
    """Return how often a text says something is; None where it says something else, or more.

    `beside`: stems of words that may stand there, too; with `bare_day`, "Monday" is every Monday.
    """
    hit = _OFTEN.search(text)
    if hit is None or ((hit["by"] or "").lower() in ("a", "an") and not hit["times"] and not hit["count"]):
        return None  # "a year" is how long
    rest = [word for word in split_tokens(f"{text[: hit.start()]} {text[hit.end() :]}") if word not in _BESIDE]
    if any(not stems(word) <= beside for word in rest):
        return None
    count = _TIMES.get((hit["times"] or "").lower(), 1) if not hit["count"] else _number(hit["count"])
    if hit["day"]:
        regular = bare_day or hit["each"] or hit["plural"]
        return Frequency((_YEAR / float(SECONDS["week"]) * count,), hit["day"].lower()) if regular else None
    if hit["adverb"] and (senses := _SEVERAL.get(hit["adverb"].lower().replace("-", ""))):
        return Frequency(tuple(sense * count for sense in senses), "") if count else None
    unit = _ADVERBS.get((hit["adverb"] or "").lower()) or (hit["per"] or hit["units"] or hit["unit"] or "").lower()
    length = _number(hit["number"]) if hit["number"] else _NTH[(hit["nth"] or "").lower()]
    if not count or not length or not unit:
        return None
    return Frequency((count * _YEAR / (length * float(SECONDS["day" if unit == "night" else unit])),), "")


def _number(text: str) -> float:
    values = find_values(text)
    return float(values[0].amount) if len(values) == 1 else 0


def period_in_days(text: str) -> str:
    """Return how long it is from one time to the next where a text says how often ("weekly": "7 days"), else ""."""
    often = parse_frequency(text)
    return f"{365.25 / often.rates[0]:.10g} days" if often and len(often.rates) == 1 and not often.day else ""


def judge_frequency(text: str, forms: Sequence[str], asked: frozenset[str]) -> Outcome:
    """Judge an answer that says how often by how often the gold answer says; `asked`: stems of the question."""
    golds = [often for form in forms if (often := parse_frequency(form))]
    values = find_values(text)
    if len(values) == 1 and values[0].unit in SECONDS and len(split_tokens(text)) == 2:
        text = f"every {values[0].amount} {values[0].unit}s"  # "60 s" for every minute
    said = parse_frequency(text, asked, bare_day=any(gold.day for gold in golds))
    if said is None:
        stated = next(
            (form for form in forms if re.search(rf"(?<!\w){re.escape(form)}(?!\w)", text, re.IGNORECASE)), ""
        )
        at = text.casefold().find(stated.casefold())
        return (
            right("contained", stated) if stated and not is_denied(text, at, at + len(stated)) else unclear("unmatched")
        )
    same = [gold for gold in golds if any(_near(*pair) for pair in _pairs(gold, said))]
    if not same:
        return wrong("other_value", text) if len(said.rates) == 1 else unclear("unit")
    if any(gold.day == said.day for gold in same):
        return right("contained", text) if len(said.rates) == 1 else unclear("unit")
    return wrong("other_day", text) if all(gold.day and said.day for gold in same) else unclear("less_exact")


def _pairs(gold: Frequency, said: Frequency) -> list[tuple[float, float]]:
    return [(mine, theirs) for mine in gold.rates for theirs in said.rates]


def _near(one: float, other: float) -> bool:
    return abs(one - other) <= _NEAR * one
