"""Write a passage with its title as JSON, HTML, YAML or Markdown (SURE §3.2, Format and Metadata; Figure 9).

Each format has two versions. `*_as_printed` is the paper's template, byte for byte as Figure 9 prints it, with its line
breaks: nothing is escaped, so that a quote or a `</body>` in a passage breaks it, and the title of the HTML stands
bare in `<head>`. The other is valid: a parser of the format gives back exactly the title and the text. What no valid
document can hold (a control character in HTML, half a surrogate pair anywhere) is refused: `not_representable`."""

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from html import escape
from random import Random
from urllib.parse import quote

from rarefy.tasks.perturb.case import Case, Draft, Make, Move
from rarefy.tasks.perturb.config import PerturbConfig

# Escaping that keeps track of spans

Edit = tuple[int, int, str]
"""`text[start:end]` is written as this."""


def escape_text(text: str, edits: Iterable[Edit], before: str = "", after: str = "") -> Draft:
    """The text with its edits (in order, not overlapping) between `before` and `after`, with moves of all else.

    Empty moves mark where the text begins and ends, so that an escape at either end belongs to it and not to the
    template.
    """
    written, moves, at, length = [before], [Move(0, 0, len(before))], 0, len(before)
    for start, end, replacement in edits:
        if start > at:
            moves.append(Move(at, start, length))
            written.append(text[at:start])
            length += start - at
        written.append(replacement)
        length += len(replacement)
        at = end
    if at < len(text):
        moves.append(Move(at, len(text), length))
        written.append(text[at:])
        length += len(text) - at
    moves.append(Move(len(text), len(text), length))
    written.append(after)
    return Draft("".join(written), tuple(moves))


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with its edits."""
    return escape_text(text, edits).text


def refuse_unwritable(pattern: re.Pattern[str], title: str, text: str) -> Draft | None:
    """The refused draft of a passage with a character that the format cannot hold; None where it has none."""
    for name, part in (("text", text), ("title", title)):
        if found := pattern.search(part):
            detail = f"U+{ord(found.group()[0]):04X} at {found.start()} of the {name}"
            return Draft(text, refused="not_representable", detail=detail)
    return None


# Markdown (CommonMark, GFM)

# NUL is lost; parsers differ over the other controls
_NOT_MARKDOWN = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
# An underscore inside a word and an ampersand or a "<" that begins nothing are left as they are
_INLINE = r"[`*\[~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|<(?=[A-Za-z/!?])|\r"
_TEXT = re.compile(_INLINE + r"|\\")
_CELLS = re.compile(_INLINE + r"|\\(?!\|)")  # a bar that is escaped in a cell of the original stays so
_MARKDOWN_ENTITIES = {"&": "&amp;", "<": "&lt;", "\r": "&#13;"}
# What begins a heading, a quotation, a list, or makes one of the line above it or a table
_BLOCK = re.compile(r"#{1,6}(?=[ \t]|$)|>|[-+](?=[ \t]|$)|\d{1,9}(?=[.)](?:[ \t]|$))|[-=:|](?=[-=:| \t]*$)")
_DIVIDER = re.compile(r"\|[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_BAR = re.compile(r"(?<!\\)\|")
_LINE = re.compile(r"[^\n]+")

Line = tuple[int, int]


def markdown(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The title, where there is one, as a heading above the text; markup is escaped, tables stay tables.

    Spaces around lines and further blank lines are kept as references (`&#32;`, `&#10;`), but for blank lines next to
    a table. A table with a row longer than its header, which would lose cells, becomes text, and so do headings.
    """
    heading = f"# {apply_edits(case.title, _escape_title(case.title))}\n\n" if case.title else ""
    draft = escape_text(case.text, _escape_markdown(case.text), heading)
    yield refuse_unwritable(_NOT_MARKDOWN, case.title, case.text) or draft


def _escape_title(title: str) -> Iterator[Edit]:
    edits = [(i, i + 1, "&#10;") for i, sign in enumerate(title) if sign == "\n"]
    hashes = len(title) - len(title.rstrip("#"))
    if hashes:  # a heading may be closed by them
        edits.append((len(title) - hashes, len(title) - hashes, "\\"))
    inline = [edit for edit in _escape_inline(_TEXT, title, 0, len(title)) if title[edit[0]] != "\n"]
    yield from sorted({edit[0]: edit for edit in [*inline, *_escape_edges(title, 0, len(title)), *edits]}.values())


def _escape_markdown(text: str) -> Iterator[Edit]:
    lines = [match.span() for match in _LINE.finditer(text)]
    rows = _find_table_lines(text, lines)
    at, in_table = 0, True  # blank lines at the top are kept by what follows, not by a paragraph before
    for number, (start, end) in enumerate(lines):
        row = number in rows
        yield from _escape_blank_lines(at, start, number == 0, in_table and number > 0, row)
        if row:
            yield from _escape_inline(_CELLS, text, start, end)
        else:
            yield from _escape_line(text, start, end)
        at, in_table = end, row
    if not lines or not in_table:
        yield from ((i, i + 1, "&#10;") for i in range(at, len(text)))


def _escape_blank_lines(start: int, end: int, first: bool, after_row: bool, row: bool) -> Iterator[Edit]:
    """Line breaks between two lines: a table needs two; those beyond a blank line become references."""
    if after_row != row and not first and end - start == 1:
        yield start, start, "\n"
    if not row and not after_row:
        spare = start if first else start + 2
        if spare < end:
            yield spare, end, "&#10;" * (end - spare)


def _escape_line(text: str, start: int, end: int) -> Iterator[Edit]:
    block = None if text[start].isspace() else _BLOCK.match(text[start:end])
    edits = {edit[0]: edit for edit in _escape_inline(_TEXT, text, start, end)}
    if block:
        at = start + (block.end() if text[start].isdigit() else 0)
        edits[at] = (at, at, "\\")
    edits.update((edit[0], edit) for edit in _escape_edges(text, start, end))
    yield from sorted(edits.values())


def _escape_edges(text: str, start: int, end: int) -> Iterator[Edit]:
    """White space at either end of a line as references; else it would be dropped, or make code or a line break."""
    for at in sorted({start, end - 1} if end > start else ()):
        if text[at].isspace():
            yield at, at + 1, f"&#{ord(text[at])};"


def _escape_inline(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[Edit]:
    for match in pattern.finditer(text, start, end):
        entity = _MARKDOWN_ENTITIES.get(match.group())
        yield (match.start(), match.end(), entity) if entity else (match.start(), match.start(), "\\")


def _find_table_lines(text: str, lines: list[Line]) -> set[int]:
    """Numbers of the lines of GFM tables: a header, a divider of as many columns, rows of no more."""
    rows: set[int] = set()
    run: list[int] = []
    for number, (start, end) in enumerate([*lines, (len(text), len(text))]):
        adjoins = not run or start == lines[run[-1]][1] + 1
        if run and not (adjoins and text.startswith("|", start)):
            if _is_table(text, [lines[i] for i in run]):
                rows.update(run)
            run = []
        if text.startswith("|", start) and end > start:
            run.append(number)
    return rows


def _is_table(text: str, rows: list[Line]) -> bool:
    if len(rows) < 2 or not _DIVIDER.fullmatch(text, *rows[1]):
        return False
    columns = _count_columns(text[slice(*rows[0])])
    return columns == _count_columns(text[slice(*rows[1])]) and all(
        _count_columns(text[slice(*row)]) <= columns for row in rows[2:]
    )


def _count_columns(row: str) -> int:
    bars = len(_BAR.findall(row))
    return bars - 1 if re.search(r"(?<!\\)\|\s*$", row) and bars > 1 else bars


_SURROGATE = re.compile("[\ud800-\udfff]")
# Controls but white space, and noncharacters: HTML §13.2.3.5. Written as the complement of what is allowed, which is
# ten times as fast as a class of single characters beyond U+FFFF
_NOT_HTML = re.compile(
    "[^\t\n\x0c\r -~\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd"
    + "".join(f"{chr(plane << 16)}-{chr(plane << 16 | 0xFFFD)}" for plane in range(1, 17))
    + "]"
)
_MARKUP = re.compile("[&<>\r]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;"}
_JSON = re.compile(r'["\\\x00-\x1f\x7f]')
# What a YAML scalar in quotes must escape: what is unprintable or a line break to YAML 1.1 or 1.2
_YAML = re.compile('["\\\\\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]')
# What a literal block would not preserve: the same, but for quotes, backslashes, tabs and line breaks
_NO_BLOCK = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_INDENT = re.compile(r"(?<=\n)(?=[^\n])")


def json(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """An object with the title and the text."""
    before = f'{{\n"title": "{apply_edits(case.title, _escape_quoted(_JSON, case.title))}",\n"text": "'
    draft = escape_text(case.text, _escape_quoted(_JSON, case.text), before, '"\n}')
    yield refuse_unwritable(_SURROGATE, case.title, case.text) or draft


def html(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """A page with the text in `<pre>`, which keeps its lines; without `<title>` where there is none, as HTML wants."""
    yield html_page(case)


def html_page(case: Case, meta: str = "") -> Draft:
    """The valid page, with a line of metadata in its head."""
    title = f"<title>{apply_edits(case.title, _escape_html(case.title))}</title>\n" if case.title else ""
    before = (
        f'<!DOCTYPE html>\n<html lang="{escape(case.language)}">\n'
        f'<head>\n<meta charset="UTF-8">\n{meta}{title}</head>\n'
        # HTML drops a line break after <pre>, older parsers do not: <span> separates them
        f"<body><pre>{'<span></span>' if case.text.startswith(chr(10)) else ''}"
    )
    draft = escape_text(case.text, _escape_html(case.text), before, "</pre></body></html>")
    return refuse_unwritable(_NOT_HTML, case.title, case.text) or draft


def yaml(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's keys; several lines as a literal block where that preserves them, else in double quotes."""
    title, text = f'Title: "{apply_edits(case.title, _escape_quoted(_YAML, case.title))}"\nText: ', case.text
    if "\n" in text.strip("\n") and not _NO_BLOCK.search(text):
        kept = len(text) - len(text.rstrip("\n"))
        indent = "2" if text[0].isspace() else ""  # which is not seen from a first line that has spaces of its own
        head = f"|{indent}{('-', '', '+')[min(kept, 2)]}\n" + ("" if text[0] == "\n" else "  ")
        draft = escape_text(text, ((m.start(), m.start(), "  ") for m in _INDENT.finditer(text)), title + head)
    else:
        draft = escape_text(text, _escape_quoted(_YAML, text), f'{title}"', '"')
    yield refuse_unwritable(_SURROGATE, case.title, text) or draft


def json_as_printed(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's template: broken by a quote, a backslash or a line break."""
    yield escape_text(case.text, (), f'{{\n"title": "{case.title}",\n"text": "', '"\n}')


def html_as_printed(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's template: a bare title in the head; markup in the text is not escaped."""
    yield html_page_as_printed(case)


def html_page_as_printed(case: Case, meta: str = "") -> Draft:
    """The paper's page, with a line of metadata."""
    before = f'<html lang="en">\n<head>\n<meta charset="UTF-8">\n{meta}{case.title}\n</head>\n<body> '
    return escape_text(case.text, (), before, " </body>\n</html>")


def yaml_as_printed(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's template: broken by a colon, a line break and much else."""
    yield escape_text(case.text, (), f"Title: {case.title}\nText: ")


def markdown_as_printed(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's template: markup in the text is not escaped."""
    yield escape_text(case.text, (), f"# {case.title}\n" if case.title else "")


def _escape_html(text: str) -> Iterator[Edit]:
    return ((m.start(), m.end(), _ENTITIES[m.group()]) for m in _MARKUP.finditer(text))


def _escape_quoted(pattern: re.Pattern[str], text: str) -> Iterator[Edit]:
    """Escapes that JSON and YAML share inside double quotes."""
    for match in pattern.finditer(text):
        sign = match.group()
        if sign in '"\\':
            yield match.start(), match.start(), "\\"  # before the character itself
        else:
            yield match.start(), match.end(), _SHORT.get(sign) or f"\\u{ord(sign):04x}"


# Metadata: HTML with a date or a source (SURE §3.2, Metadata; Figure 9)

LONGEST_TITLE = 200  # characters of a title in a link; Wikipedia allows 255 bytes
LONGEST_HANDLE = 15  # characters of a name on Twitter
OF_WIKIPEDIA = "():,!*;@/"  # not encoded in its links


def draw_date(cutoff: str, years: int, random: Random) -> str:
    """A random ISO date in the cutoff's month, so many years later; ValueError where the cutoff is no month."""
    year, month = (int(part) for part in cutoff.split("-"))
    if not 1 <= month <= 12 or not 1 < year < 9999:
        raise ValueError(f"perturb.cutoff {cutoff!r}: no such month; write YYYY-MM")
    return f"{year + years:04}-{month:02}-{random.randint(1, monthrange(year + years, month)[1]):02}"


def wikipedia_link(title: str, random: Random) -> str:
    """A Wikipedia link to a page of this title; by number where there is none."""
    name = "_".join(title[:LONGEST_TITLE].split())
    if not name:
        return f"https://en.wikipedia.org/?curid={random.randrange(10**7, 8 * 10**7)}"
    return f"https://en.wikipedia.org/wiki/{quote(name[0].upper() + name[1:], safe=OF_WIKIPEDIA, errors='replace')}"


def twitter_link(title: str, random: Random) -> str:
    """A Twitter link with a handle made of the title, without one where it has no letters."""
    handle = ""
    for word in re.findall(r"[A-Za-z0-9]+", title):
        if handle and len(handle + word) > LONGEST_HANDLE:
            break
        handle = (handle + word)[:LONGEST_HANDLE]
    return f"https://twitter.com/{handle or 'i/web'}/status/{random.randrange(10**18, 19 * 10**17)}"


def _metadata(name: str, draw: Callable[[Case, PerturbConfig, Random], str]) -> tuple[Make, Make]:
    """Two perturbations: the valid page and the paper's template, with drawn metadata of this name."""

    def valid(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
        content = draw(case, config, random)
        draft = html_page(case, f'<meta name="{name}" content="{escape(content)}">\n')
        yield draft if draft.refused else replace(draft, detail=content)

    def as_printed(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
        content = draw(case, config, random)
        yield replace(html_page_as_printed(case, f"<meta name='{name}' content='{content}'>\n"), detail=content)

    return valid, as_printed


timestamp_pre, timestamp_pre_as_printed = _metadata(
    "timestamp", lambda case, config, random: draw_date(config.cutoff, -1, random)
)
timestamp_post, timestamp_post_as_printed = _metadata(
    "timestamp", lambda case, config, random: draw_date(config.cutoff, 1, random)
)
datasource_wiki, datasource_wiki_as_printed = _metadata(
    "datasource", lambda case, config, random: wikipedia_link(case.title, random)
)
datasource_twitter, datasource_twitter_as_printed = _metadata(
    "datasource", lambda case, config, random: twitter_link(case.title, random)
)
