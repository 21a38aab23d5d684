"""What a folder holds at this moment: every file with its stamp and the digest of its content."""

import errno
import os
from collections.abc import Container, Iterator, Mapping
from pathlib import Path

from rarefy.tasks.corpus.read import sources
from rarefy.tasks.refresh.feeds.debounce import Mark

# names of files that a program is still writing: browsers, curl and rsync by hand, editors' copies
PARTIAL = (".part", ".partial", ".tmp", ".temp", ".crdownload", ".download", ".filepart", ".swp", "~")


def look(corpus: Path, known: Mapping[str, Mark], unsure: Container[str], rehash: bool = False) -> dict[str, Mark]:
    """The files of a folder, or the one file, by path.

    Read are those whose stamp is not the known one, those in `unsure`, and all for `rehash`. Raises FileNotFoundError
    where there is no such folder, which is no folder without files.
    """
    if not corpus.exists():
        raise FileNotFoundError(errno.ENOENT, "no such file or folder", str(corpus))
    found: dict[str, Mark] = {}
    for location, written in _files(corpus):
        path = os.fsencode(written).decode("utf-8", "backslashreplace")  # what is remembered is UTF-8, names may not be
        try:
            status = Path(location).stat()
            if not sources.is_regular(status):
                continue
            # the time of the last change of the entry too: copying may set back that of the content, not this one
            stamp = f"{status.st_size} {status.st_mtime_ns} {status.st_ctime_ns} {status.st_ino}"
            had = known.get(path)
            same = had and had[0] == stamp and path not in unsure and not rehash
            found[path] = (stamp, had[1] if had and same else _digest(location))
        except FileNotFoundError:
            continue  # gone between the listing and now: the next look says what became of it
        except OSError as error:
            if error.errno != errno.ELOOP:  # a link to itself leads to no file
                raise
    return found


def partial(name: str) -> bool:
    """Is this the name of a file that is still being written, or of none that is a document?"""
    return name.startswith(".") or name.lower().endswith(PARTIAL)


def _files(corpus: Path) -> Iterator[tuple[str, str]]:
    if not corpus.is_dir():
        yield str(corpus), corpus.name
        return
    for location, path in sources._walk(corpus):
        if not partial(path.rpartition("/")[2]):
            yield location, path


def _digest(location: str) -> str:
    try:
        return sources.digest(Path(location))
    except FileNotFoundError:
        raise
    except OSError as error:  # it is there and cannot be read: the build says so, once
        return f"unreadable {os.strerror(error.errno) if error.errno else error}"
