"""Which document of a corpus a hyperlink leads to: by relative path, by a page's own address, by the site's."""

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from urllib.parse import unquote, urlsplit

from rarefy.data_contracts.rows import Document

Base = tuple[str, str, str]  # host, path of the site, folder of the corpus that lies there

_GIVEN = ("url", "permalink", "canonical_url", "canonical", "source_url", "redirect_from", "aliases")  # in metadata
_ENDING = re.compile(r"\.(?:mdx?|mdown|markdown|x?html?|txt|rst|adoc|asciidoc|php|aspx?)$")
_FRONT = re.compile(r"(?:^|/)(?:_?index|readme)$")  # the page that a folder shows
SURE = 3  # pages of the corpus that links to a site name by their paths, until it counts as the corpus's own


class Addresses:
    """The addresses of a corpus's documents. What fits several documents, or fits by chance, leads to none."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._exact = {document.source: document for document in documents}
        self._pages: dict[str, list[Document]] = defaultdict(list)
        self._given: dict[str, list[Document]] = defaultdict(list)
        self._tails: dict[str, list[Document]] = defaultdict(list)
        for document in documents:
            page = _page(document.source)
            self._pages[page].append(document)
            for given in (address for name in _GIVEN for address in document.metadata.get(name, "").split(", ")):
                parts = _split(given)
                if parts and parts[1].strip("/"):
                    self._given[f"{parts[0]}/{_page(parts[1])}"].append(document)
            for at in (0, *(slash.end() for slash in re.finditer("/", page))):
                self._tails[page[at:]].append(document)
        found: dict[Base, set[str]] = defaultdict(set)
        for target in (link.target for document in documents for link in document.links):
            parts = _split(target)
            if parts and (parts[0] or parts[1].startswith("/")):
                for base, document in list(self._bases(*parts[:2]))[:1]:
                    found[base].add(document.doc_id)
        self._own = {base for base, pages in found.items() if len(pages) >= SURE}

    def find(self, document: Document, target: str) -> tuple[Document | None, str]:
        """The document that a link of this one leads to, None where that is not sure; and the place in it."""
        parts = _split(target)
        if parts is None or not parts[1].strip("/"):
            return None, ""
        host, path, place = parts
        if host or path.startswith("/"):
            return self._on_site(host, path), place
        folder, own = posixpath.dirname(document.source), posixpath.splitext(document.source)[0]
        joined = [posixpath.normpath(posixpath.join(at, path)) for at in (folder, own, "")]  # own: "x.md" shown as "x/"
        inside = (at for at in joined if not at.startswith(".."))
        found = (self._exact.get(at) or _one(self._pages.get(_page(at))) for at in inside)
        return next(filter(None, found), None), place

    def _on_site(self, host: str, path: str) -> Document | None:
        given = _one(self._given.get(f"{host}/{_page(path)}"))
        if given is None and not host:
            given = _one(self._pages.get(_page(path)))
        return given or next((page for base, page in self._bases(host, path) if base in self._own), None)

    def _bases(self, host: str, path: str) -> Iterator[tuple[Base, Document]]:
        """The documents whose paths end as this one does, the longest ends first."""
        page = _page(path)
        for at in (0, *(slash.end() for slash in re.finditer("/", page))):
            if found := _one(self._tails.get(page[at:])):
                folder = _page(found.source).removesuffix(page[at:])
                yield (host, page[:at], folder), found


def _split(target: str) -> tuple[str, str, str] | None:
    """Host, path and place in the page; None for what is no address."""
    try:
        parts = urlsplit(target.strip())
    except ValueError:
        return None
    return parts.netloc.lower().removeprefix("www."), unquote(parts.path), unquote(parts.fragment)


def _page(path: str) -> str:
    """A path as addresses of pages have it: without ending, "index" and slashes, in small letters."""
    return _FRONT.sub("", _ENDING.sub("", posixpath.normpath(f"/{path}").strip("/").lower()))


def _one(documents: Sequence[Document] | None) -> Document | None:
    return documents[0] if documents and len(documents) == 1 else None
