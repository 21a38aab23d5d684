"""Variants of questions, of gold chunks and of the passages around them, each with its proof (RARE §5, SURE §3)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, tee
from random import Random

from rarefy.data_contracts.rows import UNTRIED, Chunk, Pool, Question, Similarity, Span, Unanswered, Variant, row_id
from rarefy.tasks.models.llm import LLM, unanswered
from rarefy.tasks.models.nli import NLI
from rarefy.tasks.perturb import by_model
from rarefy.tasks.perturb.case import Case, Draft, Make
from rarefy.tasks.perturb.cases import cases
from rarefy.tasks.perturb.catalogue import chosen, maker, wanted
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.entry import Perturbation
from rarefy.tasks.perturb.means import lacking
from rarefy.tasks.perturb.proof import Embed, Proof, prove
from rarefy.tasks.perturb.spans import projected

BLOCK = 128  # questions worked on together: long enough batches for models, and little memory
SPARE = 3  # drafts tried for each passage that a pool asks for

_MISSED = "unanswered"


@dataclass(eq=False)
class _Search:
    """One case, its drafts to come, and what became of those that came."""

    case: Case
    drafts: Iterator[Draft]
    method: str
    reason: str = ""  # why there are none
    seen: set[str] = field(default_factory=set)
    kept: list[Variant] = field(default_factory=list)
    failed: list[Variant] = field(default_factory=list)
    alike: dict[str, Similarity] = field(default_factory=dict)  # by variant_id


def vary_with_similarities(
    questions: Iterable[Question],
    config: PerturbConfig,
    *,
    chunks: Mapping[str, Chunk],
    embed: Embed,
    pools: Mapping[str, Pool] | None = None,
    nli: NLI | None = None,
    llm: LLM | None = None,
    generator: LLM | None = None,
) -> Iterator[Variant | Similarity | Unanswered]:
    """The variants of each accepted question: itself (`none`), and what the config asks for, kept or rejected.

    After a variant that was compared with its original comes how alike the two are. The variant itself tells of that
    only on which side of the threshold it is, so that it is the same on every machine.

    A perturbation gives drafts until as many as wanted have passed its checks. Of several that are wanted, those that
    did not pass are rejected rows; where one is wanted and none of a few passed, one is: the first that only lacked
    likeness (`below_threshold`), else the first of all. Where there is no draft at all a row says why:
    `no_candidate`, `needs_model`, `needs_<program>`, `language`, `unanswered`. A question all of whose chunks must
    change loses the others with one (`other_chunk_rejected`).

    `nli` is needed where a perturbation wants entailment, `llm` with `config.by` "model"; ValueError without. Chunks
    of pools must be among `chunks`; without a pool there is no noise for a question (`no_candidate`).
    """
    entries = chosen(config)
    if config.by == "model" and llm is None and any(entry.role and not entry.generator for entry in entries):
        raise ValueError('perturb.by = "model" needs a model')
    known = pools or {}
    accepted = (question for question in questions if not question.rejected_because)
    while block := list(islice(accepted, BLOCK)):
        made: dict[str, list[Variant]] = {q.question_id: [_original(q)] for q in block}
        alike: dict[str, Similarity] = {}
        cut: dict[tuple[str, str, bool], list[Case]] = {}  # many perturbations change the same
        for entry in entries:
            model = generator if entry.generator else llm
            shape = (entry.side, entry.per, entry.alone)
            if shape not in cut:
                cut[shape] = [case for q in block for case in cases(q, entry, config, chunks, _pool(known, q))]
            todo = cut[shape]
            searches, missed = _begun(entry, todo, config, model)
            yield from missed
            yield from _search(entry, searches, config, embed, nli)
            of_question: dict[str, list[Variant]] = {}
            for search in searches:
                alike |= search.alike
                of_question.setdefault(search.case.question_id, []).extend(_found(entry, search, config))
            for question_id, variants in of_question.items():
                made[question_id] += _whole(variants) if entry.whole else variants
        for variants in made.values():
            for variant in _by_type(variants, entries) if config.all_subtypes else variants:
                yield variant
                if found := alike.get(variant.variant_id):
                    yield found


def vary(
    questions: Iterable[Question],
    config: PerturbConfig,
    *,
    chunks: Mapping[str, Chunk],
    embed: Embed,
    pools: Mapping[str, Pool] | None = None,
    nli: NLI | None = None,
    llm: LLM | None = None,
    generator: LLM | None = None,
) -> Iterator[Variant | Unanswered]:
    """The same without the similarities."""
    rows = vary_with_similarities(
        questions, config, chunks=chunks, embed=embed, pools=pools, nli=nli, llm=llm, generator=generator
    )
    return (row for row in rows if not isinstance(row, Similarity))


def _pool(pools: Mapping[str, Pool], question: Question) -> Pool | None:
    return pools.get(row_id("pool", question.question_id))


def _original(question: Question) -> Variant:
    return Variant(
        row_id(question.question_id, "query", "none", "", question.text), question.question_id, "query", "none",
        question.text,
    )  # fmt: skip


def _begun(
    entry: Perturbation, todo: Sequence[Case], config: PerturbConfig, model: LLM | None
) -> tuple[list[_Search], list[Unanswered]]:
    """A search for each case, and what a model was asked for them and did not answer."""
    asked = model if config.by == "model" and entry.role else None
    reasons = [lacking(entry, case, asked is not None) for case in todo]
    if asked is None:
        make: Make = maker(entry) if not all(reasons) else _nothing
        found = _drafts(entry, make, todo, config, reasons)
        return [
            _Search(case, drafts, entry.by, reason) for case, drafts, reason in zip(todo, found, reasons, strict=True)
        ], []
    searches: list[_Search] = []
    missed: dict[str, Unanswered] = {}  # by request: questions on one passage may share one
    for case, drafts, reply in by_model.drafts(entry, todo, config, asked):
        if reply.error and reply.request_id not in missed:
            about = f"{entry.name} {case.question_id} {case.chunk_id}".strip()
            missed[reply.request_id] = unanswered("vary", about, reply)
        searches.append(_Search(case, iter(drafts), "model", _MISSED if reply.error else ""))
    return searches, list(missed.values())


def _drafts(
    entry: Perturbation, make: Make, todo: Sequence[Case], config: PerturbConfig, reasons: Sequence[str]
) -> Iterator[Iterator[Draft]]:
    """The drafts of each case; what hangs on the passage alone is made once for all questions on it."""
    shared: dict[str, Iterator[Draft]] = {}
    for case, reason in zip(todo, reasons, strict=True):
        if reason:
            yield iter(())
            continue
        drafts = shared.get(case.case_id) or make(case, config, Random(row_id(case.case_id, entry.name)))
        if entry.alone:
            shared[case.case_id], drafts = tee(drafts)
        yield drafts


def _nothing(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    return iter(())


def _search(
    entry: Perturbation, searches: Sequence[_Search], config: PerturbConfig, embed: Embed, nli: NLI | None
) -> Iterator[Unanswered]:
    """Take drafts of all cases together until each has what it wants, or has no more; what no model judged is told."""
    want = wanted(entry, config)
    tries = config.candidates if want == 1 else SPARE * want
    waiting = list(searches)
    while waiting:
        drafts = [(search, draft) for search in waiting for draft in _next(search, want - len(search.kept), tries)]
        if not drafts:
            return
        proofs = prove(entry, [(search.case, draft) for search, draft in drafts], config, embed, nli)
        for (search, draft), proof in zip(drafts, proofs, strict=True):
            variant = _variant(entry, search, draft, proof)
            (search.failed if proof.reason else search.kept).append(variant)
            if proof.similarity is not None:
                search.alike[variant.variant_id] = Similarity(
                    variant.variant_id, "variant", proof.compared, proof.similarity
                )
            if proof.missed:
                about = f"entailment of {entry.name} {variant.question_id} {variant.chunk_id}".strip()
                name = row_id("unanswered", "vary", about, variant.variant_id)
                yield Unanswered(name, "vary", about, proof.missed, proof.detail, "")
        waiting = [search for search in waiting if len(search.kept) < want]


def _next(search: _Search, missing: int, tries: int) -> Iterator[Draft]:
    """The next drafts of a case, as many as it still misses, none of them twice."""
    for draft in search.drafts:
        if len(search.seen) >= tries:
            return
        if draft.text not in search.seen:
            search.seen.add(draft.text)
            yield draft
            missing -= 1
            if not missing:
                return


def _variant(entry: Perturbation, search: _Search, draft: Draft, proof: Proof) -> Variant:
    case = search.case
    chunk_id = draft.chunk_id or case.chunk_id
    spans = () if proof.reason or chunk_id != case.chunk_id else projected(case, draft)
    return Variant(
        variant_id=row_id(case.question_id, case.side, entry.name, chunk_id, draft.text),
        question_id=case.question_id,
        side=case.side,
        perturbation=entry.name,
        text=draft.text,
        chunk_id=chunk_id,
        number=len(search.failed if proof.reason else search.kept),
        family=entry.family,
        method=search.method,
        spans=tuple(Span(chunk_id, start, end) for start, end in spans),
        entailment=proof.entailment,
        checks=proof.checks,
        detail=proof.detail,
        rejected_because=proof.reason,
    )


def _found(entry: Perturbation, search: _Search, config: PerturbConfig) -> list[Variant]:
    """A case's rows: what passed, what did not where several were wanted, the best of it where one was, or why none."""
    if wanted(entry, config) > 1 and (search.kept or search.failed):
        return search.kept + search.failed
    if search.kept:
        return search.kept
    if search.failed:
        # the most alike would be the machine's choice where two differ in the last bits of a vector
        return [min(search.failed, key=lambda variant: variant.rejected_because != "below_threshold")]
    blank = Draft(search.case.text)
    return [_variant(entry, search, blank, Proof(search.reason or "no_candidate"))]


def _whole(variants: Sequence[Variant]) -> list[Variant]:
    failed = any(variant.rejected_because for variant in variants)
    return [
        replace(variant, rejected_because=variant.rejected_because or "other_chunk_rejected") if failed else variant
        for variant in variants
    ]


def _by_type(variants: Sequence[Variant], entries: Sequence[Perturbation]) -> Iterator[Variant]:
    """The variants, a chunk's of one SURE type rejected together where one subtype failed (SURE S6).

    A subtype that was not tried for want of a model or a language says nothing against the others.
    """
    types = {entry.name: entry.family for entry in entries if entry.paper.startswith("SURE")}
    tried = [v for v in variants if v.perturbation in types and not v.rejected_because.startswith(UNTRIED)]
    failed = {(v.chunk_id, types[v.perturbation]) for v in tried if v.rejected_because}
    for variant in variants:
        lost = not variant.rejected_because and (variant.chunk_id, types.get(variant.perturbation, "")) in failed
        yield replace(variant, rejected_because="other_subtype_rejected") if lost else variant
