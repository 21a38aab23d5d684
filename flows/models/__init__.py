"""What a run asks of models and what it costs: their roles, the forecast before it, the accounting after it."""
