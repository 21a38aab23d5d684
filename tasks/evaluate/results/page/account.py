"""What the numbers are of: the funnel, what was left out, what was chosen, what it cost."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.page.parts import Listed, Section, section

FUNNEL = (
    "From trials to answers to scores: what was lost on the way, and why. What is lost is in no average, but in every "
    "count."
)
OPTIONS = (
    "Where a paper does not say (open), or its text is lost and was reconstructed (recon), this was chosen. Another "
    "choice is a setting of that name."
)
COST = "What is asked alike by several trials is asked once."


def funnel(summary: Mapping[str, Any]) -> Section | None:
    """A table of stages for each system and protocol, and what could not be tried."""
    rows = [
        (
            wording.system(row["system"]),
            wording.title(row["protocol"], summary["protocols"]),
            row["stage"],
            f"{row['in']:,}",
            f"{row['out']:,}",
            wording.percent(row["out"] / row["in"]) if row["in"] else wording.NOTHING,
            wording.reasons(row["reasons"], most=6),
        )
        for row in summary["funnel"]
    ]
    left = [
        (wording.system(row["system"]), wording.title(row["protocol"], summary["protocols"]), row["why"])
        for row in summary["left_out"]
    ]
    head = ("system", "protocol", "stage", "in", "out", "kept", "lost")
    return section(
        "funnel",
        "Funnel and coverage",
        FUNNEL,
        [
            Listed("Left out", ("system", "protocol", "why"), tuple(left)) if left else None,
            Listed("Stages", head, _once(rows, 2), frozenset({3, 4, 5})) if rows else None,
        ],
    )


def _once(rows: Sequence[tuple[str, ...]], columns: int) -> tuple[tuple[str, ...], ...]:
    """The rows, a name left blank where it is that of the row above."""
    before: tuple[str, ...] = ()
    told = []
    for row in rows:
        same = 0
        while same < columns and before[: same + 1] == row[: same + 1]:
            same += 1
        told.append(("",) * same + row[same:])
        before = row
    return tuple(told)


def options(summary: Mapping[str, Any]) -> Section | None:
    """Every option that is tagged, with what was chosen and who leaves it open; the rest folded."""
    tagged = [(where, *_option(one)) for where, one in wording.chosen(summary)]
    rest = [(where, *_option(one)) for where, one in _others(summary)]
    head = ("of", "option", "chosen", "tag", "source", "what it is")
    return section(
        "options",
        "What was chosen",
        OPTIONS,
        [
            Listed("Open and reconstructed", head, _once(tagged, 1)) if tagged else None,
            Listed("All other settings", head, _once(rest, 1), folded=True) if rest else None,
        ],
    )


def _others(summary: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, about in summary["protocols"].items():
        for one in about.get("options", ()):
            if one.get("tag") not in ("open", "recon"):
                yield wording.title(name, summary["protocols"]), one
    for one in summary["correctness"]:
        if one.get("tag") not in ("open", "recon"):
            yield "Correctness", one
    for part in ("statistics", "retrieval"):
        found = summary[part]
        for one in found if isinstance(found, list) else _flat(found):
            yield wording.said(part).capitalize(), one
    for name, about in summary["systems"].items():
        yield from ((name, one) for one in _flat({key: value for key, value in about.items() if key != "identity"}))
        yield from ((name, one) for one in _flat(about.get("identity", {})))
    yield from (("Packages", {"name": name, "value": value}) for name, value in summary["package"].items())


def _flat(told: Mapping[str, Any], before: str = "") -> Iterator[dict[str, Any]]:
    for name, value in told.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{before}{name}.")
        else:
            yield {"name": f"{before}{name}", "value": value}


def _option(one: Mapping[str, Any]) -> tuple[str, str, str, str, str]:
    return (
        one["name"],
        wording.plain(one["value"]),
        one.get("tag", ""),
        one.get("source", ""),
        one.get("description", ""),
    )


def cost(summary: Mapping[str, Any]) -> Section | None:
    """Answers, calls, tokens, money and time of each system."""
    rows = [
        (
            name,
            *(f"{used.get(one, 0):,}" for one in ("answers", "asked", "calls", "prompt_tokens", "completion_tokens")),
            _money(used),
            _each(used),
            _time(used.get("seconds", 0.0)),
        )
        for name, used in summary["usage"].items()
    ]
    head = (
        "system", "answers", "asked", "calls", "prompt tokens", "completion tokens", "cost", "per 1,000 asked",
        "time answering",
    )  # fmt: skip
    return section("cost", "Cost", COST, [Listed("", head, tuple(rows), frozenset(range(1, 9)))] if rows else [])


def _money(used: Mapping[str, Any]) -> str:
    return f"{used.get('cost', 0):,.2f} {used.get('currency', '')}".strip() if used.get("cost") else wording.NOTHING


def _each(used: Mapping[str, Any]) -> str:
    if not used.get("cost") or not used.get("asked"):
        return wording.NOTHING
    return f"{1000 * used['cost'] / used['asked']:,.2f} {used.get('currency', '')}".strip()


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:,.1f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"
