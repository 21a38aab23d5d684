"""Answers to questions for a number: the one value that is stated must be the gold one (stage 1 and stage "value")."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations

from rarefy.tasks.evaluate.correct.amounts import agrees, same_kind
from rarefy.tasks.evaluate.correct.by_words import SHORT
from rarefy.tasks.evaluate.correct.claim_status import bound, changed, compared, denied, doubted, link, sentence
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.gold import Exact, Expectation, Gold
from rarefy.tasks.evaluate.correct.others import other_entity
from rarefy.tasks.evaluate.correct.outcome import Outcome, right, unclear, wrong
from rarefy.tasks.evaluate.correct.values import Value, values
from rarefy.tasks.evaluate.correct.words import stems
from rarefy.tasks.text.dates import moments

FORGIVEN = 3  # other values beside the right one; more is a list of numbers
_FEW = Decimal("0.02")  # of a value: so near to it people call some right
_CHANGE = re.compile(
    r"\b(?:chang\w*|increas\w*|decreas\w*|gr[eo]w\w*|growth|ris\w+|rose|fall|fell|declin\w*|drop\w*|"
    r"rais\w*|reduc\w*|by (?:how much|what)|improv\w*|gain\w*|difference)\b",
    re.IGNORECASE,
)
_WITHOUT = re.compile(
    r"\b(?:excluding|except(?: for)?|other than|apart from|"
    r"without)\s(?P<what>[^,.;]{1,60})",
    re.IGNORECASE,
)
_CUT = re.compile(r"[,;.()\n|]|\b(?:and|while|versus|vs|compared|from|up|down|but|than|or)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Stands:
    """A value of the gold answer's kind in the answer."""

    value: Value
    gap: str  # what stands before it, from the value or clause before
    verdict: str  # same | other | scale | sign | rounding
    how: str  # stated | denied | doubted | compared | other_period | operand


def by_value(text: str, gold: Gold, about: Expectation, config: CorrectConfig, beside: Sequence[Exact] = ()) -> Outcome:
    """What the numbers of an answer make it; `beside` are other parts of the gold answer, which may stand there too."""
    everything = values(text)
    whole = _whole(text, everything)
    kinds = {
        id(one): max((same_kind(exact, one, about, whole) for exact in gold.values), key=("no", "unit", "yes").index)
        for one in everything
    }
    mine = [one for one in everything if kinds[id(one)] == "yes"]
    if any(one.strong for one in mine) and all(exact.kind == "money" for exact in gold.values):
        mine = [one for one in mine if one.strong]  # "on page 38" counts nothing beside "$47,525"
    found = _standing(text, mine, gold, about, config)
    if beside:
        found = [one for one in found if one.verdict == "same" or not _is_any(one, beside, about, config)]
    matching = [one for one in found if one.verdict == "same"]
    stated = [one for one in matching if one.how == "stated"]
    others = _distinct([one for one in found if one.verdict != "same" and one.how == "stated"])
    if stated:
        return _stated(text, stated, others, gold, about, config, whole)
    if matching:
        return unclear(matching[0].how, _written(text, matching[0].value))
    if near := next((one for one in found if one.verdict != "other"), None):
        return unclear(near.verdict, _written(text, near.value))
    if share := next((one for one in everything if _as_percent(gold, one, config, about)), None):
        return right("contained", _written(text, share), "percent")
    if any(_as_fraction(gold, one, config, about) for one in everything):
        return unclear("scale")
    if alike := next(
        (
            one
            for one in everything
            if not one.worded and kinds[id(one)] == "unit" and _as_much(gold, one, config, about)
        ),
        None,
    ):
        if not about.many and all(exact.kind == "count" and not exact.noun for exact in gold.values):  # "1577"
            return right("contained", _written(text, alike), "unit")  # of 108 such answers people called 105 right
        return unclear("unit")
    said = [one for one in found if one.how != "denied"]
    if (
        not config.value
        or gold.unread
        or not said
        or any(one.how == "doubted" for one in found)
        or any(one.how == "denied" for one in found)
    ):
        return unclear("unmatched")
    if any(exact.open for exact in gold.values) and not whole:
        return unclear("unmatched")
    if any(_fulfils(exact, one.value) for exact in gold.values for one in said):
        return unclear("bound")
    if any(_close(exact, one.value) for exact in gold.values for one in said):
        return unclear("close")
    counted = [one.amount for one in everything if kinds[id(one)] == "unit" and one.kind == "count" and not one.year]
    if _composed([one.value.amount for one in said], gold) or _composed([said[0].value.amount, *counted], gold):
        return unclear("composed")
    first = next((one for one in said if one.how == "stated"), None)
    if first is None or all(one.value.worded and one.value.amount == 1 for one in said):  # "one molecule gives six"
        return unclear("unmatched")
    several = len({one.value.amount for one in said if one.how == "stated"}) > 1
    return wrong("other_values" if several else "other_value", _written(text, first.value))


def _standing(text: str, mine: list[Value], gold: Gold, about: Expectation, config: CorrectConfig) -> list[_Stands]:
    found: list[_Stands] = []
    labels = _labels(text, mine)
    for at, one in enumerate(mine):
        begin = mine[at - 1].end if at else 0
        begin = max(begin, sentence(text, one.start)[0])
        gap = text[begin : one.start]
        verdicts = {agrees(exact, one, config.rounding, gap, about) for exact in gold.values}
        verdict = next(name for name in ("same", "rounding", "sign", "scale", "other") if name in verdicts)
        if denied(text, one.start, one.end):
            how = "denied"
        elif doubted(text, one.start):
            how = "doubted"
        elif about.years and labels[at] and not labels[at] & about.years:
            how = "other_period"
        elif _operand(text, one, mine[at + 1 : at + 30]):
            how = "operand | change"
        elif compared(gap):
            how = "compared"
        else:
            how = "change" if changed(gap) and not _CHANGE.search(about.question.text) else "stated"
        found.append(_Stands(one, gap, verdict, how))
    return found


def _labels(text: str, mine: list[Value]) -> list[frozenset[int]]:
    """The years that each value is said to be of."""
    named = [one for one in moments(text) if one.years]
    found: list[frozenset[int]] = []
    taken = -1
    for at, one in enumerate(mine):
        following = text[one.end : mine[at + 1].start if at + 1 < len(mine) else len(text)]
        bracket = re.match(r"\s*\(", following)
        cut = _CUT.search(following, bracket.end() if bracket else 0)
        end = one.end + (cut.start() if cut else len(following))
        after = [m for m in named if one.end <= m.start and m.end <= end and not text[m.end :].lstrip().startswith(":")]
        if after:
            found.append(frozenset(year for m in after for year in m.years))
            taken = max(m.end for m in after)
            continue
        begin = max(mine[at - 1].end if at else 0, taken, sentence(text, one.start)[0])
        before = [m for m in named if begin <= m.start and m.end <= one.start]
        found.append(before[-1].years if before else frozenset())
    if "respectively" in text:
        _respectively(text, mine, found)
    return found


def _respectively(text: str, mine: list[Value], found: list[frozenset[int]]) -> None:
    """ "$5 and $6 in 2024 and 2023, respectively": the years in their order."""
    for hit in re.finditer("respectively", text):
        begin, end = sentence(text, hit.start())
        inside = [at for at, one in enumerate(mine) if begin <= one.start < end]
        named = [one.years for one in moments(text) if begin <= one.start < end and one.years]
        if len(named) == len(inside):
            for at, years in zip(inside, named, strict=True):
                found[at] = years


def _operand(text: str, one: Value, later: list[Value]) -> bool:
    """Is it what another value is worked out from ("60.9 - 13.4 = 47.5")?"""
    return any("=" in text[one.end : other.start] for other in later if other.start - one.end < 60)


def _stated(
    text: str,
    stated: list[_Stands],
    others: list[_Stands],
    gold: Gold,
    about: Expectation,
    config: CorrectConfig,
    whole: bool,
) -> Outcome:
    """What a stated right value comes to beside all else that the answer says."""
    one = stated[0]
    words = _written(text, one.value)
    if other_entity(text, one.value.start, about):
        return unclear("other_entity", words)
    if _left_out(text, one.value.start, about):
        return unclear("left_out", words)
    limit = bound(text[max(one.value.start - 120, 0) : one.value.start])
    exact = next(e for e in gold.values if agrees(e, one.value, config.rounding, one.gap, about) == "same")
    if limit != exact.bound and not _bounds(limit, exact, one.value):
        return unclear("bound", words)
    if not others:
        return right("exact" if whole else "contained", words)
    joined = {_joined(text, one.value, other.value) for one in stated[:10] for other in others}
    if joined & {"or", "to"}:
        return unclear("choice", words)
    if len(others) > 1 and sum(other.value.amount for other in others) == one.value.amount:
        return right("contained", words, "with its parts")
    if config.extra == "wrong":
        return wrong("several_values", words)
    short = len(text.split()) <= SHORT
    if short and len(others) > FORGIVEN:
        return unclear("list_of_values", words)
    if short and config.extra == "judge":
        return unclear("several_values", words)
    return right("contained", words, "several_values")


def _left_out(text: str, at: int, about: Expectation) -> bool:
    """Is what the question asks about left out of the sum ("excluding Data Center, revenue was $5")?"""
    begin, end = sentence(text, at)
    hit = _WITHOUT.search(text, begin, end)
    return hit is not None and bool(stems(hit["what"]) & about.words) and not _WITHOUT.search(about.question.text)


def _fulfils(exact: Exact, one: Value) -> bool:
    """Is a number within the bound that the gold answer is ("more than 100": 120)?"""
    return ("more" in exact.bounds and one.amount > exact.amount) or (
        "less" in exact.bounds and one.amount < exact.amount
    )


def _bounds(limit: str, exact: Exact, one: Value) -> bool:
    """Is "over 47.5 billion" said of a little more, or "nearly 48" of a little less?"""
    if exact.bound:
        return False
    return (limit == "more" and one.amount < exact.amount) or (limit == "less" and one.amount > exact.amount)


def _joined(text: str, one: Value, other: Value) -> str:
    """How two values stand beside one another: or | to | and | beside, "" where something else is between."""
    first, last = sorted((one, other), key=lambda value: value.start)
    by = link(text[first.end : last.start])
    return "to" if by == "and" and re.search(r"\bbetween\W+$", text[: first.start], re.IGNORECASE) else by


def _is_any(one: _Stands, beside: Sequence[Exact], about: Expectation, config: CorrectConfig) -> bool:
    return any(agrees(exact, one.value, config.rounding, one.gap, about) == "same" for exact in beside)


def _as_much(gold: Gold, one: Value, config: CorrectConfig, about: Expectation) -> bool:
    return any(agrees(exact, one, config.rounding, "", about) in ("same", "rounding") for exact in gold.values)


def _as_fraction(gold: Gold, one: Value, config: CorrectConfig, about: Expectation) -> bool:
    """0.214 for 21.4%"""
    if one.kind != "count" or not one.pointed or one.amount >= 1:
        return False
    shares = [exact for exact in gold.values if exact.kind == "percent"]
    return any(
        _as_much(
            Gold("value", (), (exact,)), replace(one, amount=one.amount * 100, grain=one.grain * 100), config, about
        )
        for exact in shares
    )


def _close(exact: Exact, one: Value) -> bool:
    """Is it off by a few per cent, as what is rounded on the way is?"""
    amounts = [amount for amount in (exact.amount, exact.shown) if amount]
    return any(abs(abs(one.amount) - abs(amount)) <= _FEW * abs(amount) for amount in amounts)


def _as_percent(gold: Gold, one: Value, config: CorrectConfig, about: Expectation) -> bool:
    """21.4% for 0.214"""
    if one.kind != "percent":
        return False
    shares = tuple(e for e in gold.values if e.kind == "count" and abs(e.amount) < 1 and e.grain < 1)
    fraction = replace(one, kind="count", amount=one.amount / 100, grain=one.grain / 100)
    return bool(shares) and any(_near(exact, fraction) for exact in shares)


def _near(exact: Exact, one: Value) -> bool:
    """Is it the gold value rounded to the places that this has, or the other way round?"""
    return abs(one.amount - exact.amount) <= max(exact.grain, one.grain) / 2


def _composed(amounts: list[Decimal], gold: Gold) -> bool:
    """Do some of the values make the gold one, as a sum, or two of them as a difference?"""
    wanted = {amount for exact in gold.values for amount in (exact.amount, exact.shown) if amount is not None}
    made = {abs(a - b) for a, b in combinations(amounts[:12], 2)}
    for count in range(2, min(len(amounts), 6) + 1):
        made |= {sum(chosen, Decimal(0)) for chosen in combinations(amounts[:8], count)}
    return not wanted.isdisjoint(made)


def _distinct(found: list[_Stands]) -> list[_Stands]:
    kept: dict[Decimal, _Stands] = {}
    for one in found:
        if not (one.value.worded and one.value.amount <= 10):
            kept.setdefault(one.value.amount, one)
    return list(kept.values())


def _whole(text: str, everything: Sequence[Value]) -> bool:
    """Is the answer that one number and nothing else?"""
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


def _written(text: str, one: Value) -> str:
    return text[one.start : one.end].strip()
