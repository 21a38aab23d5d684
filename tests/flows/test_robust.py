"""A function under test as a pytest test: the decorator `rarefy.robust`, in a project of somebody's own."""

import os
import subprocess
import sys

import known
import pytest

SUITE = """
import known, pytest, rarefy

BENCH = {bench!r}
SETTINGS = dict(correct={{"unmatched": "wrong"}}, statistics={{"draws": 100}}, retrieve={{"retrievers": ["bm25"]}})
GIVEN = ("closed_book", "passages")

@pytest.fixture
def index():
    return known.right

def asked_with(takes):
    def mark(function):
        function.takes = takes
        return function
    return mark

@rarefy.robust(BENCH, 0.8, "Original score of effect_size", **SETTINGS)
@asked_with(GIVEN)
def test_good(asked, index):
    "A docstring of its own."
    return index(asked)

@rarefy.robust(BENCH, 0.8, "Original score of effect_size", **SETTINGS)
def test_poor(asked):
    return known.refuses(asked)

test_poor.takes = GIVEN  # after the decorator it counts as well

@rarefy.robust(BENCH, 0.8, "rare", **{{**SETTINGS, "correct": {{}}}})
@asked_with(GIVEN)
def test_vague(asked):
    return "A person of note"

def test_names():
    assert test_good.__doc__ == "A docstring of its own." and test_good.__name__ == "test_good"
"""


@pytest.fixture
def project(tmp_path):
    """A project with a suite of its own; runs pytest in it."""
    bench = known.benchmark(tmp_path / "bench", 2)
    (tmp_path / "test_mine.py").write_text(SUITE.format(bench=str(bench)))

    def run():
        path = os.pathsep.join(filter(None, (*sys.path, os.environ.get("PYTHONPATH"))))
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"]
        return subprocess.run(
            command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True
        )

    return run


def test_a_decorated_function_passes_or_fails_by_its_floor(project, tmp_path):
    said = project().stdout
    assert "2 passed" in said and "2 failed" in said, said
    report = tmp_path / "rarefy-out" / "bench-test_good" / "report.html"
    shown, _, _ = said.partition("= FAILURES =")  # while the test runs, not with what it captured
    assert f"test_good: asks the questions of bench; the report will be {report.relative_to(tmp_path)}" in shown
    assert "AssertionError: Original score of effect_size is 0.000" in said and "below the floor of 0.8" in said
    assert f"each answer behind it: {tmp_path / 'rarefy-out' / 'bench-test_poor' / 'report.html'}" in said
    assert 'correct={"unmatched": "wrong"}' in said and "api.py" not in said, "no line of rarefy's own"
