"""Low-quality noise: passages near the gold one made false throughout, or broken (Magic Mushroom §3.2-3.3)."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import Decimal
from functools import lru_cache
from html import escape
from itertools import combinations, pairwise
from random import Random

from rarefy.data_contracts.rows import Swap, row_id
from rarefy.tasks.corpus.read.language import is_english
from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.context.selected import NearbyPassage, find_nearby_passages, topic_stems
from rarefy.tasks.perturb.context.swaps import (
    Edit,
    Figure,
    apply_edits,
    correct_articles,
    find_figures,
    is_in_range,
    replace_value,
    round_like,
)
from rarefy.tasks.perturb.passages import DIVIDER, split_units
from rarefy.tasks.text.dates import MONTHS
from rarefy.tasks.text.notations import contains_answer
from rarefy.tasks.text.quantities import quantities
from rarefy.tasks.text.stems import stems

# False passages

# Turned round only in what has happened: "may increase" is no fact, and its opposite no falsehood
_TREND = {
    "increased": "decreased",
    "decreased": "increased",
    "rose": "fell",
    "fell": "rose",
    "grew": "declined",
    "declined": "rose",
    "improved": "deteriorated",
    "strengthened": "weakened",
    "weakened": "strengthened",
    "higher than": "lower than",
    "lower than": "higher than",
}
# As verbs: "sales increased in Europe", not "an increased risk" and "the improved version"
_TURN = re.compile(
    rf"(?<=\w )(?<!\bthe )(?<!\ban )(?<!\ba )(?<!\bof )(?<!\band )(?<!\bor )(?<!\bwith )(?<!\bby )(?<!ing )(?<!\bnot )"
    rf"(?<!\bno )(?<!\bhave )(?<!\bhas )(?<!\bhad )"
    rf"\b(?:{'|'.join(_TREND)})\b(?=\s(?:during|in|from|compared|as|due|primarily|slightly|significantly|modestly|sharply"
    rf"|substantially|somewhat|again|further|over|at|the|its|a)\b|[.;])"
)
_UNSURE = re.compile(r"\b(?:may|might|could|would|should|can|[Ii]f|[Ww]hether|[Ff]rom)\b")  # May is a month
# What ties a sentence's trend to another one's
_LINKED = re.compile(
    r"(?i)\b(?:also|again|further|still|continued?|continues|remain(?:ed|s)?|too|likewise|similarly|but|although|though"
    r"|while|whereas|however|despite|because|reflect(?:ed|ing|s)?|offset|driven|due|result(?:ed|ing)?|as|mixed|moreover"
    r"|before|only)\b"
)
_DIRECTION = re.compile(
    r"(?i)\b(?:rose|ris\w+|fell|fall\w*|grew|grow\w*|declin\w+|(?:in|de)creas\w+|higher|lower|up|down|upward|downward|edg\w+"
    r"|contract\w*|expand\w*|rebound\w*|recover\w*|slow\w*|weak\w*|strong\w*|improv\w+|deteriorat\w+|gain\w*|loss\w*"
    r"|narrow\w*|widen\w*|surg\w+|drop\w*|unchanged)\b"
)
# Whom and what another of its kind can stand for; a segment or a product has its own firm
_SWAPPED = frozenset({"PERSON", "ORG", "GPE", "STATE", "EXCHANGE"})
# What a name says that it names
_SORT_OF_NAME = re.compile(
    r"(?i)\b(?:bank|university|college|school|institute|hospital|llp|pllc|plc|l\.l\.p|exchange|stock market|fund|trust"
    r"|partners|insurance|airlines|agency|department|commission|association|society|city|county|inc|corp|corporation"
    r"|company|co|ltd|llc|court|reserve|group|holdings?)\b"
)
# Rows that others are the sum or the difference of: moved, they would no longer be
_TOTAL = re.compile(
    r"(?i)\b(?:totals?|sub-?totals?|consolidated|worldwide|combined|overall|sum|net|gross|less|plus|other|per share"
    r"|balance|beginning|ending|revenues?|sales$|cost of|income|earnings|profit|margin|loss)\b|\(in "
)
# Lengths of years, weeks and days, which stay
_CALENDAR = frozenset(
    (Decimal(amount), unit)
    for unit, amounts in {"month": (12,), "week": (52, 53), "day": (360, 365, 366), "hour": (24,)}.items()
    for amount in amounts
)
_DIGITS = re.compile(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?!\w)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_SAID_AGAIN = re.compile(
    r"[\s-][^\s().;]+(?: [^\s().;]+)? \((?:a |one |two |three |four |half|[^()]{0,12}\d)", re.IGNORECASE
)
_SO_MANY = {"countries": 200, "nations": 200, "states": 50, "hours a": 24, "days a": 7}
_OF_SO_MANY = re.compile(rf"\s({'|'.join(_SO_MANY)})\b")
_NOUN = re.compile(r"[\s-][a-z]{3}")  # what is counted, and no name
_IN_A_NAME = re.compile(r"(?<![.!?]\s)(?<!^)(?<!\w)[A-Z][\w&’'-]*\s$")  # "GeForce RTX 4080-class"; not "Some 50 games"
_CELL = re.compile(r"[^|]+")
_SORTS = {
    name: re.compile(p) for name, p in (("%", "%"), ("(", r"^\$?\s?\("), (".", r"\d\.\d"), ("1", r"\d"), ("a", ""))
}


RATIOS = 24  # tried for a passage
RELATED = 12  # figures of a passage whose sums are looked at


def falsify_passage(text: str, swaps: Sequence[Swap], random: Random) -> list[Edit]:
    """The edits that make a passage false: rows of tables swap their labels, sentences get other values."""
    units = split_units(text)
    prose = [(u.start, u.end) for u in units if u.kind == "sentence"]
    edits = list(_rotate_row_labels([(u.start, u.end) for u in units if u.kind == "row"], text))
    if any(text[start:end] in text[a:b] for start, end, _ in edits for a, b in prose):
        edits = []  # the sentences beside a table would contradict it
    named = [edit for edit in _swap_names(text, swaps) if _is_inside(edit, prose)]
    scaled: list[Edit] = []
    if not _repeats_table_figure(text, prose):
        scaled = [edit for edit in _scale_figures(text, prose, random) if not _overlaps(edit, named)]
    turned = [e for e in _reverse_trends(text, prose) if not _overlaps(e, (*named, *scaled))]
    found = correct_articles(text, sorted([*named, *scaled, *turned]))
    return sorted([*edits, *found])


def _repeats_table_figure(text: str, prose: Sequence[tuple[int, int]]) -> bool:
    """Whether a sentence repeats a figure of a table beside it, as "$10.5 billion" of 10,500."""
    own: set[str] = set()
    others: set[str] = set()
    for figure in find_figures(text):
        in_prose = any(start <= figure.start < end for start, end in prose)
        if not (in_prose and figure.number.year):
            (own if in_prose else others).add(figure.number.figures)
    return bool(own & others)


def _is_inside(edit: Edit, spans: Iterable[tuple[int, int]]) -> bool:
    return any(start <= edit[0] and edit[1] <= end for start, end in spans)


def _overlaps(edit: Edit, others: Iterable[Edit]) -> bool:
    return any(edit[0] < b and a < edit[1] for a, b, _ in others)


def _swap_names(text: str, swaps: Sequence[Swap]) -> Iterator[Edit]:
    """Edits that replace each name by another everywhere."""
    taken: list[Edit] = []
    gone: set[str] = set()
    for swap in swaps:
        if any(c.isdigit() for c in swap.old) or swap.old in gone or swap.kind not in _SWAPPED or swap.old not in text:
            continue
        if swap.kind not in ("PERSON", "EXCHANGE") and not _are_of_one_sort(swap.old, swap.new):
            continue
        if swap.old[0].islower() or _is_code_or_defined(text, swap.old):
            continue
        found = replace_value(text, swap.old, (), swap.new, swap.kind)
        if _is_named_besides(text, swap.old, found) or any(_is_in_address(text, edit) for edit in found):
            continue
        if found and swap.new not in {new for _, _, new in taken} and not any(_overlaps(edit, taken) for edit in found):
            gone.add(swap.old)
            taken += found
    yield from taken


def _are_of_one_sort(old: str, new: str) -> bool:
    """Whether two names say of themselves that they are the same: two universities, two partnerships, two firms."""
    sorts = [tuple(dict.fromkeys(match.lower() for match in _SORT_OF_NAME.findall(name))) for name in (old, new)]
    return sorts[0] == sorts[1] and (" of " in old) == (" of " in new)


def _is_in_address(text: str, edit: Edit) -> bool:
    """Whether a place stands behind its city or before a zip code, which would be those of another."""
    return (
        text[max(edit[0] - 2, 0) : edit[0]] == ", "
        or re.match(r",? D\.C\.|,? *\n* *\d{5}", text[edit[1] : edit[1] + 10]) is not None
    )


def _is_code_or_defined(text: str, name: str) -> bool:
    """Whether a name is a word of code, or has a short form beside it ("Microwave Power Products (“MPP”)")."""
    initials = "".join(word[0] for word in name.split() if word[0].isupper())
    short = len(initials) > 1 and re.search(rf"\b{initials}\b", text)
    return bool(short or re.search(rf"[`:</_.]{re.escape(name)}|{re.escape(name)}(?:[`:<>/_]|\.\w| \([“\"])", text))


def _is_named_besides(text: str, old: str, edits: Sequence[Edit]) -> bool:
    """Whether a word of the name stands elsewhere ("India Channels", "an Indian channel"), which would contradict."""
    beginnings = {word[:4].lower() for word in re.findall(r"[A-Z][^\W\d_]{3,}", old)}
    others = (m for m in re.finditer(r"[A-Z][^\W\d_]{3,}", text) if not any(a <= m.start() < b for a, b, _ in edits))
    return any(match.group()[:4].lower() in beginnings for match in others)


def _scale_figures(text: str, spans: Sequence[tuple[int, int]], random: Random) -> Iterator[Edit]:
    """Edits that scale sums and counts by one ratio and shares by another, so that totals and changes still fit.

    None where no ratio of `RATIOS` leaves what is the sum, the half or a third of others so after rounding.
    """
    placing = [(f, next((i for i, (a, b) in enumerate(spans) if a <= f.start < b), -1)) for f in find_figures(text)]
    placed = [(f, i) for f, i in placing if i >= 0 and _may_change(text, f)]
    # what is stated a second time where it stays would contradict
    numbers = Counter(_DIGITS.findall(text))
    changing = Counter(f.digits for f, _ in placed)
    placed = [(f, i) for f, i in placed if changing[f.digits] == numbers[f.digits]]
    of_sentence: dict[int, list[Figure]] = defaultdict(list)
    for figure, i in placed:
        of_sentence[i].append(figure)
    largest = max((_read_value(f) for f, _ in placed if f.share), default=Decimal(0))
    for _ in range(RATIOS):
        up = random.random() < 0.5
        ratio = Decimal(random.randrange(115, 160) if up else random.randrange(62, 87)) / 100
        part = Decimal(random.randrange(60, 88) if largest * Decimal("1.5") > 95 else random.randrange(120, 150)) / 100
        found: list[tuple[Figure, str]] = []
        for own in of_sentence.values():
            changed = [(figure, _scale_figure(figure, own, ratio, part)) for figure in own]
            whole = _keeps_order(changed) and not any(_turns_singular(f, new) for f, new in changed)
            found += changed if whole else [(figure, figure.digits) for figure in own]
        if _keeps_relations(found):
            yield from ((f.start, f.end, new) for f, new in found if new != f.digits)
            return


def _scale_figure(figure: Figure, beside: Sequence[Figure], ratio: Decimal, part: Decimal) -> str:
    """The new digits of a figure among others of its sentence; the old ones where it must stay."""
    value = _read_value(figure)
    if not figure.share:
        return round_like(figure.digits, value * ratio)
    together = [f for f in beside if f.share]
    if value == 100 or len(beside) - len(together) > 1:
        return figure.digits  # the change of two sums that are scaled alike
    if len(together) > 1 and abs(sum((_read_value(f) for f in together), Decimal(-100))) <= 1:
        return together[-1 - together.index(figure)].digits  # the parts of a whole change places
    return round_like(figure.digits, value * part)


def _turns_singular(figure: Figure, new: str) -> bool:
    """Whether "2 years" would become "1 years", or the other way round."""
    return (figure.digits == "1") != (new == "1")


def _keeps_relations(changed: Sequence[tuple[Figure, str]]) -> bool:
    """Whether each figure that was the sum of two or of all others, or a small multiple of another, still is."""
    sums = [(f, new) for f, new in changed if not f.share][:RELATED]
    old = [f.quantity.value for f, _ in sums]
    new = [value * Decimal(n.replace(",", "")) / _read_value(f) for value, (f, n) in zip(old, sums, strict=True)]
    places = range(len(sums))
    groups: list[tuple[int, tuple[int, ...]]] = [
        (i, pair) for i in places for pair in combinations([j for j in places if j != i], 2)
    ]
    groups += [(i, tuple(j for j in places if j != i)) for i in places if len(sums) > 3]
    for i, parts in groups:
        if old[i] == sum(old[j] for j in parts) and new[i] != sum(new[j] for j in parts):
            return False
    multiples = ((i, j, m) for i in places for j in places for m in (1, 2, 3, 4) if i != j)
    return all(old[i] != m * old[j] or new[i] == m * new[j] for i, j, m in multiples)


def _keeps_order(changed: Sequence[tuple[Figure, str]]) -> bool:
    """Whether larger figures stay larger, equal ones equal, and none becomes zero; shares may change places."""
    counts = sorted((_read_value(f), Decimal(new.replace(",", ""))) for f, new in changed if not f.share)
    ordered = all((a < c) == (b < d) and b <= d for (a, b), (c, d) in pairwise(counts))
    return ordered and all(Decimal(new.replace(",", "")) for _, new in changed)


def _read_value(figure: Figure) -> Decimal:
    return Decimal(figure.digits.replace(",", ""))


def _may_change(text: str, figure: Figure) -> bool:
    """Whether this is a sum, a share or a count, rather than a year, its length, or part of a name."""
    number = figure.quantity
    if number.year or (number.amount, number.unit) in _CALENDAR:
        return False
    if _YEAR.fullmatch(figure.digits) and number.kind in ("count", "measure"):
        return False  # "our 2023 fiscal year"
    if text.count("`", 0, figure.start) % 2:
        return False  # in code
    if _SAID_AGAIN.match(text, figure.end):
        return False  # "50 basis points (half a percentage point)"
    if is_in_range(text, figure.start, figure.end):
        return False
    if number.amount in _find_worded_amounts(text):
        return False  # "no more than three 2 year terms" beside "a two-year term"
    whole = _OF_SO_MANY.match(text, figure.end)
    if whole and _read_value(figure) * 2 > _SO_MANY[whole[1]]:
        return False  # there are no more than so many
    if number.kind in ("money", "percent", "points") or number.scale:
        return True
    named = _IN_A_NAME.search(text[max(0, figure.start - 24) : figure.start])
    return number.kind in ("count", "measure") and not named and _NOUN.match(text, figure.end) is not None


@lru_cache(500)
def _find_worded_amounts(text: str) -> frozenset[Decimal]:
    """The amounts that a passage states in words, which stay as they are."""
    return frozenset(quantity.amount for quantity in quantities(text) if quantity.worded and quantity.value != 1)


def _reverse_trends(text: str, spans: Sequence[tuple[int, int]]) -> Iterator[Edit]:
    """Edits that reverse trends in sentences without figures that would contradict them."""
    for i, (start, end) in enumerate(spans):
        sentence = text[start:end]
        around = [text[slice(*span)] for span in spans[max(i - 1, 0) : i + 2]]
        turns = list(_TURN.finditer(sentence))
        if not turns or _UNSURE.search(sentence) or any(map(_LINKED.search, around)):
            continue
        if len(_DIRECTION.findall(sentence)) > 1 or find_figures(sentence):
            continue
        for match in turns:
            yield start + match.start(), start + match.end(), _TREND[match.group()]


_DATE_WORD = re.compile(rf"\d+|{'|'.join(MONTHS)}")


def _rotate_row_labels(rows: Sequence[tuple[int, int]], text: str) -> Iterator[Edit]:
    """Edits that move each label to the previous row of the same kind, so that sums still hold."""
    run: list[tuple[int, int, str, Decimal]] = []
    sort = ""
    labels = [text[a:b].strip("| ").partition("|")[0].strip().casefold() for a, b in rows]
    dateless = Counter(_DATE_WORD.sub("#", label) for label in labels if any(c.isdigit() for c in label))
    for start, end in (*rows, (0, 0)):
        cells = [match.span() for match in _CELL.finditer(text, start, end)]
        cells = [(a, b) for a, b in cells if text[a:b].strip()]
        label = text[slice(*cells[0])].strip() if cells else ""
        kind = _classify_cells([text[a:b].strip() for a, b in cells[1:]])
        full = all(re.search(r"[1-9]", text[a:b]) or not re.search(r"[\d—–-]", text[a:b]) for a, b in cells[1:])
        # "increase in interest expense" belongs to its row
        told = any(len(re.findall(r"[^\W\d_]{3,}", text[a:b])) > 1 for a, b in cells[1:])
        # "Accounts receivable" and "Accounts receivable, net" hang together
        derived = any(other != label.casefold() and other.startswith(label.casefold()) for other in labels)
        # "Nonvested as of May 31, 2024" and "... 2025": a balance, and what the rows between them add up to
        derived = derived or dateless[_DATE_WORD.sub("#", label.casefold())] > 1
        named = re.search(r"[^\W\d_]{2,}", label) is not None and not _TOTAL.search(label)
        ordinary = full and named and not told and not derived and kind
        if not ordinary or (run and kind != sort):
            yield from _rotate_labels(run)
            run = []
        if ordinary and DIVIDER.match(text[start:end].strip()) is None:
            at = text.index(label, start)
            digits = re.search(r"\d[\d,]*(?:\.\d+)?", text[cells[1][0] : end])
            run.append(
                (at, at + len(label), label, Decimal(digits.group().replace(",", "")) if digits else Decimal(-1))
            )
            sort = kind
    yield from _rotate_labels(run)


def _rotate_labels(rows: Sequence[tuple[int, int, str, Decimal]]) -> Iterator[Edit]:
    run = [(start, end, label) for start, end, label, _ in rows]
    amounts = [amount for *_, amount in rows]
    if len(run) > 2 and amounts[-1] == sum(amounts[:-1], Decimal(0)):  # a total by another name
        run = run[:-1]
    if len(run) > 1 and len({label for _, _, label in run}) == len(run):
        for (start, end, _), (_, _, label) in zip(run, (*run[1:], run[0]), strict=True):
            yield start, end, label


def _classify_cells(cells: Sequence[str]) -> str:
    """The kinds of a row's cells (sums, shares, words): labels move only among rows of the same."""
    if not any(cells):
        return ""
    return " ".join(
        next(sort for sort, pattern in _SORTS.items() if pattern.search(cell))
        for cell in cells
        if cell not in ("—", "–", "-")
    )


# Debris: remnants of badly extracted passages (Magic Mushroom §3.2)

KEPT, WORDS = 0.35, 40  # share of a passage's words in its debris, and their number, at most
_TIDY = re.compile(r"\s+")


def make_debris(near: NearbyPassage, random: Random) -> Iterator[tuple[str, str]]:
    """Remnants of a passage, each with what happened to it, in a random order; for tables the torn rows early."""
    is_table = near.text.count("\n|") > 1
    makers = [break_table, break_page, make_page_furniture, break_html]
    if not is_table:
        makers = [break_html, make_page_furniture, break_page]
    first = random.randrange(2)
    for make in (*makers[first:], *makers[:first]):
        if text := make(near, random):
            yield text, _HOW[make]


def break_html(near: NearbyPassage, random: Random) -> str:
    """Half-stripped HTML: a few words of some sentences between left-over tags and entities."""
    own = _cut_fragments(near, random, 3)
    if not own:
        return ""
    open_, close = random.choice((("<p>", "</p>"), ("<span>", "</span>"), ("<li>", "</li>"), ("<b>", "</b>")))
    colour = random.choice(("#000000", "#231f20", "#333"))
    parts = [f'<div style="text-align:justify"><font style="font-family:inherit;color:{colour}">']
    for i, fragment in enumerate(own):
        parts.append(f"{open_ if i else ''}{_escape_twice(fragment)}{random.choice(('&nbsp;', '&#160;', '<br>', ''))}")
        parts.append(close if random.random() < 0.6 else "")
    parts.append(random.choice(("</font></div>", "</font></div><hr/>", "</div></div><br clear=all>")))
    return "".join(parts)


def break_table(near: NearbyPassage, random: Random) -> str:
    """Torn rows of a table: labels without figures, dollar signs, blanks."""
    rows = [near.text[u.start : u.end] for u in split_units(near.text) if u.kind == "row"]
    labels = [label for label in (_TIDY.sub(" ", row.strip("| ").split("|")[0]).strip() for row in rows) if label]
    if not labels:
        return ""
    at = random.randrange(len(labels))
    parts = []
    for label in labels[at : at + 4]:
        empty = "".join(random.choice(("<td></td>", "<td>$</td>", "<td>&nbsp;</td>", "<td>)</td>")) for _ in range(3))
        parts.append(f"<td>{_escape_twice(_first_words(label, 8))}</td>{empty}</tr><tr>")
    last = parts.pop()
    parts.append(last[: max(10, int(len(last) * random.uniform(0.3, 0.7)))])
    return "</td></tr><tr>" + "\n".join(parts)


def make_page_furniture(near: NearbyPassage, random: Random) -> str:
    """Navigation of a page, and a line of its text."""
    own = _cut_fragments(near, random, 1)
    trail = [part for part in (near.title, *near.section.split(" > ")) if part]
    page = random.randrange(12, 140)
    top = random.choice(("Skip to main content | Print", "Table of Contents", "« Previous | Next »", "Back to top"))
    lines = [top, " > ".join(_first_words(part, 10) for part in trail), *(f"... {fragment} ..." for fragment in own)]
    lines += [random.choice((f"- {page} -", f"Page {page}", f"{page}\f", f"{page} | Table of Contents"))]
    return "\n".join(line for line in lines if line)


def break_page(near: NearbyPassage, random: Random) -> str:
    """The foot of a page and the head of the next, without the sentence between."""
    own = _cut_fragments(near, random, 2)
    if len(own) < 2:
        return ""
    page = random.randrange(12, 140)
    running = _first_words(near.title, 10) or "Table of Contents"
    tail = own[0].split()
    hyphen = tail[-1][: max(2, len(tail[-1]) // 2)] + "-" if tail[-1].isalpha() and len(tail[-1]) > 5 else tail[-1]
    return "\n".join((" ".join([*tail[:-1], hyphen]), "", str(page), running, "(continued)", "", "... " + own[1]))


_HOW: dict[Callable[[NearbyPassage, Random], str], str] = {
    break_html: "fragments in HTML",
    break_table: "a table's torn rows",
    make_page_furniture: "a page's furniture",
    break_page: "two ends of pages",
}


def _cut_fragments(near: NearbyPassage, random: Random, most: int) -> list[str]:
    """A few words without figures from some sentences, in order, none a complete statement."""
    texts = [near.text[u.start : u.end] for u in split_units(near.text) if u.kind in ("sentence", "row")]
    texts = [_TIDY.sub(" ", re.sub(r"[|*_#]+", " ", piece)).strip() for piece in texts]
    texts = [piece for piece in texts if len(re.findall(r"[^\W\d_]{2,}", piece)) >= 4]
    chosen = sorted(random.sample(range(len(texts)), min(most, len(texts))))
    room = min(WORDS, int(KEPT * sum(len(piece.split()) for piece in texts)) + 3) // max(len(chosen), 1)
    found = []
    for i in chosen:
        words = texts[i].split()
        size = min(random.randrange(4, 9), max(room, 3), max(len(words) - 2, 2))
        start = random.randrange(max(len(words) - size, 1))
        found.append(" ".join(word for word in words[start : start + size] if not re.search(r"\d", word)))
    return [piece for piece in found if piece]


def _first_words(text: str, words: int) -> str:
    return " ".join(text.split()[:words])


def _escape_twice(text: str) -> str:
    """Text escaped twice, as by two programs in a row."""
    twice = escape(escape(text, quote=False), quote=False)
    return twice.replace("’", "&#8217;").replace("“", "&#8220;").replace("—", "&#8212;")


DETAILED = 6  # changes named in a row's detail


def counterfactual(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Fluent passages near the gold one with other figures, names or rows; those with several changes first.

    None holds the answer, before or after.
    """
    swaps = case.pool.counterfacts if case.pool else ()
    scarce: list[Draft] = []
    topic = topic_stems(case.question)
    # what shares the question's words first
    for near in sorted(
        find_nearby_passages(case, config), key=lambda near: -min(len(topic & set(stems(near.text))), 3)
    ):
        if not is_english(near.language):
            continue
        own = Random(row_id(case.question_id, near.chunk_id, near.text))
        edits = falsify_passage(near.text, swaps, own)
        text, _ = apply_edits(near.text, edits)
        if not edits or contains_answer(text, case.answer, case.aliases):
            continue
        changes = "; ".join(f"{new} for {near.text[a:b]}" for a, b, new in edits[:DETAILED])
        draft = Draft(text, detail=changes, chunk_id=near.chunk_id)
        if len(edits) > 1:
            yield draft
        else:
            scarce.append(draft)
    yield from scarce


def debris(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Debris of passages near the gold one: the last passage of each chunk first, from the farthest chunk on."""
    of_chunk: dict[str, list[NearbyPassage]] = {}
    for near in find_nearby_passages(case, config):
        of_chunk.setdefault(near.chunk_id, []).append(near)
    far = list(reversed(of_chunk.values()))
    turns = max((len(found) for found in far), default=0)
    for near in (found[-1 - turn] for turn in range(turns) for found in far if turn < len(found)):
        own = Random(row_id(case.question_id, near.chunk_id, near.text))
        for text, how in make_debris(near, own):
            if not contains_answer(text, case.answer, case.aliases):
                yield Draft(text, detail=how, chunk_id=near.chunk_id)
                break
