"""Names that mean the same: near by embedding, without opposite words, and where asked the same to a model (R9)."""

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cache
from itertools import product
from typing import Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Merge, Request, Similarity, Unanswered, row_id
from rarefy.tasks.knowledge.normalise.config import NormaliseConfig
from rarefy.tasks.knowledge.normalise.form import alias_owners
from rarefy.tasks.knowledge.normalise.names import Names, joined_types, make_merge
from rarefy.tasks.models import prompts
from rarefy.tasks.models.embed import Embedder
from rarefy.tasks.models.llm import LLM, parse_reply, replies, unanswered
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
# In float32 first, then these are computed anew in float64, so that no threshold hangs on the order of a sum.
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


SHOWN = 1_000  # characters of a sentence; a table's row can be long
MAX_TOKENS = 200


class Verdict(BaseModel, frozen=True):
    """What a model says of two names; the reason first, so that the verdict follows from it."""

    reason: str = Field(description="at most 25 words")
    verdict: Literal["same", "different", "unsure"]


@dataclass(frozen=True, slots=True, order=True)
class BorderlinePair:
    """Two names, in alphabetical order, that may be one."""

    kind: str  # relation | entity
    of: str  # the types that the relation joins; the type of the things
    pair: Pair


def ask_same(
    borderline: Iterable[BorderlinePair], sentences: Mapping[tuple[str, str, str], str], llm: LLM
) -> tuple[dict[BorderlinePair, str], list[Unanswered]]:
    """The pairs that the model calls the same, with its reason, and a row for each that it did not answer.

    `sentences` has a source sentence for each kind, type and name. The order of the pairs does not matter.
    """
    by_request = {_request_id(candidate): candidate for candidate in sorted(set(borderline))}
    same: dict[BorderlinePair, str] = {}
    failed: list[Unanswered] = []
    for reply in replies(llm, build_requests(by_request.values(), sentences)):
        candidate = by_request[reply.request_id]
        verdict, reply = parse_reply(reply, Verdict)
        if verdict and verdict.verdict == "same":
            same[candidate] = " ".join(verdict.reason.split())
        if reply.error:
            failed.append(
                unanswered("normalise", f"{candidate.kind} {candidate.of}: {' / '.join(candidate.pair)}", reply)
            )
    return same, sorted(failed, key=lambda row: row.unanswered_id)


def build_requests(
    borderline: Iterable[BorderlinePair], sentences: Mapping[tuple[str, str, str], str]
) -> Iterator[Request]:
    """The requests to the model, one a pair."""
    schema = json.dumps(Verdict.model_json_schema(), sort_keys=True)
    for candidate in borderline:
        shown = [sentences[candidate.kind, candidate.of, name][:SHOWN] for name in candidate.pair]
        messages = prompts.messages(
            "normalise", candidate.kind, "general", of=candidate.of, names=candidate.pair, sentences=shown
        )
        yield Request(_request_id(candidate), messages, schema=schema, max_tokens=MAX_TOKENS, seed=0)


def _request_id(candidate: BorderlinePair) -> str:
    return row_id("normalise", candidate.kind, candidate.of, *candidate.pair)


Canonical = Mapping[tuple[str, str, str], str]  # (relation | entity, types, name) -> its name by form


@dataclass(frozen=True, slots=True)
class NearPairs:
    """Pairs of names of one kind and type that may be one, with their similarity."""

    kind: str  # relation | entity
    of: str
    threshold: float
    pairs: Mapping[Pair, float]


def merge_by_meaning(
    names: Names, by_form: Canonical, config: NormaliseConfig, embed: Embedder, llm: LLM | None
) -> tuple[list[Merge], list[Similarity], list[Unanswered]]:
    """The merges of names by meaning, how alike each two are, and a row for each pair that the model did not answer.

    Such a pair stays unmerged. A merge tells nothing of what a vector comes to but on which side of a threshold it is.
    """
    groups = [*_near_relations(names, by_form, config, embed), *_near_entities(names, by_form, config, embed)]
    asked = {
        BorderlinePair(group.kind, group.of, pair)
        for group in groups
        for pair, similarity in group.pairs.items()
        if config.check and similarity <= group.threshold + config.band
    }
    same: dict[BorderlinePair, str] = {}
    failed: list[Unanswered] = []
    if asked and llm:
        shown = {(a.kind, a.of, name): names.mentions(a.kind, a.of, name).sentence for a in asked for name in a.pair}
        same, failed = ask_same(asked, shown, llm)
    rank = _name_ranking(names, by_form, config)
    merges: list[Merge] = []
    likenesses: list[Similarity] = []
    for group in groups:
        standing = {
            pair: similarity
            for pair, similarity in group.pairs.items()
            if (candidate := BorderlinePair(group.kind, group.of, pair)) not in asked or candidate in same
        }
        for cluster in cluster_pairs(standing):
            best = min(cluster, key=lambda name, group=group: rank(group, name))  # type: ignore[misc]
            for name in cluster:
                if name != best:
                    pair = min(name, best), max(name, best)
                    reason = same.get(BorderlinePair(group.kind, group.of, pair))
                    rule = _rule_text(group.threshold, config.band, reason)
                    merges.append(make_merge(names, group.kind, group.of, name, best, rule))
                    likenesses.append(Similarity(merges[-1].merge_id, "merge", "embedding", standing[pair]))
    return merges, likenesses, failed


def _rule_text(threshold: float, band: float, reason: str | None) -> str:
    if reason is None:
        return f"cosine > {threshold}, no opposite words"
    return f"cosine within {band} of {threshold}, and a model says the same (“{reason[:300]}”)"


def _name_ranking(
    names: Names, by_form: Canonical, config: NormaliseConfig
) -> Callable[[NearPairs, str], tuple[object, ...]]:
    """Sort key of the name that a cluster keeps: the config's, a registrant's, the most mentioned, the shortest."""
    support: dict[str, int] = defaultdict(int)
    for name, mentions in names.relations.items():
        support[by_form.get(("relation", "", name), name)] += mentions.support
    known = set(alias_owners(config).values())

    def rank(group: NearPairs, name: str) -> tuple[object, ...]:
        if group.kind == "relation":
            return -support[name], len(name), name
        return name not in known, *names.entity_rank(group.of, name)

    return rank


def _near_relations(names: Names, by_form: Canonical, config: NormaliseConfig, embed: Embedder) -> Iterator[NearPairs]:
    """Of each pair of types, the relations that are near and not opposed; measures are left out."""

    def canonical(those: Iterable[str]) -> set[str]:
        return {by_form.get(("relation", "", name), name) for name in those}

    measures = canonical(name for name, mentions in names.relations.items() if mentions.by_form_only)
    for (subject_type, object_type), present in sorted(names.pairs.items()):
        pairs = find_near_pairs(
            sorted(canonical(present) - measures), embed, _least_similarity(config.threshold, config)
        )
        alike = {pair: similarity for pair, similarity in pairs.items() if not are_told_apart(*pair)}
        yield NearPairs("relation", joined_types(subject_type, object_type), config.threshold, alike)


def _near_entities(names: Names, by_form: Canonical, config: NormaliseConfig, embed: Embedder) -> Iterator[NearPairs]:
    """Of each type, the things that are near and do not differ in a number or an opposite."""
    if config.entity_threshold == 1:
        return
    by_type: dict[str, set[str]] = defaultdict(set)
    for kind, name in names.entities:
        by_type[kind].add(by_form.get(("entity", kind, name), name))
    for kind, present in sorted(by_type.items()):
        pairs = find_near_pairs(sorted(present), embed, _least_similarity(config.entity_threshold, config))
        yield NearPairs("entity", kind, config.entity_threshold, pairs)


def _least_similarity(threshold: float, config: NormaliseConfig) -> float:
    """The similarity from which pairs are looked at."""
    return threshold - config.band if config.check else threshold
