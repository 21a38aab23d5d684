"""Porter's stemmer (Program 14, 1980) with its author's two later changes, as Lucene's PorterStemFilter has it.

Written out here because the stemmers that Python has at hand differ from Lucene's in a few words, and a ranking that
is to agree with Elasticsearch's must cut every word alike.
"""

from functools import lru_cache
from itertools import pairwise

STEP2 = dict(
    pair.split(":")
    for pair in (
        "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble alli:al entli:ent eli:e ousli:ous ization:ize "
        "ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble logi:log"
    ).split()
)
STEP3 = {"icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": ""}
STEP4 = "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize".split()


@lru_cache(maxsize=1 << 18)
def stem(word: str) -> str:
    """The stem of a word in small letters; a word of one or two letters is left alone."""
    if len(word) <= 2 or word[-1].isdigit():  # no ending ends in a digit
        return word
    word = _plural(word)
    word = _past(word)
    if word.endswith("y") and _vowel(word[:-1]):
        word = f"{word[:-1]}i"
    word = _replaced(word, STEP2)
    word = _replaced(word, STEP3)
    word = _cut(word)
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word


def _consonant(word: str, at: int) -> bool:
    """Whether the letter is none of a, e, i, o, u, nor a y after a consonant."""
    if word[at] == "y":
        return at == 0 or not _consonant(word, at - 1)
    return word[at] not in "aeiou"


def _measure(word: str) -> int:
    """How often a vowel is followed by a consonant."""
    kinds = [_consonant(word, at) for at in range(len(word))]
    return sum(1 for one, other in pairwise(kinds) if other and not one)


def _vowel(word: str) -> bool:
    return any(not _consonant(word, at) for at in range(len(word)))


def _double(word: str) -> bool:
    return len(word) > 1 and word[-1] == word[-2] and _consonant(word, len(word) - 1)


def _short(word: str) -> bool:
    """Whether it ends in consonant, vowel, consonant, the last not w, x or y: hop."""
    end = len(word) - 1
    return (
        end >= 2
        and _consonant(word, end)
        and not _consonant(word, end - 1)
        and _consonant(word, end - 2)
        and word[-1] not in "wxy"
    )


def _plural(word: str) -> str:
    """Step 1a."""
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    """Step 1b."""
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    ending = next((one for one in ("ed", "ing") if word.endswith(one)), "")
    if not ending or not _vowel(word[: -len(ending)]):
        return word
    word = word[: -len(ending)]
    if word.endswith(("at", "bl", "iz")):
        return f"{word}e"
    if _double(word):
        return word if word[-1] in "lsz" else word[:-1]
    return f"{word}e" if _measure(word) == 1 and _short(word) else word


def _replaced(word: str, endings: dict[str, str]) -> str:
    """Steps 2 and 3: the longest ending that the word has is replaced where something is left before it."""
    ending = max((one for one in endings if word.endswith(one)), key=len, default="")
    if not ending:
        return word
    left = word[: -len(ending)]
    return left + endings[ending] if _measure(left) > 0 else word


def _cut(word: str) -> str:
    """Step 4."""
    ending = max((one for one in STEP4 if word.endswith(one)), key=len, default="")
    if not ending:
        return word
    left = word[: -len(ending)]
    if ending == "ion" and not left.endswith(("s", "t")):
        return word
    return left if _measure(left) > 1 else word
