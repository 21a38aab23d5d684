"""The command `rarefy scenario fit`: a user's own retriever's passages, classified and made a scenario (M14)."""

import dataclasses
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rarefy.data_contracts.rows import Chunk, Classified, Question, Retrieved, Unanswered
from rarefy.flows.faults import UsageFault
from rarefy.flows.mix import read_records, read_rows
from rarefy.flows.models import accounting
from rarefy.tasks.export.files import put_file, to_json_lines
from rarefy.tasks.models.embed import EmbedConfig
from rarefy.tasks.models.llm import LLM
from rarefy.tasks.models.llm.faults import Stopped
from rarefy.tasks.perturb.mix import ObservedMix, classify, measure_mix, render_observed, render_scenario_file
from rarefy.tasks.perturb.mix.classify import UNCLEAR, ClassifyConfig

LISTS = ("passages", "contexts", "retrieved", "retrieved_contexts", "documents", "docs", "ctxs", "hits")
IDS = ("question_id", "query_id", "qid", "id", "_id")
PASSAGE_IDS = ("passage_id", "chunk_id", "doc_id", "id", "_id", "docid", "pid")
MUCH = 0.3  # unclear passages, from which on the shares say little


@dataclass(frozen=True)
class ScenarioFit:
    """A scenario fitted to what a retriever found, with the counts behind it."""

    observed: list[ObservedMix]
    chosen: ObservedMix  # the one that the scenario is made of
    classified: list[Classified]
    questions: int  # of the benchmark
    unknown: int  # passages of questions that the benchmark has not
    failed: int  # requests to a model without an answer


def fit(
    retrieved: Path,
    bench: Path,
    *,
    out: Path | None = None,
    name: str = "",
    k: int = 0,
    by: str = "rules",
    embedder: bool = False,
    passages_out: Path | None = None,
    llm: LLM | None = None,
) -> ScenarioFit:
    """Classify what a retriever gave for a benchmark's questions; with `out` write the scenario, as `name`.

    `retrieved` is JSON lines or a TREC run; `k` is the depth of the scenario (0: 10, or as deep as there is).
    `embedder` has the topic of passages without a known document judged by embeddings; `passages_out` gets every
    passage with its class and why. UsageFault where something is not as it must be, SpentFault where a budget is used
    up: what was answered is remembered.
    """
    for file in filter(None, (out, passages_out)):
        if not file.parent.is_dir():
            raise UsageFault(f"{file}: there is no folder {file.parent}")
    questions = {row.question_id: row for row in read_rows(bench, Question) if not row.rejected_because}
    chunks = {row.chunk_id: row for row in read_rows(bench, Chunk, needed=False)}
    found = list(read(retrieved, questions, chunks))
    known = [one for one in found if one.question_id in questions]
    if not known:
        raise UsageFault(
            f"{retrieved}: none of its {len(found):,} passages is for a question of {bench}; are the ids those of its "
            "questions?"
        )
    try:
        config = ClassifyConfig.model_validate({"by": by})
        embed = EmbedConfig().connect() if embedder else None
        results = list(classify(known, config, questions=questions, chunks=chunks, embed=embed, llm=llm))
    except ValueError as error:
        raise UsageFault(str(error)) from error
    except Stopped as stopped:  # what was answered is remembered: the same command goes on from there
        raise accounting.stop_fault(stopped, "") from stopped
    classified = [row for row in results if isinstance(row, Classified)]
    depths = measure_mix(classified, questions)
    deepest = max(row.k for row in depths)
    if k > deepest:
        raise UsageFault(f"{retrieved}: no question has {k} passages; the deepest has {deepest}")
    (chosen,) = [row for row in measure_mix(classified, questions, [k or min(10, deepest)]) if row.group == "all"]
    if out:
        try:
            text = render_scenario_file(name or out.stem, chosen)
        except ValueError as error:
            raise UsageFault(str(error)) from error
        put_file(out, [text.encode()])
    if passages_out:
        put_file(passages_out, to_json_lines(dataclasses.asdict(row) for row in classified))
    failed = sum(isinstance(row, Unanswered) for row in results)
    return ScenarioFit(depths, chosen, classified, len(questions), len(found) - len(known), failed)


def show(fitted: ScenarioFit) -> str:
    """The fit as lines of text: the mixes, and what they do not say."""
    asked = len({row.question_id for row in fitted.classified})
    text_lines = [
        f"{len(fitted.classified):,} passages of {asked:,} of {fitted.questions:,} questions; shares in per cent of "
        "those that were told apart, with 95 % intervals",
        render_observed(fitted.observed),
    ]
    if fitted.unknown:
        text_lines.append(
            f"{fitted.unknown:,} passages are for questions that the benchmark has not, and are not counted"
        )
    if fitted.failed:
        text_lines.append(f"{fitted.failed:,} requests to the model got no answer; their passages are unclear")
    blind = [row for row in fitted.classified if row.scores.get("placed", 1.0) == 0 and "alike" not in row.scores]
    if blind:
        text_lines.append(
            f"{len(blind):,} passages are of no known document and told by their words alone, which takes many that "
            "are on the topic for irrelevant: give ids, titles or chunks, or use the embedder"
        )
    one = fitted.chosen
    if one.short:
        text_lines.append(f"{one.short:,} questions have fewer than {one.k} passages")
    why = Counter(row.why.partition(":")[0] for row in fitted.classified if row.label == UNCLEAR)
    text_lines += [f"unclear: {count:,}, {reason}" for reason, count in why.most_common(3)]
    if one.passages and one.unclear > MUCH * one.passages:
        text_lines.append(
            f"{one.unclear / one.passages:.0%} of the passages are unclear, so that the shares say little: give the "
            "passages' ids, or a benchmark with its chunks, or have a model tell them apart"
        )
    return "\n".join(text_lines)


def read(file: Path, questions: Mapping[str, Question], chunks: Mapping[str, Chunk]) -> Iterator[Retrieved]:
    """The passages of a file: JSON lines of a question's passages, or of one passage each, or a TREC run.

    Passages are texts, ids of the benchmark's chunks, or objects with `text`, an id, `title`, `rank`, `score`. A line
    names its question by id or, as `question`, by its words. UsageFault names the line that says neither.
    """
    if not _is_json(file):
        yield from _run(file, chunks)
        return
    by_text = {" ".join(row.text.casefold().split()): row.question_id for row in questions.values()}
    single: Counter[str] = Counter()
    for at, record in read_records(file):
        place = f"{file}:{at}"
        question_id = _question(record, by_text, place)
        several = next((record[name] for name in LISTS if isinstance(record.get(name), list)), None)
        if several is None:
            single[question_id] += 1
            yield _passage(record, question_id, single[question_id], chunks, place)
        else:
            for rank, one in enumerate(several, 1):
                yield _passage(one, question_id, rank, chunks, place)


def _question(record: Mapping[str, Any], by_text: Mapping[str, str], place: str) -> str:
    for name in IDS:
        if record.get(name) not in (None, ""):
            return str(record[name])
    words = record.get("question") or record.get("query")
    if not isinstance(words, str):
        raise UsageFault(f"{place}: no question_id, and no question")
    return by_text.get(" ".join(words.casefold().split()), words)


def _passage(one: Any, question_id: str, rank: int, chunks: Mapping[str, Chunk], place: str) -> Retrieved:
    record = one if isinstance(one, dict) else {"id" if str(one) in chunks else "text": one}
    names = [name for name in PASSAGE_IDS if record.get(name) not in (None, "")]
    passage_id = next((str(record[name]) for name in names if str(record[name]) in chunks), "")
    if not passage_id and isinstance(one, dict) and not any(name in one for name in LISTS):
        passage_id = next((str(record[name]) for name in names if name not in IDS), "")
    text = next((record[name] for name in ("text", "content", "contents", "page_content") if record.get(name)), "")
    if not isinstance(text, str) or not (text or passage_id in chunks):
        raise UsageFault(f"{place}: passage {rank} has no text, and no id of a chunk of the benchmark")
    doc_id = str(record.get("doc_id") or "")
    try:
        place_, score = int(record.get("rank") or rank), record.get("score")
        return Retrieved(
            question_id,
            place_,
            text or chunks[passage_id].text,
            score=None if score is None else float(score),
            passage_id=passage_id,
            doc_id="" if doc_id == passage_id else doc_id,
            title=str(record.get("title") or ""),
        )
    except (TypeError, ValueError) as error:
        raise UsageFault(f"{place}: passage {rank}: {error}") from error


def _is_json(file: Path) -> bool:
    try:
        with file.open(encoding="utf-8-sig") as stream:
            return next((line for line in stream if line.strip()), "{").lstrip().startswith("{")
    except UnicodeDecodeError as error:
        raise UsageFault(f"{file}: not UTF-8 ({error.reason})") from error
    except OSError as error:
        raise UsageFault(f"{file}: {error.strerror}") from error


def _run(file: Path, chunks: Mapping[str, Chunk]) -> Iterator[Retrieved]:
    """A TREC run: question, Q0, passage, rank, score, name of the run; ranked by score, as trec_eval does."""
    found: dict[str, list[tuple[float, str]]] = {}
    with file.open(encoding="utf-8-sig") as stream:
        for at, line in enumerate(stream, 1):
            parts: Sequence[str] = line.split()
            if not parts:
                continue
            if len(parts) != 6:
                raise UsageFault(f"{file}:{at}: neither JSON nor a line of a TREC run, which has six parts")
            if parts[2] not in chunks:
                raise UsageFault(f"{file}:{at}: no chunk {parts[2]!r} in the benchmark")
            try:
                found.setdefault(parts[0], []).append((-float(parts[4]), parts[2]))
            except ValueError as error:
                raise UsageFault(f"{file}:{at}: {error}") from error
    for question_id, hits in found.items():
        for rank, (score, name) in enumerate(sorted(hits), 1):
            yield Retrieved(question_id, rank, chunks[name].text, -score, name)
