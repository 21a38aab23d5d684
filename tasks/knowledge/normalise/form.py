"""Names that are one by their form, by what a document says, or by the config (RARE §3.2; papers.md R9, R10)."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

from rarefy.data_contracts.rows import Merge
from rarefy.tasks.knowledge.normalise.config import NormaliseConfig
from rarefy.tasks.knowledge.normalise.names import LONGEST_ROLE, UNTYPED, Names, fold_label, make_merge
from rarefy.tasks.text import wordnet
from rarefy.tasks.text.names import company, plain

# "Meta Platforms, Inc. ("Meta")": what follows a name says what it is called for short.
_CALLED = re.compile(
    r",?\s*\((?:[^()\"“”]{0,60}?,?\s)?(?:the\s)?[\"“](?P<quoted>[A-Z][\w&.' -]{0,40}?)[,.]?[\"”](?:[^()]{0,60})\)|"
    r"\s*\((?P<short>[A-Z][A-Z&]{1,6})\)"
)
# Short names that every filing gives itself.
_GENERIC = frozenset(
    "company corporation registrant issuer we us our parent partnership trust bank fund group issuers guarantor "
    "borrower subsidiary subsidiaries board commission committee agency department firm".split()
)

Name = tuple[str, str]  # type, name


@dataclass(frozen=True, slots=True)
class SameNames:
    """Names of one type for one thing, and the rule that says so."""

    names: tuple[str, ...]
    rule: str


def group_same_form(names: Iterable[Name]) -> Iterator[SameNames]:
    """Names of one type that differ in case, accents and white space alone."""
    groups: dict[Name, set[str]] = defaultdict(set)
    for kind, name in names:
        groups[kind, plain(name)].add(name)
    for group in groups.values():
        if len(group) > 1:
            yield SameNames(tuple(sorted(group)), "same but for case, accents and spaces")


_IN_BRACKETS = re.compile(r"(?P<name>[^()]+?) \((?P<short>[A-Z][A-Za-z&.]*[A-Z])\)")


def group_own_initials(names: Iterable[Name]) -> Iterator[SameNames]:
    """Names of one type that differ in what is in brackets alone: "Space Launch System (SLS)".

    What is in brackets must be letters of the name, so that "Acme (UK)" stays apart from "Acme".
    """
    known = set(names)
    for kind, name in sorted(known):
        bare = without_initials(name)
        if bare != name and (kind, bare) in known:
            yield SameNames((name, bare), "same but for its initials in brackets")


def without_initials(name: str) -> str:
    """A name without its initials in brackets."""
    found = _IN_BRACKETS.fullmatch(name)
    if not found:
        return name
    initials = "".join(word[0] for word in re.findall(r"[^\W_]+", found["name"]) if word[0].isupper())
    return found["name"] if re.sub(r"\W", "", found["short"]).casefold() == initials.casefold() else name


def group_same_company(organisations: Iterable[str]) -> Iterator[SameNames]:
    """Organisations that differ in article, punctuation or the spelling of their legal form, or in having none.

    A bare name belongs to one with a legal form only where a single form is known: "Acme" is no one's where there are
    an Acme LLC and an Acme Corp.
    """
    by_core: dict[str, dict[tuple[str, ...], list[str]]] = defaultdict(lambda: defaultdict(list))
    for name in sorted(set(organisations)):
        core, forms = company(name)
        if core:
            by_core[core][forms].append(name)
    for by_form in by_core.values():
        full = [forms for forms in by_form if forms]
        if len(full) == 1 and len(by_form) == 2:
            yield SameNames(tuple(sorted(by_form[full[0]] + by_form[()])), "same but for the company's suffix")
        for names in by_form.values():
            if len(names) > 1:
                yield SameNames(tuple(names), "same but for punctuation and the spelling of the suffix")


def group_short_names(sentences: Mapping[str, Iterable[str]], present: Iterable[str]) -> Iterator[SameNames]:
    """Names and their short names, where a sentence gives both and the short name is no other's too.

    `sentences` are those in which each is named.
    """
    present = set(present)
    for short, full in sorted(find_short_names(sentences, present, present).items()):
        yield SameNames((short, *sorted(full)), CALLED_SO)


CALLED_SO = "called so in a sentence that names both"


def find_short_names(
    sentences: Mapping[str, Iterable[str]], full: Iterable[str], short: Iterable[str]
) -> dict[str, set[str]]:
    """The spellings of the one full name of each short one, where a sentence gives both."""
    known = {plain(name): name for name in sorted(set(short), reverse=True)}
    owners: dict[str, set[str]] = defaultdict(set)
    for name in sorted(set(full).intersection(sentences)):
        for sentence in sentences[name]:
            at = sentence.find(name)
            match = _CALLED.match(sentence, at + len(name)) if at >= 0 else None
            if match:
                called = plain(match.group("quoted") or match.group("short"))
                if called in known and called not in _GENERIC and known[called] != name:
                    owners[known[called]].add(name)
    return {short: names for short, names in owners.items() if len({company(name)[0] for name in names}) == 1}


_TEAM = re.compile(r"(?P<name>[A-Z][\w&.-]*(?: [\w&.-]+){0,2}) (?:[Tt]eam|[Dd]epartment|[Gg]roup)")


def group_teams(names: Names) -> Iterator[SameNames]:
    """A team with and without that word, where one document says both and no other kind of body has the name."""
    bodies: dict[str, set[str]] = defaultdict(set)
    for kind, name in names.entities:
        if kind == UNTYPED and (team := _TEAM.fullmatch(name)):
            bodies[team["name"]].add(name)
    for short, full in sorted(bodies.items()):
        if len(full) == 1 and (UNTYPED, short) in names.entities:
            (name,) = full
            if names.entities[UNTYPED, short].documents & names.entities[UNTYPED, name].documents:
                yield SameNames((short, name), "same but for the word team, department or group")


def group_plurals(names: Iterable[str]) -> Iterator[SameNames]:
    """Roles and kinds in the singular and the plural: "Senior Delegate" and "Senior Delegates".

    Of two words or more, the last one of the language, so that "General Motors" stays apart from a motor.
    """
    known = {plain(name): name for name in sorted(names)}
    for name in sorted(known):
        first, _, last = name.rpartition(" ")
        if first and name + "s" in known and wordnet.known(last):
            yield SameNames((known[name], known[f"{name}s"]), "same but for the plural")


_ARTICLE = re.compile(r"^the ", re.IGNORECASE)
_JOINING = frozenset("of the and for".split())
_OFTEN = 2  # times that a document has the name of whom its things belong to


def group_roles(names: Iterable[str], naming: Mapping[str, Iterable[str]]) -> Iterator[SameNames]:
    """Names with and without whose they are: "Executive Council" and "Jupyter Executive Council", "Board of Directors".

    `naming` are the texts of the documents in which each is named. Whose it is must be a name, no word of the language,
    that all these documents have often, or the long form must stand in them; and no other name may have the short one.
    """
    known = {_ARTICLE.sub("", name): name for name in sorted(names) if len(name.split()) <= LONGEST_ROLE}
    longer: dict[str, set[str]] = defaultdict(set)
    for name in known:
        words = name.split()
        if not all(word[0].isupper() or word in _JOINING for word in words):
            continue  # "initial Executive Council"
        for first, last in combinations(range(len(words) + 1), 2):
            role = " ".join(words[first:last])
            if role != name and role in known and all(word[0].isupper() for word in words[first:last]):
                longer[role].add(name)
    for role, others in sorted(longer.items()):
        if len(others) != 1:
            continue
        (full,), short = others, known[role]
        owner = full.removesuffix(f" {role}") if full.endswith(f" {role}") else ""
        coined = [word for word in owner.split() if word[0].isupper() and not wordnet.known(word.lower())]
        texts = list(naming.get(short, ()))
        is_owned = bool(coined) and len(role.split()) > 1
        if texts and (
            (is_owned and all(text.count(word) >= _OFTEN for text in texts for word in coined))
            or (full.startswith(f"{role} of ") and all(full in text for text in texts))
        ):
            yield SameNames((short, known[full]), "same but for whose it is")


def find_organisations(names: Names, untyped: Iterable[str], organisations: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Names without a type with the one organisation that each is: without its legal form, or for short.

    "Dell" alone does not say what it is; "Dell Inc." does.
    """
    organisations = set(organisations)
    present = sorted(organisations)
    by_core: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    named: dict[str, list[str]] = defaultdict(list)
    for name in present:
        core, forms = company(name)
        if forms:
            by_core[core].add(forms)
            named[core].append(name)
    short = find_short_names(names.sentences, present, untyped)
    for name in sorted(set(untyped)):
        core, bare = company(name)[0], without_initials(name)
        if name in short:
            yield name, min(short[name])
        elif bare != name and bare in organisations:
            yield name, bare
        elif name[:1].isupper() and len(by_core.get(core, ())) == 1:
            yield name, named[core][0]


def unite_groups(groups: Iterable[SameNames]) -> list[tuple[set[str], dict[str, str]]]:
    """The connected sets of names, each with the rule that brought every name in."""
    member_of: dict[str, tuple[set[str], dict[str, str]]] = {}
    for group in groups:
        names: set[str] = set()
        rules: dict[str, str] = dict.fromkeys(group.names, group.rule)
        for name in group.names:
            old_names, old_rules = member_of.get(name, ({name}, {}))
            names |= old_names
            rules |= old_rules  # the earlier and narrower rule stays
        for name in names:
            member_of[name] = (names, rules)
    distinct = {id(pair[0]): pair for pair in member_of.values()}
    return list(distinct.values())


def merge_relations(names: Names) -> Iterator[Merge]:
    """Merges of relations equal but for case and punctuation, whatever they join."""
    forms: dict[str, list[str]] = defaultdict(list)
    for name in names.relations:
        forms[fold_label(name) or name].append(name)
    for same in forms.values():
        best = min(same, key=lambda name: (-names.relations[name].support, len(name), name))
        for name in same:
            if name != best:
                yield make_merge(names, "relation", "", name, best, "same but for case and punctuation")


def merge_entities(names: Names, config: NormaliseConfig, texts: Mapping[str, str]) -> Iterator[Merge]:
    """Merges of things of one type whose names have one form, and of organisations with their short names.

    `texts` are those of the documents, by id.
    """
    by_type: dict[str, list[str]] = defaultdict(list)
    for kind, name in names.entities:
        by_type[kind].append(name)
    known = alias_owners(config)
    for kind, present in sorted(by_type.items()):
        stated = [SameNames((n, known[plain(n)]), "said in the config") for n in present if plain(n) in known]
        same = [*stated, *group_same_form((kind, name) for name in present)]
        same += group_own_initials((kind, name) for name in present)
        same += group_short_names(names.sentences, present)
        if kind == "ORG":
            same += group_same_company(present)
        if kind == UNTYPED:
            same += group_teams(names)
        if config.roles:
            same += group_plurals(present)
            of = {name: names.entities[kind, name].documents for name in present}
            same += group_roles(present, {name: [texts[i] for i in of[name] if i in texts] for name in present})
        for cluster, rules in unite_groups(same):
            named = sorted({known[plain(name)] for name in cluster if plain(name) in known})
            best = named[0] if named else min(cluster, key=lambda name: names.entity_rank(kind, name))
            for name in sorted(cluster - {best}):
                yield make_merge(names, "entity", kind, name, best, rules[name])


def merge_into_organisations(names: Names, by_form: Mapping[tuple[str, str, str], str]) -> Iterator[Merge]:
    """Merges of names without a type into the organisation that they mean; `by_form` are the other merges."""
    of_type: dict[str, list[str]] = defaultdict(list)
    for kind, name in names.entities:
        of_type[kind].append(name)
    for name, full in find_organisations(names, of_type[UNTYPED], of_type["ORG"]):
        if ("entity", UNTYPED, name) not in by_form:
            best = by_form.get(("entity", "ORG", full), full)
            yield make_merge(names, "entity", UNTYPED, name, best, "an organisation without its legal form", "ORG")


def alias_owners(config: NormaliseConfig) -> dict[str, str]:
    """The owner of each alias in the config, by folded alias."""
    return {plain(alias): owner for alias, owner in config.aliases.items()}
