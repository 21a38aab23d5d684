"""Stage 1: what rules alone can say of an answer; in doubt they say what a judge would have to tell (RARE R35)."""

import re
from collections.abc import Sequence
from decimal import Decimal

from rarefy.data_contracts.rows import VERDICTS
from rarefy.tasks.evaluate.correct.by_value import by_value
from rarefy.tasks.evaluate.correct.by_words import SHORT, by_words, equal
from rarefy.tasks.evaluate.correct.claim_status import compared, denied, doubted, link
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.gold import Exact, Expectation, Gold
from rarefy.tasks.evaluate.correct.others import other_entity
from rarefy.tasks.evaluate.correct.outcome import Outcome, right, unclear, wrong
from rarefy.tasks.evaluate.correct.values import values
from rarefy.tasks.evaluate.correct.words import words
from rarefy.tasks.text.dates import MONTH, Moment, Parts, against, moments

_FIRST = re.compile(r"\W*(?:answer\W+)?(?P<word>yes|no|true|false)\b(?!\.\s?\d)", re.IGNORECASE)
_AS_MUCH = re.compile(  # what may say how many without a number
    r"\b(?:no|none|nobody|nothing|any|all|both|half|most|never|always|not|an?|(?:doubl|tripl|quadrupl|halv)\w+)\b",
    re.IGNORECASE,
)
_WHEN = re.compile(  # and when, without a date
    r"\b(?:no|not|never|always|an?|centur\w+|decades?|years?|months?|weeks?|day|night|eve|morning|spring|summer|autumn"
    rf"|fall|winter|season|today|now|currently|ongoing|\w+day|{MONTH})\b",
    re.IGNORECASE,
)
_FIRM = frozenset(("money", "percent", "points"))  # kinds that a number says itself
_YEAR_AND_MARK = re.compile(r"\b(1[5-9]\d\d|20[0-2]\d)\d{1,2}(?=\.?(?:\s|$))")  # "in 18501.": a citation follows


def matched(text: str, gold: Gold, about: Expectation, config: CorrectConfig) -> Outcome:
    """Whether a plain answer is right, wrong, or open; the text is as `cleaned` gives it."""
    if config.match == "plain":
        return _plain(text, gold)
    for form in gold.forms:
        if (gold.kind in ("text", "verdict") and equal(text, form)) or " ".join(text.split()).strip(" .") == form.strip(
            " ."
        ):
            return right("exact", text)
    if gold.kind == "parts":
        return _by_parts(text, gold, about, config)
    return _one(text, gold, about, config)


def _one(text: str, gold: Gold, about: Expectation, config: CorrectConfig, beside: Sequence[Gold] = ()) -> Outcome:
    if gold.kind == "verdict":
        return _by_verdict(text, gold, config)
    if gold.kind == "moment":
        found = _by_moment(text, gold, about, config, beside)
    elif gold.kind == "value":
        found = by_value(text, gold, about, config, [exact for other in beside for exact in other.values])
    else:
        found = by_words(text, gold, about, listed=bool(beside))
        return unclear("unmatched") if found.verdict == "wrong" and not config.value else found
    if found.verdict != "open":
        return found
    otherwise = _otherwise(text, gold, about, config, beside)
    if otherwise and otherwise.verdict == "right":
        return otherwise
    elsewhere = found.why != "unmatched" or gold.unread or not config.value
    return found if elsewhere or not _states_no_such_value(text, gold) else wrong("no_value", text)


def _states_no_such_value(text: str, gold: Gold) -> bool:
    """Is an answer a phrase that has no number ("Ernst & Young LLP", "Yes."), or only such of a plainly other kind?

    Other kinds are a percentage where a sum or a date is asked for, a date where a sum or a percentage is, and so on;
    a number that may count anything is none of them, nor one with the figures of the right one (EUR 5 for 5 %), nor is
    a word that may say how many ("all") or when ("today").
    """
    vague = _WHEN if gold.kind == "moment" else _AS_MUCH
    if not re.search(r"\w", text) or len(words(text)) > SHORT or vague.search(text):
        return False
    kinds = {exact.kind for exact in gold.values} or {"moment"}
    dates = moments(text) if kinds <= {"money", "percent"} else ()
    others = [one for one in values(text) if (one.year and dates) or one.kind in _FIRM - kinds]
    rest = list(text)
    for start, end in [(one.start, one.end) for one in dates] + [(one.start, one.end) for one in others]:
        rest[start:end] = " " * (end - start)
    left = "".join(rest)
    if re.search(r"\d", left) or values(left) or moments(left):
        return False
    figures = {_figures(exact.amount) for exact in gold.values}
    return figures.isdisjoint(_figures(one.amount) for one in others)


def _figures(amount: Decimal) -> tuple[int, ...]:
    """The first three figures of an amount, wherever its point is."""
    return amount.normalize().as_tuple().digits[:3]


def _otherwise(
    text: str, gold: Gold, about: Expectation, config: CorrectConfig, beside: Sequence[Gold]
) -> Outcome | None:
    """What an answer that is open is by the forms that were not read as values, or by numbers that may be old years."""
    if gold.unread:
        return by_words(text, Gold("text", gold.unread), about, listed=bool(beside))
    if old := _old_years(gold):
        years = [Gold("moment", other.forms, moments=_old_years(other)) for other in beside]
        return _by_moment(text, Gold("moment", gold.forms, moments=old), about, config, years)
    return None


def _old_years(gold: Gold) -> tuple[Moment, ...]:
    """What may be years before 1900: "1850" alone is a number, which "August 1850" does not state as one."""
    return tuple(
        Moment(frozenset({Parts(int(exact.amount))}), 0, 0)
        for exact in gold.values
        if exact.kind == "count" and not exact.noun and exact.grain == 1 and 1000 <= exact.amount < 1900
    )


def _by_parts(text: str, gold: Gold, about: Expectation, config: CorrectConfig) -> Outcome:
    """All parts must be there, in their order where the question says "respectively"."""
    found = [
        _one(text, part, about, config, [other for other in gold.parts if other is not part]) for part in gold.parts
    ]
    have = [one for one in found if one.verdict == "right"]
    covered = len(have) / len(found)
    told = "; ".join(one.matched for one in have)
    if len(have) == len(found):
        places = [text.find(one.matched) for one in found]
        if gold.ordered and places != sorted(places):
            return unclear("order", told, covered)
        return right("contained", told)
    if have:
        return unclear("some_parts", told, covered)
    if all(one.verdict == "wrong" for one in found) and not gold.unread:
        return wrong("other_value", found[0].matched)
    return unclear(next((one.why for one in found if one.verdict == "open"), "unmatched"))


def _by_verdict(text: str, gold: Gold, config: CorrectConfig) -> Outcome:
    """Yes or no, by the first word of the answer; the other one is wrong."""
    hit = _FIRST.match(text)
    wanted = {form.strip(" .").casefold() for form in gold.forms} & VERDICTS
    means = {"true": "yes", "false": "no"}
    if hit is None:
        return unclear("unmatched")
    said = hit["word"].casefold()
    rest = re.findall(
        r"\b(yes|no|true|false)\b(?!\s(?:longer|more|other|such|later|doubt))", text[hit.end() :].casefold()
    )
    if any(means.get(word, word) != means.get(said, said) for word in rest) and len(words(text)) <= 8:
        return unclear("choice")
    if said in wanted or means.get(said, said) in {means.get(word, word) for word in wanted}:
        return right("exact" if len(words(text)) == 1 else "contained", hit["word"])
    return wrong("other_value", hit["word"]) if config.value else unclear("unmatched")


def _by_moment(text: str, gold: Gold, about: Expectation, config: CorrectConfig, beside: Sequence[Gold]) -> Outcome:
    text = _YEAR_AND_MARK.sub(r"\1", text)
    found = list(moments(text))
    parts = [one for other in beside for one in other.moments]
    same: list[Moment] = []
    less: list[Moment] = []
    other: list[Moment] = []
    for one in found:
        verdict = _against(gold.moments, one)
        if verdict == "less" and not one.years and any(mine.years & about.years for mine in gold.moments):
            verdict = "same"  # "September 28", where the question says the year
        {"same": same, "less": less, "other": other}[verdict].append(one)
    other = [one for one in other if not any(against(part, one) == "same" for part in parts)]
    if not (gold.moments and any(way[1] for mine in gold.moments for way in mine.ways)):
        finer = [one for one in found if any(way[1] for way in one.ways)]
        other = [one for one in other if one in finer or not one.years & about.years]
    stated = [one for one in same if not denied(text, one.start, one.end) and not doubted(text, one.start)]
    if stated:
        one = stated[0]
        shown = text[one.start : one.end]
        if other_entity(text, one.start, about):
            return unclear("other_entity", shown)
        joined = {link(text[min(one.end, rival.end) : max(one.start, rival.start)]) for rival in other}
        if joined & {"or", "to"}:
            return unclear("choice", shown)
        if other and config.extra == "wrong":
            return wrong("several_values", shown)
        if other and config.extra == "judge" and len(words(text)) <= SHORT:
            return unclear("several_values", shown)
        return right("contained" if len(words(text)) > len(words(shown)) else "exact", shown)
    if same:
        return unclear(
            "denied" if denied(text, same[0].start, same[0].end) else "doubted", text[same[0].start : same[0].end]
        )
    if less:
        return unclear("less_exact", text[less[0].start : less[0].end])
    firm = [one for one in other if not denied(text, one.start, one.end) and not doubted(text, one.start)]
    day = any(way[1] for mine in gold.moments for way in mine.ways)
    firm = [one for one in firm if not day or any(way[1] for way in one.ways)]
    distinct = {one.ways for one in other}
    if (
        config.value
        and not gold.unread
        and firm
        and len(firm) == len(other)
        and (beside or len(distinct) == 1)
        and not compared(text[: firm[0].start][-40:])
        and not any(str(year) in text for mine in gold.moments if mine.only_year for year in mine.years)
    ):
        if any(_next_to(mine, one) for mine in gold.moments for one in firm):
            return unclear("close", text[firm[0].start : firm[0].end])
        return wrong("other_value", text[firm[0].start : firm[0].end])
    return unclear("unmatched")


def _against(golds: Sequence[Moment], one: Moment) -> str:
    """same | less | other: the year alone of one form makes no day right that is not the day of another form, nor a
    decade another year."""
    verdicts = {against(mine, one) for mine in golds}
    if any(not mine.decade for mine in golds) and not one.decade:
        exact = {against(mine, one) for mine in golds if not mine.decade}
        verdicts = exact if exact != {"other"} or "same" not in verdicts else {"less"}
    finer = [mine for mine in golds if any(way[1] for way in mine.ways)]
    another = finer and any(way[1] for way in one.ways) and all(against(mine, one) == "other" for mine in finer)
    if "same" in verdicts and another:
        return "less"
    return min(verdicts, key=("same", "less", "other").index)


def _next_to(gold: Moment, one: Moment) -> bool:
    """Are these the years before or behind each other, where no more is said? People call many of these right."""
    years = [way[0] for moment in (gold, one) for way in moment.ways if way[0] and not any(way[1:])]
    return len(years) == 2 and abs(years[0] - years[1]) == 1


def _plain(text: str, gold: Gold) -> Outcome:
    """The papers' inclusive match: any form as whole words anywhere."""
    said = tuple(word.text for word in words(text))
    for form in gold.forms:
        wanted = tuple(word.text for word in words(form))
        if wanted and said == wanted:
            return right("exact", form)
    for form in gold.forms:
        wanted = tuple(word.text for word in words(form))
        for at in range(len(said) - len(wanted) + 1):
            if wanted and said[at : at + len(wanted)] == wanted:
                return right("contained", form)
    return unclear("unmatched")


def exacts(gold: Gold) -> tuple[Exact, ...]:
    """All values that a gold answer of any kind holds."""
    return (*gold.values, *(exact for part in gold.parts for exact in exacts(part)))
