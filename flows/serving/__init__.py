"""Prefect's server, deployments and notices, and the triggers that refresh a benchmark (architecture §6)."""
