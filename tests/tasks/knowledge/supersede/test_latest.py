"""Facts on one thing are judged as if each were compared with each, and are not."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rarefy.data_contracts.rows import Document, Triplet
from rarefy.tasks.knowledge.supersede import compare, latest
from rarefy.tasks.knowledge.supersede.compare import OTHER, SAME
from rarefy.tasks.knowledge.supersede.latest import Compare, find_superseded, is_later, recency

SHOWN = (("12.3 billion", "12300000000"), ("12,345 million", "12345000000"), ("12,400 million", "12400000000"),
         ("(12,345) million", "-12345000000"))  # fmt: skip


def document(number: int, as_of: str = "", period: str = "", form: str = "10-K") -> Document:
    name = f"{number:05}"
    return Document(name, "h", name, "", "text/html", "", entity="Acme", form=form, as_of=as_of, period_end=period)


def fact(home: Document, number: int, shown: str, value: str, concept: str = "", rejected: str = "") -> Triplet:
    return Triplet(
        f"{home.doc_id}-{number}", "c", home.doc_id, 0, 1, "Acme", "sales", shown, shown, "table", "ORG", "MONEY",
        answer=shown, value=value, subject_key="Acme", object_key=value, concept=concept, rejected_because=rejected,
    )  # fmt: skip


def each_with_each(rows: Sequence[Triplet], compared: Compare, homes: Mapping[str, Document]) -> dict[str, Triplet]:
    """The definition, in quadratic time."""
    order = sorted(rows, key=lambda row: (recency(homes[row.doc_id]), row.doc_id, row.triplet_id))
    said: dict[str, Triplet] = {}
    if any(compared(row, said.setdefault(row.doc_id, row)) != SAME for row in order):
        return {}
    stands = [row for row in order if not row.rejected_because]

    def after(row: Triplet) -> list[Triplet]:
        own = homes[row.doc_id]
        return [other for other in stands if is_later(homes[other.doc_id], own) and compared(row, other) == OTHER]

    current = [row for row in stands if not after(row)]
    if not current or any(compared(current[0], row) != SAME for row in current):
        return {}
    old = [row for row in order if all(compared(row, now) != SAME for now in current)]
    return {row.triplet_id: others[0] for row in old if (others := after(row))}


homes = st.tuples(
    st.sampled_from(["", "2024-01-01", "2024-02-01", "2024-03-01", "2025-01-01"]),
    st.sampled_from(["", "2023-12-31", "2024-01-15", "2024-02-15", "2025-06-30"]),
    st.sampled_from(["10-K", "10-K/A", ""]),
)
facts = st.tuples(
    st.sampled_from(SHOWN), st.sampled_from(["", "", "a:Sales", "b:Other"]), st.sampled_from(["", "", "copy"])
)


@given(st.lists(st.tuples(homes, facts), min_size=2, max_size=9))
def test_the_result_is_that_of_comparing_each_with_each(told: list) -> None:
    documents = {f"{n:05}": document(n, *home) for n, (home, _) in enumerate(told)}
    rows = [fact(documents[f"{n:05}"], 0, *shown, *rest) for n, (_, (shown, *rest)) in enumerate(told)]
    assert find_superseded(rows, compare.compare_figures, documents) == each_with_each(
        rows, compare.compare_figures, documents
    )


@pytest.mark.parametrize("dated", [True, False])
@pytest.mark.parametrize("values", [1, 2])
def test_of_very_many_documents_that_state_one_fact_few_are_compared(
    dated: bool, values: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    many, asked = 300, {"compared": 0, "later": 0}

    def compared(one: Triplet, other: Triplet) -> str:
        asked["compared"] += 1
        return compare.compare_figures(one, other)

    def counted(one: Document, other: Document) -> bool:
        asked["later"] += 1
        return is_later(one, other)

    monkeypatch.setattr(latest, "is_later", counted)
    days = [(date(2020, 1, 1) + timedelta(days=n)).isoformat() for n in range(many)]
    documents = {f"{n:05}": document(n, *((day, "") if dated else ("", day))) for n, day in enumerate(days)}
    shown = SHOWN[1 : 1 + values]
    rows = [fact(home, 0, *shown[n * values // many]) for n, home in enumerate(documents.values())]
    assert len(find_superseded(rows, compared, documents)) == (many // 2 if values == 2 else 0)
    assert asked["compared"] <= values**2
    assert asked["later"] <= 4 * many * values
