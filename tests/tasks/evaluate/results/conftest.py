"""Small results, made by hand: a few questions, two systems, every protocol's kind of slice, and hostile texts."""

import dataclasses
from collections.abc import Callable

import pyarrow as pa
import pytest

from rarefy.data_contracts.rows import Answer, Chunk, Figure, Hits, Question, Score, Span, Trial, Variant, row_id
from rarefy.data_contracts.tables import to_table

SYSTEMS = ("plain", "better")
ROW_TYPES = {
    "trials": Trial,
    "answers": Answer,
    "scores": Score,
    "questions": Question,
    "chunks": Chunk,
    "variants": Variant,
    "hits": Hits,
}


def figure(metric: str, value: float | None, slice_: str = "all", **told) -> Figure:
    """A number of RARE, of the system "plain", where nothing else is told."""
    told = {"system": "plain", "protocol": "rare", "n_scored": 40, "low": None, "high": None, **told}
    if value is not None and told["low"] is None and "withheld" not in told:
        told |= {"low": value - 0.05, "high": value + 0.05}
    name = row_id("figure", told["system"], told["protocol"], metric, slice_)
    return Figure(name, metric=metric, slice=slice_, value=value, **told)


def figures() -> list[Figure]:
    """Headlines and slices as the protocols name them."""
    rows = []
    for at, system in enumerate(SYSTEMS):
        more = 0.1 * at
        its = {"system": system}
        for metric in ("Overall Robustness", "Query Robustness"):
            rows.append(figure(metric, 0.6 + more, headline=True, **its))
        for value in ("none", "character", "grammar"):
            rows.append(figure("Overall Robustness", 0.5 + more, f"query={value}", **its))
            rows.append(figure("Overall Robustness: refusal rate", 0.2, f"query={value}", **its))
        rows.append(figure("Overall Robustness", 0.4, "document=lexical_similar", **its))
        sure = {**its, "protocol": "sure", "unit": "pairs"}
        for metric, value in (("RR", 0.8), ("WR", 0.05), ("LR", 0.15), ("base accuracy", 0.7)):
            rows.append(figure(metric, value, headline=True, **sure))
            for kind in ("format", "logic", "style", "metadata"):
                rows.append(figure(metric, value, f"type={kind}", **sure))
                rows += [figure(metric, value, f"type={kind}, subset={one}", **sure) for one in ("K-G", "U-G")]
        rr = {**its, "protocol": "retrieval_robustness"}
        rows.append(
            figure("NDR", None, headline=True, withheld=True, worst=0.41, best=0.53, n_failed=26, **rr)  # 40 of 66
        )
        rows.append(figure("performance", 0.2, "k=0", **rr))
        rows += [figure("performance", 0.5 + k / 100, f"k={k}", **rr) for k in (5, 10, 25)]
        rows += [figure("NDR", 0.9, f"order={order}", **rr) for order in ("original", "reversed", "shuffled")]
        mushroom = {**its, "protocol": "magic_mushroom"}
        rows.append(figure("Cor.", 0.55, headline=True, **mushroom))
        rows += [figure("Cor.", 0.9 - r, f"ratio={r:g}", **mushroom) for r in (0.0, 0.3, 0.7)]
        rows.append(figure("Retriever at fault", 0.3, "all", **its))
    retrieval = {"system": "", "protocol": "retrieval", "unit": "wordings"}
    for retriever in ("bm25", "dense"):
        for k in (1, 5, 10):
            rows.append(figure(f"Recall@{k}", 0.5 + k / 30, f"retriever={retriever}, perturbation=none", **retrieval))
        rows.append(figure("Recall@10", 0.6, f"retriever={retriever}, perturbation=character", **retrieval))
    return rows


def meta() -> dict:
    """What the coordinator of an evaluation says of it."""
    option = {
        "name": "real_world",
        "value": "table",
        "tag": "open",
        "source": "RARE Table 3",
        "description": "which rule",
    }
    return {
        "schema": 1,
        "benchmark": {
            "version": "75af0d3b3f01aa22", "name": "sample", "questions": 4, "of": 4, "documents": 2, "split": "test",
        },
        "systems": {name: {"kind": "rag", "takes": ["closed_book", "passages"], "identity": {}} for name in SYSTEMS},
        "protocols": {
            "rare": {"title": "RARE-Met", "paper": "2506.00789", "options": [option]},
            "sure": {"title": "SURE", "paper": "2503.05587", "options": []},
            "retrieval_robustness": {"title": "Retrieval robustness", "paper": "2505.21870", "options": []},
            "magic_mushroom": {"title": "Magic Mushroom", "paper": "2506.03901", "options": []},
        },
        "left_out": [{"system": "plain", "protocol": "effect_size", "why": "the benchmark has no variants for it"}],
        "funnel": [
            {"stage": "trials", "system": "plain", "protocol": "rare", "in": 10, "out": 8, "reasons": {"no_json": 2}}
        ],
        "usage": {
            "plain": {
                "answers": 10, "asked": 8, "calls": 8, "prompt_tokens": 8000, "completion_tokens": 80, "cost": 0.25,
                "currency": "USD", "seconds": 200.0,
            }
        },
        "statistics": {"draws": 1000, "floor": 0.95},
        "package": {"rarefy": "0.1.0"},
    }  # fmt: skip


def rows(questions: int = 4, word: str = "revenue", answer: str = "$47.5 billion") -> dict[str, list]:
    """The rows behind: per question a probe, gold, a changed wording, a deletion, and retrieved passages."""
    found: dict[str, list] = {name: [] for name in ROW_TYPES}
    sentence = f"The {word} was {answer} in fiscal 2024."
    for at in range(questions):
        text = f"Before it. {sentence} After it, number {at}."
        chunk = Chunk(f"chunk{at}", "doc.md", 0, len(text), "text", "Item 7", text, 20, title=f"Report on {word}")
        start = text.index(sentence)
        asked = f"What was the {word} in fiscal 2024, of company {at}?"
        question = Question(
            f"q{at:04}", "p", "single" if at % 2 else "chain", asked, answer, ("47,500 million", "-47,500"), (),
            (chunk.chunk_id,), (sentence,), (Span(chunk.chunk_id, start, start + len(sentence)),), ("page 12",),
            domain="finance",
        )  # fmt: skip
        none = Variant(f"v{at}n", question.question_id, "query", "none", asked)
        typo = Variant(f"v{at}c", question.question_id, "query", "character", asked.replace("fiscal", "fisacl"))
        gone = text.replace(answer, "not stated")
        deleted = Variant(
            f"v{at}d", question.question_id, "document", "answer_deleted", gone, chunk.chunk_id, family="deletion"
        )
        found["questions"].append(question)
        found["chunks"].append(chunk)
        found["variants"] += [none, typo, deleted]
        found["hits"].append(
            Hits(
                f"h{at}",
                "bm25",
                none.variant_id,
                question.question_id,
                (f"chunk{(at + 1) % questions}", chunk.chunk_id),
                (2.0, 1.0),
            )
        )
        told = {"protocol": "rare", "question_id": question.question_id, "query_id": none.variant_id}
        one, gold = (1,), (chunk.chunk_id,)
        plain = {"cell": "gold", "given": "passages", "passage_ids": gold, "ranks": one, "document": "none"}
        plain |= {"gold": 1.0, **told}
        mine = [
            Trial(f"t{at}p", cell="probe", given="closed_book", **told),
            Trial(f"t{at}g", **plain),
            Trial(f"t{at}q", **{**plain, "query": "character", "query_id": typo.variant_id}),
            Trial(
                f"t{at}s",
                **{
                    **plain,
                    "cell": "lexical_similar",
                    "passage_ids": (deleted.variant_id,),
                    "document": "answer_deleted",
                    "gold": 0.0,
                },
            ),
            Trial(
                f"t{at}r",
                **{
                    **plain,
                    "cell": "retrieved",
                    "document": "",
                    "passage_ids": found["hits"][-1].chunk_ids,
                    "ranks": (1, 2),
                },
                retriever="bm25",
                k=2,
            ),
            Trial(f"t{at}x", cell="lexical_different", given="passages", skipped_because="no_back_translation", **told),
        ]
        found["trials"] += mine
        for system in SYSTEMS:
            for trial in mine:
                found["scores"].append(_score(trial, system, at, answer))
                if not trial.skipped_because:
                    said = answer if found["scores"][-1].value else "no such info"
                    found["answers"].append(
                        Answer(trial.trial_id, system, f"a{trial.trial_id}", f"It was {said}.", shown=1)
                    )
    return found


def _score(trial: Trial, system: str, at: int, answer: str) -> Score:
    told = (trial.trial_id, system, "rare", trial.question_id)
    if trial.skipped_because:
        return Score(*told, "skipped", why=trial.skipped_because)
    if trial.cell in ("probe", "lexical_similar"):
        return Score(*told, "scored", 0.0, refused=True, stage="refusal")
    if trial.query == "character" and system == "plain":
        return Score(*told, "scored", 0.0, stage="judge", why="another value", judge="a judge")
    if trial.cell == "retrieved" and at == 0:
        return Score(*told, "missing", why="unscored: no judge")
    return Score(*told, "scored", 1.0, stage="contained", matched=answer)


def tables(made: dict[str, list]) -> dict[str, pa.Table]:
    """The rows as tables."""
    return {name: to_table(made[name], row_type) for name, row_type in ROW_TYPES.items()}


@pytest.fixture
def told() -> dict:
    """What is said of an evaluation."""
    return meta()


@pytest.fixture
def numbers() -> list[Figure]:
    """Its numbers."""
    return figures()


@pytest.fixture
def made() -> Callable[..., dict[str, pa.Table]]:
    """Its tables, of as many questions as are asked for."""
    return lambda *args, **told: tables(rows(*args, **told))


@pytest.fixture
def changed() -> Callable[..., Figure]:
    """A number with other fields."""
    return lambda metric, value, slice_="all", **told: figure(metric, value, slice_, **told)


@pytest.fixture
def hostile() -> Callable[[str], tuple[dict, list[Figure], dict[str, pa.Table]]]:
    """An evaluation in which every text that comes from outside is this one."""

    def of(text: str) -> tuple[dict, list[Figure], dict[str, pa.Table]]:
        told = meta()
        told["benchmark"]["name"] = text
        told["systems"][text] = told["systems"].pop("plain")
        told["left_out"][0]["why"] = text
        told["funnel"][0]["reasons"] = {text: 2}
        option = {"name": text, "value": text, "tag": "open", "source": text, "description": text}
        told["protocols"]["sure"]["options"].append(option)
        told["package"]["rarefy"] = text
        numbers = [
            dataclasses.replace(one, system=text if one.system == "plain" else one.system, note=text, unit=text)
            for one in figures()
        ]
        numbers += [figure("Overall Robustness", 0.5, f"entity={text}", system=text), figure(text, 0.5, system=text)]
        found = rows(word=text, answer=text)
        found["chunks"] = [dataclasses.replace(one, section=text, doc_id=text) for one in found["chunks"]]
        found["answers"] = [
            dataclasses.replace(
                one, system=text if one.system == "plain" else one.system, text=f"{text} {text}", detail=text
            )
            for one in found["answers"]
        ]
        found["scores"] = [
            dataclasses.replace(one, system=text if one.system == "plain" else one.system, why=text, judge=text)
            for one in found["scores"]
        ]
        return told, numbers, tables(found)

    return of
