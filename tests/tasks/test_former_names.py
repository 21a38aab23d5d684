"""Old names of classes say the new ones."""

import pytest

from rarefy.tasks import store
from rarefy.tasks.evaluate.systems import interface
from rarefy.tasks.models import llm
from rarefy.tasks.store.tables import Store


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
