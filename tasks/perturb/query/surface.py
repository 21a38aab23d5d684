"""Change only how a question looks: case, punctuation, typing errors, white space (RARE §5.1, C.1; IBM §3).

No change makes another word or name of a word, or touches a number, code or abbreviation.
"""

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace
from random import Random
from typing import TypeVar

from rarefy.tasks.perturb.case import Case, Draft, Make
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.query.words import (
    READ,
    Word,
    apply_edits,
    changes_meaning,
    compose_drafts,
    describe_changes,
    draw_distinct,
    is_code,
    split_entity_words,
    split_words,
)
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.dates import month_number
from rarefy.tasks.text.names import ENGLISH_FORMS, TITLES

# Letter case

SHORTEST = 4  # letters of a word that is capitalised: "US", "IT", "WHO" and "OR" are names

# Languages with dotted and dotless i, which need rules of their own
DOTTED = frozenset({"tr", "az", "lt"})

# Words at the beginning of questions that are no names
QUESTION_OPENERS = frozenset(
    """
    what which who whom whose when where why how in on at as under during according by for from to with is are was were
    does do did has have had can could should would the a an of if besides within approximately list name give tell
    through between among after before since until
    """.split()
)

# Words that become names when capitalised
NAMES_TOO = frozenset(
    """
    may march april june august will bill mark grace hope faith rose grant jack frank sue rob gene jean art drew dean
    earl lance miles victor wade ray guy josh nick rich penny ruby pearl lily ivy daisy violet iris olive ginger dawn
    summer autumn carol crystal jade amber robin jay martin drake swift ford pat dick chuck don christian bush
    china turkey chile jordan japan guinea jersey bologna polish swede danish catholic mass earth mercury mars sun
    apple target gap shell amazon meta alphabet visa oracle chase sprint square block snap zoom slack stripe orange dell
    delta united subway staples caterpillar kraft dove tide discover progressive travelers principal ally citizens
    regions key general boeing express corning ball crown cardinal guess coach signet tapestry monster tesla google
    windows office word excel access teams edge surface fed street congress house state constitution act bible god
    internet west east north south republican democratic labour liberal conservative aids
    """.split()
)

Cased = Callable[[str], str]


def find_upper_case(text: str, language: str) -> list[tuple[Word, str]]:
    """The words that can be upper case, with the result."""
    found = [w for w in split_words(text) if len(w.text) >= SHORTEST and w.text.lower() not in NAMES_TOO]
    return _select_changeable(found, str.upper, language)


def find_lower_case(text: str, language: str) -> list[tuple[Word, str]]:
    """The words that can lose their capital without becoming another word, with the result."""
    every = split_words(text)
    found = []
    for i, word in enumerate(every):
        lower = word.text.lower()
        alone = i + 1 == len(every) or not every[i + 1].capitalised
        common = lower in QUESTION_OPENERS and (not i or every[i - 1].ends or lower == "the")
        # a word that is no English one cannot be mistaken for one: "microsoft", "jassy"
        safe = common or lower in ENGLISH_FORMS or (not wordnet.known(lower) and len(word.text) >= SHORTEST)
        if safe and word.text[:1].isupper() and (not common or alone or lower not in NAMES_TOO):
            found.append(word)
    return _select_changeable(found, str.lower, language)


def find_proper_case(text: str, language: str) -> list[tuple[Word, str]]:
    """The words that can get a capital, with the result."""
    found = [
        w for w in split_words(text) if not w.capitalised and w.text not in NAMES_TOO and w.text not in ("us", "it")
    ]
    return _select_changeable(found, lambda word: word[:1].title() + word[1:], language)


def _select_changeable(found: list[Word], cased: Cased, language: str) -> list[tuple[Word, str]]:
    """The words that a reversible change of case changes, with the result; not units and codes."""
    speaks = language.partition("-")[0].lower()
    changed = []
    for word in found:
        # next to a number are units ("5 mW", "10 Mbps"), whose case matters
        if is_code(word) or (word.counted and len(word.text) < 2 * SHORTEST):
            continue
        if speaks in DOTTED and set(word.text) & set("iıIİ"):
            continue
        new = cased(word.text)
        # "ß" has no one capital, and neither has a ligature
        if new != word.text and len(new) == len(word.text) and new.lower() == word.text.lower():
            changed.append((word, new))
    return changed


# Typing errors (RARE §5.1, C.1)

ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")

LOOK_ALIKE = dict(zip("aceijopsxyhk", "асеіјорѕхуһк", strict=True))  # Latin to Cyrillic


def _find_neighbour_keys() -> dict[str, str]:
    near: dict[str, set[str]] = {}
    for y, row in enumerate(ROWS):
        for x, key in enumerate(row):
            # Each row is shifted half a key to the right of the one above.
            for dy, dx in ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, -1), (1, 0)):
                if 0 <= y + dy < len(ROWS) and 0 <= x + dx < len(ROWS[y + dy]):
                    near.setdefault(key, set()).add(ROWS[y + dy][x + dx])
    return {key: "".join(sorted(keys)) for key, keys in near.items()}


BESIDE = _find_neighbour_keys()


def neighbour_key(word: str, at: int, random: Random) -> str:
    """Hit the key beside the right one."""
    letter = word[at]
    keys = BESIDE.get(letter.lower())
    if not keys:
        return word
    hit = random.choice(keys)
    return word[:at] + (hit.upper() if letter.isupper() else hit) + word[at + 1 :]


def deletion(word: str, at: int, random: Random) -> str:
    """Miss a key."""
    return word[:at] + word[at + 1 :]


def swap(word: str, at: int, random: Random) -> str:
    """Hit two keys in the wrong order."""
    return word[:at] + word[at : at + 2][::-1] + word[at + 2 :]


def homoglyph(word: str, at: int, random: Random) -> str:
    """Replace a letter by a look-alike of another script; invisible, so never the only edit of a question."""
    return word[:at] + LOOK_ALIKE.get(word[at], word[at]) + word[at + 1 :]


Edit = Callable[[str, int, Random], str]
EDITS: dict[str, Edit] = {f.__name__: f for f in (neighbour_key, deletion, swap, homoglyph)}

VISIBLE = tuple(name for name in EDITS if name != "homoglyph")

TRIES = 8  # draws of a place and an edit for one word
LONG = 8  # letters of a word that may get two errors


def character(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Questions with typing errors in `config.share` of their characters or words.

    Numbers, dates, codes, units, short words and first letters stay; no error makes another English word ("sales",
    "sale") or a word of the entity's name.
    """
    every = split_words(case.text)
    places = [w for w in every if len(w.text) >= config.shortest_word and not changes_meaning(w)]
    places = [w for w in places if not (w.capitalised and w.counted)]  # "Note 4", "Item 7"
    # in scripts without case another letter mostly makes another word
    places = [w for w in places if w.text.lower() != w.text.upper()]
    whole = len(every) if config.share_of == "words" else sum(len(w.text) for w in every)
    budget = max(1, int(config.share * whole))  # "only 10 %": not more
    taken = split_entity_words(case.entity) | {w.text.lower() for w in every}

    def drawn() -> Draft:
        spelt = _draw_misspellings(places, every[0], budget, config.edits, taken, random)
        changes = describe_changes((w.text, new) for w, new in spelt)
        return apply_edits(case.text, ((w.start, w.end, new) for w, new in spelt), changes)

    return draw_distinct(case.text, drawn) if places else iter(())


def _draw_misspellings(
    places: Sequence[Word], first: Word, budget: int, edits: Sequence[str], taken: Set[str], random: Random
) -> list[tuple[Word, str]]:
    """Misspelt words of one draft in order; names only where there is nothing else."""
    drawn = sorted(random.sample(places, len(places)), key=lambda w: _may_be_name(w, first))
    spelt: dict[Word, str] = {}
    errors = 0
    for word in [*drawn, *(w for w in drawn if len(w.text) >= LONG and not w.capitalised)]:
        if errors == budget:
            break
        kinds = [k for k in edits if errors or k in VISIBLE]
        if kinds and (changed := _misspell(spelt.get(word, word.text), kinds, taken, random)):
            spelt[word] = changed
            errors += 1
    return sorted(spelt.items(), key=lambda item: item[0].start)


def _may_be_name(word: Word, first: Word) -> bool:
    """Whether it may be a name, which one letter can change to another ("China", "Chiba")."""
    lower = word.text.lower()
    return (word.capitalised and word is not first) or not (lower in QUESTION_OPENERS or wordnet.known(lower))


def _misspell(word: str, kinds: Sequence[str], taken: Set[str], random: Random) -> str:
    """The word with one error; "" where all draws made existing words."""
    for _ in range(TRIES):
        at = random.randrange(1, len(word))
        kind = random.choice(kinds)
        changed = EDITS[kind](word, at, random) if word[at].isalpha() else word
        parts = changed.lower().split("-")
        if changed != word and changed.lower() not in taken and not any(map(wordnet.known, parts)):
            return changed
    return ""


# Punctuation

CLOSING_MARKS = '?!,;:.”»…؟،؛。？！"'
OPENING_MARKS = '“«¿¡"'

_TOKEN = re.compile(r"\S+")
_CODE = re.compile(r"`[^`]*`")  # starts over at the next mark: linear in any text
# "U.S.", "Ph.D.", "a.m.": the last point belongs to them as much as the others do
_DOTTED = re.compile(r"\W*(?:[^\W\d_]{1,3}\.){2,}")
# Abbreviations with a point: "No. 5", "Art. 17"
_SHORT = TITLES | {"p", "ca", "cl"}


def find_removable_punctuation(text: str) -> Iterator[tuple[int, int]]:
    """Spans of punctuation around words that can be removed without changing a word.

    Apostrophes, hyphens, brackets and signs stay ("Target's", "10-K", "income (loss)", "47.5%"), and all code.
    """
    tokens = list(_TOKEN.finditer(text))
    code, at = [match.span() for match in _CODE.finditer(text)], 0
    for i, token in enumerate(tokens):
        written = token.group()
        while at < len(code) and code[at][1] <= token.start():
            at += 1
        if at < len(code) and code[at][0] < token.end():
            continue  # within code every mark is meant
        if not any(c.isalnum() for c in written):
            continue  # a table's bar, a dash or an ellipsis by itself
        lead = len(written) - len(written.lstrip(OPENING_MARKS))
        if lead:
            yield token.start(), token.start() + lead
        tail = _closing_start(written)
        if tail < len(written) and not _separates_numbers(tokens, i, written[tail:]):
            yield token.start() + tail, token.end()


def _closing_start(written: str) -> int:
    """Where the removable closing punctuation of a token begins."""
    end = len(written)
    while end and written[end - 1] in CLOSING_MARKS:
        mark, before = written[end - 1], written[: end - 1]
        if mark == "." and (_DOTTED.fullmatch(written[:end]) or before.strip(OPENING_MARKS + "(").lower() in _SHORT):
            break
        if mark == '"' and before[-1:].isdigit():
            break  # inches
        end -= 1
    return end


def _separates_numbers(tokens: list[re.Match[str]], i: int, tail: str) -> bool:
    """Whether the punctuation separates two numbers that are not the day and year of a date."""
    if "," not in tail and ";" not in tail and ":" not in tail:
        return False
    before, after = tokens[i].group(), tokens[i + 1].group() if i + 1 < len(tokens) else ""
    if not (before[:1].isdigit() and after[:1].isdigit()):
        return False
    return not (i and month_number(tokens[i - 1].group()))


# Perturbations

T = TypeVar("T")

MOST = 0.4  # share of the possible places that are changed, at most
WIDEST = 3  # spaces added in one place, at most

_GAP = re.compile(r"(?<=\S) (?=\S)")


def upper_case(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The question with some words in capitals; none in a script without case."""
    return _change_case(case, find_upper_case, random)


def lower_case(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The question with some capitals lost, where no name turns into another word."""
    return _change_case(case, find_lower_case, random)


def proper_case(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The question with a capital on some words, where none turns into a name."""
    return _change_case(case, find_proper_case, random)


def no_punctuation(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The question without punctuation, then without some of it; numbers, codes and abbreviations keep theirs."""
    marks = list(find_removable_punctuation(case.text))
    if marks:
        yield _remove_marks(case.text, marks)
    if len(marks) > 1:
        yield from draw_distinct(
            case.text, lambda: _remove_marks(case.text, _draw_some(marks, 1, len(marks) - 1, random))
        )


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
        drawn = _draw_some(gaps, 1, max(1, round(MOST * len(gaps))), random)
        spaces = [(at, at, " " * random.randint(1, WIDEST)) for at in drawn]
        return apply_edits(case.text, spaces, f"{sum(len(new) for *_, new in spaces)} spaces in {len(spaces)} places")

    return draw_distinct(case.text, widened) if gaps else iter(())


# A mix has one perturbation of a group at most
GROUPS: tuple[tuple[Make, ...], ...] = (
    (butter_fingers, character_swap),
    (upper_case, lower_case, proper_case),
    (no_punctuation,),
    (white_space,),
)


def superficial_mix(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The question with two or three of these changes together."""
    return draw_distinct(case.text, lambda: _mix_changes(case, config, random))


def _mix_changes(case: Case, config: PerturbConfig, random: Random) -> Draft:
    drawn = random.sample(range(len(GROUPS)), random.randint(2, 3))
    whole, names = apply_edits(case.text, ()), []
    for group in sorted(drawn):
        make = random.choice(GROUPS[group])
        draft = next(make(replace(case, text=whole.text), config, random), None)
        if draft:
            whole = compose_drafts(whole, draft)
            names.append(f"{make.__name__} ({draft.detail})")
    # one that could not be made of this question leaves no mix
    return replace(whole, detail=" and ".join(names)) if len(names) > 1 else Draft(case.text)


def _change_case(case: Case, cased: Callable[[str, str], list[tuple[Word, str]]], random: Random) -> Iterator[Draft]:
    places = cased(case.text, case.language)

    def drawn() -> Draft:
        some = _draw_some(places, min(2, len(places)), max(1, round(MOST * len(places))), random)
        return apply_edits(
            case.text, ((w.start, w.end, new) for w, new in some), describe_changes((w.text, new) for w, new in some)
        )

    return draw_distinct(case.text, drawn) if places else iter(())


def _draw_some(places: Sequence[T], least: int, most: int, random: Random) -> list[T]:
    """Random places in order: between `least` and `most` of them."""
    drawn = random.sample(range(len(places)), random.randint(least, max(least, most)))
    return [places[i] for i in sorted(drawn)]


def _remove_marks(text: str, marks: Sequence[tuple[int, int]]) -> Draft:
    lost = [text[start:end] for start, end in marks]
    more = f" and {len(lost) - 8} more" if len(lost) > 8 else ""  # a row's detail is read by people
    return apply_edits(text, ((start, end, "") for start, end in marks), f"without {' '.join(lost[:8])}{more}")
