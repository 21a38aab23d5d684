"""The gold answer of a question as what it is: a verdict, a moment, a value, words, or several of them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from rarefy.data_contracts.rows import VERDICTS, Question
from rarefy.tasks.evaluate.correct.claim_status import bound, negative
from rarefy.tasks.evaluate.correct.values import Value, plain, values
from rarefy.tasks.evaluate.correct.words import EMPTY, stems, tokens
from rarefy.tasks.text.dates import Moment, moments, years
from rarefy.tasks.text.quantities import SCALES
from rarefy.tasks.text.stems import stem

_FILLER = EMPTY | frozenset(
    "approximately about roughly around nearly almost some total over under more less than least "
    "most up approx circa ca "
    "us dollar dollars usd eur euro euros per share shares percent percentage point points basis "
    "common stock outstanding "
    "fiscal year ended ending date was were million millions billion billions thousand thousands trillion plus minus "
    "negative loss fy people person employee employees day month".split()
)
_ASKED = re.compile(
    r"\bin\s(?:(?P<scale>thousand|million|billion|trillion)s?\sof\s)?(?P<unit>(?:U\.?S\.?\s|US\s)?dollars|euros|pounds|yen|"
    r"shares|percent(?:age points)?|basis points)\b|\bin\s(?:US\s?\$|USD|\$|€|EUR|£|"
    r"GBP)?\s?(?P<scale2>thousand|million|billion|trillion)s\b"
    r"|\((?:USD|US\$|\$|€)?\s?(?:in\s)?(?P<scale3>thousand|million|billion)s?\)",
    re.IGNORECASE,
)  # fmt: skip
_SHARE = re.compile(
    r"\b(?:what|which)\s(?:\w+\s)?(?:percent(?:age)?|share|proportion|rate|margin|ratio)\b|\bas (?:a|"
    r"an) (?:share|percentage|percent|proportion) of\b|\bratio\b|\bhow many percent\b|\brate\b|\bin percent\b",
    re.IGNORECASE,
)
_MANY = re.compile(r"\bhow (?:many|much)\b|\bwhat (?:number|amount)\b", re.IGNORECASE)
_SENTENCE = 5  # words of a form that may be a sentence
_SEVERAL = re.compile(
    r"\b(?:which|what|who)\s(?:(?:are|were)\b|(?:two|three|four|five|six)\b)|\b(?:both|respectively)\b|"
    r"\beach\b|\bname (?:the|all)\b|\blist\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Exact:
    """A value that is right, as exactly as any form of the answer gives it."""

    kind: str  # of values.Value
    unit: str  # "" where nothing says it
    amount: Decimal
    grain: Decimal
    signs: frozenset[int]  # +1, -1: in which it is right
    shown: Decimal | None  # as it is printed where the unit is said elsewhere ("in millions"); None: as it is
    open: bool  # nothing says in what it is counted, so that another scale may be meant
    loose: bool  # "approximately": its zeros at the end may be rounded
    bound: str  # more | less | ""
    bounds: frozenset[str]  # of all its forms
    noun: str  # what it counts, by its last word


@dataclass(frozen=True, slots=True)
class Gold:
    """One gold answer, read once."""

    kind: str  # verdict | moment | value | text | parts
    forms: tuple[str, ...]
    values: tuple[Exact, ...] = ()
    moments: tuple[Moment, ...] = ()
    parts: tuple["Gold", ...] = ()
    ordered: bool = False
    unread: tuple[str, ...] = ()  # forms that are no such value or moment: what is none of these may be right by them


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a question says of the answer before there is one."""

    question: Question
    scale: int  # power of ten; -1: none said
    unit: str
    percent: bool
    many: bool
    words: frozenset[str]
    years: frozenset[int]


def asked(question: Question) -> Expectation:
    """What the question asks for: unit, scale, periods."""
    text = plain(question.text)
    hit = _ASKED.search(text)
    scale = (hit["scale"] or hit["scale2"] or hit["scale3"] or "").lower() if hit else ""
    unit = (hit["unit"] or "").lower().replace(".", "") if hit else ""
    signs = re.search(r"US\s?\$|USD|\$|€|EUR|£|GBP", hit[0]) if hit else None
    counted = f"5 {unit}" if unit or signs is None else f"{signs[0]} 5"
    money = next((one.unit for one in values(counted) if one.kind == "money"), "")
    named = years(question.period, question.valid_from) or years(text)
    return Expectation(
        question,
        SCALES[scale] if scale else 0 if unit else -1,
        money or ("shares" if unit == "shares" else "percent" if unit.startswith("percent") else ""),
        bool(_SHARE.search(text)) or unit.startswith("percent"),
        bool(_MANY.search(text)),
        stems(text),
        named,
    )


def gold(question: Question) -> Gold:
    """The gold answer of a question, its aliases with it."""
    forms = [plain(form, question.language).strip() for form in (question.answer, *question.aliases) if form.strip()]
    return _gold(tuple(dict.fromkeys(forms)), asked(question), True)


def _gold(forms: tuple[str, ...], about: Expectation, whole: bool) -> Gold:
    first = forms[0] if forms else ""
    if first.strip(" .").casefold() in VERDICTS:
        return Gold("verdict", forms)
    if whole and len(parts := split(first, about)) > 1:
        told = plain(about.question.text)
        ordered = "respectively" in first or "respectively" in told
        stated = [one.amount for one in values(first)]
        unread = tuple(form for form in forms[1:] if not stated or [one.amount for one in values(form)] != stated)
        made = tuple(_gold((part,), about, False) for part in parts)
        return Gold("parts", forms, parts=made, ordered=ordered, unread=unread)
    if _restates(first, about):
        return Gold("text", forms)
    if found := _only_moment(first, about):
        if len(found) > 1:
            ways = [one.ways for one in found]
            unread = tuple(form for form in forms[1:] if [one.ways for one in moments(form)] != ways)
            made = tuple(Gold("moment", (first,), moments=(one,)) for one in found)
            return Gold("parts", forms, parts=made, unread=unread)
        read = {form: _only_moment(form, about)[:1] for form in forms}
        unread = tuple(form for form in forms if not read[form])
        return Gold("moment", forms, moments=tuple(one for found in read.values() for one in found), unread=unread)
    if exact := tuple(_exacts(forms, about)):
        return Gold("value", forms, values=exact, unread=tuple(form for form in forms if not _read(form, about)))
    return Gold("text", forms)


def _restates(form: str, about: Expectation) -> bool:
    """Is the form a sentence whose only number or year is the question's own ("In 2022, AMD brought in ...")?"""
    if len(form.split()) < _SENTENCE:
        return False
    asked_of = plain(about.question.text)
    stated = {one.amount for one in values(asked_of)} | {*about.years}
    counted = [one for one in values(form) if about.many or not (one.worded and one.amount <= 10)]  # "Among the three"
    own = {one.amount for one in counted} | {year for one in moments(form) for year in one.years}
    return bool(own) and own <= stated


def split(form: str, about: Expectation) -> list[str]:
    """The parts of an answer of several; itself alone where it is one."""
    if ";" in form or "\n" in form:
        return [
            part.strip(" ,.") for part in re.split(r"[;\n]", re.sub(r"[;,]\s+and\s", "; ", form)) if part.strip(" ,.")
        ]
    ranged = re.fullmatch(r"(?:between\s|from\s)?(.+?)(?:\s+(?:to|and)\s+)(.+)", form.replace(", respectively", ""))
    if ranged and all(_one_value(part, about) for part in ranged.groups()):
        return [*ranged.groups()]
    bare = re.sub(r",?\s*respectively\.?$", "", form)
    items = [part.strip() for part in re.split(r",\s+(?:and\s+)?|\s+and\s+", bare) if part.strip()]
    if len(items) > 1 and all(_one_value(item, about) for item in items):
        return items
    if not all(item[0].isupper() for item in items):
        return [form]
    named = len(items) > 2 and re.search(r",?\s+and\s+[^,]+$", bare)
    pair = len(items) == 2 and " and " in bare and "," not in bare and _SEVERAL.search(about.question.text)
    return items if named or pair else [form]


def _one_value(text: str, about: Expectation) -> bool:
    return len(values(text)) == 1 and _only(text, about)


def _only(text: str, about: Expectation) -> bool:
    """Is a text a number and what it counts, and nothing else?"""
    spans = [(one.start, one.end) for one in values(text)] + [(one.start, one.end) for one in moments(text)]
    rest = "".join(char for at, char in enumerate(text) if not any(start <= at < end for start, end in spans))
    over = [word for word in re.findall(r"[^\W\d_]+", rest) if word.casefold() not in _FILLER]
    strange = [word for word in over if stem(word.casefold()) not in about.words]
    return not any(word[0].isupper() for word in strange) and len(strange) <= 2


def _only_moment(text: str, about: Expectation) -> list[Moment]:
    found = list(moments(text))
    years_alone = all(not any(way[1:]) for one in found for way in one.ways)
    inside = [range(one.start, one.end) for one in found]
    counted = [one for one in _amounts(text) if not one.year and not any(one.start in span for span in inside)]
    if not found or counted or not _only(text, about):
        return []
    if (
        years_alone
        and (about.scale > 0 or about.many or about.percent)
        and not re.search(r"fiscal|FY", text, re.IGNORECASE)
    ):
        return []
    return found


def _exacts(forms: tuple[str, ...], about: Expectation) -> Iterator[Exact]:
    """The values that the forms give, the finest of each; a form that is another's rounding gives none of its own."""
    read = [(form, one) for form in forms if (one := _read(form, about))]
    if not read or read[0][0] != forms[0]:
        return
    scaled = [one for _, one in read if one.scaled or one.amount >= 10**6]
    made: list[Exact] = []
    for form, one in read:
        power = _scale(one, scaled, about)
        kind, unit = _of_kind([one for _, one in read], one, about)
        amount, grain = one.amount.scaleb(max(power, 0)), one.grain.scaleb(max(power, 0))
        sign = -1 if one.minus or one.enclosed or negative(form[: one.start]) == "below" else 1
        about_it = re.search(r"\b(?:approximately|about|roughly|around|nearly|almost|some)\b", form, re.IGNORECASE)
        noun = tokens(one.nouns)[-1] if tokens(one.nouns) else ""
        made.append(
            Exact(kind, unit, amount, grain, frozenset({sign}), one.amount if power > 0 else None, power < 0,
                  bool(about_it), limit := bound(form[: one.start]), frozenset({limit}), stem(noun))
        )  # fmt: skip
    made.sort(key=lambda exact: (exact.open, -len(exact.amount.normalize().as_tuple().digits)))
    kept: list[Exact] = []
    for exact in made:
        twin = next((at for at, other in enumerate(kept) if _rounds(other, exact)), None)
        if twin is None:
            kept.append(exact)
        else:
            other = kept[twin]
            kept[twin] = replace(
                other,
                unit=other.unit or exact.unit,
                signs=other.signs | exact.signs,
                shown=exact.shown if other.shown is None else other.shown,
                loose=other.loose or exact.loose,
                bounds=other.bounds | exact.bounds,
                noun=other.noun or exact.noun,
            )
    yield from kept


def _read(form: str, about: Expectation) -> Value | None:
    found = _amounts(form)
    return found[0] if len(found) == 1 and _only(form, about) else None


def _amounts(text: str) -> list[Value]:
    """Its numbers but for ordinals."""
    return [one for one in values(text) if one.kind != "place"]


def _scale(one: Value, scaled: list[Value], about: Expectation) -> int:
    """The power of ten that a number as it is printed must be given; -1 where nothing tells."""
    if one.scaled or one.kind in ("percent", "points", "times", "measure"):
        return 0
    for other in scaled:  # the same digits with their scale said
        if other is one:
            continue
        for power in (0, 3, 6, 9, 12):
            if (
                one.amount
                and abs(one.amount.scaleb(power) - other.amount) <= max(other.grain, one.grain.scaleb(power)) / 2
            ):
                return power
    if about.scale >= 0:
        return about.scale if one.amount.scaleb(about.scale) < 10**16 and one.amount < 10**9 else 0
    told = (one.kind == "money" and one.grain < 1) or one.amount >= 10**6 or one.nouns or about.many
    return 0 if told else -1


def _of_kind(all_: list[Value], one: Value, about: Expectation) -> tuple[str, str]:
    if one.kind != "count":
        return one.kind, one.unit
    money = next((other.unit for other in all_ if other.kind == "money"), about.unit if about.unit.isupper() else "")
    if money:
        return "money", money
    return (
        ("percent", "") if any(other.kind == "percent" for other in all_) or about.unit == "percent" else ("count", "")
    )


def _rounds(fine: Exact, coarse: Exact) -> bool:
    """Is the coarser one the finer one rounded, or printed in another scale?"""
    if fine.kind != coarse.kind:
        return False
    if abs(fine.amount - coarse.amount) <= max(coarse.grain, fine.grain) / 2:
        return True
    return fine.shown is not None and fine.shown == coarse.amount
