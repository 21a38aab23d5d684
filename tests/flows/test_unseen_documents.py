"""Whatever stands in documents, a build ends with a benchmark or with the reason why there is none."""

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import mutations
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutations import MUTATIONS, Paper, cut_filing, cut_items, cut_text, mutate

from rarefy.data_contracts import expectations
from rarefy.data_contracts.breaches import set_aside
from rarefy.data_contracts.suites import SUITES
from rarefy.data_contracts.suites.rule import PartRule, Reference, TableRule, column_faults, column_values
from rarefy.flows.build import build
from rarefy.flows.config import Config
from rarefy.flows.faults import UsageFault
from rarefy.tasks.export import NAMES

ROOT = Path(__file__).resolve().parents[2]
SAMPLE, CORPORA = ROOT / "tasks" / "sample" / "corpus", ROOT.parent / "shared" / "corpora"
EXAMPLES = int(os.environ.get("RAREFY_UNSEEN_EXAMPLES", "5"))  # of each test; a search for failures takes thousands
DRAWN = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize="RAREFY_UNSEEN_EXAMPLES" not in os.environ,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)
SETTINGS = Config.model_validate(
    {
        "graph": {"quotas": {"inverted_star": 2, "chain": 3, "star": 3, "single": 6}},
        "perturb": {  # one of each check
            "query": ["grammar", "butter_fingers"],
            "document": ["answer_deleted", "random_order", "html", "yaml"],
            "context": ["golden_passage", "distracting", "counterfactual", "debris"],
        },
    }
)
FILINGS = ("aapl-fy2024.html", "aapl-fy2025.html", "ko-fy2024.html")
REPORT = """FORM 10-K

For the fiscal year ended December 31, 2024

Larkfield Group Inc

(Exact name of registrant as specified in its charter)

# Item 1. Business

Larkfield Group Inc is headquartered in Leeds. Larkfield Group Inc acquired Brightwater Instruments in March 2023.
Brightwater Instruments operates a factory in York. The chief executive officer of Larkfield Group Inc is Jane Whitmore.

# Item 8. Financial Statements and Supplementary Data

## CONSOLIDATED STATEMENTS OF OPERATIONS

Years ended December 31 (in millions of US dollars):

| | 2024 | 2023 |
|---|---|---|
| Net sales | 21.9 | 9 |
| Cost of sales | (12.4) | (5.1) |
| Operating income | 9.5 | 3.9 |
| Dividends declared | 2 | 2 |

Revenue for fiscal year 2024 was $21.9 million, an increase of 2 percent. The fee for 2023 was $9 million.

| Site | Staff | Opened |
|---|---|---|
| Leeds | 1,204 | 1987 |
| York | 96 | 2023 |
"""


def papers(chosen: list[Paper]) -> st.SearchStrategy[list[Paper]]:
    """One or two of these, each after up to four mutations."""
    seeds = st.integers(0, 999)
    steps = st.lists(st.tuples(st.sampled_from(sorted(MUTATIONS)), seeds), max_size=4)

    def mutated(drawn: tuple[Paper, list[tuple[str, int]]]) -> Paper:
        paper = drawn[0]
        for name, seed in drawn[1]:
            paper = mutate(paper, name, seed)
        return paper

    one = st.tuples(st.sampled_from(chosen), steps).map(mutated)
    return st.lists(one, min_size=1, max_size=2, unique_by=lambda paper: paper.file)


def of_the_sample() -> list[Paper]:
    """Small documents of every kind that ships."""
    return [
        *(cut_filing(SAMPLE / name) for name in FILINGS),
        cut_text(SAMPLE / "24-cfr-792.md"),
        cut_text(SAMPLE / "fomc-2015-06-17.txt"),
        Paper("larkfield.md", REPORT),
        Paper("languages.txt", "\n\n".join(mutations.PARAGRAPHS + mutations.BESIDE)),
    ]


def of_the_corpora() -> list[Paper]:
    """Cuts of documents that are not part of the repository."""
    return [
        *(
            cut_filing(CORPORA / name)
            for name in ("unseen/10k-html/ba-fy2024.html", "finance/10k-html/wmt-fy2025.html")
        ),
        *(cut_items(path) for path in sorted((CORPORA / "unseen" / "10k-json").iterdir())[:8]),
        *(cut_text(path, 2_000) for path in sorted((CORPORA / "unseen" / "fomc-2019").iterdir())[:3]),
        *(cut_text(path) for path in sorted((CORPORA / "economics" / "beige-book").iterdir())[::60]),
        *(cut_text(path, 200) for path in sorted((CORPORA / "policy" / "ecfr-title24").iterdir())[::6]),
        *(cut_text(path) for path in sorted((CORPORA / "unseen" / "handbook").iterdir())[::5]),
    ]


@pytest.mark.parametrize("name", sorted(MUTATIONS))
def test_a_mutation_does_the_same_each_time_and_something_at_least_once(name):
    some = of_the_sample()
    made = [mutate(paper, name, seed) for paper in some for seed in range(3)]
    assert made == [mutate(paper, name, seed) for paper in some for seed in range(3)]
    assert any(one.text != paper.text for one, paper in zip(made, [p for p in some for _ in range(3)], strict=True))


@DRAWN
@given(drawn=papers(of_the_sample()))
def test_what_is_done_to_the_sample_stops_no_build(drawn):
    ends_well(drawn)


@DRAWN
@given(data=st.data())
def test_what_is_done_to_other_documents_stops_no_build(shared, data):
    ends_well(data.draw(papers(of_the_corpora())))


@pytest.fixture(autouse=True)
def no_great_expectations(monkeypatch):
    """What holds of the tables is looked at below, by the same rules: Great Expectations takes most of the time."""
    monkeypatch.setattr(expectations, "check_table", lambda stage, *_: expectations.Validation(stage, "", 0, ()))


def broken(row_type: type, table: pa.Table, references: dict[type, pa.Table]) -> Iterator[str]:
    """What the suite of a table has against it."""
    yield from column_faults(table, row_type)
    _, breaches = set_aside("", row_type, table, references)
    yield from (f"{one.rule}: {one.detail}" for one in breaches)
    for rule in SUITES[row_type].rules:
        if isinstance(rule, PartRule):
            yield from (f"{rule.says}: {key}: {fault}" for key, fault in rule.find(table, references))
        elif isinstance(rule, Reference):
            names = {*references[rule.owner].column(rule.key).to_pylist(), *([""] if rule.optional else [])}
            values = column_values(table, rule.column)
            named = (name for value in values for name in ([value] if isinstance(value, str) else value))
            yield from (f"{rule.says}: {name!r}" for name in named if name not in names)
        elif isinstance(rule, TableRule) and rule.expectation == "ExpectTableRowCountToBeBetween":
            yield from [] if table.num_rows else [rule.says]
        elif isinstance(rule, TableRule):
            assert rule.expectation == "ExpectColumnValuesToBeUnique", f"{rule.expectation} is not known here"
            counted = Counter(column_values(table, rule.column))
            yield from (f"{rule.says}: {value!r}" for value, count in counted.items() if count > 1)


def ends_well(drawn: list[Paper]) -> None:
    """The build ends with a benchmark of which every table keeps every rule, twice the same; or says why with none."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "corpus").mkdir()
        for paper in drawn:
            (place / "corpus" / paper.file).write_text(paper.text, encoding="utf-8", errors="replace")
        first, second = (built(place, name) for name in ("one", "two"))
        assert first == second, "another build of the same documents made other bytes"
        if first:
            keeps_every_rule(place / "one" / "out")


def built(place: Path, name: str) -> str:
    """The version of the benchmark, made in a store of its own; "" where the documents give none, which is told."""
    where = str(place / name / "out"), SETTINGS, str(place / name / "store")
    try:
        return build.fn(str(place / "corpus"), *where, quiet=True).version
    except UsageFault as fault:  # exit code 2
        assert "; " in str(fault), "no way out is told"
        return ""


def keeps_every_rule(out: Path) -> None:
    """No table of a benchmark breaks a rule of its suite, and none had rows that did."""
    tables = {row_type: pq.read_table(out / f"{name}.parquet") for row_type, name in NAMES.items()}
    for row_type in SUITES.keys() & NAMES.keys():
        assert not list(broken(row_type, tables[row_type], tables)), row_type.__name__
    assert not (out / "breaches.jsonl").read_text()
