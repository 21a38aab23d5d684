"""Formats byte for byte as the paper prints them, and valid ones that real parsers read back."""

import io
import json
from itertools import pairwise
from random import Random

import html5lib
import lxml.html
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from ruamel.yaml import YAML

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.catalogue import CATALOGUE, load_maker
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.spans import project_spans

NASTY = (
    'He said "no" \\ and left\\',
    "</pre></body></html><script>alert(1)</script> &amp; &lt; &#65; <!-- x --> ]]>",
    "---\ntitle: x\n---\nText: y\n...\n%TAG ! x\n- a\n? b\n: c\n& d\n* e\n! f\n| g\n> h\n@ i\n` j\n# k",
    "no\nyes\nNorway: NO\n1e3\n0x1F\n~\nnull\n2024-01-01",
    "    four spaces\n\ttab\n  two \n trailing  \n\n\n\nfar below\n\n",
    "\n\nbreaks at the top",
    "\n",
    " ",
    "",
    "word",
    "שלום עולם \u202bRTL\u202c \u200b\u200d\u2060\ufeff zero width 👩‍👩‍👧 e\u0301 İ ß",
    "line\r\nline\rline\x0cpage\u2028separator\u2029paragraph\xa0space",
    "# Heading\nSetext\n===\nOther\n---\n1. one\n2) two\n+ plus\n- minus\n> quote\n"
    "```\ncode\n```\n~~~\n<div>\n***\n___",
    "*a* _b_ __c__ **d** `e` ~~f~~ [g](h) ![i](j) [k]: l <http://m.n> snake_case_name "
    "5 * 3 AT&T R&D; a&lt b &#x41 &amp a<b\\*c",
    "[ref]: http://x.y 'title'\n\n[ref] and [^1]\n\n[^1]: note",
    "Sales (in millions):\n\n| Segment | 2024 |\n|---|---:|\n| A_b_ *c* \\| d | $1 `x` |\n| Total |\n\n"
    "Notes & <b>more</b>.",
    "| a | b |\n|---|\n| 1 | 2 |",
    "| a |\n|---|\n| 1 | 2 |\nafter",
    "text\n| a |\n|---|\n| 1 |\nafter",
    "not | a\n---|---\ntable | here",
    "{{ jinja }} {% raw %} ${x} %s {0} {Title} {Document}",
)
TITLES = (
    "",
    "Apple Inc., Form 10-K for fiscal year 2024",
    'A "b" \\ <c> & d: e # f #',
    "  x\n# y ##",
    "---",
    "#",
    "שלום",
)
TEXTS = st.one_of(
    st.sampled_from(NASTY), st.text(max_size=60), st.text("ab1 \t\n|-_*`\\[]<>&#+.)(=~:'\"!\r", max_size=40)
)


def made(name: str, text: str, title: str = "T", **fields: object) -> Draft:
    """The one draft of this format."""
    case = Case("c", "document", text, title=title, **fields)
    (draft,) = load_maker(CATALOGUE[name])(case, PerturbConfig(), Random(0))
    return draft


def of_json(variant: str) -> tuple[str, str]:
    read = json.loads(variant)
    assert list(read) == ["title", "text"]
    return read["title"], read["text"]


def of_html5(variant: str) -> tuple[str, str]:
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    root = parser.parse(variant)
    assert {error for _, error, _ in parser.errors} <= {"illegal-codepoint-for-numeric-entity"}  # carriage returns
    return "".join(root.find("head/title").itertext() if root.find("head/title") is not None else ()), "".join(
        root.find("body").itertext()
    )


def of_lxml(variant: str) -> tuple[str, str]:
    root = lxml.html.document_fromstring(variant.encode(), parser=lxml.html.HTMLParser(encoding="utf-8"))
    return root.findtext("head/title") or "", str(root.find("body").xpath("string()"))


def of_pyyaml(variant: str) -> tuple[str, str]:
    read = yaml.safe_load(variant)
    assert list(read) == ["Title", "Text"]
    return read["Title"], read["Text"]


def of_ruamel(variant: str) -> tuple[str, str]:
    read = YAML(typ="safe", pure=True).load(io.StringIO(variant))
    return read["Title"], read["Text"]


def of_markdown(variant: str) -> tuple[str, str]:
    """The text that a renderer shows: paragraphs apart by a blank line, the rows of tables with their bars."""
    tokens = MarkdownIt("commonmark").enable("table").parse(variant)
    titled = bool(tokens) and (tokens[0].type, tokens[0].tag) == ("heading_open", "h1")
    title, blocks, row = _shown(tokens[1]) if titled else "", [], []
    for before, token in pairwise(tokens[2:] if titled else [None, *tokens]):
        if token.type == "tr_open":
            row = []
        elif token.type == "inline" and before.type in ("th_open", "td_open"):
            row.append(_shown(token).replace("|", "\\|"))
        elif token.type == "tr_close":
            blocks.append(("row", row))
        elif token.type == "thead_close":
            blocks.append(("row", ["---"] * len(row)))
        elif token.type == "inline":
            assert before.type == "paragraph_open"
            blocks.append(("text", _shown(token)))
        elif token.type == "table_close":
            blocks.append(("end", ""))
        else:
            kinds = ("heading", "paragraph", "table", "thead", "tbody", "th_", "td_", "tr_")
            assert token.type.startswith(kinds), token.type
    text = ""
    for kind, what in blocks:
        if kind == "row":
            text += "| " + " | ".join(what) + " |\n"
        else:
            text += what + ("\n\n" if kind == "text" else "\n")
    return title, text.removesuffix("\n\n")


def _shown(token) -> str:
    signs = {"softbreak": "\n"}
    assert {child.type for child in token.children} <= {"text", "text_special", "softbreak"}, token.children
    return "".join(signs.get(child.type, child.content) for child in token.children)


PARSERS = {
    "json": (of_json,),
    "html": (of_html5, of_lxml),
    "yaml": (of_pyyaml, of_ruamel),
    "markdown": (of_markdown,),
}


def like_a_page(text: str) -> str:
    """A text as Markdown can give it back: as it is, and around and in tables without what is no matter there."""
    lines = text.split("\n")
    rows = [line.startswith("|") for line in lines]
    if not any(rows):
        return text
    cells = [
        "| " + " | ".join(c.strip() for c in line.strip().strip("|").replace("\\|", "\0").split("|")) + " |"
        if row
        else line
        for line, row in zip(lines, rows, strict=True)
    ]
    return " ".join("\n".join(cells).replace("\0", "\\|").replace("---:", "---").split())


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("name", ["json", "html", "yaml", "markdown"])
def test_valid_formats_give_back_titles_and_texts_that_try_to_break_them(name, title):
    for text in NASTY:
        draft = made(name, text, title)
        assert not draft.refused, (name, text)
        for parse in PARSERS[name]:
            read_title, read_text = parse(draft.text)
            if name == "markdown" and "\n|" in f"\n{text}":
                continue
            assert (read_title, read_text) == (title, text), (parse, draft.text)


@pytest.mark.parametrize("name", ["json", "html", "yaml"])
@given(TEXTS, st.one_of(st.sampled_from(TITLES), st.text(max_size=10)))
@settings(max_examples=150, deadline=None)
def test_valid_formats_parse_back_whatever_the_text(name, text, title):
    draft = made(name, text, title)
    if not draft.refused:
        assert {parse(draft.text) for parse in PARSERS[name]} == {(title, text)}


@given(TEXTS, st.one_of(st.sampled_from(TITLES), st.text(max_size=10)))
@settings(max_examples=300, deadline=None)
def test_markdown_renders_to_the_text_whatever_it_is(text, title):
    draft = made("markdown", text, title)
    if not draft.refused and not any(line.startswith("|") for line in text.split("\n")):
        assert of_markdown(draft.text) == (title, text)
    elif not draft.refused:
        letters = "".join(c for c in text if c.isalnum())
        assert "".join(c for c in of_markdown(draft.text)[1] if c.isalnum()) == letters


def test_tables_stay_tables_in_markdown():
    table = "| Segment | 2024 |\n|---|---:|\n| A_b_ *c* \\| d | $1 `x` |\n| Total | 5 |"
    text = f"Sales (in millions):\n\n{table}\n\nNotes & <b>more</b>."
    read = of_markdown(made("markdown", text).text)[1]
    assert like_a_page(read) == like_a_page(text)
    html = MarkdownIt("commonmark").enable("table").render(made("markdown", text).text)
    assert "<td>A_b_ *c* | d</td>" in html and html.count("<tr>") == 3 and "Notes &amp; &lt;b&gt;more" in html


def test_a_table_that_would_lose_cells_is_text():
    text = "| a |\n|---|\n| 1 | 2 |"
    assert of_markdown(made("markdown", text).text) == ("T", text)


def test_a_table_gets_the_blank_lines_that_it_needs():
    variant = made("markdown", "text\n| a |\n|---|\n| 1 |\nafter").text
    assert variant == "# T\n\ntext\n\n| a |\n|---|\n| 1 |\n\nafter"


@pytest.mark.parametrize(
    ("name", "sign", "refused"),
    [
        ("json", "\x00", False), ("json", "\ud800", True), ("yaml", "\x00", False), ("yaml", "\ud83d", True),
        ("html", "\x00", True), ("html", "\x1b", True), ("html", "\x85", True), ("html", "\ufffe", True),
        ("html", "\ud800", True), ("markdown", "\x00", True), ("markdown", "\ud800", True), ("html", "\t", False),
    ],
)  # fmt: skip
def test_what_a_format_cannot_hold_is_refused_with_its_place(name, sign, refused):
    draft = made(name, f"a{sign}b")
    assert draft.refused == ("not_representable" if refused else "")
    if refused:
        assert draft.detail == f"U+{ord(sign):04X} at 1 of the text"
        assert made(name, "ab", f"{sign}").detail == f"U+{ord(sign):04X} at 0 of the title"
    else:
        assert {parse(draft.text)[1] for parse in PARSERS[name]} == {f"a{sign}b"}


def test_the_templates_are_those_of_figure_9():
    text, title = 'A "b".\n\n</body> c', "T & <u>"
    assert made("json_as_printed", text, title).text == '{\n"title": "T & <u>",\n"text": "A "b".\n\n</body> c"\n}'
    assert made("html_as_printed", text, title).text == (
        '<html lang="en">\n<head>\n<meta charset="UTF-8">\nT & <u>\n</head>\n'
        '<body> A "b".\n\n</body> c </body>\n</html>'
    )
    assert made("yaml_as_printed", text, title).text == 'Title: T & <u>\nText: A "b".\n\n</body> c'
    assert made("markdown_as_printed", text, title).text == '# T & <u>\nA "b".\n\n</body> c'
    assert made("markdown_as_printed", text, "").text == text  # no heading of nothing


def test_the_templates_are_those_that_the_paper_prints(shared):
    """Figure 9 as its text was taken from the paper: quotes are typographic there, braces hold the places."""
    figure = (shared / "papers" / "sure.txt").read_text().replace("’", "'")
    for name in ("json", "html", "yaml", "markdown"):
        assert made(f"{name}_as_printed", "{Document}", "{Title}").text in figure
    case = Case("c", "document", "{Document}", title="{Title}")
    for name in ("timestamp", "datasource"):
        full = "timestamp_pre_as_printed" if name == "timestamp" else "datasource_wiki_as_printed"
        (draft,) = load_maker(CATALOGUE[full])(case, PerturbConfig(), Random(0))
        line = next(line for line in draft.text.split("\n") if f"'{name}'" in line)
        printed = draft.text.replace(line, f"<meta name='{name}' content='{{{name}}}'>")
        assert printed in figure


def test_valid_formats_look_like_this():
    text, title = 'A "b".\n\nC & d: *e*', 'T "x"'
    assert made("json", text, title).text == '{\n"title": "T \\"x\\"",\n"text": "A \\"b\\".\\n\\nC & d: *e*"\n}'
    assert made("html", text, title, language="de").text == (
        '<!DOCTYPE html>\n<html lang="de">\n<head>\n<meta charset="UTF-8">\n<title>T "x"</title>\n</head>\n'
        '<body><pre>A "b".\n\nC &amp; d: *e*</pre></body></html>'
    )
    assert made("yaml", text, title).text == 'Title: "T \\"x\\""\nText: |-\n  A "b".\n\n  C & d: *e*'
    assert made("yaml", "No", title).text == 'Title: "T \\"x\\""\nText: "No"'
    assert made("markdown", text, title).text == '# T "x"\n\nA "b".\n\nC & d: \\*e\\*'


@pytest.mark.parametrize("name", [f"{name}{suffix}" for name in PARSERS for suffix in ("", "_as_printed")])
@given(st.data())
@settings(max_examples=80, deadline=None)
def test_what_moved_is_the_original_and_evidence_follows_it(name, data):
    text = data.draw(TEXTS)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    draft = made(name, text)
    if draft.refused:
        return
    for move in draft.moves:
        assert draft.text[move.at : move.at + move.end - move.start] == text[move.start : move.end]
    case = Case("c", "document", text, title="T", spans=((start, end),))
    spans = project_spans(case, draft)
    evidence = text[start:end].strip()
    assert len(spans) <= 1
    if spans and evidence and name.endswith("_as_printed"):
        assert draft.text[slice(*spans[0])] == evidence
    assert spans or not any(c.isalnum() for c in evidence)


@pytest.mark.parametrize("name", [f"{name}{suffix}" for name in PARSERS for suffix in ("", "_as_printed")])
def test_a_megabyte_is_no_trouble(name):
    text = 'He said "no" & <left>.\n| a_b |\n*c*\n\n' * 27_000
    assert len(made(name, text).text) >= len(text)
