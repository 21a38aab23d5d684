"""A comparison for the terminal, as Markdown, and as JSON (docs/statistics.md)."""

import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.markup import escape
from rich.table import Table

from rarefy.data_contracts.rows import Figure
from rarefy.flows.compare import RIGHT, Comparison, OneSidedFigure, PairedTrials
from rarefy.flows.engine.comparison_inputs import Side
from rarefy.tasks.evaluate.results.findings import FEW_ANSWERS
from rarefy.tasks.evaluate.results.wording import RETRIEVAL, count_of, describe_caution, table_rows
from rarefy.tasks.evaluate.statistics.compare import UNCHANGED, Difference, comparison_family, is_unchanged
from rarefy.tasks.export.files import put_file
from rarefy.tasks.text.markdown import markdown_table, markdown_text

SCHEMA = 1  # of comparison.json
SHOWN = 12  # slices on a terminal; the files have all
COLOURS = {"better": "green", "worse": "red", "changed": "magenta", "tied": "blue", "too few": "yellow"}
MOST_NAMED = 3  # numbers in the line of the verdict
EXACT = "°"  # at an interval
FIGURES, ENDS, VERDICT = range(2, 10), 5, 10  # columns
UNSHOWN = ("slice", "p", "p B–H", "note")  # columns that a terminal has no room for
UNITS = {"question": "questions", "document": "documents"}


def as_json(comparison: Comparison) -> dict[str, Any]:
    """The comparison as it is written: fractions, not points."""
    return {
        "schema": SCHEMA,
        "first": _side(comparison.first),
        "second": _side(comparison.second),
        "verdict": describe_verdict(comparison).replace("\n", "; "),
        "remarks": list(comparison.remarks),
        "trials": [asdict(one) for one in comparison.paired],
        **core_as_json(comparison),
        "differences": [asdict(row) for row in comparison.differences],
        "rules": [asdict(one) for one in comparison.rules],
        "statistics": comparison.config.model_dump(mode="json"),
    }


def write_comparison(out: Path, comparison: Comparison) -> None:
    """Put comparison.json and comparison.md into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(as_json(comparison), indent=1, ensure_ascii=False, allow_nan=False)
    put_file(out / "comparison.json", [text.encode(), b"\n"])
    put_file(out / "comparison.md", [markdown(comparison).encode()])


def describe_verdict(comparison: Comparison) -> str:
    """How often both are right in unchanged questions; on the next line, whether B is better than A in the protocols.

    Both are named where their systems have different names.
    """
    first, second = comparison.first.system, comparison.second.system
    whose = "" if first == second else f"{second} against {first}: "
    right = next((_describe_unchanged(row, comparison) for row in comparison.differences if is_unchanged(row)), "")
    return whose + (f"{right}\nby protocol: " if right else "") + _describe_difference(comparison)


def _describe_unchanged(row: Difference, comparison: Comparison) -> str:
    """The number that a result begins with: "right in 72 % → 82 % of the same 60 unchanged questions …"."""
    questions = count_of(row.clusters, "unchanged question")
    if comparison.config.cluster == "document":
        questions = f"the unchanged questions of {count_of(row.clusters, 'document')}"
    answers = "" if row.n_second == row.clusters else f"{count_of(row.n_second, 'answer')} to "
    where = row.metric.removeprefix(f"{UNCHANGED} ")
    if row.first is None or row.second is None or row.difference is None:
        why = row.note.replace("withheld: ", "withheld, ", 1)
        return f"right answers to {questions} {where}: {why}{_mend_in_short(comparison)}"
    ends = _cells(row)[ENDS]
    change = f"{100 * row.difference:+.1f} points{f' {ends}' if ends else ''}, {_sureness(row)}"
    if row.n_second < FEW_ANSWERS:
        first, second = (round(share * row.n_second) for share in (row.first, row.second))
        sure = f"; {change}" if row.verdict != "too few" else ""
        return (
            f"right in {first:,} → {second:,} of {row.n_second:,} answers to the same {questions} {where}: "
            f"too few to say how often each is right{sure}"
        )
    return (
        f"right in {_points(row.first)} % → {_points(row.second)} % of {answers}the same {questions} {where}: {change}"
    )


def _mend_in_short(comparison: Comparison) -> str:
    """What gives answers without a score one, where a judge or a rule would; the commands stand in another line."""
    if not any("rarefy rescore" in line for line in describe_unscored(comparison)):
        return ""
    return "; name a judge, or count the rest as wrong, to have all of them"


def _describe_retrieval(comparison: Comparison) -> Iterator[str]:
    """How well the own retrievers find the gold of unchanged questions, as deep as both go."""
    rows = [row for row in comparison.differences if row.protocol == RETRIEVAL and row.metric.startswith("Recall@")]
    if rows:
        row = max(rows, key=lambda row: int(row.metric.removeprefix("Recall@")))
        change = row.note if row.difference is None else f"{_change(row, comparison)}, {_sureness(row)}"
        yield f"own retrieval: {row.metric} {_points(row.first)} → {_points(row.second)} %: {change}"


def describe_unscored(comparison: Comparison) -> Iterator[str]:
    """Where headlines are withheld: how many answers have no score, and the commands that mend it."""
    if not any(row.headline and row.note.startswith("withheld") for row in comparison.differences):
        return
    found = [(name, side, side.about.get("findings", {}).get(side.system, {}).get("unscored")) for name, side in zip(
        "AB", _both(comparison), strict=True
    )]  # fmt: skip
    unscored = [(name, side, its) for name, side, its in found if its and its["judge"]]
    if unscored:
        counts = " and ".join(f"{its['judge']:,} of {its['answers']:,} answers of {name}" for name, _, its in unscored)
        folders = dict.fromkeys(side.folder for _, side, _ in found)
        gone = [_named(row) for row in comparison.differences if row.headline and row.note.startswith("withheld")]
        more = f" and {len(gone) - MOST_NAMED} more" if len(gone) > MOST_NAMED else ""
        rescored = " && ".join(
            f"rarefy rescore {shlex.quote(folder)} --config wrong.toml --out {shlex.quote(f'{folder}-wrong')}"
            for folder in folders
        )
        yield (
            f"not scored: {counts}, so that {', '.join(gone[:MOST_NAMED])}{more} "
            f"cannot be compared: A and B would "
            f"be of different answers. Name a judge in [correct.judge] of a config, "
            f"or count them as wrong: echo 'correct.unmatched = \"wrong\"' > wrong.toml && {rescored}"
        )
    for name, _, its in found:
        if its and its.get("missing"):
            yield f"{its['missing']:,} of {its['answers']:,} answers of {name} are missing from its file: fill them in"
        if its and its["failed"]:
            yield f"{its['failed']:,} of {its['answers']:,} answers of {name} failed: run its `rarefy evaluate` again"


def _sureness(row: Difference) -> str:
    return {"tied": "no difference that matters", "too few": "too few questions to be sure"}.get(
        row.verdict, row.verdict
    )


def _describe_difference(comparison: Comparison) -> str:
    headlines = [row for row in comparison.differences if row.headline and not is_unchanged(row)]
    # losses first: of a system that is mostly wrong, some numbers are better because it has little to lose
    shown = [row for verdict in ("worse", "better", "changed") for row in headlines if row.verdict == verdict]
    verdicts = list(dict.fromkeys(row.verdict for row in shown))
    if not shown:
        first = next((row for row in headlines if row.difference is not None), None)
        about = f": {_named(first)} {_change(first, comparison)}" if first else ""
        tied = sum(row.verdict == "tied" for row in headlines)
        margin = _number(100 * comparison.config.margin, "point")
        counts = f"{tied} of {len(headlines)} headline numbers within ±{margin}, {len(headlines) - tied} cannot be told"
        return f"no difference shown{about} ({counts}){_describe_obstacle(headlines, comparison)}"
    parts = []
    for verdict in verdicts:
        rows = [row for row in shown if row.verdict == verdict]
        named = [
            f"{_named(row)}{' (less is better)' if row.more_is_better is False else ''} {_change(row, comparison)}"
            for row in rows[:MOST_NAMED]
        ]
        named += [f"{len(rows) - MOST_NAMED} more" for _ in rows[MOST_NAMED : MOST_NAMED + 1]]
        parts.append((f"{verdict} on " if len(verdicts) > 1 else "") + ", ".join(named))
    rest = len(headlines) - len(shown)
    cautions = "".join(f"\n{line}" for line in _cautions(shown, comparison))
    return (
        f"{' and '.join(verdicts)}: {'; '.join(parts)}"
        + (f" (no difference shown in {rest} other headlines)" if rest else "")
        + cautions
    )


def _cautions(rows: Sequence[Difference], comparison: Comparison) -> Iterator[str]:
    """What to mind of a robustness that is named: that of a side which is mostly wrong, as its own report says it."""
    for protocol in dict.fromkeys(row.protocol for row in rows):
        for name, side in zip("AB", _both(comparison), strict=True):
            if said := describe_caution(table_rows(side.about["figures"], protocol, side.system), protocol):
                yield f"mind, {protocol} of {name}: {said}"


def _describe_obstacle(rows: Sequence[Difference], comparison: Comparison) -> str:
    """What keeps a difference from being shown, in words: too few questions, or an interval that alone leaves zero out.

    "" where it is only small or unsure.
    """
    config, kinds = comparison.config, UNITS[comparison.config.cluster]
    if rows and all(row.clusters < config.few for row in rows):
        most = max(row.clusters for row in rows)
        return (
            f"; the results share {most:,} {kinds} at most, and of fewer than {config.few:,} nothing is called better, "
            f"worse or tied: evaluate both on more (--questions N, --split all)"
        )
    for row in rows:
        if row.p is None or row.low is None or row.high is None or row.low <= 0 <= row.high:
            continue
        if row.verdict != "too few" or row.clusters < config.few:
            continue
        if row.p > config.alpha:
            why = f"the permutation test gives p {_p(row.p)}"
        else:
            holm = config.correction == "holm"
            why = (
                f"of {row.family:,} numbers looked at together one may do so by chance: corrected for that "
                f"({'Holm' if holm else 'Benjamini–Hochberg'}) p is {_p(row.holm if holm else row.benjamini_hochberg)}"
            )
        return f"; the interval of {_named(row)} leaves out 0, but {why}, above {config.alpha:g}"
    return ""


def _change(row: Difference, comparison: Comparison) -> str:
    cells = _cells(row)
    ends = f" {cells[ENDS]}" if cells[ENDS] else ""
    return f"{cells[4]} points{ends} over {count_of(row.clusters, comparison.config.cluster)}"


def show(comparison: Comparison, console: Console, *, verbose: bool = True) -> None:
    """Print the verdict, then what changed: headlines, the slices that changed most surely, what to know about it.

    Without `verbose` only the verdict, which questions were compared, what else differs, and what became of the rules.
    """
    console.print(escape(describe_verdict(comparison)), highlight=False, soft_wrap=True, style="bold")
    if verbose:
        _show_all(comparison, console)
    else:
        told = (*describe_unscored(comparison), *_describe_retrieval(comparison), *list(describe_core(comparison))[:1])
        for line in (*told, *comparison.remarks):
            console.print(f"· {escape(line)}", highlight=False)
    for one in comparison.rules:
        console.print(f"rule {escape(str(one))}", highlight=False)


def _show_all(comparison: Comparison, console: Console) -> None:
    headlines = [row for row in comparison.differences if row.headline]
    by_passages = differences_by_passages(comparison)
    others = sorted((one for one in comparison.differences if not one.headline and one not in by_passages), key=_surest)
    core = ", questions that are the same in both versions" if comparison.core else ""
    parts: list[Any] = [_table(f"Headlines{core}", headlines, comparison)] if headlines else []
    if by_passages:
        parts.append(_table("The same, trial by trial: shown the same passages, or others", by_passages, comparison))
    if others:
        more = f", {SHOWN} of {len(others)}" if len(others) > SHOWN else ""
        parts.append(_table(f"Slices and other numbers, the surest first{more}", others[:SHOWN], comparison))
    if apart := one_sided_table(comparison):
        parts.append(apart)
    shown = (*headlines, *by_passages, *others[:SHOWN])
    notes = [f"{_named(row)}: {row.note}" for row in shown if row.note and not row.exact]
    if any(row.exact for row in shown):
        few = f"fewer than {comparison.config.few} {UNITS[comparison.config.cluster]} changed"
        notes.append(f"{EXACT} interval by an exact bound: {few}")
    lines = [
        *describe_unscored(comparison),
        *describe_core(comparison),
        *notes,
        *(_put(one) for one in comparison.paired),
    ]
    lines += [*comparison.remarks, *_how(comparison)]
    console.print(Group(*parts))
    for line in lines:
        console.print(f"· {escape(line)}", highlight=False)


def markdown(comparison: Comparison) -> str:
    """All of it as Markdown."""
    first, second = comparison.first, comparison.second
    lines = [f"# {markdown_text(second.system)} against {markdown_text(first.system)}", ""]
    lines += [f"**{markdown_text(describe_verdict(comparison))}**", ""]
    lines += [f"`{second.folder}` (B) against `{first.folder}` (A); B − A in points.", ""]
    told = (
        *describe_unscored(comparison),
        *describe_core(comparison),
        *(_put(one) for one in comparison.paired),
        *comparison.remarks,
    )
    lines += [f"- {markdown_text(line)}" for line in told]
    if comparison.rules:
        lines += ["", "## Rules", "", *_items(map(str, comparison.rules))]
    by_passages = differences_by_passages(comparison)
    rest = [row for row in comparison.differences if row not in by_passages]
    for title, rows in (
        ("Headlines", [row for row in rest if row.headline]),
        ("Shown the same passages, or others", by_passages),
        ("Slices and other numbers", [row for row in rest if not row.headline]),
    ):
        lines += ["", f"## {title}", "", *_grid(rows, comparison)] if rows else []
    lines += _apart(comparison)
    lines += ["", "## Tests as usually printed", "", *_usual(comparison)]
    lines += ["", "## How it was made", "", *_items(_how(comparison)), *_items(_families(comparison)), ""]
    return "\n".join(lines)


def _apart(comparison: Comparison) -> Iterator[str]:
    """The numbers of questions that only one version has."""
    heads, *rows = [*one_sided_rows(comparison)] or [()]
    if rows:
        yield from ("", "## Not compared: questions of one version alone", "")
        yield from markdown_table((*heads, "note"), rows, figures=(1, 2))


def _items(lines: Iterable[str]) -> Iterator[str]:
    return (f"- {markdown_text(line)}" for line in lines)


def _table(title: str, rows: Sequence[Difference], comparison: Comparison) -> Table:
    """Rows in a width of 80: name and slice in one, without the columns that the files have too."""
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    heads = _heads(comparison)
    shown = [at for at, name in enumerate(heads) if name not in UNSHOWN]
    for at in shown:
        table.add_column(heads[at], justify="right" if at in FIGURES else "left", overflow="fold", no_wrap=at > 0)
    for row in rows:
        cells = [escape(cell) for cell in _cells(row)]
        cells[0] = escape(_named(row))
        cells[ENDS] += EXACT if row.exact and cells[ENDS] else ""
        cells[VERDICT] = f"[{COLOURS[row.verdict]}]{row.verdict}[/]"
        table.add_row(*(cells[at] for at in shown))
    return table


def _named(row: Difference) -> str:
    return f"{row.protocol.replace('_', ' ')} {row.metric}" + ("" if row.slice == "all" else f", {row.slice}")


def _grid(rows: Sequence[Difference], comparison: Comparison) -> Iterator[str]:
    yield from markdown_table(_heads(comparison), map(_cells, rows), FIGURES)


def _heads(comparison: Comparison) -> tuple[str, ...]:
    level, adjusted = f"{100 * comparison.config.level:g} %", "p Holm"
    return ("number", "slice", "A", "B", "B − A", level, "p", adjusted, "p B–H", "least", "verdict", "note")


def _cells(row: Difference) -> tuple[str, ...]:
    ends = "" if row.low is None or row.high is None else f"[{100 * row.low:+.1f}, {100 * row.high:+.1f}]"
    return (
        f"{row.protocol} {row.metric}",
        "" if row.slice == "all" else row.slice,
        _points(row.first),
        _points(row.second),
        "" if row.difference is None else f"{100 * row.difference:+.1f}",
        ends,
        _p(row.p),
        _p(row.holm),
        _p(row.benjamini_hochberg),
        _points(row.smallest),
        row.verdict,
        row.note,
    )


def _usual(comparison: Comparison) -> Iterator[str]:
    """Tests that take trials for independent, beside those of clusters."""
    kinds = UNITS[comparison.config.cluster]
    head = ("number", "slice", "Z as published", "its p", f"{kinds} better", "worse", f"McNemar over {kinds}")
    tests = [
        (
            f"{row.protocol} {row.metric}",
            row.slice,
            "" if row.z is None else f"{row.z:.2f}",
            _p(row.z_p),
            str(row.won),
            str(row.lost),
            _p(row.mcnemar),
        )
        for row in comparison.differences
    ]
    yield from markdown_table(head, tests, range(2, 7))
    yield ""
    head = ("protocol", "trials wrong → right", "right → wrong", "McNemar over trials, exact", "chi²")
    pairs = [(one.protocol, f"{one.won:,}", f"{one.lost:,}", _p(one.exact), _p(one.chi2)) for one in comparison.paired]
    yield from markdown_table(head, pairs, range(1, 5))
    yield ""
    yield (
        "The Z (RARE G.3: two proportions, unpaired) and McNemar over trials take all trials of a question for "
        "independent and are too sure. Verdicts rest on the clustered interval and permutation test above."
    )


def _put(one: PairedTrials) -> str:
    """How many trials are compared."""
    text = f"{one.protocol}: {one.common:,} trials of {one.questions:,} questions scored on both sides"
    if one.common < one.shared:
        text += f", of {one.shared:,} put to both (A scored {one.scored_first:,}, B {one.scored_second:,})"
    alone = [
        f"{side} alone had {n - one.shared:,}" for side, n in (("A", one.first), ("B", one.second)) if n > one.shared
    ]
    return text + "".join(f"; {line} more" for line in alone)


def _how(comparison: Comparison) -> Iterator[str]:
    """What the numbers rest on."""
    config, kinds = comparison.config, UNITS[comparison.config.cluster]
    yield "; ".join(f"{name}: {one.system} in {one.folder}" for name, one in zip("AB", _both(comparison), strict=True))
    yield (
        f"intervals: {config.draws:,} resamples of {kinds}, seed {config.seed}; p: permutation, the two sides of a "
        f"{config.cluster} swapped for all its trials, {config.permutations:,} times (all swaps, where fewer)"
    )
    correction = {"holm": "Holm", "benjamini_hochberg": "Benjamini–Hochberg", "none": "unadjusted"}[config.correction]
    yield (
        f"verdict: tied where the interval lies within ±{_number(100 * config.margin, 'point')}; better or worse "
        f"(changed, where neither is) where it does not, leaves out zero, and p ({correction}) is at most "
        f"{config.alpha:g}; else too few"
    )
    yield "p adjusted among the headlines together, the slices of each metric, and the other numbers of each protocol"
    power = f"{100 * config.power:g} %"
    yield f"least: the smallest difference that as many {kinds}, varying as these do, show with {power} power"
    short = [row for row in comparison.differences if row.headline and row.verdict == "too few" and row.needed]
    if short:
        ends = [pick(short, key=lambda row: row.needed or 0) for pick in (min, max)]
        sizes = " to ".join(f"{row.needed:,} ({_named(row)})" for row in (ends if ends[0] != ends[1] else ends[:1]))
        yield f"to see {_number(100 * config.margin, 'point')} where there are too few would take about {sizes} {kinds}"


def _number(size: float, what: str) -> str:
    return f"{size:g} {what}{'' if size == 1 else 's'}"


def _families(comparison: Comparison) -> Iterator[str]:
    """How many numbers were looked at together."""
    for kind, size in sorted({comparison_family(row): row.family for row in comparison.differences}.items()):
        what = (
            "headlines"
            if not kind
            else f"{UNCHANGED} alone"
            if kind == (UNCHANGED,)
            else f"other numbers of {kind[0]}"
            if len(kind) == 1
            else f"slices of {' '.join(kind)}"
        )
        yield f"p adjusted among {size:,} {what}"


def _both(comparison: Comparison) -> tuple[Side, Side]:
    return comparison.first, comparison.second


def _side(side: Side) -> dict[str, str]:
    return {"folder": side.folder, "system": side.system, "benchmark": side.benchmark}


def _surest(row: Difference) -> tuple[float, str, str, str]:
    return (2.0 if row.holm is None else row.holm + (row.p or 0) / 1e6, row.protocol, row.metric, row.slice)


def _points(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}"


def _p(p: float | None) -> str:
    return "" if p is None else "< 0.001" if p < 0.001 else f"{p:.3f}"


OF = {"retired": "A: retired questions", "new": "B: new questions"}
Row = tuple[str, dict[str, OneSidedFigure]]


def core_as_json(comparison: Comparison) -> dict[str, Any]:
    """What the differences are of, and the numbers of what they are not of."""
    core = comparison.core
    if core is None:
        return {"core": None, "apart": []}
    named = {"moved": [*core.moved], "changed": [*core.changed], "retired": [*core.retired], "new": [*core.new]}
    return {"core": {"kept": len(core.kept), **named}, "apart": [asdict(one) for one in comparison.apart]}


def describe_core(comparison: Comparison) -> Iterator[str]:
    """Which questions are compared, and what the system was shown with them."""
    core = comparison.core
    if core is None:
        return
    yield (
        f"the benchmark changed: compared are the {len(core.kept):,} questions that read the same in both versions "
        f"(text and answer); {len(core.retired):,} only in A and {len(core.new):,} only in B are not counted"
    )
    if core.moved:
        yield f"{len(core.moved):,} of those that read the same are proved by other sentences in B"
    if core.changed:
        yield f"{len(core.changed):,} are in both by name, with another text or answer"
    for name, side in zip("AB", (comparison.first, comparison.second), strict=True):
        about = side.about["benchmark"]
        if about.get("questions") != about.get("of"):
            yield (
                f"{name} was put {about['questions']:,} of {about['of']:,} questions: one that is left out counts as "
                "if it were not in that version"
            )
    for one in comparison.paired:
        same = one.common - one.other - one.unknown
        text = f"{one.protocol}: of {one.common:,} pairs {same:,} were shown the same passages"
        text += f", {one.other:,} others (retrieval and mixing follow the documents)" if one.other else ""
        yield text + (f", {one.unknown:,} what the system found and does not tell" if one.unknown else "")


def differences_by_passages(comparison: Comparison) -> list[Difference]:
    """The differences that tell pairs with the same passages from those with others."""
    if comparison.core is None:
        return []
    place = {one.protocol: at for at, one in enumerate(comparison.paired)}
    return sorted((row for row in comparison.differences if row.metric == RIGHT), key=lambda row: place[row.protocol])


def one_sided_table(comparison: Comparison) -> Table | None:
    """Headlines of the questions that one version alone has, for a width of 80."""
    rows = _rows(comparison, headlines=True)
    if not rows:
        return None
    made = Table(
        title="Not compared: questions of one version alone", title_justify="left", box=SIMPLE_HEAD, pad_edge=False
    )
    for at, head in enumerate(_version_heads(comparison)):
        made.add_column(head, justify="left" if at == 0 else "right", overflow="fold")
    for name, by_side in rows:
        made.add_row(escape(name.replace("_", " ")), *(_cell(by_side.get(of)) for of in OF))
    return made


def one_sided_rows(comparison: Comparison) -> Iterator[tuple[str, ...]]:
    """All numbers of these questions, the heads first."""
    rows = _rows(comparison, headlines=False)
    if rows:
        yield _version_heads(comparison)
    for name, by_side in rows:
        notes = [f"{of}: {by_side[of].figure.note}" for of in OF if of in by_side and by_side[of].figure.note]
        yield (name, *(_cell(by_side.get(of)) for of in OF), "; ".join(notes))


def _version_heads(comparison: Comparison) -> tuple[str, ...]:
    return ("number", *(f"{head}, {100 * comparison.config.level:g} %, questions" for head in OF.values()))


def _rows(comparison: Comparison, *, headlines: bool) -> list[Row]:
    """By number, both versions beside each other: not a pair, since no question is in both."""
    found: dict[str, dict[str, OneSidedFigure]] = {}
    for one in comparison.apart:
        if one.figure.headline or not headlines:
            found.setdefault(f"{one.figure.protocol} {one.figure.metric}", {})[one.of] = one
    return [*found.items()]


def _cell(one: OneSidedFigure | None) -> str:
    if one is None:
        return "none"
    row: Figure = one.figure
    if row.withheld or row.value is None:
        return f"{'withheld' if row.withheld else 'undefined'}, of {one.questions:,}"
    ends = "" if row.low is None or row.high is None else f" [{100 * row.low:.1f}, {100 * row.high:.1f}]"
    return f"{100 * row.value:.1f}{ends} of {row.clusters:,}"
