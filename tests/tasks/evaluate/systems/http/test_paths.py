import pytest

from rarefy.tasks.evaluate.systems.http.config import MissingPath, get_at_path, parse_path

REPLY = {
    "answer": "a",
    "choices": [{"message": {"content": "c"}}],
    "a name": {"x.y": 1},
    "docs": [{"id": 1}, {"id": 2}],
    "none": None,
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("answer", "a"),
        ("$.answer", "a"),
        ("$", REPLY),
        ("", REPLY),
        ("choices[0].message.content", "c"),
        ("$.choices[-1]['message'].content", "c"),
        ("['a name'][\"x.y\"]", 1),
        ("docs[*].id", [1, 2]),
        ("none", None),
    ],
)
def test_a_path_leads_to_its_value(path, value):
    assert get_at_path(REPLY, path) == value


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("anwser", "no 'anwser' in an object with answer, choices"),
        ("choices[1]", "no 1 in a list of 1"),
        ("answer.text", "no 'text' in a text"),
        ("choices.message", "no 'message' in a list"),
        ("answer[*]", r"\[\*\] asks for a list, there is a text"),
        ("none.x", "no 'x' in null"),
        ("docs[*].name", "no 'name' in an object with id"),
    ],
)
def test_a_path_that_leads_nowhere_says_how_far(path, why):
    with pytest.raises(MissingPath, match=why):
        get_at_path(REPLY, path)


@pytest.mark.parametrize("path", ["a..b", ".a", "a b", "a[", "a.", "a[x]", "$$.a", "a[1:2]", "$..a", "a['x"])
def test_what_is_no_path_is_told(path):
    with pytest.raises(ValueError, match="path"):
        parse_path(path)
