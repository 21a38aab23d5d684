"""Paths in, accepted questions out: asked, checked by gates, probed chunk by chunk, and graded (RARE §3.4)."""
