"""Two texts word by word: what one has that the other has not."""

import difflib
import re

MOST = 800  # words and spaces of a text that are compared; longer ones stand beside each other as they are
_WORD = re.compile(r"\s+|[\w.,$%€£’'-]+|.", re.DOTALL)

Marked = list[tuple[bool, str]]  # is it of this text alone?, and the words


def marked(before: str, after: str) -> tuple[Marked, Marked]:
    """Both texts in pieces, each piece marked where the other text does not have it."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    if not old or not new or max(len(old), len(new)) > MOST:
        return [(False, before)], [(False, after)]
    left: Marked = []
    right: Marked = []
    for what, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        left.append((what != "equal", "".join(old[a:b])))
        right.append((what != "equal", "".join(new[c:d])))
    return [piece for piece in left if piece[1]], [piece for piece in right if piece[1]]
