"""What somebody's function gives back, as a Said: a text, a dict, or passages of the libraries that people use."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rarefy.data_contracts.rows import Passage
from rarefy.tasks.systems.asked import Said

KEYS = ("answer", "refused", "retrieved", "prompt_tokens", "completion_tokens", "cost", "model", "error", "detail")
_NAMES = ("id", "chunk_id", "passage_id", "doc_id", "source")  # of a passage, in metadata


class WrongType(TypeError):
    """This is no answer, and what would be one."""


def said_of(asked_id: str, given: Any) -> Said:
    """The answer that a function gave; WrongType with the way out for what is none."""
    if isinstance(given, Said):
        return replace(given, asked_id=asked_id, retrieved=tuple(passage_of(one) for one in given.retrieved))
    if isinstance(given, str):
        return Said(asked_id, given, calls=1)
    if not isinstance(given, Mapping):
        hint = "; it is async: write a function that waits itself" if hasattr(given, "__await__") else ""
        raise WrongType(f'it gave back {type(given).__name__}{hint}; give back a str, a dict with "answer", or a Said')
    if unknown := sorted(map(str, given.keys() - set(KEYS))):
        raise WrongType(f"it gave back a dict with {', '.join(unknown)}; have {', '.join(KEYS)}")
    answer, error = given.get("answer"), str(given.get("error") or "")
    if not error and not isinstance(answer, str):
        raise WrongType(f'it gave back a dict whose "answer" is {type(answer).__name__}, not str')
    refused = given.get("refused")
    try:
        return Said(
            asked_id,
            answer or "",
            refused=None if refused is None else bool(refused),
            retrieved=tuple(passage_of(one) for one in given.get("retrieved") or ()),
            prompt_tokens=int(given.get("prompt_tokens") or 0),
            completion_tokens=int(given.get("completion_tokens") or 0),
            calls=1,
            cost=float(given.get("cost") or 0.0),
            model=str(given.get("model") or ""),
            error=error,
            detail=str(given.get("detail") or ""),
        )
    except (ValueError, TypeError) as error_:
        raise WrongType(f"it gave back a dict with a wrong value: {error_}") from None


def passage_of(one: Any) -> Passage:
    """A passage as a text, a dict, a Passage, or a document of LangChain, LlamaIndex or Haystack."""
    if isinstance(one, Passage):
        return one
    if isinstance(one, str):
        return Passage("", one)
    if isinstance(one, Mapping):
        name = next((one[key] for key in _NAMES if one.get(key)), "")
        return Passage(str(name), str(one.get("text") or ""), str(one.get("title") or ""), _score(one.get("score")))
    score = getattr(one, "score", None)
    node = getattr(one, "node", one)  # LlamaIndex: NodeWithScore holds a node
    meta = getattr(node, "metadata", None) or getattr(node, "meta", None) or {}
    name = next((meta[key] for key in _NAMES if meta.get(key)), "") or getattr(node, "id", None) or ""
    for told in ("page_content", "text", "content"):  # LangChain, LlamaIndex, Haystack
        if isinstance(text := getattr(node, told, None), str):
            name = name or getattr(node, "node_id", "") or ""
            return Passage(str(name), text, str(meta.get("title") or ""), _score(score))
    raise WrongType(f"a retrieved passage is {type(one).__name__}; give a text, a dict with id and text, or a Passage")


def _score(score: Any) -> float | None:
    return None if score is None else float(score)
