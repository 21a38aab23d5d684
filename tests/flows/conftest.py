"""A corpus so small that a build of it takes a moment, and one Prefect API for all tests of flows."""

import io
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import known
import pytest
from evaluated import CONFIG, evaluate, systems

from rarefy.flows.cli import main
from rarefy.flows.engine import prefect_server

MEASURES = ("Net sales", "Cost of sales", "Operating income", "Net income", "Total assets")
COMPANIES = {
    "acme": ("Acme Corp", "Oslo", "Meyer & Sons LLP"),
    "nordlys": ("Nordlys Holdings Inc", "Bergen", "Meyer & Sons LLP"),
    "fjord": ("Fjord Systems Inc", "Tromsø", "Halvorsen LLP"),
}


def filing(name: str, city: str, auditor: str, base: int) -> str:
    """A short annual report as a company would file it."""
    rows = "".join(
        f"<tr><td>{measure}</td><td>$</td><td>{base * (n + 3):,}</td><td>$</td><td>{base * (n + 2):,}</td></tr>"
        for n, measure in enumerate(MEASURES)
    )
    return f"""<html><head><title>{name}</title></head><body>
<div><b>FORM 10-K</b></div><div>For the fiscal year ended December 31, 2024</div>
<div><b>{name}</b></div><div>(Exact name of registrant as specified in its charter)</div>
<p><b>Item 1. Business</b></p>
<p>{name} is headquartered in {city}. {name} sells industrial pumps to hospitals in Norway.</p>
<p>{name} acquired Borealis Instruments in March 2024. Borealis Instruments operates a factory in {city}.</p>
<p>The financial statements of {name} were audited by {auditor}.</p>
<p><b>Item 7. Management's Discussion and Analysis</b></p>
<p>The following table shows our results (in millions):</p>
<table><tr><td></td><td colspan="2">2024</td><td colspan="2">2023</td></tr>{rows}</table>
</body></html>"""


@pytest.fixture(scope="session")
def api() -> str:
    """The address of a Prefect API that lives as long as the tests do."""
    prefect_server.start()
    prefect_server.wait()
    return os.environ["PREFECT_API_URL"]


@pytest.fixture(scope="session")
def three_reports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three short annual reports."""
    folder = tmp_path_factory.mktemp("place") / "corpus"
    folder.mkdir()
    for number, (file, about) in enumerate(COMPANIES.items()):
        (folder / f"{file}.html").write_text(filing(*about, base=100 + 37 * number))
    return folder


@pytest.fixture(scope="session")
def place(three_reports: Path) -> Path:
    """A folder with that corpus, and settings that leave out what needs a model."""
    # what is tested here is how stages are run, not what they find
    (three_reports.parent / "quick.toml").write_text("[perturb]\nquery = []\ndocument = []\ncontext = []\n")
    return three_reports.parent


@pytest.fixture(scope="session")
def oracle() -> Iterator[None]:
    """The model of `oracle.py`, within reach of this process and of those that it starts."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(Path(__file__).parent))
        patch.setenv("PYTHONPATH", str(Path(__file__).parent))
        yield


@pytest.fixture
def report() -> Callable[[str, str, str, int], str]:
    """Writes one such report: name, city, auditor, and the figure that its table begins with."""
    return filing


@pytest.fixture
def reports() -> Callable[[Path, str], None]:
    """Writes annual reports of twelve companies of one name each into a folder."""

    def write(folder: Path, name: str) -> None:
        folder.mkdir()
        auditors = ("Meyer LLP", "Halvorsen LLP", "Berg LLP")
        for number, letter in enumerate("ABCDEFGHIJKL"):
            text = filing(f"{name} {letter}ndal Corp", f"{letter}burg", auditors[number % 3], 100 + 37 * number)
            (folder / f"{letter}.html").write_text(text.replace("Borealis", f"{letter}orealis"))

    return write


@pytest.fixture(scope="session")
def built(place: Path, api: str) -> Path:
    """The same folder, once the corpus has been built from `store` into `out`."""
    assert main(arguments(place)) == 0
    return place


@pytest.fixture
def copy(built: Path, tmp_path: Path) -> Path:
    """A copy of that folder, to do with as one likes."""
    return shutil.copytree(built, tmp_path / "copy")


def arguments(place: Path, *more: str, corpus: str = "corpus", out: str = "out", store: str = "store") -> list[str]:
    """The command line that builds in this folder."""
    where = ["--out", str(place / out), "--store", str(place / store), "--config", str(place / "quick.toml")]
    return ["build", str(place / corpus), *where, *more]


@pytest.fixture(scope="session")
def build(api: str) -> Callable[..., tuple[int, str]]:
    """Builds in a folder, and gives back the exit code and all that was said."""

    def run(*given: object, **places: str) -> tuple[int, str]:
        out, err = io.StringIO(), io.StringIO()
        with redirect_stdout(out), redirect_stderr(err):
            code = main([*arguments(*given, **places), "--verbose"])  # type: ignore[arg-type]
        return code, out.getvalue() + err.getvalue()

    return run


@pytest.fixture(scope="session")
def known_place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the benchmark that the known systems are put to."""
    folder = tmp_path_factory.mktemp("evaluation")
    known.benchmark(folder / "bench")
    (folder / "my.toml").write_text(CONFIG)
    return folder


@pytest.fixture(scope="session")
def known_results(known_place: Path, api: str) -> Path:
    """Every known system under every protocol."""
    assert evaluate(known_place, "out", *systems()) == 0
    return known_place / "out"
