"""What kind of document was fetched: what its server says, its name and its bytes must agree."""

from pathlib import PurePosixPath
from urllib.parse import unquote, urlsplit

from rarefy.tasks.corpus.read.sources import MEDIA_TYPES
from rarefy.tasks.refresh.feeds.faults import Refused
from rarefy.tasks.refresh.feeds.origins import plain

# what servers call what is read → the ending that it is kept under
SAID = {
    "text/html": ".html",
    "application/xhtml+xml": ".html",
    "application/pdf": ".pdf",
    "application/x-pdf": ".pdf",
    "application/json": ".json",
    "application/jsonl": ".jsonl",
    "application/x-ndjson": ".jsonl",
    "application/ndjson": ".jsonl",
    "application/x-jsonlines": ".jsonl",
    "text/markdown": ".md",
    "text/x-markdown": ".md",
    "text/plain": ".txt",
    "application/vnd.apache.parquet": ".parquet",
    "application/parquet": ".parquet",
    "application/x-parquet": ".parquet",
}
VAGUE = {"", "application/octet-stream", "binary/octet-stream"}  # says nothing: the name does
PLAIN = {".md", ".txt", ".json", ".jsonl", ".html"}  # what text/plain may be by its name
MAGIC = {
    b"%PDF-": ".pdf",
    b"PAR1": ".parquet",
    b"PK\x03\x04": "a ZIP archive (or an Office document)",
    b"\x1f\x8b": "gzip",
    b"\x7fELF": "a program",
    b"MZ": "a program",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"\xd0\xcf\x11\xe0": "an old Office document",
    b"Rar!": "a RAR archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"BZh": "bzip2",
    b"\xfd7zXZ": "xz",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"SQLite format 3": "a database",
}


def kind(content: bytes, media_type: str, address: str) -> str:
    """The ending to keep a document under; Refused where it is nothing that rarefy reads, or not what it says it is."""
    named, address = _named(address), plain(address)
    if media_type in VAGUE:
        if not named:
            raise Refused(f"{address}: neither its server nor its name says what it is")
        said = named
    elif media_type in SAID:
        said = named if media_type == "text/plain" and named in PLAIN else SAID[media_type]
        if named and named != said and media_type != "text/plain" and not {named, said} <= PLAIN:
            raise Refused(f"{address}: named {named}, and its server says {media_type}; one of the two is wrong")
    else:
        raise Refused(f"{address}: {media_type} is nothing that rarefy reads; {', '.join(sorted(set(SAID)))} are")
    is_ = next((ending for magic, ending in MAGIC.items() if content.startswith(magic)), "")
    if not content.strip():
        raise Refused(f"{address}: empty")
    if said in (".pdf", ".parquet"):
        if is_ != said or (said == ".parquet" and not content.endswith(b"PAR1")):
            raise Refused(f"{address}: said to be {said}, and its bytes are {is_ or 'something else'}")
        return said
    if is_:
        raise Refused(f"{address}: said to be {said}, and its bytes are {is_}")
    text = content[:65536]
    wide = content.startswith((b"\xff\xfe", b"\xfe\xff"))
    if b"\0" in text and not wide:
        raise Refused(f"{address}: said to be {said}, and its bytes are no text")
    begins = text.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if not wide and said in (".json", ".jsonl") and begins not in (b"{", b"["):
        raise Refused(f"{address}: said to be {said}, and it begins with {begins!r}")
    if not wide and said == ".html" and b"<" not in text:
        raise Refused(f"{address}: said to be HTML, and there is no tag in it")
    return said


def _named(address: str) -> str:
    """The ending of the file's name, one for each kind; "" where it has none that is read."""
    ending = PurePosixPath(unquote(urlsplit(address).path)).suffix.lower()
    return SAID.get(MEDIA_TYPES.get(ending, ""), "")
