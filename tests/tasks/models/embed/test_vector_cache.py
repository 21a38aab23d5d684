"""Vectors that are made once."""

import logging

import numpy as np

from rarefy.tasks.models.embed import vector_cache


def test_long_work_tells_how_far_it_has_come(monkeypatch, caplog):
    monkeypatch.setattr(vector_cache, "PULSE", -1.0)
    caplog.set_level(logging.INFO, "rarefy.llm")
    texts = [f"{n:03}" for n in range(2 * vector_cache.COMMIT + 1)]
    cache = vector_cache.VectorCache(None)
    for _ in range(2):
        cache(bytes(32), texts, lambda some: [(some, np.ones((len(some), 2), np.float32))])
    assert caplog.messages == [f"embedded {n} of 513 texts, 0 s left" for n in (256, 512)]
