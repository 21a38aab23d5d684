"""Questions about figures."""

import re
from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Chunk, Document, Question, Triplet
from rarefy.tasks.questions.ask.aliases import answer_aliases, company_names, short_name
from rarefy.tasks.questions.ask.cells import ask_for_cell, cell_fault, is_under_segment
from rarefy.tasks.questions.ask.facts import ask_for_figure, possessive
from rarefy.tasks.questions.ask.index import build_index
from rarefy.tasks.questions.ask.measures import describe_measure


def figure(relation="total net sales", subject="Apple Inc.", kind="ORG", **fields):
    values = {
        "answer": "$391,035", "value": "391035000000", "unit": "USD", "scale": "millions", "object_type": "MONEY",
        "source_sentence": "s", "method": "table",
        "period": "fiscal year 2024", "period_start": "2023-10-01", "period_end": "2024-09-28", "entity": "Apple Inc.",
    }  # fmt: skip
    return Triplet("t", "c", "d", 0, 1, subject, relation, "x", **{**values, "subject_type": kind, **fields})


WHEN = r"in fiscal (?:year )?2024"


@pytest.mark.parametrize(
    ("triplet", "wordings"),
    [
        (figure(), rf"What were Apple's total net sales {WHEN}|In fiscal .*, what were Apple's total net sales"
                   rf"|How much in total net sales did Apple report {WHEN}"
                   "|What total net sales did Apple report for .*"),
        (figure("total assets", period="September 28, 2024", period_start=""),
         "What were Apple's total assets as of September 28, 2024|As of September 28, 2024, what were .*"),
        (figure("goodwill", period="December 31, 2024", period_start=""),
         "(?:What was Apple's goodwill|How much goodwill did Apple have) (?:at the end of 2024|as of December 31, 2024)"
         "|A. (?:the end of|of December 31,) 2024, what was Apple's goodwill"),
        (figure("diluted earnings per share", unit="USD/shares", scale=""), ".*Apple's diluted earnings per share.*"),
        (figure("net sales", "Apple Inc. Greater China", "REGION"), ".*Apple's net sales in Greater China.*"),
        (figure("revenues", "Apple Inc. Non-U.S.", "REGION"), ".*Apple's revenues outside the U.S..*"),
        (figure("net sales", "Apple Inc. Americas", "SEGMENT"),
         ".*the net sales of Apple's Americas segment.*|.* did Apple's Americas segment report .*"),
        (figure("accounts receivable, net", period="September 28, 2024", period_start=""),
         ".*were Apple's net accounts receivable.*"),
        (figure("effective tax rate", unit="percent", scale="", object_type="PERCENT"),
         rf"What was Apple's effective tax rate {WHEN}|In .*, what was Apple's effective tax rate"),
        (figure("diluted shares", unit="shares", scale="thousands", object_type="NUMBER"), 
         "what were Apple's diluted shares in fiscal 2024|in fiscal 2024, what were .*"),
        (figure("research and development expense"), rf"How much did Apple spend on research and development {WHEN}"),
        (figure("cash paid for income taxes, net"), rf"How much net cash did Apple pay for income taxes {WHEN}"),
        (figure("dividends paid"), rf"How much did Apple pay in dividends {WHEN}"),
        (figure("payments for property and equipment"), rf"How much did Apple spend on property and equipment {WHEN}"),
        (figure("sales of investments", concept="us-gaap:ProceedsFromSaleOfInvestments"),
         rf"How much did Apple receive from sales of investments {WHEN}"),
        (figure("repayments of long-term debt"), rf"How much long-term debt did Apple repay {WHEN}"),
        (figure("proceeds from the disposal of property and equipment"),
         rf"How much did Apple receive from the disposal of property and equipment {WHEN}"),
        (figure("net cash provided by (used in) financing activities", value="-5", answer="(5)"),
         rf"How much net cash did Apple use in financing activities {WHEN}"),
        (figure("(increase) decrease in inventories", value="-5", answer="(5)"),
         rf"According to Apple's cash flow statement, by how much did inventories increase {WHEN}"),
        (figure("net increase (decrease) in cash, cash equivalents and restricted cash"),
         rf"By how much did Apple's cash, cash equivalents and restricted cash increase {WHEN}"),
        (figure("total net sales", unit="EUR"), ".*, in millions of euros"),
    ],
)  # fmt: skip
def test_a_figure_of_a_named_company_is_asked_for_as_people_ask(triplet, wordings):
    question = ask_for_figure(triplet, "Apple")
    assert re.fullmatch(wordings, question.removesuffix("?"), re.I), question


def test_the_wording_is_the_facts_and_not_its_passages():
    again = replace(figure(), triplet_id="other", chunk_id="elsewhere", source_sentence="another row")
    assert ask_for_figure(figure(), "Apple") == ask_for_figure(again, "Apple")
    years = {ask_for_figure(figure(period=f"fiscal year {year}"), "Apple")[:12] for year in range(1990, 2025)}
    assert len(years) > 2, "several wordings of one kind"


def test_the_article_of_a_name_is_small_inside_a_sentence():
    triplet = figure(entity="The Coca-Cola Company", subject="The Coca-Cola Company")
    assert "the Coca-Cola Company" in ask_for_figure(triplet, triplet.entity)


@pytest.mark.parametrize(
    ("triplet", "wordings"),
    [
        (figure(), "In fiscal .*2024, what were the total net sales of HOLDER|How much in total net sales did HOLDER"
                   " report in .*|What total net sales did HOLDER report for fiscal .*2024"),
        (figure("research and development expense"),
         rf"How much did HOLDER spend on research and development {WHEN}"),
        (figure("net sales", "Apple Inc. Americas", "SEGMENT"), ".*the Americas segment of HOLDER.*"),
        (figure("comprehensive income, net of tax"), ".*, what was the comprehensive income, net of tax, of HOLDER"),
    ],
)  # fmt: skip
def test_a_figure_of_a_described_company_keeps_its_period_apart_from_the_description(triplet, wordings):
    holder = "the company that is headquartered in Cupertino, California"
    question = ask_for_figure(triplet, holder)
    assert re.fullmatch(wordings.replace("HOLDER", holder), question.removesuffix("?")), question
    assert not re.search("California in fiscal", question)


def test_a_day_that_one_company_alone_has_is_said_as_the_end_of_a_year():
    triplet = figure("total assets", period="September 28, 2024", period_start="")
    assert "at the end of fiscal " in ask_for_figure(triplet, "the company that sells", "fiscal year 2024").lower()


def test_a_figure_without_a_period_or_with_an_unknown_unit_is_not_asked_for():
    assert ask_for_figure(figure(period=""), "Apple Inc.") is None
    assert ask_for_figure(figure(unit="bushels"), "Apple Inc.") is None


def test_aliases_give_the_notations_of_a_correct_system():
    found = set(answer_aliases(figure()))
    assert {
        "391,035",
        "$391,035 million",
        "391,035 million",
        "$391.0 billion".replace(".0", ""),
        "$391.04 billion",
    } <= found
    assert "$391,035" not in found, "the answer itself is no alias"


def test_nobody_knows_the_millions_of_a_cell_that_nothing_scales():
    row = "| Net revenues | $13,127,485 |"
    cell = figure(answer="$13,127,485", value="13127485", unit="", scale="", concept="", source_sentence=row)
    assert set(answer_aliases(cell)) == {"13,127,485"}
    assert "13.1 million" in answer_aliases(replace(cell, source_sentence="Net revenues were $13,127,485."))


def test_a_share_written_as_a_fraction_is_known_by_its_value():
    share = figure("core inflation", answer="1-3/4 percent", value="1.75", unit="percent", scale="")
    assert set(answer_aliases(share)) == {"1.75%", "1.75 percent"}
    assert set(answer_aliases(replace(share, answer="5.0%", value="5.0"))) == {"5.0 percent"}


def test_a_rate_that_a_tag_has_as_a_part_of_one_is_a_percentage_in_every_alias():
    rate = figure("effective tax rate", answer="12.2%", value="0.122", unit="percent", scale="")
    assert answer_aliases(rate) == ("12.2 percent",)
    benefit = replace(rate, answer="(0.8)%", value="-0.008")
    assert set(answer_aliases(benefit)) == {"-0.8%", "(0.8%)", "-0.8 percent", "(0.8 percent)"}


def test_a_negative_amount_keeps_its_sign_in_every_alias():
    loss = figure("operating loss", answer="(565)", value="-565000000")
    assert {"-565", "-$565 million"} <= set(answer_aliases(loss))
    assert all(alias.startswith(("-", "(")) for alias in answer_aliases(loss))


def test_brackets_around_a_plus_turn_nothing():
    points = figure(
        "adds to score", answer="+10", value="10", unit="", scale="", source_sentence="Contributor (+10): has"
    )
    assert set(answer_aliases(points)) == {"10"}


@pytest.mark.parametrize(
    ("label", "without"),
    [("restructuring charges", True), ("“Payments” in the column “Charges”", True), ("gains and losses", False)],
)
def test_what_is_taken_away_is_answered_with_or_without_its_brackets(label, without):
    taken = figure(label, answer="(424)", value="-424000000")
    assert ("424" in answer_aliases(taken)) is without and "-424" in answer_aliases(taken)


def test_a_question_that_says_loss_is_answered_with_or_without_the_sign():
    loss = figure("net income (loss)", answer="(2,722)", value="-2722000000")
    assert {"2,722", "-2,722", "$2,722 million", "$2.72 billion", "($2.72 billion)"} <= set(answer_aliases(loss))


@pytest.mark.parametrize(
    ("shown", "aliases"),
    [
        ("FL", ("Florida",)),
        ("Irving, TX", ("Irving, Texas",)),
        ("Indiana", ()),  # "IN" is a word of any text, and scoring reads it after a comma
        ("Ireland", ()),
    ],
)
def test_a_state_that_is_printed_short_may_be_written_in_full(shown, aliases):
    assert answer_aliases(figure("is based in", answer=shown, value="", unit="")) == aliases


def test_an_amount_per_share_is_never_rounded():
    dividend = figure("dividends declared per share", answer="$0.235", value="0.235", unit="USD/shares", scale="")
    assert set(answer_aliases(dividend)) == {"0.235", "$0.235 per share"}
    whole = figure("diluted earnings per share", answer="$6.1", value="6.1", unit="USD/shares", scale="")
    assert "$6.10" in answer_aliases(whole)


def test_a_company_has_its_short_names():
    assert company_names("The Procter & Gamble Company") == {
        "The Procter & Gamble Company",
        "The Procter & Gamble",
        "Procter & Gamble Company",
        "Procter & Gamble",
    }
    assert "Wells Fargo" in company_names("Wells Fargo & Company")


def test_a_company_is_called_as_people_call_it():
    assert [short_name(name) for name in ("Apple Inc.", "The Procter & Gamble Company", "Wells Fargo & Company")] == [
        "Apple",
        "Procter & Gamble",
        "Wells Fargo",
    ]
    assert short_name("Eli Lilly and Company") == "Eli Lilly"
    assert short_name("Southern Company") == "Southern Company", "what is left would be any word"


@pytest.mark.parametrize(
    ("relation", "value", "name"),
    [
        ("net income (loss)", "5", "net income"),
        ("net income (loss)", "-5", "net loss"),
        ("interest income (expense), net", "5", "net interest income"),
        ("interest income (expense), net", "-5", "net interest expense"),
        ("provision for (benefit from) income taxes", "-5", "benefit from income taxes"),
        ("benefit (provision) for income taxes", "-5", "provision for income taxes"),
        ("income tax expense (benefit)", "-5", "income tax benefit"),
        ("(gains) losses on investments, net", "-5", "net gains on investments"),
        ("net deferred tax assets (liabilities)", "-5", "net deferred tax liabilities"),
        ("cash flows from investing activities", "-5", "net cash used in investing activities"),
        ("net (decrease) increase in cash and cash equivalents", "-5", "decrease in cash and cash equivalents"),
        ("(increase) decrease in inventories", "5", "decrease in inventories"),
        ("diluted earnings per share", "-5", "diluted loss per share"),
        ("total equity", "-5", "total equity"),
        ("property, plant and equipment — net", "5", "net property, plant and equipment"),
        ("total property and equipment, gross", "5", "total gross property and equipment"),
        ("operating lease liabilities, current portion", "5", "current portion of operating lease liabilities"),
        ("cash & cash equivalents", "5", "cash and cash equivalents"),
        ("net revenue by category", "5", "net revenue"),
        ("total Long-lived assets", "5", "total long-lived assets"),
        ("consolidated net income attributable to Apple", "5", "consolidated net income attributable to shareholders"),
        ("net loss attributable to Apple common shareholders", "5", "net loss attributable to common shareholders"),
        ("net income attributable to Kenvue", "5", "net income attributable to Kenvue"),
    ],
)
def test_a_label_of_two_sides_is_the_one_that_its_sign_says(relation, value, name):
    unit = "USD/shares" if "per share" in relation else "USD"
    measure = describe_measure(figure(relation, value=value, unit=unit, concept="us-gaap:Something"))
    assert (measure.name, measure.rejected_because) == (name, "")
    assert measure.turned == (value.startswith("-") and "equity" not in relation)


@pytest.mark.parametrize(
    ("relation", "fields", "name"),
    [
        ("income taxes", {"concept": "us-gaap:IncomeTaxesPaidNet"}, "cash paid for income taxes"),
        ("dividends", {"concept": "us-gaap:PaymentsOfDividends"}, "dividends paid"),
        ("dividend payments", {"concept": "us-gaap:PaymentsOfDividends"}, "dividend payments"),
        ("provision for income taxes", {"concept": "us-gaap:IncomeTaxExpenseBenefit"}, "provision for income taxes"),
        ("sales rebates", {"concept": "a:AccruedSalesRebates", "period_start": ""}, "accrued sales rebates"),
        # of UnitedHealth Group's table of its provision for income taxes, and of that of its deferred taxes
        (
            "total current provision",
            {"concept": "us-gaap:CurrentIncomeTaxExpenseBenefit"},
            "total current provision for income taxes",
        ),
        (
            "valuation allowances",
            {"concept": "us-gaap:DeferredTaxAssetsValuationAllowance", "period_start": ""},
            "valuation allowances on deferred tax assets",
        ),
        ("current state taxes", {"concept": "a:CurrentStateTaxExpenseBenefit"}, "current state income tax expense"),
        (
            "basic shares used in computing earnings per share",
            {"concept": "us-gaap:WeightedAverageNumberOfSharesOutstandingBasic", "unit": "shares"},
            "weighted-average number of basic shares outstanding",
        ),
    ],
)  # fmt: skip
def test_what_the_tag_says_and_the_label_leaves_to_its_table_is_in_the_words(relation, fields, name):
    assert describe_measure(figure(relation, **fields)).name == name


ROW = "| x | (2,183) | 131 | (1,663) |"


@pytest.mark.parametrize(
    ("relation", "fields", "reason"),
    [
        ("change in accounts receivable", {}, "direction_unclear"),
        ("deferred income taxes", {"answer": "2,183", "source_sentence": ROW}, "direction_unclear"),
        ("other operating charges", {"answer": "2,183", "source_sentence": ROW}, "direction_unclear"),
        ("foreign income before income taxes", {"answer": "2,183", "source_sentence": ROW}, "direction_unclear"),
        ("loss from operations", {"group": "| Loss from operations: |", "source_sentence": "| x | 3 |"},
         "direction_unclear"),
        ("current portion of term debt", {"value": "-5", "answer": "(5)", "concept": "a:Debt"}, "direction_unclear"),
        ("gain on divestitures", {"value": "-5", "answer": "(5)"}, "direction_unclear"),
        ("accrued purchases (1)", {}, "footnote_mark"),
        ("NET SALES", {}, "label_not_plain"),
        ("proceeds from stock options/withholding tax", {}, "label_not_plain"),
        ("stock options exercised", {"concept": "us-gaap:ProceedsFromStockOptionsExercised"}, "label_not_plain"),
        ("accounts payable", {"concept": "us-gaap:IncreaseDecreaseInAccountsPayable"}, "label_not_plain"),
        ("foreign currency translation tax", {"concept": "a:OtherComprehensiveIncomeNetOfTax"}, "label_not_plain"),
        ("compensation expense", {"concept": "a:CompensationCostNotYetRecognized"}, "meaning_of_lead_in_lost"),
        ("total current", {"concept": "us-gaap:CurrentIncomeTaxExpenseBenefit"}, "meaning_of_lead_in_lost"),
        ("United States", {"concept": "us-gaap:IncomeLossFromContinuingOperationsBeforeIncomeTaxesDomestic"},
         "meaning_of_lead_in_lost"),
        ("interest cost", {"concept": "us-gaap:DefinedBenefitPlanInterestCost"}, "meaning_of_lead_in_lost"),
        ("pre-tax compensation expense", {"concept": "a:AllocatedShareBasedCompensationExpense"},
         "meaning_of_lead_in_lost"),
        ("operating lease payments", {"concept": "a:LesseeOperatingLeasePaymentsDueNextTwelveMonths"},
         "meaning_of_lead_in_lost"),
        ("other", {}, "label_says_little"),
        ("fair value", {}, "label_says_little"),
        ("other current assets", {}, "label_says_little"),
        ("total liabilities and shareholders' equity", {}, "label_says_little"),
        ("effect of rounding", {}, "label_says_little"),
        ("cash and cash equivalents", {}, "period_unclear"),
        ("cash, cash equivalents, and short-term investments", {}, "period_unclear"),
        ("“Other” under “Income”", {"subject_type": "TABLE"}, "label_says_little"),
        ("“Total”", {"subject_type": "TABLE"}, "label_says_little"),
        ("“Balance, end of period”", {"subject_type": "TABLE"}, "label_says_little"),
        ("“Cash” in the column “June 30, 2013 Level 1”", {"subject_type": "TABLE"}, "label_not_plain"),
        ("“Revenue” in the column “Percentage Change 2013 Versus 2012”", {"subject_type": "TABLE"}, "label_not_plain"),
        ("“Due after one year” in the column “June 30, 2013 Cost Basis”", {"subject_type": "TABLE"}, "label_not_plain"),
        ("“Trucks” in the column “Change”", {"subject_type": "TABLE"}, ""),
        ("“Revenue” in the column “2013”", {"subject_type": "TABLE"}, ""),
        ("other income (expense), net", {}, "label_says_little"),
        ("state and local loss", {}, "label_says_little"),
        ("net unrealized gains", {}, "label_says_little"),
        ("allocation of total earnings for basic computation", {}, "label_says_little"),
        ("right-of-use assets obtained in exchange for lease obligations", {}, "label_says_little"),
    ],
)  # fmt: skip
def test_what_a_label_does_not_surely_say_is_refused_with_a_reason(relation, fields, reason):
    assert describe_measure(figure(relation, **fields)).rejected_because == reason


@pytest.mark.parametrize(
    ("name", "plural"),
    [
        ("cash, cash equivalents, and restricted cash", True),
        ("acquired intangible assets, net", True),
        ("amortization of intangible assets", False),
        ("accounts receivable, net", True),
        ("operating lease liabilities, current portion", False),
        ("goodwill", False),
    ],
)
def test_the_verb_agrees_with_the_measure(name, plural):
    assert describe_measure(figure(name, concept="us-gaap:Something")).plural is plural


def test_an_increase_that_the_label_names_alone_is_asked_for_as_one():
    triplet = figure("increase in inventories", answer="1,128", source_sentence="| x | (1,128) | (1,323) |")
    assert describe_measure(triplet).thing == "inventories"
    mixed = replace(triplet, source_sentence="| x | (1,128) | 1,323 |")
    assert describe_measure(mixed).rejected_because == "direction_unclear"


def test_a_row_in_parentheses_throughout_is_a_convention_and_no_sign():
    row = "| Cost of sales | (2,183) | (131) |"
    assert describe_measure(figure("cost of sales", answer="2,183", source_sentence=row)).rejected_because == ""


def test_the_possessive_follows_the_name():
    assert possessive("Apple Inc.") == "Apple Inc.'s"
    assert possessive("Meta Platforms") == "Meta Platforms'"


@pytest.mark.parametrize(
    ("relation", "period", "question"),
    [
        ("“Commercial paper” in the column “June 30, 2012 Cost Basis”", "",
         "what was the cost basis of commercial paper as of June 30, 2012?"),
        ("“Corporate notes and bonds” in the column “June 30, 2013 Unrealized Losses”", "",
         "what were the unrealized losses of corporate notes and bonds as of June 30, 2013?"),
    ],
)  # fmt: skip
def test_a_cell_is_asked_for_without_the_tables_quotes_where_its_words_are_plain(relation, period, question):
    table = "“Divisions” in “Staff handbook”"
    cell = figure(relation, table, "TABLE", period=period, period_start="", period_end="", entity="Microsoft")
    assert describe_measure(cell).rejected_because == ""
    assert ask_for_cell(cell) == f"According to {table}, {question}"


FILING = " in “Microsoft Corporation, Form 10-K for fiscal year 2013”"


@pytest.mark.parametrize(
    ("relation", "title", "question"),
    [
        ("“Operating lease expense”", "Components of lease expense (1)(2)",
         "What was Microsoft's operating lease expense for 2013, according to the table “Components of lease expense”"
         " in its 10-K for fiscal 2013?"),
        ("total comprehensive income", "CONSOLIDATED STATEMENTS OF INCOME (in millions)",
         "What was Microsoft's total comprehensive income for 2013, according to the consolidated statements of income"
         " in its 10-K for fiscal 2013?"),
    ],
)  # fmt: skip
def test_a_cell_of_a_filing_is_asked_of_the_filer(relation, title, question):
    cell = figure(relation, f"“{title}”{FILING}", "TABLE", period="2013", entity="Microsoft", answer="1,234")
    assert (cell_fault(cell), ask_for_cell(cell)) == ("", question)


@pytest.mark.parametrize(
    ("relation", "title", "more", "reason"),
    [
        ("“Total debt”", "Following summarizes the changes in debt", {}, "title_says_little"),
        ("“Total debt”", "Short-term borrowings include", {}, "title_says_little"),
        ("“Total debt”", "Debt that matures in the coming years and its average rate of interest by currency", {},
         "title_says_little"),
        ("“Total debt”", "BGS debt", {}, "title_says_little"),
        ("“Total debt”", "Guarantor balance sheet", {}, "table_of_others"),
        ("“Net sales”", "Space’s operating results", {}, "table_of_others"),
        ("“Total costs”", "Allocation of share-based compensation", {}, "table_of_others"),
        ("“Commercial”", "Revenue by customer", {}, "cell_needs_its_table"),
        ("“Total debt” under “Other”", "Carrying value of debt", {}, "cell_needs_its_table"),
        ("“Other receivables”", "Carrying value of debt", {}, "cell_needs_its_table"),
        ("“Total debt”", "Carrying value of debt", {"value": "-1234000000"}, "direction_unclear"),
        ("“Total debt”", "Carrying value of debt", {"scale": "", "unit": ""}, "unit_or_period_unknown"),
        ("“Total debt”", "Carrying value of debt", {"answer": "12"}, "followed_by_nobody"),
    ],
)  # fmt: skip
def test_a_cell_that_nobody_would_ask_a_filing_for_is_refused(relation, title, more, reason):
    given = {"period": "2013", "entity": "Microsoft", "answer": "1,234"} | more
    assert cell_fault(figure(relation, f"“{title}”{FILING}", "TABLE", **given)) == reason


@pytest.mark.parametrize(
    ("above", "of_segment"),
    [
        ("| Road segment: |  |\n| Package: |  |\n", True),  # a total of packages does not close the segment
        ("| Road segment: |  |\n| Package | 9 |\n| Total Road segment | 9 |\n", False),
        ("| Package: |  |\n", False),
        ("### Road segment\n\n| Package: |  |\n", True),
        ("### Business segments and revenue\n\n| Package: |  |\n", False),
    ],
)
def test_a_cell_of_a_segment_is_none_of_the_company(above, of_segment):
    row = "| Total package revenue | 5 |"
    cell = figure("“Total package revenue”", f"“Revenue”{FILING}", "TABLE", period="2013", entity="Microsoft")
    passage = Chunk("c", "d", start=0, end=9, kind="table", section="", text=above + row, tokens=9)
    assert is_under_segment(replace(cell, start=len(above), source_sentence=row), passage) == of_segment


@pytest.mark.parametrize(
    ("answer", "value", "said"),
    [
        ("4,427", "4427000000", "$4,427 million"),
        ("$5,366", "5366000000", "$5,366 million"),
        ("(2,722)", "-2722000000", "$2,722 million"),
        ("2,240.0", "2240000000", "$2,240 million"),
        ("not stated in the documents", "", "not stated in the documents"),
    ],
)
def test_an_answer_says_its_scale_to_who_reads_it_without_its_table(answer, value, said):
    fact = figure("net income (loss)", answer=answer, value=value)
    question = Question("q", "p", "single", "?", answer, answer_aliases(fact), (), (), (), ())
    assert question.answer_in_words == said


@pytest.mark.parametrize(
    ("label", "answer", "value", "unit", "said"),
    [
        ("accumulated deficit", "(91,250)", "-91250000", "USD", "$91,250 thousand"),
        ("accumulated other comprehensive income (loss)", "(654)", "-654000", "USD", "$654 thousand"),
        ("shareholders’ equity", "(5,654)", "-5654000", "USD", "-$5,654 thousand"),
        ("basic weighted average common shares", "4,785", "4785000", "shares", "4,785 thousand shares"),
    ],
)
def test_an_answer_says_its_currency_and_what_it_counts(label, answer, value, unit, said):
    balance = {"period_start": "", "period": "September 28, 2024"}
    row = f"| {label} | {answer} |"
    fact = figure(label, answer=answer, value=value, unit=unit, scale="thousands", source_sentence=row, **balance)
    question = Question("q", "p", "single", "?", answer, answer_aliases(fact), (), (), (), ())
    assert question.answer_in_words == said


def test_a_label_leaves_out_its_own_company_in_another_spelling():
    given = {"entity": "Exxon Mobil Corporation", "period_start": "", "period": "June 30, 2025"}
    assert describe_measure(figure("ExxonMobil share of equity", **given)).name == "share of equity"
    given["period_start"] = "2024-07-01"
    net = figure("net income attributable to ExxonMobil", **given)
    assert describe_measure(net).name == "net income attributable to shareholders"


@pytest.mark.parametrize(("answer", "value", "said"), [("(.70)", "-0.7", "$0.70"), ("$.85", "0.85", "$0.85")])
def test_an_amount_below_one_is_said_with_its_sign_and_a_zero(answer, value, said):
    row = f"| Basic | {answer} |"
    per_share = {"unit": "USD/shares", "scale": "", "source_sentence": row}
    fact = figure("basic income (loss) per share", answer=answer, value=value, **per_share)
    question = Question("q", "p", "single", "?", answer, answer_aliases(fact), (), (), (), ())
    assert question.answer_in_words == said


def test_a_deficit_beside_a_surplus_is_unclear():
    row = "| Accumulated deficit | 5,000 | (3,000) |"
    balance = {"period_start": "", "period": "September 28, 2024"}
    fact = figure("accumulated deficit", answer="(3,000)", value="-3000000", source_sentence=row, **balance)
    assert describe_measure(fact).rejected_because == "direction_unclear"


def test_a_name_in_capitals_is_said_as_elsewhere():
    question = Question("q", "p", "inverted_star", "?", "ACME CORP", ("ACME", "Acme Corp"), (), (), (), ())
    assert question.answer_in_words == "Acme Corp"
    assert replace(question, aliases=("IBM",), answer="IBM").answer_in_words == "IBM"


def test_capitals_of_a_heading_are_written_as_the_document_writes_them_elsewhere():
    text = "Converse sells shoes. CONVERSE | 1 | EBITDA | NIKE | Nike"
    document = Document("d", "h", "d", "NIKE", "text/plain", text, entity="NIKE, Inc.")
    other = Document("e", "h", "e", "Acme", "text/plain", "Nike is a rival.", entity="Acme, Inc.")
    index = build_index({}, {}, {"d": document, "e": other})
    assert index.write_small("Did NIKE or Acme sell more?", "e") == "Did NIKE or Acme sell more?"
    assert index.write_small("What was the EBITDA of NIKE's CONVERSE segment?", "d") == (
        "What was the EBITDA of NIKE's Converse segment?"
    )


@pytest.mark.parametrize(
    ("label", "tag", "name"),
    [
        ("accumulated depreciation and amortization", "AccumulatedDepreciationDepletionAndAmortizationProperty"
         "PlantAndEquipment", "accumulated depreciation and amortization of property, plant and equipment"),
        ("accumulated amortization", "FiniteLivedIntangibleAssetsAccumulatedAmortization",
         "accumulated amortization of intangible assets"),
        ("less accumulated depreciation", "", ""),
        ("deferred tax assets, net", "DeferredTaxAssetsNet", "deferred tax assets after valuation allowance"),
        ("deferred tax assets, net", "DeferredIncomeTaxAssetsNet", "net deferred tax assets"),
    ],
)  # fmt: skip
def test_what_is_worn_or_allowed_for_is_said_in_full_or_not_at_all(label, tag, name):
    measure = describe_measure(figure(label, concept=f"us-gaap:{tag}" if tag else "", period_start=""))
    assert (measure.rejected_because or measure.name) == (name or "label_says_little")


def test_a_name_that_is_a_possessive_takes_no_other():
    assert [possessive(name) for name in ("Lowe’s", "McDonald's", "Apple")] == ["Lowe’s", "McDonald's", "Apple's"]


def test_what_was_done_with_a_thing_stands_before_it():
    measure = describe_measure(figure("available-for-sale marketable securities, liquidations"))
    assert measure.name == "liquidations of available-for-sale marketable securities"


def test_products_are_no_name():
    products = figure("net sales", "Apple Inc. Product", "PRODUCT")
    assert "Apple's net sales from products" in ask_for_figure(products, "Apple")


def test_equity_of_the_filers_own_holders_does_not_name_it_again():
    equity = figure("total Costco stockholders’ equity", entity="Costco Wholesale Corporation", period_start="")
    assert describe_measure(equity).name == "total stockholders’ equity"
    equity = figure("Mastercard Incorporated Stockholders' Equity", entity="Mastercard Incorporated", period_start="")
    assert describe_measure(equity).name == "stockholders' equity"


def test_a_label_of_two_parts_is_no_measure():
    compensation = figure("share-based compensation expense: options, RSUs and PSUs")
    assert describe_measure(compensation).rejected_because == "label_not_plain"


def test_a_footnotes_mark_is_no_part_of_a_measure():
    assert describe_measure(figure("real estate income [a]")).rejected_because == "footnote_mark"
