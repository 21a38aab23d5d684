"""Words in another case that stay the words they are (IBM §3): no "US" becomes "us", no "may" becomes "May"."""

from collections.abc import Callable

from rarefy.tasks.perturb.query.words import Word, is_code, words
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.names import ENGLISH_FORMS

SHORTEST = 4  # letters of a word in capitals: "us", "it", "who" and "or" would be names of countries and agencies

# Languages that case "i" and "ı" each its own way, which needs rules of their own
DOTTED = frozenset({"tr", "az", "lt"})

# Words that begin a question and are not taken for names
OPENING = frozenset(
    """
    what which who whom whose when where why how in on at as under during according by for from to with is are was were
    does do did has have had can could should would the a an of if besides within approximately list name give tell
    through between among after before since until
    """.split()
)

# Words that a capital makes a name of another thing
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


def upper_case(text: str, language: str) -> list[tuple[Word, str]]:
    """The words that may stand in capitals, with what they become."""
    found = [w for w in words(text) if len(w.text) >= SHORTEST and w.text.lower() not in NAMES_TOO]
    return _changed(found, str.upper, language)


def lower_case(text: str, language: str) -> list[tuple[Word, str]]:
    """The words that may lose their capital: those that stay what they are as common words go."""
    every = words(text)
    found = []
    for i, word in enumerate(every):
        lower = word.text.lower()
        alone = i + 1 == len(every) or not every[i + 1].capitalised
        common = lower in OPENING and (not i or every[i - 1].ends or lower == "the")
        # a word that is no English one cannot be mistaken for one: "microsoft", "jassy"
        safe = common or lower in ENGLISH_FORMS or (not wordnet.known(lower) and len(word.text) >= SHORTEST)
        if safe and word.text[:1].isupper() and (not common or alone or lower not in NAMES_TOO):
            found.append(word)
    return _changed(found, str.lower, language)


def proper_case(text: str, language: str) -> list[tuple[Word, str]]:
    """The words that may get a first capital, with what they become."""
    found = [w for w in words(text) if not w.capitalised and w.text not in NAMES_TOO and w.text not in ("us", "it")]
    return _changed(found, lambda word: word[:1].title() + word[1:], language)


def _changed(found: list[Word], cased: Cased, language: str) -> list[tuple[Word, str]]:
    """Those of the words that another case changes and the same case rules bring back; units and codes stay."""
    speaks = language.partition("-")[0].lower()
    changed = []
    for word in found:
        # beside a number stand units ("5 mW", "10 Mbps") and years' names, whose case means something
        if is_code(word) or (word.counted and len(word.text) < 2 * SHORTEST):
            continue
        if speaks in DOTTED and set(word.text) & set("iıIİ"):
            continue
        new = cased(word.text)
        # "ß" has no one capital, and neither has a ligature
        if new != word.text and len(new) == len(word.text) and new.lower() == word.text.lower():
            changed.append((word, new))
    return changed
