"""What stands between two frames of drawn rules: rows of one table, or its end."""
