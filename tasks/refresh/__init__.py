"""Keeping a benchmark up to date (RARE §4).

Feeds bring new and changed documents, a queue holds requests for a refresh, and two versions are compared row by row.
"""
