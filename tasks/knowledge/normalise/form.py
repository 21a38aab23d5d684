"""Names that are one by their form, by what a document says, or by the config (RARE §3.2; papers.md R9, R10)."""

from collections import defaultdict
from collections.abc import Iterator

from rarefy.data_contracts.rows import Merge
from rarefy.tasks.knowledge.normalise.config import NormaliseConfig
from rarefy.tasks.knowledge.normalise.entities import Same, called_for_short, same_company, same_form, united
from rarefy.tasks.knowledge.normalise.folding import label
from rarefy.tasks.knowledge.normalise.names import Names, merge
from rarefy.tasks.text.names import plain


def same_relations(names: Names) -> Iterator[Merge]:
    """Relations equal but for case and punctuation, whatever they join."""
    said = names.relations
    forms: dict[str, list[str]] = defaultdict(list)
    for name in said:
        forms[label(name) or name].append(name)
    for same in forms.values():
        best = min(same, key=lambda name: (-said[name].support, len(name), name))
        for name in same:
            if name != best:
                yield merge(names, "relation", "", name, best, "same but for case and punctuation")


def same_entities(names: Names, config: NormaliseConfig) -> Iterator[Merge]:
    """Things of one type with names of one form, and organisations with what they are called for short."""
    by_type: dict[str, list[str]] = defaultdict(list)
    for kind, name in names.entities:
        by_type[kind].append(name)
    known = owners(config)
    for kind, present in sorted(by_type.items()):
        stated = [Same((n, known[plain(n)]), "said in the config") for n in present if plain(n) in known]
        same = [*stated, *same_form((kind, name) for name in present)]
        if kind == "ORG":
            same += [*same_company(present), *called_for_short(names.told, present)]
        for together, rules in united(same):
            named = sorted({known[plain(name)] for name in together if plain(name) in known})
            best = named[0] if named else min(together, key=lambda name: names.entity_rank(kind, name))
            for name in sorted(together - {best}):
                yield merge(names, "entity", kind, name, best, rules[name])


def owners(config: NormaliseConfig) -> dict[str, str]:
    """Whose each alias of the config is."""
    return {plain(alias): owner for alias, owner in config.aliases.items()}
