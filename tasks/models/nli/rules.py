"""Whether a text keeps what another one says, by proof alone; this is no inference.

kept: it is proved (see `proof`). changed: a sentence says another figure, name or the contrary of what the nearest
sentence says. not_shown: all else, be it true or not, which a cross-encoder or a model may tell.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from pathlib import Path

from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.nli import NLI, Label, NLIConfig
from rarefy.tasks.models.nli.proof import is_proved, table_rows, unproved_because
from rarefy.tasks.text.notations import figure_kind, mark_figures
from rarefy.tasks.text.sentences import sentences
from rarefy.tasks.text.stems import stem
from rarefy.tasks.text.syntax.level import remove_known_differences
from rarefy.tasks.text.syntax.words import exchangeable
from rarefy.tasks.text.wordnet import readings, senses

# Words that turn or bound a statement, counted by what they do

# what it does -> how it is said; phrases of several words stand before their parts
_PHRASES = {
    "MOST": "at most|no more than|not more than|up to|not exceed(?:ing)?|no later than|maximum of|a maximum of",
    "LEAST": "at least|no less than|not less than|no fewer than|not fewer than|a minimum of|minimum of|or more",
    "NOT": "no longer|not|n't|no|never|none|nobody|nothing|neither|nor|without|cannot|hardly|barely|unable|refuse[sd]?"
    "|fail(?:s|ed|ure)?|lack(?:s|ed)?|except|excluding|exclude[sd]?",
    "OVER": "more than|greater than|over|above|exceed(?:s|ed|ing)?|in excess of|higher than|larger than|longer than",
    "UNDER": "less than|fewer than|under|below|lower than|smaller than|shorter than",
    "ABOUT": "approximately|about|around|roughly|nearly|almost|some(?= \x02)|circa|an estimated",
    "MAY": "may|might|could|can|possibly|potentially|perhaps|maybe|likely|unlikely|able to|permitted|allowed",
    "MUST": "must|shall|should|ought|required|requires?|obliged|mandatory|obligated",
    "WILL": "will|would|going to|expects?|expected|plans?|planned|intends?|intended|anticipates?"
    "|anticipated|forecasts?",
    "IF": "if|provided that|assuming|in the event|whether|subject to|contingent",
    "UNLESS": "unless|until",
    "ONLY": "only|solely|exclusively|merely",
    "ALL": "all|every|each|entire|entirely|always|both|any",
    "SOME": "some|several|certain|partly|partially|sometimes|many|most|majority|few|half|part of",
    "BEFORE": "before|prior to|preceding|ahead of|earlier than",
    "AFTER": "after|following|subsequent to|since|later than",
    "WAS": "was|were|been|used to",
    "OR": "or",
    "WE": "we|us|our|ours|ourselves|i|my",
    "YOU": "you|your|yours",
    "HE": "he|him|his",
    "SHE": "she|her|hers",
    "BY": "by",
    "FROM": "from",
    "AGAINST": "against|despite|although|though|however|but|instead|rather|while|whereas",
    "CAUSE": "because|due to|owing to|caused|led|result(?:s|ed|ing)?|as a result|therefore|thus",
    "SAYS": "claim(?:s|ed)?|alleg(?:e|es|ed)|den(?:y|ies|ied)|believes?|believed|argu(?:e|es|ed)|suggest(?:s|ed)?",
    "UP": "increas(?:e|es|ed|ing)|rise|rises|rose|risen|rising|grow|grows|grew|grown|growing|growth|climb(?:s|ed)?"
    "|went up|up",
    "DOWN": "decreas(?:e|es|ed|ing)|declin(?:e|es|ed|ing)|fall|falls|fell|fallen|falling|drop(?:s|ped)?|went down|down",
}
_MARKS = re.compile(
    r"\b(?:" + "|".join(f"(?P<{name}>{said})" for name, said in _PHRASES.items()) + r")\b", re.IGNORECASE
)

# each says the contrary of the other: where one stands for the other, the statement is another one
_CONTRARY = """
UP/DOWN OVER/UNDER MOST/LEAST BEFORE/AFTER ALL/SOME higher/lower more/less greater/smaller larger/smaller
highest/lowest largest/smallest best/worst maximum/minimum first/last gain/loss profit/loss income/expense
income/loss asset/liability buy/sell purchase/sale purchase/sell acquire/divest acquire/sell borrow/lend
borrower/lender lease/own rent/own approve/reject accept/reject accept/refuse include/omit open/close begin/end
start/end start/stop continue/cease continue/discontinue hire/dismiss strengthen/weaken expand/contract
favorable/unfavorable positive/negative domestic/foreign domestic/international inflow/outflow surplus/deficit
premium/discount secured/unsecured audited/unaudited fixed/variable fixed/floating short/long stable/volatile
able/unable same/different present/absent current/former tighten/ease hawkish/dovish win/lose enter/leave
export/import debit/credit upgrade/downgrade success/failure true/false effective/ineffective legal/illegal
significant/insignificant material/immaterial direct/indirect internal/external public/private net/gross
basic/diluted buyer/seller parent/subsidiary landlord/tenant employer/employee creditor/debtor
plaintiff/defendant for/against uphold/overturn uphold/reverse affirm/reverse affirm/overturn affirm/vacate
uphold/vacate grant/deny grant/refuse grant/reject award/deny admit/deny confirm/deny convict/acquit
guilty/innocent plead/deny sue/settle dismiss/uphold ratify/reject enact/repeal impose/lift impose/waive
pass/fail succeed/fail appoint/dismiss appoint/remove hire/fire elect/defeat join/leave arrive/depart enter/exit
gain/lose earn/lose earn/spend save/spend pay/receive send/receive give/receive give/take issue/redeem
issue/retire issue/repurchase deposit/withdraw invest/divest import/export inject/withdraw raise/lower raise/cut
raise/reduce lift/cut increase/cut increase/reduce expand/shrink accelerate/slow launch/discontinue
launch/cancel open/shut build/demolish create/destroy create/eliminate add/remove attract/repel absorb/emit
absorb/release oxidize/reduce melt/freeze melted/froze gain/charge husband/wife mother/father son/daughter
brother/sister king/queen uncle/aunt heat/cool activate/inhibit promote/inhibit stimulate/inhibit
stimulate/suppress enhance/inhibit improve/worsen improve/deteriorate exceed/miss beat/miss meet/miss
outperform/underperform overestimate/underestimate overstate/understate defeat/lose score/concede double/halve
doubled/halved marry/divorce bear/die survive/die birth/death live/die begin/cease born/died support/oppose
favor/oppose agree/disagree approve/disapprove endorse/reject praise/criticize encourage/discourage
enable/prevent enable/disable comply/violate remember/forget attack/defend connect/disconnect lock/unlock
tighten/loosen widen/narrow strengthen/erode advance/retreat ascend/descend ally/enemy north/south east/west
upper/lower inner/outer left/right hot/cold warm/cold strong/weak fast/slow faster/slower early/late
earlier/later old/young older/younger new/old rich/poor heavy/light hard/soft upstream/downstream above/below
minority/majority winner/loser victory/defeat supplier/customer lessor/lessee licensor/licensee grantor/grantee
appellant/appellee prosecution/defense teacher/student home/away permit/prohibit allow/forbid allow/prohibit
require/waive fastest/slowest oldest/youngest newest/oldest longest/shortest tallest/shortest heaviest/lightest
earliest/latest strongest/weakest richest/poorest nearest/farthest most/least biggest/smallest greatest/least
hottest/coldest expire/file
"""
CONTRARY: dict[str, set[str]] = {}
for _pair in _CONTRARY.split():
    _one, _other = _pair.split("/")
    CONTRARY.setdefault(_one, set()).add(_other)
    CONTRARY.setdefault(_other, set()).add(_one)


def mark_words(text: str) -> str:
    """The text with each such word as a mark, \\x04NOT\\x05."""
    text = re.sub(r"\bcan(?:no|'|’)t\b", "can not", re.sub(r"(?<=\w)n['’]t\b", " not", text, flags=re.IGNORECASE))
    return _MARKS.sub(lambda hit: f" \x04{hit.lastgroup}\x05 ", text)


# Items of a sentence: figures, turning words, names and other words, in their order

_ITEM = re.compile(
    r"\x02(?P<figure>\d+)\x03|\x04(?P<mark>[A-Z]+)\x05|(?P<word>[^\W\d_][\w&]*(?:[-.'’&][\w&]+)*)"
    r"|(?P<rest>\d[\w.]*|[<>=≤≥≠±~+×÷/*^|#@%])"  # whatever else may mean something
)
# words without content of their own; what turns or bounds a statement is a mark, and none of these
_EMPTY = frozenset(
    """
    a an the this that these those such of in on at to for with as and is are am be being has have had having do does
    did it its itself they them their theirs there here which than then also so too into onto upon via respectively
    collectively e.g i.e etc through throughout along including include includes included whose who whom what
    how way ways thing things addition additionally moreover furthermore together likewise similarly well
    like upon among amongst
    between regarding concerning respect associated related relating pertaining namely such example instance terms
    means manner order accordance pursuant own other others
    """.split()
)
# its own contrary, or a synonym only by a sense that filings do not mean
_AMBIGUOUS = frozenset("lease rent let hire sanction oversight interest principal stock share bond bill note".split())


@dataclass(frozen=True, slots=True)
class Item:
    """A figure, mark, name or other word of a sentence, under everything it may be called."""

    sort: str  # figure | mark | name | word
    name: str  # as it is told
    forms: frozenset[str]


def split(text: str) -> list[str]:
    return [text[start:end] for start, end in sentences(text)]


@lru_cache(4_096)
def split_items(sentence: str) -> tuple[Item, ...]:
    text, figures = mark_figures(sentence.replace("’", "'"))
    items = []
    for hit in _ITEM.finditer(mark_words(text)):
        word = hit["word"]
        if hit["figure"]:
            figure = figures[int(hit["figure"])]
            items.append(Item("figure", figure, frozenset((figure,))))
        elif hit["mark"]:
            items.append(Item("mark", hit["mark"], frozenset((hit["mark"],))))
        elif hit["rest"]:
            items.append(Item("name", hit["rest"], frozenset((hit["rest"],))))
        elif (
            (plain := word.removesuffix("'s").rstrip("'")).lower() not in _EMPTY
            or plain in ("US", "IT")
            or (plain == "A" and items)
        ):
            items.append(_word_item(plain, first=not items))
    return tuple(items)


def _word_item(word: str, first: bool) -> Item:
    lower = word.lower()
    known = readings(lower)
    # a capital at the beginning says nothing of a word that English knows
    if not word.islower() and not (first and known and word[1:].islower()):
        return Item("name", word, frozenset((lower, *(lemmas(lower) if word[1:].islower() else ()))))
    return Item("word", lower, frozenset((lower, *lemmas(lower))))


def lemmas(word: str) -> set[str]:
    # degrees of comparison stay apart: higher is not high, and highest is neither
    return {reading.lemma for reading in readings(word) if reading.form not in ("comparative", "superlative")}


@lru_cache(50_000)
def alike_lemmas(word: str) -> frozenset[str]:
    """Lemmas that mean the same in the commonest sense of a word."""
    found: set[str] = set()
    for reading in readings(word):
        if reading.lemma not in _AMBIGUOUS and reading.lemma not in CONTRARY and reading.form != "superlative":
            found.update(*senses(reading.lemma, reading.pos)[:1])
    return frozenset(found - _AMBIGUOUS - CONTRARY.keys())


def is_same_item(item: Item, other: Item) -> bool:
    if {item.sort, other.sort} & {"figure", "mark"}:
        return item.sort == other.sort and item.name == other.name
    if item.forms & other.forms:
        return True
    # each in the commonest sense of the other: the chairman is a president, the president may be no chairman
    if item.sort != "word" or other.sort != "word":
        return False
    if exchangeable(item.name) & other.forms:  # read by hand, either way
        return True
    return bool(alike_lemmas(item.name) & other.forms and alike_lemmas(other.name) & item.forms)


# The nearest sentences, by the words that they share

MOST = 4  # sentences that one of the other text may draw on
REACH = 4  # how far from the nearest of them the others may stand
COMMON = 60  # sentences that share a word: of more, it says nothing of which are meant

Sentence = tuple[Item, ...]


def find_nearest(hypothesis: Sequence[Sentence], premise: Sequence[Sentence]) -> list[list[int]]:
    """For each sentence those of the premise that it draws on, the nearest first; none where no word is shared."""
    places_by_key: dict[str, list[int]] = defaultdict(list)
    for place, sentence in enumerate(premise):
        for key in {key for item in sentence for key in keys(item)}:
            places_by_key[key].append(place)
    return [_rank_sentences(sentence, premise, places_by_key) for sentence in hypothesis]


def _rank_sentences(sentence: Sentence, premise: Sequence[Sentence], places_by_key: dict[str, list[int]]) -> list[int]:
    """The sentences of the premise that this one draws on, the nearest first."""
    weights: dict[str, float] = {}
    open_: dict[int, frozenset[str]] = {}
    for at, item in enumerate(sentence):
        if item.sort != "mark":
            open_[at] = keys(item)
    score: dict[int, float] = defaultdict(float)
    for found in open_.values():
        hit: dict[int, float] = {}
        for key in found:
            places = places_by_key.get(key, ())
            if places and len(places) <= COMMON:
                weights[key] = weight = (2.0 if key[0] in "@$0123456789" else 1.0) * log(1 + len(premise) / len(places))
                for place in places:
                    hit[place] = max(hit.get(place, 0.0), weight)
        for place, weight in hit.items():
            score[place] += weight
    if not score:
        return []
    best = max(score, key=lambda place: (score[place] / (8 + len(premise[place])) ** 0.5, -place))
    chosen, left = [best], dict(open_)
    while len(chosen) < MOST:
        had = {key for item in premise[chosen[-1]] for key in keys(item)}
        left = {at: found for at, found in left.items() if not found & had}
        gain: dict[int, float] = defaultdict(float)
        for found in left.values():
            for place in {p for key in found if key in weights for p in places_by_key[key]}:
                if abs(place - best) <= REACH and place not in chosen:
                    gain[place] += 1
        if not gain:
            break
        more = max(gain, key=lambda place: (gain[place] - 0.3 * abs(place - best), -place))
        if gain[more] < 2 or gain[more] < 0.15 * len(open_):
            break
        chosen.append(more)
    return chosen


def keys(item: Item) -> frozenset[str]:
    """What an item is looked up by: its lemmas and stems, so that adoption meets adopt."""
    if item.sort in ("figure", "mark"):
        return item.forms
    return frozenset(key for form in item.forms for key in _stems(form))


@lru_cache(100_000)
def _stems(form: str) -> tuple[str, ...]:
    lemmas = {r.lemma for r in readings(form)} | {form}
    return tuple(sorted({stem(lemma) for lemma in lemmas}))


RUN = 3  # sentences of a premise that one of a hypothesis may draw on
NEAR = 0.5  # share of a sentence's items that another one has, so that they are about the same thing


def rules(config: NLIConfig, cache: Path, *, threads: int, means: InferenceContext) -> NLI:
    """The check by proof; it needs no model."""

    def check(pairs: Iterable[tuple[str, str]], /) -> Iterator[Label]:
        return (label_pair(premise, hypothesis) for premise, hypothesis in pairs)

    return check


@lru_cache(64)  # many questions share a passage
def label_pair(premise: str, hypothesis: str) -> Label:
    """The label of a pair: kept where it is proved, else what stands against it."""
    if not hypothesis.strip():
        return Label("not_shown", 0.0, "the hypothesis says nothing")
    if is_proved(premise, hypothesis):
        return Label("kept", 1.0)
    plain = remove_known_differences(premise, hypothesis)
    if table_rows(plain[0]) != table_rows(plain[1]):
        return Label("not_shown", 0.0, "a table that is not said again cell by cell")
    label = compare_by_items(*plain)
    if label.label == "kept":  # the same words, but not in a way that is known to say the same
        return Label("not_shown", label.score, next(unproved_because(*plain), "the same words in another order"))
    return label


def compare_by_items(premise: str, hypothesis: str) -> Label:
    """What the rules find without the similarity; the score is the share of items that were found again."""
    premise_items = [items for items in map(split_items, split(premise)) if items]
    hypothesis_items = [items for items in map(split_items, split(hypothesis)) if items]
    if not hypothesis_items:
        return Label("not_shown", 0.0, "the hypothesis says nothing")
    first, found = None, 0
    for sentence, drawn in zip(hypothesis_items, find_nearest(hypothesis_items, premise_items), strict=True):
        runs = (
            sum(premise_items[at : at + size], ())
            for size in range(1, RUN + 1)
            for best in drawn[:2]
            for at in range(max(best - size + 1, 0), min(best, len(premise_items) - size) + 1)
        )
        if any(_is_same_sentence(sentence, run) for run in runs):
            found += len(sentence)
            continue
        near = premise_items[drawn[0]] if drawn else ()
        found += len(_match_items(sentence, near))
        label = _explain_difference(sentence, near)
        if first is None or (label.label == "changed" and first.label != "changed"):
            first = label
    share = round(found / sum(map(len, hypothesis_items)), 4)
    return Label(first.label, share, first.why) if first else Label("kept", share)


def _match_items(hypothesis: tuple[Item, ...], premise: tuple[Item, ...]) -> dict[int, int]:
    """Where each item stands in what is said, each place once and, of several, the one after the last found."""
    free = list(range(len(premise)))
    matches: dict[int, int] = {}
    last = -1
    for place, item in enumerate(hypothesis):
        fits = [at for at in free if is_same_item(item, premise[at])]
        if fits:
            last = matches[place] = next((at for at in fits if at > last), fits[0])
            free.remove(last)
    return matches


def _is_same_sentence(hypothesis: tuple[Item, ...], premise: tuple[Item, ...]) -> bool:
    """Whether both say the same items in the same order, or turned once, or with their one date elsewhere."""
    if len(hypothesis) != len(premise):
        return False
    order = _match_items(hypothesis, premise)
    if len(order) < len(hypothesis):
        return False
    places = [order[place] for place in range(len(hypothesis))]
    dates = [place for place, item in enumerate(hypothesis) if item.sort == "figure" and figure_kind(item.name) == "@"]
    return _is_rotated(places) or (
        len(dates) == 1 and _is_rotated([at for place, at in enumerate(places) if place != dates[0]], at_all=False)
    )


def _is_rotated(places: list[int], at_all: bool = True) -> bool:
    breaks = [place for place in range(1, len(places)) if places[place] < places[place - 1]]
    if not breaks:
        return True
    # two halves of two items at least, the second of which came first: a turned clause, not a swapped word
    return at_all and len(breaks) == 1 and 2 <= breaks[0] <= len(places) - 2 and places[-1] < places[0]


def _explain_difference(hypothesis: tuple[Item, ...], premise: tuple[Item, ...]) -> Label:
    """What stands against a sentence, by the sentence of the premise that is nearest to it."""
    matches = _match_items(hypothesis, premise)
    new = [item for place, item in enumerate(hypothesis) if place not in matches]
    gone = [item for place, item in enumerate(premise) if place not in matches.values()]
    if len(matches) < NEAR * len(hypothesis) or not matches:
        return Label("not_shown", 0.0, "no sentence of the premise comes near: " + _list_items(new))
    nots = [sum(item.name == "NOT" for item in side) % 2 for side in (hypothesis, premise)]
    if nots[0] != nots[1]:
        return Label("changed", 0.0, "a negation came or went")
    for item in new:
        contrary = set().union(*(CONTRARY.get(form, ()) for form in item.forms))
        if turned := next((other for other in gone if other.forms & contrary), None):
            return Label("changed", 0.0, f"{item.name} for {turned.name}")
        if item.sort == "figure" and (
            other := next(
                (o for o in gone if o.sort == "figure" and figure_kind(o.name) == figure_kind(item.name)), None
            )
        ):
            return Label("changed", 0.0, f"{item.name} for {other.name}")
    names = [[item for item in side if item.sort == "name"] for side in (new, gone)]
    if all(names):
        return Label("changed", 0.0, f"{names[0][0].name} for {names[1][0].name}")
    if new or gone:
        parts = [f"{word} {_list_items(items)}" for word, items in (("new:", new), ("gone:", gone)) if items]
        return Label("not_shown", 0.0, "; ".join(parts))
    return Label("not_shown", 0.0, "the same words in another order")


def _list_items(items: list[Item]) -> str:
    return ", ".join(Counter(item.name for item in items)) if len(items) < 6 else f"{len(items)} words"
