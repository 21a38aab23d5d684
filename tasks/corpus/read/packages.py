"""Open zip packages (archives, OOXML, EPUB) without trusting them: bytes counted, names, parts and XML checked.

Nothing is written to a disk under a name that a package gives, and nothing that a package refers to is ever fetched;
what is refused here is refused so that no library that opens the same bytes later meets it.
"""

import io
import re
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from posixpath import basename
from urllib.parse import urlsplit
from xml.parsers import expat

from lxml import etree

from rarefy.tasks.corpus.read.unreadable import UnpackedSize, Unreadable

MAX_PARTS = 20_000  # files in one package
_PIECE = 1 << 16  # bytes unpacked at a time
_LOCAL = struct.Struct("<4s22xHH")  # signature, and the lengths of name and extra field, of a part's own header
_ENTRY = b"PK\x01\x02"  # how an entry of the directory begins
_OLE2, _ENCRYPTED_STREAM = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "EncryptedPackage".encode("utf-16-le")
_OFFICE, _BOOK = "[Content_Types].xml", "META-INF/container.xml"  # parts that every OOXML file and every EPUB has
_ENCODED = 0x1 | 0x40 | 0x2000  # flags of an entry: encrypted, strongly so, its header masked
_REFUSED = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, RuntimeError, OSError, struct.error
)  # fmt: skip
# An Office file may hold a page in HTML, which stays one part among many: it is not XML, nor read
_XML = {
    _OFFICE: re.compile(r"\.(?:xml|rels|vml)\Z", re.I),
    _BOOK: re.compile(r"\.(?:xml|xhtml|html?|opf|ncx|svg)\Z", re.I),
}
DAMAGED = "write the file anew or remove it"


class Package:
    """A zip package whose parts are read through one count of unpacked bytes.

    An OOXML file or EPUB is checked whole when it is opened: libraries unpack such files by themselves, and count
    nothing. A fault in one part of a plain archive is that part's own, and is raised when the part is read.
    """

    def __init__(self, content: bytes, unpacked: UnpackedSize) -> None:
        refuse_ole2(content)
        if content.count(_ENTRY) > 10 * MAX_PARTS:  # before the directory is parsed; packages within count here too
            raise _too_many()
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
            self._parts = self._zip.infolist()
            _check_overlap(content, self._parts)
        except _REFUSED as error:
            raise Unreadable("bad_archive", f"{error}; {DAMAGED}") from error
        if len(self._parts) > MAX_PARTS:
            raise _too_many()
        self._unpacked = unpacked
        self._counted: set[str] = set()
        self._often = Counter(info.filename for info in self._parts)
        self.kind = next((name for name in (_OFFICE, _BOOK) if name in self._often), "")
        if self.kind:
            for name in self.names():
                self._check_part(name)

    @property
    def is_archive(self) -> bool:
        """Whether it is neither an Office file nor an EPUB."""
        return not self.kind

    def names(self) -> list[str]:
        """The names of its files, in their order, each once."""
        return list(dict.fromkeys(info.filename for info in self._parts if not info.is_dir()))

    def read(self, name: str) -> bytes:
        """The bytes of one file. Raises KeyError where there is none, Unreadable where it is unsafe or too large."""
        return b"".join(self._pieces(name))

    def _pieces(self, name: str) -> Iterator[bytes]:
        """The bytes of one file in pieces, each counted as it comes: the sizes that the directory claims are claims."""
        info = self._zip.getinfo(name)
        self._check_entry(info)
        new = name not in self._counted
        try:
            with self._zip.open(info) as stream:
                while piece := stream.read(_PIECE):
                    if new:
                        self._unpacked.take(len(piece))
                    yield piece
        except _REFUSED as error:
            raise Unreadable("bad_archive", f"{name}: {error or type(error).__name__}; {DAMAGED}") from error
        self._counted.add(name)

    def _check_entry(self, info: zipfile.ZipInfo) -> None:
        name = info.filename
        if info.flag_bits & _ENCODED:
            raise Unreadable("encrypted", f"{name} asks for a password; save it without one or remove it")
        if is_unsafe_name(info.orig_filename) or is_unsafe_name(name):
            raise Unreadable(
                "unsafe_name",
                f"{name!r} would lie outside of the package or is no plain path; write it with such names as "
                "folder/file.txt or remove it",
            )
        mode = info.external_attr >> 16 if info.create_system == 3 else 0  # 3: written on Unix, with a file's kind
        if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
            raise Unreadable("link_in_archive", f"{name} is a link or device, not a file; pack the file itself")
        if self._often[name] > 1:
            raise Unreadable("duplicate_name", f"{name} is there {self._often[name]} times; {DAMAGED}")

    def _check_part(self, name: str) -> None:
        """Unpack a part of an Office file or EPUB once, and look at its XML."""
        relations = self.kind == _OFFICE and name.endswith(".rels")
        prologue = _Prologue(name, self.kind == _OFFICE) if _XML[self.kind].search(name) else None
        kept = []
        for piece in self._pieces(name):
            if prologue:
                prologue.feed(piece)
            if relations:
                kept.append(piece)
        if relations:
            _check_relations(name, b"".join(kept))


def is_unsafe_name(name: str) -> bool:
    """Whether a name in a package leads outside of it, or does so on some system."""
    parts = name.split("/")
    return (
        ".." in parts
        or name.startswith("/")
        or "\\" in name  # separates folders on Windows
        or "\x00" in name
        or not re.sub(r"[/.\s]", "", name)
        or bool(re.match(r"[A-Za-z]:", name))
    )


def _too_many() -> Unreadable:
    return Unreadable("too_many_parts", f"more than {MAX_PARTS:,} files in one package; split it")


def refuse_ole2(content: bytes) -> None:
    """Unreadable for what has the form of old Office files, whatever its name says: encrypted, or of before 2007."""
    if not content.startswith(_OLE2):
        return
    if _ENCRYPTED_STREAM in content:
        raise Unreadable("encrypted", "an Office file that asks for a password; save it without one")
    raise Unreadable(
        "old_office_format",
        "a file in the binary form of Office before 2007 (.doc, .xls, .ppt, .msg); save it as .docx, .xlsx, .pptx or "
        ".eml",
    )


def _check_overlap(content: bytes, parts: list[zipfile.ZipInfo]) -> None:
    """Unreadable where two parts share packed bytes: so a small file unpacks to any size, and no program writes it."""
    spans = []
    for info in parts:
        header = content[info.header_offset : info.header_offset + _LOCAL.size]
        if len(header) < _LOCAL.size or not header.startswith(b"PK\x03\x04"):
            continue  # it cannot be read, and says so when it is
        _, name, extra = _LOCAL.unpack(header)
        spans.append((info.header_offset, info.header_offset + _LOCAL.size + name + extra + info.compress_size))
    spans.sort()
    for (_, end), (start, _) in pairwise(spans):
        if end > start:
            raise Unreadable("overlapping_parts", f"files in it share packed bytes, as in a zip bomb; {DAMAGED}")


# XML


class _Prologue:
    """Looks at what stands before a part's root element; a type declaration stands nowhere else.

    The specification of OOXML forbids declarations. EPUBs have harmless ones, which name the kind of the page and are
    not fetched; those that define entities are refused in both.
    """

    def __init__(self, name: str, office: bool) -> None:
        self._name, self._office, self._done = name, office, False
        self._parser = expat.ParserCreate()
        self._parser.StartElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._declare
        self._parser.EntityDeclHandler = self._define

    def feed(self, piece: bytes) -> None:
        if self._done:
            return
        try:
            self._parser.Parse(piece, False)
        except expat.ExpatError as error:
            if self._done:  # what follows is for the reader of the part, if there is one
                return
            self._done = True
            # in an encoding that this parser does not know, another one might see a declaration
            known = error.code != expat.errors.codes[expat.errors.XML_ERROR_UNKNOWN_ENCODING]
            if self._office or not known:  # in a book, the reader of HTML takes what is no XML too
                raise Unreadable("unsafe_xml", f"{self._name} is no plain XML ({error}); {DAMAGED}") from error

    def _end(self, *_: object) -> None:
        self._done = True
        self._parser.StartElementHandler = None

    def _declare(self, *_: object) -> None:
        if self._office:
            raise Unreadable(
                "unsafe_xml", f"{self._name} declares a document type, which no Office program writes; {DAMAGED}"
            )

    def _define(self, *_: object) -> None:
        raise Unreadable("unsafe_xml", f"{self._name} defines entities, which may grow without bound; {DAMAGED}")


def parse_xml(content: bytes, name: str) -> etree._Element:
    """The root of a small XML part (no entity is resolved, nothing fetched). Raises Unreadable `bad_xml`."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )
    try:
        return etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise Unreadable("bad_xml", f"{name}: {error}; {DAMAGED}") from error


# Relations

_MAC = ("file:////Users/", "file:////Volumes/")  # how Office on a Mac writes paths of its own machine
_HARMLESS = ("hyperlink",)  # kinds of relation that are links for readers to follow


def _check_relations(name: str, content: bytes) -> None:
    """Unreadable where a part of an Office file would have a program fetch something when it is opened.

    Files that people have refer to the template they were made from (file:///C:/…/Normal.dotm) and to pictures and
    workbooks beside them; such paths lead nowhere else, and nothing here follows them. A template, picture, workbook
    or object on another machine tells that machine who opens the file, and may bring what the file does not hold.
    """
    for relation in parse_xml(content, name).iter("{*}Relationship"):
        if relation.get("TargetMode", "").lower() != "external":
            continue
        if basename(relation.get("Type", "")).lower() not in _HARMLESS and is_remote(
            target := relation.get("Target", "")
        ):
            raise Unreadable(
                "external_reference",
                f"{name} brings in {target:.200}, which lies elsewhere; embed it in the file or remove the reference",
            )


def is_remote(target: str) -> bool:
    """Whether a target is on another machine."""
    plain = target.strip().replace("\\", "/")
    if plain.startswith(_MAC):
        return False
    if plain.startswith("//"):
        return True
    try:
        parts = urlsplit(plain)
    except ValueError:
        return True  # an address that none can tell
    scheme = parts.scheme.lower()
    if scheme == "file":
        local = parts.netloc.lower() in ("", "localhost") or re.fullmatch(r"[A-Za-z]:", parts.netloc)
        return not local or parts.path.startswith("//")
    return len(scheme) > 1  # one letter is a drive
