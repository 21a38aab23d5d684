"""Pools: what is near, what is far, and what else could have been the answer."""

from dataclasses import replace

from rarefy.data_contracts.rows import Chunk, Question, Span, Triplet, row_id
from rarefy.tasks.perturb.config import PerturbConfig
from rarefy.tasks.perturb.context.other_values import find_listed_names, find_other_rates, is_security
from rarefy.tasks.perturb.pools import draw
from rarefy.tasks.text.notations import contains_answer

FIRMS = ("Apex", "Borealis", "Cygnus", "Dorado")
CITIES = ("Boston", "Denver", "Austin", "Tampa")


def text_of(firm: str, i: int) -> str:
    return (
        f"{firm} tells in its part {i} of many things that have no bearing on the figures, and goes on for a while "
        f"about the weather, the roads and the people of the town."
    )


CHUNKS = {
    f"{firm}-{i}": Chunk(f"{firm}-{i}", firm, i * 100, i * 100 + 90, "text", "", text_of(firm, i), 40, entity=firm)
    for firm in FIRMS
    for i in range(10)
}


def fact(firm: str, relation: str, answer: str, value: str, kind: str, unit: str, period: str = "") -> Triplet:
    return Triplet(
        row_id(firm, relation, period), f"{firm}-5", firm, 0, 10, firm, relation, answer, f"{firm} {answer}", "table",
        "ORG", kind, answer=answer, value=value, unit=unit, scale="millions" if unit else "", period=period,
        entity=firm, subject_key=f"ORG:{firm}", relation_key=relation, object_key=f"{kind}:{firm}{answer}{period}",
    )  # fmt: skip


REVENUES = {
    "Apex": (1200, 1500, 1800),
    "Borealis": (900, 1000, 1100),
    "Cygnus": (2500, 9, 1799),
    "Dorado": (90_000, 1, 2),
}
TRIPLETS = {
    t.triplet_id: t
    for t in [
        *(
            fact(firm, "revenue", f"${n:,}", f"{n}000000", "MONEY", "USD", f"fiscal year {2020 + i}")
            for firm, row in REVENUES.items()
            for i, n in enumerate(row)
        ),
        *(fact(f, "is headquartered in", c, "", "GPE", "") for f, c in zip(FIRMS, CITIES, strict=True)),
        *(fact(f, "tax rate", f"{20 + i}.5%", f"{20 + i}.5", "PERCENT", "percent") for i, f in enumerate(FIRMS)),
    ]
}


def question(firm: str, relation: str, period: str = "") -> Question:
    triplet = TRIPLETS[row_id(firm, relation, period)]
    return Question(
        row_id("q", triplet.triplet_id), "", "single", f"What was {firm}'s {relation}?", triplet.answer, (),
        (triplet.triplet_id,), (triplet.chunk_id,), (triplet.source_sentence,),
        (Span(triplet.chunk_id, 0, 5),), entity=firm,
    )  # fmt: skip


def pool(asked: Question, chunks=CHUNKS, triplets=TRIPLETS):
    return next(draw([asked], PerturbConfig(), chunks=chunks, triplets=triplets))


def test_neighbours_stand_within_reach_in_the_gold_document_and_are_no_gold_ones():
    made = pool(question("Apex", "tax rate"))
    assert made.neighbours == ("Apex-4", "Apex-6", "Apex-3", "Apex-7", "Apex-2", "Apex-8")


def test_strangers_are_of_other_documents_and_of_other_entities():
    made = pool(question("Apex", "tax rate"))
    assert len(made.strangers) == len(set(made.strangers)) >= 20
    assert all(not name.startswith("Apex") for name in made.strangers)
    same = {k: replace(c, entity="Apex") if k.startswith("Borealis") else c for k, c in CHUNKS.items()}
    assert all(name[0] in "CD" for name in pool(question("Apex", "tax rate"), same).strangers)


def test_no_passage_of_a_pool_states_the_answer():
    asked = question("Apex", "revenue", "fiscal year 2021")
    near, far = "Apex-4", pool(asked).strangers[0]
    told = {name: replace(CHUNKS[name], text=CHUNKS[name].text + " It was $1.5 billion.") for name in (near, far)}
    made = pool(asked, CHUNKS | told)
    assert near not in made.neighbours and far in made.strangers  # a figure of somebody else
    placed = question("Apex", "is headquartered in")
    far = pool(placed).strangers[0]
    told = {name: replace(CHUNKS[name], text=CHUNKS[name].text + " It is in Boston.") for name in (near, far)}
    made = pool(placed, CHUNKS | told)
    assert near not in made.neighbours and far not in made.strangers
    assert "Apex-6" not in pool(replace(placed, alternatives=(("Apex-6",),))).neighbours
    assert "Apex-6" not in pool(replace(placed, parts=((placed.chunk_ids[0], "Apex-6"),))).neighbours


def test_a_single_document_has_no_strangers():
    alone = {name: chunk for name, chunk in CHUNKS.items() if chunk.doc_id == "Apex"}
    assert pool(question("Apex", "tax rate"), alone).strangers == ()


def test_a_document_more_moves_few_strangers_and_the_order_of_rows_none():
    asked = question("Apex", "tax rate")
    before = set(pool(asked).strangers)
    backwards = dict(reversed(list(CHUNKS.items())))
    assert pool(asked, backwards, dict(reversed(list(TRIPLETS.items())))) == pool(asked)
    more = CHUNKS | {
        f"Europa-{i}": Chunk(f"Europa-{i}", "Europa", i, i + 1, "text", "", text_of("Europa", i), 9) for i in range(10)
    }
    after = set(pool(asked, more).strangers)
    assert len(before & after) > len(before) / 2


def test_swaps_are_of_the_same_measure_and_of_its_own_years_first():
    swaps = pool(question("Apex", "revenue", "fiscal year 2021")).swaps
    assert {swaps[0].new, swaps[1].new} == {"$1,200", "$1,800"}
    known = [s for s in swaps if s.source]
    assert {s.kind for s in swaps} == {"MONEY"} and {TRIPLETS[s.source].relation for s in known} == {"revenue"}


def test_no_swap_is_implausible_or_the_answer_in_another_notation():
    asked = replace(question("Apex", "revenue", "fiscal year 2022"), aliases=("$1.8 billion", "1,800 million"))
    swaps = pool(asked).swaps
    assert not any(contains_answer(s.new, asked.answer, asked.aliases) for s in swaps)
    assert not {s.new for s in swaps} & {"$90,000", "$9", "$1", "$2", "$1,799"}


def test_a_name_is_swapped_for_one_that_is_said_of_others():
    swaps = pool(question("Apex", "is headquartered in")).swaps
    assert {s.new for s in swaps} == {"Denver", "Austin", "Tampa"}


def test_what_leads_to_the_answer_can_be_swapped_too():
    first, second = TRIPLETS[row_id("Apex", "is headquartered in", "")], question("Apex", "tax rate")
    asked = replace(
        second,
        text="What was the tax rate of the company that is headquartered in Boston?",
        triplet_ids=(first.triplet_id, *second.triplet_ids),
    )
    assert {s.old for s in pool(asked).swaps} == {"20.5%", "Boston"}


def test_a_subject_of_no_known_type_is_swapped_for_a_name():
    untyped = {
        name: replace(t, subject_type="", entity="Group", source_sentence=f"{t.subject}: {t.answer}")
        for name, t in TRIPLETS.items()
    }
    rate, place = (untyped[row_id("Apex", relation, "")] for relation in ("tax rate", "is headquartered in"))
    asked = replace(question("Apex", "tax rate"), entity="Group", triplet_ids=(place.triplet_id, rate.triplet_id))
    swaps = pool(asked, triplets=untyped).swaps
    assert {swap.kind for swap in swaps if swap.old == "Apex"} == {"NAME"}
    assert all(swap.kind for swap in swaps)


def test_facts_of_neighbours_get_others_of_their_kind_and_never_the_answer():
    near = {k: replace(t, chunk_id="Apex-6") if t.doc_id == "Apex" else t for k, t in TRIPLETS.items()}
    asked = question("Apex", "tax rate")
    made = pool(asked, triplets=near)
    assert {s.old for s in made.counterfacts} >= {"$1,200", "Boston"}
    assert not any(contains_answer(s.new, asked.answer) for s in made.counterfacts)


def test_only_a_file_of_questions_gives_swaps_of_the_same_shape():
    asked = [
        Question("a", "", "single", "Which city has the mint?", "Denver", (), (), ("Apex-1",), (), ()),
        Question("b", "", "single", "Which city is the capital of Texas?", "Austin", (), (), ("Borealis-1",), (), ()),
        Question("c", "", "single", "Who founded it?", "Jane Roe", (), (), ("Cygnus-1",), (), ()),
        Question("d", "", "single", "How many people work there?", "1,500", (), (), ("Cygnus-2",), (), ()),
        Question("e", "", "single", "Is it so?", "yes", (), (), ("Cygnus-2",), (), ()),
    ]
    made = {p.question_id: p.swaps for p in draw(asked, PerturbConfig(), chunks=CHUNKS)}
    assert [(s.new, s.source) for s in made["a"]] == [("Austin", "b")]
    assert made["c"] == () and made["e"] == ()
    assert len(made["d"]) >= 10 and {s.source for s in made["d"]} == {""}


def test_a_rejected_question_has_no_pool():
    asked = replace(question("Apex", "tax rate"), rejected_because="no")
    assert list(draw([asked], PerturbConfig(), chunks=CHUNKS, triplets=TRIPLETS)) == []


def test_names_that_are_listed_together_stand_in_for_one_another_where_there_is_no_graph():
    told = (
        "It sells in the Americas, Europe, Greater China and Japan. In Apex, Beta or Gamma it does not; nor in A and B."
    )
    chunks = CHUNKS | {"x": Chunk("x", "x", 0, len(told), "text", "", told, 0)}
    asked = Question("a", "", "single", "In which segment is India?", "Europe", (), (), ("Apex-1",), (), ())
    (made,) = draw([asked], PerturbConfig(), chunks=chunks)
    assert {s.new for s in made.swaps} == {"Americas", "Greater China", "Japan"}
    assert find_listed_names(["We, Apex and so on", "Apex and Beta", "in Apex, Beta or Gamma"])["Beta"] == (
        "Apex",
        "Gamma",
    )


def test_a_person_gets_another_surname_and_no_place_stands_for_a_stadium():
    def asked(name: str, text: str, answer: str) -> Question:
        return Question(name, "", "single", text, answer, (), (), ("Apex-1",), (), ())

    questions = [
        asked("a", "Who first walked on the Moon?", "Neil Armstrong"),
        asked("b", "Who wrote Hamlet?", "William Shakespeare"),
        asked("c", "Who won the game?", "Denver Broncos"),
        asked("d", "Where was it played?", "Levi's Stadium"),
        asked("e", "Where was she born?", "Warsaw"),
        asked("f", "Who climbed it first?", "Edmund Hillary and Tenzing Norgay"),
    ]
    made = {p.question_id: [s.new for s in p.swaps] for p in draw(questions, PerturbConfig(), chunks=CHUNKS)}
    assert made == {"a": ["Neil Shakespeare"], "b": ["William Armstrong"], "c": [], "d": [], "e": [], "f": []}


def test_a_note_that_leads_to_the_answer_gets_another_rate_and_keeps_its_year():
    assert is_security("1.150% Notes Due November 2028") and not is_security("12% of revenue")
    made = [s.new for s in find_other_rates("1.150% Notes Due November 2028", "TEXT")]
    assert made[:2] == ["1.400% Notes Due November 2028", "0.900% Notes Due November 2028"] and len(set(made)) > 9


def test_links_of_no_type_are_swapped_for_names():
    near = {
        name: replace(t, chunk_id="Apex-6", object_type="") if t.doc_id == "Apex" and not t.value else t
        for name, t in {
            k: replace(t, object_type="" if not t.value else t.object_type) for k, t in TRIPLETS.items()
        }.items()
    }
    asked = question("Apex", "tax rate")
    assert {swap.kind for swap in pool(asked, triplets=near).counterfacts} == {"NAME"}
