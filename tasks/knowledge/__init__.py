"""Chunks in, paths out: facts are extracted, named alike, dated, and linked into paths (RARE §3.2, §3.3)."""
