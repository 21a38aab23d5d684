"""Questions that only look different (IBM §3): case, punctuation, typing errors, white space, alone and together."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import TypeVar

from rarefy.tasks.perturb.case import Case, Draft, Make
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.query import letter_case
from rarefy.tasks.perturb.query.character import character
from rarefy.tasks.perturb.query.edited import composed, different, edited, told
from rarefy.tasks.perturb.query.punctuation import removable
from rarefy.tasks.perturb.query.words import READ, Word

T = TypeVar("T")

MOST = 0.4  # "some words": of those that may change case, at most
WIDEST = 3  # spaces added in one place: more is a layout, not a slip

_GAP = re.compile(r"(?<=\S) (?=\S)")


def upper_case(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The question with some words in capitals; none in a script without case."""
    return _cased(case, letter_case.upper_case, random)


def lower_case(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The question with some capitals lost, where no name turns into another word."""
    return _cased(case, letter_case.lower_case, random)


def proper_case(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The question with a capital on some words, where none turns into a name."""
    return _cased(case, letter_case.proper_case, random)


def no_punctuation(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The question without punctuation, then without some of it; numbers, codes and abbreviations keep theirs."""
    marks = list(removable(case.text))
    if marks:
        yield _without(case.text, marks)
    if len(marks) > 1:
        yield from different(case.text, lambda: _without(case.text, _some(marks, 1, len(marks) - 1, random)))


def butter_fingers(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The question with letters hit on a neighbouring key, in `config.share` of its words."""
    return character(case, config.model_copy(update={"edits": ("neighbour_key",)}), random)


def character_swap(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The question with neighbouring letters swapped, in `config.share` of its words."""
    return character(case, config.model_copy(update={"edits": ("swap",)}), random)


def white_space(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The question with redundant spaces between some of its words; before it, where it is one word."""
    gaps = [match.start() for match in _GAP.finditer(case.text, 0, READ)] or ([0] if case.text.strip() else [])

    def widened() -> Draft:
        drawn = _some(gaps, 1, max(1, round(MOST * len(gaps))), random)
        spaces = [(at, at, " " * random.randint(1, WIDEST)) for at in drawn]
        return edited(case.text, spaces, f"{sum(len(new) for *_, new in spaces)} spaces in {len(spaces)} places")

    return different(case.text, widened) if gaps else iter(())


# Of each group one at most: two kinds of typing error in one word, or capitals put on and taken off, are no mix
GROUPS: tuple[tuple[Make, ...], ...] = (
    (butter_fingers, character_swap),
    (upper_case, lower_case, proper_case),
    (no_punctuation,),
    (white_space,),
)


def superficial_mix(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The question with two or three of these changes together."""
    return different(case.text, lambda: _mixed(case, config, random))


def _mixed(case: Case, config: PerturbConfig, random: Random) -> Draft:
    drawn = random.sample(range(len(GROUPS)), random.randint(2, 3))
    whole, names = edited(case.text, ()), []
    for group in sorted(drawn):
        make = random.choice(GROUPS[group])
        draft = next(make(replace(case, text=whole.text), config, random), None)
        if draft:
            whole = composed(whole, draft)
            names.append(f"{make.__name__} ({draft.detail})")
    # one that could not be made of this question leaves no mix
    return replace(whole, detail=" and ".join(names)) if len(names) > 1 else Draft(case.text)


def _cased(case: Case, cased: Callable[[str, str], list[tuple[Word, str]]], random: Random) -> Iterator[Draft]:
    places = cased(case.text, case.language)

    def drawn() -> Draft:
        some = _some(places, min(2, len(places)), max(1, round(MOST * len(places))), random)
        return edited(case.text, ((w.start, w.end, new) for w, new in some), told((w.text, new) for w, new in some))

    return different(case.text, drawn) if places else iter(())


def _some(places: Sequence[T], least: int, most: int, random: Random) -> list[T]:
    """Between `least` and `most` of the places (`least` where that is more), in their order."""
    drawn = random.sample(range(len(places)), random.randint(least, max(least, most)))
    return [places[i] for i in sorted(drawn)]


def _without(text: str, marks: Sequence[tuple[int, int]]) -> Draft:
    lost = [text[start:end] for start, end in marks]
    more = f" and {len(lost) - 8} more" if len(lost) > 8 else ""  # a row's detail is read by people
    return edited(text, ((start, end, "") for start, end in marks), f"without {' '.join(lost[:8])}{more}")
