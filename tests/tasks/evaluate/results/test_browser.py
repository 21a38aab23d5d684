"""The page in a browser: headless Chromium opens it from the disk, as its reader does."""

import re
import shutil
import subprocess
from collections import Counter
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pyarrow as pa
import pytest

from rarefy.tasks.evaluate.results import page, summary

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here to open the page with"),
]
BREAK = "document.title='broken'"
HOSTILE = (
    f"\" autofocus onfocus=\"{BREAK}\" ' onmouseover='{BREAK}' "  # ends an attribute
    f'</script><script>{BREAK}</script><img src=x onerror="{BREAK}">\u202e&amp;'  # ends an element
)


class Elements(HTMLParser):
    """Which elements and attributes a document has."""

    def __init__(self) -> None:
        super().__init__()
        self.names: Counter[str] = Counter()
        self.attributes: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names[tag] += 1
        self.attributes.update(name for name, _ in attrs)


def opened(path: Path, place: str = "") -> str:
    """The document as the browser has it after its scripts have run."""
    command = [
        CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={path.parent / 'browser'}",
        "--virtual-time-budget=4000", "--dump-dom", f"{path.as_uri()}{place}",
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout, done.stderr[-2000:]
    return done.stdout


def dialog(document: str) -> str:
    """What is shown of the rows, without its elements."""
    found = re.search(r"<dialog.*?</dialog>", document, re.S)[0]
    return unescape(re.sub(r"<[^>]+>", "", found))


def place_of(found: dict, metric: str, slice_: str) -> int:
    return next(at for at, row in enumerate(found["figures"]) if (row["metric"], row["slice"]) == (metric, slice_))


@pytest.fixture
def put(tmp_path):
    def of(found: dict, tables: dict) -> Path:
        path = tmp_path / "report.html"
        path.write_bytes(page(found, tables).encode())
        return path

    return of


def test_a_number_opens_its_rows_and_a_row_all_there_is_of_it(put, told, numbers, made):
    found = summary(told, numbers)
    path = put(found, made(2))
    document = opened(path, f"#rows/{place_of(found, 'Overall Robustness', 'query=character')}")
    shown = dialog(document)
    assert '<dialog id="drill"' in document
    assert "Overall Robustness · query character: 0.500" in shown
    assert "all 2 rows" in shown
    assert "✗ wrong 2 of 2" in shown
    assert "fiscalfisacl" in shown  # what went, then what came
    assert "<del>fiscal</del><ins>fisacl</ins>" in document
    assert "not robust" in shown
    assert "Judge: a judge" in shown
    assert "another value" in shown
    assert '<span class="sentence">The revenue was <mark>$47.5 billion</mark> in fiscal 2024.</span>' in document
    assert "nothing changed: It was $47.5 billion." in shown
    assert "Report on revenue › Item 7 · doc.md, page 12, character 11" in shown


def test_a_deleted_answer_is_shown_as_deleted(put, told, numbers, made):
    found = summary(told, numbers)
    document = opened(put(found, made(1)), f"#rows/{place_of(found, 'Overall Robustness', 'document=lexical_similar')}")
    assert "gold spoiled" in dialog(document)
    assert "<del>$47.5 billion</del><ins>not stated</ins>" in document


def test_a_refusal_that_is_wanted_is_robust(put, told, numbers, made):
    found = summary(told, numbers)
    document = opened(put(found, made(1)), f"#rows/{place_of(found, 'Overall Robustness', 'document=lexical_similar')}")
    assert "✓ robust" in dialog(document)


def test_what_was_retrieved_is_shown_with_its_gold(put, told, numbers, made):
    found = summary(told, numbers)
    document = opened(put(found, made(2)), f"#rows/{place_of(found, 'Recall@5', 'retriever=bm25, perturbation=none')}")
    assert "Retrieved, best first" in dialog(document)
    assert "✓ gold" in dialog(document)


@pytest.mark.parametrize(
    ("stage", "said"), [("value", "it states another value"), ("contained", "it contains no answer")]
)
def test_what_decided_is_said_of_a_wrong_answer_too(put, told, numbers, made, stage, said):
    found, tables = summary(told, numbers), made(1)
    rows = [
        {**row, "stage": stage, "matched": "$9", "why": "other_value", "judge": ""} if row["stage"] == "judge" else row
        for row in tables["scores"].to_pylist()
    ]
    tables["scores"] = pa.Table.from_pylist(rows, tables["scores"].schema)
    shown = dialog(opened(put(found, tables), f"#rows/{place_of(found, 'Overall Robustness', 'query=character')}"))
    assert f"{said} (“$9”). other value" in shown


def test_a_hostile_document_is_text(put, hostile):
    told, numbers, tables = hostile(HOSTILE)
    found = summary(told, numbers)
    path = put(found, tables)
    for place in ("", f"#rows/{place_of(found, 'Overall Robustness', 'query=character')}"):
        document = opened(path, place)
        assert "<title>broken</title>" not in document
        elements = Elements()
        elements.feed(document)
        assert elements.names["script"] == 2  # the data, and our own
        assert not elements.names["img"]
        assert not [name for name in elements.attributes if name.startswith("on") or name == "autofocus"]
    assert "<script>document.title='broken'</script>" in dialog(document)
    assert "onfocus=" in dialog(document)
    assert '<span class="ctl">U+202E</span>' in document
    assert "\u202e" not in document


def test_an_unknown_place_opens_nothing(put, told, numbers, made):
    path = put(summary(told, numbers), made(1))
    for place in ("#rows/999999", "#rows/x", "#rows/0/999999", "#headline"):
        assert "<h2>Headline</h2>" in opened(path, place)


def test_a_picture_of_it_has_something_on_it(put, told, numbers, made, tmp_path):
    path = put(summary(told, numbers), made(1))
    for width in (1280, 390):
        image = tmp_path / f"{width}.png"
        command = [
            CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'browser'}",
            f"--screenshot={image}", f"--window-size={width},900", path.as_uri(),
        ]  # fmt: skip
        subprocess.run(command, capture_output=True, timeout=120, check=True)
        assert image.stat().st_size > 20_000
