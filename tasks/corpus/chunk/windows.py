"""Which units stand in one chunk: up to the limit, cut where a later edit moves the fewest cuts."""

import zlib
from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

from rarefy.tasks.corpus.chunk.profiles import Profile
from rarefy.tasks.corpus.chunk.units import Unit

# A chunk that must end before its Item does ends at a heading when it is this full, else between paragraphs, else
# sentences. Among equals the smallest hash of the text that follows is taken, not the last that fits: so cuts hang on
# the text around them, and after an edit they soon fall where they fell before.
FULL_AT_HEADING, FULL = 0.5, 0.75


@dataclass(frozen=True, slots=True)
class Window:
    """Units `[first, last)`; those before `new` stand in the window before too."""

    first: int
    new: int
    last: int


def windows(text: str, units: list[Unit], profile: Profile, fragment: int) -> list[Window]:
    """The windows over these units, in order, every unit new in exactly one of them."""
    plan = _Plan(text, units, profile, fragment)
    spans = plan.without_fragments(plan.spans())
    result: list[Window] = []
    for new, last in spans:
        first = plan.repeated(new, result[-1].new if result else new)
        while first < new and plan.weight(first, last) > profile.size:
            first += 1
        result.append(Window(first, new, last))
    return result


class _Plan:
    """The units with their running sums, so that the weight of a stretch takes no time."""

    def __init__(self, text: str, units: list[Unit], profile: Profile, fragment: int) -> None:
        self.text, self.units, self.profile, self.fragment = text, units, profile, fragment
        self.sums = [0, *accumulate(unit.weight for unit in units)]
        self.word_sums = [0, *accumulate(unit.words for unit in units)]
        # a new Item begins a chunk and a table ends one
        self.stops = [i for i in range(1, len(units)) if units[i].item or units[i - 1].table] + [len(units)]

    def weight(self, first: int, last: int) -> int:
        return self.sums[last] - self.sums[first]

    def words(self, first: int, last: int) -> int:
        return self.word_sums[last] - self.word_sums[first]

    def spans(self) -> list[tuple[int, int]]:
        """Stretches of units, each a chunk of what is new."""
        spans: list[tuple[int, int]] = []
        at = 0
        while at < len(self.units):
            repeated = self.weight(self.repeated(at, spans[-1][0]), at) if spans else 0
            cut = self.cut(at, repeated)
            spans.append((at, cut))
            at = cut
        return spans

    def cut(self, at: int, repeated: int) -> int:
        """Where the chunk ends that begins at `at`, after so much of the one before."""
        stop = self.stops[bisect_right(self.stops, at)]
        room = self.profile.size - repeated
        table = stop - 1 if self.units[stop - 1].table else stop
        if self.weight(at, table) > room:
            return self.cut_in_text(at, table, repeated)
        if at < table < stop and (
            self.weight(at, stop) > room
            or self.units[table].heading
            or self.weight(at, table) > self.profile.size * FULL_AT_HEADING
        ):
            return table  # what stands before a table goes with it where both fit and no heading parts them
        return stop

    def cut_in_text(self, at: int, stop: int, repeated: int) -> int:
        size = self.profile.size
        last = max(bisect_right(self.sums, self.sums[at] + size - repeated) - 1, at + 1)
        best: tuple[int, int, int, int, int] | None = None
        for i in range(min(last, stop), at, -1):
            unit = self.units[i] if i < len(self.units) else None
            full = (repeated + self.weight(at, i)) / size
            if unit is None or full < FULL_AT_HEADING:
                break
            if full < FULL and not unit.heading:
                continue
            leaves_fragment = self.words(i, stop) < self.fragment
            kind = 0 if unit.heading else 2 if unit.continues else 1
            follows = self.text[unit.start : unit.start + 200].encode("utf-8", "surrogatepass")
            rank = (int(leaves_fragment), kind, unit.heading, zlib.crc32(follows), i)
            best = rank if best is None else min(best, rank)
        return best[-1] if best else last

    def repeated(self, new: int, least: int) -> int:
        """From which unit on the chunk that begins at `new` repeats the one before it, which began at `least`.

        Whole paragraphs, or sentences where a cut paragraph goes on; none where the last of them is too long, where
        a heading or a table begins, or after a table.
        """
        first = new
        while (
            first - 1 > least
            and not (self.units[first].heading or self.units[first].table or self.units[first - 1].table)
            and self.weight(first - 1, new) <= self.profile.overlap
        ):
            first -= 1
        return first

    def without_fragments(self, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """The stretches, those of too few words joined to a neighbour of the same Item, where the limit lets them."""
        joined: list[tuple[int, int]] = []
        for index, (first, last) in enumerate(spans):
            if joined and joined[-1][1] > first:  # the fragment before took this one along
                first, last = joined.pop()[0], last
            if self.words(first, last) >= self.fragment:
                joined.append((first, last))
                continue
            before = bool(joined) and not self.units[first].item and self.fits(joined[-1][0], last)
            after = last < len(self.units) and not self.units[last].item and self.fits(first, spans[index + 1][1])
            if after and (self.units[first].heading or not before):
                joined.append((first, spans[index + 1][1]))
            elif before:
                joined[-1] = (joined[-1][0], last)
            else:
                joined.append((first, last))
        return joined

    def fits(self, first: int, last: int) -> bool:
        tables = [unit.weight for unit in self.units[first:last] if unit.table]
        if not tables:
            return self.weight(first, last) <= self.profile.size
        # the limit is no promise for a table, so that a fragment beside one need not stand alone
        return self.weight(first, last) <= max(self.profile.size, *tables) + 2 * self.fragment
