"""Which files of a folder are whole: those that stayed the same over two looks, so many seconds apart."""

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import BaseModel

from rarefy.tasks.refresh.feeds.moment import Moment

Mark = tuple[str, str]  # stamp (size and times, as they are told), digest of the content
NONE: Mark = ("", "")  # no file of that name


class Waiting(BaseModel):
    """A file that is not what it was, and since when it has been what it is."""

    mark: Mark
    boot: str
    since: float


class Watched(BaseModel):
    """What is known of a folder: the files that were taken, and those that have to settle."""

    format: int = 1
    taken: dict[str, Mark] = {}
    waiting: dict[str, Waiting] = {}


@dataclass(frozen=True)
class Moves:
    """What became of files, by path."""

    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.added or self.edited or self.deleted or self.renamed)

    def told(self) -> str:
        """In words: two names of each kind, and how many."""
        kinds = {
            "added": self.added,
            "edited": self.edited,
            "deleted": self.deleted,
            "renamed": tuple(f"{old} to {new}" for old, new in self.renamed),
        }
        return "; ".join(
            f"{len(names):,} {kind} ({', '.join(names[:2])}{', …' if len(names) > 2 else ''})"
            for kind, names in kinds.items()
            if names
        )


@dataclass(frozen=True)
class Look:
    """What one look came to: what to remember, what moved, and which files are still waited for."""

    after: Watched
    moves: Moves
    waiting: tuple[str, ...]


def settle(before: Watched, listed: Mapping[str, Mark], now: Moment, seconds: float, hold: float) -> Look:
    """What is whole now. What is not listed is gone once it is not listed twice, just as a file is there.

    While some files still change, those that settled wait for them, at most `hold` seconds.
    """
    taken, waiting, ready = dict(before.taken), dict[str, Waiting](), dict[str, Waiting]()
    for path in sorted({*listed, *before.taken, *before.waiting}):
        mark, had = listed.get(path, NONE), taken.get(path, NONE)
        if mark == had:
            continue
        if NONE not in (mark, had) and mark[1] == had[1]:
            taken[path] = mark  # touched, and still the same
            continue
        known = before.waiting.get(path)
        if known is None or known.mark != mark or known.boot != now.boot or known.since > now.seconds:
            waiting[path] = Waiting(mark=mark, boot=now.boot, since=now.seconds)
        elif now.after(known.boot, known.since) >= seconds:
            ready[path] = known
        else:
            waiting[path] = known
    unsettled = tuple(waiting)
    oldest = max((now.after(one.boot, one.since) for one in ready.values()), default=0.0)
    if unsettled and oldest < seconds + hold:
        return Look(Watched(taken=taken, waiting=waiting | ready), Moves(), unsettled)
    for path, one in ready.items():
        taken.pop(path, None)
        if one.mark != NONE:
            taken[path] = one.mark
    return Look(Watched(taken=taken, waiting=waiting), moves(before.taken, taken), unsettled)


def moves(before: Mapping[str, Mark], after: Mapping[str, Mark]) -> Moves:
    """What became of files: one that is gone while its content stands under a new name was renamed."""
    gone = {path for path in before if path not in after}
    fresh = {path for path in after if path not in before}
    edited = tuple(sorted(path for path in after if path in before and after[path][1] != before[path][1]))
    where: dict[str, list[str]] = {}
    for path in sorted(gone, reverse=True):
        where.setdefault(before[path][1], []).append(path)
    renamed = []
    for path in sorted(fresh):
        if where.get(after[path][1]):
            renamed.append((where[after[path][1]].pop(), path))
    gone -= {old for old, _ in renamed}
    fresh -= {new for _, new in renamed}
    return Moves(tuple(sorted(fresh)), edited, tuple(sorted(gone)), tuple(renamed))
