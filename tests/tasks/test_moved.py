"""Old names of modules say the new ones."""

import importlib
import importlib.util
from pathlib import Path

import pytest

from rarefy.tasks import store
from rarefy.tasks.evaluate.systems import interface
from rarefy.tasks.models import llm
from rarefy.tasks.moved import read_moved
from rarefy.tasks.store.tables import Store

ROOT = Path(__file__).resolve().parents[2]


def test_every_new_name_is_a_module_and_no_old_one_is():
    moved = read_moved()
    assert [name for name in set(moved.values()) if importlib.util.find_spec(name) is None] == []
    places = [ROOT / name.removeprefix("rarefy.").replace(".", "/") for name in moved]
    assert [place for place in places if place.with_suffix(".py").exists() or (place / "__init__.py").exists()] == []


@pytest.mark.parametrize(
    "name",
    [
        "rarefy.flows.conclude",
        "rarefy.flows.serving.told",
        "rarefy.tasks.systems",
        "rarefy.tasks.evaluate.protocols.sure_pairs",
    ],
)
def test_an_old_import_fails_with_the_new_name(name):
    with pytest.raises(ModuleNotFoundError, match=f"{name} is {read_moved()[name]} now"):
        importlib.import_module(name)


def test_an_old_import_of_what_lay_in_a_folder_names_the_folder():
    with pytest.raises(ModuleNotFoundError, match=r"rarefy\.tasks\.systems is rarefy\.tasks\.evaluate\.systems now"):
        importlib.import_module("rarefy.tasks.systems.interface")


def test_classes_that_others_import_go_by_their_old_names_too():
    with pytest.warns(DeprecationWarning, match="InferenceContext"):
        assert llm.Means is llm.InferenceContext
    with pytest.raises(AttributeError, match="Nothing"):
        llm.Nothing  # noqa: B018
    with pytest.warns(DeprecationWarning, match="SystemInput"):
        assert interface.Asked is interface.SystemInput
    with pytest.raises(AttributeError, match="Nothing"):
        interface.Nothing  # noqa: B018
    with pytest.warns(DeprecationWarning, match=r"rarefy\.tasks\.store\.tables\.Store"):
        assert store.Store is Store
    with pytest.raises(AttributeError, match="Nothing"):
        store.Nothing  # noqa: B018
