"""The statistics table of a benchmark, as RARE's Appendix E has it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rarefy.data_contracts.rows import Chunk, Document, Question
from rarefy.tasks.export.tables import Tables
from rarefy.tasks.text.markdown import markdown_table, markdown_text

LABELS = {
    "single": "Single-hop",
    "chain": "Chained (multi-hop)",
    "star": "Star-shaped (multi-hop)",
    "inverted_star": "Inverted-star-shaped (multi-hop)",
}


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


def count(tables: Tables, census: Mapping[str, Mapping[str, int]]) -> list[Statistics]:
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


def total(rows: Sequence[Statistics]) -> Statistics:
    """The domains taken together."""
    years = [year for row in rows for year in row.years]
    sums = [sum((Counter(getattr(row, name)) for row in rows), Counter()) for name in ("eligible", "train", "test")]
    scope = (min(years), max(years)) if years else ()
    return Statistics("All", sum(r.documents for r in rows), sum(r.chunks for r in rows), scope, *sums)


def table(rows: Sequence[Statistics]) -> str:
    """The statistics as a Markdown table, a column for each domain and one for all where there are several."""
    columns = [*rows, total(rows)] if len(rows) > 1 else list(rows)
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
