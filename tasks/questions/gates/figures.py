"""The passages that state a figure, in a row or a sentence: its amount, its measure and part, and its period."""

import re
from collections.abc import Collection, Iterator
from datetime import date
from decimal import Decimal

from rarefy.data_contracts.rows import Chunk, Triplet
from rarefy.tasks.knowledge.extract.values import FACTORS
from rarefy.tasks.questions.ask.aliases import short_name
from rarefy.tasks.questions.gates.measure_words import (
    APART,
    ASIDE,
    MONTHS,
    NOTHING,
    OWNERS,
    QUOTED,
    SIDES,
    in_one_word,
    initials,
    meant,
    measure_and_part,
    telling,
)
from rarefy.tasks.questions.gates.statements import (
    IDLE,
    NUMBER,
    Statement,
    digits_of,
    digits_shown,
    moments_in,
)
from rarefy.tasks.text.dates import Moment, days_between
from rarefy.tasks.text.stems import stem

FEWEST = 3  # digits of a figure that is rounded ("$31.4 billion" for 31,370), where the words beside it may vary
LEAST = 2  # likewise, where the words right beside it are the measure's ("Operating income of $9.7 billion")
ENOUGH = 4  # digits of one that another measure may have by accident, but hardly one that shares a word of its name
OTHERWISE = Decimal("0.1")  # by what share of it an amount may differ that is the same, counted another way
LONG = 5  # digits of a figure that no other measure of the entity has in the same period by accident
PART_OF_A_YEAR = re.compile(
    r"\b(?:(?<!four )quarters?|(?:three|six|nine|3|6|9) months|(?<!5[23] )weeks|month ended)\b", re.IGNORECASE
)
_PARTS_OF_A_YEAR = frozenset("month three six nine".split())


def roundings(digits: str, fewest: int = FEWEST) -> Iterator[str]:
    """The digits of a figure, and of what it is rounded to."""
    yield digits
    for kept in range(fewest, len(digits)):
        yield str((int(digits[: kept + 1]) + 5) // 10).rstrip("0")


def is_figure(fact: Triplet) -> bool:
    return (
        re.fullmatch(r"-?\d+(?:\.\d+)?", fact.value) is not None
        and Decimal(fact.value) != 0
        and fact.object_type != "DURATION"
    )


_OF_SHARES = frozenset({"basic", "dilut"})
_PLACED = frozenset({"current", "noncurr"})  # where a balance sheet has a thing
_OWN = frozenset("our its their the".split())
_LINK = frozenset("of in for from to on by with".split())
_TOKEN = re.compile(r"[^\W\d_]+|[.,;:()]")
# of measures that are of the very same amount now and then, if one is all of the other
_MAY_BE_EQUAL = frozenset(
    "basic dilut defer feder foreign domest gross unrecogn unearn begin minimum maximum remain tax pretax "
    "prefer".split()
)
EXPENSE = frozenset({"expens", "charg"})  # amortization, and amortization expense
_LINKS = frozenset("of in for from to included used related our".split())  # "$2.8 billion of ..."


def is_named(needed: frozenset[str], beside: tuple[str, str], idle: frozenset[str]) -> bool:
    """Is a figure, by the words right beside it, of a measure, and of none with further words in its name?"""
    before, after = (_TOKEN.findall(ASIDE.sub("", in_one_word(text))) for text in beside)
    linked = next((at for at, token in enumerate(after) if token not in _LINKS), 0)
    if linked and _begins_with(needed, after[linked:], idle):
        return True
    before.reverse()
    while before and before[0] != "by" and (before[0] in NOTHING or stem(before[0]) in idle or before[0] == ","):
        del before[0]
    return _begins_with(needed, before, idle, IDLE)  # "offset by additions to equipment of": before it, the name begins


# "We paid $434 in 2023 to repurchase our shares": the verb stands before the figure, and what it is for behind
_VERBS = r"(?:paid|spent|invested|used|returned|distributed)"
_SPENT = re.compile(
    rf"\b{_VERBS}"
    r"(?: (?:a|an|total|aggregate|of|about|approximately|nearly|over))*\W*$",
    re.IGNORECASE,
)
_ON = re.compile(
    r"^(?:[\s,]|\d{4}|\b(?:in|and|fiscal|years?|respectively|to (?:our )?(?:share|stock)holders)\b)*"
    r"\b(?:on|in|for|to|through|of|as) (?:the |our )?(?P<what>.*)",
    re.IGNORECASE | re.DOTALL,
)
_THEN = re.compile(r"[,.;:()]|\b(?:in|to|for|under|during|through|at|as|which|that|by|with|primarily|compared|from)\b")
# "…, compared with $908.9 million invested during 2022"
_COMPARED = re.compile(r"\bcompared (?:to|with)\W*$", re.IGNORECASE)
_SPENT_THEN = re.compile(rf"\W*{_VERBS}\b", re.IGNORECASE)
_MOSTLY = re.compile(r"\b(?:primarily|mainly|mostly|principally)\b[^,;.]*", re.IGNORECASE)
_PROPERTY = re.compile(r"^(?=property\b)")  # "invested $1.7 billion in property, plant and equipment"
_OF_A_PART = re.compile(r"\bsegments?\b", re.IGNORECASE)


def _is_spent_on(needed: frozenset[str], said: Statement, idle: frozenset[str]) -> bool:
    """Is a figure of a measure, by a verb before it and the measure's name, and no more, behind?"""
    before, *behind = (_MOSTLY.sub("", ASIDE.sub("", text)) for text in (*said.beside, said.text[said.quantity.end :]))
    if _COMPARED.search(before) and _SPENT_THEN.match(behind[0]):
        behind = [before]
    elif not _SPENT.search(before):
        return False
    if _OF_A_PART.search(behind[-1]):
        return False
    for text in behind:  # the second: "through the repurchase of 9.7 million shares"
        if spent := _ON.match(text):
            bought = _PROPERTY.sub("purchases of ", spent["what"])
            what = _THEN.split(in_one_word(bought), maxsplit=1)[0]
            if needed - EXPENSE and _begins_with(needed - EXPENSE, _TOKEN.findall(what), idle):
                return True
    return False


_OF_ANOTHER = re.compile(r"\b(?:of|by)(?: about| approximately| nearly)?\W*$")


def _names_another(needed: frozenset[str], beside: tuple[str, str], idle: frozenset[str]) -> bool:
    """Is a figure of another measure, by what stands before it: "proceeds of", "and reduced retained earnings by"?"""
    told = telling(NUMBER.sub(" ", beside[0])) - idle
    after = telling(re.split(r"[,;.]", beside[1])[0])
    return bool(_OF_ANOTHER.search(beside[0]) and told and needed.isdisjoint(told | after))


def _begins_with(
    needed: frozenset[str], tokens: list[str], idle: frozenset[str], ends: frozenset[str] = frozenset()
) -> bool:
    """Do tokens begin with all words of a measure, and no others up to an idle one that ends its name?"""
    left = set(needed)
    for at, token in enumerate(tokens):
        told = set(meant(token)) - NOTHING - MONTHS if token.isalpha() and len(token) > 1 else set[str]()
        if not left and told and told <= ends:
            return True
        if not left and ends and token in _OWN and tokens[at + 1 : at + 2] and tokens[at + 1] not in _LINK:
            return True  # "Description Our inventories were"; not "the cost of our inventories was"
        if not left and told <= idle and token.isalpha():
            continue
        if not left:
            return told <= needed
        if not told <= needed | EXPENSE or (not token.isalpha() and token != ","):
            return False
        left -= told
    return not left


_DECLARED = frozenset({"declar"})
_PAID = re.compile(r"\b(?:paid|pay|payments?)\b", re.IGNORECASE)


def states(fact: Triplet, amount: Decimal, said: Statement, chunk: Chunk) -> bool:
    """Does a row or a sentence of the fact's entity state the fact?"""
    if not is_amount(fact, amount, said):
        return False
    needed, parts = measure_and_part(fact)
    if not needed and not parts:
        return False
    if not parts <= said.around and initials(fact).isdisjoint(said.around):
        return False
    shown = digits_shown(said.quantity)
    same = _is_same(amount, said)
    shown = shown if same else min(shown, len(digits_of(amount)))  # no more tells of 196 million where 196,029 stands
    exact = same and shown >= LONG - 1
    # those of a share always are, and what is the same to the last of many digits was paid in the year
    declared = frozenset[str]() if exact or fact.unit.endswith("/shares") else _DECLARED
    needed -= _DECLARED - declared
    alike = len(digits_of(amount)) if same else 0  # digits that are no noughts at the end
    if same and not said.row and fact.unit.endswith("/shares") and said.own.isdisjoint(_OF_SHARES):
        needed -= _OF_SHARES  # "net income of $7.5 billion, or $9.85 per share"
    # Of a row that has the measure's very name, group and column need not say so: a column of equity, "Deferred:"
    names = (said.label, said.label - telling(fact.entity) - OWNERS)
    in_its_unit = said.quantity.amount.scaleb(FACTORS.get(fact.scale, Decimal(1)).adjusted()) == amount
    called_so = said.row and same and (shown >= FEWEST or in_its_unit) and bool(needed) and needed in names
    apart = APART if alike < LONG else _MAY_BE_EQUAL | (SIDES if needed & SIDES else frozenset())
    other = (said.column if needed and needed <= said.column else said.own) & apart - needed - parts
    other -= _DECLARED - declared
    if same and shown >= FEWEST and needed <= said.label:
        other -= _PLACED
    # "Accumulated" is of the next column's head, unless it is all that has come about of a year's
    if same and not said.label and needed <= said.column and (exact or not fact.period_start):
        other -= {"accumul"}
    if said.row and other and not called_so:
        return False
    if not said.row and declared & said.own - needed and not _PAID.search(said.text):
        return False  # dividends that are declared are paid later, some of them in the next year
    spoken = said.around if said.row else said.own
    if (needed & APART) - said.around - (SIDES | {"averag"} if exact else frozenset()):
        return False
    common = len(needed & spoken)
    idle = IDLE | telling(fact.entity) | parts
    if fact.subject_type == "TABLE":
        total = said.row and said.label <= EXPENSE  # of what its heading says: "Total expenses"
        enough = shown >= LONG - 1 and needed <= (said.around if total else said.own)
    elif called_so and parts <= said.around:
        enough = True
    elif shown >= LONG or (exact and parts):
        of_all = not said.label or telling(short_name(fact.entity)) <= said.label <= telling(fact.entity)
        whole = alike >= LONG and not parts and of_all  # a total of a balance sheet may have no label
        enough = bool(common) or whole if said.row else common * 2 >= len(needed)
    elif shown == LONG - 1:
        enough = common * (2 if exact and said.row else 3) >= len(needed - SIDES) * (1 if exact and said.row else 2)
    elif same or shown >= FEWEST:
        further = (
            (said.label | said.column) - needed - parts - telling(fact.entity) - OWNERS
            if said.row
            else frozenset[str]()
        )
        further -= _PLACED if same else frozenset[str]()
        of_itself = bool(said.label) and said.label <= telling(fact.entity)  # "General Motors" in a list of investments
        named = said.own if further or not said.row or of_itself else said.around
        enough = len(further) <= 1 and (needed <= named or (not said.row and len(needed - named) * 4 <= len(needed)))
        enough = enough and (said.row or not _names_another(needed | parts, said.beside, idle))
    else:
        enough = False
    # what tells two digits from another measure's tells more of them
    if needed and not enough and (not said.row or shown < FEWEST):
        enough = is_named(needed, said.beside, idle) or _is_spent_on(needed, said, idle)
    if not enough or is_then(fact, said, chunk):
        return enough
    if alike >= LONG:  # no other year's, if it is of the measure
        return common * 3 >= len(needed) * 2
    return exact and said.row and needed == said.label | said.column


def states_beside_another(fact: Triplet, amount: Decimal, said: Statement, chunk: Chunk) -> bool:
    """Does a row or sentence state the fact, where it has the measure's figure of another time too?

    Two figures of one measure, each at its own time, are no accident: the name may be shorter, or another in part.
    """
    needed, parts = measure_and_part(fact)
    own = (said.label | said.column if said.row else said.own) - parts
    if digits_shown(said.quantity) < LEAST or not parts <= said.around or not is_exactly(fact, amount, said, chunk):
        return False
    if (own & APART) - needed or (needed & APART) - said.around:
        return False
    common = len(needed & (said.around if said.row else said.own))
    return bool(common) if digits_shown(said.quantity) >= FEWEST else common * 2 >= len(needed) > 0


def is_of_its_series(fact: Triplet, amount: Decimal, said: Statement, others: Collection[Decimal]) -> bool:
    """Is a figure the fact's in a row of its name under heads that say no time, by those of other times beside it?"""
    needed, parts = measure_and_part(fact)
    if (
        not said.row
        or moments_in(said.when)
        or digits_shown(said.quantity) < FEWEST
        or not is_amount(fact, amount, said)
    ):
        return False
    named = said.label - telling(fact.entity)
    if not named or not needed or not named <= needed | parts or not needed | parts <= said.around:
        return False
    beside = {digits_of(Decimal(hit[0].replace(",", ""))) for hit in NUMBER.finditer(said.text)}
    return _is_same(amount, said) and not beside.isdisjoint(
        digits for one in others if len(digits := digits_of(one)) >= FEWEST
    )


def may_state(fact: Triplet, amount: Decimal, said: Statement, chunk: Chunk) -> bool:
    """Might a row or sentence state the fact? One of its words is enough at its time, and more are needed at none."""
    needed, parts = measure_and_part(fact)
    if not needed or not is_amount(fact, amount, said):  # of a subject of its own no words tell the measure
        return False
    same = _is_same(amount, said)
    digits = len(digits_of(amount)) if same else digits_shown(said.quantity)
    common = len(needed & said.own)
    half = common * 2 >= len(needed)
    if is_then(fact, said, chunk):
        if digits >= LONG and same:
            return True
        if digits < LEAST or (parts and (parts | initials(fact)).isdisjoint(said.around)):
            return False
        if _is_rate(fact) or (digits < FEWEST and said.row):
            return half
        if digits < FEWEST:
            return common > 0
        telling_ones = (needed - EXPENSE) or needed
        return not telling_ones.isdisjoint(said.around if digits >= ENOUGH else said.own)
    if moments_in(said.when) or not parts <= said.around:
        return False
    if (digits >= FEWEST and half) or (same and digits >= ENOUGH and common):
        return True
    return digits >= LEAST and len(needed) > 1 and needed <= said.own


def amount_otherwise(fact: Triplet, amount: Decimal, said: Statement, chunk: Chunk) -> Decimal | None:
    """The amount that a row has for the fact's measure and time, the same or another near it; None where it has none.

    Shares bought are of one amount where they are paid for, and of another in the statement of equity; net income is
    with other owners' part and without.
    """
    needed, parts = measure_and_part(fact)
    label = said.label - telling(fact.entity) - _OTHER_OWNERS if is_net_income(fact) else frozenset[str]()
    named = label == NET_INCOME or (
        bool(needed) and (needed - EXPENSE or needed) <= said.label and not (said.label & APART) - needed
    )
    if not said.row or not named or not parts <= said.around or digits_shown(said.quantity) < FEWEST:
        return None
    if not is_then(fact, said, chunk):
        return None
    amounts = (said.quantity.amount.scaleb(shift) for shift in _shifts(fact, said))
    return next((one for one in amounts if abs(amount - one) <= amount * OTHERWISE), None)


NET_INCOME = telling("net income")
_OTHER_OWNERS = OWNERS | telling("including before noncontrolling interests in subsidiaries")


def is_net_income(fact: Triplet) -> bool:
    """Is a fact the net income of a whole company, whoever it is attributable to?"""
    return fact.concept in ("us-gaap:NetIncomeLoss", "us-gaap:ProfitLoss") and fact.subject == fact.entity


def is_exactly(fact: Triplet, amount: Decimal, said: Statement, chunk: Chunk) -> bool:
    """Does a row or sentence have the fact's amount, not rounded, at its time, whatever it says of it?"""
    return _is_same(amount, said) and is_amount(fact, amount, said) and is_then(fact, said, chunk)


def _is_same(amount: Decimal, said: Statement) -> bool:
    """Are the digits the same, of a figure that is not rounded, in whatever unit?"""
    return digits_of(amount) == digits_of(said.quantity.amount)


def _time(fact: Triplet) -> str:
    """A fact's period, which a table without tags may have in the head of its column."""
    column = fact.relation.partition(" in the column ")[2]
    return fact.period or (column if moments_in(column) else "")


def is_of_one_column(fact: Triplet) -> bool:
    """Does a fact of a table without tags depend on its row and period, and not on the column as well?"""
    column = fact.relation.partition(" in the column ")[2]
    return bool(_time(fact)) and not telling(" ".join(QUOTED.findall(column))) - _PARTS_OF_A_YEAR


def is_amount(fact: Triplet, amount: Decimal, said: Statement) -> bool:
    quantity, percent = said.quantity, _is_rate(fact)
    if percent != (quantity.kind == "percent") and not (said.row and quantity.kind == "bare"):
        return False
    if quantity.kind not in ("money", "count", "bare", "percent"):
        return False
    if fact.unit == "shares" and quantity.kind == "money":
        return False
    if fact.unit.startswith("USD") and quantity.kind == "count":
        return False
    shifts = _shifts(fact, said)
    if any(amount == quantity.amount.scaleb(shift) for shift in shifts):
        return True
    if not said.row and not percent:
        shifts = (0,)
    least = LEAST if percent or (quantity.scale and not said.row) else FEWEST
    rounded = digits_shown(quantity) >= least and any(
        abs(amount - quantity.amount.scaleb(shift)) <= quantity.grain.scaleb(shift) / 2 for shift in shifts
    )
    finer = quantity.amount and (amount.adjusted() - quantity.amount.adjusted()) in shifts
    return rounded or bool(finer and digits_of(amount) in roundings(digits_of(quantity.amount), least))


def off_by(fact: Triplet, amount: Decimal, said: Statement) -> Decimal:
    """By how much a statement of a fact is off."""
    return min(abs(amount - said.quantity.amount.scaleb(shift)) for shift in _shifts(fact, said))


def _is_rate(fact: Triplet) -> bool:
    return fact.unit in ("percent", "pure") or fact.object_type == "PERCENT"


def _shifts(fact: Triplet, said: Statement) -> tuple[int, ...]:
    """The powers of ten by which a figure that is written may be multiplied in the fact's unit."""
    if _is_rate(fact):  # a fact has 23.4 % as 0.234; of a bare number in a table the head may say that it is one
        return (-2,) if said.quantity.kind == "percent" else (-2, 0)
    if said.quantity.scale or "/" in fact.unit:
        return (0,)
    if said.row:
        return (0, 3, 6, 9)
    # a report in millions may leave the word out in its sentences as well
    return (0, FACTORS.get(fact.scale, Decimal(1)).adjusted())


_BESIDE_IT = re.compile(r"\b(?:compared|up|down) (?:to|with|from) \$?$", re.IGNORECASE)
_YEAR_BEFORE = re.compile(r"\b(?:a year ago|(?:prior|previous|last)(?: fiscal)? year)\b", re.IGNORECASE)


def is_then(fact: Triplet, said: Statement, chunk: Chunk) -> bool:
    """Does a statement speak of the fact's period?"""
    if not _time(fact) and not fact.period_end:
        return True
    long = not fact.period_start or days_between(fact.period_start, fact.period_end) > 300
    for text in (said.when, *(said.later if said.row else ())):
        if long and fact.period_start and PART_OF_A_YEAR.search(text) and said.row:
            return False
        if told := [one for one in moments_in(text) if not one.decade]:
            before = not said.row and _YEAR_BEFORE.search(text) and fact.period_end[:4].isdigit()
            return any(is_at(fact, one, chunk) for one in told) or bool(
                before and int(chunk.period_end[:4]) - int(fact.period_end[:4]) == 1
            )
    if digits_shown(said.quantity) < (FEWEST if said.row else LEAST):
        return False
    if not fact.period_end:
        return any(is_at(fact, one, chunk) for one in moments_in(chunk.period_end))
    if not said.row and _BESIDE_IT.search(said.text[: said.quantity.start]):  # a year before what it is set beside
        return int(chunk.period_end[:4]) - int(fact.period_end[:4]) == 1
    mentioned = [one for text in said.later for one in moments_in(text) if not one.decade and not said.row]
    return chunk.period_end == fact.period_end or any(is_at(fact, one, chunk) for one in mentioned)


def is_at(fact: Triplet, told: Moment, chunk: Chunk) -> bool:
    named = [one for moment in moments_in(_time(fact)) for one in moment.ways]
    years = {way.year for way in named if way.year}
    if fact.period_end:
        last = date.fromisoformat(fact.period_end)
        if told.fiscal and chunk.period_end == fact.period_end and chunk.fiscal_year in told.years:
            return True  # "fiscal 2024" ended in 2025
        for way in told.ways:
            if way.quarter or way.half:
                continue
            if not way.month and way.year and way.year in (years or {last.year}):
                return True
            if way.month == last.month and way.year in (0, last.year) and way.day in (0, last.day):
                return bool(way.year) or chunk.period_end[:4] == str(last.year)
        return False
    months = {way.month for way in named if way.month}
    yearly = "year" in _time(fact).casefold()
    return any(
        (way.month in months or not months or (yearly and not way.month))
        and (way.year in years or (not way.year and chunk.period_end[:4] in map(str, years)))
        for way in told.ways
    )
