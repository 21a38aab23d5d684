"""The gold passage as it is, and reworded with synonyms and another syntax (Magic Mushroom §3.2, M2)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from rarefy.tasks.perturb.case import Case, Draft, Move
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.text.sentences import sentences
from rarefy.tasks.text.syntax import content_words, replacements, rewrites
from rarefy.tasks.text.syntax.pieces import Edit, Kept, Piece, Rewrite, edited, join_pieces, moves, shifted
from rarefy.tasks.text.syntax.tables import layouts, tables

LONGEST = 6_000  # characters of a passage that are changed
TRIES = 40  # draws of drafts
LEAST = 0.25  # share of the wanted synonyms that a draft in the old syntax must have
APART = 2  # changes in which two drafts must differ

_WORDS = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True, slots=True)
class _Part:
    """A sentence or a table at `start`, and what it can become."""

    start: int
    end: int
    ways: tuple[Rewrite, ...]  # another syntax, or another layout
    words: tuple[tuple[Edit, ...], ...]
    content: int
    sentence: str = ""
    table: bool = False


def golden_passage(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The passage as it is; refused (`no_evidence`) where nothing says which part of its chunk is gold."""
    if _has_no_evidence(case):
        yield Draft(case.text, refused="no_evidence")
    elif case.text.strip():
        yield Draft(case.text, (Move(0, len(case.text), 0),))


def golden_augmented(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Different drafts of the passage with `config.synonyms` of its content words replaced and another syntax.

    The answer, the words of the question, names, figures and terms stay. No draft where nothing can be changed.
    """
    if _has_no_evidence(case):
        yield Draft(case.text, refused="no_evidence")
        return
    parts = _find_parts(case)
    layouts_known = max((len(part.ways) for part in parts if part.table), default=0)
    drawn: list[frozenset[tuple[int, int, str]]] = []
    for number in range(TRIES):
        chosen = _draw_changes(parts, config.synonyms, random, number % (layouts_known + 1) if layouts_known else 0)
        marks = frozenset(mark for mark, _ in chosen)
        if not _is_visible_change(parts, marks, config.synonyms) or any(
            _is_too_similar(marks, other) for other in drawn
        ):
            continue
        pieces = _compose_pieces(case.text, parts, dict(chosen))
        text = join_pieces(case.text, pieces)
        if text == case.text or any(form in case.text and form not in text for form in _find_protected(case)):
            continue
        drawn.append(marks)
        yield Draft(text, tuple(Move(*move) for move in moves(pieces)), _describe_changes(case.text, parts, chosen))


def _has_no_evidence(case: Case) -> bool:
    """Whether the passage is part of its chunk and no evidence says that it is the right part."""
    chunk = case.chunks.get(case.chunk_id)
    return not case.spans and chunk is not None and len(case.text.strip()) < len(chunk.text.strip())


_Mark = tuple[int, int, str]  # the part, the place in it (-1: its syntax) and the change
_Change = Rewrite | Edit


def _find_parts(case: Case) -> list[_Part]:
    text = case.text[:LONGEST]
    asked = {word.lower() for word in _WORDS.findall(case.question)}
    fixed = [match.span() for form in _find_protected(case) for match in re.finditer(re.escape(form), text)]
    grids = list(tables(text))
    found = []
    for grid in grids:
        ways = tuple(Rewrite(name, pieces) for name, pieces in layouts(text, grid))
        found.append(_Part(grid.start, grid.end, ways, (), 0, table=True))
    for start, end in sentences(text):
        sentence = text[start:end]
        if end == LONGEST or "\n" in sentence or "|" in sentence or sentence.startswith(("#", "-", "*", "[")):
            continue
        if any(grid.start < end and start < grid.end for grid in grids):
            continue
        within = [(a - start, b - start) for a, b in fixed if a < end and start < b]
        words = tuple(
            edits for edits in replacements(sentence)
            if not any(a < e.end and e.start < b for e in edits for a, b in within)
            and not asked & {w.lower() for e in edits for w in _WORDS.findall(sentence[e.start : e.end])}
        )  # fmt: skip
        ways = tuple(way for way in rewrites(sentence) if all(_is_kept_whole(way.pieces, a, b) for a, b in within))
        if words or ways:
            found.append(_Part(start, end, ways, words, content_words(sentence), sentence))
    return sorted(found, key=lambda part: part.start)


def _find_protected(case: Case) -> list[str]:
    return [form for form in (case.answer, *case.aliases) if form.strip()]


def _is_kept_whole(pieces: Sequence[Piece], start: int, end: int) -> bool:
    return any(isinstance(piece, Kept) and piece.start <= start and end <= piece.end for piece in pieces)


def _draw_changes(parts: Sequence[_Part], share: float, random: Random, layout: int) -> list[tuple[_Mark, _Change]]:
    """Random changes: a syntax for each sentence that has one, and synonyms up to the share of the content words."""
    chosen: list[tuple[_Mark, _Change]] = []
    words: dict[str, list[tuple[_Mark, _Change]]] = {}
    words_used: dict[str, int] = {}
    for number, part in enumerate(parts):
        if part.ways:
            if part.table:  # each layout in turn; 0: as it was
                at = layout - 1 if layout <= len(part.ways) else random.randrange(len(part.ways))
            else:
                at = random.randrange(-1 if len(part.ways) > 1 else 0, len(part.ways))
                if random.random() < 0.2:
                    at = -1
            if at >= 0:
                chosen.append(((number, -1, f"{part.ways[at].rule} {at}"), part.ways[at]))
        for edits in part.words:
            # one word for a thing throughout, in the plural too
            old = part.sentence[edits[0].start : edits[0].end].lower().removesuffix("s")
            edit = edits[words_used.setdefault(old, random.randrange(len(edits))) % len(edits)]
            words.setdefault(old, []).append(((number, edit.start, edit.new), edit))
    budget = max(1, round(share * sum(part.content for part in parts)))
    drawn = random.sample(list(words), len(words))
    taken: list[tuple[_Mark, _Change]] = []
    # not all, so that draws differ
    for old in drawn[: max(1, round(len(drawn) * 0.8))]:
        if len(taken) < budget:
            taken += words[old]
    return chosen + taken


def _is_visible_change(parts: Sequence[_Part], marks: frozenset[_Mark], share: float) -> bool:
    """Whether the draft visibly differs: another syntax somewhere, or enough synonyms (two at least)."""
    content = sum(part.content for part in parts)
    return any(place < 0 for _, place, _ in marks) or len(marks) >= max(2, LEAST * share * content)


def _is_too_similar(one: frozenset[_Mark], other: frozenset[_Mark]) -> bool:
    differ = one ^ other
    return len(differ) < APART and not any(place < 0 for _, place, _ in differ)


def _compose_pieces(text: str, parts: Sequence[_Part], chosen: dict[_Mark, _Change]) -> list[Piece]:
    found: list[Piece] = []
    at = 0
    for number, part in enumerate(parts):
        of_part = [change for (which, _, _), change in chosen.items() if which == number]
        way = next((c for c in of_part if isinstance(c, Rewrite)), None)
        edits = [c for c in of_part if isinstance(c, Edit)]
        if not of_part:
            continue
        found.append(Kept(at, part.start))
        if part.table:
            found += way.pieces if way else (Kept(part.start, part.end),)
        else:
            whole: tuple[Piece, ...] = way.pieces if way else (Kept(0, part.end - part.start),)
            found += shifted(edited(whole, edits), part.start)
        at = part.end
    return [*found, Kept(at, len(text))]


def _describe_changes(text: str, parts: Sequence[_Part], chosen: Sequence[tuple[_Mark, _Change]]) -> str:
    """The names of the changes of syntax, and the words changed, for a row's detail."""
    ways = [change.rule for _, change in chosen if isinstance(change, Rewrite)]
    words = [
        f"{text[parts[n].start + c.start : parts[n].start + c.end]} > {c.new}"
        for (n, _, _), c in chosen
        if isinstance(c, Edit)
    ]
    return "; ".join([*dict.fromkeys(ways), *words])
