"""Systems under test: what they are asked, how each kind is reached, and what became of it (architecture §3, §7)."""
