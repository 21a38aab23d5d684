"""Recorded answers as a system under test: what any system said elsewhere, read from a file and looked up."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import GIVEN
from rarefy.tasks.evaluate.systems.callable_system import (
    RESPONSE_KEYS,
    TooLarge,
    WrongType,
    coerce_response,
)
from rarefy.tasks.evaluate.systems.interface import NO_ANSWER, System, SystemInput, SystemOutput
from rarefy.tasks.export.files import sha256
from rarefy.tasks.perturb.layouts.records import Skipped, is_empty, parse_rows, parse_text, read_records


class RecordedConfig(BaseModel, frozen=True, extra="forbid"):
    """Where the answers are."""

    file: str = Field("", description="JSON lines, JSON, CSV or Parquet with id (or question), answer, retrieved")

    def identity(self) -> dict[str, Any]:
        """Return what determines the answers: the bytes of the file; ValueError where there is none."""
        return {"answers": _digest(self.file, *_state(self.file))}


@dataclass(frozen=True, slots=True)
class LeftOutLine:
    """A line of the file that answers nothing, and why."""

    place: str
    name: str  # its id, or its question
    reason: str  # unknown | other_split | answered_twice | no_id, or a code of rarefy.tasks.perturb.layouts.records
    detail: str


class TemplateSelection(BaseModel, frozen=True, extra="forbid"):
    """Which questions of which protocols a template asks, as its lines say it; empty where all are asked."""

    protocol: tuple[str, ...] = ()
    split: str = ""
    questions: int = Field(default=0, ge=0)


@dataclass(slots=True)
class RecordedAnswers:
    """The answers of a file: by id, or for lines without one by the question, which was asked without passages."""

    by_id: dict[str, dict[str, Any]] = field(default_factory=dict)
    by_question: dict[str, dict[str, Any]] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)  # of each id or question
    unfilled: set[str] = field(default_factory=set)  # ids and questions of lines without an answer
    wordings: set[str] = field(default_factory=set)  # the questions of lines with an answer, "" of one that names none
    selections: list[TemplateSelection] = field(default_factory=list)  # that its lines name, each once
    left_out: list[LeftOutLine] = field(default_factory=list)
    columns: dict[str, None] = field(default_factory=dict)  # that its lines have, in order

    @property
    def takes(self) -> tuple[str, ...]:
        """Return what the system behind the answers was asked with, as the ids say."""
        found = {name.partition("-")[0] for name in self.by_id} | ({"own"} if self.by_question else set())
        return tuple(given for given in GIVEN if given in found)

    def find(self, asked: SystemInput) -> dict[str, Any] | None:
        """Return the answer to an input: by its id, else by its question where no passages are given with it."""
        by_question = self.by_question if asked.passages is None and not asked.repeat else {}
        return self.by_id.get(answer_id(asked)) or by_question.get(question_key(asked.query))

    @property
    def selection(self) -> TemplateSelection:
        """Return what its template asked; all, where its lines do not say so with one voice."""
        return self.selections[0] if len(self.selections) == 1 else TemplateSelection()

    def explain_missing(self, asked: SystemInput, file: str) -> str:
        """Return why an input has no answer."""
        name = answer_id(asked)
        if name in self.unfilled or (asked.passages is None and question_key(asked.query) in self.unfilled):
            return f"the line of {name} in {file} has no answer"
        return f"{file} has no line for {name}"

    def find_unknown(self, inputs: Iterable[SystemInput]) -> list[LeftOutLine]:
        """Return the lines that answer none of these inputs."""
        asked = list(inputs)
        ids = {answer_id(one) for one in asked}
        questions = {question_key(one.query) for one in asked if one.passages is None}
        unknown = [name for name in self.by_id if name not in ids]
        unknown += [name for name in self.by_question if name not in questions]
        why = "nothing that is asked has this id or, without an id, this question"
        return [LeftOutLine(self.places[name], name, "unknown", why) for name in unknown]


def answer_id(asked: SystemInput) -> str:
    """Return the id of an input in a file of answers: how it is asked, and the hash of what is asked."""
    given = "own" if asked.passages is None else "passages" if asked.passages else "closed_book"
    return f"{given}-{asked.asked_id}"


def question_key(text: str) -> str:
    """Return a question as it is compared, whatever its white space."""
    return " ".join(text.split())


def load_answers(file: str) -> RecordedAnswers:
    """Return the answers of a file, read once; ValueError or OSError where it cannot be read."""
    return _load(file, *_state(file))


def recorded(config: RecordedConfig) -> System:
    """Return the system that looks its answers up; an input without one gets the error NO_ANSWER."""

    name = Path(config.file).name

    def system(asked: Iterable[SystemInput]) -> Iterator[SystemOutput]:
        answers = load_answers(config.file)
        for question in asked:
            found = answers.find(question)
            if found:
                yield _make_output(question.asked_id, found)
            else:
                detail = answers.explain_missing(question, name)
                yield SystemOutput(question.asked_id, error=NO_ANSWER, detail=detail)

    return system


def _make_output(asked_id: str, record: dict[str, Any]) -> SystemOutput:
    try:
        return coerce_response(asked_id, record)
    except WrongType as error:
        return SystemOutput(asked_id, error="wrong_type", detail=str(error))
    except TooLarge as error:
        return SystemOutput(asked_id, error="too_large", detail=str(error))


def _state(file: str) -> tuple[int, int]:
    try:
        state = Path(file).stat()
    except OSError as error:
        raise ValueError(f"{file}: {error.strerror}; check the path of the file of answers") from error
    return state.st_mtime_ns, state.st_size


@lru_cache(maxsize=8)
def _digest(file: str, _changed: int, _size: int) -> str:
    return sha256(Path(file))


@lru_cache(maxsize=2)
def _load(file: str, _changed: int, _size: int) -> RecordedAnswers:
    answers = RecordedAnswers()
    for found in read_records(Path(file)):
        if isinstance(found, Skipped):
            answers.left_out.append(LeftOutLine(found.place, "", found.reason, found.detail))
            continue
        place, line = found
        answers.columns |= dict.fromkeys(line)
        if not is_empty(line.get("selection")):
            selection = _read_selection(line["selection"], place)
            answers.selections += [] if selection in answers.selections else [selection]
        record = _read_record(line, empty=Path(file).suffix.lower() not in (".csv", ".tsv"))
        name = str(line.get("id") or "").strip()
        wording = question_key(str(line.get("question") or ""))
        question = "" if name else wording
        if not name and not question:
            detail = "a line names what it answers: the id of the template, or the question"
            answers.left_out.append(LeftOutLine(place, "", "no_id", detail))
        elif record is None:
            answers.unfilled.add(name or question)
        elif (before := answers.places.get(name or question)) is not None:
            known = answers.by_id if name else answers.by_question
            if known[name or question] != record:
                detail = f"{before} has another answer to it, which counts"
                answers.left_out.append(LeftOutLine(place, name or question, "answered_twice", detail))
        else:
            answers.places[name or question] = place
            answers.wordings.add(wording)
            (answers.by_id if name else answers.by_question)[name or question] = record
    return answers


def _read_selection(said: Any, place: str) -> TemplateSelection:
    """Return what a line says of its template; in a table of cells it is JSON."""
    try:
        found = json.loads(said) if isinstance(said, str) else said
        kept = {key: value for key, value in found.items() if not is_empty(value)}
        return TemplateSelection.model_validate(kept)
    except (ValueError, AttributeError) as error:
        raise ValueError(
            f"{place}: `selection` is not that of a template; copy it from there, or leave it out"
        ) from error


def _read_record(line: Mapping[str, Any], *, empty: bool) -> dict[str, Any] | None:
    """Return what a line says, as a function would; None where it is not filled in.

    `empty`: whether an empty text is an answer; in a table of cells it is none.
    """
    said = {key: line[key] for key in RESPONSE_KEYS if not is_empty(line.get(key))}
    answer = line.get("answer")
    if isinstance(answer, str) and (answer or empty):
        said["answer"] = answer
    elif isinstance(answer, bool | int | float) and not is_empty(answer):
        said["answer"] = parse_text(answer, "answer")
    if isinstance(said.get("retrieved"), str):  # a cell of a table
        said["retrieved"] = parse_rows(said["retrieved"], "retrieved")
    return said if "answer" in said or "error" in said else None
