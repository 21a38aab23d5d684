"""Recorded replies are found by what a prompt says, and never made up."""

import asyncio
import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from rarefy.data_contracts.rows import Message, Reply, Request, Token
from rarefy.tasks.models.llm.config import InferenceContext, LLMConfig
from rarefy.tasks.models.llm.faults import Failed
from rarefy.tasks.models.llm.recorded import Recorded, line, recorded, recording


def _file(place: Path, *lines: dict[str, object]) -> Path:
    place.write_text("".join(json.dumps(one) + "\n" for one in lines), encoding="utf-8")
    return place


def _ask(name: str, *texts: str) -> Request:
    return Request(name, tuple(Message("user", text) for text in texts))


def test_the_first_line_whose_strings_all_stand_in_the_prompt_answers_any_number_of_times(tmp_path: Path) -> None:
    model = Recorded(
        _file(
            tmp_path / "a.jsonl",
            {"contains": ["Who audits the books?", "Note 4 of the report"], "text": "Deloitte"},
            {"contains": ["Who audits the books?"], "text": "nobody knows", "prompt_tokens": 9},
            {"contains": ["Who audits the books?", "of a later line"], "text": "never"},
        )
    )
    request = _ask("r1", "Note 4 of the report says", "Who audits the books? of a later line")
    assert [model.answer(request).text for _ in range(2)] == ["Deloitte", "Deloitte"]
    second = model.answer(_ask("r2", "Who audits the books?"))
    assert (second.request_id, second.text, second.prompt_tokens, second.finish_reason) == (
        "r2",
        "nobody knows",
        9,
        "stop",
    )


def test_no_match_is_told_with_the_nearest_line(tmp_path: Path) -> None:
    model = Recorded(
        _file(
            tmp_path / "a.jsonl",
            {"contains": ["The whole of chunk 7 stands here", "Ask a question"], "text": "x"},
            {"contains": ["Something else entirely"], "text": "y"},
        )
    )
    with pytest.raises(Failed, match=r"line 1.*'Ask a question'") as failed:
        model.answer(_ask("r1", "The whole of chunk 7 stands here. Judge a question"))
    assert failed.value.reason == "rejected" and not failed.value.again
    with pytest.raises(Failed, match="no reply for this prompt"):
        model.answer(_ask("r1", "hello"))


def test_short_strings_count_too(tmp_path: Path) -> None:
    model = Recorded(_file(tmp_path / "a.jsonl", {"contains": ["Q7"], "text": "seven"}))
    assert model.answer(_ask("r", "This is Q7")).text == "seven"


def test_an_exact_request_comes_before_all_others_and_its_line_survives_the_round_trip(tmp_path: Path) -> None:
    request = Request("r1", (Message("user", "Who?"),), '{"type": "object"}', 0.7, 50, 3, 2)
    reply = Reply(
        "r1",
        '{"é": 1}',
        finish_reason="stop",
        prompt_tokens=3,
        model="m",
        logprobs=(Token("a", -0.5, ("b",), (-1.0,)),),
    )
    place = tmp_path / "a.jsonl"
    place.write_text('{"contains": ["Who?"], "text": "anybody"}\n' + line(request, reply) + "\n", encoding="utf-8")
    model = Recorded(place)
    assert model.answer(request) == reply
    assert model.answer(_ask("r2", "Who?")).text == "anybody"


def test_a_reply_to_what_is_said_outlives_other_instructions_and_no_other_words(tmp_path: Path) -> None:
    def about(system: str, user: str) -> Request:
        return Request("r", (Message("system", system), Message("user", user)), '{"type": "string"}', 0.7)

    place = tmp_path / "a.jsonl"
    place.write_text(line(about("Be brief.", "Passage 7"), Reply("r", "seven"), by="said") + "\n", encoding="utf-8")
    model = Recorded(place)
    assert model.answer(about("Be brief.", "Passage 7")).text == "seven"
    assert model.answer(about("Be as brief as you can.", "Passage 7")).text == "seven"
    with pytest.raises(Failed, match="no reply"):
        model.answer(about("Be brief.", "Passage 8"))


def test_what_cannot_be_used_has_its_code(tmp_path: Path) -> None:
    model = Recorded(
        _file(
            tmp_path / "a.jsonl",
            {"contains": ["one"], "text": "{", "finish_reason": "length"},
            {"contains": ["two"], "text": "no", "finish_reason": "content_filter"},
            {"contains": ["three"], "error": "refused", "text": "I would rather not"},
            {"contains": ["four"], "text": " "},
        )
    )
    found = [model.answer(_ask("r", word)).error for word in ("one", "two", "three", "four")]
    assert found == ["truncated", "filtered", "refused", "empty"]


def test_a_folder_is_its_files_in_order_of_their_names(tmp_path: Path) -> None:
    _file(tmp_path / "b.jsonl", {"contains": ["x"], "text": "from b"})
    _file(tmp_path / "a.jsonl", {"contains": ["x", "y"], "text": "from a"})
    model = recorded(LLMConfig(provider="recorded", model=str(tmp_path)), InferenceContext())
    assert [model.answer(_ask("r", text)).text for text in ("x y", "x")] == ["from a", "from b"]
    assert asyncio.run(model(_ask("r", "x"), 1.0)).text == "from b"


@pytest.mark.parametrize(
    ("bad", "told"),
    [
        ("{", "line 2: no JSON"),
        ("[1]", "line 2: not a recorded reply"),
        ('{"contains": ["x"], "text": "y", "finsh": 1}', "unknown .'finsh'"),
        ('{"contains": "x", "text": "y"}', "list of strings"),
        ('{"text": "y"}', "one of contains, said and digest"),
        ('{"contains": ["x"]}', "a text or an error"),
    ],
)
def test_a_line_that_is_none_is_named(tmp_path: Path, bad: str, told: str) -> None:
    (tmp_path / "a.jsonl").write_text(f"\n{bad}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=told):
        Recorded(tmp_path / "a.jsonl").answer(_ask("r", "x"))


def test_a_missing_file_is_told_when_connecting(tmp_path: Path) -> None:
    for place in (tmp_path / "none.jsonl", tmp_path):
        with pytest.raises(ValueError, match="no recorded replies"):
            recorded(LLMConfig(provider="recorded", model=str(place)), InferenceContext())


def test_a_run_that_was_recorded_gives_the_same_replies(tmp_path: Path) -> None:
    def shouting(requests: Iterable[Request], /) -> Iterator[Reply]:
        held = list(requests)  # a model may take many before it answers
        for request in held:
            text = request.messages[0].content.upper()
            yield Reply(request.request_id, text, finish_reason="stop", error="" if text != "B" else "refused")

    asked = [_ask(f"r{text}", text) for text in "abc"]
    said = list(recording(shouting, tmp_path / "tape.jsonl")(asked))
    model = Recorded(tmp_path / "tape.jsonl")
    assert model.answer(asked[2]).text == said[2].text == "C"
    with pytest.raises(Failed):
        model.answer(asked[1])


def test_many_lines_load_and_answer_quickly(tmp_path: Path) -> None:
    common = "Take the triplets from the chunks above."
    _file(
        tmp_path / "a.jsonl",
        *({"contains": [common, f"chunk {n} " + "x" * 40], "text": f"{n} " + "y" * 200} for n in range(20_000)),
        {"contains": [common], "text": "none"},
    )
    model = Recorded(tmp_path / "a.jsonl")
    start = time.monotonic()
    filler = "word " * 2_000
    assert [
        model.answer(_ask("r", f"{filler} chunk {n} {'x' * 40} {common}")).text[:5].split()[0] for n in range(100, 150)
    ] == [str(n) for n in range(100, 150)]
    assert model.answer(_ask("r", common)).text == "none"
    assert time.monotonic() - start < 5
