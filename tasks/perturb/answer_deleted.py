"""The gold chunk without the answer, otherwise alike (RARE §5.2, C.2): the supporting sentences are deleted."""

import re
from collections.abc import Iterable
from functools import lru_cache

from rarefy.data_contracts.rows import Chunk, Question
from rarefy.tasks.chunk.sentences import sentences
from rarefy.tasks.perturb.notations import occurs

_DIVIDER = re.compile(r"\|?\s*:?-{3,}")


def answer_deleted(question: Question, chunk: Chunk) -> tuple[str, str]:
    """The chunk's text without the question's evidence and without the answer in any notation; why not, or "".

    Reasons: `nothing_deleted` (no evidence in this chunk), `answer_remains` (in a table's header, say), `nothing_left`.
    A table loses whole rows and keeps its header and the labels over groups of rows.
    """
    text = chunk.text
    units = _units(text)
    spans = [(s.start, s.end) for s in question.evidence_spans if s.chunk_id == chunk.chunk_id]
    quoted = {e.strip().casefold() for e in question.evidence}
    gone = {u for u in units if any(u[0] < end and start < u[1] for start, end in spans)}
    # The same sentence again, elsewhere in the chunk, would still answer.
    gone |= {u for u in units if text[u[0] : u[1]].strip().casefold() in quoted}
    if not gone:
        return text, "nothing_deleted"
    gone |= {u for u in units if occurs(text[u[0] : u[1]], question.answer, question.aliases)}
    left = _without(text, gone)
    if occurs(left, question.answer, question.aliases):  # over the end of a sentence, a line or a row: then lines go
        gone |= {line for line in _lines(text) if occurs(text[line[0] : line[1]], question.answer, question.aliases)}
        gone = {line for line in gone if not _is_header(text, line)}
        left = _without(text, gone)
    if occurs(left, question.answer, question.aliases):
        return text, "answer_remains"
    if not any(c.isalnum() for c in left) or all(_is_header(left, line) for line in _lines(left)):
        return text, "nothing_left"
    return left, ""


def _lines(text: str) -> list[tuple[int, int]]:
    return [m.span() for m in re.finditer(r"[^\n]+", text)]


def _is_header(text: str, line: tuple[int, int]) -> bool:
    """Is this line a table's header, or the divider below it?"""
    start, end = line
    if not text.startswith("|", start):
        return False
    following = text[end + 1 : end + 8]
    return _DIVIDER.match(text, start) is not None or _DIVIDER.match(following) is not None


def _is_group(row: str) -> bool:
    """Is this a row with a label alone, under which others stand?"""
    return not any(cell.strip() for cell in row.strip("|").split("|")[1:])


@lru_cache(1000)
def _units(text: str) -> tuple[tuple[int, int], ...]:
    """What can be deleted, in order: the rows of tables without their headers, and the sentences of other lines."""
    units = []
    for start, end in _lines(text):
        if text.startswith("|", start):
            if not _is_header(text, (start, end)) and not _is_group(text[start:end]):
                units.append((start, end))
        else:
            units += [(start + a, start + b) for a, b in sentences(text[start:end])]
    return tuple(units)


def _without(text: str, gone: Iterable[tuple[int, int]]) -> str:
    """The text without these spans, and without the gaps that they leave."""
    kept, at = [], 0
    for start, end in sorted(gone):
        if end <= at:
            continue
        kept.append(text[at : max(start, at)])
        at = end
        # A row's line break and the space after a sentence go with them.
        if text[at : at + 1] in ("", "\n"):
            kept[-1] = kept[-1].rstrip(" ")
        if at < len(text) and (text[at] == " " or (text[at] == "\n" and (start == 0 or text[start - 1] == "\n"))):
            at += 1
    kept.append(text[at:])
    return re.sub(r"\n{3,}", "\n\n", "".join(kept)).strip("\n")
