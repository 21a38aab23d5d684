"""All that a page carries for looking closer: numbers → rows → trials, answers, verdicts → passages, sentences."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa

from rarefy.tasks.evaluate.results.drill.blocks import Block, blocks
from rarefy.tasks.evaluate.results.drill.chosen import Behind, behind
from rarefy.tasks.evaluate.results.drill.partners import partners
from rarefy.tasks.evaluate.results.drill.questions import told as told_of_questions
from rarefy.tasks.evaluate.results.drill.rows import Rows
from rarefy.tasks.evaluate.results.drill.texts import Lookup, Passages, Texts
from rarefy.tasks.evaluate.results.drill.verdicts import OUTCOMES


def drilldown_payload(
    summary: Mapping[str, Any],
    tables: Mapping[str, pa.Table],
    numbers: Iterable[tuple[int, dict[str, Any], bool]],
) -> dict[str, Any]:
    """The data of the page's script; its shape is written down in docs/results.md.

    `numbers` are (name, row of the summary's figures, is it a headline). KeyError where a table is not there.
    """
    tables = {**tables, "questions": tables["questions"].sort_by("question_id")}  # whatever order they come in
    found = list(blocks(summary, tables))
    sets = behind(found, numbers)
    wanted = _union(sets)
    beside = dict(_beside(found, wanted))
    extra = [(block, row) for (block, _), rows in beside.items() for _, row in rows]
    every = list(dict.fromkeys([*wanted, *extra]))
    place = {one: at for at, one in enumerate(every)}
    texts = Texts()
    passages = Passages(texts, Lookup(tables["chunks"], "chunk_id"), Lookup(tables["variants"], "variant_id"))
    rows = Rows(tables, texts, passages, found, every)
    told = rows.told()
    for one, row in zip(every, told, strict=True):
        row.append([[label, place[one[0], other]] for label, other in beside.get(one, ())])
    return {
        "outcomes": list(OUTCOMES),
        "systems": rows.systems,
        "protocols": {name: about.get("title", "") for name, about in summary["protocols"].items()},
        "questions": told_of_questions(tables, texts, rows.questions),
        "trials": rows.trials,
        "wordings": rows.wordings,
        "rows": told,
        "passages": passages.told,
        "texts": texts.told,
        "sets": {name: _set(one, place) for name, one in sets.items()},
    }


def _union(sets: Mapping[int, Behind]) -> list[tuple[int, int]]:
    """Block and row of everything that is shown, what the first numbers show first."""
    return list(dict.fromkeys((one.block, row) for one in sets.values() for row in one.rows))


def _beside(
    found: Sequence[Block], wanted: Iterable[tuple[int, int]]
) -> Iterator[tuple[tuple[int, int], list[tuple[str, int]]]]:
    by_block: dict[int, list[int]] = {}
    for block, row in wanted:
        by_block.setdefault(block, []).append(row)
    for block, rows in by_block.items():
        for row, others in partners(found[block], rows).items():
            yield (block, row), others


def _set(one: Behind, place: Mapping[tuple[int, int], int]) -> list[Any]:
    return [list(one.counts), [place[one.block, row] for row in one.rows], "; ".join(one.unused)]
