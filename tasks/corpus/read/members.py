"""Read the files inside a file (in an archive, attached to a mail) as sources of their own: `files.zip#folder/a.md`."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from rarefy.data_contracts.rows import Document, Quarantined
from rarefy.tasks.corpus.read.packages import Package, is_unsafe_name
from rarefy.tasks.corpus.read.sources import Member, Source, digest_file, find_media_type, is_litter, load
from rarefy.tasks.corpus.read.unreadable import UnpackedSize, Unreadable, one_line_id, quarantine_source

Row = Document | Quarantined


def read_archive(
    source: Source, max_bytes: int, max_depth: int, unpacked: UnpackedSize, read: Callable[[Source], Iterator[Row]]
) -> Iterator[Row]:
    """The documents of every file in a zip archive, each read by its name, and a row for each that cannot be.

    What a folder would not list is not read here either. All files inside, and those inside of these, share one count
    of unpacked bytes.
    """
    package = Package(load(source, max_bytes), unpacked)
    if not package.is_archive:
        raise Unreadable(
            "wrong_type", "an Office file or EPUB under the name of an archive; rename it to what it is (.docx, .epub)"
        )
    for name in sorted(package.names()):
        if is_litter(name) and not is_unsafe_name(name):
            continue
        try:
            content = package.read(name)
        except Unreadable as error:
            yield quarantine_source(member_path(source, name), error)
            continue
        yield from read_member(source, name, content, max_depth, unpacked, read)


def read_member(
    source: Source,
    name: str,
    content: bytes,
    max_depth: int,
    unpacked: UnpackedSize,
    read: Callable[[Source], Iterator[Row]],
) -> Iterator[Row]:
    """The documents of one file inside another."""
    path = member_path(source, name)
    depth = (source.depth if isinstance(source, Member) else 0) + 1
    if depth > max_depth:
        detail = f"it lies inside of more than {max_depth} files; unpack them or raise read.max_depth"
        yield quarantine_source(path, Unreadable("nested_too_deep", detail))
        return
    with _on_disk(content) as location:
        digest, kind = digest_file(Path(location)), find_media_type(name)
        for row in read(Member(path, len(content), digest, kind, location, depth=depth, unpacked=unpacked)):
            if isinstance(row, Document):  # one without a title of its own is called by its name inside alone
                row = replace(row, title=row.title.removeprefix(f"{source.path}#"))
            yield row


def member_path(source: Source, name: str) -> str:
    """What names a file inside another."""
    with suppress(UnicodeError):  # archives from a Mac have names in UTF-8, and do not say so
        name = name.encode("cp437").decode("utf-8")
    return f"{source.path}#{one_line_id(name)}"


@contextmanager
def _on_disk(content: bytes) -> Iterator[str]:
    """The path of a file with these bytes for as long as it is read; no name from inside a file becomes one here."""
    with tempfile.TemporaryDirectory(prefix="rarefy-") as folder:
        place = Path(folder, "member")
        place.write_bytes(content)
        yield str(place)
