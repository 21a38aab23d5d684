"""Plots: places, ticks, words for those who do not see them, and no markup from names."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from rarefy.tasks.evaluate.results.svg import (
    Curve,
    Point,
    Scale,
    draw_axis,
    draw_curves,
    draw_radar,
    draw_strip,
    fit_scale,
)


def points(*ys, bounds=(None, None)):
    return tuple(Point(float(x), y, *bounds, title=f"at {x}", rows=x) for x, y in enumerate(ys))


def test_shares_get_an_axis_between_0_and_1():
    assert fit_scale([0.0, 1.0]).ticks == (0.0, 0.25, 0.5, 0.75, 1.0)
    assert fit_scale([0.97, 0.99]).high <= 1.0
    assert fit_scale([0.01, 0.02]).low >= 0.0


@pytest.mark.parametrize("values", [[0.5], [0.31, 0.44, None], [-0.7, 0.2], [3.0, 1200.0], [-7.0], [1e-9, 2e-9], []])
def test_an_axis_holds_all_values_and_its_ticks_are_even_and_told_apart(values):
    scale = fit_scale(values)
    assert all(scale.low <= value <= scale.high for value in values if value is not None)
    steps = {round(b - a, 9) for a, b in zip(scale.ticks, scale.ticks[1:], strict=False)}
    assert len(steps) == 1
    assert len({scale.label(tick) for tick in scale.ticks}) == len(scale.ticks)


def test_a_tick_has_a_true_minus_sign_and_no_minus_zero():
    scale = Scale(-0.5, 0.5, (-0.5, 0.0, 0.5))
    assert [scale.label(tick) for tick in scale.ticks] == ["−0.5", "0.0", "0.5"]


def test_a_strip_tells_its_number_to_a_screen_reader_and_has_its_whisker():
    drawn = ElementTree.fromstring(draw_strip(Scale(0, 1, (0.0, 1.0)), 0.5, 0.25, 0.75, "0.5 [0.25, 0.75]"))
    assert drawn.get("role") == "img"
    assert drawn[0].tag == "title"
    assert drawn[0].text == "0.5 [0.25, 0.75]"
    whisker = next(line for line in drawn.iter("line") if line.get("class", "").startswith("whisker"))
    assert (whisker.get("x1"), whisker.get("x2")) == ("26.50%", "73.50%")


def test_a_withheld_number_has_bounds_and_no_mark():
    drawn = ElementTree.fromstring(draw_strip(Scale(0, 1, (0.0, 1.0)), None, 0.25, 0.75, "withheld", bounds=True))
    assert not list(drawn.iter("path"))
    assert "bounds" in "".join(line.get("class", "") for line in drawn.iter("line"))


def test_a_curve_breaks_where_a_number_is_withheld():
    whole = draw_curves([Curve("a", points(0.1, 0.2, 0.3, 0.4))], "t", "x")
    broken = draw_curves([Curve("a", points(0.1, 0.2, None, 0.4, 0.5))], "t", "x")
    assert len(re.findall(r'class="line', whole)) == 1
    assert len(re.findall(r'class="line', broken)) == 2


def test_intervals_are_bands_on_curves_and_whiskers_between_names():
    curve = [Curve("a", points(0.1, 0.2, bounds=(0.05, 0.3)))]
    assert "band" in draw_curves(curve, "t", "x")
    named = draw_curves(curve, "t", "x", names=("original", "reversed"))
    assert "band" not in named
    assert named.count("whisker") == 2


def test_each_point_leads_to_its_rows():
    drawn = ElementTree.fromstring(draw_curves([Curve("a", points(0.1, 0.2))], "t", "x"))
    links = list(drawn.iter("a"))
    assert [link.get("data-set") for link in links] == ["0", "1"]
    assert all(link.get("aria-label") for link in links)


def test_series_differ_in_shape_and_not_in_colour_alone():
    drawn = draw_curves([Curve(str(n), points(0.1, 0.2), n) for n in range(6)], "t", "x")
    assert len(set(re.findall(r'<path d="([^"]+)" class="mark', drawn))) == 6


def test_a_radar_has_a_spoke_for_each_kind_and_only_whole_areas():
    whole = draw_radar([Curve("a", points(0.5, 0.6, 0.7))], ["style", "logic", "format"], "RR by type")
    part = draw_radar([Curve("a", points(0.5, None, 0.7))], ["style", "logic", "format"], "RR by type")
    assert all(name in whole for name in ("style", "logic", "format"))
    assert 'class="area' in whole
    assert 'class="area' not in part


@pytest.mark.parametrize("name", ['"><script>x</script>', "a & b", "\u202eevil", "\x00"])
def test_names_are_text(name):
    for drawn in (
        draw_curves([Curve(name, (Point(0.0, 0.5, title=name),))], name, name, names=(name,)),
        draw_radar([Curve(name, points(0.5, 0.6, 0.7))], [name, "b", "c"], name),
        draw_strip(Scale(0, 1, (0.0, 1.0)), 0.5, None, None, name),
    ):
        assert "<script" not in drawn
        assert "\u202e" not in drawn
        ElementTree.fromstring(drawn)


def test_the_labels_of_an_axis_stand_where_the_strips_have_their_lines():
    scale = Scale(0, 1, (0.0, 0.5, 1.0))
    assert re.findall(r'x="([\d.]+%)"', draw_axis(scale)) == re.findall(
        r'x1="([\d.]+%)"', draw_strip(scale, None, None, None, "")
    )


def test_labels_of_ticks_do_not_run_into_each_other():
    found = [Point(float(k), 0.5) for k in (1, 3, 5, 10, 25, 50, 75, 100)]
    drawn = ElementTree.fromstring(draw_curves([Curve("a", tuple(found))], "t", "x"))
    labels = [(float(one.get("x")), one.text) for one in drawn.iter("text") if one.get("y") == "226"]
    assert [text for _, text in labels] == ["1", "5", "10", "25", "50", "75", "100"]
    ends = [(x - 3.2 * len(text), x + 3.2 * len(text)) for x, text in labels]
    assert all(end < start for (_, end), (start, _) in pairwise(ends))
