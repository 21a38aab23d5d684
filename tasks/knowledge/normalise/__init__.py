"""Triplets in, triplets with keys out: relations and entities merged into one name (RARE §3.2; R9, R10).

Things merge by the form of their names and by what documents say they are called, relations by meaning too; every
merge is a row with its evidence.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from rarefy.data_contracts.rows import Document, Merge, Similarity, Triplet, row_id
from rarefy.tasks.knowledge.graph.facts import is_literal
from rarefy.tasks.knowledge.normalise.config import NormaliseConfig
from rarefy.tasks.knowledge.normalise.form import merge_entities, merge_into_organisations, merge_relations
from rarefy.tasks.knowledge.normalise.meaning import merge_by_meaning
from rarefy.tasks.knowledge.normalise.names import UNTYPED, collect_names, joined_types
from rarefy.tasks.models.embed import Embedder
from rarefy.tasks.text.names import plain

__all__ = ["VERSION", "NormaliseConfig", "normalise"]

VERSION = 11  # an organisation with its initials in brackets; roles in the plural


def normalise(
    triplets: Iterable[Triplet],
    config: NormaliseConfig,
    *,
    embed: Embedder,
    documents: Mapping[str, Document] | None = None,
) -> Iterator[Triplet | Merge | Similarity]:
    """Every triplet, its keys filled unless it is rejected, then every merge of two names and their cosines.

    What a document says that repeats another one is rejected: asked of both, a question would have a second gold chunk
    that nobody marked. Nothing depends on the order of the triplets. Entities merge within a type, what has none into
    an organisation as well; literals never do: their key is that of the one fact (subject, relation, period, value,
    unit) they stand in.
    """
    copies = {name for name, document in (documents or {}).items() if document.duplicate_of}
    rows = [
        replace(row, rejected_because="duplicate_document")
        if row.doc_id in copies and not row.rejected_because
        else row
        for row in triplets
    ]
    names = collect_names(rows, config.embedded)
    texts = {name: document.text for name, document in (documents or {}).items()}
    form = [*merge_relations(names), *merge_entities(names, config, texts)]
    by_form = {(merge.kind, merge.entity_type, merge.name): merge.canonical for merge in form}
    organisations = list(merge_into_organisations(names, by_form))
    known_as = {merge.name: merge.canonical for merge in organisations}
    meaning, likenesses = merge_by_meaning(names, by_form, config, embed)
    by_meaning = {(merge.entity_type, merge.name): merge.canonical for merge in meaning}

    def key(kind: str, name: str) -> str:
        if kind == UNTYPED and name in known_as:
            return f"ORG:{known_as[name]}"
        return f"{kind or 'THING'}:{by_form.get(('entity', kind, name), name)}"

    for row in rows:
        if row.rejected_because:
            yield row
            continue
        subject = key(row.subject_type, row.subject)
        relation = by_form.get(("relation", "", row.relation), row.relation)
        relation = by_meaning.get((joined_types(row.subject_type, row.object_type), relation), relation)
        thing = _literal_key(row, subject, relation) if is_literal(row) else key(row.object_type, row.object)
        yield replace(row, subject_key=subject, relation_key=relation, object_key=thing)
    yield from sorted((*form, *organisations, *meaning), key=lambda merge: merge.merge_id)
    yield from sorted(likenesses, key=lambda similarity: similarity.of)


def _literal_key(row: Triplet, subject: str, relation: str) -> str:
    period = f"{row.period_start}/{row.period_end}" if row.period_end else plain(row.period)
    value = f"{row.value} {row.unit}" if row.value else plain(row.object)
    return f"{row.object_type}:{row_id(subject, relation, period, value)}"
