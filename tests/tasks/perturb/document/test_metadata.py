"""Pages that say when they were written or where they are from differ from plain ones in that line alone."""

import re
from datetime import date
from random import Random
from urllib.parse import unquote, urlsplit

import html5lib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarefy.tasks.perturb.case import Case, Draft
from rarefy.tasks.perturb.catalogue import CATALOGUE, load_maker
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.document.format import draw_date, twitter_link, wikipedia_link

NAMES = ("timestamp_pre", "timestamp_post", "datasource_wiki", "datasource_twitter")
TITLES = st.one_of(st.sampled_from(["", " ", "Apple Inc. 10-K 2024", 'O\'Neil "&" <b>', "שלום", "\ud800"]), st.text())


def made(name: str, text: str, title: str = "T", seed: int = 0, cutoff: str = "2023-12") -> Draft:
    """The one draft of this kind."""
    case = Case("c", "document", text, title=title)
    (draft,) = load_maker(CATALOGUE[name])(case, PerturbConfig(cutoff=cutoff), Random(seed))
    return draft


def test_the_templates_are_those_of_figure_9():
    head = '<html lang="en">\n<head>\n<meta charset="UTF-8">\n'
    tail = '\nT & <u>\n</head>\n<body> A "b". </body>\n</html>'
    for name in NAMES:
        kind = name.partition("_")[0]
        text = made(name + "_as_printed", 'A "b".', "T & <u>").text
        assert text.startswith(f"{head}<meta name='{kind}' content='") and text.endswith("'>" + tail)


def test_a_page_that_is_dated_looks_like_this():
    draft = made("timestamp_pre", "A <b>.", "T")
    text = draft.text
    assert draft.detail.startswith("2022-12-") and f'"{draft.detail}"' in text
    assert re.fullmatch(
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="UTF-8">\n'
        r'<meta name="timestamp" content="2022-12-\d\d">'
        "\n<title>T</title>\n</head>\n<body>\n<p>A &lt;b&gt;.</p>\n</body>\n</html>",
        text,
    )


@pytest.mark.parametrize("suffix", ["", "_as_printed"])
@pytest.mark.parametrize("name", NAMES)
@given(st.text(), TITLES, st.integers(0, 9))
@settings(max_examples=60, deadline=None)
def test_only_the_line_of_metadata_differs_from_plain_html(name, suffix, text, title, seed):
    plain, marked = made("html" + suffix, text, title), made(name + suffix, text, title, seed)
    assert plain.refused == marked.refused
    if not plain.refused:
        before, line, after = re.split(r"(<meta name=[^\n]*>\n)", marked.text, maxsplit=1)
        assert before + after == plain.text
        assert [m.at - len(line) for m in marked.moves] == [m.at for m in plain.moves]


@pytest.mark.parametrize("name", NAMES)
@given(TITLES)
@settings(max_examples=40, deadline=None)
def test_a_parser_reads_the_metadata_back(name, title):
    draft = made(name, "text", title)
    if draft.refused:
        return
    parser = html5lib.HTMLParser(namespaceHTMLElements=False)
    found = [meta for meta in parser.parse(draft.text).iter("meta") if meta.get("name")]
    assert [meta.get("name") for meta in found] == [name.partition("_")[0]]
    content = found[0].get("content")
    if name.startswith("timestamp"):
        assert date.fromisoformat(content)
    else:
        assert urlsplit(content).hostname == {"wiki": "en.wikipedia.org", "twitter": "twitter.com"}[name.split("_")[1]]
        assert content.isascii() and not re.search(r"[\s\"'<>]", content)


@given(st.integers(1990, 2100), st.integers(1, 12), st.integers())
def test_timestamps_are_a_year_before_and_after_the_cutoff(year, month, seed):
    cutoff = f"{year}-{month:02}"
    before, after = (date.fromisoformat(draw_date(cutoff, years, Random(seed))) for years in (-1, 1))
    assert (before.year, before.month, after.year, after.month) == (year - 1, month, year + 1, month)


def test_days_are_drawn_by_case_and_reach_the_end_of_the_month():
    days = {draw_date("2023-02", 1, Random(seed)) for seed in range(400)}
    assert len(days) == 29 and max(days) == "2024-02-29"


def test_a_cutoff_that_is_no_month_is_named():
    with pytest.raises(ValueError, match=r"2023-13.*YYYY-MM"):
        made("timestamp_pre", "text", cutoff="2023-13")


def test_links_are_written_as_their_sites_write_them():
    assert wikipedia_link("apple Inc. Form 10-K", Random(0)) == "https://en.wikipedia.org/wiki/Apple_Inc._Form_10-K"
    assert unquote(wikipedia_link("Zoë & co?", Random(0))) == "https://en.wikipedia.org/wiki/Zoë_&_co?"
    assert re.fullmatch(r"https://en\.wikipedia\.org/\?curid=\d{8}", wikipedia_link(" ", Random(0)))
    posted = twitter_link("Apple Inc., Form 10-K for fiscal year 2024", Random(0))
    assert re.fullmatch(r"https://twitter\.com/AppleIncForm10K/status/\d{19}", posted)
    assert re.fullmatch(r"https://twitter\.com/i/web/status/\d{19}", twitter_link("שלום", Random(0)))
    assert len(wikipedia_link("word " * 1000, Random(0))) < 300
