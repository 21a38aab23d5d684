"""Paths in, questions out: the pivot is described, the answer stands at the other end (RARE §3.4, R18-R22).

Rules word the question of each pattern, in English and of English passages, or a language model is asked (`ask.model`).
A path without a question comes as a rejected question with its reason.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Literal

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import (
    KINDS,
    MULTI_HOP,
    WORKED_OUT,
    Chunk,
    Document,
    Path,
    Question,
    Span,
    Triplet,
    row_id,
)
from rarefy.tasks.corpus.read.language import is_english
from rarefy.tasks.find import find
from rarefy.tasks.questions.ask.absent import absent
from rarefy.tasks.questions.ask.aliases import answer_aliases, company_names
from rarefy.tasks.questions.ask.ambiguous import second_value
from rarefy.tasks.questions.ask.computed import change, comparison, share, superlative
from rarefy.tasks.questions.ask.index import CorpusIndex, build_index, fact_of, places_of_evidence
from rarefy.tasks.questions.ask.listing import listing
from rarefy.tasks.questions.ask.patterns import Wording, chain, inverted_star, single, star

VERSION = 42  # properties name their table; deficits; names in rules; quarters end no year; square units


class AskConfig(BaseModel, frozen=True, extra="forbid"):
    """How questions are put."""

    writers: dict[str, str] = Field(
        {name: name for name in KINDS},
        description="by rules, who words the questions of each pattern or kind: a built-in name or module:function",
    )
    method: Literal["rules", "model"] = Field("rules", description="who asks: grammar, or the model of [llm]")
    temperature: float = Field(0.8, ge=0, description="of the model; RARE asks at 0.8")
    max_tokens: int = Field(1_000, ge=1, description="of one reply of the model")
    seed: int = Field(0, description="of the model, for a provider that takes one")
    worth: int = Field(
        4,
        ge=0,
        le=5,
        description="of what a model could ask about, the least worth (1-5) by its own word, which it is asked for "
        "first, many at once; what is worth less is not worded (of several facts at once: one less). 0: all is worded, "
        "and no such request is made",
    )
    sentences: int = Field(
        2,
        ge=1,
        description="sentences of a fact's paragraph that a model is shown with it, its own and those before it",
    )
    clues: Literal["names", "phrases"] = Field(
        "phrases",
        description="what a model may give of several facts: names; or also a phrase that few passages have "
        "(a situation, a document) and that is no name",
    )
    rivals: int = Field(
        3,
        ge=0,
        description="facts of other things that a model is shown beside one that answers a question of several facts, "
        "so that it knows which answers are left without the description",
    )
    per_passage: int = Field(
        2,
        ge=0,
        description="single facts of one passage that a model is asked about, each of another relation; with worth "
        "twice as many, and so many of one relation or of its tables, out of six times as many. 0: all",
    )


Writer = Callable[[Path, CorpusIndex], Wording]
WRITERS: dict[str, Writer] = {
    f.__name__: f for f in (single, chain, star, inverted_star, comparison, change, share, superlative, listing, absent)
}


def ask(
    paths: Iterable[Path],
    config: AskConfig,
    *,
    triplets: Mapping[str, Triplet],
    chunks: Mapping[str, Chunk],
    documents: Mapping[str, Document],
) -> Iterator[Question]:
    """One question for each path; one that cannot be worded comes rejected, with its reason and no text."""
    index = build_index(triplets, chunks, documents)
    writers = {pattern: find(name, WRITERS) for pattern, name in config.writers.items()}
    for path in paths:
        wording = writers[path.pattern](path, index)
        if wording.target:  # labels of tables and headings come in capitals; a model writes as it means
            wording = replace(wording, text=index.write_small(wording.text, wording.target.doc_id))
        question = make_question(path, wording, index)
        passages = [index.chunks[name] for name in {*path.chunk_ids, *question.chunk_ids}]
        of_english = config.writers[path.pattern] in WRITERS
        if not question.rejected_because and path.pattern != "absent":
            unclear = (second_value(index.triplets[name], index) for name in question.triplet_ids)
            question = replace(question, rejected_because=next(filter(None, unclear), ""))
        foreign = of_english and not all(is_english(passage.language) for passage in passages)
        yield replace(question, rejected_because="not_english") if foreign else question


def make_question(path: Path, wording: Wording, index: CorpusIndex) -> Question:
    """The question row of a wording, with its gold sentences, period and aliases."""
    if path.pattern == "absent":
        return _make_absent(path, wording, index)
    used = [*(index.triplets[i] for i in path.triplet_ids), *wording.restrictions]
    target = wording.target or index.triplets[path.triplet_ids[-1]]
    spans: list[Span] = []
    for triplet in used:
        if triplet.header:
            spans.append(Span(triplet.chunk_id, triplet.header_start, triplet.header_end))
        if triplet.group:
            spans.append(Span(triplet.chunk_id, triplet.group_start, triplet.group_end))
        spans.append(Span(triplet.chunk_id, triplet.start, triplet.end))
    spans += wording.naming
    spans = list(dict.fromkeys(spans))
    if path.pattern in WORKED_OUT:
        other: tuple[str, ...] = ()  # its wording knows them all
    elif wording.answer == target.answer:
        other = answer_aliases(target)
    else:
        other = tuple(sorted(company_names(wording.answer) - {wording.answer}))
    outdated = {a for old in index.restated.get(fact_of(target), ()) for a in (old.answer, *answer_aliases(old))}
    return Question(
        question_id=row_id("question", path.path_id, wording.text),
        path_id=path.path_id,
        pattern=path.pattern,
        text=wording.text,
        answer=wording.answer,
        aliases=tuple(dict.fromkeys(alias for alias in (*other, *wording.aliases) if alias not in outdated)),
        triplet_ids=tuple(t.triplet_id for t in used),
        chunk_ids=tuple(dict.fromkeys(span.chunk_id for span in spans)),
        evidence=tuple(index.chunks[s.chunk_id].text[s.start : s.end] for s in spans),
        evidence_spans=tuple(spans),
        evidence_places=places_of_evidence(spans, used, index),
        entity=target.entity,
        domain=path.domain,
        period=target.period,
        valid_from=target.period_end
        or index.documents[target.doc_id].period_end
        or index.documents[target.doc_id].as_of,
        latest=asks_for_latest(wording.text, target, used),
        pivot=path.pivot if path.pattern in MULTI_HOP else "",
        arithmetic=wording.arithmetic,
        chance=wording.chance,
        members=wording.members,
        language=index.chunks[target.chunk_id].language,
        rejected_because=wording.rejected_because or _wording_objection(wording),
    )


def _make_absent(path: Path, wording: Wording, index: CorpusIndex) -> Question:
    """The question row of an absence: the facts that it was modelled on, and no gold, since nothing answers it."""
    own = index.triplets[path.triplet_ids[-1]]
    return Question(
        question_id=row_id("question", path.path_id, wording.text),
        path_id=path.path_id,
        pattern=path.pattern,
        text=wording.text,
        answer=wording.answer,
        aliases=(),
        triplet_ids=path.triplet_ids,
        chunk_ids=(),
        evidence=(),
        evidence_spans=(),
        entity=own.entity,
        domain=path.domain,
        period=path.pivot,
        valid_from=index.documents[own.doc_id].as_of or index.documents[own.doc_id].period_end,
        language=index.chunks[own.chunk_id].language,
        rejected_because=wording.rejected_because or _wording_objection(wording),
    )


def _wording_objection(wording: Wording) -> str:
    """Why a wording makes no question: it has no text, or its fact's sentence does not name the answer.

    "Our subsidiary Hillshire Brands" says whose subsidiary that is, and has no word of its name.
    """
    return "no_wording" if not wording.text.strip() else "answer_not_named" if not wording.answer.strip() else ""


_OF_A_RECORD = frozenset(("deadline", "reading"))  # methods whose questions name their document
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def asks_for_latest(text: str, target: Triplet, used: Iterable[Triplet]) -> bool:
    """Whether the wording names no period for the answer, the names of things apart ("2.000% Notes due 2027")."""
    if not text or target.method in _OF_A_RECORD or (target.period and target.period in text):
        return False
    names = {name for fact in used for name in (fact.subject, fact.object) if name}
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, " ")
    return not _YEAR.search(text)
