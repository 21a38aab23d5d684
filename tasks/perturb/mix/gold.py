"""What is known to be right about a question, to hold retrieved passages against."""

from dataclasses import dataclass

from rarefy.data_contracts.rows import Question
from rarefy.tasks.perturb.mix.corpus import Corpus
from rarefy.tasks.perturb.mix.statements import Statement, statement, statements
from rarefy.tasks.text.names import ENDING


@dataclass(frozen=True, slots=True)
class Hop:
    """The evidence of one gold chunk."""

    chunk_id: str
    pieces: tuple[str, ...]  # verbatim
    said: tuple[Statement, ...]  # without the headers of tables, unless there is nothing else


@dataclass(frozen=True, slots=True)
class Gold:
    """A question, its evidence, and what its documents say around it."""

    question: Question
    asked: Statement
    value: Statement  # the answer
    hops: tuple[Hop, ...]
    documents: frozenset[str]
    titles: frozenset[str]
    entity: frozenset[str]  # the words of its name
    reference: tuple[Statement, ...]  # of the gold chunks and those near them
    verbatim: frozenset[str]  # all that their documents say, folded


def gold_of(question: Question, corpus: Corpus, reach: int) -> Gold:
    """What is known of a question; where the corpus has not its gold chunks, its evidence alone."""
    gold = [corpus.chunks[name] for name in dict.fromkeys(question.chunk_ids) if name in corpus.chunks]
    hops = _hops(question)
    told = {hop.chunk_id for hop in hops}  # "" where a file does not say which chunk its evidence is of
    bare = [chunk for chunk in gold if chunk.chunk_id not in told and "" not in told]
    # a gold chunk of which no sentence is known to be the evidence, of "yes" or of a first hop, is gold as a whole
    whole = [Hop(chunk.chunk_id, (chunk.text,), tuple(statements(chunk.text))) for chunk in bare]
    around = {row.chunk_id: row for chunk in gold for row in corpus.around(chunk, reach)}
    return Gold(
        question=question,
        asked=statement(question.text),
        value=statement(question.answer),
        hops=(*hops, *whole),
        documents=frozenset(chunk.doc_id for chunk in gold),
        titles=frozenset(chunk.title for chunk in gold if chunk.title),
        entity=statement(ENDING.sub("", question.entity)).words,
        verbatim=frozenset().union(*(corpus.said(chunk.doc_id) for chunk in gold)),
        reference=tuple(said for chunk in around.values() for said in statements(chunk.text)),
    )


def _hops(question: Question) -> list[Hop]:
    of_chunk: dict[str, list[str]] = {}
    spans = question.evidence_spans
    for at, piece in enumerate(question.evidence):
        of_chunk.setdefault(spans[at].chunk_id if at < len(spans) else "", []).append(piece)
    found = []
    for chunk_id, pieces in of_chunk.items():
        rows = [piece for piece in pieces if piece.lstrip().startswith("|")]
        # of a table the last row is the one that says something; those before it are its header
        telling = [piece for piece in pieces if piece not in rows] or rows[-1:]
        found.append(Hop(chunk_id, tuple(pieces), tuple(said for piece in telling for said in statements(piece))))
    return found
