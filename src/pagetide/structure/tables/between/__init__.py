"""The text between two frames of drawn rules: rows of one table, or its end."""
