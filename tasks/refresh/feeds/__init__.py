"""Sources of documents: a watched folder or bucket, the SEC's EDGAR, a signed webhook (docs/triggers.md)."""
