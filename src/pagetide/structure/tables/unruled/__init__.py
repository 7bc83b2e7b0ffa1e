"""Tables without rules: text in columns, items below their heads, names with their values."""
