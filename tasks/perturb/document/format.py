"""A passage with its title as JSON, HTML, YAML or Markdown (SURE §3.2, Format; Figure 9).

Each format is there twice. `*_as_printed` is the paper's template, byte for byte as Figure 9 prints it, with its line
breaks: nothing is escaped, so that a quote or a `</body>` in a passage breaks it, and the title of the HTML stands
naked in `<head>`. The other is valid: a parser of the format gives back exactly the title and the text. What no valid
document can hold (a control character in HTML, half a surrogate pair anywhere) is refused: `not_representable`.
"""

import re
from collections.abc import Iterator
from html import escape
from random import Random

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.document.escape import Edit, escaped, plain, unwritable
from rarefy.tasks.perturb.document.markdown import markdown as markdown

_SURROGATE = re.compile("[\ud800-\udfff]")
# All but controls (of them white space alone may stand) and noncharacters: HTML §13.2.3.5. Said by what may stand, as
# a class of single signs beyond U+FFFF is ten times as slow
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
# What a block would not give back: all that but quotes, backslashes, tabs and line breaks
_NO_BLOCK = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_INDENT = re.compile(r"(?<=\n)(?=[^\n])")


def json(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """An object of the title and the text, letters as they are."""
    before = f'{{\n"title": "{plain(case.title, _quoted(_JSON, case.title))}",\n"text": "'
    draft = escaped(case.text, _quoted(_JSON, case.text), before, '"\n}')
    yield unwritable(_SURROGATE, case.title, case.text) or draft


def html(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """A page with the text in `<pre>`, which keeps its lines; without `<title>` where there is none, as HTML wants."""
    yield page(case)


def page(case: Case, meta: str = "") -> Draft:
    """The valid page, with this line in its head: all that the variants by metadata differ in."""
    title = f"<title>{plain(case.title, _entities(case.title))}</title>\n" if case.title else ""
    before = (
        f'<!DOCTYPE html>\n<html lang="{escape(case.language)}">\n'
        f'<head>\n<meta charset="UTF-8">\n{meta}{title}</head>\n'
        # HTML drops a line break right behind <pre>, older parsers do not: none stands there
        f"<body><pre>{'<span></span>' if case.text.startswith(chr(10)) else ''}"
    )
    draft = escaped(case.text, _entities(case.text), before, "</pre></body></html>")
    return unwritable(_NOT_HTML, case.title, case.text) or draft


def yaml(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """Both keys of the paper; several lines as a literal block, where one gives them back, else in double quotes."""
    title, text = f'Title: "{plain(case.title, _quoted(_YAML, case.title))}"\nText: ', case.text
    if "\n" in text.strip("\n") and not _NO_BLOCK.search(text):
        kept = len(text) - len(text.rstrip("\n"))
        indent = "2" if text[0].isspace() else ""  # which is not seen from a first line that has spaces of its own
        head = f"|{indent}{('-', '', '+')[min(kept, 2)]}\n" + ("" if text[0] == "\n" else "  ")
        draft = escaped(text, ((m.start(), m.start(), "  ") for m in _INDENT.finditer(text)), title + head)
    else:
        draft = escaped(text, _quoted(_YAML, text), f'{title}"', '"')
    yield unwritable(_SURROGATE, case.title, text) or draft


def json_as_printed(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's template: broken by a quote, a backslash or a line break."""
    yield escaped(case.text, (), f'{{\n"title": "{case.title}",\n"text": "', '"\n}')


def html_as_printed(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's template: the title naked in the head, whatever is markup in the text taken for it."""
    yield page_as_printed(case)


def page_as_printed(case: Case, meta: str = "") -> Draft:
    """The paper's page, with this line of metadata."""
    before = f'<html lang="en">\n<head>\n<meta charset="UTF-8">\n{meta}{case.title}\n</head>\n<body> '
    return escaped(case.text, (), before, " </body>\n</html>")


def yaml_as_printed(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's template: broken by a colon, a line break and much else."""
    yield escaped(case.text, (), f"Title: {case.title}\nText: ")


def markdown_as_printed(case: Case, config: PerturbConfig, random: Random) -> Iterator[Draft]:
    """The paper's template: whatever is markup in the text is taken for it."""
    yield escaped(case.text, (), f"# {case.title}\n")


def _entities(text: str) -> Iterator[Edit]:
    return ((m.start(), m.end(), _ENTITIES[m.group()]) for m in _MARKUP.finditer(text))


def _quoted(pattern: re.Pattern[str], text: str) -> Iterator[Edit]:
    """Escapes inside double quotes that JSON and YAML share."""
    for match in pattern.finditer(text):
        sign = match.group()
        if sign in '"\\':
            yield match.start(), match.start(), "\\"  # the sign itself stands
        else:
            yield match.start(), match.end(), _SHORT.get(sign) or f"\\u{ord(sign):04x}"
