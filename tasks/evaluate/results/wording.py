"""How numbers, counts, names and slices are written and read, the same in every form of a result."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from rarefy.tasks.evaluate.protocols import PROTOCOLS, display_of
from rarefy.tasks.evaluate.protocols.budget import FEWEST, LOOK
from rarefy.tasks.evaluate.protocols.display import Title

# Slices

ALL = "all"
# A comma ends a value only where a new name follows it: "entity=Apple, Inc., period=2024" has two names
_BETWEEN = re.compile(r"\s*[,;]\s*(?=[A-Za-z_][\w@/ -]*=)")
_NUMBERS = re.compile(r"(\d+(?:\.\d+)?)")
# What a bin, an order or a class is said in; all else stands by number, then by letter
_RANKS = {
    name: at
    for at, name in enumerate(
        "none original gold near reversed mid far shuffled single chain star inverted_star multi golden distracting "
        "low_quality inconsequential irrelevant known unknown yes no".split()
    )
}


@cache
def parse_slice(slice_: str) -> tuple[tuple[str, str], ...]:
    """Names and values of a slice, in its own order; () for "all". A part without a name gets the name ""."""
    if slice_.strip() in ("", ALL):
        return ()
    parts = (part.partition("=") if "=" in part else ("", "=", part) for part in _BETWEEN.split(slice_.strip()))
    return tuple((name.strip(), value.strip()) for name, _, value in parts)


def slice_fields(slice_: str) -> dict[str, str]:
    """The slice as a mapping of names to values."""
    return dict(parse_slice(slice_))


def join_slice(names: Mapping[str, str]) -> str:
    """The text of a slice from its names and values."""
    return ", ".join(f"{name}={value}" if name else value for name, value in names.items()) or ALL


@cache
def natural_key(value: str) -> tuple[Any, ...]:
    """A key that sorts values as a reader counts: original before reversed, 5 before 10, 300-599 before 1500+."""
    parts = _NUMBERS.split(value)
    spread = tuple((0, float(part), "") if at % 2 else (1, 0.0, part) for at, part in enumerate(parts) if part)
    return (_RANKS.get(value, len(_RANKS)), spread)


def parse_number(value: str) -> float | None:
    """The value as a number: "0.3", "30%", "k10" is none."""
    try:
        return float(value[:-1]) / 100 if value.endswith("%") else float(value)
    except ValueError:
        return None


NOTHING = "–"
MINUS = "−"
RETRIEVAL = "retrieval"
Row = Mapping[str, Any]


def format_number(value: float | None, *, signed: bool = False) -> str:
    """Three decimals under ten, fewer above; "–" for none, a true minus sign, and no "-0.000"."""
    if value is None:
        return NOTHING
    size = abs(value)
    digits = 3 if size < 10 else 1 if size < 1000 else 0
    text = f"{size:,.{digits}f}"
    if not any(digit in text for digit in "123456789"):
        return text
    return f"{MINUS if value < 0 else '+' if signed else ''}{text}"


def format_percent(share: float | None) -> str:
    """A share in per cent, cut and not rounded: "94.9 %" where a floor of 95 was missed, never "100 %" for less."""
    if share is None:
        return NOTHING
    cut = math.floor(share * 1000 + 1e-9) / 10
    if cut == 0 and share > 0:
        return "< 0.1 %"
    return f"{cut:.1f} %" if 90 < cut < 100 or cut < 1 else f"{math.floor(cut):d} %"


def format_interval(row: Row) -> str:
    """ "[0.651, 0.698]", or nothing where the number has no interval."""
    if row["low"] is None or row["high"] is None:
        return ""
    return f"[{format_number(row['low'])}, {format_number(row['high'])}]"


def number_bounds(row: Row) -> tuple[float, float] | None:
    """The least and the most that a number can be: itself, or its bounds where too little was scored; else None."""
    if not row["withheld"]:
        return None if row["value"] is None else (row["value"], row["value"])
    bounds = sorted(value for value in (row["worst"], row["best"]) if value is not None)
    return (bounds[0], bounds[-1]) if len(bounds) == 2 else None


def format_bounds(row: Row) -> str:
    """The range in which a number lies, whatever the answers without a score had come to: "0.410 to 0.530"."""
    bounds = number_bounds(row)
    if bounds is None:
        return "not known"
    least, most = map(format_number, bounds)
    return least if least == most else f"{least} to {most}"


def format_withheld(row: Row) -> str:
    """A number of which too little was scored: its value of what was, its range, and how much was scored."""
    scored = f"{format_percent(row['coverage'])} scored"
    if row["value"] is None:
        return f"{format_bounds(row)} ({scored})"
    return f"{format_number(row['value'])} ({format_bounds(row)}; {scored})"


def format_value(row: Row, bare: bool = False) -> str:
    """The number, with its range where too little was scored; "not tried" without anything to try; "undefined".

    `bare`: the range only where nothing was scored.
    """
    if row["withheld"] and not bare:
        return format_withheld(row)
    if row["withheld"] and row["value"] is None:
        return format_bounds(row)
    if row["value"] is not None:
        return format_number(row["value"])
    return "undefined" if was_tried(row) else "not tried"


def was_tried(row: Row) -> bool:
    """Whether anything was put to a system for a number; all that was due for it may have been skipped."""
    return any(row[f"n_{name}"] for name in ("scored", "failed", "missing")) or not row["n_skipped"]


def format_ends(row: Row) -> str:
    """The interval of a number; of one of which too little was scored, its range; "" for neither."""
    if not row["withheld"]:
        return format_interval(row)
    ends = format_bounds(row)
    return f"({ends})" if row["value"] is not None and " to " in ends else ""


def has_intervals(summary: Mapping[str, Any]) -> bool:
    """Whether any headline number has one."""
    return any(row["low"] is not None for row in headline_rows(summary["figures"]))


def why_no_intervals(summary: Mapping[str, Any]) -> str:
    """Why numbers of a sample have no interval, where some have none for it; else ""."""
    about = summary.get("budget")
    rows = [row for row in headline_rows(summary["figures"]) if row["value"] is not None and not row["withheld"]]
    if not about or about["asked"] == about.get("of") or not any(row["low"] is None for row in rows):
        return ""
    least = f"{LOOK:,} calls to each system" if about["look"] else f"{FEWEST} questions"
    return f"No interval for numbers of a sample of under {least}: it says too little of how far another would differ."


def format_estimate(row: Row) -> str:
    """The number and its interval, if it has one."""
    return f"{format_value(row)} {format_interval(row)}"


def describe_row(row: Row) -> str:
    """System, metric, slice, value and interval of a number in one line."""
    named = f"{system_title(row['system'])}, {row['metric']}, {format_slice(row['slice'])}"
    return f"{named}: {format_estimate(row).strip()}"


def cluster_name(summary: Mapping[str, Any]) -> str:
    """What `clusters` of a number counts, and intervals are drawn from: scored questions, or their documents."""
    return f"{summary['statistics'].get('cluster', 'question')}s scored"


def join_names(names: Iterable[str]) -> str:
    """Names as words: "a, b and c"."""
    *first, last = [*names] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def whose_passages(row: Row, figures: Sequence[Row]) -> str:
    """Who found the passages that a number is of, where its protocol says that it is of retrieved ones; else ""."""
    if "with retrieved passages" not in metric_title(row).about:
        return ""
    return _passages_of(row, figures).removeprefix("with ").replace("passages that", "passages").removesuffix(" found")


RETRIEVED = "with retrieved passages"


def describe_metrics(rows: Iterable[Row], figures: Sequence[Row]) -> Iterator[tuple[str, str]]:
    """Each number's name in plain words and what it says, each once; retrieved passages with who found them."""
    said: dict[str, str] = {}
    for row in rows:
        title = metric_title(row)
        if title.about and title.name not in said:
            found = RETRIEVED in title.about  # else it is of none, and all figures need not be looked through
            said[title.name] = title.about.replace(RETRIEVED, _passages_of(row, figures)) if found else title.about
    yield from said.items()


def _passages_of(row: Row, figures: Sequence[Row]) -> str:
    """Whose passages a number of retrieved ones is of: its parts by retriever say so."""
    same = ("system", "protocol", "metric")
    mine = [row[name] for name in same]
    fields = [slice_fields(one["slice"]) for one in figures if [one[name] for name in same] == mine]
    names = dict.fromkeys(one["retriever"] for one in fields if set(one) == {"retriever"})
    others = [name for name in names if name != "own"]
    if others:
        return f"with passages that {join_names(others)} found"
    return "with passages that the system retrieved itself" if names else RETRIEVED


def format_counts(row: Row) -> str:
    """How many units were scored, and how many of what kind were not, where there are any."""
    return " · ".join([f"{row['n_scored']:,} {row['unit']} scored", *format_lost(row)])


def format_lost(row: Row) -> list[str]:
    """How many units of each kind were not scored, where there are any: "3 failed", "40 skipped"."""
    return [f"{row[f'n_{name}']:,} {name}" for name in ("failed", "missing", "skipped") if row[f"n_{name}"]]


def plain_words(name: str) -> str:
    """A name of the code as words: "lexical_similar" → "lexical similar"."""
    return name.replace("_", " ").strip()


def format_slice(text: str) -> str:
    """A slice as words: "perturbation=typos, k=10" → "perturbation typos · k 10"."""
    return " · ".join(f"{plain_words(name)} {name_value(value)}".strip() for name, value in parse_slice(text)) or "all"


def protocol_title(protocol: str, protocols: Mapping[str, Any]) -> str:
    """What a protocol is called."""
    known = PROTOCOLS[protocol].title if protocol in PROTOCOLS else plain_words(protocol).capitalize()
    return str(protocols.get(protocol, {}).get("title") or known)


def system_title(name: str) -> str:
    """What a system is called; retrieval is measured whatever the system."""
    return name or "every system"


def headline_rows(figures: Iterable[Row]) -> list[Row]:
    """The numbers that stand for the whole: those so marked, or, of a protocol that marks none, those of "all"."""
    rows = list(figures)
    marked = {(row["protocol"], row["system"]) for row in rows if row["headline"]}
    return [
        row
        for row in rows
        if row["headline"] or ((row["protocol"], row["system"]) not in marked and not parse_slice(row["slice"]))
    ]


def metric_title(row: Row) -> Title:
    """What a number is called in plain words, and what it says ("" where its protocol does not say)."""
    titles = display_of(row["protocol"]).titles
    if row["metric"] in titles:
        return titles[row["metric"]]
    name, _, kind = row["metric"].rpartition(": ")
    plain = {"refusal rate": "refused", "correct": "right"}.get(kind)
    of = titles[name].name if name in titles else name
    return Title(f"{of}: {plain}" if plain else row["metric"], "")


def table_rows(figures: Sequence[Row], protocol: str, system: str, *, brief: bool = False) -> list[Row]:
    """The numbers of a table of one system under a protocol: accuracy first, refusals next, then its headlines.

    `brief`: of the headlines only those that the protocol names as its main ones.
    """
    display = display_of(protocol)
    mine = [row for row in figures if (row["protocol"], row["system"]) == (protocol, system)]
    wholes = {row["metric"]: row for row in reversed(mine) if row["slice"] == ALL}
    headlines = headline_rows(mine)
    accuracy = next((name for name in display.accuracy if name in wholes), "")
    refusals = next((name for name in display.refusals if name in wholes), "")
    first = [wholes[name] for name in (accuracy, refusals) if name in wholes] if headlines else []
    main = [row for row in headlines if not brief or not display.main or row["metric"] in display.main]
    rows = [*first, *(main or headlines)]
    return list({row["figure_id"]: row for row in (rows if brief else with_companions(rows, mine))}.values())


def describe_caution(rows: Iterable[Row], protocol: str) -> str:
    """The warning beside a robustness of what is mostly wrong or refuses; "" where none is needed.

    The robustness is the protocol's main number or, where that was not tried (a system that retrieves by itself), the
    first of its others.
    """
    display, found = display_of(protocol), {row["metric"]: row for row in rows if row["slice"] == ALL}
    names = [name for name in (*display.main, *display.metrics) if name not in display.accuracy]
    right = next((found[name] for name in display.accuracy if name in found), None)
    robust = next((found[name] for name in names if name in found), None)
    if not display.caution or right is None or robust is None:
        return ""
    shares, held = number_bounds(right), number_bounds(robust)
    if shares is None or held is None or shares[1] >= 0.5 or ("{robust}" in display.caution and held[0] <= shares[1]):
        return ""
    said = display.caution.format(robust=format_bounds(robust), right=format_shares(shares) if shares[1] else "none")
    said = said.replace("only none", "none")
    refused = next((number_bounds(found[name]) for name in display.refusals if name in found), None)
    return f"{said}; {format_shares(refused)} refuse" if refused and refused[1] else said


# Why trials are skipped, in words; of other codes the words of the code stand
_SKIPPED = {
    "no_candidate": "that change cannot be made of the question or its passages",
    "multi_hop": "the question needs several passages, and the protocol shows one",
    "not_drawn": "the budget left them out",
    "not_retrieved": "the passage that is changed was not retrieved",
}


def describe_skipped(summary: Mapping[str, Any], protocol: str, system: str) -> str:
    """How many trials of a protocol were never put to a system, and why; "" where all were."""
    rows = (row for row in summary["funnel"] if (row["protocol"], row["system"]) == (protocol, system))
    row = next((row for row in rows if row["stage"] == "trials"), None)
    if row is None or row["in"] == row["out"]:
        return ""
    known = Counter[str]()
    for name, count in row["reasons"].items():
        known[_SKIPPED.get(name, plain_words(name))] += count
    return (
        f"{row['in'] - row['out']:,} of {row['in']:,} trials were skipped, and count neither as right nor "
        f"as wrong ({format_reasons(known)})"
    )


def count_of(number: int, what: str) -> str:
    """A number with what it counts: "1 answer", "1,200 answers"."""
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def format_share(share: float) -> str:
    """A share as a whole per cent; never "0 %" or "100 %" for more than none or less than all."""
    if 0 < share < 0.005:
        return "under 1 %"
    return "over 99 %" if 0.995 < share < 1 else f"{100 * share:.0f} %"


def format_shares(bounds: Iterable[float]) -> str:
    """The least and the most of a share: "19 to 28 %", or the one where they are the same."""
    least, most = map(format_share, bounds)
    return least if least == most else f"{least.removesuffix(' %')} to {most}"


def number_name(row: Row) -> str:
    """The plain name of a number, and the paper's name where that is another."""
    title = metric_title(row)
    return row["metric"] if title.name == row["metric"] else f"{title.name} · {row['metric']}"


def other_notes(row: Row) -> str:
    """The note of a number without how much of it was scored, which its range and its counts say already."""
    return "; ".join(note_in_words(part) for part in row["note"].split("; ") if not part.startswith("withheld"))


# What a cell of RARE-Met shows, by the paper's name of it
CELLS = {
    "gold": "the right passages",
    "lexical_similar": "passages with the answer taken out",
    "lexical_different": "passages in other words",
    "retrieved": "retrieved passages",
}


def name_value(value: str) -> str:
    """A value of a slice in words, the paper's term in brackets where it has another."""
    term = plain_words(value)
    words = CELLS.get(value, term)
    return words if term in words else f"{words} ({term})"


def note_in_words(note: str) -> str:
    """A note on what nothing was tried of, in words: "no cell of lexical_different: no_candidate"; others as they are.

    What the benchmark has none of was not made for it, whatever the reason: `no_candidate`, `no_back_translation`.
    """
    found = re.fullmatch(r"no cell (of|with wording) (\w+): (.+)", note)
    if not found:
        return note
    of, name, why = found.groups()
    what = CELLS.get(name, plain_words(name)) if of == "of" else f"questions changed by {plain_words(name)}"
    return f"not tried with {what}: {'the benchmark has none' if why.startswith('no_') else plain_words(why)}"


def with_companions(rows: Iterable[Row], figures: Sequence[Row]) -> Iterator[Row]:
    """Headlines, each followed by what its paper wants beside it: refusals (RARE §4), undefined PDR (002-B)."""
    same = ("system", "protocol", "slice")
    for row in rows:
        wanted = (
            f"{row['metric']}: refusal rate",
            *(("PDR undefined",) if row["metric"] == "AH̃" else ()),
            *display_of(row["protocol"]).companions.get(row["metric"], ()),
        )
        found = [
            one
            for metric in wanted
            for one in figures
            if one["metric"] == metric and all(one[name] == row[name] for name in same)
        ]
        refused = next((one for one in found if one["metric"] == wanted[0]), None)
        if row["value"] and refused and refused["value"] == row["value"] and refused["n_scored"] == row["n_scored"]:
            found.remove(refused)  # which says the same
            row = {**row, "note": "; ".join(filter(None, (row["note"], "all of it refusals")))}
        yield from (row, *found)


def group_rows(rows: Iterable[Row], *names: str) -> Iterator[tuple[tuple[Any, ...], list[Row]]]:
    """The rows by these fields, groups and rows in the order of the rows."""
    found: dict[tuple[Any, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[name] for name in names), []).append(row)
    yield from found.items()


def format_reasons(reasons: Mapping[str, int], most: int = 4) -> str:
    """The most frequent reasons with their counts."""
    pairs = sorted(reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    rest = [f"{len(pairs) - most} more kinds"] if len(pairs) > most else []
    return ", ".join([*(f"{count:,} {plain_words(name)}" for name, count in pairs[:most]), *rest])


def tagged_options(summary: Mapping[str, Any]) -> Iterator[tuple[str, Row]]:
    """Every option that its paper leaves open or that was reconstructed, with what it is an option of."""
    protocols: Mapping[str, Any] = summary["protocols"]
    for name, about in protocols.items():
        for option in about.get("options", ()):
            if option.get("tag") in ("open", "recon"):
                yield protocol_title(name, protocols), option
    for option in summary["correctness"]:
        if option.get("tag") in ("open", "recon"):
            yield "Correctness", option
    for option in summary.get("open", ()):
        yield str(option["of"]), option


def format_option(value: Any) -> str:
    """A chosen value as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(format_option, value)) or NOTHING
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {format_option(item)}" for name, item in value.items()) or NOTHING
    return NOTHING if value in (None, "") else str(value)


def count_calls(budget: Mapping[str, Any]) -> str:
    """How many calls were made, and of how many, where that is known: a first look does not count the rest."""
    of = f" of {budget['of']:,}" if "of" in budget else ""
    return f"{budget['asked']:,}{of} calls"


def decided_by_rules(summary: Mapping[str, Any]) -> str:
    """What the questions of a first look have in common, to stand behind their number; "" where they are any."""
    return " that rules mostly score" if (summary.get("budget") or {}).get("decided_by_rules") else ""


def describe_budget(summary: Mapping[str, Any]) -> str:
    """How many of how many calls a budget allowed, how they are spread, and how to get the rest; "" for no budget."""
    about = summary.get("budget")
    if not about:
        return ""
    calls = count_calls(about)
    if "questions" in about:
        names = [protocol_title(name, summary["protocols"]) for name in summary["protocols"]]
        alone = f"{names[0]} alone" if len(names) == 1 else " and ".join(names)
        return (
            f"a first look: {alone}, on {about['questions']:,} whole questions{decided_by_rules(summary)} "
            f"({calls}); --budget N "
            "samples all protocols; leave both out to ask everything"
        )
    if about["asked"] == about["of"]:
        return f"all {about['of']:,} calls, within --budget {about['calls']}"
    rest = "the same command without --budget asks the rest"
    if about["look"]:
        spread = "spread over all settings, so that few questions have each of their changes (--quick asks whole ones)"
        return f"a look: {calls}, {spread}; {rest}"
    return f"a sample: {calls} (--budget {about['calls']}); {rest}"
