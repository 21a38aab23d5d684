"""A draft made by replacing stretches of a text, with the places of everything that stayed."""

from collections.abc import Callable, Iterable, Iterator

from rarefy.tasks.perturb.case import Draft, Move

Edit = tuple[int, int, str]  # `text[start:end]` gives way to this


def edited(text: str, edits: Iterable[Edit], detail: str = "") -> Draft:
    """The text with these stretches replaced; they must not overlap. Work is linear in the text, however many."""
    pieces: list[str] = []
    moves: list[Move] = []
    done = at = 0
    for start, end, new in sorted(edits, key=lambda edit: edit[:2]):
        if start < done:
            raise ValueError(f"edits overlap at character {start}: {new!r}")
        if start > done:
            moves.append(Move(done, start, at))
        pieces += (text[done:start], new)
        at += start - done + len(new)
        done = end
    if done < len(text):
        moves.append(Move(done, len(text), at))
    pieces.append(text[done:])
    return Draft("".join(pieces), tuple(moves), detail)


BARREN = 8  # draws that may bring nothing new in a row, before there are taken to be no more


def different(text: str, draw: Callable[[], Draft]) -> Iterator[Draft]:
    """Draft after draft, each different from the text and from those before, until several draws bring nothing new."""
    seen, barren = {text}, 0
    while barren < BARREN:
        draft = draw()
        barren = barren + 1 if draft.text in seen else 0
        if not barren:
            seen.add(draft.text)
            yield draft


def told(changes: Iterable[tuple[str, str]], most: int = 5) -> str:
    """What was changed, as a row says it: "sales: slaes, what: waht"; the first few of many."""
    listed = list(changes)
    more = f", and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(f"{old}: {new}" for old, new in listed[:most]) + more


def composed(first: Draft, second: Draft) -> Draft:
    """Two changes as one: the second's text, with the places of what both of them left alone."""
    moves: list[Move] = []
    later = iter(second.moves)
    now = next(later, None)
    for move in first.moves:
        low, high = move.at, move.at + move.end - move.start  # where it stands in the text between
        while now and now.end <= low:
            now = next(later, None)
        while now and now.start < high:
            start, end = max(low, now.start), min(high, now.end)
            moves.append(Move(move.start + start - low, move.start + end - low, now.at + start - now.start))
            if now.end > high:
                break
            now = next(later, None)
    detail = "; ".join(filter(None, (first.detail, second.detail)))
    return Draft(second.text, tuple(moves), detail)


def pieced(text: str, parts: Iterable[tuple[int, int] | str], detail: str = "") -> Draft:
    """A text put together from stretches `(start, end)` of this one, in any order, and new strings between them."""
    pieces: list[str] = []
    moves: list[Move] = []
    at = 0
    for part in parts:
        piece = part if isinstance(part, str) else text[part[0] : part[1]]
        if not isinstance(part, str) and piece:
            moves.append(Move(part[0], part[1], at))
        pieces.append(piece)
        at += len(piece)
    return Draft("".join(pieces), tuple(moves), detail)
