"""How numbers, counts and names are written, the same in every form of a result."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rarefy.tasks.evaluate.protocols import PROTOCOLS
from rarefy.tasks.evaluate.results.slices import parsed

NOTHING = "–"
MINUS = "−"
RETRIEVAL = "retrieval"
Row = Mapping[str, Any]


def number(value: float | None, *, signed: bool = False) -> str:
    """Three decimals under ten, fewer above; "–" for none, a true minus sign, and no "-0.000"."""
    if value is None:
        return NOTHING
    size = abs(value)
    digits = 3 if size < 10 else 1 if size < 1000 else 0
    text = f"{size:,.{digits}f}"
    if not any(digit in text for digit in "123456789"):
        return text
    return f"{MINUS if value < 0 else '+' if signed else ''}{text}"


def percent(share: float | None) -> str:
    """A share in per cent, cut and not rounded: "94.9 %" where a floor of 95 was missed, never "100 %" for less."""
    if share is None:
        return NOTHING
    cut = math.floor(share * 1000 + 1e-9) / 10
    if cut == 0 and share > 0:
        return "< 0.1 %"
    return f"{cut:.1f} %" if 90 < cut < 100 or cut < 1 else f"{math.floor(cut):d} %"


def interval(row: Row) -> str:
    """ "[0.651, 0.698]", or nothing where the number has no interval."""
    if row["low"] is None or row["high"] is None:
        return ""
    return f"[{number(row['low'])}, {number(row['high'])}]"


def withheld(row: Row) -> str:
    """Why a number is not told, and between which bounds it lies."""
    bounds = sorted(value for value in (row["worst"], row["best"]) if value is not None)
    between = f"; between {number(bounds[0])} and {number(bounds[-1])}" if len(bounds) == 2 else ""
    return f"withheld ({percent(row['coverage'])} scored{between})"


def value(row: Row) -> str:
    """The number; that and why it is withheld; "not tried" where there was nothing to try; or "undefined"."""
    if row["withheld"]:
        return withheld(row)
    if row["value"] is not None:
        return number(row["value"])
    tried = any(row[f"n_{name}"] for name in ("scored", "failed", "missing"))
    return "undefined" if tried or not row["n_skipped"] else "not tried"


def counts(row: Row) -> str:
    """How many units were scored, and how many of what kind were not, where there are any."""
    lost = [f"{row[f'n_{name}']:,} {name}" for name in ("failed", "missing", "skipped") if row[f"n_{name}"]]
    return " · ".join([f"{row['n_scored']:,} {row['unit']} scored", *lost])


def said(name: str) -> str:
    """A name of the code as words: "lexical_similar" → "lexical similar"."""
    return name.replace("_", " ").strip()


def slice_(text: str) -> str:
    """A slice as words: "perturbation=typos, k=10" → "perturbation typos · k 10"."""
    return " · ".join(f"{said(name)} {said(value)}".strip() for name, value in parsed(text)) or "all"


def title(protocol: str, protocols: Mapping[str, Any]) -> str:
    """What a protocol is called."""
    known = PROTOCOLS[protocol].title if protocol in PROTOCOLS else said(protocol).capitalize()
    return str(protocols.get(protocol, {}).get("title") or known)


def system(name: str) -> str:
    """What a system is called; retrieval is measured whatever the system."""
    return name or "every system"


def headlines(figures: Iterable[Row]) -> list[Row]:
    """The numbers that stand for the whole: those so marked, or, of a protocol that marks none, those of "all"."""
    rows = list(figures)
    marked = {(row["protocol"], row["system"]) for row in rows if row["headline"]}
    return [
        row
        for row in rows
        if row["headline"] or ((row["protocol"], row["system"]) not in marked and not parsed(row["slice"]))
    ]


def accompanied(rows: Iterable[Row], figures: Sequence[Row]) -> Iterator[Row]:
    """Headlines, each with what its paper wants told beside it: refusals (RARE §4), undefined PDR (002-B)."""
    same = ("system", "protocol", "slice")
    for row in rows:
        wanted = (f"{row['metric']}: refusal rate", *(("PDR undefined",) if row["metric"] == "AH̃" else ()))
        yield row
        for one in figures:
            if one["metric"] in wanted and all(one[name] == row[name] for name in same):
                yield one


def grouped(rows: Iterable[Row], *names: str) -> Iterator[tuple[tuple[Any, ...], list[Row]]]:
    """The rows by these fields, groups and rows in the order of the rows."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    yield from found.items()


def reasons(told: Mapping[str, int], most: int = 4) -> str:
    """The most frequent reasons with their counts."""
    pairs = sorted(told.items(), key=lambda pair: (-pair[1], pair[0]))
    rest = [f"{len(pairs) - most} more kinds"] if len(pairs) > most else []
    return ", ".join([*(f"{count:,} {said(name)}" for name, count in pairs[:most]), *rest])


def chosen(summary: Mapping[str, Any]) -> Iterator[tuple[str, Row]]:
    """Every option that its paper leaves open or that was reconstructed, with what it is an option of."""
    protocols: Mapping[str, Any] = summary["protocols"]
    for name, about in protocols.items():
        for option in about.get("options", ()):
            if option.get("tag") in ("open", "recon"):
                yield title(name, protocols), option
    for option in summary["correctness"]:
        if option.get("tag") in ("open", "recon"):
            yield "Correctness", option
    for option in summary.get("open", ()):
        yield str(option["of"]), option


def plain(value: Any) -> str:
    """A chosen value as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(plain, value)) or NOTHING
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {plain(one)}" for name, one in value.items()) or NOTHING
    return NOTHING if value in (None, "") else str(value)
