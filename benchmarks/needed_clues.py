"""python -m rarefy.benchmarks.needed_clues BENCH QUESTIONS.jsonl: is a clue needed to find the answer's passage?

Per pattern: how many accepted questions have the answer's chunk among BM25's first ten, as asked and with the described
holder replaced by "a company" or "a segment"; and how many have all gold chunks there. Hits must fall with the clue.
"""

import json
import re
import sys
from collections import defaultdict
from pathlib import Path

import pyarrow.parquet as pq

from rarefy.data_contracts.rows import Chunk, Triplet
from rarefy.data_contracts.tables import from_table
from rarefy.tasks.questions.gates.corpus import _tokens

DEPTH = 10
# from the noun of the holder to the end of its clause; what is asked stands apart
ACT = r" report| have | spend | pay | receive | repay | generate | use |\?"
HOLDER = re.compile(
    r"\bthe (?:\S+ ){0,4}?(?P<noun>company|body|segment|line of business|geographic area) (?:"
    rf"with (?!which).*?(?={ACT})|(?:that|whose|one of whose|with which|by which|run|led|behind|headquartered|based"
    rf"|incorporated|listed|audited)\b.*?(?= in fiscal (?:year )?\d{{4}}\?|{ACT}))"
    rf"|\b\S+(?: & \S+)?['’]s? (?:largest|smallest) (?P<sized>segment|line of business) by .*?(?={ACT})"
)
_NAME = r"(?!In |At )[A-Z]\S*(?: [A-Z&]\S*)*"
_SPAN = r"(?:between fiscal \d{4} and \d{4}|from fiscal \d{4} to \d{4})"
YEAR = re.compile(
    rf"\bthe year (?:(?P<who>{_NAME})(?:['’]s?)? |its? )[^?]*?{_SPAN}"
    rf"|\bthe year {_SPAN} when (?:(?P<whose>{_NAME}) |it )[^,?]*"
    rf"|(?:(?P<its>{_NAME})['’]s?|\bits) (?:best|weakest) year for [^?]*?{_SPAN}"
)


def cut_clue(text: str) -> str:
    """A question with the described holder, or year, as any one."""

    def year(found: re.Match[str]) -> str:
        name = found["who"] or found["whose"] or found["its"]
        return f"a year of {name}" if name else "a year"

    text = YEAR.sub(year, text)
    return HOLDER.sub(lambda found: f"a {found['noun'] or found['sized']}", text)


def main(bench: str, questions: str) -> None:
    """Print the hits of every pattern with and without its clue."""
    import bm25s

    chunks = {row.chunk_id: row for row in from_table(pq.read_table(Path(bench) / "chunks.parquet"), Chunk)}
    triplets = {row.triplet_id: row for row in from_table(pq.read_table(Path(bench) / "triplets.parquet"), Triplet)}
    names = sorted(chunks)
    index = bm25s.BM25()
    index.index(_tokens([chunks[name].text for name in names]), show_progress=False)

    def found(texts: list[str]) -> list[set[str]]:
        rows, _ = index.retrieve(_tokens(texts), k=DEPTH, show_progress=False, backend_selection="numpy")
        return [{names[i] for i in row} for row in rows]

    groups = defaultdict(list)
    with Path(questions).open() as lines:
        for question in map(json.loads, lines):
            if question["pattern"] in ("chain", "star") and not question["rejected_because"]:
                cut = cut_clue(question["text"])
                clue = triplets[question["triplet_ids"][0]]
                kind = "by a figure" if clue.value else "by a thing"
                groups[question["pattern"], kind].append((question, cut))
    for group, asked in sorted(groups.items()):
        uncut = sum(question["text"] == cut for question, cut in asked)
        hits = [found([question["text"] for question, _ in asked]), found([cut for _, cut in asked])]
        answers = [answer_chunk(question, triplets) for question, _ in asked]
        at_answer = [sum(a in row for a, row in zip(answers, rows, strict=True)) for rows in hits]
        at_all = [sum(row.issuperset(q["chunk_ids"]) for (q, _), row in zip(asked, rows, strict=True)) for rows in hits]
        print(*group, f"{len(asked)} questions ({uncut} not cut)", end=": ")
        print(f"answer's chunk {at_answer[0]} → {at_answer[1]}, all gold chunks {at_all[0]} → {at_all[1]}")


def answer_chunk(question: dict[str, list[str]], triplets: dict[str, Triplet]) -> str:
    """The chunk of the fact that answers; of the facts on the path the first whose answer is the question's."""
    used = [triplets[name] for name in question["triplet_ids"]]
    return next((fact.chunk_id for fact in used[1:] if fact.answer == question["answer"]), used[-1].chunk_id)


if __name__ == "__main__":
    main(*sys.argv[1:3])
