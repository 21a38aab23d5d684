"""One real question asked of a system under test: what comes back, and how an evaluation would score it."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from rarefy.data_contracts.rows import Answer, Chunk, Hits, Question, Score, Trial, Variant
from rarefy.data_contracts.tables import from_table
from rarefy.flows.cli.doctor import MISSING, OK, WRONG, Finding
from rarefy.flows.config import Config
from rarefy.flows.engine.benchmark_folder import open_benchmark
from rarefy.flows.engine.config_check import resolve_systems, system_faults
from rarefy.flows.engine.workers import count_cores
from rarefy.flows.faults import Fault
from rarefy.flows.models import accounting
from rarefy.tasks.evaluate.correct import score
from rarefy.tasks.evaluate.protocols import PROTOCOLS, cases, trial
from rarefy.tasks.evaluate.results.wording import count_of
from rarefy.tasks.evaluate.retrieve import retrieve
from rarefy.tasks.evaluate.systems.answer import AnswerConfig, answer, select_trials
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.evaluate.systems.http.client import LOG
from rarefy.tasks.evaluate.systems.http.config import find_variables
from rarefy.tasks.evaluate.systems.interface import System, explain_error
from rarefy.tasks.models.llm import InferenceContext
from rarefy.tasks.models.llm.faults import Stopped
from rarefy.tasks.store.tables import Store
from rarefy.tasks.text.characters import shorten

PROTOCOL = "rare"  # whose rule scores the answer
NAMED = {"own": "asked alone", "passages": "asked with passages", "closed_book": "asked without any"}
LONGEST = 300  # characters of a text that is shown
DECIDED = {  # stage of a score -> why it is right, why it is wrong
    "empty": ("", "there is no word in it"),
    "refusal": ("it says that it cannot answer, as it should", "it refuses to answer"),
    "exact": ("it is the answer, letter case and marks aside", ""),
    "contained": ("it states the answer", "it does not state the answer"),
    "value": ("it states the same value", "it states something else than the answer"),
    "judge": ("the judging model takes it for right", "the judging model takes it for wrong"),
}


def examine_system(config: Config, file: Path | None, name: str, benchmark: Path, store: str) -> Iterator[Finding]:
    """Yield a finding for each thing that an evaluation of a system needs, then for what it makes of one question."""
    try:
        system = resolve_systems(config, [name])[name]
    except Fault as fault:
        yield Finding("system", WRONG, str(fault))
        return
    yield Finding("system", OK, f"{name}: {_describe_kind(system)}; takes {', '.join(system.takes)}")
    if system.kind == "http":
        yield from _variables(system)
    if system.kind == "http" and system.http.reply.retrieved and "own" not in system.takes:
        takes = json.dumps(["own", *system.takes])
        way = f"add takes = {takes} to [systems.{name}], if it retrieves without passages"
        yield Finding("retrieved", MISSING, f"http.reply.retrieved is set, but it is never asked to retrieve: {way}")
    if faults := list(system_faults(name, system)):
        yield from (Finding("config", WRONG, f"{file or 'config'}: {fault}") for fault in faults)
        return
    try:
        opened = open_benchmark(benchmark, Store(store))
        rows = [Store(store).table(getattr(opened, kind)) for kind in ("questions", "chunks", "variants")]
        questions, chunks, variants = (
            list(from_table(table, row_type)) for table, row_type in zip(rows, (Question, Chunk, Variant), strict=True)
        )
    except (Fault, OSError) as fault:
        yield Finding("benchmark", WRONG, str(fault))
        return
    question = next((row for row in questions if row.pattern == "single"), questions[0])
    yield Finding("benchmark", OK, f"{opened.name} {opened.version[:12]}, question {question.question_id}")
    yield Finding("question", OK, question.text)
    forms = [form for form in question.aliases if form != question.answer]
    others = f" (or {'; '.join(forms)})" if forms else ""
    yield Finding(
        "gold answer", OK, f"{question.answer}{others}" if question.answer else "none: the corpus says nothing"
    )
    its = [row for row in variants if row.question_id == question.question_id]
    yield from _ask(config, name, system, question, its, {row.chunk_id: row for row in chunks}, store)


def _describe_kind(system: SystemConfig) -> str:
    if system.kind == "http":
        return f"http at {system.http.url}"
    if ":" not in system.kind:
        return system.kind
    module = sys.modules.get(system.kind.partition(":")[0])
    return f"function {system.kind} of {getattr(module, '__file__', None) or 'no file'}"


def _variables(system: SystemConfig) -> Iterator[Finding]:
    http = system.http
    for variable in sorted(set(find_variables(http.url, http.request, list(http.headers.values())))):
        is_set = bool(os.environ.get(variable, "").strip())
        yield Finding(variable, OK if is_set else WRONG, "is set" if is_set else f"is not set: export {variable}=...")


def _ask(
    config: Config,
    name: str,
    system: SystemConfig,
    question: Question,
    variants: list[Variant],
    chunks: dict[str, Chunk],
    store: str,
) -> Iterator[Finding]:
    """Ask the question in each way that the system takes, through the very functions of an evaluation."""
    (case,) = cases([question], variants, chunks)
    tried = [
        trial(PROTOCOL, case, "doctor", given, passage_ids=question.chunk_ids if given == "passages" else ())
        for given in NAMED
    ]
    # an evaluation remembers answers and replies; this one asks anew, and leaves nothing behind
    with TemporaryDirectory() as folder:
        means = InferenceContext(serving=config.serving)
        try:
            connected = system.connect(Path(folder), threads=count_cores(), means=means)
        except (Stopped, ValueError, OSError) as error:
            yield Finding("system", WRONG, str(error))
            return
        for one in select_trials(tried, system):
            found: list[Hits] = []
            if one.given == "own" and not system.retrieves:
                if system.retriever not in (there := config.retrieve.retrievers):
                    way = f"{system.retriever!r} is not in retrieve.retrievers ({', '.join(there)}); add it there"
                    yield Finding("retriever", WRONG, way)
                    continue
                wanted = config.retrieve.model_copy(update={"retrievers": (system.retriever,)})
                retrievers = wanted.connect(accounting.cache_folder(Store(store)), threads=count_cores())
                found = list(retrieve([case.original], wanted, chunks=chunks, retrievers=retrievers))
            LOG.disabled = True  # what it would warn of is among the findings
            try:
                findings = list(
                    _ask_once(config, name, system, one, question, [case.original], chunks, found, connected, store)
                )
            finally:
                LOG.disabled = False
            yield from findings


def _ask_once(
    config: Config,
    name: str,
    system: SystemConfig,
    one: Trial,
    question: Question,
    variants: list[Variant],
    chunks: dict[str, Chunk],
    found: list[Hits],
    connected: System,
    store: str,
) -> Iterator[Finding]:
    questions, asked = {question.question_id: question}, NAMED[one.given]
    try:
        rows = answer(
            [one],
            AnswerConfig(name=name, system=system),
            questions=questions,
            variants={row.variant_id: row for row in variants},
            chunks=chunks,
            hits={row.hits_id: row for row in found},
            system=connected,
        )
        (came,) = (row for row in rows if isinstance(row, Answer))
    except (Stopped, ValueError, OSError) as error:
        yield Finding(asked, WRONG, str(error))
        return
    shown = f", {count_of(came.shown, 'passage')} given" if one.given == "passages" or found else ""
    if came.error:
        detail = f" ({came.detail})" if came.detail else ""
        yield Finding(
            asked, WRONG, f"{came.error} after {came.seconds:.2f} s{shown}: {explain_error(came.error)}{detail}"
        )
        return
    yield Finding(asked, OK, f"{came.seconds:.2f} s{shown}{_describe_usage(came)}")
    yield Finding("  answer", OK if came.text.strip() else MISSING, _describe_text(came, system))
    if one.given == "own" and system.retrieves:
        yield _describe_retrieved(came, system, chunks)
    judge = config.correct.judge
    model = None
    if judge.provider:
        context = accounting.inference_context(config, "", 0, 0.0, [judge])
        model = judge.connect(accounting.cache_folder(Store(store)), threads=1, means=context)
    try:
        scores = list(score([came], config.correct, trials={one.trial_id: one}, questions=questions, judge=model))
    except Stopped as error:
        yield Finding("  judge", WRONG, str(error))
        return
    yield from (_describe_score(row, question) for row in scores if isinstance(row, Score))


def _describe_usage(came: Answer) -> str:
    told = [f"{count:,} {what}" for count, what in (
        (came.prompt_tokens, "tokens in"), (came.completion_tokens, "tokens out")
    ) if count]  # fmt: skip
    return "".join(f", {part}" for part in told) + (f", cost {came.cost:g}" if came.cost else "")


def _describe_text(came: Answer, system: SystemConfig) -> str:
    if system.kind == "http" and system.http.format != "text":
        where = f", read at http.reply.answer = {system.http.reply.answer}"
    else:
        where = ""
    said = {True: ", marked by the system as a refusal", False: ", marked by the system as no refusal", None: ""}
    return f'"{_shorten(came.text)}"{where}{said[came.refused]}'


def _describe_retrieved(came: Answer, system: SystemConfig, chunks: dict[str, Chunk]) -> Finding:
    """What the system says it retrieved, which its retriever can be measured by."""
    if not came.retrieved:
        where = (
            f"no list at http.reply.retrieved = {system.http.reply.retrieved}"
            if system.http.reply.retrieved
            else "http.reply.retrieved is not set"
            if system.kind == "http"
            else 'no "retrieved" in what it gave back'
        )
        return Finding("  retrieved", MISSING, f"{where}: its retriever cannot be measured, its answers can")
    ours = sum(one.passage_id in chunks for one in came.retrieved)
    texts = sum(bool(one.text.strip()) for one in came.retrieved if one.passage_id not in chunks)
    lost = len(came.retrieved) - ours - texts
    parts = [f"{ours:,} by the benchmark's chunk_id" * bool(ours), f"{texts:,} by their text" * bool(texts)]
    parts += [f"{lost:,} with neither a known id nor a text, which count as nothing" * bool(lost)]
    first = came.retrieved[0]
    named = f'the first is {first.passage_id or "without an id"}: "{_shorten(first.text, 80)}"'
    held = "" if came.gold < 0 else f"; {came.gold:.0%} of the gold passages among them"
    known = "; ".join(filter(None, parts))
    return Finding(
        "  retrieved", MISSING if lost else OK, f"{count_of(len(came.retrieved), 'passage')} ({known}){held}; {named}"
    )


def _describe_score(row: Score, question: Question) -> Finding:
    rule = PROTOCOLS[row.protocol].title
    if row.status != "scored" or row.value is None:
        why = row.why.removeprefix("judge_needed: ")
        if row.why.startswith("judge_needed"):
            way = f'no rule decides ({_plain(why)}): name a model in [correct.judge], or unmatched = "wrong"'
            return Finding("  scored", MISSING, f"not scored by the rule of {rule}: {way}")
        return Finding("  scored", WRONG, f"not scored by the rule of {rule}: {_plain(row.why)}")
    verdict = "right" if row.value == 1 else "wrong" if row.value == 0 else f"{row.value:.2f}"
    decided = DECIDED.get(row.stage, ("", ""))[0 if row.value else 1] or row.stage
    matched = f' ("{_shorten(row.matched, 80)}")' if row.matched else ""
    why = f" ({_plain(row.why)})" if row.why else ""
    gold = question.answer or "that the corpus says nothing of it"
    return Finding("  scored", OK, f'{verdict}: {decided}{matched}{why}; gold is "{gold}" (rule of {rule})')


def _plain(code: str) -> str:
    return _shorten(code.replace("_", " "))


def _shorten(text: str, most: int = LONGEST) -> str:
    return shorten(" ".join(text.split()), most)
