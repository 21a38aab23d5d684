"""A model for tests, as a provider of one's own: it reads the small corpus by pattern and answers every stage."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from rarefy.data_contracts.rows import Reply, Request

SENTENCES = {
    "is headquartered in": re.compile(r"([A-Z]\w+(?: [A-Z]\w+)+) is headquartered in ([^\s.]+)\."),
    "acquired": re.compile(r"([A-Z]\w+(?: [A-Z]\w+)+) acquired ([A-Z]\w+(?: [A-Z]\w+)*) in March 2024\."),
    "were audited by": re.compile(r"The financial statements of ([A-Z]\w+(?: [A-Z]\w+)+) were audited by ([^.]+)\."),
}
CHUNK = re.compile(r'<chunk id="(c\d+)"[^>]*>\n(.*?)\n</chunk>', re.S)
FACT = re.compile(r"<fact [^>]*>\n(.*?) \[\w+\] \| (.*?) \| (.*?) \[\w+\]\n", re.S)


def answer(requests: Sequence[Request]) -> Iterator[Reply]:
    """A reply to each, told from what it asks."""
    for request in requests:
        said = _said(request.messages[-1].content)
        text = json.dumps(said)
        asked = sum(_tokens(message.content) for message in request.messages)
        yield Reply(
            request.request_id,
            text,
            finish_reason="stop",
            prompt_tokens=asked,
            completion_tokens=_tokens(text),
            model="oracle",
        )


def refuse(requests: Sequence[Request]) -> Iterator[Reply]:
    """Nothing but refusals."""
    for request in requests:
        yield Reply(request.request_id, error="refused", detail="I would rather not.", prompt_tokens=10)


def _tokens(text: str) -> int:
    """As many as a tokenizer of a large vocabulary might find."""
    return len(re.findall(r"\w{1,6}|[^\w\s]+|\n", text))


def _said(prompt: str) -> object:
    if "Take the connected triplets" in prompt:
        return {"triplets": list(_claims(CHUNK.findall(prompt)))}
    if told := _varied(prompt):
        return told
    if "<question>" in prompt:
        return {"reason": "plain", "readability": 5, "clarity": 5, "correctness": 5}
    if "answered from this passage alone" in prompt:
        return {"answer": ""}
    if "Say of each of these" in prompt:
        return {"candidates": list(_choices(prompt))}
    return _question(FACT.findall(prompt))


def _choices(prompt: str) -> Iterator[dict[str, object]]:
    """Nobody wants to know where anybody is headquartered; all else is worth asking."""
    for number, text in enumerate(prompt.split("\nCandidate "), 1):
        yield {"number": number, "reason": "", "worth": 2 if "is headquartered in" in text else 5}


def _varied(prompt: str) -> object:
    """Variants that change as little as may be, and the word that they mean the same; None for another prompt."""
    if "Does the premise semantically entail the hypothesis?" in prompt:
        return {"reason": "the same", "label": "entailment"}
    if "</question>" in prompt and " variants " in prompt.rpartition("</question>")[2]:
        question = prompt.split("<question>\n")[1].split("\n</question>")[0]
        return {"texts": [f"{question.rstrip('?')}"]}
    if done := re.search(r"(Translate|Simplify|Complexify|Rewrite) the whole passage", prompt):
        passage = prompt.split("<passage>\n")[1].split("\n</passage>")[0]
        return {"text": f"{passage}\n\n{done[1]} it."}
    return None


def _claims(chunks: Iterable[tuple[str, str]]) -> Iterator[dict[str, str]]:
    for label, text in chunks:
        for relation, pattern in SENTENCES.items():
            for found in pattern.finditer(text):
                subject, thing = found.groups()
                yield {
                    "subject": subject,
                    "relation": relation,
                    "object": thing,
                    "chunk_id": label,
                    "source_sentence": found[0],
                }


def _question(facts: list[tuple[str, str, str]]) -> dict[str, str]:
    if len(facts) != 1:
        return {"reason": "nothing good", "pivot": "", "question": "", "answer": ""}
    subject, relation, thing = facts[0]
    wording = {
        "is headquartered in": f"In which city is {subject} headquartered?",
        "acquired": f"Which company did {subject} acquire in March 2024?",
        "employed": f"How many people did {subject} employ as of December 31, 2024?",
        "were audited by": f"Which firm audited the financial statements of {subject}?",
    }
    return {"reason": "", "pivot": "", "question": wording.get(relation, ""), "answer": thing}
