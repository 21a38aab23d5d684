"""What a large model really wrote for 36 questions and 18 passages, as a model that says it to our own requests."""

import json
from pathlib import Path

from rarefy.data_contracts.rows import Chunk, Pool, Question, Reply, row_id

# words of our prompts, by what was recorded for them
OF_QUESTIONS = {"Rephrase only its grammar": "grammar", "one detail": "irrelevant", "in other words": "paraphrase"}
OF_PASSAGES = {
    "Simplify": "simple",
    "Complexify": "complex",
    "Rewrite the passage": "paraphrase",
    "into French": "french",
    "into English": "back_translation",
    "that say the same": "golden_augmented",
    "lead to a wrong answer": "distracting",
    "incorrect information": "low_quality",
}


def lines(place: Path, name: str) -> list[dict]:
    """The lines of a recorded file."""
    return [json.loads(line) for line in (place / name).read_text(encoding="utf-8").splitlines()]


class Recorded:
    """The rows that the recorded variants are of, and the model that says them."""

    def __init__(self, place: Path) -> None:
        """Read what lies in the folder."""
        self.of_question = {line["question_id"]: line for line in lines(place, "query_variants.jsonl")}
        self.of_passage = lines(place, "document_variants.jsonl")
        asked = {line["question_id"]: line for line in lines(place, "questions.jsonl")}
        windows = json.loads((place / "windows.json").read_text(encoding="utf-8"))
        texts = {chunk["chunk_id"]: chunk["text"] for window in windows for chunk in window["chunks"]}
        domains = {chunk["chunk_id"]: w["domain"] for w in windows for chunk in w["chunks"]}
        gold = {line["question_id"]: line for line in self.of_passage}
        self.chunks: dict[str, Chunk] = {}
        for line in self.of_passage:
            line.setdefault("source", texts[line["chunk_id"]])
            name, text = line["chunk_id"], line["source"]
            self.chunks[name] = Chunk(name, name, 0, len(text), "text", "", text, 9, domain=domains[name])
        self.questions = [self._question(name, asked[name], gold.get(name)) for name in self.of_question | gold]
        ring = [line["chunk_id"] for line in self.of_passage]  # the next passage stands for the neighbour of each
        self.pools: dict[str, Pool] = {}
        for question in self.questions:
            for chunk_id in question.chunk_ids:
                other = ring[(ring.index(chunk_id) + 1) % len(ring)]
                name = row_id("pool", question.question_id)
                self.pools[name] = Pool(name, question.question_id, (other,), (), ())
        self.unknown: list[str] = []  # prompts that nothing was recorded for

    def _question(self, name: str, line: dict, gold: dict | None) -> Question:
        chunk_ids = (gold["chunk_id"],) if gold else ()
        domain = self.chunks[chunk_ids[0]].domain if gold else "finance"
        answer = gold["answer"] if gold else line["answer"]
        return Question(name, "p", "single", line["question"], answer, (), (), chunk_ids, (), (), domain=domain)

    def __call__(self, wanted):
        """The recorded reply to each request."""
        for request in wanted:
            told = self.said(*(message.content for message in request.messages))
            if told is None:
                self.unknown.append(request.messages[-1].content)
                yield Reply(request.request_id, error="refused", detail="nothing was recorded for this")
            else:
                text = json.dumps(told, ensure_ascii=False)
                yield Reply(request.request_id, text=text, parsed=text, finish_reason="stop")

    def said(self, system: str, user: str) -> dict | None:
        """What was recorded for these messages, in the form that they ask for."""
        if user.startswith("<question>"):
            kind = next(kind for words, kind in OF_QUESTIONS.items() if words in system)
            asked = user.split("<question>\n")[1].split("\n</question>")[0]
            found = next(q.question_id for q in self.questions if q.text == asked)
            return {"texts": self.of_question[found][kind]} if found in self.of_question else None
        kind = next(kind for words, kind in OF_PASSAGES.items() if words in system)
        shown = user.split(">\n", 1)[1].split("\n</passage>")[0]
        key = "french" if kind == "back_translation" else "source"
        line = next((line for line in self.of_passage if line[key].strip() == shown.strip()), None)
        if line is None:
            return None
        if kind == "low_quality":
            return {"passages": [{"number": 1, "text": line[kind]}]}
        return {"texts": [line[kind]]} if "passages" in system.split("{")[-1] else {"text": line[kind]}
