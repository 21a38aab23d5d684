from html.parser import HTMLParser

import pytest

from rarefy.data_contracts.expectations import Result, Validation, render_page

GOOD = Validation("read", "Document", 12, (Result("doc_id is unique", "doc_id", True),))
BAD = Validation(
    "chunk",
    "Chunk",
    1234,
    (
        Result("chunk_id is unique", "chunk_id", True),
        Result("span of its document, verbatim", "doc_id, start", False, 2, ("c1: <b>&amp;</b>", "c2: 'x'")),
    ),
)


class Tags(HTMLParser):
    """The tags of a page, which must close as they open."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.attributes = [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.seen.append(tag)
        self.attributes += attrs
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("validations", [[], [GOOD], [GOOD, BAD]])
def test_the_page_is_well_formed_and_needs_nothing_beside_it(validations):
    text = render_page(validations)
    tags = Tags(text)
    assert not tags.open
    assert not {"script", "link", "img", "iframe"} & set(tags.seen)
    assert not {"href", "src", "style"} & {name for name, _ in tags.attributes}
    assert "http" not in text and "@import" not in text and "url(" not in text


def test_a_broken_rule_is_shown_first_open_and_with_its_values_escaped():
    text = render_page([GOOD, BAD])
    assert "2 tables, 3 rules" in text and "1 broken" in text and "1,234 rows" in text
    assert text.index("span of its document") < text.index("chunk_id is unique")
    assert text.count("<details open>") == 1 and text.count("<details>") == 1
    assert "c1: &lt;b&gt;&amp;amp;&lt;/b&gt;" in text and "c2: &#x27;x&#x27;" in text


def test_a_page_without_a_breach_says_so():
    assert "all hold" in render_page([GOOD]) and "broken" not in render_page([GOOD])
