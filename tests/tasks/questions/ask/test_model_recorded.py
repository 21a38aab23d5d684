"""What a large model asked over 18 windows of real documents: each question is accepted, or rejected with a reason."""

import json
import re
from collections import Counter

import pytest

from rarefy.data_contracts.rows import Chunk, Document, Path, Question, Reply, Triplet, Unanswered, row_id
from rarefy.tasks.knowledge.extract.locate import find_quote
from rarefy.tasks.questions.ask import AskConfig
from rarefy.tasks.questions.ask.model import ask_by_model, request_id
from rarefy.tasks.questions.gates import GatesConfig, judge


@pytest.fixture(scope="module")
def recorded(shared):
    """Chunks, documents, triplets, paths and what the model said of each path."""
    place = shared / "reference" / "recorded-model"
    if not place.is_dir():
        pytest.skip(f"{place} is not here")
    chunks, documents, claims = {}, {}, {}
    for window in json.loads((place / "windows.json").read_text(encoding="utf-8")):
        name, told = window["window_id"], window["metadata"]
        entity, form = told.get("company", ""), told.get("form", "")
        text = "\n\n".join(chunk["text"] for chunk in window["chunks"])
        documents[name] = Document(
            name,
            "h",
            name,
            told["document"],
            "text/plain",
            text,
            entity=entity,
            domain=window["domain"],
            form=form,
            period_end=f"{year[0]}-12-31" if (year := re.search(r"20\d\d", name)) else "",
        )
        for chunk in window["chunks"]:
            words = chunk["text"]
            chunks[chunk["chunk_id"]] = Chunk(
                chunk["chunk_id"], name, 0, len(words), "text", "", words, 1, entity=entity, domain=window["domain"]
            )
    for line in (place / "triplets.jsonl").read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        claims[told["window_id"]] = [triplet(claim, chunks) for claim in told["triplets"]]
    paths, said = [], {}
    for line in (place / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        told = json.loads(line)
        facts = [claims[told["window_id"]][i] for i in told["triplets"]]
        pivot = {"single": "", "star": facts[0].subject_key}.get(told["pattern"], facts[0].object_key)
        ids, places = tuple(f.triplet_id for f in facts), tuple(dict.fromkeys(f.chunk_id for f in facts))
        path = Path(told["question_id"], told["pattern"], ids, places, pivot, facts[0].domain)
        paths.append(path)
        said[request_id(path)] = json.dumps({"question": told["question"], "answer": told["answer"]})
    triplets = {fact.triplet_id: fact for facts in claims.values() for fact in facts}
    return {"chunks": chunks, "documents": documents, "triplets": triplets}, paths, said


def triplet(claim, chunks):
    chunk = chunks[claim["chunk_id"]]
    start, end = next(iter(find_quote(claim["source_sentence"], chunk.text)), (0, 0))
    subject, relation, thing = claim["subject"], claim["relation"], claim["object"]
    return Triplet(
        row_id(chunk.chunk_id, subject, relation, thing), chunk.chunk_id, chunk.doc_id, start, end, subject, relation,
        thing, chunk.text[start:end], "model", entity=chunk.entity, domain=chunk.domain, subject_key=subject.casefold(),
        relation_key=relation, object_key=thing.casefold(), rejected_because="" if end else "sentence_not_in_chunk",
    )  # fmt: skip


def test_all_questions_are_accounted_for(recorded, capsys):
    rows, paths, said = recorded

    asked = set()

    def llm(requests):
        for request in requests:
            asked.add(request.request_id)
            yield Reply(request.request_id, text=said[request.request_id], parsed=said[request.request_id])

    located = [p for p in paths if not any(rows["triplets"][i].rejected_because for i in p.triplet_ids)]
    made = list(ask_by_model(located, AskConfig(worth=0), llm=llm, **rows))
    questions = [row for row in made if isinstance(row, Question)]
    assert len(paths) == 176 and Counter(q.path_id for q in questions) == Counter(p.path_id for p in located)
    declined = {q.path_id for q in questions if q.rejected_because == "model_declined"}
    none = {p.path_id for p in located if '"question": ""' in said[request_id(p)]}
    assert declined == none & {p.path_id for p in located if request_id(p) in asked}
    assert declined == {row.about for row in made if isinstance(row, Unanswered)}

    judged = list(judge(questions, GatesConfig(retrieved=0), chunks=rows["chunks"], triplets=rows["triplets"]))
    reasons = Counter(q.rejected_because or "accepted" for q in judged)
    with capsys.disabled():
        print(f"\n{len(paths)} questions, {len(paths) - len(located)} over a triplet that is not in its chunk")
        for reason, count in reasons.most_common():
            print(f"{count:5} {reason}")
    assert reasons["accepted"] >= 90  # a strong model: most of what it asks is sound
    for question in judged:
        if not question.rejected_because:
            assert any(question.answer in words for words in question.evidence)
            if question.pattern != "single":
                assert len(question.chunk_ids) > 1
