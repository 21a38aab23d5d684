"""A model that answers many requests at once, asked one by one: what waits together goes in one batch."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from rarefy.data_contracts.rows import Reply, Request
from rarefy.tasks.llm.faults import Failed, Stopped

AskMany = Callable[[Sequence[Request]], Iterable[Reply]]
GATHER = 0.02  # seconds in which a block comes in


class Batched:
    """A provider around a plain function of many requests, which has a thread of its own."""

    def __init__(self, ask: AskMany, name: str, size: int) -> None:
        self.ask, self.name, self.size = ask, name, size
        self.more: Callable[[], bool] = lambda: False  # are more requests about to come in?
        self._waiting: list[tuple[Request, asyncio.Future[Reply]]] = []
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="rarefy-batch")
        self._runner: asyncio.Task[None] | None = None

    async def __call__(self, request: Request, seconds: float) -> Reply:
        """The reply, from the batch that the request went in; a batch has no deadline but the stage's."""
        answer: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, answer))
        if self._runner is None or self._runner.done():
            self._runner = asyncio.create_task(self._run())
        return await answer

    async def close(self) -> None:
        """Let its thread go."""
        self._thread.shutdown(wait=False)

    async def _run(self) -> None:
        while self._waiting:
            before = 0
            while len(self._waiting) < self.size and (before < len(self._waiting) or self.more()):
                before = len(self._waiting)
                await asyncio.sleep(GATHER)
            batch, self._waiting = self._waiting[: self.size], self._waiting[self.size :]
            await self._answer(batch)

    async def _answer(self, batch: list[tuple[Request, asyncio.Future[Reply]]]) -> None:
        # ids of ours: two askers may use the same one for different requests
        requests = {f"{place}": request for place, (request, _) in enumerate(batch)}
        loop = asyncio.get_running_loop()
        try:
            replies = await loop.run_in_executor(self._thread, self._asked, requests)
        except (Stopped, Failed) as error:
            for _, answer in batch:
                if not answer.done():
                    answer.set_exception(error)
            return
        except Exception as error:  # a bug of the model's code: every asker gets to see it
            for _, answer in batch:
                if not answer.done():
                    answer.set_exception(error)
            return
        for place, (_, answer) in enumerate(batch):
            if answer.done():
                continue
            reply = replies.get(f"{place}")
            if reply is None:
                answer.set_exception(Failed("lost", f"{self.name} answered others of its batch"))
            else:
                answer.set_result(reply)

    def _asked(self, requests: dict[str, Request]) -> dict[str, Reply]:
        from dataclasses import replace

        renamed = [replace(request, request_id=name) for name, request in requests.items()]
        replies: dict[str, Reply] = {}
        for reply in self.ask(renamed):
            if reply.request_id in requests:
                # the first of several counts; a reply to no request of ours is nobody's
                replies.setdefault(reply.request_id, replace(reply, request_id=requests[reply.request_id].request_id))
        return replies
