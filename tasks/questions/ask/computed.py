"""Questions whose answer is computed: how much something changed, what share it is, which of several is the largest."""

import re
from collections.abc import Sequence

from rarefy.data_contracts.rows import Path, Triplet, row_id
from rarefy.tasks.knowledge.extract.cell_names import read_cell_name
from rarefy.tasks.knowledge.extract.column_heads import unit_in_brackets
from rarefy.tasks.knowledge.graph.computed import is_of_growth, is_of_shares
from rarefy.tasks.questions.ask.ambiguous import are_parts_of_whole, has_namesake, whole_is_of_table
from rarefy.tasks.questions.ask.arithmetic import (
    answer_of,
    are_times,
    member_of,
    member_phrase,
    name_of,
    shown_value,
    stated_value,
)
from rarefy.tasks.questions.ask.cells import cell_fault, counts_things, name_source, say_amount, say_measure
from rarefy.tasks.questions.ask.common_names import OPERATING_CASH, common_name, join_names, measure_name
from rarefy.tasks.questions.ask.facts import choose, mid_sentence, part_phrase, possessive
from rarefy.tasks.questions.ask.index import CorpusIndex
from rarefy.tasks.questions.ask.measures import describe_measure, is_sayable, lower_first, upper_first
from rarefy.tasks.questions.ask.patterns import Wording, refuse
from rarefy.tasks.questions.ask.years import spent_on

DIGITS = 3  # of figures that a percentage is made of
MOST = 10  # times what it was before: of what has grown more nobody gives a percentage


def change(path: Path, index: CorpusIndex) -> Wording:
    """By how much, or by what percentage, a figure rose or fell from one time to another."""
    old, new = operands = _operands(path, index)
    if new.subject_type == "TABLE":
        return _change_of_cell(path, operands, index)
    name = measure_name(operands)
    measure = measured(name, new, index)
    if not measure:
        return refuse("measure_unclear")
    risen = stated_value(new) > stated_value(old)
    rates = new.unit in ("percent", "pure")
    many_times = abs(stated_value(new)) > MOST * abs(stated_value(old))
    exact = turn(path, "amount", 3) == 0 or many_times or any(is_coarse(t) for t in operands)
    kind = "points" if rates else "amount" if exact else "percentage"
    times = {
        "did": "increase" if risen else "decrease",
        "higher": "higher" if risen else "lower",
        "what": measure,
        "be": describe_measure(new).verb,
        "from": _time(old, index),
        "to": _time(new, index),
        "in": when_words(new, index),
        "than": when_words(old, index),
    }
    template = choose(_CHANGES[kind], path.path_id)
    operation = "percentage change" if kind == "percentage" else "difference"
    return _computed(path, operation, operands, template.format(**times))


def _change_of_cell(path: Path, operands: list[Triplet], index: CorpusIndex) -> Wording:
    """By what percentage, or of few digits by how much, a thing of a table rose or fell from one year to the next."""
    old, new = operands
    what = say_amount(new)
    if not what or any(describe_measure(t).rejected_because or cell_fault(t) for t in operands):
        return refuse("measure_unclear")
    rates = new.unit == "percent"
    exact = rates or any(map(is_coarse, operands)) or stated_value(new) > MOST * stated_value(old)
    if exact and new.unit and not rates:
        return refuse("measure_unclear")
    asked = "how many percentage points" if rates else "how much" if exact else "what percentage"
    did = "increase" if stated_value(new) > stated_value(old) else "decrease"
    text = f"by {asked} did {what} {did} from {old.period} to {new.period}"
    source = name_source(operands, index)
    text = f"According to {source}, {text}?" if source else f"{upper_first(text)}?"
    return _computed(path, "difference" if exact else "percentage change", operands, text)


_CHANGES = {
    "percentage": (
        "By what percentage did {what} {did} from {from} to {to}?",
        "What was the percentage {did} in {what} from {from} to {to}?",
        "By what percentage {be} {what} {higher} {in} than {than}?",
        "By what percentage did {what} {did} between {from} and {to}?",
    ),
    "amount": (
        "By what amount did {what} {did} from {from} to {to}?",
        "How much {higher} {be} {what} {in} than {than}?",
        "What was the {did} in {what} from {from} to {to}?",
    ),
    "points": (
        "By how many percentage points did {what} {did} from {from} to {to}?",
        "How many percentage points {higher} {be} {what} {in} than {than}?",
    ),
}


def share(path: Path, index: CorpusIndex) -> Wording:
    """What percentage of a company's figure one of its parts makes."""
    operands = _operands(path, index)
    member = operands[0]
    if member.subject == member.entity:
        return _ratio(path, operands, index)
    name = measure_name(operands)
    if not is_sayable(name):
        return refuse("measure_unclear")
    if any(is_coarse(t) for t in operands):
        return refuse("figure_too_coarse")
    if not whole_is_of_table(member, operands[1], index):
        return refuse("whole_of_another_table")
    if not are_parts_of_whole(member, operands[1], index):
        return refuse("parts_overlap")
    owner, plain = _owner(member, index), lower_first(re.sub(r"^total ", "", name))
    when = when_words(member, index)
    words = {
        "member": member_phrase(member),
        "what": f"{owner} {plain}",
        "total": f"{owner} total {plain}",
        "when": when,
        "When": upper_first(when),
    }
    if not words["member"]:
        return refuse("no_wording")
    earned = re.search(r"\b(?:sales|revenues?)\b", name) and not re.search(r"\b(?:cost|expens)", name)
    templates = _SHARES + (_EARNED if earned else ())
    if member.subject_type == "REGION":  # a country generates nothing
        templates = tuple(template for template in templates if "generate" not in template)
    template = choose(templates, path.path_id)
    return _computed(path, "share", operands, template.format(**words))


def _ratio(path: Path, operands: list[Triplet], index: CorpusIndex) -> Wording:
    """What percentage one figure of a company is of another one."""
    part, whole = (common_name([t]).replace(OPERATING_CASH, "operating cash flow") for t in operands)
    if not (part and whole):
        return refuse("measure_unclear")
    if any(is_coarse(t) for t in operands):
        return refuse("figure_too_coarse")
    if any(has_namesake(t, index) for t in operands):
        return refuse("several_of_the_name")
    company, spent = mid_sentence(index.call(operands[0].entity)), spent_on(part)
    paid = "pay out in dividends" if part == "dividend payments" else f"spend on {spent}" if spent else ""
    templates = _SPENT if paid else _GIVEN
    text = choose(templates, path.path_id).format(
        who=company,
        whose=possessive(company),
        paid=paid,
        part=part,
        be="were" if part.endswith("s") else "was",
        whole=whole,
        when=when_words(operands[0], index),
        When=upper_first(when_words(operands[0], index)),
    )
    return _computed(path, "share", operands, text)


def _compare_shares(path: Path, operands: list[Triplet], index: CorpusIndex) -> Wording:
    """Which of two or three companies gave the larger share of one figure for another: capital spending of revenue."""
    things = operands[::2]
    part, whole = (
        common_name(some).replace(OPERATING_CASH, "operating cash flow") for some in (things, operands[1::2])
    )
    if not (part and whole):
        return refuse("measures_differ")
    if any(has_namesake(t, index) for t in operands):
        return refuse("several_of_the_name")
    most = turn(path, "direction", 4) > 0
    names = [mid_sentence(index.call(t.subject)) for t in sorted(things, key=lambda t: row_id(path.path_id, t.entity))]
    spent, est = spent_on(part), "er" if len(things) == 2 else "est"
    share = f"the {'larg' if most else 'small'}{est} share of its {whole}"
    if part == "dividend payments":
        said = f"paid out {share} in dividends"
    elif spent:
        said = f"spent {share} on {spent}"
    else:
        said = f"had the {'high' if most else 'low'}{est} {part} as a percentage of its {whole}"
    text = choose(_COMPANY_SHARES, path.path_id).format(
        said=said, either=join_names(names, "or"), every=join_names(names), when=when_words(things[0], index)
    )
    return _computed(path, f"{'larg' if most else 'small'}est share", operands, text, chance=1 / len(things))


_COMPANY_SHARES = (
    "Which company {said} {when}, {either}?",
    "Of {every}, which {said} {when}?",
    "Which of {every} {said} {when}?",
)
_SPENT = (
    "What percentage of its {whole} did {who} {paid} {when}?",
    "{When}, what percentage of its {whole} did {who} {paid}?",
)
_GIVEN = (
    "What {be} {whose} {part} as a percentage of its {whole} {when}?",
    "{When}, what {be} {whose} {part} as a percentage of its {whole}?",
)
_SHARES = (
    "What percentage of {what} {when} did {member} account for?",
    "{When}, what percentage of {total} did {member} account for?",
    "{When}, {member} accounted for what percentage of {total}?",
    "What share of {total} did {member} make up {when}?",
)
_EARNED = (
    "What percentage of {what} came from {member} {when}?",
    "{When}, what percentage of {what} came from {member}?",
    "What percentage of {total} did {member} generate {when}?",
)


def comparison(path: Path, index: CorpusIndex) -> Wording:
    """Which of two or three companies, or parts of one, had the larger figure, or the faster growth."""
    operands = _operands(path, index)
    if operands[0].subject_type == "TABLE":
        return _compare_cells(path, operands, index)
    if is_of_shares(operands):
        return _compare_shares(path, operands, index)
    things = operands[1::2] if is_of_growth(operands) else operands
    filers = len({t.entity for t in operands}) > 1
    name = common_name(operands) if filers else measure_name(operands)
    if not name:
        return refuse("measures_differ")
    if not is_sayable(name):
        return refuse("measure_unclear")
    most = turn(path, "direction", 4) > 0
    first = things[0]
    degree = _degree(first, most, len(operands))
    order = sorted(things, key=lambda t: row_id(path.path_id, t.subject_key))
    names = [mid_sentence(index.call(t.subject)) if filers else _short_name(t) for t in order]
    words = {
        "degree": degree,
        "name": name,
        "either": join_names(names, "or"),
        "every": join_names(names),
        "in": when_words(first, index),
        "whose": _owner(first, index),
        "who": mid_sentence(index.call(first.entity)),
        "be": describe_measure(first).verb,
        "pace": ("fast" if most else "slow") + ("er" if len(things) == 2 else "est"),
        "from": _time(operands[0], index),
        "to": _time(first, index),
    }
    if things is not operands:
        template = choose(_GROWN["COMPANY" if filers else first.subject_type], path.path_id)
        operation = "fastest growth" if most else "slowest growth"
        return _computed(path, operation, operands, template.format(**words), chance=1 / len(things))
    text = choose(_COMPANIES, path.path_id).format(**words)
    return _computed(path, "largest" if most else "smallest", operands, text, chance=1 / len(operands))


def _compare_cells(path: Path, operands: list[Triplet], index: CorpusIndex) -> Wording:
    """Which of the things of a table has the most or the least of one measure."""
    cells = [read_cell_name(t.relation) for t in operands]
    first = next(filter(None, cells), None)
    name = say_measure(first.measure) if first else ""
    if first is None or not name or any(map(cell_fault, operands)):
        return refuse("measure_unclear")
    most, two = turn(path, "direction", 2) == 0, len(operands) == 2
    order = sorted((cell.thing for cell in cells if cell), key=lambda thing: row_id(path.path_id, thing))
    degree = _CELL_DEGREES[_dimension(first.measure, operands[0])][2 * (not most) + (not two)]
    the = "" if degree in ("more", "fewer") else "the "
    when = f" in {operands[0].period}" if operands[0].period else ""
    said = f"{'had' if when else 'has'} {the}{degree} {name}{when}"
    source = name_source(operands, index)
    texts = [f"Which {said}, {join_names(order, 'or')}{f', according to {source}' if source else ''}?"]
    if source:
        texts = [f"According to {source}, which of {join_names(order)} {said}?"]
    elif not two:
        texts.append(f"Which of {join_names(order)} {said}?")
    text = choose(texts, path.path_id)
    return _computed(path, "largest" if most else "smallest", operands, text, chance=1 / len(operands))


# more of two, most of several, less of two, least of several
_CELL_DEGREES = {
    "time": ("longer", "longest", "shorter", "shortest"),
    "body": ("greater", "greatest", "smaller", "smallest"),
    "count": ("more", "most", "fewer", "fewest"),
    "": ("higher", "highest", "lower", "lowest"),
}
_OF_TIME = re.compile(r"(?:milli|micro)?seconds?|minutes?|hours?|days?|weeks?|months?|years?|ms|min|s|h", re.I)
_OF_BODIES = re.compile(r"kg|g|t|mg|lb|oz|mm|cm|m|km|ft|l|ml|m²|m³|litres?|liters?|inch(?:es)?|mi(?:les?)?", re.I)


def _dimension(measure: str, cell: Triplet) -> str:
    """What is measured, as far as "longest" and "most" depend on it."""
    unit = unit_in_brackets(measure)
    if _OF_TIME.fullmatch(unit):
        return "time"
    if _OF_BODIES.fullmatch(unit):
        return "body"
    return "count" if counts_things(cell, measure) else ""


def _degree(figure: Triplet, most: bool, count: int) -> str:
    """ "higher", "lowest"; of what a company has at one time "larger", "smallest"."""
    held = figure.unit.startswith("USD") and not figure.unit.endswith("/shares") and not figure.period_start
    word = ("large" if most else "small") if held else ("high" if most else "low")
    return (
        word + ("r" if word.endswith("e") else "er") if count == 2 else word + ("st" if word.endswith("e") else "est")
    )


def _short_name(member: Triplet) -> str:
    """A part of a company where its kind has been said: "Europe" of segments, "in the United States" of markets."""
    return member_of(member) if member.subject_type == "SEGMENT" else member_phrase(member)


_COMPANIES = (
    "Which company had the {degree} {name} {in}, {either}?",
    "Of {every}, which had the {degree} {name} {in}?",
    "Which company reported the {degree} {name} {in}: {either}?",
    "Which had the {degree} {name} {in}, {either}?",
)
_GROWN = {
    "COMPANY": (
        "Which company’s {name} grew at the {pace} rate from {from} to {to}, {either}?",
        "Of {every}, which saw its {name} grow at the {pace} rate from {from} to {to}?",
        "Which had the {pace} growth in {name} from {from} to {to} in percentage terms, {either}?",
    ),
    "SEGMENT": (
        "Which of {whose} segments saw its {name} grow at the {pace} rate from {from} to {to}, {either}?",
        "In which segment of {who} did {name} grow at the {pace} rate from {from} to {to}: {either}?",
    ),
    "PRODUCT": ("For which of these did {whose} {name} grow at the {pace} rate from {from} to {to}: {either}?",),
    "REGION": ("Where did {whose} {name} grow at the {pace} rate from {from} to {to}, in {either}?",),
}


def superlative(path: Path, index: CorpusIndex) -> Wording:
    """In which of several years a figure was highest or lowest; which company, or part of one, had the highest."""
    operands = _operands(path, index)
    if len({t.entity for t in operands}) > 1 or operands[0].subject_type == "TABLE":
        return comparison(path, index)
    first = operands[0]
    times = are_times(operands)
    most = _is_peak_asked(operands, path) if times else turn(path, "direction", 3) > 0
    name = measure_name(operands)
    if not is_sayable(name):
        return refuse("measure_unclear")
    among = [name_of(t, operands).removeprefix("fiscal year ") for t in operands]
    words = {
        "degree": "highest" if most else "lowest",
        "what": measured(name, first, index),
        "be": describe_measure(first).verb,
        "name": name,
        "whose": _owner(first, index),
        "kinds": _PARTS.get(first.subject_type, ""),
        "in": when_words(first, index),
        "either": join_names(among, "or"),
        "first": among[0],
        "last": among[-1],
    }
    templates = (_YEARS if first.period_start else _DAYS) if times else _OF_ALL
    template = choose(templates, path.path_id)
    chance = 1 / len(operands) if times else 0.0  # the members are not named
    return _computed(path, "largest" if most else "smallest", operands, template.format(**words), chance)


def _is_peak_asked(operands: Sequence[Triplet], path: Path) -> bool:
    """Whether the highest of some years is asked for, not the lowest: by hash, but for what one guesses unread.

    That is that the last year has the most, or the first the least.
    """
    values = [stated_value(t) for t in operands]
    if values[-1] == max(values):
        return False
    return values[0] == min(values) or turn(path, "direction", 2) == 0


_PARTS = {"SEGMENT": "segments", "PRODUCT": "lines of business", "REGION": "markets"}
_YEARS = (
    "Between fiscal {first} and fiscal {last}, in which year {be} {what} {degree}?",
    "In which fiscal year {be} {what} {degree}: {either}?",
    "When {be} {what} {degree}: in fiscal {either}?",
)
_DAYS = ("On which of these dates {be} {what} {degree}: {either}?",)
_OF_ALL = ("Which of {whose} {kinds} had the {degree} {name} {in}?",)


def is_coarse(triplet: Triplet) -> bool:
    """Whether a figure is printed in so few digits that no tenth of a percent can be told by it."""
    return len(re.sub(r"\D", "", triplet.answer).lstrip("0")) < DIGITS


def _owner(triplet: Triplet, index: CorpusIndex) -> str:
    return possessive(mid_sentence(index.call(triplet.entity)))


def measured(name: str, triplet: Triplet, index: CorpusIndex) -> str:
    """ "Apple's net sales in China", "the net sales of Apple's Americas segment"; "" where it cannot be said."""
    if not is_sayable(name):
        return ""
    company = _owner(triplet, index)
    if triplet.subject_type == "SEGMENT" and member_of(triplet):
        return f"the {name} of {company} {member_phrase(triplet).removeprefix('the ')}"
    return f"{company} {name}{part_phrase(triplet)}"


def _operands(path: Path, index: CorpusIndex) -> list[Triplet]:
    return [index.triplets[name] for name in path.triplet_ids]


def turn(path: Path, what: str, count: int) -> int:
    """A number below `count`, by the path's hash."""
    return int(row_id(what, path.path_id), 16) % count


def _computed(path: Path, operation: str, operands: Sequence[Triplet], text: str, chance: float = 0.0) -> Wording:
    """The wording with its answer, which is computed from the values and again from what the rows print."""
    shown = [value for value in map(shown_value, operands) if value is not None]
    answer = answer_of(operation, operands, [stated_value(t) for t in operands])
    if len(shown) < len(operands) or answer_of(operation, operands, shown).text != answer.text:
        return refuse("arithmetic_disagrees")
    return Wording(
        say_years(upper_first(text), path),
        answer.text,
        operands[-1],
        aliases=answer.aliases,
        arithmetic=answer.arithmetic,
        chance=chance,
    )


def say_years(text: str, path: Path) -> str:
    """The text with its fiscal years in the short or in the long way, by the path's hash."""
    return re.sub(r"\bfiscal year (?=\d{4})", "fiscal ", text) if turn(path, "years", 2) else text


def _time(triplet: Triplet, index: CorpusIndex) -> str:
    """ "fiscal year 2024", "the end of fiscal year 2024"; the day where its document has no such year."""
    if triplet.period_start:
        return triplet.period
    year = index.fiscal_year_label(triplet)
    return f"the end of {year}" if year else triplet.period


def when_words(triplet: Triplet, index: CorpusIndex) -> str:
    """ "in fiscal year 2024", "at the end of fiscal year 2024", "as of September 28, 2024"."""
    if triplet.period_start:
        return f"in {triplet.period}"
    time = _time(triplet, index)
    return f"at {time}" if time != triplet.period else f"as of {triplet.period}"
