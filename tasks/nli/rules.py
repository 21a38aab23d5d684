"""Whether a text keeps what another one says, by rules that err to one side only; this is no inference.

Each sentence of the hypothesis must have one to three neighbouring sentences of the premise with the very same
figures (in whatever notation), names, turning words (see marks.py) and other words of content (inflected, or a
synonym), in the same order, but that a sentence may begin with its second half and one date may stand elsewhere.
kept: all do, and the texts are similar enough besides. changed: the nearest sentence says another figure, name or the
contrary. not_shown: all else, be it true or not.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from rarefy.tasks.llm.config import Means
from rarefy.tasks.nli import NLI, Label, NLIConfig
from rarefy.tasks.nli.asking import otherwise_asked
from rarefy.tasks.nli.blocks import nearest
from rarefy.tasks.nli.figures import kind
from rarefy.tasks.nli.items import Item, is_same, items_of, split
from rarefy.tasks.nli.marks import CONTRARY
from rarefy.tasks.nli.places import rearranged
from rarefy.tasks.nli.qualifiers import otherwise_qualified
from rarefy.tasks.nli.soft import Found, weighed
from rarefy.tasks.nli.verbs import exchanged, otherwise_begun
from rarefy.tasks.syntax.level import levelled

_NAMED = re.compile(r"[A-Z][\w&.-]*|\d[\d.,]*%?")
BLOCK = 256  # pairs read ahead
RUN = 3  # sentences of a premise that one of a hypothesis may draw on
SYNONYM = 0.72  # cosine of two words, from which on one may stand for the other: cats and dogs have 0.715
NEAR = 0.5  # share of a sentence's items that another one has, so that they are about the same thing


def rules(config: NLIConfig, cache: Path, *, threads: int, means: Means) -> NLI:
    """The check by rules; an embedder is needed where `config.threshold` is not 0; at 0 only the exact hold."""
    embed = config.embed.connect(cache, threads=threads, means=means) if config.threshold else None

    def check(pairs: Iterable[tuple[str, str]], /) -> Iterator[Label]:
        source = iter(pairs)
        while block := list(islice(source, BLOCK)):
            plain = {pair: levelled(*pair) for pair in dict.fromkeys(block)}
            found = {pair: first(*texts) for pair, texts in plain.items()}
            if embed:
                open_ = {
                    pair: settled(*texts)
                    for pair, texts in plain.items()
                    if found[pair].label != "kept" and not tables(*texts) and not otherwise_asked(*texts)
                }
                soft = likened(open_, embed, config.threshold)
                # what the exact rules call changed is not the less so for being told more exactly
                found |= {
                    pair: label
                    for pair, label in soft.items()
                    if label.label != "not_shown" or found[pair].label == "not_shown"
                }
            yield from (found[pair] for pair in block)

    return check


def settled(premise: str, hypothesis: str) -> Found:
    """What the second tier finds, but for texts of which one turns the other round."""
    found = weighed(premise, hypothesis)
    if found.label == "kept" and (why := turned_round(premise, hypothesis)):
        return Found("changed", why, found.share)
    return found


def first(premise: str, hypothesis: str) -> Label:
    """What the exact rules find of two texts without their layouts; two that are then the same need no more."""
    if premise == hypothesis:
        return Label("kept", 1.0) if hypothesis.strip() else Label("not_shown", 0.0, "the hypothesis says nothing")
    if why := otherwise_asked(hypothesis, premise):
        return Label("changed", 0.0, why)
    if tables(premise, hypothesis):
        return Label("not_shown", 0.0, "a table that is not said again cell by cell")
    label = compared(premise, hypothesis)
    if label.label == "kept" and (why := turned_round(premise, hypothesis)):
        return Label("changed", label.score, why)
    return label


def turned_round(premise: str, hypothesis: str) -> str:
    """Why two texts of the same words say another thing: doers, reasons or pairs changed places; "" where not."""
    said, asked = split(premise), split(hypothesis)
    mine, theirs = (
        [one for one in side if one not in other] for side, other in ((asked, set(said)), (said, set(asked)))
    )
    text, other = " ".join(mine), " ".join(theirs)
    reasons = (
        why
        for found in (
            otherwise_qualified(text, other),
            rearranged(other, text),
            otherwise_begun(text, other),
            unpaired(mine, theirs),
            exchanged(mine, theirs),
        )
        for why in found
    )
    return next(reasons, "")


def unpaired(asked: Sequence[str], said: Sequence[str]) -> Iterator[str]:
    """Sentences whose things and figures are paired by their order ("respectively") and stand in another one."""
    there = [items_of(sentence) for sentence in said]
    for sentence in asked:
        if not there or not any("respectively" in text.lower() for text in (sentence, *said)):
            continue
        items = items_of(sentence)
        places = max((_pairs(items, other) for other in there), key=len)
        order = [places[at] for at in sorted(places)]
        named = [_NAMED.findall(text) for text in (sentence, " ".join(said))]
        common = [[hit for hit in side if hit in named[0] and hit in named[1]] for side in named]
        if order != sorted(order) or list(dict.fromkeys(common[0])) != list(dict.fromkeys(common[1])):
            yield "what is paired by its order stands in another"


def tables(premise: str, hypothesis: str) -> bool:
    """Has one text rows of a table that the other has not? Of those nothing can be told but that they differ."""
    rows = [sorted(line for line in text.split("\n") if line.startswith("|")) for text in (premise, hypothesis)]
    return rows[0] != rows[1]


def likened(
    open_: dict[tuple[str, str], Found], embed: Callable[[Sequence[str]], Any], threshold: float
) -> dict[tuple[str, str], Label]:
    """The labels of what the second tier found, once what it left open is compared by the embedder."""
    asked = [pair for found in open_.values() if found.label == "kept" for pair in found.wants()]
    texts = list(dict.fromkeys(text for pair in asked for text in pair))
    vectors = dict(zip(texts, embed(texts), strict=True)) if texts else {}

    def like(one: str, other: str) -> float:
        return round(float(vectors[one] @ vectors[other]), 4)

    labels = {}
    for pair, found in open_.items():
        label, why = found.label, found.why
        if label == "kept":
            unlike = next((text for text, said in found.open if like(text, said) < threshold), None)
            other = next((w for w, others in found.words if not any(like(w, o) >= SYNONYM for o in others)), None)
            if unlike:
                label, why = "not_shown", f"nothing like: {unlike[:80]}"
            elif other:
                label, why = "not_shown", f"new: {other}"
        labels[pair] = Label(label, found.share, why)
    return labels


def compared(premise: str, hypothesis: str) -> Label:
    """What the rules find without the similarity; the score is the share of items that were found again."""
    said = [items for items in map(items_of, split(premise)) if items]
    asked = [items for items in map(items_of, split(hypothesis)) if items]
    if not asked:
        return Label("not_shown", 0.0, "the hypothesis says nothing")
    first, found = None, 0
    for sentence, drawn in zip(asked, nearest(asked, said), strict=True):
        runs = (
            sum(said[at : at + size], ())
            for size in range(1, RUN + 1)
            for best in drawn[:2]
            for at in range(max(best - size + 1, 0), min(best, len(said) - size) + 1)
        )
        if any(_same(sentence, run) for run in runs):
            found += len(sentence)
            continue
        near = said[drawn[0]] if drawn else ()
        found += len(_pairs(sentence, near))
        label = _against(sentence, near)
        if first is None or (label.label == "changed" and first.label != "changed"):
            first = label
    share = round(found / sum(map(len, asked)), 4)
    return Label(first.label, share, first.why) if first else Label("kept", share)


def _pairs(asked: tuple[Item, ...], said: tuple[Item, ...]) -> dict[int, int]:
    """Where each item stands in what is said, each place once and, of several, the one after the last found."""
    free = list(range(len(said)))
    found: dict[int, int] = {}
    last = -1
    for place, item in enumerate(asked):
        fits = [at for at in free if is_same(item, said[at])]
        if fits:
            last = found[place] = next((at for at in fits if at > last), fits[0])
            free.remove(last)
    return found


def _same(asked: tuple[Item, ...], said: tuple[Item, ...]) -> bool:
    """Whether both say the same items in the same order, or turned once, or with their one date elsewhere."""
    if len(asked) != len(said):
        return False
    order = _pairs(asked, said)
    if len(order) < len(asked):
        return False
    places = [order[place] for place in range(len(asked))]
    dates = [place for place, item in enumerate(asked) if item.sort == "figure" and kind(item.name) == "@"]
    return _turned(places) or (
        len(dates) == 1 and _turned([at for place, at in enumerate(places) if place != dates[0]], at_all=False)
    )


def _turned(places: list[int], at_all: bool = True) -> bool:
    breaks = [place for place in range(1, len(places)) if places[place] < places[place - 1]]
    if not breaks:
        return True
    # two halves of two items at least, the second of which came first: a turned clause, not a swapped word
    return at_all and len(breaks) == 1 and 2 <= breaks[0] <= len(places) - 2 and places[-1] < places[0]


def _against(asked: tuple[Item, ...], near: tuple[Item, ...]) -> Label:
    """What stands against a sentence, by the sentence of the premise that is nearest to it."""
    found = _pairs(asked, near)
    new = [item for place, item in enumerate(asked) if place not in found]
    gone = [item for place, item in enumerate(near) if place not in found.values()]
    if len(found) < NEAR * len(asked) or not found:
        return Label("not_shown", 0.0, "no sentence of the premise comes near: " + _told(new))
    nots = [sum(item.name == "NOT" for item in side) % 2 for side in (asked, near)]
    if nots[0] != nots[1]:
        return Label("changed", 0.0, "a negation came or went")
    for item in new:
        contrary = set().union(*(CONTRARY.get(form, ()) for form in item.forms))
        if turned := next((other for other in gone if other.forms & contrary), None):
            return Label("changed", 0.0, f"{item.name} for {turned.name}")
        if item.sort == "figure" and (
            other := next((o for o in gone if o.sort == "figure" and kind(o.name) == kind(item.name)), None)
        ):
            return Label("changed", 0.0, f"{item.name} for {other.name}")
    names = [[item for item in side if item.sort == "name"] for side in (new, gone)]
    if all(names):
        return Label("changed", 0.0, f"{names[0][0].name} for {names[1][0].name}")
    if new or gone:
        parts = [f"{word} {_told(items)}" for word, items in (("new:", new), ("gone:", gone)) if items]
        return Label("not_shown", 0.0, "; ".join(parts))
    return Label("not_shown", 0.0, "the same words in another order")


def _told(items: list[Item]) -> str:
    return ", ".join(Counter(item.name for item in items)) if len(items) < 6 else f"{len(items)} words"
