"""A small corpus of real documents, and recorded replies about it, that ship with the package for demo and tests."""

from pathlib import Path

CORPUS = Path(__file__).parent / "corpus"
RECORDED = Path(__file__).parent / "recorded"  # for [llm] provider = "recorded"
