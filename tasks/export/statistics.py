"""What a benchmark holds, as RARE's Appendix E counts it, and how many variants were kept, beside SURE's Table 1."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pyarrow as pa

from rarefy.data_contracts.rows import UNTRIED, Chunk, Document, Question
from rarefy.tasks.export.tables import Tables
from rarefy.tasks.text.markdown import markdown_table, markdown_text

LABELS = {
    "single": "Single-hop",
    "chain": "Chained (multi-hop)",
    "star": "Star-shaped (multi-hop)",
    "inverted_star": "Inverted-star-shaped (multi-hop)",
}
# Percent of instances that SURE kept, by type (its Table 1, of 100,000): of all subtypes of a type at once
SURE = {"style": 79.2, "source": 84.0, "logic": 90.8, "format": 98.7, "metadata": 98.8}
SIDES = ("query", "document", "context")
VARIANT_COLUMNS = ("question_id", "side", "perturbation", "chunk_id", "family", "rejected_because")
VariantKey = tuple[str, str, str, str, str, str]  # those of a variant


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a benchmark holds of one domain; the mappings are by pattern."""

    domain: str
    documents: int
    chunks: int
    years: tuple[int, ...] = ()  # first and last, () where no document is dated
    eligible: Mapping[str, int] = field(default_factory=dict)  # triplet sets that a question could have been made of
    train: Mapping[str, int] = field(default_factory=dict)
    test: Mapping[str, int] = field(default_factory=dict)


def count_statistics(tables: Tables, census: Mapping[str, Mapping[str, int]]) -> list[Statistics]:
    """The statistics of each domain, by name; `census` is by domain, then by pattern."""
    documents = tables[Document].select(["domain", "fiscal_year", "period_end", "as_of"]).to_pylist()
    chunks = Counter(tables[Chunk].column("domain").to_pylist())
    questions = tables[Question].select(["domain", "pattern", "split"]).to_pylist()
    asked = Counter((row["domain"], row["split"], row["pattern"]) for row in questions)
    rows = []
    for domain in sorted({row["domain"] for row in documents}):
        its = [row for row in documents if row["domain"] == domain]
        years = {row["fiscal_year"] or int((row["period_end"] or row["as_of"])[:4] or 0) for row in its} - {0}
        by_split = {
            split: {pattern: n for (d, s, pattern), n in sorted(asked.items()) if (d, s) == (domain, split)}
            for split in ("train", "test")
        }
        scope = (min(years), max(years)) if years else ()
        rows.append(Statistics(domain, len(its), chunks[domain], scope, census.get(domain, {}), **by_split))
    return rows


def sum_statistics(rows: Sequence[Statistics]) -> Statistics:
    """The domains taken together."""
    years = [year for row in rows for year in row.years]
    sums = [sum((Counter(getattr(row, name)) for row in rows), Counter()) for name in ("eligible", "train", "test")]
    scope = (min(years), max(years)) if years else ()
    return Statistics("All", sum(r.documents for r in rows), sum(r.chunks for r in rows), scope, *sums)


def render_statistics(rows: Sequence[Statistics]) -> str:
    """The statistics as a Markdown table, a column for each domain and one for all where there are several."""
    columns = [*rows, sum_statistics(rows)] if len(rows) > 1 else list(rows)
    counted = {pattern for row in rows for part in (row.eligible, row.train, row.test) for pattern in part}
    patterns = [*LABELS, *sorted(counted - {*LABELS})]
    head = ("", *(markdown_text(row.domain.capitalize()) for row in columns))
    lines = [
        ("Documents", [f"{row.documents:,}" for row in columns]),
        ("Chunks", [f"{row.chunks:,}" for row in columns]),
        ("Time scope", ["–".join(map(str, sorted(set(row.years)))) or "not dated" for row in columns]),
    ]
    parts = {"Eligible triplet sets": "eligible", "Questions, train": "train", "Questions, test": "test"}
    for heading, part in parts.items():
        lines.append((f"**{heading}**", [f"**{sum(getattr(row, part).values()):,}**" for row in columns]))
        for pattern in patterns:
            lines.append((LABELS.get(pattern, pattern), [f"{getattr(row, part).get(pattern, 0):,}" for row in columns]))
    rows_of_table = [(label, *cells) for label, cells in lines]
    return "\n".join(markdown_table(head, rows_of_table, range(1, len(head)), cell=str)) + "\n"


@dataclass(frozen=True, slots=True)
class KeepRate:
    """How many variants of a perturbation, or of a family, were kept and rejected."""

    name: str
    side: str
    family: str
    rows: int
    kept: int
    rejected: Mapping[str, int] = field(default_factory=dict)  # by reason, most frequent first

    @property
    def tried(self) -> int:
        """The rows that could have been kept: not those that lacked a model, a program or the language."""
        return self.rows - sum(n for reason, n in self.rejected.items() if reason.startswith(UNTRIED))

    @property
    def percent(self) -> float | None:
        """The share of tried rows that were kept; None where none was tried."""
        return 100 * self.kept / self.tried if self.tried else None


@dataclass
class Tally:
    """Variants counted as they come; all of one question come together."""

    counted: dict[tuple[str, str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    types: dict[tuple[str, str], Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, rows: Iterable[VariantKey]) -> None:
        """Count these rows, but not unperturbed questions."""
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


def tally_variants(variants: pa.Table) -> Tally:
    """The variants of a table, counted."""
    found = Tally()
    found.add(zip(*(variants[name].to_pylist() for name in VARIANT_COLUMNS), strict=True))
    return found


def _rate(name: str, side: str, family: str, reasons: Counter[str]) -> KeepRate:
    rejected = {reason: n for reason, n in reasons.most_common() if reason}
    return KeepRate(name, side, family, reasons.total(), reasons[""], rejected)


def format_percent(percent: float | None) -> str:
    """A rate for a table."""
    return "–" if percent is None else f"{percent:.1f} %"


def render_keep_rates(found: Tally) -> str:
    """Two Markdown tables: the rate of each perturbation, and those of families that SURE has beside its own."""
    return "\n".join([*_rate_rows(found.each()), *_family_rows(found.by_family())]) + "\n"


def _rate_rows(rates: Sequence[KeepRate]) -> Iterator[str]:
    rows = []
    for rate in rates:
        why = ", ".join(f"{n:,} {reason}" for reason, n in rate.rejected.items())
        rows.append((f"`{rate.name}`", rate.side, rate.family, *_rate_cells(rate), why))
    head = ("perturbation", "side", "family", "tried", "kept", "rate", "rejected because")
    yield from markdown_table(head, rows, range(3, 6), cell=str)


def _family_rows(families: Sequence[KeepRate]) -> Iterator[str]:
    beside = [rate for rate in families if rate.family in SURE]
    if not beside:
        return
    head = ("kept where all subtypes of a type are, as SURE counts", "tried", "kept", "rate", "SURE, Table 1")
    yield ""
    yield from markdown_table(
        head, [(rate.family, *_rate_cells(rate), f"{SURE[rate.family]} %") for rate in beside], range(1, 5)
    )


def _rate_cells(rate: KeepRate) -> tuple[str, str, str]:
    return f"{rate.tried:,}", f"{rate.kept:,}", format_percent(rate.percent)
