"""Which answers decline to answer, by words to that effect, and what is left beside them."""

import pytest

from rarefy.tasks.text.refusals import refusal


@pytest.mark.parametrize(
    "text",
    [
        "I cannot determine this from the passages.",
        "I'm not able to determine this. The table is cut off before the line.",
        "I’m unable to answer this question.",
        "I'm sorry, but the information provided does not include the sum.",
        "The text does not provide the sum. However, it does not mention any other either.",
        "The filing includes notes, but it does not say so. Therefore, it is not possible to calculate the margin.",
        "The company does not explicitly state what it expects to pay.",
        "There is no explicit mention of the number of stores in the filing.",
        "The ratio cannot be calculated from what is given.",
        "No information is available about this.",
        "The minutes don't say when the meeting ended.",
        "Unknown",
        "The minutes do not mention it.",
        "The price list of 2024 does not give it.",
        "Sure! Here is what I found.\n\nI don't know.\n\nLet me know if you need more.",
        "Thanks for your question! Unfortunately, the policy excerpt doesn't list it. You may want to contact HR.",
        "No relevant passage was found for this question.",
        "There is nothing in the release notes about the licence of the kit.",
        "The catalogue entry doesn't identify a workshop.",
        "The answer isn't in the text.",
        "I looked through the pages, and none of them says when it closes.",
        "The minutes are silent on this point.",
        "Nothing in these records tells us the minimum age.",
        "idk, it doesn't say",
        "Could you share the section on fees? I only have the one on dress.",
    ],
)
def test_what_declines_refuses(text: str) -> None:
    told = refusal(text, "", general=True)
    assert told is not None and not told.own and not told.guess
    assert refusal(text, "", general=False) is None  # where only a protocol's own words count


@pytest.mark.parametrize(
    "text",
    [
        "It does not include tax.",  # no word of a source: an answer
        "They do not have any subsidiaries.",
        "No. 7 facility",
        "Sure! Here is what I found. It is 24. Let me know if you do not need more.",
        "The policy does not cover contractors.",
        "Unfortunately, dogs are not allowed on the terraces.",
        "The margin is not improving: it fell from 12 % to 10 %.",
        "Revenue was $5 million. Costs were $3 million. The passage does not say more. Profit was $2 million.",
    ],
)
def test_an_answer_that_sounds_like_one_is_no_refusal(text: str) -> None:
    assert refusal(text, "", general=True) is None


def test_what_is_offered_all_the_same_is_kept() -> None:
    told = refusal(
        "As an AI language model, I do not have current data. However, it is Paris, France.", "", general=True
    )
    assert told is not None and "Paris" in told.guess


def test_an_amount_with_a_maybe_is_a_guess() -> None:
    told = refusal("I don't know, maybe $12 million", "", general=True)
    assert told is not None and "12 million" in told.guess
