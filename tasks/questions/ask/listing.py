"""Questions whose answer is a set: which of the things named are so, each of them settled by a fact."""

from decimal import Decimal

from rarefy.data_contracts.rows import Path, Triplet
from rarefy.tasks.knowledge.graph.computed import is_of_growth
from rarefy.tasks.knowledge.graph.listings import has_what_members_have
from rarefy.tasks.questions.ask.aliases import amount_words
from rarefy.tasks.questions.ask.arithmetic import member_of, member_phrase, shown_value, stated_value
from rarefy.tasks.questions.ask.common_names import common_name, join_names, measure_name
from rarefy.tasks.questions.ask.computed import say_years, turn, when_words
from rarefy.tasks.questions.ask.facts import choose, mid_sentence, possessive
from rarefy.tasks.questions.ask.index import CorpusIndex
from rarefy.tasks.questions.ask.measures import is_sayable, upper_first
from rarefy.tasks.questions.ask.patterns import Wording, refuse
from rarefy.tasks.questions.operands import write_arithmetic

_OF_COMPANIES = (  # how a question names its candidates
    "Which of {every} {predicate}?",
    "Which of these companies {predicate}: {either}?",
    "Among {every}, which companies {predicate}?",
)
_OF_PARTS = {
    "SEGMENT": (
        "Which of {owner} segments had {figure}: {either}?",
        "Which of the following segments of {holder} had {figure}: {either}?",
    ),
    "PRODUCT": ("For which of the following did {holder} report {figure}: {either}?",),
    "REGION": (
        "In which of these regions did {holder} have {figure}: {either}?",
        "For which of the following regions did {holder} report {figure}: {either}?",
    ),
}


def listing(path: Path, index: CorpusIndex) -> Wording:
    """The question which of a path's candidates are members."""
    everything = [index.triplets[name] for name in path.triplet_ids]
    grown = is_of_growth(everything)
    old, facts = (everything[::2], everything[1::2]) if grown else ([], everything)
    inside = (
        [stated_value(new) > stated_value(before) for before, new in zip(old, facts, strict=True)]
        if grown
        else [has_what_members_have(fact, path.pivot) for fact in facts]
    )
    companies = all(fact.subject == fact.entity for fact in facts)
    names = [mid_sentence(index.call(fact.entity)) if companies else _part(fact) for fact in facts]
    if len(set(names)) < len(names):
        return refuse("names_alike")
    shown = [value for value in map(shown_value, facts) if value is not None]
    limits = [value for value in map(shown_value, old) if value is not None]
    limits = limits if grown else [Decimal(path.pivot)] * len(facts)
    if not len(shown) == len(limits) == len(facts) or inside != [a > b for a, b in zip(shown, limits, strict=True)]:
        return refuse("arithmetic_disagrees")
    name = common_name(everything) if companies else measure_name(everything)
    amount = "" if grown else amount_words(Decimal(path.pivot), facts[0].unit)
    if not (name and (amount or grown) and is_sayable(name)):
        return refuse("measure_unclear")
    above = ("above", "of more than", "exceeding")[turn(path, "above", 3)]
    figure = (
        f"higher {name} {when_words(facts[0], index)} than {when_words(old[0], index)}"
        if grown
        else f"{name} {above} {amount} {when_words(facts[0], index)}"
    )
    predicate = f"{('had', 'reported')[turn(path, 'verb', 2)]} {figure}"
    templates = _OF_COMPANIES if companies else _OF_PARTS[facts[0].subject_type]
    holder = mid_sentence(index.call(facts[0].entity))
    text = choose(templates, path.path_id).format(
        every=join_names(names),
        either=join_names(names, "or"),
        predicate=predicate,
        figure=figure,
        holder=holder,
        owner=possessive(holder),
    )
    members = [name for name, has in zip(names, inside, strict=True) if has]
    full = join_names([fact.subject for fact, has in zip(facts, inside, strict=True) if has]) if companies else ""
    answer = join_names(members)
    printed = dict.fromkeys(fact.answer for fact in everything)
    return Wording(
        say_years(upper_first(text), path),
        answer,
        next(fact for fact, has in zip(facts, inside, strict=True) if has),
        aliases=(full,) if full not in ("", answer) else (),
        members=tuple(members),
        arithmetic=write_arithmetic("members", printed, names, str(len(members)), path.pivot),
        chance=1 / (2 ** len(facts) - 1),
    )


def _part(member: Triplet) -> str:
    return member_phrase(member) if member.subject_type == "REGION" else member_of(member)
