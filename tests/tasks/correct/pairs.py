"""Answers and what a careful reader makes of them, by hand: right, wrong, or open, where only a judge can tell.

Each group is a question with its gold answer and aliases, in notations of 10-K filings, OECD surveys, agency plans and
FOMC minutes; each line an expected verdict and an answer. "open" is what rules must not decide.
"""

from dataclasses import dataclass

from rarefy.data_contracts.rows import Question


@dataclass(frozen=True)
class Pair:
    question: Question
    answer: str
    expected: str

    @property
    def name(self) -> str:
        return f"{self.question.question_id}: {self.answer[:60]!r} is {self.expected}"


def _group(name: str, text: str, gold: str, aliases: str, answers: str, **fields: str) -> list[Pair]:
    question = Question(
        name, "p", "single", text, gold, tuple(filter(None, aliases.split(" | "))), (), (), (), (), **fields
    )  # fmt: skip
    lines = [line.strip().partition(" ") for line in answers.strip().splitlines()]
    return [Pair(question, answer.strip().replace("\\n", "\n"), expected) for expected, _, answer in lines]


PAIRS = [
    *_group(
        "revenue", "What was Larkspur Corporation's Data Center revenue in fiscal year 2024, in millions of US dollars?",
        "$47,525", "47,525 | $47.5 billion | $47.53 billion | 47,525 million | 47,525,000,000 | $47,525 million | $47,525,000,000",
        """
        right $47,525
        right 47,525
        right 47525
        right $47,525 million
        right USD 47,525 million
        right US$47.525 billion
        right $47.5 billion
        right 47.5 billion dollars
        right $47.53bn
        right $47.5B
        right approximately $47.5 billion
        right **$47,525 million** [1]
        right $47,525,000,000
        right forty-seven billion five hundred twenty-five million dollars
        right Data Center revenue for fiscal year 2024 was $47,525 million.
        right Data Center revenue was $47.5 billion, up 217% from $15.0 billion in fiscal 2023.
        right In fiscal 2024, Larkspur's Data Center revenue was $47,525 million, compared with $15,005 million a year earlier.
        right Revenue was $47,525 million and $15,005 million in fiscal years 2024 and 2023, respectively.
        right <think>Compute plus networking: 38.9 + 8.6</think>Answer: $47,525 million
        right Compute was $38,950 million and networking $8,575 million. Final answer: $47,525 million
        right The answer is: 47,525
        right $38,950 million + $8,575 million = $47,525 million
        right Not $46 billion but $47.5 billion.
        right Revenue increased by $32,520 million to $47,525 million.
        right 47.525 billion (Source: passage 2, page 38)
        right over $47.5 billion
        right 2024: $47,525; 2023: $15,005
        right $47,525 million, of which $38,950 million from compute and $8,575 million from networking
        wrong $46 billion
        wrong $47,526 million
        wrong 47,255
        wrong $57,525 million
        wrong Data Center revenue was $15,005 million.
        wrong $47.5 million
        wrong $47,525 billion
        wrong $475.25 billion
        wrong $4.75 billion
        wrong 7,525
        wrong It came to roughly $15 billion in fiscal 2024.
        wrong $47.9 billion
        open 47.5
        open 47.525
        open about $48 billion
        open around $50 billion
        open -47,525
        open $(47,525) million
        open a loss of $47,525 million
        open not 47,525
        open It was not $47.5 billion.
        open The figure of $47.5 billion is incorrect.
        open either $46 billion or $47.5 billion
        open $46.0 billion or $47.5 billion
        open between $46 billion and $47.5 billion
        open $47.5 to $48.5 billion
        open Was it $47.5 billion?
        open 47.5%
        open €47.5 billion
        open 47,525 employees
        open Data Center | $47,525 | $15,005 | $10,613
        open 12,914, 47,525, 15,005, 10,613, 60,922
        open $10 billion, $20 billion, $30 billion, $40 billion, $47.5 billion, $50 billion
        open In fiscal 2023 it was $47,525 million.
        open Marlin Devices Inc.'s Data Center revenue was $47,525 million.
        open Revenue was $60.9 billion, up from $47.5 billion.
        open less than $47.5 billion
        open $38,950 million in compute and $8,575 million in networking
        open It tripled.
        open Gaming revenue was $10,447 million, Data Center $47,525 million.
        open Data Center revenue was $47,525 million. Gaming revenue was $10,447 million.
        open Larkspur
        """,
        entity="Larkspur Corporation", period="fiscal year 2024",
    ),
    *_group(
        "loss", "What was Larkspur Corporation's net other income (expense) in fiscal year 2023, in millions of US dollars?",
        "(43)", "-43 | -43 million | -43,000,000 | (43 million) | (43,000,000) | -$43 million | ($43 million) | ($43,000,000)",
        """
        right (43)
        right -43
        right $(43)
        right $(43) million
        right -$43 million
        right −43 million
        right a net expense of $43 million
        right It was ($43) million in fiscal year 2023.
        right negative 43 million
        right an expense of $43 million, compared with income of $12 million in 2022
        wrong (48)
        wrong -$4.3 million
        wrong 43 billion
        wrong $(143) million
        open 43
        open $43 million
        open an income of $43 million
        open 43 or -43
        """,
        entity="Larkspur Corporation", period="fiscal year 2023",
    ),
    *_group(
        "outflow", "What were Larkspur Corporation's repayments of debt in fiscal year 2022, in millions of US dollars?",
        "1,000", "-1,000 | (1,000) | $1 billion | 1,000 million | $1,000 million | 1,000,000,000",
        """
        right 1,000
        right (1,000)
        right $1 billion
        right $1.0 billion
        right Larkspur repaid $1,000 million of debt.
        right one billion dollars
        wrong 1,004
        wrong 1,250
        wrong $1.1 billion
        wrong $1,000 billion
        wrong 100
        open 1
        open 1.0
        """,
        entity="Larkspur Corporation", period="fiscal year 2022",
    ),
    *_group(
        "eps", "What was Larkspur Corporation's diluted net income per share in fiscal year 2024, in US dollars?",
        "$1.76", "1.76 | $1.76 per share",
        """
        right $1.76
        right 1.76
        right $1.76 per share
        right USD 1.76 per diluted share
        right Diluted EPS was $1.76 versus $1.19 a year ago.
        right 176 cents
        wrong $1.67
        wrong $17.60
        wrong $1.76 million
        wrong 1.7
        wrong $2
        wrong Basic EPS was $1.80.
        open 1.76%
        open $1.8
        open $1.80 basic and $1.76 diluted
        """,
        entity="Larkspur Corporation", period="fiscal year 2024",
    ),
    *_group(
        "unemployment", "What was the unemployment rate in May 2015, according to the minutes of the meeting of June 16-17, 2015?",
        "5.5 percent", "5.5%",
        """
        right 5.5%
        right 5.5 percent
        right 5.5 per cent
        right 5.50%
        right 5.5
        right 5-1/2 percent
        right 5½ percent
        right The unemployment rate was 5.5 percent in May 2015.
        right The rate edged up to 5.5 percent from 5.4 percent in April.
        wrong 5.4%
        wrong 5%
        wrong 55%
        wrong 15.5%
        wrong 5.55%
        wrong 0.55 percent
        open 5.5 million
        open 5.5 percentage points
        open -5.5%
        open $5.5
        open between 5.4 and 5.5 percent
        open 5.4, 5.5, 5.6, 5.7 percent
        """,
        period="May 2015",
    ),
    *_group(
        "wages", "By what percentage did average hourly earnings increase over the 12 months ending in May 2015?",
        "2-1/4 percent", "",
        """
        right 2-1/4 percent
        right 2 1/4 percent
        right 2¼%
        right 2.25%
        right 2.25 percent
        right They rose 2-1/4 percent over the 12 months ending in May.
        wrong 2-3/4 percent
        wrong 2%
        wrong 1/4 percent
        open They decreased 2.25 percent.
        open 2.25 percentage points
        """,
        period="the 12 months ending in May 2015",
    ),
    *_group(
        "margin", "How did Larkspur's gross margin change in 2023?", "-5.2%", "(5.2)% | a decrease of 5.2%",
        """
        right -5.2%
        right (5.2)%
        right (5.2%)
        right It decreased 5.2%.
        right a decline of 5.2 percent
        right It fell by 5.2 %.
        wrong -2.5%
        wrong It fell 15.2%.
        open 5.2%
        open It rose 5.2%.
        open +5.2%
        """,
        period="2023",
    ),
    *_group(
        "basis_points", "By how much did the Bank raise its policy rate in July 2022?", "50 basis points", "",
        """
        right 50 basis points
        right 50 bps
        right 0.5 percentage points
        right half a percentage point
        right The Bank raised it by 50 basis points, to 1.25%.
        wrong 25 basis points
        wrong 75 bps
        wrong 5 basis points
        open 50%
        open 0.5 percent
        """,
        period="July 2022",
    ),
    *_group(
        "employees", "How many employees did Hollis Retail have as of December 31, 2023?", "approximately 164,000", "",
        """
        right 164,000
        right about 164,000
        right 164,000 full-time equivalent employees
        right 164 thousand employees
        right Hollis Retail employed approximately 164,000 people at the end of 2023.
        right roughly 164k
        wrong 163,000
        wrong 16,400
        wrong 64,000
        wrong 146,000 employees
        wrong 1,640,000
        open 164,000 stores
        open $164,000
        open 164,000 or 146,000
        open about 160,000
        """,
        entity="Hollis Retail", period="December 31, 2023",
    ),
    *_group(
        "segments", "How many reportable segments does Hollis Retail have?", "5", "five",
        """
        right 5
        right five
        right Five segments
        right Hollis Retail has five reportable segments.
        right It has 5 reportable segments as of 2024.
        wrong 6
        wrong 15
        wrong four
        wrong 2015
        wrong 5.5
        open 5%
        open $5 million
        open 5 or 6
        open Note 5 describes the segments.
        open See Item 5.
        """,
    ),
    *_group(
        "shares", "How many shares of common stock did Larkspur Corporation have outstanding as of February 16, 2024?",
        "2.5 billion", "2,500,000,000 | 2.5 billion shares",
        """
        right 2.5 billion
        right 2.5 billion shares
        right 2,500 million shares
        right 2,500,000,000
        right There were 2.5 billion shares of common stock outstanding as of February 16, 2024.
        open 2.47 billion
        wrong 25 billion
        wrong 2.5 million shares
        open $2.5 billion
        open 2.5
        """,
        entity="Larkspur Corporation", period="February 16, 2024",
    ),
    *_group(
        "market_value", "As of July 28, 2023, what was the aggregate market value of common equity held by non-affiliates, in US dollars?",
        "$1.1", "$1,100 billion | 1,100,000,000,000 | $1,100,000,000,000",
        """
        right $1.1 trillion
        right $1,100 billion
        right 1.1 trillion dollars
        right $1.1
        right $1,100,000,000,000
        wrong $1.1 billion
        wrong $1.2 trillion
        wrong $11 trillion
        """,
        period="July 28, 2023",
    ),
    *_group(
        "cell", "What were the total provisions of the scheme?", "47,525", "",
        """
        right 47,525
        right 47525
        right The total provisions were 47,525.
        right $47,525 million
        open 47,526.5 and 47,525
        open 47.5 billion
        open 147,525 and 47,525
        wrong 48,525
        """,
    ),
    *_group(
        "lease", "What is the term of the Halden lease?", "15 years", "fifteen years",
        """
        right 15 years
        right fifteen years
        right fifteen (15) years
        right The lease has a term of 15 years.
        right a 15-year term
        wrong 10 years
        wrong 5 years
        open 15 months
        open 15%
        open 180 months
        open 10 to 15 years
        """,
    ),
    *_group(
        "date", "On what date did Larkspur Corporation's fiscal year 2024 end?", "September 28, 2024", "",
        """
        right September 28, 2024
        right 28 September 2024
        right 2024-09-28
        right 9/28/2024
        right 28.09.2024
        right Sept. 28, 2024
        right September 28th, 2024
        right It ended on September 28, 2024.
        right Saturday, September 28, 2024
        right September 28
        right the 28th of September 2024
        wrong September 30, 2023
        wrong 2024-09-29
        wrong September 28, 2023
        wrong It ended on December 31, 2024.
        open September 2024
        open 2024
        open not September 28, 2024
        open September 27 or September 28, 2024
        open between September 1, 2024 and September 28, 2024
        open the last Saturday of September
        """,
        entity="Larkspur Corporation", period="fiscal year 2024",
    ),
    *_group(
        "meeting", "For what date was the next meeting agreed at the meeting of June 16-17, 2015?", "July 28-29, 2015", "",
        """
        right July 28-29, 2015
        right July 28–29, 2015
        right 28-29 July 2015
        right July 28 and 29, 2015
        right It was agreed to hold the next meeting on July 28-29, 2015.
        wrong June 16-17, 2015
        wrong September 16, 2015
        open July 28, 2015
        open July 2015
        """,
    ),
    *_group(
        "founded", "In which year was the Meridian Land Registry founded?", "1998", "",
        """
        right 1998
        right in 1998
        right It was founded in 1998.
        right March 3, 1998
        wrong 1989
        wrong 2008
        wrong It was founded in 1997.
        open 1998 or 1999
        open the 1990s
        open It was not founded in 1998.
        """,
    ),
    *_group(
        "quarter", "In which quarter did Larkspur Corporation close the acquisition?", "the third quarter of fiscal 2022", "Q3 2022",
        """
        right Q3 2022
        right third quarter of 2022
        right the third fiscal quarter of 2022
        right 3Q22
        wrong Q2 2022
        wrong the fourth quarter of fiscal 2022
        open 2022
        open September 2022
        """,
        entity="Larkspur Corporation",
    ),
    *_group(
        "state", "In which state is Larkspur Corporation incorporated?", "Delaware", "",
        """
        right Delaware
        right DELAWARE
        right the State of Delaware
        right DE
        right Larkspur Corporation is incorporated in Delaware.
        right It is a Delaware corporation.
        right It's incorporated in Delaware, not in California.
        open California
        open not Delaware
        open It is not incorporated in Delaware.
        open It isn't a Delaware corporation.
        open Delaware or Nevada
        open either Delaware or Nevada
        open Delaware, Nevada, California and Texas
        open Delaware/Nevada
        open Is it Delaware?
        open rather California than Delaware
        open Delaware County, Pennsylvania
        open D
        """,
        entity="Larkspur Corporation",
    ),
    *_group(
        "city", "In which city does Larkspur Corporation have its headquarters?", "Santa Clara", "",
        """
        right Santa Clara
        right Santa Clara, California
        right Santa Clara, CA
        right Its headquarters are in Santa Clara, California.
        open San Jose
        open Clara
        open Santa Clara Valley Water District
        open Santa Clara or San Jose
        """,
        entity="Larkspur Corporation",
    ),
    *_group(
        "exchange", "On which stock exchange is the common stock of Hollis Retail listed?", "New York Stock Exchange", "",
        """
        right New York Stock Exchange
        right the New York Stock Exchange
        right The New York Stock Exchange (NYSE)
        right NYSE
        right Its common stock is listed on the New York Stock Exchange.
        open New York
        open Nasdaq
        open The Nasdaq Global Select Market
        open NYSE or Nasdaq
        open York Stock Exchange
        open It moved from the New York Stock Exchange to Nasdaq.
        """,
        entity="Hollis Retail",
    ),
    *_group(
        "auditor", "Who audits the statements of Larkspur Corporation?", "Hollis & Crane LLP", "Hollis & Crane",
        """
        right Hollis & Crane LLP
        right Hollis and Crane
        right HOLLIS & CRANE, LLP
        right Hollis & Crane LLP, San Jose, California
        right The auditor is Hollis & Crane LLP.
        open Crane
        open Hollis
        open Hollis & Crane Properties
        open Deller & Young LLP
        open Hollis & Crane LLP and Deller & Young LLP
        open formerly Hollis & Crane LLP, now Deller & Young LLP
        """,
        entity="Larkspur Corporation",
    ),
    *_group(
        "officer", "Who is the chief financial officer of Larkspur Corporation?", "Timothy D. Marsh", "",
        """
        right Timothy D. Marsh
        right Timothy Marsh
        right Mr. Timothy D. Marsh
        right Timothy D. Marsh, Chief Financial Officer
        right Chief Financial Officer Timothy D. Marsh
        right TIMOTHY D. MARSH
        open Marsh
        open Tim Marsh
        open Timothy D. Marshall
        open Timothy D. Marsh Jr. or Colette Kress
        open Colette Kress
        open Timothy D. Marsh, Colette Kress, Debora Shoquist, Ajay Puri
        """,
        entity="Larkspur Corporation",
    ),
    *_group(
        "unit", "Of which unit of Larkspur Corporation is GeForce a part?", "Graphics segment", "",
        """
        right Graphics segment
        right the Graphics segment
        right Graphics
        right GeForce is part of the Graphics segment.
        open Compute & Networking segment
        open segment
        open Graphics and Compute segments
        """,
        entity="Larkspur Corporation",
    ),
    *_group(
        "company", "Which other company is headquartered in the same state as Alto Inc.?", "Larkspur Corporation", "Larkspur",
        """
        right Larkspur Corporation
        right Larkspur
        right Larkspur Corp.
        right Larkspur Corporation (LRKS)
        right It is Larkspur Corporation.
        open Alto Inc.
        open Larkspur Brewing
        open Larkspur, Alto, Marlin, Hollis
        open any company but Larkspur
        """,
    ),
    *_group(
        "ministry", "Which body approves the plan of the fund?", "the Federal Ministry of Finance", "",
        """
        right Federal Ministry of Finance
        right The Federal Ministry of Finance approves it.
        open Ministry of Finance
        open Federal Ministry of the Interior
        open Ministry
        open Finance
        """,
    ),
    *_group(
        "reserve", "Does the plan provide for a reserve?", "No", "",
        """
        right No
        right no.
        right No, it does not.
        right No. The plan provides for none.
        wrong Yes
        wrong Yes, it does.
        open It does not.
        open Yes and no.
        open Norway
        """,
    ),
    *_group(
        "permitted", "Are sub-grants permitted?", "yes", "",
        """
        right Yes
        right Yes, up to 10 percent.
        right true
        wrong No
        wrong No, they are not.
        open Sub-grants are permitted.
        open yes or no
        """,
    ),
    *_group(
        "rating", "Which rating does the note have?", "A", "",
        """
        right A
        right "A"
        open AA
        open A-
        open It has a rating of BBB.
        open Alpha
        """,
    ),
    *_group(
        "form", "Under which standard are leases reported?", "ASU 2016-02", "",
        """
        right ASU 2016-02
        right ASU 2016-02 (Topic 842)
        right They are reported under ASU 2016-02.
        open ASU 2016-13
        open 2016
        open ASU
        """,
    ),
    *_group(
        "notes", "Which notes did Alto Inc. issue in March?", "1.625% Notes due 2026", "",
        """
        right 1.625% Notes due 2026
        right the 1.625% notes due 2026
        open 0.875% Notes due 2025
        open Notes due 2026
        open 1.625%
        open 1.625% Notes due 2026, 2.000% Notes due 2027 and 3.600% Notes due 2042
        """,
    ),
    *_group(
        "several", "Which were net sales in fiscal years 2024 and 2023, respectively, in millions of US dollars?", "$391,035 and $383,285", "",
        """
        right $391,035 million and $383,285 million
        right $391.0 billion and $383.3 billion, respectively
        right Net sales were $391,035 million in 2024 and $383,285 million in 2023.
        open $383,285 and $391,035
        open $391,035
        open $391,035 million in 2024; 2023 is not given
        wrong $394,328 and $365,817
        """,
    ),
    *_group(
        "range", "What range does the guidance give for capital expenditure?", "$5 million to $6 million", "$5-6 million",
        """
        right $5 million to $6 million
        right between $5 million and $6 million
        right $5-6 million
        right $5 to $6 million
        open $5 million
        open $5.5 million
        wrong $7 million to $8 million
        """,
    ),
    *_group(
        "owners", "Which companies are members of the joint venture?", "Alto; Larkspur; Marlin Devices", "",
        """
        right Alto, Larkspur and Marlin Devices
        right Marlin Devices, Alto, Larkspur
        right The members are Alto Inc., Larkspur Corporation and Marlin Devices Ltd.
        open Alto and Larkspur
        open Alto
        open Hollis Retail
        open Alto or Larkspur or Marlin Devices
        """,
    ),
    *_group(
        "more_than", "In how many countries does Hollis Retail operate?", "more than 100", "",
        """
        right more than 100
        right more than 100 countries
        right over 100 countries
        wrong 90
        open more than 200 countries
        open 120
        open less than 100
        """,
        entity="Hollis Retail",
    ),
    *_group(
        "none", "What dividends did Alto declare?", "None", "",
        """
        right None
        right none
        """,
    ),
    *_group(
        "euro", "Wie hoch war der Umsatz der Hollis GmbH im Geschäftsjahr 2023?", "47,5 Milliarden Euro", "",
        """
        right 47,5 Milliarden Euro
        right 47,5 Mrd. Euro
        right Der Umsatz betrug 47,5 Milliarden Euro.
        right 47.500 Millionen Euro
        wrong 46,5 Milliarden Euro
        open 47,5 Prozent
        """,
        language="de", period="2023",
    ),
]  # fmt: skip
