"""One name for one thing: relations and entities merged by rule, each merge with its evidence (RARE §3.2; R9, R10)."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from pydantic import BaseModel, Field

from rarefy.data_contracts.rows import Document, Merge, Triplet, row_id
from rarefy.tasks.embed import Embedder
from rarefy.tasks.graph.facts import is_literal
from rarefy.tasks.normalise.entities import Same, called_for_short, same_company, same_form, united
from rarefy.tasks.normalise.folding import label, plain
from rarefy.tasks.normalise.relations import clusters

VERSION = 2

SENTENCES_KEPT = 40  # of an organisation, to find its short name in; the first by triplet_id


class NormaliseConfig(BaseModel, frozen=True, extra="forbid"):
    """What counts as one relation, and as one thing."""

    threshold: float = Field(default=0.9, gt=0, le=1, description="relations nearer than this by cosine are one")
    embedded: tuple[str, ...] = Field(
        default=("prose", "model"),
        description="whose relations are compared by embedding; a table's are names of measures and merge by form only",
    )
    aliases: dict[str, str] = Field(
        default_factory=dict, description='names that you know to be others\': { "Google" = "Alphabet Inc." }'
    )


@dataclass(slots=True)
class _Said:
    """How often a name is said, and the sentence of the smallest triplet_id that says it."""

    support: int = 0
    sentence: str = ""
    by_form_only: bool = False  # a relation that a table or cover has


@dataclass(slots=True)
class _Names:
    """Every name of a corpus, counted; the same whatever the order of its triplets."""

    relations: dict[str, _Said] = field(default_factory=lambda: defaultdict(_Said))
    pairs: dict[tuple[str, str], set[str]] = field(default_factory=lambda: defaultdict(set))  # types → relations
    entities: dict[tuple[str, str], _Said] = field(default_factory=lambda: defaultdict(_Said))  # (type, name)
    registrants: set[str] = field(default_factory=set)
    told: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))  # organisation → sentences


def normalise(
    triplets: Iterable[Triplet],
    config: NormaliseConfig,
    *,
    embed: Embedder,
    documents: Mapping[str, Document] | None = None,
) -> Iterator[Triplet | Merge]:
    """Every triplet, its keys filled unless it is rejected, then every merge of two names with its evidence.

    What a document says that repeats another one is rejected: asked of both, a question would have a second gold chunk
    that nobody marked. Nothing depends on the order of the triplets. Entities merge within a type; literals never do:
    their key is that of the one fact (subject, relation, period, value, unit) they stand in.
    """
    copies = {name for name, document in (documents or {}).items() if document.duplicate_of}
    rows = [
        replace(row, rejected_because="duplicate_document")
        if row.doc_id in copies and not row.rejected_because
        else row
        for row in triplets
    ]
    names = _gathered(rows, config)
    relations, entities, merges = {}, {}, []
    for one in _relations(names, config, embed):
        merges.append(one)
        relations[one.entity_type, one.name] = one.canonical
    for one in _entities(names, config):
        merges.append(one)
        entities[one.entity_type, one.name] = one.canonical

    def key(kind: str, name: str) -> str:
        return f"{kind or 'THING'}:{entities.get((kind, name), name)}"

    for row in rows:
        if row.rejected_because:
            yield row
            continue
        subject = key(row.subject_type, row.subject)
        relation = relations.get(("", row.relation), row.relation)
        relation = relations.get((_pair(row.subject_type, row.object_type), relation), relation)
        thing = _literal(row, subject, relation) if is_literal(row) else key(row.object_type, row.object)
        yield replace(row, subject_key=subject, relation_key=relation, object_key=thing)
    yield from sorted(merges, key=lambda one: one.merge_id)


def _literal(row: Triplet, subject: str, relation: str) -> str:
    period = f"{row.period_start}/{row.period_end}" if row.period_end else plain(row.period)
    value = f"{row.value} {row.unit}" if row.value else plain(row.object)
    return f"{row.object_type}:{row_id(subject, relation, period, value)}"


def _pair(subject_type: str, object_type: str) -> str:
    return f"{subject_type or 'THING'} > {object_type or 'THING'}"


def _gathered(rows: Iterable[Triplet], config: NormaliseConfig) -> _Names:
    names = _Names()
    distinct = {row.triplet_id: row for row in rows if not row.rejected_because}
    for _, row in sorted(distinct.items()):
        ends = [(row.subject_type, row.subject)] + [(row.object_type, row.object)] * (not is_literal(row))
        for said in (names.relations[row.relation], *(names.entities[end] for end in ends)):
            said.support += 1
            said.sentence = said.sentence or row.source_sentence
        names.relations[row.relation].by_form_only |= row.method not in config.embedded
        names.pairs[row.subject_type, row.object_type].add(row.relation)
        names.registrants.add(row.entity)
        for kind, name in ends:
            if kind == "ORG" and not row.header and len(names.told[name]) < SENTENCES_KEPT:
                names.told[name].append(row.source_sentence)
    return names


def _relations(names: _Names, config: NormaliseConfig, embed: Embedder) -> Iterator[Merge]:
    """First those equal but for form, whatever they join; then, of one pair of types, those near and not opposed."""
    said = names.relations
    forms: dict[str, list[str]] = defaultdict(list)
    for name in said:
        forms[label(name) or name].append(name)
    canonical: dict[str, str] = {}
    support: dict[str, int] = {}
    for same in forms.values():
        best = min(same, key=lambda name: (-said[name].support, len(name), name))
        support[best] = sum(said[name].support for name in same)
        canonical |= dict.fromkeys(same, best)
        for name in same:
            if name != best:
                yield _merge(
                    "relation", "", name, best, 1.0, "same but for case and punctuation", said[name], said[best]
                )
    measures = {canonical[name] for name, one in said.items() if one.by_form_only}
    for (subject_type, object_type), present in sorted(names.pairs.items()):
        candidates = {canonical[name] for name in present} - measures
        found, similarity = clusters(sorted(candidates), embed, config.threshold)
        for cluster in found:
            best = min(cluster, key=lambda name: (-support[name], len(name), name))
            for name in cluster:
                if name != best:
                    near = similarity[min(name, best), max(name, best)]
                    rule = f"cosine {near:.3f} > {config.threshold}, no opposite words"
                    kind = _pair(subject_type, object_type)
                    yield _merge("relation", kind, name, best, near, rule, said[name], said[best])


def _entities(names: _Names, config: NormaliseConfig) -> Iterator[Merge]:
    by_type: dict[str, list[str]] = defaultdict(list)
    for kind, name in names.entities:
        by_type[kind].append(name)
    known = {plain(alias): owner for alias, owner in config.aliases.items()}
    for kind, present in sorted(by_type.items()):
        stated = [Same((n, known[plain(n)]), "said in the config") for n in present if plain(n) in known]
        same = [*stated, *same_form((kind, name) for name in present)]
        if kind == "ORG":
            same += [*same_company(present), *called_for_short(names.told, present)]
        for together, rules in united(same):
            owners = sorted({known[plain(name)] for name in together if plain(name) in known})
            best = owners[0] if owners else min(together, key=lambda name: _entity_rank(names, kind, name))
            for name in sorted(together - {best}):
                said = (names.entities.get((kind, one), _Said()) for one in (name, best))
                yield _merge("entity", kind, name, best, 1.0, rules[name], *said)


def _entity_rank(names: _Names, kind: str, name: str) -> tuple[bool, int, int, str]:
    """A registrant goes by its registered name: more mentions of another, in a new document, must not rename it."""
    return name not in names.registrants, -names.entities[kind, name].support, len(name), name


def _merge(kind: str, of: str, name: str, best: str, similarity: float, rule: str, said: _Said, by: _Said) -> Merge:
    evidence = f"{rule}: “{said.sentence[:300]}” / “{by.sentence[:300]}”"
    return Merge(row_id(kind, of, name, best), kind, name, best, of, similarity, evidence)
