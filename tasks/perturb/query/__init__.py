"""Changes to questions."""
