"""Whether a server is being ended on purpose: what it cuts off then is nobody's fault."""

import os
from pathlib import Path

ENDING = "RAREFY_ENDING"  # in the environment: a file that is there while `rarefy serve` ends


def ending() -> bool:
    """Is this run ended because `rarefy serve` is?"""
    file = os.environ.get(ENDING, "")
    return bool(file) and Path(file).exists()
