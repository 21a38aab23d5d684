"""Whoever is asked: chat models, embedders, and what tells whether a text follows from another; replies paid once."""
