"""Whether things of two texts of the same words changed places: around a verb, beside a preposition, with a figure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations

from rarefy.tasks.nli.blocks import blocks, spoken, stem
from rarefy.tasks.nli.figures import figured, kind
from rarefy.tasks.nli.kept import small
from rarefy.tasks.wordnet import readings

LONG = 160  # tokens of a block, of a longer one only figures and names are looked at
MANY = 48  # things that are compared two by two: the work grows with their square
_TOKEN = re.compile(r"\x02(\d+)\x03|[^\W\d_][\w&]*(?:[-.'&][\w&]+)*|\d[\w.]*|[,;:.?!()]")
_PREPOSITIONS = frozenset(
    """in on at to for with of from into through during after before under over than as by against between about
    without within toward towards since until behind above below near via despite""".split()
)
_LITTLE = frozenset("the a an its our their his her my your this that these those 's s".split())
_HELPING = frozenset("is are was were be been being am has have had do does did will would".split())
_AND = frozenset("and or nor as well both either &".split())
_BREAK = re.compile(r"[,;:.?!]|\b(?:and|but|while|whereas|compared|versus|against|or)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Token:
    """A word or figure: by what it is compared, what it is (a kind of figure, "name", "word"), what stands before."""

    key: str
    sort: str
    before: str = ""  # the preposition that it follows, articles apart


def rearranged(premise: str, hypothesis: str) -> Iterator[str]:
    """What of the hypothesis stands where another thing stands in the premise, block of sentences by block."""
    said, asked = spoken(premise), spoken(hypothesis)
    for block in blocks([items for _, items in asked], [items for _, items in said]):
        texts = [[side[place][0] for place in places] for side, places in ((asked, block.asked), (said, block.said))]
        here, there = ([sentence for sentence in side if sentence not in other] for side, other in (texts, texts[::-1]))
        if here and there:
            yield from _block(" ".join(here), " ".join(there))


def _block(asked: str, said: str) -> Iterator[str]:
    here, there = tokens(asked), tokens(said)
    short = len(here) <= LONG and len(there) <= LONG
    if short and (swap := exchange([t.key for t in here], [t.key for t in there])):
        one, other = ([t for t in here if t.key in part and t.sort != "small"] for part in swap)
        if one and other and _comparable(one[0], other[0]):
            yield f"{' '.join(swap[0])} and {' '.join(swap[1])} changed places"
    yield from crossed(here, there)
    mine, theirs = told(asked), told(said)
    for pair in mine:
        figure, thing = pair
        others = {t for f, t in theirs if f == figure}
        owners = {f for f, t in theirs if t == thing}
        if others and owners and pair not in theirs:
            yield f"{figure} stands with {thing}, was with {sorted(others)[0]}"


def _comparable(one: Token, other: Token) -> bool:
    figures = [t.sort not in ("word", "name") for t in (one, other)]
    return one.sort == other.sort if any(figures) else True


@small
def tokens(text: str) -> tuple[Token, ...]:
    """The words and figures of a text, names of several words as one, without articles and points."""
    marked, figures = figured(text.replace("’", "'"))
    found: list[Token] = []
    before, first, capital = "", True, False
    for hit in _TOKEN.finditer(marked):
        word = hit[0]
        low = word.lower().removesuffix("'s").rstrip("'")
        if hit[1]:
            figure = figures[int(hit[1])]
            found.append(Token(figure, kind(figure) or "number", before))
            before, first, capital = "", False, False
        elif not word[0].isalnum():
            first, capital = first or word in ".?!:;", False
            before = ""
        elif low in _LITTLE and (word != "A" or first):
            capital = False
            first = False
        elif low in _PREPOSITIONS or low in _HELPING or low in _AND:
            found.append(Token(low, "small"))
            before, first, capital = (low if low in _PREPOSITIONS else ""), False, False
        else:
            name = word[0].isupper() and (not first or not readings(low))
            if name and capital and found and len(low) > 1:  # the second word of a name
                found[-1] = Token(f"{found[-1].key} {_stem(low)}", "name", found[-1].before)
            else:
                found.append(Token(_stem(low), "name" if name else "word", before))
            before, first, capital = "", False, name
    return tuple(found)


@lru_cache(16_384)
def _stem(low: str) -> str:
    known = readings(low)
    return stem(known[0].lemma if known else low)


def exchange(here: Sequence[str], there: Sequence[str]) -> tuple[list[str], list[str]] | None:
    """The two runs of words that changed places around what stands between them, if nothing else changed."""
    if len(here) != len(there) or sorted(here) != sorted(there):
        return None
    start = next((at for at, pair in enumerate(zip(here, there, strict=True)) if pair[0] != pair[1]), None)
    if start is None:
        return None
    end = next(at for at in range(len(here), 0, -1) if here[at - 1] != there[at - 1])
    one, other = list(here[start:end]), list(there[start:end])
    for size in range(1, len(one)):
        if one[:size] != other[-size:]:
            continue
        for last in range(1, len(one) - size):
            if one[-last:] == other[:last] and one[size:-last] == other[last : len(other) - size]:
                between = one[size:-last]
                if set(between) <= _AND and not {"respectively"} & set(here):
                    return None
                return one[:size], one[-last:]
    return None


def crossed(here: Sequence[Token], there: Sequence[Token]) -> Iterator[str]:
    """Pairs of things each of which stands in the one text beside what the other stands beside in the other text."""
    mine, theirs = _beside(here), _beside(there)
    both = [key for key in mine if key in theirs]
    if len(both) > MANY:
        both = [key for key in both if mine[key][0].sort != "word"][:MANY]
    for one, other in combinations(both, 2):
        (a, left_a, right_a), (b, left_b, right_b) = mine[one], mine[other]
        (c, left_c, right_c), (d, left_d, right_d) = theirs[one], theirs[other]
        if not _comparable(a, b):
            continue
        left = left_a != left_c and left_a == left_d and left_b == left_c and left_b != left_d
        right = right_a != right_c and right_a == right_d and right_b == right_c and right_b != right_d
        words = a.sort == "word" == c.sort or b.sort == "word" == d.sort
        if not (left and right if words else left or right):
            continue
        pairs = [{a.before, c.before}, {b.before, d.before}]
        if any("by" in pair for pair in pairs) and any("" in pair and len(pair) > 1 for pair in pairs):
            continue  # another voice, of which others say whether it turns the sense round
        if a.before == c.before and b.before == d.before and a.before != b.before and a.before and b.before:
            continue  # phrases that moved with their prepositions
        if _together(here, one, other) and _together(there, one, other):
            continue
        yield f"{one} and {other} changed places"


def _beside(text: Sequence[Token]) -> dict[str, tuple[Token, str, str]]:
    """Each thing that stands once in a text, with what stands before and after it; "" at an end."""
    content = [token for token in text if token.sort != "small"]
    count: dict[str, int] = {}
    for token in content:
        count[token.key] = count.get(token.key, 0) + 1
    return {
        token.key: (
            token,
            content[at - 1].key if at else "",
            content[at + 1].key if at + 1 < len(content) else "",
        )
        for at, token in enumerate(content)
        if count[token.key] == 1
    }


def _together(text: Sequence[Token], one: str, other: str) -> bool:
    """Does nothing but "and" stand between them?"""
    places = sorted(at for at, token in enumerate(text) if token.key in (one, other))
    return len(places) == 2 and all(token.key in _AND for token in text[places[0] + 1 : places[1]])


def told(text: str) -> dict[tuple[str, str], None]:
    """Each figure with the one name or time of its part of a sentence, where each part of two or more has one."""
    marked, figures = figured(text.replace("’", "'"))
    found: dict[tuple[str, str], None] = {}
    for part in _BREAK.split(marked):
        read = [token for token in tokens(_plain(part, figures)) if token.sort not in ("small", "word")]
        values = [token.key for token in read if token.sort not in ("name", "@")]
        for sort in ("name", "@"):
            things = [token.key for token in read if token.sort == sort]
            if len(values) == 1 and len(things) == 1:
                found[values[0], things[0]] = None
    return found


def _plain(part: str, figures: Sequence[str]) -> str:
    """A part with its figures as figures again, so that it can be read by itself."""
    return re.sub(r"\x02(\d+)\x03", lambda hit: _written(figures[int(hit[1])]), part)


def _written(figure: str) -> str:
    return figure.removeprefix("@") if re.fullmatch(r"@\d{4}(-\d\d-\d\d)?", figure) else figure.replace("@q", "Q")
