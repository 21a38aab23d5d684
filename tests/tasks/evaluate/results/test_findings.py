"""Findings from scores, and the plain sentences that are made of them: nothing is said that scores do not show."""

import dataclasses

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from rarefy.data_contracts.rows import Answer, Score, Trial
from rarefy.data_contracts.tables import from_table, to_table
from rarefy.tasks.evaluate.protocols.frame import build_frame
from rarefy.tasks.evaluate.results import check, find_findings, headline, markdown, page, plain_summary, summary
from rarefy.tasks.evaluate.results.findings import rank_share, select_unchanged
from rarefy.tasks.evaluate.results.plain_summary import _describe_long, _describe_solved, plain_summaries
from rarefy.tasks.evaluate.results.wording import (
    describe_budget,
    describe_caution,
    format_share,
    slice_fields,
    table_rows,
)
from rarefy.tasks.text.characters import shorten_middle


def findings(tables: dict[str, pa.Table], *systems: str) -> dict:
    frames = []
    for system in systems or ("plain",):
        scores = tables["scores"].filter(pc.equal(tables["scores"]["system"], system))
        answers = tables["answers"].filter(pc.equal(tables["answers"]["system"], system))
        one = build_frame(tables["trials"], answers, scores, tables["questions"], tables["chunks"])
        frames.append((system, "rare", one))
    return find_findings(frames, tables)


def scored(tables: dict[str, pa.Table], cells: dict[str, float]) -> dict[str, pa.Table]:
    """The tables with all answers of these cells scored so."""
    cell = dict(zip(*(tables["trials"][name].to_pylist() for name in ("trial_id", "cell")), strict=True))
    rows = [
        dataclasses.replace(row, status="scored", value=cells[cell[row.trial_id]], refused=False)
        if cell[row.trial_id] in cells
        else row
        for row in from_table(tables["scores"], Score)
    ]
    return {**tables, "scores": to_table(rows, Score)}


def test_unchanged_questions_are_counted_with_what_was_retrieved(made):
    found = findings(made(6))["plain"]["unchanged"]
    assert (found["passages"], found["retrievers"], found["questions"], found["answers"]) == (
        "retrieved",
        ["bm25"],
        6,
        6,
    )
    assert (found["right"], found["wrong"], found["refused"], found["unscored"]) == (5, 0, 0, 1)


def test_a_change_that_hurts_has_its_counts_and_a_real_example(made):
    tables = made(6)
    (change,) = findings(tables)["plain"]["changes"]
    assert (change["change"], change["side"], change["protocol"]) == ("character", "question", "rare")
    assert (change["right_before"], change["lost"], change["won"]) == (6, 6, 0)
    assert (change["questions_right_before"], change["questions_lost"]) == (6, 6)
    example = change["example"]
    assert "fisacl" in example["question"] and example["right"] == "$47.5 billion"
    (said,) = [
        row["text"]
        for row in tables["answers"].to_pylist()
        if (row["system"], row["trial_id"]) == ("plain", example["trial_id"])
    ]
    assert example["said"] == said


def test_a_system_that_no_change_hurts_is_said_to_be_so(made):
    found = findings(made(6), "better")["better"]
    assert found["changes"] == [] and found["changes_tried"] == 1  # an answer that was taken out is no change
    (one,) = plain_summaries({"findings": {"better": found}, "figures": [], "protocols": {}})
    assert one.no_hurt.startswith("nothing that can be named: 1 kind of change was tried on at least 3 questions")


def test_a_change_that_hurts_too_few_questions_is_not_named_however_many_answers_it_loses(made):
    few = findings(made(2))["plain"]  # two questions are right before
    assert few["changes"] == [] and few["changes_tried"] == 0
    (one,) = plain_summaries({"findings": {"plain": few}, "figures": [], "protocols": {}})
    assert (
        one.no_hurt
        == "cannot be told: each change was tried on fewer than 3 of the questions that are right unchanged."
    )


def test_nothing_is_advised_against_a_loss_that_may_be_chance(made):
    found = findings(made(6))["plain"]
    (change,) = found["changes"]
    advice = "Correct spelling, case and spacing of questions"

    def advised(**counts):
        told = {**found, "changes": [{**change, **counts}]}
        (one,) = plain_summaries({"findings": {"plain": told}, "figures": [], "protocols": {}})
        return any(step.startswith(advice) for step in one.next)

    assert change["questions_won"] == 0 and advised()  # all of six questions
    assert not advised(right_before=21, lost=5, questions_right_before=14, questions_lost=3)
    assert not advised(questions_lost=11, questions_won=4) and advised(questions_lost=20, questions_won=4)


def test_what_hurts_most_is_one_list_of_the_worst_in_text_and_on_the_page(told, numbers, made):
    tables = made(6)
    found = findings(tables)["plain"]
    (change,) = found["changes"]
    found["changes"] = [{**change, "change": f"kind{at}", "lost": at} for at in range(1, 7)]
    result = summary({**told, "findings": {"plain": found, "better": found}}, numbers)
    text, written = plain_summary(result), [markdown(result), page(result, tables)]
    for one in plain_summaries(result):
        assert [hurt.change.partition(" ")[0] for hurt in one.hurts] == ["Kind6", "Kind5", "Kind4", "Kind3"]
    assert [text.count(f". Kind{at}") for at in range(1, 7)] == [0, 0, 2, 2, 2, 2]
    for one in written:
        assert one.count("Kind6") == one.count("Kind3") == 2 and "Kind2" not in one


def test_a_long_question_keeps_its_end(told, numbers, made):
    found = findings(made(6))
    asked = (
        f"According to “{'Telephone directory of the Town of Brackwater ' * 4}”, what department is listed for Anselm?"
    )
    found["plain"]["changes"][0]["example"]["question"] = asked
    (line,) = [
        one for one in plain_summary(summary({**told, "findings": found}, numbers)).splitlines() if "It said" in one
    ]
    assert line.startswith('     "According to “Telephone directory of … ')
    assert ' what department is listed for Anselm?" It said' in line
    assert [shorten_middle(text, 9) for text in ("123456789", "1 3 56 7 9 b")] == ["123456789", "1 … 9 b"]


def noisy(tables: dict[str, pa.Table], lost: dict[tuple[str, float], int]) -> dict[str, pa.Table]:
    """The tables with contexts of these mixes and shares beside pure ones; so many of each are answered wrong."""
    gold = [row for row in from_table(tables["trials"], Trial) if row.cell == "gold" and row.query == "none"]
    trials, scores, answers = [], [], []
    for (mix, ratio), wrong in {("natural", 0.0): 0, **lost}.items():
        for at, row in enumerate(gold):
            cell = "class" if mix == "distracting" else "ratio"
            name, shown = f"{row.trial_id}{mix}{ratio}", float(ratio < 1)
            trials.append(
                dataclasses.replace(
                    row, trial_id=name, protocol="magic_mushroom", cell=cell, mix=mix, ratio=ratio, gold=shown,
                    document="", bin="300-599",
                )
            )  # fmt: skip
            right = float(at >= wrong)
            scores.append(Score(name, "plain", "magic_mushroom", row.question_id, "scored", right))
            answers.append(Answer(name, "plain", name, "Another." if not right else "Right.", gold=shown))
    more = {"trials": (trials, Trial), "scores": (scores, Score), "answers": (answers, Answer)}
    return tables | {name: to_table(rows, of) for name, (rows, of) in more.items()}


def test_noise_hurts_by_class_and_by_share_and_is_said_in_words(made):
    lost = {("distracting", 0.9): 11, ("natural", 0.1): 1, ("natural", 0.9): 7, ("natural", 1.0): 12}
    tables = noisy(made(12), lost)
    frame = build_frame(*(tables[name] for name in ("trials", "answers", "scores", "questions", "chunks")))
    found = find_findings([("plain", "magic_mushroom", frame)], tables)
    alone, together = found["plain"]["changes"]
    assert (alone["side"], alone["change"], alone["lost"], alone["right_before"]) == ("noise", "distracting", 11, 12)
    assert (together["side"], together["change"]) == ("mixture", "mixed")
    assert [(one["share"], one["lost"]) for one in together["shares"]] == [(0.1, 1), (0.9, 7)]
    (one,) = plain_summaries({"findings": found, "figures": [], "protocols": {}})
    by_class, all_kinds = one.hurts  # the largest share first
    assert "copies of the right passage with another value in place of the answer" in by_class.change
    assert by_class.lost.endswith("in 11 questions, with 90 % noise")
    assert all_kinds.lost.endswith(": 1 of 12 with up to half noise, 7 of 12 with more")
    assert by_class.said == "Another." and by_class.right == "$47.5 billion"
    found["plain"]["changes"] = []  # beside noise among right passages, noise alone says nothing new
    (one,) = plain_summaries({"findings": found, "figures": [], "protocols": {}})
    (empty,) = one.hurts
    assert empty.change.startswith("Noise alone") and empty.lost.startswith("12 of 12 times it gives an answer")


def test_the_worst_of_each_side_is_named(made):
    """Wordings that all lose more than noise do not leave it out."""
    tables, other = noisy(made(12), {("distracting", 0.9): 3}), made(12)
    other["scores"] = other["scores"].filter(pc.equal(other["scores"]["system"], "plain"))
    noise, plain = (
        build_frame(*(of[name] for name in ("trials", "answers", "scores", "questions", "chunks")))
        for of in (tables, other)
    )
    changed = plain.rows["query"] == "character"
    more = [plain.rows[changed].assign(query=name) for name in ("word", "grammar")]
    wordings = dataclasses.replace(plain, table=pd.concat([plain.rows, *more], ignore_index=True))
    trials = pa.concat_tables([tables["trials"], other["trials"]])
    found = find_findings(
        [("plain", "rare", wordings), ("plain", "magic_mushroom", noise)], {**tables, "trials": trials}
    )["plain"]["changes"]
    assert [one["side"] for one in found] == ["question", "question", "noise"]


def test_what_is_answered_though_the_answer_was_taken_out_is_said(made):
    tables = scored(made(6), {"lexical_similar": 0.0})  # not refused
    found = findings(tables)["plain"]
    (one,) = found["made_up"]
    assert (one["kind"], one["made_up"], one["answers"], one["questions_made_up"]) == ("answer_deleted", 6, 6, 6)
    (said,) = plain_summaries({"findings": {"plain": found}, "figures": [], "protocols": {}})
    hurt = said.hurts[-1]
    assert hurt.change == "Passages with the answer taken out (lexical similar)" and hurt.right == ""
    assert any(step.startswith("Tell the reader to say so") and "100 %" in step for step in said.next)
    assert not findings(made(6))["plain"]["made_up"]  # refused


def test_where_all_is_right_the_summary_says_what_so_few_leave_open(made):
    tables = scored(made(24), {"gold": 1.0, "retrieved": 1.0})
    found = findings(tables)
    (one,) = plain_summaries({"findings": found, "figures": [], "protocols": {}})
    assert "none of these is wrong or refused, which leaves up to 14 % wrong possible" in one.good
    assert "never" not in one.good and one.weak.startswith(
        "none shows, with up to 14 % wrong possible: shown the right"
    )
    assert not any("which part" in step for step in one.next)
    found["plain"] |= {"changes": [], "made_up": []}
    (one,) = plain_summaries({"findings": found, "figures": [], "protocols": {}})
    assert one.next == (
        "Ask more (a larger --budget, more --questions): 24 questions leave up to 14 % wrong possible.",
    )


@pytest.mark.parametrize(
    ("change", "family", "remedy"),
    [
        ("character", "surface", "Correct spelling"),
        ("word", "surface", "Rewrite questions"),
        ("irrelevant_detail", "advanced", "Cut questions down"),
        ("counterfactual", "low_quality", "Show with each passage where it is from"),
        ("low_quality", "", "Show fewer passages, or rerank"),
        ("random_order", "logic", ""),
    ],
)
def test_advice_is_of_what_helps_against_the_change(made, change, family, remedy):
    found = findings(made(6))["plain"]
    found["changes"][0] |= {"change": change, "family": family}
    (one,) = plain_summaries({"findings": {"plain": found}, "figures": [], "protocols": {}})
    advice = [step for step in one.next if "(against " in step]
    assert [step.startswith(remedy) for step in advice] == [True] * bool(remedy)


@pytest.mark.parametrize(
    ("cells", "weak"),
    [
        ({"gold": 0.0, "retrieved": 0.0}, "reader"),
        ({"gold": 1.0, "retrieved": 0.0}, "retriever"),
        ({"gold": 1.0, "retrieved": 1.0}, ""),
    ],
)
def test_the_weak_part_is_named_where_gold_passages_show_it(made, cells, weak):
    found = findings(scored(made(6), cells))["plain"]["part"]
    assert (found["weak"], found["by"], found["questions"]) == (weak, "gold shown", 6)
    assert found["gold"] == [cells["gold"]] * 2 and found["closed_book"] == [0.0, 0.0]


def test_a_result_begins_with_answers_enough_or_with_a_warning(made):
    found = findings(made(6))["plain"]
    (few,) = plain_summaries({"findings": {"plain": found}, "figures": [], "protocols": {}})
    assert "right in 5 of 6 answers" in few.good and "too few to say" in few.good and "%" not in few.good.split(";")[0]
    rows = pd.DataFrame({
        "query": "none", "document": "none", "given": ["own"] * 2 + ["passages"] * 20, "retriever": "", "mix": "",
        "ratio": -1.0, "order": "", "gold_shown": 1.0,
    })  # fmt: skip
    assert select_unchanged({"rare": rows})[1] == "gold"  # 20 answers, where two are nearer to real use
    assert select_unchanged({"rare": rows[:12]})[1] == "gold"
    assert select_unchanged({"rare": rows[:3]})[1] == "own"


def test_a_result_begins_without_passages_only_where_nothing_was_shown():
    closed = pd.DataFrame({
        "query": "none", "document": "none", "given": ["closed_book"] * 30 + ["passages"] * 2 + ["own"], "order": "",
        "retriever": [""] * 30 + ["bm25"] * 2 + [""], "mix": "", "ratio": -1.0, "gold_shown": 0.0,
    })  # fmt: skip
    protocol, setting, mask = select_unchanged({"rare": closed})
    assert (protocol, setting, mask.sum()) == ("rare", "retrieved", 2)
    assert select_unchanged({"rare": closed[:30]})[1] == "closed_book"


def test_own_retrieval_that_is_asked_too_little_is_told_beside_what_a_result_begins_with(made):
    tables = made(24)
    few = sorted(set(tables["trials"]["question_id"].to_pylist()))[:8]
    rows = [
        dataclasses.replace(row, given="own", retriever="", cell="own")
        if (row.cell, row.question_id in few) == ("retrieved", True)
        else row
        for row in from_table(tables["trials"], Trial)
    ]
    found = findings({**tables, "trials": to_table(rows, Trial)})["plain"]
    (one,) = plain_summaries({"findings": {"plain": found}, "figures": [], "protocols": {}})
    own = found["own"]
    assert own["passages"] == "own" and own["answers"] == own["questions"] == 8
    left = f", {own['unscored']} without a score" * bool(own["unscored"])
    told = f"With what it retrieves itself: {own['right']} of 8 right{left}, too few to say more (RARE-Met)."
    assert found["unchanged"]["passages"] == "gold" and one.good.count(told) == 1
    assert "8 unchanged questions (too few to say how often), with what it retrieves itself in" in one.weak


def test_where_gold_passages_alone_were_shown_the_weak_part_is_not_told_and_they_are(made):
    tables = scored(made(6), {"gold": 1.0})
    tables["trials"] = tables["trials"].filter(pc.equal(tables["trials"]["cell"], "gold"))
    found = findings(tables)["plain"]
    assert found["part"] == {"weak": "", "by": "", "gold": [1.0, 1.0], "questions": 6}
    (one,) = plain_summaries({"findings": {"plain": found}, "figures": [], "protocols": {}})
    assert one.weak.startswith("cannot be told: shown the right passages it is right in 100 % of 6 unchanged questions")


def test_what_has_no_score_leaves_the_weak_part_open(made):
    part = findings(made(6))["plain"]["part"]
    assert part["weak"] == "" and part["retrieved"] == [pytest.approx(5 / 6), 1.0]


def test_a_large_share_of_few_questions_stands_behind_a_smaller_one_of_many() -> None:
    assert rank_share(20 / 60, 60) > rank_share(2 / 4, 4) > rank_share(1 / 4, 4)


def test_right_answers_that_say_much_besides_are_counted_and_told(made):
    tables = made(6)
    at = tables["answers"].schema.get_field_index("text")
    texts = [f"{text} {'word ' * 60}" for text in tables["answers"]["text"].to_pylist()]
    long = findings({**tables, "answers": tables["answers"].set_column(at, "text", pa.array(texts))})["plain"]["long"]
    assert 0 < long["long"] == long["right"] and findings(tables)["plain"]["long"]["long"] == 0
    (told,) = _describe_long({"right": 20, "long": 2, "several": 1})
    assert told.startswith("Of all 20 right answers 2 have over 60 words and 1 name other values, too:")
    assert not list(_describe_long({"right": 200, "long": 2, "several": 1}))


def test_a_benchmark_that_all_can_solve_is_said_to_be_so(changed):
    def recall(name: str, value: float, k: int, scored: int = 29) -> dict:
        where = f"retriever={name}, perturbation=none"
        row = changed(f"Recall@{k}", value, where, system="", protocol="retrieval", n_scored=scored)
        return {**dataclasses.asdict(row), "where": slice_fields(where)}

    easy, hard = {"answers": 20, "right": 19}, {"answers": 20, "right": 8}
    solved = [recall("bm25", 0.6, 1), recall("bm25", 1.0, 5)]
    (both,) = _describe_solved("plain", easy, solved)
    assert both.startswith("This benchmark is nearly solved and") and "19 of 20 unchanged answers are right" in both
    assert "by plain BM25 in 100 % (Recall@5)" in both
    (one,) = _describe_solved("plain", hard, solved)
    assert one == (
        "The right passages are easy to find here, by plain BM25 in 100 % (Recall@5): this benchmark hardly tells "
        "better retrievers apart. More documents or fewer passages (k) would."
    )  # which wrong answers do not belie
    (answers,) = _describe_solved("plain", easy, [])
    assert answers.startswith("This benchmark is nearly solved in its answers and hardly tells better systems apart")
    assert not list(_describe_solved("plain", hard, [recall("bm25", 0.6, 5), recall("bm25", 1.0, 100)]))
    assert not list(_describe_solved("plain", {"answers": 6, "right": 6}, [recall("bm25", 1.0, 5, scored=6)]))


@pytest.mark.parametrize(("gold", "weak"), [(1.0, "reader"), (0.0, "retriever"), (-1.0, "")])
def test_without_gold_passages_what_was_retrieved_tells_the_weak_part(made, gold, weak):
    tables = scored(made(6), {"retrieved": 0.0})
    tables["trials"] = tables["trials"].filter(pc.equal(tables["trials"]["cell"], "retrieved"))
    at = tables["answers"].schema.get_field_index("gold")
    values = pa.array([gold] * tables["answers"].num_rows, tables["answers"].schema.field(at).type)
    tables["answers"] = tables["answers"].set_column(at, "gold", values)
    part = findings(tables)["plain"]["part"]
    assert (part["weak"], part["by"]) == (weak, "gold retrieved" if gold >= 0 else "")


def test_the_text_is_short_and_names_the_one_command_that_mends_it(told, numbers, made):
    tables = made(6)
    rows = [
        dataclasses.replace(row, why="judge_needed: unmatched") if row.status == "missing" else row
        for row in from_table(tables["scores"], Score)
    ]
    found = findings({**tables, "scores": to_table(rows, Score)})
    result = summary({**told, "findings": found}, numbers)
    check(result)
    text = plain_summary(result, "monday")
    assert text.startswith("plain is right in 5 of 6 answers to 6 unchanged questions, too few to say how often it is")
    assert "17 % need a judge" in text
    assert (
        "6 of 6 right answers lost (6 questions right before), in 6 questions" in text
        and 'right is "$47.5 billion"' in text
    )
    assert text.count("rarefy rescore monday --config wrong.toml --out monday-wrong") == 1
    assert len(text.splitlines()) <= 15
    assert "rarefy rescore RESULT" in markdown(result) and "What hurts most" in page(result, tables)
    for written in (markdown(result, "my result"), page(result, tables, "my result")):
        command = "rarefy rescore 'my result' --config wrong.toml --out 'my result-wrong'"
        assert command in written.replace("&#39;", "'")
    said = plain_summary(result, "monday", python=True)
    assert 'correct={"unmatched": "wrong"}' in said and "rescore" not in said


def test_an_answer_that_was_never_given_is_missing_and_not_for_a_judge(told, numbers, made):
    tables = made(6)
    rows = [
        dataclasses.replace(row, why="not_answered") if row.status == "missing" else row
        for row in from_table(tables["scores"], Score)
    ]
    found = findings({**tables, "scores": to_table(rows, Score)})
    unchanged, unscored = found["plain"]["unchanged"], found["plain"]["unscored"]
    assert (unchanged["missing"], unchanged["unscored"]) == (1, 0) and unscored["missing"] and not unscored["judge"]
    text = plain_summary(summary({**told, "findings": found}, numbers))
    assert "17 % have no answer" in text and "could not be scored" not in text and "judge" not in text
    assert f"Missing: {unscored['missing']} of all {unscored['answers']} answers" in text
    assert unscored["missing"] == 1 and "Fill in the 1 answer that the file of answers lacks" in text


def test_a_handful_without_a_score_is_counted_and_no_command_is_given(told, numbers, made):
    found = findings(made(6))
    found["plain"]["unscored"] |= {"answers": 2537, "judge": 6, "mostly": {}}
    result = summary({**told, "findings": found}, numbers)
    for text in (plain_summary(result), markdown(result)):
        assert "Not scored: 6 of 2,537 answers, for want of a judge" in text and "rarefy rescore" not in text


def test_questions_of_a_first_look_that_rules_decide_are_called_so(told, numbers, made):
    found = findings(made(6))
    about = {"calls": 300, "asked": 290, "look": True, "questions": 6, "decided_by_rules": True}
    text = plain_summary(summary({**told, "budget": about, "findings": found}, numbers))
    assert "answers to 6 unchanged questions that rules mostly score, too few" in text
    assert "on 6 whole questions that rules mostly score (290 calls" in describe_budget(
        {"budget": about, "protocols": {}}
    )


def test_one_question_that_most_of_what_has_no_score_answers_is_named(told, numbers, made):
    tables = made(6)
    of = dict(zip(*(tables["trials"][name].to_pylist() for name in ("trial_id", "question_id")), strict=True))
    first = min(of.values())
    rows = [
        dataclasses.replace(row, status="missing", why="judge_needed: unmatched") if of[row.trial_id] == first else row
        for row in from_table(tables["scores"], Score)
    ]
    tables |= {"scores": to_table(rows, Score)}
    (asked,) = (row["text"] for row in tables["questions"].to_pylist() if row["question_id"] == first)
    found = findings(tables)
    assert found["plain"]["unscored"]["mostly"]["question"] == asked
    assert f"answer one question: “{asked}”" in plain_summary(summary({**told, "findings": found}, numbers))


def test_a_summary_of_before_has_no_sentences(told, numbers):
    assert plain_summary(summary(told, numbers)) == ""


def test_texts_of_systems_are_no_markup_and_no_commands(hostile):
    for text in ("<script>window.broken = 1</script>", "a\x1b[2Jb", "pay \u202e0001$", "[red]x[/red]"):
        told, numbers, tables = hostile(text)
        result = summary({**told, "findings": findings(tables, text)}, numbers)
        said, written = plain_summary(result), page(result, tables)
        assert not {"\x1b", "\u202e"} & set(said + written)
        assert written.count("<script") == 2
        assert headline(result, "monday")


def test_accuracy_stands_first_and_a_robust_system_that_is_mostly_wrong_is_called_so(told, changed):
    sure = {"protocol": "sure", "headline": True}
    rows = summary(told, [changed("RR", 0.99, **sure), changed("base accuracy", 0.18, **sure)])["figures"]
    table = table_rows(rows, "sure", "plain")
    assert [row["metric"] for row in table] == ["base accuracy", "RR"]
    assert "0.990 of its answers stay as right or as wrong" in describe_caution(table, "sure")
    assert "only 18 % are right" in describe_caution(table, "sure")
    good = summary(told, [changed("RR", 0.99, **sure), changed("base accuracy", 0.8, **sure)])["figures"]
    assert describe_caution(good, "sure") == ""


def test_a_system_that_retrieves_by_itself_and_always_refuses_is_not_called_robust_alone(told, changed):
    real, rare = "Real-World Retrieval Robustness", {"protocol": "rare", "headline": True}
    made = [changed(real, 1.0, **rare), changed(f"{real}: correct", 0.0, **rare)]
    made += [changed(f"{real}: refusal rate", 1.0, **rare)]
    table = table_rows(summary(told, made)["figures"], "rare", "plain")
    said = describe_caution(table, "rare")
    assert said.startswith("1.000 of its answers count as robust") and said.endswith("none are right; 100 % refuse")


@pytest.mark.parametrize(("share", "text"), [(0.0, "0 %"), (0.001, "under 1 %"), (0.18, "18 %"), (0.999, "over 99 %")])
def test_a_share_is_never_rounded_to_none_or_all(share, text):
    assert format_share(share) == text
