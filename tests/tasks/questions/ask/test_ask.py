"""Questions of the four patterns over a small corpus of three companies."""

import re
from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Chunk, Document, Fact, Path, Place, Triplet, row_id
from rarefy.tasks.questions.ask import AskConfig, ask
from rarefy.tasks.questions.ask.index import object_of
from rarefy.tasks.questions.ask.patterns import ask_for_sharer, with_trait

COMPANIES = {
    # auditor, state, exchange
    "Alpha Inc.": ("Deloitte & Touche LLP", "Delaware", "Nasdaq"),
    "Beta Corp.": ("Deloitte & Touche LLP", "Ohio", "Nasdaq"),
    "Gamma Ltd.": ("KPMG LLP", "Delaware", "New York Stock Exchange"),
    "Delta Co.": ("Deloitte & Touche LLP", "Texas", "New York Stock Exchange"),
}
CITIES = {"Alpha Inc.": "Akron", "Beta Corp.": "Boise", "Gamma Ltd.": "Gary", "Delta Co.": "Dallas"}


def thing(chunk, subject, relation, thing, kind="GPE", subject_type="ORG", entity="", **fields):
    said = fields.get("answer", thing)
    line = next(line for line in chunk.text.splitlines() if said in line)
    start = chunk.text.index(line)
    values = {"answer": thing, **fields}
    return Triplet(
        row_id(chunk.chunk_id, subject, relation, thing), chunk.chunk_id, chunk.doc_id, start, start + len(line),
        subject, relation, thing, line, values.pop("method", "cover"), subject_type, kind, entity=entity or subject,
        domain="finance", **values,
    )  # fmt: skip


@pytest.fixture(scope="module")
def corpus():
    documents, chunks, triplets = {}, {}, {}
    for name, (auditor, place, exchange) in COMPANIES.items():
        cover = f"{name}\nof {place}\nin {CITIES[name]}\non {exchange}\nChief Financial Officer: CFO of {name}"
        audit = f"To the shareholders of {name}\n{auditor}"
        books = "| Total revenue | $1,234 |"
        own = []
        for at, text in enumerate((cover, audit, books)):
            chunk = Chunk(f"{name}-{at}", name, 0, len(text), "text", "", text, 1)
            chunks[chunk.chunk_id] = chunk
            own.append(chunk)
        documents[name] = Document(
            name, "h", name, name, "text/plain", "", entity=name, form="10-K", period_end="2024-12-31"
        )
        officer = f"CFO of {name}"
        for made in (
            thing(own[0], name, "is incorporated in", place),
            thing(own[0], name, "is headquartered in", CITIES[name]),
            thing(own[0], name, "is listed on", exchange, "EXCHANGE"),
            thing(own[1], name, "is audited by", auditor, "ORG"),
            thing(own[0], officer, "chief financial officer of", name, "ORG", "PERSON", name, method="table",
                  answer=officer, period="fiscal year 2024"),
            thing(own[2], name, "total revenue", "$1,234", "MONEY", value="1234000000", unit="USD", scale="millions",
                  period="fiscal year 2024", period_start="2024-01-01", period_end="2024-12-31", method="table"),
        ):  # fmt: skip
            triplets[made.triplet_id] = made
    return documents, chunks, triplets


def put(corpus, pattern, *wanted):
    documents, chunks, triplets = corpus
    picked = [next(t for t in triplets.values() if (t.subject, t.relation) == want) for want in wanted]
    path = Path(row_id(*map(str, wanted)), pattern, tuple(t.triplet_id for t in picked), (), "pivot", "finance")
    (question,) = ask([path], AskConfig(), triplets=triplets, chunks=chunks, documents=documents)
    for words, span in zip(question.evidence, question.evidence_spans, strict=True):
        assert chunks[span.chunk_id].text[span.start : span.end] == words
    if not question.rejected_because:
        assert any(question.answer in words for words in question.evidence)
    return question


def test_rules_ask_of_english_passages_alone(corpus):
    documents, chunks, triplets = corpus
    french = {name: replace(chunk, language="fr") for name, chunk in chunks.items()}
    question = put((documents, french, triplets), "single", ("Alpha Inc.", "total revenue"))
    assert (question.language, question.rejected_because) == ("fr", "not_english")


def test_single(corpus):
    question = put(corpus, "single", ("Alpha Inc.", "total revenue"))
    assert question.text == "In fiscal 2024, what was Alpha's total revenue?"
    assert (question.answer, question.valid_from, question.period) == ("$1,234", "2024-12-31", "fiscal year 2024")


@pytest.mark.parametrize(
    ("fact", "text"),
    [
        (("Alpha Inc.", "is incorporated in"), "In which state is Alpha incorporated?"),
        (("Alpha Inc.", "is audited by"), "Which accounting firm audits Alpha?"),
        (
            ("CFO of Alpha Inc.", "chief financial officer of"),
            "Who was Alpha's chief financial officer as of its annual report for fiscal 2024?",
        ),
    ],
)
def test_single_facts_of_the_cover(corpus, fact, text):
    assert put(corpus, "single", fact).text == text


def test_what_anybody_knows_of_a_company_is_not_asked(corpus):
    assert put(corpus, "single", ("Alpha Inc.", "is headquartered in")).rejected_because == "common_knowledge"


def test_what_its_sentence_does_not_name_is_not_asked_for(corpus):
    documents, chunks, triplets = corpus
    known = next(t for t in triplets.values() if (t.subject, t.relation) == ("Alpha Inc.", "is audited by"))
    unsaid = {**triplets, known.triplet_id: replace(known, answer="")}  # "our subsidiary": whose, it does not say
    question = put((documents, chunks, unsaid), "single", ("Alpha Inc.", "is audited by"))
    assert (question.answer, question.rejected_because) == ("", "answer_not_named")
    assert question.text.startswith("Which accounting firm")


@pytest.mark.parametrize("value", ["1" * 30, "1" * 30 + ".5", "0." + "0" * 12 + "1", "-" + "9" * 40])
@pytest.mark.parametrize(
    ("unit", "relation"),
    [("USD", "growth in sales"), ("USD/shares", "return per share"), ("shares", "growth of shares")],
)
def test_an_amount_that_nobody_writes_in_other_words_is_asked_for_all_the_same(corpus, value, unit, relation):
    documents, chunks, triplets = corpus
    known = next(t for t in triplets.values() if (t.subject, t.relation) == ("Alpha Inc.", "total revenue"))
    large = {**triplets, known.triplet_id: replace(known, value=value, unit=unit, relation=relation)}
    question = put((documents, chunks, large), "single", ("Alpha Inc.", relation))
    assert (question.answer, question.aliases, question.rejected_because) == ("$1,234", (), "")


def test_two_companies_with_one_short_name_keep_the_long_one(corpus):
    documents, chunks, triplets = corpus
    twin = replace(documents["Alpha Inc."], doc_id="twin", entity="Alpha Corp.")
    text = put(({**documents, "twin": twin}, chunks, triplets), "single", ("Alpha Inc.", "is audited by")).text
    assert text == "Which accounting firm audits Alpha Inc.?"


def test_a_figure_whose_direction_is_unclear_is_refused_with_that_reason(corpus):
    documents, chunks, triplets = corpus
    known = next(t for t in triplets.values() if (t.subject, t.relation) == ("Alpha Inc.", "total revenue"))
    changed = {**triplets, known.triplet_id: replace(known, relation="change in inventories")}
    question = put((documents, chunks, changed), "single", ("Alpha Inc.", "change in inventories"))
    assert (question.text, question.rejected_because) == ("", "direction_unclear")


def test_star_describes_the_head_by_what_only_it_has(corpus):
    clues = (("Beta Corp.", "is incorporated in"), ("Beta Corp.", "is listed on"))
    question = put(corpus, "star", *clues, ("Beta Corp.", "total revenue"))
    assert set(question.chunk_ids) == {"Beta Corp.-0", "Beta Corp.-2"}


def test_star_by_a_filers_head_office_alone_is_refused(corpus):
    question = put(corpus, "star", ("Alpha Inc.", "is headquartered in"), ("Alpha Inc.", "total revenue"))
    assert question.rejected_because == "filer_would_be_named"


def test_star_with_a_clue_that_several_share_is_refused(corpus):
    question = put(corpus, "star", ("Alpha Inc.", "is incorporated in"), ("Alpha Inc.", "total revenue"))
    assert (question.text, question.rejected_because) == ("", "pivot_not_unique")


def test_star_with_clues_that_only_together_single_it_out(corpus):
    question = put(
        corpus,
        "star",
        ("Beta Corp.", "is incorporated in"),
        ("Beta Corp.", "is listed on"),
        ("Beta Corp.", "total revenue"),
    )
    assert "the company incorporated in Ohio and listed on Nasdaq" in question.text


def test_chain_goes_through_the_company_without_naming_it(corpus):
    question = put(
        corpus, "chain", ("CFO of Alpha Inc.", "chief financial officer of"), ("Alpha Inc.", "total revenue")
    )
    assert "the company whose finance chief was CFO of Alpha Inc. " in question.text
    assert question.answer == "$1,234"


def test_inverted_star_of_a_pair_that_alone_shares_needs_no_trait(corpus):
    question = put(corpus, "inverted_star", ("Alpha Inc.", "is incorporated in"), ("Gamma Ltd.", "is incorporated in"))
    assert question.text == "Which other company is incorporated in the same state as Gamma?"
    assert question.answer == "Alpha Inc."
    assert "Alpha" in question.aliases


def test_inverted_star_of_more_is_narrowed_by_a_trait_whose_evidence_comes_along(corpus):
    question = put(corpus, "inverted_star", ("Alpha Inc.", "is audited by"), ("Delta Co.", "is audited by"))
    assert question.text == "Which company incorporated in Delaware shares its auditor with Delta?"
    assert len(question.triplet_ids) == 3


def test_a_trait_that_another_of_them_may_have_unread_narrows_nothing(corpus):
    documents, chunks, triplets = corpus
    unread = next(key for key, t in triplets.items() if (t.subject, t.relation) == ("Beta Corp.", "is incorporated in"))
    said = {**documents, "Beta Corp.": replace(documents["Beta Corp."], text="State of incorporation – Delaware")}
    rest = {key: t for key, t in triplets.items() if key != unread}
    pair = (("Alpha Inc.", "is audited by"), ("Delta Co.", "is audited by"))
    assert "in Delaware" not in put((said, chunks, rest), "inverted_star", *pair).text


def test_inverted_star_with_all_but_one_named(corpus):
    question = put(
        corpus, "inverted_star", *((name, "is audited by") for name in ("Alpha Inc.", "Beta Corp.", "Delta Co."))
    )
    assert question.text == "Which other company does the auditor of Beta and Delta also audit?"
    assert question.answer == "Alpha Inc."


def test_inverted_star_of_unlike_relations_is_refused(corpus):
    question = put(corpus, "inverted_star", ("Alpha Inc.", "is incorporated in"), ("Gamma Ltd.", "is audited by"))
    assert question.rejected_because == "heads_share_no_meaning"


def test_evidence_says_where_its_source_shows_it(corpus):
    documents, chunks, triplets = corpus
    revenue = next(t for t in triplets.values() if (t.subject, t.relation) == ("Alpha Inc.", "total revenue"))
    chunk = chunks[revenue.chunk_id]
    placed = replace(documents["Alpha Inc."], places=(Place(0, len(chunk.text), "Books!A7:B7"),))
    made = put(
        (
            {**documents, "Alpha Inc.": placed},
            {**chunks, chunk.chunk_id: replace(chunk, place="Books!A7:B7")},
            {**triplets, revenue.triplet_id: replace(revenue, place="Books!B7")},
        ),
        "single",
        ("Alpha Inc.", "total revenue"),
    )
    assert made.evidence[0] == "| Total revenue | $1,234 |"
    assert made.evidence_places[0] == "Books!B7"
    assert len(made.evidence_places) == len(made.evidence)
    assert put(corpus, "single", ("Alpha Inc.", "total revenue")).evidence_places == ()


def segments(tags=(100, 200, 300), shown=(100, 200, 300), parts=("North", "South", "West")):
    """A company whose segments' sales stand in one chunk and their assets in another."""
    triplets, chunks, facts = {}, {}, []
    for measure, concept, factor in (("sales", "Sales", 1), ("assets", "Assets", 7)):
        text = "\n".join(f"| {part} | {value * factor} |" for part, value in zip(parts, shown, strict=False))
        chunk = Chunk(measure, "d", 1000 * factor, 1000 * factor + len(text), "table", "", text, 1)
        chunks[measure] = chunk
        for part, value in zip(parts, shown, strict=False):
            made = thing(
                chunk, f"Acme Inc. {part}", measure, str(value * factor), "MONEY", "SEGMENT", "Acme Inc.",
                method="table", value=str(value * factor), unit="USD", concept=concept, period="fiscal year 2024",
                period_start="2024-01-01", period_end="2024-12-31",
            )  # fmt: skip
            triplets[part, measure] = made
        facts += [
            Fact(0, 1, concept, str(value * factor), "USD", "2024-01-01", "2024-12-31", (f"Segments=acme:{n}",))
            for n, value in enumerate(tags)
        ]
    document = Document("d", "h", "d", "d", "text/plain", "", entity="Acme Inc.", facts=tuple(facts))
    return {"d": document}, chunks, triplets


def put_segment(part, corpus):
    documents, chunks, triplets = corpus
    facts = (triplets[part, "sales"].triplet_id, triplets[part, "assets"].triplet_id)
    rows = {t.triplet_id: t for t in triplets.values()}
    path = Path("p", "star", facts, (), "pivot", "finance")
    return next(iter(ask([path], AskConfig(), triplets=rows, chunks=chunks, documents=documents)))


def test_a_segment_is_described_by_its_rank_and_its_siblings_rows_are_evidence():
    question = put_segment("West", segments())
    assert re.search("Acme('s largest segment by sales| segment with the highest sales)", question.text)
    assert "assets" in question.text and "West" not in question.text
    assert question.text.count("2024") == 1, "a time that both figures share is said once"
    assert (question.answer, len(question.triplet_ids)) == ("2100", 4)
    assert {"| North | 100 |", "| South | 200 |"} <= set(question.evidence)
    assert "with the lowest sales" in put_segment("North", segments()).text


def test_a_rank_beside_a_balance_says_of_which_year_it_is():
    documents, chunks, triplets = segments()
    held = {
        key: replace(t, period_start="", period="December 31, 2024") if key[1] == "assets" else t
        for key, t in triplets.items()
    }
    document = replace(documents["d"], period_end="2024-12-31", fiscal_year=2024)
    text = put_segment("West", ({"d": document}, chunks, held)).text
    assert "sales that year" in text and text.count("2024") == 1
    later = {
        key: replace(t, period_end="2025-01-31", period="January 31, 2025") if not t.period_start else t
        for key, t in held.items()
    }
    document = replace(documents["d"], period_end="2025-01-31", fiscal_year=2024)
    text = put_segment("West", ({"d": document}, chunks, later)).text
    assert re.search("sales in fiscal (year )?2024", text), "a day of 2025 is of no sales' year"


def test_a_rank_that_the_tags_of_a_part_not_read_do_not_bear_out_describes_nothing():
    assert put_segment("West", segments(tags=(100, 200, 300, 900))).rejected_because == "clue_not_plain"


def test_a_part_whose_name_was_not_read_may_stand_in_the_same_row():
    documents, chunks, triplets = segments(tags=(100, 200, 300, 50))
    triplets = {
        key: replace(t, source_sentence=f"{t.source_sentence} 50 |") if key[1] == "sales" else t
        for key, t in triplets.items()
    }
    assert "sales" in put_segment("West", (documents, chunks, triplets)).text
    assert put_segment("North", (documents, chunks, triplets)).rejected_because == "clue_not_plain", "second-lowest"


def test_the_second_of_four_has_a_rank_and_the_second_of_three_has_none():
    four = {"tags": (100, 200, 300, 400), "shown": (100, 200, 300, 400), "parts": ("North", "South", "West", "East")}
    assert re.search("second-highest sales|second-largest segment by", put_segment("West", segments(**four)).text)
    assert put_segment("South", segments(**four)).rejected_because == "clue_not_plain", "nobody asks for the third"
    assert put_segment("South", segments()).rejected_because == "clue_not_plain"


def test_of_two_that_one_table_sets_side_by_side_none_is_the_larger():
    pair = {"tags": (100, 200), "shown": (100, 200), "parts": ("North", "South")}
    assert put_segment("South", segments(**pair)).rejected_because == "clue_not_plain"


def test_parts_that_are_not_all_that_the_document_tags_have_no_rank():
    documents, *found = segments()
    one = documents["d"].facts[-1]
    more = Fact(0, 1, "Sales", "900", one.unit, one.period_start, one.period_end, ("Items=x:All", "Segments=acme:9"))
    whole = {"d": replace(documents["d"], facts=(*documents["d"].facts, more))}
    assert put_segment("West", (whole, *found)).rejected_because == "clue_not_plain"


def test_a_figure_that_two_segments_share_describes_neither():
    assert put_segment("West", segments((100, 300, 300), (100, 300, 300))).rejected_because == "clue_not_plain"


def test_facts_whose_rows_one_chunk_holds_are_no_two_hops():
    documents, chunks, triplets = segments()
    both = chunks["sales"].text + "\n" + chunks["assets"].text
    whole = replace(chunks["sales"], text=both, end=1000 + len(both))
    overlapping = replace(chunks["assets"], start=1000 + len(chunks["sales"].text) + 1)
    chunks |= {"sales": whole, "assets": replace(overlapping, end=whole.end)}
    assert put_segment("West", (documents, chunks, triplets)).rejected_because == "facts_share_a_chunk"


def test_what_another_filer_says_in_prose_is_not_taken_for_no(corpus):
    documents, chunks, triplets = corpus
    arms = (("Gamma Ltd.", "is listed on"), ("Delta Co.", "is listed on"))
    assert put(corpus, "inverted_star", *arms).text
    said = replace(documents["Alpha Inc."], text="Our capital stock trades on the\nNew York Stock Exchange as well.")
    question = put(({**documents, said.doc_id: said}, chunks, triplets), "inverted_star", *arms)
    assert question.rejected_because == "others_not_ruled_out"


def test_one_that_is_listed_on_two_exchanges_shares_none_with_others_by_name(corpus):
    documents, chunks, triplets = corpus
    arms = (("Gamma Ltd.", "is listed on"), ("Delta Co.", "is listed on"))
    given = next(name for name, _ in arms if name.split()[0] in put(corpus, "inverted_star", *arms).text)
    own = next(t for t in triplets.values() if (t.subject, t.relation) == (given, "is listed on"))
    second = replace(own, triplet_id="second", object="Nasdaq", answer="Nasdaq", object_key="nasdaq")
    question = put((documents, chunks, {**triplets, "second": second}), "inverted_star", *arms)
    assert f"as {given.split()[0]}" not in question.text and f"Besides {given.split()[0]}" not in question.text


def test_a_passage_that_only_spells_the_name_is_no_evidence_of_it(corpus):
    documents, chunks, triplets = corpus
    arms = (("Alpha Inc.", "is incorporated in"), ("Gamma Ltd.", "is incorporated in"))
    nameless = {
        name: replace(chunk, text=chunk.text.replace(chunk.doc_id, "X" * len(chunk.doc_id)))
        if name.endswith("-0")
        else chunk
        for name, chunk in chunks.items()
    }
    moved = {
        name: replace(t, source_sentence=t.source_sentence.replace(t.entity, "X" * len(t.entity)))
        for name, t in triplets.items()
    }
    assert put((documents, nameless, moved), "inverted_star", *arms).rejected_because == "answer_not_named"


def bought(**periods):
    """Companies that Alpha bought: each in a sentence and a chunk of its own."""
    rows, chunks = {}, {}
    for name, period in periods.items():
        text = f"In {period}, we acquired {name} Inc. for cash."
        chunk = Chunk(name, "Alpha Inc.", 0, len(text), "text", "", text, 1)
        chunks[name] = chunk
        rows[name] = thing(
            chunk, f"{name} Inc.", "was acquired by", "Alpha Inc.", "ORG", "ORG", "Alpha Inc.",
            answer=f"{name} Inc.", method="prose", period=period,
        )  # fmt: skip
    document = Document(
        "Alpha Inc.", "h", "a", "a", "text/plain", "", entity="Alpha Inc.", fiscal_year=2024,
        period_start="2024-01-01", period_end="2024-12-31",
    )  # fmt: skip
    return document, chunks, rows


def put_purchases(document, chunks, rows, first="Zorp", second="Quux"):
    path = Path("p", "inverted_star", (rows[first].triplet_id, rows[second].triplet_id), (), "Alpha Inc.")
    triplets = {row.triplet_id: row for row in rows.values()}
    return next(iter(ask([path], AskConfig(), triplets=triplets, chunks=chunks, documents={"Alpha Inc.": document})))


def with_rival(document, chunks, rows):
    """Somebody else bought something on the first one's day, too."""
    other = replace(next(iter(rows.values())), triplet_id="rival", subject="Wump", subject_key="wump", object="Beta")
    return document, chunks, {**rows, "rival": replace(other, object_key="beta")}


def test_a_month_in_which_nobody_else_bought_anything_tells_the_answer_without_the_buyer():
    assert put_purchases(*bought(Zorp="May 3, 2024", Quux="2023")).rejected_because == "answer_not_unique"


def test_what_else_a_buyer_bought_is_asked_for_by_its_month():
    question = put_purchases(*with_rival(*bought(Zorp="May 3, 2024", Quux="2023", Blub="fiscal year 2022")))
    assert question.text in {
        "Which company did the acquirer of Quux buy in May 2024?",
        "Which company was acquired in May 2024 by the company that also bought Quux?",
        "Which company did the owner of Quux acquire in May 2024?",
    }
    assert (question.answer, question.chunk_ids) == ("Zorp Inc.", ("Zorp", "Quux"))


@pytest.mark.parametrize("third", ["May 2024", "2024", "fiscal year 2024", "some time ago"])
def test_two_purchases_that_may_be_of_one_month_are_not_told_apart_by_it(third):
    question = put_purchases(*bought(Zorp="May 3, 2024", Quux="2023", Blub=third))
    assert question.rejected_because == "answer_not_unique"


def test_a_purchase_that_was_not_read_as_a_fact_counts_all_the_same():
    document, *found = with_rival(*bought(Zorp="May 3, 2024", Quux="2023"))
    assert put_purchases(document, *found).text
    told = replace(document, text="On May 20, 2024, we completed the acquisition of a maker of wheels.")
    assert put_purchases(told, *found).rejected_because == "answer_not_unique"


def test_a_name_that_goes_on_behind_its_fact_is_not_asked_for():
    document, chunks, rows = bought(Zorp="May 3, 2024", Quux="2023")
    cut = {**rows, "Zorp": replace(rows["Zorp"], subject="Zorp", source_sentence="we acquired Zorp and Sons Inc.")}
    assert put_purchases(document, chunks, cut).rejected_because == "answer_not_unique"


@pytest.mark.parametrize(
    ("method", "described"),
    [("prose", {"that includes Tide"}), ("table", {"that includes Tide", "that sells Tide", "behind Tide"})],
)
def test_a_segment_is_described_by_what_belongs_to_it(method, described):
    documents, chunks, triplets = segments()
    text = "Our North segment includes Tide."
    chunks["brands"] = Chunk("brands", "d", 0, len(text), "text", "", text, 1)
    brand = thing(chunks["brands"], "Tide", "is part of", "Acme Inc. North", "SEGMENT", "PRODUCT", "Acme Inc.",
                  answer="North", method=method)  # fmt: skip
    rows = {t.triplet_id: t for t in (brand, *triplets.values())}
    path = Path("p", "chain", (brand.triplet_id, triplets["North", "sales"].triplet_id), (), "Acme Inc. North")
    (question,) = ask([path], AskConfig(), triplets=rows, chunks=chunks, documents=documents)
    assert any(f" the Acme segment {words}" in question.text for words in described)
    assert question.answer == "100"


def test_a_name_that_the_cover_prints_in_capitals_answers_as_it_is_printed(corpus):
    documents, chunks, triplets = corpus
    arms = (("Alpha Inc.", "is incorporated in"), ("Gamma Ltd.", "is incorporated in"))
    loud = {
        name: replace(chunk, text=chunk.text.replace(chunk.doc_id, chunk.doc_id.upper()))
        for name, chunk in chunks.items()
    }
    rows = {
        name: replace(t, source_sentence=t.source_sentence.replace(t.entity, t.entity.upper()))
        for name, t in triplets.items()
    }
    question = put((documents, loud, rows), "inverted_star", *arms)
    assert (question.answer, "Alpha Inc." in question.aliases) == ("ALPHA INC.", True)


def test_a_company_that_has_the_trait_itself_is_told_from_the_other_one(corpus):
    documents, chunks, triplets = corpus
    rows = {
        name: replace(t, object="Nasdaq") if (t.subject, t.relation) == ("Gamma Ltd.", "is listed on") else t
        for name, t in triplets.items()
        if (t.subject, t.relation) != ("Alpha Inc.", "is incorporated in")
    }
    arms = (("Alpha Inc.", "is audited by"), ("Beta Corp.", "is audited by"))
    question = put((documents, chunks, rows), "inverted_star", *arms)
    assert question.text == "Besides Beta, which Nasdaq-listed company has the same auditor?"


def test_firms_of_one_network_are_one_auditor(corpus):
    audited = next(one for one in corpus[2].values() if one.relation == "is audited by")
    firms = ("Young & Old LLP", "YOUNG & OLD LLP", "Young & Old SA", "Younger LLP")
    ends = [object_of(replace(audited, object=firm, object_key=f"ORG:{firm}")) for firm in firms]
    assert ends[0] == ends[1] == ends[2] != ends[3]


def test_besides_is_said_only_of_one_that_shares_the_trait(corpus):
    audited = next(one for one in corpus[2].values() if one.relation == "is audited by")
    for company, said in (("other company", True), ("Ohio-based company", False)):
        texts = [ask_for_sharer(audited, company, f"Acme {number}") for number in range(40)]
        assert any(text.startswith("Besides") for text in texts) == said


@pytest.mark.parametrize(
    ("relation", "thing", "said"),
    [
        ("is based in", "Ohio", "Ohio-based company"),
        ("is listed on", "New York Stock Exchange", "NYSE-listed company"),
        ("is audited by", "KPMG LLP", "company audited by KPMG"),
    ],
)
def test_a_trait_stands_before_its_company_where_people_put_it_there(corpus, relation, thing, said):
    trait = replace(next(iter(corpus[2].values())), relation=relation, object=thing)
    assert with_trait("company", trait) == said
