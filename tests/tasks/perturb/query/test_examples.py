"""The examples of the catalogue are what the code makes."""

from itertools import islice
from random import Random

import pytest

from rarefy.data_contracts.rows import Chunk, Pool
from rarefy.tasks.perturb.case import Case
from rarefy.tasks.perturb.catalogue import CATALOGUE, load_maker
from rarefy.tasks.perturb.config import PerturbConfig

NEAR = Chunk("c", "d", 0, 1, "text", "Item 8. > Note 11 – Share-Based Compensation", "-", 1, entity="Apple Inc.",
             title="Apple Inc., Form 10-K for fiscal year 2024")  # fmt: skip


@pytest.mark.parametrize(
    "entry", [e for e in CATALOGUE.values() if e.side == "query" and e.rules], ids=lambda entry: entry.name
)
def test_an_example_is_made_by_the_code(entry):
    before, after = entry.example
    case = Case("c", "query", before, question=before, answer="44,352", entity="Apple Inc.",
                pool=Pool("p", "q", ("c",), (), ()), chunks={"c": NEAR})  # fmt: skip
    make = load_maker(entry)
    texts = {d.text for seed in range(12) for d in islice(make(case, PerturbConfig(), Random(seed)), 15)}
    assert after in texts
