"""A run: stages as Prefect tasks, over documents or whole tables, each table held to its contract (architecture §6)."""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import pyarrow as pa

from rarefy.data_contracts import expectations
from rarefy.data_contracts.breaches import KINDS, RAISED, settle
from rarefy.data_contracts.rows import Breach, Quarantined, Similarity, Unanswered
from rarefy.data_contracts.suites import SUITES
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.flows.engine import prefect_server, stages
from rarefy.flows.engine.batches import DocumentBatching, batch_documents, batch_questions, recall_variants
from rarefy.flows.engine.progress import ProgressBoard
from rarefy.flows.engine.reachability import is_transient
from rarefy.flows.engine.stages import cached_digest
from rarefy.flows.engine.workers import Workers, count_cores, run_in_process
from rarefy.flows.faults import NothingToBuild, UsageFault
from rarefy.flows.models import accounting
from rarefy.tasks.corpus.read.language import is_english
from rarefy.tasks.corpus.read.sources import MEDIA_TYPES, list_sources
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.models.llm import InferenceContext
from rarefy.tasks.models.llm.reply_store import Usage
from rarefy.tasks.refresh.feeds.faults import FeedFault
from rarefy.tasks.refresh.feeds.folder import FileMark
from rarefy.tasks.refresh.feeds.watched import load_seen, scan_documents
from rarefy.tasks.store.lease import no_fence
from rarefy.tasks.store.recipe import BREACHES, NO_MODEL, Inputs, Job
from rarefy.tasks.store.tables import Store, TableDamaged, digest

Part = dict[str, Any]  # kind of table -> its name, of one source; "source" is the source itself
UNANSWERED_TABLES = "left"  # among tables: the names of those with what models left unanswered in whole-table stages
WITHOUT_MODEL = (
    "without a model, `rarefy perturb questions.jsonl --out DIR` changes questions of your own and their passages, and "
    "`rarefy evaluate sample --system my_rag:answer` asks your system the packaged ones"
)
BY_RULES = (
    'Rules read tables and simple sentences alone; a model reads the rest: [llm], and "model" in [extract] methods '
    "(docs/models.md)"
)
MORE_FACTS = (
    "add documents that state facts, of which rules find few in prose, or look at what `rarefy plan` says of these. "
    f"{BY_RULES}; {WITHOUT_MODEL}"
)
KEPT_FOR = "kept for retrieval, noise and a model; rules are for English and take no facts from them"
ENGLISH_ALONE = (
    "rules are for English, and {}: add English ones, or let a model take the facts and ask "
    '(extract.methods with "model", ask.method = "model"; `rarefy plan` writes the config)'
)
OTHER_SETTINGS = "look at the gates, the model and its judge in the config; where requests failed, run again"
IN_WORDS = {
    "census": "kinds of question counted",
    "quarantine": "files set aside",
    "similarities": "comparisons of texts",
    "unanswered": "requests without an answer",
}
SHOWN = 10  # faults printed one by one; the rest are in the quarantine table
TRIES = 2  # a store that is damaged again while it is mended lies on a disk to be looked at
DOUBTS = ["source", "metadata", "duplicate_of", "duplicate_similarity"]  # columns
Tables = dict[str, Any]  # kind of table -> its name
Made = TypeVar("Made")


def _is_worth_retrying(_task: object, _run: object, state: Any) -> bool:
    """Whether a failed task is tried again: a lost connection is; a full disk, a broken contract and a bug are not."""
    error = state.result(raise_on_failure=False)
    return isinstance(error, ConnectionError | TimeoutError) or is_transient(error)


class NotMade(Exception):
    """A run that only looks for what was made before met something that was not; the message names the stage."""


@dataclass
class Run:
    """One build or evaluation in progress: its store, its workers, its progress board, and what it met so far."""

    store: Store
    board: ProgressBoard
    workers: Workers = run_in_process
    context: InferenceContext = NO_MODEL  # how models are asked
    validations: list[Any] = field(default_factory=list)
    made: int = 0  # tables made now, rather than found
    lost: Counter[str] = field(default_factory=Counter)  # requests that models left unanswered, by reason
    corpus: str = ""  # digest of the documents, once they are known
    fence: Callable[[], None] = no_fence  # raises where this run may not publish any more
    budget: float = expectations.BUDGET  # share of a table's rows that may be set aside
    breaches: dict[str, Breach] = field(default_factory=dict)  # rows that were set aside, by name
    languages: Counter[str] = field(default_factory=Counter)  # documents in each other language than English
    tables: Tables = field(default_factory=dict)  # made so far, for what is left of a build that ends early
    seen: Mapping[str, FileMark] = field(default_factory=dict)  # documents as they lay there when they were listed
    makes: bool = True  # False: NotMade where the store does not have what a stage makes

    def stage(self, name: str, work: Callable[[], Made]) -> Made:
        """What `work` returns, called as a Prefect task of that name, or directly where no flow is running."""
        if not is_in_flow():
            return work()
        from prefect import task
        from prefect.cache_policies import NO_CACHE

        return task(  # the work takes no arguments: Prefect would look through all of them, and store them
            work,
            name=name,
            task_run_name=name,
            retries=2,
            retry_delay_seconds=[5, 60],
            retry_condition_fn=_is_worth_retrying,
            cache_policy=NO_CACHE,
            persist_result=False,
        )()

    def list_sources(self, corpus: str, line: str = "") -> list[Part]:
        """The sources of a corpus, noted in `seen` for the watch of this line; UsageFault where there are none."""

        def work() -> list[Part]:
            known = load_seen(self.store, line, corpus)[0] if line else None  # a fault here is the store's
            try:
                if known is not None:
                    with suppress(FileNotFoundError, FeedFault):  # the list of the sources says it
                        self.seen = scan_documents(corpus, known)
                sources = list_sources(corpus, self.store)
            except OSError as error:
                raise UsageFault(str(error)) from error
            self.store.sweep()
            if not sources:
                raise UsageFault(
                    f"{corpus}: nothing to build, the folder holds no file; {', '.join(sorted(MEDIA_TYPES))} are read"
                )
            return [{"source": source} for source in sources]

        return self.stage("list", work)

    def each(self, job: Job, parts: Sequence[Part], unit: str = "documents") -> list[Part]:
        """The parts, each with what the job makes of it."""

        def work() -> list[Part]:
            known = list(self.store.over(self.store.find, (job.recipe(_given(job, part)) for part in parts)))
            missing = [place for place, tables in enumerate(known) if tables is None]
            if missing:
                self._check_may_make(job.stage)
            sizes = [part.get("rows", 1) for part in parts]
            line = self.board.line(job.stage, unit, sum(sizes))
            left = {place: sizes[place] - parts[place].get("recalled", 0) for place in missing}
            kept = sum(sizes) - sum(left.values())
            line.step(kept)
            todo = [parts[place] for place in missing]
            fresh: dict[int, dict[str, str]] = {}
            with accounting.watch_requests(self, job, line, todo, fresh):
                for place, tables in self.workers(job, todo, self.store.url, self.context_for(job)):
                    known[missing[place]] = fresh[place] = tables
                    line.step(left[missing[place]])
            self.made += len(missing)
            partly = sum(part.get("partly", 0) for part in todo)
            note = _note(f"{sum(sizes):,} {unit}", kept, sum(sizes))
            note += f", of {partly:,} only what takes passages of changed documents" if partly else ""
            line.end(note + self.describe_usage(job))
            self.lost += accounting.count_unanswered(self.store, [tables for tables in known if tables])
            aside = [dict(tables or {}) for tables in known]
            raised = self._set_aside(job.stage, [tables.pop(BREACHES) for tables in aside if BREACHES in tables])
            if raised and len(raised) == sum(sizes):
                raise NothingToBuild(_all_failed(job.stage, unit, raised))
            return [{**part, **tables} for part, tables in zip(parts, aside, strict=True)]

        return self.stage(job.stage, work)

    def read_documents(self, job: Job, sources: Sequence[Part], limit: int) -> list[Part]:
        """The parts that reading makes of the sources: as many as it takes for `limit` documents, all of them for 0."""
        if not limit:
            return self.each(job, sources)
        read: list[Part] = []
        documents = 0
        while documents < limit and len(read) < len(sources):
            some = self.each(job, sources[len(read) : len(read) + limit - documents])
            documents += sum(self.store.over(self.store.rows, [part["documents"] for part in some]))
            read += some
        return read

    def batch_documents(
        self, read: Sequence[Part], limit: int, budget: float, batching: DocumentBatching = batch_documents
    ) -> tuple[list[Part], Tables]:
        """Batches of documents as parts to work on, and the table of what could not be read."""
        batches, faults = self.stage("apart", lambda: batching(self.store, read, limit))
        self.corpus = digest([batch.documents for batch in batches])
        job = stages.gathering("quarantine", Quarantined)
        tables = self._hold_all(job, self.stage(job.stage, lambda: self._make(job, {"quarantine": faults})))
        self._check_quarantine(sum(batch.rows for batch in batches), tables["quarantine"], budget)
        return [{"path": batch.source, "documents": batch.documents, "rows": batch.rows} for batch in batches], tables

    def batch_questions(self, tables: Tables) -> list[Part]:
        """The accepted questions as parts, by document, with the chunks that they and their pools name."""
        names = (tables["questions"], tables["chunks"], tables["pools"])
        groups = self.stage("spread", lambda: batch_questions(self.store, *names))
        return [
            {
                "doc_id": group.doc_id,
                "path": f"questions on {group.doc_id}" if group.doc_id else "questions that no document answers",
                "questions": group.questions,
                "pools": group.pools,
                "chunks": group.chunks,
                "rows": group.rows,
            }
            for group in groups
        ]

    def recall(self, job: Job, parts: list[Part], tables: Tables, previous: Mapping[str, str]) -> list[Part]:
        """The parts of questions, with the variants that need not be made again of those of the version before."""
        return self.stage("recall", lambda: recall_variants(self.store, job, parts, previous, tables))

    def report_languages(self, tables: Tables) -> Tables:
        """Print how many documents are in which other language than English; returns the tables as they are."""
        self.languages = count_foreign(self.store.table(tables["documents"]))
        if self.languages:
            self.board.note("language", f"{describe_languages(self.languages)}; {KEPT_FOR}")
        return tables

    def report_doubts(self, tables: Tables) -> Tables:
        """Print which documents were read with a doubt; returns the tables as they are."""
        lines = list(describe_doubts(self.store.table(tables["documents"])))
        self._report("remark", lines, "{:,} more; metadata in documents.jsonl tells them all")
        return tables

    def _report(self, what: str, lines: Sequence[str], rest: str) -> None:
        """Print the first of these lines; `rest` says how many more there are, and where."""
        shown = lines if len(lines) <= SHOWN else [*lines[:SHOWN], rest.format(len(lines) - SHOWN)]
        for line in shown:
            self.board.note(what, line)

    def _check_quarantine(self, documents: int, quarantine: str, budget: float) -> None:
        """Print what could not be read; UsageFault where that is all, or more than the budget allows."""
        faults = list(from_table(self.store.table(quarantine), Quarantined))
        lines = [f"{fault.source}: {fault.reason}: {fault.detail}" for fault in faults]
        self._report("skipped", lines, "{:,} more; quarantine.jsonl lists them all")
        self.board.fail(
            "read", [{"document": row.source, "reason": row.reason, "detail": row.detail} for row in faults]
        )
        if not documents:
            why = "; ".join(f"{fault.source}: {fault.reason} ({fault.detail})" for fault in faults[:3])
            raise UsageFault(f"nothing to build: none of {len(faults):,} documents could be read: {why}")
        if len(faults) > budget * (documents + len(faults)):
            raise UsageFault(
                f"{len(faults):,} of {documents + len(faults):,} documents failed, over quarantine_budget = {budget}; "
                "mend or remove those listed above, or raise the budget in the config"
            )

    def whole(self, job: Job, tables: Tables) -> Tables:
        """The tables and what the job makes of them, here in this process, held to their contracts."""
        made = dict(self.stage(job.stage, lambda: self._make(job, tables)))
        first = next(iter(job.makes))
        self.lost += accounting.count_unanswered(self.store, [made] if accounting.asks_model(job) else [])
        self._set_aside(job.stage, [made.pop(BREACHES)] if BREACHES in made else [])
        left = [*tables.get(UNANSWERED_TABLES, ()), *([made.pop("unanswered")] if "unanswered" in made else [])]
        self.tables = {**tables, **made, UNANSWERED_TABLES: left}
        self._check_not_empty(first, made[first])
        self.tables = self._hold_all(job, self.tables)
        if self.tables[first] != made[first]:
            self._check_not_empty(first, self.tables[first])
        return self.tables

    def gather(self, kind: str, row_type: type, parts: Sequence[Part], tables: Tables) -> Tables:
        """The tables and the one that the parts' tables of this kind make together, held to its contract."""
        return self.whole(stages.gathering(kind, row_type), {**tables, kind: [part[kind] for part in parts]})

    def collect_similarities(self, parts: Sequence[Part], tables: Tables) -> Tables:
        """The tables, similarities of variants added to those of names; there may be none."""
        job = stages.gathering("similarities", Similarity)
        given = {"similarities": [tables["similarities"], *(part["similarities"] for part in parts)]}
        return self._hold_all(job, {**tables, **self.stage(job.stage, lambda: self._make(job, given))})

    def collect_unanswered(self, parts: Sequence[Part], tables: Tables) -> Tables:
        """The tables and the one of all requests that models did not answer, of every stage."""
        names = [part["unanswered"] for part in parts if "unanswered" in part]
        job = stages.gathering("unanswered", Unanswered)
        given = {"unanswered": [*names, *tables.get(UNANSWERED_TABLES, ())]}
        return self._hold_all(job, {**tables, **self.stage(job.stage, lambda: self._make(job, given))})

    def collect_breaches(self, tables: Tables) -> Tables:
        """The tables and the one of all rows that were set aside, of every stage."""
        rows = [self.breaches[name] for name in sorted(self.breaches)]
        return {**tables, BREACHES: self.store.keep(to_table(rows, Breach))}

    def _set_aside(self, stage: str, names: Sequence[str]) -> list[Breach]:
        """Remember the breaches in these tables; returns those where the stage's code raised an exception."""
        breaches = [row for name in names for row in from_table(self.store.table(name), Breach)]
        self.breaches |= {row.breach_id: row for row in breaches}
        raised = [row for row in breaches if row.rule == RAISED]
        lines = [f"{stage} on {row.row}: {row.detail}; it is left out" for row in raised]
        self._report("failed", lines, stage + " on {:,} more; breaches.jsonl lists them")
        self.board.fail(stage, [{"row": row.row, "reason": row.rule, "detail": row.detail} for row in raised])
        return raised

    def _make(self, job: Job, tables: Tables) -> dict[str, str]:
        """The names of the tables that the job makes of these, found in the store or made now."""
        given = _given(job, tables)
        found = self.store.find(job.recipe(given))
        if not found:
            self._check_may_make(job.stage)
        first = given[next(iter(job.takes))]
        total = None if found else sum(self.store.over(self.store.rows, [first] if isinstance(first, str) else first))
        line = self.board.line(job.stage, "rows", total)
        fresh: dict[int, dict[str, str]] = {}
        if not found:
            with accounting.watch_requests(self, job, line, [given], fresh):
                if accounting.needs_model_worker(job) and self.workers is not run_in_process:
                    fresh |= self.workers(job, [given], self.store.url, self.context_for(job))
                else:
                    fresh[0] = stages.maker(job)(
                        given, job, self.store.url, line.watch, count_cores(), self.context_for(job)
                    )
        made = found or fresh[0]
        self.made += not found
        sizes = {kind: self.store.rows(made[kind]) for kind in job.makes}
        main = next(iter(sizes))
        counts = ", ".join(f"{n:,} {IN_WORDS.get(kind, kind)}" for kind, n in sizes.items() if n or kind == main)
        asked = self.describe_usage(job)
        line.end(_note(counts, int(bool(found)), 1) + asked, minor=not asked)
        return made

    def _check_may_make(self, stage: str) -> None:
        """NotMade where this run only looks for what was made before."""
        if not self.makes:
            raise NotMade(stage)

    def context_for(self, job: Job) -> InferenceContext:
        """How this job asks its models: under its stage's name, within the limits of the run."""
        tested = any(isinstance(tool, SystemConfig) for tool in job.tools.values())
        if not accounting.asks_model(job) and not tested:
            return NO_MODEL
        serving = self.context.serving
        if tested:  # what a system under test fails at is a result, which no budget ends
            serving = serving.model_copy(update={"failure_budget": 1.0})
        return replace(self.context, stage=job.stage, serving=serving)

    def usage(self, stage: str = "") -> list[Usage]:
        """The ledger's sums of this run, of one stage or of all."""
        if not self.context.run:
            return []
        ledger = accounting.reply_store(self.store, self.context)
        return [sums for sums in ledger.usage(self.context.run) if stage in ("", sums.stage)]

    def describe_usage(self, job: Job) -> str:
        """What a job asked in this run, for its progress line; "" where it asks nothing."""
        used = self.usage(job.stage) if accounting.asks_model(job) else []
        return f" · {accounting.describe_usage(used, self.context.serving)}" if used else ""

    def _hold_all(self, job: Job, tables: Tables) -> Tables:
        """The tables, those that the job makes held to their contracts: without the rows that were set aside."""
        judged = {*job.judges().values()} | {t for t in job.makes.values() if job.function == stages.GATHERED}
        for kind, row_type in job.makes.items():
            if row_type in SUITES and kind in tables:  # what went unanswered is held once it is all there
                stage = f"{job.stage}: {kind}" if job.stage != kind else kind
                tables = self.hold(stage, row_type, tables, judged=row_type in judged)
        return tables

    def _check_not_empty(self, kind: str, name: str) -> None:
        """NothingToBuild where a table has no row that was not rejected."""
        reasons = Counter(self.store.rejections(name))
        if not reasons.pop("", 0):
            rejected = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common(3))
            lost = ", ".join(f"{count:,} {reason}" for reason, count in self.lost.most_common(3))
            raise NothingToBuild(
                f"nothing to build: the corpus gives no {kind}{f' ({rejected})' if rejected else ''}"
                f"{f', and the model left unanswered: {lost}' if lost else ''}; "
                f"{self._way_out(kind)}"
            )

    def _way_out(self, kind: str) -> str:
        """What to do where a table of this kind has no row to go on with."""
        if self.languages and kind != "chunks":
            return ENGLISH_ALONE.format(describe_languages(self.languages))
        return OTHER_SETTINGS if kind == "questions" else MORE_FACTS

    def hold(self, stage: str, row_type: type, tables: Tables, judged: bool = False) -> Tables:
        """The tables, this one held to its contract: what breaks a rule is set aside, with all that depends on it.

        `judged`: the rules on rows were held where the rows were made. ContractBroken names stage, rule and value
        where the whole table is meaningless, or more rows are set aside than the budget allows.
        """
        named = {kind: name for kind, name in tables.items() if kind in KINDS.values() and isinstance(name, str)}
        met = [self.breaches[name] for name in sorted(self.breaches) if self.breaches[name].table == KINDS[row_type]]
        rules = cached_digest(Path(expectations.__file__).parent)
        known = [row.breach_id for row in met]
        recipe = digest(["contract", rules, row_type.__name__, named, known, judged, self.budget])

        def work() -> dict[str, str]:
            if found := self.store.find(recipe):
                return found
            self._check_may_make(f"contract of {stage}")

            @cache
            def available(wanted: type) -> pa.Table | None:
                return self.store.table(named[KINDS[wanted]]) if KINDS[wanted] in named else None

            settled = settle(stage, row_type, available, judged)
            now = {owner: settled.tables.get(owner, available(owner)) for owner in (row_type, *SUITES[row_type].needs)}
            lost = [*met, *settled.breaches]
            try:
                validation = expectations.check_table(stage, row_type, now[row_type], now, lost, self.budget)
            except expectations.ContractBroken as broken:
                self.validations.append(broken.validation)
                self.breaches |= {row.breach_id: row for row in lost}
                raise
            return self.store.put(
                recipe,
                {
                    **{KINDS[owner]: table for owner, table in settled.tables.items()},
                    "validation": to_table([validation], expectations.Validation),
                    BREACHES: to_table(settled.breaches, Breach),
                },
            )

        found = dict(self.stage(f"contract of {stage}", work))
        self._set_aside(stage, [found.pop(BREACHES)])
        validation = next(from_table(self.store.table(found.pop("validation")), expectations.Validation))
        self.validations.append(replace(validation, stage=stage))  # a stage before may have left the same table
        return {**tables, **found}


def _all_failed(stage: str, unit: str, raised: Sequence[Breach]) -> str:
    """The message where a stage failed on every row, so that it is no row's fault."""
    return (
        f"nothing to build: {stage} failed on all of {len(raised):,} {unit}, the first time with {raised[0].detail}; "
        "where the config names a part of yours (module:function), mend it, else report this with breaches.jsonl"
    )


def _given(job: Job, part: Mapping[str, Any]) -> Inputs:
    """The tables of a part that the job takes."""
    return {argument: part[argument] for argument in job.takes}


def _note(counts: str, found: int, total: int) -> str:
    """The end of a progress line: what a stage made, and how much of that was found in the store."""
    return counts + (
        "" if not found else ", found in the store" if found == total else f", {found:,} found in the store"
    )


def is_in_flow() -> bool:
    """Whether a Prefect flow is running; where Prefect, which takes seconds to import, was never imported none is."""
    if "prefect" not in sys.modules:
        return False
    from prefect.context import FlowRunContext

    return FlowRunContext.get() is not None


def is_shown_in_prefect() -> bool:
    """Whether a Prefect flow is running on a server that outlives it, so that somebody may look at it."""
    return is_in_flow() and not prefect_server.is_temporary()


def run_id() -> str:
    """The name of this run in the ledger: that of Prefect, or a new one."""
    run = prefect_run()
    return (run.id if run else "") or str(uuid4())


def prefect_run() -> Any:
    """Prefect's record of the run that goes on: `id` and `ui_url`, "" where there is none; None without Prefect."""
    if "prefect" not in sys.modules:
        return None
    from prefect.runtime import flow_run

    return flow_run


def with_repair(store: str, work: Callable[[], Made], report: Callable[[TableDamaged, Sequence[str]], object]) -> Made:
    """What `work` returns; where a table turns out to be damaged, all such are removed, and the work is done again.

    `report` is given the damage, and the names of the other tables that were damaged too.
    """
    for _ in range(TRIES):
        try:
            return work()
        except TableDamaged as damage:
            report(damage, Store(store).mend())
    return work()


def count_foreign(documents: pa.Table) -> Counter[str]:
    """The number of documents in each other language than English."""
    return Counter(code for code in documents.column("language").to_pylist() if not is_english(code))


def describe_languages(languages: Counter[str]) -> str:
    """ "15 documents are not in English (12 fr, 3 de)", the most frequent first; "" where all are."""
    each = ", ".join(f"{count:,} {code}" for code, count in sorted(languages.items(), key=lambda at: (-at[1], at[0])))
    number = "1 document is" if languages.total() == 1 else f"{languages.total():,} documents are"
    return each and f"{number} not in English ({each})"


def describe_doubts(documents: pa.Table) -> Iterator[str]:
    """A line for each document that stops early, had bytes repaired or repeats another: what, where, way out."""
    for row in documents.select(DOUBTS).to_pylist():
        source, copy_of, similarity = row["source"], row["duplicate_of"], row["duplicate_similarity"]
        metadata: dict[str, str] = json.loads(row["metadata"])
        if metadata.get("truncated"):
            yield f"{source}: stops before its end; what is there was read, fetch it again for the rest"
        encoding = metadata.get("encoding", "its encoding")
        if repaired := metadata.get("bytes_repaired"):
            yield f"{source}: {repaired} bytes are not {encoding} and were read as cp1252"
        if copy_of:
            how = "repeats" if similarity == 1 else f"is {similarity:.0%} the same as"
            yield f"{source}: {how} {copy_of}; nothing is asked of it twice, remove one"
