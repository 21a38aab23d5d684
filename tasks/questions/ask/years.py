"""A year that is described rather than named: by what was highest or lowest in it, of all years that are known."""

import re

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.graph.years import singled_out
from rarefy.tasks.questions.ask.aliases import company_names
from rarefy.tasks.questions.ask.facts import ask_for_figure, choose
from rarefy.tasks.questions.ask.index import CorpusIndex, subject_of
from rarefy.tasks.questions.ask.measures import describe_measure, is_sayable

_YEAR = re.compile(r"fiscal year (\d{4})")


def figures_by_year(fact: Triplet, index: CorpusIndex) -> dict[int, Triplet]:
    """The figures of this company and measure by fiscal year; those beside the fact first. {} where two differ."""
    years: dict[int, list[Triplet]] = {}
    for other in index.tagged.get((subject_of(fact), fact.concept), ()):
        year = _YEAR.fullmatch(other.period)
        if year and other.unit == fact.unit and other.period_start:
            years.setdefault(int(year[1]), []).append(other)
    if any(len({other.value for other in others}) > 1 for others in years.values()):
        return {}
    beside = (fact.chunk_id, fact.start)
    return {
        year: min(
            years[year], key=lambda t: ((t.chunk_id, t.start) != beside, t.chunk_id != fact.chunk_id, t.triplet_id)
        )
        for year in sorted(years)
    }


def ask_by_year(clue: Triplet, target: Triplet, index: CorpusIndex) -> tuple[str, tuple[Triplet, ...], str]:
    """The question for a figure of the year that the clue singles out, the figures of the other years, or a reason."""
    figures = figures_by_year(clue, index)
    year = next((year for year, figure in figures.items() if figure.period == clue.period), 0)
    values = {year: float(figure.value) for year, figure in figures.items()}
    if year not in singled_out(values):
        return "", (), "pivot_not_unique"
    name = re.sub(r"^total ", "", describe_measure(clue).name)
    asked = describe_measure(target)
    if any(describe_measure(figure).turned or describe_measure(figure).rejected_because for figure in figures.values()):
        return "", (), "clue_not_plain"
    if not is_sayable(name) or describe_measure(clue).thing:
        return "", (), "clue_not_plain"
    if not is_sayable(asked.name) or any(name in asked.name for name in company_names(target.entity)):
        return "", (), "label_not_plain"  # "Walmart's total Walmart shareholders' equity"
    most = values[year] == max(values.values())
    first, last = min(figures), max(figures)
    said = _said_of_year(clue, name, most)
    forms = [f"the year when {said}", f"the year from fiscal {first} through {last} when {said}"]
    if not any(_spent(name)):
        forms.append(f"the year of its {_degree(name, most)} {name}")
    when = choose(forms, clue.subject, name, target.relation, target.period)
    when = f"in {when}" if target.period_start else f"at the end of {when}"
    text = ask_for_figure(target, index.call(target.entity), when=when)
    span = "" if "through" in when else f"over fiscal {first}–{last}"
    if text and span and text.lower().startswith(when.lower()):
        text = f"{text[: len(when)]} {span}{text[len(when) :]}"
    elif text and span:
        text = f"{span[0].upper()}{span[1:]}, {text[0].lower()}{text[1:]}"
    others = tuple(figure for other, figure in figures.items() if other != year)
    return (text, others, "") if text else ("", (), asked.rejected_because or "unit_or_period_unknown")


_SPENT = (
    (r"(?:payments? (?:for|related to) )?((?:re)?purchases? of .+)", "spent the {} on {}"),
    (r"payments (?:for|related to) ((?:business )?acquisitions?(?: of .+)?)", "spent the {} on {}"),
    (r"(capital expenditures|additions to property.*|advertising)(?: expenses?| costs?)?", "spent the {} on {}"),
    (
        r"(research and development|marketing and sales|sales and marketing)(?: expenses?| costs?)?",
        "spent the {} on {}",
    ),
    (r"(?:cash )?(dividends) paid.*|(?:payments for |payment of )(dividends.*)", "paid the {} in {}"),
    (r"cash paid (?:during the period )?for ([\w ]+)", "paid the {} cash for {}"),
)  # fmt: skip


def _spent(name: str) -> tuple[str, str]:
    """(what it did, on what) for a measure of money spent; ("", "") for others."""
    for pattern, act in _SPENT:
        if match := re.fullmatch(pattern, name):
            return act, next(filter(None, match.groups()))
    return "", ""


def _said_of_year(clue: Triplet, name: str, most: bool) -> str:
    """ "it spent the most on repurchases of common stock", "its net income was lowest"."""
    act, on = _spent(name)
    if act:
        return f"it {act.format('most' if most else 'least', on)}"
    be = "were" if describe_measure(clue).plural else "was"
    return f"its {name} {be} {_degree(name, most)}"


def _degree(name: str, most: bool) -> str:
    if re.search(r"\bloss", name):
        return "largest" if most else "smallest"
    return "highest" if most else "lowest"
