"""The files of a folder, exchanged for others at once: who reads finds the old benchmark, none, or the new one."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from rarefy.tasks.export.alone import alone
from rarefy.tasks.export.files import Content, beside, put, sha256, write
from rarefy.tasks.export.tables import BESIDE, NAMES
from rarefy.tasks.store.atomic_write import put_in_place

# where this package writes, and what a run that was killed there may have left: never a file of somebody else
FOLDERS = (".*", "beir/**/.*", "hf/**/.*")
NAMED = "|".join((*NAMES.values(), *BESIDE.values(), "manifest", "contracts", "models", "changes"))
LEFT = re.compile(rf"\..+\.[0-9a-f]{{12}}\.part|\.(?:{NAMED})(?:\.\w+)+\.part")


class Written:
    """Files written beside their places, by one run; gone when it ends without having put them in place."""

    def __init__(self, out: Path, last: str) -> None:
        self.out, self.last, self.token = out, last, uuid4().hex[:12]
        self.digests: dict[str, str] = {}

    def __enter__(self) -> "Written":
        return self

    def __exit__(self, *_: object) -> None:
        for name in (*self.digests, self.last):
            beside(self.out / name, self.token).unlink(missing_ok=True)  # a full disk gets its space back

    def write(self, files: Mapping[str, Content]) -> None:
        """Write these; OSError where the disk is full."""
        for name, content in files.items():
            if content is not None:
                self.digests[name] = ""  # to be removed from here on
                scratch = write(self.out / name, content, self.token)
                with suppress(FileNotFoundError):  # another run put its own in place just now: `swap` will see
                    self.digests[name] = sha256(scratch)

    def swap(self, files: Iterable[str], last: bytes, fence: Callable[[], None]) -> bool:
        """Put all of them in place, unless the fence forbids it by raising; whether they were still there to be put.

        A name that was not written is removed. The last file goes first and comes last: it is there when all is whole.
        """
        write(self.out / self.last, [last], self.token)
        with alone(self.out):
            fence()
            if not all(beside(self.out / name, self.token).exists() for name in (*self.digests, self.last)):
                return False  # another run put its own in place, and tidied
            _tidy(self.out, self.token)
            (self.out / self.last).unlink(missing_ok=True)
            for name in files:
                if name in self.digests:
                    put_in_place(beside(self.out / name, self.token), self.out / name)
                else:
                    (self.out / name).unlink(missing_ok=True)
            put_in_place(beside(self.out / self.last, self.token), self.out / self.last)
        return True


def fill(out: Path, files: Mapping[str, Content], fence: Callable[[], None]) -> None:
    """Put in place those of these files that are not there, unless the fence forbids it by raising."""
    for name, content in files.items():
        if not (out / name).exists():
            with alone(out):
                fence()
                put(out / name, content)


def tidied(out: Path) -> None:
    """Remove what others have written beside their places: killed runs did; one that lives writes it again."""
    if any(_left(out)):
        with alone(out):
            _tidy(out)


def _left(out: Path) -> Iterator[Path]:
    for pattern in FOLDERS:
        yield from (path for path in out.glob(pattern) if LEFT.fullmatch(path.name) and path.is_file())


def _tidy(out: Path, mine: str = "/") -> None:
    for left in list(_left(out)):
        if mine not in left.name:
            left.unlink(missing_ok=True)
