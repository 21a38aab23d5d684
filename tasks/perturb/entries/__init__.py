"""The catalogue's entries, by side."""
