"""Settings that two versions were not made by alike."""

import json

from versioned import benchmark

from rarefy.tasks.refresh.versions import compare_tables, write_changes
from rarefy.tasks.refresh.versions.compare import describe_differing_settings, find_differing_settings

OLD = {"perturb": {"query": {"typos": 1}, "document": []}, "seed": 1}
NEW = {"perturb": {"query": {"typos": 2}, "document": ["a"]}, "seed": 1, "other": None, "more": {"x": 1}}


def test_options_with_another_value_are_named_where_they_stand():
    assert find_differing_settings(OLD, NEW) == ("more", "perturb.document", "perturb.query.typos")
    assert find_differing_settings(OLD, OLD) == ()


def test_no_more_than_eight_are_named():
    assert describe_differing_settings(["a", "b"], "3") == "Settings differ from version 3: a, b"
    assert (
        describe_differing_settings([*"abcdefghijk"], "3")
        == "Settings differ from version 3: a, b, c, d, e, f, g, h and 3 more"
    )


def test_they_are_written_with_the_changes(tmp_path):
    found = compare_tables(benchmark({}), benchmark({}))
    write_changes(tmp_path, found, "a" * 32, "b" * 32, ("perturb.query", "<b>"))
    assert json.loads((tmp_path / "changes.json").read_text())["settings"] == ["perturb.query", "<b>"]
    said = "Settings differ from version aaaaaaaaaaaa: perturb.query, "
    assert f"{said}\\<b\\>" in (tmp_path / "changes.md").read_text()
    assert f"{said}&lt;b&gt;" in (tmp_path / "changes.html").read_text()
    write_changes(tmp_path, found, "old", "new")
    assert json.loads((tmp_path / "changes.json").read_text())["settings"] == []
    assert "Settings" not in (tmp_path / "changes.md").read_text() + (tmp_path / "changes.html").read_text()
