"""Changes to gold chunks."""
