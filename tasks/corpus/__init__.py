"""Documents in, chunks out: files are read as text, tables and tags, and cut (RARE §3.1)."""
