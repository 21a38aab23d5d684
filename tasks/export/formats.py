"""The benchmark in the formats of others: BEIR, and a Hugging Face dataset with its card."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Chunk, Document, Question, Variant, answer_in_words
from rarefy.tasks.export.files import Content, to_json_lines, to_records
from rarefy.tasks.export.statistics import (
    Statistics,
    render_keep_rates,
    render_statistics,
    sum_statistics,
    tally_variants,
)
from rarefy.tasks.export.tables import NAMES, Tables
from rarefy.tasks.text.characters import visible
from rarefy.tasks.text.markdown import markdown_text

SPLITS = ("train", "test")
_CHUNK = ("doc_id", "start", "end", "kind", "section", "place", "entity", "domain", "fiscal_year", "period_end")
_QUESTION = ("pattern", "split", "answer", "answer_in_words", "aliases", "entity", "domain", "period", "valid_from")
LONG = 100  # characters of a name that a document gives itself


def beir_files(tables: Tables) -> dict[str, Content]:
    """The folder's files: every chunk is a passage, every accepted question a query, every gold chunk relevant.

    So is every other chunk that states the same.
    """
    judgements = {f"qrels/{split}.tsv": _judgements(tables, split) for split in SPLITS}
    return {
        "corpus.jsonl": to_json_lines(_passages(tables)),
        "queries.jsonl": to_json_lines(_queries(tables)),
        **judgements,
    }


def _passages(tables: Tables) -> Iterator[dict[str, Any]]:
    documents = tables[Document]
    titles = dict(zip(documents.column("doc_id").to_pylist(), documents.column("title").to_pylist(), strict=True))
    for chunk in to_records(tables[Chunk], Chunk):
        title = " > ".join(filter(None, (titles.get(chunk["doc_id"]), chunk["section"])))
        metadata = {name: chunk[name] for name in _CHUNK}
        yield {"_id": chunk["chunk_id"], "title": title, "text": chunk["text"], "metadata": metadata}


def _accepted(tables: Tables) -> Iterator[dict[str, Any]]:
    return (row for row in to_records(tables[Question], Question) if not row["rejected_because"])


def _queries(tables: Tables) -> Iterator[dict[str, Any]]:
    for row in _accepted(tables):
        metadata = {name: row[name] for name in _QUESTION}
        yield {"_id": row["question_id"], "text": row["text"], "metadata": metadata}


def _judgements(tables: Tables, split: str) -> Iterator[bytes]:
    yield b"query-id\tcorpus-id\tscore\n"
    for row in _accepted(tables):
        if row["split"] == split:
            for chunk_id in dict.fromkeys(chain(row["chunk_ids"], *row["alternatives"])):
                yield f"{row['question_id']}\t{chunk_id}\t1\n".encode()


def split_tables(tables: Tables) -> dict[tuple[str, str], pa.Table]:
    """Every table of the folder by its name and split, without what was rejected of questions and variants."""
    found: dict[tuple[str, str], pa.Table] = {}
    for row_type, name in NAMES.items():
        if row_type in (Question, Variant):
            found |= {(name, split): _accepted_part(tables, row_type, split) for split in ("train", "test")}
        else:
            found[name, "full"] = tables[row_type]
    return found


def hugging_face_files(tables: Mapping[tuple[str, str], pa.Table], card: str) -> dict[str, Content]:
    """The folder's files. A part of no rows has none: load_dataset cannot open it."""
    files = {
        f"data/{name}/{split}.parquet": table if table.num_rows else None for (name, split), table in tables.items()
    }
    return {**files, "README.md": [card.encode()]}


def _accepted_part(tables: Tables, row_type: type, split: str) -> pa.Table:
    """The accepted rows of a split; a variant goes where its question goes, a question has its answer in words too."""
    questions = tables[Question]
    here = questions.filter((pc.field("split") == split) & (pc.field("rejected_because") == ""))
    if row_type is Variant:
        names = here.column("question_id").combine_chunks()
        asked = pc.field("question_id").isin(names) & (pc.field("rejected_because") == "")
        return tables[Variant].filter(asked)
    answers = (here.column(name).to_pylist() for name in ("answer", "aliases", "pattern"))
    words = [answer_in_words(*said) for said in zip(*answers, strict=True)]
    return here.append_column("answer_in_words", pa.array(words, pa.string()))


class CardConfig(BaseModel, frozen=True, extra="forbid"):
    """What the card says that no table knows."""

    title: str = Field(default="A RAG robustness benchmark", description="the benchmark's name")
    licence: str = Field(default="other", description="licence of the benchmark, as Hugging Face abbreviates it")
    sources: str = Field(default="", description="where the documents come from, and under which terms")


def render_card(
    tables: Tables,
    parts: Mapping[tuple[str, str], pa.Table],
    statistics: Sequence[Statistics],
    version: str,
    config: CardConfig,
) -> str:
    """The card as Markdown, with the front matter that names each table and its files."""
    return f"{_front_matter(tables, parts, config)}\n{_body(tables, parts, statistics, version, config)}"


def _front_matter(tables: Tables, parts: Mapping[tuple[str, str], pa.Table], config: CardConfig) -> str:
    documents, accepted = tables[Document], tables[Question].column("rejected_because").to_pylist().count("")
    languages = sorted({code for code in documents.column("language").to_pylist() if code}) or ["en"]
    lines = [
        "---",
        f"pretty_name: {json.dumps(visible(config.title), ensure_ascii=False)}",  # JSON strings are YAML strings
        f"license: {json.dumps(config.licence)}",
        "language:",
        *(f"- {json.dumps(code)}" for code in languages),  # bare, `no` is a boolean
        "task_categories:",
        "- question-answering",
        "- text-retrieval",
        "size_categories:",
        f"- {_size(accepted)}",
        "configs:",
    ]
    for name in _ROWS:
        splits = [split for (owner, split), part in parts.items() if owner == name and part.num_rows]
        default = ["  default: true"] if name == "questions" else []
        lines += [f"- config_name: {name}", *default, "  data_files:"] if splits else []
        for split in splits:
            lines += [f"  - split: {split}", f"    path: data/{name}/{split}.parquet"]
    return "\n".join([*lines, "---", ""])


def _size(rows: int) -> str:
    bounds = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
    return next((name for bound, name in bounds if rows < bound), "n>1M")


def _body(
    tables: Tables,
    parts: Mapping[tuple[str, str], pa.Table],
    statistics: Sequence[Statistics],
    version: str,
    config: CardConfig,
) -> str:
    every = sum_statistics(statistics)
    questions = tables[Question]
    rates = render_keep_rates(tally_variants(tables[Variant]))
    rejected = questions.num_rows - questions.column("rejected_because").to_pylist().count("")
    return f"""# {markdown_text(config.title)}

Questions over {every.documents:,} documents ({tables[Chunk].num_rows:,} chunks), each with a short answer, the \
sentences that prove it and the spans where they stand, and variants of questions and documents to test robustness \
against. Made by rarefy, after RARE (arXiv 2506.00789). Version `{version}`.

```python
from datasets import load_dataset

questions = load_dataset("path/to/this/folder", "questions", split="test")
chunks = load_dataset("path/to/this/folder", "chunks", split="full")
```

## Statistics

{render_statistics(statistics)}
Eligible triplet sets are those that a question of the pattern could have been made of; questions are those that \
passed every gate ({rejected:,} more did not, and are not in this folder).

## Variants

{rates}
A rate is of what was tried: a row whose perturbation needs a model, a program or another language is none. Rejected \
variants are not in this folder.

## Tables

| table | rows | a row is |
|---|---:|---|
{_contents(parts)}
`questions` and `variants` have the splits `train` and `test`; every other table has one, `full`. What has no rows \
is not there. \
`document.text[start:end]` is a chunk's text, `chunk.text[start:end]` a sentence of evidence; both count Unicode \
code points. `dropped` and `metadata` of a document are JSON objects in a string.

## Sources and licences

{config.sources or _sources(tables)}

The texts remain under the terms of their sources. Questions and variants quote them.
"""


_ROWS = {
    "questions": "an accepted question, its answer as printed and in words, aliases and evidence",
    "pools": "passages and values that noise for a question can be made of",
    "variants": "an accepted question, a gold chunk or a passage, changed, with its proof; `none` is the question as "
    "it is",
    "documents": "one source as normalised text",
    "chunks": "a passage, the unit of retrieval",
    "triplets": "a fact with the sentence that states it; `rejected_because` where it was not used",
    "merges": "two names taken for one, and why",
    "paths": "the facts that a question was made of",
    "probes": "a multi-hop question asked of a model with one of its gold chunks alone",
    "judgements": "what a model that did not write it says of a question",
    "quarantine": "a source that could not be read, and why",
    "unanswered": "a request to a model that got no usable answer, and why",
    "breaches": "a row that broke a rule of its table and was set aside, and why",
}


def _contents(parts: Mapping[tuple[str, str], pa.Table]) -> str:
    rows = {name: sum(part.num_rows for (owner, _), part in parts.items() if owner == name) for name in _ROWS}
    return "".join(f"| `{name}` | {rows[name]:,} | {says} |\n" for name, says in _ROWS.items())


def _sources(tables: Tables) -> str:
    documents = tables[Document].select(["entity", "form", "source"]).to_pylist()
    entities = sorted({row["entity"] for row in documents if row["entity"]})
    forms = sorted({row["form"] for row in documents if row["form"]})
    shown = ", ".join(markdown_text(_shortened(name)) for name in entities[:20])
    shown += f" and {len(entities) - 20:,} more" if len(entities) > 20 else ""
    about = f" Documents about {shown}." if entities else ""
    kinds = f" ({', '.join(markdown_text(_shortened(form)) for form in forms[:20])})" if forms else ""
    unsaid = "Whoever built this benchmark has not said where they come from or under which terms."
    return f"{len(documents):,} documents{kinds}.{about} {unsaid}"


def _shortened(name: str) -> str:
    return name if len(name) <= LONG else f"{name[:LONG]}…"
