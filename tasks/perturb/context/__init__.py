"""Passages to mix contexts of."""
