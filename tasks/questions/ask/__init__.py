"""Questions from patterns, by grammar: the pivot is described, the answer at the other end (RARE §3.4, R18-R22)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Chunk, Document, Path, Question, Span, Triplet, row_id
from rarefy.tasks.find import find
from rarefy.tasks.questions.ask.aliases import aliases, names
from rarefy.tasks.questions.ask.chain import chain
from rarefy.tasks.questions.ask.index import Index, fact_of, index
from rarefy.tasks.questions.ask.inverted_star import inverted_star
from rarefy.tasks.questions.ask.latest import latest
from rarefy.tasks.questions.ask.single import single
from rarefy.tasks.questions.ask.star import star
from rarefy.tasks.questions.ask.wording import Wording

VERSION = 9


class AskConfig(BaseModel, frozen=True, extra="forbid"):
    """How questions are put."""

    writers: dict[str, str] = Field(
        {"single": "single", "chain": "chain", "star": "star", "inverted_star": "inverted_star"},
        description="by rules, who words the questions of each pattern: a built-in name or module:function",
    )
    method: Literal["rules", "model"] = Field("rules", description="who asks: grammar, or the model of [llm]")
    temperature: float = Field(0.8, ge=0, description="of the model; RARE asks at 0.8")
    max_tokens: int = Field(1_000, ge=1, description="of one reply of the model")
    seed: int = Field(0, description="of the model, for a provider that takes one")


Writer = Callable[[Path, Index], Wording]
WRITERS: dict[str, Writer] = {"single": single, "chain": chain, "star": star, "inverted_star": inverted_star}


def ask(
    paths: Iterable[Path],
    config: AskConfig,
    *,
    triplets: Mapping[str, Triplet],
    chunks: Mapping[str, Chunk],
    documents: Mapping[str, Document],
) -> Iterator[Question]:
    """One question for each path; one that cannot be worded comes rejected, with its reason and no text."""
    known = index(triplets, chunks, documents)
    writers = {pattern: find(name, WRITERS) for pattern, name in config.writers.items()}
    for path in paths:
        yield put(path, writers[path.pattern](path, known), known)


def put(path: Path, wording: Wording, known: Index) -> Question:
    """A question row of a wording: its gold sentences gathered, its period and aliases filled in."""
    used = [*(known.triplets[i] for i in path.triplet_ids), *wording.restrictions]
    target = wording.target or known.triplets[path.triplet_ids[-1]]
    spans: list[Span] = []
    for triplet in used:
        if triplet.header:
            spans.append(Span(triplet.chunk_id, triplet.header_start, triplet.header_end))
        if triplet.group:
            spans.append(Span(triplet.chunk_id, triplet.group_start, triplet.group_end))
        spans.append(Span(triplet.chunk_id, triplet.start, triplet.end))
    spans += wording.naming
    spans = list(dict.fromkeys(spans))
    other = (
        aliases(target) if wording.answer == target.answer else tuple(sorted(names(wording.answer) - {wording.answer}))
    )
    outdated = {a for old in known.restated.get(fact_of(target), ()) for a in (old.answer, *aliases(old))}
    return Question(
        question_id=row_id("question", path.path_id, wording.text),
        path_id=path.path_id,
        pattern=path.pattern,
        text=wording.text,
        answer=wording.answer,
        aliases=tuple(dict.fromkeys(alias for alias in (*other, *wording.aliases) if alias not in outdated)),
        triplet_ids=tuple(t.triplet_id for t in used),
        chunk_ids=tuple(dict.fromkeys(span.chunk_id for span in spans)),
        evidence=tuple(known.chunks[s.chunk_id].text[s.start : s.end] for s in spans),
        evidence_spans=tuple(spans),
        entity=target.entity,
        domain=path.domain,
        period=target.period,
        valid_from=target.period_end
        or known.documents[target.doc_id].period_end
        or known.documents[target.doc_id].as_of,
        latest=latest(wording.text, target, used),
        pivot=path.pivot if path.pattern != "single" else "",
        language=known.chunks[target.chunk_id].language,
        rejected_because=wording.rejected_because or _unasked(wording),
    )


def _unasked(wording: Wording) -> str:
    """Why a wording makes no question: it has no words, or its fact's sentence does not name what it asks for.

    "Our subsidiary Hillshire Brands" says whose subsidiary that is, and has no word of its name.
    """
    return "no_wording" if not wording.text.strip() else "answer_not_named" if not wording.answer.strip() else ""
