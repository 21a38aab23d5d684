"""The verbs: every stage of the pipeline as a function of rows."""
