"""Which trials are asked where there is a budget: a sample of each protocol, the same for the same benchmark."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from rarefy.data_contracts.rows import Trial, row_id
from rarefy.tasks.evaluate.protocols import PROTOCOLS, ProtocolsConfig

QUICK = 300  # calls of a first look: whole questions
FIRST = ("rare",)  # protocols of a first look where none is named
FIRST_QUESTIONS = 20  # of a first look that are prepared: RARE-Met puts 13 to 20 to one system in so many calls
LOOK = 1_000  # calls to a system under which numbers are a look: they have no interval
FEWEST = 30  # questions under which a number of a sample has no interval: of 15, 85 of 100 held the whole's value


@dataclass(frozen=True, slots=True)
class Unit:
    """Trials of a question that are drawn together, those that others of the question need among them."""

    protocol: str
    part: str
    question_id: str
    trial_ids: tuple[str, ...]


def list_units(trials: Iterable[Trial], options: ProtocolsConfig, whole: bool = False) -> list[Unit]:
    """The units of these trials; skipped ones are in none. All trials of a question must be among them, or none.

    `whole`: all trials of a question in a protocol are one unit.
    """
    parts: dict[tuple[str, str], dict[tuple[str, str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for trial in trials:
        if not trial.skipped_because:
            part = "" if whole else PROTOCOLS[trial.protocol].part(trial, getattr(options, trial.protocol))
            parts[trial.protocol, trial.question_id][trial.chunk_id, part].append(trial.trial_id)
    units = []
    for (protocol, question_id), of_question in parts.items():
        needed = {document: ids for (document, part), ids in of_question.items() if not part}
        used: set[str] = set()
        for (document, part), ids in of_question.items():
            if part:
                base = chain.from_iterable(needed.get(name, ()) for name in dict.fromkeys(("", document)))
                units.append(Unit(protocol, part, question_id, (*base, *ids)))
                used |= {"", document}
        alone = [name for document, ids in needed.items() if document not in used for name in ids]
        if alone:
            units.append(Unit(protocol, "", question_id, tuple(alone)))
    return units


def order_units(units: Iterable[Unit], seed: str = "") -> dict[str, list[Unit]]:
    """The units of each protocol in the order in which they are drawn: as many of each part, in proportion.

    Questions stand on a circle by the hash of their ids; the parts of a protocol begin at places evenly spread over
    it, so that few units are of many questions, and protocols begin with the same ones, whose calls they share.
    """
    strata: dict[str, dict[str, list[Unit]]] = defaultdict(lambda: defaultdict(list))
    places: dict[str, float] = {}
    for unit in units:
        if unit.question_id not in places:
            places[unit.question_id] = place_of(unit.question_id, seed)
        strata[unit.protocol][unit.part].append(unit)
    ordered = {}
    for protocol, by_part in strata.items():
        turns = []
        for at, (_, mine) in enumerate(sorted(by_part.items())):
            start = at / len(by_part)
            ranked = sorted(((places[unit.question_id] - start) % 1, unit.trial_ids, unit) for unit in mine)
            turns += [((rank + 0.5) / len(mine), place, ids, unit) for rank, (place, ids, unit) in enumerate(ranked)]
        ordered[protocol] = [unit for *_, unit in sorted(turns)]
    return ordered


def place_of(question_id: str, seed: str = "") -> float:
    """The place of a question on the circle, 0 to 1."""
    return int(row_id("budget", question_id, *filter(None, [seed])), 16) / 16**16  # of eight bytes


def draw_trials(ordered: Mapping[str, list[Unit]], calls: Mapping[str, Collection[str]], most: int) -> set[str]:
    """The names of the trials of the first units that together take at most so many calls.

    `calls` are those of each trial, by name; a call that several trials share counts once. Whichever protocol has
    caused the fewest calls so far has the next turn: a larger budget contains a smaller one.
    """
    drawn: set[str] = set()
    made: set[str] = set()
    spent, turn = dict.fromkeys(ordered, 0), dict.fromkeys(ordered, 0)
    while left := [name for name in ordered if turn[name] < len(ordered[name])]:
        name = min(left, key=lambda one: (spent[one], one))
        unit = ordered[name][turn[name]]
        new = {call for trial_id in unit.trial_ids for call in calls.get(trial_id, ())} - made
        if len(made) + len(new) > most:
            break
        turn[name] += 1
        spent[name] += len(new)
        made |= new
        drawn.update(unit.trial_ids)
    return drawn
