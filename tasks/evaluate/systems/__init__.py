"""Systems under test: each gets a trial's question, with or without passages, and returns an answer or an error code.

Built in are an extractive baseline and RAG with any model; an HTTP endpoint or a Python function of the user may be
tested too. Results are `Answer` rows (retrieval robustness B4, B5)."""
