"""Writes to the books from one thread, many at a time: a reply is given back once the transaction with it is done."""

import asyncio
import threading
from collections.abc import Sequence
from concurrent.futures import Future

from rarefy.tasks.models.llm.reply_store import Call, Kept, ReplyStore

MOST = 256  # rows in one transaction: a few milliseconds


class Ledger:
    """What is to be written, and the thread that writes it."""

    def __init__(self, books: ReplyStore) -> None:
        self.books = books
        self._changed = threading.Condition()
        self._waiting: list[tuple[Sequence[Call], Sequence[Kept], Future[None]]] = []
        threading.Thread(target=self._write, name="rarefy-ledger", daemon=True).start()

    async def kept(self, calls: Sequence[Call], replies: Sequence[Kept] = ()) -> None:
        """Return when these are in the books."""
        await asyncio.wrap_future(self._put(calls, replies))

    def write(self, calls: Sequence[Call]) -> "Future[None]":
        """Have these written soon; what is given back is done when they, and all before them, are."""
        return self._put(calls, ())

    def _put(self, calls: Sequence[Call], replies: Sequence[Kept]) -> "Future[None]":
        done: Future[None] = Future()
        with self._changed:
            self._waiting.append((calls, replies, done))
            self._changed.notify()
        return done

    def _write(self) -> None:
        while True:
            with self._changed:
                while not self._waiting:
                    self._changed.wait()
                some, self._waiting = self._waiting[:MOST], self._waiting[MOST:]
            try:
                self.books.keep([call for calls, _, _ in some for call in calls], [k for _, ks, _ in some for k in ks])
            except BaseException as error:  # a full disk, a lost database: whoever waits is told
                for _, _, done in some:
                    done.set_exception(error)
                continue
            for _, _, done in some:
                done.set_result(None)
