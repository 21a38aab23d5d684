"""An edit re-makes the variants of the questions that it bears on, though every page lends noise to every other one."""

import sys
from collections import defaultdict

import pyarrow.parquet as pq
import pytest
from incremental.refreshing import Follower, files

from rarefy.flows.config import Config
from rarefy.flows.engine.run import Run

FEW = {"query": ["character", "no_punctuation"], "document": ["json"], "context": ["inconsequential", "irrelevant"]}
CONFIG = Config.model_validate({"perturb": FEW})
THINGS = ("pump", "valve", "motor", "sensor", "boiler", "filter", "gauge", "blower")
OPTIONS = ("pressure", "voltage", "weight", "speed", "length")
EDITED, ELSEWHERE = ("Every {} is tested.", "Every {} is tested twice.")


def page(number: int, thing: str) -> str:
    """A page about a thing: a paragraph on its testing, and a table of its options in a section of its own."""
    rows = "\n".join(f"| {thing}.{name} | {100 + 10 * number + at} | yes |" for at, name in enumerate(OPTIONS))
    table = f"| Option | Default | Required |\n| --- | --- | --- |\n{rows}"
    return (
        f"# The {thing} handbook\n\n## Testing\n\n{EDITED.format(thing)} Its maker keeps a record of that for ten "
        f"years in the archive of the works.\n\n## Options\n\nThe {thing} has these options:\n\n{table}\n"
    )


@pytest.fixture
def follower(tmp_path, monkeypatch):
    """A benchmark of eight pages."""
    monkeypatch.setattr(Run, "hold", lambda run, stage, row_type, tables, judged=False: tables)
    (tmp_path / "corpus").mkdir()
    for number, thing in enumerate(THINGS):
        (tmp_path / "corpus" / f"{thing}.md").write_text(page(number, thing))
    follower = Follower(tmp_path, CONFIG)
    follower.refresh()
    return follower


@pytest.fixture
def made(monkeypatch):
    """The perturbations that are made of each question, as they are made."""
    found = defaultdict(set)
    module = sys.modules["rarefy.tasks.perturb.vary"]  # a function of the package has the same name
    start = module._start_searches

    def record(entry, todo, config, model):
        for case in todo:
            found[case.question_id].add(entry.name)
        return start(entry, todo, config, model)

    monkeypatch.setattr(module, "_start_searches", record)
    return found


def edit(follower, thing, before=EDITED, after=ELSEWHERE):
    file = follower.place / "corpus" / f"{thing}.md"
    text = file.read_text()
    assert before.format(thing) in text
    file.write_text(text.replace(before.format(thing), after.format(thing)))


def read(follower, name):
    return pq.read_table(follower.place / "out" / f"{name}.parquet").to_pylist()


def documents_of(follower):
    """The page of each accepted question."""
    pages = {row["doc_id"]: row["source"].removesuffix(".md") for row in read(follower, "documents")}
    chunks = {row["chunk_id"]: pages[row["doc_id"]] for row in read(follower, "chunks")}
    asked = [row for row in read(follower, "questions") if not row["rejected_because"] and row["chunk_ids"]]
    return {row["question_id"]: chunks[row["chunk_ids"][0]] for row in asked}


def test_two_edits_remake_the_variants_of_two_pages_and_elsewhere_only_what_lends_from_others(follower, made):
    edit(follower, "pump")
    edit(follower, "gauge")
    follower.refresh()
    pages = documents_of(follower)
    whole = {pages[name] for name, kinds in made.items() if "character" in kinds}
    partly = {frozenset(kinds) for name, kinds in made.items() if pages[name] not in ("pump", "gauge")}
    assert len(pages) > len(THINGS) and set(pages.values()) == set(THINGS)
    assert whole == {"pump", "gauge"}
    assert partly == {frozenset(["irrelevant"])}


def test_what_is_recalled_is_what_a_build_from_nothing_makes(follower):
    edit(follower, "pump")
    follower.refresh()
    follower.refresh("fresh", "other store")
    assert files(follower.place / "out") == files(follower.place / "fresh")
    similar = [(follower.place / out / "similarities.parquet") for out in ("out", "fresh")]
    ours, fresh = ([(row["of"], row["method"]) for row in pq.read_table(file).to_pylist()] for file in similar)
    assert ours == fresh


def test_another_config_recalls_nothing(follower, made):
    follower.config = Config.model_validate({"perturb": FEW | {"reach": 2}})
    edit(follower, "pump")
    follower.refresh()
    pages = documents_of(follower)
    assert {pages[name] for name, kinds in made.items() if "character" in kinds} == set(THINGS)


def test_a_version_whose_variants_were_lost_is_no_hindrance(follower, made):
    for entry in follower.journal():
        (follower.place / "store" / "tables" / f"{entry.tables['pools']}.parquet").unlink()
    edit(follower, "pump")
    follower.refresh()
    pages = documents_of(follower)
    assert {pages[name] for name, kinds in made.items() if "character" in kinds} == set(THINGS)
