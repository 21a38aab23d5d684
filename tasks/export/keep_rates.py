"""How many variants of each perturbation were kept, and why the others were not, beside SURE's Table 1."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from rarefy.data_contracts.rows import UNTRIED
from rarefy.tasks.text.markdown import markdown_table

# Percent of instances that SURE kept, by type (its Table 1, of 100,000): of all subtypes of a type at once
SURE = {"style": 79.2, "source": 84.0, "logic": 90.8, "format": 98.7, "metadata": 98.8}
SIDES = ("query", "document", "context")
COLUMNS = ("question_id", "side", "perturbation", "chunk_id", "family", "rejected_because")
Told = tuple[str, str, str, str, str, str]  # those of a variant


@dataclass(frozen=True, slots=True)
class KeepRate:
    """What became of the rows of a perturbation, or of a family of them."""

    name: str
    side: str
    family: str
    rows: int
    kept: int
    rejected: Mapping[str, int] = field(default_factory=dict)  # by reason, most frequent first

    @property
    def tried(self) -> int:
        """Rows that could have been kept: not those for want of a model, a program or the language."""
        return self.rows - sum(n for reason, n in self.rejected.items() if reason.startswith(UNTRIED))

    @property
    def percent(self) -> float | None:
        """Of what was tried; None where nothing was."""
        return 100 * self.kept / self.tried if self.tried else None


@dataclass
class Tally:
    """Variants counted as they come; all of one question come together."""

    counted: dict[tuple[str, str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    types: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, rows: Iterable[Told]) -> None:
        """Count these; the unperturbed question is none."""
        chunks: dict[tuple[str, str, str, str], str] = {}
        for question_id, side, perturbation, chunk_id, family, reason in rows:
            if perturbation == "none":
                continue
            self.counted[side, family, perturbation][reason] += 1
            if side == "document" and not reason.startswith(UNTRIED):
                place = (side, family, question_id, chunk_id)
                chunks[place] = chunks.get(place) or reason
        for (side, family, *_), reason in chunks.items():
            self.types[side, family][reason] += 1

    def each(self) -> list[KeepRate]:
        """The rate of each perturbation, by side, family and name."""
        in_order = sorted(self.counted.items(), key=lambda item: (SIDES.index(item[0][0]), item[0]))
        return [_rate(name, side, family, reasons) for (side, family, name), reasons in in_order]

    def by_family(self) -> list[KeepRate]:
        """The rate of each family as SURE counts: a question's chunk is kept where all that is made of it is."""
        return [_rate(family, side, family, reasons) for (side, family), reasons in sorted(self.types.items())]


def tallied(variants: pa.Table) -> Tally:
    """The variants of a table, counted."""
    found = Tally()
    found.add(zip(*(variants[name].to_pylist() for name in COLUMNS), strict=True))
    return found


def _rate(name: str, side: str, family: str, reasons: Counter[str]) -> KeepRate:
    rejected = {reason: n for reason, n in reasons.most_common() if reason}
    return KeepRate(name, side, family, reasons.total(), reasons[""], rejected)


def told(percent: float | None) -> str:
    """A rate as a reader wants it."""
    return "–" if percent is None else f"{percent:.1f} %"


def table(found: Tally) -> str:
    """The rates as Markdown tables: of each perturbation, and of SURE's types beside its own."""
    return "\n".join([*_each(found.each()), *_beside(found.by_family())]) + "\n"


def _each(rates: Sequence[KeepRate]) -> Iterator[str]:
    rows = []
    for rate in rates:
        why = ", ".join(f"{n:,} {reason}" for reason, n in rate.rejected.items())
        rows.append((f"`{rate.name}`", rate.side, rate.family, *_counts(rate), why))
    head = ("perturbation", "side", "family", "tried", "kept", "rate", "rejected because")
    yield from markdown_table(head, rows, range(3, 6), cell=str)


def _beside(families: Sequence[KeepRate]) -> Iterator[str]:
    beside = [rate for rate in families if rate.family in SURE]
    if not beside:
        return
    head = ("kept where all subtypes of a type are, as SURE counts", "tried", "kept", "rate", "SURE, Table 1")
    yield ""
    yield from markdown_table(
        head, [(rate.family, *_counts(rate), f"{SURE[rate.family]} %") for rate in beside], range(1, 5)
    )


def _counts(rate: KeepRate) -> tuple[str, str, str]:
    return f"{rate.tried:,}", f"{rate.kept:,}", told(rate.percent)
