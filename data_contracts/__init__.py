"""Row types, their Arrow tables, and the contracts that every table is checked against."""
