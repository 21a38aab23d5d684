"""Threads for somebody's code, which may never come back: a process that ends does not wait for them."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from typing import Generic, TypeVar

Made = TypeVar("Made")


class TooSlow(Exception):
    """A call took longer than it may: ours, where a TimeoutError may be the call's own."""


class ThreadPool(Generic[Made]):
    """So many threads; the executors of the standard library are waited for when the interpreter ends."""

    def __init__(self, count: int) -> None:
        self._todo: queue.SimpleQueue[tuple[Future[Made], Callable[[], Made]] | None] = queue.SimpleQueue()
        self._count = count
        for _ in range(count):
            threading.Thread(target=self._work, name="rarefy-system", daemon=True).start()

    def begin(self, call: Callable[[], Made]) -> "Future[Made]":
        """What will hold the result of this call, or what it raised."""
        future: Future[Made] = Future()
        self._todo.put((future, call))
        return future

    def end(self) -> None:
        """Nothing more comes: the threads end once what was begun is done; nobody waits for it here."""
        for _ in range(self._count):
            self._todo.put(None)

    def _work(self) -> None:
        while task := self._todo.get():
            future, call = task
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(call())
            except BaseException as error:  # whoever takes the result gets it
                future.set_exception(error)


def within(seconds: float, call: Callable[[], Made]) -> Made:
    """The result of a call; TooSlow once it takes longer. It then goes on by itself: no thread can be stopped."""
    if not seconds:
        return call()
    hands = ThreadPool[Made](1)
    future = hands.begin(call)
    hands.end()
    if not wait([future], seconds).done:
        raise TooSlow(f"no answer within {seconds:g} s")
    return future.result()
