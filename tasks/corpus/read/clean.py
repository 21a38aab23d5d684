"""Characters that no reader can see or that mean the same, made plain; what goes is counted."""

import re
from collections import Counter

CONTROL = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]+")
INVISIBLE = re.compile("[\u00ad\u200b\u200c\u200d\u2060\ufeff]+")
SPACE = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]")
BREAK = re.compile("\r\n?|\x85|\u2028|\u2029")
PAGE = re.compile("[\x0b\x0c]")


def clean(text: str, dropped: Counter[str]) -> str:
    """The text with one kind of line break and of space, a form feed as a paragraph break, nothing invisible."""
    text = BREAK.sub("\n", text)
    text = PAGE.sub("\n\n", text)
    for kind, pattern in (("control_characters", CONTROL), ("invisible_characters", INVISIBLE)):
        if pattern.search(text):
            plain = pattern.sub("", text)
            dropped[kind] += len(text) - len(plain)
            text = plain
    return SPACE.sub(" ", text)
