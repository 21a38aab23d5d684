"""What docs/extending.md shows works as it stands there."""

import importlib
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest
from framed import REFUSED, RIGHT, framed, made, value, values

from rarefy.data_contracts.rows import Chunk, Document, Passage, Question, Span
from rarefy.flows.config import Config
from rarefy.tasks.corpus.read import list_sources, read
from rarefy.tasks.evaluate.protocols.rare import RARE, RareConfig
from rarefy.tasks.evaluate.retrieve.search import Passages, check_ranking
from rarefy.tasks.evaluate.systems.callable_system import connect_function
from rarefy.tasks.evaluate.systems.interface import SystemInput
from rarefy.tasks.find import find
from rarefy.tasks.knowledge.link import LinkConfig, link
from rarefy.tasks.models.llm.config import InferenceContext
from rarefy.tasks.perturb import vary
from rarefy.tasks.questions.gates import judge
from rarefy.tasks.store.recipe import make
from rarefy.tasks.store.tables import Store

TEXT = (Path(__file__).parents[1] / "docs" / "extending.md").read_text(encoding="utf-8")
CODE = {
    file: block
    for block in re.findall(r"```python\n(.*?)```", TEXT, re.S)
    for file in re.findall(r"\A# (?:in )?([\w/]+)\.py", block)
}
CHUNKS = {
    name: Chunk(name, "d", 0, 90, "text", "", text, tokens, title="Report")
    for name, text, tokens in [
        ("c1", "Its chief is Tim Cook. It makes phones.", 20),
        ("c2", "Its head office is in Cupertino. It was founded in a garage.", 500),
    ]
}


def question(
    number: int, chunk: str = "c1", text: str = "Who is the chief of the company that makes phones?"
) -> Question:
    evidence = CHUNKS[chunk].text.partition(". ")[0] + "."
    spans = (Span(chunk, 0, len(evidence)),)
    return Question(f"q{number}", "p", "single", text, evidence[:-1], (), ("t",), (chunk,), (evidence,), spans)


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the modules of the text, which can be imported."""
    for file, block in CODE.items():
        place = tmp_path / f"{file.rpartition('/')[2]}.py"
        place.write_text(block, encoding="utf-8")
        monkeypatch.delitem(importlib.sys.modules, place.stem, raising=False)  # type: ignore[attr-defined]
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def config_of(part: str) -> Config:
    """The config that a section of the text has."""
    (block,) = re.findall(rf"## {part}\n.*?```toml\n(.*?)```", TEXT, re.S)
    return Config.model_validate(tomllib.loads(block))


def test_a_perturbation(mine: Path) -> None:
    def alike(texts: list[str]) -> np.ndarray:
        return np.ones((len(texts), 1))

    config = config_of("A perturbation").perturb
    same, shouted = vary([question(1)], config, chunks=CHUNKS, embed=alike)
    assert same.text == question(1).text
    assert shouted.text.rstrip("!") == question(1).text.upper().rstrip("?") and not shouted.rejected_because
    assert (shouted.side, shouted.perturbation) == ("query", "shout:shout")


def test_a_reader(mine: Path) -> None:
    (mine / "corpus").mkdir()
    (mine / "corpus" / "may.min").write_text("Minutes of May\nThe rate was raised.", encoding="utf-8")
    (source,) = list_sources(mine / "corpus")
    (document,) = read(source, config_of("A reader").read)
    assert document.title == "Minutes of May" and "The rate was raised." in document.text


def test_a_retriever(mine: Path) -> None:
    config = config_of("A retriever").retrieve
    search = find(config.retrievers[1], {})(
        Passages(CHUNKS, True), config, cache=mine, threads=1, means=InferenceContext()
    )
    (found,) = check_ranking("overlap:make", search(["head office in cupertino"], 2), 1, 2, CHUNKS)
    assert found.chunk_ids == ("c2", "c1")


def test_a_system(mine: Path) -> None:
    system = connect_function("first:answer", {}, mine / "cache", threads=1, means=InferenceContext())
    shown = (Passage("c1", CHUNKS["c1"].text),)
    answers = system([SystemInput("a", "Who?", shown), SystemInput("b", "Who?", ())])
    assert [one.text for one in answers] == ["Its chief is Tim Cook", "no such info"]


def test_a_gate(mine: Path) -> None:
    long = (
        "Who is the chief of the firm that makes phones, that has an office in one town and a factory in another, that "
        "sells what it makes in shops of its own and in those of others, and that two friends founded in a garage?"
    )
    asked = [question(1), question(2, text=long)]
    judged = judge(asked, config_of("A gate").gates.model_copy(update={"retrieved": 0}), chunks=CHUNKS, triplets={})
    assert [row.rejected_because for row in judged] == ["", "too_long"]


def test_a_metric(mine: Path) -> None:
    config = RareConfig()
    frame = framed(RARE, made(4), config, lambda trial: REFUSED if trial.cell == "gold" else RIGHT)
    measure = importlib.import_module("metric").refused_with_gold(frame)
    gold = frame.rows[(frame.rows["gold"] == 1.0) & (frame.rows["status"] == "scored")]
    assert value(measure) == (gold["cell"] == "gold").mean() and 0 < value(measure) < 1


def test_a_protocol(mine: Path) -> None:
    protocol = importlib.import_module("closed_book").CLOSED_BOOK
    config = protocol.config()
    frame = framed(protocol, made(4), config, lambda trial: RIGHT if trial.question_id == "q1" else REFUSED)
    assert values(protocol, frame, config) == {("known", "all"): 0.25}
    assert protocol.lacking([], config, frozenset({"passages"})) and not protocol.lacking(
        [], config, frozenset({"closed_book"})
    )

    assert protocol.display.rows(range(3), "known", []).tolist() == [True] * 3  # type: ignore[arg-type]


def test_a_link_between_documents(mine: Path) -> None:
    entities = {"Acme": "Drives are supplied by Boreal Report to all plants.", "Boreal": "We make drives."}
    documents = {
        name: Document(name, "h", name, f"{name} Report", "text/plain", text, entity=name)
        for name, text in entities.items()
    }
    chunks = {name: Chunk(name, name, 0, len(text), "text", "", text, 9) for name, text in entities.items()}
    (row,) = link([], LinkConfig(between=("suppliers:link_suppliers",)), chunks=chunks, documents=documents)
    assert (row.subject, row.relation, row.object) == ("Acme", "is supplied by", "Boreal")
    assert (row.method, row.answer, row.rejected_because) == ("link", "Boreal Report", "")


def test_a_stage(mine: Path) -> None:
    store = Store(mine / "store")
    job = importlib.import_module("stages").shortening(Config())
    tables = {"questions": [question(1), question(2, "c2")], "chunks": [*CHUNKS.values()]}
    from rarefy.data_contracts.tables import to_table

    given = {
        kind: store.put(name * 32, {kind: to_table(rows, job.takes[kind])})[kind]
        for name, (kind, rows) in zip("ab", tables.items(), strict=True)
    }
    made_of = make(given, job, str(mine / "store"))
    found = store.table(made_of["questions"])
    assert found["rejected_because"].to_pylist() == ["", "long_chunk"]


def test_every_part_that_the_table_names_has_a_section_and_its_code() -> None:
    anchors = re.findall(r"\]\(#([\w-]+)\)", TEXT)
    sections = {title.lower().replace(" ", "-") for title in re.findall(r"^## (.+)$", TEXT, re.M)}
    assert len(anchors) == 9 and set(anchors) <= sections | {"a-reader"} and len(CODE) == 10
