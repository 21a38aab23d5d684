"""Plots as inline SVG: strips with whiskers, curves with bands, radars; no script, colours from the page."""

from rarefy.tasks.evaluate.results.svg.curves import Curve, Point, curves
from rarefy.tasks.evaluate.results.svg.radar import radar
from rarefy.tasks.evaluate.results.svg.scale import Scale, fitted
from rarefy.tasks.evaluate.results.svg.strips import axis, strip, swatch

__all__ = ["Curve", "Point", "Scale", "axis", "curves", "fitted", "radar", "strip", "swatch"]
