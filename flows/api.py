"""The functions of `import rarefy`: build, load, evaluate, compare, perturb and score, for scripts, tests, notebooks.

Each calls the flow that its command calls, as a plain function: no Prefect server, no flow run. In a flow of the
caller's own, its stages are tasks of that flow; with `prefect=True` it is a flow run of its own. Objects hold what a
folder holds: tables as pandas DataFrames, numbers, charts. Where something is not as it must be, a `Fault` says so.
"""

import argparse
import html
import inspect
import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from functools import cached_property, partial, wraps
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

from rarefy.flows.engine.reachability import check_corpus, check_day, check_store, make_paths_absolute
from rarefy.flows.faults import Fault, UsageFault

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd
    from rich.console import RenderableType

    from rarefy.flows.compare import Comparison as ComparedSides
    from rarefy.flows.config import Config

Settings: TypeAlias = "Config | Mapping[str, Any] | str | Path | None"
System: TypeAlias = str | Callable[[Any], Any] | Mapping[str, Any]
Function = TypeVar("Function", bound=Callable[..., Any])
RESULTS = Path("rarefy-out")  # of evaluations that name no folder
WIDTH = 100  # columns of a summary
SHOWN = (
    "system",
    "protocol",
    "metric",
    "value",
    "low",
    "high",
    "worst",
    "best",
    "n_scored",
    "n_failed",
    "n_missing",
    "n_skipped",
    "note",
)

_OPTION = re.compile(r"`[^`]*`|--([a-z]+(?:-[a-z]+)*)(?: (?=[^\s:]+:))?")  # not within a command, which is one


def _name_arguments(function: Function) -> Function:
    """The function, whose faults name its arguments in place of the command's options."""
    parameters = inspect.signature(function).parameters

    def name_argument(option: re.Match[str]) -> str:
        name = (option[1] or "").replace("-", "_")
        argument = parameters.get(name) or parameters.get(f"{name}s")
        if argument is None:
            return option[0]
        return f"{argument.name}={'True' if argument.default is False else ''}"

    @wraps(function)
    def call(*args: Any, **options: Any) -> Any:
        try:
            return function(*args, **options)
        except Fault as fault:
            fault.args = tuple(_OPTION.sub(name_argument, one) if isinstance(one, str) else one for one in fault.args)
            raise

    return cast("Function", call)


# Benchmarks


@dataclass(frozen=True)
class Benchmark:
    """A benchmark in its folder: questions, their variants, and the chunks that answer them."""

    folder: Path
    _temporary: TemporaryDirectory[str] | None = field(default=None, repr=False, compare=False)  # goes with this object

    @property
    def name(self) -> str:
        """The name of its folder."""
        return self.folder.name

    @cached_property
    def manifest(self) -> dict[str, Any]:
        """What was built how: version, config, versions of packages, files."""
        from rarefy.flows.engine.benchmark_folder import read_manifest

        return read_manifest(self.folder)

    @property
    def version(self) -> str:
        """The digest of its tables."""
        return str(self.manifest.get("version") or self.manifest.get("recipe") or "")

    @cached_property
    def questions(self) -> "pd.DataFrame":
        """The accepted questions, a row each; `table("questions")` also has those that were turned down, and why."""
        return _accepted(self.table("questions"))

    @cached_property
    def variants(self) -> "pd.DataFrame":
        """The accepted variants of questions, gold chunks and noise; `table("variants")` has all."""
        return _accepted(self.table("variants"))

    @cached_property
    def chunks(self) -> "pd.DataFrame":
        """All passages of the documents."""
        return self.table("chunks")

    @cached_property
    def graph(self) -> "nx.MultiDiGraph":
        """The knowledge graph that the patterns are found in (RARE §3.2).

        Things and values are nodes, by key, with the `label` that a document has for them; each accepted fact is an
        edge, by its triplet's id, with the columns of its row.
        """
        import networkx as nx

        facts = _accepted(self.table("triplets"))
        ends = "subject_key", "object_key"
        network = nx.from_pandas_edgelist(
            facts, *ends, edge_attr=True, create_using=nx.MultiDiGraph, edge_key="triplet_id"
        )
        labels = dict(zip(facts.object_key, facts.object, strict=True))
        labels |= zip(facts.subject_key, facts.subject, strict=True)
        nx.set_node_attributes(network, labels, "label")
        return network

    @property
    def tables(self) -> list[str]:
        """The names of all tables in the folder."""
        from rarefy.data_contracts.schemas import ROWS

        return [kind for kind in ROWS if any((self.folder / f"{kind}.{end}").is_file() for end in ("parquet", "jsonl"))]

    def table(self, name: str) -> "pd.DataFrame":
        """A table of the folder with every row and column (docs/format.md); UsageFault where there is none.

        Of questions, `answer` is as the document prints it, and may be a bare cell ("4,427"); `answer_in_words` has
        unit and scale.
        """
        from rarefy.data_contracts.schemas import ROWS
        from rarefy.data_contracts.tables import to_table
        from rarefy.flows.engine.benchmark_folder import migrate_table
        from rarefy.flows.mix import read_rows

        if name not in self.tables:
            raise UsageFault(f"{self.folder}: no table {name!r}; have {', '.join(self.tables)}")
        file = self.folder / f"{name}.parquet"
        if not file.is_file():
            return _in_words(name, to_table(read_rows(self.folder, ROWS[name]), ROWS[name]).to_pandas())
        import pyarrow.parquet as pq

        return _in_words(name, migrate_table(name, pq.read_table(file), self.manifest, file).to_pandas())

    def summary(self) -> str:
        """How many rows of what it holds, in a few lines."""
        kinds = self.questions["pattern"].value_counts().sort_index().items()
        sides = self.variants[self.variants["perturbation"] != "none"]["side"].value_counts().sort_index().items()
        return (
            f"{self.name}, version {self.version[:12]}, in {self.folder}\n"
            f"{len(self.questions):,} questions: {', '.join(f'{count:,} {kind}' for kind, count in kinds)}\n"
            f"{len(self.chunks):,} chunks of {self.chunks['doc_id'].nunique():,} documents\n"
            f"variants of the {', '.join(f'{side}: {count:,}' for side, count in sides) or 'questions: none'}"
        )

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary())}</pre>"


@_name_arguments
def build(
    corpus: str | Path,
    out: str | Path,
    config: Settings = None,
    *,
    store: str | None = None,
    limit: int = 0,
    as_of: str = "",
    workers: int = 0,
    dask: str = "",
    max_calls: int = 0,
    max_cost: float = 0.0,
    quiet: bool = False,
    prefect: bool = False,
    **settings: Any,
) -> Benchmark:
    """Make the benchmark of a corpus in the folder `out`; built again, only what changed is made.

    `corpus` is a folder, a file, or "sample" for the packaged documents. `config` is a TOML file, a dict of its
    sections or a Config; `settings` are sections over it, as `perturb={"query": ["word"]}`. The others are the options
    of `rarefy build`; `store` is $RAREFY_STORE or .rarefy where none is named. With `prefect=True` it runs as a flow of
    the server that PREFECT_API_URL names.
    """
    given = _resolve(corpus=str(corpus), out=str(out), config=config, store=store)
    check_day(as_of)
    check_corpus(given.corpus)
    check_store(given.store)
    from rarefy.flows.engine.output_folders import check_benchmark_folder, check_outside_corpus

    check_benchmark_folder(given.out)
    check_outside_corpus(given.corpus, {"out": given.out, "store": given.store})
    _start_server(prefect)
    from rarefy.flows.build import build as build_flow
    from rarefy.flows.config import combine
    from rarefy.flows.engine.config_check import check_config
    from rarefy.flows.engine.run import with_repair

    chosen = combine(given.config, settings)
    check_config(chosen, given.config if isinstance(given.config, Path) else None)
    options: dict[str, Any] = {"limit": limit, "as_of": as_of, "workers": workers, "dask": dask, "quiet": quiet}
    options |= {"store": given.store, "max_calls": max_calls, "max_cost": max_cost}
    run = build_flow if prefect else build_flow.fn
    with_repair(given.store, lambda: run(given.corpus, given.out, chosen, **options), _report_damage)
    return load(given.out)


def _report_damage(damage: Exception, others: Sequence[str]) -> None:
    print(damage, *(f"table {name} was damaged too" for name in others), sep="\n", file=sys.stderr)


@_name_arguments
def load(benchmark: str | Path = "sample") -> Benchmark:
    """The benchmark in a folder of `build` or `perturb`; "sample" is the packaged one. UsageFault for none."""
    found = Benchmark(_resolve(benchmark=Path(benchmark)).benchmark)
    _ = found.manifest
    return found


@_name_arguments
def perturb(
    questions: "Iterable[Mapping[str, Any]] | pd.DataFrame | str | Path",
    only: Sequence[str] = (),
    *,
    out: str | Path | None = None,
    config: Settings = None,
    language: str = "",
    layout: str = "",
    store: str | None = None,
    max_calls: int = 0,
    max_cost: float = 0.0,
    quiet: bool = False,
    **settings: Any,
) -> Benchmark:
    """Make variants of questions and of their passages, without a corpus; the benchmark that they are, to be evaluated.

    `questions` are records with a question, an answer and contexts, in any layout that `rarefy perturb` knows, or a
    file of them. `only` names perturbations, families or sides. Without `out` the folder lasts as long as the object.
    """
    from rarefy.flows import perturb as perturbing
    from rarefy.flows.config import combine
    from rarefy.flows.engine.config_check import check_variants
    from rarefy.flows.models.accounting import inference_context

    temporary = None if out else TemporaryDirectory(prefix="rarefy-")
    given = _resolve(out=Path(out or f"{temporary and temporary.name}/variants"), config=config, store=store)
    check_store(given.store)
    chosen = combine(given.config, settings).with_all_kinds()
    chosen = perturbing.select_perturbations(chosen, only) if only else chosen
    check_variants(chosen)
    context = inference_context(chosen, "", max_calls, max_cost)
    with TemporaryDirectory(prefix="rarefy-") as folder:
        if isinstance(questions, str | Path):
            file = Path(questions)
            if not file.exists():
                raise UsageFault(f"{file}: no such file or folder; check the path")
        else:
            file = Path(folder) / "questions.jsonl"
            lines = (json.dumps(row, ensure_ascii=False, default=_as_list) for row in _records(questions))
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        source = perturbing.QuestionSource(file, layout, language)
        perturbing.perturb(source, given.out, chosen, given.store, context, quiet)
    return Benchmark(given.out, temporary)


# Results


@dataclass(frozen=True, eq=False)
class Result:
    """What came of an evaluation: its numbers, and every trial, answer and score behind them."""

    folder: Path
    about: dict[str, Any] = field(repr=False)  # its summary.json (docs/results.md)

    @property
    def report(self) -> Path:
        """The page that opens in a browser, offline: every number leads to the answers behind it."""
        return self.folder / "report.html"

    @property
    def systems(self) -> list[str]:
        """The names of the systems that were asked."""
        return list(self.about["systems"])

    @cached_property
    def figures(self) -> "pd.DataFrame":
        """Every number of every protocol, system and slice, with its interval, bounds and counts."""
        import pandas as pd

        return pd.DataFrame(self.about["figures"])

    @property
    def headline(self) -> "pd.DataFrame":
        """The numbers that stand for the whole, a row each; `worst` and `best` are its bounds where one is withheld."""
        from rarefy.tasks.evaluate.results.wording import headline_rows

        rows = [row["figure_id"] for row in headline_rows(self.about["figures"])]
        return self.figures.set_index("figure_id").loc[rows, list(SHOWN)].reset_index(drop=True)

    @property
    def trials(self) -> "pd.DataFrame":
        """What was tried: a row for each question in each setting of each protocol."""
        return self.table("trials")

    @property
    def answers(self) -> "pd.DataFrame":
        """What each system said in each trial, or the error."""
        return self.table("answers")

    @property
    def scores(self) -> "pd.DataFrame":
        """Whether each answer is right by its protocol's rule, and what decided."""
        return self.table("scores")

    @property
    def questions(self) -> "pd.DataFrame":
        """The questions of the benchmark that were asked, in their own wording, with their gold answers."""
        return self.table("questions")

    @cached_property
    def transcript(self) -> "pd.DataFrame":
        """A row for each answer: what was asked, in what wording and setting, what was said, and whether it is right.

        `verdict` is right, wrong, partly or refused; unscored where no rule decides, failed where the system failed,
        missing where a file of answers has none. `why` says what decided, or what is missing. `perturbation`
        names what was done to the question, the passages, or both.
        """
        questions = self.questions[["question_id", "text", "answer_in_words"]]
        trials = self.trials.merge(questions, on="question_id", how="left")
        wordings = self.table("variants").drop_duplicates("variant_id").set_index("variant_id")["text"]
        trials["question"] = trials["query_id"].map(wordings).fillna(trials["text"])
        trials["gold"] = trials["answer_in_words"]
        trials["perturbation"] = [
            " + ".join(dict.fromkeys(name for name in names if name not in ("", "none"))) or "none"
            for names in zip(trials["query"], trials["document"], strict=True)
        ]
        asked = trials[["trial_id", "question_id", "protocol", "cell", "given", "perturbation", "question", "gold"]]
        said = self.answers[["trial_id", "system", "text", "error", "detail"]].rename(columns={"text": "answer"})
        scores = self.scores[["trial_id", "system", "status", "value", "refused", "stage", "why"]]
        found = said.merge(asked, on="trial_id").merge(scores, on=["trial_id", "system"])
        found["verdict"] = [_verdict(row) for row in found.itertuples()]
        details = found["detail"].where(found["error"] != "", "")
        found["why"] = [
            ": ".join(filter(None, parts)) for parts in zip(found["stage"], found["why"], details, strict=True)
        ]
        return found[["system", *asked.columns, "answer", "verdict", "why"]]

    def table(self, name: str) -> "pd.DataFrame":
        """A table of the result's folder (docs/results.md); UsageFault where there is none, or the folder holds another
        result by now."""
        import pyarrow.parquet as pq

        self.check_folder()
        file = self.folder / f"{name}.parquet"
        if not file.is_file():
            have = sorted(path.stem for path in self.folder.glob("*.parquet"))
            raise UsageFault(f"{self.folder}: no table {name!r}; have {', '.join(have)}")
        return _in_words(name, pq.read_table(file).to_pandas())

    def check_folder(self) -> None:
        """UsageFault where the folder no longer holds this result."""
        if load_result(self.folder).about != self.about:
            raise UsageFault(f"{self.folder} holds another result by now; evaluate into a folder of its own, with out=")

    def figure(self, metric: str, system: str = "") -> dict[str, Any]:
        """One number as a dict: value, interval, bounds, counts. UsageFault where there is none, or more than one.

        `metric` is named as in rules of `rarefy compare`: "overall", "RR of sure", "NDR where k=10"; a protocol's name
        alone means the first of its headline numbers.
        """
        from rarefy.data_contracts.rows import Figure
        from rarefy.tasks.evaluate.statistics.gate import matching_differences, parse_rule

        names = [system] if system else self.systems
        mine = [row for row in self.about["figures"] if row["system"] in (*names, "")]
        rows: dict[str, dict[str, Any]] = {row["figure_id"]: row for row in mine}
        fields = Figure.__dataclass_fields__
        try:
            rule = parse_rule(f"{metric} drops 0 points")
            found = matching_differences(rule, [Figure(**{name: row[name] for name in fields}) for row in mine])
        except ValueError as error:
            raise UsageFault(f"{metric!r} names no number: write METRIC [of PROTOCOL] [where SLICE]") from error
        except LookupError as error:
            there = str(error.args[0]).partition("there is: ")[2]
            about = self.about["benchmark"]
            few = f"only {about['questions']:,} of {about['of']:,} questions were asked: ask more with questions=; "
            few *= about["questions"] < about["of"]
            raise UsageFault(f"no number {metric!r} in {self.folder}; {few}there is: {there}") from error
        if len(found) > 1 and (metric not in self.about["protocols"] or len({one.system for one in found}) > 1):
            each = ", ".join(f"{one.metric} of {one.protocol} ({one.system})" for one in found)
            raise UsageFault(f"{metric!r} names several numbers: {each}; write METRIC of PROTOCOL, and the system")
        return rows[found[0].figure_id]

    def summary(self, *, verbose: bool = False) -> str:
        """The headline numbers as plain text, as `rarefy evaluate` prints them, with hints for Python.

        `verbose`: with what each number says.
        """
        from rarefy.tasks.evaluate.results import headline

        here = Path.cwd()
        folder = str(self.folder.relative_to(here) if self.folder.is_relative_to(here) else self.folder)
        try:
            return _as_text(headline(self.about, folder, python=True, verbose=verbose))
        except KeyError as error:
            raise UsageFault(
                f"{folder}/summary.json is of an older version and has no {error}; `rarefy rescore {folder}` makes it "
                "anew (with the --config of its [correct], if it had one)"
            ) from error

    def plot(self, *charts: str) -> "Charts":
        """The report's charts: headline, perturbations, curves, sure, faults, retrieval, slices, or all that there are.

        In a notebook they show where the call is the last line of a cell.
        """
        from rarefy.tasks.evaluate.results import charts as render_charts

        try:
            return Charts(render_charts(self.about, charts))
        except ValueError as error:
            raise UsageFault(str(error)) from error

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        import pandas as pd

        from rarefy.tasks.evaluate.results import brief_rows, plain_summary

        said = html.escape(plain_summary(self.about, python=True))
        table = pd.DataFrame(brief_rows(self.about)).to_html(index=False)
        return f'<pre style="white-space: pre-wrap">{said}</pre>{table}<p>{html.escape(str(self.report))}</p>'


@dataclass(frozen=True)
class Charts:
    """Charts of a result as one HTML page, which needs no network."""

    html: str = field(repr=False)

    def save(self, file: str | Path) -> None:
        """Write the page into a file."""
        Path(file).write_text(self.html, encoding="utf-8")

    def _repr_html_(self) -> str:  # a frame of its own: the page's style must not reach the notebook
        return f'<iframe srcdoc="{html.escape(self.html)}" style="width:100%;height:40em;border:0"></iframe>'


def load_result(folder: str | Path) -> Result:
    """The result in a folder of `evaluate`; UsageFault where there is none."""
    from rarefy.flows.engine.comparison_inputs import read_summary

    return Result(Path(folder).absolute(), read_summary(Path(folder)))


@_name_arguments
def evaluate(
    bench: Benchmark | str | Path = "sample",
    system: System | Sequence[System] | None = None,
    *,
    protocols: Sequence[str] = (),
    questions: int = 0,
    budget: int = 0,
    quick: bool = False,
    split: str = "",
    out: str | Path | None = None,
    config: Settings = None,
    store: str | None = None,
    workers: int = 0,
    dask: str = "",
    max_calls: int = 0,
    max_cost: float = 0.0,
    quiet: bool = False,
    prefect: bool = False,
    **settings: Any,
) -> Result:
    """Evaluate systems on a benchmark: how robust is each, to what, and how sure is that?

    `system` is a function of one SystemInput (async or not), a name ("extractive", "module:function", one of the
    config's), a list of these, or a dict of such by the names that results give them. In a dict a system may also be
    given as a section [systems.NAME] of the config is: `{"mine": {"kind": my_rag, "takes": ["own"], "version": "7"}}`.

    Answers are kept as they come. The same call asks nothing that was answered in the folder `out` (BENCH-NAME in
    rarefy-out where none is given), so that one that was interrupted goes on; a function whose code changed is asked
    anew (docs/python.md). `split`: "test", "train" or "all"; the test split, where there is one and none is named.
    `questions`: only so many, the same every time; `budget`: no more calls than that, a sample
    of all parts; `quick`: a first look, whole questions within 300 calls, of RARE-Met where no protocol is named. For
    `config`, `settings`, `store` and `prefect` see `build`.
    """
    if quick and budget:
        raise UsageFault(f"budget={budget} and quick=True: give one of them")
    place = bench.folder if isinstance(bench, Benchmark) else Path(bench)
    systems = _name_systems(system)
    name = re.sub(r"[^\w.@+-]+", "-", "-".join([place.name, *systems]))
    given = _resolve(benchmark=place, out=Path(out or RESULTS / name), config=config, store=store)
    check_store(given.store)
    _start_server(prefect)
    from rarefy.flows.config import combine
    from rarefy.flows.engine.benchmark_folder import read_manifest
    from rarefy.flows.engine.config_check import check_systems, resolve_protocols
    from rarefy.flows.engine.output_folders import open_result_folder
    from rarefy.flows.evaluate import evaluate as evaluate_flow
    from rarefy.tasks.evaluate.systems.callable_system import is_registered

    read_manifest(given.benchmark)
    described = {name: _describe_system(one) for name, one in systems.items() if one is not None}
    chosen = combine(combine(given.config, settings), {"systems": described})
    tested = check_systems(chosen, given.config if isinstance(given.config, Path) else None, [*systems])
    resolve_protocols(protocols)  # complains of names that there are not
    own = [name for name, one in tested.items() if is_registered(one.kind)]
    if own and (workers or dask):
        raise UsageFault(f"{own[0]} is a function of this process: name it as module:function, or leave workers out")
    options: dict[str, Any] = {
        "split": split,
        "questions": questions,
        "budget": budget,
        "quick": quick,
        "store": given.store,
        "workers": workers,
        "dask": dask,
    }
    options |= {"quiet": quiet, "max_calls": max_calls, "max_cost": max_cost}
    run = evaluate_flow if prefect else evaluate_flow.fn
    with open_result_folder(given.out):
        run(str(given.benchmark), str(given.out), chosen, [*tested], list(protocols), **options)
    return load_result(given.out)


def _name_systems(system: System | Sequence[System] | None) -> dict[str, Any]:
    """Systems by name, each as it was given; None for one that its name alone stands for."""
    if isinstance(system, Mapping):
        return dict(system)
    named: dict[str, Any] = {}
    if system is not None and not isinstance(system, Iterable) and not callable(system):
        raise UsageFault(
            f"system: {system!r} is no system; give a function, a name, or a list or dict of them, and how many "
            "questions are asked as questions=N"
        )
    for one in [] if system is None else [system] if isinstance(system, str) or callable(system) else system:
        if not isinstance(one, str) and not callable(one):
            raise UsageFault(f"system: a {type(one).__name__}; give a function, a name, or a dict of them by name")
        function = one.func if isinstance(one, partial) else one
        name = one if isinstance(one, str) else getattr(function, "__name__", type(function).__name__).strip("<>")
        if name in named:
            raise UsageFault(f"two systems are called {name}: give a dict with a name for each")
        named[name] = None if isinstance(one, str) else one
    return named


def _describe_system(given: Any) -> Mapping[str, Any]:
    """A system as its section of the config says it; a callable under the name by which this process finds it."""
    from rarefy.tasks.evaluate.systems.callable_system import register_callable

    about = dict(given) if isinstance(given, Mapping) else {"kind": given}
    kind = about.get("kind")
    if callable(kind):
        about["kind"] = register_callable(kind, str(about.get("version", "")))
    elif not isinstance(kind, str):
        raise UsageFault(f"system: its kind is {kind!r}; give a function, extractive, rag, http or module:function")
    return about


# Comparisons


@dataclass(frozen=True, eq=False)
class Comparison:
    """What changed from one result to another, on the trials that both were scored in."""

    sides: "ComparedSides" = field(repr=False)

    @cached_property
    def differences(self) -> "pd.DataFrame":
        """Every number of both, their difference with its interval, and the verdict; headlines first."""
        import pandas as pd

        from rarefy.flows.reports.comparison_report import as_json

        return pd.DataFrame(as_json(self.sides)["differences"])

    def check(self, *rules: str) -> None:
        """Raise RegressionFault where one of these rules is broken, as "overall drops 2 points".

        Where none is broken and one is not decided, that is a warning.
        """
        from rarefy.flows.compare import gate
        from rarefy.flows.faults import UndecidedFault

        try:
            gate(self.sides, rules)
        except UndecidedFault as fault:
            warnings.warn(str(fault), stacklevel=2)

    def summary(self, *, verbose: bool = False) -> str:
        """The comparison as plain text, as `rarefy compare` prints it; `verbose`: with headlines and slices."""
        from rarefy.flows.reports.comparison_report import show

        console = _text_console()
        show(self.sides, console, verbose=verbose)
        return _without_ends(console.file)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.summary())}</pre>"


@_name_arguments
def compare(
    a: Result | str | Path,
    b: Result | str | Path,
    *,
    systems: Sequence[str] = (),
    protocols: Sequence[str] = (),
    anyway: bool = False,
    config: Settings = None,
    **settings: Any,
) -> Comparison:
    """Is `b` better than `a`? Paired, trial by trial, with intervals and a verdict.

    `systems`: which one, where a result has several; that of `a` and that of `b`, where they differ. `a` and `b` may be
    one result. `statistics={"margin": 0.02}` says within which two results are tied.
    """
    from rarefy.flows.compare import compare as compare_results
    from rarefy.flows.config import combine

    for side in (a, b):
        if isinstance(side, Result):
            side.check_folder()
    chosen = combine(_resolve(config=config).config, settings)
    folders = [side.folder if isinstance(side, Result) else Path(side) for side in (a, b)]
    options: dict[str, Any] = {"systems": systems, "protocols": protocols, "anyway": anyway}
    return Comparison(compare_results(*folders, config=chosen.statistics, **options))


# Answers made elsewhere


@_name_arguments
def score(
    answers: "Iterable[Mapping[str, Any]] | pd.DataFrame | str | Path",
    *,
    protocol: str = "rare",
    config: Settings = None,
    store: str | None = None,
    max_calls: int = 0,
    max_cost: float = 0.0,
    **settings: Any,
) -> "pd.DataFrame":
    """Whether answers are right: the records with the columns verdict, value, refused, decided_by, matched and why.

    `answers` are records, or a file of them. A record has `question`, `gold` and `answer`: texts or numbers, `gold`
    perhaps a list of forms of which any is right, or None where the right answer is that there is none. `language` is
    "en" where a record has none. The rule is that of the protocol; what words and arithmetic cannot decide is
    "unscored", unless `correct={"judge": {...}}` names a model; an answer that is None is "missing".
    """
    import pandas as pd

    from rarefy.data_contracts.rows import Answer, Question, Score, Trial
    from rarefy.flows.config import combine
    from rarefy.flows.engine.config_check import resolve_protocols
    from rarefy.flows.engine.run import run_id
    from rarefy.flows.engine.workers import count_cores
    from rarefy.flows.models.accounting import cache_folder, inference_context
    from rarefy.tasks.evaluate.correct import score as score_answers
    from rarefy.tasks.evaluate.systems.interface import NO_ANSWER
    from rarefy.tasks.store.tables import Store

    given = _resolve(config=config, store=store)
    correct = combine(given.config, settings)
    (name,) = resolve_protocols([protocol])
    judge = correct.correct.judge
    context = inference_context(correct, run_id(), max_calls, max_cost, [judge] if judge.provider else [])
    connected = (
        judge.connect(cache_folder(Store(given.store)), threads=count_cores(), means=context)
        if judge.provider
        else None
    )
    rows: list[Answer] = []
    trials: dict[str, Trial] = {}
    asked: dict[str, Question] = {}
    records = list(_records(answers))
    for at, record in enumerate(records):
        key, forms = str(at), _gold_forms(at, record)
        said = _say_number(record["answer"])
        asked[key] = Question(
            question_id=key,
            path_id="",
            pattern="single" if forms else "absent",
            text=record["question"],
            answer=forms[0] if forms else "",
            aliases=tuple(forms[1:]),
            triplet_ids=(),
            chunk_ids=(),
            evidence=(),
            evidence_spans=(),
            language=record.get("language") or "en",
        )
        trials[key] = Trial(key, name, key, "", "own", key)
        rows.append(Answer(key, "", key, said) if isinstance(said, str) else Answer(key, "", key, error=NO_ANSWER))
    scored = score_answers(rows, correct.correct, trials=trials, questions=asked, judge=connected)
    found = [row for row in scored if isinstance(row, Score)]
    verdicts = [
        {
            **record,
            "verdict": _verdict(row),
            "value": row.value,
            "refused": row.refused,
            "decided_by": row.stage,
            "matched": row.matched,
            "why": row.why,
        }
        for record, row in zip(records, found, strict=True)
    ]
    return pd.DataFrame(verdicts)


def _gold_forms(at: int, record: Mapping[str, Any]) -> list[str]:
    """The forms of a record's gold answer; none where there is no answer. UsageFault for a record that is none."""
    if missing := [key for key in ("question", "gold", "answer") if key not in record]:
        raise UsageFault(f"answers: record {at} has no {missing[0]!r}; give question, gold and answer")
    gold = record["gold"]
    if gold is None or gold != gold:  # NaN, as pandas writes None
        return []
    gold = _say_number(gold)
    forms = [gold] if isinstance(gold, str) else [*map(_say_number, gold)] if isinstance(gold, Iterable) else [gold]
    if not isinstance(record["question"], str) or not all(isinstance(form, str) for form in forms):
        raise UsageFault(f"answers: record {at}: question and gold are texts, gold perhaps a list of texts")
    return forms


def _say_number(value: Any) -> Any:
    """A number as text, a whole one without decimals, which pandas adds; all else as it is."""
    from rarefy.tasks.perturb.layouts.records import parse_text

    if not isinstance(value, bool | int | float) or value != value:
        return value
    return parse_text(int(value) if isinstance(value, float) and value.is_integer() else value, "")


def _verdict(row: Any) -> str:
    """What came of an answer in one word, of a row of scores."""
    from rarefy.tasks.evaluate.systems.interface import NO_ANSWER

    if row.status != "scored":
        return "missing" if row.why == NO_ANSWER else "failed" if row.status == "failed" else "unscored"
    if row.refused and not row.value:
        return "refused"
    return "right" if row.value == 1 else "wrong" if row.value == 0 else "partly"


# Tests


def robust(
    bench: Benchmark | str | Path = "sample",
    floor: float = 0.8,
    metric: str = "rare",
    *,
    out: str | Path | None = None,
    **options: Any,
) -> Callable[[Callable[..., Any]], Callable[..., None]]:
    """Make a pytest test of a function under test: it fails where a number of its evaluation is below the floor.

        @rarefy.robust("sample", floor=0.8, questions=20)
        def test_my_rag(asked, my_index):
            return my_rag(asked.query, my_index)

    `asked` is the SystemInput; further arguments are fixtures. `metric` is named as for `Result.figure`; its protocol
    alone is tried, all where it names none. Where too little was scored for a number, its lower bound
    must reach the floor. Nothing is remembered from an earlier run. `options` are those of `evaluate`; the report of
    the last run is in `out`, rarefy-out/BENCH-TEST where none is named.
    """

    from rarefy.tasks.evaluate.protocols import PROTOCOLS

    def decorate(function: Callable[..., Any]) -> Callable[..., None]:
        name = function.__name__
        parameters = list(inspect.signature(function).parameters.values())
        if not parameters:
            place = f"{Path(function.__code__.co_filename).name}:{function.__code__.co_firstlineno}"
            raise UsageFault(f"{name}() takes no argument ({place}): its first is what is asked, def {name}(asked)")
        _, *fixtures = parameters
        asks_request = any(one.name == "request" for one in fixtures)

        def test(**given: Any) -> None:
            __tracebackhide__ = True  # pytest shows what fell short, not the lines of this file
            called = bench.name if isinstance(bench, Benchmark) else load(bench).name
            place = Path(out or RESULTS / f"{called}-{name}")
            request = given.get("request") if asks_request else given.pop("request", None)
            if request is not None:  # called by pytest, not by a script
                line = f"{name}: asks the questions of {called}; the report will be {place / 'report.html'}"
                _say_in_pytest(request, line)
            (place / "run.json").unlink(missing_ok=True)  # answers are kept for what this names
            tried = [word for word in re.split(r"\W+", metric) if word in PROTOCOLS]
            asks = _with_fixtures(function, {**vars(function), **vars(test)}, given)
            result = evaluate(bench, {name: asks}, protocols=tried, out=place, quiet=True, **options)
            _check_floor(result, result.figure(metric, name), floor)

        test.__name__, test.__qualname__, test.__doc__ = name, function.__qualname__, function.__doc__
        test.__module__ = function.__module__
        request = inspect.Parameter("request", inspect.Parameter.KEYWORD_ONLY)
        taken = fixtures if asks_request else [*fixtures, request]
        test.__signature__ = inspect.Signature(taken)  # type: ignore[attr-defined]  # what pytest fills in
        return test

    return decorate


def _say_in_pytest(request: Any, line: str) -> None:
    """Print a line on pytest's terminal though it captures what tests print."""
    plugins = request.config.pluginmanager
    reporter, capture = plugins.get_plugin("terminalreporter"), plugins.get_plugin("capturemanager")
    if reporter is None:  # a worker of xdist
        return
    with capture.global_and_fixture_disabled() if capture else nullcontext():
        reporter.ensure_newline()
        reporter.write_line(line)


def _with_fixtures(
    function: Callable[..., Any], attributes: Mapping[str, Any], given: Mapping[str, Any]
) -> Callable[[Any], Any]:
    """The function with its fixtures given, and these attributes (takes, concurrency)."""
    asks = partial(function, **given)
    asks.__dict__.update({name: one for name, one in attributes.items() if not name.startswith("__")})
    return asks


def _check_floor(result: Result, row: Mapping[str, Any], floor: float) -> None:
    """AssertionError where a number, or the lower bound of one that is withheld, is below the floor."""
    __tracebackhide__ = True
    from rarefy.tasks.evaluate.results.wording import format_counts, format_estimate

    least = row["worst"] if row["withheld"] else row["value"]
    if least is None or least < floor:
        lines = [
            f"{row['metric']} of {row['protocol']} is {format_estimate(row).strip()}, below the floor of {floor:g}",
            format_counts(row),
            *([row["note"]] if row["note"] else []),
            *_advise(row),
            f"each answer behind it: {result.report}",
        ]
        raise AssertionError("\n".join(lines))


def _advise(row: Mapping[str, Any]) -> Iterator[str]:
    """What would give a number a value, or a sure one."""
    if row["value"] is not None and not row["withheld"]:
        return
    if not row["n_scored"]:
        yield (
            'set `takes` of the function to what it can be given: ("own",) where it retrieves by '
            'itself, ("passages", "closed_book") where it reads what it is given (docs/systems.md)'
        )
    yield (
        'for answers that no rule decides, name a judge, correct={"judge": {...}}, or count them as wrong, '
        'correct={"unmatched": "wrong"}'
    )


# What several of them need


def _resolve(**given: Any) -> argparse.Namespace:
    """The places that a call names, absolute, as the command line takes them."""
    if "store" in given:
        given["store"] = str(given["store"] or os.environ.get("RAREFY_STORE", ".rarefy"))
    if isinstance(given.get("config"), str):
        given["config"] = Path(given["config"])
    config = given.get("config")
    if config is not None and not isinstance(config, Path):
        del given["config"]  # no place
        return argparse.Namespace(**vars(make_paths_absolute(argparse.Namespace(**given))), config=config)
    return make_paths_absolute(argparse.Namespace(**given))


def _start_server(prefect: bool) -> None:
    """Start a temporary Prefect API where a flow run is wanted and no server is named; before Prefect is imported."""
    if prefect:
        from rarefy.flows.engine import prefect_server

        prefect_server.start()
        prefect_server.wait()


def _records(given: "Iterable[Mapping[str, Any]] | pd.DataFrame | str | Path") -> Iterable[Mapping[str, Any]]:
    """Records, of a DataFrame or a file or as they are."""
    if isinstance(given, str | Path):
        from rarefy.tasks.perturb.layouts.records import Skipped, read_records

        if not Path(given).is_file():
            raise UsageFault(f"{given}: no such file; check the path")
        try:
            found = [*read_records(Path(given))]
        except (ValueError, OSError) as error:
            raise UsageFault(str(error)) from error
        if bad := next((one for one in found if isinstance(one, Skipped)), None):
            raise UsageFault(f"{given}: {bad.place}: {bad.detail or bad.reason}")
        return [one[1] for one in found if not isinstance(one, Skipped)]
    to_dict = getattr(given, "to_dict", None)
    records: Iterable[Mapping[str, Any]] = to_dict("records") if to_dict and not isinstance(given, Mapping) else given
    return records


def _as_list(array: Any) -> Any:
    """A NumPy array or number as JSON has it."""
    return array.tolist()


def _in_words(name: str, table: "pd.DataFrame") -> "pd.DataFrame":
    """The table; that of questions with the answer of each in words, with its unit and scale."""
    from rarefy.data_contracts.rows import answer_in_words

    if name == "questions":
        words = list(map(answer_in_words, table["answer"], table["aliases"], table["pattern"]))
        table.insert(table.columns.get_loc("answer") + 1, "answer_in_words", words)
    return table


def _accepted(table: "pd.DataFrame") -> "pd.DataFrame":
    """The rows that were not turned down."""
    return table[table["rejected_because"] == ""].reset_index(drop=True)


def _text_console() -> Any:
    """A console that writes plain text."""
    from rarefy.flows.reports.console import Terminal

    return Terminal(file=StringIO(), width=WIDTH, force_terminal=False, force_jupyter=False, color_system=None)


def _as_text(shown: "RenderableType") -> str:
    console = _text_console()
    console.print(shown)
    return _without_ends(console.file)


def _without_ends(written: Any) -> str:
    """What was written, without blanks at the ends of lines."""
    return "\n".join(line.rstrip() for line in written.getvalue().rstrip().split("\n"))
