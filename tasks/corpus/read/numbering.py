"""Count the paragraphs of Word's lists, and write their numbers as Word shows them."""

import re
from typing import NamedTuple

from lxml import etree

from rarefy.tasks.corpus.read.office import local_name

LEVELS = 9
_ROMAN: tuple[tuple[int, str], ...] = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
)
_ROMAN += ((9, "ix"), (5, "v"), (4, "iv"), (1, "i"))
MOST = 5_000  # a larger number is written in figures whatever its kind


class _Level(NamedTuple):
    """How one level of a list is numbered; it begins anew below every paragraph of a level before `restart`."""

    start: int = 1
    kind: str = "decimal"
    pattern: str = ""
    restart: int = 0


class Numbering:
    """The lists that a document defines, and how far each has counted."""

    def __init__(self, root: etree._Element) -> None:
        self._levels: dict[str, dict[int, _Level]] = {}  # abstract list -> its levels
        linked: dict[str, str] = {}  # abstract list -> the style whose list it is
        styles: dict[str, str] = {}  # that style -> the abstract list with its levels
        self._abstract: dict[str, str] = {}  # list -> abstract list, which it shares its count with
        self._starts: dict[str, dict[int, int]] = {}  # list -> level -> where it begins anew
        self._counts: dict[str, dict[int, int]] = {}
        self._begun: set[str] = set()
        for element in root:
            if not isinstance(element.tag, str):
                continue
            if local_name(element) == "abstractNum":
                number = _get(element, "abstractNumId")
                self._levels[number] = _read_levels(element)
                for child in element:
                    if isinstance(child.tag, str) and local_name(child) == "numStyleLink":
                        linked[number] = _get(child, "val")
                    elif isinstance(child.tag, str) and local_name(child) == "styleLink":
                        styles[_get(child, "val")] = number
            elif local_name(element) == "num":
                self._add(element)
        for number, style in linked.items():
            self._levels[number] = self._levels[number] or self._levels.get(styles.get(style, ""), {})

    def _add(self, element: etree._Element) -> None:
        number = _get(element, "numId")
        for child in element:
            if local_name(child) == "abstractNumId":
                self._abstract[number] = _get(child, "val")
            elif local_name(child) == "lvlOverride":
                for part in child:
                    if local_name(part) == "startOverride":
                        level, start = _get(child, "ilvl"), _get(part, "val")
                        if level.isdigit() and start.isdigit():
                            self._starts.setdefault(number, {})[int(level)] = int(start)

    def count(self, number: str, level: int) -> str:
        """The mark of the next paragraph of a list at a level: "3.", "(b)", "-" for a bullet, "" for none."""
        abstract = self._abstract.get(number, "")
        levels = self._levels.get(abstract, {})
        if level not in levels:
            return ""
        counts = self._counts.setdefault(abstract, {})
        if number not in self._begun:
            self._begun.add(number)
            for at, start in self._starts.get(number, {}).items():
                counts[at] = start - 1
        here = levels[level]
        counts[level] = counts.get(level, here.start - 1) + 1
        for lower in [at for at in counts if at > level and level < levels.get(at, here).restart]:
            del counts[lower]
        if here.kind == "bullet":
            return "-"
        if here.kind == "none":
            return ""

        def fill(found: re.Match[str]) -> str:
            at = int(found.group(1)) - 1
            its = levels.get(at, _Level())
            return write_number(counts.get(at, its.start), its.kind)

        return re.sub(r"%([1-9])", fill, here.pattern).strip()


def write_number(number: int, kind: str) -> str:
    """A number as a list of a kind writes it: 3 is "c" of `lowerLetter`, "iii" of `lowerRoman`."""
    if number <= 0 or number > MOST:
        return str(number)
    if kind in ("lowerLetter", "upperLetter"):
        letter = chr(ord("a") + (number - 1) % 26) * ((number - 1) // 26 + 1)
        return letter.upper() if kind == "upperLetter" else letter
    if kind in ("lowerRoman", "upperRoman"):
        out = ""
        for value, letters in _ROMAN:
            while number >= value:
                out += letters
                number -= value
        return out.upper() if kind == "upperRoman" else out
    return f"{number:02d}" if kind == "decimalZero" else str(number)


def _get(element: etree._Element, name: str) -> str:
    space = str(element.tag).rpartition("}")[0]
    return element.get(f"{space}}}{name}" if space else name) or ""


def _read_levels(element: etree._Element) -> dict[int, _Level]:
    levels: dict[int, _Level] = {}
    for child in element:
        at = _get(child, "ilvl") if isinstance(child.tag, str) and local_name(child) == "lvl" else ""
        if at.isdigit() and int(at) < LEVELS:
            stated = {local_name(part): _get(part, "val") for part in child if isinstance(part.tag, str)}
            start, restart = stated.get("start", "1"), stated.get("lvlRestart", at)
            levels[int(at)] = _Level(
                int(start) if start.isdigit() else 1,
                stated.get("numFmt", "decimal"),
                stated.get("lvlText", ""),
                int(restart) if restart.isdigit() else int(at),
            )
    return levels
