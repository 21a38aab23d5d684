"""Open zip packages (archives, OOXML, EPUB) without trusting them: bytes counted, names and parts checked."""

import io
import zipfile

from rarefy.tasks.corpus.read.unreadable import UnpackedSize, Unreadable

MAX_PARTS = 20_000  # files in one package


class Package:
    """A zip package whose parts are read through one count of unpacked bytes."""

    def __init__(self, content: bytes, unpacked: UnpackedSize) -> None:
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(content))
        except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
            raise Unreadable("bad_archive", f"{error}; write the file anew or remove it") from error
        self._unpacked = unpacked

    def names(self) -> list[str]:
        """The names of its files, in their order."""
        return [info.filename for info in self._zip.infolist() if not info.is_dir()]

    def read(self, name: str) -> bytes:
        """The bytes of one file. Raises KeyError where there is none, Unreadable over the limits."""
        content = self._zip.read(name)
        self._unpacked.take(len(content))
        return content
