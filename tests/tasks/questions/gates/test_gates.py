"""Each gate rejects what it is for, with its reason, and lets a good question through."""

import random
from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Chunk, Question, Span, Triplet
from rarefy.tasks.questions.gates import GATES, GatesConfig, judge
from rarefy.tasks.questions.gates.corpus import find_retrievable
from rarefy.tasks.questions.gates.wording import NamesByUse, contains_phrase, is_generic

TEXTS = {
    "c1": "Microsoft Corporation is incorporated in Washington. It employs many people in Redmond.",
    "c2": "| Microsoft Cloud | 2023 |\n|---|---|\n| Revenue | $168,088 |\n| Margin | 112% |",
    "c3": "Amazon.com, Inc. is headquartered in Seattle. Boeing left Seattle for Chicago.",
}
CHUNKS = {
    name: Chunk(
        name, f"d{name}", 0, len(text), "text", "", text, 30, entity="Microsoft Corporation" if name < "c3" else ""
    )
    for name, text in TEXTS.items()
}


def fact(name: str, chunk: str, subject: str, relation: str, answer: str, sentence: str, **more: str) -> Triplet:
    start = TEXTS[chunk].index(sentence)
    return Triplet(
        name, chunk, chunk, start, start + len(sentence), subject, relation, more.pop("object", answer), sentence,
        "table", answer=answer, entity="Microsoft Corporation", **more,
    )  # fmt: skip


TRIPLETS = {
    t.triplet_id: t
    for t in (
        fact("t1", "c1", "Microsoft Corporation", "is incorporated in", "Washington",
             "Microsoft Corporation is incorporated in Washington."),
        fact("t2", "c2", "Microsoft Corporation", "revenue", "$168,088", "| Revenue | $168,088 |", value="168088000000",
             unit="USD", period="fiscal year 2023", period_end="2023-06-30", object="$168,088 million"),
        fact("t3", "c3", "Amazon.com, Inc.", "is headquartered in", "Seattle",
             "Amazon.com, Inc. is headquartered in Seattle."),
    )
}  # fmt: skip


def question_of(*names: str, **more: object) -> Question:
    used = [TRIPLETS[name] for name in names]
    question = Question(
        question_id="q1",
        path_id="p1",
        pattern="single" if len(used) == 1 else "star",
        text="In fiscal year 2023, what was the revenue of the company that is incorporated in Washington?",
        answer=used[-1].answer,
        aliases=("$168.1 billion",) if names[-1] == "t2" else (),
        triplet_ids=names,
        chunk_ids=tuple(dict.fromkeys(t.chunk_id for t in used)),
        evidence=tuple(t.source_sentence for t in used),
        evidence_spans=tuple(Span(t.chunk_id, t.start, t.end) for t in used),
        pivot="Microsoft Corporation" if len(used) > 1 else "",
    )
    return replace(question, **more)


GOOD = question_of("t1", "t2")
SINGLE = question_of("t1", text="In which state is Microsoft Corporation incorporated?")


def reason_of(question: Question, *, triplets=TRIPLETS, chunks=CHUNKS, **config: object) -> str:
    return next(judge([question], GatesConfig(**config), chunks=chunks, triplets=triplets)).rejected_because


@pytest.mark.parametrize("gate", GATES)
@pytest.mark.parametrize("question", [GOOD, SINGLE], ids=["star", "single"])
def test_a_good_question_passes(gate, question):
    assert GATES[gate]([question], GatesConfig(), chunks=CHUNKS, triplets=TRIPLETS) == {}


@pytest.mark.parametrize("gate", GATES)
def test_a_gate_takes_no_questions_too(gate):
    assert GATES[gate]([], GatesConfig(), chunks={}, triplets={}) == {}


@pytest.mark.parametrize(
    ("reason", "question"),
    [
        ("empty", replace(GOOD, text="", answer="")),
        ("evidence_missing", replace(GOOD, evidence=(), evidence_spans=())),
        ("evidence_missing", replace(GOOD, chunk_ids=("c1", "c2", "c3"))),
        ("evidence_not_verbatim", replace(GOOD, evidence=(GOOD.evidence[0].upper(), GOOD.evidence[1]))),
        ("evidence_not_verbatim", replace(GOOD, evidence_spans=(GOOD.evidence_spans[0], Span("none", 0, 5)))),
        ("answer_not_in_evidence", replace(GOOD, answer="168088")),
        ("answer_given_away", replace(SINGLE, text="In which state, Washington or Oregon, is Microsoft incorporated?")),
        ("answer_given_away", replace(GOOD, text="Which company there had a revenue of $168.1 billion in 2023?")),
        ("pivot_given_away", replace(GOOD, text="What was the revenue of Microsoft in fiscal year 2023?")),
        ("pivot_given_away", replace(GOOD, text="What was the revenue of the company with a Microsoft Cloud in 2023?")),
        ("pivot_generic", replace(GOOD, pivot="employees")),
        ("not_self_contained", replace(SINGLE, text="In which state is the Company incorporated these days?")),
        ("not_self_contained", replace(SINGLE, text="In which state is the company incorporated these days?")),
        ("not_self_contained", replace(SINGLE, text="Where was Microsoft incorporated, as shown in the table above?")),
        ("not_self_contained", replace(SINGLE, text="In which state did Microsoft become incorporated last year?")),
        ("too_short", replace(SINGLE, text="Where is Microsoft incorporated?")),
        ("too_long", replace(SINGLE, text="In which state is " + "very " * 80 + "large Microsoft incorporated?")),
        ("no_question", replace(SINGLE, text="Tell me the state that Microsoft is incorporated in.")),
        ("debris", replace(SINGLE, text="In which state is is Microsoft Corporation incorporated?")),
        ("debris", replace(SINGLE, text="In which state | is Microsoft Corporation incorporated?")),
        ("debris", replace(SINGLE, text="In which state is Microsoft Corporation (incorporated?")),
        ("both_signs", replace(SINGLE, text="What was Microsoft's net income (loss) in fiscal 2023?")),
        ("both_signs", replace(SINGLE, text="What was Microsoft's provision for (benefit from) taxes in 2023?")),
        ("footnote_mark", replace(SINGLE, text="What were Microsoft's accrued purchases (1) in fiscal 2023?")),
        ("footnote_mark", replace(SINGLE, text="What were Microsoft's accrued purchases* in fiscal 2023?")),
        ("capitals", replace(SINGLE, text="What were Microsoft's TOTAL NET SALES in fiscal 2023?")),
        ("doubled_preposition", replace(SINGLE, text="What was the revenue of for Microsoft in fiscal 2023?")),
        ("one_chunk", replace(question_of("t1", "t1"), text="In which state is the maker of Windows incorporated?")),
    ],
)  # fmt: skip
def test_a_fault_is_named(reason, question):
    assert reason_of(question) == reason


@pytest.mark.parametrize(
    "text",
    [
        "What may the states where Amazon faces disputes assess against the company?",
        "What was the average office space of Microsoft in fiscal 2023, in m²?",
        "What was the revenue of the company that is based in Redmond, in millions of US dollars?",
        "What was the revenue, in US dollars, of the company headquartered in Redmond?",
        "What revenue did the company one of whose officers once worked at Boreal report for fiscal 2024?",
        "What revenue did the company at which Dana Moor once worked report for fiscal 2024?",
    ],
)
def test_what_is_named_or_described_in_the_question_is_self_contained(text):
    assert reason_of(replace(SINGLE, text=text), gates=("self_contained", "readable")) == ""


@pytest.mark.parametrize(
    "text",
    [
        "What figure does the table “Other income (expense)” of Acme give for “Net loss (1)” in fiscal 2023?",
        "Under 24 CFR 574.310, for at least how many days must the notice under paragraph (b) of § 574.320 be posted?",
        "Under which ticker symbol does the common stock of NVIDIA Corporation trade on the NYSE?",
        "How much did Acme contribute to its 401(k) plans in fiscal 2023?",
    ],
)
def test_what_a_label_in_quotes_or_a_citation_has_is_no_seam(text):
    assert reason_of(replace(SINGLE, text=text), gates=("readable",)) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Which accounting firm audits Comcast?",
        "Which company reported the higher depreciation and amortization in fiscal 2023: Coca-Cola or NVIDIA?",
        "In fiscal 2023, what was Johnson Controls International's income from discontinued operations attributable to "
        "noncontrolling interests?",
    ],
)
def test_short_questions_and_the_long_words_of_accounting_are_readable(text):
    assert reason_of(replace(SINGLE, text=text), gates=("readable",)) == ""


def test_a_sentence_that_is_hard_to_read_is_rejected():
    text = "Which international organization's institutionalization counterrevolutionizes telecommunication?"
    assert reason_of(replace(SINGLE, text=text)) == "hard_to_read"


def another(name: str, like: str, **more: str) -> dict[str, Triplet]:
    return {**TRIPLETS, name: replace(TRIPLETS[like], triplet_id=name, **more)}


def test_another_fact_with_another_answer_makes_a_question_ambiguous():
    other = another("t9", "t2", answer="$170,000", value="170000000000", object="other")
    assert reason_of(GOOD, triplets=other) == "several_answers"
    loss = another("t9", "t2", answer="$(168,088)", value="-168088000000", object="other")
    assert reason_of(GOOD, triplets=loss) == "several_answers", "a profit is not a loss"
    assert reason_of(SINGLE, triplets=another("t9", "t1", answer="Nevada", object="Nevada")) == "several_answers"


@pytest.mark.parametrize(
    "more",
    [
        {"answer": "$168.1", "value": "168100000000"},  # the same, rounded
        {"answer": "$198,270", "value": "198270000000", "period_end": "2022-06-30"},  # another year
        {"answer": "21", "value": "21", "unit": "percent"},
        {"answer": "$9", "value": "9", "subject": "Amazon.com, Inc."},
        {"answer": "$9", "value": "9", "rejected_because": "not_verbatim"},
    ],
)
def test_a_fact_about_something_else_or_the_same_answer_again_does_not(more):
    assert reason_of(GOOD, triplets=another("t9", "t2", object="other", **more)) == ""


def test_when_and_where_are_two_questions():
    year = another("t9", "t1", answer="1986", object="1986", object_type="DATE")
    assert reason_of(SINGLE, triplets=year) == ""


def test_an_answer_that_is_a_subject_must_be_the_only_one():
    question = question_of("t3", answer="Amazon.com, Inc.", text="Which company has its head office in Seattle?")
    assert reason_of(question) == ""
    assert reason_of(question, triplets=another("t9", "t3", subject="Starbucks")) == "several_answers"
    beside = replace(question, text="Which company has its head office in the same city as Starbucks?")
    assert reason_of(beside, triplets=another("t9", "t3", subject="Starbucks")) == ""


def test_questions_worded_alike_with_different_answers_all_go():
    texts = replace(SINGLE, question_id="q2", answer="Redmond", evidence=("Redmond",))
    at = TEXTS["c1"].index("Redmond")
    texts = replace(texts, evidence_spans=(Span("c1", at, at + 7),), triplet_ids=())
    judged = judge([SINGLE, texts], GatesConfig(), chunks=CHUNKS, triplets=TRIPLETS)
    assert [q.rejected_because for q in judged] == ["several_answers", "several_answers"]


def test_a_chunk_that_holds_every_end_of_a_multi_hop_question_gives_it_away():
    text = "Microsoft Corporation is incorporated in Washington and had Revenue of $168,088 million."
    more = {**CHUNKS, "c4": replace(CHUNKS["c3"], chunk_id="c4", text=text)}
    assert reason_of(GOOD, chunks=more) == "one_chunk_suffices"
    of_its_own = replace(
        more["c4"], text=text.replace("Microsoft Corporation", "The Company"), entity="Microsoft Corporation"
    )
    assert reason_of(GOOD, chunks={**CHUNKS, "c4": of_its_own}) == "one_chunk_suffices"
    by_chance = replace(of_its_own, text=of_its_own.text.replace("Revenue", "costs"))
    assert reason_of(GOOD, chunks={**CHUNKS, "c4": by_chance}) == ""
    stranger = replace(of_its_own, entity="Starbucks")
    assert reason_of(GOOD, chunks={**CHUNKS, "c4": stranger}) == ""


def test_a_chunk_holds_what_a_model_took_only_where_a_paragraph_has_both_ends():
    apart = "Revenue was $168,088 million.\n\nIt is incorporated in Washington, as Microsoft Corporation is."
    whole = replace(CHUNKS["c3"], chunk_id="c4", text=apart)
    by_model = {name: replace(row, method="model", source_sentence="") for name, row in TRIPLETS.items()}
    assert reason_of(GOOD, chunks={**CHUNKS, "c4": whole}) == "one_chunk_suffices"
    assert reason_of(GOOD, chunks={**CHUNKS, "c4": whole}, triplets=by_model) == ""
    together = replace(whole, text=apart.replace("\n\n", " "))
    assert reason_of(GOOD, chunks={**CHUNKS, "c4": together}, triplets=by_model) == "one_chunk_suffices"


def test_of_near_duplicates_the_smallest_id_stays_and_another_year_is_another_question():
    texts = [
        "What was the revenue of Microsoft Corporation in fiscal year 2023?",
        "In fiscal year 2023, what was the revenue of Microsoft Corporation?",
        "What was the revenue of Microsoft Corporation in fiscal year 2022?",
        "What was the revenue of Starbucks Corporation in fiscal year 2023?",
    ]
    questions = [replace(SINGLE, question_id=f"q{9 - i}", text=text) for i, text in enumerate(texts)]
    for order in (questions, questions[::-1]):
        found = GATES["near_duplicate"](order, GatesConfig(), chunks=CHUNKS, triplets=TRIPLETS)
        assert found == {"q9": "near_duplicate"}


def test_options_of_other_names_are_no_near_duplicates():
    text = "What is the default given for “http2. max{}coderHeaderTableSize”, according to “Options”?"
    questions = [replace(SINGLE, question_id=name, text=text.format(name), answer="4096") for name in ("En", "De")]
    assert GATES["near_duplicate"](questions, GatesConfig(), chunks=CHUNKS, triplets=TRIPLETS) == {}


def test_one_cell_of_two_tables_is_asked_once():
    own = replace(next(iter(TRIPLETS.values())), subject_type="TABLE", relation="“%2f” in the column “Character”")
    facts = {
        "t1": own,
        "t2": replace(own, subject="“Rejected characters in paths of HTTP requests”"),
        "t3": replace(own, relation="“%5c” in the column “Character”"),
        "t4": replace(own, entity="Another company"),
    }
    texts = {
        "t1": "What is the character of “%2f”, according to “Path sanitizing”?",
        "t2": "What is the character of “%2f”, according to “Rejected characters in paths of HTTP requests”?",
        "t3": "What is the character of “%5c”, according to “Path sanitizing”?",
        "t4": "What is the character of “%2f”, according to “Path of Another company”?",
    }
    questions = [
        replace(SINGLE, question_id=name, text=text, answer="/ (slash)", triplet_ids=(name,))
        for name, text in texts.items()
    ]
    found = GATES["near_duplicate"](questions, GatesConfig(), chunks=CHUNKS, triplets=facts)
    assert found == {"t2": "near_duplicate"}


def test_one_figure_under_two_labels_is_asked_once():
    own = replace(
        next(iter(TRIPLETS.values())), value="1234000", unit="USD", relation="net sales", period_end="2024-12-31"
    )
    facts = {
        "t1": own,
        "t2": replace(own, relation="total net sales"),
        "t3": replace(own, relation="total net sales", period_end="2023-12-31"),
        "t4": replace(own, relation="dividends", value="120000"),
        "t5": replace(own, relation="interest", value="120000"),  # two digits may be another measure's, too
    }
    questions = [
        replace(SINGLE, question_id=name, text=f"What of {name} in {name}?", answer=fact.value, triplet_ids=(name,))
        for name, fact in facts.items()
    ]
    found = GATES["near_duplicate"](questions, GatesConfig(), chunks=CHUNKS, triplets=facts)
    assert found == {"t2": "near_duplicate"}


def test_the_same_things_are_listed_by_one_measure_once():
    own = replace(next(iter(TRIPLETS.values())), unit="USD", relation="sales")
    facts = {
        f"{name} {year}": replace(own, subject=name, subject_key=name, value=f"{at + 1}234", period_end=f"{year}-12-31")
        for at, name in enumerate(("North", "South", "West"))
        for year in (2023, 2024)
    }
    used = {
        "q1": ("North 2023", "South 2023"),
        "q2": ("South 2024", "North 2024"),
        "q3": ("South 2023", "West 2023"),
    }
    questions = [
        replace(SINGLE, question_id=name, pattern="listing", text=f"Which of {name}?", answer=name, triplet_ids=names)
        for name, names in used.items()
    ]
    found = GATES["near_duplicate"](questions, GatesConfig(), chunks=CHUNKS, triplets=facts)
    assert found == {"q2": "near_duplicate"}


def test_a_company_is_found_by_the_same_traits_once_in_whatever_order_and_beside_whomever():
    own = next(iter(TRIPLETS.values()))
    facts = {
        f"{name} {relation}": replace(own, triplet_id=f"{name} {relation}", subject=name, subject_key=name,
                                      relation=relation, relation_key=relation, object=thing, object_key=thing)
        for name in ("Acme", "Bolt", "Carl")
        for relation, thing in (("is audited by", "KPMG"), ("is listed on", "Nasdaq"), ("is based in", "Ohio"))
    }  # fmt: skip
    told = {
        "q1": ("Bolt is audited by", "Acme is audited by", "Acme is listed on"),
        "q2": ("Carl is listed on", "Acme is listed on", "Acme is audited by"),
        "q3": ("Bolt is audited by", "Acme is audited by", "Acme is based in"),
    }
    questions = [
        replace(SINGLE, question_id=name, pattern="inverted_star", answer="Acme", aliases=(), triplet_ids=used,
                text=f"{name} beside another?")
        for name, used in told.items()
    ]  # fmt: skip
    for order in (questions, questions[::-1]):
        found = GATES["near_duplicate"](order, GatesConfig(), chunks=CHUNKS, triplets=facts)
        assert found == {"q2": "near_duplicate"}


def test_the_one_that_stays_of_two_is_one_that_nothing_else_is_wrong_with():
    first = replace(SINGLE, question_id="a", evidence=("nonsense",))
    judged = list(judge([SINGLE, first], GatesConfig(), chunks=CHUNKS, triplets=TRIPLETS))
    assert [q.rejected_because for q in judged] == ["", "evidence_not_verbatim"]


def test_rejected_questions_pass_through_as_they_came():
    question = replace(GOOD, rejected_because="no_wording", text="")
    assert list(judge([question], GatesConfig(), chunks=CHUNKS, triplets=TRIPLETS)) == [question]


def test_every_question_comes_out_in_order_whatever_the_order():
    rows = [replace(SINGLE, question_id=f"q{i}", text=SINGLE.text.replace("state", f"state {i}")) for i in range(9)]
    rows[3] = replace(rows[3], text="Where?")
    judged = list(judge(rows, GatesConfig(), chunks=CHUNKS, triplets=TRIPLETS))
    assert [q.question_id for q in judged] == [q.question_id for q in rows]
    shuffled = random.Random(1).sample(rows, len(rows))
    assert (
        sorted(judge(shuffled, GatesConfig(), chunks=CHUNKS, triplets=TRIPLETS), key=lambda q: q.question_id) == judged
    )


def test_a_question_is_retrievable_when_bm25_finds_a_gold_chunk():
    more = {
        f"x{i}": replace(CHUNKS["c3"], chunk_id=f"x{i}", text=f"The weather in town number {i} is fine.")
        for i in range(40)
    }
    chunks = {**CHUNKS, **more}
    lost = replace(SINGLE, question_id="q2", text="What is the weather in town?")
    assert find_retrievable([SINGLE, lost], chunks, 20) == {"q1": True, "q2": False}
    judged = list(judge([SINGLE, replace(lost, rejected_because="x")], GatesConfig(), chunks=chunks, triplets=TRIPLETS))
    assert [q.retrievable for q in judged] == [True, None]
    assert next(judge([SINGLE], GatesConfig(retrieved=0), chunks=chunks, triplets=TRIPLETS)).retrievable is None


def test_retrieval_takes_corpora_smaller_than_its_depth_and_questions_of_stopwords():
    assert find_retrievable([replace(SINGLE, text="What is it?")], {"c1": CHUNKS["c1"]}, 20) == {"q1": True}
    assert find_retrievable([], CHUNKS, 20) == {}


@pytest.mark.parametrize(
    ("label", "generic"),
    [
        ("the Company", True), ("revenue", True), ("12%", True), ("management", True), ("customers", True),
        ("NVIDIA", False), ("Data Center", False), ("Ernst & Young LLP", False), ("interest rate risk", False),
        ("IBM", False),
    ],
)  # fmt: skip
def test_a_pivot_needs_two_meaningful_words_or_a_name(label, generic):
    assert is_generic(label) is generic


@pytest.mark.parametrize(
    ("text", "phrase", "said"),
    [
        ("a growth of 112%", "12%", False), ("a growth of 12%?", "12%", True),
        ("Washingtonian things", "Washington", False),
        ("in  WASHINGTON's state", "Washington", True), ("of 1,500", "500", False),
        ("of $500", "500", False), ("x", "", False),
    ],
)  # fmt: skip
def test_phrases_are_found_between_token_boundaries(text, phrase, said):
    assert contains_phrase(text, phrase) is said


def test_a_gate_that_does_not_exist_is_named():
    with pytest.raises(ValueError, match="no 'taste' here"):
        reason_of(GOOD, gates=("taste",))


def test_a_question_without_a_period_has_the_answers_of_all_periods():
    first = replace(
        TRIPLETS["t1"], triplet_id="o1", subject="Mara Voss", relation="chief executive officer of", answer="Mara Voss",
        object="Microsoft Corporation", subject_type="PERSON", period_end="2023-06-30",
    )  # fmt: skip
    second = replace(first, triplet_id="o2", subject="Jonas Pell", answer="Jonas Pell", period_end="2024-06-30")
    known = {**TRIPLETS, "o1": first, "o2": second}
    question = replace(
        SINGLE, text="Who leads the company called Microsoft Corporation?", answer="Mara Voss", triplet_ids=("o1",)
    )
    gate = GATES["one_answer"]
    assert gate([question], GatesConfig(), chunks=CHUNKS, triplets=known) == {}  # its wording tells the period
    ambiguous = replace(question, latest=True)
    assert gate([ambiguous], GatesConfig(), chunks=CHUNKS, triplets=known) == {"q1": "several_answers"}
    gone = {**known, "o1": first, "o2": replace(second, rejected_because="superseded")}
    assert gate([ambiguous], GatesConfig(), chunks=CHUNKS, triplets=gone) == {}


def test_a_line_that_nobody_follows_is_asked_where_another_passage_states_it_too():
    line = replace(
        TRIPLETS[SINGLE.triplet_ids[0]], concept="us-gaap:UnamortizedDebtIssuanceExpense", entity="Acme", subject="Acme"
    )
    sales = replace(line, concept="us-gaap:Revenues", method="table")
    config = GatesConfig(gates=("worth_asking",))
    told_again = replace(SINGLE, alternatives=(("c9",),))
    part = replace(line, subject="Acme Cloud segment", subject_type="SEGMENT")
    for question, fact, rejected in (
        (SINGLE, line, True), (told_again, line, False), (SINGLE, sales, False), (SINGLE, part, False),
    ):  # fmt: skip
        triplets = {**TRIPLETS, SINGLE.triplet_ids[0]: fact}
        found = GATES["worth_asking"]([question], config, chunks=CHUNKS, triplets=triplets)
        assert bool(found) == rejected


@pytest.mark.parametrize(
    ("label", "rejected"),
    [
        ("additional paid-in capital", True),
        ("total current assets", False),
        ("selling, general and administrative expenses", False),
        ("net earnings attributable to Acme", False),
        ("proceeds from disposal of certain operations", True),
    ],
)
def test_a_line_without_a_tag_is_known_by_its_name(label, rejected):
    line = replace(
        TRIPLETS[SINGLE.triplet_ids[0]], relation=label, concept="", entity="Acme", subject="Acme", value="5",
        method="table",
    )  # fmt: skip
    triplets = {**TRIPLETS, SINGLE.triplet_ids[0]: line}
    config = GatesConfig(gates=("worth_asking",))
    assert bool(GATES["worth_asking"]([SINGLE], config, chunks=CHUNKS, triplets=triplets)) == rejected
    own = {**triplets, SINGLE.triplet_ids[0]: replace(line, concept="acme:PaidInCapital")}
    assert not GATES["worth_asking"]([SINGLE], config, chunks=CHUNKS, triplets=own)


def test_a_word_that_texts_never_write_small_within_sentences_is_a_name() -> None:
    names = NamesByUse(["Send it back to Aura today. Reports go to Sales, and sales are counted.", "Aura calls."])
    assert "Aura" in names and "Sales" not in names and "Reports" not in names and "aura" not in names
