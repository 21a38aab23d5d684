"""The second tier of the rules: does a rewritten text still say it, block of sentences by block of sentences?

Rewriting splits and joins sentences and changes most words. What it must not change is looked at one by one: figures
and names, what bounds a figure, which figure and name belongs where, negation, possibility, duty, condition, direction,
contraries; and nothing new may be said, nothing left out (as either shows when both directions are asked).
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from rarefy.tasks.nli.blocks import Block, Sentence, blocks, keys, spoken
from rarefy.tasks.nli.facts import come
from rarefy.tasks.nli.items import Item, alike
from rarefy.tasks.nli.marks import CONTRARY
from rarefy.tasks.nli.names import missing, named
from rarefy.tasks.nli.placed import swapped
from rarefy.tasks.nli.turns import otherwise_bounded, otherwise_quantified, turned, turns
from rarefy.tasks.nli.verbs import otherwise_helped
from rarefy.tasks.syntax.words import exchangeable
from rarefy.tasks.wordnet import contraries

NEAR = 0.8  # likeness of two sequences of words, from which on one is an edit of the other, and every change counts
SAME = 0.9  # the like where the texts are a rewriting of each other: there a sentence with other words in it is usual
MANY = 3  # new words of a block whose words are else the same, that are compared with those that went
SHIFTED = 2  # words of an edited sentence that may stand elsewhere in it
EDIT = 0.5  # share of sentences that two texts have in common, from which on one is an edit of the other
LIGHT = frozenset(("BY", "FROM", "WAS", "CAUSE", "AGAINST"))  # marks that come and go with the wording
LONG = 200  # items of a block, of which a longer one is no edited sentence
RUN = 5  # words in a row that the other text lacks: a clause of its own
SHORT = 8  # words of a sentence of which a single other word is an edit, however small the share that is left
CLOSE = 0.8  # share of the words that two blocks have in common, from which on a changed word is a changed meaning
LEAST = 0.34  # share of a sentence's words that the premise must have, so that its likeness counts at all
WHOLE = 0.65  # the like of all sentences together
PLAIN = 0.75  # share from which on no likeness is asked for


@dataclass(frozen=True, slots=True)
class Found:
    """What the words tell, and what is left to the embedder: sentences with what they should be like."""

    label: str = "kept"
    why: str = ""
    share: float = 1.0
    open: tuple[tuple[str, str], ...] = ()
    words: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def wants(self) -> Iterator[tuple[str, ...]]:
        """The texts that are compared, together."""
        yield from self.open
        yield from ((word, *others) for word, others in self.words)


def weighed(premise: str, hypothesis: str) -> Found:
    """What the soft rules find; `kept` holds only if all that is `open` is alike."""
    said, asked = spoken(premise), spoken(hypothesis)
    if not asked:
        return Found("not_shown", "the hypothesis says nothing", 0.0)
    plain_said, plain_asked = [items for _, items in said], [items for _, items in asked]
    figures = come(premise, hypothesis)
    names, perhaps = missing(named(hypothesis), named(premise))
    if figures or names or perhaps:
        return Found("changed", f"new: {', '.join([*figures, *names, *perhaps][:4])}", 0.0)
    again = {text for text, _ in said}
    edit = len(asked) > 2 and sum(text in again for text, _ in asked) >= EDIT * len(asked)
    open_: list[tuple[str, str]] = []
    words_: list[tuple[str, tuple[str, ...]]] = []
    total = found = 0
    for block in blocks(plain_asked, plain_said):
        against = next(_against(block, asked, said, words_, edit), None)
        if against:
            return Found(*against, 0.0)
        mine = {key for place in block.said for item in plain_said[place] for key in keys(item)}
        for place in block.asked:
            text, items = asked[place]
            words = [item for item in items if item.sort != "mark"]
            shared = sum(_met(item, mine) for item in words)
            total, found = total + len(words), found + shared
            share = shared / len(words) if words else 1.0
            if share < (CLOSE if edit else LEAST):
                return Found("not_shown", f"new: {text[:80]}", share)
            if (run := _run(items, mine)) >= RUN:
                return Found("not_shown", f"new: {run} words together in {text[:80]}", share)
            if share < PLAIN:
                open_.append((text, " ".join(said[at][0] for at in block.said)))
    places = next(swapped(plain_asked, plain_said), None)
    if places:
        return Found("changed", places, 0.0)
    share = round(found / total, 4) if total else 1.0
    if share < WHOLE:
        return Found("not_shown", f"{share:.0%} of its words are said, {WHOLE:.0%} are wanted", share)
    return Found("kept", "", share, tuple(open_), tuple(words_))


Spoken = Sequence[tuple[str, Sentence]]


def _against(
    block: Block, asked: Spoken, said: Spoken, words_: list[tuple[str, tuple[str, ...]]], edit: bool
) -> Iterator[tuple[str, str]]:
    """What stands against a block, the gravest first."""
    here = [item for place in block.asked for item in asked[place][1]]
    there = [item for place in block.said for item in said[place][1]]
    mine, theirs = ({key for item in side for key in keys(item)} for side in (here, there))
    new = [item for item in here if item.sort == "word" and not _met(item, theirs)]
    gone = [item for item in there if item.sort == "word" and not _met(item, mine)]
    for item in new:
        turned_ = next((other for other in gone if _parts(other) & _contrary(item)), None)
        if turned_:
            yield "changed", f"{item.name} for {turned_.name}"
    words = sum(item.sort != "mark" for item in here), sum(item.sort != "mark" for item in there)
    near = bool(words[0] and words[1]) and _edited(here, there, NEAR if edit else SAME)
    bag = bool(words[0] and words[1]) and min(1 - len(new) / words[0], 1 - len(gone) / words[1]) >= CLOSE
    if bag and not new:  # a word in the place of another may be one that stands in the block as well
        counts = [Counter(min(keys(item)) for item in side if item.sort == "word") for side in (here, there)]
        more, fewer = counts[0] - counts[1], counts[1] - counts[0]
        if more and fewer and sum(more.values()) + sum(fewer.values()) <= 3:
            words_ += [(word, tuple(fewer)) for word in more]
    if near:
        yield from _edits(here, there, words_)
    elif (bag and (len(new) <= MANY if edit else len(new) <= len(gone) <= 2)) or (
        max(words) <= SHORT and len(new) == len(gone) == 1
    ):
        words_ += [(item.name, tuple(other.name for other in gone)) for item in new]
    text, premise = (" ".join(side[0][at][0] for at in side[1]) for side in ((asked, block.asked), (said, block.said)))
    for why in (*otherwise_quantified(text, premise), *otherwise_bounded(text, premise)):
        yield "changed", why
    possible = turns(text)[0]["MAY"] and turns(premise)[0]["MAY"]
    for why in otherwise_helped(text, premise):
        if near or "negation" in why or not possible:
            yield "changed", why
    yield from turned(
        text,
        premise,
        near,
        _about(block.asked, asked),
        _about(block.said, said),
    )


def _run(items: Sentence, there: set[str]) -> int:
    """The most words of a sentence in a row that are not there: a clause that is new."""
    longest = run = 0
    for item in items:
        if item.sort != "mark":
            run = 0 if _met(item, there) else run + 1
            longest = max(longest, run)
    return longest


def _edits(
    here: Sequence[Item], there: Sequence[Item], words_: list[tuple[str, tuple[str, ...]]]
) -> Iterator[tuple[str, str]]:
    """What an edited sentence has that is no synonym in its place: a word more, one for another, places changed."""
    one, other = ([min(keys(item), default="") for item in side] for side in (here, there))
    steps = [step for step in SequenceMatcher(None, one, other, autojunk=False).get_opcodes() if step[0] != "equal"]
    ours = [(here[a:b], there[c:d]) for _, a, b, c, d in steps]
    moved = Counter(min(keys(i)) for mine, _ in ours for i in mine if i.sort != "mark") & Counter(
        min(keys(i)) for _, theirs in ours for i in theirs if i.sort != "mark"
    )
    if sum(moved.values()) > SHIFTED or any(
        i.sort != "word" and min(keys(i)) in moved for mine, _ in ours for i in mine
    ):
        yield "not_shown", f"{', '.join(moved)} in another place"
    for mine, theirs in ours:
        new, old = ([i for i in side if min(keys(i)) not in moved and i.name not in LIGHT] for side in (mine, theirs))
        for item in new:
            if against := next((o for o in old if _contrary(item) & _parts(o)), None):
                yield "changed", f"{item.name} for {against.name}"
            alike_ = [o for o in old if o.sort == item.sort]
            if item.sort != "word" and not any(keys(item) & keys(o) for o in alike_):
                yield "not_shown", f"new: {item.name}"
            elif item.sort == "word" and not any(_met(item, set(keys(o))) for o in alike_):
                if not alike_:
                    yield "not_shown", f"new: {item.name}"
                words_.append((item.name, tuple(o.name for o in alike_)))
        if len(new) > len(old) + 1:
            yield "not_shown", f"new: {', '.join(item.name for item in new)}"


def _edited(here: Sequence[Item], there: Sequence[Item], least: float) -> bool:
    """Is one all but the other, in the same order?"""
    if len(here) + len(there) > 2 * LONG or not 0.8 < len(here) / len(there) < 1.25:
        return False
    one, other = ([min(keys(item), default="") for item in side] for side in (here, there))
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= least


def _parts(item: Item) -> frozenset[str]:
    """What an item may be called, and the parts of it that hyphens join: "low" of low-income."""
    return item.forms | {part for form in item.forms for part in form.split("-")}


def _contrary(item: Item) -> set[str]:
    return {other for form in _parts(item) for other in (*CONTRARY.get(form, ()), *contraries(form))}


def _met(item: Item, there: set[str]) -> bool:
    """Is an item among these keys, itself, by its stem, or by a word that means the same?"""
    if keys(item) & there:
        return True
    return item.sort == "word" and bool((alike(item.name) | exchangeable(item.name)) & there)


def _about(places: Sequence[int], spoken_: Spoken) -> str:
    wide = sorted({at for place in places for at in (place - 1, place, place + 1) if 0 <= at < len(spoken_)})
    return " ".join(spoken_[at][0] for at in wide)
