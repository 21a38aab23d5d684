"""A small corpus of real documents that ships with the package, for `make demo` and the tests."""

from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
