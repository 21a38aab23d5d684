"""Where sentences end in filings, minutes and regulations: rules, no model."""

import re

from rarefy.tasks.text.names import ABBREVIATIONS, TITLES

WORDS_TOO = frozenset({"no", "sec", "art", "est", "par", "re", "al"})
STARTERS = frozenset(
    """
    a about according accordingly additionally after all also although among an and any as at based because before
    both but by certain consequently currently despite due during each effective either even except finally first for
    from further furthermore given had has have he here historically how however i if in including instead it its like
    many management moreover more most much neither net nevertheless no nonetheless not notwithstanding of on once one
    only or other others our over prior pursuant second several she since so some such subsequently that the their
    then there therefore these they this those though through thus to total two under unless unlike until upon we what
    when where whether which while who with within without you your
    """.split()
)
NUMBERED = frozenset(
    """
    item items note notes part section sections table exhibit figure chapter rule article schedule page step
    """.split()
)

# A mark with closing quotes and the number of a footnote; a blank line; a line that begins an item, a row, a heading.
_CANDIDATE = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’»)\]]*+(?:(?:(?<=[a-z)][.])|(?<=(?:19|20)\d\d[.]))\d{1,2})?(?=\s)"
    r"|[。！？]+[”’」』)]*"
    r"|\n(?=[^\S\n]*(?:\n|[-*•●▪–—|#]|\(?[a-zA-Z0-9]{1,4}[.)]\s))"
)
_LAST_WORD = re.compile(r"[\w.'’&]+$")
_NEXT_WORD = re.compile(r"[\"'“‘«(\[]*([^\W\d_][\w'’-]*)?")
_ITEM = re.compile(r"[a-z]|\d{1,2}|[ivx]{1,4}")
_ITEM_FOLLOWS = re.compile(r"[:;](?:\s(?:and|or))?\s\Z")
_SPACES = re.compile(r"\s*")


def sentences(text: str) -> list[tuple[int, int]]:
    """The spans of the sentences of `text`, in order, without the white space between: together all the rest of it."""
    spans: list[tuple[int, int]] = []
    start = _after_spaces(text, 0)
    for match in _CANDIDATE.finditer(text):
        at, end = match.span()
        if at <= start:
            continue
        following = _after_spaces(text, end)
        if following == len(text):
            break
        if text[at] == ".":
            if not _ends_here(text, start, at, end, following):
                continue
        elif text[at] == "\n":
            end = start + len(text[start:at].rstrip())
        elif text[at] in "!?…" and not _capital(text, following, "inc corp"):
            continue
        spans.append((start, end))
        start = following
    if start < len(text):
        spans.append((start, len(text.rstrip())))
    return spans


def _after_spaces(text: str, at: int) -> int:
    match = _SPACES.match(text, at)
    return match.end() if match else at


def _capital(text: str, at: int, but: str = "") -> bool:
    """Whether what stands at `at` can begin a sentence."""
    match = _NEXT_WORD.match(text, at)
    word = match.group(1) if match else None
    if word is None:  # a digit, a sign
        return True
    # "iPhone net sales grew": a name may begin small
    return word.lower() not in but.split() and (not word[0].islower() or (len(word) > 1 and word[1].isupper()))


def _ends_here(text: str, start: int, dot: int, end: int, after: int) -> bool:
    """Whether the full stop at `dot` ends the sentence that began at `start`, the next word standing at `after`."""
    if "\n\n" in text[end:after]:
        return True
    if end > dot + 1:  # an ellipsis; a quote, a bracket or a footnote's number after the stop
        return _capital(text, after)
    last = _LAST_WORD.search(text, max(start, dot - 24), dot)
    word = last.group().lower().strip("'’") if last else ""
    if last is None or not word:  # quotation marks alone, as in "``treat ''."
        return _capital(text, after)
    following = _NEXT_WORD.match(text, after)
    next_word = ((following and following.group(1)) or "").lower()
    begins = next_word in STARTERS and _capital(text, after)
    if last.start() == start and (len(word) <= 2 or word.isdigit()) and word.isalnum():
        return False  # "1. Business", "a. The lender": the number of a list item
    if _ITEM.fullmatch(word) and _ITEM_FOLLOWS.search(text, max(start, last.start() - 6), last.start()):
        return False  # "at market prices; or ii. As a temporary operation"
    if word in TITLES:
        return word in WORDS_TOO and begins  # "He said no. The vote was taken."
    if word in ("a.m", "p.m") and len(next_word) > 4 and following and following.group(1).isupper():
        return True  # "at 9:00 a.m. PRESENT: Ms. Yellen", but "at 9:00 a.m. EST"
    if word in ABBREVIATIONS or re.fullmatch(r"(?:[a-z]\.)+[a-z]", word) or re.fullmatch(r"[a-z]", word):
        return begins
    if word[0].isdigit() or len(word) <= 3:
        before = re.search(r"(\w+)\s+\(?$", text[max(start, last.start() - 16) : last.start()])
        if before and before.group(1).lower() in NUMBERED and re.fullmatch(r"\d+[a-z]?|[ivxlc]+", word):
            return begins  # "in Item 1A. Risk Factors" goes on, "see Note 4. The Company" does not
    return _capital(text, after)
