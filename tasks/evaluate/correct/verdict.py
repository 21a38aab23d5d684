"""The rules in their order: from an answer in its trial to a score, or to a case for the judge (RARE R35)."""

import re
import traceback
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

from rarefy.data_contracts.rows import VERDICTS, Answer, Question, Score, Trial
from rarefy.tasks.evaluate.correct.by_clause import counts_other_parts, is_answered_elsewhere, is_reversed
from rarefy.tasks.evaluate.correct.by_clock import judge_clock
from rarefy.tasks.evaluate.correct.by_code import is_same_telephone
from rarefy.tasks.evaluate.correct.by_period import SECONDS, judge_frequency
from rarefy.tasks.evaluate.correct.by_set import judge_set
from rarefy.tasks.evaluate.correct.by_thing import is_of_another_row, is_swapped
from rarefy.tasks.evaluate.correct.by_topic import is_off_topic, strip_echo, strip_repeated_titles
from rarefy.tasks.evaluate.correct.by_unit import measure_different_things
from rarefy.tasks.evaluate.correct.by_value import judge_range, judge_value
from rarefy.tasks.evaluate.correct.by_version import judge_version
from rarefy.tasks.evaluate.correct.by_words import (
    is_capitalised,
    is_only_figures,
    is_same_wording,
    judge_words,
    names_other_entity,
)
from rarefy.tasks.evaluate.correct.choice import is_of_another_thing, judge_choice
from rarefy.tasks.evaluate.correct.citations import is_of_document, strip_citations
from rarefy.tasks.evaluate.correct.claim_status import (
    NEGATION,
    TURNS,
    YES_NO_QUESTION,
    Outcome,
    is_compared,
    is_denied,
    is_doubted,
    joining_word,
    moves_otherwise,
    right,
    says_none,
    stated_bound,
    unclear,
    wrong,
)
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.gold import (
    FIRST,
    Expectation,
    GoldAnswer,
    is_range,
    parse_expectation,
    parse_gold,
    spell_units,
)
from rarefy.tasks.evaluate.correct.judging import GROUPS, JudgeCase, choose_role
from rarefy.tasks.evaluate.correct.normalise import (
    EMPTY,
    SHORT,
    STATEMENT,
    Value,
    extract_answer,
    find_values,
    initials,
    is_code_name,
    split_tokens,
    split_words,
    stems,
)
from rarefy.tasks.evaluate.correct.offered import with_offers
from rarefy.tasks.evaluate.protocols.protocol import Protocol
from rarefy.tasks.evaluate.systems.interface import NO_ANSWER
from rarefy.tasks.models.llm.faults import replace_surrogates
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.dates import MONTH, NAMES, NUMBERS, Moment, Parts, compare_moments, moments
from rarefy.tasks.text.quantities import MEASURES, ORDINALS, SCALE_WORDS, UNITS
from rarefy.tasks.text.refusals import Refusal, refusal
from rarefy.tasks.text.stems import stem

_MEANS = {"true": "yes", "false": "no", "not": "no", "never": "no"}
_STATES = (  # and their opposites
    (
        r"enabled|activated?|active|(?:switched|turned) on",
        r"disabled|deactivated|inactive|(?:switched|turned) off|(?<=is )off",
    ),
    ("allowed|permitted", "disallowed|forbidden|prohibited|banned"),
    ("required|mandatory|compulsory|obligatory", "optional|voluntary"),
    ("included", "excluded"),
    ("open", "closed"),
)
_HOW_MANY_ASKED = re.compile(
    r"\b(?:which|what)\s(?:\w+['’]s\s|(?:are|were|is|the)\s){0,4}(two|three|four|five|six)\b", re.I
)
_AND_ANOTHER = re.compile(r",?\s(?:and|as well as)\s(?:the\s)?[A-Z]")
_JOINED = re.compile(r"\s*(?:[,;/|&\n]|\b(?:and|or|as well as|plus)\b)\s*", re.IGNORECASE)
_LAST = re.compile(r"[^,.;:?!]{1,40}, (?P<word>yes|no)\W*", re.IGNORECASE)  # "By default, yes."
_ASKED_STATE = re.compile(r"\b([a-z]+(?:ed|en))\?$")
_COMES = re.compile(
    r"^\W*(?:it )?(?:ships|comes|is (?:shipped|delivered)|starts)\s(?:with (?:it|this)\s)?", re.IGNORECASE
)
_CHOOSES = re.compile(r"\b(?:can|may|could|might|or)\b", re.IGNORECASE)  # of several things each will do
_LEAD_IN = re.compile(r"^\W*(?:(?:only|just|both|either|all of|the)\s+)+", re.IGNORECASE)
_SAYS = frozenset(
    "it they he she them not no none never cannot do does did can may must will would should could".split()
)
_PRONOUN = re.compile(r"\W*(?:it|they|he|she|that|this|these|those|there|you|we)\b(?:'s|'re)?", re.IGNORECASE)
_TOPIC = re.compile(r"\W*(?:it|this|that)\b", re.IGNORECASE)  # may be the question: "It is not covered."
_AS_MUCH = re.compile(  # words that may state a quantity without a number; "A.B. Company" has no article
    rf"\b(?:always|an? (?:\w+ )?(?:{'|'.join(MEASURES)}|{SCALE_WORDS}|"
    r"dozen|couple|few|pair|while|moment|little|long|third|quarter|fifth|tenth|single|lot|number|"
    r"percent|point|penny|dollar|euro|bit|share|part)|once|one time|"
    r"(?:doubl|tripl|quadrupl|halv)\w+)\b",
    re.IGNORECASE,
)
_ALL = re.compile(  # of what: "all", "nearly all", "all of them", "all members"
    r"^\W*(?:\w+ )?(?:all|any|both|half|most)\W*$|\b(?:all|any|both|half|most) (?P<noun>\w+)", re.IGNORECASE
)
_OF_WHAT = ("", "of", "the", "these", "those", "them")
_ORDINAL_PREFIX = re.compile(r"\b(?:first|second|third)-(?=[a-z])", re.IGNORECASE)  # "third-party carriers"
_VAGUE_PROSE = re.compile(  # words of a long answer that may say how much, or decline
    r"\b(?:cannot|without|(?:do|does|did) not|not (?:available|given|stated)|nothing|no (?:figure|amount|number)"
    r"|impossible|unable|needs?|please"
    r"|var(?:y|ies)|depends?|equals|equal (?:to|in)|same|unchanged|majority|several"
    r"|(?<!in )(?:dozens|hundreds|thousands|millions|billions) of)\b|n't\b",
    re.IGNORECASE,
)
_AS_MUCH_MONEY = re.compile(  # words of a long answer that may state an amount or a share without a number
    r"\b(?:half|twice|all of|none of|most of|(?:an?|one|two|three)[ -](?:third|quarter|fifth|tenth)s?"
    r"|(?:doubl|tripl|quadrupl|halv)\w+)\b",
    re.IGNORECASE,
)
_OVER = {word: number for word, number in UNITS.items() if 0 < number < 10}
_UNDER = {"half": 2, "third": 3, "quarter": 4, "fourth": 4} | {w: n for w, n in ORDINALS.items() if 5 <= n <= 10}
_SHARE_IN_WORDS = re.compile(
    rf"(?:(?P<over>an?|{'|'.join(_OVER)})[\s-])?(?P<under>(?:{'|'.join(_UNDER)})s?)(?: of [^\d.;]+)?", re.IGNORECASE
)
_SURCHARGE = re.compile(r"(?P<amount>[^+]*\d[^+]*?)\s(?:\+|plus)\s(?P<more>[^\d+]*[A-Za-z][^\d+]*)")
_ON_TOP = r"(?:[+&,]|\b(?:plus|and|with))\s(?:(?:and|the|their|any|all)\s){0,2}"
_TWO_DIGITS = re.compile(r"\d{1,2}([/.-])\d{1,2}\1\d\d")
_FACTORS = [Decimal(10) ** power for power in (-12, -9, -6, -3, -2, 0, 2, 3, 6, 9, 12)]  # of scales, and of per cent
_ROUNDED = Decimal("0.005")  # share of a value by which one in another scale may be rounded
_ROW_CELLS = 3  # of a line that is a row of a table
_UNIT = 4  # letters of what may be a unit: "dt", "kPa"
_FEW_WORDS = 3  # of a gold answer that is a value and no more
_BELIEVED = re.compile(r",?\s+(?:I|we)\s(?:think|believe|guess|suppose)\W*$")  # it is stated all the same
_BELIEVES = re.compile(r"^\W*(?:I|we)\s(?:think|believe|guess|suppose)\s(?:that\s)?(?=\w)", re.IGNORECASE)
_IN_ITS_PLACE = re.compile(r",?\s+(?:and |but )?(?:not|rather than|instead of)\s+(?:the |an? )?$", re.IGNORECASE)
_WHEN = re.compile(  # words that may state a time without a date
    r"\b(?:today|yesterday|tomorrow|ago|last|next|same|previous|following|later|earlier|eve|night|morning|(?:centur|decad)\w+"
    r"|years?|months?|weeks?|days?|spring|summer|autumn|fall|winter|season|holiday|christmas|easter|\w+day"
    rf"|(?!(?-i:may)\b){MONTH})\b",
    re.IGNORECASE,
)
_MONTH = re.compile(rf"\b{MONTH}(?!\w)", re.IGNORECASE)
_SEASONS = frozenset("spring summer autumn fall winter".split())
_HOUR = re.compile(  # words that may state a time of day, and part of "every Monday at 10"
    r"\b(?:no|not|never|always|any|all|morning|noon|afternoon|evening|(?:mid)?night|dawn|dusk|sun(?:rise|set)|hours?|now|\w+day"
    r"|(?:close|start|end|begin\w*) of)\b",
    re.IGNORECASE,
)
_HOW_OFTEN = re.compile(  # words that may say how often
    r"\b(?:no|not|never|always|often|seldom|rarely|sometimes|any|all|each|every|per|once|twice|times?|when\w*|\w+ly"
    r"|continu\w+|constant|occasional|as needed|on demand|second|minute|hour|day|night|week|month|quarter|year)s?\b",
    re.IGNORECASE,
)
_DAY_IN_WORDS = re.compile(  # "the first of January", "January first"
    rf"\b(?:the )?(?P<day>{'|'.join(ORDINALS)})(?: day)? of (?P<month>{MONTH})\b"
    rf"|\b(?P<month2>{MONTH}) (?:the )?(?P<day2>{'|'.join(ORDINALS)})\b",
    re.IGNORECASE,
)
_LAST_DAY = re.compile(rf"\b(?:the )?(?:last day|end) of (?P<month>{MONTH}),? (?P<year>(?:19|20)\d\d)\b", re.IGNORECASE)
_MONTH_IN_FIGURES = re.compile(r"(?<![\d/.-])(0?[1-9]|1[0-2])/((?:19|20)\d\d)\b")  # "08/2026"
_ROWS = frozenset(("value", "moment", "clock", "frequency"))  # kinds of answers of which other things have others
_FIRM = frozenset(("money", "percent", "points"))  # kinds of number that show their unit
_UNSCALED = frozenset(("percent", "points", "times", "measure"))  # kinds that nobody gives in millions
_YEAR_AND_MARK = re.compile(r"\b(1[5-9]\d\d|20[0-2]\d)\d{1,2}(?=\.?(?:\s|$))")  # "in 18501.": a citation follows


def read_gold(question: Question) -> tuple[GoldAnswer, Expectation]:
    """Return the gold answer of a question, and what the question expects, with the things it offers to choose from."""
    offered = with_offers(question)
    return parse_gold(offered), parse_expectation(offered)


def match_answer(text: str, gold: GoldAnswer, about: Expectation, config: CorrectConfig) -> Outcome:
    """Judge an answer, as `extract_answer` returns it, as right, wrong or open; never wrong without `config.value`."""
    text = strip_repeated_titles(text, about.question.text)
    said = text if any(map(is_of_document, gold.forms)) else strip_citations(text)
    stated = strip_echo(said, about)
    outcome = _match_any(stated, gold, about, config)
    if stated != said and (outcome.verdict == "open" or outcome.why == "no_value"):
        outcome = _match_any(said, gold, about, config)
    if outcome.why == "denied" and outcome.matched:
        before, _, behind = said.rpartition(outcome.matched)
        hit = None if re.search(r"\w", behind) else _IN_ITS_PLACE.search(before)  # "Kafka, not RabbitMQ"
        instead = _match_any(before[: hit.start()], gold, about, config) if hit else outcome
        outcome = instead if instead.verdict == "wrong" and instead.why.startswith("other") else outcome
    if outcome.verdict == "right" and said != text:  # of a company by the title of what is cited
        places = (text.find(outcome.matched), len(text.rstrip(" .")))
        if any(names_other_entity(text, at, about) for at in places):
            outcome = unclear("other_entity", outcome.matched)
    if outcome.verdict == "right" and is_of_another_thing(said, gold, about):
        outcome = unclear("other_thing", outcome.matched)
    sure = outcome.verdict == "right" or outcome.why == "sign"
    if sure and len(split_words(said)) <= STATEMENT and all(moves_otherwise(said, form) for form in gold.forms):
        outcome = wrong("opposite", outcome.matched)
    cells = [cell for cell in said.split("|") if cell.strip()]
    if outcome.stage == "contained" and gold.kind == "text" and len(cells) >= _ROW_CELLS and "\n" not in said.strip():
        outcome = unclear("several_names", outcome.matched)  # which cell of the row is meant, it does not say
    if outcome.stage == "contained" and is_swapped(said, outcome.matched, about):
        outcome = wrong("other_row", outcome.matched)
    if outcome.stage == "contained" and gold.kind in _ROWS and is_of_another_row(said, outcome.matched, about):
        outcome = unclear("other_row", outcome.matched)
    if outcome.stage == "contained" and is_reversed(said, gold, about):
        outcome = wrong("reversed", outcome.matched)
    if outcome.stage == "contained" and counts_other_parts(said, gold, about):
        outcome = unclear("other_number", outcome.matched)
    if outcome.stage == "contained" and is_answered_elsewhere(said, outcome.matched, gold, about):
        outcome = unclear("other_clause", outcome.matched)
    if outcome.verdict == "open" and outcome.why == "unmatched" and is_off_topic(said, gold, about):
        outcome = wrong("off_topic")
    return unclear(outcome.why) if outcome.verdict == "wrong" and not config.value else outcome


def _match_any(text: str, gold: GoldAnswer, about: Expectation, config: CorrectConfig) -> Outcome:
    text = spell_units(_BELIEVES.sub("", _BELIEVED.sub("", text)), about.question)
    if about.question.members:
        return judge_set(text, about.question)
    if config.match == "plain":
        return _match_plain(text, gold)
    if about.question.chance and (outcome := judge_choice(text, about.question)):
        return outcome
    for form in gold.forms:
        if (
            (gold.kind in ("text", "verdict") and is_same_wording(text, form))
            or " ".join(text.split()).strip(" .") == form.strip(" .")
            or is_same_telephone(text, form, about)
        ):
            return right("exact", text)
    if share := next(
        filter(None, (_judge_share(text, form) for form in (about.question.answer, *about.question.aliases))), None
    ):
        return share
    if surcharge := _judge_surcharge(text, gold, about, config):
        return surcharge
    if gold.kind == "parts":
        return _judge_parts(text, gold, about, config)
    return _match_one(text, gold, about, config)


def is_decided_by_rules(question: Question) -> bool:
    """Whether rules tell wrong answers to a question from right ones, most of the time.

    They do where the gold answer is a value, a date, a name or a yes or no, where the question names what may be
    chosen, and where to refuse is right; of a phrase ("lower margins") they cannot know what else says the same.
    """
    if question.pattern == "absent" or question.members or question.chance:
        return True
    gold = parse_gold(question)
    return all(part.kind != "text" or is_capitalised(part.forms[0]) for part in gold.parts or (gold,))


def _judge_surcharge(text: str, gold: GoldAnswer, about: Expectation, config: CorrectConfig) -> Outcome | None:
    """Judge an answer by an amount and what comes on top of it ("$400 + actual cost"); None where gold is no such."""
    hit = _SURCHARGE.fullmatch(gold.forms[0]) if gold.forms else None
    if hit is None:
        return None
    amount = parse_gold(replace(about.question, answer=hit["amount"], aliases=()))
    outcome = _match_one(text, amount, about, config)
    if outcome.verdict != "right":
        return outcome
    words = r"\W+".join(map(re.escape, hit["more"].rstrip("s").split()))
    more = re.search(_ON_TOP + words, text, re.IGNORECASE)
    return right("contained", outcome.matched) if more else unclear("some_parts", outcome.matched)


def _judge_share(text: str, form: str) -> Outcome | None:
    """Judge a percentage by a gold fraction in words ("67 %" for two thirds); None where it is another, or more."""
    hit, values = _SHARE_IN_WORDS.fullmatch(form.strip(" .")), find_values(text)
    if not hit or [one.kind for one in values] != ["percent"] or len(split_words(text)) > SHORT:
        return None
    said, under = values[0], hit["under"].lower()
    share = 100 * Decimal(_OVER.get((hit["over"] or "one").lower(), 1)) / _UNDER[under.rstrip("s")]
    before = text[: said.start]
    if stated_bound(before) or is_denied(text, said.start, said.end) or is_doubted(text, said.start):
        return None
    if abs(said.amount - share) <= said.grain / 2:
        return right("contained", text[said.start : said.end], "percent")
    return unclear("rounding", text[said.start : said.end]) if abs(said.amount - share) < said.grain else None


def _match_one(
    text: str, gold: GoldAnswer, about: Expectation, config: CorrectConfig, beside: Sequence[GoldAnswer] = ()
) -> Outcome:
    if gold.kind == "verdict":
        return _judge_yes_no(text, gold, about, config)
    short = len(split_words(text)) <= SHORT
    if gold.kind == "version":
        return judge_version(text, gold.forms, about.question.text, short)
    if gold.kind == "clock":
        outcome = judge_clock(text, gold.forms, about.question.text, short)
    elif gold.kind == "frequency":
        outcome = judge_frequency(text, gold.forms, about.words)
    elif gold.kind == "moment":
        outcome = _judge_moment(text, gold, about, config, beside)
    elif gold.kind == "value":
        outcome = judge_value(text, gold, about, config, [exact for other in beside for exact in other.values])
    else:
        return judge_words(text, gold, about, listed=bool(beside))
    if outcome.verdict != "open":
        return outcome
    otherwise = _match_otherwise(text, gold, about, config, beside)
    if otherwise and otherwise.verdict == "right":
        return otherwise
    elsewhere = outcome.why != "unmatched" or gold.unread
    return outcome if elsewhere or not _lacks_value(text, gold, about, beside) else wrong("no_value", text)


def _lacks_value(text: str, gold: GoldAnswer, about: Expectation, beside: Sequence[GoldAnswer]) -> bool:
    """Return whether an answer states no value of the gold answer's kind ("Ernst & Young LLP", "Yes.").

    It may hold numbers of another kind, as a percentage where money is asked for, and those of names ("Note 7"), but
    none that may be the right one in another scale or unit (EUR 5 for 5 %), and no word that may say how many ("all of
    them") or when ("last week"). A long one may hold no numbers but dates, unless money or a share is asked for.
    """
    if says_none(text) and all(exact.amount for exact in gold.values):
        return True
    if gold.kind == "moment" and (number := _lone_number(text)) and not 1000 <= number.amount <= 2100:
        return number.amount not in _date_parts(gold)
    kinds = {exact.kind for exact in gold.values} or {"moment"}
    long = len(split_words(text)) > SHORT
    firm = kinds <= _FIRM
    day = gold.kind == "moment" and all(way[1] for one in gold.moments for way in one.ways)
    if long and (beside or not (day or _is_plain_value(gold)) or _VAGUE_PROSE.search(text)):
        return False
    vague = {"moment": _WHEN, "clock": _HOUR, "frequency": _HOW_OFTEN}.get(gold.kind, _AS_MUCH)
    vague = _AS_MUCH_MONEY if long and firm else vague
    months = {way[1] for one in gold.moments for way in one.ways}
    own = gold.kind != "value"
    may_be_year = any(exact.unit in SECONDS or 1000 <= exact.amount <= 2100 for exact in gold.values)
    bare_years = not own and (long or firm or not (beside or may_be_year))
    dates = [one for one in moments(text) if bare_years or (not own and any(way[1] for way in one.ways))]
    text = _ORDINAL_PREFIX.sub("", text)
    others = [
        one
        for one in find_values(text)
        if (one.year and dates) or ((firm or not long) and _is_of_another_kind(one, kinds, gold, about))
    ]
    rest = list(text)
    for start, end in [(one.start, one.end) for one in dates] + [(one.start, one.end) for one in others]:
        rest[start:end] = " " * (end - start)
    left = "".join(rest)
    if months and 0 not in months:  # another month is another day
        left = _MONTH.sub(lambda hit: hit[0] if NUMBERS[hit[0][:3].casefold()] in months else " ", left)
    digits = re.findall(r"\d+(?:\.\d+)?", left)  # where they are no number, they are of a name: "Level 3"
    if vague.search(left) or _counts_all(left, gold, about) or not re.search(r"[^\W\d_]" if digits else r"\w", text):
        return False
    if gold.kind == "moment" and not beside:
        digits = [one for one in digits if any(str(part) in one for part in _date_parts(gold))]
    ranks = about.many or firm  # they state no amount
    if (
        any(one.kind != "place" or not ranks for one in find_values(left) if not _is_no_date_part(one, gold))
        or moments(left)
        or ((own or beside) and digits and re.search(r"(?<![^\W\d_])\d", left))
    ):
        return False
    stated = [*map(Decimal, digits), *(one.amount for one in others)]
    near = (
        abs(amount * factor / exact.amount - 1)
        for exact in gold.values
        if exact.amount
        for amount in stated
        for factor in _FACTORS
    )
    return all(off > _ROUNDED for off in near)


def _counts_all(text: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether words may state how many of what the question speaks of there are: all, or none if that is so."""
    if any(not exact.amount for exact in gold.values) and NEGATION.search(text):
        return True
    if gold.kind != "value" or all(exact.kind == "measure" for exact in gold.values):
        return False
    nouns = ((hit["noun"] or "").casefold() for hit in _ALL.finditer(text))
    return any(noun in _OF_WHAT or stem(noun) in about.words for noun in nouns)


def _lone_number(text: str) -> Value | None:
    """Return the number that an answer is, with its unit, and nothing else: "5", "two years"."""
    numbers = find_values(text)
    alone = len(numbers) == 1 and not re.search(r"\w", text[: numbers[0].start] + text[numbers[0].end :])
    return numbers[0] if alone and numbers[0].kind != "place" else None


def _is_of_another_kind(one: Value, kinds: set[str], gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether a number of a short answer is not of the gold answer's kind, nor a number of its date."""
    if one.kind == "measure":
        return _is_another_measure(one.unit, gold, about)
    if one.kind != "count":
        return one.kind in _FIRM - kinds
    if gold.kind in ("clock", "frequency"):
        return False
    if gold.kind == "moment":
        named = bool(split_tokens(one.nouns))
        return (one.worded and named) or (one.amount not in _date_parts(gold) and (one.worded or one.pointed or named))
    if one.amount < 1 and one.worded:
        return False  # "half of them"
    units = [*split_tokens(one.nouns)[:1], *(exact.noun for exact in gold.values if exact.noun)]
    if len(units) > 1 and max(map(len, units)) <= _UNIT and not wordnet.known(units[0]):
        return False  # "74 dt/ha" for "7.4 t/ha"
    things = {stem(word) for word in split_tokens(one.nouns)[:1]}
    return (bool(things) and not things & about.words) or (one.scaled and kinds <= _UNSCALED)


def _is_no_date_part(one: Value, gold: GoldAnswer) -> bool:
    """Return whether a number is too small for a year, and neither day nor month of a gold date."""
    return gold.kind == "moment" and one.amount < 1000 and one.amount not in _date_parts(gold)


def _date_parts(gold: GoldAnswer) -> set[int]:
    """Return the numbers that may be written in the gold answer's dates: years, in two digits too, months, days."""
    return {part for one in gold.moments for way in one.ways for part in (*way, way[0] % 100) if part}


def _is_plain_value(gold: GoldAnswer) -> bool:
    """Return whether a gold answer is a value and little more; not nothing, nor what dates may say: a year, a time."""
    return (
        gold.kind == "value"
        and len(split_words(gold.forms[0])) <= _FEW_WORDS
        and all(exact.amount and exact.unit not in SECONDS for exact in gold.values)
        and not any(exact.kind == "count" and 1000 <= exact.amount <= 2100 for exact in gold.values)
    )


def _is_another_measure(unit: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether a unit measures something else than the gold answer: "45 degrees" for 2 seconds or for a count."""
    if stem(unit) in about.words and not {exact.kind for exact in gold.values} <= _FIRM:
        return False
    if unit == "week" and "day" in about.units:
        return False  # of five days, or seven
    units = {exact.unit for exact in gold.values if exact.kind == "measure"}
    long = unit in SECONDS and unit not in ("second", "minute", "hour")  # "two years later" may be a date
    timed = unit in SECONDS
    another = all((own in SECONDS) != timed or measure_different_things(own, unit) for own in units)
    return another and not (gold.kind == "moment" and long)


def _match_otherwise(
    text: str, gold: GoldAnswer, about: Expectation, config: CorrectConfig, beside: Sequence[GoldAnswer]
) -> Outcome | None:
    """Judge an open answer by forms that are no values, or by gold numbers that may be years before 1900."""
    if gold.unread:
        return judge_words(text, GoldAnswer("text", gold.unread), about, listed=bool(beside))
    if old := _old_years(gold):
        years = [GoldAnswer("moment", other.forms, moments=_old_years(other)) for other in beside]
        return _judge_moment(text, GoldAnswer("moment", gold.forms, moments=old), about, config, years)
    return None


def _old_years(gold: GoldAnswer) -> tuple[Moment, ...]:
    """Return gold numbers that may be years before 1900: "1850" alone is parsed as a number."""
    return tuple(
        Moment(frozenset({Parts(int(exact.amount))}), 0, 0)
        for exact in gold.values
        if exact.kind == "count" and not exact.noun and exact.grain == 1 and 1000 <= exact.amount < 1900
    )


def _judge_parts(text: str, gold: GoldAnswer, about: Expectation, config: CorrectConfig) -> Outcome:
    """Judge each part; all must be right, in their order where the question says "respectively"."""
    named = split_tokens(gold.forms[0])
    if len(named) > 2 and re.search(rf"\b{initials(named).upper()}\b", text) and not NEGATION.search(text):
        return right("contained", initials(named).upper())  # "NHLBI" of the "Heart, Lung, and Blood Institute"
    ends = len(gold.parts) == 2 and all(part.kind == "value" for part in gold.parts) and is_range(gold.forms[0])
    if ends and (outcome := judge_range(text, gold.parts[0], gold.parts[1], about, config)):
        return outcome
    if (outcome := _judge_list(text, gold, about, config) or _judge_dates(text, gold)) is not None:
        return outcome
    outcomes = [
        _match_one(text, part, about, config, [other for other in gold.parts if other is not part])
        for part in gold.parts
    ]
    right_ones = [one for one in outcomes if one.verdict == "right"]
    covered = len(right_ones) / len(outcomes)
    words = "; ".join(one.matched for one in right_ones)
    if len(right_ones) == len(outcomes):
        places = [text.find(one.matched) for one in outcomes]
        if gold.ordered and places != sorted(places):
            return unclear("order", words, covered)
        end = max(at + len(one.matched) for at, one in zip(places, outcomes, strict=True))
        if (_asks_so_many(gold, about) and _AND_ANOTHER.match(text, end)) or _has_another_code(text, gold, about):
            return wrong("other_name", words)
        return right("contained", words)
    if right_ones:
        return unclear("some_parts", words, covered)
    words_alone = GoldAnswer("text", tuple(form for part in gold.parts for form in part.forms))
    if {part.kind for part in gold.parts} == {"text"}:
        outcomes = [judge_words(text, words_alone, about)]
    if all(one.verdict == "wrong" and (one.why == "no_value" or not gold.unread) for one in outcomes):
        return wrong("other_value", outcomes[0].matched)
    return unclear(next((one.why for one in outcomes if one.verdict == "open"), "unmatched"))


def _has_another_code(text: str, gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether a list of codes ("HX-40, HX-60") has one more in a short answer."""
    known = {*split_tokens(gold.forms[0]), *split_tokens(about.question.text)}
    codes = all(is_code_name(part.forms[0]) and re.search(r"\d", part.forms[0]) for part in gold.parts)
    others = [item for item in _JOINED.split(_LEAD_IN.sub("", text)) if not {*split_tokens(item)} <= known]
    return codes and any(is_code_name(item.strip(" .")) and re.search(r"\d", item) for item in others)


def _asks_so_many(gold: GoldAnswer, about: Expectation) -> bool:
    """Return whether a question says how many there are of what the gold answer lists ("Which two districts ...?")."""
    asked = _HOW_MANY_ASKED.search(about.question.text)
    return asked is not None and UNITS[asked[1].lower()] == len(gold.parts)


def _judge_dates(text: str, gold: GoldAnswer) -> Outcome | None:
    """Judge an answer that is as many dates as the gold answer, one of them another; None for anything else."""
    dates = list(moments(text))
    wanted = [one for part in gold.parts for one in part.moments]
    rest = (
        "".join(text[one.end : other.start] for one, other in pairwise(dates)) + text[: dates[0].start if dates else 0]
    )
    if (
        not len(dates) == len(wanted) == len(gold.parts)
        or gold.unread
        or not {*split_tokens(rest)} <= EMPTY | {"through"}
    ):
        return None
    apart = [one for one in dates if all(compare_moments(mine, one) == "other" for mine in wanted)]
    lost = [mine for mine in wanted if all(compare_moments(mine, one) == "other" for one in dates)]
    return Outcome("wrong", "value", text, "other_value", 1 - len(lost) / len(wanted)) if apart and lost else None


def _judge_list(text: str, gold: GoldAnswer, about: Expectation, config: CorrectConfig) -> Outcome | None:
    """Judge a short answer that is a plain list of parts of the gold answer; None where it is anything else.

    Right is one with all of them, whatever joins them; wrong one that lacks a name, or has another in its place.
    """
    offered = re.search(r"\bor\b", text) and not _CHOOSES.search(about.question.text)
    if len(split_words(text)) > SHORT or NEGATION.search(text) or "?" in text or offered:
        return None
    items = [item.strip(" .") for item in _JOINED.split(_LEAD_IN.sub("", text)) if item.strip(" .")]
    verdicts = [
        {at: _match_one(item, part, about, config).verdict for at, part in enumerate(gold.parts)} for item in items
    ]
    matched = [
        {
            at
            for at, verdict in row.items()
            if verdict == "right" and len(split_tokens(item)) <= len(split_tokens(gold.parts[at].forms[0])) + 1
        }
        for item, row in zip(items, verdicts, strict=True)
    ]
    found = set().union(*matched)
    lacking = [at for at in range(len(gold.parts)) if at not in found]
    others = [row for row, parts in zip(verdicts, matched, strict=True) if not parts]
    if not found or any(row[at] != "wrong" for row in others for at in lacking):
        return None
    if not lacking and not others and not gold.ordered:
        return right("contained", text)
    beside = [item for item, parts in zip(items, matched, strict=True) if not parts]
    if not lacking and all(part.kind == "text" for part in gold.parts) and all(map(is_capitalised, beside)):
        return wrong("other_name", text) if _asks_so_many(gold, about) else unclear("several_names", text)
    covered = len(found) / len(gold.parts)
    names = {part.kind for part in gold.parts} == {"text"}
    return Outcome("wrong", "value", text, "missing_part", covered) if lacking and names and not gold.unread else None


def _judge_yes_no(text: str, gold: GoldAnswer, about: Expectation, config: CorrectConfig) -> Outcome:
    """Judge a yes or no by the first word of the answer, or by what it says in the words of the question."""
    wanted = {
        _MEANS.get(hit["word"].casefold(), hit["word"].casefold()) for form in gold.forms if (hit := FIRST.match(form))
    }
    if says_none(text, both=False) and wanted == {"no"}:
        return right("exact", text)
    hit = FIRST.match(text)
    if hit is None and (last := _LAST.fullmatch(text)) and not NEGATION.search(text, 0, last.start("word")):
        hit = last
    if hit is None:
        said = _stated_verdict(text, about)
        if said in wanted:
            return right("contained", text)
        if said:
            return wrong("other_value", text)
        named = (
            is_only_figures(text)
            or is_code_name(text)
            or (
                is_capitalised(text) and not wordnet.known(text.strip(" .!").casefold())  # "Disabled."
            )
        )
        if named and wanted == {"no"} and not stems(text) & about.words:
            return wrong("no_value", text)  # it means yes, or nothing
        return unclear("unmatched")
    answer = _MEANS.get(hit["word"].casefold(), hit["word"].casefold())
    rest = re.findall(
        r"\b(yes|no|true|false)\b(?!\s(?:longer|more|other|such|later|doubt))", text[hit.end() :].casefold()
    )
    if any(_MEANS.get(word, word) != answer for word in rest) and len(split_words(text)) <= 8:
        return unclear("choice")
    if answer in wanted:
        if len(split_words(text)) > SHORT and not any(form.strip(" .").casefold() in VERDICTS for form in gold.forms):
            return unclear("explanation", hit["word"])  # the gold answer's own is for a judge to compare
        return right("exact" if len(split_words(text)) == 1 else "contained", hit["word"])
    return wrong("other_value", hit["word"])


def _stated_verdict(text: str, about: Expectation) -> str:
    """Return "yes" or "no" where a short answer says or denies what is asked in the question's own words, else "".

    Pronouns may stand for words of the question ("It doesn't sponsor them.").
    """
    asked = about.question.text
    text = _say_as_asked(_COMES.sub("it is ", text.replace("n't", " not")), asked)
    words = split_tokens(text)
    own = stems(asked)
    state = _ASKED_STATE.search(asked)  # "Approved subject to conditions." of "Was it approved?"
    turned = any(pattern.search(each) for pattern in (NEGATION, TURNS) for each in (text, asked))
    if state and words[:1] == (state[1].lower(),) and YES_NO_QUESTION.match(asked) and not turned:
        return "yes" if len(words) <= SHORT else ""
    new = {word for word in words if word not in EMPTY and word not in _SAYS and not stems(word) <= own}
    if not YES_NO_QUESTION.match(asked) or NEGATION.search(asked) or new or len(words) > SHORT or "?" in text:
        return ""
    denied = len(NEGATION.findall(text))
    pronoun = _PRONOUN.match(text)
    echoed = pronoun is not None and (
        not any(word not in EMPTY and word not in _SAYS for word in words) or own & stems(text[pronoun.end() :])
    )
    if denied:
        return "no" if denied == 1 else ""
    return "yes" if echoed or own <= stems(text) | stems(asked.split()[0]) else ""


def _say_as_asked(text: str, asked: str) -> str:
    """Return a text in the question's word for a state, with "not" before it for the other ("off": "not enabled")."""
    for pair in _STATES:
        for mine, other in (pair, pair[::-1]):
            hit = re.search(rf"\b(?:{mine})\b", asked, re.IGNORECASE)
            if hit and not re.search(rf"\b(?:{other})\b", asked, re.IGNORECASE):
                text = re.sub(rf"\b(?:{other})\b", f"not {hit[0]}", text, flags=re.IGNORECASE).replace("not not ", "")
                return re.sub(rf"(?<!not )\b(?:{mine})\b", hit[0], text, flags=re.IGNORECASE)
    return text


def _judge_moment(
    text: str, gold: GoldAnswer, about: Expectation, config: CorrectConfig, beside: Sequence[GoldAnswer]
) -> Outcome:
    text = _spell_days(_YEAR_AND_MARK.sub(r"\1", text))
    dates = [
        replace(one, ways=one.ways | {way._replace(year=way.year - 100) for way in one.ways})  # "14/03/31" of 1931
        if _TWO_DIGITS.fullmatch(text[one.start : one.end])
        else one
        for one in moments(text)
    ]

    def quote(one: Moment) -> str:
        return text[one.start : one.end]

    def is_asserted(one: Moment) -> bool:
        return not is_denied(text, one.start, one.end) and not is_doubted(text, one.start)

    parts = [one for other in beside for one in other.moments]
    verdicts = [_compare_moments(gold.moments, one, about) for one in dates]
    same, less, other = (
        [one for one, found in zip(dates, verdicts, strict=True) if found == verdict]
        for verdict in ("same", "less", "other")
    )
    other = [one for one in other if not parts or _compare_moments(parts, one, about) != "same"]
    exact = any(any(way[1:]) for mine in gold.moments for way in mine.ways)  # more than a year
    if not exact:
        finer = [one for one in dates if any(any(way[1:]) for way in one.ways)]
        other = [one for one in other if one in finer or not one.years & about.years]
    if stated := [one for one in same if is_asserted(one)]:
        one, shown = stated[0], quote(stated[0])
        if names_other_entity(text, one.start, about):
            return unclear("other_entity", shown)
        joined = {joining_word(text[min(one.end, rival.end) : max(one.start, rival.start)]) for rival in other}
        if joined & {"or", "to"}:
            return unclear("choice", shown)
        if other and config.extra == "wrong":
            return wrong("several_values", shown)
        if other and config.extra == "judge" and len(split_words(text)) <= SHORT:
            return unclear("several_values", shown)
        return right("contained" if len(split_words(text)) > len(split_words(shown)) else "exact", shown)
    if same:
        return unclear("denied" if is_denied(text, same[0].start, same[0].end) else "doubted", quote(same[0]))
    if less:
        return unclear("less_exact", quote(less[0]))
    alone = len(dates) == 1 and set(split_tokens(text[: dates[0].start] + text[dates[0].end :])) <= EMPTY | _SEASONS
    short = len(split_words(text)) <= SHORT
    firm = [one for one in other if is_asserted(one) and (short or not exact or any(any(way[1:]) for way in one.ways))]
    if (
        not gold.unread
        and firm
        and len(firm) == len(other)
        and (beside or len({one.ways for one in other}) == 1 or short)
        and not is_compared(text[: firm[0].start][-40:])
        and not any(str(year) in text for mine in gold.moments if mine.only_year for year in mine.years)
    ):
        if not (exact and alone) and any(_are_adjacent_years(mine, one) for mine in gold.moments for one in firm):
            return unclear("close", quote(firm[0]))
        return wrong("other_value", quote(firm[0]))
    return unclear("unmatched")


def _spell_days(text: str) -> str:
    """Return a text with days that are given in words in figures ("the first of May"), and "08/2026" with its month."""
    text = _MONTH_IN_FIGURES.sub(lambda hit: f"{NAMES[int(hit[1]) - 1]} {hit[2]}", text)

    def last_day(hit: re.Match[str]) -> str:
        month = NUMBERS[hit["month"][:3].casefold()]
        return f"{monthrange(int(hit['year']), month)[1]} {hit['month']} {hit['year']}"

    text = _LAST_DAY.sub(last_day, text)
    return _DAY_IN_WORDS.sub(
        lambda hit: f"{ORDINALS[(hit['day'] or hit['day2']).lower()]} {hit['month'] or hit['month2']}", text
    )


def _compare_moments(golds: Sequence[Moment], one: Moment, about: Expectation) -> str:
    """Return "same", "less" (less exact) or "other" for a date against all gold forms.

    A form that is only a year, or a decade, makes no date right that contradicts a more exact form. A day needs no
    year ("September 28"), and a month none that the question says.
    """
    if one.years - about.years and any(mine.years for mine in golds):
        golds = [mine for mine in golds if mine.years]  # "August 10" is that of 2022
    verdicts = {compare_moments(mine, one) for mine in golds}
    if any(not mine.decade for mine in golds) and not one.decade:
        exact = {compare_moments(mine, one) for mine in golds if not mine.decade}
        verdicts = exact if exact != {"other"} or "same" not in verdicts else {"less"}
    finer = [mine for mine in golds if any(way[1] for way in mine.ways)]
    another = finer and any(way[1] for way in one.ways) and all(compare_moments(mine, one) == "other" for mine in finer)
    if "same" in verdicts and another:
        return "less"
    verdict = min(verdicts, key=("same", "less", "other").index)
    days = [mine for mine in golds if all(all(way[1:3]) for way in (*mine.ways, *one.ways))]
    whole = any(mine.years & about.years for mine in golds) or any(compare_moments(day, one) == "less" for day in days)
    return "same" if verdict == "less" and not one.years and whole else verdict


def _are_adjacent_years(gold: Moment, one: Moment) -> bool:
    """Return whether a bare year is next to the gold one; people labelled many such answers right."""
    bare = {way[0] for way in one.ways if way[0] and not any(way[1:])}
    return any(abs(year - way[0]) == 1 for year in bare for way in gold.ways if way[0])


def _match_plain(text: str, gold: GoldAnswer) -> Outcome:
    """Judge by the papers' inclusive match: any form as whole words anywhere."""
    tokens = split_tokens(text)
    forms = {form: wanted for form in gold.forms if (wanted := split_tokens(form))}
    for form, wanted in forms.items():
        if tokens == wanted:
            return right("exact", form)
    for form, wanted in forms.items():
        if any(tokens[at : at + len(wanted)] == wanted for at in range(len(tokens) - len(wanted) + 1)):
            return right("contained", form)
    return unclear("unmatched")


FAULT = "not_judged"  # prefix of the reason where judging an answer raised an exception
MAX_ANSWER = 50_000  # characters: longer answers are not judged, since that would take long
CACHE_SIZE = 200_000  # outcomes by (question, text): trials of a question share most answers
# doubts that a protocol without a judge resolves as right, as its paper does: the answer is stated in the text
CONTAINED = frozenset(("several_values", "several_names", "in_passing", "too_long"))


@dataclass
class Verdicts:
    """The rules under one config, with results cached for trials with equal answers."""

    config: CorrectConfig
    judged: bool  # whether there is a judge
    _golds: dict[str, tuple[GoldAnswer, Expectation]] = field(default_factory=dict)
    _outcomes: dict[tuple[str, str], Outcome] = field(default_factory=dict)
    _refusals: dict[tuple[str, str, bool], Refusal | None] = field(default_factory=dict)
    _texts: dict[tuple[str, str], str] = field(default_factory=dict)

    def of(
        self, answer: Answer, trial: Trial, question: Question, protocol: Protocol
    ) -> Score | tuple[Score, JudgeCase]:
        """Return the score of an answer, or a provisional score with the case for the judge.

        An exception while judging becomes a failed score: one answer never ends a run.
        """
        row = Score(trial.trial_id, answer.system, trial.protocol, question.question_id, "scored")
        try:
            return self._judged(row, answer, trial, question, protocol)
        except (MemoryError, OSError, ImportError):  # faults of the machine, not of the answer
            raise
        except Exception as error:
            line = traceback.extract_tb(error.__traceback__)[-1]
            fault = f"{type(error).__name__}: {str(error)[:300]} ({Path(line.filename).name}:{line.lineno})"
            return replace(row, status="failed", why=f"{FAULT}: {replace_surrogates(fault)}")

    def _judged(
        self, row: Score, answer: Answer, trial: Trial, question: Question, protocol: Protocol
    ) -> Score | tuple[Score, JudgeCase]:
        if trial.skipped_because:
            return replace(row, status="skipped", why=trial.skipped_because)
        if answer.error:
            return replace(row, status="missing" if answer.error == NO_ANSWER else "failed", why=answer.error)
        if len(answer.text) > MAX_ANSWER:
            return replace(row, status="failed", why=f"too_long_to_judge: {len(answer.text):,} characters")
        text = self._cleaned(answer.text, question.language)
        if not any(map(str.isalnum, text)) and not answer.refused and text not in self._gold(question)[0].forms:
            return replace(row, value=0.0, stage="empty", why="no_words")
        if question.pattern == "absent":
            return self._absent(row, answer, text, question, protocol)
        outcome = self._outcome(question, text)
        if outcome.verdict == "right" and outcome.stage == "exact" and not answer.refused:
            return replace(row, value=1.0, stage="exact", matched=outcome.matched)  # "None" may be the answer
        gold, about = self._gold(question)
        # "none" is how many; "not available" is what a cell says where others are available
        stated = outcome.verdict == "wrong" and (
            outcome.why == "opposite" or (about.many and says_none(text, both=False))
        )
        denied = gold.kind == "verdict" and not _TOPIC.match(text) and _stated_verdict(text, about)
        declined = None if stated or denied else self._declined(answer, text, question, protocol)
        if isinstance(declined, str):
            return self._refused(row, protocol, answer, declined)
        guessed = declined.guess or declined.rest if declined else ""
        if guessed:
            text = guessed
            outcome = self._outcome(question, text)
        return self._scored(row, outcome, text, question, protocol, "refusal_with_answer" if declined else "")

    def _declined(self, answer: Answer, text: str, question: Question, protocol: Protocol) -> Refusal | str | None:
        """Return how an answer declines; its Refusal where it gives an answer all the same; None where it does not."""
        if answer.refused:
            return "by_the_system"
        key = (protocol.refusal, text, question.pattern == "absent")
        if key not in self._refusals:
            _cap_size(self._refusals)[key] = refusal(text, protocol.refusal, self.config.refusals == "general", key[2])
        declined = self._refusals[key]
        if declined is None:
            return None
        how = "in_its_protocols_words" if declined.own else "in_other_words"
        if answer.refused is False and not declined.rest:
            return "though_not_by_the_systems_word"
        if answer.refused is False:
            return None
        if self.config.refusal_with_answer == "refused":
            return how
        if declined.guess:
            return declined
        return declined if declined.rest and self._outcome(question, declined.rest).verdict == "right" else how

    def _absent(
        self, row: Score, answer: Answer, text: str, question: Question, protocol: Protocol
    ) -> Score | tuple[Score, JudgeCase]:
        """Return the score of an answer to what the corpus does not answer: right is to say so and guess nothing.

        A sentence that denies something may say so in other words.
        """
        declined = self._declined(answer, text, question, protocol)
        if isinstance(declined, str):
            return replace(row, value=1.0, stage="refusal", refused=True, why=declined)
        if (
            not declined
            and NEGATION.search(text)
            and len(split_words(text)) > _FEW_WORDS
            and self.config.refusals == "general"
        ):
            return self._scored(row, unclear("may_decline"), text, question, protocol, "")
        return replace(row, value=0.0, stage="value", why="guessed" if declined else "no_document_states_it")

    def _refused(self, row: Score, protocol: Protocol, answer: Answer, how: str) -> Score:
        """Return the score of a refusal: 0, flagged where the protocol forbids to refuse."""
        why = how if protocol.refusal or protocol.contained else f"{how}, where refusing is forbidden"
        return replace(row, value=0.0, stage="refusal", refused=answer.refused is not False, why=why)

    def _scored(
        self, row: Score, outcome: Outcome, text: str, question: Question, protocol: Protocol, why: str
    ) -> Score | tuple[Score, JudgeCase]:
        why = ", ".join(filter(None, (why, outcome.why)))
        row = replace(row, matched=outcome.matched, why=why)
        if outcome.verdict == "right":
            return replace(row, value=1.0, stage=outcome.stage)
        if outcome.verdict == "wrong":
            role = choose_role(protocol.judge or protocol.name, self._gold(question)[0], question)
            parts = outcome.covered if role == GROUPS and self.config.groups == "fraction" else 0.0
            return replace(row, value=parts, stage="value")
        if protocol.contained and outcome.why in CONTAINED and self.config.extra == "judge":
            return replace(row, value=1.0, stage="contained")
        if protocol.contained:
            return replace(row, value=0.0, stage="contained", why=f"not contained: {why}")
        if not self.judged and self.config.unmatched == "wrong":
            return replace(row, value=0.0, stage="contained", why=f"lexical lower bound: {why}")
        waiting = replace(row, status="missing", why=f"judge_needed: {why}")
        if not self.judged:
            return waiting
        golds = self._gold(question)[0]
        return waiting, JudgeCase(choose_role(protocol.judge or protocol.name, golds, question), question, golds, text)

    def _outcome(self, question: Question, text: str) -> Outcome:
        key = (question.question_id, text)
        if key not in self._outcomes:
            _cap_size(self._outcomes)[key] = match_answer(text, *self._gold(question), self.config)
        return self._outcomes[key]

    def _gold(self, question: Question) -> tuple[GoldAnswer, Expectation]:
        if question.question_id not in self._golds:
            self._golds[question.question_id] = read_gold(question)
        return self._golds[question.question_id]

    def _cleaned(self, text: str, language: str) -> str:
        if (language, text) not in self._texts:
            _cap_size(self._texts)[language, text] = extract_answer(text, language)
        return self._texts[language, text]


def _cap_size(kept: dict) -> dict:  # type: ignore[type-arg]
    if len(kept) >= CACHE_SIZE:
        kept.clear()
    return kept
