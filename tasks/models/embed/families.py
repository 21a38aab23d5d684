"""What families of embedding models want before a text, by what the text is for; from the models' own cards."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

ROLES = ("", "query", "passage")


@dataclass(frozen=True, slots=True)
class Prompts:
    """What stands before a text that is compared with its like, before a query, and before what queries look for."""

    alike: str = ""
    query: str = ""
    passage: str = ""

    def of(self, role: str) -> str:
        """The prompt of a role: "" (texts of one kind, compared with each other) | query | passage."""
        if role not in ROLES:
            raise ValueError(f"no role {role!r}; have query, passage, or none for texts of one kind")
        return {"": self.alike, "query": self.query, "passage": self.passage}[role]


@dataclass(frozen=True, slots=True)
class Family:
    """Models trained with the same prompts, known by their names."""

    names: str  # a regular expression, found anywhere in the name in small letters
    prompts: Prompts
    source: str


_SEARCH = "Instruct: Given a web search query, retrieve relevant passages that answer the query"
_SIMILAR = "Instruct: Retrieve semantically similar text.\nQuery: "
_REPRESENT = "Represent this sentence for searching relevant passages: "

# Those that RARE names, and their kin; the first whose names fit. Jina v3 has an adapter for each task besides: the one
# in use is that which the model's folder is set to.
FAMILIES: dict[str, Family] = {
    "e5-instruct": Family(
        r"e5-mistral|e5\b.*-instruct",
        Prompts(_SIMILAR, f"{_SEARCH}\nQuery: "),
        "https://huggingface.co/intfloat/e5-mistral-7b-instruct config_sentence_transformers.json",
    ),
    "e5": Family(
        r"\be5-(small|base|large)",
        Prompts("query: ", "query: ", "passage: "),
        "https://huggingface.co/intfloat/e5-large-v2 FAQ 1: query: on both sides for symmetric tasks",
    ),
    "jina-v3": Family(
        r"jina-embeddings?-v3",
        Prompts(
            "", "Represent the query for retrieving evidence documents: ", "Represent the document for retrieval: "
        ),
        "https://huggingface.co/jinaai/jina-embeddings-v3 config_sentence_transformers.json",
    ),
    "stella": Family(
        r"stella[-_]en",
        Prompts(_SIMILAR, f"{_SEARCH}.\nQuery: "),
        "https://huggingface.co/dunzhang/stella_en_1.5B_v5 config_sentence_transformers.json: s2s, s2p",
    ),
    "bge": Family(
        r"bge-(small|base|large)-en",
        Prompts("", _REPRESENT),
        "https://huggingface.co/BAAI/bge-large-en-v1.5 usage: an instruction for short queries alone",
    ),
    "mxbai": Family(
        r"mxbai-embed-large",
        Prompts("", _REPRESENT),
        "https://huggingface.co/mixedbread-ai/mxbai-embed-large-v1 quickstart",
    ),
}


def prompts_by_name(model: str) -> Prompts | None:
    """The prompts of the family that a model's name or folder belongs to; None for no family here."""
    whole = model.casefold()
    for text in (Path(whole).name, whole):  # a folder within a cache is named by a digest
        for family in FAMILIES.values():
            if re.search(family.names, text):
                return family.prompts
    return None


def prompts_by_folder(folder: Path) -> Prompts:
    """The prompts that a model's folder names query and passage or document; none where it names none so."""
    try:
        settings = json.loads((folder / "config_sentence_transformers.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):  # most models have no prompts, older ones not even the file
        return Prompts()
    prompts = settings.get("prompts") or {}
    passage = next((prompts[name] for name in ("passage", "document", "corpus") if prompts.get(name)), "")
    return Prompts(prompts.get(settings.get("default_prompt_name") or "", ""), prompts.get("query", ""), passage)
