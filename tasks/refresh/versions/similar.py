"""Which texts of one side stand in the place of which of the other: those that are alike, none of them twice."""

from collections.abc import Iterator, Sequence

ALIKE = 60.0  # rapidfuzz's ratio, 0 to 100: far below that of a sentence with one figure restated
MANY = 40_000  # pairs of texts that are compared letter by letter; beyond that, those that begin alike are taken
BEGINNING = 24  # characters


def similar(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Places of texts that are alike: those of a table's row with the same label first, then the most alike."""
    first = _labelled(old, new)
    yield from first
    labelled = {one for one, _ in first}, {one for _, one in first}
    left = [at for at in range(len(old)) if at not in labelled[0]]
    right = [at for at in range(len(new)) if at not in labelled[1]]
    if not left or not right:
        return
    if len(left) * len(right) > MANY:
        yield from _keyed(left, right, [one[:BEGINNING] for one in old], [one[:BEGINNING] for one in new])
        return
    from rapidfuzz import fuzz, process

    table = process.cdist([old[at] for at in left], [new[at] for at in right], scorer=fuzz.ratio, score_cutoff=ALIKE)
    ranked = sorted((-float(table[i, j]), i, j) for i, j in zip(*table.nonzero(), strict=True))
    used: set[tuple[str, int]] = set()
    for _, i, j in ranked:
        if ("old", i) not in used and ("new", j) not in used:
            used |= {("old", i), ("new", j)}
            yield left[i], right[j]


def _labelled(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Rows of tables with the same first cell."""

    def label(text: str) -> str:
        return text.split("|")[1].strip() if text.startswith("|") and text.count("|") > 1 else ""

    labels = [label(text) for text in old], [label(text) for text in new]
    return list(_keyed(range(len(old)), range(len(new)), *labels))


def _keyed(
    left: Sequence[int], right: Sequence[int], old: Sequence[str], new: Sequence[str]
) -> Iterator[tuple[int, int]]:
    """Places of equal keys, in their order; "" is no key."""
    waiting: dict[str, list[int]] = {}
    for at in reversed(right):
        waiting.setdefault(new[at], []).append(at)
    for at in left:
        if old[at] and waiting.get(old[at]):
            yield at, waiting[old[at]].pop()
