"""What a computed answer is where one of its operands reads otherwise."""

import pytest

from rarefy.data_contracts.rows import Question
from rarefy.tasks.questions.other_answers import leads_elsewhere

QUESTIONS = {
    name: Question("q", "p", pattern, "?", answer, (), (), (), (), (), arithmetic=arithmetic, members=members)
    for name, pattern, answer, arithmetic, members in (
        ("larger", "comparison", "Meta", "largest [5,627 | 6,184] of {Amazon | Meta} = 6184000000; exact; USD", ()),
        ("lowest", "superlative", "2022", "smallest [9.1 | 7.4 | 8] of {2021 | 2022 | 2023} = 0.074; exact; pure", ()),
        ("change", "change", "$151 million", "difference [$300 | $451] = 151000000; not rounded; USD", ()),
        ("percent", "change", "48.2%", "percentage change [5,619 | $8,330] = 48.25%; rounded; percent", ()),
        ("share", "share", "22.2%", "share [$13,517 | $60,922] = 22.19%; rounded; percent", ()),
        ("scales", "share", "48.2%", "share [$40.5 | $84,039] = 48.19%; rounded; percent", ()),
        ("set", "listing", "B and C", "members [$909 | $5,410 | $1,213] of {A | B | C} = 2; 1000000000", ("B", "C")),
    )
}  # fmt: skip


@pytest.mark.parametrize(
    ("name", "old", "new", "elsewhere"),
    [
        ("larger", "5,627", "6,203", True),
        ("larger", "5,627", "6,035", False),
        ("larger", "6,184", "9,999", False),
        ("larger", "5,627", "6,184", False),  # as large as the other: no answer
        ("lowest", "9.1", "7.2", True),
        ("lowest", "7.4", "1.2", False),
        ("change", "$300", "$337", True),
        ("percent", "5,619", "5,000", True),
        ("percent", "5,619", "5,620", False),  # the same to a tenth
        ("share", "$60,922", "$70,000", True),
        ("scales", "$40.5", "$37.9", False),  # billions of millions: what is printed is not enough
        ("set", "$909", "$1,012", True),
        ("set", "$909", "$765", False),
        ("set", "$5,410", "$12", True),
        ("share", "$1", "$2", False),  # no operand
        ("share", "$13,517", "none", False),
    ],
)
def test_another_figure_gives_another_answer(name, old, new, elsewhere):
    assert leads_elsewhere(QUESTIONS[name], old, new) is elsewhere
