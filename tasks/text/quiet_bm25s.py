"""The package bm25s without its log: it sets its own logger to DEBUG when it is imported."""

import logging
from typing import Any


def import_bm25s() -> Any:
    """The package; late, since importing it takes 0.3 s."""
    import bm25s

    logging.getLogger("bm25s").setLevel(logging.WARNING)
    return bm25s
