"""Tables that drawn rules show, and what else rules on a page draw."""
