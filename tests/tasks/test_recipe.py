"""A job is known by what it takes, and makes it once."""

from dataclasses import dataclass, field, replace

import pytest
from pydantic import BaseModel

from rarefy.data_contracts.rows import Chunk, Quarantined
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.tasks.recipe import Job, make
from rarefy.tasks.store import Store

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
            yield Quarantined(chunk.chunk_id, "shout", "s", "mute", "")
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
