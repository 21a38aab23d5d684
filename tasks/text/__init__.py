"""How any text is read: its quantities, dates, names, sentences and word stems, each by one parser for all."""
