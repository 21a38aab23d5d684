"""The small English pipeline: how it is trained, measured and loaded."""
