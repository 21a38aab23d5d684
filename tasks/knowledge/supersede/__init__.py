"""Triplets in, triplets out, each with the dates between which it holds; superseded ones are rejected (issue: refresh).

A later document of the same issuer supersedes a figure of the same period, or a fact that has one value at a time.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Document, Triplet
from rarefy.tasks.knowledge.graph.facts import is_literal
from rarefy.tasks.knowledge.normalise.names import fold_label
from rarefy.tasks.knowledge.supersede import compare
from rarefy.tasks.knowledge.supersede.latest import Compare, find_superseded, issuers_by_document, valid_since
from rarefy.tasks.text.names import plain

__all__ = ["SUPERSEDED", "VERSION", "SupersedeConfig", "supersede"]

VERSION = 3

SUPERSEDED, COPY = "superseded", "duplicate_document"  # reasons


class SupersedeConfig(BaseModel, frozen=True, extra="forbid"):
    """Which facts a later document of the same entity can supersede; figures of a period can always be restated."""

    restated: tuple[str, ...] = Field(
        default=("table", "cover", "prose", "model"),
        description="whose figures with a period a later document restates; what deadlines and readings say is asked "
        "of their own document by name",
    )
    one_object: tuple[str, ...] = Field(
        default=(
            "is incorporated in",
            "is headquartered in",
            "is based in",
            "has principal executive offices at",
            "is listed on",
            "trades under symbol",
            "is audited by",
        ),
        description="relations that join a thing to one other at a time, whatever the period; * stands for any words",
    )
    one_subject: tuple[str, ...] = Field(
        default=("chief * officer of", "general counsel of", "chairman of the board of", "treasurer of"),
        description='likewise those that one thing at a time has to another: who is an officer; a leading "is" is '
        "left out",
    )


Key = tuple[str, ...]


def supersede(
    triplets: Iterable[Triplet], config: SupersedeConfig, *, documents: Mapping[str, Document]
) -> Iterator[Triplet]:
    """Every triplet with the date from which it is stated; superseded ones are rejected, with when and by which.

    Superseded is a figure that a later document of the same issuer states otherwise for the same subject, relation,
    unit and period, and a fact of a relation that holds of one thing at a time once a later document names another.
    Rounding is no restatement, and a later period is a new fact. Where one document says two things, where the latest
    documents disagree, or where nothing tells which is later, all stand, and questions on them are ambiguous. Nothing
    depends on the order of the triplets.
    """
    rows = [
        replace(row, valid_from=valid_since(documents[row.doc_id]), valid_to="", superseded_by="") for row in triplets
    ]
    issuer = issuers_by_document(documents.values())
    names = _keys_by_name(rows)
    groups: dict[Key, list[Triplet]] = defaultdict(list)
    for row in rows:
        if row.rejected_because in ("", COPY) and issuer[row.doc_id]:
            keyed = row if row.subject_key else _with_keys(row, names)
            if key := _value_key(keyed, config):
                groups[(issuer[row.doc_id], *key)].append(keyed)
    by: dict[str, Triplet] = {}
    for key in sorted(groups):
        if len({row.doc_id for row in groups[key]}) > 1:
            by |= find_superseded(groups[key], COMPARE[key[1]], documents)
    for row in rows:
        yield _close(row, by[row.triplet_id]) if row.triplet_id in by else row


def _close(row: Triplet, by: Triplet) -> Triplet:
    end = max(by.valid_from, row.valid_from)
    return replace(row, valid_to=end, superseded_by=by.triplet_id, rejected_because=SUPERSEDED)


def _keys_by_name(rows: Iterable[Triplet]) -> dict[tuple[str, str], str]:
    """The keys of names, by type and name."""
    names: dict[tuple[str, str], str] = {}
    for row in rows:
        if row.subject_key:
            names[row.subject_type, row.subject] = row.subject_key
            names[row.object_type, row.object] = row.object_key
    return names


def _with_keys(row: Triplet, names: Mapping[tuple[str, str], str]) -> Triplet:
    """A copied document's triplet, which has no keys, with those of its names: it may be what was restated."""
    subject = names.get((row.subject_type, row.subject), "")
    return replace(row, subject_key=subject, object_key=names.get((row.object_type, row.object), ""))


COMPARE: dict[str, Compare] = {
    "figure": compare.compare_figures,
    "object": compare.compare_objects,
    "subject": compare.compare_subjects,
}


def _value_key(row: Triplet, config: SupersedeConfig) -> Key:
    """What this fact gives one value of at a time: a measure, a relation's object or an office; () for none."""
    relation = _without_verb(row.relation)
    if _matches_any(relation, config.one_object):
        return ("object", row.subject_key, fold_label(relation)) if row.subject_key else ()
    if _matches_any(relation, config.one_subject):
        return ("subject", row.object_key, fold_label(relation)) if row.object_key and not is_literal(row) else ()
    if row.subject_key and row.value and is_literal(row) and row.method in config.restated:
        period = row.period_end or plain(row.period)
        return (
            ("figure", row.subject_key, fold_label(row.relation), row.unit, row.period_start, period) if period else ()
        )
    return ()


@cache
def _without_verb(relation: str) -> str:
    """A folded relation; "is chief executive officer of" without its verb."""
    words = plain(relation)
    office = re.fullmatch(r"(?:is|serves as) (?:the )?(.+ of)", words)
    return office[1] if office else words


@cache
def _matches_any(relation: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(relation, plain(pattern)) for pattern in patterns)
