from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Document
from rarefy.tasks.corpus.read import ReadConfig, read_corpus
from rarefy.tasks.corpus.read.text import read_markdown, strip_inline_markup


def blocks(text: str) -> list[tuple[str, str]]:
    document = read_markdown(text, "a.md")
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def test_front_matter_becomes_metadata_and_the_title() -> None:
    document = read_markdown('---\ntitle: "A Report"\nauthor: Jane\n---\n\nWords follow here.', "a.md")
    assert (document.title, document.metadata, document.text) == ("A Report", {"author": "Jane"}, "Words follow here.")


PART = (
    "# Item 1. Business\n\n## Pending Acquisition of Kvarn Holdings, Inc.\n\n(i) Orsa Publishing, Inc.\n\nFORM 10-K.\n"
)


def test_a_part_of_a_filing_has_the_title_of_its_front_matter() -> None:
    front = '---\ntitle: "Halden Corporation, Form 10-K for fiscal year 2021"\ncompany: "Halden Corporation"\n---\n\n'
    document = read_markdown(front + PART, "halden.md")
    assert document.title == "Halden Corporation, Form 10-K for fiscal year 2021"
    assert document.entity == "Halden Corporation"


def test_a_heading_about_a_company_and_an_item_of_a_list_name_no_registrant() -> None:
    assert read_markdown(PART, "part.md").entity == ""
    headed = "# Halden Corporation – Annual Report on Form 10-K for the fiscal year ended December 31, 2021\n\n"
    assert read_markdown(headed + PART, "part.md").entity == "Halden Corporation"


def test_headings_of_both_kinds_make_sections() -> None:
    document = read_markdown("Title\n=====\n\n## Part ##\n\nWords *here* and [there](http://x.y).\n", "a.md")
    assert [(b.kind, b.section) for b in document.blocks] == [
        ("heading", ""),
        ("heading", "Title"),
        ("text", "Title > Part"),
    ]
    assert document.text.endswith("Words here and there.")


def test_a_pipe_table_keeps_its_caption_its_units_and_its_notes() -> None:
    text = "Table 1. Net sales\n\n(in millions)\n\nA|B\n---|--:\n**x**|1\\|2\n\n(1) As restated.\n\nMore words."
    assert blocks(text) == [
        ("caption", "Table 1. Net sales"),
        ("caption", "(in millions)"),
        ("table", "| A | B |\n|---|---|\n| x | 1\\|2 |"),
        ("footnote", "(1) As restated."),
        ("text", "More words."),
    ]


def test_an_html_table_becomes_a_pipe_table() -> None:
    rows = (("Year", "Sales"), ("2024", "5"), ("2023", "4"))
    text = "Before it.\n\n<table>" + "".join(f"<tr><td>{a}</td><td>{b}</td></tr>" for a, b in rows) + "</table>"
    (_, table) = blocks(text)
    assert table[0] == "table" and "| 2024 | 5 |" in table[1]


def test_lists_quotations_and_code_keep_their_words() -> None:
    text = "* one\n* two\n  goes on\n1. first\n\n> quoted\n> words\n\n```\ncode | here\n```\n"
    assert [words for _, words in blocks(text)] == ["- one\n- two goes on\n1. first", "quoted words", "code | here"]


@pytest.mark.parametrize(
    ("marked", "plain"),
    [
        ("**bold** and __bold__ and *slanted* _slanted_", "bold and bold and slanted slanted"),
        ("2 * 3 * 4 and snake_case_name", "2 * 3 * 4 and snake_case_name"),
        ("![picture](a.png) [link](b 'x')", "picture [link](b 'x')"),
        ("R&amp;D &lt;5", "R&D <5"),
        ("H<sub>2</sub>O<br>now", "H2O now"),
        ("\\*not bold\\*", "*not bold*"),
    ],
)
def test_marks_go_and_words_stay(marked: str, plain: str) -> None:
    assert strip_inline_markup(marked) == plain


def test_a_part_of_the_cfr_has_its_sections_and_its_last_amendment(shared: Path) -> None:
    (row,) = read_corpus(shared / "corpora/policy/ecfr-title24/title24_chVII_part792.md", ReadConfig())
    assert isinstance(row, Document)
    assert (row.domain, row.entity, row.as_of) == ("policy", "24 CFR Part 792", "1999-05-14")
    sections = {block.section.split(" > ")[-1] for block in row.blocks}
    assert any(section.startswith("§ 792.103") for section in sections)
    assert "Authority: 42 U.S.C. 1437f" in row.text and "Authority: Authority" not in row.text


def test_a_table_that_shows_nothing_costs_nothing_else() -> None:
    assert blocks("Words before.\n\n<table></table>\n\nWords after.") == [
        ("text", "Words before."), ("text", "Words after."),
    ]  # fmt: skip


def test_front_matter_is_yaml_and_fills_the_fields_of_records() -> None:
    front = (
        "title: 'Pumps: a guide'\nauthor:\n  - Jane Doe\n  - John Roe\nCompany: Acme Pumps\ndate: 2024-03-05\n"
        "lang: en-GB\ntags: [pumps, water]\nversion: 1.10\ndraft: no\nspace: {key: OPS, id: 7}\nempty:\n"
    )
    document = read_markdown(f"---\n{front}---\n# Other\n\nWords follow here.", "a.md")
    assert (document.title, document.entity, document.as_of) == ("Pumps: a guide", "Acme Pumps", "2024-03-05")
    assert document.metadata["language"] == "en-GB"
    assert document.metadata == {
        "entity_from": "metadata",
        "language": "en-GB",
        "author": "Jane Doe, John Roe", "tags": "pumps, water", "version": "1.10", "draft": "no",
        "space": '{"id": "7", "key": "OPS"}',
    }  # fmt: skip


@pytest.mark.parametrize(
    ("front", "metadata"),
    [
        ("title: A: B\nowner: Jane", {"owner": "Jane"}),
        (
            "a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\ntitle: A: B",
            {"a": "&a [x, x]", "b": "&b [*a, *a]", "c": "[*b, *b]"},
        ),
        ("title: 'A: B'\nowner: !!python/object/apply:os.system ['true']", {}),
    ],
)
def test_front_matter_that_is_no_plain_yaml_is_read_by_its_lines(front: str, metadata: dict[str, str]) -> None:
    document = read_markdown(f"---\n{front}\n---\n\nWords follow here.", "a.md")
    assert document.title == "A: B" and document.text == "Words follow here."
    assert document.metadata.items() >= metadata.items()


def test_a_text_between_two_rules_is_no_front_matter() -> None:
    assert read_markdown("---\nJust some words.\n---\n\nMore words.", "a.md").text == "Just some words.\n\nMore words."


PAGE_ID = "0123456789abcdef0123456789abcdef"
PROPERTIES = "Owner: Jane Doe\nTags: a, b\nCreated time: March 5, 2024 4:05 PM\nLast edited time: May 6, 2024 1:00 PM"


def test_a_page_of_notion_gives_its_properties_as_metadata() -> None:
    document = read_markdown(
        f"# Pumps\n\n{PROPERTIES}\n\nWords follow here.\n\n![Untitled](x/Untitled%201.png)", f"P {PAGE_ID}.md"
    )
    assert (document.title, document.text) == ("Pumps", "# Pumps\n\nWords follow here.")
    assert document.metadata == {"owner": "Jane Doe", "tags": "a, b"}
    assert document.as_of == "May 6, 2024 1:00 PM"


def test_the_number_of_a_page_is_no_part_of_its_title() -> None:
    assert read_markdown("Words follow here.", f"space/All pumps {PAGE_ID}.md").title == "All pumps"


def test_lines_with_colons_stay_where_nothing_says_that_they_are_properties() -> None:
    assert "Owner: Jane" in read_markdown("# Pumps\n\nOwner: Jane\nTags: b\n\nWords.", "a.md").text


CONFLUENCE = r"""
## Starting {#Pumps-Starting}

::: {.confluence-information-macro .conf-macro data-macro-name="info"}
[ ]{.aui-icon .aui-iconfont-info
.confluence-information-macro-icon}

::: {.confluence-information-macro-body}
[*Fill* it before]{style="color: rgb(0,0,0);"}, see [the guide](http://x.example){.external-link}.\
It\'s `cold`{.java .plain}.
:::
:::

[TOC]

> [!NOTE]
> The pump is on.

<ac:structured-macro ac:name="code"><ac:parameter ac:name="language">java</ac:parameter>start(7)</ac:structured-macro>

<ul><li>one thing</li><li>another</li></ul>

+--------+----------+
| Pump   | Litres   |
+========+==========+
| A 7    | 1,200    |
| (old)  |          |
+--------+----------+
"""


def test_a_page_of_confluence_is_read_without_the_litter_of_its_macros() -> None:
    assert [words for _, words in blocks(CONFLUENCE)] == [
        "## Starting",
        "Fill it before, see the guide. It's cold.",
        "NOTE: The pump is on.",
        "start(7)",
        "one thing another",
        "| Pump | Litres |\n|---|---|\n| A 7 (old) | 1,200 |",
    ]


def table(text: str) -> list[str]:
    return [words for _, words in blocks(text)]


def test_a_head_among_blanks_names_all_columns_that_it_is_the_middle_of() -> None:
    text = """
|  |  | Fiscal Years |  |
|---|---|---|---|
|  | 2019 | 2018 | 2017 |
| (in thousands) |  |  |  |
| Cost of revenue | $2,936 | $3,869 | $3,189 |
| Total | $23,792 | $31,937 | $36,335 |
"""
    units, made = table(text)
    assert units == "(in thousands)"
    assert made.split("\n")[0] == "|  | Fiscal Years 2019 | Fiscal Years 2018 | Fiscal Years 2017 |"
    assert made.split("\n")[2] == "| Cost of revenue | $2,936 | $3,869 | $3,189 |"


def test_heads_at_even_distances_share_the_columns() -> None:
    text = """
|  | 2019 |  | 2018 |  |
|---|---|---|---|---|
| Class | Number | Value | Number | Value |
| Shares | 12 | $ 3 | 14 | $ 4 |
| Units | 7 | 9 | 8 | 5 |
"""
    assert table(text)[0].split("\n")[0] == "| Class | 2019 Number | 2019 Value | 2018 Number | 2018 Value |"


def test_an_empty_head_gives_way_to_the_first_row_that_names_columns() -> None:
    text = """
| | | |
|---|---|---|
| Sales by region | | |
| Region | 2019 | 2018 |
| North | 12 | 14 |
| South | 7 | 8 |
"""
    title, made = table(text)
    assert (title, made.split("\n")[0]) == ("Sales by region", "| Region | 2019 | 2018 |")


@pytest.mark.parametrize(
    ("text", "head"),
    [
        ("|  | Yes |  |\n|---|---|---|\n| Read | often | a note |\n| Write | never | - |", "|  | Yes |  |"),
        ("| Name | Value |  |\n|---|---|---|\n| North | 12 | a |\n| South | 7 | b |", "| Name | Value |  |"),
    ],
)
def test_a_head_spans_nothing_where_nothing_says_so(text: str, head: str) -> None:
    assert table(text)[0].split("\n")[0] == head


def test_what_stands_in_code_is_literal_in_sentences_and_cells() -> None:
    table = (
        "| Code | Character | Rule |\n|---|---|---|\n"
        "| `%5c` | `\\` (backslash) | ``Host(`example.com`)`` |\n"
        "| `%7c` | `\\|` (bar) | ``Query(`mobile`, `^(true|yes)$`)`` |\n"
        "| `a_b_c` | `*x*` | a \\* b |\n"
    )
    assert blocks(table) == [
        (
            "table",
            "| Code | Character | Rule |\n|---|---|---|\n"
            "| %5c | \\ (backslash) | Host(`example.com`) |\n"
            "| %7c | \\| (bar) | Query(`mobile`, `^(true\\|yes)$`) |\n"
            "| a_b_c | *x* | a * b |",
        )
    ]
    words = "Use `**not bold**`, `&lt;` for &lt;, `code`{.py}, [`link`](https://a.b/c); an open ` mark."
    assert strip_inline_markup(words) == "Use **not bold**, &lt; for <, code, link; an open ` mark."


def test_a_listing_keeps_its_indentation() -> None:
    listing = "Here it is:\n\n```yaml\n    http:\n      routers:\n\n        a: b\n```\n"
    assert blocks(listing) == [("text", "Here it is:"), ("text", "http:\n  routers:\n    a: b")]


def test_a_row_of_heads_that_names_every_column_is_the_whole_head(tmp_path):
    """Units and dates stand in rows of data, too, and a column without a cell lends its head to none."""
    rows = "| Days | d, day | 14 May 2022 | |\n| Hours | h | | |\n"
    table = f"# Units\n\n| Unit | Variants | Since | Notes |\n|---|---|---|---|\n{rows}"
    (tmp_path / "a.md").write_text(f"{table}\nThese are words of prose that stand below the table.\n")
    (document,) = read_corpus(tmp_path, ReadConfig())
    assert "| Unit | Variants | Since |\n|---|---|---|\n| Days | d, day | 14 May 2022 |\n| Hours | h |" in document.text


def test_a_first_row_of_data_whose_codes_look_like_years_is_no_head(tmp_path):
    rows = "| Change management | 1947 | 1976 |\n| Sales | 1434 | 1811 |\n"
    table = f"# Codes\n\n| Work type | Feds | Others |\n|---|---|---|\n{rows}"
    (tmp_path / "a.md").write_text(f"{table}\nThese are words of prose that stand below the table.\n")
    (document,) = read_corpus(tmp_path, ReadConfig())
    assert "| Work type | Feds | Others |\n|---|---|---|\n| Change management | 1947 | 1976 |" in document.text


def test_a_table_of_names_alone_is_a_line_and_costs_nothing_else() -> None:
    text = (
        "Words stand before it.\n\nAction Item | Description\n--|--\n\n- 49.1: A room\n\n|  |  |\n|---|---|\n|  |  |\n"
    )
    assert blocks(text) == [
        ("text", "Words stand before it."),
        ("text", "Action Item Description"),
        ("text", "- 49.1: A room"),
    ]
    assert blocks("| **Video** | [1:40](https://x.y/z) |\n| --- | --- |\n|  |  |\n") == [("text", "Video 1:40")]
    assert blocks("| Code |  |\n|---|---|\n| x |  |\n\nWords follow here.\n")[-1] == ("text", "Words follow here.")


def test_under_empty_names_two_columns_are_labels_and_what_belongs_to_them() -> None:
    text = "|  |  |\n|---|---|\n| Output | Phys/Line |\n| Postscale | 1.0 |\n| HLT1 | None |\n"
    assert blocks(text) == [
        ("table", "|  |  |\n|---|---|\n| Output | Phys/Line |\n| Postscale | 1.0 |\n| HLT1 | None |")
    ]


def test_a_link_of_a_name_in_brackets_leaves_no_address() -> None:
    assert blocks("See [[all lines]](./index) here.") == [("text", "See all lines here.")]
