"""What is wrong with a model's question that the gates do not look for (RARE R19, R22)."""

import re
from collections.abc import Sequence
from dataclasses import replace

from rarefy.data_contracts.rows import Question, Triplet
from rarefy.tasks.questions.ask.located import stems
from rarefy.tasks.questions.gates.config import GatesConfig
from rarefy.tasks.questions.gates.given_away import pivot_given_away
from rarefy.tasks.text.sentences import sentences
from rarefy.tasks.text.stems import root

_SHOWN = r"(?:text|passage|excerpt|chunk|snippet|context|triplet|fact|knowledge graph|source sentence)s?"
_GIVEN = r"(?:(?:given|provided|above|following|same|first|second|third|other|two|three|four|source|relevant)\s+)*"
_PROMPT = re.compile(
    rf"\b(?:the|this|these|those|that|each|both|all|which|any|given|provided|above|following)\s+{_GIVEN}{_SHOWN}\b"
    r"(?!\s+(?:of|that|in which|for|surrounding|when|where)\b)"
    r"|\b(?:according to|based on|per|from|(?:as )?(?:stated|described|mentioned|shown|reported|noted|listed|given)"
    rf" (?:in|by))\s+(?:the|this|these|that)\s+{_GIVEN}"
    r"(?:table|document|source|information|section|sentence|paragraph|data|details?|report|filing)s?\b"
    r"(?!\s+(?:of|on|for|that|which|called|named|titled|entitled|filed|\d|[\"“(])|\s?['’]s)"
    r"|\b(?:passage|fact|chunk|triplet)\s+\d\b"
    r"|\bpivot(?: entity)?\b|(?-i:\b(?:[Ee]ntity|[Hh]ead|[Tt]ail|[Ss]ubject|[Oo]bject|named|called) [ABC]\d?\b)",
    re.IGNORECASE,
)
# A second thing asked for: "..., and how many ...", "and what ..."; "and which" and "and who" may be relative clauses
_ASKS = (
    r"(?:what|why|how(?: much| many| long| often| large| far| recently| soon)?|did|does|is it|was it"
    r"|(?:by|to|in|at|on|for|of|from|under|upon|with) (?:what|how (?:much|many)|which|whom))"
)
_SECOND = re.compile(rf"(?:[,;:]|\b(?:and|or|as well as))\s+(?:and |or |also |then )?{_ASKS}\b", re.IGNORECASE)
_FIRST = re.compile(
    r"\b(?:what|which|who|whom|whose|when|where|why|how|did|does|do|is|are|was|were|has|have|had|can|could|will)\b",
    re.IGNORECASE,
)
_PAIR = re.compile(
    r"^(?:who|what|which|when|where)\b[^,]*,? and (?:who|which|when|where) (?!(?:is|are|was|were) the)", re.I
)
_MARKS = re.compile(r"^(?:[\"“”'*_#`\s]+|(?:question|q)\s*\d*\s*[:.)]\s*)+|[\"“”*_`\s]+$", re.IGNORECASE)
_NONE = frozenset(("", "-", "none", "null", "n/a", "na", "nil", "no question", "not applicable", "empty"))


def tidied(text: str) -> str:
    """A question or an answer as one line, without quotes, marks or a label around it; "" for words that say none."""
    line = " ".join(text.replace("\u200b", "").replace("\ufeff", "").split())
    bare = _MARKS.sub("", line).strip()
    # a quotation inside it, a mark of its own at the end: left as they are
    line = bare if bare.count('"') % 2 == 0 and bare.count("“") == bare.count("”") else line
    return "" if line.casefold().strip(".") in _NONE else line


def of_wording(text: str) -> str:
    """The first reason against how a question is worded, whatever its answer; "" for none."""
    if _PROMPT.search(text):
        return "leans_on_prompt"
    if len(sentences(text)) > 1:
        return "several_sentences"
    return "several_questions" if _asks_twice(text) else ""


def of_hops(question: Question, facts: Sequence[Triplet], target: Triplet, pivots: Sequence[str]) -> str:
    """The first reason why a multi-hop question is none: it names a pivot, or leaves a fact out; "" for none."""
    if any(_names(question, facts, pivot) for pivot in pivots):
        return "pivot_given_away"
    hidden = _roots(" ".join(pivots))
    return "" if all(_used(question.text, fact, target, hidden) for fact in facts if fact != target) else "hop_not_used"


def off_topic(question: Question, target: Triplet) -> bool:
    """Whether a question has no word in common with the fact that should answer it."""
    return not _roots(question.text) & (_roots(_told(target)) - _roots(question.answer))


def _asks_twice(text: str) -> bool:
    if text.count("?") > 1 or _PAIR.search(text):
        return True
    return any(_FIRST.search(text[: match.start()]) for match in _SECOND.finditer(text) if _begins(text, match))


def _begins(text: str, match: re.Match[str]) -> bool:
    """Whether the part is a question of its own: an opening clause ("In 2024, what ...") is none."""
    asked = _FIRST.search(text[: match.start()])
    return asked is not None and (match[0][0] not in ",;:" or bool(re.search(r"\b(?:and|or|also|then)\b", match[0])))


def _names(question: Question, facts: Sequence[Triplet], pivot: str) -> bool:
    """The gate's own look at one more pivot: of a longer chain the row holds only the first."""
    known = {fact.triplet_id: fact for fact in facts}
    gate = GatesConfig.model_validate({})
    return bool(pivot_given_away([replace(question, pivot=pivot)], gate, chunks={}, triplets=known))


def _used(text: str, fact: Triplet, target: Triplet, hidden: set[str]) -> bool:
    """Whether the question says anything that only this fact can have told it, pivots and the answer's fact apart."""
    own = _roots(_told(fact)) - _roots(_told(target))
    return not own - hidden or bool(_roots(text) & own)


def _told(fact: Triplet) -> str:
    return f"{fact.subject} {fact.relation} {fact.object} {fact.source_sentence}"


def _roots(text: str) -> set[str]:
    """Telling words by their roots: a model writes "auditor" where the fact has "is audited by"."""
    return {root(word) for word in stems(text)}
