"""Rules that make passages for contexts: the gold passage, and noise by class (Magic Mushroom §3.2-3.3; IBM §3)."""
