"""Links between pages: what a page says of another to which it has a hyperlink."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from rarefy.data_contracts.rows import Document, Link, Triplet
from rarefy.tasks.knowledge.link.addresses import Addresses
from rarefy.tasks.knowledge.link.linked import Corpus, make_link, new_sentences
from rarefy.tasks.text.stems import stems, words

REFERS = "refers to"
_NAVIGATION = re.compile(
    r"contents$|see also|related|further reading|next steps|on this page|(?:references|resources)$", re.I
)
_STEP = re.compile(r"\W*(?:next|previous|prev|back|return|jump|continue|go|skip|up|home|edit|improve)\b", re.I)
_ENDED = re.compile(r"[.!?:]['\"”’)\]]*$")
_SAYING = 4  # words of a sentence around its links
_LONGEST = 20  # words of an anchor that are looked at
_SHARED = 2  # pages that have a sentence word for word: what more have is no page's own
_MOST = 2  # links of a sentence: more are a list
# what the reader of the text left of a link
_MARKUP = re.compile(r"\]\(\{[%{][^()]*[%}]\}\)|\]\[[^\[\]]*\]|[\[\]]")
# an anchor of these alone names nothing
_POINTING = frozenset(
    "here this that these those it its page pages link links click read more learn see the a an of to for in on at our "
    "your their section chapter article document doc docs documentation guide handbook follow instructions details "
    "information info above below next previous following same post entry list website site full also and or how "
    "do you we i what".split()
)
_NUMBERED = re.compile(r"#+ (?:\d{1,2}(?:\.\d{1,2})*[.)]? (?=\D))?")
# a title that is not all words, or the name of a file
_UNWORDED = re.compile(r"[<{]/?\w[^<>{}]*[>}]|\{[%{]|\A[a-z0-9]+(?:[-_][a-z0-9]+)+\Z")
_QUOTES = "\"'“”‘’ "


def link_pages(corpus: Corpus) -> Iterator[Triplet]:
    """The links from pages to others of the corpus that stand in sentences of their own, not in menus and lists."""
    found = list(_find_links(corpus))
    pages = Counter(sentence for sentence, _ in {(row.source_sentence, row.doc_id) for row in found})
    yield from (row for row in found if pages[row.source_sentence] <= _SHARED)


def _find_links(corpus: Corpus) -> Iterator[Triplet]:
    if not any(document.links for document in corpus.documents):
        return
    addresses, names = Addresses(corpus.documents), _Names(corpus)
    for document in corpus.documents:
        for chunk in corpus.chunks[document.doc_id]:
            within = _links_within(document, chunk.start, chunk.end)
            for start, end in new_sentences(chunk, corpus) if within else ():
                links = _links_within(document, chunk.start + start, chunk.start + end)
                if not links or not _says(chunk.text[start:end], links, document):
                    continue
                own = names.of_section(document, links[0].start)
                for link in links:
                    page, place = addresses.find(document, link.target)
                    if page is None or page.doc_id == document.doc_id:
                        continue
                    anchor = document.text[link.start : link.end].strip(_QUOTES)
                    name = names.of_target(page, place, anchor)
                    answer = _spelled(name, anchor)
                    if not answer and set(words(anchor)) - _POINTING:
                        answer = anchor
                    answer = answer or _spelled(name, _MARKUP.sub(" ", chunk.text[start:end]))
                    if own and name and answer and name != own:
                        yield make_link(document, chunk, (start, end), (own, REFERS, name), ("", ""), answer)


def _links_within(document: Document, start: int, end: int) -> Sequence[Link]:
    first, last = (bisect_left(document.links, at, key=lambda link: link.start) for at in (start, end))
    return document.links[first:last]


def _says(sentence: str, links: Sequence[Link], document: Document) -> bool:
    """Whether a sentence says something around its links, rather than lists them or leads on."""
    around = sentence
    for link in links:
        around = around.replace(document.text[link.start : link.end], " ", 1)
    said = re.findall(r"[^\W\d_]{2,}", _MARKUP.sub(" ", around))
    whole = bool(_ENDED.search(sentence)) and not _STEP.match(sentence)
    return whole and len(links) <= _MOST and len(said) >= _SAYING and any(word.islower() for word in said)


def _spelled(name: str, words: str) -> str:
    """A name as these words spell it; "" where they do not."""
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", words, re.I) if name else None
    return found[0] if found else ""


class _Names:
    """What pages and their sections are called, by names that no other page has."""

    def __init__(self, corpus: Corpus) -> None:
        self._titles: dict[str, str] = {}
        self._called: dict[str, set[str]] = defaultdict(set)
        self._headings: dict[str, dict[str, str]] = {}
        self._subjects: dict[str, dict[tuple[str, ...], str]] = defaultdict(dict)
        for document in corpus.documents:
            titles = (document.text[b.start : b.end] for b in document.blocks if b.kind == "heading")
            found = [_NUMBERED.sub("", title) for title in titles]
            given = document.title if document.title != document.source else "".join(found[:1])
            self._titles[document.doc_id] = given
            self._headings[document.doc_id] = {_slug(heading): heading for heading in reversed(found)}
            for name in {given, document.entity, *found}:
                self._called[_slug(name)].add(document.doc_id)
        for row in sorted(corpus.facts, key=lambda row: row.triplet_id):
            self._subjects[row.doc_id].setdefault(tuple(stems(row.subject)), row.subject)

    def of_section(self, page: Document, at: int) -> str:
        """The section of a page in which something stands, by its title, or the page's where one word is no title.

        "" where it is a menu.
        """
        block = page.blocks[bisect_right(page.blocks, at, key=lambda block: block.start) - 1]
        title = _NUMBERED.sub("", f"# {block.section.rpartition(' > ')[2]}")
        if _NAVIGATION.search(title):
            return ""
        return title if self._is_own(title) and len(words(title)) > 1 else self.of_page(page)

    def of_page(self, page: Document) -> str:
        """Its entity or its title, whichever is its alone."""
        return next((name for name in (page.entity, self._titles[page.doc_id]) if self._is_own(name)), "")

    def of_target(self, page: Document, place: str, anchor: str) -> str:
        """What a link leads to: the thing that its words or the page name, if the page states facts of it."""
        headings = self._headings[page.doc_id]
        heading = (headings.get(_slug(place)) or headings.get(_slug(anchor), "")) if place else ""
        subjects = self._subjects[page.doc_id]
        called = (anchor, heading, self._titles[page.doc_id])
        known = (subjects[part] for name in called for part in _parts(name) if part in subjects)
        return next(known, "") or (heading if self._is_own(heading) else self.of_page(page))

    def _is_own(self, name: str) -> bool:
        told = set(words(name)) - _POINTING and not _UNWORDED.search(name)
        return bool(told) and len(self._called[_slug(name)]) == 1


def _parts(name: str) -> Iterator[tuple[str, ...]]:
    """The stems of a name, then those of its parts of two words or more, the longest first."""
    found = tuple(stems(name)[:_LONGEST])
    yield found
    for length in range(len(found) - 1, 1, -1):
        for at in range(len(found) - length + 1):
            yield found[at : at + length]


def _slug(name: str) -> str:
    """A name as a place's address has it, without what parts its words."""
    return "".join(letter for letter in name.lower() if letter.isalnum())
