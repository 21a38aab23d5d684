"""Whether an answer speaks of somebody else than the question does."""

import re

from rarefy.tasks.evaluate.correct.claim_status import sentence
from rarefy.tasks.evaluate.correct.gold import Expectation
from rarefy.tasks.evaluate.correct.words import LEGAL, bare, tokens

_NAMED = re.compile(
    r"\b(?P<named>(?:[A-Z][\w.-]*|&)(?:\s(?:[A-Z][\w.-]*|&|of|and))*?)(?:,?\s(?:Inc|Corp|Corporation|Company|Co|LLC|LLP|Ltd|Limited|plc|PLC|N\.V|S\.A|AG|SE)\b|'s\b)"
)


def other_entity(text: str, at: int, about: Expectation) -> bool:
    """Does the sentence of this place name a company, or an owner, of which the question and its proof say nothing?"""
    begin, end = sentence(text, at)
    question = about.question
    known = {
        word
        for source in (question.text, question.entity, question.answer, *question.aliases, *question.evidence)
        for word in tokens(source)
    }
    for hit in _NAMED.finditer(text, begin, min(end, at)):
        names = [word for word in bare(tokens(hit["named"])) if word not in LEGAL]
        if names and not known & set(names) and names[0] not in _NOBODY:
            return True
    return False


_NOBODY = frozenset("it he she that there what here who year today company management".split())
