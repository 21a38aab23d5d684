"""The reply cache: how fast it fills, how large it is, and how long a hit, a miss, a batch and a limit take.

python benchmarks/reply_cache.py                       1,000,000 replies in SQLite, in a temporary folder
python benchmarks/reply_cache.py --entries 100000
python benchmarks/reply_cache.py --books postgresql://user@host/database   (leaves its replies there)
"""

import json
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from measuring import make_parser, peak_memory

from rarefy.data_contracts.rows import Message, Reply, Request, row_id
from rarefy.tasks.models.llm.reply_store import Call, StoredReply, open_reply_store, reply_key

IDENTITY = {"model": "some/model-of-8b", "structured": "auto", "extra": {}}
BATCH = 256
WORDS = (
    "revenue income operating segment fiscal quarter increased decreased million billion net sales cost margin data "
    "center the of in and to by was were from for on with company products services customers demand compared year"
).split()


def make_entry(i: int) -> tuple[Call, StoredReply]:
    """A reply of about 1.5 kB, as a stage that asks for triplets gets it, with its line of the ledger."""
    randomly = random.Random(i)
    said = [
        {
            "subject": f"Company {randomly.randrange(5_000)}",
            "relation": " ".join(randomly.choices(WORDS, k=3)),
            "object": f"${randomly.randrange(10_000_000) / 100:,.2f} million",
            "source_sentence": " ".join(randomly.choices(WORDS, k=24)),
        }
        for _ in range(5)
    ]
    asked = Request(
        row_id("benchmark", i),
        (Message("system", "You extract triplets. " * 20), Message("user", f"Chunk {i}: {said[0]['source_sentence']}")),
    )
    name, made_of = reply_key(IDENTITY, asked)
    text = json.dumps({"triplets": said})
    reply = Reply(asked.request_id, text, finish_reason="stop", prompt_tokens=2_100, completion_tokens=380, model="m")
    return Call("benchmark", "extract", "m", asked.request_id, "answered", "clean", 2_100, 380), StoredReply(
        name, made_of, reply
    )


def format_timing(work: Callable[[int], object], times: int) -> str:
    """Median and 99th percentile, in microseconds."""
    taken = []
    for i in range(times):
        began = time.perf_counter_ns()
        work(i)
        taken.append(time.perf_counter_ns() - began)
    taken.sort()
    return f"{taken[times // 2] / 1000:10,.0f} µs {taken[times * 99 // 100] / 1000:10,.0f} µs"


def main() -> None:
    parser = make_parser(__doc__)
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--asked", type=int, default=10_000, help="how often each thing is timed")
    parser.add_argument("--books", default="", help="URL; default: SQLite in a temporary folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        books = open_reply_store(options.books, Path(folder))
        keys: list[str] = []
        characters, spent, began = 0, 0.0, time.perf_counter()
        for at in range(0, options.entries, BATCH):
            made = [make_entry(i) for i in range(at, min(at + BATCH, options.entries))]
            keys += [kept.key for _, kept in made]
            characters += sum(len(kept.reply.text) for _, kept in made)
            start = time.perf_counter()
            books.keep([call for call, _ in made], [kept for _, kept in made])
            spent += time.perf_counter() - start
        print(f"{options.entries:,} replies of {characters / options.entries:,.0f} characters")
        print(f"filled in            {spent:,.0f} s, {options.entries / spent:,.0f} a second", end=" ")
        print(f"({time.perf_counter() - began:,.0f} s with making them up)")
        if not options.books:
            size = sum(path.stat().st_size for path in Path(folder).iterdir())
            print(
                f"size                 {size / 1e6:,.0f} MB, {size / options.entries:,.0f} bytes each with its ledger"
            )
        print(f"{'':<20} {'median':>13} {'99th':>13}")
        randomly = random.Random(1)
        asked = [[randomly.choice(keys)] for _ in range(options.asked)]
        misses = [f"{randomly.getrandbits(128):032x}" for _ in range(options.asked)]
        blocks = [randomly.choices(keys, k=BATCH) for _ in range(options.asked // 50)]
        more = [[make_entry(options.entries + 64 * i + j) for j in range(64)] for i in range(options.asked // 50)]
        limits = (10**9, 10**12)
        some = max(options.asked // 50, 1)

        def keep(i: int) -> None:
            books.keep([call for call, _ in more[i]], [kept for _, kept in more[i]])

        def look(i: int) -> None:
            assert books.find(asked[i])

        print(f"{'a hit':<20} {format_timing(look, options.asked)}")
        print(f"{'a miss':<20} {format_timing(lambda i: books.find([misses[i]]), options.asked)}")
        print(f"{f'{BATCH} hits at once':<20} {format_timing(lambda i: books.find(blocks[i]), some)}")
        print(f"{'64 kept at once':<20} {format_timing(keep, some)}")
        pace = format_timing(lambda i: books.pace("m", 1, 900, limits, time.time()), some * 10)
        print(f"{'a turn in the limits':<20} {pace}")
        print(f"{'a reservation':<20} {format_timing(lambda i: books.reserve('r', 5, limits), some * 10)}")
        print(f"{'its end':<20} {format_timing(lambda i: books.settle('r', 2), some * 10)}")
        print(f"{'sums of the ledger':<20} {format_timing(lambda i: books.usage('benchmark'), 3)}")
        print(f"{'what made a key':<20} {format_timing(lambda i: books.explain(asked[i][0][:12]), some)}")
    print(f"memory at most       {peak_memory():,.0f} MiB")


if __name__ == "__main__":
    main()
