"""Tables shown by drawn rules, and what else rules on a page draw."""
