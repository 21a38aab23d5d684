"""Relations that mean the same: near by embedding, without opposite words (R9)."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from functools import cache
from itertools import product

import numpy as np
import numpy.typing as npt

from rarefy.data_contracts.rows import Merge, Similarity
from rarefy.tasks.knowledge.normalise.config import NormaliseConfig
from rarefy.tasks.knowledge.normalise.names import Names, joined_types, make_merge
from rarefy.tasks.models.embed import Embedder
from rarefy.tasks.text.names import plain
from rarefy.tasks.text.stems import root, stem
from rarefy.tasks.text.wordnet import readings, synonyms

# A line is a family, "|" parts its sides; words of one side may stand for one another. A side also differs from none:
# "net sales" is not "sales". Embeddings put all of these above 0.9 in some pair of labels.
FAMILIES = """
increase rise rose risen grow grew grown growth gain up higher raise expand improve strengthen appreciate surge climb
  add advance accelerate | decrease decline fall fell fallen shrink shrank drop down lower cut reduce reduction contract
  worsen weaken depreciate slow decelerate loss lose lost
basic | diluted
current | noncurrent
short shortterm near | long longterm
gross | net
asset | liability | equity
before prior pre pretax precede predecessor | after post aftertax follow succeed successor | during | since | until
domestic | foreign international overseas | global worldwide
receivable receive received | payable pay paid
buy bought purchase acquire acquisition | sell sold sale dispose disposal divest divestiture
issue issuance | repurchase redeem redemption retire buyback
borrow borrower debtor | repay repayment | lend lent lender creditor
lessee | lessor
debit | credit
revenue | cost | expense | income | profit | earning | margin | cash | debt | tax
accumulated | accrued | deferred | prepaid
restricted | unrestricted
tangible | intangible
continuing | discontinued
comprehensive
weighted
plant
provide generate | use
operating operation | investing investment | financing
fixed | variable floating
realized | unrealized
granted grant | vested vest | unvested nonvested | forfeited forfeit | exercised exercise exercisable | outstanding
minimum least | maximum most | average mean median
more | less fewer
high | low
beginning opening open begin began begun start | ending closing close end
parent own owner | subsidiary owned
employer | employee
supplier supply vendor | customer demand client buyer | seller
plaintiff | defendant
hire appoint elect | fire dismiss remove resign
common | preferred
total | subtotal | other | remaining
actual | expected expect estimated estimate projected | adjusted | gaap
approve accept allow permit support agree | reject deny refuse prohibit forbid oppose object disagree
include including | exclude excluding
tighten | ease
inflation | deflation
import | export
employment | unemployment
quarter quarterly | year annual annually yearly | month monthly | day daily | week weekly
percent percentage % rate ratio | $ dollar amount
first 1st | second 2nd | third 3rd | fourth 4th | fifth | last final | next
one once single | two twice double both | three triple | four | five | six | seven | eight | nine | ten | half
not no never non without neither nor none cannot n't fail
may might could can possible | will would shall plan intend | must should require
be is are was were been being
in on at within | as | by | to into toward | from | of | for | against | with | between
  | under below | over above | than | per
have has had | do does did
former formerly previous previously
"""

_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+(?:[.,]\d+)*|[%$]")
_BRACKETED = re.compile(r"\(([^()]*)\)")  # "(income) expense" counts with the other sign than "income (expense)"
_JOINED = re.compile(r"\b(non|pre|post|after|short|long|sub)[- ](?=current|vested|operating|tax|term|total|gaap)")


def _parse_sides() -> dict[str, str]:
    sides: dict[str, str] = {}
    lines = re.sub(r"\n  ", " ", FAMILIES.strip()).splitlines()
    for number, line in enumerate(lines):
        for side, words in enumerate(line.split("|")):
            sides.update((word, f"{number}.{side}") for word in words.split())
    return sides


SIDES = _parse_sides()
_BY_STEM: dict[str, set[str]] = {}
for _word, _side in SIDES.items():
    _BY_STEM.setdefault(stem(_word), set()).add(_side)


@cache
def opposite_signature(label: str) -> tuple[str, ...]:
    """A label's numbers and words with opposites; labels merge only where these are the same."""
    text = _JOINED.sub(r"\1", plain(label))
    parts = {f"({words})" for words in _BRACKETED.findall(text)}
    for word in _WORD.findall(text):
        if word[0].isdigit():
            parts.add(word.replace(",", ""))
            continue
        if word.endswith("n't"):
            parts.add(SIDES["not"])
        if word.startswith(("non", "un", "dis")) and len(word) > 5 and word not in SIDES:
            parts.add(f"{word[:2]}-")
        parts.update([SIDES[word]] if word in SIDES else _BY_STEM.get(stem(word), ()))
    return tuple(sorted(parts))


def are_told_apart(one: str, other: str) -> bool:
    """Whether one of two relations is past, or they differ in one noun or adjective that is no synonym.

    Who was in an office is not who is, and a chief legal officer is no chief executive officer. Verbs, and adverbs in
    -ly, may differ as far as their vectors do.
    """
    if _is_past(one) != _is_past(other):
        return True
    mine, theirs = _telling_words(one), _telling_words(other)
    only_mine = [word for key, word in mine.items() if key not in theirs]
    only_theirs = [word for key, word in theirs.items() if key not in mine]
    if max(len(only_mine), len(only_theirs)) != 1:
        return False
    return not (only_mine and only_theirs and only_theirs[0] in _synonyms(only_mine[0]))


def _is_past(relation: str) -> bool:
    verb = plain(relation).partition(" ")[0]
    return verb == "were" or any(reading.form in ("ed", "past") for reading in readings(verb))


def _telling_words(label: str) -> dict[str, str]:
    """The lemmas of the nouns and adjectives of a label, by their root; words with opposites are left out."""
    found: dict[str, str] = {}
    words = [word for word in _WORD.findall(plain(label)) if word.isalpha() and not word.endswith("ly")]
    for before, word in zip(["", *words], words, strict=False):
        known = readings(word)
        follows = before in SIDES and any(reading.form in ("ed", "participle", "ing") for reading in known)
        is_verb = any(reading.pos == "v" for reading in known) and (not before or follows)
        if not (is_verb or word in SIDES or stem(word) in _BY_STEM or word in ("a", "an", "and", "the", "its")):
            found[root(word)] = next((reading.lemma for reading in known if reading.pos in "na"), word)
    return found


def _synonyms(word: str) -> set[str]:
    return {other for pos in "na" for other in synonyms(word, pos)}


# A block of similarities of this many labels by all is at most 80 MB at 20,000 labels.
BLOCK = 1_000
PAIRS = 50_000  # computed anew at a time, 300 MB
# In float32 first, then these are computed anew in float64, so that no threshold depends on the order of a sum.
SLACK = 1e-4

Pair = tuple[str, str]


def find_near_pairs(labels: Sequence[str], embed: Embedder, threshold: float) -> dict[Pair, float]:
    """The pairs nearer than the threshold and not opposed, each in alphabetical order, with their similarity.

    Nothing is nearer than 1, whatever a cosine's last digit says.
    """
    if threshold >= 1:
        return {}
    families: dict[tuple[str, ...], list[str]] = {}
    for label in sorted(set(labels)):
        families.setdefault(opposite_signature(label), []).append(label)
    several = [family for family in families.values() if len(family) > 1]
    compared = sorted(label for family in several for label in family)
    if not compared:
        return {}
    vectors = dict(zip(compared, embed(compared), strict=True))
    pairs: dict[Pair, float] = {}
    for family in several:
        pairs |= _near_pairs(family, np.stack([vectors[label] for label in family]), threshold)
    return pairs


def cluster_pairs(near: Iterable[Pair]) -> list[list[str]]:
    """Sets of labels of which any two are one of these pairs.

    Complete link: a set never grows by a chain of neighbours, and only the set of pairs counts. Pairs that are most
    alike in their letters come first, then the alphabet decides. Nearest first would let the last bits of a vector
    choose: names that differ in case alone have the same vectors, and all their pairs the same cosine.
    """
    pairs = set(near)
    member_of: dict[str, list[str]] = {name: [name] for pair in sorted(pairs) for name in pair}
    for first, second in sorted(pairs, key=lambda pair: (-_letter_similarity(pair), pair)):
        left, right = member_of[first], member_of[second]
        if left is right or any((min(pair), max(pair)) not in pairs for pair in product(left, right)):
            continue
        left += right
        for name in right:
            member_of[name] = left
    distinct = {id(cluster): cluster for cluster in member_of.values() if len(cluster) > 1}
    return [sorted(cluster) for cluster in distinct.values()]


def _letter_similarity(pair: Pair) -> float:
    """How alike two names are letter by letter, 0 to 1: a ratio of two whole numbers, the same on every machine."""
    return SequenceMatcher(None, *pair, autojunk=False).ratio()


def _near_pairs(names: Sequence[str], vectors: npt.NDArray[np.float32], threshold: float) -> dict[Pair, float]:
    """The pairs nearer than the threshold, each in alphabetical order."""
    near: dict[Pair, float] = {}
    for at in range(0, len(names), BLOCK):
        block = vectors[at : at + BLOCK] @ vectors[at:].T
        rows, columns = (indices + at for indices in np.nonzero(np.triu(block > threshold - SLACK, k=1)))
        for some in range(0, len(rows), PAIRS):
            left, right = rows[some : some + PAIRS], columns[some : some + PAIRS]
            exact = np.einsum("ij,ij->i", vectors[left].astype(np.float64), vectors[right].astype(np.float64)).round(6)
            for i, j, value in zip(left.tolist(), right.tolist(), exact.tolist(), strict=True):
                if value > threshold:
                    near[names[i], names[j]] = value
    return near


Canonical = Mapping[tuple[str, str, str], str]  # (relation | entity, types, name) -> its name by form


def merge_by_meaning(
    names: Names, by_form: Canonical, config: NormaliseConfig, embed: Embedder
) -> tuple[list[Merge], list[Similarity]]:
    """The merges of relations by meaning, of each pair of types, and how alike each two are; measures are left out.

    A merge tells nothing of what a vector comes to but on which side of the threshold it is. A cluster keeps the name
    that is mentioned most, of equals the shortest.
    """

    def canonical(those: Iterable[str]) -> set[str]:
        return {by_form.get(("relation", "", name), name) for name in those}

    support: Counter[str] = Counter()
    for name, mentions in names.relations.items():
        support[by_form.get(("relation", "", name), name)] += mentions.support
    measures = canonical(name for name, mentions in names.relations.items() if mentions.by_form_only)
    merges: list[Merge] = []
    likenesses: list[Similarity] = []
    rule = f"cosine > {config.threshold}, no opposite words"
    for (subject_type, object_type), present in sorted(names.pairs.items()):
        pairs = find_near_pairs(sorted(canonical(present) - measures), embed, config.threshold)
        near = {pair: similarity for pair, similarity in pairs.items() if not are_told_apart(*pair)}
        for cluster in cluster_pairs(near):
            best = min(cluster, key=lambda name: (-support[name], len(name), name))
            for name in cluster:
                if name != best:
                    types = joined_types(subject_type, object_type)
                    merges.append(make_merge(names, "relation", types, name, best, rule))
                    similarity = near[min(name, best), max(name, best)]
                    likenesses.append(Similarity(merges[-1].merge_id, "merge", "embedding", similarity))
    return merges, likenesses
