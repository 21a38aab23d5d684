"""Results of runs for people: on a terminal, as Markdown, as JSON, and as artifacts in Prefect."""
