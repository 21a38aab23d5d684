"""Reads and writes hits and gold chunks as TREC run and qrels files."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from rarefy.data_contracts.rows import Hits, Question, Variant, row_id

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


def read_run(path: Path, queries: Mapping[str, str] | None = None) -> Iterator[Hits]:
    """Yield the hits of a run file, queries in the file's order, best rank first; `best` stays empty.

    `queries` maps query_id to question_id; without an entry they are the same. ValueError names a malformed line.
    """
    by_query: dict[str, list[tuple[int, str, float]]] = {}
    tags: dict[str, str] = {}
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                query, _, passage, rank, score, tag = line.split()
                by_query.setdefault(query, []).append((int(rank), passage, float(score)))
                tags[query] = tag
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: no `query Q0 passage rank score tag` ({error})") from None
    for query, rows in by_query.items():
        rows.sort()
        name = tags[query]
        yield Hits(
            row_id("hits", name, query),
            name,
            query,
            (queries or {}).get(query, query),
            tuple(passage for _, passage, _ in rows),
            tuple(score for _, _, score in rows),
        )


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
