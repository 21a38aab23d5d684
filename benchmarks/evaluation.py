"""Time and memory of an evaluation: 6,000 questions × 30 cells and a probe through an instant system (186,000 answers).

    python benchmarks/evaluation.py [--questions 6000] [--workers 2] [--draws 10000]

Retrieval is done: its rows are made up. The system says at once what a hash of its question says. First RARE from
trials to report, then the figures of all five protocols over the trials that they have of the same questions.
"""

import json
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

from measuring import make_parser

from rarefy.data_contracts.rows import Chunk, Hits, Question, Span, Variant, row_id
from rarefy.data_contracts.tables import to_table
from rarefy.flows.config import Config
from rarefy.flows.engine.aggregate import aggregate_scores, write_result
from rarefy.flows.engine.benchmark_folder import OpenedBenchmark, batch_evaluation
from rarefy.flows.engine.stages import answering, scoring, trying
from rarefy.flows.engine.workers import connect_workers
from rarefy.flows.evaluate import describe_result, gather_tables
from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.store.tables import Store

CHUNKS = 20_000
WORDINGS = ("none", "character", "word", "grammar", "irrelevant_detail", "upper_case", "paraphrase")
DOCUMENTS = {"answer_deleted": "deletion", "back_translation": "back_translation", "json": "format", "html": "format"}
CONTEXT = {"golden_passage": "golden", "distracting": "distracting", "irrelevant": "irrelevant"}
RETRIEVERS = ("bm25", "dense", "hybrid")


# what the system under test is: a module of its own, since workers import it too
INSTANT = """
from rarefy.data_contracts.rows import row_id


def instant(asked):
    dice = int(row_id(asked.query, len(asked.passages or ())), 16) % 10
    number = asked.query.partition("measure ")[2].partition(" ")[0]
    return f"${number} million" if dice < 7 and number.isdecimal() else "no such info" if dice < 8 else "$1 million"


instant.takes = ("closed_book", "passages")
"""


def make_benchmark(store: Store, questions: int) -> tuple[OpenedBenchmark, str]:
    """A benchmark of made-up rows, and its hits."""
    text = "In fiscal year 2024 the company had so much of it in total. " * 40
    chunks = [Chunk(row_id("c", n), f"d{n // 100}", 0, 9, "text", "", f"Chunk {n}. {text}", 600) for n in range(CHUNKS)]
    rows, variants, hits = [], [], []
    for n in range(questions):
        name, gold = row_id("q", n), chunks[n % CHUNKS]
        dice = Random(name)
        rows.append(
            Question(
                name,
                name,
                "single" if n % 2 else "chain",
                f"What was measure {n} of it?",
                f"${n} million",
                (),
                (),
                (gold.chunk_id,),
                (f"Chunk {n % CHUNKS}.",),
                (Span(gold.chunk_id, 0, 9),),
                entity=f"e{n % 200}",
                domain=("finance", "economics", "policy")[n % 3],
                split="test",
            )
        )
        variants += _variants(name, n, gold)
        for wording in (v for v in variants[-len(WORDINGS) - len(DOCUMENTS) - 3 * len(CONTEXT) :] if v.side == "query"):
            for retriever in RETRIEVERS:
                depth = 100 if wording.perturbation == "none" else 10  # as retrieve.depth and depth_reworded have it
                found = tuple(chunks[dice.randrange(CHUNKS)].chunk_id for _ in range(depth))
                ids = tuple(dict.fromkeys(found))
                scores = tuple(float(100 - place) for place in range(len(ids)))
                hit = row_id(retriever, wording.variant_id)
                hits.append(Hits(hit, retriever, wording.variant_id, name, ids, scores, ids[:3]))
    names = {
        "questions": store.keep(to_table(sorted(rows, key=lambda row: row.question_id), Question)),
        "variants": store.keep(to_table(variants, Variant)),
        "chunks": store.keep(to_table(chunks, Chunk)),
    }
    bench = OpenedBenchmark("made up", "0", "test", **names, asked=questions, of=questions, documents=CHUNKS // 100)
    return bench, store.keep(to_table(hits, Hits))


def _variants(name: str, n: int, gold: Chunk) -> Iterator[Variant]:
    for wording in WORDINGS:
        family = {"upper_case": "superficial", "paraphrase": "paraphrase"}.get(wording, "surface")
        text = f"What was measure {n} of it? {wording}".removesuffix(" none")
        yield Variant(row_id(name, wording), name, "query", wording, text, family=family)
    for document, family in DOCUMENTS.items():
        text = f"{document} {gold.text}"
        yield Variant(row_id(name, document), name, "document", document, text, gold.chunk_id, family=family)
    for passage, family in CONTEXT.items():
        for number in range(3):
            text = f"{passage} {number} {gold.text[:400]}"
            told = {"number": number, "family": family}
            yield Variant(row_id(name, passage, number), name, "context", passage, text, gold.chunk_id, **told)


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--questions", type=int, default=6_000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--draws", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store, out = Store(Path(folder, "store")), Path(folder, "out")
        os.environ["PYTHONPATH"] = folder
        sys.path.insert(0, folder)
        Path(folder, "instant_system.py").write_text(INSTANT)
        config = Config.model_validate({"statistics": {"draws": options.draws}, "correct": {"unmatched": "wrong"}})
        tested = {"instant": SystemConfig(kind="instant_system:instant", version="1")}
        bench, hits = make_benchmark(store, options.questions)
        parts = batch_evaluation(store, bench, hits)
        print(f"{'stage':<28} {'rows':>10} {'seconds':>9} {'processor':>9}")
        for chosen in (["rare"], list(PROTOCOLS)):
            began = time.perf_counter()
            with connect_workers(options.workers, "") as hands:
                tried = _each(store, hands, trying(config, chosen, ("closed_book", "passages")), parts)
                _say("trials", store, tried, "trials", began)
                began = time.perf_counter()
                answered = _each(store, hands, answering("instant", tested["instant"]), tried)
                _say("answers", store, answered, "answers", began)
                began = time.perf_counter()
                scored = _each(store, hands, scoring(config, "instant"), answered)
                _say("scores", store, scored, "scores", began)
            began = time.perf_counter()
            names = gather_tables(store, bench, tried, {"instant": scored})
            tables = {kind: store.table(name) for kind, name in names.items()}
            print(f"{'gather':<28} {tables['scores'].num_rows:>10,} {time.perf_counter() - began:>9.1f}")
            began, spent = time.perf_counter(), time.process_time()
            meta = describe_result(bench, config, tested, chosen, {})
            figures, told = aggregate_scores(tables, meta, config)
            seconds = (time.perf_counter() - began, time.process_time() - spent)
            print(f"{'figures':<28} {figures.num_rows:>10,} {seconds[0]:>9.1f} {seconds[1]:>9.1f}")
            began = time.perf_counter()
            write_result(out, {**tables, "figures": figures}, told, config)
            size = (out / "report.html").stat().st_size / 1e6
            print(f"{f'files, report {size:.1f} MB':<28} {'':>10} {time.perf_counter() - began:>9.1f}")
        most = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        print(
            json.dumps({"largest process, MiB": most // 1024, "questions": options.questions, "draws": options.draws})
        )


def _each(store, hands, job, parts):  # type: ignore[no-untyped-def]
    done = list(parts)
    for place, tables in hands(job, parts, store.url):
        done[place] = {**parts[place], **tables}
    return done


def _say(stage, store, parts, kind, began):  # type: ignore[no-untyped-def]
    rows = sum(store.rows(part[kind]) for part in parts)
    print(f"{stage:<28} {rows:>10,} {time.perf_counter() - began:>9.1f}", flush=True)


if __name__ == "__main__":
    main()
