"""Strategies that choose first: S2A which contexts (appendix C, s2a.j2), SKR whether any (Magic Mushroom Figure 18)."""

import re

from rarefy.data_contracts.rows import Passage
from rarefy.tasks.evaluate.systems.rag.case import StrategyCase
from rarefy.tasks.evaluate.systems.rag.final import unfenced, unthinking
from rarefy.tasks.evaluate.systems.rag.plain import over
from rarefy.tasks.evaluate.systems.rag.turns import Ended, Talk

# the template says "Selected Conetxts" twice and "Selected Contexts" once, and models copy either (B6)
_SELECTED = re.compile(r"selected\s+con(?:text|etxt)\(?s?\)?\s*(?:\*\*)?\s*[:：]\s*(?:\*\*)?", re.IGNORECASE)
_CONTEXT = re.compile(r"con(?:text|etxt)s?\s*#?\s*(\d+)", re.IGNORECASE)
_NUMBERS = re.compile(r"(\d+)(?:\s*(?:-|–|—|to|through)\s*(?:con(?:text|etxt)\s*)?(\d+))?", re.IGNORECASE)
_NONE = re.compile(r"\b(?:none|no\s+(?:retrieved\s+)?con(?:text|etxt)s?)\b", re.IGNORECASE)
_YES = re.compile(r"\byes\b|(?<!not )(?<!n't )\bi need\b", re.IGNORECASE)
_NO = re.compile(r"\bno\b|\bdon't need\b|\bdo not need\b", re.IGNORECASE)


def s2a(case: StrategyCase) -> Talk:
    """The contexts that the model selects, in the order they were shown, and the answer from them alone."""
    if not case.passages:
        return (yield from over(case, ()))
    reply = yield case.shared("s2a", case.passages)
    ended = case.failed(reply)
    if ended and ended.error:
        return ended
    found = selected(reply.text, len(case.passages))
    kept: tuple[Passage, ...] | Ended
    if found is None:
        kept, way = case.unclear(case.config.s2a_unread, reply), "unreadable"
    elif not found:
        kept, way = case.unclear(case.config.s2a_none, reply), "none"
    else:
        kept, way = tuple(case.passages[number - 1] for number in found), ", ".join(map(str, found))
    if isinstance(kept, Ended):
        return kept
    return (yield from over(case, kept, f"s2a: {way} of {len(case.passages)}"))


def selected(text: str, count: int) -> list[int] | None:
    """The numbers of the contexts that a reply selects, from 1, ascending; [] for none; None where it does not say."""
    text = unfenced(unthinking(text))
    labels = list(_SELECTED.finditer(text))
    if labels:
        said = text[labels[-1].end() :].split("\n\n")[0]
        if re.match(r"\W*all\b", said, re.IGNORECASE):
            return list(range(1, count + 1))
        if re.match(r"\W*none\b", said, re.IGNORECASE):
            return []
        # what is told of a context behind its number, as "(covers 2024)", selects nothing
        said = re.sub(r"\([^)]*\)", " ", said)
        numbers = _ranges(said if _CONTEXT.search(said) is None else " ".join(_listed(said)))
    else:
        numbers = [int(number) for number in _CONTEXT.findall(text)]
        said = text
    within = sorted({number for number in numbers if 1 <= number <= count})
    if within:
        return within
    return [] if _NONE.search(said) else None


def _listed(said: str) -> list[str]:
    """The numbers behind "Context", with those that follow in the same list: "Contexts 2, 3 and 5", "Context 2-4"."""
    listed = re.compile(
        r"con(?:text|etxt)s?\s*#?\s*(\d+(?:\s*(?:,|and|&|-|–|—|to|through)+\s*(?:and\s+)?\d+(?![\d.%]))*)",
        re.IGNORECASE,
    )
    return listed.findall(said)


def _ranges(said: str) -> list[int]:
    numbers: list[int] = []
    for first, last in _NUMBERS.findall(said):
        if len(first) > 4 or len(last) > 4:
            continue
        numbers += range(int(first), int(last or first) + 1)
    return numbers


def skr(case: StrategyCase) -> Talk:
    """The passages where the model says that it needs them, its own knowledge where it says that it does not."""
    if not case.passages:
        return (yield from over(case, ()))
    reply = yield case.shared("skr")
    ended = case.failed(reply)
    if ended and ended.error:
        return ended
    need = needs(reply.text)
    if need is None:
        kept = case.unclear(case.config.skr_unclear, reply)
        if isinstance(kept, Ended):
            return kept
        return (yield from over(case, kept, "skr: unclear"))
    return (yield from over(case, case.passages if need else (), "skr: need" if need else "skr: no need"))


def needs(text: str) -> bool | None:
    """Whether a reply says "Yes, I need." or "No, I don't need."; None where it says neither, or both."""
    said = " ".join(unfenced(unthinking(text)).replace("’", "'").split())
    if first := re.match(r"\W*(yes|no)\b", said, re.IGNORECASE):
        return first[1].lower() == "yes"
    yes, no = bool(_YES.search(said)), bool(_NO.search(said))
    return yes if yes != no else None
