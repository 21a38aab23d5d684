"""Facts in time: from when the corpus says so, and which of them a later document has superseded (issue: refresh)."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cache

from rarefy.data_contracts.rows import Document, Triplet
from rarefy.tasks.knowledge.graph.facts import is_literal
from rarefy.tasks.knowledge.normalise.folding import label
from rarefy.tasks.knowledge.supersede import compare
from rarefy.tasks.knowledge.supersede.config import SupersedeConfig
from rarefy.tasks.knowledge.supersede.latest import Compare, superseded
from rarefy.tasks.knowledge.supersede.order import issuers, since
from rarefy.tasks.text.names import plain

__all__ = ["SUPERSEDED", "VERSION", "SupersedeConfig", "supersede"]

VERSION = 3

SUPERSEDED, COPY = "superseded", "duplicate_document"  # reasons

Key = tuple[str, ...]


def supersede(
    triplets: Iterable[Triplet], config: SupersedeConfig, *, documents: Mapping[str, Document]
) -> Iterator[Triplet]:
    """Every triplet with the date from which it is said; superseded ones rejected, with when and by which.

    Superseded is a figure that a later document of the same issuer states otherwise for the same subject, relation,
    unit and period, and a fact of a relation that holds of one thing at a time once a later document names another.
    Rounding is no restatement, and a later period is a new fact. Where one document says two things, where the latest
    documents disagree, or where nothing tells which is later, all stand, and questions on them are ambiguous. Nothing
    depends on the order of the triplets.
    """
    rows = [replace(row, valid_from=since(documents[row.doc_id]), valid_to="", superseded_by="") for row in triplets]
    issuer = issuers(documents.values())
    names = _names(rows)
    groups: dict[Key, list[Triplet]] = defaultdict(list)
    for row in rows:
        if row.rejected_because in ("", COPY) and issuer[row.doc_id]:
            keyed = row if row.subject_key else _keyed(row, names)
            if key := _key(keyed, config):
                groups[(issuer[row.doc_id], *key)].append(keyed)
    by: dict[str, Triplet] = {}
    for key in sorted(groups):
        if len({row.doc_id for row in groups[key]}) > 1:
            by |= superseded(groups[key], COMPARE[key[1]], documents)
    for row in rows:
        yield _closed(row, by[row.triplet_id]) if row.triplet_id in by else row


def _closed(row: Triplet, by: Triplet) -> Triplet:
    end = max(by.valid_from, row.valid_from)
    return replace(row, valid_to=end, superseded_by=by.triplet_id, rejected_because=SUPERSEDED)


def _names(rows: Iterable[Triplet]) -> dict[tuple[str, str], str]:
    """The keys of names, by type and name."""
    names: dict[tuple[str, str], str] = {}
    for row in rows:
        if row.subject_key:
            names[row.subject_type, row.subject] = row.subject_key
            names[row.object_type, row.object] = row.object_key
    return names


def _keyed(row: Triplet, names: Mapping[tuple[str, str], str]) -> Triplet:
    """What a copy says, which has no keys: it supersedes nothing, yet may be what was restated."""
    subject = names.get((row.subject_type, row.subject), "")
    return replace(row, subject_key=subject, object_key=names.get((row.object_type, row.object), ""))


COMPARE: dict[str, Compare] = {
    "figure": compare.figures,
    "object": compare.objects,
    "subject": compare.subjects,
}


def _key(row: Triplet, config: SupersedeConfig) -> Key:
    """What has one value at a time, by this fact: a measure, a thing's other end, an office; () for none."""
    relation = _bare(row.relation)
    if _among(relation, config.one_object):
        return ("object", row.subject_key, label(relation)) if row.subject_key else ()
    if _among(relation, config.one_subject):
        return ("subject", row.object_key, label(relation)) if row.object_key and not is_literal(row) else ()
    if row.subject_key and row.value and is_literal(row) and row.method in config.restated:
        period = row.period_end or plain(row.period)
        return ("figure", row.subject_key, label(row.relation), row.unit, row.period_start, period) if period else ()
    return ()


@cache
def _bare(relation: str) -> str:
    """An office without the verb: "is chief executive officer of" is "chief executive officer of"."""
    words = plain(relation)
    office = re.fullmatch(r"(?:is|serves as) (?:the )?(.+ of)", words)
    return office[1] if office else words


@cache
def _among(relation: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatchcase(relation, plain(pattern)) for pattern in patterns)
