"""What one cell of a table says, and what it is read with."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from decimal import Decimal

from rarefy.data_contracts.rows import Document, Fact
from rarefy.tasks.knowledge.extract.periods import Period


@dataclass(frozen=True, slots=True)
class Source:
    """What the cells of one document are read with."""

    document: Document
    facts: Mapping[int, Fact]  # by where they start in the document
    names: Mapping[str, str]  # concept → what the registrant calls it for the whole company
    vocabulary: Set[str]  # the words that the document writes in lower case


@dataclass(frozen=True, slots=True)
class CellFact:
    """What a cell says, before it is put as a triplet."""

    name: str
    member: str
    member_kind: str
    period: Period | None
    value: Decimal
    unit: str
    scale: str
    concept: str
    rejected_because: str
    hangs_on: str = ""  # the group label that names the measure, the member or the period
