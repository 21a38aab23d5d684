"""Which names are one thing: form for things of any type, legal suffixes and stated aliases for organisations (R10)."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

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
class Same:
    """Names of one type that are one thing, and by which rule."""

    names: tuple[str, ...]
    rule: str


def same_form(names: Iterable[Name]) -> Iterator[Same]:
    """Names of one type that differ in case, accents and white space alone."""
    yield from _groups(names, lambda name: plain(name[1]), "same but for case, accents and spaces")


def same_company(organisations: Iterable[str]) -> Iterator[Same]:
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
            yield Same(tuple(sorted(by_form[full[0]] + by_form[()])), "same but for the company's suffix")
        for names in by_form.values():
            if len(names) > 1:
                yield Same(tuple(names), "same but for punctuation and the spelling of the suffix")


def called_for_short(sentences: Mapping[str, Iterable[str]], organisations: Iterable[str]) -> Iterator[Same]:
    """Organisations whose short name stands behind the full one in a sentence about it, where it is no other's too.

    `sentences` are those in which each organisation is named.
    """
    known = {plain(name): name for name in sorted(set(organisations), reverse=True)}
    owners: dict[str, set[str]] = defaultdict(set)
    for name in sorted(sentences):
        for sentence in sentences[name]:
            at = sentence.find(name)
            match = _CALLED.match(sentence, at + len(name)) if at >= 0 else None
            if match:
                short = plain(match.group("quoted") or match.group("short"))
                if short in known and short not in _GENERIC and known[short] != name:
                    owners[known[short]].add(name)
    for short, full in sorted(owners.items()):
        if len({company(name)[0] for name in full}) == 1:
            yield Same((short, *sorted(full)), "called so in a sentence that names both")


def _groups(names: Iterable[Name], key: Callable[[Name], str], rule: str) -> Iterator[Same]:
    groups: dict[tuple[str, str], set[str]] = defaultdict(set)
    for name in names:
        groups[name[0], key(name)].add(name[1])
    for group in groups.values():
        if len(group) > 1:
            yield Same(tuple(sorted(group)), rule)


def united(same: Iterable[Same]) -> list[tuple[set[str], dict[str, str]]]:
    """The sets of names that these make together, each with the rule that brought every name in."""
    member_of: dict[str, tuple[set[str], dict[str, str]]] = {}
    for one in same:
        names: set[str] = set()
        rules: dict[str, str] = dict.fromkeys(one.names, one.rule)
        for name in one.names:
            old_names, old_rules = member_of.get(name, ({name}, {}))
            names |= old_names
            rules |= old_rules  # the earlier and narrower rule stays
        for name in names:
            member_of[name] = (names, rules)
    distinct = {id(pair[0]): pair for pair in member_of.values()}
    return list(distinct.values())
