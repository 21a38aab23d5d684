"""Writes hits and gold chunks as TREC run and qrels files."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from rarefy.data_contracts.rows import Hits, Question, Variant

SIDES = ("query",)


def write_run(path: Path, hits: Iterable[Hits], tag: str = "") -> int:
    """Write the hits as lines `query Q0 passage rank score tag`; return their number.

    The tag is the retriever's name by default. ValueError where the hits are of two retrievers.
    """
    lines = 0
    of: set[str] = set()
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in hits:
            of.add(row.retriever)
            if len(of) > 1:
                raise ValueError(f"{path}: a run is of one retriever, these hits are of {', '.join(sorted(of))}")
            name = tag or row.retriever.replace(" ", "_")
            for rank, (chunk_id, score) in enumerate(zip(row.chunk_ids, row.scores, strict=True), 1):
                file.write(f"{row.query_id} Q0 {chunk_id} {rank} {score!r} {name}\n")
                lines += 1
    return lines


def write_qrels(path: Path, questions: Mapping[str, Question], variants: Iterable[Variant]) -> int:
    """Write `query hop passage 1` for each gold chunk of each accepted wording, and for all that state the same.

    Return the number of lines. The second column, which tools of TREC do not read, numbers the gold chunks from 0: of
    the passages with one number any is enough.

    An accepted question without an unperturbed variant stands under its own id.
    """
    lines = 0
    worded = set()
    with path.open("w", encoding="utf-8", newline="\n") as file:

        def gold(query_id: str, question: Question) -> int:
            relevant = [(at, name) for at, hop in enumerate(question.gold) for name in sorted(hop)]
            file.writelines(f"{query_id} {at} {name} 1\n" for at, name in relevant)
            return len(relevant)

        for row in variants:
            question = questions.get(row.question_id)
            if row.side in SIDES and not row.rejected_because and question and not question.rejected_because:
                worded |= {row.question_id} if row.perturbation == "none" else set()
                lines += gold(row.variant_id, question)
        for name, question in questions.items():
            if name not in worded and not question.rejected_because:
                lines += gold(name, question)
    return lines
