"""Tables without rules: text in columns, names with values."""
