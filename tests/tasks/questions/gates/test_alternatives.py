"""Passages that state what a gold one states are found, whatever their notation, and none that only look like it."""

from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Chunk, Question, Span, Triplet
from rarefy.tasks.questions.gates import GatesConfig, judge
from rarefy.tasks.questions.gates.alternatives import Alternatives

HOME = (
    "|  | Year Ended June 30, 2024 | Year Ended June 30, 2023 |\n|---|---|---|\n"
    "| Research and development | 31,370 | 29,510 |\n| Basic earnings per share | 6.11 | 5.90 |"
)


def chunk(name: str, text: str, entity: str = "Acme Corporation", **more: object) -> Chunk:
    fields = {"start": 0, "end": len(text), "kind": "text", "section": "", "tokens": 9} | more
    return Chunk(name, str(fields.pop("doc_id", "d1")), text=text, entity=entity, period_end="2024-06-30", **fields)  # type: ignore[arg-type]


def fact(sentence: str, relation: str, answer: str, value: str, **more: str) -> Triplet:
    start = HOME.find(sentence)
    fields = {"subject": "Acme Corporation", "unit": "USD", "scale": "millions", "period": "fiscal year 2024"} | more
    return Triplet(
        "t1", "home", "d1", start, start + len(sentence), fields.pop("subject"), relation, answer, sentence, "table",
        subject_type="ORG", object_type="MONEY", answer=answer, value=value, entity="Acme Corporation",
        period_start="2023-07-01", period_end="2024-06-30", **fields,
    )  # fmt: skip


RESEARCH = fact(
    "| Research and development | 31,370 | 29,510 |", "research and development expenses", "31,370", "31370000000"
)
EARNINGS = fact(
    "| Basic earnings per share | 6.11 | 5.90 |",
    "basic earnings per share",
    "6.11",
    "6.11",
    unit="USD/shares",
    scale="",
)
AUDITOR = replace(
    RESEARCH, relation="is audited by", answer="Young LLP", object="Young LLP", object_type="ORG", value="", unit="",
    period="", period_start="", period_end="", start=0, end=3, source_sentence=HOME[:3],
)  # fmt: skip


def question(*facts: Triplet, **more: object) -> Question:
    chunk_ids = tuple(dict.fromkeys(one.chunk_id for one in facts))
    question = Question(
        "q1", "p1", "single", "What?", facts[-1].answer, (), tuple(one.triplet_id for one in facts), chunk_ids,
        tuple(one.source_sentence for one in facts), tuple(Span(one.chunk_id, one.start, one.end) for one in facts),
    )  # fmt: skip
    return replace(question, **more)


def found(one: Triplet, *others: Chunk) -> set[str]:
    chunks = {other.chunk_id: other for other in (chunk("home", HOME), *others)}
    lists = Alternatives(chunks, {one.triplet_id: one}).find([question(one)]).get("q1", (((),), ()))
    return set(lists[0][0])


def test_a_figure_whose_subject_says_what_is_measured_is_stated_by_who_measures_the_same():
    told = replace(
        RESEARCH, method="model", subject="Acme research and development expense for 2024", relation="amounted to"
    )
    alike = chunk("far", "Research and development expenses were $31.4 billion in fiscal year 2024.", start=900)
    other = chunk("other", "Deferred tax assets were $31.4 billion in fiscal year 2024.", start=1900)
    assert found(told, alike, other) == {"far"}


def test_a_part_may_be_named_with_its_owners_short_name():
    told = replace(RESEARCH, method="model", subject="Acme Rockets segment", relation="had research expense of")
    table = chunk(
        "far", "#### Research expense\n\n|  | 2024 | 2023 |\n|---|---|---|\n| Rockets | 31,370 | 29,510 |", start=900
    )
    assert found(told, table) == {"far"}


def test_a_sentence_that_another_passage_repeats_states_the_same():
    sentence = "Rockets are sold with the Fuel segment's tanks."
    told = replace(AUDITOR, relation="are sold with", object="tanks", answer="tanks", source_sentence=sentence)
    repeated = chunk("far", f"As before. {sentence}", doc_id="d2")
    assert found(told, repeated, chunk("other", sentence, entity="Other Inc.", doc_id="d3")) == {"far"}
    figure = replace(RESEARCH, source_sentence="Research expense was $31,370 million.", period_end="2023-06-30")
    assert found(figure, chunk("far", figure.source_sentence, doc_id="d2")) == set()  # of whatever year


@pytest.mark.parametrize(
    "text",
    [
        "Research and development expenses were $31.4 billion in fiscal year 2024.",
        "Research and development costs grew to $31,370 million.",  # of a document about that year
        "|  | 2024 | 2023 |\n|---|---|---|\n| Research and development expenses | $31,370 | $29,510 |",
        "(in thousands)\n\n| Year | Research expense |\n|---|---|\n| June 30, 2024 | 31,370,000 |",
        "Research and development expenses of $31 billion rose 7% from 2023.",
        "Sales of stock, offset by research and development expenses of $31 billion, rose.",
        "In 2024 and 2023, we had Acme research and development expenses of $31 billion and $29 billion.",
        "Our spending included $9 billion of taxes and $31 billion of research and development costs.",
        "For 2022, 2023 and 2024, research and development expense was $25 billion, $29 billion and $31 billion.",
        "|  | * | * |\n|---|---|---|\n| Research and development | $31,370 | $29,510 |",  # heads were lost
        "Research and development expenses increased to $31,370 in 2024 from $29,510 in 2023.",  # in millions
        "Research expense was:\n\n|  | 2024 |\n|---|---|\n| Deferred: |  |\n| Later | 1 |\n| Total | 31,370 |",
        "|  | 2024 Research and development expense |\n|---|---|\n| Current year’s average | 31,370 |",
    ],
)
def test_a_passage_that_states_the_figure_is_found(text: str):
    assert found(RESEARCH, chunk("other", text)) == {"other"}


@pytest.mark.parametrize(
    "text",
    [
        "Research and development expenses were $31.4 billion in fiscal year 2022.",
        "Our goodwill was $31.4 billion in fiscal year 2024.",
        "Research and development expenses were $31.4 million in fiscal year 2024.",
        "Research and development expenses were $32 billion in fiscal year 2024.",
        "Customer research and development expenses of $31 billion rose 7% from 2023.",
        "Research and development expenses increased by $31 billion.",
        "Research and development led to sales of $31 billion.",
        "Spending on research and development rose, less proceeds of $31.4 billion, in fiscal year 2024.",
        "|  | 2023 | 2022 |\n|---|---|---|\n| Research and development | 31,370 | 29,510 |",
        "|  | Three Months Ended June 30, 2024 |\n|---|---|\n| Research and development | 31,370 |",
        "Research and development has grown for years, and is what we live by.",
    ],
)
def test_one_of_another_year_measure_size_or_without_it_is_not(text: str):
    assert found(RESEARCH, chunk("other", text)) == set()


def test_a_part_may_head_a_column_and_the_year_a_block_of_rows():
    part = replace(RESEARCH, subject="Acme Corporation Cloud segment", relation="revenue")
    rows = "| U.S.: |  |  |\n| Army | 7 | 8 |\n| Total revenue | {} | 31,370 |"
    blocks = [f"| Year Ended June 30, {year} |  |  |\n" + rows.format(n) for year, n in ((2024, 9), (2023, "29,510"))]
    head = "| Year Ended June 30, 2025 | Games | Cloud |\n|---|---|---|\n"
    one, other = (chunk(name, head + block) for name, block in zip("ab", blocks, strict=True))
    assert found(part, one, other) == {"a"}


@pytest.mark.parametrize(
    ("relation", "text"),
    [
        ("net cash provided by operating activities", "Record-high cash flows from operations of $31 billion."),
        ("payments for property and equipment", "| Total capital expenditures | 31,370 |"),
        (
            "purchases of common stock",
            "We repurchased 5.3 million shares for $31 billion in 2024.",
        ),
        ("purchases of common stock", "|  | 2024 |\n|---|---|\n| Shares purchased | (31,370) |"),
        ("repayment of debt", "In 2024, we retired $31.4 billion of maturing debt."),
        ("net income attributable to Acme Corporation", "|  | 2024 |\n|---|---|\n| Net income | 31,370 |"),
        ("software, net", "| Software, net of accumulated amortization of $6,971 and $7,039 | 31,370 |"),
        ("discontinued earnings", "| Discontinued earnings, net of tax | 31,370 |"),
        ("total assets", "| Deferred: |  |\n| Other | 5 |\n| Total assets | 31,370 |"),
        ("accumulated other comprehensive loss", "| Total AOCI | 31,370 |"),
        ("total operating lease liabilities", "Operating leases:\n\n| Present value of lease liabilities | 31,370 |"),
    ],
)
def test_a_measure_may_be_called_by_several_words_for_it(relation: str, text: str):
    assert found(replace(RESEARCH, relation=relation), chunk("other", text)) == {"other"}


def test_a_rounding_may_carry():
    debt = replace(RESEARCH, relation="commercial paper", value="9967000000")
    said, other = (chunk(name, f"We had ${name} billion of commercial paper.") for name in ("10.0", "10.1"))
    assert found(debt, said, other) == {"10.0"}


def test_one_of_another_entity_is_not():
    text = "Research and development expenses were $31,370 million in fiscal year 2024."
    assert found(RESEARCH, chunk("other", text, "Zenith Inc.", doc_id="d2")) == set()


def test_a_short_figure_needs_all_of_the_label():
    table = "|  | 2024 |\n|---|---|\n| {} | 6.11 |"
    same, diluted = (table.format(f"{kind} earnings per share") for kind in ("Basic", "Diluted"))
    assert found(EARNINGS, chunk("same", same), chunk("diluted", diluted)) == {"same"}


def test_a_measure_may_be_called_by_another_word_for_it():
    sales = replace(RESEARCH, relation="total net sales")
    table = "|  | Year Ended June 30, 2024 |\n|---|---|\n| {} | 31,370 |"
    same, other = (chunk(name, table.format(name)) for name in ("Revenues", "Goodwill"))
    assert found(sales, same, other) == {"Revenues"}
    said = chunk("said", "Net income came to $6.11 per basic share, up from 2023.")
    assert found(EARNINGS, chunk("short", table.replace("31,370", "6.11").format("Basic EPS")), said) == {
        "short",
        "said",
    }


def test_a_current_amount_may_stand_without_the_word_and_a_lasting_one_not_as_current():
    current = replace(RESEARCH, relation="current accrued liabilities", period_start="")
    plain, other = (
        chunk(name, f"|  | June 30, 2024 |\n|---|---|\n| {name} | 31,370 |")
        for name in ("Accrued liabilities", "Noncurrent accrued liabilities")
    )
    assert found(current, plain, other) == {"Accrued liabilities"}


def test_a_year_ago_is_the_one_before_the_documents():
    text = "For fiscal 2025, research and development expenses were $35 billion, up from $31 billion a year ago."
    next_year, later = (replace(chunk(year, text), period_end=f"{year}-06-30") for year in ("2025", "2026"))
    assert found(RESEARCH, next_year, later) == {"2025"}


def test_a_part_may_be_named_in_the_sentence_before():
    part = replace(RESEARCH, subject="Acme Corporation Cloud segment", relation="subscription revenue")
    text = "{} revenue was $40.1 billion. Subscription revenue grew to $31.4 billion in fiscal 2024."
    assert found(part, *(chunk(name, text.format(name)) for name in ("Cloud", "Games"))) == {"Cloud"}


def test_a_part_may_stand_in_the_name_of_a_rounded_figure():
    part = replace(RESEARCH, subject="Acme Corporation Cloud segment", relation="net sales")
    text = "{} net sales were unchanged at $31 billion."
    assert found(part, *(chunk(name, text.format(name)) for name in ("Cloud", "Games"))) == {"Cloud"}


def test_a_movement_of_equity_is_of_the_year_of_the_balance_below():
    head = "|  | Total |\n|---|---|\n"
    rows = [f"| Balance at June 30, {year} | {year}0 |\n| Research and development | {n} |" for year, n in
            ((2022, "29,510"), (2023, "31,370"))]  # fmt: skip
    end = "\n| Balance at June 30, 2024 | 5 |"
    assert found(RESEARCH, chunk("other", head + "\n".join(rows) + end)) == {"other"}
    dates = (head + "\n".join(rows) + end).replace("Balance at ", "")
    assert found(RESEARCH, chunk("dated", dates)) == {"dated"}
    later = head + rows[0].replace("29,510", "31,370") + "\n| Balance at June 30, 2023 | 5 |"
    assert found(RESEARCH, chunk("other", later)) == set()


def test_the_next_chunk_that_repeats_the_words_states_them():
    cut = HOME.index("| Research")
    assert found(RESEARCH, chunk("next", HOME[cut:], start=cut)) == {"next"}


def test_a_name_needs_what_links_it_and_not_the_name_alone():
    said = chunk("said", "Our financial statements were audited by Young LLP, an independent firm.")
    spelt = chunk("spelt", "Young LLP leases an office from us.")
    of_others = chunk("of_others", "Its statements were audited by Young LLP.", "Zenith Inc.", doc_id="d2")
    named = chunk("named", "Acme Corporation has been audited by Young LLP.", "Zenith Inc.", doc_id="d2")
    assert found(AUDITOR, said, spelt, of_others, named) == {"said", "named"}


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("/s/ Young LLP\n\nSan Jose, California", True),
        ("(signed) Young LLP\n\nSan Jose, California", True),
        ("| 23.1 | Consent of Young LLP |", True),
        ("23.01 Young LLP consent. X", True),
        ("The report of Young LLP thereon is presented in Item 8.", True),
        ("Our advisers, bankers and lawyers, among them Young LLP, serve many others.", False),
    ],
)
def test_an_auditor_is_named_where_it_signs_or_consents(text: str, states: bool):
    assert found(AUDITOR, chunk("other", text)) == ({"other"} if states else set())


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("### Cloud products\n\n- Orbit. Orbit stores files.\n- Halo. It plays.", True),
        ("### Games\n\n- Orbit. Orbit stores files.", False),
        ("### Cloud products\n\nWe like Orbit.", False),
        ("### Cloud\n\nSales of Orbit rose.", True),  # the whole's own heading
        ("Cloud: we lead the market, behind our Orbit and Halo brands.", True),
        ("Games: we lead the market, behind our Orbit brand. Cloud sales rose.", False),
    ],
)
def test_a_part_is_stated_by_a_list_under_the_heading_of_the_whole(text: str, states: bool):
    part = replace(
        AUDITOR, subject="Orbit", relation="is part of", object="Cloud", answer="Cloud", subject_type="PRODUCT"
    )
    assert found(part, chunk("other", text)) == ({"other"} if states else set())


@pytest.mark.parametrize(
    ("relation", "place", "text", "states"),
    [
        ("is headquartered in", "Omaha, Nebraska", "Our principal executive offices are in Omaha, NE.", True),
        ("is headquartered in", "Omaha, Nebraska", "Write to Acme, 1 Elm St., Omaha, NE 68101.", True),
        ("is based in", "Nebraska", "Write to Acme, 1 Elm St., Omaha, NE 68101.", True),
        ("has principal executive offices at", "1 Elm St.", "Write to Acme, 1 Elm St., Omaha, NE 68101.", True),
        ("is based in", "Nebraska", "Write to our bank, 1 Elm St., Omaha, NE 68101.", False),
        ("is based in", "Nebraska", "Ask Investor Relations, Acme, 1 Elm St., Omaha, NE 68101.", False),
        ("is headquartered in", "Omaha, Nebraska", "We repair locomotives in Omaha, Nebraska.", False),
        ("is incorporated in", "Delaware", "As a Delaware corporation, we are bound by its law.", True),
        ("is incorporated in", "Ireland", "Acme is an Irish public limited company.", True),
        ("is incorporated in", "Ireland", "Our Irish subsidiary paid tax.", False),
        ("is incorporated in", "Ohio", "We have audited the balance sheets of Acme (an Ohio corporation).", True),
        ("is incorporated in", "Delaware", "Sued in Delaware. Exhibit 3 is incorporated by reference.", False),
        ("is listed on", "New York Stock Exchange", "Our stock trades on the NYSE.", True),
        ("is listed on", "New York Stock Exchange", "Rules of the New York Stock Exchange bind many.", False),
        ("is listed on", "New York Stock Exchange", "The last reported sale of our stock on the NYSE was at $9.", True),
        ("is listed on", "New York Stock Exchange", "The 2027 Notes are listed on the New York Stock Exchange.", False),
        ("is listed on", "New York Stock Exchange", "Issuers listed on the New York Stock Exchange (NYSE)", False),
        ("is listed on", "NYSE", "Our common stock trades on the New York Stock Exchange.", True),
        ("is audited by", "Young LLP", "Young LLP has assessed our internal control.", True),
        ("is listed on", "Nasdaq", "Our stock is compared with the Nasdaq Composite, which trades at more.", False),
        ("is listed on", "New York Stock Exchange", "We meet the listing standards of the NYSE.", True),
        ("is listed on", "New York Stock Exchange", "Acme (NYSE: ACM) makes pens.", True),
        ("is listed on", "New York Stock Exchange", "We bought Orbit (NYSE: ORB), traded at $9.", False),
    ],
)  # fmt: skip
def test_a_cover_fact_is_stated_by_what_links_it_nearby(relation: str, place: str, text: str, states: bool):
    fact = replace(AUDITOR, relation=relation, answer=place, object=place)
    assert found(fact, chunk("other", text)) == ({"other"} if states else set())


@pytest.mark.parametrize("beside", [" (“", " and its subsidiaries (collectively, “"])
def test_a_purchase_is_told_by_the_name_that_its_filer_introduces(beside: str):
    bought = replace(
        AUDITOR,
        subject="Orbit Therapeutics, Inc.",
        relation="was acquired by",
        object="Acme Corporation",
        answer="Acme",
    )
    texts = {
        "introduces": f"In March we bought Orbit Therapeutics, Inc.{beside}Orbit”), the company (the “company”).",
        "short": "Expenses rose because of the acquisition of Orbit.",
        "agreement": "| 2.1 | Share Purchase Agreement among Acme and Orbit Therapeutics, Inc. |",
        "other": "Expenses rose because of the acquisition of the company.",
        "unrelated": "Orbit sells pens.",
    }
    assert found(bought, *(chunk(name, text) for name, text in texts.items())) == {"short", "agreement"}


@pytest.mark.parametrize(
    ("text", "unclear"),
    [
        ("Goodwill rose with the Orbit and Astro acquisitions.", True),
        ("Acquired with Orbit were patents.", True),
        ("The orbit of an acquired satellite decays.", False),
        ("Orbit sells pens.", False),
    ],
)
def test_a_purchase_may_be_told_by_the_first_name_alone(text: str, unclear: bool):
    link = replace(
        AUDITOR, triplet_id="t2", subject="Orbit Systems, Inc.", relation="was acquired by", object="Acme Corporation"
    )
    chunks = {one.chunk_id: one for one in (chunk("home", HOME), chunk("other", text))}
    alternatives = Alternatives(chunks, {one.triplet_id: one for one in (link, RESEARCH)})
    assert alternatives.is_unclear(question(link, RESEARCH, pattern="chain")) == unclear


def test_a_symbol_in_brackets_of_nobodys_document_lists_nobody_else():
    fact = replace(AUDITOR, relation="is listed on", answer="New York Stock Exchange", object="New York Stock Exchange")
    news = replace(chunk("news", "Acme Corporation trades pens with Orbit (NYSE: ORB)."), entity="", doc_id="d9")
    assert found(fact, news) == set()


def test_a_part_is_stated_by_whatever_says_what_it_is_in():
    part = replace(AUDITOR, subject="Acme Docs", relation="is part of", object="Media", answer="Media")
    said = chunk("said", "Our Media segment is centered around Acme Pens and Acme Docs.")
    apart = chunk("apart", "Media revenue rose. Acme Docs competes with many.")
    assert found(part, said, apart) == {"said"}


def officer(**more: str) -> Triplet:
    fields = {"answer": "Ann Lee", "period": "fiscal year 2024", "relation": "chief executive officer of"} | more
    return replace(AUDITOR, subject="Ann Lee", object="Acme Corporation", **fields)


def test_an_officer_is_of_the_year_of_the_filing():
    text = "| Ann Lee | Chief Executive Officer | 54 |"
    earlier = replace(chunk("earlier", text, doc_id="d0"), period_end="2023-06-30")
    assert found(officer(), chunk("now", text), earlier, chunk("spelt", "Ann Lee bought shares.")) == {"now"}


@pytest.mark.parametrize(
    ("text", "states"),
    [
        (
            "| By | /s/ Ann Lee |\n|---|---|\n|  | Ann Lee, |\n|  | President and Chief Executive |\n|  | Officer |",
            True,
        ),
        ("Ann Lee. Ms. Lee has served as Chief Executive Officer since 2020.", True),
        ("Send it to our Chief Executive Officer, Ann Lee.", True),
        ("/s/ Ann Lee\n\n/s/ Bo Orr\n\nChief Executive Officer", False),
        ("Ann Lee, Chief Legal Officer; Bo Orr, Chief Executive Officer", False),
        ("Bo Orr, Chief Executive Officer, Ann Lee, Chief Legal Officer", False),
    ],
)
def test_a_title_stands_behind_its_holder_or_right_before(text: str, states: bool):
    assert found(officer(), chunk("other", text)) == ({"other"} if states else set())


def test_an_alternative_must_state_all_that_its_gold_chunk_does():
    other = replace(EARNINGS, triplet_id="t2")
    chunks = {
        "home": chunk("home", HOME),
        "one": chunk("one", "Research and development expenses were $31.4 billion in fiscal year 2024."),
        "both": chunk("both", HOME, doc_id="d9"),
    }
    facts = {one.triplet_id: one for one in (RESEARCH, other)}
    assert Alternatives(chunks, facts).find([question(RESEARCH, other)]) == {
        "q1": ((("both",),), (("home", "both", "one"), ("home", "both")))
    }


def test_a_passage_that_states_a_fact_of_the_answer_and_names_it_gives_the_name_too():
    said = {"signed": "/s/ Young LLP", "both": "Acme’s consent of Young LLP", "named": "ACME CORPORATION"}
    chunks = {name: chunk(name, text) for name, text in said.items()}
    auditor = replace(AUDITOR, chunk_id="signed", start=0, end=13, source_sentence="/s/ Young LLP")
    asked = question(auditor, pattern="inverted_star", answer="ACME CORPORATION", chunk_ids=("signed", "named"))
    assert Alternatives(chunks, {"t1": auditor}).find([asked]) == {"q1": ((("both",), ("both",)), ())}


def test_a_chunk_that_states_both_hops_makes_the_question_one_of_one_chunk():
    said = "The financial statements of Acme Corporation are audited by Young LLP."
    auditor = replace(AUDITOR, triplet_id="t2", chunk_id="audit", source_sentence=said, end=len(said))
    asked = question(auditor, RESEARCH, pattern="star", pivot="Acme Corporation")
    facts = {"t1": RESEARCH, "t2": auditor}
    apart = {"home": chunk("home", HOME), "audit": chunk("audit", said)}
    both = said + " Research and development expenses were $31.4 billion in fiscal year 2024."
    config = GatesConfig(gates=("several_chunks",), retrieved=0)
    (kept,) = judge([asked], config, chunks=apart, triplets=facts)
    (lost,) = judge([asked], config, chunks={**apart, "both": chunk("both", both)}, triplets=facts)
    assert (kept.rejected_because, kept.alternatives) == ("", ())
    assert lost.rejected_because == "one_chunk_suffices"
    (lost,) = judge([asked], config, chunks={**apart, "audit": chunk("audit", both)}, triplets=facts)
    assert lost.rejected_because == "one_chunk_suffices" and lost.alternatives == ()


def test_a_computed_answer_takes_no_two_chunks_where_one_states_all_figures():
    other = replace(RESEARCH, triplet_id="t2", chunk_id="older", value="29510000000", answer="29,510",
                    period="fiscal year 2023", period_start="2022-07-01", period_end="2023-06-30")  # fmt: skip
    older = chunk("older", HOME.replace("| 31,370 ", "|  "))
    asked = question(other, RESEARCH, pattern="change")
    config = GatesConfig(gates=("several_chunks",), retrieved=0)
    (row,) = judge(
        [asked], config, chunks={"home": chunk("home", HOME), "older": older}, triplets={"t1": RESEARCH, "t2": other}
    )
    assert row.rejected_because == "one_chunk_suffices"
    newer = chunk("home", HOME.replace(" 29,510 ", "  "))
    (row,) = judge([asked], config, chunks={"home": newer, "older": older}, triplets={"t1": RESEARCH, "t2": other})
    assert row.rejected_because == ""


OLDER = replace(
    RESEARCH, triplet_id="t0", value="29510000000", answer="29,510", period="fiscal year 2023",
    period_start="2022-07-01", period_end="2023-06-30",
)  # fmt: skip


def stand_ins(pattern: str, arithmetic: str, *others: Chunk, facts: tuple[Triplet, ...] = (OLDER, RESEARCH)):
    chunks = {other.chunk_id: other for other in (chunk("home", HOME), *others)}
    asked = question(*facts, pattern=pattern, arithmetic=arithmetic)
    whole, parts = Alternatives(chunks, {one.triplet_id: one for one in facts}).find([asked]).get("q1", (((),), ()))
    return set(whole[0]), parts


GROWTH = "| Year ended June 30, 2024 | Growth |\n|---|---|\n"


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("Research and development expense rose $1.9 billion, or 6%, from 2023.", "amount"),
        ("Research and development expense of $31,370 million was $1.9 billion above 2023.", ""),
        ("Research and development expenses increased by $1.9 billion, or 6%, compared to 2023.", "amount"),
        ("Research and development expenses increased 6.3% in fiscal 2024 compared to the prior year.", "percent"),
        ("A loss on derivatives was offset by a $1.86 billion increase in research and development costs.", "amount"),
        ("Research and development cost was $31 billion, an increase of $1.9 billion from the end of 2023.", "amount"),
        ("|  | 2024 vs. 2023 Variance |\n|---|---|\n| Research and development cost | 1,860 |", "amount"),
        (f"{GROWTH}| Research and development cost | 6.3% |", "percent"),
        (f"{GROWTH}| Research and development cost | (6.3)% |", ""),
        (f"{GROWTH.replace('2024', '2023')}| Research and development cost | 6.3% |", ""),
        (f"{GROWTH.replace('Growth', 'Organic Growth')}| Research and development cost | 6.3% |", ""),
        ("Research and development expense fell $1.9 billion from 2023.", ""),
        ("Research and development expense rose $1.9 billion from 2022.", ""),
        ("Customer research and development expense rose $1.9 billion from 2023.", ""),
        ("Research and development expense rose 6.3% from 2023, excluding currency.", ""),
        ("In the fourth quarter, research and development expense rose $1.9 billion.", ""),
        ("|  | 2023 vs. 2022 Variance |\n|---|---|\n| Research and development cost | 1,860 |", ""),
    ],
)
def test_a_change_is_stated_by_its_amount_or_its_percentage(text: str, states: str):
    amount = "difference [29,510 | 31,370] = 1860000000; not rounded; USD"
    percent = "percentage change [29,510 | 31,370] = 6.30%; rounded half up to a tenth; percent"
    for kind, arithmetic in (("amount", amount), ("percent", percent)):
        found, _ = stand_ins("change", arithmetic, chunk("other", text))
        assert found == ({"other"} if states == kind else set())


@pytest.mark.parametrize(
    ("text", "patterns"),
    [
        ("Research and development expense rose 6% in 2024.", "listing comparison"),
        ("Research and development expenses increased $1.9 billion from 2023 to 2024.", "listing"),
        ("Research and development expenses increased in 2024, as we hired.", "listing"),
        ("Research and development expenses were $1 billion, up in 2024 from 2023.", ""),
        ("Research and development expenses decreased in 2024.", ""),
        ("Research and development expenses increased in 2023.", ""),
        ("Research and development expenses increased.", ""),
        ("Customer research and development expenses increased in 2024.", ""),
        ("Sales rose as research and development expenses increased in 2024.", ""),
        ("Research and development expense rose 6% in 2025 as compared to the year 2024.", ""),
        ("Research and development expenses increased from the prior year period due to hiring.", "listing"),
        ("The $1,860 million increase in research and development expenses in 2024 was due to hiring.", "listing"),
        ("The $950 million increase in research and development expenses in 2024 was of one part.", ""),
        ("The increase in customer research and development expenses in 2024 was due to hiring.", ""),
    ],
)
def test_what_has_grown_is_told_by_a_sentence_that_says_so(text: str, patterns: str):
    for pattern in ("listing", "comparison", "superlative"):
        found, _ = stand_ins(pattern, "", chunk("other", text))
        assert found == ({"other"} if pattern in patterns.split() else set())


def test_a_rise_in_percent_follows_from_its_exact_amount_and_what_it_rose_to():
    percent = "percentage change [29,510 | 31,370] = 6.30%; rounded half up to a tenth; percent"
    said = chunk("said", "Research and development expense of $31,370 million increased $1,860 million from 2023.")
    rounded = chunk("rounded", "Research and development expense of $31.4 billion increased $1.9 billion from 2023.")
    assert stand_ins("change", percent, said, rounded)[0] == {"said"}


@pytest.mark.parametrize(
    ("text", "unclear"),
    [
        ("Cash fell due to a $1.9 billion increase in research spending in 2024.", True),
        ("Charges for research of 1,861 in 2024 are no rise by their words.", True),  # with digits that tell
        ("Cash rose due to a $1.9 billion decrease in research spending in 2024.", False),
        ("Cash fell due to a $1.9 billion increase in research spending in 2021.", False),
        ("Research and development expense rose $1.9 billion, or 6%, from 2023.", False),  # states it
    ],
)
def test_a_change_that_a_passage_may_state_is_not_asked_for(text: str, unclear: bool):
    older = replace(OLDER, value="29509000000")
    asked = question(older, RESEARCH, pattern="change", arithmetic="difference [29,509 | 31,370] = 1,861")
    chunks = {one.chunk_id: one for one in (chunk("home", HOME), chunk("other", text))}
    triplets = {one.triplet_id: one for one in (older, RESEARCH)}
    (judged,) = judge([asked], GatesConfig(gates=(), retrieved=0), chunks=chunks, triplets=triplets)
    assert judged.rejected_because == ("gold_unclear" if unclear else "")


CLOUD = replace(RESEARCH, subject="Acme Corporation Cloud segment", relation="revenue", value="9597000000")
REVENUE = replace(RESEARCH, triplet_id="t2", relation="total revenue")


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("Revenue for the Cloud segment was 31% of our consolidated revenue in 2024 and 28% in 2023.", True),
        ("Revenue for the Cloud segment was 28% of our revenue in 2025, 31% in 2024 and 33% in 2023.", True),
        ("Sales of Cloud products generated about 31% of our revenue.", True),  # in the year of the document
        ("Revenue for the Cloud segment was 31% of our consolidated revenue in 2023 and 28% in 2024.", False),
        ("Revenue for the Cloud segment was 31% of our operating income in 2024.", False),
        ("Revenue for the Games segment was 31% of our consolidated revenue in 2024.", False),
        ("Cloud revenue rose 31% in 2024.", False),
        ("| Revenue by segment: | 2024 | 2023 |\n|---|---|---|\n| Cloud | 31% | 28% |", True),
        ("| Revenue by segment: | 2024 | 2023 |\n|---|---|---|\n| Cloud | 28% | 31% |", False),
        ("| Revenue by segment: | 2024 change |\n|---|---|\n| Cloud | 31% |", False),
        ("Revenue for Games and Cloud was 31% and 28% of our revenue in the respective years.", False),
    ],
)
def test_a_share_is_stated_by_its_percentage_of_the_whole(text: str, states: bool):
    arithmetic = "share [9,597 | 31,370] = 30.59%; rounded half up to a tenth; percent"
    found, _ = stand_ins("share", arithmetic, chunk("other", text), facts=(CLOUD, REVENUE))
    assert found == ({"other"} if states else set())


def test_a_change_of_a_part_may_be_told_by_its_initials():
    cloud = [
        replace(one, subject="Acme Corporation Best of Cloud segment", relation="revenue") for one in (OLDER, RESEARCH)
    ]
    said, other = (
        chunk(name, f"{name} revenue in 2024 increased $1.86 billion, or 6%, compared to 2023.")
        for name in ("BoC", "BoG")
    )
    arithmetic = "difference [29,510 | 31,370] = 1860000000; not rounded; USD"
    assert stand_ins("change", arithmetic, said, other, facts=tuple(cloud))[0] == {"BoC"}


@pytest.mark.parametrize(
    ("older", "text", "states"),
    [  # 31.4 less 5.5 is 25.9, for 25.86; less 29.5 it is 1.9, for 1.86
        ("5510000000", "Research and development expenses were $31.4 billion in 2024.", True),
        ("29510000000", "Research and development expenses were $31.4 billion in 2024.", False),
        ("29510000000", "Research and development expenses were $31,370 million in 2024.", True),
    ],
)
def test_a_figure_to_subtract_is_as_exact_as_its_difference_needs(older: str, text: str, states: bool):
    facts = replace(OLDER, value=older), RESEARCH
    _, parts = stand_ins("change", "difference", chunk("other", text), facts=facts)
    assert ("other" in {name for names in parts for name in names}) is states


def test_a_cell_of_prose_is_read_as_a_sentence():
    cell = (
        "| The matter | The company's research and development expenses of 2024 were $31.4 billion, as Note 2 says. |"
    )
    assert found(RESEARCH, chunk("other", cell)) == {"other"}


def test_passages_that_state_one_fact_each_of_a_gold_chunk_are_its_parts():
    one, other, prose = (
        chunk("one", "|  | 2024 |\n|---|---|\n| Research and development | 31,370 |"),
        chunk("other", "|  | 2023 |\n|---|---|\n| Research and development | 29,510 |"),
        chunk("prose", "Research and development expenses were $31.4 billion in fiscal year 2024."),
    )
    parts = (("home", "other"), ("home", "one"))
    assert stand_ins("change", "difference [29,510 | 31,370] = 1", one, other, prose) == (set(), parts)
    ranked = (("home", "other"), ("home", "one", "prose"))  # what is largest of some may be told from rounded ones
    assert stand_ins("superlative", "largest [29,510 | 31,370] = 1", one, other, prose) == (set(), ranked)
    close = replace(OLDER, value="31390000000", answer="31,390")
    facts = {"facts": (close, RESEARCH)}
    assert stand_ins("superlative", "largest [31,390 | 31,370] = 1", one, prose, **facts)[1][1] == ("home", "one")


@pytest.mark.parametrize(
    ("relation", "place", "shown", "text", "states"),
    [
        ("is based in", "Nebraska", "NE", "We own our corporate headquarters, which is in Omaha, Nebraska.", True),
        ("is headquartered in", "Omaha, Nebraska", "Omaha", "Our executive offices are in Omaha, Nebraska.", True),
        ("is headquartered in", "Dublin 2", "Dublin 2", "Acme, headquartered in Dublin, Ireland, makes pens.", True),
        ("is headquartered in", "Omaha, Nebraska", "Omaha", "We may give up our Omaha headquarters.", True),
        ("is based in", "Ohio", "Ohio", "In addition to our headquarters site, we own sites in Akron, Ohio.", False),
        ("is based in", "Nebraska", "Nebraska", "An executive officer of a bank lives in Nebraska.", False),
        ("is audited by", "Young LLP", "Young LLP", "Before that, he was an audit director of Young LLP.", False),
        ("is audited by", "Young LLP", "Young LLP", "Mr. Lee leads our audit committee. /s/ Young LLP", True),
    ],
)  # fmt: skip
def test_a_seat_is_told_by_any_sentence_and_an_auditor_by_no_career(
    relation: str, place: str, shown: str, text: str, states: bool
):
    fact = replace(AUDITOR, relation=relation, answer=shown, object=place)
    assert found(fact, chunk("other", text)) == ({"other"} if states else set())


@pytest.mark.parametrize(
    ("relation", "text"),
    [
        (
            "net cash provided by (used in) financing activities",
            "In 2024, net cash used in financing activities was $31.4 billion.",
        ),
        ("dividends paid", "In 2024, we paid dividends on our common stock of $31 billion."),
        ("dividends paid", "Dividend payments were $31 billion in 2024 and $29 billion in 2023."),
        ("dividends paid", "Dividends paid totaled $31.4 billion compared to $29.5 billion in 2023."),
        ("long-term debt, net of current portion", "| Long-term debt, less current maturities | 31,370 |"),
        ("intangible assets, net of amortization", "At June 30, 2024, net intangibles amounted to $31.4 billion."),
        ("benefit (provision) for income taxes", "We recorded a provision (benefit) for income taxes of $31 billion."),
        ("cash and equivalents", "We held $40 billion and $31 billion in cash and equivalents in 2023 and 2024."),
        ("stock repurchases and retirements", "| Repurchases and retirements of ordinary shares | 31,370 |"),
        ("proceeds from stock option exercises", "Cash received from stock option exercises was $31.4 billion."),
        ("selling, general and administrative expenses", "SG&A expenses were $31 billion in 2024."),
        ("research and development expenses", "Our R&D expenses were $31 billion in 2024."),
        ("acquisitions of property and equipment", "Capital expenditures were $31 billion in 2024."),
    ],
)  # fmt: skip
def test_prose_calls_a_measure_of_a_statement_by_its_own_words(relation: str, text: str):
    assert found(replace(RESEARCH, relation=relation), chunk("other", text)) == {"other"}


def test_a_heading_in_the_passage_tells_of_which_part_it_is():
    part = replace(RESEARCH, subject="Acme Corporation Cloud segment", relation="revenue")
    text = "#### {}\n\n" + "We sell much. " * 40 + "\n\n|  | 2024 |\n|---|---|\n| Revenue | 31,370 |"
    assert found(part, *(chunk(name, text.format(name)) for name in ("CLOUD", "GAMES"))) == {"CLOUD"}


@pytest.mark.parametrize(("heading", "states"), [("CCG Performance", True), ("ACCG", True), ("GSG", False)])
def test_a_part_may_be_called_by_its_initials(heading: str, states: bool):
    part = replace(RESEARCH, subject="Acme Corporation Client Computing Group segment", relation="operating income")
    text = f"## {heading}\n\n|  | 2024 |\n|---|---|\n| Operating income | 31,370 |"
    assert found(part, chunk("other", text)) == ({"other"} if states else set())


def test_a_row_of_the_company_among_others_is_no_measure_of_it():
    paid = replace(RESEARCH, relation="dividends paid", value="186000000", answer="186")
    text = "With dividends reinvested, $100 came to:\n\n|  | 2024 |\n|---|---|\n| {} | 186 |"
    assert found(paid, *(chunk(name, text.format(name)) for name in ("Acme Corporation", "Total"))) == {"Total"}


RATE = replace(
    RESEARCH,
    relation="effective tax rate",
    value="0.234",
    answer="23.4%",
    unit="percent",
    object_type="PERCENT",
    scale="",
)


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("Our effective income tax rate was 23.4%, 25.5% and 33.6% for fiscal 2024, 2023 and 2022.", True),
        ("|  | 2024 | 2023 |\n|---|---|---|\n| Effective tax rate | 23.4% | 29.5% |", True),
        ("The effective tax rate was 23.4 percent in fiscal 2023.", False),
        ("Of our sales 23.4% were made abroad in fiscal 2024.", False),
        ("|  | 2024 |\n|---|---|\n| Effective tax rate | 0.23% |", False),
    ],
)
def test_a_rate_is_stated_by_its_percentage(text: str, states: bool):
    assert found(RATE, chunk("other", text)) == ({"other"} if states else set())


@pytest.mark.parametrize(
    ("relation", "text", "states"),
    [
        ("dividends paid", "Dividends paid were $35 billion compared with $31.4 billion.", True),  # the year before
        (
            "dividends paid",
            "In 2025, dividends paid were $35 billion compared to 2024 dividends of $31.4 billion.",
            True,
        ),
        ("dividends paid", "We met in 2024. In all, $31.4 billion of dividends were paid.", True),
        ("dividends paid", "We met in 2024.\n\nIn all, $31.4 billion of dividends were paid.", False),
    ],
)
def test_a_sentence_may_leave_the_year_to_what_stands_beside_it(relation: str, text: str, states: bool):
    other = replace(chunk("other", text), period_end="2025-06-30")
    assert found(replace(RESEARCH, relation=relation), other) == ({"other"} if states else set())


@pytest.mark.parametrize(
    ("relation", "text", "states"),
    [
        ("total carrying amount of long-term debt", "Our long-term debt totals $31.4 billion at June 30, 2024.", True),
        ("share-based compensation expense", "| Total share-based expense | 31,370 |", True),
        ("repurchases of common stock", "We repurchased 87 million shares of our common stock for $31 billion.", True),
        (
            "repurchases of common stock",
            "We repurchased 87 million shares of our preferred stock for $31 billion.",
            False,
        ),
    ],
)
def test_what_is_no_part_of_a_name_may_be_left_out(relation: str, text: str, states: bool):
    assert found(replace(RESEARCH, relation=relation), chunk("other", text)) == ({"other"} if states else set())


def test_what_excludes_something_is_another_measure():
    wear = replace(RESEARCH, relation="depreciation expense", value="314000000", answer="314")
    rows = ("| Depreciation | 314 |", "| Depreciation (excluding restructuring activities) | 314 |")
    assert found(wear, *(chunk(str(at), row) for at, row in enumerate(rows))) == {"0"}


def test_a_row_for_whatever_its_column_measures_is_told_by_the_column():
    head = "|  | June 30, 2024 {} |\n|---|---|\n| Total amounts presented in the statements of income | 31,370 |"
    same, other = (chunk(name, head.format(name)) for name in ("Interest expense", "Net sales"))
    assert found(replace(RESEARCH, relation="interest expense"), same, other) == {"Interest expense"}


def under(rows: str, head: str = "|  | 2024 | 2023 |") -> str:
    return f"{head}\n|---|---|---|\n{rows}"


TAX = replace(RESEARCH, relation="income tax expense", value="193000000", answer="193")


@pytest.mark.parametrize(
    ("text", "states"),
    [
        # a total closes its group; without one the row's own name tells
        (under("| Deferred tax |  |  |\n| Total deferred tax | 7 | 9 |\n| Income tax expense | 193 | 300 |"), True),
        (under("| Deferred: |  |  |\n| Federal | 7 | 9 |\n| Income tax expense | 193 | 300 |"), True),
        (under("| Deferred: |  |  |\n| Foreign | 193 | 300 |"), False),
        (under("| Deferred tax |  |  |\n| Total deferred tax of Ohio | 7 | 9 |\n| Foreign | 193 | 300 |"), False),
        (under("| Deferred: |  |  |\n| Income tax expense | 300 | 193 |"), False),
    ],
)
def test_a_row_under_its_own_name_is_of_no_group_above(text: str, states: bool):
    assert found(TAX, chunk("other", text)) == ({"other"} if states else set())


def test_a_subtotal_does_not_close_the_group_that_it_is_of():
    part = replace(RESEARCH, subject="Acme Corporation Energy", relation="revenues")
    rows = "| {} |  |  |\n| Total cloud revenues | 7 | 9 |\n| Energy | 31,370 | 29,510 |"
    assert found(part, *(chunk(name, under(rows.format(name))) for name in ("Revenues", "Costs"))) == {"Revenues"}


def test_a_movement_of_equity_under_its_own_name_may_stand_in_any_column():
    head = "|  | Additional Paid-In Capital | Accumulated Other Comprehensive Loss |"
    rows = "| Other comprehensive loss: |  |  |\n| {} | 135 |  |\n| Balance at June 30, 2024 | 9 | 9 |"
    paid = replace(RESEARCH, relation="stock-based compensation", value="135000000", answer="135")
    same, other = (chunk(name, under(rows.format(name), head)) for name in ("Stock-based compensation", "Pensions"))
    assert found(paid, same, other) == {"Stock-based compensation"}


@pytest.mark.parametrize(
    ("relation", "text", "states"),
    [
        ("operating lease liabilities", "| Non-current operating lease liabilities | 313 |", True),
        ("operating lease assets", "| Operating lease right-of-use assets | 313 |", True),
        ("operating lease assets", "| Finance lease right-of-use assets | 313 |", False),
    ],
)
def test_where_a_balance_sheet_has_a_thing_is_no_part_of_its_name(relation: str, text: str, states: bool):
    fact = replace(RESEARCH, relation=relation, value="313000000", answer="313")
    assert found(fact, chunk("other", text)) == ({"other"} if states else set())


@pytest.mark.parametrize(
    ("relation", "text", "states"),
    [
        ("merchandise inventories", "Description Our merchandise inventories were $31 billion.", True),
        ("merchandise inventories", "The cost of our merchandise inventories was $31 billion.", False),
        ("cash and cash equivalents", "We had $31.4 billion of cash and $9.2 billion of debt.", True),
        ("dividends paid", "We returned $40 billion in the form of common stock dividends of $31 billion.", True),
        (
            "repurchases of common stock",
            "We repurchased and retired 11.8 million shares at a cost of $31 billion.",
            True,
        ),
        (
            "payments to acquire property, plant and equipment",
            "Capital expenditures totaled $31 billion in 2024.",
            True,
        ),
    ],
)
def test_prose_begins_a_name_with_whose_it_is_and_rounds(relation: str, text: str, states: bool):
    assert found(replace(RESEARCH, relation=relation), chunk("other", text)) == ({"other"} if states else set())


def test_earnings_per_share_in_prose_need_not_say_that_they_are_diluted():
    diluted = replace(EARNINGS, relation="diluted earnings per share")
    text = "In 2024 we reported net income of $7.5 billion, or $6.11 per {}share."
    assert found(diluted, *(chunk(name, text.format(name)) for name in ("", "basic "))) == {""}


def test_a_row_without_bars_is_of_the_times_in_the_line_above():
    text = "## June 30, {} June 30, {}\n\nResearch and development $ 31,370 $ 29,510"
    assert found(RESEARCH, *(chunk(a, text.format(a, b)) for a, b in (("2024", "2023"), ("2023", "2024")))) == {"2024"}


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("#### Exhibit 21\n\nAstro Limited Bermuda Apex, Inc. Vermont", True),
        ("Subsidiaries of the Registrant\n\n| Name | State |\n|---|---|\n| Astro | Ohio |", True),
        ("#### Subsidiaries\n\nAstro-II, Inc. Vermont", False),
        ("#### Subsidiaries\n\nApex, Inc. Vermont\n\n#### Exhibit 23\n\nAstro Ltd.", False),
        ("We rent from Astro Ltd.", False),
        ("#### Subsidiaries\n\n*Orbit Inc. – Apex, Inc. 75%/Astro Ltd. 25%", False),  # one of its holders
    ],
)
def test_a_subsidiary_is_told_by_a_list_of_them(text: str, states: bool):
    fact = replace(AUDITOR, subject="Astro Ltd.", answer="Astro Ltd.", relation="is subsidiary of")
    assert found(replace(fact, object="Acme Corporation"), chunk("other", text)) == ({"other"} if states else set())


@pytest.mark.parametrize("name", ["Ann B. Lee", "Ann Lee, Jr.", "Ann Lee"])
def test_an_officer_may_sign_without_initial_or_suffix(name: str):
    signed = chunk("signed", "/s/ Ann Lee\n\nChief Executive Officer")
    full = chunk("full", "/s/ Ann B. Lee\n\nChief Executive Officer")
    short = chunk("short", "/s/ A. Lee\n\nChief Executive Officer")
    other = chunk("other", "/s/ Ann Leeds\n\nChief Executive Officer")
    credited = found(replace(officer(answer=name), subject=name), signed, full, short, other)
    assert credited == {"signed", "full", "short"}


def test_a_balance_of_equity_is_told_by_its_column_even_if_a_word_of_the_next_is_in_its_head():
    kept = replace(RESEARCH, relation="retained earnings", period_start="", period="June 30, 2024")
    rows = "| BALANCE AT JUNE 30, {} | 31,370 | 12 |"
    head = "|  | Accumulated Retained Earnings | Other Comprehensive Income |"
    assert found(kept, *(chunk(day, under(rows.format(day), head)) for day in ("2024", "2023"))) == {"2024"}


def test_a_total_under_the_heading_of_a_measure_states_a_cell_of_a_table_as_well():
    cell = replace(RESEARCH, subject="“Costs” in “Acme, Form 10-K”", subject_type="TABLE", relation="“Research”")
    head, row = "## {}\n\n|  | June 30, 2024 |\n|---|---|\n", "| {} | 31,370 |"
    texts = {
        "total": head.format("Research") + row.format("Total expenses"),
        "other": head.format("Sales") + row.format("Total expenses"),
        "part": head.format("Research") + row.format("Buildings"),
    }
    assert found(cell, *(chunk(name, text) for name, text in texts.items())) == {"total"}


def test_a_balance_of_two_digits_is_told_by_a_column_of_equity_and_a_movement_is_not():
    paid = replace(RESEARCH, relation="additional paid-in capital", value="94000000", answer="94")
    table = chunk("other", under("| Balance at June 30, 2024 | 94 |", "|  | Accumulated Additional Paid-In Capital |"))
    assert found(replace(paid, period_start="", period="June 30, 2024"), table) == {"other"}
    assert found(paid, table) == set()


def test_a_year_may_be_of_52_weeks():
    head = "|  | {} Weeks Ended June 30, 2024 |"
    year, quarter = (chunk(n, under("| Research and development | 31,370 |", head.format(n))) for n in ("52", "13"))
    assert found(RESEARCH, year, quarter) == {"52"}


def test_an_auditor_may_write_out_its_and():
    firm = replace(AUDITOR, answer="Young & Old LLP", object="Young & Old LLP")
    assert found(firm, chunk("other", "/s/ Young and Old LLP")) == {"other"}


IMPAIRED = replace(RESEARCH, relation="store and other asset impairment charges", answer="4.8", value="4800000")
YEAR_BEFORE = replace(
    IMPAIRED, triplet_id="t0", value="2700000", period="fiscal year 2023",
    period_start="2022-07-01", period_end="2023-06-30",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("|  | Fiscal 2024 | Fiscal 2023 |\n|---|---|---|\n| Asset impairments | 4.8 | 2.7 |", True),
        ("We recognized asset impairments of $4.8 million compared to $2.7 million in fiscal 2023.", True),
        ("|  | Fiscal 2024 | Fiscal 2023 |\n|---|---|---|\n| Asset impairments | 4.8 | 2.9 |", False),
        ("|  | Fiscal 2023 | Fiscal 2024 |\n|---|---|---|\n| Asset impairments | 4.8 | 2.7 |", False),
        ("|  | Fiscal 2024 | Fiscal 2023 |\n|---|---|---|\n| Deferred asset impairments | 4.8 | 2.7 |", False),
        ("|  | Fiscal 2024 | Fiscal 2023 |\n|---|---|---|\n| Interest | 4.8 | 2.7 |", False),
    ],
)
def test_two_years_of_a_measure_side_by_side_need_less_of_its_name(text: str, states: bool):
    chunks = {one.chunk_id: one for one in (chunk("home", HOME), chunk("other", text))}
    lists = Alternatives(chunks, {one.triplet_id: one for one in (IMPAIRED, YEAR_BEFORE)}).find([question(IMPAIRED)])
    assert ("other" in {name for names in lists.get("q1", ((), ()))[0] for name in names}) is states


@pytest.mark.parametrize(
    ("row", "states"),
    [
        ("| Provision for income taxes | $400 | 4.7% |", True),
        ("| Interest expense | $400 | 4.7% |", False),
    ],
)
def test_a_round_figure_is_told_by_its_own_name_in_its_own_unit(row: str, states: bool):
    tax = replace(RESEARCH, relation="provision for income taxes", answer="400", value="400000000")
    text = f"|  | 2024 | % of Earnings 2024 |\n|---|---|---|\n{row}"
    assert found(tax, chunk("other", text)) == ({"other"} if states else set())


@pytest.mark.parametrize(
    ("relation", "text", "states"),
    [
        ("lease liabilities", "| Lease liabilities – long-term (2) | 31,374 |", True),
        ("current lease liabilities", "| Lease liabilities – long-term (2) | 31,374 |", False),
        ("lease liabilities", "| Deferred lease liabilities | 31,374 |", False),
        ("lease liabilities", "| Acme Corporation | 31,374 |", True),
        ("lease liabilities", "| Other Corporation | 31,374 |", False),
        ("lease liabilities", "|  | 31,374 |", True),  # a total
        ("payments related to repurchases of common stock", "We repurchased 9 million shares for $31.4 billion.", True),
        ("credit losses", "|  | Expected Credit Losses |\n|---|---|\n| Year ended June 30, 2024 | 31,374 |", True),
        (
            "purchases of equipment, including construction in progress",
            "Purchases of equipment were $31.37 billion.",
            True,
        ),
        ("impairment losses", "In 2024 we recorded an impairment charge of $31.4 billion.", True),
        ("investment in listed equity securities", "Listed equity investments were $31.4 billion in 2024.", True),
        ("investment in listed equity securities", "Unlisted investments were $31.4 billion in 2024.", False),
    ],
)
def test_the_more_digits_agree_the_less_of_the_name_is_needed(relation: str, text: str, states: bool):
    one = replace(RESEARCH, relation=relation, answer="31,374", value="31374000000")
    assert found(one, chunk("other", text)) == ({"other"} if states else set())


def test_a_figure_of_five_digits_is_of_no_other_year():
    losses = replace(
        RESEARCH, relation="transaction losses", answer="177,670", value="177670000000",
        period="fiscal year 2022", period_start="2021-07-01", period_end="2022-06-30",
    )  # fmt: skip
    assert found(losses, chunk("other", "Transaction losses $ 187,991 $ 177,670 6 %")) == {"other"}
    assert not found(losses, chunk("other", "Loan losses on many a card $ 187,991 $ 177,670 6 %"))


def test_a_head_count_without_a_day_is_of_the_day_of_the_filing():
    staff = replace(
        RESEARCH, relation="employed", answer="312,000", value="312000", unit="", scale="", object_type="COUNT",
        period="June 30, 2024", period_start="", period_end="",
    )  # fmt: skip
    assert found(staff, chunk("other", "Acme employs approximately 312,000 people.")) == {"other"}
    assert not found(
        replace(staff, period="June 30, 2022"), chunk("other", "Acme employs approximately 312,000 people.")
    )


@pytest.mark.parametrize(
    ("text", "unclear"),
    [
        ("| Deferred research expenses | 31,374 |", True),  # another measure, or all of this one
        ("We devote $31.4 billion a year to research.", True),
        ("| Grants to laboratories | 31,374 |", True),
        ("|  | 2021 |\n|---|---|\n| Grants to laboratories | 31,374 |", False),
        ("Our tax payments were $31.4 billion in 2024.", False),
        ("Research grants to others rose to $31 billion in 2024.", True),  # a word of it, and its time
        ("Research grants to others rose to $31 billion in 2019.", False),
        ("Research and development expenses were $31,374 million in 2024.", False),  # states it: credited
    ],
)
def test_a_figure_that_may_be_stated_elsewhere_is_not_asked_for(text: str, unclear: bool):
    one = replace(RESEARCH, relation="research expenses", answer="31,370", value="31374000000")
    asked = question(one, text="How much did Acme Corporation spend on research in fiscal 2024?")
    chunks = {each.chunk_id: each for each in (chunk("home", HOME), chunk("other", text))}
    for whole_gold in (True, False):
        config = GatesConfig(gates=(), whole_gold=whole_gold, retrieved=0)
        (judged,) = judge([asked], config, chunks=chunks, triplets={one.triplet_id: one})
        assert judged.rejected_because == ("gold_unclear" if unclear and whole_gold else "")


@pytest.mark.parametrize(
    ("relation", "text", "unclear"),
    [
        ("is audited by", f"Young LLP sent a letter{', and another' * 15}. No audit was disputed.", True),
        ("is audited by", "Young LLP", False),  # credited by nothing, and says nothing
        ("is part of", "Acme Docs is what Media readers like.", True),
        ("is part of", "Media revenue rose.\nAcme Docs competes with many.", False),
    ],
)
def test_a_path_is_not_asked_where_a_passage_may_state_what_holds_between_names(
    relation: str, text: str, unclear: bool
):
    part = {"subject": "Acme Docs", "object": "Media", "answer": "Media"} if relation == "is part of" else {}
    link = replace(AUDITOR, triplet_id="t2", relation=relation, chunk_id="link", **part)
    chunks = {one.chunk_id: one for one in (chunk("home", HOME), chunk("link", "Our report"), chunk("other", text))}
    alternatives = Alternatives(chunks, {one.triplet_id: one for one in (link, RESEARCH)})
    assert alternatives.is_unclear(question(link, RESEARCH, pattern="chain")) == unclear
    assert not alternatives.is_unclear(question(link, pattern="single"))  # which is asked about one passage


@pytest.mark.parametrize(
    ("rows", "states"),
    [
        ("| Research and development | 31,500 | 29,400 |", True),  # another way to count, the same year
        ("| Research and development | 29,900 | 30,000 |", False),  # another year
        ("| Research and development | 31,500 | 3,000 |", False),  # another measure
        ("| Grants to laboratories | 31,500 | 29,400 |", False),
    ],
)
def test_a_year_is_singled_out_by_slightly_other_amounts_as_well(rows: str, states: bool):
    target = replace(EARNINGS, triplet_id="t2", chunk_id="target", subject_key="acme")
    clues = [replace(one, subject_key="acme", triplet_id=name) for one, name in ((RESEARCH, "t1"), (OLDER, "t3"))]
    table = chunk("other", f"|  | 2024 | 2023 |\n|---|---|---|\n{rows}")
    chunks = {one.chunk_id: one for one in (chunk("home", HOME), chunk("target", "EPS"), table)}
    facts = (clues[0], target, clues[1])
    lists = Alternatives(chunks, {one.triplet_id: one for one in facts}).find([question(*facts, pattern="chain")])
    assert ("other" in lists.get("q1", (((),), ()))[0][0]) == states


@pytest.mark.parametrize(
    ("rows", "states"),
    [
        ("| Net income | 31,000 | 29,000 |", True),
        ("| Net income attributable to Acme Corporation | 31,000 | 29,000 |", True),
        ("| Net income attributable to Acme Corporation | 29,000 | 31,000 |", False),  # another year
        ("| Net income per share | 31,000 | 29,000 |", False),
        ("| Operating income | 31,000 | 29,000 |", False),
    ],
)
@pytest.mark.parametrize("pattern", ["chain", "superlative"])
def test_the_best_year_for_net_income_is_the_same_with_other_owners_part_and_without(rows, states, pattern):
    clues = [
        replace(one, relation="net income from all operations", concept="us-gaap:ProfitLoss", triplet_id=name)
        for one, name in ((RESEARCH, "t1"), (OLDER, "t3"))
    ]
    target = replace(EARNINGS, triplet_id="t2", chunk_id="target")
    facts = (clues[0], target, clues[1]) if pattern == "chain" else (clues[1], clues[0])
    table = chunk("other", f"|  | 2024 | 2023 |\n|---|---|---|\n{rows}")
    chunks = {one.chunk_id: one for one in (chunk("home", HOME), chunk("target", "EPS"), table)}
    asked = question(*facts, pattern=pattern, arithmetic="largest [29,510 | 31,370] = 31370000000; not rounded; USD")
    lists = Alternatives(chunks, {one.triplet_id: one for one in facts}).find([asked])
    assert ("other" in lists.get("q1", (((),), ()))[0][0]) == states


def told(asked: Question, facts: tuple[Triplet, ...], *others: Chunk) -> set[str]:
    """Which of these passages are credited for a question at all."""
    chunks = {other.chunk_id: other for other in (chunk("home", HOME), *others)}
    lists, parts = Alternatives(chunks, {one.triplet_id: one for one in facts}).find([asked]).get("q1", ((), ()))
    return {name for names in (*lists, *parts) for name in names} - set(asked.chunk_ids)


def of_year(year: int, value: str, relation: str = "research and development expenses", **more: str) -> Triplet:
    return replace(
        RESEARCH, triplet_id=f"{relation}{year}{value}", value=value, relation=relation, subject_key="acme",
        period=f"fiscal year {year}", period_start=f"{year - 1}-07-01", period_end=f"{year}-06-30", **more,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("most", "states"),
    [
        ("2888000000", True),  # above 2,742 and 2,741 however rounded, though those two are rounded alike
        ("2861000000", True),
        ("2745000000", False),
    ],
)
def test_rounded_figures_single_out_a_year_where_they_keep_its_figure_apart(most: str, states: bool):
    cash = of_year(2023, "9581000000", "net cash from operating activities")
    facts = (of_year(2023, most), cash, of_year(2022, "2742000000"), of_year(2024, "2741000000"))
    text = f"Research and development (R&D) expenses were ${int(most) / 1e9:.1f} billion in 2023."
    assert told(question(*facts, pattern="chain"), facts, chunk("other", text)) == ({"other"} if states else set())


@pytest.mark.parametrize(
    ("pattern", "arithmetic", "text", "states"),
    [
        ("share", "share", "The Company repurchased 15.8 million shares of its stock for $3.9 billion in 2024.", True),
        ("share", "share", "Net cash from operating activities amounted to $9.6 billion in 2024.", False),
        ("comparison", "smallest share", "Net cash from operating activities amounted to $9.6 billion in 2024.", True),
    ],
)
def test_a_rounded_figure_gives_a_share_where_it_is_hardly_off_and_the_larger_share_where_that_stays(
    pattern: str, arithmetic: str, text: str, states: bool
):
    facts = (of_year(2024, "3896000000", "purchases of common stock"),
             of_year(2024, "9642000000", "net cash from operating activities"))  # fmt: skip
    if pattern == "comparison":
        facts += tuple(
            replace(fact, triplet_id=f"{at}", chunk_id="far", subject_key="zenith", value=value)
            for at, (fact, value) in enumerate(zip(facts, ("3383000000", "7346000000"), strict=True))
        )
    asked = question(*facts, pattern=pattern, arithmetic=f"{arithmetic} [1 | 2] = 40%")
    far = chunk("far", "Zenith", "Zenith Inc.", doc_id="d2")
    assert told(asked, facts, chunk("other", text), far) == ({"other"} if states else set())


@pytest.mark.parametrize(
    ("relation", "text", "states"),
    [
        (
            "purchases of common stock",
            "We paid $31 billion and $29 billion in 2024 and 2023, respectively, to repurchase our outstanding shares.",
            True,
        ),
        (
            "purchases of company common stock",
            "The company’s financing activities also included the repurchase of $31.4 billion of the company’s common "
            "stock (5.2 million shares) and the payment of $0.52 billion in cash dividends.",
            True,
        ),
        (
            "repurchases of common stock",
            "We returned a total of $31.4 billion to shareholders through the repurchase of 9.7 million shares of "
            "common stock under our stock repurchase program.",
            True,
        ),
        (
            "repurchases of common stock",
            "We returned a total of $31.4 billion to shareholders through dividends and the repurchase of 9.7 million "
            "shares of common stock.",
            False,
        ),
        (
            "treasury stock purchases",
            "The Company repurchased 11.1 million shares of its stock for $31 billion in 2024 and 15.8 million shares "
            "of its stock for $29 billion in 2023.",
            True,
        ),
        ("research and development expense", "We invested $31 billion in R&D, and had $11.5 billion in cash.", True),
        ("additions to property, plant and equipment", "We made capital investments of $31 billion.", True),
        ("purchase of property, plant and equipment", "| Consolidated capital expenditures | 31,370 |", True),
        ("purchases of property and equipment", "We spent $31 billion on capital expenditures in 2024.", True),
        (
            "purchases of property, plant and equipment",
            "During 2025, we invested $1.7 billion in property, plant and equipment, primarily within our aluminum "
            "and steel segments, compared with $31.37 billion invested during 2024.",
            True,
        ),
        ("purchases of equipment", "In 2025, we invested $1.7 billion in land, with $31.37 billion in 2024.", False),
        ("purchases of equipment", "We spent $31 billion on capital expenditures in our Pens segment.", False),
        ("purchases of property and equipment", "We spent $31 billion on capital expenditures and mergers.", False),
        ("purchases of property and equipment", "We spent $31 billion on land to save capital expenditures.", False),
        ("purchases of common stock", "We paid $31 billion to repurchase our preferred shares.", False),
        ("dividends paid", "We paid $31 billion in dividends and $9 billion in taxes.", True),
    ],
)  # fmt: skip
def test_spending_may_be_told_with_the_verb_before_the_figure(relation: str, text: str, states: bool):
    assert found(replace(RESEARCH, relation=relation), chunk("other", text)) == ({"other"} if states else set())


ALSO = "The company’s financing activities also included the repurchase of $31.4 billion of the company’s common stock."


@pytest.mark.parametrize(
    ("before", "year", "states"),
    [
        ("During 2024, issuance of notes provided $3.19 billion of cash. Repayment used $0.38 billion.", 2025, True),
        ("During 2023, issuance of notes provided $3.19 billion of cash. Repayment used $0.38 billion.", 2024, False),
        ("Financing used $2 billion. In 2023, we received $3 billion. Repayment used $0.38 billion.", 2024, True),
        ("Financing of 2023 used $2 billion. Repayment used $0.38 billion.", 2024, True),
        ("In 2023, we received $3 billion.\n\nRepayment used $0.38 billion.", 2024, True),
        ("Financing of 2024 used $2 billion. Repayment used $0.38 billion.", 2025, False),
    ],
)  # fmt: skip
def test_a_year_that_opens_a_paragraph_dates_what_follows_and_no_other_does(before: str, year: int, states: bool):
    shares = replace(RESEARCH, relation="purchases of company common stock")
    other = replace(chunk("other", f"{before} {ALSO}"), period_end=f"{year}-06-30")
    assert found(shares, other) == ({"other"} if states else set())


@pytest.mark.parametrize(
    ("relation", "text", "states"),
    [
        ("payment of dividends to stockholders", "| Cash dividends declared | 314 |", False),
        ("payment of dividends to stockholders", "| Cash dividends paid | 314 |", True),
        ("dividends paid", "Our Board of Directors declared dividends of $314 million.", False),
        ("dividends paid", "We declared and paid dividends of $314 million.", True),
        ("cash dividends declared", "| Cash dividends declared | 314 |", True),
        ("cash dividends declared", "| Dividends paid | 314 |", False),
    ],
)
def test_dividends_declared_are_not_dividends_paid(relation: str, text: str, states: bool):
    short = replace(RESEARCH, relation=relation, value="314000000", answer="314")
    assert found(short, chunk("other", text)) == ({"other"} if states else set())


def test_dividends_declared_of_the_same_amount_to_the_last_of_four_digits_were_paid():
    paid = replace(RESEARCH, relation="dividends paid", value="6688000000", answer="6,688")
    assert found(paid, chunk("other", "| Dividends declared ($0.83 per share) | 6,688 |")) == {"other"}


def test_dividends_of_a_share_are_those_declared():
    declared = replace(EARNINGS, relation="dividends declared per common share")
    assert found(declared, chunk("other", "| Dividends per common share | $6.11 |")) == {"other"}


def test_a_row_whose_heads_were_lost_is_of_the_measure_by_its_other_years():
    older = replace(
        OLDER, value="450000000", answer="450", subject="Acme Corporation Services", relation="cost of revenue"
    )
    newer = replace(older, triplet_id="t1", value="484000000", answer="484", period="fiscal year 2024",
                    period_start="2023-07-01", period_end="2024-06-30")  # fmt: skip
    text = "## Cost of Revenue\n\n|  | * | * | * |\n|---|---|---|---|\n| {} | {} | 450 | 4% |"
    same, other, lone = (chunk(name, text.format(name, amount), start=1900) for name, amount in
                         (("Services", "484"), ("Products", "484"), ("Services ", "483")))  # fmt: skip
    chunks = {one.chunk_id: one for one in (chunk("home", HOME), same, other, lone)}
    index = Alternatives(chunks, {"t0": older, "t1": newer})
    assert index.state(older) == index.state(newer) == {"home", "Services"}


SEAT = replace(AUDITOR, relation="is headquartered in", answer="Omaha, Nebraska", object="Omaha, Nebraska")


@pytest.mark.parametrize(
    ("relation", "text", "states"),
    [
        ("is based in", "(3) Our Store Support Center (corporate headquarters) is located in Omaha, NE.", True),
        ("is based in", "| Omaha, NE metro area, including corporate headquarters in Omaha | 1.9 |", True),
        ("is based in", "We lease certain offices, including our headquarters in Omaha, from others.", True),
        ("is headquartered in", "We lease certain offices, including our headquarters in Omaha, from others.", True),
        ("is headquartered in", "| Corporate headquarters | Omaha, Nebraska | Owned |", True),
        ("is headquartered in", "Our corporate headquarters are in the Omaha area.", False),
        ("is headquartered in", "Our corporate headquarters are located in Omaha County.", False),
        ("is headquartered in", "Our headquarters moved; we own a mill in Omaha.", False),
    ],
)
def test_a_seat_may_be_told_by_its_town(relation: str, text: str, states: bool):
    fact = SEAT if relation == SEAT.relation else replace(SEAT, triplet_id="t2", relation=relation, answer="Nebraska",
                                                          object="Nebraska")  # fmt: skip
    chunks = {one.chunk_id: one for one in (chunk("home", HOME), chunk("other", text, start=1900))}
    index = Alternatives(chunks, {"t1": SEAT, fact.triplet_id: fact})
    assert ("other" in index.state(fact)) is states


@pytest.mark.parametrize(
    ("relation", "sentence"),
    [
        ("was invented by", "High inventory of tanks was sold."),
        ("has primary fuel maker", "Primary schools have tanks."),
    ],
)
def test_a_word_that_looks_like_the_relation_states_nothing(relation: str, sentence: str):
    told = replace(AUDITOR, subject="Acme Corporation", relation=relation, object="tanks", answer="tanks")
    assert found(told, chunk("far", sentence, doc_id="d2")) == set()


def test_the_time_of_a_meeting_is_that_of_its_minutes():
    sentence = "The board kept the dividend unchanged for the tanks."
    told = replace(AUDITOR, relation="kept", object="tanks", answer="tanks", source_sentence=sentence)
    later = replace(chunk("far", sentence, doc_id="d2"), period_end="2024-09-30")
    chunks = {"home": chunk("home", HOME), "far": later}
    alternatives = Alternatives(chunks, {told.triplet_id: told})
    asked = question(told, text="What did the board keep at its June 2024 meeting?")
    assert not alternatives.find([asked]) and alternatives.find([replace(asked, text="What did the board keep?")])
