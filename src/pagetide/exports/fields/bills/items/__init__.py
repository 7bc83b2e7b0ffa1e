"""A bill's items, from its tables and from its words."""
