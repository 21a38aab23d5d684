"""The paper's four scenarios, and those of a file."""

import json

import pytest

from rarefy.tasks.perturb.mix import SCENARIOS, make_scenario, read_scenarios
from rarefy.tasks.perturb.mix.build import apportion, count_noise, parse_mix

PRINTED = {  # golden, distracting, low quality, inconsequential, irrelevant of ten (M10)
    "SCE1": (3, 3, 1, 1, 2),
    "SCE2": (3, 1, 2, 1, 3),
    "SCE3": (2, 2, 1, 2, 3),
    "SCE4": (2, 4, 1, 2, 1),
}


@pytest.mark.parametrize("name", PRINTED)
def test_ten_passages_of_a_scenario_are_the_papers(name):
    found = SCENARIOS[name]
    noise = count_noise(10, found.ratio)
    places = apportion(noise, parse_mix(found.mix))
    golden, *rest = PRINTED[name]
    assert 10 - noise == golden
    assert [places.get(part, 0) for part in ("distracting", "low_quality", "inconsequential", "irrelevant")] == rest


@pytest.mark.parametrize("suffix", [".toml", ".json"])
def test_a_file_of_scenarios_may_have_shares_or_percentages_and_what_was_measured(tmp_path, suffix):
    file = tmp_path / f"mine{suffix}"
    table = {"golden": 25, "distracting": 50, "irrelevant": 25}
    if suffix == ".json":
        file.write_text(json.dumps({"web": table | {"fitted": {"n": 12}}}))
    else:
        file.write_text("[web]\ngolden = 25\ndistracting = 50\nirrelevant = 25\n[web.fitted]\nn = 12\n")
    found = read_scenarios(file)["web"]
    assert (found.ratio, found.mix) == (0.75, "2:0:0:1")


@pytest.mark.parametrize(
    ("shares", "says"),
    [
        ({"golden": 0.5, "noise": 0.5}, "no class 'noise'"),
        ({"golden": 0.5}, "sum to 0.5"),
        ({"golden": -0.5, "irrelevant": 1.5}, "golden is -0.5"),
        ({"golden": "1"}, "golden is '1'"),
        ({"golden": True}, "golden is True"),
        ({}, "sum to 0"),
    ],
)
def test_shares_that_cannot_be_are_refused_by_name(shares, says):
    with pytest.raises(ValueError, match=says):
        make_scenario("mine", shares)


@pytest.mark.parametrize("text", ["golden = 1", "[web", "\x00", "web = 3"])
def test_a_file_that_is_none_of_scenarios_is_named(tmp_path, text):
    file = tmp_path / "bad.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"bad\.toml"):
        read_scenarios(file)


def test_a_scenario_without_noise_is_all_golden():
    assert make_scenario("clean", {"golden": 1}).ratio == 0.0
