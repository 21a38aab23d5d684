"""What the relation of a cell of a table without tags is made of, and which labels are names of things."""

import re
from dataclasses import dataclass

from rarefy.tasks.knowledge.extract.column_heads import read_kind
from rarefy.tasks.text.wordnet import known

_RELATION = re.compile(
    r"“(?P<row>[^“”]+)”(?: \((?P<kind>.+?)\))?(?: under “(?P<under>[^“”]+)”)?(?: in the column “(?P<column>[^“”]+)”)?"
)
# Heads that say no more than that something stands below them
NO_KIND = re.compile(
    r"(?:propert(?:y|ies)|fields?|form fields?|keys?|attributes?|parameters?|settings?|options?|variables?|topics?"
    r"|features?|questions?|entr(?:y|ies)|labels?|terms?|titles?|subjects?|content|what|aspects?|criteri(?:a|on)"
    r"|specifications?|specs?|characteristics?)"
    r"(?:: .*)?",
    re.I,
)
_OF_NAME = re.compile(r"[A-Z]\.|[A-Z0-9][\w&’'./+-]*|of|and|the")  # a word of a name
_JOINING = frozenset("for against with without".split())  # no names, though WordNet does not have them
LONGEST_NAME = 5  # words


@dataclass(frozen=True, slots=True)
class CellName:
    """The labels of a cell, "" for those that it has not: its row, the rows' kind, the row above, its column."""

    row: str
    kind: str = ""
    under: str = ""
    column: str = ""

    @property
    def named(self) -> bool:
        """Whether the cell says something of what has a name or a code."""
        return is_name(self.thing) or (bool(PLACES.fullmatch(self.kind)) and is_capital(self.thing))

    @property
    def turned(self) -> bool:
        """Whether columns are the things that rows give properties of: a table of the data of several models."""
        spread = not self.under and (not self.kind or bool(NO_KIND.fullmatch(self.kind)))
        thing = bool(self.column) and is_name(self.column) and not read_kind(self.column)
        return spread and thing and not is_name(self.row)

    @property
    def thing(self) -> str:
        """What the cell says something of."""
        return self.column if self.turned else self.row

    @property
    def measure(self) -> str:
        """What the cell says of it."""
        return self.row if self.turned else self.column


def read_cell_name(relation: str) -> CellName | None:
    """The labels in the relation of a cell; None where its measure is said without them."""
    found = _RELATION.fullmatch(relation)
    return CellName(*(found[part] or "" for part in ("row", "kind", "under", "column"))) if found else None


PLACES = re.compile(
    r"(?:.* )?(?:countr(?:y|ies)|destination|city|state|location|place|site|office|region|market)", re.I
)


def is_capital(label: str) -> bool:
    """Whether all words of a short label begin with a capital or a digit."""
    words = label.split(" ")
    return len(words) <= LONGEST_NAME and all(re.fullmatch(r"[A-Z0-9]\S*|of|and|the", word) for word in words)


def is_name(label: str) -> bool:
    """Whether a label is the name or the code of something: "HX-200/9", "Germany", "MAX_SIZE"; "Weight" is none."""
    words = label.split(" ")
    written = len(words) <= LONGEST_NAME and all(map(_OF_NAME.fullmatch, words)) and not NO_KIND.fullmatch(label)
    parts = [part.lower() for word in words for part in word.split("-")]
    return written and not all(known(part) or part in _JOINING for part in parts)
