"""Compile the Open English WordNet (YAML) into the tables of rarefy.tasks.text.wordnet.

python -m rarefy.benchmarks.compile_wordnet --source oewn_yaml.tar.gz
"""

import argparse
import gzip
import tarfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from rarefy.tasks.text.wordnet import KINDS, TABLE

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


def format_kinds(synsets: Mapping[str, Any]) -> Iterator[str]:
    """`depth TAB nouns`: what nouns mean, each sense below the more general one, its synonyms split by ";".

    A sense of several kinds stands below each. Names are left out, and phrases of more than three words.
    """
    below: dict[str, list[str]] = {}
    for name, synset in sorted(synsets.items(), key=lambda pair: (pair[1]["members"][0], pair[0])):
        for kind in synset.get("hypernym", ()):
            below.setdefault(kind, []).append(name)

    def walk(name: str, depth: int) -> Iterator[str]:
        kept = [one for one in synsets[name]["members"] if one == one.lower() and one.count(" ") < 3 and ";" not in one]
        lines = [line for lower in below.get(name, ()) for line in walk(lower, depth + 1)]
        if kept or lines:
            yield f"{depth}\t{';'.join(kept)}"
        yield from lines

    yield from walk(next(name for name, synset in synsets.items() if synset["members"] == ["entity"]), 0)


def build(source: Path, target: Path) -> int:
    """Write the tables of this release and its licences beside them; the number of lines."""
    entries, synsets = read_release(source)
    rows = list(format_entries(entries, synsets))
    # No name and no time in the header: the same release gives the same bytes.
    for file, lines in ((target, rows), (target.with_name(KINDS.name), format_kinds(synsets))):
        file.write_bytes(gzip.compress("\n".join(lines).encode(), compresslevel=9, mtime=0))
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
