"""Make and check variants of questions, gold chunks and the passages around them (RARE §5, SURE §3)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import islice, tee
from random import Random

from rarefy.data_contracts.rows import Chunk, Pool, Question, Similarity, Span, Unanswered, Variant, row_id
from rarefy.tasks.models.llm import LLM, unanswered
from rarefy.tasks.models.nli import NLI
from rarefy.tasks.perturb import model_drafts
from rarefy.tasks.perturb.case import Case, Draft, Make
from rarefy.tasks.perturb.catalogue import (
    Perturbation,
    choose_perturbations,
    count_wanted,
    find_missing_requirement,
    is_written_by_model,
    load_maker,
)
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.passages import find_passage
from rarefy.tasks.perturb.proof import Embed, Proof, check_rules, compare_meanings, is_embedded, measure_cosines
from rarefy.tasks.perturb.spans import project_spans
from rarefy.tasks.questions.operands import as_passages_state_it, operands_of
from rarefy.tasks.text.syntax.tree import parse_ahead

# Cases: what of a question is perturbed


def make_cases(
    question: Question,
    entry: Perturbation,
    config: PerturbConfig,
    chunks: Mapping[str, Chunk],
    pool: Pool | None,
) -> Iterator[Case]:
    """The cases of a question for a perturbation: the question, or a passage of each gold chunk or of the first."""
    case = Case(
        case_id=question.question_id,
        side=entry.side,
        text=question.text,
        question_id=question.question_id,
        question=question.text,
        answer=question.answer,
        aliases=question.aliases,
        evidence=question.evidence,
        golds=question.chunk_ids,
        entity=question.entity,
        domain=question.domain,
        language=question.language,
        pool=pool,
        chunks=chunks,
    )
    if entry.side == "query":
        yield case
        return
    stated = as_passages_state_it(question)
    computed = question if operands_of(question) else None
    case = replace(case, answer=stated.answer, aliases=stated.aliases, computed=computed)
    for chunk_id in dict.fromkeys(question.chunk_ids):
        chunk = chunks[chunk_id]
        spans = tuple((s.start, s.end) for s in question.evidence_spans if s.chunk_id == chunk_id)
        start, end = 0, len(chunk.text)
        if entry.side == "context":
            start, end = find_passage(chunk, spans, config.passage)
        yield replace(
            case,
            case_id=row_id(chunk_id) if entry.alone else row_id(question.question_id, chunk_id),
            text=chunk.text[start:end],
            spans=tuple((max(a, start) - start, min(b, end) - start) for a, b in spans if a < end and start < b),
            chunk_id=chunk.chunk_id,
            title=chunk.title,
            kind=chunk.kind,
            language=chunk.language,
        )
        if entry.per == "question":
            return


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A question whose variants were made before from what they would be made of now."""

    question_id: str
    strangers: bool  # False: but for the passages of other documents


BLOCK = 128  # questions in a batch
SPARE = 3  # drafts tried for each wanted passage of a pool

_MISSED = "unanswered"


@dataclass(eq=False)
class _Search:
    """A case, its drafts by one perturbation, and the variants made of them."""

    entry: Perturbation
    case: Case
    drafts: Iterator[Draft]
    method: str
    reason: str = ""  # why there are no drafts
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
    unchanged: Iterable[Unchanged] = (),
    made: Iterable[Variant] = (),
    compared: Iterable[Similarity] = (),
) -> Iterator[Variant | Similarity | Unanswered]:
    """The variants of each accepted question: itself (`none`), and those of the config, kept or rejected.

    A variant that was compared with its original is followed by their similarity. The variant itself does not contain
    it, so that it is the same on every machine.

    Drafts are tried until as many as wanted pass the checks. Where several are wanted, failed ones become rejected
    rows; where one is wanted and none passes, one does: the first that failed by similarity alone
    (`below_threshold`), else the first. Without drafts a row says why: `no_candidate`, `needs_model`,
    `needs_generator`, `language`, `unanswered`. Where all chunks of a question must change, one rejected chunk rejects
    the others (`other_chunk_rejected`).

    `nli` is needed for entailment, `llm` where `config.by` wants a model; ValueError without. Chunks of pools must be
    among `chunks`; a question without a pool has no noise (`no_candidate`).

    Variants of questions that are `unchanged` are taken from those `made` before by the same config, all of them or all
    but those with passages of other documents, and their similarities from `compared`.
    """
    entries = choose_perturbations(config)
    if llm is None and any(is_written_by_model(entry, config) and not entry.generator for entry in entries):
        raise ValueError("perturb.by needs a model")
    known = pools or {}
    recalled = {row.question_id: row.strangers for row in unchanged}
    before: dict[tuple[str, str], list[Variant]] = {}  # by question and perturbation
    for variant in made:
        before.setdefault((variant.question_id, variant.perturbation), []).append(variant)
    cosines = {row.of: row for row in compared}
    accepted = (question for question in questions if not question.rejected_because)
    while block := list(islice(accepted, BLOCK)):
        variants_of: dict[str, list[Variant]] = {q.question_id: [_original_variant(q)] for q in block}
        alike: dict[str, Similarity] = {}
        started: dict[str, list[_Search]] = {}  # by perturbation
        cut: dict[tuple[str, str, bool, bool], list[Case]] = {}  # shared by many perturbations
        if any(entry.parses and not is_written_by_model(entry, config) for entry in entries):
            parse_ahead(q.text for q in block if q.language == "en" and q.question_id not in recalled)
        for entry in entries:
            model = generator if entry.generator else llm
            todo = [q for q in block if not _is_recalled(entry, recalled.get(q.question_id))]
            shape = (entry.side, entry.per, entry.alone, entry.strangers)
            if shape not in cut:
                cut[shape] = [case for q in todo for case in make_cases(q, entry, config, chunks, _find_pool(known, q))]
            started[entry.name], missed = _start_searches(entry, cut[shape], config, model)
            yield from missed
        yield from _run_searches([one for some in started.values() for one in some], config, embed, nli)
        for entry in entries:
            of_question: dict[str, list[Variant]] = {}
            for search in started[entry.name]:
                alike |= search.alike
                of_question.setdefault(search.case.question_id, []).extend(_collect_variants(search, config))
            for question_id in variants_of:
                rows = of_question.get(question_id, [])
                rows = _reject_incomplete(rows) if entry.whole else rows
                if _is_recalled(entry, recalled.get(question_id)):
                    rows = before.get((question_id, entry.name), [])
                    alike |= {row.variant_id: cosines[row.variant_id] for row in rows if row.variant_id in cosines}
                variants_of[question_id] += rows
        for variants in variants_of.values():
            for variant in variants:
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
    """As `vary_with_similarities`, without the similarities."""
    rows = vary_with_similarities(
        questions, config, chunks=chunks, embed=embed, pools=pools, nli=nli, llm=llm, generator=generator
    )
    return (row for row in rows if not isinstance(row, Similarity))


def _is_recalled(entry: Perturbation, strangers: bool | None) -> bool:
    """Whether a question's variants of this kind were made before; None: none of its variants were."""
    return strangers is not None and (strangers or not entry.strangers)


def _find_pool(pools: Mapping[str, Pool], question: Question) -> Pool | None:
    return pools.get(row_id("pool", question.question_id))


def _original_variant(question: Question) -> Variant:
    return Variant(
        row_id(question.question_id, "query", "none", "", question.text), question.question_id, "query", "none",
        question.text,
    )  # fmt: skip


def _start_searches(
    entry: Perturbation, todo: Sequence[Case], config: PerturbConfig, model: LLM | None
) -> tuple[list[_Search], list[Unanswered]]:
    """A search for each case, and the requests that a model did not answer."""
    if model is None or not is_written_by_model(entry, config):
        return _search_by_rules(entry, todo, config), []
    asked: list[Case] = []
    by_rules: list[Case] = []
    for case in todo:
        (asked if _is_for_model(case, entry, config) else by_rules).append(case)
    searches = _search_by_rules(entry, by_rules, config) if by_rules else []
    missed: dict[str, Unanswered] = {}  # by request: questions on one passage may share one
    for case, drafts, reply in model_drafts.write_drafts(entry, asked, config, model):
        if reply.error and reply.request_id not in missed:
            about = f"{entry.name} {case.question_id} {case.chunk_id}".strip()
            missed[reply.request_id] = unanswered("vary", about, reply)
        searches.append(_Search(entry, case, iter(drafts), "model", _MISSED if reply.error else ""))
    return searches, list(missed.values())


def _is_for_model(case: Case, entry: Perturbation, config: PerturbConfig) -> bool:
    """Whether a model is asked about a case: its question is drawn, and some passage states its answer."""
    if case.computed and entry.side == "context":  # such a prompt gives the answer that a passage states
        return False
    drawn = row_id("model_share", case.question_id)
    return int(drawn, 16) / 16.0 ** len(drawn) < config.model_share


def _search_by_rules(entry: Perturbation, todo: Sequence[Case], config: PerturbConfig) -> list[_Search]:
    reasons = [find_missing_requirement(entry, case, asks=False) for case in todo]
    make: Make = load_maker(entry) if not all(reasons) else _no_drafts
    found = _make_drafts(entry, make, todo, config, reasons)
    return [
        _Search(entry, case, drafts, entry.by, reason)
        for case, drafts, reason in zip(todo, found, reasons, strict=True)
    ]


def _make_drafts(
    entry: Perturbation, make: Make, todo: Sequence[Case], config: PerturbConfig, reasons: Sequence[str]
) -> Iterator[Iterator[Draft]]:
    """The drafts of each case; those that depend on the passage alone are shared by its questions."""
    shared: dict[str, Iterator[Draft]] = {}
    for case, reason in zip(todo, reasons, strict=True):
        if reason:
            yield iter(())
            continue
        drafts = shared.get(case.case_id) or make(case, config, Random(row_id(case.case_id, entry.name)))
        if entry.alone:
            shared[case.case_id], drafts = tee(drafts)
        yield drafts


def _no_drafts(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    return iter(())


def _run_searches(
    searches: Sequence[_Search], config: PerturbConfig, embed: Embed, nli: NLI | None
) -> Iterator[Unanswered]:
    """Check drafts of all cases together until each has enough or no more; yields entailment checks without answer.

    Drafts that are embedded come first: rules check the others while the model works.
    """
    waiting = list(searches)

    def try_drafts(embedded: bool) -> list[tuple[_Search, Draft, Proof]]:
        some = (search for search in waiting if is_embedded(search.entry, config) is embedded)
        return [(search, *one) for search in some for one in _try_drafts(search, config)]

    with ThreadPoolExecutor(1) as model:
        while waiting:
            tried = try_drafts(embedded=True)
            pairs = [(search.case.text, draft.text) for search, draft, proof in tried if not proof.reason]
            cosines = model.submit(measure_cosines, pairs, embed)
            tried += try_drafts(embedded=False)
            if not tried:
                return
            drafts = [(search.entry, search.case, draft) for search, draft, _ in tried]
            proofs = compare_meanings(drafts, [proof for _, _, proof in tried], config, cosines.result(), nli)
            for (search, draft, _), proof in zip(tried, proofs, strict=True):
                yield from _keep_variant(search, draft, proof)
            waiting = [search for search in waiting if len(search.kept) < count_wanted(search.entry, config)]


def _keep_variant(search: _Search, draft: Draft, proof: Proof) -> Iterator[Unanswered]:
    """Add a draft to what was kept or failed of its case; yields an entailment check without answer."""
    variant = _make_variant(search, draft, proof)
    (search.failed if proof.reason else search.kept).append(variant)
    if proof.similarity is not None:
        search.alike[variant.variant_id] = Similarity(variant.variant_id, "variant", proof.compared, proof.similarity)
    if proof.missed:
        about = f"entailment of {search.entry.name} {variant.question_id} {variant.chunk_id}".strip()
        name = row_id("unanswered", "vary", about, variant.variant_id)
        yield Unanswered(name, "vary", about, proof.missed, proof.detail, "")


def _try_drafts(search: _Search, config: PerturbConfig) -> Iterator[tuple[Draft, Proof]]:
    """The next distinct drafts of a case, until as many as are missing pass the rules."""
    wanted = count_wanted(search.entry, config)
    tries = config.candidates if wanted == 1 else SPARE * wanted
    missing = wanted - len(search.kept)
    for draft in search.drafts:
        if len(search.seen) >= tries:
            return
        if draft.text not in search.seen:
            search.seen.add(draft.text)
            proof = check_rules(search.entry, search.case, draft)
            yield draft, proof
            missing -= not proof.reason
            if not missing:
                return


def _make_variant(search: _Search, draft: Draft, proof: Proof) -> Variant:
    entry, case = search.entry, search.case
    chunk_id = draft.chunk_id or case.chunk_id
    spans = () if proof.reason or chunk_id != case.chunk_id else project_spans(case, draft)
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


def _collect_variants(search: _Search, config: PerturbConfig) -> list[Variant]:
    """The rows of a case: passed ones, and failed ones (one at most where one is wanted), or why there are none."""
    if count_wanted(search.entry, config) > 1 and (search.kept or search.failed):
        return search.kept + search.failed
    if search.kept:
        return search.kept
    if search.failed:
        # not the most similar one, as that could depend on the machine
        return [min(search.failed, key=lambda variant: variant.rejected_because != "below_threshold")]
    blank = Draft(search.case.text)
    return [_make_variant(search, blank, Proof(search.reason or "no_candidate"))]


def _reject_incomplete(variants: Sequence[Variant]) -> list[Variant]:
    failed = any(variant.rejected_because for variant in variants)
    return [
        replace(variant, rejected_because=variant.rejected_because or "other_chunk_rejected") if failed else variant
        for variant in variants
    ]
