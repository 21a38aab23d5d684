"""Stages as Prefect tasks, over documents or over whole tables, each table held to its contract (architecture §6)."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
from prefect import task
from prefect.cache_policies import NO_CACHE

from rarefy.data_contracts import expectations
from rarefy.data_contracts.breaches import KINDS, RAISED, settle
from rarefy.data_contracts.rows import Breach, Quarantined, Similarity, Unanswered
from rarefy.data_contracts.suites import SUITES
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.flows.engine import stages
from rarefy.flows.engine.current_run import in_flow
from rarefy.flows.engine.dependency_fingerprint import content
from rarefy.flows.engine.document_batches import Apart, apart
from rarefy.flows.engine.progress import WIDTH, Board
from rarefy.flows.engine.question_batches import spread
from rarefy.flows.engine.reachability import passing
from rarefy.flows.engine.workers import Workers, alone, cores
from rarefy.flows.faults import NothingToBuild, UsageFault
from rarefy.flows.models import accounting
from rarefy.flows.reports.document_remarks import remarks
from rarefy.tasks.corpus.read.sources import MEDIA_TYPES, list_sources
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.models.llm import InferenceContext
from rarefy.tasks.models.llm.reply_store import Usage
from rarefy.tasks.store.lease import unfenced
from rarefy.tasks.store.recipe import ALONE, BREACHES, Given, Job
from rarefy.tasks.store.tables import Store, digest

Part = dict[str, Any]  # kind of table -> its name, of one source; "source" is the source itself
LEFT = "left"  # among tables: the names of those that say what whole-table stages were not answered
MORE_FACTS = "add documents that state facts, or look at what `rarefy plan` says of these"
OTHER_SETTINGS = "look at the gates, the model and its judge in the config; where requests failed, run again"
SHOWN = 10  # faults told one by one; the rest are in the quarantine table
Tables = dict[str, Any]  # kind of table -> its name
Made = TypeVar("Made")


def _is_of_infrastructure(_task: object, _run: object, state: Any) -> bool:
    """Is this worth another try? A lost connection is; a full disk, a broken contract and a bug are not."""
    error = state.result(raise_on_failure=False)
    return isinstance(error, ConnectionError | TimeoutError) or passing(error)


@dataclass
class Run:
    """One build in progress: where its tables lie, who works, and where it is shown."""

    store: Store
    board: Board
    workers: Workers = alone
    means: InferenceContext = ALONE  # how models are asked
    validations: list[Any] = field(default_factory=list)
    made: int = 0  # tables made now, rather than found
    lost: Counter[str] = field(default_factory=Counter)  # requests that models left unanswered, by reason
    corpus: str = ""  # digest of the documents, once they are known
    fence: Callable[[], None] = unfenced  # raises where this run may not publish any more
    budget: float = expectations.BUDGET  # share of a table's rows that may be set aside
    breaches: dict[str, Breach] = field(default_factory=dict)  # rows that were set aside, by name
    tables: Tables = field(default_factory=dict)  # as they are by now, for what is left of a build that ends early

    def stage(self, name: str, work: Callable[[], Made]) -> Made:
        """What `work` gives, as a Prefect task of that name; just so where no flow is running."""
        if not in_flow():
            return work()
        return task(  # the work takes no arguments: Prefect would look through all of them, and store them
            work,
            name=name,
            task_run_name=name,
            retries=2,
            retry_delay_seconds=[5, 60],
            retry_condition_fn=_is_of_infrastructure,
            cache_policy=NO_CACHE,
            persist_result=False,
        )()

    def sources(self, corpus: str) -> list[Part]:
        """The sources of a corpus; UsageFault where there are none."""

        def work() -> list[Part]:
            try:
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
            sizes = [part.get("rows", 1) for part in parts]
            line = self.board.line(job.stage, unit, sum(sizes))
            kept = sum(sizes) - sum(sizes[place] for place in missing)
            line.step(kept)
            todo = [parts[place] for place in missing]
            fresh: dict[int, dict[str, str]] = {}
            with accounting.watched(self, job, line, todo, fresh):
                for place, tables in self.workers(job, todo, self.store.url, self.by(job)):
                    known[missing[place]] = fresh[place] = tables
                    line.step(sizes[missing[place]])
            self.made += len(missing)
            line.end(_note(f"{sum(sizes):,} {unit}", kept, sum(sizes)) + self.spent(job))
            self.lost += accounting.reasons(self.store, [tables for tables in known if tables])
            aside = [dict(tables or {}) for tables in known]
            raised = self._set_aside(job.stage, [tables.pop(BREACHES) for tables in aside if BREACHES in tables])
            if raised and len(raised) == sum(sizes):
                raise NothingToBuild(_all_failed(job.stage, unit, raised))
            return [{**part, **tables} for part, tables in zip(parts, aside, strict=True)]

        return self.stage(job.stage, work)

    def read(self, job: Job, sources: Sequence[Part], limit: int) -> list[Part]:
        """The sources, read: as many of them as it takes for `limit` documents, all of them for 0."""
        if not limit:
            return self.each(job, sources)
        read: list[Part] = []
        documents = 0
        while documents < limit and len(read) < len(sources):
            some = self.each(job, sources[len(read) : len(read) + limit - documents])
            documents += sum(self.store.over(self.store.rows, [part["documents"] for part in some]))
            read += some
        return read

    def apart(self, read: Sequence[Part], limit: int, budget: float, by: Apart = apart) -> tuple[list[Part], Tables]:
        """What was read as parts to work on, as `by` tells them, and the table of what could not be read."""
        batches, faults = self.stage("apart", lambda: by(self.store, read, limit))
        self.corpus = digest([batch.documents for batch in batches])
        job = stages.gathering("quarantine", Quarantined)
        tables = self._held(job, self.stage(job.stage, lambda: self._made(job, {"quarantine": faults})))
        self._afford(sum(batch.rows for batch in batches), tables["quarantine"], budget)
        return [{"path": batch.source, "documents": batch.documents, "rows": batch.rows} for batch in batches], tables

    def spread(self, tables: Tables) -> list[Part]:
        """The accepted questions as parts, by document, with the chunks that they and their pools name."""
        names = (tables["questions"], tables["chunks"], tables["pools"])
        groups = self.stage("spread", lambda: spread(self.store, *names))
        return [
            {
                "path": f"questions on {group.doc_id}",
                "questions": group.questions,
                "pools": group.pools,
                "chunks": group.chunks,
                "rows": group.rows,
            }
            for group in groups
        ]

    def remark(self, tables: Tables) -> Tables:
        """Tell of documents that were read with a doubt; the tables come back as they are."""
        told = list(remarks(self.store.table(tables["documents"])))
        for line in told[:SHOWN]:
            self.board.say(f"{'remark':<{WIDTH}} {line}")
        if len(told) > SHOWN:
            self.board.say(
                f"{'remark':<{WIDTH}} {len(told) - SHOWN:,} more; metadata in documents.jsonl tells them all"
            )
        return tables

    def _afford(self, documents: int, quarantine: str, budget: float) -> None:
        """Tell what could not be read; UsageFault where that is all, or more than the budget allows."""
        faults = list(from_table(self.store.table(quarantine), Quarantined))
        for fault in faults[:SHOWN]:
            self.board.say(f"{'skipped':<{WIDTH}} {fault.source}: {fault.reason}: {fault.detail}")
        if len(faults) > SHOWN:
            self.board.say(f"{'skipped':<{WIDTH}} {len(faults) - SHOWN:,} more; quarantine.jsonl lists them all")
        if not documents:
            told = "; ".join(f"{fault.source}: {fault.reason} ({fault.detail})" for fault in faults[:3])
            raise UsageFault(f"nothing to build: none of {len(faults):,} documents could be read: {told}")
        if len(faults) > budget * (documents + len(faults)):
            raise UsageFault(
                f"{len(faults):,} of {documents + len(faults):,} documents failed, over quarantine_budget = {budget}; "
                "mend or remove those listed above, or raise the budget in the config"
            )

    def whole(self, job: Job, tables: Tables) -> Tables:
        """The tables, with what the job makes of them: here in this process, and true to its contracts."""
        made = dict(self.stage(job.stage, lambda: self._made(job, tables)))
        first = next(iter(job.makes))
        self.lost += accounting.reasons(self.store, [made] if accounting.asks(job) else [])
        self._set_aside(job.stage, [made.pop(BREACHES)] if BREACHES in made else [])
        left = [*tables.get(LEFT, ()), *([made.pop("unanswered")] if "unanswered" in made else [])]
        self.tables = {**tables, **made, LEFT: left}
        self._some(first, made[first])
        self.tables = self._held(job, self.tables)
        self._some(first, self.tables[first])
        return self.tables

    def gather(self, kind: str, row_type: type, parts: Sequence[Part], tables: Tables) -> Tables:
        """The tables, with the one of this kind that the parts make together, true to its contract."""
        return self.whole(stages.gathering(kind, row_type), {**tables, kind: [part[kind] for part in parts]})

    def similarities(self, parts: Sequence[Part], tables: Tables) -> Tables:
        """The tables, with how alike variants are, of the parts, beside how alike names are; there may be none."""
        job = stages.gathering("similarities", Similarity)
        given = {"similarities": [tables["similarities"], *(part["similarities"] for part in parts)]}
        return self._held(job, {**tables, **self.stage(job.stage, lambda: self._made(job, given))})

    def unanswered(self, parts: Sequence[Part], tables: Tables) -> Tables:
        """The tables, with all that models were asked and did not answer, whatever the stage."""
        names = [part["unanswered"] for part in parts if "unanswered" in part]
        job = stages.gathering("unanswered", Unanswered)
        given = {"unanswered": [*names, *tables.get(LEFT, ())]}
        return self._held(job, {**tables, **self.stage(job.stage, lambda: self._made(job, given))})

    def breached(self, tables: Tables) -> Tables:
        """The tables, with all rows that were set aside, whatever the stage."""
        rows = sorted(self.breaches.values(), key=lambda one: one.breach_id)
        return {**tables, BREACHES: self.store.keep(to_table(rows, Breach))}

    def _set_aside(self, stage: str, names: Sequence[str]) -> list[Breach]:
        """Remember the rows of these tables of breaches; those on which the stage's code raised an exception."""
        rows = [one for name in names for one in from_table(self.store.table(name), Breach)]
        self.breaches |= {one.breach_id: one for one in rows}
        raised = [one for one in rows if one.rule == RAISED]
        for one in raised[:SHOWN]:
            self.board.say(f"{'failed':<{WIDTH}} {stage} on {one.row}: {one.detail}; it is left out")
        if len(raised) > SHOWN:
            self.board.say(f"{'failed':<{WIDTH}} {stage} on {len(raised) - SHOWN:,} more; breaches.jsonl lists them")
        return raised

    def _made(self, job: Job, tables: Tables) -> dict[str, str]:
        given = _given(job, tables)
        found = self.store.find(job.recipe(given))
        first = given[next(iter(job.takes))]
        total = None if found else sum(self.store.over(self.store.rows, [first] if isinstance(first, str) else first))
        line = self.board.line(job.stage, "rows", total)
        fresh: dict[int, dict[str, str]] = {}
        if not found:
            with accounting.watched(self, job, line, [given], fresh):
                if accounting.elsewhere(job) and self.workers is not alone:
                    fresh |= self.workers(job, [given], self.store.url, self.by(job))
                else:
                    fresh[0] = stages.maker(job)(given, job, self.store.url, line.watch, cores(), self.by(job))
        made = found or fresh[0]
        self.made += not found
        told = ", ".join(f"{self.store.rows(made[kind]):,} {kind}" for kind in job.makes)
        line.end(_note(told, int(bool(found)), 1) + self.spent(job))
        return made

    def by(self, job: Job) -> InferenceContext:
        """How this job asks its models."""
        tested = any(isinstance(tool, SystemConfig) for tool in job.tools.values())
        if not accounting.asks(job) and not tested:
            return ALONE
        serving = self.means.serving
        if tested:  # what a system under test fails at is a result, which no budget ends
            serving = serving.model_copy(update={"failure_budget": 1.0})
        return replace(self.means, stage=job.stage, serving=serving)

    def used(self, stage: str = "") -> list[Usage]:
        """The ledger of this run, of one stage or of all."""
        if not self.means.run:
            return []
        return [
            one for one in accounting.books(self.store, self.means).usage(self.means.run) if stage in ("", one.stage)
        ]

    def spent(self, job: Job) -> str:
        """What a job asked in this run, for its line; "" where it asks nothing."""
        used = self.used(job.stage) if accounting.asks(job) else []
        return f" · {accounting.told(used, self.means.serving)}" if used else ""

    def _held(self, job: Job, tables: Tables) -> Tables:
        """The tables, those that the job makes held to their contracts, without the rows that had to be set aside."""
        judged = {*job.judges().values()} | {t for t in job.makes.values() if job.function == stages.GATHERED}
        for kind, row_type in job.makes.items():
            if row_type in SUITES and kind in tables:  # what went unanswered is held once it is all there
                stage = f"{job.stage}: {kind}" if job.stage != kind else kind
                tables = self.hold(stage, row_type, tables, judged=row_type in judged)
        return tables

    def _some(self, kind: str, name: str) -> None:
        """Nothing, when the table has a row that was not rejected; NothingToBuild when it has none."""
        reasons = Counter(self.store.rejections(name))
        if not reasons.pop("", 0):
            told = ", ".join(f"{count:,} {reason}" for reason, count in reasons.most_common(3))
            lost = ", ".join(f"{count:,} {reason}" for reason, count in self.lost.most_common(3))
            raise NothingToBuild(
                f"nothing to build: the corpus gives no {kind}{f' ({told})' if told else ''}"
                f"{f', and the model left unanswered: {lost}' if lost else ''}; "
                f"{OTHER_SETTINGS if kind == 'questions' else MORE_FACTS}"
            )

    def hold(self, stage: str, row_type: type, tables: Tables, judged: bool = False) -> Tables:
        """The tables, this one true to its contract: what breaks a rule is set aside, with all that depends on it.

        `judged`: the rules on rows were held where the rows were made. ContractBroken names stage, rule and value
        where the whole table is meaningless, or more rows are set aside than the budget allows.
        """
        named = {kind: name for kind, name in tables.items() if kind in KINDS.values() and isinstance(name, str)}
        met = sorted(
            (one for one in self.breaches.values() if one.table == KINDS[row_type]), key=lambda one: one.breach_id
        )
        rules = content(Path(expectations.__file__).parent)
        known = [one.breach_id for one in met]
        recipe = digest(["contract", rules, row_type.__name__, named, known, judged, self.budget])

        def work() -> dict[str, str]:
            if found := self.store.find(recipe):
                return found

            @cache
            def available(wanted: type) -> pa.Table | None:
                return self.store.table(named[KINDS[wanted]]) if KINDS[wanted] in named else None

            settled = settle(stage, row_type, available, judged)
            now = {owner: settled.tables.get(owner, available(owner)) for owner in (row_type, *SUITES[row_type].needs)}
            lost = [*met, *settled.breaches]
            try:
                validation = expectations.check(stage, row_type, now[row_type], now, lost, self.budget)
            except expectations.ContractBroken as broken:
                self.validations.append(broken.validation)
                self.breaches |= {one.breach_id: one for one in lost}
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
    """What is said where a stage failed on everything: it is no row's fault."""
    return (
        f"nothing to build: {stage} failed on all of {len(raised):,} {unit}, the first time with {raised[0].detail}; "
        "where the config names a part of yours (module:function), mend it, else report this with breaches.jsonl"
    )


def _given(job: Job, part: Mapping[str, Any]) -> Given:
    """What of a part the job takes."""
    return {argument: part[argument] for argument in job.takes}


def _note(told: str, kept: int, total: int) -> str:
    """What came of a stage, and how much of it had been made before."""
    return told + ("" if not kept else ", found in the store" if kept == total else f", {kept:,} found in the store")
