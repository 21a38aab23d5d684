"""Questions whose answer is a set: which of the things named are so, each of them settled by a fact."""

from collections.abc import Sequence
from decimal import Decimal

from rarefy.data_contracts.rows import Path, Triplet, row_id
from rarefy.tasks.knowledge.graph.listings import is_member, measure_label
from rarefy.tasks.questions.ask.aliases import amount_words
from rarefy.tasks.questions.ask.facts import mid_sentence, noun_phrase, possessive, when_phrase
from rarefy.tasks.questions.ask.index import CorpusIndex
from rarefy.tasks.questions.ask.patterns import Wording, refuse
from rarefy.tasks.text.names import without_form

_SHARED = {  # relation → what companies that say the same of themselves have in common
    "is audited by": ("are audited by {object}", "have {object} as their independent auditor"),
    "is incorporated in": ("are incorporated in {object}", "have {object} as their state of incorporation"),
    "is based in": ("are headquartered in {object}", "have their headquarters in {object}"),
    "is listed on": ("have their common stock listed on {object}", "list their common stock on {object}"),
}
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
    "PRODUCT": (
        "Which of the following had {figure} at {holder}: {either}?",
        "For which of the following did {holder} report {figure}: {either}?",
    ),
    "REGION": (
        "In which of these regions did {holder} have {figure}: {either}?",
        "For which of the following regions did {holder} report {figure}: {either}?",
    ),
}


def listing(path: Path, index: CorpusIndex) -> Wording:
    """The question which of a path's candidates are members."""
    facts = [index.triplets[name] for name in path.triplet_ids]
    members = [fact for fact in facts if is_member(fact, path.pivot)]
    names = {fact.triplet_id: _name(fact) for fact in facts}
    if len(set(names.values())) < len(facts):
        return refuse("names_alike")
    choice = int(row_id("wording", path.path_id), 16)
    ask = _ask_for_figures if facts[0].value else _ask_for_object
    text = ask(facts, names, path.pivot, choice)
    if not text:
        return refuse("no_wording")
    said = [names[fact.triplet_id] for fact in members]
    full = join_names([fact.subject for fact in members]) if _are_companies(facts) else ""
    return Wording(
        text,
        join_names(said),
        members[0],
        aliases=(full,) if full and full != join_names(said) else (),
        members=tuple(said),
        candidates=tuple(names.values()),
        chance=1 / (2 ** len(facts) - 1),
    )


def _are_companies(facts: Sequence[Triplet]) -> bool:
    return all(fact.subject == fact.entity for fact in facts)


def _name(fact: Triplet) -> str:
    """A company without its legal form; a segment without "segment" and without whose it is."""
    if fact.subject == fact.entity:
        return without_form(fact.subject)
    return fact.subject.removeprefix(fact.entity).strip().removesuffix(" segment").removesuffix(" Segment")


def join_names(names: Sequence[str], word: str = "and") -> str:
    """ "Meta and Walmart"; "Beauty; Grooming; and Fabric & Home Care" where a name has a comma or "and" of its own."""
    *first, last = names
    if not first:
        return last
    if any("," in name or " and " in name for name in names):
        return f"{'; '.join(first)}{';' if len(first) > 1 else ''} {word} {last}"
    return f"{', '.join(first)} {word} {last}"


def _ask_for_object(facts: Sequence[Triplet], names: dict[str, str], key: str, choice: int) -> str:
    forms = _SHARED.get(facts[0].relation)
    # one filing may print its auditor in capitals, where another does not
    written = sorted({f.object for f in facts if f.object_key == key and not f.object.isupper()})
    if not forms or not written:
        return ""
    predicate = forms[choice // 7 % len(forms)].format(object=with_the(written[0]))
    return _OF_COMPANIES[choice % len(_OF_COMPANIES)].format(
        every=join_names(list(names.values())), either=join_names(list(names.values()), "or"), predicate=predicate
    )


def with_the(name: str) -> str:
    """An exchange's name as it stands in a sentence: "the New York Stock Exchange"."""
    return f"the {name}" if name.endswith(" Exchange") and not name.startswith("the ") else name


def _ask_for_figures(facts: Sequence[Triplet], names: dict[str, str], threshold: str, choice: int) -> str:
    first = facts[0]
    amount = amount_words(Decimal(threshold), first.unit)
    measure = noun_phrase(min(facts, key=lambda f: f.relation != measure_label(facts)))
    if not amount:
        return ""
    above = ("above", "of more than", "exceeding")[choice // 3 % 3]
    figure = f"{measure} {above} {amount} {when_phrase(first)}"
    either = join_names(list(names.values()), "or")
    if _are_companies(facts):
        predicate = f"{('had', 'reported')[choice // 2 % 2]} {figure}"
        forms: Sequence[str] = _OF_COMPANIES
        return forms[choice % len(forms)].format(
            every=join_names(list(names.values())), either=either, predicate=predicate
        )
    holder = mid_sentence(without_form(first.entity))
    forms = _OF_PARTS[first.subject_type]
    return forms[choice % len(forms)].format(owner=possessive(holder), holder=holder, figure=figure, either=either)
