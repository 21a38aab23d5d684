"""Single facts that are too many for a model: told twice, or more of one passage than anybody needs."""

import re
from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from rarefy.data_contracts.rows import Path, Triplet
from rarefy.tasks.knowledge.graph.facts import is_literal
from rarefy.tasks.questions.ask import AskConfig
from rarefy.tasks.questions.ask.aliases import company_names
from rarefy.tasks.questions.ask.choice import Choice
from rarefy.tasks.questions.ask.index import CorpusIndex, relation_of
from rarefy.tasks.questions.ask.model_checks import is_same_thing, telling_stems
from rarefy.tasks.questions.gates.wording import is_telling

SHOWN = 6  # candidates per question of a passage: half of them are not worth asking, more of a table


def find_repeats(paths: Iterable[Path], out: Container[str], index: CorpusIndex) -> dict[str, str]:
    """Single facts whose figure another one of their document tells for the same time (`near_duplicate`).

    The words of one must be among those of the other: "China" and "Total China", a sentence and a cell. Prose stays
    before a table, and few words before many. Of what is no figure a row answers in the same words for one reader:
    "sitreps" by the table, "situation reports" by the model.
    """
    answered: dict[tuple[str, str, str], str] = {}
    found: dict[str, str] = {}
    alike: defaultdict[tuple[str, ...], list[tuple[bool, int, str, str, frozenset[str]]]] = defaultdict(list)
    for path, fact in _single(paths, out, index):
        if fact.value:
            said = _telling_words(fact, index)
            key = (fact.doc_id, fact.value, fact.unit, *sorted(_years(fact)))
            alike[key].append((bool(fact.header), len(said), path.path_id, fact.period, said))
            continue
        told = (fact.chunk_id, fact.source_sentence, fact.answer.casefold())
        if answered.setdefault(told, fact.method) != fact.method:
            found[path.path_id] = "near_duplicate"
    for group in alike.values():
        kept: list[tuple[str, frozenset[str]]] = []
        for *_, name, period, said in sorted(group, key=lambda one: one[:3]):
            # two quarters may have one dividend; nothing is known of a figure without words
            times = [time for time, other in kept if said and (said <= other or other <= said)]
            if any(time == period or not (time and period) for time in times):
                found[name] = "near_duplicate"
            elif said:
                kept.append((period, said))
    return found


def find_unshown(paths: Iterable[Path], out: Container[str], index: CorpusIndex, per_passage: int) -> dict[str, str]:
    """Single facts of which a model is not asked what they are worth, since their passage has many more.

    Those of a passage's tables and those of its prose are counted apart. The latest figures come first, then those with
    a unit, then those that stand under no line of their table, as totals do.
    """
    shown: Counter[tuple[str, bool]] = Counter()
    holders = _count_holders(index)

    def rank(one: tuple[Path, Triplet]) -> tuple[int, int, bool, bool, str]:
        path, fact = one
        year = max(map(int, _years(fact)), default=0)
        return -_worth(fact, holders), -year, not fact.unit, bool(fact.group), path.path_id

    found = {}
    for path, fact in sorted(_single(paths, out, index), key=rank) if per_passage else ():
        place = fact.chunk_id, bool(fact.header)
        if shown[place] >= SHOWN * per_passage:
            found[path.path_id] = "enough_of_passage"
        shown[place] += 1
    return found


def find_surplus(
    paths: Iterable[Path], out: Container[str], index: CorpusIndex, config: AskConfig, choices: Mapping[str, Choice]
) -> dict[str, str]:
    """Further single facts of a passage, or of one relation in it (`enough_of_passage`), best ones apart.

    Where a model has said what is worth asking, a passage keeps twice as many, and as many as else in all of one
    relation or of its tables: of two suspensions both. Those that are `out` already take nobody's place.
    """
    taken: defaultdict[str, list[Triplet]] = defaultdict(list)
    holders, most = _count_holders(index), config.per_passage

    def rank(one: tuple[Path, Triplet]) -> tuple[int, int, str]:
        path, fact = one
        choice = choices.get(path.path_id)
        return -(choice.worth if choice else 0), -_worth(fact, holders), path.path_id

    def is_enough(fact: Triplet, own: Sequence[Triplet]) -> bool:
        same = [other for other in own if other.relation == fact.relation]
        if not config.worth:
            return len(own) >= most or bool(same)
        alike = [other for other in own if other.header] if fact.header else same
        return len(own) >= 2 * most or len(alike) >= most or any(other.subject == fact.subject for other in same)

    found = {}
    for path, fact in sorted(_single(paths, out, index), key=rank) if most else ():
        if is_enough(fact, taken[fact.chunk_id]):
            found[path.path_id] = "enough_of_passage"
        else:
            taken[fact.chunk_id].append(fact)
    return found


def _single(paths: Iterable[Path], out: Container[str], index: CorpusIndex) -> Iterator[tuple[Path, Triplet]]:
    """The paths of one fact that are still to be asked about, with it."""
    for path in paths:
        if path.pattern == "single" and path.path_id not in out:
            yield path, index.triplets[path.triplet_ids[0]]


def _count_holders(index: CorpusIndex) -> Counter[str]:
    """Of how many things each relation is said."""
    return Counter(relation for _, relation in index.objects)


def _worth(fact: Triplet, holders: Counter[str]) -> int:
    """How likely it is that a fact gives a good question, by what became of recorded ones.

    A value was kept of 46 in 40, a thing of 44 in 27; what is said of others too of 51 in 41, else of 39 in 26.
    """
    return is_literal(fact) + (holders[relation_of(fact)] > 1) + is_telling(fact.subject)


_OF_DOCUMENT = re.compile(r" in “[^“”]*”$")  # behind the name of a table
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_EMPTY = telling_stems("total had has have")
_OF_SHARES = telling_stems("share percent percentage proportion portion")


def _words_of(fact: Triplet) -> str:
    return f"{_OF_DOCUMENT.sub('', fact.subject)} {fact.relation}"


def _years(fact: Triplet) -> set[str]:
    return set(_YEAR.findall(f"{_words_of(fact)} {fact.period or fact.period_end}"))


def _telling_words(fact: Triplet, index: CorpusIndex) -> frozenset[str]:
    """What a fact says of what its figure is, but for the time, the company and words that say nothing."""
    entity = index.documents[fact.doc_id].entity
    text = _YEAR.sub(" ", _words_of(fact))
    for name in sorted(company_names(entity), key=len, reverse=True) if entity else ():
        text = text.replace(name, " ")
    if entity:
        text = " ".join(word for word in text.split() if not is_same_thing(word, entity))
    return frozenset(telling_stems(text) - _EMPTY - (_OF_SHARES if fact.unit == "percent" else set()))
