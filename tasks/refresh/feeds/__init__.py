"""How documents come: a folder or bucket watched, the SEC's EDGAR, a signed webhook (docs/triggers.md)."""
