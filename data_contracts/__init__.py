"""The nouns: row types, the tables they make, and the contracts that hold them."""
