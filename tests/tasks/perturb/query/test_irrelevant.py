"""A detail that is put in is true, said of what is named, and beside the point."""

from dataclasses import replace
from random import Random

import pytest

from rarefy.data_contracts.rows import Chunk, Pool
from rarefy.tasks.perturb.case import Case
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.query.irrelevant import irrelevant_detail


def chunk_of(name, text, section="", entity="Apple Inc.", title="Apple Inc., Form 10-K for fiscal year 2024"):
    return Chunk(name, "d", 0, len(text), "text", section, text, 20, entity=entity, title=title)


def drafts(question, *chunks, answer="391,035", entity="Apple Inc.", golds=(), seed=0):
    ids = tuple(c.chunk_id for c in chunks)
    pool = Pool("p", "q", tuple(i for i in ids if i not in golds), (), ())
    case = Case("c", "query", question, question=question, answer=answer, entity=entity, pool=pool, golds=golds,
                chunks={c.chunk_id: c for c in chunks})  # fmt: skip
    found = list(irrelevant_detail(case, PerturbConfig(), Random(seed)))
    for draft in found:
        assert all(question[m.start : m.end] == draft.text[m.at : m.at + m.end - m.start] for m in draft.moves)
        assert sum(m.end - m.start for m in draft.moves) >= len(question) - 1, "the question stands as it was"
    return {draft.text for draft in found}


ASKED = "What were Apple Inc.'s net sales in fiscal 2024?"
HIDDEN = "In fiscal 2024, what were the net sales of the company that is based in Cupertino?"


def test_what_a_report_says_of_itself_is_said_of_its_entity():
    chunk = chunk_of("c", "We sell our products through our own retail stores. Margins fell. We may change our plans.")
    made = drafts(ASKED, chunk)
    told = "Apple Inc. sells its products through its own retail stores"
    assert {f"Given that {told}, w{ASKED[1:]}", f"{told}; w{ASKED[1:]}"} <= made
    assert not drafts(ASKED, replace(chunk, language="fr"))
    filed = made - {f"Given that {told}, w{ASKED[1:]}", f"{told}; w{ASKED[1:]}"}
    assert f"Apple Inc. files its annual report on Form 10-K; w{ASKED[1:]}" in filed
    assert f"{ASKED[:-1]}, according to an annual report filed on Form 10-K?" in filed
    assert all("report" in text or "audited" in text for text in filed)


def test_a_name_that_stands_free_is_told_of_where_it_stands():
    chunk = chunk_of("c", "We purchase components from outside suppliers.")
    assert (
        "How many employees did Apple Inc., which purchases components from outside suppliers, have as of "
        "September 28, 2024?"
    ) in drafts("How many employees did Apple Inc. have as of September 28, 2024?", chunk)


def test_who_is_hidden_stays_hidden():
    chunk = chunk_of("c", "We sell our products through our own retail stores.", "Item 3. > Legal Proceedings")
    made = drafts(HIDDEN, chunk)
    assert made == {
        HIDDEN[:-1] + ", according to an annual report that also discusses legal proceedings?",
        HIDDEN[:-1] + ", according to an annual report filed on Form 10-K?",
        HIDDEN[:-1] + ", according to an annual report filed with the Securities and Exchange Commission?",
    }


@pytest.mark.parametrize(
    "text",
    [
        "We sell our products to 42 countries in the world.",  # a figure
        "We may sell our products through our own stores.",  # not sure
        "We design products and sell them in our own stores.",  # another verb
        "We report net sales by reportable geographic segment.",  # what is asked
        "We sell products as the following agreements require.",  # goes on
        "We believe our stores offer a great experience.",  # an opinion
        "They sell our products through our own stores.",  # who?
        "| We | sell | products |",
        "",
    ],
)
def test_what_may_bear_on_the_answer_or_hangs_on_other_words_is_passed_over(text):
    made = drafts(ASKED, chunk_of("c", text, title="A letter"))
    assert made == set()


def test_a_detail_never_holds_the_answer():
    chunk = chunk_of("c", "We operate our own retail stores in Cupertino.", title="A letter")
    assert drafts("Where is Apple Inc. based?", chunk, answer="Cupertino") == set()
    assert drafts("Where is Apple Inc. based?", chunk, answer="Dublin")


@pytest.mark.parametrize(
    ("section", "told"),
    [
        ("Item 1. > Competition", "discusses competition"),
        ("Note 9 – Stock Options", "discusses stock options"),
        ("PART II > Item 7. > Critical accounting estimates", "discusses critical accounting estimates"),
        ("Item 8. > Epic Games", "has a section called “Epic Games”"),
        ("Item 8. > Consolidated Balance Sheets", ""),
        ("Item 8. > Net Sales", ""),
        ("Item 8. > Critical Audit Matter", "has a section called “Critical Audit Matter”"),
        ("Section 4", ""),
    ],
)
def test_headings_that_name_nothing_say_what_else_is_discussed(section, told):
    made = drafts(HIDDEN, chunk_of("c", "Some text.", section, title="A letter"))
    assert made == ({f"{HIDDEN[:-1]}, according to a document that also {told}?"} if told else set())


def test_a_gold_passage_of_ones_own_gives_what_it_says_of_a_name_in_the_question():
    question = "How many of Warsaw's inhabitants spoke Polish in 1933?"
    text = "Warsaw is an alpha global city. In 1933, 833,500 people were of Polish mother tongue. It is a big one."
    made = drafts(question, chunk_of("c", text, "", "", "Warsaw"), answer="833,500", entity="", golds=("c",))
    assert made == {
        f"Given that Warsaw is an alpha global city, h{question[1:]}",
        f"Warsaw is an alpha global city; h{question[1:]}",
    }


def test_nothing_at_hand_gives_nothing():
    assert drafts(ASKED) == set() == drafts("")
    assert list(irrelevant_detail(Case("c", "query", ASKED), PerturbConfig(), Random(0))) == []


def test_a_megabyte_of_passages_is_read_in_seconds():
    chunk = chunk_of("c", "We sell our products through our own retail stores. " * 20_000)
    assert drafts(ASKED, chunk)
    assert drafts("What " * 200_000, chunk) == set()


def general(question, *texts, golds=(), title="How We Work", evidence=(), answer="six weeks"):
    """What becomes of a question on passages of one document, the first of which is gold."""
    made = [
        Chunk(f"c{i}", "d", i, i + 1, "text", "", text, 20, title=title) for i, text in enumerate(("Gold.", *texts))
    ]
    gold = golds or ("c0",)
    pool = Pool("p", "q", tuple(c.chunk_id for c in made if c.chunk_id not in gold), (), ())
    case = Case("c", "query", question, question=question, answer=answer, pool=pool, golds=gold, evidence=evidence,
                chunks={c.chunk_id: c for c in made})  # fmt: skip
    return {draft.text for draft in irrelevant_detail(case, PerturbConfig(), Random(0))}


HOW_LONG = "How long is a cycle at 37signals?"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("## Pet Insurance\n\nYou can buy pet insurance.", "also discusses pet insurance"),
        ("## Epic Games\n\nWe like games.", "also has a section called “Epic Games”"),  # a name, as far as it tells
        ("## Retirement Plan\n\nYou may join the retirement plan.", "also discusses the retirement plan"),
        ("## Overwriting a Value\n\nAll of it is about a value.", "also discusses overwriting a value"),
        ("```\n# Pet food\n```\n\nIt is run.", ""),  # a comment in code
        ("Marriages and partnerships are covered.", "also says that marriages and partnerships are covered"),
        ("They are covered by the company.", ""),  # who?
        ("Energy prices also rose in May.", "also says that energy prices rose in May"),
        ("The costs of it rose by\n5 percent. That was much.", ""),
        ("It was installed on Ubuntu by us.", "also mentions Ubuntu"),
        ("It is done by the District of Columbia.", ""),
        ("It was sent to the Vice President.", ""),
        ("You can ask `rustup` for it.", "also mentions `rustup`"),
        ("You can write `use` for it.", ""),
        ("A cycle of work is short.", ""),  # what is asked
    ],
)  # fmt: skip
def test_a_document_of_any_kind_tells_something_else(text, told):
    made = general(HOW_LONG, text)
    assert made == ({f"{HOW_LONG[:-1]}, according to a document that {told}?"} if told else set())


def test_lines_of_a_wrapped_paragraph_are_read_as_one():
    text = (
        "It is as they said at the time in this old and long book on\n"
        "the matter, whose names are Blue and Yellow. Values of the map\nare kept in order."
    )
    assert general(HOW_LONG, text) == {
        f"{HOW_LONG[:-1]}, according to a document that also says that values of the map are kept in order?"
    }


def test_a_gold_passage_tells_of_itself_only_what_is_no_evidence():
    text = "Teams decide in May. Dogs are welcome in all offices."
    made = general(HOW_LONG, text, golds=("c1",), evidence=("Teams decide in May.",))
    assert made == {f"{HOW_LONG[:-1]}, according to a document that also says that dogs are welcome in all offices?"}


def test_what_two_documents_answer_is_in_neither_alone():
    chunks = {
        name: Chunk(name, doc, 0, 1, "text", "", "Dogs are welcome in all offices.", 5, title="Rules")
        for name, doc in (("a", "d"), ("b", "e"), ("n", "d"))
    }
    pool = Pool("p", "q", ("n",), (), ())
    case = Case("c", "query", HOW_LONG, question=HOW_LONG, answer="six", pool=pool, golds=("a", "b"), chunks=chunks)
    assert not list(irrelevant_detail(case, PerturbConfig(), Random(0)))


@pytest.mark.parametrize(
    ("question", "title", "expected"),
    [
        (
            "How much did prices rise, according to the minutes of the meeting of May 1, 2019?",
            "Minutes of May 1, 2019",
            "How much did prices rise, according to the minutes of the meeting of May 1, 2019, which also say that "
            "dogs are welcome in all offices?",
        ),
        ("How much did prices rise, according to the minutes of the meeting of May 1, 2019?", "Minutes of 2018", ""),
        ("How much did it rise, according to Coca-Cola's cash flow statement?", "A report", ""),
        (
            "Under 24 CFR 401.2, who may apply?",
            "24 CFR PART 401—RENEWALS",
            "Under 24 CFR 401.2, which belongs to a part that also says that dogs are welcome in all offices, "
            "who may apply?",
        ),
        (
            "Who may apply under 24 CFR part 401?",
            "24 CFR PART 401—RENEWALS",
            "Who may apply under 24 CFR part 401, which also says that dogs are welcome in all offices?",
        ),
        ("Who may apply under 24 CFR part 402?", "24 CFR PART 401—RENEWALS", ""),
    ],
)
def test_a_source_that_is_named_is_told_of_where_it_is_this_one(question, title, expected):
    made = general(question, "Dogs are welcome in all offices.", title=title)
    assert made == ({expected} if expected else set())
