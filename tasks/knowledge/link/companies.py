"""Links between filings: a company that has a filing of its own, named in another's with a cue to what they are."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from rarefy.data_contracts.rows import Chunk, Document, Triplet
from rarefy.tasks.knowledge.link.linked import Corpus, make_link, new_sentences
from rarefy.tasks.text.names import company, without_form


@dataclass(frozen=True, slots=True)
class Rule:
    """What a sentence of a filing says of another company: @N is the other's name, @US the filer.

    `relation` holds from the filer (or the person "who") to the other, `inverse` from the other to the filer.
    """

    relation: str
    inverse: str
    pattern: str


_SHARE = r"(?P<share>(?:(?:approximately|about|over|more than) )?\d[\d.]*%)"
_SALES = (
    r"of (?:our|the Company['’]s) (?P<sales>(?:(?:total|consolidated|net|annual) )*(?:sales|revenues?))"
    r" (?:in|for) (?P<when>(?:fiscal )?(?:year )?\d{4})"
)
_THEIR = r"@N(?: and its (?:affiliates|subsidiaries))?"
_DEAL = (
    r"(?P<deal>an? (?:[\w-]+ )*?"
    r"(?:collaboration|licen[sc]\w+|supply|joint venture|development|distribution|partnership)"
    r"(?: and [\w-]+)? agreement)"
)
RULES = (
    Rule(
        "has as a major customer",
        "is a major customer of",
        rf"^(?:Sales to {_THEIR} (?:represent(?:ed)?|accounted for|comprised)"
        rf"|{_THEIR} (?:represented|accounted for)) {_SHARE} {_SALES}",
    ),
    Rule(
        "formerly worked at",
        "formerly employed an officer of",
        r"^(?:(?P<lead>From \d{4} to \d{4}|(?:Prior to|Before) joining [A-Z][\w&. -]*?(?: in \d{4})?),? )"
        r"(?P<who>(?:(?:Mr|Ms|Mrs|Dr)\. )?[A-Z][\w'’-]+) "
        r"(?P<did>held [\w ]+?|(?:was|served as) (?:an? |the )?[A-Z][\w, ]+?) (?:at|of|for) @N(?=[.,;])",
    ),
    Rule(
        "has an agreement with",
        "has an agreement with",
        rf"\b@US (?:have|has|entered into) {_DEAL} with @N(?=[.,;]| (?![A-Z]))"
        r"|\b[Uu]nder our agreement with @N for (?P<purpose>the [\w ]{2,40}),",
    ),
)
_APART = re.compile(r"exhibit|performance graph|signatures|table of contents", re.I)
_WORD = re.compile(r"[^\W_]+")
_JOINED = r"(?:,| and| or|, and|, or) "
_JOINED_AFTER = re.compile(rf"{_JOINED}([A-Z])")
_JOINED_BEFORE = re.compile(rf"([A-Z][\w.&’'-]*){_JOINED}$")
_OPENING = re.compile(r"(?:^|[.;] )(?:In|On|From|For|At|Under|By|With) [A-Z][a-z]+$")  # "In April, Acme sued us"
_USED = 5  # times that a filing uses a short name of its own


def possible_names(entity: str) -> list[str]:
    """What others may call a company, longest first: "International Business Machines", "IBM"."""
    core = without_form(entity)
    words = re.sub(r"\.com$", "", core).split()
    initials = "".join(word[0] for word in words if word[0].isupper() or word == "&")
    names = {entity, core, " ".join(words), words[0] if len(words[0]) > 3 else core}
    names |= {initials} if len(words) > 2 else set()
    return sorted(names, key=lambda name: (-len(name), name))


@lru_cache(maxsize=1 << 12)
def _compiled(rule: Rule, names: tuple[str, ...], own: tuple[str, ...]) -> re.Pattern[str]:
    us = "|".join(["[Ww]e", "the Company", "us", *map(re.escape, own)])
    other = "|".join(map(re.escape, names))
    return re.compile(rule.pattern.replace("@US", f"(?:{us})").replace("@N", f"(?:{other})"))


def read_link(relation: str, sentence: str, other: str, own: str) -> dict[str, str]:
    """The parts of the sentence that a link of this relation was read from, by name; {} where it is none."""
    for rule in RULES:
        if relation in (rule.relation, rule.inverse):
            pattern = _compiled(rule, tuple(possible_names(other)), tuple(possible_names(own)))
            if match := pattern.search(sentence):
                return {name: words for name, words in match.groupdict().items() if words}
    return {}


def link_companies(corpus: Corpus) -> Iterator[Triplet]:
    """The links from filings to the companies of other filings, there and back where both ways read right."""
    filings = [document for document in corpus.documents if document.entity and document.form]
    if len({document.entity for document in filings}) < 2:
        return
    names = _unambiguous_names(filings, corpus)
    by_first: dict[str, list[str]] = defaultdict(list)
    for name in sorted(names, key=lambda name: (-len(name), name)):
        by_first[_WORD.findall(name)[0]].append(name)
    for document in filings:
        for chunk in corpus.chunks[document.doc_id]:
            if chunk.kind != "text" or _APART.search(chunk.section):
                continue
            near: dict[str, list[str]] = defaultdict(list)
            for word in sorted(by_first.keys() & set(_WORD.findall(chunk.text))):
                for name in by_first[word]:
                    if names[name] != document.entity and name in chunk.text:
                        near[names[name]].append(name)
            for span in new_sentences(chunk, corpus) if near else ():
                for other in sorted(near):
                    yield from _links_of(document, chunk, span, other, tuple(near[other]))


def _unambiguous_names(filings: Sequence[Document], corpus: Corpus) -> dict[str, str]:
    """Each name by which one filer is meant and nobody else, with the filer's full name.

    A single word that the corpus has in small letters too is a common word; but for "AbbVie Inc." in full.
    """
    owners: dict[str, set[str]] = defaultdict(set)
    for document in filings:
        for name in possible_names(document.entity):
            if _WORD.search(name) and _calls_itself(document, name):
                owners[name].add(document.entity)
    names = {name: min(owner) for name, owner in owners.items() if len({company(o)[0] for o in owner}) == 1}
    single = {name.lower() for name in names if name.isalpha()}
    common: set[str] = set()
    for chunk in (chunk for rows in corpus.chunks.values() for chunk in rows if chunk.kind == "text"):
        common |= single.intersection(chunk.text.split())
    return {name: owner for name, owner in names.items() if name.lower() not in common}


def _calls_itself(document: Document, name: str) -> bool:
    """Whether a filer goes by this name: its own, or a shorter one that its filing introduces and uses."""
    bare = without_form(document.entity)
    if name in (document.entity, bare, re.sub(r"\.com$", "", bare)):
        return True
    used = document.text.count(name) >= _USED
    return used and (name.isupper() or bool(re.search(rf"[\"“]{re.escape(name)}[,.]?[\"”]", document.text)))


def _links_of(
    document: Document, chunk: Chunk, span: tuple[int, int], other: str, names: tuple[str, ...]
) -> Iterator[Triplet]:
    """The links that a sentence states between the filer and one other company, called by one of these names."""
    sentence = chunk.text[slice(*span)]
    mentioned = next((name for name in names if name in sentence), "")
    if not mentioned or _is_listed(sentence, names):
        return
    own = tuple(possible_names(document.entity))
    for rule in RULES:
        match = _compiled(rule, names, own).search(sentence)
        if match is None:
            continue
        head, kind = document.entity, "ORG"
        if "who" in match.groupdict():
            head, kind = _full_name(match["who"], document.text[: chunk.start + span[0]], document.entity), "PERSON"
            if not head or "officers" not in chunk.section.lower():
                continue
        yield make_link(document, chunk, span, (head, rule.relation, other), (kind, "ORG"), mentioned)
        yield make_link(document, chunk, span, (other, rule.inverse, document.entity), ("ORG", "ORG"))


def _is_listed(sentence: str, names: Sequence[str]) -> bool:
    """Whether the company is one of several that are named together, of which no question can mean the one."""
    for match in re.finditer("|".join(map(re.escape, names)), sentence):  # the longest name comes first
        after = _JOINED_AFTER.match(sentence, match.end())
        if after and not sentence.startswith(tuple(names), after.start(1)):
            return True
        before = _JOINED_BEFORE.search(sentence, 0, match.start())
        ahead = sentence[: before.end(1)] if before else ""
        if before and not ahead.endswith(tuple(names)) and not _OPENING.search(ahead):
            return True
    return False


def _full_name(who: str, before: str, entity: str) -> str:
    """The full name of "Ms. Kress" or "Chris", as it last stood before; "" where that is not sure."""
    title = re.match(r"(?:Mr|Ms|Mrs|Dr)\. ", who)
    word = re.escape(who[title.end() :] if title else who)
    pattern = rf"[A-Z][\w.’'-]+(?: [A-Z][\w.’'-]*){{0,2}} {word}" if title else rf"{word}(?: [A-Z][\w.’'-]*){{1,2}}"
    found = [
        name
        for name in re.findall(rf"(?<![\w.])(?:{pattern})(?!\w)", before[-6_000:])
        if not re.match(r"(?:Mr|Ms|Mrs|Dr)\.", name) and not any(w in name for w in entity.split()[:1])
    ]
    return found[-1].rstrip(".,") if len(set(found)) == 1 else ""
