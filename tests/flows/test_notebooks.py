"""The notebooks in examples/ run as they stand, in a kernel, from a folder of their own."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOKS = sorted((Path(__file__).parents[2] / "examples").glob("*.ipynb"))


@pytest.mark.server
@pytest.mark.parametrize("file", NOTEBOOKS, ids=lambda file: file.stem)
def test_a_notebook_runs_from_top_to_bottom(file, tmp_path):
    book = nbformat.read(file, as_version=4)
    nbformat.validate(book)
    assert not any(cell.get("outputs") for cell in book.cells), "cleared, so that a change is a change of the source"
    nbclient.NotebookClient(book, timeout=600, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in book.cells for output in cell.get("outputs", ())]
    assert shown and not [output for output in shown if output.output_type == "error"]
    assert any("text/html" in output.get("data", {}) for output in shown)  # tables and charts are not bare texts
    if "evaluate" in file.stem:
        assert any("<iframe srcdoc=" in output.get("data", {}).get("text/html", "") for output in shown)
