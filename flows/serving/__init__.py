"""A server, its deployments, and who is told when a run fails (architecture §6)."""
