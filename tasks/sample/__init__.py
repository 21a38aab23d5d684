"""The packaged benchmark `rarefy/sample`: real documents, a model's recorded replies about them, what is made of both.

`rarefy build sample` builds it from documents and replies, `rarefy evaluate sample` asks it as it ships.
"""

from pathlib import Path

NAMES = ("sample", "rarefy/sample")  # by which commands know it, where no such folder is there
CORPUS = Path(__file__).parent / "corpus"
CONFIG = Path(__file__).parent / "sample.toml"
RECORDED = Path(__file__).parent / "recorded"  # for provider = "recorded", model = "sample/NAME"
VECTORS = RECORDED / "vectors.npz"  # of the texts that `make demo` embeds (tasks/models/embed/shipped)
BENCHMARK = Path(__file__).parent / "rarefy" / "sample"
