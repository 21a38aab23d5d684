"""What tests share: the real documents beside the repository, and the sample inside the package."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The real documents and reference data; a test that needs them is skipped, visibly, where they are not."""
    place = ROOT.parent / "shared"
    if not (place / "corpora").is_dir():
        pytest.skip(f"{place} is not here: the real documents are not part of the repository")
    return place


@pytest.fixture(scope="session")
def sample() -> Path:
    """The corpus that ships in the package."""
    place = ROOT / "tasks" / "sample" / "corpus"
    if not place.is_dir():
        pytest.skip(f"{place} is not here yet")
    return place
