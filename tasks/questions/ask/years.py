"""A year that is described rather than named: by what was highest or lowest in it, of all years that are known."""

import re
from decimal import Decimal

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.knowledge.graph.years import singled_out
from rarefy.tasks.questions.ask.aliases import ROUNDING, company_names
from rarefy.tasks.questions.ask.facts import ask_for_figure, choose, mid_sentence, possessive
from rarefy.tasks.questions.ask.index import CorpusIndex, subject_of
from rarefy.tasks.questions.ask.measures import describe_measure, is_sayable, upper_first

_OPERATING_CASH = "us-gaap:NetCashProvidedByUsedInOperatingActivities"
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
    spent = spent_on(describe_measure(clue).name)
    name, asked = spent or _spoken_name(clue, year, index), describe_measure(target)
    if any(describe_measure(figure).turned or describe_measure(figure).rejected_because for figure in figures.values()):
        return "", (), "clue_not_plain"
    if clue.concept == _OPERATING_CASH and re.search(r"\bused\b(?! in\))", describe_measure(clue).name):
        return "", (), "clue_not_plain"  # cash used is printed without a sign: its highest is the weakest cash flow
    if not is_sayable(name) or len(name.split()) > LONGEST or describe_measure(clue).thing:
        return "", (), "clue_not_plain"
    if not is_sayable(asked.name) or any(name in asked.name for name in company_names(target.entity)):
        return "", (), "label_not_plain"  # "Walmart's total Walmart shareholders' equity"
    if _LABOURED.search(asked.name):
        return "", (), "label_not_plain"
    if _is_alike_at_other_times(target, index):
        return "", (), "years_alike"
    told = _tell_year(clue, name, bool(spent), values[year] == max(values.values()), min(figures), max(figures))
    when = f"in {told}" if target.period_start else f"at the end of {told}"
    company = index.call(target.entity)
    text = ask_for_figure(target, company, when=when)
    if text and choose(("behind", "before"), clue.relation, target.relation, target.period) == "before":
        text = put_before(text, when, mid_sentence(company))
    others = tuple(figure for other, figure in figures.items() if other != year)
    return (text, others, "") if text else ("", (), asked.rejected_because or "unit_or_period_unknown")


def _is_alike_at_other_times(target: Triplet, index: CorpusIndex) -> bool:
    """Whether the figure of another time is so close that a rounded form of one is right for the other."""
    value = Decimal(target.value)
    return any(
        abs(Decimal(other.value) - value) <= abs(value) * ROUNDING
        for other in index.tagged.get((subject_of(target), target.concept), ())
        if other.unit == target.unit and other.period_end != target.period_end
    )


# "inventories, at cost, not in excess of market", "net earnings attributable to Lowe's Companies, Inc."
_LABOURED = re.compile(r"(?<!selling)(?<!property), |\battributable to [A-Z]")
LONGEST = 7  # words in the name of a measure that describes a year


def _spoken_name(clue: Triplet, year: int, index: CorpusIndex) -> str:
    """What a measure is called where it only describes a year: "net income", whoever it is attributable to.

    Where the profit with that of other owners has its extreme in another year, the label is said in full.
    """
    name = re.sub(r"^total ", "", describe_measure(clue).name)
    if clue.concept == _OPERATING_CASH:
        return "operating cash flow"
    for tag in ("NetIncomeLoss", "ProfitLoss"):
        others = [t for t in index.tagged.get((subject_of(clue), f"us-gaap:{tag}"), ()) if t.period == clue.period]
        figures = figures_by_year(others[0], index) if others else {}
        if others and year not in singled_out({y: float(figure.value) for y, figure in figures.items()}):
            return name
    return re.sub(
        r"^(net (?:income|earnings)) (?:attributable|available|from continuing and discontinued) .*", r"\1", name
    )


def _tell_year(clue: Triplet, name: str, spent: bool, most: bool, first: int, last: int) -> str:
    """ "the year its operating income peaked between fiscal 2021 and 2023", "its weakest year for sales from …"."""
    between, span = f"between fiscal {first} and {last}", f"from fiscal {first} to {last}"
    if spent:
        said = f"spent the {'most' if most else 'least'} on {name}"
        return choose([f"the year it {said} {between}", f"the year {between} when it {said}"], clue.subject, name)
    be = describe_measure(clue).verb
    if most:
        forms = [f"the year its {name} peaked {between}", f"its best year for {name} {span}"]
    else:
        forms = [f"the year its {name} {be} lowest {between}", f"its weakest year for {name} {span}"]
    return choose(forms, clue.subject, name, clue.period, str(most))


def put_before(text: str, when: str, company: str) -> str:
    """ "In Acme's weakest year for sales from …, how much did it spend on research?": the year first, with the name."""
    asked = text.removesuffix("?").removesuffix(f" {when}")
    owner = possessive(company)
    told = when.replace(" it ", f" {company} ", 1) if " it " in when else when.replace("its ", f"{owner} ", 1)
    doer = f" did {company} "  # "Lowe's" may be its own possessive
    said = next(((one, it) for one, it in ((doer, " did it "), (owner, "its"), (company, "it")) if one in asked), None)
    if said is None:
        return text
    rest = asked.replace(*said, 1)
    return f"{upper_first(told)}, {rest[0].lower()}{rest[1:]}?"


_SPENT = (  # a measure of money spent → on what it was spent
    (r"(?:payments (?:for|related to) )?(?:re)?purchases? of (?:the company’s )?common (?:stock|shares)"
     r"|treasury stock purchases|common stock repurchased", "share repurchases"),
    (r"(?:payments (?:for|related to) )?((?:treasury stock |share |stock )?repurchases?(?: of .+)?)", r"\1"),
    (r"(?:payments for|acquisitions? of|additions to|expenditures for|purchases? of) (property.*)", r"\1"),
    (r"(?:payments (?:for|related to) )?((?:business )?acquisitions?)(?:, net of cash acquired)?", r"\1"),
    (r"(?:spending on )?(capital expenditures|share repurchases|acquisitions)", r"\1"),
    (r"(research and development)(?: expenses?| costs?)?", r"\1"),
)  # fmt: skip


def spent_on(name: str) -> str:
    """On what money was spent, of which this is a measure; "" for others."""
    return next((found.expand(on) for pattern, on in _SPENT if (found := re.fullmatch(pattern, name))), "")
