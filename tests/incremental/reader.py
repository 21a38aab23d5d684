"""A model that reads papers by pattern, and says no more than a few facts of a window: other windows, other facts.

As a provider it is `incremental.reader:read`. What it was asked since `asked.clear()` stands in `asked`.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Sequence

from rarefy.data_contracts.rows import Reply, Request

MOST = 4  # facts of a window
SENTENCES = {
    "is headquartered in": re.compile(r"([A-Z]\w+(?: [A-Z]\w+)+) is headquartered in ([^\s.]+)\."),
    "acquired": re.compile(r"([A-Z]\w+(?: [A-Z]\w+)+) acquired ([A-Z]\w+(?: [A-Z]\w+)*) in March 2024\."),
    "were audited by": re.compile(r"The financial statements of ([A-Z]\w+(?: [A-Z]\w+)+) were audited by ([^.]+)\."),
}
CHUNK = re.compile(r'<chunk id="(c\d+)"[^>]*>\n(.*?)\n</chunk>', re.S)
FACT = re.compile(r"<fact [^>]*>\n(.*?) \[\w+\] \| (.*?) \| (.*?) \[\w+\]\n", re.S)

asked: list[Request] = []


def read(requests: Sequence[Request]) -> Iterator[Reply]:
    """A reply to each, told from what it asks and nothing else."""
    for request in requests:
        asked.append(request)
        text = json.dumps(_said(request.messages[-1].content))
        yield Reply(request.request_id, text, finish_reason="stop", model="reader")


def windows() -> list[list[str]]:
    """The chunks of each window that facts were asked of, as they were shown."""
    return [[text for _, text in CHUNK.findall(one.messages[-1].content)] for one in asked if _of_facts(one)]


def others() -> int:
    """How many requests were about something else."""
    return sum(not _of_facts(one) for one in asked)


def _of_facts(request: Request) -> bool:
    return "Take the connected triplets" in request.messages[-1].content


def _said(prompt: str) -> object:
    if "Take the connected triplets" in prompt:
        return {"triplets": sorted(_claims(prompt), key=lambda one: _hash(prompt, str(one)))[:MOST]}
    if "<question>" in prompt:
        return {"reason": "plain", "readability": 5, "clarity": 5, "correctness": 3 + (int(_hash(prompt), 16) % 5 > 0)}
    if "answered from this passage alone" in prompt:
        return {"answer": ""}
    return _question(FACT.findall(prompt))


def _claims(prompt: str) -> Iterator[dict[str, str]]:
    for label, text in CHUNK.findall(prompt):
        for relation, pattern in SENTENCES.items():
            for found in pattern.finditer(text):
                one = {"subject": found[1], "relation": relation, "object": found[2]}
                yield {**one, "chunk_id": label, "source_sentence": found[0]}


def _question(facts: list[tuple[str, str, str]]) -> dict[str, str]:
    subject, relation, thing = facts[-1]
    named = facts[0][0] if len(facts) > 1 else subject
    return {"reason": "", "pivot": "", "question": f"Which one is it that {named} {relation}?", "answer": thing}


def _hash(*parts: str) -> str:
    return hashlib.blake2b("\0".join(parts).encode(), digest_size=8).hexdigest()
