"""Tagged values become facts with value, unit, period, dimensions and the place where they are shown."""

import pytest

from rarefy.data_contracts.rows import Fact
from rarefy.tasks.corpus.read.html import read_html
from rarefy.tasks.corpus.read.xbrl import number_of

PAGE = """<html xmlns="http://www.w3.org/1999/xhtml" xmlns:ix="http://www.xbrl.org/2013/inlineXBRL"
 xmlns:xbrli="http://www.xbrl.org/2003/instance" xmlns:xbrldi="http://xbrl.org/2006/xbrldi"><head/><body>
<div style="display:none"><ix:header><ix:hidden>
<ix:nonNumeric name="dei:EntityCentralIndexKey" contextRef="c1">0000012345</ix:nonNumeric></ix:hidden>
<ix:resources>
<xbrli:context id="c1"><xbrli:entity><xbrli:identifier scheme="x">12345</xbrli:identifier></xbrli:entity>
<xbrli:period><xbrli:startDate>2023-01-30</xbrli:startDate><xbrli:endDate>2024-01-28</xbrli:endDate></xbrli:period></xbrli:context>
<xbrli:context id="c2"><xbrli:entity><xbrli:identifier scheme="x">12345</xbrli:identifier><xbrli:segment>
<xbrldi:explicitMember dimension="srt:ProductAxis">acme:AnvilMember</xbrldi:explicitMember>
<xbrldi:typedMember dimension="acme:YearAxis"><acme:y xmlns:acme="a">2024</acme:y></xbrldi:typedMember></xbrli:segment>
</xbrli:entity><xbrli:period><xbrli:instant>2024-01-28</xbrli:instant></xbrli:period></xbrli:context>
<xbrli:unit id="usd"><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unit>
<xbrli:unit id="eps"><xbrli:divide><xbrli:unitNumerator><xbrli:measure>iso4217:USD</xbrli:measure></xbrli:unitNumerator>
<xbrli:unitDenominator><xbrli:measure>xbrli:shares</xbrli:measure></xbrli:unitDenominator></xbrli:divide></xbrli:unit>
</ix:resources></ix:header></div>
<p>Net loss was $(<ix:nonFraction name="us-gaap:NetIncomeLoss" contextRef="c1" unitRef="usd" scale="6" sign="-"
 format="ixt:num-dot-decimal">1,234.5</ix:nonFraction>) million, or
 $<ix:nonFraction name="us-gaap:EarningsPerShareBasic" contextRef="c1" unitRef="eps">0.12</ix:nonFraction> a share,
 with <ix:nonFraction name="acme:Plants" contextRef="c2" unitRef="usd" format="ixt:numwordsen">two</ix:nonFraction>
 plants.</p>
<table><tr><td></td><td>2024</td><td>2023</td></tr><tr><td>Debt</td><td>$<ix:nonFraction name="us-gaap:Debt"
 contextRef="c2" unitRef="usd" scale="6" format="ixt:fixed-zero">—</ix:nonFraction></td><td>7</td></tr></table>
<ix:nonNumeric name="us-gaap:DebtDisclosureTextBlock" contextRef="c1" escape="true"><p>A note.</p></ix:nonNumeric>
</body></html>"""


@pytest.fixture(scope="module", params=["as XHTML", "as old HTML"])
def facts(request: pytest.FixtureRequest) -> dict[str, tuple[Fact, str]]:
    # a bare ampersand makes it no XML: it is then read as browsers read it
    text = PAGE if request.param == "as XHTML" else PAGE.replace("plants.", "plants & more.")
    document = read_html(text, "page.html")
    return {fact.concept: (fact, document.text[fact.start : fact.end]) for fact in document.facts}


def test_scale_and_sign_are_applied_and_the_span_is_the_number_alone(facts: dict[str, tuple[Fact, str]]) -> None:
    fact, shown = facts["us-gaap:NetIncomeLoss"]
    assert (fact.value, fact.unit, shown) == ("-1234500000", "USD", "1,234.5")
    assert (fact.period_start, fact.period_end) == ("2023-01-30", "2024-01-28")


def test_a_unit_may_be_a_quotient(facts: dict[str, tuple[Fact, str]]) -> None:
    assert facts["us-gaap:EarningsPerShareBasic"][0].unit == "USD/shares"


def test_dimensions_explicit_and_typed_are_sorted(facts: dict[str, tuple[Fact, str]]) -> None:
    fact, shown = facts["acme:Plants"]
    assert fact.dimensions == ("acme:YearAxis=2024", "srt:ProductAxis=acme:AnvilMember")
    assert (fact.value, shown, fact.period_start) == ("2", "two", "")


def test_a_dash_is_zero_and_shown_in_its_cell(facts: dict[str, tuple[Fact, str]]) -> None:
    assert (facts["us-gaap:Debt"][0].value, facts["us-gaap:Debt"][1]) == ("0", "—")


def test_hidden_values_have_no_span(facts: dict[str, tuple[Fact, str]]) -> None:
    fact, _ = facts["dei:EntityCentralIndexKey"]
    assert (fact.value, fact.start, fact.end) == ("0000012345", 0, 0)


def test_whole_notes_are_no_facts(facts: dict[str, tuple[Fact, str]]) -> None:
    assert "us-gaap:DebtDisclosureTextBlock" not in facts


@pytest.mark.parametrize(
    ("written", "way", "scale", "sign", "value"),
    [
        ("47,525", "num-dot-decimal", "6", "", "47525000000"),
        ("1.234,5", "num-comma-decimal", "", "", "1234.5"),
        ("12.5", "num-dot-decimal", "-2", "", "0.125"),
        ("0.00001", "", "0", "", "0.00001"),
        ("—", "fixed-zero", "6", "-", "0"),
        ("twenty-one", "numwordsen", "", "", "21"),
        ("one hundred two million", "numwordsen", "", "-", "-102000000"),
        ("no", "num-word-en", "", "", "0"),
        ("several", "num-word-en", "", "", ""),
    ],
)
def test_a_displayed_number_has_one_plain_value(written: str, way: str, scale: str, sign: str, value: str) -> None:
    assert number_of(written, way, scale, sign) == value


@pytest.mark.parametrize(
    ("start", "end", "dates", "unread"),
    [
        ("01/30/2023", "12/31/2024", ("2023-01-30", "2024-12-31"), ""),
        ("2023-01-30", "2024", ("2023-01-30", ""), "2"),
        ("2023-01-30T00:00:00", "2024-01-28T00:00:00", ("2023-01-30", "2024-01-28"), ""),
        ("2023-13-30", "9999-12-31", ("", ""), "2"),
    ],
)
def test_a_context_with_odd_days_costs_its_facts_their_days_alone(
    start: str, end: str, dates: tuple[str, str], unread: str
) -> None:
    text = PAGE.replace("2023-01-30</", f"{start}</").replace("endDate>2024-01-28", f"endDate>{end}")
    text = text.replace("<p>Net", '<p><ix:nonNumeric name="dei:DocumentType" contextRef="c1">10-K</ix:nonNumeric> Net')
    document = read_html(text, "page.html")
    known = {fact.concept: fact for fact in document.facts}
    loss, plants = known["us-gaap:NetIncomeLoss"], known["acme:Plants"]
    assert (loss.period_start, loss.period_end) == dates and plants.period_end == "2024-01-28"
    assert document.form == "10-K" and bool(document.metadata.get("fact_dates_unread")) == bool(unread)


def test_a_value_nested_in_fourteen_hundred_elements_is_read_and_what_it_excludes_is_not() -> None:
    inner = "<span>" * 1400 + "deep<ix:exclude>page 7</ix:exclude> water" + "</span>" * 1400
    document = read_html(PAGE.replace("0000012345</ix", f"{inner}</ix"), "page.html")
    assert [f.value for f in document.facts if f.concept == "dei:EntityCentralIndexKey"] == ["deep water"]
