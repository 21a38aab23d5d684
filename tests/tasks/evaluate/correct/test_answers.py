"""Every answer of the two hand-made collections comes out as a careful reader has it, and none is wrongly decided."""

import tomllib
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Answer, Question, Trial
from rarefy.tasks.evaluate.correct import score
from rarefy.tasks.evaluate.correct.config import CorrectConfig
from rarefy.tasks.evaluate.correct.normalise import extract_answer
from rarefy.tasks.evaluate.correct.verdict import match_answer, read_gold

VERDICTS = ("right", "wrong", "open")


@dataclass(frozen=True)
class Pair:
    question: Question
    answer: str
    expected: str


def read(name):
    found = tomllib.loads((Path(__file__).parent / name).read_text(encoding="utf-8"))
    for key, about in found.items():
        fields = {field: about[field] for field in ("entity", "period", "language", "domain") if field in about}
        aliases = tuple(about.get("aliases", ()))
        question = Question(key, "p", "single", about["question"], about["gold"], aliases, (), (), (), (), **fields)
        yield from (Pair(question, answer, verdict) for verdict in VERDICTS for answer in about.get(verdict, ()))


PAIRS = [*read("answers.toml")]
UNSEEN = [*read("unseen.toml")]


def outcome(pair, **options):
    text = extract_answer(pair.answer, pair.question.language)
    return match_answer(text, *read_gold(pair.question), CorrectConfig(**options))


@pytest.mark.parametrize("pair", [*PAIRS, *UNSEEN], ids=lambda pair: f"{pair.question.question_id}: {pair.answer[:50]}")
def test_an_answer_is_what_a_careful_reader_makes_of_it(pair):
    found = outcome(pair)
    assert found.verdict == pair.expected, f"{found.why or found.stage}: gold {pair.question.answer!r}"


def test_the_collections_are_large_and_of_all_kinds():
    counted = Counter(pair.expected for pair in (*PAIRS, *UNSEEN))
    assert counted.total() >= 600 and min(counted.values()) >= 100
    kinds = {read_gold(pair.question)[0].kind for pair in PAIRS}
    assert kinds == {"verdict", "version", "clock", "frequency", "moment", "value", "text", "parts"}


def test_a_decision_says_what_was_matched_and_an_open_answer_why():
    for pair in (*PAIRS, *UNSEEN):
        found = outcome(pair)
        if found.verdict == "open":
            assert found.why and not found.stage
        else:
            assert found.stage in ("exact", "contained", "value") and found.matched


def test_without_the_stage_for_values_nothing_is_decided_as_wrong():
    assert not [pair for pair in (*PAIRS, *UNSEEN) if outcome(pair, value=False).verdict == "wrong"]


def test_the_gold_answer_and_each_alias_are_right():
    for question in {pair.question.question_id: pair.question for pair in (*PAIRS, *UNSEEN)}.values():
        for form in (question.answer, *question.aliases):
            assert outcome(Pair(question, form, "right")).verdict == "right", (question.answer, form)


def test_no_answer_to_another_question_is_taken_for_right():
    """Each gold answer of the collections held against every other question: what is right must be the same."""
    every = {pair.question.question_id: pair.question for pair in (*PAIRS, *UNSEEN)}
    questions = [one for name, one in every.items() if not name.startswith("prose_")]  # those repeat others
    same = set()
    for mine in questions:
        for other in questions:
            verdicts = {one.answer.lower().partition(",")[0] for one in (mine, other)}
            if mine is other or verdicts <= {"yes", "no", "none"}:
                continue
            if outcome(Pair(mine, other.answer, "open")).verdict == "right":
                same.add((mine.question_id, other.question_id))
    weeks = {("timeout", "check_ins")}  # one week, and weekly
    nothing = {("throttle", "events")}  # in whatever unit
    assert same == {("revenue", "cell"), ("cell", "revenue")} | weeks | nothing  # both are 47,525


AROUND = (
    "Great question! {}",
    "{} Please let me know if you need anything else.",
    "Based on the provided context, {}",
    "{} [1][2]",
    "Hello! Here is what I found: {} If you need more details, feel free to ask. I hope this helps!",
    "{}\n\nLet me know if you have any other questions.",
)


def test_courtesies_and_citations_around_an_answer_change_nothing():
    every = [*PAIRS, *UNSEEN]
    questions = {pair.question.question_id: pair.question for pair in every}
    wordings = {}
    for at, pair in enumerate(every):
        ended = pair.answer if pair.answer.rstrip()[-1:] in ".!?" else f"{pair.answer.rstrip()}."
        around = [AROUND[(at + step) % len(AROUND)] for step in (0, 3)]  # each answer in two of them
        texts = [
            pair.answer,
            ended,
            *(one.format(ended if "{} " in one and "[" not in one else pair.answer) for one in around),
        ]
        wordings |= {f"{at} {number}": (pair.question, text) for number, text in enumerate(texts)}
    trials = {key: Trial(key, "rare", question.question_id, "", "own", key) for key, (question, _) in wordings.items()}
    answers = [Answer(key, "s", key, text) for key, (_, text) in wordings.items()]
    rows = {row.trial_id: row for row in score(answers, CorrectConfig(), trials=trials, questions=questions)}
    for key, row in rows.items():
        own = [rows[f"{key.split()[0]} {number}"] for number in range(2)]  # with a full stop and without
        assert (row.value, row.refused) in [(one.value, one.refused) for one in own], wordings[key][1]


def test_the_plain_match_is_the_papers_inclusive_one():
    """RARE §6.1: a form anywhere in the text as whole words, denied or not; without a form in it nothing is right."""
    question = PAIRS[0].question
    for text in ("not 47,525", "either $46 billion or $47.5 billion", "12,914, 47,525, 15,005, 10,613"):
        assert outcome(Pair(question, text, ""), match="plain").verdict == "right"
    for text in ("147,525", "5", "47", "", "$47.5"):
        assert outcome(Pair(question, text, ""), match="plain").verdict == "open"


@pytest.mark.parametrize(("extra", "verdict"), [("judge", "open"), ("right", "right"), ("wrong", "wrong")])
def test_a_right_value_beside_others_has_a_stated_outcome(extra, verdict):
    text = "Data Center revenue was $47,525 million. Gaming revenue was $10,447 million."
    assert outcome(Pair(PAIRS[0].question, text, ""), extra=extra).verdict == verdict


@pytest.mark.parametrize("extra", ["judge", "right"])
@pytest.mark.parametrize(
    "text",
    ["12,914, 47,525, 15,005, 10,613, 60,922", "either $46 billion or $47.5 billion", "between $46 and $47.5 billion"],
)
def test_a_list_of_numbers_or_a_choice_never_contains_the_answer(text, extra):
    assert outcome(Pair(PAIRS[0].question, text, ""), extra=extra).verdict == "open"


@pytest.mark.parametrize(("rounding", "verdict"), [(0.0001, "open"), (0.005, "right"), (0.02, "right")])
def test_how_far_a_rounding_may_be_off_is_an_option(rounding, verdict):
    assert outcome(Pair(PAIRS[0].question, "$47.5 billion in all", ""), rounding=rounding).verdict == verdict


def test_an_answer_of_several_parts_says_how_many_it_covers():
    question = next(pair.question for pair in PAIRS if pair.question.question_id == "owners")
    found = outcome(Pair(question, "Alto and Larkspur", ""))
    assert (found.verdict, found.why, round(found.covered, 3)) == ("wrong", "missing_part", 0.667)


def _ask(text: str, gold: str, *aliases: str) -> Question:
    return Question("q", "p", "single", text, gold, aliases, (), (), (), ())


SHARE = _ask("What share of Larkspur's assets was in Taiwan at the end of fiscal 2023?", "18.4%", "18.4 percent")
SALES = _ask("What were Larkspur's net sales in fiscal 2024, in millions of dollars?", "96,169", "$96.2 billion")
ISSUED = _ask("When did Larkspur issue its senior notes due 2052?", "June 9, 2022")
KEPT = _ask("What share of what it collects may an agency keep?", "Fifty percent")
BANK = _ask("Which Federal Reserve Bank hosted the survey?", "Federal Reserve Bank of Dallas", "the Dallas Fed")
SEGMENT = _ask("Which segment had the lowest revenue in fiscal 2021?", "Embedded", "the Embedded segment")
AUDITOR = _ask("Which firm audits Larkspur?", "Ernst & Young LLP")
MARKET = _ask("Where was Larkspur's revenue highest?", "Taiwan")
ENTITIES = _ask("At least how many entities must compete for funds?", "three")
SPAN = _ask("When did the officer serve?", "during his initial training")


@pytest.mark.parametrize(
    ("question", "text", "verdict"),
    [  # of the kind that is asked, in another kind, in none
        (SHARE, "Down 55%", "wrong"),
        (SHARE, "379 million", "wrong"),
        (SHARE, "12", "wrong"),
        (SHARE, "0.184", "right"),
        (SALES, "third", "wrong"),
        (SALES, "one", "wrong"),
        (SALES, "Larkspur Bottling A.Ş.", "wrong"),
        (SALES, "third-party carriers and wholesalers", "wrong"),
        (SALES, "a third", "open"),
        (SALES, "Both.", "wrong"),
        (SALES, "None of them", "wrong"),
        (ISSUED, "2032", "wrong"),
        (ISSUED, "2022", "open"),
        (ISSUED, "2023", "wrong"),
        (ISSUED, "9 Jun 2022", "right"),
        (KEPT, "half", "right"),
        (KEPT, "one-half", "right"),
        (BANK, "3 million square feet", "wrong"),
        (BANK, "May 2015", "wrong"),
        (SEGMENT, "$16,434 million", "wrong"),
        (SEGMENT, "Gaming", "wrong"),
        (SPAN, "2015", "open"),
        (AUDITOR, "EY", "right"),
        (AUDITOR, "E&Y", "right"),
        (_ask("What are the hours?", "5:30pm to 1:30am"), "5:30am to 1:30pm", "wrong"),
        (_ask("What drove margins?", "higher Services net sales"), "increased net sales of Services", "right"),
        (_ask("What drove margins?", "higher Services net sales"), "lower Services net sales", "wrong"),
        (_ask("Where is it?", "Santa Clara, California"), "Santa Clara", "right"),
        (_ask("Which segment?", "North America"), "Latin America", "wrong"),
        (_ask("What was the range?", "0 to 1/4 percent"), "0.25 to 0.5 percent", "wrong"),
        (SALES, "$96.17B", "right"),
        (_ask("By what percentage was equity lower in fiscal 2022 than in 2021?", "20.4%"), "-20.4%", "right"),
        (_ask("By what percentage did sales increase?", "20.4%"), "They fell 20.4%", "wrong"),
        (AUDITOR, "No one", "wrong"),
        (AUDITOR, "The auditor is Deloitte.", "wrong"),
        (MARKET, "China, followed by Taiwan", "open"),
        (MARKET, "China's revenue was higher than that of Taiwan.", "open"),
        (MARKET, "Taiwan, followed by China", "right"),
        (ENTITIES, "Funds must be offered so that at least three entities are viable competitors.", "right"),
        (ENTITIES, "more than three", "open"),
    ],
)
def test_a_short_answer_of_another_kind_is_wrong_and_one_that_may_mean_the_right_one_stays_open(
    question, text, verdict
):
    assert match_answer(text, *read_gold(question), CorrectConfig()).verdict == verdict


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ('```json\n{"answer": "Apple", "confidence": 0.9}\n```', "Apple"),
        ('["Apple", "AMD"]', "Apple; AMD"),
        ("- Apple\n- AMD", "Apple\nAMD"),
        ("- $5 million", "$5 million"),
        ("<answer>5</answer>", "5"),
        ("Sure! Apple\u00b9", "Apple"),
        ("Answer \u2014 Apple (source: 10-K, page 3)", "Apple"),
        ("5,321 (in millions)", "5,321 million"),
        ("2 427", "2,427"),
        ("FY24 Q3", "Q3 2024"),
        ("9-Jun-2022", "9 Jun 2022"),
        ("200+ countries", "more than 200 countries"),
    ],
)
def test_what_is_around_an_answer_is_no_part_of_it(text, answer):
    assert extract_answer(text) == answer
