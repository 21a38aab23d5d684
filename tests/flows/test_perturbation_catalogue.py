"""The catalogue is listed for people and for programs."""

import json

import pytest

from rarefy.flows.cli import main
from rarefy.flows.cli.perturb_commands import format_catalogue
from rarefy.tasks.perturb import CATALOGUE


@pytest.mark.parametrize("width", [80, 120])
def test_every_perturbation_is_listed_and_no_line_is_too_long(width):
    told = format_catalogue(width)
    assert max(map(len, told.splitlines())) <= width
    names = [line.split()[0] for line in told.splitlines() if line[:1].isalpha() and " · " not in line[:40]]
    assert names == [name for name in names if name in CATALOGUE]
    assert set(names) == set(CATALOGUE)


def test_what_offline_cannot_do_needs_a_model():
    told = format_catalogue(120)
    (line,) = [line for line in told.splitlines() if line.startswith("simple ")]
    assert "needs a model" in line
    (line,) = [line for line in told.splitlines() if line.startswith("self_generated ")]
    assert "needs the system under test" in line


def test_programs_get_all_of_it(capsys):
    assert main(["perturbations", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [one["name"] for one in listed] == list(CATALOGUE)
    for one in listed:
        entry = CATALOGUE[one["name"]]
        assert (one["paper"], one["side"], one["family"]) == (entry.paper, entry.side, entry.family)
        assert one["needs_model"] == (not entry.rules) and one["method"]
        assert set(one["example"]) == {"before", "after"}
