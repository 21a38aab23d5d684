"""What rules for English find in another language is kept, rejected; a model and methods of the user's own go on."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from rarefy.data_contracts.rows import Chunk, Document, Triplet
from rarefy.tasks.knowledge.extract import METHODS, ExtractConfig, extract

TEXT = "In 2020, Acme Corporation acquired Widget Holdings. Acme Corporation employs 5,000 people."
DOCUMENT = Document("d", "0" * 16, "d", "d", "text/plain", TEXT, entity="Acme Corporation")
CHUNK = Chunk("c", "d", 0, len(TEXT), "text", "", TEXT, 20, entity="Acme Corporation")


def triplets(language: str, method: str) -> list[Triplet]:
    chunk, document = replace(CHUNK, language=language), replace(DOCUMENT, language=language)
    rows = extract([chunk], ExtractConfig(methods=(method,)), documents={"d": document})
    return [row for row in rows if isinstance(row, Triplet)]


def test_facts_by_rules_are_of_english_documents() -> None:
    assert "" in {row.rejected_because for row in triplets("en", "prose")}
    assert triplets("en-GB", "prose") == triplets("", "prose") == triplets("en", "prose")
    french = triplets("fr", "prose")
    assert {row.rejected_because for row in french} == {"not_english"}
    assert [row.triplet_id for row in french] == [row.triplet_id for row in triplets("en", "prose")]


def test_a_method_of_the_users_own_knows_its_languages_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def mine(*given: Any) -> Iterator[Any]:
        return METHODS["prose"](*given)

    module = ModuleType("my_rules")
    module.__dict__["mine"] = mine
    monkeypatch.setitem(sys.modules, "my_rules", module)
    assert triplets("fr", "my_rules:mine") == triplets("en", "prose")
