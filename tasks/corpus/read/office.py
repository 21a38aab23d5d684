"""Read the parts of packages that Word, PowerPoint and Excel write, and what these say about themselves."""

import io
import re
import zipfile
from contextlib import suppress

from lxml import etree

from rarefy.tasks.corpus.read.packages import Package
from rarefy.tasks.corpus.read.unreadable import Unreadable, one_line

_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)((?:/\w+)*)")
_SHOW = re.compile(rb"presentationml\.(?:template|slideshow)\.main")  # the same but for what opening it does
_PROPERTIES = {
    "title": "title",
    "creator": "author",
    "language": "language",
    "subject": "subject",
    "keywords": "keywords",
    "created": "created",
    "modified": "modified",
}
# Titles that programs and templates leave behind
_NO_TITLE = re.compile(
    r"(?:microsoft (?:word|excel|powerpoint)\b.*|(?:powerpoint|word|excel)(?: presentation| document)?|presentation|"
    r"document\d*|slide \d+|untitled.*|no title|title|normal\.dot.*)",
    re.I,
)


def repack(package: Package) -> bytes:
    """The package anew for a library that reads whole files: what was not read through `package` it never gets to see.

    Parts that are no XML (pictures, fonts, files within the file) are there without content. The strict form of OOXML,
    which the libraries do not know, differs in the names of its namespaces, and gets the usual ones.
    """
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        for name in dict.fromkeys(package.names()):
            content = package.read(name) if name.lower().endswith((".xml", ".rels")) else b""
            if b"http://purl.oclc.org/ooxml/" in content:
                content = _STRICT.sub(_transitional, content)
            packed.writestr(name, _SHOW.sub(b"presentationml.presentation.main", content))
    return out.getvalue()


def _transitional(found: re.Match[bytes]) -> bytes:
    kind, rest = found.groups()
    return b"http://schemas.openxmlformats.org/" + kind + b"/2006" + rest


def parse_part(content: bytes) -> etree._Element:
    """The root of a part; entities stay what they are, comments go. Raises Unreadable where it is no XML."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    try:
        return etree.fromstring(content, parser)
    except etree.XMLSyntaxError as error:
        raise describe_bad_part(error) from error


def describe_bad_part(error: etree.XMLSyntaxError) -> Unreadable:
    """The fault of a file with a part that is not well-formed."""
    return Unreadable("bad_part", f"one of its parts is no XML ({error}); write the file anew")


def local_name(element: etree._Element) -> str:
    """An element's name without its namespace: the strict and the transitional form of OOXML differ in nothing else."""
    return str(element.tag).rpartition("}")[2]


def read_properties(package: Package) -> dict[str, str]:
    """Title, author, language, subject, keywords and dates as the file states them: those that it does state."""
    name = next((n for n in package.names() if n.lower().lstrip("/") == "docprops/core.xml"), "")
    if not name:
        return {}
    found = {}
    with suppress(Unreadable):  # what a file says about itself is no reason to leave it out
        for element in parse_part(package.read(name)):
            key, text = _PROPERTIES.get(local_name(element), ""), one_line(element.text or "")
            if key and text:
                found[key] = text[:10] if key in ("created", "modified") else text
    if _NO_TITLE.fullmatch(found.get("title", "")):
        del found["title"]
    return found
