"""Digests and versions of what a stage's rows hang on besides rows and config: files, folders, packages."""

import hashlib
import importlib.util
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from rarefy.tasks.knowledge import extract


@cache
def content(path: Path) -> str:
    """A digest of a file, or of all files of a folder, that stay as they are while this process lives."""
    return read(path)


def read(path: Path) -> str:
    """A digest of a file, or of all files of a folder; "" where there is none, as for what is known by its name."""
    digest = hashlib.blake2b(digest_size=16)
    files = sorted(file for file in path.rglob("*") if file.is_file()) if path.is_dir() else [path]
    for file in files:
        if file.suffix == ".pyc" or not file.is_file():
            continue
        digest.update(str(file.relative_to(path)).encode())
        with file.open("rb") as stream:
            while block := stream.read(1 << 22):
                digest.update(block)
    return digest.hexdigest() if path.exists() else ""


def language_tables(folder: Path) -> str:
    """A digest of the language data in a folder, code apart."""
    return "".join(content(file) for file in sorted(folder.glob("*.gz")))


def folder_of_pipeline(name: str) -> Path:
    """The folder of a spaCy pipeline; ValueError where there is none. spaCy itself takes seconds to import."""
    if name == "english":
        return Path(extract.__file__).parents[2] / "text" / "language" / "english"
    if Path(name).is_dir():
        return Path(name)
    spec = importlib.util.find_spec(name) if name.isidentifier() else None
    if not spec or not spec.origin:
        raise ValueError(f'no spaCy pipeline {name!r} is installed, nor is it a folder; "english" ships with rarefy')
    return Path(spec.origin).parent


def file_of(name: str) -> Path:
    """The file of a module:function; ValueError where no such module can be imported."""
    module = name.partition(":")[0]
    spec = importlib.util.find_spec(module)
    if spec is None or spec.origin is None:
        raise ValueError(
            f"{name}: there is no file of a module {module!r}; PYTHONPATH=. finds one in the current folder"
        )
    return Path(spec.origin)


def version_of(package: str) -> str:
    """The version of a package that is installed; "" where it is not."""
    try:
        return version(package).partition("+")[0]  # how a package was built is the machine's business
    except PackageNotFoundError:
        return ""
