"""How often the intervals under `rarefy evaluate --budget N` cover what asking everything gives.

    rarefy evaluate sample --out whole/
    python benchmarks/budget_coverage.py whole/ --budgets 1000 3000 --subsets 1000

Takes a result in which everything was asked, draws subsets as a budget of so many calls does (each with another seed),
adds each up anew from the scores alone, and prints per headline number how often its interval covers the value of the
whole, its mean over the subsets (whether it is biased) and the mean width of the interval. Answers without a score
count as wrong, so that the sampling alone is looked at.
"""

import argparse
import json
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq

from rarefy.data_contracts.rows import Trial
from rarefy.data_contracts.tables import from_table
from rarefy.flows.config import Config
from rarefy.flows.engine.aggregate import frames
from rarefy.tasks.evaluate.protocols import PROTOCOLS, rare
from rarefy.tasks.evaluate.protocols.budget import draw_trials, list_units, order_units
from rarefy.tasks.evaluate.protocols.frame import Frame, select_columns
from rarefy.tasks.evaluate.statistics import figures
from rarefy.tasks.evaluate.statistics.measure import Metric
from rarefy.tasks.evaluate.statistics.measure import value as value_of

RARE_COLUMNS = ("cell", "given", "query", "retriever", "gold", "skipped_because")


def scored_frame(frame: Frame) -> Frame:
    """The frame with what has no score counted as wrong."""
    rows = frame.rows.copy()
    lost = rows["status"].isin(["missing", "failed"])
    rows["value"] = rows["value"].mask(lost, 0.0)
    rows["status"] = rows["status"].mask(lost, "scored")
    return Frame(rows, frame.questions)


def flat(frame: Frame) -> Frame:
    """The frame without anything to slice it by."""
    return Frame(frame.rows.assign(pattern="single", domain="", entity="", period="", hops=""), frame.questions)


def headlines(name: str, frame: Frame, config: Config, wanted: set[str]) -> Iterator[Metric]:
    """The headline numbers of these names, all of them where none is named; what stands between them is not made."""
    left, options = set(wanted), getattr(config.protocols, name)
    found = PROTOCOLS[name].measures(frame, options)
    if name == "rare" and wanted:  # whose headlines stand behind a hundred cells
        cells = rare.apply_robustness_rules(select_columns(frame, RARE_COLUMNS), options)
        every = cells.where(~cells.rows["apart"])
        sides = rare._one_side_varied(every, options, given=True)
        found = chain([every.mean(rare.OVERALL, "all", per="question", headline=True)], sides)
    for one in found:
        if one.headline and one.slice == "all":
            yield one
            left.discard(one.metric)
            if wanted and not left:
                return


def main() -> None:
    """Print the coverage of each headline number."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("result", type=Path)
    parser.add_argument("--budgets", type=int, nargs="+", default=[1_000, 3_000])
    parser.add_argument("--subsets", type=int, default=1_000)
    parser.add_argument("--draws", type=int, default=1_000, help="resamples behind an interval")
    parser.add_argument("--protocols", nargs="+", choices=PROTOCOLS, default=list(PROTOCOLS), help="whose numbers")
    given = parser.parse_args()
    config = Config()
    statistics = config.statistics.model_copy(update={"draws": given.draws})
    about = json.loads((given.result / "summary.json").read_text())
    names = ("trials", "answers", "scores", "questions", "chunks")
    tables = {name: pq.read_table(given.result / f"{name}.parquet") for name in names}
    system = next(iter(about["systems"]))
    calls = dict(zip(*(tables["answers"][name].to_pylist() for name in ("trial_id", "asked_id")), strict=True))
    calls = {trial_id: (asked_id,) for trial_id, asked_id in calls.items()}
    units = list_units((row for row in from_table(tables["trials"], Trial) if row.trial_id in calls), config.protocols)
    whole = {
        name: flat(PROTOCOLS[name].counted(scored_frame(one)))
        for of, name, one in frames(tables, about)
        if of == system and name in given.protocols
    }
    values = {
        (name, one.metric): value_of(one)
        for name, frame in whole.items()
        for one in headlines(name, frame, config, set())
    }
    asked = len(set(calls.values()))
    print(f"{asked:,} calls, {tables['questions'].num_rows} questions")
    for budget in given.budgets:
        found: dict[tuple[str, str], list[tuple[float, float, float, int]]] = defaultdict(list)
        began = time.monotonic()
        for subset in range(given.subsets):
            drawn = draw_trials(order_units(units, f"subset {subset}"), calls, budget)
            for name, frame in whole.items():
                rows = frame.rows
                left = ~rows["trial_id"].isin(drawn) & (rows["status"] != "skipped")
                some = rows.assign(
                    not_drawn=left, status=rows["status"].mask(left, "skipped"), value=rows["value"].mask(left)
                )
                wanted = {metric for protocol, metric in values if protocol == name}
                numbers = headlines(name, Frame(some, frame.questions), config, wanted)
                for one in figures(numbers, system=system, protocol=name, config=statistics):
                    if one.value is not None and one.low is not None and one.high is not None:
                        found[name, one.metric].append((one.value, one.low, one.high, one.clusters))
            if (subset + 1) % 5 == 0:
                print(f"{budget}: {subset + 1} subsets, {time.monotonic() - began:,.0f} s", file=sys.stderr, flush=True)
        print(f"\n{budget:,} of {asked:,} calls, {given.subsets:,} subsets")
        print(f"| {'protocol':21} | {'number':34} | whole | mean of subsets | covers | width | questions |")
        print(f"|{'-' * 23}|{'-' * 36}|------:|----------------:|-------:|------:|----------:|")
        for (name, metric), true in values.items():
            rows = np.array(found[name, metric])
            if not len(rows):
                print(f"| {name:21} | {metric:34} | {true:5.3f} | no interval |")
                continue
            covered = ((rows[:, 1] - 1e-9 <= true) & (true <= rows[:, 2] + 1e-9)).mean()
            short = "" if len(rows) == given.subsets else f" (of {len(rows)})"
            print(
                f"| {name:21} | {metric:34} | {true:5.3f} | {rows[:, 0].mean():15.3f} | {covered:6.1%}{short} | "
                f"{(rows[:, 2] - rows[:, 1]).mean():5.3f} | {rows[:, 3].mean():9.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
