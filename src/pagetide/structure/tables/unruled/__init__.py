"""Tables without rules: text in columns, items below headers, names with values."""
