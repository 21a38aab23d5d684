"""Names that are one by meaning: near by embedding and, where it is asked, the same to a model (papers.md R9)."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from rarefy.data_contracts.rows import Merge, Similarity, Unanswered
from rarefy.tasks.knowledge.normalise.check import Borderline, check
from rarefy.tasks.knowledge.normalise.config import NormaliseConfig
from rarefy.tasks.knowledge.normalise.form import owners
from rarefy.tasks.knowledge.normalise.names import Names, merge, types
from rarefy.tasks.knowledge.normalise.relations import Pair, linked, near
from rarefy.tasks.models.embed import Embedder
from rarefy.tasks.models.llm import LLM

Canonical = Mapping[tuple[str, str, str], str]  # (relation | entity, types, name) -> its name by form


@dataclass(frozen=True, slots=True)
class Near:
    """Pairs of names of one kind and type that may be one, with their similarity."""

    kind: str  # relation | entity
    of: str
    threshold: float
    pairs: Mapping[Pair, float]


def same_by_meaning(
    names: Names, by_form: Canonical, config: NormaliseConfig, embed: Embedder, llm: LLM | None
) -> tuple[list[Merge], list[Similarity], list[Unanswered]]:
    """The merges of names by meaning, how alike each two are, and a row for each pair that the model did not answer.

    Such a pair stays two. A merge tells nothing of what a vector comes to but on which side of a threshold it is.
    """
    groups = [*_near_relations(names, by_form, config, embed), *_near_entities(names, by_form, config, embed)]
    asked = {
        Borderline(group.kind, group.of, pair)
        for group in groups
        for pair, similarity in group.pairs.items()
        if config.check and similarity <= group.threshold + config.band
    }
    same: dict[Borderline, str] = {}
    failed: list[Unanswered] = []
    if asked and llm:
        shown = {(a.kind, a.of, name): names.said(a.kind, a.of, name).sentence for a in asked for name in a.pair}
        same, failed = check(asked, shown, llm)
    rank = _rank(names, by_form, config)
    merges: list[Merge] = []
    likenesses: list[Similarity] = []
    for group in groups:
        standing = {
            pair: similarity
            for pair, similarity in group.pairs.items()
            if (one := Borderline(group.kind, group.of, pair)) not in asked or one in same
        }
        for cluster in linked(standing):
            best = min(cluster, key=lambda name, group=group: rank(group, name))  # type: ignore[misc]
            for name in cluster:
                if name != best:
                    pair = min(name, best), max(name, best)
                    said = same.get(Borderline(group.kind, group.of, pair))
                    rule = _rule(group.threshold, config.band, said)
                    merges.append(merge(names, group.kind, group.of, name, best, rule))
                    likenesses.append(Similarity(merges[-1].merge_id, "merge", "embedding", standing[pair]))
    return merges, likenesses, failed


def _rule(threshold: float, band: float, said: str | None) -> str:
    if said is None:
        return f"cosine > {threshold}, no opposite words"
    return f"cosine within {band} of {threshold}, and a model says the same (“{said[:300]}”)"


def _rank(names: Names, by_form: Canonical, config: NormaliseConfig) -> Callable[[Near, str], tuple[object, ...]]:
    """Which of several names stays: that of the config, that of a registrant, the most said, the shortest."""
    support: dict[str, int] = defaultdict(int)
    for name, said in names.relations.items():
        support[by_form.get(("relation", "", name), name)] += said.support
    known = set(owners(config).values())

    def rank(group: Near, name: str) -> tuple[object, ...]:
        if group.kind == "relation":
            return -support[name], len(name), name
        return name not in known, *names.entity_rank(group.of, name)

    return rank


def _near_relations(names: Names, by_form: Canonical, config: NormaliseConfig, embed: Embedder) -> Iterator[Near]:
    """Of each pair of types, the relations that are near and not opposed; measures are left out."""

    def canonical(those: Iterable[str]) -> set[str]:
        return {by_form.get(("relation", "", name), name) for name in those}

    measures = canonical(name for name, one in names.relations.items() if one.by_form_only)
    for (subject_type, object_type), present in sorted(names.pairs.items()):
        pairs = near(sorted(canonical(present) - measures), embed, _floor(config.threshold, config))
        yield Near("relation", types(subject_type, object_type), config.threshold, pairs)


def _near_entities(names: Names, by_form: Canonical, config: NormaliseConfig, embed: Embedder) -> Iterator[Near]:
    """Of each type, the things that are near and do not differ in a number or an opposite."""
    if config.entity_threshold == 1:
        return
    by_type: dict[str, set[str]] = defaultdict(set)
    for kind, name in names.entities:
        by_type[kind].add(by_form.get(("entity", kind, name), name))
    for kind, present in sorted(by_type.items()):
        pairs = near(sorted(present), embed, _floor(config.entity_threshold, config))
        yield Near("entity", kind, config.entity_threshold, pairs)


def _floor(threshold: float, config: NormaliseConfig) -> float:
    """How near is near enough to be looked at."""
    return threshold - config.band if config.check else threshold
