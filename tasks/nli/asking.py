"""What a question asks for: a person, a time, a place, a reason, a number, or any thing."""

import re

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
    return ""
