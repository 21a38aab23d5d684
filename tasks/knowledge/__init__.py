"""Chunks in, paths out: facts become triplets, names one each, old values superseded, patterns traced (RARE §3.2)."""
