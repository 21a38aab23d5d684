"""What tests share: the real documents beside the repository, and the sample inside the package."""

import sys
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("rarefy", deadline=None)  # a busy machine takes longer, and nothing is wrong
settings.load_profile("rarefy")

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


@pytest.fixture(autouse=True, scope="module")
def no_client_of_a_server_that_is_gone() -> None:
    """Modules have object stores of their own, and s3fs keeps its clients for as long as the process lives."""
    if "s3fs" in sys.modules:
        sys.modules["s3fs"].S3FileSystem.clear_instance_cache()
