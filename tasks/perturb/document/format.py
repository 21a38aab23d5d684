"""Write a passage with its title as JSON, HTML, YAML or Markdown (SURE §3.2, Format and Metadata; Figure 9).

Each format has two versions. `*_as_printed` is the paper's template, byte for byte as Figure 9 prints it, with its line
breaks: nothing is escaped, so that a quote or a `</body>` in a passage breaks it, and the title of the HTML stands
bare in `<head>`. The other is valid, and writes the blocks of the passage as the format writes them: headings, lists,
tables and code become elements of HTML, and sections, arrays and records of JSON and YAML. A parser of the format gives
back the title and every block, white space apart. What no valid document can hold (a control character in HTML, half a
surrogate pair anywhere) is refused: `not_representable`."""

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from random import Random
from urllib.parse import quote

from rarefy.tasks.perturb.case import Case, Draft, Make, Move
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.text.markdown import CELL_BAR

# Blocks of a passage

Stretch = tuple[int, int]
"""`text[start:end]`."""

_LINE = re.compile(r"[^\n]+")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[^`\n]*")
_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(?=\S)")
_ITEM = re.compile(r"[ \t]*(?:[-*+•●▪◦‣]|(\d{1,3})\.)[ \t]+(?=\S)")
_INTERRUPTS = re.compile(
    r"[ \t]*(?:[-*+•●▪◦‣]|1\.)[ \t]+(?=\S)"
)  # a paragraph; "2018. ..." may be the end of a sentence
_DIVIDER = re.compile(r"\|[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of a passage: `text[start:end]`, and the stretches of it that are no markup."""

    kind: str  # heading | table | list | code | text
    start: int
    end: int
    rows: tuple[tuple[Stretch, ...], ...]  # cells by row; each item of a list; else the one stretch
    level: int = 0  # of a heading
    numbers: tuple[str, ...] = ()  # of a list's items, where it is numbered
    lines: tuple[Stretch, ...] = ()  # of a table's rows


def find_blocks(text: str) -> list[Block]:
    """The blocks of a passage, in order: all of its text but markup."""
    lines = [match.span() for match in _LINE.finditer(text)]
    found: list[Block] = []
    at = 0
    while at < len(lines):
        if not text[slice(*lines[at])].strip():
            at += 1
            continue
        found.append(_read_block(text, lines, at))
        while at < len(lines) and lines[at][0] < found[-1].end:
            at += 1
    return found


def _read_block(text: str, lines: Sequence[Stretch], at: int) -> Block:
    """The block that begins with this line."""
    start, end = lines[at]
    if fence := _FENCE.fullmatch(text, start, end):
        closing = re.compile(rf" {{0,3}}{re.escape(fence[1])}[ \t]*")
        last = next((i for i in range(at + 1, len(lines)) if closing.fullmatch(text, *lines[i])), 0)
        if last > at + 1:
            return Block("code", start, lines[last][1], (((lines[at + 1][0], lines[last - 1][1]),),))
    if heading := _HEADING.match(text, start, end):
        closing_hashes = re.search(r"[ \t]+#+[ \t]*\Z", text[heading.end() : end])
        stop = heading.end() + closing_hashes.start() if closing_hashes else end
        return Block("heading", start, end, ((_strip(text, heading.end(), stop),),), len(heading[1]))
    run = at + 1
    while run < len(lines) and lines[run][0] == lines[run - 1][1] + 1 and text[slice(*lines[run])].strip():
        run += 1  # the lines up to the next blank one
    if text.startswith("|", start):
        rows = [*lines[at : next((i for i in range(at, run) if not text.startswith("|", lines[i][0])), run)]]
        if is_table(text, rows):
            kept = (rows[0], *rows[2:])
            cells = tuple(tuple(_split_cells(text, *row)) for row in kept)
            return Block("table", start, rows[-1][1], cells, lines=kept)
    if _ITEM.match(text, start, end):
        block = _read_list(text, lines, at)
        if len(block.rows) > 1 or text[start:end].lstrip()[0] != "*":  # "* Not meaningful" is a footnote
            return block
    last = next((i for i in range(at + 1, run) if _begins_block(text, lines, i, run)), run) - 1
    return Block("text", start, lines[last][1], ((_strip(text, start, lines[last][1]),),))


def _begins_block(text: str, lines: Sequence[Stretch], at: int, run: int) -> bool:
    """Whether a line ends the paragraph before it."""
    start, end = lines[at]
    table = text.startswith("|", start) and at + 1 < run and _DIVIDER.fullmatch(text, *lines[at + 1]) is not None
    return table or any(sign.match(text, start, end) for sign in (_HEADING, _FENCE, _INTERRUPTS))


def _read_list(text: str, lines: Sequence[Stretch], at: int) -> Block:
    """The list that begins with this line: items of one kind, bullets or numbers, a blank line apart at most."""
    items: list[Stretch] = []
    numbers: list[str] = []
    first = lines[at][0]
    while at < len(lines):
        start, end = lines[at]
        item = _ITEM.match(text, start, end)
        blank = bool(items) and text.count("\n", items[-1][1], start) > 1
        if item and (not items or bool(item[1]) == bool(numbers)):
            items.append(_strip(text, item.end(), end))
            numbers += [item[1]] if item[1] else []
        elif item or blank or not text[start:end].strip() or _begins_block(text, lines, at, len(lines)):
            break
        else:  # a line that goes on with the item
            items[-1] = (items[-1][0], _strip(text, start, end)[1])
        at += 1
    return Block("list", first, lines[at - 1][1], tuple((item,) for item in items), numbers=tuple(numbers))


def _strip(text: str, start: int, end: int) -> Stretch:
    part = text[start:end]
    if not part.strip():
        return start, start
    return start + len(part) - len(part.lstrip()), start + len(part.rstrip())


def is_table(text: str, rows: Sequence[Stretch]) -> bool:
    """Whether these lines are a GFM table: a header, a divider of as many columns, rows of no more."""
    if len(rows) < 3 or not _DIVIDER.fullmatch(text, *rows[1]):
        return False
    columns, *others = (len(list(_split_cells(text, *row))) for row in rows)
    return columns == others[0] and all(other <= columns for other in others[1:])


def _split_cells(text: str, start: int, end: int) -> Iterator[Stretch]:
    start, end = _strip(text, start, end)
    bars = [match.start() for match in CELL_BAR.finditer(text, start, end)]
    for bar, stop in zip(bars, [*bars[1:], end], strict=True):
        if bar + 1 < end:  # none behind the last bar
            yield _strip(text, bar + 1, stop)


# Writing with escapes, which keeps track of spans

Edit = tuple[int, int, str]
"""`text[start:end]` is written as this."""
Escape = Callable[[str, int, int], Iterable[Edit]]
"""The edits, in order and not overlapping, that write `text[start:end]`."""
Piece = str | Stretch
"""Markup, or a stretch of the passage. An empty stretch marks a place of it: evidence is found with its markup."""


def write_pieces(text: str, pieces: Iterable[Piece], escapes: Escape) -> Draft:
    """The pieces one after another, with moves of all that stands as it was."""
    written: list[str] = []
    moves: list[Move] = []
    length = 0
    for piece in pieces:
        if isinstance(piece, str):
            written.append(piece)
            length += len(piece)
            continue
        at, end = piece
        moves.append(Move(at, at, length))
        for start, stop, new in (*escapes(text, at, end), (end, end, "")):
            if start > at:
                moves.append(Move(at, start, length))
                written.append(text[at:start])
                length += start - at
            written.append(new)
            length += len(new)
            at = stop
        moves.append(Move(end, end, length))
    return Draft("".join(written), tuple(moves))


def escape_all(text: str, escapes: Escape) -> str:
    """The text with its escapes."""
    return write_pieces(text, [(0, len(text))], escapes).text


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
# Markup within a line that is meant, as it is paired, and escapes
_BOLD = r"\*\*(?=[^\s*])[^*\n]*(?<=[^\s*])\*\*"
_ITALIC = r"(?<![\w*])\*(?=[^\s*])[^*\n]*(?<=[^\s*])\*(?![\w*])|(?<!\w)_(?=[^\s_])[^_\n]*(?<=[^\s_])_(?!\w)"
_CODE = r"(?<!`)`[^`\n]+`(?!`)"
_MEANT = rf"{_CODE}|{_BOLD}|{_ITALIC}|\[[^\[\]\n]*\]\([^()\s]*\)|\\[!-/:-@\[-`{{-~]"
# An underscore inside a word and an ampersand or a "<" that begins nothing are left as they are
_INLINE = re.compile(rf"{_MEANT}|[`*\[~]|(?<![^\W_])_|_(?![^\W_])|&(?=#?\w+;)|<(?=[A-Za-z/!?])|\r")
_ESCAPES = {"&": "&amp;", "<": "&lt;", "\r": "&#13;", **{sign: f"\\{sign}" for sign in "`*[~_"}}
# White space that would make code of a line, and lines that would make a heading of that above, or a table
_ACCIDENTS = re.compile(r"(?m)^(?P<indent>[ \t]+)?(?=(?P<sign>[-=][-= \t]*$|\|))?")


def markdown(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The title, where there is one, as a heading above the text, whose headings, lists, tables and code stay.

    What would become markup by accident is escaped. A table with a row longer than its header, which would lose cells,
    becomes text.
    """
    heading: list[Piece] = [f"# {escape_all(case.title, _escape_title)}\n\n"] if case.title else []
    draft = write_pieces(case.text, [*heading, (0, len(case.text))], _escape_markdown)
    yield refuse_unwritable(_NOT_MARKDOWN, case.title, case.text) or draft


def _escape_title(title: str, start: int, end: int) -> Iterator[Edit]:
    """A heading is one line, and may be closed by hashes."""
    edits = [*_escape_inline(title, start, end), *((m.start(), m.end(), "&#10;") for m in re.finditer("\n", title))]
    if hashes := re.search(r"#+\Z", title):
        edits.append((hashes.start(), hashes.start(), "\\"))
    yield from sorted(edits)


def _escape_markdown(text: str, start: int, end: int) -> Iterator[Edit]:
    before: Block | None = None
    for block in find_blocks(text):
        gap = text[before.end : block.start] if before else "\n\n"
        if before and gap.count("\n") < 2 and "table" in (before.kind, block.kind):
            yield block.start, block.start, "\n"  # a table is a block of its own
        if block.kind == "text":
            lines = list(_escape_accidents(text, block))
            yield from sorted(
                {edit[0]: edit for edit in [*_escape_inline(text, block.start, block.end), *lines]}.values()
            )
        elif block.kind != "code":
            yield from _escape_inline(text, block.start, block.end)
        before = block


def _escape_accidents(text: str, block: Block) -> Iterator[Edit]:
    for match in _ACCIDENTS.finditer(text, block.start, block.end):
        if match["indent"] or match["sign"]:
            yield match.start(), match.end(), "\\" if match["sign"] else ""


def _escape_inline(text: str, start: int, end: int) -> Iterator[Edit]:
    for match in _INLINE.finditer(text, start, end):
        if match.group() in _ESCAPES:
            yield match.start(), match.end(), _ESCAPES[match.group()]


# HTML

_SURROGATE = re.compile("[\ud800-\udfff]")
# Controls but white space, and noncharacters: HTML §13.2.3.5. Written as the complement of what is allowed, which is
# ten times as fast as a class of single characters beyond U+FFFF
_NOT_HTML = re.compile(
    "[^\t\n\x0c\r -~\xa0-\ud7ff\ue000-\ufdcf\ufdf0-\ufffd"
    + "".join(f"{chr(plane << 16)}-{chr(plane << 16 | 0xFFFD)}" for plane in range(1, 17))
    + "]"
)
_MARKUP = re.compile(rf"(?P<code>{_CODE})|(?P<bold>{_BOLD})|(?P<italic>{_ITALIC})|\\\||[&<>\r]")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;", "\\|": "|"}
_PLAIN = re.compile("[&<>\r]")
_TAGS = {"code": "code", "bold": "strong", "italic": "em"}


def html(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """A page with the blocks of the text as elements; without `<title>` where there is none, as HTML wants."""
    yield html_page(case)


def html_page(case: Case, meta: str = "") -> Draft:
    """The valid page, with a line of metadata in its head."""
    title = f"<title>{escape_all(case.title, _escape_plain)}</title>\n" if case.title else ""
    head = (
        f'<!DOCTYPE html>\n<html lang="{escape(case.language)}">\n'
        f'<head>\n<meta charset="UTF-8">\n{meta}{title}</head>\n<body>\n'
    )
    blocks = find_blocks(case.text)
    body = (piece for block in blocks for piece in _element(block))
    code = {block.rows[0][0] for block in blocks if block.kind == "code"}

    def escapes(text: str, start: int, end: int) -> Iterator[Edit]:
        return _escape_plain(text, start, end) if (start, end) in code else _escape_html(text, start, end)

    draft = write_pieces(case.text, [head, *body, "</body>\n</html>"], escapes)
    return refuse_unwritable(_NOT_HTML, case.title, case.text) or draft


def _element(block: Block) -> Iterator[Piece]:
    yield block.start, block.start
    ((first, *_), *_) = block.rows
    if block.kind == "heading":
        yield from (f"<h{block.level}>", first, f"</h{block.level}>")
    elif block.kind == "code":
        yield from ("<pre><code>", first, "</code></pre>")
    elif block.kind == "list":
        tag = "ol" if block.numbers else "ul"
        yield f"<{tag}>\n"
        for at, (item,) in enumerate(block.rows):
            yield from (f'<li value="{block.numbers[at]}">' if block.numbers else "<li>", item, "</li>\n")
        yield f"</{tag}>"
    elif block.kind == "table":
        yield "<table>\n"
        for at, row in enumerate(block.rows):
            tag = "td" if at else "th"
            start, end = block.lines[at]
            yield from ((start, start), "<tr>")
            for cell in row:
                yield from (f"<{tag}>", cell, f"</{tag}>")
            yield from ("</tr>", (end, end), "\n")
        yield "</table>"
    else:
        yield from ("<p>", first, "</p>")
    yield block.end, block.end
    yield "\n"


def _escape_html(text: str, start: int, end: int) -> Iterator[Edit]:
    """Entities, and elements for what is in bold or code."""
    for match in _MARKUP.finditer(text, start, end):
        tag = _TAGS.get(match.lastgroup or "")
        if not tag:
            yield match.start(), match.end(), _ENTITIES[match.group()]
            continue
        marks = 2 if tag == "strong" else 1
        yield match.start(), match.start() + marks, f"<{tag}>"
        yield from _escape_plain(text, match.start() + marks, match.end() - marks)
        yield match.end() - marks, match.end(), f"</{tag}>"


def _escape_plain(text: str, start: int, end: int) -> Iterator[Edit]:
    return ((m.start(), m.end(), _ENTITIES[m.group()]) for m in _PLAIN.finditer(text, start, end))


# JSON and YAML

_JSON = re.compile(r'["\\\x00-\x1f\x7f]')
# What a YAML scalar in quotes must escape: what is unprintable or a line break to YAML 1.1 or 1.2
_YAML = re.compile('["\\\\\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]')
# What a literal block would not preserve: the same, but for quotes, backslashes, tabs and line breaks
_NO_BLOCK = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_INDENT = re.compile(r"(?<=\n)(?=[^\n])")


@dataclass(frozen=True, slots=True)
class Node:
    """A string (of pieces), an array (of nodes) or an object (of names and nodes), and what of the passage it holds."""

    string: tuple[Piece, ...] = ()
    items: tuple["Node", ...] = ()
    fields: "Fields" = ()
    span: Stretch | None = None
    row: bool = False  # a record of a table, which JSON writes in a line


Fields = tuple[tuple[tuple[Piece, ...], Node], ...]


def build_tree(case: Case, keys: tuple[str, str, str, str], escapes: Escape) -> Node:
    """The title and the blocks of a passage: a string, or an array of paragraphs, lists and tables, by sections."""
    title, body, sections, heading = ((f'"{key}"' if escapes is _escape_json else key,) for key in keys)
    found: list[list[Block]] = [[]]
    for block in find_blocks(case.text):
        if block.kind == "heading":
            found.append([])
        found[-1].append(block)
    parts = []
    for blocks in filter(None, found):
        headed = blocks[0].kind == "heading"
        nodes = tuple(_block_node(case.text, block, escapes) for block in blocks[headed:])
        fields: Fields = ((heading, _block_node(case.text, blocks[0], escapes)),) if headed else ()
        if nodes:
            fields += ((body, nodes[0] if len(nodes) == 1 and blocks[-1].kind == "text" else Node(items=nodes)),)
        parts.append(Node(fields=fields))
    written = (title, Node((f'"{escape_all(case.title, escapes)}"',)))
    if len(found) > 1:
        return Node(fields=(written, (sections, Node(items=tuple(parts)))))
    return Node(fields=(written, *(parts[0].fields if parts else ((body, _leaf((0, len(case.text)))),))))


def _block_node(text: str, block: Block, escapes: Escape) -> Node:
    if block.kind == "list":
        numbers = [f"{number}. " for number in block.numbers] or [""] * len(block.rows)
        items = tuple(_leaf(item, number) for number, (item,) in zip(numbers, block.rows, strict=True))
        return Node(items=items, span=(block.start, block.end))
    if block.kind == "table":
        return Node(items=tuple(_table_rows(text, block, escapes)), span=(block.start, block.end))
    return replace(_leaf(block.rows[0][0]), span=(block.start, block.end))


def _table_rows(text: str, block: Block, escapes: Escape) -> Iterator[Node]:
    """A record of each row by the names of its columns; where these are not distinct, the header and the rows."""
    header, *rows = block.rows
    names = [text[slice(*cell)] for cell in header]
    if len(set(names)) < len(names):
        for row, line in zip(block.rows, block.lines, strict=True):
            yield Node(items=tuple(map(_leaf, row)), span=line, row=True)
        return
    for at, (row, line) in enumerate(zip(rows, block.lines[1:], strict=True)):
        # each cell of the header is mapped to its name in the first record
        keys = [_leaf(cell).string for cell in header]
        if at:
            keys = [(f'"{escape_all(name, escapes)}"',) for name in names]
        values = [*map(_leaf, row), *[Node(('""',))] * (len(keys) - len(row))]
        yield Node(fields=tuple(zip(keys, values, strict=True)), span=line, row=True)


def _leaf(stretch: Stretch, before: str = "") -> Node:
    return Node((f'"{before}', stretch, '"'))


def _write_json(node: Node) -> Iterator[Piece]:
    yield from _mark(node, 0)
    opening, closing = ("{", "}") if node.fields else ("[", "]")
    line = "" if node.row else "\n"
    if node.string:
        yield from node.string
    else:
        yield opening + line
        unnamed: Fields = tuple(((), item) for item in node.items)
        for at, (key, value) in enumerate(node.fields or unnamed):
            yield from ((f",{line or ' '}" if at else ""), *key, *([": "] if key else []), *_write_json(value))
        yield line + closing
    yield from _mark(node, 1)


def _write_yaml(node: Node, indent: int = 0) -> Iterator[Piece]:
    """The node from a place in the line at this indent."""
    yield from _mark(node, 0)
    yield from node.string
    line = "\n" + " " * indent
    for at, item in enumerate(node.items):
        yield from (line if at else "", "- ", *_write_yaml(item, indent + 2))
    for at, (key, value) in enumerate(node.fields):
        yield from (
            line if at else "",
            *key,
            ":",
            " " if value.string else f"{line}  ",
            *_write_yaml(value, indent + 2),
        )
    yield from _mark(node, 1)


def _mark(node: Node, side: int) -> Iterator[Piece]:
    if node.span:
        yield node.span[side], node.span[side]


def json(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """An object with the title and the text, or its sections.

    A list is an array of strings, a table one of records by the names of its columns, or of rows where these are not
    distinct.
    """
    tree = build_tree(case, ("title", "text", "sections", "heading"), _escape_json)
    draft = write_pieces(case.text, _write_json(tree), _escape_json)
    yield refuse_unwritable(_SURROGATE, case.title, case.text) or draft


def yaml(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's keys and, as JSON, sections, lists and records; paragraphs alone as a literal block."""
    text = case.text.strip("\n")
    blocks = find_blocks(text)
    if len(text) == len(case.text) and len(blocks) > 1 and {b.kind for b in blocks} == {"text"} and _is_literal(text):
        head = f'Title: "{escape_all(case.title, _escape_yaml)}"\nText: |{"2" if text[0].isspace() else ""}-\n  '
        draft = write_pieces(text, (head, (0, len(text))), _indent)
    else:
        tree = build_tree(case, ("Title", "Text", "Sections", "Heading"), _escape_yaml)
        draft = write_pieces(case.text, _write_yaml(tree), _escape_yaml)
    yield refuse_unwritable(_SURROGATE, case.title, case.text) or draft


def _is_literal(text: str) -> bool:
    return not _NO_BLOCK.search(text)


def _indent(text: str, start: int, end: int) -> Iterator[Edit]:
    return ((m.start(), m.start(), "  ") for m in _INDENT.finditer(text, start, end))


def _escape_json(text: str, start: int, end: int) -> Iterator[Edit]:
    return _escape_quoted(_JSON, text, start, end)


def _escape_yaml(text: str, start: int, end: int) -> Iterator[Edit]:
    return _escape_quoted(_YAML, text, start, end)


def _escape_quoted(pattern: re.Pattern[str], text: str, start: int, end: int) -> Iterator[Edit]:
    """Escapes that JSON and YAML share inside double quotes."""
    for match in pattern.finditer(text, start, end):
        sign = match.group()
        if sign in '"\\':
            yield match.start(), match.start(), "\\"  # before the character itself
        else:
            yield match.start(), match.end(), _SHORT.get(sign) or f"\\u{ord(sign):04x}"


# The paper's templates


def json_as_printed(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's template: broken by a quote, a backslash or a line break."""
    yield _print_template(case.text, f'{{\n"title": "{case.title}",\n"text": "', '"\n}')


def html_as_printed(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's template: a bare title in the head; markup in the text is not escaped."""
    yield html_page_as_printed(case)


def html_page_as_printed(case: Case, meta: str = "") -> Draft:
    """The paper's page, with a line of metadata."""
    before = f'<html lang="en">\n<head>\n<meta charset="UTF-8">\n{meta}{case.title}\n</head>\n<body> '
    return _print_template(case.text, before, " </body>\n</html>")


def yaml_as_printed(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's template: broken by a colon, a line break and much else."""
    yield _print_template(case.text, f"Title: {case.title}\nText: ")


def markdown_as_printed(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's template: markup in the text is not escaped."""
    yield _print_template(case.text, f"# {case.title}\n" if case.title else "")


def _print_template(text: str, before: str, after: str = "") -> Draft:
    return write_pieces(text, (before, (0, len(text)), after), lambda *_: ())


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
