"""Remove differences between two texts that change no meaning: table layouts, question frames, set phrases."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache

from rarefy.tasks.text import wordnet
from rarefy.tasks.text.syntax import words
from rarefy.tasks.text.syntax.questions import plainly
from rarefy.tasks.text.syntax.tables import Table, tables

Facts = Counter[tuple[str, frozenset[str], str]]  # (group, label and header, cell)

TAKEN = "\n[table]\n"  # what stands for a table in a text that may have said nothing else

_FORMS = ("base", "s", "ing", "ed", "past", "participle")
_PAIRED = re.compile(r"^(?P<cell>.+) in (?P<header>[^,;]*\d{4})$")


def remove_known_differences(one: str, other: str) -> tuple[str, str]:
    """Both texts with each table that they share replaced by one mark (TAKEN), and set phrases in one wording each.

    A table is alike where every cell of it stands beside the same label, header and group in the other text, as a
    table or as lines, and none besides; the lines are read back by themselves, however they were made.
    """
    for turned in (False, True):
        grid, text = (other, one) if turned else (one, other)
        grid, text = _without_tables(grid, text)
        one, other = (text, grid) if turned else (grid, text)
    return _trim(canonical_wording(one)), _trim(canonical_wording(other))


def _trim(text: str) -> str:
    return re.sub(r"\s*\n\s*", "\n", text).strip()


@lru_cache(4096)
def canonical_wording(text: str) -> str:
    """The text with each phrase and each verb of several words in one wording, and no question's frame."""
    text = plainly(text)
    for pattern, table in _patterns():
        text = pattern.sub(lambda match, table=table: _in_case(table[match[0].lower()], match[0]), text)  # type: ignore[misc]
    return text


def _in_case(phrase: str, instead: str) -> str:
    """A phrase with the capital of the one that it stands for, by which sentences are told apart."""
    return phrase[0].upper() + phrase[1:] if instead[0].isupper() else phrase


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], Mapping[str, str]], ...]:
    """The phrases of a class by one of them, and verbs of several words by the one that they stand for."""
    first: dict[str, str] = {}
    for phrase in words.phrase_table():
        for instead in phrase.instead:
            found = (_top(first, phrase.words.lower()), _top(first, instead.lower()))
            # a word stands for phrases: it is not looked for, as it may be another word too
            a, b = sorted(found, key=lambda p: (" " in p, p))
            first[b] = a
    classes = {phrase: _top(first, phrase) for phrase in first if " " in phrase or "," in phrase}
    classes |= {p: p for p in set(classes.values())}
    return tuple(
        (
            re.compile(
                r"(?<![\w-])(?:" + "|".join(map(re.escape, sorted(t, key=len, reverse=True))) + r")(?![\w-])", re.I
            ),
            t,
        )
        for t in (classes, _verbs())
    )


def _top(first: dict[str, str], phrase: str) -> str:
    while first.setdefault(phrase, phrase) != phrase:
        phrase = first[phrase]
    return phrase


def _verbs() -> dict[str, str]:
    found: dict[str, str] = {}
    for (lemma, pos), rows in words.word_table().items():
        for instead in (w for allowed in rows for w in allowed.instead if pos == "v" and " " in w):
            for form in _FORMS:
                long, short = wordnet.inflect(instead, "v", form), wordnet.inflect(lemma, "v", form)
                if long and short:
                    found.setdefault(long, short)
    return found


def _without_tables(grid: str, text: str) -> tuple[str, str]:
    for table in reversed(list(tables(grid))):
        place = _place(grid, table, text)
        if place:
            grid = grid[: table.start] + TAKEN + grid[table.end :]
            text = text[: place[0]] + TAKEN + text[place[1] :]
    return grid, text


def _place(grid: str, table: Table, text: str) -> tuple[int, int] | None:
    wanted = facts(grid, table)
    for other in tables(text):
        if facts(text, other) == wanted:
            return other.start, other.end
    lines: list[tuple[int, str]] = []
    at = 0
    for line in text.splitlines(keepends=True):
        lines.append((at, line.strip()))
        at += len(line)
    labels = [grid[row[0].start : row[0].end] for row in table.rows]
    headers = [grid[h.start : h.end] for h in table.headers]
    starts = [
        n
        for n, (_, line) in enumerate(lines)
        if line.removeprefix("- ").startswith((labels[0] or "\0", headers[0] or "\0"))
    ]
    for start in starts:
        for size in {len(labels), len(headers)}:
            run = lines[start : start + size]
            if len(run) == size and _read([line for _, line in run], labels, headers, table, grid) == wanted:
                return run[0][0], run[-1][0] + len(run[-1][1])
    return None


def facts(text: str, table: Table) -> Facts:
    """Every cell of a table with its label, header and group."""
    found: Facts = Counter()
    group = ""
    corner = text[table.corner.start : table.corner.end]
    for row in table.rows:
        cells = [text[c.start : c.end] for c in row]
        if not any(cells[1:]):
            group = cells[0]
            found[group, frozenset(), ""] += 1
            continue
        for header, cell in zip(table.headers, cells[1:], strict=True):
            if cell:
                found[group, frozenset((cells[0], text[header.start : header.end])), cell] += 1
    if corner and not group:
        found[corner, frozenset(), ""] += 0
    return found


def _read(lines: Sequence[str], labels: Sequence[str], headers: Sequence[str], table: Table, grid: str) -> Facts:
    """What lines say of these labels and headers: see `tables` for how they may say it."""
    found: Facts = Counter()
    group = ""
    groups = {grid[row[0].start : row[0].end] for row in table.rows if all(c.start == c.end for c in row[1:])}
    for line in lines:
        if line in groups:
            group = line
            found[group, frozenset(), ""] += 1
            continue
        for label, header, cell in _said(line.removeprefix("- "), labels, headers):
            found[group, frozenset((label, header)), cell] += 1
    return found


def _said(line: str, labels: Sequence[str], headers: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    header = _head(line, headers, (": ",))
    if header and (rest := line[len(header) + 2 :].removesuffix(".")):
        parts = [(label, part) for part in rest.split("; ") if (label := _head(part, labels, (" ",)))]
        if len(parts) == rest.count("; ") + 1:
            yield from ((label, header, part[len(label) + 1 :]) for label, part in parts)
            return
    label = _head(line, labels, (" came to ", ": ", " – "))
    rest = line[len(label) :]
    if not label:
        return
    if rest.startswith(" came to "):
        for part in re.split(r", (?=[^,]* in )| and ", rest.removeprefix(" came to ").removesuffix(".")):
            if match := _PAIRED.fullmatch(part):
                yield label, match["header"], match["cell"]
    elif rest.startswith(": "):
        for part in rest[2:].removesuffix(".").split("; "):
            told = next((h for h in headers if part.endswith(f" ({h})")), "")
            yield label, told, part[: -len(told) - 3]
    else:
        for part in rest[3:].split("; "):
            told = _head(part, headers, (": ",))
            yield label, told, part[len(told) + 2 :]


def _head(text: str, heads: Sequence[str], after: tuple[str, ...]) -> str:
    """The longest of these that the text begins with and one of `after` follows."""
    return max((h for h in heads if h and text.startswith(tuple(h + a for a in after))), key=len, default="")
