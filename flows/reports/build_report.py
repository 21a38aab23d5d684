"""What came of a build: the funnel, the census and a few questions, for the terminal and for Prefect's UI."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from rich.console import Console

from rarefy.data_contracts.expectations import Validation
from rarefy.data_contracts.rows import KINDS, Breach, Question
from rarefy.data_contracts.tables import from_table
from rarefy.flows.engine.prefect_server import create_artifact
from rarefy.flows.engine.stages import CensusRow
from rarefy.flows.models import spending
from rarefy.flows.models.expected_questions import BY_RULES
from rarefy.flows.models.spending import Spending
from rarefy.flows.reports.console import as_table, format_reasons, keep_records
from rarefy.tasks.export.statistics import Tally
from rarefy.tasks.store.journal import Version
from rarefy.tasks.store.tables import Store
from rarefy.tasks.text.characters import shorten

SHOWN = 5  # questions
OF_VERBOSE = ("How replies kept their schema", "Triplets of models")  # tables
BRIEF = 3  # of these without --verbose
NAMED = 3  # documents without a question
REASONS = 6  # reasons told per stage on the terminal; the artifacts and the tables hold all


@dataclass(frozen=True)
class FunnelStage:
    """A line of the funnel: what went in, what was made of it, and what of that was kept."""

    name: str
    taken: int
    made: int
    kept: int
    rejected: dict[str, int]  # by reason, most frequent first


@dataclass(frozen=True)
class WithoutQuestion:
    """The documents that gave no accepted question, by name."""

    documents: tuple[str, ...]
    of: int
    unread: tuple[str, ...]  # of these, of which no fact was taken at all
    nameless: tuple[str, ...]  # of these, whose facts were all turned down for want of a subject
    by_rules: bool  # no model took facts

    def describe(self, out: str) -> Iterator[str]:
        """How many they are, the first of them, where the reasons are, and what would help."""
        if not self.documents:
            return
        count = f"{len(self.documents):,} of {self.of:,} documents gave no question"
        who = f"no sentence and no table that {'the rules read' if self.by_rules else 'was taken for a fact'}"
        if self.unread == self.documents:
            yield f"{count}, having {who}: {_list(self.documents)}"
        else:
            yield f"{count}: {_list(self.documents)}"
            if self.unread:
                yield f"{len(self.unread):,} of them have {who}: {_list(self.unread)}"
        if len(self.unread) < len(self.documents):
            rest = [name for name in self.documents if name not in set(self.unread)]
            yield (
                f"What was turned down of {_list(rest)}, and why: rejected_because in {out.rstrip('/')}/triplets.jsonl "
                "and questions.jsonl; docs/reasons.md says what each reason means"
            )
        if self.nameless:
            yield (
                f"{len(self.nameless):,} of them have figures, but nothing says of whom (no_subject): "
                f"{_list(self.nameless)}; give them a title (of a CSV a first line of two words or more), or set "
                "[read] entity in the config"
            )
        if self.by_rules and len(self.nameless) < len(self.documents):
            yield BY_RULES


@dataclass(frozen=True)
class BuildResult:
    """What came of a build."""

    out: str
    version: str
    made: int
    funnel: tuple[FunnelStage, ...]
    census: tuple[CensusRow, ...]
    questions: tuple[Question, ...]
    homes: Mapping[str, str] = field(default_factory=dict)  # of these questions' chunks: their documents
    variants: Tally = field(default_factory=Tally)  # what became of them
    languages: str = ""  # which documents are not in English: "15 documents are not in English (12 fr, 3 de)"
    without_question: WithoutQuestion | None = None
    breaches: tuple[tuple[str, str, int], ...] = ()  # rows that were set aside: their table, the rule, how many
    spent: Spending | None = None  # None: no model was asked
    entry: Version | None = None  # of the journal
    previous: Version | None = None  # the newest version of its line before


def funnel(store: Store, tables: dict[str, str]) -> tuple[FunnelStage, ...]:
    """In, made, kept and rejected by reason, for each hop."""
    aside: dict[str, Counter[str]] = defaultdict(Counter)  # rows that were set aside, by table and rule
    breaches = store.table(tables["breaches"])
    for kind, rule in zip(breaches["table"].to_pylist(), breaches["rule"].to_pylist(), strict=True):
        aside[kind][rule] += 1
    quarantined = Counter(store.table(tables["quarantine"])["reason"].to_pylist()) + aside["documents"]
    documents = store.rows(tables["documents"])
    found = documents + quarantined.total()
    stages = [FunnelStage("documents", found, found, documents, dict(quarantined.most_common()))]
    for kind in ("chunks", "triplets", "paths", "questions", "variants"):
        reasons = Counter(store.rejections(tables[kind])) + aside[kind]
        made, kept = reasons.total(), reasons.pop("", 0)
        stages.append(FunnelStage(kind, stages[-1].kept, made, kept, dict(reasons.most_common())))
    return tuple(stages)


def count_breaches(breaches: Iterable[Breach]) -> tuple[tuple[str, str, int], ...]:
    """(table, rule, number) of the rows that were set aside, the most frequent first."""
    counted = Counter((one.table, one.rule) for one in breaches)
    return tuple((*what, count) for what, count in sorted(counted.items(), key=lambda each: (-each[1], each[0])))


def sample_questions(store: Store, name: str) -> tuple[Question, ...]:
    """A few accepted questions, the smallest names of each pattern in turn."""
    accepted = sorted(
        (q for q in from_table(store.table(name), Question) if not q.rejected_because), key=lambda q: q.question_id
    )
    turns: Counter[str] = Counter()
    ranked = []
    for question in accepted:
        turns[question.pattern] += 1
        place = KINDS.index(question.pattern) if question.pattern in KINDS else len(KINDS)
        ranked.append((turns[question.pattern], place, question))
    return tuple(question for _, _, question in sorted(ranked, key=lambda r: r[:2])[:SHOWN])


def find_without_question(store: Store, tables: Mapping[str, str], by_rules: bool) -> WithoutQuestion:
    """The documents of no accepted question's gold passage, nor of one that states the same; copies are left out."""
    questions = store.table(tables["questions"]).select(["chunk_ids", "alternatives", "rejected_because"])
    gold: set[str] = set()
    for question in questions.filter(pc.equal(questions["rejected_because"], "")).to_pylist():
        gold.update(question["chunk_ids"], *question["alternatives"])
    chunks = store.table(tables["chunks"]).select(["chunk_id", "doc_id"])
    asked = set(
        chunks.filter(pc.is_in(chunks["chunk_id"], value_set=pa.array(gold, pa.string())))["doc_id"].to_pylist()
    )
    documents = store.table(tables["documents"]).select(["doc_id", "duplicate_of"]).to_pylist()
    left = sorted({row["doc_id"] for row in documents if not row["duplicate_of"]} - asked)
    reasons: dict[str, set[str]] = defaultdict(set)
    facts = store.table(tables["triplets"]).select(["doc_id", "rejected_because"])
    facts = facts.filter(pc.is_in(facts["doc_id"], value_set=pa.array(left, pa.string())))
    for name, why in zip(facts["doc_id"].to_pylist(), facts["rejected_because"].to_pylist(), strict=True):
        reasons[name].add(why)
    nameless = tuple(name for name in left if reasons.get(name) == {"no_subject"})
    unread = tuple(name for name in left if name not in reasons)
    return WithoutQuestion(tuple(left), len({row["doc_id"] for row in documents}), unread, nameless, by_rules)


def _list(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    if len(names) <= NAMED + 1:  # a single name takes no more room than "1 more"
        return ", ".join(names)
    return f"{', '.join(names[:NAMED])} and {len(names) - NAMED:,} more"


def find_homes(store: Store, name: str, questions: Iterable[Question]) -> dict[str, str]:
    """The document of each gold chunk of the questions whose evidence has places; `name` is of the table of chunks."""
    wanted = sorted({name for question in questions if question.evidence_places for name in question.chunk_ids})
    if not wanted:
        return {}  # a table of chunks may be large
    chunks = store.table(name).select(["chunk_id", "doc_id"])
    mine = chunks.filter(pc.is_in(chunks["chunk_id"], value_set=pa.array(wanted)))
    return dict(zip(mine["chunk_id"].to_pylist(), mine["doc_id"].to_pylist(), strict=True))


def evidence_lines(question: Question, homes: Mapping[str, str]) -> Iterator[str]:
    """The gold sentences of a question, each with its document and place where it has a place in its source."""
    places = question.evidence_places or ("",) * len(question.evidence)
    for sentence, span, place in zip(question.evidence, question.evidence_spans, places, strict=True):
        where = ", ".join(filter(None, (homes.get(span.chunk_id, ""), place)))
        yield f"{_short(sentence)} ({where})" if place else _short(sentence)


def show(built: BuildResult, console: Console, *, verbose: bool = False) -> None:
    """Print the funnel, the census, a few questions, and where the benchmark lies.

    `verbose`: patterns, too, that the documents have none of, each kind of variant, and more questions.
    """
    console.print(as_table("Funnel", funnel_records(built.funnel, REASONS if verbose else BRIEF)))
    if patterns := census_records(built.census) if verbose else brief_census(built.census):
        console.print(as_table("Patterns", patterns))
    variants = keep_records(built.variants)
    if variants and verbose:
        console.print(as_table("Variants", variants))
    elif variants:
        console.print(describe_variants(built.variants), markup=False, highlight=False, soft_wrap=True)
    for title, records in model_records(built.spent).items():
        if title in OF_VERBOSE and not verbose:
            continue
        console.print(as_table(title, records))
    lines = [*built.spent.agreement, ""] if built.spent and built.spent.agreement else []
    for number, question in enumerate(built.questions[: SHOWN if verbose else BRIEF], 1):
        lines += [f"{number}. [{question.pattern}] {question.text}", f"   answer: {question.answer_in_words}"]
        lines += [f"   evidence: {shown}" for shown in evidence_lines(question, built.homes)] + [""]
    if built.breaches:
        count = sum(rows for *_, rows in built.breaches)
        examples = ", ".join(f"{rows:,} {kind}: {rule}" for kind, rule, rows in built.breaches[:REASONS])
        lines.append(f"{count:,} rows broke a rule of their contract and were set aside in breaches.jsonl ({examples})")
    if built.languages:
        lines.append(f"{built.languages}: they are passages like all others, and rules took no facts from them")
    if built.without_question:
        lines += built.without_question.describe(built.out)
    lines.append(f"Benchmark {built.version[:12]} lies in {built.out}")
    console.print("\n".join(lines), markup=False, highlight=False, soft_wrap=True)


def funnel_records(funnel: Sequence[FunnelStage], most: int = REASONS) -> list[dict[str, str]]:
    """The funnel as rows of a table, with the most frequent reasons for rejection."""
    return [
        {
            "stage": stage.name,
            "in": f"{stage.taken:,}",
            "made": f"{stage.made:,}",
            "kept": f"{stage.kept:,}",
            "rejected": format_reasons(stage.rejected, most),
        }
        for stage in funnel
    ]


def brief_census(census: Sequence[CensusRow]) -> list[dict[str, str]]:
    """The patterns that the documents have, in plain words, without columns that say the same of all of them."""
    rows = [row for row in census if int(row.eligible)]
    domains = len({row.domain for row in rows}) > 1
    crossing = any(row.crossing for row in rows)
    left = any(row.sampled < int(row.eligible) for row in rows)
    records = []
    for row, record in zip(rows, census_records(rows), strict=True):
        brief = {"pattern": row.pattern.replace("_", " ")}
        brief |= {"domain": row.domain} if domains else {}
        brief |= {"allowed": record["eligible"], "taken": record["taken"]}
        brief |= {"of several documents": record["across"]} if crossing else {}
        if left:
            brief["why no more"] = record["why no more"] if row.sampled < int(row.eligible) else ""
        records.append(brief)
    return records


def describe_variants(found: Tally) -> str:
    """Of how many kinds the variants are, and of which kinds there are none."""
    rates = list(found.each())
    none = [rate.name.replace("_", " ") for rate in rates if not rate.kept]
    lacking = f"; none of {', '.join(none)}" if none else ""
    return f"Variants: of {sum(rate.kept > 0 for rate in rates):,} kinds{lacking} (--verbose: each kind, and why not)\n"


def census_records(census: Sequence[CensusRow]) -> list[dict[str, str]]:
    """The census as rows of a table; `across` are those of several documents."""
    return [
        {
            "pattern": row.pattern,
            "domain": row.domain,
            "eligible": f"{'up to ' * row.at_most}{int(row.eligible):,}",
            "taken": f"{row.sampled:,}",
            "across": f"{row.crossing:,}",
            "why no more": row.reason.replace("_", " ") or f"quota of {row.quota:,}",
        }
        for row in census
    ]


def model_records(made: Spending | None) -> dict[str, list[dict[str, str]]]:
    """Tables of what models did, by title; empty ones are left out."""
    if made is None:
        return {}
    runs = f" (in {made.runs} runs)" if made.runs > 1 else ""
    tables = {
        f"Models{runs}": spending.usage_records(made),
        f"Tokens and money{runs}": spending.money_records(made),
        "How replies kept their schema": spending.schema_records(made),
        "Estimate → actual": spending.estimate_records(made),
        "Triplets of models": spending.yield_records(made),
    }
    return {title: records for title, records in tables.items() if records}


def create_artifacts(built: BuildResult, validations: Sequence[Validation]) -> None:
    """Create artifacts in Prefect of the funnel, the census, the questions and the contracts' results."""
    tables = {
        "funnel": ("Rows in, made, kept and rejected at every stage", funnel_records(built.funnel, 1_000)),
        "census": ("Eligible paths of every pattern, and those taken", census_records(built.census)),
        "contracts": (
            "How every table kept its contract",
            [_validation_record(validation) for validation in validations],
        ),
    }
    for name, found in (
        ("variants", {"Variants": records} if (records := keep_records(built.variants, 1_000)) else {}),
        ("models", model_records(built.spent)),
    ):
        tables |= {f"{name}-{place}": one for place, one in enumerate(found.items(), 1)}
    if built.breaches:
        aside = [{"table": kind, "rule": rule, "rows": count} for kind, rule, count in built.breaches]
        tables["breaches"] = ("Rows that broke a rule of their contract and were set aside", aside)
    for name, (description, records) in tables.items():
        create_artifact(built.out, name, description, records)
    create_artifact(
        built.out,
        "sample-questions",
        "A few accepted questions with their evidence",
        "\n\n".join(
            f"**{question.text}**\n\n{question.answer_in_words} ({question.pattern})\n\n"
            + "\n".join(f"> {shown}\n" for shown in evidence_lines(question, built.homes))
            for question in built.questions
        ),
    )


def _validation_record(validation: Validation) -> dict[str, Any]:
    broken = len(validation.broken)
    rules, aside = len(validation.results), validation.set_aside
    return {
        "stage": validation.stage,
        "rows": validation.rows,
        "rules": rules,
        "broken": broken,
        "set aside": aside,
    }


def _short(text: str, width: int = 200) -> str:
    return shorten(" ".join(text.split()), width)
