"""A part of a company, or one of two companies, that is described rather than named: by its rank in a figure."""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from decimal import Decimal

from rarefy.data_contracts.rows import Fact, Triplet, row_id
from rarefy.tasks.knowledge.extract.values import FACTORS
from rarefy.tasks.knowledge.graph.facts import is_member
from rarefy.tasks.knowledge.graph.filers import are_near, is_by_rank
from rarefy.tasks.questions.ask.ambiguous import has_namesake
from rarefy.tasks.questions.ask.common_names import OPERATING_CASH, common_name, join_names
from rarefy.tasks.questions.ask.facts import ask_for_figure, choose, mid_sentence, possessive, when_phrase
from rarefy.tasks.questions.ask.index import CorpusIndex, relation_of, subject_of
from rarefy.tasks.questions.ask.measures import describe_measure, is_sayable
from rarefy.tasks.questions.ask.years import spent_on

Asked = tuple[str, tuple[Triplet, ...], str]  # a question, the figures that the clue is ranked among, or a reason


def ask_by_rank(clue: Triplet, target: Triplet, index: CorpusIndex) -> Asked:
    """The question for a figure of what the clue singles out by its rank."""
    if is_member(target):
        return ask_about_member(clue, target, index)
    if is_by_rank(clue, target):
        return ask_about_one_of_two(clue, target, index)
    return "", (), "clue_is_a_number"


_PARTS = {"SEGMENT": "segment", "PRODUCT": "line of business", "REGION": "geographic area"}


_MOST = {"largest": "the most", "smallest": "the least"}  # of assets
_SIZES = {
    "highest": "largest",
    "second-highest": "second-largest",
    "second-largest": "second-largest",
    "largest": "largest",
    "lowest": "smallest",
    "smallest": "smallest",
}
_LISTED = re.compile(r"selling, general and|property, plant and")  # whose comma closes nothing


def ask_about_member(clue: Triplet, target: Triplet, index: CorpusIndex) -> Asked:
    """The question for a figure of a part of a company that another figure singles out among its siblings."""
    if clue.value.startswith("-") or (clue.unit, clue.object_type) in {("pure", "PERCENT"), ("", "")}:
        return "", (), "clue_not_plain"
    siblings = siblings_of(clue, index)
    described = describe_measure(clue)
    if described.rejected_because or described.turned or described.thing or "," in _LISTED.sub("", described.name):
        return "", (), "clue_not_plain"
    if not is_sayable(describe_measure(target).name):
        return "", (), describe_measure(target).rejected_because or "label_not_plain"
    measure = re.sub(r"^total ", "", described.name)
    company = index.call(clue.entity)
    part = f"the {company} {_PARTS[clue.subject_type]}"
    rank = rank_among(clue, siblings, index)
    if not rank:
        return "", (), "clue_not_plain"  # by its amount only somebody would describe it who has the table before him
    when = _when_of_clue(clue, target, index)
    of_balance = described.plural and not clue.period_start
    ranked = _MOST.get(rank, f"the {rank}") if of_balance else f"the {rank}"
    forms = [f"{part} with {ranked} {measure}{when}"]
    if rank in _SIZES and not re.search("cost|expens", measure):
        forms.append(f"{possessive(company)} {_SIZES[rank]} {_PARTS[clue.subject_type]} by {measure}{when}")
    whole = replace(target, subject=target.entity, subject_type="ORG")  # the part is described, not named
    text = ask_for_figure(whole, choose(forms, clue.triplet_id, target.triplet_id))
    return (_that_year_last(text), tuple(siblings), "") if text else ("", (), "unit_or_period_unknown")


def _when_of_clue(clue: Triplet, target: Triplet, index: CorpusIndex) -> str:
    """ " in fiscal 2024" behind a clue; "" where the time that is asked for is its own."""
    year = index.year_of(clue)
    same_year = year == index.year_of(target)
    if same_year and bool(clue.period_start) == bool(target.period_start):
        return ""
    if same_year and clue.period_start and year == f"fiscal year {target.period_end[:4]}":
        return " that year"  # not where fiscal 2024 ends in 2025
    return f" {when_phrase(clue)}"


def ask_about_one_of_two(clue: Triplet, target: Triplet, index: CorpusIndex) -> Asked:
    """The question for a figure of whichever of two companies had more, or less, of another one in that year.

    What is asked is called as both might call it: "net operating revenues" would say which of them is meant.
    """
    rivals = sorted(
        _rivals(clue, target, index),
        key=lambda pair: row_id("rival", clue.triplet_id, target.triplet_id, pair[0].triplet_id),
    )
    if not rivals:
        return "", (), "clue_is_a_number"
    names = ((one, common_name((clue, one)), common_name((target, its))) for one, its in rivals)
    rival, name, asked = next((found for found in names if all(found)), (clue, "", ""))
    if not name or target.value.startswith("-"):
        return "", (), "measures_differ"
    if has_namesake(target, index):
        return "", (), "several_of_the_name"
    target = replace(target, relation=asked)
    if describe_measure(target).rejected_because or not is_sayable(describe_measure(target).name):
        return "", (), describe_measure(target).rejected_because or "label_not_plain"
    both = sorted((clue, rival), key=lambda one: row_id("order", target.triplet_id, one.entity))
    pair = join_names([mid_sentence(index.call(one.entity)) for one in both])
    when, year_end = _when_of_clue(clue, target, index), index.fiscal_year_label(target)
    more, name = Decimal(clue.value) > Decimal(rival.value), name.replace(OPERATING_CASH, "operating cash flow")
    forms = ("by size", "between") if re.search("(?:revenue|sales|net income)$", name) else ("between",)
    if choose(forms, clue.triplet_id, target.triplet_id) == "by size":
        text = ask_for_figure(target, f"the {'larger' if more else 'smaller'} of {pair} by {name}{when}", year_end)
    else:
        text = _between(pair, target, _said_of_it(name, more), when, year_end)
    return (_that_year_last(text), (rival,), "") if text else ("", (), "unit_or_period_unknown")


def _said_of_it(name: str, more: bool) -> tuple[str, str]:
    """What is said of the company that had more of a measure, or less: behind "the one", and behind "whichever"."""
    if spent := spent_on(name):
        said = f"spent {'more' if more else 'less'} on {spent}"
        return f"that {said}", said
    degree = f"the {'higher' if more else 'lower'} {name}"
    return f"with {degree}", f"had {degree}"


def _between(pair: str, target: Triplet, said: tuple[str, str], when: str, year_end: str) -> str:
    """ "Between A and B, how much did the one with the higher net income spend on research in fiscal 2024?" """
    one, whichever = said
    text = ask_for_figure(target, f"the one {one}{when}", year_end) or ""
    if re.match("(?:What|How) ", text):
        return f"Between {pair}, {text[0].lower()}{text[1:]}"
    return text.replace(f"the one {one}", f"whichever of {pair} {whichever}")  # the time stands first


def _that_year_last(text: str) -> str:
    """ "that year" where the year is named behind it, turned round."""
    found = re.search(r" that year(?P<between> .*) at the end of (?P<year>fiscal (?:year )?\d{4})", text)
    if found is None:
        return text
    turned = f" in {found['year']}{found['between']} at the end of that year"
    return text[: found.start()] + turned + text[found.end() :]


def _rivals(clue: Triplet, target: Triplet, index: CorpusIndex) -> list[tuple[Triplet, Triplet]]:
    """The figures of other companies, one of each, from which a clue's tells its own, each with its own target figure.

    Of what a company states in two ways nobody can say which is larger.
    """
    by_company: dict[str, list[Triplet]] = {}
    for other in index.filers.get((clue.concept, clue.unit, clue.period), ()):
        by_company.setdefault(subject_of(other), []).append(other)
    values = {company: {float(one.value) for one in facts} for company, facts in by_company.items()}
    mine = values.pop(subject_of(clue), set())
    near = [name for name, its in values.items() if len(mine) == len(its) == 1 and are_near(*mine, *its)]
    targets = {name: _same_figure(name, target, index) for name in near}
    return [(min(by_company[name], key=lambda one: one.triplet_id), its) for name, its in targets.items() if its]


def _same_figure(company: str, target: Triplet, index: CorpusIndex) -> Triplet | None:
    """A company's figure of the target's measure and year; None where it has none, or the same one."""
    same = [
        other
        for other in index.tagged.get((company, target.concept), ())
        if other.subject == other.entity and index.year_of(other) == index.year_of(target)
    ]
    differ = all(other.value != target.value for other in same)
    return min(same, key=lambda other: other.triplet_id) if same and differ else None


def siblings_of(fact: Triplet, index: CorpusIndex) -> list[Triplet]:
    """The figures of the other parts of the company beside this one in its table."""
    beside = index.figures[fact.chunk_id, relation_of(fact), fact.period]
    parts: dict[str, Triplet] = {}
    for other in sorted(beside, key=lambda t: t.triplet_id):
        if (other.subject_type, other.entity, other.unit) == (fact.subject_type, fact.entity, fact.unit):
            parts.setdefault(subject_of(other), other)
    return [other for subject, other in parts.items() if subject != subject_of(fact)]


def rank_among(fact: Triplet, siblings: list[Triplet], index: CorpusIndex) -> str:
    """ "highest", "smallest", ... where the tags of the whole document bear it out; "" where they do not.

    Parts whose figures were not read as facts have tags all the same, so that none of them is overlooked.
    """
    document = index.documents[fact.doc_id]
    same = [
        f
        for f in document.facts
        if (f.concept, f.unit, f.period_start, f.period_end)
        == (fact.concept, fact.unit, fact.period_start, fact.period_end)
    ]
    for axes in sorted({_axes(f.dimensions) for f in same if f.dimensions and f.value == fact.value}):
        tagged = {
            f.dimensions: f.value for f in same if _axes(f.dimensions) == axes and not _is_remainder(f.dimensions)
        }
        if _members_elsewhere(tagged, same):
            continue
        others = [value for value in tagged.values() if value != fact.value]
        unread = Counter(others) - Counter(t.value for t in siblings)
        whole = len(others) == len(tagged) - 1 and len(others) - unread.total() == len(siblings)
        if whole and all(_is_printed(value, fact) for value in unread):
            return _rank_word(float(fact.value), sorted(map(float, others)), *EXTREMES[bool(fact.period_start)])
    return ""


def _members_elsewhere(tagged: Collection[tuple[str, ...]], same: list[Fact]) -> bool:
    """Whether other tags of the measure and time have members that these lack, so that they are not all."""
    members = {dimension for dimensions in tagged for dimension in dimensions}
    axes = Counter(dimension.partition("=")[0] for dimension in members)
    return any(
        axes[dimension.partition("=")[0]] > 1 and dimension not in members and not _is_remainder((dimension,))
        for fact in same
        for dimension in fact.dimensions
    )


def _is_printed(value: str, fact: Triplet) -> bool:
    """Whether the row of a fact prints this value too, of a part whose name was not read."""
    printed = {number.replace(",", "") for number in re.findall(r"\d[\d,]*(?:\.\d+)?", fact.source_sentence)}
    number = Decimal(value) / FACTORS.get(fact.scale, Decimal(1))
    return (
        f"{abs(number):f}".rstrip("0").rstrip(".") in printed if "." in f"{number:f}" else f"{abs(number):f}" in printed
    )


EXTREMES = {True: ("highest", "lowest"), False: ("largest", "smallest")}  # of a flow, of a balance
_REMAINDER = re.compile(
    r"AllOther\w*Member$|Corporate\w*Member$|Eliminations?Member$|MaterialReconcilingItems\w*Member$"
)


def _is_remainder(dimensions: tuple[str, ...]) -> bool:
    """Whether a tag is of what belongs to no part: head office, eliminations."""
    return any(_REMAINDER.search(dimension) for dimension in dimensions)


def _rank_word(value: float, others: list[float], most: str, least: str) -> str:
    above, below = sum(other > value for other in others), sum(other < value for other in others)
    if above + below != len(others) or len(others) < 2:
        return ""  # of two that one table sets side by side, one may be the total of others
    if above == 1 and len(others) > 2:  # of three the second is the middle one
        return f"second-{most}"
    return most if above == 0 else least if below == 0 else ""


def _axes(dimensions: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dimension.partition("=")[0] for dimension in dimensions)
