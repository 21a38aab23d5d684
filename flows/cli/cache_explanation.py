"""What made the key of a remembered reply, and in what it differs from others (`rarefy cache explain ID`)."""

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from rarefy.tasks.models.llm.open_reply_store import open_reply_store
from rarefy.tasks.models.llm.reply_store import Kept, ReplyStore

WIDE = 100  # characters of a line
SHOWN = 10  # replies, at most
NOTHING = """\
nothing is remembered under {name!r}.
An ID is the key of a reply or its beginning, or the request's own id: in `unanswered.jsonl` it is not, since refused,
filtered, cut and failed replies are never kept; the report counts those. A reply that was asked for with anything
changed, be it one character of a prompt, stands under another key, and was paid for again.
"""


def explain(books: str, cache: Path, name: str) -> str:
    """What is known by this ID, as text; `books` is a URL, or "" for those in the folder `cache`.

    OSError or ValueError, with the way out, where there are no such books.
    """
    if not books and not (cache / "replies.sqlite").is_file():
        raise OSError(f"{cache / 'replies.sqlite'}: there is none yet; no model was asked with this store")
    known = open_reply_store(books, cache)
    found = known.explain(name)  # of no name: the newest
    if not found:
        return NOTHING.format(name=name)
    lines = []
    for kept in found[:SHOWN]:
        lines += _one(kept)
    if len(found) > SHOWN:
        lines.append(f"... and {len(found) - SHOWN} older ones; give more of the key to see one\n")
    if name:
        lines += _differences(_near(known, found))
    return "\n".join(lines) + "\n"


def _near(known: ReplyStore, found: list[Kept]) -> dict[str, list[Kept]]:
    """By request id, for those that are shown: all that was asked under it, the oldest first."""
    near = {}
    for request_id in dict.fromkeys(kept.reply.request_id for kept in found[:SHOWN]):
        near[request_id] = [kept for kept in known.explain(request_id) if kept.reply.request_id == request_id][::-1]
    return near


def _one(kept: Kept) -> Iterator[str]:
    reply = kept.reply
    yield f"key {kept.key}, first asked as request {reply.request_id}"
    yield f"  answered by {reply.model or '?'}: {reply.prompt_tokens:,} + {reply.completion_tokens:,} tokens"
    yield _cut(f"  reply        {json.dumps(reply.text, ensure_ascii=False)}")
    for name, value in _parts(kept).items():
        yield _cut(f"  {name:<12} {_say(value)}")
    yield ""


def _differences(near: dict[str, list[Kept]]) -> Iterator[str]:
    """For each request id, in what its replies differ."""
    for request_id, several in near.items():
        if len(several) > 1:
            yield f"request {request_id} has {len(several)} replies; in what each differs from the one before it:"
        for before, after in list(pairwise(several))[-SHOWN:]:
            was, now = _parts(before), _parts(after)
            yield f"  {before.key[:12]} -> {after.key[:12]}"
            for name in [*was, *(name for name in now if name not in was)]:
                if was.get(name) != now.get(name):
                    yield f"    {name} {_change(was.get(name), now.get(name))}"


def _parts(kept: Kept) -> dict[str, Any]:
    """What made the key, flat: "identity.model", "message 1"."""
    made_of = json.loads(kept.made_of)
    parts: dict[str, Any] = {}
    for name, value in made_of.items():
        if name == "messages":
            parts |= {f"message {i}": message for i, message in enumerate(value, 1)}
        elif isinstance(value, dict):
            parts |= {f"{name}.{part}": one for part, one in value.items()}
        else:
            parts[name] = value
    return parts


def _say(value: Any) -> str:
    if isinstance(value, dict) and "digest" in value:
        return f"{value['role']}, {value['characters']:,} characters, {value['digest']}: {value['begins']!r}"
    return "none" if value in (None, "") else str(value)


def _change(was: Any, now: Any) -> str:
    """As "0.2 -> 0.0"; of two texts, how they begin."""
    short = 60
    if isinstance(was, dict) and isinstance(now, dict) and was.get("begins") == now.get("begins"):
        if was.get("role") != now.get("role"):
            return f"{was['role']} -> {now['role']}"
        return f"begins the same, {was['characters']:,} -> {now['characters']:,} characters, differs further on"
    was, now = (value["begins"] if isinstance(value, dict) and "begins" in value else value for value in (was, now))
    return f"{_cut(_say(was), short)} -> {_cut(_say(now), short)}"


def _cut(text: str, most: int = WIDE) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"
