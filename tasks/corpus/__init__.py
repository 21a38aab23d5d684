"""Documents in, chunks out: files are read as text, tables and tagged values, and cut into chunks (RARE §3.1)."""
