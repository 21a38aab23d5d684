"""Sections of tables: headlines, robustness, slices, all numbers, the funnel, options and cost."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rarefy.tasks.evaluate.protocols import display_of
from rarefy.tasks.evaluate.protocols.display import Title
from rarefy.tasks.evaluate.protocols.frame import GUESS
from rarefy.tasks.evaluate.results import wording
from rarefy.tasks.evaluate.results.page.parts import (
    Dots,
    Grid,
    Listed,
    PageNumbers,
    Row,
    Section,
    build_dots,
    build_section,
    companion_finder,
    find_row,
    label_row,
    list_metrics,
)
from rarefy.tasks.evaluate.results.svg import fit_scale
from rarefy.tasks.evaluate.results.wording import natural_key

# Headlines

ABOUT_HEADLINES = (
    "The mark is the number, the whisker its 95 % interval. A dashed whisker shows how far the answers without "
    "a score could move the number. Each protocol counts the kinds of question that its paper has. Numbers of "
    "different protocols are not comparable: each has its own prompts, its own rule of what is right, its own unit. "
    "Every number opens the rows behind it."
)


def headline_section(numbers: PageNumbers) -> Section | None:
    """A table for each protocol."""
    parts = [part for name in numbers.protocols for part in _headline_dots(numbers, name)]
    about = f"{ABOUT_HEADLINES} {wording.why_no_intervals(numbers.summary)}".rstrip()
    return build_section("headline", "Headline", about, [_overview_grid(numbers), *parts])


def _overview_grid(numbers: PageNumbers) -> Grid | None:
    """The first number of every protocol for every system: what fits on one screen."""
    systems = [name for name in numbers.series if name in numbers.summary["systems"]]
    lines = []
    for protocol in numbers.protocols:
        rows: list[Any] = []
        for name in systems:
            rows += wording.table_rows(numbers.rows, protocol, name, brief=True)
        display = display_of(protocol)
        first = [name for name in display.accuracy if find_row(rows, metric=name)][:1]
        main = [name for name in display.main if name not in first and find_row(rows, metric=name)][:1]
        for metric in [*first, *main] or list_metrics(rows)[:1]:
            cells = tuple(find_row(rows, metric=metric, system=name) for name in systems)
            shown = next(cell for cell in cells if cell)
            label = f"{numbers.title(protocol)}: {wording.metric_title(shown).name}"
            lines.append((label, cells, tuple(() for _ in cells)))
    for row in (row for _, cells, _ in lines for row in cells):
        numbers.show(row, first=True)
    return Grid("At a glance", tuple(systems), tuple(lines)) if len(lines) > 1 else None


def _headline_dots(numbers: PageNumbers, protocol: str) -> Iterator[Dots | None]:
    rows: list[Any] = [row for row in wording.headline_rows(numbers.rows) if row["protocol"] == protocol]
    systems = [system for (system,), _ in wording.group_rows(rows, "system")]
    if protocol == wording.RETRIEVAL and not any(row["headline"] for row in rows):
        return
    rows = [row for system in systems for row in wording.table_rows(numbers.rows, protocol, system)]
    labels = list(dict.fromkeys(map(label_row, rows)))  # metric by metric, and within each the systems in their order
    rows.sort(key=lambda row: (labels.index(label_row(row)), numbers.series.get(row["system"], 0)))
    names: dict[str, set[str]] = {}  # two metrics of one plain name would read as one
    for row in rows:
        names.setdefault(wording.metric_title(row).name, set()).add(row["metric"])

    def name_row(row: Row) -> str:
        name = wording.metric_title(row).name
        name = name if len(names[name]) == 1 else row["metric"]
        return name if row["slice"] == "all" else f"{name}, {wording.format_slice(row['slice'])}"

    shares = all(value is None or 0 <= value <= 1 for row in rows for value in (row["value"], row["low"], row["high"]))
    about = numbers.summary["protocols"].get(protocol, {})
    notes: dict[str, list[str]] = {}
    for row in rows:
        for note in filter(None, wording.other_notes(row).split("; ")):
            notes.setdefault(note, []).append(wording.metric_title(row).name)
    said = [f"{', '.join(dict.fromkeys(names))}: {note}" for note, names in notes.items()]
    cautions = {name: wording.describe_caution([r for r in rows if r["system"] == name], protocol) for name in systems}
    yield build_dots(
        numbers,
        numbers.title(protocol) + (f" (arXiv {about['paper']})" if about.get("paper") else ""),
        rows,
        name_row,
        first=True,
        scale=fit_scale([0.0, 1.0]) if shares else None,
        note="; ".join([*said, *(text for name in systems if (text := _skipped(numbers, protocol, name, systems)))]),
        about=lambda row: next((about for _, about in wording.describe_metrics([row], numbers.rows)), ""),
        caution=" ".join(f"{wording.system_title(name)}: {text}." for name, text in cautions.items() if text),
    )


def _skipped(numbers: PageNumbers, protocol: str, system: str, systems: Sequence[str]) -> str:
    """How many trials of a system were skipped, and why; its name before it where there are several."""
    text = wording.describe_skipped(numbers.summary, protocol, system)
    return f"{wording.system_title(system)}: {text}" if text and len(systems) > 1 else text


# Robustness and slices

CHANGED = ("query", "perturbation", "document", "family", "type", "class", "scenario", "retriever", "cell")
SLICED = ("pattern", "hops", "domain", "known", "entity", "period", "length")
ABOUT_PERTURBED = "What each change of the question, of the passages, or of where they come from does to a system."
ABOUT_SLICES = "The same numbers for parts of the questions. Few questions make wide intervals: look at these first."


def perturbation_section(numbers: PageNumbers) -> Section | None:
    """Tables by perturbation and by what is shown."""
    return build_section(
        "perturbations", "Robustness per perturbation", ABOUT_PERTURBED, list(_robustness_dots(numbers, CHANGED))
    )


def slice_section(numbers: PageNumbers) -> Section | None:
    """Tables by pattern, domain and other properties of questions."""
    return build_section("slices", "Slices of the questions", ABOUT_SLICES, list(_robustness_dots(numbers, SLICED)))


def _robustness_dots(numbers: PageNumbers, names: Sequence[str]) -> Iterator[Dots | None]:
    for protocol in numbers.protocols:
        if protocol == wording.RETRIEVAL:
            continue
        for name in names:
            rows = numbers.by(protocol, name) or _at_one_ratio(numbers, protocol, name)
            main = display_of(protocol).main or _headline_metrics(numbers, protocol)
            have = [metric for metric in main if find_row(rows, metric=metric)] or _fallback_metrics(rows, protocol)
            for at, metric in enumerate(have):
                yield _table(numbers, protocol, name, metric, rows, folded=at > 0)


def _at_one_ratio(numbers: PageNumbers, protocol: str, name: str) -> list[Row]:
    """The numbers by this name where all are of one ratio, so that no curve shows them (classes of noise); else []."""
    rows = numbers.by(protocol, name, "ratio")
    return rows if len({row["where"]["ratio"] for row in rows}) == 1 else []


def _table(
    numbers: PageNumbers, protocol: str, name: str, metric: str, rows: Sequence[Row], folded: bool
) -> Dots | None:
    mine = sorted((row for row in rows if row["metric"] == metric), key=lambda row: natural_key(row["where"][name]))
    companions = [other for other in display_of(protocol).beside if other != metric and find_row(rows, metric=other)]
    return build_dots(
        numbers,
        f"{numbers.title(protocol)}: {_title_of(mine, metric).name} by {wording.plain_words(name)}"
        + (f", ratio {mine[0]['where']['ratio']}" if mine and "ratio" in mine[0]["where"] else ""),
        mine,
        lambda row: "as it stands" if row["where"][name] == "none" else wording.name_value(row["where"][name]),
        beside=[(_title_of(rows, other), companion_finder(rows, other)) for other in companions],
        note="; ".join(filter(None, (_guess_note(mine, name), _terms_note(mine, protocol, name)))),
        folded=folded,
    )


def _title_of(rows: Sequence[Row], metric: str) -> Title:
    row = find_row(rows, metric=metric)
    return wording.metric_title(row) if row else Title(metric, "")


def _guess_note(rows: Sequence[Row], name: str) -> str:
    """What a guess would get of the kinds of question that name what may be chosen."""
    guesses = {row["where"][name]: part for row in rows for part in row["note"].split("; ") if part.startswith(GUESS)}
    return "; ".join(f"{wording.plain_words(kind)}: {guess}" for kind, guess in guesses.items())


def _terms_note(rows: Sequence[Row], protocol: str, name: str) -> str:
    """What the values of a slice mean, those of them that are there."""
    terms, there = display_of(protocol).terms, {row["where"][name] for row in rows}
    return "; ".join(f"{wording.plain_words(term)}: {about}" for term, about in terms.items() if term in there)


def _headline_metrics(numbers: PageNumbers, protocol: str) -> tuple[str, ...]:
    return tuple(list_metrics(row for row in numbers.rows if row["protocol"] == protocol and row["headline"]))


def _fallback_metrics(rows: Sequence[Row], protocol: str) -> list[str]:
    """Where the main number is not there: all that are not said of another ("…: refusal rate")."""
    shown = display_of(protocol)
    if not shown.main:
        return []
    return [name for name in list_metrics(rows) if ": " not in name and name not in shown.beside][:3]


# All numbers

MOST_NUMBERS = 1_200  # numbers; the rest is in summary.json and figures.parquet
ABOUT_NUMBERS = "Value, 95 % interval, bounds (if all that has no score had gone wrong, or right), and what it is of."


@dataclass(frozen=True)
class Numbers:
    """Rows of the table of one protocol; `more` are not in it."""

    title: str
    rows: tuple[Row, ...]
    more: int
    folded: bool = True


def numbers_section(numbers: PageNumbers) -> Section | None:
    """All numbers as far as there is room: every protocol has its share of it."""
    parts = []
    share = MOST_NUMBERS // max(1, len(numbers.protocols))
    for protocol in numbers.protocols:
        rows = [row for row in numbers.rows if row["protocol"] == protocol]
        kept = tuple(rows[:share])
        for row in kept:
            numbers.show(row)
        title = numbers.title(protocol)
        parts.append(Numbers(f"{title}: {len(rows):,} numbers", kept, len(rows) - len(kept)))
    return build_section("numbers", "All numbers", ABOUT_NUMBERS, parts)


# Funnel, options and cost

ABOUT_FUNNEL = (
    "From trials to answers to scores: what was lost on the way, and why. What is lost is in no average, but in every "
    "count."
)
ABOUT_OPTIONS = (
    "Where a paper does not say (open), or its text is lost and was reconstructed (recon), this was chosen. Another "
    "choice is a setting of that name."
)
ABOUT_COST = "What is asked alike by several trials is asked once."


def funnel_section(summary: Mapping[str, Any]) -> Section | None:
    """A table of stages for each system and protocol, and what could not be tried."""
    rows = [
        (
            wording.system_title(row["system"]),
            wording.protocol_title(row["protocol"], summary["protocols"]),
            row["stage"],
            f"{row['in']:,}",
            f"{row['out']:,}",
            wording.format_percent(row["out"] / row["in"]) if row["in"] else wording.NOTHING,
            wording.format_reasons(row["reasons"], most=6),
        )
        for row in summary["funnel"]
    ]
    left = [
        (wording.system_title(row["system"]), wording.protocol_title(row["protocol"], summary["protocols"]), row["why"])
        for row in summary["left_out"]
    ]
    head = ("system", "protocol", "stage", "in", "out", "kept", "lost")
    return build_section(
        "funnel",
        "Funnel and coverage",
        ABOUT_FUNNEL,
        [
            Listed("Left out", ("system", "protocol", "why"), tuple(left)) if left else None,
            Listed("Stages", head, _blank_repeats(rows, 2), frozenset({3, 4, 5})) if rows else None,
        ],
    )


def _blank_repeats(rows: Sequence[tuple[str, ...]], columns: int) -> tuple[tuple[str, ...], ...]:
    """The rows, a name left blank where it is that of the row above."""
    before: tuple[str, ...] = ()
    blanked = []
    for row in rows:
        same = 0
        while same < columns and before[: same + 1] == row[: same + 1]:
            same += 1
        blanked.append(("",) * same + row[same:])
        before = row
    return tuple(blanked)


def options_section(summary: Mapping[str, Any]) -> Section | None:
    """Every option that is tagged, with what was chosen and who leaves it open; the rest folded."""
    tagged = [(where, *_option(option)) for where, option in wording.tagged_options(summary)]
    rest = [(where, *_option(option)) for where, option in _untagged_options(summary)]
    head = ("of", "option", "chosen", "tag", "source", "what it is")
    return build_section(
        "options",
        "What was chosen",
        ABOUT_OPTIONS,
        [
            Listed("Open and reconstructed", head, _blank_repeats(tagged, 1)) if tagged else None,
            Listed("All other settings", head, _blank_repeats(rest, 1), folded=True) if rest else None,
        ],
    )


def _untagged_options(summary: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, about in summary["protocols"].items():
        for option in about.get("options", ()):
            if option.get("tag") not in ("open", "recon"):
                yield wording.protocol_title(name, summary["protocols"]), option
    for option in summary["correctness"]:
        if option.get("tag") not in ("open", "recon"):
            yield "Correctness", option
    for part in ("statistics", "retrieval"):
        settings = summary[part]
        for option in settings if isinstance(settings, list) else _flatten(settings):
            yield wording.plain_words(part).capitalize(), option
    for name, about in summary["systems"].items():
        own = {key: value for key, value in about.items() if key != "identity"}
        yield from ((name, option) for option in (*_flatten(own), *_flatten(about.get("identity", {}))))
    yield from (("Packages", {"name": name, "value": value}) for name, value in summary["package"].items())


def _flatten(values: Mapping[str, Any], before: str = "") -> Iterator[dict[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping) and value:
            yield from _flatten(value, f"{before}{name}.")
        else:
            yield {"name": f"{before}{name}", "value": value}


def _option(option: Mapping[str, Any]) -> tuple[str, str, str, str, str]:
    return (
        option["name"],
        wording.format_option(option["value"]),
        option.get("tag", ""),
        option.get("source", ""),
        option.get("description", ""),
    )


def cost_section(summary: Mapping[str, Any]) -> Section | None:
    """Answers, calls, tokens, money and time of each system."""
    rows = [
        (
            name,
            *(f"{used.get(one, 0):,}" for one in ("answers", "asked", "calls", "prompt_tokens", "completion_tokens")),
            _money(used),
            _cost_per_1000(used),
            _time(used.get("seconds", 0.0)),
        )
        for name, used in summary["usage"].items()
    ]
    head = (
        "system", "answers", "asked", "calls", "prompt tokens", "completion tokens", "cost", "per 1,000 asked",
        "time answering",
    )  # fmt: skip
    return build_section(
        "cost", "Cost", ABOUT_COST, [Listed("", head, tuple(rows), frozenset(range(1, 9)))] if rows else []
    )


def _money(used: Mapping[str, Any]) -> str:
    return f"{used.get('cost', 0):,.2f} {used.get('currency', '')}".strip() if used.get("cost") else wording.NOTHING


def _cost_per_1000(used: Mapping[str, Any]) -> str:
    if not used.get("cost") or not used.get("asked"):
        return wording.NOTHING
    return f"{1000 * used['cost'] / used['asked']:,.2f} {used.get('currency', '')}".strip()


def _time(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:,.1f} s"
    return f"{seconds / 60:,.0f} min" if seconds < 7200 else f"{seconds / 3600:,.1f} h"
