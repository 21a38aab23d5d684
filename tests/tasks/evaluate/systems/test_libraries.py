"""The lines of docs/systems.md for each library, run as they stand there, where that library is installed."""

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from rarefy.data_contracts.rows import Passage
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.evaluate.systems.interface import SystemInput
from rarefy.tasks.models.llm.config import InferenceContext

DOCS = Path(__file__).parents[4] / "docs" / "systems.md"
TEXTS = ["Revenue was $5 million in 2024.", "The office is in Austin."]
OWN, GIVEN = (
    SystemInput("a", "What was revenue?"),
    SystemInput("b", "What was revenue?", (Passage("c1", "It was $7."),)),
)


def lines(library):
    found = re.search(rf"<!-- {library} -->\n```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    return found[1]


@pytest.fixture
def system(tmp_path, monkeypatch):
    """The lines of a library as a system, with what is the user's own in them."""

    def of(library, **own):
        app = ModuleType("my_app")
        vars(app).update(own)
        monkeypatch.setitem(sys.modules, "my_app", app)
        (tmp_path / f"with_{library}.py").write_text(lines(library))
        monkeypatch.syspath_prepend(tmp_path)
        importlib.invalidate_caches()
        monkeypatch.delitem(sys.modules, f"with_{library}", raising=False)
        config = SystemConfig(kind=f"with_{library}:answer")
        return config, config.connect(tmp_path, threads=1, means=InferenceContext())

    return of


@pytest.mark.parametrize("library", ["langchain", "llama_index", "haystack"])
def test_the_lines_are_about_ten(library):
    code = [line for line in lines(library).splitlines() if line.strip()]
    assert len(code) <= 11


def test_langchain_objects_are_systems(system):
    core = pytest.importorskip("langchain_core", reason="langchain-core is not installed")
    from langchain_core.documents import Document
    from langchain_core.language_models import FakeListChatModel
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnableLambda

    assert core
    seen = []
    prompt = ChatPromptTemplate.from_template("{context}\n{question}")
    look = RunnableLambda(lambda made: seen.append(made.to_string()) or made)
    model = FakeListChatModel(responses=["$5 million"])
    found = [Document(page_content=text, metadata={"chunk_id": f"c{at}"}) for at, text in enumerate(TEXTS)]
    config, answer = system("langchain", chain=prompt | look | model, retriever=RunnableLambda(lambda _: found))
    own, given = answer([OWN, GIVEN])
    assert (own.text, own.error, given.text) == ("$5 million", "", "$5 million")
    assert own.retrieved == tuple(Passage(f"c{at}", text) for at, text in enumerate(TEXTS)) and given.retrieved == ()
    assert TEXTS[1] in seen[0] and "It was $7." in seen[1] and TEXTS[0] not in seen[1]
    assert config.takes == ("own", "passages", "closed_book")


def test_llama_index_objects_are_systems(system):
    pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")
    from llama_index.core import MockEmbedding, SummaryIndex
    from llama_index.core.llms import MockLLM
    from llama_index.core.schema import TextNode

    index = SummaryIndex(
        [TextNode(text=text, id_=f"c{at}") for at, text in enumerate(TEXTS)], embed_model=MockEmbedding(4)
    )
    config, answer = system("llama_index", query_engine=index.as_query_engine(llm=MockLLM()))
    own, given = answer([OWN, GIVEN])  # the mock says its prompt
    assert own.error == given.error == ""
    assert TEXTS[0] in own.text and [one.passage_id for one in own.retrieved] == ["c0", "c1"]
    assert [one.text for one in own.retrieved] == TEXTS
    assert "It was $7." in given.text and TEXTS[0] not in given.text and given.retrieved == ()
    assert config.takes == ("own", "passages")


def test_haystack_pipelines_are_systems(system):
    pytest.importorskip("haystack", reason="haystack-ai is not installed")
    from haystack import Document, Pipeline, component
    from haystack.components.builders import PromptBuilder
    from haystack.components.retrievers.in_memory import InMemoryBM25Retriever
    from haystack.document_stores.in_memory import InMemoryDocumentStore

    @component
    class Says:
        @component.output_types(replies=list[str])
        def run(self, prompt: str):
            return {"replies": [prompt]}

    store = InMemoryDocumentStore()
    store.write_documents([Document(content=text, id=f"c{at}") for at, text in enumerate(TEXTS)])
    pipeline = Pipeline()
    pipeline.add_component("retriever", InMemoryBM25Retriever(store, top_k=1))
    pipeline.add_component("prompt_builder", PromptBuilder("{{documents[0].content}} {{query}}"))
    pipeline.add_component("llm", Says())
    pipeline.connect("retriever", "prompt_builder.documents")
    pipeline.connect("prompt_builder", "llm")
    config, answer = system("haystack", pipeline=pipeline)
    (own,) = answer([OWN])
    assert (own.text, own.error) == (f"{TEXTS[0]} What was revenue?", "")
    assert [(one.passage_id, one.text) for one in own.retrieved] == [("c0", TEXTS[0])] and own.retrieved[0].score > 0
    assert config.takes == ("own",) and config.retrieves


def test_documents_of_libraries_that_are_not_here_have_a_documented_shape():
    """What LlamaIndex and Haystack document of their objects, for a machine where they are not installed."""
    from types import SimpleNamespace

    from rarefy.tasks.evaluate.systems.callable_system import coerce_passage

    node = SimpleNamespace(score=0.5, node=SimpleNamespace(text="t", node_id="n1", metadata={"title": "T"}))
    document = SimpleNamespace(content="t", id="d1", meta={}, score=None)
    assert coerce_passage(node) == Passage("n1", "t", "T", 0.5) and coerce_passage(document) == Passage("d1", "t")
