"""Judges answers to questions for a time of day: "6 pm UTC" for 18:00 UTC, "09:30 to 17:30" for 9.30am-5.30pm."""

import re
from dataclasses import dataclass, replace
from itertools import pairwise

from rarefy.tasks.evaluate.correct.claim_status import (
    Outcome,
    is_denied,
    is_doubted,
    joining_word,
    right,
    unclear,
    wrong,
)
from rarefy.tasks.evaluate.correct.normalise import (
    EMPTY,
    STATEMENT,
    split_tokens,
)
from rarefy.tasks.text.quantities import TENS, UNITS

_ZONES = (
    r"UTC|GMT|BST|Z|[ECMP][SD]?T|CES?T|EES?T|WES?T|IST|JST|AE[SD]?T|(?:Eastern|Central|Mountain|Pacific)(?=\s+time\b)"
)
_HOURS = {word: at for word, at in UNITS.items() if 1 <= at <= 12}
_HOUR = rf"\d{{1,2}}|{'|'.join(_HOURS)}"
_MINUTES = {word: at for word, at in UNITS.items() if at} | {
    f"{ten}{unit}": tens + ones
    for ten, tens in TENS.items()
    if tens < 60
    for unit, ones in {
        "": 0,
        **{f"{mark}{word}": at for word, at in UNITS.items() if 0 < at < 10 for mark in "- "},
    }.items()
}
_PAST = {"quarter": 15, "half": 30} | _MINUTES
_WORDS = "|".join(sorted(_MINUTES, key=len, reverse=True))
_CLOCK = re.compile(
    r"(?<![\w.,:/$€£#])(?:"
    rf"(?:(?:a )?(?P<minutes>(?:{_WORDS})(?= minutes?| past)|quarter|half(?= past))"
    rf"(?: minutes?)? (?P<way>past|to) )?(?P<hour>{_HOUR})(?!\s(?:hours?|min|sec|days?|weeks?))"
    r"(?:[:.](?P<minute>[0-5]\d)(?::[0-5]\d)?)?"
    r"(?P<sharp>\s?o'?\s?clock)?(?:\s?(?P<half>[ap])\.?\s?m\b\.?"
    r"|\s(?:in the (?P<part>morning|afternoon|evening)|at (?P<night>night))\b)?"
    r"(?(half)|(?(part)|(?(night)|(?(way)\b|(?(sharp)\b|(?!))))))"
    r"|(?P<hour24>[01]?\d|2[0-4]):(?P<minute24>[0-5]\d)(?::[0-5]\d)?(?![:.]?\d)(?:\s?h(?:rs|ours)?\b)?"
    r"|(?P<four>(?:[01]\d|2[0-4])[0-5]\d)(?=\s?(?:hours|hrs|h|UTC|GMT|Z)\b)(?:\s?(?:hours|hrs|h)\b)?"
    r"|(?P<open>\d{1,2})(?=\s?(?:-|–|to|and|until)\s?(?P<close>\d{1,2})(?:[:.][0-5]\d)?\s?(?P<closing>[ap])\.?\s?m\b)"
    r"|(?P<word>noon|midday|midnight)\b"
    rf")(?:\s?\(?(?P<zone>{_ZONES})\b\)?(?:\s+time\b)?)?",
    re.IGNORECASE,
)
_NIGHT = 6  # an hour from which "at night" is before midnight
_DAY = re.compile(r"\b(?P<day>mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?\b", re.IGNORECASE)
_BRACKET = re.compile(r"\(([^()]*)\)")
_AROUND = EMPTY | frozenset(
    "every each daily day days weekdays weekday morning afternoon evening night about around approximately between "
    "until till before after through time local hours o'clock sharp through am pm only".split()
)
_LIMIT = re.compile(r"\b(?P<limit>before|after|earlier than|later than)\s+(?:\w+\s)?$", re.IGNORECASE)
_TIME_ALONE = re.compile(r"\b(?:what|which) (?:time|hours)\b", re.IGNORECASE)
_HALF_DAY = 720  # minutes
_AFTERNOON = 780  # minutes, from which a time is said in one way of 24 hours
_TWO_DIGITS = 600  # minutes: "10:30", where "9:30" may be of the evening


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day in a text."""

    minutes: tuple[int, ...]  # since midnight: two of them where morning or evening is not said
    zone: str
    limit: str  # "before", "after" in front of it, else ""
    start: int
    end: int


def find_clocks(text: str) -> tuple[Clock, ...]:
    """Return the times of day of a text, in order, those in words too ("half past seven", "ten o'clock")."""
    return tuple(clock for hit in _CLOCK.finditer(text) if (clock := _read(hit)))


def _read(hit: re.Match[str]) -> Clock | None:
    if hit["word"]:
        minutes: tuple[int, ...] = (0,) if hit["word"].casefold() == "midnight" else (720,)
    elif hit["four"]:
        minutes = (60 * int(hit["four"][:2]) + int(hit["four"][2:]),)
    else:
        shown = hit["hour"] or hit["hour24"] or hit["open"]
        hour, minute = _HOURS.get(shown.lower()) or int(shown), int(hit["minute"] or hit["minute24"] or 0)
        if hit["way"]:
            minute = _PAST[hit["minutes"].lower()]
            if hit["way"].lower() == "to":
                hour, minute = hour - 1 or 12, 60 - minute
        half = (hit["half"] or "").casefold()
        if hit["open"]:  # "2-6 p.m.", but "10-6 p.m." begins in the morning
            half = hit["closing"].casefold() if hour % 12 < int(hit["close"]) % 12 else "a"
        if hit["part"] or hit["night"]:
            late = hit["night"] and _NIGHT <= hour < 12
            half = "a" if (hit["part"] or "").casefold() == "morning" or (hit["night"] and not late) else "p"
        if half and not 1 <= hour <= 12:
            if hour == 0 or hour > 23:
                return None
            half = ""
        if half:
            minutes = (60 * (hour % 12 + 12 * (half == "p")) + minute,)
        elif 1 <= hour <= 12 and not shown.startswith("0"):
            minutes = (60 * hour + minute, 60 * ((hour + 12) % 24) + minute)
        else:
            minutes = (60 * (hour % 24) + minute,)
    zone = (hit["zone"] or "").upper()
    zone = (
        "UTC" if zone in ("GMT", "Z") else re.sub(r"^([ECMP])(?:[SD]T|T|ASTERN|ENTRAL|OUNTAIN|ACIFIC)$", r"\1T", zone)
    )
    limit = _LIMIT.search(hit.string[max(hit.start() - 30, 0) : hit.start()])
    return Clock(minutes, zone, limit["limit"].casefold() if limit else "", *hit.span())


def find_days(text: str) -> frozenset[str]:
    """Return the days of the week that a text names, by their first three letters."""
    return frozenset(hit["day"][:3].casefold() for hit in _DAY.finditer(text))


def is_time_of_day(form: str) -> bool:
    """Return whether a gold form is times of day, perhaps with days, and nothing else."""
    found = find_clocks(form)
    rest = list(form)
    for one in found:
        rest[one.start : one.end] = " " * (one.end - one.start)
    left = split_tokens(_DAY.sub(" ", "".join(rest)))
    return bool(found) and all(word in _AROUND for word in left)


def judge_clock(text: str, forms: tuple[str, ...], asked: str, short: bool) -> Outcome:
    """Judge an answer by the times it states: all those of a form, of the same days, and no others.

    The form's bracket is the same in another zone ("10am UTC (11am BST)"). What contradicts in a longer answer
    is left open.
    """
    said = find_clocks(text)
    if not said and (figures := re.fullmatch(r"\W*(\d[\d,]*(?:\.\d+)?)\W*", text)):
        return _judge_figures(figures[1], forms)
    if not said:
        return unclear("unmatched")
    shown = text[said[0].start : said[-1].end]
    if any(is_denied(text, one.start, one.end) or is_doubted(text, one.start) for one in said):
        return unclear("denied", shown)
    ways = [find_clocks(part) for form in forms for part in (_BRACKET.sub(" ", form), *_BRACKET.findall(form))]
    ways = [_of_24_hours(way) for way in ways]
    known = [one for way in ways for one in way]
    same = [one for one in said if any(_compare(gold, one) == "same" for gold in known)]
    joined = {joining_word(text[one.end : two.start]) for one, two in pairwise(said)}
    for way in filter(None, ways):
        if len(same) >= len(way) and all(_compare(*pair) == "same" for pair in zip(way, same, strict=False)):
            if len(same) < len(said) or ("or" in joined and len(way) > 1):
                return unclear("several_values", shown)
            if any(one.limit != gold.limit and one.limit not in asked for gold, one in zip(way, same, strict=False)):
                return unclear("bound", shown)
            return _compare_days(text, shown, forms, asked, short)
    if all(_differs(way, said) for way in filter(None, ways)):
        alone = len(said) == 1 and len(split_tokens(text)) <= STATEMENT
        return wrong("other_value", shown) if short or alone else unclear("unmatched")
    return unclear("some_parts" if same else "less_exact", shown)


def _judge_figures(figures: str, forms: tuple[str, ...]) -> Outcome:
    """Judge an answer that is a number: wrong where it is no hour of the form's times, nor those with their minutes."""
    known = {at for form in forms for clock in find_clocks(form) for at in clock.minutes}
    number = float(figures.replace(",", ""))
    mornings = {60 * number, 60 * (number // 100) + number % 100}  # "9", "930"
    ways = mornings | {minutes + _HALF_DAY for minutes in mornings}
    return unclear("less_exact") if ways & known else wrong("other_value", figures)


def _of_24_hours(way: tuple[Clock, ...]) -> tuple[Clock, ...]:
    """Return the times of a form as of 24 hours where one can be no other: "9:00-15:30" begins in the morning."""
    late = len(way) > 1 and any(len(one.minutes) == 1 and one.minutes[0] >= _AFTERNOON for one in way)
    return tuple(replace(one, minutes=one.minutes[:1]) for one in way) if late else way


def _compare_days(text: str, shown: str, forms: tuple[str, ...], asked: str, short: bool) -> Outcome:
    """Judge an answer whose times are right by its days of the week."""
    days = find_days(text)
    wanted = frozenset().union(*map(find_days, forms)) - find_days(asked)
    if wanted and days and not days & wanted:
        return wrong("other_day", text.strip()) if short else unclear("unmatched")
    if wanted - days and (days or not _TIME_ALONE.search(asked)):
        return unclear("some_parts" if days else "less_exact", shown)
    return right("exact" if text.strip() == shown else "contained", shown)


def _differs(way: tuple[Clock, ...], said: tuple[Clock, ...]) -> bool:
    """Return whether the times that are said are others than those of a form, or differ from them in one place."""
    if len(way) == len(said):
        return "other" in {_compare(*pair) for pair in zip(way, said, strict=True)}
    return all(_compare(gold, one) == "other" for gold in way for one in said)


def _compare(gold: Clock, one: Clock) -> str:
    """Return "same", "other", or "unsure": of another zone, or where morning or evening is not said.

    A gold time of two digits without "am" is one of 24 hours; an answer without "am" means the morning.
    """
    if gold.zone and one.zone and gold.zone != one.zone:
        return "unsure"
    wanted = gold.minutes[:1] if gold.minutes[0] >= _TWO_DIGITS else gold.minutes
    if not {*wanted} & {*one.minutes}:
        return "other"
    return "same" if wanted == one.minutes or wanted == one.minutes[:1] else "unsure"
