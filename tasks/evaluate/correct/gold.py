"""Parses a question's gold answer into a yes or no, a date, a value, words, or several parts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from rarefy.data_contracts.rows import VERDICTS, Question
from rarefy.tasks.evaluate.correct.by_clock import is_time_of_day
from rarefy.tasks.evaluate.correct.by_period import SECONDS, parse_frequency, spell_spans
from rarefy.tasks.evaluate.correct.by_unit import asked_unit, unit_behind
from rarefy.tasks.evaluate.correct.by_version import is_version
from rarefy.tasks.evaluate.correct.claim_status import YES_NO_QUESTION, negative_wording, stated_bound
from rarefy.tasks.evaluate.correct.normalise import (
    EMPTY,
    Value,
    find_values,
    is_code_name,
    plain_text,
    split_tokens,
    stems,
)
from rarefy.tasks.text.dates import Moment, compare_moments, moments, years
from rarefy.tasks.text.quantities import DURATIONS, LENGTHS, MASSES, SCALES, UNITS, VOLUMES
from rarefy.tasks.text.stems import stem

_FILLER = EMPTY | frozenset(
    "approximately about roughly around nearly almost some total over under more less than least "
    "most up approx circa ca "
    "us dollar dollars usd eur euro euros per share shares percent percentage point points basis "
    "common stock outstanding "
    "monday tuesday wednesday thursday friday saturday sunday "
    "fiscal year ended ending date was were million millions billion billions thousand thousands trillion plus minus "
    "negative loss fy people person employee employees day month".split()
)
_ASKED = re.compile(
    r"\bin\s(?:(?P<scale>thousand|million|billion|trillion)s?\sof\s)?(?P<unit>(?:U\.?S\.?\s|US\s)?dollars|euros|pounds|yen|"
    r"shares|percent(?:age points)?|basis points)\b"
    r"|\bin\s(?:US\s?\$|USD|\$|€|EUR|£|GBP)(?=\?|,)|\bin\s(?:US\s?\$|USD|\$|€|EUR|£|"
    r"GBP)?\s?(?P<scale2>thousand|million|billion|trillion)s\b"
    r"|\((?:USD|US\$|\$|€)?\s?(?:in\s)?(?P<scale3>thousand|million|billion)s?\)",
    re.IGNORECASE,
)  # fmt: skip
_LABELLED = re.compile(r"\(([A-Za-z]{1,12})\)|\bin ([A-Za-z]{1,12})(?: per \w+)?(?=\W*(?:[,?.]|$))|\b([a-z]{3,}s)\b")
_SHARE = re.compile(
    r"\b(?:what|which)\s(?:\w+\s){0,2}(?:percent(?:age)?|share|proportion|rate|margin|ratio)\b|\bas (?:a|"
    r"an) (?:share|percentage|percent|proportion) of\b|\bratio\b|\bhow many percent\b|\brate\b|\bin percent\b",
    re.IGNORECASE,
)
_MANY = re.compile(r"\bhow (?:many|much)\b|\bwhat (?:number|amount)\b", re.IGNORECASE)
_SIGN_AND_NAME = re.compile(r"([^\w\s]{1,3}) \(([^()]+)\)")  # "; (semicolon)": either says it
_NOTE_MARKS = re.compile(  # "available *2,*7", "OK** (10 s)": what refers to a note is no part of the answer
    r"(?:\s?\*{1,3}[\d¹²³]?(?:,\s?\*{1,3}\d)*|[†‡]{1,2})(?=\s*(?:\(|$))"
)
_NAME_AND_ACRONYM = re.compile(r"[A-Z][^()]+ \(([A-Z]{3,6})\)")
_DEGREES_KELVIN = re.compile(r"(?<=\d)\s?°\s?K\b")
_KELVIN = re.compile(r"(\d)\s?(?:(?:°\s?|deg(?:rees?)?\.?\s)?K|kelvins?)\b", re.IGNORECASE)
_DEGREE_SIGN = re.compile(r"(?<=\d)\s?[º˚o]\s?(?=[CF]\b)")
_TEMPERATURE = re.compile(r"\btemperatures?\b", re.IGNORECASE)
_DEGREES = re.compile(r"(\d)\s?(?:°\s?|deg(?:rees?)?\.?\s)?([CF])\b")
_PENCE = re.compile(r"(?<![\w.,$€£])(\d{1,3}(?:\.\d+)?)p(?!\w)")
_PICTURE = re.compile(r"\b(?:resolution|video|display|stream\w*|screen|camera|monitor)\b", re.IGNORECASE)
_OVER = {str(number): word for word, number in UNITS.items() if 0 < number < 10}
_UNDER = {"2": "half", "3": "third", "4": "quarter", "5": "fifth", "8": "eighth", "10": "tenth"}
_FRACTION = re.compile(rf"(?<![\w./])([1-9])/({'|'.join(_UNDER)})(?![\w/])")
_SHORT_UNITS = DURATIONS | {"min": "minute", "sec": "second", "hr": "hour"}
_SHORT_UNIT = re.compile(  # "the 1800s" are a decade
    r"(?<![\w.,])(\d{1,3}(?:,\d{3})*(?:\.\d+)?|\d{4,}(?=\s)|(?!1\d{3}s|20\d\ds)\d{4,}(?=s\W*$))"
    r"\s?(ms|s|h|(?:min|sec|hr)(?=s?\b))s?\.?(?!\w)"
)
_GROUPED = re.compile(r"[12],\d{3}")  # "2,048": then 2048 is no year
_DECADE = re.compile(r"(?:the )?[12]\d\d0s")
_LETTER_UNIT = re.compile(r"(?<![\w.,$€£])(\d[\d,]*(?:\.\d+)?)\s?(m|g|l)(?![\w/^])")
_LETTERS = {"m": ("metres", LENGTHS), "g": ("grams", MASSES), "l": ("litres", VOLUMES)}
_ASKS_LENGTH = re.compile(
    r"\b(?:how (?:tall|high|far|deep|wide|thick)"
    r"|(?:height|length|distance|depth|width|altitude|elevation|met(?:re|er))s?)\b",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"(?P<first>[^()]+?) \((?P<again>[^()]+)\)")
_SAME = Decimal("0.02")  # of one value in two units, as they are rounded
_UNIT_SIGN = re.compile(r"(?<=\d)\s?(?:[kKMGTP]i?[Bb](?:ps|it|/s)?|[kKMGT]?Hz|[kMG]W|°\s?[CF])\b")
_ADDRESS = re.compile(r"[A-Za-z]\w*[@/:_][^\s%$]+")  # "localhost:4317" is a name, whose number says nothing alone
_PLAIN_RANGE = re.compile(
    r"(?P<low>(?:0|[1-9]\d{0,5})(?:\.\d+)?)\s?-\s?(?P<high>[1-9]\d{0,5}(?:\.\d+)?)(?P<unit>\s?(?:°\s?[CF]|%))?"
)
_RANGE = re.compile(r"(?:between\s|from\s)?(.+?)(?:\s+(?:to|and)\s+)(.+)")
FIRST = re.compile(
    r"\W*(?:answer\W+)?(?P<word>yes|no|true|false|not|never)\b(?!\.\s?\d|-\w)", re.IGNORECASE
)  # of a yes or no
_THING = re.compile(r"[a-z]+(?:[ -][a-z]+)?")  # "soy sauce"
_SENTENCE = 5  # a form of so many words may be a sentence
_SEVERAL = re.compile(
    r"\b(?:which|what|who)\s(?:(?:are|were)\b|(?:two|three|four|five|six)\b)|\b(?:which|what)\s(?!was|does|has)(?-i:[A-Z]\w+\s)?\w+[^siu\W]s\b|\b(?:both|respectively)\b|"
    r"\beach\b|\bname (?:the|all)\b|\blist\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class ExactValue:
    """A right value, as precise as any form of the answer gives it."""

    kind: str  # of values.Value
    unit: str  # "" where none is stated
    amount: Decimal
    grain: Decimal
    signs: frozenset[int]  # +1, -1: the right ones
    shown: Decimal | None  # as printed, where its scale is stated elsewhere ("in millions"); else None
    open: bool  # no scale is stated, so that another may be meant
    loose: bool  # approximate: its trailing zeros may be rounded
    bound: str  # more | less | ""
    bounds: frozenset[str]  # of all its forms
    noun: str  # what it counts, by its last word
    # amount and grain of the answer's own form, and of per cents among its aliases
    shortened: frozenset[tuple[Decimal, Decimal]]


@dataclass(frozen=True, slots=True)
class GoldAnswer:
    """A parsed gold answer."""

    kind: str  # verdict | version | clock | frequency | moment | value | text | parts
    forms: tuple[str, ...]
    values: tuple[ExactValue, ...] = ()
    moments: tuple[Moment, ...] = ()
    parts: tuple["GoldAnswer", ...] = ()
    ordered: bool = False
    unread: tuple[str, ...] = ()  # forms that were not parsed as such: an answer may be right by one of them


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a question says about its answer."""

    question: Question
    scale: int  # power of ten; -1: not stated
    unit: str
    percent: bool
    many: bool
    words: frozenset[str]
    years: frozenset[int]
    named_years: frozenset[int]  # and those that its words name beside its period
    units: frozenset[str]  # of measures and money, as a label names them: "Weight (kg)", "statutory days", "in EUR"
    measured_in: str  # the unit in which it asks for a number, as it stands there, else ""


def parse_expectation(question: Question) -> Expectation:
    """Return what a question asks for: unit, scale, periods."""
    text = plain_text(question.text)
    hit = _ASKED.search(text)
    scale = (hit["scale"] or hit["scale2"] or hit["scale3"] or "").lower() if hit else ""
    unit = (hit["unit"] or "").lower().replace(".", "") if hit else ""
    signs = re.search(r"US\s?\$|USD|\$|€|EUR|£|GBP", hit[0]) if hit else None
    counted = f"5 {unit}" if unit or signs is None else f"{signs[0]} 5"
    money = next((one.unit for one in find_values(counted) if one.kind == "money"), "")
    own = years(question.period, question.valid_from) or years(text)
    return Expectation(
        question,
        SCALES[scale] if scale else 0 if unit else -1,
        money or ("shares" if unit == "shares" else "percent" if unit.startswith("percent") else ""),
        bool(_SHARE.search(text)) or unit.startswith("percent"),
        bool(_MANY.search(text)),
        stems(text),
        own,
        own | years(text),
        _labelled_units(text),
        asked_unit(text) or _own_unit(question.answer),
    )


def _own_unit(answer: str) -> str:
    """Return the unit behind the number that a gold answer is, where no table of ours has it: "uL" of "25 uL"."""
    values = find_values(answer)
    if len(values) != 1 or values[0].kind != "count":
        return ""
    unit, end = unit_behind(answer, values[0].end)
    return "" if (answer[: values[0].start] + answer[end:]).strip(" .") else unit


def _labelled_units(text: str) -> frozenset[str]:
    words = (word for hit in _LABELLED.finditer(text) for word in hit.groups() if word)
    return frozenset(one.unit for word in words for one in find_values(f"5 {word}") if one.unit)


def parse_gold(question: Question) -> GoldAnswer:
    """Parse the gold answer of a question, with its aliases."""
    forms = [
        spell_units(plain_text(form, question.language).strip(), question)
        for form in (question.answer, *question.aliases)
        if form.strip()
    ]
    forms = [_NOTE_MARKS.sub("", form) for form in forms] + [form.replace("*", "") for form in forms if "*" in form]
    forms += [part for form in forms if (sign := _SIGN_AND_NAME.fullmatch(form)) for part in sign.groups()]
    forms += [hit[1] for form in forms if (hit := _NAME_AND_ACRONYM.fullmatch(form))]
    forms += [form[1:] for form in forms if form[:1] == "$" and is_code_name(form[1:])]
    about = parse_expectation(question)
    forms = [part for form in forms for part in _split_restated(form, about)]
    return _parse_forms(tuple(dict.fromkeys(forms)), about, True)


def spell_units(text: str, question: Question) -> str:
    """Return a text with what is short for it spelled out, where the gold answer is a fraction, a time, length or mass.

    "2/3" is two-thirds, "15s" is 15 seconds, "half an hour" is 30 minutes, and "5 m" is 5 metres.
    """
    answer = _DEGREE_SIGN.sub(" °", question.answer)
    text = _spell_degrees(_DEGREE_SIGN.sub(" °", text), answer, question.text)
    if re.search(r"\d[kK]$", answer):
        text = re.sub(r"(?<=\d)\s(?=[kK]\b)", "", text)
    if _PENCE.fullmatch(answer.strip()) and not _PICTURE.search(question.text):
        return _PENCE.sub(r"\1 pence", text)
    own = {one.unit for one in find_values(answer)}
    alone = {hit[2] for hit in _LETTER_UNIT.finditer(answer)} - (set() if _ASKS_LENGTH.search(question.text) else {"m"})
    letters = {letter for letter, (_, units) in _LETTERS.items() if letter in alone or own & units.keys()}
    text = _LETTER_UNIT.sub(lambda hit: f"{hit[1]} {_LETTERS[hit[2]][0]}" if hit[2] in letters else hit[0], text)
    if any(one.worded and one.amount < 1 for one in find_values(answer)):
        text = _FRACTION.sub(lambda hit: f"{_OVER[hit[1]]}-{_UNDER[hit[2]]}{'s' if hit[1] != '1' else ''}", text)
    if _DECADE.fullmatch(answer.strip()):
        return text
    forms = [find_values(spell_spans(form)) for form in (answer, *question.aliases)]
    timed = any(values and all(one.unit in SECONDS for one in values) for values in forms)
    if not _SHORT_UNIT.fullmatch(answer.strip()) and not timed:
        return text
    return spell_spans(_SHORT_UNIT.sub(lambda hit: f"{hit[1]} {_SHORT_UNITS[hit[2]]}s", text))


def _spell_degrees(text: str, answer: str, asked: str) -> str:
    """Return a text with kelvins in words, and with the sign of degrees where the gold answer is of such ("37.6C")."""
    if _DEGREES_KELVIN.search(answer):
        return _KELVIN.sub(r"\1 kelvin", text)
    text = _DEGREES_KELVIN.sub(" kelvin", text)
    signed = re.search(r"\d\s?°\s?[CF]\b", answer) or (_TEMPERATURE.search(asked) and _DEGREES.search(answer))
    return _DEGREES.sub(r"\1°\2", text) if signed else text


def _split_restated(form: str, about: Expectation) -> list[str]:
    """Return the two forms of a value that stands again in brackets ("604800 seconds (one week)"), else the form."""
    hit = _BRACKETED.fullmatch(form)
    if hit is None or not all(_is_one_value(part, about) for part in hit.groups()):
        return [form]
    first, again = (find_values(part)[0] for part in hit.groups())
    if first.kind == again.kind == "measure" and first.unit != again.unit:
        lengths = [one.amount * Decimal(SECONDS[one.unit]) for one in (first, again) if one.unit in SECONDS]
        if len(lengths) == 2 and abs(lengths[0] - lengths[1]) > _SAME * lengths[0]:
            return [form]
    elif abs(first.amount - again.amount) > _SAME * abs(first.amount):
        return [form]
    return [*hit.groups()]


def _parse_forms(forms: tuple[str, ...], about: Expectation, whole: bool) -> GoldAnswer:
    first = forms[0] if forms else ""
    if first.strip(" .").casefold() in VERDICTS or (FIRST.match(first) and YES_NO_QUESTION.match(about.question.text)):
        return GoldAnswer("verdict", forms)
    if forms and all(is_version(form, about.question.text) for form in forms):
        return GoldAnswer("version", forms)
    if whole and forms and all(is_time_of_day(form) for form in forms):
        return GoldAnswer("clock", forms)
    if whole and forms and all(map(parse_frequency, forms)):
        return GoldAnswer("frequency", forms)
    if whole and len(parts := split_parts(first, about)) > 1:
        ordered = "respectively" in first or "respectively" in plain_text(about.question.text)
        stated = [one.amount for one in find_values(first)]
        named = [split_tokens(part) for part in parts]
        unread = tuple(
            form
            for form in forms[1:]
            if [one.amount for one in find_values(form)] != stated
            or (not stated and [split_tokens(part) for part in split_parts(form, about)] != named)
        )
        parsed = tuple(_parse_forms((part,), about, False) for part in parts)
        return GoldAnswer("parts", forms, parts=parsed, ordered=ordered, unread=unread)
    if _ADDRESS.fullmatch(first) or _is_restatement(first, about):
        return GoldAnswer("text", forms)
    dates = [] if any(map(_GROUPED.fullmatch, forms)) else _bare_moments(first, about)
    if dates:
        if len(dates) > 1:
            days = {form: tuple(moments(form)) for form in forms}
            same = [form for form in forms if _are_same_dates(dates, days[form])]
            parsed = tuple(
                GoldAnswer("moment", (first,), moments=ones)
                for ones in zip(*(days[form] for form in same), strict=True)
            )
            return GoldAnswer("parts", forms, parts=parsed, unread=tuple(form for form in forms if form not in same))
        read = {form: _bare_moments(form, about)[:1] for form in forms}
        unread = tuple(form for form in forms if not read[form])
        return GoldAnswer(
            "moment", forms, moments=tuple(one for dates in read.values() for one in dates), unread=unread
        )
    if exact := tuple(_exact_values(forms, about)):
        return GoldAnswer(
            "value", forms, values=exact, unread=tuple(form for form in forms if not _single_value(form, about))
        )
    return GoldAnswer("text", forms)


def _are_same_dates(dates: Sequence[Moment], others: Sequence[Moment]) -> bool:
    """Return whether two rows of dates are the same, but for years that one of them leaves out."""
    pairs = zip(dates, others, strict=False)
    return len(dates) == len(others) and all(compare_moments(one, other) != "other" for one, other in pairs)


def _is_restatement(form: str, about: Expectation) -> bool:
    """Return whether a form is a sentence whose only numbers and years are the question's ("In 2022, AMD ...")."""
    if len(form.split()) < _SENTENCE or any(way[1] for one in moments(form) for way in one.ways):
        return False
    asked_of = plain_text(about.question.text)
    stated = {one.amount for one in find_values(asked_of)} | {*about.years}
    counted = [
        one for one in find_values(form) if about.many or not (one.worded and one.amount <= 10)
    ]  # "Among the three"
    own = {one.amount for one in counted} | {year for one in moments(form) for year in one.years}
    return bool(own) and own <= stated


def split_parts(form: str, about: Expectation) -> list[str]:
    """Return the parts of an answer, itself alone where it is one."""
    if ";" in form or "\n" in form:
        return [
            part.strip(" ,.") for part in re.split(r"[;\n]", re.sub(r"[;,]\s+and\s", "; ", form)) if part.strip(" ,.")
        ]
    if (ends := _PLAIN_RANGE.fullmatch(form)) and float(ends["low"]) < float(ends["high"]) and not years(form):
        return [f"{ends[end]}{ends['unit'] or ''}" for end in ("low", "high")]
    if _is_one_value(form, about):
        return [form]  # "one thousand, two hundred and six"
    ranged = _RANGE.fullmatch(form.replace(", respectively", ""))
    if ranged and all(_is_one_value(part, about) for part in ranged.groups()):
        return [*ranged.groups()]
    bare = re.sub(r",?\s*respectively\.?$", "", form)
    items = [
        re.sub(r"^an?\s", "", part.strip()) for part in re.split(r",\s+(?:and\s+)?|\s+and\s+", bare) if part.strip()
    ]
    if len(items) > 1 and all(_is_one_value(item, about) for item in items):
        return items
    if len(items) > 1 and (
        all(map(is_code_name, items))
        or (len(items) > 2 and all(item.isalpha() and item[0].islower() for item in items))
        or (len(items) > 2 and _SEVERAL.search(about.question.text) and all(map(_THING.fullmatch, items)))
    ):
        return items
    if not all(item[0].isupper() or is_code_name(item.partition("/")[0]) for item in items):
        return [form]
    named = len(items) > 2 and re.search(r",?\s+and\s+[^,]+$", bare)
    pair = len(items) == 2 and " and " in bare and "," not in bare and _SEVERAL.search(about.question.text)
    return items if named or pair else [form]


def is_range(form: str) -> bool:
    """Return whether an answer of two values is a range ("0 to 1/4 percent")."""
    return re.search(r"\sto\s|^between\s", form) is not None or _PLAIN_RANGE.fullmatch(form) is not None


def _is_one_value(text: str, about: Expectation) -> bool:
    return len(find_values(text)) == 1 and _is_bare_quantity(text, about)


def _is_bare_quantity(text: str, about: Expectation) -> bool:
    """Return whether a text is a number or date with what it counts, and nothing else."""
    text = _UNIT_SIGN.sub(lambda sign: " " * len(sign[0]), text)
    spans = [(one.start, one.end) for one in find_values(text)] + [(one.start, one.end) for one in moments(text)]
    rest = "".join(char for at, char in enumerate(text) if not any(start <= at < end for start, end in spans))
    others = [word for word in re.findall(r"[^\W\d_]+", rest) if word.casefold() not in _FILLER]
    strange = [word for word in others if stem(word.casefold()) not in about.words]
    return not any(word[0].isupper() for word in strange) and len(strange) <= 2


def _bare_moments(text: str, about: Expectation) -> list[Moment]:
    dates = list(moments(text))
    years_alone = all(not any(way[1:]) for one in dates for way in one.ways)
    inside = [range(one.start, one.end) for one in dates]
    counted = [one for one in _cardinal_values(text) if not one.year and not any(one.start in span for span in inside)]
    if not dates or counted or not _is_bare_quantity(text, about):
        return []
    if (
        years_alone
        and (about.scale > 0 or about.many or about.percent or about.measured_in)
        and not re.search(r"fiscal|FY", text, re.IGNORECASE)
    ):
        return []
    return dates


def _exact_values(forms: tuple[str, ...], about: Expectation) -> Iterator[ExactValue]:
    """Yield the values of the forms, each at its most precise; a form that rounds another adds no value."""
    read = [(form, one) for form in forms if (one := _single_value(form, about))]
    if not read or read[0][0] != forms[0]:
        return
    scaled = [one for _, one in read if one.scaled or one.amount >= 10**6]
    exacts: list[ExactValue] = []
    for form, one in read:
        power = _implied_scale(one, scaled, about)
        kind, unit = _kind_and_unit([one for _, one in read], one, about)
        amount, grain = one.amount.scaleb(max(power, 0)), one.grain.scaleb(max(power, 0))
        sign = -1 if one.minus or one.enclosed or negative_wording(form[: one.start]) == "below" else 1
        about_it = re.search(r"\b(?:approximately|about|roughly|around|nearly|almost|some)\b", form, re.IGNORECASE)
        noun = split_tokens(one.nouns)[-1] if split_tokens(one.nouns) else ""
        exacts.append(
            ExactValue(kind, unit, amount, grain, frozenset({sign}), one.amount if power > 0 else None, power < 0,
                  bool(about_it), limit := stated_bound(form[: one.start]), frozenset({limit}), stem(noun),
                  _short_forms(form == forms[0], kind, amount, grain))
        )  # fmt: skip
    exacts.sort(key=lambda exact: (exact.open, -len(exact.amount.normalize().as_tuple().digits)))
    kept: list[ExactValue] = []
    for exact in exacts:
        twin = next((at for at, other in enumerate(kept) if _is_rounding_of(other, exact)), None)
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
                shortened=other.shortened | exact.shortened,
            )
    yield from kept


def _short_forms(own: bool, kind: str, amount: Decimal, grain: Decimal) -> frozenset[tuple[Decimal, Decimal]]:
    """Return amount and grain of the answer's own form, or of a percentage among its aliases."""
    return frozenset({(amount, Decimal(0) if own else grain)} if own or kind == "percent" else ())


def _single_value(form: str, about: Expectation) -> Value | None:
    numbers = _cardinal_values(form)
    return numbers[0] if len(numbers) == 1 and _is_bare_quantity(form, about) else None


def _cardinal_values(text: str) -> list[Value]:
    """Return the numbers of a text without ordinals."""
    return [one for one in find_values(text) if one.kind != "place"]


def _implied_scale(one: Value, scaled: list[Value], about: Expectation) -> int:
    """Return the power of ten by which a printed number must be scaled; -1 where it is unknown."""
    if one.scaled or one.kind in ("percent", "points", "times", "measure"):
        return 0
    for other in scaled:  # the same digits with a stated scale
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
    complete = (one.kind == "money" and one.grain < 1) or one.amount >= 10**6 or one.nouns or about.many
    return 0 if complete else -1


def _kind_and_unit(all_: list[Value], one: Value, about: Expectation) -> tuple[str, str]:
    if one.kind != "count":
        return one.kind, one.unit
    money = next((other.unit for other in all_ if other.kind == "money"), about.unit if about.unit.isupper() else "")
    if money:
        return "money", money
    if not one.nouns and (unit := next((other.unit for other in all_ if other.kind == "measure"), "")):
        return "measure", unit
    return (
        ("percent", "") if any(other.kind == "percent" for other in all_) or about.unit == "percent" else ("count", "")
    )


def _is_rounding_of(fine: ExactValue, coarse: ExactValue) -> bool:
    """Return whether the coarser value is the finer one rounded, or printed in another scale."""
    if fine.kind != coarse.kind:
        return False
    if abs(fine.amount - coarse.amount) <= max(coarse.grain, fine.grain) / 2:
        return True
    return fine.shown is not None and fine.shown == coarse.amount
