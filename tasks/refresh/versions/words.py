"""Two texts word by word: what one has that the other has not."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

MOST = 800  # words of a text that are compared; longer ones stand beside each other as they are
_WORD = re.compile(r"(\s*)([\w.,$%€£’'-]+|\S|\Z)")

Marked = list[tuple[bool, str]]  # is it of this text alone?, and the words


def marked(before: str, after: str) -> tuple[Marked, Marked]:
    """Both texts in pieces, each piece marked where the other text does not have its words; spaces are no words."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    if not before or not after or max(len(old), len(new)) > MOST:
        return [(False, before)], [(False, after)]
    from rapidfuzz.distance import Indel

    numbers: dict[str, int] = {}
    left, right = ([numbers.setdefault(word, len(numbers)) for _, word in side] for side in (old, new))
    kept_left, kept_right = set[int](), set[int]()
    for step in Indel.opcodes(left, right):
        if step.tag == "equal":
            kept_left.update(range(step.src_start, step.src_end))
            kept_right.update(range(step.dest_start, step.dest_end))
    return _pieces(old, kept_left), _pieces(new, kept_right)


def _pieces(words: Sequence[tuple[str, str]], kept: set[int]) -> Marked:
    """A text in pieces; the space between two words is marked where both are."""

    def each() -> Iterator[tuple[bool, str]]:
        for at, (space, word) in enumerate(words):
            yield at > 0 and at not in kept and at - 1 not in kept, space
            yield at not in kept, word

    pieces = groupby((piece for piece in each() if piece[1]), key=lambda piece: piece[0])
    return [(other, "".join(text for _, text in some)) for other, some in pieces]
