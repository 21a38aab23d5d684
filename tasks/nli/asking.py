"""What a question asks for: a person, a time, a place, a reason, a number, or any thing."""

import re

from rarefy.tasks.nli.kept import small
from rarefy.tasks.wordnet import readings

_ASKED = {
    "number": r"how many|what number|how large a number",
    "time": r"when|(?:in |on |by )?(?:what|which) (?:fiscal |calendar )?(?:year|date|day|month|quarter|time)|how long",
    "place": r"where|(?:in |at )?(?:what|which) (?:city|state|country|place|town|county|location|region)",
    "reason": r"why|for what reason|what caused|how come",
    "person": r"who|whom|by whom|(?:what|which) (?:person|people|executive|officer|man|woman)",
    "yes": r"^(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|may|must|should)(?= )",
}
_SORTS = {sort: re.compile(rf"(?:^|(?<=[ ,;]))(?:{said})\b", re.IGNORECASE) for sort, said in _ASKED.items()}


def asked_for(text: str) -> frozenset[str]:
    """What the last question of a text asks for; none where it is no question or asks for any thing."""
    at = text.rfind("?")
    if at < 0:
        return frozenset()
    question = re.split(r"(?<=[.!?;])\s", text[:at])[-1]
    # whose company it is, or which one that did it, only says which thing is meant
    question = re.sub(
        r"\b(?:the|a|an|each|any|those|\w+) (?:company|issuer|firm|people|ones?) (?:that|who|which)\b", "", question
    )
    return frozenset(sort for sort, pattern in _SORTS.items() if pattern.search(question.strip()))


def otherwise_asked(asked: str, said: str) -> str:
    """Why two questions cannot be the same; "" where they may be."""
    here, there = asked_for(asked), asked_for(said)
    if here and there and here.isdisjoint(there):
        return f"asks for a {'/'.join(sorted(here))}, not a {'/'.join(sorted(there))}"
    doer, done = asked_of(asked), asked_of(said)
    if turned := sorted(verb for verb, part in doer if (verb, "done" if part == "doer" else "doer") in done):
        return f"asks for the other side of {turned[0]}"
    return ""


_WH = re.compile(r"\b(?:who|whom|which|what)\b(?P<rest>[^?.;]{0,200})\?", re.IGNORECASE)
_DO = frozenset("do does did".split())
_HELP = frozenset("is are was were be been has have had can could may might must shall should will would".split())


@small
def asked_of(text: str) -> frozenset[tuple[str, str]]:
    """(verb, "doer" or "done"): "which company supplies X?" asks for the doer, "does X supply?" for what is done."""
    found = set()
    for hit in _WH.finditer(text):
        words = re.findall(r"[\w'&-]+", hit["rest"].lower())
        helps = next((at for at, word in enumerate(words[:6]) if word in _DO | _HELP), None)
        if helps is not None and words[helps] in _DO:
            found |= {(lemma, "done") for word in words[helps + 1 :] for lemma, form in _verbs(word) if form == "base"}
        elif helps is None:  # after "who", or the thing that is asked for, the verb
            found |= {(lemma, "doer") for word in words[:4] for lemma, form in _verbs(word) if form != "ing"}
    return frozenset(found)


def _verbs(word: str) -> list[tuple[str, str]]:
    return [(reading.lemma, reading.form) for reading in readings(word) if reading.pos == "v"]
