"""What models are asked in a run and what it costs: roles, limits, forecasts before it, spending after it."""
