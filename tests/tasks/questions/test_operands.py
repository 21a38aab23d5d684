"""What passages must state so that a computed question can be answered from them."""

from rarefy.data_contracts.rows import Question
from rarefy.tasks.questions.operands import as_passages_state_it, candidates_of, is_answerable, operands_of


def question(pattern: str, answer: str, arithmetic: str = "", aliases: tuple[str, ...] = ()) -> Question:
    return Question("q", "p", pattern, "?", answer, aliases, (), (), (), (), arithmetic=arithmetic)


GREW = question("change", "7.0%", "percentage change [110,543 | 118,254] = 6.98%; rounded half up to a tenth; percent")
TOLD = question("single", "$5", aliases=("5 dollars",))


def test_a_computed_question_is_looked_for_by_its_operands():
    assert operands_of(GREW) == ("110,543", "118,254") and operands_of(TOLD) == ()
    stated = as_passages_state_it(GREW)
    assert (stated.answer, stated.aliases) == ("110,543", ("118,254",))
    assert as_passages_state_it(TOLD) is TOLD


def test_passages_hold_a_computed_answer_only_with_all_operands():
    def states(text):
        return lambda form, aliases: any(one in text for one in (form, *aliases))

    assert is_answerable(GREW, states("from 110,543 to 118,254"))
    assert not is_answerable(GREW, states("it was 118,254, or 7.0% more"))
    assert is_answerable(TOLD, states("for 5 dollars"))


def test_names_that_are_chosen_from():
    of = question("comparison", "A", "largest [2 | 1] of {A | B, Inc.} = 2; not rounded; USD")
    assert candidates_of(of) == ("A", "B, Inc.") and operands_of(of) == ("2", "1")
    assert candidates_of(GREW) == ()
