"""Which language a text is in, where nobody says: by its letters, and by its commonest words."""

import re
from collections import Counter
from collections.abc import Iterable

# Words that stand in most sentences of one of these languages and seldom in those of the others.
_WORDS = {
    "en": "the of and to in is was what which who how when where for on by with that are were did does from as at its",
    "de": "der die das und ist von den mit wie welche welcher wer wann wo für auf im ein eine nicht wurde des dem zu",
    "fr": "le la les des et est une un dans quel quelle qui que pour par sur avec du au aux sont était où combien",
    "es": "el la los las de y es una un en qué cuál quién cómo cuándo dónde para por con del al son fue cuántos que",
    "it": "il lo gli di e è una un in che quale chi come quando dove per con del della sono era nel alla quanti",
    "pt": "o os as de e é uma um em que qual quem como quando onde para por com do da são foi no na quantos",
    "nl": "de het een en is van in wat welke wie hoe wanneer waar voor op met dat zijn werd door niet aan",
}
_LANGUAGES_OF: dict[str, list[str]] = {}
for _language, _listed in _WORDS.items():
    for _word in _listed.split():
        _LANGUAGES_OF.setdefault(_word, []).append(_language)
_LETTERS = re.compile(r"[^\W\d_]+")
_READ = 2_000  # characters
_SCRIPTS = (  # first and last letter, and the language that is written in it, or the code for one that is not known
    ("\u0400", "\u04ff", "ru"),
    ("\u0370", "\u03ff", "el"),
    ("\u0590", "\u05ff", "he"),
    ("\u0600", "\u06ff", "ar"),
    ("\u0900", "\u097f", "hi"),
    ("\u0e00", "\u0e7f", "th"),
    ("\u3040", "\u30ff", "ja"),
    ("\uac00", "\ud7af", "ko"),
    ("\u4e00", "\u9fff", "zh"),
)


_BESIDE = 2.0  # words of a text that all texts beside it are worth: a short question alone decides nothing


def tongue(text: str, beside: Iterable[str] = ()) -> str:
    """The code of the language that a text is most likely in, with what stands beside it as a help; English where words
    do not tell, and "und" where the text's letters say that it is none of those known here."""
    text = text[:_READ].lower()
    letters = [letter for word in _LETTERS.findall(text) for letter in word]
    foreign = Counter(_script(letter) for letter in letters if letter > "\u036f")
    if 2 * foreign.total() > len(letters):
        return "ja" if foreign["ja"] else foreign.most_common(1)[0][0]
    own, others = _counted(text), _counted(" ".join(other[:_READ] for other in beside).lower())
    worth = _BESIDE / max(1, others.total())
    return max(_WORDS, key=lambda language: own[language] + worth * others[language])  # the first of equals: English


def _counted(text: str) -> Counter[str]:
    return Counter(language for word in _LETTERS.findall(text) for language in _LANGUAGES_OF.get(word, ()))


def _script(letter: str) -> str:
    return next((language for first, last, language in _SCRIPTS if first <= letter <= last), "und")
