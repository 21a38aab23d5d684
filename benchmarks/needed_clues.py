"""python -m rarefy.benchmarks.needed_clues BENCH: is a clue needed to find what a question takes?

Per pattern: of how many accepted questions plain BM25's first ten hold the answer's passage, and all that the question
takes, as asked and with the described holder replaced by "a company" or "a segment". A passage that is credited as
gold is as good as the one that was drawn.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

from rarefy.data_contracts.rows import Chunk, Question, Triplet, is_found
from rarefy.flows.mix import read_rows
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
_OF_TWO = r"the (?:larger|smaller) of .*? by|the one (?:with|that spent)|whichever of"
PAIR = re.compile(rf"\b(?:{_OF_TWO}) .*?(?= in fiscal| that year|{ACT})")
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
    text = re.sub(r"^Between .*?, (w|h)(?=hat|ow )", lambda first: first[1].upper(), PAIR.sub("a company", text))
    return HOLDER.sub(lambda found: f"a {found['noun'] or found['sized']}", text)


def main(bench: str) -> None:
    """Print the hits of every pattern with and without its clue."""
    import bm25s

    chunks = {row.chunk_id: row for row in read_rows(Path(bench), Chunk)}
    triplets = {row.triplet_id: row for row in read_rows(Path(bench), Triplet)}
    names = sorted(chunks)
    index = bm25s.BM25()
    index.index(_tokens([chunks[name].text for name in names]), show_progress=False)

    def find(text: str) -> set[str]:
        rows, _ = index.retrieve(_tokens([text]), k=DEPTH, show_progress=False, backend_selection="numpy")
        return {names[place] for place in rows[0]}

    asked = defaultdict(list)
    for question in read_rows(Path(bench), Question):
        if question.pattern in ("chain", "star") and not question.rejected_because:
            kind = "by a figure" if triplets[question.triplet_ids[0]].value else "by a thing"
            asked[question.pattern, kind].append(question)
    for group, questions in sorted(asked.items()):
        cut = [cut_clue(question.text) for question in questions]
        uncut = sum(question.text == text for question, text in zip(questions, cut, strict=True))
        print(*group, f"{len(questions)} questions ({uncut} not cut)", end=": ")
        found = [[find(question.text) for question in questions], [find(text) for text in cut]]
        whole = [sum(map(is_answered, questions, hits)) for hits in found]
        answers = [sum(has_answer(q, triplets, hit) for q, hit in zip(questions, hits, strict=True)) for hits in found]
        print(f"answer's passage {answers[0]} → {answers[1]}, all that it takes {whole[0]} → {whole[1]}")


def is_answered(question: Question, hits: set[str]) -> bool:
    """Whether some passages state all that a question takes."""
    return all(is_found(hop, hits) for hop in question.hops)


def has_answer(question: Question, triplets: dict[str, Triplet], hits: set[str]) -> bool:
    """Whether some passages state the fact that answers: of those on the path the first with the question's answer."""
    used = [triplets[name] for name in question.triplet_ids]
    chunk = next((fact.chunk_id for fact in used[1:] if fact.answer == question.answer), used[-1].chunk_id)
    at = list(dict.fromkeys(question.chunk_ids)).index(chunk)
    return is_found(question.hops[at], hits)


if __name__ == "__main__":
    main(sys.argv[1])
