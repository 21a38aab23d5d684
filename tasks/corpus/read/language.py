"""Tell the language of a document from its prose, offline, by py3langid."""

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, TypeVar
from unicodedata import category

from rarefy.data_contracts.rows import Block

if TYPE_CHECKING:
    from py3langid.langid import LanguageIdentifier

Part = TypeVar("Part")

PIECE = 300  # characters of a paragraph that are told together; a longer one is several pieces
ENOUGH = 120  # shorter paragraphs are gathered until they have as many: two languages must not share a piece
SHORTEST = 80  # characters of prose that are too few to be told
PIECES = 30  # of a document, spread over all of it
LOOKED_AT = 300  # stretches of that many characters in which prose is looked for
SURE = 0.9  # probability that a piece is in its most likely language; one of a lower is in none

# Names of what py3langid tells apart and nobody needs apart here: each would take votes from the language it stands
# beside (Pidgin from English, Cantonese from Chinese); zxx is text in no language.
_DIALECTS = frozenset("pcm yue wuu nn hbo grc ary arz uzs".split())
NO_LANGUAGE = "zxx"
# A document given as one of these is not mended to another of them: prose hardly tells them apart
_KIN = tuple(map(frozenset, (("no", "nb", "nn", "da"), ("id", "ms"), ("bs", "hr", "sr"), ("zh", "yue", "wuu"))))

_LISTING = re.compile(r"\s*(?:```|~~~|\|)|(?: {4}|\t)\S")  # a fenced or indented listing, or a table
_PROSE = 0.8  # of the characters of prose are letters, marks on them and spaces; line ends are none


def detect_language(text: str, blocks: Iterable[Block]) -> str:
    """The code of the language that a document is surely in; "" where it is short, mixed or no prose.

    Pieces of its paragraphs vote, whole, so that the last digits of a probability have no say on any machine: two
    thirds of those that are sure must agree, and a third of all must be sure.
    """
    pieces = sample_prose(text, blocks)
    votes = Counter(filter(None, map(likely_language, pieces)))
    if not votes:
        return ""
    language, most = max(votes.items(), key=lambda vote: (vote[1], vote[0]))
    agreed = 3 * most >= 2 * votes.total() and 3 * votes.total() >= len(pieces)
    return language if agreed else ""


def settle_language(found: str, given: str) -> str:
    """The language of a document that was found in its prose and given with it; either may be ""."""
    akin = any(found in kin and given.partition("-")[0] in kin for kin in _KIN)
    return given if akin or not found else found


def is_english(language: str) -> bool:
    """Whether rules for English may read a text of this language; one of which nothing is known is taken for it."""
    return language.partition("-")[0].lower() in ("", "en")


def sample_prose(text: str, blocks: Iterable[Block]) -> list[str]:
    """Pieces of a document's paragraphs, spread evenly over it, without tables, listings and headings."""
    stretches = [
        (start, min(start + PIECE, block.end))  # a paragraph of many pages is many
        for block in blocks
        if block.kind == "text"
        for start in range(block.start, block.end, PIECE)
    ]
    pieces: list[str] = []
    gathered = ""
    for start, end in _spread(stretches, LOOKED_AT):
        part = text[start:end]
        if _LISTING.match(part) or sum(category(sign)[0] in "LMZ" for sign in part) < _PROSE * len(part):
            continue
        gathered += part + "\n"
        if len(gathered) >= ENOUGH:
            pieces.append(gathered)
            gathered = ""
    if len(gathered) >= SHORTEST:
        pieces.append(gathered)
    return _spread(pieces, PIECES)


def _spread(of: list[Part], most: int) -> list[Part]:
    """At most so many of these, at even distances."""
    return of if len(of) <= most else [of[n * len(of) // most] for n in range(most)]


def likely_language(text: str, least: float = SURE) -> str:
    """The code of the language that a sentence or two are in with this probability at least; "" where there is none."""
    language, probability = _load_identifier().classify(text)
    return language if probability >= least and language != NO_LANGUAGE else ""


@cache
def _load_identifier() -> "LanguageIdentifier":
    """The detector, its model unpacked in memory: its own way is by a temporary file, for which a disk may be too full.

    A document must not go to quarantine for that.
    """
    import lzma  # late, all of them: the model takes half a second
    from array import array
    from io import BytesIO

    import numpy as np
    from py3langid.langid import MODEL_DIR, MODEL_FILE, LanguageIdentifier

    with lzma.open(MODEL_DIR / MODEL_FILE) as packed, np.load(BytesIO(packed.read()), allow_pickle=False) as model:
        moves, rows = (array(part.dtype.char, part.tobytes()) for part in (model["nextmove"], model["nextmove_row"]))
        identifier = LanguageIdentifier(
            model["ptc"],
            model["pc"],
            model["classes"].tolist(),
            moves,
            model["out_feat"].tolist(),
            norm_probs=True,
            tk_row=rows,
        )
    identifier.set_languages([name for name in identifier.labels if name not in _DIALECTS])
    return identifier
