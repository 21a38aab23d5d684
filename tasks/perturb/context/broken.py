"""What is left of a passage that was badly extracted: fragments, markup, page furniture (Magic Mushroom §3.2)."""

import re
from collections.abc import Callable, Iterator
from html import escape
from random import Random

from rarefy.tasks.perturb.context.selected import Near
from rarefy.tasks.perturb.passages import units

# A third of a passage's words at most, and no more than these, so that it says nothing
KEPT, WORDS = 0.35, 40
_TIDY = re.compile(r"\s+")


def wrecks(near: Near, random: Random) -> Iterator[tuple[str, str]]:
    """Remnants of a passage and how they came about, in an order drawn for it: first those that fit its kind."""
    made = [cut_row, page_break, navigation, tags] if near.text.count("\n|") > 1 else [tags, navigation, page_break]
    first = random.randrange(2)
    for make in (*made[first:], *made[:first]):
        text = make(near, random)
        if text:
            yield text, _HOW[make]


def tags(near: Near, random: Random) -> str:
    """Half-stripped HTML: a few words of some sentences between tags and entities that stayed."""
    own = _fragments(near, random, 3)
    if not own:
        return ""
    open_, close = random.choice((("<p>", "</p>"), ("<span>", "</span>"), ("<li>", "</li>"), ("<b>", "</b>")))
    colour = random.choice(("#000000", "#231f20", "#333"))
    parts = [f'<div style="text-align:justify"><font style="font-family:inherit;color:{colour}">']
    for i, fragment in enumerate(own):
        parts.append(f"{open_ if i else ''}{_entities(fragment)}{random.choice(('&nbsp;', '&#160;', '<br>', ''))}")
        parts.append(close if random.random() < 0.6 else "")
    parts.append(random.choice(("</font></div>", "</font></div><hr/>", "</div></div><br clear=all>")))
    return "".join(parts)


def cut_row(near: Near, random: Random) -> str:
    """Cells of a table whose rows were torn apart: labels without their figures, dollar signs, blanks."""
    rows = [near.text[u.start : u.end] for u in units(near.text) if u.kind == "row"]
    labels = [label for label in (_TIDY.sub(" ", row.strip("| ").split("|")[0]).strip() for row in rows) if label]
    if not labels:
        return ""
    at = random.randrange(len(labels))
    parts = []
    for label in labels[at : at + 4]:
        empty = "".join(random.choice(("<td></td>", "<td>$</td>", "<td>&nbsp;</td>", "<td>)</td>")) for _ in range(3))
        parts.append(f"<td>{_entities(_short(label, 8))}</td>{empty}</tr><tr>")
    last = parts.pop()
    parts.append(last[: max(10, int(len(last) * random.uniform(0.3, 0.7)))])
    return "</td></tr><tr>" + "\n".join(parts)


def navigation(near: Near, random: Random) -> str:
    """The furniture of a page, and a line of its text."""
    own = _fragments(near, random, 1)
    trail = [part for part in (near.title, *near.section.split(" > ")) if part]
    page = random.randrange(12, 140)
    top = random.choice(("Skip to main content | Print", "Table of Contents", "« Previous | Next »", "Back to top"))
    lines = [top, " > ".join(_short(part, 10) for part in trail), *(f"... {fragment} ..." for fragment in own)]
    lines += [random.choice((f"- {page} -", f"Page {page}", f"{page}\f", f"{page} | Table of Contents"))]
    return "\n".join(line for line in lines if line)


def page_break(near: Near, random: Random) -> str:
    """The foot of one page and the head of the next, the sentence between them gone."""
    own = _fragments(near, random, 2)
    if len(own) < 2:
        return ""
    page = random.randrange(12, 140)
    running = _short(near.title, 10) or "Table of Contents"
    tail = own[0].split()
    hyphen = tail[-1][: max(2, len(tail[-1]) // 2)] + "-" if tail[-1].isalpha() and len(tail[-1]) > 5 else tail[-1]
    return "\n".join((" ".join([*tail[:-1], hyphen]), "", str(page), running, "(continued)", "", "... " + own[1]))


_HOW: dict[Callable[[Near, Random], str], str] = {
    tags: "fragments in HTML",
    cut_row: "a table's torn rows",
    navigation: "a page's furniture",
    page_break: "two ends of pages",
}


def _fragments(near: Near, random: Random, most: int) -> list[str]:
    """A few words of some sentences, in their order, cut where no sense is complete; figures are left behind."""
    told = [near.text[u.start : u.end] for u in units(near.text) if u.kind in ("sentence", "row")]
    told = [_TIDY.sub(" ", re.sub(r"[|*_#]+", " ", one)).strip() for one in told]
    told = [one for one in told if len(re.findall(r"[^\W\d_]{2,}", one)) >= 4]
    chosen = sorted(random.sample(range(len(told)), min(most, len(told))))
    room = min(WORDS, int(KEPT * sum(len(one.split()) for one in told)) + 3) // max(len(chosen), 1)
    found = []
    for i in chosen:
        words = told[i].split()
        size = min(random.randrange(4, 9), max(room, 3), max(len(words) - 2, 2))
        start = random.randrange(max(len(words) - size, 1))
        found.append(" ".join(word for word in words[start : start + size] if not re.search(r"\d", word)))
    return [one for one in found if one]


def _short(text: str, words: int) -> str:
    return " ".join(text.split()[:words])


def _entities(text: str) -> str:
    """Escaped twice, as by two programs in a row."""
    twice = escape(escape(text, quote=False), quote=False)
    return twice.replace("’", "&#8217;").replace("“", "&#8220;").replace("—", "&#8212;")
