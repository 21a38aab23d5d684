"""Paths in, accepted questions out: asked, gated, probed with one passage, graded by a judge (RARE §3.3-3.4)."""
