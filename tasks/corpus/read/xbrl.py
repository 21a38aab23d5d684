"""Inline XBRL: the contexts, units and tagged values of a filing, as facts (Inline XBRL 1.1 and its formats)."""

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from lxml import etree

from rarefy.data_contracts.rows import Fact
from rarefy.tasks.corpus.read.html_flow import local_name
from rarefy.tasks.text import quantities

LONGEST = 400  # characters: longer texts are whole notes and policies, which the document's own text holds
_SAID = {"fixed-true": "true", "fixed-false": "false", "booleantrue": "true", "booleanfalse": "false"}
_BALLOTS = {"☒": "true", "☑": "true", "☐": "false"}
_WORDS = {"no": 0, "none": 0, "nil": 0, "a": 1, "an": 1}  # alone in a tag: no other text counts with them


@dataclass(frozen=True, slots=True)
class Context:
    """When a value held, in the filing's own words, and of which members of which dimensions."""

    start: str
    end: str
    dimensions: tuple[str, ...]


def contexts(root: etree._Element) -> dict[str, Context]:
    """The contexts that the filing defines, by id."""
    out: dict[str, Context] = {}
    for element in root.iter():
        if not isinstance(element.tag, str) or local_name(element.tag) != "context":
            continue
        start = end = ""
        dimensions = []
        for part in element.iter():
            if not isinstance(part.tag, str):
                continue
            name, text = local_name(part.tag), (part.text or "").strip()
            if name == "startdate":
                start = text
            elif name in ("enddate", "instant"):
                end = text
            elif name == "explicitmember":
                dimensions.append(f"{part.get('dimension')}={text}")
            elif name == "typedmember":
                dimensions.append(f"{part.get('dimension')}={' '.join(''.join(part.itertext()).split())}")
        out[element.get("id") or ""] = Context(start, end, tuple(sorted(dimensions)))
    return out


def units(root: etree._Element) -> dict[str, str]:
    """The units that the filing defines, by id: "USD", "USD/shares", "pure"."""
    out: dict[str, str] = {}
    for element in root.iter():
        if not isinstance(element.tag, str) or local_name(element.tag) != "unit":
            continue
        above: list[str] = []
        below: list[str] = []
        for part in element.iter():
            if isinstance(part.tag, str) and local_name(part.tag) == "measure":
                parents = {local_name(p.tag) for p in part.iterancestors()}
                (below if "unitdenominator" in parents else above).append((part.text or "").strip().rpartition(":")[2])
        out[element.get("id") or ""] = "*".join(above) + ("/" + "*".join(below) if below else "")
    return out


def facts(
    values: list[etree._Element], spans: dict[int, tuple[int, int]], text: str, root: etree._Element
) -> tuple[Fact, ...]:
    """The filing's facts, hidden ones too: `values` were seen while reading, `spans` says where they are in `text`."""
    known, measures = contexts(root), units(root)
    seen = set(values)
    out = []
    for number, element in enumerate(values):
        start, end = spans.get(number, (0, 0))
        out.append(_fact(element, start, end, text[start:end], known, measures))
    for element in root.iter():
        if (
            isinstance(element.tag, str)
            and element not in seen
            and local_name(element.tag) in ("ix:nonfraction", "ix:nonnumeric")
        ):
            out.append(_fact(element, 0, 0, "", known, measures))
    return tuple(fact for fact in out if fact is not None)


def _get(element: etree._Element, name: str) -> str:
    return element.get(name) or element.get(name.lower()) or ""


def _fact(
    element: etree._Element, start: int, end: int, shown: str, known: dict[str, Context], measures: dict[str, str]
) -> Fact | None:
    concept = _get(element, "name")
    if not concept or concept.endswith("TextBlock"):
        return None
    if any(key.rpartition("}")[2] == "nil" and value in ("true", "1") for key, value in element.attrib.items()):
        return None
    written = " ".join("".join(_text(element)).split())
    way = _get(element, "format").rpartition(":")[2].lower()
    context = known.get(_get(element, "contextRef"), Context("", "", ()))
    if local_name(element.tag) == "ix:nonfraction":
        value = number_of(written, way, _get(element, "scale"), _get(element, "sign"))
        unit = measures.get(_get(element, "unitRef"), "")
    else:
        value, unit = _SAID.get(way, _BALLOTS.get(written, "") if "ballot" in way else "") or shown or written, ""
        if len(value) > LONGEST:
            return None
    return Fact(start, end, concept, value, unit, context.start, context.end, context.dimensions) if value else None


def _text(element: etree._Element) -> list[str]:
    """The element's words but those that it is told to exclude."""
    out: list[str] = []
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, part in walk:
        if event == "end":
            out.append(part.tail or "" if part is not element else "")
        elif isinstance(part.tag, str) and local_name(part.tag) != "ix:exclude":
            out.append(part.text or "")
        else:
            walk.skip_subtree()
    return out


def number_of(written: str, way: str = "", scale: str = "", sign: str = "") -> str:
    """A displayed number as a plain one, scaled and signed; "" where it is none. `way` is the format's local name."""
    # the tag's format, and no guess, says what points and commas of its digits mean
    digits = re.sub(r"[^\d.,]", "", written)
    if way in ("zerodash", "fixed-zero", "numdash", "fixedzero") or (not digits and re.fullmatch(r"[-–—−‑]+", written)):
        return "0"
    if way.startswith(("numwords", "num-word")) or (not digits and written):
        return _scaled(_worded(written), scale, sign)
    if "comma-decimal" in way or way in ("numcommadecimal", "numcomma", "numdotcomma", "numspacecomma"):
        digits = digits.replace(".", "").replace(",", ".")
    else:
        digits = digits.replace(",", "")
    try:
        return _scaled(Decimal(digits), scale, sign)
    except InvalidOperation:
        return ""


def _scaled(number: Decimal | None, scale: str, sign: str) -> str:
    if number is None:
        return ""
    number = number.scaleb(int(scale)) if re.fullmatch(r"-?\d{1,2}", scale) else number
    plain = format(number, "f")
    plain = plain.rstrip("0").rstrip(".") if "." in plain else plain
    return f"-{plain}" if sign == "-" and plain != "0" else plain


def _worded(text: str) -> Decimal | None:
    """ "twenty-one" is 21, "two million" 2,000,000; None for words that are no number."""
    if text.lower() in _WORDS:
        return Decimal(_WORDS[text.lower()])
    quantity = quantities.number(text)
    return quantity.value if quantity and quantity.worded and quantity.kind != "place" else None
