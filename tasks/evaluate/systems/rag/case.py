"""A question as a strategy sees it: its passages, its protocol's prompts, and how replies are read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rarefy.data_contracts.rows import Passage, Reply, Request
from rarefy.tasks.evaluate.systems.interface import SystemInput
from rarefy.tasks.evaluate.systems.rag.config import Instead, RagConfig
from rarefy.tasks.evaluate.systems.rag.final import READERS
from rarefy.tasks.evaluate.systems.rag.packs import Pack, shown
from rarefy.tasks.evaluate.systems.rag.turns import Ended
from rarefy.tasks.models.llm.reading import unthought

Rate = Callable[[str, Sequence[str]], Sequence[float]]  # (query, texts): how much each helps, -1 to 1
SHOWN = 4_000  # characters of a reply that is told as it came


@dataclass(frozen=True)
class StrategyCase:
    """One question under one strategy."""

    asked: SystemInput
    config: RagConfig
    pack: Pack
    rate: Rate | None = None  # where the strategy rates passages

    @property
    def passages(self) -> tuple[Passage, ...]:
        """What it is given, from top to bottom."""
        return self.asked.passages or ()

    def request(self, step: str, passages: Sequence[Passage] = (), **more: str) -> Request:
        """The request of a step that the pack has a prompt for, over these passages."""
        return self._request(self.pack.role(step), passages, **more)

    def shared(self, role: str, passages: Sequence[Passage] = ()) -> Request:
        """The request of a step that every protocol shares."""
        return self._request(role, passages)

    def _request(self, role: str, passages: Sequence[Passage], **more: str) -> Request:
        asked, config = self.asked, self.config
        messages = shown(
            role, asked.domain, asked.query, passages, asked.refusal, titles=config.titles, form=config.form, **more
        )
        return Request(
            asked.asked_id,
            messages,
            temperature=config.temperature,
            max_tokens=config.max_tokens,
            seed=config.seed + asked.repeat,
        )

    def failed(self, reply: Reply) -> Ended | None:
        """The end of a talk whose reply is none; None where it can be read.

        A model that says nothing has said nothing, and one that declines has declined: both are answers.
        """
        if not reply.error or (reply.error == "truncated" and self.config.truncated == "answer"):
            return None
        if reply.error == "empty" and reply.finish_reason in ("", "stop"):
            return Ended("", detail="an empty reply")
        if reply.error == "refused":
            return Ended(reply.text or reply.detail, refused=True, detail="the model declined")
        told = "; ".join(filter(None, (reply.detail, reply.text and f"it said: {reply.text}")))
        return Ended(error=reply.error, detail=told[:SHOWN])

    def answer(self, reply: Reply, step: str, way: str = "") -> Ended:
        """What a reply answers, read as its prompt asked for it; "unparsable" with the reply where it does not."""
        if ended := self.failed(reply):
            return ended if ended.error else replace(ended, detail=way or ended.detail)
        reads = self.pack.notes if step == "chain_of_note" else self.pack.reads
        text = READERS[reads](reply.text, self.asked.refusal)
        if text is None and self.config.unread == "whole":
            text = unthought(reply.text).strip()
        if text is None:
            return Ended(error="unparsable", detail=reply.text[:SHOWN])
        return Ended(text, detail=way)

    def unclear(self, instead: Instead, reply: Reply) -> tuple[Passage, ...] | Ended:
        """The passages that are shown where a first step's reply says neither this nor that."""
        if instead == "error":
            return Ended(error="unparsable", detail=reply.text[:SHOWN])
        return self.passages if instead == "passages" else ()
