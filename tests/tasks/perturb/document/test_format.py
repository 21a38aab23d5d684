"""Formats byte for byte as the paper prints them, and valid ones that real parsers read back."""

import io
import json
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
from rarefy.tasks.perturb.checks import parses_back
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


def text_of(node) -> str:
    """All strings of parsed JSON or YAML, in order."""
    if isinstance(node, dict):
        return "\n".join(text_of(value) for value in node.values())
    return "\n".join(map(text_of, node)) if isinstance(node, list) else node


def of_json(variant: str) -> str:
    read = json.loads(variant)
    assert list(read) in (["title", "text"], ["title", "sections"], ["title", "heading", "text"])
    return text_of(read)


def of_html5(variant: str) -> str:
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    root = parser.parse(variant)
    assert {error for _, error, _ in parser.errors} <= {"illegal-codepoint-for-numeric-entity"}  # carriage returns
    return "\n".join("\n".join(root.find(part).itertext()) for part in ("head", "body"))


def of_lxml(variant: str) -> str:
    root = lxml.html.document_fromstring(variant.encode(), parser=lxml.html.HTMLParser(encoding="utf-8"))
    return (root.findtext("head/title") or "") + "\n".join(root.find("body").itertext())


def of_pyyaml(variant: str) -> str:
    return text_of(yaml.safe_load(variant))


def of_ruamel(variant: str) -> str:
    return text_of(YAML(typ="safe", pure=True).load(io.StringIO(variant)))


PARSERS = {"json": (of_json,), "html": (of_html5, of_lxml), "yaml": (of_pyyaml, of_ruamel)}


def words(text: str) -> str:
    """The letters of a text, in order; digits are numbers of items, too, and stand elsewhere in HTML."""
    return "".join(c for c in text if c.isalpha())


TEXTS_OF_BLOCKS = st.lists(
    st.sampled_from(
        ["# Head", "## Next ##", "One, two.", "Three\nfour.", "- a\n- b\n  c", "1. d\n2. e",
         "| x | y |\n|---|---|\n| 1 | 2 |",
         "| x | x |\n|---|---|\n| 1 | |", "```\ncode *c*\n\n- no item\n```", "* Not so.",
         "**bold** `co<de` *it*", "> said", "---"]
    ),
    max_size=7,
).map("\n\n".join)  # fmt: skip


@pytest.mark.parametrize("title", TITLES)
@pytest.mark.parametrize("name", ["json", "html", "yaml", "markdown"])
def test_valid_formats_give_back_titles_and_texts_that_try_to_break_them(name, title):
    for text in NASTY:
        draft = made(name, text, title)
        assert not draft.refused, (name, text)
        if name == "markdown" and not title and text.startswith("{"):
            continue  # read as JSON
        assert parses_back(Case("c", "document", text), draft) == "", (name, text)


@pytest.mark.parametrize("name", ["json", "html", "yaml", "markdown"])
@given(st.one_of(TEXTS, TEXTS_OF_BLOCKS), st.one_of(st.sampled_from(TITLES), st.text(max_size=10)))
@settings(max_examples=150, deadline=None)
def test_valid_formats_parse_back_whatever_the_text(name, text, title):
    draft = made(name, text, title)
    if not draft.refused and (name != "markdown" or title):
        assert parses_back(Case("c", "document", text), draft) == ""
        if "|" not in text and "`" not in text:  # columns are named in every row, and a fence may name a language
            for parse in PARSERS.get(name, ()):
                assert words(parse(draft.text)).endswith(words(text))


PAGE = (
    "### Debt ###\n\nIt *owes* **much** & `x<y`:\n\n|  | 2024 | 2023 |\n|---|---:|---|\n| Notes | 3,450 | (21) |\n|"
    " Bonds |  |"
    "\n\n- one\n  more\n- two\n\n3. third\n4. fourth\n\n```py\na = *b\n```\n* Not meaningful."
)


def test_blocks_become_elements_of_html():
    body = made("html", PAGE).text.partition("<body>\n")[2]
    assert body == (
        "<h3>Debt</h3>\n<p>It <em>owes</em> <strong>much</strong> &amp; <code>x&lt;y</code>:</p>\n<table>\n"
        "<tr><th></th><th>2024</th><th>2023</th></tr>\n<tr><td>Notes</td><td>3,450</td><td>(21)</td></tr>\n"
        "<tr><td>Bonds</td><td></td></tr>\n</table>\n<ul>\n<li>one\n  more</li>\n<li>two</li>\n</ul>\n"
        '<ol>\n<li value="3">third</li>\n<li value="4">fourth</li>\n</ol>\n<pre><code>a = *b</code></pre>\n'
        "<p>* Not meaningful.</p>\n</body>\n</html>"
    )


def test_blocks_become_sections_arrays_and_records_of_json_and_yaml():
    read = json.loads(made("json", "Before.\n\n" + PAGE).text)
    held = [
        "It *owes* **much** & `x<y`:",
        [{"": "Notes", "2024": "3,450", "2023": "(21)"}, {"": "Bonds", "2024": "", "2023": ""}],
        ["one\n  more", "two"],
        ["3. third", "4. fourth"],
        "a = *b",
        "* Not meaningful.",
    ]
    assert read == {"title": "T", "sections": [{"text": "Before."}, {"heading": "Debt", "text": held}]}
    found = yaml.safe_load(made("yaml", "Before.\n\n" + PAGE).text)
    assert found == {"Title": "T", "Sections": [{"Text": "Before."}, {"Heading": "Debt", "Text": held}]}


def test_a_table_whose_columns_share_a_name_becomes_rows():
    read = json.loads(made("json", "| a | a |\n|---|---|\n| 1 | 2 |").text)
    assert read == {"title": "T", "text": [[["a", "a"], ["1", "2"]]]}


def test_blocks_stay_in_markdown():
    footnote = "* Not meaningful."
    assert made("markdown", PAGE).text == f"# T\n\n{PAGE}".replace(footnote, f"\\{footnote}")
    html = (
        MarkdownIt("commonmark").enable("table").render(made("markdown", "5 * 3\n| a |\n|---|\n| 1 |\nafter\n---").text)
    )
    assert html == (
        "<h1>T</h1>\n<p>5 * 3</p>\n<table>\n<thead>\n<tr>\n<th>a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td>1</td>\n"
        "</tr>\n</tbody>\n</table>\n<p>after\n---</p>\n"
    )


def test_evidence_in_a_row_is_found_with_its_markup():
    row = "| Notes | 3,450 | (21) |"
    case = Case("c", "document", PAGE, title="T", spans=((PAGE.index(row), PAGE.index(row) + len(row)),))
    ((start, end),) = project_spans(case, made("html", PAGE))
    assert made("html", PAGE).text[start:end] == "<tr><td>Notes</td><td>3,450</td><td>(21)</td></tr>"


@pytest.mark.parametrize("name", ["json", "html", "yaml"])
def test_a_table_that_would_lose_cells_is_text(name):
    text = "| a |\n|---|\n| 1 | 2 |"
    assert "| 1 | 2 |" in made(name, text).text


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
        assert parses_back(Case("c", "document", f"a{sign}b"), draft) == ""


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
    assert made("json", text, title).text == '{\n"title": "T \\"x\\"",\n"text": [\n"A \\"b\\".",\n"C & d: *e*"\n]\n}'
    assert made("html", text, title, language="de").text == (
        '<!DOCTYPE html>\n<html lang="de">\n<head>\n<meta charset="UTF-8">\n<title>T "x"</title>\n</head>\n'
        '<body>\n<p>A "b".</p>\n<p>C &amp; d: <em>e</em></p>\n</body>\n</html>'
    )
    assert made("yaml", text, title).text == 'Title: "T \\"x\\""\nText: |-\n  A "b".\n\n  C & d: *e*'
    assert made("yaml", "No", title).text == 'Title: "T \\"x\\""\nText: "No"'
    assert made("markdown", text, title).text == '# T "x"\n\nA "b".\n\nC & d: *e*'


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
    assert len(spans) <= 1 or "|" in text  # the names of columns stand apart from each other in a record
    if spans and evidence and name.endswith("_as_printed"):
        assert draft.text[slice(*spans[0])] == evidence
    assert spans or not any(c.isalnum() for c in evidence)


@pytest.mark.parametrize("name", [f"{name}{suffix}" for name in PARSERS for suffix in ("", "_as_printed")])
def test_a_megabyte_is_no_trouble(name):
    text = 'He said "no" & <left>.\n| a_b |\n*c*\n\n' * 27_000
    assert len(made(name, text).text) >= len(text)
