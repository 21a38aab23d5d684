import pytest

from rarefy.data_contracts.rows import Block, Chunk, Document, Fact, Link, Place, Quarantined, row_id
from rarefy.data_contracts.suites import SUITES

NOBODY = "0123456789abcdef"  # a well-formed name of nothing

# row type, rule, which rows to change, how, and what the message must show
BREACHES = [
    (Document, "the table has rows", "none", {}, "0"),
    (Document, "doc_id is unique", "twice", {}, "acme-2024"),
    (Document, "doc_id is a name on one line", 0, {"doc_id": "acme\n2024"}, "acme\n2024"),
    (
        Document,
        "content_hash is 16 to 128 hexadecimal digits",
        0,
        {"content_hash": "xyz"},
        "acme-2024: content_hash 'xyz'",
    ),
    (Document, "media_type is type/subtype", 0, {"media_type": "html"}, "'html'"),
    (Document, "language is a language tag or empty", 0, {"language": "English"}, "'English'"),
    (
        Document,
        "duplicate_similarity lies in 0..1",
        3,
        {"duplicate_similarity": 1.5},
        "copies/bolt: duplicate_similarity 1.5",
    ),
    (Document, "source is not blank", 0, {"source": " "}, "acme-2024: ' '"),
    (Document, "domain is not blank", 0, {"domain": ""}, "acme-2024: ''"),
    (Document, "text is not blank", 0, {"text": "\n\n"}, "acme-2024: '\\n\\n'"),
    (Document, "fiscal_year is 0 or of four digits", 0, {"fiscal_year": 24}, "acme-2024: fiscal_year 24"),
    (Document, "period_start, period_end, as_of are days", 0, {"as_of": "2024-02-30"}, "'2024-02-30'"),
    (Document, "period_start, period_end, as_of are days", 0, {"as_of": "20240228"}, "'20240228'"),
    (
        Document,
        "period_start, period_end, as_of are days",
        0,
        {"period_end": "2023-01-01"},
        "after period_end 2023-01-01",
    ),
    (
        Document,
        "blocks in order, inside the text",
        0,
        {"blocks": (Block("text", 0, 9), Block("text", 5, 12))},
        "[5, 12)",
    ),
    (Document, "blocks in order, inside the text", 0, {"blocks": (Block("text", 0, 9999),)}, "[0, 9999)"),
    (Document, "blocks in order, inside the text", 0, {"blocks": (Block("aside", 0, 9),)}, "'aside'"),
    (Document, "blocks cover the text", 0, {"blocks": (Block("text", 7, 80),)}, "'# Acme'"),
    (Document, "blocks cover the text", 0, {"blocks": ()}, "Acme Inc."),
    *(
        (Document, "places in order, inside the text, named", 0, {"places": places}, shown)
        for places, shown in (
            ((Place(5, 5, "page 1"),), "'page 1' at [5, 5)"),
            ((Place(0, 99999, "page 1"),), "'page 1' at [0, 99999)"),
            ((Place(0, 5, " "),), "[0, 5) has a place without a name"),
            ((Place(7, 9, "page 2"), Place(0, 5, "page 1")), "'page 1' at [0, 5) after one"),
            ((Place(0, 5, "Sheet1!A1"), Place(0, 9, "Sheet1!A1:B2")), "'Sheet1!A1:B2' at [0, 9) after one"),
        )
    ),
    *(
        (Document, "links in order, inside the text, with a target", 0, {"links": links}, shown)
        for links, shown in (
            ((Link(5, 5, "a.md"),), "'a.md' at [5, 5)"),
            ((Link(0, 99999, "a.md"),), "'a.md' at [0, 99999)"),
            ((Link(0, 5, " "),), "[0, 5) leads nowhere"),
            ((Link(0, 5, "a.md"), Link(4, 9, "b.md")), "'b.md' at [4, 9) after 5"),
        )
    ),
    (Document, "facts inside the text", 0, {"facts": (Fact(5, 5, "dei:X", "1"),)}, "dei:X at [5, 5)"),
    (Document, "facts inside the text", 0, {"facts": (Fact(0, 99999, "dei:X", "1"),)}, "dei:X at [0, 99999)"),
    (
        Document,
        "facts' periods are days",
        0,
        {"facts": (Fact(0, 0, "dei:X", "1", period_end="2024"),)},
        "dei:X: period_end '2024'",
    ),
    (
        Document,
        "a duplicate has another document and a similarity",
        0,
        {"duplicate_of": "acme-2024", "duplicate_similarity": 1.0},
        "itself",
    ),
    (Document, "a duplicate has another document and a similarity", 0, {"duplicate_of": "bolt-2024"}, "'bolt-2024'"),
    (Document, "a duplicate's original is there", 3, {"duplicate_of": "gone"}, "copies/bolt: duplicate of 'gone'"),
    (Chunk, "the table has rows", "none", {}, "0"),
    (Chunk, "chunk_id is unique", "twice", {}, ""),
    (Chunk, "chunk_id is 16 hexadecimal digits", 0, {"chunk_id": "chunk_1"}, "chunk_1"),
    (Chunk, "chunk_id is 16 hexadecimal digits", 0, {"chunk_id": NOBODY + "\n"}, NOBODY),
    (Chunk, "doc_id names a Document", 0, {"doc_id": "gone"}, "doc_id 'gone'"),
    (Chunk, "span of its document, verbatim", 0, {"start": 5, "end": 5}, "[5, 5)"),
    (Chunk, "span of its document, verbatim", 0, {"start": -1}, "[-1, "),
    (Chunk, "span of its document, verbatim", 0, {"end": 10**6}, "1000000) is not inside acme-2024"),
    (Chunk, "span of its document, verbatim", 0, {"text": "Something else"}, "'Something else'"),
    (Chunk, "kind is text | table, or module:function", 0, {"kind": "picture"}, "'picture'"),
    (Chunk, "tokens is at least 1", 0, {"tokens": 0}, "tokens 0"),
    (Chunk, "domain is not blank", 0, {"domain": ""}, "''"),
    (Chunk, "fiscal_year is 0 or of four digits", 0, {"fiscal_year": 166}, "166"),
    (Chunk, "period_end are days", 0, {"period_end": "fiscal 2024"}, "'fiscal 2024'"),
    (Chunk, "every document has a chunk", "without", {"doc_id": "bolt-2024"}, "bolt-2024: has no chunk"),
    (Quarantined, "quarantine_id is unique", "twice", {}, row_id("b")),
    (Quarantined, "quarantine_id is 16 hexadecimal digits", 0, {"quarantine_id": "x.html"}, "x.html"),
    (Quarantined, "stage is not blank", 0, {"stage": ""}, "''"),
    (Quarantined, "source is not blank", 0, {"source": ""}, "''"),
    (Quarantined, "reason is not blank", 0, {"reason": ""}, "''"),
    (Quarantined, "reason is a snake_case code or empty", 0, {"reason": "Empty file"}, "'Empty file'"),
    (Quarantined, "detail is not blank", 0, {"detail": ""}, "''"),
]


@pytest.mark.parametrize(("row_type", "rule", "where", "changes", "shown"), BREACHES)
def test_a_breach_is_caught_and_named(breach, row_type, rule, where, changes, shown):
    result, message = breach(row_type, rule, where, changes)
    assert not result.success and result.count >= 1
    assert shown in result.examples[0]
    assert "some stage" in message and rule in message and row_type.__name__ in message


@pytest.mark.parametrize("row_type", [Document, Chunk, Quarantined])
def test_every_rule_has_a_breach(row_type):
    rules = [rule.says for rule in SUITES[row_type].rules]
    assert len(set(rules)) == len(rules)
    assert {rule for its_type, rule, *_ in BREACHES if its_type is row_type} == set(rules)
