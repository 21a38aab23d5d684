"""How text looks in HTML: what its elements, their attributes and their styles make bold, raised, centred, hidden."""

import re
from functools import lru_cache
from typing import NamedTuple

from lxml import etree


class Looks(NamedTuple):
    """What an element inherits from those around it."""

    bold: bool = False
    italic: bool = False
    underlined: bool = False
    linked: bool = False
    centred: bool = False
    raised: bool = False
    size: float = 10.0
    indent: float = 0.0
    symbol: str = ""  # wingdings | symbol: a font whose letters are pictures
    heading: int = 0
    preformatted: bool = False


BLOCKS = frozenset(
    "p div h1 h2 h3 h4 h5 h6 center blockquote pre ul ol dl dt dd li body html section article header footer form "
    "fieldset address main nav aside caption figure figcaption tr thead tbody tfoot".split()
)
UNSEEN = frozenset("head title script style ix:header ix:hidden noscript object iframe select button".split())
_WINGDINGS = {"\x78": "☒", "\xa8": "☐", "\xfe": "☒", "\x6f": "☐", "\xfd": "☒", "\x71": "☐", "\xa7": "▪", "\x6c": "●"}
_WINGDINGS |= {"\x6e": "■", "\x77": "◆", "\x75": "◆", "\xd8": "➢", "\xfc": "✓", "\x9f": "•"}
_SYMBOL = {"\xb7": "•", "\xa8": "◆", "\xd2": "®", "\xd3": "©", "\xd4": "™", "\xe2": "®", "\xe4": "™"}
_PICTURES = {"wingdings": str.maketrans(_WINGDINGS), "symbol": str.maketrans(_SYMBOL)}
_FONT_SIZES = {"1": 7.5, "2": 10.0, "3": 12.0, "4": 13.5, "5": 18.0, "6": 24.0, "7": 36.0}
_ORDINAL = re.compile(r"^(st|nd|rd|th|[®™©℠]|SM|TM|\d*[./]\d+)$", re.I)
_RAISED = re.compile(r"[1-9]|0?\.[1-9]")
_NOTE_MARK = re.compile(r"^[(\[]?(\d{1,2}|[a-zA-Z]|[ivx]{1,4})[)\]]?$")


@lru_cache(maxsize=65536)
def style_of(text: str) -> dict[str, str]:
    """The properties of a style attribute, lower case."""
    pairs = (part.partition(":") for part in text.lower().split(";"))
    return {name.strip(): value.strip() for name, _, value in pairs if value}


def points(value: str, now: float = 10.0) -> float:
    """A length in points; `now` is what a percentage is of, and the answer for what is no length."""
    number = re.match(r"-?\d*\.?\d+", value)
    if not number:
        return now
    factor = {"px": 0.75, "em": 10.0, "rem": 10.0, "in": 72.0, "cm": 28.35, "mm": 2.835, "%": now / 100}
    return float(number.group()) * factor.get(value[number.end() :].strip(), 1.0)


def place_of(style: dict[str, str]) -> tuple[float, float] | None:
    """How far from top and left of its page a text is put, in points; None where it flows."""
    if style.get("position") != "absolute" or "top" not in style or "left" not in style:
        return None
    return points(style["top"], 0.0), points(style["left"], 0.0)


@lru_cache(maxsize=4096)
def name_of(tag: str) -> str:
    """The element's name without its namespace, lower case, but `ix:` kept: `{…}nonFraction` is `ix:nonfraction`."""
    if tag.startswith("{"):
        space, _, local = tag[1:].partition("}")
        return f"ix:{local.lower()}" if "inlineXBRL" in space else local.lower()
    prefix, _, local = tag.lower().rpartition(":")
    return f"ix:{local}" if prefix == "ix" else local


def changed(now: Looks, name: str, element: etree._Element, style: dict[str, str]) -> Looks:
    """What an element inherits to those in it: `now`, and what its own name, attributes and style change."""
    change: dict[str, object] = {}
    if name in ("b", "strong", "th"):
        change["bold"] = True
    elif name in ("i", "em"):
        change["italic"] = True
    elif name == "u":
        change["underlined"] = True
    elif name == "sup":
        change["raised"] = True
    elif name == "a" and (element.get("href") or "").startswith("#"):
        change["linked"] = True
    elif name == "center":
        change["centred"] = True
    elif name == "pre":
        change["preformatted"] = True
    elif name in ("td", "th"):
        change |= {"indent": 0.0, "centred": False}
    elif len(name) == 2 and name[0] == "h" and name[1].isdigit():
        change |= {"heading": int(name[1]), "bold": True}
    elif name == "font":
        face = (element.get("face") or "").lower()
        change["symbol"] = "wingdings" if "wingdings" in face else "symbol" if face == "symbol" else now.symbol
        if (size := element.get("size") or "") in _FONT_SIZES:
            change["size"] = _FONT_SIZES[size]
    if align := element.get("align"):
        change["centred"] = align.lower() == "center"
    if style:
        _change_by_style(name, now, style, change)
    return now._replace(**change) if change else now  # type: ignore[arg-type]


def _change_by_style(name: str, now: Looks, style: dict[str, str], change: dict[str, object]) -> None:
    if weight := style.get("font-weight"):
        change["bold"] = weight in ("bold", "bolder") or (weight.isdecimal() and len(weight) < 5 and int(weight) >= 600)
    if slope := style.get("font-style"):
        change["italic"] = slope in ("italic", "oblique")
    if "underline" in style.get("text-decoration", ""):
        change["underlined"] = True
    if size := style.get("font-size"):
        change["size"] = points(size, now.size)
    if name in BLOCKS or name in ("td", "th", "table"):
        change["raised"] = False
    elif (
        (height := style.get("vertical-align", "")) in ("super", "text-top")
        or _RAISED.match(height)
        or (style.get("position") == "relative" and style.get("top", "").startswith("-"))
    ):
        change["raised"] = True
    if align := style.get("text-align"):
        change["centred"] = align == "center"
    if family := style.get("font-family"):
        change["symbol"] = "wingdings" if "wingdings" in family else "symbol" if family == "symbol" else ""
    for side in ("margin-left", "padding-left", "text-indent"):
        if side in style:
            before = change.get("indent", now.indent)
            change["indent"] = points(style[side], 0.0) + (before if isinstance(before, float) else 0.0)


def pictured(text: str, font: str) -> str:
    """The characters that the letters of a picture font show."""
    return text.translate(_PICTURES[font])


def footnote_mark(raised: str) -> str:
    """A raised text as it stands in a line: "1" after a label is " (1)"; an ordinal's "th" and a trade mark stay."""
    if _ORDINAL.match(raised):
        return raised
    marks = [mark.strip() for mark in raised.split(",")]
    if all(mark.isalnum() and _NOTE_MARK.match(mark) for mark in marks):
        return " " + ", ".join(f"({mark})" for mark in marks)
    return f" {raised}"
