"""How any text is read: quantities, scales of tables, dates, names, sentences and stems, each by one parser for all."""
