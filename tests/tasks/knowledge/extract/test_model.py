"""What a model says becomes triplets that the text proves; the rest is told with its reason."""

import json
from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Chunk, Document, Reply, Triplet, Unanswered
from rarefy.tasks.knowledge.extract import ExtractConfig, extract
from rarefy.tasks.knowledge.extract.model import SCHEMA, ModelExtractConfig, build_requests, count_yields

TEXTS = (
    "Item 1. Business\n\nOur Drives segment makes motors in Port Ennis. It sells them mainly to Otis Elevator Company.",
    "In March 2023, we acquired Tessera Optics, LLC, which makes lenses. The Company does not own Halden Works.",
    "Net sales by segment (in millions):\n\n| Year ended December 31, | 2024 | 2023 |\n| --- | --- | --- |\n"
    "| Drives segment | $41.7 | $40.2 |\n| Lenses segment | 12.5 | 11.0 |",
    "During 2024, Tessera Optics, LLC opened a factory in Lyon, France. Otis Elevator Company is our largest customer.",
    "Nothing more is said here.",
    "The Drives segment had 1,250 employees as of December 31, 2024.",
)
DOCUMENT = Document(
    "d", "h", "s", "Acme 10-K", "text/html", "\n\n".join(TEXTS), entity="Acme Inc.", domain="finance", form="10-K",
    fiscal_year=2024, period_end="2024-12-31",
)  # fmt: skip

HALVES = ExtractConfig(methods=("model",), model=ModelExtractConfig(window=3))  # of TEXTS: three chunks and three


def chunks(texts=TEXTS, doc_id="d"):
    at, made = 0, []
    for i, text in enumerate(texts):
        made.append(Chunk(f"{doc_id}{i}", doc_id, at, at + len(text), "text", "", text, 50, domain="finance"))
        at += len(text) + 2
    return made


def said(subject, relation, thing, chunk_id, sentence):
    return {
        "subject": subject, "relation": relation, "object": thing, "chunk_id": chunk_id, "source_sentence": sentence,
    }  # fmt: skip


ACQUIRED = said(
    "we", "acquired", "Tessera Optics, LLC", "c2", "In March 2023, we acquired Tessera Optics, LLC, which makes lenses."
)
OPENED = said(
    "Tessera Optics, LLC", "opened factory in", "Lyon, France", "c4",
    "During 2024, Tessera Optics, LLC opened a factory in Lyon, France.",
)  # fmt: skip


def answering(*replies):
    """A model whose n-th reply holds these triplets, or is as given."""

    def llm(asked):
        for request, reply in zip(asked, replies, strict=False):
            whole = reply if isinstance(reply, Reply) else Reply("", "…", json.dumps({"triplets": reply}))
            yield replace(whole, request_id=request.request_id)

    return llm


def taken(*claims, texts=TEXTS, document=DOCUMENT, **config):
    settings = ExtractConfig(methods=("model",), model=ModelExtractConfig(**config))
    llm = answering(list(claims), [])
    return list(extract(chunks(texts), settings, documents={"d": document}, llm=llm))


def test_a_claim_becomes_a_triplet_with_the_span_that_proves_it():
    (row,) = taken(ACQUIRED)
    assert (row.subject, row.relation, row.object, row.rejected_because) == (
        "Acme Inc.",
        "acquired",
        "Tessera Optics, LLC",
        "",
    )
    assert (row.chunk_id, row.method, row.domain, row.entity) == ("d1", "model", "finance", "Acme Inc.")
    assert TEXTS[1][row.start : row.end] == row.source_sentence == ACQUIRED["source_sentence"]
    assert (row.answer, row.subject_type, row.object_type) == ("Tessera Optics, LLC", "ORG", "ORG")


def test_a_row_of_a_table_comes_with_header_value_unit_and_period():
    quote = "| Year ended December 31, | 2024 | 2023 |\n| Lenses segment | 12.5 | 11.0 |"
    (row,) = taken(said("Acme Lenses segment", "had net sales of", "$12.5 million", "c3", quote))
    assert row.source_sentence == "| Lenses segment | 12.5 | 11.0 |"
    assert row.header == "| Year ended December 31, | 2024 | 2023 |" == TEXTS[2][row.header_start : row.header_end]
    assert (row.answer, row.value, row.unit, row.scale) == ("12.5", "12500000", "USD", "millions")
    assert (row.period, row.period_end, row.object_type) == ("fiscal year 2024", "2024-12-31", "MONEY")


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        (ACQUIRED | {"chunk_id": "c9"}, "unknown_chunk"),
        (ACQUIRED | {"chunk_id": ""}, "unknown_chunk"),
        (ACQUIRED | {"chunk_id": "c1"}, "sentence_in_another_chunk"),
        (ACQUIRED | {"source_sentence": "In May 2023, we acquired Tessera Optics, LLC."}, "sentence_not_in_chunk"),
        (ACQUIRED | {"source_sentence": ""}, "empty_part"),
        (ACQUIRED | {"object": " "}, "empty_part"),
        (ACQUIRED | {"subject": "it"}, "unresolved_reference"),
        (ACQUIRED | {"object": "this company"}, "unresolved_reference"),
        (ACQUIRED | {"subject": "net sales"}, "subject_not_specific"),
        (ACQUIRED | {"subject": "the increase"}, "subject_not_specific"),
        (ACQUIRED | {"subject": "Tessera Optics, LLC"}, "subject_is_object"),
        (ACQUIRED | {"relation": "acquired in 2023"}, "relation_with_a_date"),
        (ACQUIRED | {"relation": "acquired from Halden"}, "relation_with_a_name"),
        (ACQUIRED | {"relation": "did in the end agree to acquire"}, "relation_too_long"),
        (ACQUIRED | {"object": "Halden Works"}, "object_not_in_sentence"),
        (ACQUIRED | {"subject": "Otis Elevator Company"}, "subject_not_in_sentence"),
        (
            said("Acme Inc.", "owns", "Halden Works", "c2", "The Company does not own Halden Works."),
            "negation_lost",
        ),
        (
            said(
                "Acme Drives segment", "had net sales of", "$41.8 million", "c3", "| Drives segment | $41.7 | $40.2 |"
            ),
            "object_not_in_sentence",
        ),
        (
            said("Larkfield Robotics", "acquired", "Tessera Optics", "c2", ACQUIRED["source_sentence"]),
            "copied_example",
        ),
    ],
)
def test_a_claim_that_its_words_do_not_bear_is_turned_down_with_the_reason(claim, reason):
    (row,) = taken(claim)
    assert row.rejected_because == reason
    assert row.chunk_id in {f"d{i}" for i in range(6)}


def test_a_row_must_measure_what_the_relation_says():
    table = (
        "Operations (in millions):\n\n|  | 2024 |\n| --- | --- |\n| Net sales: |  |\n| Lenses | $12.5 |\n"
        "| Cost of sales: |  |\n| Lenses | 9.0 |"
    )
    sales = said("Acme Lenses", "had net sales of", "$12.5 million", "c1", "|  | 2024 |\n| Lenses | $12.5 |")
    costs = said("Acme Lenses", "had net sales of", "$9.0 million", "c1", "|  | 2024 |\n| Lenses | 9.0 |")
    rows = taken(sales, costs, texts=(table,))
    assert [row.rejected_because for row in rows] == ["", "relation_not_in_row"]
    assert rows[0].group == "| Net sales: |  |"


def test_half_a_sentence_that_means_the_opposite_is_turned_down():
    torn = said("Acme Inc.", "owns", "Halden Works", "c2", "own Halden Works.")
    assert [row.rejected_because for row in taken(torn)] == ["sentence_torn"]


def test_the_short_name_of_the_documents_entity_is_the_entity():
    (row,) = taken(ACQUIRED | {"subject": "Acme"})
    assert (row.subject, row.subject_type) == ("Acme Inc.", "ORG")


def test_the_committee_is_the_one_whose_minutes_these_are():
    minutes = replace(DOCUMENT, entity="Federal Open Market Committee", form="", domain="economics")
    texts = ("The Committee directs the Desk in New York to sell. It directs nobody else.",)
    claim = said("the Committee", "directs", "the Desk", "c1", "The Committee directs the Desk in New York to sell.")
    (row,) = taken(claim, texts=texts, document=minutes)
    assert (row.subject, row.subject_type, row.rejected_because) == ("Federal Open Market Committee", "ORG", "")


def test_we_is_no_answer():
    (row,) = taken(said("Tessera Optics, LLC", "was acquired by", "us", "c2", ACQUIRED["source_sentence"]))
    assert (row.object, row.answer, row.rejected_because) == ("Acme Inc.", "", "")


def test_a_sentence_in_what_two_chunks_share_is_taken_from_the_first():
    first, second = "We make motors. We sell them to Otis.", "We sell them to Otis. We also make lenses."
    both = [
        Chunk("a", "d", 0, len(first), "text", "", first, 50, domain="finance"),
        Chunk("b", "d", 16, 16 + len(second), "text", "", second, 50, domain="finance"),
    ]
    claim = said("Acme Inc.", "sells motors to", "Otis", "c2", "We sell them to Otis.")
    config = ExtractConfig(methods=("model",))
    (row,) = extract(both, config, documents={"d": DOCUMENT}, llm=answering([claim]))
    assert (row.chunk_id, row.start, row.source_sentence) == ("a", 16, "We sell them to Otis.")
    assert row.rejected_because == ""


def test_of_two_sentences_that_begin_and_end_alike_the_one_about_it_is_meant():
    texts = ("In 2023 we sold the Oslo plant to our partner. In 2023 we sold the Rome mill to our partner.",)
    (row,) = taken(said("we", "sold", "Rome mill", "c1", "In 2023 we sold ... to our partner."), texts=texts)
    assert (row.source_sentence, row.rejected_because) == ("In 2023 we sold the Rome mill to our partner.", "")
    (row,) = taken(said("we", "dealt with", "our partner", "c1", "In 2023 we sold ... to our partner."), texts=texts)
    assert row.rejected_because == "ambiguous_sentence"


def test_an_object_that_names_no_thing_links_nothing():
    (row,) = taken(said("Drives segment", "makes", "products", "c1", "Our Drives segment makes products there."),
                   texts=("Our Drives segment makes products there.",))  # fmt: skip
    assert (row.object_type, row.rejected_because) == ("TEXT", "")


def test_every_claim_of_a_reply_is_a_row_with_a_name_of_its_own():
    wrong = ACQUIRED | {"source_sentence": "Not there at all."}
    rows = taken(ACQUIRED, wrong, wrong, ACQUIRED, OPENED, {"subject": "Acme Inc."}, {})
    assert [row.rejected_because for row in rows] == [
        "", "sentence_not_in_chunk", "sentence_not_in_chunk", "duplicate", "", "empty_part", "empty_part",
    ]  # fmt: skip
    assert len({row.triplet_id for row in rows}) == 7


def test_what_refers_back_is_taken_where_its_chunk_names_it_before():
    sentence = "It sells them mainly to Otis Elevator Company."
    (row,) = taken(said("Drives segment", "sells mainly to", "Otis Elevator Company", "c1", sentence))
    assert row.rejected_because == ""
    (row,) = taken(said("Lenses segment", "sells mainly to", "Otis Elevator Company", "c1", sentence))
    assert row.rejected_because == "subject_not_in_sentence"


HANDBOOK = (
    "# Acme handbook\n\nAcme sells to Acme users. Usage of service accounts is logged.\n\n"
    "### Channels\n\n(Messaging) - An open source alternative to Slack.\n\n"
    "### Warm outbound\n\nWhen it fits.\n\nKey input: This often begins with a Qualified Lead.\n\n"
    "Key input: Halden Works begins with a Cold Call.\n\nThe sellers begin with a Warm Call.\n\n"
    "Devices\n\nThe device must lock after 5 minutes. The People Team investigates reported incidents.\n\n"
    "| Rating | Score |\n| --- | --- |\n| Medium | 4.0 - 6.9 |",
)


@pytest.mark.parametrize(
    ("subject", "thing", "sentence", "reason"),
    [
        ("Acme Channels", "Slack", "(Messaging) - An open source alternative to Slack.", ""),
        ("Halden Channels", "Slack", "(Messaging) - An open source alternative to Slack.", "subject_not_in_sentence"),
        ("Acme Boards", "Slack", "(Messaging) - An open source alternative to Slack.", "subject_not_in_sentence"),
        ("warm outbound motion of Acme", "Qualified Lead", "Key input: This often begins with a Qualified Lead.", ""),
        ("warm outbound motion of Acme", "Cold Call", "Key input: Halden Works begins with a Cold Call.",
         "subject_not_in_sentence"),
        ("warm outbound motion of Acme", "Warm Call", "The sellers begin with a Warm Call.",
         "subject_not_in_sentence"),
        ("mobile device used for Acme work", "5 minutes", "The device must lock after 5 minutes.", ""),
        ("laptop used for Acme work", "5 minutes", "The device must lock after 5 minutes.", "subject_not_in_sentence"),
        ("health and safety incidents at Acme", "People Team", "The People Team investigates reported incidents.", ""),
        ("Medium rating", "4.0 - 6.9", "| Medium | 4.0 - 6.9 |", ""),
        ("Medium rating", "4.0 - 7.9", "| Medium | 4.0 - 6.9 |", "object_not_in_sentence"),
        ("Medium rating", "6.9", "| Medium | 4.0 - 6.9 |", "object_not_in_sentence"),
    ],
)  # fmt: skip
def test_a_handbook_names_in_a_heading_or_in_short_what_it_speaks_of(subject, thing, sentence, reason):
    document = replace(DOCUMENT, text="\n\n".join(HANDBOOK), entity="", form="")
    (row,) = taken(said(subject, "is tied to", thing, "c1", sentence), texts=HANDBOOK, document=document)
    assert row.rejected_because == reason
    assert reason or (row.answer, row.value) == (thing, "")


NAMED = (
    "Acme has two segments: Pet and Snacks. Acme bought Tessera Optics, LLC (Tessera) and Otis Elevator Company "
    "(the “Elevator Maker”). Bethany J. Quam, Jr. joined in 2019.",
    "Bethany Quam, age 52, is Group President, Pet.\n\n"
    "Tessera sells to Elevator Maker. Pet makes food in Lyon, France.",
    "Ms. Quam studied in Oslo. Previously, she was treasurer of Halden Works Ltd.",
    "Mr. Moe left. Previously, he was treasurer of Orsa Mining Ltd.",
    "In May 2024 a buyer took over Kvarn Foods Inc. The purchase price included $7 million of cash.",
)


@pytest.mark.parametrize(
    ("subject", "thing", "chunk", "sentence", "answer"),
    [
        ("Bethany Quam", "Acme Pet segment", "c2", "Bethany Quam, age 52, is Group President, Pet.", "Pet"),
        ("Bethany Quam", "Acme Drives segment", "c2", "Bethany Quam, age 52, is Group President, Pet.", ""),
        ("Tessera Optics, LLC", "Otis Elevator Company", "c2", "Tessera sells to Elevator Maker.", "Elevator Maker"),
        ("Tessera Optics, LLC", "Halden Works Ltd.", "c2", "Tessera sells to Elevator Maker.", ""),
        ("Acme Pet segment", "Lyon, France", "c2", "Pet makes food in Lyon, France.", "Lyon, France"),
        ("Acme Drives segment", "Lyon, France", "c2", "Pet makes food in Lyon, France.", ""),
        ("Bethany J. Quam, Jr.", "Halden Works Ltd.", "c3", "Previously, she was treasurer of Halden Works Ltd.",
         "Halden Works Ltd."),
        ("Bethany J. Quam, Jr.", "Orsa Mining Ltd.", "c4", "Previously, he was treasurer of Orsa Mining Ltd.", ""),
        ("Kvarn Foods Inc.", "$7 million", "c5", "The purchase price included $7 million of cash.", "$7 million"),
        ("Tessera Optics, LLC", "$7 million", "c5", "The purchase price included $7 million of cash.", ""),
    ],
)  # fmt: skip
def test_a_name_is_proven_by_what_the_document_calls_it_for_short(subject, thing, chunk, sentence, answer):
    document = replace(DOCUMENT, text="\n\n".join(NAMED))
    (row,) = taken(said(subject, "is tied to", thing, chunk, sentence), texts=NAMED, document=document)
    assert (row.rejected_because == "") == bool(answer), row.rejected_because
    assert not answer or row.answer == answer


def test_the_company_is_nobody_where_the_document_does_not_say_who_it_is():
    (row,) = taken(ACQUIRED, document=replace(DOCUMENT, entity=""))
    assert row.rejected_because == "unresolved_reference"


def test_a_window_without_an_answer_is_a_row_and_the_others_go_on():
    llm = answering(Reply("", "I cannot.", error="refused", detail="declined"), [
        said("Acme Drives segment", "had", "1,250 employees", "c3", TEXTS[5]),
    ])  # fmt: skip
    rows = list(extract(chunks(), HALVES, documents={"d": DOCUMENT}, llm=llm))
    assert [type(row) for row in rows] == [Triplet, Unanswered]
    assert (rows[0].value, rows[0].period, rows[0].rejected_because) == ("1250", "December 31, 2024", "")
    assert (rows[1].stage, rows[1].about, rows[1].reason) == ("extract", "d0 d1 d2", "refused")
    assert rows[1].text == "I cannot."


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply("", "half", "", error="truncated"), "truncated"),
        (Reply("", "no json", ""), "unparsable"),
        (Reply("", "{}", "{}"), "unparsable"),
        (Reply("", "[]", '{"triplets": [3]}'), "unparsable"),
    ],
)
def test_a_reply_that_cannot_be_read_is_told(reply, reason):
    rows = list(
        extract(chunks(), ExtractConfig(methods=("model",)), documents={"d": DOCUMENT}, llm=answering(reply, []))
    )
    assert [row.reason for row in rows] == [reason]


def test_a_window_that_gets_no_reply_at_all_is_lost_and_told():
    rows = list(extract(chunks(), HALVES, documents={"d": DOCUMENT}, llm=answering([])))
    assert [row.reason for row in rows] == ["lost"]


def test_numbers_missing_and_further_fields_cost_no_other_triplet():
    rows = taken({"subject": "x", "object": 61, "chunk_id": 2, "relation": None, "why": "…"}, ACQUIRED)
    assert [row.rejected_because for row in rows] == ["empty_part", ""]
    rows = taken(
        ACQUIRED | {"object": ["Tessera Optics", "Halden"]},
        ACQUIRED | {"object": {"name": "x"}, "relation": True},
        ACQUIRED,
    )
    assert [row.rejected_because for row in rows] == ["object_not_in_sentence", "empty_part", ""]


def test_a_chunk_named_among_several_is_the_one_that_says_it():
    (row,) = taken(ACQUIRED | {"chunk_id": "c1, c2"})
    assert (row.chunk_id, row.rejected_because) == ("d1", "")


def test_replies_are_matched_by_id_whatever_their_order():
    other = replace(DOCUMENT, doc_id="e")
    both = [*chunks(), *chunks(doc_id="e")]

    def backwards(asked):
        held = list(asked)
        for request in reversed(held):
            claims = [ACQUIRED] if TEXTS[1] in request.messages[1].content else []
            yield Reply(request.request_id, "…", json.dumps({"triplets": claims}))

    config = ExtractConfig(methods=("model",))
    rows = list(extract(both, config, documents={"d": DOCUMENT, "e": other}, llm=backwards))
    assert [(row.doc_id, row.rejected_because) for row in rows] == [("d", ""), ("e", "")]


def test_windows_of_all_documents_are_one_stream():
    calls = []

    def llm(asked):
        held = list(asked)
        calls.append(len(held))
        yield from (Reply(r.request_id, "…", '{"triplets": []}') for r in held)

    both = [*chunks(), *chunks(doc_id="e")]
    documents = {"d": DOCUMENT, "e": replace(DOCUMENT, doc_id="e")}
    assert list(extract(both, HALVES, documents=documents, llm=llm)) == []
    assert calls == [4]


def test_a_further_pass_shows_what_was_found_and_asks_no_exhausted_window():
    prompts = []
    makes = said(
        "Drives segment", "makes motors in", "Port Ennis", "c1", "Our Drives segment makes motors in Port Ennis."
    )

    def llm(asked):
        for request in asked:
            user = request.messages[1].content
            prompts.append(user)
            claims = [makes] if "<fact>" in user else [ACQUIRED] if TEXTS[1] in user else []
            yield Reply(request.request_id, "…", json.dumps({"triplets": claims}))

    config = ExtractConfig(methods=("model",), model=ModelExtractConfig(window=3, passes=2))
    rows = list(extract(chunks(), config, documents={"d": DOCUMENT}, llm=llm))
    assert [(row.relation, row.rejected_because) for row in rows] == [("acquired", ""), ("makes motors in", "")]
    assert [user.count("<fact>") for user in prompts] == [0, 0, 1]
    assert prompts[2].startswith(prompts[0].rpartition("</chunk>")[0])  # what was shown before stays the beginning


def test_requests_carry_schema_and_settings_and_share_their_instructions():
    asked = list(build_requests([(DOCUMENT, chunks())], ModelExtractConfig(window=3, temperature=0.5, max_tokens=99)))
    assert [(r.temperature, r.max_tokens, r.schema) for r in asked] == [(0.5, 99, SCHEMA)] * 2
    assert asked[0].messages[0] == asked[1].messages[0]
    assert len({r.request_id for r in asked}) == 2


def test_without_a_model_the_way_out_is_said():
    with pytest.raises(ValueError, match=r"\[llm\]"):
        list(extract(chunks(), ExtractConfig(methods=("model",)), documents={"d": DOCUMENT}))


def test_the_model_works_beside_the_other_methods_in_the_order_of_the_config():
    config = ExtractConfig(methods=("model", "tables"))
    rows = list(extract(chunks(), config, documents={"d": DOCUMENT}, llm=answering([ACQUIRED], [])))
    assert rows[0].method == "model"
    assert rows[:1] == taken(ACQUIRED)


def test_two_values_of_one_subject_and_relation_are_turned_down():
    row = "| Drives segment | $41.7 | $40.2 |"
    texts = (TEXTS[2].replace("Year ended December 31, | 2024 | 2023", "Measure | Plan | Done"),)
    rows = taken(
        said("Acme Drives segment", "had net sales of", "$41.7 million", "c1", row),
        said("Acme Drives segment", "had net sales of", "$40.2 million", "c1", row),
        texts=texts,
    )
    assert [r.rejected_because for r in rows] == ["label_used_twice"] * 2


def test_the_yield_per_chunk_is_counted_over_all_chunks():
    rows = taken(ACQUIRED, OPENED, ACQUIRED | {"chunk_id": "c9"})
    (one,) = count_yields(rows, chunks())
    assert (one.domain, one.chunks, one.claimed, one.accepted, one.per_chunk) == ("finance", 6, 3, 2, 2 / 6)
