from dataclasses import replace

import pytest

from rarefy.data_contracts.rows import Answer, Chunk, Hits, Passage, Question, Span, Trial, Unanswered, Variant, row_id
from rarefy.tasks.evaluate.systems.answer import AnswerConfig, TrialRenderer, answer, select_trials
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.evaluate.systems.interface import SystemOutput

GOLD, OTHER = "c-gold", "c-other"
CHUNKS = {
    GOLD: Chunk(GOLD, "d", 0, 30, "text", "", "Acme had revenue of $12\nmillion in 2024.", 10, title="Acme 10-K"),
    OTHER: Chunk(OTHER, "d", 30, 60, "text", "", "Acme is in Reno.", 10, title="Acme 10-K"),
}
QUESTION = Question(
    "q", "p", "single", "What was Acme's revenue in 2024?", "$12 million", ("12 million dollars",), (), (GOLD,),
    ("Acme had revenue of $12 million in 2024.",), (Span(GOLD, 0, 30),),
)  # fmt: skip
WORDED = Variant("v-none", "q", "query", "none", QUESTION.text)
TYPO = Variant("v-typo", "q", "query", "typos", "What was Acme's revnue in 2024?")
JSON = Variant("v-json", "q", "document", "json", '{"title": "Acme 10-K"}', GOLD, family="format")
GONE = Variant("v-gone", "q", "document", "answer_deleted", "Acme.", GOLD, family="deletion")
VARIANTS = {row.variant_id: row for row in (WORDED, TYPO, JSON, GONE)}
HITS = {"h": Hits("h", "hybrid", "v-none", "q", (OTHER, GOLD), (2.0, 1.0), (OTHER, GOLD))}
EXTRACTIVE = SystemConfig(kind="extractive", k=1)


def trial(given="passages", protocol="rare", **told):
    made = {"cell": "gold", "query_id": "v-none", **told}
    if given == "passages":
        made.setdefault("passage_ids", (GOLD, OTHER))
        made.setdefault("ranks", tuple(range(1, len(made["passage_ids"]) + 1)))
    return Trial(row_id(protocol, given, str(sorted(made.items()))), protocol, "q", given=given, **made)


class Heard:
    """A system that says back how many passages it saw, and remembers what it was asked."""

    def __init__(self, **said):
        self.asked, self.said = [], said

    def __call__(self, asked):
        for one in asked:
            self.asked.append(one)
            yield SystemOutput(one.asked_id, text=f"{len(one.passages or ())} seen", **self.said)


def answers(trials, system, config=EXTRACTIVE):
    found = answer(
        trials,
        AnswerConfig(name="mine", system=config),
        questions={"q": QUESTION},
        variants=VARIANTS,
        chunks=CHUNKS,
        hits=HITS,
        system=system,
    )
    return list(found)


def test_what_is_asked_twice_is_asked_once_and_answers_both():
    system = Heard()
    rows = answers([trial(k=2), trial(cell="retrieved", retriever="bm25"), trial(query_id="v-typo")], system)
    assert [one.query for one in system.asked] == [QUESTION.text, TYPO.text]
    assert len(rows) == 3 and rows[0].asked_id == rows[1].asked_id != rows[2].asked_id


def test_a_system_sees_neither_the_answer_nor_what_was_changed():
    system = Heard()
    answers([trial(query_id="v-typo", query="typos")], system)
    (one,) = system.asked
    assert QUESTION.answer not in repr(replace(one, passages=())) and "typos" not in repr(one)


def test_passages_come_in_the_order_of_the_trial_with_the_titles_of_their_documents():
    system = Heard()
    answers([trial(passage_ids=(OTHER, "v-json"))], system)
    first, second = system.asked[0].passages
    assert (first.text, first.title) == ("Acme is in Reno.", "Acme 10-K")
    assert (second.text, second.title) == (JSON.text, ""), "what is laid out as JSON has its title in it"


def test_closed_book_is_no_passages_and_not_a_retrieval_of_its_own():
    system = Heard()
    (row,) = answers([trial("closed_book", cell="probe")], system)
    assert system.asked[0].passages == () and (row.gold, row.shown) == (0.0, 0)


def test_of_too_much_the_lowest_rank_is_dropped_whatever_the_order():
    sizes = TrialRenderer(EXTRACTIVE, {}, {}, CHUNKS, {})
    tokens = sizes._count_tokens([f"Acme 10-K\n{CHUNKS[GOLD].text}", QUESTION.text])
    tight = EXTRACTIVE.model_copy(update={"context_tokens": sum(tokens)})
    system = Heard()
    rows = answers(
        [trial(ranks=(1, 2)), trial(passage_ids=(OTHER, GOLD), ranks=(2, 1), order="reversed")], system, tight
    )
    assert [[one.passage_id for one in asked.passages] for asked in system.asked] == [[GOLD]]
    assert [row.shown for row in rows] == [1, 1] and rows[0].asked_id == rows[1].asked_id
    assert [row.gold for row in rows] == [1.0, 1.0]


def test_gold_that_was_dropped_is_not_counted_as_shown():
    tight = EXTRACTIVE.model_copy(update={"context_tokens": 25})
    (row,) = answers([trial(passage_ids=(OTHER, GOLD))], Heard(), tight)
    assert (row.shown, row.gold, row.answer_shown) == (1, 0.0, False)


def test_the_answer_is_seen_in_passages_across_line_breaks_and_not_inside_a_longer_number():
    shown, _ = answers([trial(), trial(passage_ids=(OTHER,))], Heard())
    assert shown.answer_shown is True
    inside = {**CHUNKS, OTHER: replace(CHUNKS[OTHER], text="It had revenue of $112 million.")}
    renderer = TrialRenderer(EXTRACTIVE, {"q": QUESTION}, VARIANTS, inside, HITS)
    (passage,) = renderer.find_passages(trial(passage_ids=(OTHER,)))
    assert renderer._state_answer(QUESTION, [passage]) is False


def test_a_chunk_whose_answer_was_deleted_is_no_gold():
    (row,) = answers([replace(trial(passage_ids=("v-gone", OTHER)), gold=0.0)], Heard())
    assert (row.gold, row.answer_shown) == (0.0, False)


def test_ours_retrieve_what_the_benchmark_retrieved_for_them():
    system = Heard()
    (row,) = answers([trial("own")], system)
    assert [one.passage_id for one in system.asked[0].passages] == [OTHER]
    assert row.retrieved == (Passage(OTHER, "", "Acme 10-K"),) and row.gold == 0.0


def test_one_that_retrieves_itself_is_asked_without_passages_and_its_gold_is_known_by_name():
    own = SystemConfig(kind="json:dumps", takes=("own",), version="1")
    for passage, gold in ((Passage(GOLD, "…"), 1.0), (Passage("8", "Reno"), 0.0)):
        system = Heard(retrieved=(passage,))
        (row,) = answers([trial("own")], system, own)
        assert system.asked[0].passages is None
        assert (row.gold, row.retrieved) == (gold, (passage,))


def test_what_nobody_tells_of_retrieval_is_not_known():
    own = SystemConfig(kind="json:dumps", takes=("own",), version="1")
    (row,) = answers([trial("own")], Heard(), own)
    assert (row.gold, row.answer_shown) == (-1.0, None)


def test_ours_are_not_asked_for_their_own_retrieval_where_the_protocol_shows_it_to_them():
    asked = select_trials([trial(), trial("own"), trial("own", protocol="effect_size")], EXTRACTIVE)
    assert [(row.protocol, row.given) for row in asked] == [("rare", "passages"), ("effect_size", "own")]
    both = SystemConfig(kind="json:dumps", takes=("own", "passages"), version="1")
    assert len(select_trials([trial(), trial("own")], both)) == 2


def test_a_repeat_is_asked_again_and_a_protocol_is_told_only_to_those_that_read_it():
    system = Heard()
    answers([trial(), trial(cell="repeat", number=1), trial(protocol="sure")], system)
    assert [(one.protocol, one.repeat) for one in system.asked] == [("", 0), ("", 1), ("", 0)]
    assert system.asked[0].refusal != system.asked[2].refusal, "extractive refuses in each protocol's own words"


def test_a_fault_is_an_answer_with_an_error_and_a_row_that_tells_of_it():
    def broken(asked):
        for one in asked:
            yield SystemOutput(one.asked_id, error="timeout", detail="after 60 s")

    row, fault = answers([trial()], broken)
    assert isinstance(row, Answer) and row.error == "timeout"
    assert isinstance(fault, Unanswered) and (fault.reason, fault.stage) == ("timeout", "answer mine")


def test_a_system_that_stops_short_leaves_errors_and_no_holes():
    def short(asked):
        yield SystemOutput(next(iter(asked)).asked_id, text="one")

    rows = answers([trial(), trial(query_id="v-typo")], short)
    assert [row.error for row in rows if isinstance(row, Answer)] == ["", "lost"]


def test_skipped_trials_and_those_that_a_system_does_not_take_are_not_asked():
    closed = EXTRACTIVE.model_copy(update={"takes": ("closed_book",)})
    system = Heard()
    rows = answers([trial(), trial("closed_book", skipped_because="needs_model"), trial("closed_book")], system, closed)
    assert len(system.asked) == len(rows) == 1


def test_a_wording_that_nothing_was_retrieved_for_is_an_error_that_names_it():
    with pytest.raises(ValueError, match=r"hybrid.*v-typo"):
        answers([trial("own", query_id="v-typo")], Heard())


def test_a_passage_that_states_the_same_is_gold_as_well():
    known = replace(QUESTION, alternatives=((OTHER,),))
    shown = trial(given="own")
    system = Heard(retrieved=(Passage(OTHER, "Acme is in Reno."),))
    config = AnswerConfig(name="mine", system=EXTRACTIVE)
    (row,) = answer([shown], config, questions={"q": known}, variants=VARIANTS, chunks=CHUNKS, hits=HITS, system=system)
    assert row.gold == 1.0
    for parts, share in (((OTHER,), (OTHER,)), 1.0), (((OTHER,), ()), 0.0):
        (gold,) = QUESTION.chunk_ids
        asked = {"q": replace(QUESTION, parts=tuple((gold, *others) for others in parts))}
        (row,) = answer([shown], config, questions=asked, variants=VARIANTS, chunks=CHUNKS, hits=HITS, system=system)
        assert row.gold == share
