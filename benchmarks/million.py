"""A corpus of very many small documents: memory of the process that leads, Prefect task runs, seconds by stage.

python benchmarks/million.py --documents 1000000 --workers simulated [--folder /dev/shm/million]

What lies before and behind the workers is the real thing: listing, cutting into portions, gathering, contracts, stages
over whole tables, export. `--workers simulated` takes the work on single documents out: two processes write what
reading, chunking and extraction would have written, as real tables under real recipes, from the same rows
(`--workers 2` does the work). A document is some 60 words with two or three facts; all of it is drawn from its number.
"""

import json
import re
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from measuring import make_parser, resident_memory

SHARD = 10_000  # documents in a file
NAMES = "Alder Birch Cedar Dorset Easton Fulton Garnet Harlow Ivers Jasper Kendal Linton Marlow Norden Penrose".split()
KINDS = "Foods Motors Steel Energy Pharma Software Paper Shipping Foundry Textiles Glass Optics Mining Airlines".split()
CITIES = "Oslo Bergen Turku Malmo Visby Riga Gdansk Kiel Aarhus Vaasa Lyon Porto Graz Basel Leeds Cork".split()
FIRST = "Ann Bo Carla Dan Eva Finn Greta Hans Ida Jon Karin Lars Mona Nils Olga Per".split()
LAST = "Berg Dahl Ek Falk Grahn Holm Krantz Lind Moberg Nord Palm Rask Sand Strand Vik Wall".split()
SYLLABLES = "ba ce di fo gu la me ni po ru sa te vi wo ja ke".split()
FACT = re.compile(
    r"^(?:(?P<who>.+) reported revenue of (?P<amount>\$[\d.]+ million) for fiscal year (?P<year>\d{4})"
    r"|(?P<whose>.+) is headquartered in (?P<city>\w+)|(?P<person>.+) is the chief executive officer of (?P<of>.+))\.$"
)


def make_text(number: int) -> tuple[str, str]:
    """Title and text of a document."""
    random, shared = Random(number), Random(-1 - number // 4)  # four documents speak of one company
    name = _word(shared, 3).title()
    company = f"{shared.choice(NAMES)} {name} {shared.choice(KINDS)}"
    year, city = 2016 + number % 4, shared.choice(CITIES)
    person = f"{random.choice(FIRST)} {_word(random, 2).title()} {random.choice(LAST)}"
    amount = f"${random.randrange(1_000, 999_990) / 10:.1f} million"
    seat = f"{company} is headquartered in {city}. " if number % 4 == 0 else ""
    filler = " ".join(_word(random, random.choice((2, 3))) for _ in range(36))
    return (
        f"{company}, notice {number}",
        f"{company} reported revenue of {amount} for fiscal year {year}. {seat}"
        f"{person} is the chief executive officer of {company}. The notice goes on: {filler}.",
    )


def _word(random: Random, syllables: int) -> str:
    return "".join(random.choices(SYLLABLES, k=syllables))


def write_corpus(folder: Path, documents: int) -> Path:
    """Files of JSON lines."""
    folder.mkdir(parents=True, exist_ok=True)
    for shard in range(0, documents, SHARD):
        place = folder / f"notices-{shard // SHARD:05}.jsonl"
        if place.exists():
            continue
        with place.open("w", encoding="utf-8") as file:
            for number in range(shard, min(shard + SHARD, documents)):
                title, text = make_text(number)
                file.write(json.dumps({"id": f"notice-{number:08}", "title": title, "text": text}) + "\n")
    return folder


# --- workers that write what the work would have come to -------------------------------------------------------------


def run_simulated(job: Any, parts: Any, store: str, means: Any = None) -> Iterator[tuple[int, dict[str, str]]]:
    """As rarefy.flows.engine.workers.Workers: two processes, no model, no parser, no tokenizer on single documents."""
    with ProcessPoolExecutor(2, get_context("spawn")) as pool:  # a fork would take this process's memory with it
        some = [range(start, min(start + 64, len(parts))) for start in range(0, len(parts), 64)]
        sent = [pool.submit(_several, job, [(place, parts[place]) for place in places], store) for places in some]
        for future in as_completed(sent):
            yield from future.result()


def _several(job: Any, parts: Any, store: str) -> list[tuple[int, dict[str, str]]]:
    from rarefy.tasks.store.tables import Store

    place = Store(store)
    if job.stage not in STUBS:
        from rarefy.tasks.store.recipe import make

        return [(at, make(part, job, store)) for at, part in parts]
    return [(at, place.put(job.recipe(part), STUBS[job.stage](job, part, place))) for at, part in parts]


def _read(job: Any, part: Any, store: Any) -> dict[str, Any]:
    from rarefy.data_contracts.rows import Block, Document, Quarantined, row_id
    from rarefy.data_contracts.tables import to_table

    rows = []
    with Path(part["source"].location).open(encoding="utf-8") as file:
        for at, line in enumerate(file, 1):
            one = json.loads(line)
            name, where = one["id"], f"{part['source'].path}#{at}"
            text = one["text"]
            blocks = (Block("text", 0, len(text)),)
            rows.append(Document(name, row_id(text), where, one["title"], "application/jsonl", text, blocks))
    return {"documents": to_table(rows, Document), "quarantine": to_table([], Quarantined)}


def _chunk(job: Any, part: Any, store: Any) -> dict[str, Any]:
    from rarefy.data_contracts.rows import Chunk, Document, row_id
    from rarefy.data_contracts.tables import from_table, to_table

    rows = [
        Chunk(
            row_id("chunk", one.doc_id, one.text),
            one.doc_id,
            0,
            len(one.text),
            "text",
            "",
            one.text,
            120,
            title=one.title,
        )
        for one in from_table(store.table(part["documents"]), Document)
    ]
    return {"chunks": to_table(rows, Chunk)}


def _extract(job: Any, part: Any, store: Any) -> dict[str, Any]:
    from rarefy.data_contracts.rows import Chunk, Triplet
    from rarefy.data_contracts.tables import from_table, to_table

    rows = [row for chunk in from_table(store.table(part["chunks"]), Chunk) for row in _facts(chunk, Triplet)]
    return {kind: to_table(rows if kind == "triplets" else [], row_type) for kind, row_type in job.makes.items()}


def _facts(chunk: Any, row_type: Any) -> Iterator[Any]:
    from rarefy.data_contracts.rows import row_id

    start = 0
    for sentence in chunk.text.replace(". ", ".\n").split("\n"):
        end = start + len(sentence)
        if found := FACT.match(sentence):
            told = found.groupdict()
            year = told["year"] or ""
            if told["who"]:
                what = (told["who"], "reported revenue of", told["amount"], "MONEY")
            elif told["whose"]:
                what = (told["whose"], "is headquartered in", told["city"], "TEXT")
            else:
                what = (told["person"], "is officer of", told["of"], "NAME")
            subject, relation, thing, kind = what
            yield row_type(
                row_id("triplet", chunk.chunk_id, start, relation),
                chunk.chunk_id,
                chunk.doc_id,
                start,
                end,
                subject,
                relation,
                thing,
                sentence,
                "prose",
                subject_type="NAME",
                object_type=kind,
                answer=thing,
                value=f"{float(thing[1:-8]) * 1e6:.0f}" if kind == "MONEY" else "",
                unit="USD" if kind == "MONEY" else "",
                period=f"fiscal year {year}" if year else "",
                period_end=f"{year}-12-31" if year else "",
            )
        start = end + 1


STUBS = {"read": _read, "chunk": _chunk, "extract": _extract}


# --- what is measured ------------------------------------------------------------------------------------------------


@dataclass
class Seen:
    """Every stage with its seconds, processor seconds of this process, and the most memory that it held meanwhile."""

    rows: list[tuple[str, float, float, float]] = field(default_factory=list)
    peak: float = 0.0
    out: Path | None = None

    def watch(self) -> None:
        """Look at this process twenty times a second."""

        def look() -> None:
            while True:
                self.peak = max(self.peak, resident_memory())
                time.sleep(0.05)

        threading.Thread(target=look, daemon=True).start()

    def stage(self, name: str, work: Any) -> Any:
        """What `work` gives, measured."""
        self.peak = resident_memory()
        began, spent = time.monotonic(), time.process_time()
        try:
            return work()
        finally:
            row = (name, time.monotonic() - began, time.process_time() - spent, max(self.peak, resident_memory()))
            self.rows.append(row)
            print(f"  {name:<32} {row[1]:9.1f} s {row[2]:9.1f} s CPU {row[3]:9.0f} MiB", flush=True)


def main() -> None:
    """Build, and print what it took."""
    parser = make_parser(__doc__)
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--workers", default="simulated", help="simulated, or a number of processes")
    parser.add_argument("--folder", type=Path, default=Path("/tmp/million"))
    parser.add_argument("--until", default="", help="stage after which to stop")
    parser.add_argument("--quotas", type=int, default=500, help="paths wanted per pattern")
    parser.add_argument("--plain", action="store_true", help="no flow: the number of task runs is that of stages")
    options = parser.parse_args()
    began = time.monotonic()
    place = write_corpus(options.folder / f"corpus-{options.documents}", options.documents)
    print(f"{options.documents:,} documents in {len(list(place.iterdir())):,} files: {time.monotonic() - began:.0f} s")
    from rich.console import Console

    from rarefy.flows import build as building
    from rarefy.flows.config import Config
    from rarefy.flows.engine.progress import ProgressBoard
    from rarefy.flows.engine.run import Run
    from rarefy.flows.engine.workers import connect_workers
    from rarefy.flows.models.accounting import inference_context
    from rarefy.tasks.store.tables import Store

    patterns = dict.fromkeys(("single", "star", "chain", "inverted_star"), options.quotas)
    config = Config.model_validate({"graph": {"quotas": patterns}})
    config = config.model_copy(
        update={"perturb": config.perturb.model_copy(update={"query": ("character",), "document": (), "context": ()})}
    )
    seen = Seen()
    real = Run.stage

    class Stopped(Exception):
        pass

    def stage(self: Run, name: str, work: Any) -> Any:
        made = seen.stage(name, lambda: real(self, name, work))
        if name == options.until:
            raise Stopped
        return made

    Run.stage = stage  # type: ignore[method-assign]
    seen.watch()
    out, store = options.folder / f"out-{options.documents}", options.folder / f"store-{options.documents}"
    workers = 0 if options.workers == "simulated" else int(options.workers)

    def work() -> None:
        with connect_workers(workers, "", config.cluster) as hands:
            run = Run(
                Store(store),
                ProgressBoard(Console(stderr=True), True),
                hands,
                inference_context(config, "million", 0, 0.0),
            )
            if options.workers == "simulated":
                run = replace(run, workers=run_simulated)
            try:
                building.build_benchmark(run, str(place), str(out), config)
            except Stopped:
                print(f"stopped after {options.until}")

    began = time.monotonic()
    if options.plain:
        work()
    else:
        from prefect import flow

        flow(work, name="million", persist_result=False)()
    total = time.monotonic() - began
    sizes = [path.stat().st_size for path in store.rglob("*") if path.is_file()]
    files, size = len(sizes), sum(sizes)
    print(
        f"{options.documents:,} documents: {total:.0f} s, {len(seen.rows)} Prefect task runs, at most "
        f"{max(row[3] for row in seen.rows):,.0f} MiB; store: {files:,} files, {size / 2**20:,.0f} MiB"
    )
    (options.folder / f"stages-{options.documents}-{options.workers}.json").write_text(json.dumps(seen.rows))


if __name__ == "__main__":
    main()
