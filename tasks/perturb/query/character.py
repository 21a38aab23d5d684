"""Typing errors (RARE §5.1, C.1): neighbouring keys, lost letters, swapped letters, look-alike letters."""

from collections.abc import Callable, Iterator, Sequence, Set
from random import Random

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.query.edited import different, edited, told
from rarefy.tasks.perturb.query.letter_case import OPENING
from rarefy.tasks.perturb.query.words import Word, is_meant, named_words, words
from rarefy.tasks.text import wordnet

ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")

LOOK_ALIKE = dict(zip("aceijopsxyhk", "асеіјорѕхуһк", strict=True))  # Latin to Cyrillic


def _beside() -> dict[str, str]:
    near: dict[str, set[str]] = {}
    for y, row in enumerate(ROWS):
        for x, key in enumerate(row):
            # Each row is shifted half a key to the right of the one above.
            for dy, dx in ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, -1), (1, 0)):
                if 0 <= y + dy < len(ROWS) and 0 <= x + dx < len(ROWS[y + dy]):
                    near.setdefault(key, set()).add(ROWS[y + dy][x + dx])
    return {key: "".join(sorted(keys)) for key, keys in near.items()}


BESIDE = _beside()


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
    """A letter of another script that looks the same; invisible, so never the only edit of a question."""
    return word[:at] + LOOK_ALIKE.get(word[at], word[at]) + word[at + 1 :]


Edit = Callable[[str, int, Random], str]
EDITS: dict[str, Edit] = {f.__name__: f for f in (neighbour_key, deletion, swap, homoglyph)}

VISIBLE = tuple(name for name in EDITS if name != "homoglyph")

TRIES = 8  # draws of a place and an edit for one word, before it is left as it is
LONG = 8  # letters of a word that is still read with two errors in it


def character(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Questions with typing errors in `config.share` of their characters or words; none where nothing may be touched.

    Numbers, dates, codes, units and short words stay, first letters too (a reader knows a word by them), and no error
    makes another English word ("sales", "sale") or a word of the entity's name.
    """
    every = words(case.text)
    places = [w for w in every if len(w.text) >= config.shortest_word and not is_meant(w)]
    places = [w for w in places if not (w.capitalised and w.counted)]  # "Note 4", "Item 7"
    # in a script without case another letter is mostly another word, and nothing here knows its words
    places = [w for w in places if w.text.lower() != w.text.upper()]
    whole = len(every) if config.share_of == "words" else sum(len(w.text) for w in every)
    budget = max(1, int(config.share * whole))  # "only 10 %": not more
    taken = named_words(case.entity) | {w.text.lower() for w in every}

    def drawn() -> Draft:
        spelt = _spelt(places, every[0], budget, config.edits, taken, random)
        changes = told((w.text, new) for w, new in spelt)
        return edited(case.text, ((w.start, w.end, new) for w, new in spelt), changes)

    return different(case.text, drawn) if places else iter(())


def _spelt(
    places: Sequence[Word], first: Word, budget: int, edits: Sequence[str], taken: Set[str], random: Random
) -> list[tuple[Word, str]]:
    """Words and how they are misspelt in one draft, in their order; names only where there is nothing else."""
    drawn = sorted(random.sample(places, len(places)), key=lambda w: _named(w, first))
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


def _named(word: Word, first: Word) -> bool:
    """May it be a name? One letter more or less can make it another's ("China", "Chiba")."""
    lower = word.text.lower()
    return (word.capitalised and word is not first) or not (lower in OPENING or wordnet.known(lower))


def _misspell(word: str, kinds: Sequence[str], taken: Set[str], random: Random) -> str:
    """The word with one error, "" if no draw made one that is no word."""
    for _ in range(TRIES):
        at = random.randrange(1, len(word))
        kind = random.choice(kinds)
        changed = EDITS[kind](word, at, random) if word[at].isalpha() else word
        parts = changed.lower().split("-")
        if changed != word and changed.lower() not in taken and not any(map(wordnet.known, parts)):
            return changed
    return ""
