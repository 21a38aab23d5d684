"""Answers made anywhere: the file of what is to be asked, and the evaluation of a file of answers."""

import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pyarrow.compute as pc

from rarefy.data_contracts.rows import GIVEN
from rarefy.flows.config import Config
from rarefy.flows.engine.benchmark_folder import open_benchmark
from rarefy.flows.engine.config_check import resolve_protocols
from rarefy.flows.engine.progress import ProgressBoard
from rarefy.flows.engine.run import Run
from rarefy.flows.evaluate import EvaluationResult, evaluate, plan_sample, render_calls
from rarefy.flows.faults import UsageFault
from rarefy.flows.reports.console import Terminal
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.evaluate.systems.interface import SystemInput
from rarefy.tasks.evaluate.systems.recorded import (
    LeftOutLine,
    RecordedAnswers,
    TemplateSelection,
    answer_id,
    load_answers,
    question_key,
)
from rarefy.tasks.export.files import put_file, to_json_lines
from rarefy.tasks.store.tables import Store

SHOWN = 3  # lines that answer nothing are named, so many of them on the terminal
LEFT_OUT = "left_out.jsonl"  # in the result: lines of the file of answers that answer nothing
MOSTLY = 0.9  # of what is asked: with fewer answers, that is said before all else
FEW = 0.5  # of the questions: with fewer answered, these are looked at alone; with more, the rest is missing
UNREAD = "answers.jsonl"  # stands for the file where there is none yet


def list_inputs(
    bench: Path,
    config: Config,
    *,
    takes: Sequence[str] = GIVEN,
    protocol: Sequence[str] = (),
    split: str = "",
    questions: int = 0,
    store: str = ".rarefy",
    quiet: bool = False,
    only: Sequence[str] = (),
) -> list[SystemInput]:
    """What an evaluation asks a system that takes these, each once, what is asked without passages first."""
    system = SystemConfig.model_validate({"kind": "recorded", "recorded": {"file": UNREAD}, "takes": tuple(takes)})
    board = ProgressBoard(Terminal(stderr=True), quiet)
    run = Run(Store(store), board, budget=config.breach_budget)
    with board.open():
        plan, _ = plan_sample(
            run, bench, {"recorded": system}, resolve_protocols(protocol), config, split, questions, only
        )
        found = {one.asked_id: one for _, one in render_calls(run.store, plan, "recorded", system)}
    order = {given: place for place, given in enumerate(("own", "closed_book", "passages"))}
    return sorted(found.values(), key=lambda one: order[answer_id(one).partition("-")[0]])


def write_template(out: Path, inputs: Sequence[SystemInput], selection: TemplateSelection) -> None:
    """Write a line for each input: its id, question, passages (null: retrieve; []: none), and `answer` to fill in.

    Where not all is asked, each line has the `selection`, too, so that its answers are scored for the same.
    """
    put_file(out, to_json_lines(_template_line(one, selection) for one in inputs))


def _template_line(asked: SystemInput, selection: TemplateSelection) -> dict[str, Any]:
    passages = None
    if asked.passages is not None:
        passages = [{"id": one.passage_id, "title": one.title, "text": one.text} for one in asked.passages]
    line = {"id": answer_id(asked), "question": asked.query, "passages": passages, "answer": None}
    chosen = selection.model_dump(mode="json", exclude_defaults=True)
    return line | ({"selection": chosen} if chosen else {})


def say_selection(options: Mapping[str, Any]) -> list[str]:
    """What is asked, as options of the command line: `--protocol rare`, `--questions 6`."""
    several = ((name, [value] if isinstance(value, str | int) else value) for name, value in options.items())
    return [f"--{name} {value}" for name, values in several for value in values if value]


def score_answers(
    file: Path,
    bench: Path,
    out: Path,
    config: Config = Config(),  # noqa: B008  (frozen)
    *,
    name: str = "",
    protocol: Sequence[str] = (),
    split: str = "",
    questions: int = 0,
    store: str = ".rarefy",
    quiet: bool = False,
    **options: Any,
) -> EvaluationResult:
    """Evaluate the answers in a file as those of a system; `options` are those of `evaluate`.

    Of protocols, split and number of questions, what is not given is that of the template, as the lines say it.
    Where most questions have no answer, those that have one are scored alone. Lines that answer nothing that is asked
    are counted, named, and written into left_out.jsonl of the result.
    UsageFault where the file cannot be read, or none of its lines answers anything.
    """
    try:
        answers = load_answers(str(file))
    except (ValueError, OSError) as error:
        raise UsageFault(str(error)) from error
    if not answers.by_id and not answers.by_question:
        found = f" (they have {', '.join(answers.columns)})" if answers.columns else ""
        raise UsageFault(f"{file}: no line has an answer{found}; fill in `answer`, beside the id of the template")
    takes = answers.takes or GIVEN  # ids of something else are all unknown
    template = answers.selection
    which: dict[str, Any] = {
        "protocol": protocol or template.protocol,
        "split": split or template.split,
        "questions": questions or template.questions,
    }
    told = say_selection(which)
    if not quiet and told != say_selection({"protocol": protocol, "split": split, "questions": questions}):
        print(f"Scored for what its template asked: {' '.join(told)}", file=sys.stderr)
    only = _answered_questions(answers, bench, Store(store), which["split"], which["questions"], quiet)
    which |= {"store": store, "quiet": quiet, "only": only}
    inputs = list_inputs(bench, config, takes=takes, **which)
    unknown = _name_split(answers.find_unknown(inputs), bench, Store(store), which["split"])
    way_out = _way_out(answers)
    if len(unknown) == len(answers.places):
        raise UsageFault(
            f"{file}: none of its {len(unknown):,} answers is to what is asked here, the first {unknown[0].name!r} "
            f"({unknown[0].place}); give {f'the benchmark, and {way_out}' if way_out else 'the benchmark that asks it'}"
            f"{_say_other_split(unknown)}"
        )
    answered = sum(answers.find(one) is not None for one in inputs)
    if not quiet and answered < MOSTLY * len(inputs):
        changed = _say_changed(answers, inputs, bench, Store(store), which)
        print(
            f"{file.name} answers {answered:,} of the {len(inputs):,} things that are asked here; the others are "
            f"missing in the result{changed}. Fill them in{f', or give {way_out}' if way_out else ''}",
            file=sys.stderr,
        )
    name = name or file.stem
    system = SystemConfig.model_validate({"kind": "recorded", "recorded": {"file": str(file)}, "takes": takes})
    config = config.model_copy(update={"systems": {**config.systems, name: system}})
    result = evaluate(str(bench), str(out), config, [name], **which, **options)
    _write_left_out(out, file, [*answers.left_out, *unknown], quiet)
    return result


def _way_out(answers: RecordedAnswers) -> str:
    """What to give where lines answer something else than what is asked; "" of answers that are of no template."""
    return "the --protocol, --split and --questions of its template" if answers.by_id else ""


def _name_split(lines: Sequence[LeftOutLine], bench: Path, store: Store, split: str) -> list[LeftOutLine]:
    """The lines that answer nothing, those of a question of another split as such: `other_split`."""
    if not lines or split == "all":
        return list(lines)
    every = open_benchmark(bench, store, split="all")
    of = dict(zip(*(store.table(every.questions)[name].to_pylist() for name in ("question_id", "split")), strict=True))
    variants = store.table(every.variants).filter(pc.field("side") == "query")
    names, texts = (variants[name].to_pylist() for name in ("question_id", "text"))
    where = {question_key(text): of[name] for name, text in zip(names, texts, strict=True)}
    return [
        replace(
            one,
            reason="other_split",
            detail=f"a question of the {where[one.name]} split, which is not asked here; --split all asks it",
        )
        if where.get(one.name)
        else one
        for one in lines
    ]


def _say_other_split(lines: Sequence[LeftOutLine]) -> str:
    """Whether some of these lines answer a question of another split, with an example."""
    other = [one for one in lines if one.reason == "other_split"]
    return f". {len(other):,} of them are of another split: {_why_left_out(other[0])}" if other else ""


def _say_changed(
    answers: RecordedAnswers, inputs: Sequence[SystemInput], bench: Path, store: Store, which: Mapping[str, Any]
) -> str:
    """How many of those without an answer are changed wordings of questions."""
    missing = [one for one in inputs if answers.find(one) is None]
    opened = open_benchmark(bench, store, split=which["split"], most=which["questions"])
    unchanged = {question_key(text) for text in store.table(opened.questions)["text"].to_pylist()}
    changed = sum(question_key(one.query) not in unchanged for one in missing)
    count = "all" if changed == len(missing) else f"{changed:,}"
    return (
        f", {count} of these {len(missing):,} because changed wordings of questions are asked, too" if changed else ""
    )


def _answered_questions(
    answers: RecordedAnswers, bench: Path, store: Store, split: str, questions: int, quiet: bool
) -> list[str]:
    """The questions that have an answer, by the wordings that lines name; none where all are asked, as most have one.

    Passages are retrieved for these alone, so that a few answers are scored at once. Without a question's wording in
    each line with an answer nothing tells which one it answers before all is retrieved.
    """
    opened = open_benchmark(bench, store, split=split, most=questions)
    table = store.table(opened.variants).filter(pc.field("side") == "query")
    asked: dict[str, set[str]] = defaultdict(set)
    for name, text in zip(table["question_id"].to_pylist(), table["text"].to_pylist(), strict=True):
        asked[question_key(text)].add(name)
    if not answers.wordings <= asked.keys():
        return []
    found = sorted({name for wording in answers.wordings for name in asked[wording]})
    if len(found) >= FEW * opened.asked:
        return []
    if not quiet:
        print(
            f"{len(found):,} of the {opened.asked:,} questions that are asked here have an answer; the others are left "
            f"out. Fill them in{f', or give {way_out}' if (way_out := _way_out(answers)) else ''}",
            file=sys.stderr,
        )
    return found


def _why_left_out(line: LeftOutLine) -> str:
    if line.reason == "other_split":
        return f"{line.name} is {line.detail}"
    return f"{line.reason} {line.name}".rstrip()


def _write_left_out(out: Path, file: Path, lines: Sequence[LeftOutLine], quiet: bool) -> None:
    """Put the lines that answer nothing beside the result, and name the first; without any, there is no file."""
    put_file(out / LEFT_OUT, to_json_lines(map(asdict, lines)) if lines else None)
    if lines and not quiet:
        first = "; ".join(f"{one.place}: {_why_left_out(one)}" for one in lines[:SHOWN])
        count = f"{len(lines):,} lines of {file.name} answer nothing"
        print(f"{count} ({first}); {out / LEFT_OUT} has all", file=sys.stderr)
