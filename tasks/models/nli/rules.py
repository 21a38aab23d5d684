"""Whether a text keeps what another one says, by proof alone; this is no inference.

kept: it is proved (see `proof`). changed: a sentence says another figure, name or the contrary of what the nearest
sentence says. not_shown: all else, be it true or not, which a cross-encoder or a model may tell.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path

from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.models.nli import NLI, Label, NLIConfig
from rarefy.tasks.models.nli.items import Item, is_same, items_of, split
from rarefy.tasks.models.nli.marks import CONTRARY
from rarefy.tasks.models.nli.nearest import nearest
from rarefy.tasks.models.nli.proof import proved, table_rows, unproved_because
from rarefy.tasks.text.figures import kind
from rarefy.tasks.text.syntax.level import levelled

RUN = 3  # sentences of a premise that one of a hypothesis may draw on
NEAR = 0.5  # share of a sentence's items that another one has, so that they are about the same thing


def rules(config: NLIConfig, cache: Path, *, threads: int, means: InferenceContext) -> NLI:
    """The check by proof; it needs no model."""

    def check(pairs: Iterable[tuple[str, str]], /) -> Iterator[Label]:
        return (judged(premise, hypothesis) for premise, hypothesis in pairs)

    return check


@lru_cache(64)  # many questions share a passage
def judged(premise: str, hypothesis: str) -> Label:
    """The label of a pair: kept where it is proved, else what stands against it."""
    if not hypothesis.strip():
        return Label("not_shown", 0.0, "the hypothesis says nothing")
    if proved(premise, hypothesis):
        return Label("kept", 1.0)
    plain = levelled(premise, hypothesis)
    if table_rows(plain[0]) != table_rows(plain[1]):
        return Label("not_shown", 0.0, "a table that is not said again cell by cell")
    label = compared(*plain)
    if label.label == "kept":  # the same words, but not in a way that is known to say the same
        return Label("not_shown", label.score, next(unproved_because(*plain), "the same words in another order"))
    return label


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
