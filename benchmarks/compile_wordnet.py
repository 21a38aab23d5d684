"""Compile the Open English WordNet (YAML) into this folder's table: `python -m rarefy.benchmarks.compile_wordnet`."""

import argparse
import gzip
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from rarefy.tasks.text.wordnet import TABLE

LICENCES = {"LICENSE.md": "LICENSE.md", "WNDB_License.txt": "PRINCETON.txt"}

# The synonyms of a sense that WordNet itself marks as an example of these are not kept.
UNFIT = frozenset({"disparagement", "ethnic slur", "obscenity", "slang", "archaism"})


def read_release(source: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The entries by lemma and the synsets by id, as the release has them."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C one is ten times as fast
    entries: dict[str, Any] = {}
    synsets: dict[str, Any] = {}
    with tarfile.open(source) as release:
        for member in sorted(release.getmembers(), key=lambda m: m.name):
            name, file = Path(member.name), release.extractfile(member)
            if file is None or name.suffix != ".yaml" or name.stem == "frames":
                continue
            (entries if name.stem.startswith("entries") else synsets).update(yaml.load(file, loader))
    return entries, synsets


def format_entries(entries: Mapping[str, Any], synsets: Mapping[str, Any]) -> Iterator[str]:
    """`lemma TAB pos TAB forms TAB senses`: forms split by ",", senses in WordNet's order by "|", synonyms by ";".

    Names (capitalised lemmas) are left out, and words of several parts that have no synonym.
    """
    unfit = {
        name
        for name, synset in synsets.items()
        if any(UNFIT.intersection(synsets[target]["members"]) for target in synset.get("exemplifies") or ())
    }
    for lemma, entry in sorted(entries.items()):
        if lemma != lemma.lower() or any(c in lemma for c in "\t|;,"):
            continue
        readings: dict[str, tuple[list[str], list[str]]] = {}
        for key, reading in entry.items():  # "n-1" and "n-2" are nouns said differently
            forms, senses = readings.setdefault(key[0], ([], []))
            forms += [form for form in reading.get("form", ()) if form not in forms]
            for sense in reading["sense"]:
                members = [] if sense["synset"] in unfit else synsets[sense["synset"]]["members"]
                senses.append(";".join(m for m in members if m != lemma and not set(m) & set("\t|;")))
        for pos, (forms, senses) in sorted(readings.items()):
            if " " not in lemma or any(senses):
                yield f"{lemma}\t{pos}\t{','.join(forms)}\t{'|'.join(senses)}"


def build(source: Path, target: Path) -> int:
    """Write the table of this release and its licences beside it; the number of lines."""
    rows = list(format_entries(*read_release(source)))
    # No name and no time in the header: the same release gives the same bytes.
    target.write_bytes(gzip.compress("\n".join(rows).encode(), compresslevel=9, mtime=0))
    with tarfile.open(source) as release:
        for name, shipped in LICENCES.items():
            file = release.extractfile(name)
            assert file is not None, f"{source} has no {name}"
            target.with_name(shipped).write_bytes(file.read())
    return len(rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--source", type=Path, required=True, help="oewn_yaml.tar.gz of the Open English WordNet")
    parser.add_argument("--target", type=Path, default=TABLE, help="where the table goes")
    arguments = parser.parse_args()
    count = build(arguments.source, arguments.target)
    print(f"{arguments.target}: {count:,} readings, {arguments.target.stat().st_size:,} bytes")
