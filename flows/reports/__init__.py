"""What runs show of what they made: for a terminal, as Markdown, and as JSON."""
