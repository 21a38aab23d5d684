"""Old names of modules say the new ones."""

import importlib
import importlib.util
from pathlib import Path

import pytest

from rarefy.tasks import llm
from rarefy.tasks.moved import MOVED

ROOT = Path(__file__).resolve().parents[2]


def test_every_new_name_is_a_module_and_no_old_one_is():
    assert [name for name in MOVED.values() if importlib.util.find_spec(name) is None] == []
    assert len(set(MOVED.values())) == len(MOVED) and not set(MOVED) & set(MOVED.values())


@pytest.mark.parametrize("name", ["rarefy.flows.conclude", "rarefy.flows.serving.told", "rarefy.tasks.systems.asked"])
def test_an_old_import_fails_with_the_new_name(name):
    with pytest.raises(ModuleNotFoundError, match=f"{name} is {MOVED[name]} now"):
        importlib.import_module(name)


def test_classes_that_others_import_go_by_their_old_names_too():
    with pytest.warns(DeprecationWarning, match="InferenceContext"):
        assert llm.Means is llm.InferenceContext
    with pytest.raises(AttributeError, match="Nothing"):
        llm.Nothing  # noqa: B018


def test_the_changelog_lists_them():
    listed = (ROOT / "CHANGELOG.md").read_text()
    rows = [f"`{name.removeprefix('rarefy.').replace('.', '/')}.py`" for pair in MOVED.items() for name in pair]
    assert [row for row in rows if row not in listed] == []
