"""Questions about rules with a measure."""

import pytest

from rarefy.data_contracts.rows import Triplet
from rarefy.tasks.questions.ask.facts import ask_deadline


def _asked(sentence: str, under: str = "24 CFR 581.8") -> str | None:
    names = ("t", "c", "d", 0, len(sentence), f"X under {under}", "must", "45 days", sentence, "deadline")
    return ask_deadline(Triplet(*names, entity="24 CFR Part 581"))


@pytest.mark.parametrize(
    ("sentence", "question"),
    [
        (
            "(a) The PHA must reexamine the income of all families at least once every 12 months.",
            "Under 24 CFR 581.8, how often, at a minimum, must the PHA reexamine the income of all families?",
        ),
        (
            "Within 30 days after service of the charge, a respondent may file an answer.",
            "Under 24 CFR 581.8, within how many days after service of the charge may a respondent file an answer?",
        ),
        (
            "When GSA receives notice, GSA will transmit a response to HUD within 45 days regarding the property.",
            "Under 24 CFR 581.8, when GSA receives notice, within how many days will GSA transmit a response to HUD "
            "regarding the property?",
        ),
        (
            "At least 50 percent of the ventilation area shall be provided by ventilators.",
            "Under 24 CFR 581.8, at least what percentage of the ventilation area must be provided by ventilators?",
        ),
        (
            "The term of the loan guaranteed under this part may not exceed 20 years.",
            "Under 24 CFR 581.8, at most how many years may the term of the loan guaranteed under 24 CFR Part 581 be?",
        ),
        (
            "The owner must commence marketing activities not later than 90 days before the date of availability.",
            "Under 24 CFR 581.8, at least how many days before the date of availability must the owner commence "
            "marketing activities?",
        ),
        (
            "HUD must complete a review of each application no later than 60 days after receipt of the application.",
            "Under 24 CFR 581.8, within how many days after receipt of the application must HUD complete a review of "
            "each application?",
        ),
        (
            "The term of the lease will be for not less than one year.",
            "Under 24 CFR 581.8, at least how many years will the term of the lease be?",
        ),
        (
            "Every landing must have a minimum dimension of 36 inches.",
            "Under 24 CFR 581.8, what minimum dimension must every landing have?",
        ),
        (
            "Records must be retained by the owner for 3 years, and must be made available to HUD.",
            "Under 24 CFR 581.8, for how many years must records be retained by the owner?",
        ),
    ],
)
def test_the_question_keeps_the_rules_own_words(sentence: str, question: str) -> None:
    first = question[len("Under 24 CFR 581.8, ") : -1]
    assert _asked(sentence) in {question, f"{first[0].upper()}{first[1:]}, under 24 CFR 581.8?"}


def test_a_rule_with_a_condition_or_another_rule_in_it_names_its_section_first() -> None:
    for sentence in ("If the work is late, the owner must give notice within 30 days.",
                     "The term of the loan guaranteed under this part may not exceed 20 years."):  # fmt: skip
        assert str(_asked(sentence)).startswith("Under 24 CFR 581.8, ")


def test_other_regulations_are_asked_alike() -> None:
    sentence = "Member States shall notify the Commission within six months of adoption."
    assert _asked(sentence, "Article 12 of Directive 2019/1023") == (
        "Within how many months of adoption must Member States notify the Commission, under Article 12 of Directive "
        "2019/1023?"
    )


def test_a_name_keeps_its_capital_and_a_compound_of_a_common_word_does_not() -> None:
    for subject, said in (("Larkfield", "Larkfield"), ("Subrecipients", "subrecipients"), ("Anyone", "anyone")):
        sentence = f"{subject} must notify the student within 45 days of receipt."
        assert f"must {said} notify" in str(_asked(sentence))


def test_what_is_no_rule_gives_no_question() -> None:
    assert _asked("The term ends after 20 years.") is None
