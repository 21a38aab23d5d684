"""A job is known by what it takes, and makes it once."""

import json
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from pydantic import BaseModel

from rarefy.data_contracts.breaches import PACKAGE, breach_of_error
from rarefy.data_contracts.rows import Breach, Chunk, Document, Quarantined, row_id
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.tasks.store.recipe import MOST_RAISED, Job, make
from rarefy.tasks.store.tables import Store

CALLS = []


class ShoutConfig(BaseModel, frozen=True):
    """How loud."""

    mark: str = "!"


class VoiceConfig(BaseModel, frozen=True):
    """A tool."""

    model: str = "alto"

    def identity(self):
        return self.model_dump()

    def connect(self, cache, *, threads, means):
        return lambda text: f"{self.model}: {text}"


@dataclass(frozen=True)
class Page:
    """A thing given by itself, as a source is."""

    path: str
    digest: str
    location: str = field(compare=False)


def shout(chunks, config, *, others, voice):
    CALLS.append("shout")
    for chunk in chunks:
        if chunk.text == "mute":
            yield Quarantined(row_id(chunk.chunk_id), "shout", "s", "mute", "said nothing")
        else:
            yield replace(chunk, text=voice(chunk.text + config.mark + others["b"].text))


def opened(page, config):
    yield Chunk(page.path, "d", 0, 1, "text", "", page.location, 1)


JOB = Job(
    "shout",
    f"{__name__}:shout",
    1,
    {"chunks": Chunk, "others": Chunk},
    {"chunks": Chunk, "faults": Quarantined},
    ShoutConfig(),
    {"voice": VoiceConfig()},
)


def chunk(name: str, text: str) -> Chunk:
    return Chunk(name, "d", 0, 1, "text", "", text, 1)


@pytest.fixture
def given(tmp_path):
    store = Store(tmp_path)
    chunks = store.put("1" * 32, {"t": to_table([chunk("a", "hey"), chunk("m", "mute")], Chunk)})["t"]
    others = store.put("2" * 32, {"t": to_table([chunk("b", "you")], Chunk)})["t"]
    CALLS.clear()
    return {"chunks": chunks, "others": others, "more": "ignored"}


def test_rows_of_several_types_go_into_a_table_each(tmp_path, given):
    made = make(given, JOB, str(tmp_path))
    store = Store(tmp_path)
    assert [row.text for row in from_table(store.table(made["chunks"]), Chunk)] == ["alto: hey!you"]
    assert [row.reason for row in from_table(store.table(made["faults"]), Quarantined)] == ["mute"]


def test_what_was_made_is_not_made_again(tmp_path, given):
    assert make(given, JOB, str(tmp_path)) == make(given, JOB, str(tmp_path))
    assert CALLS == ["shout"]


@pytest.mark.parametrize(
    "other",
    [
        replace(JOB, version=2),
        replace(JOB, stage="whisper"),
        replace(JOB, config=ShoutConfig(mark="?")),
        replace(JOB, tools={"voice": VoiceConfig(model="bass")}),
        replace(JOB, function="elsewhere:shout"),
        replace(JOB, makes={"chunks": Quarantined, "faults": Quarantined}),
        replace(JOB, surroundings={"package": "2.0"}),
    ],
    ids=["version", "stage", "config", "tool", "function", "schema", "surroundings"],
)
def test_whatever_the_result_hangs_on_is_in_the_recipe(given, other):
    assert other.recipe(given) != JOB.recipe(given)


def test_the_inputs_are_in_the_recipe_and_what_is_not_taken_is_not(given):
    assert JOB.recipe({**given, "others": given["chunks"]}) != JOB.recipe(given)
    assert JOB.recipe({**given, "more": "else"}) == JOB.recipe(given)


def test_where_a_source_lies_is_not_in_the_recipe():
    job = Job("open", f"{__name__}:opened", 1, {"page": Page}, {"chunks": Chunk}, ShoutConfig())
    here, there = Page("a.txt", "1", "/here/a.txt"), Page("a.txt", "1", "/there/a.txt")
    assert job.recipe({"page": here}) == job.recipe({"page": there})
    assert job.recipe({"page": here}) != job.recipe({"page": replace(here, digest="2")})


def test_a_stage_that_yields_an_undeclared_row_is_a_bug(tmp_path, given):
    with pytest.raises(KeyError):
        make(given, replace(JOB, makes={"chunks": Chunk}), str(tmp_path))


def stumble(chunks, *, documents):
    """Chunks of documents, but of texts that say "break"; some that no table can hold, some that break a rule."""
    for chunk in chunks:
        if chunk.text == "break":
            raise ZeroDivisionError(f"on {chunk.chunk_id}")
        if chunk.text == "half":
            chunk = replace(chunk, section="\ud800")
        if chunk.text == "large":
            chunk = replace(chunk, tokens=10**30)
        if chunk.text == "empty":
            chunk = replace(chunk, tokens=0)
        yield chunk


STUMBLE = Job(
    "stumble", f"{__name__}:stumble", 1, {"chunks": Chunk, "documents": Document}, {"chunks": Chunk}, group="doc_id"
)


def stumbled(tmp_path, texts, job=STUMBLE):
    """What is made of documents of one chunk each: their texts, and the rules that the others broke."""
    store = Store(tmp_path)
    rows = [
        (
            Document(f"d{n}", "0" * 16, "s", "", "text/plain", text),
            Chunk(row_id(n), f"d{n}", 0, len(text), "text", "", text, 1),
        )
        for n, text in enumerate(texts)
    ]
    given = {
        "documents": store.keep(to_table([document for document, _ in rows], Document)),
        "chunks": store.keep(to_table([chunk for _, chunk in rows], Chunk)),
    }
    made = make(given, job, str(tmp_path))
    kept = [row.text for row in from_table(store.table(made["chunks"]), Chunk)]
    breaches = list(from_table(store.table(made["breaches"]), Breach)) if "breaches" in made else []
    return kept, breaches, store.find(job.recipe(given))


def test_rows_that_break_a_rule_or_fit_no_column_are_set_aside_with_what_they_held(tmp_path):
    kept, breaches, found = stumbled(tmp_path, ["a", "half", "b", "large", "empty", "c"])
    assert kept == ["a", "b", "c"]
    assert [(one.table, one.row, one.rule) for one in breaches] == [
        ("chunks", row_id(1), "contract_values_fit_their_columns"),
        ("chunks", row_id(3), "contract_values_fit_their_columns"),
        ("chunks", row_id(4), "contract_tokens_is_at_least_1"),
    ]
    assert (
        json.loads(breaches[1].content)["tokens"] == str(10**30) and json.loads(breaches[2].content)["text"] == "empty"
    )
    assert found, "it is finished: the next run finds it"


def test_documents_that_a_stage_stumbles_over_are_left_out_and_tried_again_by_the_next_run(tmp_path):
    kept, breaches, found = stumbled(tmp_path, ["a", "break", "b", "break", "c"])
    assert kept == ["a", "b", "c"] and found is None
    assert [(one.table, one.row, one.rule) for one in breaches] == [
        ("documents", "d1", "contract_raised"),
        ("documents", "d3", "contract_raised"),
    ]
    assert "ZeroDivisionError: on" in breaches[0].detail
    frames = json.loads(breaches[0].content)["traceback"]
    assert len(frames) == 1 and frames[0].endswith("test_recipe.py: stumble"), frames


def test_a_breach_of_an_exception_holds_nothing_of_the_machine_that_it_happened_on():
    def deep(n):
        return deep(n + 1)

    def broken():
        try:
            json.loads("{")
        except ValueError as error:
            raise TypeError(f"{object()} in {PACKAGE}/tasks") from error

    found = []
    for work in (lambda: deep(0), broken):
        try:
            work()
        except (RecursionError, TypeError) as error:
            found.append(breach_of_error("chunk", "documents", "d1", error))
    whole = "".join(one.content + one.detail for one in found)
    assert str(PACKAGE) not in whole and str(Path(json.__file__).parent) not in whole and "0x7" not in whole
    assert len(json.loads(found[0].content)["traceback"]) <= 4  # a recursion is told once, however deep it was
    told = json.loads(found[1].content)["traceback"]
    assert any(one.endswith("test_recipe.py: broken") for one in told) and any(
        one.startswith("after JSONDecodeError") for one in told
    )


def test_a_stage_that_stumbles_over_most_is_at_fault_itself(tmp_path):
    with pytest.raises(ZeroDivisionError):
        stumbled(tmp_path, ["break"] * (MOST_RAISED + 1))


def test_where_rows_cannot_be_told_apart_the_error_is_raised(tmp_path):
    with pytest.raises(ZeroDivisionError):
        stumbled(tmp_path, ["a", "break"], replace(STUMBLE, group=""))


def test_a_full_disk_is_no_fault_of_a_row(tmp_path, monkeypatch):
    def full(chunks, **_):
        raise OSError(28, "No space left on device")
        yield

    monkeypatch.setattr("rarefy.tasks.store.recipe.find", lambda *_: full)
    with pytest.raises(OSError, match="No space"):
        stumbled(tmp_path, ["a"])
