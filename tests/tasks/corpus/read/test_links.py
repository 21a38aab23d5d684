"""Where links lead is kept, with the words that lead there; no text is another for it."""

import pytest

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read.html import read_html
from rarefy.tasks.corpus.read.text import read_markdown


def shown(document: Document) -> list[tuple[str, str]]:
    return [(document.text[link.start : link.end], link.target) for link in document.links]


@pytest.mark.parametrize(
    ("marked", "links"),
    [
        ("See [the *leave* page](../leave.md#pay) today.", [("the leave page", "../leave.md#pay")]),
        ("See [leave](<leave.md>) and [a\nform](f.md 'F').", [("leave", "leave.md")]),
        ("[Leave][l], [Pay], [x][].\n\n[L]: leave.md\n[pay]: <pay.md>\n", [("Leave", "leave.md"), ("Pay", "pay.md")]),
        ('Ask [us]({% page "/us/" %}) or [them]({{< ref "them.md" >}}).', [("us", "/us/"), ("them", "them.md")]),
        ("- [one](1.md):   first\n- two\n  goes on to [two](2.md)", [("one", "1.md"), ("two", "2.md")]),
        ("leave, [leave](a.md), __[leave](b.md)__ &amp; leave", [("leave", "a.md"), ("leave", "b.md")]),
        ("`[code](a.md)`, ![a picture](a.png), \\[no\\](a.md), [here](#here), [us](mailto:a@b.c)", []),
        ("# A [title](a.md)", []),
    ],
)  # fmt: skip
def test_links_of_markdown(marked: str, links: list[tuple[str, str]]) -> None:
    assert shown(read_markdown(marked, "a.md")) == links


def test_a_link_stands_where_it_stands_in_the_text() -> None:
    document = read_markdown("# Leave\n\nleave  here;   **then** see [leave](leave.md).\n", "a.md")
    (link,) = document.links
    assert document.text[: link.start].endswith("leave here; then see ")


def test_links_of_html() -> None:
    body = (
        '<ul><li><a href="menu.html">Menu</a></li></ul><h2>On <a href="h.html">heads</a></h2>'
        '<p>All about <a href="leave.html"> paid <b>leave</b></a>, <a href="#x">below</a> and '
        '<a href="javascript:go()">there</a>.</p><table><tr><td>See <a href="t.html">it</a></td><td>1</td></tr></table>'
    )
    assert shown(read_html(f"<html><body>{body}</body></html>", "a.html")) == [("paid leave", "leave.html")]


def test_links_change_no_word_of_html() -> None:
    body = "<p>One <a{}>two</a>three</p><div>See<a{}> four <p>five</p></a> six</div><p><a{}>- seven</a></p>"
    linked, plain = (
        read_html(f"<html><body>{body.replace('{}', href)}</body></html>", "a.html") for href in (' href="b.html"', "")
    )
    assert (linked.text, linked.blocks) == (plain.text, plain.blocks)
