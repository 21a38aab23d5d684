"""A small benchmark written by hand: three documents, every pattern, something rejected, something set aside."""

import json
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

from rarefy.data_contracts.breaches import KINDS, settle
from rarefy.data_contracts.expectations import ContractBroken, Result, check_table
from rarefy.data_contracts.rows import (
    Answer,
    Block,
    Breach,
    Chunk,
    Document,
    Fact,
    Hits,
    Judgement,
    Merge,
    Path,
    Pool,
    Probe,
    Quarantined,
    Question,
    Score,
    Similarity,
    Span,
    Swap,
    Trial,
    Triplet,
    Unanswered,
    Variant,
    row_id,
)
from rarefy.data_contracts.suites import SUITES
from rarefy.data_contracts.suites.rule import PartRule, Reference, RowRule, TableRule, code_of
from rarefy.data_contracts.tables import from_table, to_table

TEXTS = {
    "acme-2024": (
        "# Acme Inc. 10-K 2024\n\nAcme Inc. is audited by Stone LLP. Acme Inc. acquired Bolt Corp.",
        "Acme Inc. is headquartered in Reno, Nevada — far. Acme Inc. had revenue of $12 million in fiscal year 2024.",
    ),
    "bolt-2024": (
        "Bolt Corp. is audited by Stone LLP.",
        "Bolt Corp. makes the R2 sensor. Bolt Corp. had revenue of $3 million in fiscal year 2023.",
    ),
    "minutes-2015": ("The Committee kept the target range at 0 to 1/4 percent.",),
}
FACTS = (  # document, paragraph, sentence, subject, relation, object
    ("acme-2024", 0, "Acme Inc. is audited by Stone LLP.", "Acme Inc.", "is audited by", "Stone LLP"),
    ("acme-2024", 0, "Acme Inc. acquired Bolt Corp.", "Acme Inc.", "acquired", "Bolt Corp."),
    ("acme-2024", 1, "Acme Inc. is headquartered in Reno, Nevada", "Acme Inc.", "is headquartered in", "Reno, Nevada"),
    (
        "acme-2024",
        1,
        "Acme Inc. had revenue of $12 million in fiscal year 2024.",
        "Acme Inc.",
        "had revenue of",
        "$12 million",
    ),
    ("bolt-2024", 0, "Bolt Corp. is audited by Stone LLP.", "Bolt Corp.", "is audited by", "Stone LLP"),
    ("bolt-2024", 1, "Bolt Corp. makes the R2 sensor.", "Bolt Corp.", "makes", "R2 sensor"),
    (
        "minutes-2015",
        0,
        TEXTS["minutes-2015"][0],
        "Federal Open Market Committee",
        "kept target at",
        "0 to 1/4 percent",
    ),
)
PATHS = (  # pattern, facts, pivot, the facts that give the question and the answer
    ("single", (3,), "", "What was Acme Inc.'s revenue in fiscal year 2024?", "$12 million"),
    ("single", (6,), "", "Where did the Committee keep the target range in 2015?", "0 to 1/4 percent"),
    ("chain", (1, 5), "bolt corp.", "What does the company that Acme Inc. acquired make?", "R2 sensor"),
    ("star", (0, 2), "acme inc.", "Where is the company that Stone LLP audits headquartered?", "Reno, Nevada"),
    ("inverted_star", (0, 4), "stone llp", "Who else is audited by the auditor of Acme Inc.?", "Bolt Corp."),
    ("single", (2,), "", "Where is it?", "Reno, Nevada"),
)


def benchmark() -> dict[type, pa.Table]:
    """The tables of the small benchmark, by row type; every contract holds."""
    documents, chunks, triplets, paths, questions, pools, variants = [], {}, [], [], [], [], []
    for name, paragraphs in TEXTS.items():
        text, blocks = "\n\n".join(paragraphs), []
        domain = "economics" if name == "minutes-2015" else "finance"
        year = int(name.partition("-")[2])
        for place, paragraph in enumerate(paragraphs):
            start = text.index(paragraph)
            blocks.append(Block("text", start, start + len(paragraph)))
            chunks[name, place] = Chunk(
                row_id(name, paragraph, 0),
                name,
                start,
                start + len(paragraph),
                "text",
                "Item 1. Business",
                paragraph,
                tokens=20,
                entity=name,
                domain=domain,
                fiscal_year=year,
                period_end=f"{year}-12-31",
            )
        money = text.find("$12")
        facts = (Fact(money, money + 3, "us-gaap:Revenues", "12000000", "USD", "2024-01-01", "2024-12-31"),)
        hidden = (Fact(0, 0, "dei:EntityRegistrantName", "Acme Inc."),)
        documents.append(
            Document(
                name,
                row_id(text),
                f"{name}.html",
                f"{name} annual report",
                "text/html",
                text,
                tuple(blocks),
                facts + hidden if money > 0 else (),
                entity=name,
                domain=domain,
                form="10-K",
                fiscal_year=year,
                period_start=f"{year}-01-01",
                period_end=f"{year}-12-31",
                as_of=f"{year + 1}-02-01",
                dropped={"page_number": 12},
                metadata={"cik": "0000001"},
            )
        )
    repeat = documents[1]
    documents.append(
        Document(
            "copies/bolt",
            repeat.content_hash,
            "copies/bolt.html",
            "",
            "text/html",
            repeat.text,
            repeat.blocks,
            domain="finance",
            duplicate_of="bolt-2024",
            duplicate_similarity=1.0,
        )
    )
    for name, place, sentence, subject, relation, thing in FACTS:
        chunk = chunks[name, place]
        start = chunk.text.index(sentence)
        triplets.append(
            Triplet(
                row_id(chunk.chunk_id, start, subject, relation, thing),
                chunk.chunk_id,
                name,
                start,
                start + len(sentence),
                subject,
                relation,
                thing,
                sentence,
                "prose",
                answer=thing,
                value="12000000",
                period_start="2024-01-01",
                period_end="2024-12-31",
                domain=chunk.domain,
                subject_key=subject.lower(),
                relation_key=relation,
                object_key=thing.lower(),
            )
        )
    first = triplets[0]
    triplets.append(
        Triplet(
            row_id("rejected"),
            first.chunk_id,
            first.doc_id,
            0,
            4,
            "we",
            "made",
            "it",
            "not in the text",
            "prose",
            rejected_because="sentence_not_in_chunk",
        )
    )
    for pattern, members, pivot, text, answer in PATHS:
        facts = [triplets[member] for member in members]
        homes = tuple(dict.fromkeys(fact.chunk_id for fact in facts))
        path = Path(
            row_id(pattern, *(fact.triplet_id for fact in facts)),
            pattern,
            tuple(f.triplet_id for f in facts),
            homes,
            pivot,
            facts[0].domain,
        )
        question = Question(
            row_id("rejected question") if "it?" in text else row_id(path.path_id, text),
            path.path_id,
            pattern,
            text,
            answer,
            (answer.lower(),),
            path.triplet_ids,
            homes,
            tuple(fact.source_sentence for fact in facts),
            tuple(Span(fact.chunk_id, fact.start, fact.end) for fact in facts),
            entity=facts[0].doc_id,
            domain=path.domain,
            valid_from="2024-12-31",
            split="" if "it?" in text else "train" if pattern == "star" else "test",
            rejected_because="not_self_contained" if "it?" in text else "",
        )
        paths.append(path)
        questions.append(question)
        if not question.rejected_because:
            name = question.question_id
            variants.append(Variant(row_id(name, "query", "none"), name, "query", "none", text))
            variants.append(Variant(row_id(name, "query", "swap"), name, "query", "swap", text[::-1]))
            variants[-1] = replace(variants[-1], family="superficial", method="rules", checks=("similarity",))
            variants.append(
                Variant(
                    row_id(name, "document", "cut"), name, "document", "cut", "…", homes[0], rejected_because="kept"
                )
            )
            if pattern == "single":
                variants += passages(question, chunks)
                pools.append(pool(question, chunks))
            else:
                pools.append(Pool(row_id("pool", name), name, (), (), ()))
    probes = [
        Probe(row_id("probe", q.question_id, name), q.question_id, name, "Oslo" if place else "")
        for q in questions
        if len(q.chunk_ids) > 1
        for place, name in enumerate(q.chunk_ids)
    ]
    judgements = [
        Judgement(row_id("judgement", q.question_id, 0), q.question_id, "first", 0, 5, 4, 5, "plain", "judge-1")
        for q in questions
        if not q.rejected_because
    ]
    again = replace(judgements[0], judgement_id=row_id("again"), round=1, error="refused")
    judgements.append(replace(again, readability=0, clarity=0, correctness=0, reason=""))
    broken = Breach(row_id("d"), "chunk", "chunks", row_id("e"), "contract_tokens_is_at_least_1", "tokens 0", "{}")
    failed = Unanswered(row_id("c"), "grade", questions[0].question_id, "refused", "I would rather not.")
    merge = Merge(row_id("a"), "entity", "Acme", "Acme Inc.", "ORG", "suffix: 'Acme said'; 'Acme Inc. said'")
    aside = Quarantined(row_id("b"), "read", "x.html", "empty_file", "x.html: the file is empty: remove or replace it")
    rows = {
        Document: documents,
        Chunk: chunks.values(),
        Triplet: triplets,
        Merge: [merge],
        Path: paths,
        Question: questions,
        Probe: probes,
        Judgement: judgements,
        Pool: pools,
        Variant: variants,
        Similarity: [Similarity(variants[1].variant_id, "variant", "embedding", 0.9)],
        Quarantined: [aside],
        Unanswered: [failed],
        Breach: [broken],
        **evaluation(questions, variants),
    }
    return {row_type: to_table(members, row_type) for row_type, members in rows.items()}


def evaluation(questions: list[Question], variants: list[Variant]) -> dict[type, list[Any]]:
    """What one retriever finds for the first question, a closed-book trial and one with passages, and a skipped one."""
    first, name = questions[0], variants[0].variant_id
    (gold,) = first.chunk_ids
    hits = [Hits(row_id("hits"), "bm25", name, first.question_id, (gold,), (2.5,), (gold,))]
    told: dict[str, Any] = {"protocol": "rare", "question_id": first.question_id, "query_id": name}
    trials = [
        Trial(row_id("t1"), cell="probe", given="closed_book", **told),
        Trial(row_id("t2"), cell="gold", given="passages", passage_ids=(gold,), ranks=(1,), gold=1.0, **told),
        Trial(row_id("t3"), cell="lexical_different", given="passages", skipped_because="needs_model", **told),
    ]
    answers = [Answer(trials[0].trial_id, "mine", row_id("a1"), error="timeout", detail="after 60 s")]
    answers.append(
        Answer(trials[1].trial_id, "mine", row_id("a2"), "$12 million", gold=1.0, answer_shown=True, shown=1)
    )
    scores = [
        Score(trials[0].trial_id, "mine", "rare", first.question_id, "failed", why="timeout"),
        Score(trials[1].trial_id, "mine", "rare", first.question_id, "scored", 1.0, stage="exact"),
    ]
    return {Hits: hits, Trial: trials, Answer: answers, Score: scores}


def passages(question: Question, chunks: dict[tuple[str, int], Chunk]) -> list[Variant]:
    """A rewritten gold passage, with its evidence, and a passage from elsewhere."""
    name, (chunk_id,) = question.question_id, question.chunk_ids
    text = next(chunk.text for chunk in chunks.values() if chunk.chunk_id == chunk_id)
    start = text.index(question.evidence[0])
    span = Span(chunk_id, start + 5, start + 5 + len(question.evidence[0]))
    other = next(chunk for (doc, _), chunk in chunks.items() if doc == "bolt-2024")
    kept = {"family": "golden", "method": "rules", "checks": ("answer_kept", "entailment"), "spans": (span,)}
    golden = Variant(row_id(name, "golden"), name, "context", "golden_augmented", f"Now: {text}", chunk_id, **kept)
    return [
        replace(golden, entailment="kept, kept"),
        Variant(
            row_id(name, "noise"), name, "context", "irrelevant", other.text, other.chunk_id, 0, "irrelevant",
            "selection", checks=("no_answer",),
        ),
    ]  # fmt: skip


def pool(question: Question, chunks: dict[tuple[str, int], Chunk]) -> Pool:
    """What stands around the gold chunk, what stands elsewhere, and another value of the answer's kind."""
    home = next(doc for (doc, _), chunk in chunks.items() if chunk.chunk_id in question.chunk_ids)
    others = [(doc, chunk.chunk_id) for (doc, _), chunk in chunks.items() if chunk.chunk_id not in question.chunk_ids]
    name = question.question_id
    near = tuple(chunk_id for doc, chunk_id in others if doc == home)
    far = tuple(chunk_id for doc, chunk_id in others if doc != home)
    swap = Swap(question.answer, "$3 million", "MONEY", name)
    return Pool(row_id("pool", name), name, near, far, (swap,), (swap,))


@pytest.fixture(scope="session")
def tables() -> dict[type, pa.Table]:
    """The small benchmark; change a copy."""
    return benchmark()


def changed(row: Any, changes: dict[str, Any]) -> Any:
    """The row with fields set, or changed by a function of what they were."""
    return replace(row, **{name: to(getattr(row, name)) if callable(to) else to for name, to in changes.items()})


@pytest.fixture
def breach(tables, monkeypatch):
    """What a rule, held alone, finds in a table once some of its rows are changed, and what is said of it.

    A rule on the whole table stops, and its error is the message; of any other one the rows that broke it are set
    aside, and their rule, table and complaint are.
    """

    def break_it(row_type: type, rule: str, where: int | str, changes: dict[str, Any]) -> tuple[Result, str]:
        rows = list(from_table(tables[row_type], row_type))
        ways = {
            "none": [],
            "every": [changed(row, changes) for row in rows] if where == "every" else [],
            "twice": [*rows, rows[0]],
            "without": [row for row in rows if any(getattr(row, name) != value for name, value in changes.items())],
            "without first": rows[1:],
            "again": [*rows, changed(rows[0], changes)] if where == "again" else [],
        }
        if isinstance(where, int):
            rows[where] = changed(rows[where], changes)
        (alone,) = (member for member in SUITES[row_type].rules if member.says == rule)
        monkeypatch.setitem(SUITES, row_type, replace(SUITES[row_type], rules=(alone,)))
        now = {**tables, row_type: to_table(ways.get(where, rows), row_type)}
        settled = settle("some stage", row_type, now.get, judged=False)
        now |= settled.tables
        broken = [one for one in settled.breaches if one.rule == code_of(rule)]
        try:
            validation = check_table("some stage", row_type, now[row_type], now, settled.breaches)
        except ContractBroken as caught:
            assert isinstance(alone, TableRule | Reference) and not settled.breaches
            validation, message = caught.validation, str(caught)
        else:
            assert isinstance(alone, RowRule | PartRule), "a rule on the whole table was broken, and nothing stopped"
            owner = row_type if isinstance(alone, RowRule) else alone.of
            before = {**tables, row_type: to_table(ways.get(where, rows), row_type)}[owner].num_rows
            gone = sum(one.table == KINDS[owner] for one in settled.breaches)
            assert now[owner].num_rows == before - gone and gone >= len(broken)
            assert all(one.table == KINDS[owner] and json.loads(one.content) for one in broken)
            message = "\n".join(f"{one.stage}: {row_type.__name__}: {rule}: {one.detail}" for one in broken)
        found = next(result for result in validation.results if result.rule == rule)
        assert found.stops == isinstance(alone, TableRule | Reference)
        return found, message

    return break_it
